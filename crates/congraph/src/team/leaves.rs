//! Sums over a list of edges in a fixed binary tree, whoever has which of them.
//!
//! A list is cut into a number of leaves that depends on the number of nodes alone. Each leaf is added up in the order of
//! its edges, and leaves in pairs, pairs of pairs and so on. A member adds up the whole subtrees that it has, sends a part of
//! each to everyone, and adds up its part of all: the same additions in the same order as one process makes.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::{Load, Team};

/// Below this number of nodes nothing is shared out, and a list is one leaf.
const FEW_NODES: usize = 256;
const MANY_NODES: usize = 4096;
/// The most leaves of any list.
pub(crate) const MOST_LEAVES: usize = 16;
/// Values per task.
const BLOCK: usize = 1 << 13;

/// How the edges of a list are cut into leaves: by blocks of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaves {
    n_leaves: usize,
    n_blocks: usize,
}

impl Leaves {
    /// Of so many blocks of edges between so many nodes.
    pub(crate) fn new(n_nodes: usize, n_blocks: usize) -> Self {
        let n_leaves = match n_nodes {
            0..FEW_NODES => 1,
            FEW_NODES..MANY_NODES => 8,
            _ => MOST_LEAVES,
        };
        Self { n_leaves, n_blocks }
    }

    pub(crate) fn count(self) -> usize {
        self.n_leaves
    }

    /// The first block of a leaf; of the one after the last, the number of blocks.
    pub(crate) fn start(self, leaf: usize) -> usize {
        leaf * self.n_blocks / self.n_leaves
    }

    /// The leaves of one of several members. With more members than leaves, some have none.
    pub(crate) fn of_member(self, rank: usize, size: usize) -> Range<usize> {
        rank * self.n_leaves / size..(rank + 1) * self.n_leaves / size
    }

    /// The sum of all leaves, entry by entry; `fill` adds up one of this member's to a row of zeros when it is needed.
    pub(super) fn sum_with(
        self,
        team: &dyn Team,
        length: usize,
        fill: &(impl Fn(usize, &mut [f64]) + Sync),
    ) -> Vec<f64> {
        let used = Mutex::new(Vec::new());
        let roots = self
            .roots(team)
            .into_iter()
            .map(|subtree| grown(subtree, length, fill, &used));
        let roots = roots.collect();
        self.together(team, roots, length)
    }

    fn roots(self, team: &dyn Team) -> Vec<Range<usize>> {
        subtrees(self.of_member(team.rank(), team.size()), self.n_leaves)
    }

    /// The sum of all members' subtrees.
    fn together(self, team: &dyn Team, mut own: Vec<Vec<f64>>, length: usize) -> Vec<f64> {
        if team.is_alone() {
            return own.swap_remove(0);
        }
        let part = |rank: usize| rank * length / team.size()..(rank + 1) * length / team.size();
        let parts: Vec<Vec<f64>> = (0..team.size())
            .map(|rank| own.iter().flat_map(|sum| &sum[part(rank)]).copied().collect())
            .collect();
        drop(own);
        let width = part(team.rank()).len();
        let mut roots = Vec::new();
        team.sends(Load::Sums);
        for (rank, received) in team.exchange_values(&parts).into_iter().enumerate() {
            let theirs = subtrees(self.of_member(rank, team.size()), self.n_leaves);
            for (k, subtree) in theirs.into_iter().enumerate() {
                roots.push((subtree, received[k * width..(k + 1) * width].to_vec()));
            }
        }
        let total = combined(&mut roots.into_iter().peekable(), 0..self.n_leaves);
        let all = team.gather_values(&total).concat();
        team.sends(Load::Pairs);
        all
    }
}

/// A subtree's sum; few rows are in memory at a time.
fn grown(
    leaves: Range<usize>,
    length: usize,
    fill: &(impl Fn(usize, &mut [f64]) + Sync),
    used: &Mutex<Vec<Vec<f64>>>,
) -> Vec<f64> {
    let used_rows = || used.lock().unwrap_or_else(PoisonError::into_inner);
    if leaves.len() == 1 {
        let mut row = used_rows().pop().unwrap_or_default();
        row.clear();
        row.resize(length, 0.0);
        fill(leaves.start, &mut row);
        return row;
    }
    let middle = usize::midpoint(leaves.start, leaves.end);
    let (mut left, right) = rayon::join(
        || grown(leaves.start..middle, length, fill, used),
        || grown(middle..leaves.end, length, fill, used),
    );
    add(&mut left, &right);
    used_rows().push(right);
    left
}

