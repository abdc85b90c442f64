//! Groups of views compared.

use congraph::compare::{
    Comparing, Comparison, Covariate, CovariateValues, Design, Equalised, Measure, Relabelled, Settings, check_samples,
    compare_watched, learn_equalised,
};
use congraph::{MultiviewGraph, Views};
use congraph_record::findings::KnownComparison;
use congraph_record::record::{CompareRecord, group_letter, warning_records};
use congraph_record::{Choice, FitRecord};
use numpy::IntoPyArray;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::failure;
use crate::fields::from_fields;
use crate::graphs::Arrays;
use crate::parts;
use crate::request;
use crate::running::Running;
use crate::tables::{BorrowedTable, Reading, assemble, tables};

/// Who is compared with whom, and how.
pub(crate) struct Asked<'py> {
    labels: Vec<String>,
    pair: Option<Vec<String>>,
    /// Arrays of numbers or lists of words, by their names.
    covariates: Bound<'py, PyDict>,
    statistic: Option<String>,
    permutations: usize,
    nbs: Option<f64>,
    measures: Vec<String>,
    level: f64,
    seed: u64,
    /// How many samples each view has, if known.
    samples: Option<Vec<usize>>,
}

from_fields!(Asked<'py> {
    labels,
    pair,
    covariates,
    statistic,
    permutations,
    nbs,
    measures,
    level,
    seed,
    samples
});

impl Asked<'_> {
    /// Whether no group has more samples, as far as that is told.
    fn check(&self, py: Python<'_>, design: &Design) -> PyResult<()> {
        let Some(samples) = &self.samples else {
            return Ok(());
        };
        let samples: Vec<Option<usize>> = samples.iter().copied().map(Some).collect();
        check_samples(&samples, &design.labels).map_err(|error| failure::exception(py, &error))
    }

    fn design(&self) -> PyResult<Design> {
        let mut covariates = Vec::new();
        for (name, values) in self.covariates.iter() {
            let values = match values.extract::<Vec<f64>>() {
                Ok(numbers) => CovariateValues::Numbers(numbers),
                Err(_) => CovariateValues::Levels(values.extract()?),
            };
            covariates.push(Covariate {
                name: name.extract()?,
                values,
            });
        }
        Ok(Design {
            labels: self.labels.clone(),
            pairs: self.pair.clone(),
            covariates,
        })
    }

    fn settings(&self, py: Python<'_>) -> PyResult<Settings> {
        let measure = |word: &String| request::chosen::<Measure>(py, word);
        Ok(Settings {
            statistic: self
                .statistic
                .as_ref()
                .map(|word| request::chosen(py, word))
                .transpose()?,
            permutations: self.permutations,
            threshold: self.nbs,
            level: self.level,
            seed: self.seed,
            measures: self.measures.iter().map(measure).collect::<PyResult<_>>()?,
        })
    }
}

/// The data of a fit, from which its graphs can be learned again.
pub(crate) struct Data<'py> {
    record: String,
    views: Vec<BorrowedTable<'py>>,
    reading: Reading,
}

from_fields!(Data<'py> { record, views, reading });

/// The graphs of one draw of equally many samples of every view, if one group's views have more.
fn equalised(
    py: Python<'_>,
    data: &Data<'_>,
    graph: &MultiviewGraph,
    design: &Design,
    seed: u64,
    running: &Running,
) -> PyResult<Option<Equalised>> {
    let options = data.reading.options()?;
    let tables = tables(&data.views, &options)?;
    let method = serde_json::from_str::<FitRecord>(&data.record)
        .ok()
        .and_then(|record| record.pooled(graph));
    running.run(py, None, |watch| {
        let (views, _) = assemble(tables, &options)?;
        let samples: Vec<Option<usize>> = graph.views().iter().map(|name| n_samples(&views, name)).collect();
        let Err(error) = check_samples(&samples, &design.labels) else {
            return Ok(None);
        };
        let method = method.as_ref().ok_or(error)?;
        learn_equalised(method, &views, graph, &design.labels, seed, watch).map(Some)
    })
}

fn n_samples(views: &Views, name: &str) -> Option<usize> {
    views.iter().find(|view| view.name() == name)?.n_samples()
}

/// How many relabellings there are.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn compare_jobs(py: Python<'_>, graph: Arrays<'_>, asked: Asked<'_>) -> PyResult<usize> {
    let (graph, design, settings) = (graph.graph()?, asked.design()?, asked.settings(py)?);
    asked.check(py, &design)?;
    let comparing = Comparing::new(&graph, &design, &settings).map_err(|error| failure::exception(py, &error))?;
    Ok(comparing.n_relabellings())
}

