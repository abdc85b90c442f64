//! Fixed chunks of work, spread over the threads and combined in order.
//!
//! The chunks do not depend on the number of threads, and their results are combined in a fixed order. So no result
//! changes by a bit when the number of threads does.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// Rows per chunk: large enough to hide the cost of a task, small enough to share a few thousand edges.
const BLOCK: usize = 512;

/// Runs `work` on one of the threads of the pool. Called from outside the pool, every single pass would wake a thread
/// and wait for it, which takes longer than a pass over a few thousand edges.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

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

/// How many ranges [`map`] and [`map_with`] make.
pub(crate) fn count(n: usize) -> usize {
    n.div_ceil(BLOCK)
}

/// Where a range starts.
pub(crate) fn start(block: usize) -> usize {
    block * BLOCK
}

/// As [`map`], for work that writes to one item per range.
pub(crate) fn map_with<I: Send, T: Send>(
    items: &mut [I],
    n: usize,
    work: impl Fn(Range<usize>, &mut I) -> T + Sync,
) -> Vec<T> {
    let range = |block: usize| block * BLOCK..n.min((block + 1) * BLOCK);
    match items {
        [] => Vec::new(),
        [item] => vec![work(range(0), item)],
        items => items
            .par_iter_mut()
            .enumerate()
            .map(|(block, item)| work(range(block), item))
            .collect(),
    }
}

/// Applies `work` to each item, and returns the results in order.
pub(crate) fn map_items<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync + Send) -> Vec<T> {
    match items {
        [item] => vec![work(item)],
        items => items.par_iter().map(work).collect(),
    }
}

/// Applies `work` to each item, and returns the results in order, or the error of the first item that has one.
///
/// Collecting into a `Result` would give the error of whichever thread failed first. What comes after a failed item may
/// be left out; what comes before it never is.
///
/// # Errors
/// The first one of `work`, in the order of the items.
pub(crate) fn try_map<I: Send, T: Send, E: Send>(
    items: impl IndexedParallelIterator<Item = I>,
    work: impl Fn(I) -> Result<T, E> + Sync + Send,
) -> Result<Vec<T>, E> {
    let failed = AtomicUsize::new(usize::MAX);
    let of_item = |(place, item)| {
        if place > failed.load(Ordering::Relaxed) {
            return None;
        }
        let found = work(item);
        if found.is_err() {
            failed.fetch_min(place, Ordering::Relaxed);
        }
        Some(found)
    };
    let found: Vec<Option<Result<T, E>>> = items.enumerate().map(of_item).collect();
    found.into_iter().flatten().collect()
}

/// As [`map`], for work that writes one row of `width` values per item.
pub(crate) fn map_mut<T: Send>(
    values: &mut [f64],
    width: usize,
    work: impl Fn(usize, &mut [f64]) -> T + Sync,
) -> Vec<T> {
    map_mut_by(BLOCK, values, width, work)
}

/// As [`map_mut`], with another number of rows per chunk: fewer where a row is much work.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_that_of_the_first_item() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for _ in 0..50 {
                let work = |k: usize| {
                    // Later items fail sooner.
                    std::thread::sleep(std::time::Duration::from_micros(200 - 2 * k as u64));
                    if k % 7 == 6 { Err(k) } else { Ok(k) }
                };
                assert_eq!(pool.install(|| try_map((0..100).into_par_iter(), work)), Err(6));
                let fine = pool.install(|| try_map((0..6).into_par_iter(), work));
                assert_eq!(fine, Ok((0..6).collect()));
            }
        }
    }
}
