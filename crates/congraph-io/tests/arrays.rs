//! NumPy arrays, written by an independent crate.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Cursor, Write};

use crate::files::{self, errors, loaded, one};
use congraph::Orient;
use congraph_io::ReadOptions;
use npyz::WriterBuilder;

fn npy<T: npyz::AutoSerialize + Clone>(shape: &[u64], values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = npyz::WriteOptions::new()
        .default_dtype()
        .shape(shape)
        .writer(&mut bytes)
        .begin_nd()
        .unwrap();
    out.extend(values.iter().cloned()).unwrap();
    out.finish().unwrap();
    bytes
}

fn text(names: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let dtype = npyz::DType::new_scalar("<U9".parse().unwrap());
    let shape = [names.len() as u64];
    let mut out = npyz::WriteOptions::new()
        .dtype(dtype)
        .shape(&shape)
        .writer(&mut bytes)
        .begin_nd()
        .unwrap();
    out.extend(names.iter().map(ToString::to_string)).unwrap();
    out.finish().unwrap();
    bytes
}

fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        out.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default())
            .unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

fn names(bytes: &[u8]) -> Vec<String> {
    let found = loaded("sub.npz", bytes, &ReadOptions::default()).unwrap();
    found.into_iter().map(|view| view.table.name).collect()
}

#[test]
fn any_type_of_number_is_read() {
    let options = ReadOptions::default();
    let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let tables = [
        npy(&[2, 3], &expected),
        npy(&[2, 3], &expected.map(|x| x as f32)),
        npy(&[2, 3], &expected.map(|x| x as i8)),
        npy(&[2, 3], &expected.map(|x| x as u16)),
        npy(&[2, 3], &expected.map(|x| x as i64)),
        npy(&[2, 3], &expected.map(|x| x as u64)),
    ];
    for bytes in tables {
        let table = one("a.npy", &bytes, &options);
        assert_eq!((table.name.as_str(), table.n_rows, table.n_columns), ("a", 2, 3));
        assert_eq!(table.values, expected);
    }
    assert_eq!(one("a.npy", &npy(&[1, 2], &[true, false]), &options).values, [1.0, 0.0]);
}

#[test]
fn order_and_endianness_are_those_of_the_header() {
    let mut bytes = Vec::new();
    let dtype = npyz::DType::new_scalar(">f8".parse().unwrap());
    let shape = [2, 2, 2];
    let out = npyz::WriteOptions::new()
        .dtype(dtype)
        .shape(&shape)
        .order(npyz::Order::Fortran);
    let mut out = out.writer(&mut bytes).begin_nd().unwrap();
    out.extend((0..8).map(f64::from)).unwrap();
    out.finish().unwrap();
    let found = loaded("a.npy", &bytes, &ReadOptions::default()).unwrap();
    assert_eq!(found[0].table.name, "view1");
    assert_eq!(found[0].table.values, [0.0, 4.0, 2.0, 6.0]);
    assert_eq!(found[1].table.values, [1.0, 5.0, 3.0, 7.0]);
}

#[test]
fn views_and_nodes_have_the_names_in_the_archive() {
    let one = || npy(&[1, 2], &[1.0, 2.0]);
    let three = || npy(&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(names(&npz(&[("arr_0", one())])), ["sub"]);
    assert_eq!(names(&npz(&[("b", one()), ("a", one())])), ["b", "a"]);
    assert_eq!(names(&npz(&[("data", three())])), ["view1", "view2"]);
    let many: Vec<f64> = (0..24).map(f64::from).collect();
    let many = names(&npz(&[("data", npy(&[12, 1, 2], &many))]));
    assert_eq!([&many[0], &many[11]], ["view01", "view12"]);
    assert!(many.is_sorted());
    assert_eq!(
        names(&npz(&[("views", three()), ("view_names", text(&["u", "v"]))])),
        ["u", "v"]
    );
    assert_eq!(
        names(&npz(&[
            ("arr_1", one()),
            ("arr_0", one()),
            ("views", text(&["u", "v"]))
        ])),
        ["u", "v"]
    );
    let with_nodes = npz(&[("x", one()), ("nodes", text(&["Fz", "Cz"]))]);
    let table = files::one("sub.npz", &with_nodes, &ReadOptions::default());
    assert_eq!(table.column_names.unwrap(), ["Fz", "Cz"]);
    let options = ReadOptions {
        ignore_columns: vec!["Fz".into()],
        ..ReadOptions::default()
    };
    assert_eq!(files::one("sub.npz", &with_nodes, &options).values, [2.0]);
    let turned = ReadOptions {
        orient: Orient::NodesBySamples,
        ..ReadOptions::default()
    };
    let table = files::one(
        "sub.npz",
        &npz(&[("x", npy(&[2, 1], &[1.0, 2.0])), ("nodes", text(&["a", "b"]))]),
        &turned,
    );
    assert_eq!(table.row_names.unwrap(), ["a", "b"]);
}

#[test]
fn arrays_that_are_no_tables_are_told() {
    let said = |name: &str, bytes: &[u8]| errors(name, bytes, &ReadOptions::default())[0].to_string();
    assert!(said("a.npy", &npy(&[], &[1.0])).contains("single number"));
    assert!(said("a.npy", &npy(&[3], &[1.0, 2.0, 3.0])).contains("one axis"));
    assert!(said("a.npy", &npy(&[1, 1, 1, 1], &[1.0])).contains("4 axes"));
    assert!(said("a.npy", &npy::<f64>(&[0, 3], &[])).contains("empty"));
    assert!(said("a.npy", b"x").contains(".npy array"));
    assert!(said("a.npz", b"x").contains(".npz archive"));
    assert!(said("a.npz", &npz(&[])).contains("no array"));
    let one = || npy(&[1, 2], &[1.0, 2.0]);
    assert!(said("a.npz", &npz(&[("x", one()), ("y", npy(&[1, 1, 1], &[1.0]))])).contains("3-D array `y`"));
    assert!(said("a.npz", &npz(&[("x", one()), ("nodes", text(&["a"]))])).contains("names 1 nodes"));
    assert!(
        said("a.npz", &npz(&[("x", one()), ("y", one()), ("views", text(&["a"]))])).contains("2 views and 1 names")
    );
    let options = ReadOptions {
        view_column: Some("s".into()),
        ..ReadOptions::default()
    };
    assert!(errors("a.npy", &one(), &options)[0].what.contains("no names"));
}
