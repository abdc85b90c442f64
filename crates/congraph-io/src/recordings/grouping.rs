//! Which recordings are used, and which of them become one view.
//!
//! A file's name tells session, task, acquisition and run where it follows BIDS
//! (`sub-01_ses-2_task-rest_acq-hd_run-1_eeg.edf`); the session may also be that of a folder (`ses-2/…`). A view is a
//! subject, or what [`Grouping::views_by`] splits it into. **Only runs are ever joined unasked**: recordings of
//! different tasks, sessions or acquisitions in one view are refused with a list of what is there, and so are two files
//! of the same name. Whoever names the view of each file (`NAME=FILE`) has asked.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use congraph::options::option;
use congraph::{Code, DataError, Error, list_names};

use super::RecordingFile;
use super::files::natural;

/// A part of a file's name that BIDS gives a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entity {
    /// `ses-`.
    Session,
    /// `task-`.
    Task,
    /// `acq-`.
    Acquisition,
    /// `run-`.
    Run,
}

impl Entity {
    /// All of them, in the order in which BIDS writes them.
    pub const ALL: [Self; 4] = [Self::Session, Self::Task, Self::Acquisition, Self::Run];

    /// Its key in the names of files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Session => "ses",
            Self::Task => "task",
            Self::Acquisition => "acq",
            Self::Run => "run",
        }
    }

    /// What it is called in words, and as an option.
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Task => "task",
            Self::Acquisition => "acquisition",
            Self::Run => "run",
        }
    }
}

/// What the name of a recording tells about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entities {
    known: [Option<String>; 4],
    /// Others, such as `desc-clean`, of names that begin with `sub-`.
    others: BTreeMap<String, String>,
}

impl Entities {
    /// What a path tells.
    pub(super) fn of(path: &Path) -> Self {
        let stem = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
        let mut found = Self::default();
        let is_bids = stem.starts_with("sub-");
        for part in stem.split('_') {
            let Some((key, value)) = part.split_once('-').filter(|(_, value)| !value.is_empty()) else {
                continue;
            };
            match Entity::ALL.iter().position(|entity| entity.key() == key) {
                Some(place) => found.known[place] = Some(value.to_owned()),
                None if is_bids && key != "sub" => drop(found.others.insert(key.to_owned(), value.to_owned())),
                None => {}
            }
        }
        let session = || {
            let folders = path.ancestors().skip(1).filter_map(Path::file_name);
            let names = folders.map(OsStr::to_string_lossy).take(SESSION_ABOVE);
            let value = |name: &str| Some(name.strip_prefix("ses-")?.to_owned()).filter(|value| !value.is_empty());
            names.into_iter().find_map(|name| value(&name))
        };
        found.known[0] = found.known[0].take().or_else(session);
        found
    }

    /// The value of one, if the name has it.
    pub fn get(&self, entity: Entity) -> Option<&str> {
        self.known[entity as usize].as_deref()
    }
}

/// How many folders above a recording may tell its session: `ses-2/eeg/…`.
const SESSION_ABOVE: usize = 2;

/// Which recordings are used, and what a view is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// The values that are kept of each entity, `rest` or `task-rest`; all if there is none.
    pub kept: Vec<(Entity, Vec<String>)>,
    /// What splits a subject's recordings into views.
    pub views_by: Vec<Entity>,
}

