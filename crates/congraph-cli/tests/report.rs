//! `congraph report`, and the reports that other commands leave.

// The lint knows `#[test]` functions, not what they call. Each test file uses a part of `place`.
#![allow(clippy::unwrap_used, dead_code)]

mod place;

use place::Place;

const FILES: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 20 --views 3 --signals 100 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place
}

#[test]
fn learn_leaves_the_report_that_the_folder_gives() {
    let place = simulated();
    place.learn(&FILES, "out");
    let written = place.read("out/report.html");
    let outcome = place.fine(&["report", "out"]);
    assert!(
        outcome.stdout.starts_with("out/report.html: 3 views share "),
        "{}",
        outcome.stdout
    );
    // From the graphs in memory and from those read back: the same to the byte.
    assert_eq!(place.read("out/report.html"), written);
    let told = place.fine(&["report", "out", "--json"]).json();
    assert_eq!(told["bytes"], written.len());
    assert_eq!(told["schema"], "congraph.report/1");
}

#[test]
fn without_a_report_if_asked() {
    let place = simulated();
    place.learn(&[&FILES[..], &["--no-report"]].concat(), "out");
    assert!(!place.path("out/report.html").exists());
    place.fine(&["communities", "out", "--runs", "5"]);
    assert!(!place.path("out/report.html").exists(), "there was none to renew");
}

#[test]
fn communities_and_positions_get_into_it() {
    let place = simulated();
    place.learn(&FILES, "out");
    assert!(!place.read("out/report.html").contains("id=\"communities\""));
    place.fine(&["communities", "out", "--runs", "5"]);
    assert!(place.read("out/report.html").contains("id=\"communities\""));

    let nodes = place.read("out/nodes.tsv");
    let placed = |ends: fn(usize) -> String| -> String {
        let lines = nodes.lines().enumerate();
        lines
            .map(|(k, line)| format!("{line}\t{}\n", if k == 0 { "x\ty".into() } else { ends(k) }))
            .collect()
    };
    place.write("out/nodes.tsv", placed(|k| format!("{}\t{}", k % 5, k / 5)));
    place.fine(&["report", "out"]);
    assert!(place.read("out/report.html").contains("Nodes at their places."));

    place.write("out/nodes.tsv", placed(|k| format!("{k}\there")));
    let outcome = place.run(&["report", "out"]);
    assert_eq!(outcome.code, 3);
    assert!(
        outcome
            .stderr
            .contains("E07: `out/nodes.tsv`, line 2: `here` is not a number"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn tune_leaves_the_path() {
    let place = simulated();
    place.fine(&[&["tune"], &FILES[..], &["--halvings", "1", "-o", "tuned"]].concat());
    let report = place.read("tuned/report.html");
    assert!(report.contains("id=\"path-map\""));
    let cells = place.read("tuned/tune.tsv").lines().count() - 1;
    let path = place.read("tuned/path.tsv");
    let last = path.lines().last().unwrap().split('\t').next().unwrap();
    assert_eq!(last, cells.to_string());
}

#[test]
fn a_folder_that_is_none_is_told() {
    let place = Place::new();
    let outcome = place.run(&["report", "nowhere"]);
    assert_eq!(outcome.code, 3);
    assert!(
        outcome.stderr.contains("E07: `nowhere/nodes.tsv`"),
        "{}",
        outcome.stderr
    );
    place.write("broken/summary.json", "{");
    let outcome = place.run(&["report", "broken"]);
    assert_eq!(outcome.code, 3);
}

#[test]
fn too_many_nodes_are_not_drawn() {
    let place = Place::new();
    let names: Vec<String> = (0..2001).map(|k| format!("n{k}")).collect();
    place.write("out/nodes.tsv", format!("name\n{}\n", names.join("\n")));
    place.write("out/views.tsv", "name\tfile\tn_samples\tuniqueness\nv\t\t\t\n");
    place.write("out/edges.tsv", "source\ttarget\tconsensus\nn0\tn1\t\n");
    place.write("out/edges_long.tsv", "view\tsource\ttarget\tweight\nv\tn0\tn1\t1\n");
    let outcome = place.run(&["report", "out"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome
            .stderr
            .contains("2001 nodes are too many to draw; up to 2000 are"),
        "{}",
        outcome.stderr
    );
}
