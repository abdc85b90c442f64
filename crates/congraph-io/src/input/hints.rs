//! What we say of a row or cell of text that is not what it should be, and the likely way out.

use congraph::options::option;
use std::borrow::Cow;
use std::path::Path;

use super::cells::{has_decimal_comma, is_missing};
use super::faults::{Fault, fault_at, said, shown};
use super::records::{Records, Separator};
use super::text::Layout;

/// Column names that usually tell views apart.
const LABELS: [&str; 12] = [
    "subject",
    "participant",
    "sub",
    "view",
    "group",
    "session",
    "condition",
    "cell_type",
    "celltype",
    "batch",
    "year",
    "patient",
];

/// A cell that should be a number holds text.
pub(super) fn text_cell(
    path: &Path,
    line: usize,
    column: usize,
    cell: &str,
    layout: &Layout,
    rest: &Records<'_>,
) -> Fault {
    let name = layout
        .names
        .as_ref()
        .and_then(|names| names.get(column))
        .filter(|name| !name.trim().is_empty());
    let place = match name {
        Some(name) => format!("column {} (`{name}`)", column + 1),
        None => format!("column {}", column + 1),
    };
    let is_comma_number = has_decimal_comma(cell);
    let found = if is_comma_number {
        "has a decimal comma and is not read as a number"
    } else {
        "is not a number"
    };
    let hint = if is_comma_number {
        "write numbers with a decimal point: 0.5, not 0,5".to_owned()
    } else if let Some(separators) = other_separator(cell, layout.separator) {
        separators.into()
    } else if let Some(name) = name {
        let is_label = LABELS.contains(&name.trim().to_lowercase().as_str()) || repeats(cell, column, rest);
        if is_label {
            format!(
                "{} if it tells the views apart, {} to leave it out",
                option("view_column").set_to(format!("\"{name}\"")),
                option("ignore_columns").set_to(format!("\"{name}\""))
            )
        } else {
            format!(
                "correct the cell, or leave the column out with {}",
                option("ignore_columns").set_to(format!("\"{name}\""))
            )
        }
    } else if layout.names.is_none() && line == 1 {
        format!(
            "{} if the first line holds the names of the columns",
            option("header").set_to("yes")
        )
    } else {
        format!(
            "correct the cell, or remove the column; {} leaves one out if the first line holds names",
            option("ignore_columns").set_to("NAME")
        )
    };
    let what = format!("`{}`, line {line}, {place}: `{}` {found}", path.display(), shown(cell));
    let why = "every cell of a view is a number: one row per sample, one column per node";
    let mut fault = said(what, why, hint);
    fault.node = name.cloned();
    fault
}

/// A cell that holds a whole row: the file has another separator than its ending says.
fn other_separator(cell: &str, separator: Separator) -> Option<&'static str> {
    let splits = |mark: char| {
        let mut parts = cell.split(mark);
        parts.clone().count() > 2 && parts.all(|part| super::number(part).is_some())
    };
    match separator {
        Separator::Byte(b'\t') if splits(',') => Some("the cells look comma separated: call the file .csv"),
        Separator::Byte(b'\t') if splits(';') => Some("the cells look semicolon separated: call the file .csv"),
        Separator::Byte(b',') if cell.contains(';') => Some(
            "the cells look semicolon separated with decimal commas: write numbers with a decimal point, 0.5, not 0,5",
        ),
        _ => None,
    }
}

/// Whether the next row has the same text in this column.
fn repeats(cell: &str, column: usize, rest: &Records<'_>) -> bool {
    let mut next = Vec::new();
    let found = rest.clone().next_row(&mut next);
    found.is_ok() && next.get(column).is_some_and(|other| other == cell)
}

/// A row with more or fewer cells than the table has columns.
pub(super) fn ragged(path: &Path, line: usize, layout: &Layout, cells: &[Cow<'_, str>]) -> Fault {
    let (expected, found) = (layout.n_cells(), cells.len());
    let hint = if expected > 1 && found == 2 * expected && layout.separator == Separator::Byte(b',') {
        "there are twice as many cells as columns: if the numbers have decimal commas, write decimal points: 0.5, not \
        0,5"
    } else if found == expected + 1 && cells.last().is_some_and(|cell| is_missing(cell)) {
        "the row ends with a separator too many: remove it"
    } else {
        "give every row the same number of cells; leave a cell empty where a value is missing"
    };
    let what = format!("the row has {found} cells where {expected} are expected");
    fault_at(
        path,
        line,
        &what,
        "a value in the wrong column would belong to another node",
        hint,
    )
}

/// A row of a long table that belongs to no view.
pub(super) fn no_label(path: &Path, line: usize) -> Fault {
    let what = "the view column is empty";
    fault_at(
        path,
        line,
        what,
        "it is not clear to which view the row belongs",
        "fill it in, or remove the row",
    )
}
