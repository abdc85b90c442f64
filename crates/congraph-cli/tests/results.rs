//! What is learned and written: the same to the bit whatever the order, the format or the number of threads.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use crate::place::{MODEL, Place, csv, gz, noise, npy, npy_names, npz, rows};
use serde_json::Value;

const FILES: [&str; 9] = [
    "edges.tsv",
    "edges_long.tsv",
    "matrices.npz",
    "nodes.tsv",
    "quality.tsv",
    "report.html",
    "run.json",
    "summary.json",
    "views.tsv",
];

/// Simulated data in `sim`: 20 nodes, 3 views, 100 signals each.
fn simulated() -> Place {
    let place = Place::new();
    place.fine(&[
        "simulate",
        "--nodes",
        "20",
        "--views",
        "3",
        "--signals",
        "100",
        "-o",
        "sim",
    ]);
    place
}

const VIEWS: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];

/// A table of numbers: names of columns, and values row after row.
#[derive(Clone)]
struct Signals {
    names: Vec<String>,
    values: Vec<Vec<f64>>,
}

impl Signals {
    fn read(place: &Place, file: &str) -> Self {
        let text = place.read(file);
        let mut lines = text.lines().map(|line| line.split(','));
        Self {
            names: lines.next().unwrap().map(String::from).collect(),
            values: lines
                .map(|cells| cells.map(|cell| cell.parse().unwrap()).collect())
                .collect(),
        }
    }

    fn text(&self, separator: &str) -> String {
        self.names.join(separator) + "\n" + &rows(self.names.len(), &self.flat(), separator)
    }

    fn flat(&self) -> Vec<f64> {
        self.values.concat()
    }

    fn shape(&self) -> [usize; 2] {
        [self.values.len(), self.names.len()]
    }

    /// The columns in another order.
    fn permuted(&self, order: &[usize]) -> Self {
        let pick = |row: &Vec<f64>| order.iter().map(|&column| row[column]).collect();
        Self {
            names: order.iter().map(|&column| self.names[column].clone()).collect(),
            values: self.values.iter().map(pick).collect(),
        }
    }

    fn z_scored(&self) -> Self {
        let mut scored = self.clone();
        let n = self.values.len() as f64;
        for column in 0..self.names.len() {
            let mean = self.values.iter().map(|row| row[column]).sum::<f64>() / n;
            let variance = self.values.iter().map(|row| (row[column] - mean).powi(2)).sum::<f64>() / n;
            for row in &mut scored.values {
                row[column] = (row[column] - mean) / variance.sqrt();
            }
        }
        scored
    }

    /// X Xᵀ.
    fn products(&self) -> Self {
        let n = self.names.len();
        let entry = |a: usize, b: usize| self.values.iter().map(|row| row[a] * row[b]).sum();
        Self {
            names: self.names.clone(),
            values: (0..n)
                .map(|a| (0..n).map(|b| entry(a.min(b), a.max(b))).collect())
                .collect(),
        }
    }
}

/// A `.tsv` file of a result as rows of cells by column name.
fn table(place: &Place, file: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = place.read(file);
    let mut lines = text.lines().map(|line| line.split('\t').map(String::from).collect());
    (lines.next().unwrap(), lines.collect())
}

/// Every weight of a result by what it belongs to, whatever the order of nodes and views.
fn weights(place: &Place, folder: &str) -> BTreeMap<[String; 3], u64> {
    let mut found = BTreeMap::new();
    let mut insert = |graph: &str, [a, b]: [&String; 2], weight: &str| {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let weight: f64 = weight.parse().unwrap();
        assert!(
            found
                .insert([graph.into(), a.clone(), b.clone()], weight.to_bits())
                .is_none()
        );
    };
    for row in table(place, &format!("{folder}/edges_long.tsv")).1 {
        insert(&format!("view {}", row[0]), [&row[1], &row[2]], &row[3]);
    }
    for row in table(place, &format!("{folder}/edges.tsv")).1 {
        insert("consensus", [&row[0], &row[1]], &row[2]);
    }
    assert!(found.len() > 30);
    found
}

fn json(place: &Place, file: &str) -> Value {
    serde_json::from_str(&place.read(file)).unwrap()
}

