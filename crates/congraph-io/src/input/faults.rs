//! What we say of a file that cannot be read.

use std::path::Path;

use congraph::options::option;
use congraph::{Code, DataError, list_names};

/// Why a file was refused; boxed, for it is mostly text and rarely there.
pub(crate) type Fault = Box<DataError>;

/// An E07 with its place already said.
pub(crate) fn said(what: String, why: &str, hint: impl Into<String>) -> Fault {
    Box::new(DataError::new(Code::E07, what, why, hint))
}

/// An E07 about a file.
pub(crate) fn fault(path: &Path, what: &str, why: &str, hint: impl Into<String>) -> Fault {
    said(format!("`{}` {what}", path.display()), why, hint)
}

/// An E07 about a line of a file.
pub(super) fn fault_at(path: &Path, line: usize, what: &str, why: &str, hint: impl Into<String>) -> Fault {
    said(format!("`{}`, line {line}: {what}", path.display()), why, hint)
}

/// A column was asked for by name, and is not there.
pub(super) fn no_such_column(path: &Path, id: &'static str, name: &str, columns: Option<&[String]>) -> Fault {
    let mut fault = unknown_column(path, id, name, columns);
    if id == IGNORED {
        fault.node = Some(name.to_owned());
    }
    fault
}

const IGNORED: &str = "ignore_columns";

/// The column to ignore that a file lacks, if that is what is wrong with it: another file may have it.
pub(super) fn lacks_ignored(faults: &[Fault]) -> Option<String> {
    match faults {
        [fault] if fault.why == named_by(IGNORED) => fault.node.clone(),
        _ => None,
    }
}

fn named_by(id: &'static str) -> String {
    format!("{} names it", option(id))
}

fn unknown_column(path: &Path, id: &'static str, name: &str, columns: Option<&[String]>) -> Fault {
    let why = named_by(id);
    let Some(columns) = columns else {
        return fault(
            path,
            &format!("has no column `{name}`: its columns have no names"),
            &why,
            format!(
                "give the columns names in the first line, and {} if it is not taken for one",
                option("header").set_to("yes")
            ),
        );
    };
    let folded = |name: &str| name.trim().to_lowercase();
    let alike = columns.iter().find(|column| folded(column) == folded(name));
    let hint = match alike {
        Some(alike) => format!("did you mean `{alike}`? Names must agree to the letter"),
        None => format!("use one of its columns, or leave out {}", option(id).set_to(name)),
    };
    let there = match columns.len() {
        1 => "its only column is".into(),
        several => format!("its {several} columns are"),
    };
    let what = format!("has no column `{name}`; {there} {}", list_names(columns));
    fault(path, &what, &why, hint)
}

/// A cell for a message, shortened when long.
pub(super) fn shown(cell: &str) -> String {
    const SHOWN: usize = 40;
    let mut text: String = cell.chars().take(SHOWN).collect();
    if text.len() < cell.len() {
        text.push('…');
    }
    text.replace(['\n', '\r'], "⏎")
}
