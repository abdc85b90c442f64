//! Fixed blocks of work, spread over the threads and put together in order.
//!
//! The blocks do not depend on the number of threads and their results are combined in the order of the blocks, so no
//! result changes by a bit when the number of threads does.

use std::ops::Range;

use rayon::prelude::*;

/// Rows per block: large enough to hide the cost of a task, small enough to share a few thousand edges.
const BLOCK: usize = 2048;

/// Applies `work` to consecutive ranges that cover `0..n`, and returns the results in order.
pub(crate) fn map<T: Send>(n: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    if n <= BLOCK {
        return if n == 0 { Vec::new() } else { vec![work(0..n)] };
    }
    (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| work(block * BLOCK..n.min((block + 1) * BLOCK)))
        .collect()
}

/// As [`map`], for work that writes one row of `width` values per item.
pub(crate) fn map_mut<T: Send>(
    values: &mut [f64],
    width: usize,
    work: impl Fn(usize, &mut [f64]) -> T + Sync,
) -> Vec<T> {
    map_mut_by(BLOCK, values, width, work)
}

/// As [`map_mut`], with another number of rows per block: fewer where a row is much work.
pub(crate) fn map_mut_by<T: Send>(
    block: usize,
    values: &mut [f64],
    width: usize,
    work: impl Fn(usize, &mut [f64]) -> T + Sync,
) -> Vec<T> {
    if values.len() <= block * width {
        return if values.is_empty() {
            Vec::new()
        } else {
            vec![work(0, values)]
        };
    }
    values
        .par_chunks_mut(block * width)
        .enumerate()
        .map(|(place, rows)| work(place * block, rows))
        .collect()
}