#[test]
fn the_files_of_a_result_and_their_columns() {
    let place = simulated();
    place.learn(&VIEWS, "out");
    let names: Vec<String> = place
        .everything()
        .into_keys()
        .filter_map(|name| name.strip_prefix("out/").map(String::from))
        .collect();
    assert_eq!(names, [&[""], &FILES[..]].concat());
    let columns = |file: &str| table(&place, &format!("out/{file}")).0.join(" ");
    assert_eq!(columns("nodes.tsv"), "name strength degree");
    assert_eq!(columns("edges.tsv"), "source target consensus n_views mean_weight");
    assert_eq!(columns("views.tsv"), "name file n_samples density uniqueness n_edges");
    assert_eq!(columns("edges_long.tsv"), "view source target weight");
    let run = json(&place, "out/run.json");
    assert_eq!(run["inputs"][1]["file"], "sim/view2.csv");
    assert_eq!(run["inputs"][1]["sha256"].as_str().unwrap().len(), 64);
    let mut summary = json(&place, "out/summary.json");
    // What the folder holds is told last.
    let own = ["run", "node_names", "files"].map(|key| summary.as_object_mut().unwrap().remove(key).unwrap());
    assert_eq!(run["summary"], summary);
    let listed: Vec<&String> = own[2].as_object().unwrap().keys().collect();
    let others = FILES
        .iter()
        .filter(|file| !["summary.json", "report.html"].contains(file));
    assert_eq!(listed, others.collect::<Vec<_>>());
    let views = table(&place, "out/views.tsv").1;
    assert_eq!(views[2][..3], ["view3", "sim/view3.csv", "100"]);
    // Every graph weighs n in total: 1ᵀw = n.
    for view in ["view1", "view2", "view3"] {
        let rows = table(&place, "out/edges_long.tsv").1;
        let total: f64 = rows
            .iter()
            .filter(|row| row[0] == view)
            .map(|row| row[3].parse::<f64>().unwrap())
            .sum();
        assert!((total - 20.0).abs() < 1e-9, "{total}");
    }
}

#[test]
fn tables_and_matrices_hold_the_same_bits() {
    let place = simulated();
    place.learn(&VIEWS, "out");
    let mut archive =
        zip::ZipArchive::new(Cursor::new(std::fs::read(place.path("out/matrices.npz")).unwrap())).unwrap();
    let mut array = |name: &str| -> Vec<u64> {
        let mut bytes = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        bytes[start..]
            .chunks_exact(8)
            .map(|item| u64::from_le_bytes(item.try_into().unwrap()))
            .collect()
    };
    let (views, consensus) = (array("views.npy"), array("consensus.npy"));
    let nodes: Vec<String> = table(&place, "out/nodes.tsv")
        .1
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    let mut from_matrices = BTreeMap::new();
    let listed = weights(&place, "out");
    for (a, one) in nodes.iter().enumerate() {
        for (b, two) in nodes.iter().enumerate().skip(a + 1) {
            let key = |graph: &str| [graph.to_owned(), one.min(two).clone(), one.max(two).clone()];
            for view in 0..3 {
                let at = |row: usize, column: usize| views[(view * 20 + row) * 20 + column];
                assert_eq!(at(a, b), at(b, a));
                from_matrices.insert(key(&format!("view view{}", view + 1)), at(a, b));
            }
            assert_eq!(consensus[a * 20 + b], consensus[b * 20 + a]);
            from_matrices.insert(key("consensus"), consensus[a * 20 + b]);
        }
    }
    // Pairs that are listed nowhere are zeros in the matrices.
    from_matrices.retain(|key, bits| *bits != 0 || listed.contains_key(key));
    assert_eq!(from_matrices, listed);
}

/// The files of two results, apart from what may differ.
fn assert_same_bytes(place: &Place, one: &str, two: &str) {
    for file in FILES {
        let read = |folder: &str| std::fs::read(place.path(&format!("{folder}/{file}"))).unwrap();
        if file == "report.html" {
            // It tells its folder, the command and how long it took.
            let lines = |folder: &str| -> Vec<String> {
                let page = String::from_utf8(read(folder)).unwrap();
                let own = ["congraph: ", "congraph stability", "Seconds, all in all", "Learned by"];
                let told = |line: &&str| !own.iter().any(|words| line.contains(words));
                page.lines().filter(told).map(String::from).collect()
            };
            assert!(lines(one) == lines(two), "{file} differs");
            continue;
        }
        if !file.ends_with(".json") {
            assert!(read(one) == read(two), "{file} differs");
            continue;
        }
        let stripped = |folder: &str| {
            let mut value: Value = serde_json::from_slice(&read(folder)).unwrap();
            // The run's number and the SHA-256 of run.json follow from the time that it took.
            for key in ["seconds", "command", "threads", "finished_unix_time", "run"] {
                value.as_object_mut().unwrap().remove(key);
            }
            if let Some(files) = value.get_mut("files") {
                files.as_object_mut().unwrap().remove("run.json");
            }
            if let Some(summary) = value.get_mut("summary") {
                summary.as_object_mut().unwrap().remove("seconds");
            }
            value.to_string()
        };
        assert_eq!(stripped(one), stripped(two), "{file}");
    }
}

