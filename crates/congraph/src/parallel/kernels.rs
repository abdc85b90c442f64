//! Products of many rows with many others. All `unsafe` code of the library is in this room.
//!
//! Two kinds. [`row_products`] hands slices of f32 or f64 to the `gemm` crate. [`byte_products`] multiplies bytes, four
//! times as many in a cycle as f32, in the widest form that the processor has; [`mark_pairs`] compares the products with
//! bars while they are in registers, and writes a bit of each:
//!
//! ```text
//! amx        tiles of registers: 16 384 products of bytes in one instruction, summed in 256 integers
//! vnni       AVX-512 VNNI: 64 products of bytes in one instruction, summed in 16 integers
//! avx2       bytes widened to 16 bits, 16 products in one instruction, summed in 8 integers
//! portable   plain loops
//! ```
//!
//! All of them sum the same integers, of which none overflows ([`LONGEST_ROW`]): their results are equal, whatever the order
//! of summation. Comparisons round in f32, each form in its own way: whoever sets bars allows for it. What makes the code
//! sound:
//!
//! - the entrances check the lengths of all slices before a pointer is made of one; inside, every address is an
//!   index into a checked slice, and unaligned loads and stores are used throughout;
//! - a form with vector instructions can only be had from [`Instructions`], which holds none that the processor lacks.
//!
//! The tests compare each form with the portable one on random and on extreme values, and at all odd shapes. They also
//! pass under valgrind and, with `-C target-feature=+avx2`, under Miri; both know the forms up to AVX2, and neither reports AVX-512 or AMX.

#![expect(
    unsafe_code,
    reason = "see the header: vector instructions, and the pointers of the gemm crate"
)]

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use plain::{Asked, ByteTile, ColumnBars, RowBars, pack, pull, start_of};

use super::simd::vectorised;

/// How many rows are packed side by side on the right of a product of bytes.
pub(crate) const GROUP: usize = 16;
/// How many bytes of a row lie together in a group; rows are a multiple of this long.
pub(crate) const DEPTH: usize = 4;
/// Rows up to this length have products that fit 32 bits, with all partial sums: (255 + 128) · 127 · 32 768 < 2³¹.
pub(crate) const LONGEST_ROW: usize = 1 << 15;

/// A set of vector instructions that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instructions(Form);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Vnni,
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Amx,
}

impl Instructions {
    /// All that the processor has, the fastest last.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self(Form::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Self(Form::Avx2));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                all.push(Self(Form::Vnni));
                #[cfg(target_os = "linux")]
                if amx::is_there() {
                    all.push(Self(Form::Amx));
                }
            }
        }
        all
    }

    /// The fastest.
    pub(crate) fn best() -> Self {
        Self::all().pop().unwrap_or(Self(Form::Portable))
    }

    #[cfg(target_arch = "x86_64")]
    fn has_vnni(self) -> bool {
        !matches!(self.0, Form::Portable | Form::Avx2)
    }

    /// What AMX takes at a time of rows this wide, if it is there and they come out even.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn piece_of(self, width: usize) -> Option<usize> {
        if self.0 == Form::Amx {
            amx::piece_of(width)
        } else {
            None
        }
    }
}

