//! The joint graphical lasso.

use congraph::methods::graphical_lasso::EdgeRule;
use congraph::{Learn, Warning};
use congraph_record::{FitRecord, Resolved};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure;
use crate::graphs::{self, Measures};
use crate::learn::put;
use crate::request::{self, refused};
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// Learns one precision matrix per view; `edges` says which of their entries are edges.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn joint_graphical_lasso<'py>(
    py: Python<'py>,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    options: Bound<'py, PyDict>,
    edges: String,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let rule: EdgeRule = request::chosen(py, &edges)?;
    let resolved = request::read(&options)?.fit.resolve();
    let Resolved::GraphicalLasso(method) = resolved.map_err(|error| refused(py, &error, None))? else {
        return Err(PyValueError::new_err("coupling is missing"));
    };
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let (learned, noticed) = running.run(py, None, |watch| {
        let (views, noticed) = assemble(tables, &view_options)?;
        Ok((method.learn(&views, watch)?, noticed))
    })?;
    let result = PyDict::new(py);
    let graph = learned.details.graph(&learned.graph, rule);
    graphs::put(&result, &graph)?;
    Measures::new(&graph).put(&result)?;
    let n = graph.n_nodes();
    let precisions = PyList::empty(py);
    for precision in &learned.details.precisions {
        precisions.append(graphs::matrix(py, n, n, precision.clone())?)?;
    }
    result.set_item("precisions", precisions)?;
    put(&result, &FitRecord::of_joint(&method, &learned, rule, &[], None))?;
    result.set_item("status", learned.status.to_string())?;
    let warnings: Vec<Warning> = noticed.iter().chain(&learned.warnings).cloned().collect();
    result.set_item("warnings", failure::warnings(&warnings))?;
    Ok(result)
}
