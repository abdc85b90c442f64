//! Inputs at the edge of sense: nothing panics, no weight is NaN, and what says `Converged` is right.

use std::sync::Arc;

use crate::support::{
    KINDS, Kind, PENALTIES, assert_sound, dense, distances, largest_difference, log_uniform, newton, objective,
    problem, random_distances, rng, try_problem,
};
use congraph::penalties::{self, JointEdge, Penalty};
use congraph::{
    Admm, DistanceNorm, Distances, Problem, Scaling, Solution, Solver, Status, Table, ViewMatrix, ViewOptions, Views,
    complete_index, no_progress,
};
use rand::RngExt;

const TOLERANCE: f64 = 1e-8;

/// ADMM with few iterations: what it returns must be sound also when it is not done.
fn some_admm(problem: &Problem) -> Solution {
    let solver = Admm {
        tolerance: TOLERANCE,
        max_iterations: 3000,
        ..Admm::default()
    };
    solver.solve(problem, None, &no_progress).expect("a supported problem")
}

/// The least objective of some simple weights: all equal, and all on one edge, the same in every view.
fn best_simple(problem: &Problem) -> f64 {
    let (n, n_edges, n_views) = (problem.n_nodes() as f64, problem.n_edges(), problem.n_views());
    let mut best = f64::INFINITY;
    for alone in (0..n_edges).map(Some).chain([None]) {
        let mut views = ViewMatrix::zeros(n_edges, n_views);
        match alone {
            Some(edge) => views.row_mut(edge).fill(n),
            None => views.values_mut().fill(n / n_edges as f64),
        }
        for shared in [true, false] {
            let consensus: Vec<f64> = views.rows().map(|row| if shared { row[0] } else { 0.0 }).collect();
            best = best.min(objective(problem, &views, &consensus));
        }
    }
    best
}

/// Solves with both solvers and every penalty, with and without γ; all results must be sound, and Newton's (all, if
/// `admm_too`) converged.
fn all_sound(distances: &Arc<Distances>, alpha: f64, beta: f64, must_converge: bool, admm_too: bool) {
    let root = (distances.values().n_views() as f64).sqrt();
    for penalty in PENALTIES {
        for fraction in [0.0, 0.5] {
            let problem = match try_problem(distances, alpha, beta, fraction * beta * root, penalty) {
                Ok(problem) => problem,
                // Refusing is honest too, where no answer is asked for.
                Err(_) if !must_converge => continue,
                Err(error) => unreachable!("alpha = {alpha:e}, beta = {beta:e}: {error}"),
            };
            let solutions = [("newton", newton(&problem, TOLERANCE)), ("admm", some_admm(&problem))];
            let mut best = best_simple(&problem);
            for (_, solution) in &solutions {
                best = best.min(solution.certificate.objective);
            }
            for (name, solution) in solutions {
                let case = format!("{name}, {penalty}, alpha = {alpha:e}, beta = {beta:e}, fraction = {fraction}");
                assert_sound(&problem, &solution, TOLERANCE, &case);
                // Not by the certificate: nothing that is known may be better.
                assert!(
                    !solution.converged() || solution.certificate.objective <= best * (1.0 + 2.0 * TOLERANCE),
                    "{case}: converged to {:e}, but {best:e} is possible",
                    solution.certificate.objective
                );
                assert!(
                    !must_converge || solution.converged() || (name == "admm" && !admm_too),
                    "{case}: {:?} {:?} after {} iterations",
                    solution.status,
                    solution.certificate,
                    solution.iterations
                );
            }
        }
    }
}

#[test]
fn two_nodes_have_one_edge_of_weight_two() {
    for values in [vec![0.3], vec![0.3, 0.8, 0.0]] {
        let n_views = values.len();
        let distances = distances(2, n_views, values, DistanceNorm::None);
        for beta in [0.0, 0.1, 1e3] {
            all_sound(&distances, 0.1, beta, true, true);
            let problem = problem(&distances, 0.1, beta, 0.0, "l1");
            let (views, consensus) = dense(&problem, &newton(&problem, TOLERANCE).weights);
            assert!(largest_difference(views.values(), &vec![2.0; n_views]) <= 1e-12);
            assert!((consensus[0] - if beta > 0.0 { 2.0 } else { 0.0 }).abs() <= 1e-12);
        }
    }
}

