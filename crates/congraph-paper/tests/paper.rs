//! `congraph-paper` in small: its files, its checkpoint, and the same bytes for any number of threads.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

mod place;

use place::Place;

const SMALL: [&str; 5] = ["--quick", "--realisations", "1", "--nodes", "30"];

fn words<'a>(studies: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [studies, &SMALL, more].concat()
}

#[test]
fn help() {
    insta::assert_snapshot!("help", Place::new().fine(&["--help"]).stdout);
}

#[test]
fn figures_tables_and_claims() {
    let place = Place::new();
    let out = place.fine(&words(&["views", "consensus"], &["--json", "-o", "out"]));
    let claims = out.json()["claims"].as_array().unwrap().clone();
    assert!(claims.iter().any(|claim| claim["id"] == "V2"));
    let table = place.read("out/claims.tsv");
    assert_eq!(table.lines().count(), claims.len() + 1);
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        assert!(["holds", "does not hold"].contains(&cells[3]), "{line}");
        assert!(cells[4].contains("ER over "), "{line}");
    }
    // Nine levels in three panels of each family; every method has one realisation and a mean at each.
    for (file, methods) in [("views", 7), ("consensus", 6)] {
        let csv = place.read(&format!("out/{file}.csv"));
        assert_eq!(csv.lines().count(), 1 + 2 * 9 * methods * 2, "{file}");
        let n_cells = csv.lines().next().unwrap().split(',').count();
        assert!(csv.lines().all(|line| line.split(',').count() == n_cells), "{file}");
        for line in csv.lines().skip(1) {
            let f1: f64 = line.split(',').nth(6).unwrap().parse().unwrap();
            assert!((0.0..=1.0).contains(&f1), "{line}");
        }
        let svg = place.read(&format!("out/{file}.svg"));
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    }
    assert!(place.read("out/summary.md").contains("--nodes 30"));
    assert!(!place.path("out/runtime.csv").exists());

    // The same with one thread, and with the paper's objective something else.
    place.fine(&words(&["views", "consensus"], &["--threads", "1", "-o", "one"]));
    for file in ["views.csv", "consensus.csv", "views.svg", "consensus.svg", "claims.tsv"] {
        assert_eq!(
            place.read(&format!("out/{file}")),
            place.read(&format!("one/{file}")),
            "{file}"
        );
    }
    place.fine(&words(&["consensus"], &["--raw", "-o", "raw"]));
    assert_ne!(place.read("out/consensus.csv"), place.read("raw/consensus.csv"));
}

#[test]
#[cfg(unix)]
fn an_interrupted_study_goes_on_and_ends_the_same() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = Place::new();
    place.fine(&words(&["consensus"], &["-o", "whole"]));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("congraph-paper"))
        .current_dir(place.path(""))
        .args(words(&["consensus"], &["-o", "out"]))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let kept = place.path("out.paper-checkpoint.json");
    let asked = Instant::now();
    while !kept.exists() && asked.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let said = {
        use std::io::Read;
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    };
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("--resume"), "{said}");
    assert!(!place.path("out").exists());

    // Other options are not gone on with.
    let other = place.run(&words(&["consensus"], &["--seed", "2", "-o", "out", "--resume"]));
    assert_eq!(other.code, 2);
    let resumed = place.fine(&words(&["consensus"], &["-o", "out", "--resume"]));
    assert!(resumed.stderr.contains("resuming after"), "{}", resumed.stderr);
    for file in ["consensus.csv", "claims.tsv", "consensus.svg"] {
        assert_eq!(
            place.read(&format!("out/{file}")),
            place.read(&format!("whole/{file}")),
            "{file}"
        );
    }
    assert!(!kept.exists());
}

#[test]
fn run_times_of_every_method_and_solver() {
    let place = Place::new();
    let args = [
        "runtime",
        "--quick",
        "--realisations",
        "1",
        "--nodes",
        "60",
        "-o",
        "out",
    ];
    place.fine(&args);
    let csv = place.read("out/runtime.csv");
    // Three levels in two panels, seven lines, one realisation and a mean.
    assert_eq!(csv.lines().count(), 1 + 6 * 7 * 2);
    for line in csv.lines().skip(1).filter(|line| !line.contains(",mean,")) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(cells[5].parse::<f64>().unwrap() > 0.0);
        assert!(cells[9].parse::<f64>().unwrap() <= 1e-6, "{line}");
    }
    let claims = place.read("out/claims.tsv");
    assert!(claims.contains("R5a") && claims.contains("R8n"));
}

