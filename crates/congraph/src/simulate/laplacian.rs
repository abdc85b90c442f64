//! Inverses of the Laplacian of a graph, applied to many signals through one dense Cholesky factor.
//!
//! ```text
//! C Cᵀ = d I + s L + c 11ᵀ
//!
//! L† x            = (L + 11ᵀ/n)⁻¹ (x − mean x)         d = 0, s = 1, c = 1/n
//! (I + tL)⁻¹ x                                         d = 1, s = t, c = 0
//! C⁻ᵀ x, centred  ~ N(0, L†) for x ~ N(0, I)           d = 0, s = 1, c = 1/n
//! ```
//!
//! L + 11ᵀ/n is positive definite exactly when the graph is connected: L has the constant signals as its null space,
//! where 11ᵀ/n is 1. The last line needs no square root of L†: C⁻ᵀ C⁻¹ = L† + 11ᵀ/n, and taking the mean out leaves L†.
//! The factor costs n³/6 multiplications, and each signal n². The signals come in panels of [`WIDTH`], because reading
//! C is what a triangular solve spends its time on.

/// How many signals are filtered at once.
pub(super) const WIDTH: usize = 8;

/// How many rows are factorised at once, so that each earlier row is fetched once for all of them.
const BLOCK: usize = 16;

/// One value of each signal in a panel.
pub(super) type Lanes = [f64; WIDTH];

/// The Cholesky factor C of a matrix made of L.
pub(super) struct Factor {
    n_nodes: usize,
    /// C in the lower triangle, row after row; the upper triangle is never read.
    factor: Vec<f64>,
}

impl Factor {
    /// Of L + 11ᵀ/n, for a connected graph.
    pub(super) fn of_grounded(n_nodes: usize, edges: &[[u32; 2]], weights: &[f64]) -> Self {
        Self::new(n_nodes, edges, weights, [0.0, 1.0, 1.0 / n_nodes as f64])
    }

    /// Of I + tL.
    pub(super) fn of_shifted(n_nodes: usize, edges: &[[u32; 2]], weights: &[f64], t: f64) -> Self {
        Self::new(n_nodes, edges, weights, [1.0, t, 0.0])
    }

    /// Of d I + s L + c 11ᵀ.
    fn new(n_nodes: usize, edges: &[[u32; 2]], weights: &[f64], [d, s, c]: [f64; 3]) -> Self {
        let n = n_nodes;
        let mut factor = vec![c; n * n];
        for row in 0..n {
            factor[row * n + row] += d;
        }
        for (&[a, b], weight) in edges.iter().zip(weights) {
            let (a, b) = (a as usize, b as usize);
            let s = s * weight;
            factor[a * n + a] += s;
            factor[b * n + b] += s;
            factor[b * n + a] -= s;
        }
        for start in (0..n).step_by(BLOCK) {
            let end = n.min(start + BLOCK);
            for j in 0..end {
                let (upper, lower) = factor.split_at_mut((j + 1) * n);
                let row_j = &mut upper[j * n..];
                if j >= start {
                    row_j[j] = (row_j[j] - dot(&row_j[..j], &row_j[..j])).sqrt();
                }
                let first = start.max(j + 1);
                for row in lower[(first - j - 1) * n..(end - j - 1) * n].chunks_exact_mut(n) {
                    row[j] = (row[j] - dot(&row[..j], &row_j[..j])) / row_j[j];
                }
            }
        }
        Self { n_nodes, factor }
    }

    /// Replaces the signals x, one row per node, by (C Cᵀ)⁻¹ x.
    pub(super) fn solve(&self, panel: &mut [Lanes]) {
        for i in 0..self.n_nodes {
            let (row, pivot) = self.row(i);
            let (done, rest) = panel.split_at_mut(i);
            for (factor, value) in row.iter().zip(&*done) {
                subtract(&mut rest[0], *factor, value);
            }
            divide(&mut rest[0], pivot);
        }
        self.solve_transposed(panel);
    }

    /// Replaces the signals x by C⁻ᵀ x.
    pub(super) fn solve_transposed(&self, panel: &mut [Lanes]) {
        for i in (0..self.n_nodes).rev() {
            let (row, pivot) = self.row(i);
            let (open, rest) = panel.split_at_mut(i);
            divide(&mut rest[0], pivot);
            for (factor, value) in row.iter().zip(open) {
                subtract(value, *factor, &rest[0]);
            }
        }
    }

    /// Row i of C: what is left of the diagonal, and the diagonal.
    fn row(&self, i: usize) -> (&[f64], f64) {
        let row = &self.factor[i * self.n_nodes..];
        (&row[..i], row[i])
    }
}

/// Takes the mean over the nodes out of each signal.
pub(super) fn centre(panel: &mut [Lanes]) {
    let mut mean = [0.0; WIDTH];
    for row in &*panel {
        subtract(&mut mean, -1.0, row);
    }
    divide(&mut mean, panel.len() as f64);
    for row in panel {
        subtract(row, 1.0, &mean);
    }
}

#[inline]
fn subtract(from: &mut Lanes, factor: f64, value: &Lanes) {
    for (from, value) in from.iter_mut().zip(value) {
        *from -= factor * value;
    }
}

#[inline]
fn divide(value: &mut Lanes, by: f64) {
    for value in value {
        *value /= by;
    }
}

/// The inner product, in eight partial sums that fill the vector registers.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x, x_rest) = x.as_chunks::<8>();
    let (y, y_rest) = y.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (x, y) in x.iter().zip(y) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += x * y;
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}
