//! The second moments of a view without the signal that all nodes share, and without some of its samples.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::solvers::DenseSolveCore;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, MatRef, Par, Side};

use crate::chance::{before_reference, sum_to_zero};
use crate::views::View;

/// The samples of a view at some nodes, around their means, and their second moments.
pub(super) struct Moments {
    /// One column per sample, around the means of the nodes; the mean over the nodes is gone unless `zscored`.
    samples: Mat<f64>,
    /// Whether every node is to be divided by its standard deviation, anew for whichever samples are left.
    zscored: bool,
    /// Whether the nodes sum to 0 as they were measured.
    referenced: bool,
    /// Σ y yᵀ over all samples.
    sums: Mat<f64>,
}

impl Moments {
    pub(super) fn of(view: &View, nodes: &[usize], zscored: bool) -> Self {
        let n_samples = view.node(0).len();
        let mut samples = Mat::zeros(nodes.len(), n_samples);
        let largest = |nodes: &[usize]| {
            let values = nodes.iter().flat_map(|&node| view.node(node));
            values.fold(f64::MIN_POSITIVE, |largest: f64, x| largest.max(x.abs()))
        };
        let of_all = largest(nodes);
        let signals: Vec<&[f64]> = nodes.iter().map(|&node| view.node(node)).collect();
        let referenced = zscored && sum_to_zero(&signals).is_some();
        for (row, &node) in nodes.iter().enumerate() {
            let signal = view.node(node);
            // Large or small values would overflow when squared; no unit is left in the end.
            let unit = if zscored && !referenced {
                largest(&[node])
            } else {
                of_all
            };
            let mean = signal.iter().map(|x| x / unit).sum::<f64>() / n_samples as f64;
            for (sample, x) in signal.iter().enumerate() {
                samples[(row, sample)] = x / unit - mean;
            }
        }
        if !zscored {
            for sample in 0..n_samples {
                let column = samples.col_as_slice_mut(sample);
                let mean = column.iter().sum::<f64>() / column.len() as f64;
                column.iter_mut().for_each(|x| *x -= mean);
            }
        }
        let sums = outer(samples.as_ref());
        Self {
            samples,
            zscored,
            referenced,
            sums,
        }
    }

    /// The standard deviations of the nodes over the root of their mean square.
    pub(super) fn relative_spreads(view: &View, nodes: &[usize]) -> Vec<f64> {
        let variance = |&node: &usize| {
            let signal = view.node(node);
            let mean = signal.iter().sum::<f64>() / signal.len() as f64;
            signal.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / signal.len() as f64
        };
        let variances: Vec<f64> = nodes.iter().map(variance).collect();
        let mean = variances.iter().sum::<f64>() / variances.len() as f64;
        variances.iter().map(|variance| (variance / mean).sqrt()).collect()
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.samples.nrows()
    }

    /// What is taken from the sums when samples are deleted is U Uᵀ: the samples, and the mean of those that are left,
    /// which is no longer 0.
    fn deleted(&self, samples: &[usize]) -> Mat<f64> {
        let n = self.n_nodes();
        let n_left = self.samples.ncols() - samples.len();
        let mut taken = Mat::zeros(n, samples.len() + 1);
        for (column, &sample) in samples.iter().enumerate() {
            let source = self.samples.col_as_slice(sample);
            taken.col_as_slice_mut(column).copy_from_slice(source);
            let mean = taken.col_as_slice_mut(samples.len());
            mean.iter_mut().zip(source).for_each(|(sum, x)| *sum += x);
        }
        let root = (n_left.max(1) as f64).sqrt();
        taken
            .col_as_slice_mut(samples.len())
            .iter_mut()
            .for_each(|x| *x /= root);
        taken
    }

