//! How a folder that was staged takes its place: renamed, exchanged with the old one, or file by file.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::{lock, swap};

impl Folder {
    /// Puts what was staged into place, in one step where the system allows it.
    pub(super) fn put(&self, is_vacant: bool) -> io::Result<()> {
        self.open()?;
        // Step 1: what was written is on the disk.
        let mut written = swap::walk(&self.files)?;
        written.retain(|name| !self.carried.contains(name));
        swap::sync(&self.files, &written)?;
        // Replacing the folder one stands in would leave the shell nowhere.
        let is_here = std::env::current_dir().is_ok_and(|here| here.starts_with(&self.target));
        let is_inside = self.staging.starts_with(&self.target);
        // Step 2: where there was nothing, the whole folder appears by one rename.
        if is_vacant && !is_here && !is_inside && self.appear()? {
            return Ok(());
        }
        // Step 3: else what is to be kept is linked into the new folder, and the two change places.
        let names: HashSet<PathBuf> = written.iter().cloned().collect();
        let gone = self.gone(&names)?;
        let mut removed = swap::walk(&self.target).unwrap_or_default();
        removed.retain(|name| !names.contains(name) && gone.is(name) && !self.is_hidden_within(name));
        let is_one_file = self.is_addition && written.len() + removed.len() == 1;
        if !is_here && !is_inside && !is_one_file && !is_vacant {
            let keep = |name: &Path| !gone.is(name);
            match swap::carry(&self.target, &self.files, &keep, false) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
                Err(_) => {}
                Ok(_) => {
                    if swap::replace(&self.staging, &self.target, &keep).is_ok() {
                        return Ok(());
                    }
                }
            }
        }
        // Step 4: a folder that cannot be replaced is filled file by file.
        self.fill(&written, &removed)
    }

    /// Puts the folder where there is none, or an empty one; false if it cannot be renamed.
    fn appear(&self) -> io::Result<bool> {
        if self.target.exists() {
            swap::look_alike(&self.target, &self.files)?;
        }
        let Some(parent) = self.target.parent() else {
            return Ok(false);
        };
        fs::create_dir_all(parent)?;
        if cfg!(not(unix)) {
            let _ = fs::remove_dir(&self.target);
        }
        if fs::rename(&self.files, &self.target).is_err() {
            return Ok(false);
        }
        swap::sync_folder(parent)?;
        Ok(true)
    }

    /// Puts the files into the folder that is there, which cannot be replaced.
    fn fill(&self, written: &[PathBuf], removed: &[PathBuf]) -> io::Result<()> {
        fs::create_dir_all(&self.target)?;
        let inside = lock::staging_path(&self.target, Path::new(""));
        if inside == self.staging {
            return swap::fill(&inside, &self.target, written, removed);
        }
        lock::remember(&inside);
        let done = self.move_inside(&inside, written);
        let done = done.and_then(|()| swap::fill(&inside, &self.target, written, removed));
        lock::remove(&inside);
        lock::forget(&inside);
        done
    }

    /// From beside the folder to inside: this may be another disk.
    fn move_inside(&self, inside: &Path, written: &[PathBuf]) -> io::Result<()> {
        for name in written {
            let (from, to) = (self.files.join(name), inside.join(swap::FILES).join(name));
            to.parent().map_or(Ok(()), fs::create_dir_all)?;
            match fs::rename(&from, &to) {
                Err(error) if error.kind() == ErrorKind::CrossesDevices => drop(fs::copy(&from, &to)?),
                moved => moved?,
            }
        }
        swap::sync(&inside.join(swap::FILES), written)
    }

    fn is_hidden_within(&self, name: &Path) -> bool {
        let path = self.target.join(name);
        path.ancestors().any(|part| self.is_hidden(part))
    }
}
