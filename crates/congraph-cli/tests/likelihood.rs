//! `--method likelihood`: what is written and told, what it is refused for, and who reads it back.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::place::{Outcome, Place, csv, noise, rows};

const FILES: [&str; 3] = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv"];

fn simulated() -> Place {
    let place = Place::new();
    let words = "simulate --nodes 16 --views 3 --signals 200 --edge-probability 0.2 -o sim";
    place.fine(&words.split(' ').collect::<Vec<_>>());
    place
}

/// `learn` by the likelihood with more words, which must succeed.
fn likely(place: &Place, files: &[&str], words: &[&str], out: &str) -> Outcome {
    place.fine(&[&["learn"], files, &["--method", "likelihood", "-o", out], words].concat())
}

fn summary(place: &Place, folder: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{folder}/summary.json"))).unwrap()
}

/// The weights of a result by view and pair, whatever their order.
fn weights(place: &Place, out: &str) -> BTreeMap<Vec<String>, String> {
    let text = place.read(&format!("{out}/edges_long.tsv"));
    let entry = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let mut ends = [cells[1].to_owned(), cells[2].to_owned()];
        ends.sort();
        let [a, b] = ends;
        (vec![cells[0].to_owned(), a, b], cells[3].to_owned())
    };
    text.lines().skip(1).map(entry).collect()
}

#[test]
fn graphs_are_learned_told_and_read_back() {
    let place = simulated();
    let outcome = likely(&place, &FILES, &["-v"], "out");
    let line = &outcome.stdout;
    assert!(line.starts_with("out: 3 views × 16 nodes, consensus of "), "{line}");
    for said in [
        " when learned separately), filter 2, b = ",
        " by AIC, relative gap ",
        " (converged), ",
    ] {
        assert!(line.contains(said), "{line}");
    }
    assert!(
        !outcome.stderr.contains("z-scored") && outcome.stderr.contains("it was put back"),
        "{}",
        outcome.stderr
    );
    let told = summary(&place, "out");
    assert_eq!(
        (&told["schema"], &told["method"]),
        (&json!("congraph.summary/1"), &json!("likelihood"))
    );
    assert_eq!(
        (&told["filter"], &told["scale"], &told["lifted"]),
        (&json!(2), &json!("center"), &json!(true))
    );
    assert_eq!((&told["certified"], &told["converged"]), (&json!(true), &json!(true)));
    assert_eq!(told["chosen_by"], json!(["filter", "beta"]));
    assert_eq!(told["tried"].as_array().unwrap().len(), 12);
    assert!(told.get("alpha").is_none() && told.get("signed").is_none() && told.get("distance_divisor").is_none());
    for number in [
        "beta",
        "gamma",
        "effective_samples",
        "threshold",
        "kept_density",
        "aic",
        "n_parameters",
        "objective",
    ] {
        assert!(told[number].is_number(), "{number}: {told}");
    }
    assert!(told["relative_gap"].as_f64().unwrap() <= 1e-8);
    assert!(told["similarity"]["value"].as_f64() > told["similarity"]["floor"].as_f64());
    let page = place.read("out/report.html");
    for said in [
        "by maximum likelihood",
        "filter twice",
        "Egilmez",
        "Akaike 1974",
        "Otsu 1979",
        "id=\"models\"",
        "lifted",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("add up to the number of") && !page.contains("α = "));
    // Who reads results reads these.
    let json = likely(&place, &FILES, &["--json", "--no-report"], "again").json();
    assert_eq!(json["aic"], told["aic"]);
    place.fine(&["report", "again"]);
    place.fine(&["export", "out", "--to", "graphml,edges"]);
    place.fine(&["communities", "out", "--runs", "3"]);
    let scores = place
        .fine(&["evaluate", "out", "--truth", "sim/truth", "--json"])
        .json();
    assert!(scores.to_string().contains("f1"), "{scores}");
    let projected = place
        .fine(&["project", "out", "--view", "sim/view1.csv", "--json", "-o", "new"])
        .json();
    assert_eq!(
        (&projected["method"], &projected["beta"]),
        (&told["method"], &told["beta"])
    );
    assert_eq!(projected["converged"], true, "{projected}");
    let view = &projected["views"]["view1"];
    let (shared, added) = (view["n_shared"].as_u64().unwrap(), view["n_added"].as_u64().unwrap());
    assert!(shared > 4 * added, "{projected}");
    let refused = place.run(&[
        "project",
        "out",
        "--view",
        "sim/view1.csv",
        "--alpha",
        "1",
        "-o",
        "newer",
    ]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("which has no alpha"), "{}", refused.stderr);
}

