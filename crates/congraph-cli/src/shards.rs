//! A sweep in parts: each in a file of its own, and all of them together.
//!
//! ```text
//! {"schema": "congraph.tune-shard/1", "sha256": that of the next line}
//! {"key": what it was made from, "shard": [part, parts], "words": the call, "work": what was done}
//! ```
//!
//! The items of a sweep are numbered, and what comes of one depends on its number alone. Part I of K has those whose
//! number leaves I − 1 when divided by K. Whatever is added up is a whole number, or kept item by item and added in the
//! order of numbers: the result is the same, to the byte, for any K and any order of the parts.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use congraph_io::OutputError;
use serde_json::{Value, json};

use crate::args::Global;
use crate::console;
use crate::failure::Failure;
use crate::interrupt;

/// What can be made in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sweep {
    Compare,
    Stability,
    Tune,
}

impl Sweep {
    const ALL: [Self; 3] = [Self::Compare, Self::Stability, Self::Tune];

    /// The command.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Stability => "stability",
            Self::Tune => "tune",
        }
    }

    const fn schema(self) -> &'static str {
        match self {
            Self::Compare => "congraph.compare-shard/1",
            Self::Stability => "congraph.stability-shard/2",
            Self::Tune => "congraph.tune-shard/1",
        }
    }

    /// Where a part is written: beside the folder.
    fn path_of(self, out: &Path, part: [usize; 2]) -> PathBuf {
        let mut name = out.file_name().unwrap_or(out.as_os_str()).to_os_string();
        name.push(format!(".{}-{}-of-{}.json", self.word(), part[0], part[1]));
        out.with_file_name(name)
    }
}

/// The numbers of a part's items, of so many in all.
pub(crate) fn numbers_of(part: [usize; 2], n_items: usize) -> Vec<usize> {
    (part[0] - 1..n_items).step_by(part[1]).collect()
}

/// One part, made: its bytes, and how many items it has.
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    pub(crate) n_items: usize,
}

/// A part of a sweep, made from what `key` tells.
pub(crate) fn seal(sweep: Sweep, part: [usize; 2], key: &Value, work: &Value, n_items: usize) -> Made {
    let body = json!({"key": key, "shard": part, "words": words(std::env::args_os()), "work": work}).to_string();
    let head = json!({"schema": sweep.schema(), "sha256": congraph_io::sha256(body.as_bytes())});
    Made {
        bytes: format!("{head}\n{body}").into_bytes(),
        n_items,
    }
}

/// The words of a call, without the part that was asked for: those of the whole.
fn words(call: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut words = Vec::new();
    let mut is_value = false;
    for word in call.map(|word| word.to_string_lossy().into_owned()) {
        if !std::mem::take(&mut is_value) && word != "--shard" && !word.starts_with("--shard=") {
            words.push(word);
        } else {
            is_value = word == "--shard";
        }
    }
    words
}

/// Makes a part of a sweep into its file beside the folder, whole or not at all, and tells where it is. Hours of work may
/// be in a part: it is not replaced unasked.
pub(crate) fn to_file(
    sweep: Sweep,
    out: &Path,
    part: [usize; 2],
    force: bool,
    global: &Global,
    make: impl FnOnce() -> Result<Made, Failure>,
) -> Result<(), Failure> {
    let path = sweep.path_of(out, part);
    if !force && std::fs::symlink_metadata(&path).is_ok() {
        return Err(Failure::usage(
            format!(
                "`{}` is there already, and nothing is overwritten unasked",
                path.display()
            ),
            "`congraph merge` puts it together with the other parts; `--force` replaces it",
        ));
    }
    let made = make()?;
    interrupt::uninterrupted(|| put(&path, &made.bytes)).map_err(|source| OutputError::Io {
        path: path.clone(),
        source,
    })?;
    if global.json {
        console::print(&json!({"shard": path, "jobs": made.n_items}).to_string())
    } else {
        let [part, parts] = part;
        console::print(&format!(
            "{}: part {part} of {parts}; `congraph merge` puts all of them together",
            path.display()
        ))
    }
}

