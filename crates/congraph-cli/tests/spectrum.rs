//! `--spectrum`: what it changes, what is written of it, who reads it back, and what it is refused for.

use crate::place::{MODEL, Place};

const FILES: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 14 --views 4 --signals 60 --edge-probability 0.3 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place
}

fn summary(place: &Place, folder: &str) -> serde_json::Value {
    serde_json::from_str(&place.read(&format!("{folder}/summary.json"))).unwrap()
}

/// The weights of a view in `edges_long.tsv`, by the names of the edges' ends.
fn weights(place: &Place, folder: &str, view: &str) -> Vec<(String, f64)> {
    let text = place.read(&format!("{folder}/edges_long.tsv"));
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let of_view = rows.filter(|row| row[0] == view);
    of_view
        .map(|row| (row[1..3].join(" "), row[3].parse().unwrap()))
        .collect()
}

#[test]
fn one_is_as_if_it_was_not_there() {
    let place = simulated();
    place.learn(&FILES, "plain");
    place.learn(&[&FILES[..], &["--spectrum", "1"]].concat(), "one");
    place.learn(&[&FILES[..], &["--spectrum", "0.5"]].concat(), "half");
    for file in ["edges.tsv", "edges_long.tsv", "views.tsv", "nodes.tsv"] {
        assert_eq!(place.read(&format!("plain/{file}")), place.read(&format!("one/{file}")));
    }
    assert_ne!(place.read("plain/edges.tsv"), place.read("half/edges.tsv"));
    assert_eq!(summary(&place, "one").get("spectrum"), None);
    assert_eq!(summary(&place, "half")["spectrum"], 0.5);
    assert_eq!(summary(&place, "half").get("spectrum_by"), None);
    let said = "the singular values of each view were taken to the power 0.5, and nodes were z-scored again";
    assert!(place.read("half/report.html").contains(said));
    assert!(!place.read("plain/report.html").contains("singular values"));
}

#[test]
fn project_reads_it_back() {
    let place = simulated();
    place.learn(&[&FILES[..], &["--spectrum", "0.4", "--tol", "1e-12"]].concat(), "out");
    place.fine(&[
        "project",
        "out",
        "--view",
        "sim/view2.csv",
        "sim/view4.csv",
        "-o",
        "new",
    ]);
    let (before, after) = (weights(&place, "out", "view2"), weights(&place, "new", "view2"));
    assert_eq!(before.len(), after.len());
    for (one, two) in before.iter().zip(&after) {
        assert!(one.0 == two.0 && (one.1 - two.1).abs() <= 1e-6, "{one:?} {two:?}");
    }
    assert_eq!(summary(&place, "new")["spectrum"], 0.4);
    // Without it the same view is another.
    let text = place.read("out/summary.json");
    assert!(text.contains("\"spectrum\": 0.4"), "{text}");
    place.learn(&[&FILES[..], &["--tol", "1e-12"]].concat(), "plain");
    place.fine(&["project", "plain", "--view", "sim/view2.csv", "-o", "plain-new"]);
    assert_ne!(weights(&place, "plain-new", "view2"), after);
    assert_eq!(summary(&place, "plain-new").get("spectrum"), None);
}

#[test]
fn what_is_chosen_is_told_and_can_be_asked_for() {
    let place = simulated();
    place.learn(&[&FILES[..], &["--spectrum", "auto"]].concat(), "auto");
    let told = summary(&place, "auto");
    assert_eq!(told["spectrum_by"], "held-out likelihood");
    let exponent = told["spectrum"].as_f64().unwrap();
    assert!([1.0, 0.75, 0.5, 0.35, 0.2].contains(&exponent), "{exponent}");
    place.learn(&[&FILES[..], &["--spectrum", &exponent.to_string()]].concat(), "again");
    assert_eq!(place.read("auto/edges.tsv"), place.read("again/edges.tsv"));
    assert!(place.read("auto/report.html").contains("chosen by held-out likelihood"));
    place.learn(
        &[&FILES[..], &["--spectrum", "auto", "--threads", "1"]].concat(),
        "single",
    );
    assert_eq!(place.read("auto/edges.tsv"), place.read("single/edges.tsv"));
}

#[test]
fn tune_takes_it_too() {
    let place = simulated();
    let path = ["--density", "0.2:0.3", "--similarity", "0.8:0.9", "--halvings", "1"];
    let tune = |spectrum: &str, out: &str| {
        let words = [&["tune"], &FILES[..], &path, &["--spectrum", spectrum, "-o", out]].concat();
        place.fine(&words);
        place.read(&format!("{out}/tune.tsv")).lines().count()
    };
    assert!(tune("0.5", "half") > 1);
    assert_eq!(summary(&place, "half")["spectrum"], 0.5);
    tune("1", "one");
    assert_ne!(place.read("half/edges.tsv"), place.read("one/edges.tsv"));
    tune("auto", "auto");
    assert_eq!(summary(&place, "auto")["spectrum_by"], "held-out likelihood");
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_read() {
    let place = simulated();
    let cases: [(&[&str], &str); 8] = [
        (
            &["--spectrum", "0"],
            "--spectrum is 0; it must be at least 0.05 and at most 1",
        ),
        (&["--spectrum", "-1"], "--spectrum is -1; it must be at least 0.05"),
        (&["--spectrum", "1.5"], "--spectrum is 1.5; it must be at most 1"),
        (&["--spectrum", "NaN"], "--spectrum is NaN; it must be at least 0.05"),
        (&["--spectrum", "half"], "--spectrum half: neither a number nor `auto`"),
        (&["--spectrum", "0.5", "--scale", "center"], "needs `--scale zscore`"),
        (&["--spectrum", "auto", "--scale", "none"], "needs `--scale zscore`"),
        (
            &[
                "--spectrum",
                "0.5",
                "--method",
                "jgl-fused",
                "--lambda1",
                "0.1",
                "--lambda2",
                "0.1",
            ],
            "--spectrum means nothing with --method jgl-fused",
        ),
    ];
    for (options, said) in cases {
        let words = [&["learn", "nothing.csv", "-o", "out"], options].concat();
        let outcome = place.run(&words);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    // Matrices have no samples to halve.
    place.write("a.csv", "a,b,c\n1,0.5,0.1\n0.5,1,0.2\n0.1,0.2,1\n");
    place.write("b.csv", "a,b,c\n1,0.4,0.1\n0.4,1,0.3\n0.1,0.3,1\n");
    let words = [
        "learn",
        "a.csv",
        "b.csv",
        "--covariance",
        "--spectrum",
        "auto",
        "-o",
        "out",
    ];
    let outcome = place.run(&[&words[..], &MODEL].concat());
    assert_ne!(outcome.code, 0);
    assert!(
        outcome.stderr.contains("E05") && outcome.stderr.contains("--spectrum 0.5"),
        "{}",
        outcome.stderr
    );
}
