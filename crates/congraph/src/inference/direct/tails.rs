//! Tails of distributions, false discovery rates and partial conjunctions.
//!
//! Three functions of thirty lines each; a library of distributions would be the largest dependency of this crate.

/// P(T > t) for Student's t with `df` degrees of freedom.
pub(super) fn t_upper(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    // The smaller of x and 1 − x is formed without a difference, so that far tails keep their digits.
    let (x, rest) = (df / (df + t * t), t * t / (df + t * t));
    let tail = 0.5 * beta_share(0.5 * df, 0.5, x, rest);
    if t > 0.0 { tail } else { 1.0 - tail }
}

/// The regularised incomplete beta function I_x(a, b), with `rest` = 1 − x.
fn beta_share(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * rest.ln()).exp();
    // The continued fraction converges fast below the mean.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, rest) / b
    }
}

/// The continued fraction of the incomplete beta function (Lentz's algorithm; Abramowitz and Stegun 26.5.8).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for k in 1..10_000 {
        let k = f64::from(k);
        let even = k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k));
        let odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

/// ln Γ(x) for x > 0: Stirling's series, after stepping up to where it has 16 digits.
fn ln_gamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < 15.0 {
        below += x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let terms = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
    ];
    let series = terms.iter().rev().fold(0.0, |sum, term| sum * square + term) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - below
}

/// P(χ² > x) for an even number of degrees of freedom, `2 · half`: a Poisson sum.
fn chi_square_upper(x: f64, half: usize) -> f64 {
    let mean = 0.5 * x;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..half {
        term *= mean / k as f64;
        sum += term;
    }
    if sum.is_finite() {
        (sum.ln() - mean).exp().min(1.0)
    } else {
        0.0
    }
}

/// The largest number u of hypotheses for which "fewer than u of them are false" is refused at a level, by Fisher's
/// combination of all but the u − 1 smallest p values.
pub(super) fn at_least(p: &mut [f64], level: f64) -> u32 {
    p.sort_by(f64::total_cmp);
    let (mut sum, mut found) = (0.0, 0);
    for first in (0..p.len()).rev() {
        sum -= 2.0 * p[first].max(f64::MIN_POSITIVE).ln();
        if chi_square_upper(sum, p.len() - first) <= level {
            found = found.max(first as u32 + 1);
        }
    }
    found
}

/// The q values of Benjamini and Hochberg: the least rate of false discoveries at which each is found. Those that are
/// NaN do not take part.
pub(super) fn false_discovery(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&k| !p[k].is_nan()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut q = vec![f64::NAN; p.len()];
    let mut least = 1.0_f64;
    for (rank, &k) in order.iter().enumerate().rev() {
        least = least.min(p[k] * order.len() as f64 / (rank + 1) as f64);
        q[k] = least;
    }
    q
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Values of SciPy 1.17.1: `stats.t.sf`, `stats.chi2.sf`, `special.gammaln`.
    #[test]
    fn tails_are_those_of_scipy() {
        let t = [
            (0.5, 1.0, 0.352_416_382_349_566_74),
            (-1.3, 2.5, 0.849_756_605_364_645_8),
            (1.66, 114.0, 0.049_831_408_713_199_306),
            (2.36, 9.0, 0.021_300_684_727_473_665),
            (7.5, 33.0, 6.339_241_040_224_9e-9),
            (25.0, 120.0, 1.045_611_464_616_865_9e-49),
            (40.0, 700.0, 2.730_932_868_304_960_3e-183),
            (1e-8, 5.0, 0.499_999_996_203_933_1),
            (3.0, 1e6, 0.001_349_931_270_710_9),
        ];
        for (t, df, expected) in t {
            let found = t_upper(t, df);
            assert!((found / expected - 1.0).abs() < 1e-9, "{t} {df}: {found}");
        }
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY].map(|t| t_upper(t, 5.0)), [0.0, 1.0]);
        assert!(t_upper(f64::NAN, 5.0).is_nan());
        let chi_square = [
            (0.1, 1, 0.951_229_424_500_714),
            (3.0, 2, 0.557_825_400_371_074_8),
            (12.9, 3, 0.044_651_726_919_509_06),
            (80.0, 6, 4.127_308_729_731_743e-12),
            (600.0, 40, 1.174_988_522_805_37e-80),
        ];
        for (x, half, expected) in chi_square {
            assert!((chi_square_upper(x, half) / expected - 1.0).abs() < 1e-12);
        }
        let ln_gammas = [
            (0.5, 0.572_364_942_924_7),
            (1.0, 0.0),
            (3.3, 0.987_098_577_894_734_3),
            (150.5, 602.513_954_870_585_3),
        ];
        for (x, expected) in ln_gammas {
            assert!((ln_gamma(x) - expected).abs() < 1e-13 * (1.0 + expected), "{x}");
        }
    }

    #[test]
    fn discoveries_are_those_counted_one_by_one() {
        let found = false_discovery(&[0.01, 0.04, 0.03, f64::NAN, 0.2, 0.9, 0.0005]);
        for (found, expected) in found.iter().zip([0.03, 0.06, 0.06, f64::NAN, 0.24, 0.9, 0.003]) {
            assert!((found - expected).abs() < 1e-15 || found.is_nan() && expected.is_nan());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..50 {
            let p: Vec<f64> = (0..30).map(|_| rng.random_range(0.0..1.0_f64).powi(3)).collect();
            let q = false_discovery(&p);
            for (p_own, q_own) in p.iter().zip(&q) {
                // The least of p' m / (how many are at most p') over all p' from p on.
                let rate = |other: f64| other * 30.0 / p.iter().filter(|p| **p <= other).count() as f64;
                let least = p
                    .iter()
                    .filter(|other| *other >= p_own)
                    .fold(1.0_f64, |least, p| least.min(rate(*p)));
                assert!((least - q_own).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn conjunctions_are_those_of_every_subset() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..200 {
            let p: Vec<f64> = (0..6).map(|_| rng.random_range(0.0..1.0_f64).powi(4)).collect();
            // "At least u" if Fisher's test refuses for every choice of 6 − u + 1 of them: none may hold.
            let refused = |u: usize| {
                (0_u32..64)
                    .filter(|set| set.count_ones() as usize == 6 - u + 1)
                    .all(|set| {
                        let own = (0..6).filter(|k| set >> k & 1 == 1);
                        let sum: f64 = own.map(|k| -2.0 * p[k].ln()).sum();
                        chi_square_upper(sum, 6 - u + 1) <= 0.05
                    })
            };
            let expected = (1..=6).filter(|&u| refused(u)).max().unwrap_or(0);
            assert_eq!(at_least(&mut p.clone(), 0.05) as usize, expected);
        }
        assert_eq!(at_least(&mut [], 0.05), 0);
        assert_eq!(at_least(&mut [0.0, 1e-300, 1.0], 0.05), 2);
    }
}
