//! How sure an edge is: does it come back in other data of the same views, and how far is its weight known?
//!
//! Every view's blocks (trials) are halved at random, B times, and both halves are fitted with everything as in the full
//! fit but the data: nothing is tuned again, and z-scores and the divisor of the distances are the half's own.
//!
//! ```text
//! frequency        the share of the 2B halves that have the edge        frequency_both   of the B pairs, in both
//! replicates       the probability that it comes back: the frequency, calibrated within these data (calibration), for as
//!                  many samples as there are (extrapolation)
//! weight_se        ½ √(mean over the pairs of (w_A − w_B)²); w ± 2 se covers the weight of endless data in about 90 %
//! bounds           how many edges of a threshold on the frequency are chance picks of the halving (bounds)
//! fingerprint      whether a view's graph of one half is recognised among those of the other
//! ```
//!
//! **A frequency is not the probability that an edge is real.** It says what comes back; what is learned systematically,
//! such as an edge between nodes with a common neighbour, comes back in every half.
//!
//! ```text
//! entries   the edges of a fit by name        tallies     what is counted, the same for any order and any shards
//! told      what cannot be said, and why
//! ```
//!
//! Cost: 2B fits for the frequencies and 210 for their calibration.

mod bounds;
mod calibration;
mod entries;
mod extrapolation;
mod fingerprint;
mod tallies;
mod told;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use bounds::{Bound, Bounds, tail};
pub use calibration::{Curve, CurvePoint, Histogram, increasing};
use entries::{Entries, Ranks};
pub use fingerprint::{Fingerprint, Matches, Recognition};
pub use tallies::{EdgeCounts, Squares, Tallies};

use crate::error::{Error, Warning};
use crate::fit::Learn;
use crate::graph::{MultiviewGraph, is_edge};
use crate::parallel::chunks::try_map;
use crate::progress::{Progress, Watch};
use crate::refits::{Part, Refit, Refits, Unit};
use crate::views::Views;

/// How many outer halvings the calibration has, each with two halves,
const OUTER: usize = 5;
/// and how many pairs of halves there are of each of these.
const INNER: usize = 10;
/// The fewest units of a view of which halves can be halved for the calibration.
pub const CALIBRATED_UNITS: usize = 8;
/// Where the numbers of the outer halvings, and of the inner ones, begin.
const OUTER_NUMBERS: u64 = 1 << 20;
const INNER_NUMBERS: u64 = 1 << 21;
/// By how much two fits of the same data differ at most, as a share of the largest weight.
const NEAR: f64 = 1e-3;
/// About how many fits are made between two reports of what is done.
const BATCH: usize = 40;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stability {
    /// B: how many pairs of halves.
    pub pairs: usize,
    /// What stays together; none takes blocks where all views have them, else samples.
    pub unit: Option<Unit>,
    /// The seed of the halves.
    pub seed: u64,
    /// How many bytes the sums of all units may take; beyond that samples are gathered anew for each half.
    pub memory: u64,
}

impl Default for Stability {
    fn default() -> Self {
        Self {
            pairs: 50,
            unit: None,
            seed: 1,
            memory: 1 << 30,
        }
    }
}

/// What is said of one edge of one graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeFigures {
    /// The share of the halves that have it.
    pub frequency: f64,
    /// The share of the pairs of halves that have it in both.
    pub frequency_both: f64,
    /// The probability that it comes back in new data of the same size, if that could be calibrated.
    pub replicates: Option<f64>,
    /// The standard error of its weight.
    pub weight_se: f64,
}

/// Columns that are not there, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The columns.
    pub columns: &'static [&'static str],
    /// Why they are not there.
    pub reason: String,
}

