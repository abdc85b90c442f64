//! The distances of all pairs of nodes without a list of them: for so many nodes that n²N numbers would be too many, or
//! too slow.

use std::sync::Arc;

use rayon::prelude::*;

use super::approximate::Cloud;
use super::held;
use super::listed::Distances;
use super::nearest::Search;
use super::pass::{Open, Pull, Question};
use super::quantised::Quantised;
use crate::edges::candidates::{EXACT_NEIGHBOURS, EdgeCost};
use crate::edges::{Edges, ViewMatrix, both_signs, is_negative, pair_of};
use crate::error::Error;
use crate::options::option;
use crate::parallel::chunks;
use crate::parallel::kernels::Instructions;
use crate::parallel::simd::vectorised;
use crate::progress::{Progress, Watch, no_progress};
use crate::signals::{DistanceNorm, Scaling, Signals, ViewSignals};
use crate::team::{self, Alone, Share, Team};
use crate::views::Views;

/// How many candidates are confirmed at a time.
const CANDIDATES: usize = 1 << 18;

/// The nodes in an order in which most neighbours are not far from each other: with very many nodes, numbers that are
/// needed together are then found together in memory. By the first view's signals.
pub(crate) fn neighbourly_order(views: &Views, scaling: &Scaling, signed: bool, seed: u64) -> Vec<usize> {
    let mut order = views.ask_of(&[0], |view| {
        let signals = ViewSignals::new(views.view(view), views.n_nodes(), scaling);
        let order = Cloud::new(&signals, views.n_nodes(), signed).points().tree_order(seed);
        order.into_iter().map(|node| node as u64).collect()
    });
    order.swap_remove(0).into_iter().map(|node| node as usize).collect()
}

