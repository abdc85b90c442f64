//! View graphs that each lack some edges of the consensus and have some of their own, every one of these in k of the
//! views.
//!
//! ```text
//! removed    round(share · m) of the m edges of the consensus, each missing from k of the N views
//! added      round(share · m) of the other pairs, each present in k of the N views
//! ```
//!
//! With k = 1 a difference belongs to one view, which suits the ℓ1 penalty; with larger k many views depart from the
//! consensus at the same pairs, which suits the ℓ2 penalty. The k views are drawn for each pair anew, or once for all:
//! then N − k views equal the consensus, and k are outliers.
//!
//! Every view stays connected: edges are removed one after another, and one that would cut a view in two stays.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::check_share;
use super::shuffle::absent_pairs;
use crate::error::Error;

/// How views differ from the consensus when edges are added and removed in some of them.
///
/// ```
/// use congraph::simulate::{Changes, Settings, simulate};
///
/// let changes = Changes { added: 0.2, removed: 0.0, n_views: 2, same_views: false };
/// let truth = simulate(&Settings { changes: Some(changes), ..Settings::default() })?.truth;
/// let consensus = truth.consensus().unwrap();
/// for (shared, row) in consensus.iter().zip(truth.weights().rows()) {
///     assert_eq!(row.iter().sum::<f64>(), if *shared > 0.0 { 6.0 } else { 2.0 });
/// }
/// # Ok::<(), congraph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Changes {
    /// How many pairs are added, as a share of the edges of the consensus; 0 or more.
    pub added: f64,
    /// How many edges are removed, as a share of those of the consensus; from 0 to 1.
    pub removed: f64,
    /// In how many views each of these differs from the consensus, from 1 to the number of views.
    pub n_views: usize,
    /// Whether it is the same views for all of them, so that the others equal the consensus.
    pub same_views: bool,
}

impl Default for Changes {
    /// A tenth added and a tenth removed, each in one view.
    fn default() -> Self {
        Self {
            added: 0.1,
            removed: 0.1,
            n_views: 1,
            same_views: false,
        }
    }
}

impl Changes {
    /// Refuses changes that `n_views` views cannot have.
    pub(super) fn check(&self, n_views: usize) -> Result<(), Error> {
        if !(self.added.is_finite() && self.added >= 0.0) {
            return Err(Error::Parameter {
                name: "added",
                message: format!(
                    "is {}: it must be 0 or more (a share of the consensus edges)",
                    self.added
                ),
            });
        }
        check_share("removed", self.removed)?;
        if !(1..=n_views).contains(&self.n_views) {
            return Err(Error::Parameter {
                name: "changed_views",
                message: format!(
                    "is {}: with {n_views} views it must be from 1 to {n_views}",
                    self.n_views
                ),
            });
        }
        Ok(())
    }

    /// The sorted edges of every view, for a connected consensus with sorted edges.
    pub(super) fn draw(
        &self,
        n_nodes: usize,
        n_views: usize,
        consensus: &[[u32; 2]],
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<Vec<[u32; 2]>>, Error> {
        let number = |share: f64| (share * consensus.len() as f64).round() as usize;
        let mut views = vec![Adjacency::of(n_nodes, consensus); n_views];
        let mut choice = Choice::new(self, n_views, rng);

        let mut absent = absent_pairs(n_nodes, consensus);
        let n_added = number(self.added);
        if n_added > absent.len() {
            return Err(Error::Parameter {
                name: "added",
                message: format!(
                    "is {}: that is {n_added} pairs, but only {} are not edges of the consensus",
                    self.added,
                    absent.len()
                ),
            });
        }
        for &pair in &*absent.partial_shuffle(rng, n_added).0 {
            choice.next(rng).iter().for_each(|&view| views[view].add(pair));
        }

        let n_removed = number(self.removed);
        let mut missing = n_removed;
        let mut edges = consensus.to_vec();
        edges.shuffle(rng);
        for pair in edges {
            if missing == 0 {
                break;
            }
            let chosen = choice.next(rng);
            chosen.iter().for_each(|&view| views[view].remove(pair));
            if chosen.iter().all(|&view| views[view].joins(pair)) {
                missing -= 1;
            } else {
                chosen.iter().for_each(|&view| views[view].add(pair));
            }
        }
        if missing > 0 {
            return Err(Error::Parameter {
                name: "removed",
                message: format!(
                    "is {}: that is {n_removed} edges, but after {} any other would cut a view in two; remove fewer, \
                     or add some",
                    self.removed,
                    n_removed - missing
                ),
            });
        }
        Ok(views.iter().map(Adjacency::edges).collect())
    }
}

/// Which views the next pair differs in.
struct Choice {
    views: Vec<usize>,
    n_chosen: usize,
    again: bool,
}

impl Choice {
    fn new(changes: &Changes, n_views: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut views: Vec<usize> = (0..n_views).collect();
        views.shuffle(rng);
        Self {
            views,
            n_chosen: changes.n_views,
            again: !changes.same_views,
        }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng) -> &[usize] {
        if self.again {
            self.views.partial_shuffle(rng, self.n_chosen).0
        } else {
            &self.views[..self.n_chosen]
        }
    }
}

/// A graph that gains and loses edges.
#[derive(Clone)]
struct Adjacency(Vec<Vec<u32>>);

impl Adjacency {
    fn of(n_nodes: usize, edges: &[[u32; 2]]) -> Self {
        let mut neighbours = Self(vec![Vec::new(); n_nodes]);
        edges.iter().for_each(|&pair| neighbours.add(pair));
        neighbours
    }

