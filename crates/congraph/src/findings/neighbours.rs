//! Could geometry alone explain the edges?
//!
//! A field that spreads (volume conduction, shared weather) joins whatever is near. Two nodes are *neighbours* if one
//! is among the other's four nearest. The share of the edges between neighbours is compared with the share of all
//! pairs: what edges drawn at random would have.
//!
//! That share cannot exceed (share of all pairs) / density: a graph of 15 % of the pairs that joins every neighbour on
//! a head of 64 electrodes has less than half of its edges there. So W09 looks at weights as well as at edges, and at
//! how far both are above chance.

use serde::Serialize;

use super::positions::Positions;
use crate::error::Warning;
use crate::graph::{MultiviewGraph, is_edge};

/// How many nearest nodes are neighbours.
const NEAREST: usize = 4;
/// Bars of the histogram of lengths.
const BARS: usize = 16;
/// More than half, at twice what chance gives, or a quarter, at four times: edges follow distance.
const NEAR: [[f64; 2]; 2] = [[0.5, 2.0], [0.25, 4.0]];
/// Heads have radii like these, in metres; positions of another size are in another unit.
const HEAD_RADII: std::ops::Range<f64> = 0.05..0.2;
/// The radius of the earth in kilometres.
const EARTH: f64 = 6371.0;

/// What lengths are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Metres: electrodes on a head.
    Metres,
    /// Kilometres along the surface of the earth.
    Kilometres,
    /// That of the positions, which is not known.
    Own,
}

impl Unit {
    fn of(positions: &Positions) -> Self {
        match positions {
            Positions::Globe(_) => Self::Kilometres,
            Positions::Head(points) => {
                let radius = |at: &[f64; 3]| at.iter().map(|x| x * x).sum::<f64>().sqrt();
                let mean = points.iter().map(radius).sum::<f64>() / points.len() as f64;
                if HEAD_RADII.contains(&mean) {
                    Self::Metres
                } else {
                    Self::Own
                }
            }
            Positions::Space(_) | Positions::Plane(_) => Self::Own,
        }
    }
}

/// Edges and the places of their nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Geometry {
    /// The share of the consensus edges that join neighbours.
    pub neighbour_share: f64,
    /// The share of all pairs that are neighbours: what chance would give.
    pub chance: f64,
    /// The same share, by weight; signs do not count.
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
    /// What lengths are measured in.
    pub unit: Unit,
}

impl Geometry {
    /// Of the edges of the consensus, or without one of the views' means; none without edges, without a place for every
    /// node, or of fewer nodes than neighbours could be told in.
    pub fn of(graph: &MultiviewGraph, positions: &Positions) -> Option<Self> {
        let placed = positions.len() == graph.n_nodes() && positions.points().iter().flatten().all(|x| x.is_finite());
        if !placed {
            return None;
        }
        Self::of_shared(graph, &super::shared_weights(graph), positions)
    }

    /// The same, given the shared weight of each pair ([`shared_weights`](super::shared_weights)).
    pub fn of_shared(graph: &MultiviewGraph, shared: &[f64], positions: &Positions) -> Option<Self> {
        let unit = Unit::of(positions);
        let edges: Vec<([usize; 2], f64)> = graph
            .pairs()
            .iter()
            .zip(shared)
            .filter(|(_, weight)| is_edge(**weight))
            .map(|(pair, &weight)| (pair.map(|node| node as usize), weight.abs()))
            .collect();
        if positions.len() < 2 * NEAREST || edges.is_empty() {
            return None;
        }
        let lengths = Lengths::of(positions, unit);
        if lengths.longest <= 0.0 {
            return None;
        }
        let (mut pair_lengths, mut edge_lengths) = (vec![0.0; BARS], vec![0.0; BARS]);
        let (mut chance, mut mean_pair) = (0.0, 0.0);
        let n = lengths.points.len();
        let n_pairs = (n * (n - 1) / 2) as f64;
        for (a, b) in lengths.pairs() {
            let length = lengths.distance(a, b);
            pair_lengths[lengths.bar(length)] += 1.0 / n_pairs;
            mean_pair += length / n_pairs;
            chance += f64::from(u8::from(lengths.are_neighbours(a, b))) / n_pairs;
        }
        let n_edges = edges.len() as f64;
        let total: f64 = edges.iter().map(|edge| edge.1).sum();
        let (mut neighbour_share, mut weight_share, mut mean_edge) = (0.0, 0.0, 0.0);
        for &([a, b], weight) in &edges {
            let length = lengths.distance(a, b);
            edge_lengths[lengths.bar(length)] += 1.0 / n_edges;
            mean_edge += length / n_edges;
            if lengths.are_neighbours(a, b) {
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
            longest: lengths.longest,
            mean_edge,
            mean_pair,
            unit,
        })
    }

