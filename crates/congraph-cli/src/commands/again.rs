//! The data of a result folder, read again as the command that wrote it read them.
//!
//! `run.json` holds the words of that command, the folder in which it ran and the SHA-256 of every file. The words are
//! parsed as any call is, so that whatever decided how files became views decides it again, and the files must be the
//! same to the byte. Relative paths start where the command ran; where nothing is there, as after moving a project as a
//! whole, where this command runs.

use std::path::{Path, PathBuf};

use clap::Parser;
use congraph::{Code, DataError};
use congraph_io::Blocks;
use congraph_record::RunRecord;
use congraph_record::record::InputRecord;

use super::eeg;
use super::input::{self, Read, Source};
use crate::args::{Cli, Command, EegArgs, InputArgs, SeriesArgs};
use crate::console::Console;
use crate::failure::Failure;

const WHY: &str = "what is asked of a fit needs the data that it was learned from";

/// Reads the data of the fit in a folder again. `data` are the files if they are given anew: they are read with the
/// options of the fit, and need not be the same to the byte. `series` are other blocks than those of the fit.
///
/// # Errors
/// E07 if the folder does not tell its data, or a file is gone or was changed; what reading refuses.
pub(super) fn read_again(
    folder: &Path,
    data: &[String],
    series: &SeriesArgs,
    console: &Console,
) -> Result<Read, Failure> {
    let run = record(folder)?;
    let base = if data.is_empty() {
        run.folder.as_deref().map(PathBuf::from)
    } else {
        None
    };
    let bases = Bases { then: base };
    let read = match command(folder, &run, data)? {
        Command::Eeg(_) if series.blocks.is_some() => Err(has_blocks("the trials of recordings")),
        Command::Eeg(args) => eeg::read_again(&bases.recordings(*args, data), console),
        Command::Learn(args) => input::read(&in_blocks(bases.input(args.input, data), series)?),
        Command::Tune(args) => input::read(&in_blocks(bases.input(args.input, data), series)?),
        Command::Check(args) => input::read(&in_blocks(args.input, series)?),
        _ => Err(no_data(folder)),
    };
    if !data.is_empty() {
        let read = read?;
        if !is_same(&run.inputs, &read.sources) {
            console.note("note: the data given are not those of the fit to the byte");
        }
        return Ok(read);
    }
    // What is wrong with a file that was changed is best told by saying so.
    match read {
        Ok(read) if is_same(&run.inputs, &read.sources) => Ok(read),
        Ok(read) => Err(changed(folder, &run.inputs, &read.sources)),
        Err(failure) => Err(bases.gone(folder, &run.inputs).unwrap_or(failure)),
    }
}

/// The same input in the blocks that are asked for, if any are.
fn in_blocks(mut input: InputArgs, series: &SeriesArgs) -> Result<InputArgs, Failure> {
    let told = &mut input.reading;
    if series.blocks.is_none() {
        // A clock may be told for blocks that the fit has.
        told.series.time_column = series.time_column.clone().or(told.series.time_column.take());
        told.series.rate = series.rate.or(told.series.rate);
        return Ok(input);
    }
    if let Some(column) = &told.block_column {
        return Err(has_blocks(&format!("the column `{column}`")));
    }
    let earlier = told.series.time_column.take();
    let time_column = match series.rate {
        // What was a clock is no node.
        Some(_) => {
            told.ignore_columns.extend(earlier);
            None
        }
        None => series.time_column.clone().or(earlier),
    };
    let is_timed = time_column.is_some() || matches!(series.blocks, Some(Blocks::Number(_)));
    told.series = SeriesArgs {
        blocks: series.blocks,
        rate: series.rate.or(told.series.rate.filter(|_| !is_timed)),
        time_column,
    };
    Ok(input)
}

fn has_blocks(which: &str) -> Failure {
    Failure::usage(
        format!("--blocks makes blocks, and the fit has its own: {which}"),
        "leave out `--blocks`, or learn without them",
    )
}

/// `run.json` of a folder.
fn record(folder: &Path) -> Result<RunRecord, Failure> {
    let path = folder.join("run.json");
    let text = std::fs::read_to_string(&path).map_err(|error| unusable(&path, &error))?;
    serde_json::from_str(&text).map_err(|error| unusable(&path, &error))
}

/// The call that wrote the folder; where it read no files and `data` are given, one that reads these.
fn command(folder: &Path, run: &RunRecord, data: &[String]) -> Result<Command, Failure> {
    let told = run.command.clone().unwrap_or_default();
    let parsed = Cli::try_parse_from(&told).map(|cli| cli.command);
    match parsed {
        Ok(command @ (Command::Learn(_) | Command::Tune(_) | Command::Eeg(_))) => Ok(command),
        _ if !data.is_empty() => {
            let words = ["congraph", "check", "--"].into_iter();
            let words = words.chain(data.iter().map(String::as_str));
            let parsed = Cli::try_parse_from(words).map(|cli| cli.command);
            parsed.map_err(|error| unusable(&folder.join("run.json"), &error))
        }
        Ok(_) => Err(no_data(folder)),
        Err(_) if is_of_python(&told) => Err(self::told(
            format!(
                "`{}` was saved by Python, which learned from arrays: it tells no files",
                folder.display()
            ),
            "give the files of the same views with `--data FILES`, or ask in Python, where the data are",
        )),
        Err(_) => Err(Failure::Data(vec![DataError::new(
            Code::E07,
            format!(
                "`{}` tells a call that this version does not understand: `{}`",
                folder.join("run.json").display(),
                told.join(" ")
            ),
            WHY,
            "learn again with this version, or give the files with `--data FILES`",
        )])),
    }
}