#[test]
fn the_same_bytes_with_one_thread_and_with_two() {
    let place = simulated();
    place.fine(&[
        "simulate",
        "--nodes",
        "120",
        "--views",
        "3",
        "--signals",
        "150",
        "-o",
        "large",
    ]);
    let large = ["large/view1.csv", "large/view2.csv", "large/view3.csv"];
    for (name, views) in [("small", VIEWS), ("large", large)] {
        for options in [
            &["--penalty", "l1"][..],
            &["--penalty", "l2", "--gamma", "0.01"],
            &["--solver", "admm"],
        ] {
            let out = |threads: &str| format!("{name}{}{threads}", options[1]);
            for threads in ["1", "2"] {
                place.learn(&[&views, options, &["--threads", threads]].concat(), &out(threads));
            }
            assert_same_bytes(&place, &out("1"), &out("2"));
        }
    }
}

#[test]
fn the_same_weights_in_any_order_of_files_and_columns() {
    let place = simulated();
    place.learn(&VIEWS, "out");
    let expected = weights(&place, "out");
    place.learn(&[VIEWS[2], VIEWS[0], VIEWS[1]], "turned");
    assert_eq!(weights(&place, "turned"), expected);

    let order: Vec<usize> = (0..20).map(|k| (7 * k + 3) % 20).collect();
    let permuted = Signals::read(&place, VIEWS[1]).permuted(&order);
    place.write("permuted/view2.csv", permuted.text(","));
    let outcome = place.learn(&[VIEWS[0], "permuted/view2.csv", VIEWS[2]], "permuted-out");
    assert!(
        outcome.stderr.contains("warning: W02: view `view2`"),
        "{}",
        outcome.stderr
    );
    assert_eq!(weights(&place, "permuted-out"), expected);
    place.learn(&["permuted/view2.csv", VIEWS[0], VIEWS[2]], "permuted-first");
    assert_eq!(weights(&place, "permuted-first"), expected);
}

