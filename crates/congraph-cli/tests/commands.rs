//! The words of the command line: help, usage errors, where results go, and how loudly.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Stdio};

use crate::place::{self, MODEL, Place, csv};

pub(crate) const COMMANDS: [&str; 15] = [
    "demo",
    "check",
    "learn",
    "tune",
    "stability",
    "merge",
    "simulate",
    "evaluate",
    "communities",
    "compare",
    "project",
    "export",
    "report",
    "eeg",
    "completions",
];

/// Three small views of six nodes.
fn with_views() -> Place {
    let place = Place::new();
    for (seed, name) in [(1, "a.csv"), (2, "b.csv"), (3, "c.csv")] {
        place.write(name, csv("n1,n2,n3,n4,n5,n6", 40, seed));
    }
    place
}

const VIEWS: [&str; 3] = ["a.csv", "b.csv", "c.csv"];

fn learn(place: &Place, args: &[&str]) -> place::Outcome {
    place.run(&[&["learn"], &VIEWS[..], &MODEL, args].concat())
}

#[test]
fn help_of_every_command() {
    let place = Place::new();
    insta::assert_snapshot!("help", place.fine(&["--help"]).stdout);
    for command in COMMANDS {
        let outcome = place.fine(&[command, "--help"]);
        assert!(outcome.stdout.contains("Example"), "{command} has no example");
        assert_eq!(outcome.stderr, "");
        insta::assert_snapshot!(format!("help_{command}"), outcome.stdout);
    }
}

