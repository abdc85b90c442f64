//! Products of many rows with many others. All `unsafe` code of the library is in this file.
//!
//! Two kinds. [`row_products`] hands slices of f32 or f64 to the `gemm` crate. [`byte_products`] multiplies bytes, four
//! times as many in a cycle as f32, in the widest form that the processor has:
//!
//! ```text
//! vnni       AVX-512 VNNI: 64 products of bytes in one instruction, summed in 16 integers
//! avx2       bytes widened to 16 bits, 16 products in one instruction, summed in 8 integers
//! portable   plain loops
//! ```
//!
//! All three sum the same integers, of which none overflows ([`LONGEST_ROW`]): their results are equal, whatever the order
//! of summation. What makes the code sound:
//!
//! - the two entrances check the lengths of all slices before a pointer is made of one; inside, every address is an
//!   index into a checked slice, and unaligned loads and stores are used throughout;
//! - a form with vector instructions can only be had from [`Instructions`], which holds none that the processor lacks.
//!
//! The tests compare each form with the portable one on random and on extreme values, and at all odd shapes. They also
//! pass under valgrind and, with `-C target-feature=+avx2`, under Miri; both know the forms up to AVX2.

#![expect(
    unsafe_code,
    reason = "see the header: vector instructions, and the pointers of the gemm crate"
)]

/// How many rows are packed side by side on the right of a product of bytes.
pub(crate) const GROUP: usize = 16;
/// How many bytes of a row lie together in a group; rows are a multiple of this long.
pub(crate) const DEPTH: usize = 4;
/// Rows up to this length have products that fit 32 bits, with all partial sums: (255 + 128) · 127 · 32 768 < 2³¹.
pub(crate) const LONGEST_ROW: usize = 1 << 15;
/// What is added to a byte on the right, so that it is not negative.
const OFFSET: i32 = 128;

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
            }
        }
        all
    }

    /// The fastest.
    pub(crate) fn best() -> Self {
        Self::all().pop().unwrap_or(Self(Form::Portable))
    }
}

/// Writes what stands on the right of a product of bytes: groups of [`GROUP`] rows, in each the first [`DEPTH`] bytes of
/// every row, then the next, each plus 128. `rows` is one row after the other, a multiple of [`GROUP`] of them.
pub(crate) fn pack(width: usize, rows: &[i8], out: &mut [u8]) {
    assert!(width.is_multiple_of(DEPTH) && rows.len() == out.len());
    assert!(rows.len().is_multiple_of(GROUP * width.max(1)));
    for (rows, out) in rows
        .chunks_exact(GROUP * width.max(1))
        .zip(out.chunks_exact_mut(GROUP * width.max(1)))
    {
        for (lane, row) in rows.chunks_exact(width).enumerate() {
            for (step, bytes) in row.as_chunks::<DEPTH>().0.iter().enumerate() {
                let place = (step * GROUP + lane) * DEPTH;
                for (out, byte) in out[place..place + DEPTH].iter_mut().zip(bytes) {
                    *out = (i32::from(*byte) + OFFSET) as u8;
                }
            }
        }
    }
}

