//! Where to begin if the views are alike: one sparse graph for all, from the inverse of their mean covariance.
//!
//! Views that share a consensus have most edges in common, and their mean covariance has as many samples as all together.
//! The negative entries of its inverse (or of its inverse root, where the filter is applied twice) are weights; those that
//! are small against the diagonal are left out. With x the leading eigenvector, positive for an M-matrix, and ε its
//! eigenvalue in the inverse, the diagonal is such that M x = ε x: M is then an M-matrix, and right about the direction
//! that varies most. At last M is scaled to its best size.

use faer::{Mat, Side};

use super::super::matrices::{add_inline, lower_product, mirror};
use super::super::problem::{Filter, Point, Problem, Signs, trace_term};
use crate::edges::ViewMatrix;

/// Weights below this share of the diagonal are left out.
const SMALLEST: f64 = 0.05;
/// Eigenvalues are raised by this share of the mean of all but the largest.
const RIDGE: f64 = 0.01;

/// None unless the views share a consensus, all nodes, and a leading eigenvector without changes of sign.
pub(super) fn pooled(problem: &Problem) -> Option<Point> {
    let n = problem.views.first()?.n_nodes();
    let has_all = problem.views.iter().all(|view| view.places.len() == view.n_nodes());
    if problem.signs == Signs::Both || !problem.is_coupled() || !has_all || n < 2 {
        return None;
    }
    let mean = mean_covariance(problem, n);
    let (inverse, top, least) = inverse_power(&mean, problem.filter)?;
    let mut point = Point {
        weights: ViewMatrix::zeros(problem.n_edges(), problem.n_views()),
        diagonals: Vec::new(),
        consensus: vec![0.0; problem.n_edges()],
    };
    let mut matrix = Mat::zeros(n, n);
    for a in 0..n {
        matrix[(a, a)] = least;
    }
    for (&[a, b], consensus) in problem.edges.iter().zip(&mut point.consensus) {
        let (a, b) = (a as usize, b as usize);
        let weight = -inverse[(a, b)];
        if weight > SMALLEST * (inverse[(a, a)] * inverse[(b, b)]).sqrt() {
            *consensus = weight;
            matrix[(a, b)] = -weight;
            matrix[(b, a)] = -weight;
            matrix[(a, a)] += weight * top[b] / top[a];
            matrix[(b, b)] += weight * top[a] / top[b];
        }
    }
    let trace = trace_term(problem.filter, &matrix, &mean).0;
    let scale = (n as f64 / (trace * problem.filter.order() as f64)).powf(1.0 / problem.filter.order() as f64);
    let diagonal: Vec<f64> = (0..n).map(|a| scale * matrix[(a, a)]).collect();
    point.diagonals = vec![diagonal; problem.n_views()];
    for e in 0..problem.n_edges() {
        let weight = scale * point.consensus[e];
        point.consensus[e] = if problem.charges.gamma[e].is_finite() {
            weight
        } else {
            0.0
        };
        for view in 0..problem.n_views() {
            if problem.movable(e, view).is_some() {
                point.weights.row_mut(e)[view] = weight;
            }
        }
    }
    Some(point)
}

fn mean_covariance(problem: &Problem, n: usize) -> Mat<f64> {
    let total: f64 = problem.views.iter().map(|view| view.weight).sum();
    let mut mean = Mat::zeros(n, n);
    for view in problem.views.iter() {
        for b in 0..n {
            let column = view.covariance.col_as_slice(b);
            add_inline(mean.col_as_slice_mut(b), view.weight / total, column);
        }
    }
    mean
}

/// C^(−1/q), the leading eigenvector of C, which must be positive, and its eigenvalue in the former.
fn inverse_power(covariance: &Mat<f64>, filter: Filter) -> Option<(Mat<f64>, Vec<f64>, f64)> {
    let n = covariance.nrows();
    let eigen = covariance.self_adjoint_eigen(Side::Lower).ok()?;
    let (vectors, values) = (eigen.U(), eigen.S());
    let sign = vectors[(0, n - 1)].signum();
    let top: Vec<f64> = (0..n).map(|a| sign * vectors[(a, n - 1)]).collect();
    if top.iter().any(|&x| x.is_nan() || x <= 0.0) {
        return None;
    }
    let ridge = RIDGE * (0..n - 1).map(|k| values[k].max(0.0)).sum::<f64>() / (n - 1) as f64;
    let power = |value: f64| (value.max(0.0) + ridge).powf(-1.0 / filter.order() as f64);
    let mut scaled = vectors.to_owned();
    for k in 0..n {
        let factor = power(values[k]);
        scaled.col_as_slice_mut(k).iter_mut().for_each(|x| *x *= factor);
    }
    let mut inverse = Mat::zeros(n, n);
    lower_product(&mut inverse, &scaled, &vectors.transpose().to_owned());
    mirror(&mut inverse);
    Some((inverse, top, power(values[n - 1])))
}
