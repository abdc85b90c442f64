//! The choice without a truth: what halves of the data say of each cell of a path.
//!
//! Every view's samples are halved at random several times (blocks stay whole), and all cells are fitted to each half.
//! The usual rule goes by the likelihood of the other half (`held_out`). The other one asks which
//! cell gives edges that reproduce in other samples; its figures are told in any case. With f_e the share of R halves whose
//! consensus has edge e, and d̄ the mean of f over all pairs:
//!
//! ```text
//! instability   ξ = R/(R−1) · mean_e 2 f_e (1 − f_e)          the chance that two halves disagree on a pair (StARS)
//! agreement     1 − ξ / 2 d̄(1 − d̄)                            beyond chance (Fleiss' κ): 1 if they never disagree
//! prediction    mean correlation of a view's weights in one half with the same view's in the other, learned separately
//! ```
//!
//! StARS (Liu, Roeder and Wasserman 2010) takes the densest graph with ξ ≤ 0.05. That is too dense for graphs as sparse
//! as these: ξ is a mean over all pairs, most of which never have an edge. So ξ ≤ 0.05, made increasing in the density,
//! is kept as a bound, and of the densities within it the densest whose edges agree (nearly) best beyond chance is
//! taken: too sparse a graph picks among true edges at random, too dense a one among false edges, and both disagree.
//! The similarity is the one that predicts best: coupling borrows strength from other views until it blurs what is a
//! view's own. Of truths that are dense, no cell near them is within the bound (density 0.2 and more in
//! `benchmarks/TUNE.md`), which is why this is not the usual rule.
//!
//! Cost: two fits for each cell and halving, each from its neighbour's multipliers.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::held_out::{self, Judge};
use super::path::Cell;
use super::resample::halves;
use crate::error::{Error, Warning, list_names};
use crate::fit::{Fit, Learn, Session};
use crate::graph::SignSums;
use crate::methods::smooth::working_set::Start;
use crate::methods::smooth::{MANY_NODES, Model, PresentPair, Smooth};
use crate::options::step;
use crate::parallel::chunks::try_map;
use crate::progress::{Watch, no_progress};
use crate::views::{Kind, View, Views};

/// Agreements this little below the highest are as good. Halves see less than all samples do, and choose a little too
/// sparse a graph: of those that are as good the densest is taken.
pub const AS_GOOD: f64 = 0.02;

/// By what a cell is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// The sparsest density that keeps this share of the best gain in held-out likelihood, with the similarity of the
    /// highest gain there.
    Likelihood {
        /// The share, above 0 and at most 1.
        keep: f64,
    },
    /// The densest graph whose edges reproduce nearly best, among those that are stable enough.
    Stability,
}

impl Default for Rule {
    fn default() -> Self {
        Self::Likelihood { keep: held_out::KEEP }
    }
}

/// How cells are judged by halves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// By what one is chosen.
    pub rule: Rule,
    /// How often the samples are halved; each halving gives two halves.
    pub halvings: usize,
    /// The most instability that a choice by stability may have.
    pub threshold: f64,
    /// The seed of the halves.
    pub seed: u64,
}

impl Default for Stability {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            halvings: 10,
            threshold: 0.05,
            seed: 1,
        }
    }
}

/// What the halves said of one cell so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// In how many halves the consensus has each edge; nodes in sorted order, those of negative edges the other way
    /// round.
    #[serde(with = "as_list")]
    pub counts: HashMap<[u32; 2], u32>,
    /// The sum of the predictions over the halvings.
    #[serde(with = "as_bits")]
    pub prediction: f64,
    /// The sum of the gains in held-out likelihood over the halvings; 0 where these are not asked for.
    #[serde(with = "as_bits")]
    pub gain: f64,
}

/// What halves say of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellStability {
    /// ξ: the chance that two halves disagree on a pair.
    pub instability: f64,
    /// The largest ξ of a density up to this one, at the same similarity.
    pub bound: f64,
    /// How much halves agree beyond chance.
    pub agreement: f64,
    /// How well a view predicts itself in the other half.
    pub prediction: f64,
    /// How much likelier the other half is on a view's graph than on none, in nats per node and sample; none where the
    /// rule does not ask for it.
    pub gain: Option<f64>,
}

/// Keys of JSON are text: a list of edges instead, in order.
mod as_list {
    use super::{BTreeMap, Deserialize, Deserializer, HashMap, Serializer};

