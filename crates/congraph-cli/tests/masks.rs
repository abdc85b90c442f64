//! `--missing mask` in every command: what is said, what is written, and what is refused.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::io::Read;

use crate::place::{MODEL, Place, csv};

const FILES: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];
const MASKED: [&str; 5] = [FILES[0], FILES[1], FILES[2], "--missing", "mask"];
/// What a fit writes that does not tell the time.
const GRAPHS: [&str; 5] = ["nodes.tsv", "views.tsv", "edges.tsv", "edges_long.tsv", "matrices.npz"];

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 30 --views 3 --signals 120 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place
}

/// A table whose cells a function may change (to nothing: the column is left out).
fn edited(text: &str, change: impl Fn(&str, &str) -> Option<String>) -> String {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let kept: Vec<usize> = (0..names.len()).filter(|&k| change(names[k], "0").is_some()).collect();
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut out = line(kept.iter().map(|&k| names[k].to_owned()).collect());
    for row in lines {
        let cells: Vec<&str> = row.split(',').collect();
        out += &line(kept.iter().map(|&k| change(names[k], cells[k]).unwrap()).collect());
    }
    out
}

/// View 1 lacks the columns of two nodes, view 2 holds a NaN in one node, and in view 3 one node is constant.
fn masked() -> (Place, Vec<String>) {
    let place = simulated();
    let names: Vec<String> = place
        .read(FILES[0])
        .lines()
        .next()
        .unwrap()
        .split(',')
        .map(String::from)
        .collect();
    let change = |file: &str, change: &dyn Fn(&str, &str) -> Option<String>| {
        let text = edited(&place.read(file), change);
        place.write(file, text);
    };
    change(FILES[0], &|name, cell| {
        (name != names[1] && name != names[4]).then(|| cell.to_owned())
    });
    change(FILES[1], &|name, cell| {
        let is_broken = name == names[4] && cell.starts_with('-');
        Some(if is_broken { "NaN".into() } else { cell.to_owned() })
    });
    change(FILES[2], &|name, cell| {
        Some(if name == names[7] {
            "3.5".into()
        } else {
            cell.to_owned()
        })
    });
    (place, names)
}

#[test]
fn a_mask_that_masks_nothing_changes_no_byte() {
    let place = simulated();
    for (penalty, solver) in [("l1", "newton"), ("l2", "newton"), ("l1", "admm")] {
        let words = ["--penalty", penalty, "--solver", solver, "--tol", "1e-6"];
        let [plain, mask] = ["plain", "mask"].map(|out| format!("{out}-{penalty}-{solver}"));
        place.learn(&[&FILES[..], &words].concat(), &plain);
        place.learn(&[&MASKED[..], &words].concat(), &mask);
        let everything = place.everything();
        for file in GRAPHS {
            assert_eq!(
                everything[&format!("{plain}/{file}")],
                everything[&format!("{mask}/{file}")]
            );
        }
        assert!(!everything.contains_key(&format!("{mask}/missing.tsv")));
    }
}

