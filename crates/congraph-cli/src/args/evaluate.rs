//! The words of `congraph evaluate`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use congraph::Scale;

use super::choices::choice;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Scores, of all pairs of nodes:
  F1, precision, recall   of the edges (weights above 0)
  AUPRC                   average precision of the weights as a ranking; ties enter together
  accuracy                share of the pairs that both call an edge, or both not
  NMI                     mutual information of the edge sets over the mean of their entropies
  correlation             Pearson's, of the learned and the true weights
  variation               total variation tr(X'LX) per signal, with --data
  relative                mean distance along edges over that of all pairs; smaller is smoother

Examples:
  congraph evaluate out --truth sim/truth
  congraph evaluate out --truth sim/truth --data sim/*.csv --json
  congraph evaluate out --data held-out/*.csv";

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("against").args(["truth", "data"]).multiple(true).required(true))]
pub(crate) struct EvaluateArgs {
    /// The folder with learned graphs
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The folder with the true graphs, such as `sim/truth`; a single true graph is that of every view
    #[arg(long, value_name = "FOLDER")]
    pub(crate) truth: Option<PathBuf>,
    /// Signals to take the total variation of, such as held-out samples: one file per view, as for `learn`
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) data: Vec<String>,
    /// How to scale each node of the data within its view; as it was for `learn`
    #[arg(long, default_value = "zscore", value_parser = choice::<Scale>(), requires = "data")]
    pub(crate) scale: Scale,
}
