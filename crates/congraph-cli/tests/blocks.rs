//! Blocks of a series: by number, by duration, and what is said where they cannot be made.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use crate::place::Place;

/// Three views of 60 samples, with a day, a second and a block of ten (or of what a clock says) beside each.
fn series() -> Place {
    let place = Place::new();
    place.fine(&[
        "simulate",
        "--nodes",
        "10",
        "--views",
        "3",
        "--signals",
        "60",
        "-o",
        "sim",
    ]);
    for view in 1..=3 {
        let text = place.read(&format!("sim/view{view}.csv"));
        let mut lines = text.lines();
        let mut out = format!("day,second,part,{}\n", lines.next().unwrap());
        for (k, line) in lines.enumerate() {
            // Ten days of February and March 2024 to a block; the leap day is one of them.
            let (month, day) = if k < 29 { (2, k + 1) } else { (3, k - 28) };
            let (month, day) = if day > 31 { (4, day - 31) } else { (month, day) };
            let second = k as f64 / 10.0;
            writeln!(out, "2024-{month:02}-{day:02},{second},{},{line}", k / 10).unwrap();
        }
        place.write(&format!("data/view{view}.csv"), out);
    }
    place
}

const FILES: [&str; 3] = ["data/view1.csv", "data/view2.csv", "data/view3.csv"];

/// What `stability` adds for a fit that was told its blocks with these words.
fn added(place: &Place, out: &str, learn: &[&str], stability: &[&str]) -> (String, String) {
    place.learn(&[&FILES[..], learn].concat(), out);
    let told = place.fine(&[&["stability", out, "--pairs", "4"], stability].concat());
    assert!(told.stdout.contains("blocks halved"), "{}", told.stdout);
    (
        place.read(&format!("{out}/edges.tsv")),
        place.read(&format!("{out}/edges_long.tsv")),
    )
}

#[test]
fn by_number_duration_and_column_they_are_the_same_blocks() {
    let place = series();
    let without = ["--ignore-columns", "day,second,part"];
    let named = added(
        &place,
        "named",
        &["--ignore-columns", "day,second", "--block-column", "part"],
        &[],
    );
    let of_days = ["--ignore-columns", "second,part", "--time-column", "day"];
    let of_seconds = ["--ignore-columns", "day,part", "--time-column", "second"];
    let ways: [(&[&str], &[&str], &[&str]); 7] = [
        (&without, &["--blocks", "6"], &[]),
        (&of_days, &["--blocks", "10d"], &[]),
        (&of_seconds, &["--blocks", "1s"], &[]),
        (&of_seconds, &["--blocks", "1000ms"], &[]),
        (&without, &["--blocks", "1s", "--rate", "10"], &[]),
        // Told to `stability` alone, or instead of others.
        (&without, &[], &["--blocks", "6"]),
        (&of_days, &["--blocks", "2d"], &["--blocks", "1s", "--rate", "10"]),
    ];
    for (k, (columns, learn, stability)) in ways.iter().enumerate() {
        let found = added(&place, &format!("way{k}"), &[*columns, *learn].concat(), stability);
        assert_eq!(found, named, "{learn:?} {stability:?}");
    }
    let other = added(&place, "other", &[&without[..], &["--blocks", "15"]].concat(), &[]);
    assert_ne!(other, named, "other blocks are other halves");
    let days = ["--blocks", "10d", "--time-column", "day", "--force"];
    place.fine(&[&["stability", "way5", "--pairs", "4"], &days[..]].concat());
    assert_eq!(place.read("way5/edges.tsv"), named.0);
}

#[test]
fn tune_halves_blocks() {
    let place = series();
    let tune = |columns: &[&str], out: &str| {
        let asked = [
            "--halvings",
            "2",
            "--density",
            "0.1:0.2",
            "--similarity",
            "0.7:0.9",
            "-o",
            out,
        ];
        place.fine(&[&["tune"], &FILES[..], columns, &asked].concat());
        // All columns but the time that each cell took.
        let text = place.read(&format!("{out}/tune.tsv"));
        let seconds = text
            .lines()
            .next()
            .unwrap()
            .split('\t')
            .position(|name| name == "seconds");
        let row = |line: &str| -> Vec<String> {
            let cells = line.split('\t').enumerate().filter(|(k, _)| Some(*k) != seconds);
            cells.map(|(_, cell)| cell.to_owned()).collect()
        };
        text.lines().map(row).collect::<Vec<_>>()
    };
    let named = tune(&["--ignore-columns", "day,second", "--block-column", "part"], "named");
    let counted = tune(&["--ignore-columns", "day,second,part", "--blocks", "6"], "counted");
    assert_eq!(counted, named);
    assert_ne!(tune(&["--ignore-columns", "day,second,part"], "bare"), named);
}

