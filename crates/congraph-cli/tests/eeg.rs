//! `congraph eeg` on the excerpt in `examples/data/eeg`: what it writes, where it takes things from, and what it
//! refuses.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use crate::place::{Outcome, Place};

const SUBJECTS: [&str; 6] = ["S001", "S002", "S003", "S004", "S005", "S006"];
const AROUND: [&str; 4] = ["--events", "T1,T2", "--window", "0:0.5"];
const BAND: [&str; 2] = ["--band", "4:7"];
const DIALS: [&str; 4] = ["--density", "0.2", "--similarity", "0.8"];

fn excerpt(subject: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/eeg");
    std::fs::read(root.join(format!("{subject}R03.edf"))).unwrap()
}

/// Some recordings of the excerpt.
fn with_recordings(n: usize) -> Place {
    let place = Place::new();
    for subject in &SUBJECTS[..n] {
        place.write(&format!("{subject}R03.edf"), excerpt(subject));
    }
    place
}

fn eeg(place: &Place, words: &[&[&str]]) -> Outcome {
    place.run(&[&["eeg"], &words.concat()[..]].concat())
}

fn fine(place: &Place, words: &[&[&str]]) -> Outcome {
    let outcome = eeg(place, words);
    assert_eq!(outcome.code, 0, "{words:?}: {outcome:?}");
    outcome
}

/// A table of an output folder: row by row, cell by column.
fn table(place: &Place, file: &str) -> Vec<BTreeMap<String, String>> {
    let text = place.read(file);
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines.map(|row| head.iter().cloned().zip(row).collect()).collect()
}

fn column(place: &Place, file: &str, name: &str) -> Vec<String> {
    table(place, file).iter().map(|row| row[name].clone()).collect()
}

#[test]
fn from_recordings_to_graphs() {
    let place = with_recordings(6);
    let outcome = fine(
        &place,
        &[&["S*.edf"], &AROUND, &BAND, &["--csd"], &DIALS, &["-o", "out"]],
    );
    let (line, gap) = outcome.stdout.split_once("relative gap ").unwrap();
    let unasked = " s; how sure each edge is has not been asked: congraph stability out\n";
    assert!(gap.contains("(converged), ") && gap.ends_with(unasked), "{gap}");
    insta::assert_snapshot!("result_line", line);
    insta::assert_snapshot!("recordings", place.read("out/recordings.tsv"));
    let run: serde_json::Value = serde_json::from_str(&place.read("out/run.json")).unwrap();
    assert_eq!(
        (&run["kind"], run["inputs"].as_array().unwrap().len()),
        (&"eeg".into(), 6)
    );
    insta::assert_snapshot!("steps", serde_json::to_string_pretty(&run["eeg"]["steps"]).unwrap());
    assert_eq!(run["eeg"]["recordings"][0]["n_trials"], "4");
    let nodes = table(&place, "out/nodes.tsv");
    assert_eq!(nodes.len(), 32);
    let cz = nodes.iter().find(|row| row["name"] == "Cz").unwrap();
    let at: Vec<f64> = ["x", "y", "z"].iter().map(|axis| cz[*axis].parse().unwrap()).collect();
    assert!(at[0].abs() < 1e-9 && at[1].abs() < 1e-9 && at[2] > 0.08, "{at:?}");
    assert_eq!(column(&place, "out/views.tsv", "n_samples"), ["320"; 6]);
    // Every other command reads the folder.
    place.fine(&["communities", "out", "--runs", "5"]);
}

#[test]
fn what_is_saved_gives_the_same_graphs() {
    let place = with_recordings(3);
    let model = ["--alpha", "0.05", "--beta", "0.03"];
    fine(
        &place,
        &[
            &["S*.edf"],
            &AROUND,
            &BAND,
            &["--reference", "average", "--save-views", "views"],
            &model,
            &["-o", "out"],
        ],
    );
    let files = ["views/S001R03.csv", "views/S002R03.csv", "views/S003R03.csv"];
    place.fine(
        &[
            &["learn"],
            &files[..],
            &["--block-column", "trial"],
            &model,
            &["-o", "again"],
        ]
        .concat(),
    );
    for file in ["edges.tsv", "edges_long.tsv", "matrices.npz"] {
        let bytes = |out: &str| std::fs::read(place.path(&format!("{out}/{file}"))).unwrap();
        assert_eq!(bytes("out"), bytes("again"), "{file}");
    }
    let trials = place.read("views/S001R03.csv");
    let trials: Vec<&str> = trials
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap())
        .collect();
    assert_eq!((trials.len(), trials[0], trials[319]), (320, "1:T2", "4:T2"));
    // Of fewer subjects: what an earlier run left would be mixed in.
    place.write("views/mine.csv", "mine");
    fine(
        &place,
        &[
            &["S001R03.edf", "S002R03.edf"],
            &AROUND,
            &["--save-views", "views"],
            &model,
            &["-o", "out", "--force"],
        ],
    );
    let left: Vec<String> = place
        .everything()
        .into_keys()
        .filter(|name| name.starts_with("views/") && name.len() > 6)
        .collect();
    assert_eq!(
        left,
        [
            "views/S001R03.csv",
            "views/S002R03.csv",
            "views/mine.csv",
            "views/positions.tsv",
            "views/recordings.tsv",
            "views/views.json"
        ]
    );
}

