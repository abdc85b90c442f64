//! What ADMM keeps of each edge, eight edges at a time, so that every step is plain arithmetic on columns of eight.
//!
//! All that an iteration needs of the one before are the points p^i, s^i, r at which the (z^i, z)-step was taken, and its z:
//!
//! ```text
//! z^i = max(0, (p^i + s^i + z)/2)      y^i = z^i − p^i      dual_differences = s^i − (z^i − z)      y = z − r
//! ```
//!
//! so neither slack variables nor multipliers are stored. With N views a tile is 3N + 2 columns: d^i (read only), p^i, s^i, r, z.
//! An iteration therefore reads 3N + 2 numbers of an edge and writes 2N + 2 of them.

use pulp::Simd;

use super::start::Start;
use crate::vector::{Column, Lanes};

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

/// How many views a tile of so many columns has.
#[inline(always)]
pub(super) fn views_of(width: usize) -> usize {
    (width - 2) / 3
}

/// The columns of one tile, by name.
pub(super) struct Tile<'a> {
    /// d^i, the distances in units of κ.
    pub(super) distances: &'a mut [Column],
    /// p^i.
    pub(super) views: &'a mut [Column],
    /// s^i.
    pub(super) gaps: &'a mut [Column],
    /// r.
    pub(super) pull: &'a mut Column,
    /// z.
    pub(super) shared: &'a mut Column,
}

impl<'a> Tile<'a> {
    #[inline(always)]
    pub(super) fn new(columns: &'a mut [Column], n_views: usize) -> Self {
        let (distances, columns) = columns.split_at_mut(n_views);
        let (views, columns) = columns.split_at_mut(n_views);
        let (gaps, columns) = columns.split_at_mut(n_views);
        let (pull, shared) = columns.split_at_mut(1);
        Self {
            distances,
            views,
            gaps,
            pull: &mut pull[0],
            shared: &mut shared[0],
        }
    }

    /// Places one edge.
    pub(super) fn place(&mut self, lane: usize, distances: impl Iterator<Item = f64>, start: &Start) {
        for (i, distance) in distances.enumerate() {
            self.distances[i][lane] = distance;
            self.views[i][lane] = start.views[i] - start.dual_views[i];
            self.gaps[i][lane] = start.views[i] - start.shared + start.dual_differences[i];
        }
        self.pull[lane] = start.shared - start.dual_consensus;
        self.shared[lane] = start.shared;
    }
}

/// The slack variables z^i of one edge of a tile's columns, and its z.
#[inline(always)]
pub(super) fn slack_row(columns: &[Column], lane: usize, row: &mut [f64]) -> f64 {
    let n_views = row.len();
    let shared = columns[3 * n_views + 1][lane];
    for (i, value) in row.iter_mut().enumerate() {
        *value = (0.5 * (columns[n_views + i][lane] + columns[2 * n_views + i][lane] + shared)).max(0.0);
    }
    shared
}