/// What is said of all edges of a fit.
#[derive(Clone, Debug)]
pub struct EdgeStability {
    /// Of the consensus, edge by edge; none without one.
    pub consensus: Option<Vec<EdgeFigures>>,
    /// Of the views, one row of N per edge; none where views were the units.
    pub views: Option<Vec<EdgeFigures>>,
    /// What was halved.
    pub unit: Unit,
    /// How many units each view has (views: how many views, once).
    pub n_units: Vec<usize>,
    /// How many pairs of halves there were.
    pub pairs: usize,
    /// Chance picks among the stable edges of the consensus.
    pub bounds: Option<Bounds>,
    /// From frequencies to probabilities, of the consensus and of the views.
    pub curves: [Option<Curve>; 2],
    /// Whether views are recognised.
    pub fingerprint: Option<Fingerprint>,
    /// What is not told, and why.
    pub absent: Vec<Absent>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Halvings of the data of one fit, numbered: any of them can be made anywhere.
pub struct Halvings<'a, M: Refit> {
    settings: Stability,
    method: &'a M,
    refits: Refits<'a>,
    unit: Unit,
    graph: MultiviewGraph,
    start: Option<M::Start>,
    ranks: Ranks,
    largest: f64,
}

impl Stability {
    /// Fits all of the data, and makes halves of them ready.
    ///
    /// # Errors
    /// [`Error::Parameter`] without any pair; E05 if there are no such units; what the method refuses.
    pub fn of<'a, M: Refit>(self, method: &'a M, views: &'a Views, watch: Watch<'_>) -> Result<Halvings<'a, M>, Error> {
        if self.pairs == 0 {
            return Err(Error::Parameter {
                name: "pairs",
                message: "is 0; it must be positive".into(),
            });
        }
        let has_blocks = views.iter().all(|view| view.blocks().is_some());
        let unit = self
            .unit
            .unwrap_or(if has_blocks { Unit::Blocks } else { Unit::Samples });
        if unit == Unit::Views && views.subjects().is_some() {
            return Err(told::parted_subjects());
        }
        let refits = Refits::new(method, views, unit, self.memory)?;
        let session = method.session(views, watch)?;
        let fit = session.fit(method.model(), None, watch)?;
        let graph = session.graph(&fit);
        let weights = graph.weights().values().iter();
        let largest = weights.fold(0.0_f64, |most, weight| most.max(weight.abs()));
        Ok(Halvings {
            settings: self,
            method,
            unit,
            start: (method.is_warm() && unit != Unit::Views).then(|| fit.start()),
            graph,
            ranks: Ranks::of(views),
            // A power of two, so that nothing is rounded.
            largest: if largest > 0.0 {
                2_f64.powi(largest.log2().ceil() as i32)
            } else {
                1.0
            },
            refits,
        })
    }

    /// Makes all halves, and says how sure each edge of the full fit is.
    ///
    /// # Errors
    /// As [`Stability::of`] and [`Halvings::run`].
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::stability::Stability;
    /// use congraph::{Smooth, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 15, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let method = Smooth::new(0.05, 0.02);
    /// let halvings = Stability { pairs: 5, ..Stability::default() }.of(&method, &views, &no_progress)?;
    /// let tallies = halvings.run_all(&no_progress)?;
    /// let found = halvings.found(&tallies, halvings.graph());
    /// let consensus = found.consensus.unwrap();
    /// assert_eq!(consensus.len(), halvings.graph().pairs().len());
    /// assert!(consensus.iter().any(|edge| edge.frequency > 0.9));
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn learn<M: Refit>(self, method: &M, views: &Views, watch: Watch<'_>) -> Result<EdgeStability, Error> {
        let halvings = self.of(method, views, watch)?;
        let tallies = halvings.run_all(watch)?;
        Ok(halvings.found(&tallies, &halvings.graph))
    }
}

