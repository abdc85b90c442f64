//! An output folder that appears whole or not at all, and belongs to one run.
//!
//! From [`Folder::create`] on the folder is locked: a second run on it is refused. Files are staged beside it and
//! brought to the disk; [`Folder::commit`] then puts the whole folder into place in one step, with whatever else was in
//! the old one. Where a folder cannot be replaced (a mount point, the folder one stands in) the files are staged inside
//! and put into place one by one, `summary.json` last: it lists the SHA-256 of the others, so that no reader takes a
//! half for a whole. A run that is killed on the way is finished or undone by the next.

use congraph::options::{Plain, Spelling, option, spelled};
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::lock::{self, Lock};
use super::ours::{Gone, OURS};
use super::reserve::{is_mount_point, reserve};
use super::run::listed;
use super::swap;

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

impl OutputError {
    /// What went wrong and what to do, in the words of a face.
    pub fn told(&self, spelling: &dyn Spelling) -> String {
        let (force, elsewhere) = (option("force"), option("out").set_to("OTHER"));
        let text = match self {
            Self::NotEmpty(path) => format!(
                "the output folder `{}` is not empty, and nothing is overwritten unasked\n  \
                 hint: {force} replaces the results in it and leaves other files alone; {elsewhere} writes elsewhere",
                path.display()
            ),
            Self::Exists(path) => format!(
                "`{}` is there already, and nothing is overwritten unasked\n  hint: {force} replaces it",
                path.display()
            ),
            Self::NotAFolder(path) => format!(
                "the output path `{}` is a file, and a folder is written\n  hint: choose another with {elsewhere}",
                path.display()
            ),
            Self::Busy { path, process } => {
                let who = process.map_or_else(String::new, |process| format!(" (process {process})"));
                format!(
                    "the folder `{}` is being written by another run of congraph{who}, and two runs in one folder would \
                     mix their results\n  hint: wait until that run has ended, or write elsewhere with {elsewhere}",
                    path.display()
                )
            }
            Self::Io { path, source } => format!(
                "`{}` cannot be written: {}\n  hint: check the disk and that you may write there, or choose \
                 another folder with {elsewhere}",
                path.display(),
                plain(source)
            ),
        };
        spelled(&text, spelling)
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&Plain))
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
    pub(super) target: PathBuf,
    /// The files that are written or, if not, removed.
    pub(super) ours: &'static [&'static str],
    /// Files of an earlier run that are removed, too, unless they are written again.
    pub(super) stale: Vec<PathBuf>,
    /// Whether other files may be in the folder.
    pub(super) is_addition: bool,
    force: bool,
    lock: Lock,
    /// Beside the folder, or inside where that is another disk.
    pub(super) staging: PathBuf,
    pub(super) files: PathBuf,
    /// What [`Folder::complete`] took over.
    pub(super) carried: HashSet<PathBuf>,
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

    /// Makes the folder in which files are staged.
    pub(super) fn open(&self) -> io::Result<()> {
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
    pub(super) fn is_hidden(&self, path: &Path) -> bool {
        path == self.staging || path == self.lock.staging() || path == lock::lock_path(self.lock.staging())
    }

    /// What will not be there any more, given what is written.
    pub(super) fn gone(&self, written: &HashSet<PathBuf>) -> io::Result<Gone<'_>> {
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
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.staging != self.lock.staging() {
            lock::remove(&self.staging);
            lock::forget(&self.staging);
        }
    }
}

/// Refuses to write over a file that is there unless that is asked for.
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
        assert!(matches!(error, OutputError::NotEmpty(_)) && error.to_string().contains("`force` replaces"));
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
