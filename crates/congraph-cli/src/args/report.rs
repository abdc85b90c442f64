//! The words of `congraph report`.

use std::path::PathBuf;

use clap::Args;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
`learn`, `tune`, `eeg` and `demo` write it already, and `communities` brings it up to date. Write it
again after adding positions to nodes.tsv: columns x and y, perhaps z, or lon and lat. The file
loads nothing from anywhere and works without JavaScript.

Examples:
  congraph report out
  congraph report out --open";

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The folder with learned graphs, in which report.html is written
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Open it in the browser
    #[arg(long)]
    pub(crate) open: bool,
}
