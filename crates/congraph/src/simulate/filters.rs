//! Graph filters h(L) that turn white signals into smooth ones.
//!
//! ```text
//! pseudo-inverse   h(L) = L†             X ~ N(0, L†²)            the paper's
//! Gaussian         h(L) = L†^½           X ~ N(0, L†)             L is the precision: a Gaussian Markov random field
//! heat             h(L) = exp(−tL)       X ~ N(0, exp(−2tL))
//! Tikhonov         h(L) = (I + tL)⁻¹     X ~ N(0, (I + tL)⁻²)
//! ```
//!
//! The first two take constant signals out; heat and Tikhonov leave them as they are, so that with a large t little
//! else is left. For the Gaussian, any root of L† gives the same distribution, and the cheapest one is taken.

use super::heat::Heat;
use super::laplacian::{Factor, Lanes, centre};
use crate::error::Error;

/// The filter h(L) that smooths white signals on each view's graph.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Filter {
    /// L†, as in the paper: strongly smooth.
    #[default]
    PseudoInverse,
    /// L†^½: Gaussian signals whose precision matrix is L, which is what the graphical lasso supposes.
    Gaussian,
    /// exp(−tL): what is left of white noise after it diffused over the graph for a time.
    Heat {
        /// The time t, above 0.
        t: f64,
    },
    /// (I + tL)⁻¹: the signals nearest to white ones when roughness is charged by t.
    Tikhonov {
        /// The charge t, above 0.
        t: f64,
    },
}

impl Filter {
    /// Refuses a t that is out of range.
    pub(super) fn check(self) -> Result<(), Error> {
        match self {
            Self::Heat { t } | Self::Tikhonov { t } if !(t > 0.0 && t.is_finite()) => Err(Error::Parameter {
                name: "filter_t",
                message: format!("is {t}: it must be above 0; larger is smoother"),
            }),
            _ => Ok(()),
        }
    }

    /// The filter on one connected graph, whose edges have these weights.
    pub(super) fn on(self, n_nodes: usize, edges: &[[u32; 2]], weights: &[f64]) -> Result<Operator, Error> {
        Ok(match self {
            Self::PseudoInverse => Operator::PseudoInverse(Factor::of_grounded(n_nodes, edges, weights)),
            Self::Gaussian => Operator::Gaussian(Factor::of_grounded(n_nodes, edges, weights)),
            Self::Heat { t } => Operator::Heat(Heat::new(n_nodes, edges, weights, t)?),
            Self::Tikhonov { t } => Operator::Tikhonov(Factor::of_shifted(n_nodes, edges, weights, t)),
        })
    }
}

/// A filter on one graph.
pub(super) enum Operator {
    PseudoInverse(Factor),
    Gaussian(Factor),
    Heat(Heat),
    Tikhonov(Factor),
}

