//! What a result folder tells beside its graphs, for a report. Files that are not there tell nothing; those that are
//! there are checked.

use std::io::ErrorKind;
use std::path::Path;

use congraph::{Error, MultiviewGraph};
use congraph_record::findings::{Known, KnownCommunities, KnownView, PathCell, Positions};
use congraph_record::{FitRecord, RunRecord};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::made::recordings;
use super::readback::{HINT, Place, Sheet, WHY, index, pair};
use super::run::check_communities;
use crate::input::{Fault, fault, number, read_regular_text, reason};

/// Reads what a result folder tells beside its graphs: positions and variances of the nodes, samples of the views, how
/// they were made and learned, communities. What [`read_stability`](super::read_stability) and
/// [`read_comparison`](super::read_comparison) read is not in it. The folder's name is not in it, since results are written elsewhere before
/// they are in place.
///
/// # Errors
/// [`congraph::Error::Data`] (E07) with file and line if a file is malformed.
pub fn read_known(dir: &Path, graph: &MultiviewGraph) -> Result<Known, Error> {
    known(dir, graph).map_err(|fault| Error::from(*fault))
}

fn known(dir: &Path, graph: &MultiviewGraph) -> Result<Known, Fault> {
    let run: RunRecord = json(dir, "run.json")?.unwrap_or_default();
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
        summary: json::<FitRecord>(dir, "summary.json")?,
        positions: positions(&nodes)?,
        variances: variances(dir)?,
        views,
        communities: communities(dir, graph)?,
        path: path(dir, graph)?,
        recordings: recordings(dir, &run)?,
        stability: None,
        ask_stability: None,
        comparison: None,
        version: run.version,
        command: run.command,
        folder: None,
        finished: run.finished_unix_time.filter(|seconds| *seconds > 0),
    })
}

/// Reads the names and positions in a table of a folder, such as that of saved views.
///
/// # Errors
/// [`congraph::Error::Data`] (E07) with file and line if it is missing or malformed.
pub fn read_places(dir: &Path, file: &str) -> Result<Vec<(String, [f64; 3])>, Error> {
    let mut places = Vec::new();
    let mut add = || {
        Sheet::open(dir, file)?.each(["name", "x", "y", "z"], |place, [name, x, y, z]| {
            if let (Some(x), Some(y), Some(z)) = (optional(place, x)?, optional(place, y)?, optional(place, z)?) {
                places.push((name.to_owned(), [x, y, z]));
            }
            Ok(())
        })
    };
    add().map_err(|fault: Fault| Error::from(*fault))?;
    Ok(places)
}

/// What is known of nodes besides their edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeFacts {
    /// The names of the coordinates: x, y and perhaps z, or lon and lat.
    pub axes: &'static [&'static str],
    /// The coordinates of each node, as far as they are known.
    pub places: Vec<Option<Vec<f64>>>,
    /// The community of each node in the consensus (without one, in the group of views).
    pub shared_community: Vec<Option<usize>>,
    /// The community of each node in each view.
    pub view_communities: Vec<Vec<Option<usize>>>,
}

/// Reads where the nodes of a result folder are, and which communities they belong to, as far as the folder tells.
///
/// # Errors
/// [`congraph::Error::Data`] (E07) with file and line if a table is malformed.
pub fn read_node_facts(dir: &Path, graph: &MultiviewGraph) -> Result<NodeFacts, Error> {
    node_facts(dir, graph).map_err(|fault| Error::from(*fault))
}

fn node_facts(dir: &Path, graph: &MultiviewGraph) -> Result<NodeFacts, Fault> {
    let nodes = Sheet::open(dir, "nodes.tsv")?;
    let there = nodes.columns()?;
    let kinds: [&'static [&'static str]; 3] = [&["x", "y", "z"], &["x", "y"], &["lon", "lat"]];
    let has = |axes: &&&'static [&'static str]| axes.iter().all(|axis| there.iter().any(|name| name == axis));
    let axes = kinds.iter().find(has).copied().unwrap_or_default();
    let mut places = vec![Some(Vec::new()); if axes.is_empty() { 0 } else { graph.n_nodes() }];
    for axis in axes {
        let mut node = 0;
        nodes.each([axis], |place, [cell]| {
            let value = optional(place, cell)?;
            if let Some(at) = places.get_mut(node) {
                *at = at.take().zip(value).map(|(mut at, value)| {
                    at.push(value);
                    at
                });
            }
            node += 1;
            Ok(())
        })?;
    }
    let of = if graph.consensus().is_some() {
        "consensus"
    } else {
        "group"
    };
    if dir.join("communities.tsv").exists() {
        check_communities(dir, &json(dir, "summary.json")?.unwrap_or_default())?;
    }
    Ok(NodeFacts {
        axes,
        places,
        shared_community: labels(dir, of, graph)?,
        view_communities: graph
            .views()
            .iter()
            // A view of one of these names comes after the column that is called so.
            .map(|view| match view.as_str() {
                "node" | "consensus" | "group" => Ok(Vec::new()),
                view => labels(dir, view, graph),
            })
            .collect::<Result<_, _>>()?,
    })
}

