//! The joint graphical lasso: laws of its proximal maps, certificates, limits and symmetries, and reference results of
//! other packages.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use congraph::methods::graphical_lasso;
use congraph::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso, Scratch};
use congraph::simulate::{Settings, simulate};
use congraph::{Code, Error, Learn, Learned, Status, Table, ViewOptions, Views, no_progress};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn penalty(fusion: Fusion, lambda1: f64, lambda2: f64) -> graphical_lasso::Model {
    graphical_lasso::Model {
        fusion,
        lambda1,
        lambda2,
        fused_diagonal: false,
    }
}

/// Random signals over `n` nodes that share three factors, as samples × nodes.
fn signals(n: usize, n_samples: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut normal = |_| -> f64 { StandardNormal.sample(rng) };
    let loadings: Vec<f64> = (0..3 * n).map(&mut normal).collect();
    let mut values = Vec::new();
    for _ in 0..n_samples {
        let factors: Vec<f64> = (0..3).map(&mut normal).collect();
        values.extend((0..n).map(|i| (0..3).map(|f| loadings[3 * i + f] * factors[f]).sum::<f64>() + normal(0)));
    }
    values
}

fn covariance(n: usize, n_samples: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let x = signals(n, n_samples, rng);
    let entry = |i: usize, j: usize| {
        x.chunks_exact(n)
            .map(|sample| sample[i.max(j)] * sample[i.min(j)])
            .sum::<f64>()
            / n_samples as f64
    };
    (0..n * n).map(|at| entry(at / n, at % n)).collect()
}

fn covariances(n: usize, n_views: usize, n_samples: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n_views).map(|_| covariance(n, n_samples, &mut rng)).collect()
}

fn problem(n: usize, covariances: Vec<Vec<f64>>, penalty: graphical_lasso::Model) -> graphical_lasso::Problem {
    let weights = vec![1.0; covariances.len()];
    graphical_lasso::Problem::new(n, covariances, weights, penalty).unwrap()
}

fn solve(problem: &graphical_lasso::Problem) -> graphical_lasso::Solution {
    solve_to(problem, 1e-10)
}

fn solve_to(problem: &graphical_lasso::Problem, tolerance: f64) -> graphical_lasso::Solution {
    let solver = graphical_lasso::Admm {
        tolerance,
        ..graphical_lasso::Admm::default()
    };
    let found = solver.run(problem, None, &no_progress).unwrap();
    assert_eq!(found.status, Status::Converged, "{:?}", found.certificate);
    assert!(found.certificate.relative_gap <= tolerance);
    found
}