/// Every pair of a node and one of its k nearest neighbours in some view, sorted; where edges are signed, by the shorter
/// of both.
pub(crate) fn nearest_pairs(
    signals: &Signals,
    team: &dyn Team,
    signed: bool,
    k: usize,
    seed: u64,
    watch: Watch<'_>,
) -> Vec<[u32; 2]> {
    let k = k.clamp(1, signals.n_nodes - 1);
    if signals.n_nodes <= EXACT_NEIGHBOURS {
        let search = Search {
            bytes: &Quantised::new(signals, team, signed, Instructions::best()),
            signals,
            signed,
            k,
            exact: true,
            furthest: false,
            views: (0..signals.views.len()).collect(),
            team,
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
    team: &Arc<dyn Team>,
    distances: &Distances,
    multipliers: &ViewMatrix,
    test: &impl PresenceTest,
) -> usize {
    let signed = distances.edges().is_signed();
    let all = AllPairs {
        bytes: Quantised::new(&signals, team.as_ref(), signed, Instructions::best()),
        signals,
        signed,
        divisor: distances.divisor(),
        nearest: Vec::new(),
        costs: Vec::new(),
        team: Arc::clone(team),
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
    /// Who shares the work on pairs out among themselves.
    team: Arc<dyn Team>,
}

impl AllPairs {
    /// Scales the signals, finds every node's `k` nearest neighbours, roughly, and the largest distance.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the distances are too large for f64.
    pub fn new(views: &Views, scaling: &Scaling, k: usize, watch: Watch<'_>) -> Result<Self, Error> {
        Self::of_signs(views, scaling, &team::of_process(), false, k, watch)
    }

    /// The same with a positive and a negative edge for every pair, where edges are signed.
    ///
    /// # Errors
    /// As [`AllPairs::new`].
    pub(crate) fn of_signs(
        views: &Views,
        scaling: &Scaling,
        team: &Arc<dyn Team>,
        signed: bool,
        k: usize,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        Self::with_instructions(Instructions::best(), views, scaling, team, signed, k, watch)
    }

    /// The same with chosen vector instructions.
    pub(crate) fn with_instructions(
        instructions: Instructions,
        views: &Views,
        scaling: &Scaling,
        team: &Arc<dyn Team>,
        signed: bool,
        k: usize,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let signals = Signals::new(views, scaling);
        let bytes = Quantised::new(&signals, team.as_ref(), signed, instructions);
        // Who has the signals of a view looks for its neighbours.
        let is_held = signals.holders.is_some();
        let search = Search {
            bytes: &bytes,
            signals: &signals,
            signed,
            k: k.clamp(1, views.n_nodes() - 1),
            exact: false,
            furthest: scaling.distance_norm == DistanceNorm::Max,
            views: signals.here(team.rank()),
            team: if is_held { &Alone } else { team.as_ref() },
        };
        let mut found = search.run(watch);
        if is_held {
            found = found.of_all(team.as_ref());
        }
        if found.stopped {
            return Err(Error::Invalid {
                what: "the search for neighbours",
                message: "was interrupted".into(),
            });
        }
        found.pairs.shrink_to_fit();
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
            team: Arc::clone(team),
        })
    }

    /// Who shares the work out among themselves.
    pub(crate) fn team(&self) -> &Arc<dyn Team> {
        &self.team
    }

    /// The same with costs added to some pairs (sorted, each once). Forbidden pairs never enter a working set; the
    /// others are in it from the start.
    #[must_use]
    pub(crate) fn with_costs(mut self, costs: Vec<EdgeCost>) -> Self {
        self.costs = costs;
        let nearest = std::mem::take(&mut self.nearest);
        self.nearest = self.as_costs_allow(nearest);
        self
    }

    /// Without pairs that have a cost of their own, and with all of these that are not forbidden.
    fn as_costs_allow(&self, mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
        let is_listed = |edge: &[u32; 2]| {
            self.costs
                .binary_search_by_key(&pair_of(*edge), |cost| cost.pair)
                .is_ok()
        };
        pairs.retain(|edge| !is_listed(edge));
        pairs.extend(self.allowed_with_costs());
        pairs.sort_unstable();
        pairs
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

    /// The distances of chosen pairs, in f64. Every member of a team asks, each for pairs of its own.
    pub(crate) fn distances_of(&self, pairs: &[[u32; 2]]) -> ViewMatrix {
        let mut distances = if self.signals.holders.is_some() {
            held::distances(&self.signals, self.team.as_ref(), pairs)
        } else {
            self.signals.distances(pairs)
        };
        let divisor = self.divisor;
        if divisor != 1.0 {
            distances.values_mut().iter_mut().for_each(|value| *value /= divisor);
        }
        self.mark(pairs, &mut distances);
        self.add_costs(pairs, &mut distances);
        distances
    }

    /// Whether bytes tell of the distances in all views.
    pub(crate) fn has_bytes(&self) -> bool {
        self.bytes.views.iter().all(|view| view.width > 0)
    }

    /// The distances of chosen pairs as well as bytes tell.
    pub(crate) fn rough_distances_of(&self, pairs: &[[u32; 2]]) -> ViewMatrix {
        if !self.has_bytes() {
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
        let known = Set::new(self.n_nodes(), pairs);
        let is_known = |edge| known.holds(edge);
        let open = self.open(multipliers, None, is_known, usize::MAX / 16, test, &no_progress);
        let pairs: Vec<[u32; 2]> = open.stretches.into_iter().flat_map(|stretch| stretch.pairs).collect();
        self.confirmed(&pairs, multipliers, 0.0, test, |pairs| self.distances_of(pairs))
            .of_all(self.team.as_ref())
    }

    /// The pairs, beside known ones, that could be present there as far as the pass can tell, none missed; among all, or those of some nodes
    /// (sorted); of each job of the pass at most `most`.
    pub(super) fn open(
        &self,
        multipliers: &ViewMatrix,
        some: Option<&[u32]>,
        is_known: impl Fn([u32; 2]) -> bool + Sync,
        most: usize,
        test: &impl PresenceTest,
        watch: Watch<'_>,
    ) -> Open {
        let mut levels = multipliers.clone();
        levels.values_mut().iter_mut().for_each(|level| *level *= self.divisor);
        let question = Question {
            bytes: &self.bytes,
            signals: &self.signals,
            signed: self.signed,
            levels: &levels,
            most,
            pull: test.pull().map(|[tau, sigma]| Pull {
                tau,
                sigma,
                unit: 1.0 / (self.divisor * test.kappa()),
            }),
            team: self.team.as_ref(),
        };
        question.ask(some, watch, |edge, bounds| {
            let is_costed = || {
                self.costs
                    .binary_search_by_key(&pair_of(edge), |cost| cost.pair)
                    .is_ok()
            };
            if is_known(edge) || is_costed() {
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

    /// Those of the pairs that would be present by their distances if their targets were larger by a margin.
    pub(super) fn confirmed(
        &self,
        candidates: &[[u32; 2]],
        multipliers: &ViewMatrix,
        margin: f64,
        test: &impl PresenceTest,
        distances_of: impl Fn(&[[u32; 2]]) -> ViewMatrix,
    ) -> Entering {
        let mut entering = Entering {
            pairs: Vec::new(),
            distances: ViewMatrix::zeros(0, self.n_views()),
        };
        // As often as the member with most candidates, where distances are asked of others.
        let own = candidates.len().div_ceil(CANDIDATES);
        let rounds = match self.signals.holders {
            None => own,
            Some(_) => self.team.largest(own as f64) as usize,
        };
        let part = |round: usize| &candidates[(round * CANDIDATES).min(candidates.len())..];
        for some in (0..rounds).map(|round| part(round).chunks(CANDIDATES).next().unwrap_or_default()) {
            let distances = distances_of(some);
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
        Arc::new(self.listed(pairs, values))
    }

    /// The same of a part of a longer list.
    pub(crate) fn part(&self, share: Share, pairs: &[[u32; 2]], values: ViewMatrix) -> Arc<Distances> {
        Arc::new(self.listed(pairs[share.edges()].to_vec(), values).part_of(share))
    }

    fn listed(&self, pairs: Vec<[u32; 2]>, values: ViewMatrix) -> Distances {
        let edges = if self.signed {
            Edges::signed(self.n_nodes(), pairs)
        } else {
            Edges::listed(self.n_nodes(), pairs)
        };
        Distances::listed(edges, values, self.divisor, Arc::clone(&self.signals.membership))
    }
}

/// Tells whether an edge would be present: what a method asks of all pairs.
pub(crate) trait PresenceTest: Sync {
    /// What targets are divided by.
    fn kappa(&self) -> f64;

    /// Whether an edge of these targets is absent, and so of any smaller ones.
    fn is_absent(&self, targets: &[f64]) -> bool;

    /// τ and σ, if an edge is absent just where no target exceeds τ and Σ max(target, −τ) ≤ σ.
    fn pull(&self) -> Option<[f64; 2]> {
        None
    }

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
        // Most pairs are told by this, which divides nothing; what rounding leaves open is asked again.
        let bar = margin * self.kappa() * (1.0 + 4.0 * f64::EPSILON);
        let mut may_be = false;
        for (target, (d, (x, y))) in targets.iter_mut().zip(distances.iter().zip(ends)) {
            *target = d + x + y;
            may_be |= *target < bar;
        }
        if !may_be {
            return false;
        }
        let mut positive = false;
        for target in targets.iter_mut() {
            *target = margin - *target / self.kappa();
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

/// Pairs that lack in a working set; those that a member found, or all.
pub(crate) struct Entering {
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) distances: ViewMatrix,
}

impl Entering {
    /// What all members found, in order and each pair once.
    pub(crate) fn of_all(self, team: &dyn Team) -> Self {
        if team.size() == 1 {
            return self;
        }
        let pairs = team.gather_values(&self.pairs).concat();
        let rows = team.gather_values(self.distances.values()).concat();
        let n_views = self.distances.n_views();
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_unstable_by_key(|&k| (pairs[k], k));
        order.dedup_by_key(|k| pairs[*k]);
        let values = order
            .iter()
            .flat_map(|&k| &rows[k * n_views..(k + 1) * n_views])
            .copied()
            .collect();
        Self {
            distances: ViewMatrix::from_values(n_views, values),
            pairs: order.into_iter().map(|k| pairs[k]).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
