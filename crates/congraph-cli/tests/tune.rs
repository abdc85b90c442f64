//! Targets on the command line, the path, and resuming after an interruption.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::place::Place;

const FILES: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];
const EEG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/eegmmidb.csv");

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 30 --views 3 --signals 120 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place
}

/// The rows of a table by the names of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let columns: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|cells| columns.iter().cloned().zip(cells).collect())
        .collect()
}

#[test]
fn targets_are_hit_and_told() {
    let place = simulated();
    let words = ["--density", "0.2", "--similarity", "0.9", "--json", "-o", "out"];
    let summary = place.fine(&[&["learn"], &FILES[..], &words].concat()).json();
    assert_eq!(summary["density"]["target"], 0.2);
    assert!((summary["density"]["views"].as_f64().unwrap() - 0.2).abs() < 0.005);
    assert_eq!(summary["similarity"]["target"], 0.9);
    assert!((summary["similarity"]["value"].as_f64().unwrap() - 0.9).abs() < 0.005);
    assert!(summary["similarity"]["floor"].as_f64().unwrap() < 0.9);
    assert!(summary["solves"].as_u64().unwrap() <= 40);
    // The parameters that were found give the same densities again.
    let [alpha, beta] = ["alpha", "beta"].map(|name| summary[name].to_string());
    let words = ["--alpha", &alpha, "--beta", &beta, "--json", "-o", "again"];
    let again = place.fine(&[&["learn"], &FILES[..], &words].concat()).json();
    assert_eq!(again["density"]["views"], summary["density"]["views"]);
    assert!(again["density"]["target"].is_null());
    // Known whatever was asked: here at the same alpha.
    assert!(again["similarity"]["floor"].as_f64().unwrap() < 0.9);
}

#[test]
fn without_any_target_the_usual_ones_are_used() {
    let place = simulated();
    let summary = place
        .fine(&[&["learn"], &FILES[..], &["--json", "-o", "out"]].concat())
        .json();
    let floor = summary["similarity"]["floor"].as_f64().unwrap();
    assert_eq!(summary["density"]["target"], 0.15);
    assert_eq!(summary["similarity"]["target"], 0.5 * (1.0 + floor));
    let single = ["learn", "sim/view1.csv", "--single", "--json", "-o", "single"];
    let summary = place.fine(&single).json();
    assert!((summary["density"]["views"].as_f64().unwrap() - 0.15).abs() < 0.005);
    assert!(summary["similarity"]["target"].is_null());
}

#[test]
fn targets_are_hit_on_real_eeg() {
    let place = Place::new();
    for penalty in ["l1", "l2", "squared-l2"] {
        for (density, similarity) in [("0.08", "0.8"), ("0.15", "0.9"), ("0.3", "0.95")] {
            let words = [
                "learn",
                EEG,
                "--view-column",
                "subject",
                "--block-column",
                "trial",
                "--penalty",
                penalty,
                "--density",
                density,
                "--similarity",
                similarity,
                "--json",
                "--quiet",
                "--force",
                "-o",
                "out",
            ];
            let summary = place.fine(&words).json();
            let off = |value: &serde_json::Value, target: &str| {
                (value.as_f64().unwrap() - target.parse::<f64>().unwrap()).abs()
            };
            assert!(off(&summary["density"]["views"], density) <= 0.005, "{words:?}");
            assert!(off(&summary["similarity"]["value"], similarity) <= 0.005, "{words:?}");
            assert!(summary["solves"].as_u64().unwrap() <= 40, "{words:?}");
        }
    }
}

#[test]
fn e05_of_views_that_cannot_be_halved_says_what_would_help() {
    let place = Place::new();
    let words = "simulate --nodes 8 --views 2 --signals 40 --edge-probability 0.5 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    // A node that is 0 but for one sample does not vary in the other half.
    let spike = |(line, row): (usize, &str)| match line {
        0 => format!("spike,{row}\n"),
        3 => format!("9,{row}\n"),
        _ => format!("0,{row}\n"),
    };
    for (file, view) in [("a.csv", "sim/view1.csv"), ("b.csv", "sim/view2.csv")] {
        place.write(
            file,
            place.read(view).lines().enumerate().map(spike).collect::<String>(),
        );
    }
    let tune = |words: &[&str]| {
        let halves = [
            "--halvings",
            "1",
            "--density",
            "0.2:0.3",
            "--similarity",
            "0.8:0.9",
            "-o",
            "out",
            "--force",
        ];
        place.run(&[&["tune", "a.csv", "b.csv"], &halves[..], words].concat())
    };
    let outcome = tune(&[]);
    assert!(outcome.code == 3 && outcome.stderr.contains("E05"), "{outcome:?}");
    assert!(
        outcome.stderr.contains("the node `spike` does not vary") && outcome.stderr.contains("`--drop-nodes spike`"),
        "{outcome:?}"
    );
    assert_eq!(tune(&["--drop-nodes", "spike"]).code, 0);
}

