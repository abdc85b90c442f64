//! `congraph project` and `congraph export`: what they write, what they print, and what they refuse.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use crate::place::{self, Place, csv};

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

/// The edges of a view in `edges_long.tsv`, with their weights.
fn weights(place: &Place, folder: &str, view: &str) -> Vec<(String, f64)> {
    let rows = rows(place, &format!("{folder}/edges_long.tsv"));
    let of_view = rows.into_iter().filter(|row| row[0] == view);
    of_view
        .map(|row| (row[1..3].join(" "), row[3].parse().unwrap()))
        .collect()
}

fn assert_same(one: &[(String, f64)], two: &[(String, f64)]) {
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().zip(two) {
        assert!(one.0 == two.0 && (one.1 - two.1).abs() <= 1e-6, "{one:?} {two:?}");
    }
}

#[test]
fn candidates_costs_and_tolerance_are_those_of_the_fit() {
    let place = fitted();
    let heavy = weights(&place, "out", "view2");
    let mut costs = String::from("source\ttarget\tcost\n");
    for (pair, _) in &heavy[..4] {
        costs += &format!("{}\tinf\n", pair.replace(' ', "\t"));
    }
    place.write("costs.tsv", costs);
    let listed = heavy.iter().step_by(2).map(|(pair, _)| pair.replace(' ', "\t") + "\n");
    place.write("pairs.tsv", format!("source\ttarget\n{}", listed.collect::<String>()));
    let fits: [(&str, &[&str]); 4] = [
        ("costly", &["--edge-costs", "costs.tsv"]),
        ("listed", &["--candidates", "pairs.tsv"]),
        ("near", &["--candidates", "knn:2", "--seed", "7"]),
        ("rough", &["--tol", "1e-3"]),
    ];
    for (fit, words) in fits {
        let views = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];
        let learn = [
            &["learn"],
            &views[..],
            &place::MODEL,
            words,
            &["--no-report", "-o", fit],
        ]
        .concat();
        place.fine(&learn);
        let new = format!("{fit}-new");
        let view = ["sim/view2.csv", "sim/view4.csv"];
        let words = [&["project", fit, "--view"], &view[..], &["-o", &new, "--json"]].concat();
        let outcome = place.fine(&words);
        assert_eq!(outcome.stderr, "");
        let told = outcome.json();
        let summary: serde_json::Value = serde_json::from_str(&place.read(&format!("{fit}/summary.json"))).unwrap();
        for key in ["candidates", "candidates_seed", "edge_costs", "tolerance"] {
            assert_eq!(told[key], summary[key], "{fit}: {key}");
        }
        if fit != "rough" {
            assert_same(&weights(&place, fit, "view2"), &weights(&place, &new, "view2"));
        }
        let added = rows(&place, &format!("{new}/projection.tsv"));
        let added: Vec<String> = added
            .into_iter()
            .filter(|row| row[5] == "added")
            .map(|row| row[1..3].join("\t"))
            .collect();
        match fit {
            "costly" => {
                let forbidden = place.read("costs.tsv");
                assert!(!added.is_empty() && !added.iter().any(|pair| forbidden.contains(pair)));
                assert_eq!(
                    place.read("costly/edge_costs.tsv"),
                    place.read("costly-new/edge_costs.tsv")
                );
            }
            "listed" => {
                let allowed = place.read("pairs.tsv");
                assert!(added.iter().all(|pair| allowed.contains(pair)));
                assert_eq!(rows(&place, "listed/candidates.tsv").len(), allowed.lines().count());
            }
            "near" => assert_eq!(
                (&told["candidates"], &told["candidates_seed"]),
                (&"knn:2".into(), &7.into())
            ),
            _ => assert_eq!(told["tolerance"], 1e-3),
        }
    }
    // Options have the last word.
    let words = [
        "project",
        "costly",
        "--view",
        "sim/view4.csv",
        "--candidates",
        "all",
        "--edge-costs",
        "none",
    ];
    let told = place.fine(&[&words[..], &["-o", "free", "--json"]].concat()).json();
    assert_eq!(
        (&told["candidates"], &told["edge_costs"]),
        (&"all".into(), &serde_json::Value::Null)
    );
    assert!(!place.path("free/edge_costs.tsv").exists());
    // A folder that does not tell is said to be so; one that has lost what it tells of is refused.
    let older = place
        .read("out/summary.json")
        .replace("\"candidates\"", "\"candidate\"");
    place.write("out/summary.json", older);
    let outcome = place.fine(&["project", "out", "--view", "sim/view4.csv", "-o", "old"]);
    assert!(
        outcome.stderr.contains("does not record its candidates and edge costs"),
        "{outcome:?}"
    );
    std::fs::remove_file(place.path("listed/candidates.tsv")).unwrap();
    let outcome = place.run(&["project", "listed", "--view", "sim/view4.csv", "-o", "lost"]);
    assert!(
        outcome.code == 3 && outcome.stderr.contains("candidates.tsv"),
        "{outcome:?}"
    );
}

