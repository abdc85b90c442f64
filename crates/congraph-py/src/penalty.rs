//! A penalty written in Python: an object with `value` and `prox`.
//!
//! ```text
//! value(differences)        c(V), a number
//! prox(differences, step)   argmin_Y step · c(Y) + ½‖Y − V‖², an array of the same shape
//! ```
//!
//! Both get an array of edges × views, all edges at once: one call per iteration. What they raise ends the fit at its next
//! look at the watch, and is raised as it is. Until then the penalty answers with what it was given.

use std::sync::{Arc, PoisonError};

use congraph::penalties::Penalty;
use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyReadonlyArrayDyn, PyUntypedArrayMethods, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::running::{Raised, has_raised};

/// The object and what it raised.
#[derive(Debug)]
pub(crate) struct Written {
    object: Py<PyAny>,
    name: String,
    raised: Arc<Raised>,
}

impl Written {
    pub(crate) fn new(py: Python<'_>, object: &Py<PyAny>) -> PyResult<Self> {
        let bound = object.bind(py);
        for method in ["value", "prox"] {
            let found = bound.getattr_opt(method)?;
            if !found.is_some_and(|found| found.is_callable()) {
                return Err(PyTypeError::new_err(format!(
                    "penalty must be a name, or an object with the methods `value(differences)` and \
                     `prox(differences, step)`; {} has no `{method}`",
                    bound.get_type().name()?
                )));
            }
        }
        Ok(Self {
            object: object.clone_ref(py),
            name: bound.get_type().name()?.to_string(),
            raised: Arc::default(),
        })
    }

    /// Where to look for what was raised.
    pub(crate) fn raised(&self) -> &Raised {
        &self.raised
    }

    fn call<T>(&self, otherwise: T, ask: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        if has_raised(&self.raised) {
            return otherwise;
        }
        Python::attach(ask).unwrap_or_else(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            otherwise
        })
    }

    fn lent<'py>(py: Python<'py>, differences: &[f64], n_views: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shape = (differences.len() / n_views.max(1), n_views);
        let view = ArrayView2::from_shape(shape, differences);
        Ok(view
            .map_err(|error| PyValueError::new_err(error.to_string()))?
            .to_pyarray(py))
    }
}

impl Penalty for Written {
    fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        self.call(0.0, |py| {
            let array = Self::lent(py, differences, n_views)?;
            let value: f64 = self.object.call_method1(py, "value", (array,))?.extract(py)?;
            if value.is_finite() {
                return Ok(value);
            }
            Err(PyValueError::new_err(format!("{}.value returned {value}", self.name)))
        })
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        let found = self.call(None, |py| {
            let array = Self::lent(py, differences, n_views)?;
            let shape = array.shape().to_vec();
            let answer = self.object.call_method1(py, "prox", (array, step))?;
            let numbers = py.import("numpy")?.call_method1("asarray", (answer, "float64"))?;
            let numbers: PyReadonlyArrayDyn<'_, f64> = numbers.extract()?;
            if numbers.shape() != shape {
                return Err(PyValueError::new_err(format!(
                    "{}.prox returned an array of shape {:?} for differences of shape {shape:?}",
                    self.name,
                    numbers.shape()
                )));
            }
            let values: Vec<f64> = numbers.as_array().iter().copied().collect();
            if values.iter().any(|value| !value.is_finite()) {
                return Err(PyValueError::new_err(format!(
                    "{}.prox returned values that are not finite",
                    self.name
                )));
            }
            Ok(Some(values))
        });
        if let Some(values) = found {
            differences.copy_from_slice(&values);
        }
    }
}
