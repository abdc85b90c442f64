//! The nearest neighbours of every node in every view, and the largest distance, in one pass over all pairs.
//!
//! A pair is looked at more closely if the estimate of its bytes could bring it into the list of one of its ends, or
//! beyond the largest distance so far; few do. *Roughly* the estimates are the distances: where a working set starts.
//! *Exactly* the bound of [`super::quantised`] is allowed for and distances in f64 decide, ties by the node's number:
//! the lists are the k nearest, without exception.
//!
//! A list is the k smallest of all that were offered to it, in whatever order: threads do not show in the result.

mod row;
mod shared;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;
use row::{Columns, Row};

use super::pass::{MARKS, TOO_MANY, marked};
use super::quantised::{F32, Quantised, TILE, ViewBytes};
use super::singles::{error_in_f32, products_in_f32};
use crate::parallel::chunks;
use crate::parallel::kernels::{Asked, ByteTile, ColumnBars, RowBars, byte_products, mark_pairs};
use crate::parallel::simd::vectorised;
use crate::progress::{Progress, Watch};
use crate::signals::Signals;
use crate::team::Team;

/// Rows of a tile that are looked at at a time.
const STRIP: usize = 16;
/// No neighbour yet.
const NOBODY: u32 = u32::MAX;
/// How often the search for a distant pair turns around.
const TURNS: usize = 6;

/// What to look for among all pairs.
pub(super) struct Search<'a> {
    pub(super) bytes: &'a Quantised,
    pub(super) signals: &'a Signals,
    /// Whether a node is as near as its opposite.
    pub(super) signed: bool,
    /// How many neighbours.
    pub(super) k: usize,
    /// Whether distances in f64 decide.
    pub(super) exact: bool,
    /// Whether the largest distance is wanted.
    pub(super) furthest: bool,
    /// In which views.
    pub(super) views: Vec<usize>,
    /// Who shares the tiles out among themselves.
    pub(super) team: &'a dyn Team,
}

/// What was found.
pub(super) struct Found {
    /// All pairs a < b of a node and one of its k nearest neighbours in some view, sorted.
    pub(super) pairs: Vec<[u32; 2]>,
    /// The largest cost of a pair in a view that has both its ends, in f64; 0 if not asked for.
    pub(super) furthest: f64,
    /// Whether the caller asked to stop before the end.
    pub(super) stopped: bool,
}

impl Found {
    /// What all members of a team found, each in views of its own.
    pub(super) fn of_all(self, team: &dyn Team) -> Self {
        let mut pairs = team.gather_values(&self.pairs).concat();
        pairs.par_sort_unstable();
        pairs.dedup();
        Self {
            pairs,
            furthest: team.largest(self.furthest),
            stopped: team.any(self.stopped),
        }
    }
}

impl Search<'_> {
    pub(super) fn run(&self, watch: Watch<'_>) -> Found {
        let mut largest = 0.0_f64;
        let mut pairs = Vec::new();
        let stop = AtomicBool::new(false);
        // One view at a time: only its lists are in memory.
        for (place, &index) in self.views.iter().enumerate() {
            let view = ViewSearch::new(self, index, largest);
            let n_blocks = self.bytes.n_blocks;
            let own: Vec<usize> = (0..n_blocks).filter(|&k| self.team.has_piece(k, n_blocks)).collect();
            // Blocks with themselves first: they set bars that few others pass.
            own.par_iter().for_each_init(Room::default, |room, &block| {
                view.tile(block, block, room);
            });
            view.share_bars();
            let done = AtomicUsize::new(0);
            let total: usize = own.iter().map(|block| n_blocks - block).sum();
            own.into_par_iter().for_each_init(Room::default, |room, block| {
                for other in block + 1..n_blocks {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    view.tile(block, other, room);
                }
                let share = done.fetch_add(n_blocks - block, Ordering::Relaxed) as f64;
                let share = share / total as f64;
                let share = (place as f64 + share) / self.views.len() as f64;
                if watch(&Progress::Neighbours(share)).is_break() {
                    stop.store(true, Ordering::Relaxed);
                }
            });
            largest = self.team.largest(f64::from_bits(view.largest.load(Ordering::Relaxed)));
            pairs.extend(view.pairs());
            pairs.par_sort_unstable();
            pairs.dedup();
        }
        Found {
            pairs,
            furthest: largest,
            stopped: self.team.any(stop.into_inner()),
        }
    }
}

