//! How well graphs were found, and how data fit them.

use congraph::metrics::{self, GraphScore, SignedScore};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure;
use crate::graphs::Arrays;
use crate::request::Scales;
use crate::running::{Running, briefly};
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// One number of a score.
type Measure = fn(&GraphScore) -> f64;
/// The same with signs.
type SignedMeasure = fn(&SignedScore) -> f64;

/// Scores learned graphs against true ones: one column per measure, the views first and then the consensus if both have
/// one. With signs too, under the same names after `signed_`, if any weight of either side is negative.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn evaluate<'py>(py: Python<'py>, learned: Arrays<'py>, truth: Arrays<'py>) -> PyResult<Bound<'py, PyDict>> {
    let (learned, truth) = (learned.graph()?, truth.graph()?);
    let found = briefly(py, || metrics::evaluate(&learned, &truth))?.map_err(|error| failure::exception(py, &error))?;
    let result = PyDict::new(py);
    let measures: [(&str, Measure); 7] = [
        ("f1", GraphScore::f1),
        ("precision", GraphScore::precision),
        ("recall", GraphScore::recall),
        ("auprc", |score| score.auprc),
        ("accuracy", GraphScore::accuracy),
        ("nmi", GraphScore::nmi),
        ("correlation", |score| score.correlation),
    ];
    let scores = found.views.iter().map(|(_, score)| score).chain(&found.consensus);
    let scores: Vec<&GraphScore> = scores.collect();
    for (name, measure) in measures {
        let values: Vec<f64> = scores.iter().map(|score| measure(score)).collect();
        result.set_item(name, values.into_pyarray(py))?;
    }
    if scores.iter().all(|score| score.signed.is_some()) {
        let signed: Vec<SignedScore> = scores.iter().filter_map(|score| score.signed).collect();
        let measures: [(&str, SignedMeasure); 4] = [
            ("signed_f1", SignedScore::f1),
            ("signed_precision", SignedScore::precision),
            ("signed_recall", SignedScore::recall),
            ("signed_auprc", |score| score.auprc),
        ];
        for (name, measure) in measures {
            let values: Vec<f64> = signed.iter().map(measure).collect();
            result.set_item(name, values.into_pyarray(py))?;
        }
    }
    let names: Vec<&String> = found.views.iter().map(|(name, _)| name).collect();
    result.set_item("views", names)?;
    result.set_item("has_consensus", found.consensus.is_some())?;
    Ok(result)
}

/// The normalised mutual information of two labelings.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn nmi(one: PyReadonlyArray1<'_, i64>, other: PyReadonlyArray1<'_, i64>) -> PyResult<f64> {
    let labels = |array: &PyReadonlyArray1<'_, i64>| -> PyResult<Vec<usize>> {
        let label =
            |&label: &i64| usize::try_from(label).map_err(|_| PyValueError::new_err("labels must be 0 or more"));
        array.as_array().iter().map(label).collect()
    };
    let (one, other) = (labels(&one)?, labels(&other)?);
    if one.len() != other.len() {
        return Err(PyValueError::new_err("both must label the same items"));
    }
    Ok(metrics::nmi(&one, &other))
}

/// The total variation of data on learned graphs: (total, relative) of each view, and of the consensus if there is one.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn total_variation<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    scales: Scales,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let graph = graph.graph()?;
    let (view_options, scaling) = (reading.options()?, scales.scaling(py)?);
    let tables = tables(&views, &view_options)?;
    let found = running.run(py, None, |_| {
        let (views, _) = assemble(tables, &view_options)?;
        metrics::total_variation(&graph, &views, &scaling)
    })?;
    let all = || found.views.iter().map(|(_, one)| one).chain(&found.consensus);
    let result = PyDict::new(py);
    let total: Vec<f64> = all().map(|one| one.total).collect();
    let relative: Vec<f64> = all().map(|one| one.relative.unwrap_or(f64::NAN)).collect();
    result.set_item("total", total.into_pyarray(py))?;
    result.set_item("relative", relative.into_pyarray(py))?;
    Ok(result)
}

/// How much likelier data are on a graph than on independent nodes: one number per view.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn log_likelihood<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    view: Option<usize>,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    running: Running,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let graph = graph.graph()?;
    let weights: Option<Vec<f64>> = match view {
        Some(view) if view < graph.n_views() => Some(graph.weights().column(view).collect()),
        Some(_) => None,
        None => graph.consensus().map(<[f64]>::to_vec),
    };
    let Some(weights) = weights else {
        return Err(PyValueError::new_err("there is no such graph"));
    };
    let mut view_options = reading.options()?;
    // With masks, all views may lack a node that the graph has.
    view_options.projected = view_options.missing == congraph::Missing::Mask;
    let tables = tables(&views, &view_options)?;
    let found = running.run(py, None, |_| {
        let (views, _) = assemble(tables, &view_options)?;
        metrics::log_likelihood(&graph, &weights, &views)
    })?;
    Ok(found.into_pyarray(py))
}
