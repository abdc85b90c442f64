//! Recordings → one table per view: a subject, or what it is split into. One recording is in memory at a time; of the
//! others only the epochs that were cut out.

use std::path::Path;

use congraph::options::Spelling;
use congraph::{Code, DataError, Error, Table, Warning, list_names};
use congraph_eeg::{Dropped, Epochs, Montage, Nothing, Position, Prepared, Recording, attempt, events};
use congraph_io::{Entity, RecordingFile, read_channels, read_events, read_montage, read_recording};
use congraph_record::CommandLine;

use super::Recordings;
use super::steps::Steps;
use crate::commands::input::Source;
use crate::console::Reporter;
use crate::failure::Failure;

/// What recordings.tsv tells.
pub(super) const COLUMNS: [&str; 22] = [
    "view",
    "subject",
    "session",
    "task",
    "acquisition",
    "run",
    "file",
    "sampling_hz",
    "seconds",
    "n_channels",
    "n_electrodes",
    "n_events",
    "n_outside",
    "n_rejected",
    "n_trials",
    "n_used",
    "n_samples",
    "bad",
    "left_out",
    "events_from",
    "positions_from",
    "sha256",
];

/// What dropped.tsv tells.
pub(super) const DROPPED: [&str; 11] = [
    "view",
    "subject",
    "session",
    "task",
    "acquisition",
    "run",
    "file",
    "n_events",
    "n_outside",
    "n_rejected",
    "reason",
];

pub(super) struct Subjects {
    pub(super) tables: Vec<Table>,
    pub(super) sources: Vec<Source>,
    pub(super) positions: Vec<(String, Position)>,
    pub(super) recordings: Recordings,
    pub(super) dropped: Recordings,
    pub(super) warnings: Vec<Warning>,
}

/// What is known of one recording after it is gone from memory.
struct Kept {
    file: String,
    sha256: String,
    sampling_hz: f64,
    seconds: f64,
    n_channels: usize,
    events_from: String,
    positions_from: String,
    prepared: Prepared,
}

/// All views of all recordings. What is wrong with several recordings is told of all of them.
pub(super) fn prepare(
    files: &[RecordingFile],
    steps: &Steps,
    montage: Option<&Path>,
    progress: &Reporter,
) -> Result<Subjects, Failure> {
    let montage = montage.map(read_montage).transpose()?;
    let names = distinct(files.iter().map(|file| file.view.as_str()));
    let subjects = distinct(files.iter().map(|file| file.subject.as_str()));
    refuse_strangers(steps, &subjects, &names)?;
    let mut found = Subjects::none();
    let mut places = Places::default();
    let (mut errors, mut empty) = (Vec::new(), Vec::new());
    let mut done = 0;
    for name in names {
        let own: Vec<&RecordingFile> = files.iter().filter(|file| file.view == name).collect();
        let outcome = view(
            &own,
            steps,
            montage.as_ref(),
            &mut found,
            &mut places,
            &mut empty,
            &mut || {
                done += 1;
                progress.say(format!("recording {done} of {}", files.len()));
            },
        );
        match outcome {
            Ok(()) => {}
            Err(Error::Data(more)) => errors.extend(more),
            Err(other) => return Err(other.into()),
        }
    }
    if !steps.drop_empty || found.tables.is_empty() {
        errors.extend(
            empty
                .iter()
                .map(|empty| refused(empty, steps, !found.tables.is_empty())),
        );
    }
    if !errors.is_empty() {
        return Err(Failure::Data(errors));
    }
    found.leave_out(&empty, files.len());
    found.positions = places.means();
    Ok(found)
}

/// Refuses bad channels of subjects that there are not.
fn refuse_strangers(steps: &Steps, subjects: &[&str], views: &[&str]) -> Result<(), Failure> {
    let strangers = steps.strangers(&distinct(subjects.iter().chain(views).copied()));
    if strangers.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(
        format!(
            "--bad names channels of {}, of whom there is no recording",
            list_names(&strangers)
        ),
        format!("the subjects are {}", list_names(subjects)),
    ))
}

/// A recording of which no trial is left.
struct Empty<'f> {
    file: &'f RecordingFile,
    nothing: Nothing,
}

