//! Dense symmetric matrices: products with sparse ones, factors and inverses.
//!
//! Every operation runs on the calling thread, on memory whose alignment never varies, with sums in a fixed order: the
//! same bits for any number of threads.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::solvers::{DenseSolveCore, Llt};
use faer::{Accum, Mat, MatRef, Par, Side};
use pulp::{Simd, WithSimd};

/// So many sums run side by side.
const SUMS: usize = 16;

/// Σ x y, in an order that depends on nothing but the length.
#[inline(always)]
pub(super) fn dot_with<S: Simd>(simd: S, x: &[f64], y: &[f64]) -> f64 {
    // As many vectors as hold the sums.
    match SUMS * size_of::<f64>() / size_of::<S::f64s>() {
        2 => dot_of::<S, 2>(simd, x, y),
        4 => dot_of::<S, 4>(simd, x, y),
        8 => dot_of::<S, 8>(simd, x, y),
        _ => dot_of::<S, SUMS>(simd, x, y),
    }
}

/// With the sums in V vectors. Left to itself, the compiler keeps them in the shortest ones.
#[inline(always)]
fn dot_of<S: Simd, const V: usize>(simd: S, x: &[f64], y: &[f64]) -> f64 {
    dots_of::<S, V, 1>(simd, x, [y])[0]
}

/// Σ x y for several y of the same length: x is read once. The sums are those of [`dot_with`].
#[inline(always)]
pub(super) fn dots_with<S: Simd, const K: usize>(simd: S, x: &[f64], y: [&[f64]; K]) -> [f64; K] {
    match SUMS * size_of::<f64>() / size_of::<S::f64s>() {
        2 => dots_of::<S, 2, K>(simd, x, y),
        4 => dots_of::<S, 4, K>(simd, x, y),
        8 => dots_of::<S, 8, K>(simd, x, y),
        _ => dots_of::<S, SUMS, K>(simd, x, y),
    }
}

#[inline(always)]
fn dots_of<S: Simd, const V: usize, const K: usize>(simd: S, x: &[f64], y: [&[f64]; K]) -> [f64; K] {
    let (x, x_rest) = x.as_chunks::<SUMS>();
    let y = y.map(|y| y.as_chunks::<SUMS>());
    let n_chunks = y.iter().fold(x.len(), |least, y| least.min(y.0.len()));
    let (x, y) = (&x[..n_chunks], y.map(|(y, rest)| (&y[..n_chunks], rest)));
    let mut vectors = [[simd.splat_f64s(0.0); V]; K];
    for chunk in 0..n_chunks {
        let Some(x) = S::as_simd_f64s(&x[chunk]).0.first_chunk::<V>() else {
            continue;
        };
        for k in 0..K {
            if let Some(y) = S::as_simd_f64s(&y[k].0[chunk]).0.first_chunk::<V>() {
                for lane in 0..V {
                    vectors[k][lane] = simd.mul_add_f64s(x[lane], y[lane], vectors[k][lane]);
                }
            }
        }
    }
    let mut dots = [0.0; K];
    for k in 0..K {
        let mut half = V / 2;
        while half > 0 {
            for lane in 0..half {
                vectors[k][lane] = simd.add_f64s(vectors[k][lane], vectors[k][lane + half]);
            }
            half /= 2;
        }
        // What is left is summed apart: single numbers written beside vectors would have to be waited for.
        let rest: f64 = x_rest.iter().zip(y[k].1).map(|(x, y)| x * y).sum();
        dots[k] = sum_of_lanes::<S>(vectors[k][0]) + rest;
    }
    dots
}

/// The sum of the numbers in a vector, halves first.
#[inline(always)]
fn sum_of_lanes<S: Simd>(vector: S::f64s) -> f64 {
    let lanes: &[f64] = bytemuck::cast_slice(std::slice::from_ref(&vector));
    match *lanes {
        [a, b, c, d, e, f, g, h] => ((a + e) + (c + g)) + ((b + f) + (d + h)),
        [a, b, c, d] => (a + c) + (b + d),
        [a, b] => a + b,
        ref lanes => lanes.iter().sum(),
    }
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
    struct Dot<'x>(&'x [f64], &'x [f64]);
    impl WithSimd for Dot<'_> {
        type Output = f64;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f64 {
            dot_with(simd, self.0, self.1)
        }
    }
    pulp::Arch::new().dispatch(Dot(x, y))
}

