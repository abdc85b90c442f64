//! What a long command has done so far, in one file beside the output folder: written whole after every step, removed
//! at the end.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use congraph_io::{Folder, OutputError};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::interrupt;

/// Work that can be kept.
pub trait Resumable: Sized {
    /// The command that it is of.
    const COMMAND: &'static str;

    /// All of it.
    fn to_json(&self) -> Value;

    /// None if that is not what was written.
    fn from_json(value: &Value) -> Option<Self>;
}

/// A checkpoint that belongs to one command on one set of data.
///
/// ```text
/// {"schema": "congraph.tune-checkpoint/2", "sha256": that of the next line}
/// {"key": what it was made from, "work": what is done}
/// ```
pub struct Checkpoint<W> {
    pub(crate) path: PathBuf,
    /// Where it is written before it takes its place.
    scratch: PathBuf,
    key: Value,
    work: PhantomData<fn(W)>,
}

/// Where the checkpoint of an output folder is.
fn path_of<W: Resumable>(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or(out.as_os_str()).to_os_string();
    name.push(format!(".{}-checkpoint.json", W::COMMAND));
    out.with_file_name(name)
}

/// Hours of work may be in a checkpoint: it is not replaced unasked.
///
/// # Errors
///
/// If there is a checkpoint of the output folder, and neither `resume` nor `force` is given.
pub fn refuse_existing<W: Resumable>(out: &Path, resume: bool, force: bool) -> Result<(), Failure> {
    let path = path_of::<W>(out);
    if resume || force || std::fs::symlink_metadata(&path).is_err() {
        return Ok(());
    }
    Err(Failure::usage(
        format!(
            "an interrupted run left its work in the checkpoint `{}`, and nothing is overwritten unasked",
            path.display()
        ),
        "`--resume` continues from it; `--force` replaces it and starts anew",
    ))
}

impl<W: Resumable> Checkpoint<W> {
    /// The checkpoint of the output folder `out`, whose place is taken; `key` tells what it must have been made from.
    pub fn new(out: &Path, place: &Folder, key: Value) -> Self {
        Self {
            path: path_of::<W>(out),
            scratch: place.scratch(),
            key,
            work: PhantomData,
        }
    }

    fn schema() -> String {
        format!("congraph.{}-checkpoint/2", W::COMMAND)
    }

    /// What an earlier run left, if it can be resumed: `fits` tells; none if there is no checkpoint.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is damaged, or is of other data or options.
    pub fn read(&self, fits: impl FnOnce(&W) -> bool) -> Result<Option<W>, Failure> {
        let refused = |what: &str| {
            Failure::usage(
                format!("the checkpoint `{}` {what}", self.path.display()),
                "repeat the command that was interrupted; with `--force` and without `--resume` it starts anew and \
                 replaces the checkpoint",
            )
        };
        let bytes = match std::fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|error| refused(&format!("cannot be read: {error}")))?,
        };
        let damaged = || refused("is damaged: it is not what was written");
        let line = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
        let (head, body) = (&bytes[..line], &bytes[line + 1..]);
        let head: Value = serde_json::from_slice(head).map_err(|_| damaged())?;
        if head["schema"] != Self::schema() {
            return Err(refused("is of another version of congraph, or damaged"));
        }
        if head["sha256"] != congraph_io::sha256(body) {
            return Err(damaged());
        }
        let value: Value = serde_json::from_slice(body).map_err(|_| damaged())?;
        if value["key"] != self.key {
            return Err(refused("is of other data or options"));
        }
        let work = W::from_json(&value["work"]).filter(fits);
        work.map(Some).ok_or_else(damaged)
    }

    /// Writes the work so far; from now on an interruption says that it is kept.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, work: &W) -> Result<(), Failure> {
        let body = json!({"key": self.key, "work": work.to_json()}).to_string();
        let head = json!({"schema": Self::schema(), "sha256": congraph_io::sha256(body.as_bytes())});
        let failed = |source| OutputError::Io {
            path: self.path.clone(),
            source,
        };
        let write = || -> std::io::Result<()> {
            for path in [&self.path, &self.scratch] {
                path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            }
            let mut scratch = File::create(&self.scratch)?;
            scratch.write_all(format!("{head}\n{body}").as_bytes())?;
            scratch.sync_all()?;
            std::fs::rename(&self.scratch, &self.path)
        };
        interrupt::uninterrupted(|| -> Result<(), Failure> {
            write().map_err(failed)?;
            interrupt::kept_in(&self.path);
            Ok(())
        })
    }

    /// Removes it: the result is in place.
    pub fn remove(&self) {
        // Should it stay, it does no harm: only --resume reads it, and that checks what it is of.
        let _ = std::fs::remove_file(&self.path);
        interrupt::kept_nowhere();
    }
}