impl Grouping {
    /// The recordings that are kept, each with the name of its view.
    ///
    /// # Errors
    /// E07 if a value that is asked for, or an entity to split by, is in no name; E06 if a view would join what
    /// differs.
    pub fn apply(&self, files: Vec<RecordingFile>) -> Result<Vec<RecordingFile>, Error> {
        let unknown: Vec<DataError> = self.kept.iter().filter_map(|kept| unknown(kept, &files)).collect();
        if !unknown.is_empty() {
            return Err(Error::Data(unknown));
        }
        let is_kept = |file: &RecordingFile| self.kept.iter().all(|(entity, values)| has(file, *entity, values));
        let (mut kept, left): (Vec<_>, Vec<_>) = files.into_iter().partition(is_kept);
        if kept.is_empty() {
            return Err(nothing_left(&self.kept, &left).into());
        }
        let absent: Vec<DataError> = self.views_by.iter().filter_map(|by| unsplit(*by, &kept)).collect();
        if !absent.is_empty() {
            return Err(Error::Data(absent));
        }
        for file in &mut kept {
            file.view = self.view(file);
        }
        let mixed = self.mixed(&kept);
        if mixed.is_empty() {
            Ok(kept)
        } else {
            Err(Error::Data(mixed))
        }
    }

    /// The subject with what it is split by, as BIDS writes it.
    fn view(&self, file: &RecordingFile) -> String {
        let mut name = file.subject.clone();
        for entity in Entity::ALL.into_iter().filter(|entity| self.views_by.contains(entity)) {
            if let Some(value) = file.entities.get(entity) {
                name += &format!("_{}-{value}", entity.key());
            }
        }
        name
    }

    /// What differs within views although it may not.
    fn mixed(&self, files: &[RecordingFile]) -> Vec<DataError> {
        let mut views: BTreeMap<&str, Vec<&RecordingFile>> = BTreeMap::new();
        for file in files {
            views.entry(&file.view).or_default().push(file);
        }
        // Who has named the view of every file knows what is joined.
        views.retain(|_, files| files.len() > 1 && !files.iter().all(|file| file.is_named));
        let kinds = [Entity::Session, Entity::Task, Entity::Acquisition];
        let mixing = |entity: Entity| -> Vec<&str> {
            let differs = |files: &[&RecordingFile]| {
                let value = files[0].entities.get(entity);
                files.iter().any(|file| file.entities.get(entity) != value)
            };
            let mixing = views.iter().filter(|(_, files)| differs(files));
            mixing.map(|(view, _)| *view).collect()
        };
        let found: Vec<(Entity, Vec<&str>)> = kinds.map(|kind| (kind, mixing(kind))).into();
        let found: Vec<(Entity, Vec<&str>)> = found.into_iter().filter(|(_, views)| !views.is_empty()).collect();
        let mut split: Vec<Entity> = self.views_by.clone();
        split.extend(found.iter().map(|(entity, _)| *entity));
        split.sort_unstable();
        let mut errors: Vec<DataError> = found
            .iter()
            .map(|(entity, views)| joins(*entity, views, files, &split))
            .collect();
        if errors.is_empty() {
            errors.extend(views.iter().filter_map(|(view, files)| other_kinds(view, files)));
        }
        if errors.is_empty() {
            errors.extend(views.iter().filter_map(|(view, files)| same_name(view, files)));
        }
        errors
    }
}

/// Whether a recording has one of these values. Runs are numbers: 1 is 01.
fn has(file: &RecordingFile, entity: Entity, values: &[String]) -> bool {
    let Some(own) = file.entities.get(entity) else {
        return false;
    };
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| entity == Entity::Run);
    values.iter().any(|value| {
        let value = plain(entity, value);
        value == own || number(value).is_some_and(|value| number(own) == Some(value))
    })
}

/// `rest` of `task-rest`.
fn plain(entity: Entity, value: &str) -> &str {
    let value = value.trim();
    let short = value.strip_prefix(entity.key()).and_then(|rest| rest.strip_prefix('-'));
    short.unwrap_or(value)
}

