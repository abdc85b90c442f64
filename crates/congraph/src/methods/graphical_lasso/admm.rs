//! ADMM on precision matrices.
//!
//! With a copy Z of Θ that carries the penalty, multipliers Γ of Θ = Z, and step ρ:
//!
//! ```text
//! Θ^k = argmin c_k (−log det Θ + tr(S^k Θ)) + ⟨Γ^k, Θ⟩ + ρ/2 ‖Θ − Z^k‖²
//!     = Q diag( (d + √(d² + 4 ρ c_k)) / 2ρ ) Qᵀ          with  Q diag(d) Qᵀ = ρ Z^k − Γ^k − c_k S^k
//! Y   = a Θ + (1 − a) Z                                   over-relaxation
//! Z   = prox_{penalty/ρ}( Y + Γ/ρ )                       entry by entry over the views
//! Γ   = Γ + ρ (Y − Z)
//! ```
//!
//! Γ is a subgradient of the penalty at Z, hence in C, after *every* step, so the lower bound of [`Problem`] is
//! available as soon as S^k + Γ^k/c_k is positive definite. Γ is kept unscaled: changing ρ leaves it alone.
//!
//! Z is what is returned: exactly sparse and exactly fused. It stops when both residuals, ‖Θ − Z‖ and ρ‖Z − Z_before‖,
//! are small against ‖Z‖ and ‖Γ‖ *and* the gap is within the tolerance. ρ is moved by the square root of the ratio of
//! the two residuals, ever more rarely, since ADMM is only sure to converge when ρ stays.
//!
//! Cost of an iteration: an eigendecomposition per view, O(n³ N), spread over the threads; O(n² N log N) for the rest.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::matrices::{map_eigenvalues, symmetric};
use super::model::Scratch;
use super::problem::Problem;
use super::solution::Iterate;
use crate::parallel::chunks;
use crate::progress::{Progress, Status, Watch};

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admm {
    /// The relative gap at which the result counts as converged. Both residuals must then be below its square root,
    /// relative to what they are residuals of: the gap is of second order in them.
    pub tolerance: f64,
    /// The most iterations.
    pub max_iterations: usize,
    /// Solve groups of nodes apart where that is known not to change the result.
    pub screening: bool,
    /// a, from 1 to below 2.
    pub over_relaxation: f64,
}

impl Default for Admm {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 20_000,
            screening: true,
            over_relaxation: 1.8,
        }
    }
}

/// Entries per block of the proximal step.
const ENTRIES: usize = 512;
/// ρ is reconsidered after this many iterations, and then after ever longer stretches.
const FIRST_STRETCH: usize = 5;
const STRETCH_GROWTH: f64 = 1.3;
/// ρ changes by this factor at most, and not at all below the second.
const LARGEST_CHANGE: f64 = 10.0;
const SMALLEST_CHANGE: f64 = 1.25;

impl Admm {
    /// Solves a problem with one connected component.
    pub(super) fn solve(&self, problem: &Problem, start: &Iterate, watch: Watch<'_>) -> (Iterate, Status, usize) {
        let mut state = State::new(problem, start);
        // Absolute, so that parts of a larger problem add up to its tolerance.
        let tolerance = self.tolerance * problem.size();
        let (mut stretch, mut next_change) = (FIRST_STRETCH as f64, FIRST_STRETCH);
        for iteration in 1..=self.max_iterations {
            let Some(residuals) = state.step(problem, self.over_relaxation) else {
                return (state.iterate(problem), Status::Stalled, iteration);
            };
            let mut gap = residuals.primal.max(residuals.dual);
            // The gap costs about a fifth of an iteration.
            if gap <= self.tolerance.sqrt() {
                let iterate = state.iterate(problem);
                let found = problem.certify(&iterate.precisions, &iterate.multipliers);
                if found.objective - found.dual_objective <= tolerance {
                    return (iterate, Status::Converged, iteration);
                }
                gap = found.relative_gap;
            }
            let step = Progress::Solving {
                iteration,
                gap,
                tolerance: self.tolerance,
            };
            if watch(&step) == ControlFlow::Break(()) {
                return (state.iterate(problem), Status::Interrupted, iteration);
            }
            if iteration == next_change {
                let ratio = residuals.primal / residuals.dual.max(f64::MIN_POSITIVE);
                let change = ratio.sqrt().clamp(1.0 / LARGEST_CHANGE, LARGEST_CHANGE);
                if !(1.0 / SMALLEST_CHANGE..=SMALLEST_CHANGE).contains(&change) {
                    state.rho *= change;
                }
                stretch *= STRETCH_GROWTH;
                next_change += stretch as usize;
            }
        }
        (state.iterate(problem), Status::IterationLimit, self.max_iterations)
    }
}

/// Z and Γ, one row [z^1 … z^N, γ^1 … γ^N] for each entry of the lower triangle.
struct State {
    rows: Vec<f64>,
    rho: f64,
    /// ‖(c_k S^k)_k‖.
    gradient_size: f64,
}

struct Residuals {
    primal: f64,
    dual: f64,
}

