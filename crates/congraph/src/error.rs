//! What goes wrong, and what we say: stable codes, and messages that tell what, where, why it matters and what to do.
//!
//! Unusable input is an [`Error`]. A solver that stops before its tolerance is not an error but a
//! [`Status`](crate::solvers::Status).

use std::fmt;

/// A stable code for each kind of unusable input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A value is not a number or is infinite.
    E01,
    /// The views have different nodes.
    E02,
    /// Names differ only by case or spaces.
    E03,
    /// A node is constant.
    E04,
    /// Too few samples, or too few nodes.
    E05,
    /// A node or view name occurs twice.
    E06,
    /// A file cannot be read as a table of numbers.
    E07,
    /// The tables look transposed.
    E08,
    /// One view where a consensus is asked.
    E09,
    /// A target cannot be reached.
    E10,
    /// A consensus is asked of views that are not coupled (β = 0).
    E11,
    /// A dial and its raw parameter are both given.
    E12,
    /// A square symmetric table where signals are expected, or the reverse.
    E13,
    /// The values look like raw counts.
    E15,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One thing that is wrong with the data: what and where, why it matters, what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct DataError {
    /// The stable code.
    pub code: Code,
    /// What is wrong, and where.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// What to do about it.
    pub hint: String,
    /// The view concerned, if it is one.
    pub view: Option<String>,
    /// The node concerned, if it is one.
    pub node: Option<String>,
}

impl DataError {
    /// A data error that concerns no view or node in particular; see [`DataError::in_view`] and [`DataError::at_node`].
    pub fn new(code: Code, what: impl Into<String>, why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            what: what.into(),
            why: why.into(),
            hint: hint.into(),
            view: None,
            node: None,
        }
    }

    /// The same error, said of a view.
    #[must_use]
    pub fn in_view(mut self, view: impl Into<String>) -> Self {
        self.view = Some(view.into());
        self
    }

    /// The same error, said of a node.
    #[must_use]
    pub fn at_node(mut self, node: impl Into<String>) -> Self {
        self.node = Some(node.into());
        self
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.what)?;
        if !self.why.is_empty() {
            write!(f, "\n  why: {}", self.why)?;
        }
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for DataError {}

/// Why a call could not be carried out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The data cannot be used; at least one entry, the most telling first.
    Data(Vec<DataError>),
    /// A parameter is out of its range.
    Parameter {
        /// Its name.
        name: &'static str,
        /// What is wrong with it and which values are allowed.
        message: String,
    },
    /// The solver needs something that the penalty or regulariser does not offer.
    Unsupported {
        /// The solver.
        solver: &'static str,
        /// The penalty or regulariser.
        term: String,
        /// What is missing, and which solver does without.
        need: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(errors) => {
                let mut separator = "";
                for error in errors {
                    write!(f, "{separator}{error}")?;
                    separator = "\n";
                }
                Ok(())
            }
            Self::Parameter { name, message } => write!(f, "{name} {message}"),
            Self::Unsupported { solver, term, need } => {
                write!(f, "the solver `{solver}` cannot be used with `{term}`: {need}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<DataError> for Error {
    fn from(error: DataError) -> Self {
        Self::Data(vec![error])
    }
}

/// Something the user should know about a result that was nevertheless computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The stable code, `W01` to `W12`.
    pub code: &'static str,
    /// The view concerned, if it is one.
    pub view: Option<String>,
    /// What was noticed, and what it means.
    pub message: String,
}

impl Warning {
    /// A warning that concerns all views.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            view: None,
            message: message.into(),
        }
    }

    /// The same warning, said of a view.
    #[must_use]
    pub fn in_view(mut self, view: impl Into<String>) -> Self {
        self.view = Some(view.into());
        self
    }
}

/// A few names in a row for a message, the rest counted: `` `a`, `b`, `c` and 4 more ``.
pub fn list_names<S: AsRef<str>>(names: &[S]) -> String {
    list_some(names, names.len())
}

/// How many names are listed.
pub(crate) const SHOWN: usize = 5;

/// The same of `n_names`, of which the first are enough.
pub(crate) fn list_some<S: AsRef<str>>(names: &[S], n_names: usize) -> String {
    let mut text: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    if n_names > SHOWN {
        let more = n_names - SHOWN;
        text.push(format!("{more} more"));
    }
    match text.pop() {
        None => String::from("none"),
        Some(last) if text.is_empty() => last,
        Some(last) => format!("{} and {last}", text.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_and_the_rest_counted() {
        assert_eq!(list_names::<&str>(&[]), "none");
        assert_eq!(list_names(&["a"]), "`a`");
        assert_eq!(list_names(&["a", "b"]), "`a` and `b`");
        assert_eq!(
            list_names(&["a", "b", "c", "d", "e", "f", "g"]),
            "`a`, `b`, `c`, `d`, `e` and 2 more"
        );
    }
}
