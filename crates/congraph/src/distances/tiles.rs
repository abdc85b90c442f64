//! All pairs, tile by tile, in f32: what finds neighbours and candidates, and never decides.
//!
//! A tile holds, for two blocks of nodes and every view, the squared distances in units of the view's largest signal,
//!
//! ```text
//! E_ab = ‖x_a‖² + ‖x_b‖² − 2 x_aᵀx_b,      ‖x‖ ≤ 1
//! ```
//!
//! (and, where edges are signed, behind those of all views ‖x_a‖² + ‖x_b‖² + 2 x_aᵀx_b of the negative edges) from a
//! blocked product in single precision: an eighth of the cost of differences in f64. Its error is at most
//! [`ViewTiles::error`]: products are summed in stretches of [`STRETCH`] samples, so that rounding grows with
//! `STRETCH + p/STRETCH` and not with p. Every reader of a tile allows for that error and lets f64 differences decide.
//!
//! The tiles of the upper triangle are kept if they fit the memory that may be used, and computed anew for each pass if
//! not. A tile's content does not depend on the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::approximate::Points;
use crate::edges::{ViewMatrix, is_negative, pair_of};
use crate::parallel::{HugePageBuffer, chunks};
use crate::progress::{Progress, Watch};
use crate::signals::{Signals, ViewSignals, largest, sum};

/// Nodes per block.
pub(super) const TILE: usize = 256;
/// Samples summed in one go.
const STRETCH: usize = 512;
/// Half a unit in the last place of f32.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// Tiles of all views.
pub(crate) struct Tiles {
    pub(super) n_nodes: usize,
    pub(super) n_blocks: usize,
    pub(super) views: Vec<ViewTiles>,
    /// Whether there are negative edges too.
    pub(super) signed: bool,
    stored: Option<HugePageBuffer<f32>>,
}

/// One view's signals in f32, scaled so that the longest has norm 1.
pub(super) struct ViewTiles {
    n_samples: usize,
    values: HugePageBuffer<f32>,
    squares: Vec<f32>,
    /// The cost that an entry of 1 stands for.
    pub(super) unit: f64,
    /// The largest error of an entry.
    pub(super) error: f64,
}

impl Tiles {
    /// Prepares the tiles, and computes and keeps them all if they take at most `memory` bytes.
    pub(crate) fn new(signals: &Signals, signed: bool, memory: u64, watch: Watch<'_>) -> Self {
        let n_nodes = signals.n_nodes;
        let mut tiles = Self {
            n_nodes,
            n_blocks: n_nodes.div_ceil(TILE),
            views: signals
                .views
                .iter()
                .enumerate()
                .map(|(index, view)| ViewTiles::new(view, n_nodes, signed, &|node| signals.lacks(index, node)))
                .collect(),
            signed,
            stored: None,
        };
        // All tiles at once: later passes only read them.
        if Self::bytes(n_nodes, tiles.n_layers()) <= memory {
            let length = tiles.n_layers() * TILE * TILE;
            let done = AtomicUsize::new(1);
            let mut stored = HugePageBuffer::zeros(tiles.n_tiles() * length);
            let places: Vec<(usize, usize)> = tiles.places().collect();
            stored
                .values_mut()
                .par_chunks_exact_mut(length)
                .zip(places)
                .for_each(|(out, (i, j))| {
                    tiles.compute(i, j, out);
                    let share = done.fetch_add(1, Ordering::Relaxed) as f64 / tiles.n_tiles() as f64;
                    let _ = watch(&Progress::Distances(share));
                });
            tiles.stored = Some(stored);
        }
        tiles
    }

    /// What keeping all tiles takes.
    pub(crate) fn bytes(n_nodes: usize, n_layers: usize) -> u64 {
        let n_blocks = n_nodes.div_ceil(TILE) as u64;
        n_blocks * (n_blocks + 1) / 2 * (TILE * TILE * n_layers * size_of::<f32>()) as u64
    }

    pub(super) fn n_views(&self) -> usize {
        self.views.len()
    }

    /// One for each view, and one for each view's negative edges.
    pub(super) fn n_layers(&self) -> usize {
        self.n_views() * (1 + usize::from(self.signed))
    }

    fn n_tiles(&self) -> usize {
        self.n_blocks * (self.n_blocks + 1) / 2
    }