/// What the relabellings of some numbers gave, as bytes.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn compare_part<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    asked: Asked<'py>,
    numbers: Vec<usize>,
    running: Running,
) -> PyResult<Bound<'py, PyBytes>> {
    let (graph, design, settings) = (graph.graph()?, asked.design()?, asked.settings(py)?);
    let found = running.run(py, None, |watch| {
        Ok(Comparing::new(&graph, &design, &settings)?.relabelled(&numbers, watch))
    })?;
    parts::to_bytes(py, &found.ok_or_else(|| PyKeyboardInterrupt::new_err(()))?)
}

/// Compares groups of views, or two conditions of the same subjects; `parts` are the relabellings, where they were made
/// elsewhere.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    graph: Arrays<'py>,
    asked: Asked<'py>,
    data: Option<Data<'py>>,
    parts: Vec<Vec<u8>>,
    running: Running,
) -> PyResult<Bound<'py, PyDict>> {
    let mut graph = graph.graph()?;
    let (design, settings) = (asked.design()?, asked.settings(py)?);
    asked.check(py, &design)?;
    let (mut equalised_to, mut warnings) = (None, Vec::new());
    if let Some(data) = &data
        && let Some(drawn) = equalised(py, data, &graph, &design, asked.seed, &running)?
    {
        (graph, equalised_to, warnings) = (drawn.graph, Some(drawn.n_samples), drawn.warnings);
    }
    let mut all: Option<Relabelled> = None;
    for part in parts {
        let part: Relabelled = parts::from_bytes(&part)?;
        all = Some(match all {
            None => part,
            Some(all) => all.with(part).ok_or_else(parts::strange)?,
        });
    }
    let found = running.run(py, None, |watch| {
        let Some(all) = all else {
            return compare_watched(&graph, &design, &settings, watch);
        };
        let comparing = Comparing::new(&graph, &design, &settings)?;
        let is_whole = comparing.fits(&all) && all.numbers.len() == comparing.n_relabellings();
        Ok(is_whole.then(|| comparing.found(all)))
    })?;
    let Some(found) = found else {
        return Err(PyKeyboardInterrupt::new_err(()));
    };
    warnings.extend(found.warnings.iter().cloned());
    let result = PyDict::new(py);
    result.set_item("warnings", failure::warnings(&warnings))?;
    result.set_item("threshold", found.threshold)?;
    result.set_item("equalised_to", equalised_to)?;
    let names = |nodes: &mut dyn Iterator<Item = usize>| -> Vec<String> {
        nodes.map(|node| graph.nodes()[node].clone()).collect()
    };
    result.set_item("edges", edges(py, &found, &names)?)?;
    result.set_item("components", components(py, &found)?)?;
    result.set_item("nodes", nodes(py, &found, &names)?)?;
    result.set_item("measures", measures(py, &found)?)?;
    result.set_item("pairs", pairs(py, &found, &names)?)?;
    let groups: Vec<&str> = found.groups.iter().map(|group| group.name.as_str()).collect();
    result.set_item("groups", groups)?;
    result.set_item("statistic", found.statistic.word())?;
    result.set_item("permutations", found.n_relabellings)?;
    result.set_item("exact", found.exact)?;
    result.set_item("n_pairs", found.n_pairs)?;
    result.set_item("null", found.edge_null.values().to_vec().into_pyarray(py))?;
    let record = CompareRecord {
        n_nodes: graph.n_nodes(),
        n_views: graph.n_views(),
        equalised_to,
        warnings: warning_records(&warnings),
        version: env!("CARGO_PKG_VERSION").into(),
        ..CompareRecord::new(&found, &design, &settings)
    };
    let findings = serde_json::to_string(&KnownComparison::of(&found, &graph, record));
    result.set_item(
        "findings",
        findings.map_err(|error| PyValueError::new_err(error.to_string()))?,
    )?;
    Ok(result)
}

/// The names of nodes by their places.
type Names<'n> = &'n dyn Fn(&mut dyn Iterator<Item = usize>) -> Vec<String>;

fn floats<'py>(into: &Bound<'py, PyDict>, name: &str, values: impl Iterator<Item = f64>) -> PyResult<()> {
    into.set_item(name, values.collect::<Vec<f64>>().into_pyarray(into.py()))
}

fn counts<'py>(into: &Bound<'py, PyDict>, name: &str, values: impl Iterator<Item = usize>) -> PyResult<()> {
    let values: Vec<i64> = values.map(|value| value as i64).collect();
    into.set_item(name, values.into_pyarray(into.py()))
}

/// A column for each group, and with two groups their difference.
fn means<'py>(into: &Bound<'py, PyDict>, name: &str, found: &Comparison, means: &[&[f64]]) -> PyResult<()> {
    for group in 0..found.groups.len() {
        let column = format!("{name}_{}", group_letter(group));
        floats(into, &column, means.iter().map(|means| means[group]))?;
    }
    Ok(())
}

