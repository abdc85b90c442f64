//! The words of `congraph project`.

use std::path::PathBuf;

use clap::Args;

use super::{OutputArgs, ReadingArgs};

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
The consensus stays as it is; alpha, beta, the penalty, the scale of the distances, the candidates,
the edge costs and the tolerance are those of the fit. The new folder is like that of `learn`, with
the new views in place of the old, a report that shows them beside those of the fit, and
  projection.tsv   every edge of a view or of the consensus: shared by both, added by the view,
                   lacking in it, or unmeasured since the view lacks a node

Examples:
  congraph project out --view sub-21=new/recording.csv -o new
  congraph project out --view later/*.csv --missing mask -o later-graphs";

#[derive(Args, Debug)]
pub(crate) struct ProjectArgs {
    /// The folder of a fit with a consensus, as `learn` or `tune` wrote it
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The new views: files as for `learn`, samples in rows and nodes in columns. NAME=FILE names the view
    #[arg(long = "view", required = true, value_name = "FILE", num_args = 1..)]
    pub(crate) views: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Weight of ‖L‖², instead of the fit's: larger is denser
    #[arg(long, allow_negative_numbers = true, value_name = "A", help_heading = "Model")]
    pub(crate) alpha: Option<f64>,
    /// Weight of the penalty, instead of the fit's: larger keeps the views closer to the consensus
    #[arg(long, allow_negative_numbers = true, value_name = "B", help_heading = "Model")]
    pub(crate) beta: Option<f64>,
    /// Which pairs may be joined besides those of the consensus, instead of the fit's candidates: `all`, `knn:K` or a
    /// table of pairs with the columns source and target
    #[arg(long, value_name = "all|knn:K|FILE", help_heading = "Support")]
    pub(crate) candidates: Option<String>,
    /// Costs of pairs, instead of the fit's: `none`, or a table with the columns source, target and cost
    #[arg(long, value_name = "none|FILE", help_heading = "Support")]
    pub(crate) edge_costs: Option<String>,
    /// The relative gap at which the result counts as converged [default: that of the fit]
    #[arg(long, allow_negative_numbers = true, value_name = "GAP", help_heading = "Solver")]
    pub(crate) tol: Option<f64>,
    /// Fail with exit code 5 if a result has not converged
    #[arg(long, help_heading = "Solver")]
    pub(crate) strict: bool,
}
