//! Dense symmetric matrices: products with sparse ones, factors and inverses.
//!
//! Every operation runs on the calling thread, on memory whose alignment never varies, with sums in a fixed order: the
//! same bits for any number of threads.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::solvers::{DenseSolveCore, Llt, Solve};
use faer::{Accum, ColMut, Mat, Par, Side};

use crate::parallel::simd::vectorised;

/// So many sums run side by side.
const SUMS: usize = 16;

/// Σ x y, in an order that depends on nothing but the length.
#[inline(always)]
pub(super) fn dot_inline(x: &[f64], y: &[f64]) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<SUMS>(), y.as_chunks::<SUMS>());
    let mut sums = [0.0; SUMS];
    for (x, y) in x.iter().zip(y) {
        for lane in 0..SUMS {
            sums[lane] += x[lane] * y[lane];
        }
    }
    for lane in 0..x_rest.len().min(y_rest.len()) {
        sums[lane] += x_rest[lane] * y_rest[lane];
    }
    let mut half = SUMS / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

/// y += factor · x.
#[inline(always)]
pub(super) fn add_inline(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

/// Σ x y.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || dot_inline(x, y),
    )
}

/// `product` = A B for a symmetric B of which few entries are not zero.
pub(super) fn sparse_product(product: &mut Mat<f64>, a: &Mat<f64>, b: &Mat<f64>) {
    vectorised(
        #[inline(always)]
        || {
            for k in 0..b.ncols() {
                let out = product.col_as_slice_mut(k);
                out.fill(0.0);
                for (j, &factor) in b.col_as_slice(k).iter().enumerate() {
                    if factor != 0.0 {
                        add_inline(out, factor, a.col_as_slice(j));
                    }
                }
            }
        },
    );
}

/// (AB + BA)/2 of two symmetric matrices, few entries of B being not zero.
pub(super) fn symmetric_product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut product = Mat::zeros(a.nrows(), a.nrows());
    sparse_product(&mut product, a, b);
    symmetrise(&mut product);
    product
}

/// Replaces a matrix by the mean of itself and its transpose.
pub(super) fn symmetrise(matrix: &mut Mat<f64>) {
    for b in 0..matrix.ncols() {
        for a in 0..b {
            let mean = 0.5 * (matrix[(a, b)] + matrix[(b, a)]);
            matrix[(a, b)] = mean;
            matrix[(b, a)] = mean;
        }
    }
}

/// Fills the upper triangle from the lower.
pub(super) fn mirror(matrix: &mut Mat<f64>) {
    for b in 0..matrix.ncols() {
        for a in 0..b {
            matrix[(a, b)] = matrix[(b, a)];
        }
    }
}

/// The lower triangle of A B, of a product that is symmetric.
pub(super) fn lower_product(product: &mut Mat<f64>, a: &Mat<f64>, b: &Mat<f64>) {
    matmul(
        product.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        a.as_ref(),
        BlockStructure::Rectangular,
        b.as_ref(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// A Cholesky factor.
pub(super) struct Factor(Llt<f64>);

impl Factor {
    /// Of a symmetric matrix, whose lower triangle is read; none unless it is positive definite.
    pub(super) fn of(matrix: &Mat<f64>) -> Option<Self> {
        let factor = matrix.llt(Side::Lower).ok()?;
        let lower = factor.L();
        (0..matrix.nrows())
            .all(|k| lower[(k, k)].is_finite() && lower[(k, k)] > 0.0)
            .then(|| Self(factor))
    }

    pub(super) fn log_det(&self) -> f64 {
        let lower = self.0.L();
        2.0 * (0..lower.nrows()).map(|k| lower[(k, k)].ln()).sum::<f64>()
    }

    pub(super) fn inverse(&self) -> Mat<f64> {
        let mut inverse = self.0.inverse();
        mirror(&mut inverse);
        inverse
    }

    pub(super) fn solve(&self, right: &mut [f64]) {
        self.0.solve_in_place(ColMut::from_slice_mut(right).as_mat_mut());
    }

    pub(super) fn lower(&self) -> faer::MatRef<'_, f64> {
        self.0.L()
    }
}