#[test]
fn a_bids_folder_with_its_tables() {
    let place = Place::new();
    let events = "onset\tduration\ttrial_type\n4.0\t0\tgo\n8.5\t0\tgo\n12\t0\tstop\n16\t0\tgo\n";
    for (k, subject) in SUBJECTS[..3].iter().enumerate() {
        let name = format!("bids/sub-{k}/eeg/sub-{k}_task-fists");
        place.write(&format!("{name}_eeg.edf"), excerpt(subject));
        place.write(&format!("{name}_events.tsv"), events);
    }
    let bad = "name\ttype\tstatus\nFc5.\tEEG\tbad\nFc1.\tEEG\tgood\nC3..\tEOG\tgood\n";
    place.write("bids/sub-1/eeg/sub-1_task-fists_channels.tsv", bad);
    let around = ["--events", "go", "--window", "-0.1:0.4", "--baseline", "-0.1:0"];
    // The electrodes that all have are asked for.
    let refused = eeg(&place, &[&["bids"], &around, &DIALS, &["-o", "out"]]);
    assert_eq!(refused.code, 3);
    assert!(
        refused.stderr.contains("E02") && refused.stderr.contains("--nodes common"),
        "{}",
        refused.stderr
    );
    fine(
        &place,
        &[&["bids"], &around, &["--nodes", "common"], &DIALS, &["-o", "out"]],
    );
    assert_eq!(column(&place, "out/views.tsv", "name"), ["sub-0", "sub-1", "sub-2"]);
    assert_eq!(column(&place, "out/recordings.tsv", "n_trials"), ["3"; 3]);
    assert_eq!(column(&place, "out/recordings.tsv", "bad"), ["", "Fc5.,C3..", ""]);
    assert!(
        column(&place, "out/recordings.tsv", "events_from")
            .iter()
            .all(|file| file.ends_with("_events.tsv"))
    );
    let nodes = column(&place, "out/nodes.tsv", "name");
    assert!(nodes.len() == 30 && !nodes.contains(&"FC5".to_owned()) && !nodes.contains(&"C3".to_owned()));
    // Or everyone takes part with what they have.
    let words = [
        &["bids"],
        &around[..],
        &["--missing", "mask", "--density", "0.2", "-o", "masked"],
    ]
    .concat();
    let masked = fine(&place, &[&words]);
    assert!(
        masked.stderr.contains("W03") && masked.stderr.contains("sub-1"),
        "{}",
        masked.stderr
    );
    assert_eq!(column(&place, "masked/missing.tsv", "view"), ["sub-1"; 2]);
    let mut lacking = column(&place, "masked/missing.tsv", "node");
    lacking.sort_unstable();
    assert_eq!(lacking, ["C3", "FC5"]);
    assert_eq!(column(&place, "masked/nodes.tsv", "name").len(), 32);
    // Without the tables it is the recording that tells, and it has no such event.
    let without = eeg(
        &place,
        &[&["bids"], &around, &["--no-sidecars"], &DIALS, &["-o", "other"]],
    );
    assert_eq!(without.code, 3);
    assert!(without.stderr.contains("T0 (4×)"), "{}", without.stderr);
}

/// Two subjects with two tasks of two runs, one of them in two sessions.
fn study() -> Place {
    let place = Place::new();
    let names = [
        "sub-01/ses-1/eeg/sub-01_ses-1_task-rest_run-1",
        "sub-01/ses-1/eeg/sub-01_ses-1_task-rest_run-2",
        "sub-01/ses-1/eeg/sub-01_ses-1_task-motor_run-1",
        "sub-01/ses-2/eeg/sub-01_ses-2_task-rest_run-1",
        "sub-02/ses-1/eeg/sub-02_ses-1_task-rest_run-1",
        "sub-02/ses-1/eeg/sub-02_ses-1_task-rest_run-2",
        "sub-02/ses-1/eeg/sub-02_ses-1_task-motor_run-1",
    ];
    for (name, subject) in names.iter().zip(SUBJECTS.iter().cycle()) {
        place.write(&format!("bids/{name}_eeg.edf"), excerpt(subject));
    }
    place
}

