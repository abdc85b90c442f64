//! Sweeps in parts: `tune`, `stability` and `compare` with `--shard I/K`, and `congraph merge`.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Parser;
use congraph_cli::args::Cli;
use congraph_cli::console::Console;

use crate::place::Place;

const FILES: [&str; 8] = [
    "sim/view1.csv",
    "sim/view2.csv",
    "sim/view3.csv",
    "sim/view4.csv",
    "sim/view5.csv",
    "sim/view6.csv",
    "sim/view7.csv",
    "sim/view8.csv",
];
const LABELS: &str = "labels.tsv:group";

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 14 --views 8 --signals 60 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    let row = |view: usize| format!("view{view}\t{}\n", ["a", "b"][view % 2]);
    let rows: String = (1..=8).map(row).collect();
    place.write("labels.tsv", format!("view\tgroup\n{rows}"));
    place
}

/// A sweep: how it is called, without the part and the options of the run, and where its result is.
struct Sweep {
    word: &'static str,
    words: Vec<&'static str>,
}

fn sweeps() -> Vec<Sweep> {
    let tune = [
        "tune",
        "-o",
        "tuned",
        "--halvings",
        "4",
        "--no-report",
        "--density",
        "0.1:0.3",
    ];
    let compare = ["compare", "out", "--labels", LABELS, "--seed", "5"];
    vec![
        Sweep {
            word: "tune",
            words: [&tune[..], &["--similarity", "0.8:0.9"], &FILES].concat(),
        },
        Sweep {
            word: "stability",
            words: vec!["stability", "out", "--pairs", "5"],
        },
        Sweep {
            word: "compare",
            // Sixty random relabellings; below, all of the seventy that there are.
            words: [&compare[..], &["--permutations", "60"]].concat(),
        },
        Sweep {
            word: "compare",
            words: compare.to_vec(),
        },
    ]
}

impl Sweep {
    fn out(&self) -> &'static str {
        if self.word == "tune" { "tuned" } else { "out" }
    }

    fn shard(&self, place: &Place, part: usize, parts: usize) -> String {
        let asked = format!("{part}/{parts}");
        place.fine(&[&self.words[..], &["--shard", &asked]].concat());
        self.file(part, parts)
    }

    fn file(&self, part: usize, parts: usize) -> String {
        format!("{}.{}-{part}-of-{parts}.json", self.out(), self.word)
    }

    /// The result, without times.
    fn result(&self, place: &Place) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for (name, bytes) in place.everything() {
            let is_result = name.starts_with(&format!("{}/", self.out()));
            if is_result && !name.ends_with('/') && !name.ends_with("report.html") && !name.ends_with("run.json") {
                let text = bytes.iter().map(|&byte| byte as char).collect();
                let text = if name.ends_with(".json") { timeless(text) } else { text };
                let text = if name.ends_with("tune.tsv") {
                    without(&text, "seconds")
                } else {
                    text
                };
                all.insert(name, text);
            }
        }
        all
    }
}

/// A record without how long it took, and without what is told of the files that differ by that.
fn timeless(text: String) -> String {
    let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&text) else {
        return text;
    };
    for name in ["seconds", "timing", "run", "id", "seal", "files"] {
        value.as_object_mut().unwrap().remove(name);
    }
    value.to_string()
}

/// A table without one of its columns.
fn without(text: &str, column: &str) -> String {
    let at = text
        .lines()
        .next()
        .unwrap()
        .split('\t')
        .position(|name| name == column)
        .unwrap();
    let row = |line: &str| {
        let cells = line.split('\t').enumerate().filter(|(k, _)| *k != at);
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join("\t") + "\n"
    };
    text.lines().map(row).collect()
}

#[test]
fn parts_in_any_order_are_one_run_to_the_byte() {
    let place = simulated();
    place.learn(&[&FILES[..], &["--no-report"]].concat(), "out");
    for sweep in sweeps() {
        place.fine(&[&sweep.words[..], &["--force"]].concat());
        let whole = sweep.result(&place);
        for parts in [1, 2, 3] {
            let mut files: Vec<String> = (1..=parts).map(|part| sweep.shard(&place, part, parts)).collect();
            for _ in 0..parts {
                files.rotate_left(1);
                let given: Vec<&str> = files.iter().map(String::as_str).collect();
                place.fine(&[&["merge"], &given[..], &["-o", sweep.out(), "--force"]].concat());
                assert_eq!(sweep.result(&place), whole, "{:?}", sweep.words);
            }
            for file in files {
                std::fs::remove_file(place.path(&file)).unwrap();
            }
        }
    }
    // What a merged folder tells of its data serves whatever asks for them.
    place.fine(&["stability", "tuned", "--pairs", "2"]);
}

