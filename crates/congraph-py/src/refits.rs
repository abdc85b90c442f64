//! Very many fits of resampled data.

use std::collections::BTreeMap;
use std::sync::Arc;

use congraph::refits::{Part, Refit, Refits, Unit};
use congraph::{Error, MultiviewGraph, Newton, Views, Watch};
use congraph_record::record::AgainMethod;
use numpy::ndarray::{Array2, Array3, ArrayView1};
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::fields::from_fields;
use crate::graphs::Arrays;
use crate::request::chosen;
use crate::running::Running;
use crate::stability::method;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// The graphs of the resamples, and how many units each view has.
type Resampled = (Vec<MultiviewGraph>, Vec<usize>);

/// What is drawn, and what is wanted of it.
pub(crate) struct Resampling<'py> {
    /// How many resamples, if their counts are not given.
    resamples: usize,
    /// One row per resample: how often each unit of the first view counts, then of the second, and so on.
    counts: Option<PyReadonlyArray2<'py, i64>>,
    units: Option<String>,
    tolerance: Option<f64>,
    weights: bool,
    seed: u64,
}

from_fields!(Resampling<'py> {
    resamples,
    counts,
    units,
    tolerance,
    weights,
    seed
});

/// More than sums of blocks may take, in bytes.
const MEMORY: u64 = 2 << 30;

/// Fits resampled data as the whole was fitted.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
pub(crate) fn refits<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    options: Bound<'py, PyDict>,
    record: String,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
    resampling: Resampling<'py>,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let graph = graph.graph()?;
    let mut method = method(py, &graph, &options, &record)?;
    match (&mut method, resampling.tolerance) {
        (_, None) => {}
        (AgainMethod::Smooth(smooth), Some(tolerance)) if smooth.solver.name() == "newton" && tolerance > 0.0 => {
            smooth.solver = Arc::new(Newton {
                tolerance,
                ..Newton::default()
            });
        }
        (_, Some(_)) => {
            return Err(PyValueError::new_err(
                "tolerance must be positive, and is that of fits of smooth signals by newton; leave it out for others",
            ));
        }
    }
    let unit = resampling
        .units
        .as_deref()
        .map(|word| chosen::<Unit>(py, word))
        .transpose()?;
    let counts = resampling.counts.as_ref().map(whole_numbers).transpose()?;
    let view_options = reading.options()?;
    let tables = tables(&views, &view_options)?;
    let asked = Asked {
        unit,
        counts,
        resamples: resampling.resamples,
        seed: resampling.seed,
    };
    let found = running.run(py, None, |watch| {
        let (views, _) = assemble(tables, &view_options)?;
        match &method {
            AgainMethod::Smooth(method) => asked.fit(&**method, &views, watch),
            AgainMethod::Likelihood(method) => asked.fit(&**method, &views, watch),
            AgainMethod::Joint(method) => asked.fit(&**method, &views, watch),
        }
    })?;
    let Some((graphs, n_units)) = found else {
        return Err(PyKeyboardInterrupt::new_err("interrupted"));
    };
    let dict = arrays(py, &graphs, resampling.weights)?;
    dict.set_item("n_units", n_units)?;
    Ok(dict)
}

/// One row per resample.
fn whole_numbers(counts: &PyReadonlyArray2<'_, i64>) -> PyResult<Vec<Vec<u32>>> {
    let refused = |_| PyValueError::new_err("counts must be whole numbers from 0 on");
    let row = |row: ArrayView1<'_, i64>| -> PyResult<Vec<u32>> {
        row.iter().map(|&count| u32::try_from(count).map_err(refused)).collect()
    };
    counts.as_array().rows().into_iter().map(row).collect()
}

struct Asked {
    unit: Option<Unit>,
    counts: Option<Vec<Vec<u32>>>,
    resamples: usize,
    seed: u64,
}

impl Asked {
    fn fit<M: Refit + Sync>(&self, method: &M, views: &Views, watch: Watch<'_>) -> Result<Option<Resampled>, Error>
    where
        M::Start: Sync,
    {
        let with_blocks = views.iter().all(|view| view.blocks().is_some());
        let usual = if with_blocks { Unit::Blocks } else { Unit::Samples };
        let refits = Refits::new(method, views, self.unit.unwrap_or(usual), MEMORY)?;
        let n_units = refits.n_units();
        let parts: Vec<Part> = match &self.counts {
            Some(counts) => counts
                .iter()
                .map(|row| refits.counted(&split(row, &n_units)))
                .collect::<Result<_, Error>>()?,
            None => (0..self.resamples as u64)
                .map(|number| refits.resample(self.seed, number))
                .collect::<Result<_, Error>>()?,
        };
        Ok(refits.fit_all(method, &parts, watch)?.map(|graphs| (graphs, n_units)))
    }
}

/// A row of counts, view by view; what is too much or too little stays so, and is refused.
fn split(row: &[u32], n_units: &[usize]) -> Vec<Vec<u32>> {
    let mut rest = row;
    let mut rows = Vec::with_capacity(n_units.len());
    for (place, &n) in n_units.iter().enumerate() {
        let last = place + 1 == n_units.len();
        let (own, after) = rest.split_at(if last { rest.len() } else { n.min(rest.len()) });
        rows.push(own.to_vec());
        rest = after;
    }
    rows
}

/// The weights of all graphs on the pairs that any of them joins. Weights of views are told if asked for and if all
/// graphs have the same views.
fn arrays<'py>(py: Python<'py>, graphs: &[MultiviewGraph], weights: bool) -> PyResult<Bound<'py, PyDict>> {
    let mut places: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for graph in graphs {
        places.extend(graph.pairs().iter().map(|&pair| (pair, 0)));
    }
    places.values_mut().enumerate().for_each(|(place, own)| *own = place);
    let n_views = graphs.first().map_or(0, MultiviewGraph::n_views);
    let mut consensus = Array2::<f64>::zeros((graphs.len(), places.len()));
    let mut of_views = weights.then(|| Array3::<f64>::zeros((graphs.len(), places.len(), n_views)));
    let mut index = Array2::<i64>::zeros((2, places.len()));
    for (pair, &place) in &places {
        for (end, &node) in pair.iter().enumerate() {
            index[[end, place]] = i64::from(node);
        }
    }
    for (number, graph) in graphs.iter().enumerate() {
        for (edge, pair) in graph.pairs().iter().enumerate() {
            let place = places[pair];
            if let Some(shared) = graph.consensus() {
                consensus[[number, place]] = shared[edge];
            }
            if let Some(of_views) = &mut of_views {
                for (view, &weight) in graph.weights().row(edge).iter().enumerate() {
                    of_views[[number, place, view]] = weight;
                }
            }
        }
    }
    let dict = PyDict::new(py);
    dict.set_item("edge_index", index.into_pyarray(py))?;
    dict.set_item("consensus", consensus.into_pyarray(py))?;
    dict.set_item("weights", of_views.map(|weights| weights.into_pyarray(py)))?;
    Ok(dict)
}
