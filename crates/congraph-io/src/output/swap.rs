//! What it takes to replace a folder: everything on the disk first, then one step.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::lock::PREFIX;

/// In a staging folder: what is to be put into place.
pub(super) const FILES: &str = "files";
/// In a staging folder: the folder that is replaced, where two folders cannot change places in one step.
const OLD: &str = "old";
/// In a staging folder inside the target: what is to be done file by file. From here on it is finished, not undone.
pub(super) const READY: &str = "ready.json";

/// The files that say what belongs to a result: in place last, since the others are worth nothing without them.
const RECORDS: [&str; 2] = ["communities.json", "summary.json"];

/// Every file under a folder, by its path from there.
pub(super) fn walk(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::new()];
    while let Some(within) = left.pop() {
        for entry in fs::read_dir(folder.join(&within))? {
            let entry = entry?;
            let name = within.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                left.push(name);
            } else {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Brings what was written to the disk: a rename must not be there before the bytes it is about.
pub(super) fn sync(folder: &Path, written: &[PathBuf]) -> io::Result<()> {
    for name in written {
        let path = folder.join(name);
        File::options().write(true).open(&path)?.sync_all()?;
        let mut parents = name.ancestors().skip(1);
        parents.try_for_each(|parent| sync_folder(&folder.join(parent)))?;
    }
    sync_folder(folder)
}

/// The same for the names in a folder, where the system can.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder).and_then(|opened| opened.sync_all()) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

/// Makes everything in `old` that is to be kept part of `new` as well, without taking it away; what `new` has already
/// wins.
///
/// Files become links. Where that cannot be (another user's file, a disk without links) they are copied, if `copy`
/// allows it.
///
/// Returns the files that were taken over.
pub(super) fn carry(old: &Path, new: &Path, keep: &dyn Fn(&Path) -> bool, copy: bool) -> io::Result<Vec<PathBuf>> {
    let mut carried = Vec::new();
    let mut left = vec![PathBuf::new()];
    let mut made = Vec::new();
    while let Some(within) = left.pop() {
        for entry in fs::read_dir(old.join(&within))? {
            let entry = entry?;
            let name = within.join(entry.file_name());
            let (from, to) = (old.join(&name), new.join(&name));
            let is_dir = entry.file_type()?.is_dir();
            if !keep(&name) {
                // We write no folder of such a name.
                if is_dir && !entry.file_name().to_string_lossy().starts_with(PREFIX) {
                    return Err(in_the_way(&from));
                }
                continue;
            }
            let there = fs::symlink_metadata(&to).ok();
            if there.as_ref().is_some_and(|there| there.is_dir() != is_dir) {
                return Err(in_the_way(&from));
            }
            if is_dir {
                if there.is_none() {
                    fs::create_dir(&to)?;
                    fs::set_permissions(&to, entry.metadata()?.permissions())?;
                    if fs::read_dir(&from)?.next().is_some() {
                        made.push(to);
                    }
                }
                left.push(name);
            } else if there.is_none() {
                match fs::hard_link(&from, &to) {
                    Err(_) if copy => drop(fs::copy(&from, &to)?),
                    linked => linked?,
                }
                carried.push(name);
            }
        }
    }
    // A folder whose files were all left behind is of no use; the deepest first.
    made.reverse();
    made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    Ok(carried)
}

fn in_the_way(path: &Path) -> io::Error {
    io::Error::new(
        ErrorKind::AlreadyExists,
        format!("`{}` is in the way of a result of that name", path.display()),
    )
}

/// Moves what came into the old folder after [`carry`] had looked. Whether nothing that is to be kept is left in it.
fn sweep(old: &Path, new: &Path, keep: &dyn Fn(&Path) -> bool) -> bool {
    let Ok(left) = walk(old) else { return false };
    let mut is_clean = true;
    for name in left
        .iter()
        .filter(|name| name.ancestors().all(|part| part == Path::new("") || keep(part)))
    {
        let to = new.join(name);
        if fs::symlink_metadata(&to).is_ok() {
            continue;
        }
        let parent = to.parent().map_or(Ok(()), fs::create_dir_all);
        is_clean &= parent.and_then(|()| fs::rename(old.join(name), &to)).is_ok();
    }
    is_clean
}

/// Puts the staged folder in the target's place, in one step where the system can; what was there before goes.
pub(super) fn replace(staging: &Path, target: &Path, keep: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    let new = staging.join(FILES);
    look_alike(target, &new)?;
    let old = match exchange(&new, target) {
        Ok(()) => new,
        Err(_) => {
            let old = staging.join(OLD);
            // Two steps: a run that is killed between them leaves the old folder for `recover`.
            fs::rename(target, &old)?;
            if let Err(error) = fs::rename(&new, target) {
                fs::rename(&old, target)?;
                return Err(error);
            }
            old
        }
    };
    if let Some(parent) = target.parent() {
        sync_folder(parent)?;
    }
    if sweep(&old, target, keep) {
        return Ok(());
    }
    // Somebody else's file could not be moved: it stays where it is, and is not removed with the rest.
    let mut beside = target.as_os_str().to_owned();
    beside.push(".before");
    fs::rename(old, beside)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, two: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Gives a folder the permissions and, where allowed, the group of the one that it replaces.
pub(super) fn look_alike(old: &Path, new: &Path) -> io::Result<()> {
    let known = fs::metadata(old)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let made = fs::metadata(new)?;
        if (made.uid(), made.gid()) != (known.uid(), known.gid()) {
            // The owner may be another user; then the group may still be one of ours.
            let both = std::os::unix::fs::chown(new, Some(known.uid()), Some(known.gid()));
            let _ = both.or_else(|_| std::os::unix::fs::chown(new, None, Some(known.gid())));
        }
    }
    fs::set_permissions(new, known.permissions())
}

/// Puts staged files into a folder that cannot be replaced, one after the other. Once this has begun it is finished by
/// whoever comes next, see [`recover`].
pub(super) fn fill(staging: &Path, target: &Path, written: &[PathBuf], removed: &[PathBuf]) -> io::Result<()> {
    if let Some(name) = written.iter().find(|name| target.join(name).is_dir()) {
        return Err(in_the_way(&target.join(name)));
    }
    let names = |paths: &[PathBuf]| -> Vec<String> {
        paths
            .iter()
            .filter_map(|path| path.to_str())
            .map(str::to_owned)
            .collect()
    };
    // The list must be whole on the disk before the first file moves: it is written aside and renamed.
    let told = json!({"written": names(written), "removed": names(removed)});
    let (part, ready) = (staging.join("ready.part"), staging.join(READY));
    fs::write(&part, told.to_string())?;
    File::options().write(true).open(&part)?.sync_all()?;
    fs::rename(&part, &ready)?;
    sync_folder(staging)?;
    carry_out(staging, target, &told)?;
    fs::remove_file(ready)
}

/// Carries out the list in [`READY`], however much of it has been done already.
fn carry_out(staging: &Path, target: &Path, told: &Value) -> io::Result<()> {
    let names = |key: &str| -> Vec<PathBuf> {
        let names = told[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(PathBuf::from).filter(|name| is_inside(name)).collect()
    };
    let (records, others): (Vec<_>, Vec<_>) = names("written")
        .into_iter()
        .partition(|name| RECORDS.iter().any(|record| name == Path::new(record)));
    let put = |name: &PathBuf| -> io::Result<()> {
        let (from, to) = (staging.join(FILES).join(name), target.join(name));
        // Moved already, by the run that was killed.
        if fs::symlink_metadata(&from).is_err() {
            return Ok(());
        }
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::rename(from, to)
    };
    others.iter().try_for_each(put)?;
    for name in names("removed") {
        match fs::remove_file(target.join(&name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Folders that it leaves empty.
        let mut parents = name.ancestors().skip(1).filter(|parent| *parent != Path::new(""));
        let _ = parents.try_for_each(|parent| fs::remove_dir(target.join(parent)));
    }
    sync_folder(target)?;
    // The records last: until they are in place, nobody takes the folder for the new result.
    let last = |record: &&str| records.iter().find(|name| *name == Path::new(record));
    RECORDS.iter().filter_map(last).try_for_each(put)?;
    sync_folder(target)
}

/// Whether a name can only mean something in the folder it is looked up in.
pub(super) fn is_inside(name: &Path) -> bool {
    name.components()
        .all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Ends what a run left that was killed: what it had begun to put into place is finished, all else undone.
pub(super) fn recover(staging: &Path, target: &Path) -> io::Result<()> {
    if fs::symlink_metadata(staging).is_err() {
        return Ok(());
    }
    if let Ok(text) = fs::read_to_string(staging.join(READY)) {
        carry_out(staging, target, &serde_json::from_str(&text).unwrap_or_default())?;
    }
    let old = staging.join(OLD);
    if old.exists() && fs::symlink_metadata(target).is_err() {
        fs::rename(old, target)?;
    }
    fs::remove_dir_all(staging)
}
