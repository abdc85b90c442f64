//! Whether an edge would be present at given multipliers: the question that a working set asks of all pairs.

use super::edge_subproblem::EdgeSubproblem;
use super::problem::Problem;
use crate::distances::PresenceTest;

/// Tells whether an edge would be present.
pub(crate) struct Presence<'a> {
    term: EdgeSubproblem<'a>,
    kappa: f64,
}

impl<'a> Presence<'a> {
    /// For a problem whose penalty and regulariser offer the joint minimiser.
    pub(crate) fn new(problem: &'a Problem) -> Option<Self> {
        Some(Self {
            term: problem.edge_term()?,
            kappa: problem.kappa(),
        })
    }
}

impl PresenceTest for Presence<'_> {
    fn kappa(&self) -> f64 {
        self.kappa
    }

    fn is_absent(&self, targets: &[f64]) -> bool {
        self.term.is_absent(targets)
    }

    fn pull(&self) -> Option<[f64; 2]> {
        let term = &self.term;
        let plain = !term.masked && term.frozen.is_none() && term.tau > 0.0;
        (plain && term.joint.is_pull()).then_some([term.tau, term.sigma])
    }
}
