//! `.csv`, `.tsv` and `.txt` tables.
//!
//! The first line decides how the rest is read (see [`Layout`]); then one pass turns cells into numbers. Every column
//! with text in it is reported once, not once per cell.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use congraph::options::option;
use congraph::{Orient, Table};

use super::cells::number;
use super::faults::{Fault, fault, fault_at, no_such_column};
use super::records::{BadQuote, Records, Separator};
use super::roles::{Role, named_columns};
use super::sources::{Ending, memory, too_large};
use super::{Header, Input, ReadOptions, hints, long};

/// How many columns with text in them are reported.
const REPORTED: usize = 5;

/// What was learned from the first lines.
pub(super) struct Layout {
    /// One name per column of the file, if it has a header.
    pub(super) names: Option<Vec<String>>,
    roles: Vec<Role>,
    pub(super) separator: Separator,
}

/// The rows of a text file: numbers, and the labels that came with them.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) table: Table,
    /// The view of each row, in long tables.
    pub(super) labels: Vec<String>,
    /// The condition of each row, where labels are subjects.
    pub(super) conditions: Vec<String>,
}

/// Reads a text file: one table, or one per view of a long table.
pub(super) fn read(input: &Input, text: &str, ending: Ending, options: &ReadOptions) -> Result<Vec<Table>, Vec<Fault>> {
    let mut records = Records::new(text, separator(text, ending));
    let layout =
        Layout::find(&input.path, &mut records, separator(text, ending), options).map_err(|error| vec![error])?;
    let sheet = fill(&input.path, records, &layout)?;
    if options.is_long() {
        return Ok(long::split(input, &sheet));
    }
    Ok(vec![Table {
        name: input.view_name(),
        ..sheet.table
    }])
}

/// What separates the cells, by the ending and the first line.
pub(super) fn separator(text: &str, ending: Ending) -> Separator {
    let line = text.trim_start_matches(['\r', '\n']).lines().next().unwrap_or_default();
    let mut is_quoted = false;
    let mut holds = [false; 4];
    for byte in line.bytes() {
        is_quoted ^= byte == b'"';
        if let Some(k) = b",;\t ".iter().position(|&mark| mark == byte && !is_quoted) {
            holds[k] = true;
        }
    }
    let [comma, semicolon, tab, space] = holds;
    let otherwise = |otherwise| match () {
        () if comma => Separator::Byte(b','),
        () if semicolon => Separator::Byte(b';'),
        () if tab => Separator::Byte(b'\t'),
        () => otherwise,
    };
    match ending {
        Ending::Tsv => Separator::Byte(b'\t'),
        Ending::Txt if tab => Separator::Byte(b'\t'),
        // `1,5;2,5`: the commas are decimal.
        Ending::Txt if semicolon => Separator::Byte(b';'),
        Ending::Txt if space => otherwise(Separator::Spaces),
        Ending::Csv | Ending::Txt => otherwise(Separator::Byte(b',')),
    }
}

