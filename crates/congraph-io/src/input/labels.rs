//! What is known of views: a text table with one row per view, or per subject where a subject is one view.
//!
//! The names of the views are in the column `view` if there is one, else in `participant_id` (as in the
//! `participants.tsv` of BIDS), else in the first. An empty cell, `n/a`, `NA` or `NaN` is missing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use congraph::compare::{Covariate, CovariateValues};
use congraph::options::option;
use congraph::{Code, DataError, Error, list_names};

use super::cells::number;
use super::faults::{Fault, fault, fault_at, no_such_column};
use super::records::{BadQuote, Records};
use super::sources::{Format, Source};
use super::text::separator;

const WHY: &str = "it says which group a view belongs to, and what else is known of it";
const WHOSE: &str = "it says which subject each view is of";
/// Columns that hold the names of views.
const KEYS: [&str; 2] = ["view", "participant_id"];
/// What stands for a value that is missing.
const MISSING: [&str; 6] = ["", "n/a", "N/A", "NA", "NaN", "nan"];

/// A table of what is known of views.
#[derive(Clone, Debug)]
pub struct LabelTable {
    path: PathBuf,
    columns: Vec<String>,
    key: usize,
    /// Cells, and the line that they are on.
    rows: Rows,
}

impl LabelTable {
    /// Reads a table whose views are named in the column `key`, or in the usual one.
    ///
    /// # Errors
    /// E07 with file and line if it cannot be read, has no such column, or names a view twice.
    pub fn read(path: &Path, key: Option<&str>) -> Result<Self, Error> {
        read(path, key).map_err(|fault| Error::from(*fault))
    }

    /// The cells of a column, one for each of these views; empty where missing. `id` is the option that names it.
    ///
    /// # Errors
    /// E07 if there is no such column; E17 if the table lacks a view, or if a row with a value is of no view.
    pub fn column(&self, id: &'static str, name: &str, views: &[String]) -> Result<Vec<String>, Error> {
        let Some(at) = self.columns.iter().position(|column| column == name) else {
            return Err(Error::from(*no_such_column(&self.path, id, name, Some(&self.columns))));
        };
        let known = |view: &String| self.rows.iter().find(|(_, cells)| cells[self.key] == *view);
        let absent: Vec<&String> = views.iter().filter(|view| known(view).is_none()).collect();
        if !absent.is_empty() {
            let what = format!(
                "`{}` has no row for {} of {} views: {}; its column `{}` has {}",
                self.path.display(),
                absent.len(),
                views.len(),
                list_names(&absent),
                self.columns[self.key],
                list_names(&self.rows.iter().map(|(_, cells)| &cells[self.key]).collect::<Vec<_>>()),
            );
            let hint = format!(
                "give every view a row, spelled as in views.tsv; {} says which column names the views",
                option("view_key").set_to("COLUMN")
            );
            return Err(DataError::new(Code::E17, what, WHY, hint).into());
        }
        let is_told = |cells: &[String]| !cells[at].is_empty() && !views.contains(&cells[self.key]);
        let strangers = self.rows.iter().filter(|(_, cells)| is_told(cells));
        let strangers: Vec<&String> = strangers.map(|(_, cells)| &cells[self.key]).collect();
        if !strangers.is_empty() {
            let what = format!(
                "`{}` has a `{name}` for {} that {} no view of the fit: {}",
                self.path.display(),
                if strangers.len() == 1 {
                    "1 name".into()
                } else {
                    format!("{} names", strangers.len())
                },
                if strangers.len() == 1 { "is" } else { "are" },
                list_names(&strangers)
            );
            let why = "a comparison without them may not be the one that was meant";
            let hint = "take their rows out, or write n/a for their label";
            return Err(DataError::new(Code::E17, what, why, hint).into());
        }
        let cell = |view: &String| known(view).map_or_else(String::new, |(_, cells)| cells[at].clone());
        Ok(views.iter().map(cell).collect())
    }

