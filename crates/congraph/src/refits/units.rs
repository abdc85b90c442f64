//! What stays together when data are divided, and random halves of it.
//!
//! Samples of one trial resemble each other, so that trials are divided and not their samples. Where data are to speak
//! of other subjects, whole views are. Every view's units are halved on their own, in the order of their names, with
//! random numbers that belong to the number of the halving and to the view's place among all by name.

use std::borrow::Cow;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::{Code, DataError, Error};
use crate::options::{names_listed, option, step};
use crate::views::{Kind, View, Views};

/// How often a half in which a node does not vary is drawn anew.
const TRIES: usize = 100;
const WHY: &str = "how sure an edge is is seen by learning from halves of the data";

/// What stays together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// A block (trial, session).
    #[default]
    Blocks,
    /// Each sample on its own.
    Samples,
    /// A view (subject): what is said is said of other views than these.
    Views,
}

/// Some of the data: which views, and of each which of its units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The views, in increasing order.
    pub views: Vec<usize>,
    /// The units of each of these, in increasing order; one that counts twice is there twice.
    pub units: Vec<Vec<usize>>,
}

/// The units of every view.
#[derive(Clone, Debug)]
pub(super) struct Units {
    unit: Unit,
    /// The samples of each unit of each view, in order.
    samples: Vec<Vec<Vec<usize>>>,
    /// Where each view stands among all by name.
    ranks: Vec<usize>,
}

impl Units {
    pub(super) fn of(views: &Views, unit: Unit) -> Result<Self, Error> {
        let lacks = |what: String, hint: String| Err(DataError::new(Code::E05, what, WHY, hint).into());
        if views.kind() != Kind::Signals && unit != Unit::Views {
            return lacks(
                format!("{} have no samples to halve", views.matrices()),
                format!(
                    "{}, or halve the views with {}",
                    views.for_samples(),
                    option("units").set_to("views")
                ),
            );
        }
        let bare = views.iter().find(|view| view.blocks().is_none());
        if let (Unit::Blocks, Some(view)) = (unit, bare) {
            return lacks(
                format!("view `{}` has no blocks", view.name()),
                format!(
                    "name the trial of each sample with {}, or halve samples with {}",
                    step("tell_blocks", "`block_column`"),
                    option("units").set_to("samples")
                ),
            );
        }
        let rank = |view: &View| views.iter().filter(|other| other.name() < view.name()).count();
        Ok(Self {
            unit,
            samples: views.iter().map(|view| samples(view, views.kind(), unit)).collect(),
            ranks: views.iter().map(rank).collect(),
        })
    }

    /// Whether their sums are fewer numbers than their samples have to be passed over.
    pub(super) fn pay(&self) -> bool {
        let n_units: usize = self.samples.iter().map(Vec::len).sum();
        let n_samples: usize = self.samples.iter().flatten().map(Vec::len).sum();
        n_samples >= 2 * n_units
    }

    pub(super) fn are_views(&self) -> bool {
        self.unit == Unit::Views
    }

    /// Where a view stands among all by name.
    pub(super) fn rank(&self, view: usize) -> usize {
        self.ranks[view]
    }

    pub(super) fn samples_of(&self, view: usize) -> &[Vec<usize>] {
        &self.samples[view]
    }

    pub(super) fn counts(&self) -> Vec<usize> {
        match self.unit {
            Unit::Views => vec![self.samples.len()],
            Unit::Blocks | Unit::Samples => self.samples.iter().map(Vec::len).collect(),
        }
    }

    pub(super) fn whole(&self) -> Part {
        Part {
            views: (0..self.samples.len()).collect(),
            units: self.samples.iter().map(|units| (0..units.len()).collect()).collect(),
        }
    }

