//! Noise is called noise, structure is not, and agreement that only the coupling makes is told of.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use congraph::chance::Correlations;
use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::tune::Tuned;
use congraph::{Dial, Kind, Learn, Projector, Smooth, Table, Targets, ViewOptions, Views, no_progress};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Cauchy, Distribution, StandardNormal};

fn assembled(tables: Vec<Table>) -> Views {
    Views::assemble(tables, &ViewOptions::default()).unwrap().0
}

/// Unrelated signals, each of which remembers a share of its last value.
fn noise(seed: u64, n_views: usize, n_nodes: usize, n_samples: usize, memory: f64) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut table = |view: usize| {
        let mut values: Vec<f64> = (0..n_nodes * n_samples)
            .map(|_| StandardNormal.sample(&mut rng))
            .collect();
        for at in n_nodes..values.len() {
            values[at] += memory * values[at - n_nodes];
        }
        Table::new(format!("v{view:02}"), n_nodes, values)
    };
    (0..n_views).map(&mut table).collect()
}

fn simulated(n_views: usize, seed: u64) -> Vec<Table> {
    let settings = Settings {
        n_nodes: 30,
        n_views,
        n_signals: vec![100],
        seed,
        ..Settings::default()
    };
    simulate(&settings).unwrap().tables
}

/// Views whose graphs have nothing to do with each other.
fn unrelated(n_views: usize) -> Vec<Table> {
    let alone = |view: usize| {
        let mut table = simulated(1, 50 + view as u64).swap_remove(0);
        table.name = format!("v{view}");
        table
    };
    (0..n_views).map(alone).collect()
}

fn tuned(tables: Vec<Table>) -> Tuned {
    Smooth::default()
        .learn_to(&assembled(tables), &Targets::default(), &no_progress)
        .unwrap()
}

fn codes(tuned: &Tuned) -> Vec<&str> {
    tuned.learned.warnings.iter().map(|warning| warning.code).collect()
}

#[test]
fn noise_is_told_once_and_no_view_of_it_stands_out() {
    let noise = tuned(noise(1, 12, 19, 2000, 0.0));
    assert!(codes(&noise).contains(&"W13"), "{:?}", codes(&noise));
    // What chance makes of it is not said twice, and no view of it stands out.
    assert!(!codes(&noise).contains(&"W15") && !codes(&noise).contains(&"W11"));
}

