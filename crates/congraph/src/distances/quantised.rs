//! Signals in bytes, with all that is needed to bound a distance from them.
//!
//! In units of a view's longest signal (after what all nodes have in common is taken out) each node's signal is
//!
//! ```text
//! x = s q + r,      q ∈ {−127 … 127}ᵖ,      e = ‖r‖
//! ```
//!
//! with a scale s of its own, so that a node with one large value spoils no other. With N = ‖x‖ + e ≥ ‖s q‖, Cauchy and
//! Schwarz give |x_aᵀx_b − s_a s_b q_aᵀq_b| ≤ N_a e_b + e_a N_b ≤ ½ c (N_a² + N_b²) + ½ (e_a² + e_b²)/c for any c > 0, so
//!
//! ```text
//! | ‖x_a − x_b‖² − (‖x_a‖² + ‖x_b‖² − 2 s_a s_b q_aᵀq_b) | ≤ w_a + w_b,      w = c N² + e²/c
//! ```
//!
//! and the same for ‖x_a + x_b‖². What is on the right belongs to one node each: a test of a pair is a comparison of its
//! integer with a sum. c is the views' typical e/N, for which w is nearly 2 N e.
//!
//! e, N and w are rounded up by more than f64 can have lost, in them and in the distances that decide
//! ([`rounding_of`]). What f32 loses in a test is the test's to allow for ([`F32`]).

use rayon::prelude::*;

use crate::parallel::HugePageBuffer;
use crate::parallel::kernels::{DEPTH, Instructions, LONGEST_ROW, pack, pair_product, start_of};
use crate::parallel::simd::{largest, sum, vectorised};
use crate::signals::{Signals, ViewSignals};
use crate::team::{Load, Team};

/// Nodes per block.
pub(super) const TILE: usize = 256;
/// Half a unit in the last place of f32.
pub(super) const F32: f64 = 1.0 / (1 << 24) as f64;
/// The largest byte.
const MOST: f64 = 127.0;
/// Whole numbers of up to 51 bits, added to this, are its last digits.
const WHOLE: f64 = (3_u64 << 51) as f64;

/// More than f64 loses, relatively, in a sum of `n_samples` squares and a few steps around it.
fn rounding_of(n_samples: usize) -> f64 {
    (n_samples + 64) as f64 * f64::EPSILON
}

/// The signals of all views in bytes.
pub(super) struct Quantised {
    pub(super) n_nodes: usize,
    pub(super) n_blocks: usize,
    pub(super) views: Vec<ViewBytes>,
    pub(super) instructions: Instructions,
}

/// One view's signals in bytes. Everything is in units of its longest signal, and padded to whole blocks.
pub(super) struct ViewBytes {
    instructions: Instructions,
    /// Bytes of a node: the samples, and zeros ([`width_of`]); none if there are more than bytes can sum.
    pub(super) width: usize,
    /// q, node by node, and packed for the right of a product.
    pub(super) rows: HugePageBuffer<i8>,
    pub(super) packed: HugePageBuffer<u8>,
    pub(super) starts: Vec<i32>,
    /// s, exactly.
    pub(super) scales: Vec<f32>,
    /// ‖x‖²; infinite where the view lacks a node.
    pub(super) squares: Vec<f64>,
    /// The two halves of the bound: w, and N².
    pub(super) widths: Vec<f64>,
    pub(super) sizes: Vec<f64>,
    /// The cost that a squared distance of 1 stands for.
    pub(super) unit: f64,
    /// What all nodes have in common (where the signals are), and the length of the longest signal without it.
    pub(super) centre: Vec<f64>,
    pub(super) longest: f64,
}

