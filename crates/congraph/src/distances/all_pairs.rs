//! The distances of all pairs of nodes without a list of them: for so many nodes that n²N numbers would be too many, or
//! too slow.

use std::sync::Arc;

use rayon::prelude::*;

use super::approximate::Cloud;
use super::listed::Distances;
use super::nearest::Search;
use super::pass::{Open, Question};
use super::quantised::Quantised;
use crate::edges::candidates::{EXACT_NEIGHBOURS, EdgeCost};
use crate::edges::{Edges, ViewMatrix, both_signs, is_negative, pair_of};
use crate::error::Error;
use crate::options::option;
use crate::parallel::chunks;
use crate::parallel::kernels::Instructions;
use crate::parallel::simd::vectorised;
use crate::progress::{Progress, Watch};
use crate::signals::{DistanceNorm, Scaling, Signals, ViewSignals};
use crate::views::Views;

/// How many candidates are confirmed at a time.
const CANDIDATES: usize = 1 << 18;

/// The nodes in an order in which most neighbours are not far from each other: with very many nodes, numbers that are
/// needed together are then found together in memory. By the first view's signals.
pub(crate) fn neighbourly_order(views: &Views, scaling: &Scaling, signed: bool, seed: u64) -> Vec<usize> {
    let signals = ViewSignals::new(views.view(0), views.n_nodes(), scaling);
    Cloud::new(&signals, views.n_nodes(), signed).points().tree_order(seed)
}

