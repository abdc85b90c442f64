//! Where Newton starts without a warm start: constant multipliers at which the totals are right.
//!
//! With the same multiplier −θ/2 at every node and no coupling, W_e = max(0, θ − D_e/κ), and θ is chosen so that these sum
//! to n: water filling. Two candidates, of which the one with the better dual is taken: θ for each view on its own (right
//! for weak coupling), and one θ for the mean of the views (right for strong coupling).

use super::dual::{Dual, Evaluation};
use crate::blocks;
use crate::problem::Problem;
use crate::rows::ViewRows;

pub(super) fn cold_start(dual: &Dual<'_>) -> (ViewRows, Evaluation) {
    let problem = dual.problem;
    let (n_nodes, n_views) = (problem.n_nodes(), problem.n_views());
    let levels: Vec<f64> = (0..n_views).map(|view| level(problem, |row| row[view])).collect();
    let separate = evaluated(dual, constant(n_nodes, &levels));
    if n_views == 1 || dual.term.tau == 0.0 {
        return separate;
    }
    // Where all views fuse, w = mean u − σ/N.
    let mean = level(problem, |row| row.iter().sum::<f64>() / n_views as f64) + dual.term.sigma / n_views as f64;
    let pooled = evaluated(dual, constant(n_nodes, &vec![mean; n_views]));
    if pooled.1.value < separate.1.value {
        pooled
    } else {
        separate
    }
}

fn evaluated(dual: &Dual<'_>, multipliers: ViewRows) -> (ViewRows, Evaluation) {
    let evaluation = dual.evaluate(&multipliers);
    (multipliers, evaluation)
}

fn constant(n_nodes: usize, levels: &[f64]) -> ViewRows {
    let row: Vec<f64> = levels.iter().map(|level| -0.5 * level).collect();
    ViewRows::from_values(row.len(), row.repeat(n_nodes))
}

/// θ with Σ_e max(0, θ − d_e) = n, by Newton from the right on a convex piecewise linear function.
fn level(problem: &Problem, distance: impl Fn(&[f64]) -> f64 + Sync) -> f64 {
    let kappa = problem.kappa();
    let values = problem.distances().values();
    let total = problem.n_nodes() as f64;
    let least = blocks::map(problem.n_edges(), |range| {
        range.fold(f64::INFINITY, |least, edge| least.min(distance(values.row(edge))))
    });
    let least = least.into_iter().fold(f64::INFINITY, f64::min) / kappa;
    let mut level = least + total;
    loop {
        let parts = blocks::map(problem.n_edges(), |range| {
            let (mut count, mut sum) = (0_usize, 0.0);
            for edge in range {
                let d = distance(values.row(edge)) / kappa;
                if d < level {
                    count += 1;
                    // Relative to the least, so that large distances do not drown the total.
                    sum += d - least;
                }
            }
            (count, sum)
        });
        let count: usize = parts.iter().map(|part| part.0).sum();
        let sum: f64 = parts.iter().map(|part| part.1).sum();
        if count == 0 {
            return level;
        }
        let next = least + (total + sum) / count as f64;
        if next >= level {
            return level;
        }
        level = next;
    }
}