/// The search in one view.
struct ViewSearch<'a> {
    search: &'a Search<'a>,
    view: &'a ViewBytes,
    index: usize,
    squares: Vec<f32>,
    lists: Vec<Mutex<Lists>>,
    /// The distance (f32, as bits, in the view's units) up to which a newcomer may enter a node's list.
    bars: Vec<AtomicU32>,
    /// The largest cost so far (f64, as bits).
    largest: AtomicU64,
    /// More than an estimate can be off, from bytes and from f32.
    off: [f64; 2],
    /// More than f32 loses in an estimate and in a comparison.
    slack: f32,
}

/// The k nearest so far of each node of a block, nearest first.
#[derive(Default)]
struct Lists {
    keys: Vec<f64>,
    nodes: Vec<u32>,
}

/// Where estimates come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Bytes,
    F32,
}

/// Room that a thread uses again for each tile.
#[derive(Default)]
struct Room {
    products: Vec<i32>,
    row_bars: Vec<RowBars>,
    marks: Vec<u16>,
    panels: [Vec<f32>; 2],
    tile: Vec<f32>,
    /// Pairs of a tile that may enter a list, and their estimates.
    near: Vec<(u32, u32, f32)>,
    /// Pairs that may be further apart than all so far.
    far: Vec<(u32, u32)>,
    buffer: Vec<f32>,
}

impl<'a> ViewSearch<'a> {
    fn new(search: &'a Search<'a>, index: usize, largest: f64) -> Self {
        let view = &search.bytes.views[index];
        let n_samples = search.signals.views[index].n_samples;
        let lists = || Lists {
            keys: vec![f64::INFINITY; TILE * search.k],
            nodes: vec![NOBODY; TILE * search.k],
        };
        let largest_of = |values: &[f64]| values.iter().fold(0.0_f64, |largest, &x| largest.max(x));
        // The few roundings of an estimate in f32 itself.
        let rounding = 8.0 * F32 * largest_of(&view.sizes);
        let found = Self {
            search,
            view,
            index,
            squares: view.squares.iter().map(|&square| finite_or_nan(square)).collect(),
            lists: (0..search.bytes.n_blocks).map(|_| Mutex::new(lists())).collect(),
            bars: view
                .squares
                .iter()
                .map(|_| AtomicU32::new(f32::INFINITY.to_bits()))
                .collect(),
            largest: AtomicU64::new(largest.to_bits()),
            slack: (64.0 * F32 * largest_of(&view.sizes)) as f32,
            off: [
                2.0 * (largest_of(&view.widths) + rounding),
                2.0 * (error_in_f32(n_samples) * largest_of(&view.sizes) + rounding),
            ],
        };
        if search.furthest {
            found.seek_a_distant_pair();
        }
        found
    }

    /// From a node to the one furthest from it, and from that again: nearly the largest distance, for next to nothing.
    fn seek_a_distant_pair(&self) {
        let lacks = |node: usize| self.view.squares[node].is_infinite();
        let n_nodes = self.search.bytes.n_nodes;
        let Some(mut from) = (0..n_nodes).find(|&node| !lacks(node)) else {
            return;
        };
        for _ in 0..TURNS {
            let of_part = |nodes: std::ops::Range<usize>| {
                let mut furthest = (f64::NEG_INFINITY, usize::MAX);
                vectorised(
                    #[inline(always)]
                    || {
                        for to in nodes.clone().filter(|&to| !lacks(to) && to != from) {
                            let product = self.view.product(from, to);
                            let product = if self.search.signed { -product.abs() } else { product };
                            let estimate = self.view.squares[to] - product;
                            if estimate > furthest.0 {
                                furthest = (estimate, to);
                            }
                        }
                    },
                );
                furthest
            };
            let nobody = (f64::NEG_INFINITY, usize::MAX);
            let parts = chunks::map(n_nodes, of_part);
            let (_, furthest) = parts.into_iter().fold(nobody, |x, y| if y.0 > x.0 { y } else { x });
            if furthest == usize::MAX {
                return;
            }
            self.measure(from, furthest);
            from = furthest;
        }
    }

