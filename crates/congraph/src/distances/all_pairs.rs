//! The distances of all pairs of nodes without a list of them: for so many nodes that n²N numbers would be too many, or
//! too slow.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::listed::Distances;
use super::tiles::{Tiles, ViewTiles};
use crate::edges::candidates::{EXACT_NEIGHBOURS, EdgeCost};
use crate::edges::{Edges, ViewMatrix, both_signs, is_negative, pair_of};
use crate::error::Error;
use crate::options::option;
use crate::progress::{Progress, Watch};
use crate::signals::{DistanceNorm, Scaling, Signals, ViewSignals};
use crate::views::Views;

/// How many candidates are confirmed at a time.
const CANDIDATES: usize = 1 << 18;

/// The nodes in an order in which most neighbours are not far from each other: with very many nodes, numbers that are
/// needed together are then found together in memory. By the first view's signals.
pub(crate) fn neighbourly_order(views: &Views, scaling: &Scaling, signed: bool, seed: u64) -> Vec<usize> {
    let signals = ViewSignals::new(views.view(0), views.n_nodes(), scaling);
    let tiles = ViewTiles::new(&signals, views.n_nodes(), signed, &|_| false);
    tiles.points(signed).tree_order(seed)
}

/// Every pair of a node and one of its k nearest neighbours in some view, sorted; where edges are signed, by the shorter
/// of both.
pub(crate) fn nearest_pairs(
    signals: &Signals,
    signed: bool,
    k: usize,
    seed: u64,
    memory: u64,
    watch: Watch<'_>,
) -> Vec<[u32; 2]> {
    let k = k.clamp(1, signals.n_nodes - 1);
    if signals.n_nodes <= EXACT_NEIGHBOURS {
        return Tiles::new(signals, signed, memory, watch).nearest(k, watch).0;
    }
    let mut pairs = Vec::new();
    // One view at a time: its points are let go before the next.
    for (index, view) in signals.views.iter().enumerate() {
        // Nodes that the view lacks would be in the way of those that it has.
        let own: Option<Vec<usize>> =
            (!signals.membership.is_total()).then(|| signals.membership.nodes_of(index).collect());
        let tiles = match &own {
            None => ViewTiles::new(view, signals.n_nodes, signed, &|_| false),
            Some(own) => ViewTiles::new(&view.of_nodes(own), own.len(), signed, &|_| false),
        };
        let k = own.as_ref().map_or(k, |own| k.min(own.len() - 1));
        let node_of = |node: u32| own.as_ref().map_or(node, |own| own[node as usize] as u32);
        let tell = |share: f64| {
            let _ = watch(&Progress::Neighbours(
                (index as f64 + share) / signals.views.len() as f64,
            ));
        };
        let points = tiles.points(signed);
        let neighbours = points.neighbours(k, seed.wrapping_add(index as u64), &tell);
        for (node, row) in neighbours.chunks_exact(k).enumerate() {
            let node = node_of(node as u32);
            let pair = |&other: &u32| [node.min(node_of(other)), node.max(node_of(other))];
            pairs.extend(row.iter().map(pair));
        }
        pairs.par_sort_unstable();
        pairs.dedup();
    }
    pairs
}

/// How many edges outside a list would be present at the multipliers of its solution.
pub(crate) fn count_outside(
    signals: Signals,
    distances: &Distances,
    multipliers: &ViewMatrix,
    test: &impl PresenceTest,
    memory: u64,
    watch: Watch<'_>,
) -> usize {
    let all = AllPairs {
        tiles: Tiles::new(&signals, distances.edges().is_signed(), memory, watch),
        signals,
        divisor: distances.divisor(),
        nearest: Vec::new(),
        costs: Vec::new(),
    };
    all.entering(multipliers, distances.edges().pairs(), usize::MAX / 16, 0.0, test)
        .pairs
        .len()
}

/// All pairs of nodes of some views, with access to their distances.
pub struct AllPairs {
    signals: Signals,
    tiles: Tiles,
    divisor: f64,
    nearest: Vec<[u32; 2]>,
    /// Pairs with a cost of their own, sorted; they are never found by a check.
    costs: Vec<EdgeCost>,
}

