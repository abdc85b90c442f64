//! Why a command ended, and the exit code that says so.

use std::fmt;

use congraph::options::spelled;
use congraph::{Code, DataError, Error};
use congraph_io::OutputError;
use congraph_record::CommandLine;

/// How many data errors are told; the one at the top must still be on the screen.
pub(crate) const SHOWN: usize = 8;

/// A command that could not be carried out.
#[derive(Debug)]
pub enum Failure {
    /// The words of the call are off.
    Usage {
        /// What is off.
        message: String,
        /// What to do; may be empty.
        hint: String,
    },
    /// The input cannot be used.
    Data(Vec<DataError>),
    /// Recordings cannot be used. All of them are told, as nothing else lists them.
    Recordings(Vec<DataError>),
    /// The result could not be written.
    Output(OutputError),
    /// The result could not be printed.
    Stdout(std::io::Error),
    /// Not converged, and `--strict` was given.
    NotConverged(String),
}

impl Failure {
    /// The words of the call are off; the hint, what to do about it, may be empty.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The exit code that says so.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage { .. } => 2,
            // A contradiction between options is wrong usage, whatever the data.
            Self::Data(errors) | Self::Recordings(errors)
                if errors.iter().all(|error| matches!(error.code, Code::E11 | Code::E12)) =>
            {
                2
            }
            Self::Data(errors) | Self::Recordings(errors) if errors.iter().all(|error| error.code == Code::E10) => 4,
            Self::Data(_) | Self::Recordings(_) => 3,
            Self::Output(OutputError::NotEmpty(_) | OutputError::Exists(_) | OutputError::NotAFolder(_)) => 2,
            Self::Output(_) | Self::Stdout(_) => 7,
            Self::NotConverged(_) => 5,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { message, hint } if hint.is_empty() => f.write_str(message),
            Self::Usage { message, hint } => write!(f, "{message}\n  hint: {hint}"),
            Self::Data(errors) => {
                let told = |error: &DataError| error.spelled(&CommandLine).to_string();
                let texts: Vec<String> = errors.iter().take(SHOWN).map(told).collect();
                f.write_str(&texts.join("\nerror: "))?;
                if errors.len() > SHOWN {
                    write!(
                        f,
                        "\nerror: and {} more; `congraph check --json` lists them all",
                        errors.len() - SHOWN
                    )?;
                }
                Ok(())
            }
            Self::Recordings(errors) => {
                // What several have in common is said once, below the last of them.
                let same = |one: &DataError, two: &DataError| one.why == two.why && one.hint == two.hint;
                let text = |(k, error): (usize, &DataError)| match errors.get(k + 1) {
                    Some(next) if same(error, next) => {
                        format!("{}: {}", error.code, spelled(&error.what, &CommandLine))
                    }
                    _ => error.spelled(&CommandLine).to_string(),
                };
                let texts: Vec<String> = errors.iter().enumerate().map(text).collect();
                f.write_str(&texts.join("\nerror: "))
            }
            Self::Output(error) => f.write_str(&error.told(&CommandLine)),
            Self::Stdout(error) => write!(f, "the result cannot be printed: {}", error.kind()),
            Self::NotConverged(message) => f.write_str(message),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::Output(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Data(errors) => Self::Data(errors),
            other => Self::usage(other.told(&CommandLine), ""),
        }
    }
}
