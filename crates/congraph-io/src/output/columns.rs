//! Further columns for a table of a result folder. What is there stays as it is.

use std::borrow::Cow;
use std::path::Path;

use congraph::Error;
use csv::{Terminator, WriterBuilder};

use super::folder::{Folder, OutputError};
use super::readback::{HINT, WHY};
use crate::input::records::{Records, Separator};
use crate::input::{fault, read_regular_text, reason};

/// Stages the table `name` of the result folder with further columns, in place of those of the names in `replaced`.
/// `cells` are told the row's cells in the columns `keys`, and tell those of `columns`.
///
/// # Errors
/// [`Error::Data`] (E07) if the table cannot be read, [`OutputError`] if it cannot be written.
pub fn add_columns<E: From<Error> + From<OutputError>>(
    folder: &Folder,
    name: &str,
    keys: &[&str],
    replaced: &[&str],
    columns: &[&str],
    mut cells: impl FnMut(&[&str]) -> Vec<String>,
) -> Result<(), E> {
    let path = folder.target().join(name);
    let text =
        read_regular_text(&path).map_err(|error| broken(&path, &format!("cannot be read: {}", reason(&error))))?;
    let quote = |_| broken(&path, "holds a quoted cell that does not end where it should");
    let mut records = Records::new(&text, Separator::Byte(b'\t'));
    let mut row: Vec<Cow<'_, str>> = Vec::new();
    records.next_row(&mut row).map_err(quote)?;
    let header: Vec<String> = row.iter().map(|cell| cell.clone().into_owned()).collect();
    let kept: Vec<usize> = (0..header.len())
        .filter(|&k| !replaced.contains(&header[k].as_str()))
        .collect();
    let place = |key: &&str| header.iter().position(|cell| cell == key);
    let Some(places) = keys.iter().map(place).collect::<Option<Vec<usize>>>() else {
        return Err(broken(&path, "lacks a column that it was written with").into());
    };
    let mut builder = WriterBuilder::new();
    let builder = builder.delimiter(b'\t').terminator(Terminator::Any(b'\n'));
    let mut table = builder.from_writer(Vec::new());
    let failed = |error: csv::Error| OutputError::Io {
        path: path.clone(),
        source: error.into(),
    };
    let names = kept.iter().map(|&k| header[k].as_str());
    table
        .write_record(names.chain(columns.iter().copied()))
        .map_err(failed)?;
    while records.next_row(&mut row).map_err(quote)?.is_some() {
        if row.len() != header.len() {
            return Err(broken(&path, "has a row of another length").into());
        }
        let known: Vec<&str> = places.iter().map(|&k| &*row[k]).collect();
        let more = cells(&known);
        let own = kept.iter().map(|&k| &*row[k]);
        table
            .write_record(own.chain(more.iter().map(String::as_str)))
            .map_err(failed)?;
    }
    let bytes = table.into_inner().map_err(|error| OutputError::Io {
        path: path.clone(),
        source: error.into_error(),
    })?;
    Ok(super::write(folder, name, |out| {
        std::io::Write::write_all(out, &bytes)
    })?)
}

fn broken(path: &Path, what: &str) -> Error {
    Error::from(*fault(path, what, WHY, HINT))
}
