//! Learned graphs as arrays, and back.
//!
//! ```text
//! edge_index   2 × E: the two nodes of every edge that is present in some view or in the consensus
//! weights      E × N: its weight in each view
//! consensus    E: its weight in the consensus, if there is one
//! present      N × n: whether a view has a node, if any lacks one
//! subject_weights   E × S: its weight in the graph of each subject, if views are of subjects
//! ```

use congraph::{Membership, MultiviewGraph, Subjects, ViewMatrix, is_edge};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::fields::from_fields;

/// Graphs as Python holds them.
pub(crate) struct Arrays<'py> {
    nodes: Vec<String>,
    views: Vec<String>,
    edge_index: PyReadonlyArray2<'py, i64>,
    weights: PyReadonlyArray2<'py, f64>,
    consensus: Option<PyReadonlyArray1<'py, f64>>,
    present: Option<PyReadonlyArray2<'py, bool>>,
    subjects_of_views: Option<Vec<String>>,
    subject_weights: Option<PyReadonlyArray2<'py, f64>>,
}

from_fields!(Arrays<'py> {
    nodes,
    views,
    edge_index,
    weights,
    consensus,
    present,
    subjects_of_views,
    subject_weights
});

impl Arrays<'_> {
    /// The graphs; everything is checked, since anything may come from Python.
    pub(crate) fn graph(&self) -> PyResult<MultiviewGraph> {
        let (index, weights) = (self.edge_index.as_array(), self.weights.as_array());
        let consensus = self.consensus.as_ref().map(|consensus| consensus.as_array().to_vec());
        let n_edges = index.ncols();
        if index.nrows() != 2
            || weights.dim() != (n_edges, self.views.len())
            || consensus.as_ref().is_some_and(|consensus| consensus.len() != n_edges)
        {
            return refuse("edge_index must be 2 × E, weights E × N and the consensus E");
        }
        let pairs = self.pairs()?;
        let mut sorted = pairs.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|two| two[0] == two[1]) {
            return refuse("a pair of nodes is listed twice");
        }
        let values: Vec<f64> = weights.iter().copied().collect();
        let all = values.iter().chain(consensus.iter().flatten());
        if all.into_iter().any(|weight| !weight.is_finite()) {
            return refuse("weights must be finite");
        }
        let rows = if self.views.is_empty() {
            return refuse("there must be a view");
        } else {
            ViewMatrix::from_values(self.views.len(), values)
        };
        let membership = self.membership(&pairs, &rows)?;
        let nodes = self.nodes.clone();
        let graph = MultiviewGraph::new(nodes, self.views.clone(), &pairs, &rows, consensus.as_deref());
        let (Some(labels), Some(weights)) = (&self.subjects_of_views, &self.subject_weights) else {
            return Ok(graph.with_membership(membership));
        };
        let (subjects, weights) = (Subjects::new(labels), weights.as_array());
        if labels.len() != self.views.len() || weights.dim() != (n_edges, subjects.n_subjects()) {
            return refuse("there must be one subject per view, and subject_weights must be E × S");
        }
        let values: Vec<f64> = weights.iter().copied().collect();
        if values.iter().any(|weight| !weight.is_finite()) {
            return refuse("weights must be finite");
        }
        let rows = ViewMatrix::from_values(subjects.n_subjects(), values);
        let graph = graph.with_membership(membership.with_subjects(subjects));
        Ok(graph.with_subjects(&pairs, &rows))
    }

    /// The two ends of every edge, the first of the nodes first.
    fn pairs(&self) -> PyResult<Vec<[u32; 2]>> {
        let mut pairs = Vec::with_capacity(self.edge_index.as_array().ncols());
        for pair in self.edge_index.as_array().columns() {
            let (a, b) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            match (u32::try_from(a), u32::try_from(b)) {
                (Ok(a), Ok(b)) if a < b && (b as usize) < self.nodes.len() => pairs.push([a, b]),
                _ => {
                    return refuse(&format!(
                        "({a}, {b}) is no pair of two of the {} nodes",
                        self.nodes.len()
                    ));
                }
            }
        }
        Ok(pairs)
    }

    /// Which view has which node.
    fn membership(&self, pairs: &[[u32; 2]], weights: &ViewMatrix) -> PyResult<Membership> {
        let Some(present) = &self.present else {
            return Ok(Membership::total(self.nodes.len(), self.views.len()));
        };
        let present = present.as_array();
        if present.dim() != (self.views.len(), self.nodes.len()) {
            return refuse("present must be views × nodes");
        }
        for (pair, row) in pairs.iter().zip(weights.rows()) {
            let lacks = |view: usize| pair.iter().any(|&node| !present[[view, node as usize]]);
            if row
                .iter()
                .enumerate()
                .any(|(view, &weight)| is_edge(weight) && lacks(view))
            {
                return refuse("a view has an edge at a node that it lacks");
            }
        }
        Ok(Membership::new(self.nodes.len(), self.views.len(), |view, node| {
            !present[[view, node]]
        }))
    }
}

