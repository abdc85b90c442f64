//! The words of `congraph compare`.

use std::path::PathBuf;

use clap::Args;
use congraph::compare::{Measure, Statistic};
use congraph_record::choices::Equalise;

use super::choices::choice;
use super::merge::shard;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Adds to the folder, with the groups a, b in the order of their names and every difference b − a:
  compare_edges.tsv        every edge that two views or more have: where it is, its means, z, p
  compare_components.tsv   connected edges of |z| above --nbs, by their intensity
  compare_nodes.tsv        the strength of each node
  compare_global.tsv       density, and what else --measures names
  compare_pairs.tsv        with more than two groups: each edge in each two of them
  compare.json             the design, and what relabelling alone gives

p_fwe is the share of relabellings in which any edge (component, node, measure) is as extreme: at 0.05, one study \
in twenty
without a difference finds any edge, one in twenty any component, and so on: decide beforehand which kind you ask \
for. Views
without --pair must be of different subjects: two of one subject are not independent. The graphs must come from one fit of all views together. A fit per group, or a density \
tuned per
group, makes differences: most such studies find some where there are none. Weights are relative, so edges beside one \
that changed change too.

Tables have a row for each view, named in the column `view`, else `participant_id`, else the first (or --view-key). With \
--pair each
subject has two views, one in each condition: two rows of that table, with the same subject and different labels.

Examples:
  congraph compare out --labels participants.tsv:group
  congraph compare out --labels participants.tsv:group --covariates age,sex --permutations 10000
  congraph compare out --labels sessions.tsv:condition --pair subject
  congraph compare out --labels participants.tsv:group --permutations 1000000 --shard 2/8
  congraph merge out.compare-*-of-8.json -o out";

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// The folder with learned graphs, to which the comparison is added
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The group or condition of each view: a table (.csv, .tsv) and one of its columns
    #[arg(long, value_name = "FILE:COLUMN")]
    pub(crate) labels: String,
    /// The subject of each view, where each has one view in both of two conditions: a column of the same table, or of
    /// another
    #[arg(long, value_name = "[FILE:]COLUMN")]
    pub(crate) pair: Option<String>,
    /// What else may explain differences between groups: columns of the same table, or of another. Words are factors
    #[arg(long, value_name = "[FILE:]COLUMN,…")]
    pub(crate) covariates: Option<String>,
    /// The column that names the views [default: view, participant_id, or the first]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) view_key: Option<String>,
    /// What edges are judged by: ranks, weights (t), or whether they are there [default: rank; with --pair t]
    #[arg(long, value_parser = choice::<Statistic>(), value_name = "STATISTIC")]
    pub(crate) statistic: Option<Statistic>,
    /// How many random relabellings; where there are no more than that, all of them
    #[arg(long, default_value_t = 5000, value_name = "N")]
    pub(crate) permutations: usize,
    /// Edges whose |z| is above this form components [default: 3, or less where fewer than half of the relabellings have an
    /// edge above that]
    #[arg(long, allow_negative_numbers = true, value_name = "Z")]
    pub(crate) nbs: Option<f64>,
    /// What is compared
    #[arg(long, value_parser = choice::<Measure>(), value_delimiter = ',', value_name = "MEASURE,…",
        default_value = "edges,components,strength,density")]
    pub(crate) measures: Vec<Measure>,
    /// What to do if the views of one group have more samples: `auto` draws equally many for every view once and learns
    /// again, `off` refuses
    #[arg(long, value_parser = choice::<Equalise>(), default_value = "auto", value_name = "auto|off")]
    pub(crate) equalise: Equalise,
    /// The level at which results are counted
    #[arg(long, allow_negative_numbers = true, default_value_t = 0.05, value_name = "P")]
    pub(crate) level: f64,
    /// Start of the random numbers: the same seed gives the same result
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Look at one of so many parts of the relabellings, and write what they gave to a file beside the folder, for
    /// `congraph merge`
    #[arg(long, value_name = "I/K", value_parser = shard)]
    pub(crate) shard: Option<[usize; 2]>,
    /// Replace the comparison that is in the folder already; with --shard, that part
    #[arg(long)]
    pub(crate) force: bool,
}
