//! Solvers: settings in, a certified [`Solution`] out.
//!
//! - [`Newton`](super::Newton): on the degrees' multipliers; fast and accurate, for penalties with a joint edge minimiser;
//! - [`Admm`](super::Admm): the paper's algorithm; needs only the proximal maps.
//!
//! A solver keeps no results in its fields. Not converging is a [`Status`], unusable input an [`Error`].

use std::fmt;

use super::WorkingSet;
use crate::edges::{ViewMatrix, Weights};
use crate::error::Error;
use crate::methods::smooth::Problem;
use crate::methods::smooth::certificate::{Certificate, DualPoint, certify};
use crate::progress::{Status, Watch};

/// A certified result.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The weights of the edges that are present.
    pub weights: Weights,
    /// The multipliers λ, one row per node: a warm start for a neighbouring problem.
    pub multipliers: ViewMatrix,
    /// How close to optimal the weights are.
    pub certificate: Certificate,
    /// Why the solver stopped.
    pub status: Status,
    /// Iterations done.
    pub iterations: usize,
}

impl Solution {
    /// Certifies what a solver found. Whether it converged is for the certificate to say.
    pub(super) fn certified(
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
    fn solve(&self, problem: &Problem, start: Option<&ViewMatrix>, watch: Watch<'_>) -> Result<Solution, Error>;
}

/// A start of the wrong size is refused rather than misread.
pub(super) fn check_start(problem: &Problem, start: Option<&ViewMatrix>) -> Result<(), Error> {
    match start {
        Some(start) if start.n_rows() != problem.n_nodes() || start.n_views() != problem.n_views() => {
            Err(Error::Invalid {
                what: "start",
                message: format!(
                    "has multipliers for {} nodes and {} views; the problem has {} and {}",
                    start.n_rows(),
                    start.n_views(),
                    problem.n_nodes(),
                    problem.n_views()
                ),
            })
        }
        Some(start) if start.values().iter().any(|value| !value.is_finite()) => Err(Error::Invalid {
            what: "start",
            message: "has multipliers that are not finite".into(),
        }),
        _ => Ok(()),
    }
}
