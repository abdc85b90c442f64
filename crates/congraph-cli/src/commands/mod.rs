//! One command, one file.

mod candidates;
pub(crate) mod check;
pub(crate) mod communities;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod eeg;
pub(crate) mod evaluate;
pub(crate) mod export;
mod fit;
mod input;
mod jgl;
pub(crate) mod learn;
mod places;
pub(crate) mod project;
pub(crate) mod report;
pub(crate) mod simulate;
pub(crate) mod tune;
mod work;

use crate::console::visible;

/// Rows of cells in columns: the first to the left, the others to the right.
fn table<R: AsRef<[String]>>(rows: &[R]) -> String {
    let shown = |row: &R| -> Vec<String> {
        let cells = row.as_ref().iter();
        cells.map(|cell| visible(cell).replace('\n', "⏎")).collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let mut widths = vec![0; rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut lines = Vec::with_capacity(rows.len());
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(k, (cell, &width))| match k {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        lines.push(cells.collect::<Vec<_>>().join("  ").trim_end().to_owned());
    }
    lines.join("\n")
}