impl Quantised {
    /// Of signals whose negative edges count too, if `signed`.
    pub(super) fn new(signals: &Signals, team: &dyn Team, signed: bool, instructions: Instructions) -> Self {
        let n_nodes = signals.n_nodes;
        let of_view = |(index, view): (usize, &ViewSignals)| {
            let of_here = || ViewBytes::new(view, n_nodes, signed, instructions, &|node| signals.lacks(index, node));
            match &signals.holders {
                None => of_here(),
                Some(ranks) => {
                    let own = (ranks[index] == team.rank()).then(of_here);
                    ViewBytes::told(own, ranks[index], view.n_samples, team, instructions)
                }
            }
        };
        Self {
            n_nodes,
            n_blocks: n_nodes.div_ceil(TILE),
            views: signals.views.iter().enumerate().map(of_view).collect(),
            instructions,
        }
    }

    pub(super) fn n_views(&self) -> usize {
        self.views.len()
    }

    /// The nodes of a block.
    pub(super) fn nodes(&self, block: usize) -> std::ops::Range<usize> {
        block * TILE..self.n_nodes.min((block + 1) * TILE)
    }
}

/// What is found of one node's signal.
#[derive(Clone, Copy)]
struct Node {
    /// The largest value, and relative to it: the length, the length of what bytes leave, and that of the bytes.
    most: f64,
    length: f64,
    rest: f64,
    bytes: f64,
}

impl ViewBytes {
    fn new(
        view: &ViewSignals,
        n_nodes: usize,
        signed: bool,
        instructions: Instructions,
        lacks: &(dyn Fn(usize) -> bool + Sync),
    ) -> Self {
        let p = view.n_samples;
        let padded = n_nodes.div_ceil(TILE) * TILE;
        let width = width_of(p);
        // What all nodes have in common does not change a distance, and would drown it; but it changes that of a
        // negative edge.
        let centre = if signed {
            vec![0.0; p]
        } else {
            mean_signal(view, (0..n_nodes).filter(|&node| !lacks(node)).count())
        };
        let mut rows = HugePageBuffer::room(padded * width);
        let mut nodes = vec![None; padded];
        let quantise = |(node, row): (usize, &mut [i8]), buffer: &mut Vec<f64>| {
            let own = node < n_nodes && !lacks(node);
            // Where there are no samples there are zeros.
            let written = if own { p.min(row.len()) } else { 0 };
            row[written..].fill(0);
            own.then(|| Node::new(view.node(node), &centre, row, buffer))
        };
        if width > 0 {
            let rows = rows
                .values_mut()
                .par_chunks_exact_mut(width)
                .enumerate()
                .with_min_len(16);
            let found = nodes.par_iter_mut().with_min_len(16).zip(rows);
            found.for_each_init(Vec::new, |buffer, (found, row)| *found = quantise(row, buffer));
        } else {
            let nodes = nodes.par_iter_mut().enumerate().with_min_len(16);
            nodes.for_each_init(Vec::new, |buffer, (node, found)| {
                *found = quantise((node, &mut []), buffer);
            });
        }
        let lengths = nodes.iter().flatten().map(|node: &Node| node.most * node.length);
        let longest = lengths.fold(0.0_f64, f64::max);
        let unit = (view.factor * longest * longest).max(f64::MIN_POSITIVE);
        // Nodes too small for a scale in f32 are left over whole.
        for (node, row) in nodes.iter_mut().zip(rows.values_mut().chunks_exact_mut(width.max(1))) {
            if let Some(node) = node.as_mut().filter(|node| !node.has_scale(longest)) {
                row.fill(0);
                (node.rest, node.bytes) = (node.length, 0.0);
            }
        }
        let (packed, starts) = packed_rows(width, padded, rows.values());
        let measures = Measures::new(&nodes, longest, rounding_of(p));
        let longest = if longest > 0.0 { longest } else { 1.0 };
        Self {
            instructions,
            width,
            rows,
            packed,
            starts,
            scales: measures.scales,
            squares: measures.squares,
            widths: measures.widths,
            sizes: measures.sizes,
            unit,
            centre,
            longest,
        }
    }