fn largest_difference(one: &[Vec<f64>], two: &[Vec<f64>]) -> f64 {
    assert_eq!(one.len(), two.len());
    let pairs = one.iter().flatten().zip(two.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![3 => -2.0..2.0, 1 => -100.0..100.0, 1 => -0.01..0.01, 1 => Just(0.0), 1 => Just(0.5)]
}

fn any_penalty() -> impl Strategy<Value = graphical_lasso::Model> {
    let weight = || prop_oneof![1 => Just(0.0), 3 => 0.001..1.0, 1 => 1.0..20.0];
    (0..2_usize, weight(), weight(), any::<bool>()).prop_map(|(k, lambda1, lambda2, fused_diagonal)| {
        graphical_lasso::Model {
            fusion: Fusion::ALL[k],
            lambda1,
            lambda2,
            fused_diagonal,
        }
    })
}

type Value = fn(&graphical_lasso::Model, &[f64]) -> f64;
type Prox = fn(&graphical_lasso::Model, &mut [f64], f64, &mut Scratch);
const MAPS: [(Value, Prox); 2] = [
    (graphical_lasso::Model::value, graphical_lasso::Model::prox),
    (
        graphical_lasso::Model::diagonal_value,
        graphical_lasso::Model::diagonal_prox,
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// y = prox(x) means P(z) ≥ P(y) + ⟨(x − y)/step, z − y⟩ for every z, with z = 0 and z = 2y among them.
    #[test]
    fn prox_obeys_the_subgradient_inequality(
        penalty in any_penalty(), x in proptest::collection::vec(value(), 1..8),
        other in proptest::collection::vec(value(), 8), step in 0.01..10.0_f64,
    ) {
        for (value, prox) in MAPS {
            let mut y = x.clone();
            prox(&penalty, &mut y, step, &mut Scratch::new());
            let double: Vec<f64> = y.iter().map(|y| 2.0 * y).collect();
            let equal = vec![other[0]; x.len()];
            for z in [&vec![0.0; x.len()], &double, &x, &equal, &other[..x.len()].to_vec()] {
                let slope: f64 = x.iter().zip(&y).zip(z).map(|((x, y), z)| (x - y) / step * (z - y)).sum();
                let (at_y, at_z) = (value(&penalty, &y), value(&penalty, z));
                let size = 1.0 + at_z.abs() + at_y.abs() + slope.abs();
                prop_assert!(at_z >= at_y + slope - 1e-10 * size, "{penalty:?}: {at_z} < {at_y} + {slope}");
            }
        }
    }

    /// The order of the views does not matter but for rounding.
    #[test]
    fn prox_commutes_with_reversing_the_views(
        penalty in any_penalty(), x in proptest::collection::vec(value(), 1..8), step in 0.01..10.0_f64,
    ) {
        let (mut there, mut back) = (x.clone(), x);
        back.reverse();
        penalty.prox(&mut there, step, &mut Scratch::new());
        penalty.prox(&mut back, step, &mut Scratch::new());
        back.reverse();
        for (a, b) in there.iter().zip(&back) {
            prop_assert!((a - b).abs() <= 1e-13 * (1.0 + a.abs()));
        }
    }

    /// x − prox(x) at step 1 is the projection on a set: projecting twice changes nothing.
    #[test]
    fn what_prox_takes_away_is_feasible(penalty in any_penalty(), x in proptest::collection::vec(value(), 1..8)) {
        for (_, prox) in MAPS {
            let mut beyond = x.clone();
            prox(&penalty, &mut beyond, 1.0, &mut Scratch::new());
            let inside: Vec<f64> = x.iter().zip(&beyond).map(|(x, y)| x - y).collect();
            let mut again = inside.clone();
            prox(&penalty, &mut again, 1.0, &mut Scratch::new());
            let size = 1.0 + x.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
            prop_assert!(again.iter().all(|y| y.abs() <= 1e-12 * size), "{penalty:?}: {again:?}");
        }
    }
}

#[test]
fn fused_entries_are_equal_to_the_bit() {
    let mut row = [0.9, 1.1, 1.0, 5.0, 1.05];
    penalty(Fusion::Fused, 0.01, 0.05).prox(&mut row, 1.0, &mut Scratch::new());
    assert!(
        row[0] == row[1] && row[1] == row[2] && row[2] == row[4] && row[3] > row[0],
        "{row:?}"
    );
}

#[test]
fn every_result_is_certified() {
    for coupling in Fusion::ALL {
        for (n, n_views, n_samples) in [(2, 2, 30), (10, 3, 50), (12, 7, 6), (25, 2, 100), (3, 12, 10)] {
            for lambda1 in [0.01, 0.1, 1.0] {
                for lambda2 in [0.0, 0.03, 0.5] {
                    for fused_diagonal in [false, true] {
                        let penalty = graphical_lasso::Model {
                            fused_diagonal,
                            ..penalty(coupling, lambda1, lambda2)
                        };
                        solve(&problem(n, covariances(n, n_views, n_samples, n as u64), penalty));
                    }
                }
            }
        }
    }
}

/// c(S − Θ⁻¹) + Γ = 0, Γ ∈ C and ⟨Γ, Θ⟩ = penalty(Θ), computed here from scratch.
#[test]
fn the_optimality_conditions_hold() {
    for coupling in Fusion::ALL {
        let (n, n_views) = (9, 4);
        let penalty = graphical_lasso::Model {
            fused_diagonal: true,
            ..penalty(coupling, 0.1, 0.07)
        };
        let problem = problem(n, covariances(n, n_views, 40, 3), penalty);
        let found = solve_to(&problem, 1e-13);
        let (theta, gamma) = (&found.iterate.precisions, &found.iterate.multipliers);
        let (mut charge, mut product, mut scratch) = (0.0, 0.0, Scratch::new());
        for view in 0..n_views {
            for i in 0..n {
                for j in 0..n {
                    // Θ (S + Γ) = I
                    let entry: f64 = (0..n)
                        .map(|k| {
                            theta[view][i * n + k] * (problem.covariance(view)[k * n + j] + gamma[view][k * n + j])
                        })
                        .sum();
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!((entry - expected).abs() < 1e-5, "{coupling:?}: {entry} at ({i}, {j})");
                }
            }
        }
        for at in 0..n * n {
            let row = |matrices: &[Vec<f64>]| matrices.iter().map(|matrix| matrix[at]).collect::<Vec<f64>>();
            let (entry, multiplier) = (row(theta), row(gamma));
            let mut beyond = multiplier.clone();
            if at % (n + 1) == 0 {
                charge += penalty.diagonal_value(&entry);
                penalty.diagonal_prox(&mut beyond, 1.0, &mut scratch);
            } else {
                charge += penalty.value(&entry);
                penalty.prox(&mut beyond, 1.0, &mut scratch);
            }
            // Without a coupled diagonal its multipliers are 0, and the proximal map leaves them.
            assert!(beyond.iter().all(|x| x.abs() < 1e-12), "{coupling:?}: {beyond:?}");
            product += entry.iter().zip(&multiplier).map(|(x, y)| x * y).sum::<f64>();
        }
        assert!(
            (charge - product).abs() < 1e-9 * charge,
            "{coupling:?}: {charge} {product}"
        );
    }
}

#[test]
fn multipliers_that_are_wrong_still_prove_a_bound() {
    for coupling in Fusion::ALL {
        let problem = problem(8, covariances(8, 3, 30, 1), penalty(coupling, 0.1, 0.05));
        let best = solve(&problem).certificate;
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for scale in [0.0, 0.01, 1.0, 100.0] {
            let mut multipliers = covariances(8, 3, 20, 9);
            for x in multipliers.iter_mut().flatten() {
                let noise: f64 = StandardNormal.sample(&mut rng);
                *x = scale * noise;
            }
            if let Some(bound) = problem.lower_bound(&multipliers) {
                assert!(bound <= best.objective + 1e-9);
            }
        }
        assert!(problem.lower_bound(&vec![vec![0.0; 64]; 3]).is_some());
    }
}

#[test]
fn without_coupling_every_view_is_a_graphical_lasso() {
    let all = covariances(12, 3, 40, 5);
    for coupling in Fusion::ALL {
        let joint = solve_to(&problem(12, all.clone(), penalty(coupling, 0.1, 0.0)), 1e-12);
        let mut total = 0.0;
        for (view, covariance) in all.iter().enumerate() {
            let alone = solve_to(
                &problem(12, vec![covariance.clone()], penalty(coupling, 0.1, 0.0)),
                1e-12,
            );
            total += alone.certificate.objective;
            let together = std::slice::from_ref(&joint.iterate.precisions[view]);
            assert!(largest_difference(together, &alone.iterate.precisions) < 1e-5);
        }
        assert!((total - joint.certificate.objective).abs() < 1e-9 * total.abs());
    }
}

#[test]
fn of_one_view_the_fused_coupling_is_nothing_and_the_group_coupling_more_of_lambda1() {
    let one = covariances(10, 1, 30, 8);
    let plain = solve(&problem(10, one.clone(), penalty(Fusion::Fused, 0.2, 0.0)));
    let fused = solve(&problem(10, one.clone(), penalty(Fusion::Fused, 0.2, 0.7)));
    let group = solve(&problem(10, one, penalty(Fusion::Group, 0.15, 0.05)));
    assert_eq!(plain.iterate.precisions, fused.iterate.precisions);
    assert!((plain.certificate.objective - group.certificate.objective).abs() < 1e-8);
    assert!(largest_difference(&plain.iterate.precisions, &group.iterate.precisions) < 1e-4);
}

#[test]
fn strongly_fused_views_are_the_graphical_lasso_of_the_mean() {
    let (n, n_views) = (10, 4);
    let all = covariances(n, n_views, 30, 11);
    let mean: Vec<f64> = (0..n * n)
        .map(|at| all.iter().map(|s| s[at]).sum::<f64>() / n_views as f64)
        .collect();
    let strong = graphical_lasso::Model {
        fused_diagonal: true,
        ..penalty(Fusion::Fused, 0.1, 50.0)
    };
    let joint = solve_to(&problem(n, all, strong), 1e-12);
    let pooled = solve_to(&problem(n, vec![mean], penalty(Fusion::Fused, 0.1, 0.0)), 1e-12);
    for precision in &joint.iterate.precisions {
        assert_eq!(precision, &joint.iterate.precisions[0]);
        assert!(largest_difference(std::slice::from_ref(precision), &pooled.iterate.precisions) < 1e-5);
    }
}

#[test]
fn screening_changes_nothing_but_the_time() {
    for coupling in Fusion::ALL {
        for (lambda1, lambda2, at_least) in [(0.1, 0.05, 2), (0.06, 0.0, 2), (1e3, 0.0, 14), (0.01, 0.01, 1)] {
            let penalty = graphical_lasso::Model {
                fused_diagonal: true,
                ..penalty(coupling, lambda1, lambda2)
            };
            let problem = problem(14, two_groups(), penalty);
            let solver = graphical_lasso::Admm {
                tolerance: 1e-12,
                ..graphical_lasso::Admm::default()
            };
            let apart = solver.run(&problem, None, &no_progress).unwrap();
            let whole = graphical_lasso::Admm {
                screening: false,
                ..solver
            }
            .run(&problem, None, &no_progress)
            .unwrap();
            assert!(
                apart.n_components >= at_least && whole.n_components == 1,
                "{}",
                apart.n_components
            );
            let (one, two) = (apart.certificate, whole.certificate);
            assert!((one.objective - two.objective).abs() < 1e-9 * problem_size(&problem));
            assert!(largest_difference(&apart.iterate.precisions, &whole.iterate.precisions) < 1e-4);
            // Nodes that were solved apart share no entry in the solution of the whole either.
            let zero = |x: &[Vec<f64>], at: usize| x.iter().all(|matrix| matrix[at] == 0.0);
            let (a, b) = (&apart.iterate.precisions, &whole.iterate.precisions);
            assert!(apart.n_components == 1 || (0..196).all(|at| !zero(a, at) || zero(b, at)));
        }
    }
}

/// Two groups of seven nodes with weak covariances between them, in three views.
fn two_groups() -> Vec<Vec<f64>> {
    let (first, second) = (covariances(7, 3, 200, 2), covariances(7, 3, 200, 3));
    let entry = |view: usize, i: usize, j: usize| match (i < 7, j < 7) {
        (true, true) => first[view][i * 7 + j],
        (false, false) => second[view][(i - 7) * 7 + j - 7],
        _ if (i + j + view).is_multiple_of(2) => 0.05,
        _ => -0.05,
    };
    (0..3)
        .map(|view| (0..196).map(|at| entry(view, at / 14, at % 14)).collect())
        .collect()
}

fn problem_size(problem: &graphical_lasso::Problem) -> f64 {
    (problem.n_nodes() * problem.n_views()) as f64
}

#[test]
fn a_warm_start_is_a_shorter_way_to_the_same_place() {
    for coupling in Fusion::ALL {
        let all = covariances(20, 4, 60, 6);
        let solver = graphical_lasso::Admm::default();
        let first = solver
            .run(
                &problem(20, all.clone(), penalty(coupling, 0.1, 0.05)),
                None,
                &no_progress,
            )
            .unwrap();
        let near = problem(20, all, penalty(coupling, 0.101, 0.05));
        let cold = solver.run(&near, None, &no_progress).unwrap();
        let warm = solver.run(&near, Some(&first.iterate), &no_progress).unwrap();
        assert!(warm.status == Status::Converged && warm.iterations < cold.iterations);
        assert!((warm.certificate.objective - cold.certificate.objective).abs() < 2e-8 * problem_size(&near));
        let other_size = problem(10, covariances(10, 4, 60, 6), penalty(coupling, 0.1, 0.05));
        assert!(solver.run(&other_size, Some(&first.iterate), &no_progress).is_err());
    }
}

#[test]
fn weighing_all_views_is_dividing_the_lambdas() {
    let all = covariances(8, 3, 40, 12);
    let heavy =
        graphical_lasso::Problem::new(8, all.clone(), vec![500.0; 3], penalty(Fusion::Fused, 50.0, 10.0)).unwrap();
    let (heavy, light) = (
        solve(&heavy),
        solve(&problem(8, all, penalty(Fusion::Fused, 0.1, 0.02))),
    );
    assert!((heavy.certificate.objective / 500.0 - light.certificate.objective).abs() < 1e-7);
    assert!(largest_difference(&heavy.iterate.precisions, &light.iterate.precisions) < 1e-4);
}

#[test]
fn the_unit_of_the_data_does_not_matter() {
    let all = covariances(8, 3, 40, 13);
    let plain = solve(&problem(8, all.clone(), penalty(Fusion::Group, 0.1, 0.05)));
    for unit in [1e-6, 1e6] {
        let scaled = all.iter().map(|s| s.iter().map(|x| x * unit).collect()).collect();
        let found = solve(&problem(8, scaled, penalty(Fusion::Group, 0.1 * unit, 0.05 * unit)));
        assert!((found.iterations as f64) < 1.5 * plain.iterations as f64);
        let rescaled: Vec<Vec<f64>> = found
            .iterate
            .precisions
            .iter()
            .map(|m| m.iter().map(|x| x * unit).collect())
            .collect();
        assert!(largest_difference(&rescaled, &plain.iterate.precisions) < 1e-4);
    }
}

/// Views of simulated signals, with columns and tables in a given order.
fn simulated(nodes: &[usize], order: &[usize]) -> Views {
    let settings = Settings {
        n_nodes: nodes.len(),
        n_views: order.len(),
        n_signals: vec![60],
        ..Settings::default()
    };
    let tables = simulate(&settings).unwrap().tables;
    let reorder = |&view: &usize| {
        let table = &tables[view];
        let names = table.column_names.as_ref().unwrap();
        let values = table
            .values
            .chunks_exact(table.n_columns)
            .flat_map(|row| nodes.iter().map(|&node| row[node]));
        Table::new(table.name.clone(), table.n_columns, values.collect())
            .with_columns(nodes.iter().map(|&node| names[node].clone()))
    };
    let (views, _) = Views::assemble(order.iter().map(reorder).collect(), &ViewOptions::default()).unwrap();
    views
}

#[test]
fn the_order_of_nodes_and_views_and_the_threads_change_no_bit() {
    let (nodes, order): (Vec<usize>, Vec<usize>) = ((0..15).collect(), (0..4).collect());
    let (moved_nodes, moved_order): (Vec<usize>, Vec<usize>) =
        ((0..15).map(|k| k * 7 % 15).collect(), vec![2, 0, 3, 1]);
    for coupling in Fusion::ALL {
        let learner = GraphicalLasso::new(coupling, 0.2, 0.05);
        let with_threads = |views: &Views, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learner.learn(views, &no_progress).unwrap())
        };
        let one = with_threads(&simulated(&nodes, &order), 1);
        let three = with_threads(&simulated(&nodes, &order), 3);
        assert_eq!(one.details.precisions, three.details.precisions);
        let moved = with_threads(&simulated(&moved_nodes, &moved_order), 2);
        for (view, &from) in moved_order.iter().enumerate() {
            assert_eq!(moved.graph.views()[view], one.graph.views()[from]);
            for (a, &i) in moved_nodes.iter().enumerate() {
                for (b, &j) in moved_nodes.iter().enumerate() {
                    assert_eq!(
                        moved.details.precisions[view][a * 15 + b],
                        one.details.precisions[from][i * 15 + j]
                    );
                }
            }
        }
        let density =
            |learned: &Learned<GraphicalLasso>, rule| learned.details.graph(&learned.graph, rule).mean_density();
        let same = |rule| density(&one, rule) == density(&moved, rule);
        assert!(EdgeRule::ALL.into_iter().all(same));
    }
}

