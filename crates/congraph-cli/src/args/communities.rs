//! The words of `congraph communities`.

use std::path::PathBuf;

use clap::Args;
use congraph::communities::Signs;

use super::choices::choice;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Adds to the folder:
  communities.tsv        the community of each node: in the consensus, in the group, in each view. 0 is the largest
  communities.json       modularity, number of communities, NMI between all partitions
  coclassification.npz   the share of all runs on all views that put two nodes together

Communities maximise modularity (Leiden). The group's are what all runs on all views have in common, by \
consensus clustering:
nodes that are together in enough of them are linked, and the communities of these links are found, until all \
runs agree.

Examples:
  congraph communities out
  congraph communities out --resolution 1.5 --runs 500 --seed 7 --force --json";

#[derive(Args, Debug)]
pub(crate) struct CommunitiesArgs {
    /// The folder with learned graphs, to which the communities are added
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Larger makes more and smaller communities; 1 is the usual modularity
    #[arg(long, allow_negative_numbers = true, default_value_t = 1.0, value_name = "GAMMA")]
    pub(crate) resolution: f64,
    /// How many runs on each graph, of which the best is kept
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub(crate) runs: usize,
    /// For the group, link nodes that are together in at least this share of the runs on all views
    #[arg(long, allow_negative_numbers = true, default_value_t = 0.5, value_name = "SHARE")]
    pub(crate) threshold: f64,
    /// For the group, the maximum number of rounds of consensus clustering
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) max_rounds: usize,
    /// What to do with negative weights: `positive` leaves them out, `signed` puts nodes that they join apart
    #[arg(long, default_value = "positive", value_parser = choice::<Signs>())]
    pub(crate) signs: Signs,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Replace the communities that are in the folder already
    #[arg(long)]
    pub(crate) force: bool,
}
