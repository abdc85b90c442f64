//! How long certified likelihoods of EEG take: the whole problem of all subjects at b = 1, from a cold start.
//!
//! ```text
//! cargo run --release -p congraph-io --example eeg_speed -- epochs.npz [REPETITIONS] [TRIALS…]
//! ```
//!
//! The data are those of `identification_study`: band-passed, referenced to the average, 0–0.5 s; the first trials of every
//! subject. They are z-scored, which is what the likelihood does by itself because one electrode of one subject varies more
//! than 30 times as much as others, and centred and lifted along the mean of all electrodes. Times are the least of some runs from a cold start to a relative gap of 1e-8; CPU time is that of all threads for the whole problem.

mod epochs;

use std::time::Instant;

use congraph::methods::likelihood::{Filter, Likelihood, Model, Sparsity};
use congraph::{Learn, Scale, Table, ViewOptions, Views, no_progress};
use congraph_eeg::Epochs;

use epochs::prepared;

/// The CPU time of all threads; not a number where the system does not tell it.
fn cpu_ms() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return f64::NAN;
    };
    let of_thread = |path: std::path::PathBuf| {
        let told = std::fs::read_to_string(path.join("schedstat")).ok()?;
        told.split_whitespace().next()?.parse::<f64>().ok()
    };
    threads
        .flatten()
        .filter_map(|thread| of_thread(thread.path()))
        .sum::<f64>()
        / 1e6
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the file of epochs")?;
    let n_runs: usize = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(5);
    let mut trials: Vec<usize> = std::env::args().skip(3).filter_map(|text| text.parse().ok()).collect();
    if trials.is_empty() {
        trials = vec![1, 4, 17];
    }
    println!("band     trials  filter  signals   whole ms  cpu ms  fit ms  steps  density  gap");
    for band in [[8.0, 13.0], [4.0, 7.0]] {
        let subjects = prepared(&path, band)?;
        for &k in &trials {
            let table = |(name, epochs): &(String, Epochs)| -> Table { epochs.retain(|trial| trial < k).stack(name) };
            let tables = subjects.iter().map(table).collect();
            let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
            for filter in [Filter::Once, Filter::Twice] {
                let model = Model {
                    sparsity: Sparsity::All,
                    ..Model::attractive(filter, 1.0)
                };
                for scale in [Scale::Zscore, Scale::Center] {
                    let mut method = Likelihood::new(model);
                    method.scale = Some(scale);
                    let session = method.session(&views, &no_progress)?;
                    let (mut whole_time, mut cpu_time, mut fit_time) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
                    let mut told = String::new();
                    for _ in 0..n_runs {
                        let (clock, cpu) = (Instant::now(), cpu_ms());
                        let whole = session.whole(&model, None, &no_progress)?;
                        whole_time = whole_time.min(1e3 * clock.elapsed().as_secs_f64());
                        cpu_time = cpu_time.min(cpu_ms() - cpu);
                        told = format!(
                            "{:5}  {:7.3}  {:.1e}",
                            whole.iterations,
                            session.density_of(&whole),
                            whole.certificate.relative_gap
                        );
                        session.fit_from(&model, whole, &no_progress)?;
                        fit_time = fit_time.min(1e3 * clock.elapsed().as_secs_f64());
                    }
                    println!(
                        "{:<2}–{:<2} Hz {k:6}  q = {}  {}  {whole_time:8.0}  {cpu_time:6.0}  {fit_time:6.0}  {told}",
                        band[0],
                        band[1],
                        filter.order(),
                        if scale == Scale::Center { "lifted  " } else { "z-scored" }
                    );
                }
            }
        }
    }
    Ok(())
}
