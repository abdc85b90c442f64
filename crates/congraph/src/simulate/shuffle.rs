//! View graphs: the consensus graph with a share of its edges moved elsewhere.
//!
//! Of the m edges, k = round(share · m) drawn at random are removed, and k pairs drawn at random among those that are
//! not edges of the consensus are added. A view thus has m edges and shares exactly m − k of them with the consensus.
//!
//! Every view is connected, or its Laplacian would have no single constant signal. The added pairs come one after
//! another; one that joins nothing is passed over only once every pair still to come is needed to join the parts that
//! the removal left. Redrawing the whole view instead would take forever on sparse graphs (on a tree nearly every draw
//! falls apart).

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::graphs::UnionFind;
use crate::error::Error;

/// How often the edges to remove are drawn in search of a connected view.
const TRIES: usize = 300;

/// What all views of one consensus graph are drawn from.
pub(super) struct Shuffler<'a> {
    n_nodes: usize,
    edges: &'a [[u32; 2]],
    absent: Vec<[u32; 2]>,
    share: f64,
    n_moved: usize,
}

impl<'a> Shuffler<'a> {
    /// For a connected graph with sorted edges, and the share of edges to move.
    pub(super) fn new(n_nodes: usize, edges: &'a [[u32; 2]], share: f64) -> Result<Self, Error> {
        let n_moved = (share * edges.len() as f64).round() as usize;
        let n_absent = n_nodes * (n_nodes - 1) / 2 - edges.len();
        if n_moved > n_absent {
            return Err(Error::Parameter {
                name: "shuffled",
                message: format!(
                    "is {share}: that moves {n_moved} of the {} edges, but only {n_absent} pairs of nodes are not \
                     edges of the consensus; at most {:.3} can be moved",
                    edges.len(),
                    // Downwards, so that the advice is not too high.
                    (n_absent as f64 / edges.len() as f64 * 1e3).floor() / 1e3
                ),
            });
        }
        let absent = if n_moved > 0 {
            absent_pairs(n_nodes, edges)
        } else {
            Vec::new()
        };
        Ok(Self {
            n_nodes,
            edges,
            absent,
            share,
            n_moved,
        })
    }

    /// The edges of one view, sorted.
    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> Result<Vec<[u32; 2]>, Error> {
        if self.n_moved == 0 {
            return Ok(self.edges.to_vec());
        }
        let mut edges = self.edges.to_vec();
        let mut absent = self.absent.clone();
        for _ in 0..TRIES {
            let (removed, kept) = edges.partial_shuffle(rng, self.n_moved);
            if let Some(mut view) = self.add(kept, removed.len(), &mut absent, rng) {
                view.sort_unstable();
                return Ok(view);
            }
        }
        Err(Error::Parameter {
            name: "shuffled",
            message: format!(
                "is {}: moving {} of the {} edges left no connected graph in {TRIES} tries; move fewer",
                self.share,
                self.n_moved,
                self.edges.len()
            ),
        })
    }

    /// The kept edges and `n_added` of the absent pairs, connected; none if the absent pairs cannot join the parts.
    fn add(
        &self,
        kept: &[[u32; 2]],
        n_added: usize,
        absent: &mut [[u32; 2]],
        rng: &mut ChaCha8Rng,
    ) -> Option<Vec<[u32; 2]>> {
        let mut parts = UnionFind::of(self.n_nodes, kept);
        let mut view = kept.to_vec();
        for next in 0..absent.len() {
            let still_to_add = self.edges.len() - view.len();
            if still_to_add == 0 {
                break;
            }
            absent.swap(next, rng.random_range(next..absent.len()));
            let pair = absent[next];
            if still_to_add >= parts.count() || parts.are_apart(pair) {
                parts.join(pair);
                view.push(pair);
            }
        }
        (view.len() == kept.len() + n_added && parts.count() == 1).then_some(view)
    }
}

