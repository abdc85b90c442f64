//! The path over densities and similarities, and the fit that suits other samples best.

use congraph::tune::choice::{Chosen, NoFollower, Search, Steps};
use congraph::tune::parts::Halved;
use congraph::tune::path::Cell;
use congraph::tune::stability::CellStability;
use congraph::{Error, Smooth, Views, Warning, Watch};
use congraph_record::choices::{Choice as _, TuneRule};
use congraph_record::record::TuneRecord;
use congraph_record::request::TuneAsked;
use congraph_record::{FitRecord, FitRequest, RequestError, TuneRequest};
use numpy::IntoPyArray;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::fields::from_fields;
use crate::graphs::Measures;
use crate::learn::result;
use crate::parts;
use crate::request::{self, Request, refused};
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// Which densities and similarities, and how they are judged.
pub(crate) struct Choice {
    density: Option<(f64, f64)>,
    similarity: Option<(f64, f64)>,
    rule: String,
    keep: f64,
    halvings: usize,
    threshold: f64,
    seed: u64,
}

from_fields!(Choice {
    density,
    similarity,
    rule,
    keep,
    halvings,
    threshold,
    seed
});

/// The data, and how they are fitted.
pub(crate) struct Task<'py> {
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    options: Bound<'py, PyDict>,
    choice: Choice,
}

from_fields!(Task<'py> {
    views,
    reading,
    options,
    choice
});

impl Task<'_> {
    /// Does some work of a search.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        running: &Running,
        work: impl FnOnce(&Search, &Smooth, &Views, Watch<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<(T, Vec<Warning>, TuneAsked)> {
        let Request { fit, written } = request::read(&self.options)?;
        let request = self.choice.request(fit).map_err(|error| refused(py, &error, None))?;
        let asked = request.resolve().map_err(|error| refused(py, &error, None))?;
        let view_options = self.reading.options()?;
        let tables = tables(&self.views, &view_options)?;
        let raised = written.as_ref().map(|penalty| penalty.raised());
        let (done, noticed) = running.run(py, raised, |watch| {
            let (views, noticed) = assemble(tables, &view_options)?;
            let search = asked.search(views.n_nodes())?;
            let method = asked.fit.method_for(&views, watch)?;
            Ok((work(&search, &method, &views, watch)?, noticed))
        })?;
        Ok((done, noticed, asked))
    }
}

/// A round with all of its halvings, as they came from elsewhere; nothing done if there is none.
fn joined(round: Option<&[u8]>, halved: &[Vec<u8>]) -> PyResult<Steps> {
    let Some(round) = round else {
        return Ok(Steps::default());
    };
    let mut all = Halved::default();
    for part in halved {
        all = all.with(parts::from_bytes(part)?).ok_or_else(parts::strange)?;
    }
    Ok(parts::from_bytes::<Steps>(round)?.with(all))
}

/// The cells of the next round, as bytes; none if there is no other. `round` and `halved` are the one before.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn tune_round<'py>(
    py: Python<'py>,
    task: Task<'py>,
    round: Option<Vec<u8>>,
    halved: Vec<Vec<u8>>,
    running: Running,
) -> PyResult<Option<(Bound<'py, PyBytes>, usize)>> {
    let steps = joined(round.as_deref(), &halved)?;
    let (next, ..) = task.run(py, &running, |search, method, views, watch| {
        search.next_path(method, views, steps, &mut NoFollower, watch)
    })?;
    let next = next.map(|round| Ok((parts::to_bytes(py, &round)?, round.cells.len() - round.settled)));
    next.transpose()
}

/// Some halvings of the cells of a round, as bytes.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn tune_part<'py>(
    py: Python<'py>,
    task: Task<'py>,
    round: Vec<u8>,
    numbers: Vec<usize>,
    running: Running,
) -> PyResult<Bound<'py, PyBytes>> {
    let round: Steps = parts::from_bytes(&round)?;
    let (halved, ..) = task.run(py, &running, |search, method, views, watch| {
        search.halved(method, views, &round, &numbers, watch)
    })?;
    parts::to_bytes(py, &halved.ok_or_else(|| PyKeyboardInterrupt::new_err(()))?)
}

/// Fits a grid of densities and similarities and chooses one by likelihood or stability. `round` and `halved` are what was
/// done elsewhere.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn tune<'py>(
    py: Python<'py>,
    task: Task<'py>,
    round: Option<Vec<u8>>,
    halved: Vec<Vec<u8>>,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let steps = joined(round.as_deref(), &halved)?;
    let (chosen, noticed, asked) = task.run(py, &running, |search, method, views, watch| {
        search.choose(method, views, steps, &mut NoFollower, watch)
    })?;
    let measures = Measures::new(&chosen.learned.graph);
    let record = FitRecord {
        echo: asked.fit.echo.clone(),
        tune: Some(TuneRecord::of(&chosen, task.choice.threshold, &[], None)),
        ..FitRecord::of(&chosen.method, &chosen.learned, Some(&chosen.reached), &[], None)
    };
    let dict = result(py, &chosen.learned, &record, measures, &noticed)?;
    dict.set_item("path", path(py, &chosen)?)?;
    dict.set_item("chosen", chosen.cell)?;
    dict.set_item("best", chosen.best)?;
    dict.set_item(
        "rule",
        if chosen.best.is_some() {
            "likelihood"
        } else {
            "stability"
        },
    )?;
    Ok(dict)
}

impl Choice {
    fn request(&self, fit: FitRequest) -> Result<TuneRequest, RequestError> {
        let ends = |given: Option<(f64, f64)>| given.map(|(low, high)| [low, high]);
        Ok(TuneRequest {
            fit,
            density: ends(self.density),
            similarity: ends(self.similarity),
            rule: TuneRule::from_word(&self.rule)?,
            keep: self.keep,
            halvings: self.halvings,
            threshold: self.threshold,
            seed: self.seed,
        })
    }
}

/// One array per column, one entry per cell.
fn path<'py>(py: Python<'py>, chosen: &Chosen) -> PyResult<Bound<'py, PyDict>> {
    let path = PyDict::new(py);
    let column = |name: &str, value: &dyn Fn(&Cell, &CellStability) -> f64| {
        let cells = chosen.steps.cells.iter().zip(&chosen.verdicts);
        let values: Vec<f64> = cells.map(|(cell, verdict)| value(cell, verdict)).collect();
        path.set_item(name, values.into_pyarray(py))
    };
    column("density_target", &|cell, _| cell.density.target)?;
    column("similarity_target", &|cell, _| cell.similarity.target)?;
    column("density", &|cell, _| cell.density.value)?;
    column("similarity", &|cell, _| cell.similarity.value)?;
    column("floor", &|cell, _| cell.floor)?;
    column("alpha", &|cell, _| cell.parameters.alpha)?;
    column("beta", &|cell, _| cell.parameters.beta)?;
    column("gamma", &|cell, _| cell.parameters.gamma)?;
    column("consensus_density", &|cell, _| cell.consensus_density)?;
    column("instability", &|_, verdict| verdict.instability)?;
    column("agreement", &|_, verdict| verdict.agreement)?;
    column("prediction", &|_, verdict| verdict.prediction)?;
    if chosen.best.is_some() {
        column("gain", &|_, verdict| verdict.gain.unwrap_or(f64::NAN))?;
    }
    Ok(path)
}
