//! What a result folder tells beside its graphs, for a report. Files that are not there tell nothing; those that are there are checked.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use congraph::findings::{Known, KnownCommunities, KnownView, Positions, Summary};
use congraph::{Error, MultiviewGraph};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::readback::{HINT, Place, Sheet, WHY};
use crate::input::{Fault, fault, number, reason};

/// Reads what a result folder tells beside its graphs: positions and variances of the nodes, samples of the views, how they were
/// learned, communities.
///
/// # Errors
/// [`congraph::Error::Data`] (E07) with file and line if a file is malformed.
pub fn read_known(dir: &Path, graph: &MultiviewGraph) -> Result<Known, Error> {
    known(dir, graph).map_err(|fault| Error::from(*fault))
}

fn known(dir: &Path, graph: &MultiviewGraph) -> Result<Known, Fault> {
    let run: Value = json(dir, "run.json")?.unwrap_or_default();
    let words = run["command"].as_array().map(|words| {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        words.join(" ")
    });
    let mut views = Vec::new();
    Sheet::open(dir, "views.tsv")?.each(["file", "n_samples"], |place, [file, n_samples]| {
        views.push(KnownView {
            file: file.to_owned(),
            n_samples: optional(place, n_samples)?.map(|n| n as usize),
        });
        Ok(())
    })?;
    let nodes = Sheet::open(dir, "nodes.tsv")?;
    Ok(Known {
        summary: json::<Summary>(dir, "summary.json")?,
        positions: positions(&nodes)?,
        variances: numbers(&nodes, ["relative_variance"])?.map(|rows| rows.into_iter().flatten().collect()),
        views,
        communities: communities(dir, graph)?,
        path: Vec::new(),
        version: run["version"].as_str().map(str::to_owned),
        command: words,
    })
}

fn positions(nodes: &Sheet) -> Result<Option<Positions>, Fault> {
    if let Some(points) = numbers(nodes, ["x", "y", "z"])? {
        return Ok(Some(Positions::Head(points)));
    }
    if let Some(points) = numbers(nodes, ["x", "y"])? {
        return Ok(Some(Positions::Plane(points)));
    }
    Ok(numbers(nodes, ["lon", "lat"])?.map(Positions::Globe))
}

/// The cells of these columns; none if a column or a cell is missing.
fn numbers<const N: usize>(sheet: &Sheet, columns: [&str; N]) -> Result<Option<Vec<[f64; N]>>, Fault> {
    let there = sheet.columns()?;
    if !columns.iter().all(|column| there.iter().any(|name| name == column)) {
        return Ok(None);
    }
    let (mut rows, mut whole) = (Vec::new(), true);
    sheet.each(columns, |place, cells| {
        let mut row = [0.0; N];
        for (value, cell) in row.iter_mut().zip(cells) {
            match optional(place, cell)? {
                Some(number) => *value = number,
                None => whole = false,
            }
        }
        rows.push(row);
        Ok(())
    })?;
    Ok(whole.then_some(rows))
}

/// A number from a cell that may be empty.
fn optional(place: &Place<'_>, cell: &str) -> Result<Option<f64>, Fault> {
    if cell.is_empty() {
        return Ok(None);
    }
    match number(cell).filter(|value| value.is_finite()) {
        Some(value) => Ok(Some(value)),
        None => Err(place.fault(&format!("`{cell}` is not a number"))),
    }
}

fn communities(dir: &Path, graph: &MultiviewGraph) -> Result<Option<KnownCommunities>, Fault> {
    if !dir.join("communities.tsv").exists() {
        return Ok(None);
    }
    let facts: Value = json(dir, "communities.json")?.unwrap_or_default();
    let of = if graph.consensus().is_some() {
        "consensus"
    } else {
        "group"
    };
    let mut labels = Vec::new();
    Sheet::open(dir, "communities.tsv")?.each([of], |place, [label]| {
        let label = label.parse().ok().filter(|&label: &usize| label < graph.n_nodes());
        labels.push(label.ok_or_else(|| place.fault("the number of a community is missing"))?);
        Ok(())
    })?;
    let agreement = graph
        .views()
        .iter()
        .filter_map(|view| facts["views"][view][format!("nmi_{of}")].as_f64())
        .collect();
    Ok(Some(KnownCommunities {
        labels,
        modularity: facts[of]["modularity"].as_f64(),
        agreement,
    }))
}

fn json<T: DeserializeOwned>(dir: &Path, file: &str) -> Result<Option<T>, Fault> {
    let path = dir.join(file);
    match fs::read_to_string(&path) {
        Ok(text) => match serde_json::from_str(&text) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(fault(&path, &format!("is not as it was written: {error}"), WHY, HINT)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(&path, &format!("cannot be read: {}", reason(&error)), WHY, HINT)),
    }
}
