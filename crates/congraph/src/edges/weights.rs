//! Weights of the edges that are present: what a solver hands over and a certificate judges.

use crate::edges::{Edges, ViewMatrix};
use crate::parallel::chunks;
use crate::team::Share;

/// Totals this close to n (relative) are taken as n: scaling them would only break the equality of fused weights.
const TOTAL_TOLERANCE: f64 = 1e-13;

/// Degrees are added up in at most this many parts, each of this many edges for each node.
const PARTS: usize = 8;
const EDGES_PER_PART: usize = 4;

/// The edges with a weight > 0 in some view or in the consensus, in the order of the problem's edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    edges: Vec<u32>,
    views: ViewMatrix,
    consensus: Vec<f64>,
}

impl Weights {
    /// No edges yet.
    pub fn empty(n_views: usize) -> Self {
        Self {
            edges: Vec::new(),
            views: ViewMatrix::zeros(0, n_views),
            consensus: Vec::new(),
        }
    }

    /// From one row of weights per edge of the problem; edges that are absent everywhere are left out.
    pub fn from_dense(views: &ViewMatrix, consensus: &[f64]) -> Self {
        let mut weights = Self::empty(views.n_views());
        for (edge, (row, &consensus)) in views.rows().zip(consensus).enumerate() {
            if consensus > 0.0 || row.iter().any(|&weight| weight > 0.0) {
                weights.push(edge, row, consensus);
            }
        }
        weights
    }

    /// Adds an edge; edges must come in increasing order.
    pub(crate) fn push(&mut self, edge: usize, row: &[f64], consensus: f64) {
        debug_assert!(self.edges.last().is_none_or(|&last| (last as usize) < edge));
        self.edges.push(edge as u32);
        self.views.push_row(row);
        self.consensus.push(consensus);
    }

    /// Adds all edges of another set, which must come after those already here.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.edges.append(&mut other.edges);
        self.views.append(&mut other.views);
        self.consensus.append(&mut other.consensus);
    }

    /// Which edges of the problem, in increasing order.
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// One row of view weights per edge.
    pub fn views(&self) -> &ViewMatrix {
        &self.views
    }

    /// One consensus weight per edge.
    pub fn consensus(&self) -> &[f64] {
        &self.consensus
    }

    /// Every edge with its view weights and its consensus weight.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[f64], f64)> {
        self.edges
            .iter()
            .zip(self.views.rows())
            .zip(&self.consensus)
            .map(|((&edge, row), &consensus)| (edge as usize, row, consensus))
    }

    /// Removes all edges and keeps the allocation.
    pub(crate) fn clear(&mut self) {
        self.edges.clear();
        self.views.clear();
        self.consensus.clear();
    }

    /// Joins the edges of all chunks.
    pub(crate) fn joined(blocks: Vec<Self>, n_views: usize) -> Self {
        let mut weights = Self::empty(n_views);
        for mut block in blocks {
            weights.append(&mut block);
        }
        weights
    }

    /// S w: the degrees of every node in every view.
    pub fn degrees(&self, edges: &Edges) -> ViewMatrix {
        edges.degrees_of(&self.views, |k| self.edges[k] as usize)
    }

    /// S w of the edges of all chunks, and of those that others have: leaf by leaf, so that the same is found by any number
    /// of threads and members. In a small problem, where edges are many for each node, in a fixed number of parts.
    pub(crate) fn degrees_of_blocks(blocks: &[Self], edges: &Edges, n_views: usize, share: &Share) -> ViewMatrix {
        if !share.is_one_leaf() {
            let starts = share.leaf_starts();
            let sum = share.sum_with(edges.n_nodes() * n_views, |leaf, degrees| {
                for (edge, row, _) in blocks[starts[leaf]..starts[leaf + 1]].iter().flat_map(Self::iter) {
                    let (a, b) = edges.ends(edge);
                    for first in [a * n_views, b * n_views] {
                        let degrees = &mut degrees[first..first + n_views];
                        degrees
                            .iter_mut()
                            .zip(row)
                            .for_each(|(degree, weight)| *degree += weight);
                    }
                }
            });
            return ViewMatrix::from_values(n_views, sum);
        }
        let n_edges: usize = blocks.iter().map(|block| block.edges.len()).sum();
        let n_parts = (n_edges / (EDGES_PER_PART * edges.n_nodes().max(1))).clamp(1, PARTS);
        let parts: Vec<&[Self]> = blocks.chunks(blocks.len().div_ceil(n_parts).max(1)).collect();
        let part = |blocks: &&[Self]| {
            let mut degrees = ViewMatrix::zeros(edges.n_nodes(), n_views);
            for (edge, row, _) in blocks.iter().flat_map(Self::iter) {
                edges.add_degrees(edge, row, &mut degrees);
            }
            degrees
        };
        match parts[..] {
            [] => ViewMatrix::zeros(edges.n_nodes(), n_views),
            _ => ViewMatrix::sum(chunks::map_items(&parts, part)),
        }
    }

    /// Scales each view to its total and, if any had to be scaled, takes the consensus of every edge anew from
    /// `consensus`. Back as they are if a view has no edge to scale.
    pub(crate) fn scaled_to(
        mut self,
        totals: &[f64],
        mut consensus: impl FnMut(usize, &[f64]) -> Option<f64>,
    ) -> Result<Self, Self> {
        let sums = self.views.column_sums();
        if sums.iter().any(|&sum| !(sum.is_finite() && sum > 0.0)) {
            return Err(self);
        }
        let mut pairs = sums.iter().zip(totals);
        if pairs.all(|(sum, total)| (sum / total - 1.0).abs() <= TOTAL_TOLERANCE) {
            return Ok(self);
        }
        for row in self.views.rows_mut() {
            for (weight, (sum, total)) in row.iter_mut().zip(sums.iter().zip(totals)) {
                *weight *= total / sum;
            }
        }
        let rows = self.edges.iter().zip(self.views.rows());
        for (weight, (&edge, row)) in self.consensus.iter_mut().zip(rows) {
            if let Some(value) = consensus(edge as usize, row) {
                *weight = value;
            }
        }
        Ok(self)
    }
}
