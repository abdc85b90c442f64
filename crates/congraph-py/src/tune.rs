//! The path over densities and similarities, and the fit that suits other samples best.

use congraph::tune::choice::{Chosen, NoFollower, Steps};
use congraph::tune::path::Cell;
use congraph::tune::stability::CellStability;
use congraph_record::choices::{Choice as _, TuneRule};
use congraph_record::record::TuneRecord;
use congraph_record::{FitRecord, FitRequest, RequestError, TuneRequest};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::fields::from_fields;
use crate::graphs::Measures;
use crate::learn::result;
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

/// Fits a grid of densities and similarities and chooses one by likelihood or stability.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn tune<'py>(
    py: Python<'py>,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    options: Bound<'py, PyDict>,
    choice: Choice,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let Request { fit, written } = request::read(&options)?;
    let request = choice.request(fit).map_err(|error| refused(py, &error, None))?;
    let asked = request.resolve().map_err(|error| refused(py, &error, None))?;
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let raised = written.as_ref().map(|penalty| penalty.raised());
    let (chosen, noticed) = running.run(py, raised, |watch| {
        let (views, noticed) = assemble(tables, &view_options)?;
        let search = asked.search(views.n_nodes())?;
        let method = asked.fit.method_for(&views, watch)?;
        let chosen = search.choose(&method, &views, Steps::default(), &mut NoFollower, watch)?;
        Ok((chosen, noticed))
    })?;
    let measures = Measures::new(&chosen.learned.graph);
    let record = FitRecord {
        echo: asked.fit.echo.clone(),
        tune: Some(TuneRecord::of(&chosen, request.threshold, &[], None)),
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
