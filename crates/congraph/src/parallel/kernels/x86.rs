//! Products of bytes in AVX2 and AVX-512: see the room's header.

use std::arch::x86_64::{
    __m256i, __m512, __m512i, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LT_OQ, _CMP_NLT_UQ, _mm_loadu_si128, _mm_set1_epi32,
    _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_cvtepu8_epi16, _mm256_hadd_epi32, _mm256_madd_epi16,
    _mm256_permute4x64_epi64, _mm256_setzero_si256, _mm256_storeu_si256, _mm512_abs_ps, _mm512_add_epi32,
    _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_fnmadd_ps,
    _mm512_loadu_ps, _mm512_loadu_si512, _mm512_mask_mov_ps, _mm512_maskz_loadu_epi8, _mm512_max_ps, _mm512_mul_ps,
    _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps,
    _mm512_setzero_si512, _mm512_storeu_ps, _mm512_storeu_si512, _mm512_sub_ps, _mm512_xor_si512,
};

use super::{ByteTile, ColumnBars, DEPTH, GROUP, RowBars};

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
pub(super) struct Place {
    pub(super) width: usize,
    pub(super) row: usize,
    pub(super) group: usize,
    /// Entries in a row of the result.
    pub(super) stride: usize,
}

/// The products of some rows with some groups.
///
/// # Safety
/// As [`vnni`]; rows `row..row + R` and groups `group..group + G` exist.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
unsafe fn vnni_sums<const R: usize, const G: usize>(
    place: &Place,
    left: &[i8],
    starts: &[i32],
    right: &[u8],
) -> [[__m512i; G]; R] {
    let &Place { width, row, group, .. } = place;
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
    sums
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
    // SAFETY: as promised.
    let sums = unsafe { vnni_sums::<R, G>(place, left, starts, right) };
    for (r, sums) in sums.iter().enumerate() {
        let first = (place.row + r) * place.stride + place.group * GROUP;
        for (sum, out) in sums
            .iter()
            .zip(out[first..first + G * GROUP].as_chunks_mut::<GROUP>().0)
        {
            // SAFETY: `out` is 16 entries of 4 bytes.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), *sum) };
        }
    }
}

/// # Safety
/// The processor has AVX-512 F, BW and VNNI; both rows are equally long, and `start` belongs to the second.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn vnni_pair(x: &[i8], y: &[i8], start: i32) -> i32 {
    const BYTES: usize = GROUP * DEPTH;
    let sign = _mm512_set1_epi8(i8::MIN);
    let (whole, rest) = (x.len() / BYTES, x.len() % BYTES);
    let mut sums = [_mm512_setzero_si512(); 2];
    for k in 0..whole {
        // SAFETY: bytes 64·k .. + 64 of both rows, k < length/64.
        let [x, y] = [x, y].map(|row| unsafe { _mm512_loadu_si512(row.as_ptr().add(k * BYTES).cast()) });
        sums[k % 2] = _mm512_dpbusd_epi32(sums[k % 2], _mm512_xor_si512(x, sign), y);
    }
    if rest > 0 {
        let mask = (1_u64 << rest) - 1;
        // SAFETY: the last `rest` bytes of both rows; others are not read.
        let [x, y] = [x, y].map(|row| unsafe { _mm512_maskz_loadu_epi8(mask, row.as_ptr().add(whole * BYTES)) });
        sums[0] = _mm512_dpbusd_epi32(sums[0], _mm512_xor_si512(x, sign), y);
    }
    start + _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}

/// What is asked: [`super::Asked`].
pub(super) const OPEN: u8 = 0;
pub(super) const NEAR: u8 = 1;
pub(super) const EITHER: u8 = 2;

/// Bytes on the left that stay in the nearest cache beside two groups.
const STRIP: usize = 12 << 10;

