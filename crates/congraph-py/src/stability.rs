//! How sure the edges of a fit are.

use congraph::direct::{self, Direct};
use congraph::findings::shared_weights;
use congraph::refits::{Refit, Unit};
use congraph::stability::{EdgeStability, Halvings, Stability, Tallies};
use congraph::{Error, MultiviewGraph, Views, Watch};
use congraph_record::findings::KnownStability;
use congraph_record::record::{AgainMethod, StabilityColumns, StabilityRecord, direct_units};
use congraph_record::{FitRecord, Python as Spelled};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::failure;
use crate::fields::from_fields;
use crate::graphs::Arrays;
use crate::parts;
use crate::request::{self, chosen, refused};
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// How data are halved, and what else is asked.
pub(crate) struct Halving {
    pairs: usize,
    units: Option<String>,
    direct: bool,
    level: f64,
    seed: u64,
}

from_fields!(Halving {
    pairs,
    units,
    direct,
    level,
    seed
});

/// What was found; none of it if the views are not those of the fit.
struct Found {
    stability: EdgeStability,
    direct: Option<Direct>,
    fits: usize,
    views: Views,
}

/// The fit of which halves are made.
pub(crate) struct Whole<'py> {
    graph: Arrays<'py>,
    options: Bound<'py, PyDict>,
    record: String,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
}

from_fields!(Whole<'py> {
    graph,
    options,
    record,
    views,
    reading
});

/// What is done with the halvings of a fit, whatever its method.
trait Work: Send {
    type Done: Send;

    fn done<M: Refit>(
        self,
        halvings: &Halvings<'_, M>,
        graph: &MultiviewGraph,
        watch: Watch<'_>,
    ) -> Result<Self::Done, Error>;
}

/// How many fits each job takes.
struct Jobs;

impl Work for Jobs {
    type Done = Vec<usize>;

    fn done<M: Refit>(self, halvings: &Halvings<'_, M>, _: &MultiviewGraph, _: Watch<'_>) -> Result<Vec<usize>, Error> {
        Ok((0..halvings.n_jobs()).map(|job| halvings.n_fits(job)).collect())
    }
}

/// Some of the jobs.
struct Part(Vec<usize>);

impl Work for Part {
    type Done = Tallies;

    fn done<M: Refit>(
        self,
        halvings: &Halvings<'_, M>,
        _: &MultiviewGraph,
        watch: Watch<'_>,
    ) -> Result<Tallies, Error> {
        halvings
            .run(&self.0, Tallies::default(), &mut |_| Ok::<(), Error>(()), watch)
            .map_err(Error::in_a_half)
    }
}

/// All that is left after some jobs, and what they say.
struct Rest(Tallies);

impl Work for Rest {
    type Done = (EdgeStability, Unit, usize);

    fn done<M: Refit>(
        self,
        halvings: &Halvings<'_, M>,
        graph: &MultiviewGraph,
        watch: Watch<'_>,
    ) -> Result<Self::Done, Error> {
        let jobs: Vec<usize> = (0..halvings.n_jobs()).collect();
        let tallies = halvings
            .run(&jobs, self.0, &mut |_| Ok::<(), Error>(()), watch)
            .map_err(Error::in_a_half)?;
        let found = halvings.found(&tallies, graph);
        Ok((found, halvings.unit(), halvings.n_fits_of_all()))
    }
}

impl Whole<'_> {
    /// Makes halves ready, and does the work with them; the views are as the engine has them.
    fn halve<W: Work, T: Send>(
        &self,
        py: Python<'_>,
        graph: &MultiviewGraph,
        halving: &Halving,
        running: &Running,
        work: W,
        then: impl FnOnce(W::Done, Views, Watch<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let method = method(py, graph, &self.options, &self.record)?;
        let unit = halving
            .units
            .as_deref()
            .map(|word| chosen::<Unit>(py, word))
            .transpose()?;
        let asked = Stability {
            pairs: halving.pairs,
            unit,
            seed: halving.seed,
            ..Stability::default()
        };
        let view_options = self.reading.options()?;
        let tables = tables(&self.views, &view_options)?;
        let done = running.run(py, None, |watch| {
            let (views, _) = assemble(tables, &view_options)?;
            let done = match &method {
                AgainMethod::Smooth(method) => halved(&**method, asked, graph, &views, work, watch)?,
                AgainMethod::Likelihood(method) => halved(&**method, asked, graph, &views, work, watch)?,
                AgainMethod::Joint(method) => halved(&**method, asked, graph, &views, work, watch)?,
            };
            done.map(|done| then(done, views, watch)).transpose()
        })?;
        done.ok_or_else(|| {
            PyValueError::new_err(
                "the views are not those that were fitted: a fit to them does not give the same graphs\n  hint: give the \
                 views of `fit`, in the same order",
            )
        })
    }
}

