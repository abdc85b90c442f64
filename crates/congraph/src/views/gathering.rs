//! From a table to a view: the matched columns, node by node.

use std::collections::HashSet;

use super::missing::{self, Lack, Lacking};
use super::rows::Rows;
use super::{Kind, Missing, NanRule, Table, View, ViewOptions, checks};
use crate::error::{DataError, Warning};

/// How many rows of a table are turned at once.
const ROWS_AT_ONCE: usize = 32;

/// Takes the matched columns out of a table, node by node, leaving out rows with NaN where that is the rule; and tells
/// which nodes it lacks. Their values are 0.
pub(super) fn gather<Values: AsRef<[f64]>>(
    table: Table<Values>,
    columns: &[Option<usize>],
    options: &ViewOptions,
    nodes: &[String],
    errors: &mut Vec<DataError>,
    warnings: &mut Vec<Warning>,
) -> (View, Lacking) {
    let is_signals = options.kind == Kind::Signals;
    let cells = table.cells();
    let at = |row: usize, column: usize| cells[row * table.n_columns + column];
    let seldom: HashSet<&str> = table.seldom.iter().map(String::as_str).collect();
    let lack = |node: &String| match seldom.contains(node.as_str()) {
        true => Lack::Seldom,
        false => Lack::Absent,
    };
    let absent = |(column, node): (&Option<usize>, &String)| column.is_none().then(|| lack(node));
    let mut lacking: Lacking = columns.iter().zip(nodes).map(absent).collect();
    if options.missing == Missing::Mask {
        missing::not_finite(&mut lacking, columns, table.n_rows, at, nodes, options);
    }
    let column = |node: usize| columns[node].filter(|_| lacking[node].is_none());
    // A precomputed matrix has its rows in the order of its columns.
    let mut rows: Vec<Option<usize>> = if is_signals {
        (0..table.n_rows).map(Some).collect()
    } else {
        (0..nodes.len()).map(column).collect()
    };
    if is_signals && options.nan == NanRule::DropRows {
        let own: Vec<usize> = (0..nodes.len()).filter_map(column).collect();
        let is_whole = |row: usize| own.iter().all(|&column| at(row, column).is_finite());
        warnings.extend(drop_rows(&mut rows, is_whole, &table.name));
    } else if options.missing == Missing::Error {
        let columns: Vec<usize> = columns.iter().copied().flatten().collect();
        let rows: Vec<usize> = rows.iter().copied().flatten().collect();
        errors.extend(checks::finite(&table, &columns, nodes, &rows, options.kind));
    }
    let values = turned(&rows, nodes.len(), column, at);
    let view = View {
        n_effective: table
            .n_effective
            .map(|n| n * rows.len() as f64 / table.n_rows.max(1) as f64),
        n_samples: if is_signals { Some(rows.len()) } else { table.n_samples },
        blocks: table
            .blocks
            .map(|blocks| rows.iter().flatten().map(|&row| blocks[row].clone()).collect()),
        name: table.name,
        rows: Rows::new(values, rows.len()),
    };
    (view, lacking)
}

/// Leaves out the rows that are not whole; a warning if there are any.
fn drop_rows(rows: &mut Vec<Option<usize>>, is_whole: impl Fn(usize) -> bool, view: &str) -> Option<Warning> {
    let before = rows.len();
    rows.retain(|row| row.is_some_and(&is_whole));
    let dropped = before - rows.len();
    let message = format!("{dropped} of {before} samples hold NaN or infinite values and were left out");
    (dropped > 0).then(|| Warning::new("W05", message).in_view(view))
}

/// The values node by node; 0 where there is no column or no row.
fn turned(
    rows: &[Option<usize>],
    n_nodes: usize,
    column: impl Fn(usize) -> Option<usize>,
    at: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let mut values = vec![0.0; rows.len() * n_nodes];
    // A few rows at a time, so that each is read from memory once.
    for (part, rows_in_part) in rows.chunks(ROWS_AT_ONCE).enumerate() {
        for node in 0..n_nodes {
            let Some(column) = column(node) else { continue };
            let start = node * rows.len() + part * ROWS_AT_ONCE;
            for (value, row) in values[start..].iter_mut().zip(rows_in_part) {
                *value = row.map_or(0.0, |row| at(row, column));
            }
        }
    }
    values
}