/// # Safety
/// The processor has AVX-512 F, BW and VNNI. With R = `tile.starts.len()` and C = `tile.right.len() / width`: `width` > 0
/// is a multiple of [`DEPTH`], C one of [`GROUP`], `left` has R·`width` entries, `rows` R, `marks` R·C/16, and the bars of
/// columns C each (those that `ASKED` does not need aside).
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn vnni_marks<const ASKED: u8>(
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    marks: &mut [u16],
) {
    let n_groups = tile.right.len() / (GROUP * tile.width);
    let strip = (STRIP / tile.width).max(1).next_multiple_of(ROWS);
    for first in (0..rows.len()).step_by(strip) {
        let last = rows.len().min(first + strip);
        let mut group = 0;
        while group < n_groups {
            let groups = if group + GROUPS <= n_groups { GROUPS } else { 1 };
            let mut row = first;
            while row < last {
                let place = Place {
                    width: tile.width,
                    row,
                    group,
                    stride: n_groups,
                };
                let all = row + ROWS <= last;
                // SAFETY: rows row..row + R and groups group..group + G exist: R = ROWS only if so many are left, and
                // G likewise.
                unsafe {
                    match (all, groups) {
                        (true, GROUPS) => marks_block::<ASKED, ROWS, GROUPS>(&place, tile, rows, columns, marks),
                        (true, _) => marks_block::<ASKED, ROWS, 1>(&place, tile, rows, columns, marks),
                        (false, GROUPS) => marks_block::<ASKED, 1, GROUPS>(&place, tile, rows, columns, marks),
                        (false, _) => marks_block::<ASKED, 1, 1>(&place, tile, rows, columns, marks),
                    }
                }
                row += if all { ROWS } else { 1 };
            }
            group += groups;
        }
    }
}

/// # Safety
/// As [`vnni_marks`]; rows `row..row + R` and groups `group..group + G` exist.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
unsafe fn marks_block<const ASKED: u8, const R: usize, const G: usize>(
    place: &Place,
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    marks: &mut [u16],
) {
    // SAFETY: as promised.
    let sums = unsafe { vnni_sums::<R, G>(place, tile.left, tile.starts, tile.right) };
    mark_sums::<ASKED, R, G>(&sums, place, rows, columns, marks);
}

/// Compares the products of some rows with some groups.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
pub(super) fn mark_sums<const ASKED: u8, const R: usize, const G: usize>(
    sums: &[[__m512i; G]; R],
    place: &Place,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    marks: &mut [u16],
) {
    let mut bars = [[_mm512_setzero_ps(); G]; 3];
    let own = place.group * GROUP..(place.group + G) * GROUP;
    let all = [
        columns.scales,
        columns.bars,
        if ASKED == OPEN { columns.bars } else { columns.others },
    ];
    for (bars, values) in bars.iter_mut().zip(all) {
        for (bar, values) in bars.iter_mut().zip(values[own.clone()].as_chunks::<GROUP>().0) {
            // SAFETY: `values` is 16 entries of 4 bytes.
            *bar = unsafe { _mm512_loadu_ps(values.as_ptr()) };
        }
    }
    let [scales, bars, others] = &bars;
    for (r, (sums, row)) in sums.iter().zip(&rows[place.row..place.row + R]).enumerate() {
        let half = _mm512_set1_ps(row.half);
        let first = (place.row + r) * place.stride + place.group;
        for (g, mark) in marks[first..first + G].iter_mut().enumerate() {
            let x = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[g]), scales[g]);
            *mark = if ASKED == OPEN {
                let y = _mm512_fnmadd_ps(half, bars[g], x);
                _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(y, _mm512_set1_ps(row.low))
            } else {
                let x = if ASKED == EITHER { _mm512_abs_ps(x) } else { x };
                near(x, half, bars[g], others[g], row, ASKED == EITHER)
            };
        }
    }
}

