//! `run.json` of a command, and numbers for people.

use std::time::{SystemTime, UNIX_EPOCH};

use congraph_record::record::{InputRecord, Timing};
use congraph_record::{FitRecord, RunRecord};

/// A relative gap for people; below 1e-14 it is rounding.
pub(crate) fn gap(relative_gap: f64) -> String {
    if relative_gap < 1e-14 {
        "below 1e-14".into()
    } else if !relative_gap.is_finite() {
        "unknown".into()
    } else {
        format!("{relative_gap:.1e}")
    }
}

/// What it takes to run the same again.
pub(crate) fn run(
    kind: &str,
    summary: &FitRecord,
    inputs: Vec<InputRecord>,
    seed: Option<u64>,
    timing: &Timing,
) -> RunRecord {
    let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let finished = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let folder = std::env::current_dir().ok();
    RunRecord {
        command: Some(command.collect()),
        folder: folder.map(|folder| folder.to_string_lossy().into_owned()),
        threads: Some(rayon::current_num_threads()),
        finished_unix_time: Some(finished),
        ..RunRecord::of(kind, summary, inputs, seed, timing)
    }
}
