//! The pairs that could be present at any multipliers above a floor, found once.
//!
//! Targets fall when multipliers rise. So a pair that is absent at multipliers λ⁰ is absent at all λ ≥ λ⁰: one pass over all
//! pairs at a λ⁰ somewhat below the λ that is expected finds every pair that a working set will ever need, as long as no
//! multiplier falls below its floor. Where one does, the pairs of that node alone are asked again, with a lower floor.

use rayon::prelude::*;

use super::all_pairs::{AllPairs, Entering, PresenceTest};
use super::deepest::Stretch;
use crate::edges::ViewMatrix;
use crate::progress::Watch;

/// A floor, and all pairs that could be present there, with lower bounds of their costs.
pub(crate) struct Cover<'a> {
    all: &'a AllPairs,
    floor: ViewMatrix,
    stretches: Vec<Stretch>,
    /// Pairs with a cost of their own, which a pass does not look for, and that are not forbidden.
    costed: Vec<[u32; 2]>,
    /// Whether there are no others.
    pub(crate) complete: bool,
}

impl<'a> Cover<'a> {
    /// One pass over all pairs; of every block of nodes at most `most`.
    pub(crate) fn new(
        all: &'a AllPairs,
        floor: ViewMatrix,
        most: usize,
        test: &impl PresenceTest,
        watch: Watch<'_>,
    ) -> Self {
        let found = all.open(&floor, None, |_| false, most, test, watch);
        Self {
            all,
            floor,
            stretches: found.stretches,
            // One member asks for all.
            costed: match all.team().rank() {
                0 => all.allowed_with_costs(),
                _ => Vec::new(),
            },
            complete: !all.team().any(!found.complete),
        }
    }

    /// How many pairs, of all members of a team.
    pub(crate) fn n_pairs(&self) -> usize {
        let own: usize = self.stretches.iter().map(|stretch| stretch.pairs.len()).sum();
        self.all
            .team()
            .gather_values(&[own as u64])
            .concat()
            .iter()
            .sum::<u64>() as usize
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
    pub(crate) fn lower(&mut self, nodes: &[u32], floor: &ViewMatrix, test: &impl PresenceTest, watch: Watch<'_>) {
        for &node in nodes {
            let lower = floor.row(node as usize);
            for (own, lower) in self.floor.row_mut(node as usize).iter_mut().zip(lower) {
                *own = own.min(*lower);
            }
        }
        let is_known = |edge: [u32; 2]| {
            let place = self
                .stretches
                .partition_point(|stretch| stretch.pairs.last() < Some(&edge));
            let stretch = self.stretches.get(place);
            stretch.is_some_and(|stretch| stretch.pairs.binary_search(&edge).is_ok())
        };
        let found = self
            .all
            .open(&self.floor, Some(nodes), is_known, usize::MAX / 16, test, watch);
        self.complete &= !self.all.team().any(!found.complete);
        let n_views = self.all.n_views();
        if self.stretches.is_empty() {
            self.stretches = found.stretches;
            return;
        }
        for found in found.stretches {
            let (mut pairs, mut bounds) = (&found.pairs[..], &found.bounds[..]);
            for k in 0..self.stretches.len() {
                // What comes before the next stretch belongs to this one.
                let next = self.stretches.get(k + 1).and_then(|stretch| stretch.pairs.first());
                let n_own = next.map_or(pairs.len(), |next| pairs.partition_point(|pair| pair < next));
                let (own, others) = pairs.split_at(n_own);
                let (own_bounds, other_bounds) = bounds.split_at(n_own * n_views);
                let own = Stretch {
                    pairs: own.to_vec(),
                    bounds: own_bounds.to_vec(),
                };
                self.stretches[k] = std::mem::take(&mut self.stretches[k]).merged(&own, n_views);
                (pairs, bounds) = (others, other_bounds);
            }
        }
    }

    /// The pairs outside `known` (sorted) that would be present at the multipliers if their targets were larger by
    /// `margin`, with their distances: those of which the bounds allow it, and f64 says so. Of a team, those that are in
    /// this member's cover.
    pub(crate) fn entering(
        &self,
        multipliers: &ViewMatrix,
        known: &[[u32; 2]],
        margin: f64,
        test: &impl PresenceTest,
    ) -> Entering {
        let candidates = self.candidates(multipliers, known, margin, test);
        let distances_of = |pairs: &[[u32; 2]]| self.all.distances_of(pairs);
        self.all.confirmed(&candidates, multipliers, margin, test, distances_of)
    }

    /// The pairs that would be present if their targets were larger by `margin`, as far as bytes tell, with the distances
    /// that these tell. Bounds, which may be of bytes or of f32, only leave out what is further from presence than `depth`.
    pub(crate) fn nearly_entering(
        &self,
        multipliers: &ViewMatrix,
        margin: f64,
        depth: f64,
        test: &impl PresenceTest,
    ) -> Entering {
        let candidates = self.candidates(multipliers, &[], depth, test);
        let distances_of = |pairs: &[[u32; 2]]| self.all.rough_distances_of(pairs);
        self.all.confirmed(&candidates, multipliers, margin, test, distances_of)
    }

    /// The pairs outside `known` of which the bounds do not say that they are absent.
    fn candidates(
        &self,
        multipliers: &ViewMatrix,
        known: &[[u32; 2]],
        margin: f64,
        test: &impl PresenceTest,
    ) -> Vec<[u32; 2]> {
        let n_views = self.all.n_views();
        let of_stretch = |stretch: &Stretch| -> Vec<[u32; 2]> {
            let (mut targets, mut bounds) = (vec![0.0; n_views], vec![0.0; n_views]);
            let mut next = known.partition_point(|pair| stretch.pairs.first().is_some_and(|first| pair < first));
            let enters = |&(&pair, lower): &(&[u32; 2], &[f32])| {
                while next < known.len() && known[next] < pair {
                    next += 1;
                }
                self.all.divided(lower, &mut bounds);
                known.get(next) != Some(&pair) && test.is_present(pair, &bounds, multipliers, margin, &mut targets)
            };
            let rows = stretch.pairs.iter().zip(stretch.bounds.chunks_exact(n_views));
            rows.filter(enters).map(|(&pair, _)| pair).collect()
        };
        let mut candidates = self.stretches.par_iter().map(of_stretch).collect::<Vec<_>>().concat();
        let is_new = |pair: &&[u32; 2]| known.binary_search(pair).is_err();
        candidates.extend(self.costed.iter().filter(is_new));
        if !self.costed.is_empty() {
            candidates.sort_unstable();
        }
        candidates
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