#[test]
fn what_is_given_is_kept_to() {
    let place = simulated();
    let given = [
        "--density",
        "0.15",
        "--beta",
        "1.5",
        "--gamma",
        "0.5",
        "--filter",
        "1",
        "--scale",
        "zscore",
    ];
    let outcome = likely(&place, &FILES, &given, "given");
    assert!(
        outcome.stdout.contains("filter 1, b = 1.5, relative gap"),
        "{}",
        outcome.stdout
    );
    let told = summary(&place, "given");
    assert_eq!(
        (&told["beta"], &told["gamma"], &told["filter"]),
        (&json!(1.5), &json!(0.5), &json!(1))
    );
    assert_eq!((&told["scale"], &told["chosen_by"]), (&json!("zscore"), &json!([])));
    assert!(
        (told["density"]["views"].as_f64().unwrap() - 0.15).abs() < 0.01,
        "{told}"
    );
    let outcome = likely(&place, &FILES, &["--similarity", "0.9"], "alike");
    assert!(outcome.stdout.contains("similarity 0.9"), "{}", outcome.stdout);
    let told = summary(&place, "alike");
    assert_eq!(
        (&told["similarity"]["target"], &told["chosen_by"]),
        (&json!(0.9), &json!(["filter"]))
    );
    likely(&place, &FILES[..1], &["--single"], "single");
    let told = summary(&place, "single");
    assert!(
        told.get("beta").is_none() && told["density"]["consensus"].is_null(),
        "{told}"
    );
    // The usual method has the same word as its method, and its former one.
    for word in ["smooth", "congraph"] {
        place.learn(&[&FILES[..], &["--method", word]].concat(), word);
    }
    assert_eq!(place.read("smooth/edges.tsv"), place.read("congraph/edges.tsv"));
    assert!(summary(&place, "smooth").get("method").is_none());
}

#[test]
fn lists_of_pairs_are_kept_to() {
    let place = simulated();
    place.write(
        "pairs.csv",
        "source,target\nn01,n02\nn01,n03\nn04,n05\nn02,n06\nn07,n08\n",
    );
    place.write("costs.csv", "source,target,cost\nn01,n02,inf\n");
    likely(
        &place,
        &FILES,
        &["--candidates", "pairs.csv", "--edge-costs", "costs.csv"],
        "listed",
    );
    let told = summary(&place, "listed");
    assert_eq!(
        (&told["candidates"], &told["n_candidates"]),
        (&json!("candidates.tsv"), &json!(5))
    );
    assert_eq!(
        (&told["edge_costs"], &told["n_edge_costs"]),
        (&json!("edge_costs.tsv"), &json!(1))
    );
    let pairs = weights(&place, "listed");
    assert!(
        pairs.len() <= 12 && !pairs.keys().any(|key| key[1..] == ["n01".to_owned(), "n02".into()]),
        "{pairs:?}"
    );
}

