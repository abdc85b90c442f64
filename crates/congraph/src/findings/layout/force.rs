//! A layout by forces: joined nodes attract, all nodes repel (Fruchterman and Reingold).
//!
//! It starts from the two slowest modes of a random walk on the graph, so that few iterations unfold it. Nodes without
//! an edge are set in rows below the others. Nodes are taken in the order of their names: the same graph has the same
//! picture whatever the order of columns.
//!
//! Cost per iteration: O(n²) up to [`EXACT`] nodes, above O(n log n) by the squares of [`tree`](super::tree) and, for
//! nodes that would cover each other, a grid; fewer iterations for more nodes.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::tree::Tree;
use crate::graph::{MultiviewGraph, is_edge};
use crate::parallel::chunks;

/// The most and the fewest iterations, and how many pairs may be looked at in all.
const MOST: usize = 200;
const FEWEST: usize = 40;
const PAIRS: usize = 60_000_000;
/// The fewest and the most steps of the random walk whose slow modes are the start; two for each node.
const WALK: [usize; 2] = [100, 800];
/// Fewer nodes are not worth waking a thread for.
const MANY: usize = 400;
/// Of more nodes, far ones push together.
const EXACT: usize = 500;
/// How strongly everything is drawn to the middle, over √n; without it, parts that are not joined would fly apart.
const GRAVITY: f64 = 2.0;
/// Beyond this many lengths of an edge nodes repel ever less: chains would stretch, and their ends shrink to spots.
const REACH: f64 = 4.0;
/// The total weight that pulls at a node on average: dense parts are then no more crowded than thin ones.
const PULL: f64 = 3.0;
/// Nodes are at least this far apart, in units of the side of the square that each would have.
const APART: f64 = 0.42;

/// A point for each node, in the graph's order.
pub(super) fn layout(graph: &MultiviewGraph, shared: &[f64]) -> Vec<[f64; 2]> {
    let n = graph.n_nodes();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&node| &graph.nodes()[node]);
    let mut degree = vec![0_usize; n];
    for (pair, _) in present(graph, shared) {
        pair.iter().for_each(|&node| degree[node] += 1);
    }
    let (joined, alone): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&node| degree[node] > 0);
    let mut place = vec![usize::MAX; n];
    for (at, &node) in joined.iter().enumerate() {
        place[node] = at;
    }
    let mut edges: Vec<([usize; 2], f64)> = present(graph, shared)
        .map(|(pair, weight)| (pair.map(|node| place[node]), weight))
        .map(|([a, b], weight)| ([a.min(b), a.max(b)], weight))
        .collect();
    edges.sort_by_key(|edge| edge.0);
    // Square roots, or a few heavy edges would collapse the rest.
    edges.iter_mut().for_each(|edge| edge.1 = edge.1.sqrt());
    let total: f64 = edges.iter().map(|edge| edge.1).sum();
    let unit = PULL * joined.len() as f64 / (2.0 * total);
    edges.iter_mut().for_each(|edge| edge.1 *= unit);
    let points = parted(upright(settled(joined.len(), &edges)));

    let mut all = vec![[0.0, 0.0]; n];
    for (&node, at) in joined.iter().zip(&points) {
        all[node] = *at;
    }
    set_apart(&mut all, &points, &alone);
    all
}

/// The edges and how strongly they pull: those of either sign alike, so that what is joined is drawn together.
fn present<'g>(graph: &'g MultiviewGraph, shared: &'g [f64]) -> impl Iterator<Item = ([usize; 2], f64)> + 'g {
    let pairs = graph.pairs().iter().zip(shared);
    pairs
        .filter(|(_, weight)| is_edge(**weight))
        .map(|(pair, &weight)| (pair.map(|node| node as usize), weight.abs()))
}

