//! A recording → filtered epochs.
//!
//! Each thread turns one channel at a time into f64, filters it segment by segment, and cuts it; only what is cut out
//! is kept. So a recording of 16-bit numbers needs its own size, a channel per thread, and the epochs.

use std::ops::Range;

use congraph::{Code, DataError, Error, list_names};
use rayon::prelude::*;

use super::Epochs;
use crate::filters::{Band, ZeroPhase};
use crate::recording::{Annotation, Recording};

/// Where epochs are cut.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// Around events with one of these texts or trigger codes.
    Events(Vec<String>),
    /// One after the other, each this many seconds long.
    Every(f64),
}

/// Epochs, and how many events there were.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuts {
    /// The epochs.
    pub epochs: Epochs,
    /// How many events there were.
    pub n_events: usize,
    /// How many of them were too close to a gap or to an end of the recording.
    pub n_outside: usize,
}

/// A recording of which no trial is left, and where they went.
#[derive(Clone, Debug, PartialEq)]
pub struct Nothing {
    /// Why, as an error.
    pub error: DataError,
    /// How many events there were.
    pub n_events: usize,
    /// How many of them were too close to a gap or to an end of the recording.
    pub n_outside: usize,
    /// How many were rejected by their amplitude.
    pub n_rejected: usize,
}

/// Why there are no epochs.
pub(crate) enum Stop {
    /// Something is wrong with the recording or with what is asked of it.
    Wrong(Error),
    /// No trial is left.
    Nothing(Box<Nothing>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Wrong(error)
    }
}

impl From<DataError> for Stop {
    fn from(error: DataError) -> Self {
        Self::Wrong(error.into())
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Wrong(error) => error,
            Stop::Nothing(nothing) => nothing.error.into(),
        }
    }
}

/// Filters some channels of a recording, in microvolts, and cuts them around events (or end to end), `span` seconds
/// before and after.
///
/// # Errors
/// E07 if the events are not there, the channels have different sampling rates, or the band is above half of it; E05 if
/// no epoch lies within the recording.
pub fn cut(
    recording: &Recording,
    channels: &[usize],
    names: &[String],
    band: Option<Band>,
    events: &[Annotation],
    cut: &Cut,
    span: [f64; 2],
) -> Result<Cuts, Error> {
    try_cut(recording, channels, names, band, events, cut, span).map_err(Error::from)
}

/// The same, where it matters whether something is wrong or just nothing left.
pub(crate) fn try_cut(
    recording: &Recording,
    channels: &[usize],
    names: &[String],
    band: Option<Band>,
    events: &[Annotation],
    cut: &Cut,
    span: [f64; 2],
) -> Result<Cuts, Stop> {
    let per_record = common_rate(recording, channels)?;
    let sampling_hz = per_record as f64 / recording.record_seconds;
    let filter = filter(recording, band, sampling_hz)?;
    let (from, to) = (samples(span[0], sampling_hz)?, samples(span[1], sampling_hz)?);
    let n_times = usize::try_from(to - from)
        .ok()
        .filter(|&n| n > 0)
        .ok_or_else(|| Error::Parameter {
            name: "window",
            message: format!("{}:{} s holds no sample at {sampling_hz} Hz", span[0], span[1]),
        })?;
    let usable = usable_stretches(recording, per_record, filter.as_ref());
    let (starts, n_events) = match cut {
        Cut::Events(wanted) => around(recording, events, wanted, per_record, from)?,
        Cut::Every(_) => {
            let all = end_to_end(&usable, n_times, sampling_hz);
            let n = all.len();
            (all, n)
        }
    };
    let is_inside = |(segment, start, _): &Start| {
        let samples = &usable[*segment];
        *start >= samples.start as isize && *start + n_times as isize <= samples.end as isize
    };
    let inside: Vec<Start> = starts.into_iter().filter(is_inside).collect();
    if inside.is_empty() {
        return Err(Stop::Nothing(Box::new(Nothing {
            error: nothing_inside(recording, n_events, span, events),
            n_events,
            n_outside: n_events,
            n_rejected: 0,
        })));
    }
    let n_outside = n_events - inside.len();
    let values = cut_channels(recording, channels, filter.as_ref(), &inside, n_times, per_record)?;
    // Numbered, because an event's text names many trials.
    let trials = inside
        .into_iter()
        .enumerate()
        .map(|(k, (_, _, label))| format!("{}:{label}", k + 1))
        .collect();
    Ok(Cuts {
        n_events,
        n_outside,
        epochs: Epochs::new(names.to_vec(), sampling_hz, -from, n_times, trials, values),
    })
}

