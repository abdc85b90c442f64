//! Errors and warnings of the library as Python objects.
//!
//! The exception classes are Python's own (`congraph._errors`), so that they can be documented, subclassed and pickled
//! there; here they are only filled, with options spelled as Python's keywords.

use congraph::{DataError, Error, Warning, grouped};
use congraph_record::Python as Spelled;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The exception that says what the library said.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Data(errors) => data_error(py, errors).unwrap_or_else(|failed| failed),
        other => PyValueError::new_err(other.told(&Spelled)),
    }
}

/// The exception of one thing that is wrong with the data.
pub(crate) fn of_data(py: Python<'_>, error: DataError) -> PyErr {
    exception(py, &Error::from(error))
}

fn data_error(py: Python<'_>, errors: &[DataError]) -> PyResult<PyErr> {
    let entries = PyList::empty(py);
    for error in errors {
        let error = error.spelled(&Spelled);
        let entry = PyDict::new(py);
        entry.set_item("code", error.code.to_string())?;
        entry.set_item("what", &error.what)?;
        entry.set_item("why", &error.why)?;
        entry.set_item("hint", &error.hint)?;
        entry.set_item("view", &error.view)?;
        entry.set_item("node", &error.node)?;
        entries.append(entry)?;
    }
    let made = py
        .import("congraph._errors")?
        .getattr("CongraphDataError")?
        .call1((entries,))?;
    Ok(PyErr::from_value(made))
}

/// What the user should know: (code, view, message).
pub(crate) fn warnings(warnings: &[Warning]) -> Vec<(&'static str, Option<String>, String)> {
    let told = |warning: &Warning| (warning.code, warning.view.clone(), warning.message.clone());
    let spelled = warnings.iter().map(|warning| warning.clone().spelled(&Spelled));
    grouped(spelled.collect()).iter().map(told).collect()
}
