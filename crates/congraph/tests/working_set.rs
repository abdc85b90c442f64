//! The working set is exact for all pairs: against listing them all.

use std::collections::BTreeMap;
use std::sync::Arc;

use congraph::methods::smooth::working_set::{SetSolution, Start};
use congraph::methods::smooth::{Newton, Solver};
use congraph::simulate::{GraphModel, Settings, simulate};
use congraph::{
    AllPairs, Coupling, Distances, Model, Parameters, Problem, Scaling, Solution, Table, ViewOptions, Views,
    no_progress, penalties, regularisers,
};
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

fn newton() -> Newton {
    Newton {
        tolerance: 1e-10,
        ..Newton::default()
    }
}

fn by_set(views: &Views, scaling: &Scaling, model: &Model) -> (SetSolution, AllPairs) {
    let all = AllPairs::new(views, scaling, 5, &no_progress).expect("distances");
    let working_set = newton().working_set().expect("newton has one");
    let found = working_set.solve(&all, model, None, &no_progress).expect("a solution");
    (found, all)
}

fn by_list(views: &Views, scaling: &Scaling, model: &Model) -> (Solution, Arc<Distances>) {
    let distances = Arc::new(Distances::from_views(views, scaling).expect("distances"));
    let problem = Problem::new(Arc::clone(&distances), model.clone()).expect("a problem");
    (
        newton().solve(&problem, None, &no_progress).expect("a solution"),
        distances,
    )
}

/// Every weight of both, by pair.
fn compare(views: &Views, scaling: &Scaling, model: &Model) -> SetSolution {
    let (found, all) = by_set(views, scaling, model);
    let (listed, distances) = by_list(views, scaling, model);
    assert!(
        found.solution.converged() && listed.converged(),
        "{:?}",
        found.solution.status
    );
    // One from differences, the other from products that do not cancel.
    assert!((all.divisor() / distances.divisor() - 1.0).abs() < 1e-13);
    let (one, two) = (found.solution.certificate, listed.certificate);
    assert!((one.objective / two.objective - 1.0).abs() < 1e-10, "{one:?} {two:?}");
    assert!(
        (one.dual_objective / two.dual_objective - 1.0).abs() < 1e-10,
        "{one:?} {two:?}"
    );
    // Pairs that only one of them has weigh nothing to speak of.
    let mut weights: BTreeMap<[u32; 2], [Vec<f64>; 2]> = BTreeMap::new();
    let none = || vec![0.0; views.n_views() + 1];
    for (which, (solution, distances)) in [(&found.solution, &found.solution.distances), (&listed, &distances)]
        .iter()
        .enumerate()
    {
        for (edge, row, shared) in solution.weights.iter() {
            let pair = distances.edges().pairs()[edge];
            let both = weights.entry(pair).or_insert_with(|| [none(), none()]);
            both[which] = row.iter().copied().chain([shared]).collect();
        }
    }
    for (pair, [ours, theirs]) in &weights {
        for (x, y) in ours.iter().zip(theirs) {
            assert!((x - y).abs() < 1e-7, "{pair:?}: {x} {y}");
        }
    }
    found
}

fn simulated(n_nodes: usize, n_views: usize, p: usize) -> Views {
    let simulation = simulate(&Settings {
        n_nodes,
        n_views,
        n_signals: vec![p],
        graph: GraphModel::BarabasiAlbert { growth: 3 },
        ..Settings::default()
    })
    .expect("a simulation");
    Views::assemble(simulation.tables, &ViewOptions::default())
        .expect("views")
        .0
}

fn assembled(n_nodes: usize, columns: &[Vec<f64>]) -> Views {
    let tables = columns
        .iter()
        .enumerate()
        .map(|(k, values)| Table::new(format!("v{k}"), n_nodes, values.clone()));
    let options = ViewOptions {
        allow_constant: true,
        ..ViewOptions::default()
    };
    Views::assemble(tables.collect(), &options).expect("views").0
}

fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

#[test]
fn every_penalty_and_density_as_if_all_pairs_were_listed() {
    let views = simulated(300, 3, 100);
    for penalty in penalties::registry() {
        for (alpha, beta, ratio) in [
            (0.003, 0.01, 0.0),
            (0.03, 0.001, 0.5),
            (0.03, 0.05, 0.5),
            (0.5, 1.0, 0.0),
        ] {
            let model = Model {
                parameters: Parameters {
                    alpha,
                    beta,
                    gamma: ratio * beta,
                },
                coupling: Coupling::Consensus {
                    penalty: Arc::clone(&penalty),
                    regulariser: regularisers::by_name("l1").expect("registered"),
                },
            };
            let found = compare(&views, &Scaling::default(), &model);
            assert!(found.passes <= 8, "{} passes", found.passes);
        }
    }
}

