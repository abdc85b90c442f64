//! Errors and warnings: stable codes, and messages that say what is wrong and where, why it matters and what to do.
//!
//! Unusable input is an [`Error`]. A solver that stops before its tolerance is not an error but a
//! [`Status`](crate::progress::Status).

use std::fmt;

use crate::options::{Plain, Spelling, option, spelled};

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
    /// One view only, where a consensus is wanted.
    E09,
    /// A target cannot be reached.
    E10,
    /// A consensus is wanted of views that are not coupled (β = 0).
    E11,
    /// A dial and its raw parameter are both given.
    E12,
    /// A square symmetric table where signals are expected, or the reverse.
    E13,
    /// Groups are tested on a fit that used their labels.
    E14,
    /// The values look like raw counts.
    E15,
    /// Groups whose views differ in their number of samples.
    E16,
    /// Labels, pairs or covariates that a comparison cannot use.
    E17,
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

    /// The same error, of a half of the data that is learned from on its own.
    #[must_use]
    pub fn in_a_half(mut self) -> Self {
        self.what = format!("in a half of the data, which is learned from on its own, {}", self.what);
        // What holds in a half alone can only be mended in the whole, from which all halves are drawn.
        self.hint = format!(
            "learn again without such nodes ({} leaves them out), or by another method",
            option("drop_nodes").set_to("NAMES")
        );
        self
    }

    /// The same error, said of a node.
    #[must_use]
    pub fn at_node(mut self, node: impl Into<String>) -> Self {
        self.node = Some(node.into());
        self
    }
}

impl DataError {
    /// The same error in the words of a face.
    #[must_use]
    pub fn spelled(&self, spelling: &dyn Spelling) -> Self {
        Self {
            what: spelled(&self.what, spelling),
            why: spelled(&self.why, spelling),
            hint: spelled(&self.hint, spelling),
            ..self.clone()
        }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, spelled(&self.what, &Plain))?;
        if !self.why.is_empty() {
            write!(f, "\n  why: {}", spelled(&self.why, &Plain))?;
        }
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", spelled(&self.hint, &Plain))?;
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
    /// An option is out of its range, or cannot be used here.
    Parameter {
        /// Its id, which each face spells its own way: see [`options`](crate::options).
        name: &'static str,
        /// What is wrong with it and which values are allowed.
        message: String,
    },
    /// Something other than an option is invalid.
    Invalid {
        /// What it is.
        what: &'static str,
        /// What is wrong with it, and what to do.
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

impl Error {
    /// What is wrong, in the words of a face.
    pub fn told(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Data(errors) => {
                let told: Vec<String> = errors.iter().map(|error| error.spelled(spelling).to_string()).collect();
                told.join("\n")
            }
            Self::Parameter { name, message } => format!("{} {}", spelling.name(name), spelled(message, spelling)),
            Self::Invalid { what, message } => format!("{what} {}", spelled(message, spelling)),
            Self::Unsupported { solver, term, need } => {
                format!("the solver `{solver}` cannot be used with `{term}`: {need}")
            }
        }
    }
}

impl Error {
    /// The same, of a half of the data that is learned from on its own.
    #[must_use]
    pub fn in_a_half(self) -> Self {
        match self {
            Self::Data(errors) if errors.iter().all(|error| error.code == Code::E04) => {
                Self::Data(errors.into_iter().map(DataError::in_a_half).collect())
            }
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&Plain))
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
    /// The stable code, `W01` to `W18`.
    pub code: &'static str,
    /// The view concerned, if it is one.
    pub view: Option<String>,
    /// The views concerned, if the same is said of several.
    pub views: Vec<String>,
    /// What was noticed, and what it means.
    pub message: String,
}

impl Warning {
    /// A warning that concerns all views.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            view: None,
            views: Vec::new(),
            message: message.into(),
        }
    }

    /// The same warning, said of a view.
    #[must_use]
    pub fn in_view(mut self, view: impl Into<String>) -> Self {
        self.view = Some(view.into());
        self
    }

    /// The same warning in the words of a face.
    #[must_use]
    pub fn spelled(mut self, spelling: &dyn Spelling) -> Self {
        self.message = spelled(&self.message, spelling);
        self
    }
}

