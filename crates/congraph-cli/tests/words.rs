//! Options that messages mention are there, by the words that the command line has for them.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use congraph::options::Spelling;
use congraph_record::CommandLine;

use crate::commands::COMMANDS;
use crate::place::Place;

/// Where messages are made that do not know which face will tell them.
const FACELESS: [&str; 3] = ["congraph", "congraph-eeg", "congraph-io"];

/// What stands before an id in the sources, but for spaces and new lines.
const BEFORE_AN_ID: [&str; 2] = ["option(\"", "Parameter{name:\""];

#[test]
fn every_option_that_a_message_mentions_is_in_the_help() {
    let place = Place::new();
    let help = COMMANDS.map(|command| place.fine(&[command, "--help"]).stdout);
    let is_mark = |mark: char| !mark.is_ascii_alphanumeric() && mark != '-';
    let words: HashSet<&str> = help.iter().flat_map(|text| text.split(is_mark)).collect();
    let mentioned = mentioned();
    assert!(mentioned.len() > 30, "only {mentioned:?}");
    for (id, file) in mentioned {
        let word = CommandLine.name(&id);
        assert!(
            words.contains(word.as_str()),
            "{}: no command has `{word}`",
            file.display()
        );
    }
}

#[test]
fn the_mathematics_names_no_flag() {
    for file in sources("congraph") {
        let text = fs::read_to_string(&file).unwrap();
        for (k, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            assert!(
                is_comment || !names_a_flag(line),
                "{}, line {}: {line}",
                file.display(),
                k + 1
            );
        }
    }
    assert!(names_a_flag("add `--single`") && names_a_flag("\"--drop-nodes\""));
    assert!(!names_a_flag("one -- two") && !names_a_flag("x - -y"));
}

/// Two dashes before a letter, at the beginning of a word.
fn names_a_flag(line: &str) -> bool {
    line.match_indices("--").any(|(at, dashes)| {
        let begins = !line[..at].ends_with(|mark: char| mark.is_alphanumeric() || mark == '-');
        begins && line[at + dashes.len()..].starts_with(|mark: char| mark.is_ascii_lowercase())
    })
}

/// The ids in the sources, each with a file that has it.
fn mentioned() -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for file in FACELESS.iter().flat_map(|name| sources(name)) {
        let text = fs::read_to_string(&file).unwrap();
        let text: String = text.split_whitespace().collect();
        for before in BEFORE_AN_ID {
            let ids = text.split(before).skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(ids.map(|id| (id.to_owned(), file.clone())));
        }
    }
    found
}

/// All files of Rust of a crate.
fn sources(name: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files
}