/// Refuses a first row that may be names or a sample: whole numbers, all different, before a row with fractions.
fn refuse_ambiguous_header(
    path: &Path,
    line: usize,
    first: &[Cow<'_, str>],
    mut rest: Records<'_>,
) -> Result<(), Fault> {
    let mut second = Vec::new();
    if !may_be_names(first) || row(path, &mut rest, &mut second)?.is_none() {
        return Ok(());
    }
    if !second.iter().any(|cell| number(cell).is_some_and(|x| x.fract() != 0.0)) {
        return Ok(());
    }
    let what = format!(
        "whole numbers, all different (`{}`, `{}`, …), where the next row has fractions: these may be names or a \
         sample",
        first[0].trim(),
        first[1].trim()
    );
    let why = "names taken for a sample would spoil the data, and nodes are matched by name";
    let header = |value: &str| option("header").set_to(value);
    let hint = format!(
        "{} if they are the names of the columns, {} if they are a sample",
        header("yes"),
        header("no")
    );
    Err(fault_at(path, line, &what, why, hint))
}

impl Layout {
    /// Reads the header, if there is one, and finds what each column is for. Leaves `records` at the first row of data.
    fn find(
        path: &Path,
        records: &mut Records<'_>,
        separator: Separator,
        options: &ReadOptions,
    ) -> Result<Self, Fault> {
        let nothing = |what: &str| fault(path, what, "there are no numbers to read", "check how it was written");
        let mut first = Vec::new();
        // Without a header the first row is data: the walk starts there again.
        let start = records.clone();
        let line = row(path, records, &mut first)?.ok_or_else(|| nothing("is empty"))?;
        let is_header = match options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => looks_like_names(&first),
        };
        if options.header == Header::Auto && !is_header {
            refuse_ambiguous_header(path, line, &first, records.clone())?;
        }
        let mut n_cells = first.len();
        let mut has_row_names = false;
        let mut names = None;
        if is_header {
            let mut second = Vec::new();
            row(path, &mut records.clone(), &mut second)?
                .ok_or_else(|| nothing(&format!("holds only a header (line {line}) and no rows")))?;
            let mut header: Vec<String> = first.iter().map(ToString::to_string).collect();
            // R leaves out the name of the column of row names. An empty last cell is only a separator too many.
            if second.len() == first.len() + 1 && second.last().is_some_and(|cell| !cell.trim().is_empty()) {
                header.insert(0, String::new());
                n_cells += 1;
            }
            has_row_names = header[0].trim().is_empty();
            names = Some(header);
        } else {
            *records = start;
        }
        if options.orient == Orient::NodesBySamples && !has_row_names {
            has_row_names = first_column_is_text(path, records.clone())?;
        }
        let mut roles = vec![Role::Data; n_cells];
        if has_row_names {
            roles[0] = Role::RowName;
        }
        let mut layout = Self {
            names,
            roles,
            separator,
        };
        layout.assign(path, options)?;
        if !layout.roles.contains(&Role::Data) {
            return Err(nothing("has no columns of numbers left"));
        }
        Ok(layout)
    }

    /// How many cells a row should have.
    pub(super) fn n_cells(&self) -> usize {
        self.roles.len()
    }

    fn assign(&mut self, path: &Path, options: &ReadOptions) -> Result<(), Fault> {
        let named = |name: &String| -> Vec<usize> {
            let columns = self.names.iter().flatten().enumerate();
            columns.filter(|(_, column)| *column == name).map(|(k, _)| k).collect()
        };
        for (option, name, role) in named_columns(options) {
            let columns = named(name);
            if columns.is_empty() {
                return Err(no_such_column(path, option, name, self.names.as_deref()));
            }
            if columns.len() > 1 && role != Role::Ignored {
                let what = format!("has {} columns called `{name}`", columns.len());
                return Err(fault(
                    path,
                    &what,
                    &format!("`{option}` must name one"),
                    "rename all but one of them",
                ));
            }
            for column in columns {
                self.roles[column] = role;
            }
        }
        Ok(())
    }

    fn data_names(&self) -> Option<Vec<String>> {
        let names = self.names.as_ref()?.iter().zip(&self.roles);
        Some(
            names
                .filter(|(_, role)| **role == Role::Data)
                .map(|(name, _)| name.clone())
                .collect(),
        )
    }
}

fn row<'t>(path: &Path, records: &mut Records<'t>, cells: &mut Vec<Cow<'t, str>>) -> Result<Option<usize>, Fault> {
    records.next_row(cells).map_err(|BadQuote { line }| {
        let what = "a quoted cell is not closed, or goes on after its closing quote";
        fault_at(
            path,
            line,
            what,
            "it is not clear where the cell ends",
            "close the quote, or double quotes inside it",
        )
    })
}

