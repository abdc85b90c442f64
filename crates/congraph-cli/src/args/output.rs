//! Where the result goes: the words of all commands that write a folder.

use std::path::PathBuf;

use clap::Args;

/// Where the result goes.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// The output folder
    #[arg(short, long = "out", value_name = "FOLDER")]
    pub out: PathBuf,
    /// Replace the results in an output folder that is not empty
    #[arg(long)]
    pub force: bool,
}
