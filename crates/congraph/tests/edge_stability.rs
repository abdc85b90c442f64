//! How sure edges are: halves of blocks, what is counted over them, and what is said of it.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::methods::likelihood::{Filter, Likelihood, Model};
use congraph::refits::{Refits, Unit, lag_one};
use congraph::simulate::{Settings, simulate};
use congraph::stability::{EdgeStability, Stability, Tallies};
use congraph::{
    Coupling, Dial, Error, Learn, Missing, MultiviewGraph, Scale, Smooth, Table, Targets, ViewOptions, Views,
    no_progress, penalties,
};

/// Tables of so many blocks.
fn tables(settings: &Settings, n_blocks: usize) -> Vec<Table> {
    let mut tables = simulate(settings).unwrap().tables;
    for table in &mut tables {
        let block = |row: usize| format!("trial{:02}", row * n_blocks / table.n_rows);
        table.blocks = Some((0..table.n_rows).map(block).collect());
    }
    tables
}

fn settings() -> Settings {
    Settings {
        n_nodes: 16,
        n_views: 4,
        n_signals: vec![120],
        ..Settings::default()
    }
}

fn views(tables: Vec<Table>) -> Views {
    let options = ViewOptions {
        missing: Missing::Mask,
        ..ViewOptions::default()
    };
    Views::assemble(tables, &options).unwrap().0
}

fn method() -> Smooth {
    Smooth::new(0.05, 0.02)
}

const FEW: Stability = Stability {
    pairs: 6,
    unit: None,
    seed: 1,
    memory: 1 << 30,
};

/// Every weight of two graphs is as near as that.
fn assert_near(one: &MultiviewGraph, two: &MultiviewGraph, tolerance: f64) {
    let largest = one.weights().values().iter().fold(0.0_f64, |most, w| most.max(w.abs()));
    for view in 0..one.n_views() {
        let pairs = one.adjacency(view).into_iter().zip(two.adjacency(view));
        let worst = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(worst <= tolerance * largest, "view {view}: {worst}");
    }
}

#[test]
fn sums_of_blocks_give_the_fits_of_the_samples() {
    let mut tables = tables(&settings(), 12);
    // Far from 0, and a node that a view lacks.
    tables[0]
        .values
        .iter_mut()
        .for_each(|value| *value = 1e4 + 3.0 * *value);
    for row in tables[1].values.chunks_exact_mut(16) {
        row[3] = f64::NAN;
    }
    let views = views(tables);
    let mut methods = vec![
        method(),
        Smooth {
            signed: true,
            ..method()
        },
    ];
    for name in ["l2", "squared-l2"] {
        let mut other = method();
        let penalty = penalties::by_name(name).unwrap();
        if let Coupling::Consensus { penalty: place, .. } = &mut other.model.coupling {
            *place = penalty;
        }
        methods.push(other);
    }
    let mut centred = method();
    centred.scaling.scale = Scale::Center;
    methods.push(centred);
    for method in methods {
        let sums = Refits::new(&method, &views, Unit::Blocks, 1 << 30).unwrap();
        let samples = Refits::new(&method, &views, Unit::Blocks, 0).unwrap();
        assert!(sums.has_sums() && !samples.has_sums());
        let halves = sums.halves(&sums.whole(), 1, 0).unwrap();
        assert_eq!(halves, samples.halves(&samples.whole(), 1, 0).unwrap());
        for half in &halves {
            let one = sums.fit(&method, half, None, &no_progress).unwrap().unwrap();
            let two = samples.fit(&method, half, None, &no_progress).unwrap().unwrap();
            assert_near(&one, &two, 1e-9);
        }
    }
}

#[test]
fn likelihoods_are_fitted_from_sums_too() {
    let views = views(tables(&settings(), 12));
    let likelihood = Likelihood {
        scale: Some(Scale::Center),
        ..Likelihood::new(Model::attractive(Filter::Twice, 2.0))
    };
    let sums = Refits::new(&likelihood, &views, Unit::Blocks, 1 << 30).unwrap();
    let half = &sums.halves(&sums.whole(), 1, 0).unwrap()[0];
    let whole = likelihood.session(&views, &no_progress).unwrap();
    let start = whole.fit(&likelihood.model, None, &no_progress).unwrap().start();
    let cold = sums.fit(&likelihood, half, None, &no_progress).unwrap().unwrap();
    let warm = sums
        .fit(&likelihood, half, Some(&start), &no_progress)
        .unwrap()
        .unwrap();
    assert_near(&cold, &warm, 1e-4);
    let found = FEW.learn(&likelihood, &views, &no_progress).unwrap();
    assert!(found.consensus.unwrap().iter().any(|edge| edge.frequency > 0.9));
}

