//! How sure edges are: columns that are added to a result folder, in one run, resumed, or in shards.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;

use crate::place::Place;

const FILES: [&str; 3] = ["data/view1.csv", "data/view2.csv", "data/view3.csv"];

/// Three views of ten trials of twelve samples.
fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 14 --views 3 --signals 120 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    for view in 1..=3 {
        let text = place.read(&format!("sim/view{view}.csv"));
        let line = |(k, line): (usize, &str)| match k {
            0 => format!("trial,{line}\n"),
            k => format!("t{:02},{line}\n", (k - 1) / 12),
        };
        let text: String = text.lines().enumerate().map(line).collect();
        place.write(&format!("data/view{view}.csv"), text);
    }
    place
}

fn learned(words: &[&str]) -> Place {
    let place = simulated();
    place.learn(&[&FILES[..], &["--block-column", "trial"], words].concat(), "out");
    place
}

fn columns(place: &Place, file: &str) -> Vec<String> {
    let text = place.read(file);
    text.lines().next().unwrap().split('\t').map(str::to_owned).collect()
}

/// The first columns of a table.
fn first(text: &str, n: usize) -> Vec<Vec<String>> {
    let row = |line: &str| line.split('\t').take(n).map(str::to_owned).collect();
    text.lines().map(row).collect()
}

/// Everything in the folder but the report, which tells the time.
fn tables(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut all = place.everything();
    all.retain(|name, _| name.starts_with("out/") && !name.ends_with("report.html"));
    all
}

const FEW: [&str; 4] = ["stability", "out", "--pairs", "6"];

#[test]
fn columns_are_added_and_all_else_stays() {
    let place = learned(&[]);
    let before = place.everything();
    let outcome = place.fine(&FEW);
    assert_eq!(outcome.stdout.lines().count(), 1, "{}", outcome.stdout);
    assert!(outcome.stdout.contains("blocks halved, 222 fits"), "{}", outcome.stdout);
    let edges = "source target consensus n_views mean_weight frequency frequency_both replicates weight_se direct_z \
                 q_direct q_most n_views_at_least";
    assert_eq!(columns(&place, "out/edges.tsv").join(" "), edges);
    let long = "view source target weight frequency replicates weight_se q_view difference_z q_difference";
    assert_eq!(columns(&place, "out/edges_long.tsv").join(" "), long);
    for (file, n) in [("out/edges.tsv", 5), ("out/edges_long.tsv", 4)] {
        let old = String::from_utf8(before[file].clone()).unwrap();
        assert_eq!(first(&old, n), first(&place.read(file), n));
    }
    for (name, bytes) in place.everything() {
        let changed = [
            "out/edges.tsv",
            "out/edges_long.tsv",
            "out/summary.json",
            "out/report.html",
            "out/stability.json",
        ];
        if !changed.contains(&name.as_str()) {
            assert_eq!(before.get(&name), Some(&bytes), "{name}");
        }
    }
    let told: serde_json::Value = serde_json::from_str(&place.read("out/stability.json")).unwrap();
    assert_eq!(
        (&told["units"], &told["n_units"]["view2"]),
        (&"blocks".into(), &10.into())
    );
    assert_eq!(told["bounds"]["thresholds"].as_array().unwrap().len(), 8);
    assert!(told["fingerprint"]["deviations"]["chance"].as_f64().unwrap() > 0.3);
    // Whatever reads a folder still does.
    place.fine(&["communities", "out", "--runs", "5"]);
    place.fine(&["report", "out"]);
    place.fine(&["export", "out", "--to", "graphml"]);
    place.fine(&["evaluate", "out", "--truth", "sim/truth"]);
    place.fine(&[
        "project",
        "out",
        "--view",
        "new=data/view1.csv",
        "--block-column",
        "trial",
        "-o",
        "new",
    ]);
    // And it is not done twice unasked; asked, it is the same again.
    let again = place.run(&FEW);
    assert!(again.code == 2 && again.stderr.contains("--force"), "{}", again.stderr);
    let once = tables(&place);
    place.fine(&[&FEW[..], &["--force", "--threads", "1"]].concat());
    assert_eq!(tables(&place), once);
    place.fine(&["stability", "out", "--pairs", "3", "--seed", "9", "--force"]);
    assert_eq!(columns(&place, "out/edges.tsv").join(" "), edges);
    // A new fit in its place has none of it.
    place.learn(&[&FILES[..], &["--block-column", "trial", "--force"]].concat(), "out");
    assert!(!place.path("out/stability.json").exists());
}

