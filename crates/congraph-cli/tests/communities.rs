//! `congraph communities`: what it adds to a result folder, what it prints, and what it refuses.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::place::{Outcome, Place};

/// Nine nodes in three triangles, joined by weak links; view `c` has other triangles.
fn learned() -> Place {
    let place = Place::new();
    write(
        &place,
        "out",
        &["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"],
        &["a", "b", "c"],
    );
    place
}

/// The folder with nodes and views in this order.
fn write(place: &Place, out: &str, nodes: &[&str], views: &[&str]) {
    let triangles = |offset: usize| {
        let node = move |k: usize| (k + offset) % 9 + 1;
        let triangle = move |t: usize| [[3 * t, 3 * t + 1], [3 * t + 1, 3 * t + 2], [3 * t, 3 * t + 2]];
        let within = (0..3).flat_map(triangle).map(move |[a, b]| (node(a), node(b), 1.0));
        let between = (0..3).map(move |t| (node(3 * t), node((3 * t + 4) % 9), 0.25));
        within
            .chain(between)
            .map(|(a, b, weight)| ([a.min(b), a.max(b)], weight))
            .collect::<BTreeMap<_, _>>()
    };
    let of_view = |view: &str| triangles(if view == "c" { 1 } else { 0 });
    let pairs: BTreeMap<[usize; 2], f64> = views.iter().flat_map(|view| of_view(view)).collect();
    let table = |head: &str, rows: Vec<String>| format!("{head}\n{}\n", rows.join("\n"));
    let name = |node: usize| format!("n{node}");
    let rows = nodes.iter().map(|node| format!("{node}\t1\t1")).collect();
    place.write(&format!("{out}/nodes.tsv"), table("name\tstrength\tdegree", rows));
    let rows = views.iter().map(|view| format!("{view}\t\t\t0.3\t0.1\t12")).collect();
    place.write(
        &format!("{out}/views.tsv"),
        table("name\tfile\tn_samples\tdensity\tuniqueness\tn_edges", rows),
    );
    let consensus = of_view("a");
    let row = |&[a, b]: &[usize; 2]| {
        let weight = consensus.get(&[a, b]).unwrap_or(&0.0);
        format!("{}\t{}\t{weight:?}\t1\t1.0", name(a), name(b))
    };
    place.write(
        &format!("{out}/edges.tsv"),
        table(
            "source\ttarget\tconsensus\tn_views\tmean_weight",
            pairs.keys().map(row).collect(),
        ),
    );
    let rows = views.iter().flat_map(|view| {
        let row = |([a, b], weight): ([usize; 2], f64)| format!("{view}\t{}\t{}\t{weight:?}", name(a), name(b));
        of_view(view).into_iter().map(row).collect::<Vec<_>>()
    });
    place.write(
        &format!("{out}/edges_long.tsv"),
        table("view\tsource\ttarget\tweight", rows.collect()),
    );
}

/// What a line of words gives.
fn asked(place: &Place, words: &str) -> Outcome {
    place.fine(&words.split(' ').collect::<Vec<_>>())
}

/// Makes the links between the triangles negative.
fn turn_weak_links(place: &Place, out: &str) {
    for file in ["edges.tsv", "edges_long.tsv"] {
        let path = format!("{out}/{file}");
        place.write(&path, place.read(&path).replace("\t0.25", "\t-0.25"));
    }
}

#[test]
fn negative_weights_are_left_out_or_counted_and_it_is_said() {
    let place = learned();
    turn_weak_links(&place, "out");
    let positive = asked(&place, "communities out --runs 5 --json");
    let facts: serde_json::Value = serde_json::from_str(&positive.stdout).unwrap();
    assert_eq!(facts["signs"], "positive");
    assert!(
        positive.stderr.contains("--signs signed counts both"),
        "{}",
        positive.stderr
    );
    let signed = asked(&place, "communities out --runs 5 --json --force --signs signed");
    let signed_facts: serde_json::Value = serde_json::from_str(&signed.stdout).unwrap();
    assert_eq!(signed_facts["signs"], "signed");
    asked(&place, "report out");
    assert!(place.read("out/report.html").contains("Negative weights count too"));
    assert!(!signed.stderr.contains("note"), "{}", signed.stderr);
    // The triangles alone: 3 · (1/3 − 1/9). The links between them, 1.5 of all 19.5, have a modularity of −1/3.
    let value = |facts: &serde_json::Value| facts["consensus"]["modularity"].as_f64().unwrap();
    assert!((value(&facts) - 2.0 / 3.0).abs() < 1e-12);
    let expected = (18.0 * 2.0 / 3.0 - 1.5 * (-1.0 / 3.0)) / 19.5;
    assert!(
        (value(&signed_facts) - expected).abs() < 1e-12,
        "{} {expected}",
        value(&signed_facts)
    );
    // Without a negative weight nothing is told of signs.
    let plain = asked(&learned(), "communities out --runs 5 --json");
    assert!(!plain.stdout.contains("signs") && !plain.stderr.contains("note"));
}

