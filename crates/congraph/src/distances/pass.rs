//! One pass over all pairs: which could be present at given multipliers? None that could is missed.
//!
//! ```text
//! bytes   a product of bytes and one comparison for each pair and view: a lower bound of its distance
//! f32     the tiles in which bytes leave too many open
//! joint   what a view leaves open is asked of all views together, on their lower bounds
//! f64     what is still open is decided by its distance (by the caller)
//! ```
//!
//! A pair can be present only if D + λ_a + λ_b < 0 in some view. In a view's units, with the bound of
//! [`super::quantised`], that needs
//!
//! ```text
//! 2 s_a s_b q_aᵀq_b > g_a + g_b,      g = ‖x‖² − w + λ
//! ```
//!
//! which is tested in f32 as q_aᵀq_b · s_b > g_b/(2 s_a) + g_a/(2 s_a). With u = 2⁻²⁴ the left is off by at most
//! 2.1 u N_a N_b/s_a, and the right by 5 u (|g_a| + |g_b|)/(2 s_a): g is lowered by 3 u N² + 8 u |g|. A comparison with NaN
//! counts as open. The pass is a list of jobs, one for each block of nodes with all blocks from itself on (or for some
//! nodes with all others), which share nothing: their results are put together in the order of the jobs, on however many
//! threads or processes they were done.

use std::ops::Range;

use rayon::prelude::*;

use super::quantised::{F32, Quantised, TILE, ViewBytes};
use crate::edges::ViewMatrix;
use crate::parallel::kernels::{byte_products, row_products};
use crate::parallel::simd::vectorised;
use crate::signals::{Signals, ViewSignals};

/// Rows of a tile that are tested at a time: their products stay in the nearest cache.
const STRIP: usize = 16;
/// Columns that are passed over together if none of their pairs is open.
const PASSED: usize = 64;
/// A tile of which bytes leave more than this open is looked at in f32.
pub(super) const TOO_MANY: usize = TILE * TILE / 16;
/// Samples that f32 sums in one go.
const STRETCH: usize = 512;

/// What a pass looks for.
pub(super) struct Question<'a> {
    pub(super) bytes: &'a Quantised,
    pub(super) signals: &'a Signals,
    /// Whether there are negative edges too.
    pub(super) signed: bool,
    /// λ less what a pair's target may be larger by, in the units of costs.
    pub(super) levels: &'a ViewMatrix,
    /// The most pairs of a job: those furthest from absence.
    pub(super) most: usize,
}

/// What the views' tests need of each node.
struct Bars {
    /// g for the bound of bytes.
    coarse: Vec<f32>,
    /// The same for the bound of f32.
    fine: Vec<f32>,
}

/// Pairs that could be present, sorted, and whether these are all.
pub(super) struct Open {
    pub(super) pairs: Vec<[u32; 2]>,
    /// No more than the cost of each pair in each view, one row per pair.
    pub(super) bounds: Vec<f32>,
    pub(super) complete: bool,
}