/// The forces' work, in units of the ideal length of an edge.
fn settled(n: usize, edges: &[([usize; 2], f64)]) -> Vec<[f64; 2]> {
    let mut points = start(n, edges);
    let iterations = (PAIRS / (n * n).max(1)).clamp(FEWEST, MOST);
    let reach = (n as f64).sqrt();
    for iteration in 0..iterations {
        let left = 1.0 - iteration as f64 / iterations as f64;
        let longest = 0.12 * reach * left * left + 0.01;
        let push = |at: &[f64; 2]| repelled(*at, &points);
        let mut forces = if n < MANY {
            points.iter().map(push).collect()
        } else if n <= EXACT {
            chunks::map_items(&points, push)
        } else {
            let tree = Tree::new(&points);
            chunks::map_items(&points, |at: &[f64; 2]| repelled_by(*at, &tree, n))
        };
        for &([a, b], weight) in edges {
            let apart = [points[b][0] - points[a][0], points[b][1] - points[a][1]];
            let pull = weight * apart[0].hypot(apart[1]);
            for axis in 0..2 {
                forces[a][axis] += pull * apart[axis];
                forces[b][axis] -= pull * apart[axis];
            }
        }
        for (at, force) in points.iter_mut().zip(&forces) {
            let length = force[0].hypot(force[1]);
            if length > 0.0 {
                let step = length.min(longest) / length;
                at[0] += step * force[0];
                at[1] += step * force[1];
            }
        }
    }
    points
}

/// How all others push a node away, and the middle draws it.
fn repelled(at: [f64; 2], points: &[[f64; 2]]) -> [f64; 2] {
    let gravity = GRAVITY / (points.len() as f64).sqrt();
    let mut force = [-gravity * at[0], -gravity * at[1]];
    for other in points {
        let apart = [at[0] - other[0], at[1] - other[1]];
        let push = push(apart[0] * apart[0] + apart[1] * apart[1]);
        force[0] += push * apart[0];
        force[1] += push * apart[1];
    }
    force
}

/// The same within a few per cent, by squares of nodes.
fn repelled_by(at: [f64; 2], tree: &Tree<'_>, n: usize) -> [f64; 2] {
    let gravity = GRAVITY / (n as f64).sqrt();
    let force = tree.force(at, push);
    [force[0] - gravity * at[0], force[1] - gravity * at[1]]
}

/// How strongly a node pushes another at the root of this distance away, over that distance.
fn push(square: f64) -> f64 {
    // The floor keeps nodes on the same spot, the node itself among them, from dividing by zero.
    1.0 / (square.max(1e-4) * (1.0 + square / (REACH * REACH)))
}

/// The two slowest modes of the lazy random walk, with a little noise so that no two nodes coincide.
fn start(n: usize, edges: &[([usize; 2], f64)]) -> Vec<[f64; 2]> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut noise = || random.random::<f64>() - 0.5;
    let mut strength = vec![0.0; n];
    for &([a, b], weight) in edges {
        strength[a] += weight;
        strength[b] += weight;
    }
    let mut modes: Vec<Vec<f64>> = Vec::new();
    let constant = vec![1.0; n];
    for _ in 0..2 {
        let mut mode: Vec<f64> = (0..n).map(|_| noise()).collect();
        for _ in 0..(2 * n).clamp(WALK[0], WALK[1]) {
            let mut next: Vec<f64> = mode.iter().map(|value| 0.5 * value).collect();
            for &([a, b], weight) in edges {
                next[a] += 0.5 * weight / strength[a] * mode[b];
                next[b] += 0.5 * weight / strength[b] * mode[a];
            }
            for other in std::iter::once(&constant).chain(&modes) {
                let inner = |x: &[f64]| -> f64 { (0..n).map(|k| strength[k] * x[k] * other[k]).sum() };
                let share = inner(&next) / inner(other);
                next.iter_mut()
                    .zip(other)
                    .for_each(|(value, &along)| *value -= share * along);
            }
            let size = next.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
            if size == 0.0 {
                break;
            }
            next.iter_mut().for_each(|value| *value /= size);
            mode = next;
        }
        modes.push(mode);
    }
    let reach = 0.5 * (n as f64).sqrt();
    (0..n)
        .map(|k| [0, 1].map(|axis| reach * (modes[axis][k] + 0.2 * noise())))
        .collect()
}