#[test]
fn learn_tells_and_writes_what_was_masked() {
    let (place, names) = masked();
    let outcome = place.learn(&MASKED, "out");
    insta::assert_snapshot!("w03", outcome.stderr);
    let rows = [(0, 1), (0, 4), (1, 4), (2, 7)].map(|(view, node)| format!("view{}\t{}\n", view + 1, names[node]));
    assert_eq!(place.read("out/missing.tsv"), format!("view\tnode\n{}", rows.concat()));
    let cells = |file: &str, column: &str| -> Vec<String> {
        let text = place.read(file);
        let head: Vec<&str> = text.lines().next().unwrap().split('\t').collect();
        let place = head.iter().position(|name| *name == column).unwrap();
        text.lines()
            .skip(1)
            .map(|line| line.split('\t').nth(place).unwrap().to_owned())
            .collect()
    };
    assert_eq!(cells("out/views.tsv", "n_nodes"), ["28", "29", "29"]);
    let measured = cells("out/edges.tsv", "n_measured");
    assert!(measured.iter().all(|n| ["1", "2", "3"].contains(&n.as_str())) && measured.contains(&"2".to_owned()));
    // Not an edge of a view is at a node that it lacks.
    let ends = cells("out/edges_long.tsv", "view")
        .into_iter()
        .zip(cells("out/edges_long.tsv", "source"));
    let ends = ends.zip(cells("out/edges_long.tsv", "target"));
    for ((view, source), target) in ends {
        for end in [source, target] {
            assert!(!place.read("out/missing.tsv").contains(&format!("{view}\t{end}\n")));
        }
    }
    let summary: serde_json::Value = serde_json::from_str(&place.read("out/summary.json")).unwrap();
    assert_eq!(summary["missing"]["view1"], serde_json::json!([names[1], names[4]]));
    assert!(summary["relative_gap"].as_f64().unwrap() < 1e-8);
    // The totals are the views' own numbers of nodes.
    let weights = cells("out/edges_long.tsv", "view")
        .into_iter()
        .zip(cells("out/edges_long.tsv", "weight"));
    let mut totals = [0.0; 3];
    for (view, weight) in weights {
        totals[view[4..].parse::<usize>().unwrap() - 1] += weight.parse::<f64>().unwrap();
    }
    assert!(
        totals
            .iter()
            .zip([28.0, 29.0, 29.0])
            .all(|(total, n)| (total - n).abs() < 1e-9)
    );
    let mut archive = zip::ZipArchive::new(std::fs::File::open(place.path("out/matrices.npz")).unwrap()).unwrap();
    let mut present = Vec::new();
    archive
        .by_name("present.npy")
        .unwrap()
        .read_to_end(&mut present)
        .unwrap();
    let present = &present[present.len() - 90..];
    let lacking: Vec<usize> = (0..90).filter(|&k| present[k] == 0).collect();
    // What the first view lacks follows at the end: n02, n05.
    assert_eq!(lacking, [28, 29, 30 + 29, 60 + 5]);
    // A run without masks into the same folder leaves no trace of them.
    place.learn(
        &[
            "sim/view2.csv",
            "sim/view3.csv",
            "--nan",
            "drop-rows",
            "--scale",
            "none",
            "--force",
        ],
        "out",
    );
    assert!(!place.everything().contains_key("out/missing.tsv"));
}

#[test]
fn both_solvers_agree_on_the_command_line() {
    let (place, _) = masked();
    let objective = |solver: &str| {
        let words = ["--solver", solver, "--json"];
        let summary = place.learn(&[&MASKED[..], &words].concat(), solver).json();
        assert_eq!(summary["converged"], true);
        summary["objective"].as_f64().unwrap()
    };
    assert!((objective("newton") / objective("admm") - 1.0).abs() < 1e-7);
}

#[test]
fn check_counts_what_would_be_masked() {
    let (place, _) = masked();
    let outcome = place.fine(&[&["check"], &MASKED[..]].concat());
    insta::assert_snapshot!("check", outcome.stdout);
    let told = place.fine(&[&["check", "--json"], &MASKED[..]].concat()).json();
    assert_eq!(told["views"][0]["masked"], 2);
    assert_eq!(told["warnings"][0]["code"], "W03");
    assert_eq!(place.run(&[&["check"], &FILES[..]].concat()).code, 3);
}

#[test]
fn evaluate_scores_a_view_on_the_pairs_it_has() {
    let (place, _) = masked();
    place.learn(&MASKED, "out");
    let told = place
        .fine(&["evaluate", "out", "--truth", "sim/truth", "--json"])
        .json();
    for (view, n_nodes) in [("view1", 28), ("view2", 29), ("view3", 29)] {
        let counts = ["true_positives", "false_positives", "false_negatives", "true_negatives"];
        let sum: u64 = counts
            .iter()
            .map(|count| told["views"][view][count].as_u64().unwrap())
            .sum();
        assert_eq!(sum, n_nodes * (n_nodes - 1) / 2);
    }
    // Views 1 and 2 lack node 5, views 1 and 3 nodes 2, 5 and 8: only pairs that no view has do not count.
    let consensus = &told["consensus"];
    assert!(consensus["true_negatives"].as_u64().unwrap() < 30 * 29 / 2);
    let data: Vec<&str> = FILES.iter().flat_map(|file| ["--data", file]).collect();
    let told = place.fine(&[&["evaluate", "out", "--json"], &data[..]].concat()).json();
    let relative = told["views"]["view1"]["relative_variation"].as_f64().unwrap();
    assert!(relative > 0.1 && relative < 1.0, "{relative}");
}

