//! Is a target that is reported as met, met? Random problems of many kinds, each asked for a density or a similarity by number.
//!
//! `cargo run --release -p congraph --example targets_study [-- FITS [FIRST_SEED]]`
//!
//! A fit must have what was asked for within 0.005 (or half an edge), or be refused with E10. The last line counts both, and what
//! missed its target without a word.

use congraph::{
    Code, Dial, Error, Model, MultiviewGraph, Smooth, Table, Targets, ViewOptions, Views, no_progress, penalties,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// What became of one problem.
pub(crate) enum Outcome {
    Hit,
    Refused,
    Missed(String),
    /// The data could not be used at all.
    Unusable,
}

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let n_fits = words.first().copied().unwrap_or(30_000);
    let first = words.get(1).copied().unwrap_or(1);
    let outcomes: Vec<(u64, Outcome)> = (first..first + n_fits)
        .into_par_iter()
        .map(|seed| (seed, study(seed)))
        .collect();
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, outcome)| is(outcome)).count();
    for (seed, outcome) in &outcomes {
        if let Outcome::Missed(what) = outcome {
            println!("seed {seed}: {what}");
        }
    }
    println!(
        "{n_fits} problems: {} hit, {} refused with E10, {} missed, {} unusable",
        count(|outcome| matches!(outcome, Outcome::Hit)),
        count(|outcome| matches!(outcome, Outcome::Refused)),
        count(|outcome| matches!(outcome, Outcome::Missed(_))),
        count(|outcome| matches!(outcome, Outcome::Unusable)),
    );
}

pub(crate) fn study(seed: u64) -> Outcome {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n_views = rng.random_range(1..=5);
    let n_nodes = rng.random_range(2..=24);
    let tables = (0..n_views).map(|view| table(view, n_nodes, &mut rng)).collect();
    let options = ViewOptions {
        allow_counts: true,
        ..ViewOptions::default()
    };
    let Ok((views, _)) = Views::assemble(tables, &options) else {
        return Outcome::Unusable;
    };
    let is_single = n_views == 1 || rng.random_bool(0.3);
    let penalty =
        penalties::by_name(["l1", "l2", "squared-l2"][rng.random_range(0..3)]).expect("a penalty by its name");
    let mut learner = Smooth::with_model(Model::new(1.0, 1.0, penalty));
    if is_single {
        learner = learner.uncoupled();
    }
    let density = rng.random_bool(0.8).then(|| rng.random_range(0.01..0.95));
    let similarity = (!is_single && (density.is_none() || rng.random_bool(0.4))).then(|| rng.random_range(0.1..1.0));
    let dial = |target: Option<f64>| target.map_or(Dial::Usual, Dial::At);
    let targets = Targets {
        density: dial(density),
        similarity: dial(similarity),
        ..Targets::default()
    };
    match learner.learn_to(&views, &targets, &no_progress) {
        Ok(tuned) => judged(&tuned.learned.graph, density, similarity),
        Err(Error::Data(errors)) if errors.iter().all(|error| error.code == Code::E10) => Outcome::Refused,
        Err(Error::Data(_)) => Outcome::Unusable,
        Err(error) => Outcome::Missed(error.to_string()),
    }
}

fn judged(graph: &MultiviewGraph, density: Option<f64>, similarity: Option<f64>) -> Outcome {
    let edge = 1.0 / graph.n_pairs() as f64;
    let far = |value: f64, target: Option<f64>, enough: f64| {
        target.is_some_and(|target| (value - target).abs() > 1.01 * enough)
    };
    let (is, alike) = (graph.mean_density(), graph.similarity().unwrap_or(1.0));
    if far(is, density, (0.5 * edge).max(0.005)) || far(alike, similarity, 0.005) {
        return Outcome::Missed(format!(
            "{} nodes × {} views: density {is:.4} for {density:?}, similarity {alike:.4} for {similarity:?}",
            graph.n_nodes(),
            graph.n_views()
        ));
    }
    Outcome::Hit
}

/// Signals of one of several kinds: smooth, white, of low rank, with ties, with equal nodes, of very different sizes.
fn table(view: usize, n: usize, rng: &mut ChaCha8Rng) -> Table {
    let p = rng.random_range(3..=60);
    let kind = rng.random_range(0..6);
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let rank = 1 + n / 4;
    let sources: Vec<f64> = (0..p * rank).map(|_| normal()).collect();
    let loadings: Vec<f64> = (0..n * rank).map(|_| normal()).collect();
    let mut values = Vec::with_capacity(n * p);
    for t in 0..p {
        for a in 0..n {
            let noise = normal();
            let mixed: f64 = (0..rank).map(|k| sources[t * rank + k] * loadings[a * rank + k]).sum();
            values.push(match kind {
                0 => noise,
                1 => mixed + 0.3 * noise,
                2 => mixed,
                3 => (2.0 * mixed + noise).round(),
                4 => sources[t * rank] + if a % 3 == 0 { 0.0 } else { 0.5 * noise },
                _ => (mixed + noise) * 10f64.powi(a as i32 % 7 - 3),
            });
        }
    }
    Table::new(format!("v{view}"), n, values)
}
