//! How often the guard before a likelihood calls noise noise, and weak but true graphs noise.
//!
//! ```text
//! cargo run --release -p congraph --example noise_study -- [SETS OF EACH KIND] [FIRST SEED] [noise]
//! ```
//!
//! Sizes are drawn: 15 to 60 nodes, 2 to 6 views, 30 to 400 samples. `referenced` is white noise whose nodes vary by
//! different amounts, the same in all views, less the mean of all nodes. Weak but true graphs are random graphs of 100
//! nodes and density 0.05 to 0.3, with six views of 100 samples, and of 50 and 30. Beside each count stand the largest
//! deviate (of noise) or the least and the median (of graphs), and in brackets the same of those that it is the largest
//! of: T1, T2, T3 and the strongest correlation. With the word `noise` graphs are left out.

use congraph::chance::Correlations;
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
    let is_referenced = kind == "referenced";
    let sizes: Vec<f64> = (0..n)
        .map(|_| if is_referenced { rng.random_range(0.7..1.4) } else { 1.0 })
        .collect();
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
                let mut sized: Vec<f64> = state.iter().zip(&sizes).map(|(x, size)| x * size).collect();
                if is_referenced {
                    let mean = sized.iter().sum::<f64>() / n as f64;
                    sized.iter_mut().for_each(|x| *x -= mean);
                }
                values.extend(sized);
            }
        }
        Table::new(format!("view{view}"), n, values)
    };
    (0..n_views).map(table).collect()
}

/// What was found in all sets of a kind.
#[derive(Default)]
struct Found {
    n_noise: usize,
    /// z, T1, T2, T3 and the strongest correlation of each set.
    deviates: Vec<[f64; 5]>,
}

impl Found {
    fn add(&mut self, tables: Vec<Table>) -> Result<(), Error> {
        let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
        self.n_noise += usize::from(judge(&views, false, &no_progress)?.0);
        if let Some(found) = Correlations::of(&views) {
            let agreeing = found.agreeing.unwrap_or(f64::NEG_INFINITY);
            self.deviates
                .push([found.z(), found.together, found.pooled, agreeing, found.strongest]);
        }
        Ok(())
    }

    /// The values at a share of the sorted ones, each deviate for itself.
    fn at(&self, share: f64) -> String {
        let of = |k: usize| {
            let mut sorted: Vec<f64> = self.deviates.iter().map(|deviates| deviates[k]).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted[(share * (sorted.len() - 1) as f64).round() as usize]
        };
        let [z, parts @ ..] = [0, 1, 2, 3, 4].map(of).map(|z| format!("{z:.1}"));
        format!("{z} ({})", parts.join(" "))
    }
}

fn main() -> Result<(), Error> {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (sets, first) = (argument(1, 170), argument(2, 8_800_001));
    for kind in ["white", "heavy-tailed", "AR(.9)", "referenced"] {
        let mut found = Found::default();
        for seed in first..first + sets {
            found.add(noise(kind, seed))?;
        }
        println!(
            "{kind:14} called noise in {} of {sets}; one in a thousand {}, most {}",
            found.n_noise,
            found.at(0.999),
            found.at(1.0)
        );
    }
    if std::env::args().nth(3).is_some_and(|word| word == "noise") {
        return Ok(());
    }
    for filter in [Filter::Gaussian, Filter::PseudoInverse] {
        for p in [100, 50, 30] {
            for density in [0.05, 0.1, 0.2, 0.3] {
                let sets = sets / 4;
                let mut found = Found::default();
                for seed in first..first + sets {
                    let settings = Settings {
                        n_signals: vec![p],
                        graph: GraphModel::ErdosRenyi { probability: density },
                        filter,
                        seed,
                        ..Settings::default()
                    };
                    found.add(simulate(&settings)?.tables)?;
                }
                println!(
                    "true graphs, {filter:?}, {p:3} samples, density {density}: called noise in {} of {sets}; \
                     least {}, median {}",
                    found.n_noise,
                    found.at(0.0),
                    found.at(0.5)
                );
            }
        }
    }
    Ok(())
}
