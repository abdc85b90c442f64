//! An output folder that appears whole or not at all, and belongs to one run.
//!
//! From [`Folder::create`] on the folder is locked: a second run on it is refused. Files are staged beside it and
//! brought to the disk; [`Folder::commit`] then puts the whole folder into place in one step, with whatever else was in
//! the old one. Where a folder cannot be replaced (a mount point, the folder one stands in) the files are staged inside
//! and put into place one by one, `summary.json` last: it lists the SHA-256 of the others, so that no reader takes a
//! half for a whole. A run that is killed on the way is finished or undone by the next.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::lock::{self, Lock, Refused};
use super::run::listed;
use super::swap;
use crate::export::is_export;

/// The files that we write: those of an earlier run that a new one does not replace are removed.
const OURS: [&str; 36] = [
    "summary.json",
    "run.json",
    "nodes.tsv",
    "edges.tsv",
    "views.tsv",
    "missing.tsv",
    "edges_long.tsv",
    "candidates.tsv",
    "edge_costs.tsv",
    "matrices.npz",
    "report.html",
    "tune.tsv",
    "path.tsv",
    "quality.tsv",
    "recordings.tsv",
    "dropped.tsv",
    "positions.tsv",
    "views.csv",
    "views.svg",
    "consensus.csv",
    "consensus.svg",
    "runtime.csv",
    "runtime.svg",
    "eeg-recovery.csv",
    "eeg-recovery.svg",
    "eeg-smoothness.csv",
    "eeg-smoothness.svg",
    "eeg-communities.csv",
    "eeg-communities.svg",
    "eeg-consistency.csv",
    "claims.tsv",
    "summary.md",
    "communities.tsv",
    "communities.json",
    "coclassification.npz",
    "projection.tsv",
];

/// Why a result folder could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum OutputError {
    /// The folder holds files already.
    NotEmpty(PathBuf),
    /// The folder holds one of the files to add already.
    Exists(PathBuf),
    /// The path is not that of a folder.
    NotAFolder(PathBuf),
    /// Another run is writing the folder.
    Busy {
        /// The folder.
        path: PathBuf,
        /// The other run, if that is known.
        process: Option<u32>,
    },
    /// The operating system refused.
    Io {
        /// What was written.
        path: PathBuf,
        /// Why it was refused.
        source: io::Error,
    },
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEmpty(path) => write!(
                f,
                "the output folder `{}` is not empty, and nothing is overwritten unasked\n  \
                 hint: `--force` replaces the results in it and leaves other files alone; `-o OTHER` writes elsewhere",
                path.display()
            ),
            Self::Exists(path) => write!(
                f,
                "`{}` is there already, and nothing is overwritten unasked\n  hint: `--force` replaces it",
                path.display()
            ),
            Self::NotAFolder(path) => write!(
                f,
                "the output path `{}` is a file, and a folder is written\n  hint: choose another with `-o OTHER`",
                path.display()
            ),
            Self::Busy { path, process } => {
                let who = process.map_or_else(String::new, |process| format!(" (process {process})"));
                write!(
                    f,
                    "the folder `{}` is being written by another run of congraph{who}, and two runs in one folder \
                     would mix their \
                     results\n  hint: wait until that run has ended, or write elsewhere with `-o OTHER`",
                    path.display()
                )
            }
            Self::Io { path, source } => write!(
                f,
                "`{}` cannot be written: {}\n  hint: check the disk and that you may write there, or choose \
                 another folder with `-o OTHER`",
                path.display(),
                plain(source)
            ),
        }
    }
}

/// Why the system refused, without the number of its error.
fn plain(error: &io::Error) -> String {
    let text = match error.kind() {
        ErrorKind::StorageFull => "the disk is full".into(),
        ErrorKind::QuotaExceeded => "the disk quota is used up".into(),
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    };
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::NotEmpty(_) | Self::Exists(_) | Self::NotAFolder(_) | Self::Busy { .. } => None,
        }
    }
}

