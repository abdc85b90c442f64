//! Every statistic under every relabelling.
//!
//! Values are ranked once. A block of relabellings is a matrix with one column per relabelling; the product with an
//! edge's values, which takes nearly all the time, stays in registers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::components::Leaders;
use super::model::{Model, Rest};
use super::relabelling::{Relabelling, Relabellings};
use crate::progress::{Progress, Watch};

/// How many relabellings are one block.
const BLOCK: usize = 16;

/// Things of a kind that are tested together: edges, nodes, or measures of whole graphs.
pub(super) struct Family<'m> {
    model: &'m Model,
    /// What is tested of each thing: one row of units after the other.
    values: Vec<f64>,
    squares: Vec<f64>,
    /// The statistic of each.
    pub(super) observed: Vec<f64>,
    /// That of each contrast, for each thing.
    pub(super) observed_contrasts: Vec<Vec<f64>>,
    with_contrasts: bool,
}

impl<'m> Family<'m> {
    /// From the values of each thing in all views.
    pub(super) fn new<'v>(
        model: &'m Model,
        things: impl IndexedParallelIterator<Item = &'v [f64]>,
        with_contrasts: bool,
    ) -> Self {
        let rests: Vec<Rest> = things.map(|values| model.rest(values)).collect();
        let mut family = Self {
            model,
            values: rests.iter().flat_map(|rest| &rest.values).copied().collect(),
            squares: rests.iter().map(|rest| rest.square).collect(),
            observed: Vec::new(),
            observed_contrasts: Vec::new(),
            with_contrasts,
        };
        // Under the labels as they are: the first column of a block of them.
        let block = Block::new(model, &[Relabelling::Order((0..model.n_units() as u32).collect())]);
        let mut sums = Sums::default();
        for thing in 0..family.n_things() {
            family.add_up(thing, &block, &mut sums);
            family.observed.push(without_rounding(sums.statistics[0]));
            family
                .observed_contrasts
                .push(sums.contrasts.iter().map(|z| z[0]).collect());
        }
        family
    }

    fn n_things(&self) -> usize {
        self.squares.len()
    }

    fn row(&self, thing: usize) -> &[f64] {
        let n = self.model.n_units();
        &self.values[thing * n..(thing + 1) * n]
    }

    /// The statistics of one thing under a block of relabellings.
    fn add_up(&self, thing: usize, block: &Block, sums: &mut Sums) {
        let (model, values, square) = (self.model, self.row(thing), self.squares[thing]);
        let mut nuisance = [0.0; BLOCK];
        for row in &block.nuisance {
            let c = product(row, values);
            nuisance.iter_mut().zip(c).for_each(|(sum, c)| *sum += c * c);
        }
        sums.tested.clear();
        sums.tested.extend(block.tested.iter().map(|row| product(row, values)));
        // Without covariates what is left of ranks is the same under all relabellings.
        let same = model.has_fixed_scale().then(|| model.scale(0.0, 0.0, square));
        for lane in 0..BLOCK {
            let by_labels: f64 = sums.tested.iter().map(|c| c[lane] * c[lane]).sum();
            let scale = same.unwrap_or_else(|| model.scale(by_labels, nuisance[lane], square));
            sums.scales[lane] = scale;
            sums.statistics[lane] = match &sums.tested[..] {
                [c] => c[lane] * scale,
                _ => by_labels * scale * scale / model.n_averaged(),
            };
        }
        sums.contrasts.clear();
        if self.with_contrasts {
            for row in &block.contrasts {
                let mut z = product(row, values);
                z.iter_mut().zip(sums.scales).for_each(|(z, scale)| *z *= scale);
                sums.contrasts.push(z);
            }
        }
    }
}

/// The statistics of one thing under a block of relabellings.
#[derive(Default)]
struct Sums {
    tested: Vec<[f64; BLOCK]>,
    scales: [f64; BLOCK],
    statistics: [f64; BLOCK],
    contrasts: Vec<[f64; BLOCK]>,
}