    /// A column as a covariate: numbers if all of its cells are, else words.
    ///
    /// # Errors
    /// As [`LabelTable::column`].
    pub fn covariate(&self, name: &str, views: &[String]) -> Result<Covariate, Error> {
        let cells = self.column("covariates", name, views)?;
        let parsed = |cell: &String| if cell.is_empty() { Some(f64::NAN) } else { number(cell) };
        let numbers: Option<Vec<f64>> = cells.iter().map(parsed).collect();
        Ok(Covariate {
            name: name.to_owned(),
            values: numbers.map_or(CovariateValues::Levels(cells), CovariateValues::Numbers),
        })
    }
}

/// What the column `label` says of each name in the column `key`; `id` is the option that asks.
///
/// # Errors
/// E07 with file and line: a column is missing, a cell is empty, or a name has two labels.
pub fn read_labels(path: &Path, id: &'static str, key: &str, label: &str) -> Result<BTreeMap<String, String>, Error> {
    subjects(path, id, key, label).map_err(|fault| Error::Data(vec![*fault]))
}

fn subjects(path: &Path, id: &'static str, key: &str, label: &str) -> Result<BTreeMap<String, String>, Fault> {
    let hint = format!("give a .csv or .tsv with the columns {key} and {label}");
    let (columns, rows) = cells(path, WHOSE, hint)?;
    let column = |name: &str| {
        let found = columns.iter().position(|cell| cell == name);
        found.ok_or_else(|| no_such_column(path, id, name, Some(&columns)))
    };
    let (key, label) = (column(key)?, column(label)?);
    let mut labels = BTreeMap::new();
    for (line, cells) in rows {
        let cell = |at: usize| cells.get(at).filter(|cell| !cell.is_empty());
        let (Some(name), Some(value)) = (cell(key), cell(label)) else {
            let hint = "fill it in, or leave the row out";
            return Err(fault_at(path, line, "a name or its label is missing", WHOSE, hint));
        };
        let before = labels.insert(name.clone(), value.clone());
        if let Some(before) = before.filter(|before| before != value) {
            let what = format!("`{name}` is of `{value}`, and of `{before}` before");
            return Err(fault_at(path, line, &what, WHOSE, "keep one of them"));
        }
    }
    Ok(labels)
}

/// Rows of cells, each with its line.
type Rows = Vec<(usize, Vec<String>)>;

