//! The words of `congraph eeg`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use congraph_io::Entity;
use congraph_record::choices::Method;
use congraph_record::{FitRequest, RequestError};

use super::choices::choice_of;
use super::{FitArgs, MissingArg, NodesArg, OutputArgs, ScalingArgs};

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
The steps, in this order; only those that are asked for are done:
  names and positions, channels left out, reference, CSD, band-pass, epochs, baseline, rejection, window, first trials

Adds to what `learn` writes: the columns x, y and z of nodes.tsv (metres; right, front, up), recordings.tsv \
(what was kept and dropped of
each recording) and the steps in run.json.

Examples:
  congraph eeg sub-*.bdf --events 11,12 --band 4:7 --window 0:0.1 --csd -o out
  congraph eeg bids-folder --task flanker --views-by session --events correct,error --band 8:13 \
--baseline -0.2:0 --window 0:0.5 --reject 150 -o out
  congraph eeg S*.edf --subject-pattern '{subject}R*' --events T1,T2 --window 0:0.5 --first 34 \
--density 0.15 --similarity 0.75 -o out
  congraph eeg rest-*.edf --band 8:13 --every 2 --reference average --save-views views -o out";

#[derive(Args, Debug)]
pub(crate) struct EegArgs {
    /// Recordings (.edf .bdf), a quoted glob, or a BIDS folder. NAME=FILE names the subject; runs of one subject are
    /// joined
    #[arg(required = true, value_name = "RECORDING")]
    pub(crate) recordings: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Also write what is learned from, one .csv per subject, for `learn`, `tune` and the others with `--block-column
    /// trial`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) save_views: Option<PathBuf>,
    /// Which part of a file's name is the subject, such as '{subject}R*' for S001R03.edf [default: sub-…, else the
    /// whole name]
    #[arg(long, value_name = "PATTERN", help_heading = "Recordings")]
    pub(crate) subject_pattern: Option<String>,
    /// The tasks to use (task-… in the names of files) [default: all; a view never joins several]
    #[arg(long, value_name = "TASKS", value_delimiter = ',', help_heading = "Recordings")]
    pub(crate) task: Vec<String>,
    /// The sessions to use (ses-…) [default: all; a view never joins several]
    #[arg(long, value_name = "SESSIONS", value_delimiter = ',', help_heading = "Recordings")]
    pub(crate) session: Vec<String>,
    /// The acquisitions to use (acq-…) [default: all; a view never joins several]
    #[arg(
        long,
        value_name = "ACQUISITIONS",
        value_delimiter = ',',
        help_heading = "Recordings"
    )]
    pub(crate) acquisition: Vec<String>,
    /// The runs to use (run-…) [default: all]
    #[arg(long, value_name = "RUNS", value_delimiter = ',', help_heading = "Recordings")]
    pub(crate) run: Vec<String>,
    /// What a view is: a subject, or each of its sessions, tasks, acquisitions or runs; separate several by
    /// commas
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        value_delimiter = ',',
        default_value = "subject",
        help_heading = "Recordings"
    )]
    pub(crate) views_by: Vec<ViewsByArg>,
    /// Ignore _events.tsv, _channels.tsv and _electrodes.tsv beside recordings
    #[arg(long, help_heading = "Recordings")]
    pub(crate) no_sidecars: bool,
    /// Where the electrodes are: .hpts, .sfp, .elc, .tsv or .csv [default: _electrodes.tsv, else the 10-10 system]
    #[arg(long, value_name = "FILE", help_heading = "Channels")]
    pub(crate) montage: Option<PathBuf>,
    /// The channels to keep [default: those that are electrodes]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Channels")]
    pub(crate) channels: Vec<String>,
    /// Channels to leave out, for everyone (T7) or for one subject (sub-01:T7); those that _channels.tsv calls bad are
    /// left out too
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Channels")]
    pub(crate) bad: Vec<String>,
    /// Which electrodes to keep when subjects have different ones
    #[arg(long, value_enum, default_value_t = NodesArg::Same, help_heading = "Channels")]
    pub(crate) nodes: NodesArg,
    /// What to do with electrodes that a subject lacks, or that are bad in it: mask lets the subject
    /// take part with its other electrodes
    #[arg(long, value_enum, default_value_t = MissingArg::Error, help_heading = "Channels")]
    pub(crate) missing: MissingArg,
    /// What potentials are measured against: recorded, average, or the mean of these channels
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "recorded",
        help_heading = "Signals"
    )]
    pub(crate) reference: Vec<String>,
    /// Current source density: the surface Laplacian by spherical splines
    #[arg(long, help_heading = "Signals")]
    pub(crate) csd: bool,
    /// How much the splines of --csd are smoothed
    #[arg(
        long,
        value_name = "LAMBDA",
        default_value_t = 1e-5,
        requires = "csd",
        help_heading = "Signals"
    )]
    pub(crate) csd_lambda: f64,
    /// How stiff the splines of --csd are
    #[arg(
        long,
        value_name = "M",
        default_value_t = 4,
        requires = "csd",
        help_heading = "Signals"
    )]
    pub(crate) csd_stiffness: i32,
    /// Keep this band, by a zero-phase Butterworth filter over the whole recording
    #[arg(long, value_name = "LO:HI", value_parser = stretch, allow_hyphen_values = true, help_heading = "Signals")]
    pub(crate) band: Option<[f64; 2]>,
    /// The order of that filter in one direction
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4,
        requires = "band",
        help_heading = "Signals"
    )]
    pub(crate) filter_order: usize,
    /// The events to cut around: annotation texts or trigger codes, or `all`
    #[arg(long, value_name = "EVENTS", value_delimiter = ',', help_heading = "Epochs")]
    pub(crate) events: Vec<String>,
    /// The column of _events.tsv that names them [default: trial_type, else value]
    #[arg(long, value_name = "COLUMN", help_heading = "Epochs")]
    pub(crate) events_column: Option<String>,
    /// Without events: cut the recording end to end into epochs of this many seconds [default: 1]
    #[arg(
        long,
        value_name = "SECONDS",
        conflicts_with_all = ["events", "window", "epoch", "baseline"],
        help_heading = "Epochs"
    )]
    pub(crate) every: Option<f64>,
    /// The seconds around the event to learn from
    #[arg(long, value_name = "FROM:TO", value_parser = stretch, allow_hyphen_values = true, help_heading = "Epochs")]
    pub(crate) window: Option<[f64; 2]>,
    /// The seconds around the event in which amplitudes are judged [default: what window and baseline span]
    #[arg(
        long,
        value_name = "FROM:TO",
        value_parser = stretch,
        allow_hyphen_values = true,
        requires = "window",
        help_heading = "Epochs"
    )]
    pub(crate) epoch: Option<[f64; 2]>,
    /// The seconds around the event whose mean is taken out of each trial
    #[arg(
        long,
        value_name = "FROM:TO",
        value_parser = stretch,
        allow_hyphen_values = true,
        requires = "window",
        help_heading = "Epochs"
    )]
    pub(crate) baseline: Option<[f64; 2]>,
    /// Leave out trials in which a channel's peak-to-peak amplitude is larger
    #[arg(long, value_name = "MICROVOLTS", help_heading = "Epochs")]
    pub(crate) reject: Option<f64>,
    /// Leave out recordings with no trials left, and list them in dropped.tsv [default: refuse, and name them all]
    #[arg(long, help_heading = "Epochs")]
    pub(crate) drop_empty: bool,
    /// Keep only the first K trials of each view, so that all have equally many
    #[arg(long, value_name = "K", help_heading = "Epochs")]
    pub(crate) first: Option<usize>,
    #[command(flatten)]
    pub(crate) scaling: ScalingArgs,
    /// What to learn graphs from: the smoothness of the signals, or their likelihood
    #[arg(
        long,
        default_value = "smooth",
        value_parser = choice_of(&[Method::Smooth, Method::Likelihood]),
        help_heading = "Model"
    )]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) fit: FitArgs,
}

impl EegArgs {
    /// What is asked of the fit.
    pub(crate) fn request(&self) -> Result<FitRequest, RequestError> {
        Ok(FitRequest {
            method: self.method,
            ..self.fit.request(&self.scaling)?
        })
    }
}

/// What a view is. The subject is always a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewsByArg {
    Subject,
    Session,
    Task,
    Acquisition,
    Run,
}

impl ViewsByArg {
    /// What it splits a subject's recordings by.
    pub(crate) fn entity(self) -> Option<Entity> {
        match self {
            Self::Subject => None,
            Self::Session => Some(Entity::Session),
            Self::Task => Some(Entity::Task),
            Self::Acquisition => Some(Entity::Acquisition),
            Self::Run => Some(Entity::Run),
        }
    }
}

/// Two numbers with a colon between them, the smaller first.
fn stretch(text: &str) -> Result<[f64; 2], String> {
    let wrong = || "two numbers are needed, the smaller first, such as 4:7 or -0.2:0.1".to_owned();
    let (from, to) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    let (from, to) = (number(from)?, number(to)?);
    if from < to && from.is_finite() && to.is_finite() {
        Ok([from, to])
    } else {
        Err(wrong())
    }
}