/// left += right.
fn add(left: &mut [f64], right: &[f64]) {
    let add = |(left, right): (&mut [f64], &[f64])| {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    };
    left.par_chunks_mut(BLOCK).zip(right.par_chunks(BLOCK)).for_each(add);
}

/// The largest whole subtrees of a range of leaves.
fn subtrees(leaves: Range<usize>, n_leaves: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut first = leaves.start;
    while first < leaves.end {
        let aligned = if first == 0 {
            n_leaves
        } else {
            1 << first.trailing_zeros()
        };
        let mut size = aligned;
        while first + size > leaves.end {
            size /= 2;
        }
        found.push(first..first + size);
        first += size;
    }
    found
}

/// A subtree from the roots of those that make it up, which come in order.
fn combined(
    roots: &mut std::iter::Peekable<impl Iterator<Item = (Range<usize>, Vec<f64>)>>,
    subtree: Range<usize>,
) -> Vec<f64> {
    if roots.peek().is_none_or(|(root, _)| *root == subtree) || subtree.len() == 1 {
        return roots.next().map(|(_, sum)| sum).unwrap_or_default();
    }
    let middle = usize::midpoint(subtree.start, subtree.end);
    let mut left = combined(roots, subtree.start..middle);
    let right = combined(roots, middle..subtree.end);
    add(&mut left, &right);
    left
}

/// Partial sums of some leaves (in order, none twice) at one node, as the tree adds them up: what is not there is 0.
/// `sums` has one row for each of `leaves`; the result is its first row.
pub(crate) fn fold_few(leaves: &mut Vec<u32>, sums: &mut [f64], width: usize) {
    while leaves.len() > 1 {
        let mut kept = 0;
        let mut k = 0;
        while k < leaves.len() {
            let parent = leaves[k] / 2;
            let joins = k + 1 < leaves.len() && leaves[k + 1] / 2 == parent;
            if joins {
                let (left, right) = sums.split_at_mut((k + 1) * width);
                let left = &mut left[k * width..];
                left.iter_mut().zip(&right[..width]).for_each(|(x, y)| *x += y);
            }
            if kept < k {
                sums.copy_within(k * width..(k + 1) * width, kept * width);
            }
            leaves[kept] = parent;
            kept += 1;
            k += if joins { 2 } else { 1 };
        }
        leaves.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::{Alone, Threads};

    fn rows(n_leaves: usize, length: usize) -> Vec<f64> {
        // Sizes so different that the order of additions shows.
        (0..n_leaves * length)
            .map(|k| ((k * 7919) % 1013) as f64 * 10_f64.powi((k % 37) as i32 - 18))
            .collect()
    }

    #[test]
    fn the_sum_does_not_depend_on_who_has_what() {
        for n_nodes in [300, 5000] {
            let leaves = Leaves::new(n_nodes, 1000);
            let length = 2 * BLOCK + 17;
            let all = rows(leaves.count(), length);
            let alone = leaves.sum_with(&Alone, length, &|leaf, row| {
                row.copy_from_slice(&all[leaf * length..][..length]);
            });
            for size in [1, 2, 3, 4, 5, 7, 11, 20] {
                let found = Threads::new(size).run(|team| {
                    let rows = |leaf: usize| &all[leaf * length..(leaf + 1) * length];
                    leaves.sum_with(team.as_ref(), length, &|leaf, row| row.copy_from_slice(rows(leaf)))
                });
                for sum in found.unwrap() {
                    assert!(sum == alone, "{size} members");
                }
            }
        }
    }

    #[test]
    fn few_leaves_as_all() {
        let leaves = Leaves::new(5000, 1000);
        for pattern in 1_u32..1 << 10 {
            let here: Vec<u32> = (0..16)
                .filter(|leaf| (pattern.wrapping_mul(2_654_435_761) >> leaf) & 1 == 1)
                .collect();
            if here.is_empty() {
                continue;
            }
            let mut all = rows(16, 3);
            for (leaf, row) in all.chunks_exact_mut(3).enumerate() {
                if !here.contains(&(leaf as u32)) {
                    row.fill(0.0);
                }
            }
            let mut few: Vec<f64> = here
                .iter()
                .flat_map(|&leaf| all[leaf as usize * 3..][..3].to_vec())
                .collect();
            fold_few(&mut here.clone(), &mut few, 3);
            let whole = leaves.sum_with(&Alone, 3, &|leaf, row| row.copy_from_slice(&all[leaf * 3..][..3]));
            assert_eq!(few[..3], whole[..], "{here:?}");
        }
    }
}
