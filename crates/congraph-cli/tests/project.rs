//! `congraph project` and `congraph export`: what they write, what they print, and what they refuse.

// The lint knows `#[test]` functions, not what they call. Each test file uses a part of `place`.
#![allow(clippy::unwrap_used, dead_code)]

mod place;

use place::{Place, csv};

/// A fit of three simulated views in `out`; a fourth is left.
fn fitted() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 12 --views 4 --signals 60 --edge-probability 0.3 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place.learn(&["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"], "out");
    place
}

fn rows(place: &Place, file: &str) -> Vec<Vec<String>> {
    let text = place.read(file);
    text.lines()
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

#[test]
fn a_new_view_is_projected_into_a_folder_of_its_own() {
    let place = fitted();
    let outcome = place.fine(&["project", "out", "--view", "late=sim/view4.csv", "-o", "new"]);
    assert_eq!(outcome.stderr, "");
    assert!(outcome.stdout.starts_with("new: view late, "), "{}", outcome.stdout);
    assert!(outcome.stdout.trim_end().ends_with("(converged)") && outcome.stdout.lines().count() == 1);
    let table = rows(&place, "new/projection.tsv");
    assert_eq!(table[0], ["view", "source", "target", "weight", "consensus", "kind"]);
    let summary: serde_json::Value = serde_json::from_str(&place.read("new/summary.json")).unwrap();
    let fit: serde_json::Value = serde_json::from_str(&place.read("out/summary.json")).unwrap();
    for key in ["alpha", "beta", "penalty", "scale", "sample_norm", "distance_divisor"] {
        assert_eq!(summary[key], fit[key], "{key}");
    }
    assert_eq!(summary["schema"], "congraph.projection/1");
    let facts = &summary["views"]["late"];
    assert!(facts["relative_gap"].as_f64().unwrap() <= 1e-9 && facts["converged"] == true);
    for kind in ["shared", "added", "lacking"] {
        let count = table.iter().filter(|row| row[5] == kind).count();
        assert_eq!(facts[format!("n_{kind}")], count, "{kind}");
        assert!(count > 0, "{kind}");
    }
    for row in &table[1..] {
        let (weight, consensus): (f64, f64) = (row[3].parse().unwrap(), row[4].parse().unwrap());
        let kind = match (weight > 0.0, consensus > 0.0) {
            (true, true) => "shared",
            (true, false) => "added",
            _ => "lacking",
        };
        assert_eq!(row[5], kind);
    }
    // The consensus is that of the fit, to the bit, and the folder a result like any other.
    let consensus = |file: &str| -> Vec<String> {
        let mut weights: Vec<String> = rows(&place, file)[1..]
            .iter()
            .filter(|row| row[2] != "0.0")
            .map(|row| row[..3].join(" "))
            .collect();
        weights.sort();
        weights
    };
    assert_eq!(consensus("new/edges.tsv"), consensus("out/edges.tsv"));
    assert_eq!(rows(&place, "new/views.tsv")[1][0], "late");
    place.fine(&["communities", "new", "--runs", "2"]);
}

#[test]
fn a_view_of_the_fit_comes_back_and_json_is_what_is_written() {
    let place = fitted();
    let outcome = place.fine(&[
        "project",
        "out",
        "--view",
        "sim/view2.csv",
        "sim/view4.csv",
        "-o",
        "new",
        "--json",
    ]);
    let written: serde_json::Value = serde_json::from_str(&place.read("new/summary.json")).unwrap();
    assert_eq!(outcome.json(), written);
    assert_eq!(written["n_views"], 2);
    let weights = |file: &str| -> Vec<(String, f64)> {
        let of_view = rows(&place, file).into_iter().filter(|row| row[0] == "view2");
        of_view
            .map(|row| (row[1..3].join(" "), row[3].parse().unwrap()))
            .collect()
    };
    let (before, after) = (weights("out/edges_long.tsv"), weights("new/edges_long.tsv"));
    assert_eq!(before.len(), after.len());
    for (one, two) in before.iter().zip(&after) {
        assert!(one.0 == two.0 && (one.1 - two.1).abs() <= 1e-6, "{one:?} {two:?}");
    }
}

#[test]
fn options_are_heard() {
    let place = fitted();
    let facts = |words: &[&str], out: &str| {
        let words = [
            &["project", "out", "--view", "sim/view4.csv", "--json", "-o", out],
            words,
        ]
        .concat();
        place.fine(&words).json()
    };
    let weak = facts(&["--beta", "1e-6"], "weak");
    let strong = facts(&["--beta", "10", "--alpha", "0.1"], "strong");
    assert_eq!((&strong["beta"], &strong["alpha"]), (&10.0.into(), &0.1.into()));
    let uniqueness = |facts: &serde_json::Value| facts["views"]["view4"]["uniqueness"].as_f64().unwrap();
    assert!(uniqueness(&weak) > uniqueness(&strong));
    place.write("pairs.tsv", "source\ttarget\nn01\tn02\n");
    let few = facts(&["--candidates", "pairs.tsv"], "few");
    assert!(few["views"]["view4"]["n_added"].as_u64().unwrap() <= 1);
    let outcome = place.run(&["project", "out", "--view", "sim/view4.csv", "-o", "weak"]);
    assert_eq!(outcome.code, 2);
    place.fine(&["project", "out", "--view", "sim/view4.csv", "-o", "weak", "--force"]);
}

#[test]
fn what_cannot_be_projected_is_refused_and_nothing_written() {
    let place = fitted();
    place.fine(&["learn", "sim/view1.csv", "--single", "--alpha", "0.05", "-o", "single"]);
    place.write("other.csv", csv("n01,n02,n03,Cz", 40, 3));
    place.write("half/nodes.tsv", place.read("out/nodes.tsv"));
    for file in ["views.tsv", "edges.tsv", "edges_long.tsv"] {
        place.write(&format!("half/{file}"), place.read(&format!("out/{file}")));
    }
    place.write("half/summary.json", "{\"alpha\": 1}");
    let before = place.everything();
    let cases: [(&str, i32, &[&str]); 7] = [
        ("no_view", 2, &["project", "out", "-o", "new"]),
        ("no_fit", 3, &["project", "sim", "--view", "sim/view4.csv", "-o", "new"]),
        (
            "no_consensus",
            2,
            &["project", "single", "--view", "sim/view4.csv", "-o", "new"],
        ),
        (
            "no_parameters",
            3,
            &["project", "half", "--view", "sim/view4.csv", "-o", "new"],
        ),
        (
            "other_nodes",
            3,
            &["project", "out", "--view", "other.csv", "-o", "new"],
        ),
        ("no_file", 3, &["project", "out", "--view", "absent.csv", "-o", "new"]),
        (
            "beta_negative",
            2,
            &["project", "out", "--view", "sim/view4.csv", "--beta", "-1", "-o", "new"],
        ),
    ];
    for (name, code, words) in cases {
        let outcome = place.run(words);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (code, ""),
            "{name}: {outcome:?}"
        );
        insta::assert_snapshot!(format!("refused_{name}"), outcome.stderr);
    }
    assert_eq!(place.everything(), before);
    place.fine(&[
        "project",
        "out",
        "--view",
        "other.csv",
        "--nodes",
        "common",
        "-o",
        "new",
    ]);
}

