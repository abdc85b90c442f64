//! Keyword arguments as Python hands them over, read one by one: what is of the wrong type is named as the user knows
//! it.
//!
//! ```text
//! density is 'x'; it must be a number        TypeError
//! seed is -1; it must be 0 or more           ValueError
//! ```

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A dictionary of arguments.
pub(crate) struct Fields<'a, 'py>(Borrowed<'a, 'py, PyAny>);

impl<'a, 'py> Fields<'a, 'py> {
    pub(crate) fn of(given: Borrowed<'a, 'py, PyAny>) -> Self {
        Self(given)
    }

    /// The argument of this name.
    pub(crate) fn get<T: Field<'py>>(&self, name: &str) -> PyResult<T> {
        T::read(name, &self.0.get_item(name)?)
    }
}

/// What an argument can be.
pub(crate) trait Field<'py>: Sized {
    /// Reads it; the error tells its name.
    fn read(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self>;
}

impl<'py, T: Field<'py>> Field<'py> for Option<T> {
    fn read(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(None);
        }
        T::read(name, value).map(Some)
    }
}

impl<'py> Field<'py> for f64 {
    fn read(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        value.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(value.py()) {
                return out_of_range(name, value, "smaller");
            }
            wrong_type(name, value, "a number")
        })
    }
}

/// A number that counts something: too small or too large is no matter of types.
macro_rules! counts {
    ($($count:ty),+) => {$(
        impl<'py> Field<'py> for $count {
            fn read(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
                value.extract().map_err(|error: PyErr| {
                    if !error.is_instance_of::<PyOverflowError>(value.py()) {
                        return wrong_type(name, value, "a whole number");
                    }
                    let is_negative = value.lt(0).unwrap_or(false);
                    out_of_range(name, value, if is_negative { "0 or more" } else { "smaller" })
                })
            }
        }
    )+};
}
counts!(u64, usize);

/// Everything else says what it must be.
macro_rules! told_as {
    ($($kind:ty => $wanted:literal),+ $(,)?) => {$(
        impl<'py> Field<'py> for $kind {
            fn read(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
                value.extract().map_err(|_| wrong_type(name, value, $wanted))
            }
        }
    )+};
}
told_as!(
    bool => "True or False",
    String => "a string",
    (f64, f64) => "a pair of numbers (low, high)",
    Vec<String> => "a list of strings",
    Vec<usize> => "whole numbers, 0 or more",
    Vec<Vec<f64>> => "a list of points",
    Vec<Option<Vec<f64>>> => "a list of points or None",
    Vec<(String, PyReadonlyArray1<'py, f64>)> => "columns of numbers",
    Vec<Vec<String>> => "rows of strings",
    Vec<Option<usize>> => "whole numbers or None",
    Vec<(String, String)> => "pairs of strings",
    Vec<(String, Vec<u8>)> => "pairs of a string and bytes",
    Vec<PyReadonlyArray2<'py, f64>> => "arrays of numbers with two axes",
    Py<PyAny> => "an object",
    Bound<'py, PyDict> => "a dictionary",
    Vec<(String, Option<String>, String)> => "a list of warnings",
    PyReadonlyArray1<'py, f64> => "an array of numbers",
    PyReadonlyArray2<'py, f64> => "an array of numbers with two axes",
    PyReadonlyArray2<'py, i64> => "an array of whole numbers with two axes",
    PyReadonlyArray2<'py, bool> => "an array of truth values with two axes",
);

fn wrong_type(name: &str, value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    PyTypeError::new_err(said(name, value, wanted))
}

fn out_of_range(name: &str, value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    PyValueError::new_err(said(name, value, wanted))
}

fn said(name: &str, value: &Bound<'_, PyAny>, wanted: &str) -> String {
    let shown = value
        .repr()
        .map_or_else(|_| "of the wrong type".into(), |text| text.to_string());
    format!("{name} is {shown}; it must be {wanted}")
}

/// Reads a struct from a dictionary of the same names.
macro_rules! from_fields {
    ($kind:ident $(<$life:lifetime>)? { $($name:ident),+ $(,)? }) => {
        impl<'a, 'py> pyo3::FromPyObject<'a, 'py> for $kind $(<$life>)? {
            type Error = pyo3::PyErr;

            fn extract(given: pyo3::Borrowed<'a, 'py, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                let fields = $crate::fields::Fields::of(given);
                Ok(Self { $($name: fields.get(stringify!($name))?),+ })
            }
        }

        impl<'py> $crate::fields::Field<'py> for $kind $(<$life>)? {
            fn read(_: &str, value: &pyo3::Bound<'py, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                value.extract()
            }
        }
    };
}
pub(crate) use from_fields;