impl<M: Refit> Halvings<'_, M> {
    /// The graphs of all the data.
    pub fn graph(&self) -> &MultiviewGraph {
        &self.graph
    }

    /// Whether a graph is that of all the data, up to what solvers leave: of other data, or of another method, it is not.
    pub fn gives(&self, graph: &MultiviewGraph) -> bool {
        let is_named = graph.nodes() == self.graph.nodes() && graph.views() == self.graph.views();
        let rows = |graph: &MultiviewGraph| -> BTreeMap<[u32; 2], Vec<f64>> {
            let rows = graph.weights().rows().map(<[f64]>::to_vec);
            graph.pairs().iter().copied().zip(rows).collect()
        };
        let (one, two) = (rows(&self.graph), rows(graph));
        let nothing = vec![0.0; self.graph.n_views()];
        let is_near = |pair: &[u32; 2]| {
            let (x, y) = (one.get(pair).unwrap_or(&nothing), two.get(pair).unwrap_or(&nothing));
            x.iter().zip(y).all(|(x, y)| (x - y).abs() <= NEAR * self.largest)
        };
        is_named && one.keys().chain(two.keys()).all(is_near)
    }

    /// What is halved.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Whether fits are made from sums, without passing over samples.
    pub fn has_sums(&self) -> bool {
        self.refits.has_sums()
    }

    /// How many jobs there are: the pairs of halves, and then the halves of the calibration.
    pub fn n_jobs(&self) -> usize {
        self.settings.pairs + if self.is_calibrated() { 2 * OUTER } else { 0 }
    }

    /// How many fits a job takes.
    pub fn n_fits(&self, job: usize) -> usize {
        if job < self.settings.pairs { 2 } else { 1 + 2 * INNER }
    }

    /// How many fits all jobs take.
    pub fn n_fits_of_all(&self) -> usize {
        (0..self.n_jobs()).map(|job| self.n_fits(job)).sum()
    }

    /// How many numbers there are of each edge: the consensus' and the views'.
    pub fn width(&self) -> usize {
        if self.unit == Unit::Views {
            1
        } else {
            1 + self.refits.views().n_views()
        }
    }

    /// Whether halves can be halved again.
    fn is_calibrated(&self) -> bool {
        self.refits.n_units().iter().all(|&n| n >= CALIBRATED_UNITS)
    }

    /// Whether these can be counts of these halvings.
    pub fn fits(&self, tallies: &Tallies) -> bool {
        let n_nodes = self.refits.views().n_nodes();
        tallies.fits(self.n_jobs(), self.settings.pairs, n_nodes, self.width())
    }

    /// All jobs.
    ///
    /// # Errors
    /// What the method refuses of a half, and E05 if one cannot be made.
    pub fn run_all(&self, watch: Watch<'_>) -> Result<Tallies, Error> {
        let jobs: Vec<usize> = (0..self.n_jobs()).collect();
        self.run(&jobs, Tallies::default(), &mut |_| Ok::<(), Error>(()), watch)
    }

    /// Some of the jobs, except those that `done` has already, and reports what is done now and then. Ends early if the
    /// caller asks to stop.
    ///
    /// # Errors
    /// As [`Halvings::run_all`], and what `report` returns.
    pub fn run<E: From<Error> + Send>(
        &self,
        jobs: &[usize],
        mut done: Tallies,
        report: &mut dyn FnMut(&Tallies) -> Result<(), E>,
        watch: Watch<'_>,
    ) -> Result<Tallies, E> {
        let left: Vec<usize> = jobs.iter().copied().filter(|job| !done.jobs.contains(job)).collect();
        let total: usize = jobs.iter().map(|&job| self.n_fits(job)).sum();
        let ahead: usize = left.iter().map(|&job| self.n_fits(job)).sum();
        let fitted = AtomicUsize::new(total - ahead);
        let quiet = |_: &Progress| {
            let done = fitted.load(Ordering::Relaxed);
            watch(&Progress::Fitted { done, total })
        };
        let mut next = 0;
        while next < left.len() {
            let first = next;
            let mut n_fits = 0;
            while next < left.len() && (n_fits == 0 || n_fits + self.n_fits(left[next]) <= BATCH) {
                n_fits += self.n_fits(left[next]);
                next += 1;
            }
            let one = |&job: &usize| self.job(job, &fitted, &quiet);
            let found: Vec<Option<Tallies>> = try_map(left[first..next].par_iter(), one)?;
            let is_whole = found.iter().all(Option::is_some);
            found.into_iter().flatten().for_each(|tallies| done.merge(tallies));
            if !is_whole {
                return Ok(done);
            }
            report(&done)?;
        }
        Ok(done)
    }

    /// One job; none if the caller asked to stop.
    fn job(&self, job: usize, fitted: &AtomicUsize, watch: Watch<'_>) -> Result<Option<Tallies>, Error> {
        let mut tallies = Tallies::default();
        tallies.jobs.insert(job);
        if job < self.settings.pairs {
            let halves = self
                .refits
                .halves(&self.refits.whole(), self.settings.seed, job as u64)?;
            let Some(found) = self.fit_all(&halves, fitted, watch)? else {
                return Ok(None);
            };
            let halves = [&found[0], &found[1]];
            tallies.count_pair(halves, self.largest);
            if found[0].n_views() > 1 {
                let n_pairs = self.n_pairs();
                tallies.matches[0] = Matches::of(job, halves, n_pairs, |half, row, view| half.row(row)[1 + view]);
                if self.graph.consensus().is_some() {
                    tallies.matches[1] = Matches::of(job, halves, n_pairs, Entries::deviation);
                }
            }
            return Ok(Some(tallies));
        }
        let (outer, side) = ((job - self.settings.pairs) / 2, (job - self.settings.pairs) % 2);
        let whole = self.refits.whole();
        let mut outer_halves = self
            .refits
            .halves(&whole, self.settings.seed, OUTER_NUMBERS + outer as u64)?;
        outer_halves.rotate_left(side);
        let [mine, other] = outer_halves;
        let mut parts = vec![other];
        for inner in 0..INNER {
            let number = INNER_NUMBERS + ((2 * outer + side) * INNER + inner) as u64;
            parts.extend(self.refits.halves(&mine, self.settings.seed, number)?);
        }
        let Some(found) = self.fit_all(&parts, fitted, watch)? else {
            return Ok(None);
        };
        tallies.count_nested(&found[1..], &found[0]);
        Ok(Some(tallies))
    }

    /// The edges of the fits to some parts, each made by one thread.
    fn fit_all(&self, parts: &[Part], fitted: &AtomicUsize, watch: Watch<'_>) -> Result<Option<Vec<Entries>>, Error> {
        let with_views = self.unit != Unit::Views;
        let one = |part: &Part| {
            let graph = self.refits.fit(self.method, part, self.start.as_ref(), watch)?;
            fitted.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Error>(graph.map(|graph| Entries::of(&graph, &self.ranks, with_views)))
        };
        let found: Vec<Option<Entries>> = try_map(parts.par_iter(), one)?;
        Ok(found.into_iter().collect())
    }

    /// How many edges there could be.
    fn n_pairs(&self) -> usize {
        let n_signs = if self.graph.is_signed() { 2 } else { 1 };
        let listed = self.method.n_listed();
        listed.unwrap_or_else(|| self.refits.views().n_pairs()) * n_signs
    }

    /// How many pairs so many of the halves have, in the consensus or in the views, and how many edges the fit has.
    fn in_halves(&self, tallies: &Tallies, of_views: bool, n_pairs_of_halves: usize) -> (Vec<u64>, usize) {
        let mut counts = vec![0; 2 * n_pairs_of_halves + 1];
        let columns = if of_views { 1..self.width() } else { 0..1 };
        for own in tallies.edges.values() {
            let own = own.halves[columns.clone()].iter();
            own.for_each(|&n| counts[(n as usize).min(2 * n_pairs_of_halves)] += 1);
        }
        let n_known: u64 = counts.iter().sum();
        let n_all = (self.n_pairs() * columns.len()) as u64;
        counts[0] += n_all.saturating_sub(n_known);
        let present = |weights: &[f64]| weights.iter().filter(|weight| is_edge(**weight)).count();
        let n_edges = match of_views {
            true => present(self.graph.weights().values()),
            false => self.graph.consensus().map_or(0, present),
        };
        (counts, n_edges)
    }

    /// What the counts of all jobs say of the edges of a graph, whose nodes and views are called as those of the data.
    pub fn found(&self, tallies: &Tallies, graph: &MultiviewGraph) -> EdgeStability {
        let pairs = tallies.jobs.range(..self.settings.pairs).count();
        let is_calibrated = tallies.jobs.range(self.settings.pairs..).next().is_some();
        let curve = |k: usize| {
            let counts = tallies.calibration[k].clone();
            let nested = Curve::of(&Histogram { counts }, 2 * INNER).filter(|_| is_calibrated && pairs > 0)?;
            let (counts, n_edges) = self.in_halves(tallies, k == 1, pairs);
            Some(nested.of_whole(&counts, n_edges, k == 1))
        };
        let curves = [curve(0), curve(1)];
        let figures = |key: [u32; 2], column: usize| {
            let counts = tallies.edges.get(&key);
            let count = |of: fn(&EdgeCounts) -> &Vec<u32>| counts.map_or(0, |counts| of(counts)[column]);
            let frequency = f64::from(count(|counts| &counts.halves)) / (2 * pairs) as f64;
            EdgeFigures {
                frequency,
                frequency_both: f64::from(count(|counts| &counts.both)) / pairs as f64,
                replicates: curves[usize::from(column > 0)]
                    .as_ref()
                    .map(|curve| curve.at(frequency)),
                weight_se: counts.map_or(0.0, |counts| {
                    Tallies::standard_error(counts, column, pairs, self.largest)
                }),
            }
        };
        let with_views = self.unit != Unit::Views;
        let edges = || graph.pairs().iter().zip(graph.weights().rows()).enumerate();
        // An edge that is only in views, or only in the consensus, has the sign of the others.
        let sign = |edge: usize, row: &[f64]| {
            let consensus = graph.consensus().map_or(0.0, |consensus| consensus[edge]);
            let own = row.iter().copied().chain([consensus]);
            if is_edge(consensus) {
                consensus < 0.0
            } else {
                own.sum::<f64>() < 0.0
            }
        };
        let consensus = graph.consensus().is_some().then(|| {
            let one =
                |(edge, (&pair, row)): (usize, (&[u32; 2], &[f64]))| figures(self.ranks.key(pair, sign(edge, row)), 0);
            edges().map(one).collect()
        });
        let views = with_views.then(|| {
            let one = |(edge, (&pair, row)): (usize, (&[u32; 2], &[f64]))| -> Vec<EdgeFigures> {
                let of_view = |(view, &weight): (usize, &f64)| {
                    let is_negative = if is_edge(weight) { weight < 0.0 } else { sign(edge, row) };
                    figures(self.ranks.key(pair, is_negative), 1 + self.ranks.views[view])
                };
                row.iter().enumerate().map(of_view).collect()
            };
            edges().flat_map(one).collect()
        });
        let bounds = graph.consensus().is_some().then(|| {
            let share = |counts: &EdgeCounts| f64::from(counts.halves[0]) / (2 * pairs) as f64;
            let shares: Vec<f64> = tallies.edges.values().map(share).filter(|share| *share > 0.0).collect();
            Bounds::of(&shares, self.n_pairs(), pairs)
        });
        let recognition = |k: usize| tallies.matches[k].recognition(graph.n_views(), self.settings.seed);
        EdgeStability {
            consensus,
            views,
            unit: self.unit,
            n_units: self.refits.n_units(),
            pairs,
            bounds,
            curves,
            fingerprint: recognition(0).map(|weights| Fingerprint {
                weights,
                deviations: recognition(1),
            }),
            absent: self.absent(),
            warnings: self.warnings(),
        }
    }
}
