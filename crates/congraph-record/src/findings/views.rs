//! Each view against the consensus.

use congraph::findings::outliers;
use congraph::{MultiviewGraph, is_edge};
use serde::Serialize;

use super::known::Known;

/// What is found of one view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewFinding {
    /// Its name.
    pub name: String,
    /// How many samples it has, if known.
    pub n_samples: Option<usize>,
    /// How many nodes it has.
    pub n_nodes: usize,
    /// The number of its edges.
    pub n_edges: usize,
    /// Its density.
    pub density: f64,
    /// How far it is from the consensus, from 0 to 1; none without a consensus.
    pub uniqueness: Option<f64>,
    /// Whether it is far further than the others.
    pub is_outlier: bool,
    /// The pairs that it joins and the consensus does not, the heaviest first.
    pub added: Vec<usize>,
    /// The pairs that the consensus joins and it does not, the heaviest first.
    pub missing: Vec<usize>,
}

/// Every view, in the graph's order, and the median of their uniqueness, if there is a consensus.
pub(super) fn findings(graph: &MultiviewGraph, known: &Known) -> (Vec<ViewFinding>, Option<f64>) {
    let uniqueness: Vec<Option<f64>> = (0..graph.n_views()).map(|view| graph.uniqueness(view)).collect();
    let (mut stands_out, middle) = outliers(&uniqueness.iter().flatten().copied().collect::<Vec<_>>());
    stands_out.resize(graph.n_views(), false);
    // Of noise, no view is further from the truth than another.
    let is_noise = known.summary.as_ref().is_some_and(|summary| summary.has_warning("W13"));
    if is_noise {
        stands_out.fill(false);
    }
    let views = (0..graph.n_views())
        .map(|view| {
            let (added, missing) = differences(graph, view);
            ViewFinding {
                name: graph.views()[view].clone(),
                n_samples: known.views[view].n_samples,
                n_nodes: graph.membership().n_nodes_of(view),
                n_edges: graph.weights().column(view).filter(|&weight| is_edge(weight)).count(),
                density: graph.density(view),
                uniqueness: uniqueness[view],
                is_outlier: stands_out[view],
                added,
                missing,
            }
        })
        .collect();
    (views, graph.consensus().map(|_| middle))
}

/// The graphs of subjects, in the order of their names, each against the consensus; none where the fit knew of no
/// subjects.
pub(super) fn subjects(graph: &MultiviewGraph) -> Vec<ViewFinding> {
    let (Some(subjects), Some(weights)) = (graph.subjects(), graph.subject_weights()) else {
        return Vec::new();
    };
    let one = |(subject, name): (usize, &String)| {
        let own: Vec<f64> = weights.column(subject).collect();
        let views: Vec<usize> = subjects.views_of(subject).collect();
        let has = |edge: usize| {
            let pair = graph.pairs()[edge];
            views.iter().any(|&view| graph.membership().has_pair(view, pair))
        };
        let (added, missing) = apart(graph, &own, &has);
        ViewFinding {
            name: name.clone(),
            n_samples: None,
            n_nodes: graph.n_nodes(),
            n_edges: own.iter().filter(|&&weight| is_edge(weight)).count(),
            density: graph.subject_density(subject).unwrap_or(0.0),
            uniqueness: graph.consensus().map(|consensus| distance(&own, consensus, &has)),
            is_outlier: false,
            added,
            missing,
        }
    };
    subjects.names().iter().enumerate().map(one).collect()
}

/// Σ|w − consensus| / Σ(|w| + |consensus|), over the pairs that can be had.
fn distance(own: &[f64], consensus: &[f64], has: &dyn Fn(usize) -> bool) -> f64 {
    let (mut between, mut total) = (0.0, 0.0);
    for (edge, (weight, shared)) in own.iter().zip(consensus).enumerate() {
        if has(edge) {
            between += (weight - shared).abs();
            total += weight.abs() + shared.abs();
        }
    }
    if total > 0.0 { between / total } else { 0.0 }
}

/// The pairs in which the view and the consensus disagree on there being an edge.
fn differences(graph: &MultiviewGraph, view: usize) -> (Vec<usize>, Vec<usize>) {
    let own: Vec<f64> = graph.weights().column(view).collect();
    // What a view cannot have it does not lack.
    apart(graph, &own, &|edge| {
        graph.membership().has_pair(view, graph.pairs()[edge])
    })
}

/// The pairs that only these weights have, and those that only the consensus has.
fn apart(graph: &MultiviewGraph, own: &[f64], has: &dyn Fn(usize) -> bool) -> (Vec<usize>, Vec<usize>) {
    let Some(consensus) = graph.consensus() else {
        return (Vec::new(), Vec::new());
    };
    let by = |weights: &[f64], other: &[f64]| {
        let mut edges: Vec<usize> = (0..own.len())
            .filter(|&edge| is_edge(weights[edge]) && !is_edge(other[edge]) && has(edge))
            .collect();
        edges.sort_by(|&one, &two| weights[two].abs().total_cmp(&weights[one].abs()));
        edges
    };
    (by(own, consensus), by(consensus, own))
}