#[test]
fn signs_are_chosen_where_that_is_asked() {
    let place = simulated();
    // Every other node turned round: half of the edges are negative.
    for file in FILES {
        let text = place.read(file);
        let turned: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(k, line)| {
                let cells = line.split(',').enumerate();
                let cell = |(column, cell): (usize, &str)| match (k, column % 2) {
                    (0, _) | (_, 0) => cell.to_owned(),
                    _ => (-cell.parse::<f64>().unwrap()).to_string(),
                };
                cells.map(cell).collect::<Vec<_>>().join(",")
            })
            .collect();
        place.write(&file.replace("sim", "turned"), turned.join("\n"));
    }
    let turned = FILES.map(|file| file.replace("sim", "turned"));
    let turned: Vec<&str> = turned.iter().map(String::as_str).collect();
    let outcome = likely(&place, &turned, &["--signed=auto"], "turned-auto");
    let told = summary(&place, "turned-auto");
    assert_eq!((&told["signed"], &told["filter"]), (&json!(true), &json!(1)), "{told}");
    assert_eq!(told["chosen_by"], json!(["filter", "beta", "signed"]));
    assert!(
        outcome.stdout.contains("both signs") && outcome.stdout.contains("negative)"),
        "{}",
        outcome.stdout
    );
    likely(&place, &turned, &["--signed"], "turned-signed");
    assert_eq!(weights(&place, "turned-auto"), weights(&place, "turned-signed"));
    assert!(
        place
            .read("turned-auto/report.html")
            .contains("weights W of both signs")
    );
    likely(&place, &FILES, &["--signed=auto"], "plain-auto");
    assert!(summary(&place, "plain-auto").get("signed").is_none());
}

