//! The paper's algorithm: ADMM with slack variables z^i = w^i, z = w, v^i = z^i − z
//! (`eq:multiview_graph_learning_admm`).
//!
//! In weights w = −ℓ and in units of κ = 4α (τ = β/κ, σ = γ/κ, d = D/κ), with the paper's multipliers in scaled form
//! (`dual_views` = y^i/ρ, `dual_differences` = w^i/ρ, `dual_consensus` = y/ρ), one iteration is
//!
//! ```text
//! eq:admm_li_step   w^i ← Π₁ (½SᵀS + (1+ρ)I)⁻¹ (ρ (z^i + y^i) − d^i)
//! eq:admm_vi_step   V   ← prox of (τ/ρ) c at z^i − z − dual_differences
//! eq:admm_l_step    w   ← prox of (σ/ρ) r at z + y
//! eq:admm_second    (z^i, z) ← the exact joint minimiser, or the paper's block coordinate descent
//! multipliers       y^i += z^i − w^i,  dual_differences += v^i − z^i + z,  y += z − w
//! ```
//!
//! The inverse and Π₁ need only the degrees of the right-hand side (see `degrees`), so an iteration is one pass over
//! the edges that takes every step of eight edges at a time and adds up the degrees of the next right-hand side on its
//! way (`pass`, `tiles`). On the complete graph 1 is an eigenvector of SᵀS, which is why the paper's plain projection
//! Π₁ onto 1ᵀw = n is the exact constrained minimiser there. Cost of an iteration: O(mN) time, (5N + 4) · 8 + 8 bytes
//! moved per edge; on a restricted set of pairs also a few conjugate-gradient steps over the lists of neighbours.
//!
//! Where views lack nodes, an edge's steps run over the views that have it (`groups`), and a view's inverse is that of
//! its own complete graph.
//!
//! Needs only the proximal maps of c and r, and c need not be separable over the edges: then its prox is a pass of its
//! own. ρ balances the residuals. When both are small the certificate is computed; unless its gap is within the
//! tolerance, the residual tolerances are tightened and the iteration continues. It never stops on a small change of
//! the objective.

mod degrees;
mod groups;
mod pass;
mod residuals;
mod start;
mod state;
mod tiles;
mod z_step;

use residuals::Residuals;
use state::State;

use super::solver::check_start;
use super::{Solution, Solver};
use crate::edges::ViewMatrix;
use crate::error::Error;
use crate::methods::smooth::Problem;
use crate::methods::smooth::certificate::certify;
use crate::progress::{Progress, Status, Watch};

/// How the (z^i, z)-step `eq:admm_second` is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZStep {
    /// Exactly: per edge it is one monotone piecewise linear equation in z.
    #[default]
    Exact,
    /// As in the paper: alternating `eq:admm_zi_step` and `eq:admm_z_step` this many times, and the former once more.
    BlockCoordinateDescent {
        /// The number of alternations.
        sweeps: usize,
    },
}

/// Settings of the ADMM solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Admm {
    /// The relative gap at which a result counts as converged.
    pub tolerance: f64,
    /// The most iterations.
    pub max_iterations: usize,
    /// The (z^i, z)-step.
    pub z_step: ZStep,
    /// The first ρ, in units of κ.
    pub rho: f64,
    /// Whether ρ is adapted to balance the residuals.
    pub adaptive_rho: bool,
    /// Over-relaxation, between 1 (none) and 2.
    pub relaxation: f64,
    /// Absolute tolerance on the residuals (per entry) at which the certificate is first asked.
    pub absolute_tolerance: f64,
    /// Relative tolerance on the residuals at which the certificate is first asked.
    pub relative_tolerance: f64,
}

impl Default for Admm {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 50_000,
            z_step: ZStep::Exact,
            rho: 5.0,
            adaptive_rho: true,
            relaxation: 1.6,
            absolute_tolerance: 1e-5,
            relative_tolerance: 1e-3,
        }
    }
}

/// Residuals are computed every so many iterations.
const CHECK_EVERY: usize = 10;
/// ρ is changed by at least this factor or not at all: each change costs some progress.
const RHO_FACTOR: f64 = 2.0;
/// How much the residual tolerances are tightened when the gap is not there yet.
const TIGHTEN: f64 = 0.3;
/// From this iteration on the certificate is computed now and then, whatever the residuals are.
const PATIENCE: usize = 200;
/// Residual tolerances below this are rounding.
const ROUNDING: f64 = 1e-15;