/// Writes beside, then renames.
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let scratch = path.with_extension("json.part");
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .map_or(Ok(()), std::fs::create_dir_all)?;
    let mut file = File::create(&scratch)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&scratch, path)
}

/// One part of a sweep, as it was read.
pub(crate) struct Shard {
    /// Where it is from, in words.
    pub(crate) name: String,
    pub(crate) part: [usize; 2],
    key: Value,
    words: Vec<String>,
    pub(crate) work: Value,
}

/// All parts of a sweep, each once, in order.
pub(crate) struct Shards {
    pub(crate) sweep: Sweep,
    shards: Vec<Shard>,
}

impl Shards {
    /// From files.
    pub(crate) fn of_files(paths: &[PathBuf]) -> Result<Self, Failure> {
        let read = |path: &PathBuf| {
            let name = format!("`{}`", path.display());
            let bytes = std::fs::read(path).map_err(|error| refused(&name, &format!("cannot be read: {error}")))?;
            Ok((name, bytes))
        };
        Self::of(paths.iter().map(read).collect::<Result<_, Failure>>()?)
    }

    /// From the bytes of parts, with where each is from.
    pub(crate) fn of(parts: Vec<(String, Vec<u8>)>) -> Result<Self, Failure> {
        let mut all: Option<Self> = None;
        for (name, bytes) in parts {
            let (sweep, shard) = Shard::read(name, &bytes)?;
            match &mut all {
                None => {
                    let shards = vec![shard];
                    all = Some(Self { sweep, shards });
                }
                Some(all) => all.add(sweep, shard)?,
            }
        }
        let mut all = all.ok_or_else(|| Failure::usage("there are no parts", "give all that `--shard` wrote"))?;
        all.refuse_missing()?;
        all.shards.sort_by_key(|shard| shard.part);
        Ok(all)
    }

    fn add(&mut self, sweep: Sweep, shard: Shard) -> Result<(), Failure> {
        let first = &self.shards[0];
        if sweep != self.sweep {
            let [one, other] = [sweep.word(), self.sweep.word()];
            let what = format!("is a part of `{one}`, and {} of `{other}`", first.name);
            return Err(refused(&shard.name, &what));
        }
        if first.key != shard.key || first.part[1] != shard.part[1] {
            let what = format!(
                "is a part of other work than {}: of other data, options or number of parts",
                first.name
            );
            return Err(refused(&shard.name, &what));
        }
        if let Some(same) = self.shards.iter().find(|other| other.part == shard.part) {
            return Err(refused(&shard.name, &format!("is the same part as {}", same.name)));
        }
        self.shards.push(shard);
        Ok(())
    }

    fn refuse_missing(&self) -> Result<(), Failure> {
        let parts = self.shards[0].part[1];
        let is_there = |part: &usize| self.shards.iter().any(|shard| shard.part[0] == *part);
        let missing: Vec<String> = (1..=parts)
            .filter(|part| !is_there(part))
            .map(|part| part.to_string())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(
            format!("of {parts} parts these are missing: {}", missing.join(", ")),
            format!(
                "make them with `congraph {} … --shard {}/{parts}`, and give all",
                self.sweep.word(),
                missing[0]
            ),
        ))
    }

    /// The call that the parts are of.
    pub(crate) fn words(&self) -> &[String] {
        &self.shards[0].words
    }

    /// The parts, if they were made from what `key` tells.
    pub(crate) fn made_from(self, key: &Value) -> Result<Vec<Shard>, Failure> {
        match self.shards.iter().find(|shard| shard.key != *key) {
            None => Ok(self.shards),
            Some(other) => Err(refused(
                &other.name,
                "is of other data, options or another version than the files and the folder here",
            )),
        }
    }
}

