//! Which files belong to a run: `summary.json` lists them, and whoever reads a result folder checks that they do.
//!
//! ```text
//! summary.json       run         the run's own number, which follows from the files
//!                    files       the SHA-256 of every file that the run wrote, apart from itself and report.html
//!                    node_names  the SHA-256 of the nodes' names, one per line: columns may be added to nodes.tsv
//! communities.json   run         the run whose graphs these are communities of
//!                    files       the SHA-256 of the files that came with it
//! ```
//!
//! `report.html` is made of the other files and made again when something is added to them. Folders of versions before
//! this list are read unchecked.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use congraph::Error;
use congraph::options::option;
use congraph_record::FitRecord;
use congraph_record::record::Named;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::folder::{Folder, OutputError};
use super::readback::{Sheet, WANTED, WHY};
use super::{lock, swap, write_json};
use crate::input::{Fault, fault, hexadecimal, read_regular, reason, regular};

const SUMMARY: &str = "summary.json";
const RUN: &str = "run.json";
const COMMUNITIES: &str = "communities.json";
const REPORT: &str = "report.html";
const NODES: &str = "nodes.tsv";
/// Files that change what is read of a folder, and must therefore be the run's own.
const READ: [&str; 12] = [
    RUN,
    "missing.tsv",
    "subjects.tsv",
    "edges_subjects.tsv",
    "candidates.tsv",
    "edge_costs.tsv",
    "quality.tsv",
    "recordings.tsv",
    "tune.tsv",
    "path.tsv",
    "projection.tsv",
    "matrices.npz",
];
const HINT: &str =
    "undo the change to the file, or run the command that wrote the folder again; columns may be added to nodes.tsv";

/// Writes `summary.json` of a folder whose other files are written, with the list of them; `summary` is then what was
/// written.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be read or written.
pub fn seal(folder: &Folder, summary: &mut FitRecord) -> Result<(), OutputError> {
    let staged = folder.path("");
    let failed = |source| OutputError::Io {
        path: folder.target().to_path_buf(),
        source,
    };
    let mut names = swap::walk(&staged).map_err(failed)?;
    names.retain(|name| ![SUMMARY, REPORT].iter().any(|other| name == Path::new(other)));
    let mut files = Vec::new();
    let mut all = Sha256::new();
    for name in names {
        // In the same way on every system.
        let parts: Vec<String> = name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let (name, sha256) = (parts.join("/"), sha256_of(&staged.join(&name)).map_err(failed)?);
        all.update(format!("{sha256}  {name}\n"));
        files.push((name, sha256));
    }
    summary.run = Some(hexadecimal(&all.finalize()[..16]));
    if let Ok(names) = names_of(&staged) {
        summary.node_names = Some(names);
    }
    summary.files = Some(Named(files));
    write_json(folder, SUMMARY, summary)
}

/// The same for what is added to the folder of a run: `facts` gets the run's number and the list of the files that come
/// with it.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be read or written.
pub fn seal_communities(folder: &Folder, run: &Run, facts: &mut Value) -> Result<(), OutputError> {
    let Some(id) = &run.id else {
        return write_json(folder, COMMUNITIES, facts);
    };
    let files = written(folder, &super::COMMUNITIES_FILES, COMMUNITIES)?;
    let files: Map<String, Value> = files.into_iter().map(|(name, sha256)| (name, json!(sha256))).collect();
    facts["run"] = json!(id);
    facts["files"] = Value::Object(files);
    write_json(folder, COMMUNITIES, facts)
}

/// Lists the tables that got further columns as they are now; the run keeps its number, as its results are the same.
/// Every other byte of `summary.json` stays.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be read or written.
pub fn reseal(folder: &Folder, tables: &[&str]) -> Result<(), OutputError> {
    let failed = |path: PathBuf| move |source| OutputError::Io { path, source };
    let path = folder.target().join(SUMMARY);
    let text = read_regular(&path).map_err(failed(path.clone()))?;
    let summary: FitRecord = serde_json::from_slice(&text).unwrap_or_default();
    let Some(files) = summary.files else {
        return Ok(());
    };
    let mut text = String::from_utf8_lossy(&text).into_owned();
    for name in tables {
        let staged = folder.path(name);
        let sha256 = sha256_of(&staged).map_err(failed(staged.clone()))?;
        if let Some(former) = files.get(name) {
            let entry = |sha256: &str| format!("{}: {}", json!(name), json!(sha256));
            text = text.replace(&entry(former), &entry(&sha256));
        }
    }
    super::write_text(folder, SUMMARY, &text)
}