#[test]
fn the_two_edge_rules() {
    let nodes = ["a", "b", "c"].map(String::from).to_vec();
    let precision = vec![2.0, -0.5, 0.25, -0.5, 2.0, 0.0, 0.25, 0.0, 2.0];
    let graph = |rule: EdgeRule| rule.graph(nodes.clone(), vec!["x".into()], std::slice::from_ref(&precision));
    assert_eq!(graph(EdgeRule::NonZero).pairs(), [[0, 1], [0, 2]]);
    assert_eq!(graph(EdgeRule::NonZero).weights().values(), [0.5, 0.25]);
    assert_eq!(graph(EdgeRule::Negative).pairs(), [[0, 1]]);
    assert!(graph(EdgeRule::Negative).consensus().is_none());
}

#[test]
fn fewer_samples_than_nodes_need_lambda1() {
    let singular = covariances(10, 3, 4, 20);
    for coupling in Fusion::ALL {
        solve(&problem(10, singular.clone(), penalty(coupling, 0.05, 0.1)));
        let refused =
            graphical_lasso::Problem::new(10, singular.clone(), vec![1.0; 3], penalty(coupling, 0.0, 0.0)).unwrap_err();
        assert!(matches!(refused, Error::Parameter { name: "lambda1", .. }), "{refused}");
    }
    // The coupling alone bounds a group, and fused views whose mean is definite.
    solve_to(&problem(10, singular.clone(), penalty(Fusion::Group, 0.0, 0.3)), 1e-8);
    let fused = graphical_lasso::Model {
        fused_diagonal: true,
        ..penalty(Fusion::Fused, 0.0, 0.5)
    };
    solve_to(&problem(10, singular.clone(), fused), 1e-8);
    // Ten nodes of three samples in two views are singular together.
    let few = covariances(10, 2, 3, 21);
    assert!(graphical_lasso::Problem::new(10, few, vec![1.0; 2], fused).is_err());
    // Enough samples need no penalty at all: the inverse.
    let plenty = covariances(5, 1, 50, 22);
    let found = solve_to(&problem(5, plenty.clone(), penalty(Fusion::Fused, 0.0, 0.0)), 1e-13);
    let product: f64 = (0..5).map(|k| found.iterate.precisions[0][k] * plenty[0][k * 5]).sum();
    assert!((product - 1.0).abs() < 1e-5); // errors are of the order of the square root of the gap
}

