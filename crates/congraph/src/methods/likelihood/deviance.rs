//! How well precision matrices explain data, in one currency for all models.
//!
//! Twice the negative log-likelihood of a sample, without constants, is tr(S Θ) − log det Θ. Data that lack a direction u
//! (an average reference) say nothing of the variance that a model has along it; they are then judged by what they have,
//! the projection on the rest, whose covariance under the model is P Θ⁻¹ P with P = I − uuᵀ:
//!
//! ```text
//! tr(S Θ) − (uᵀΘ S Θu) / (uᵀΘu)  −  log det Θ  −  (−log uᵀΘu)
//! ```

use faer::Mat;

use super::data::Data;
use super::matrices::{Factor, dot};
use super::problem::{Filter, Point, Problem};

/// tr(S Θ) − log det Θ along the directions that data have; infinite unless Θ is positive definite. Matrices are
/// symmetric, row after row; `lacks_mean` says whether data lack the mean of all nodes.
///
/// ```
/// use congraph::methods::likelihood::deviance;
///
/// let independent = [1.0, 0.0, 0.0, 1.0];
/// assert_eq!(deviance(2, &[1.0, 0.5, 0.5, 1.0], &independent, false), 2.0);
/// ```
///
/// # Panics
/// If a matrix does not have n² entries.
pub fn deviance(n: usize, covariance: &[f64], precision: &[f64], lacks_mean: bool) -> f64 {
    assert!(covariance.len() == n * n && precision.len() == n * n, "n² entries");
    let [covariance, precision] = [covariance, precision].map(|values| Mat::from_fn(n, n, |a, b| values[a * n + b]));
    of_matrices(&covariance, &precision, lacks_mean)
}

fn of_matrices(covariance: &Mat<f64>, precision: &Mat<f64>, lacks_mean: bool) -> f64 {
    let n = covariance.nrows();
    let Some(factor) = Factor::of(precision) else {
        return f64::INFINITY;
    };
    let trace: f64 = (0..n)
        .map(|k| dot(covariance.col_as_slice(k), precision.col_as_slice(k)))
        .sum();
    let whole = trace - factor.log_det();
    if !lacks_mean {
        return whole;
    }
    let root = (n as f64).sqrt();
    let along: Vec<f64> = (0..n)
        .map(|k| precision.col_as_slice(k).iter().sum::<f64>() / root)
        .collect();
    let variance = along.iter().sum::<f64>() / root;
    let moved: f64 = (0..n).map(|k| along[k] * dot(covariance.col_as_slice(k), &along)).sum();
    whole - moved / variance + variance.ln()
}

/// Σ_i p_i · deviance of the data in `plain` units under a solution in the units of `data`, whose nodes may be scaled by
/// other numbers.
pub(super) fn of_point(problem: &Problem, point: &Point, data: &Data, plain: &Data, lacks_mean: bool) -> f64 {
    let of_view = |view: usize| {
        let matrix = problem.matrix(view, point);
        let mut precision = match problem.filter {
            Filter::Once => matrix,
            Filter::Twice => &matrix * &matrix,
        };
        let (own, theirs) = (&data.terms[view].covariance, &plain.terms[view].covariance);
        let n = own.nrows();
        if data.scale != plain.scale {
            // z-scored signals are those of `plain` over their standard deviations.
            let sizes: Vec<f64> = (0..n).map(|a| theirs[(a, a)].sqrt()).collect();
            for b in 0..n {
                for a in 0..n {
                    precision[(a, b)] /= sizes[a] * sizes[b];
                }
            }
        }
        data.samples[view] * of_matrices(theirs, &precision, lacks_mean)
    };
    (0..problem.n_views()).map(of_view).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_data_lack_is_not_judged() {
        // Two precisions that differ along the mean alone explain data without it equally well.
        let n = 4;
        let at = |a: usize, b: usize| if a == b { 0.75 } else { -0.25 };
        let covariance: Vec<f64> = (0..n * n).map(|k| at(k / n, k % n)).collect();
        let of = |along: f64| {
            let entry = |k: usize| 2.0 * at(k / n, k % n) + along * 0.25;
            let precision: Vec<f64> = (0..n * n).map(entry).collect();
            deviance(n, &covariance, &precision, true)
        };
        // By hand: three directions of variance 1 under a model with precision 2.
        let expected = 3.0 * (2.0 - 2.0_f64.ln());
        assert!((of(1.0) - expected).abs() < 1e-12 && (of(1e-3) - expected).abs() < 1e-9);
    }
}
