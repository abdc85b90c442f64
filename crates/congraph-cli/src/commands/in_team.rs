//! Commands whose work the members of a team share out.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use congraph::team::{self, Team};
use congraph_io::Input;
use congraph_record::Resolved;

use super::input;
use super::learn;
use super::merge::{check_place, finish, part_of};
use crate::args::{Cli, Command};
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt;

/// Carries out the command that was asked for.
pub(crate) fn run(cli: &Cli, team: &Arc<dyn Team>, console: &Console) -> Result<(), Failure> {
    let (rank, size) = (team.rank(), team.size());
    match &cli.command {
        Command::Learn(args) => {
            // Other methods are not shared out: the first does it all, as if it were alone.
            if matches!(args.request()?.resolve()?, Resolved::Smooth(_)) {
                team::join(Arc::clone(team));
            } else if rank > 0 {
                return Ok(());
            }
            learn::run(args, &cli.global, console)
        }
        _ if crate::is_sweep(cli) => {
            refuse_parts(&cli.command)?;
            if rank == 0 {
                check_place(cli)?;
            }
            let mut parts = vec![Vec::new(); size];
            parts[0] = part_of(cli, [rank + 1, size], console)?;
            // The first gets all, and puts them together.
            let parts = team.exchange(parts);
            if rank == 0 {
                return finish(cli, parts, console);
            }
            interrupt::leave_it_to_the_first();
            Ok(())
        }
        _ => Err(Failure::usage(
            "several processes share out `learn`, `tune` (without `--methods`), `stability` and `compare`, and nothing else",
            "call `congraph` instead of `congraph-mpi`",
        )),
    }
}

/// Each process makes a part, and there is no checkpoint of it.
fn refuse_parts(command: &Command) -> Result<(), Failure> {
    let (shard, resume) = match command {
        Command::Stability(args) => (args.shard.is_some(), args.resume),
        Command::Tune(args) => (args.shard.is_some(), args.resume),
        Command::Compare(args) => (args.shard.is_some(), false),
        _ => (false, false),
    };
    let word = match (shard, resume) {
        (true, _) => "--shard",
        (_, true) => "--resume",
        _ => return Ok(()),
    };
    Err(Failure::usage(
        format!("{word} is for one process: here each makes a part, which is kept nowhere"),
        format!("leave out {word}, or call `congraph` instead of `congraph-mpi`"),
    ))
}

/// Members must be called with the same words and see the same files, or they would fit different problems. Of files
/// that are not read yet their sizes tell, and how they begin and end.
pub(super) fn check_call(files: &[String]) -> Result<(), Failure> {
    if team::of_process().size() == 1 {
        return Ok(());
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let look = |file: &String| {
        let input = Input::parse(file);
        // What cannot be read is told by whoever reads it.
        let look = glimpse(&input.path).unwrap_or_default();
        (input.view_name(), format!("{look:?}"))
    };
    let files: Vec<(String, String)> = files.iter().map(look).collect();
    agree(&format!("{} {words:?}", env!("CARGO_PKG_VERSION")), &files)
}

/// The size of a file, and a hash of how it begins and ends.
fn glimpse(path: &Path) -> std::io::Result<[u64; 2]> {
    const LOOKED_AT: u64 = 1 << 17;
    let mut file = std::fs::File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(LOOKED_AT).read_to_end(&mut bytes)?;
    file.seek(SeekFrom::Start(size.saturating_sub(LOOKED_AT)))?;
    file.take(LOOKED_AT).read_to_end(&mut bytes)?;
    // FNV-1a.
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Ok([size, hash])
}

/// The same by what was read, where every member has read it all.
pub(super) fn check_same(read: &input::Read) -> Result<(), Failure> {
    if read.views.are_held() {
        return Ok(());
    }
    let sources = read.sources.iter();
    agree(
        "",
        &sources
            .map(|source| (source.view.clone(), source.sha256.clone()))
            .collect::<Vec<_>>(),
    )
}

/// Whether all members have the same words, and the same of every view.
fn agree(words: &str, views: &[(String, String)]) -> Result<(), Failure> {
    let team = team::of_process();
    if team.size() == 1 {
        return Ok(());
    }
    let mut own = vec![words.to_owned()];
    own.extend(views.iter().map(|(view, data)| format!("{view} {data}")));
    let all = team.gather(own.join("\n").as_bytes());
    let first = String::from_utf8_lossy(&all[0]);
    for (rank, other) in all.iter().enumerate().skip(1) {
        let other = String::from_utf8_lossy(other);
        if other == first {
            continue;
        }
        let differs = first.lines().zip(other.lines()).position(|(one, two)| one != two);
        let what = match differs {
            Some(0) => "was called with other words, or is of another version".to_owned(),
            Some(line) => format!("has other data in view `{}`", views[line - 1].0),
            None => "has other files".to_owned(),
        };
        return Err(Failure::usage(
            format!("process {rank} {what} than process 0: together they would fit nothing that exists"),
            "start one job with the same words for all, from a folder that all nodes see",
        ));
    }
    Ok(())
}

/// Nothing is written unless all members have come this far; then an interruption waits for the first to write.
pub(super) fn before_writing() {
    let team = team::of_process();
    if team.size() > 1 {
        let _ = team.gather(&[]);
        if team.rank() > 0 {
            interrupt::leave_it_to_the_first();
        }
    }
}