#[test]
fn nodes_that_repeat_others_and_equal_views_are_no_trouble() {
    let mut all = covariances(6, 2, 40, 30);
    for s in &mut all {
        // The last node is the first one again.
        for i in 0..5 {
            s[5 * 6 + i] = s[i];
            s[i * 6 + 5] = s[i * 6];
        }
        s[35] = s[0];
        s[5 * 6] = s[0];
        s[5] = s[0];
    }
    all[1] = all[0].clone();
    for coupling in Fusion::ALL {
        let found = solve(&problem(6, all.clone(), penalty(coupling, 0.05, 0.02)));
        assert!(largest_difference(&found.iterate.precisions[..1], &found.iterate.precisions[1..]) < 1e-9);
    }
}

#[test]
fn what_cannot_be_solved_is_refused_with_a_reason() {
    let good = covariances(4, 2, 20, 1);
    let plain = penalty(Fusion::Fused, 0.1, 0.1);
    let refused = |covariances: Vec<Vec<f64>>, weights: Vec<f64>, penalty| {
        graphical_lasso::Problem::new(4, covariances, weights, penalty)
            .unwrap_err()
            .to_string()
    };
    assert!(refused(good.clone(), vec![1.0; 2], penalty(Fusion::Fused, -1.0, 0.0)).starts_with("lambda1 is -1"));
    assert!(refused(good.clone(), vec![1.0; 2], penalty(Fusion::Fused, 1.0, f64::NAN)).starts_with("lambda2 is NaN"));
    assert!(refused(good.clone(), vec![1.0], plain).contains("one for each view"));
    assert!(refused(good.clone(), vec![1.0, 0.0], plain).contains("positive"));
    assert!(refused(vec![], vec![], plain).contains("one or more views"));
    assert!(refused(vec![vec![1.0; 9]], vec![1.0], plain).contains("4 × 4"));
    let changed = |at: usize, value: f64| {
        let mut all = good.clone();
        all[1][at] = value;
        all
    };
    assert!(refused(changed(1, f64::NAN), vec![1.0; 2], plain).contains("finite"));
    assert!(refused(changed(1, 77.0), vec![1.0; 2], plain).contains("symmetric"));
    assert!(refused(changed(0, 0.0), vec![1.0; 2], plain).contains("E04"));
    let mut indefinite = good.clone();
    (indefinite[0][1], indefinite[0][4]) = (9.0, 9.0);
    assert!(refused(indefinite, vec![1.0; 2], plain).contains("semidefinite"));
    let problem = problem(4, good, plain);
    for solver in [
        graphical_lasso::Admm {
            tolerance: 0.0,
            ..graphical_lasso::Admm::default()
        },
        graphical_lasso::Admm {
            over_relaxation: 2.0,
            ..graphical_lasso::Admm::default()
        },
    ] {
        assert!(solver.run(&problem, None, &no_progress).is_err());
    }
}

