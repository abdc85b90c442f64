//! What the mathematics says of every solution: medians and means, empty consensus, limits, symmetries, bounds.

use std::sync::Arc;

use crate::support::{
    self, KINDS, Kind, PENALTIES, admm, assert_sound, dense, distances, largest_difference, log_uniform, newton,
    problem, random_distances, rng,
};
use congraph::methods::smooth::admm::ZStep;
use congraph::methods::smooth::certificate::{DualPoint, dual_objective};
use congraph::penalties::Penalty;
use congraph::regularisers::L1Norm;
use congraph::{
    Admm, Coupling, DistanceNorm, Distances, Error, Model, Newton, Parameters, Problem, Solution, Solver, ViewMatrix,
    no_progress,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Tight enough that the weights are those of the optimum to about 1e-10.
const TIGHT: f64 = 1e-13;

/// α and β at which some edges are present and some views differ.
fn parameters(rng: &mut ChaCha8Rng) -> (f64, f64) {
    (log_uniform(rng, -2.0, 0.0), log_uniform(rng, -2.5, -0.5))
}

fn solved(problem: &Problem) -> (ViewMatrix, Vec<f64>) {
    let solution = newton(problem, TIGHT);
    assert!(
        solution.certificate.relative_gap <= 1e-12,
        "{:?} {:?}",
        solution.status,
        solution.certificate
    );
    dense(problem, &solution.weights)
}

fn sorted(row: &[f64]) -> Vec<f64> {
    let mut row = row.to_vec();
    row.sort_by(f64::total_cmp);
    row
}

#[test]
fn with_l1_the_consensus_is_the_median() {
    let mut rng = rng(1);
    let (mut apart, mut intervals) = (0, 0);
    for n_views in [2, 3, 4, 5, 6, 7] {
        for kind in KINDS {
            let distances = random_distances(kind, 10, n_views, &mut rng);
            let (alpha, beta) = parameters(&mut rng);
            let problem = problem(&distances, alpha, beta, 0.0, "l1");
            for solution in [newton(&problem, TIGHT), admm(&problem, 1e-9)] {
                let (views, consensus) = dense(&problem, &solution.weights);
                for (row, shared) in views.rows().zip(&consensus) {
                    let row = sorted(row);
                    let (low, high) = (row[(n_views - 1) / 2], row[n_views / 2]);
                    assert!((shared - 0.5 * (low + high)).abs() <= 1e-10, "{shared} for {row:?}");
                    apart += usize::from(row[n_views - 1] - row[0] > 1e-3);
                    intervals += usize::from(high - low > 1e-3);
                }
            }
        }
    }
    assert!(
        apart > 300 && intervals > 30,
        "too few interesting edges: {apart} {intervals}"
    );
}

#[test]
fn with_l2_the_consensus_is_the_mean() {
    let mut rng = rng(2);
    let mut apart = 0;
    for n_views in [2, 3, 6] {
        for kind in KINDS {
            let distances = random_distances(kind, 10, n_views, &mut rng);
            let (alpha, beta) = parameters(&mut rng);
            for name in ["l2", "squared-l2"] {
                let (views, consensus) = solved(&problem(&distances, alpha, beta, 0.0, name));
                for (row, shared) in views.rows().zip(&consensus) {
                    let mean = row.iter().sum::<f64>() / n_views as f64;
                    assert!((shared - mean).abs() <= 1e-9, "{name}: {shared} for {row:?}");
                    apart += usize::from(row.iter().any(|w| (w - mean).abs() > 1e-3));
                }
            }
        }
    }
    assert!(apart > 200, "too few interesting edges: {apart}");
}

/// Many β, because whether γ/β is exactly the threshold is a matter of rounding.
#[test]
fn the_consensus_is_empty_from_its_threshold_on() {
    let mut rng = rng(3);
    for number in 0..60 {
        let n_views = 1 + number % 6;
        let distances = random_distances(KINDS[number % 4], 8, n_views, &mut rng);
        let (alpha, beta) = parameters(&mut rng);
        for name in ["l1", "l2"] {
            let threshold = match name {
                "l1" => n_views as f64,
                _ => (n_views as f64).sqrt(),
            };
            let total = |fraction: f64| {
                let problem = problem(&distances, alpha, beta, fraction * threshold * beta, name);
                solved(&problem).1.iter().sum::<f64>()
            };
            for fraction in [1.0, 1.0 + 1e-6, 1.5, 10.0] {
                let total = total(fraction);
                assert!(
                    total == 0.0,
                    "{name}, N = {n_views}, beta = {beta:e}: a consensus of {total} at {fraction} of the threshold"
                );
            }
            // With one view, or views that agree, it is full just below. (The mean, less γ, of views that differ is not.)
            if n_views == 1 {
                assert!(total(0.9) > 1.0, "{name}: no consensus at 0.9 of the threshold");
            }
        }
    }
    // Views that agree but for a little noise.
    let shared = random_distances(Kind::Clustered, 8, 1, &mut rng);
    let n_views = 4;
    let noisy = shared
        .values()
        .values()
        .iter()
        .flat_map(|d| [d * 0.99, d * 1.01, d * 1.005, d * 0.995]);
    let distances = distances(8, n_views, noisy.collect(), DistanceNorm::Max);
    for (name, threshold) in [("l1", 4.0), ("l2", 2.0)] {
        let total = |fraction: f64| {
            solved(&problem(&distances, 0.1, 0.3, fraction * threshold * 0.3, name))
                .1
                .iter()
                .sum::<f64>()
        };
        assert!(total(0.9) > 1.0, "{name}");
        assert!(total(1.0) == 0.0, "{name}");
    }
}

#[test]
fn beta_zero_is_every_view_on_its_own() {
    let mut rng = rng(4);
    for kind in KINDS {
        let together = random_distances(kind, 11, 4, &mut rng);
        let alpha = log_uniform(&mut rng, -2.0, 0.0);
        for name in PENALTIES {
            let (views, consensus) = solved(&problem(&together, alpha, 0.0, 0.3, name));
            assert!(consensus.iter().all(|&w| w == 0.0));
            let by_admm = admm(&problem(&together, alpha, 0.0, 0.0, name), 1e-10);
            assert!(
                by_admm.weights.consensus().iter().all(|&w| w == 0.0),
                "{name}: ADMM has a consensus"
            );
            let empty = |row: &[f64]| row.iter().all(|&w| w == 0.0);
            assert!(
                !by_admm.weights.views().rows().any(empty),
                "{name}: ADMM lists edges that are absent everywhere"
            );
            for view in 0..4 {
                let own = distances(11, 1, together.values().column(view).collect(), DistanceNorm::None);
                let single = Problem::new(own, Model::uncoupled(alpha)).expect("a valid problem");
                let (alone, _) = solved(&single);
                let here: Vec<f64> = views.column(view).collect();
                let off = largest_difference(&here, alone.values());
                assert!(off <= 1e-9, "{name}, {kind:?}: {off:e}");
            }
        }
    }
}

#[test]
fn with_one_view_the_penalty_does_nothing() {
    let mut rng = rng(5);
    for kind in KINDS {
        let distances = random_distances(kind, 9, 1, &mut rng);
        let (alpha, beta) = parameters(&mut rng);
        let (alone, _) =
            solved(&Problem::new(Arc::clone(&distances), Model::uncoupled(alpha)).expect("a valid problem"));
        for name in ["l1", "l2", "squared-l2"] {
            let (views, consensus) = solved(&problem(&distances, alpha, beta, 0.0, name));
            assert!(largest_difference(views.values(), alone.values()) <= 1e-9);
            assert!(largest_difference(&consensus, alone.values()) <= 1e-9, "{name}");
        }
    }
}

#[test]
fn a_huge_beta_gives_equal_views_that_solve_the_averaged_problem() {
    let mut rng = rng(6);
    for n_views in [2, 3, 5] {
        let together = random_distances(Kind::Uniform, 10, n_views, &mut rng);
        let averaged = together
            .values()
            .rows()
            .map(|row| row.iter().sum::<f64>() / n_views as f64);
        let averaged = distances(10, 1, averaged.collect(), DistanceNorm::None);
        let alpha = log_uniform(&mut rng, -2.0, 0.0);
        let (alone, _) = solved(&Problem::new(averaged, Model::uncoupled(alpha)).expect("a valid problem"));
        for (name, beta, tolerance) in [("l1", 1e3, 1e-9), ("l2", 1e3, 1e-9), ("squared-l2", 1e9, 1e-7)] {
            let (views, consensus) = solved(&problem(&together, alpha, beta, 0.0, name));
            for view in 0..n_views {
                let here: Vec<f64> = views.column(view).collect();
                assert!(
                    largest_difference(&here, alone.values()) <= tolerance,
                    "{name} {:e}",
                    largest_difference(&here, alone.values())
                );
                if name != "squared-l2" {
                    assert_eq!(here, consensus, "{name}: fused views are equal to the bit");
                }
            }
        }
    }
}

/// The same views, with the nodes or the views in another order.
fn permuted(distances: &Distances, nodes: &[usize], views: &[usize]) -> Arc<Distances> {
    let n = nodes.len();
    let mut values = Vec::new();
    for a in 0..n {
        for b in a + 1..n {
            let (x, y) = (nodes[a].min(nodes[b]), nodes[a].max(nodes[b]));
            let row = distances.values().row(congraph::complete_index(n, x, y));
            values.extend(views.iter().map(|&view| row[view]));
        }
    }
    support::distances(n, views.len(), values, DistanceNorm::None)
}

#[test]
fn relabelling_relabels_the_result_and_units_do_not_matter() {
    let mut rng = rng(7);
    let (n, n_views) = (9, 4);
    let nodes = [4, 2, 8, 0, 7, 1, 3, 6, 5];
    let views = [2, 0, 3, 1];
    for kind in [Kind::Uniform, Kind::Clustered, Kind::Zeros] {
        for name in PENALTIES {
            for fraction in [0.0, 0.4] {
                let distances = random_distances(kind, n, n_views, &mut rng);
                let (alpha, beta) = parameters(&mut rng);
                let gamma = fraction * beta * 2.0;
                let (original, consensus) = solved(&problem(&distances, alpha, beta, gamma, name));

                let other = permuted(&distances, &nodes, &views);
                let (moved, moved_consensus) = solved(&problem(&other, alpha, beta, gamma, name));
                let original_distances = support::distances(n, n_views, original.values().to_vec(), DistanceNorm::None);
                let expected = permuted(&original_distances, &nodes, &views);
                let off = largest_difference(moved.values(), expected.values().values());
                assert!(off <= 1e-9, "{name} {kind:?} {fraction}: {off:e}");
                let as_distances = support::distances(n, 1, consensus.clone(), DistanceNorm::None);
                let expected = permuted(&as_distances, &nodes, &[0]);
                assert!(largest_difference(&moved_consensus, expected.values().values()) <= 1e-9);

                for factor in [1e-3, 7.0, 1e6] {
                    let values = distances.values().values().iter().map(|d| d * factor).collect();
                    let scaled = support::distances(n, n_views, values, DistanceNorm::None);
                    let (scaled, scaled_consensus) =
                        solved(&problem(&scaled, factor * alpha, factor * beta, factor * gamma, name));
                    let off = largest_difference(scaled.values(), original.values());
                    assert!(off <= 1e-9, "{name} {kind:?} {fraction} {factor}: {off:e}");
                    assert!(largest_difference(&scaled_consensus, &consensus) <= 1e-9);
                }
            }
        }
    }
}

/// Every case of a grid of penalties, regularisers and kinds of distances.
fn grid(n: usize, n_views: usize, seed: u64) -> Vec<(String, Problem)> {
    let mut rng = rng(seed);
    let mut cases = Vec::new();
    for kind in KINDS {
        for name in PENALTIES {
            for fraction in [0.0, 0.5, 1.3] {
                let distances = random_distances(kind, n, n_views, &mut rng);
                let (alpha, beta) = parameters(&mut rng);
                let gamma = fraction * beta * (n_views as f64).sqrt();
                let case = format!("{name}, {kind:?}, alpha = {alpha:e}, beta = {beta:e}, gamma = {gamma:e}");
                cases.push((case, problem(&distances, alpha, beta, gamma, name)));
            }
        }
    }
    cases
}

#[test]
fn the_dual_is_a_lower_bound_for_any_multipliers() {
    let mut rng = rng(8);
    for (case, problem) in grid(8, 3, 8) {
        let solution = newton(&problem, TIGHT);
        let optimum = solution.certificate.objective;
        let mut nearest = f64::NEG_INFINITY;
        for _ in 0..30 {
            let size = log_uniform(&mut rng, -6.0, 1.5);
            let start = solution.multipliers.values().iter();
            let moved = start.map(|value| value + size * rng.random_range(-1.0..1.0)).collect();
            let dual = DualPoint {
                multipliers: ViewMatrix::from_values(3, moved),
                prox_points: None,
            };
            let bound = dual_objective(&problem, &dual);
            assert!(bound <= optimum * (1.0 + 1e-12), "{case}: {bound} above {optimum}");
            nearest = nearest.max(bound);
        }
        // The bound is worth something near the optimum, or the test would show nothing.
        assert!(nearest >= 0.9 * optimum, "{case}: {nearest} far below {optimum}");
    }
}

fn from_start(problem: &Problem, start: Option<&ViewMatrix>) -> Solution {
    let solver = Newton {
        tolerance: 1e-9,
        ..Newton::default()
    };
    let solution = solver.solve(problem, start, &no_progress).expect("a supported problem");
    assert!(solution.converged(), "{:?}", solution.certificate);
    solution
}

#[test]
fn a_warm_start_saves_steps() {
    let (mut cold, mut warm) = (0, 0);
    let (mut admm_cold, mut admm_warm) = (0, 0);
    for (case, problem) in grid(20, 4, 9) {
        let first = from_start(&problem, None);
        let again = from_start(&problem, Some(&first.multipliers));
        assert!(
            again.iterations <= 2,
            "{case}: {} steps from the solution",
            again.iterations
        );
        let Parameters { alpha, beta, gamma } = problem.parameters();
        let distances = Arc::new(problem.distances().clone());
        let neighbour = support::problem(&distances, 1.05 * alpha, 1.05 * beta, gamma, problem.penalty().name());
        cold += from_start(&neighbour, None).iterations;
        warm += from_start(&neighbour, Some(&first.multipliers)).iterations;

        let by_admm = Admm {
            tolerance: 1e-6,
            ..Admm::default()
        };
        let run = |start| {
            by_admm
                .solve(&problem, start, &no_progress)
                .expect("a supported problem")
                .iterations
        };
        admm_cold += run(None);
        admm_warm += run(Some(&first.multipliers));
    }
    println!("newton {cold} cold, {warm} warm; admm {admm_cold} cold, {admm_warm} warm");
    assert!(warm < cold, "{warm} steps from a neighbour, {cold} from nothing");
    assert!(
        2 * admm_warm < admm_cold,
        "ADMM: {admm_warm} from the solution, {admm_cold} from nothing"
    );
}

#[test]
fn admm_and_newton_agree_in_every_variant() {
    let variants = [
        Admm {
            tolerance: 1e-10,
            ..Admm::default()
        },
        Admm {
            tolerance: 1e-10,
            z_step: ZStep::BlockCoordinateDescent { sweeps: 5 },
            ..Admm::default()
        },
        Admm {
            tolerance: 1e-10,
            adaptive_rho: false,
            ..Admm::default()
        },
        Admm {
            tolerance: 1e-10,
            relaxation: 1.0,
            rho: 0.1,
            ..Admm::default()
        },
    ];
    for (case, problem) in grid(9, 3, 10) {
        let (views, consensus) = solved(&problem);
        let alpha = problem.parameters().alpha;
        for solver in &variants {
            let solution = solver.solve(&problem, None, &no_progress).expect("a supported problem");
            let case = format!("{case}, {solver:?}");
            assert_sound(&problem, &solution, 1e-10, &case);
            assert!(solution.converged(), "{case}: {:?}", solution.certificate);
            let (other, other_consensus) = dense(&problem, &solution.weights);
            // F(W) ≥ F* + 2α‖W − W*‖².
            let gap = solution.certificate.objective - solution.certificate.dual_objective;
            let bound = (gap.max(0.0) / (2.0 * alpha)).sqrt() + 1e-8;
            let off = largest_difference(views.values(), other.values());
            assert!(off <= bound && bound <= 1e-3, "{case}: {off:e}, allowed {bound:e}");
            // γ within these fractions is far from where the consensus is sensitive, but for ℓ1, where its interval is open.
            if problem.penalty().name() != "l1" {
                let off = largest_difference(&consensus, &other_consensus);
                assert!(off <= 3.0 * bound, "{case}: consensus {off:e}, allowed {bound:e}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let mut rng = rng(11);
    let distances = random_distances(Kind::Clustered, 120, 3, &mut rng);
    for name in PENALTIES {
        let problem = problem(&distances, 0.02, 0.05, 0.02, name);
        let [one, two] = [1, 2].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a thread pool").install(|| {
                let few = Admm {
                    tolerance: 1e-3,
                    max_iterations: 200,
                    ..Admm::default()
                };
                let by_admm = few.solve(&problem, None, &no_progress).expect("a supported problem");
                (newton(&problem, 1e-9), by_admm)
            })
        });
        assert!(one.0.converged());
        assert!(one.0.weights.edges().len() > 100);
        assert_eq!(one, two, "{name}");
    }
}

/// ℓ1 that offers no more than its value and its prox.
#[derive(Debug)]
struct PlainL1;

impl Penalty for PlainL1 {
    fn name(&self) -> &str {
        "plain-l1"
    }

    fn value(&self, differences: &[f64], _n_views: usize) -> f64 {
        differences.iter().map(|v| v.abs()).sum()
    }

    fn prox(&self, differences: &mut [f64], _n_views: usize, step: f64) {
        for v in differences {
            *v = v.signum() * (v.abs() - step).max(0.0);
        }
    }
}

/// The norm of all differences together: not separable over the edges.
#[derive(Debug)]
struct Frobenius;

impl Penalty for Frobenius {
    fn name(&self) -> &str {
        "frobenius"
    }

    fn value(&self, differences: &[f64], _n_views: usize) -> f64 {
        differences.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        let length = self.value(differences, n_views);
        let shrink = if length > step { 1.0 - step / length } else { 0.0 };
        for v in differences {
            *v *= shrink;
        }
    }
}

fn with_penalty(like: &Problem, penalty: impl Penalty + 'static) -> Problem {
    let distances = Arc::new(like.distances().clone());
    let model = Model {
        parameters: like.parameters(),
        coupling: Coupling::Consensus {
            penalty: Arc::new(penalty),
            regulariser: Arc::new(L1Norm),
        },
    };
    Problem::new(distances, model).expect("a valid problem")
}

#[test]
fn a_penalty_with_only_a_prox_is_solved_and_certified_by_admm() {
    for (case, built_in) in grid(9, 3, 12) {
        if built_in.penalty().name() != "l1" {
            continue;
        }
        let plain = with_penalty(&built_in, PlainL1);
        let solution = admm(&plain, 1e-6);
        assert!(
            solution.converged(),
            "{case}: {:?} {:?}",
            solution.status,
            solution.certificate
        );
        let optimum = newton(&built_in, TIGHT).certificate;
        let off = (solution.certificate.objective - optimum.objective) / optimum.objective;
        assert!((-1e-12..=1e-6).contains(&off), "{case}: {off:e}");
        assert!(
            solution.certificate.dual_objective <= optimum.objective * (1.0 + 1e-12),
            "{case}: {:?} is no bound of {}",
            solution.certificate,
            optimum.objective
        );

        let refused = Newton::default().solve(&plain, None, &no_progress);
        let Err(error @ Error::Unsupported { .. }) = refused else {
            unreachable!("{case}: Newton must refuse: {refused:?}");
        };
        let text = error.to_string();
        assert!(
            text.contains("plain-l1") && text.contains("newton") && text.contains("admm"),
            "{text}"
        );

        // Not separable: no oracle, but its own bound, which the dual of ℓ2 row by row does not give.
        let whole = with_penalty(&built_in, Frobenius);
        let solution = admm(&whole, 1e-6);
        assert!(
            solution.converged(),
            "{case}: {:?} {:?}",
            solution.status,
            solution.certificate
        );
    }
}

/// The bound must hold in any units.
#[test]
fn a_prox_only_certificate_does_not_depend_on_units() {
    let mut rng = rng(13);
    let distances = random_distances(Kind::Uniform, 7, 3, &mut rng);
    for factor in [1e-200, 1e-100, 1.0, 1e100, 1e200] {
        let values = distances.values().values().iter().map(|d| d * factor).collect();
        let scaled = support::distances(7, 3, values, DistanceNorm::None);
        let built_in = problem(&scaled, 0.1 * factor, 0.05 * factor, 0.05 * factor, "l1");
        let optimum = newton(&built_in, TIGHT).certificate.objective;
        let early = Admm {
            tolerance: 1e-6,
            max_iterations: 20,
            ..Admm::default()
        };
        let plain = with_penalty(&built_in, PlainL1);
        for solver in [
            early,
            Admm {
                tolerance: 1e-6,
                ..Admm::default()
            },
        ] {
            let solution = solver.solve(&plain, None, &no_progress).expect("a supported problem");
            let bound = solution.certificate.dual_objective;
            assert!(
                bound <= optimum * (1.0 + 1e-12),
                "{factor:e}: after {} iterations the bound is {bound:e}, the optimum {optimum:e}",
                solution.iterations
            );
            assert!(
                solution.converged() || solution.iterations == 20,
                "{factor:e}: {:?} {:?}",
                solution.status,
                solution.certificate
            );
        }
    }
}