    /// Blocks (i, j), i ≤ j, in the order in which tiles are kept.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let n_blocks = self.n_blocks;
        (0..n_blocks).flat_map(move |i| (i..n_blocks).map(move |j| (i, j)))
    }

    /// Shows the tile of blocks i ≤ j: for each layer, [`TILE`] rows of [`TILE`] entries. Entries that are no pair of
    /// two different nodes of the view are infinite.
    pub(super) fn with<T>(&self, i: usize, j: usize, scratch: &mut Vec<f32>, show: impl FnOnce(&[f32]) -> T) -> T {
        let length = self.n_layers() * TILE * TILE;
        if let Some(stored) = &self.stored {
            let place = self.place(i, j);
            return show(&stored.values()[place * length..(place + 1) * length]);
        }
        scratch.resize(length, 0.0);
        self.compute(i, j, scratch);
        show(scratch)
    }

    /// The costs of chosen edges, if the tiles are kept.
    pub(crate) fn kept(&self, pairs: &[[u32; 2]]) -> Option<ViewMatrix> {
        let stored = self.stored.as_ref()?.values();
        let (n_views, n_layers) = (self.n_views(), self.n_layers());
        let mut costs = ViewMatrix::zeros(pairs.len(), n_views);
        chunks::map_mut(costs.values_mut(), n_views, |first, rows| {
            for (row, &edge) in rows.chunks_exact_mut(n_views).zip(&pairs[first..]) {
                let [a, b] = pair_of(edge).map(|node| node as usize);
                let layer = if is_negative(edge) { n_views } else { 0 };
                let tile = (self.place(a / TILE, b / TILE) * n_layers + layer) * TILE * TILE;
                let entry = tile + (a % TILE) * TILE + b % TILE;
                for (k, (cost, view)) in row.iter_mut().zip(&self.views).enumerate() {
                    *cost = f64::from(stored[entry + k * TILE * TILE].max(0.0)) * view.unit;
                }
            }
        });
        Some(costs)
    }

    /// Where the tile of blocks i ≤ j is kept.
    fn place(&self, i: usize, j: usize) -> usize {
        i * (2 * self.n_blocks - i + 1) / 2 + (j - i)
    }

    /// The nodes of a block.
    pub(super) fn nodes(&self, block: usize) -> std::ops::Range<usize> {
        block * TILE..self.n_nodes.min((block + 1) * TILE)
    }

    fn compute(&self, i: usize, j: usize, out: &mut [f32]) {
        let (rows, columns) = (self.nodes(i), self.nodes(j));
        let (out, mut negative) = out.split_at_mut(self.n_views() * TILE * TILE);
        for (view, out) in self.views.iter().zip(out.chunks_exact_mut(TILE * TILE)) {
            view.products(rows.clone(), columns.clone(), out);
            if self.signed {
                let (layer, rest) = negative.split_at_mut(TILE * TILE);
                layer.copy_from_slice(out);
                view.distances((i, &rows), (j, &columns), 2.0, layer);
                negative = rest;
            }
            view.distances((i, &rows), (j, &columns), -2.0, out);
        }
    }
}

impl ViewTiles {
    /// Nodes that the view lacks have signals of 0, and are infinitely far from all others.
    pub(super) fn new(
        view: &ViewSignals,
        n_nodes: usize,
        signed: bool,
        lacks: &(dyn Fn(usize) -> bool + Sync),
    ) -> Self {
        let p = view.n_samples;
        // What all nodes have in common does not change a distance, and would drown it; but it changes that of a
        // negative edge.
        let centre = if signed {
            vec![0.0; p]
        } else {
            mean_signal(view, (0..n_nodes).filter(|&node| !lacks(node)).count())
        };
        let rows = || {
            let rows = view.values.values().par_chunks_exact(p.max(1)).with_min_len(32);
            rows.enumerate().filter(|(node, _)| !lacks(*node)).map(|(_, row)| row)
        };
        let centred = |row: &[f64]| row.iter().zip(&centre).map(|(x, mean)| x - mean).collect::<Vec<f64>>();
        let squares_of = |scale: f64| -> Vec<f64> {
            rows()
                .map(|row| sum(&centred(row), |x| (x * scale) * (x * scale)))
                .collect()
        };
        // Squares that overflow or vanish are taken of values relative to the largest one.
        let mut scale = 1.0;
        let mut squares = squares_of(scale);
        let longest_of = |squares: &[f64]| {
            squares
                .iter()
                .fold(0.0_f64, |longest, &x| if x > longest { x } else { longest })
        };
        let mut longest = longest_of(&squares);
        if !(1e-200..1e200).contains(&longest) || squares.iter().any(|x| !x.is_finite()) {
            let most = rows().map(|row| largest(&centred(row))).reduce(|| 0.0, f64::max);
            scale = if most > 0.0 { 1.0 / most } else { 1.0 };
            squares = squares_of(scale);
            longest = longest_of(&squares);
        }
        // The longest signal gets norm 1, which makes the error of an entry absolute.
        let inverse = if longest > 0.0 { 1.0 / longest } else { 1.0 };
        let factor = inverse.sqrt();
        let mut values = HugePageBuffer::zeros(view.values.values().len());
        values
            .values_mut()
            .par_chunks_exact_mut(p)
            .with_min_len(32)
            .zip(view.values.values().par_chunks_exact(p))
            .enumerate()
            .filter(|(node, _)| !lacks(*node))
            .for_each(|(_, (out, row))| {
                for (value, (x, mean)) in out.iter_mut().zip(row.iter().zip(&centre)) {
                    *value = ((x - mean) * scale * factor) as f32;
                }
            });
        let mut own = squares.iter().map(|x| (x * inverse) as f32);
        let square = |node: usize| if lacks(node) { None } else { own.next() };
        let squares = (0..n_nodes).map(square).map(|square| square.unwrap_or(f32::INFINITY));
        let squares = squares.collect();
        let terms = p.min(STRETCH) as f64 + p as f64 / STRETCH as f64;
        Self {
            n_samples: p,
            values,
            squares,
            unit: view.factor * longest / (scale * scale),
            // 2 · (rounding of a sum of that many products, and of the signals), and of the three terms of an entry.
            error: (2.0 * (terms + 4.0) + 8.0) * ROUNDING,
        }
    }