impl State {
    fn new(problem: &Problem, start: &Iterate) -> Self {
        let (n, n_views) = (problem.n_nodes(), problem.n_views());
        let mut rows = Vec::with_capacity(n * (n + 1) * n_views);
        for (i, j) in lower_triangle(n) {
            rows.extend(start.precisions.iter().map(|z| z[i * n + j]));
            rows.extend(start.multipliers.iter().map(|gamma| gamma[i * n + j]));
        }
        let square = |view: usize| {
            let weight = problem.view_weights()[view];
            problem
                .covariance(view)
                .iter()
                .map(|s| (weight * s).powi(2))
                .sum::<f64>()
        };
        Self {
            rows,
            rho: start.rho,
            gradient_size: (0..n_views).map(square).sum::<f64>().sqrt(),
        }
    }

    fn iterate(&self, problem: &Problem) -> Iterate {
        let (n, n_views) = (problem.n_nodes(), problem.n_views());
        let mut iterate = Iterate::zeros(n, n_views, self.rho);
        for ((i, j), row) in lower_triangle(n).zip(self.rows.chunks_exact(2 * n_views)) {
            for view in 0..n_views {
                for at in [i * n + j, j * n + i] {
                    iterate.precisions[view][at] = row[view];
                    iterate.multipliers[view][at] = row[n_views + view];
                }
            }
        }
        iterate
    }

    /// One iteration; none if a decomposition fails.
    fn step(&mut self, problem: &Problem, relaxation: f64) -> Option<Residuals> {
        let thetas: Option<Vec<Vec<f64>>> = (0..problem.n_views())
            .into_par_iter()
            .map(|view| self.fitted(problem, view))
            .collect();
        let thetas = thetas?;
        let (n_views, rho) = (problem.n_views(), self.rho);
        let sums = chunks::map_mut_by(ENTRIES, &mut self.rows, 2 * n_views, |first, rows| {
            let (mut argument, mut scratch) = (vec![0.0; n_views], Scratch::new());
            let mut sums = [0.0; 4];
            let entries = lower_triangle_from(first);
            for (((i, j), row), at) in entries.zip(rows.chunks_exact_mut(2 * n_views)).zip(first..) {
                let (z, gamma) = row.split_at_mut(n_views);
                let count = if i == j { 1.0 } else { 2.0 };
                for (view, value) in argument.iter_mut().enumerate() {
                    let theta = thetas[view][at];
                    sums[0] += count * (theta - z[view]).powi(2);
                    *value = relaxation * theta + (1.0 - relaxation) * z[view] + gamma[view] / rho;
                    gamma[view] = *value;
                }
                problem.model().prox_at(i == j, &mut argument, 1.0 / rho, &mut scratch);
                for (view, &value) in argument.iter().enumerate() {
                    sums[1] += count * (value - z[view]).powi(2);
                    z[view] = value;
                    gamma[view] = rho * (gamma[view] - value);
                    sums[2] += count * value * value;
                    sums[3] += count * gamma[view] * gamma[view];
                }
            }
            sums
        });
        let total = |k: usize| sums.iter().map(|part| part[k]).sum::<f64>().sqrt();
        let residuals = Residuals {
            primal: total(0) / total(2),
            // Γ may be 0 where nothing is penalised; c S is of the size that the gradient has.
            dual: rho * total(1) / total(3).max(self.gradient_size),
        };
        (residuals.primal.is_finite() && residuals.dual.is_finite()).then_some(residuals)
    }

    /// The Θ-step of one view, as the entries of its lower triangle.
    fn fitted(&self, problem: &Problem, view: usize) -> Option<Vec<f64>> {
        let (n, n_views, rho) = (problem.n_nodes(), problem.n_views(), self.rho);
        let (weight, covariance) = (problem.view_weights()[view], problem.covariance(view));
        let matrix = symmetric(n, |i, j| {
            let row = &self.rows[(i * (i + 1) / 2 + j) * 2 * n_views..];
            rho * row[view] - row[n_views + view] - weight * covariance[i * n + j]
        });
        let theta = map_eigenvalues(&matrix, |d| {
            let root = (d * d + 4.0 * rho * weight).sqrt();
            // The two forms are equal; this one does not cancel.
            if d >= 0.0 {
                (d + root) / (2.0 * rho)
            } else {
                2.0 * weight / (root - d)
            }
        })?;
        Some(lower_triangle(n).map(|(i, j)| theta[(i, j)]).collect())
    }
}

/// The entries (i, j) with j ≤ i, row after row.
fn lower_triangle(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)))
}

/// All entries from the one at a given place on.
fn lower_triangle_from(place: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut row = ((((8 * place + 1) as f64).sqrt() - 1.0) / 2.0) as usize;
    while row * (row + 1) / 2 > place {
        row -= 1;
    }
    while (row + 1) * (row + 2) / 2 <= place {
        row += 1;
    }
    let column = place - row * (row + 1) / 2;
    let first = (column..=row).map(move |j| (row, j));
    first.chain((row + 1..).flat_map(|i| (0..=i).map(move |j| (i, j))))
}
