//! Which method explains samples best that it has not seen.

use congraph::Warning;
use congraph::methods::graphical_lasso::Fusion;
use congraph::methods::likelihood::{Likelihood, Signs};
use congraph::tune::{Contender, Wanted, compare_methods as compare, noise};
use congraph_record::choices::{Choice, Method};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure;
use crate::request::{self, refused};
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// What is told of each method, and warnings.
type Compared<'py> = (Bound<'py, PyList>, Vec<(&'static str, Option<String>, String)>);

/// Compares methods by held-out likelihood; the best first. Warns of noise.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn compare_methods<'py>(
    py: Python<'py>,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    options: Bound<'py, PyDict>,
    methods: Vec<String>,
    running: Running,
) -> PyResult<Compared<'py>> {
    let request = request::read(&options)?;
    let asked = request.fit.smooth().map_err(|error| refused(py, &error, None))?;
    let mut contenders = Vec::new();
    for word in &methods {
        let method = Method::from_word(word).map_err(|error| refused(py, &error, None))?;
        contenders.push(match method {
            Method::Smooth => Contender::smooth(asked.method.clone()),
            Method::Likelihood => {
                let signs = if asked.method.signed {
                    Signs::Both
                } else {
                    Signs::Attractive
                };
                let wanted = Wanted {
                    signs: Some(signs),
                    ..Wanted::default()
                };
                Contender::likelihood(Likelihood::default(), wanted)
            }
            Method::JglFused => Contender::graphical_lasso(Fusion::Fused),
            Method::JglGroup => Contender::graphical_lasso(Fusion::Group),
        });
    }
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let (explained, noise) = running.run(py, None, |watch| {
        let (views, _) = assemble(tables, &view_options)?;
        Ok((compare(&views, &contenders, watch)?, noise(&views, watch)?))
    })?;
    let best = explained.first().map_or(0.0, |first| first.gain);
    let found = PyList::empty(py);
    for one in explained {
        let dict = PyDict::new(py);
        dict.set_item("method", one.method)?;
        dict.set_item("gain", one.gain)?;
        dict.set_item("gain_error", one.gain_error)?;
        dict.set_item("behind", best - one.gain)?;
        dict.set_item("standard_error", one.standard_error)?;
        dict.set_item("density", one.density)?;
        dict.set_item("settings", one.settings)?;
        dict.set_item("n_settings", one.n_settings)?;
        dict.set_item("views", one.views.into_pyarray(py))?;
        found.append(dict)?;
    }
    let noise: Vec<Warning> = noise.into_iter().collect();
    Ok((found, failure::warnings(&noise)))
}
