//! Who differs, as `congraph compare` found it.

use congraph::MultiviewGraph;
use congraph::compare::Comparison;
use serde::{Deserialize, Serialize};

use crate::choices::Choice;
use crate::record::{CompareRecord, FoundRecord};

/// A comparison of groups of views, or of two conditions of the same subjects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownComparison {
    /// Who was compared with whom and how, as `compare.json` tells it.
    pub record: CompareRecord,
    /// The edges that were tested.
    pub edges: Vec<ComparedEdge>,
    /// Components of edges, the most intense first.
    pub components: Vec<ComparedComponent>,
    /// The strengths of nodes.
    pub nodes: Vec<Compared>,
    /// Measures of whole graphs.
    pub measures: Vec<Compared>,
}

/// An edge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedEdge {
    /// Its nodes.
    pub pair: [u32; 2],
    /// In how many views of each group it is.
    pub present: Vec<usize>,
    /// Its mean weight in each group.
    pub means: Vec<f64>,
    /// Its statistic.
    pub statistic: f64,
    /// Without regard to how many edges there are.
    pub p_uncorrected: f64,
    /// With it.
    pub p_fwe: f64,
    /// The component it is part of, from 0.
    pub component: Option<usize>,
}

/// Connected edges, all above the threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedComponent {
    /// How many nodes it has.
    pub n_nodes: usize,
    /// How many edges.
    pub n_edges: usize,
    /// The sum of what they are above the threshold.
    pub intensity: f64,
    /// Its p, over all components.
    pub p_fwe: f64,
}

/// A node or a measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its mean in each group.
    pub means: Vec<f64>,
    /// Its statistic.
    pub statistic: f64,
    /// Its p, over all of its kind.
    pub p_fwe: f64,
}

impl KnownComparison {
    /// Of a comparison of these graphs.
    pub fn of(found: &Comparison, graph: &MultiviewGraph, record: CompareRecord) -> Self {
        let edges = found.edges.iter().map(|row| ComparedEdge {
            pair: row.pair.map(|node| node as u32),
            present: row.present.clone(),
            means: row.means.clone(),
            statistic: row.statistic,
            p_uncorrected: row.p_uncorrected,
            p_fwe: row.p_fwe,
            component: row.component,
        });
        let components = found.components.iter().map(|row| ComparedComponent {
            n_nodes: row.n_nodes,
            n_edges: row.n_edges,
            intensity: row.intensity,
            p_fwe: row.p_fwe,
        });
        let nodes = found.nodes.iter().map(|row| Compared {
            name: graph.nodes()[row.node].clone(),
            means: row.means.clone(),
            statistic: row.statistic,
            p_fwe: row.p_fwe,
        });
        let measures = found.measures.iter().map(|row| Compared {
            name: row.measure.word().to_owned(),
            means: row.means.clone(),
            statistic: row.statistic,
            p_fwe: row.p_fwe,
        });
        Self {
            edges: edges.collect(),
            components: components.collect(),
            nodes: nodes.collect(),
            measures: measures.collect(),
            record,
        }
    }

    /// Whether there are two groups: a difference then has a direction.
    pub fn is_of_two(&self) -> bool {
        self.record.groups.len() == 2
    }

    /// The label of a group.
    pub fn group(&self, at: usize) -> &str {
        self.record.groups.get(at).map_or("", |group| group.name.as_str())
    }

    /// How many of a kind differ: `edges`, `components`, `nodes` or `global`.
    pub fn found(&self, kind: &str) -> Option<&FoundRecord> {
        self.record.found.get(kind)
    }
}
