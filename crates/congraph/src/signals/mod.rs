//! Scaled signals, node by node: distances of chosen pairs straight from differences, in f64; of all pairs from
//! products where those do not cancel.

mod gauge;
mod scaling;
mod spectrum;
mod spread;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use gauge::canonical_flips;
use rayon::prelude::*;
pub use scaling::{DistanceNorm, SampleNorm, Scale, Scaling};
pub use spectrum::Spectrum;
pub(crate) use spread::check_spread;

use crate::edges::{ViewMatrix, is_negative, pair_of};
use crate::parallel::kernels::row_products;
use crate::parallel::simd::{largest, sum, vectorised};
use crate::parallel::{HugePageBuffer, chunks};
use crate::views::{Membership, View, Views};

/// Nodes and pairs per block of work.
const NODES: usize = 32;
const PAIRS: usize = 1024;
/// Nodes of a side of a tile of chosen pairs, and samples at a time: two sides take less than a megabyte.
const SIDE: usize = 96;
const STRETCH: usize = 512;
/// Rows of this many samples or more begin where a register's load does: loads across the border of a cache line take
/// twice as long. Shorter rows are not worth the room.
const ALIGNED: usize = 64;
const REGISTER: usize = 8;
/// Nodes per strip of all pairs.
const STRIP: usize = 32;
/// Distances below this share of the two squares have lost digits in the product, and are taken from differences.
const CANCELLED: f64 = 0.01;

/// The scaled signals of all views.
pub(crate) struct Signals {
    pub(crate) n_nodes: usize,
    pub(crate) views: Vec<ViewSignals>,
    /// Which view has which node; the signals of others are 0.
    pub(crate) membership: Arc<Membership>,
    /// Who has which view, where not everybody has all: the rank of a member.
    pub(crate) holders: Option<Vec<usize>>,
}

/// The scaled signals of one view.
pub(crate) struct ViewSignals {
    pub(crate) n_samples: usize,
    /// One row per node, whose first `n_samples` values are its signal; none where another member of a team has them.
    values: HugePageBuffer<f64>,
    /// How far apart rows begin.
    stride: usize,
    /// What a squared distance is multiplied with: 1 over the number of samples for means.
    pub(crate) factor: f64,
}

/// How far apart rows of so many samples begin.
fn stride_of(n_samples: usize) -> usize {
    if n_samples < ALIGNED {
        n_samples
    } else {
        n_samples.next_multiple_of(REGISTER)
    }
}

impl ViewSignals {
    /// Scales the signals of one view.
    pub(crate) fn new(view: &View, n_nodes: usize, scaling: &Scaling) -> Self {
        let n_samples = view.n_samples().unwrap_or(n_nodes);
        let n_here = if view.is_here() { n_nodes } else { 0 };
        let stride = stride_of(n_samples);
        let mut values = HugePageBuffer::room(n_here * stride);
        chunks::map_mut_by(NODES, values.values_mut(), stride, |first, rows| {
            vectorised(
                #[inline(always)]
                || {
                    for (k, row) in rows.chunks_exact_mut(stride).enumerate() {
                        scale_into(view.node(first + k), scaling.scale, &mut row[..n_samples]);
                    }
                },
            );
        });
        Self {
            n_samples,
            values,
            stride,
            factor: match scaling.sample_norm {
                SampleNorm::Mean => 1.0 / n_samples as f64,
                SampleNorm::Sum => 1.0,
            },
        }
    }

    /// The same of chosen nodes alone.
    pub(crate) fn of_nodes(&self, nodes: &[usize]) -> Self {
        let mut values = HugePageBuffer::room(nodes.len() * self.stride);
        let rows = values.values_mut().chunks_exact_mut(self.stride);
        rows.zip(nodes)
            .for_each(|(row, &node)| row[..self.n_samples].copy_from_slice(self.node(node)));
        Self {
            values,
            stride: self.stride,
            n_samples: self.n_samples,
            factor: self.factor,
        }
    }

    /// How many nodes there are; none where another member of a team has them.
    pub(crate) fn n_rows(&self) -> usize {
        self.values.values().len() / self.stride
    }

    #[inline(always)]
    pub(crate) fn node(&self, node: usize) -> &[f64] {
        &self.values.values()[node * self.stride..][..self.n_samples]
    }

    /// ‖x‖² of every node.
    fn squares(&self, n_nodes: usize) -> Vec<f64> {
        (0..n_nodes).map(|node| sum(self.node(node), |x| x * x)).collect()
    }

