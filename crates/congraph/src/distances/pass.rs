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
//! which is tested in f32 as q_aᵀq_b · s_b − g_b/(2 s_a) ≥ g_a/(2 s_a), in the registers that hold the products. With
//! u = 2⁻²⁴ the first term is off by at most 3.1 u N_a N_b/s_a, and the others together by 5 u (|g_a| + |g_b|)/(2 s_a): g is
//! lowered by 4 u N² + 8 u |g|. A comparison with NaN counts as open. The pass is a list of jobs, one for each block of nodes with all blocks from itself on (or for some
//! nodes with all others), which share nothing: their results are put together in the order of the jobs, on however many
//! threads or processes they were done.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::deepest::{DeepestPairs, Stretch};
use super::held::{self, Wanted};
use super::quantised::{F32, Quantised, TILE, ViewBytes};
use super::singles::{Pulled, Test, error_in_f32, products_in_f32};
use crate::edges::ViewMatrix;
use crate::parallel::kernels::{Asked, ByteTile, ColumnBars, GROUP, RowBars, add_pulls, mark_pairs};
use crate::parallel::simd::vectorised;
use crate::progress::{Progress, Watch};
use crate::signals::Signals;
use crate::team::Team;

/// Marks of a row of a tile.
pub(super) const MARKS: usize = TILE / GROUP;
/// A tile of which bytes leave more than this open is looked at in f32.
pub(super) const TOO_MANY: usize = TILE * TILE / 3;

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
    /// How views are asked together while products are in registers, if that is known.
    pub(super) pull: Option<Pull>,
    /// Who shares the jobs out among themselves.
    pub(super) team: &'a dyn Team,
}

/// A pair is absent just where no target exceeds τ and Σ max(target, −τ) ≤ σ; a target is a distance below its level times
/// `unit`.
#[derive(Clone, Copy)]
pub(super) struct Pull {
    pub(super) tau: f64,
    pub(super) sigma: f64,
    pub(super) unit: f64,
}

/// More than f32 loses of τ in a pull, relatively.
const PULL_ERROR: f64 = 1e-5;
/// The bytes of products that a member asks others for at a time.
const ROOM: usize = 32 << 20;
/// Rows of bytes from this length on are worth the room of a tile's sums.
const LONG: usize = 96;

/// What the views' tests need of each node.
struct Bars {
    /// g for the bound of bytes.
    coarse: Vec<f32>,
    /// The same for the bound of f32.
    fine: Vec<f32>,
}

/// Pairs that could be present, and whether these are all.
pub(super) struct Open {
    /// One after the other they are sorted.
    pub(super) stretches: Vec<Stretch>,
    pub(super) complete: bool,
}

