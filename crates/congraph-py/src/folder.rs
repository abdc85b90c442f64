//! Result folders: what Python learned written as the command line writes it, and whatever either wrote read back.
//!
//! The graphs are written from the arrays that Python holds. What a folder has beside them (how views were read, the path
//! of `tune`, …) is carried through as it was, so that a folder that was read and written again is the same to the bit.

use std::path::{Path, PathBuf};

use congraph::findings::shared_weights;
use congraph::{Error, MultiviewGraph};
use congraph_io::{
    COMMUNITIES_FILES, COMPARE_FILES, Folder, NodeFacts, OutputError, Places, ViewRow, read_comparison, read_known,
    read_node_facts, read_precisions, read_run, read_stability, seal, seal_with, write_bytes, write_graph_at,
    write_json, write_precision_graph, write_rows, write_stability, write_text,
};
use congraph_record::findings::{Known, KnownComparison, KnownStability};
use congraph_record::record::{
    CANDIDATES_TABLE, EDGE_COLUMNS, EDGE_COSTS_TABLE, StabilityColumns, StabilityRecord, Timing, VIEW_COLUMNS,
    WarningRecord,
};
use congraph_record::{FitRecord, Python as Spelled, RunRecord};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::failure;
use crate::fields::from_fields;
use crate::graphs::{self, Arrays, Measures};
use crate::learn::put;
use crate::running::briefly;

/// The estimator itself, of folders that Python wrote: its class and parameters.
const PYTHON: &str = "python.json";
/// What is carried through as it was.
const CARRIED: [&str; 9] = [
    "run.json",
    "projection.tsv",
    "quality.tsv",
    "tune.tsv",
    "path.tsv",
    "recordings.tsv",
    "dropped.tsv",
    CANDIDATES_TABLE,
    EDGE_COSTS_TABLE,
];

/// What `stability` adds, and the tables that get its columns.
const STABILITY: [&str; 3] = ["stability.json", "edges.tsv", "edges_long.tsv"];

/// What is saved beside the graphs.
pub(crate) struct Saved<'py> {
    path: String,
    force: bool,
    /// The page of the report, if there is to be one.
    report: Option<String>,
    /// As in `summary.json`, without warnings.
    record: String,
    warnings: Vec<(String, Option<String>, String)>,
    /// Where each node is, as far as that is known.
    positions: Option<Vec<Option<Vec<f64>>>>,
    /// What they are: `globe` for longitudes and latitudes.
    axes: String,
    /// The file and the number of samples of each view, where known.
    files: Vec<String>,
    n_samples: Vec<Option<usize>>,
    precisions: Option<Vec<PyReadonlyArray2<'py, f64>>>,
    /// Class and parameters.
    python: String,
    /// Files that were read with the graphs, by name.
    carried: Vec<(String, String)>,
    /// What was asked of the graphs after the fit, by name.
    added: Vec<(String, Vec<u8>)>,
    /// How sure edges are, where that was asked in Python: the record, and columns of edges and of edges in views.
    stability: Option<Sure<'py>>,
    /// Pairs that may be joined, and costs of pairs, by name: rows of the folder's tables.
    candidates: Option<Vec<Vec<String>>>,
    edge_costs: Option<Vec<Vec<String>>>,
}

from_fields!(Saved<'py> {
    path,
    force,
    report,
    record,
    warnings,
    positions,
    axes,
    files,
    n_samples,
    precisions,
    python,
    carried,
    added,
    stability,
    candidates,
    edge_costs
});

