//! How often the guard before a likelihood calls noise noise, and weak but true graphs noise.
//!
//! ```text
//! cargo run --release -p congraph --example noise_study -- [SETS OF EACH KIND] [FIRST SEED]
//! ```
//!
//! Sizes are drawn: 15 to 60 nodes, 2 to 6 views, 30 to 400 samples. Weak but true graphs are
//! random graphs of 100 nodes and density 0.05 to 0.3, with six views of 100 samples, and of 50 and 30.

use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::tune::judge;
use congraph::{Error, Table, ViewOptions, Views, no_progress};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{StandardNormal, StudentT};

/// Unrelated signals of some kind.
fn noise(kind: &str, seed: u64) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, n_views, p) = (
        rng.random_range(15..60),
        rng.random_range(2..7),
        rng.random_range(30..400),
    );
    let tails = StudentT::new(3.0);
    let table = |view: usize| {
        let mut state = vec![0.0; n];
        let mut values = Vec::with_capacity(n * p);
        for row in 0..p + 100 {
            for x in &mut state {
                let fresh: f64 = match (kind, &tails) {
                    ("heavy-tailed", Ok(tails)) => rng.sample(tails),
                    _ => rng.sample(StandardNormal),
                };
                *x = if kind == "AR(.9)" { 0.9 * *x + fresh } else { fresh };
            }
            if row >= 100 {
                values.extend_from_slice(&state);
            }
        }
        Table::new(format!("view{view}"), n, values)
    };
    (0..n_views).map(table).collect()
}

fn is_noise(tables: Vec<Table>) -> Result<bool, Error> {
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    Ok(judge(&views, false, &no_progress)?.0)
}

fn main() -> Result<(), Error> {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (sets, first) = (argument(1, 170), argument(2, 8_800_001));
    for kind in ["white", "heavy-tailed", "AR(.9)"] {
        let mut called = 0;
        for seed in first..first + sets {
            called += u64::from(is_noise(noise(kind, seed))?);
        }
        println!("{kind:14} called noise in {called} of {sets}");
    }
    for filter in [Filter::Gaussian, Filter::PseudoInverse] {
        for p in [100, 50, 30] {
            for density in [0.05, 0.1, 0.2, 0.3] {
                let mut called = 0;
                let sets = sets / 4;
                for seed in first..first + sets {
                    let settings = Settings {
                        n_signals: vec![p],
                        graph: GraphModel::ErdosRenyi { probability: density },
                        filter,
                        seed,
                        ..Settings::default()
                    };
                    called += u64::from(is_noise(simulate(&settings)?.tables)?);
                }
                println!(
                    "true graphs, {filter:?}, {p:3} samples, density {density}: called noise in {called} of {sets}"
                );
            }
        }
    }
    Ok(())
}