/// A symmetric matrix of which few entries are not zero: their places and values, one column after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    pub(super) starts: Vec<usize>,
    pub(super) items: Vec<(u32, f64)>,
}

impl Sparse {
    pub(super) fn of(matrix: &Mat<f64>) -> Self {
        let mut sparse = Self::default();
        sparse.starts.push(0);
        for k in 0..matrix.ncols() {
            let column = matrix.col_as_slice(k).iter().enumerate();
            let present = column.filter(|(_, value)| **value != 0.0);
            sparse.items.extend(present.map(|(j, &value)| (j as u32, value)));
            sparse.starts.push(sparse.items.len());
        }
        sparse
    }

    #[inline(always)]
    pub(super) fn column(&self, k: usize) -> &[(u32, f64)] {
        &self.items[self.starts[k]..self.starts[k + 1]]
    }
}

/// `product` = A B for symmetric matrices, few entries of B being not zero.
pub(super) fn sparse_product(product: &mut Mat<f64>, a: &Mat<f64>, b: &Sparse) {
    pulp::Arch::new().dispatch(SparseProduct {
        product,
        a,
        b,
        is_transposed: false,
    });
}

/// `product` = B A, of the same.
pub(super) fn sparse_product_transposed(product: &mut Mat<f64>, a: &Mat<f64>, b: &Sparse) {
    pulp::Arch::new().dispatch(SparseProduct {
        product,
        a,
        b,
        is_transposed: true,
    });
}

/// Sums of so many vectors of numbers stay in registers.
const REGISTERS: usize = 8;
/// So many bytes of a matrix stay in the nearest cache.
const NEAREST_CACHE: usize = 32 << 10;
/// So many columns are turned together: they fill a few lines of the cache, one after the other.
const TURNED: usize = 32;

/// A times the columns of B, a band of rows at a time: what a band sums stays in registers, and the band of A near.
struct SparseProduct<'p> {
    product: &'p mut Mat<f64>,
    a: &'p Mat<f64>,
    b: &'p Sparse,
    is_transposed: bool,
}

impl WithSimd for SparseProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (n, lanes) = (self.a.nrows(), size_of::<S::f64s>() / size_of::<f64>());
        if n < lanes {
            return self.small();
        }
        // A band of a small matrix stays in the nearest cache; one of a large matrix is as wide as the registers allow.
        let near = NEAREST_CACHE / (n * size_of::<S::f64s>());
        let most = if near >= REGISTERS / 2 {
            near.min(REGISTERS)
        } else {
            REGISTERS
        };
        // Bands of one width: a narrow one waits for its own sums.
        let n_bands = n.div_ceil(lanes).div_ceil(most);
        let width = n.div_ceil(lanes).div_ceil(n_bands).min(n / lanes);
        let mut from = 0;
        while from < n {
            let n_vectors = (n - from).div_ceil(lanes).min(width);
            // The last band reaches back to rows that are known already rather than beyond the last.
            from = from.min(n - n_vectors * lanes);
            match n_vectors {
                1 => self.band::<S, 1>(simd, from),
                2 => self.band::<S, 2>(simd, from),
                3 => self.band::<S, 3>(simd, from),
                4 => self.band::<S, 4>(simd, from),
                5 => self.band::<S, 5>(simd, from),
                6 => self.band::<S, 6>(simd, from),
                7 => self.band::<S, 7>(simd, from),
                _ => self.band::<S, REGISTERS>(simd, from),
            }
            from += n_vectors * lanes;
        }
    }
}

