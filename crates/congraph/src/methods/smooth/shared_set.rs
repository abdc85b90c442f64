//! The pairs of a working set and their distances, at one process or shared out among several.
//!
//! Every member of a team knows which pairs are in the set; of their distances, and so of everything that Newton keeps for
//! an edge, each has those of a stretch of the list. When pairs enter, stretches move, and rows go to those who have them
//! next.

use std::ops::Range;
use std::sync::Arc;

use super::Problem;
use super::newton::Descent;
use crate::distances::{AllPairs, Distances, Entering, merged};
use crate::edges::{ViewMatrix, Weights};
use crate::error::Error;
use crate::methods::smooth::Model;
use crate::team::Share;

/// A working set.
pub(super) struct SharedSet<'a> {
    all: &'a AllPairs,
    /// The distances that are here.
    distances: Arc<Distances>,
    /// All pairs, where not all distances are here.
    pairs: Option<Vec<[u32; 2]>>,
}

/// Pairs that enter a set: all of them, and the distances of those that were found here.
pub(super) struct Found {
    own: Entering,
    /// All pairs, where others found some.
    pairs: Option<Vec<[u32; 2]>>,
}

impl Found {
    /// Of what each member found.
    pub(super) fn new(all: &AllPairs, own: Entering) -> Self {
        let team = all.team().as_ref();
        if !is_shared(all) {
            return Self {
                own: own.of_all(team),
                pairs: None,
            };
        }
        let mut pairs = team.gather_values(&own.pairs).concat();
        pairs.sort_unstable();
        pairs.dedup();
        Self {
            own,
            pairs: Some(pairs),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all_pairs().is_empty()
    }

    fn all_pairs(&self) -> &[[u32; 2]] {
        self.pairs.as_ref().unwrap_or(&self.own.pairs)
    }

    /// These pairs and others, sorted.
    pub(super) fn pairs_with(&self, others: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let mut pairs = [self.all_pairs(), others].concat();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// Whether members keep parts of a set for themselves.
fn is_shared(all: &AllPairs) -> bool {
    all.team().size() > 1 && all.team().shares_set()
}

impl<'a> SharedSet<'a> {
    /// Of pairs that everybody knows; `distances_of` tells those of some.
    pub(super) fn of_known(
        all: &'a AllPairs,
        pairs: &[[u32; 2]],
        distances_of: impl Fn(&[[u32; 2]]) -> ViewMatrix,
    ) -> Self {
        if !is_shared(all) {
            return Self {
                all,
                distances: all.restricted(pairs.to_vec(), distances_of(pairs)),
                pairs: None,
            };
        }
        let share = share_of(all, pairs);
        let values = distances_of(&pairs[share.edges()]);
        Self {
            all,
            distances: all.part(share, pairs, values),
            pairs: Some(pairs.to_vec()),
        }
    }

    /// Of what was found.
    pub(super) fn of_found(all: &'a AllPairs, found: Found) -> Self {
        let none = || ViewMatrix::zeros(0, all.n_views());
        match found.pairs {
            None => Self {
                all,
                distances: all.restricted(found.own.pairs, found.own.distances),
                pairs: None,
            },
            Some(pairs) => Self::moved(all, pairs, [(&[], &none()), (&found.own.pairs, &found.own.distances)]),
        }
    }

    /// With more pairs.
    pub(super) fn add(&mut self, found: &Found) {
        let set = (self.distances.edges().pairs(), self.distances.values());
        if found.pairs.is_none() {
            let (pairs, values) = merged(set, (&found.own.pairs, &found.own.distances));
            self.distances = self.all.restricted(pairs, values);
            return;
        }
        let pairs = found.pairs_with(self.pairs());
        *self = Self::moved(self.all, pairs, [set, (&found.own.pairs, &found.own.distances)]);
    }

    /// Of a list of pairs whose rows are here and there: two sorted lists of them here.
    fn moved(all: &'a AllPairs, pairs: Vec<[u32; 2]>, here: [(&[[u32; 2]], &ViewMatrix); 2]) -> Self {
        let (share, team) = (share_of(all, &pairs), all.team().as_ref());
        let of_member = |rank: usize| {
            let edges = share.edges_of(rank);
            let (mut places, mut rows) = (Vec::new(), Vec::new());
            for (own, values) in here {
                for k in between(own, &pairs, &edges) {
                    places.extend(pairs[edges.clone()].binary_search(&own[k]).map(|place| place as u32));
                    rows.extend_from_slice(values.row(k));
                }
            }
            (places, rows)
        };
        let (places, rows): (Vec<Vec<u32>>, Vec<Vec<f64>>) = (0..team.size()).map(of_member).unzip();
        let (places, rows) = (team.exchange_values(&places), team.exchange_values(&rows));
        let mut values = ViewMatrix::zeros(share.edges().len(), all.n_views());
        for (place, row) in places.iter().flatten().zip(rows.concat().chunks_exact(all.n_views())) {
            values.row_mut(*place as usize).copy_from_slice(row);
        }
        Self {
            all,
            distances: all.part(share, &pairs, values),
            pairs: Some(pairs),
        }
    }

    /// All pairs of the set.
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        match &self.pairs {
            Some(pairs) => pairs,
            None => self.distances.edges().pairs(),
        }
    }

    /// The problem of the distances that are here.
    pub(super) fn problem(&self, model: &Model) -> Result<Problem, Error> {
        Problem::new(Arc::clone(&self.distances), model.clone())
    }

    /// The problem of all pairs of the set, and what was found with the weights of all.
    pub(super) fn together(&self, found: Descent, model: &Model) -> Result<(Problem, Descent), Error> {
        let Some(pairs) = &self.pairs else {
            return Ok((self.problem(model)?, found));
        };
        let (team, n_views) = (self.all.team().as_ref(), self.all.n_views());
        let first = self.distances.share().edges().start as u32;
        let edges: Vec<u32> = found.weights.edges().iter().map(|edge| first + edge).collect();
        let edges = team.gather_values(&edges).concat();
        let rows = team.gather_values(found.weights.views().values()).concat();
        let consensus = team.gather_values(found.weights.consensus()).concat();
        let mut weights = Weights::empty(n_views);
        for ((edge, row), consensus) in edges.into_iter().zip(rows.chunks_exact(n_views)).zip(consensus) {
            weights.push(edge as usize, row, consensus);
        }
        let values = team.gather_values(self.distances.values().values()).concat();
        let values = ViewMatrix::from_values(n_views, values);
        let problem = Problem::new(self.all.restricted(pairs.clone(), values), model.clone())?;
        Ok((problem, Descent { weights, ..found }))
    }
}

fn share_of(all: &AllPairs, pairs: &[[u32; 2]]) -> Share {
    Share::new(Arc::clone(all.team()), all.n_nodes(), pairs.len())
}

/// Which of a member's own pairs are within a stretch of all.
fn between(own: &[[u32; 2]], all: &[[u32; 2]], stretch: &Range<usize>) -> Range<usize> {
    let place = |edge: usize| match all.get(edge) {
        Some(pair) => own.partition_point(|other| other < pair),
        None => own.len(),
    };
    place(stretch.start)..place(stretch.end)
}
