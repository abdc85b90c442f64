//! Small dense linear algebra: Cholesky for as many unknowns as there are electrodes.

/// A = L Lᵀ of a symmetric positive definite matrix.
pub(crate) struct Cholesky {
    n: usize,
    /// L, row by row; above the diagonal is what was there.
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors a matrix given row by row; none if a pivot is below `tolerance` times its diagonal entry.
    pub(crate) fn new(mut a: Vec<f64>, n: usize, tolerance: f64) -> Option<Self> {
        for i in 0..n {
            // Row i of L from the rows above it; A is overwritten from the top.
            let (above, rest) = a.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let other = &above[j * n..j * n + n];
                let sum: f64 = row[..j].iter().zip(&other[..j]).map(|(x, y)| x * y).sum();
                row[j] = (row[j] - sum) / other[j];
            }
            let sum: f64 = row[..i].iter().map(|x| x * x).sum();
            // Relative to its diagonal entry, because the entries of a spline matrix have any scale.
            let pivot = row[i] - sum;
            if pivot.is_nan() || pivot <= tolerance * row[i] {
                return None;
            }
            row[i] = pivot.sqrt();
        }
        Some(Self { n, factor: a })
    }

    /// x ← A⁻¹ x.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        // L y = x, forwards.
        for i in 0..n {
            let row = &self.factor[i * n..i * n + n];
            let sum: f64 = row[..i].iter().zip(&x[..i]).map(|(a, b)| a * b).sum();
            x[i] = (x[i] - sum) / row[i];
        }
        // Lᵀ x = y, backwards and by columns, because L is stored by rows.
        for i in (0..n).rev() {
            x[i] /= self.factor[i * n + i];
            let (open, done) = x.split_at_mut(i);
            for (value, a) in open.iter_mut().zip(&self.factor[i * n..]) {
                *value -= a * done[0];
            }
        }
    }
}
