//! The pseudo-inverse of the Laplacian of a connected unweighted graph, applied to many signals.
//!
//! ```text
//! L† = (L + 11ᵀ/n)⁻¹ − 11ᵀ/n          L† x = (L + 11ᵀ/n)⁻¹ (x − mean x)
//! ```
//!
//! L + 11ᵀ/n is positive definite exactly when the graph is connected: L has the constant signals as its null space, where
//! 11ᵀ/n is 1. A dense Cholesky factor C Cᵀ costs n³/6 multiplications, and each signal n². The signals come in panels of
//! [`WIDTH`], because reading C is what a triangular solve spends its time on.

/// How many signals are filtered at once.
pub(super) const WIDTH: usize = 8;

/// How many rows are factorised at once, so that each earlier row is fetched once for all of them.
const BLOCK: usize = 16;

/// One value of each signal in a panel.
pub(super) type Lanes = [f64; WIDTH];

/// L† as the Cholesky factor of L + 11ᵀ/n.
pub(super) struct PseudoInverse {
    n_nodes: usize,
    /// C in the lower triangle, row after row; the upper triangle is never read.
    factor: Vec<f64>,
}

impl PseudoInverse {
    /// Of a connected graph.
    pub(super) fn new(n_nodes: usize, edges: &[[u32; 2]]) -> Self {
        let n = n_nodes;
        let mut factor = vec![1.0 / n as f64; n * n];
        for &[a, b] in edges {
            let (a, b) = (a as usize, b as usize);
            factor[a * n + a] += 1.0;
            factor[b * n + b] += 1.0;
            factor[b * n + a] -= 1.0;
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

    /// Replaces the signals x, one row per node, by L† x.
    pub(super) fn apply(&self, panel: &mut [Lanes]) {
        centre(panel);
        for i in 0..self.n_nodes {
            let (row, pivot) = self.row(i);
            let (done, rest) = panel.split_at_mut(i);
            for (factor, value) in row.iter().zip(&*done) {
                subtract(&mut rest[0], *factor, value);
            }
            divide(&mut rest[0], pivot);
        }
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

fn centre(panel: &mut [Lanes]) {
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

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::graphs::GraphModel;
    use super::*;

    type Matrix = Vec<Vec<f64>>;

    fn laplacian(n: usize, edges: &[[u32; 2]]) -> Matrix {
        let mut laplacian = vec![vec![0.0; n]; n];
        for &[a, b] in edges {
            let (a, b) = (a as usize, b as usize);
            laplacian[a][a] += 1.0;
            laplacian[b][b] += 1.0;
            laplacian[a][b] -= 1.0;
            laplacian[b][a] -= 1.0;
        }
        laplacian
    }

    /// L† column by column.
    fn dense(n: usize, edges: &[[u32; 2]]) -> Matrix {
        let inverse = PseudoInverse::new(n, edges);
        let mut matrix = vec![vec![0.0; n]; n];
        for first in (0..n).step_by(WIDTH) {
            let mut panel = vec![[0.0; WIDTH]; n];
            for column in first..n.min(first + WIDTH) {
                panel[column][column - first] = 1.0;
            }
            inverse.apply(&mut panel);
            for (row, values) in matrix.iter_mut().zip(&panel) {
                for (value, target) in values.iter().zip(&mut row[first..]) {
                    *target = *value;
                }
            }
        }
        matrix
    }

    fn product(x: &Matrix, y: &Matrix) -> Matrix {
        let column = |j: usize| y.iter().map(move |row| row[j]);
        let entry = |row: &Vec<f64>, j| row.iter().zip(column(j)).map(|(a, b)| a * b).sum();
        x.iter()
            .map(|row| (0..row.len()).map(|j| entry(row, j)).collect())
            .collect()
    }

    fn largest_difference(x: &Matrix, y: &Matrix) -> f64 {
        let pairs = x.iter().flatten().zip(y.iter().flatten());
        pairs.fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
    }

    #[test]
    fn two_nodes_by_hand() {
        // L = [1 −1; −1 1] has the eigenvalue 2, so L† = L/4.
        let expected = vec![vec![0.25, -0.25], vec![-0.25, 0.25]];
        assert!(largest_difference(&dense(2, &[[0, 1]]), &expected) < 1e-15);
    }

    #[test]
    fn it_is_the_moore_penrose_inverse() {
        let models = [
            GraphModel::ErdosRenyi { probability: 0.4 },
            GraphModel::BarabasiAlbert { growth: 1 },
            GraphModel::BarabasiAlbert { growth: 3 },
        ];
        for model in models {
            for n in [4, 8, 9, 16, 17, 40] {
                let edges = model.draw(n, &mut ChaCha8Rng::seed_from_u64(n as u64)).unwrap();
                let laplacian = laplacian(n, &edges);
                let inverse = dense(n, &edges);
                let projection = product(&laplacian, &inverse);
                let transposed: Matrix = (0..n).map(|j| projection.iter().map(|row| row[j]).collect()).collect();
                assert!(largest_difference(&product(&projection, &laplacian), &laplacian) < 1e-11);
                assert!(largest_difference(&product(&inverse, &projection), &inverse) < 1e-11);
                assert!(largest_difference(&projection, &transposed) < 1e-11);
            }
        }
    }
}
