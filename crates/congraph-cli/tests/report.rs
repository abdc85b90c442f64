//! `congraph report`, and the reports that other commands leave.

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
fn too_many_nodes_get_a_report_without_drawings() {
    let place = Place::new();
    let names: Vec<String> = (0..3000).map(|k| format!("n{k}")).collect();
    place.write("out/nodes.tsv", format!("name\n{}\n", names.join("\n")));
    place.write("out/views.tsv", "name\tfile\tn_samples\tuniqueness\nv\t\t\t\n");
    place.write("out/edges.tsv", "source\ttarget\tconsensus\nn0\tn1\t\n");
    place.write("out/edges_long.tsv", "view\tsource\ttarget\tweight\nv\tn0\tn1\t1\n");
    place.fine(&["report", "out"]);
    let page = place.read("out/report.html");
    assert!(page.contains("3000 nodes are too many to draw; up to 2000 are"));
    assert!(!page.contains("id=\"network\"") && page.contains("n0") && page.len() < 300_000);
    // Neither does a command that writes its own report, nor one that adds to a folder.
    place.fine(&[
        "simulate",
        "--nodes",
        "2100",
        "--views",
        "2",
        "--signals",
        "40",
        "--edge-probability",
        "0.01",
        "-o",
        "sim",
    ]);
    let words = [
        "sim/view1.csv",
        "sim/view2.csv",
        "--candidates",
        "knn:4",
        "--alpha",
        "0.02",
        "--beta",
        "0.01",
        "-o",
        "large",
    ];
    let outcome = place.fine(&[&["learn"], &words[..]].concat());
    assert!(
        outcome.stderr.contains("report.html is without drawings: 2100 nodes"),
        "{}",
        outcome.stderr
    );
    place.fine(&["communities", "large", "--runs", "2"]);
    let page = place.read("large/report.html");
    assert!(page.contains("2100 nodes are too many to draw") && page.contains("id=\"communities\""));
}

#[test]
fn reports_name_their_folder_and_their_day_and_no_path() {
    let place = simulated();
    let absolute = FILES.map(|file| place.path(file).display().to_string());
    let files: Vec<&str> = absolute.iter().map(String::as_str).collect();
    place.learn(&files, "out");
    let report = place.read("out/report.html");
    let title = report
        .split("<title>")
        .nth(1)
        .unwrap()
        .split("</title>")
        .next()
        .unwrap();
    assert!(title.starts_with("congraph: out, 3 views, 20 nodes, 20"), "{title}");
    let folder = place.path("").display().to_string();
    assert!(
        !report.contains(folder.trim_end_matches('/')),
        "an absolute path is in the report"
    );
    assert!(report.contains("congraph learn view1.csv view2.csv view3.csv --alpha 0.02"));
    // Moved and reported again, it has its new name, and is else the same.
    std::fs::rename(place.path("out"), place.path("moved")).unwrap();
    place.fine(&["report", "moved"]);
    let moved = place.read("moved/report.html");
    let named = moved.replace("congraph: moved,", "congraph: out,");
    assert_eq!(
        named.replace("congraph stability moved", "congraph stability out"),
        report
    );
}

#[test]
fn projections_lassos_and_masked_views_have_reports_that_say_what_they_are() {
    let place = simulated();
    place.learn(&FILES[..2], "out");
    place.fine(&["project", "out", "--view", "late=sim/view3.csv", "-o", "new"]);
    let told = place.fine(&["report", "new"]).stdout;
    assert!(told.contains("of the frozen consensus, and "), "{told}");
    let report = place.read("new/report.html");
    assert!(report.contains("against the consensus graph of an earlier fit (out)"));
    assert!(report.contains("Converged, with proof") && !report.contains("learned alone"));

    let words = [
        "learn",
        FILES[0],
        FILES[1],
        "--method",
        "jgl-fused",
        "--lambda1",
        "0.1",
        "--lambda2",
        "0.02",
        "-o",
        "jgl",
    ];
    place.fine(&words);
    let report = place.read("jgl/report.html");
    assert!(report.contains("Signs are not shown.") && !report.contains("No negative edges"));

    let header = place.read(FILES[2]);
    let without_first: String = header
        .lines()
        .map(|line| format!("{}\n", line.split_once(',').unwrap().1))
        .collect();
    place.write("less.csv", without_first);
    place.learn(&[FILES[0], FILES[1], "less.csv", "--missing", "mask"], "masked");
    let report = place.read("masked/report.html");
    assert!(report.contains("1 of 3 views lack 1 of the 20 nodes"));
    assert!(!report.contains("All have the same nodes"));
}

