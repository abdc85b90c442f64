//! `congraph compare`: what it adds to a result folder, what it prints, and what it refuses.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use crate::place::{MODEL, Outcome, Place, csv};

/// Twelve views on six nodes: s1 to s6 twice, at rest and at a task; the edge a–b is heavier at the task.
fn learned() -> Place {
    let place = Place::new();
    let nodes = ["a", "b", "c", "d", "e", "f"];
    let views: Vec<String> = (0..12)
        .map(|view| format!("s{}-{}", view / 2 + 1, ["rest", "task"][view % 2]))
        .collect();
    let table = |head: &str, rows: Vec<String>| format!("{head}\n{}\n", rows.join("\n"));
    let rows = nodes.iter().map(|node| format!("{node}\t1\t1")).collect();
    place.write("out/nodes.tsv", table("name\tstrength\tdegree", rows));
    let rows = views
        .iter()
        .map(|view| format!("{view}\t{view}.csv\t100\t0.3\t0.1\t12"))
        .collect();
    place.write(
        "out/views.tsv",
        table("name\tfile\tn_samples\tdensity\tuniqueness\tn_edges", rows),
    );
    let (mut edges, mut long) = (Vec::new(), Vec::new());
    // Numbers without a pattern, the same everywhere.
    let mut state = 7_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    for b in 1..6 {
        for a in 0..b {
            edges.push(format!("{}\t{}\t0.5\t12\t0.5", nodes[a], nodes[b]));
            for (view, name) in views.iter().enumerate() {
                let shift = if (a, b) == (0, 1) && view % 2 == 1 { 2.0 } else { 0.0 };
                let weight = next();
                if weight > 0.3 || shift > 0.0 {
                    long.push(format!("{name}\t{}\t{}\t{:?}", nodes[a], nodes[b], weight + shift));
                }
            }
        }
    }
    place.write(
        "out/edges.tsv",
        table("source\ttarget\tconsensus\tn_views\tmean_weight", edges),
    );
    place.write("out/edges_long.tsv", table("view\tsource\ttarget\tweight", long));
    let row = |(k, name): (usize, &String)| {
        let (subject, condition) = name.split_once('-').unwrap();
        format!(
            "{name}\t{subject}\t{condition}\t{}\t{}\t{}",
            20 + k * k % 11,
            ["f", "m"][k / 2 % 2],
            k % 3
        )
    };
    let rows = views.iter().enumerate().map(row).collect();
    place.write("views.tsv", table("view\tsubject\tcondition\tage\tsex\tdose", rows));
    place
}

fn asked(place: &Place, words: &str) -> Outcome {
    place.run(&words.split(' ').collect::<Vec<_>>())
}

/// What it writes, with what differs from run to run left out.
fn record(place: &Place) -> String {
    let mut record: serde_json::Value = serde_json::from_str(&place.read("out/compare.json")).unwrap();
    record["version"] = "VERSION".into();
    record["seconds"] = "SECONDS".into();
    serde_json::to_string_pretty(&record).unwrap()
}

#[test]
fn groups_are_compared() {
    let place = learned();
    let outcome = asked(&place, "compare out --labels views.tsv:condition --nbs 2.5");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("result_line", outcome.stdout);
    insta::assert_snapshot!("compare_edges", place.read("out/compare_edges.tsv"));
    insta::assert_snapshot!("compare_components", place.read("out/compare_components.tsv"));
    insta::assert_snapshot!("compare_nodes", place.read("out/compare_nodes.tsv"));
    insta::assert_snapshot!("compare_global", place.read("out/compare_global.tsv"));
    insta::assert_snapshot!("compare_json", record(&place));
    assert!(!place.path("out/compare_pairs.tsv").exists());
    // Nothing is overwritten unasked.
    let outcome = asked(&place, "compare out --labels views.tsv:condition");
    assert_eq!(outcome.code, 2);
    insta::assert_snapshot!("exists", outcome.stderr);
    // The same for any number of threads; what is printed is what is written.
    let before = place.read("out/compare_edges.tsv");
    let words = "compare out --labels views.tsv:condition --nbs 2.5 --force --json --threads 1";
    let outcome = asked(&place, words);
    assert_eq!(place.read("out/compare_edges.tsv"), before);
    let written: serde_json::Value = serde_json::from_str(&place.read("out/compare.json")).unwrap();
    assert_eq!(outcome.json(), written);
    // Of 6 + 6 views hardly any relabelling has a |z| above 3.
    let outcome = asked(&place, "compare out --labels views.tsv:condition --nbs 3 --force");
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.stderr.contains("W19") && outcome.stderr.contains("leave `--nbs` out"),
        "{}",
        outcome.stderr
    );
    let outcome = asked(&place, "compare out --labels views.tsv:condition --force");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let written: serde_json::Value = serde_json::from_str(&place.read("out/compare.json")).unwrap();
    assert!(
        written["threshold_lowered"] == true && written["threshold"].as_f64() < Some(3.0),
        "{written}"
    );
    // A table of fewer files removes those of the last.
    let words = "compare out --labels views.tsv:condition --measures density,efficiency,modularity --force";
    assert_eq!(asked(&place, words).code, 0);
    assert!(!place.path("out/compare_edges.tsv").exists());
    assert_eq!(place.read("out/compare_global.tsv").lines().count(), 4);
}