    /// The costs of a pair in f64, of its negative edge as well where there is one.
    fn costs(&self, a: usize, b: usize) -> [f64; 2] {
        let signals = &self.search.signals.views[self.index];
        let cost = signals.distance(a, b);
        if self.search.signed {
            [cost, signals.sum_distance(a, b)]
        } else {
            [cost; 2]
        }
    }

    /// Takes the larger cost of a pair for the largest of all, if it is.
    fn measure(&self, a: usize, b: usize) {
        for cost in self.costs(a, b) {
            // Numbers that are not negative order like their bits; one that is not a number is above all.
            self.largest.fetch_max(cost.abs().to_bits(), Ordering::Relaxed);
        }
    }

    fn bar(&self, node: usize) -> f32 {
        f32::from_bits(self.bars[node].load(Ordering::Relaxed))
    }

    /// Looks at all pairs of two blocks i ≤ j.
    fn tile(&self, i: usize, j: usize, room: &mut Room) {
        let level = if self.view.width > 0 { Level::Bytes } else { Level::F32 };
        if i == j {
            self.set_bars(i, level, room);
        }
        self.look(i, j, level, room);
        let too_many = [room.near.len() * usize::from(self.search.exact), room.far.len()];
        if level == Level::Bytes && too_many.into_iter().any(|count| count > TOO_MANY) {
            // Rough lists are those of bytes.
            let near = (!self.search.exact).then(|| std::mem::take(&mut room.near));
            self.look(i, j, Level::F32, room);
            room.near = near.unwrap_or_else(|| std::mem::take(&mut room.near));
        }
        for &(a, b) in &room.far {
            self.measure(a as usize, b as usize);
        }
        self.offer(i, j, &room.near);
    }

    /// Finds the pairs of a tile that need a closer look.
    fn look(&self, i: usize, j: usize, level: Level, room: &mut Room) {
        room.near.clear();
        room.far.clear();
        let allowance = if self.search.exact {
            self.off[level as usize]
        } else {
            0.0
        };
        let higher = |bar: f32| (f64::from(bar) + allowance) as f32;
        let bars = std::array::from_fn(|column| higher(self.bar(j * TILE + column)));
        let columns = self.columns(j, level, bars);
        let nodes = self.search.bytes.nodes(i);
        if level == Level::Bytes {
            self.mark(nodes.clone(), j, &columns, &higher, room);
            let Room { near, far, marks, .. } = &mut *room;
            vectorised(
                #[inline(always)]
                || {
                    for place in marked(marks) {
                        let (a, k) = (nodes.start + place / TILE, place % TILE);
                        let product = self.view.whole_product(a, j * TILE + k) as f32;
                        let scale = 2.0 * self.view.scales[a];
                        if self.search.signed {
                            let row = self.row::<true>(a, scale, &columns);
                            row.take(higher(self.bar(a)), k, product, near, far);
                        } else {
                            let row = self.row::<false>(a, scale, &columns);
                            row.take(higher(self.bar(a)), k, product, near, far);
                        }
                    }
                },
            );
            return;
        }
        self.multiply(nodes.clone(), j, level, room);
        let Room { near, far, tile, .. } = &mut *room;
        vectorised(
            #[inline(always)]
            || {
                for (a, entries) in nodes.clone().zip(tile.chunks_exact(TILE)) {
                    let bar = higher(self.bar(a));
                    if self.search.signed {
                        self.row::<true>(a, 2.0, &columns).look(bar, entries, near, far);
                    } else {
                        self.row::<false>(a, 2.0, &columns).look(bar, entries, near, far);
                    }
                }
            },
        );
    }