#[test]
fn noise_is_an_empty_graph_that_is_said_to_be_one() {
    let place = Place::new();
    let names: Vec<String> = (0..12).map(|k| format!("n{k}")).collect();
    let files = ["a.csv", "b.csv", "c.csv"];
    for (seed, file) in files.iter().enumerate() {
        place.write(file, csv(&names.join(","), 120, seed as u64 + 5));
    }
    let outcome = likely(&place, &files, &[], "out");
    let said =
        "out: nothing beyond chance; an empty graph: 3 views × 12 nodes, consensus of 0 edges, mean density 0.000";
    assert!(outcome.stdout.starts_with(said), "{}", outcome.stdout);
    let told = summary(&place, "out");
    assert!(
        told["threshold"].is_null() && told["warnings"].to_string().contains("W13"),
        "{told}"
    );
    let page = place.read("out/report.html");
    assert!(page.contains("Nothing in these data goes beyond chance.") && page.contains("the graphs are empty"));
    assert!(!page.contains("those of noise"));
    place.fine(&["report", "out"]);
    // Who asks for a density gets one, with the same warning.
    let outcome = likely(&place, &files, &["--density", "0.1"], "asked");
    assert!(
        outcome.stdout.contains("nothing beyond chance; 3 views"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn masks_and_matrices() {
    let place = simulated();
    // The second view lacks a node.
    let text = place.read(FILES[1]);
    let cut: Vec<&str> = text.lines().map(|line| line.split_once(',').unwrap().1).collect();
    place.write("cut.csv", cut.join("\n"));
    let files = [FILES[0], "cut.csv", FILES[2]];
    likely(&place, &files, &["--missing", "mask"], "masked");
    let told = summary(&place, "masked");
    assert_eq!(
        (&told["missing"]["cut"], &told["converged"]),
        (&json!(["n01"]), &json!(true))
    );
    // Gram matrices of centred signals say the same as the signals, where it is told how many there are.
    for (k, file) in FILES.iter().enumerate() {
        place.write(&format!("gram{k}.csv"), gram(&place.read(file)));
    }
    let grams = ["gram0.csv", "gram1.csv", "gram2.csv"];
    let outcome = place.run(
        &[
            &["learn"],
            &grams[..],
            &["--gram", "--method", "likelihood", "-o", "gram"],
        ]
        .concat(),
    );
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("--samples is not told"), "{}", outcome.stderr);
    likely(&place, &grams, &["--gram", "--samples", "200"], "gram");
    let told = summary(&place, "gram");
    assert_eq!(
        (&told["effective_samples"], &told["filter"]),
        (&json!(200.0), &json!(2))
    );
}

/// Sums of products of centred columns.
fn gram(text: &str) -> String {
    let (names, body) = text.split_once('\n').unwrap();
    let values: Vec<Vec<f64>> = body
        .lines()
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let n = values[0].len();
    let mean = |a: usize| values.iter().map(|row| row[a]).sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = (0..n).map(mean).collect();
    let product = |a: usize, b: usize| {
        values
            .iter()
            .map(|row| (row[a] - means[a]) * (row[b] - means[b]))
            .sum::<f64>()
    };
    let entries: Vec<f64> = (0..n * n)
        .map(|k| product((k / n).min(k % n), (k / n).max(k % n)))
        .collect();
    format!("{names}\n{}", rows(n, &entries, ","))
}

#[test]
fn units_are_told_of() {
    let place = Place::new();
    let names: Vec<String> = (0..6).map(|k| format!("n{k}")).collect();
    for (seed, file) in ["a.csv", "b.csv"].iter().enumerate() {
        let mut values = noise(seed as u64 + 1, 6 * 80);
        values.iter_mut().step_by(6).for_each(|x| *x *= 1000.0);
        place.write(file, format!("{}\n{}", names.join(","), rows(6, &values, ",")));
    }
    let outcome = likely(&place, &["a.csv", "b.csv"], &["--density", "0.2"], "out");
    assert!(
        outcome.stderr.contains("note: the nodes differ much in their variance"),
        "{}",
        outcome.stderr
    );
    assert_eq!(summary(&place, "out")["scale"], "zscore");
    let outcome = likely(
        &place,
        &["a.csv", "b.csv"],
        &["--density", "0.2", "--scale", "zscore"],
        "asked",
    );
    assert!(!outcome.stderr.contains("note:"), "{}", outcome.stderr);
}

#[test]
fn threads_and_order_do_not_matter() {
    let place = simulated();
    likely(&place, &FILES, &["--signed=auto"], "out");
    likely(&place, &FILES, &["--signed=auto", "--threads", "1"], "one");
    let turned = [FILES[2], FILES[0], FILES[1]];
    likely(&place, &turned, &["--signed=auto"], "turned");
    assert_eq!(place.read("out/edges.tsv"), place.read("one/edges.tsv"));
    assert_eq!(weights(&place, "out"), weights(&place, "turned"));
    assert_eq!(summary(&place, "out")["tried"], summary(&place, "one")["tried"]);
}

#[test]
fn strict_writes_nothing_of_what_is_not_certified() {
    let place = simulated();
    let words = ["--method", "likelihood", "--max-iterations", "1", "-o", "out"];
    let outcome = place.run(&[&["learn", "--strict"], &FILES[..], &words].concat());
    assert_eq!(outcome.code, 5, "{outcome:?}");
    assert!(!place.path("out").exists());
    let outcome = place.fine(&[&["learn"], &FILES[..], &words].concat());
    assert!(outcome.stderr.contains("W01"), "{}", outcome.stderr);
    assert_eq!(summary(&place, "out")["converged"], json!(false));
    place.fine(&["report", "out"]);
}

#[test]
fn what_means_nothing_is_refused_before_anything_is_read() {
    let place = Place::new();
    let cases: [(&[&str], &str); 21] = [
        (&["--signed", "auto"], "goes behind an equals sign: `--signed=auto`"),
        (&["--alpha", "0.1"], "--alpha means nothing with --method likelihood"),
        (&["--consensus-density", "0.1"], "--consensus-density means nothing"),
        (
            &["--lambda1", "0.1"],
            "--lambda1 is an option of the joint graphical lasso",
        ),
        (&["--penalty", "none"], "--penalty none means nothing"),
        (&["--regulariser", "none"], "--regulariser means nothing"),
        (&["--spectrum", "0.5"], "--spectrum means nothing"),
        (&["--solver", "admm"], "--solver means nothing"),
        (&["--z-step", "bcd"], "--z-step means nothing"),
        (&["--sample-norm", "sum"], "--sample-norm means nothing"),
        (&["--distance-norm", "none"], "--distance-norm means nothing"),
        (
            &["--check-outside", "--candidates", "x.csv"],
            "--check-outside means nothing",
        ),
        (
            &["--similarity", "0.9", "--beta", "2"],
            "`--similarity` and `--beta` are both given",
        ),
        (&["--similarity", "0.9", "--single"], "--single learns each on its own"),
        (&["--beta", "0"], "--beta is 0; it must be finite and positive"),
        (&["--gamma", "-1"], "--gamma is -1; it must be finite and non-negative"),
        (&["--density", "2"], "--density is 2"),
        (
            &["--filter", "2", "--signed"],
            "--filter 2 is for graphs without negative edges",
        ),
        (&["--filter", "3"], "invalid value '3'"),
        (
            &["--method", "smooth", "--filter", "2"],
            "--filter 2 is for the likelihood",
        ),
        (
            &["--method", "smooth", "--signed=auto"],
            "--signed=auto is for the likelihood",
        ),
    ];
    for (options, said) in cases {
        let method: &[&str] = if options.contains(&"--method") {
            &[]
        } else {
            &["--method", "likelihood"]
        };
        let outcome = place.run(&[&["learn", "nothing.csv", "-o", "out"], method, options].concat());
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(said), "{options:?}: {}", outcome.stderr);
    }
    let place = simulated();
    let knn = [
        &["learn"],
        &FILES[..],
        &["--method", "likelihood", "--candidates", "knn:3", "-o", "out"],
    ]
    .concat();
    let outcome = place.run(&knn);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("knn is for the method `smooth`"),
        "{outcome:?}"
    );
    let small = [
        &["learn"],
        &FILES[..],
        &["--method", "likelihood", "--memory", "0.0001", "-o", "out"],
    ]
    .concat();
    let outcome = place.run(&small);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--memory allows"),
        "{outcome:?}"
    );
    assert!(!place.path("out").exists());
}

