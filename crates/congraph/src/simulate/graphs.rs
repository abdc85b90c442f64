//! Connected unweighted random graphs: the consensus that a simulation starts from.
//!
//! ```text
//! Erdős–Rényi       every pair is an edge with probability q, drawn again until the graph is connected
//! Barabási–Albert   a star of m + 1 nodes; every further node is joined to m distinct earlier ones, each drawn with a
//!                   probability proportional to its degree: m (n − m) edges, connected by construction
//! random geometric  points in the unit square, joined where they are close: see [`super::geometric`]
//! ```

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::geometric;
pub use super::geometric::Reach;
use crate::error::Error;

/// How often a graph is drawn in search of a connected one.
pub(super) const TRIES: usize = 300;

/// A random graph model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GraphModel {
    /// Erdős–Rényi: every pair of nodes is an edge with the same probability, independently, given that the graph is
    /// connected. About `probability` · n(n−1)/2 edges.
    ErdosRenyi {
        /// The probability of an edge, above about (ln n)/n or no connected graph is found.
        probability: f64,
    },
    /// Barabási–Albert: preferential attachment, which makes hubs of the first nodes. Exactly `growth` · (n − `growth`)
    /// edges.
    BarabasiAlbert {
        /// How many earlier nodes every new node is joined to, from 1 to n − 1.
        growth: usize,
    },
    /// Random geometric: nodes at uniform random points of the unit square, joined where they are within reach of each
    /// other, given that the graph is connected. Neighbours of a node are mostly neighbours too, as in nets of sensors.
    RandomGeometric {
        /// How near two nodes must be.
        reach: Reach,
    },
}

/// A connected graph as it was drawn.
pub(super) struct Drawn {
    /// The edges a < b, sorted.
    pub(super) edges: Vec<[u32; 2]>,
    /// Where the nodes are, in a model that places them.
    pub(super) positions: Option<Vec<[f64; 2]>>,
}

impl GraphModel {
    /// Refuses a model that makes no graph of `n_nodes` nodes.
    pub(super) fn check(&self, n_nodes: usize) -> Result<(), Error> {
        match *self {
            Self::ErdosRenyi { probability } => super::check_share("probability", probability),
            Self::BarabasiAlbert { growth } if growth == 0 || growth >= n_nodes => Err(Error::Parameter {
                name: "growth",
                message: format!("is {growth}: with {n_nodes} nodes it must be from 1 to {}", n_nodes - 1),
            }),
            Self::BarabasiAlbert { .. } => Ok(()),
            Self::RandomGeometric { reach } => reach.check(n_nodes),
        }
    }

    /// A connected graph.
    pub(super) fn draw(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Drawn, Error> {
        let edges = match *self {
            Self::ErdosRenyi { probability } => erdos_renyi(n_nodes, probability, rng)?,
            Self::BarabasiAlbert { growth } => barabasi_albert(n_nodes, growth, rng),
            Self::RandomGeometric { reach } => return geometric::draw(n_nodes, reach, rng),
        };
        Ok(Drawn { edges, positions: None })
    }
}

fn erdos_renyi(n_nodes: usize, probability: f64, rng: &mut ChaCha8Rng) -> Result<Vec<[u32; 2]>, Error> {
    let mut edges = Vec::new();
    for _ in 0..TRIES {
        edges.clear();
        for a in 0..n_nodes as u32 {
            edges.extend(
                (a + 1..n_nodes as u32)
                    .filter(|_| rng.random_bool(probability))
                    .map(|b| [a, b]),
            );
        }
        if is_connected(n_nodes, &edges) {
            return Ok(edges);
        }
    }
    let n = n_nodes as f64;
    // Upwards to a whole number of thousandths where that tells something, so that the advice is not too low.
    let places = if n < 1000.0 { 1e3 } else { 1e6 };
    let enough = (n.ln() / n * places).ceil() / places;
    Err(Error::Parameter {
        name: "probability",
        message: format!(
            "is {probability}: none of {TRIES} random graphs with {n_nodes} nodes was connected; an edge probability \
             from about (ln n)/n = {enough} on would do"
        ),
    })
}

fn barabasi_albert(n_nodes: usize, growth: usize, rng: &mut ChaCha8Rng) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = (1..=growth as u32).map(|leaf| [0, leaf]).collect();
    // Every node as often as its degree: a uniform draw from here is one proportional to the degrees.
    let mut ends: Vec<u32> = edges.as_flattened().to_vec();
    let mut last_joined_to = vec![0; n_nodes];
    for node in growth as u32 + 1..n_nodes as u32 {
        let known = ends.len();
        let mut missing = growth;
        while missing > 0 {
            let target = ends[rng.random_range(0..known)];
            if last_joined_to[target as usize] != node {
                last_joined_to[target as usize] = node;
                edges.push([target, node]);
                ends.extend([target, node]);
                missing -= 1;
            }
        }
    }
    edges.sort_unstable();
    edges
}

