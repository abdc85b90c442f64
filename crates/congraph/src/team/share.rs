//! The part of a list of edges that a member has.

use std::ops::Range;
use std::sync::Arc;

use super::leaves::Leaves;
use super::{Alone, Team};
use crate::parallel::chunks;

/// Which edges of a list this member has, and how everybody's are added up.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    team: Arc<dyn Team>,
    leaves: Leaves,
    n_edges: usize,
}

impl PartialEq for Share {
    fn eq(&self, other: &Self) -> bool {
        let who = |share: &Self| (share.team.rank(), share.team.size(), share.n_edges);
        self.leaves == other.leaves && who(self) == who(other)
    }
}

impl Share {
    /// Of a list of so many edges between so many nodes.
    pub(crate) fn new(team: Arc<dyn Team>, n_nodes: usize, n_edges: usize) -> Self {
        Self {
            team,
            leaves: Leaves::new(n_nodes, chunks::count(n_edges)),
            n_edges,
        }
    }

    /// All of it.
    pub(crate) fn whole(n_nodes: usize, n_edges: usize) -> Self {
        Self::new(Arc::new(Alone), n_nodes, n_edges)
    }

    pub(crate) fn team(&self) -> &dyn Team {
        self.team.as_ref()
    }

    /// Whether nothing of a sum is shared out, nor ever will be.
    pub(crate) fn is_one_leaf(&self) -> bool {
        self.leaves.count() == 1
    }

    /// The edges of a member in the whole list: whole blocks of [`chunks`].
    pub(crate) fn edges_of(&self, rank: usize) -> Range<usize> {
        let leaves = self.leaves.of_member(rank, self.team.size());
        let first = |leaf: usize| chunks::start(self.leaves.start(leaf)).min(self.n_edges);
        first(leaves.start)..first(leaves.end)
    }

    /// This member's own.
    pub(crate) fn edges(&self) -> Range<usize> {
        self.edges_of(self.team.rank())
    }

    /// The first of this member's own blocks of each of its own leaves, and last how many blocks it has.
    pub(crate) fn leaf_starts(&self) -> Vec<usize> {
        let leaves = self.leaves.of_member(self.team.rank(), self.team.size());
        let first = self.leaves.start(leaves.start);
        (leaves.start..=leaves.end)
            .map(|leaf| self.leaves.start(leaf) - first)
            .collect()
    }

    /// Everybody's values, those of the first edges first.
    pub(crate) fn in_order(&self, own: Vec<f64>) -> Vec<f64> {
        if self.team.is_alone() {
            return own;
        }
        self.team().gather_values(&own).concat()
    }

    /// The sum of all leaves, entry by entry; `fill` adds up one of this member's (from 0 on) to a row of zeros.
    pub(crate) fn sum_with(&self, length: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let first = self.leaves.of_member(self.team.rank(), self.team.size()).start;
        let fill = |leaf: usize, row: &mut [f64]| fill(leaf - first, row);
        self.leaves.sum_with(self.team(), length, &fill)
    }
}