#[test]
fn cells_beyond_the_grid_are_left_to_merge() {
    // Denser than the usual grid.
    let place = Place::new();
    let words = "simulate --nodes 14 --views 3 --signals 400 --edge-probability 0.6 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    let words = ["--halvings", "2", "--no-report", "--similarity", "0.8:0.85"];
    let sweep = Sweep {
        word: "tune",
        words: [&["tune", "-o", "tuned"], &words[..], &FILES[..3]].concat(),
    };
    place.fine(&sweep.words);
    let whole = sweep.result(&place);
    let n_cells = |result: &BTreeMap<String, String>| result["tuned/tune.tsv"].lines().count() - 1;
    let files: Vec<String> = (1..=2).map(|part| sweep.shard(&place, part, 2)).collect();
    place.fine(&["merge", &files[1], &files[0], "-o", "tuned", "--force"]);
    assert_eq!(sweep.result(&place), whole);
    // There are others than those of the grid, or this shows nothing.
    let text = place.read(&files[0]);
    let body: serde_json::Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    let of_grid = body["work"]["path"]["cells"].as_array().unwrap().len();
    assert!(
        n_cells(&whole) > of_grid,
        "{} cells, {of_grid} in the grid",
        n_cells(&whole)
    );
}

#[test]
fn what_is_missing_doubled_foreign_or_damaged_is_named() {
    let place = simulated();
    place.learn(&[&FILES[..], &["--no-report"]].concat(), "out");
    for sweep in sweeps().into_iter().take(3) {
        let files: Vec<String> = (1..=3).map(|part| sweep.shard(&place, part, 3)).collect();
        let [one, two, three] = [&files[0][..], &files[1], &files[2]];
        let before = place.everything();
        let refused = |files: &[&str], told: &str| {
            let outcome = place.run(&[&["merge"], files, &["-o", sweep.out(), "--force"]].concat());
            assert_eq!(outcome.code, 2, "{}", outcome.stderr);
            assert!(outcome.stderr.contains(told), "{told}: {}", outcome.stderr);
        };
        refused(&[one, three], "these are missing: 2");
        refused(&[three], "these are missing: 1, 2");
        refused(&[one, two, one], &format!("is the same part as `{one}`"));
        refused(&[one, "sim/view1.csv"], "`sim/view1.csv` is no part of a sweep");
        refused(&["nowhere.json"], "`nowhere.json` cannot be read");
        assert_eq!(place.everything(), before);
        // Hours of work are not overwritten unasked.
        let again = place.run(&[&sweep.words[..], &["--shard", "2/3"]].concat());
        assert!(
            again.code == 2 && again.stderr.contains("nothing is overwritten unasked"),
            "{}",
            again.stderr
        );
        // Of another seed, and of another number of parts.
        place.fine(&[&other_seed(&sweep.words)[..], &["--shard", "2/3", "--force"]].concat());
        refused(
            &[one, two, three],
            &format!("`{two}` is a part of other work than `{one}`"),
        );
        let of_two = sweep.shard(&place, 2, 2);
        refused(&[one, &of_two, three], &format!("`{of_two}` is a part of other work"));
        // Cut short, as by a full disk.
        let bytes = place.read(three);
        place.write(three, &bytes[..bytes.len() - 20]);
        refused(&[one, three], &format!("`{three}` is no part of a sweep, or damaged"));
        // Sealed, but without some of its items.
        place.write(three, without_items(&bytes));
        place.fine(&[&sweep.words[..], &["--shard", "2/3", "--force"]].concat());
        refused(&[one, two, three], &format!("`{three}` is not complete"));
        place.write(three, bytes);
        place.fine(&["merge", three, two, one, "-o", sweep.out(), "--force"]);
    }
    refused_together(&place);
}

/// Parts of two sweeps, data that changed, and what cannot be made in parts.
fn refused_together(place: &Place) {
    let mixed = [
        "merge",
        "tuned.tune-1-of-3.json",
        "out.stability-2-of-3.json",
        "-o",
        "out",
        "--force",
    ];
    let outcome = place.run(&mixed);
    assert!(
        outcome.code == 2
            && outcome
                .stderr
                .contains("is a part of `stability`, and `tuned.tune-1-of-3.json` of `tune`"),
        "{}",
        outcome.stderr
    );
    let text = place.read(FILES[0]);
    let (head, first) = text.split_once('\n').unwrap();
    place.write(FILES[0], format!("{head}\n{}", first.replacen('1', "2", 1)));
    let tuned: Vec<String> = (1..=3).map(|part| format!("tuned.tune-{part}-of-3.json")).collect();
    let files: Vec<&str> = tuned.iter().map(String::as_str).collect();
    let outcome = place.run(&[&["merge"], &files[..], &["-o", "tuned", "--force"]].concat());
    assert!(
        outcome.code == 2 && outcome.stderr.contains("is of other data, options or another version"),
        "{}",
        outcome.stderr
    );
    let outcome = place.run(&[&["merge"], &files[..], &["-o", "tuned", "--force", "--data", FILES[0]]].concat());
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--data is for parts of `stability`"),
        "{}",
        outcome.stderr
    );
    let methods = ["--methods", "smooth", "--shard", "1/2", "-o", "methods"];
    let outcome = place.run(&[&["tune"], &FILES[..], &methods].concat());
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--methods cannot be made in parts"),
        "{}",
        outcome.stderr
    );
    for wrong in ["0/2", "3/2", "2", "a/b"] {
        let outcome = place.run(&["stability", "out", "--shard", wrong]);
        assert!(
            outcome.code == 2 && outcome.stderr.contains("such as 2/8"),
            "{}",
            outcome.stderr
        );
    }
}