    /// The covariance of what is left without some samples, over its trace: no unit, no constant signal.
    pub(super) fn without(&self, samples: &[usize]) -> Mat<f64> {
        let mut sums = self.sums.clone();
        if !samples.is_empty() {
            let taken = self.deleted(samples);
            add_outer(&mut sums, taken.as_ref(), -1.0);
        }
        if self.referenced {
            unreference(&mut sums);
        }
        if self.zscored {
            let roots: Vec<f64> = (0..sums.nrows()).map(|a| sums[(a, a)].sqrt()).collect();
            for b in 0..sums.ncols() {
                for (a, value) in sums.col_as_slice_mut(b).iter_mut().enumerate() {
                    *value /= roots[a] * roots[b];
                }
            }
            reference(&mut sums);
        }
        let trace = trace(&sums);
        sums *= faer::Scale(1.0 / trace);
        sums
    }

    /// The trace that is left, and what is taken, where a deletion changes little else.
    fn low_rank(&self, samples: &[usize]) -> Option<(f64, Mat<f64>)> {
        // Beyond that, another inverse is as fast.
        if self.zscored || 3 * (samples.len() + 1) > self.n_nodes() {
            return None;
        }
        let taken = self.deleted(samples);
        let loss: f64 = (0..taken.ncols())
            .flat_map(|k| taken.col_as_slice(k))
            .map(|x| x * x)
            .sum();
        Some((trace(&self.sums) - loss, taken))
    }
}

/// The mean of several covariances, all but for one known, and its inverse without some of the samples of that one.
pub(super) struct Deletions<'a> {
    moments: &'a Moments,
    /// Σ over the other views of their share of the mean.
    others: Mat<f64>,
    /// The share of this view: one over the number of views.
    share: f64,
    /// Where the series starts: the trace of all samples over that of those left, in the mean.
    centre: f64,
    /// M, M Ĉ M, M Ĉ M Ĉ M, …: the inverse at `centre` and the terms of its series.
    series: Vec<Mat<f64>>,
}

/// So many terms at most; where the series needs more, the inverse is computed anew.
const TERMS: usize = 8;
/// What may be left out of the series.
const PRECISION: f64 = 1e-15;

impl<'a> Deletions<'a> {
    /// `mean` is that of `n_views` covariances, this view's among them; `units` are what will be deleted.
    pub(super) fn new(moments: &'a Moments, mean: &Mat<f64>, n_views: usize, units: &[Vec<usize>]) -> Self {
        let share = 1.0 / n_views as f64;
        let own = moments.without(&[]);
        let others = mean - &own * faer::Scale(share);
        let whole = trace(&moments.sums);
        let ratios = units.iter().filter_map(|unit| Some(whole / moments.low_rank(unit)?.0));
        let (sum, count) = ratios.fold((0.0, 0), |(sum, count), ratio| (sum + ratio, count + 1));
        let mut deletions = Self {
            moments,
            others,
            share,
            centre: sum / f64::from(count.max(1)),
            series: Vec::new(),
        };
        if count > 0 && deletions.centre.is_finite() {
            let start = &deletions.others + &own * faer::Scale(share * deletions.centre);
            if let Some(inverse) = inverse(&start) {
                let step = product(own.as_ref(), inverse.as_ref());
                deletions.series.push(inverse);
                for term in 1..TERMS {
                    deletions
                        .series
                        .push(product(deletions.series[term - 1].as_ref(), step.as_ref()));
                }
            }
        }
        deletions
    }

    /// The precision without a unit; none where too little is left to have one.
    pub(super) fn precision(&self, unit: &[usize]) -> Option<Mat<f64>> {
        self.updated(unit).or_else(|| self.inverted(unit))
    }

    /// By inverting what is left.
    fn inverted(&self, unit: &[usize]) -> Option<Mat<f64>> {
        inverse(&(&self.others + self.moments.without(unit) * faer::Scale(self.share)))
    }

