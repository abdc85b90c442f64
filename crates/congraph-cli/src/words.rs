//! What the library noticed, in the words of the command line.
//!
//! Its messages mention options by their ids. Errors are spelled where they are told
//! ([`Failure`](crate::failure::Failure)); warnings here, before they are printed, written or put into a report.

use congraph::{DataError, Warning, grouped};
use congraph_record::CommandLine;

/// Warnings as they are told: spelled, and what is said of many views alike said once.
pub(crate) fn told(noticed: impl IntoIterator<Item = Warning>) -> Vec<Warning> {
    grouped(spelled(noticed))
}

/// The same, one by one.
pub(crate) fn spelled(noticed: impl IntoIterator<Item = Warning>) -> Vec<Warning> {
    let noticed = noticed.into_iter();
    noticed.map(|warning| warning.spelled(&CommandLine)).collect()
}

/// Errors as a list of them tells.
pub(crate) fn listed(errors: &[DataError]) -> Vec<DataError> {
    errors.iter().map(|error| error.spelled(&CommandLine)).collect()
}
