//! The words of `congraph stability`.

use std::path::PathBuf;

use clap::Args;
use congraph::refits::Unit;

use super::SeriesArgs;
use super::choices::choice;
use super::merge::shard;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Every view's trials are halved at random, and both halves are fitted as the folder's graphs were.
Adds columns, as far as each can be told, and writes stability.json.
  frequency          the share of the halves that have the edge
  frequency_both     the share of the pairs of halves that have it in both
  replicates         the probability that it comes back in new trials of the same views
  weight_se          the standard error of its weight
  direct_z q_direct  whether its nodes depend directly on each other (q: rate of false discoveries)
  q_most n_views_at_least    the same in most views, and in how many at least
  q_view difference_z q_difference    in one view, and more or less than in the others
edges.tsv has those of the consensus, edges_long.tsv those of the views. stability.json tells how
frequencies were calibrated, how many stable edges are chance picks of the halving, and whether
views are recognised from half of their data. No frequency is the probability that an edge is real:
what is learned systematically is in every half.

Examples:
  congraph stability out
  congraph stability out --units views --force
  congraph stability out --blocks 20      of time series: twenty contiguous blocks of each view
  congraph stability out --shard 2/8      on one of eight machines, and at the end
  congraph merge out.stability-*-of-8.json -o out";

#[derive(Args, Debug)]
pub(crate) struct StabilityArgs {
    /// The folder of a fit, as `learn`, `tune` or `eeg` wrote it
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) halving: HalvingArgs,
    /// Make one of so many parts of the work, and write it to a file beside the folder, for `congraph merge`
    #[arg(long, value_name = "I/K", value_parser = shard, conflicts_with = "resume")]
    pub(crate) shard: Option<[usize; 2]>,
    /// Resume an interrupted run of the same command where it stopped
    #[arg(long)]
    pub(crate) resume: bool,
    /// Replace what is in the folder already; with --shard, that part
    #[arg(long)]
    pub(crate) force: bool,
}

/// How data are halved.
#[derive(Args, Clone, Debug)]
pub(crate) struct HalvingArgs {
    /// How many pairs of halves
    #[arg(
        long,
        default_value_t = 50,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=100_000),
    )]
    pub(crate) pairs: u32,
    /// What stays together: trials, each sample on its own, or whole views, to speak of other views (subjects) than
    /// these [default: blocks, where the data have them]
    #[arg(long, value_name = "blocks|samples|views", value_parser = choice::<Unit>())]
    pub(crate) units: Option<Unit>,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// Whether to ask which pairs depend directly on each other; auto does up to 1000 nodes
    #[arg(long, default_value = "auto", value_name = "auto|off", value_parser = ["auto", "off"])]
    pub(crate) direct: String,
    /// The level at which pairs count as directly dependent
    #[arg(long, allow_negative_numbers = true, default_value_t = 0.05, value_name = "Q")]
    pub(crate) level: f64,
    /// The seed of the halves
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The data of the fit, if they are not where they were: files as for the command that wrote the folder, read with
    /// its options
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) data: Vec<String>,
}