/// The same of a folder that is being written, and was sealed before the tables got their further columns.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be read or written.
pub fn seal_with(folder: &Folder, summary: &mut FitRecord, tables: &[&str]) -> Result<(), OutputError> {
    for (name, sha256) in written(folder, tables, SUMMARY)? {
        let files = summary.files.iter_mut().flat_map(|files| &mut files.0);
        files
            .filter(|(listed, _)| *listed == name)
            .for_each(|(_, former)| former.clone_from(&sha256));
    }
    write_json(folder, SUMMARY, summary)
}

/// The SHA-256 of those files that were written, but for one.
pub(super) fn written(folder: &Folder, files: &[&str], but: &str) -> Result<Vec<(String, String)>, OutputError> {
    let mut written = Vec::new();
    for name in files.iter().filter(|name| **name != but) {
        let path = folder.path(name);
        if path.exists() {
            let sha256 = sha256_of(&path).map_err(|source| OutputError::Io { path, source })?;
            written.push(((*name).to_owned(), sha256));
        }
    }
    Ok(written)
}

/// The run whose results are in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    dir: PathBuf,
    /// What the folder says of itself.
    told: Option<Vec<u8>>,
    /// The run's number; none in folders of earlier versions, and where graphs are without a summary.
    pub(super) id: Option<String>,
}

impl Run {
    /// Checks that everything in a result folder was written by one run and not changed since.
    ///
    /// # Errors
    /// [`Error::Data`] (E07) that names the first file that was not.
    pub fn check(dir: &Path) -> Result<Self, Error> {
        Self::checked(dir).map_err(|fault| Error::from(*fault))
    }

    /// The run's number; none in folders of earlier versions.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Whether the folder is still the run's: it may have been replaced while it was read.
    ///
    /// # Errors
    /// [`Error::Data`] (E07) if it is not.
    pub fn check_again(&self) -> Result<(), Error> {
        if told(&self.dir).map_err(|fault| Error::from(*fault))? == self.told {
            return Ok(());
        }
        let what = "was replaced by another run while it was read";
        Err(Error::from(*fault(&self.dir, what, WHY, "run the command again")))
    }

    pub(super) fn checked(dir: &Path) -> Result<Self, Fault> {
        let run = Self {
            dir: dir.to_path_buf(),
            told: told(dir)?,
            id: None,
        };
        if lock::staging_path(dir, Path::new("")).join(swap::READY).exists() {
            let what = "is only half replaced: a run is putting its files into it, or was killed while it did";
            let hint = format!(
                "run the command again when no other is writing the folder; if one was killed, repeat it with {}",
                option("force")
            );
            return Err(fault(dir, what, WHY, hint));
        }
        let Some(text) = &run.told else {
            // A truth has none; a result always had one, and with it what the user was warned of.
            return match dir.join(RUN).exists() {
                false => Ok(run),
                true => Err(fault(
                    &dir.join(SUMMARY),
                    &format!("is missing, although `{RUN}` says that the folder is a result"),
                    WHY,
                    "put it back, or run the command that wrote the folder again",
                )),
            };
        };
        let path = dir.join(SUMMARY);
        let broken = |error: &dyn std::fmt::Display| {
            fault(
                &path,
                &format!("is not as it was written: {error}"),
                WHY,
                super::readback::HINT,
            )
        };
        let summary: FitRecord = serde_json::from_slice(text).map_err(|error| broken(&error))?;
        let schema = summary.schema.as_deref();
        if !schema.is_some_and(|schema| schema.starts_with("congraph.")) {
            return Err(broken(&"it does not say what it is"));
        }
        let Some(files) = &summary.files else {
            return Ok(run);
        };
        let Some(id) = &summary.run else {
            return Err(broken(&"its list of files is damaged"));
        };
        let listed = files
            .0
            .iter()
            .map(|(name, sha256)| (name.as_str(), Some(sha256.as_str())));
        compare(dir, listed, summary.node_names.as_deref())?;
        let stranger = READ
            .iter()
            .find(|name| files.get(name).is_none() && dir.join(name).exists());
        if let Some(name) = stranger {
            let what = format!("does not belong to the run that wrote `{}`", path.display());
            let why = "files of different runs say different things";
            return Err(fault(&dir.join(name), &what, why, "take it out of the folder"));
        }
        Ok(Self {
            id: Some(id.to_owned()),
            ..run
        })
    }
}

