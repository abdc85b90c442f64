//! Solvers: settings in, a certified [`Solution`] out.
//!
//! - [`Newton`](super::Newton): on the degrees' multipliers; fast and accurate, for penalties with a joint edge
//!   minimiser;
//! - [`Admm`](super::Admm): the paper's algorithm; needs only the proximal maps.
//!
//! A solver keeps no results in its fields. Not converging is a [`Status`], unusable input an [`Error`].

use std::fmt;
use std::sync::Arc;

use super::model::Model;
use super::working_set::{Start, WorkingSet};
use crate::distances::Distances;
use crate::edges::{ViewMatrix, Weights};
use crate::error::Error;
use crate::graph;
use crate::methods::Certificate;
use crate::methods::smooth::Problem;
use crate::methods::smooth::certificate::{DualPoint, ProxPoints, certify};
use crate::progress::{Status, Watch};
use crate::views::Membership;

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
    /// The pairs that it was found on, with their distances: edges are numbered as there.
    pub distances: Arc<Distances>,
    /// Whether these are a working set, of all pairs those that matter.
    pub(crate) is_working_set: bool,
    /// Where the proximal maps were last taken, if the certificate needs them.
    pub(crate) prox_points: Option<ProxPoints>,
}

impl Solution {
    /// Certifies what a solver found. The certificate decides whether it converged.
    pub fn certified(
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
            distances: Arc::clone(problem.distances_shared()),
            is_working_set: false,
            prox_points: dual.prox_points,
        }
    }

    /// A start for a neighbouring problem.
    pub fn start(&self) -> Start {
        // Where pairs are listed they are the same for every fit.
        let pairs = if self.is_working_set {
            self.distances.edges().pairs()
        } else {
            &[]
        };
        Start {
            multipliers: self.multipliers.clone(),
            pairs: pairs.to_vec(),
        }
    }

    /// The pairs that are present in some view or in the consensus, with their weights.
    pub fn pairs(&self) -> impl Iterator<Item = ([u32; 2], &[f64], f64)> {
        let listed = self.distances.edges().pairs();
        let weights = self.weights.iter();
        weights.map(|(edge, row, consensus)| (listed[edge], row, consensus))
    }

    /// Which view has which node.
    fn membership(&self) -> &Membership {
        self.distances.membership()
    }

    /// How many pairs of nodes there are that some view has.
    pub fn n_pairs(&self) -> usize {
        self.membership().n_pairs()
    }

    /// How many pairs of nodes a view has.
    pub(crate) fn n_pairs_of(&self, view: usize) -> usize {
        self.membership().n_pairs_of(view)
    }

    /// The mean density of the views.
    pub fn density(&self) -> f64 {
        graph::mean_density(self.weights.views(), self.membership())
    }

    /// The mean correlation between views; none for a single one.
    pub fn similarity(&self) -> Option<f64> {
        if self.membership().is_total() {
            return graph::mean_correlation(self.weights.views(), self.n_pairs());
        }
        let listed = self.distances.edges().pairs();
        let pairs = self.weights.edges().iter().map(|&edge| &listed[edge as usize]);
        graph::mean_common_correlation(&pairs.zip(self.weights.views().rows()), self.membership())
    }

    /// The density of the consensus (of no meaning where each view is learned on its own).
    pub fn consensus_density(&self) -> f64 {
        graph::density(self.weights.consensus().iter().copied(), self.n_pairs())
    }

    /// Whether the relative gap is within the tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}

/// What a solver needs of the penalty and the regulariser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Their proximal maps, which all have.
    ProximalMaps,
    /// The minimiser over one edge, jointly over the views and the consensus: the penalty's
    /// [joint](crate::penalties::Penalty::joint) minimiser, and the [slope](crate::regularisers::Regulariser::slope) of the regulariser.
    EdgeMinimiser,
}

impl Needs {
    /// Refuses a model that does not offer it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with what is missing, and which solver does without.
    pub fn check(self, model: &Model, solver: &'static str) -> Result<(), Error> {
        match self {
            // A regulariser that nothing weighs may be any.
            Self::EdgeMinimiser if model.parameters.gamma == 0.0 && model.penalty().joint().is_some() => Ok(()),
            Self::EdgeMinimiser if !model.has_edge_minimiser() => Err(without_edge_minimiser(model, solver)),
            _ => Ok(()),
        }
    }
}

/// The error of a solver that needs the edge minimiser where there is none.
pub(super) fn without_edge_minimiser(model: &Model, solver: &'static str) -> Error {
    let term = if model.penalty().joint().is_none() {
        model.penalty().name()
    } else {
        model.regulariser().name()
    };
    Error::Unsupported {
        solver,
        term: term.to_owned(),
        need: "it needs the joint edge minimiser (a regulariser: its slope); the solver `admm` needs only the prox",
    }
}

/// A way to solve the problem.
pub trait Solver: fmt::Debug + Send + Sync {
    /// The name by which users choose it.
    fn name(&self) -> &'static str;

    /// The relative gap at which a result counts as converged.
    fn tolerance(&self) -> f64;

    /// What it needs of the penalty and the regulariser.
    fn needs(&self) -> Needs {
        Needs::ProximalMaps
    }

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
