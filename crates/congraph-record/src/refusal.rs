//! Why a request is refused: the id of the option, and words in which options are mentioned by their ids. Each face
//! spells them.

use std::fmt;

use congraph::DataError;
use congraph::options::{Plain, Spelling, option, spelled};

/// A request that cannot be carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestError {
    /// The id of the option that is refused; of two that contradict each other, the first.
    pub option: &'static str,
    /// Why.
    pub refusal: Refusal,
}

/// Why an option is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// It is out of its range, missing, or means nothing here.
    Usage {
        /// What is off, in a sentence that names the option.
        message: String,
        /// What to do; may be empty.
        hint: String,
    },
    /// What it is set to is of another kind: text where a number is needed.
    Kind {
        /// What is needed: `a number`.
        wanted: &'static str,
    },
    /// It is a whole number, and one that cannot be counted with.
    Count {
        /// What is needed: `0 or more`.
        wanted: &'static str,
    },
    /// It contradicts another option in a way that has a code of its own.
    Coded(Box<DataError>),
}

impl RequestError {
    /// A refusal that says something about an option: "`alpha` is 0; …". `said` follows its name.
    pub fn about(id: &'static str, said: impl fmt::Display) -> Self {
        Self::usage(id, format!("{} {said}", option(id).bare()), "")
    }

    /// A refusal with a sentence of its own, and what to do about it, which may be empty.
    pub fn usage(id: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            option: id,
            refusal: Refusal::Usage {
                message: message.into(),
                hint: hint.into(),
            },
        }
    }

    pub(crate) fn kind(id: &'static str, wanted: &'static str) -> Self {
        Self {
            option: id,
            refusal: Refusal::Kind { wanted },
        }
    }

    pub(crate) fn count(id: &'static str, wanted: &'static str) -> Self {
        Self {
            option: id,
            refusal: Refusal::Count { wanted },
        }
    }

    /// What is off and what to do about it, in the words of a face; the latter may be empty.
    pub fn spelled(&self, spelling: &dyn Spelling) -> (String, String) {
        match &self.refusal {
            Refusal::Usage { message, hint } => (spelled(message, spelling), spelled(hint, spelling)),
            Refusal::Kind { wanted } | Refusal::Count { wanted } => (
                format!("{} must be {wanted}", spelling.name(self.option)),
                String::new(),
            ),
            Refusal::Coded(error) => (error.spelled(spelling).to_string(), String::new()),
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, hint) = self.spelled(&Plain);
        f.write_str(&message)?;
        if hint.is_empty() {
            return Ok(());
        }
        write!(f, "\n  hint: {hint}")
    }
}

impl std::error::Error for RequestError {}

/// Refuses a number that is not in its range, or not finite.
///
/// # Errors
/// One that names the option, the number and the range.
pub fn check_range(id: &'static str, value: f64, is_fine: bool, range: &str) -> Result<(), RequestError> {
    match out_of_range(value, is_fine, range) {
        None => Ok(()),
        Some(said) => Err(RequestError::about(id, said)),
    }
}

/// A relative gap below this is rounding.
const LEAST_TOLERANCE: f64 = 1e-14;

/// A tolerance that a certificate can meet, for a method that chooses among certified fits.
///
/// # Errors
/// If it is not positive, or so small that gaps are rounding.
pub fn check_tolerance(tol: f64) -> Result<(), RequestError> {
    check_range("tol", tol, tol > 0.0, "finite and positive")?;
    check_range(
        "tol",
        tol,
        tol >= LEAST_TOLERANCE,
        "1e-14 or more: a smaller relative gap is rounding, and no fit would be certified",
    )
}

/// What is said of a number that is not in its range, or not finite, after its name. `range` is what it must be.
pub fn out_of_range(value: f64, is_fine: bool, range: &str) -> Option<String> {
    if is_fine && value.is_finite() {
        return None;
    }
    // Most numbers are short as they are; 1e-320 is not.
    let plain = value.to_string();
    let shown = if plain.len() > 12 { format!("{value:e}") } else { plain };
    let why = if value.is_subnormal() {
        "that is too small to compute with".into()
    } else {
        format!("it must be {range}")
    };
    Some(format!("is {shown}; {why}"))
}
