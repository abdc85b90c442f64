//! The joint graphical lasso on the command line: its result folder, both edge rules, and options that do not fit.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use crate::place::{Outcome, Place};

const FILES: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 20 --views 3 --signals 100 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place
}

fn learn(place: &Place, files: &[&str], words: &str) -> Outcome {
    let words: Vec<&str> = words.split(' ').collect();
    place.run(&[&["learn"], files, &words].concat())
}

#[test]
fn the_folder_says_what_was_learned() {
    let place = simulated();
    for method in ["jgl-fused", "jgl-group"] {
        let out = learn(
            &place,
            &FILES,
            &format!("--method {method} --lambda1 0.15 --lambda2 0.03 --json -o {method}"),
        );
        assert_eq!(out.code, 0, "{}", out.stderr);
        let summary = out.json();
        assert_eq!(summary["method"], method);
        assert_eq!(
            (summary["lambda1"].as_f64(), summary["lambda2"].as_f64()),
            (Some(0.15), Some(0.03))
        );
        assert!(summary["relative_gap"].as_f64().unwrap() <= 1e-8 && summary["converged"] == true);
        let density = &summary["density"];
        assert!(density["views"].as_f64().unwrap() >= density["views_negative"].as_f64().unwrap());
        assert!(density["consensus"].is_null());
        let written: serde_json::Value = serde_json::from_str(&place.read(&format!("{method}/summary.json"))).unwrap();
        assert_eq!(written, summary);
        // The tables hold no consensus.
        assert!(
            place
                .read(&format!("{method}/edges.tsv"))
                .lines()
                .nth(1)
                .unwrap()
                .split('\t')
                .nth(2)
                == Some("")
        );
    }
}

#[test]
fn both_edge_rules_are_scored() {
    let place = simulated();
    assert_eq!(
        learn(&place, &FILES, "--method jgl-group --lambda1 0.1 --lambda2 0.02 -o out").code,
        0
    );
    let told = place.fine(&["evaluate", "out", "--truth", "sim/truth"]).stdout;
    assert!(told.contains("every entry that is not zero is an edge:"), "{told}");
    assert!(told.contains("only negative entries are edges, as in a Laplacian:"));
    assert_eq!(told.matches("mean of the views").count(), 2);
    let json = place
        .fine(&["evaluate", "out", "--truth", "sim/truth", "--json"])
        .json();
    let rules = &json["edge_rules"];
    assert_eq!(rules["nonzero"]["mean_views"], json["mean_views"]);
    let precision = |rule: &str| rules[rule]["mean_views"]["precision"].as_f64().unwrap();
    // An edge of the truth is a negative entry; the positive ones are all mistakes.
    assert!(precision("negative") > precision("nonzero"));
    // A graph of congraph's own has one score.
    place.learn(&FILES, "own");
    let own = place
        .fine(&["evaluate", "own", "--truth", "sim/truth", "--json"])
        .json();
    assert!(own.get("edge_rules").is_none());
}

#[test]
fn the_same_bytes_for_any_order_of_files_and_number_of_threads() {
    let place = simulated();
    let model = "--method jgl-fused --lambda1 0.15 --lambda2 0.03";
    assert_eq!(learn(&place, &FILES, &format!("{model} --threads 1 -o one")).code, 0);
    assert_eq!(learn(&place, &FILES, &format!("{model} --threads 3 -o three")).code, 0);
    let reversed: Vec<&str> = FILES.iter().rev().copied().collect();
    assert_eq!(learn(&place, &reversed, &format!("{model} -o reversed")).code, 0);
    let files = place.everything();
    assert_eq!(files["one/matrices.npz"], files["three/matrices.npz"]);
    let sorted = |out: &str| {
        let text = place.read(&format!("{out}/edges_long.tsv"));
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted("one"), sorted("reversed"));
}

