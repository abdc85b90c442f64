//! The words of `congraph check`.

use clap::Args;

use super::InputArgs;

/// What its help ends with.
pub(super) const AFTER_HELP: &str =
    "Example:\n  congraph check data/*.csv\n  congraph check trials.csv --view-column subject";

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
}
