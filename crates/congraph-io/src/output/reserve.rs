//! Where a result folder will be, and the lock on it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::folder::OutputError;
use super::lock::{self, Lock, Refused};

/// The folder's full path and its lock.
pub(super) fn reserve(path: &Path) -> Result<(PathBuf, Lock), OutputError> {
    let failed = |source| OutputError::Io {
        path: path.to_path_buf(),
        source,
    };
    let refused = |refused: Refused| match refused {
        Refused::Busy(process) => OutputError::Busy {
            path: path.to_path_buf(),
            process,
        },
        Refused::Io(source) => failed(source),
    };
    let exists = match fs::metadata(path) {
        Ok(found) if !found.is_dir() => return Err(OutputError::NotAFolder(path.to_path_buf())),
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(OutputError::NotAFolder(path.to_path_buf()));
        }
        Err(error) => return Err(failed(error)),
    };
    // A relative path must mean the same folder at the end.
    let absolute = if exists {
        fs::canonicalize(path)
    } else {
        std::path::absolute(path)
    }
    .map_err(failed)?;
    // Parents that do not exist yet will be on the same disk as the first that does.
    let place = absolute.ancestors().skip(1).find(|parent| parent.is_dir());
    let (place, target) = match place {
        None => (absolute.clone(), absolute),
        Some(parent) => {
            let rest = absolute.strip_prefix(parent).unwrap_or(Path::new("")).to_path_buf();
            let parent = fs::canonicalize(parent).map_err(failed)?;
            let target = parent.join(rest);
            (parent, target)
        }
    };
    let staging = |place: &Path| lock::staging_path(place, target.strip_prefix(place).unwrap_or(Path::new("")));
    let lock = match Lock::take(staging(&place)) {
        // A folder may be writable where its parent is not.
        Err(Refused::Io(_)) if exists && place != target => Lock::take(staging(&target)),
        taken => taken,
    }
    .map_err(refused)?;
    Ok((target, lock))
}

/// Whether another disk begins at this folder.
pub(super) fn is_mount_point(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let device = |path: &Path| fs::metadata(path).ok().map(|found| found.dev());
        folder
            .parent()
            .is_some_and(|parent| device(folder).is_some_and(|own| device(parent) != Some(own)))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        false
    }
}