#[test]
fn scores_of_signed_graphs_are_told_with_and_without_signs() {
    let place = learned();
    write(
        &place,
        "truth",
        &["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"],
        &["a", "b", "c"],
    );
    let plain = asked(&place, "evaluate out --truth truth --json");
    assert!(!plain.stdout.contains("signed"));
    turn_weak_links(&place, "out");
    let found = asked(&place, "evaluate out --truth truth --json");
    let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    for part in [&found["consensus"], &found["views"]["c"]] {
        assert_eq!(
            (part["f1"].as_f64(), part["false_positives"].as_u64()),
            (Some(1.0), Some(0))
        );
        // Three of twelve edges have the wrong sign.
        assert_eq!(part["signed"]["f1"], 0.75);
        assert_eq!(part["signed"]["wrong_signs"], 3);
    }
    assert_eq!(found["mean_views"]["signed"]["recall"], 0.75);
    let table = asked(&place, "evaluate out --truth truth");
    assert!(table.stdout.contains("F1 ±") && table.stderr.contains("± is with signs"));
    let report = asked(&place, "report out");
    assert!(report.stdout.contains("9 positive and 3 negative"), "{}", report.stdout);
}

/// Everything but the time it took.
fn timeless(mut json: serde_json::Value) -> serde_json::Value {
    assert!(json["seconds"].as_f64().unwrap() >= 0.0);
    json["seconds"] = 0.into();
    json
}