impl Question<'_> {
    /// Asks all pairs, or those of some nodes with all others. `depth` tells how far from absence a pair is by the lower
    /// bounds of its costs in all views, if it is not absent.
    pub(super) fn ask(&self, some: Option<&[u32]>, depth: impl Fn([u32; 2], &[f64]) -> Option<f64> + Sync) -> Open {
        let bars: Vec<Bars> = (0..self.bytes.n_views()).map(|view| self.bars(view)).collect();
        let jobs = some.map_or(self.bytes.n_blocks, |some| some.len().div_ceil(TILE));
        let found: Vec<DeepestPairs> = (0..jobs)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, job| {
                let rows = match some {
                    None => Rows::Block(job),
                    Some(some) => Rows::Some {
                        all: some,
                        own: job * TILE..some.len().min((job + 1) * TILE),
                    },
                };
                self.job(&rows, &bars, &depth, scratch)
            })
            .collect();
        // In the order of the jobs, and then of the pairs: threads do not show.
        let complete = found.iter().all(|found| found.complete);
        let mut order: Vec<([u32; 2], u32, u32)> =
            Vec::with_capacity(found.iter().map(|found| found.pairs.len()).sum());
        for (job, found) in found.iter().enumerate() {
            order.extend(found.pairs.iter().map(|&(_, pair, place)| (pair, job as u32, place)));
        }
        order.par_sort_unstable();
        let n_views = self.bytes.n_views();
        let mut bounds = Vec::with_capacity(order.len() * n_views);
        for &(_, job, place) in &order {
            let first = place as usize * n_views;
            bounds.extend_from_slice(&found[job as usize].bounds[first..first + n_views]);
        }
        Open {
            pairs: order.iter().map(|&(pair, _, _)| pair).collect(),
            bounds,
            complete,
        }
    }

    /// g of every node in one view.
    fn bars(&self, view: usize) -> Bars {
        let bytes = &self.bytes.views[view];
        let error = error_in_f32(self.signals.views[view].n_samples);
        let bar = |node: usize, width: f64| {
            // The view lacks the node, or there is none.
            if bytes.squares[node].is_infinite() {
                return f32::INFINITY;
            }
            let bar = bytes.squares[node] - width + self.levels.row(node)[view] / bytes.unit;
            (bar - 3.0 * F32 * bytes.sizes[node] - 8.0 * F32 * bar.abs() - 1e-30) as f32
        };
        let nodes = || (0..bytes.squares.len()).into_par_iter().with_min_len(4096);
        Bars {
            coarse: nodes().map(|node| bar(node, bytes.widths[node])).collect(),
            // 2 · error · N_a N_b ≤ error · (N_a² + N_b²): each end has its share.
            fine: nodes().map(|node| bar(node, error * bytes.sizes[node])).collect(),
        }
    }

    fn job(
        &self,
        rows: &Rows<'_>,
        bars: &[Bars],
        depth: &impl Fn([u32; 2], &[f64]) -> Option<f64>,
        scratch: &mut Scratch,
    ) -> DeepestPairs {
        let mut found = DeepestPairs {
            most: self.most,
            complete: true,
            ..DeepestPairs::default()
        };
        let mut bounds = vec![0.0; self.bytes.n_views()];
        rows.nodes(self.bytes.n_nodes, &mut scratch.nodes);
        for block in rows.first_block()..self.bytes.n_blocks {
            for negative in [false, true].into_iter().take(1 + usize::from(self.signed)) {
                scratch.open.clear();
                let tile = Tile { rows, block, negative };
                let coarse = self.open_by_bytes(&tile, bars, scratch);
                if !coarse {
                    self.open_by_f32(&tile, bars, scratch);
                }
                scratch.open.sort_unstable();
                scratch.open.dedup();
                let Scratch { nodes, open, tiles, .. } = &*scratch;
                vectorised(
                    #[inline(always)]
                    || {
                        for &place in open {
                            let (row, column) = (place as usize / TILE, place as usize % TILE);
                            let (a, b) = (nodes[row] as usize, block * TILE + column);
                            if !rows.owns(row, b) {
                                continue;
                            }
                            for (view, bound) in bounds.iter_mut().enumerate() {
                                *bound = if coarse {
                                    self.bytes.views[view].at_least(a, b, negative)
                                } else {
                                    self.at_least(view, [a, b], tiles[view][place as usize], negative)
                                };
                            }
                            let (a, b) = (a.min(b) as u32, a.max(b) as u32);
                            let edge = if negative { [b, a] } else { [a, b] };
                            if let Some(depth) = depth(edge, &bounds) {
                                found.push(depth, edge, &bounds);
                            }
                        }
                    },
                );
            }
        }
        found.keep_deepest();
        found
    }

    /// The places of a tile that bytes leave open in some view; false if these are too many, or a view has no bytes.
    fn open_by_bytes(&self, tile: &Tile<'_>, bars: &[Bars], scratch: &mut Scratch) -> bool {
        let columns = tile.block * TILE..(tile.block + 1) * TILE;
        for (bytes, bars) in self.bytes.views.iter().zip(bars) {
            let width = bytes.width;
            let Scratch {
                nodes,
                open,
                products,
                bytes: own,
                starts,
                ..
            } = scratch;
            let before = open.len();
            let packed = &bytes.packed.values()[columns.start * width..columns.end * width];
            let test = Test {
                scales: &bytes.scales[columns.clone()],
                bars: &bars.coarse[columns.clone()],
                negative: tile.negative,
            };
            for (strip, nodes) in nodes.chunks(STRIP).enumerate() {
                products.resize(nodes.len() * TILE, 0);
                let (left, starts) = tile.rows.bytes(bytes, strip * STRIP, nodes, own, starts);
                byte_products(self.bytes.instructions, width, left, starts, packed, products);
                vectorised(
                    #[inline(always)]
                    || {
                        for (r, (&node, products)) in nodes.iter().zip(products.chunks_exact(TILE)).enumerate() {
                            let half = 0.5 / f64::from(bytes.scales[node as usize]);
                            let level = (f64::from(bars.coarse[node as usize]) * half) as f32;
                            test.row(strip * STRIP + r, products, half as f32, level, open);
                        }
                    },
                );
                if width == 0 || open.len() - before > TOO_MANY {
                    open.clear();
                    return false;
                }
            }
        }
        true
    }

    /// The same with f32, whose products of all views stay in the scratch.
    fn open_by_f32(&self, tile: &Tile<'_>, bars: &[Bars], scratch: &mut Scratch) {
        let Scratch {
            nodes,
            open,
            panels,
            tiles,
            ..
        } = scratch;
        tiles.resize_with(self.bytes.n_views(), Vec::new);
        for (view, (bars, products)) in bars.iter().zip(tiles).enumerate() {
            let bytes = &self.bytes.views[view];
            let rows = nodes.iter().map(|&node| node as usize);
            products_in_f32(
                bytes,
                &self.signals.views[view],
                rows,
                self.bytes.nodes(tile.block),
                panels,
                products,
            );
            let test = Test {
                scales: &[1.0; TILE],
                bars: &bars.fine[tile.block * TILE..(tile.block + 1) * TILE],
                negative: tile.negative,
            };
            vectorised(
                #[inline(always)]
                || {
                    for (r, (&node, products)) in nodes.iter().zip(products.chunks_exact(TILE)).enumerate() {
                        test.row(r, products, 0.5, 0.5 * bars.fine[node as usize], open);
                    }
                },
            );
        }
    }

    /// No more than the cost of a pair whose product in f32 is known.
    fn at_least(&self, view: usize, [a, b]: [usize; 2], product: f32, negative: bool) -> f64 {
        let bytes = &self.bytes.views[view];
        let error = error_in_f32(self.signals.views[view].n_samples);
        let product = if negative {
            -f64::from(product)
        } else {
            f64::from(product)
        };
        let squares = bytes.squares[a] + bytes.squares[b];
        (squares - 2.0 * product - 1.01 * error * (bytes.sizes[a] + bytes.sizes[b])) * bytes.unit
    }
}