#[test]
fn e05_of_signals_with_gaps_says_how_to_have_samples() {
    let place = Place::new();
    let words = "simulate --nodes 8 --views 2 --signals 40 --edge-probability 0.5 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    let text = place.read("sim/view1.csv");
    let (names, values) = text.split_once('\n').unwrap();
    let (_, rest) = values.split_once(',').unwrap();
    place.write("a.csv", format!("{names}\nNaN,{rest}"));
    let given = ["a.csv", "sim/view2.csv", "--nan", "pairwise"];
    place.learn(&given, "fit");
    let commands: [&[&str]; 4] = [
        &["tune", "-o", "tuned"],
        &["tune", "--methods", "smooth,likelihood", "-o", "compared"],
        &[
            "learn",
            "--alpha",
            "0.1",
            "--beta",
            "0.1",
            "--spectrum",
            "auto",
            "-o",
            "whitened",
        ],
        &["stability", "fit"],
    ];
    for words in commands {
        let given = if words[0] == "stability" { &[][..] } else { &given };
        let outcome = place.run(&[words, given].concat());
        assert!(
            outcome.code == 3 && outcome.stderr.contains("E05"),
            "{words:?}: {outcome:?}"
        );
        assert!(
            outcome
                .stderr
                .contains("covariances of signals with gaps (`--nan pairwise`) have no samples to halve")
                && outcome
                    .stderr
                    .contains("leave out the samples with gaps (`--nan drop-rows`)")
                && outcome.stderr.contains("`--missing mask` in place of `--nan pairwise`"),
            "{words:?}: {}",
            outcome.stderr
        );
    }
    let kept = ["a.csv", "sim/view2.csv", "--nan", "drop-rows"];
    place.fine(&[&["tune", "--halvings", "1", "-o", "kept"], &kept[..]].concat());
}

#[test]
fn e10_a_target_out_of_reach() {
    let place = simulated();
    let before = place.everything();
    for (name, words) in [
        ("similarity", &["--similarity", "0.1"][..]),
        ("density", &["--density", "0.0001"]),
        ("consensus", &["--consensus-density", "0.9", "--penalty", "l2"]),
    ] {
        let outcome = place.run(&[&["learn"], &FILES[..], words, &["-o", "out"]].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (4, ""), "{}", outcome.stderr);
        insta::assert_snapshot!(format!("e10_{name}"), outcome.stderr);
    }
    assert_eq!(place.everything(), before);
}

