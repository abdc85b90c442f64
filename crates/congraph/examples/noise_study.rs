//! How often the guard before a likelihood calls noise noise, and weak but true graphs noise.
//!
//! ```text
//! cargo run --release -p congraph --example noise_study -- [SETS OF EACH KIND] [FIRST SEED] [noise]
//! ```
//!
//! Sizes are drawn: 15 to 60 nodes, 2 to 6 views, 30 to 400 samples. `referenced` is white noise whose nodes vary by
//! different amounts (0.7 to 1.4; 0.3 to 3, and 300 to 1200 samples, if they are very unequal), the same in all views, less the mean of all nodes; `few samples` are 8 to 15; few trials are 2 to 7; a narrow band is white noise after two resonances; `rare values`
//! are not 0 in 2 to 10 % of the samples; `counts` are geometric and mostly 0, log(1 + x) of them. Weak but true graphs are random graphs of 100
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

const KINDS: [&str; 11] = [
    "white",
    "heavy-tailed",
    "AR(.9)",
    "referenced",
    "referenced, long, of very unequal nodes",
    "few samples",
    "white in few trials",
    "referenced AR(.9) in few trials",
    "narrow band in four to seven trials",
    "rare values",
    "counts",
];

/// Unrelated signals of some kind.
fn noise(kind: &str, seed: u64) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, n_views, mut p) = (
        rng.random_range(15..60),
        rng.random_range(2..7),
        rng.random_range(30..400),
    );
    let tails = StudentT::new(3.0);
    let is_referenced = kind.starts_with("referenced");
    let sizes: Vec<f64> = (0..n)
        .map(|_| match kind {
            _ if kind.ends_with("of very unequal nodes") => rng.random_range(0.3..3.0),
            _ if is_referenced => rng.random_range(0.7..1.4),
            _ => 1.0,
        })
        .collect();
    let is_narrow = kind.starts_with("narrow band");
    let n_trials = match kind {
        _ if is_narrow => rng.random_range(4..8),
        _ if kind.ends_with("in few trials") => rng.random_range(2..8),
        _ => 1,
    };
    if n_trials > 1 {
        p = n_trials * rng.random_range(20..100);
    } else if kind == "few samples" {
        p = rng.random_range(8..16);
    } else if matches!(kind, "rare values" | "counts") {
        p = rng.random_range(100..400);
    } else if kind.contains("long") {
        p = rng.random_range(300..1200);
    }
    let mut table = |view: usize| -> Table {
        let mut state = vec![0.0; n];
        // The last two values of two resonances, one behind the other.
        let mut resonances = vec![[[0.0_f64; 2]; 2]; n];
        let mut values = Vec::with_capacity(n * p);
        let length = p / n_trials;
        for _ in 0..n_trials {
            for row in 0..length + 100 {
                for (x, resonances) in state.iter_mut().zip(&mut resonances) {
                    let fresh: f64 = match (kind, &tails) {
                        ("heavy-tailed", Ok(tails)) => rng.sample(tails),
                        _ => rng.sample(StandardNormal),
                    };
                    *x = if kind.contains("AR(.9)") {
                        0.9 * *x + fresh
                    } else {
                        fresh
                    };
                    if is_narrow {
                        for [one, two] in resonances.iter_mut() {
                            // Ten turns in 160 samples.
                            let turn = (std::f64::consts::PI / 8.0).cos();
                            let next = 2.0 * 0.97 * turn * *one - 0.97 * 0.97 * *two + *x;
                            (*two, *one) = (*one, next);
                            *x = next;
                        }
                    }
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
        }
        if matches!(kind, "rare values" | "counts") {
            values = rarely(&mut rng, kind, n, p);
        }
        let mut table = Table::new(format!("view{view}"), n, values);
        if n_trials > 1 {
            table.blocks = Some((0..p).map(|row| format!("trial {}", row / length)).collect());
        }
        table
    };
    (0..n_views).map(&mut table).collect()
}

/// Values of which most are 0, at least three of every node not: log(1 + x) of exponential values, or of counts whose mean
/// varies from node to node and from sample to sample.
fn rarely(rng: &mut ChaCha8Rng, kind: &str, n: usize, p: usize) -> Vec<f64> {
    let mut values = vec![0.0; n * p];
    for node in 0..n {
        let rate: f64 = if kind == "counts" {
            (0.05_f64).powf(rng.random_range(0.1..1.0))
        } else {
            rng.random_range(0.02..0.1)
        };
        loop {
            for sample in 0..p {
                let size = -rng.random_range(f64::EPSILON..1.0).ln();
                values[sample * n + node] = match kind {
                    // Of a mean that is exponential itself counts are geometric.
                    "counts" => poisson(size * rate, rng),
                    _ if rng.random_range(0.0..1.0) < rate => size,
                    _ => 0.0,
                }
                .ln_1p();
            }
            let n_seen = (0..p).filter(|sample| values[sample * n + node] > 0.0).count();
            if n_seen >= 3 {
                break;
            }
        }
    }
    values
}

/// A Poisson number.
fn poisson(mean: f64, rng: &mut ChaCha8Rng) -> f64 {
    let (mut product, mut count) = (1.0, -1.0);
    while product > (-mean).exp() {
        product *= rng.random_range(0.0..1.0);
        count += 1.0;
    }
    count
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
    for kind in KINDS {
        let mut found = Found::default();
        for seed in first..first + sets {
            found.add(noise(kind, seed))?;
        }
        println!(
            "{kind:36} called noise in {} of {sets}; one in a thousand {}, most {}",
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