    /// Those of a view that one member of a team has, at all of them.
    fn told(own: Option<Self>, holder: usize, n_samples: usize, team: &dyn Team, instructions: Instructions) -> Self {
        let own_or_none = own.as_ref();
        let rows = own_or_none.map_or(&[][..], |own| own.rows.values());
        let scales = own_or_none.map_or(&[][..], |own| &own.scales);
        let numbers = own_or_none.map_or([&[][..]; 3], |own| [&own.squares, &own.widths, &own.sizes]);
        let units = own_or_none.map_or(Vec::new(), |own| vec![own.unit, own.longest]);
        team.sends(Load::Signals);
        let mut rows = team.gather_values(rows);
        let mut scales = team.gather_values(scales);
        let [squares, widths, sizes] = numbers.map(|numbers| team.gather_values(numbers).swap_remove(holder));
        let units = team.gather_values(&units).swap_remove(holder);
        team.sends(Load::Pairs);
        if let Some(own) = own {
            return own;
        }
        let told = rows.swap_remove(holder);
        let mut rows = HugePageBuffer::room(told.len());
        rows.values_mut().copy_from_slice(&told);
        drop(told);
        let width = width_of(n_samples);
        let (packed, starts) = packed_rows(width, squares.len(), rows.values());
        Self {
            instructions,
            width,
            rows,
            packed,
            starts,
            scales: scales.swap_remove(holder),
            squares,
            widths,
            sizes,
            unit: units[0],
            centre: Vec::new(),
            longest: units[1],
        }
    }

    /// A node's bytes.
    #[inline(always)]
    pub(super) fn row(&self, node: usize) -> &[i8] {
        &self.rows.values()[node * self.width..(node + 1) * self.width]
    }

    /// q_aᵀq_b of one pair.
    #[inline(always)]
    pub(super) fn whole_product(&self, a: usize, b: usize) -> i32 {
        pair_product(self.instructions, self.row(a), self.row(b), self.starts[b])
    }

    /// 2 s_a s_b q_aᵀq_b of one pair.
    #[inline(always)]
    pub(super) fn product(&self, a: usize, b: usize) -> f64 {
        let scale = f64::from(self.scales[a]) * f64::from(self.scales[b]);
        2.0 * scale * f64::from(self.whole_product(a, b))
    }

    /// The cost of a pair as its bytes have it, or of its negative edge.
    #[inline(always)]
    pub(super) fn estimate(&self, a: usize, b: usize, negative: bool) -> f64 {
        let product = if negative {
            -self.product(a, b)
        } else {
            self.product(a, b)
        };
        (self.squares[a] + self.squares[b] - product) * self.unit
    }

    /// No more than the cost of a pair, or of its negative edge.
    #[inline(always)]
    pub(super) fn at_least(&self, a: usize, b: usize, negative: bool) -> f64 {
        self.estimate(a, b, negative) - (self.widths[a] + self.widths[b]) * self.unit
    }
}

/// The bytes of a node with so many samples, in pieces of equal length that are as wide as registers or less; none if there
/// are too many to be summed.
fn width_of(n_samples: usize) -> usize {
    const WIDE: usize = 64;
    if n_samples > LONGEST_ROW {
        return 0;
    }
    n_samples.next_multiple_of(DEPTH * n_samples.div_ceil(WIDE).max(1))
}

/// Scales below this are too small for f32.
const SMALLEST_SCALE: f64 = 1e-12;

/// What is known of every node, in units of the longest signal.
struct Measures {
    scales: Vec<f32>,
    squares: Vec<f64>,
    widths: Vec<f64>,
    sizes: Vec<f64>,
}