/// The error of a recording without trials. Where others have some, it can be left out.
fn refused(empty: &Empty<'_>, steps: &Steps, has_others: bool) -> DataError {
    let mut error = empty.nothing.error.clone().in_view(&empty.file.view);
    if has_others && !steps.drop_empty {
        error.hint += "; or leave such recordings out with `--drop-empty`";
    }
    error
}

impl Subjects {
    /// Before any recording is read.
    fn none() -> Self {
        Self {
            tables: Vec::new(),
            sources: Vec::new(),
            positions: Vec::new(),
            recordings: Recordings {
                columns: &COLUMNS,
                rows: Vec::new(),
            },
            dropped: Recordings {
                columns: &DROPPED,
                rows: Vec::new(),
            },
            warnings: Vec::new(),
        }
    }

    /// Adds the view that these recordings were joined into, with what is told of each.
    fn add(&mut self, name: &str, kept: &[(&RecordingFile, Kept, usize)], epochs: Epochs, steps: &Steps) {
        let mut left = epochs.n_trials();
        for (file, one, n_trials) in kept {
            let used = left.min(*n_trials);
            left -= used;
            self.recordings
                .rows
                .push(row(file, one, *n_trials, used, epochs.n_times()));
            self.sources.push(Source {
                view: name.to_owned(),
                file: one.file.clone(),
                sha256: one.sha256.clone(),
            });
        }
        let (n_trials, seconds) = (epochs.n_trials(), epochs.n_times() as f64 / epochs.sampling_hz());
        let recorded = kept.iter().map(|(_, one, _)| one.seconds).sum();
        self.warnings
            .extend((n_trials == 1).then(|| single_trial(name, seconds, recorded, steps)));
        let mut table = epochs.into_table(name);
        let independent = steps.independent(n_trials as f64 * seconds);
        table.n_effective = independent.map(|n| n.min(table.n_rows as f64));
        self.tables.push(table);
    }