#[test]
fn identical_nodes_and_equal_distances() {
    let mut rng = rng(1);
    let uniform = random_distances(Kind::Uniform, 8, 3, &mut rng);
    // Nodes 2 and 5 are the same in every view: distance 0, and the same distances to all others.
    let mut rows = uniform.values().clone();
    for other in (0..8).filter(|&other| other != 2 && other != 5) {
        let at = |a: usize, b: usize| complete_index(8, a.min(b), a.max(b));
        let row = rows.row(at(2, other)).to_vec();
        rows.row_mut(at(5, other)).copy_from_slice(&row);
    }
    rows.row_mut(complete_index(8, 2, 5)).fill(0.0);
    let identical = distances(8, 3, rows.values().to_vec(), DistanceNorm::Max);
    let equal = distances(9, 3, vec![0.7; 36 * 3], DistanceNorm::Max);
    let zero = distances(9, 3, vec![0.0; 36 * 3], DistanceNorm::Max);
    for distances in [&identical, &equal, &zero] {
        for alpha in [1e-3, 0.1, 10.0] {
            for beta in [0.0, 1e-3, 0.1, 100.0] {
                all_sound(distances, alpha, beta, true, alpha > 1e-2 && beta < 1.0);
            }
        }
    }
    // With equal distances every weight is n / (number of pairs).
    for distances in [&equal, &zero] {
        let problem = problem(distances, 0.1, 0.1, 0.0, "l2");
        let (views, consensus) = dense(&problem, &newton(&problem, TOLERANCE).weights);
        assert!(largest_difference(views.values(), &[0.25; 36 * 3]) <= 1e-12);
        assert!(largest_difference(&consensus, &[0.25; 36]) <= 1e-12);
    }
    // The two identical nodes have the same neighbours.
    let problem = problem(&identical, 0.1, 0.05, 0.0, "l1");
    let (views, _) = dense(&problem, &newton(&problem, 1e-12).weights);
    for other in (0..8).filter(|&other| other != 2 && other != 5) {
        let at = |a: usize, b: usize| complete_index(8, a.min(b), a.max(b));
        assert!(largest_difference(views.row(at(2, other)), views.row(at(5, other))) <= 1e-9);
    }
}

#[test]
fn many_views_of_few_nodes() {
    let mut rng = rng(2);
    for kind in KINDS {
        let distances = random_distances(kind, 5, 200, &mut rng);
        for beta in [0.0, 1e-3, 0.05, 10.0] {
            all_sound(&distances, 0.05, beta, true, false);
        }
    }
}

#[test]
fn one_view_with_a_penalty() {
    let mut rng = rng(3);
    for kind in KINDS {
        let distances = random_distances(kind, 7, 1, &mut rng);
        for beta in [1e-3, 1.0, 1e3] {
            all_sound(&distances, 0.05, beta, true, beta < 10.0);
        }
    }
}

#[test]
fn many_ties() {
    // Two values, 0 and 1, in a pattern that differs by view: many edges enter and fuse at the same multipliers.
    let values = (0..190 * 4)
        .map(|k| f64::from(u8::from((k / 4 + k % 4) % 3 == 0)))
        .collect();
    let distances = distances(20, 4, values, DistanceNorm::Max);
    for alpha in [1e-3, 0.1, 10.0] {
        for beta in [0.0, 1e-3, 0.5, 0.25 * 4.0, 100.0] {
            all_sound(&distances, alpha, beta, true, false);
        }
    }
}

#[test]
fn one_huge_outlier() {
    let mut rng = rng(4);
    let uniform = random_distances(Kind::Uniform, 10, 3, &mut rng);
    let mut values = uniform.values().values().to_vec();
    values[17] = 1e12;
    let raw = distances(10, 3, values.clone(), DistanceNorm::None);
    let without: Vec<f64> = values.iter().map(|d| d.min(1e3)).collect();
    let without = distances(10, 3, without, DistanceNorm::None);
    for beta in [0.0, 0.01, 1.0] {
        all_sound(&raw, 0.1, beta, true, false);
    }
    // An edge that costs so much is absent whether it costs 1e3 or 1e12.
    for penalty in ["l1", "none"] {
        let [far, near] = [&raw, &without].map(|distances| {
            let problem = problem(distances, 0.1, 0.01, 0.0, penalty);
            dense(&problem, &newton(&problem, 1e-12).weights).0
        });
        assert!(largest_difference(far.values(), near.values()) <= 1e-8, "{penalty}");
    }
    // Divided by the largest, all other distances are zero to twelve digits: the problem is that of equal distances.
    all_sound(&distances(10, 3, values, DistanceNorm::Max), 0.1, 0.01, true, false);
}

#[test]
fn absurd_parameters_end_honestly() {
    let mut rng = rng(5);
    for kind in KINDS {
        let distances = random_distances(kind, 6, 3, &mut rng);
        for alpha in [1e-300, 1e-100, 1e-20, 1e-12, 1e-6, 1e6, 1e100, 1e300, 4e307] {
            for beta in [0.0, 1e-300, 1e-3, 1e6, 1e300] {
                all_sound(&distances, alpha, beta, false, false);
            }
        }
        // A large α is harmless: nearly equal weights.
        for alpha in [1e6, 1e100, 1e300] {
            all_sound(&distances, alpha, 0.01, true, false);
        }
    }
}