    /// By Woodbury's formula. What is left is (others + share θ Ĉ) − (share θ / tr) U Uᵀ with θ, the trace before over
    /// that after, near its centre: a series in θ gives the inverse of the first part, r columns the second.
    fn updated(&self, unit: &[usize]) -> Option<Mat<f64>> {
        if self.series.is_empty() {
            return None;
        }
        let (left, taken) = self.moments.low_rank(unit)?;
        let whole = trace(&self.moments.sums);
        let step = whole / left - self.centre;
        // The share of this view in the whole is 1/θ at most: the terms fall at least like powers of the step.
        let n_terms = (PRECISION.ln() / step.abs().ln()).ceil().max(1.0);
        if !(step.abs() < 0.5 && n_terms < TERMS as f64) {
            return None;
        }
        let mut precision = self.series[0].clone();
        let mut factor = 1.0;
        for term in &self.series[1..=n_terms as usize] {
            factor *= -self.share * step;
            precision += term * faer::Scale(factor);
        }
        let reach = product(precision.as_ref(), taken.as_ref());
        let mut core = product(taken.transpose(), reach.as_ref()) * faer::Scale(-1.0);
        for k in 0..core.ncols() {
            core[(k, k)] += left / self.share;
        }
        let factor = core.llt(Side::Lower).ok()?;
        let mut solved = reach.transpose().to_owned();
        solve_lower_triangular_in_place(factor.L(), solved.as_mut(), Par::Seq);
        add_outer(&mut precision, solved.transpose(), 1.0);
        Some(precision)
    }
}

/// The inverse on the space of signals that sum to 0, for covariances with a trace of 1 or so.
pub(super) fn inverse(covariance: &Mat<f64>) -> Option<Mat<f64>> {
    let n = covariance.nrows();
    // With the weight 1/n along the constant signal, which is taken off again, the inverse exists: the space of the
    // other signals does not notice.
    let weight = 1.0 / n as f64;
    let mut filled = covariance.clone();
    shift(&mut filled, weight / n as f64);
    let factor = filled.llt(Side::Lower).ok()?;
    if !(0..n).all(|k| factor.L()[(k, k)].is_finite() && factor.L()[(k, k)] > 0.0) {
        return None;
    }
    let mut inverse = factor.inverse();
    shift(&mut inverse, -1.0 / (weight * n as f64));
    for b in 0..n {
        for a in 0..b {
            inverse[(a, b)] = inverse[(b, a)];
        }
    }
    Some(inverse)
}

/// The least eigenvalue on the space of signals that sum to 0, over the mean one there.
pub(super) fn conditioning(covariance: &Mat<f64>) -> f64 {
    let n = covariance.nrows();
    let mut filled = covariance.clone();
    let mean = trace(covariance) / (n - 1) as f64;
    shift(&mut filled, mean / n as f64);
    match filled.self_adjoint_eigenvalues(Side::Lower) {
        Ok(values) => values.first().copied().unwrap_or(0.0) / mean,
        Err(_) => 0.0,
    }
}

fn shift(matrix: &mut Mat<f64>, by: f64) {
    for column in 0..matrix.ncols() {
        matrix.col_as_slice_mut(column).iter_mut().for_each(|x| *x += by);
    }
}

/// Node variances below this share of their mean are not believed: a reference leaves less of some than there was.
const LEAST_BEFORE: f64 = 0.02;

