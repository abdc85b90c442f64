//! Parts of a sweep as they travel between processes: bytes, with every digit.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// As bytes.
pub(crate) fn to_bytes<'py>(py: Python<'py>, part: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = serde_json::to_vec(part).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// From bytes, which another process of the same version made.
pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        PyValueError::new_err(format!(
            "a part of the work cannot be read ({error}): all processes must have the same version of congraph"
        ))
    })
}

/// Parts that are of other work, or come twice.
pub(crate) fn strange() -> PyErr {
    PyValueError::new_err("the parts are not those of one sweep, each once")
}
