//! A result folder → the graph that was written. Everything is checked: the files may have been edited.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use congraph::{Error, Membership, MultiviewGraph, Subjects, ViewMatrix, is_edge};

use super::run::Run;
use crate::input::records::{BadQuote, Records, Separator};
use crate::input::{Fault, fault, number, read_regular_text, reason, said};

pub(super) const WHY: &str = "the graph is read back from the result folder's tables";
/// What is read back.
pub(super) const WANTED: &str =
    "give a folder that `congraph learn` wrote, or the `truth` of one that `congraph simulate` wrote";
pub(super) const HINT: &str = "undo the change to the file, or run the command that wrote the folder again";

/// Reads the graph in a result folder back from its `.tsv` tables.
///
/// # Errors
/// [`Error::Data`] (E07) with file and line if a table is missing or malformed, or if the files are not all of one run
/// (see [`Run::check`]).
pub fn read_graph(dir: &Path) -> Result<MultiviewGraph, Error> {
    Ok(read_run(dir)?.1)
}

/// The same with the run that wrote the folder, for those who read more of it: [`Run::check_again`] tells whether all
/// of it was one run's.
///
/// # Errors
/// Those of [`read_graph`].
pub fn read_run(dir: &Path) -> Result<(Run, MultiviewGraph), Error> {
    let run = Run::check(dir)?;
    let graph = graph(dir).map_err(|fault| Error::from(*fault))?;
    run.check_again()?;
    Ok((run, graph))
}

fn graph(dir: &Path) -> Result<MultiviewGraph, Fault> {
    let mut nodes = Vec::new();
    Sheet::open(dir, "nodes.tsv")?.each(["name"], |_, [name]| {
        nodes.push(name.to_string());
        Ok(())
    })?;
    let (mut views, mut has_consensus) = (Vec::new(), false);
    Sheet::open(dir, "views.tsv")?.each(["name", "uniqueness"], |_, [name, uniqueness]| {
        views.push(name.to_string());
        // Uniqueness is told against the consensus, so it is there only with one.
        has_consensus |= !uniqueness.is_empty();
        Ok(())
    })?;
    let names = Names {
        nodes: index(dir, "nodes.tsv", "node", &nodes)?,
        views: index(dir, "views.tsv", "view", &views)?,
    };
    let membership = membership(dir, &names)?;
    let edges = Edges::read(dir, &names, has_consensus)?;
    let weights = weights(dir, &names, &edges, &membership)?;
    let consensus = has_consensus.then_some(&edges.consensus[..]);
    let graph = MultiviewGraph::new(nodes.clone(), views.clone(), &edges.pairs, &weights, consensus);
    let Some(subjects) = subjects(dir, &names)? else {
        return Ok(graph.with_membership(membership));
    };
    let rows = subject_weights(dir, &names, &edges, &subjects)?;
    let graph = graph.with_membership(membership.with_subjects(subjects));
    Ok(graph.with_subjects(&edges.pairs, &rows))
}

/// Whose each view is, if the fit knew it.
fn subjects(dir: &Path, names: &Names<'_>) -> Result<Option<Subjects>, Fault> {
    if !dir.join("subjects.tsv").exists() {
        return Ok(None);
    }
    let mut known: HashMap<String, bool> = HashMap::new();
    Sheet::open(dir, "subjects.tsv")?.each(["name"], |_, [name]| {
        known.insert(name.to_owned(), false);
        Ok(())
    })?;
    let mut labels = vec![String::new(); names.views.len()];
    Sheet::open(dir, "views.tsv")?.each(["name", "subject"], |place, [name, subject]| {
        let Some(has_view) = known.get_mut(subject) else {
            return Err(place.fault(&format!("the subject `{subject}` is not in subjects.tsv")));
        };
        *has_view = true;
        if let Some(&view) = names.views.get(name) {
            labels[view] = subject.to_owned();
        }
        Ok(())
    })?;
    if let Some((name, _)) = known.iter().find(|(_, has_view)| !**has_view) {
        let what = format!("names the subject `{name}`, who has no view in views.tsv");
        return Err(fault(&dir.join("subjects.tsv"), &what, WHY, HINT));
    }
    Ok(Some(Subjects::new(&labels)))
}