fn refuse<T>(message: &str) -> PyResult<T> {
    Err(PyValueError::new_err(message.to_owned()))
}

/// Adds graphs to a result.
pub(crate) fn put<'py>(into: &Bound<'py, PyDict>, graph: &MultiviewGraph) -> PyResult<()> {
    let py = into.py();
    let n_edges = graph.pairs().len();
    let ends = (0..2).flat_map(|end| graph.pairs().iter().map(move |pair| i64::from(pair[end])));
    into.set_item("nodes", graph.nodes())?;
    into.set_item("views", graph.views())?;
    into.set_item("edge_index", matrix(py, 2, n_edges, ends.collect())?)?;
    let values = graph.weights().values().to_vec();
    into.set_item("weights", matrix(py, n_edges, graph.n_views(), values)?)?;
    let consensus = graph.consensus().map(|consensus| consensus.to_vec().into_pyarray(py));
    into.set_item("consensus", consensus)?;
    let has = |view: usize| (0..graph.n_nodes()).map(move |node| graph.has(view, node));
    let present = if graph.membership().is_total() {
        None
    } else {
        let values = (0..graph.n_views()).flat_map(has).collect();
        Some(matrix(py, graph.n_views(), graph.n_nodes(), values)?)
    };
    into.set_item("present", present)?;
    let names = graph.subjects().map(Subjects::names);
    into.set_item("subject_names", names)?;
    let labels: Option<Vec<&str>> = graph
        .subjects()
        .map(|subjects| (0..graph.n_views()).map(|view| subjects.name_of(view)).collect());
    into.set_item("subjects_of_views", labels)?;
    let weights = graph.subject_weights();
    let weights = weights.map(|rows| matrix(py, n_edges, rows.n_views(), rows.values().to_vec()));
    into.set_item("subject_weights", weights.transpose()?)
}

/// What is usually asked of graphs. Apart from putting it into a result, so that it can be worked out while the
/// interpreter is let go of.
pub(crate) struct Measures {
    densities: Vec<f64>,
    density: f64,
    consensus_density: Option<f64>,
    similarity: Option<f64>,
    uniqueness: Option<Vec<f64>>,
}

impl Measures {
    pub(crate) fn new(graph: &MultiviewGraph) -> Self {
        let views = 0..graph.n_views();
        Self {
            densities: views.clone().map(|view| graph.density(view)).collect(),
            density: graph.mean_density(),
            consensus_density: graph.consensus_density(),
            similarity: graph.similarity(),
            uniqueness: views.map(|view| graph.uniqueness(view)).collect(),
        }
    }

    /// Adds them to a result.
    pub(crate) fn put<'py>(self, into: &Bound<'py, PyDict>) -> PyResult<()> {
        let py = into.py();
        into.set_item("densities", self.densities.into_pyarray(py))?;
        into.set_item("density", self.density)?;
        into.set_item("consensus_density", self.consensus_density)?;
        into.set_item("similarity", self.similarity)?;
        into.set_item("uniqueness", self.uniqueness.map(|values| values.into_pyarray(py)))
    }
}

/// For each edge, in how many views it could be, and its mean weight in these.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn edge_means<'py>(py: Python<'py>, graph: Arrays<'py>) -> PyResult<Bound<'py, PyDict>> {
    let given = graph.pairs()?;
    let graph = graph.graph()?;
    // The graph has its own order of edges, and none that is absent everywhere.
    let mean = |pair: &[u32; 2]| match graph.pairs().binary_search(pair) {
        Ok(edge) => (graph.n_measured(edge) as i64, graph.mean_weight(edge)),
        Err(_) => {
            let has = |view: &usize| pair.iter().all(|&node| graph.has(*view, node as usize));
            ((0..graph.n_views()).filter(has).count() as i64, 0.0)
        }
    };
    let (measured, means): (Vec<i64>, Vec<f64>) = given.iter().map(mean).unzip();
    let result = PyDict::new(py);
    result.set_item("n_measured", measured.into_pyarray(py))?;
    result.set_item("mean_weight", means.into_pyarray(py))?;
    Ok(result)
}

/// A matrix from its values, row after row.
pub(crate) fn matrix<T: numpy::Element>(
    py: Python<'_>,
    n_rows: usize,
    n_columns: usize,
    values: Vec<T>,
) -> PyResult<Bound<'_, numpy::PyArray2<T>>> {
    let array = Array2::from_shape_vec((n_rows, n_columns), values);
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(array.into_pyarray(py))
}
