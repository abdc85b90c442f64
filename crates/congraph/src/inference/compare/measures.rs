//! What is told of each view's graph as a whole, or of each of its nodes, without a look at labels.
//!
//! Weights add up to the number of nodes in every view: total weight and mean strength are constants, and not offered.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::Measure;
use crate::communities::{Leiden, Network};
use crate::error::Error;
use crate::graph::{MultiviewGraph, is_edge};

/// The runs of Leiden that a view's modularity is the best of.
const RUNS: usize = 20;

/// The measure of every view. `order` are the nodes sorted by name.
///
/// # Errors
/// [`Error::Invalid`] for the uniqueness of graphs without a consensus.
pub(super) fn measured(graph: &MultiviewGraph, measure: Measure, order: &[usize]) -> Result<Vec<f64>, Error> {
    let views = 0..graph.n_views();
    match measure {
        Measure::Uniqueness if graph.consensus().is_none() => Err(Error::Invalid {
            what: "uniqueness",
            message: "needs a consensus, and every view was learned on its own: compare other measures".into(),
        }),
        Measure::Uniqueness => Ok(views.map(|view| uniqueness(graph, view, order)).collect()),
        Measure::Modularity => views.map(|view| modularity(graph, view, order)).collect(),
        Measure::Efficiency => Ok(views
            .into_par_iter()
            .map(|view| efficiency(graph, view, order))
            .collect()),
        Measure::Density | Measure::Edges | Measure::Components | Measure::Strength => {
            Ok(views.map(|view| graph.density(view)).collect())
        }
    }
}

/// The edges of a view between nodes by their places among the names, sorted: the same for any order of nodes.
fn sorted_edges(graph: &MultiviewGraph, view: usize, order: &[usize]) -> Vec<([u32; 2], f64)> {
    let places = places(order);
    let weights = graph.weights().column(view);
    let there = graph.pairs().iter().zip(weights).filter(|(_, weight)| is_edge(*weight));
    let mut edges: Vec<([u32; 2], f64)> = there
        .map(|(pair, weight)| {
            let [one, two] = pair.map(|node| places[node as usize]);
            ([one.min(two), one.max(two)], weight)
        })
        .collect();
    edges.sort_unstable_by_key(|(pair, _)| *pair);
    edges
}

/// Where each node is in an order of them.
pub(super) fn places(order: &[usize]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &node) in order.iter().enumerate() {
        places[node] = place as u32;
    }
    places
}

/// The strength of every node (in the order of names) in every view: one row per node.
pub(super) fn strengths(graph: &MultiviewGraph, order: &[usize]) -> Vec<Vec<f64>> {
    let of_view = |view: usize| {
        let mut column = vec![0.0; graph.n_nodes()];
        for (ends, weight) in sorted_edges(graph, view, order) {
            ends.iter().for_each(|&place| column[place as usize] += weight.abs());
        }
        column
    };
    let columns: Vec<Vec<f64>> = (0..graph.n_views()).map(of_view).collect();
    let row = |place: usize| columns.iter().map(|column| column[place]).collect();
    (0..graph.n_nodes()).map(row).collect()
}

/// As [`MultiviewGraph::uniqueness`], added up in the order of names.
fn uniqueness(graph: &MultiviewGraph, view: usize, order: &[usize]) -> f64 {
    let places = places(order);
    let mut terms: Vec<([u32; 2], f64, f64)> = Vec::new();
    for (edge, &pair) in graph.pairs().iter().enumerate() {
        if graph.membership().has_pair(view, pair) {
            let (own, shared) = (
                graph.weights().row(edge)[view],
                graph.consensus().map_or(0.0, |w| w[edge]),
            );
            let [one, two] = pair.map(|node| places[node as usize]);
            terms.push((
                [one.min(two), one.max(two)],
                (own - shared).abs(),
                own.abs() + shared.abs(),
            ));
        }
    }
    terms.sort_unstable_by_key(|(pair, ..)| *pair);
    let (apart, total) = terms
        .iter()
        .fold((0.0, 0.0), |(x, y), (_, apart, total)| (x + apart, y + total));
    if total > 0.0 { apart / total } else { 0.0 }
}

/// The modularity of the best communities of a view's positive weights.
fn modularity(graph: &MultiviewGraph, view: usize, order: &[usize]) -> Result<f64, Error> {
    let positive = sorted_edges(graph, view, order)
        .into_iter()
        .filter(|(_, weight)| *weight > 0.0);
    let (pairs, weights): (Vec<[u32; 2]>, Vec<f64>) = positive.unzip();
    let leiden = Leiden {
        n_runs: RUNS,
        ..Leiden::default()
    };
    let network = Network::new(graph.n_nodes(), &pairs, &weights)?;
    Ok(leiden.communities(&network)?.modularity)
}

/// The mean over pairs of a view's nodes of one over the length of the shortest path, where an edge is 1/|w| long.
fn efficiency(graph: &MultiviewGraph, view: usize, order: &[usize]) -> f64 {
    let mut neighbours: Vec<Vec<(u32, f64)>> = vec![Vec::new(); graph.n_nodes()];
    for ([one, two], weight) in sorted_edges(graph, view, order) {
        neighbours[one as usize].push((two, 1.0 / weight.abs()));
        neighbours[two as usize].push((one, 1.0 / weight.abs()));
    }
    let own = (0..order.len()).filter(|&place| graph.has(view, order[place]));
    let sum: f64 = own.map(|from| closeness(&neighbours, from)).sum();
    // Every pair was counted from both of its ends.
    sum / (2 * graph.n_pairs_of(view)).max(1) as f64
}

/// The sum of one over the distances from a node to the others (Dijkstra).
fn closeness(neighbours: &[Vec<(u32, f64)>], from: usize) -> f64 {
    let mut distances = vec![f64::INFINITY; neighbours.len()];
    let mut waiting = BinaryHeap::from([Waiting {
        distance: 0.0,
        node: from as u32,
    }]);
    distances[from] = 0.0;
    while let Some(Waiting { distance, node }) = waiting.pop() {
        if distance > distances[node as usize] {
            continue;
        }
        for &(other, length) in &neighbours[node as usize] {
            let through = distance + length;
            if through < distances[other as usize] {
                distances[other as usize] = through;
                waiting.push(Waiting {
                    distance: through,
                    node: other,
                });
            }
        }
    }
    let others = distances.iter().enumerate().filter(|(node, _)| *node != from);
    others.map(|(_, distance)| 1.0 / distance).sum()
}

/// A node to go on from; the nearest is the greatest.
#[derive(PartialEq)]
struct Waiting {
    distance: f64,
    node: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .distance
            .total_cmp(&self.distance)
            .then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
