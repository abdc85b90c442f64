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

use congraph::error::{Code, DataError, Error, Warning, list_names};

use crate::csd::{SplineSettings, SurfaceLaplacian};
use crate::epochs::{Cut, Epochs, Nothing, Stop, try_cut};
use crate::filters::Band;
use crate::montage::{Montage, Position};
use crate::recording::{Annotation, Recording, events};
use pick::find;
pub use pick::{Dropped, Picked, pick};

/// What potentials are measured against.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reference {
    /// As recorded.
    #[default]
    Recorded,
    /// The mean of all electrodes that are kept.
    Average,
    /// The mean of these channels, which need not be electrodes of the montage.
    Channels(Vec<String>),
}

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
    let Cutting {
        channels: all,
        names,
        references,
    } = with_references(recording, &mut picked, &settings.reference)?;
    let own;
    let events = match other_events {
        Some(events) => events,
        None => {
            own = events(recording);
            &own
        }
    };
    let (span, window) = span(settings);
    let cuts = try_cut(recording, &all, &names, settings.band, events, &settings.cut, span)?;
    let mut epochs = cuts.epochs;
    if let Some(channels) = references {
        epochs.reference(&channels);
    }
    if let Some(stretch) = settings.baseline {
        epochs
            .baseline(stretch)
            .map_err(|error| named(recording, "baseline", error))?;
    }
    // Channels that were only needed as a reference go now.
    let kept: Vec<usize> = picked
        .channels
        .iter()
        .filter_map(|channel| all.iter().position(|other| other == channel))
        .collect();
    if kept.len() < epochs.names().len() {
        epochs = epochs
            .window(&kept, span)
            .map_err(|error| named(recording, "epoch", error))?;
    }
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
    let places: Vec<usize> = (0..kept.len()).collect();
    if window != span {
        epochs = epochs
            .window(&places, window)
            .map_err(|error| named(recording, "window", error))?;
    }
    if let Some(spline) = &settings.csd {
        epochs.csd(&SurfaceLaplacian::new(
            &positions(recording, montage, &picked)?,
            spline,
        )?);
    }
    if cuts.n_outside > 0 {
        let message = format!(
            "`{}`: {} of {} events are too close to a gap or an end of the recording for {}:{} s around them, and \
            were left out",
            recording.name, cuts.n_outside, cuts.n_events, span[0], span[1]
        );
        warnings.push(Warning::new("W05", message));
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

/// What is cut, and what is kept of it.
fn span(settings: &Settings) -> ([f64; 2], [f64; 2]) {
    if let Cut::Every(seconds) = settings.cut {
        return ([0.0, seconds], [0.0, seconds]);
    }
    let [mut from, mut to] = settings.window;
    for [first, last] in settings.baseline.iter().chain(&settings.epoch) {
        (from, to) = (from.min(*first), to.max(*last));
    }
    ([from, to], settings.window)
}

/// What is cut: the electrodes, and after them the channels that they are only referred to.
struct Cutting {
    /// Places among the recording's channels.
    channels: Vec<usize>,
    names: Vec<String>,
    /// Places among these channels of those whose mean is the reference.
    references: Option<Vec<usize>>,
}

fn with_references(recording: &Recording, picked: &mut Picked, reference: &Reference) -> Result<Cutting, Error> {
    let mut all = picked.channels.clone();
    let references = match reference {
        Reference::Recorded => None,
        Reference::Average => Some((0..all.len()).collect()),
        Reference::Channels(names) => {
            let mut places = Vec::with_capacity(names.len());
            for name in names {
                let channel = find(recording, name).ok_or_else(|| no_reference(recording, name))?;
                let place = all.iter().position(|&other| other == channel).unwrap_or_else(|| {
                    all.push(channel);
                    all.len() - 1
                });
                places.push(place);
            }
            if places.is_empty() {
                return Err(Error::Parameter {
                    name: "reference",
                    message: "names no channel".into(),
                });
            }
            // A single reference is zero afterwards, and no node.
            if let ([place], true) = (&places[..], places[0] < picked.names.len()) {
                picked.dropped.push((picked.names.remove(*place), Dropped::Reference));
                picked.channels.remove(*place);
                picked.positions.remove(*place);
            }
            Some(places)
        }
    };
    let name = |channel: &usize| {
        let place = picked.channels.iter().position(|other| other == channel);
        place.map_or_else(
            || recording.channels[*channel].label.clone(),
            |place| picked.names[place].clone(),
        )
    };
    let names = all.iter().map(name).collect();
    Ok(Cutting {
        channels: all,
        names,
        references,
    })
}

fn no_reference(recording: &Recording, name: &str) -> DataError {
    let labels: Vec<&String> = recording.channels.iter().map(|channel| &channel.label).collect();
    DataError::new(
        Code::E02,
        format!(
            "`{}` has no channel `{name}` to refer to; its {} channels are {}",
            recording.name,
            labels.len(),
            list_names(&labels)
        ),
        "potentials are measured against it",
        "spell it as in the recording or in the 10-10 system, or use the average reference",
    )
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
            "`{}`: no position is known of {}; `{}` has {}",
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

fn reject(recording: &Recording, epochs: Epochs, limit: f64) -> Result<Epochs, Box<DataError>> {
    let amplitudes: Vec<(f64, usize)> = (0..epochs.n_trials()).map(|trial| epochs.amplitude(trial)).collect();
    if amplitudes.iter().all(|(amplitude, _)| *amplitude <= limit) {
        return Ok(epochs);
    }
    let kept = epochs.retain(|trial| amplitudes[trial].0 <= limit);
    if kept.n_trials() > 0 {
        return Ok(kept);
    }
    let least = amplitudes
        .iter()
        .map(|(amplitude, _)| *amplitude)
        .fold(f64::INFINITY, f64::min);
    let blamed = |channel: usize| amplitudes.iter().filter(|(_, largest)| *largest == channel).count();
    let worst = (0..epochs.names().len())
        .max_by_key(|&channel| blamed(channel))
        .unwrap_or(0);
    let error = DataError::new(
        Code::E05,
        format!(
            "`{}`: all {} trials have amplitudes above {limit} µV; the quietest reaches {least:.1} µV, and `{}` is \
            the largest in {} of them",
            recording.name,
            epochs.n_trials(),
            epochs.names()[worst],
            blamed(worst)
        ),
        "there would be nothing to learn from",
        "allow larger amplitudes, or name channels as bad that are large in most trials",
    )
    .at_node(&epochs.names()[worst]);
    Err(Box::new(error))
}

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