/// The names of a text table's columns, and its rows, without spaces around cells.
fn cells(path: &Path, why: &'static str, hint: impl Into<String>) -> Result<(Vec<String>, Rows), Fault> {
    let source = Source::read_table(path, why)?;
    let Format::Text(ending) = source.format else {
        return Err(fault(path, "is not a text table", why, hint));
    };
    let text = source.text()?;
    let mut records = Records::new(&text, separator(&text, ending));
    let mut cells: Vec<Cow<'_, str>> = Vec::new();
    let quote = |BadQuote { line }| {
        let hint = "close the quote, or leave both out";
        fault_at(path, line, "a quoted cell does not end where it should", why, hint)
    };
    let trimmed = |cells: &[Cow<'_, str>]| cells.iter().map(|cell| cell.trim().to_owned()).collect();
    records.next_row(&mut cells).map_err(quote)?;
    let columns = trimmed(&cells);
    let mut rows = Vec::new();
    while let Some(line) = records.next_row(&mut cells).map_err(quote)? {
        rows.push((line, trimmed(&cells)));
    }
    Ok((columns, rows))
}

fn read(path: &Path, key: Option<&str>) -> Result<LabelTable, Fault> {
    let (columns, lines) = cells(path, WHY, "give a .csv or .tsv with a row for every view")?;
    let find = |name: &str| columns.iter().position(|column| column == name);
    let key = match key {
        Some(name) => find(name).ok_or_else(|| no_such_column(path, "view_key", name, Some(&columns)))?,
        None => KEYS.iter().find_map(|name| find(name)).unwrap_or(0),
    };
    let mut rows = Rows::new();
    for (line, mut cells) in lines {
        if cells.len() != columns.len() {
            let what = format!(
                "the row has {} cells, and there are {} columns",
                cells.len(),
                columns.len()
            );
            return Err(fault_at(
                path,
                line,
                &what,
                WHY,
                "give every row a cell for each column",
            ));
        }
        let missing = cells.iter_mut().filter(|cell| MISSING.contains(&cell.as_str()));
        missing.for_each(String::clear);
        if let Some((first, _)) = rows.iter().find(|(_, other)| other[key] == cells[key]) {
            let what = format!("`{}` has a row on line {first} already", cells[key]);
            let hint = format!(
                "keep one row for each view; {} says which column names the views",
                option("view_key").set_to("COLUMN")
            );
            return Err(fault_at(path, line, &what, "which of them holds is not clear", hint));
        }
        rows.push((line, cells));
    }
    if rows.is_empty() {
        return Err(fault(path, "holds no rows", WHY, "give a row for every view"));
    }
    let path = path.to_path_buf();
    Ok(LabelTable {
        path,
        columns,
        key,
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str, key: Option<&str>) -> Result<LabelTable, Error> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("participants.tsv");
        std::fs::write(&path, text).unwrap();
        LabelTable::read(&path, key)
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rows_are_found_by_the_names_of_views() {
        let text = "age\tparticipant_id\tgroup\n30\tb\tx\nn/a\ta\ty\n5\tc\tn/a\n";
        let known = table(text, None).unwrap();
        assert_eq!(
            known.column("labels", "group", &names(&["a", "b"])).unwrap(),
            ["y", "x"]
        );
        let ages = known.covariate("age", &names(&["b", "a", "c"])).unwrap();
        assert!(matches!(ages.values, CovariateValues::Numbers(ages) if ages[0] == 30.0 && ages[1].is_nan()));
        let groups = known.covariate("group", &names(&["a", "b", "c"])).unwrap();
        assert_eq!(groups.values, CovariateValues::Levels(names(&["y", "x", ""])));
        // The first column, or that which is named.
        let text = "name\tgroup\tother\nb\tx\ta\na\ty\tb\n";
        assert_eq!(
            table(text, None)
                .unwrap()
                .column("labels", "group", &names(&["a", "b"]))
                .unwrap(),
            ["y", "x"]
        );
        let other = table(text, Some("other")).unwrap();
        assert_eq!(
            other.column("labels", "group", &names(&["a", "b"])).unwrap(),
            ["x", "y"]
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let text = "view\tgroup\na\tx\nb\ty\n";
        let told = |result: Result<Vec<String>, Error>| result.unwrap_err().to_string();
        let known = table(text, None).unwrap();
        let error = told(known.column("labels", "group", &names(&["a", "b", "d"])));
        assert!(
            error.starts_with("E17") && error.contains("no row for 1 of 3 views: `d`"),
            "{error}"
        );
        let error = told(known.column("labels", "group", &names(&["a"])));
        assert!(
            error.starts_with("E17") && error.contains("1 name that is no view of the fit: `b`"),
            "{error}"
        );
        let error = told(known.column("labels", "Group", &names(&["a", "b"])));
        assert!(
            error.starts_with("E07") && error.contains("did you mean `group`?"),
            "{error}"
        );
        for (text, key, part) in [
            (
                "view\tgroup\na\tx\na\ty\n",
                None,
                "line 3: `a` has a row on line 2 already",
            ),
            (
                "view\tgroup\na\n",
                None,
                "line 2: the row has 1 cells, and there are 2 columns",
            ),
            ("view\tgroup\n", None, "holds no rows"),
            ("view\tgroup\na\tx\n", Some("id"), "no column `id`"),
        ] {
            let error = table(text, key).unwrap_err().to_string();
            assert!(error.starts_with("E07") && error.contains(part), "{error}");
        }
    }

    #[test]
    fn labels_are_read_by_the_names_of_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("views.tsv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_labels(&path, "subjects", "view", "subject")
        };
        let found = read("age\tsubject\tview\n30\tann\ta-rest\n30\tann\ta-task\n41\tbob\tb\n").unwrap();
        assert_eq!(found["a-task"], "ann");
        assert_eq!(found.len(), 3);
        let wrong = |text: &str| read(text).unwrap_err().to_string();
        let told = wrong("view\tname\na\tb\n");
        assert!(
            told.contains("has no column `subject`; its 2 columns are `view` and `name`"),
            "{told}"
        );
        assert!(wrong("view\na\n").contains("its only column is `view`"));
        assert!(wrong("view\tsubject\na\tb\na\tc\n").contains("line 3: `a` is of `c`, and of `b` before"));
        assert!(wrong("view\tsubject\na\t\n").contains("line 2: a name or its label is missing"));
    }
}