/// The rows of a model under some relabellings: of each unit, one value per relabelling.
struct Block {
    tested: Vec<Vec<f64>>,
    nuisance: Vec<Vec<f64>>,
    contrasts: Vec<Vec<f64>>,
    n_lanes: usize,
}

impl Block {
    fn new(model: &Model, relabellings: &[Relabelling]) -> Self {
        let relabelled = |row: &Vec<f64>| {
            let mut matrix = vec![0.0; row.len() * BLOCK];
            for (lane, relabelling) in relabellings.iter().enumerate() {
                for (unit, place) in matrix.chunks_exact_mut(BLOCK).enumerate() {
                    place[lane] = match relabelling {
                        Relabelling::Order(order) => row[order[unit] as usize],
                        Relabelling::Flips(flips) if flips[unit] => -row[unit],
                        Relabelling::Flips(_) => row[unit],
                    };
                }
            }
            matrix
        };
        Self {
            tested: model.tested.iter().map(relabelled).collect(),
            nuisance: model.nuisance.iter().map(relabelled).collect(),
            contrasts: model.contrasts.iter().map(|(_, row)| relabelled(row)).collect(),
            n_lanes: relabellings.len(),
        }
    }
}

/// The product of every column of a block's matrix with some values.
fn product(matrix: &[f64], values: &[f64]) -> [f64; BLOCK] {
    let mut sums = [0.0; BLOCK];
    let (columns, _) = matrix.as_chunks::<BLOCK>();
    for (columns, &value) in columns.iter().zip(values) {
        for (sum, column) in sums.iter_mut().zip(columns) {
            *sum += column * value;
        }
    }
    sums
}

/// A statistic, 0 where it is nothing but rounding.
fn without_rounding(statistic: f64) -> f64 {
    if statistic.abs() < 1e-12 { 0.0 } else { statistic }
}

/// The size at which a relabelling counts as extreme as what was observed: rounding must not part what is equal.
pub(super) fn reached(size: f64) -> f64 {
    size - 1e-9 * (1.0 + size)
}

/// What the relabellings gave for a family.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// For each thing, how many relabellings are at least as extreme.
    pub(super) extreme: Vec<usize>,
    /// The largest size of all things under each relabelling, in no order.
    pub(super) largest: Vec<f64>,
    /// The same of each contrast of each thing.
    pub(super) extreme_contrasts: Vec<usize>,
    pub(super) largest_contrasts: Vec<f64>,
    /// The largest intensity of a component.
    pub(super) intensities: Vec<f64>,
}

impl Tally {
    fn new(family: &Family<'_>) -> Self {
        Self {
            extreme: vec![0; family.n_things()],
            extreme_contrasts: vec![0; family.observed_contrasts.iter().map(Vec::len).sum()],
            ..Self::default()
        }
    }

    /// Whether this can be what so many relabellings gave for a family.
    pub(super) fn fits(&self, family: &Family<'_>, with_components: bool, n: usize) -> bool {
        let none = Self::new(family);
        let given = |values: &[f64], is_asked: bool| {
            values.len() == if is_asked { n } else { 0 } && values.iter().all(|size| *size >= 0.0)
        };
        let counted = |counts: &[usize], like: &[usize]| counts.len() == like.len() && counts.iter().all(|&m| m <= n);
        counted(&self.extreme, &none.extreme)
            && counted(&self.extreme_contrasts, &none.extreme_contrasts)
            && given(&self.largest, true)
            && given(&self.largest_contrasts, family.with_contrasts)
            && given(&self.intensities, with_components)
    }

    pub(super) fn add(mut self, other: Self) -> Self {
        let sum = |mine: &mut [usize], other: &[usize]| mine.iter_mut().zip(other).for_each(|(n, m)| *n += m);
        sum(&mut self.extreme, &other.extreme);
        sum(&mut self.extreme_contrasts, &other.extreme_contrasts);
        self.largest.extend(other.largest);
        self.largest_contrasts.extend(other.largest_contrasts);
        self.intensities.extend(other.intensities);
        self
    }
}

