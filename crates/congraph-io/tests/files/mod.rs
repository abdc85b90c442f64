//! Files for the tests.
use std::path::Path;

use congraph::{DataError, Error, Table};
use congraph_io::{Input, Loaded, ReadOptions, read};

pub(crate) fn file(folder: &Path, name: &str, bytes: &[u8]) -> Input {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    Input { name: None, path }
}

pub(crate) fn loaded(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Vec<Loaded>, Error> {
    let folder = tempfile::tempdir().unwrap();
    read(&[file(folder.path(), name, bytes)], options)
}

pub(crate) fn one(name: &str, bytes: &[u8], options: &ReadOptions) -> Table {
    let mut found = loaded(name, bytes, options).unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0).table
}

pub(crate) fn errors(name: &str, bytes: &[u8], options: &ReadOptions) -> Vec<DataError> {
    match loaded(name, bytes, options) {
        Err(Error::Data(errors)) => errors,
        other => panic!("expected data errors, found {other:?}"),
    }
}