/// Edges by name: frequency, both, replicates and standard error of the consensus and of each view by name.
fn by_name(graph: &MultiviewGraph, found: &EdgeStability) -> Vec<(Vec<String>, Vec<u64>)> {
    let mut views: Vec<usize> = (0..graph.n_views()).collect();
    views.sort_by_key(|&view| &graph.views()[view]);
    let mut rows = Vec::new();
    for (edge, pair) in graph.pairs().iter().enumerate() {
        let mut names = pair.map(|node| graph.nodes()[node as usize].clone()).to_vec();
        names.sort();
        let own = views
            .iter()
            .map(|view| &found.views.as_ref().unwrap()[edge * graph.n_views() + view]);
        let figures = [&found.consensus.as_ref().unwrap()[edge]].into_iter().chain(own);
        let bits = figures.flat_map(|one| {
            [
                one.frequency,
                one.frequency_both,
                one.replicates.unwrap(),
                one.weight_se,
            ]
            .map(f64::to_bits)
        });
        rows.push((names, bits.collect()));
    }
    rows.sort();
    rows
}

#[test]
fn order_and_threads_change_nothing() {
    let given = tables(&settings(), 10);
    let mut turned: Vec<Table> = given.iter().rev().cloned().collect();
    for table in &mut turned {
        let names: Vec<String> = (0..16).map(|node| format!("n{:02}", node + 1)).collect();
        assert_eq!(table.column_names.as_ref(), Some(&names));
        table.column_names = Some(names.into_iter().rev().collect());
        table.values.chunks_exact_mut(16).for_each(<[f64]>::reverse);
    }
    let (given, turned) = (views(given), views(turned));
    let method = method();
    let run = |views: &Views, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let halvings = FEW.of(&method, views, &no_progress).unwrap();
            let tallies = halvings.run_all(&no_progress).unwrap();
            let found = halvings.found(&tallies, halvings.graph());
            let fingerprint = found.fingerprint.unwrap();
            (
                by_name(halvings.graph(), &found),
                fingerprint,
                found.bounds.unwrap(),
                found.curves,
            )
        })
    };
    let first = run(&given, 1);
    assert_eq!(first, run(&given, 3));
    assert_eq!(first, run(&turned, 2));
}

#[test]
fn parts_add_up_to_the_whole() {
    let views = views(tables(&settings(), 10));
    let method = method();
    let halvings = FEW.of(&method, &views, &no_progress).unwrap();
    assert_eq!(halvings.n_jobs(), 6 + 10);
    assert_eq!(halvings.n_fits_of_all(), 12 + 210);
    let whole = halvings.run_all(&no_progress).unwrap();
    let mut sum = Tallies::default();
    for shard in [2, 0, 1] {
        let jobs: Vec<usize> = (0..halvings.n_jobs()).filter(|job| job % 3 == shard).collect();
        let part = halvings
            .run(&jobs, Tallies::default(), &mut |_| Ok::<(), Error>(()), &no_progress)
            .unwrap();
        let text = serde_json::to_string(&part).unwrap();
        let read: Tallies = serde_json::from_str(&text).unwrap();
        assert_eq!(read, part);
        assert!(halvings.fits(&read));
        sum.merge(read);
    }
    assert_eq!(sum, whole);
    // After an interruption the rest is done, and nothing twice.
    let mut reports = Vec::new();
    let jobs: Vec<usize> = (0..halvings.n_jobs()).collect();
    let half = halvings
        .run(
            &jobs[..9],
            Tallies::default(),
            &mut |_| Ok::<(), Error>(()),
            &no_progress,
        )
        .unwrap();
    let mut report = |tallies: &Tallies| {
        reports.push(tallies.jobs.len());
        Ok::<(), Error>(())
    };
    assert_eq!(halvings.run(&jobs, half, &mut report, &no_progress).unwrap(), whole);
    assert!(
        reports.is_sorted() && reports[0] > 9 && reports.last() == Some(&16),
        "{reports:?}"
    );
}

#[test]
fn few_blocks_are_not_calibrated_and_the_reason_is_told() {
    let views = views(tables(&settings(), 6));
    let found = FEW.learn(&method(), &views, &no_progress).unwrap();
    assert!(found.consensus.unwrap().iter().all(|edge| edge.replicates.is_none()));
    assert_eq!(found.absent[0].columns, ["replicates"]);
    assert!(
        found.absent[0]
            .reason
            .contains("needs 8 blocks in every view; there are 6"),
        "{:?}",
        found.absent
    );
    assert_eq!(found.curves, [None, None]);
    assert_eq!(found.n_units, [6; 4]);
}

#[test]
fn what_cannot_be_halved_is_refused() {
    let code = |result: Result<EdgeStability, Error>| match result {
        Err(Error::Data(errors)) => errors[0].code.to_string(),
        other => panic!("{other:?}"),
    };
    let one_block = views(tables(&settings(), 1));
    assert_eq!(code(FEW.learn(&method(), &one_block, &no_progress)), "E05");
    let without = views(simulate(&settings()).unwrap().tables);
    let blocks = Stability {
        unit: Some(Unit::Blocks),
        ..FEW
    };
    assert_eq!(code(blocks.learn(&method(), &without, &no_progress)), "E05");
    let nothing = Stability { pairs: 0, ..FEW }.learn(&method(), &without, &no_progress);
    assert!(matches!(nothing, Err(Error::Parameter { name: "pairs", .. })));
}