impl AllPairs {
    /// Scales the signals, finds every node's `k` nearest neighbours and the largest distance. Distances are kept in
    /// f32 if they take at most `memory` bytes.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the distances are too large for f64.
    pub fn new(views: &Views, scaling: &Scaling, k: usize, memory: u64, watch: Watch<'_>) -> Result<Self, Error> {
        Self::of_signs(views, scaling, false, k, memory, watch)
    }

    /// The same with a positive and a negative edge for every pair, where edges are signed.
    ///
    /// # Errors
    /// As [`AllPairs::new`].
    pub(crate) fn of_signs(
        views: &Views,
        scaling: &Scaling,
        signed: bool,
        k: usize,
        memory: u64,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let signals = Signals::new(views, scaling);
        let tiles = Tiles::new(&signals, signed, memory, watch);
        let k = k.clamp(1, views.n_nodes() - 1);
        let (mut nearest, maxima) = tiles.nearest(k, watch);
        if signed {
            nearest = both_signs(&nearest);
        }
        let mut divisor = 1.0;
        if scaling.distance_norm == DistanceNorm::Max {
            let pairs = tiles.furthest(&maxima);
            let furthest = signals.distances(&pairs);
            let mut largest = 0.0_f64;
            for (pair, row) in pairs.iter().zip(furthest.rows()) {
                let has = |view: usize| pair.iter().all(|&node| !signals.lacks(view, node as usize));
                let own = row.iter().enumerate().filter(|(view, _)| has(*view));
                largest = own.fold(largest, |largest, (_, &value)| largest.max(value));
            }
            if !largest.is_finite() {
                return Err(Error::Invalid {
                    what: "distances",
                    message: format!(
                        "are too large for f64; signals this large need {}",
                        option("scale").set_to("zscore")
                    ),
                });
            }
            if largest > 0.0 {
                divisor = largest;
            }
        }
        Ok(Self {
            signals,
            tiles,
            divisor,
            nearest,
            costs: Vec::new(),
        })
    }

    /// The same with costs added to some pairs (sorted, each once). Forbidden pairs never enter a working set; the
    /// others are in it from the start.
    #[must_use]
    pub(crate) fn with_costs(mut self, costs: Vec<EdgeCost>) -> Self {
        let is_listed = |edge: &[u32; 2]| costs.binary_search_by_key(&pair_of(*edge), |cost| cost.pair).is_ok();
        self.nearest.retain(|edge| !is_listed(edge));
        let some_has = |pair: [u32; 2]| self.signals.membership.some_has(pair);
        let allowed: Vec<[u32; 2]> = costs
            .iter()
            .filter(|cost| cost.cost < f64::INFINITY && some_has(cost.pair))
            .map(|cost| cost.pair)
            .collect();
        self.nearest.extend(if self.tiles.signed {
            both_signs(&allowed)
        } else {
            allowed
        });
        self.nearest.sort_unstable();
        self.costs = costs;
        self
    }

    /// Marks what views lack.
    fn mark(&self, pairs: &[[u32; 2]], distances: &mut ViewMatrix) {
        self.signals.membership.mark(pairs, distances);
    }

    /// Adds the costs of their own to the distances of pairs.
    fn add_costs(&self, pairs: &[[u32; 2]], distances: &mut ViewMatrix) {
        if self.costs.is_empty() {
            return;
        }
        for (pair, row) in pairs.iter().zip(distances.rows_mut()) {
            if let Ok(found) = self.costs.binary_search_by_key(&pair_of(*pair), |cost| cost.pair) {
                row.iter_mut().for_each(|distance| *distance += self.costs[found].cost);
            }
        }
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.signals.n_nodes
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.signals.views.len()
    }

    /// What distances are divided by.
    pub fn divisor(&self) -> f64 {
        self.divisor
    }

    /// The pairs of a node and one of its nearest neighbours in some view, sorted.
    pub fn nearest(&self) -> &[[u32; 2]] {
        &self.nearest
    }

    /// The distances of chosen pairs, in f64.
    pub(crate) fn distances_of(&self, pairs: &[[u32; 2]]) -> ViewMatrix {
        let mut distances = self.signals.distances(pairs);
        let divisor = self.divisor;
        if divisor != 1.0 {
            distances.values_mut().iter_mut().for_each(|value| *value /= divisor);
        }
        self.mark(pairs, &mut distances);
        self.add_costs(pairs, &mut distances);
        distances
    }