#[test]
fn nodes_in_rows_and_arrays_are_cut_by_number_and_rate() {
    let place = series();
    let rows = place.read("sim/view1.csv");
    let rows: Vec<Vec<&str>> = rows.lines().map(|line| line.split(',').collect()).collect();
    for view in 1..=3 {
        let text = place.read(&format!("sim/view{view}.csv"));
        let cells: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let turned: Vec<String> = (0..rows[0].len())
            .map(|node| cells.iter().map(|row| row[node]).collect::<Vec<_>>().join(","))
            .collect();
        place.write(&format!("turned/view{view}.csv"), turned.join("\n"));
    }
    let files = ["turned/view1.csv", "turned/view2.csv", "turned/view3.csv"];
    let turned = [
        "--orient",
        "nodes-by-samples",
        "--header",
        "no",
        "--blocks",
        "1s",
        "--rate",
        "10",
    ];
    place.learn(&[&files[..], &turned].concat(), "turned/out");
    place.fine(&["stability", "turned/out", "--pairs", "4"]);
    let straight = added(
        &place,
        "straight",
        &["--ignore-columns", "day,second,part", "--blocks", "6"],
        &[],
    );
    assert_eq!(place.read("turned/out/edges.tsv"), straight.0);
}

#[test]
fn nonsense_is_told_and_nothing_is_written() {
    let place = series();
    place.write("bad.csv", "time,a,b,c\n0,1,2,3\nnoon,2,1,5\n2,3,4,1\n3,0,1,1\n");
    place.learn(
        &[
            &FILES[..],
            &["--ignore-columns", "day,second", "--block-column", "part"],
        ]
        .concat(),
        "fit",
    );
    let before = place.everything();
    let words = "the number of blocks of each view is needed, 2 or more, such as 20; or how long a block lasts";
    let sim = ["sim/view1.csv", "sim/view2.csv"];
    let cases: [(&[&str], i32, &str); 14] = [
        (&["--blocks", "many"], 2, words),
        (&["--blocks", "1"], 2, words),
        (&["--blocks", "-3"], 2, words),
        (&["--blocks", "2.5"], 2, words),
        (&["--blocks", "0s"], 2, words),
        (&["--blocks", "3 fortnights"], 2, words),
        (
            &["--blocks", "61"],
            3,
            "view `view1` has 60 samples, and 61 blocks are asked for",
        ),
        (&["--blocks", "2s"], 2, "add `--time-column COLUMN` or `--rate HZ`"),
        (&["--blocks", "1h", "--rate", "10"], 3, "all of its samples are in one"),
        (
            &["--blocks", "2s", "--rate", "-10"],
            2,
            "--rate must be finite and above 0",
        ),
        (&["--rate", "10"], 2, "--rate is for blocks of a duration"),
        (&["--blocks", "2s", "--time-column", "when"], 3, "has no column `when`"),
        (
            &["--time-column", "n01"],
            2,
            "--time-column tells when samples were taken",
        ),
        (&["--gram", "--blocks", "3"], 2, "a precomputed matrix holds none"),
    ];
    for (asked, code, told) in cases {
        let outcome = place.run(&[&["learn"], &sim[..], asked, &["-o", "out"]].concat());
        assert_eq!(outcome.code, code, "{asked:?}: {outcome:?}");
        assert!(outcome.stderr.contains(told), "{asked:?}: {}", outcome.stderr);
    }
    let both = ["--block-column", "part", "--blocks", "3"];
    let outcome = place.run(&[&["learn"], &FILES[..], &both, &["-o", "out"]].concat());
    assert!(
        outcome
            .stderr
            .contains("--blocks makes blocks, and --block-column names them"),
        "{outcome:?}"
    );
    let timed = [
        "learn",
        "bad.csv",
        "--single",
        "--blocks",
        "1s",
        "--time-column",
        "time",
        "-o",
        "out",
    ];
    let outcome = place.run(&timed);
    assert_eq!(outcome.code, 3);
    assert!(
        outcome.stderr.contains("view `bad`: the time of sample 2 is `noon`"),
        "{outcome:?}"
    );
    let outcome = place.run(&["stability", "fit", "--blocks", "3"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.stderr.contains("the fit has its own: the column `part`"),
        "{outcome:?}"
    );
    assert_eq!(place.everything(), before);
}

/// How many independent samples a series is worth depends on its blocks, and a likelihood on that.
#[test]
fn a_likelihood_is_learned_and_asked_with_the_same_blocks() {
    let place = series();
    let learn = |out: &str, blocks: &[&str]| {
        place.fine(
            &[
                &["learn", "sim/view1.csv", "sim/view2.csv", "--method", "likelihood"],
                blocks,
                &["-o", out],
            ]
            .concat(),
        );
    };
    learn("bare", &[]);
    let outcome = place.run(&["stability", "bare", "--pairs", "2", "--blocks", "6"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("learn with the same `--blocks`"), "{outcome:?}");
    learn("cut", &["--blocks", "6"]);
    let told = place.fine(&["stability", "cut", "--pairs", "2"]);
    assert!(told.stdout.contains("blocks halved"), "{}", told.stdout);
}
