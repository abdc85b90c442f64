//! One run at a time on an output folder, and where it keeps what is not in place yet.
//!
//! Beside the folder (or in it, where nothing may be written beside) there is, as long as a run lasts:
//!
//! ```text
//! .congraph-NAME.lock   held by the run; the operating system lets go of it when the run ends, however it ends
//! .congraph-NAME        what is staged; without a living run that holds the lock it is nobody's
//! ```
//!
//! NAME follows from the folder's place, so that the next run on it finds both.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::swap::READY;
use crate::input::hexadecimal;

/// What all hidden names start with.
pub(super) const PREFIX: &str = ".congraph-";

/// What this process must not leave behind, whatever ends it.
static HELD: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Why a folder cannot be had.
#[derive(Debug)]
pub(super) enum Refused {
    /// Another run holds it: which, if that can be read.
    Busy(Option<u32>),
    /// The operating system refused.
    Io(io::Error),
}

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    /// What is staged under it.
    staging: PathBuf,
    path: PathBuf,
    /// Open as long as the lock is held.
    _file: File,
}

/// The hidden name that belongs to a folder: `rest` is its path from the place where the name is.
pub(super) fn staging_path(place: &Path, rest: &Path) -> PathBuf {
    let digest = Sha256::digest(rest.as_os_str().as_encoded_bytes());
    place.join(format!("{PREFIX}{}", hexadecimal(&digest[..6])))
}

pub(super) fn lock_path(staging: &Path) -> PathBuf {
    staging.with_extension("lock")
}

impl Lock {
    /// Takes the lock that goes with a staging folder.
    pub(super) fn take(staging: PathBuf) -> Result<Self, Refused> {
        let path = lock_path(&staging);
        loop {
            let options = File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .clone();
            let mut file = options.open(&path).map_err(Refused::Io)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(fs::TryLockError::WouldBlock) => {
                    let mut text = String::new();
                    let _ = file.take(16).read_to_string(&mut text);
                    return Err(Refused::Busy(text.trim().parse().ok()));
                }
                // Some network disks know no locks. The folder is still replaced whole.
                Err(fs::TryLockError::Error(_)) => {}
            }
            // The run before removes its lock when it ends: what was opened may be gone.
            if !is_same(&file, &path) {
                continue;
            }
            // Only for a message; a disk that is full will be told of soon enough.
            let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
            let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
            held.extend([staging.clone(), path.clone()]);
            return Ok(Self {
                staging,
                path,
                _file: file,
            });
        }
    }

    /// Where things are staged under this lock.
    pub(super) fn staging(&self) -> &Path {
        &self.staging
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        remove(&self.staging);
        remove(&self.path);
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|path| *path != self.path && *path != self.staging);
    }
}

/// Also removes this path if the process is ended, until [`forget`].
pub(super) fn remember(path: &Path) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.insert(0, path.to_owned());
}

/// The path is in place, or gone.
pub(super) fn forget(path: &Path) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.retain(|other| other != path);
}

/// Removes what this process holds of output folders that are not in place. To be called right before it ends early:
/// its destructors will not run.
pub fn abandon() {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.iter().for_each(|path| remove(path));
}

/// What cannot be removed now is removed by the next run on the folder; what has been begun to be put into place is
/// finished by it.
pub(super) fn remove(path: &Path) {
    if path.join(READY).exists() {
        return;
    }
    let _ = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(one), Ok(two)) => one.dev() == two.dev() && one.ino() == two.ino(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}
