//! Where to begin: the M-matrix of single linkage.
//!
//! With r the correlations of S (or of its square root, where the filter is applied twice), let U_ab be the largest r
//! such that a and b are joined by a chain of pairs that are at least as correlated. U is ultrametric, so that its
//! inverse is an M-matrix.

use faer::{Mat, Side};
use rayon::prelude::*;

use super::super::coupling::Coupling;
use super::super::matrices::{Factor, lower_product, mirror};
use super::super::problem::{Filter, Point, Problem, Signs, Tie, ViewTerm, trace_term};
use super::bundle::best_consensus;
use crate::edges::ViewMatrix;

/// Correlations are this share of what they are, and never above [`MOST`];
const SHRUNK: f64 = 0.9;
/// and this one where all are strong, on average above [`LIFTED`], as in data that were lifted, with a filter that is
/// applied once.
const SHRUNK_LIFTED: f64 = 0.97;
const LIFTED: f64 = 0.5;
const MOST: f64 = 0.999;

pub(super) fn cold(problem: &Problem) -> Point {
    let n_views = problem.n_views();
    let matrices: Vec<Option<Mat<f64>>> = (0..n_views)
        .into_par_iter()
        .map(|view| linkage(problem, view))
        .collect();
    let mut weights = ViewMatrix::zeros(problem.n_edges(), n_views);
    let mut diagonals = Vec::with_capacity(n_views);
    for (view, matrix) in matrices.iter().enumerate() {
        let term = &problem.views[view];
        diagonals.push(
            (0..term.n_nodes())
                .map(|a| diagonal(problem, view, matrix.as_ref(), a))
                .collect(),
        );
        let Some(matrix) = matrix else { continue };
        for (e, row) in weights.rows_mut().enumerate() {
            if let Some((a, b)) = problem.movable(e, view) {
                row[view] = (-matrix[(a, b)]).max(0.0);
            }
        }
    }
    let consensus = consensus(problem, &weights);
    Point {
        weights,
        diagonals,
        consensus,
    }
}

/// Without a matrix to start from, the best diagonal of a graph without edges.
fn diagonal(problem: &Problem, view: usize, matrix: Option<&Mat<f64>>, a: usize) -> f64 {
    matrix.map_or_else(
        || {
            let variance = problem.views[view].covariance[(a, a)];
            match problem.filter {
                Filter::Once => 1.0 / variance,
                Filter::Twice => 1.0 / variance.sqrt(),
            }
        },
        |matrix| matrix[(a, a)],
    )
}

/// The medians of the weights, over the views that have the edge.
fn consensus(problem: &Problem, weights: &ViewMatrix) -> Vec<f64> {
    if let Tie::Frozen(consensus) = &problem.tie {
        return consensus.clone();
    }
    let mut row = Vec::new();
    let mut median = |(edge, weights): (&[u32; 2], &[f64])| {
        row.clear();
        let views = problem.views.iter().zip(weights);
        row.extend(
            views
                .filter(|(view, _)| view.ends(*edge).is_some())
                .map(|(_, &weight)| weight),
        );
        row.sort_unstable_by(f64::total_cmp);
        match row.len() {
            0 => 0.0,
            n if n % 2 == 1 => row[n / 2],
            n => 0.5 * (row[n / 2 - 1] + row[n / 2]),
        }
    };
    if !problem.is_coupled() {
        return vec![0.0; problem.n_edges()];
    }
    let mut medians: Vec<f64> = problem.edges.iter().zip(weights.rows()).map(&mut median).collect();
    if problem.coupling() != Coupling::L1 {
        for (e, median) in medians
            .iter_mut()
            .enumerate()
            .filter(|(e, _)| problem.charges.beta[*e] > 0.0)
        {
            *median = best_consensus(problem, e, weights.row(e));
        }
    }
    for (median, gamma) in medians.iter_mut().zip(&problem.charges.gamma) {
        if gamma.is_infinite() {
            *median = 0.0;
        }
    }
    medians
}

