//! Views to certified graphs.

use std::time::Instant;

use congraph::tune::{Reach, Reached, Tuned};
use congraph::{Candidates, Learned, Learner, Warning};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure;
use crate::graphs::{self, Measures};
use crate::options::Options;
use crate::running::Running;
use crate::tables::{Lent, Reading, assemble, tables};

/// Learns one graph per view and their consensus.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    views: Vec<Lent<'py>>,
    reading: Reading,
    options: Options<'py>,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let asked = options.asked(py)?;
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let raised = asked.written.as_ref().map(|penalty| penalty.raised());
    let (tuned, measures, noticed, time) = running.run(py, raised, |watch| {
        let clock = Instant::now();
        let (views, noticed) = assemble(tables, &view_options)?;
        let tuned = asked.learner.learn_to(&views, &asked.targets, watch)?;
        // Whoever learns frees the views, too.
        drop(views);
        let measures = Measures::new(&tuned.learned.graph);
        Ok((tuned, measures, noticed, clock.elapsed()))
    })?;
    let Tuned {
        learned,
        learner,
        reached,
    } = tuned;
    let result = result(py, &learner, &learned, measures, &noticed)?;
    result.set_item("engine_seconds", time.as_secs_f64())?;
    tell_reached(&result, &reached)?;
    Ok(result)
}

/// What was asked for, beside what was reached.
pub(crate) fn tell_reached(result: &Bound<'_, PyDict>, reached: &Reached) -> PyResult<()> {
    result.set_item("floor", reached.floor)?;
    result.set_item("solves", reached.solves)?;
    let target = |reach: Option<Reach>| reach.map(|reach| reach.target);
    result.set_item("density_target", target(reached.density))?;
    result.set_item("similarity_target", target(reached.similarity))?;
    result.set_item("consensus_density_target", target(reached.consensus_density))
}

/// Everything that is told of a fit.
pub(crate) fn result<'py>(
    py: Python<'py>,
    learner: &Learner,
    learned: &Learned,
    measures: Measures,
    noticed: &[Warning],
) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    graphs::put(&result, &learned.graph)?;
    measures.put(&result)?;
    let parameters = learner.model.parameters;
    result.set_item("alpha", parameters.alpha)?;
    result.set_item("beta", if learner.single { 0.0 } else { parameters.beta })?;
    result.set_item("gamma", if learner.single { 0.0 } else { parameters.gamma })?;
    let certificate = &learned.certificate;
    result.set_item("objective", certificate.objective)?;
    result.set_item("dual_objective", certificate.dual_objective)?;
    result.set_item("relative_gap", certificate.relative_gap)?;
    result.set_item("converged", learned.converged())?;
    result.set_item("status", learned.status.to_string())?;
    result.set_item("iterations", learned.iterations)?;
    result.set_item("distance_divisor", learned.distance_divisor)?;
    result.set_item("distances_seconds", learned.distances_time.as_secs_f64())?;
    result.set_item("solve_seconds", learned.solve_time.as_secs_f64())?;
    result.set_item(
        "candidates",
        match &learner.support {
            Candidates::AllPairs => "all".into(),
            Candidates::Nearest { k, .. } => format!("knn:{k}"),
            Candidates::Listed(_) => "listed".into(),
        },
    )?;
    result.set_item("n_candidates", learned.n_candidates)?;
    result.set_item("candidates_outside", learned.outside)?;
    result.set_item("n_edge_costs", learner.edge_costs.len())?;
    let warnings: Vec<Warning> = noticed.iter().chain(&learned.warnings).cloned().collect();
    result.set_item("warnings", failure::warnings(&warnings))?;
    Ok(result)
}
