//! Where Newton starts without a warm start: constant multipliers at which the totals are right.
//!
//! With the same multiplier −θ/2 at every node and no coupling, W_e = max(0, θ − D_e/κ), and θ is chosen so that these
//! sum to n: water filling. Two candidates, of which the one with the better dual is taken: θ for each view on its own
//! (right for weak coupling), and one θ for the mean of the views (right for strong coupling).
//!
//! Very many nodes are dense in some places and sparse in others, and one level for all would leave half of them
//! without an edge. There each node has a level θ_a of its own, filled from its few shortest distances to the degree
//! that the level asks for,
//!
//! ```text
//! Σ_b max(0, θ_a − d_ab) = 2 − (θ_a − mean θ)
//! ```

use super::dual::{Dual, DualEvaluation};
use crate::edges::{ViewMatrix, incidence};
use crate::methods::smooth::Problem;
use crate::parallel::chunks;
use crate::parallel::simd::vectorised;
use crate::team::{Share, Team};
use crate::views::Membership;

pub(super) fn cold_start(dual: &Dual<'_>) -> (ViewMatrix, DualEvaluation) {
    let problem = dual.problem;
    let (n_nodes, n_views) = (problem.n_nodes(), problem.n_views());
    let levels = if n_nodes < MANY_NODES {
        ViewMatrix::from_values(n_views + 1, levels(problem, &dual.share).repeat(n_nodes))
    } else {
        local_levels(problem, &dual.share)
    };
    let multipliers = |choose: &dyn Fn(&[f64], usize) -> f64| {
        let mut multipliers = multipliers(&levels, choose);
        problem.membership().clear(&mut multipliers);
        multipliers
    };
    let separate = evaluated(dual, multipliers(&|row, view| row[view]));
    if n_views == 1 || dual.term.tau == 0.0 {
        return separate;
    }
    // Where all views fuse, w = mean u − σ/N.
    let share = dual.term.sigma / n_views as f64;
    let pooled = evaluated(dual, multipliers(&|row, _| row[n_views] + share));
    if pooled.1.value < separate.1.value {
        pooled
    } else {
        separate
    }
}

fn evaluated(dual: &Dual<'_>, multipliers: ViewMatrix) -> (ViewMatrix, DualEvaluation) {
    let evaluation = dual.evaluate(&multipliers, None);
    (multipliers, evaluation)
}

/// λ = −θ/2, with each node's θ chosen from its row of levels.
fn multipliers(levels: &ViewMatrix, choose: &dyn Fn(&[f64], usize) -> f64) -> ViewMatrix {
    let n_views = levels.n_views() - 1;
    let mut multipliers = ViewMatrix::zeros(levels.n_rows(), n_views);
    for (row, levels) in multipliers.rows_mut().zip(levels.rows()) {
        for (view, multiplier) in row.iter_mut().enumerate() {
            *multiplier = -0.5 * choose(levels, view);
        }
    }
    multipliers
}

/// From this number of nodes on, each has a level of its own.
const MANY_NODES: usize = 10_000;
/// How many of a node's shortest distances its level is found from.
const SHORTEST: usize = 8;
/// How often the mean level is found anew.
const ROUNDS: usize = 4;

/// For each node the level of each view's distances, and last of their mean.
fn local_levels(problem: &Problem, share: &Share) -> ViewMatrix {
    let n_columns = problem.n_views() + 1;
    let mut shortest = vec![f64::INFINITY; problem.n_nodes() * n_columns * SHORTEST];
    let (starts, incident) = incidence(problem.n_nodes(), problem.distances().edges().pairs());
    chunks::map_mut(&mut shortest, n_columns * SHORTEST, |first, nodes| {
        let mut row = vec![0.0; n_columns];
        for (k, lists) in nodes.chunks_exact_mut(n_columns * SHORTEST).enumerate() {
            let [start, end] = [first + k, first + k + 1].map(|node| starts[node] as usize);
            for &edge in &incident[start..end] {
                units(problem, edge as usize, &mut row);
                for (list, &unit) in lists.chunks_exact_mut(SHORTEST).zip(&row) {
                    // A sorted list of the few shortest, by insertion.
                    if unit < list[SHORTEST - 1] {
                        let place = list.partition_point(|&other| other <= unit);
                        list[place..].rotate_right(1);
                        list[place] = unit;
                    }
                }
            }
        }
    });
    let shortest = shortest_of_all(share.team(), shortest, problem.n_nodes());
    let mut levels = ViewMatrix::zeros(problem.n_nodes(), n_columns);
    let mut means = vec![0.0; n_columns];
    for _ in 0..ROUNDS {
        chunks::map_mut(levels.values_mut(), n_columns, |first, rows| {
            let lists = shortest[first * n_columns * SHORTEST..].chunks_exact(SHORTEST);
            let means = means.iter().cycle();
            for ((level, list), mean) in rows.iter_mut().zip(lists).zip(means) {
                *level = filled(list, 2.0 + mean);
            }
        });
        // The mean is over the nodes that each view has.
        let mut known = levels.clone();
        clear_levels(problem.membership(), &mut known);
        let sums = known.column_sums();
        means = sums.iter().zip(totals(problem)).map(|(sum, n)| sum / n).collect();
    }
    levels
}