impl Solver for Admm {
    fn name(&self) -> &'static str {
        "admm"
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn solve(&self, problem: &Problem, start: Option<&ViewMatrix>, watch: Watch<'_>) -> Result<Solution, Error> {
        check_start(problem, start)?;
        self.check_settings()?;
        if problem.frozen_consensus().is_some() {
            return Err(Error::Unsupported {
                solver: "admm",
                term: "a frozen consensus".into(),
                need: "it looks for a consensus; the solver `newton` takes one as given",
            });
        }
        if problem.penalty().has_places() && !problem.membership().is_total() {
            return Err(Error::Unsupported {
                solver: "admm",
                term: format!("{} of views that lack nodes", problem.penalty().name()),
                need: "it takes edges together by the views that have them; the solver `newton` takes each as it is",
            });
        }
        // From inside the pool: a pass takes less time than it takes to wake a thread and wait for it.
        Ok(rayon::scope(|_| self.run(problem, start, watch)))
    }
}

impl Admm {
    fn run(&self, problem: &Problem, start: Option<&ViewMatrix>, watch: Watch<'_>) -> Solution {
        let mut state = match start.and_then(|start| State::warm(problem, self.rho, start)) {
            Some(state) => state,
            None => State::cold(problem, self.rho),
        };
        let (mut absolute, mut relative) = (self.absolute_tolerance, self.relative_tolerance);
        let mut status = Status::IterationLimit;
        let mut iteration = 0;
        let mut next_adaption = CHECK_EVERY;
        while iteration < self.max_iterations {
            iteration += 1;
            let Some(residuals) = state.iterate(problem, self, iteration.is_multiple_of(CHECK_EVERY)) else {
                continue;
            };
            let progress = Progress::Solving {
                iteration,
                gap: residuals.worst(0.0, 1.0),
                tolerance: self.tolerance,
            };
            if watch(&progress).is_break() {
                status = Status::Interrupted;
                break;
            }
            let small = residuals.worst(absolute, relative) <= 1.0;
            let settling = iteration >= next_adaption;
            // Residuals only say when to ask; the certificate decides.
            if small || settling && iteration >= PATIENCE {
                let (_, certificate) = certify(problem, state.weights(problem), &state.dual_point(problem));
                if certificate.relative_gap <= self.tolerance {
                    status = Status::Converged;
                    break;
                }
            }
            if small {
                // Tightened to rounding, and still no certificate: nothing more can be gained.
                if relative <= ROUNDING {
                    status = Status::Stalled;
                    break;
                }
                absolute *= TIGHTEN;
                relative *= TIGHTEN;
            }
            if settling {
                // Rarer and rarer, so that ρ settles and convergence is that of a fixed ρ.
                next_adaption = iteration + iteration / 4 + CHECK_EVERY;
                if self.adaptive_rho {
                    state.adapt_rho(&residuals, absolute, relative);
                }
            }
        }
        let dual = state.dual_point(problem);
        Solution::certified(problem, state.weights(problem), dual, self.tolerance, status, iteration)
    }

    fn check_settings(&self) -> Result<(), Error> {
        let refuse = |what, message: String| Err(Error::Invalid { what, message });
        if !(self.rho > 0.0 && self.rho.is_finite()) {
            return refuse("rho", format!("is {}; it must be positive and finite", self.rho));
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return refuse(
                "relaxation",
                format!("is {}; it must be between 0 and 2", self.relaxation),
            );
        }
        if let ZStep::BlockCoordinateDescent { sweeps: 0 } = self.z_step {
            return refuse("sweeps", "is 0; at least one alternation is needed".into());
        }
        Ok(())
    }
}

impl State {
    /// Moves ρ towards equal residuals, each measured against its tolerance.
    fn adapt_rho(&mut self, residuals: &Residuals, absolute: f64, relative: f64) {
        let (primal, dual) = residuals.scaled(absolute, relative);
        let factor = (primal / dual).sqrt();
        if factor.is_finite() && !(RHO_FACTOR.recip()..=RHO_FACTOR).contains(&factor) {
            self.change_rho(self.rho() * factor.clamp(0.1, 10.0));
        }
    }
}