/// Whether Python's `save` wrote a folder, by the call that it tells.
fn is_of_python(told: &[String]) -> bool {
    told.first().is_some_and(|word| word == "python")
}

/// Where relative paths may start: where the command ran, then where this one runs.
struct Bases {
    then: Option<PathBuf>,
}

impl Bases {
    /// The place of a path.
    fn place(&self, path: &Path) -> PathBuf {
        match &self.then {
            Some(base) if base.join(path).exists() || !path.exists() => base.join(path),
            _ => path.to_path_buf(),
        }
    }

    /// The same of a word that may be NAME=FILE.
    fn word(&self, word: &str) -> String {
        let whole = self.place(Path::new(word));
        match word.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() && !whole.exists() => {
                format!("{name}={}", self.place(Path::new(path)).display())
            }
            _ => whole.display().to_string(),
        }
    }

    /// The input of a command, or other files read in the same way.
    fn input(&self, mut input: InputArgs, data: &[String]) -> InputArgs {
        input.files = self.words(&input.files, data);
        // Genes may be a column of the file, or a file of their own.
        if let Some(genes) = &mut input.reading.genes {
            let file = self.place(Path::new(genes));
            if file.is_file() {
                *genes = file.display().to_string();
            }
        }
        input
    }

    /// The same of recordings.
    fn recordings(&self, mut args: EegArgs, data: &[String]) -> EegArgs {
        args.recordings = self.words(&args.recordings, data);
        args.montage = args.montage.map(|montage| self.place(&montage));
        args.save_views = None;
        args
    }

    fn words(&self, told: &[String], data: &[String]) -> Vec<String> {
        if data.is_empty() {
            told.iter().map(|word| self.word(word)).collect()
        } else {
            data.to_vec()
        }
    }

    /// A file of the fit that is not there any more, or was changed, if that is the reason.
    fn gone(&self, folder: &Path, inputs: &[InputRecord]) -> Option<Failure> {
        for input in inputs {
            let place = self.place(Path::new(&input.file));
            if !place.exists() {
                let what = format!(
                    "`{}`, from which the view `{}` of `{}` was learned, is not there any more{}",
                    place.display(),
                    input.view,
                    folder.display(),
                    self.searched()
                );
                return Some(told(
                    what,
                    "put it back, or give the files with `--data FILES` where they are now",
                ));
            }
            if std::fs::read(&place).is_ok_and(|bytes| congraph_io::sha256(&bytes) != input.sha256) {
                return Some(other_bytes(folder, input));
            }
        }
        None
    }

    /// Where was looked beside the path itself.
    fn searched(&self) -> String {
        match &self.then {
            Some(base) => format!(
                " (relative paths start in `{}`, where the fit was made)",
                base.display()
            ),
            None => String::new(),
        }
    }
}

/// Whether every view was read from files of the same bytes.
fn is_same(inputs: &[InputRecord], sources: &[Source]) -> bool {
    let mut then: Vec<_> = inputs.iter().map(|input| (&input.view, &input.sha256)).collect();
    let mut now: Vec<_> = sources.iter().map(|source| (&source.view, &source.sha256)).collect();
    then.sort();
    now.sort();
    then == now
}

/// Which file is another than it was.
fn changed(folder: &Path, inputs: &[InputRecord], sources: &[Source]) -> Failure {
    let is_there = |input: &InputRecord| {
        let mut same = sources.iter().filter(|source| source.view == input.view);
        same.any(|source| source.sha256 == input.sha256)
    };
    match inputs.iter().find(|input| !is_there(input)) {
        Some(input) => other_bytes(folder, input),
        None => {
            let known = |source: &&Source| !inputs.iter().any(|input| input.sha256 == source.sha256);
            let new = sources.iter().find(known).map_or("", |source| source.file.as_str());
            let what = format!("the call that wrote `{}` would now also read `{new}`", folder.display());
            told(what, "take it away, or give the files with `--data FILES`")
        }
    }
}

fn other_bytes(folder: &Path, input: &InputRecord) -> Failure {
    let what = format!(
        "`{}` was changed since the view `{}` of `{}` was learned from it: its SHA-256 is another",
        input.file,
        input.view,
        folder.display()
    );
    told(
        what,
        "undo the change, or learn again; `--data FILES` takes files that hold the same data in other bytes",
    )
}

fn no_data(folder: &Path) -> Failure {
    let what = format!("`{}` does not tell which files it was learned from", folder.display());
    told(
        what,
        "give a folder that `learn`, `tune` or `eeg` wrote, or the files with `--data FILES`",
    )
}

fn told(what: String, hint: &str) -> Failure {
    Failure::Data(vec![DataError::new(Code::E07, what, WHY, hint)])
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    let what = format!("`{}` cannot be used: {error}", path.display());
    told(
        what,
        "give a folder that `congraph learn`, `tune` or `eeg` wrote, as it was written",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_python_saved_say_so() {
        let saved = |words: &[&str]| RunRecord {
            command: Some(words.iter().map(|word| (*word).to_owned()).collect()),
            ..RunRecord::default()
        };
        let said = |run: &RunRecord| {
            let refused = command(Path::new("out"), run, &[]).map(|_| ()).unwrap_err();
            refused.to_string()
        };
        let python = saved(&["python", "congraph", "save"]);
        let told = said(&python);
        assert!(
            told.contains("`out` was saved by Python, which learned from arrays: it tells no files")
                && told.contains("with `--data FILES`"),
            "{told}"
        );
        assert!(command(Path::new("out"), &python, &["a.csv".into()]).is_ok());
        let told = said(&saved(&["congraph", "learn", "--of-tomorrow"]));
        assert!(told.contains("does not understand"), "{told}");
    }
}
