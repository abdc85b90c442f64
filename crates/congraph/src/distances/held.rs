//! What members of a team ask of those who have the signals of a view.

use rayon::prelude::*;

use super::quantised::{Quantised, TILE};
use super::singles::products_in_f32;
use crate::edges::ViewMatrix;
use crate::signals::{Signals, ViewSignals};
use crate::team::Team;

/// The costs of chosen edges, one row per edge: each member tells everybody its own, and is told their costs in every
/// view by who has it.
pub(super) fn distances(signals: &Signals, team: &dyn Team, pairs: &[[u32; 2]]) -> ViewMatrix {
    let here: Vec<&ViewSignals> = (signals.here(team.rank()).iter())
        .map(|&view| &signals.views[view])
        .collect();
    let asked = team.gather_values(pairs);
    let of_member = |pairs: Vec<[u32; 2]>| match here[..] {
        [] => Vec::new(),
        _ => signals.distances_in(&here, &pairs).values().to_vec(),
    };
    let told: Vec<Vec<f64>> = asked.into_iter().map(of_member).collect();
    let told = team.exchange_values(&told);
    let n_views = signals.views.len();
    let mut distances = ViewMatrix::zeros(pairs.len(), n_views);
    for (rank, told) in told.iter().enumerate() {
        let views = signals.here(rank);
        let rows = told.chunks_exact(views.len().max(1)).zip(distances.rows_mut());
        for (from, to) in rows {
            views.iter().zip(from).for_each(|(&view, &cost)| to[view] = cost);
        }
    }
    distances
}

/// Some nodes with a block of others.
pub(super) struct Wanted<'a> {
    pub(super) rows: &'a [u32],
    pub(super) block: usize,
}

/// The products of some tiles in f32, view by view, as [`products_in_f32`] gives them: each member tells everybody its
/// own tiles, and is told their products in every view by who has it.
pub(super) fn products(
    bytes: &Quantised,
    signals: &Signals,
    team: &dyn Team,
    wanted: &[Wanted<'_>],
) -> Vec<Vec<Vec<f32>>> {
    let mut own: Vec<u32> = Vec::new();
    for tile in wanted {
        own.extend([tile.block as u32, tile.rows.len() as u32]);
        own.extend_from_slice(tile.rows);
    }
    let here = signals.here(team.rank());
    let of_tile = |(panels, tile): &mut ([Vec<f32>; 2], Vec<f32>), (block, rows, view): (u32, &[u32], usize)| {
        let nodes = rows.iter().map(|&node| node as usize);
        let columns = bytes.nodes(block as usize);
        products_in_f32(&bytes.views[view], &signals.views[view], nodes, columns, panels, tile);
        tile[..rows.len() * TILE].to_vec()
    };
    let of_member = |asked: Vec<u32>| {
        let (mut rest, mut tiles) = (&asked[..], Vec::new());
        while let Some((&[block, n_rows], after)) = rest.split_first_chunk() {
            let (rows, after) = after.split_at(n_rows as usize);
            tiles.extend(here.iter().map(|&view| (block, rows, view)));
            rest = after;
        }
        let told: Vec<Vec<f32>> = tiles.into_par_iter().map_init(Default::default, of_tile).collect();
        told.concat()
    };
    let told: Vec<Vec<f32>> = team.gather_values(&own).into_iter().map(of_member).collect();
    let told = team.exchange_values(&told);
    let mut found: Vec<Vec<Vec<f32>>> = wanted.iter().map(|_| vec![Vec::new(); signals.views.len()]).collect();
    for (rank, told) in told.iter().enumerate() {
        let mut rest = &told[..];
        for (tile, wanted) in found.iter_mut().zip(wanted) {
            for view in signals.here(rank) {
                let (products, after) = rest.split_at(wanted.rows.len() * TILE);
                tile[view] = products.to_vec();
                rest = after;
            }
        }
    }
    found
}
