//! The Newton direction: conjugate gradients on the generalised Hessian, which is never built.
//!
//! ```text
//! H = Σ_e (e_a + e_b)(e_a + e_b)ᵀ ⊗ J_e  +  2 (I − 11ᵀ/n) ⊗ I  +  ridge · I
//! ```
//!
//! Only present edges contribute; J_e is diagonal plus one or two rank-one terms, so a product costs O(present edges · N).

use super::dual::Dual;
use crate::blocks;
use crate::rows::ViewRows;
use crate::weights::Weights;

/// Nodes per block of work.
const NODES: usize = 512;

/// The Jacobians of the edges present at one point.
pub(super) struct Hessian<'a> {
    dual: &'a Dual<'a>,
    weights: &'a Weights,
    /// For each edge the diagonal of its Jacobian, then its rank-one factors.
    jacobians: ViewRows,
    /// For each node, the edges at it: `incident[starts[node]..starts[node + 1]]`.
    starts: Vec<u32>,
    incident: Vec<u32>,
    ridge: f64,
}

impl<'a> Hessian<'a> {
    pub(super) fn new(dual: &'a Dual<'a>, weights: &'a Weights, ridge: f64) -> Self {
        let n_views = dual.problem.n_views();
        let term = dual.term;
        let width = n_views * (1 + term.joint.rank());
        let mut jacobians = ViewRows::zeros(weights.edges().len(), width);
        blocks::map_mut(jacobians.values_mut(), width, |first, rows| {
            for (k, row) in rows.chunks_exact_mut(width).enumerate() {
                let (diagonal, factors) = row.split_at_mut(n_views);
                let (weights, consensus) = (weights.views().row(first + k), weights.consensus()[first + k]);
                term.joint
                    .jacobian(term.tau, term.sigma, weights, consensus, diagonal, factors);
            }
        });
        let (starts, incident) = weights.incidence(dual.problem.distances().edges());
        Self {
            dual,
            weights,
            jacobians,
            starts,
            incident,
            ridge,
        }
    }

    fn ends(&self, k: usize) -> (usize, usize) {
        let edges = self.dual.problem.distances().edges();
        edges.ends(self.weights.edges()[k] as usize)
    }

    /// The edges at a node, in order.
    fn at(&self, node: usize) -> &[u32] {
        &self.incident[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    fn diagonal(&self, n_nodes: usize, n_views: usize) -> ViewRows {
        let own = 2.0 * (1.0 - 1.0 / n_nodes as f64) + self.ridge;
        let mut diagonal = ViewRows::from_values(n_views, vec![own; n_nodes * n_views]);
        blocks::map_mut_by(NODES, diagonal.values_mut(), n_views, |first, rows| {
            for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                for &edge in self.at(first + k) {
                    let (entries, factors) = self.jacobians.row(edge as usize).split_at(n_views);
                    for (value, entry) in row.iter_mut().zip(entries) {
                        *value += entry;
                    }
                    for factor in factors.chunks_exact(n_views) {
                        for (value, v) in row.iter_mut().zip(factor) {
                            *value += v * v;
                        }
                    }
                }
            }
        });
        diagonal
    }

    /// out = H x; `moved` is room for J (x_a + x_b) of every edge.
    fn product(&self, x: &ViewRows, moved: &mut ViewRows, out: &mut ViewRows) {
        let n_views = x.n_views();
        let n = x.n_rows() as f64;
        let (apply, add) = kernels(n_views);
        blocks::map_mut(moved.values_mut(), n_views, |first, rows| {
            for (k, moved) in rows.chunks_exact_mut(n_views).enumerate() {
                let (a, b) = self.ends(first + k);
                apply(self.jacobians.row(first + k), x.row(a), x.row(b), moved);
            }
        });
        let means: Vec<f64> = x.column_sums().iter().map(|sum| sum / n).collect();
        blocks::map_mut_by(NODES, out.values_mut(), n_views, |first, rows| {
            for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                let node = first + k;
                for ((value, &x), mean) in row.iter_mut().zip(x.row(node)).zip(&means) {
                    *value = 2.0 * (x - mean) + self.ridge * x;
                }
                for &edge in self.at(node) {
                    add(moved.row(edge as usize), row);
                }
            }
        });
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
        let mut moved = ViewRows::zeros(self.weights.edges().len(), n_views);
        let mut energy = dot(residual.values(), preconditioned.values());
        for step in 0..max_steps {
            if norm(residual.values()) <= target {
                return (x, step);
            }
            self.product(&search, &mut moved, &mut product);
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

/// out = J (x + y), with J as [`Hessian::jacobians`] keeps it; and out += x.
type Apply = fn(&[f64], &[f64], &[f64], &mut [f64]);
type Add = fn(&[f64], &mut [f64]);

/// The two kernels for a number of views: unrolled for the usual few.
fn kernels(n_views: usize) -> (Apply, Add) {
    match n_views {
        1 => (apply_fixed::<1>, add_fixed::<1>),
        2 => (apply_fixed::<2>, add_fixed::<2>),
        3 => (apply_fixed::<3>, add_fixed::<3>),
        4 => (apply_fixed::<4>, add_fixed::<4>),
        5 => (apply_fixed::<5>, add_fixed::<5>),
        6 => (apply_fixed::<6>, add_fixed::<6>),
        7 => (apply_fixed::<7>, add_fixed::<7>),
        8 => (apply_fixed::<8>, add_fixed::<8>),
        _ => (apply_any, add_any),
    }
}

fn apply_fixed<const N: usize>(jacobian: &[f64], x: &[f64], y: &[f64], out: &mut [f64]) {
    let ([diagonal, factors @ ..], ([x], [y]), [out]) = (
        jacobian.as_chunks::<N>().0,
        (x.as_chunks::<N>().0, y.as_chunks::<N>().0),
        out.as_chunks_mut::<N>().0,
    ) else {
        return;
    };
    let mut sums = [0.0; N];
    for i in 0..N {
        sums[i] = x[i] + y[i];
        out[i] = diagonal[i] * sums[i];
    }
    for factor in factors {
        let mut along = 0.0;
        for i in 0..N {
            along += factor[i] * sums[i];
        }
        for i in 0..N {
            out[i] += along * factor[i];
        }
    }
}

fn add_fixed<const N: usize>(x: &[f64], out: &mut [f64]) {
    if let ([x], [out]) = (x.as_chunks::<N>().0, out.as_chunks_mut::<N>().0) {
        for i in 0..N {
            out[i] += x[i];
        }
    }
}

fn apply_any(jacobian: &[f64], x: &[f64], y: &[f64], out: &mut [f64]) {
    let n_views = out.len();
    let (diagonal, factors) = jacobian.split_at(n_views);
    for (out, (entry, (x, y))) in out.iter_mut().zip(diagonal.iter().zip(x.iter().zip(y))) {
        *out = entry * (x + y);
    }
    for factor in factors.chunks_exact(n_views) {
        let along: f64 = factor.iter().zip(x.iter().zip(y)).map(|(v, (x, y))| v * (x + y)).sum();
        for (out, v) in out.iter_mut().zip(factor) {
            *out += along * v;
        }
    }
}

fn add_any(x: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += x;
    }
}