#[test]
fn samples_of_a_time_series_are_warned_of() {
    let mut slow = simulate(&settings()).unwrap().tables;
    let independent = FEW.learn(&method(), &views(slow.clone()), &no_progress).unwrap();
    assert_eq!(independent.unit, Unit::Samples);
    assert!(independent.warnings.is_empty());
    for table in &mut slow {
        for at in 16..table.values.len() {
            table.values[at] += 0.8 * table.values[at - 16];
        }
    }
    let found = FEW.learn(&method(), &views(slow), &no_progress).unwrap();
    assert_eq!(found.warnings[0].code, "W10");
}

/// Of few independent samples, a correlation of 0.2 with the next is what chance gives; of a series it is not.
#[test]
fn few_independent_samples_are_no_time_series() {
    let rows = |n_signals: usize, seed: u64, carried: f64| {
        let few = Settings {
            n_signals: vec![n_signals],
            seed,
            ..settings()
        };
        let mut tables = simulate(&few).unwrap().tables;
        for table in &mut tables {
            let n = table.n_columns;
            for at in n..table.values.len() {
                table.values[at] += carried * table.values[at - n];
            }
        }
        views(tables)
    };
    let alarms = |n_signals: usize, carried: f64| {
        let is_series = |&seed: &u64| lag_one(&rows(n_signals, seed, carried), 0.2).is_some();
        (0..100).filter(is_series).count()
    };
    for n_signals in [6, 10, 20, 40] {
        let n = alarms(n_signals, 0.0);
        assert!(n <= 5, "{n} of 100 sets of {n_signals} samples");
    }
    assert!(alarms(40, 0.9) >= 95);
}

#[test]
fn views_can_be_the_units() {
    let many = Settings {
        n_views: 8,
        ..settings()
    };
    let views = views(simulate(&many).unwrap().tables);
    let by_views = Stability {
        unit: Some(Unit::Views),
        ..FEW
    };
    let found = by_views.learn(&method(), &views, &no_progress).unwrap();
    assert!(found.views.is_none() && found.fingerprint.is_none());
    assert_eq!(found.n_units, [8]);
    assert!(
        found
            .consensus
            .unwrap()
            .iter()
            .any(|edge| edge.frequency > 0.9 && edge.replicates.unwrap() > 0.8)
    );
}

#[test]
fn true_edges_come_back_and_noise_does_not() {
    let simulation = simulate(&Settings {
        n_signals: vec![400],
        ..settings()
    })
    .unwrap();
    let with_blocks = |mut tables: Vec<Table>| {
        for table in &mut tables {
            table.blocks = Some((0..table.n_rows).map(|row| (row / 20).to_string()).collect());
        }
        views(tables)
    };
    let structured = with_blocks(simulation.tables.clone());
    let mut noise = simulation.tables;
    // Every node's samples in an order of its own: nothing is left that nodes share.
    for table in &mut noise {
        let n = table.n_rows;
        let old = table.values.clone();
        for row in 0..n {
            for node in 0..16 {
                table.values[row * 16 + node] = old[((row * (2 * node + 1) + 37 * node) % n) * 16 + node];
            }
        }
    }
    let mean = |views: &Views| {
        // Both with as many edges: nearly all pairs would be in every half.
        let targets = Targets {
            density: Dial::At(0.15),
            ..Targets::default()
        };
        let method = method().learn_to(views, &targets, &no_progress).unwrap().method;
        let halvings = FEW.of(&method, views, &no_progress).unwrap();
        let found = halvings.found(&halvings.run_all(&no_progress).unwrap(), halvings.graph());
        let present = halvings.graph().consensus().unwrap().iter().map(|&weight| weight > 0.0);
        let consensus = found.consensus.unwrap().into_iter().zip(present);
        let sure: Vec<f64> = consensus
            .filter(|edge| edge.1)
            .map(|edge| edge.0.replicates.unwrap())
            .collect();
        (sure.iter().sum::<f64>() / sure.len() as f64, found.fingerprint.unwrap())
    };
    let (sure, known) = mean(&structured);
    let (unsure, _) = mean(&with_blocks(noise));
    assert!(sure > 0.75 && unsure < 0.65 && sure > unsure + 0.2, "{sure} {unsure}");
    let deviations = known.deviations.unwrap();
    assert!(
        (deviations.chance - 0.25).abs() < 0.02 && deviations.accuracy > 0.5,
        "{known:?}"
    );
    assert!(deviations.own > deviations.others && known.weights.others > deviations.others);
}

#[test]
fn standard_errors_shrink_with_the_data() {
    let mean = |n: usize| {
        let views = views(tables(
            &Settings {
                n_signals: vec![n],
                ..settings()
            },
            10,
        ));
        let found = FEW.learn(&method(), &views, &no_progress).unwrap();
        let consensus = found.consensus.unwrap();
        let sure = consensus.iter().filter(|edge| edge.frequency == 1.0);
        let errors: Vec<f64> = sure.map(|edge| edge.weight_se).collect();
        errors.iter().sum::<f64>() / errors.len() as f64
    };
    let (few, many) = (mean(100), mean(1600));
    assert!(many < 0.5 * few && many > 0.0, "{few} {many}");
}
