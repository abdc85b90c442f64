//! One long table for all views, told apart by the values of one column, or of two: of the subject and of the condition.
//! A view is then called `SUBJECT/CONDITION`.
//!
//! The rows of a view need not be next to each other, nor in one file.

use std::collections::HashMap;

use congraph::Table;

use super::faults::{Fault, fault};
use super::text::Sheet;
use super::{Input, Loaded, name_within};

/// The views of a sheet, in the order in which their labels first appear.
pub(super) fn split(input: &Input, sheet: &Sheet) -> Vec<Table> {
    let table = &sheet.table;
    let mut views: Vec<Table> = Vec::new();
    let mut index: HashMap<(&str, Option<&String>), usize> = HashMap::new();
    let rows = table.values.chunks_exact(table.n_columns);
    for (row, (label, values)) in sheet.labels.iter().zip(rows).enumerate() {
        let condition = sheet.conditions.get(row);
        let view = *index.entry((label, condition)).or_insert_with(|| {
            let name = condition.map_or_else(|| label.clone(), |condition| format!("{label}/{condition}"));
            views.push(Table {
                name: name_within(input, &name),
                subject: condition.map(|_| label.clone()),
                column_names: table.column_names.clone(),
                row_names: table.row_names.as_ref().map(|_| Vec::new()),
                blocks: table.blocks.as_ref().map(|_| Vec::new()),
                n_columns: table.n_columns,
                ..Table::default()
            });
            views.len() - 1
        });
        let view = &mut views[view];
        view.values.extend_from_slice(values);
        view.n_rows += 1;
        for (ours, all) in [
            (&mut view.row_names, &table.row_names),
            (&mut view.blocks, &table.blocks),
        ] {
            if let (Some(ours), Some(all)) = (ours, all) {
                ours.push(all[row].clone());
            }
        }
    }
    views
}

/// Joins the rows of views that occur in several files. They must have the same columns in the same order.
pub(super) fn merge(views: Vec<Loaded>) -> Result<Vec<Loaded>, Vec<Fault>> {
    let mut merged: Vec<Loaded> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut errors = Vec::new();
    for view in views {
        let Some(&first) = index.get(&view.table.name) else {
            index.insert(view.table.name.clone(), merged.len());
            merged.push(view);
            continue;
        };
        let (first, name) = (&mut merged[first], &view.table.name);
        if first.table.column_names != view.table.column_names {
            let what = format!(
                "has rows of view `{name}`, as `{}` has, but with other columns",
                first.path.display()
            );
            let hint = "give both files the same columns in the same order, or name one of them: NAME=FILE";
            errors.push(fault(
                &view.path,
                &what,
                "rows of one view are joined, column by column",
                hint,
            ));
            continue;
        }
        append(&mut first.table, view.table);
    }
    if errors.is_empty() { Ok(merged) } else { Err(errors) }
}

fn append(table: &mut Table, more: Table) {
    table.n_rows += more.n_rows;
    table.values.extend(more.values);
    table.row_names = joined(table.row_names.take(), more.row_names);
    table.blocks = joined(table.blocks.take(), more.blocks);
}

fn joined(ours: Option<Vec<String>>, more: Option<Vec<String>>) -> Option<Vec<String>> {
    let mut ours = ours?;
    ours.extend(more?);
    Some(ours)
}