#[test]
fn what_differs_is_never_joined_unasked() {
    let place = study();
    let before = place.everything();
    let refused = |name: &str, code: i32, words: &[&str]| {
        let outcome = eeg(&place, &[&["bids"], words, &AROUND, &DIALS, &["-o", "out"]]);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (code, ""),
            "{name}: {outcome:?}"
        );
        insta::assert_snapshot!(format!("refused_{name}"), outcome.stderr);
    };
    refused("tasks_and_sessions_of_one_view", 3, &[]);
    refused("sessions_of_one_view", 3, &["--task", "rest"]);
    refused("task_not_there", 3, &["--task", "rest,sleep"]);
    refused("nothing_of_all_that", 3, &["--task", "motor", "--session", "2"]);
    refused("views_by_what_is_not_there", 3, &["--views-by", "acquisition"]);
    refused("views_by_nonsense", 2, &["--views-by", "hour"]);
    assert_eq!(place.everything(), before);
    // The same names in a list of files.
    let files: Vec<String> = before
        .into_keys()
        .filter(|name| name.ends_with("_task-rest_run-1_eeg.edf"))
        .collect();
    let words: Vec<&str> = files.iter().map(String::as_str).collect();
    let listed = eeg(&place, &[&words, &AROUND, &DIALS, &["-o", "out"]]);
    assert_eq!(listed.code, 3);
    assert!(listed.stderr.contains("different sessions"), "{}", listed.stderr);
    // Who names the view of every file has asked for it.
    let named: Vec<String> = files
        .iter()
        .enumerate()
        .map(|(k, file)| format!("v{}={file}", k % 2))
        .collect();
    let words: Vec<&str> = named.iter().map(String::as_str).collect();
    fine(&place, &[&words, &AROUND, &DIALS, &["-o", "named"]]);
    assert_eq!(column(&place, "named/views.tsv", "name"), ["v0", "v1"]);
}

#[test]
fn runs_are_joined_and_views_are_what_is_asked_for() {
    let place = study();
    let one = ["bids", "--task", "rest", "--session", "1"];
    let joined = fine(&place, &[&one, &AROUND, &DIALS, &["-o", "out"]]);
    assert!(
        joined.stderr.contains("note: 2 views join 2 recordings each"),
        "{}",
        joined.stderr
    );
    assert_eq!(column(&place, "out/views.tsv", "name"), ["sub-01", "sub-02"]);
    assert_eq!(column(&place, "out/recordings.tsv", "run"), ["1", "2", "1", "2"]);
    assert_eq!(column(&place, "out/recordings.tsv", "task"), ["rest"; 4]);
    let report = place.read("out/report.html");
    assert!(report.contains("(4 recordings of the session 1 and the task rest, "));
    assert!(report.contains("Runs of the same subject were joined (2 in 2 of 2 views)."));
    fine(
        &place,
        &[
            &[
                "bids",
                "--views-by",
                "session,task",
                "--bad",
                "sub-02:Cz,sub-01_ses-2_task-rest:Fz",
                "--missing",
                "mask",
            ],
            &AROUND,
            &["--density", "0.2", "-o", "split"],
        ],
    );
    let names = [
        "sub-01_ses-1_task-motor",
        "sub-01_ses-1_task-rest",
        "sub-01_ses-2_task-rest",
        "sub-02_ses-1_task-motor",
        "sub-02_ses-1_task-rest",
    ];
    assert_eq!(column(&place, "split/views.tsv", "name"), names);
    assert_eq!(
        column(&place, "split/missing.tsv", "view"),
        [names[2], names[3], names[4]]
    );
    let report = place.read("split/report.html");
    assert!(report.contains("EEG of 2 subjects (7 recordings, "), "methods");
    assert!(report.contains("Each view is one session and task of a subject (5 views)."));
    let run: serde_json::Value = serde_json::from_str(&place.read("split/run.json")).unwrap();
    assert_eq!(
        run["eeg"]["steps"][0]["settings"]["views_by"],
        serde_json::json!(["subject", "session", "task"])
    );
}

