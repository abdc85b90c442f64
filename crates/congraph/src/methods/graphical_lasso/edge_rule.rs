//! Which entries of a precision matrix are edges.
//!
//! Off the diagonal, −θ_ij is the partial covariance of two nodes given all others. A graph Laplacian has no positive
//! entry there, so a positive θ_ij cannot be an edge of a graph on which the signals are smooth. Both rules are
//! reported wherever the joint graphical lasso is scored: the first because it is customary, the second because it is
//! fair.

use crate::edges::{Edges, ViewMatrix};
use crate::graph::MultiviewGraph;

/// Which entries of a precision matrix are edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeRule {
    /// Every entry that is not zero, with the weight |θ_ij|.
    NonZero,
    /// Every negative entry, with the weight −θ_ij.
    Negative,
}

impl EdgeRule {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::NonZero, Self::Negative];

    /// The name by which results tell them apart.
    pub fn name(self) -> &'static str {
        match self {
            Self::NonZero => "nonzero",
            Self::Negative => "negative",
        }
    }

    /// The weight of an entry; 0 if it is no edge.
    pub fn weight(self, entry: f64) -> f64 {
        match self {
            Self::NonZero => entry.abs(),
            Self::Negative => (-entry).max(0.0),
        }
    }

    /// The graphs of precision matrices given row after row, one per view; they have no consensus.
    ///
    /// # Panics
    /// If there is not one matrix of the right size per view.
    pub fn graph(self, nodes: Vec<String>, views: Vec<String>, precisions: &[Vec<f64>]) -> MultiviewGraph {
        let n = nodes.len();
        assert_eq!(precisions.len(), views.len(), "one matrix per view");
        assert!(
            precisions.iter().all(|matrix| matrix.len() == n * n),
            "one row per node"
        );
        let edges = Edges::complete(n);
        let weight = |&[a, b]: &[u32; 2], matrix: &[f64]| self.weight(matrix[a as usize * n + b as usize]);
        let row = |pair| precisions.iter().map(move |matrix| weight(pair, matrix));
        let weights = ViewMatrix::from_values(views.len(), edges.pairs().iter().flat_map(row).collect());
        MultiviewGraph::new(nodes, views, edges.pairs(), &weights, None)
    }
}