#[test]
fn models_are_compared_and_a_second_run_goes_on_where_the_first_ended() {
    let place = Place::new();
    let small = ["models", "--quick", "--nodes", "30"];
    let words = |more: &[&'static str]| [&small, more].concat();
    let out = place.fine(&words(&["--seeds", "2", "--json", "-o", "two"]));
    let claims = out.json()["claims"].as_array().unwrap().clone();
    assert_eq!(claims[0]["id"], "M1");
    assert!(
        claims
            .iter()
            .all(|claim| claim["numbers"].as_str().unwrap().contains(" of 4; "))
    );
    let scores = place.read("two/scores.tsv");
    // Five settings, two seeds, eight methods.
    assert_eq!(scores.lines().count(), 1 + 5 * 2 * 8);
    for rows in scores.lines().skip(1).collect::<Vec<_>>().chunks(8) {
        let of = |method: &str, column: usize| -> f64 {
            let row = rows
                .iter()
                .map(|row| row.split('\t').collect::<Vec<_>>())
                .find(|row| row[2] == method);
            row.unwrap()[column].parse().unwrap()
        };
        // With a threshold, none is worse than without one; and an oracle knows better than the likelihood alone.
        for (plain, above) in [("smooth", "smooth+thr"), ("JGL-negative", "JGL-negative+thr")] {
            assert!(of(above, 3) >= of(plain, 3), "{rows:?}");
        }
        assert!(of("likelihood+oracle", 3) >= of("likelihood", 3) - 0.05, "{rows:?}");
        assert!(of("likelihood", 3) > 0.3, "{rows:?}");
    }
    assert!(place.read("two/models.md").contains("| heat-500 | 2 |"));
    assert_eq!(place.read("two/means.tsv").lines().count(), 1 + 5 * 8 * 2);

    // One seed with one thread, then the other: the same rows.
    place.fine(&words(&["--seeds", "1", "--threads", "1", "-o", "one"]));
    assert_ne!(place.read("one/scores.tsv"), scores);
    let resumed = place.fine(&words(&["--seeds", "2", "-o", "one", "--resume"]));
    assert!(
        resumed.stderr.contains("resuming after 5 data sets"),
        "{}",
        resumed.stderr
    );
    for file in ["scores.tsv", "means.tsv", "models.md", "claims.tsv"] {
        assert_eq!(
            place.read(&format!("one/{file}")),
            place.read(&format!("two/{file}")),
            "{file}"
        );
    }
    assert!(!place.path("one.models-checkpoint.tsv").exists());

    // What an interrupted run left is not overwritten unasked.
    place.write("new.models-checkpoint.tsv", "half a li");
    assert_eq!(place.run(&words(&["-o", "new"])).code, 2);
    assert_eq!(place.run(&["models", "views", "-o", "new"]).code, 2);
    assert_eq!(place.run(&words(&["--settings", "main,cold", "-o", "new"])).code, 2);
}

#[test]
fn a_study_must_be_named() {
    let place = Place::new();
    assert_eq!(place.run(&["-o", "out"]).code, 2);
    assert_eq!(place.run(&["views", "--nodes", "5", "-o", "out"]).code, 2);
}

/// Epochs of three subjects that share a graph: a smooth wave over twelve electrodes, and noise.
fn epochs() -> Vec<u8> {
    let labels = [
        "Fc5.", "Fc1.", "Fc2.", "Fc6.", "C3..", "Cz..", "C4..", "Pz..", "O1..", "O2..", "F3..", "F4..", "EOG",
    ];
    let (n_trials, n_times) = (34, 60);
    let subject = |seed: u64| {
        let noise = place::noise(seed, n_trials * labels.len() * n_times);
        let value = |(k, noise): (usize, &f64)| {
            let (time, channel, trial) = (k % n_times, k / n_times % labels.len(), k / n_times / labels.len());
            let phase = 0.35 * time as f64 + 0.5 * channel as f64 + 0.9 * trial as f64;
            1000.0 * (phase.sin() + 1.5 * noise)
        };
        place::npy(
            &[n_trials, labels.len(), n_times],
            &noise.iter().enumerate().map(value).collect::<Vec<_>>(),
        )
    };
    let mut arrays: Vec<(&str, Vec<u8>)> = vec![
        ("ch_names", place::npy_names(&labels.map(str::to_owned))),
        ("sfreq", place::npy(&[], &[100.0])),
        ("tmin", place::npy(&[], &[-0.2])),
    ];
    arrays.extend([("a", 1), ("b", 2), ("c", 3)].map(|(name, seed)| (name, subject(seed))));
    place::npz(&arrays)
}

#[test]
fn the_studies_on_eeg() {
    let place = Place::new();
    place.write("some/made_nV.npz", epochs());
    let studies = ["eeg-recovery", "eeg-smoothness", "eeg-communities"];
    let run = |more: &[&str]| place.fine(&[&studies[..], &["--quick", "--data", "some"], more].concat());
    let claims = run(&["--json", "-o", "out"]).json()["claims"]
        .as_array()
        .unwrap()
        .clone();
    let ids: Vec<&str> = claims.iter().map(|claim| claim["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9"]);
    // Two truths, three shares, three graphs, three subjects and their mean.
    assert_eq!(place.read("out/eeg-recovery.csv").lines().count(), 1 + 2 * 3 * 3 * 4);
    // Three densities, two methods, five folds, three subjects and their mean.
    assert_eq!(place.read("out/eeg-smoothness.csv").lines().count(), 1 + 3 * 2 * 9);
    assert_eq!(place.read("out/eeg-communities.csv").lines().count(), 13);
    assert_eq!(place.read("out/eeg-consistency.csv").lines().count(), 5);
    for file in ["eeg-recovery", "eeg-smoothness", "eeg-communities", "eeg-consistency"] {
        let csv = place.read(&format!("out/{file}.csv"));
        let n_cells = csv.lines().next().unwrap().split(',').count();
        assert!(csv.lines().all(|line| line.split(',').count() == n_cells), "{file}");
        assert!(!csv.contains("NaN") && !csv.contains("inf"), "{file}");
    }
    let svg = place.read("out/eeg-communities.svg");
    assert!(svg.contains(">Cz<") && !svg.contains("EOG") && !svg.contains("NaN") && svg.trim_end().ends_with("</svg>"));
    let summary = place.read("out/summary.md");
    assert!(
        summary.contains("`made_nV.npz`") && summary.contains("3 subjects, 12 electrodes, 100 Hz"),
        "{summary}"
    );
    // The same with one thread; without CSD something else.
    run(&["--threads", "1", "-o", "one"]);
    run(&["--no-csd", "-o", "average"]);
    for file in [
        "eeg-recovery.csv",
        "eeg-smoothness.csv",
        "eeg-communities.svg",
        "claims.tsv",
    ] {
        let of = |out: &str| place.read(&format!("{out}/{file}"));
        assert_eq!(of("out"), of("one"), "{file}");
        assert_ne!(of("out"), of("average"), "{file}");
    }
}

#[test]
fn what_the_studies_on_eeg_need_is_told() {
    let place = Place::new();
    place
        .write("two/a.npz", epochs())
        .write("two/b.npz", epochs())
        .write("none/a.txt", "");
    let names = place::npy_names(&["Cz".to_owned(), "Pz".to_owned()]);
    place.write(
        "rateless.npz",
        place::npz(&[("ch_names", names.clone()), ("a", place::npy(&[1, 2, 3], &[0.0; 6]))]),
    );
    let rate = place::npy(&[], &[100.0]);
    let few = [
        ("ch_names", names),
        ("sfreq", rate),
        ("a", place::npy(&[3, 2, 100], &[0.0; 600])),
    ];
    place.write("few.npz", place::npz(&few));
    let before = place.everything();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["eeg-recovery"], 2, "need epochs"),
        (&["views", "--data", "few.npz"], 2, "none is asked for"),
        (&["eeg-recovery", "--data", "two"], 2, "`two/a.npz` and `two/b.npz`"),
        (&["eeg-recovery", "--data", "none"], 2, "holds no .npz"),
        (&["eeg-recovery", "--data", "nowhere.npz"], 3, "there is no such file"),
        (
            &["eeg-recovery", "--data", "rateless.npz"],
            3,
            "no sampling rate (`sfreq`); it holds",
        ),
        (&["eeg-recovery", "--data", "few.npz"], 2, "four electrodes"),
    ];
    for (words, code, said) in cases {
        let outcome = place.run(&[words, &["-o", "out"]].concat());
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (code, ""),
            "{words:?}: {outcome:?}"
        );
        assert!(outcome.stderr.contains(said), "{words:?}: {}", outcome.stderr);
    }
    assert_eq!(place.everything(), before);
}