#[test]
fn noise_of_many_kinds_is_noise() {
    let z = |tables| Correlations::of(&assembled(tables)).unwrap();
    for seed in 0..6 {
        for memory in [0.0, 0.9, 1.0] {
            for (n_views, n_nodes, n_samples) in [(1, 5, 30), (6, 19, 100), (3, 40, 400)] {
                let found = z(noise(seed, n_views, n_nodes, n_samples, memory));
                assert!(!found.is_beyond_chance(), "{memory} {n_nodes}: {found:?}");
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let cauchy = Cauchy::new(0.0, 1.0).unwrap();
    let heavy = (0..4).map(|view| {
        let values = (0..20 * 200).map(|_| cauchy.sample(&mut rng)).collect();
        Table::new(format!("v{view}"), 20, values)
    });
    let found = z(heavy.collect());
    assert!(!found.is_beyond_chance(), "{found:?}");
}

#[test]
fn agreement_of_noise_is_a_standard_normal_deviate() {
    for (n_views, n_nodes, n_samples, memory) in [(2, 12, 40, 0.0), (6, 10, 60, 0.5), (4, 25, 30, 0.0)] {
        let of = |seed: u64| {
            let tables = noise(7000 + seed, n_views, n_nodes, n_samples, memory);
            Correlations::of(&assembled(tables)).unwrap().agreeing.unwrap()
        };
        let found: Vec<f64> = (0..300).map(of).collect();
        let mean = found.iter().sum::<f64>() / 300.0;
        let spread = (found.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / 299.0).sqrt();
        // Four standard errors of either.
        assert!(mean.abs() < 4.0 / 300_f64.sqrt(), "{n_views}: {mean}");
        assert!((spread - 1.0).abs() < 4.0 / 600_f64.sqrt(), "{n_views}: {spread}");
    }
    let alone = Correlations::of(&assembled(noise(1, 1, 10, 50, 0.0))).unwrap();
    assert_eq!(alone.agreeing, None);
}

#[test]
fn a_weak_graph_is_seen_by_what_its_views_share() {
    let settings = Settings {
        n_signals: vec![100],
        graph: GraphModel::ErdosRenyi { probability: 0.2 },
        filter: Filter::Gaussian,
        seed: 3,
        ..Settings::default()
    };
    let found = Correlations::of(&assembled(simulate(&settings).unwrap().tables)).unwrap();
    // No view shows it by itself, nor do all of them one by one.
    assert!(found.together < 4.0 && found.strongest < 4.0, "{found:?}");
    assert!(
        found.agreeing.unwrap() > found.pooled && found.is_beyond_chance(),
        "{found:?}"
    );
}

#[test]
fn an_average_reference_is_no_structure() {
    let mut tables = noise(3, 12, 19, 2000, 0.0);
    for table in &mut tables {
        for row in table.values.chunks_exact_mut(19) {
            let mean = row.iter().sum::<f64>() / 19.0;
            row.iter_mut().for_each(|value| *value -= mean);
        }
    }
    let found = Correlations::of(&assembled(tables)).unwrap();
    assert!(!found.is_beyond_chance(), "{found:?}");
}

#[test]
fn trials_are_judged_as_wholes() {
    // One slow wave of its own phase for each node and trial: within a trial every sample depends on the others.
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (n, length, n_trials) = (20, 16, 30);
    let mut phases = |_| -> Vec<f64> {
        (0..n)
            .map(|_| StandardNormal.sample(&mut rng))
            .map(|x: f64| 9.0 * x)
            .collect()
    };
    let trials: Vec<Vec<f64>> = (0..n_trials).map(&mut phases).collect();
    let mut table = Table::new("x", n, vec![0.0; 0]);
    for (trial, phases) in trials.iter().enumerate() {
        for t in 0..length {
            table
                .values
                .extend(phases.iter().map(|phase| (0.2 * t as f64 + phase).sin()));
            table.blocks.get_or_insert_default().push(format!("t{trial}"));
        }
    }
    table.n_rows = n_trials * length;
    let found = Correlations::of(&assembled(vec![table])).unwrap();
    assert!(!found.is_beyond_chance(), "{found:?}");
}

#[test]
fn structure_is_no_noise_and_shared_structure_is_shared() {
    for seed in 1..6 {
        let found = tuned(simulated(4, seed));
        let codes = codes(&found);
        assert!(!codes.contains(&"W13") && !codes.contains(&"W15"), "{seed}: {codes:?}");
    }
}

#[test]
fn agreement_that_the_coupling_makes_is_told_of() {
    let found = tuned(unrelated(4));
    assert!(
        codes(&found).contains(&"W15") && !codes(&found).contains(&"W13"),
        "{:?}",
        codes(&found)
    );
    assert!(found.learned.graph.similarity().unwrap() > 0.4);
    let warning = &found.learned.warnings[0];
    assert!(
        warning.message.contains("imposed by the similarity that was asked for"),
        "{}",
        warning.message
    );
}

#[test]
fn the_floor_is_known_whatever_was_asked() {
    let views = assembled(simulated(3, 1));
    let learner = Smooth::new(0.05, 0.02);
    let fixed = Targets {
        density: Dial::Fixed,
        similarity: Dial::Fixed,
        consensus_density: Dial::Fixed,
    };
    for targets in [
        fixed,
        Targets {
            density: Dial::At(0.2),
            ..fixed
        },
        Targets::default(),
    ] {
        let found = learner.learn_to(&views, &targets, &no_progress).unwrap();
        let (floor, value) = (found.reached.floor.unwrap(), found.learned.graph.similarity().unwrap());
        assert!(floor > 0.1 && floor < value, "{targets:?}: {floor} {value}");
    }
    // The separate views of the floor are those that `single` learns.
    let found = learner.learn_to(&views, &fixed, &no_progress).unwrap();
    let alone = learner.uncoupled();
    let separate = alone.learn(&views, &no_progress).unwrap().graph.similarity().unwrap();
    assert!((found.reached.floor.unwrap() - separate).abs() < 1e-3);
}

#[test]
fn the_usual_similarity_is_half_way_from_the_floor() {
    let found = tuned(simulated(4, 2));
    let floor = found.reached.floor.unwrap();
    assert!(floor < 0.6, "{floor}");
    assert!((found.reached.similarity.unwrap().value - 0.5 * (1.0 + floor)).abs() < 0.005);
}

#[test]
fn the_answer_does_not_depend_on_the_order_of_nodes_or_views() {
    let tables = simulated(3, 4);
    let found = Correlations::of(&assembled(tables.clone())).unwrap();
    let mut turned: Vec<Table> = tables.into_iter().rev().collect();
    for table in &mut turned {
        let n = table.n_columns;
        table.values.chunks_exact_mut(n).for_each(<[f64]>::reverse);
        table.column_names.as_mut().unwrap().reverse();
    }
    let other = Correlations::of(&assembled(turned)).unwrap();
    assert_eq!((found.together, found.pooled), (other.together, other.pooled));
    let reversed: Vec<_> = other.views.into_iter().rev().collect();
    assert_eq!(found.views, reversed);
}

#[test]
fn a_projected_view_of_noise_is_told_of() {
    let views = assembled(simulated(3, 1));
    let learner = Smooth::new(0.05, 0.02);
    let learned = learner.learn(&views, &no_progress).unwrap();
    let projector = Projector::of(&learner, &learned).unwrap();
    let mut new = noise(5, 1, 30, 200, 0.0).swap_remove(0);
    new.column_names = Some(views.nodes().to_vec());
    let projected = projector.project(&assembled(vec![new]), &no_progress).unwrap();
    assert!(projected[0].warnings.iter().any(|warning| warning.code == "W13"));
}

/// Unrelated signals but for some pairs that share most of theirs.
fn with_pairs(n_nodes: usize, n_samples: usize, pairs: &[[usize; 2]], sign: f64, seed: u64) -> Table {
    let mut table = noise(seed, 1, n_nodes, n_samples, 0.0).swap_remove(0);
    for row in table.values.chunks_exact_mut(n_nodes) {
        for &[a, b] in pairs {
            row[b] = sign * row[a] + 0.3 * row[b];
        }
    }
    table
}

#[test]
fn a_few_strong_edges_are_not_lost_among_many_pairs() {
    let found = Correlations::of(&assembled(vec![with_pairs(200, 80, &[[3, 77]], 1.0, 6)])).unwrap();
    assert!(found.together < 4.0 && found.is_beyond_chance(), "{found:?}");
    // Two nodes that go against each other have nothing in common but that.
    let found = Correlations::of(&assembled(vec![with_pairs(2, 80, &[[0, 1]], -1.0, 7)])).unwrap();
    assert!(found.is_beyond_chance(), "{found:?}");
}

/// The same samples in trials that follow each other.
fn in_trials(mut tables: Vec<Table>, n_trials: usize) -> Vec<Table> {
    for table in &mut tables {
        let length = table.n_rows.div_ceil(n_trials);
        table.blocks = Some((0..table.n_rows).map(|row| format!("t{}", row / length)).collect());
    }
    tables
}

#[test]
fn few_trials_are_judged_as_stretches_of_a_series() {
    let z = |tables: Vec<Table>| Correlations::of(&assembled(tables)).map(|found| found.z());
    for n_trials in [2, 3, 4, 6] {
        for memory in [0.0, 0.9] {
            let z = z(in_trials(
                noise(40 + n_trials as u64, 5, 20, 80 * n_trials, memory),
                n_trials,
            ));
            assert!(z.is_some_and(|z| z < 4.0), "{n_trials} trials, memory {memory}: {z:?}");
        }
        let z = z(in_trials(simulated(4, 3), n_trials));
        assert!(z.is_some_and(|z| z > 6.0), "{n_trials} trials of a graph: {z:?}");
    }
    // What one trial leaves is not the past of the next: a jump between trials is no structure.
    let mut jumps = in_trials(noise(9, 3, 15, 90, 0.0), 3);
    for table in &mut jumps {
        let n = table.n_columns;
        for (k, value) in table.values.iter_mut().enumerate() {
            *value += if (k / n).is_multiple_of(30) { 0.5 } else { 0.0 };
        }
    }
    assert!(z(jumps).is_some());
}

#[test]
fn too_few_samples_are_not_judged_and_it_is_said() {
    let few = || noise(3, 4, 20, 7, 0.0);
    assert_eq!(Correlations::of(&assembled(few())), None);
    let found = tuned(few());
    let said = |what: &str| {
        found
            .learned
            .warnings
            .iter()
            .any(|warning| warning.message.contains(what))
    };
    assert!(said("whether anything here goes beyond chance is not known"));
    assert!(!codes(&found).contains(&"W13") && !said("structure, but none"));
    for seed in 0..20 {
        let found = Correlations::of(&assembled(noise(100 + seed, 4, 20, 8 + seed as usize % 8, 0.0))).unwrap();
        assert!(!found.is_beyond_chance(), "{seed}: {found:?}");
    }
}

/// Values of which most are 0, of nodes that have nothing to do with each other.
fn rare(seed: u64, share: f64) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut value = || {
        let [x, y]: [f64; 2] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
        // A normal value beyond its quantile.
        if (x * x + y * y) / 2.0 > -f64::ln(share) {
            0.1 + x.abs()
        } else {
            0.0
        }
    };
    let mut table = |view: usize| {
        let mut values: Vec<f64> = (0..20 * 200).map(|_| value()).collect();
        // Every node is seen.
        (0..20).for_each(|node| values[node * 21] = 1.0);
        Table::new(format!("v{view}"), 20, values)
    };
    (0..4).map(&mut table).collect()
}

#[test]
fn rare_values_that_coincide_by_chance_are_no_structure() {
    for (k, share) in [0.02, 0.05, 0.1].into_iter().enumerate() {
        for seed in 0..10 {
            let found = Correlations::of(&assembled(rare(700 + seed + 10 * k as u64, share))).unwrap();
            assert!(!found.is_beyond_chance(), "{share}, {seed}: {found:?}");
        }
    }
    // Two that always come together are.
    let mut tables = rare(800, 0.05);
    for table in &mut tables {
        table.values.chunks_exact_mut(20).for_each(|row| row[7] = row[3]);
    }
    assert!(Correlations::of(&assembled(tables)).unwrap().is_beyond_chance());
}

#[test]
fn views_that_agree_are_no_noise() {
    // A weak correlation of many pairs that only the agreement of the views tells from chance.
    let found = tuned(
        simulated(6, 3)
            .into_iter()
            .map(|mut table| {
                table.values.truncate(9 * table.n_columns);
                table.n_rows = 9;
                table
            })
            .collect(),
    );
    let agreement = found.reached.agreement.unwrap();
    assert_eq!(agreement.is_certain(), agreement.z >= 6.0);
    assert!(!(agreement.is_certain() && codes(&found).contains(&"W13")));
}

#[test]
fn many_short_views_of_noise_are_noise() {
    // A small error of the null mean would be seen among 200 nodes' pairs.
    let found = Correlations::of(&assembled(noise(8, 6, 200, 16, 0.0))).unwrap();
    assert!(!found.is_beyond_chance(), "{found:?}");
}

#[test]
fn values_of_any_size_are_judged_alike() {
    let told = |factor: f64| {
        let mut tables = simulated(4, 3);
        tables[1].values.iter_mut().for_each(|x| *x *= factor);
        Correlations::of(&assembled(tables)).unwrap().z()
    };
    let usual = told(1.0);
    for exponent in [500, 900, -500, -900] {
        let found = told(2.0_f64.powi(exponent));
        assert!((found - usual).abs() < 1e-9 * usual, "2^{exponent}: {found}, {usual}");
    }
}

/// Noise of nodes whose sizes differ, the same in all views, less the mean of all nodes.
#[test]
fn an_average_reference_of_unequal_nodes_is_no_structure() {
    let (n, p) = (32, 400);
    for seed in 0..3 {
        let mut rng = ChaCha8Rng::seed_from_u64(900 + seed);
        let sizes: Vec<f64> = (0..n).map(|_| rng.random_range(0.5..3.0)).collect();
        let mut table = |view: usize| {
            let mut values = Vec::with_capacity(n * p);
            for _ in 0..p {
                let mut value = || -> f64 { StandardNormal.sample(&mut rng) };
                let sample: Vec<f64> = sizes.iter().map(|size| size * value()).collect();
                let mean = sample.iter().sum::<f64>() / n as f64;
                values.extend(sample.iter().map(|x| x - mean));
            }
            Table::new(format!("v{view}"), n, values)
        };
        let tables: Vec<Table> = (0..6).map(&mut table).collect();
        let found = tuned(tables);
        let agreement = found.reached.agreement.unwrap();
        // What the reference makes of them is in all views: their graphs agree, and say nothing by it.
        assert!(agreement.z > 6.0 && !agreement.is_certain(), "{agreement:?}");
        assert!(codes(&found).contains(&"W13"), "{:?}", codes(&found));
    }
}

#[test]
fn covariances_of_referenced_noise_are_no_structure() {
    let (n, p) = (24, 600);
    let mut rng = ChaCha8Rng::seed_from_u64(950);
    let sizes: Vec<f64> = (0..n).map(|_| rng.random_range(0.5..3.0)).collect();
    let mut table = |view: usize| {
        let mut matrix = vec![0.0; n * n];
        for _ in 0..p {
            let mut value = || -> f64 { StandardNormal.sample(&mut rng) };
            let mut sample: Vec<f64> = sizes.iter().map(|size| size * value()).collect();
            let mean = sample.iter().sum::<f64>() / n as f64;
            sample.iter_mut().for_each(|x| *x -= mean);
            for a in 0..n {
                for b in 0..n {
                    matrix[a * n + b] += sample[a] * sample[b] / p as f64;
                }
            }
        }
        let mut table = Table::new(format!("v{view}"), n, matrix);
        table.n_samples = Some(p);
        table
    };
    let tables: Vec<Table> = (0..4).map(&mut table).collect();
    let options = ViewOptions {
        kind: Kind::Covariance,
        ..ViewOptions::default()
    };
    let (views, _) = Views::assemble(tables, &options).unwrap();
    let found = Correlations::of(&views).unwrap();
    assert!(!found.is_beyond_chance(), "{found:?}");
}