/// How sure edges are.
pub(crate) struct Sure<'py> {
    record: String,
    edges: Vec<(String, PyReadonlyArray1<'py, f64>)>,
    views: Vec<(String, PyReadonlyArray1<'py, f64>)>,
}

from_fields!(Sure<'py> { record, edges, views });

impl Sure<'_> {
    fn told(&self) -> PyResult<ToldStability> {
        let broken = |error: serde_json::Error| PyValueError::new_err(error.to_string());
        Ok(ToldStability {
            record: serde_json::from_str(&self.record).map_err(broken)?,
            edges: columns(&self.edges, &EDGE_COLUMNS),
            views: columns(&self.views, &VIEW_COLUMNS),
        })
    }
}

/// The same, away from the interpreter.
struct ToldStability {
    record: StabilityRecord,
    edges: StabilityColumns,
    views: StabilityColumns,
}

/// Those of the columns that a folder has.
fn columns(given: &[(String, PyReadonlyArray1<'_, f64>)], known: &[&'static str]) -> StabilityColumns {
    let column = |name: &&'static str| {
        let (_, values) = given.iter().find(|(own, _)| own == name)?;
        Some((*name, values.as_array().to_vec()))
    };
    StabilityColumns(known.iter().filter_map(column).collect())
}

/// Writes a result folder.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn save(py: Python<'_>, graph: Arrays<'_>, saved: Saved<'_>) -> PyResult<()> {
    let graph = graph.graph()?;
    let record: FitRecord =
        serde_json::from_str(&saved.record).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let precisions: Option<Vec<Vec<f64>>> = saved
        .precisions
        .iter()
        .flatten()
        .map(|matrix| Some(matrix.as_array().iter().copied().collect()))
        .collect();
    let precisions = precisions.filter(|matrices| !matrices.is_empty());
    let warning = |(code, view, message): &(String, Option<String>, String)| WarningRecord {
        code: code.clone(),
        view: view.clone(),
        message: message.clone(),
        ..WarningRecord::default()
    };
    let summary = if record.warnings.is_empty() {
        FitRecord {
            warnings: saved.warnings.iter().map(warning).collect(),
            ..record
        }
    } else {
        record
    };
    let row = |(file, &n_samples): (&String, &Option<usize>)| ViewRow {
        file: file.clone(),
        n_samples,
    };
    let rows: Vec<ViewRow> = saved.files.iter().zip(&saved.n_samples).map(row).collect();
    let stability = saved.stability.as_ref().map(Sure::told).transpose()?;
    let parts = Parts {
        stability: stability.as_ref(),
        target: PathBuf::from(&saved.path),
        force: saved.force,
        report: saved.report.as_deref(),
        places: saved.positions.as_deref(),
        axes: &saved.axes,
        python: &saved.python,
        carried: &saved.carried,
        added: &saved.added,
        candidates: saved.candidates.as_deref(),
        edge_costs: saved.edge_costs.as_deref(),
    };
    briefly(py, || parts.write(&graph, &rows, precisions.as_deref(), summary))?.map_err(|error| match error {
        Failed::Output(error) => PyOSError::new_err(error.told(&Spelled)),
        Failed::Table(error) => failure::exception(py, &error),
    })
}

/// Why a folder could not be written.
enum Failed {
    Output(OutputError),
    Table(Error),
}

impl From<OutputError> for Failed {
    fn from(error: OutputError) -> Self {
        Self::Output(error)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Table(error)
    }
}

/// What is written, away from the interpreter.
struct Parts<'a> {
    target: PathBuf,
    force: bool,
    report: Option<&'a str>,
    places: Option<&'a [Option<Vec<f64>>]>,
    axes: &'a str,
    python: &'a str,
    carried: &'a [(String, String)],
    added: &'a [(String, Vec<u8>)],
    stability: Option<&'a ToldStability>,
    candidates: Option<&'a [Vec<String>]>,
    edge_costs: Option<&'a [Vec<String>]>,
}