    /// Tells which recordings are left out, and which views go with them.
    fn leave_out(&mut self, empty: &[Empty<'_>], n_recordings: usize) {
        if empty.is_empty() {
            return;
        }
        for Empty { file, nothing } in empty {
            let mut row = identity(file).to_vec();
            let counts = [nothing.n_events, nothing.n_outside, nothing.n_rejected];
            row.extend(counts.map(|n| n.to_string()));
            row.push(nothing.error.what.clone());
            self.dropped.rows.push(row);
        }
        let files: Vec<String> = empty
            .iter()
            .map(|empty| empty.file.path.display().to_string())
            .collect();
        let is_gone = |view: &&str| !self.tables.iter().any(|table| table.name == **view);
        let gone: Vec<&str> = distinct(empty.iter().map(|empty| empty.file.view.as_str()));
        let gone: Vec<&str> = gone.into_iter().filter(is_gone).collect();
        let views = match gone.len() {
            0 => String::new(),
            1 => format!("; view {} has no other and is left out too", list_names(&gone)),
            _ => format!("; views {} have no others and are left out too", list_names(&gone)),
        };
        let message = format!(
            "{} of {n_recordings} recordings {} no trials left and {} left out ({}){views}. dropped.tsv tells why",
            files.len(),
            if files.len() == 1 { "has" } else { "have" },
            if files.len() == 1 { "was" } else { "were" },
            list_names(&files)
        );
        self.warnings.push(Warning::new("W05", message));
    }
}

/// Names in the order in which they first occur.
fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

/// What is joined into views, if anything is: a note.
pub(super) fn joined(files: &[RecordingFile]) -> Option<String> {
    let counts: Vec<usize> = distinct(files.iter().map(|file| file.view.as_str()))
        .iter()
        .map(|view| files.iter().filter(|file| file.view == *view).count())
        .filter(|&n| n > 1)
        .collect();
    let (fewest, most) = (counts.iter().min()?, counts.iter().max()?);
    let each = if fewest == most {
        fewest.to_string()
    } else {
        format!("{fewest} to {most}")
    };
    let plural = counts.len() > 1;
    Some(format!(
        "note: {} view{} join{} {each} recordings{}; recordings.tsv tells which",
        counts.len(),
        if plural { "s" } else { "" },
        if plural { "" } else { "s" },
        if plural { " each" } else { "" },
    ))
}

/// All recordings of one view, joined into one table.
fn view<'f>(
    files: &[&'f RecordingFile],
    steps: &Steps,
    montage: Option<&Montage>,
    found: &mut Subjects,
    places: &mut Places,
    empty: &mut Vec<Empty<'f>>,
    begin: &mut dyn FnMut(),
) -> Result<(), Error> {
    let name = files[0].view.as_str();
    let (bads, others) = left_out(files, steps)?;
    let mut joined: Option<Epochs> = None;
    let mut kept: Vec<(&RecordingFile, Kept, usize)> = Vec::new();
    for &file in files {
        begin();
        let mut one = match one(file, steps, montage, &bads, &others, &mut found.warnings)? {
            Ok(one) => one,
            Err(nothing) => {
                empty.push(Empty { file, nothing });
                continue;
            }
        };
        places.add(one.prepared.epochs.names(), &one.prepared.positions);
        let none = one.prepared.epochs.retain(|_| false);
        let epochs = std::mem::replace(&mut one.prepared.epochs, none);
        let n_trials = epochs.n_trials();
        match &mut joined {
            None => joined = Some(epochs),
            Some(joined) => joined.append(&epochs).map_err(|error| of(name, &one.file, error))?,
        }
        kept.push((file, one, n_trials));
    }
    let Some(mut epochs) = joined else { return Ok(()) };
    if let Some(first) = steps.first {
        epochs = epochs.first(first).map_err(|error| of(name, &kept[0].1.file, error))?;
    }
    found.add(name, &kept, epochs, steps);
    Ok(())
}

/// The channels of a view that are bad, and those that are no EEG. What is bad in one recording of a view is left out
/// of all: a view has one set of nodes.
fn left_out(files: &[&RecordingFile], steps: &Steps) -> Result<(Vec<String>, Vec<String>), Error> {
    let (mut bads, mut others) = (steps.bads_of(&files[0].subject, &files[0].view), Vec::new());
    for file in files {
        if let Some(path) = &file.channels {
            let notes = read_channels(path)?;
            bads.extend(notes.bad);
            others.extend(notes.other);
        }
    }
    let mut seen = std::collections::HashSet::new();
    bads.retain(|bad| seen.insert(bad.clone()));
    Ok((bads, others))
}

fn one(
    file: &RecordingFile,
    steps: &Steps,
    montage: Option<&Montage>,
    bads: &[String],
    others: &[String],
    warnings: &mut Vec<Warning>,
) -> Result<Result<Kept, Nothing>, Error> {
    let loaded = read_recording(&file.path)?;
    let recording = &loaded.recording;
    warnings.extend(loaded.warnings);
    let own;
    let montage = match (montage, &file.electrodes) {
        (Some(montage), _) => montage,
        (None, Some(path)) => {
            own = read_montage(path)?;
            &own
        }
        (None, None) => {
            own = Montage::default();
            &own
        }
    };
    let (events, events_from) = match (&file.events, steps.is_around_events()) {
        (_, false) => (Vec::new(), String::new()),
        (Some(path), true) => (
            read_events(path, steps.events_column.as_deref())?,
            path.display().to_string(),
        ),
        (None, true) => (events(recording), "recording".into()),
    };
    // Of channels that are no EEG only those are news that an electrode's name would hide.
    let other_electrodes = others.iter().filter(|name| is_there(recording, name)).cloned();
    let bads = bads.iter().cloned().chain(other_electrodes).collect();
    if let Some(error) = steps.no_events(&recording.name, &events) {
        return Ok(Err(Nothing {
            error,
            n_events: 0,
            n_outside: 0,
            n_rejected: 0,
        }));
    }
    let settings = steps.settings(&recording.name, bads, &events)?;
    let attempted = attempt(recording, montage, Some(&events), &settings);
    let prepared = match attempted.map_err(|error| in_file(recording, error))? {
        Ok(prepared) => prepared,
        Err(nothing) => return Ok(Err(nothing)),
    };
    warnings.extend(prepared.warnings.iter().cloned());
    Ok(Ok(Kept {
        file: file.path.display().to_string(),
        sha256: loaded.sha256,
        sampling_hz: prepared.epochs.sampling_hz(),
        seconds: recording.seconds(),
        n_channels: recording.channels.len(),
        events_from,
        positions_from: montage.name.clone(),
        prepared,
    }))
}

fn is_there(recording: &Recording, name: &str) -> bool {
    let same = |label: &str| label.trim().eq_ignore_ascii_case(name.trim());
    recording.channels.iter().any(|channel| same(&channel.label))
}

/// A view that rests on one trial.
fn single_trial(view: &str, seconds: f64, recorded: f64, steps: &Steps) -> Warning {
    let all = if steps.is_around_events() && recorded > 2.0 * seconds {
        ". Without events, `--every SECONDS` learns from all of a recording"
    } else {
        ""
    };
    let message = format!(
        "rests on a single trial of {seconds} s, of {recorded} s recorded: what is chance in it looks like a \
         connection, and there is no other to compare with{all}"
    );
    Warning::new("W05", message).in_view(view)
}

/// A setting that this recording cannot be prepared with.
fn in_file(recording: &Recording, error: Error) -> Error {
    match error {
        Error::Parameter { name, message } => DataError::new(
            Code::E07,
            format!("`{}`: {} {message}", recording.name, CommandLine.name(name)),
            "the same is done to every recording",
            "choose another value, or leave the recording out",
        )
        .into(),
        other => other,
    }
}

/// An error about the trials of a view.
fn of(view: &str, file: &str, error: Error) -> Error {
    match error {
        Error::Data(errors) => Error::Data(
            errors
                .into_iter()
                .map(|mut error| {
                    error.what = format!("view `{view}` (`{file}`): {}", error.what);
                    error.in_view(view)
                })
                .collect(),
        ),
        other => other,
    }
}

fn row(file: &RecordingFile, one: &Kept, n_trials: usize, n_used: usize, n_times: usize) -> Vec<String> {
    let prepared = &one.prepared;
    let dropped = |is_bad: bool| -> String {
        let names = prepared
            .dropped_channels
            .iter()
            .filter(|(_, reason)| (*reason == Dropped::Bad) == is_bad);
        names.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",")
    };
    let mut row = identity(file).to_vec();
    row.extend([
        one.sampling_hz.to_string(),
        one.seconds.to_string(),
        one.n_channels.to_string(),
        prepared.epochs.names().len().to_string(),
        prepared.n_events.to_string(),
        prepared.n_outside.to_string(),
        prepared.n_rejected.to_string(),
        n_trials.to_string(),
        n_used.to_string(),
        (n_used * n_times).to_string(),
        dropped(true),
        dropped(false),
        one.events_from.clone(),
        one.positions_from.clone(),
        one.sha256.clone(),
    ]);
    row
}