    /// x_aᵀx_b for rows × columns into `out`, row by row.
    fn products(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        let (width, n_columns) = (self.stride, columns.len());
        let values = |nodes: Range<usize>| &self.values.values()[nodes.start * width..nodes.end * width];
        row_products(
            width,
            0..self.n_samples,
            [values(rows), values(columns)],
            out,
            n_columns,
            false,
        );
    }

    /// The cost of one pair.
    #[inline(always)]
    pub(crate) fn distance(&self, a: usize, b: usize) -> f64 {
        squared_distance::<false>(self.node(a), self.node(b)) * self.factor
    }

    /// The cost of one pair's negative edge.
    pub(crate) fn sum_distance(&self, a: usize, b: usize) -> f64 {
        squared_distance::<true>(self.node(a), self.node(b)) * self.factor
    }

    /// The costs of some nodes with all after them, by products (`products` is room for them), into a column of the pairs'
    /// rows.
    fn add_strip<const NEGATIVE: bool>(
        &self,
        squares: &[f64],
        nodes: Range<usize>,
        products: &mut Vec<f64>,
        rows: &mut [f64],
        [column, n_columns]: [usize; 2],
    ) {
        let n = squares.len();
        let width = n - nodes.start;
        products.resize(STRIP * width, 0.0);
        self.products(nodes.clone(), nodes.start..n, products);
        let mut entries = rows.iter_mut().skip(column).step_by(n_columns);
        for (a, products) in nodes.clone().zip(products.chunks_exact(width)) {
            for (b, (product, entry)) in (a + 1..n).zip(products[a + 1 - nodes.start..].iter().zip(&mut entries)) {
                let total = squares[a] + squares[b];
                let distance = if NEGATIVE {
                    total + 2.0 * product
                } else {
                    total - 2.0 * product
                };
                *entry = if distance >= CANCELLED * total && distance.is_finite() {
                    distance * self.factor
                } else if NEGATIVE {
                    self.sum_distance(a, b)
                } else {
                    self.distance(a, b)
                };
            }
        }
    }

    /// Adds the costs of some pairs to a column of their rows: one stretch of samples after the other, which fit the cache
    /// better than all.
    fn add_distances(
        &self,
        pairs: &(impl Iterator<Item = [u32; 2]> + Clone),
        rows: &mut [f64],
        column: usize,
        n_columns: usize,
    ) {
        vectorised(
            #[inline(always)]
            || {
                for first in (0..self.n_samples).step_by(STRETCH) {
                    let samples = first..self.n_samples.min(first + STRETCH);
                    for (row, edge) in rows.chunks_exact_mut(n_columns).zip(pairs.clone()) {
                        let [a, b] = edge.map(|node| &self.node(node as usize)[samples.clone()]);
                        let distance = if is_negative(edge) {
                            squared_distance::<true>(a, b)
                        } else {
                            squared_distance::<false>(a, b)
                        };
                        row[column] += distance * self.factor;
                    }
                }
            },
        );
    }
}

impl Signals {
    /// Scales the signals of all views.
    pub(crate) fn new(views: &Views, scaling: &Scaling) -> Self {
        Self {
            n_nodes: views.n_nodes(),
            views: views
                .iter()
                .map(|view| ViewSignals::new(view, views.n_nodes(), scaling))
                .collect(),
            membership: Arc::clone(views.membership()),
            holders: (0..views.n_views()).map(|view| views.holder(view)).collect(),
        }
    }

    /// The views whose signals this member has.
    pub(crate) fn here(&self, rank: usize) -> Vec<usize> {
        let is_here = |view: &usize| self.holders.as_ref().is_none_or(|ranks| ranks[*view] == rank);
        (0..self.views.len()).filter(is_here).collect()
    }

    /// Whether a view lacks a node.
    pub(crate) fn lacks(&self, view: usize, node: usize) -> bool {
        !self.membership.has(view, node)
    }

    /// The costs of chosen edges (a > b: of a negative one), one row per edge. What views lack is not marked.
    pub(crate) fn distances(&self, pairs: &[[u32; 2]]) -> ViewMatrix {
        let views: Vec<&ViewSignals> = self.views.iter().collect();
        self.distances_in(&views, pairs)
    }

