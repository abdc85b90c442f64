//! `congraph eeg`: recordings in, one certified graph per subject out.
//!
//! ```text
//! steps      what is done to every recording, and how run.json tells it
//! subjects   recordings → one table per subject, one recording in memory at a time
//! saved      the views for other commands
//! ```

mod saved;
mod steps;
mod subjects;

use std::time::Instant;

use congraph::distances::Scale;
use congraph::eeg::Position;
use congraph::findings::{Geometry, Positions};
use congraph::{MultiviewGraph, ViewOptions, Views, Warning};
use congraph_io::find_recordings;
use serde_json::{Value, json};

use super::input::Read;
use super::learn::{self, Fitting};
use crate::args::{EegArgs, Global};
use crate::console::Console;
use crate::failure::Failure;
use steps::Steps;
use subjects::Subjects;

/// How views were made from recordings.
pub(super) struct Preparation {
    /// Where the electrodes are: the mean over the subjects, where they differ.
    positions: Vec<(String, Position)>,
    /// Whether what spreads through the head was taken out.
    has_csd: bool,
    /// What was done, as run.json tells it.
    pub(super) steps: Value,
    pub(super) recordings: Recordings,
}

/// What was kept and dropped of each recording: recordings.tsv.
pub(super) struct Recordings {
    pub(super) columns: &'static [&'static str],
    pub(super) rows: Vec<Vec<String>>,
}

impl Preparation {
    /// The positions of nodes, as far as they are known.
    pub(super) fn places(&self, nodes: &[String]) -> Vec<Option<Position>> {
        let place = |node: &String| self.positions.iter().find(|(name, _)| name == node).map(|(_, at)| *at);
        nodes.iter().map(place).collect()
    }

    /// W09, if edges follow distance, with what can be done about it or what it means after all.
    pub(super) fn nearness(&self, graph: &MultiviewGraph) -> Option<Warning> {
        let places: Option<Vec<Position>> = self.places(graph.nodes()).into_iter().collect();
        let found = Geometry::of(graph, &Positions::in_space(places?))?;
        let meaning = if self.has_csd {
            "Current source density takes out most of what spreads through the head: this may be local connection, or the reach of its own filter, and \
             lengths cannot tell which"
        } else {
            "Potentials that spread through the head (volume conduction) look the same; `--csd` takes out most of that"
        };
        Some(Warning::new("W09", format!("{}. {meaning}", found.told(graph)?)))
    }
}

pub(crate) fn run(args: &EegArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let learner = learn::learner(&args.fit, args.scaling.scaling())?;
    let steps = Steps::new(args)?;
    let folder = super::place(&args.output.out, args.output.force)?;
    let views_folder = match &args.save_views {
        None => None,
        Some(folder) => Some(super::place(folder, args.output.force)?),
    };
    let files = find_recordings(&args.recordings, args.subject_pattern.as_deref(), !args.no_sidecars)?;
    if args.save_views.is_some() {
        saved::check_names(files.iter().map(|file| file.subject.as_str()))?;
    }
    let Subjects {
        tables,
        sources,
        positions,
        recordings,
        mut warnings,
    } = {
        let progress = console.progress();
        subjects::prepare(&files, &steps, args.montage.as_deref(), &progress)?
    };
    // Kept only where they are to be written: the views hold the same numbers.
    let saved = views_folder.map(|folder| (folder, tables.clone()));
    let options = ViewOptions {
        nodes: args.nodes.into(),
        missing: args.missing.into(),
        allow_counts: true,
        allow_constant: args.scaling.scaling().scale != Scale::Zscore,
        ..ViewOptions::default()
    };
    let (views, more) = Views::assemble(tables, &options)?;
    warnings.extend(more);
    let story = json!({"steps": steps.told(args.montage.as_deref()), "recordings": recordings.told()});
    let read = Read {
        views,
        sources,
        warnings,
        time: start.elapsed(),
        preparation: Some(Preparation {
            positions,
            has_csd: args.csd,
            steps: story,
            recordings,
        }),
    };
    let fitting = Fitting {
        kind: "eeg",
        learner,
        args: &args.fit,
        output: &args.output,
        folder,
        start,
    };
    let fitted = fitting.fit(&read, console)?;
    if let Some((folder, tables)) = saved {
        saved::write(folder, &tables, &read)?;
    }
    fitted.print(global)
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