#[test]
fn the_same_weights_from_every_format() {
    let place = simulated();
    place.learn(&VIEWS, "out");
    let expected = weights(&place, "out");
    let tables: Vec<Signals> = VIEWS.iter().map(|file| Signals::read(&place, file)).collect();
    let names = &tables[0].names;
    let header = |k: usize| format!("view{}", k + 1);
    let (mut long, mut stacked) = (String::new(), Vec::new());
    let mut arrays = Vec::new();
    for (k, table) in tables.iter().enumerate() {
        let view = header(k);
        place.write(&format!("tsv/{view}.tsv"), table.text("\t"));
        place.write(&format!("txt/{view}.txt"), table.text(" "));
        place.write(
            &format!("crlf/{view}.csv"),
            format!("\u{feff}{}", table.text(";").replace('\n', "\r\n")),
        );
        place.write(&format!("gz/{view}.csv.gz"), gz(table.text(",").as_bytes()));
        let mut turned = String::new();
        for (column, name) in names.iter().enumerate() {
            let cells: Vec<String> = table.values.iter().map(|row| format!("{:?}", row[column])).collect();
            turned += &format!("{name},{}\n", cells.join(","));
        }
        place.write(&format!("turned/{view}.csv"), turned);
        place.write(&format!("npy/{view}.npy"), npy(&table.shape(), &table.flat()));
        arrays.push((view.clone(), npy(&table.shape(), &table.flat())));
        stacked.extend(table.flat());
        if k == 0 {
            long = format!("subject,{}\n", names.join(","));
        }
    }
    // The rows of the views take turns.
    for row in 0..100 {
        for (k, table) in tables.iter().enumerate() {
            long += &format!("{},{}", header(k), rows(20, &table.values[row], ","));
        }
    }
    place.write("long.csv", long);
    let named = |file: &str, arrays: Vec<(&str, Vec<u8>)>| {
        place.write(file, npz(&[arrays, vec![("nodes", npy_names(names))]].concat()));
    };
    named(
        "arrays.npz",
        arrays
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.clone()))
            .collect(),
    );
    let view_names: Vec<String> = (0..3).map(header).collect();
    named(
        "stack.npz",
        vec![
            ("x", npy(&[3, 100, 20], &stacked)),
            ("view_names", npy_names(&view_names)),
        ],
    );

    let same: [(&str, &[&str]); 8] = [
        ("tsv", &["tsv/view1.tsv", "tsv/view2.tsv", "tsv/view3.tsv"]),
        ("txt", &["txt/view1.txt", "txt/view2.txt", "txt/view3.txt"]),
        ("crlf", &["crlf/view1.csv", "crlf/view2.csv", "crlf/view3.csv"]),
        ("gz", &["gz/view1.csv.gz", "gz/view2.csv.gz", "gz/view3.csv.gz"]),
        (
            "turned",
            &[
                "turned/view1.csv",
                "turned/view2.csv",
                "turned/view3.csv",
                "--orient",
                "nodes-by-samples",
            ],
        ),
        ("arrays", &["arrays.npz"]),
        ("stack", &["stack.npz"]),
        ("long", &["long.csv", "--view-column", "subject"]),
    ];
    for (name, files) in same {
        let out = format!("out-{name}");
        place.learn(files, &out);
        assert!(weights(&place, &out) == expected, "{name} differs");
    }
    // A .npy file has no names: its nodes are numbered, and sorted as text they are in another order than n01, n02, …
    place.learn(&["npy/view1.npy", "npy/view2.npy", "npy/view3.npy"], "out-npy");
    let mut unnamed = Vec::new();
    for (k, table) in tables.iter().enumerate() {
        unnamed.push(format!("unnamed/{}.csv", header(k)));
        place.write(&unnamed[k], rows(20, &table.flat(), ","));
    }
    place.learn(&unnamed.iter().map(String::as_str).collect::<Vec<_>>(), "out-unnamed");
    assert_eq!(weights(&place, "out-npy"), weights(&place, "out-unnamed"));
    let renamed: BTreeMap<[String; 3], u64> = weights(&place, "out-npy")
        .into_iter()
        .map(|([graph, a, b], bits)| {
            let name = |node: String| names[node.parse::<usize>().unwrap()].clone();
            let (a, b) = (name(a), name(b));
            let (a, b) = if a < b { (a, b) } else { (b, a) };
            ([graph, a, b], bits)
        })
        .collect();
    assert_close(&renamed, &expected, 1e-9);
}

fn assert_close(one: &BTreeMap<[String; 3], u64>, two: &BTreeMap<[String; 3], u64>, tolerance: f64) {
    let value = |graph: &BTreeMap<[String; 3], u64>, key| graph.get(key).map_or(0.0, |&bits| f64::from_bits(bits));
    for key in one.keys().chain(two.keys()) {
        let (x, y) = (value(one, key), value(two, key));
        assert!((x - y).abs() <= tolerance, "{key:?}: {x} {y}");
    }
}

#[test]
fn covariances_and_products_give_the_graphs_of_their_signals() {
    let place = simulated();
    place.learn(&[&VIEWS[..], &["--tol", "1e-12"]].concat(), "out");
    let expected = weights(&place, "out");
    for view in ["view1", "view2", "view3"] {
        let gram = Signals::read(&place, &format!("sim/{view}.csv")).z_scored().products();
        let mut covariance = gram.clone();
        covariance.values.iter_mut().flatten().for_each(|value| *value /= 99.0);
        place.write(&format!("gram/{view}.csv"), gram.text(","));
        place.write(&format!("covariance/{view}.csv"), covariance.text(","));
    }
    for kind in ["gram", "covariance"] {
        let files = ["view1", "view2", "view3"].map(|view| format!("{kind}/{view}.csv"));
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let (option, out) = (format!("--{kind}"), format!("out-{kind}"));
        let options = [option.as_str(), "--samples", "100", "--tol", "1e-12"];
        place.learn(&[&files[..], &options].concat(), &out);
        assert_close(&weights(&place, &out), &expected, 1e-9);
    }
}