#[test]
fn methods_are_compared_by_samples_that_were_held_out() {
    let place = simulated();
    let files: Vec<&str> = FILES.to_vec();
    let compare = |methods: &str, out: &str| {
        let words = [&["tune"], &files[..], &["--methods", methods, "--json", "-o", out]].concat();
        place.fine(&words).json()
    };
    let told = compare("smooth,likelihood", "compared");
    assert_eq!(told["schema"], "congraph.methods/1");
    let methods = told["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 2);
    assert_eq!(told["best"], methods[0]["method"]);
    assert!(methods[0]["gain"].as_f64() >= methods[1]["gain"].as_f64());
    let table = std::fs::read_to_string(place.path("compared/methods.tsv")).unwrap();
    assert!(table.starts_with("method\tgain\tbehind\tstandard_error\t"), "{table}");
    assert_eq!(table.lines().count(), 3);
    // In any order of the methods.
    assert_eq!(compare("likelihood,smooth", "again")["methods"], told["methods"]);
    let refused = place.run(&[&["tune"], &files[..], &["--methods", "loud", "-o", "loud"]].concat());
    assert_eq!(refused.code, 2);
    assert!(!place.path("loud").exists());
}

/// Departures charged otherwise: told, read back, and never coupled by the criterion.
#[test]
fn other_penalties_need_a_coupling() {
    let place = simulated();
    for (penalty, label) in [("l2", "by the ℓ2 penalty"), ("squared-l2", "by the squared ℓ2 penalty")] {
        let outcome = likely(&place, &FILES, &["--penalty", penalty, "--beta", "3"], penalty);
        assert!(
            outcome.stdout.contains(" by AIC, b = 3, relative gap "),
            "{}",
            outcome.stdout
        );
        let told = summary(&place, penalty);
        assert_eq!(
            (&told["penalty"], &told["converged"], &told["chosen_by"]),
            (&json!(penalty), &json!(true), &json!(["filter"]))
        );
        let page = place.read(&format!("{penalty}/report.html"));
        assert!(page.contains(label), "{label}");
        let projected = place
            .fine(&[
                "project",
                penalty,
                "--view",
                "sim/view1.csv",
                "--json",
                "-o",
                &format!("{penalty}-new"),
            ])
            .json();
        assert_eq!(projected["converged"], true, "{projected}");
        let out = format!("{penalty}-alike");
        let alike = likely(&place, &FILES, &["--penalty", penalty, "--similarity", "0.9"], &out);
        assert!(alike.stdout.contains("similarity 0.9"), "{}", alike.stdout);
        let words = ["--method", "likelihood", "--penalty", penalty, "-o", "refused"];
        let refused = place.run(&[&["learn"], &FILES[..], &words].concat());
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("Akaike's criterion counts distinct weights")
                && refused.stderr.contains("--similarity"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(summary(&place, "l2-alike").get("penalty"), Some(&json!("l2")));
    likely(&place, &FILES, &["--beta", "3"], "usual");
    assert!(summary(&place, "usual").get("penalty").is_none());
}

/// The tables of a simulation with a column that is a multiple of the first one.
fn doubled(place: &Place, views: &[&str]) {
    for file in FILES {
        let text = place.read(file);
        let line = |(k, line): (usize, &str)| {
            let first = line.split(',').next().unwrap();
            let last = if k == 0 {
                "twin".to_owned()
            } else if views.contains(&file) {
                format!("{:e}", 3.0 * first.parse::<f64>().unwrap())
            } else {
                format!("{:e}", noise(k as u64, 1)[0])
            };
            format!("{line},{last}\n")
        };
        let table: String = text.lines().enumerate().map(line).collect();
        place.write(file, table);
    }
}

#[test]
fn multiples_are_learned_as_one_on_request() {
    let place = simulated();
    likely(&place, &FILES, &["--beta", "2", "--filter", "2"], "plain");
    let first = place.read(FILES[0]).split(',').next().unwrap().to_owned();
    doubled(&place, &FILES);
    let words = [
        "--method",
        "likelihood",
        "--beta",
        "2",
        "--filter",
        "2",
        "-o",
        "refused",
    ];
    let refused = place.run(&[&["learn"], &FILES[..], &words].concat());
    assert!(
        refused.stderr.contains("E04") && refused.stderr.contains("`--proportional merge` learns each such pair"),
        "{}",
        refused.stderr
    );
    let given = ["--beta", "2", "--filter", "2", "--proportional", "merge"];
    let outcome = likely(&place, &FILES, &given, "merged");
    assert!(
        outcome.stderr.contains("W17") && outcome.stderr.contains(&format!("{first} for twin")),
        "{}",
        outcome.stderr
    );
    let told = summary(&place, "merged");
    assert_eq!(
        (&told["merged"][&first], &told["n_nodes"]),
        (&json!(["twin"]), &json!(16))
    );
    assert_eq!(weights(&place, "merged"), weights(&place, "plain"));
    // In some views only they are two nodes.
    let place = simulated();
    doubled(&place, &FILES[..1]);
    let words = ["--method", "likelihood", "--proportional", "merge", "-o", "refused"];
    let refused = place.run(&[&["learn"], &FILES[..], &words].concat());
    assert!(
        refused.stderr.contains("E04") && !refused.stderr.contains("--proportional"),
        "{}",
        refused.stderr
    );
}

/// A table of signals around which one node is the opposite of another.
fn with_opposites(seed: u64) -> String {
    let values = noise(seed, 60 * 6);
    let shared = noise(seed + 100, 60);
    let row = |k: usize| {
        let mut row = values[6 * k..6 * k + 6].to_vec();
        row[1] = 3.0 * shared[k] + 0.2 * row[1];
        row[2] = -3.0 * shared[k] + 0.2 * row[2];
        row[4] = 2.0 * row[3] + 0.3 * row[4];
        row
    };
    format!(
        "a,b,c,d,e,f\n{}",
        rows(6, &(0..60).flat_map(row).collect::<Vec<_>>(), ",")
    )
}

#[test]
fn negative_associations_that_no_edge_can_show_are_said() {
    let place = Place::new();
    for view in 0..3 {
        place.write(&format!("{view}.csv"), with_opposites(view + 1));
    }
    let files = ["0.csv", "1.csv", "2.csv"];
    let outcome = likely(&place, &files, &[], "out");
    assert!(
        outcome.stderr.contains("warning: W14: ") && outcome.stderr.contains("`b–c (r = −"),
        "{}",
        outcome.stderr
    );
    // Nodes on their own are named.
    assert!(
        outcome
            .stderr
            .contains(", with 2 isolated nodes (`b` and `c`); a higher density joins more"),
        "{}",
        outcome.stderr
    );
    let signed = likely(&place, &files, &["--signed"], "signed");
    assert!(!signed.stderr.contains("W14"), "{}", signed.stderr);
}

#[test]
fn a_node_that_does_not_vary_is_named_and_what_is_said_to_help_does() {
    let place = simulated();
    // n03 of the second view is 5 throughout.
    let text = place.read(FILES[1]);
    let mut lines = text.lines();
    let head = lines.next().unwrap();
    let at = head.split(',').position(|name| name == "n03").unwrap();
    let flat = lines.map(|line| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells[at] = "5";
        cells.join(",") + "\n"
    });
    place.write("flat.csv", format!("{head}\n{}", flat.collect::<String>()));
    let files = [FILES[0], "flat.csv", FILES[2]];
    let words = [&["learn"], &files[..], &["--method", "likelihood", "--scale", "center"]].concat();
    let refused = place.run(&[&words[..], &["-o", "out"]].concat());
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.stderr.contains("error: E04: view `flat`: `n03` is constant")
            && refused.stderr.contains("`--drop-nodes n03` leaves it out of all views"),
        "{}",
        refused.stderr
    );
    place.fine(&[&words[..], &["--drop-nodes", "n03", "-o", "dropped"]].concat());
    likely(&place, &files, &["--missing", "mask", "--scale", "zscore"], "masked");
    place.fine(&[&["learn"], &files[..], &["--scale", "center", "-o", "smooth"]].concat());
}

#[test]
fn values_whose_squares_no_number_holds_are_z_scored() {
    let place = simulated();
    let tiny = |file: &str| {
        let text = place.read(file);
        let (head, body) = text.split_once('\n').unwrap();
        let cell = |cell: &str| format!("{:e}", cell.parse::<f64>().unwrap() * 1e-160);
        let line = |line: &str| line.split(',').map(cell).collect::<Vec<_>>().join(",") + "\n";
        format!("{head}\n{}", body.lines().map(line).collect::<String>())
    };
    let files = ["0.csv", "1.csv", "2.csv"];
    for (file, from) in files.iter().zip(FILES) {
        place.write(file, tiny(from));
    }
    let outcome = likely(&place, &files, &[], "out");
    assert!(!outcome.stderr.contains("differ much"), "{}", outcome.stderr);
    assert_eq!(summary(&place, "out")["scale"], "zscore");
    let words = [
        &["learn"],
        &files[..],
        &["--method", "likelihood", "--scale", "center", "-o", "no"],
    ]
    .concat();
    let refused = place.run(&words);
    assert!(
        refused.code == 2
            && refused
                .stderr
                .contains("underflow in view `0`: values this small (at most ")
            && refused.stderr.contains(") need `--scale zscore`"),
        "{refused:?}"
    );
}

#[test]
fn a_density_is_looked_for_with_every_coupling() {
    let place = Place::new();
    place.fine(&[
        "simulate",
        "-o",
        "sim",
        "--nodes",
        "40",
        "--views",
        "4",
        "--signals",
        "200",
        "--seed",
        "5",
    ]);
    let files = ["sim/view1.csv", "sim/view2.csv", "sim/view3.csv", "sim/view4.csv"];
    let line = likely(&place, &files, &["--density", "0.3"], "out").stdout;
    assert!(
        line.contains("mean density 0.300") && line.contains(" by AIC among those as dense, relative gap "),
        "{line}"
    );
    assert!(
        place
            .read("out/report.html")
            .contains("that are as dense as was asked for")
    );
    // Beyond the couplings that are usually compared.
    let line = likely(&place, &files, &["--density", "0.36"], "dense").stdout;
    assert!(
        line.contains("mean density 0.3") && line.contains(" by AIC among those as dense"),
        "{line}"
    );
    let refused = |words: &[&str]| {
        let words = [&["learn"], &files[..], &["--method", "likelihood", "-o", "no"], words].concat();
        let outcome = place.run(&words);
        assert_eq!(outcome.code, 4, "{outcome:?}");
        outcome.stderr
    };
    let said = refused(&["--density", "0.6"]);
    assert!(
        said.contains("a weight, however strongly the views are coupled"),
        "{said}"
    );
    let said = refused(&["--density", "0.3", "--beta", "1"]);
    assert!(
        said.contains("a weight at this coupling") && said.contains("ask for the density alone"),
        "{said}"
    );
}

#[test]
fn what_is_not_certified_is_not_said_to_be_chosen() {
    let place = simulated();
    let outcome = likely(&place, &FILES, &["--max-iterations", "0"], "out");
    assert!(
        outcome
            .stdout
            .contains(" (not certified, and so not chosen by AIC), relative gap unknown"),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome
            .stderr
            .contains("stopped at the iteration limit after 0 steps, and nothing certifies"),
        "{}",
        outcome.stderr
    );
    let page = place.read("out/report.html");
    assert!(
        page.contains("None of the 12 fits that were compared is certified") && !page.contains("by Akaike's criterion")
    );
    let outcome = likely(&place, &FILES, &["--max-iterations", "1"], "once");
    assert!(
        outcome
            .stderr
            .contains("after 1 step and 1 more on the edges that were kept"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_tolerance_below_rounding_is_refused() {
    let place = simulated();
    // The criterion chooses among certified fits, and there would be few.
    let words = [
        &["learn"],
        &FILES[..],
        &["--method", "likelihood", "--tol", "1e-16", "-o", "no"],
    ]
    .concat();
    let outcome = place.run(&words);
    let said = "1e-14 or more: a smaller relative gap is rounding";
    assert!(outcome.code == 2 && outcome.stderr.contains(said), "{outcome:?}");
}

#[test]
fn little_memory_is_told_in_units_that_show_it() {
    let place = simulated();
    let words = [
        &["learn"],
        &FILES[..],
        &["--method", "likelihood", "--memory", "0.00005", "-o", "no"],
    ]
    .concat();
    let outcome = place.run(&words);
    assert!(
        outcome.code == 2
            && outcome.stderr.contains("--memory allows 53687 bytes, ")
            && outcome.stderr.contains(" takes about 0.1 MiB: "),
        "{outcome:?}"
    );
}

#[test]
fn of_noise_no_method_is_called_the_best() {
    let place = Place::new();
    let names: Vec<String> = (0..12).map(|k| format!("n{k}")).collect();
    let files = ["a.csv", "b.csv", "c.csv"];
    for (seed, file) in files.iter().enumerate() {
        place.write(file, csv(&names.join(","), 120, seed as u64 + 5));
    }
    let words = [&["tune"], &files[..], &["--methods", "smooth,likelihood"]].concat();
    let outcome = place.fine(&[&words[..], &["-o", "out"]].concat());
    assert!(
        outcome.stderr.contains("warning: W13: nothing beyond chance"),
        "{}",
        outcome.stderr
    );
    let said =
        "out: nothing beyond chance; no method explains samples it has not seen better than independent nodes do, ";
    assert!(outcome.stdout.starts_with(said), "{}", outcome.stdout);
    let told = place.fine(&[&words[..], &["-o", "again", "--json"]].concat()).json();
    assert!(told["best"].is_null() && told["warnings"][0]["code"] == "W13", "{told}");
    let twice = place.run(
        &[
            &["tune"],
            &files[..],
            &["--methods", "smooth,likelihood,smooth", "-o", "no"],
        ]
        .concat(),
    );
    assert!(
        twice.code == 2 && twice.stderr.contains("--methods names `smooth` twice"),
        "{twice:?}"
    );
}

#[test]
fn what_is_wrong_with_a_half_is_not_said_of_the_whole() {
    let place = Place::new();
    // b is a but for the last sample.
    for (seed, file) in ["0.csv", "1.csv"].iter().enumerate() {
        let values = noise(seed as u64 + 3, 12 * 4);
        let row = |k: usize| {
            let mut row = values[4 * k..4 * k + 4].to_vec();
            row[1] = if k == 11 { row[1] } else { row[0] };
            row
        };
        place.write(
            file,
            format!("a,b,c,d\n{}", rows(4, &(0..12).flat_map(row).collect::<Vec<_>>(), ",")),
        );
    }
    likely(&place, &["0.csv", "1.csv"], &[], "out");
    let outcome = place.run(&["stability", "out"]);
    assert!(
        outcome.code == 3
            && outcome
                .stderr
                .contains("E04: in a half of the data, which is learned from on its own, view `")
            && outcome.stderr.contains(
                "hint: learn again without such nodes (`--drop-nodes NAMES` leaves them out), or by another method"
            ),
        "{outcome:?}"
    );
}
