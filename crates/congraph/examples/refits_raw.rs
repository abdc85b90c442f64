//! How fast resampled data are fitted, and how fast the whole: 64 nodes, 20 views, 34 blocks of 16 samples, one line of JSON.
//!
//! `cargo run --release -p congraph --example refits_raw -- [RESAMPLES]`, on as many threads as `RAYON_NUM_THREADS` says.

use std::sync::Arc;
use std::time::Instant;

use congraph::refits::{Part, Refits, Unit};
use congraph::simulate::{Settings, simulate};
use congraph::{Error, Learn, Newton, Smooth, Targets, ViewOptions, Views, no_progress};

/// Resamples are fitted to this relative gap.
const LOOSE: f64 = 1e-5;
/// Fits of the whole; the fastest counts.
const WHOLE: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = std::env::args().nth(1).map_or(Ok(600), |word| word.parse())?;
    let settings = Settings {
        n_nodes: 64,
        n_views: 20,
        n_signals: vec![34 * 16],
        ..Settings::default()
    };
    let mut tables = simulate(&settings)?.tables;
    for table in &mut tables {
        table.blocks = Some((0..table.n_rows).map(|row| format!("{:02}", row / 16)).collect());
    }
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    let method = Smooth::default()
        .learn_to(&views, &Targets::default(), &no_progress)?
        .method;
    let mut whole = f64::INFINITY;
    let mut gap = 0.0;
    for _ in 0..WHOLE {
        let clock = Instant::now();
        gap = method.learn(&views, &no_progress)?.certificate.relative_gap;
        whole = whole.min(clock.elapsed().as_secs_f64());
    }
    let loose = Smooth {
        solver: Arc::new(Newton {
            tolerance: LOOSE,
            ..Newton::default()
        }),
        ..method
    };
    let clock = Instant::now();
    let refits = Refits::new(&loose, &views, Unit::Blocks, 1 << 30)?;
    let ready = clock.elapsed().as_secs_f64();
    let parts: Vec<Part> = (0..n)
        .map(|number| refits.resample(1, number))
        .collect::<Result<_, Error>>()?;
    let (clock, before) = (Instant::now(), processor_seconds());
    let found = refits.fit_all(&loose, &parts, &no_progress)?.unwrap_or_default();
    let (seconds, cpu) = (clock.elapsed().as_secs_f64(), processor_seconds() - before);
    println!(
        "{{\"whole\": {whole:.6}, \"gap\": {gap:e}, \"ready\": {ready:.4}, \"fits\": {}, \"seconds\": {seconds:.4}, \"cpu\": {cpu:.3}, \
         \"per_core\": {:.1}}}",
        found.len(),
        found.len() as f64 / cpu
    );
    Ok(())
}

/// How long this process has had a core, where the system tells.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