    /// How many times as many edges are between neighbours as chance would give.
    pub fn ratio(&self) -> f64 {
        self.neighbour_share / self.chance
    }

    /// Whether edges follow distance (W09): more than half of them, or of their weight, are between neighbours, and at
    /// least twice what chance gives; or a quarter, and at least four times that.
    pub fn follows_distance(&self) -> bool {
        let shares = [self.neighbour_share, self.weight_share];
        let exceeds = |share: f64| {
            NEAR.iter()
                .any(|[least, times]| share > *least && share >= times * self.chance)
        };
        shares.into_iter().any(exceeds)
    }

    /// W09, if edges follow distance.
    pub fn warning(&self, graph: &MultiviewGraph) -> Option<Warning> {
        let told = self.told(graph)?;
        let alike = match self.unit {
            Unit::Metres => "A field that spreads through the head (volume conduction) would look the same",
            Unit::Kilometres => "Weather, or whatever else places near each other share, would look the same",
            Unit::Own => "Whatever nodes near each other share would look the same, without a connection of their own",
        };
        let message = format!("{told}. {alike}");
        Some(Warning::new("W09", message))
    }

    /// How much edges follow distance, if they do: the facts of W09, for callers that know more about their meaning.
    pub fn told(&self, graph: &MultiviewGraph) -> Option<String> {
        let (subject, whose) = if graph.consensus().is_some() {
            ("the consensus follows", "its")
        } else if graph.n_views() == 1 {
            ("the graph follows", "its")
        } else {
            ("the graphs follow", "their")
        };
        let percent = |share: f64| 100.0 * share;
        self.follows_distance().then(|| {
            format!(
                "{subject} distance: {:.0} % of {whose} edges and {:.0} % of {whose} weight are between neighbours, \
                 which are {:.1} % of all pairs ({:.1} times chance)",
                percent(self.neighbour_share),
                percent(self.weight_share),
                percent(self.chance),
                self.ratio()
            )
        })
    }
}

/// Distances between the nodes, and which are neighbours.
struct Lengths {
    points: Vec<[f64; 3]>,
    unit: Unit,
    /// For each node, how far its nearest nodes are.
    reach: Vec<f64>,
    /// The largest distance.
    longest: f64,
}

impl Lengths {
    fn of(positions: &Positions, unit: Unit) -> Self {
        let mut lengths = Self {
            points: positions.points(),
            unit,
            reach: Vec::new(),
            longest: 0.0,
        };
        lengths.reach = (0..lengths.points.len()).map(|node| lengths.reach_of(node)).collect();
        lengths.longest = lengths.pairs().map(|(a, b)| lengths.distance(a, b)).fold(0.0, f64::max);
        lengths
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        (1..self.points.len()).flat_map(|b| (0..b).map(move |a| (a, b)))
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        let squares = [0, 1, 2].map(|axis| (self.points[a][axis] - self.points[b][axis]).powi(2));
        let straight = squares.iter().sum::<f64>().sqrt();
        match self.unit {
            // From the chord to the arc.
            Unit::Kilometres => 2.0 * EARTH * (0.5 * straight).min(1.0).asin(),
            Unit::Metres | Unit::Own => straight,
        }
    }

    fn reach_of(&self, a: usize) -> f64 {
        let others = (0..self.points.len()).filter(|&b| b != a);
        let mut others: Vec<f64> = others.map(|b| self.distance(a, b)).collect();
        others.select_nth_unstable_by(NEAREST - 1, f64::total_cmp);
        // Equally far nodes are neighbours all, or their order would decide.
        others[NEAREST - 1] * (1.0 + 1e-9)
    }

    fn are_neighbours(&self, a: usize, b: usize) -> bool {
        self.distance(a, b) <= self.reach[a].max(self.reach[b])
    }

