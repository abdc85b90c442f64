//! New views against the frozen consensus of a fit.

use std::sync::Arc;

use congraph::{Model, Newton, Parameters, Projection, Projector, Support, Warning, penalties, regularisers};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::graphs::{self, Arrays, Measures};
use crate::options::Scales;
use crate::running::Running;
use crate::tables::{Lent, Reading, assemble, tables};
use crate::{failure, options};

/// How the fit was made.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Fitted {
    alpha: f64,
    beta: f64,
    penalty: String,
    distance_divisor: f64,
    nearest: Option<usize>,
    seed: u64,
    tol: f64,
    scales: Scales,
}

/// The graph of every view with the consensus held as it is.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn project<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    fitted: Fitted,
    views: Vec<Lent<'py>>,
    reading: Reading,
    running: Running,
) -> PyResult<Bound<'py, PyList>> {
    let graph = graph.graph()?;
    let penalty = penalties::by_name(&fitted.penalty).ok_or_else(|| {
        PyValueError::new_err(format!(
            "a fit with the penalty {:?} cannot be projected on: that needs one of the penalties that have a name",
            fitted.penalty
        ))
    })?;
    let model = Model {
        parameters: Parameters {
            alpha: fitted.alpha,
            beta: fitted.beta,
            gamma: 0.0,
        },
        penalty,
        regulariser: Arc::new(regularisers::NoRegulariser),
    };
    let view_options = reading.options()?;
    options::in_range("alpha", fitted.alpha, fitted.alpha > 0.0, "positive")?;
    options::in_range("beta", fitted.beta, fitted.beta >= 0.0, "0 or positive")?;
    let scaling = fitted.scales.scaling()?;
    let projector = Projector::new(&graph, &model, scaling, fitted.distance_divisor);
    let mut projector = projector.map_err(|error| failure::exception(py, &error))?;
    projector.node_rule = view_options.nodes;
    projector.newton = Newton {
        tolerance: fitted.tol,
        ..Newton::default()
    };
    if let Some(k) = fitted.nearest {
        projector.support = Support::Nearest { k, seed: fitted.seed };
    }
    let tables = tables(&views, &view_options)?;
    let (projections, noticed) = running.run(py, None, |watch| {
        let (views, noticed) = assemble(tables, &view_options)?;
        Ok((projector.project(&views, watch)?, noticed))
    })?;
    let found = PyList::empty(py);
    for projection in &projections {
        found.append(told(py, projection, &noticed)?)?;
    }
    Ok(found)
}

fn told<'py>(py: Python<'py>, projection: &Projection, noticed: &[Warning]) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    graphs::put(&told, &projection.graph)?;
    Measures::new(&projection.graph).put(&told)?;
    let kinds: Vec<&str> = projection.edges().map(|(_, _, _, kind)| kind.name()).collect();
    told.set_item("kinds", kinds)?;
    told.set_item("objective", projection.certificate.objective)?;
    told.set_item("dual_objective", projection.certificate.dual_objective)?;
    told.set_item("relative_gap", projection.certificate.relative_gap)?;
    told.set_item("converged", projection.converged())?;
    told.set_item("iterations", projection.iterations)?;
    let of_view = |warning: &&Warning| warning.view.as_deref() == Some(projection.name());
    let warnings: Vec<Warning> = noticed
        .iter()
        .filter(of_view)
        .chain(&projection.warnings)
        .cloned()
        .collect();
    told.set_item("warnings", failure::warnings(&warnings))?;
    Ok(told)
}