/// The shortest distances of all members' lists: each puts together those of some nodes.
fn shortest_of_all(team: &dyn Team, own: Vec<f64>, n_nodes: usize) -> Vec<f64> {
    if team.size() == 1 {
        return own;
    }
    let width = own.len() / n_nodes;
    let start = |rank: usize| rank * n_nodes / team.size() * width;
    let part = |rank: usize| own[start(rank)..start(rank + 1)].to_vec();
    let parts: Vec<Vec<f64>> = (0..team.size()).map(part).collect();
    drop(own);
    let received = team.exchange_values(&parts);
    let length = parts[team.rank()].len();
    let mut merged = Vec::with_capacity(length);
    let mut all = Vec::with_capacity(SHORTEST * team.size());
    for list in (0..length).step_by(SHORTEST) {
        all.clear();
        all.extend(received.iter().flat_map(|part| &part[list..list + SHORTEST]));
        all.sort_unstable_by(f64::total_cmp);
        merged.extend_from_slice(&all[..SHORTEST]);
    }
    team.gather_values(&merged).concat()
}

/// θ with θ + Σ max(0, θ − d) = total over sorted distances d.
fn filled(distances: &[f64], total: f64) -> f64 {
    let mut sum = total;
    for (count, &distance) in distances.iter().enumerate() {
        let level = sum / (count + 1) as f64;
        if level <= distance {
            return level;
        }
        sum += distance;
    }
    sum / (distances.len() + 1) as f64
}

/// The totals of the views, and last that of their mean.
fn totals(problem: &Problem) -> Vec<f64> {
    let mut totals = problem.totals();
    totals.push(problem.n_nodes() as f64);
    totals
}

/// Forgets the levels of nodes in views that lack them.
fn clear_levels(membership: &Membership, levels: &mut ViewMatrix) {
    if membership.is_total() {
        return;
    }
    for (node, row) in levels.rows_mut().enumerate() {
        let lacking = row.iter_mut().zip(membership.row(node)).filter(|(_, lacks)| **lacks);
        lacking.for_each(|(level, _)| *level = 0.0);
    }
}

/// An edge's distance in each view in units of κ (infinite where a view lacks it), and last their mean.
#[inline(always)]
fn units(problem: &Problem, edge: usize, row: &mut [f64]) {
    let inverse = 1.0 / problem.kappa();
    let n_views = row.len() - 1;
    let mut sum = 0.0;
    for (unit, distance) in row.iter_mut().zip(problem.distances().values().row(edge)) {
        *unit = distance * inverse;
        sum += *unit;
    }
    row[n_views] = if problem.membership().is_total() {
        sum / n_views as f64
    } else {
        let own = || row[..n_views].iter().filter(|unit| **unit < f64::INFINITY);
        own().sum::<f64>() / own().count() as f64
    };
}

/// Counts a distance below a level, and adds it: relative to the least, so that large distances do not drown the total.
#[inline(always)]
fn count_below(unit: f64, level: f64, least: f64, count: &mut f64, sum: &mut f64) {
    let below = unit < level;
    *count += if below { 1.0 } else { 0.0 };
    *sum += if below { unit - least } else { 0.0 };
}

/// A level this much above the right one, relative to the span from the least distance, is a start as good.
const NEAR: f64 = 1e-3;

/// θ with Σ_e max(0, θ − d_e) = n for the distances of each view, and last for their mean; by Newton from the right on
/// convex piecewise linear functions, all at once.
fn levels(problem: &Problem, share: &Share) -> Vec<f64> {
    let (n_views, inverse) = (problem.n_views(), 1.0 / problem.kappa());
    let totals = totals(problem);
    // The mean of an edge's views is asked in every round, and its sum waits for itself.
    let mut means = vec![0.0; problem.n_edges()];
    let blocks_least = chunks::map_mut(&mut means, 1, |first, means| {
        let (mut least, mut row) = (vec![f64::INFINITY; n_views + 1], vec![0.0; n_views + 1]);
        vectorised(
            #[inline(always)]
            || {
                for (k, mean) in means.iter_mut().enumerate() {
                    units(problem, first + k, &mut row);
                    *mean = row[n_views];
                    for (least, unit) in least.iter_mut().zip(&row) {
                        *least = if unit < least { *unit } else { *least };
                    }
                }
            },
        );
        least
    });
    let least_of = |blocks: &[Vec<f64>]| -> Vec<f64> {
        let least = |k: usize| blocks.iter().fold(f64::INFINITY, |least, block| least.min(block[k]));
        (0..=n_views).map(least).collect()
    };
    let mut least = least_of(&blocks_least);
    if share.team().size() > 1 {
        least = least_of(&share.team().gather_values(&least));
    }
    // An upper bound: one edge alone would carry the whole total.
    let mut levels: Vec<f64> = least.iter().zip(&totals).map(|(least, total)| least + total).collect();
    loop {
        let parts = chunks::map(problem.n_edges(), |range| {
            let mut parts = vec![0.0; 2 * (n_views + 1)];
            let (counts, sums) = parts.split_at_mut(n_views + 1);
            let (levels, least) = (&levels[..=n_views], &least[..=n_views]);
            vectorised(
                #[inline(always)]
                || {
                    for edge in range.clone() {
                        let row = &problem.distances().values().row(edge)[..n_views];
                        for k in 0..n_views {
                            count_below(row[k] * inverse, levels[k], least[k], &mut counts[k], &mut sums[k]);
                        }
                        let mean = means[edge];
                        count_below(
                            mean,
                            levels[n_views],
                            least[n_views],
                            &mut counts[n_views],
                            &mut sums[n_views],
                        );
                    }
                },
            );
            parts
        });
        // Of every block the counts, then the sums.
        let parts = share.in_order(parts.concat());
        let column = |k: usize| parts.iter().skip(k).step_by(2 * (n_views + 1)).sum::<f64>();
        let mut moved = false;
        for k in 0..=n_views {
            let (count, sum) = (column(k), column(n_views + 1 + k));
            let next = least[k] + (totals[k] + sum) / count;
            if count > 0.0 && next < levels[k] {
                moved |= levels[k] - next > NEAR * (next - least[k]);
                levels[k] = next;
            }
        }
        if !moved {
            return levels;
        }
    }
}
