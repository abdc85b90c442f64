//! Views of subjects, chains and pairs: what is read, written, read back and refused.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use crate::place::Place;

const FILES: [&str; 5] = [
    "sim/view1.csv",
    "sim/view2.csv",
    "sim/view3.csv",
    "sim/view4.csv",
    "sim/view5.csv",
];
const WHOSE: &str =
    "age\tview\tsubject\n1\tview1\tann\n1\tview2\tann\n2\tview3\tbob\n2\tview4\tbob\n3\tview5\tcid\n9\tother\teve\n";

/// Five views of three subjects, as files and as one long table.
fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 12 --views 5 --signals 60 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    let mut long = String::new();
    for (k, file) in FILES.iter().enumerate() {
        let text = place.read(file);
        let (header, rows) = text.split_once('\n').unwrap();
        if k == 0 {
            long += &format!("who,task,{header}\n");
        }
        let (who, task) = [
            ("ann", "rest"),
            ("ann", "walk"),
            ("bob", "rest"),
            ("bob", "walk"),
            ("cid", "rest"),
        ][k];
        rows.lines().for_each(|row| long += &format!("{who},{task},{row}\n"));
    }
    place.write("long.csv", long);
    place.write("whose.tsv", WHOSE);
    place
}

#[test]
fn subjects_have_graphs_of_their_own() {
    let place = simulated();
    let long = ["long.csv", "--subject-column", "who", "--condition-column", "task"];
    let told = place.learn(&[&long[..], &["--json"]].concat(), "out").json();
    assert_eq!(
        (&told["coupling"], &told["subject_share"]),
        (&"subjects".into(), &0.5.into())
    );
    assert_eq!(told["penalty"], "l1");
    assert_eq!(told["subjects"]["bob/walk"], "bob");
    assert!(told["relative_gap"].as_f64().unwrap() < 1e-8);
    let views = place.read("out/views.tsv");
    assert!(views.lines().next().unwrap().ends_with("\tsubject") && views.contains("ann/walk\t"));
    assert_eq!(place.read("out/subjects.tsv").lines().count(), 4);
    assert!(place.read("out/edges_subjects.tsv").lines().count() > 10);
    // The same from files and a table of subjects: only the names of the views are others.
    place.learn(&[&FILES[..], &["--subjects", "whose.tsv"]].concat(), "files");
    assert_eq!(
        place.read("files/edges_subjects.tsv"),
        place.read("out/edges_subjects.tsv")
    );
    place.learn(
        &[&FILES[..], &["--subjects", "whose.tsv:view:subject"]].concat(),
        "named",
    );
    assert_eq!(place.read("named/edges.tsv"), place.read("files/edges.tsv"));
}

#[test]
fn the_whole_share_is_the_flat_fit_and_folders_are_read_back() {
    let place = simulated();
    place.learn(&FILES, "flat");
    place.learn(
        &[&FILES[..], &["--subjects", "whose.tsv", "--subject-share", "1"]].concat(),
        "whole",
    );
    let weights = |folder: &str| -> Vec<f64> {
        let text = place.read(&format!("{folder}/edges_long.tsv"));
        text.lines()
            .skip(1)
            .map(|line| line.split('\t').next_back().unwrap().parse().unwrap())
            .collect()
    };
    let (flat, whole) = (weights("flat"), weights("whole"));
    assert_eq!(flat.len(), whole.len());
    assert!(flat.iter().zip(&whole).all(|(x, y)| (x - y).abs() < 1e-8));
    // Every command that reads a folder takes one with subjects.
    place.learn(&[&FILES[..], &["--subjects", "whose.tsv"]].concat(), "out");
    place.fine(&["report", "out"]);
    place.fine(&["communities", "out"]);
    place.fine(&["evaluate", "out", "--truth", "sim/truth"]);
    place.fine(&["export", "out", "--to", "npz,graphml"]);
    place.fine(&["project", "out", "--view", "new=sim/view5.csv", "-o", "new"]);
    // A changed table is noticed.
    place.write("out/edges_subjects.tsv", "subject\tsource\ttarget\tweight\n");
    let refused = place.run(&["report", "out"]);
    assert!(
        refused.code == 3 && refused.stderr.contains("edges_subjects.tsv"),
        "{refused:?}"
    );
}

#[test]
fn chains_and_pairs_tell_the_median() {
    let place = simulated();
    for coupling in ["chain", "pairwise"] {
        let told = place
            .learn(&[&FILES[..], &["--coupling", coupling, "--json"]].concat(), coupling)
            .json();
        assert_eq!(
            (&told["coupling"], &told["converged"]),
            (&coupling.into(), &true.into())
        );
        assert!(told.get("subjects").is_none());
        let refused = place.run(&["project", coupling, "--view", "new=sim/view1.csv", "-o", "new"]);
        assert!(refused.stderr.contains("median of views"), "{refused:?}");
    }
    // The order of views is part of a chain.
    let turned: Vec<&str> = [FILES[3], FILES[0], FILES[4], FILES[1], FILES[2]].to_vec();
    place.learn(&[&turned[..], &["--coupling", "chain"]].concat(), "turned");
    assert_ne!(place.read("turned/edges.tsv"), place.read("chain/edges.tsv"));
    place.learn(&[&turned[..], &["--coupling", "pairwise"]].concat(), "turned2");
    assert_eq!(place.read("turned2/edges.tsv"), place.read("pairwise/edges.tsv"));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let place = simulated();
    let cases: [(&[&str], i32, &str); 8] = [
        (&["--subject-share", "0.5"], 2, "no subjects are told"),
        (
            &["--subjects", "whose.tsv", "--penalty", "l2"],
            2,
            "does not go with --penalty",
        ),
        (
            &["--subjects", "whose.tsv", "--coupling", "chain"],
            2,
            "does not go with --subjects",
        ),
        (
            &["--coupling", "chain", "--gamma", "0.1"],
            2,
            "does not go with --gamma",
        ),
        (&["--coupling", "chain", "--single"], 2, "does not go with --single"),
        (&["--subjects", "whose.tsv", "--subject-share", "1.5"], 2, "at most 1"),
        (&["--subjects", "whose.tsv:view:person"], 3, "has no column `person`"),
        (&["--subjects", "whose.tsv", "--method", "likelihood"], 2, "--subjects"),
    ];
    for (words, code, message) in cases {
        let refused = place.run(&[&["learn"], &FILES[..], words, &["-o", "bad"]].concat());
        assert!(
            refused.code == code && refused.stderr.contains(message),
            "{words:?}: {refused:?}"
        );
    }
    place.write("few.tsv", "view\tsubject\nview1\tann\n");
    let refused = place.run(&[&["learn"], &FILES[..], &["--subjects", "few.tsv", "-o", "bad"]].concat());
    assert!(
        refused.code == 2 && refused.stderr.contains("does not tell whose view `view2` is"),
        "{refused:?}"
    );
}