#[test]
fn a_node_without_variance_is_named() {
    let table = Table::new("x", 3, vec![1.0, 2.0, 0.0, 0.5, -2.0, 0.0, 0.1, 1.0, 0.0]).with_columns(["a", "b", "flat"]);
    let options = ViewOptions {
        allow_constant: true,
        ..ViewOptions::default()
    };
    let (views, _) = Views::assemble(vec![table], &options).unwrap();
    let mut learner = GraphicalLasso::new(Fusion::Fused, 0.1, 0.0);
    learner.scaling.scale = congraph::Scale::Center;
    let Err(Error::Data(errors)) = learner.learn(&views, &no_progress) else {
        panic!("accepted")
    };
    assert_eq!((errors[0].code, errors[0].node.as_deref()), (Code::E04, Some("flat")));
}

#[test]
fn stopping_early_is_a_status() {
    let problem = problem(15, covariances(15, 3, 20, 4), penalty(Fusion::Fused, 0.05, 0.02));
    let two = graphical_lasso::Admm {
        max_iterations: 2,
        ..graphical_lasso::Admm::default()
    }
    .run(&problem, None, &no_progress)
    .unwrap();
    assert_eq!(two.status, Status::IterationLimit);
    assert!(two.certificate.relative_gap > 1e-8);
    let stopped = graphical_lasso::Admm::default()
        .run(&problem, None, &|_| std::ops::ControlFlow::Break(()))
        .unwrap();
    assert_eq!((stopped.status, stopped.iterations), (Status::Interrupted, 1));
}

