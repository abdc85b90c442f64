//! The joint graphical lasso.

use congraph::Warning;
use congraph::methods::graphical_lasso::{Coupling, EdgeRule, JointAdmm, JointGraphicalLasso, JointPenalty};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure;
use crate::fields::from_fields;
use crate::graphs::{self, Measures};
use crate::options::Scales;
use crate::running::Running;
use crate::tables::{Lent, Reading, assemble, chosen, tables};

/// Its parameters.
pub(crate) struct Lambdas {
    coupling: String,
    lambda1: f64,
    lambda2: f64,
    fused_diagonal: bool,
    tol: f64,
    max_iter: Option<usize>,
    edges: String,
    scales: Scales,
}

from_fields!(Lambdas {
    coupling,
    lambda1,
    lambda2,
    fused_diagonal,
    tol,
    max_iter,
    edges,
    scales
});

/// Learns one precision matrix per view.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn joint_graphical_lasso<'py>(
    py: Python<'py>,
    views: Vec<Lent<'py>>,
    reading: Reading,
    options: Lambdas,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let usual = JointAdmm::default();
    let couplings = [("fused", Coupling::Fused), ("group", Coupling::Group)];
    let rules = [("nonzero", EdgeRule::NonZero), ("negative", EdgeRule::Negative)];
    let rule = chosen("edges", &options.edges, &rules)?;
    let learner = JointGraphicalLasso {
        scaling: options.scales.scaling()?,
        penalty: JointPenalty {
            coupling: chosen("coupling", &options.coupling, &couplings)?,
            lambda1: options.lambda1,
            lambda2: options.lambda2,
            fused_diagonal: options.fused_diagonal,
        },
        solver: JointAdmm {
            tolerance: options.tol,
            max_iterations: options.max_iter.unwrap_or(usual.max_iterations),
            ..usual
        },
    };
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let (learned, noticed) = running.run(py, None, |watch| {
        let (views, noticed) = assemble(tables, &view_options)?;
        Ok((learner.learn(&views, watch)?, noticed))
    })?;
    let result = PyDict::new(py);
    let graph = learned.graph(rule);
    graphs::put(&result, &graph)?;
    Measures::new(&graph).put(&result)?;
    let n = learned.nodes.len();
    let precisions = PyList::empty(py);
    for precision in &learned.precisions {
        precisions.append(graphs::matrix(py, n, n, precision.clone())?)?;
    }
    result.set_item("precisions", precisions)?;
    result.set_item("objective", learned.certificate.objective)?;
    result.set_item("dual_objective", learned.certificate.dual_objective)?;
    result.set_item("relative_gap", learned.certificate.relative_gap)?;
    result.set_item("converged", learned.converged())?;
    result.set_item("status", learned.status.to_string())?;
    result.set_item("iterations", learned.iterations)?;
    let warnings: Vec<Warning> = noticed.iter().chain(&learned.warnings).cloned().collect();
    result.set_item("warnings", failure::warnings(&warnings))?;
    Ok(result)
}
