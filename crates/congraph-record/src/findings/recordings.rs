//! How views were made from EEG recordings: what a methods paragraph and a table of quality tell.

use serde::Serialize;

/// What was done to every recording, and what was kept of each.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KnownRecordings {
    /// What was done.
    pub steps: KnownSteps,
    /// Each recording.
    pub recordings: Vec<KnownRecording>,
    /// The files of recordings that were left out because no trial was left of them, each with the view that it would
    /// have been a part of.
    pub dropped: Vec<(String, String)>,
}

/// What was done to every recording, in this order; none where it was not done. Stretches of time are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KnownSteps {
    /// What views were split by besides the subject: session, task, acquisition, run.
    pub views_by: Vec<String>,
    /// What was chosen among all recordings: the kind (session, task, …) and its values.
    pub chosen: Vec<(String, Vec<String>)>,
    /// The channels of the new reference; empty for the average of all.
    pub reference: Option<Vec<String>>,
    /// λ and stiffness of the current source density.
    pub csd: Option<[f64; 2]>,
    /// The edges of the band in Hz, and the order of the filter.
    pub band: Option<([f64; 2], usize)>,
    /// What epochs were cut around; empty for the only kind of event, or all kinds.
    pub events: Option<Vec<String>>,
    /// The seconds of epochs that were cut end to end.
    pub every_seconds: Option<f64>,
    /// The stretch that is subtracted the mean of.
    pub baseline: Option<[f64; 2]>,
    /// The largest peak-to-peak amplitude that was kept, in microvolts.
    pub reject_microvolts: Option<f64>,
    /// What of each epoch was learned from.
    pub window: Option<[f64; 2]>,
    /// How many trials of each subject were kept at most.
    pub first: Option<usize>,
}

/// What was kept and dropped of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KnownRecording {
    /// The view it became a part of.
    pub view: String,
    /// Whose it is; empty if that is the view.
    pub subject: String,
    /// The task of its name.
    pub task: String,
    /// The run of its name.
    pub run: String,
    /// Its file.
    pub file: String,
    /// Samples in a second.
    pub sampling_hz: f64,
    /// How many electrodes are nodes.
    pub n_electrodes: usize,
    /// How many events there were.
    pub n_events: usize,
    /// Of these, how many are too near to an end.
    pub n_outside: usize,
    /// How many were rejected for their amplitude.
    pub n_rejected: usize,
    /// How many were learned from.
    pub n_used: usize,
    /// Channels that are bad.
    pub bad: String,
    /// Where the positions of the electrodes come from.
    pub positions_from: String,
}