#[test]
fn version() {
    let outcome = Place::new().fine(&["--version"]);
    assert_eq!(outcome.stdout, format!("congraph {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn no_arguments_show_the_help_and_fail() {
    let place = Place::new();
    let outcome = place.run(&[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert_eq!(outcome.stderr, place.fine(&["-h"]).stdout);
}

#[test]
fn usage_errors() {
    let place = with_views();
    let before = place.everything();
    let cases: [(&str, &[&str]); 27] = [
        ("unknown_command", &["lern", "a.csv"]),
        ("unknown_option", &["learn", "a.csv", "--alhpa", "1", "-o", "out"]),
        ("no_files", &["learn", "-o", "out"]),
        (
            "no_output",
            &["learn", "a.csv", "b.csv", "--alpha", "0.1", "--beta", "0.1"],
        ),
        (
            "density_zero",
            &["learn", "a.csv", "b.csv", "--density", "0", "-o", "out"],
        ),
        (
            "similarity_of_single_views",
            &["learn", "a.csv", "--single", "--similarity", "0.7", "-o", "out"],
        ),
        (
            "range_backwards",
            &["tune", "a.csv", "b.csv", "--density", "0.4:0.1", "-o", "out"],
        ),
        (
            "range_half",
            &["tune", "a.csv", "b.csv", "--similarity", "0.4", "-o", "out"],
        ),
        (
            "alpha_negative",
            &["learn", "a.csv", "b.csv", "--alpha", "-1", "--beta", "0.1", "-o", "out"],
        ),
        (
            "alpha_infinite",
            &[
                "learn", "a.csv", "b.csv", "--alpha", "inf", "--beta", "0.1", "-o", "out",
            ],
        ),
        (
            "alpha_tiny",
            &[
                "learn", "a.csv", "b.csv", "--alpha", "1e-320", "--beta", "0.1", "-o", "out",
            ],
        ),
        (
            "alpha_word",
            &[
                "learn", "a.csv", "b.csv", "--alpha", "much", "--beta", "0.1", "-o", "out",
            ],
        ),
        (
            "beta_negative",
            &[
                "learn", "a.csv", "b.csv", "--alpha", "0.1", "--beta", "-0.1", "-o", "out",
            ],
        ),
        (
            "gamma_nan",
            &[
                "learn", "a.csv", "b.csv", "--alpha", "1", "--beta", "1", "--gamma", "nan", "-o", "out",
            ],
        ),
        (
            "tol_nan",
            &[
                "learn", "a.csv", "b.csv", "--alpha", "1", "--beta", "1", "--tol", "NaN", "-o", "out",
            ],
        ),
        ("threads_0", &["check", "a.csv", "--threads", "0"]),
        ("quiet_and_verbose", &["check", "a.csv", "-q", "-v"]),
        ("samples_without_matrices", &["check", "a.csv", "--samples", "40"]),
        ("gram_and_covariance", &["check", "a.csv", "--gram", "--covariance"]),
        ("simulate_one_node", &["simulate", "--nodes", "1", "-o", "out"]),
        ("simulate_negative_noise", &["simulate", "--noise", "-0.5", "-o", "out"]),
        ("simulate_t_of_no_filter", &["simulate", "--filter-t", "2", "-o", "out"]),
        (
            "simulate_short_radius",
            &["simulate", "--graph", "rgg", "--radius", "0.01", "-o", "out"],
        ),
        (
            "simulate_too_many_changed_views",
            &["simulate", "--added", "0.1", "--changed-views", "7", "-o", "out"],
        ),
        (
            "simulate_moved_and_added",
            &["simulate", "--added", "0.1", "--shuffled", "0.2", "-o", "out"],
        ),
        (
            "simulate_changed_views_alone",
            &["simulate", "--changed-views", "2", "-o", "out"],
        ),
        ("evaluate_nothing_to_compare", &["evaluate", "out"]),
    ];
    for (name, args) in cases {
        let outcome = place.run(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{name}: {outcome:?}");
        insta::assert_snapshot!(format!("usage_{name}"), outcome.stderr);
    }
    assert_eq!(place.everything(), before);
}

#[test]
fn a_folder_with_anything_in_it_is_refused_without_force() {
    let place = with_views();
    place
        .write("out/mine.txt", "mine")
        .write("out/tune.tsv", "old")
        .write("out/report.html", "old")
        .write("out/summary.json", "old");
    let before = place.everything();
    let outcome = learn(&place, &["-o", "out"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    insta::assert_snapshot!("folder_not_empty", outcome.stderr);
    assert_eq!(place.everything(), before);

    assert_eq!(learn(&place, &["-o", "out", "--force"]).code, 0);
    let after = place.everything();
    assert_eq!(after["out/mine.txt"], b"mine");
    assert!(!after.contains_key("out/tune.tsv"), "a stale result of ours");
    assert!(place.read("out/report.html").starts_with("<!doctype html>"));
    assert!(place.read("out/summary.json").contains("congraph.summary/1"));
    assert!(after.keys().all(|name| !name.contains("/.") && !name.starts_with('.')));
}

#[test]
fn a_file_in_the_way_is_refused() {
    let place = with_views();
    let before = place.everything();
    for out in ["a.csv", "a.csv/out"] {
        let outcome = learn(&place, &["-o", out, "--force"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
        insta::assert_snapshot!(format!("folder_is_a_file_{}", out.len()), outcome.stderr);
    }
    assert_eq!(place.everything(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_cannot_be_written_is_told_before_any_work() {
    let outcome = learn(&with_views(), &["-o", "/proc/congraph/out"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (7, ""));
    insta::assert_snapshot!("folder_cannot_be_written", outcome.stderr);
}

#[test]
fn the_output_may_be_the_folder_one_stands_in() {
    let place = with_views();
    std::fs::create_dir(place.path("here")).unwrap();
    let files = ["../a.csv", "../b.csv", "../c.csv"];
    let args = [&["learn"], &files[..], &MODEL, &["-o", "."]].concat();
    let run = || {
        place
            .command(&args)
            .current_dir(place.path("here"))
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(run(), Some(0));
    assert!(place.path("here/summary.json").exists());
    assert_eq!(run(), Some(2));
}

#[test]
fn json_is_one_object_with_the_agreed_keys() {
    let place = with_views();
    let outcome = learn(&place, &["-o", "out", "--json"]);
    assert_eq!(outcome.stdout.lines().count(), 1);
    let summary = outcome.json();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&summary),
        "schema n_nodes n_views penalty regulariser solver alpha beta gamma scale sample_norm distance_norm \
         distance_divisor tolerance objective dual_objective relative_gap converged iterations density similarity \
         chance seconds warnings candidates edge_costs run node_names files"
    );
    assert_eq!(keys(&summary["density"]), "target views consensus");
    assert_eq!(keys(&summary["similarity"]), "target value floor");
    assert_eq!(keys(&summary["seconds"]), "distances solve total");
    assert_eq!(summary["schema"], "congraph.summary/1");
    assert_eq!(summary["converged"], true);
    assert!(summary["relative_gap"].as_f64().unwrap() <= 1e-8);
    let written: serde_json::Value = serde_json::from_str(&place.read("out/summary.json")).unwrap();
    assert_eq!(written, summary);
    for warning in summary["warnings"].as_array().unwrap() {
        assert_eq!(keys(warning), "code view message");
    }
}

#[test]
fn the_result_line_is_one_and_the_rest_is_quiet() {
    let place = with_views();
    // A beta at which the views differ, and an alpha at which nodes are on their own: a warning.
    let args = ["learn", "a.csv", "b.csv", "--alpha", "1e-4", "--beta", "1e-3", "-o"];
    let loud = place.fine(&[&args[..], &["one"]].concat());
    assert_eq!(loud.stdout.lines().count(), 1);
    assert!(loud.stderr.contains("warning: W07"), "{loud:?}");
    let quiet = place.fine(&[&args[..], &["two", "--quiet"]].concat());
    assert_eq!(quiet.stderr, "");
    assert_eq!(quiet.stdout.lines().count(), 1);
    let (line, gap) = loud.stdout.split_once("relative gap ").unwrap();
    let unasked = " s; how sure each edge is has not been asked: congraph stability one\n";
    assert!(gap.contains("(converged), ") && gap.ends_with(unasked), "{gap}");
    insta::assert_snapshot!("result_line", line);
    assert!(
        place
            .fine(&[&args[..], &["three", "-v"]].concat())
            .stderr
            .starts_with("read 2 views of 6 nodes")
    );
}

#[test]
fn not_converged() {
    let place = with_views();
    let before = place.everything();
    let args = ["--solver", "admm", "--max-iterations", "1", "-o", "new/out"];
    let outcome = learn(&place, &[&args[..], &["--strict"]].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (5, ""));
    let said = |stderr: &str| -> String {
        let hide = |word: &str| {
            if word.contains("e-") || word.contains("e0") {
                "GAP".to_owned()
            } else {
                word.to_owned()
            }
        };
        stderr
            .lines()
            .map(|line| line.split(' ').map(hide).collect::<Vec<_>>().join(" ") + "\n")
            .collect()
    };
    insta::assert_snapshot!("strict", said(&outcome.stderr));
    assert_eq!(place.everything(), before);

    let outcome = learn(&place, &[&args[..], &["--json"]].concat());
    assert_eq!(outcome.code, 0);
    insta::assert_snapshot!("not_strict", said(&outcome.stderr));
    assert_eq!(outcome.json()["converged"], false);
    assert!(
        outcome.json()["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|warning| warning["code"] == "W01")
    );
    assert!(place.path("new/out/summary.json").exists());

    assert_eq!(
        learn(&place, &["--max-iterations", "1", "--strict", "-o", "newton"]).code,
        5
    );
    assert!(!place.path("newton").exists());
}

#[test]
fn single_learns_views_without_a_consensus() {
    let place = with_views();
    let outcome = place.fine(&[
        "learn", "a.csv", "b.csv", "--single", "--alpha", "0.02", "-o", "out", "--json",
    ]);
    let summary = outcome.json();
    assert_eq!((&summary["penalty"], &summary["beta"]), (&"none".into(), &0.0.into()));
    assert!(summary["density"]["consensus"].is_null());
    assert!(
        place
            .read("out/edges.tsv")
            .lines()
            .skip(1)
            .all(|line| line.split('\t').nth(2) == Some(""))
    );
    // What one view learns on its own does not depend on the others.
    place.fine(&[
        "learn",
        "b.csv",
        "--single",
        "--alpha",
        "0.02",
        "--distance-norm",
        "none",
        "-o",
        "alone",
    ]);
    let args = [
        "--single",
        "--alpha",
        "0.02",
        "--distance-norm",
        "none",
        "--tol",
        "1e-13",
        "-o",
        "both",
    ];
    place.fine(&[&["learn", "a.csv", "b.csv"], &args[..]].concat());
    let weights = |folder: &str| -> Vec<(String, f64)> {
        let text = place.read(&format!("{folder}/edges_long.tsv"));
        let rows = text
            .lines()
            .filter_map(|line| line.strip_prefix("b\t"))
            .map(|line| line.rsplit_once('\t').unwrap());
        rows.map(|(edge, weight)| (edge.to_owned(), weight.parse().unwrap()))
            .collect()
    };
    for ((edge, weight), (other, same)) in weights("alone").iter().zip(weights("both")) {
        assert_eq!(*edge, other);
        assert!((weight - same).abs() < 1e-6, "{edge}: {weight} {same}");
    }
}

#[test]
fn every_penalty_with_every_solver() {
    let place = with_views();
    for penalty in ["l1", "l2", "squared-l2"] {
        let mut objectives = Vec::new();
        for solver in ["newton", "admm"] {
            let out = format!("{penalty}-{solver}");
            let args = [
                "--penalty",
                penalty,
                "--solver",
                solver,
                "--gamma",
                "0.001",
                "-o",
                &out,
                "--json",
                "--strict",
            ];
            let outcome = learn(&place, &args);
            assert_eq!(outcome.code, 0, "{penalty} {solver}: {outcome:?}");
            let summary = outcome.json();
            assert_eq!(
                (&summary["penalty"], &summary["solver"]),
                (&penalty.into(), &solver.into())
            );
            objectives.push(summary["objective"].as_f64().unwrap());
        }
        assert!(
            (objectives[0] - objectives[1]).abs() <= 2e-8 * objectives[0].abs().max(1.0),
            "{penalty}: {objectives:?}"
        );
    }
    for args in [["--z-step", "bcd"], ["--regulariser", "none"]] {
        let outcome = learn(&place, &[&args[..], &["--solver", "admm", "-o", args[1]]].concat());
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
}

#[test]
fn completions_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.fine(&["completions", shell]).stdout;
        for word in COMMANDS.into_iter().chain(["alpha", "penalty"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn no_colours_without_a_terminal() {
    let place = with_views();
    for colour in [None, Some("1")] {
        for args in [
            &["--help"][..],
            &["learn", "no.csv", "-o", "x", "--alpha", "1", "--beta", "1"],
            &["lern"],
            &["check", "a.csv"],
        ] {
            let mut command = place.command(args);
            command.envs(colour.map(|value| ("NO_COLOR", value)));
            let output = command.output().unwrap();
            assert!(
                !output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b),
                "{args:?}"
            );
        }
    }
}

#[test]
fn check_shows_a_row_per_view() {
    let place = with_views();
    place.write("short.csv", csv("n1,n2,n3,n4,n5,n6", 7, 9));
    let outcome = place.fine(&["check", "a.csv", "b.csv", "short.csv"]);
    insta::assert_snapshot!("check", format!("{}---\n{}", outcome.stdout, outcome.stderr));
    let report = place.fine(&["check", "a.csv", "b.csv", "short.csv", "--json"]).json();
    assert_eq!(
        (&report["ok"], &report["schema"]),
        (&true.into(), &"congraph.check/1".into())
    );
    assert_eq!(report["views"][2]["n_samples"], 7);
    assert_eq!(report["warnings"][0]["code"], "W05");
}

/// What the binary says on stderr and its code when stdout, or both, go to a pipe that nobody reads.
#[cfg(unix)]
fn unread(place: &Place, args: &[&str], stderr_too: bool) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("congraph"));
    command
        .current_dir(place.path(""))
        .args(args)
        .stdin(Stdio::null())
        .stdout(writer.try_clone().unwrap());
    command.stderr(if stderr_too {
        Stdio::from(writer)
    } else {
        Stdio::piped()
    });
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn simulated_weights_are_in_the_truth() {
    let place = with_views();
    let size = [
        "simulate",
        "--nodes",
        "12",
        "--edge-probability",
        "0.4",
        "--views",
        "2",
        "--signals",
        "9",
    ];
    let words = |more: &[&'static str]| [&size, more].concat();
    place.fine(&words(&["--weights", "0.5:2", "-o", "sim"]));
    assert!(place.read("sim/simulation.json").contains("weights"));
    place.fine(&words(&["-o", "plain"]));
    assert!(!place.read("plain/simulation.json").contains("weights"));
    assert_ne!(place.read("sim/truth/edges.tsv"), place.read("plain/truth/edges.tsv"));
    for wrong in ["2:1", "0:1", "1", "a:b"] {
        assert_eq!(place.run(&words(&["--weights", wrong, "-o", "no"])).code, 2, "{wrong}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_bug() {
    let place = with_views();
    let learn = [&["learn"], &VIEWS[..], &MODEL, &["-o", "out", "-q"]].concat();
    for (args, code) in [
        (&["check", "a.csv", "b.csv", "--quiet"][..], 0),
        (&learn, 0),
        (&["completions", "bash"], 0),
        (&["--help"], 0),
        (
            &[
                "simulate",
                "--nodes",
                "5",
                "--views",
                "2",
                "--signals",
                "9",
                "-o",
                "sim",
            ],
            0,
        ),
        (&["evaluate", "sim/truth", "--truth", "sim/truth"], 0),
        (&["check", "a.csv", "--json", "--quiet"], 0),
    ] {
        assert_eq!(unread(&place, args, false), (Some(code), String::new()), "{args:?}");
    }
    assert_eq!(unread(&place, &["check", "no.csv"], true).0, Some(3));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_told() {
    let place = with_views();
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = Command::new(assert_cmd::cargo::cargo_bin!("congraph"))
        .current_dir(place.path(""))
        .args(["check", "a.csv"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(7));
    insta::assert_snapshot!("stdout_full", String::from_utf8(output.stderr).unwrap());
}

#[test]
fn noise_is_called_noise_everywhere() {
    let place = Place::new();
    let nodes: Vec<String> = (0..10).map(|k| format!("e{k}")).collect();
    let names: Vec<String> = (1..=6).map(|view| format!("v{view}.csv")).collect();
    for (seed, name) in names.iter().enumerate() {
        place.write(name, csv(&nodes.join(","), 300, 11 + seed as u64));
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let commands: [&[&str]; 3] = [
        &["learn", "-o", "noise"],
        &["learn", "--alpha", "0.05", "--beta", "0.02", "-o", "noise", "--force"],
        &[
            "tune",
            "--density",
            "0.1:0.2",
            "--similarity",
            "0.8:0.9",
            "--halvings",
            "1",
            "-o",
            "noise",
            "--force",
        ],
    ];
    for words in commands {
        let outcome = place.fine(&[words, &files].concat());
        assert!(
            outcome.stdout.starts_with("noise: nothing beyond chance; "),
            "{}",
            outcome.stdout
        );
        // The similarity never stands without its floor.
        assert!(
            outcome.stdout.contains(" when learned separately"),
            "{}",
            outcome.stdout
        );
        assert!(
            outcome.stderr.contains("warning: W13: nothing beyond chance"),
            "{}",
            outcome.stderr
        );
        let summary: serde_json::Value = serde_json::from_str(&place.read("noise/summary.json")).unwrap();
        assert_eq!(summary["warnings"][0]["code"], "W13");
        assert!(summary["similarity"]["floor"].as_f64().unwrap() < 0.5);
        assert!(summary["chance"]["correlations"].as_f64().unwrap() < 4.0);
        let report = place.read("noise/report.html");
        let (_, headline) = report.split_once("<h1>").unwrap();
        assert!(headline.starts_with("<span>Nothing in these data goes beyond chance"));
        assert!(report.contains("if learned separately"));
    }
    let joint = [
        &[
            "learn",
            "--method",
            "jgl-fused",
            "--lambda1",
            "0.1",
            "--lambda2",
            "0.1",
            "-o",
            "jgl",
        ],
        &files[..],
    ]
    .concat();
    let outcome = place.fine(&joint);
    assert!(
        outcome.stdout.starts_with("jgl: nothing beyond chance; "),
        "{}",
        outcome.stdout
    );
}

#[test]
fn what_is_said_of_many_views_is_one_entry() {
    let place = Place::new();
    let names: Vec<String> = (1..=12).map(|year| format!("year{year:02}.csv")).collect();
    for (seed, name) in names.iter().enumerate() {
        place.write(name, csv("a,b,c,d,e", 12 + seed % 3, 40 + seed as u64));
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let outcome = place.fine(&[&["learn", "-o", "years"], &files[..]].concat());
    let lines: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("W05")).collect();
    assert_eq!(lines.len(), 1, "{}", outcome.stderr);
    assert!(lines[0].contains("each of 12 views (`year01`, "), "{}", lines[0]);
    assert!(lines[0].contains("only 12 to 14 samples"), "{}", lines[0]);
    let summary: serde_json::Value = serde_json::from_str(&place.read("years/summary.json")).unwrap();
    let entries: Vec<&serde_json::Value> = summary["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["code"] == "W05")
        .collect();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["views"].as_array().unwrap().len(), 12);
}

#[test]
fn components_of_a_density_that_was_chosen_are_no_surprise() {
    // Two groups of nodes that have nothing to do with each other.
    let place = Place::new();
    let names: Vec<String> = (0..20).map(|k| format!("n{k:02}")).collect();
    for (name, seed) in [("a.csv", 3), ("b.csv", 5)] {
        let (one, two) = (place::noise(seed, 200), place::noise(seed + 1, 200));
        let own = place::noise(seed + 2, 4000);
        let value = |at: usize| if at % 20 < 10 { one[at / 20] } else { two[at / 20] } + 0.3 * own[at];
        let values: Vec<f64> = (0..4000).map(value).collect();
        place.write(name, format!("{}\n{}", names.join(","), place::rows(20, &values, ",")));
    }
    let told = |words: &[&str]| {
        let outcome = place.fine(&[&["learn", "a.csv", "b.csv", "-o", "two", "--force"], words].concat());
        outcome.stderr.contains("W07: the consensus has 2 components;")
    };
    assert!(told(&[]));
    assert!(!told(&["--density", "0.2"]));
    // An isolated node is told of whoever chose the density.
    let outcome = place.fine(&["learn", "a.csv", "b.csv", "--density", "0.03", "-o", "few"]);
    assert!(outcome.stderr.contains("isolated node"), "{}", outcome.stderr);
}

#[test]
fn where_chance_cannot_be_judged_that_is_told() {
    let place = Place::new();
    for (name, shift) in [("a.csv", 0.0), ("b.csv", 0.05)] {
        let r = 0.3 + shift;
        place.write(name, format!("x,y,z\n1,{r},0.1\n{r},1,0.2\n0.1,0.2,1\n"));
    }
    let told = "W05: whether anything here goes beyond chance is not known";
    let learn = |words: &[&str]| place.learn(&[&["a.csv", "b.csv", "--covariance", "--force"], words].concat(), "out");
    assert!(learn(&[]).stderr.contains(told));
    assert!(!learn(&["--samples", "100"]).stderr.contains(told));
}

#[test]
fn a_usual_density_that_is_missed_is_told() {
    let place = Place::new();
    let names: Vec<String> = (0..12).map(|k| format!("n{k}")).collect();
    for seed in 0..3_u64 {
        place.write(&format!("{seed}.csv"), csv(&names.join(","), 2, seed + 1));
        place.write(&format!("many{seed}.csv"), csv(&names.join(","), 100, seed + 1));
    }
    let said = "note: the usual density of 0.150 cannot be reached on these data; the graphs have 0.";
    let outcome = place.fine(&["learn", "0.csv", "1.csv", "2.csv", "-o", "few"]);
    assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    let outcome = place.fine(&["learn", "many0.csv", "many1.csv", "many2.csv", "-o", "many"]);
    assert!(!outcome.stderr.contains("usual density"), "{}", outcome.stderr);
}