#[test]
fn raw_distances_and_nearly_complete_graphs() {
    let views = simulated(280, 2, 40);
    compare(&views, &Scaling::RAW, &Model::l1(3.0, 1.0));
    compare(&views, &Scaling::default(), &Model::l1(10.0, 0.1));
}

/// A tight cluster takes all nearest neighbours, and a few nodes are far from everything.
#[test]
fn clusters_and_outliers() {
    let (n, p) = (300, 30);
    let random = noise(n * p, 5);
    let mut values = vec![0.0; n * p];
    for sample in 0..p {
        for node in 0..n {
            let own = random[sample * n + node];
            values[sample * n + node] = match node {
                0..150 => random[sample * n] + 0.01 * own,
                290.. => 30.0 * own,
                _ => own,
            };
        }
    }
    let views = assembled(n, &[values.clone(), values.iter().map(|x| 2.0 * x + 0.1).collect()]);
    for scaling in [Scaling::default(), Scaling::RAW] {
        for alpha in [1e-3, 0.1, 10.0] {
            compare(&views, &scaling, &Model::l1(alpha, 0.01));
        }
    }
}

/// f32 cannot tell these distances apart, nor hold their size: f64 decides.
#[test]
fn distances_that_f32_cannot_tell_apart() {
    let (n, p) = (270, 20);
    let random = noise(n * p, 6);
    let nearly: Vec<f64> = random
        .iter()
        .enumerate()
        .map(|(k, x)| (k % n) as f64 * 1e-3 + 1e4 + 1e-5 * x)
        .collect();
    compare(
        &assembled(n, &[nearly.clone(), nearly]),
        &Scaling::RAW,
        &Model::l1(1e-4, 1e-5),
    );
    for size in [1e120, 1e-120] {
        let scaled: Vec<f64> = random.iter().map(|x| x * size).collect();
        compare(
            &assembled(n, &[scaled.clone(), scaled]),
            &Scaling::default(),
            &Model::l1(0.1, 0.01),
        );
    }
}

#[test]
fn equal_nodes_and_equal_distances() {
    let (n, p) = (260, 4);
    // Four kinds of nodes: distances are 0 or 2, with very many ties.
    let values: Vec<f64> = (0..n * p).map(|k| f64::from(u8::from((k % n) % p == k / n))).collect();
    compare(
        &assembled(n, &[values.clone(), values]),
        &Scaling::RAW,
        &Model::l1(0.5, 0.1),
    );
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let views = simulated(600, 3, 60);
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| by_set(&views, &Scaling::default(), &Model::l1(0.02, 0.02)).0.solution)
    };
    let one = fit(1);
    assert!(one.converged());
    for threads in 2..=7 {
        assert!(fit(threads) == one, "{threads} threads");
    }
}

/// So many samples that no sum of bytes holds them, and so alike that bytes leave every pair open.
#[test]
fn long_signals_and_signals_that_bytes_cannot_tell_apart() {
    let (n, p) = (260, 33_000);
    let values = noise(n * p, 8);
    compare(&assembled(n, &[values]), &Scaling::default(), &Model::l1(0.5, 0.01));
    let (n, p) = (300, 3000);
    let values = noise(n * p, 9);
    compare(
        &assembled(n, &[values.clone(), values]),
        &Scaling::default(),
        &Model::l1(0.02, 0.01),
    );
}

#[test]
fn a_warm_start_needs_fewer_steps_and_passes() {
    let views = simulated(400, 4, 100);
    let all = AllPairs::new(&views, &Scaling::default(), 5, &no_progress).expect("distances");
    let working_set = newton().working_set().expect("newton has one");
    let solve =
        |model: &Model, start: Option<&Start>| working_set.solve(&all, model, start, &no_progress).expect("solved");
    let first = solve(&Model::l1(0.02, 0.02), None);
    let start = first.solution.start();
    let again = solve(&Model::l1(0.02, 0.02), Some(&start));
    assert!(
        again.solution.iterations <= 1 && again.passes == 1,
        "{} {}",
        again.solution.iterations,
        again.passes
    );
    let neighbour = Model::l1(0.0202, 0.02);
    let (cold, warm) = (solve(&neighbour, None), solve(&neighbour, Some(&start)));
    assert!(warm.solution.iterations < cold.solution.iterations);
    let (x, y) = (warm.solution.certificate.objective, cold.solution.certificate.objective);
    assert!((x / y - 1.0).abs() < 1e-10);
}