/// The pairs that are not among the sorted edges.
pub(super) fn absent_pairs(n_nodes: usize, edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut present = edges.iter().copied().peekable();
    let n = n_nodes as u32;
    (0..n)
        .flat_map(|a| (a + 1..n).map(move |b| [a, b]))
        .filter(|pair| present.next_if_eq(pair).is_none())
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::graphs::{GraphModel, is_connected};
    use super::*;

    fn shuffle(n_nodes: usize, edges: &[[u32; 2]], share: f64, seed: u64) -> Result<Vec<[u32; 2]>, Error> {
        Shuffler::new(n_nodes, edges, share)?.draw(&mut ChaCha8Rng::seed_from_u64(seed))
    }

    fn graph(model: GraphModel, n_nodes: usize) -> Vec<[u32; 2]> {
        model.draw(n_nodes, &mut ChaCha8Rng::seed_from_u64(9)).unwrap().edges
    }

    #[test]
    fn absent_pairs_are_the_complement() {
        assert_eq!(absent_pairs(4, &[[0, 2], [1, 2], [2, 3]]), [[0, 1], [0, 3], [1, 3]]);
        assert!(absent_pairs(3, &[[0, 1], [0, 2], [1, 2]]).is_empty());
    }

    #[test]
    fn exactly_the_share_is_moved_and_the_view_stays_connected() {
        let dense = graph(GraphModel::ErdosRenyi { probability: 0.4 }, 30);
        let tree = graph(GraphModel::BarabasiAlbert { growth: 1 }, 60);
        for (n_nodes, edges) in [(30, dense), (60, tree)] {
            for share in [0.0, 0.001, 0.1, 0.25, 0.5, 1.0] {
                for seed in 0..10 {
                    let view = shuffle(n_nodes, &edges, share, seed).unwrap();
                    assert!(view.is_sorted_by(|a, b| a < b) && view.len() == edges.len());
                    assert!(is_connected(n_nodes, &view));
                    let shared = view.iter().filter(|pair| edges.binary_search(pair).is_ok()).count();
                    assert_eq!(edges.len() - shared, (share * edges.len() as f64).round() as usize);
                }
            }
        }
    }

    #[test]
    fn every_edge_and_every_absent_pair_is_as_likely_to_move() {
        // A complete graph on 8 nodes but for four pairs stays connected whatever two edges go.
        let absent = [[0, 1], [2, 3], [4, 5], [6, 7]];
        let edges: Vec<[u32; 2]> = crate::Edges::complete(8)
            .pairs()
            .iter()
            .copied()
            .filter(|pair| !absent.contains(pair))
            .collect();
        let n_draws = 6000;
        let mut added = [0; 4];
        let mut removed = [0; 24];
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let shuffler = Shuffler::new(8, &edges, 2.0 / 24.0).unwrap();
        for _ in 0..n_draws {
            let view = shuffler.draw(&mut rng).unwrap();
            for (count, pair) in added.iter_mut().zip(absent) {
                *count += usize::from(view.contains(&pair));
            }
            for (count, pair) in removed.iter_mut().zip(&edges) {
                *count += usize::from(!view.contains(pair));
            }
        }
        // Means 3000 and 500, standard deviations 39 and 21.
        assert!(added.iter().all(|count| count.abs_diff(n_draws / 2) < 160), "{added:?}");
        assert!(
            removed.iter().all(|count| count.abs_diff(n_draws / 12) < 90),
            "{removed:?}"
        );
    }

    #[test]
    fn moving_more_edges_than_there_is_room_for_is_refused() {
        let complete = crate::Edges::complete(6).pairs().to_vec();
        assert_eq!(shuffle(6, &complete, 0.0, 1).unwrap(), complete);
        let text = shuffle(6, &complete, 0.5, 1).unwrap_err().to_string();
        assert!(text.contains("moves 8 of the 15 edges, but only 0 pairs"), "{text}");
    }

    #[test]
    fn a_move_that_cannot_stay_connected_is_refused() {
        // Without any of its edges, the centre of a star has no pair to be joined by.
        let star = [[0, 1], [0, 2], [0, 3]];
        let text = shuffle(4, &star, 1.0, 1).unwrap_err().to_string();
        assert!(
            text.starts_with("shuffled is 1:") && text.contains("no connected graph"),
            "{text}"
        );
        assert!(shuffle(4, &star, 0.6, 1).is_ok());
    }
}
