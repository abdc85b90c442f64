//! An output folder that appears whole or not at all.
//!
//! Files are staged in a hidden folder beside the target; [`Folder::commit`] renames it into place. If the program ends
//! before, nothing is left behind.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

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
            Self::Io { path, source } => write!(
                f,
                "`{}` cannot be written: {}\n  hint: check the disk and that you may write there, or choose \
                 another folder with `-o OTHER`",
                path.display(),
                source.kind()
            ),
        }
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::NotEmpty(_) | Self::Exists(_) | Self::NotAFolder(_) => None,
        }
    }
}

/// A result folder in the making.
#[derive(Debug)]
pub struct Folder {
    target: PathBuf,
    /// The files that are written or, if not, removed.
    ours: &'static [&'static str],
    /// Whether other files may be in the folder.
    is_addition: bool,
    force: bool,
    staging: TempDir,
    files: PathBuf,
}

impl Folder {
    /// Starts a result folder at `path`, which is not touched until [`Folder::commit`], nor are its parents created.
    ///
    /// # Errors
    /// [`OutputError::NotEmpty`] if the folder holds anything and `force` is not set, [`OutputError::NotAFolder`] if
    /// there is a file in its place, [`OutputError::Io`] if nothing can be written there.
    pub fn create(path: impl AsRef<Path>, force: bool) -> Result<Self, OutputError> {
        Self::start(path.as_ref(), &OURS, false, force)
    }

    /// Starts files that will be added to the folder at `path`, such as the communities of a result. Only `files` will be
    /// written there; those of an earlier run that are not written again are removed.
    ///
    /// # Errors
    /// [`OutputError::Exists`] if one of them is there already and `force` is not set, and those of [`Folder::create`].
    pub fn add_to(path: impl AsRef<Path>, files: &'static [&'static str], force: bool) -> Result<Self, OutputError> {
        Self::start(path.as_ref(), files, true, force)
    }

    fn start(path: &Path, ours: &'static [&'static str], is_addition: bool, force: bool) -> Result<Self, OutputError> {
        let target = path.to_path_buf();
        let failed = |source| OutputError::Io {
            path: target.clone(),
            source,
        };
        let exists = match fs::metadata(&target) {
            Ok(found) if !found.is_dir() => return Err(OutputError::NotAFolder(target)),
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) if error.kind() == ErrorKind::NotADirectory => return Err(OutputError::NotAFolder(target)),
            Err(error) => return Err(failed(error)),
        };
        if is_addition {
            refuse_existing(&target, ours, force)?;
        } else if exists && !force && !is_empty(&target, None).map_err(failed)? {
            return Err(OutputError::NotEmpty(target));
        }
        // A relative path must mean the same folder at the end.
        let absolute = if exists {
            fs::canonicalize(&target)
        } else {
            std::path::absolute(&target)
        }
        .map_err(failed)?;
        // Parents that do not exist yet will be on the same disk as the first that does.
        let mut parents = absolute.ancestors().skip(1);
        let parent = parents.find(|parent| parent.is_dir()).unwrap_or(&absolute);
        let stage = |place: &Path| tempfile::Builder::new().prefix(".congraph-").tempdir_in(place);
        let staging = match stage(parent) {
            // A folder may be writable where its parent is not.
            Err(_) if exists => stage(&absolute),
            staging => staging,
        }
        .map_err(failed)?;
        // One level deeper, since temporary folders are closed to others and the result should not be.
        let files = staging.path().join("files");
        fs::create_dir(&files).map_err(failed)?;
        Ok(Self {
            target: absolute,
            ours,
            is_addition,
            force,
            staging,
            files,
        })
    }

    /// Where to write the file `name` for now.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.files.join(name)
    }

    /// Where the folder will be.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the folder into place.
    ///
    /// A target that is absent or empty is replaced by one rename. With `force`, the files in a folder that holds others
    /// are replaced one by one, results of an earlier run that were not written again are removed (with what was exported of
    /// them to its folder `export`), and nothing else is touched.
    ///
    /// # Errors
    /// [`OutputError::Io`] if the operating system refuses, [`OutputError::NotEmpty`] if the folder was filled meanwhile.
    pub fn commit(self) -> Result<(), OutputError> {
        let failed = |source| OutputError::Io {
            path: self.target.clone(),
            source,
        };
        let is_vacant = !self.target.exists() || is_empty(&self.target, Some(self.staging.path())).map_err(failed)?;
        if self.is_addition {
            refuse_existing(&self.target, self.ours, self.force)?;
        } else if !is_vacant && !self.force {
            return Err(OutputError::NotEmpty(self.target.clone()));
        }
        // Replacing the folder one stands in would leave the shell nowhere.
        let is_here = std::env::current_dir().is_ok_and(|here| here.starts_with(&self.target));
        if is_vacant && !is_here {
            // Fails if there is none, or if it is a mount point; the latter is filled file by file.
            let _ = fs::remove_dir(&self.target);
            if let Some(parent) = self.target.parent() {
                fs::create_dir_all(parent).map_err(failed)?;
            }
            if fs::rename(&self.files, &self.target).is_ok() {
                return Ok(());
            }
        }
        let written: Vec<_> = self.ours.iter().filter(|name| self.files.join(name).exists()).collect();
        merge(&self.files, &self.target).map_err(failed)?;
        for name in self.ours.iter().filter(|name| !written.contains(name)) {
            match fs::remove_file(self.target.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
        }
        if !self.is_addition && !self.files.join(EXPORTS).exists() {
            remove_exports(&self.target.join(EXPORTS)).map_err(failed)?;
        }
        Ok(())
    }
}

/// Where `congraph export` writes unless told otherwise.
const EXPORTS: &str = "export";

/// Removes what was exported of the graphs that are replaced, and the folder if nothing else is in it.
fn remove_exports(folder: &Path) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() && is_export(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    // It stays if other files are in it.
    let _ = fs::remove_dir(folder);
    Ok(())
}

fn refuse_existing(folder: &Path, files: &[&str], force: bool) -> Result<(), OutputError> {
    match files.iter().map(|file| folder.join(file)).find(|path| path.exists()) {
        Some(path) if !force => Err(OutputError::Exists(path)),
        _ => Ok(()),
    }
}

fn is_empty(folder: &Path, apart_from: Option<&Path>) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if Some(entry?.path().as_path()) != apart_from {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Moves everything in `from` into `to`, over files of the same name.
fn merge(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            merge(&source, &target)?;
            continue;
        }
        match fs::rename(&source, &target) {
            // The target is a mount point: copied beside first, so that the file still appears whole.
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                let beside = tempfile::NamedTempFile::new_in(to)?;
                fs::copy(&source, beside.path())?;
                beside.persist(&target).map_err(|error| error.error)?;
            }
            moved => moved?,
        }
    }
    Ok(())
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
        assert_eq!(names(place.path()).len(), 1);
        drop(folder);
        assert!(names(place.path()).is_empty());
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
