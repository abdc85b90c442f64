//! `congraph eeg`: recordings in, one certified graph per subject, session, task or run out.
//!
//! ```text
//! steps      what is done to every recording, and how run.json tells it
//! subjects   recordings → one table per view, one recording in memory at a time
//! saved      the views for other commands, and what these find of them
//! ```

mod saved;
mod steps;
mod subjects;

pub(super) use saved::recall;

use std::time::Instant;

use congraph::{Scale, Table, ViewOptions, Views};
use congraph_io::{Folder, RecordingFile, find_recordings, write_rows};
use congraph_record::Resolved;
use congraph_record::record::RecordingCounts;
use serde_json::{Value, json};

use super::input::Read;
use super::learn::Fitting;
use super::places::NodePlaces;
use crate::args::{EegArgs, Global};
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use steps::Steps;
use subjects::Subjects;

/// How views were made from recordings.
pub(super) struct Preparation {
    /// What was done, as run.json tells it.
    pub(super) steps: Value,
    pub(super) recordings: Recordings,
    /// Recordings without trials that were left out: dropped.tsv, if there are any.
    pub(super) dropped: Recordings,
}

/// What is told of each recording: what was kept and dropped of it, or why it was left out.
pub(super) struct Recordings {
    pub(super) columns: &'static [&'static str],
    pub(super) rows: Vec<Vec<String>>,
}

impl Preparation {
    /// What the summary tells: what a view is, and how many recordings there are.
    pub(super) fn summary(&self) -> RecordingCounts {
        let settings = &self.steps["steps"][0]["settings"];
        let names = |key: &str| serde_json::from_value(settings[key].clone()).unwrap_or_default();
        RecordingCounts {
            views_by: names("views_by"),
            session: names("session"),
            task: names("task"),
            acquisition: names("acquisition"),
            run: names("run"),
            n_recordings: self.recordings.rows.len(),
            n_dropped: self.dropped.rows.len(),
        }
    }

    /// Writes recordings.tsv and, if any was left out, dropped.tsv.
    pub(super) fn write(&self, folder: &Folder) -> Result<(), Failure> {
        write_rows(folder, "recordings.tsv", self.recordings.columns, &self.recordings.rows)?;
        if !self.dropped.rows.is_empty() {
            write_rows(folder, "dropped.tsv", self.dropped.columns, &self.dropped.rows)?;
        }
        Ok(())
    }
}

pub(crate) fn run(args: &EegArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    learn_from(args, global, console).map_err(|failure| match failure {
        Failure::Data(errors) if errors.len() > 1 => Failure::Recordings(errors),
        other => other,
    })
}

fn learn_from(args: &EegArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let resolved = args.request()?.resolve()?;
    let steps = Steps::new(args)?;
    let folder = output::place(&args.output.out, args.output.force)?;
    let views_folder = match &args.save_views {
        None => None,
        Some(folder) => Some(output::place(folder, args.output.force)?),
    };
    let files = recording_files(args, &steps, console)?;
    let (read, tables) = read_views(args, &steps, &files, start, console)?;
    let fitting = Fitting {
        kind: "eeg",
        args: &args.fit,
        output: &args.output,
        folder: Some(folder),
        start,
    };
    let fitted = match resolved {
        Resolved::Likelihood(asked) => fitting.fit_likelihood(*asked, &read, console)?,
        Resolved::Smooth(asked) => fitting.fit(*asked, &read, console)?,
        // It is not offered for recordings.
        Resolved::GraphicalLasso(_) => return Err(Failure::usage("--method is not one for recordings", "")),
    };
    if let (Some(folder), Some(tables)) = (views_folder, tables) {
        saved::write(folder, &tables, &read)?;
    }
    fitted.print(global)
}

/// The views that such a call learned from.
pub(super) fn read_again(args: &EegArgs, console: &Console) -> Result<Read, Failure> {
    let steps = Steps::new(args)?;
    let files = recording_files(args, &steps, console)?;
    Ok(read_views(args, &steps, &files, Instant::now(), console)?.0)
}

/// The recordings to use, each with the view that it is part of.
fn recording_files(args: &EegArgs, steps: &Steps, console: &Console) -> Result<Vec<RecordingFile>, Failure> {
    let files = find_recordings(&args.recordings, args.subject_pattern.as_deref(), !args.no_sidecars)?;
    let files = steps.grouping.apply(files)?;
    if args.save_views.is_some() {
        saved::check_names(files.iter().map(|file| file.view.as_str()))?;
    }
    if let Some(joined) = subjects::joined(&files) {
        console.note(&joined);
    }
    Ok(files)
}

/// The views, and the tables they were made of if these are to be saved.
fn read_views(
    args: &EegArgs,
    steps: &Steps,
    files: &[RecordingFile],
    start: Instant,
    console: &Console,
) -> Result<(Read, Option<Vec<Table>>), Failure> {
    let Subjects {
        tables,
        sources,
        positions,
        recordings,
        dropped,
        mut warnings,
    } = {
        let progress = console.progress();
        subjects::prepare(files, steps, args.montage.as_deref(), &progress)?
    };
    // Kept only where they are to be written: the views hold the same numbers.
    let saved = args.save_views.is_some().then(|| tables.clone());
    let options = ViewOptions {
        nodes: args.nodes.into(),
        missing: args.missing.into(),
        allow_counts: true,
        electrodes: true,
        allow_constant: args.scaling.scale.unwrap_or_default() != Scale::Zscore,
        ..ViewOptions::default()
    };
    let (views, more) = Views::assemble(tables, &options)?;
    warnings.extend(more);
    let story = json!({
        "steps": steps.told(args.montage.as_deref()),
        "recordings": recordings.told(),
        "dropped": dropped.told(),
    });
    let read = Read {
        map: None,
        views,
        sources,
        warnings,
        time: start.elapsed(),
        places: Some(NodePlaces {
            at: positions,
            has_csd: args.csd,
        }),
        preparation: Some(Preparation {
            steps: story,
            recordings,
            dropped,
        }),
    };
    Ok((read, saved))
}

impl Recordings {
    /// The same as objects.
    fn told(&self) -> Value {
        let row = |row: &Vec<String>| -> Value {
            let cell = |(column, cell): (&&str, &String)| ((*column).to_owned(), json!(cell));
            Value::Object(self.columns.iter().zip(row).map(cell).collect())
        };
        self.rows.iter().map(row).collect()
    }
}