/// # Safety
/// As [`vnni_marks`], with rows of `sums` that begin `stride` ≥ C apart instead of marks.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn vnni_pulls(
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    tau: f32,
    sums: &mut [f32],
    stride: usize,
) {
    let n_groups = tile.right.len() / (GROUP * tile.width);
    let strip = (STRIP / tile.width).max(1).next_multiple_of(ROWS);
    for first in (0..rows.len()).step_by(strip) {
        let last = rows.len().min(first + strip);
        for group in 0..n_groups {
            let mut row = first;
            while row < last {
                let place = Place {
                    width: tile.width,
                    row,
                    group,
                    stride,
                };
                let all = row + 2 * ROWS <= last;
                // SAFETY: rows row..row + R and the group exist: R = 2 ROWS only if so many are left.
                unsafe {
                    if all {
                        pulls_block::<{ 2 * ROWS }>(&place, tile, rows, columns, tau, sums);
                    } else {
                        pulls_block::<1>(&place, tile, rows, columns, tau, sums);
                    }
                }
                row += if all { 2 * ROWS } else { 1 };
            }
        }
    }
}

/// # Safety
/// As [`vnni_pulls`]; rows `row..row + R` and the group exist.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
unsafe fn pulls_block<const R: usize>(
    place: &Place,
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    tau: f32,
    out: &mut [f32],
) {
    // SAFETY: as promised.
    let sums = unsafe { vnni_sums::<R, 1>(place, tile.left, tile.starts, tile.right) };
    pull_sums::<R>(&sums, place, rows, columns, tau, out);
}

/// Adds the pulls of some rows with a group, by their products.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
pub(super) fn pull_sums<const R: usize>(
    sums: &[[__m512i; 1]; R],
    place: &Place,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    tau: f32,
    out: &mut [f32],
) {
    let own = place.group * GROUP..(place.group + 1) * GROUP;
    let [scales, bars] = [&columns.scales[own.clone()], &columns.bars[own]];
    // SAFETY: both are 16 entries of 4 bytes.
    let [scales, bars] = [scales, bars].map(|values| unsafe { _mm512_loadu_ps(values.as_ptr()) });
    let [most, least] = [_mm512_set1_ps(tau), _mm512_set1_ps(-tau)];
    let beyond = _mm512_set1_ps(super::plain::BEYOND);
    for (r, (sums, row)) in sums.iter().zip(&rows[place.row..place.row + R]).enumerate() {
        let x = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[0]), scales);
        let y = _mm512_fnmadd_ps(_mm512_set1_ps(row.half), bars, x);
        let u = _mm512_mul_ps(_mm512_sub_ps(y, _mm512_set1_ps(row.low)), _mm512_set1_ps(row.unit));
        // Of two numbers of which one is none, the second is taken.
        let pull = _mm512_max_ps(least, u);
        let pull = _mm512_mask_mov_ps(pull, _mm512_cmp_ps_mask::<_CMP_GT_OQ>(u, most), beyond);
        let first = (place.row + r) * place.stride + place.group * GROUP;
        let out = &mut out[first..first + GROUP];
        // SAFETY: `out` is 16 entries of 4 bytes.
        unsafe { _mm512_storeu_ps(out.as_mut_ptr(), _mm512_add_ps(_mm512_loadu_ps(out.as_ptr()), pull)) };
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn near(x: __m512, half: __m512, bar: __m512, other: __m512, row: &RowBars, either: bool) -> u16 {
    let y = _mm512_fnmadd_ps(half, bar, x);
    let far = if either {
        _mm512_fnmadd_ps(half, bar, _mm512_sub_ps(_mm512_setzero_ps(), x))
    } else {
        y
    };
    _mm512_cmp_ps_mask::<_CMP_GE_OQ>(y, _mm512_set1_ps(row.low))
        | _mm512_cmp_ps_mask::<_CMP_GE_OQ>(_mm512_fmadd_ps(half, other, y), _mm512_set1_ps(row.other))
        | _mm512_cmp_ps_mask::<_CMP_LT_OQ>(far, _mm512_set1_ps(row.high))
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
