//! One streaming pass over all pairs: which could enter at given multipliers?

use rayon::prelude::*;

use super::all_pairs::Set;
use super::nearest::TileMaximum;
use super::tiles::{TILE, Tiles};
use crate::edges::ViewMatrix;
use crate::parallel::simd::vectorised;

/// Candidates for the largest distance are looked at one by one up to this number.
const ENOUGH: usize = 100_000;

impl Tiles {
    /// The pairs that would be present at the given multipliers, as far as f32 can tell; with an allowance for its
    /// rounding (and for targets that are larger by a margin) none that would is missed, and some that would not are
    /// among them. At most `most` pairs per block of nodes, those furthest from absence, and whether these are all.
    /// Sorted; pairs of the `known` sets are left out: those of positive edges, and of negative ones where there are any.
    ///
    /// `multipliers` are in the units of the costs, and `targets` are −(cost + λ_a + λ_b) times `factor`.
    pub(crate) fn present(
        &self,
        multipliers: &ViewMatrix,
        factor: f64,
        most: usize,
        allowance: Option<f64>,
        is_absent: impl Fn(&[f64]) -> bool + Sync,
        known: &[Vec<Set<'_>>],
    ) -> (Vec<[u32; 2]>, bool) {
        let (levels, slacks) = self.levels(multipliers, factor, allowance);
        // What f32 leaves open is decided by the joint minimiser, on targets in its own units.
        let units: Vec<f64> = self.views.iter().map(|view| view.unit * factor).collect();
        let enters = |values: &mut [f64]| {
            for (value, unit) in values.iter_mut().zip(&units) {
                *value *= -unit;
            }
            !is_absent(values)
        };
        let per_block: Vec<DeepestPairs> = (0..self.n_blocks)
            .into_par_iter()
            .map_init(Vec::new, |scratch, block| {
                let mut found = DeepestPairs::new(most);
                for other in block..self.n_blocks {
                    self.with(block, other, scratch, |tile| {
                        vectorised(
                            #[inline(always)]
                            || {
                                let layers = tile.chunks_exact(self.n_views() * TILE * TILE).zip(known);
                                for (sign, (tile, known)) in layers.enumerate() {
                                    self.present_in_tile(
                                        (block, other),
                                        tile,
                                        sign == 1,
                                        &levels,
                                        &slacks,
                                        known,
                                        &enters,
                                        &mut found,
                                    );
                                }
                            },
                        );
                    });
                }
                found.keep_deepest();
                found
            })
            .collect();
        // The blocks come in their own order, so the result does not depend on the number of threads.
        let complete = per_block.iter().all(|found| found.complete);
        let mut pairs: Vec<[u32; 2]> = per_block
            .iter()
            .flat_map(|found| &found.pairs)
            .map(|&(_, pair)| pair)
            .collect();
        pairs.par_sort_unstable();
        (pairs, complete)
    }

    /// λ in the units of each view's tiles, and how far above zero an entry may seem because of rounding.
    fn levels(&self, multipliers: &ViewMatrix, factor: f64, allowance: Option<f64>) -> (Vec<Vec<f32>>, Vec<f32>) {
        let mut levels: Vec<Vec<f32>> = Vec::with_capacity(self.n_views());
        let mut slacks: Vec<f32> = Vec::with_capacity(self.n_views());
        for (index, view) in self.views.iter().enumerate() {
            // A view of identical signals has unit 0.
            let unit = if view.unit > 0.0 { view.unit } else { f64::MIN_POSITIVE };
            let level: Vec<f32> = multipliers.column(index).map(|value| (value / unit) as f32).collect();
            let largest = level.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
            let slack = view.error + 4.0 * f64::from(f32::EPSILON) * f64::from(largest);
            slacks.push(allowance.map_or(0.0, |margin| (slack + margin / (unit * factor)) as f32));
            levels.push(level);
        }
        (levels, slacks)
    }

    /// A few edges among which is the largest distance over all views, given each tile's largest entries.
    pub(crate) fn furthest(&self, maxima: &[TileMaximum]) -> Vec<[u32; 2]> {
        let view_of = |tile: &TileMaximum| tile.layer % self.n_views();
        let cost = |view: usize, entry: f64| entry * self.views[view].unit;
        // The largest distance is at least this: entries are known to within the view's rounding error.
        let at_least = maxima
            .iter()
            .map(|tile| cost(view_of(tile), f64::from(tile.entry) - self.views[view_of(tile)].error))
            .fold(0.0_f64, f64::max);
        let mut pairs = Vec::new();
        let mut scratch = Vec::new();
        for tile in maxima {
            let view = view_of(tile);
            let error = self.views[view].error;
            if cost(view, f64::from(tile.entry) + error) < at_least {
                continue;
            }
            let (rows, columns) = (self.nodes(tile.blocks.0), self.nodes(tile.blocks.1));
            self.with(tile.blocks.0, tile.blocks.1, &mut scratch, |entries| {
                let entries = &entries[tile.layer * TILE * TILE..(tile.layer + 1) * TILE * TILE];
                for (r, a) in rows.enumerate() {
                    for (c, b) in columns.clone().enumerate().filter(|&(_, b)| b > a) {
                        let highest = cost(view, f64::from(entries[r * TILE + c]) + error);
                        if highest >= at_least && highest < f64::INFINITY {
                            pairs.push((highest, edge_of(a, b, tile.layer >= self.n_views())));
                        }
                    }
                }
            });
        }
        // So many pairs within rounding of the largest are all but equal: the likeliest are enough.
        pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        pairs.iter().take(ENOUGH).map(|&(_, pair)| pair).collect()
    }

    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one kernel")]
    fn present_in_tile(
        &self,
        (i, j): (usize, usize),
        tile: &[f32],
        negative: bool,
        levels: &[Vec<f32>],
        slacks: &[f32],
        known: &[Set<'_>],
        enters: &impl Fn(&mut [f64]) -> bool,
        found: &mut DeepestPairs,
    ) {
        let (rows, columns) = (self.nodes(i), self.nodes(j));
        let mut values = vec![0.0; self.n_views()];
        // For each column, whether some view has a positive target: without one an edge is absent. Whole rows at a
        // time, with integers, which is what vectorises.
        let mut flags = [0_u32; TILE];
        for (r, a) in rows.enumerate() {
            flags.fill(0);
            for ((entries, level), &slack) in tile.chunks_exact(TILE * TILE).zip(levels).zip(slacks) {
                let bar = slack - level[a];
                let entries = &entries[r * TILE..r * TILE + columns.len()];
                for ((flag, entry), level) in flags.iter_mut().zip(entries).zip(&level[columns.clone()]) {
                    *flag |= u32::from(entry + level < bar);
                }
            }
            // Pairs that are known already are not asked for again.
            for set in known {
                for &[_, b] in set.of(a as u32, &columns) {
                    flags[b as usize - columns.start] = 0;
                }
            }
            // Few columns are flagged: eight are passed over at a time.
            for (eighth, flags) in flags.as_chunks::<8>().0.iter().enumerate() {
                if flags.iter().fold(0, |any, flag| any | flag) == 0 {
                    continue;
                }
                for (place, _) in flags.iter().enumerate().filter(|&(_, &flag)| flag != 0) {
                    let c = 8 * eighth + place;
                    let b = columns.start + c;
                    if b <= a {
                        continue;
                    }
                    let mut depth = 0.0_f32;
                    for (k, value) in values.iter_mut().enumerate() {
                        let entry = tile[k * TILE * TILE + r * TILE + c];
                        let below = entry + levels[k][b] + levels[k][a] - slacks[k];
                        depth = if below < depth { below } else { depth };
                        *value = f64::from(below);
                    }
                    if enters(&mut values) {
                        found.push(depth, edge_of(a, b, negative));
                    }
                }
            }
        }
    }
}

/// The edge of nodes a < b of a sign.
fn edge_of(a: usize, b: usize, negative: bool) -> [u32; 2] {
    if negative {
        [b as u32, a as u32]
    } else {
        [a as u32, b as u32]
    }
}

/// The pairs furthest below zero, at most `most` of them.
struct DeepestPairs {
    most: usize,
    complete: bool,
    pairs: Vec<(f32, [u32; 2])>,
}

impl DeepestPairs {
    fn new(most: usize) -> Self {
        Self {
            most,
            complete: true,
            pairs: Vec::new(),
        }
    }

    fn push(&mut self, depth: f32, pair: [u32; 2]) {
        self.pairs.push((depth, pair));
        // Selecting only when twice full costs O(1) per pair.
        if self.pairs.len() >= self.most.saturating_mul(2) {
            self.keep_deepest();
        }
    }

    fn keep_deepest(&mut self) {
        if self.pairs.len() > self.most {
            let order = |x: &(f32, [u32; 2]), y: &(f32, [u32; 2])| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1));
            self.pairs.select_nth_unstable_by(self.most, order);
            self.pairs.truncate(self.most);
            self.complete = false;
        }
    }
}
