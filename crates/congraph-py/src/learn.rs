//! Views to certified graphs.

use std::time::Instant;

use congraph::{Learned, Method, Table, ViewOptions, Warning};
use congraph_record::record::TriedRecord;
use congraph_record::request::LikelihoodAsked;
use congraph_record::{FitRecord, Resolved};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure;
use crate::graphs::{self, Measures};
use crate::request::{self, refused};
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// Learns one graph per view and their consensus.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    options: Bound<'py, PyDict>,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let request = request::read(&options)?;
    let view_options = reading.options()?;
    let asked = match request.fit.resolve().map_err(|error| refused(py, &error, None))? {
        Resolved::Smooth(asked) => asked,
        Resolved::Likelihood(asked) => {
            let tables = tables(&views, &view_options)?;
            return likely(py, tables, &view_options, &asked, &running);
        }
        Resolved::GraphicalLasso(_) => {
            let message = "method is that of JointGraphicalLasso; it must be \"smooth\" or \"likelihood\"";
            return Err(PyValueError::new_err(message));
        }
    };
    let tables = tables(&views, &view_options)?;
    let raised = request.written.as_ref().map(|penalty| penalty.raised());
    let (tuned, measures, noticed, time) = running.run(py, raised, |watch| {
        let clock = Instant::now();
        let (views, noticed) = assemble(tables, &view_options)?;
        let tuned = asked
            .method_for(&views, watch)?
            .learn_to(&views, &asked.targets, watch)?;
        // Whoever learns frees the views, too.
        drop(views);
        let measures = Measures::new(&tuned.learned.graph);
        Ok((tuned, measures, noticed, clock.elapsed()))
    })?;
    let record = FitRecord {
        echo: asked.echo,
        ..FitRecord::of(&tuned.method, &tuned.learned, Some(&tuned.reached), &[], None)
    };
    let result = result(py, &tuned.learned, &record, measures, &noticed)?;
    result.set_item("engine_seconds", time.as_secs_f64())?;
    Ok(result)
}

/// Learns graphs that make the signals likely.
fn likely<'py>(
    py: Python<'py>,
    tables: Vec<Table<&[f64]>>,
    view_options: &ViewOptions,
    asked: &LikelihoodAsked,
    running: &Running,
) -> PyResult<Bound<'py, PyDict>> {
    let (chosen, measures, noticed, time) = running.run(py, None, |watch| {
        let clock = Instant::now();
        let (views, noticed) = assemble(tables, view_options)?;
        let chosen = asked.method.learn_to(&views, &asked.wanted, watch)?;
        drop(views);
        let measures = Measures::new(&chosen.learned.graph);
        Ok((chosen, measures, noticed, clock.elapsed()))
    })?;
    let record = FitRecord::of_likelihood(asked, &chosen, &[], None);
    let result = result(py, &chosen.learned, &record, measures, &noticed)?;
    let details = &chosen.learned.details;
    result.set_item("diagonals", &details.diagonals)?;
    result.set_item("variances", &details.variances)?;
    result.set_item("engine_seconds", time.as_secs_f64())?;
    Ok(result)
}

/// Everything that is told of a fit.
pub(crate) fn result<'py, M: Method>(
    py: Python<'py>,
    learned: &Learned<M>,
    record: &FitRecord,
    measures: Measures,
    noticed: &[Warning],
) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    graphs::put(&result, &learned.graph)?;
    measures.put(&result)?;
    put(&result, record)?;
    result.set_item("spectrum", record.spectrum.unwrap_or(1.0))?;
    result.set_item("status", learned.status.to_string())?;
    result.set_item("distances_seconds", learned.prepare_time.as_secs_f64())?;
    result.set_item("solve_seconds", learned.solve_time.as_secs_f64())?;
    let warnings: Vec<Warning> = noticed.iter().chain(&learned.warnings).cloned().collect();
    result.set_item("warnings", failure::warnings(&warnings))?;
    Ok(result)
}

/// What a record tells: its numbers, and all of it as JSON for a report. Numbers that are not finite cannot be told in
/// JSON, and what the user is warned of is told apart.
pub(crate) fn put(result: &Bound<'_, PyDict>, record: &FitRecord) -> PyResult<()> {
    result.set_item("alpha", record.alpha)?;
    result.set_item("beta", record.beta)?;
    result.set_item("gamma", record.gamma)?;
    result.set_item("objective", record.objective)?;
    result.set_item("dual_objective", record.dual_objective)?;
    result.set_item("relative_gap", record.relative_gap)?;
    result.set_item("converged", record.converged)?;
    result.set_item("iterations", record.iterations)?;
    result.set_item("distance_divisor", record.distance_divisor)?;
    result.set_item("floor", record.similarity.floor)?;
    result.set_item("candidates_outside", record.candidates_outside)?;
    result.set_item("scale", &record.scale)?;
    result.set_item("filter", record.filter)?;
    result.set_item("threshold", record.threshold.filter(|threshold| threshold.is_finite()))?;
    result.set_item("aic", record.aic)?;
    let merged = record.merged.iter().flat_map(|merged| merged.0.iter().cloned());
    result.set_item("merged", merged.collect::<std::collections::BTreeMap<_, _>>())?;
    result.set_item("tried", tried(result.py(), record)?)?;
    result.set_item("record", record.to_json())
}

/// The likelihoods that were compared, each by the keys of the record.
fn tried<'py>(py: Python<'py>, record: &FitRecord) -> PyResult<Option<Vec<Bound<'py, PyDict>>>> {
    let Some(tried) = &record.tried else {
        return Ok(None);
    };
    let one = |one: &TriedRecord| {
        let told = PyDict::new(py);
        told.set_item("filter", one.filter)?;
        told.set_item("signed", one.signed)?;
        told.set_item("beta", one.beta)?;
        told.set_item("aic", one.aic)?;
        told.set_item("relative_gap", one.relative_gap)?;
        told.set_item("certified", one.certified)?;
        Ok(told)
    };
    tried.iter().map(one).collect::<PyResult<_>>().map(Some)
}