impl Operator {
    /// Replaces the white signals x, one row per node, by smooth ones.
    pub(super) fn apply(&self, panel: &mut [Lanes]) {
        match self {
            Self::PseudoInverse(factor) => {
                centre(panel);
                factor.solve(panel);
            }
            Self::Gaussian(factor) => {
                factor.solve_transposed(panel);
                centre(panel);
            }
            Self::Heat(heat) => heat.apply(panel),
            Self::Tikhonov(factor) => factor.solve(panel),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::graphs::{GraphModel, Reach};
    use super::super::laplacian::WIDTH;
    use super::super::weights::Weights;
    use super::*;

    type Matrix = Vec<Vec<f64>>;

    fn graphs() -> Vec<(usize, Vec<[u32; 2]>)> {
        let models = [
            GraphModel::ErdosRenyi { probability: 0.4 },
            GraphModel::BarabasiAlbert { growth: 1 },
            GraphModel::BarabasiAlbert { growth: 3 },
            GraphModel::RandomGeometric {
                reach: Reach::Radius(0.6),
            },
        ];
        let sizes = [4, 8, 9, 16, 17, 40];
        let draw = |model: GraphModel, n: usize| model.draw(n, &mut ChaCha8Rng::seed_from_u64(n as u64)).unwrap().edges;
        let mut graphs = vec![(2, vec![[0, 1]])];
        graphs.extend(models.iter().flat_map(|&model| sizes.map(|n| (n, draw(model, n)))));
        graphs
    }

    fn laplacian(n: usize, edges: &[[u32; 2]]) -> Matrix {
        weighted_laplacian(n, edges, &vec![1.0; edges.len()])
    }

    fn weighted_laplacian(n: usize, edges: &[[u32; 2]], weights: &[f64]) -> Matrix {
        let mut laplacian = vec![vec![0.0; n]; n];
        for (&[a, b], weight) in edges.iter().zip(weights) {
            let (a, b) = (a as usize, b as usize);
            laplacian[a][a] += weight;
            laplacian[b][b] += weight;
            laplacian[a][b] -= weight;
            laplacian[b][a] -= weight;
        }
        laplacian
    }

    /// The filter's matrix, column by column.
    fn dense(filter: Filter, n: usize, edges: &[[u32; 2]]) -> Matrix {
        dense_weighted(filter, n, edges, &vec![1.0; edges.len()])
    }

    fn dense_weighted(filter: Filter, n: usize, edges: &[[u32; 2]], weights: &[f64]) -> Matrix {
        let operator = filter.on(n, edges, weights).unwrap();
        let mut matrix = vec![vec![0.0; n]; n];
        for first in (0..n).step_by(WIDTH) {
            let mut panel = vec![[0.0; WIDTH]; n];
            for column in first..n.min(first + WIDTH) {
                panel[column][column - first] = 1.0;
            }
            operator.apply(&mut panel);
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

    fn transposed(x: &Matrix) -> Matrix {
        (0..x.len()).map(|j| x.iter().map(|row| row[j]).collect()).collect()
    }

    fn identity(n: usize) -> Matrix {
        (0..n)
            .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
            .collect()
    }

    fn largest_difference(x: &Matrix, y: &Matrix) -> f64 {
        let pairs = x.iter().flatten().zip(y.iter().flatten());
        pairs.fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
    }

    /// Σ_k h(λ_k) v_k v_kᵀ by cyclic Jacobi rotations: slow, and another way than any of the filters'.
    fn by_eigenvalues(matrix: &Matrix, h: impl Fn(f64) -> f64) -> Matrix {
        let n = matrix.len();
        let (mut a, mut v) = (matrix.clone(), identity(n));
        // The rotations converge quadratically: after ten rounds nothing but rounding is left off the diagonal.
        for _ in 0..10 {
            for p in 0..n {
                for q in p + 1..n {
                    if a[p][q] == 0.0 {
                        continue;
                    }
                    let theta = 0.5 * (2.0 * a[p][q]).atan2(a[p][p] - a[q][q]);
                    let (sin, cos) = theta.sin_cos();
                    for row in a.iter_mut().chain(&mut v) {
                        (row[p], row[q]) = (cos * row[p] + sin * row[q], cos * row[q] - sin * row[p]);
                    }
                    let (upper, lower) = a.split_at_mut(q);
                    for (x, y) in upper[p].iter_mut().zip(&mut lower[0]) {
                        (*x, *y) = (cos * *x + sin * *y, cos * *y - sin * *x);
                    }
                }
            }
        }
        let entry = |i: usize, j: usize| (0..n).map(|k| v[i][k] * h(a[k][k]) * v[j][k]).sum();
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    }

    fn reciprocal(eigenvalue: f64) -> f64 {
        if eigenvalue > 1e-9 { 1.0 / eigenvalue } else { 0.0 }
    }

    #[test]
    fn two_nodes_by_hand() {
        // L = [1 −1; −1 1] has the eigenvalues 0 and 2, so h(L) = (h(0) + h(2))/2 on the diagonal, (h(0) − h(2))/2 off
        // it.
        let expected = |at_0: f64, at_2: f64| {
            let (same, other) = (0.5 * (at_0 + at_2), 0.5 * (at_0 - at_2));
            vec![vec![same, other], vec![other, same]]
        };
        let found = |filter| dense(filter, 2, &[[0, 1]]);
        assert!(largest_difference(&found(Filter::PseudoInverse), &expected(0.0, 0.5)) < 1e-15);
        assert!(largest_difference(&found(Filter::Heat { t: 0.7 }), &expected(1.0, (-1.4_f64).exp())) < 1e-15);
        assert!(largest_difference(&found(Filter::Tikhonov { t: 0.7 }), &expected(1.0, 1.0 / 2.4)) < 1e-15);
        let root = found(Filter::Gaussian);
        assert!(largest_difference(&product(&root, &transposed(&root)), &expected(0.0, 0.5)) < 1e-15);
    }

    #[test]
    fn the_filters_are_functions_of_the_eigenvalues() {
        for (n, edges) in graphs() {
            let laplacian = laplacian(n, &edges);
            let off = |filter, h: &dyn Fn(f64) -> f64| {
                largest_difference(&dense(filter, n, &edges), &by_eigenvalues(&laplacian, h))
            };
            assert!(off(Filter::PseudoInverse, &reciprocal) < 1e-12 * (n * n) as f64);
            for t in [0.01, 0.3, 5.0, 100.0] {
                assert!(off(Filter::Heat { t }, &|value| (-t * value).exp()) < 1e-13 * (1.0 + t));
                assert!(off(Filter::Tikhonov { t }, &|value| 1.0 / (1.0 + t * value)) < 1e-13 * (1.0 + t));
            }
            let root = dense(Filter::Gaussian, n, &edges);
            let covariance = product(&root, &transposed(&root));
            let expected = by_eigenvalues(&laplacian, reciprocal);
            assert!(largest_difference(&covariance, &expected) < 1e-12 * (n * n) as f64);
        }
    }

    #[test]
    fn weights_are_those_of_the_laplacian() {
        for (n, edges) in graphs() {
            let weights = Weights::new(Some([0.5, 2.0]), n as u64).of(&edges);
            let laplacian = weighted_laplacian(n, &edges, &weights);
            let off = |filter, h: &dyn Fn(f64) -> f64| {
                largest_difference(
                    &dense_weighted(filter, n, &edges, &weights),
                    &by_eigenvalues(&laplacian, h),
                )
            };
            assert!(off(Filter::PseudoInverse, &reciprocal) < 1e-12 * (n * n) as f64);
            assert!(off(Filter::Heat { t: 0.3 }, &|value| (-0.3 * value).exp()) < 1e-13);
            assert!(off(Filter::Tikhonov { t: 0.3 }, &|value| 1.0 / (1.0 + 0.3 * value)) < 1e-13);
            let root = dense_weighted(Filter::Gaussian, n, &edges, &weights);
            let expected = by_eigenvalues(&laplacian, reciprocal);
            assert!(largest_difference(&product(&root, &transposed(&root)), &expected) < 1e-12 * (n * n) as f64);
        }
    }

    #[test]
    fn the_pseudo_inverse_is_that_of_moore_and_penrose() {
        for (n, edges) in graphs() {
            let laplacian = laplacian(n, &edges);
            let inverse = dense(Filter::PseudoInverse, n, &edges);
            let projection = product(&laplacian, &inverse);
            assert!(largest_difference(&product(&projection, &laplacian), &laplacian) < 1e-11);
            assert!(largest_difference(&product(&inverse, &projection), &inverse) < 1e-11);
            assert!(largest_difference(&projection, &transposed(&projection)) < 1e-11);
        }
    }

    #[test]
    fn the_gaussian_has_the_laplacian_as_its_precision() {
        for (n, edges) in graphs() {
            let laplacian = laplacian(n, &edges);
            let root = dense(Filter::Gaussian, n, &edges);
            let covariance = product(&root, &transposed(&root));
            let again = product(&product(&laplacian, &covariance), &laplacian);
            assert!(largest_difference(&again, &laplacian) < 1e-11);
            let squared = product(&covariance, &covariance);
            let inverse = dense(Filter::PseudoInverse, n, &edges);
            assert!(largest_difference(&squared, &product(&inverse, &inverse)) < 1e-10);
        }
    }

    #[test]
    fn heat_of_two_times_is_heat_of_their_sum_and_keeps_totals() {
        let heat = |t, n, edges: &[[u32; 2]]| dense(Filter::Heat { t }, n, edges);
        for (n, edges) in graphs() {
            let twice = product(&heat(0.2, n, &edges), &heat(1.1, n, &edges));
            let once = heat(1.3, n, &edges);
            assert!(largest_difference(&twice, &once) < 1e-14 * n as f64);
            assert!(once.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-13));
            assert!(once.iter().flatten().all(|&value| value > -1e-15));
        }
    }

    #[test]
    fn tikhonov_solves_its_equation() {
        for (n, edges) in graphs() {
            for t in [0.1, 10.0] {
                let mut shifted = laplacian(n, &edges);
                for (i, row) in shifted.iter_mut().enumerate() {
                    row.iter_mut().for_each(|value| *value *= t);
                    row[i] += 1.0;
                }
                let filter = dense(Filter::Tikhonov { t }, n, &edges);
                assert!(largest_difference(&product(&shifted, &filter), &identity(n)) < 1e-12);
            }
        }
    }

    #[test]
    fn a_t_out_of_range_is_refused() {
        for t in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for filter in [Filter::Heat { t }, Filter::Tikhonov { t }] {
                let text = filter.check().unwrap_err().to_string();
                assert!(text.starts_with("filter_t is "), "{text}");
            }
        }
    }
}