/// Whether communities in the folder are those of its graphs, which `summary` is about.
pub(super) fn check_communities(dir: &Path, summary: &FitRecord) -> Result<(), Fault> {
    let Some(run) = summary.run.as_deref() else {
        return Ok(());
    };
    let path = dir.join(COMMUNITIES);
    let broken = |what: &str| fault(&path, what, WHY, "`congraph communities --force` finds them anew");
    let text = match read_regular(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(broken("is missing, and communities.tsv is there"));
        }
        text => text.map_err(|error| unreadable(&path, &error))?,
    };
    let facts: Value =
        serde_json::from_slice(&text).map_err(|error| broken(&format!("is not as it was written: {error}")))?;
    let (Some(of), Some(files)) = (facts["run"].as_str(), facts["files"].as_object()) else {
        return Err(broken("does not say which run it belongs to"));
    };
    if of != run {
        return Err(broken("belongs to another run than the graphs beside it"));
    }
    if !files.contains_key("communities.tsv") {
        return Err(broken("does not list communities.tsv"));
    }
    let listed = files.iter().map(|(name, sha256)| (name.as_str(), sha256.as_str()));
    compare(dir, listed, None)
}

/// Whether what was added to a folder later belongs to its run, and its files are as they were listed.
pub(super) fn check_added(
    dir: &Path,
    file: &str,
    run: Option<&str>,
    files: Option<&Named<String>>,
    summary: Option<&FitRecord>,
    hint: &str,
) -> Result<(), Fault> {
    let Some(own) = summary.and_then(|summary| summary.run.as_deref()) else {
        return Ok(());
    };
    let broken = |what: &str| fault(&dir.join(file), what, WHY, hint);
    match run {
        None => return Err(broken("does not say which run it belongs to")),
        Some(other) if other != own => return Err(broken("belongs to another run than the graphs beside it")),
        Some(_) => {}
    }
    let listed = files.iter().flat_map(|files| &files.0);
    compare(
        dir,
        listed.map(|(name, sha256)| (name.as_str(), Some(sha256.as_str()))),
        None,
    )
}

/// Whether the files are as they are listed.
fn compare<'f>(
    dir: &Path,
    files: impl Iterator<Item = (&'f str, Option<&'f str>)>,
    node_names: Option<&str>,
) -> Result<(), Fault> {
    for (name, listed) in files {
        let path = dir.join(name);
        if !swap::is_inside(Path::new(name)) {
            continue;
        }
        let found = sha256_of(&path).map_err(|error| unreadable(&path, &error))?;
        if listed == Some(&found) {
            continue;
        }
        if name == NODES && node_names.is_some() {
            // Positions may have been added to it: what the other files refer to are its names.
            if Some(names_of(dir)?.as_str()) == node_names {
                continue;
            }
            let what = "does not name the nodes of the run, in their order";
            return Err(fault(&path, what, WHY, HINT));
        }
        let what = "is not the file that the run wrote: it was changed, or is another run's";
        return Err(fault(&path, what, "all files of a result folder belong together", HINT));
    }
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    let what = match error.kind() {
        ErrorKind::NotFound => "is missing, and belongs to the run".to_owned(),
        _ => format!("cannot be read: {}", reason(error)),
    };
    fault(
        path,
        &what,
        "all files of a result folder belong together",
        "put it back, or run the command that wrote the folder again",
    )
}

/// `summary.json` as it is.
fn told(dir: &Path) -> Result<Option<Vec<u8>>, Fault> {
    let path = dir.join(SUMMARY);
    match read_regular(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(fault(dir, "is not a folder", WHY, WANTED)),
        text => text.map(Some).map_err(|error| unreadable(&path, &error)),
    }
}

/// What the run in a folder says that it wrote; nothing if it does not say.
pub(super) fn listed(dir: &Path) -> HashSet<PathBuf> {
    let text = read_regular(&dir.join(SUMMARY)).unwrap_or_default();
    let summary: FitRecord = serde_json::from_slice(&text).unwrap_or_default();
    let names = summary.files.iter().flat_map(Named::names);
    names.map(PathBuf::from).filter(|name| swap::is_inside(name)).collect()
}

fn names_of(dir: &Path) -> Result<String, Fault> {
    let mut hash = Sha256::new();
    Sheet::open(dir, NODES)?.each(["name"], |_, [name]| {
        hash.update(format!("{name}\n"));
        Ok(())
    })?;
    Ok(hexadecimal(&hash.finalize()))
}

fn sha256_of(path: &Path) -> io::Result<String> {
    regular(path)?;
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match io::Read::read(&mut file, &mut buffer)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            n => hash.update(&buffer[..n]),
        }
    }
}
