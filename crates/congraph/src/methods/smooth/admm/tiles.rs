//! What ADMM keeps of each edge, eight edges at a time, so that every step is plain arithmetic on columns of eight.
//!
//! All that an iteration needs of the one before are the points p^i, s^i, r at which the (z^i, z)-step was taken, and
//! its z:
//!
//! ```text
//! z^i = max(0, (p^i + s^i + z)/2)      y^i = z^i − p^i      dual_differences = s^i − (z^i − z)      y = z − r
//! ```
//!
//! so neither slack variables nor multipliers are stored. With N views a tile is 3N + 2 columns: z, r, and for each
//! view d^i (read only), p^i, s^i. An iteration therefore reads 3N + 2 numbers of an edge and writes 2N + 2 of them.

use pulp::Simd;

use super::start::EdgeStart;
use crate::parallel::simd::{Column, Lanes};

/// z^i, from where the (z^i, z)-step was taken and its z.
#[inline(always)]
pub(super) fn slack<S: Simd>(p: Lanes<S>, s: Lanes<S>, z: Lanes<S>) -> Lanes<S> {
    let half = (p + s + z).half();
    half.if_positive(half)
}

/// How many columns a tile has.
#[inline(always)]
pub(super) fn width(n_views: usize) -> usize {
    3 * n_views + 2
}

/// One view's columns: d^i (the distances in units of κ), p^i, s^i.
pub(super) type ViewColumns = [Column; 3];

/// The columns of one tile, by name, in the order in which a pass comes to them: memory is read ahead only in order.
pub(super) struct Tile<'a> {
    /// z.
    pub(super) consensus: &'a mut Column,
    /// r.
    pub(super) pull: &'a mut Column,
    pub(super) views: &'a mut [ViewColumns],
}

impl<'a> Tile<'a> {
    #[inline(always)]
    pub(super) fn new(columns: &'a mut [Column]) -> Self {
        let (consensus, columns) = columns.split_at_mut(1);
        let (pull, columns) = columns.split_at_mut(1);
        Self {
            consensus: &mut consensus[0],
            pull: &mut pull[0],
            views: columns.as_chunks_mut().0,
        }
    }

    /// Places one edge.
    pub(super) fn place(&mut self, lane: usize, distances: impl Iterator<Item = f64>, start: &EdgeStart) {
        // The points at which eq:admm_second would have given these variables.
        for (i, ([d, p, s], distance)) in self.views.iter_mut().zip(distances).enumerate() {
            d[lane] = distance;
            p[lane] = start.views[i] - start.dual_views[i];
            s[lane] = start.views[i] - start.consensus + start.dual_differences[i];
        }
        self.pull[lane] = start.consensus - start.dual_consensus;
        self.consensus[lane] = start.consensus;
    }
}

/// The slack variables z^i of one edge of a tile's columns, and its z.
pub(super) fn slack_row(columns: &[Column], lane: usize, row: &mut [f64]) -> f64 {
    let consensus = columns[0][lane];
    for (value, [_, p, s]) in row.iter_mut().zip(columns[2..].as_chunks().0) {
        *value = (0.5 * (p[lane] + s[lane] + consensus)).max(0.0);
    }
    consensus
}

/// Where the proximal maps of a tile's edges are to be taken next: rows of 2(z^i − z) − s^i, and 2z − r.
pub(super) fn arguments(columns: &[Column], n_views: usize, differences: &mut [f64], consensus: &mut [f64]) {
    for (k, row) in differences.chunks_exact_mut(n_views).enumerate() {
        let consensus = slack_row(columns, k, row);
        for (value, [_, _, s]) in row.iter_mut().zip(columns[2..].as_chunks().0) {
            *value = 2.0 * (*value - consensus) - s[k];
        }
    }
    for (k, value) in consensus.iter_mut().enumerate() {
        *value = 2.0 * columns[0][k] - columns[1][k];
    }
}