#[test]
fn recordings_without_trials_are_all_named_and_can_be_left_out() {
    let place = Place::new();
    let events = "onset\tduration\ttrial_type\n4.0\t0\tgo\n8.5\t0\tgo\n12\t0\tgo\n";
    for subject in 1..=12 {
        for run in 1..=2 {
            let name = format!("bids/sub-{subject:02}/eeg/sub-{subject:02}_task-a_run-{run}");
            place.write(&format!("{name}_eeg.edf"), excerpt(SUBJECTS[(subject + run) % 6]));
            // Of nine subjects nothing is left in the second run; of one of them nothing at all.
            let is_empty = run == 2 && subject > 3 || subject == 12;
            let late = "onset\tduration\ttrial_type\n400\t0\tgo\n401\t0\tgo\n402\t0\tgo\n";
            let others = events.replace("go", "stop");
            let told = match (is_empty, subject) {
                (false, _) => events,
                (true, 5) => &others,
                (true, _) => late,
            };
            place.write(&format!("{name}_events.tsv"), told);
        }
    }
    let before = place.everything();
    let words: [&[&str]; 3] = [&["bids", "--events", "go", "--window", "0:0.5"], &DIALS, &["-o", "out"]];
    let refused = eeg(&place, &words);
    assert_eq!(refused.code, 3, "{refused:?}");
    for subject in 4..=12 {
        let name = format!("sub-{subject:02}_task-a_run-2_eeg.edf");
        assert!(refused.stderr.contains(&name), "{name}: {}", refused.stderr);
    }
    assert_eq!(refused.stderr.matches("error: ").count(), 10, "{}", refused.stderr);
    assert!(refused.stderr.contains("leave such recordings out with `--drop-empty`"));
    assert!(!refused.stderr.contains("congraph check"), "{}", refused.stderr);
    assert_eq!(place.everything(), before);
    let fine = fine(&place, &[words[0], words[1], words[2], &["--drop-empty"]]);
    let told = "W05: 10 of 24 recordings have no trials left and were left out (";
    assert!(
        fine.stderr.contains(told) && fine.stderr.matches("dropped.tsv").count() == 1,
        "{}",
        fine.stderr
    );
    assert!(
        fine.stderr.contains("view `sub-12` has no other and is left out too"),
        "{}",
        fine.stderr
    );
    assert_eq!(column(&place, "out/views.tsv", "name").len(), 11);
    let dropped = table(&place, "out/dropped.tsv");
    assert_eq!(dropped.len(), 10);
    assert!(
        dropped[1]["reason"].contains("has no event `go`; its events are `stop (3×)`"),
        "{}",
        dropped[1]["reason"]
    );
    assert_eq!(
        (dropped[0]["n_events"].as_str(), dropped[0]["n_outside"].as_str()),
        ("3", "3")
    );
    assert_eq!(column(&place, "out/recordings.tsv", "view").len(), 14);
    let summary: serde_json::Value = serde_json::from_str(&place.read("out/summary.json")).unwrap();
    assert_eq!(summary["recordings"]["n_dropped"], 10);
    assert!(
        place
            .read("out/report.html")
            .contains("10 more recordings had no trials left and were left out, and with them all of sub-12.")
    );
    // A later run that drops nothing leaves no table of an earlier one.
    let other = eeg(
        &place,
        &[
            &["bids", "--run", "1", "--every", "2"],
            &DIALS,
            &["-o", "out", "--force"],
        ],
    );
    assert_eq!(other.code, 0, "{other:?}");
    assert!(!place.path("out/dropped.tsv").exists());
}

#[test]
fn recordings_of_one_subject_are_joined_and_trials_counted() {
    let place = Place::new();
    for (name, subject) in [("aR1", "S001"), ("aR2", "S002"), ("bR1", "S003"), ("bR2", "S004")] {
        place.write(&format!("{name}.edf"), excerpt(subject));
    }
    let words = ["*.edf", "--subject-pattern", "{subject}R*", "--first", "6"];
    fine(
        &place,
        &[
            &words,
            &AROUND,
            &["--bad", "a:Cz,Fz", "--nodes", "common"],
            &DIALS,
            &["-o", "out"],
        ],
    );
    assert_eq!(column(&place, "out/views.tsv", "name"), ["a", "b"]);
    assert_eq!(
        column(&place, "out/views.tsv", "file"),
        ["aR1.edf; aR2.edf", "bR1.edf; bR2.edf"]
    );
    assert_eq!(column(&place, "out/views.tsv", "n_samples"), ["480"; 2]);
    assert_eq!(column(&place, "out/recordings.tsv", "n_used"), ["4", "2", "4", "2"]);
    assert_eq!(
        column(&place, "out/recordings.tsv", "bad"),
        ["Cz..,Fz..", "Cz..,Fz..", "Fz..", "Fz.."]
    );
}

