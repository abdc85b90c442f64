//! What `congraph stability` and `congraph compare` added to a result folder, read back for a report.

use std::path::Path;

use congraph::{Error, MultiviewGraph};
use congraph_record::FitRecord;
use congraph_record::findings::{Compared, ComparedComponent, ComparedEdge, KnownComparison, KnownStability};
use congraph_record::record::{CompareRecord, EDGE_COLUMNS, Named, StabilityRecord};

use super::known::{json, optional};
use super::readback::{Place, Sheet, index, pair};
use super::run::check_added;
use crate::input::{Fault, number};

/// Reads what a folder tells of how sure its edges are; none if that was not asked.
///
/// # Errors
/// [`congraph::Error::Data`] (E07) with file and line if a file is malformed, or belongs to another run.
pub fn read_stability(
    dir: &Path,
    graph: &MultiviewGraph,
    summary: Option<&FitRecord>,
) -> Result<Option<KnownStability>, Error> {
    stability(dir, graph, summary).map_err(|fault| Error::from(*fault))
}

/// Reads what a folder tells of who differs; none if nobody was compared.
///
/// # Errors
/// As [`read_stability`].
pub fn read_comparison(
    dir: &Path,
    graph: &MultiviewGraph,
    summary: Option<&FitRecord>,
) -> Result<Option<KnownComparison>, Error> {
    comparison(dir, graph, summary).map_err(|fault| Error::from(*fault))
}

fn stability(dir: &Path, graph: &MultiviewGraph, summary: Option<&FitRecord>) -> Result<Option<KnownStability>, Fault> {
    let file = "stability.json";
    let Some(record) = json::<StabilityRecord>(dir, file)? else {
        return Ok(None);
    };
    let hint = "`congraph stability --force` asks anew";
    check_added(dir, file, record.run.as_deref(), None, summary, hint)?;
    let sheet = Sheet::open(dir, "edges.tsv")?;
    let there = sheet.columns()?;
    let nodes = index(dir, "nodes.tsv", "node", graph.nodes())?;
    let mut rows = Vec::new();
    sheet.each(["source", "target"], |place, [source, target]| {
        rows.push(pair(place, &nodes, source, target)?);
        Ok(())
    })?;
    let mut edges = Vec::new();
    for name in EDGE_COLUMNS
        .into_iter()
        .filter(|name| there.iter().any(|one| one == name))
    {
        let mut cells = Vec::with_capacity(rows.len());
        sheet.each([name], |place, [cell]| {
            cells.push(optional(place, cell)?);
            Ok(())
        })?;
        // The graph has its pairs in their order, the table may have them in another.
        let mut own: Vec<([u32; 2], Option<f64>)> = rows.iter().copied().zip(cells).collect();
        own.sort_unstable_by_key(|(pair, _)| *pair);
        let cell = |pair: &[u32; 2]| {
            let at = own.binary_search_by_key(pair, |(other, _)| *other).ok()?;
            own[at].1
        };
        edges.push((name.to_owned(), graph.pairs().iter().map(cell).collect()));
    }
    Ok(Some(KnownStability {
        record,
        edges: Named(edges),
    }))
}

