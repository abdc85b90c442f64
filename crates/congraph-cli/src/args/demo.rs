//! The words of `congraph demo`.

use std::path::PathBuf;

use clap::Args;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "Example:\n  congraph demo\n  congraph demo --seed 7 -o my-demo";

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// The seed of the simulated data
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The output folder
    #[arg(short, long = "out", value_name = "FOLDER", default_value = "congraph-demo")]
    pub(crate) out: PathBuf,
    /// Replace the results in an output folder that is not empty
    #[arg(long)]
    pub(crate) force: bool,
}
