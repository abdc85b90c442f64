//! What a projection found: the view's graph beside the consensus, and how their edges differ.

use std::time::Duration;

use crate::error::Warning;
use crate::graph::MultiviewGraph;
use crate::methods::Certificate;
use crate::progress::Status;

/// How a view's edge relates to the consensus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Departure {
    /// Both have it, with the same sign.
    Shared,
    /// Only the view has it, or has it with the other sign.
    Added,
    /// Only the consensus has it.
    Lacking,
    /// The consensus has it, and the view lacks one of its nodes: it has no say.
    Unmeasured,
}

impl Departure {
    /// `shared`, `added`, `lacking` or `unmeasured`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Added => "added",
            Self::Lacking => "lacking",
            Self::Unmeasured => "unmeasured",
        }
    }
}

/// The graph of a new view beside the consensus it was projected on, with its certificate.
#[derive(Clone, Debug)]
pub struct Projection {
    /// One view and the consensus, with nodes in the order of the consensus; masked where the view lacks some.
    pub graph: MultiviewGraph,
    /// How close to optimal it is.
    pub certificate: Certificate,
    /// Why the solver stopped.
    pub status: Status,
    /// How many iterations it took.
    pub iterations: usize,
    /// How long the distances took.
    pub distances_time: Duration,
    /// How long the solver took.
    pub solve_time: Duration,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl Projection {
    /// The view's name.
    pub fn name(&self) -> &str {
        &self.graph.views()[0]
    }

    /// Whether the relative gap is within the solver's tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }

    /// How far the view is from the consensus, from 0 (equal) to 1 (nothing shared).
    pub fn uniqueness(&self) -> f64 {
        self.graph.uniqueness(0).unwrap_or(0.0)
    }

    /// Every edge of the view or of the consensus: the pair, its weight in the view and in the consensus, and which has
    /// it.
    pub fn edges(&self) -> impl Iterator<Item = ([u32; 2], f64, f64, Departure)> + '_ {
        let consensus = self.graph.consensus().unwrap_or_default();
        let pairs = self
            .graph
            .pairs()
            .iter()
            .zip(self.graph.weights().column(0))
            .zip(consensus);
        let has = |pair| self.graph.membership().has_pair(0, pair);
        pairs.map(move |((&pair, weight), &consensus)| {
            let departure = match (weight != 0.0, consensus != 0.0 && (weight < 0.0) == (consensus < 0.0)) {
                (true, true) => Departure::Shared,
                (true, false) => Departure::Added,
                (false, _) if has(pair) => Departure::Lacking,
                (false, _) => Departure::Unmeasured,
            };
            (pair, weight, consensus, departure)
        })
    }

    /// The edges that the view adds to the consensus.
    pub fn added(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.departing(Departure::Added)
    }

    /// The edges of the consensus that the view lacks, of those whose nodes it has.
    pub fn lacking(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.departing(Departure::Lacking)
    }

    /// The edges that both have.
    pub fn shared(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.departing(Departure::Shared)
    }

    fn departing(&self, asked: Departure) -> impl Iterator<Item = [u32; 2]> + '_ {
        let edges = self.edges().filter(move |&(_, _, _, departure)| departure == asked);
        edges.map(|(pair, ..)| pair)
    }
}