/// The subjects' weights of each edge; what `edges_subjects.tsv` does not list is 0.
fn subject_weights(dir: &Path, names: &Names<'_>, edges: &Edges, subjects: &Subjects) -> Result<ViewMatrix, Fault> {
    let places = index(dir, "subjects.tsv", "subject", subjects.names())?;
    let mut weights = ViewMatrix::zeros(edges.pairs.len(), subjects.n_subjects());
    Sheet::open(dir, "edges_subjects.tsv")?.each(
        ["subject", "source", "target", "weight"],
        |place, [subject, source, target, weight]| {
            let &at = places
                .get(subject)
                .ok_or_else(|| place.fault(&format!("the subject `{subject}` is not in subjects.tsv")))?;
            let pair = pair(place, &names.nodes, source, target)?;
            let &edge = edges
                .places
                .get(&pair)
                .ok_or_else(|| place.fault(&format!("the edge `{source}`, `{target}` is not in edges.tsv")))?;
            weights.row_mut(edge)[at] = place.weight(weight)?;
            Ok(())
        },
    )?;
    Ok(weights)
}

/// The places of nodes and views by their names.
struct Names<'n> {
    nodes: HashMap<&'n str, usize>,
    views: HashMap<&'n str, usize>,
}

/// Which view has which node.
fn membership(dir: &Path, names: &Names<'_>) -> Result<Membership, Fault> {
    let (n_nodes, n_views) = (names.nodes.len(), names.views.len());
    let mut lacks = vec![false; n_views * n_nodes];
    if dir.join("missing.tsv").exists() {
        Sheet::open(dir, "missing.tsv")?.each(["view", "node"], |place, [view, node]| {
            let (Some(&view_at), Some(&node_at)) = (names.views.get(view), names.nodes.get(node)) else {
                return Err(place.fault(&format!("the view `{view}` or the node `{node}` is not in its table")));
            };
            lacks[view_at * n_nodes + node_at] = true;
            Ok(())
        })?;
    }
    Ok(Membership::new(n_nodes, n_views, |view, node| {
        lacks[view * n_nodes + node]
    }))
}

/// The edges of any graph, as `edges.tsv` lists them.
#[derive(Default)]
struct Edges {
    pairs: Vec<[u32; 2]>,
    /// Their weights in the consensus; empty without one.
    consensus: Vec<f64>,
    /// Where each pair is.
    places: HashMap<[u32; 2], usize>,
}

impl Edges {
    fn read(dir: &Path, names: &Names<'_>, has_consensus: bool) -> Result<Self, Fault> {
        let mut edges = Self::default();
        Sheet::open(dir, "edges.tsv")?.each(["source", "target", "consensus"], |place, [source, target, weight]| {
            let pair = pair(place, &names.nodes, source, target)?;
            if edges.places.insert(pair, edges.pairs.len()).is_some() {
                return Err(place.fault(&format!("the edge `{source}`, `{target}` occurs twice")));
            }
            edges.pairs.push(pair);
            if has_consensus == weight.is_empty() {
                let what = if has_consensus {
                    "lacks its consensus weight"
                } else {
                    "has a consensus weight, but no view a uniqueness"
                };
                return Err(place.fault(&format!("the edge `{source}`, `{target}` {what}")));
            }
            if has_consensus {
                edges.consensus.push(place.weight(weight)?);
            }
            Ok(())
        })?;
        Ok(edges)
    }
}

/// The views' weights of each edge; what `edges_long.tsv` does not list is 0.
fn weights(dir: &Path, names: &Names<'_>, edges: &Edges, membership: &Membership) -> Result<ViewMatrix, Fault> {
    let (n_edges, n_views) = (edges.pairs.len(), names.views.len());
    let mut weights = ViewMatrix::zeros(n_edges, n_views);
    let mut filled = vec![false; n_edges * n_views];
    Sheet::open(dir, "edges_long.tsv")?.each(
        ["view", "source", "target", "weight"],
        |place, [view, source, target, weight]| {
            let &view_at = names
                .views
                .get(view)
                .ok_or_else(|| place.fault(&format!("the view `{view}` is not in views.tsv")))?;
            let pair = pair(place, &names.nodes, source, target)?;
            let &edge = edges
                .places
                .get(&pair)
                .ok_or_else(|| place.fault(&format!("the edge `{source}`, `{target}` is not in edges.tsv")))?;
            if std::mem::replace(&mut filled[edge * n_views + view_at], true) {
                return Err(place.fault(&format!(
                    "the edge `{source}`, `{target}` occurs twice in view `{view}`"
                )));
            }
            let weight = place.weight(weight)?;
            if is_edge(weight) && !membership.has_pair(view_at, pair) {
                return Err(place.fault(&format!(
                    "the edge `{source}`, `{target}` is at a node that view `{view}` lacks"
                )));
            }
            weights.row_mut(edge)[view_at] = weight;
            Ok(())
        },
    )?;
    Ok(weights)
}

