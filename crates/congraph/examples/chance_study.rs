//! How often the warnings about chance are given: W13 where there is nothing, W15 where nothing is shared.
//!
//! `cargo run --release -p congraph --example chance_study [-- SETS_OF_EACH_KIND [FIRST_SEED]]`
//!
//! ```text
//! noise        unrelated signals: white, heavy-tailed, autocorrelated; 5 to 60 nodes, 1 to 12 views, 20 to 1000 samples
//! structure    signals on random graphs (Erdős–Rényi, Barabási–Albert, geometric; four filters); 30 to 100 nodes, 3 to 12
//!              views, one to five times as many samples as nodes, noise 0.1 or 0.5
//! unrelated    views whose graphs have nothing to do with each other
//! shared       views that share 90 % of their edges
//! ```

use congraph::chance::{BEYOND_CHANCE, Correlations};
use congraph::simulate::{Filter, GraphModel, Reach, Settings, simulate};
use congraph::{Smooth, Table, Targets, ViewOptions, Views, no_progress};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Cauchy, Distribution, StandardNormal, StudentT};
use rayon::prelude::*;

/// How one value of a signal follows from those before it and a random number.
type Next = fn(&[f64], &mut ChaCha8Rng) -> f64;

const NOISES: [(&str, Next); 9] = [
    ("white", |_, rng| normal(rng)),
    ("Student t, 2.5 degrees", |_, rng| student(2.5, rng)),
    ("Cauchy", |_, rng| {
        Cauchy::new(0.0, 1.0).expect("a scale above 0").sample(rng)
    }),
    ("log-normal", |_, rng| (1.5 * normal(rng)).exp()),
    ("AR(0.5)", |past, rng| 0.5 * last(past) + normal(rng)),
    ("AR(0.9)", |past, rng| 0.9 * last(past) + normal(rng)),
    ("AR(0.9), heavy-tailed", |past, rng| {
        0.9 * last(past) + student(3.0, rng)
    }),
    ("AR(0.99)", |past, rng| 0.99 * last(past) + normal(rng)),
    ("random walk", |past, rng| last(past) + normal(rng)),
];
/// Values before the first that is used, so that it does not matter where a signal began.
const BURN_IN: usize = 200;

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let n_sets = words.first().copied().unwrap_or(60);
    let first = words.get(1).copied().unwrap_or(1);
    let seeds = || (first..first + n_sets).into_par_iter();
    println!(
        "{:<28}{:>6}{:>10}{:>10}{:>10}",
        "kind", "sets", "W13", "least z", "largest z"
    );
    for (name, next) in NOISES {
        tell(name, &seeds().map(|seed| z(&noise(seed, next))).collect::<Vec<_>>());
    }
    let kinds: Vec<u64> = (0..12).collect();
    for kind in kinds {
        let found: Vec<(String, f64)> = seeds()
            .map(|seed| structure(seed, kind))
            .map(|(name, views)| (name, z(&views)))
            .collect();
        tell(
            &found[0].0.clone(),
            &found.into_iter().map(|(_, z)| z).collect::<Vec<_>>(),
        );
    }
    println!(
        "\n{:<28}{:>6}{:>10}{:>10}{:>10}",
        "kind", "sets", "W15", "least z", "largest z"
    );
    for (name, is_shared) in [("unrelated graphs", false), ("90 % of edges shared", true)] {
        let found: Vec<(bool, f64)> = seeds().map(|seed| imposed(seed, is_shared)).collect();
        let warned = found.iter().filter(|(warned, _)| *warned).count();
        let all: Vec<f64> = found.iter().map(|(_, z)| *z).collect();
        row(name, warned, &all);
    }
}

fn tell(name: &str, all: &[f64]) {
    row(name, all.iter().filter(|&&z| z < BEYOND_CHANCE).count(), all);
}

fn row(name: &str, warned: usize, all: &[f64]) {
    let least = all.iter().fold(f64::INFINITY, |least, z| least.min(*z));
    let largest = all.iter().fold(f64::NEG_INFINITY, |largest, z| largest.max(*z));
    println!("{name:<28}{:>6}{warned:>10}{least:>10.1}{largest:>10.1}", all.len());
}

fn z(views: &Views) -> f64 {
    Correlations::of(views).map_or(f64::NAN, |found| found.z())
}

