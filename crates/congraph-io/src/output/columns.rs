//! Further columns for a table of a result folder. What is there stays as it is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use congraph::{Error, MultiviewGraph};
use congraph_record::record::{EDGE_COLUMNS, StabilityColumns, VIEW_COLUMNS};
use csv::{Terminator, WriterBuilder};

use super::folder::{Folder, OutputError};
use super::readback::{HINT, WHY};
use crate::input::records::{Records, Separator};
use crate::input::{fault, read_regular_text, reason};

/// The tables that get columns of `congraph stability`: of the consensus, and of the views.
pub const STABILITY_TABLES: [&str; 2] = ["edges.tsv", "edges_long.tsv"];

/// Stages the tables of edges with what is known of how sure edges are, in place of what they told of it before. Read are the tables
/// in the folder `from`: those of the result folder, or those that were staged for it.
///
/// # Errors
/// [`Error::Data`] (E07) if a table cannot be read, [`OutputError`] if it cannot be written.
pub fn write_stability<E: From<Error> + From<OutputError>>(
    folder: &Folder,
    from: &Path,
    graph: &MultiviewGraph,
    of_edges: &StabilityColumns,
    of_views: &StabilityColumns,
) -> Result<(), E> {
    let nodes: HashMap<&str, u32> = (0..).zip(graph.nodes()).map(|(k, name)| (name.as_str(), k)).collect();
    let edges: HashMap<[u32; 2], usize> = graph.pairs().iter().enumerate().map(|(k, &pair)| (pair, k)).collect();
    let views: HashMap<&str, usize> = (0..).zip(graph.views()).map(|(k, name)| (name.as_str(), k)).collect();
    let edge = |source: &str, target: &str| {
        let (a, b) = (*nodes.get(source)?, *nodes.get(target)?);
        edges.get(&[a.min(b), a.max(b)]).copied()
    };
    let table = Table {
        folder,
        from,
        name: STABILITY_TABLES[0],
        keys: &["source", "target"],
        replaced: &EDGE_COLUMNS,
    };
    table.with::<E>(&of_edges.names(), |keys| of_edges.cells(edge(keys[0], keys[1])))?;
    let table = Table {
        name: STABILITY_TABLES[1],
        keys: &["view", "source", "target"],
        replaced: &VIEW_COLUMNS,
        ..table
    };
    table.with::<E>(&of_views.names(), |keys| {
        let place = edge(keys[1], keys[2]).zip(views.get(keys[0]));
        of_views.cells(place.map(|(edge, view)| edge * graph.n_views() + view))
    })
}

/// A table that gets further columns in place of those of the names in `replaced`.
#[derive(Clone, Copy)]
struct Table<'t> {
    folder: &'t Folder,
    from: &'t Path,
    name: &'t str,
    keys: &'t [&'t str],
    replaced: &'t [&'t str],
}

impl Table<'_> {
    /// `cells` are told the row's cells in the columns `keys`, and tell those of `columns`.
    fn with<E: From<Error> + From<OutputError>>(
        self,
        columns: &[&str],
        mut cells: impl FnMut(&[&str]) -> Vec<String>,
    ) -> Result<(), E> {
        let Self {
            folder,
            from,
            name,
            keys,
            replaced,
        } = self;
        let path = from.join(name);
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
}

fn broken(path: &Path, what: &str) -> Error {
    Error::from(*fault(path, what, WHY, HINT))
}