/// The values of an entity, each with how many recordings have it.
fn there(entity: Entity, files: &[RecordingFile]) -> Vec<String> {
    let mut counts: Vec<(Option<&str>, usize)> = Vec::new();
    for file in files {
        let value = file.entities.get(entity);
        match counts.iter_mut().find(|(known, _)| *known == value) {
            Some((_, n)) => *n += 1,
            None => counts.push((value, 1)),
        }
    }
    counts.sort_by(|a, b| natural(a.0.unwrap_or_default(), b.0.unwrap_or_default()));
    let told = |(value, n): (Option<&str>, usize)| {
        let of = match value {
            Some(value) => format!("`{value}`"),
            None => format!("no {} in the name", entity.word()),
        };
        format!("{of} ({})", recordings(n))
    };
    counts.into_iter().map(told).collect()
}

fn recordings(n: usize) -> String {
    if n == 1 {
        "1 recording".into()
    } else {
        format!("{n} recordings")
    }
}

/// An error if a value that is asked for is in no name.
fn unknown((entity, values): &(Entity, Vec<String>), files: &[RecordingFile]) -> Option<DataError> {
    let is_there = |value: &&String| files.iter().any(|file| has(file, *entity, &[(*value).clone()]));
    let absent: Vec<&String> = values.iter().filter(|value| !is_there(value)).collect();
    if absent.is_empty() {
        return None;
    }
    let word = entity.word();
    Some(DataError::new(
        Code::E07,
        format!(
            "no recording is of {word} {}; of {} there are {}",
            list_names(&absent),
            recordings(files.len()),
            there(*entity, files).join(", ")
        ),
        format!(
            "{} keeps the recordings whose names have `{}-…` with one of its values",
            option(word),
            entity.key()
        ),
        format!("spell it as in the names of the files, or leave out {}", option(word)),
    ))
}

/// No recording has all that is asked for.
fn nothing_left(kept: &[(Entity, Vec<String>)], files: &[RecordingFile]) -> DataError {
    let asked = |(entity, values): &(Entity, Vec<String>)| option(entity.word()).set_to(values.join(",")).bare();
    let asked: Vec<String> = kept.iter().map(|kept| asked(kept).to_string()).collect();
    let lists = kept
        .iter()
        .map(|(entity, _)| format!("{}: {}", entity.word(), there(*entity, files).join(", ")));
    DataError::new(
        Code::E07,
        format!(
            "none of {} is of `{}` at once; there are {}",
            recordings(files.len()),
            asked.join(" "),
            lists.collect::<Vec<_>>().join("; ")
        ),
        "a recording is kept if it has one of the values of each",
        "ask for fewer of them, or for values that occur together",
    )
}

/// An error if no recording has what views are split by.
fn unsplit(by: Entity, files: &[RecordingFile]) -> Option<DataError> {
    let is_absent = files.iter().all(|file| file.entities.get(by).is_none());
    is_absent.then(|| {
        DataError::new(
            Code::E07,
            format!(
                "{}: none of {} has `{}-…` in its name",
                option("views_by").set_to(by.word()).bare(),
                recordings(files.len()),
                by.key()
            ),
            format!("names tell it as BIDS writes them: sub-01_{}-1_eeg.edf", by.key()),
            format!("leave `{}` out, or name the view of each file: NAME=FILE", by.word()),
        )
    })
}

/// Views that would join recordings of different kinds.
fn joins(entity: Entity, views: &[&str], files: &[RecordingFile], split: &[Entity]) -> DataError {
    let word = entity.word();
    let by: Vec<&str> = split.iter().map(|entity| entity.word()).collect();
    let own: Vec<RecordingFile> = files
        .iter()
        .filter(|file| views.contains(&file.view.as_str()))
        .cloned()
        .collect();
    let first = own.iter().find_map(|file| file.entities.get(entity)).unwrap_or("…");
    DataError::new(
        Code::E06,
        format!(
            "{} {} would join recordings of different {word}s: {}",
            if views.len() == 1 { "view" } else { "the views" },
            list_names(views),
            there(entity, &own).join(", ")
        ),
        format!("one graph of several {word}s at once is that of none of them"),
        format!(
            "{} keeps one, {} makes a view of each; to join them all the same, name the view of each file: NAME=FILE",
            option(word).set_to(first),
            option("views_by").set_to(by.join(","))
        ),
    )
}

