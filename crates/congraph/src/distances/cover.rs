//! The pairs that could be present at any multipliers above a floor, found once.
//!
//! Targets fall when multipliers rise. So a pair that is absent at multipliers λ⁰ is absent at all λ ≥ λ⁰: one pass over all
//! pairs at a λ⁰ somewhat below the λ that is expected finds every pair that a working set will ever need, as long as no
//! multiplier falls below its floor. Where one does, the pairs of that node alone are asked again, with a lower floor.

use super::all_pairs::{AllPairs, Entering, PresenceTest};
use crate::edges::ViewMatrix;
use crate::parallel::chunks;

/// A floor, and all pairs that are not absent there, with their distances in f64.
pub(crate) struct Cover {
    floor: ViewMatrix,
    pairs: Vec<[u32; 2]>,
    distances: ViewMatrix,
    /// Whether there are no others.
    pub(crate) complete: bool,
}

impl Cover {
    /// One pass over all pairs; of every block of nodes at most `most`.
    pub(crate) fn new(all: &AllPairs, floor: ViewMatrix, most: usize, test: &impl PresenceTest) -> Self {
        let found = all.present(&floor, None, &[], most, test);
        // Pairs with a cost of their own are not looked for.
        let costed = all.allowed_with_costs();
        let cover = Self {
            floor,
            pairs: found.pairs,
            distances: found.distances,
            complete: found.complete,
        };
        cover.with(&costed, &all.distances_of(&costed))
    }

    /// The same with other pairs (sorted) in it from the start.
    pub(crate) fn with(mut self, pairs: &[[u32; 2]], distances: &ViewMatrix) -> Self {
        (self.pairs, self.distances) = merged((&self.pairs, &self.distances), (pairs, distances));
        self
    }

    /// The nodes of which a multiplier is below its floor.
    pub(crate) fn fallen(&self, multipliers: &ViewMatrix) -> Vec<u32> {
        let is_below = |node: &usize| {
            let both = multipliers.row(*node).iter().zip(self.floor.row(*node));
            both.into_iter().any(|(value, floor)| value < floor)
        };
        let nodes = (0..multipliers.n_rows()).filter(is_below);
        nodes.map(|node| node as u32).collect()
    }

    /// Lowers the floor of some nodes (sorted) and asks their pairs again.
    pub(crate) fn lower(&mut self, all: &AllPairs, nodes: &[u32], floor: &ViewMatrix, test: &impl PresenceTest) {
        for &node in nodes {
            let lower = floor.row(node as usize);
            for (own, lower) in self.floor.row_mut(node as usize).iter_mut().zip(lower) {
                *own = own.min(*lower);
            }
        }
        let found = all.present(&self.floor, Some(nodes), &self.pairs, usize::MAX / 16, test);
        (self.pairs, self.distances) = merged((&self.pairs, &self.distances), (&found.pairs, &found.distances));
    }

    /// The pairs outside `known` (sorted) that would be present at the multipliers if their targets were larger by
    /// `margin`.
    pub(crate) fn entering(
        &self,
        multipliers: &ViewMatrix,
        known: &[[u32; 2]],
        margin: f64,
        test: &impl PresenceTest,
    ) -> Entering {
        let parts = chunks::map(self.pairs.len(), |range| {
            let mut targets = vec![0.0; self.distances.n_views()];
            let mut next = known.partition_point(|pair| *pair < self.pairs[range.start]);
            let enters = |&k: &usize| {
                let pair = self.pairs[k];
                while next < known.len() && known[next] < pair {
                    next += 1;
                }
                known.get(next) != Some(&pair)
                    && test.is_present(pair, self.distances.row(k), multipliers, margin, &mut targets)
            };
            range.filter(enters).collect::<Vec<usize>>()
        });
        let places: Vec<usize> = parts.concat();
        let mut distances = ViewMatrix::with_capacity(places.len(), self.distances.n_views());
        places.iter().for_each(|&k| distances.push_row(self.distances.row(k)));
        Entering {
            pairs: places.iter().map(|&k| self.pairs[k]).collect(),
            distances,
            complete: self.complete,
        }
    }
}

/// Two sorted lists of pairs with their rows as one; a pair of both is taken from the first.
pub(crate) fn merged(
    (pairs, values): (&[[u32; 2]], &ViewMatrix),
    (more_pairs, more_values): (&[[u32; 2]], &ViewMatrix),
) -> (Vec<[u32; 2]>, ViewMatrix) {
    let mut all = Vec::with_capacity(pairs.len() + more_pairs.len());
    let mut rows = ViewMatrix::with_capacity(pairs.len() + more_pairs.len(), values.n_views());
    let mut first = 0;
    for (&pair, row) in more_pairs.iter().zip(more_values.rows()) {
        let next = first + pairs[first..].partition_point(|&other| other < pair);
        all.extend_from_slice(&pairs[first..next]);
        rows.push_rows(values, first..next);
        first = next;
        if pairs.get(next) != Some(&pair) {
            all.push(pair);
            rows.push_row(row);
        }
    }
    all.extend_from_slice(&pairs[first..]);
    rows.push_rows(values, first..pairs.len());
    (all, rows)
}
