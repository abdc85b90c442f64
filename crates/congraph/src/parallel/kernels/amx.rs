//! Products of bytes by AMX: sixteen rows with sixteen others, 64 bytes of each, in one instruction; eight times as many
//! in a cycle as AVX-512 VNNI.
//!
//! ```text
//! tmm4, tmm5   16 rows on the left each, up to 64 bytes of them
//! tmm6, tmm7   a group on the right each: packed rows are laid out as the instruction wants them
//! tmm0 … tmm3  their four blocks of sums
//! ```
//!
//! A tile has one shape, so rows are multiplied in pieces of equal length ([`piece_of`]). What is asked of the products is
//! asked by AVX-512, as in [`super::x86`], from a buffer that stays in the nearest cache. The integers are the same: sums
//! wrap around in both, and the results do not overflow.
//!
//! The compiler on stable has no names for these instructions yet; they are written as assembly. Linux gives a process
//! registers for tiles when it asks ([`is_permitted`]), and says no where a signal's stack would be too small for them.

use std::arch::asm;
use std::arch::x86_64::{__cpuid_count, __m512i, _mm512_add_epi32, _mm512_loadu_si512, _mm512_set1_epi32};
use std::sync::OnceLock;

use super::x86::{self, Place};
use super::{ByteTile, ColumnBars, DEPTH, GROUP, RowBars};

/// Bytes of a row that one instruction takes.
const WIDE: usize = 64;
/// Rows and columns of a block of sums.
const BLOCK: usize = 2 * GROUP;
/// Rows of sums that are asked at a time.
const ROWS: usize = 8;

/// The products of a block, row by row.
#[repr(align(64))]
struct Sums([i32; BLOCK * BLOCK]);

/// The shapes of all tiles, as `ldtilecfg` reads them.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

/// Whether the processor has the instructions, and the system registers for them.
pub(super) fn is_there() -> bool {
    const TILES: u32 = 1 << 24;
    const BYTES: u32 = 1 << 25;
    // Only asked of processors with AVX-512, which have this leaf.
    let has = __cpuid_count(7, 0).edx & (TILES | BYTES) == TILES | BYTES;
    has && is_permitted()
}

/// Asks the system for registers of tiles, once for all threads.
fn is_permitted() -> bool {
    const ARCH_PRCTL: isize = 158;
    const REQUEST: usize = 0x1023;
    const TILE_DATA: usize = 18;
    static PERMITTED: OnceLock<bool> = OnceLock::new();
    *PERMITTED.get_or_init(|| {
        let result: isize;
        // SAFETY: a system call that reads and writes no memory of ours; it spoils the two registers that are named.
        unsafe {
            asm!(
                "syscall",
                inlateout("rax") ARCH_PRCTL => result,
                in("rdi") REQUEST,
                in("rsi") TILE_DATA,
                lateout("rcx") _,
                lateout("r11") _,
                options(nostack)
            );
        }
        result == 0
    })
}

/// The bytes of a row of this width that are multiplied at a time, if they come out even.
pub(super) fn piece_of(width: usize) -> Option<usize> {
    let pieces = width.div_ceil(WIDE);
    let piece = width / pieces.max(1);
    (piece > 0 && piece * pieces == width && piece.is_multiple_of(DEPTH)).then_some(piece)
}

/// Tiles with their shapes set; lets go of them at the end.
struct Tiles {
    piece: usize,
}

impl Tiles {
    /// # Safety
    /// [`is_there`], and `piece` is a multiple of [`DEPTH`] up to [`WIDE`].
    unsafe fn new(piece: usize) -> Self {
        let mut shapes = Shapes {
            palette: 1,
            start_row: 0,
            reserved: [0; 14],
            bytes: [0; 16],
            rows: [0; 16],
        };
        shapes.bytes[..8].fill(WIDE as u16);
        shapes.rows[..8].fill(GROUP as u8);
        shapes.bytes[4..6].fill(piece as u16);
        shapes.rows[6..8].fill((piece / DEPTH) as u8);
        // SAFETY: reads the 64 bytes of `shapes`, which describe tiles that the processor has.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const shapes, options(nostack, readonly)) };
        Self { piece }
    }