#[test]
fn positions_come_from_the_file_that_is_given() {
    let place = with_recordings(2);
    let labels = ["FC5", "FC1", "FC2", "FC6", "C3", "Cz"];
    let row = |(k, label): (usize, &&str)| format!("{label}\t0.0{}\t0.0{}\t0.09\n", k, 7 - k);
    let rows: String = labels.iter().enumerate().map(row).collect();
    place.write("cap.tsv", format!("name\tx\ty\tz\n{rows}"));
    fine(
        &place,
        &[&["S*.edf", "--montage", "cap.tsv"], &AROUND, &DIALS, &["-o", "out"]],
    );
    assert_eq!(
        column(&place, "out/nodes.tsv", "name"),
        ["FC5", "FC1", "FC2", "FC6", "C3", "Cz"]
    );
    assert_eq!(column(&place, "out/nodes.tsv", "x")[1], "0.01");
    assert_eq!(column(&place, "out/recordings.tsv", "positions_from"), ["cap.tsv"; 2]);
}

#[test]
fn threads_and_order_do_not_matter() {
    let place = with_recordings(3);
    let run = |files: &[&str], threads: &str, out: &str| {
        fine(
            &place,
            &[
                files,
                &AROUND,
                &BAND,
                &["--csd", "--threads", threads],
                &DIALS,
                &["-o", out],
            ],
        );
        let mut lines: Vec<String> = place
            .read(&format!("{out}/edges_long.tsv"))
            .lines()
            .map(str::to_owned)
            .collect();
        lines.sort_unstable();
        (lines, place.read(&format!("{out}/edges.tsv")))
    };
    let one = run(&["S001R03.edf", "S002R03.edf", "S003R03.edf"], "1", "one");
    assert_eq!(one, run(&["S001R03.edf", "S002R03.edf", "S003R03.edf"], "3", "two"));
    assert_eq!(one, run(&["S003R03.edf", "S001R03.edf", "S002R03.edf"], "2", "three"));
}

#[test]
fn without_events_the_recording_is_cut_end_to_end() {
    let place = with_recordings(2);
    let words = ["S*.edf", "--every", "2", "--reject", "500", "--first", "5"];
    fine(&place, &[&words, &DIALS, &["-o", "out", "--quiet"]]);
    assert_eq!(column(&place, "out/recordings.tsv", "n_events"), ["15"; 2]);
    assert_eq!(column(&place, "out/recordings.tsv", "n_used"), ["5"; 2]);
    let summary = fine(&place, &[&["S*.edf", "--density", "0.2", "-o", "second", "--json"]]).json();
    assert_eq!((&summary["n_views"], &summary["n_nodes"]), (&2.into(), &32.into()));
    assert_eq!(column(&place, "second/views.tsv", "n_samples"), ["4800"; 2]);
}