impl Measures {
    fn new(nodes: &[Option<Node>], longest: f64, rounding: f64) -> Self {
        // The length of a signal, and of what bytes leave of it; the scale's rounding to f32 counts as left over.
        let lengths = |node: &Node| {
            let size = if longest > 0.0 { node.most / longest } else { 0.0 };
            let length = node.length * size;
            let scale = f64::from(node.scale(longest));
            let rest = node.rest * size * (1.0 + rounding) + 1.01 * F32 * node.bytes * scale + rounding * length;
            (length, rest)
        };
        let found: Vec<(f64, f64)> = nodes
            .iter()
            .map(|node| node.as_ref().map_or((0.0, 0.0), lengths))
            .collect();
        let (length, rest) = found
            .iter()
            .fold((0.0, 0.0), |sums, node| (sums.0 + node.0, sums.1 + node.1));
        let ratio = if rest > 0.0 {
            (rest / length).clamp(1e-8, 1.0)
        } else {
            1.0
        };
        let size = |&(length, rest): &(f64, f64)| (length + rest) * (length + rest) * (1.0 + rounding);
        let width = |node: &(f64, f64)| {
            (ratio * size(node) + node.1 * node.1 / ratio) * (1.0 + rounding) + 4.0 * rounding * size(node)
        };
        let square = |(node, found): (&Option<Node>, &(f64, f64))| match node {
            Some(_) => found.0 * found.0,
            None => f64::INFINITY,
        };
        let scale = |node: &Option<Node>| node.as_ref().map_or(1.0, |node| node.scale(longest));
        Self {
            scales: nodes.iter().map(scale).collect(),
            squares: nodes.iter().zip(&found).map(square).collect(),
            widths: found.iter().map(width).collect(),
            sizes: found.iter().map(size).collect(),
        }
    }
}

/// Rows packed for the right of a product, and what they start from on the left.
fn packed_rows(width: usize, n_rows: usize, rows: &[i8]) -> (HugePageBuffer<u8>, Vec<i32>) {
    let mut packed = HugePageBuffer::room(n_rows * width);
    let mut starts = vec![0; n_rows];
    if width > 0 {
        let left = rows.par_chunks_exact(TILE * width);
        let right = packed.values_mut().par_chunks_exact_mut(TILE * width);
        let blocks = left.zip(right).zip(starts.par_chunks_exact_mut(TILE));
        blocks.for_each(|((rows, packed), starts)| {
            pack(width, rows, packed);
            vectorised(
                #[inline(always)]
                || {
                    for (start, row) in starts.iter_mut().zip(rows.chunks_exact(width)) {
                        *start = start_of(row);
                    }
                },
            );
        });
    }
    (packed, starts)
}

impl Node {
    fn has_scale(&self, longest: f64) -> bool {
        self.most >= SMALLEST_SCALE * MOST * longest && self.most > 0.0
    }

    /// s, in units of the longest signal; 1 where there are no bytes.
    fn scale(&self, longest: f64) -> f32 {
        if self.has_scale(longest) {
            (self.most / (MOST * longest)) as f32
        } else {
            1.0
        }
    }

    /// Writes a signal's bytes, without what it has in common with others; `bytes` may have no room for them.
    fn new(signal: &[f64], centre: &[f64], bytes: &mut [i8], buffer: &mut Vec<f64>) -> Self {
        buffer.resize(signal.len(), 0.0);
        let values = &mut buffer[..signal.len()];
        vectorised(
            #[inline(always)]
            || {
                for (value, (x, mean)) in values.iter_mut().zip(signal.iter().zip(centre)) {
                    *value = x - mean;
                }
                let most = largest(values);
                if most == 0.0 {
                    bytes.fill(0);
                    return Self {
                        most,
                        length: 0.0,
                        rest: 0.0,
                        bytes: 0.0,
                    };
                }
                // Relative to the largest value nothing overflows.
                let inverse = 1.0 / most;
                if inverse.is_finite() {
                    values.iter_mut().for_each(|value| *value *= inverse);
                } else {
                    values.iter_mut().for_each(|value| *value /= most);
                }
                let length = sum(values, |x| x * x).sqrt();
                if bytes.is_empty() {
                    return Self {
                        most,
                        length,
                        rest: length,
                        bytes: 0.0,
                    };
                }
                for (value, byte) in values.iter_mut().zip(bytes.iter_mut()) {
                    // Large enough a number has no digits after the point, and ends with those before it.
                    let shifted = *value * MOST + WHOLE;
                    *byte = shifted.to_bits() as i8;
                    *value -= (shifted - WHOLE) * (1.0 / MOST);
                }
                let rest = sum(values, |x| x * x).sqrt();
                let bytes = f64::from(square_of(bytes));
                Self {
                    most,
                    length,
                    rest,
                    bytes: bytes.sqrt(),
                }
            },
        )
    }
}

