//! Solvers: settings in, a certified [`Solution`] out.
//!
//! - [`Newton`]: on the degrees' multipliers; fast and accurate, for penalties with a joint edge minimiser;
//! - [`Admm`]: the paper's algorithm; needs only the proximal maps.
//!
//! A solver keeps no results in its fields. Not converging is a [`Status`], unusable input an [`Error`].

pub mod admm;
pub mod newton;
pub mod working_set;

use std::fmt;
use std::ops::ControlFlow;

use crate::certificate::{Certificate, DualPoint, certify};
use crate::error::Error;
use crate::problem::Problem;
use crate::rows::ViewRows;
use crate::weights::Weights;

pub use admm::Admm;
pub use newton::Newton;
pub use working_set::WorkingSet;

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The certificate's relative gap is within the tolerance.
    Converged,
    /// The allowed number of iterations was used up.
    IterationLimit,
    /// No further progress is possible in f64.
    Stalled,
    /// The caller asked to stop.
    Interrupted,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::IterationLimit => "stopped at the iteration limit",
            Self::Stalled => "stopped where rounding allows no further progress",
            Self::Interrupted => "interrupted",
        })
    }
}

/// What a fit is busy with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Computing distances; the share that is done.
    Distances(f64),
    /// Finding nearest neighbours; the share that is done, about.
    Neighbours(f64),
    /// Solving.
    Solving {
        /// Iterations done.
        iteration: usize,
        /// The relative gap, or the residual that stands for it.
        gap: f64,
        /// The gap at which it ends.
        tolerance: f64,
    },
    /// Checking all pairs.
    Checking,
    /// Looking for α, β or γ: a fit is done.
    Tried {
        /// How many fits are done.
        solves: usize,
        /// The mean density of the last one's views.
        density: f64,
        /// Their mean correlation, if there are several.
        similarity: Option<f64>,
    },
    /// Fitting one after the other: a path, or resamples.
    Fitted {
        /// How many are done.
        done: usize,
        /// Of how many.
        total: usize,
    },
}

/// Called now and then, from any thread; after an iteration it may ask to stop.
pub type Watch<'a> = &'a (dyn Fn(&Progress) -> ControlFlow<()> + Sync);

/// A [`Watch`] that never asks to stop.
pub fn unwatched(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A certified result.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The weights of the edges that are present.
    pub weights: Weights,
    /// The multipliers λ, one row per node: a warm start for a neighbouring problem.
    pub multipliers: ViewRows,
    /// How close to optimal the weights are.
    pub certificate: Certificate,
    /// Why the solver stopped.
    pub status: Status,
    /// Iterations done.
    pub iterations: usize,
}

impl Solution {
    /// Certifies what a solver found. Whether it converged is for the certificate to say.
    fn certified(
        problem: &Problem,
        weights: Weights,
        dual: DualPoint,
        tolerance: f64,
        status: Status,
        iterations: usize,
    ) -> Self {
        let (weights, certificate) = certify(problem, weights, &dual);
        let status = match status {
            Status::Interrupted => Status::Interrupted,
            _ if certificate.relative_gap <= tolerance => Status::Converged,
            Status::Converged => Status::Stalled,
            other => other,
        };
        Self {
            weights,
            multipliers: dual.multipliers,
            certificate,
            status,
            iterations,
        }
    }

    /// Whether the relative gap is within the tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}

/// A way to solve the problem.
pub trait Solver: fmt::Debug + Send + Sync {
    /// The name by which users choose it.
    fn name(&self) -> &'static str;

    /// The relative gap at which a result counts as converged.
    fn tolerance(&self) -> f64;

    /// The working-set method around this solver, if it can solve on any set of pairs.
    fn working_set(&self) -> Option<WorkingSet> {
        None
    }

    /// Solves the problem, from the multipliers of an earlier [`Solution`] if given.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the penalty or regulariser does not offer what the solver needs.
    fn solve(&self, problem: &Problem, start: Option<&ViewRows>, watch: Watch<'_>) -> Result<Solution, Error>;
}

/// A start of the wrong size is refused rather than misread.
fn check_start(problem: &Problem, start: Option<&ViewRows>) -> Result<(), Error> {
    match start {
        Some(start) if start.n_rows() != problem.n_nodes() || start.n_views() != problem.n_views() => {
            Err(Error::Parameter {
                name: "start",
                message: format!(
                    "has multipliers for {} nodes and {} views; the problem has {} and {}",
                    start.n_rows(),
                    start.n_views(),
                    problem.n_nodes(),
                    problem.n_views()
                ),
            })
        }
        Some(start) if start.values().iter().any(|value| !value.is_finite()) => Err(Error::Parameter {
            name: "start",
            message: "has multipliers that are not finite".into(),
        }),
        _ => Ok(()),
    }
}