/// A result folder in the making. As long as there is one, no other run can write the same folder.
#[derive(Debug)]
pub struct Folder {
    target: PathBuf,
    /// The files that are written or, if not, removed.
    ours: &'static [&'static str],
    /// Files of an earlier run that are removed, too, unless they are written again.
    stale: Vec<PathBuf>,
    /// Whether other files may be in the folder.
    is_addition: bool,
    force: bool,
    lock: Lock,
    /// Beside the folder, or inside where that is another disk.
    staging: PathBuf,
    files: PathBuf,
    /// What [`Folder::complete`] took over.
    carried: HashSet<PathBuf>,
}

impl Folder {
    /// Starts a result folder at `path`, which is not touched until [`Folder::commit`], nor are its parents created. It
    /// is locked from now on.
    ///
    /// # Errors
    /// [`OutputError::NotEmpty`] if the folder holds anything and `force` is not set, [`OutputError::NotAFolder`] if
    /// there is a file in its place, [`OutputError::Busy`] if another run is writing it, [`OutputError::Io`] if nothing
    /// can be written there.
    pub fn create(path: impl AsRef<Path>, force: bool) -> Result<Self, OutputError> {
        Self::start(path.as_ref(), &OURS, false, force)
    }

    /// Starts files that will be added to the folder at `path`, such as the communities of a result. Only `files` will
    /// be written there; those of an earlier run that are not written again are removed.
    ///
    /// # Errors
    /// [`OutputError::Exists`] if one of them is there already and `force` is not set, and those of [`Folder::create`].
    pub fn add_to(path: impl AsRef<Path>, files: &'static [&'static str], force: bool) -> Result<Self, OutputError> {
        Self::start(path.as_ref(), files, true, force)
    }

    fn start(path: &Path, ours: &'static [&'static str], is_addition: bool, force: bool) -> Result<Self, OutputError> {
        let shown = path.to_path_buf();
        let failed = |source| OutputError::Io {
            path: shown.clone(),
            source,
        };
        let (target, lock) = reserve(path)?;
        let inside = lock::staging_path(&target, Path::new(""));
        let staging = if is_mount_point(&target) {
            inside
        } else {
            lock.staging().to_path_buf()
        };
        if staging != lock.staging() {
            lock::remember(&staging);
        }
        let folder = Self {
            files: staging.join(swap::FILES),
            staging,
            target,
            ours,
            stale: Vec::new(),
            is_addition,
            force,
            lock,
            carried: HashSet::new(),
        };
        folder.undo_the_dead().map_err(failed)?;
        if is_addition {
            refuse_existing(path, ours, force)?;
        } else if !force && !folder.is_vacant().map_err(failed)? {
            return Err(OutputError::NotEmpty(shown));
        }
        Ok(folder)
    }

    /// Finishes or removes what earlier runs on this folder left that were killed.
    fn undo_the_dead(&self) -> io::Result<()> {
        swap::recover(self.lock.staging(), &self.target)?;
        for place in self.target.ancestors() {
            let Ok(rest) = self.target.strip_prefix(place) else {
                continue;
            };
            let staging = lock::staging_path(place, rest);
            let is_there = staging.exists() || lock::lock_path(&staging).exists();
            if staging == self.lock.staging() || !is_there {
                continue;
            }
            // If it cannot be had, its run is alive or somebody else's.
            if let Ok(theirs) = Lock::take(staging) {
                swap::recover(theirs.staging(), &self.target)?;
            }
        }
        Ok(())
    }

    /// Where to write the file `name` for now.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        // If it fails, so does writing the file, and that is told.
        let _ = self.open();
        self.files.join(name)
    }

    fn open(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        // Closed to others: nothing in it is a result yet.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.staging)?;
        fs::create_dir_all(&self.files)
    }

    /// Where the folder will be.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where a file can be written before it takes its place beside the folder: the next run removes what a killed one
    /// left there. The folder it is in may have to be created.
    pub fn scratch(&self) -> PathBuf {
        self.lock.staging().join("scratch")
    }

    /// Also removes these files of an earlier run, by their paths in the folder, unless they are written again.
    pub fn removes(&mut self, stale: impl IntoIterator<Item = PathBuf>) {
        self.stale.extend(stale);
    }

    /// Shows everything that the folder will hold where files are staged: what is to be made of all of it can be made
    /// now. Files in `except` are left out, since they will be written.
    ///
    /// # Errors
    /// [`OutputError::Io`] if the operating system refuses.
    pub fn complete(&mut self, except: &[&str]) -> Result<(), OutputError> {
        let failed = |source| OutputError::Io {
            path: self.target.clone(),
            source,
        };
        self.open().map_err(failed)?;
        let written: HashSet<PathBuf> = swap::walk(&self.files).map_err(failed)?.into_iter().collect();
        let gone = self.gone(&written).map_err(failed)?;
        let keep = |name: &Path| !gone.is(name) && !except.iter().any(|other| name == Path::new(other));
        let carried = swap::carry(&self.target, &self.files, &keep, true).map_err(failed)?;
        self.carried = carried.into_iter().collect();
        Ok(())
    }

    /// Whether there is nothing in the folder.
    fn is_vacant(&self) -> io::Result<bool> {
        let entries = match fs::read_dir(&self.target) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            entries => entries?,
        };
        for entry in entries {
            if !self.is_hidden(&entry?.path()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether that is this run's own lock or staging folder.
    fn is_hidden(&self, path: &Path) -> bool {
        path == self.staging || path == self.lock.staging() || path == lock::lock_path(self.lock.staging())
    }

    /// What will not be there any more, given what is written.
    fn gone(&self, written: &HashSet<PathBuf>) -> io::Result<Gone<'_>> {
        let within = |name: &PathBuf| {
            name.parent()
                .filter(|parent| *parent != Path::new(""))
                .map(Path::to_owned)
        };
        Ok(Gone {
            folder: self,
            listed: if self.is_addition {
                HashSet::new()
            } else {
                listed(&self.target)
            },
            subfolders: written.iter().filter_map(within).collect(),
        })
    }

    /// Puts the folder into place.
    ///
    /// With `force`, results of an earlier run that were not written again are gone (with what was exported of them to
    /// its folder `export`), and all other files are still there.
    ///
    /// # Errors
    /// [`OutputError::Io`] if the operating system refuses, [`OutputError::NotEmpty`] if the folder was filled
    /// meanwhile.
    pub fn commit(self) -> Result<(), OutputError> {
        let is_vacant = self.is_vacant();
        let failed = |source| OutputError::Io {
            path: self.target.clone(),
            source,
        };
        let is_vacant = is_vacant.map_err(failed)?;
        if self.is_addition {
            refuse_existing(&self.target, self.ours, self.force)?;
        } else if !is_vacant && !self.force {
            return Err(OutputError::NotEmpty(self.target.clone()));
        }
        self.put(is_vacant).map_err(failed)
    }

    fn put(&self, is_vacant: bool) -> io::Result<()> {
        self.open()?;
        let mut written = swap::walk(&self.files)?;
        written.retain(|name| !self.carried.contains(name));
        swap::sync(&self.files, &written)?;
        // Replacing the folder one stands in would leave the shell nowhere.
        let is_here = std::env::current_dir().is_ok_and(|here| here.starts_with(&self.target));
        let is_inside = self.staging.starts_with(&self.target);
        if is_vacant && !is_here && !is_inside && self.appear()? {
            return Ok(());
        }
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

impl Drop for Folder {
    fn drop(&mut self) {
        if self.staging != self.lock.staging() {
            lock::remove(&self.staging);
            lock::forget(&self.staging);
        }
    }
}

/// What of an old folder is not taken over.
struct Gone<'f> {
    folder: &'f Folder,
    /// What the earlier run says that it wrote.
    listed: HashSet<PathBuf>,
    /// Subfolders that are written.
    subfolders: HashSet<PathBuf>,
}

impl Gone<'_> {
    fn is(&self, name: &Path) -> bool {
        let folder = self.folder;
        if folder.is_hidden(&folder.target.join(name)) {
            return true;
        }
        let (parent, file) = (
            name.parent().unwrap_or(Path::new("")),
            name.file_name().unwrap_or_default(),
        );
        let is_ours = folder.ours.iter().any(|ours| file == *ours);
        if folder.is_addition {
            return parent == Path::new("") && is_ours;
        }
        let is_exported = parent == Path::new(EXPORTS) && is_export(&file.to_string_lossy());
        (is_ours && (parent == Path::new("") || self.subfolders.contains(parent)))
            || (is_exported && !self.subfolders.contains(parent))
            || self.listed.contains(name)
            || folder.stale.iter().any(|stale| stale == name)
    }
}

