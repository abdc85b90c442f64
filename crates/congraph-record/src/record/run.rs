//! `run.json`: what it takes to run the same again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FitRecord, Timing};

/// The schema of a run.
const RUN_SCHEMA: &str = "congraph.run/1";

/// Which command ran when, on what, and what came of it. Any of it may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// What kind of record it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The command: `learn`, `tune`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// All words of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// The folder in which it ran: where relative paths in the call and in [`RunRecord::inputs`] start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The version of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Processor and system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// How many threads it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// When it was done, in seconds of Unix time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_unix_time: Option<u64>,
    /// The seed of what is random; `null` if nothing is.
    pub seed: Option<u64>,
    /// The files that were read.
    pub inputs: Vec<InputRecord>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<RunSeconds>,
    /// What was found, before the files of the run were listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<FitRecord>,
    /// How views were made from EEG recordings, step by step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eeg: Option<Value>,
}

/// A file that a view was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputRecord {
    /// The view.
    pub view: String,
    /// The file.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
}

/// How long a run took, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSeconds {
    /// Reading the data.
    pub read: f64,
    /// The distances, or covariances.
    pub distances: f64,
    /// Solving.
    pub solve: f64,
    /// Everything.
    pub total: f64,
}

impl From<&Timing> for RunSeconds {
    fn from(timing: &Timing) -> Self {
        Self {
            read: timing.read.as_secs_f64(),
            distances: timing.distances.as_secs_f64(),
            solve: timing.solve.as_secs_f64(),
            total: timing.total.as_secs_f64(),
        }
    }
}

impl RunRecord {
    /// A run of this version on this machine; command, threads and time are the face's to tell.
    pub fn of(kind: &str, summary: &FitRecord, inputs: Vec<InputRecord>, seed: Option<u64>, timing: &Timing) -> Self {
        Self {
            schema: Some(RUN_SCHEMA.into()),
            kind: Some(kind.into()),
            version: Some(env!("CARGO_PKG_VERSION").into()),
            platform: Some(format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)),
            seed,
            inputs,
            seconds: Some(RunSeconds::from(timing)),
            summary: Some(summary.clone()),
            ..Self::default()
        }
    }
}