/// The table with a column changed, or left out.
fn changed(place: &Place, file: &str, column: &str, cell: Option<&str>) -> String {
    let text = place.read(file);
    let at = text
        .lines()
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == column)
        .unwrap();
    let row = |(line, row): (usize, &str)| {
        let mut cells: Vec<&str> = row.split(',').collect();
        match cell {
            None => {
                cells.remove(at);
            }
            Some(_) if line == 0 => {}
            Some(cell) => cells[at] = cell,
        }
        cells.join(",") + "\n"
    };
    text.lines().enumerate().map(row).collect()
}

#[test]
fn a_view_that_lacks_nodes_is_projected_with_those_it_has() {
    let place = fitted();
    place.write("less.csv", changed(&place, "sim/view4.csv", "n03", None));
    place.write("flat.csv", changed(&place, "sim/view4.csv", "n03", Some("1.5")));
    place.write("holes.csv", changed(&place, "sim/view4.csv", "n03", Some("nan")));
    let common = [
        "project",
        "out",
        "--view",
        "late=less.csv",
        "--nodes",
        "common",
        "-o",
        "common",
    ];
    place.fine(&common);
    let own = weights(&place, "common", "late");
    for (file, code) in [("less.csv", "E02"), ("flat.csv", "E04"), ("holes.csv", "E01")] {
        let view = format!("late={file}");
        let outcome = place.run(&["project", "out", "--view", &view, "-o", "refused"]);
        assert!(outcome.code == 3 && outcome.stderr.contains(code), "{outcome:?}");
        // Every option that the hint names is one, and leads on.
        let hint = outcome.stderr.split("hint: ").nth(1).unwrap();
        let mut hints: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
        assert!(hints.contains(&"--missing mask") && !hint.contains("--scale"), "{hint}");
        hints.retain(|hint| *hint != "--nan drop-rows");
        for (number, hint) in hints.iter().enumerate() {
            let out = format!("{file}-{number}");
            let followed: Vec<&str> = ["project", "out", "--view", &view, "-o", &out]
                .into_iter()
                .chain(hint.split(' '))
                .collect();
            let outcome = place.fine(&followed);
            assert_same(&weights(&place, &out, "late"), &own);
            if *hint != "--missing mask" {
                continue;
            }
            assert!(outcome.stdout.contains(" unmeasured, "), "{outcome:?}");
            assert!(
                outcome.stderr.matches("W03").count() == 1 && outcome.stderr.contains("`n03`"),
                "{outcome:?}"
            );
            // All nodes of the consensus stay, and nothing is said of what the view does not have.
            assert_eq!(rows(&place, &format!("{out}/nodes.tsv")).len(), 13);
            assert_eq!(place.read(&format!("{out}/missing.tsv")), "view\tnode\nlate\tn03\n");
            for row in &rows(&place, &format!("{out}/projection.tsv"))[1..] {
                let touches = row[1] == "n03" || row[2] == "n03";
                assert_eq!(row[5] == "unmeasured", touches, "{row:?}");
            }
            for row in &rows(&place, &format!("{out}/edges.tsv"))[1..] {
                let touches = row[0] == "n03" || row[1] == "n03";
                assert_eq!((row[4].is_empty(), row[5] == "0"), (touches, touches), "{row:?}");
            }
            let told: serde_json::Value = serde_json::from_str(&place.read(&format!("{out}/summary.json"))).unwrap();
            let facts = &told["views"]["late"];
            assert_eq!(facts["missing"], serde_json::json!(["n03"]));
            let consensus = told["consensus"]["n_edges"].as_u64().unwrap();
            let count = |kind: &str| facts[format!("n_{kind}")].as_u64().unwrap();
            assert_eq!(count("shared") + count("lacking") + count("unmeasured"), consensus);
            place.fine(&["communities", &out, "--runs", "2"]);
            place.fine(&["report", &out]);
            place.fine(&["export", &out, "--to", "graphml,gexf,mat,npz,edges,relmat"]);
        }
    }
    // Views that lack different nodes stand side by side.
    place.write("other.csv", changed(&place, "sim/view4.csv", "n07", None));
    let words = [
        "project",
        "out",
        "--view",
        "less.csv",
        "other.csv",
        "--missing",
        "mask",
        "-o",
        "both",
    ];
    place.fine(&words);
    assert_same(&weights(&place, "both", "less"), &own);
    assert_eq!(place.read("both/missing.tsv"), "view\tnode\nless\tn03\nother\tn07\n");
}

