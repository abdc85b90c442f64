//! What is gained by counting samples in a row for what they are worth: view F1 / consensus F1 of the likelihood.
//!
//! ```text
//! cargo run --release -p congraph-io --example effective_study -- [SEEDS] [FIRST SEED] [NODES SAMPLES]…
//! ```
//!
//! Signals of known graphs are made autocorrelated, node by node alike, so that their covariance stays what it was. The
//! likelihood learns from them as they are (`effective`), and from the same samples in a random order, which look
//! independent (`nominal`): all that changes is how many samples the coupling, the views' weights and the criterion count.

use congraph::methods::likelihood::Likelihood;
use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::tune::Wanted;
use congraph::{Error, MultiviewGraph, Table, ViewOptions, Views, metrics, no_progress};
use congraph_eeg::{Band, ZeroPhase};

/// How samples follow each other.
#[derive(Clone, Copy)]
enum Course {
    White,
    Autoregressive(f64),
    /// A band in Hz of signals that are sampled 160 times a second.
    Band(f64, f64),
    /// Neural signals seen through the blood: convolved with the response of so many seconds between samples.
    Haemodynamic(f64),
}

/// Samples that are left out at both ends, where a filter has not settled.
const MARGIN: usize = 200;

impl Course {
    fn of(self, series: &mut [f64]) -> Result<(), Error> {
        match self {
            Self::White => {}
            Self::Autoregressive(rho) => {
                let size = (1.0 - rho * rho).sqrt();
                let mut before = series[0];
                for x in series.iter_mut().skip(1) {
                    before = rho * before + size * *x;
                    *x = before;
                }
            }
            Self::Band(low, high) => ZeroPhase::new(Band::new(low, high), 160.0)?.apply(series)?,
            Self::Haemodynamic(seconds) => {
                let n = (32.0 / seconds) as usize;
                let response: Vec<f64> = (0..n).map(|k| response(k as f64 * seconds)).collect();
                let size = response.iter().map(|x| x * x).sum::<f64>().sqrt();
                for t in (0..series.len()).rev() {
                    let past = response.iter().zip(series[..=t].iter().rev());
                    series[t] = past.map(|(weight, x)| weight * x).sum::<f64>() / size;
                }
            }
        }
        Ok(())
    }
}

/// The usual response: a gamma density of shape 6 less a sixth of one of shape 16, in seconds.
fn response(t: f64) -> f64 {
    let gamma = |shape: i32| {
        let factorial: f64 = (1..shape).map(f64::from).product();
        t.powi(shape - 1) * (-t).exp() / factorial
    };
    gamma(6) - gamma(16) / 6.0
}

fn tables(settings: &Settings, course: Course) -> Result<(Vec<Table>, MultiviewGraph), Error> {
    let n_samples = settings.n_signals[0];
    let longer = Settings {
        n_signals: vec![n_samples + 2 * MARGIN],
        ..settings.clone()
    };
    let simulation = simulate(&longer)?;
    let mut tables = simulation.tables;
    for table in &mut tables {
        let n = table.n_columns;
        for node in 0..n {
            let mut series: Vec<f64> = table.values.iter().skip(node).step_by(n).copied().collect();
            course.of(&mut series)?;
            series
                .iter()
                .enumerate()
                .for_each(|(t, x)| table.values[t * n + node] = *x);
        }
        table.values = table.values[MARGIN * n..(MARGIN + n_samples) * n].to_vec();
        table.n_rows = n_samples;
        table.row_names = None;
    }
    Ok((tables, simulation.truth))
}

/// The same rows in an order that only chance knows.
fn shuffled(table: &Table, seed: u64) -> Table {
    let mut order: Vec<usize> = (0..table.n_rows).collect();
    let mut state = seed;
    for at in (1..order.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, ((state >> 33) as usize) % (at + 1));
    }
    let row = |&at: &usize| table.values[at * table.n_columns..(at + 1) * table.n_columns].to_vec();
    Table {
        values: order.iter().flat_map(row).collect(),
        ..table.clone()
    }
}

fn scores(tables: Vec<Table>, truth: &MultiviewGraph) -> Result<[f64; 3], Error> {
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    let chosen = Likelihood::default().learn_to(&views, &Wanted::default(), &no_progress)?;
    let found = metrics::evaluate(&chosen.learned.graph, truth)?;
    let consensus = found.consensus.map_or(0.0, |scores| scores.f1());
    Ok([found.mean_view_f1(), consensus, chosen.learned.details.mean_samples])
}

fn main() -> Result<(), Error> {
    let argument = |k: usize, usual: u64| {
        std::env::args()
            .nth(k)
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (n_seeds, first) = (argument(1, 5), argument(2, 90_001));
    println!("nodes samples filter course       nominal      effective    samples worth");
    let words: Vec<usize> = std::env::args().skip(3).filter_map(|word| word.parse().ok()).collect();
    let sizes: Vec<[usize; 2]> = match words.chunks_exact(2).map(|two| [two[0], two[1]]).collect::<Vec<_>>() {
        none if none.is_empty() => vec![[50, 300], [50, 1000], [100, 500]],
        some => some,
    };
    for [n_nodes, n_samples] in sizes {
        for (name, filter) in [("L†", Filter::PseudoInverse), ("√L†", Filter::Gaussian)] {
            for (told, course) in [
                ("white", Course::White),
                ("AR(.9)", Course::Autoregressive(0.9)),
                ("8-13 Hz", Course::Band(8.0, 13.0)),
                ("fMRI, 2 s", Course::Haemodynamic(2.0)),
            ] {
                let (mut nominal, mut effective) = ([0.0; 3], [0.0; 3]);
                for seed in first..first + n_seeds {
                    let settings = Settings {
                        // Small graphs that are not chains.
                        graph: GraphModel::ErdosRenyi {
                            probability: (4.0 / n_nodes as f64).clamp(0.1, 0.4),
                        },
                        n_nodes,
                        n_signals: vec![n_samples],
                        filter,
                        seed,
                        ..Settings::default()
                    };
                    let (tables, truth) = tables(&settings, course)?;
                    let mixed = tables.iter().map(|table| shuffled(table, seed)).collect();
                    for (sums, tables) in [(&mut nominal, mixed), (&mut effective, tables)] {
                        let found = scores(tables, &truth)?;
                        sums.iter_mut()
                            .zip(found)
                            .for_each(|(sum, x)| *sum += x / n_seeds as f64);
                    }
                }
                println!(
                    "{n_nodes:<5} {n_samples:<7} {name:<6} {told:<10} {:.3}/{:.3}  {:.3}/{:.3}  {:.0}",
                    nominal[0], nominal[1], effective[0], effective[1], effective[2]
                );
            }
        }
    }
    Ok(())
}