    /// The same in some views: one column for each.
    pub(crate) fn distances_in(&self, views: &[&ViewSignals], pairs: &[[u32; 2]]) -> ViewMatrix {
        let n_views = views.len();
        let mut distances = ViewMatrix::zeros(pairs.len(), n_views);
        let n_blocks = self.n_nodes.div_ceil(SIDE);
        let n_tiles = n_blocks * (n_blocks + 1) / 2;
        if n_blocks == 1 || pairs.len() < n_tiles.saturating_mul(SIDE) {
            chunks::map_mut_by(PAIRS, distances.values_mut(), n_views, |first, rows| {
                for (index, view) in views.iter().enumerate() {
                    view.add_distances(&pairs[first..].iter().copied(), rows, index, n_views);
                }
            });
            return distances;
        }
        // View by view and tile by tile: while it lasts, the signals of its nodes stay in the cache and serve many pairs, and
        // those of its rows serve the next tile, too.
        let (starts, order, places) = by_tile(pairs, n_blocks);
        let mut tiled = ViewMatrix::zeros(pairs.len(), n_views);
        let mut rest = tiled.values_mut();
        let mut tiles = Vec::with_capacity(n_tiles);
        for bounds in starts.windows(2) {
            let (rows, after) = rest.split_at_mut((bounds[1] - bounds[0]) as usize * n_views);
            rest = after;
            tiles.push((&order[bounds[0] as usize..bounds[1] as usize], rows));
        }
        for (index, view) in views.iter().enumerate() {
            tiles.par_iter_mut().for_each(|(order, rows)| {
                view.add_distances(&order.iter().map(|&k| pairs[k as usize]), rows, index, n_views);
            });
        }
        chunks::map_mut(distances.values_mut(), n_views, |first, rows| {
            for (row, &place) in rows.chunks_exact_mut(n_views).zip(&places[first..]) {
                row.copy_from_slice(tiled.row(place as usize));
            }
        });
        distances
    }

    /// The costs of all pairs, in the order of [`Edges::complete`](crate::edges::Edges::complete). What views lack is
    /// not marked.
    #[cfg(test)]
    fn all_distances(&self) -> ViewMatrix {
        all_of_sign::<false>(self.n_nodes, self.views.len(), |index, take| take(&self.views[index]))
    }
}

/// The costs of all pairs, in the order of [`Edges::complete`](crate::edges::Edges::complete). What views lack is not
/// marked. Each view's scaled signals are let go before the next, which has their memory while it is in the cache.
pub(crate) fn all_distances(views: &Views, scaling: &Scaling) -> ViewMatrix {
    all_of_sign::<false>(views.n_nodes(), views.n_views(), |index, take| {
        take(&ViewSignals::new(views.view(index), views.n_nodes(), scaling));
    })
}

/// The costs of all pairs' negative edges, in the order of the pairs.
pub(crate) fn all_sum_distances(views: &Views, scaling: &Scaling) -> ViewMatrix {
    all_of_sign::<true>(views.n_nodes(), views.n_views(), |index, take| {
        take(&ViewSignals::new(views.view(index), views.n_nodes(), scaling));
    })
}

/// The costs of all pairs' positive or negative edges; `of_view` lends the signals of a view.
fn all_of_sign<const NEGATIVE: bool>(
    n: usize,
    n_views: usize,
    of_view: impl Fn(usize, &mut dyn FnMut(&ViewSignals)),
) -> ViewMatrix {
    let mut distances = ViewMatrix::zeros(n * n.saturating_sub(1) / 2, n_views);
    let mut rest = distances.values_mut();
    let mut strips = Vec::with_capacity(n.div_ceil(STRIP));
    for first in (0..n).step_by(STRIP) {
        let nodes = first..n.min(first + STRIP);
        let n_pairs: usize = nodes.clone().map(|a| n - 1 - a).sum();
        let (rows, after) = rest.split_at_mut(n_pairs * n_views);
        rest = after;
        strips.push((nodes, rows));
    }
    for index in 0..n_views {
        of_view(index, &mut |view| {
            let squares = view.squares(n);
            strips
                .par_iter_mut()
                .for_each_init(Vec::new, |products, (nodes, rows)| {
                    view.add_strip::<NEGATIVE>(&squares, nodes.clone(), products, rows, [index, n_views]);
                });
        });
    }
    distances
}

/// The pairs by tile, i ≤ j of the blocks of their nodes: where each tile starts, which pairs come in which order, and
/// each pair's place in that order.
fn by_tile(pairs: &[[u32; 2]], n_blocks: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let tile = |&edge: &[u32; 2]| {
        let [i, j] = pair_of(edge).map(|node| node as usize / SIDE);
        i * (2 * n_blocks - i + 1) / 2 + (j - i)
    };
    let mut starts = vec![0_u32; n_blocks * (n_blocks + 1) / 2 + 1];
    pairs.iter().for_each(|pair| starts[tile(pair) + 1] += 1);
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    let mut next = starts.clone();
    let mut order = vec![0; pairs.len()];
    let places = pairs.iter().enumerate().map(|(k, pair)| {
        let place = &mut next[tile(pair)];
        order[*place as usize] = k as u32;
        *place += 1;
        *place - 1
    });
    let places = places.collect();
    (starts, order, places)
}

