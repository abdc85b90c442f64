//! Which pairs may be joined, what some of them cost, and how much memory may be used.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use crate::place::Place;

const FILES: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 20 --views 3 --signals 100 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place
}

/// The pairs of an output folder's edges.tsv.
fn pairs(place: &Place, out: &str) -> Vec<(String, String)> {
    let text = place.read(&format!("{out}/edges.tsv"));
    let ends = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        (cells.next().unwrap(), cells.next().unwrap())
    };
    text.lines().skip(1).map(ends).collect()
}

#[test]
fn candidates_from_an_earlier_result_and_from_neighbours() {
    let place = simulated();
    place.learn(&FILES, "all");
    // Its own edges as candidates: the same graphs, and nothing outside would have entered.
    let again = place.learn(
        &[&FILES[..], &["--candidates", "all/edges.tsv", "--check-outside"]].concat(),
        "again",
    );
    assert!(
        again
            .stderr
            .contains("note: 0 pairs outside the candidates would have entered"),
        "{}",
        again.stderr
    );
    assert_eq!(pairs(&place, "all"), pairs(&place, "again"));
    let near = place.learn(
        &[&FILES[..], &["--candidates", "knn:2", "--check-outside", "--json"]].concat(),
        "near",
    );
    assert!(near.json()["candidates_outside"].as_u64().unwrap() > 0);
    assert!(pairs(&place, "near").len() < pairs(&place, "all").len());
    place.learn(
        &[&FILES[..], &["--candidates", "knn:2", "--solver", "admm"]].concat(),
        "near-admm",
    );
    assert_eq!(pairs(&place, "near"), pairs(&place, "near-admm"));
}

#[test]
fn costs_forbid_and_favour() {
    let place = simulated();
    place.learn(&FILES, "all");
    let (a, b) = pairs(&place, "all")[0].clone();
    place.write("costs.csv", format!("source,target,cost\n{b},{a},inf\n"));
    place.learn(&[&FILES[..], &["--edge-costs", "costs.csv"]].concat(), "without");
    assert!(!pairs(&place, "without").contains(&(a, b)));
}

#[test]
fn what_is_wrong_with_a_list_is_told() {
    let place = simulated();
    place.write("bad.tsv", "source\ttarget\nn01\tnobody\n");
    let before = place.everything();
    let cases: [(&[&str], i32, &str); 5] = [
        (
            &["--candidates", "bad.tsv"],
            3,
            "E07: `bad.tsv`, line 2: the node `nobody` is not in the data",
        ),
        (&["--candidates", "knn:none"], 2, "`none` is not a number of neighbours"),
        (&["--edge-costs", "bad.tsv"], 3, "the column `cost` is missing"),
        (&["--check-outside"], 2, "--candidates"),
        (&["--memory", "0"], 2, "--memory"),
    ];
    for (words, code, message) in cases {
        let model = ["--alpha", "0.05", "--beta", "0.02", "-o", "out"];
        let outcome = place.run(&[&["learn"], &FILES[..], words, &model].concat());
        assert_eq!(outcome.code, code, "{words:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(message), "{words:?}: {}", outcome.stderr);
        assert!(outcome.stdout.is_empty());
    }
    assert_eq!(place.everything(), before);
}

#[test]
fn too_little_memory_is_refused_before_any_work() {
    let place = simulated();
    let words = [
        "--solver", "admm", "--memory", "0.0001", "--alpha", "0.05", "--beta", "0.02", "-o", "out",
    ];
    let outcome = place.run(&[&["learn"], &FILES[..], &words].concat());
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.stderr.contains("20 nodes × 3 views need at least"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("hint: `--memory 1`"), "{}", outcome.stderr);
    assert!(!place.path("out").exists());
}
