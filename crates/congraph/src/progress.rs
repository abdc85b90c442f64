//! Progress of a computation, how to stop it, and how it ended.

use std::fmt;
use std::ops::ControlFlow;

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
    /// Computing distances: the share done.
    Distances(f64),
    /// Finding nearest neighbours: the share done, roughly.
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
    /// Checking all pairs: the share done.
    Checking(f64),
    /// Looking for α, β or γ: a fit is done.
    Tried {
        /// How many fits are done.
        solves: usize,
        /// The mean density of the last one's views.
        density: f64,
        /// Their mean correlation, if there are several.
        similarity: Option<f64>,
    },
    /// Fitting models to choose from: another one begins, or is done.
    Compared {
        /// How many are done.
        done: usize,
        /// Of how many.
        total: usize,
    },
    /// Fitting one after the other: a path, or resamples.
    Fitted {
        /// How many are done.
        done: usize,
        /// Of how many.
        total: usize,
    },
}

/// Called from time to time, from any thread. After an iteration it may ask to stop.
pub type Watch<'a> = &'a (dyn Fn(&Progress) -> ControlFlow<()> + Sync);

/// A [`Watch`] that never asks to stop.
pub fn no_progress(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