impl Parts<'_> {
    fn write(
        &self,
        graph: &MultiviewGraph,
        rows: &[ViewRow],
        precisions: Option<&[Vec<f64>]>,
        mut summary: FitRecord,
    ) -> Result<(), Failed> {
        let folder = Folder::create(&self.target, self.force)?;
        let is_flat = self.places.into_iter().flatten().flatten().all(|at| at.len() == 2);
        let axes: &'static [&'static str] = match self.axes {
            "globe" => &["lon", "lat"],
            _ if is_flat => &["x", "y"],
            _ => &["x", "y", "z"],
        };
        let at: Option<Vec<Option<Vec<f64>>>> = self.places.map(|at| {
            let whole = |at: &Option<Vec<f64>>| at.clone().filter(|at| at.len() == axes.len());
            at.iter().map(whole).collect()
        });
        let places = at.as_deref().map(|at| Places::Along { axes, at });
        match precisions {
            Some(precisions) => write_precision_graph(&folder, graph, rows, precisions, places)?,
            None => write_graph_at(&folder, "", graph, rows, places)?,
        }
        // Those of a fit that is written for the first time.
        (summary.run, summary.node_names, summary.files) = (None, None, None);
        if !self.carried.iter().any(|(name, _)| name == "run.json") {
            let run = RunRecord {
                command: Some(vec!["python".into(), "congraph".into(), "save".into()]),
                ..RunRecord::of("learn", &summary, Vec::new(), None, &Timing::default())
            };
            write_json(&folder, "run.json", &run)?;
        }
        for (name, text) in self.carried {
            if CARRIED.contains(&name.as_str()) {
                write_text(&folder, name, text)?;
            }
        }
        for (name, columns, rows) in [
            (CANDIDATES_TABLE, &["source", "target"][..], self.candidates),
            (EDGE_COSTS_TABLE, &["source", "target", "cost"][..], self.edge_costs),
        ] {
            if let Some(rows) = rows {
                write_rows(&folder, name, columns, rows)?;
            }
        }
        if !self.python.is_empty() {
            write_text(&folder, PYTHON, self.python)?;
        }
        if let Some(page) = self.report {
            write_text(&folder, "report.html", page)?;
        }
        seal(&folder, &mut summary)?;
        // The run's number is that of the fit: what was asked of it later is put beside it as it was.
        let known: Vec<&str> = STABILITY
            .into_iter()
            .chain(COMMUNITIES_FILES)
            .chain(COMPARE_FILES)
            .collect();
        let added = self.added.iter().filter(|(name, _)| known.contains(&name.as_str()));
        for (name, bytes) in added {
            write_bytes(&folder, name, bytes)?;
        }
        if let Some(told) = self.stability {
            let staged = folder.path("");
            write_stability::<Failed>(&folder, &staged, graph, &told.edges, &told.views)?;
            let run = summary.run.clone();
            write_json(
                &folder,
                STABILITY[0],
                &StabilityRecord {
                    run,
                    ..told.record.clone()
                },
            )?;
        }
        seal_with(&folder, &mut summary, &STABILITY[1..])?;
        Ok(folder.commit()?)
    }
}