    /// Marks the pairs of a tile that need a closer look by their bytes, and some more: comparisons round.
    fn mark(
        &self,
        nodes: std::ops::Range<usize>,
        block: usize,
        columns: &Columns<'_>,
        higher: &impl Fn(f32) -> f32,
        room: &mut Room,
    ) {
        let (view, width) = (self.view, self.view.width);
        let row = |node: usize| {
            let half = 0.5 / view.scales[node];
            let square = self.squares[node];
            RowBars {
                half,
                low: half * (square - higher(self.bar(node)) - self.slack),
                other: half * (square - self.slack),
                high: half * (square - columns.far + self.slack),
                unit: 0.0,
            }
        };
        room.row_bars.clear();
        room.row_bars.extend(nodes.clone().map(row));
        room.marks.resize(nodes.len() * MARKS, 0);
        let tile = ByteTile {
            width,
            left: &view.rows.values()[nodes.start * width..nodes.end * width],
            starts: &view.starts[nodes],
            right: &view.packed.values()[block * TILE * width..(block + 1) * TILE * width],
        };
        let asked = if self.search.signed { Asked::Either } else { Asked::Near };
        let bars = ColumnBars {
            scales: columns.scales,
            bars: columns.squares,
            others: &columns.bars,
        };
        let instructions = self.search.bytes.instructions;
        let rows = &room.row_bars;
        mark_pairs(
            instructions,
            asked,
            &tile,
            rows,
            &bars,
            &mut room.products,
            &mut room.marks,
        );
    }