/// Σ_k x_k y_k of every row x on the left with every row y on the right, into a row of `out` for each on the left.
///
/// # Panics
/// If lengths do not fit: `starts` has one entry ([`start_of`]) for each row on the left, all rows are `width` long, and
/// those on the right are [`pack`]ed.
pub(crate) fn byte_products(
    instructions: Instructions,
    width: usize,
    left: &[i8],
    starts: &[i32],
    right: &[u8],
    out: &mut [i32],
) {
    assert!(width.is_multiple_of(DEPTH) && width <= LONGEST_ROW);
    let n_left = starts.len();
    assert!(left.len() == n_left * width && right.len().is_multiple_of(GROUP * width.max(1)));
    if width == 0 {
        out.fill(0);
        return;
    }
    let n_groups = right.len() / (GROUP * width);
    assert!(out.len() == n_left * n_groups * GROUP);
    match instructions.0 {
        Form::Portable => plain::products(width, left, starts, right, out),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the instructions, since `Instructions` holds them; the lengths were checked above.
        Form::Avx2 => unsafe { x86::avx2(width, left, starts, right, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Form::Vnni => unsafe { x86::vnni(width, left, starts, right, out) },
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        // SAFETY: as above; who has AMX has AVX-512 too.
        Form::Amx => unsafe { x86::vnni(width, left, starts, right, out) },
    }
}

/// Σ_k x_k y_k of two rows, not packed; `start` is [`start_of`] y.
///
/// # Panics
/// If they differ in length, or are longer than [`LONGEST_ROW`].
#[inline]
pub(crate) fn pair_product(instructions: Instructions, x: &[i8], y: &[i8], start: i32) -> i32 {
    assert!(x.len() == y.len() && x.len() <= LONGEST_ROW);
    match instructions.0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the instructions, since `Instructions` holds them; the rows are equally long.
        Form::Vnni => unsafe { x86::vnni_pair(x, y, start) },
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        // SAFETY: as above.
        Form::Amx => unsafe { x86::vnni_pair(x, y, start) },
        _ => vectorised(
            #[inline(always)]
            || x.iter().zip(y).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum(),
        ),
    }
}

/// Marks the pairs of a tile for which what is asked is true: bit k of entry g of a row is that of column 16 g + k. `room`
/// is used for products where they do not stay in registers.
///
/// # Panics
/// If lengths do not fit: as [`byte_products`], and all columns and rows have their bars.
pub(crate) fn mark_pairs(
    instructions: Instructions,
    asked: Asked,
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    room: &mut Vec<i32>,
    marks: &mut [u16],
) {
    tile.check();
    let &ByteTile {
        width,
        left,
        starts,
        right,
    } = tile;
    let n_groups = right.len() / (GROUP * width);
    let n_columns = n_groups * GROUP;
    assert!(rows.len() == starts.len() && marks.len() == rows.len() * n_groups);
    assert!(columns.scales.len() == n_columns && columns.bars.len() == n_columns);
    assert!(asked == Asked::Open || columns.others.len() == n_columns);
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if let Some(piece) = instructions.piece_of(width) {
        // SAFETY: the processor has the instructions, since `Instructions` holds them; the lengths were checked above.
        unsafe {
            match asked {
                Asked::Open => amx::marks::<{ x86::OPEN }>(piece, tile, rows, columns, marks),
                Asked::Near => amx::marks::<{ x86::NEAR }>(piece, tile, rows, columns, marks),
                Asked::Either => amx::marks::<{ x86::EITHER }>(piece, tile, rows, columns, marks),
            }
        }
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if instructions.has_vnni() {
        // SAFETY: the processor has the instructions, since `Instructions` holds them; the lengths were checked above.
        unsafe {
            match asked {
                Asked::Open => x86::vnni_marks::<{ x86::OPEN }>(tile, rows, columns, marks),
                Asked::Near => x86::vnni_marks::<{ x86::NEAR }>(tile, rows, columns, marks),
                Asked::Either => x86::vnni_marks::<{ x86::EITHER }>(tile, rows, columns, marks),
            }
        }
        return;
    }
    room.resize(starts.len() * n_columns, 0);
    byte_products(instructions, width, left, starts, right, room);
    plain::mark(asked, room, rows, columns, marks);
}

/// Adds to the sum of each pair max(u, −τ) with u = (y − low) · unit, or far more than others can take off if u > τ. Rows of
/// `sums` begin `stride` apart.
///
/// # Panics
/// If lengths do not fit: as [`mark_pairs`].
#[expect(clippy::too_many_arguments, reason = "a tile, its bars, and where the result goes")]
pub(crate) fn add_pulls(
    instructions: Instructions,
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    tau: f32,
    room: &mut Vec<i32>,
    sums: &mut [f32],
    stride: usize,
) {
    tile.check();
    let &ByteTile {
        width,
        left,
        starts,
        right,
    } = tile;
    let n_columns = right.len() / width;
    assert!(rows.len() == starts.len() && !rows.is_empty());
    assert!(n_columns <= stride && sums.len() >= (rows.len() - 1) * stride + n_columns);
    assert!(columns.scales.len() == n_columns && columns.bars.len() == n_columns);
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if let Some(piece) = instructions.piece_of(width) {
        // SAFETY: the processor has the instructions, since `Instructions` holds them; the lengths were checked above.
        unsafe { amx::pulls(piece, tile, rows, columns, tau, sums, stride) };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if instructions.has_vnni() {
        // SAFETY: the processor has the instructions, since `Instructions` holds them; the lengths were checked above.
        unsafe { x86::vnni_pulls(tile, rows, columns, tau, sums, stride) };
        return;
    }
    room.resize(starts.len() * n_columns, 0);
    byte_products(instructions, width, left, starts, right, room);
    plain::add_pulls(room, rows, columns, tau, sums, stride);
}

/// Numbers that the `gemm` crate multiplies.
pub(crate) trait Real: Copy + 'static {
    const ONE: Self;
}

impl Real for f32 {
    const ONE: Self = 1.0;
}

impl Real for f64 {
    const ONE: Self = 1.0;
}

/// x_aᵀx_b of all rows on the left with all on the right, each `width` long, over `samples` of them, into rows of `out`
/// that begin `stride` apart; or added to what is there.
///
/// # Panics
/// If lengths do not fit.
pub(crate) fn row_products<T: Real>(
    width: usize,
    samples: std::ops::Range<usize>,
    [left, right]: [&[T]; 2],
    out: &mut [T],
    stride: usize,
    add: bool,
) {
    if left.is_empty() || right.is_empty() {
        return;
    }
    assert!(samples.start <= samples.end && samples.end <= width);
    let (n_left, n_right) = (left.len() / width, right.len() / width);
    assert!(left.len() == n_left * width && right.len() == n_right * width);
    assert!(n_right <= stride && out.len() >= (n_left - 1) * stride + n_right);
    // SAFETY: `left` has n_left rows of `width` values and `right` n_right, of which the columns of `samples` are read;
    // `out` has n_left rows of n_right entries, `stride` apart, is not shared, and overlaps neither of the others. `T` is
    // f32 or f64, which the crate multiplies.
    unsafe {
        gemm::gemm(
            n_left,
            n_right,
            samples.len(),
            out.as_mut_ptr(),
            1,
            stride as isize,
            add,
            left.as_ptr().add(samples.start),
            1,
            width as isize,
            right.as_ptr().add(samples.start),
            width as isize,
            1,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests;
