//! `congraph merge`: the parts of a sweep put together; and the same without files, for programs that carry parts in
//! messages.

use clap::Parser;

use super::{compare, stability, tune};
use crate::args::{Cli, Command, Global, MergeArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::shards::Shards;

/// Puts the parts in files together.
pub(super) fn run(args: &MergeArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let shards = Shards::of_files(&args.shards)?;
    let told = Cli::try_parse_from(shards.words()).map_err(|_| {
        Failure::usage(
            format!(
                "the parts are of a call that this version does not understand: `{}`",
                shards.words().join(" ")
            ),
            "make them again with this version",
        )
    })?;
    let mut command = told.command;
    match &mut command {
        Command::Stability(told) => {
            told.folder.clone_from(&args.out);
            (told.shard, told.force) = (None, args.force);
            told.halving.data.clone_from(&args.data);
        }
        Command::Compare(told) => {
            told.folder.clone_from(&args.out);
            (told.shard, told.force) = (None, args.force);
        }
        Command::Tune(told) => {
            told.output.out.clone_from(&args.out);
            (told.shard, told.output.force) = (None, args.force);
        }
        _ => return Err(no_sweep()),
    }
    if !args.data.is_empty() && !matches!(command, Command::Stability(_)) {
        return Err(Failure::usage(
            format!(
                "--data is for parts of `stability`, and these are of `{}`",
                shards.sweep.word()
            ),
            "leave it out, and run `congraph merge` where the parts were made: relative paths start there",
        ));
    }
    put_together(&command, shards, global, console)
}

/// Part I of K of the sweep that is asked for, as bytes.
pub(crate) fn part_of(cli: &Cli, part: [usize; 2], console: &Console) -> Result<Vec<u8>, Failure> {
    let made = match &cli.command {
        Command::Stability(args) => stability::shard(args, part, console),
        Command::Compare(args) => compare::shard(args, part, console),
        Command::Tune(args) if args.methods.is_empty() => tune::shard(args, part, console),
        _ => Err(no_sweep()),
    };
    Ok(made?.bytes)
}

/// Whether the result can be written, before any work.
pub(crate) fn check_place(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        Command::Stability(args) => stability::place(args).map(drop),
        Command::Compare(args) => compare::place(args).map(drop),
        Command::Tune(args) => Ok(output::place(&args.output.out, args.output.force).map(drop)?),
        _ => Err(no_sweep()),
    }
}

/// The result of all parts.
pub(crate) fn finish(cli: &Cli, parts: Vec<Vec<u8>>, console: &Console) -> Result<(), Failure> {
    let named = |(k, bytes): (usize, Vec<u8>)| (format!("part {}", k + 1), bytes);
    let shards = Shards::of(parts.into_iter().enumerate().map(named).collect())?;
    put_together(&cli.command, shards, &cli.global, console)
}

fn put_together(command: &Command, shards: Shards, global: &Global, console: &Console) -> Result<(), Failure> {
    match command {
        Command::Stability(args) => stability::finish(args, Some(shards), global, console),
        Command::Compare(args) => compare::finish(args, Some(shards), global, console),
        Command::Tune(args) => tune::finish(args, Some(shards), global, console),
        _ => Err(no_sweep()),
    }
}

fn no_sweep() -> Failure {
    Failure::usage(
        "this cannot be made in parts",
        "`tune` (without `--methods`), `stability` and `compare` can: they repeat the same work with other numbers",
    )
}
