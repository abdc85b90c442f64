//! A penalty written in Python: an object with `value` and `prox`.
//!
//! ```text
//! value(differences)        c(V), a number
//! prox(differences, step)   argmin_Y step · c(Y) + ½‖Y − V‖², an array of the same shape
//! ```
//!
//! Both get an array of edges × views, all edges at once: one call per iteration. What they raise ends the fit at its
//! next look at the watch, and is raised as it is. Until then the penalty answers with what it was given.
//!
//! The certificate believes that `prox` is the one of `value`. So now and then that is tried: no point on the way from
//! the argument through the answer may be better than the answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use congraph::penalties::Penalty;
use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyReadonlyArrayDyn, PyUntypedArrayMethods, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::running::{Raised, has_raised};

/// The object and what it raised.
#[derive(Debug)]
pub(crate) struct PyPenalty {
    object: Py<PyAny>,
    name: String,
    raised: Arc<Raised>,
    n_calls: AtomicUsize,
}

impl PyPenalty {
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
            n_calls: AtomicUsize::new(0),
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

    fn to_array<'py>(py: Python<'py>, differences: &[f64], n_views: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shape = (differences.len() / n_views.max(1), n_views);
        let view = ArrayView2::from_shape(shape, differences);
        Ok(view
            .map_err(|error| PyValueError::new_err(error.to_string()))?
            .to_pyarray(py))
    }
}

/// At which calls of `prox` it is tried: the first ones may get nothing but zeros.
const TRIED: [usize; 5] = [1, 2, 5, 20, 100];

/// How far beyond (below 0) or back from the answer towards the argument.
const STEPS: [f64; 4] = [-0.1, -0.01, 0.01, 0.1];

impl PyPenalty {
    /// What the object's `value` answers, if a penalty may be that.
    fn asked_value(&self, py: Python<'_>, differences: &[f64], n_views: usize) -> PyResult<f64> {
        let array = Self::to_array(py, differences, n_views)?;
        let value: f64 = self.object.call_method1(py, "value", (array,))?.extract(py)?;
        if value.is_finite() && value >= 0.0 {
            return Ok(value);
        }
        Err(PyValueError::new_err(format!(
            "{}.value returned {value}; a penalty is finite and at least 0",
            self.name
        )))
    }

    /// Complains if a point near `found` has a smaller step · c + ½‖· − given‖².
    fn try_prox(&self, py: Python<'_>, given: &[f64], found: &[f64], n_views: usize, step: f64) -> PyResult<()> {
        let objective = |point: &[f64]| -> PyResult<f64> {
            let value = self.asked_value(py, point, n_views)?;
            let apart: f64 = point.iter().zip(given).map(|(x, v)| (x - v) * (x - v)).sum();
            Ok(step * value + 0.5 * apart)
        };
        let reached = objective(found)?;
        for share in STEPS {
            let point: Vec<f64> = found.iter().zip(given).map(|(y, v)| y + share * (v - y)).collect();
            let there = objective(&point)?;
            if there < reached - 1e-9 * reached.abs() - f64::MIN_POSITIVE {
                return Err(PyValueError::new_err(format!(
                    "{}.prox is not the proximal map of {}.value: for differences it was given, step · value(y) + \
                     ½‖y − differences‖² is {reached:.6e} at y = prox(differences, step), and {there:.6e} close by. \
                     With a prox of another penalty the result would be certified wrongly",
                    self.name, self.name
                )));
            }
        }
        Ok(())
    }
}

impl Penalty for PyPenalty {
    fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        self.call(0.0, |py| self.asked_value(py, differences, n_views))
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        let found = self.call(None, |py| {
            let array = Self::to_array(py, differences, n_views)?;
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
            if TRIED.contains(&(1 + self.n_calls.fetch_add(1, Ordering::Relaxed))) {
                self.try_prox(py, differences, &values, n_views, step)?;
            }
            Ok(Some(values))
        });
        if let Some(values) = found {
            differences.copy_from_slice(&values);
        }
    }
}