/// The signal shifted and scaled; sums run over values divided by the largest, so that none overflows.
#[inline(always)]
pub(crate) fn scale_into(signal: &[f64], scale: Scale, out: &mut [f64]) {
    let unit = largest(signal);
    if scale == Scale::None || unit == 0.0 {
        out.copy_from_slice(signal);
        return;
    }
    let n = signal.len() as f64;
    let inverse = 1.0 / unit;
    if inverse.is_finite() {
        for (out, x) in out.iter_mut().zip(signal) {
            *out = x * inverse;
        }
    } else {
        // So small that its inverse overflows.
        for (out, x) in out.iter_mut().zip(signal) {
            *out = x / unit;
        }
    }
    let mean = sum(out, |x| x) / n;
    if scale == Scale::Center {
        for (out, x) in out.iter_mut().zip(signal) {
            *out = x - mean * unit;
        }
        return;
    }
    for out in out.iter_mut() {
        *out -= mean;
    }
    let deviation = (sum(out, |x| x * x) / n).sqrt();
    let factor = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
    for out in out {
        *out *= factor;
    }
}

/// Σ (x − y)², or of a negative edge Σ (x + y)². More lanes than elsewhere: it is the inner loop of most of the work on
/// a set of pairs.
#[inline(always)]
fn squared_distance<const NEGATIVE: bool>(x: &[f64], y: &[f64]) -> f64 {
    let apart = |x: f64, y: f64| if NEGATIVE { x + y } else { x - y };
    let mut sums = [0.0; 16];
    let (head_x, tail_x) = x.as_chunks::<16>();
    let (head_y, tail_y) = y.as_chunks::<16>();
    for (x, y) in head_x.iter().zip(head_y) {
        for lane in 0..16 {
            let difference = apart(x[lane], y[lane]);
            sums[lane] += difference * difference;
        }
    }
    let tail = tail_x.iter().zip(tail_y).map(|(&x, &y)| apart(x, y) * apart(x, y));
    let tail: f64 = tail.sum();
    total(&sums) + tail
}

/// The sum of all lanes. A call of its own: seen together with the loop, its pairs made the compiler take the lanes two at a
/// time, in registers of a quarter of the width.
#[inline(never)]
fn total(sums: &[f64; 16]) -> f64 {
    // Halves, so that additions need not wait for each other.
    let eight: [f64; 8] = std::array::from_fn(|lane| sums[lane] + sums[lane + 8]);
    let four: [f64; 4] = std::array::from_fn(|lane| eight[lane] + eight[lane + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::edges::Edges;

    fn signals(n_nodes: usize, n_samples: usize, mut value: impl FnMut() -> f64) -> Signals {
        let stride = stride_of(n_samples);
        let mut values = HugePageBuffer::room(n_nodes * stride);
        // What stands between the rows is nobody's.
        values.values_mut().fill(f64::NAN);
        let rows = values.values_mut().chunks_exact_mut(stride);
        rows.for_each(|row| row[..n_samples].fill_with(&mut value));
        let view = ViewSignals {
            n_samples,
            values,
            stride,
            factor: 1.0 / n_samples as f64,
        };
        Signals {
            n_nodes,
            views: vec![view],
            membership: Arc::new(Membership::total(n_nodes, 1)),
            holders: None,
        }
    }

    #[test]
    fn products_give_the_distances_that_differences_give() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        // Far apart, on a common offset that drowns the differences, out of the range of squares, and nearly equal.
        for (offset, size) in [(0.0, 1.0), (1e7, 1.0), (0.0, 1e-170), (0.0, 1e150), (1.0, 1e-9)] {
            for (n_nodes, n_samples) in [(2, 1), (37, 5), (130, 700)] {
                let signals = signals(n_nodes, n_samples, || offset + size * rng.random_range(-1.0..1.0));
                let edges = Edges::complete(n_nodes);
                let (all, chosen) = (signals.all_distances(), signals.distances(edges.pairs()));
                for (one, two) in all.values().iter().zip(chosen.values()) {
                    assert!(
                        one == two || (one / two - 1.0).abs() < 1e-12,
                        "{one} {two} at {offset} {size}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_order_of_tiles_does_not_show() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let n_nodes = 2 * SIDE + 9;
        let signals = signals(n_nodes, STRETCH + 30, || rng.random_range(-1.0..1.0));
        let pairs: Vec<[u32; 2]> = Edges::complete(n_nodes).pairs().iter().copied().step_by(3).collect();
        let together = signals.distances(&pairs);
        for (k, pair) in pairs.iter().enumerate().step_by(97) {
            assert_eq!(signals.distances(&[*pair]).row(0), together.row(k));
        }
    }
}