/// The places of names, of which there must be some, all different.
pub(super) fn index<'n>(
    dir: &Path,
    file: &str,
    what: &str,
    names: &'n [String],
) -> Result<HashMap<&'n str, usize>, Fault> {
    let path = dir.join(file);
    if names.is_empty() {
        return Err(fault(&path, &format!("names no {what}"), WHY, HINT));
    }
    let mut index = HashMap::new();
    for (k, name) in names.iter().enumerate() {
        if index.insert(name.as_str(), k).is_some() {
            return Err(fault(&path, &format!("names the {what} `{name}` twice"), WHY, HINT));
        }
    }
    Ok(index)
}

/// The nodes of an edge by their names, the first of them first.
pub(super) fn pair(
    place: &Place<'_>,
    index: &HashMap<&str, usize>,
    source: &str,
    target: &str,
) -> Result<[u32; 2], Fault> {
    let node = |name: &str| {
        let found = index.get(name).and_then(|&node| u32::try_from(node).ok());
        found.ok_or_else(|| place.fault(&format!("the node `{name}` is not in nodes.tsv")))
    };
    let (a, b) = (node(source)?, node(target)?);
    if a == b {
        return Err(place.fault(&format!("the edge joins `{source}` to itself")));
    }
    Ok([a.min(b), a.max(b)])
}

/// A line of a table, for messages.
pub(super) struct Place<'p> {
    path: &'p Path,
    line: usize,
}

impl Place<'_> {
    pub(super) fn fault(&self, what: &str) -> Fault {
        said(
            format!("`{}`, line {}: {what}", self.path.display(), self.line),
            WHY,
            HINT,
        )
    }

    pub(super) fn weight(&self, cell: &str) -> Result<f64, Fault> {
        number(cell)
            .filter(|weight| weight.is_finite())
            .ok_or_else(|| self.fault(&format!("`{cell}` is not a weight: a finite number")))
    }
}

/// One table of the folder.
pub(super) struct Sheet {
    path: PathBuf,
    text: String,
    separator: u8,
}

impl Sheet {
    pub(super) fn open(dir: &Path, file: &str) -> Result<Self, Fault> {
        let path = dir.join(file);
        match read_regular_text(&path) {
            Ok(text) => Ok(Self {
                path,
                text,
                separator: b'\t',
            }),
            Err(error) => Err(fault(
                &path,
                &format!("cannot be read: {}", reason(&error)),
                WHY,
                WANTED,
            )),
        }
    }

    /// A table of the user's: separated by tabs if its first line holds one, otherwise by commas.
    pub(super) fn open_any(path: &Path) -> Result<Self, Fault> {
        let text = read_regular_text(path).map_err(|error| {
            let what = format!("cannot be read: {}", reason(&error));
            fault(path, &what, "it is a table that an option names", "check the path")
        })?;
        let is_tabbed = text.lines().next().is_some_and(|line| line.contains('\t'));
        Ok(Self {
            path: path.to_owned(),
            text,
            separator: if is_tabbed { b'\t' } else { b',' },
        })
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> Result<Vec<String>, Fault> {
        let mut cells: Vec<Cow<'_, str>> = Vec::new();
        let first = Records::new(&self.text, Separator::Byte(self.separator)).next_row(&mut cells);
        match first {
            Ok(_) => Ok(cells.into_iter().map(Cow::into_owned).collect()),
            Err(BadQuote { line }) => {
                let place = Place { path: &self.path, line };
                Err(place.fault("a quoted cell does not end where it should"))
            }
        }
    }

    /// Calls `row` with the cells of the given columns, row after row.
    pub(super) fn each<const N: usize>(
        &self,
        columns: [&str; N],
        mut row: impl FnMut(&Place<'_>, [&str; N]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let place = |line| Place { path: &self.path, line };
        let quote = |BadQuote { line }| place(line).fault("a quoted cell does not end where it should");
        let mut records = Records::new(&self.text, Separator::Byte(self.separator));
        let mut cells: Vec<Cow<'_, str>> = Vec::new();
        records.next_row(&mut cells).map_err(quote)?;
        let n_cells = cells.len();
        let mut at = [0; N];
        for (at, column) in at.iter_mut().zip(columns) {
            *at = cells
                .iter()
                .position(|cell| cell == column)
                .ok_or_else(|| place(1).fault(&format!("the column `{column}` is missing")))?;
        }
        while let Some(line) = records.next_row(&mut cells).map_err(quote)? {
            if cells.len() != n_cells {
                return Err(place(line).fault(&format!(
                    "the row has {} cells where {n_cells} are expected",
                    cells.len()
                )));
            }
            row(&place(line), at.map(|k| &*cells[k]))?;
        }
        Ok(())
    }
}