/// The messages of a code in a summary, with their views.
fn warned(place: &Place, file: &str, code: &str) -> Vec<(String, String)> {
    let summary: serde_json::Value = serde_json::from_str(&place.read(file)).unwrap();
    let warnings = summary["warnings"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let of_code = warnings.iter().filter(|warning| warning["code"] == code);
    of_code
        .map(|warning| (text(&warning["view"]), text(&warning["message"])))
        .collect()
}

#[test]
fn few_effective_samples_and_single_trials_are_told_of() {
    let place = with_recordings(2);
    let one = ["--events", "T1,T2", "--window", "0:0.5", "--first", "1"];
    let words = [&["S*.edf"], &one[..], &["--band", "0.5:2"]].concat();
    fine(&place, &[&words, &DIALS, &["-o", "one"]]);
    let told = warned(&place, "one/summary.json", "W05");
    // Both recordings are told of in one entry.
    let both = "each of 2 views (`S001R03` and `S002R03`): ";
    let of_first: Vec<&str> = told.iter().filter_map(|(_, text)| text.strip_prefix(both)).collect();
    assert_eq!(of_first.len(), 2, "{told:?}");
    assert!(
        of_first
            .iter()
            .any(|text| text.starts_with("rests on a single trial of 0.5 s, of 30 s recorded")),
        "{told:?}"
    );
    assert!(
        of_first
            .iter()
            .any(|text| text.starts_with("its 80 samples are worth about 1.5 independent ones")),
        "{told:?}"
    );
    // The same numbers as tables.
    fine(
        &place,
        &[&words, &DIALS, &["-o", "one", "--save-views", "views", "--force"]],
    );
    let learn = [
        "learn",
        "views/S001R03.csv",
        "views/S002R03.csv",
        "--block-column",
        "trial",
        "-o",
        "again",
    ];
    place.fine(&[&learn, &DIALS[..]].concat());
    let again = warned(&place, "again/summary.json", "W05");
    // What a band is worth was saved with the views.
    assert!(again[0].1.contains("about 1.5 independent ones"), "{again:?}");
    assert!(
        again
            .iter()
            .all(|(_, text)| text.contains("its 80 samples are worth about "))
            && again.len() == 1,
        "{again:?}"
    );
    // All of the recording in a broad band is plenty.
    fine(
        &place,
        &[
            &["S*.edf", "--every", "1", "--band", "1:40", "--density", "0.2"],
            &["-o", "all"],
        ],
    );
    assert_eq!(warned(&place, "all/summary.json", "W05"), []);
}

#[test]
fn bridges_are_between_electrodes_only() {
    let place = Place::new();
    let mut same = excerpt("S001");
    // The second channel of every record is the first.
    let n_signals: usize = std::str::from_utf8(&same[252..256]).unwrap().trim().parse().unwrap();
    let at = 256 + 216 * n_signals;
    let counts: Vec<usize> = (0..n_signals)
        .map(|k| {
            std::str::from_utf8(&same[at + 8 * k..][..8])
                .unwrap()
                .trim()
                .parse()
                .unwrap()
        })
        .collect();
    let (start, record) = (256 * (n_signals + 1), 2 * counts.iter().sum::<usize>());
    for first in (start..same.len()).step_by(record) {
        same.copy_within(first..first + 2 * counts[0], first + 2 * counts[0]);
    }
    place.write("a.edf", same);
    place.write("b.edf", excerpt("S002"));
    fine(
        &place,
        &[
            &["a.edf", "b.edf", "--save-views", "views"],
            &AROUND,
            &DIALS,
            &["-o", "out"],
        ],
    );
    let told = warned(&place, "out/summary.json", "W04");
    assert!(
        told.len() == 1 && told[0].1.contains("bridged electrodes or the same signal twice?"),
        "{told:?}"
    );
    place.write("a.csv", place.read("views/a.csv"));
    place.write("b.csv", place.read("views/b.csv"));
    place.fine(
        &[
            &["learn", "a.csv", "b.csv", "--block-column", "trial", "-o", "genes"],
            &DIALS[..],
        ]
        .concat(),
    );
    let told = warned(&place, "genes/summary.json", "W04");
    assert!(told.len() == 1 && !told[0].1.contains("electrode"), "{told:?}");
}

/// The recording with other labels, none of which is an electrode.
fn renamed(mut bytes: Vec<u8>) -> Vec<u8> {
    let n_signals: usize = std::str::from_utf8(&bytes[252..256]).unwrap().trim().parse().unwrap();
    for signal in 0..n_signals - 1 {
        bytes[256 + 16 * signal..][..16].copy_from_slice(format!("{:16}", format!("X{signal}")).as_bytes());
    }
    bytes
}

#[test]
fn what_does_not_fit_is_refused_with_what_is_there_instead() {
    let place = with_recordings(2);
    place.write("renamed.edf", renamed(excerpt("S001")));
    place.write("short.edf", &excerpt("S001")[..4000]);
    place.write("few.tsv", "name\tx\ty\tz\nFC5\t1\t2\t3\nFC1\t2\t1\t3\nCz\t0\t0\t4\n");
    place.write("other/readme.txt", "no recordings");
    place.write("sub-9_eeg.edf", excerpt("S001"));
    place.write("sub-9_events.tsv", "onset\tduration\n1\t1\n");
    let before = place.everything();
    let two = ["S001R03.edf", "S002R03.edf"];
    let one = ["S001R03.edf"];
    let cases: [(&str, i32, &[&[&str]]); 24] = [
        ("no_file", 3, &[&["nowhere.edf"], &AROUND]),
        ("no_match", 3, &[&["nowhere*.edf"], &AROUND]),
        ("folder_without_recordings", 3, &[&["other"], &AROUND]),
        ("given_twice", 3, &[&one, &one, &AROUND]),
        ("cut_short", 3, &[&["short.edf"], &AROUND]),
        ("names_unknown", 3, &[&["renamed.edf"], &AROUND]),
        (
            "events_not_there",
            3,
            &[&two, &["--events", "T1,T7", "--window", "0:0.5"]],
        ),
        ("events_of_several_kinds", 3, &[&one, &["--window", "0:0.5"]]),
        ("events_without_window", 2, &[&one, &["--events", "T1"]]),
        ("events_column_missing", 3, &[&["sub-9_eeg.edf"], &AROUND]),
        ("window_outside", 3, &[&one, &["--events", "T1", "--window", "20:40"]]),
        (
            "window_too_short",
            3,
            &[&one, &["--events", "T1", "--window", "0:0.001"]],
        ),
        ("window_backwards", 2, &[&one, &["--events", "T1", "--window", "0.5:0"]]),
        ("band_above_nyquist", 3, &[&one, &AROUND, &["--band", "40:90"]]),
        ("band_from_zero", 2, &[&one, &AROUND, &["--band", "0:7"]]),
        ("all_rejected", 3, &[&one, &AROUND, &["--reject", "1"]]),
        ("too_few_trials", 3, &[&two, &AROUND, &["--first", "34"]]),
        ("reference_not_there", 3, &[&one, &AROUND, &["--reference", "M1,M2"]]),
        ("channel_not_there", 3, &[&one, &AROUND, &["--channels", "Cz,Q9"]]),
        (
            "csd_without_positions",
            3,
            &[
                &one,
                &AROUND,
                &["--csd", "--montage", "few.tsv", "--channels", "Cz,FC5,FC1,C3,Fz"],
            ],
        ),
        ("csd_of_three", 3, &[&one, &AROUND, &["--csd", "--montage", "few.tsv"]]),
        ("bad_of_nobody", 2, &[&two, &AROUND, &["--bad", "sub-1:Cz"]]),
        (
            "pattern_without_subject",
            2,
            &[&two, &AROUND, &["--subject-pattern", "S*"]],
        ),
        ("one_subject_and_a_consensus", 3, &[&one, &AROUND]),
    ];
    for (name, code, words) in cases {
        let outcome = eeg(&place, &[&words.concat()[..], &DIALS, &["-o", "out"]]);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (code, ""),
            "{name}: {outcome:?}"
        );
        insta::assert_snapshot!(format!("refused_{name}"), outcome.stderr);
    }
    assert_eq!(place.everything(), before);
}

