//! Text tables: what is read, and what is said of what cannot be.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::files::{errors, file, loaded, one};
use congraph::Orient;
use congraph_io::{Header, Input, ReadOptions, read};
use proptest::prelude::*;

fn said(name: &str, text: &str) -> String {
    errors(name, text.as_bytes(), &ReadOptions::default())[0].to_string()
}

#[test]
fn a_header_is_found_or_told() {
    let auto = ReadOptions::default();
    let table = one("a.csv", b"x,y\n1,2\n3,4\n", &auto);
    assert_eq!(
        table.column_names.as_deref(),
        Some(&["x".to_owned(), "y".to_owned()][..])
    );
    assert_eq!(
        (table.n_rows, table.n_columns, &table.values[..]),
        (2, 2, &[1.0, 2.0, 3.0, 4.0][..])
    );
    assert_eq!(one("a.csv", b"1,2\nNA,inf\n", &auto).column_names, None);
    assert_eq!(one("a.csv", b"NA,inf\n1,2\n", &auto).n_rows, 2);
    assert_eq!(one("a.csv", b"x\n1\n", &auto).n_rows, 1);
    let yes = ReadOptions {
        header: Header::Yes,
        ..ReadOptions::default()
    };
    assert_eq!(one("a.csv", b"1,2\n3,4\n", &yes).column_names.unwrap(), ["1", "2"]);
    let no = ReadOptions {
        header: Header::No,
        ..ReadOptions::default()
    };
    assert!(
        errors("a.csv", b"x,y\n3,4\n", &no)[0]
            .to_string()
            .contains("`header = yes`")
    );
}

#[test]
fn row_names_are_those_of_pandas_and_r() {
    let auto = ReadOptions::default();
    for text in [&b",x,y\ns1,1,2\ns2,3,4\n"[..], b"x,y\ns1,1,2\ns2,3,4\n"] {
        let table = one("a.csv", text, &auto);
        assert_eq!(table.row_names.unwrap(), ["s1", "s2"]);
        assert_eq!(table.column_names.unwrap(), ["x", "y"]);
        assert_eq!(table.values, [1.0, 2.0, 3.0, 4.0]);
    }
    let table = one("a.csv", b",0,1,2\n0,1.5,2,3\n", &auto);
    assert_eq!(
        (table.column_names.unwrap(), table.values),
        (vec!["0".into(), "1".into(), "2".into()], vec![1.5, 2.0, 3.0])
    );
    let turned = ReadOptions {
        orient: Orient::NodesBySamples,
        ..ReadOptions::default()
    };
    let table = one("a.tsv", b"1\t5\t6\nFz\t1\t2\n", &turned);
    assert_eq!(
        (table.row_names.unwrap(), table.values),
        (vec!["1".into(), "Fz".into()], vec![5.0, 6.0, 1.0, 2.0])
    );
    assert_eq!(
        one("a.tsv", b"gene\ts1\ts2\nA\t1\t2\n", &turned).column_names.unwrap(),
        ["s1", "s2"]
    );
}

#[test]
fn separators_and_encodings_are_found() {
    let auto = ReadOptions::default();
    for (name, text) in [
        ("a.csv", &b"x;y\r\n1;2\r\n"[..]),
        ("a.CSV", b"\xef\xbb\xbfx,y\n1,2"),
        ("a.tsv", b"x\ty\n1\t2\n"),
        ("a.txt", b"x y\n1   2\n"),
        ("a.txt", b"x\ty\n1\t2\n"),
        ("a.txt", b"x,y\n1, 2\n\n"),
        ("a.csv", b"\"x\",\"y\"\n\"1\",\"2\"\n"),
    ] {
        let table = one(name, text, &auto);
        assert_eq!(table.column_names.unwrap(), ["x", "y"], "{name}");
        assert_eq!(table.values, [1.0, 2.0], "{name}");
    }
    assert!(said("a.csv", "\u{1}x\0y\0").contains("UTF-16"));
    let latin = errors("a.csv", b"x,y\n1,\xe9\n", &auto);
    assert!(
        latin[0].what.contains("line 2") && latin[0].what.contains("UTF-8"),
        "{}",
        latin[0]
    );
    assert_eq!(
        one("a.csv", "\u{feff} Fz ,Cz\n 1 ,2\n".as_bytes(), &auto)
            .column_names
            .unwrap(),
        [" Fz ", "Cz"]
    );
}

#[test]
fn text_cells_are_told_with_place_and_way_out() {
    let text = said("a.csv", "x,y\n1,2\n3,oops\n");
    assert!(
        text.contains("line 3, column 2 (`y`): `oops` is not a number"),
        "{text}"
    );
    assert!(text.contains("`ignore_columns = \"y\"`"), "{text}");
    assert!(said("a.csv", "subject,y\ns1,2\n").contains("`view_column = \"subject\"`"));
    assert!(said("a.csv", "x,y\nA,2\nA,3\n").contains("`view_column = \"x\"`"));
    assert!(said("a.csv", "x;y\n0,5;2\n").contains("decimal comma"));
    assert!(said("a.csv", "x,y\n\"0,5\",2\n").contains("decimal point"));
    assert!(said("a.csv", "1,5;2,5\n1,5;2,5\n").contains("decimal"));
    assert!(said("a.tsv", "1,2,3\n").contains(".csv") || said("a.tsv", "1,2,3\n4,5,6\n").contains(".csv"));
    let long = said("a.csv", &format!("x,y\n1,{}\n", "z".repeat(500)));
    assert!(long.len() < 400 && long.contains('…'));
    let many = errors("a.csv", b"a,b,c\nx,y,1\nx,y,1\n", &ReadOptions::default());
    assert_eq!(many.len(), 2);
}

