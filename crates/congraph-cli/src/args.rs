//! The words of the command line: every option, its help and its default. One command, one file.

mod check;
mod choices;
mod communities;
mod compare;
mod completions;
mod demo;
mod eeg;
mod evaluate;
mod export;
mod fit;
mod input;
mod learn;
mod merge;
mod output;
mod project;
mod report;
mod simulate;
mod stability;
mod tune;

use std::num::NonZeroUsize;

use clap::{Args, Parser, Subcommand};

pub(crate) use check::CheckArgs;
pub(crate) use choices::*;
pub(crate) use communities::CommunitiesArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use demo::DemoArgs;
pub(crate) use eeg::{EegArgs, ViewsByArg};
pub(crate) use evaluate::EvaluateArgs;
pub(crate) use export::ExportArgs;
pub(crate) use fit::FitArgs;
pub(crate) use input::{InputArgs, ReadingArgs, ScalingArgs, SeriesArgs, SubjectArgs};
pub(crate) use learn::LearnArgs;
pub(crate) use merge::MergeArgs;
pub use output::OutputArgs;
pub(crate) use project::ProjectArgs;
pub(crate) use report::ReportArgs;
pub(crate) use simulate::SimulateArgs;
pub(crate) use stability::{HalvingArgs, StabilityArgs};
pub(crate) use tune::TuneArgs;

/// Learn one sparse graph per data set, and the consensus graph they share.
#[derive(Parser, Debug)]
#[command(name = "congraph", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
}

const EXAMPLES: &str = "\
Examples:
  congraph demo                                          simulate, learn, compare: no input needed
  congraph check data/*.csv                              is this data fit to learn from?
  congraph learn data/*.csv -o out                       one graph per view, and the consensus
  congraph simulate -o sim                               data whose graphs are known
  congraph evaluate out --truth sim/truth                how well were they found?
  congraph stability out                                 how sure is each edge?
  congraph communities out                               which nodes belong together?
  congraph compare out --labels participants.tsv:group   who differs?
  congraph eeg sub-*.bdf --events 11 --window 0:0.1 -o out   from recordings to graphs
  congraph project out --view late.csv -o new            a new view against the consensus
  congraph report out --open                             see the graphs in a browser

Every result carries a proof of how close to optimal it is: the relative duality gap.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Simulate data, learn its graphs separately and jointly, and compare: no input needed
    #[command(after_help = demo::AFTER_HELP)]
    Demo(DemoArgs),
    /// Validate data without learning: one row per view
    #[command(after_help = check::AFTER_HELP)]
    Check(CheckArgs),
    /// Learn one graph per view and their consensus
    #[command(after_help = learn::AFTER_HELP)]
    Learn(Box<LearnArgs>),
    /// Fit a grid of densities and similarities, and choose the fit that suits other samples best
    #[command(after_help = tune::AFTER_HELP)]
    Tune(Box<TuneArgs>),
    /// How sure each edge of a fit is: does it come back in other trials, and how far is its weight known?
    #[command(after_help = stability::AFTER_HELP)]
    Stability(StabilityArgs),
    /// Put together what `tune`, `stability` or `compare` made in parts with --shard
    #[command(after_help = merge::AFTER_HELP)]
    Merge(MergeArgs),
    /// Simulate views of smooth signals with a known consensus graph
    #[command(after_help = simulate::AFTER_HELP)]
    Simulate(SimulateArgs),
    /// Score learned graphs against true ones, and how smooth data are on them
    #[command(after_help = evaluate::AFTER_HELP)]
    Evaluate(EvaluateArgs),
    /// Find the communities of learned graphs, and what those of the views have in common
    #[command(after_help = communities::AFTER_HELP)]
    Communities(CommunitiesArgs),
    /// Compare groups of views, or two conditions of the same subjects: edges, nodes, whole graphs
    #[command(after_help = compare::AFTER_HELP)]
    Compare(Box<CompareArgs>),
    /// Learn the graph of a new view against the frozen consensus of a fit
    #[command(after_help = project::AFTER_HELP)]
    Project(ProjectArgs),
    /// Write the report of a result folder: one HTML file to look at, print and send
    #[command(after_help = report::AFTER_HELP)]
    Report(ReportArgs),
    /// From EEG recordings to one graph per subject, and the consensus of all
    #[command(after_help = eeg::AFTER_HELP)]
    Eeg(Box<EegArgs>),
    /// Write learned graphs for other programs: networkx, igraph, Gephi, MATLAB, NumPy, BIDS
    #[command(after_help = export::AFTER_HELP)]
    Export(ExportArgs),
    /// Print shell completions
    #[command(after_help = completions::AFTER_HELP)]
    Completions(CompletionsArgs),
}

// clap would number them after the commands, so that a new command moved them among the options of the others: they
// have their places.
/// Options of every command.
#[derive(Args, Debug)]
pub struct Global {
    /// Print the result as one JSON object on stdout, and nothing else there
    #[arg(long, global = true, display_order = 13)]
    pub json: bool,
    /// No notes, warnings or progress on stderr
    #[arg(short, long, global = true, display_order = 14)]
    pub quiet: bool,
    /// More notes on stderr
    #[arg(short, long, global = true, display_order = 15, conflicts_with = "quiet")]
    pub verbose: bool,
    /// How many threads to use [default: all cores]. The result does not depend on it
    #[arg(long, global = true, display_order = 16, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "a whole number of at least 1 is needed".into())
}