#[test]
fn shards_together_are_one_run_to_the_byte() {
    let place = learned(&["--no-report"]);
    for part in 1..=3 {
        let shard = format!("{part}/3");
        place.fine(&[&FEW[..], &["--shard", &shard]].concat());
    }
    assert!(!place.path("out/stability.json").exists());
    let shards: Vec<String> = (1..=3).map(|part| format!("out.stability-{part}-of-3.json")).collect();
    let [one, two, three] = &shards[..] else { panic!() };
    let merge = |files: &[&str]| place.run(&[&["merge"], files, &["-o", "out"]].concat());
    for (files, told) in [
        (vec![one.as_str(), three], "these are missing: 2"),
        (vec![one, two, one], "is the same part as `out.stability-1-of-3.json`"),
        (vec![one, "out/summary.json"], "`out/summary.json` is no part"),
    ] {
        let outcome = merge(&files);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
    // What a part holds may have taken hours: it is not replaced unasked.
    let before = place.read(two);
    let refused = place.run(&["stability", "out", "--pairs", "6", "--seed", "2", "--shard", "2/3"]);
    assert!(
        refused.code == 2 && refused.stderr.contains("nothing is overwritten unasked"),
        "{}",
        refused.stderr
    );
    assert_eq!(place.read(two), before);
    place.fine(&[
        "stability",
        "out",
        "--pairs",
        "6",
        "--seed",
        "2",
        "--shard",
        "2/3",
        "--force",
    ]);
    let foreign = merge(&[one, two, three]);
    assert!(
        foreign.code == 2 && foreign.stderr.contains("is a part of other work"),
        "{}",
        foreign.stderr
    );
    place.fine(&[&FEW[..], &["--shard", "2/3", "--force"]].concat());
    assert_eq!(merge(&[three, one, two]).code, 0);
    let merged = tables(&place);
    place.fine(&[&FEW[..], &["--force"]].concat());
    assert_eq!(tables(&place), merged);
}

#[test]
fn data_that_moved_or_changed_are_told() {
    let place = learned(&["--no-report"]);
    let data = fs::read(place.path(FILES[1])).unwrap();
    // From another folder, paths start where the fit was made.
    fs::create_dir(place.path("elsewhere")).unwrap();
    let mut command = place.command(&["stability", "../out", "--pairs", "2"]);
    let output = command.current_dir(place.path("elsewhere")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = ["stability", "out", "--pairs", "2", "--force"];
    fs::rename(place.path(FILES[1]), place.path("moved.csv")).unwrap();
    let outcome = place.run(&again);
    assert!(
        outcome.code == 3 && outcome.stderr.contains("is not there any more"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("--data"), "{}", outcome.stderr);
    let given = ["--data", FILES[0], "view2=moved.csv", FILES[2]];
    place.fine(&[&again[..], &given].concat());
    let other = String::from_utf8(data.clone()).unwrap().replacen("t00", "t01", 3);
    place.write(FILES[1], &other);
    let outcome = place.run(&again);
    assert!(
        outcome.code == 3 && outcome.stderr.contains("was changed since"),
        "{}",
        outcome.stderr
    );
    // Damaged so that it cannot even be read.
    place.write(FILES[1], "trial\n");
    let outcome = place.run(&again);
    assert!(
        outcome.code == 3 && outcome.stderr.contains("was changed since"),
        "{}",
        outcome.stderr
    );
    // Other data than those of the fit do not give its graphs.
    let outcome = place.run(&[&again[..], &["--data", FILES[0], "view2=data/view1.csv", FILES[2]]].concat());
    assert!(
        outcome.code == 3 && outcome.stderr.contains("does not give the graphs"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn every_method_is_halved_as_it_was_fitted() {
    let place = simulated();
    let blocks = ["--block-column", "trial", "--no-report"];
    for (name, words) in [
        ("likely", vec!["--method", "likelihood"]),
        ("likely-signed", vec!["--method", "likelihood", "--signed"]),
        (
            "likely-signed-sparse",
            vec!["--method", "likelihood", "--signed", "--density", "0.1"],
        ),
        (
            "likely-squares",
            vec!["--method", "likelihood", "--penalty", "squared-l2", "--beta", "3"],
        ),
        (
            "likely-l2",
            vec!["--method", "likelihood", "--penalty", "l2", "--beta", "3"],
        ),
        ("signed", vec!["--signed", "--alpha", "0.02", "--beta", "0.03"]),
        (
            "whitened",
            vec!["--spectrum", "0.5", "--alpha", "0.02", "--beta", "0.03"],
        ),
        (
            "group",
            vec![
                "--penalty",
                "l2",
                "--solver",
                "admm",
                "--alpha",
                "0.02",
                "--beta",
                "0.03",
                "--tol",
                "1e-6",
            ],
        ),
        ("single", vec!["--single", "--alpha", "0.02"]),
        ("knn", vec!["--candidates", "knn:3", "--density", "0.15"]),
        (
            "fused",
            vec!["--method", "jgl-fused", "--lambda1", "0.1", "--lambda2", "0.02"],
        ),
    ] {
        place.fine(&[&["learn"], &FILES[..], &blocks, &words, &["-o", name]].concat());
        let outcome = place.fine(&["stability", name, "--pairs", "2"]);
        assert!(
            columns(&place, &format!("{name}/edges_long.tsv")).contains(&"weight_se".to_owned()),
            "{name}"
        );
        assert_eq!(outcome.stdout.lines().count(), 1, "{name}: {}", outcome.stdout);
    }
}

#[test]
fn what_cannot_be_told_is_not_there_and_the_reason_is() {
    let place = simulated();
    place.learn(
        &[
            &["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"][..],
            &["--no-report"],
        ]
        .concat(),
        "out",
    );
    let samples = place.fine(&["stability", "out", "--pairs", "2", "--json"]);
    assert_eq!(samples.json()["units"], "samples");
    let blocks = place.run(&["stability", "out", "--units", "blocks", "--force"]);
    assert!(
        blocks.code == 3 && blocks.stderr.contains("has no blocks"),
        "{}",
        blocks.stderr
    );
    let views = place.run(&["stability", "out", "--units", "views", "--force"]);
    assert!(
        views.code == 3 && views.stderr.contains("3 views cannot be halved"),
        "{}",
        views.stderr
    );
    let few = learned(&["--no-report"]);
    for view in 1..=3 {
        let file = format!("few/view{view}.csv");
        let text = few.read(&format!("data/view{view}.csv"));
        let fewer = (0..10).fold(text, |text, k| {
            text.replace(&format!("t{k:02},"), &format!("t{},", k / 2))
        });
        few.write(&file, fewer);
    }
    let files = ["few/view1.csv", "few/view2.csv", "few/view3.csv"];
    few.learn(
        &[&files[..], &["--block-column", "trial", "--no-report"]].concat(),
        "few-out",
    );
    let outcome = few.fine(&["stability", "few-out", "--pairs", "2"]);
    assert!(
        outcome.stderr.contains("needs 8 blocks in every view; there are 5"),
        "{}",
        outcome.stderr
    );
    assert!(!columns(&few, "few-out/edges.tsv").contains(&"replicates".to_owned()));
    let told: serde_json::Value = serde_json::from_str(&few.read("few-out/stability.json")).unwrap();
    assert!(told["absent"]["replicates"].is_string());
}

/// Long before the first checkpoint is due.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_done() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let place = learned(&["--no-report"]);
    let words = ["stability", "out", "--pairs", "20000"];
    let mut told = String::new();
    // How long reading takes depends on what else the machine does.
    for seconds in [1, 2, 4, 8] {
        let run = Command::new(assert_cmd::cargo::cargo_bin!("congraph"))
            .current_dir(place.path(""))
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs(seconds));
        let interrupt = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
        assert!(interrupt.unwrap().success());
        let output = run.wait_with_output().unwrap();
        told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{told}");
        if !told.contains("nothing was written") {
            break;
        }
    }
    assert!(told.contains("--resume continues from there"), "{told}");
    assert!(!place.path("out/stability.json").exists());
    let checkpoint = place.read("out.stability-checkpoint.json");
    let (_, body) = checkpoint.split_once('\n').unwrap();
    let kept: serde_json::Value = serde_json::from_str(body).unwrap();
    let jobs = kept["work"]["jobs"].as_array().unwrap().len();
    assert!(jobs > 0, "{jobs}");
}

/// Halves of views would part the views of a subject.
#[test]
fn views_of_coupled_subjects_are_not_halved() {
    let place = Place::new();
    let words = "simulate --nodes 12 --views 8 --signals 60 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    let rows: String = (1..=8)
        .map(|view| format!("view{view}\ts{}\tc{}\n", (view + 1) / 2, view % 2))
        .collect();
    place.write("subjects.tsv", format!("view\tsubject\tcondition\n{rows}"));
    let files: Vec<String> = (1..=8).map(|view| format!("sim/view{view}.csv")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let subjects = ["--subjects", "subjects.tsv", "--no-report"];
    place.learn(&[&files[..], &subjects].concat(), "out");
    let refused = place.run(&["stability", "out", "--units", "views"]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("the fit couples the views of each subject")
            && refused.stderr.contains("--units blocks"),
        "{}",
        refused.stderr
    );
    place.fine(&["stability", "out", "--units", "samples", "--pairs", "2"]);
}

/// A column that is there is not said to be missing, and edges are not called positive where none can be negative.
#[test]
fn nodes_that_some_views_lack_are_told_as_such() {
    let place = simulated();
    let text = place.read("data/view3.csv");
    let head = text.lines().next().unwrap();
    let last = head.rsplit(',').next().unwrap().to_owned();
    let cut: String = text
        .lines()
        .map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0))
        .collect();
    place.write("data/view3.csv", cut);
    let words = ["--block-column", "trial", "--missing", "mask", "--no-report"];
    place.learn(&[&FILES[..], &words].concat(), "out");
    let outcome = place.fine(&FEW);
    assert!(columns(&place, "out/edges.tsv").contains(&"q_direct".to_owned()));
    assert!(!outcome.stderr.contains("no q_direct:"), "{}", outcome.stderr);
    let told = format!("no q_direct of nodes that some views lack: `{last}`");
    assert!(outcome.stderr.contains(&told), "{}", outcome.stderr);
    assert!(
        outcome
            .stdout
            .contains("edges between nodes of all views are supported")
            && !outcome.stdout.contains("positive"),
        "{}",
        outcome.stdout
    );
}
