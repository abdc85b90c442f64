//! Long tables: one file, or several, for all views.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::files::{errors, file, loaded, one};
use congraph::{Error, Orient};
use congraph_io::{Input, ReadOptions, read};

fn by_subject() -> ReadOptions {
    ReadOptions {
        view_column: Some("subject".into()),
        block_column: Some("trial".into()),
        ..ReadOptions::default()
    }
}

const LONG: &[u8] = b"subject,x,trial,y\nb,1,t1,2\na,3,t1,4\nb,5,t2,6\n";

#[test]
fn views_are_split_in_the_order_of_first_appearance() {
    let found = loaded("long.csv", LONG, &by_subject()).unwrap();
    let names: Vec<&str> = found.iter().map(|view| view.table.name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
    let b = &found[0].table;
    assert_eq!(
        (b.n_rows, b.n_columns, &b.values[..]),
        (2, 2, &[1.0, 2.0, 5.0, 6.0][..])
    );
    assert_eq!(b.blocks.as_ref().unwrap(), &["t1", "t2"]);
    assert_eq!(b.column_names.as_ref().unwrap(), &["x", "y"]);
}

#[test]
fn blocks_need_no_view_column() {
    let options = ReadOptions {
        view_column: None,
        ignore_columns: vec!["subject".into()],
        ..by_subject()
    };
    assert_eq!(one("a.csv", LONG, &options).blocks.unwrap(), ["t1", "t1", "t2"]);
}

#[test]
fn rows_of_a_view_in_several_files_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let first = file(folder.path(), "1.csv", LONG);
    let second = file(folder.path(), "2.csv", b"subject,x,trial,y\nc,1,t1,2\na,7,t9,8\n");
    let other = file(folder.path(), "3.csv", b"subject,trial,y,x\na,t1,1,2\n");
    let found = read(&[first.clone(), second.clone()], &by_subject()).unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[1].table.values, [3.0, 4.0, 7.0, 8.0]);
    assert_eq!(found[1].table.blocks.as_ref().unwrap(), &["t1", "t9"]);
    let Err(Error::Data(errors)) = read(&[first.clone(), other], &by_subject()) else {
        panic!("must fail")
    };
    assert!(errors[0].what.contains("other columns"));
    let named = Input {
        name: Some("two".into()),
        ..second
    };
    let names: Vec<String> = read(&[first, named], &by_subject())
        .unwrap()
        .into_iter()
        .map(|v| v.table.name)
        .collect();
    assert_eq!(names, ["b", "a", "two/c", "two/a"]);
}

#[test]
fn labels_that_are_missing_are_told() {
    let error = &errors("a.csv", b"id,x,trial\na,1,t\n", &by_subject())[0];
    assert!(
        error.what.contains("no column `subject`") && error.what.contains("`id`, `x` and `trial`"),
        "{error}"
    );
    let error = &errors("a.csv", b"subject,x,trial\na,1,t\n ,2,t\n", &by_subject())[0];
    assert!(error.what.contains("line 3"), "{error}");
    assert!(
        errors("a.csv", b"subject,subject,trial,x\na,a,1,1\n", &by_subject())[0]
            .what
            .contains("2 columns")
    );
    let turned = ReadOptions {
        orient: Orient::NodesBySamples,
        ..by_subject()
    };
    assert!(matches!(
        loaded("a.csv", LONG, &turned),
        Err(Error::Parameter {
            name: "view_column",
            ..
        })
    ));
}
