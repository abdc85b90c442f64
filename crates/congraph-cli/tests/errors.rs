//! Every error of the command line, each from a real bad file: what it says in full, its exit code, nothing on stdout,
//! and nothing written.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use crate::place::{MODEL, Place, csv, gz, noise, npy, npz, rows};

/// Runs `learn` into a folder whose parent does not exist either, and checks that it is refused without a trace.
///
/// Returns what it said.
fn refused(place: &Place, code: i32, args: &[&str], contains: &[&str]) -> String {
    refused_as_is(
        place,
        code,
        &[&["learn"], args, &MODEL, &["-o", "new/out"]].concat(),
        contains,
    )
}

fn refused_as_is(place: &Place, code: i32, args: &[&str], contains: &[&str]) -> String {
    let before = place.everything();
    let outcome = place.run(args);
    assert_eq!(outcome.code, code, "{outcome:?}");
    assert_eq!(outcome.stdout, "");
    for part in contains {
        assert!(outcome.stderr.contains(part), "`{part}` is not in:\n{}", outcome.stderr);
    }
    assert_eq!(place.everything(), before, "something was written");
    outcome.stderr
}

/// A place with a good view `a` over Fz, Cz, Pz and Oz.
fn with_a_good_view() -> Place {
    let place = Place::new();
    place.write("a.csv", csv("Fz,Cz,Pz,Oz", 30, 1));
    place
}

/// The good view and a bad one.
fn beside(name: &str, bytes: impl AsRef<[u8]>, code: i32, contains: &[&str]) -> String {
    let place = with_a_good_view();
    place.write(name, bytes);
    refused(&place, code, &["a.csv", name], contains)
}