    pub(super) fn serialize<S: Serializer>(counts: &HashMap<[u32; 2], u32>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(counts.iter().collect::<BTreeMap<_, _>>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<HashMap<[u32; 2], u32>, D::Error> {
        let list = Vec::<([u32; 2], u32)>::deserialize(from)?;
        Ok(list.into_iter().collect())
    }
}

/// JSON knows no NaN: the bits of a number instead.
mod as_bits {
    use super::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(super) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(value.to_bits())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

impl Tally {
    pub(super) fn add(&mut self, other: Self) {
        for (pair, count) in other.counts {
            *self.counts.entry(pair).or_default() += count;
        }
        self.prediction += other.prediction;
        self.gain += other.gain;
    }

    /// Counts the edges of a consensus.
    fn count(&mut self, pairs: &[PresentPair<'_>]) {
        for &([a, b], _, consensus) in pairs {
            // A negative edge is another one than the positive edge of the same pair.
            let edge = if consensus < 0.0 { [b, a] } else { [a, b] };
            if consensus != 0.0 {
                *self.counts.entry(edge).or_default() += 1;
            }
        }
    }

    /// ξ and the agreement beyond chance, over `n_pairs` pairs and `n_halves` halves.
    fn agreement(&self, n_pairs: usize, n_halves: usize) -> (f64, f64) {
        let (halves, pairs) = (n_halves as f64, n_pairs as f64);
        // Whole numbers: the order in which they are added does not matter.
        let (mut present, mut apart) = (0_u64, 0_u64);
        for &count in self.counts.values() {
            present += u64::from(count);
            apart += u64::from(count) * (n_halves as u64 - u64::from(count));
        }
        let density = present as f64 / (halves * pairs);
        let instability = 2.0 * apart as f64 / (halves * (halves - 1.0) * pairs);
        let chance = 2.0 * density * (1.0 - density);
        let agreement = if chance > 0.0 { 1.0 - instability / chance } else { 0.0 };
        (instability, agreement)
    }
}

impl Stability {
    /// Whether the likelihood of the other half is asked for.
    pub fn is_by_likelihood(&self) -> bool {
        matches!(self.rule, Rule::Likelihood { .. })
    }

    /// Halves the samples once (the halving of this `number`) and fits all cells, which are in order of density and
    /// then similarity.
    ///
    /// # Errors
    /// E05 if a view cannot be halved; what the solver refuses.
    pub fn halving(
        &self,
        method: &Smooth,
        views: &Views,
        cells: &[Cell],
        number: usize,
        watch: Watch<'_>,
    ) -> Result<Vec<Tally>, Error> {
        // Halves are in the user's order, in which candidates and costs are numbered and a chain of views is meant.
        let [one, other] = halves(views, self.seed, number as u64)?;
        let sessions = [method.session(&one, watch)?, method.session(&other, watch)?];
        let by_rank = views.ranks_by_name();
        let ranks = sessions.each_ref().map(|session| ranks(session, &by_rank));
        // The graphs of one half are judged by the other.
        let judges = self.is_by_likelihood().then(|| {
            [
                Judge::new(&other, &sessions[1], &by_rank),
                Judge::new(&one, &sessions[0], &by_rank),
            ]
        });
        let mut tallies = Vec::with_capacity(cells.len());
        let mut starts: [Option<Start>; 2] = [None, None];
        let mut separate: Option<(f64, [Fit; 2])> = None;
        for cell in cells {
            let alone = match &separate {
                Some((alpha, fits)) if *alpha == cell.separate_alpha => fits,
                _ => {
                    let model = Model::uncoupled(cell.separate_alpha);
                    let start = separate.as_ref().map(|(_, fits)| fits.each_ref().map(Fit::start));
                    let fit = |half: usize| {
                        let start = start.as_ref().map(|starts| &starts[half]);
                        sessions[half].fit(&model, start, watch)
                    };
                    &separate.insert((cell.separate_alpha, [fit(0)?, fit(1)?])).1
                }
            };
            let model = method.model.at(cell.parameters);
            let mut tally = Tally::default();
            let mut fits = Vec::with_capacity(2);
            for (half, (session, start)) in sessions.iter().zip(&mut starts).enumerate() {
                let fit = session.fit(&model, start.as_ref(), watch)?;
                *start = Some(fit.start());
                let pairs = by_name(&fit, session, &ranks[half]);
                tally.count(&pairs);
                if let Some(judges) = &judges {
                    tally.gain += 0.5 * judges[half].gain(&pairs)?;
                }
                drop(pairs);
                fits.push(fit);
            }
            let predicted = |half: usize| {
                let other = 1 - half;
                let found = [
                    by_name(&fits[half], &sessions[half], &ranks[half]),
                    by_name(&alone[other], &sessions[other], &ranks[other]),
                ];
                correlation(&fits[half], &found)
            };
            tally.prediction = 0.5 * (predicted(0) + predicted(1));
            tallies.push(tally);
        }
        Ok(tallies)
    }

    /// Several halvings, added to what is known of the cells.
    ///
    /// # Errors
    /// As [`Stability::halving`].
    pub fn halve(
        &self,
        method: &Smooth,
        views: &Views,
        cells: &[Cell],
        numbers: std::ops::Range<usize>,
        tallies: &mut [Tally],
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let numbers: Vec<usize> = numbers.collect();
        for halving in self.halvings(method, views, cells, &numbers, watch)? {
            for (tally, more) in tallies.iter_mut().zip(halving) {
                tally.add(more);
            }
        }
        Ok(())
    }

    /// Several halvings, each on its own. In parallel where fits are too small to be so themselves.
    ///
    /// # Errors
    /// As [`Stability::halving`].
    pub fn halvings(
        &self,
        method: &Smooth,
        views: &Views,
        cells: &[Cell],
        numbers: &[usize],
        watch: Watch<'_>,
    ) -> Result<Vec<Vec<Tally>>, Error> {
        if views.n_nodes() < MANY_NODES {
            let one = |&number: &usize| self.halving(method, views, cells, number, &no_progress);
            try_map(numbers.par_iter(), one)
        } else {
            let one = |&number: &usize| self.halving(method, views, cells, number, watch);
            numbers.iter().map(one).collect()
        }
    }

    /// What the halves say of every cell, and which cell is chosen. Cells are in order of density; their consensus is
    /// about so many pairs of nodes, fewer than all where views lack nodes ([`Views::n_pairs`]).
    pub fn choose(
        &self,
        n_pairs: usize,
        cells: &[Cell],
        tallies: &[Tally],
        halvings: usize,
    ) -> (Vec<CellStability>, Option<usize>) {
        let verdicts = self.verdicts(n_pairs, cells, tallies, halvings);
        let best = match self.rule {
            Rule::Likelihood { keep } => {
                let gains: Vec<f64> = verdicts.iter().map(|verdict| verdict.gain.unwrap_or(0.0)).collect();
                held_out::choose(cells, &gains, keep).map(|[_, chosen]| chosen)
            }
            Rule::Stability => self.most_stable(cells, &verdicts),
        };
        (verdicts, best)
    }

    /// What the halves say of every cell.
    fn verdicts(&self, n_pairs: usize, cells: &[Cell], tallies: &[Tally], halvings: usize) -> Vec<CellStability> {
        let mut verdicts: Vec<CellStability> = Vec::with_capacity(cells.len());
        for (k, tally) in tallies.iter().enumerate() {
            let (instability, agreement) = tally.agreement(n_pairs, 2 * halvings);
            let sparser = |&j: &usize| cells[j].similarity.target == cells[k].similarity.target;
            let bound = (0..k)
                .filter(sparser)
                .map(|j| verdicts[j].bound)
                .fold(instability, f64::max);
            verdicts.push(CellStability {
                instability,
                bound,
                agreement,
                prediction: tally.prediction / halvings as f64,
                // No half at all, if the search was stopped, says nothing.
                gain: self.is_by_likelihood().then_some(tally.gain / halvings.max(1) as f64),
            });
        }
        verdicts
    }

    /// The choice by stability.
    fn most_stable(&self, cells: &[Cell], verdicts: &[CellStability]) -> Option<usize> {
        // One similarity for each density, and then one density.
        let row = |one: &Cell, two: &Cell| one.density.target == two.density.target;
        let mut first = 0;
        let mut candidates = Vec::new();
        for row in cells.chunk_by(row) {
            let of_row = first..first + row.len();
            first = of_row.end;
            candidates.extend(of_row.max_by(|&i, &j| verdicts[i].prediction.total_cmp(&verdicts[j].prediction)));
        }
        let bound = |&k: &usize| verdicts[k].bound;
        let agreement = |&k: &usize| verdicts[k].agreement;
        let stable: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|k| bound(k) <= self.threshold)
            .collect();
        let highest = stable.iter().map(agreement).fold(f64::NEG_INFINITY, f64::max);
        let densest = stable.iter().copied().rfind(|k| agreement(k) >= highest - AS_GOOD);
        // Where nothing is within the bound, the most stable is taken.
        let least = || candidates.iter().copied().min_by(|i, j| bound(i).total_cmp(&bound(j)));
        densest.or_else(least)
    }
}

/// A warning for samples that follow each other like a time series but are halved one by one.
pub fn halved_time_series(views: &Views) -> Option<Warning> {
    let is_series = |(index, view): &(usize, &View)| {
        let own = (0..views.n_nodes()).filter(|&node| views.has(*index, node));
        let n_samples = view.n_samples().unwrap_or(0).max(1) as f64;
        view.blocks().is_none() && succession(view, own) > SERIES.max(BEYOND_CHANCE / n_samples.sqrt())
    };
    let found = views.iter().enumerate().filter(is_series);
    let found: Vec<&str> = found.map(|(_, view)| view.name()).collect();
    (views.kind() == Kind::Signals && !found.is_empty()).then(|| {
        Warning::new(
            "W10",
            format!(
                "in {} a sample resembles the one before, as in a time series, and samples are halved one by one as if \
                 they were independent: edges look more stable than they are. Name trials or sessions with {}",
                list_names(&found),
                step("tell_blocks", "`block_column`")
            ),
        )
    })
}

/// Samples whose correlation with the next is above this follow each other,
const SERIES: f64 = 0.3;
/// unless it is less than so many standard errors above 0: a few nodes in a few samples have that by chance.
const BEYOND_CHANCE: f64 = 3.0;

/// The mean over the nodes of the correlation between a sample and the next.
fn succession(view: &View, nodes: impl Iterator<Item = usize>) -> f64 {
    let of_node = |node: usize| {
        let signal = view.node(node);
        let mean = signal.iter().sum::<f64>() / signal.len() as f64;
        let (mut product, mut square) = (0.0, 0.0);
        for two in signal.windows(2) {
            product += (two[0] - mean) * (two[1] - mean);
            square += (two[0] - mean).powi(2);
        }
        if square > 0.0 { product / square } else { 0.0 }
    };
    let (mut sum, mut count) = (0.0, 0_usize);
    for node in nodes {
        sum += of_node(node);
        count += 1;
    }
    sum / count as f64
}

/// Where each node of a session stands among all by name; none where that is its place in the session already.
fn ranks(session: &Session<'_>, by_name: &[u32]) -> Option<Vec<u32>> {
    let ranks: Vec<u32> = session.order().nodes.iter().map(|&node| by_name[node]).collect();
    (!ranks.is_sorted()).then_some(ranks)
}

/// The pairs of a fit with nodes numbered by name, in order: the same for both halves, and for any order of columns.
/// Signs are those of the data: each half has a gauge of its own.
fn by_name<'f>(fit: &'f Fit, session: &Session<'_>, ranks: &Option<Vec<u32>>) -> Vec<PresentPair<'f>> {
    let order = session.order();
    let pairs = fit.solution.pairs().map(|(pair, mut row, mut consensus)| {
        if order.is_flipped(pair) {
            row.to_mut().iter_mut().for_each(|weight| *weight = -*weight);
            consensus = -consensus;
        }
        (pair, row, consensus)
    });
    let Some(ranks) = ranks else {
        return pairs.collect();
    };
    let ranked = pairs.map(|(pair, row, consensus)| {
        let [a, b] = pair.map(|node| ranks[node as usize]);
        ([a.min(b), a.max(b)], row, consensus)
    });
    let mut ranked: Vec<PresentPair<'f>> = ranked.collect();
    ranked.sort_by_key(|present| present.0);
    ranked
}

/// The mean over the views of the correlation between their weights in two fits, the first of which is `one`: that of
/// their sizes, times how far their signs agree ([`SignSums`]).
fn correlation(one: &Fit, [pairs, other]: &[Vec<PresentPair<'_>>; 2]) -> f64 {
    let n_views = one.solution.weights.views().n_views();
    let mut sums = vec![([0.0; 5], SignSums::default()); n_views];
    let mut others = other.iter().peekable();
    let mut add = |x: Option<&[f64]>, y: Option<&[f64]>| {
        for (view, ([sum_x, sum_y, sum_xx, sum_yy, sum_xy], signs)) in sums.iter_mut().enumerate() {
            let (x, y) = (x.map_or(0.0, |row| row[view]), y.map_or(0.0, |row| row[view]));
            signs.add(x * y);
            let (x, y) = (x.abs(), y.abs());
            *sum_x += x;
            *sum_y += y;
            *sum_xx += x * x;
            *sum_yy += y * y;
            *sum_xy += x * y;
        }
    };
    for (pair, row, _) in pairs {
        while let Some((_, before, _)) = others.next_if(|(next, _, _)| next < pair) {
            add(None, Some(before));
        }
        let same = others.next_if(|(next, _, _)| next == pair);
        add(Some(&**row), same.map(|(_, row, _)| &**row));
    }
    for (_, rest, _) in others {
        add(None, Some(rest));
    }
    let of_view = |(view, ([sum_x, sum_y, sum_xx, sum_yy, sum_xy], signs)): (usize, &([f64; 5], SignSums))| {
        let m = one.solution.n_pairs_of(view) as f64;
        let spread = ((sum_xx - sum_x * sum_x / m) * (sum_yy - sum_y * sum_y / m)).sqrt();
        if spread > 0.0 {
            signs.agreement() * ((sum_xy - sum_x * sum_y / m) / spread)
        } else {
            0.0
        }
    };
    sums.iter().enumerate().map(of_view).sum::<f64>() / n_views as f64
}
