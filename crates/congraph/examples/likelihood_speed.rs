//! How long a certified likelihood takes, by the number of nodes and the filter, from a cold start.
//!
//! ```text
//! cargo run --release -p congraph --example likelihood_speed -- [NODES…] [covariances FOLDER]
//! ```
//!
//! With a folder, the covariances are written there for others to be timed on: `benchmarks/peers_likelihood.py`.
//!
//! Six views of 500 signals (three views from 1000 nodes on) on random graphs with ten neighbours a node; the whole
//! problem at b = 2 to a relative gap of 1e-8, then the refit on its edges. Times are the least of some runs; CPU time, the
//! mean of all, is that of all threads, where the system tells it.

use std::time::Instant;

use congraph::methods::likelihood::{Filter, Likelihood, Model};
use congraph::simulate::{self, GraphModel, Settings, simulate};
use congraph::{Error, Learn, ViewOptions, Views, no_progress};

fn main() -> Result<(), Error> {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![100, 200, 400];
    }
    let folder = std::env::args().skip_while(|text| text != "covariances").nth(1);
    println!("nodes  views  filter  prepare ms  whole ms  cpu ms  steps  density  gap      refit ms  threads");
    for n in sizes {
        let simulation = simulate(&Settings {
            n_nodes: n,
            n_views: if n < 1000 { 6 } else { 3 },
            graph: GraphModel::ErdosRenyi {
                probability: (10.0 / n as f64).max(0.015),
            },
            filter: simulate::Filter::PseudoInverse,
            seed: 42,
            ..Settings::default()
        })?;
        let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
        if let Some(folder) = &folder {
            write_covariances(&views, folder);
        }
        for filter in [Filter::Once, Filter::Twice] {
            let model = Model::attractive(filter, 2.0);
            let mut method = Likelihood::new(model);
            method.memory = u64::MAX;
            let clock = Instant::now();
            let session = method.session(&views, &no_progress)?;
            let prepare = 1e3 * clock.elapsed().as_secs_f64();
            let (mut whole_time, mut refit_time, mut told) = (f64::INFINITY, f64::INFINITY, None);
            let n_runs = match n {
                ..=100 => 15,
                101..=400 => 3,
                _ => 1,
            };
            let mut cpu_time = 0.0;
            for _ in 0..n_runs {
                let (clock, cpu) = (Instant::now(), cpu_ms());
                let whole = rayon::scope(|_| session.whole(&model, None, &no_progress))?;
                whole_time = whole_time.min(1e3 * clock.elapsed().as_secs_f64());
                cpu_time += (cpu_ms() - cpu) / f64::from(n_runs);
                let clock = Instant::now();
                let fit = session.fit_from(&model, whole.clone(), &no_progress)?;
                refit_time = refit_time.min(1e3 * clock.elapsed().as_secs_f64());
                let gap = whole
                    .certificate
                    .relative_gap
                    .max(fit.solution.certificate.relative_gap);
                told = Some((whole.iterations, session.density_of(&whole), gap));
            }
            let (steps, density, gap) = told.unwrap_or_default();
            println!(
                "{n:5}  {:5}  {:6}  {prepare:10.1}  {whole_time:8.1}  {cpu_time:6.1}  {steps:5}  {density:7.3}  {gap:.1e}  {refit_time:8.1}  {}",
                views.n_views(),
                filter.order(),
                rayon::current_num_threads()
            );
        }
    }
    Ok(())
}

/// The CPU time of this process in the user's code, in hundredths of a second at best; not a number where it is not told.
fn cpu_ms() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = told.rsplit(')').next().unwrap_or_default();
    let ticks = after_name
        .split_whitespace()
        .nth(11)
        .and_then(|text| text.parse::<f64>().ok());
    ticks.map_or(f64::NAN, |ticks| 10.0 * ticks)
}

/// Centred, over the mean variance of the view; one file of doubles for each.
fn write_covariances(views: &Views, folder: &str) {
    let n = views.n_nodes();
    for (k, view) in views.iter().enumerate() {
        let centred = |node: usize| {
            let values = view.node(node);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|x| x - mean).collect::<Vec<f64>>()
        };
        let rows: Vec<Vec<f64>> = (0..n).map(centred).collect();
        let dot = |a: usize, b: usize| rows[a].iter().zip(&rows[b]).map(|(x, y)| x * y).sum::<f64>();
        let mean = (0..n).map(|a| dot(a, a)).sum::<f64>() / n as f64;
        let bytes: Vec<u8> = (0..n * n)
            .flat_map(|k| (dot(k / n, k % n) / mean).to_le_bytes())
            .collect();
        let file = std::path::Path::new(folder).join(format!("view{k}.f64"));
        if let Err(error) = std::fs::write(&file, bytes) {
            eprintln!("{}: {error}", file.display());
        }
    }
}
