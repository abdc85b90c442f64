//! What `congraph compare` adds to a result folder.

use std::io::{self, Write};

use congraph::MultiviewGraph;
use congraph::compare::Comparison;
use congraph_record::Choice;
use congraph_record::record::{CompareRecord, Named, group_letter};

use super::folder::{Folder, OutputError};
use super::run::{Run, written};
use super::tables::{exact, table};
use super::{write, write_json};

const RECORD: &str = "compare.json";

/// The files that [`write_comparison`] and [`seal_compare`] add to a result folder; see [`Folder::add_to`].
pub const COMPARE_FILES: [&str; 6] = [
    "compare_edges.tsv",
    "compare_components.tsv",
    "compare_nodes.tsv",
    "compare_global.tsv",
    "compare_pairs.tsv",
    RECORD,
];

/// Writes the tables of a comparison: those of what was compared.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be written.
pub fn write_comparison(
    folder: &Folder,
    graph: &MultiviewGraph,
    found: &Comparison,
    record: &CompareRecord,
) -> Result<(), OutputError> {
    let wants = |word: &str| record.measures.iter().any(|measure| measure == word);
    if wants("edges") || wants("components") {
        write(folder, "compare_edges.tsv", |out| edges(out, graph, found))?;
    }
    if wants("components") {
        write(folder, "compare_components.tsv", |out| components(out, found))?;
    }
    if wants("strength") {
        write(folder, "compare_nodes.tsv", |out| nodes(out, graph, found))?;
    }
    if !found.measures.is_empty() {
        write(folder, "compare_global.tsv", |out| global(out, found))?;
    }
    if !found.follow_ups.is_empty() {
        write(folder, "compare_pairs.tsv", |out| pairs(out, graph, found))?;
    }
    Ok(())
}

/// Writes `compare.json` of a folder whose tables are written, with the list of them and the run whose graphs were
/// compared; `record` is then what was written.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be read or written.
pub fn seal_compare(folder: &Folder, run: &Run, record: &mut CompareRecord) -> Result<(), OutputError> {
    if run.id.is_some() {
        record.run.clone_from(&run.id);
        record.files = Some(Named(written(folder, &COMPARE_FILES, RECORD)?));
    }
    write_json(folder, RECORD, record)
}

/// The columns of each group, by its letter.
fn of_groups(found: &Comparison, name: &str) -> Vec<String> {
    let groups = 0..found.groups.len();
    groups.map(|group| format!("{name}_{}", group_letter(group))).collect()
}

/// The difference of the second from the first, if there are two groups.
fn difference(means: &[f64]) -> Option<String> {
    let [one, two] = means else { return None };
    Some(exact(two - one))
}

fn header(parts: &[Vec<String>]) -> Vec<String> {
    parts.concat()
}

fn words(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// The name of the difference's column, if there is one.
fn difference_column(found: &Comparison) -> Vec<String> {
    words(if found.groups.len() == 2 { &["difference"] } else { &[] })
}

fn edges(out: impl Write, graph: &MultiviewGraph, found: &Comparison) -> io::Result<()> {
    let columns = header(&[
        words(&["source", "target"]),
        of_groups(found, "n"),
        of_groups(found, "present"),
        of_groups(found, "mean"),
        difference_column(found),
        words(&[found.column(), "p_uncorrected", "p_fwe", "component"]),
    ]);
    let mut table = table(out, &columns.iter().map(String::as_str).collect::<Vec<_>>())?;
    for row in &found.edges {
        let mut cells: Vec<String> = row.pair.iter().map(|&node| graph.nodes()[node].clone()).collect();
        cells.extend(found.groups.iter().map(|group| group.n_views.to_string()));
        cells.extend(row.present.iter().map(ToString::to_string));
        cells.extend(row.means.iter().map(|&mean| exact(mean)));
        cells.extend(difference(&row.means));
        cells.extend([row.statistic, row.p_uncorrected, row.p_fwe].map(exact));
        cells.push(row.component.map_or_else(String::new, |place| (place + 1).to_string()));
        table.write_record(cells)?;
    }
    table.flush()
}

fn components(out: impl Write, found: &Comparison) -> io::Result<()> {
    let mut table = table(out, &["id", "n_nodes", "n_edges", "intensity", "p_fwe"])?;
    for (place, row) in found.components.iter().enumerate() {
        let counts = [place + 1, row.n_nodes, row.n_edges].map(|n| n.to_string());
        table.write_record(counts.into_iter().chain([row.intensity, row.p_fwe].map(exact)))?;
    }
    table.flush()
}

fn nodes(out: impl Write, graph: &MultiviewGraph, found: &Comparison) -> io::Result<()> {
    let parts = [
        words(&["node"]),
        of_groups(found, "strength"),
        words(&[found.column(), "p_fwe"]),
    ];
    let columns = header(&parts);
    let mut table = table(out, &columns.iter().map(String::as_str).collect::<Vec<_>>())?;
    for row in &found.nodes {
        let mut cells = vec![graph.nodes()[row.node].clone()];
        cells.extend(row.means.iter().map(|&mean| exact(mean)));
        cells.extend([row.statistic, row.p_fwe].map(exact));
        table.write_record(cells)?;
    }
    table.flush()
}

fn global(out: impl Write, found: &Comparison) -> io::Result<()> {
    let columns = header(&[
        words(&["measure"]),
        of_groups(found, "mean"),
        difference_column(found),
        words(&[found.column(), "p_uncorrected", "p_fwe"]),
    ]);
    let mut table = table(out, &columns.iter().map(String::as_str).collect::<Vec<_>>())?;
    for row in &found.measures {
        let mut cells = vec![row.measure.word().to_owned()];
        cells.extend(row.means.iter().map(|&mean| exact(mean)));
        cells.extend(difference(&row.means));
        cells.extend([row.statistic, row.p_uncorrected, row.p_fwe].map(exact));
        table.write_record(cells)?;
    }
    table.flush()
}

fn pairs(out: impl Write, graph: &MultiviewGraph, found: &Comparison) -> io::Result<()> {
    let statistic = if found.column() == "f" { "t" } else { "z" };
    let columns = [
        "source",
        "target",
        "one",
        "two",
        "difference",
        statistic,
        "p_uncorrected",
        "p_fwe",
    ];
    let mut table = table(out, &columns)?;
    for row in &found.follow_ups {
        let mut cells: Vec<String> = row.pair.iter().map(|&node| graph.nodes()[node].clone()).collect();
        cells.extend(row.groups.iter().map(|&group| found.groups[group].name.clone()));
        cells.extend([row.difference, row.statistic, row.p_uncorrected, row.p_fwe].map(exact));
        table.write_record(cells)?;
    }
    table.flush()
}