/// What the moments would be without the average reference, if the nodes were unrelated: then z-scored nodes are
/// unrelated, too, where those of a reference are not, and differently so in each view.
///
/// With s_a the variance that a node had before ([`crate::chance`] has the same) the mean that was taken out is, given
/// what is left of the signals, −Σ k_a x_a with k_a = (1/s_a)/Σ 1/s_a, give or take a variance of 1/Σ 1/s_a. Whatever the
/// nodes are, that is another reference, and some of the signal that all share, which is taken out again.
fn unreference(sums: &mut Mat<f64>) {
    let n = sums.nrows();
    let size = n as f64;
    let mean = trace(sums) / (size - 1.0);
    let before = |a: usize| before_reference(sums[(a, a)], mean, size).max(LEAST_BEFORE * mean);
    let mut weights: Vec<f64> = (0..n).map(|a| 1.0 / before(a)).collect();
    let all: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= all);
    let pulls: Vec<f64> = (0..n)
        .map(|b| sums.col_as_slice(b).iter().zip(&weights).map(|(x, k)| x * k).sum())
        .collect();
    let common = pulls.iter().zip(&weights).map(|(pull, k)| pull * k).sum::<f64>() + 1.0 / all;
    for b in 0..n {
        let column = sums.col_as_slice_mut(b);
        column
            .iter_mut()
            .zip(&pulls)
            .for_each(|(x, pull)| *x += common - pull - pulls[b]);
    }
}

/// P C P for P = I − 11ᵀ/n: without the constant signal.
fn reference(matrix: &mut Mat<f64>) {
    let n = matrix.nrows() as f64;
    let means: Vec<f64> = (0..matrix.ncols())
        .map(|b| matrix.col_as_slice(b).iter().sum::<f64>() / n)
        .collect();
    let mean = means.iter().sum::<f64>() / n;
    for b in 0..matrix.ncols() {
        let column = matrix.col_as_slice_mut(b);
        column
            .iter_mut()
            .zip(&means)
            .for_each(|(x, of_row)| *x += mean - of_row - means[b]);
    }
}

fn trace(matrix: &Mat<f64>) -> f64 {
    (0..matrix.nrows()).map(|a| matrix[(a, a)]).sum()
}

fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(left.nrows(), right.ncols());
    matmul(product.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
    product
}

/// Y Yᵀ.
fn outer(factors: MatRef<'_, f64>) -> Mat<f64> {
    let mut sums = Mat::zeros(factors.nrows(), factors.nrows());
    add_outer(&mut sums, factors, 1.0);
    sums
}

/// Adds `scale` · Y Yᵀ to a symmetric matrix.
fn add_outer(matrix: &mut Mat<f64>, factors: MatRef<'_, f64>, scale: f64) {
    triangular::matmul(
        matrix.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        factors,
        BlockStructure::Rectangular,
        factors.transpose(),
        BlockStructure::Rectangular,
        scale,
        Par::Seq,
    );
    for b in 0..matrix.ncols() {
        for a in 0..b {
            matrix[(a, b)] = matrix[(b, a)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P D² P is what an average reference leaves of unrelated nodes.
    #[test]
    fn of_unrelated_nodes_the_reference_is_undone() {
        let before: Vec<f64> = (0..12).map(|k| 1.0 + f64::from(k * k % 17)).collect();
        let mut sums = Mat::from_fn(12, 12, |a, b| if a == b { before[a] } else { 0.0 });
        let whole = sums.clone();
        reference(&mut sums);
        assert!(sums[(0, 1)] != 0.0 && sums.col_as_slice(3).iter().sum::<f64>().abs() < 1e-12);
        unreference(&mut sums);
        for b in 0..12 {
            for a in 0..12 {
                assert!((sums[(a, b)] - whole[(a, b)]).abs() < 1e-12, "{a} {b}");
            }
        }
    }

    /// Of any nodes it is another reference and some of the constant signal: what sums to 0 is not touched but for that.
    #[test]
    fn of_related_nodes_it_is_another_reference() {
        let root = Mat::from_fn(7, 20, |a, k| ((3 * a + 5 * k * k + a * k) % 11) as f64 - 5.0);
        let mut sums = outer(root.as_ref());
        reference(&mut sums);
        let referenced = sums.clone();
        unreference(&mut sums);
        assert!(sums.self_adjoint_eigenvalues(Side::Lower).unwrap()[0] > -1e-9);
        reference(&mut sums);
        assert!((0..7).all(|b| (0..7).all(|a| (sums[(a, b)] - referenced[(a, b)]).abs() < 1e-9)));
    }
}