/// What a file and its name tell: the first columns of recordings.tsv and dropped.tsv.
fn identity(file: &RecordingFile) -> [String; 7] {
    let entity = |entity| file.entities.get(entity).unwrap_or_default().to_owned();
    let [session, task, acquisition, run] = Entity::ALL.map(entity);
    let path = file.path.display().to_string();
    [
        file.view.clone(),
        file.subject.clone(),
        session,
        task,
        acquisition,
        run,
        path,
    ]
}

/// Where each electrode is, added up over the recordings.
#[derive(Default)]
struct Places {
    sums: Vec<(String, Position, usize)>,
}

impl Places {
    fn add(&mut self, names: &[String], positions: &[Option<Position>]) {
        for (name, at) in names.iter().zip(positions) {
            let Some(at) = at else { continue };
            match self.sums.iter_mut().find(|(known, _, _)| known == name) {
                Some((_, sum, n)) => {
                    *n += 1;
                    sum.iter_mut().zip(at).for_each(|(sum, x)| *sum += x);
                }
                None => self.sums.push((name.clone(), *at, 1)),
            }
        }
    }

    fn means(self) -> Vec<(String, Position)> {
        let mean = |(name, sum, n): (String, Position, usize)| (name, sum.map(|x| x / n as f64));
        self.sums.into_iter().map(mean).collect()
    }
}