/// Every pair of a node and one of its k nearest neighbours in some view, sorted; where edges are signed, by the shorter
/// of both.
pub(crate) fn nearest_pairs(signals: &Signals, signed: bool, k: usize, seed: u64, watch: Watch<'_>) -> Vec<[u32; 2]> {
    let k = k.clamp(1, signals.n_nodes - 1);
    if signals.n_nodes <= EXACT_NEIGHBOURS {
        let search = Search {
            bytes: &Quantised::new(signals, signed, Instructions::best()),
            signals,
            signed,
            k,
            exact: true,
            furthest: false,
        };
        return search.run(watch).pairs;
    }
    let mut pairs = Vec::new();
    // One view at a time: its points are let go before the next.
    for (index, view) in signals.views.iter().enumerate() {
        // Nodes that the view lacks would be in the way of those that it has.
        let own: Option<Vec<usize>> =
            (!signals.membership.is_total()).then(|| signals.membership.nodes_of(index).collect());
        let cloud = match &own {
            None => Cloud::new(view, signals.n_nodes, signed),
            Some(own) => Cloud::new(&view.of_nodes(own), own.len(), signed),
        };
        let k = own.as_ref().map_or(k, |own| k.min(own.len() - 1));
        let node_of = |node: u32| own.as_ref().map_or(node, |own| own[node as usize] as u32);
        let tell = |share: f64| {
            let _ = watch(&Progress::Neighbours(
                (index as f64 + share) / signals.views.len() as f64,
            ));
        };
        let neighbours = cloud.points().neighbours(k, seed.wrapping_add(index as u64), &tell);
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
) -> usize {
    let signed = distances.edges().is_signed();
    let all = AllPairs {
        bytes: Quantised::new(&signals, signed, Instructions::best()),
        signals,
        signed,
        divisor: distances.divisor(),
        nearest: Vec::new(),
        costs: Vec::new(),
    };
    all.entering(multipliers, distances.edges().pairs(), test).pairs.len()
}

/// All pairs of nodes of some views, with access to their distances.
pub struct AllPairs {
    signals: Signals,
    bytes: Quantised,
    /// Whether every pair has a negative edge beside the positive one.
    signed: bool,
    divisor: f64,
    nearest: Vec<[u32; 2]>,
    /// Pairs with a cost of their own, sorted; they are never found by a check.
    costs: Vec<EdgeCost>,
}

impl AllPairs {
    /// Scales the signals, finds every node's `k` nearest neighbours, roughly, and the largest distance.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the distances are too large for f64.
    pub fn new(views: &Views, scaling: &Scaling, k: usize, watch: Watch<'_>) -> Result<Self, Error> {
        Self::of_signs(views, scaling, false, k, watch)
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
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        Self::with_instructions(Instructions::best(), views, scaling, signed, k, watch)
    }

    /// The same with chosen vector instructions.
    pub(crate) fn with_instructions(
        instructions: Instructions,
        views: &Views,
        scaling: &Scaling,
        signed: bool,
        k: usize,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let signals = Signals::new(views, scaling);
        let bytes = Quantised::new(&signals, signed, instructions);
        let search = Search {
            bytes: &bytes,
            signals: &signals,
            signed,
            k: k.clamp(1, views.n_nodes() - 1),
            exact: false,
            furthest: scaling.distance_norm == DistanceNorm::Max,
        };
        let found = search.run(watch);
        if !found.furthest.is_finite() {
            return Err(Error::Invalid {
                what: "distances",
                message: format!(
                    "are too large for f64; signals this large need {}",
                    option("scale").set_to("zscore")
                ),
            });
        }
        Ok(Self {
            signals,
            bytes,
            signed,
            divisor: if found.furthest > 0.0 { found.furthest } else { 1.0 },
            nearest: if signed { both_signs(&found.pairs) } else { found.pairs },
            costs: Vec::new(),
        })
    }

    /// The same with costs added to some pairs (sorted, each once). Forbidden pairs never enter a working set; the
    /// others are in it from the start.
    #[must_use]
    pub(crate) fn with_costs(mut self, costs: Vec<EdgeCost>) -> Self {
        let is_listed = |edge: &[u32; 2]| costs.binary_search_by_key(&pair_of(*edge), |cost| cost.pair).is_ok();
        self.nearest.retain(|edge| !is_listed(edge));
        self.costs = costs;
        let allowed = self.allowed_with_costs();
        self.nearest.extend(allowed);
        self.nearest.sort_unstable();
        self
    }

    /// The edges with a cost of their own that are not forbidden, sorted.
    pub(super) fn allowed_with_costs(&self) -> Vec<[u32; 2]> {
        let some_has = |pair: [u32; 2]| self.signals.membership.some_has(pair);
        let allowed = |cost: &&EdgeCost| cost.cost < f64::INFINITY && some_has(cost.pair);
        let pairs: Vec<[u32; 2]> = self.costs.iter().filter(allowed).map(|cost| cost.pair).collect();
        if self.signed { both_signs(&pairs) } else { pairs }
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

    /// The distances of chosen pairs as well as bytes tell.
    pub(crate) fn rough_distances_of(&self, pairs: &[[u32; 2]]) -> ViewMatrix {
        if self.bytes.views.iter().any(|view| view.width == 0) {
            return self.distances_of(pairs);
        }
        let n_views = self.n_views();
        let mut distances = ViewMatrix::zeros(pairs.len(), n_views);
        chunks::map_mut(distances.values_mut(), n_views, |first, rows| {
            vectorised(
                #[inline(always)]
                || {
                    for (row, &edge) in rows.chunks_exact_mut(n_views).zip(&pairs[first..]) {
                        let [a, b] = pair_of(edge).map(|node| node as usize);
                        for (distance, view) in row.iter_mut().zip(&self.bytes.views) {
                            *distance = view.estimate(a, b, is_negative(edge)).max(0.0) / self.divisor;
                        }
                    }
                },
            );
        });
        self.mark(pairs, &mut distances);
        self.add_costs(pairs, &mut distances);
        distances
    }

    /// The pairs outside `pairs` (sorted) that would be present at the given multipliers, with their distances.
    pub(crate) fn entering(&self, multipliers: &ViewMatrix, pairs: &[[u32; 2]], test: &impl PresenceTest) -> Entering {
        let open = self.open(multipliers, None, pairs, usize::MAX / 16, test);
        self.confirmed(&open.pairs, multipliers, 0.0, test)
    }

    /// The pairs that could be present there as far as the pass can tell, none missed; among all, or those of some nodes
    /// (sorted); of each job of the pass at most `most`.
    pub(super) fn open(
        &self,
        multipliers: &ViewMatrix,
        some: Option<&[u32]>,
        known: &[[u32; 2]],
        most: usize,
        test: &impl PresenceTest,
    ) -> Open {
        let mut levels = multipliers.clone();
        levels.values_mut().iter_mut().for_each(|level| *level *= self.divisor);
        let question = Question {
            bytes: &self.bytes,
            signals: &self.signals,
            signed: self.signed,
            levels: &levels,
            most,
        };
        let known = Set::new(self.n_nodes(), known);
        question.ask(some, |edge, bounds| {
            let is_costed = || {
                self.costs
                    .binary_search_by_key(&pair_of(edge), |cost| cost.pair)
                    .is_ok()
            };
            if known.holds(edge) || is_costed() {
                return None;
            }
            self.depth(edge, bounds, multipliers, test)
        })
    }

    /// The bounds of a pair as they are compared with the distances of a problem.
    pub(super) fn divided(&self, bounds: &[f32], out: &mut [f64]) {
        for (out, &bound) in out.iter_mut().zip(bounds) {
            *out = f64::from(bound) / self.divisor;
        }
    }

    /// The largest target of an edge whose costs are at least these, unless it is absent.
    fn depth(
        &self,
        [a, b]: [u32; 2],
        bounds: &[f64],
        multipliers: &ViewMatrix,
        test: &impl PresenceTest,
    ) -> Option<f64> {
        const FEW: usize = 32;
        let mut few = [0.0; FEW];
        let mut many = Vec::new();
        let targets = if bounds.len() <= FEW {
            &mut few[..bounds.len()]
        } else {
            many.resize(bounds.len(), 0.0);
            &mut many[..]
        };
        let ends = multipliers.row(a as usize).iter().zip(multipliers.row(b as usize));
        let mut deepest = 0.0_f64;
        for (target, (bound, (x, y))) in targets.iter_mut().zip(bounds.iter().zip(ends)) {
            *target = -(bound / self.divisor + x + y) / test.kappa();
            deepest = deepest.max(*target);
        }
        (deepest > 0.0 && !test.is_absent(targets)).then_some(deepest)
    }

    /// Those of the pairs that would be present in f64 if their targets were larger by a margin.
    pub(super) fn confirmed(
        &self,
        candidates: &[[u32; 2]],
        multipliers: &ViewMatrix,
        margin: f64,
        test: &impl PresenceTest,
    ) -> Entering {
        let mut entering = Entering {
            pairs: Vec::new(),
            distances: ViewMatrix::zeros(0, self.n_views()),
        };
        for some in candidates.chunks(CANDIDATES) {
            let distances = self.distances_of(some);
            let present = chunks::map(some.len(), |range| {
                let mut targets = vec![0.0; self.n_views()];
                let is_present =
                    |&k: &usize| test.is_present(some[k], distances.row(k), multipliers, margin, &mut targets);
                range.filter(is_present).collect::<Vec<usize>>()
            });
            for k in present.into_iter().flatten() {
                entering.pairs.push(some[k]);
                entering.distances.push_row(distances.row(k));
            }
        }
        entering
    }

    /// The distances of a sorted list of pairs as the distances of a problem.
    pub(crate) fn restricted(&self, pairs: Vec<[u32; 2]>, values: ViewMatrix) -> Arc<Distances> {
        let edges = if self.signed {
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

    /// Whether an edge is in the list.
    pub(super) fn holds(&self, edge: [u32; 2]) -> bool {
        let first = edge[0] as usize;
        self.pairs[self.starts[first]..self.starts[first + 1]]
            .binary_search(&edge)
            .is_ok()
    }
}

/// Pairs that lack in a working set.
pub(crate) struct Entering {
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) distances: ViewMatrix,
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::progress::no_progress;
    use crate::views::{Missing, Table, ViewOptions};

    fn random_views(n_nodes: usize, n_samples: usize, lacks: &dyn Fn(usize, usize) -> bool) -> Views {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
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
        let tables = vec![table(0), table(1)];
        let (views, _) = Views::assemble(tables, &options).unwrap();
        views.sorted().0.into_owned()
    }

    /// The second view lacks a fifth of the nodes, the first every hundredth; some nodes are each other's copies.
    #[test]
    fn neighbours_are_the_nearest_without_exception() {
        let lacks = |view: usize, node: usize| {
            if view == 0 {
                node % 100 == 7
            } else {
                node.is_multiple_of(5)
            }
        };
        let (n_nodes, k) = (1100, 7);
        let views = random_views(n_nodes, 6, &lacks);
        for signed in [false, true] {
            let signals = Signals::new(&views, &Scaling::default());
            let mut expected = Vec::new();
            for (view, node) in [0, 1]
                .into_iter()
                .flat_map(|view| (0..n_nodes).map(move |node| (view, node)))
            {
                if lacks(view, node) {
                    continue;
                }
                let distance = |other: usize| {
                    let opposite = if signed {
                        signals.views[view].sum_distance(node, other)
                    } else {
                        f64::INFINITY
                    };
                    signals.views[view].distance(node, other).min(opposite)
                };
                let others = views.membership().nodes_of(view).filter(|&other| other != node);
                let mut others: Vec<(f64, usize)> = others.map(|other| (distance(other), other)).collect();
                others.sort_by(|x, y| x.partial_cmp(y).unwrap());
                let pair = |&(_, other): &(f64, usize)| [node.min(other) as u32, node.max(other) as u32];
                expected.extend(others[..k].iter().map(pair));
            }
            expected.sort_unstable();
            expected.dedup();
            let on = |threads: usize, instructions: Instructions| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let search = |exact: bool| {
                    Search {
                        bytes: &Quantised::new(&signals, signed, instructions),
                        signals: &signals,
                        signed,
                        k,
                        exact,
                        furthest: true,
                    }
                    .run(&no_progress)
                };
                pool.install(|| (search(true), search(false)))
            };
            let largest = furthest(&signals, signed);
            let (_, rough) = on(1, Instructions::best());
            for instructions in Instructions::all() {
                for threads in [1, 2, 7] {
                    let (exact, again) = on(threads, instructions);
                    assert!(exact.pairs == expected, "{instructions:?}, {threads} threads");
                    assert!(again.pairs == rough.pairs, "{instructions:?}, {threads} threads");
                    assert!(exact.furthest == largest && again.furthest == largest);
                }
            }
        }
    }

    /// The largest cost of a pair that a view has.
    fn furthest(signals: &Signals, signed: bool) -> f64 {
        let mut largest = 0.0_f64;
        for (index, view) in signals.views.iter().enumerate() {
            for a in 0..signals.n_nodes {
                for b in 0..a {
                    if signals.lacks(index, a) || signals.lacks(index, b) {
                        continue;
                    }
                    largest = largest.max(view.distance(a, b));
                    if signed {
                        largest = largest.max(view.sum_distance(a, b));
                    }
                }
            }
        }
        largest
    }

    /// All that the presence of an edge takes here: a positive target.
    struct Positive;

    impl PresenceTest for Positive {
        fn kappa(&self) -> f64 {
            0.5
        }

        fn is_absent(&self, targets: &[f64]) -> bool {
            targets.iter().all(|&target| target <= 0.0)
        }
    }

    /// A pass, also over some nodes alone, finds all pairs that f64 has present, with every set of instructions; and so
    /// does one whose floor is lower.
    #[test]
    fn a_pass_misses_no_pair() {
        let lacks = |view: usize, node: usize| view == 1 && node.is_multiple_of(7);
        for (n_nodes, n_samples, signed) in [(600, 20, false), (530, 3, true), (300, 2000, false)] {
            let views = random_views(n_nodes, n_samples, &lacks);
            let all = |instructions| {
                let scaling = Scaling::default();
                AllPairs::with_instructions(instructions, &views, &scaling, signed, 5, &no_progress).unwrap()
            };
            let best = all(Instructions::best());
            let every: Vec<[u32; 2]> = if signed {
                Edges::complete_signed(n_nodes).pairs().to_vec()
            } else {
                Edges::complete(n_nodes).pairs().to_vec()
            };
            let distances = best.distances_of(&every);
            // Multipliers at which about a twentieth of the pairs is present.
            let mut shortest: Vec<f64> = distances.column(0).collect();
            shortest.sort_by(f64::total_cmp);
            let level = -0.5 * shortest[shortest.len() / 20];
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let values = (0..n_nodes * 2).map(|_| level * rng.random_range(0.97..1.03));
            let multipliers = ViewMatrix::from_values(2, values.collect());
            let mut targets = [0.0; 2];
            let mut is_present =
                |k: &usize| Positive.is_present(every[*k], distances.row(*k), &multipliers, 0.0, &mut targets);
            let expected: Vec<[u32; 2]> = (0..every.len()).filter(|k| is_present(k)).map(|k| every[k]).collect();
            assert!(expected.len() > 100 && expected.len() < every.len() / 2);
            let some: Vec<u32> = (0..n_nodes as u32).filter(|node| node % 3 == 1).collect();
            let of_some = |edge: &&[u32; 2]| edge.iter().any(|node| node % 3 == 1);
            let expected_of_some: Vec<[u32; 2]> = expected.iter().filter(of_some).copied().collect();
            for instructions in Instructions::all() {
                let all = all(instructions);
                let found = all.entering(&multipliers, &[], &Positive);
                assert!(found.pairs == expected, "{instructions:?}");
                assert_eq!(found.distances, all.distances_of(&expected));
                let found = all.entering(&multipliers, &expected[1..], &Positive);
                assert!(found.pairs == expected[..1]);
                let is_open =
                    |open: &Open, pairs: &[[u32; 2]]| pairs.iter().all(|pair| open.pairs.binary_search(pair).is_ok());
                let open = all.open(&multipliers, Some(&some), &[], usize::MAX / 16, &Positive);
                assert!(open.complete && is_open(&open, &expected_of_some), "{instructions:?}");
                assert!(open.pairs.iter().all(|pair| of_some(&pair)));
                // What is left open has bounds that are not above the distances.
                let distances = all.distances_of(&open.pairs);
                let mut bounds = vec![0.0; 2];
                for (row, own) in distances.rows().zip(open.bounds.chunks_exact(2)) {
                    all.divided(own, &mut bounds);
                    assert!(row.iter().zip(&bounds).all(|(distance, bound)| bound <= distance));
                    let lacks = |values: &[f64]| [values[0].is_infinite(), values[1].is_infinite()];
                    assert_eq!(lacks(row), lacks(&bounds));
                }
                let few = all.open(&multipliers, None, &[], 8, &Positive);
                assert!(!few.complete && few.pairs.len() <= 8 * n_nodes.div_ceil(256));
            }
        }
    }
}