    /// The bar of the histogram that a length falls into.
    fn bar(&self, length: f64) -> usize {
        ((length / self.longest * BARS as f64) as usize).min(BARS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::ViewMatrix;

    /// A graph of weighted edges on a square grid of points.
    fn weighted(side: u32, edges: &[([u32; 2], f64)]) -> Geometry {
        let n = side * side;
        let names = (0..n).map(|k| k.to_string()).collect();
        let (pairs, weights): (Vec<[u32; 2]>, Vec<f64>) = edges.iter().copied().unzip();
        let weights = ViewMatrix::from_values(1, weights);
        let graph = MultiviewGraph::new(names, vec!["v".into()], &pairs, &weights, None);
        let grid = (0..n).map(|k| [f64::from(k % side), f64::from(k / side)]);
        Geometry::of(&graph, &Positions::Plane(grid.collect())).unwrap()
    }

    fn geometry(pairs: &[[u32; 2]]) -> Geometry {
        weighted(6, &pairs.iter().map(|&pair| (pair, 1.0)).collect::<Vec<_>>())
    }

    /// All pairs of the grid.
    fn all(side: u32) -> impl Iterator<Item = [u32; 2]> {
        (0..side * side).flat_map(|b| (0..b).map(move |a| [a, b]))
    }

    /// Every step of the grid with a weight, and so many other pairs, all over it, with a weight of 1.
    fn steps_among(side: u32, weight: f64, n_far: usize) -> Geometry {
        let is_step = |&[a, b]: &[u32; 2]| (a % side).abs_diff(b % side) + (a / side).abs_diff(b / side) == 1;
        let far: Vec<[u32; 2]> = all(side).filter(|pair| !is_step(pair)).collect();
        let near = all(side).filter(is_step).map(|pair| (pair, weight));
        let spread = far.iter().step_by(far.len() / n_far).map(|&pair| (pair, 1.0));
        weighted(side, &near.chain(spread).collect::<Vec<_>>())
    }

    #[test]
    fn edges_between_neighbours_are_told_from_long_ones() {
        let near = geometry(&[[0, 1], [7, 8], [14, 20]]);
        assert!((near.neighbour_share - 1.0).abs() < 1e-12 && near.follows_distance());
        let far = geometry(&[[0, 35], [5, 30], [2, 33]]);
        assert_eq!(far.neighbour_share, 0.0);
        assert!(!far.follows_distance() && far.mean_edge > far.mean_pair);
    }

    /// All neighbours are joined, but so many others too that less than half of the edges can be near.
    #[test]
    fn dense_graphs_follow_distance_by_their_weights_or_far_beyond_chance() {
        let light = steps_among(6, 1.0, 90);
        assert!(light.neighbour_share < 0.5 && light.ratio() < 4.0 && !light.follows_distance());
        let heavy = steps_among(6, 3.0, 90);
        assert!(heavy.neighbour_share < 0.5 && heavy.weight_share > 0.5 && heavy.follows_distance());
        let beyond = steps_among(12, 1.0, 500);
        assert!(beyond.weight_share < 0.5 && beyond.ratio() > 4.0 && beyond.follows_distance());
        // Far from chance, and yet most of what there is lies elsewhere.
        let few = steps_among(12, 1.0, 1400);
        assert!(few.neighbour_share < 0.25 && !few.follows_distance(), "{few:?}");
    }

    #[test]
    fn lengths_on_a_globe_are_along_its_surface() {
        let at = |k: u32| [f64::from(k) * 10.0, 0.0];
        let names = (0..9).map(|k| k.to_string()).collect();
        let weights = ViewMatrix::from_values(1, vec![1.0]);
        let graph = MultiviewGraph::new(names, vec!["v".into()], &[[0, 8]], &weights, None);
        let found = Geometry::of(&graph, &Positions::Globe((0..9).map(at).collect())).unwrap();
        assert_eq!(found.unit, Unit::Kilometres);
        assert!(
            (found.mean_edge - EARTH * 80_f64.to_radians()).abs() < 1e-6,
            "{found:?}"
        );
    }

    #[test]
    fn all_pairs_have_exactly_the_share_of_chance() {
        let found = geometry(&all(6).collect::<Vec<_>>());
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
