//! A list, a glob or a folder → recordings, whose they are, and the tables beside them.
//!
//! ```text
//! NAME=FILE           the subject is NAME
//! --subject-pattern   the part of the file's name that stands where the pattern says {subject}
//! sub-01_…_eeg.bdf    the BIDS entity: sub-01
//! S001R03.edf         else the name without its ending: S001R03
//! ```
//!
//! A folder is searched with all folders in it, except hidden ones and those in which BIDS keeps other things; of
//! recordings that have BIDS names only the `_eeg` ones are taken. Tables beside a recording follow the inheritance
//! principle of BIDS: those of its own folder, else of the folders above up to the one that holds all subjects; they
//! may not have an entity that the recording does not have, and the one with most of them is taken.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use congraph::options::option;
use congraph::{Code, DataError, Error, list_names};

use super::grouping::Entities;
use super::unreadable;
use crate::input::{Fault, Input, fault};

const WHY: &str = "every recording given is used, and none is left out silently";
/// Folders of a BIDS data set that hold something else than its recordings.
const ELSEWHERE: [&str; 4] = ["derivatives", "sourcedata", "code", "stimuli"];
/// Deeper than any data set is.
const DEEPEST: usize = 12;

/// A recording to read, whose it is, and the tables beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingFile {
    /// The file.
    pub path: PathBuf,
    /// Whose it is.
    pub subject: String,
    /// The view it becomes a part of: the subject, until a [`Grouping`](super::Grouping) says more.
    pub view: String,
    /// Whether the file was given with a name of its own, `NAME=FILE`.
    pub is_named: bool,
    /// What its name tells besides the subject.
    pub entities: Entities,
    /// `_events.tsv`.
    pub events: Option<PathBuf>,
    /// `_channels.tsv`.
    pub channels: Option<PathBuf>,
    /// `_electrodes.tsv`.
    pub electrodes: Option<PathBuf>,
}

/// Finds the recordings that words of a command line mean: files, quoted globs, folders, each with `NAME=` before it if
/// the subject is to be called so.
///
/// `subject_pattern` tells which part of a file's name is the subject: `{subject}` stands for it, `*` and `?` for
/// anything else.
///
/// # Errors
/// E07 if a file or a match is not there or does not fit the pattern, E06 if one is given twice; [`Error::Parameter`]
/// if the pattern cannot be one.
pub fn find_recordings(
    words: &[String],
    subject_pattern: Option<&str>,
    with_sidecars: bool,
) -> Result<Vec<RecordingFile>, Error> {
    let pattern = subject_pattern.map(SubjectPattern::new).transpose()?;
    let mut found: Vec<RecordingFile> = Vec::new();
    let mut errors: Vec<DataError> = Vec::new();
    let mut seen = Vec::new();
    for word in words {
        let input = Input::parse(word);
        let paths = expand(&input.path).unwrap_or_else(|fault| {
            errors.push(*fault);
            Vec::new()
        });
        for path in paths {
            let place = path.canonicalize().unwrap_or_else(|_| path.clone());
            if seen.contains(&place) {
                let what = format!("`{}` is given twice", path.display());
                let why = "its trials would count twice";
                errors.push(DataError::new(Code::E06, what, why, "leave one of them out"));
                continue;
            }
            seen.push(place);
            match subject(&path, &input, pattern.as_ref()) {
                Err(fault) => errors.push(*fault),
                Ok(subject) => {
                    let table = |suffix: &str| with_sidecars.then(|| beside(&path, suffix)).flatten();
                    found.push(RecordingFile {
                        view: subject.clone(),
                        subject,
                        is_named: input.name.is_some() && path == input.path,
                        entities: Entities::of(&path),
                        events: table("events"),
                        channels: table("channels"),
                        electrodes: table("electrodes"),
                        path,
                    });
                }
            }
        }
    }
    if errors.is_empty() {
        Ok(found)
    } else {
        Err(Error::Data(errors))
    }
}

