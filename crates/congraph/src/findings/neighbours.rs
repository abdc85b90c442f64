//! Could geometry alone explain the edges?
//!
//! A field that spreads (volume conduction, shared weather) joins whatever is near. Two nodes are *neighbours* if one is among the other's four
//! nearest. The share of the edges between neighbours is compared with the share of all pairs: what edges drawn at random would have.

use serde::Serialize;

use super::known::Positions;
use crate::graph::MultiviewGraph;

/// How many nearest nodes are neighbours.
const NEAREST: usize = 4;
/// Bars of the histogram of lengths.
const BARS: usize = 16;

/// Edges and the places of their nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Geometry {
    /// The share of the consensus edges that join neighbours.
    pub neighbour_share: f64,
    /// The share of all pairs that are neighbours: what chance would give.
    pub chance: f64,
    /// The same share, by weight.
    pub weight_share: f64,
    /// The share of the edges in each of equal steps of length, from 0 to the longest pair.
    pub edge_lengths: Vec<f64>,
    /// The share of all pairs in the same steps.
    pub pair_lengths: Vec<f64>,
    /// The longest distance between two nodes.
    pub longest: f64,
    /// The mean length of an edge.
    pub mean_edge: f64,
    /// The mean distance of two nodes.
    pub mean_pair: f64,
}

impl Geometry {
    /// Of the shared edges; none without edges, or of fewer nodes than neighbours could be told in.
    pub(super) fn of(graph: &MultiviewGraph, shared: &[f64], positions: &Positions) -> Option<Self> {
        let points = positions.points();
        let n = points.len();
        let edges: Vec<([usize; 2], f64)> = graph
            .pairs()
            .iter()
            .zip(shared)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(pair, &weight)| (pair.map(|node| node as usize), weight))
            .collect();
        if n < 2 * NEAREST || edges.is_empty() {
            return None;
        }
        let distance = |a: usize, b: usize| {
            let squares = [0, 1, 2].map(|axis| (points[a][axis] - points[b][axis]).powi(2));
            squares.iter().sum::<f64>().sqrt()
        };
        let reach: Vec<f64> = (0..n)
            .map(|a| {
                let mut others: Vec<f64> = (0..n).filter(|&b| b != a).map(|b| distance(a, b)).collect();
                others.select_nth_unstable_by(NEAREST - 1, f64::total_cmp);
                // Equally far nodes are neighbours all, or their order would decide.
                others[NEAREST - 1] * (1.0 + 1e-9)
            })
            .collect();
        let are_neighbours = |a: usize, b: usize| distance(a, b) <= reach[a].max(reach[b]);
        let pairs = || (1..n).flat_map(|b| (0..b).map(move |a| (a, b)));
        let longest = pairs().map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
        if longest <= 0.0 {
            return None;
        }
        let bar = |length: f64| ((length / longest * BARS as f64) as usize).min(BARS - 1);
        let n_pairs = graph.n_pairs() as f64;
        let (mut pair_lengths, mut edge_lengths) = (vec![0.0; BARS], vec![0.0; BARS]);
        let (mut chance, mut mean_pair) = (0.0, 0.0);
        for (a, b) in pairs() {
            let length = distance(a, b);
            pair_lengths[bar(length)] += 1.0 / n_pairs;
            mean_pair += length / n_pairs;
            chance += f64::from(u8::from(are_neighbours(a, b))) / n_pairs;
        }
        let n_edges = edges.len() as f64;
        let total: f64 = edges.iter().map(|edge| edge.1).sum();
        let (mut neighbour_share, mut weight_share, mut mean_edge) = (0.0, 0.0, 0.0);
        for &([a, b], weight) in &edges {
            let length = distance(a, b);
            edge_lengths[bar(length)] += 1.0 / n_edges;
            mean_edge += length / n_edges;
            if are_neighbours(a, b) {
                neighbour_share += 1.0 / n_edges;
                weight_share += weight / total;
            }
        }
        Some(Self {
            neighbour_share,
            chance,
            weight_share,
            edge_lengths,
            pair_lengths,
            longest,
            mean_edge,
            mean_pair,
        })
    }

    /// Whether the edges are mostly between neighbours (W09).
    pub fn is_mostly_near(&self) -> bool {
        self.neighbour_share > 0.5 && self.neighbour_share > 2.0 * self.chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::ViewRows;

    /// A 6 × 6 grid of points.
    fn grid() -> Positions {
        Positions::Plane((0..36).map(|k| [f64::from(k % 6), f64::from(k / 6)]).collect())
    }

    fn geometry(pairs: &[[u32; 2]]) -> Geometry {
        let names = (0..36).map(|k| k.to_string()).collect();
        let weights = ViewRows::from_values(1, vec![1.0; pairs.len()]);
        let graph = MultiviewGraph::new(names, vec!["v".into()], pairs, &weights, None);
        Geometry::of(&graph, &vec![1.0; pairs.len()], &grid()).unwrap()
    }

    #[test]
    fn edges_between_neighbours_are_told_from_long_ones() {
        let near = geometry(&[[0, 1], [7, 8], [14, 20]]);
        assert!((near.neighbour_share - 1.0).abs() < 1e-12 && near.is_mostly_near());
        let far = geometry(&[[0, 35], [5, 30], [2, 33]]);
        assert_eq!(far.neighbour_share, 0.0);
        assert!(!far.is_mostly_near() && far.mean_edge > far.mean_pair);
    }

    #[test]
    fn all_pairs_have_exactly_the_share_of_chance() {
        let all: Vec<[u32; 2]> = (0..36).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
        let found = geometry(&all);
        assert!((found.neighbour_share - found.chance).abs() < 1e-12);
        assert!(
            found
                .edge_lengths
                .iter()
                .zip(&found.pair_lengths)
                .all(|(x, y)| (x - y).abs() < 1e-12)
        );
        assert!((found.pair_lengths.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