#[test]
fn pairs_covariates_and_more_groups() {
    let place = learned();
    let outcome = asked(&place, "compare out --labels views.tsv:condition --pair subject --json");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let facts = outcome.json();
    assert_eq!((&facts["design"], &facts["n_pairs"]), (&"pairs".into(), &6.into()));
    assert_eq!((&facts["statistic"], &facts["column"]), (&"t".into(), &"t".into()));
    assert_eq!((&facts["permutations"], &facts["exact"]), (&64.into(), &true.into()));
    assert_eq!(facts["found"]["edges"]["significant"], 1);
    let words = "compare out --labels views.tsv:condition --covariates age,sex --permutations 499 --json --force";
    let outcome = asked(&place, words);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let facts = outcome.json();
    assert_eq!(facts["covariates"], serde_json::json!(["age", "sex"]));
    assert_eq!((&facts["permutations"], &facts["exact"]), (&499.into(), &false.into()));
    // The same from a table of its own.
    place.write("other.csv", place.read("views.tsv").replace('\t', ","));
    let before = place.read("out/compare_edges.tsv");
    let words = "compare out --labels views.tsv:condition --covariates other.csv:age,sex --permutations 499 --force";
    assert_eq!(asked(&place, words).code, 0);
    assert_eq!(place.read("out/compare_edges.tsv"), before);
    let outcome = asked(
        &place,
        "compare out --labels views.tsv:dose --permutations 199 --force --statistic t",
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
    insta::assert_snapshot!("result_line_three", outcome.stdout);
    let head = |name: &str| place.read(&format!("out/{name}")).lines().next().unwrap().to_owned();
    let columns =
        "source target n_a n_b n_c present_a present_b present_c mean_a mean_b mean_c f p_uncorrected p_fwe component";
    assert_eq!(head("compare_edges.tsv"), columns.replace(' ', "\t"));
    let columns = "source target one two difference t p_uncorrected p_fwe";
    assert_eq!(head("compare_pairs.tsv"), columns.replace(' ', "\t"));
    assert_eq!(place.read("out/compare_pairs.tsv").lines().count(), 1 + 3 * 15);
}

#[test]
fn what_cannot_be_compared_is_refused_and_nothing_written() {
    let place = learned();
    let rows = place.read("views.tsv");
    let without = |part: &str| {
        rows.lines()
            .filter(|line| !line.contains(part))
            .collect::<Vec<_>>()
            .join("\n")
    };
    place.write("short.tsv", without("s3-task"));
    place.write("long.tsv", format!("{rows}s9-rest\ts9\trest\t1\tf\t0\n"));
    place.write("empty.tsv", rows.replace("s2\trest", "s2\tn/a"));
    place.write("odd.tsv", rows.replace("s2\ttask", "s1\ttask"));
    place.write("one.tsv", rows.replace("\trest", "\ttask"));
    place.write("alone.tsv", rows.replace("s2\trest", "s2\tlost"));
    place.write("no_age.tsv", rows.replace("\t21\tf", "\tn/a\tf"));
    let cases = [
        ("no_column", "--labels views.tsv", 2),
        ("no_table", "--labels nobody.tsv:group", 3),
        ("no_such_column", "--labels views.tsv:group", 3),
        ("no_key", "--labels views.tsv:condition --view-key id", 3),
        ("wrong_key", "--labels views.tsv:condition --view-key subject", 3),
        ("view_without_row", "--labels short.tsv:condition", 3),
        ("row_without_view", "--labels long.tsv:condition", 3),
        ("view_without_label", "--labels empty.tsv:condition", 3),
        ("one_group", "--labels one.tsv:condition", 3),
        ("group_of_one", "--labels alone.tsv:condition", 3),
        ("incomplete_pairs", "--labels odd.tsv:condition --pair subject", 3),
        (
            "pairs_and_covariates",
            "--labels views.tsv:condition --pair subject --covariates age",
            3,
        ),
        ("covariate_missing", "--labels no_age.tsv:condition --covariates age", 3),
        ("covariate_constant", "--labels one.tsv:sex --covariates condition", 3),
        ("covariate_of_groups", "--labels views.tsv:sex --covariates subject", 3),
        ("few_permutations", "--labels views.tsv:condition --permutations 10", 2),
        ("level", "--labels views.tsv:condition --level 0", 2),
        ("nbs", "--labels views.tsv:condition --nbs -1", 2),
        ("statistic", "--labels views.tsv:condition --statistic mean", 2),
        ("measure", "--labels views.tsv:condition --measures weight", 2),
    ];
    for (name, words, code) in cases {
        let outcome = asked(&place, &format!("compare out {words}"));
        assert_eq!(outcome.code, code, "{name}: {outcome:?}");
        insta::assert_snapshot!(format!("refused_{name}"), outcome.stderr);
    }
    let outcome = asked(&place, "compare nowhere --labels views.tsv:condition");
    assert_eq!(outcome.code, 3);
    assert!(
        !std::fs::read_dir(place.path("out"))
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().starts_with("compare") })
    );
}