#[test]
fn the_path_is_listed_and_the_choice_marked() {
    let place = simulated();
    let words = ["--truth", "sim/truth", "--halvings", "4", "--json", "-o", "out"];
    let summary = place.fine(&[&["tune"], &FILES[..], &words].concat()).json();
    let rows = rows(&place.read("out/tune.tsv"));
    assert_eq!(rows.len() as u64, summary["tune"]["cells"].as_u64().unwrap());
    let marked = |mark: &str| -> Vec<&BTreeMap<String, String>> {
        rows.iter().filter(|row| row["mark"].contains(mark)).collect()
    };
    let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    let [chosen] = marked("chosen")[..] else {
        panic!("one choice")
    };
    let [oracle] = marked("oracle")[..] else {
        panic!("one best cell")
    };
    for row in &rows {
        assert!((number(row, "density") - number(row, "density_target")).abs() <= 0.005);
        assert!((number(row, "similarity") - number(row, "similarity_target")).abs() <= 0.005);
        assert!(number(row, "view_f1") <= number(oracle, "view_f1"));
        assert!(number(row, "components") >= 1.0 && number(row, "seconds") >= 0.0);
    }
    let [best] = marked("best")[..] else {
        panic!("one likeliest cell")
    };
    assert!(rows.iter().all(|row| number(row, "gain") <= number(best, "gain")));
    assert!(number(chosen, "gain") >= 0.95 * number(best, "gain"));
    let tune = &summary["tune"];
    assert_eq!((&tune["rule"], &tune["keep"]), (&"likelihood".into(), &0.95.into()));
    assert_eq!(tune["gain"].as_f64().unwrap(), number(chosen, "gain"));
    assert_eq!(tune["best"]["gain"].as_f64().unwrap(), number(best, "gain"));
    assert!(tune["threshold"].is_null());
    // What is written is the chosen fit.
    assert_eq!(number(chosen, "alpha"), summary["alpha"].as_f64().unwrap());
    let views = summary["density"]["views"].as_f64().unwrap();
    assert!((number(chosen, "density") - views).abs() < 1e-12);
    let scores = place
        .fine(&["evaluate", "out", "--truth", "sim/truth", "--json"])
        .json();
    assert_eq!(scores["mean_views"]["f1"], summary["tune"]["view_f1"]);
    assert!(!place.path("out.tune-checkpoint.json").exists());
    let run: serde_json::Value = serde_json::from_str(&place.read("out/run.json")).unwrap();
    assert_eq!((run["kind"].as_str(), run["seed"].as_u64()), (Some("tune"), Some(1)));
}

#[test]
fn the_rule_of_stability_is_as_it_was_and_a_given_range_is_kept() {
    let place = simulated();
    let words = [
        "--rule",
        "stability",
        "--halvings",
        "2",
        "--density",
        "0.1:0.2",
        "--json",
        "-o",
        "out",
    ];
    let summary = place.fine(&[&["tune"], &FILES[..], &words].concat()).json();
    let tune = &summary["tune"];
    assert_eq!((&tune["rule"], &tune["threshold"]), (&"stability".into(), &0.05.into()));
    assert!(tune["keep"].is_null() && tune["gain"].is_null() && tune["is_within"].is_boolean());
    assert!(!place.read("out/tune.tsv").contains("gain"));
    assert!(place.read("out/report.html").contains("edges that reproduce in halves"));
    let likely = [
        "--halvings",
        "2",
        "--density",
        "0.3:0.4",
        "--similarity",
        "0.9:0.9",
        "-o",
        "far",
    ];
    let told = place.fine(&[&["tune"], &FILES[..], &likely].concat());
    assert!(
        told.stderr.contains("W18") && told.stderr.contains("lower end"),
        "{}",
        told.stderr
    );
    assert!(
        told.stdout.contains("95 % of the best held-out gain"),
        "{}",
        told.stdout
    );
    let densities: Vec<f64> = rows(&place.read("far/tune.tsv"))
        .iter()
        .map(|row| row["density_target"].parse().unwrap())
        .collect();
    assert!(densities.iter().all(|density| (0.3..=0.4).contains(density)));
    let report = place.read("far/report.html");
    assert!(report.contains("judged by the Gaussian log-likelihood of its other half"));
    let wrong = place.run(&[&["tune"], &FILES[..], &["--keep", "1.5", "-o", "wrong"]].concat());
    assert!(wrong.code == 2 && wrong.stderr.contains("--keep"), "{wrong:?}");
}

/// All but the times.
fn timeless(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut rows = rows(text);
    for row in &mut rows {
        row.remove("seconds");
    }
    rows
}

#[test]
fn the_order_of_files_and_the_threads_change_nothing() {
    let place = simulated();
    let words = ["--halvings", "2", "--density", "0.1:0.2", "--threads"];
    let options = [&words[..], &["2", "-o", "one"]].concat();
    place.fine(&[&["tune"], &FILES[..], &options].concat());
    let turned: Vec<&str> = FILES.iter().rev().copied().collect();
    let options = [&words[..], &["1", "-o", "two"]].concat();
    place.fine(&[&["tune"], &turned[..], &options].concat());
    assert_eq!(
        timeless(&place.read("one/tune.tsv")),
        timeless(&place.read("two/tune.tsv"))
    );
}