/// What a row on the left starts its sums from, to make up for the 128 that is added on the right.
pub(crate) fn start_of(row: &[i8]) -> i32 {
    -OFFSET * row.iter().map(|&byte| i32::from(byte)).sum::<i32>()
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
        Form::Portable => portable(width, left, starts, right, out),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the instructions, since `Instructions` holds them; the lengths were checked above.
        Form::Avx2 => unsafe { x86::avx2(width, left, starts, right, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Form::Vnni => unsafe { x86::vnni(width, left, starts, right, out) },
    }
}

fn portable(width: usize, left: &[i8], starts: &[i32], right: &[u8], out: &mut [i32]) {
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_loadu_si128, _mm_set1_epi32, _mm256_add_epi32, _mm256_cvtepi8_epi16,
        _mm256_cvtepu8_epi16, _mm256_hadd_epi32, _mm256_madd_epi16, _mm256_permute4x64_epi64, _mm256_setzero_si256,
        _mm256_storeu_si256, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512,
        _mm512_storeu_si512,
    };

    use super::{DEPTH, GROUP};

    /// Rows and groups that are summed at a time: as many sums as stay in registers and keep both multipliers busy.
    const ROWS: usize = 8;
    const GROUPS: usize = 2;

    /// # Safety
    /// The processor has AVX-512 F, BW and VNNI. With R = `starts.len()` and C = `right.len() / width`: `width` > 0 is a
    /// multiple of [`DEPTH`], C one of [`GROUP`], `left` has R·`width` entries and `out` R·C.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn vnni(width: usize, left: &[i8], starts: &[i32], right: &[u8], out: &mut [i32]) {
        let n_groups = right.len() / (GROUP * width);
        let mut group = 0;
        while group < n_groups {
            let groups = if group + GROUPS <= n_groups { GROUPS } else { 1 };
            let mut row = 0;
            while row < starts.len() {
                let place = Place {
                    width,
                    row,
                    group,
                    stride: n_groups * GROUP,
                };
                let all = row + ROWS <= starts.len();
                // SAFETY: rows row..row + R and groups group..group + G exist: R = ROWS only if so many are left, and
                // G likewise.
                unsafe {
                    match (all, groups) {
                        (true, GROUPS) => vnni_block::<ROWS, GROUPS>(&place, left, starts, right, out),
                        (true, _) => vnni_block::<ROWS, 1>(&place, left, starts, right, out),
                        (false, GROUPS) => vnni_block::<1, GROUPS>(&place, left, starts, right, out),
                        (false, _) => vnni_block::<1, 1>(&place, left, starts, right, out),
                    }
                }
                row += if all { ROWS } else { 1 };
            }
            group += groups;
        }
    }

    /// Where a block of products is.
    struct Place {
        width: usize,
        row: usize,
        group: usize,
        /// Entries in a row of the result.
        stride: usize,
    }

    /// # Safety
    /// As [`vnni`]; rows `row..row + R` and groups `group..group + G` exist.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[inline]
    unsafe fn vnni_block<const R: usize, const G: usize>(
        place: &Place,
        left: &[i8],
        starts: &[i32],
        right: &[u8],
        out: &mut [i32],
    ) {
        let &Place {
            width,
            row,
            group,
            stride,
        } = place;
        let steps = width / DEPTH;
        let rows: *const i8 = left[row * width..(row + R) * width].as_ptr();
        let columns: *const u8 = right[group * GROUP * width..(group + G) * GROUP * width].as_ptr();
        let starts = &starts[row..row + R];
        let mut sums: [[__m512i; G]; R] = std::array::from_fn(|r| [_mm512_set1_epi32(starts[r]); G]);
        for step in 0..steps {
            let mut column = [_mm512_setzero_si512(); G];
            for (g, column) in column.iter_mut().enumerate() {
                // SAFETY: bytes (g·steps + step)·64 .. + 64 of G·GROUP·width = G·steps·64.
                *column = unsafe { _mm512_loadu_si512(columns.add((g * steps + step) * GROUP * DEPTH).cast()) };
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                // SAFETY: bytes r·width + 4·step .. + 4 of R·width, and step < width/4.
                let bytes = unsafe { rows.add(r * width + DEPTH * step).cast::<i32>().read_unaligned() };
                let bytes = _mm512_set1_epi32(bytes);
                for (sum, column) in sums.iter_mut().zip(&column) {
                    *sum = _mm512_dpbusd_epi32(*sum, *column, bytes);
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            let first = (row + r) * stride + group * GROUP;
            for (sum, out) in sums
                .iter()
                .zip(out[first..first + G * GROUP].as_chunks_mut::<GROUP>().0)
            {
                // SAFETY: `out` is 16 entries of 4 bytes.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), *sum) };
            }
        }
    }

    /// Rows and halves of a group that are summed at a time.
    const NARROW_ROWS: usize = 4;

    /// # Safety
    /// The processor has AVX2; the rest as [`vnni`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2(width: usize, left: &[i8], starts: &[i32], right: &[u8], out: &mut [i32]) {
        let n_groups = right.len() / (GROUP * width);
        for group in 0..n_groups {
            let mut row = 0;
            while row < starts.len() {
                let place = Place {
                    width,
                    row,
                    group,
                    stride: n_groups * GROUP,
                };
                let all = row + NARROW_ROWS <= starts.len();
                for half in 0..2 {
                    // SAFETY: the rows row..row + R exist, R = NARROW_ROWS only if so many are left.
                    unsafe {
                        if all {
                            avx2_block::<NARROW_ROWS>(&place, half, left, starts, right, out);
                        } else {
                            avx2_block::<1>(&place, half, left, starts, right, out);
                        }
                    }
                }
                row += if all { NARROW_ROWS } else { 1 };
            }
        }
    }

    /// Half a group: eight rows on the right.
    ///
    /// # Safety
    /// As [`avx2`]; rows `row..row + R` and the group exist, and `half` is 0 or 1.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn avx2_block<const R: usize>(
        place: &Place,
        half: usize,
        left: &[i8],
        starts: &[i32],
        right: &[u8],
        out: &mut [i32],
    ) {
        const HALF: usize = GROUP / 2;
        let &Place {
            width,
            row,
            group,
            stride,
        } = place;
        let rows: *const i8 = left[row * width..(row + R) * width].as_ptr();
        let columns: *const u8 = right[group * GROUP * width..(group + 1) * GROUP * width].as_ptr();
        // Two sums for each of four rows on the right, and four more.
        let mut sums = [[_mm256_setzero_si256(); 2]; R];
        for step in 0..width / DEPTH {
            let mut column = [_mm256_setzero_si256(); 2];
            for (quarter, column) in column.iter_mut().enumerate() {
                let first = step * GROUP * DEPTH + (half * 2 + quarter) * GROUP;
                // SAFETY: 16 bytes at step·64 + (0..4)·16 of GROUP·width = (width/4)·64.
                *column = _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(columns.add(first).cast()) });
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                // SAFETY: bytes r·width + 4·step .. + 4 of R·width, and step < width/4.
                let bytes = unsafe { rows.add(r * width + DEPTH * step).cast::<i32>().read_unaligned() };
                let bytes = _mm256_cvtepi8_epi16(_mm_set1_epi32(bytes));
                for (sum, column) in sums.iter_mut().zip(&column) {
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(*column, bytes));
                }
            }
        }
        for (r, [one, two]) in sums.iter().enumerate() {
            // [1 1 2 2 | 3 3 4 4] and [5 5 6 6 | 7 7 8 8] become [1 2 5 6 | 3 4 7 8], and that [1 2 3 4 | 5 6 7 8].
            let eight: __m256i = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(*one, *two));
            let mut values = [0_i32; HALF];
            // SAFETY: `values` is 8 entries of 4 bytes.
            unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), eight) };
            let first = (row + r) * stride + group * GROUP + half * HALF;
            for (out, value) in out[first..first + HALF].iter_mut().zip(values) {
                *out = value + starts[row + r];
            }
        }
    }
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