/// Σ q² of a row of bytes.
#[inline(always)]
fn square_of(bytes: &[i8]) -> i32 {
    bytes.iter().map(|&q| i32::from(q) * i32::from(q)).sum()
}

/// The mean over all nodes of each sample; those that the view lacks are 0 and do not count.
pub(super) fn mean_signal(view: &ViewSignals, n_nodes: usize) -> Vec<f64> {
    let p = view.n_samples;
    let inverse = 1.0 / n_nodes as f64;
    let n_rows = view.n_rows();
    let parts: Vec<Vec<f64>> = (0..n_rows.div_ceil(TILE))
        .into_par_iter()
        .map(|block| {
            let mut mean = vec![0.0; p];
            vectorised(
                #[inline(always)]
                || {
                    for node in block * TILE..n_rows.min((block + 1) * TILE) {
                        for (mean, x) in mean.iter_mut().zip(view.node(node)) {
                            *mean += x * inverse;
                        }
                    }
                },
            );
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::signals::Scaling;
    use crate::team::Alone;
    use crate::views::{Table, ViewOptions, Views};

    fn signals(n_nodes: usize, values: Vec<f64>, scaling: &Scaling) -> Signals {
        let options = ViewOptions {
            allow_constant: true,
            ..ViewOptions::default()
        };
        let (views, _) = Views::assemble(vec![Table::new("v", n_nodes, values)], &options).unwrap();
        Signals::new(&views, scaling)
    }

    /// Every number of samples has room, and none but a little; the pieces are what registers of tiles take.
    #[test]
    fn rows_of_bytes_are_whole_pieces() {
        for p in 1..3000 {
            let (width, pieces) = (width_of(p), p.div_ceil(64));
            assert!(width >= p && width < p + DEPTH * pieces, "{p}: {width}");
            assert!(
                width.is_multiple_of(pieces * DEPTH) && width / pieces <= 64,
                "{p}: {width}"
            );
        }
        assert_eq!((width_of(LONGEST_ROW), width_of(LONGEST_ROW + 1)), (LONGEST_ROW, 0));
    }

    /// Spikes, sizes from 1e-9 to 1e9, a common part a thousand times as large, equal and zero signals: every distance
    /// is within the bound, and the bound is not idle.
    #[test]
    fn distances_are_within_their_bounds() {
        let (n, p) = (300, 37);
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut values = vec![0.0; n * p];
        for sample in 0..p {
            let common = 1e3 * rng.random_range(-1.0..1.0);
            for node in 0..n {
                let noise: f64 = rng.random_range(-1.0..1.0);
                values[sample * n + node] = match node {
                    0..50 => noise,
                    50..100 => noise + if sample == node % p { 40.0 } else { 0.0 },
                    100..150 => noise * 10.0_f64.powi(node as i32 % 19 - 9),
                    150..200 => noise + common,
                    200..250 => (sample % 3) as f64,
                    _ => 0.0,
                };
            }
        }
        for (scaling, signed) in [
            (Scaling::default(), false),
            (Scaling::RAW, false),
            (Scaling::default(), true),
        ] {
            let signals = signals(n, values.clone(), &scaling);
            let bytes = &Quantised::new(&signals, &Alone, signed, Instructions::best()).views[0];
            let view = &signals.views[0];
            let mut close = 0;
            for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let costs = [(false, view.distance(a, b)), (true, view.sum_distance(a, b))];
                for (negative, cost) in costs.into_iter().take(1 + usize::from(signed)) {
                    let width = (bytes.widths[a] + bytes.widths[b]) * bytes.unit;
                    let off = (bytes.estimate(a, b, negative) - cost).abs();
                    assert!(off <= width, "{a}, {b}: {off} {width}");
                    assert!(bytes.at_least(a, b, negative) <= cost);
                    close += usize::from(off > 0.02 * width);
                }
            }
            assert!(close > 1000, "{close}");
        }
    }
}
