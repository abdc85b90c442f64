//! Means with their 95 % bands: mean ± t s/√R by Student's t over the R realisations.

/// The 97.5 % points of Student's t with 1, 2, … degrees of freedom.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// Beyond the table.
const NORMAL: f64 = 1.96;

/// A mean and the ends of its band; of one value the band is the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Band {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Band {
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let reach = if values.len() < 2 {
            0.0
        } else {
            // Unbiased, over R − 1.
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
            T.get(values.len() - 2).unwrap_or(&NORMAL) * (variance / n).sqrt()
        };
        Self {
            mean,
            low: mean - reach,
            high: mean + reach,
        }
    }

    /// Of the differences one − two, realisation by realisation.
    pub(crate) fn of_differences(one: &[f64], two: &[f64]) -> Self {
        let differences: Vec<f64> = one.iter().zip(two).map(|(x, y)| x - y).collect();
        Self::of(&differences)
    }
}

/// The slope of ln y over ln x by least squares.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (x, y) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (xy, xx) = logs.iter().fold((0.0, 0.0), |(xy, xx), (lx, ly)| {
        (xy + (lx - x) * (ly - y), xx + (lx - x).powi(2))
    });
    xy / xx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_of_students_t() {
        let band = Band::of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(band.mean, 3.0);
        // s = √2.5, t₄ = 2.776.
        assert!((band.high - 3.0 - 2.776 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(Band::of(&[7.0]).low, 7.0);
        assert_eq!(Band::of_differences(&[2.0, 3.0], &[1.0, 2.0]).low, 1.0);
    }

    #[test]
    fn the_exponent_of_a_power() {
        let points: Vec<(f64, f64)> = [50.0_f64, 100.0, 200.0].map(|x| (x, 3.0 * x.powf(2.5))).to_vec();
        assert!((exponent(&points) - 2.5).abs() < 1e-12);
    }
}
