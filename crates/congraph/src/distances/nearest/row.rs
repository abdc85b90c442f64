//! A row of a tile: which of its pairs need a closer look.

use crate::distances::quantised::TILE;

/// Columns that are passed over together.
const PASSED: usize = 64;

/// The columns of a tile, and what is looked for in them.
pub(super) struct Columns<'a> {
    pub(super) first: usize,
    pub(super) scales: &'a [f32],
    pub(super) squares: &'a [f32],
    /// Estimates up to this may enter a column's list.
    pub(super) bars: [f32; TILE],
    /// Estimates above this may be of the largest distance.
    pub(super) far: f32,
}

/// A row of a tile. Where signs do not matter (`SIGNED`), a pair is as near as its shorter edge and as far as its longer.
pub(super) struct Row<'a, const SIGNED: bool> {
    pub(super) node: usize,
    pub(super) square: f32,
    pub(super) scale: f32,
    pub(super) columns: &'a Columns<'a>,
}

impl<const SIGNED: bool> Row<'_, SIGNED> {
    /// The squared distance to a column; not a number where one of the two is not there.
    #[inline(always)]
    pub(super) fn estimate(&self, scale: f32, square: f32, entry: f32) -> f32 {
        let product = (entry * scale) * self.scale;
        (self.square + square) - if SIGNED { product.abs() } else { product }
    }

    /// That of the longer edge.
    #[inline(always)]
    fn opposite(&self, square: f32, estimate: f32) -> f32 {
        if SIGNED {
            2.0 * (self.square + square) - estimate
        } else {
            estimate
        }
    }

    /// Adds the places that are within the bar of one of their ends, and those that may be furthest.
    #[inline(always)]
    pub(super) fn look(
        &self,
        bar: f32,
        entries: &[f32],
        near: &mut Vec<(u32, u32, f32)>,
        furthest: &mut Vec<(u32, u32)>,
    ) {
        let &Columns {
            scales,
            squares,
            ref bars,
            far,
            ..
        } = self.columns;
        let columns = scales
            .as_chunks::<PASSED>()
            .0
            .iter()
            .zip(squares.as_chunks::<PASSED>().0);
        let columns = columns.zip(bars.as_chunks::<PASSED>().0);
        let parts = entries.as_chunks::<PASSED>().0.iter().zip(columns);
        for (part, (entries, ((scales, squares), bars))) in parts.enumerate() {
            let mut any = 0_u32;
            for k in 0..PASSED {
                let estimate = self.estimate(scales[k], squares[k], entries[k]);
                let opposite = self.opposite(squares[k], estimate);
                any |= u32::from((estimate <= bar) | (estimate <= bars[k]) | (opposite > far));
            }
            if any == 0 {
                continue;
            }
            for (k, &entry) in entries.iter().enumerate() {
                self.take(bar, part * PASSED + k, entry, near, furthest);
            }
        }
    }

    /// Adds the pair with column `k` if it is within the bar of one of its ends, or may be furthest.
    #[inline(always)]
    pub(super) fn take(
        &self,
        bar: f32,
        k: usize,
        entry: f32,
        near: &mut Vec<(u32, u32, f32)>,
        furthest: &mut Vec<(u32, u32)>,
    ) {
        let columns = self.columns;
        let (other, square) = (columns.first + k, columns.squares[k]);
        if other == self.node {
            return;
        }
        let estimate = self.estimate(columns.scales[k], square, entry);
        if estimate <= bar || estimate <= columns.bars[k] {
            near.push((self.node as u32, other as u32, estimate));
        }
        if self.opposite(square, estimate) > columns.far {
            furthest.push((self.node as u32, other as u32));
        }
    }
}