/// Nodes that would cover each other moved apart.
fn parted(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let n = points.len();
    let span = |axis: usize| {
        let values = points.iter().map(|at| at[axis]);
        let (low, high) = values.fold((0.0, 0.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
        high - low
    };
    let least = APART * (span(0) * span(1) / n.max(1) as f64).sqrt();
    for _ in 0..(PAIRS / 4 / (n * n).max(1)).clamp(4, 30) {
        if n <= EXACT {
            for b in 1..n {
                for a in 0..b {
                    part(&mut points, [a, b], least);
                }
            }
        } else {
            for pair in near(&points, least) {
                part(&mut points, pair, least);
            }
        }
    }
    points
}

/// Moves two nodes apart if they are nearer than this.
fn part(points: &mut [[f64; 2]], [a, b]: [usize; 2], least: f64) {
    let apart = [points[b][0] - points[a][0], points[b][1] - points[a][1]];
    if apart[0].abs() >= least || apart[1].abs() >= least {
        return;
    }
    let distance = apart[0].hypot(apart[1]);
    if distance < least && distance > 0.0 {
        let step = 0.5 * (least - distance) / distance;
        for axis in 0..2 {
            points[a][axis] -= step * apart[axis];
            points[b][axis] += step * apart[axis];
        }
    }
}

/// The pairs a < b nearer than this, in order, by a grid of cells of that side.
fn near(points: &[[f64; 2]], least: f64) -> Vec<[usize; 2]> {
    let cell = |at: &[f64; 2]| at.map(|x| (x / least).floor() as i64);
    let mut of_cell: BTreeMap<[i64; 2], Vec<usize>> = BTreeMap::new();
    for (node, at) in points.iter().enumerate() {
        of_cell.entry(cell(at)).or_default().push(node);
    }
    let mut pairs = Vec::new();
    for (b, at) in points.iter().enumerate() {
        let [column, row] = cell(at);
        for place in (0..9).map(|k| [column + k / 3 - 1, row + k % 3 - 1]) {
            let others = of_cell.get(&place).into_iter().flatten().copied();
            let is_near = |a: usize| (at[0] - points[a][0]).hypot(at[1] - points[a][1]) < least;
            pairs.extend(others.filter(|&a| a < b && is_near(a)).map(|a| [a, b]));
        }
    }
    pairs.sort_by_key(|&[a, b]| [b, a]);
    pairs
}

/// Turned so that the longer axis lies flat, and centred.
fn upright(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let n = points.len().max(1) as f64;
    let middle = [0, 1].map(|axis| points.iter().map(|at| at[axis]).sum::<f64>() / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for at in &points {
        let (x, y) = (at[0] - middle[0], at[1] - middle[1]);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let (sine, cosine) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    points
        .into_iter()
        .map(|at| {
            let (x, y) = (at[0] - middle[0], at[1] - middle[1]);
            [cosine * x + sine * y, cosine * y - sine * x]
        })
        .collect()
}

/// Nodes without an edge, in rows below the others.
fn set_apart(all: &mut [[f64; 2]], points: &[[f64; 2]], alone: &[usize]) {
    let width = points.iter().fold(1.0, |reach: f64, at| reach.max(at[0].abs())) * 2.0;
    let floor = points.iter().fold(0.0, |low: f64, at| low.min(at[1]));
    let per_row = alone
        .len()
        .min(24.max((alone.len() as f64 * 2.0).sqrt().ceil() as usize))
        .max(1);
    // A few stand as far apart, and as far below, as joined nodes do.
    let step = (width / per_row as f64).min(1.0);
    for (k, &node) in alone.iter().enumerate() {
        let (row, column) = (k / per_row, k % per_row);
        let here = (alone.len() - row * per_row).min(per_row);
        let x = (column as f64 - 0.5 * (here - 1) as f64) * step;
        all[node] = [x, floor - step * (row as f64 + 1.0)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::ViewMatrix;

    fn graph(n: usize, pairs: &[[u32; 2]]) -> (MultiviewGraph, Vec<f64>) {
        let names = (0..n).map(|k| format!("n{k:02}")).collect();
        let weights = ViewMatrix::from_values(1, vec![1.0; pairs.len()]);
        let graph = MultiviewGraph::new(names, vec!["v".into()], pairs, &weights, None);
        (graph, vec![1.0; pairs.len()])
    }

    #[test]
    fn neighbours_of_a_ring_are_nearer_than_others() {
        let pairs: Vec<[u32; 2]> = (0..20)
            .map(|k| [k, (k + 1) % 20])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let (graph, shared) = graph(20, &pairs);
        let points = layout(&graph, &shared);
        let apart = |a: usize, b: usize| (points[a][0] - points[b][0]).hypot(points[a][1] - points[b][1]);
        for k in 0..20 {
            assert!(apart(k, (k + 1) % 20) < 0.5 * apart(k, (k + 10) % 20), "{points:?}");
        }
    }

    fn scattered(n: usize) -> Vec<[f64; 2]> {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let reach = 0.5 * (n as f64).sqrt();
        // Half of them in a crowd, and two on one spot.
        let size = |k: usize| if k.is_multiple_of(2) { reach } else { 0.1 * reach };
        let mut points: Vec<[f64; 2]> = (0..n)
            .map(|k| [0, 1].map(|_| size(k) * (random.random::<f64>() - 0.5)))
            .collect();
        points[1] = points[0];
        points
    }

    #[test]
    fn squares_push_as_their_nodes_do() {
        let points = scattered(1500);
        let tree = Tree::new(&points);
        let (mut error, mut size) = (0.0, 0.0);
        for &at in &points {
            let (exact, near) = (repelled(at, &points), repelled_by(at, &tree, points.len()));
            error += (exact[0] - near[0]).powi(2) + (exact[1] - near[1]).powi(2);
            size += exact[0].powi(2) + exact[1].powi(2);
        }
        let share = (error / size).sqrt();
        // Not exact, or nothing was taken together.
        assert!(share > 1e-9 && share < 0.02, "{share}");
        let spot = [[0.5, 0.5]; 40];
        assert_eq!(Tree::new(&spot).force(spot[0], push), [0.0, 0.0]);
        assert_eq!(Tree::new(&[]).force([1.0, 2.0], push), [0.0, 0.0]);
    }

    #[test]
    fn the_grid_finds_every_pair_that_is_near() {
        let points = scattered(700);
        let least = 0.3;
        let is_near = |a: usize, b: usize| (points[a][0] - points[b][0]).hypot(points[a][1] - points[b][1]) < least;
        let all = (1..points.len()).flat_map(|b| (0..b).map(move |a| [a, b]));
        let expected: Vec<[usize; 2]> = all.filter(|&[a, b]| is_near(a, b)).collect();
        assert!(expected.len() > 100);
        assert_eq!(near(&points, least), expected);
    }

    #[test]
    fn many_nodes_of_a_ring_are_unfolded_the_same_way_each_time() {
        let n = EXACT as u32 + 100;
        let pairs: Vec<[u32; 2]> = (0..n)
            .map(|k| [k, (k + 1) % n])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let (graph, shared) = graph(n as usize, &pairs);
        let points = layout(&graph, &shared);
        assert_eq!(points, layout(&graph, &shared));
        let apart = |a: usize, b: usize| (points[a][0] - points[b][0]).hypot(points[a][1] - points[b][1]);
        let sum = |step: usize| {
            (0..points.len())
                .map(|k| apart(k, (k + step) % points.len()))
                .sum::<f64>()
        };
        assert!(sum(1) < 0.1 * sum(points.len() / 2));
    }

    #[test]
    fn nodes_alone_stand_below_and_nothing_is_lost_without_edges() {
        let (one_edge, shared) = graph(5, &[[1, 3]]);
        let points = layout(&one_edge, &shared);
        for alone in [0, 2, 4] {
            assert!(points[alone][1] < points[1][1].min(points[3][1]));
        }
        // One among many stands no farther below than joined nodes are apart.
        let ring: Vec<[u32; 2]> = (0..30)
            .map(|k| [k, (k + 1) % 30])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let (one_alone, shared) = graph(31, &ring);
        let points = layout(&one_alone, &shared);
        let lowest = points[..30].iter().fold(f64::INFINITY, |low, at| low.min(at[1]));
        assert!(points[30][1] < lowest && points[30][1] >= lowest - 1.0);
        let (empty, shared) = graph(3, &[]);
        assert!(layout(&empty, &shared).iter().flatten().all(|value| value.is_finite()));
    }
}