#[test]
fn one_is_not_many() {
    let place = simulated();
    let outcome = place.learn(&[FILES[0], "--single"], "one");
    assert!(
        outcome.stdout.starts_with("one: 1 view × 20 nodes, "),
        "{}",
        outcome.stdout
    );
    let two = "a,b\n1,2\n2,1.5\n3,0.5\n1.5,2.5\n0.5,1\n";
    place.write("a.csv", two);
    place.write("b.csv", two.replace("1.5", "1.75"));
    let outcome = place.fine(&["learn", "a.csv", "b.csv", "-o", "two"]);
    assert!(
        outcome
            .stdout
            .starts_with("two: 2 views × 2 nodes, consensus of 1 edge, ")
            && outcome
                .stderr
                .contains("whether anything here goes beyond chance is not known: every view has fewer than 8 samples"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn an_empty_consensus_is_told_what_lets_edges_in() {
    let place = simulated();
    let words = "--alpha 0.1 --beta 0.01 --gamma 100 --penalty l2 -o empty";
    let outcome = place.fine(
        &[
            &["learn", FILES[0], FILES[1]],
            &words.split(' ').collect::<Vec<_>>()[..],
        ]
        .concat(),
    );
    let told = "W07: the consensus has no edge; a smaller gamma, or a larger beta, lets edges in";
    assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    // A larger alpha does not.
    let words = "--alpha 10 --beta 0.01 --gamma 100 --penalty l2 -o empty10";
    let outcome = place.fine(
        &[
            &["learn", FILES[0], FILES[1]],
            &words.split(' ').collect::<Vec<_>>()[..],
        ]
        .concat(),
    );
    assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
}

#[test]
fn few_candidates_keep_the_consensus_and_are_told() {
    let place = simulated();
    let outcome = place.fine(&[&["learn"], &FILES[..], &["--candidates", "knn:1", "-o", "near"]].concat());
    assert!(outcome.stdout.contains("consensus of "), "{}", outcome.stdout);
    let summary: serde_json::Value = serde_json::from_str(&place.read("near/summary.json")).unwrap();
    assert!(summary["beta"].as_f64().unwrap() > 0.0);
    assert_eq!(summary["candidates"], "knn:1");
    let n_pairs = &summary["n_candidates"];
    let report = place.read("near/report.html");
    assert!(report.contains(&format!("{n_pairs} candidate connections (190 are possible)")));
}

/// Three views of 20 trials in which no node has anything to do with another.
fn noise() -> Place {
    let place = Place::new();
    let mut state = 7_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    for view in 1..=3 {
        let mut text = String::from("trial,a,b,c,d,e,f,g,h\n");
        for sample in 0..240 {
            // Sums of twelve are as good as normal.
            let cells: Vec<String> = (0..8)
                .map(|_| format!("{:.6}", (0..12).map(|_| next()).sum::<f64>() - 6.0))
                .collect();
            text += &format!("t{:02},{}\n", sample / 12, cells.join(","));
        }
        place.write(&format!("sim/view{view}.csv"), text);
    }
    place
}

#[test]
fn of_noise_no_edge_is_supported_and_what_was_not_asked_is_told() {
    let place = noise();
    let unasked = "how sure each edge is has not been asked: congraph stability out";
    let words = ["--block-column", "trial", "--density", "0.2", "-o", "out"];
    let learned = place.fine(&[&["learn"], &FILES[..], &words].concat()).stdout;
    assert!(learned.trim_end().ends_with(unasked), "{learned}");
    let before = place.read("out/report.html");
    assert!(before.contains("How sure each edge is has not been asked: congraph stability out."));
    assert!(before.contains("id=\"there\"") && !before.contains("id=\"how-sure\""));
    let told = place.fine(&["report", "out"]).stdout;
    assert!(told.contains(&unasked[1..]), "{told}");

    let asked = place.fine(&["stability", "out", "--pairs", "4"]).stdout;
    let supported = "edges are supported (q_direct ≤ 0.05)";
    assert!(asked.starts_with("out: 0 of ") && asked.contains(supported), "{asked}");
    let told = place.fine(&["report", "out"]).stdout;
    assert!(told.contains(" 0 of ") && told.contains(supported), "{told}");
    let page = place.read("out/report.html");
    assert!(page.contains("id=\"how-sure\"") && !page.contains("has not been asked"));
    assert!(page.contains("chance picks of the halving") && !page.contains("false edges"));
}

#[test]
fn what_belongs_to_another_run_is_not_shown() {
    let place = noise();
    let words = ["--block-column", "trial", "--density", "0.2", "-o", "out"];
    place.fine(&[&["learn"], &FILES[..], &words].concat());
    place.fine(&["stability", "out", "--pairs", "2"]);
    let text = place.read("out/stability.json");
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    place.write(
        "out/stability.json",
        text.replace(record["run"].as_str().unwrap(), "another"),
    );
    let outcome = place.run(&["report", "out"]);
    assert_eq!(outcome.code, 3);
    let reason = "`out/stability.json` belongs to another run than the graphs beside it";
    assert!(
        outcome.stderr.contains(reason) && outcome.stderr.contains("congraph stability --force"),
        "{}",
        outcome.stderr
    );
}