/// Where components are looked for.
#[derive(Clone, Copy)]
pub(super) struct Network<'p> {
    pub(super) n_nodes: usize,
    /// The ends of each edge.
    pub(super) pairs: &'p [[u32; 2]],
    pub(super) threshold: f64,
}

/// All families under the relabellings of these numbers, those of the first in the network; none if the watch asked to
/// stop.
pub(super) fn permuted(
    families: &[Family<'_>],
    network: Option<Network<'_>>,
    relabellings: &Relabellings,
    numbers: &[usize],
    watch: Watch<'_>,
) -> Option<Vec<Tally>> {
    let n_asked = numbers.len();
    let (stopped, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let none = || families.iter().map(Tally::new).collect::<Vec<_>>();
    let add = |mine: Vec<Tally>, other: Vec<Tally>| -> Vec<Tally> {
        mine.into_iter()
            .zip(other)
            .map(|(mine, other)| mine.add(other))
            .collect()
    };
    let one = |mut tallies: Vec<Tally>, numbers: &[usize]| {
        if stopped.load(Ordering::Relaxed) {
            return tallies;
        }
        let drawn: Vec<Relabelling> = numbers.iter().map(|&number| relabellings.get(number)).collect();
        for (k, (family, tally)) in families.iter().zip(&mut tallies).enumerate() {
            tally_block(
                family,
                tally,
                network.filter(|_| k == 0),
                &Block::new(family.model, &drawn),
            );
        }
        let done = done.fetch_add(drawn.len(), Ordering::Relaxed) + drawn.len();
        let total = n_asked;
        stopped.fetch_or(watch(&Progress::Fitted { done, total }).is_break(), Ordering::Relaxed);
        tallies
    };
    // Counts and largest sizes are the same in any order, and in whichever lane of a block a relabelling stands.
    let tallies = numbers.par_chunks(BLOCK).fold(none, one).reduce(none, add);
    (!stopped.load(Ordering::Relaxed)).then_some(tallies)
}

/// Counts one block of relabellings.
fn tally_block(family: &Family<'_>, tally: &mut Tally, network: Option<Network<'_>>, block: &Block) {
    let model = family.model;
    let mut sums = Sums::default();
    let (mut largest, mut largest_contrast) = ([0.0_f64; BLOCK], [0.0_f64; BLOCK]);
    let mut above: Vec<Vec<(u32, f64)>> = vec![Vec::new(); block.n_lanes];
    for thing in 0..family.n_things() {
        family.add_up(thing, block, &mut sums);
        let bound = reached(model.size(family.observed[thing]));
        for lane in 0..block.n_lanes {
            let size = model.size(sums.statistics[lane]);
            largest[lane] = largest[lane].max(size);
            tally.extreme[thing] += usize::from(size >= bound);
            if let Some(network) = network.filter(|network| size > network.threshold) {
                above[lane].push((thing as u32, size - network.threshold));
            }
        }
        let first = thing * sums.contrasts.len();
        for (k, z) in sums.contrasts.iter().enumerate() {
            let bound = reached(family.observed_contrasts[thing][k].abs());
            for lane in 0..block.n_lanes {
                largest_contrast[lane] = largest_contrast[lane].max(z[lane].abs());
                tally.extreme_contrasts[first + k] += usize::from(z[lane].abs() >= bound);
            }
        }
    }
    tally.largest.extend(&largest[..block.n_lanes]);
    if family.with_contrasts {
        tally.largest_contrasts.extend(&largest_contrast[..block.n_lanes]);
    }
    if let Some(network) = network {
        let mut leaders = Leaders::new(network.n_nodes);
        tally
            .intensities
            .extend(above.iter().map(|above| leaders.largest(network.pairs, above)));
    }
}