/// Whether the edges join all nodes.
pub(super) fn is_connected(n_nodes: usize, edges: &[[u32; 2]]) -> bool {
    UnionFind::of(n_nodes, edges).count == 1
}

/// The connected parts of a graph that gains edges (union–find).
pub(super) struct UnionFind {
    leader: Vec<u32>,
    count: usize,
}

impl UnionFind {
    /// The parts of a graph.
    pub(super) fn of(n_nodes: usize, edges: &[[u32; 2]]) -> Self {
        let mut parts = Self {
            leader: (0..n_nodes as u32).collect(),
            count: n_nodes,
        };
        for &edge in edges {
            parts.join(edge);
        }
        parts
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether an edge would join two parts.
    pub(super) fn are_apart(&mut self, [a, b]: [u32; 2]) -> bool {
        self.root(a) != self.root(b)
    }

    /// Adds an edge.
    pub(super) fn join(&mut self, [a, b]: [u32; 2]) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.leader[a.max(b) as usize] = a.min(b);
            self.count -= 1;
        }
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.leader[node as usize] != node {
            let next = self.leader[node as usize];
            self.leader[node as usize] = self.leader[next as usize];
            node = next;
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn draw(model: GraphModel, n_nodes: usize, seed: u64) -> Result<Vec<[u32; 2]>, Error> {
        model.check(n_nodes)?;
        let drawn = model.draw(n_nodes, &mut ChaCha8Rng::seed_from_u64(seed))?;
        assert_eq!(drawn.positions, None);
        Ok(drawn.edges)
    }

    fn assert_simple(n_nodes: usize, edges: &[[u32; 2]]) {
        assert!(edges.is_sorted_by(|a, b| a < b), "sorted, none twice");
        assert!(edges.iter().all(|&[a, b]| a < b && (b as usize) < n_nodes));
        assert!(is_connected(n_nodes, edges));
    }

    #[test]
    fn parts_are_counted_while_edges_are_added() {
        let mut parts = UnionFind::of(5, &[[0, 1], [2, 3]]);
        assert_eq!(parts.count(), 3);
        assert!(parts.are_apart([1, 2]) && !parts.are_apart([2, 3]));
        parts.join([1, 3]);
        parts.join([0, 2]);
        assert_eq!(parts.count(), 2);
        assert!(!is_connected(3, &[[0, 1]]) && is_connected(3, &[[0, 1], [1, 2]]));
    }

    #[test]
    fn erdos_renyi_graphs_are_connected_and_have_the_expected_number_of_edges() {
        for n_nodes in [2, 5, 30, 100] {
            for seed in 0..5 {
                assert_simple(
                    n_nodes,
                    &draw(GraphModel::ErdosRenyi { probability: 0.3 }, n_nodes, seed).unwrap(),
                );
            }
        }
        // 124 750 pairs: the mean is 12 475 edges, the standard deviation 106.
        let edges = draw(GraphModel::ErdosRenyi { probability: 0.1 }, 500, 3).unwrap();
        assert!(edges.len().abs_diff(12_475) < 430, "{}", edges.len());
    }

    #[test]
    fn the_number_of_erdos_renyi_edges_is_binomial_and_every_pair_as_likely() {
        // Dense enough that the condition to be connected hardly matters: a node is alone with probability 20 · 2⁻¹⁹.
        let (n_nodes, n_draws) = (20, 4000);
        let n_pairs = 190.0;
        let model = GraphModel::ErdosRenyi { probability: 0.5 };
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut counts = Vec::new();
        let mut of_pair = std::collections::BTreeMap::new();
        for _ in 0..n_draws {
            let edges = model.draw(n_nodes, &mut rng).unwrap().edges;
            counts.push(edges.len() as f64);
            for pair in edges {
                *of_pair.entry(pair).or_insert(0_usize) += 1;
            }
        }
        let mean = counts.iter().sum::<f64>() / n_draws as f64;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / (n_draws - 1) as f64;
        // The standard deviations of mean and variance are √(47.5/4000) = 0.109 and 47.5 √(2/4000) = 1.06.
        assert!((mean - 0.5 * n_pairs).abs() < 0.44, "{mean}");
        assert!((variance - 0.25 * n_pairs).abs() < 4.3, "{variance}");
        // Each pair 2000 times, standard deviation 31.6; the largest of 190 deviations stays below 4.5 of them.
        assert_eq!(of_pair.len(), 190);
        assert!(of_pair.values().all(|count| count.abs_diff(n_draws / 2) < 142));
    }

    #[test]
    fn certain_edges_make_the_complete_graph() {
        let edges = draw(GraphModel::ErdosRenyi { probability: 1.0 }, 6, 1).unwrap();
        assert_eq!(edges, crate::Edges::complete(6).pairs());
    }

    #[test]
    fn barabasi_albert_graphs_are_connected_and_have_the_stated_number_of_edges() {
        for (n_nodes, growth) in [(2, 1), (3, 2), (10, 1), (10, 9), (40, 5), (100, 5), (60, 50)] {
            for seed in 0..5 {
                let edges = draw(GraphModel::BarabasiAlbert { growth }, n_nodes, seed).unwrap();
                assert_simple(n_nodes, &edges);
                assert_eq!(edges.len(), growth * (n_nodes - growth));
            }
        }
    }

    #[test]
    fn preferential_attachment_makes_hubs() {
        let mut degrees = [0; 1000];
        for [a, b] in draw(GraphModel::BarabasiAlbert { growth: 2 }, 1000, 1).unwrap() {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        // An Erdős–Rényi graph as dense (mean degree 4) has no node of degree 20.
        assert!(degrees.iter().max() > Some(&40), "{:?}", degrees.iter().max());
        assert_eq!(degrees[3..].iter().min(), Some(&2));
    }

    #[test]
    fn a_graph_too_sparse_to_be_connected_is_refused_with_advice() {
        let error = draw(GraphModel::ErdosRenyi { probability: 0.005 }, 100, 1).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("probability is 0.005:") && text.contains("(ln n)/n = 0.047"),
            "{text}"
        );
        assert!(draw(GraphModel::ErdosRenyi { probability: 0.047 }, 100, 1).is_ok());
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for growth in [0, 10, 11] {
            let error = draw(GraphModel::BarabasiAlbert { growth }, 10, 1).unwrap_err();
            assert!(error.to_string().ends_with("it must be from 1 to 9"), "{error}");
        }
        for probability in [-0.1, 1.5, f64::NAN] {
            assert!(matches!(
                draw(GraphModel::ErdosRenyi { probability }, 10, 1),
                Err(Error::Parameter {
                    name: "probability",
                    ..
                })
            ));
        }
    }
}