#[test]
fn one_view_alone_is_the_graphical_lasso() {
    let place = simulated();
    assert_eq!(
        learn(
            &place,
            &FILES[..1],
            "--method jgl-fused --single --lambda1 0.1 -o alone"
        )
        .code,
        0
    );
    assert_eq!(
        learn(
            &place,
            &FILES[..1],
            "--method jgl-fused --lambda1 0.1 --lambda2 0.5 -o fused"
        )
        .code,
        0
    );
    assert_eq!(
        learn(&place, &FILES, "--method jgl-group --single --lambda1 0.1 -o all").code,
        0
    );
    assert_eq!(place.read("alone/edges_long.tsv"), place.read("fused/edges_long.tsv"));
    let all = place.read("all/edges_long.tsv");
    let of_first: Vec<&str> = all.lines().filter(|line| line.starts_with("view1\t")).collect();
    let alone = place.read("alone/edges_long.tsv");
    // Which edges, that is: iterations end at another place when there are more views.
    let ends = |line: &str| line.rsplit_once('\t').unwrap().0.to_owned();
    let of_first: Vec<String> = of_first.into_iter().map(ends).collect();
    assert_eq!(of_first, alone.lines().skip(1).map(ends).collect::<Vec<_>>());
}

#[test]
fn options_that_do_not_fit() {
    let place = simulated();
    let before = place.everything();
    for (words, code, expected) in [
        (
            "--alpha 0.1 --beta 0.1 --lambda1 0.1",
            2,
            "--lambda1 is an option of the joint graphical lasso",
        ),
        (
            "--alpha 0.1 --beta 0.1 --free-diagonal",
            2,
            "--free-diagonal is an option of the joint",
        ),
        ("--method jgl-fused", 2, "--lambda1 is missing"),
        ("--method jgl-fused --lambda1 0.1", 2, "--lambda2 is missing"),
        (
            "--method jgl-fused --lambda1 0.1 --lambda2 0.1 --single",
            2,
            "leave out one of them",
        ),
        (
            "--method jgl-group --lambda1 0.1 --lambda2 0.1 --alpha 1",
            2,
            "--alpha means nothing with --method jgl-group",
        ),
        (
            "--method jgl-group --lambda1 0.1 --lambda2 0.1 --penalty l2",
            2,
            "--penalty means nothing",
        ),
        (
            "--method jgl-group --lambda1 0.1 --lambda2 0.1 --candidates knn:3",
            2,
            "--candidates means nothing",
        ),
        (
            "--method jgl-group --lambda1 0.1 --lambda2 0.1 --free-diagonal",
            2,
            "--free-diagonal means nothing",
        ),
        (
            "--method jgl-fused --lambda1 0.1 --lambda2 0.1 --distance-norm none",
            2,
            "--distance-norm means nothing",
        ),
        (
            "--method jgl-fused --lambda1 -1 --lambda2 0.1",
            2,
            "--lambda1 is -1; it must be finite and non-negative",
        ),
        ("--method jgl-fused --lambda1 0.1 --lambda2 inf", 2, "--lambda2 is inf"),
        ("--method jgl --lambda1 0.1 --lambda2 0.1", 2, "jgl-fused, jgl-group"),
        (
            "--method jgl-fused --lambda1 0.1 --lambda2 0.02 --max-iterations 1 --strict",
            5,
            "nothing was written",
        ),
    ] {
        let outcome = learn(&place, &FILES, &format!("{words} -o out"));
        assert_eq!(outcome.code, code, "{words}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{words}: {}", outcome.stderr);
        assert_eq!(place.everything(), before);
    }
}

#[test]
fn fewer_samples_than_nodes() {
    let place = Place::new();
    place.fine(
        &"simulate --nodes 20 --views 3 --signals 8 -o sim"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    let outcome = learn(&place, &FILES, "--method jgl-fused --lambda1 0 --lambda2 0 -o out");
    assert_eq!(outcome.code, 2);
    assert!(
        outcome
            .stderr
            .contains("--lambda1 is 0, and a covariance matrix is singular"),
        "{}",
        outcome.stderr
    );
    let outcome = learn(
        &place,
        &FILES,
        "--method jgl-fused --lambda1 0.2 --lambda2 0.02 --strict -o out",
    );
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}
