//! What the products of bytes need beside vector instructions: how rows are laid out, what is asked of them, and plain loops.

use super::{DEPTH, GROUP, LONGEST_ROW};
use crate::parallel::simd::vectorised;

/// What is added to a byte on the right, so that it is not negative.
const OFFSET: i32 = 128;

/// Writes what stands on the right of a product of bytes: groups of [`GROUP`] rows, in each the first [`DEPTH`] bytes of
/// every row, then the next, each plus 128. `rows` is one row after the other, a multiple of [`GROUP`] of them.
pub(crate) fn pack(width: usize, rows: &[i8], out: &mut [u8]) {
    assert!(width.is_multiple_of(DEPTH) && rows.len() == out.len());
    assert!(rows.len().is_multiple_of(GROUP * width.max(1)));
    if width == 0 {
        return;
    }
    let steps = width / DEPTH;
    let groups = rows
        .chunks_exact(GROUP * width)
        .zip(out.chunks_exact_mut(GROUP * width));
    for (rows, out) in groups {
        let out = out.as_chunks_mut::<DEPTH>().0;
        let rows = rows.as_chunks::<DEPTH>().0;
        for (step, out) in out.chunks_exact_mut(GROUP).enumerate() {
            for (lane, out) in out.iter_mut().enumerate() {
                // Four bytes in one move; + 128 turns the highest bit.
                let four = u32::from_ne_bytes(rows[lane * steps + step].map(i8::cast_unsigned));
                *out = (four ^ 0x8080_8080).to_ne_bytes();
            }
        }
    }
}

/// What a row on the left starts its sums from, to make up for the 128 that is added on the right.
#[inline(always)]
pub(crate) fn start_of(row: &[i8]) -> i32 {
    -OFFSET * row.iter().map(|&byte| i32::from(byte)).sum::<i32>()
}

/// Rows of bytes on the left with packed ones on the right.
#[derive(Clone, Copy)]
pub(crate) struct ByteTile<'a> {
    pub(crate) width: usize,
    pub(crate) left: &'a [i8],
    /// [`start_of`] each row on the left.
    pub(crate) starts: &'a [i32],
    pub(crate) right: &'a [u8],
}

/// What is asked of a product P of a row and a column. With s, b and o of the column and the others of the row,
///
/// ```text
/// y = P s − half b
/// open     not y < low
/// near     y ≥ low,  y + half o ≥ other  or  y < high
/// either   the same of |P|, and of −|P| for the last
/// ```
///
/// Where y is not a number, a pair is open, but not near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Open,
    Near,
    Either,
}

/// The bars of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowBars {
    pub(crate) half: f32,
    pub(crate) low: f32,
    pub(crate) other: f32,
    pub(crate) high: f32,
    /// What y beyond `low` is multiplied with in a pull.
    pub(crate) unit: f32,
}

/// The bars of columns: s, b and o, of which [`Asked::Open`] needs no o.
#[derive(Clone, Copy)]
pub(crate) struct ColumnBars<'a> {
    pub(crate) scales: &'a [f32],
    pub(crate) bars: &'a [f32],
    pub(crate) others: &'a [f32],
}

impl ByteTile<'_> {
    /// The same without the first rows on the left.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn after(&self, first: usize) -> Self {
        Self {
            left: &self.left[first * self.width..],
            starts: &self.starts[first..],
            ..*self
        }
    }

    /// # Panics
    /// If lengths do not fit.
    pub(super) fn check(&self) {
        let width = self.width;
        assert!(width > 0 && width.is_multiple_of(DEPTH) && width <= LONGEST_ROW);
        assert!(self.left.len() == self.starts.len() * width && self.right.len().is_multiple_of(GROUP * width));
    }
}

