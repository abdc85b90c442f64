//! New views against the frozen consensus of a fit.

use congraph::{Projection, Projector, ViewOptions, Warning};
use congraph_record::FitRecord;
use congraph_record::refusal::check_range;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure;
use crate::fields::from_fields;
use crate::graphs::{self, Arrays, Measures};
use crate::request::{self, refused};
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// How the fit was made: the options it was asked for, and what came of them.
pub(crate) struct Fitted<'py> {
    options: Bound<'py, PyDict>,
    /// None of a likelihood.
    alpha: Option<f64>,
    beta: f64,
    distance_divisor: Option<f64>,
    record: String,
}

from_fields!(Fitted<'py> { options, alpha, beta, distance_divisor, record });

/// The graph of every view with the consensus held as it is.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn project<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    fitted: Fitted<'py>,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    running: Running,
) -> PyResult<Bound<'py, PyList>> {
    let graph = graph.graph()?;
    let request = request::read(&fitted.options)?;
    if request.written.is_some() {
        return Err(PyValueError::new_err(
            "a fit with a penalty that is written in Python cannot be projected on: that needs one of the penalties \
             that have a name",
        ));
    }
    let range =
        |name, value: f64, fits, what| check_range(name, value, fits, what).map_err(|error| refused(py, &error, None));
    range("beta", fitted.beta, fitted.beta >= 0.0, "finite and non-negative")?;
    let view_options = ViewOptions {
        projected: true,
        ..reading.options()?
    };
    let record: Option<FitRecord> = serde_json::from_str(&fitted.record).ok();
    let likelihood = record.as_ref().and_then(FitRecord::likelihood);
    let projector = if let Some((mut method, details)) = likelihood {
        let asked = request.fit.likelihood().map_err(|error| refused(py, &error, None))?;
        (method.candidates, method.edge_costs) = (asked.method.candidates, asked.method.edge_costs);
        Projector::of_likelihood(&graph, &method, &details).map(|projector| projector.with_coupling(fitted.beta))
    } else {
        let asked = request.fit.smooth().map_err(|error| refused(py, &error, None))?;
        let alpha = fitted.alpha.unwrap_or(f64::NAN);
        range("alpha", alpha, alpha > 0.0, "finite and positive")?;
        Projector::new(&graph, &asked.method, fitted.distance_divisor.unwrap_or(1.0)).map(|mut projector| {
            projector.alpha = alpha;
            projector.with_coupling(fitted.beta)
        })
    };
    let mut projector = projector.map_err(|error| failure::exception(py, &error))?;
    projector.node_rule = view_options.nodes;
    projector.missing = view_options.missing;
    projector.drop_nodes.clone_from(&view_options.drop_nodes);
    let tables = tables(&views, &view_options)?;
    let (projections, noticed) = running.run(py, None, |watch| {
        let (views, noticed) = assemble(tables, &view_options)?;
        Ok((projector.project(&views, watch)?, noticed))
    })?;
    let found = PyList::empty(py);
    for projection in &projections {
        found.append(to_dict(py, projection, &noticed)?)?;
    }
    Ok(found)
}

/// A projection as Python gets it.
fn to_dict<'py>(py: Python<'py>, projection: &Projection, noticed: &[Warning]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    graphs::put(&dict, &projection.graph)?;
    Measures::new(&projection.graph).put(&dict)?;
    let kinds: Vec<&str> = projection.edges().map(|(_, _, _, kind)| kind.name()).collect();
    dict.set_item("kinds", kinds)?;
    dict.set_item("objective", projection.certificate.objective)?;
    dict.set_item("dual_objective", projection.certificate.dual_objective)?;
    dict.set_item("relative_gap", projection.certificate.relative_gap)?;
    dict.set_item("converged", projection.converged())?;
    dict.set_item("iterations", projection.iterations)?;
    let of_view = |warning: &&Warning| warning.view.as_deref() == Some(projection.name());
    let warnings: Vec<Warning> = noticed
        .iter()
        .filter(of_view)
        .chain(&projection.warnings)
        .cloned()
        .collect();
    dict.set_item("warnings", failure::warnings(&warnings))?;
    Ok(dict)
}