    /// The products of two times sixteen rows with two groups.
    ///
    /// # Safety
    /// `left` begins 32 rows of `width` bytes, `right` two groups of them, and `width` is a multiple of the piece.
    #[inline]
    unsafe fn four(&self, width: usize, left: *const i8, right: *const u8, out: &mut Sums) {
        // SAFETY: reads piece after piece of these rows: of 16 rows, `width` apart, and as much of either group, whose rows of
        // 64 bytes lie one after the other; writes the four quarters of `out`, of which a row has 128 bytes.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm4, [{a} + {width}*1]",
                "tileloadd tmm6, [{x} + {wide}*1]",
                "tileloadd tmm7, [{y} + {wide}*1]",
                "tdpbsud tmm0, tmm4, tmm6",
                "tileloadd tmm5, [{b} + {width}*1]",
                "tdpbsud tmm1, tmm4, tmm7",
                "tdpbsud tmm2, tmm5, tmm6",
                "tdpbsud tmm3, tmm5, tmm7",
                "add {a}, {piece}",
                "add {b}, {piece}",
                "add {x}, {step}",
                "add {y}, {step}",
                "dec {count}",
                "jnz 2b",
                "tilestored [{out} + {row}*1], tmm0",
                "tilestored [{out} + {row}*1 + 64], tmm1",
                "tilestored [{low} + {row}*1], tmm2",
                "tilestored [{low} + {row}*1 + 64], tmm3",
                a = inout(reg) left => _,
                b = inout(reg) left.add(GROUP * width) => _,
                x = inout(reg) right => _,
                y = inout(reg) right.add(GROUP * width) => _,
                width = in(reg) width,
                wide = in(reg) WIDE,
                piece = in(reg) self.piece,
                step = in(reg) self.piece * GROUP,
                count = inout(reg) width / self.piece => _,
                out = in(reg) out.0.as_mut_ptr(),
                low = in(reg) out.0.as_mut_ptr().add(GROUP * BLOCK),
                row = in(reg) BLOCK * size_of::<i32>(),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack)
            );
        }
    }

    /// The products of sixteen rows with a group, into the first quarter.
    ///
    /// # Safety
    /// As [`Self::four`], of 16 rows and one group.
    #[inline]
    unsafe fn one(&self, width: usize, left: *const i8, right: *const u8, out: &mut Sums) {
        // SAFETY: as in `four`.
        unsafe {
            asm!(
                "tilezero tmm0",
                "2:",
                "tileloadd tmm4, [{a} + {width}*1]",
                "tileloadd tmm6, [{x} + {wide}*1]",
                "tdpbsud tmm0, tmm4, tmm6",
                "add {a}, {piece}",
                "add {x}, {step}",
                "dec {count}",
                "jnz 2b",
                "tilestored [{out} + {row}*1], tmm0",
                a = inout(reg) left => _,
                x = inout(reg) right => _,
                width = in(reg) width,
                wide = in(reg) WIDE,
                piece = in(reg) self.piece,
                step = in(reg) self.piece * GROUP,
                count = inout(reg) width / self.piece => _,
                out = in(reg) out.0.as_mut_ptr(),
                row = in(reg) BLOCK * size_of::<i32>(),
                out("tmm0") _, out("tmm4") _, out("tmm6") _,
                options(nostack)
            );
        }
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: what is in the tiles is no longer needed, and with none in use threads change places faster.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
    }
}

