//! Data whose graphs are known.

use congraph::simulate::{Changes, Filter, GraphModel, Reach, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::fields::from_fields;
use crate::{failure, graphs, running};

/// What to simulate.
pub(crate) struct Wanted {
    graph: String,
    n_nodes: usize,
    n_views: usize,
    n_signals: Vec<usize>,
    edge_probability: f64,
    growth: usize,
    radius: Option<f64>,
    mean_degree: f64,
    shuffled: f64,
    added: Option<f64>,
    removed: Option<f64>,
    changed_views: usize,
    same_views: bool,
    weights: Option<(f64, f64)>,
    filter: String,
    filter_t: Option<f64>,
    noise: f64,
    seed: u64,
}

from_fields!(Wanted {
    graph,
    n_nodes,
    n_views,
    n_signals,
    edge_probability,
    growth,
    radius,
    mean_degree,
    shuffled,
    added,
    removed,
    changed_views,
    same_views,
    weights,
    filter,
    filter_t,
    noise,
    seed
});

impl Wanted {
    fn settings(&self) -> PyResult<Settings> {
        let graph = match self.graph.as_str() {
            "er" => GraphModel::ErdosRenyi {
                probability: self.edge_probability,
            },
            "ba" => GraphModel::BarabasiAlbert { growth: self.growth },
            "rgg" => GraphModel::RandomGeometric {
                reach: self.radius.map_or(Reach::MeanDegree(self.mean_degree), Reach::Radius),
            },
            other => return unknown("graph", other, "\"er\", \"ba\" or \"rgg\""),
        };
        let filter = match self.filter.as_str() {
            "pinv" => Filter::PseudoInverse,
            "gaussian" => Filter::Gaussian,
            "heat" => Filter::Heat {
                t: self.filter_t.unwrap_or(0.1),
            },
            "tikhonov" => Filter::Tikhonov {
                t: self.filter_t.unwrap_or(0.3),
            },
            other => return unknown("filter", other, "\"pinv\", \"gaussian\", \"heat\" or \"tikhonov\""),
        };
        let changes = (self.added.is_some() || self.removed.is_some()).then(|| Changes {
            added: self.added.unwrap_or(0.0),
            removed: self.removed.unwrap_or(0.0),
            n_views: self.changed_views,
            same_views: self.same_views,
        });
        Ok(Settings {
            n_nodes: self.n_nodes,
            n_views: self.n_views,
            n_signals: self.n_signals.clone(),
            graph,
            shuffled: self.shuffled,
            changes,
            weights: self.weights.map(|(low, high)| [low, high]),
            filter,
            noise: self.noise,
            seed: self.seed,
        })
    }
}

fn unknown<T>(option: &str, word: &str, choices: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!(
        "{option} is {word:?}; it must be {choices}"
    )))
}

/// Simulates views of smooth signals with a known consensus graph.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn simulate(py: Python<'_>, wanted: Wanted) -> PyResult<Bound<'_, PyDict>> {
    let settings = wanted.settings()?;
    let found = running::briefly(py, || congraph::simulate::simulate(&settings))?
        .map_err(|error| failure::exception(py, &error))?;
    let result = PyDict::new(py);
    let tables = PyList::empty(py);
    for table in found.tables {
        tables.append(graphs::matrix(py, table.n_rows, table.n_columns, table.values)?)?;
    }
    result.set_item("tables", tables)?;
    let truth = PyDict::new(py);
    graphs::put(&truth, &found.truth)?;
    result.set_item("truth", truth)?;
    let positions = match found.positions {
        Some(positions) => Some(graphs::matrix(py, positions.len(), 2, positions.concat())?),
        None => None,
    };
    result.set_item("positions", positions)?;
    Ok(result)
}