/// How many fits each of the jobs takes: pairs of halves, and then halves of halves.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn stability_jobs(
    py: Python<'_>,
    whole: Whole<'_>,
    halving: Halving,
    running: Running,
) -> PyResult<Vec<usize>> {
    let graph = whole.graph.graph()?;
    whole.halve(py, &graph, &halving, &running, Jobs, |jobs, _, _| Ok(jobs))
}

/// What some of the jobs counted, as bytes.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn stability_part<'py>(
    py: Python<'py>,
    whole: Whole<'py>,
    halving: Halving,
    jobs: Vec<usize>,
    running: Running,
) -> PyResult<Bound<'py, PyBytes>> {
    let graph = whole.graph.graph()?;
    let tallies = whole.halve(py, &graph, &halving, &running, Part(jobs), |tallies, _, _| Ok(tallies))?;
    parts::to_bytes(py, &tallies)
}

/// Fits halves of the data as the whole was fitted, except those that `parts` have already.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn stability<'py>(
    py: Python<'py>,
    whole: Whole<'py>,
    halving: Halving,
    parts: Vec<Vec<u8>>,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let graph = whole.graph.graph()?;
    let mut done = Tallies::default();
    for part in parts {
        done.merge(parts::from_bytes(&part)?);
    }
    let found = whole.halve(py, &graph, &halving, &running, Rest(done), |done, views, watch| {
        let (stability, unit, fits) = done;
        let settings = direct::Settings {
            units: direct_units(unit),
            level: halving.level,
            ..direct::Settings::default()
        };
        let direct = match halving.direct {
            true => direct::of_views(&views, &settings, watch)?,
            false => None,
        };
        Ok(Found {
            stability,
            direct,
            fits,
            views,
        })
    })?;
    let direct = found.direct.as_ref();
    let record = StabilityRecord::of(
        &found.stability,
        direct,
        &found.views,
        found.fits,
        halving.seed,
        &Spelled,
    );
    let told = serde_json::to_string(&record).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let dict = PyDict::new(py);
    let edges = StabilityColumns::of_edges(&graph, &found.stability, direct);
    let known = KnownStability {
        record,
        edges: edges.told(),
    };
    let support = known.support(&shared_weights(&graph));
    dict.set_item("support", support.map(|support| support.words()))?;
    let findings = serde_json::to_string(&known).map_err(|error| PyValueError::new_err(error.to_string()))?;
    dict.set_item("findings", findings)?;
    dict.set_item("edges", columns(py, edges)?)?;
    dict.set_item(
        "views",
        columns(py, StabilityColumns::of_views(&graph, &found.stability, direct))?,
    )?;
    dict.set_item("record", told)?;
    dict.set_item("warnings", failure::warnings(&found.stability.warnings))?;
    Ok(dict)
}

/// The method of the fit, with the pairs that it could join.
pub(crate) fn method(
    py: Python<'_>,
    graph: &MultiviewGraph,
    options: &Bound<'_, PyDict>,
    record: &str,
) -> PyResult<AgainMethod> {
    let record: FitRecord = serde_json::from_str(record).unwrap_or_default();
    let request = request::read(options)?;
    if record.is_projection() {
        return Err(PyValueError::new_err(
            "these views were projected on the consensus of another fit, and there is nothing to fit again: ask the fit",
        ));
    }
    let lacking = || {
        PyValueError::new_err(
            "halves cannot be fitted as the whole was: that needs one of the methods and penalties that have a name",
        )
    };
    if request.written.is_some() {
        return Err(lacking());
    }
    let mut method = record.method_again(graph).ok_or_else(lacking)?;
    match &mut method {
        AgainMethod::Smooth(method) => {
            let asked = request.fit.smooth().map_err(|error| refused(py, &error, None))?;
            (method.candidates, method.edge_costs) = (asked.method.candidates, asked.method.edge_costs);
        }
        AgainMethod::Likelihood(method) => {
            let asked = request.fit.likelihood().map_err(|error| refused(py, &error, None))?;
            (method.candidates, method.edge_costs) = (asked.method.candidates, asked.method.edge_costs);
        }
        AgainMethod::Joint(_) => {}
    }
    Ok(method)
}

/// None if a fit to the views does not give the graphs.
fn halved<M: Refit, W: Work>(
    method: &M,
    asked: Stability,
    graph: &MultiviewGraph,
    views: &Views,
    work: W,
    watch: Watch<'_>,
) -> Result<Option<W::Done>, Error> {
    let halvings = asked.of(method, views, watch)?;
    if !halvings.gives(graph) {
        return Ok(None);
    }
    work.done(&halvings, graph, watch).map(Some)
}

/// One array per column.
fn columns(py: Python<'_>, columns: StabilityColumns) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, values) in columns.0 {
        dict.set_item(name, values.into_pyarray(py))?;
    }
    Ok(dict)
}