    /// The distances of chosen pairs as the check sees them, if those are kept; else in f64.
    pub(crate) fn rough_distances_of(&self, pairs: &[[u32; 2]]) -> ViewMatrix {
        match self.tiles.kept(pairs) {
            Some(mut costs) => {
                costs.values_mut().iter_mut().for_each(|value| *value /= self.divisor);
                self.mark(pairs, &mut costs);
                self.add_costs(pairs, &mut costs);
                costs
            }
            None => self.distances_of(pairs),
        }
    }

    /// The pairs outside `pairs` (sorted) that would be present at the given multipliers, with their distances; at most
    /// `most` for each block of nodes, and whether that left any out. With a margin also those that would be if all
    /// their targets were larger by it.
    pub(crate) fn entering(
        &self,
        multipliers: &ViewMatrix,
        pairs: &[[u32; 2]],
        most: usize,
        margin: f64,
        test: &impl PresenceTest,
    ) -> Entering {
        let mut most = most;
        loop {
            let (candidates, complete) = self.candidates(multipliers, pairs, most, test, Some(margin));
            let mut entering = self.confirmed(&candidates, multipliers, margin, test);
            entering.complete = complete;
            if complete || !entering.pairs.is_empty() {
                return entering;
            }
            // More pairs within rounding of absence than were looked at: look at more.
            most = most.saturating_mul(8);
        }
    }

    /// As [`AllPairs::entering`], as far as f32 can tell: with an allowance for its rounding and a margin, or without.
    pub(crate) fn candidates(
        &self,
        multipliers: &ViewMatrix,
        pairs: &[[u32; 2]],
        most: usize,
        test: &impl PresenceTest,
        allowance: Option<f64>,
    ) -> (Vec<[u32; 2]>, bool) {
        let mut in_costs = multipliers.clone();
        in_costs
            .values_mut()
            .iter_mut()
            .for_each(|value| *value *= self.divisor);
        let factor = 1.0 / (self.divisor * test.kappa());
        let is_absent = |targets: &[f64]| test.is_absent(targets);
        let costed: Vec<[u32; 2]> = self.costs.iter().map(|cost| cost.pair).collect();
        let of_sign = if self.tiles.signed {
            let sign = |negative| pairs.iter().filter(move |edge| is_negative(**edge) == negative);
            let mut negative: Vec<[u32; 2]> = sign(true).map(|&edge| pair_of(edge)).collect();
            negative.par_sort_unstable();
            vec![Cow::Owned(sign(false).copied().collect()), Cow::Owned(negative)]
        } else {
            vec![Cow::Borrowed(pairs)]
        };
        let sets = |pairs| {
            let mut sets = vec![Set::new(self.n_nodes(), pairs)];
            if !costed.is_empty() {
                sets.push(Set::new(self.n_nodes(), &costed));
            }
            sets
        };
        let known: Vec<Vec<Set<'_>>> = of_sign
            .iter()
            .map(|pairs: &Cow<'_, [[u32; 2]]>| sets(&**pairs))
            .collect();
        self.tiles
            .present(&in_costs, factor, most, allowance, is_absent, &known)
    }

    /// Those of the pairs that would be present in f64.
    fn confirmed(
        &self,
        candidates: &[[u32; 2]],
        multipliers: &ViewMatrix,
        margin: f64,
        test: &impl PresenceTest,
    ) -> Entering {
        let mut entering = Entering {
            pairs: Vec::new(),
            distances: ViewMatrix::zeros(0, self.n_views()),
            complete: true,
        };
        let mut targets = vec![0.0; self.n_views()];
        for some in candidates.chunks(CANDIDATES) {
            let distances = self.distances_of(some);
            for (&pair, row) in some.iter().zip(distances.rows()) {
                if test.is_present(pair, row, multipliers, margin, &mut targets) {
                    entering.pairs.push(pair);
                    entering.distances.push_row(row);
                }
            }
        }
        entering
    }

    /// The distances of a sorted list of pairs as the distances of a problem.
    pub(crate) fn restricted(&self, pairs: Vec<[u32; 2]>, values: ViewMatrix) -> Arc<Distances> {
        let edges = if self.tiles.signed {
            Edges::signed(self.n_nodes(), pairs)
        } else {
            Edges::listed(self.n_nodes(), pairs)
        };
        Arc::new(Distances::listed(
            edges,
            values,
            self.divisor,
            Arc::clone(&self.signals.membership),
        ))
    }
}

/// Tells whether an edge would be present: what a method asks of all pairs.
pub(crate) trait PresenceTest: Sync {
    /// What targets are divided by.
    fn kappa(&self) -> f64;

