//! A table that says something of each view, such as whose it is: `participants.tsv`.

use std::collections::BTreeMap;
use std::path::Path;

use congraph::Error;

use super::faults::{Fault, fault, fault_at, no_such_column};
use super::records::{BadQuote, Records};
use super::sources::{Format, Source};
use super::text::separator;

const WHY: &str = "it says which subject each view is of";

/// What the column `label` says of each name in the column `key`; `id` is the option that asks.
///
/// # Errors
/// E07 with file and line: a column is missing, a cell is empty, or a name has two labels.
pub fn read_labels(path: &Path, id: &'static str, key: &str, label: &str) -> Result<BTreeMap<String, String>, Error> {
    read(path, id, key, label).map_err(|fault| Error::Data(vec![*fault]))
}

fn read(path: &Path, id: &'static str, key: &str, label: &str) -> Result<BTreeMap<String, String>, Fault> {
    let source = Source::read(path)?;
    let Format::Text(ending) = source.format else {
        let hint = format!("give a .csv or .tsv with the columns {key} and {label}");
        return Err(fault(path, "is not a text table", WHY, hint));
    };
    let text = source.text()?;
    let mut records = Records::new(&text, separator(&text, ending));
    let mut cells = Vec::new();
    let quote = |BadQuote { line }| {
        let hint = "close the quote, or leave both out";
        fault_at(path, line, "a quoted cell does not end where it should", WHY, hint)
    };
    records.next_row(&mut cells).map_err(quote)?;
    let header: Vec<String> = cells.iter().map(ToString::to_string).collect();
    let column = |name: &str| {
        let found = header.iter().position(|cell| cell == name);
        found.ok_or_else(|| no_such_column(path, id, name, Some(&header)))
    };
    let (key, label) = (column(key)?, column(label)?);
    let mut labels = BTreeMap::new();
    while let Some(line) = records.next_row(&mut cells).map_err(quote)? {
        let cell = |at: usize| cells.get(at).map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
        let (Some(name), Some(value)) = (cell(key), cell(label)) else {
            let hint = "fill it in, or leave the row out";
            return Err(fault_at(path, line, "a name or its label is missing", WHY, hint));
        };
        let before = labels.insert(name.to_owned(), value.to_owned());
        if let Some(before) = before.filter(|before| before != value) {
            let what = format!("`{name}` is of `{value}`, and of `{before}` before");
            return Err(fault_at(path, line, &what, WHY, "keep one of them"));
        }
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(wrong("view\tname\na\tb\n").contains("has no column `subject`"));
        assert!(wrong("view\tsubject\na\tb\na\tc\n").contains("line 3: `a` is of `c`, and of `b` before"));
        assert!(wrong("view\tsubject\na\t\n").contains("line 2: a name or its label is missing"));
    }
}