    /// The scaled signals as points, or as points that are the same as their opposites.
    pub(super) fn points(&self, signed: bool) -> Points<'_> {
        Points {
            values: self.values.values(),
            width: self.n_samples,
            signed,
        }
    }

    /// From products to squared distances: ‖x_a‖² + ‖x_b‖² plus `factor` times the product.
    fn distances(
        &self,
        (i, rows): (usize, &std::ops::Range<usize>),
        (j, columns): (usize, &std::ops::Range<usize>),
        factor: f32,
        out: &mut [f32],
    ) {
        for (r, out) in out.chunks_exact_mut(TILE).enumerate() {
            if r >= rows.len() {
                out.fill(f32::INFINITY);
                continue;
            }
            let square = self.squares[rows.start + r];
            let (inside, outside) = out.split_at_mut(columns.len());
            for (entry, other) in inside.iter_mut().zip(&self.squares[columns.clone()]) {
                *entry = square + other + factor * *entry;
            }
            outside.fill(f32::INFINITY);
            // A node is no neighbour of itself.
            if i == j {
                out[r] = f32::INFINITY;
            }
        }
    }

    /// x_aᵀx_b for rows × columns into `out`, row by row.
    #[expect(
        unsafe_code,
        reason = "the product of the gemm crate takes pointers; safe ones reach a tenth of its speed"
    )]
    fn products(&self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>, out: &mut [f32]) {
        let p = self.n_samples;
        let left = &self.values.values()[rows.start * p..rows.end * p];
        let right = &self.values.values()[columns.start * p..columns.end * p];
        assert!(rows.len() <= TILE && columns.len() <= TILE && out.len() == TILE * TILE);
        let mut first = 0;
        while first < p {
            let stretch = STRETCH.min(p - first);
            // SAFETY: `left` has `rows.len()` rows of p values and `right` `columns.len()` rows of p values, of which
            // the columns first..first + stretch ≤ p are read; `out` has TILE ≥ rows.len() rows of TILE ≥ columns.len()
            // entries, is not shared, and does not overlap the others.
            unsafe {
                gemm::gemm(
                    rows.len(),
                    columns.len(),
                    stretch,
                    out.as_mut_ptr(),
                    1,
                    TILE as isize,
                    first > 0,
                    left.as_ptr().add(first),
                    1,
                    p as isize,
                    right.as_ptr().add(first),
                    p as isize,
                    1,
                    1.0,
                    1.0,
                    false,
                    false,
                    false,
                    gemm::Parallelism::None,
                );
            }
            first += stretch;
        }
    }
}

/// The mean over all nodes of each sample; those that the view lacks are 0 and do not count.
fn mean_signal(view: &ViewSignals, n_nodes: usize) -> Vec<f64> {
    let p = view.n_samples;
    let inverse = 1.0 / n_nodes as f64;
    let parts: Vec<Vec<f64>> = view
        .values
        .values()
        .par_chunks(TILE * p)
        .map(|rows| {
            let mut mean = vec![0.0; p];
            for row in rows.chunks_exact(p) {
                for (mean, x) in mean.iter_mut().zip(row) {
                    *mean += x * inverse;
                }
            }
            mean
        })
        .collect();
    let mut mean = vec![0.0; p];
    for part in parts {
        for (mean, x) in mean.iter_mut().zip(part) {
            *mean += x;
        }
    }
    mean
}