#[test]
fn fits_that_knew_the_labels_and_unequal_samples_are_refused() {
    let place = learned();
    let views = place.read("out/views.tsv");
    place.write("out/views.tsv", views.replace("task.csv\t100", "task.csv\t150"));
    let words = "compare out --labels views.tsv:condition --equalise off";
    let outcome = asked(&place, words);
    assert_eq!(outcome.code, 3);
    insta::assert_snapshot!("e16", outcome.stderr);
    // Without the data they cannot be learned again.
    let outcome = asked(&place, "compare out --labels views.tsv:condition");
    assert_eq!(outcome.code, 3);
    insta::assert_snapshot!("e16_without_data", outcome.stderr);
    // Other labels that samples do not follow are compared.
    assert_eq!(
        asked(&place, "compare out --labels views.tsv:sex --equalise off").code,
        0
    );
    place.write("out/views.tsv", views.replace("\t100\t", "\t\t"));
    let outcome = asked(&place, &format!("{words} --force"));
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.stderr.contains("W06") && outcome.stderr.contains("12 of 12 views"),
        "{}",
        outcome.stderr
    );
    place.write("out/views.tsv", views);
    let coupled = |by: usize| {
        let subject = |view: usize| {
            let parts = [format!("s{}", view / 2 + 1), ["rest", "task"][view % 2].to_owned()];
            (parts.join("-"), serde_json::json!(parts[by]))
        };
        let subjects: serde_json::Map<String, serde_json::Value> = (0..12).map(subject).collect();
        serde_json::json!({"schema": "congraph.summary/1", "penalty": "l1", "subjects": subjects}).to_string()
    };
    place.write("out/summary.json", coupled(1));
    let outcome = asked(&place, &format!("{words} --force"));
    assert_eq!(outcome.code, 3);
    insta::assert_snapshot!("e14", outcome.stderr);
    let chain = serde_json::json!({"schema": "congraph.summary/1", "penalty": "l1", "coupling": "chain"});
    place.write("out/summary.json", chain.to_string());
    let outcome = asked(&place, &format!("{words} --force"));
    assert_eq!(outcome.code, 3);
    assert!(
        outcome.stderr.contains("E14: the fit coupled views by their order"),
        "{}",
        outcome.stderr
    );
    place.write("out/summary.json", coupled(0));
    assert_eq!(asked(&place, &format!("{words} --force --pair subject")).code, 0);
}

#[test]
fn unequal_samples_are_made_equal_by_one_draw() {
    let place = Place::new();
    let (mut words, mut rows) = (vec!["learn"], String::from("view\tgroup\n"));
    let names: Vec<String> = (0..8).map(|view| format!("v{view}.csv")).collect();
    for (view, name) in names.iter().enumerate() {
        place.write(
            name,
            csv("n1,n2,n3,n4,n5,n6", if view < 4 { 40 } else { 90 }, view as u64 + 1),
        );
        rows += &format!("v{view}\t{}\n", ["few", "many"][view / 4]);
        words.push(name);
    }
    place.write("labels.tsv", rows);
    words.extend(MODEL.iter().chain(&["-o", "out"]));
    place.fine(&words);
    let files = ["edges_long.tsv", "summary.json", "views.tsv"].map(|name| place.read(&format!("out/{name}")));
    let outcome = asked(&place, "compare out --labels labels.tsv:group --json");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.json()["equalised_to"], 40);
    assert!(
        outcome.stderr.contains("40 were drawn for every view"),
        "{}",
        outcome.stderr
    );
    // The fit is left as it is, and the folder is whole.
    for (name, text) in ["edges_long.tsv", "summary.json", "views.tsv"].iter().zip(files) {
        assert_eq!(place.read(&format!("out/{name}")), text);
    }
    assert_eq!(asked(&place, "report out").code, 0);
    let again = asked(
        &place,
        "compare out --labels labels.tsv:group --json --force --threads 1",
    );
    assert_eq!(again.json()["null"], outcome.json()["null"]);
    assert_eq!(
        asked(&place, "compare out --labels labels.tsv:group --equalise off --force").code,
        3
    );
    // Data that are not those of the fit any more.
    place.write("v7.csv", csv("n1,n2,n3,n4,n5,n6", 90, 99));
    let changed = asked(&place, "compare out --labels labels.tsv:group --force");
    assert_eq!(changed.code, 3);
    assert!(changed.stderr.contains("E07"), "{}", changed.stderr);
}

#[test]
fn the_report_is_made_again_with_it() {
    let place = learned();
    place.fine(&["report", "out"]);
    assert!(!place.read("out/report.html").contains("id=\"compared\""));
    place.fine(&["compare", "out", "--labels", "views.tsv:condition", "--nbs", "2.5"]);
    let page = place.read("out/report.html");
    for words in ["id=\"compared\"", "task against rest", "Weights are relative", "max-T"] {
        assert!(page.contains(words), "{words}");
    }
    // As `congraph report` makes it.
    place.fine(&["report", "out"]);
    assert_eq!(place.read("out/report.html"), page);
}
