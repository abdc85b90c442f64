//! `congraph completions`: what a shell needs to complete our words.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};

pub(crate) fn run(args: &CompletionsArgs) {
    let mut command = Cli::command();
    clap_complete::generate(args.shell, &mut command, "congraph", &mut std::io::stdout());
}