/// None for graphs of both signs, which start without edges, and where the matrix cannot be inverted or is worse than no
/// edges. The largest variance is where a start without edges is farthest off: Newton's steps from there are short.
fn linkage(problem: &Problem, view: usize) -> Option<Mat<f64>> {
    if problem.signs == Signs::Both {
        return None;
    }
    let covariance = &problem.views[view].covariance;
    let n = covariance.nrows();
    let root = match problem.filter {
        Filter::Once => None,
        Filter::Twice => Some(square_root(covariance)?),
    };
    let matrix = root.as_ref().unwrap_or(covariance);
    let spread: Vec<f64> = (0..n).map(|a| matrix[(a, a)].max(1e-12).sqrt()).collect();
    let correlation = |a: usize, b: usize| (matrix[(a, b)] / (spread[a] * spread[b])).clamp(0.0, MOST);
    let sum: f64 = (0..n).map(|b| (0..n).map(|a| correlation(a, b)).sum::<f64>()).sum();
    let is_lifted = sum > LIFTED * (n * n) as f64;
    let shrunk = if is_lifted && problem.filter == Filter::Once {
        SHRUNK_LIFTED
    } else {
        SHRUNK
    };
    let factor = Factor::of(&ultrametric(n, |a, b| shrunk * correlation(a, b)))?;
    let (inverse, log_det) = (factor.inverse(), factor.log_det());
    let without = without_edges(problem.filter, covariance);
    if problem.filter == Filter::Once {
        let matrix = scaled(inverse.clone(), &spread);
        let log_spread = 2.0 * spread.iter().map(|d| d.ln()).sum::<f64>();
        let value = trace_term(problem.filter, &matrix, covariance).0 + log_det + log_spread;
        if value <= without {
            return Some(matrix);
        }
    }
    // With the diagonal of the best M without edges, and scaled to its best size.
    let order = problem.filter.order() as f64;
    let sizes: Vec<f64> = (0..n).map(|a| covariance[(a, a)].powf(0.5 / order)).collect();
    let mut matrix = scaled(inverse, &sizes);
    let best = n as f64 / order;
    let scale = (best / trace_term(problem.filter, &matrix, covariance).0).powf(1.0 / order);
    matrix *= faer::Scale(scale);
    let value = best + log_det - sizes.iter().map(|d| (scale / (d * d)).ln()).sum::<f64>();
    (value <= without).then_some(matrix)
}

/// Each entry over the sizes of its row and its column.
fn scaled(mut matrix: Mat<f64>, sizes: &[f64]) -> Mat<f64> {
    for (b, size) in sizes.iter().enumerate() {
        let column = matrix.col_as_slice_mut(b).iter_mut().zip(sizes);
        column.for_each(|(entry, other)| *entry /= other * size);
    }
    matrix
}

/// tr(S M^q)/q − log det M of the best M without edges. Where nodes are of very different sizes, the root of S has little
/// to do with its correlations, and the M-matrix of single linkage can be worse by orders of magnitude.
fn without_edges(filter: Filter, covariance: &Mat<f64>) -> f64 {
    let n = covariance.nrows();
    let order = filter.order() as f64;
    (n as f64 + (0..n).map(|a| covariance[(a, a)].ln()).sum::<f64>()) / order
}

/// The objective of graphs without edges.
pub(super) fn without_edges_in_all(problem: &Problem) -> f64 {
    let of_view = |view: &ViewTerm| view.weight * without_edges(problem.filter, &view.covariance);
    problem.views.iter().map(of_view).sum()
}

/// The largest correlation such that a chain of at least that joins two nodes: along the maximum spanning tree.
fn ultrametric(n: usize, correlation: impl Fn(usize, usize) -> f64) -> Mat<f64> {
    let mut linked = Mat::zeros(n, n);
    let mut nearest: Vec<(f64, usize)> = (0..n)
        .map(|b| (if b == 0 { 0.0 } else { correlation(0, b) }, 0))
        .collect();
    let mut joined = vec![0];
    let mut is_joined = vec![false; n];
    linked[(0, 0)] = 1.0;
    is_joined[0] = true;
    for _ in 1..n {
        let mut next = None;
        for b in (0..n).filter(|&b| !is_joined[b]) {
            if next.is_none_or(|other: usize| nearest[b].0 > nearest[other].0) {
                next = Some(b);
            }
        }
        let Some(b) = next else { break };
        let (near, to) = nearest[b];
        for &c in &joined {
            let link = near.min(linked[(to, c)]);
            linked[(b, c)] = link;
            linked[(c, b)] = link;
        }
        linked[(b, b)] = 1.0;
        is_joined[b] = true;
        joined.push(b);
        for c in (0..n).filter(|&c| !is_joined[c]) {
            let near = correlation(b, c);
            if near > nearest[c].0 {
                nearest[c] = (near, b);
            }
        }
    }
    linked
}

fn square_root(matrix: &Mat<f64>) -> Option<Mat<f64>> {
    let n = matrix.nrows();
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let (vectors, values) = (eigen.U(), eigen.S());
    let mut scaled = vectors.to_owned();
    for k in 0..n {
        let factor = values[k].max(0.0).sqrt();
        scaled.col_as_slice_mut(k).iter_mut().for_each(|x| *x *= factor);
    }
    let transposed = vectors.transpose().to_owned();
    let mut root = Mat::zeros(n, n);
    lower_product(&mut root, &scaled, &transposed);
    mirror(&mut root);
    Some(root)
}