    fn add(&mut self, [a, b]: [u32; 2]) {
        self.0[a as usize].push(b);
        self.0[b as usize].push(a);
    }

    fn remove(&mut self, [a, b]: [u32; 2]) {
        self.0[a as usize].retain(|&other| other != b);
        self.0[b as usize].retain(|&other| other != a);
    }

    /// Whether there is a path between the ends of a pair; the search ends where it finds one.
    fn joins(&self, [a, b]: [u32; 2]) -> bool {
        let mut seen = vec![false; self.0.len()];
        seen[a as usize] = true;
        let mut queue = std::collections::VecDeque::from([a]);
        while let Some(node) = queue.pop_front() {
            for &other in &self.0[node as usize] {
                if other == b {
                    return true;
                }
                if !std::mem::replace(&mut seen[other as usize], true) {
                    queue.push_back(other);
                }
            }
        }
        false
    }

    fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges = Vec::new();
        for (a, others) in (0..).zip(&self.0) {
            edges.extend(others.iter().filter(|&&b| a < b).map(|&b| [a, b]));
        }
        edges.sort_unstable();
        edges
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::graphs::{GraphModel, is_connected};
    use super::*;

    const N_NODES: usize = 30;

    fn consensus() -> Vec<[u32; 2]> {
        let model = GraphModel::ErdosRenyi { probability: 0.25 };
        model.draw(N_NODES, &mut ChaCha8Rng::seed_from_u64(9)).unwrap().edges
    }

    fn draw(changes: Changes, n_nodes: usize, edges: &[[u32; 2]], seed: u64) -> Result<Vec<Vec<[u32; 2]>>, Error> {
        changes.check(5)?;
        changes.draw(n_nodes, 5, edges, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    #[test]
    fn every_change_is_in_exactly_k_of_the_views() {
        let edges = consensus();
        for n_views in 1..=5 {
            for same_views in [false, true] {
                let changes = Changes {
                    added: 0.3,
                    removed: 0.2,
                    n_views,
                    same_views,
                };
                let views = draw(changes, N_NODES, &edges, n_views as u64).unwrap();
                let (mut added, mut removed) = (0, 0);
                for pair in crate::Edges::complete(N_NODES).pairs() {
                    let n_with = views.iter().filter(|view| view.binary_search(pair).is_ok()).count();
                    match edges.binary_search(pair) {
                        Ok(_) if n_with == 5 => {}
                        Err(_) if n_with == 0 => {}
                        Ok(_) => {
                            assert_eq!(n_with, 5 - n_views);
                            removed += 1;
                        }
                        Err(_) => {
                            assert_eq!(n_with, n_views);
                            added += 1;
                        }
                    }
                }
                let number = |share: f64| (share * edges.len() as f64).round() as usize;
                assert_eq!((added, removed), (number(0.3), number(0.2)));
                assert!(views.iter().all(|view| is_connected(N_NODES, view) && view.is_sorted()));
                let untouched = views.iter().filter(|view| **view == edges).count();
                assert_eq!(untouched, if same_views { 5 - n_views } else { 0 });
            }
        }
    }

    #[test]
    fn every_view_is_as_likely_to_change() {
        let edges = consensus();
        let changes = Changes {
            added: 1.0,
            removed: 0.0,
            n_views: 2,
            same_views: false,
        };
        let n_added: usize = (0..40)
            .map(|seed| draw(changes, N_NODES, &edges, seed).unwrap()[3].len() - edges.len())
            .sum();
        let n_trials = 40.0 * edges.len() as f64;
        let deviation = (n_trials * 0.4 * 0.6).sqrt();
        assert!((n_added as f64 - 0.4 * n_trials).abs() < 4.0 * deviation);
    }

    #[test]
    fn bridges_stay_until_something_replaces_them() {
        let path = [[0, 1], [1, 2], [2, 3], [3, 4]];
        let changes = |added, removed| Changes {
            added,
            removed,
            ..Changes::default()
        };
        let text = draw(changes(0.0, 0.25), 5, &path, 1).unwrap_err().to_string();
        assert!(
            text.starts_with("removed is 0.25: that is 1 edges, but after 0 any other would cut"),
            "{text}"
        );
        // All six other pairs in every view: then all four edges can go.
        let all = Changes {
            n_views: 5,
            ..changes(1.5, 1.0)
        };
        let views = draw(all, 5, &path, 1).unwrap();
        assert!(views.iter().all(|view| view.len() == 6));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let edges = consensus();
        let refused = |changes| match draw(changes, N_NODES, &edges, 1) {
            Err(Error::Parameter { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        let default = Changes::default();
        for share in [-0.1, f64::NAN, f64::INFINITY, 1e3] {
            assert_eq!(
                refused(Changes {
                    added: share,
                    ..default
                }),
                "added"
            );
        }
        for share in [-0.1, 1.1, f64::NAN] {
            assert_eq!(
                refused(Changes {
                    removed: share,
                    ..default
                }),
                "removed"
            );
        }
        for n_views in [0, 6] {
            assert_eq!(refused(Changes { n_views, ..default }), "changed_views");
        }
    }
}