/// Recordings of a view that differ in something else than their runs.
fn other_kinds(view: &str, files: &[&RecordingFile]) -> Option<DataError> {
    let is_joined = |key: &str| key == "split";
    let keys = files.iter().flat_map(|file| file.entities.others.keys());
    let key = keys.filter(|key| !is_joined(key)).find(|key| {
        files
            .iter()
            .any(|file| file.entities.others.get(*key) != files[0].entities.others.get(*key))
    })?;
    let mut values: Vec<String> = files
        .iter()
        .map(|file| {
            let value = file.entities.others.get(key);
            value.map_or_else(|| format!("no {key}-"), |value| format!("{key}-{value}"))
        })
        .collect();
    values.sort_by(|a, b| natural(a, b));
    values.dedup();
    Some(
        DataError::new(
            Code::E06,
            format!(
                "view `{view}` would join recordings that differ in `{key}-`: {}",
                list_names(&values)
            ),
            "they may be the same recording twice, or recordings that do not belong together",
            format!("give the ones you mean, for example '**/*_{}_*.edf'", values[0]),
        )
        .in_view(view),
    )
}

/// Two files of the same name in one view: of two people, or twice the same.
fn same_name(view: &str, files: &[&RecordingFile]) -> Option<DataError> {
    let stem = |file: &RecordingFile| file.path.file_stem().map(OsStr::to_os_string);
    let alike = |one: &RecordingFile, two: &RecordingFile| stem(one) == stem(two) && one.entities == two.entities;
    let (one, two) = files
        .iter()
        .enumerate()
        .find_map(|(k, one)| Some((one, files[..k].iter().find(|two| alike(one, two))?)))
        .map(|(one, two)| (two.path.display(), one.path.display()))?;
    Some(
        DataError::new(
            Code::E06,
            format!("view `{view}` would join `{one}` and `{two}`, which have the same name"),
            "they may be of two people, or the same recording twice",
            "leave one of them out, or name their views: NAME=FILE",
        )
        .in_view(view),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, subject: &str) -> RecordingFile {
        RecordingFile {
            path: path.into(),
            subject: subject.into(),
            view: subject.into(),
            is_named: false,
            entities: Entities::of(Path::new(path)),
            events: None,
            channels: None,
            electrodes: None,
        }
    }

    fn study() -> Vec<RecordingFile> {
        let mut files = Vec::new();
        for subject in ["sub-01", "sub-02"] {
            for session in ["1", "2"] {
                for (task, run) in [("rest", "01"), ("rest", "02"), ("motor", "01")] {
                    let path = format!("{subject}_ses-{session}_task-{task}_run-{run}_eeg.edf");
                    files.push(file(&path, subject));
                }
            }
        }
        files
    }

    fn views(grouping: &Grouping, files: Vec<RecordingFile>) -> Result<Vec<(String, usize)>, String> {
        let mut views: Vec<(String, usize)> = Vec::new();
        for file in grouping.apply(files).map_err(|error| error.to_string())? {
            match views.iter_mut().find(|(view, _)| *view == file.view) {
                Some((_, n)) => *n += 1,
                None => views.push((file.view, 1)),
            }
        }
        Ok(views)
    }

    fn kept(words: &[(Entity, &str)]) -> Vec<(Entity, Vec<String>)> {
        let one = |&(entity, values): &(Entity, &str)| (entity, values.split(',').map(str::to_owned).collect());
        words.iter().map(one).collect()
    }

    #[test]
    fn what_differs_is_refused_with_what_is_there() {
        let message = views(&Grouping::default(), study()).unwrap_err();
        assert!(
            message.contains(
                "E06: the views `sub-01` and `sub-02` would join recordings of different sessions: `1` \
                (6 recordings), `2` (6 recordings)"
            ),
            "{message}"
        );
        assert!(
            message.contains("recordings of different tasks: `motor` (4 recordings), `rest` (8 recordings)"),
            "{message}"
        );
        assert!(message.contains("`views_by = session,task`"), "{message}");
        let rest = Grouping {
            kept: kept(&[(Entity::Task, "task-rest"), (Entity::Session, "2")]),
            ..Grouping::default()
        };
        assert_eq!(
            views(&rest, study()).unwrap(),
            [("sub-01".into(), 2), ("sub-02".into(), 2)]
        );
    }

    #[test]
    fn views_are_what_they_are_split_by() {
        let by = |views_by: &[Entity], kept| Grouping {
            kept,
            views_by: views_by.to_vec(),
        };
        let names = |found: Vec<(String, usize)>| found.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let both = views(&by(&[Entity::Task, Entity::Session], Vec::new()), study()).unwrap();
        assert_eq!(both[0], ("sub-01_ses-1_task-rest".into(), 2));
        assert_eq!(both.len(), 8);
        let runs = by(&[Entity::Run], kept(&[(Entity::Task, "rest"), (Entity::Session, "1")]));
        assert_eq!(
            names(views(&runs, study()).unwrap()),
            ["sub-01_run-01", "sub-01_run-02", "sub-02_run-01", "sub-02_run-02"]
        );
        let message = views(&by(&[Entity::Session], Vec::new()), study()).unwrap_err();
        assert!(
            message.contains("different tasks") && !message.contains("different sessions"),
            "{message}"
        );
    }

    #[test]
    fn what_is_asked_for_and_not_there_is_told() {
        let asked = |words: &[(Entity, &str)]| {
            let grouping = Grouping {
                kept: kept(words),
                ..Grouping::default()
            };
            views(&grouping, study())
        };
        let message = asked(&[(Entity::Task, "rest,sleep")]).unwrap_err();
        assert!(
            message.contains(
                "no recording is of task `sleep`; of 12 recordings there are `motor` (4 recordings), \
                `rest` (8 recordings)"
            ),
            "{message}"
        );
        let message = asked(&[(Entity::Task, "motor"), (Entity::Run, "2")]).unwrap_err();
        assert!(
            message.contains("none of 12 recordings is of `task = motor run = 2` at once"),
            "{message}"
        );
        let one = [(Entity::Task, "rest"), (Entity::Run, "1"), (Entity::Session, "1")];
        assert_eq!(asked(&one).unwrap().len(), 2);
        let by_run = Grouping {
            views_by: vec![Entity::Acquisition],
            ..Grouping::default()
        };
        assert!(
            views(&by_run, study())
                .unwrap_err()
                .contains("none of 12 recordings has `acq-…`")
        );
    }

    #[test]
    fn sessions_of_folders_and_names_that_are_almost_bids_count_too() {
        let refused = |paths: &[&str]| {
            let files = paths.iter().map(|path| file(path, "s")).collect();
            views(&Grouping::default(), files).unwrap_err()
        };
        assert!(refused(&["ses-1/s.edf", "ses-2/s.edf"]).contains("different sessions"));
        assert!(refused(&["s_task-a.edf", "s_task-b.edf"]).contains("different tasks"));
        assert!(
            refused(&["sub-1_task-a_eeg.edf", "sub-1_task-a_acq-hd_eeg.edf"]).contains("no acquisition in the name")
        );
        assert!(refused(&["a/s.edf", "b/s.edf"]).contains("have the same name"));
        assert!(refused(&["sub-1_desc-raw_eeg.edf", "sub-1_desc-clean_eeg.edf"]).contains("differ in `desc-`"));
    }

    #[test]
    fn who_names_every_file_is_believed() {
        let mut files = study();
        for file in &mut files {
            file.is_named = true;
        }
        assert_eq!(views(&Grouping::default(), files).unwrap().len(), 2);
    }
}