    pub(super) fn halves(&self, views: &Views, part: &Part, seed: u64, number: u64) -> Result<[Part; 2], Error> {
        if self.unit == Unit::Views {
            return self.halves_of_views(part, seed, number);
        }
        let mut units = [Vec::new(), Vec::new()];
        for (&view, own) in part.views.iter().zip(&part.units) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number * views.n_views() as u64 + self.ranks[view] as u64);
            let [one, other] = self.halved(views, view, own, &mut rng)?;
            units[0].push(one);
            units[1].push(other);
        }
        Ok(units.map(|units| Part {
            views: part.views.clone(),
            units,
        }))
    }

    fn halves_of_views(&self, part: &Part, seed: u64, number: u64) -> Result<[Part; 2], Error> {
        if part.views.len() < 4 {
            let what = format!(
                "{} views cannot be halved so that each half has several",
                part.views.len()
            );
            let hint = format!(
                "halve their trials with {}, or add views",
                option("units").set_to("blocks")
            );
            return Err(DataError::new(Code::E05, what, WHY, hint).into());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let mut places: Vec<usize> = (0..part.views.len()).collect();
        places.sort_by_key(|&place| self.ranks[part.views[place]]);
        places.shuffle(&mut rng);
        let (one, other) = places.split_at(places.len() / 2);
        Ok([one, other].map(|half| {
            let mut half = half.to_vec();
            half.sort_unstable();
            Part {
                views: half.iter().map(|&place| part.views[place]).collect(),
                units: half.iter().map(|&place| part.units[place].clone()).collect(),
            }
        }))
    }

    /// Some units of one view in two halves, in both of which every node varies.
    fn halved(
        &self,
        views: &Views,
        view: usize,
        own: &[usize],
        rng: &mut ChaCha8Rng,
    ) -> Result<[Vec<usize>; 2], Error> {
        let mut units = own.to_vec();
        let enough = units.len() >= 4 || (self.unit == Unit::Blocks && units.len() >= 2);
        let mut still = None;
        for _ in 0..if enough { TRIES } else { 0 } {
            units.shuffle(rng);
            let (one, other) = units.split_at(units.len() / 2);
            let halves = [one, other].map(|half| {
                let mut half = half.to_vec();
                half.sort_unstable();
                half
            });
            still = halves.iter().find_map(|half| self.unvarying(views, view, half));
            if still.is_none() {
                return Ok(halves);
            }
        }
        Err(self.not_halved(views, view, units.len(), still))
    }

    /// A node of a view that does not vary in some units.
    fn unvarying(&self, views: &Views, view: usize, units: &[usize]) -> Option<usize> {
        let samples = || units.iter().flat_map(|&unit| &self.samples[view][unit]);
        let varies = |node: usize| {
            let signal = views.view(view).node(node);
            let first = samples().next().map(|&sample| signal[sample]);
            samples().any(|&sample| Some(signal[sample]) != first)
        };
        views.membership().nodes_of(view).find(|&node| !varies(node))
    }

    fn not_halved(&self, views: &Views, view: usize, n_units: usize, still: Option<usize>) -> Error {
        let word = if self.unit == Unit::Blocks { "blocks" } else { "samples" };
        let (what, hint) = match still.map(|node| views.nodes()[node].as_str()) {
            None => (
                match n_units {
                    1 => format!("one {} cannot be halved", &word[..word.len() - 1]),
                    _ => format!("{n_units} {word} cannot be halved"),
                },
                "give more of them, or leave the view out".into(),
            ),
            Some(node) => (
                format!("the node `{node}` does not vary in one half or the other, however the {word} are halved"),
                format!(
                    "leave it out of all views with {}",
                    option("drop_nodes").set_to(names_listed(&[node]))
                ),
            ),
        };
        let name = views.view(view).name();
        DataError::new(Code::E05, what, WHY, hint).in_view(name).into()
    }

    /// The signals of a part.
    pub(super) fn data<'v>(&self, views: &'v Views, part: &Part) -> Cow<'v, Views> {
        if *part == self.whole() {
            return Cow::Borrowed(views);
        }
        if self.unit == Unit::Views {
            return Cow::Owned(views.with_views(&part.views));
        }
        let of_view = |(&view, units): (&usize, &Vec<usize>)| {
            let mut samples: Vec<usize> = units
                .iter()
                .flat_map(|&unit| &self.samples[view][unit])
                .copied()
                .collect();
            samples.sort_unstable();
            samples
        };
        let samples: Vec<Vec<usize>> = part.views.iter().zip(&part.units).map(of_view).collect();
        Cow::Owned(views.with_samples(&samples))
    }
}

/// The samples of each unit of a view.
fn samples(view: &View, kind: Kind, unit: Unit) -> Vec<Vec<usize>> {
    let n_samples = if kind == Kind::Signals { view.node(0).len() } else { 0 };
    match (unit, view.blocks()) {
        (Unit::Blocks, Some(blocks)) => {
            let mut order: Vec<usize> = (0..n_samples).collect();
            order.sort_by_key(|&sample| &blocks[sample]);
            let same = |one: &usize, two: &usize| blocks[*one] == blocks[*two];
            order.chunk_by(same).map(<[usize]>::to_vec).collect()
        }
        (Unit::Views, _) => vec![(0..n_samples).collect()],
        (Unit::Blocks | Unit::Samples, _) => (0..n_samples).map(|sample| vec![sample]).collect(),
    }
}

/// How many standard errors above 0 a correlation is that chance does not give, over a few views.
const BEYOND_CHANCE: f64 = 3.0;

/// The median over the nodes of the correlation between a sample and the next, largest over the views in which it is above
/// `bound` and above what as few independent samples can give: nodes that go together have one correlation, not many, and
/// its standard error is 1/√samples. None if there is no such view, and for precomputed matrices.
pub fn lag_one(views: &Views, bound: f64) -> Option<f64> {
    if views.kind() != Kind::Signals {
        return None;
    }
    let of_view = |(index, view): (usize, &View)| {
        let n_samples = view.n_samples().unwrap_or(0).max(1);
        let bound = bound.max(BEYOND_CHANCE / (n_samples as f64).sqrt());
        let mut own: Vec<f64> = views
            .membership()
            .nodes_of(index)
            .map(|node| correlated(view.node(node)))
            .collect();
        own.sort_by(f64::total_cmp);
        own.get(own.len() / 2).copied().filter(|median| *median > bound)
    };
    views.iter().enumerate().filter_map(of_view).reduce(f64::max)
}

/// The correlation between a value and the next.
fn correlated(signal: &[f64]) -> f64 {
    let mean = signal.iter().sum::<f64>() / signal.len() as f64;
    let square: f64 = signal.iter().map(|x| (x - mean).powi(2)).sum();
    let product: f64 = signal.windows(2).map(|two| (two[0] - mean) * (two[1] - mean)).sum();
    if square > 0.0 { product / square } else { 0.0 }
}
