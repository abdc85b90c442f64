//! The edges by the number k of views that have them.
//!
//! Where views lack nodes, an edge's steps run over the views that have it. Edges with the same k are kept together in
//! tiles of 3k + 2 columns, and a pass over them is that of a problem with k views; only where it reads levels and adds
//! up degrees must it know which view a column is of. Where no view lacks anything there is one group of all edges in
//! their own order.

use rayon::prelude::*;

use super::start::EdgeStart;
use super::tiles::{Tile, width};
use crate::methods::smooth::Problem;
use crate::parallel::simd::Column;
use crate::penalties::LANES;

/// Edges per part at least, and parts at most: each adds up the degrees of all nodes on its own.
const PART: usize = 512;
const MOST_PARTS: usize = 64;

/// Edges that the same number of views have.
pub(super) struct EdgeGroup {
    /// How many views have each edge.
    pub(super) n_views: usize,
    pub(super) tiles: Vec<Column>,
    /// Edges per part, a multiple of [`LANES`].
    pub(super) part: usize,
    /// Each part's share of the degrees of the right-hand side.
    pub(super) degrees: Vec<Vec<f64>>,
    /// Which edges these are; none if they are all in order.
    pub(super) members: Option<Members>,
}

/// The edges of a group.
pub(super) struct Members {
    /// In increasing order.
    edges: Vec<u32>,
    pub(super) pairs: Vec<[u32; 2]>,
    /// For each tile and each of its views, the view of each lane.
    pub(super) views: Vec<[u32; LANES]>,
}

impl EdgeGroup {
    /// All edges, begun with what `begin` says of an edge and the views that have it; and for each edge its group and
    /// its place there, unless there is but one.
    pub(super) fn all(
        problem: &Problem,
        begin: impl Fn(usize, &[u32], &mut EdgeStart) + Sync,
    ) -> (Vec<Self>, Vec<[u32; 2]>) {
        if problem.membership().is_total() {
            return (vec![Self::new(problem, problem.n_views(), None, begin)], Vec::new());
        }
        // Sorted by k, each group in the order of its edges.
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); problem.n_views() + 1];
        for edge in 0..problem.n_edges() {
            edges[own_views(problem, edge).count()].push(edge as u32);
        }
        let mut groups = Vec::new();
        let mut places = vec![[0, 0]; problem.n_edges()];
        for (n_views, edges) in edges.into_iter().enumerate().filter(|(_, edges)| !edges.is_empty()) {
            for (place, &edge) in edges.iter().enumerate() {
                places[edge as usize] = [groups.len() as u32, place as u32];
            }
            let members = Members::new(problem, n_views, edges);
            groups.push(Self::new(problem, n_views, Some(members), &begin));
        }
        (groups, places)
    }

    fn new(
        problem: &Problem,
        n_views: usize,
        members: Option<Members>,
        begin: impl Fn(usize, &[u32], &mut EdgeStart) + Sync,
    ) -> Self {
        let inverse = 1.0 / problem.kappa();
        let (n_nodes, n_edges) = (
            problem.n_nodes(),
            members
                .as_ref()
                .map_or(problem.n_edges(), |members| members.edges.len()),
        );
        let edge_of = |place: usize| members.as_ref().map_or(place, |members| members.edges[place] as usize);
        let mut tiles = vec![[0.0; LANES]; n_edges.div_ceil(LANES) * width(n_views)];
        tiles.par_chunks_exact_mut(width(n_views)).enumerate().for_each_init(
            || (EdgeStart::new(n_views), Vec::new()),
            |(start, own), (k, columns)| {
                let mut tile = Tile::new(columns);
                for place in k * LANES..n_edges.min((k + 1) * LANES) {
                    let edge = edge_of(place);
                    own.clear();
                    own.extend(own_views(problem, edge));
                    begin(edge, own, start);
                    let distances = problem.distances().values().row(edge);
                    // d = D/κ.
                    let distances = own.iter().map(|&view| distances[view as usize] * inverse);
                    tile.place(place % LANES, distances, start);
                }
            },
        );
        // Every part adds up degrees of its own: not more parts than edges can pay for.
        let n_parts = (n_edges / (16 * n_nodes)).clamp(8, MOST_PARTS);
        let part = n_edges.div_ceil(n_parts).max(PART).next_multiple_of(LANES);
        Self {
            n_views,
            tiles,
            part,
            degrees: vec![vec![0.0; n_nodes * problem.n_views()]; n_edges.div_ceil(part)],
            members,
        }
    }

    /// How many pairs of an edge and a view that has it.
    pub(super) fn n_entries(&self, problem: &Problem) -> usize {
        self.n_views
            * self
                .members
                .as_ref()
                .map_or(problem.n_edges(), |members| members.edges.len())
    }

    /// The columns of the tile of an edge, by its place.
    pub(super) fn tile(&self, place: usize) -> &[Column] {
        let first = place / LANES * width(self.n_views);
        &self.tiles[first..first + width(self.n_views)]
    }

    /// Puts the entries of an edge, by its place, where their views are in a row of all views.
    pub(super) fn spread(&self, place: usize, own: &[f64], row: &mut [f64]) {
        let Some(members) = &self.members else {
            return row.copy_from_slice(own);
        };
        row.fill(0.0);
        let views = &members.views[place / LANES * self.n_views..];
        for (views, &value) in views.iter().zip(own) {
            row[views[place % LANES] as usize] = value;
        }
    }
}

impl Members {
    fn new(problem: &Problem, n_views: usize, edges: Vec<u32>) -> Self {
        let pairs = problem.distances().edges().pairs();
        let mut views = vec![[0; LANES]; edges.len().div_ceil(LANES) * n_views];
        for (place, &edge) in edges.iter().enumerate() {
            let columns = &mut views[place / LANES * n_views..];
            for (column, view) in columns.iter_mut().zip(own_views(problem, edge as usize)) {
                column[place % LANES] = view;
            }
        }
        Self {
            pairs: edges.iter().map(|&edge| pairs[edge as usize]).collect(),
            views,
            edges,
        }
    }
}

/// The views that have an edge.
fn own_views(problem: &Problem, edge: usize) -> impl Iterator<Item = u32> {
    let distances = problem.distances().values().row(edge);
    let masked = !problem.membership().is_total();
    (0..problem.n_views() as u32).filter(move |&view| !masked || distances[view as usize] < f64::INFINITY)
}