#[test]
fn blocks_are_halved_and_a_time_series_without_is_warned_of() {
    let place = Place::new();
    let words = |more: &[&'static str]| {
        let start = [
            "tune",
            EEG,
            "--view-column",
            "subject",
            "--halvings",
            "2",
            "--similarity",
            "0.8:0.9",
            "--rule",
            "stability",
        ];
        [&start[..], more].concat()
    };
    let known = place.fine(&words(&["--block-column", "trial", "-o", "known"]));
    assert!(!known.stderr.contains("W10"), "{}", known.stderr);
    let unknown = place.fine(&words(&["--ignore-columns", "trial", "-o", "unknown"]));
    assert!(unknown.stderr.contains("W10"), "{}", unknown.stderr);
    // Neighbouring samples in both halves make edges look more stable than they are; this is so by either rule.
    let instability = |out: &str| {
        let rows = rows(&place.read(&format!("{out}/tune.tsv")));
        let values = rows.iter().map(|row| row["instability"].parse::<f64>().unwrap());
        values.sum::<f64>() / rows.len() as f64
    };
    assert!(instability("known") > instability("unknown"));
}

#[test]
fn resume_without_or_with_a_foreign_checkpoint() {
    let place = simulated();
    let words = [
        "--halvings",
        "1",
        "--density",
        "0.1:0.1",
        "--similarity",
        "0.9:0.9",
        "--resume",
    ];
    let fine = place.fine(&[&["tune"], &FILES[..], &words, &["-o", "out"]].concat());
    assert!(fine.stderr.contains("there is no checkpoint"), "{}", fine.stderr);
    for (text, what) in [
        ("{}", "is damaged"),
        ("{}\n{}", "is of another version of congraph, or damaged"),
    ] {
        place.write("other.tune-checkpoint.json", text);
        let refused = place.run(&[&["tune"], &FILES[..], &words, &["-o", "other"]].concat());
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains(what), "{}", refused.stderr);
        // Nor is it replaced by a run that starts anew, unless it is asked to.
        let anew = [&["tune"], &FILES[..], &words[..6], &["-o", "other"]].concat();
        let refused = place.run(&anew);
        assert_eq!(refused.code, 2);
        assert!(
            refused.stderr.contains("`--resume` continues from it"),
            "{}",
            refused.stderr
        );
        assert_eq!(place.read("other.tune-checkpoint.json"), text);
    }
    place.fine(&[&["tune"], &FILES[..], &words[..6], &["-o", "other", "--force"]].concat());
    assert!(!place.path("other.tune-checkpoint.json").exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_checkpoint_to_go_on_from() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = simulated();
    let words = |out: &'static str| {
        let options = ["--halvings", "40", "--truth", "sim/truth", "-o", out];
        [&["tune"], &FILES[..], &options].concat()
    };
    place.fine(&words("whole"));
    let run = Command::new(assert_cmd::cargo::cargo_bin!("congraph"))
        .current_dir(place.path(""))
        .args(words("cut"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let checkpoint = place.path("cut.tune-checkpoint.json");
    let start = Instant::now();
    while !checkpoint.exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let interrupt = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("--resume continues from there"), "{said}");
    assert!(!place.path("cut").exists());
    // It is of these data and options alone.
    let mut other = words("cut");
    other[5] = "39";
    other.push("--resume");
    let refused = place.run(&other);
    assert!(
        refused.code == 2 && refused.stderr.contains("is of other data or options"),
        "{refused:?}"
    );
    // A byte that is another is noticed.
    let text = place.read("cut.tune-checkpoint.json");
    place.write(
        "cut.tune-checkpoint.json",
        text.replacen("\"solves\":", "\"solves\":1", 1),
    );
    let mut again = words("cut");
    again.push("--resume");
    let refused = place.run(&again);
    assert!(
        refused.code == 2 && refused.stderr.contains("is damaged"),
        "{refused:?}"
    );
    place.write("cut.tune-checkpoint.json", text);
    let mut again = words("cut");
    again.push("--resume");
    let outcome = place.fine(&again);
    assert!(outcome.stderr.contains("note: resuming after"), "{}", outcome.stderr);
    assert_eq!(
        timeless(&place.read("whole/tune.tsv")),
        timeless(&place.read("cut/tune.tsv"))
    );
    assert!(!checkpoint.exists());
}
