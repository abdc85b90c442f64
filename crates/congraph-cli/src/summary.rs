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

/// The call that a result is of.
pub(crate) struct Call {
    pub(crate) kind: &'static str,
    /// Its words, if they are not those of this process.
    pub(crate) words: Option<Vec<String>>,
    pub(crate) seed: Option<u64>,
}

impl Call {
    /// This process's own, without randomness.
    pub(crate) const fn own(kind: &'static str) -> Self {
        Self {
            kind,
            words: None,
            seed: None,
        }
    }
}

/// What it takes to run the same again.
pub(crate) fn run(call: Call, summary: &FitRecord, inputs: Vec<InputRecord>, timing: &Timing) -> RunRecord {
    let own = || {
        let words = std::env::args_os();
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    };
    let finished = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let folder = std::env::current_dir().ok();
    RunRecord {
        command: Some(call.words.unwrap_or_else(own)),
        folder: folder.map(|folder| folder.to_string_lossy().into_owned()),
        threads: Some(rayon::current_num_threads()),
        finished_unix_time: Some(finished),
        ..RunRecord::of(call.kind, summary, inputs, call.seed, timing)
    }
}
