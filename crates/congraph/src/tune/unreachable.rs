//! What is said of targets that the data do not allow.

use crate::error::{Code, DataError, Error};
use crate::options::option;

/// What to ask for instead of a similarity below the floor.
pub(super) fn similarity_hint(floor: f64) -> String {
    format!(
        "ask for at least {:.3}; or learn the views separately with {}",
        (1e3 * floor).ceil() / 1e3,
        option("single")
    )
}

/// E10: a target outside what the data allow.
pub(super) fn unreachable(what: &str, target: f64, low: f64, high: f64, hint: &str) -> Error {
    let why = match what {
        "similarity" => "coupling the views can only make them more alike than they are when learned separately",
        "consensus density" => "gamma can only take edges from the consensus that the views share without it",
        _ => "no alpha gives graphs of another density on these data",
    };
    DataError::new(
        Code::E10,
        if shown(low) == shown(high) {
            format!(
                "a {what} of {target} cannot be reached: on these data only {} is possible",
                shown(low)
            )
        } else {
            format!(
                "a {what} of {target} cannot be reached: on these data it is between {} and {}",
                shown(low),
                shown(high)
            )
        },
        why,
        hint,
    )
    .into()
}

/// Three digits, of small numbers too.
pub(super) fn shown(value: f64) -> String {
    if value == 0.0 || value.abs() >= 0.01 {
        format!("{value:.3}")
    } else {
        format!("{value:.1e}")
    }
}