/// Some rows with a block of columns.
struct Tile<'a> {
    rows: &'a Rows<'a>,
    block: usize,
    negative: bool,
}

/// More than f32 loses in a product of signals of length 1: in its sum, in stretches, and in the signals.
pub(super) fn error_in_f32(n_samples: usize) -> f64 {
    2.0 * (n_samples.min(STRETCH) as f64 + n_samples as f64 / STRETCH as f64 + 8.0) * F32
}

/// x_aᵀx_b of some nodes with others, at most a block of each, in f32 and in units of the longest signal; rows of the
/// result are [`TILE`] long.
pub(super) fn products_in_f32(
    bytes: &ViewBytes,
    signals: &ViewSignals,
    rows: impl Iterator<Item = usize>,
    columns: Range<usize>,
    [left, right]: &mut [Vec<f32>; 2],
    tile: &mut Vec<f32>,
) {
    let inverse = 1.0 / bytes.longest;
    let panel = |nodes: &mut dyn Iterator<Item = usize>, out: &mut Vec<f32>| {
        out.clear();
        for node in nodes {
            let row = signals.node(node).iter().zip(&bytes.centre);
            out.extend(row.map(|(x, mean)| ((x - mean) * inverse) as f32));
        }
    };
    panel(&mut rows.into_iter(), left);
    panel(&mut columns.into_iter(), right);
    tile.resize(TILE * TILE, 0.0);
    let p = signals.n_samples;
    // Sums of stretches: rounding grows with their length and their number, and not with that of the signal.
    for first in (0..p).step_by(STRETCH) {
        row_products(
            p,
            first..p.min(first + STRETCH),
            [&left[..], &right[..]],
            tile,
            TILE,
            first > 0,
        );
    }
}

/// The comparison of a row of products with its bars.
struct Test<'a> {
    scales: &'a [f32],
    bars: &'a [f32],
    negative: bool,
}

/// A product of a tile.
pub(super) trait Entry: Copy {
    fn number(self) -> f32;
}

impl Entry for i32 {
    #[inline(always)]
    fn number(self) -> f32 {
        self as f32
    }
}

impl Entry for f32 {
    #[inline(always)]
    fn number(self) -> f32 {
        self
    }
}