/// Where `congraph export` writes unless told otherwise.
const EXPORTS: &str = "export";

/// The folder's full path and its lock.
fn reserve(path: &Path) -> Result<(PathBuf, Lock), OutputError> {
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
fn is_mount_point(folder: &Path) -> bool {
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

fn refuse_existing(folder: &Path, files: &[&str], force: bool) -> Result<(), OutputError> {
    match files.iter().map(|file| folder.join(file)).find(|path| path.exists()) {
        Some(path) if !force => Err(OutputError::Exists(path)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_left_without_a_commit() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(place.path().join("deep/er/out"), false).unwrap();
        fs::write(folder.path("nodes.tsv"), "x").unwrap();
        // The lock and what is staged.
        assert_eq!(names(place.path()).len(), 2);
        drop(folder);
        assert!(names(place.path()).is_empty());
    }

    #[test]
    fn a_folder_is_had_by_one_at_a_time_and_what_the_dead_left_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("deep/out");
        let folder = Folder::create(&target, false).unwrap();
        fs::write(folder.path("nodes.tsv"), "x").unwrap();
        let error = Folder::create(&target, true).unwrap_err();
        assert!(matches!(error, OutputError::Busy { process: Some(process), .. } if process == std::process::id()));
        assert!(Folder::create(place.path().join("deep/other"), false).is_ok());
        // As if it were killed: what it held is there, and nobody holds it.
        let left = [folder.lock.staging().to_owned(), lock::lock_path(folder.lock.staging())];
        drop(folder);
        let leave = || {
            fs::create_dir_all(left[0].join("files")).unwrap();
            fs::write(left[0].join("files/nodes.tsv"), "x").unwrap();
            fs::write(&left[1], "1").unwrap();
        };
        leave();
        drop(Folder::create(&target, false).unwrap());
        assert!(names(place.path()).is_empty());
        // Killed after its parents were made: it is found from there, too.
        leave();
        fs::create_dir(place.path().join("deep")).unwrap();
        Folder::create(&target, false).unwrap().commit().unwrap();
        assert_eq!((names(place.path()), names(&target)), (vec!["deep".to_owned()], vec![]));
        // Killed where two folders cannot change places, when the old one was away: it comes back.
        let staging = lock::staging_path(&place.path().join("deep"), Path::new("out"));
        fs::write(target.join("nodes.tsv"), "old").unwrap();
        fs::create_dir(&staging).unwrap();
        fs::rename(&target, staging.join("old")).unwrap();
        assert!(matches!(Folder::create(&target, false), Err(OutputError::NotEmpty(_))));
        assert_eq!(names(&target), ["nodes.tsv"]);
        assert_eq!(names(&place.path().join("deep")), ["out"]);
    }

    #[test]
    fn absent_and_empty_folders_are_replaced_whole() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("deep/er/out");
        for _ in 0..2 {
            let folder = Folder::create(&target, false).unwrap();
            fs::write(folder.path("nodes.tsv"), "x").unwrap();
            folder.commit().unwrap();
            assert_eq!(names(&target), ["nodes.tsv"]);
            assert_eq!(names(target.parent().unwrap()), ["out"]);
            fs::remove_file(target.join("nodes.tsv")).unwrap();
        }
    }

    #[test]
    fn force_replaces_our_files_and_leaves_the_others() {
        let place = tempfile::tempdir().unwrap();
        for name in ["mine.txt", "nodes.tsv", "report.html"] {
            fs::write(place.path().join(name), "old").unwrap();
        }
        assert!(matches!(
            Folder::create(place.path(), false),
            Err(OutputError::NotEmpty(_))
        ));
        let folder = Folder::create(place.path(), true).unwrap();
        fs::write(folder.path("nodes.tsv"), "new").unwrap();
        fs::create_dir(folder.path("truth")).unwrap();
        fs::write(folder.path("truth/nodes.tsv"), "new").unwrap();
        folder.commit().unwrap();
        assert_eq!(names(place.path()), ["mine.txt", "nodes.tsv", "truth"]);
        assert_eq!(fs::read_to_string(place.path().join("nodes.tsv")).unwrap(), "new");
    }

    #[test]
    fn what_was_exported_of_earlier_graphs_goes_with_them() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("export")).unwrap();
        let exported = [
            "consensus.gexf",
            "view-a.graphml",
            "graphs.npz",
            "sub-1_meas-graphlearning_relmat.json",
        ];
        for name in exported.iter().chain(&["mine.graphml", "graphs.txt"]) {
            fs::write(place.path().join("export").join(name), "old").unwrap();
        }
        for mine in [vec!["graphs.txt", "mine.graphml"], vec![]] {
            let folder = Folder::create(place.path(), true).unwrap();
            fs::write(folder.path("nodes.tsv"), "new").unwrap();
            folder.commit().unwrap();
            if mine.is_empty() {
                assert_eq!(names(place.path()), ["nodes.tsv"]);
                continue;
            }
            assert_eq!(names(&place.path().join("export")), mine);
            for name in mine {
                fs::rename(
                    place.path().join("export").join(name),
                    place.path().join("export/view-b.gexf"),
                )
                .unwrap();
            }
        }
    }

    #[test]
    fn a_file_in_the_way_and_a_folder_filled_meanwhile_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(Folder::create(&file, true), Err(OutputError::NotAFolder(_))));
        assert!(matches!(
            Folder::create(file.join("out"), true),
            Err(OutputError::NotAFolder(_))
        ));
        let target = place.path().join("out");
        let folder = Folder::create(&target, false).unwrap();
        fs::create_dir(&target).unwrap();
        fs::write(target.join("mine.txt"), "").unwrap();
        let error = folder.commit().unwrap_err();
        assert!(matches!(error, OutputError::NotEmpty(_)) && error.to_string().contains("--force"));
        assert_eq!(names(&target), ["mine.txt"]);
    }

    #[test]
    fn files_are_added_and_only_these_are_replaced() {
        const FILES: [&str; 2] = ["communities.tsv", "coclassification.npz"];
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("nodes.tsv"), "old").unwrap();
        for (force, content) in [(false, "one"), (true, "two")] {
            let folder = Folder::add_to(place.path(), &FILES, force).unwrap();
            fs::write(folder.path("communities.tsv"), content).unwrap();
            if !force {
                fs::write(folder.path("coclassification.npz"), content).unwrap();
            }
            folder.commit().unwrap();
            assert_eq!(
                fs::read_to_string(place.path().join("communities.tsv")).unwrap(),
                content
            );
        }
        assert_eq!(names(place.path()), ["communities.tsv", "nodes.tsv"]);
        let error = Folder::add_to(place.path(), &FILES, false).unwrap_err();
        assert!(matches!(error, OutputError::Exists(_)) && error.to_string().contains("communities.tsv"));
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_as_open_as_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("plain")).unwrap();
        Folder::create(place.path().join("out"), false)
            .unwrap()
            .commit()
            .unwrap();
        let mode = |name: &str| fs::metadata(place.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("out"), mode("plain"));
    }
}
