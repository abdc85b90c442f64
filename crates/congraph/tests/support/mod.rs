//! What the tests of the solvers share: random distances, problems by name, dense results, and checks of any result.
//!
//! The objective and the consensus are written here a second time, from the formulas and without the library's code.

use std::sync::Arc;

use congraph::{
    Admm, Coupling, DistanceNorm, Distances, Edges, Error, Model, Newton, Parameters, Problem, Solution, Solver,
    Status, ViewMatrix, Weights, no_progress, penalties, regularisers,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The penalties with a joint edge minimiser.
pub(crate) const PENALTIES: [&str; 4] = ["l1", "l2", "squared-l2", "none"];

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// 10^x with x uniform.
pub(crate) fn log_uniform(rng: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    10.0_f64.powf(rng.random_range(low..high))
}

/// What random distances look like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Independent and uniform.
    Uniform,
    /// Squared distances between points in two clusters that the views share up to noise.
    Clustered,
    /// Uniform, a third of them exactly zero.
    Zeros,
    /// Only four different values.
    Ties,
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Uniform, Kind::Clustered, Kind::Zeros, Kind::Ties];

/// Random distances, the largest of which is 1.
pub(crate) fn random_distances(kind: Kind, n_nodes: usize, n_views: usize, rng: &mut ChaCha8Rng) -> Arc<Distances> {
    let n_values = n_nodes * (n_nodes - 1) / 2 * n_views;
    let values: Vec<f64> = match kind {
        Kind::Uniform => (0..n_values).map(|_| rng.random_range(0.05..1.0)).collect(),
        Kind::Zeros => (0..n_values)
            .map(|_| {
                if rng.random_bool(0.33) {
                    0.0
                } else {
                    rng.random_range(0.05..1.0)
                }
            })
            .collect(),
        Kind::Ties => (0..n_values)
            .map(|_| 0.25 * f64::from(rng.random_range(1..=4_u32)))
            .collect(),
        Kind::Clustered => clustered(n_nodes, n_views, rng),
    };
    distances(n_nodes, n_views, values, DistanceNorm::Max)
}

fn clustered(n_nodes: usize, n_views: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut point = |centre: f64, spread: f64| -> [f64; 2] {
        [
            centre + rng.random_range(-spread..spread),
            rng.random_range(-spread..spread),
        ]
    };
    let shared: Vec<[f64; 2]> = (0..n_nodes)
        .map(|a| point(if a % 2 == 0 { 0.0 } else { 1.5 }, 0.5))
        .collect();
    let points: Vec<Vec<[f64; 2]>> = (0..n_views)
        .map(|_| {
            let place = |p: &[f64; 2]| {
                let q = point(0.0, 0.2);
                [p[0] + q[0], p[1] + q[1]]
            };
            shared.iter().map(place).collect()
        })
        .collect();
    let mut values = Vec::new();
    for &[a, b] in Edges::complete(n_nodes).pairs() {
        for view in &points {
            let (p, q) = (view[a as usize], view[b as usize]);
            values.push((p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2));
        }
    }
    values
}

/// Distances from values, edge by edge.
pub(crate) fn distances(n_nodes: usize, n_views: usize, values: Vec<f64>, norm: DistanceNorm) -> Arc<Distances> {
    let rows = ViewMatrix::from_values(n_views, values);
    Arc::new(Distances::new(Edges::complete(n_nodes), rows, norm).expect("valid distances"))
}

/// The problem with a penalty by name, and the ℓ1 norm as regulariser if γ > 0.
pub(crate) fn problem(distances: &Arc<Distances>, alpha: f64, beta: f64, gamma: f64, penalty: &str) -> Problem {
    try_problem(distances, alpha, beta, gamma, penalty).expect("valid parameters")
}

/// As [`problem`], for parameters that may be refused.
pub(crate) fn try_problem(
    distances: &Arc<Distances>,
    alpha: f64,
    beta: f64,
    gamma: f64,
    penalty: &str,
) -> Result<Problem, Error> {
    let regulariser = if gamma > 0.0 { "l1" } else { "none" };
    let model = Model {
        parameters: Parameters { alpha, beta, gamma },
        coupling: Coupling::Consensus {
            penalty: penalties::by_name(penalty).expect("a penalty of that name"),
            regulariser: regularisers::by_name(regulariser).expect("a regulariser of that name"),
        },
    };
    Problem::new(Arc::clone(distances), model)
}

pub(crate) fn newton(problem: &Problem, tolerance: f64) -> Solution {
    let solver = Newton {
        tolerance,
        ..Newton::default()
    };
    solver.solve(problem, None, &no_progress).expect("a supported problem")
}

pub(crate) fn admm(problem: &Problem, tolerance: f64) -> Solution {
    let solver = Admm {
        tolerance,
        ..Admm::default()
    };
    solver.solve(problem, None, &no_progress).expect("a supported problem")
}

/// One row per edge of the problem, absent ones as zeros, and the consensus.
pub(crate) fn dense(problem: &Problem, weights: &Weights) -> (ViewMatrix, Vec<f64>) {
    let mut views = ViewMatrix::zeros(problem.n_edges(), problem.n_views());
    let mut consensus = vec![0.0; problem.n_edges()];
    for (edge, row, shared) in weights.iter() {
        views.row_mut(edge).copy_from_slice(row);
        consensus[edge] = shared;
    }
    (views, consensus)
}

pub(crate) fn largest_difference(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter()
        .zip(y)
        .fold(0.0, |largest: f64, (x, y)| largest.max((x - y).abs()))
}