#[test]
fn graphs_are_exported_in_every_format() {
    let place = fitted();
    let outcome = place.fine(&["export", "out", "--to", "graphml,gexf,mat,npz,edges,relmat"]);
    insta::assert_snapshot!("exported", outcome.stdout);
    let mut files: Vec<String> = place
        .everything()
        .into_keys()
        .filter(|file| file.starts_with("out/export/"))
        .collect();
    files.sort();
    insta::assert_snapshot!("export_files", files.join("\n"));
    assert_eq!(
        rows(&place, "out/export/consensus.edges.tsv")[0],
        ["source", "target", "weight"]
    );
    let outcome = place
        .fine(&["export", "out", "--to", "edges", "-o", "elsewhere", "--json"])
        .json();
    assert_eq!(outcome["files"].as_array().unwrap().len(), 4);
    let outcome = place.run(&["export", "out", "--to", "edges"]);
    assert_eq!(outcome.code, 2);
    let outcome = place.run(&["export", "out", "--to", "dot", "-o", "dot"]);
    assert_eq!(outcome.code, 2);
    insta::assert_snapshot!("export_unknown_format", outcome.stderr);
}

#[test]
fn without_a_consensus_only_views_are_exported() {
    let place = fitted();
    place.fine(&[
        "learn",
        "a/b=sim/view1.csv",
        "--single",
        "--alpha",
        "0.05",
        "-o",
        "single",
    ]);
    let outcome = place
        .fine(&[
            "export",
            "single",
            "--to",
            "graphml,mat,relmat",
            "-o",
            "exported",
            "--json",
        ])
        .json();
    let files = [
        "view-a_b.graphml",
        "graphs.mat",
        "sub-ab_meas-graphlearning_relmat.tsv",
        "sub-ab_meas-graphlearning_relmat.json",
    ];
    assert_eq!(outcome["files"], serde_json::json!(files));
}
