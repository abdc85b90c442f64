//! The words of `congraph completions`.

use clap::Args;

/// What its help ends with.
pub(super) const AFTER_HELP: &str =
    "Example:\n  congraph completions bash > ~/.local/share/bash-completion/completions/congraph";

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