#[test]
fn shapes_that_are_no_table_are_told() {
    let text = said("a.csv", "x,y\n1,2\n3,4,5\n");
    assert!(
        text.contains("line 3: the row has 3 cells where 2 are expected"),
        "{text}"
    );
    assert!(said("a.csv", "x,y\n1,5,2,5\n").contains("decimal"));
    assert!(said("a.csv", "x,y\n1,2,\n3,4,\n").contains("separator too many"));
    assert!(said("a.csv", "x,y,\n1,2,\n3,4,\n").contains("column 3 has no name and no values"));
    assert!(said("a.csv", "").contains("is empty"));
    assert!(said("a.csv", "\n \n").contains("is empty"));
    assert!(said("a.csv", "x,y\n").contains("only a header"));
    assert!(said("a.csv", "x,y\n\"1,2\n").contains("line 2"));
    assert!(said("a.xlsx", "x").contains(".xlsx") && said("a.xlsx", "x").contains(".npz"));
    assert!(said("noending", "x").contains("no ending"));
}

#[test]
fn columns_are_ignored_by_name() {
    let ignore = |names: &[&str]| ReadOptions {
        ignore_columns: names.iter().map(ToString::to_string).collect(),
        ..ReadOptions::default()
    };
    let table = one("a.csv", b"id,x,y\na,1,2\nb,3,4\n", &ignore(&["id", "y"]));
    assert_eq!(
        (table.column_names.unwrap(), table.values),
        (vec!["x".to_owned()], vec![1.0, 3.0])
    );
    let missing = &errors("a.csv", b"id,x\n1,2\n", &ignore(&["ID"]))[0];
    assert!(
        missing.what.contains("`id`") && missing.hint.contains("did you mean `id`"),
        "{missing}"
    );
    assert!(errors("a.csv", b"1,2\n", &ignore(&["z"]))[0].what.contains("no names"));
    assert!(
        errors("a.csv", b"x,y\n1,2\n", &ignore(&["x", "y"]))[0]
            .what
            .contains("no columns")
    );
}

#[test]
fn what_is_wrong_in_every_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let bad = file(folder.path(), "bad.csv", b"x,y\n1,b\n");
    let good = file(folder.path(), "good.csv", b"x,y\n1,2\n");
    let gone = Input::parse(folder.path().join("gone.csv").to_str().unwrap());
    let dir = Input::parse(folder.path().to_str().unwrap());
    let Err(congraph::Error::Data(errors)) = read(&[bad, good, gone, dir], &ReadOptions::default()) else {
        panic!("must fail");
    };
    assert_eq!(errors.len(), 3);
    assert_eq!(
        (errors[0].view.as_deref(), errors[0].node.as_deref()),
        (Some("bad"), Some("y"))
    );
    assert!(errors[1].what.contains("no such file") && errors[2].what.contains("folder"));
}

#[test]
fn the_hash_is_that_of_the_bytes_on_disk() {
    let found = loaded("a.csv", b"abc\n1\n", &ReadOptions::default()).unwrap();
    assert_eq!(found[0].table.name, "a");
    assert_eq!(found[0].sha256.len(), 64);
    let folder = tempfile::tempdir().unwrap();
    let named = Input {
        name: Some("v".into()),
        ..file(folder.path(), "x.csv", b"1,2\n")
    };
    let view = read(&[named], &ReadOptions::default()).unwrap().remove(0);
    assert_eq!(view.table.name, "v");
    // printf '1,2\n' | sha256sum
    assert_eq!(
        view.sha256,
        "52186c933993da4082b3cdc7c40bb4bf735b391ff54a2ef78c037dda6c38a680"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn tables_written_as_text_are_read_as_they_were(
        names in prop::collection::vec("[^\0]{0,6}[a-zA-Z][^\0]{0,3}", 2..6),
        rows in prop::collection::vec(prop::collection::vec(any::<f64>(), 6), 1..6),
        separator in prop::sample::select(vec![b',', b'\t']),
    ) {
        prop_assume!(names.iter().skip(1).any(|name| name.trim().parse::<f64>().is_err()));
        prop_assume!(!names[0].starts_with('\u{feff}'));
        let n = names.len();
        let mut out = csv::WriterBuilder::new().delimiter(separator).from_writer(Vec::new());
        out.write_record(&names).unwrap();
        for row in &rows {
            out.write_record(row[..n].iter().map(|value| format!("{value:?}"))).unwrap();
        }
        let bytes = out.into_inner().unwrap();
        let ending = if separator == b',' { "t.csv" } else { "t.tsv" };
        let yes = ReadOptions { header: Header::Yes, ..ReadOptions::default() };
        let table = one(ending, &bytes, &yes);
        prop_assert_eq!(table.column_names.unwrap(), names);
        let expected: Vec<u64> = rows.iter().flat_map(|row| &row[..n]).map(|value| canonical(*value)).collect();
        prop_assert_eq!(table.values.iter().map(|value| canonical(*value)).collect::<Vec<_>>(), expected);
    }
}

fn canonical(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        value.to_bits()
    }
}
