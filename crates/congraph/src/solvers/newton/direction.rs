//! The Newton direction: conjugate gradients on the generalised Hessian, which is never built.
//!
//! ```text
//! H = Σ_e (e_a + e_b)(e_a + e_b)ᵀ ⊗ J_e  +  2 (I − 11ᵀ/n) ⊗ I  +  ridge · I
//! ```
//!
//! Only present edges contribute; J_e is diagonal plus one or two rank-one terms, so a product costs O(present edges · N).

use super::dual::Dual;
use crate::rows::ViewRows;
use crate::weights::Weights;

/// The Jacobians of the edges present at one point.
pub(super) struct Hessian<'a> {
    dual: &'a Dual<'a>,
    weights: &'a Weights,
    rank: usize,
    diagonals: Vec<f64>,
    factors: Vec<f64>,
    ridge: f64,
}

impl<'a> Hessian<'a> {
    pub(super) fn new(dual: &'a Dual<'a>, weights: &'a Weights, ridge: f64) -> Self {
        let n_views = dual.problem.n_views();
        let term = dual.term;
        let rank = term.joint.rank();
        let n_edges = weights.edges().len();
        let mut diagonals = vec![0.0; n_edges * n_views];
        let mut factors = vec![0.0; n_edges * n_views * rank];
        for (k, (_, row, shared)) in weights.iter().enumerate() {
            let diagonal = &mut diagonals[k * n_views..(k + 1) * n_views];
            let factor = &mut factors[k * n_views * rank..(k + 1) * n_views * rank];
            term.joint.jacobian(term.tau, term.sigma, row, shared, diagonal, factor);
        }
        Self {
            dual,
            weights,
            rank,
            diagonals,
            factors,
            ridge,
        }
    }

    /// Each present edge's ends, the diagonal of its Jacobian, and its rank-one factors.
    fn jacobians(&self) -> impl Iterator<Item = ((usize, usize), &[f64], &[f64])> {
        let n_views = self.dual.problem.n_views();
        let edges = self.dual.problem.distances().edges();
        self.weights.edges().iter().enumerate().map(move |(k, &edge)| {
            let width = n_views * self.rank;
            (
                edges.ends(edge as usize),
                &self.diagonals[k * n_views..(k + 1) * n_views],
                &self.factors[k * width..(k + 1) * width],
            )
        })
    }

    fn diagonal(&self, n_nodes: usize, n_views: usize) -> ViewRows {
        let own = 2.0 * (1.0 - 1.0 / n_nodes as f64) + self.ridge;
        let mut diagonal = ViewRows::from_values(n_views, vec![own; n_nodes * n_views]);
        for ((a, b), entries, factors) in self.jacobians() {
            for node in [a, b] {
                for (i, value) in diagonal.row_mut(node).iter_mut().enumerate() {
                    let along: f64 = factors.iter().skip(i).step_by(n_views).map(|v| v * v).sum();
                    *value += entries[i] + along;
                }
            }
        }
        diagonal
    }

    /// out = H x.
    fn product(&self, x: &ViewRows, out: &mut ViewRows) {
        let n_views = x.n_views();
        let n = x.n_rows() as f64;
        let means: Vec<f64> = x.column_sums().iter().map(|sum| sum / n).collect();
        for (row, source) in out.rows_mut().zip(x.rows()) {
            for ((value, &x), mean) in row.iter_mut().zip(source).zip(&means) {
                *value = 2.0 * (x - mean) + self.ridge * x;
            }
        }
        let mut sums = vec![0.0; n_views];
        let mut moved = vec![0.0; n_views];
        for ((a, b), entries, factors) in self.jacobians() {
            for (sum, (x, y)) in sums.iter_mut().zip(x.row(a).iter().zip(x.row(b))) {
                *sum = x + y;
            }
            for (value, (entry, sum)) in moved.iter_mut().zip(entries.iter().zip(&sums)) {
                *value = entry * sum;
            }
            for factor in factors.chunks_exact(n_views) {
                let along: f64 = factor.iter().zip(&sums).map(|(v, sum)| v * sum).sum();
                for (value, v) in moved.iter_mut().zip(factor) {
                    *value += along * v;
                }
            }
            for node in [a, b] {
                for (value, change) in out.row_mut(node).iter_mut().zip(&moved) {
                    *value += change;
                }
            }
        }
    }

    /// Solves H d = −gradient to a relative residual; returns d and the number of steps.
    pub(super) fn direction(&self, gradient: &ViewRows, tolerance: f64, max_steps: usize) -> (ViewRows, usize) {
        let (n_nodes, n_views) = (gradient.n_rows(), gradient.n_views());
        let diagonal = self.diagonal(n_nodes, n_views);
        let mut x = ViewRows::zeros(n_nodes, n_views);
        let mut residual = gradient.clone();
        for value in residual.values_mut() {
            *value = -*value;
        }
        let target = tolerance * norm(residual.values());
        let mut preconditioned = divided(&residual, &diagonal);
        let mut search = preconditioned.clone();
        let mut product = ViewRows::zeros(n_nodes, n_views);
        let mut energy = dot(residual.values(), preconditioned.values());
        for step in 0..max_steps {
            if norm(residual.values()) <= target {
                return (x, step);
            }
            self.product(&search, &mut product);
            let curvature = dot(search.values(), product.values());
            // Not a number, or no curvature left in f64: keep what there is.
            if curvature.is_nan() || curvature <= 0.0 {
                return (if step == 0 { search } else { x }, step);
            }
            let length = energy / curvature;
            add(&mut x, length, &search);
            add(&mut residual, -length, &product);
            preconditioned = divided(&residual, &diagonal);
            let next = dot(residual.values(), preconditioned.values());
            let carry = next / energy;
            energy = next;
            for (value, new) in search.values_mut().iter_mut().zip(preconditioned.values()) {
                *value = new + carry * *value;
            }
        }
        (x, max_steps)
    }
}

fn divided(x: &ViewRows, diagonal: &ViewRows) -> ViewRows {
    let values = x.values().iter().zip(diagonal.values()).map(|(x, d)| x / d).collect();
    ViewRows::from_values(x.n_views(), values)
}

/// x += length · y.
pub(super) fn add(x: &mut ViewRows, length: f64, y: &ViewRows) {
    for (x, y) in x.values_mut().iter_mut().zip(y.values()) {
        *x += length * y;
    }
}

pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