fn other_seed<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut words = words.to_vec();
    if let Some(at) = words.iter().position(|word| *word == "--seed") {
        words.drain(at..at + 2);
    }
    [&words[..], &["--seed", "77"]].concat()
}

/// A part without one of its items, sealed again.
fn without_items(text: &str) -> String {
    let (head, body) = text.split_once('\n').unwrap();
    let mut head: serde_json::Value = serde_json::from_str(head).unwrap();
    let mut body: serde_json::Value = serde_json::from_str(body).unwrap();
    let work = body["work"].as_object_mut().unwrap();
    for name in ["jobs", "numbers"] {
        if let Some(items) = work.get_mut(name) {
            items.as_array_mut().unwrap().pop();
        }
    }
    if let Some(halved) = work.get_mut("halved") {
        let halved = halved.as_object_mut().unwrap();
        let first = halved.keys().next().unwrap().clone();
        halved.remove(&first);
    }
    let body = body.to_string();
    head["sha256"] = congraph_io::sha256(body.as_bytes()).into();
    format!("{head}\n{body}")
}

/// As a program does whose processes send their parts to one of them.
#[test]
fn other_programs_carry_parts_as_bytes() {
    let place = simulated();
    place.learn(&[&FILES[..], &["--no-report"]].concat(), "out");
    let console = Console::new(true, false);
    for sweep in sweeps() {
        place.fine(&[&sweep.words[..], &["--force"]].concat());
        let whole = sweep.result(&place);
        // This process stands elsewhere.
        let placed = |word: &&str| match word.split(':').next() {
            Some("sim" | "out" | "tuned" | "labels.tsv") => place.path(word).display().to_string(),
            _ if word.starts_with("sim/") => place.path(word).display().to_string(),
            _ => (*word).to_owned(),
        };
        let words: Vec<String> = sweep.words.iter().map(placed).collect();
        let words = ["congraph", "--quiet"].map(String::from).into_iter().chain(words);
        let cli = Cli::try_parse_from(words.chain(["--force".into()])).unwrap();
        assert!(congraph_cli::is_sweep(&cli));
        congraph_cli::check_place(&cli).unwrap();
        let part = |part: usize| congraph_cli::part_of(&cli, [part, 2], &console).unwrap();
        congraph_cli::finish(&cli, vec![part(2), part(1)], &console).unwrap();
        let found = sweep.result(&place);
        for name in [
            "edges.tsv",
            "edges_long.tsv",
            "tune.tsv",
            "compare_edges.tsv",
            "compare_nodes.tsv",
        ] {
            let name = format!("{}/{name}", sweep.out());
            assert_eq!(found.get(&name), whole.get(&name), "{name}");
        }
        let refused = congraph_cli::finish(&cli, vec![part(2)], &console).unwrap_err();
        assert!(refused.to_string().contains("these are missing: 1"), "{refused}");
    }
    let learn = Cli::try_parse_from(["congraph", "learn", "a.csv", "-o", "b"]).unwrap();
    assert!(!congraph_cli::is_sweep(&learn) && congraph_cli::part_of(&learn, [1, 2], &console).is_err());
}

/// SIGKILL leaves no part, and nothing that hinders the next try.
#[cfg(unix)]
#[test]
fn a_part_that_was_killed_is_made_again() {
    let place = simulated();
    let sweep = &sweeps()[0];
    let other = sweep.shard(&place, 1, 2);
    let mut run = Command::new(assert_cmd::cargo::cargo_bin!("congraph"))
        .current_dir(place.path(""))
        .args([&other_halvings(&sweep.words)[..], &["--shard", "2/2"]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    run.kill().unwrap();
    assert!(!run.wait().unwrap().success(), "it was done before it was killed");
    assert!(!place.path(&sweep.file(2, 2)).exists());
    let again = sweep.shard(&place, 2, 2);
    place.fine(&["merge", &again, &other, "-o", "tuned"]);
    let merged = sweep.result(&place);
    place.fine(&[&sweep.words[..], &["--force"]].concat());
    assert_eq!(sweep.result(&place), merged);
}

/// So many that the part is still being made when it is killed.
fn other_halvings<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words
        .iter()
        .map(|&word| if word == "4" { "100000" } else { word })
        .collect()
}