impl Shard {
    fn read(name: String, bytes: &[u8]) -> Result<(Sweep, Self), Failure> {
        let damaged = || refused(&name, "is no part of a sweep, or damaged: it is not what was written");
        let line = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
        let (head, body) = (&bytes[..line], &bytes[line + 1..]);
        let head: Value = serde_json::from_slice(head).map_err(|_| damaged())?;
        let sweep = Sweep::ALL.into_iter().find(|sweep| head["schema"] == sweep.schema());
        let sweep = sweep.filter(|_| head["sha256"] == congraph_io::sha256(body));
        let sweep = sweep.ok_or_else(damaged)?;
        let mut value: Value = serde_json::from_slice(body).map_err(|_| damaged())?;
        let number = |k: usize| value["shard"][k].as_u64().map(|number| number as usize);
        let part = number(0)
            .zip(number(1))
            .filter(|(part, parts)| (1..=*parts).contains(part));
        let (part, parts) = part.ok_or_else(damaged)?;
        let words = serde_json::from_value(value["words"].take()).map_err(|_| damaged())?;
        let shard = Self {
            part: [part, parts],
            key: value["key"].take(),
            words,
            work: value["work"].take(),
            name,
        };
        Ok((sweep, shard))
    }

    /// What is said of a part that lacks items, or has others.
    pub(crate) fn incomplete(&self) -> Failure {
        refused(&self.name, "is not complete")
    }

    /// What is said of a part that another kind of processor made, with other last digits.
    pub(crate) fn computed_otherwise(&self) -> Failure {
        refused(
            &self.name,
            "was computed with other last digits than the first part: make all parts on processors of one kind",
        )
    }
}

fn refused(name: &str, what: &str) -> Failure {
    Failure::usage(
        format!("{name} {what}"),
        "give every file that one command wrote with `--shard I/K` for I = 1 … K, each once",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(made: &[(usize, Made)]) -> Vec<(String, Vec<u8>)> {
        made.iter()
            .map(|(k, made)| (format!("part {k}"), made.bytes.clone()))
            .collect()
    }

    fn some(part: [usize; 2]) -> Made {
        seal(Sweep::Tune, part, &json!({"seed": 1}), &json!([1.0 / 3.0, part[0]]), 1)
    }

    #[test]
    fn every_item_is_in_one_part() {
        for parts in 1..9 {
            let mut all: Vec<usize> = (1..=parts).flat_map(|part| numbers_of([part, parts], 7)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_byte_can_be_another_without_being_noticed() {
        let bytes = some([1, 1]).bytes;
        assert!(Shards::of(vec![("whole".into(), bytes.clone())]).is_ok());
        for at in 0..bytes.len() {
            for change in [1_u8, 2, 16, 128] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                let read = Shards::of(vec![("changed".into(), changed)]);
                assert!(read.is_err(), "byte {at}, bits {change}");
            }
            assert!(
                Shards::of(vec![("cut".into(), bytes[..at].to_vec())]).is_err(),
                "{at} bytes"
            );
        }
    }

    #[test]
    fn parts_come_back_in_order_with_every_digit() {
        let made: Vec<(usize, Made)> = [2, 3, 1].into_iter().map(|part| (part, some([part, 3]))).collect();
        let shards = Shards::of(parts(&made))
            .unwrap()
            .made_from(&json!({"seed": 1}))
            .unwrap();
        let works: Vec<&Value> = shards.iter().map(|shard| &shard.work).collect();
        assert_eq!(
            works,
            [&json!([1.0 / 3.0, 1]), &json!([1.0 / 3.0, 2]), &json!([1.0 / 3.0, 3])]
        );
        assert!(
            Shards::of(parts(&made))
                .unwrap()
                .made_from(&json!({"seed": 2}))
                .is_err()
        );
    }

    #[test]
    fn the_call_is_told_without_the_part() {
        let told = |words: &str| super::words(words.split(' ').map(OsString::from)).join(" ");
        assert_eq!(
            told("congraph tune a.csv --shard 1/2 -o out"),
            "congraph tune a.csv -o out"
        );
        assert_eq!(told("congraph tune --shard=1/2 a.csv"), "congraph tune a.csv");
        assert_eq!(told("congraph tune a.csv --shard 1/2"), "congraph tune a.csv");
    }
}