impl SparseProduct<'_> {
    /// V vectors of rows.
    #[inline(always)]
    fn band<S: Simd, const V: usize>(&mut self, simd: S, from: usize) {
        let n_rows = V * size_of::<S::f64s>() / size_of::<f64>();
        let n = self.a.ncols();
        // No vector unit has more than eight numbers in a vector.
        let mut turned = [0.0; TURNED * REGISTERS * 8];
        for k in 0..n {
            let mut sums = [simd.splat_f64s(0.0); V];
            for &(j, factor) in self.b.column(k) {
                let rows = &self.a.col_as_slice(j as usize)[from..from + n_rows];
                let factor = simd.splat_f64s(factor);
                if let Some(rows) = S::as_simd_f64s(rows).0.first_chunk::<V>() {
                    for (sum, row) in sums.iter_mut().zip(rows) {
                        *sum = simd.mul_add_f64s(factor, *row, *sum);
                    }
                }
            }
            if !self.is_transposed {
                let out = &mut self.product.col_as_slice_mut(k)[from..from + n_rows];
                S::as_mut_simd_f64s(out).0.copy_from_slice(&sums);
                continue;
            }
            let place = k % TURNED;
            let out = &mut turned[place * n_rows..][..n_rows];
            S::as_mut_simd_f64s(out).0.copy_from_slice(&sums);
            if place == TURNED - 1 || k == n - 1 {
                for row in 0..n_rows {
                    let out = &mut self.product.col_as_slice_mut(from + row)[k - place..=k];
                    for (place, x) in out.iter_mut().enumerate() {
                        *x = turned[place * n_rows + row];
                    }
                }
            }
        }
    }

    /// Of matrices that are smaller than a vector.
    fn small(&mut self) {
        let n = self.a.ncols();
        for k in 0..n {
            for row in 0..n {
                let items = self.b.column(k).iter();
                let sum = items.fold(0.0, |sum, &(j, factor)| sum + factor * self.a[(row, j as usize)]);
                let place = if self.is_transposed { (k, row) } else { (row, k) };
                self.product[place] = sum;
            }
        }
    }
}

/// (AB + BA)/2 of two symmetric matrices, few entries of B being not zero.
pub(super) fn symmetric_product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut product = Mat::zeros(a.nrows(), a.nrows());
    sparse_product(&mut product, a, &Sparse::of(b));
    symmetrise(&mut product);
    product
}

/// Calls for all pairs of entries below and above the diagonal of a matrix, in tiles that stay in the cache.
#[inline(always)]
fn for_tiles(n: usize, mut work: impl FnMut(usize, usize)) {
    const TILE: usize = 16;
    for from_b in (0..n).step_by(TILE) {
        for from_a in (from_b..n).step_by(TILE) {
            for b in from_b..(from_b + TILE).min(n) {
                for a in from_a.max(b + 1)..(from_a + TILE).min(n) {
                    work(a, b);
                }
            }
        }
    }
}

/// Replaces a matrix by the mean of itself and its transpose.
pub(super) fn symmetrise(matrix: &mut Mat<f64>) {
    for_tiles(matrix.ncols(), |a, b| {
        let mean = 0.5 * (matrix[(a, b)] + matrix[(b, a)]);
        matrix[(a, b)] = mean;
        matrix[(b, a)] = mean;
    });
}

/// Fills the upper triangle from the lower.
pub(super) fn mirror(matrix: &mut Mat<f64>) {
    for_tiles(matrix.ncols(), |a, b| matrix[(b, a)] = matrix[(a, b)]);
}

/// Adds the mean of a matrix and its transpose to the lower triangle of another.
pub(super) fn add_symmetric(lower: &mut Mat<f64>, matrix: &Mat<f64>) {
    for a in 0..matrix.ncols() {
        lower[(a, a)] += matrix[(a, a)];
    }
    for_tiles(matrix.ncols(), |a, b| {
        lower[(a, b)] += 0.5 * (matrix[(a, b)] + matrix[(b, a)]);
    });
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
        pulp::Arch::new().dispatch(FactorSolve {
            lower: self.0.L(),
            right,
        });
    }

    pub(super) fn lower(&self) -> faer::MatRef<'_, f64> {
        self.0.L()
    }
}

