//! Tables as pandas, SciPy, MATLAB and anndata write them (see `tests/fixtures/table_formats.py`), and what becomes of
//! them when they are damaged.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::files;

use std::path::{Path, PathBuf};

use congraph::{Code, DataError, Error, Orient, Table, ViewOptions, Views};
use congraph_io::{Input, ReadOptions, read};

const NAMES: [&str; 5] = ["Fz", "Cz", "Pz", "Oz", "T7"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats").join(name)
}

fn try_tables(name: &str, options: &ReadOptions) -> Result<Vec<Table>, Error> {
    let input = Input {
        name: None,
        path: fixture(name),
    };
    Ok(read(&[input], options)?
        .into_iter()
        .map(|loaded| loaded.table)
        .collect())
}

fn tables(name: &str, options: &ReadOptions) -> Vec<Table> {
    try_tables(name, options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn one(name: &str) -> Table {
    let mut found = tables(name, &ReadOptions::default());
    assert_eq!(found.len(), 1, "{name}");
    found.remove(0)
}

fn refused(name: &str, options: &ReadOptions) -> DataError {
    match try_tables(name, options) {
        Err(Error::Data(mut errors)) => errors.remove(0),
        other => panic!("{name}: expected an error, found {other:?}"),
    }
}

/// The formula of the fixtures.
fn value(row: usize, column: usize) -> f64 {
    ((5 * row + 3 * column) % 13) as f64 / 4.0 - 1.5
}

fn expected(factor: f64) -> Vec<f64> {
    (0..12)
        .flat_map(|row| (0..5).map(move |column| factor * value(row, column)))
        .collect()
}

fn expected_sparse() -> Vec<f64> {
    let entry = |row: usize, column: usize| {
        if (row + column).is_multiple_of(3) {
            value(row, column)
        } else {
            0.0
        }
    };
    (0..12)
        .flat_map(|row| (0..5).map(move |column| entry(row, column)))
        .collect()
}

fn named(table: &Table) -> Vec<&str> {
    table
        .column_names
        .as_ref()
        .unwrap()
        .iter()
        .map(String::as_str)
        .collect()
}

#[test]
fn parquet_of_every_type_and_compression() {
    for name in ["f64_snappy", "f32_gzip", "f64_lz4", "f64_zstd", "f64_plain", "indexed"] {
        let table = one(&format!("{name}.parquet"));
        assert_eq!((table.name.as_str(), table.n_rows, table.n_columns), (name, 12, 5));
        assert_eq!(table.values, expected(1.0), "{name}");
        assert_eq!(named(&table), NAMES);
    }
    // Half precision, and a column in which every value is missing.
    let table = one("f16.parquet");
    assert_eq!(named(&table), [&NAMES[..], &["nothing"]].concat());
    for (row, values) in table.values.chunks(6).enumerate() {
        assert_eq!(values[..5], expected(1.0)[5 * row..5 * row + 5]);
        assert!(values[5].is_nan());
    }
    let table = one("whole.parquet");
    assert_eq!(named(&table), [&NAMES[..], &["odd", "gaps"]].concat());
    for (row, values) in table.values.chunks(7).enumerate() {
        let whole: Vec<f64> = (0..5).map(|column| 4.0 * value(row, column)).collect();
        assert_eq!(values[..4], whole[..4]);
        assert_eq!(values[4], whole[4] + 6.0);
        assert_eq!(values[5], f64::from(u8::from(whole[3].rem_euclid(2.0) == 1.0)));
        assert_eq!(values[6].is_nan(), whole[3] < 0.0);
        assert!(whole[3] < 0.0 || values[6] == whole[3]);
    }
}

#[test]
fn a_long_parquet_table_has_a_view_for_each_subject() {
    let options = ReadOptions {
        view_column: Some("subject".into()),
        block_column: Some("trial".into()),
        ..ReadOptions::default()
    };
    let found = tables("long.parquet", &options);
    assert_eq!(
        found.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
        ["sub-0", "sub-1", "sub-2"]
    );
    for (view, table) in found.iter().enumerate() {
        assert_eq!(named(table), NAMES);
        assert_eq!(
            table.blocks.as_deref(),
            Some(&["0", "1", "2", "3"].map(String::from)[..])
        );
        let rows: Vec<f64> = (0..4)
            .flat_map(|k| (0..5).map(move |column| value(3 * k + view, column)))
            .collect();
        assert_eq!(table.values, rows);
    }
}

#[test]
fn what_parquet_cannot_give_is_told() {
    let error = refused("text.parquet", &ReadOptions::default());
    assert_eq!((error.code, error.node.as_deref()), (Code::E07, Some("note")));
    assert!(error.what.contains("`note` that holds text"), "{error}");
    let options = ReadOptions {
        ignore_columns: vec!["note".into()],
        ..ReadOptions::default()
    };
    assert!(
        refused("text.parquet", &options)
            .what
            .contains("`when` that holds dates")
    );
    let options = ReadOptions {
        ignore_columns: vec!["note".into(), "when".into()],
        ..ReadOptions::default()
    };
    assert_eq!(tables("text.parquet", &options)[0].values, expected(1.0));
    let error = refused("f64_brotli.parquet", &ReadOptions::default());
    assert!(
        error.what.ends_with("is compressed with Brotli, which is not read") && error.hint.contains("zstd"),
        "{error}"
    );
    // Lists and structures go by the names they were given, and are told of once.
    let Err(Error::Data(errors)) = try_tables("lists.parquet", &ReadOptions::default()) else {
        panic!("lists are no numbers");
    };
    let told: Vec<&str> = errors.iter().filter_map(|error| error.node.as_deref()).collect();
    assert_eq!(told, ["l", "s"]);
    let options = ReadOptions {
        ignore_columns: vec!["l".into(), "s".into()],
        ..ReadOptions::default()
    };
    assert_eq!(tables("lists.parquet", &options)[0].values, expected(1.0));
    let folder = tempfile::tempdir().unwrap();
    let hint = |name: &str| {
        let path = folder.path().join(name);
        match read(&[Input { name: None, path }], &ReadOptions::default()) {
            Err(Error::Data(errors)) => errors[0].hint.clone(),
            other => panic!("{other:?}"),
        }
    };
    std::fs::create_dir_all(folder.path().join("parts.parquet/a=1")).unwrap();
    assert!(hint("parts.parquet").contains("one file"));
    std::fs::create_dir(folder.path().join("some")).unwrap();
    assert!(hint("some").contains("FOLDER/*.csv"));
    std::fs::write(folder.path().join("some/x.npy"), "").unwrap();
    assert!(hint("some").contains("FOLDER/*.npy"));
    let options = ReadOptions {
        view_column: Some("Subject".into()),
        ..ReadOptions::default()
    };
    assert!(
        refused("long.parquet", &options)
            .hint
            .contains("did you mean `subject`")
    );
}

#[test]
fn nodes_in_rows_are_named_by_the_index_or_a_column_of_text() {
    let turned = ReadOptions {
        orient: Orient::NodesBySamples,
        ..ReadOptions::default()
    };
    let table = &tables("turned.parquet", &turned)[0];
    assert_eq!((table.n_rows, table.n_columns), (5, 12));
    assert_eq!(table.row_names.as_deref(), Some(&NAMES.map(String::from)[..]));
    let rows: Vec<f64> = (0..5)
        .flat_map(|column| (0..12).map(move |row| value(row, column)))
        .collect();
    assert_eq!(table.values, rows);
    let table = &tables("turned_text.parquet", &turned)[0];
    let mut names = NAMES.map(String::from);
    names.reverse();
    assert_eq!(table.row_names.as_deref(), Some(&names[..]));
    // Both as views: matched by name, whatever the order of the rows.
    let both = ["turned.parquet", "turned_text.parquet"].map(|name| Input {
        name: None,
        path: fixture(name),
    });
    let both = read(&both, &turned).unwrap();
    let options = ViewOptions {
        orient: Orient::NodesBySamples,
        ..ViewOptions::default()
    };
    let (views, warnings) = Views::assemble(both.into_iter().map(|one| one.table).collect(), &options).unwrap();
    assert_eq!(views.view(0).node(1), views.view(1).node(1));
    assert_eq!(warnings[0].code, "W02");
    let error = refused("turned_twice.parquet", &turned);
    assert!(error.what.contains("an index of 2 columns"), "{error}");
    // With nodes in columns an index is still no node.
    assert_eq!(one("indexed.parquet").n_columns, 5);
}

#[test]
fn variables_of_a_file_can_be_chosen() {
    // Points in time are no view, and labels name the nodes.
    let table = one("vector.mat");
    assert_eq!((table.name.as_str(), &table.values), ("vector", &expected(1.0)));
    assert_eq!(named(&table), NAMES);
    let only = |names: &[&str]| ReadOptions {
        variables: names.iter().map(ToString::to_string).collect(),
        ..ReadOptions::default()
    };
    assert!(
        refused("several.mat", &ReadOptions::default())
            .to_string()
            .contains("`variable = NAME`")
    );
    let found = tables("several.mat", &only(&["rest"]));
    assert_eq!((found[0].name.as_str(), &found[0].values), ("several", &expected(1.0)));
    // Two labels are not those of five nodes.
    assert_eq!(found[0].column_names, None);
    let found = tables("several.mat", &only(&["other", "rest"]));
    let names: Vec<&str> = found.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["rest", "other"]);
    assert_eq!(tables("several.mat", &only(&["t"]))[0].n_rows, 1);
    let error = refused("several.mat", &only(&["Rest"]));
    assert!(
        error.what.contains("no variable `Rest`; its variables are `t`, `rest`"),
        "{error}"
    );
    assert!(
        refused("f64_plain.parquet", &only(&["rest"]))
            .what
            .contains("no .mat or .npz file")
    );
    assert_eq!(tables("version73.mat", &only(&["task"])).len(), 1);
    let error = refused("plain73.mat", &ReadOptions::default());
    assert!(error.what.contains("which way round"), "{error}");
}

#[test]
fn matlab_of_every_type_and_order() {
    for name in ["f64.mat", "f32_compressed.mat", "sparse.mat"] {
        let table = one(name);
        assert_eq!(table.name, name.trim_end_matches(".mat"));
        let values = if name == "sparse.mat" {
            expected_sparse()
        } else {
            expected(1.0)
        };
        assert_eq!(table.values, values, "{name}");
        assert_eq!(named(&table), NAMES, "{name}");
    }
    assert_eq!(one("fortran.mat").values, expected(1.0));
    let found = tables("big_endian.mat", &ReadOptions::default());
    assert_eq!(
        found.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
        ["rest", "task"]
    );
    assert!(found.iter().all(|table| table.values == expected(1.0)));
    let found = tables("whole.mat", &ReadOptions::default());
    assert_eq!(
        found.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
        ["a", "b", "c", "d"]
    );
    for table in &found {
        let shift = if table.name == "c" { 6.0 } else { 0.0 };
        let values: Vec<f64> = expected(4.0).iter().map(|x| x + shift).collect();
        assert_eq!(table.values, values, "{}", table.name);
    }
    let found = tables("cube.mat", &ReadOptions::default());
    assert_eq!(
        found.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
        ["one", "two"]
    );
    assert_eq!((&found[0].values, &found[1].values), (&expected(1.0), &expected(-1.0)));
    assert!(found.iter().all(|table| named(table) == NAMES));
}

#[test]
fn matlab_7_3() {
    let found = tables("version73.mat", &ReadOptions::default());
    assert_eq!(
        found.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
        ["rest", "sparse", "task"]
    );
    assert_eq!(found[0].values, expected(1.0));
    assert_eq!(found[1].values, expected_sparse());
    assert_eq!(found[2].values, expected(1.0));
    assert!(found.iter().all(|table| named(table) == NAMES));
}

#[test]
fn what_matlab_cannot_give_is_told() {
    let error = refused("struct.mat", &ReadOptions::default());
    assert!(
        error
            .what
            .contains("`subject` is a struct with the fields `age` and `eeg`"),
        "{error}"
    );
    assert!(
        refused("complex.mat", &ReadOptions::default())
            .what
            .contains("complex numbers")
    );
    assert!(
        refused("version4.mat", &ReadOptions::default())
            .what
            .contains("version 4")
    );
}

fn grouped(column: &str) -> ReadOptions {
    ReadOptions {
        groupby: Some(column.into()),
        ..ReadOptions::default()
    }
}

#[test]
fn anndata_dense_and_sparse() {
    for (name, values) in [
        ("dense_f32_gzip.h5ad", expected(1.0)),
        ("dense_f64.h5ad", expected(1.0)),
        ("dense_i32.h5ad", expected(4.0)),
        ("csr_f32_lzf.h5ad", expected_sparse()),
        ("csc_f64_gzip.h5ad", expected_sparse()),
        ("old.h5ad", expected(1.0)),
        ("rows.h5ad", expected(1.0)),
    ] {
        let table = one(name);
        assert_eq!(table.values, values, "{name}");
        assert_eq!(named(&table), NAMES, "{name}");
        // Categories in their order, those without a cell left out.
        let found = tables(name, &grouped("cell_type"));
        assert_eq!(
            found.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
            ["NK", "T", "B"],
            "{name}"
        );
        for (table, first) in found.iter().zip([2, 0, 1]) {
            let rows: Vec<f64> = values.chunks(5).skip(first).step_by(3).flatten().copied().collect();
            assert_eq!(table.values, rows, "{name}");
        }
    }
}

#[test]
fn anndata_by_text_numbers_layers_and_genes() {
    let name = "csr_f32_lzf.h5ad";
    let views = |column: &str| -> Vec<String> {
        tables(name, &grouped(column))
            .into_iter()
            .map(|table| table.name)
            .collect()
    };
    assert_eq!(views("donor"), ["d0", "d1"]);
    assert_eq!(views("lane"), ["0", "1", "2"]);
    assert_eq!(views("doublet"), ["False", "True"]);
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("genes.txt");
    std::fs::write(&list, "Oz\n\nFz\nPz\n").unwrap();
    for genes in ["highly_variable", list.to_str().unwrap()] {
        for name in ["dense_f64.h5ad", "csr_f32_lzf.h5ad", "csc_f64_gzip.h5ad"] {
            let options = ReadOptions {
                genes: Some(genes.into()),
                block_column: Some("lane".into()),
                ..grouped("donor")
            };
            let all = one(name).values;
            let found = tables(name, &options);
            assert_eq!(named(&found[1]), ["Fz", "Pz", "Oz"]);
            let chosen: Vec<f64> = all.chunks(5).skip(6).flat_map(|row| [row[0], row[2], row[3]]).collect();
            assert_eq!(found[1].values, chosen, "{name}");
            assert_eq!(
                found[1].blocks.as_deref(),
                Some(&["1", "1", "2", "2", "2", "2"].map(String::from)[..])
            );
        }
    }
    // What a group's table lacks because few of its cells show it is told from what the file lacks.
    let options = ReadOptions {
        min_cells_per_gene: 4,
        ..grouped("cell_type")
    };
    let found = tables("dense_f64.h5ad", &options);
    assert!(found[1].seldom.contains(&"Fz".to_owned()), "{:?}", found[1].seldom);
    for table in &found {
        let mut all: Vec<&str> = named(table);
        all.extend(table.seldom.iter().map(String::as_str));
        all.sort_by_key(|name| NAMES.iter().position(|known| known == name));
        assert_eq!(all, NAMES);
    }
    let options = ReadOptions {
        layer: Some("counts".into()),
        ..ReadOptions::default()
    };
    let counts: Vec<f64> = expected(4.0).iter().map(|x| x.abs()).collect();
    assert_eq!(tables(name, &options)[0].values, counts);
    // A truth value that is missing does not hold.
    let options = ReadOptions {
        genes: Some("partly".into()),
        ..ReadOptions::default()
    };
    assert_eq!(named(&tables("nullable.h5ad", &options)[0]), ["Fz", "Pz", "Oz"]);
    // What was kept as raw may have other genes; those that are highly variable are told by `var`.
    for name in ["dense_f64.h5ad", "rows.h5ad"] {
        let options = ReadOptions {
            layer: Some("raw".into()),
            ..ReadOptions::default()
        };
        let raw = &tables(name, &options)[0];
        assert_eq!(named(raw), ["Fz", "Cz", "Pz", "Oz", "T7", "T8"], "{name}");
        let rows: Vec<f64> = (0..12)
            .flat_map(|row| (0..6).map(move |column| value(row, column)))
            .collect();
        assert_eq!(raw.values, rows, "{name}");
        let options = ReadOptions {
            genes: Some("highly_variable".into()),
            ..options
        };
        assert_eq!(named(&tables(name, &options)[0]), ["Fz", "Pz", "Oz"], "{name}");
    }
}

#[test]
fn what_anndata_lacks_is_told() {
    let name = "dense_f64.h5ad";
    assert!(
        refused(name, &grouped("Cell_Type"))
            .hint
            .contains("did you mean `cell_type`")
    );
    let error = refused(name, &grouped("partly"));
    assert!(error.what.contains("1 of 12 cells without a label"), "{error}");
    let options = |genes: &str, layer: Option<&str>| ReadOptions {
        genes: Some(genes.into()),
        layer: layer.map(String::from),
        ..ReadOptions::default()
    };
    assert!(
        refused(name, &options("highly", None))
            .what
            .contains("nor is there a file")
    );
    assert!(refused(name, &options("mean", None)).what.contains("truth values"));
    assert!(
        refused(name, &options("highly_variable", Some("scaled")))
            .what
            .contains("its layers are `counts` and `raw`")
    );
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("genes.txt");
    std::fs::write(&list, "Fz\nC5\n").unwrap();
    assert!(
        refused(name, &options(list.to_str().unwrap(), None))
            .what
            .contains("no gene `C5`")
    );
    let turned = ReadOptions {
        view_column: Some("cell_type".into()),
        ..ReadOptions::default()
    };
    assert!(refused(name, &turned).to_string().contains("`groupby = COLUMN`"));
    // And of a table that is none.
    let told = refused("f64.mat", &grouped("cell_type")).to_string();
    assert!(told.contains("leave out `groupby`; `view_column = COLUMN`"), "{told}");
}

/// How many damaged copies of a file are read.
const COPIES: usize = 600;

#[test]
fn damaged_files_are_refused_or_read() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !congraph_io::input::is_guarded() {
            usual(panic);
        }
    }));
    for name in [
        "f64_snappy.parquet",
        "f32_gzip.parquet",
        "f64_lz4.parquet",
        "f64_zstd.parquet",
        "f64_plain.parquet",
        "f16.parquet",
        "whole.parquet",
        "f64.mat",
        "f32_compressed.mat",
        "sparse.mat",
        "cube.mat",
        "struct.mat",
        "big_endian.mat",
        "version73.mat",
        "dense_f32_gzip.h5ad",
        "csr_f32_lzf.h5ad",
        "old.h5ad",
        "rows.h5ad",
    ] {
        let good = std::fs::read(fixture(name)).unwrap();
        let options = if name.ends_with("h5ad") {
            grouped("cell_type")
        } else {
            ReadOptions::default()
        };
        let ending = name.rsplit_once('.').unwrap().1;
        let folder = tempfile::tempdir().unwrap();
        let try_reading = |bytes: &[u8]| {
            let input = files::file(folder.path(), &format!("damaged.{ending}"), bytes);
            match read(&[input], &options) {
                Ok(_) => {}
                Err(Error::Data(errors)) => {
                    for error in errors {
                        assert!(!error.what.is_empty() && !error.hint.is_empty(), "{name}: {error}");
                    }
                }
                Err(other) => panic!("{name}: {other}"),
            }
        };
        let step = good.len().div_ceil(COPIES / 4).max(1);
        for end in (0..good.len()).step_by(step) {
            try_reading(&good[..end.max(1)]);
        }
        // Every place in short files, and places spread over long ones; a bit, all bits, and words of ones.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..COPIES {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % good.len();
            let mut bad = good.clone();
            match state >> 60 {
                0..8 => bad[at] ^= 1 << (state >> 57 & 7),
                8..12 => bad[at] = 0xff,
                12..14 => bad[at..(at + 4).min(good.len())].fill(0xff),
                _ => bad[at..(at + 8).min(good.len())].fill(0),
            }
            try_reading(&bad);
        }
    }
}

#[test]
fn files_of_another_kind_under_the_name_are_refused() {
    for ending in ["parquet", "mat", "h5ad"] {
        for bytes in [&b"a,b\n1,2\n"[..], &[0; 600], b"PAR1PAR1", b"\x89HDF\r\n\x1a\n"] {
            let errors = files::errors(&format!("x.{ending}"), bytes, &ReadOptions::default());
            assert_eq!(errors[0].code, Code::E07);
        }
    }
}