#[test]
fn the_fit_is_not_replaced_by_what_is_projected_on_it() {
    let place = fitted();
    let before = place.everything();
    for out in ["out", "./out/", "sim/../out"] {
        let outcome = place.run(&["project", "out", "--view", "sim/view4.csv", "-o", out, "--force"]);
        assert!(
            outcome.code == 2 && outcome.stderr.contains("would be replaced"),
            "{outcome:?}"
        );
    }
    assert_eq!(place.everything(), before);
    place.fine(&["project", "out", "--view", "sim/view4.csv", "-o", "out/new"]);
}

#[test]
fn variables_of_a_file_are_chosen() {
    let place = Place::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../congraph-io/tests/formats/several.mat");
    assert_eq!(place.run(&["check", file]).code, 3);
    let told = place
        .fine(&["check", file, "--variable", "rest,other", "--json"])
        .json();
    assert_eq!(told["views"].as_array().unwrap().len(), 2);
}

#[test]
fn every_graph_has_a_file_of_its_own_and_the_nodes_that_it_has() {
    let place = fitted();
    place.write("less.csv", changed(&place, "sim/view3.csv", "n03", None));
    let views = ["a_b3=sim/view1.csv", "a_b=sim/view2.csv", "a b=less.csv"];
    let learn = |force: &[&str]| {
        let words = [
            &["learn"],
            &views[..],
            &place::MODEL,
            &["--missing", "mask", "-o", "o"],
            force,
        ]
        .concat();
        place.fine(&words);
    };
    learn(&[]);
    let formats = ["--to", "graphml,gexf,mat,npz,edges,relmat", "--json"];
    let told = place.fine(&[&["export", "o"], &formats[..]].concat()).json();
    let files = told["files"].as_array().unwrap();
    let there = |file: &serde_json::Value| place.path("o/export").join(file.as_str().unwrap()).exists();
    assert!(files.iter().all(there));
    let on_disk = std::fs::read_dir(place.path("o/export")).unwrap().count();
    assert_eq!((files.len(), on_disk), (3 * 4 + 2 + 2 * 4, files.len()));
    // The view that lacks a node has a graph without it.
    for (file, nodes) in [("view-a_b4", 11), ("view-a_b3", 12), ("consensus", 12)] {
        for ending in ["graphml", "gexf"] {
            let text = place.read(&format!("o/export/{file}.{ending}"));
            assert_eq!(text.matches("<node ").count(), nodes, "{file}");
        }
    }
    let matrix = rows(&place, "o/export/sub-ab_meas-graphlearning_relmat.tsv");
    assert_eq!((matrix.len(), matrix[0].len()), (13, 13));
    let matrix = rows(&place, "o/export/sub-ab3_meas-graphlearning_relmat.tsv");
    assert_eq!((matrix.len(), matrix[0].len()), (13, 13));
    let matrix = rows(&place, "o/export/sub-ab4_meas-graphlearning_relmat.tsv");
    assert_eq!((matrix.len(), matrix[0].len()), (12, 12));
    assert!(!matrix[0].contains(&"n03".to_owned()));
    // A new fit leaves nothing of the old one behind.
    place.write("o/export/notes.txt", "mine");
    learn(&["--force"]);
    let left: Vec<String> = place
        .everything()
        .into_keys()
        .filter(|file| file.starts_with("o/export/"))
        .collect();
    assert_eq!(left, ["o/export/", "o/export/notes.txt"]);
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
