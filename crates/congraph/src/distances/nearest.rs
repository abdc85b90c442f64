//! The nearest neighbours of every node in every view, exactly up to the error of f32.
//!
//! One thread at a time owns a block of nodes and visits all tiles that touch it, always in the same order: the result
//! does not depend on the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::tiles::{TILE, Tiles};
use crate::parallel::simd::vectorised;
use crate::progress::{Progress, Watch};

impl Tiles {
    /// All pairs a < b of a node and one of its k nearest neighbours in some view (where edges are signed, by the shorter
    /// of the two), sorted; and the largest entry of each tile in each layer.
    pub(crate) fn nearest(&self, k: usize, watch: Watch<'_>) -> (Vec<[u32; 2]>, Vec<TileMaximum>) {
        let done = AtomicUsize::new(1);
        let per_block: Vec<(Vec<[u32; 2]>, Vec<TileMaximum>)> = (0..self.n_blocks)
            .into_par_iter()
            .map_init(Vec::new, |scratch, block| {
                let found = self.nearest_of_block(block, k, scratch);
                let share = done.fetch_add(1, Ordering::Relaxed) as f64 / self.n_blocks as f64;
                let _ = watch(&Progress::Neighbours(share));
                found
            })
            .collect();
        let mut maxima = Vec::new();
        let mut pairs = Vec::new();
        for (block_pairs, block_maxima) in per_block {
            pairs.extend(block_pairs);
            maxima.extend(block_maxima);
        }
        pairs.par_sort_unstable();
        pairs.dedup();
        (pairs, maxima)
    }

    fn nearest_of_block(&self, block: usize, k: usize, scratch: &mut Vec<f32>) -> (Vec<[u32; 2]>, Vec<TileMaximum>) {
        let nodes = self.nodes(block);
        let mut lists: Vec<Shortlist> = (0..self.n_views()).map(|_| Shortlist::new(k)).collect();
        let mut maxima = Vec::new();
        let mut shorter = Vec::new();
        // Its own tile first: it sets bars that few others pass.
        let others = (0..self.n_blocks).filter(|&other| other != block);
        for other in std::iter::once(block).chain(others) {
            let (i, j) = (block.min(other), block.max(other));
            self.with(i, j, scratch, |tile| {
                vectorised(
                    #[inline(always)]
                    || {
                        let (positive, negative) = tile.split_at(self.n_views() * TILE * TILE);
                        let mut negative = negative.chunks_exact(TILE * TILE).enumerate();
                        for (view, entries) in positive.chunks_exact(TILE * TILE).enumerate() {
                            let mut largest = |layer: usize, entries: &[f32]| {
                                maxima.push(TileMaximum {
                                    blocks: (block, other),
                                    layer,
                                    entry: largest_finite(entries),
                                });
                            };
                            if other >= block {
                                largest(view, entries);
                            }
                            let mut entries = entries;
                            if let Some((place, others)) = negative.next() {
                                if other >= block {
                                    largest(self.n_views() + place, others);
                                }
                                shorter.clear();
                                let both = entries.iter().zip(others);
                                shorter.extend(both.map(|(one, other)| if other < one { *other } else { *one }));
                                entries = &shorter;
                            }
                            // Only tiles of the upper triangle exist: to the left of the diagonal a block is the
                            // columns.
                            if other >= block {
                                lists[view].rows(entries, nodes.len(), other * TILE);
                            } else {
                                lists[view].columns(entries, other * TILE);
                            }
                        }
                    },
                );
            });
        }
        // The union over the views, a < b.
        let mut pairs = Vec::with_capacity(lists.len() * nodes.len() * k);
        for list in &lists {
            for (place, node) in nodes.clone().enumerate() {
                let neighbours = &list.neighbours[place * k..(place + 1) * k];
                let pair = |&other: &u32| [(node as u32).min(other), (node as u32).max(other)];
                pairs.extend(neighbours.iter().filter(|&&other| other != NOBODY).map(pair));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        (pairs, maxima)
    }
}

/// The largest entry of a tile in one layer.
pub(crate) struct TileMaximum {
    pub(super) blocks: (usize, usize),
    pub(super) layer: usize,
    pub(super) entry: f32,
}

/// The largest entry that is a distance. Non-negative floats order like their bits, and integers vectorise.
#[inline(always)]
fn largest_finite(entries: &[f32]) -> f32 {
    let infinite = f32::INFINITY.to_bits() as i32;
    let bits = |entry: &f32| {
        let bits = entry.to_bits() as i32;
        if bits < infinite { bits } else { 0 }
    };
    f32::from_bits(entries.iter().map(bits).fold(0, i32::max) as u32)
}

const NOBODY: u32 = u32::MAX;

/// The k nearest so far of each node of a block, sorted by distance.
struct Shortlist {
    k: usize,
    distances: Vec<f32>,
    neighbours: Vec<u32>,
    /// The distance that a newcomer must beat.
    bars: Vec<f32>,
    buffer: Vec<f32>,
}

impl Shortlist {
    fn new(k: usize) -> Self {
        Self {
            k,
            distances: vec![f32::INFINITY; TILE * k],
            neighbours: vec![NOBODY; TILE * k],
            bars: vec![f32::INFINITY; TILE],
            buffer: Vec::with_capacity(TILE),
        }
    }

    /// The block's nodes are the rows of the tile, the others its columns.
    #[inline(always)]
    fn rows(&mut self, entries: &[f32], n_rows: usize, first: usize) {
        for (row, entries) in entries.chunks_exact(TILE).enumerate().take(n_rows) {
            if self.bars[row] == f32::INFINITY {
                self.set_bar(row, entries);
            }
            let bar = self.bars[row];
            // Counting is what vectorises; newcomers are rare.
            let newcomers: u32 = entries.iter().map(|&entry| u32::from(entry < bar)).sum();
            if newcomers > 0 {
                for (column, &entry) in entries.iter().enumerate() {
                    if entry < self.bars[row] {
                        self.insert(row, entry, (first + column) as u32);
                    }
                }
            }
        }
    }

    /// The block's nodes are the columns of the tile, the others its rows.
    #[inline(always)]
    fn columns(&mut self, entries: &[f32], first: usize) {
        for (row, entries) in entries.chunks_exact(TILE).enumerate() {
            let newcomers: u32 = entries
                .iter()
                .zip(&self.bars)
                .map(|(entry, bar)| u32::from(entry < bar))
                .sum();
            if newcomers > 0 {
                for (column, &entry) in entries.iter().enumerate() {
                    if entry < self.bars[column] {
                        self.insert(column, entry, (first + row) as u32);
                    }
                }
            }
        }
    }

    /// The k-th smallest of the first entries seen, and a hair more, so that it passes itself.
    fn set_bar(&mut self, row: usize, entries: &[f32]) {
        self.buffer.clear();
        self.buffer.extend_from_slice(entries);
        let (_, bar, _) = self
            .buffer
            .select_nth_unstable_by(self.k.min(entries.len()) - 1, f32::total_cmp);
        self.bars[row] = bar.next_up();
    }

    fn insert(&mut self, node: usize, distance: f32, neighbour: u32) {
        let range = node * self.k..(node + 1) * self.k;
        let (distances, neighbours) = (&mut self.distances[range.clone()], &mut self.neighbours[range]);
        let place = distances.partition_point(|&other| other <= distance);
        distances[place..].rotate_right(1);
        neighbours[place..].rotate_right(1);
        distances[place] = distance;
        neighbours[place] = neighbour;
        // Until the list is full, the bar is that of the first entries.
        self.bars[node] = self.bars[node].min(distances[self.k - 1]);
    }
}