/// Results of gglasso and scikit-learn, written by `benchmarks/jgl_reference.py`.
#[test]
fn other_packages_find_the_same() {
    let text = include_str!("fixtures/joint_graphical_lasso.json");
    let cases: serde_json::Value = serde_json::from_str(text).unwrap();
    let number = |case: &serde_json::Value, key: &str| case[key].as_f64().unwrap();
    let matrices = |case: &serde_json::Value, key: &str| -> Vec<Vec<f64>> {
        let matrix = |m: &serde_json::Value| m.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        case[key].as_array().unwrap().iter().map(matrix).collect()
    };
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 8);
    for case in cases {
        let coupling = if case["coupling"] == "group" {
            Fusion::Group
        } else {
            Fusion::Fused
        };
        let penalty = penalty(coupling, number(case, "lambda1"), number(case, "lambda2"));
        let problem = problem(
            case["nodes"].as_u64().unwrap() as usize,
            matrices(case, "covariances"),
            penalty,
        );
        let ours = solve_to(&problem, 1e-12);
        let theirs = number(case, "objective");
        let again = problem.objective(&matrices(case, "precisions")).unwrap();
        assert!(
            (again - theirs).abs() < 1e-10 * theirs.abs(),
            "{}: {again} {theirs}",
            case["peer"]
        );
        let apart = (ours.certificate.objective - theirs) / theirs.abs();
        let moved = largest_difference(&ours.iterate.precisions, &matrices(case, "precisions"));
        println!(
            "{} {} λ1 {} λ2 {}: objective {apart:+.1e}, entries {moved:.1e}",
            case["peer"], case["coupling"], case["lambda1"], case["lambda2"]
        );
        assert!(
            apart.abs() < 1e-8 && moved < 1e-4,
            "{}: {apart:e} {moved:e}",
            case["peer"]
        );
    }
}