/// Segment, first sample and label of an epoch.
type Start = (usize, isize, String);

/// The samples of each segment that epochs may be cut from: all, or none where it is too short to be filtered.
fn usable_stretches(recording: &Recording, per_record: usize, filter: Option<&ZeroPhase>) -> Vec<Range<usize>> {
    let needed = filter.map_or(0, ZeroPhase::padding);
    let usable = |segment| {
        let whole = recording.samples_of(segment, per_record);
        if whole.len() > needed {
            whole
        } else {
            whole.start..whole.start
        }
    };
    recording.segments.iter().map(usable).collect()
}

/// Where epochs that follow one another start; what is left at the end of a segment is too short for one.
fn end_to_end(usable: &[Range<usize>], n_times: usize, sampling_hz: f64) -> Vec<Start> {
    let mut starts = Vec::new();
    for (segment, samples) in usable.iter().enumerate() {
        let fits = |sample: &usize| sample + n_times <= samples.end;
        let label = |sample: usize| (segment, sample as isize, format!("{:.3}s", sample as f64 / sampling_hz));
        starts.extend(samples.clone().step_by(n_times).filter(fits).map(label));
    }
    starts
}

/// The epochs of all channels: trial after trial, channel after channel.
fn cut_channels(
    recording: &Recording,
    channels: &[usize],
    filter: Option<&ZeroPhase>,
    starts: &[Start],
    n_times: usize,
    per_record: usize,
) -> Result<Vec<f64>, Error> {
    let mut values = vec![0.0; starts.len() * channels.len() * n_times];
    // A few channels at a time: all of them at once would take as much again as the epochs do.
    let at_once = rayon::current_num_threads().max(1);
    for (batch, some) in channels.chunks(at_once).enumerate() {
        let rows: Vec<Result<Vec<f64>, Error>> = some
            .par_iter()
            .map(|&channel| one_channel(recording, channel, filter, starts, n_times, per_record))
            .collect();
        for (k, row) in rows.into_iter().enumerate() {
            let row = row?;
            let place = batch * at_once + k;
            for (trial, piece) in row.chunks_exact(n_times).enumerate() {
                values[(trial * channels.len() + place) * n_times..][..n_times].copy_from_slice(piece);
            }
        }
    }
    Ok(values)
}

/// A time in whole samples.
fn samples(seconds: f64, sampling_hz: f64) -> Result<isize, Error> {
    let place = (seconds * sampling_hz).round_ties_even();
    if place.abs() < 1e12 {
        return Ok(place as isize);
    }
    Err(Error::Parameter {
        name: "window",
        message: format!("must be in seconds around the event, not {seconds}"),
    })
}

/// Where the epochs around the wanted events start, and how many such events there are.
fn around(
    recording: &Recording,
    events: &[Annotation],
    wanted: &[String],
    per_record: usize,
    from: isize,
) -> Result<(Vec<Start>, usize), Stop> {
    let chosen: Vec<&Annotation> = events.iter().filter(|event| wanted.contains(&event.text)).collect();
    let absent: Vec<&String> = wanted
        .iter()
        .filter(|text| !events.iter().any(|event| event.text == **text))
        .collect();
    if chosen.is_empty() || !absent.is_empty() {
        let error = DataError::new(
            Code::E07,
            format!(
                "`{}` has no event {}; its events are {}",
                recording.name,
                list_names(&absent),
                list_names(&counted(events))
            ),
            "trials are cut around events",
            "name events as they are in the recording: the text of an annotation, or the code of a trigger",
        );
        // Without any of the events there is no trial; with some of them, a name is likely to be misspelt.
        return Err(if chosen.is_empty() {
            Stop::Nothing(Box::new(Nothing {
                error,
                n_events: 0,
                n_outside: 0,
                n_rejected: 0,
            }))
        } else {
            error.into()
        });
    }
    let start = |event: &&Annotation| {
        let (segment, sample) = recording.sample_at(event.onset, per_record)?;
        Some((segment, sample as isize + from, event.text.clone()))
    };
    Ok((chosen.iter().filter_map(start).collect(), chosen.len()))
}

