//! `congraph completions`: what a shell needs to complete our words.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::console;
use crate::failure::Failure;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "congraph", &mut script);
    console::print(String::from_utf8_lossy(&script).trim_end())
}
