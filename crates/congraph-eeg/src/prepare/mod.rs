//! All steps from a recording to epochs, in order, each optional.
//!
//! ```text
//! names → positions → channels left out → reference → CSD → band-pass → epochs → baseline → rejection
//!       → window → (first trials → stack)
//! ```
//!
//! The filter runs before anything is cut; reference and CSD, which act on each sample alone, are applied to what is
//! cut out (see [`Epochs`]). Amplitudes are judged on the potentials, in microvolts, also where CSD is asked for: it
//! has no scale that one could name a limit in.

mod pick;
mod reference;
mod reject;

use std::borrow::Cow;

use congraph::{Code, DataError, Error, Warning, list_names};

use crate::csd::{SplineSettings, SurfaceLaplacian};
use crate::epochs::{Cut, Epochs, Nothing, Stop, try_cut};
use crate::filters::Band;
use crate::montage::{Montage, Position};
use crate::recording::{Annotation, Recording, events};
pub use pick::{Dropped, Picked, pick};
pub use reference::Reference;
use reference::{Cutting, with_references};
use reject::reject;

/// The steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The channels to keep; by default those that the montage knows.
    pub channels: Option<Vec<String>>,
    /// Channels to leave out.
    pub bads: Vec<String>,
    /// The reference.
    pub reference: Reference,
    /// Whether and how current source densities are computed.
    pub csd: Option<SplineSettings>,
    /// The band that is kept.
    pub band: Option<Band>,
    /// Where epochs are cut.
    pub cut: Cut,
    /// Seconds before and after the event that are cut out; by default just what window and baseline need.
    pub epoch: Option<[f64; 2]>,
    /// The stretch around the event whose mean is taken out.
    pub baseline: Option<[f64; 2]>,
    /// Trials with a channel of a larger peak-to-peak amplitude in the epoch are left out.
    pub reject_microvolts: Option<f64>,
    /// The stretch around the event that is kept.
    pub window: [f64; 2],
}

impl Default for Settings {
    /// Seconds of the recording one after the other, nothing done to them.
    fn default() -> Self {
        Self {
            channels: None,
            bads: Vec::new(),
            reference: Reference::default(),
            csd: None,
            band: None,
            cut: Cut::Every(1.0),
            epoch: None,
            baseline: None,
            reject_microvolts: None,
            window: [0.0, 1.0],
        }
    }
}

/// Epochs that are ready to be stacked, and what was kept and dropped on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The epochs.
    pub epochs: Epochs,
    /// Where each channel is, as far as the montage tells.
    pub positions: Vec<Option<Position>>,
    /// Channels that were left out, and why.
    pub dropped_channels: Vec<(String, Dropped)>,
    /// How many events there were.
    pub n_events: usize,
    /// How many were too close to a gap or to an end of the recording.
    pub n_outside: usize,
    /// How many were rejected by their amplitude.
    pub n_rejected: usize,
    /// What else should be known.
    pub warnings: Vec<Warning>,
}

/// Carries out all steps on a recording. `other_events` take the place of those in the recording, for example from a
/// `_events.tsv`.
///
/// # Errors
/// [`Error::Data`] that names the recording and what is there instead of what was asked for.
pub fn prepare(
    recording: &Recording,
    montage: &Montage,
    other_events: Option<&[Annotation]>,
    settings: &Settings,
) -> Result<Prepared, Error> {
    all_steps(recording, montage, other_events, settings).map_err(Error::from)
}

/// As [`prepare`], telling a recording of which no trial is left from one with which something is wrong: the one may be
/// left out of a study, the other may not.
///
/// # Errors
/// As [`prepare`].
pub fn attempt(
    recording: &Recording,
    montage: &Montage,
    other_events: Option<&[Annotation]>,
    settings: &Settings,
) -> Result<Result<Prepared, Nothing>, Error> {
    match all_steps(recording, montage, other_events, settings) {
        Ok(prepared) => Ok(Ok(prepared)),
        Err(Stop::Nothing(nothing)) => Ok(Err(*nothing)),
        Err(Stop::Wrong(error)) => Err(error),
    }
}

