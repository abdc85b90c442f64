//! The words of `congraph merge`, and of parts.

use std::path::PathBuf;

use clap::Args;

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
The files tell which sweep they are of. The result is that of one run, to the byte (but for times),
whatever the order of the files. Parts that are missing, doubled, damaged or of other work are named
and refused. Run it where the parts were made: relative paths of data and tables start there.

Examples:
  congraph tune sub-*.csv -o out --shard 1/2      on one machine
  congraph tune sub-*.csv -o out --shard 2/2      on another, and at the end
  congraph merge out.tune-*-of-2.json -o out
  congraph merge out.stability-*-of-8.json -o out
  congraph merge out.compare-*-of-8.json -o out";

#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// All files that the runs with --shard wrote
    #[arg(required = true, value_name = "FILE")]
    pub(crate) shards: Vec<PathBuf>,
    /// Of `tune`, the folder of the result; else the folder of the fit, to which the result is added
    #[arg(short, long = "out", value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// Of `stability`, the data of the fit, if they are not where they were
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) data: Vec<String>,
    /// Replace what is in the folder already
    #[arg(long)]
    pub(crate) force: bool,
}

/// Which part of how many, from 1 on.
pub(super) fn shard(text: &str) -> Result<[usize; 2], String> {
    let wrong = || "a part and how many parts there are is needed, such as 2/8".to_owned();
    let (part, parts) = text.split_once('/').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
    let (part, parts) = (number(part)?, number(parts)?);
    if part >= 1 && part <= parts {
        Ok([part, parts])
    } else {
        Err(wrong())
    }
}