/// A column of communities.tsv; nothing without one.
fn labels(dir: &Path, column: &str, graph: &MultiviewGraph) -> Result<Vec<Option<usize>>, Fault> {
    if !dir.join("communities.tsv").exists() {
        return Ok(Vec::new());
    }
    let index = index(dir, "nodes.tsv", "node", graph.nodes())?;
    let mut labels = vec![None; graph.n_nodes()];
    Sheet::open(dir, "communities.tsv")?.each(["node", column], |place, [node, label]| {
        let &node = index
            .get(node)
            .ok_or_else(|| place.fault(&format!("the node `{node}` is not in nodes.tsv")))?;
        labels[node] = optional(place, label)?.map(|label| label as usize);
        Ok(())
    })?;
    Ok(labels)
}

fn positions(nodes: &Sheet) -> Result<Option<Positions>, Fault> {
    if let Some(points) = numbers(nodes, ["x", "y", "z"])? {
        return Ok(Some(Positions::in_space(points)));
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
pub(super) fn optional(place: &Place<'_>, cell: &str) -> Result<Option<f64>, Fault> {
    if cell.is_empty() {
        return Ok(None);
    }
    match number(cell).filter(|value| value.is_finite()) {
        Some(value) => Ok(Some(value)),
        None => Err(place.fault(&format!("`{cell}` is not a number"))),
    }
}

fn variances(dir: &Path) -> Result<Option<Vec<f64>>, Fault> {
    if !dir.join("quality.tsv").exists() {
        return Ok(None);
    }
    let rows = numbers(&Sheet::open(dir, "quality.tsv")?, ["relative_variance"])?;
    Ok(rows.map(|rows| rows.into_iter().flatten().collect()))
}

/// The cells of `tune.tsv` with their edges from `path.tsv`.
fn path(dir: &Path, graph: &MultiviewGraph) -> Result<Vec<PathCell>, Fault> {
    if !(dir.join("tune.tsv").exists() && dir.join("path.tsv").exists()) {
        return Ok(Vec::new());
    }
    let mut cells = Vec::new();
    let columns = [
        "density_target",
        "similarity_target",
        "density",
        "similarity",
        "consensus_density",
        "instability",
        "agreement",
        "mark",
    ];
    let table = Sheet::open(dir, "tune.tsv")?;
    table.each(
        columns,
        |place,
         [
            density_target,
            similarity_target,
            density,
            similarity,
            shared,
            instability,
            agreement,
            mark,
        ]| {
            let needed = |cell: &str| match number(cell).filter(|value| value.is_finite()) {
                Some(value) => Ok(value),
                None => Err(place.fault(&format!("`{cell}` is not a number"))),
            };
            // Where all halves agree on everything, agreement beyond chance is not a number.
            let perhaps = |cell: &str| number(cell).filter(|value| value.is_finite());
            cells.push(PathCell {
                density_target: needed(density_target)?,
                similarity_target: needed(similarity_target)?,
                density: needed(density)?,
                similarity: needed(similarity)?,
                agreement: perhaps(agreement),
                instability: perhaps(instability),
                gain: None,
                is_chosen: mark.split(',').any(|word| word == "chosen"),
                consensus: Vec::new(),
                n_edges: (needed(shared)? * graph.n_pairs() as f64).round() as usize,
            });
            Ok(())
        },
    )?;
    // Only of a choice by likelihood.
    if let Some(gains) = numbers(&table, ["gain"])? {
        for (cell, [gain]) in cells.iter_mut().zip(gains) {
            cell.gain = Some(gain).filter(|gain| gain.is_finite());
        }
    }
    let nodes = index(dir, "nodes.tsv", "node", graph.nodes())?;
    Sheet::open(dir, "path.tsv")?.each(
        ["cell", "source", "target", "consensus"],
        |place, [cell, source, target, weight]| {
            let ends = pair(place, &nodes, source, target)?;
            let cell = cell
                .parse::<usize>()
                .ok()
                .and_then(|cell| cells.get_mut(cell.checked_sub(1)?));
            let cell = cell.ok_or_else(|| place.fault("the cell is not in tune.tsv"))?;
            cell.consensus.push((ends, place.weight(weight)?));
            Ok(())
        },
    )?;
    Ok(cells)
}

fn communities(dir: &Path, graph: &MultiviewGraph) -> Result<Option<KnownCommunities>, Fault> {
    if !dir.join("communities.tsv").exists() {
        return Ok(None);
    }
    check_communities(dir, &json(dir, "summary.json")?.unwrap_or_default())?;
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
        signs: facts["signs"].as_str().map(String::from),
    }))
}

pub(super) fn json<T: DeserializeOwned>(dir: &Path, file: &str) -> Result<Option<T>, Fault> {
    let path = dir.join(file);
    match read_regular_text(&path) {
        Ok(text) => match serde_json::from_str(&text) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(fault(&path, &format!("is not as it was written: {error}"), WHY, HINT)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(&path, &format!("cannot be read: {}", reason(&error)), WHY, HINT)),
    }
}