    /// The columns of a tile.
    fn columns(&self, block: usize, level: Level, bars: [f32; TILE]) -> Columns<'_> {
        let nodes = block * TILE..(block + 1) * TILE;
        let largest = f64::from_bits(self.largest.load(Ordering::Relaxed));
        let far = ((largest / self.view.unit - self.off[level as usize]) as f32).next_down();
        Columns {
            first: nodes.start,
            scales: if level == Level::Bytes {
                &self.view.scales[nodes.clone()]
            } else {
                &[1.0; TILE]
            },
            squares: &self.squares[nodes],
            bars,
            far: if self.search.furthest { far } else { f32::INFINITY },
        }
    }

    fn row<'c, const SIGNED: bool>(&self, node: usize, scale: f32, columns: &'c Columns<'c>) -> Row<'c, SIGNED> {
        Row {
            node,
            square: self.squares[node],
            scale,
            columns,
        }
    }

    /// The products of some rows of a tile with all its columns, in bytes or f32.
    fn multiply(&self, rows: std::ops::Range<usize>, block: usize, level: Level, room: &mut Room) {
        let view = self.view;
        if level == Level::F32 {
            let signals = &self.search.signals.views[self.index];
            let columns = self.search.bytes.nodes(block);
            return products_in_f32(view, signals, rows, columns, &mut room.panels, &mut room.tile);
        }
        let (columns, width) = (block * TILE..(block + 1) * TILE, view.width);
        room.products.resize(rows.len() * TILE, 0);
        let left = &view.rows.values()[rows.start * width..rows.end * width];
        let right = &view.packed.values()[columns.start * width..columns.end * width];
        let starts = &view.starts[rows];
        byte_products(
            self.search.bytes.instructions,
            width,
            left,
            starts,
            right,
            &mut room.products,
        );
    }

    /// The first bars of a block's nodes: no less than the distances of their k nearest in it.
    fn set_bars(&self, block: usize, level: Level, room: &mut Room) {
        if self.search.k >= TILE {
            return;
        }
        let off = if self.search.exact {
            self.off[level as usize]
        } else {
            0.0
        };
        let columns = self.columns(block, level, [0.0; TILE]);
        let nodes = self.search.bytes.nodes(block);
        let strip = if level == Level::Bytes { STRIP } else { TILE };
        for first in nodes.clone().step_by(strip) {
            let rows = first..nodes.end.min(first + strip);
            self.multiply(rows.clone(), block, level, room);
            for (place, node) in rows.enumerate() {
                let entry = |k: usize| match level {
                    Level::Bytes => room.products[place * TILE + k] as f32,
                    Level::F32 => room.tile[place * TILE + k],
                };
                let scale = if level == Level::Bytes {
                    2.0 * self.view.scales[node]
                } else {
                    2.0
                };
                room.buffer.clear();
                let buffer = &mut room.buffer;
                let signed = self.search.signed;
                let (plain, both) = (
                    self.row::<false>(node, scale, &columns),
                    self.row::<true>(node, scale, &columns),
                );
                vectorised(
                    #[inline(always)]
                    || {
                        buffer.extend((0..TILE).map(|k| {
                            let (other, square) = (columns.scales[k], columns.squares[k]);
                            if signed {
                                both.estimate(other, square, entry(k))
                            } else {
                                plain.estimate(other, square, entry(k))
                            }
                        }));
                    },
                );
                // A node is no neighbour of itself.
                room.buffer[node - block * TILE] = f32::NAN;
                let bar = at_least_smallest(&room.buffer, self.search.k);
                self.bars[node].store(raised(f64::from(bar) + off).to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// Lets pairs of a tile into the lists of their ends.
    fn offer(&self, i: usize, j: usize, near: &[(u32, u32, f32)]) {
        let key = |&(a, b, estimate): &(u32, u32, f32)| {
            let key = if self.search.exact {
                let [cost, opposite] = self.costs(a as usize, b as usize);
                cost.min(opposite)
            } else {
                f64::from(estimate)
            };
            (key, a, b)
        };
        let offers: Vec<(f64, u32, u32)> = near.iter().map(key).collect();
        if offers.is_empty() {
            return;
        }
        self.insert(i, offers.iter().map(|&(key, a, b)| (a, key, b)));
        // A tile of a block with itself holds each pair twice.
        if i != j {
            self.insert(j, offers.iter().map(|&(key, a, b)| (b, key, a)));
        }
    }

    /// Newcomers (to whom, how near, who) to the lists of a block.
    fn insert(&self, block: usize, newcomers: impl Iterator<Item = (u32, f64, u32)>) {
        let k = self.search.k;
        // A thread that panicked has ended the search.
        let Ok(mut lists) = self.lists[block].lock() else {
            return;
        };
        let Lists { keys, nodes } = &mut *lists;
        for (node, key, neighbour) in newcomers {
            let own = (node as usize - block * TILE) * k..(node as usize - block * TILE + 1) * k;
            let (keys, nodes) = (&mut keys[own.clone()], &mut nodes[own]);
            let is_before = |place: usize| (keys[place], nodes[place]) < (key, neighbour);
            if is_before(k - 1) {
                continue;
            }
            let place = (0..k).find(|&place| !is_before(place)).unwrap_or(k - 1);
            keys[place..].rotate_right(1);
            nodes[place..].rotate_right(1);
            (keys[place], nodes[place]) = (key, neighbour);
            let unit = if self.search.exact { self.view.unit } else { 1.0 };
            let bar = if self.search.exact {
                raised(keys[k - 1] / unit)
            } else {
                keys[k - 1] as f32
            };
            // Until the list is full, the bar is that of the first estimates.
            if bar < self.bar(node as usize) {
                self.bars[node as usize].store(bar.to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// The pairs of all lists, a < b.
    fn pairs(&self) -> Vec<[u32; 2]> {
        if self.search.team.size() > 1 {
            return self.pairs_of_team();
        }
        let of_block = |(block, lists): (usize, &Mutex<Lists>)| {
            let lists = lists.lock().map(|lists| lists.nodes.clone()).unwrap_or_default();
            let pair = |(place, &other): (usize, &u32)| {
                let node = (block * TILE + place / self.search.k) as u32;
                (other != NOBODY).then(|| [node.min(other), node.max(other)])
            };
            let mut pairs: Vec<[u32; 2]> = lists.iter().enumerate().filter_map(pair).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs
        };
        self.lists.par_iter().enumerate().flat_map_iter(of_block).collect()
    }
}

/// No less than the k-th smallest of a block's values, and not much more: the k-th smallest of the least of each of some
/// groups. Infinite if there are not so many; what is not a number does not count.
fn at_least_smallest(values: &[f32], k: usize) -> f32 {
    let n_groups = (2 * k).next_power_of_two().clamp(16, TILE);
    let mut least = [f32::INFINITY; TILE];
    let least = &mut least[..n_groups];
    for values in values.chunks_exact(n_groups) {
        for (least, &value) in least.iter_mut().zip(values) {
            *least = if value < *least { value } else { *least };
        }
    }
    *least.select_nth_unstable_by(k - 1, f32::total_cmp).1
}

/// A square in f32; not a number if there is none: comparisons with it fail.
fn finite_or_nan(square: f64) -> f32 {
    if square < f64::INFINITY {
        square as f32
    } else {
        f32::NAN
    }
}

/// The next larger f32, so that no rounding is below.
fn raised(value: f64) -> f32 {
    (value as f32).next_up()
}
