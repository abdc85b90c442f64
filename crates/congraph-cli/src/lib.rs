//! The command line of congraph: one command is one file under `commands`, thin glue between files and mathematics.
//!
//! Results go to files and one line to stdout; progress, warnings and errors to stderr. Exit codes: 0 fine, 1 a bug, 2
//! wrong usage, 3 bad input data, 4 target not reachable, 5 not converged (with `--strict`), 6 an optional part is
//! missing, 7 the system refused (disk full, no permission, a folder that another run is writing), 130 interrupted.
//!
//! This is a library so that other programs of congraph can speak and end as it does; what they need is public, the
//! commands are not.
//!
//! ```text
//! args        the words: every option, its help and its default
//! commands    one command, one file
//! console     words to stderr, results to stdout, progress
//! failure     why a command ended, and its exit code         interrupt   Ctrl-C and other signals
//! output      the place of a result                          checkpoint  work that can be resumed
//! memory      how much of it may be used                     summary     what a run says of itself
//! usage       values that cannot be meant                    shards      a sweep in parts
//! ```

pub mod args;
pub mod checkpoint;
mod commands;
pub mod console;
pub mod failure;
pub mod interrupt;
mod memory;
pub mod output;
mod shards;
mod summary;
mod usage;
mod words;

use std::panic::UnwindSafe;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser};
use congraph::team::{Ended, Team};

use args::{Cli, Global};
use console::Console;
use failure::Failure;

/// The whole of `congraph`: reads the words of its call, carries them out and returns the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    carry_out(&cli.global, memory::asked(&cli.command), |console| {
        commands::run(&cli, console)
    })
}

/// A member of a team whose programs speak and end as this one does.
pub trait Speaker: Team {
    /// Says who it is and why it cannot go on, and ends all members with an exit code.
    fn abort(&self, code: u8, why: &str) -> !;

    /// Ends all members with an exit code.
    fn end_all(&self, code: u8) -> !;
}

/// The whole of `congraph-mpi`: as [`main`], with the work shared out among the members of a team. Member 0 speaks and
/// writes; one that cannot go on says so itself, and ends all.
pub fn main_in_team(member: &Arc<impl Speaker + 'static>) -> ExitCode {
    let team: Arc<dyn Team> = member.clone();
    let leads = team.rank() == 0;
    let words = Cli::command().name("congraph-mpi").try_get_matches();
    let cli = match words.and_then(|words| Cli::from_arg_matches(&words)) {
        Ok(cli) => cli,
        Err(error) => {
            // All members were told the same words.
            let _ = leads.then(|| error.print());
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let console = Console::new(cli.global.quiet || !leads, cli.global.verbose);
    let others = Arc::clone(member);
    interrupt::for_all(leads, move || others.end_all(INTERRUPTED));
    let last_words = Arc::clone(member);
    std::panic::set_hook(Box::new(move |panic| {
        let is_end = panic.payload().downcast_ref::<Ended>().is_some();
        if !congraph_io::input::is_guarded() && !is_end {
            last_words.abort(1, &format!("congraph has a bug: {panic}"));
        }
    }));
    let carried_out = prepare(&cli.global, memory::asked(&cli.command), &console)
        .and_then(|()| commands::in_team::run(&cli, &team, &console));
    let Err(failure) = carried_out else {
        return ExitCode::SUCCESS;
    };
    if !leads {
        // What is wrong for all is told by the first.
        std::thread::sleep(FIRST_WORD);
    }
    member.abort(failure.exit_code(), &failure.to_string())
}

const INTERRUPTED: u8 = 130;

/// How long the others wait for what the first member has to say.
const FIRST_WORD: Duration = Duration::from_secs(2);

/// Whether a call asks for work that can be made in parts: `tune` (without `--methods`), `stability` or `compare`.
pub fn is_sweep(cli: &Cli) -> bool {
    match &cli.command {
        args::Command::Tune(args) => args.methods.is_empty(),
        args::Command::Stability(_) | args::Command::Compare(_) => true,
        _ => false,
    }
}

/// Whether the result of a sweep can be written: asked before any work, and by one of all that share it.
///
/// # Errors
///
/// If something is there that may not be replaced, or nothing can be written there.
pub fn check_place(cli: &Cli) -> Result<(), Failure> {
    commands::check_place(cli)
}

/// Part I of K of a sweep (from 1 on), as the bytes that `--shard I/K` writes to a file.
///
/// # Errors
///
/// If the call asks for no sweep; what the command refuses.
pub fn part_of(cli: &Cli, part: [usize; 2], console: &Console) -> Result<Vec<u8>, Failure> {
    commands::part_of(cli, part, console)
}

/// Carries on from the bytes of all parts, in any order, to the result: the same files as without parts.
///
/// # Errors
///
/// If parts are missing, doubled, damaged or of other work; what the command refuses.
pub fn finish(cli: &Cli, parts: Vec<Vec<u8>>, console: &Console) -> Result<(), Failure> {
    commands::finish(cli, parts, console)
}

/// Carries out a command as every program of congraph does: with signals heard, and with the memory (in GiB; half of
/// what is free unless asked) and the threads that were asked for. What went wrong is told on stderr, and is the exit
/// code.
pub fn carry_out(
    global: &Global,
    memory: Option<f64>,
    command: impl FnOnce(&Console) -> Result<(), Failure> + UnwindSafe,
) -> ExitCode {
    let console = Console::new(global.quiet, global.verbose);
    // A panic is a bug of ours: say so, and leave with the code that means it.
    std::panic::set_hook(Box::new(|panic| {
        // Or a library's, about a damaged file; that is told as an error.
        if congraph_io::input::is_guarded() {
            return;
        }
        console::words(&format!("error: congraph has a bug: {panic}"));
        console::words("  hint: please report it with the command you ran and, if you may share it, the data");
    }));
    let outcome = std::panic::catch_unwind(|| {
        prepare(global, memory, &console)?;
        command(&console)
    });
    match outcome {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            console.error(&failure.to_string());
            ExitCode::from(failure.exit_code())
        }
        Err(_) => ExitCode::from(1),
    }
}

/// Signals, memory and threads.
fn prepare(global: &Global, memory: Option<f64>, console: &Console) -> Result<(), Failure> {
    interrupt::install();
    memory::limit(memory)?;
    if let Some(asked) = global.threads {
        let threads = console.at_most_threads(asked.get());
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Failure::usage(format!("--threads {threads}: {error}"), ""))?;
    }
    Ok(())
}