#[test]
fn communities_are_added_to_the_folder() {
    let place = learned();
    let before = place.everything();
    let outcome = place.fine(&["communities", "out", "--runs", "10"]);
    assert_eq!(outcome.stderr, "");
    insta::assert_snapshot!("result_line", outcome.stdout);
    insta::assert_snapshot!("communities_tsv", place.read("out/communities.tsv"));
    let written = serde_json::from_str(&place.read("out/communities.json")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let text = serde_json::to_string_pretty(&timeless(written)).unwrap();
    insta::assert_snapshot!("communities_json", text.replace(version, "VERSION"));
    let mut after = place.everything();
    for name in ["communities.tsv", "communities.json", "coclassification.npz"] {
        assert!(
            after
                .remove(&format!("out/{name}"))
                .is_some_and(|bytes| !bytes.is_empty())
        );
    }
    assert_eq!(after, before);
}

#[test]
fn json_is_what_is_written_and_options_are_heard() {
    let place = learned();
    let words = "communities out --runs 3 --seed 9 --resolution 100 --threshold 0.25 --json";
    let outcome = place.fine(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(outcome.stdout.lines().count(), 1);
    let json = outcome.json();
    let written: serde_json::Value = serde_json::from_str(&place.read("out/communities.json")).unwrap();
    assert_eq!(json, written);
    assert_eq!(
        (&json["runs"], &json["seed"], &json["resolution"], &json["threshold"]),
        (&3.into(), &9.into(), &100.0.into(), &0.25.into())
    );
    // At such a resolution everyone is alone.
    assert_eq!(json["consensus"]["n_communities"], 9);
}

#[test]
fn the_order_of_nodes_and_views_and_threads_do_not_matter() {
    let place = learned();
    write(
        &place,
        "turned",
        &["n5", "n9", "n1", "n8", "n2", "n7", "n3", "n6", "n4"],
        &["c", "a", "b"],
    );
    let cells = |out: &str, threads: &str| {
        place.fine(&["communities", out, "--runs", "4", "--threads", threads, "--force"]);
        let text = place.read(&format!("{out}/communities.tsv"));
        let mut lines = text
            .lines()
            .map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let cells = lines.flat_map(|row| {
            let node = row[0].clone();
            let cell = |(column, cell): (&String, String)| ((node.clone(), column.clone()), cell);
            head.iter().zip(row).map(cell).collect::<Vec<_>>()
        });
        cells.collect::<BTreeMap<_, _>>()
    };
    let one = cells("out", "1");
    assert_eq!(one.len(), 9 * 6);
    assert_eq!(one, cells("out", "3"));
    assert_eq!(one, cells("turned", "2"));
}

#[test]
fn nothing_is_overwritten_unasked() {
    let place = learned();
    place.write("out/mine.txt", "mine");
    place.fine(&["communities", "out", "--runs", "2"]);
    let before = place.everything();
    let outcome = place.run(&["communities", "out", "--runs", "2", "--seed", "2"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    let root = place.path("out").display().to_string();
    assert!(!outcome.stderr.contains(&root), "{}", outcome.stderr);
    insta::assert_snapshot!("exists", outcome.stderr);
    assert_eq!(place.everything(), before);
    place.fine(&["communities", "out", "--runs", "2", "--seed", "2", "--force"]);
    assert!(place.read("out/communities.json").contains("\"seed\": 2"));
    assert_eq!(place.read("out/mine.txt"), "mine");
}

#[test]
fn learning_anew_removes_the_communities_of_before() {
    let place = Place::new();
    place.fine(&[
        "simulate",
        "--nodes",
        "12",
        "--views",
        "2",
        "--signals",
        "50",
        "-o",
        "sim",
    ]);
    let files = ["sim/view1.csv", "sim/view2.csv"];
    place.learn(&files, "out");
    place.fine(&["communities", "out", "--runs", "2"]);
    place.learn(&[&files[..], &["--force"]].concat(), "out");
    assert!(!place.path("out/communities.tsv").exists() && !place.path("out/coclassification.npz").exists());
}

#[test]
fn without_a_consensus_its_column_is_empty() {
    let place = Place::new();
    place.fine(&[
        "simulate",
        "--nodes",
        "12",
        "--views",
        "2",
        "--signals",
        "50",
        "-o",
        "sim",
    ]);
    place.fine(&[
        "learn",
        "sim/view1.csv",
        "sim/view2.csv",
        "--single",
        "--alpha",
        "0.05",
        "-o",
        "out",
    ]);
    let outcome = place.fine(&["communities", "out", "--runs", "5", "--json"]).json();
    assert!(outcome["consensus"].is_null() && outcome["views"]["view1"]["nmi_consensus"].is_null());
    assert_eq!(
        outcome["nmi"]["partitions"],
        serde_json::json!(["group", "view1", "view2"])
    );
    let text = place.read("out/communities.tsv");
    assert!(text.lines().skip(1).all(|line| line.split('\t').nth(1) == Some("")));
    assert!(
        place
            .fine(&["communities", "out", "--force"])
            .stdout
            .starts_with("out: views in ")
    );
}

#[test]
fn what_cannot_be_is_refused_and_nothing_written() {
    let place = learned();
    place.write("empty/nodes.tsv", "name\n");
    let before = place.everything();
    let cases: [(&str, i32, &[&str]); 8] = [
        ("no_folder", 2, &["communities"]),
        ("not_a_result", 3, &["communities", "nowhere"]),
        ("not_whole", 3, &["communities", "empty"]),
        ("resolution_0", 2, &["communities", "out", "--resolution", "0"]),
        ("resolution_nan", 2, &["communities", "out", "--resolution", "nan"]),
        ("runs_0", 2, &["communities", "out", "--runs", "0"]),
        ("threshold", 2, &["communities", "out", "--threshold", "-0.1"]),
        ("max_rounds_0", 2, &["communities", "out", "--max-rounds", "0"]),
    ];
    for (name, code, args) in cases {
        let outcome = place.run(args);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (code, ""),
            "{name}: {outcome:?}"
        );
        insta::assert_snapshot!(format!("refused_{name}"), outcome.stderr);
    }
    assert_eq!(place.everything(), before);
}