/// What is said of many views alike, said once: warnings of one code whose messages differ in nothing but numbers
/// become one, in the place of the first, with numbers that differ as ranges.
pub fn grouped(warnings: Vec<Warning>) -> Vec<Warning> {
    let mut groups: Vec<(String, Vec<Warning>)> = Vec::new();
    for warning in warnings {
        let pattern = pattern(&warning);
        match groups
            .iter_mut()
            .find(|(known, _)| warning.view.is_some() && *known == pattern)
        {
            Some((_, group)) => group.push(warning),
            None => groups.push((pattern, vec![warning])),
        }
    }
    groups.into_iter().filter_map(|(_, group)| one_of(group)).collect()
}

/// A warning's code and message with every number left out; a message that concerns no view is told apart from one that
/// does.
fn pattern(warning: &Warning) -> String {
    let texts = split_numbers(&warning.message)
        .into_iter()
        .filter(|(is_number, _)| !is_number);
    let texts: Vec<&str> = texts.map(|(_, text)| text).collect();
    format!("{} {} {}", warning.code, warning.view.is_some(), texts.join("#"))
}

/// The parts of a text that are numbers, and those that are not, in turn. What stands between backticks is a name.
fn split_numbers(text: &str) -> Vec<(bool, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut in_number, mut in_name) = (0, false, false);
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        in_name ^= c == '`';
        let between = c == '.' && in_number && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let is_number = !in_name && (c.is_ascii_digit() || between);
        if is_number != in_number && at > start {
            parts.push((in_number, &text[start..at]));
            start = at;
        }
        in_number = is_number;
    }
    if start < text.len() {
        parts.push((in_number, &text[start..]));
    }
    parts
}

/// One warning for all of a group.
fn one_of(mut group: Vec<Warning>) -> Option<Warning> {
    if group.len() < 2 {
        return group.pop();
    }
    let parts: Vec<Vec<(bool, &str)>> = group.iter().map(|warning| split_numbers(&warning.message)).collect();
    let part = |(place, &(is_number, first)): (usize, &(bool, &str))| {
        let values = || parts.iter().filter_map(|parts| Some(parts.get(place)?.1));
        let size = |text: &&str| text.parse::<f64>().unwrap_or(f64::NAN);
        let least = values()
            .min_by(|one, two| size(one).total_cmp(&size(two)))
            .unwrap_or(first);
        let most = values()
            .max_by(|one, two| size(one).total_cmp(&size(two)))
            .unwrap_or(first);
        if is_number && least != most {
            format!("{least} to {most}")
        } else {
            first.to_owned()
        }
    };
    let message: String = parts[0].iter().enumerate().map(part).collect();
    let views: Vec<String> = group.iter().filter_map(|warning| warning.view.clone()).collect();
    Some(Warning {
        code: group[0].code,
        view: None,
        message: format!("each of {} views ({}): {message}", views.len(), list_names(&views)),
        views,
    })
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
    fn what_is_said_of_many_views_is_said_once() {
        let few = |view: &str, n: usize| Warning::new("W05", format!("only {n} samples, v2.5 of `b1`")).in_view(view);
        let all = vec![
            few("a", 28),
            Warning::new("W06", "between 28 and 31"),
            few("b", 31),
            Warning::new("W05", "only 3 samples, v2.5 of `b1`"),
            few("c", 30),
            Warning::new("W11", "an outlier").in_view("a"),
        ];
        let one = grouped(all);
        let messages: Vec<&str> = one.iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "each of 3 views (`a`, `b` and `c`): only 28 to 31 samples, v2.5 of `b1`",
                "between 28 and 31",
                "only 3 samples, v2.5 of `b1`",
                "an outlier"
            ]
        );
        assert_eq!((one[0].view.as_deref(), one[0].views.len()), (None, 3));
        assert_eq!(one[3].view.as_deref(), Some("a"));
        // Names that differ are not numbers.
        let named = |view: &str, node: &str| Warning::new("W03", format!("`{node}` is masked")).in_view(view);
        assert_eq!(grouped(vec![named("a", "x1"), named("b", "x2")]).len(), 2);
        assert!(grouped(Vec::new()).is_empty());
    }

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