/// Signals of three nodes-by-samples views, times a factor.
fn signals(factor: f64, n_samples: usize) -> Views {
    let mut rng = rng(6);
    let tables = ["a", "b", "c"].map(|name| {
        let values = (0..n_samples * 6)
            .map(|_| factor * rng.random_range(-1.0..1.0))
            .collect();
        Table::new(name, 6, values)
    });
    let options = ViewOptions {
        allow_constant: true,
        ..ViewOptions::default()
    };
    Views::assemble(tables.to_vec(), &options).expect("usable tables").0
}

#[test]
fn the_units_of_the_signals_do_not_matter() {
    let weights = |factor: f64, scaling: &Scaling, unit: f64| {
        let distances = Distances::from_views(&signals(factor, 40), scaling).expect("finite distances");
        let distances = Arc::new(distances);
        all_sound(&distances, 0.1 * unit, 0.02 * unit, true, true);
        let problem = problem(&distances, 0.1 * unit, 0.02 * unit, 0.01 * unit, "l2");
        dense(&problem, &newton(&problem, 1e-13).weights).0
    };
    let usual = weights(1.0, &Scaling::default(), 1.0);
    let raw = weights(1.0, &Scaling::RAW, 1.0);
    for factor in [1e120, 1e-120] {
        let off = largest_difference(weights(factor, &Scaling::default(), 1.0).values(), usual.values());
        assert!(off <= 1e-9, "{factor:e}: {off:e}");
        let off = largest_difference(weights(factor, &Scaling::RAW, factor * factor).values(), raw.values());
        assert!(off <= 1e-9, "{factor:e}, raw: {off:e}");
        // An α that has nothing to do with the distances: honest, whatever comes out.
        let distances = Distances::from_views(&signals(factor, 40), &Scaling::RAW).expect("finite distances");
        let distances = Arc::new(distances);
        for alpha in [1e-300, 1.0, 1e300] {
            for beta in [0.0, 1.0, 1e300] {
                all_sound(&distances, alpha, beta, false, false);
            }
        }
    }
}

#[test]
fn one_sample() {
    let distances = Distances::from_views(&signals(1.0, 1), &Scaling::RAW);
    let distances = Arc::new(distances.expect("finite distances"));
    for alpha in [1e-3, 0.1] {
        for beta in [0.0, 0.1, 10.0] {
            all_sound(&distances, alpha, beta, true, false);
        }
    }
}

/// A result that was stopped says so and is still sound.
#[test]
fn stopping_early_is_said() {
    let mut rng = rng(7);
    let distances = random_distances(Kind::Clustered, 12, 3, &mut rng);
    let problem = problem(&distances, 0.01, 0.05, 0.02, "l2");
    for max_iterations in [0, 1, 2] {
        let by_newton = congraph::Newton {
            max_iterations,
            ..congraph::Newton::default()
        };
        let by_admm = Admm {
            max_iterations,
            ..Admm::default()
        };
        let solvers: [&dyn Solver; 2] = [&by_newton, &by_admm];
        for solver in solvers {
            let solution = solver.solve(&problem, None, &no_progress).expect("a supported problem");
            assert_sound(&problem, &solution, 1e-8, solver.name());
            assert_eq!(solution.status, Status::IterationLimit, "{}", solver.name());
        }
    }
    let stop = |_: &congraph::Progress| std::ops::ControlFlow::Break(());
    let stopped = congraph::Newton::default()
        .solve(&problem, None, &stop)
        .expect("a supported problem");
    assert_eq!((stopped.status, stopped.iterations), (Status::Interrupted, 0));
}

/// Many edges that tie, a small α, and a β that fuses some of them: where the value of the dual is lost in rounding long
/// before its gradient is.
#[test]
fn newton_converges_where_the_value_is_lost_in_rounding() {
    let mut rng = rng(8);
    let mut most = 0;
    for number in 0..6000 {
        let kind = [Kind::Ties, Kind::Ties, Kind::Zeros, Kind::Uniform][number % 4];
        let n = rng.random_range(4..=30);
        let n_views = rng.random_range(1..=12);
        let distances = random_distances(kind, n, n_views, &mut rng);
        let (alpha, beta) = (log_uniform(&mut rng, -5.0, -3.0), log_uniform(&mut rng, -2.5, 0.0));
        let ratio = if number % 3 == 0 {
            rng.random_range(0.0..2.0)
        } else {
            0.0
        };
        let penalty = ["l1", "l2", "l1"][number % 3];
        let problem = problem(&distances, alpha, beta, ratio * beta, penalty);
        let solution = newton(&problem, TOLERANCE);
        let case =
            format!("case {number}: {penalty}, {kind:?}, n = {n}, N = {n_views}, alpha = {alpha:e}, beta = {beta:e}");
        assert_sound(&problem, &solution, TOLERANCE, &case);
        assert!(
            solution.converged(),
            "{case}: {:?} {:?} after {} steps",
            solution.status,
            solution.certificate,
            solution.iterations
        );
        most = most.max(solution.iterations);
    }
    println!("at most {most} steps");
}