fn looks_like_names(cells: &[Cow<'_, str>]) -> bool {
    let (first, others) = cells.split_at(usize::from(cells.len() > 1));
    others.iter().any(|cell| number(cell).is_none())
        || counts_up(cells)
        || (first.iter().all(|cell| cell.is_empty()) && counts_up(others))
}

/// pandas numbers the columns of a table without names, R those of a matrix: `0,1,2,…` or `1,2,3,…`. No sample looks
/// so.
fn counts_up(cells: &[Cow<'_, str>]) -> bool {
    let from = |first: usize| {
        cells
            .iter()
            .enumerate()
            .all(|(k, cell)| **cell == (k + first).to_string())
    };
    cells.len() >= 3 && (from(0) || from(1))
}

/// Identifiers such as those of genes are whole numbers, none twice.
fn may_be_names(cells: &[Cow<'_, str>]) -> bool {
    let is_whole = |cell: &&str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    let whole: HashSet<&str> = cells.iter().map(|cell| cell.trim()).filter(is_whole).collect();
    cells.len() >= 3 && whole.len() == cells.len()
}

fn first_column_is_text(path: &Path, mut records: Records<'_>) -> Result<bool, Fault> {
    let mut cells = Vec::new();
    while row(path, &mut records, &mut cells)?.is_some() {
        if cells.first().is_some_and(|cell| number(cell).is_none()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn fill(path: &Path, mut records: Records<'_>, layout: &Layout) -> Result<Sheet, Vec<Fault>> {
    let has = |role| layout.roles.contains(&role);
    let is_number: Vec<bool> = layout.roles.iter().map(|&role| role == Role::Data).collect();
    let mut sheet = Sheet::default();
    let mut labels = Labels::default();
    let mut text_columns = Vec::new();
    let mut errors = Vec::new();
    let (mut cells, mut texts) = (Vec::new(), Vec::new());
    let n_bytes = records.n_bytes();
    loop {
        texts.clear();
        if let Some(line) = records.plain_row(&is_number, &mut sheet.table.values, &mut texts) {
            let roles = layout.roles.iter().filter(|&&role| role != Role::Data);
            for (&role, text) in roles.zip(&texts) {
                if let Err(error) = labels.take(path, line, role, text) {
                    errors.push(error);
                    return Err(errors);
                }
            }
        } else {
            let line = match row(path, &mut records, &mut cells) {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    errors.push(error);
                    break;
                }
            };
            if cells.len() != layout.roles.len() {
                errors.push(hints::ragged(path, line, layout, &cells));
                break;
            }
            for (column, (cell, &role)) in cells.iter().zip(&layout.roles).enumerate() {
                if role != Role::Data {
                    if let Err(error) = labels.take(path, line, role, cell) {
                        errors.push(error);
                        return Err(errors);
                    }
                    continue;
                }
                match number(cell) {
                    Some(value) => sheet.table.values.push(value),
                    None if text_columns.contains(&column) || text_columns.len() == REPORTED => {}
                    None => {
                        text_columns.push(column);
                        errors.push(hints::text_cell(path, line, column, cell, layout, &records));
                    }
                }
            }
        }
        sheet.table.n_rows += 1;
        if sheet.table.n_rows == 1 {
            // As many rows as if all were as long as the first; at least two bytes make a number.
            let first = (n_bytes - records.n_bytes()).max(2 * sheet.table.values.len()).max(1);
            let rows = records.n_bytes().div_ceil(first);
            sheet.table.values.reserve(rows * sheet.table.values.len());
        }
        if 8 * sheet.table.values.len() as u64 > memory() {
            errors.push(too_large(
                path,
                &format!("has more than {} numbers", sheet.table.values.len()),
            ));
            break;
        }
    }
    if errors.is_empty() {
        errors.extend(empty_last_column(path, layout, &sheet.table.values));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    sheet.labels = labels.views;
    sheet.conditions = labels.conditions;
    sheet.table.n_columns = is_number.iter().filter(|&&is_number| is_number).count();
    sheet.table.column_names = layout.data_names();
    sheet.table.row_names = has(Role::RowName).then_some(labels.row_names);
    // Times become blocks when all views are there (`blocks::cut`).
    sheet.table.blocks = (has(Role::Block) || has(Role::Time)).then_some(labels.blocks);
    Ok(sheet)
}

/// A last column without a name and without a value: the separators that each line ends with would make a node.
fn empty_last_column(path: &Path, layout: &Layout, values: &[f64]) -> Option<Fault> {
    let n_columns = layout.roles.iter().filter(|&&role| role == Role::Data).count();
    let is_nameless = layout.names.as_ref()?.last()?.trim().is_empty() && layout.roles.last() == Some(&Role::Data);
    let mut last = values.iter().skip(n_columns - 1).step_by(n_columns);
    (is_nameless && n_columns > 1 && last.all(|value| value.is_nan())).then(|| {
        let what = format!("column {} has no name and no values", layout.n_cells());
        let why = "each line ends with a separator too many, which would be a node without a signal";
        fault(path, &what, why, "remove it from every line")
    })
}

/// What cells that are no numbers say of their rows.
#[derive(Debug, Default)]
struct Labels {
    row_names: Vec<String>,
    blocks: Vec<String>,
    views: Vec<String>,
    conditions: Vec<String>,
}

impl Labels {
    fn take(&mut self, path: &Path, line: usize, role: Role, cell: &str) -> Result<(), Fault> {
        match role {
            Role::Data | Role::Ignored => {}
            Role::RowName => self.row_names.push(cell.into()),
            Role::Block | Role::Time => self.blocks.push(cell.into()),
            Role::View | Role::Condition if cell.trim().is_empty() => return Err(hints::no_label(path, line)),
            Role::View => self.views.push(cell.into()),
            Role::Condition => self.conditions.push(cell.into()),
        }
        Ok(())
    }
}