/// As [`super::byte_products`].
pub(super) fn products(width: usize, left: &[i8], starts: &[i32], right: &[u8], out: &mut [i32]) {
    let stride = right.len() / width;
    for (group, columns) in right.chunks_exact(GROUP * width).enumerate() {
        for (place, (row, &start)) in left.chunks_exact(width).zip(starts).enumerate() {
            let mut sums = [start; GROUP];
            let steps = columns.as_chunks::<{ GROUP * DEPTH }>().0;
            for (bytes, columns) in row.as_chunks::<DEPTH>().0.iter().zip(steps) {
                for (sum, column) in sums.iter_mut().zip(columns.as_chunks::<DEPTH>().0) {
                    for (x, y) in bytes.iter().zip(column) {
                        *sum += i32::from(*x) * i32::from(*y);
                    }
                }
            }
            let first = place * stride + group * GROUP;
            out[first..first + GROUP].copy_from_slice(&sums);
        }
    }
}

/// As [`super::mark_pairs`], of products that are there.
pub(super) fn mark(asked: Asked, products: &[i32], rows: &[RowBars], columns: &ColumnBars<'_>, marks: &mut [u16]) {
    let n_columns = columns.scales.len();
    let all = products.chunks_exact(n_columns).zip(rows);
    for ((products, row), marks) in all.zip(marks.chunks_exact_mut(n_columns / GROUP)) {
        vectorised(
            #[inline(always)]
            || match asked {
                // What is not a number is open.
                Asked::Open => mark_row(products, row, columns, marks, |y, _, _| (y >= row.low) | y.is_nan()),
                Asked::Near => mark_row(products, row, columns, marks, |_, x, k| row.is_near(x, x, columns, k)),
                Asked::Either => mark_row(products, row, columns, marks, |_, x, k| {
                    row.is_near(x.abs(), -x.abs(), columns, k)
                }),
            },
        );
    }
}

/// As [`super::add_pulls`], of products that are there.
pub(super) fn add_pulls(
    products: &[i32],
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    tau: f32,
    sums: &mut [f32],
    stride: usize,
) {
    let all = products.chunks_exact(columns.scales.len()).zip(rows);
    for ((products, row), sums) in all.zip(sums.chunks_mut(stride)) {
        vectorised(
            #[inline(always)]
            || {
                let bars = columns.scales.iter().zip(columns.bars);
                for ((sum, &product), (scale, bar)) in sums.iter_mut().zip(products).zip(bars) {
                    *sum += pull((product as f32 * scale - row.half * bar - row.low) * row.unit, tau);
                }
            },
        );
    }
}

/// More than any number of views takes off.
pub(super) const BEYOND: f32 = 1e30;

/// max(u, −τ), or far more than others can take off if u > τ; what is not a number stays so.
#[inline(always)]
pub(crate) fn pull(u: f32, tau: f32) -> f32 {
    let above = if u < -tau { -tau } else { u };
    if u > tau { BEYOND } else { above }
}

impl RowBars {
    /// What is asked by [`Asked::Near`] of P s, and of another P s for the last.
    #[inline(always)]
    fn is_near(&self, x: f32, far: f32, columns: &ColumnBars<'_>, k: usize) -> bool {
        let bar = self.half * columns.bars[k];
        let y = x - bar;
        (y >= self.low) | (y + self.half * columns.others[k] >= self.other) | (far - bar < self.high)
    }
}

/// The marks of one row; `is_marked` is told y, P s, and the column.
#[inline(always)]
fn mark_row(
    products: &[i32],
    row: &RowBars,
    columns: &ColumnBars<'_>,
    marks: &mut [u16],
    is_marked: impl Fn(f32, f32, usize) -> bool,
) {
    for (group, (products, mark)) in products.as_chunks::<GROUP>().0.iter().zip(marks).enumerate() {
        let first = group * GROUP;
        let scales = &columns.scales[first..first + GROUP];
        let bars = &columns.bars[first..first + GROUP];
        let mut found = [0_u16; GROUP];
        for k in 0..GROUP {
            let x = products[k] as f32 * scales[k];
            found[k] = u16::from(is_marked(x - row.half * bars[k], x, first + k)) << k;
        }
        *mark = found.iter().fold(0, |all, bit| all | bit);
    }
}