/// Both triangular systems of a factor, column after column: for one right side a library's blocks do not pay.
struct FactorSolve<'f> {
    lower: MatRef<'f, f64>,
    right: &'f mut [f64],
}

impl WithSimd for FactorSolve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let n = self.right.len();
        let column = |k: usize| self.lower.col(k).try_as_col_major().map(faer::ColRef::as_slice);
        for k in 0..n {
            let Some(column) = column(k) else { return };
            let (head, tail) = self.right.split_at_mut(k + 1);
            head[k] /= column[k];
            add_inline(tail, -head[k], &column[k + 1..n]);
        }
        for k in (0..n).rev() {
            let Some(column) = column(k) else { return };
            let (head, tail) = self.right.split_at_mut(k + 1);
            head[k] = (head[k] - dot_with(simd, &column[k + 1..n], tail)) / column[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symmetric, with all places below the diagonal that `is_present` names.
    fn symmetric(n: usize, is_present: impl Fn(usize, usize) -> bool) -> Mat<f64> {
        let entry = |a: usize, b: usize| ((a * 31 + b * 17) as f64).sin();
        Mat::from_fn(n, n, |row, column| {
            let (a, b) = (row.max(column), row.min(column));
            if is_present(a, b) { entry(a, b) } else { 0.0 }
        })
    }

    #[test]
    fn sparse_products_are_those_of_dense_matrices_at_every_size() {
        for n in (0..20).chain([31, 32, 33, 63, 64, 65, 71, 100, 127, 131]) {
            let a = symmetric(n, |_, _| true);
            let b = symmetric(n, |row, column| row == column || (row * 7 + column) % 5 == 0);
            let sparse = Sparse::of(&b);
            let (mut product, mut transposed) = (Mat::zeros(n, n), Mat::zeros(n, n));
            sparse_product(&mut product, &a, &sparse);
            sparse_product_transposed(&mut transposed, &a, &sparse);
            for row in 0..n {
                for column in 0..n {
                    let sum = (0..n).map(|k| a[(row, k)] * b[(k, column)]).sum::<f64>();
                    assert!((product[(row, column)] - sum).abs() < 1e-12, "{n}: {row}, {column}");
                    assert_eq!(
                        product[(row, column)],
                        transposed[(column, row)],
                        "{n}: {row}, {column}"
                    );
                }
            }
        }
    }

    #[test]
    fn factors_solve_systems_of_every_size() {
        for n in [1, 2, 3, 7, 8, 9, 16, 31, 64, 65, 100] {
            let mut matrix = symmetric(n, |_, _| true);
            for k in 0..n {
                matrix[(k, k)] += n as f64;
            }
            let expected: Vec<f64> = (0..n).map(|k| (k as f64 * 1.7).cos()).collect();
            let product = |row: usize| (0..n).map(|k| matrix[(row, k)] * expected[k]).sum::<f64>();
            let mut found: Vec<f64> = (0..n).map(product).collect();
            Factor::of(&matrix).unwrap().solve(&mut found);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-12, "{n}: {found} {expected}");
            }
        }
    }

    #[test]
    fn dots_are_summed_in_one_order_at_every_width() {
        struct Narrow<'x>(&'x [f64], &'x [f64]);
        impl WithSimd for Narrow<'_> {
            type Output = f64;

            fn with_simd<S: Simd>(self, _: S) -> f64 {
                dot_with(pulp::Scalar::new(), self.0, self.1)
            }
        }
        for n in [0, 1, 7, 15, 16, 17, 100, 403] {
            let x: Vec<f64> = (0..n).map(|k| (k as f64 * 0.7).sin()).collect();
            let y: Vec<f64> = (0..n).map(|k| (k as f64 * 1.3).cos()).collect();
            let narrow = pulp::Arch::new().dispatch(Narrow(&x, &y));
            assert_eq!(dot(&x, &y).to_bits(), narrow.to_bits(), "{n}");
        }
    }
}