/// W09 of a summary.
fn nearness(place: &Place, file: &str) -> String {
    let summary: serde_json::Value = serde_json::from_str(&place.read(file)).unwrap();
    let warnings = summary["warnings"].as_array().unwrap();
    let near: Vec<&str> = warnings
        .iter()
        .filter(|warning| warning["code"] == "W09")
        .map(|warning| warning["message"].as_str().unwrap())
        .collect();
    assert_eq!(near.len(), 1, "{summary}");
    near[0].to_owned()
}

#[test]
fn edges_that_follow_distance_are_warned_of_and_the_report_repeats_it() {
    let place = with_recordings(6);
    for (csd, meaning) in [
        (&["--csd"][..], "Current source density takes out"),
        (&[], "`--csd` takes out most of that"),
    ] {
        let outcome = fine(
            &place,
            &[&["S*.edf"], &AROUND, &BAND, csd, &DIALS, &["-o", "out", "--force"]],
        );
        let told = nearness(&place, "out/summary.json");
        assert!(
            told.starts_with("the consensus follows distance: ") && told.contains(meaning),
            "{told}"
        );
        assert!(
            outcome.stderr.contains(&format!("warning: W09: {told}")),
            "{}",
            outcome.stderr
        );
        let report = place.read("out/report.html");
        assert_eq!(report.matches("W09").count(), 1);
        assert!(report.contains(told.split(". ").nth(1).and_then(|said| said.split('`').next()).unwrap()));
        assert!(report.contains(" mm long") && report.contains("around the events T1 and T2"));
    }
    // A new view beside that consensus has its electrodes' places, too.
    fine(
        &place,
        &[
            &["S*.edf"],
            &AROUND,
            &BAND,
            &DIALS,
            &["-o", "fit", "--save-views", "views"],
        ],
    );
    place.fine(&[
        "project",
        "fit",
        "--view",
        "late=views/S001R03.csv",
        "--ignore-columns",
        "trial",
        "-o",
        "new",
    ]);
    assert!(nearness(&place, "new/summary.json").starts_with("the consensus follows distance: "));
    assert_eq!(
        column(&place, "new/nodes.tsv", "x"),
        column(&place, "fit/nodes.tsv", "x")
    );
}

