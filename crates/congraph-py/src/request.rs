//! Keyword arguments as a request: each is read once, by its id, and refused in Python's words.

use std::sync::Arc;

use congraph::{EdgeCost, Scaling};
use congraph_record::refusal::Refusal;
use congraph_record::request::Value;
use congraph_record::{Choice, FitRequest, Python as Spelled, RequestError};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure;
use crate::penalty::PyPenalty;

/// What is asked of a fit, and the penalty if it is written in Python.
pub(crate) struct Request {
    pub(crate) fit: FitRequest,
    pub(crate) written: Option<Arc<PyPenalty>>,
}

/// Reads the keyword arguments of an estimator.
pub(crate) fn read(options: &Bound<'_, PyDict>) -> PyResult<Request> {
    let mut request = Request {
        fit: FitRequest::default(),
        written: None,
    };
    for (id, given) in options {
        let id: String = id.extract()?;
        let value = match id.as_str() {
            "penalty" if !given.is_instance_of::<pyo3::types::PyString>() => {
                let penalty = Arc::new(PyPenalty::new(options.py(), &given.clone().unbind())?);
                request.written = Some(Arc::clone(&penalty));
                Value::Penalty(penalty)
            }
            _ => value(&id, &given)?,
        };
        let set = request.fit.set(&id, &value);
        set.map_err(|error| refused(options.py(), &error, Some(&given)))?;
    }
    Ok(request)
}

/// What a keyword argument is set to.
fn value(id: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Missing);
    }
    if let Ok(flag) = given.extract::<bool>() {
        return Ok(Value::Flag(flag));
    }
    if let Ok(word) = given.extract::<String>() {
        return Ok(Value::Word(word));
    }
    match given.extract::<u64>() {
        Ok(number) => return Ok(Value::Whole(number.into())),
        // A whole number all the same: below 0, or too big to count with.
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
            let far = if given.lt(0)? { i128::MIN } else { i128::MAX };
            return Ok(match (given.extract::<i64>(), given.extract::<f64>()) {
                (Ok(number), _) => Value::Whole(number.into()),
                // Options that take any number take this one, too; those that count refuse it.
                (_, Ok(number)) => Value::Huge(number),
                _ => Value::Whole(far),
            });
        }
        Err(_) => {}
    }
    if let Ok(number) = given.extract::<f64>() {
        return Ok(Value::Number(number));
    }
    if let Ok(array) = given.extract::<PyReadonlyArray2<'_, i64>>() {
        return Ok(Value::Pairs(pairs(id, &array)?));
    }
    if let Ok((array, costs)) = given.extract::<(PyReadonlyArray2<'_, i64>, PyReadonlyArray1<'_, f64>)>() {
        return Ok(Value::Costs(edge_costs(id, &array, &costs)?));
    }
    Ok(Value::Other)
}

fn edge_costs(
    id: &str,
    array: &PyReadonlyArray2<'_, i64>,
    costs: &PyReadonlyArray1<'_, f64>,
) -> PyResult<Vec<EdgeCost>> {
    let (pairs, costs) = (pairs(id, array)?, costs.as_array());
    if pairs.len() != costs.len() {
        return Err(PyValueError::new_err(format!("{id} must have one cost per pair")));
    }
    let cost = |(pair, &cost): ([u32; 2], &f64)| EdgeCost { pair, cost };
    Ok(pairs.into_iter().zip(costs).map(cost).collect())
}

fn pairs(id: &str, array: &PyReadonlyArray2<'_, i64>) -> PyResult<Vec<[u32; 2]>> {
    let refuse = || PyValueError::new_err(format!("{id} must be pairs of node numbers, 0 or more"));
    let array = array.as_array();
    if array.ncols() != 2 {
        return Err(refuse());
    }
    let node = |number: i64| u32::try_from(number).map_err(|_| refuse());
    let rows = array.rows().into_iter();
    rows.map(|pair| Ok([node(pair[0])?, node(pair[1])?])).collect()
}

/// The exception that says why a request is refused; `given` is what the option was set to, if that is of the wrong
/// kind.
pub(crate) fn refused(py: Python<'_>, error: &RequestError, given: Option<&Bound<'_, PyAny>>) -> PyErr {
    if let Refusal::Coded(coded) = &error.refusal {
        return failure::of_data(py, coded.spelled(&Spelled));
    }
    let (message, hint) = error.spelled(&Spelled);
    let (Refusal::Kind { wanted } | Refusal::Count { wanted }, Some(given)) = (&error.refusal, given) else {
        return PyValueError::new_err(if hint.is_empty() {
            message
        } else {
            format!("{message}\n  hint: {hint}")
        });
    };
    let shown = given
        .repr()
        .map_or_else(|_| "of the wrong kind".into(), |shown| shown.to_string());
    let name = congraph::options::Spelling::name(&Spelled, error.option);
    let message = format!("{name} is {shown}; it must be {wanted}");
    match error.refusal {
        Refusal::Kind { .. } => PyTypeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// What a word stands for.
pub(crate) fn chosen<C: Choice>(py: Python<'_>, word: &str) -> PyResult<C> {
    C::from_word(word).map_err(|error| refused(py, &error, None))
}

/// How distances are made comparable.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Scales {
    scale: String,
    sample_norm: String,
    distance_norm: String,
}

impl Scales {
    pub(crate) fn scaling(&self, py: Python<'_>) -> PyResult<Scaling> {
        Ok(Scaling {
            scale: chosen(py, &self.scale)?,
            sample_norm: chosen(py, &self.sample_norm)?,
            distance_norm: chosen(py, &self.distance_norm)?,
        })
    }
}