fn comparison(
    dir: &Path,
    graph: &MultiviewGraph,
    summary: Option<&FitRecord>,
) -> Result<Option<KnownComparison>, Fault> {
    let file = "compare.json";
    let Some(record) = json::<CompareRecord>(dir, file)? else {
        return Ok(None);
    };
    let hint = "`congraph compare --force` compares anew";
    check_added(dir, file, record.run.as_deref(), record.files.as_ref(), summary, hint)?;
    let mut found = KnownComparison {
        record,
        ..KnownComparison::default()
    };
    if let Some(table) = Table::open(dir, "compare_edges.tsv")? {
        found.edges = edges(dir, &table, graph, &found.record)?;
    }
    if let Some(table) = Table::open(dir, "compare_components.tsv")? {
        table
            .0
            .each(["n_nodes", "n_edges", "intensity", "p_fwe"], |place, cells| {
                let [n_nodes, n_edges, intensity, p_fwe] = numbers(place, cells)?;
                found.components.push(ComparedComponent {
                    n_nodes: n_nodes as usize,
                    n_edges: n_edges as usize,
                    intensity,
                    p_fwe,
                });
                Ok(())
            })?;
    }
    if let Some(table) = Table::open(dir, "compare_nodes.tsv")? {
        found.nodes = table.compared("node", "strength", &found.record)?;
    }
    if let Some(table) = Table::open(dir, "compare_global.tsv")? {
        found.measures = table.compared("measure", "mean", &found.record)?;
    }
    Ok(Some(found))
}

fn edges(
    dir: &Path,
    table: &Table,
    graph: &MultiviewGraph,
    record: &CompareRecord,
) -> Result<Vec<ComparedEdge>, Fault> {
    let nodes = index(dir, "nodes.tsv", "node", graph.nodes())?;
    let (present, means) = (table.of_groups("present", record)?, table.of_groups("mean", record)?);
    let mut rows = Vec::new();
    let columns = [
        "source",
        "target",
        &record.column,
        "p_uncorrected",
        "p_fwe",
        "component",
    ];
    table
        .0
        .each(columns, |place, [source, target, statistic, p, p_fwe, component]| {
            let at = rows.len();
            let [statistic, p_uncorrected, p_fwe] = numbers(place, [statistic, p, p_fwe])?;
            rows.push(ComparedEdge {
                pair: pair(place, &nodes, source, target)?,
                present: present.iter().map(|column| column[at] as usize).collect(),
                means: means.iter().map(|column| column[at]).collect(),
                statistic,
                p_uncorrected,
                p_fwe,
                component: optional(place, component)?.and_then(|id| (id as usize).checked_sub(1)),
            });
            Ok(())
        })?;
    Ok(rows)
}

/// A table that may not be there.
struct Table(Sheet);

impl Table {
    fn open(dir: &Path, file: &str) -> Result<Option<Self>, Fault> {
        if dir.join(file).exists() {
            Ok(Some(Self(Sheet::open(dir, file)?)))
        } else {
            Ok(None)
        }
    }

    /// The column of each group.
    fn of_groups(&self, name: &str, record: &CompareRecord) -> Result<Vec<Vec<f64>>, Fault> {
        let column = |letter: &str| {
            let mut cells = Vec::new();
            self.0.each([&format!("{name}_{letter}")], |place, cell| {
                cells.extend(numbers(place, cell)?);
                Ok(())
            })?;
            Ok(cells)
        };
        record.groups.iter().map(|group| column(&group.letter)).collect()
    }

    /// Rows of things by name, with their means in each group.
    fn compared(&self, key: &str, means: &str, record: &CompareRecord) -> Result<Vec<Compared>, Fault> {
        let means = self.of_groups(means, record)?;
        let mut rows = Vec::new();
        self.0
            .each([key, &record.column, "p_fwe"], |place, [name, statistic, p_fwe]| {
                let at = rows.len();
                let [statistic, p_fwe] = numbers(place, [statistic, p_fwe])?;
                rows.push(Compared {
                    name: name.to_owned(),
                    means: means.iter().map(|column| column[at]).collect(),
                    statistic,
                    p_fwe,
                });
                Ok(())
            })?;
        Ok(rows)
    }
}

/// Cells that must hold numbers.
fn numbers<const N: usize>(place: &Place<'_>, cells: [&str; N]) -> Result<[f64; N], Fault> {
    let mut found = [0.0; N];
    for (value, cell) in found.iter_mut().zip(cells) {
        *value = number(cell)
            .filter(|value| value.is_finite())
            .ok_or_else(|| place.fault(&format!("`{cell}` is not a number")))?;
    }
    Ok(found)
}
