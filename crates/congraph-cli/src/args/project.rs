//! The words of `congraph project`.

use std::path::PathBuf;

use clap::Args;

use super::{HeaderArg, NanArg, NodesArg, OrientArg, OutputArgs};

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
    /// Which way round the tables are; nothing is transposed silently
    #[arg(long, value_enum, default_value_t = OrientArg::SamplesByNodes, help_heading = "Input")]
    pub(crate) orient: OrientArg,
    /// Whether text files start with a line of node names
    #[arg(long, value_enum, default_value_t = HeaderArg::Auto, help_heading = "Input")]
    pub(crate) header: HeaderArg,
    /// One long table for all views: the column that tells them apart
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) view_column: Option<String>,
    /// Columns to leave out, such as a time stamp
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Input")]
    pub(crate) ignore_columns: Vec<String>,
    /// In .h5ad files, the column of obs that tells the views apart
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) groupby: Option<String>,
    /// In .h5ad files, the layer to read [default: X]
    #[arg(long, value_name = "LAYER", help_heading = "Input")]
    pub(crate) layer: Option<String>,
    /// In .h5ad files, the genes to read: a column of truth values in var, or a file with one gene a line
    #[arg(long, value_name = "COLUMN|FILE", help_heading = "Input")]
    pub(crate) genes: Option<String>,
    /// Which nodes to keep when the new views and the consensus have different ones
    #[arg(long, value_enum, default_value_t = NodesArg::Same, help_heading = "Input")]
    pub(crate) nodes: NodesArg,
    /// What to do with samples that hold NaN or infinite values
    #[arg(long, value_enum, default_value_t = NanArg::Error, help_heading = "Input")]
    pub(crate) nan: NanArg,
    /// Accept values that look like raw counts
    #[arg(long, help_heading = "Input")]
    pub(crate) allow_counts: bool,
    /// Another weight of ‖L‖² than the fit's: larger is denser
    #[arg(long, allow_negative_numbers = true, value_name = "A", help_heading = "Model")]
    pub(crate) alpha: Option<f64>,
    /// Another weight of the penalty than the fit's: larger keeps the views closer to the consensus
    #[arg(long, allow_negative_numbers = true, value_name = "B", help_heading = "Model")]
    pub(crate) beta: Option<f64>,
    /// Which pairs may be joined besides those of the consensus: `knn:K` or a table of pairs with the columns source and
    /// target [default: all pairs]
    #[arg(long, value_name = "knn:K|FILE", help_heading = "Model")]
    pub(crate) candidates: Option<String>,
    /// The relative gap at which the result counts as converged
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value = "1e-9",
        value_name = "GAP",
        help_heading = "Solver"
    )]
    pub(crate) tol: f64,
    /// Fail with exit code 5 if a result has not converged
    #[arg(long, help_heading = "Solver")]
    pub(crate) strict: bool,
}