fn difference<'py>(into: &Bound<'py, PyDict>, found: &Comparison, means: &[&[f64]]) -> PyResult<()> {
    if found.groups.len() != 2 {
        return Ok(());
    }
    floats(into, "difference", means.iter().map(|means| means[1] - means[0]))
}

fn edges<'py>(py: Python<'py>, found: &Comparison, names: Names<'_>) -> PyResult<Bound<'py, PyDict>> {
    let (table, rows) = (PyDict::new(py), &found.edges);
    for (end, column) in ["source", "target"].into_iter().enumerate() {
        table.set_item(column, names(&mut rows.iter().map(|row| row.pair[end])))?;
    }
    for (group, of) in found.groups.iter().enumerate() {
        counts(
            &table,
            &format!("n_{}", group_letter(group)),
            rows.iter().map(|_| of.n_views),
        )?;
    }
    for group in 0..found.groups.len() {
        let column = format!("present_{}", group_letter(group));
        counts(&table, &column, rows.iter().map(|row| row.present[group]))?;
    }
    let of_rows: Vec<&[f64]> = rows.iter().map(|row| &row.means[..]).collect();
    means(&table, "mean", found, &of_rows)?;
    difference(&table, found, &of_rows)?;
    floats(&table, found.column(), rows.iter().map(|row| row.statistic))?;
    floats(&table, "p_uncorrected", rows.iter().map(|row| row.p_uncorrected))?;
    floats(&table, "p_fwe", rows.iter().map(|row| row.p_fwe))?;
    // As in the table: numbered from 1, and 0 for edges of none.
    counts(
        &table,
        "component",
        rows.iter().map(|row| row.component.map_or(0, |place| place + 1)),
    )?;
    Ok(table)
}

fn components<'py>(py: Python<'py>, found: &Comparison) -> PyResult<Bound<'py, PyDict>> {
    let (table, rows) = (PyDict::new(py), &found.components);
    counts(&table, "id", 1..=rows.len())?;
    counts(&table, "n_nodes", rows.iter().map(|row| row.n_nodes))?;
    counts(&table, "n_edges", rows.iter().map(|row| row.n_edges))?;
    floats(&table, "intensity", rows.iter().map(|row| row.intensity))?;
    floats(&table, "p_fwe", rows.iter().map(|row| row.p_fwe))?;
    Ok(table)
}

fn nodes<'py>(py: Python<'py>, found: &Comparison, names: Names<'_>) -> PyResult<Bound<'py, PyDict>> {
    let (table, rows) = (PyDict::new(py), &found.nodes);
    table.set_item("node", names(&mut rows.iter().map(|row| row.node)))?;
    means(
        &table,
        "strength",
        found,
        &rows.iter().map(|row| &row.means[..]).collect::<Vec<_>>(),
    )?;
    floats(&table, found.column(), rows.iter().map(|row| row.statistic))?;
    floats(&table, "p_fwe", rows.iter().map(|row| row.p_fwe))?;
    Ok(table)
}

fn measures<'py>(py: Python<'py>, found: &Comparison) -> PyResult<Bound<'py, PyDict>> {
    let (table, rows) = (PyDict::new(py), &found.measures);
    let words: Vec<&str> = rows.iter().map(|row| row.measure.word()).collect();
    table.set_item("measure", words)?;
    let of_rows: Vec<&[f64]> = rows.iter().map(|row| &row.means[..]).collect();
    means(&table, "mean", found, &of_rows)?;
    difference(&table, found, &of_rows)?;
    floats(&table, found.column(), rows.iter().map(|row| row.statistic))?;
    floats(&table, "p_uncorrected", rows.iter().map(|row| row.p_uncorrected))?;
    floats(&table, "p_fwe", rows.iter().map(|row| row.p_fwe))?;
    Ok(table)
}

fn pairs<'py>(py: Python<'py>, found: &Comparison, names: Names<'_>) -> PyResult<Bound<'py, PyDict>> {
    let (table, rows) = (PyDict::new(py), &found.follow_ups);
    for (end, column) in ["source", "target"].into_iter().enumerate() {
        table.set_item(column, names(&mut rows.iter().map(|row| row.pair[end])))?;
    }
    for (at, column) in ["one", "two"].into_iter().enumerate() {
        let groups: Vec<&str> = rows
            .iter()
            .map(|row| found.groups[row.groups[at]].name.as_str())
            .collect();
        table.set_item(column, groups)?;
    }
    floats(&table, "difference", rows.iter().map(|row| row.difference))?;
    let statistic = if found.column() == "f" { "t" } else { "z" };
    floats(&table, statistic, rows.iter().map(|row| row.statistic))?;
    floats(&table, "p_uncorrected", rows.iter().map(|row| row.p_uncorrected))?;
    floats(&table, "p_fwe", rows.iter().map(|row| row.p_fwe))?;
    Ok(table)
}
