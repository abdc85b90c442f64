//! The report of learned graphs: one HTML page.

use congraph_record::FitRecord;
use congraph_record::findings::{Findings, Geometry, Known, KnownCommunities, KnownView, Positions};
use congraph_record::record::WarningRecord;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

use crate::failure;
use crate::fields::from_fields;
use crate::graphs::Arrays;
use crate::running::briefly;

/// What Python knows beside the graphs.
pub(crate) struct ReportContext {
    /// How they were learned: JSON as in `summary.json`, without warnings.
    record: String,
    /// What the user was warned of: (code, view, message).
    warnings: Vec<(String, Option<String>, String)>,
    /// Two or three coordinates for each node, and what they are: `globe` for longitudes and latitudes.
    positions: Option<Vec<Vec<f64>>>,
    axes: String,
    /// The file and the number of samples of each view, where known.
    files: Vec<String>,
    n_samples: Vec<Option<usize>>,
    /// The community of each node, and the modularity of them all.
    labels: Option<Vec<usize>>,
    modularity: Option<f64>,
    /// How sure edges are, as the engine told it in JSON; and how that is asked, if it can be.
    stability: Option<String>,
    ask: Option<String>,
    /// Who differs, as the engine told it in JSON.
    comparison: Option<String>,
}

from_fields!(ReportContext {
    record,
    warnings,
    positions,
    axes,
    files,
    n_samples,
    labels,
    modularity,
    stability,
    ask,
    comparison
});

/// The page.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn report(py: Python<'_>, graph: Arrays<'_>, context: ReportContext) -> PyResult<String> {
    let graph = graph.graph()?;
    let record: FitRecord = told(&context.record)?;
    let warning = |(code, view, message)| WarningRecord {
        code,
        view,
        message,
        ..WarningRecord::default()
    };
    let known = Known {
        summary: Some(FitRecord {
            warnings: context.warnings.into_iter().map(warning).collect(),
            ..record
        }),
        positions: context.positions.and_then(|points| drawn(&context.axes, &points)),
        views: (context.files.into_iter().zip(context.n_samples))
            .map(|(file, n_samples)| KnownView { file, n_samples })
            .collect(),
        communities: context.labels.map(|labels| KnownCommunities {
            labels,
            modularity: context.modularity,
            agreement: Vec::new(),
            signs: None,
        }),
        stability: context.stability.as_deref().map(told).transpose()?,
        ask_stability: context.ask,
        comparison: context.comparison.as_deref().map(told).transpose()?,
        version: Some(env!("CARGO_PKG_VERSION").into()),
        ..Known::default()
    };
    briefly(py, || congraph_report::write(&Findings::of(&graph, known)))
}

/// What the engine told in JSON, read back.
fn told<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What is said if the edges follow the distances of their ends (W09).
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn follows_distance(
    py: Python<'_>,
    graph: Arrays<'_>,
    points: Vec<Vec<f64>>,
) -> PyResult<Option<(&'static str, Option<String>, String)>> {
    let graph = graph.graph()?;
    let warning = briefly(py, || {
        let geometry = Geometry::of(&graph, &positions(&points)?)?;
        geometry.warning(&graph)
    })?;
    Ok(warning.and_then(|warning| failure::warnings(&[warning]).pop()))
}

/// Where a report draws the nodes.
fn drawn(axes: &str, points: &[Vec<f64>]) -> Option<Positions> {
    match (axes, positions(points)?) {
        ("globe", Positions::Plane(points)) => Some(Positions::Globe(points)),
        (_, positions) => Some(positions),
    }
}

/// On a plane or in space; none if the nodes differ in their number of coordinates.
fn positions(points: &[Vec<f64>]) -> Option<Positions> {
    let plane = |point: &Vec<f64>| point.as_slice().try_into().ok();
    let space = |point: &Vec<f64>| point.as_slice().try_into().ok();
    let plane: Option<Vec<[f64; 2]>> = points.iter().map(plane).collect();
    let space: Option<Vec<[f64; 3]>> = points.iter().map(space).collect();
    space.map(Positions::in_space).or(plane.map(Positions::Plane))
}