/// c of one row of differences, from the formulas.
pub(crate) fn penalty_of_row(penalty: &str, row: &[f64], shared: f64) -> f64 {
    let differences = row.iter().map(|w| w - shared);
    match penalty {
        "l1" => differences.map(f64::abs).sum(),
        "l2" => differences.map(|v| v * v).sum::<f64>().sqrt(),
        "squared-l2" => differences.map(|v| v * v).sum(),
        "none" => 0.0,
        other => unreachable!("no penalty {other}"),
    }
}

/// The objective of dense weights, from the formulas.
pub(crate) fn objective(problem: &Problem, views: &ViewMatrix, consensus: &[f64]) -> f64 {
    let Parameters { alpha, beta, gamma } = problem.parameters();
    let name = problem.penalty().name();
    let mut degrees = ViewMatrix::zeros(problem.n_nodes(), problem.n_views());
    let mut value = 0.0;
    for (edge, row) in views.rows().enumerate() {
        let (a, b) = problem.distances().edges().ends(edge);
        for (i, weight) in row.iter().enumerate() {
            value += problem.distances().values().row(edge)[i] * weight + 2.0 * alpha * weight * weight;
            degrees.row_mut(a)[i] += weight;
            degrees.row_mut(b)[i] += weight;
        }
        if beta > 0.0 {
            value += beta * penalty_of_row(name, row, consensus[edge]);
        }
        value += gamma * consensus[edge];
    }
    value + alpha * degrees.values().iter().map(|degree| degree * degree).sum::<f64>()
}

/// The ends of the interval of best consensus weights for a row: argmin over w ≥ 0 of c(W − w) + ratio · w.
///
/// By bisection on the sign of the slope of the formula, not by the library's closed forms.
pub(crate) fn best_consensus(penalty: &str, row: &[f64], ratio: f64) -> (f64, f64) {
    let n = row.len() as f64;
    // The slope to the right of w.
    let slope = |w: f64| -> f64 {
        let sum = row.iter().map(|x| w - x).sum::<f64>();
        let length = penalty_of_row("l2", row, w);
        let slope = match penalty {
            "l1" => row.iter().map(|&x| if w >= x { 1.0 } else { -1.0 }).sum(),
            "l2" if length == 0.0 => n.sqrt(),
            "l2" => sum / length,
            "squared-l2" => 2.0 * sum,
            other => unreachable!("no consensus with {other}"),
        };
        slope + ratio
    };
    let top = row.iter().fold(0.0_f64, |top, &x| top.max(x));
    let bisect = |beyond: &dyn Fn(f64) -> bool| {
        if beyond(0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, top);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if beyond(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    };
    // The least w with no downward slope to its right, and the least w with an upward one.
    (bisect(&|w| slope(w) >= 0.0), bisect(&|w| slope(w) > 0.0))
}

/// Whatever a solver says must be true of what it returns: no NaN, feasible, the objective that of the formulas, the dual
/// not above it but for rounding, and `Converged` only within the tolerance.
pub(crate) fn assert_sound(problem: &Problem, solution: &Solution, tolerance: f64, case: &str) {
    let certificate = solution.certificate;
    let weights = &solution.weights;
    let all = weights.views().values().iter().chain(weights.consensus());
    assert!(
        all.clone().all(|w| w.is_finite() && *w >= 0.0),
        "{case}: a weight is not finite or negative"
    );
    assert!(
        weights.edges().windows(2).all(|pair| pair[0] < pair[1]),
        "{case}: the edges are out of order"
    );
    if certificate.objective.is_finite() {
        let n = problem.n_nodes() as f64;
        for total in weights.views().column_sums() {
            assert!(
                (total / n - 1.0).abs() <= 1e-11,
                "{case}: a view sums to {total}, not {n}"
            );
        }
        let (views, consensus) = dense(problem, weights);
        let own = objective(problem, &views, &consensus);
        assert!(
            (own - certificate.objective).abs() <= 1e-11 * own.abs(),
            "{case}: the objective is {own}, the certificate says {}",
            certificate.objective
        );
        // A gap negative beyond rounding would mean that the bound is none. Totals may be off by 1e-12. An edge's minimiser is a difference of numbers
        // of the size (D + β + γ)/κ and is known to their rounding; at its kinks the dual changes with it at the rate
        // D + β + γ.
        let Parameters { alpha, beta, gamma } = problem.parameters();
        let slope = problem
            .distances()
            .values()
            .values()
            .iter()
            .fold(beta + gamma, |top, &d| top.max(d));
        let rounding = 1e-11 * own + 8.0 * f64::EPSILON * slope * (slope / (4.0 * alpha));
        assert!(
            certificate.dual_objective <= certificate.objective + rounding,
            "{case}: the dual {} is above the objective {}",
            certificate.dual_objective,
            certificate.objective
        );
    }
    assert!(!certificate.relative_gap.is_nan() && certificate.relative_gap >= 0.0);
    // A dual that rounding puts above the objective by more than the tolerance shows that nothing is known to it.
    let apart = (certificate.objective - certificate.dual_objective).abs();
    assert!(
        solution.status != Status::Converged || apart <= 1.001 * tolerance * certificate.dual_objective.abs(),
        "{case}: converged, but {certificate:?}"
    );
    assert_eq!(
        solution.status == Status::Converged,
        certificate.relative_gap <= tolerance,
        "{case}: {:?} with a gap of {}",
        solution.status,
        certificate.relative_gap
    );
}