/// The files that a path means.
fn expand(path: &Path) -> Result<Vec<PathBuf>, Fault> {
    let text = path.to_string_lossy();
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => in_folder(path),
        Ok(_) => Ok(vec![path.to_owned()]),
        Err(_) if text.contains(['*', '?', '[']) => {
            let wrong = |error: &dyn std::fmt::Display| {
                fault(
                    path,
                    &format!("is no pattern of files: {error}"),
                    WHY,
                    "check its brackets and stars",
                )
            };
            let matches = glob::glob(&text).map_err(|error| wrong(&error))?;
            let mut paths: Vec<PathBuf> = matches.collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
            if paths.is_empty() {
                return Err(fault(
                    path,
                    "matches no file",
                    WHY,
                    "check the path; `*` stands for anything but `/`",
                ));
            }
            paths.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
            Ok(paths)
        }
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut files = Vec::new();
    walk(folder, DEEPEST, &mut HashSet::new(), &mut files).map_err(|error| unreadable(folder, &error))?;
    let ending = |path: &PathBuf| path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let mut recordings: Vec<PathBuf> = files
        .iter()
        .filter(|path| matches!(ending(path).as_deref(), Some("edf" | "bdf")))
        .cloned()
        .collect();
    let is_bids = |path: &PathBuf| entities(path).is_some_and(|(_, suffix)| suffix == "eeg");
    if recordings.iter().any(is_bids) {
        recordings.retain(is_bids);
    }
    if recordings.is_empty() {
        let mut there: Vec<String> = files
            .iter()
            .filter_map(ending)
            .map(|ending| format!(".{ending}"))
            .collect();
        there.sort_unstable();
        there.dedup();
        let what = if there.is_empty() {
            "holds no recordings; it is empty".into()
        } else {
            format!(
                "holds no recordings (.edf, .bdf); there are files of {}",
                list_names(&there)
            )
        };
        return Err(fault(
            folder,
            &what,
            WHY,
            "give another folder, or convert the recordings to EDF or BDF",
        ));
    }
    recordings.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(recordings)
}

/// Every folder once, by whatever links it is reached: links may go round in circles.
fn walk(folder: &Path, depth: usize, seen: &mut HashSet<PathBuf>, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !seen.insert(folder.canonicalize()?) {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if depth > 0 && !ELSEWHERE.contains(&name.as_str()) {
                walk(&path, depth - 1, seen, files)?;
            }
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn subject(path: &Path, input: &Input, pattern: Option<&SubjectPattern>) -> Result<String, Fault> {
    if let Some(name) = &input.name {
        return Ok(name.clone());
    }
    let stem = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
    if let Some(pattern) = pattern {
        return pattern.subject(&stem).ok_or_else(|| {
            let what = format!(
                "does not match {}; without its ending it is `{stem}`",
                option("subject_pattern").set_to(&pattern.text).bare()
            );
            fault(
                path,
                &what,
                "the pattern tells whose it is",
                "change the pattern, or name the subject: NAME=FILE",
            )
        });
    }
    let entity = stem.split('_').find(|part| part.len() > 4 && part.starts_with("sub-"));
    Ok(entity.unwrap_or(&stem).to_owned())
}

/// What stands before and after the subject in the names of files.
struct SubjectPattern {
    text: String,
    before: glob::Pattern,
    after: glob::Pattern,
}

impl SubjectPattern {
    fn new(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Parameter {
            name: "subject_pattern",
            message: format!(
                "is `{text}`; it must hold {{subject}} once, and may hold * and ? around it, such as {{subject}}R*"
            ),
        };
        let (before, after) = text.split_once("{subject}").ok_or_else(wrong)?;
        if after.contains("{subject}") {
            return Err(wrong());
        }
        let part = |text: &str| glob::Pattern::new(text).map_err(|_| wrong());
        Ok(Self {
            text: text.to_owned(),
            before: part(before)?,
            after: part(after)?,
        })
    }

    /// The shortest that fits.
    fn subject(&self, stem: &str) -> Option<String> {
        let places: Vec<usize> = (0..=stem.len()).filter(|&at| stem.is_char_boundary(at)).collect();
        let starts = places.iter().filter(|&&at| self.before.matches(&stem[..at]));
        for &start in starts {
            let mut ends = places.iter().filter(|&&at| at > start);
            if let Some(&end) = ends.find(|&&end| self.after.matches(&stem[end..])) {
                return Some(stem[start..end].to_owned());
            }
        }
        None
    }
}

/// The `key-value` parts of a BIDS name and what stands after them; none if a part is not such a pair.
fn entities(path: &Path) -> Option<(Vec<(String, String)>, String)> {
    let stem = path.file_stem()?.to_string_lossy().into_owned();
    let mut parts: Vec<&str> = stem.split('_').collect();
    let suffix = parts.pop()?.to_owned();
    let pairs: Option<Vec<(String, String)>> = parts
        .iter()
        .map(|part| {
            part.split_once('-')
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
        })
        .collect();
    pairs.map(|pairs| (pairs, suffix))
}

/// The table with this suffix that BIDS applies to the recording.
fn beside(recording: &Path, suffix: &str) -> Option<PathBuf> {
    let (wanted, _) = entities(recording)?;
    if wanted.first().is_none_or(|(key, _)| key != "sub") {
        return None;
    }
    let mut folder = recording.parent()?.to_owned();
    if folder == Path::new("") {
        folder = ".".into();
    }
    let own = folder.canonicalize().ok()?;
    // Up to the folder that holds that of the subject.
    let is_of_subject = |folder: &&Path| {
        folder
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("sub-"))
    };
    let highest = own
        .ancestors()
        .position(|folder| is_of_subject(&folder))
        .map_or(0, |k| k + 1);
    for above in 0..=highest {
        let entries = std::fs::read_dir(&folder).ok()?;
        let mut fitting: Vec<(usize, PathBuf)> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension() == Some(OsStr::new("tsv")))
            .filter_map(|path| {
                let (pairs, found) = entities(&path)?;
                let fits = pairs.iter().all(|pair| pair.0 == "space" || wanted.contains(pair));
                (found == suffix && fits).then_some((pairs.len(), path))
            })
            .collect();
        fitting.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        if let Some((_, path)) = fitting.into_iter().next() {
            return Some(path.strip_prefix("./").map_or(path.clone(), Path::to_owned));
        }
        if above < highest {
            folder = match folder.parent() {
                Some(parent) if parent != Path::new("") => parent.to_owned(),
                _ => folder.join(".."),
            };
        }
    }
    None
}