    /// Whether an edge of these targets is absent, and so of any smaller ones.
    fn is_absent(&self, targets: &[f64]) -> bool;

    /// Whether a pair with these distances would be present at the multipliers if all its targets were larger by
    /// `margin`. `targets` is a buffer of one row.
    fn is_present(
        &self,
        [a, b]: [u32; 2],
        distances: &[f64],
        multipliers: &ViewMatrix,
        margin: f64,
        targets: &mut [f64],
    ) -> bool {
        let ends = multipliers.row(a as usize).iter().zip(multipliers.row(b as usize));
        let mut positive = false;
        for (target, (d, (x, y))) in targets.iter_mut().zip(distances.iter().zip(ends)) {
            *target = margin - (d + x + y) / self.kappa();
            positive |= *target > 0.0;
        }
        positive && !self.is_absent(targets)
    }
}

/// A sorted list of pairs that can be asked for those of a node.
pub(super) struct Set<'a> {
    pairs: &'a [[u32; 2]],
    /// Where the pairs of each first node start.
    starts: Vec<usize>,
}

impl<'a> Set<'a> {
    fn new(n_nodes: usize, pairs: &'a [[u32; 2]]) -> Self {
        let mut starts = vec![0; n_nodes + 1];
        for &[a, _] in pairs {
            starts[a as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        Self { pairs, starts }
    }

    /// The pairs of a first node with a second one in a range.
    pub(super) fn of(&self, a: u32, seconds: &Range<usize>) -> &[[u32; 2]] {
        let row = &self.pairs[self.starts[a as usize]..self.starts[a as usize + 1]];
        let first = row.partition_point(|&[_, b]| (b as usize) < seconds.start);
        let count = row[first..].partition_point(|&[_, b]| (b as usize) < seconds.end);
        &row[first..first + count]
    }
}

/// Pairs that lack in a working set.
pub(crate) struct Entering {
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) distances: ViewMatrix,
    /// Whether these are all that there are.
    pub(crate) complete: bool,
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::progress::no_progress;
    use crate::views::{Missing, Table, ViewOptions};

    /// Enough nodes for the approximate search; the second view lacks a fifth of them, the first every hundredth.
    #[test]
    fn neighbours_in_a_view_are_those_that_it_has() {
        let (n_nodes, n_samples) = (EXACT_NEIGHBOURS + 50, 6);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let lacks = |view: usize, node: usize| {
            if view == 0 {
                node % 100 == 7
            } else {
                node.is_multiple_of(5)
            }
        };
        let mut table = |view: usize| {
            let own: Vec<usize> = (0..n_nodes).filter(|&node| !lacks(view, node)).collect();
            let values = (0..own.len() * n_samples)
                .map(|_| rng.random_range(-1.0..1.0))
                .collect();
            Table::new(format!("{view}"), own.len(), values).with_columns(own.iter().map(|node| format!("{node:05}")))
        };
        let options = ViewOptions {
            missing: Missing::Mask,
            ..ViewOptions::default()
        };
        let (views, _) = Views::assemble(vec![table(0), table(1)], &options).unwrap();
        let (views, _) = views.sorted();
        let signals = Signals::new(&views, &Scaling::default());
        let pairs = nearest_pairs(&signals, false, 4, 1, 0, &no_progress);
        let mask = views.membership();
        assert!(pairs.iter().all(|&pair| mask.some_has(pair)));
        let (mut found, mut all) = (0, 0);
        for (view, node) in [0, 1]
            .into_iter()
            .flat_map(|view| (11..n_nodes).step_by(1500).map(move |node| (view, node)))
        {
            if lacks(view, node) {
                continue;
            }
            let others = mask.nodes_of(view).filter(|&other| other != node);
            let distance = |&other: &usize| signals.views[view].distance(node, other);
            let nearest = others.min_by(|x, y| distance(x).total_cmp(&distance(y))).unwrap();
            let pair = [node.min(nearest) as u32, node.max(nearest) as u32];
            found += usize::from(pairs.binary_search(&pair).is_ok());
            all += 1;
        }
        assert!(found * 10 >= all * 9 && all >= 30, "{found} of {all}");
    }
}