fn all_steps(
    recording: &Recording,
    montage: &Montage,
    other_events: Option<&[Annotation]>,
    settings: &Settings,
) -> Result<Prepared, Stop> {
    let mut picked = pick(recording, montage, settings.channels.as_deref(), &settings.bads)?;
    let mut warnings = cautions(recording, &picked);
    let cutting = with_references(recording, &mut picked, &settings.reference)?;
    let events = other_events.map_or_else(|| Cow::Owned(events(recording)), Cow::Borrowed);
    let (span, window) = span(settings);
    let cuts = try_cut(
        recording,
        &cutting.channels,
        &cutting.names,
        settings.band,
        &events,
        &settings.cut,
        span,
    )?;
    if cuts.n_outside > 0 {
        warnings.push(outside(recording, cuts.n_outside, cuts.n_events, span));
    }
    let mut epochs = referred(recording, cuts.epochs, &cutting, &picked, settings, span)?;
    // Amplitudes are judged over the whole epoch and before CSD, whose unit is another.
    let n_before = epochs.n_trials();
    if let Some(limit) = settings.reject_microvolts {
        epochs = reject(recording, epochs, limit).map_err(|error| {
            Stop::Nothing(Box::new(Nothing {
                error: *error,
                n_events: cuts.n_events,
                n_outside: cuts.n_outside,
                n_rejected: n_before,
            }))
        })?;
    }
    let n_rejected = n_before - epochs.n_trials();
    if window != span {
        let all: Vec<usize> = (0..epochs.names().len()).collect();
        epochs = epochs
            .window(&all, window)
            .map_err(|error| named(recording, "window", error))?;
    }
    if let Some(spline) = &settings.csd {
        epochs.csd(&SurfaceLaplacian::new(
            &positions(recording, montage, &picked)?,
            spline,
        )?);
    }
    Ok(Prepared {
        epochs,
        positions: picked.positions,
        dropped_channels: picked.dropped,
        n_events: cuts.n_events,
        n_outside: cuts.n_outside,
        n_rejected,
        warnings,
    })
}

/// Reference and baseline; the channels that were only needed as a reference are gone afterwards.
fn referred(
    recording: &Recording,
    mut epochs: Epochs,
    cutting: &Cutting,
    picked: &Picked,
    settings: &Settings,
    span: [f64; 2],
) -> Result<Epochs, Error> {
    if let Some(channels) = &cutting.references {
        epochs.reference(channels);
    }
    if let Some(stretch) = settings.baseline {
        epochs
            .baseline(stretch)
            .map_err(|error| named(recording, "baseline", error))?;
    }
    let kept: Vec<usize> = picked
        .channels
        .iter()
        .filter_map(|channel| cutting.channels.iter().position(|other| other == channel))
        .collect();
    if kept.len() == epochs.names().len() {
        return Ok(epochs);
    }
    epochs
        .window(&kept, span)
        .map_err(|error| named(recording, "epoch", error))
}

/// What is cut, and what is kept of it.
fn span(settings: &Settings) -> ([f64; 2], [f64; 2]) {
    if let Cut::Every(seconds) = settings.cut {
        return ([0.0, seconds], [0.0, seconds]);
    }
    // Everything that is needed is cut out: the window, the baseline, and the epoch that amplitudes are judged over.
    let [mut from, mut to] = settings.window;
    for [first, last] in settings.baseline.iter().chain(&settings.epoch) {
        (from, to) = (from.min(*first), to.max(*last));
    }
    ([from, to], settings.window)
}

/// The positions of all electrodes, which CSD needs.
fn positions(recording: &Recording, montage: &Montage, picked: &Picked) -> Result<Vec<Position>, Error> {
    let nowhere: Vec<&String> = picked
        .names
        .iter()
        .zip(&picked.positions)
        .filter(|(_, at)| at.is_none())
        .map(|(name, _)| name)
        .collect();
    if nowhere.is_empty() {
        return Ok(picked.positions.iter().copied().flatten().collect());
    }
    let known: Vec<&String> = montage.electrodes().iter().map(|(name, _)| name).collect();
    Err(DataError::new(
        Code::E02,
        format!(
            "`{}`: no position is known for {}; `{}` has {}",
            recording.name,
            list_names(&nowhere),
            montage.name,
            list_names(&known)
        ),
        "current source densities depend on where the electrodes are",
        "give a file of positions that has them, or leave the channels out",
    )
    .into())
}

/// What should be known of the channels before anything is done to them.
fn cautions(recording: &Recording, picked: &Picked) -> Vec<Warning> {
    let file = &recording.name;
    let mut warnings = Vec::new();
    if !picked.unknown_bads.is_empty() {
        let message = format!(
            "`{file}` has no channel {}, which was named as bad",
            list_names(&picked.unknown_bads)
        );
        warnings.push(Warning::new("W03", message));
    }
    let channels = picked.channels.iter().map(|&channel| &recording.channels[channel]);
    let odd: Vec<String> = channels
        .filter(|channel| channel.microvolts_per_unit().is_none())
        .map(|channel| format!("{} ({})", channel.label, channel.unit))
        .collect();
    if !odd.is_empty() {
        let message = format!(
            "`{file}`: the unit of {} is not one of voltage; values were taken as microvolts",
            list_names(&odd)
        );
        warnings.push(Warning::new("W08", message));
    }
    warnings
}

fn outside(recording: &Recording, n_outside: usize, n_events: usize, span: [f64; 2]) -> Warning {
    let message = format!(
        "`{}`: {n_outside} of {n_events} events are too close to a gap or an end of the recording for {}:{} s around \
         them, and were left out",
        recording.name, span[0], span[1]
    );
    Warning::new("W05", message)
}

/// The same errors, said of a step on a recording.
fn named(recording: &Recording, step: &str, error: Error) -> Error {
    match error {
        Error::Data(mut errors) => {
            for error in &mut errors {
                error.what = format!("`{}`: the {step} {}", recording.name, error.what);
            }
            Error::Data(errors)
        }
        other => other,
    }
}