#[test]
fn communities_are_of_the_nodes_that_a_view_has() {
    let (place, names) = masked();
    place.learn(&MASKED, "out");
    place.fine(&["communities", "out", "--runs", "10"]);
    for line in place.read("out/communities.tsv").lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let node = names.iter().position(|name| name == cells[0]).unwrap();
        let lacking = [[1, 4], [4, 4], [7, 7]];
        for (view, lacking) in lacking.iter().enumerate() {
            assert_eq!(cells[3 + view].is_empty(), lacking.contains(&node), "{line}");
        }
        assert!(!cells[1].is_empty() && !cells[2].is_empty());
    }
}

#[test]
fn tune_chooses_with_masks() {
    let (place, _) = masked();
    let words = "--density 0.1:0.2 --similarity 0.8:0.9 --halvings 2 --truth sim/truth --json -o tuned";
    let words: Vec<&str> = words.split(' ').collect();
    let summary = place.fine(&[&["tune"], &MASKED[..], &words].concat()).json();
    assert!(summary["tune"]["cells"].as_u64().unwrap() > 1);
    let instability = summary["tune"]["instability"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&instability));
    assert_eq!(summary["missing"]["view2"].as_array().unwrap().len(), 1);
}

/// What `learn` says when it refuses and writes nothing.
fn refused(place: &Place, code: i32, args: &[&str]) -> String {
    let before = place.everything();
    let outcome = place.run(&[&["learn", "--missing", "mask", "-o", "out"], args].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (code, ""), "{outcome:?}");
    assert_eq!(place.everything(), before, "something was written");
    outcome.stderr
}

#[test]
fn what_masks_may_not_leave_is_refused() {
    let place = Place::new();
    place
        .write("a.csv", csv("Fz,Cz,Pz,Oz", 30, 1))
        .write("b.csv", csv("Fz,Cz,Pz,Oz", 30, 2));
    let flat = |file: &str, node: &str| {
        edited(&place.read(file), |name, cell| {
            Some(if name == node { "1.5".into() } else { cell.to_owned() })
        })
    };
    let (a, b) = (flat("a.csv", "Pz"), flat("b.csv", "Pz"));
    place.write("a2.csv", a).write("b2.csv", b);
    let files = |files: [&'static str; 2]| [&files[..], &MODEL].concat();
    insta::assert_snapshot!("node_in_no_view", refused(&place, 3, &files(["a2.csv", "b2.csv"])));
    place.write("c.csv", csv("Fz,Cz", 30, 3));
    place.write("c2.csv", flat("c.csv", "Fz"));
    insta::assert_snapshot!("view_of_one_node", refused(&place, 3, &files(["a.csv", "c2.csv"])));
    place.write("d.csv", csv("Oz,x,y", 30, 4));
    insta::assert_snapshot!(
        "view_on_its_own",
        refused(&place, 3, &[&files(["a.csv", "b.csv"])[..], &["d.csv"]].concat())
    );
    let single = [
        "learn",
        "--missing",
        "mask",
        "a.csv",
        "d.csv",
        "--single",
        "--alpha",
        "0.1",
        "-o",
        "single",
    ];
    place.fine(&single);
    let outcome = place.run(&["check", "--missing", "mask", "a.csv", "b.csv", "d.csv"]);
    assert_eq!(outcome.code, 3);
    let jgl = [
        "a.csv",
        "b.csv",
        "--method",
        "jgl-fused",
        "--lambda1",
        "0.1",
        "--lambda2",
        "0.02",
    ];
    insta::assert_snapshot!("jgl", refused(&place, 2, &jgl));
    // Names that look alike are no missing nodes.
    place.write("e.csv", csv("fz,Cz,Pz,Oz", 30, 5));
    assert!(refused(&place, 3, &files(["a.csv", "e.csv"])).contains("E03"));
}