/// The texts of events in order of their first, each with how often it occurs.
fn counted(events: &[Annotation]) -> Vec<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for event in events {
        match counts.iter_mut().find(|(text, _)| *text == event.text) {
            Some((_, n)) => *n += 1,
            None => counts.push((&event.text, 1)),
        }
    }
    counts.iter().map(|(text, n)| format!("{text} ({n}×)")).collect()
}

/// The filter at the recording's sampling rate.
fn filter(recording: &Recording, band: Option<Band>, sampling_hz: f64) -> Result<Option<ZeroPhase>, Error> {
    let Some(band) = band else { return Ok(None) };
    if band.high_hz >= sampling_hz / 2.0 {
        return Err(DataError::new(
            Code::E07,
            format!(
                "`{}` was sampled at {sampling_hz} Hz, and the band {}:{} Hz reaches above half of that",
                recording.name, band.low_hz, band.high_hz
            ),
            "nothing is recorded above half of the sampling rate",
            format!("choose a band that ends below {} Hz", sampling_hz / 2.0),
        )
        .into());
    }
    ZeroPhase::new(band, sampling_hz).map(Some)
}

/// Samples per record of all channels, which must be the same.
fn common_rate(recording: &Recording, channels: &[usize]) -> Result<usize, Error> {
    let rate = |&channel: &usize| recording.channels[channel].samples_per_record;
    let most = channels.iter().map(rate).max().unwrap_or(1);
    let others: Vec<String> = channels
        .iter()
        .filter(|channel| rate(channel) != most)
        .map(|&channel| {
            format!(
                "{} ({} Hz)",
                recording.channels[channel].label, recording.channels[channel].sampling_hz
            )
        })
        .collect();
    if others.is_empty() {
        return Ok(most);
    }
    Err(DataError::new(
        Code::E07,
        format!(
            "`{}`: {} have a sampling rate that differs from the others' ({} Hz)",
            recording.name,
            list_names(&others),
            most as f64 / recording.record_seconds
        ),
        "a sample is one value per node, all of the same moment",
        "leave these channels out as bad, or ask for the channels you want",
    )
    .into())
}

/// One channel's epochs, one after the other, in microvolts if its unit is one of voltage.
fn one_channel(
    recording: &Recording,
    channel: usize,
    filter: Option<&ZeroPhase>,
    starts: &[Start],
    n_times: usize,
    per_record: usize,
) -> Result<Vec<f64>, Error> {
    let channel = &recording.channels[channel];
    let unit = channel.microvolts_per_unit().unwrap_or(1.0);
    let mut cut = Vec::with_capacity(starts.len() * n_times);
    for (place, segment) in recording.segments.iter().enumerate() {
        let mut here = starts.iter().filter(|(segment, _, _)| *segment == place).peekable();
        if here.peek().is_none() {
            continue;
        }
        // A segment is filtered as a whole: the filter must not run across a gap, nor start anew at every epoch.
        let samples = recording.samples_of(segment, per_record);
        let mut values = channel.values(samples.clone());
        values.iter_mut().for_each(|x| *x *= unit);
        if let Some(filter) = filter {
            filter.apply(&mut values)?;
        }
        for (_, start, _) in here {
            cut.extend_from_slice(&values[*start as usize - samples.start..][..n_times]);
        }
    }
    Ok(cut)
}

fn nothing_inside(recording: &Recording, n_events: usize, span: [f64; 2], events: &[Annotation]) -> DataError {
    let times = match (events.first(), events.last()) {
        (Some(first), Some(last)) => format!("; its events are from {} to {} s", first.onset, last.onset),
        _ => String::new(),
    };
    DataError::new(
        Code::E05,
        format!(
            "`{}` lasts {} s in {} stretches, and none of {n_events} epochs of {}:{} s lies within one{times}",
            recording.name,
            recording.seconds(),
            recording.segments.len(),
            span[0],
            span[1]
        ),
        "there would be nothing to learn from",
        "choose a shorter window or baseline, or other events",
    )
}
