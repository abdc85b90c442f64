//! A search that the members of a team share out: each looks at some tiles, and knows what the others found.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::{Lists, NOBODY, ViewSearch};
use crate::distances::quantised::TILE;

impl ViewSearch<'_> {
    /// Lets all members of a team have everyone's bars.
    pub(super) fn share_bars(&self) {
        let team = self.search.team;
        if team.size() == 1 {
            return;
        }
        let n_blocks = self.search.bytes.n_blocks;
        let own = (0..n_blocks).filter(|&block| team.has_piece(block, n_blocks));
        let of_block = |block: usize| self.bars[block * TILE..(block + 1) * TILE].iter();
        let own: Vec<u32> = own.flat_map(of_block).map(|bar| bar.load(Ordering::Relaxed)).collect();
        let mut all: Vec<_> = team.gather_values(&own).into_iter().map(Vec::into_iter).collect();
        for block in 0..n_blocks {
            // The member that has a block has its bars next.
            let rank = block.min(n_blocks - 1 - block) % team.size();
            for (bar, found) in of_block(block).zip(&mut all[rank]) {
                bar.store(found, Ordering::Relaxed);
            }
        }
    }

    /// Puts together what members found of the same nodes: each the lists of some, and all the pairs of all.
    pub(super) fn pairs_of_team(&self) -> Vec<[u32; 2]> {
        let (team, k) = (self.search.team, self.search.k);
        let n_blocks = self.search.bytes.n_blocks;
        let blocks = |rank: usize| rank * n_blocks / team.size()..(rank + 1) * n_blocks / team.size();
        let lists: Vec<Lists> = (self.lists.iter())
            .map(|lists| std::mem::take(&mut *lists.lock().unwrap_or_else(PoisonError::into_inner)))
            .collect();
        let of_rank = |rank: usize| &lists[blocks(rank)];
        let keys = |rank: usize| of_rank(rank).iter().flat_map(|lists| &lists.keys).copied().collect();
        let nodes = |rank: usize| of_rank(rank).iter().flat_map(|lists| &lists.nodes).copied().collect();
        let keys: Vec<Vec<f64>> = team.exchange_values(&(0..team.size()).map(keys).collect::<Vec<_>>());
        let nodes: Vec<Vec<u32>> = team.exchange_values(&(0..team.size()).map(nodes).collect::<Vec<_>>());
        drop(lists);
        let own = blocks(team.rank());
        let mut pairs: Vec<[u32; 2]> = (0..own.len() * TILE)
            .into_par_iter()
            .flat_map_iter(|place| {
                let row = place * k..(place + 1) * k;
                let of_member = |(keys, nodes): (&Vec<f64>, &Vec<u32>)| -> Vec<(f64, u32)> {
                    keys[row.clone()]
                        .iter()
                        .copied()
                        .zip(nodes[row.clone()].iter().copied())
                        .collect()
                };
                let mut all: Vec<(f64, u32)> = keys.iter().zip(&nodes).flat_map(of_member).collect();
                all.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
                let node = (own.start * TILE + place) as u32;
                let is_there = |&(_, other): &(f64, u32)| other != NOBODY;
                all.into_iter()
                    .take(k)
                    .filter(is_there)
                    .map(move |(_, other)| [node.min(other), node.max(other)])
            })
            .collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        team.gather_values(&pairs).concat()
    }
}
