//! How sure the edges of a fit are.

use congraph::direct::{self, Direct};
use congraph::findings::shared_weights;
use congraph::refits::{Refit, Unit};
use congraph::stability::{EdgeStability, Stability};
use congraph::{Error, MultiviewGraph, Views, Watch};
use congraph_record::findings::KnownStability;
use congraph_record::record::{AgainMethod, StabilityColumns, StabilityRecord, direct_units};
use congraph_record::{FitRecord, Python as Spelled};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure;
use crate::fields::from_fields;
use crate::graphs::Arrays;
use crate::request::{self, chosen, refused};
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// How data are halved, and what else is asked.
pub(crate) struct Halving {
    pairs: usize,
    units: Option<String>,
    direct: bool,
    level: f64,
    seed: u64,
}

from_fields!(Halving {
    pairs,
    units,
    direct,
    level,
    seed
});

/// What was found; none of it if the views are not those of the fit.
struct Found {
    stability: EdgeStability,
    direct: Option<Direct>,
    fits: usize,
}

/// Fits halves of the data as the whole was fitted.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
pub(crate) fn stability<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    options: Bound<'py, PyDict>,
    record: String,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    halving: Halving,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let graph = graph.graph()?;
    let method = method(py, &graph, &options, &record)?;
    let unit = halving
        .units
        .as_deref()
        .map(|word| chosen::<Unit>(py, word))
        .transpose()?;
    let asked = Stability {
        pairs: halving.pairs,
        unit,
        seed: halving.seed,
        ..Stability::default()
    };
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let found = running.run(py, None, |watch| {
        let (views, _) = assemble(tables, &view_options)?;
        let found = match &method {
            AgainMethod::Smooth(method) => halve(&**method, asked, &graph, &views, &halving, watch)?,
            AgainMethod::Likelihood(method) => halve(&**method, asked, &graph, &views, &halving, watch)?,
            AgainMethod::Joint(method) => halve(&**method, asked, &graph, &views, &halving, watch)?,
        };
        Ok(found.map(|found| (found, views)))
    })?;
    let Some((found, views)) = found else {
        return Err(PyValueError::new_err(
            "the views are not those that were fitted: a fit to them does not give the same graphs\n  hint: give the views \
             of `fit`, in the same order",
        ));
    };
    let direct = found.direct.as_ref();
    let record = StabilityRecord::of(&found.stability, direct, &views, found.fits, halving.seed, &Spelled);
    let told = serde_json::to_string(&record).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let dict = PyDict::new(py);
    let edges = StabilityColumns::of_edges(&graph, &found.stability, direct);
    let known = KnownStability {
        record,
        edges: edges.told(),
    };
    let support = known.support(&shared_weights(&graph));
    dict.set_item("support", support.map(|support| support.words()))?;
    let findings = serde_json::to_string(&known).map_err(|error| PyValueError::new_err(error.to_string()))?;
    dict.set_item("findings", findings)?;
    dict.set_item("edges", columns(py, edges)?)?;
    dict.set_item(
        "views",
        columns(py, StabilityColumns::of_views(&graph, &found.stability, direct))?,
    )?;
    dict.set_item("record", told)?;
    dict.set_item("warnings", failure::warnings(&found.stability.warnings))?;
    Ok(dict)
}

/// The method of the fit, with the pairs that it could join.
pub(crate) fn method(
    py: Python<'_>,
    graph: &MultiviewGraph,
    options: &Bound<'_, PyDict>,
    record: &str,
) -> PyResult<AgainMethod> {
    let record: FitRecord = serde_json::from_str(record).unwrap_or_default();
    let request = request::read(options)?;
    let lacking = || {
        PyValueError::new_err(
            "halves cannot be fitted as the whole was: that needs one of the methods and penalties that have a name",
        )
    };
    if request.written.is_some() {
        return Err(lacking());
    }
    let mut method = record.method_again(graph).ok_or_else(lacking)?;
    match &mut method {
        AgainMethod::Smooth(method) => {
            let asked = request.fit.smooth().map_err(|error| refused(py, &error, None))?;
            (method.candidates, method.edge_costs) = (asked.method.candidates, asked.method.edge_costs);
        }
        AgainMethod::Likelihood(method) => {
            let asked = request.fit.likelihood().map_err(|error| refused(py, &error, None))?;
            (method.candidates, method.edge_costs) = (asked.method.candidates, asked.method.edge_costs);
        }
        AgainMethod::Joint(_) => {}
    }
    Ok(method)
}

fn halve<M: Refit>(
    method: &M,
    asked: Stability,
    graph: &MultiviewGraph,
    views: &Views,
    halving: &Halving,
    watch: Watch<'_>,
) -> Result<Option<Found>, Error> {
    let halvings = asked.of(method, views, watch)?;
    if !halvings.gives(graph) {
        return Ok(None);
    }
    let tallies = halvings.run_all(watch)?;
    let settings = direct::Settings {
        units: direct_units(halvings.unit()),
        level: halving.level,
        ..direct::Settings::default()
    };
    let direct = match halving.direct {
        true => direct::of_views(views, &settings, watch)?,
        false => None,
    };
    Ok(Some(Found {
        stability: halvings.found(&tallies, graph),
        direct,
        fits: halvings.n_fits_of_all(),
    }))
}

/// One array per column.
fn columns(py: Python<'_>, columns: StabilityColumns) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, values) in columns.0 {
        dict.set_item(name, values.into_pyarray(py))?;
    }
    Ok(dict)
}