/// Reads a result folder: graphs, record, and what came with them.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn load(py: Python<'_>, path: String) -> PyResult<Bound<'_, PyDict>> {
    let dir = PathBuf::from(&path);
    let read = briefly(py, || read_folder(&dir))?;
    let (graph, known, precisions, later, facts) = read.map_err(|error| failure::exception(py, &error))?;
    let record = known.summary.unwrap_or_default();
    let result = PyDict::new(py);
    graphs::put(&result, &graph)?;
    Measures::new(&graph).put(&result)?;
    put(&result, &record)?;
    result.set_item("spectrum", record.spectrum.unwrap_or(1.0))?;
    let converged = record.converged.unwrap_or(false);
    result.set_item("status", if converged { "converged" } else { "not converged" })?;
    for (name, seconds) in [
        ("distances_seconds", record.seconds.distances),
        ("solve_seconds", record.seconds.solve),
        ("engine_seconds", record.seconds.total),
    ] {
        if let Some(seconds) = seconds {
            result.set_item(name, seconds)?;
        }
    }
    let warnings: Vec<(String, Option<String>, String)> = record
        .warnings
        .iter()
        .map(|warning| (warning.code.clone(), warning.view.clone(), warning.message.clone()))
        .collect();
    result.set_item("warnings", warnings)?;
    let n = graph.n_nodes();
    let matrices = precisions.map(|matrices| {
        let matrices = matrices.into_iter();
        let made = matrices.map(|matrix| graphs::matrix(py, n, n, matrix));
        made.collect::<PyResult<Vec<_>>>()
    });
    result.set_item("precisions", matrices.transpose()?)?;
    let is_globe = facts.axes.first() == Some(&"lon");
    result.set_item("axes", if is_globe { "globe" } else { "" })?;
    result.set_item("positions", (!facts.axes.is_empty()).then_some(facts.places))?;
    let files: Vec<&str> = known.views.iter().map(|view| view.file.as_str()).collect();
    let samples: Vec<Option<usize>> = known.views.iter().map(|view| view.n_samples).collect();
    result.set_item("files", files)?;
    result.set_item("n_samples", samples)?;
    let text = |name: &str| std::fs::read_to_string(dir.join(name)).ok();
    result.set_item("python", text(PYTHON))?;
    let carried: Vec<(&str, String)> = CARRIED.iter().filter_map(|name| Some((*name, text(name)?))).collect();
    result.set_item("carried", carried)?;
    later.put(&result, &graph, &dir)?;
    Ok(result)
}

/// What was asked of the graphs after the fit.
struct Later {
    stability: Option<KnownStability>,
    comparison: Option<KnownComparison>,
    has_communities: bool,
}

impl Later {
    /// What there is of it, checked to be of this run.
    fn read(dir: &Path, graph: &MultiviewGraph, known: &Known) -> Result<Self, Error> {
        Ok(Self {
            stability: read_stability(dir, graph, known.summary.as_ref())?,
            comparison: read_comparison(dir, graph, known.summary.as_ref())?,
            has_communities: known.communities.is_some(),
        })
    }

    /// The findings, and all of the files as they are.
    fn put(&self, result: &Bound<'_, PyDict>, graph: &MultiviewGraph, dir: &Path) -> PyResult<()> {
        let py = result.py();
        let broken = |error: serde_json::Error| PyValueError::new_err(error.to_string());
        let mut files: Vec<&'static str> = Vec::new();
        let stability = match &self.stability {
            None => None,
            Some(known) => {
                files.extend(STABILITY);
                let told = PyDict::new(py);
                let support = known.support(&shared_weights(graph));
                told.set_item("support", support.map(|support| support.words()))?;
                told.set_item("findings", serde_json::to_string(known).map_err(broken)?)?;
                told.set_item("record", serde_json::to_string(&known.record).map_err(broken)?)?;
                Some(told)
            }
        };
        result.set_item("stability", stability)?;
        let comparison = self.comparison.as_ref().map(serde_json::to_string);
        result.set_item("comparison", comparison.transpose().map_err(broken)?)?;
        if self.comparison.is_some() {
            files.extend(COMPARE_FILES);
        }
        if self.has_communities {
            files.extend(COMMUNITIES_FILES);
        }
        let bytes = |name: &'static str| Some((name, PyBytes::new(py, &std::fs::read(dir.join(name)).ok()?)));
        result.set_item("added", files.into_iter().filter_map(bytes).collect::<Vec<_>>())
    }
}

/// Everything that is read of a folder, all of one run.
type Read = (MultiviewGraph, Known, Option<Vec<Vec<f64>>>, Later, NodeFacts);

fn read_folder(dir: &Path) -> Result<Read, Error> {
    let (run, graph) = read_run(dir)?;
    let known = read_known(dir, &graph)?;
    let precisions = read_precisions(dir, &graph)?;
    let later = Later::read(dir, &graph, &known)?;
    let facts = read_node_facts(dir, &graph)?;
    run.check_again()?;
    Ok((graph, known, precisions, later, facts))
}