impl Test<'_> {
    #[inline(always)]
    fn row<T: Entry>(&self, row: usize, products: &[T], half: f32, level: f32, open: &mut Vec<u32>) {
        let sign = if self.negative { -1.0 } else { 1.0 };
        let scales = self.scales.as_chunks::<PASSED>().0;
        let bars = self.bars.as_chunks::<PASSED>().0;
        let all = products.as_chunks::<PASSED>().0.iter().zip(scales).zip(bars);
        for (part, ((products, scales), bars)) in all.enumerate() {
            let is_open = |k: usize| {
                let bar = bars[k] * half + level;
                (products[k].number() * (sign * scales[k]) > bar) | bar.is_nan()
            };
            let mut any = 0_u32;
            for k in 0..PASSED {
                any |= u32::from(is_open(k));
            }
            if any != 0 {
                let places = (0..PASSED).filter(|&k| is_open(k));
                open.extend(places.map(|k| (row * TILE + part * PASSED + k) as u32));
            }
        }
    }
}

/// The rows of a job.
enum Rows<'a> {
    /// A block of nodes, with those from itself on.
    Block(usize),
    /// Some of a list of nodes (sorted), with all.
    Some { all: &'a [u32], own: Range<usize> },
}

impl Rows<'_> {
    fn first_block(&self) -> usize {
        match self {
            Self::Block(block) => *block,
            Self::Some { .. } => 0,
        }
    }

    fn nodes(&self, n_nodes: usize, out: &mut Vec<u32>) {
        out.clear();
        match self {
            Self::Block(block) => {
                out.extend((block * TILE..n_nodes.min((block + 1) * TILE)).map(|node| node as u32));
            }
            Self::Some { all, own } => out.extend_from_slice(&all[own.clone()]),
        }
    }

    /// Whether the pair of a row and a node is this job's: each pair is asked once.
    fn owns(&self, row: usize, other: usize) -> bool {
        match self {
            Self::Block(block) => other > block * TILE + row,
            Self::Some { all, own } => {
                let node = all[own.start + row] as usize;
                other > node || (other < node && all.binary_search(&(other as u32)).is_err())
            }
        }
    }

    /// The bytes of some of its nodes and what their sums start from.
    fn bytes<'b>(
        &self,
        view: &'b ViewBytes,
        first: usize,
        nodes: &[u32],
        room: &'b mut Vec<i8>,
        starts: &'b mut Vec<i32>,
    ) -> (&'b [i8], &'b [i32]) {
        match self {
            Self::Block(block) => {
                let first = block * TILE + first;
                let rows = &view.rows.values()[first * view.width..(first + nodes.len()) * view.width];
                (rows, &view.starts[first..first + nodes.len()])
            }
            Self::Some { .. } => {
                room.clear();
                starts.clear();
                for &node in nodes {
                    room.extend_from_slice(view.row(node as usize));
                    starts.push(view.starts[node as usize]);
                }
                (room, starts)
            }
        }
    }
}

/// Room that a thread uses again for each tile.
#[derive(Default)]
struct Scratch {
    nodes: Vec<u32>,
    open: Vec<u32>,
    products: Vec<i32>,
    bytes: Vec<i8>,
    starts: Vec<i32>,
    panels: [Vec<f32>; 2],
    tiles: Vec<Vec<f32>>,
}

/// The pairs furthest from absence, at most `most` of them.
#[derive(Default)]
struct DeepestPairs {
    most: usize,
    complete: bool,
    /// How deep, which pair, and where its bounds are.
    pairs: Vec<(f64, [u32; 2], u32)>,
    bounds: Vec<f32>,
}

impl DeepestPairs {
    fn push(&mut self, depth: f64, pair: [u32; 2], bounds: &[f64]) {
        let place = self.bounds.len() / bounds.len();
        self.pairs.push((depth, pair, place as u32));
        // Rounded down, a bound stays one; where a view lacks the pair it is infinite.
        let lower = |&bound: &f64| match bound {
            f64::INFINITY => f32::INFINITY,
            bound => (bound as f32).next_down(),
        };
        self.bounds.extend(bounds.iter().map(lower));
        // Selecting only when twice full costs O(1) per pair.
        if self.pairs.len() >= self.most.saturating_mul(2) {
            self.keep_deepest();
            self.gather(bounds.len());
        }
    }

    fn keep_deepest(&mut self) {
        if self.pairs.len() > self.most {
            self.pairs
                .select_nth_unstable_by(self.most, |x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            self.pairs.truncate(self.most);
            self.complete = false;
        }
    }

    /// Lets go of the bounds of pairs that were left out.
    fn gather(&mut self, n_views: usize) {
        let mut kept = Vec::with_capacity(self.pairs.len() * n_views);
        for (place, (_, _, own)) in self.pairs.iter_mut().enumerate() {
            let first = *own as usize * n_views;
            kept.extend_from_slice(&self.bounds[first..first + n_views]);
            *own = place as u32;
        }
        self.bounds = kept;
    }
}
