//! The words of `congraph export`.

use std::path::PathBuf;

use clap::Args;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Formats:
  graphml, gexf   one file per graph: consensus.graphml, view-NAME.graphml
  edges           one table per graph: consensus.edges.tsv with source, target and weight
  mat, npz        graphs.mat, graphs.npz: consensus (n×n), views (N×n×n), nodes, view_names
  relmat          BIDS: sub-LABEL_meas-graphlearning_relmat.tsv and .json

Examples:
  congraph export out --to graphml
  congraph export out --to mat,relmat -o derivatives/congraph";

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The folder with learned graphs
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The formats, separated by commas
    #[arg(long, required = true, value_name = "FORMATS", value_delimiter = ',', value_parser = formats())]
    pub(crate) to: Vec<String>,
    /// The folder to write to [default: the folder `export` in FOLDER]
    #[arg(short, long = "out", value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Replace files in an output folder that is not empty
    #[arg(long)]
    pub(crate) force: bool,
}

/// The formats of `export`, as the library offers them.
fn formats() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(congraph_io::ExportFormat::ALL.map(|(name, _)| name))
}
