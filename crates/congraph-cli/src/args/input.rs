//! What is read, and how: the words of all commands that read tables.

use std::str::FromStr;

use clap::Args;
use congraph::{DistanceNorm, SampleNorm, Scale};
use congraph_io::Blocks;

use super::choices::choice;
use super::{HeaderArg, MissingArg, NanArg, NodesArg, OrientArg};

/// What to read, and how.
#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// One file per view (.csv .tsv .txt, also .gz; .npy .npz .parquet .mat .h5ad), samples in rows and nodes in
    /// columns. NAME=FILE names the view
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) subjects: SubjectArgs,
    #[command(flatten)]
    pub(crate) scaling: ScalingArgs,
}

/// How files become views.
#[derive(Args, Debug)]
pub(crate) struct ReadingArgs {
    /// Which way round the tables are; nothing is transposed silently
    #[arg(long, value_enum, default_value_t = OrientArg::SamplesByNodes, help_heading = "Input")]
    pub(crate) orient: OrientArg,
    /// Whether text files start with a line of node names
    #[arg(long, value_enum, default_value_t = HeaderArg::Auto, help_heading = "Input")]
    pub(crate) header: HeaderArg,
    /// One long table for all views: the column that tells them apart
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) view_column: Option<String>,
    /// The column that holds the resampling unit (trial, session) of each row
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) block_column: Option<String>,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
    /// Columns to leave out, such as a time stamp; a file may lack one that another has
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Input")]
    pub(crate) ignore_columns: Vec<String>,
    /// In .mat and .npz files, the variables to read as views, such as X [default: all that could be views]
    #[arg(
        long = "variable",
        value_name = "NAMES",
        value_delimiter = ',',
        help_heading = "Input"
    )]
    pub(crate) variables: Vec<String>,
    /// In .h5ad files, the column of obs that tells the views apart, such as cell_type
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) groupby: Option<String>,
    /// In .h5ad files, the layer to read, or `raw` for the matrix of raw [default: X]
    #[arg(long, value_name = "LAYER", help_heading = "Input")]
    pub(crate) layer: Option<String>,
    /// In .h5ad files, the genes to read: a column of truth values in var, such as highly_variable, or a file with one
    /// gene per line
    #[arg(long, value_name = "COLUMN|FILE", help_heading = "Input")]
    pub(crate) genes: Option<String>,
    /// In .h5ad files, the fewest cells of a group that becomes a view [default: 20]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(crate) min_cells: Option<usize>,
    /// In .h5ad files, the fewest cells in which a gene is seen: in groups where it is seen in fewer it is masked, and
    /// left out if that is so in all [default: 3]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(crate) min_cells_per_gene: Option<usize>,
    /// A table of where nodes are (.tsv, .csv): name and x, y (and z), or name, lon and lat. They are written to nodes.tsv, and
    /// the report draws nodes there
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) positions: Option<std::path::PathBuf>,
    /// The tables are nodes × nodes sums of products X Xᵀ (of signals with mean zero)
    #[arg(long, conflicts_with = "covariance", help_heading = "Input")]
    pub(crate) gram: bool,
    /// The tables are nodes × nodes covariance matrices
    #[arg(long, help_heading = "Input")]
    pub(crate) covariance: bool,
    /// With --gram or --covariance: how many samples they were made from, one number or one per view
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = "Input")]
    pub(crate) samples: Vec<usize>,
    /// Which nodes to keep when views have different ones
    #[arg(long, value_enum, default_value_t = NodesArg::Same, help_heading = "Input")]
    pub(crate) nodes: NodesArg,
    /// Nodes to leave out of all views
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Input")]
    pub(crate) drop_nodes: Vec<String>,
    /// What to do with nodes that a view lacks, or that hold NaN or are constant in it: mask lets the view take
    /// part with its other nodes
    #[arg(long, value_enum, default_value_t = MissingArg::Error, help_heading = "Input")]
    pub(crate) missing: MissingArg,
    /// What to do with NaN and infinite values: refuse, leave out the samples that hold one, or take the moments of every
    /// pair of nodes from the samples that both have
    #[arg(long, value_enum, default_value_t = NanArg::Error, help_heading = "Input")]
    pub(crate) nan: NanArg,
    /// Accept values that look like raw counts
    #[arg(long, help_heading = "Input")]
    pub(crate) allow_counts: bool,
}

/// Blocks of a series, which has no trials.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SeriesArgs {
    /// Cut the series of each view into contiguous blocks, which stay together when samples are halved: so many (20), or
    /// each of a duration (500ms, 2s, 5min, 1h, 7d, 4w)
    #[arg(
        long,
        value_name = "N|DURATION",
        value_parser = Blocks::from_str,
        allow_negative_numbers = true,
        help_heading = "Input"
    )]
    pub(crate) blocks: Option<Blocks>,
    /// With --blocks DURATION: the column of the time of each row, in seconds or as dates (2024-03-31 12:30:00)
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) time_column: Option<String>,
    /// With --blocks DURATION: samples per second, where no column tells the time
    #[arg(long, value_name = "HZ", allow_negative_numbers = true, help_heading = "Input")]
    pub(crate) rate: Option<f64>,
}

/// Whose views they are.
#[derive(Args, Debug, Default)]
pub(crate) struct SubjectArgs {
    /// One long table of subjects in several conditions: the column of the subject. A view is SUBJECT/CONDITION
    #[arg(
        long,
        value_name = "COLUMN",
        requires = "condition_column",
        conflicts_with = "view_column",
        help_heading = "Input"
    )]
    pub(crate) subject_column: Option<String>,
    /// The column of the condition
    #[arg(long, value_name = "COLUMN", requires = "subject_column", help_heading = "Input")]
    pub(crate) condition_column: Option<String>,
    /// A table that tells whose view each is, with the columns view and subject, or others: FILE:VIEW:SUBJECT
    #[arg(long, value_name = "FILE", conflicts_with = "subject_column", help_heading = "Input")]
    pub(crate) subjects: Option<String>,
}

impl SubjectArgs {
    /// Whether views are of subjects.
    pub(crate) fn are_told(&self) -> bool {
        self.subject_column.is_some() || self.subjects.is_some()
    }

    /// The table of subjects, and its columns of the views and of the subjects.
    pub(crate) fn table(&self) -> Option<(&str, &str, &str)> {
        let text = self.subjects.as_deref()?;
        let mut parts = text.rsplitn(3, ':');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(subject), Some(view), Some(file)) => Some((file, view, subject)),
            _ => Some((text, "view", "subject")),
        }
    }
}

/// How distances are made comparable.
#[derive(Args, Debug)]
pub(crate) struct ScalingArgs {
    /// Scale each node within its view [default: zscore; by the likelihood, center for signals in one unit]
    #[arg(long, value_parser = choice::<Scale>(), help_heading = "Scaling")]
    pub(crate) scale: Option<Scale>,
    /// Costs are means over samples, or sums
    #[arg(long, default_value = "mean", value_parser = choice::<SampleNorm>(), help_heading = "Scaling")]
    pub(crate) sample_norm: SampleNorm,
    /// Divide distances by the largest one over all views, so that alpha and beta do not depend on units
    #[arg(long, default_value = "max", value_parser = choice::<DistanceNorm>(), help_heading = "Scaling")]
    pub(crate) distance_norm: DistanceNorm,
}