/// Parameters so far apart that rounding may be all there is: what is said must be true.
#[test]
fn extreme_parameters_are_certified_honestly() {
    let mut rng = rng(9);
    let mut converged = 0;
    for number in 0..1500 {
        let n = rng.random_range(2..=15);
        let n_views: usize = rng.random_range(1..=8);
        let distances = random_distances(KINDS[number % 4], n, n_views, &mut rng);
        let (alpha, beta) = (log_uniform(&mut rng, -8.0, -2.0), log_uniform(&mut rng, 0.0, 6.0));
        let ratio = if number % 2 == 0 {
            0.0
        } else {
            rng.random_range(0.0..2.0) * (n_views as f64).sqrt()
        };
        let penalty = PENALTIES[number % 3];
        let problem = problem(&distances, alpha, beta, ratio * beta, penalty);
        let solution = newton(&problem, TOLERANCE);
        let case =
            format!("case {number}: {penalty}, n = {n}, N = {n_views}, alpha = {alpha:e}, beta = {beta:e}, {ratio}");
        assert_sound(&problem, &solution, TOLERANCE, &case);
        converged += usize::from(solution.converged());
    }
    println!("{converged} of 1500 converged");
    assert!(converged >= 1450, "only {converged} converged");
}

/// The degrees that the multipliers ask for are rounded to ε/α; the bound must not be.
#[test]
fn a_small_alpha_does_not_lift_the_dual_above_the_objective() {
    let mut rng = rng(10);
    for number in 0..60 {
        let distances = random_distances([Kind::Ties, Kind::Uniform][number % 2], 28, 8, &mut rng);
        let (alpha, beta) = (log_uniform(&mut rng, -8.0, -6.0), log_uniform(&mut rng, -5.0, -3.0));
        let problem = problem(&distances, alpha, beta, 0.0, ["l1", "l2", "none"][number % 3]);
        let certificate = newton(&problem, TOLERANCE).certificate;
        let over = certificate.dual_objective / certificate.objective - 1.0;
        assert!(
            over <= 1e-12,
            "alpha = {alpha:e}, beta = {beta:e}: the dual is above by {over:e}"
        );
    }
}

/// 0 ⪯ J ⪯ I also a hair's breadth from where all views fuse.
#[test]
fn the_l2_jacobian_is_bounded_near_fusion() {
    let l2 = penalties::L2;
    let joint: &dyn JointEdge = l2.joint().expect("a joint minimiser");
    for ratio in [0.0_f64, 0.7] {
        for distance in (0..16).map(|k| 10.0_f64.powi(-k)) {
            let (tau, sigma) = (3.0, 3.0 * ratio);
            let room = tau * tau - sigma * sigma / 3.0;
            let length = (room * (1.0 + distance)).sqrt();
            // A unit vector that sums to 0.
            let unit = [2.0_f64.sqrt().recip(), -(2.0_f64.sqrt().recip()), 0.0];
            let targets: Vec<f64> = unit.iter().map(|x| 40.0 + length * x).collect();
            let (mut weights, mut diagonal, mut factors) = ([0.0; 3], [0.0; 3], [0.0; 6]);
            let shared = joint.minimise(&targets, tau, sigma, &mut weights, &mut Vec::new());
            joint.jacobian(tau, sigma, &weights, shared, &mut diagonal, &mut factors);
            for direction in [
                [1.0, 0.0, 0.0],
                [1.0, 1.0, 1.0],
                [1.0, -1.0, 0.0],
                [0.0, 1.0, -1.0],
                [1.0, -2.0, 1.0],
            ] {
                let dot = |x: &[f64]| x.iter().zip(&direction).map(|(x, d)| x * d).sum::<f64>();
                let along: f64 = diagonal.iter().zip(&direction).map(|(j, d)| j * d * d).sum::<f64>()
                    + factors.chunks_exact(3).map(|factor| dot(factor).powi(2)).sum::<f64>();
                let most = dot(&direction);
                assert!(
                    (0.0..=most * (1.0 + 1e-6)).contains(&along),
                    "{along} of at most {most} at {distance:e} from fusion"
                );
            }
        }
    }
}
