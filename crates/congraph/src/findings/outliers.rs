//! Which of some values stand out above the others: far beyond the median, in units of the median deviation.
//!
//! How far is far depends on the number of values: the largest of many is large by chance, and the median deviation of
//! few is small by chance. FAR + FAR_OF_FEW/N scaled median deviations were chosen so that of exchangeable simulated
//! views one is called an outlier in at most one data set of twenty, from 5 to 36 views (`examples/outlier_study.rs`).

/// This many scaled median deviations above the median stand out, of many values; and so many more of few, divided by
/// their number.
const FAR: f64 = 4.5;
const FAR_OF_FEW: f64 = 15.0;
/// And at least this much: where all are nearly equal, none stands out.
const LEAST: f64 = 0.05;
/// With fewer views, none can stand out.
pub const ENOUGH: usize = 5;

/// Whether each value is an outlier, and the median.
pub fn outliers(values: &[f64]) -> (Vec<bool>, f64) {
    if values.is_empty() {
        return (Vec::new(), 0.0);
    }
    let middle = median(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let spread = 1.4826 * median(&deviations);
    let far = FAR + FAR_OF_FEW / values.len() as f64;
    let stands_out = |&value: &f64| value > middle + far * spread && value > middle + LEAST;
    let enough = values.len() >= ENOUGH;
    (values.iter().map(|value| enough && stands_out(value)).collect(), middle)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        0.5 * (sorted[middle - 1] + sorted[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_above_stands_out() {
        let (found, middle) = outliers(&[0.10, 0.11, 0.12, 0.50, 0.11, 0.02]);
        assert_eq!(found, [false, false, false, true, false, false]);
        assert!((middle - 0.11).abs() < 1e-15);
        assert_eq!(outliers(&[0.1, 0.1, 0.1, 0.1, 0.14]).0, [false; 5]);
        assert_eq!(outliers(&[0.0, 0.0, 0.0, 1.0]).0, [false; 4]);
    }
}