/// Numbers in names by their value: run-2 before run-10.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    let digits = |text: &str| text.len() - text.trim_start_matches(|mark: char| mark.is_ascii_digit()).len();
    loop {
        let (n, m) = (digits(a), digits(b));
        if n > 0 && m > 0 {
            let (x, y) = (a[..n].trim_start_matches('0'), b[..m].trim_start_matches('0'));
            let by_value = x.len().cmp(&y.len()).then_with(|| x.cmp(y)).then_with(|| n.cmp(&m));
            if by_value != Ordering::Equal {
                return by_value;
            }
            (a, b) = (&a[n..], &b[m..]);
            continue;
        }
        let (mut rest_a, mut rest_b) = (a.chars(), b.chars());
        match (rest_a.next(), rest_b.next()) {
            (Some(x), Some(y)) if x == y => (a, b) = (rest_a.as_str(), rest_b.as_str()),
            (x, y) => return x.cmp(&y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_files(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    fn found(folder: &tempfile::TempDir, word: &str, pattern: Option<&str>) -> Result<Vec<RecordingFile>, String> {
        let word = match word.split_once('=') {
            Some((name, path)) => format!("{name}={}", folder.path().join(path).display()),
            None => folder.path().join(word).display().to_string(),
        };
        find_recordings(&[word], pattern, true).map_err(|error| error.to_string())
    }

    #[test]
    fn a_bids_folder_is_searched_and_tables_are_inherited() {
        let folder = with_files(&[
            "task-x_channels.tsv",
            "task-x_events.tsv",
            "participants.tsv",
            "derivatives/sub-01/eeg/sub-01_task-x_eeg.edf",
            "sub-02/eeg/sub-02_task-x_run-10_eeg.bdf",
            "sub-02/eeg/sub-02_task-x_run-2_eeg.bdf",
            "sub-02/eeg/sub-02_task-x_run-2_events.tsv",
            "sub-02/eeg/sub-02_task-x_events.tsv",
            "sub-02/eeg/sub-02_task-y_events.tsv",
            "sub-02/eeg/sub-02_space-CapTrak_electrodes.tsv",
            "sub-01/ses-1/eeg/sub-01_ses-1_task-x_eeg.edf",
            "sub-01/ses-1/eeg/sub-01_ses-1_task-x_channels.tsv",
            "sub-01/ieeg/sub-01_task-x_ieeg.edf",
        ]);
        let all = found(&folder, "", None).unwrap();
        let shown = |path: &Option<PathBuf>| {
            let name = path
                .as_ref()
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
            name.unwrap_or_default()
        };
        let told: Vec<[String; 5]> = all
            .iter()
            .map(|file| {
                [
                    shown(&Some(file.path.clone())),
                    file.subject.clone(),
                    shown(&file.events),
                    shown(&file.channels),
                    shown(&file.electrodes),
                ]
            })
            .collect();
        let electrodes = "sub-02_space-CapTrak_electrodes.tsv";
        let expected = [
            [
                "sub-01_ses-1_task-x_eeg.edf",
                "sub-01",
                "task-x_events.tsv",
                "sub-01_ses-1_task-x_channels.tsv",
                "",
            ],
            [
                "sub-02_task-x_run-2_eeg.bdf",
                "sub-02",
                "sub-02_task-x_run-2_events.tsv",
                "task-x_channels.tsv",
                electrodes,
            ],
            [
                "sub-02_task-x_run-10_eeg.bdf",
                "sub-02",
                "sub-02_task-x_events.tsv",
                "task-x_channels.tsv",
                electrodes,
            ],
        ];
        assert_eq!(told, expected.map(|row| row.map(str::to_owned)));
    }

    #[cfg(unix)]
    #[test]
    fn links_that_go_round_in_circles_end() {
        let folder = with_files(&["sub-1/a.edf", "sub-2/b.edf"]);
        // Each opens a way into all others: 12 deep, there would be more ways than can be walked.
        for k in 0..12 {
            for subject in ["sub-1", "sub-2"] {
                let link = folder.path().join(subject).join(format!("link{k}"));
                std::os::unix::fs::symlink(folder.path(), link).unwrap();
            }
        }
        let all = found(&folder, "", None).unwrap();
        assert_eq!(
            all.iter().map(|file| file.subject.as_str()).collect::<Vec<_>>(),
            ["a", "b"]
        );
    }

    #[test]
    fn subjects_are_told_by_name_pattern_entity_or_file() {
        let folder = with_files(&["S001R03.edf", "S001R07.edf", "sub-7_task-a_eeg.edf", "odd.edf"]);
        let subjects = |word: &str, pattern| -> Result<Vec<String>, String> {
            Ok(found(&folder, word, pattern)?
                .into_iter()
                .map(|file| file.subject)
                .collect())
        };
        assert_eq!(subjects("me=S001R03.edf", None).unwrap(), ["me"]);
        assert_eq!(subjects("S00*.edf", None).unwrap(), ["S001R03", "S001R07"]);
        assert_eq!(subjects("S00*.edf", Some("{subject}R*")).unwrap(), ["S001", "S001"]);
        assert_eq!(subjects("S00*.edf", Some("S*R{subject}")).unwrap(), ["03", "07"]);
        assert_eq!(subjects("sub-7_task-a_eeg.edf", None).unwrap(), ["sub-7"]);
        assert!(
            subjects("odd.edf", Some("{subject}R*"))
                .unwrap_err()
                .contains("it is `odd`")
        );
        assert!(
            subjects("odd.edf", Some("R*"))
                .unwrap_err()
                .contains("must hold {subject} once")
        );
    }

    #[test]
    fn what_is_not_there_or_there_twice_is_told() {
        let folder = with_files(&["a.edf", "other/x.set", "other/x.fdt", "empty/.hidden"]);
        let message = |word: &str| found(&folder, word, None).unwrap_err();
        assert!(message("b.edf").contains("cannot be read"));
        assert!(message("b*.edf").contains("matches no file"));
        assert!(message("other").contains("there are files of `.fdt` and `.set`"));
        assert!(message("empty").contains("it is empty"));
        let path = folder.path().join("a.edf").display().to_string();
        let twice = find_recordings(&[path.clone(), path], None, true)
            .unwrap_err()
            .to_string();
        assert!(twice.contains("E06") && twice.contains("given twice"));
    }

    #[test]
    fn numbers_in_names_are_in_order() {
        let mut names = ["run-10", "run-2", "run-02", "run", "run-1b", "run-1a"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["run", "run-1a", "run-1b", "run-2", "run-02", "run-10"]);
    }
}