#[test]
fn e01_nan_and_infinite_values() {
    let text = csv("Fz,Cz,Pz,Oz", 30, 2) + "NaN,1,,3.5\n0.5,inf,0.25,1\n0.5,0.5,NA,1\n";
    let said = beside(
        "b.csv",
        &text,
        3,
        &[
            "E01",
            "`b`",
            "4 value",
            "`Fz` (1)",
            "`Cz` (1)",
            "`Pz` (2)",
            "sample 31",
            "--nan drop-rows",
            "--drop-nodes",
            "mask",
        ],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e01_names_are_quoted_for_the_shell() {
    let text = csv("Fz,Cz,Pz 1,Oz", 30, 2) + "1,1,,3.5\n";
    let place = Place::new();
    place.write("a.csv", csv("Fz,Cz,Pz 1,Oz", 30, 1)).write("b.csv", text);
    let said = refused(&place, 3, &["a.csv", "b.csv"], &["--drop-nodes 'Pz 1'"]);
    insta::assert_snapshot!(said);
    place.learn(&["a.csv", "b.csv", "--drop-nodes", "Pz 1"], "out");
}

#[test]
fn e01_in_a_covariance_matrix() {
    let place = Place::new();
    place.write("a.csv", "x,y,z\n1,0.1,0.2\n0.1,1,nan\n0.2,nan,1\n");
    let args = ["a.csv", "--single", "--covariance"];
    insta::assert_snapshot!(refused(&place, 3, &args, &["E01", "`a`", "`y` (1)", "--drop-nodes"]));
}

#[test]
fn e02_different_nodes_then_common_ones() {
    let place = with_a_good_view();
    place
        .write("b.csv", csv("Fz,Cz,Oz", 30, 2))
        .write("c.csv", csv("Fz,Cz,T8,Oz", 30, 3));
    let contains = [
        "E02",
        "`b`",
        "`Pz`",
        "`T8`",
        "`a`",
        "`c`",
        "--nodes common",
        "--missing mask",
    ];
    insta::assert_snapshot!(refused(&place, 3, &["a.csv", "b.csv", "c.csv"], &contains));
    let outcome = place.learn(&["a.csv", "b.csv", "c.csv", "--nodes", "common"], "out");
    insta::assert_snapshot!("e02_common", outcome.stderr);
    assert!(
        place
            .read("out/nodes.tsv")
            .lines()
            .skip(1)
            .map(|line| &line[..2])
            .eq(["Fz", "Cz", "Oz"])
    );
}

#[test]
fn e02_nothing_in_common() {
    let said = beside(
        "b.csv",
        csv("x,y,z,w", 30, 2),
        3,
        &["E02", "`b`", "`Fz`", "`x`", "--missing mask"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e02_some_views_without_names() {
    let said = beside("b.csv", rows(4, &noise(2, 120), ","), 3, &["E02", "`b`", "header row"]);
    insta::assert_snapshot!(said);
}

#[test]
fn e03_names_that_look_alike() {
    let said = beside(
        "b.csv",
        csv("FZ,Cz,P z,Oz", 30, 2),
        3,
        &["E03", "`Fz`", "`FZ`", "`Pz`", "`P z`", "position"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e04_constant_node() {
    let mut text = String::from("Fz,Cz,Pz,Oz\n");
    for row in noise(2, 90).chunks(3) {
        text += &format!("{},{},2.5,{}\n", row[0], row[1], row[2]);
    }
    let said = beside(
        "b.csv",
        &text,
        3,
        &["E04", "`b`", "`Pz`", "2.5", "hub", "--drop-nodes Pz", "mask"],
    );
    insta::assert_snapshot!(said);
    let place = with_a_good_view();
    place.write("b.csv", text);
    place.learn(&["a.csv", "b.csv", "--drop-nodes", "Pz"], "out");
    place.learn(&["a.csv", "b.csv", "--scale", "center"], "out2");
}

#[test]
fn e05_too_few_samples() {
    let said = beside(
        "b.csv",
        csv("Fz,Cz,Pz,Oz", 1, 2),
        3,
        &["E05", "`b`", "1 sample", "at least 2"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e05_too_few_samples_left() {
    let place = with_a_good_view();
    place.write("b.csv", "Fz,Cz,Pz,Oz\n1,nan,3,4\n2,2,nan,4.5\n2,2.5,1,4.5\n");
    let args = ["a.csv", "b.csv", "--nan", "drop-rows"];
    insta::assert_snapshot!(refused(&place, 3, &args, &["E05", "`b`", "1 sample", "at least 2"]));
}

#[test]
fn e05_one_node() {
    let place = Place::new();
    place.write("a.csv", csv("Fz", 30, 1)).write("b.csv", csv("Fz", 30, 2));
    insta::assert_snapshot!(refused(
        &place,
        3,
        &["a.csv", "b.csv"],
        &["E05", "1 node", "at least 2"]
    ));
}

#[test]
fn e06_two_nodes_of_a_name() {
    let said = beside(
        "b.csv",
        csv("Fz,Cz,Fz,Oz", 30, 2),
        3,
        &["E06", "`b`", "`Fz`", "1st", "3rd"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e06_two_views_of_a_name() {
    let place = with_a_good_view();
    place.write("again/a.csv", csv("Fz,Cz,Pz,Oz", 30, 2));
    let said = refused(
        &place,
        3,
        &["a.csv", "again/a.csv"],
        &["E06", "`a`", "1st", "2nd", "NAME=FILE"],
    );
    insta::assert_snapshot!(said);
    place.learn(&["a.csv", "a-2=again/a.csv"], "out");
}

#[test]
fn e07_text_column() {
    let mut text = String::from("subject,Fz,Cz\n");
    for row in noise(2, 60).chunks(2) {
        text += &format!("anna,{},{}\n", row[0], row[1]);
    }
    let said = beside(
        "b.csv",
        text,
        3,
        &[
            "E07",
            "`b.csv`",
            "line 2",
            "column 1",
            "`subject`",
            "`anna`",
            "--view-column",
        ],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e07_one_bad_cell() {
    let text = csv("Fz,Cz,Pz,Oz", 30, 2) + "0.5,0.5,bad,0.5\n";
    let said = beside(
        "b.csv",
        text,
        3,
        &["E07", "`b.csv`", "line 32", "column 3", "`Pz`", "`bad`"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e07_decimal_comma() {
    let text = "Fz;Cz;Pz;Oz\n0,5;1,25;2,5;1\n0,25;1;2;3\n";
    let said = beside(
        "b.csv",
        text,
        3,
        &["E07", "`b.csv`", "line 2", "column 1", "`0,5`", "decimal"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e07_ragged_row() {
    let text = csv("Fz,Cz,Pz,Oz", 5, 2) + "1,2,3\n";
    let said = beside("b.csv", text, 3, &["E07", "`b.csv`", "line 7", "3 cells", "4"]);
    insta::assert_snapshot!(said);
}

#[test]
fn e07_numbers_that_may_be_names() {
    let text = format!("7157,1956,672,675\n{}", rows(4, &noise(2, 120), ","));
    let said = beside(
        "b.csv",
        text,
        3,
        &["E07", "`b.csv`", "line 1", "`7157`", "--header yes", "--header no"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e07_files_that_are_no_tables() {
    let npy = npy(&[30, 4], &noise(2, 120));
    let npz = npz(&[("b", npy.clone())]);
    let packed = gz(csv("Fz,Cz,Pz,Oz", 30, 2).as_bytes());
    let latin1 = b"Fz,Cz,Pz,O\xe9\n1,2,3,4\n".to_vec();
    let utf16: Vec<u8> = "Fz,Cz\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bad: [(&str, Vec<u8>, &[&str]); 11] = [
        ("empty.csv", Vec::new(), &["is empty"]),
        (
            "header_only.csv",
            b"Fz,Cz,Pz,Oz\n".to_vec(),
            &["only a header", "line 1"],
        ),
        ("latin1.csv", latin1, &["not UTF-8", "line 1"]),
        ("utf16.csv", utf16, &["UTF-16"]),
        ("book.xlsx", b"PK".to_vec(), &["`.xlsx`", ".csv"]),
        ("no_ending", b"1,2\n".to_vec(), &["no ending", ".csv"]),
        ("short.npy", npy[..npy.len() - 3].to_vec(), &["30 × 4"]),
        ("not_numpy.npy", b"hello".to_vec(), &[".npy array"]),
        ("short.npz", npz[..npz.len() - 9].to_vec(), &[".npz archive"]),
        ("short.csv.gz", packed[..packed.len() - 9].to_vec(), &["gzip"]),
        ("not_gzip.csv.gz", b"Fz,Cz\n1,2\n".to_vec(), &["gzip", "drop `.gz`"]),
    ];
    for (name, bytes, contains) in bad {
        let said = beside(name, bytes, 3, &[&["E07", &format!("`{name}`")], contains].concat());
        insta::assert_snapshot!(format!("e07_{name}"), said);
    }
}

#[test]
fn e07_missing_files_and_folders_are_all_named() {
    let place = with_a_good_view();
    place.write("folder/b.csv", csv("Fz,Cz,Pz,Oz", 30, 2));
    let contains = ["`missing.csv`", "no such file", "`folder` is a folder"];
    insta::assert_snapshot!(refused(&place, 3, &["a.csv", "missing.csv", "folder"], &contains));
}

#[test]
fn e07_columns_that_are_asked_for_and_not_there() {
    let place = with_a_good_view();
    let args = ["a.csv", "--view-column", "fz"];
    insta::assert_snapshot!(refused(&place, 3, &args, &["E07", "`fz`", "did you mean `Fz`"]));
    let args = ["a.csv", "--ignore-columns", "time"];
    insta::assert_snapshot!("e07_ignore", refused(&place, 3, &args, &["E07", "`time`", "`Fz`"]));
}

#[test]
fn e07_a_folder_that_is_no_result() {
    let place = with_a_good_view();
    let args = ["evaluate", ".", "--truth", "truth"];
    insta::assert_snapshot!(refused_as_is(&place, 3, &args, &["E07", "nodes.tsv", "congraph learn"]));
}

#[test]
fn e08_transposed_without_names() {
    let place = Place::new();
    place
        .write("a.csv", rows(30, &noise(1, 120), ","))
        .write("b.csv", rows(40, &noise(2, 160), ","));
    let contains = ["E08", "4 rows × 30 columns", "4 × 40", "--orient nodes-by-samples"];
    insta::assert_snapshot!(refused(&place, 3, &["a.csv", "b.csv"], &contains));
    place.learn(&["a.csv", "b.csv", "--orient", "nodes-by-samples"], "out");
}

#[test]
fn e08_transposed_with_names() {
    // Samples are named, as some tools do: t1, t2, … in one file and s1, s2, … in the other.
    let header = |letter: char, n: usize| (1..=n).map(|k| format!("{letter}{k}")).collect::<Vec<_>>().join(",");
    let place = Place::new();
    place
        .write("a.csv", csv(&header('t', 30), 4, 1))
        .write("b.csv", csv(&header('s', 40), 4, 2));
    let contains = ["E08", "4 rows × 30 columns", "4 × 40", "--orient nodes-by-samples"];
    insta::assert_snapshot!(refused(&place, 3, &["a.csv", "b.csv"], &contains));
}

#[test]
fn e02_a_view_that_lacks_a_node_without_names() {
    let place = Place::new();
    for (k, n_nodes) in [30, 30, 29, 30, 30].into_iter().enumerate() {
        place.write(
            &format!("s{k}.csv"),
            rows(n_nodes, &noise(k as u64, 200 * n_nodes), ","),
        );
    }
    let args = ["s0.csv", "s1.csv", "s2.csv", "s3.csv", "s4.csv"];
    let told = refused(&place, 3, &args, &["E02", "`s2` has 29 nodes", "have 30 nodes"]);
    assert!(!told.contains("orient") && !told.contains("transposed"), "{told}");
    insta::assert_snapshot!(told);
}

#[test]
fn e09_one_view_and_a_consensus() {
    let place = with_a_good_view();
    insta::assert_snapshot!(refused(&place, 3, &["a.csv"], &["E09", "`a`", "--single"]));
    place.fine(&["learn", "a.csv", "--single", "--alpha", "0.02", "-o", "out"]);
}

#[cfg(feature = "hdf5")]
#[test]
fn e09_a_whole_h5ad_file_names_groupby() {
    let cells = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../congraph-io/tests/formats/dense_f64.h5ad"
    );
    let place = Place::new();
    place.write("cells.h5ad", std::fs::read(cells).unwrap());
    for words in [
        &["learn", "cells.h5ad", "--density", "0.3"][..],
        &["tune", "cells.h5ad"],
    ] {
        let outcome = place.run(&[words, &["-o", "out"]].concat());
        assert_eq!(outcome.code, 3, "{outcome:?}");
        assert!(
            outcome.stderr.contains("E09")
                && outcome
                    .stderr
                    .contains("hint: `--groupby COLUMN` makes a view of each group of cells; or give"),
            "{}",
            outcome.stderr
        );
    }
    place.fine(&["learn", "cells.h5ad", "--single", "--density", "0.3", "-o", "out"]);
}

#[test]
fn e11_no_coupling_and_a_consensus() {
    let place = with_a_good_view();
    place.write("b.csv", csv("Fz,Cz,Pz,Oz", 30, 2));
    let args = [
        "learn", "a.csv", "b.csv", "--alpha", "0.02", "--beta", "0", "-o", "new/out",
    ];
    let contains = ["E11", "beta", "undefined", "beta > 0", "--single"];
    insta::assert_snapshot!(refused_as_is(&place, 2, &args, &contains));
    let args = ["a.csv", "b.csv", "--penalty", "none"];
    insta::assert_snapshot!("e11_penalty_none", refused(&place, 2, &args, &contains));
}

#[test]
fn e12_a_dial_and_its_parameter() {
    let place = with_a_good_view();
    for (dial, parameter) in [
        ("--density", "--alpha"),
        ("--similarity", "--beta"),
        ("--consensus-density", "--gamma"),
    ] {
        let args = ["a.csv", dial, "0.1", "--gamma", "0.1"];
        let said = refused(
            &place,
            2,
            &args,
            &["E12", &format!("`{dial}`"), &format!("`{parameter}`")],
        );
        insta::assert_snapshot!(format!("e12{dial}"), said);
    }
}

#[test]
fn e13_a_connectivity_matrix_as_signals() {
    let text = "Fz,Cz,Pz,Oz\n1,0.5,0.25,0.1\n0.5,1,0.2,0.3\n0.25,0.2,1,0.4\n0.1,0.3,0.4,1\n";
    let said = beside(
        "b.csv",
        text,
        3,
        &["E13", "`b`", "4 × 4", "connectivity matrix", "--covariance", "--gram"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn e13_signals_as_a_covariance_matrix() {
    let place = with_a_good_view();
    let args = ["a.csv", "--single", "--covariance"];
    insta::assert_snapshot!(refused(
        &place,
        3,
        &args,
        &["E13", "`a`", "30 rows × 4 columns", "--covariance"]
    ));
}

#[test]
fn e13_rows_and_columns_in_another_order() {
    let place = Place::new();
    place.write("a.csv", ",z,y,x\nx,1,0.1,0.2\ny,0.1,1,0.3\nz,0.2,0.3,1\n");
    let args = ["a.csv", "--single", "--covariance"];
    insta::assert_snapshot!(refused(&place, 3, &args, &["E13", "`a`", "`x`", "`z`"]));
}

#[test]
fn an_infinite_value_does_not_make_a_square_table_a_matrix() {
    let place = Place::new();
    place.write("a.csv", "x,y,z\n1.5,2,1\n2.5,1,inf\n3,5,2\n");
    refused(&place, 3, &["a.csv", "--single"], &["E01", "`z` (1)", "sample 2"]);
}

#[test]
fn many_errors_do_not_scroll_the_first_away() {
    let place = Place::new();
    let rows: String = noise(1, 40)
        .chunks(2)
        .map(|row| format!("{:?},{:?},0.5\n", row[0], row[1]))
        .collect();
    place.write("a.csv", format!("x,y,z\n{rows}"));
    let said = refused(
        &place,
        3,
        &["a.csv", "--view-column", "x"],
        &["E05", "and 12 more", "check --json"],
    );
    assert_eq!(said.matches("error: E05").count(), 8);
}

#[test]
fn e15_raw_counts() {
    let mut text = String::from("Fz,Cz,Pz,Oz\n");
    for row in noise(2, 120).chunks(4) {
        let cells: Vec<String> = row.iter().map(|x| format!("{:.0}", (9.0 * x).max(0.0))).collect();
        text += &(cells.join(",") + "\n");
    }
    let said = beside("b.csv", &text, 3, &["E15", "`b`", "counts", "log", "--allow-counts"]);
    insta::assert_snapshot!(said);
    let place = with_a_good_view();
    place.write("b.csv", text);
    place.learn(&["a.csv", "b.csv", "--allow-counts"], "out");
}

#[test]
fn control_characters_in_names_do_not_reach_the_terminal() {
    let place = Place::new();
    place
        .write("a.csv", csv("x\u{1b}[31m,y,z", 30, 1))
        .write("b.csv", csv("x\u{1b}[31m,y,y", 30, 2));
    let said = refused(&place, 3, &["a.csv", "b.csv"], &["E06"]);
    assert!(!said.contains('\u{1b}'));
    let said = refused(
        &place,
        2,
        &["a.csv", "--single", "--drop-nodes", "no"],
        &["--drop-nodes", "`no`"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn check_names_every_problem_beside_its_table() {
    let place = with_a_good_view();
    place.write("b.csv", csv("Fz,Cz,Pz,Oz", 30, 2) + "NaN,1,2,3\n");
    place.write("c.csv", csv("Fz,Cz,Pz,Oz", 30, 3) + "1,2,3,inf\n");
    let before = place.everything();
    let outcome = place.run(&["check", "a.csv", "b.csv", "c.csv"]);
    assert_eq!(outcome.code, 3);
    insta::assert_snapshot!(format!("{}---\n{}", outcome.stdout, outcome.stderr));
    let outcome = place.run(&["check", "a.csv", "b.csv", "c.csv", "--json"]);
    let report = outcome.json();
    assert_eq!((outcome.code, &report["ok"]), (3, &false.into()));
    assert_eq!(report["errors"][1]["code"], "E01");
    assert_eq!(report["errors"][1]["view"], "c");
    assert_eq!(report["errors"][1]["node"], "Oz");
    assert_eq!(place.everything(), before);
}

/// A table whose columns are multiples of one signal.
fn multiples(factors: &[f64]) -> String {
    let signal = noise(7, 60);
    let values: Vec<f64> = signal
        .iter()
        .flat_map(|x| factors.iter().map(move |factor| x * factor))
        .collect();
    format!("e0,e1,e2,e3,e4\n{}", rows(factors.len(), &values, ","))
}

#[test]
fn e04_rounding_noise_is_no_graph() {
    let place = Place::new();
    let same = multiples(&[1.0, 3.0, 7.0, 0.1, 11.0]);
    place.write("dead.csv", &same).write("gone.csv", same);
    place.write("a.csv", csv("e0,e1,e2,e3,e4", 60, 1));
    let args = ["a.csv", "dead.csv", "gone.csv"];
    let said = refused(
        &place,
        3,
        &args,
        &["E04", "`dead`", "`gone`", "rounding noise", "leave this view out"],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn values_too_small_to_square_are_refused() {
    let place = Place::new();
    let tiny = |seed| {
        format!(
            "x,y,z\n{}",
            rows(3, &noise(seed, 90).iter().map(|x| 1e-170 * x).collect::<Vec<_>>(), ",")
        )
    };
    place.write("a.csv", tiny(1)).write("b.csv", tiny(2));
    for scale in ["center", "none"] {
        refused(
            &place,
            2,
            &["a.csv", "b.csv", "--scale", scale],
            &["underflow", "`a`", "`--scale zscore`"],
        );
    }
    place.learn(&["a.csv", "b.csv"], "scaled");
}