#[test]
fn views_may_have_unequal_numbers_of_samples() {
    let place = Place::new();
    place.fine(&[
        "simulate",
        "--nodes",
        "20",
        "--views",
        "3",
        "--signals",
        "50,100,400",
        "-o",
        "sim",
    ]);
    let outcome = place.learn(&[&VIEWS[..], &["--json"]].concat(), "out");
    assert!(
        outcome
            .stderr
            .contains("warning: W06: the views have between 50 and 400 samples"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.json()["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|warning| warning["code"] == "W06")
    );
    assert!(
        table(&place, "out/views.tsv")
            .1
            .iter()
            .map(|row| row[2].as_str())
            .eq(["50", "100", "400"])
    );
}

#[test]
fn rows_with_nan_can_be_left_out() {
    let place = simulated();
    place.learn(&VIEWS, "out");
    let broken = Signals::read(&place, VIEWS[0])
        .text(",")
        .replacen('\n', &format!("\n{}\n", ["NaN"; 20].join(",")), 1);
    let row = ["1.5", ""].concat() + &",inf".repeat(19);
    place.write("broken/view1.csv", format!("{broken}{row}\n"));
    let outcome = place.learn(
        &["broken/view1.csv", VIEWS[1], VIEWS[2], "--nan", "drop-rows"],
        "dropped",
    );
    assert!(
        outcome.stderr.contains("view `view1`: 2 of 102 samples"),
        "{}",
        outcome.stderr
    );
    assert_eq!(weights(&place, "dropped"), weights(&place, "out"));
}

#[test]
fn identical_views_are_noticed() {
    let place = simulated();
    let outcome = place.learn(&["a=sim/view1.csv", "b=sim/view1.csv", VIEWS[1]], "out");
    assert!(
        outcome
            .stderr
            .contains("warning: W12: the views `a` and `b` are identical: the same data count twice"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn odd_names_of_files_and_nodes_survive() {
    let place = Place::new();
    let header = "Fz,\"a\tb\",\"c\"\"d\",\"e\nf\",😀,\" g\",\"x,y\"";
    for (seed, name) in [(1, "näme = with spaces.csv"), (2, "-dash.csv"), (3, "ünï/ c d .csv")] {
        place.write(name, format!("{header}\n{}", rows(7, &noise(seed, 7 * 40), ",")));
    }
    let files = ["näme = with spaces.csv", "minus=-dash.csv", "ünï/ c d .csv"];
    place.learn(&files, "out put/ü");
    let views = table(&place, "out put/ü/views.tsv").1;
    assert!(
        views
            .iter()
            .map(|row| row[0].as_str())
            .eq(["näme = with spaces", "minus", " c d "])
    );
    let report = place
        .fine(&["evaluate", "out put/ü", "--truth", "out put/ü", "--json"])
        .json();
    assert_eq!(
        (&report["consensus"]["f1"], &report["mean_views"]["f1"]),
        (&1.0.into(), &1.0.into())
    );
}

#[test]
fn numbers_of_any_size_can_be_learned_from() {
    let place = Place::new();
    let scales = [1e-300, 1e-9, 1.0, 1e9, 1e300];
    let mut expected = None;
    for (k, scale) in scales.iter().enumerate() {
        for view in 0..2 {
            let values: Vec<f64> = noise(view + 1, 240).iter().map(|x| x * scale).collect();
            place.write(
                &format!("{k}/v{view}.csv"),
                format!("a,b,c,d,e,f\n{}", rows(6, &values, ",")),
            );
        }
        let (files, out) = ([format!("{k}/v0.csv"), format!("{k}/v1.csv")], format!("out{k}"));
        let outcome = place.fine(&[
            "learn", &files[0], &files[1], MODEL[0], "0.2", MODEL[2], "0.03", "-o", &out, "--json",
        ]);
        let objective = outcome.json()["objective"].as_f64().unwrap();
        let first = *expected.get_or_insert(objective);
        assert!(
            (objective - first).abs() <= 1e-9 * first,
            "{scale}: {objective} {first}"
        );
    }
    let outcome = place.run(&[
        "learn", "4/v0.csv", "4/v1.csv", "--scale", "none", "--alpha", "1", "--beta", "1", "-o", "x",
    ]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("--scale zscore"), "{}", outcome.stderr);
}

#[test]
fn two_hundred_views() {
    let place = Place::new();
    let files: Vec<String> = (0..200).map(|k| format!("v{k:03}.csv")).collect();
    for (seed, file) in (1..).zip(&files) {
        place.write(file, csv("a,b,c,d,e,f", 25, seed));
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let outcome = place.learn(&[&files[..], &["--strict", "--json"]].concat(), "out");
    assert_eq!(outcome.json()["n_views"], 200);
}

#[test]
fn a_simulation_follows_from_its_seed() {
    let place = Place::new();
    let simulate = |seed: &str, out: &str| {
        place.fine(&[
            "simulate",
            "--nodes",
            "15",
            "--views",
            "2",
            "--signals",
            "30",
            "--seed",
            seed,
            "-o",
            out,
        ]);
        let everything = place.everything();
        let inside = everything
            .into_iter()
            .filter_map(|(name, bytes)| Some((name.strip_prefix(out)?.to_owned(), bytes)));
        inside.collect::<BTreeMap<_, _>>()
    };
    let (one, again, other) = (simulate("7", "one"), simulate("7", "again"), simulate("8", "other"));
    assert!(one == again);
    assert!(one["/view1.csv"] != other["/view1.csv"] && one["/truth/edges.tsv"] != other["/truth/edges.tsv"]);
    assert!(one.contains_key("/simulation.json"));
    place.fine(&[
        "simulate",
        "--graph",
        "ba",
        "--growth",
        "3",
        "--nodes",
        "30",
        "--views",
        "2",
        "--signals",
        "9",
        "-o",
        "ba",
    ]);
}

#[test]
fn a_smaller_simulation_leaves_no_views_of_the_larger_one() {
    let place = Place::new();
    let simulate = |views: &str, force: &[&str]| {
        let args = [
            "simulate",
            "--nodes",
            "9",
            "--signals",
            "9",
            "-o",
            "sim",
            "--views",
            views,
        ];
        place.fine(&[&args, force].concat());
    };
    simulate("11", &[]);
    place.write("sim/mine.csv", "mine");
    simulate("3", &["--force"]);
    let everything = place.everything();
    let tables: Vec<&str> = everything.keys().filter_map(|name| name.strip_suffix(".csv")).collect();
    assert_eq!(tables, ["sim/mine", "sim/view1", "sim/view2", "sim/view3"]);
}

#[test]
fn evaluate_agrees_with_a_count_by_hand() {
    let place = simulated();
    place.learn(&VIEWS, "out");
    let report = place
        .fine(&["evaluate", "out", "--truth", "sim/truth", "--json"])
        .json();
    let (learned, truth) = (weights(&place, "out"), weights(&place, "sim/truth"));
    for graph in ["view view1", "view view2", "view view3", "consensus"] {
        let edges = |weights: &BTreeMap<[String; 3], u64>| {
            let present = weights
                .iter()
                .filter(|(key, bits)| key[0] == graph && f64::from_bits(**bits) > 0.0);
            present
                .map(|(key, _)| key.clone())
                .collect::<std::collections::BTreeSet<_>>()
        };
        let (found, real) = (edges(&learned), edges(&truth));
        let both = found.intersection(&real).count();
        let score = match graph.strip_prefix("view ") {
            Some(view) => &report["views"][view],
            None => &report["consensus"],
        };
        assert_eq!(score["true_positives"], both);
        assert_eq!(score["false_positives"], found.len() - both);
        assert_eq!(score["false_negatives"], real.len() - both);
        let f1 = 2.0 * both as f64 / (found.len() + real.len()) as f64;
        assert!((score["f1"].as_f64().unwrap() - f1).abs() < 1e-12);
    }
    let shown = place.fine(&["evaluate", "out", "--truth", "sim/truth"]).stdout;
    let f1 = report["consensus"]["f1"].as_f64().unwrap();
    assert!(shown.lines().last().unwrap().contains(&format!("{f1:.3}")), "{shown}");
}

#[test]
fn evaluate_shows_every_score_of_every_graph() {
    let place = simulated();
    place.learn(&VIEWS, "out");
    let truth = ["evaluate", "out", "--truth", "sim/truth"];
    let data = [&["--data"], &VIEWS[..]].concat();
    insta::assert_snapshot!("evaluate_truth", place.fine(&truth).stdout);
    insta::assert_snapshot!(
        "evaluate_data",
        place.fine(&[&["evaluate", "out"], &data[..]].concat()).stdout
    );
    let both = [&truth[..], &data[..]].concat();
    insta::assert_snapshot!("evaluate_truth_and_data", place.fine(&both).stdout);

    let report = place.fine(&[&both[..], &["--json"]].concat()).json();
    let keys = |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let scores = ["f1", "precision", "recall", "auprc", "accuracy", "nmi", "correlation"];
    let counts = ["true_positives", "false_positives", "false_negatives", "true_negatives"];
    let variation = ["total_variation", "relative_variation"];
    let all = [&scores[..], &counts, &variation].concat();
    assert_eq!(keys(&report["consensus"]), all);
    assert_eq!(keys(&report["views"]["view2"]), all);
    assert_eq!(keys(&report["mean_views"]), [&scores[..], &variation].concat());
    for key in scores.iter().chain(&variation) {
        let of_views = report["views"].as_object().unwrap().values();
        let mean = of_views.map(|view| view[key].as_f64().unwrap()).sum::<f64>() / 3.0;
        assert!(
            (report["mean_views"][key].as_f64().unwrap() - mean).abs() < 1e-12,
            "{key}"
        );
    }
    // The true graphs against themselves.
    let itself = place
        .fine(&["evaluate", "sim/truth", "--truth", "sim/truth", "--json"])
        .json();
    for key in scores {
        assert!(
            (itself["consensus"][key].as_f64().unwrap() - 1.0).abs() < 1e-12,
            "{key}"
        );
    }
}

#[test]
fn the_total_variation_is_that_of_the_objective() {
    let place = simulated();
    let raw = ["--scale", "none", "--sample-norm", "mean", "--distance-norm", "none"];
    place.learn(&[&VIEWS[..], &raw].concat(), "out");
    let evaluate = [&["evaluate", "out", "--scale", "none", "--json", "--data"], &VIEWS[..]].concat();
    let report = place.fine(&evaluate).json();
    let weights = weights(&place, "out");
    for view in ["view1", "view2", "view3"] {
        let table = place.read(&format!("sim/{view}.csv"));
        let mut lines = table.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let signals: Vec<Vec<f64>> = lines
            .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
            .collect();
        let at = |name: &String| names.iter().position(|other| other == name).unwrap();
        let mut expected = 0.0;
        for ([_, a, b], bits) in weights.iter().filter(|(key, _)| key[0] == format!("view {view}")) {
            let differences = signals.iter().map(|signal| signal[at(a)] - signal[at(b)]);
            let distance = differences.map(|difference| difference * difference).sum::<f64>();
            expected += f64::from_bits(*bits) * distance / signals.len() as f64;
        }
        let found = report["views"][view]["total_variation"].as_f64().unwrap();
        assert!(
            (found - expected).abs() < 1e-9 * expected,
            "{found} instead of {expected}"
        );
    }
}

#[test]
fn data_of_other_views_are_refused() {
    let place = simulated();
    let outcome = place.run(&[
        "evaluate",
        "sim/truth",
        "--data",
        "sim/view1.csv",
        "view7=sim/view2.csv",
        "sim/view3.csv",
    ]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, ""));
    insta::assert_snapshot!("evaluate_other_views", outcome.stderr);
}

#[test]
fn a_file_in_place_of_a_folder_is_told_so() {
    let place = simulated();
    for words in [
        ["evaluate", "sim/truth", "--truth", "sim/view1.csv"],
        ["evaluate", "sim/view1.csv", "--truth", "sim/truth"],
    ] {
        let outcome = place.run(&words);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (3, ""), "{outcome:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!("evaluate_a_file", outcome.stderr);
        }
    }
}

#[test]
fn every_kind_of_simulation_is_written_with_its_settings() {
    let place = Place::new();
    let simulate = |words: &str, out: &str| {
        let all = format!("simulate --nodes 30 --views 3 --signals 5,6,7 {words} --json -o {out}");
        place.fine(&all.split(' ').collect::<Vec<_>>()).json()
    };
    let one = simulate("--graph rgg --mean-degree 8 --filter heat --filter-t 0.2", "one");
    assert_eq!(one["graph"], serde_json::json!({"model": "rgg", "mean_degree": 8.0}));
    assert_eq!(one["filter"], serde_json::json!({"name": "heat", "t": 0.2}));
    assert_eq!(
        (&one["changes"], &one["shuffled"], &one["consensus_edges"]),
        (&Value::Null, &0.1.into(), &120.into())
    );
    for (view, n_signals) in [("view1", 5), ("view2", 6), ("view3", 7)] {
        assert_eq!(place.read(&format!("one/{view}.csv")).lines().count(), 1 + n_signals);
    }

    // The positions are beside the nodes, and the edges are the near ones.
    let nodes = place.read("one/truth/nodes.tsv");
    let mut lines = nodes.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), ["name", "strength", "degree", "x", "y"]);
    let positions: BTreeMap<&str, [f64; 2]> = lines
        .map(|row| (row[0], [3, 4].map(|at| row[at].parse().unwrap())))
        .collect();
    let edges = place.read("one/truth/edges.tsv");
    let edges = edges.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let consensus: Vec<f64> = edges
        .filter(|row| row[2] == "1.0")
        .map(|row| {
            let ([xa, ya], [xb, yb]) = (positions[row[0]], positions[row[1]]);
            (xa - xb).hypot(ya - yb)
        })
        .collect();
    let longest = consensus.iter().copied().fold(0.0, f64::max);
    let all = positions
        .values()
        .flat_map(|[xa, ya]| positions.values().map(move |[xb, yb]| (xa - xb).hypot(ya - yb)));
    assert_eq!(consensus.len(), 120);
    assert_eq!(all.filter(|&distance| distance <= longest).count(), 2 * 120 + 30);

    let two = simulate(
        "--edge-probability 0.3 --added 0.2 --removed 0.1 --changed-views 2 --same-views --filter gaussian",
        "two",
    );
    let changes = serde_json::json!({"added": 0.2, "removed": 0.1, "n_views": 2, "same_views": true});
    assert_eq!((&two["changes"], &two["shuffled"]), (&changes, &Value::Null));
    assert!(
        place
            .read("two/truth/nodes.tsv")
            .starts_with("name\tstrength\tdegree\n")
    );
    let views = place.read("two/truth/views.tsv");
    let unique = views
        .lines()
        .skip(1)
        .filter(|line| line.split('\t').nth(4) != Some("0.0"))
        .count();
    assert_eq!(unique, 2);

    let three = simulate("--graph rgg --radius 0.5 --filter tikhonov", "three");
    assert_eq!(three["graph"], serde_json::json!({"model": "rgg", "radius": 0.5}));
    assert_eq!(three["filter"], serde_json::json!({"name": "tikhonov", "t": 0.3}));
}

/// The F1 printed in the row that starts so.
fn f1(story: &str, row: &str) -> f64 {
    let line = story.lines().find_map(|line| line.strip_prefix(row)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn the_demo_shows_that_learning_jointly_finds_more() {
    let place = Place::new();
    for seed in ["1", "2", "3"] {
        // The default folder, each time over the demo before.
        let story = place.fine(&["demo", "--seed", seed]).stdout;
        let alone = f1(&story, "smooth, each view alone (best alpha)");
        let (jointly, consensus) = (
            f1(&story, "smooth, views jointly (best alpha)"),
            f1(&story, "smooth, the consensus"),
        );
        assert!(jointly > alone && consensus > alone, "seed {seed}:\n{story}");
        // Without knowing the truth the likelihood finds more of it than the paper's model with the best alpha.
        let (likely, likely_consensus) = (
            f1(&story, "likelihood, views (knows no truth)"),
            f1(&story, "likelihood, the consensus"),
        );
        assert!(
            likely > jointly && likely_consensus > consensus,
            "seed {seed}:\n{story}"
        );
        assert!(alone > 0.3 && consensus <= 1.0, "seed {seed}:\n{story}");
    }
    assert!(place.path("congraph-demo/data/view1.csv").exists());
}

#[test]
fn the_demo_is_repeated_exactly_by_the_commands_it_prints() {
    let place = Place::new();
    let story = place.fine(&["demo"]).stdout;
    let line = story.lines().find(|line| line.contains("congraph learn")).unwrap();
    let options: Vec<&str> = line
        .split_whitespace()
        .skip_while(|word| !word.starts_with("--"))
        .collect();
    let files: Vec<String> = (1..=6).map(|k| format!("congraph-demo/data/view{k}.csv")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    place.fine(&[&["learn"], &files[..], &options].concat());
    assert_eq!(weights(&place, "out"), weights(&place, "congraph-demo"));
    let scores = place
        .fine(&["evaluate", "out", "--truth", "congraph-demo/truth"])
        .stdout;
    assert_eq!(f1(&scores, "consensus"), f1(&story, "likelihood, the consensus"));
    let views = f1(&story, "likelihood, views (knows no truth)");
    assert_eq!(f1(&scores, "mean of the views"), views);
}

#[test]
fn the_demo_refuses_a_folder_of_someone_else() {
    let place = Place::new();
    place.write("congraph-demo/thesis.txt", "mine");
    let before = place.everything();
    let outcome = place.run(&["demo"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(
        outcome.stderr.contains("`congraph-demo` is not empty"),
        "{}",
        outcome.stderr
    );
    assert_eq!(place.everything(), before);
}
