//! Symmetric matrices, row after row in a slice, and the few operations that the solver and the certificate need.
//!
//! Everything is copied into faer's own storage, whose alignment never varies, and runs on the calling thread: the same
//! bits for any number of threads.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par, Side};

/// A symmetric matrix from its lower triangle.
pub(super) fn symmetric(n: usize, entry: impl Fn(usize, usize) -> f64) -> Mat<f64> {
    let mut matrix = Mat::zeros(n, n);
    for column in 0..n {
        for row in column..n {
            matrix[(row, column)] = entry(row, column);
        }
    }
    matrix
}

/// log det of a symmetric matrix, of which the lower triangle is read; none unless it is positive definite.
pub(super) fn log_det(matrix: &Mat<f64>) -> Option<f64> {
    let factor = matrix.llt(Side::Lower).ok()?;
    let lower = factor.L();
    let log = (0..matrix.nrows()).map(|k| lower[(k, k)].ln()).sum::<f64>();
    log.is_finite().then_some(2.0 * log)
}

/// Q f(Λ) Qᵀ for f > 0, of which the lower triangle is filled; none if the decomposition fails.
pub(super) fn map_eigenvalues(matrix: &Mat<f64>, f: impl Fn(f64) -> f64) -> Option<Mat<f64>> {
    let n = matrix.nrows();
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let (vectors, values) = (eigen.U(), eigen.S());
    let mut scaled = vectors.to_owned();
    for k in 0..n {
        let factor = f(values[k]).sqrt();
        if !factor.is_finite() {
            return None;
        }
        for x in scaled.col_mut(k).iter_mut() {
            *x *= factor;
        }
    }
    Some(squared(scaled.as_ref(), 1.0))
}

/// factor · M Mᵀ, of which the lower triangle is filled.
pub(super) fn squared(matrix: MatRef<'_, f64>, factor: f64) -> Mat<f64> {
    let mut product = Mat::zeros(matrix.nrows(), matrix.nrows());
    matmul(
        product.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        matrix,
        BlockStructure::Rectangular,
        matrix.transpose(),
        BlockStructure::Rectangular,
        factor,
        Par::Seq,
    );
    product
}

/// All entries, row after row, of a matrix of which the lower triangle is filled.
pub(super) fn mirrored(lower: &Mat<f64>) -> Vec<f64> {
    let n = lower.nrows();
    let row = |i: usize| (0..n).map(move |j| lower[(i.max(j), i.min(j))]);
    (0..n).flat_map(row).collect()
}
