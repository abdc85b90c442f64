//! NumPy arrays as tables, read where they are.
//!
//! The signals are lent for the length of a call. The library takes each node's samples out of them, in its own order,
//! while it checks them; nothing else is copied.

use congraph::{Error, Kind, Missing, NanRule, NodeRule, Orient, Table, ViewOptions, Views, Warning};
use congraph_record::choices::alternatives;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::fields::{Field, from_fields};

/// One data set: an array of samples × nodes with whatever is known of it.
pub(crate) struct BorrowedTable<'py> {
    name: String,
    values: PyReadonlyArray2<'py, f64>,
    nodes: Option<Vec<String>>,
    blocks: Option<Vec<String>>,
    n_samples: Option<usize>,
    subject: Option<String>,
    seldom: Vec<String>,
}

from_fields!(BorrowedTable<'py> { name, values, nodes, blocks, n_samples, subject, seldom });

impl<'py> Field<'py> for Vec<BorrowedTable<'py>> {
    fn read(_: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        value.extract()
    }
}

/// How tables become views.
pub(crate) struct Reading {
    data: String,
    orient: String,
    nodes: String,
    drop_nodes: Vec<String>,
    nan: String,
    missing: String,
    allow_counts: bool,
    allow_constant: bool,
    electrodes: bool,
}

from_fields!(Reading {
    data,
    orient,
    nodes,
    drop_nodes,
    nan,
    missing,
    allow_counts,
    allow_constant,
    electrodes
});

impl Reading {
    pub(crate) fn options(&self) -> PyResult<ViewOptions> {
        Ok(ViewOptions {
            kind: chosen(
                "kind",
                &self.data,
                &[
                    ("signals", Kind::Signals),
                    ("gram", Kind::Gram),
                    ("covariance", Kind::Covariance),
                ],
            )?,
            orient: chosen(
                "orient",
                &self.orient,
                &[
                    ("samples-by-nodes", Orient::SamplesByNodes),
                    ("nodes-by-samples", Orient::NodesBySamples),
                ],
            )?,
            nodes: chosen(
                "nodes",
                &self.nodes,
                &[("same", NodeRule::Same), ("common", NodeRule::Common)],
            )?,
            drop_nodes: self.drop_nodes.clone(),
            nan: chosen(
                "nan",
                &self.nan,
                &[
                    ("error", NanRule::Error),
                    ("drop-rows", NanRule::DropRows),
                    ("pairwise", NanRule::Pairwise),
                ],
            )?,
            missing: chosen(
                "missing",
                &self.missing,
                &[("error", Missing::Error), ("mask", Missing::Mask)],
            )?,
            allow_counts: self.allow_counts,
            allow_constant: self.allow_constant,
            projected: false,
            electrodes: self.electrodes,
        })
    }
}

/// What a word stands for, or an error that names the words there are.
pub(crate) fn chosen<T: Copy>(option: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == word) {
        return Ok(*choice);
    }
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
    Err(PyValueError::new_err(format!(
        "{option} is {word:?}; it must be {}",
        alternatives(&names)
    )))
}

/// The tables, with their values still where they are.
pub(crate) fn tables<'a>(tables: &'a [BorrowedTable<'_>], options: &ViewOptions) -> PyResult<Vec<Table<&'a [f64]>>> {
    tables.iter().map(|table| borrowed(table, options)).collect()
}

fn borrowed<'a>(table: &'a BorrowedTable<'_>, options: &ViewOptions) -> PyResult<Table<&'a [f64]>> {
    let shape = table.values.shape();
    // A contiguous slice of another order would be read as another matrix.
    if !table.values.is_c_contiguous() {
        return Err(PyValueError::new_err("the values must be in C order"));
    }
    let values = table
        .values
        .as_slice()
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let count = |what: &str, names: &Option<Vec<String>>, expected: usize| match names {
        Some(names) if names.len() != expected => Err(PyValueError::new_err(format!(
            "view {:?} has {} {what} for an array of shape ({}, {})",
            table.name,
            names.len(),
            shape[0],
            shape[1]
        ))),
        _ => Ok(()),
    };
    let turned = options.kind == Kind::Signals && options.orient == Orient::NodesBySamples;
    let (samples, nodes) = if turned { (1, 0) } else { (0, 1) };
    count("node names", &table.nodes, shape[nodes])?;
    count("blocks", &table.blocks, shape[samples])?;
    let (row_names, column_names) = if turned {
        (table.nodes.clone(), None)
    } else {
        (None, table.nodes.clone())
    };
    Ok(Table {
        name: table.name.clone(),
        column_names,
        row_names,
        blocks: table.blocks.clone(),
        n_rows: shape[0],
        n_columns: shape[1],
        values,
        n_samples: table.n_samples,
        n_effective: None,
        subject: table.subject.clone(),
        seldom: table.seldom.clone(),
    })
}

/// Matches and checks.
pub(crate) fn assemble(tables: Vec<Table<&[f64]>>, options: &ViewOptions) -> Result<(Views, Vec<Warning>), Error> {
    Views::assemble_from(tables, options)
}