#[test]
fn positions_survive_saved_views_and_exports() {
    let place = with_recordings(6);
    let words: [&[&str]; 4] = [&["S*.edf"], &AROUND, &BAND, &DIALS];
    fine(&place, &[&words.concat()[..], &["-o", "out", "--save-views", "views"]]);
    let files: Vec<String> = SUBJECTS
        .iter()
        .map(|subject| format!("views/{subject}R03.csv"))
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let again = [
        &["learn"],
        &files[..],
        &["--block-column", "trial"],
        &DIALS,
        &["-o", "again"],
    ]
    .concat();
    place.fine(&again);
    let tune = [
        "--block-column",
        "trial",
        "--density",
        "0.2:0.2",
        "--similarity",
        "0.8:0.8",
        "--halvings",
        "1",
        "-o",
        "tuned",
    ];
    place.fine(&[&["tune"], &files[..], &tune].concat());
    for folder in ["again", "tuned"] {
        for axis in ["x", "y", "z"] {
            let file = format!("{folder}/nodes.tsv");
            assert_eq!(
                column(&place, &file, axis),
                column(&place, "out/nodes.tsv", axis),
                "{folder}"
            );
        }
        let told = nearness(&place, &format!("{folder}/summary.json"));
        assert!(told.contains("`--csd` takes out most of that"), "{told}");
        let report = place.read(&format!("{folder}/report.html"));
        assert!(report.contains("EEG of 6 subjects (6 recordings, "), "{folder}");
        assert_eq!(
            place.read(&format!("{folder}/recordings.tsv")),
            place.read("out/recordings.tsv")
        );
    }
    assert_eq!(
        nearness(&place, "again/summary.json"),
        nearness(&place, "out/summary.json")
    );
    // Of some of them, under other names: places, and no story of recordings that are not there.
    place.fine(
        &[
            &[
                "learn",
                "one=views/S001R03.csv",
                "two=views/S002R03.csv",
                "--block-column",
                "trial",
                "-o",
                "two",
            ],
            &DIALS[..],
        ]
        .concat(),
    );
    assert_eq!(
        column(&place, "two/nodes.tsv", "x"),
        column(&place, "out/nodes.tsv", "x")
    );
    assert!(!place.path("two/recordings.tsv").exists());
    place.fine(&["communities", "out", "--runs", "5"]);
    place.fine(&["export", "out", "--to", "graphml,gexf", "-o", "exported"]);
    let communities = table(&place, "out/communities.tsv");
    let nodes = table(&place, "out/nodes.tsv");
    for file in ["consensus.graphml", "consensus.gexf"] {
        let text = place.read(&format!("exported/{file}"));
        let line = text.lines().find(|line| line.contains("<node id=\"Cz\"")).unwrap();
        let cz = nodes.iter().find(|row| row["name"] == "Cz").unwrap();
        let community = &communities.iter().find(|row| row["node"] == "Cz").unwrap()["consensus"];
        for key in ["x", "y", "z", "strength"] {
            assert!(line.contains(&cz[key]), "{key}: {line}");
        }
        let told = [
            format!("<data key=\"community\">{community}<"),
            format!("for=\"community\" value=\"{community}\""),
        ];
        assert!(told.iter().any(|told| line.contains(told)), "{line}");
    }
    let view = place.read("exported/view-S001R03.graphml");
    assert!(view.contains("<data key=\"community\">") && view.contains("<data key=\"strength\">"));
}

#[test]
fn graphs_of_recordings_by_the_likelihood() {
    let place = with_recordings(3);
    let method = ["--method", "likelihood", "--beta", "1"];
    let outcome = fine(&place, &[&["S*.edf"], &AROUND, &BAND, &method, &["-o", "out"]]);
    assert!(outcome.stdout.contains("b = 1, relative gap"), "{}", outcome.stdout);
    let summary: serde_json::Value = serde_json::from_str(&place.read("out/summary.json")).unwrap();
    assert_eq!(
        (&summary["method"], &summary["recordings"]["n_recordings"]),
        (&"likelihood".into(), &3.into())
    );
    assert!(place.read("out/report.html").contains("by maximum likelihood"));
    // The joint graphical lasso is not offered here.
    let refused = eeg(&place, &[&["S*.edf"], &["--method", "jgl-fused", "-o", "other"]]);
    assert!(refused.code == 2 && refused.stderr.contains("jgl-fused"), "{refused:?}");
}
