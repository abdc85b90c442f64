//! The communities of learned graphs.

use congraph::communities::{ConsensusClustering, Leiden, communities_watched};
use numpy::IntoPyArray;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::fields::from_fields;
use crate::graphs::{self, Arrays};
use crate::request;
use crate::running::Running;

/// How to look for them.
pub(crate) struct Search {
    resolution: f64,
    runs: usize,
    threshold: f64,
    max_rounds: usize,
    signs: String,
    seed: u64,
}

from_fields!(Search {
    resolution,
    runs,
    threshold,
    max_rounds,
    signs,
    seed
});

/// The communities of every view, of the consensus and of the group of views.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn communities<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    search: Search,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let graph = graph.graph()?;
    let settings = ConsensusClustering {
        leiden: Leiden {
            resolution: search.resolution,
            n_runs: search.runs,
            seed: search.seed,
        },
        threshold: search.threshold,
        max_rounds: search.max_rounds,
        signs: request::chosen(py, &search.signs)?,
    };
    let found = running.run(py, None, |watch| communities_watched(&graph, &settings, watch))?;
    let Some(found) = found else {
        return Err(PyKeyboardInterrupt::new_err(()));
    };
    let labels = |labels: &[usize]| {
        let labels: Vec<i64> = labels.iter().map(|&label| label as i64).collect();
        labels.into_pyarray(py)
    };
    let n = graph.n_nodes();
    let result = PyDict::new(py);
    // A view has no label for a node that it lacks.
    let of_view = |view: usize| {
        found
            .view_labels(view)
            .into_iter()
            .map(|label| label.map_or(-1, |label| label as i64))
    };
    let views: Vec<i64> = (0..graph.n_views()).flat_map(of_view).collect();
    result.set_item("views", graphs::matrix(py, graph.n_views(), n, views)?)?;
    let modularities: Vec<f64> = found.views.iter().map(|view| view.modularity).collect();
    result.set_item("view_modularity", modularities.into_pyarray(py))?;
    let consensus = found.consensus.as_ref();
    result.set_item("consensus", consensus.map(|found| labels(found.partition.labels())))?;
    result.set_item("consensus_modularity", consensus.map(|found| found.modularity))?;
    result.set_item("group", labels(found.group.partition.labels()))?;
    result.set_item("agreed", found.group.agreed)?;
    let nmi = found.nmi();
    let n_partitions = nmi.len();
    result.set_item("nmi", graphs::matrix(py, n_partitions, n_partitions, nmi.concat())?)?;
    let together: Vec<f64> = (0..n).flat_map(|node| found.coclassification.row(node)).collect();
    result.set_item("coclassification", graphs::matrix(py, n, n, together)?)?;
    Ok(result)
}
