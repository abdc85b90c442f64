//! The words of `congraph-paper`: every option, its help and its default.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use congraph_cli::args::{Global, OutputArgs};

/// Run the paper's experiments, and judge what it says about them
#[derive(Parser, Debug)]
#[command(name = "congraph-paper", version, after_help = EXAMPLES)]
pub(crate) struct PaperArgs {
    /// Which figures: F1 of the views, F1 of the consensus, run times; with --data those on EEG
    #[arg(value_enum, required = true)]
    pub(crate) studies: Vec<StudyArg>,
    /// For the studies on EEG: a .npz of epochs (trials × channels × times per subject), or the folder that holds it
    #[arg(long, value_name = "PATH", help_heading = "EEG")]
    pub(crate) data: Option<PathBuf>,
    /// The average reference instead of current source densities
    #[arg(long, requires = "data", help_heading = "EEG")]
    pub(crate) no_csd: bool,
    /// For models: which settings to run, by name, or `main` for the twelve that claims are about [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Models")]
    pub(crate) settings: Vec<String>,
    /// For models, with --resume: methods to learn by once more (smooth, spectrum, jgl, likelihood)
    #[arg(
        long,
        value_name = "METHODS",
        value_delimiter = ',',
        requires = "resume",
        help_heading = "Models"
    )]
    pub(crate) again: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Two realisations and fewer levels, for a first look
    #[arg(long)]
    pub(crate) quick: bool,
    /// Do not scale the signals: the paper's objective as it stands
    #[arg(long)]
    pub(crate) raw: bool,
    /// Score JGL and the proposed models also with both parameters and a threshold of their weights chosen by the truth,
    /// on grids that go on until their best is inside: ten core-seconds for a data set of 100 nodes
    #[arg(long)]
    pub(crate) told: bool,
    /// How many data sets are simulated for each point of a figure, or setting [default: 10, or 2 with --quick]
    #[arg(long, visible_alias = "seeds", value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) realisations: Option<u32>,
    /// How many nodes
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(30..=1000))]
    pub(crate) nodes: u32,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Go on where an interrupted run of the same command stopped
    #[arg(long)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) global: Global,
}

const EXAMPLES: &str = "\
Examples:
  congraph-paper views consensus --quick -o first-look
  congraph-paper all -o paper
  congraph-paper views consensus --told -o told
  congraph-paper all -o paper --resume
  congraph-paper models --seeds 10 -o models
  congraph-paper eeg-recovery eeg-smoothness eeg-communities --data epochs.npz -o paper-eeg

FOLDER holds one .csv and one .svg per figure, claims.tsv (every claim, and whether it holds) and summary.md.";

/// A figure of the paper.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StudyArg {
    Views,
    Consensus,
    Runtime,
    EegRecovery,
    EegSmoothness,
    EegCommunities,
    /// Which method finds the truer graphs; a study of its own
    Models,
    /// All on simulated data, and with --data those on EEG
    All,
}
