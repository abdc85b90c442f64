//! The path over densities and similarities, and the fit whose edges come back in other samples.

use std::ops::ControlFlow;

use congraph::solvers::{Progress, Watch};
use congraph::tuning::path::{Cell, Grid};
use congraph::tuning::stability::{Stability, Tally, Verdict, halved_time_series};
use congraph::{Code, DataError, Error, Learned, Learner, Model, Views, Warning};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::graphs::Measures;
use crate::learn::result;
use crate::options::Options;
use crate::running::Running;
use crate::tables::{Lent, Reading, assemble, tables};

/// Which densities and similarities, and how they are judged.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Choice {
    density: Option<(f64, f64)>,
    similarity: Option<(f64, f64)>,
    halvings: usize,
    threshold: f64,
    seed: u64,
}

/// Fits a grid of densities and similarities and chooses one by stability.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn tune<'py>(
    py: Python<'py>,
    views: Vec<Lent<'py>>,
    reading: Reading,
    options: Options<'py>,
    choice: Choice,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let asked = options.asked(py)?;
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let raised = asked.written.as_ref().map(|penalty| penalty.raised());
    let chosen = running.run(py, raised, |watch| {
        let (views, mut noticed) = assemble(tables, &view_options)?;
        noticed.extend(halved_time_series(&views));
        choice.choose(&asked.learner, &views, noticed, watch)
    })?;
    let measures = Measures::new(&chosen.learned.graph);
    let told = result(py, &chosen.learner, &chosen.learned, measures, &chosen.noticed)?;
    told.set_item("path", chosen.path(py)?)?;
    told.set_item("chosen", chosen.cell)?;
    told.set_item("floor", chosen.cells[chosen.cell].floor)?;
    Ok(told)
}

/// The fit that was chosen, and all others.
struct Chosen {
    cells: Vec<Cell>,
    verdicts: Vec<Verdict>,
    cell: usize,
    learner: Learner,
    learned: Learned,
    noticed: Vec<Warning>,
}

impl Choice {
    fn choose(
        &self,
        learner: &Learner,
        views: &Views,
        noticed: Vec<Warning>,
        watch: Watch<'_>,
    ) -> Result<Chosen, Error> {
        let grid = self.grid(views.n_nodes())?;
        let stability = Stability {
            halvings: self.halvings,
            threshold: self.threshold,
            seed: self.seed,
        };
        let prepared = learner.prepare(views, watch)?;
        let share = 1 + 2 * self.halvings;
        let mut cells: Vec<Cell> = Vec::new();
        let all = grid.densities.len() * grid.similarities.len();
        for &density in &grid.densities {
            prepared.path_row(density, &grid.similarities, watch, &mut |cell, _| cells.push(cell))?;
            if told(watch, cells.len(), all * share).is_break() {
                break;
            }
        }
        let mut tallies = vec![Tally::default(); cells.len()];
        let at_once = rayon::current_num_threads().max(1);
        let mut done = 0;
        while done < self.halvings && !cells.is_empty() {
            let next = (done + at_once).min(self.halvings);
            stability.halve(learner, views, &cells, done..next, &mut tallies, watch)?;
            done = next;
            if told(watch, cells.len() * (1 + 2 * done), cells.len() * share).is_break() {
                break;
            }
        }
        let (verdicts, best) = stability.choose(views.n_nodes(), &cells, &tallies, done);
        let cell = best.ok_or_else(|| nothing_in_reach(&grid))?;
        let learner = Learner {
            model: Model {
                parameters: cells[cell].parameters,
                ..learner.model.clone()
            },
            ..learner.clone()
        };
        let fit = prepared.fit(&learner.model, None, watch)?;
        let (learned, _) = prepared.learned_by_choice(fit, watch)?;
        Ok(Chosen {
            cells,
            verdicts,
            cell,
            learner,
            learned,
            noticed,
        })
    }

    fn grid(&self, n_nodes: usize) -> Result<Grid, Error> {
        let usual = Grid::usual(n_nodes);
        let ends = |name: &'static str, given: Option<(f64, f64)>, usual: &[f64]| {
            let (low, high) = given.unwrap_or((usual[0], usual[usual.len() - 1]));
            if low > 0.0 && low <= high && high <= 1.0 {
                return Ok([low, high]);
            }
            Err(Error::Parameter {
                name,
                message: "must be two numbers above 0 and at most 1, the smaller first, such as (0.05, 0.40)".into(),
            })
        };
        if self.halvings == 0 || self.threshold.is_nan() || self.threshold <= 0.0 {
            return Err(Error::Parameter {
                name: "halvings and threshold",
                message: "must be positive".into(),
            });
        }
        Ok(Grid::between(
            ends("density", self.density, &usual.densities)?,
            ends("similarity", self.similarity, &usual.similarities)?,
        ))
    }
}

fn told(watch: Watch<'_>, done: usize, total: usize) -> ControlFlow<()> {
    watch(&Progress::Fitted { done, total })
}

fn nothing_in_reach(grid: &Grid) -> Error {
    let ends = |values: &[f64]| format!("{} to {}", values[0], values[values.len() - 1]);
    DataError::new(
        Code::E10,
        format!(
            "no density from {} has views with a similarity from {}",
            ends(&grid.densities),
            ends(&grid.similarities)
        ),
        "coupling the views can only make them more alike than they are when learned separately",
        "ask for higher similarities with `similarity=(low, high)`",
    )
    .into()
}

impl Chosen {
    /// One array per column, one entry per cell.
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let path = PyDict::new(py);
        let column = |name: &str, value: &dyn Fn(&Cell, &Verdict) -> f64| {
            let cells = self.cells.iter().zip(&self.verdicts);
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
        Ok(path)
    }
}