/// Calls `take` with each block of products: its first row, its first group, how many groups it has (2, with 32 rows; or
/// 1, with 16 rows), and the sums. Returns how many rows were taken; fewer than 16 are left.
///
/// # Safety
/// [`is_there`]. `piece` is that of the tile's width; left and right have whole rows and groups of it.
#[inline]
unsafe fn blocks(piece: usize, tile: &ByteTile<'_>, mut take: impl FnMut(usize, usize, usize, &Sums)) -> usize {
    let width = tile.width;
    let (n_rows, n_groups) = (tile.starts.len(), tile.right.len() / (GROUP * width));
    let mut sums = Sums([0; BLOCK * BLOCK]);
    // SAFETY: as promised.
    let tiles = unsafe { Tiles::new(piece) };
    let mut row = 0;
    while row + GROUP <= n_rows {
        let pairs = if row + BLOCK <= n_rows { n_groups / 2 } else { 0 };
        for pair in 0..pairs {
            let (left, right) = (
                tile.left[row * width..].as_ptr(),
                tile.right[2 * pair * GROUP * width..].as_ptr(),
            );
            // SAFETY: rows row..row + 32 and both groups exist.
            unsafe { tiles.four(width, left, right, &mut sums) };
            take(row, 2 * pair, 2, &sums);
        }
        let below = if row + BLOCK <= n_rows { 2 } else { 1 };
        for group in 2 * pairs..n_groups {
            for half in 0..below {
                let row = row + half * GROUP;
                let (left, right) = (
                    tile.left[row * width..].as_ptr(),
                    tile.right[group * GROUP * width..].as_ptr(),
                );
                // SAFETY: rows row..row + 16 and the group exist.
                unsafe { tiles.one(width, left, right, &mut sums) };
                take(row, group, 1, &sums);
            }
        }
        row += below * GROUP;
    }
    row
}

/// What VNNI would have in its registers: some rows of the sums with their starts.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn of_rows<const G: usize>(sums: &Sums, first: usize, group: usize, starts: &[i32]) -> [[__m512i; G]; ROWS] {
    let starts = &starts[..ROWS];
    std::array::from_fn(|r| {
        let start = _mm512_set1_epi32(starts[r]);
        std::array::from_fn(|g| {
            let at = (first + r) * BLOCK + (group + g) * GROUP;
            let own = &sums.0[at..at + GROUP];
            // SAFETY: `own` is 16 entries of 4 bytes.
            _mm512_add_epi32(unsafe { _mm512_loadu_si512(own.as_ptr().cast()) }, start)
        })
    })
}

/// # Safety
/// As [`x86::vnni_marks`]; [`is_there`], and `piece` is [`piece_of`] the tile's width.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn marks<const ASKED: u8>(
    piece: usize,
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    marks: &mut [u16],
) {
    let stride = tile.right.len() / (GROUP * tile.width);
    let take = |row: usize, group: usize, groups: usize, sums: &Sums| {
        for first in (0..groups * GROUP).step_by(ROWS) {
            let place = Place {
                width: tile.width,
                row: row + first,
                group,
                stride,
            };
            let starts = &tile.starts[row + first..];
            if groups == 2 {
                let sums = of_rows::<2>(sums, first, 0, starts);
                x86::mark_sums::<ASKED, ROWS, 2>(&sums, &place, rows, columns, marks);
            } else {
                let sums = of_rows::<1>(sums, first, 0, starts);
                x86::mark_sums::<ASKED, ROWS, 1>(&sums, &place, rows, columns, marks);
            }
        }
    };
    // SAFETY: as promised.
    let done = unsafe { blocks(piece, tile, take) };
    if done < tile.starts.len() {
        let rest = tile.after(done);
        // SAFETY: as promised, of the rows that are left.
        unsafe { x86::vnni_marks::<ASKED>(&rest, &rows[done..], columns, &mut marks[done * stride..]) };
    }
}

/// # Safety
/// As [`x86::vnni_pulls`]; [`is_there`], and `piece` is [`piece_of`] the tile's width.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn pulls(
    piece: usize,
    tile: &ByteTile<'_>,
    rows: &[RowBars],
    columns: &ColumnBars<'_>,
    tau: f32,
    out: &mut [f32],
    stride: usize,
) {
    let take = |row: usize, group: usize, groups: usize, sums: &Sums| {
        for first in (0..groups * GROUP).step_by(ROWS) {
            let starts = &tile.starts[row + first..];
            for side in 0..groups {
                let place = Place {
                    width: tile.width,
                    row: row + first,
                    group: group + side,
                    stride,
                };
                let sums = of_rows::<1>(sums, first, side, starts);
                x86::pull_sums::<ROWS>(&sums, &place, rows, columns, tau, out);
            }
        }
    };
    // SAFETY: as promised.
    let done = unsafe { blocks(piece, tile, take) };
    if done < tile.starts.len() {
        let rest = tile.after(done);
        // SAFETY: as promised, of the rows that are left.
        unsafe { x86::vnni_pulls(&rest, &rows[done..], columns, tau, &mut out[done * stride..], stride) };
    }
}
