//! What a comparison tells: of edges, components, nodes and whole graphs.

use super::Measure;
use super::permutations::reached;

/// A group of views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its label.
    pub name: String,
    /// How many views it has.
    pub n_views: usize,
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeRow {
    /// Its nodes.
    pub pair: [usize; 2],
    /// In how many views of each group it is.
    pub present: Vec<usize>,
    /// Its mean weight in each group.
    pub means: Vec<f64>,
    /// Its statistic.
    pub statistic: f64,
    /// The share of relabellings that give this edge at least as large a statistic.
    pub p_uncorrected: f64,
    /// The share that give any edge at least as large a one.
    pub p_fwe: f64,
    /// The component that it is part of, by its place.
    pub component: Option<usize>,
}

/// Connected edges, all above the threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentRow {
    /// How many nodes it has.
    pub n_nodes: usize,
    /// How many edges.
    pub n_edges: usize,
    /// The sum of what they are above the threshold.
    pub intensity: f64,
    /// The share of relabellings that give any component at least as large an intensity.
    pub p_fwe: f64,
}

/// The strength of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRow {
    /// The node.
    pub node: usize,
    /// Its mean strength in each group.
    pub means: Vec<f64>,
    /// Its statistic.
    pub statistic: f64,
    /// The share of relabellings that give this node at least as large a statistic.
    pub p_uncorrected: f64,
    /// The share that give any node at least as large a one.
    pub p_fwe: f64,
}

/// A measure of whole graphs.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureRow {
    /// Which.
    pub measure: Measure,
    /// Its mean in each group.
    pub means: Vec<f64>,
    /// Its statistic.
    pub statistic: f64,
    /// The share of relabellings that give this measure at least as large a statistic.
    pub p_uncorrected: f64,
    /// The share that give any measure at least as large a one.
    pub p_fwe: f64,
}

/// An edge in two of more than two groups.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowUpRow {
    /// Its nodes.
    pub pair: [usize; 2],
    /// The two groups, by their places.
    pub groups: [usize; 2],
    /// The mean weight in the second less that in the first.
    pub difference: f64,
    /// The statistic: z or t.
    pub statistic: f64,
    /// The share of relabellings that give this edge and these groups at least as large a statistic.
    pub p_uncorrected: f64,
    /// The share that give any edge and any two groups at least as large a one.
    pub p_fwe: f64,
}

/// What relabelling gave: one number for each, sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Null(Vec<f64>);

impl Null {
    pub(super) fn new(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        Self(values)
    }

    /// The numbers, sorted.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The smallest of them that a share of all does not exceed; none of none.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let at = (share * self.0.len() as f64).ceil() as usize;
        self.0
            .get(at.saturating_sub(1).min(self.0.len().wrapping_sub(1)))
            .copied()
    }

    /// How many are as large as that, but for rounding.
    pub(super) fn n_reaching(&self, size: f64) -> usize {
        let bound = reached(size);
        self.0.len() - self.0.partition_point(|value| *value < bound)
    }
}
