//! Options whose values cannot be meant: wrong usage, in the words of the command line.

use congraph_record::refusal::{Refusal, out_of_range};
use congraph_record::{CommandLine, RequestError};

use crate::failure::Failure;

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        if let Refusal::Coded(coded) = &error.refusal {
            return Self::Data(vec![coded.spelled(&CommandLine)]);
        }
        let (message, hint) = error.spelled(&CommandLine);
        Self::usage(message, hint)
    }
}

/// Refuses a number that is not in its range, or not finite; `option` is what is said to have it.
pub(crate) fn check_value(option: &str, value: f64, is_fine: bool, range: &str) -> Result<(), Failure> {
    match out_of_range(value, is_fine, range) {
        None => Ok(()),
        Some(said) => Err(Failure::usage(format!("{option} {said}"), "")),
    }
}
