//! Solvers: settings in, a certified [`Solution`] out.
//!
//! - [`Newton`](super::Newton): on the degrees' multipliers; fast and accurate, for penalties with a joint edge
//!   minimiser;
//! - [`Admm`](super::Admm): the paper's algorithm; needs only the proximal maps.
//!
//! A solver keeps no results in its fields. Not converging is a [`Status`], unusable input an [`Error`].

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::model::Model;
use super::working_set::{Start, WorkingSet};
use crate::distances::Distances;
use crate::edges::{Edges, ViewMatrix, Weights, is_negative, pair_of};
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

    /// The pairs a < b that are present in some view or in the consensus, with their weights: of signed edges those of
    /// the positive edge less those of the negative one.
    pub fn pairs(&self) -> Box<dyn Iterator<Item = PresentPair<'_>> + '_> {
        let listed = self.distances.edges().pairs();
        match self.net() {
            Some(net) => Box::new((0..net.pairs.len()).map(move |k| {
                let row = net.views.row(k).to_vec();
                (net.pairs[k], Cow::Owned(row), net.consensus[k])
            })),
            None => {
                let weights = self.weights.iter();
                Box::new(weights.map(|(edge, row, consensus)| (listed[edge], Cow::Borrowed(row), consensus)))
            }
        }
    }

    /// Where edges are signed, what they come to for each pair.
    fn net(&self) -> Option<Net> {
        let edges = self.distances.edges();
        edges.is_signed().then(|| Net::new(edges, &self.weights))
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
        match self.net() {
            Some(net) => graph::mean_density(&net.views, self.membership()),
            None => graph::mean_density(self.weights.views(), self.membership()),
        }
    }

    /// The mean correlation between views; none for a single one.
    pub fn similarity(&self) -> Option<f64> {
        if let Some(net) = self.net() {
            return if self.membership().is_total() {
                graph::mean_correlation(&net.views, self.n_pairs())
            } else {
                graph::mean_common_correlation(&net.pairs.iter().zip(net.views.rows()), self.membership())
            };
        }
        if self.membership().is_total() {
            return graph::mean_correlation(self.weights.views(), self.n_pairs());
        }
        let listed = self.distances.edges().pairs();
        let pairs = self.weights.edges().iter().map(|&edge| &listed[edge as usize]);
        graph::mean_common_correlation(&pairs.zip(self.weights.views().rows()), self.membership())
    }

    /// The density of the consensus (of no meaning where each view is learned on its own).
    pub fn consensus_density(&self) -> f64 {
        match self.net() {
            Some(net) => graph::density(net.consensus.iter().copied(), self.n_pairs()),
            None => graph::density(self.weights.consensus().iter().copied(), self.n_pairs()),
        }
    }

    /// Whether the relative gap is within the tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}

/// A pair that is present, its weights in the views, and its consensus weight.
pub type PresentPair<'a> = ([u32; 2], Cow<'a, [f64]>, f64);

/// What signed edges come to: for each pair a < b the weights of its positive edge less those of its negative one.
struct Net {
    pairs: Vec<[u32; 2]>,
    views: ViewMatrix,
    consensus: Vec<f64>,
}

impl Net {
    fn new(edges: &Edges, weights: &Weights) -> Self {
        let mut present: Vec<([u32; 2], usize)> = Vec::with_capacity(weights.edges().len());
        present.extend(
            weights
                .edges()
                .iter()
                .enumerate()
                .map(|(k, &edge)| (edges.pairs()[edge as usize], k)),
        );
        present.sort_unstable_by_key(|&(edge, _)| pair_of(edge));
        let mut net = Self {
            pairs: Vec::with_capacity(present.len()),
            views: ViewMatrix::with_capacity(present.len(), weights.views().n_views()),
            consensus: Vec::with_capacity(present.len()),
        };
        for (edge, k) in present {
            if net.pairs.last() != Some(&pair_of(edge)) {
                net.pairs.push(pair_of(edge));
                net.views.resize(net.pairs.len());
                net.consensus.push(0.0);
            }
            let last = net.pairs.len() - 1;
            let sign = if is_negative(edge) { -1.0 } else { 1.0 };
            // 0 − 0 stays 0.
            let add = |sum: &mut f64, weight: f64| *sum += if weight == 0.0 { 0.0 } else { sign * weight };
            for (sum, &weight) in net.views.row_mut(last).iter_mut().zip(weights.views().row(k)) {
                add(sum, weight);
            }
            add(&mut net.consensus[last], weights.consensus()[k]);
        }
        net
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