fn noise(seed: u64, next: Next) -> Views {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, n_views) = (one_of(&[5, 10, 19, 40, 60], &mut rng), one_of(&[1, 2, 6, 12], &mut rng));
    let p = one_of(&[20, 50, 100, 300, 1000], &mut rng);
    let table = |view: usize| {
        let mut values = vec![0.0; n * p];
        for node in 0..n {
            let mut signal: Vec<f64> = Vec::with_capacity(p + BURN_IN);
            for _ in 0..p + BURN_IN {
                let value = next(&signal, &mut rng);
                signal.push(value);
            }
            (0..p).for_each(|t| values[t * n + node] = signal[BURN_IN + t]);
        }
        Table::new(format!("v{view}"), n, values)
    };
    assembled((0..n_views).map(table).collect())
}

fn structure(seed: u64, kind: u64) -> (String, Views) {
    let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
    let n = one_of(&[30, 60, 100], &mut rng);
    let n_views = one_of(&[3, 6, 12], &mut rng);
    let p = n * one_of(&[1, 2, 5], &mut rng);
    let (graph, drawn) = match kind / 4 {
        0 => (
            "Erdős–Rényi",
            GraphModel::ErdosRenyi {
                probability: 4.0 / n as f64 + 0.05,
            },
        ),
        1 => ("Barabási–Albert", GraphModel::BarabasiAlbert { growth: 2 }),
        _ => (
            "geometric",
            GraphModel::RandomGeometric {
                reach: Reach::MeanDegree(7.0),
            },
        ),
    };
    let (filter, filtered) = match kind % 4 {
        0 => ("L†", Filter::PseudoInverse),
        1 => ("√L†", Filter::Gaussian),
        2 => ("heat", Filter::Heat { t: 1.0 }),
        _ => ("(I + L)⁻¹", Filter::Tikhonov { t: 1.0 }),
    };
    let settings = Settings {
        n_nodes: n,
        n_views,
        n_signals: vec![p],
        graph: drawn,
        filter: filtered,
        noise: if seed.is_multiple_of(2) { 0.1 } else { 0.5 },
        seed: 7 * seed + kind,
        ..Settings::default()
    };
    let simulation = simulate(&settings).expect("settings in their range");
    (format!("{graph}, {filter}"), assembled(simulation.tables))
}

/// Whether W15 is given, and z of the agreement.
fn imposed(seed: u64, is_shared: bool) -> (bool, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(2000 + seed);
    let n = one_of(&[20, 40, 60], &mut rng);
    let settings = Settings {
        n_nodes: n,
        n_views: one_of(&[2, 3, 6, 12], &mut rng),
        n_signals: vec![one_of(&[60, 100, 300], &mut rng)],
        graph: GraphModel::ErdosRenyi {
            probability: 6.0 / n as f64,
        },
        filter: one_of(&[Filter::PseudoInverse, Filter::Gaussian], &mut rng),
        seed,
        ..Settings::default()
    };
    let tables = if is_shared {
        simulate(&settings).expect("settings in their range").tables
    } else {
        let alone = |view: usize| {
            let alone = Settings {
                n_views: 1,
                seed: 100_000 + 100 * seed + view as u64,
                ..settings.clone()
            };
            let mut table = simulate(&alone).expect("settings in their range").tables.swap_remove(0);
            table.name = format!("v{view}");
            table
        };
        (0..settings.n_views).map(alone).collect()
    };
    let tuned = Smooth::default()
        .learn_to(&assembled(tables), &Targets::default(), &no_progress)
        .expect("usual targets are never refused");
    let warned = tuned.learned.warnings.iter().any(|warning| warning.code == "W15");
    (
        warned,
        tuned.reached.agreement.map_or(f64::NAN, |agreement| agreement.z),
    )
}

fn assembled(tables: Vec<Table>) -> Views {
    let options = ViewOptions {
        allow_counts: true,
        ..ViewOptions::default()
    };
    Views::assemble(tables, &options).expect("numbers that vary").0
}

fn one_of<T: Copy>(choices: &[T], rng: &mut ChaCha8Rng) -> T {
    choices[rng.random_range(0..choices.len())]
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn student(degrees: f64, rng: &mut ChaCha8Rng) -> f64 {
    StudentT::new(degrees).expect("degrees above 0").sample(rng)
}

fn last(past: &[f64]) -> f64 {
    past.last().copied().unwrap_or(0.0)
}
