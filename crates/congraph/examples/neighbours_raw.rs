//! The nearest neighbours of raw signals for the benchmarks: reads one little-endian f64 file (nodes × samples), finds each node's K
//! nearest neighbours by z-scored signals, exactly, and prints one line of JSON. Reading is not timed; scaling and the distances of
//! the pairs found are.
//!
//! `cargo run --release -p congraph --example neighbours_raw -- N_NODES N_SAMPLES K FILE`

use std::time::Instant;

use congraph::{Candidates, DistanceNorm, Learn, Orient, Smooth, Table, ViewOptions, Views, no_progress};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [n_nodes, n_samples, k, file] = words.as_slice() else {
        return Err("N_NODES N_SAMPLES K FILE".into());
    };
    let (n_nodes, n_samples): (usize, usize) = (n_nodes.parse()?, n_samples.parse()?);
    let bytes = std::fs::read(file)?;
    let values = bytes.as_chunks::<8>().0.iter().map(|value| f64::from_le_bytes(*value));
    let mut table = Table::new("view", n_samples, values.collect());
    table.row_names = Some((0..n_nodes).map(|node| format!("{node:08}")).collect());
    let options = ViewOptions {
        orient: Orient::NodesBySamples,
        ..ViewOptions::default()
    };
    let (views, _) = Views::assemble(vec![table], &options)?;
    let mut method = Smooth::new(1.0, 1.0).uncoupled();
    method.candidates = Candidates::Nearest { k: k.parse()?, seed: 1 };
    method.scaling.distance_norm = DistanceNorm::None;
    let (clock, before) = (Instant::now(), processor_seconds());
    let session = method.session(&views, &no_progress)?;
    let (seconds, cpu) = (clock.elapsed().as_secs_f64(), processor_seconds() - before);
    drop(session);
    println!(
        "{{\"seconds\": {seconds:.6}, \"cpu\": {cpu:.3}, \"recall\": 1.0, \"peak_mb\": {}}}",
        peak_mb()
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

/// The largest memory used so far, where the system tells.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap_or_default();
    let kilobytes = line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok());
    kilobytes.map_or(0, |kb| kb / 1024)
}
