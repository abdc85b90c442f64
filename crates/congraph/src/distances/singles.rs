//! Tiles in f32, single precision: the products of some nodes with others, and what they leave open.

use std::ops::Range;

use super::pass::MARKS;
use super::quantised::{F32, TILE, ViewBytes};
use crate::parallel::kernels::{GROUP, pull, row_products};
use crate::parallel::simd::vectorised;
use crate::signals::ViewSignals;

/// Columns that are passed over together if none of their pairs is open.
const PASSED: usize = 64;
/// Samples that f32 sums in one go.
const STRETCH: usize = 512;

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

/// What a view's products in f32 add to the sums of a row.
pub(super) struct Pulled<'a> {
    pub(super) bars: &'a [f32],
    pub(super) sign: f32,
    pub(super) unit: f32,
    pub(super) tau: f32,
}

impl Pulled<'_> {
    /// Adds max(target, −τ), or far more than others can take off where the target exceeds τ.
    pub(super) fn add(&self, products: &[f32], level: f32, sums: &mut [f32]) {
        vectorised(
            #[inline(always)]
            || {
                for ((sum, &product), &bar) in sums.iter_mut().zip(products).zip(self.bars) {
                    *sum += pull((product * self.sign - 0.5 * bar - level) * self.unit, self.tau);
                }
            },
        );
    }
}

/// The comparison of a row of products with its bars.
pub(super) struct Test<'a> {
    pub(super) bars: &'a [f32],
    pub(super) negative: bool,
}

impl Test<'_> {
    #[inline(always)]
    pub(super) fn row(&self, row: usize, products: &[f32], half: f32, level: f32, open: &mut [u16]) {
        let sign = if self.negative { -1.0 } else { 1.0 };
        let bars = self.bars.as_chunks::<PASSED>().0;
        let all = products.as_chunks::<PASSED>().0.iter().zip(bars);
        for (part, (products, bars)) in all.enumerate() {
            let is_open = |k: usize| {
                let bar = bars[k] * half + level;
                (products[k] * sign > bar) | bar.is_nan()
            };
            let mut any = 0_u32;
            for k in 0..PASSED {
                any |= u32::from(is_open(k));
            }
            if any != 0 {
                for k in (0..PASSED).filter(|&k| is_open(k)) {
                    let column = part * PASSED + k;
                    open[row * MARKS + column / GROUP] |= 1 << (column % GROUP);
                }
            }
        }
    }
}
