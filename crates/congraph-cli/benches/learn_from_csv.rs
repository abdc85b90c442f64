//! `congraph learn` from CSV files, the whole command: n = 100 nodes, N = 6 views, p = 500 signals, fixed α and β.
//!
//! `cargo bench -p congraph-cli`

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const REPEATS: usize = 15;

fn main() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    congraph(at, &["simulate", "-o", "sim"])?;
    let files: Vec<String> = (1..=6).map(|view| format!("sim/view{view}.csv")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let check = median(|| congraph(at, &[&["check"], files.as_slice()].concat()))?;
    let learn = ["learn", "--alpha", "0.07", "--beta", "0.03", "--force", "-o", "out"];
    let whole = median(|| congraph(at, &[&learn, files.as_slice()].concat()))?;
    println!("congraph learn, 6 views × 100 nodes × 500 signals from .csv, median of {REPEATS} runs:");
    println!("  whole command  {:6.1} ms", 1e3 * whole);
    println!(
        "  check alone    {:6.1} ms   (reading and checking; ratio {:.2})",
        1e3 * check,
        whole / check
    );
    Ok(())
}

fn congraph(at: &Path, words: &[&str]) -> std::io::Result<()> {
    let status = Command::new(env!("CARGO_BIN_EXE_congraph"))
        .args(words)
        .current_dir(at)
        .stdout(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(std::io::Error::other(format!("congraph {words:?}: {status}")))
    }
}

/// The median time of some runs, in seconds.
fn median(run: impl Fn() -> std::io::Result<()>) -> std::io::Result<f64> {
    let mut times = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[REPEATS / 2])
}