impl Question<'_> {
    /// Asks all pairs, or those of some nodes with all others; of a team, each member does some of the jobs and has what
    /// these find. `depth` tells how far from absence a pair is by the lower
    /// bounds of its costs in all views, if it is not absent.
    pub(super) fn ask(
        &self,
        some: Option<&[u32]>,
        watch: Watch<'_>,
        depth: impl Fn([u32; 2], &[f64]) -> Option<f64> + Sync,
    ) -> Open {
        let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
        let bars: Vec<Bars> = (0..self.bytes.n_views()).map(|view| self.bars(view)).collect();
        let jobs = some.map_or(self.bytes.n_blocks, |some| some.len().div_ceil(TILE));
        let own: Vec<usize> = (0..jobs).filter(|&job| self.team.has_piece(job, jobs)).collect();
        let first_block = |job: usize| if some.is_some() { 0 } else { job };
        let total: usize = own.iter().map(|&job| self.bytes.n_blocks - first_block(job)).sum();
        let rows_of = |job: usize| match some {
            None => Rows::Block(job),
            Some(some) => Rows::Some {
                all: some,
                own: job * TILE..some.len().min((job + 1) * TILE),
            },
        };
        let n_views = self.bytes.n_views();
        let of_job = |scratch: &mut Scratch, &job: &usize| {
            let rows = rows_of(job);
            if stop.load(Ordering::Relaxed) {
                return DeepestPairs::default();
            }
            let n_tiles = self.bytes.n_blocks - rows.first_block();
            let found = self.job(&rows, &bars, &depth, scratch);
            let share = (done.fetch_add(n_tiles, Ordering::Relaxed) + n_tiles) as f64 / total as f64;
            if watch(&Progress::Checking(share)).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
            found
        };
        // In the order of the jobs: threads do not show.
        let found: Vec<(Stretch, bool)> = if self.signals.holders.is_some() {
            let mut found: Vec<DeepestPairs> = own.par_iter().map_init(Scratch::default, of_job).collect();
            let rows: Vec<Rows<'_>> = own.into_iter().map(rows_of).collect();
            self.settle(&rows, &mut found, &bars, &depth);
            found.into_iter().map(|found| found.finished(n_views)).collect()
        } else {
            let finished = |scratch: &mut Scratch, job: &usize| of_job(scratch, job).finished(n_views);
            own.par_iter().map_init(Scratch::default, finished).collect()
        };
        let complete = found.iter().all(|(_, complete)| *complete);
        let mut stretches: Vec<Stretch> = found.into_iter().map(|(stretch, _)| stretch).collect();
        stretches.retain(|stretch| !stretch.pairs.is_empty());
        // Blocks from first to last are in order, but not the pairs of some nodes with all others, or negative ones.
        if !stretches.is_sorted_by(|one, next| one.pairs.last() < next.pairs.first()) {
            let mut all = Stretch::default();
            for stretch in stretches {
                all.pairs.extend(stretch.pairs);
                all.bounds.extend(stretch.bounds);
            }
            stretches = vec![Stretch::default().merged(&all, n_views)];
        }
        Open { stretches, complete }
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
            (bar - 4.0 * F32 * bytes.sizes[node] - 8.0 * F32 * bar.abs() - 1e-30) as f32
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
        let mut found = DeepestPairs::new(self.most);
        rows.nodes(self.bytes.n_nodes, &mut scratch.nodes);
        // Where bytes left too many open once, they would again.
        let mut too_many = false;
        for block in rows.first_block()..self.bytes.n_blocks {
            for negative in [false, true].into_iter().take(1 + usize::from(self.signed)) {
                let tile = Tile { rows, block, negative };
                let coarse = !too_many && self.open_by_bytes(&tile, bars, scratch);
                too_many = !coarse;
                if !coarse && self.signals.holders.is_some() {
                    // Others have the signals: they are asked for many tiles at a time.
                    found.aside.push((block, negative));
                    continue;
                }
                if !coarse {
                    self.multiply(&tile, scratch);
                    self.open_by_f32(&tile, bars, scratch);
                }
                self.take(&tile, coarse, scratch, depth, &mut found);
            }
        }
        found
    }

    /// Adds the open pairs of a tile to those found, by what bytes or f32 tell of them.
    fn take(
        &self,
        &Tile { rows, block, negative }: &Tile<'_>,
        coarse: bool,
        scratch: &Scratch,
        depth: &impl Fn([u32; 2], &[f64]) -> Option<f64>,
        found: &mut DeepestPairs,
    ) {
        let Scratch { nodes, open, tiles, .. } = scratch;
        let mut bounds = vec![0.0; self.bytes.n_views()];
        vectorised(
            #[inline(always)]
            || {
                for place in marked(open) {
                    let (row, column) = (place / TILE, place % TILE);
                    let (a, b) = (nodes[row] as usize, block * TILE + column);
                    if !rows.owns(row, b) {
                        continue;
                    }
                    for (view, bound) in bounds.iter_mut().enumerate() {
                        *bound = if coarse {
                            self.bytes.views[view].at_least(a, b, negative)
                        } else {
                            self.at_least(view, [a, b], tiles[view][place], negative)
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

    /// The tiles that bytes left open, by the products of those who have the signals; as many rounds as anybody needs.
    fn settle(
        &self,
        rows: &[Rows<'_>],
        found: &mut [DeepestPairs],
        bars: &[Bars],
        depth: &impl Fn([u32; 2], &[f64]) -> Option<f64>,
    ) {
        let mut scratch = Scratch::default();
        let at_a_time = (ROOM / (size_of::<f32>() * TILE * TILE * self.bytes.n_views())).max(1);
        let all =
            |found: &DeepestPairs, job: usize| -> Vec<_> { found.aside.iter().map(|&tile| (job, tile)).collect() };
        let aside: Vec<_> = (found.iter().enumerate())
            .flat_map(|(job, found)| all(found, job))
            .collect();
        let rounds = self.team.largest(aside.len().div_ceil(at_a_time) as f64) as usize;
        let mut parts = aside.chunks(at_a_time);
        for _ in 0..rounds {
            let part = parts.next().unwrap_or_default();
            let nodes = |job: usize| {
                let mut nodes = Vec::new();
                rows[job].nodes(self.bytes.n_nodes, &mut nodes);
                nodes
            };
            let nodes: Vec<Vec<u32>> = part.iter().map(|&(job, _)| nodes(job)).collect();
            let wanted = part
                .iter()
                .zip(&nodes)
                .map(|(&(_, (block, _)), rows)| Wanted { rows, block });
            let products = held::products(self.bytes, self.signals, self.team, &wanted.collect::<Vec<_>>());
            for ((&(job, (block, negative)), nodes), products) in part.iter().zip(nodes).zip(products) {
                let rows = &rows[job];
                let tile = Tile { rows, block, negative };
                (scratch.nodes, scratch.tiles) = (nodes, products);
                self.open_by_f32(&tile, bars, &mut scratch);
                self.take(&tile, false, &scratch, depth, &mut found[job]);
            }
        }
    }

    /// Marks the places of a tile that bytes leave open in some view; false if these are too many, or a view has no bytes.
    fn open_by_bytes(&self, tile: &Tile<'_>, bars: &[Bars], scratch: &mut Scratch) -> bool {
        let columns = tile.block * TILE..(tile.block + 1) * TILE;
        let diagonal = tile.rows.first_block() == tile.block && matches!(tile.rows, Rows::Block(_));
        let Scratch {
            nodes,
            open,
            marks,
            row_bars,
            products,
            bytes: own,
            starts,
            pulls,
            ..
        } = scratch;
        open.clear();
        open.resize(nodes.len() * MARKS, 0);
        let all_long = self.bytes.views.iter().all(|bytes| bytes.width >= LONG);
        let pull = self.pull.filter(|_| all_long && self.bytes.n_views() > 1);
        if pull.is_some() {
            pulls.clear();
            pulls.resize(nodes.len() * TILE, 0.0);
            // What is not asked is not open.
            let left = pulls.chunks_exact_mut(TILE).enumerate().filter(|_| diagonal);
            left.for_each(|(row, sums)| sums[..row / GROUP * GROUP].fill(f32::NEG_INFINITY));
        }
        for (bytes, bars) in self.bytes.views.iter().zip(bars) {
            let width = bytes.width;
            if width == 0 {
                return false;
            }
            row_bars.clear();
            row_bars.extend(nodes.iter().map(|&node| {
                let half = 0.5 / f64::from(bytes.scales[node as usize]);
                RowBars {
                    half: half as f32,
                    low: (f64::from(bars.coarse[node as usize]) * half) as f32,
                    unit: pull.map_or(0.0, |pull| pull.unit * bytes.unit / half) as f32,
                    ..RowBars::default()
                }
            }));
            let (left, starts) = tile.rows.bytes(bytes, nodes, own, starts);
            let opposite: [f32; TILE];
            let scales = &bytes.scales[columns.clone()];
            let scales = if tile.negative {
                opposite = std::array::from_fn(|k| -scales[k]);
                &opposite[..]
            } else {
                scales
            };
            let mut n_open = 0;
            // Of a block with itself, the pairs right of the diagonal.
            let strip = if diagonal { GROUP } else { TILE };
            for first in (0..nodes.len()).step_by(strip) {
                let last = nodes.len().min(first + strip);
                let skipped = if diagonal { first / GROUP } else { 0 };
                let from = columns.start + skipped * GROUP;
                let n_groups = MARKS - skipped;
                marks.resize((last - first) * n_groups, 0);
                let part = ByteTile {
                    width,
                    left: &left[first * width..last * width],
                    starts: &starts[first..last],
                    right: &bytes.packed.values()[from * width..columns.end * width],
                };
                let column_bars = ColumnBars {
                    scales: &scales[skipped * GROUP..],
                    bars: &bars.coarse[from..columns.end],
                    others: &[],
                };
                let rows = &row_bars[first..last];
                if let Some(pull) = pull {
                    let tau = (pull.tau * (1.0 - PULL_ERROR)) as f32;
                    let sums = &mut pulls[first * TILE + skipped * GROUP..];
                    add_pulls(
                        self.bytes.instructions,
                        &part,
                        rows,
                        &column_bars,
                        tau,
                        products,
                        sums,
                        TILE,
                    );
                    continue;
                }
                mark_pairs(
                    self.bytes.instructions,
                    Asked::Open,
                    &part,
                    rows,
                    &column_bars,
                    products,
                    marks,
                );
                n_open += gather(marks, n_groups, &mut open[first * MARKS..last * MARKS]);
            }
            if n_open > TOO_MANY {
                return false;
            }
        }
        match pull {
            None => true,
            Some(pull) => self.open_by_pulls(pull, pulls, open) <= TOO_MANY,
        }
    }

    /// Marks the pairs whose sums say that they could be present; how many these are.
    fn open_by_pulls(&self, pull: Pull, pulls: &[f32], open: &mut [u16]) -> usize {
        let error = PULL_ERROR * (1 + self.bytes.n_views()) as f64;
        let bar = (pull.sigma * (1.0 - PULL_ERROR) - error * pull.tau) as f32;
        let mut n_open = 0;
        vectorised(
            #[inline(always)]
            || {
                for (open, sums) in open.iter_mut().zip(pulls.as_chunks::<GROUP>().0) {
                    let mut bits = [0_u16; GROUP];
                    for (k, (bit, sum)) in bits.iter_mut().zip(sums).enumerate() {
                        // Not a number is open.
                        *bit = u16::from((*sum > bar) | sum.is_nan()) << k;
                    }
                    *open = bits.iter().fold(0, |all, bit| all | bit);
                    n_open += open.count_ones() as usize;
                }
            },
        );
        n_open
    }

    /// The products of a tile in f32, in all views.
    fn multiply(&self, tile: &Tile<'_>, scratch: &mut Scratch) {
        let Scratch {
            nodes, panels, tiles, ..
        } = scratch;
        tiles.resize_with(self.bytes.n_views(), Vec::new);
        for (view, products) in tiles.iter_mut().enumerate() {
            let rows = nodes.iter().map(|&node| node as usize);
            let columns = self.bytes.nodes(tile.block);
            let signals = &self.signals.views[view];
            products_in_f32(&self.bytes.views[view], signals, rows, columns, panels, products);
        }
    }

    /// The same as by bytes with f32, whose products of all views are in the scratch.
    fn open_by_f32(&self, tile: &Tile<'_>, bars: &[Bars], scratch: &mut Scratch) {
        let Scratch {
            nodes,
            open,
            tiles,
            pulls,
            ..
        } = scratch;
        open.clear();
        open.resize(nodes.len() * MARKS, 0);
        if let Some(pull) = self.pull.filter(|_| self.bytes.n_views() > 1) {
            pulls.clear();
            pulls.resize(nodes.len() * TILE, 0.0);
            let columns = tile.block * TILE..(tile.block + 1) * TILE;
            for ((bytes, bars), products) in self.bytes.views.iter().zip(bars).zip(tiles) {
                let pulled = Pulled {
                    bars: &bars.fine[columns.clone()],
                    sign: if tile.negative { -1.0 } else { 1.0 },
                    // Targets are of whole distances, and products of half ones.
                    unit: (2.0 * pull.unit * bytes.unit) as f32,
                    tau: (pull.tau * (1.0 - PULL_ERROR)) as f32,
                };
                let rows = products.chunks_exact(TILE).zip(pulls.chunks_exact_mut(TILE));
                for (&node, (products, sums)) in nodes.iter().zip(rows) {
                    pulled.add(products, 0.5 * bars.fine[node as usize], sums);
                }
            }
            self.open_by_pulls(pull, pulls, open);
            return;
        }
        for (bars, products) in bars.iter().zip(tiles) {
            let test = Test {
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

    /// The bytes of its nodes and what their sums start from.
    fn bytes<'b>(
        &self,
        view: &'b ViewBytes,
        nodes: &[u32],
        room: &'b mut Vec<i8>,
        starts: &'b mut Vec<i32>,
    ) -> (&'b [i8], &'b [i32]) {
        match self {
            Self::Block(block) => {
                let first = block * TILE;
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

/// Adds marks, of the last groups of some rows, to those of a tile; how many there were.
fn gather(marks: &[u16], n_groups: usize, open: &mut [u16]) -> usize {
    let mut count = 0;
    for (marks, open) in marks.chunks_exact(n_groups).zip(open.chunks_exact_mut(MARKS)) {
        for (mark, open) in marks.iter().zip(&mut open[MARKS - n_groups..]) {
            *open |= mark;
            count += mark.count_ones();
        }
    }
    count as usize
}

/// The places of a tile that are marked, row by row.
pub(super) fn marked(marks: &[u16]) -> impl Iterator<Item = usize> {
    let places = |(word, &marks): (usize, &u16)| {
        let mut left = marks;
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (place < GROUP).then_some(word * GROUP + place)
        })
    };
    let words = marks.iter().enumerate().filter(|(_, marks)| **marks != 0);
    words.flat_map(places)
}

/// Room that a thread uses again for each tile.
#[derive(Default)]
struct Scratch {
    nodes: Vec<u32>,
    /// Bits of the pairs that are open, and of those of one view.
    open: Vec<u16>,
    marks: Vec<u16>,
    row_bars: Vec<RowBars>,
    /// Σ max(target, −τ) of every pair of a tile.
    pulls: Vec<f32>,
    products: Vec<i32>,
    bytes: Vec<i8>,
    starts: Vec<i32>,
    panels: [Vec<f32>; 2],
    tiles: Vec<Vec<f32>>,
}
