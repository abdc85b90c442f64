//! What the columns of a table are for, and which of them the options name.

use super::ReadOptions;

/// What a column of a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Data,
    RowName,
    View,
    Condition,
    Block,
    Time,
    Ignored,
}

/// The columns that options name: the option's id, the name, and what the column is for.
pub(super) fn named_columns(options: &ReadOptions) -> impl Iterator<Item = (&'static str, &String, Role)> {
    let ignored = options
        .ignore_columns
        .iter()
        .map(|name| ("ignore_columns", name, Role::Ignored));
    let view = options.view_column.iter().map(|name| ("view_column", name, Role::View));
    let block = options
        .block_column
        .iter()
        .map(|name| ("block_column", name, Role::Block));
    let time = options.time_column.iter().map(|name| ("time_column", name, Role::Time));
    // Of a subject in several conditions, a view is what both columns say.
    let subject = options
        .subject_column
        .iter()
        .map(|name| ("subject_column", name, Role::View));
    let condition = options
        .condition_column
        .iter()
        .map(|name| ("condition_column", name, Role::Condition));
    ignored
        .chain(view)
        .chain(block)
        .chain(time)
        .chain(subject)
        .chain(condition)
}
