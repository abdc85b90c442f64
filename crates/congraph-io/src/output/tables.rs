//! The `.tsv` tables of a result folder, and signals as `.csv`. Weights are printed with as many digits as it takes to
//! read the same f64.

use std::io::{self, Write};

use congraph::communities::{GraphCommunities, Partition};
use congraph::{MultiviewGraph, Table, is_edge};
use csv::{Terminator, Writer, WriterBuilder};

use super::{Places, ViewRow};

/// A tab separated table under the names of its columns.
pub(crate) fn table<W: Write>(out: W, columns: &[&str]) -> io::Result<Writer<W>> {
    let mut builder = WriterBuilder::new();
    let mut table = builder
        .delimiter(b'\t')
        .terminator(Terminator::Any(b'\n'))
        .from_writer(out);
    table.write_record(columns)?;
    Ok(table)
}

/// A number with as many digits as it takes to read it back.
pub(crate) fn exact(value: f64) -> String {
    format!("{value:?}")
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, exact)
}

/// Any table.
pub(super) fn rows(out: impl Write, columns: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let mut table = table(out, columns)?;
    for row in rows {
        table.write_record(row)?;
    }
    table.flush()
}

/// `nodes.tsv`: strength (sum of weights, without their signs) and degree (number of edges) in the consensus; without one, the mean strength
/// over the views and the number of pairs joined in any of them. With positions also those.
pub(super) fn nodes(out: impl Write, graph: &MultiviewGraph, positions: Option<Places<'_>>) -> io::Result<()> {
    // Sums of sorted weights: the same for any order of the nodes.
    let mut weights = vec![Vec::new(); graph.n_nodes()];
    let mut degree = vec![0_usize; graph.n_nodes()];
    for (edge, pair) in graph.pairs().iter().enumerate() {
        let consensus = graph.consensus();
        let weight = consensus.map_or_else(|| graph.mean_weight(edge), |consensus| consensus[edge]);
        for node in pair.map(|node| node as usize) {
            weights[node].push(weight.abs());
            degree[node] += usize::from(is_edge(weight));
        }
    }
    let mut strength = weights.into_iter().map(|mut own| {
        own.sort_unstable_by(f64::total_cmp);
        own.iter().sum::<f64>()
    });
    let axes: &[&str] = match positions {
        None => &[],
        Some(Places::Plane(_)) => &["x", "y"],
        Some(Places::Head(_)) => &["x", "y", "z"],
        Some(Places::Along { axes, .. }) => axes,
    };
    let columns = [&["name", "strength", "degree"][..], axes].concat();
    let mut table = table(out, &columns)?;
    for (node, name) in graph.nodes().iter().enumerate() {
        let strength = strength.next().unwrap_or(0.0);
        let mut row = vec![name.clone(), exact(strength), degree[node].to_string()];
        match positions {
            None => {}
            Some(Places::Plane(at)) => row.extend(at[node].map(exact)),
            Some(Places::Head(at)) => row.extend(at[node].map_or_else(Default::default, |at| at.map(exact))),
            Some(Places::Along { axes, at }) => match &at[node] {
                Some(at) => row.extend(at.iter().copied().map(exact)),
                None => row.extend(vec![String::new(); axes.len()]),
            },
        }
        table.write_record(row)?;
    }
    table.flush()
}

/// `views.tsv`.
pub(super) fn views(out: impl Write, graph: &MultiviewGraph, rows: &[ViewRow]) -> io::Result<()> {
    let columns = ["name", "file", "n_samples", "density", "uniqueness", "n_edges"];
    let lacks_nodes = !graph.membership().is_total();
    let more = [("n_nodes", lacks_nodes), ("subject", graph.subjects().is_some())];
    let more = more.iter().filter(|(_, is_told)| *is_told).map(|(name, _)| *name);
    let columns: Vec<&str> = columns.into_iter().chain(more).collect();
    let mut table = table(out, &columns)?;
    for (view, name) in graph.views().iter().enumerate() {
        let told = rows.get(view);
        let n_samples = told
            .and_then(|row| row.n_samples)
            .map_or_else(String::new, |n| n.to_string());
        let n_edges = graph.weights().column(view).filter(|&weight| is_edge(weight)).count();
        let mut row = vec![
            name.clone(),
            told.map_or_else(String::new, |row| row.file.clone()),
            n_samples,
            exact(graph.density(view)),
            optional(graph.uniqueness(view)),
            n_edges.to_string(),
        ];
        row.extend(lacks_nodes.then(|| graph.membership().n_nodes_of(view).to_string()));
        row.extend(graph.subjects().map(|subjects| subjects.name_of(view).to_owned()));
        table.write_record(row)?;
    }
    table.flush()
}

/// `subjects.tsv`.
pub(super) fn subjects(out: impl Write, graph: &MultiviewGraph) -> io::Result<()> {
    let mut table = table(out, &["name", "n_views", "density", "n_edges"])?;
    if let (Some(subjects), Some(weights)) = (graph.subjects(), graph.subject_weights()) {
        for (subject, name) in subjects.names().iter().enumerate() {
            let n_edges = weights.column(subject).filter(|&weight| is_edge(weight)).count();
            table.write_record([
                name.clone(),
                subjects.views_of(subject).count().to_string(),
                optional(graph.subject_density(subject)),
                n_edges.to_string(),
            ])?;
        }
    }
    table.flush()
}

/// `edges_subjects.tsv`.
pub(super) fn edges_subjects(out: impl Write, graph: &MultiviewGraph) -> io::Result<()> {
    let mut table = table(out, &["subject", "source", "target", "weight"])?;
    if let (Some(subjects), Some(weights)) = (graph.subjects(), graph.subject_weights()) {
        for (subject, name) in subjects.names().iter().enumerate() {
            for (&[a, b], weight) in graph.pairs().iter().zip(weights.column(subject)) {
                if is_edge(weight) {
                    let [a, b] = [a, b].map(|node| &graph.nodes()[node as usize]);
                    table.write_record([name, a, b, &exact(weight)])?;
                }
            }
        }
    }
    table.flush()
}

/// `missing.tsv`.
pub(super) fn missing(out: impl Write, graph: &MultiviewGraph) -> io::Result<()> {
    let mut table = table(out, &["view", "node"])?;
    for (view, name) in graph.views().iter().enumerate() {
        for node in graph.membership().missing(view) {
            table.write_record([name, &graph.nodes()[node]])?;
        }
    }
    table.flush()
}

/// `edges.tsv`.
pub(super) fn edges(out: impl Write, graph: &MultiviewGraph) -> io::Result<()> {
    let columns = ["source", "target", "consensus", "n_views", "mean_weight", "n_measured"];
    let lacks_nodes = !graph.membership().is_total();
    let mut table = table(out, &columns[..if lacks_nodes { 6 } else { 5 }])?;
    for (edge, (&[a, b], row)) in graph.pairs().iter().zip(graph.weights().rows()).enumerate() {
        let mut cells = vec![
            graph.nodes()[a as usize].clone(),
            graph.nodes()[b as usize].clone(),
            optional(graph.consensus().map(|consensus| consensus[edge])),
            row.iter().filter(|&&weight| is_edge(weight)).count().to_string(),
            optional((graph.n_measured(edge) > 0).then(|| graph.mean_weight(edge))),
        ];
        cells.extend(lacks_nodes.then(|| graph.n_measured(edge).to_string()));
        table.write_record(cells)?;
    }
    table.flush()
}

/// `edges_long.tsv`.
pub(super) fn edges_long(out: impl Write, graph: &MultiviewGraph) -> io::Result<()> {
    let mut table = table(out, &["view", "source", "target", "weight"])?;
    for (view, name) in graph.views().iter().enumerate() {
        for (&[a, b], weight) in graph.pairs().iter().zip(graph.weights().column(view)) {
            if is_edge(weight) {
                let [a, b] = [a, b].map(|node| &graph.nodes()[node as usize]);
                table.write_record([name, a, b, &exact(weight)])?;
            }
        }
    }
    table.flush()
}

/// `communities.tsv`; views may be called `consensus` or `group` too, and come after those. A node that a view lacks
/// has an empty cell.
pub(super) fn communities(out: impl Write, graph: &MultiviewGraph, found: &GraphCommunities) -> io::Result<()> {
    let views = graph.views().iter().map(String::as_str);
    let columns: Vec<&str> = ["node", "consensus", "group"].into_iter().chain(views).collect();
    let mut table = table(out, &columns)?;
    let of_views: Vec<Vec<Option<usize>>> = (0..graph.n_views()).map(|view| found.view_labels(view)).collect();
    for (node, name) in graph.nodes().iter().enumerate() {
        let label = |partition: &Partition| partition.labels()[node].to_string();
        let consensus = found.consensus.as_ref();
        let mut row = vec![
            name.clone(),
            consensus.map_or_else(String::new, |consensus| label(&consensus.partition)),
            label(&found.group.partition),
        ];
        let own = |labels: &Vec<Option<usize>>| labels[node].map_or_else(String::new, |label| label.to_string());
        row.extend(of_views.iter().map(own));
        table.write_record(row)?;
    }
    table.flush()
}

/// A table of signals; its blocks, if it has them and their column a name, first.
pub(super) fn signals(out: impl Write, signals: &Table, block_column: Option<&str>) -> io::Result<()> {
    let blocks = signals.blocks.as_ref().zip(block_column);
    let mut table = WriterBuilder::new().from_writer(out);
    if let Some(names) = &signals.column_names {
        let first = blocks.iter().map(|(_, column)| *column);
        table.write_record(first.chain(names.iter().map(String::as_str)))?;
    }
    for (k, row) in signals.values.chunks_exact(signals.n_columns.max(1)).enumerate() {
        let block = blocks.iter().map(|(blocks, _)| blocks[k].clone());
        table.write_record(block.chain(row.iter().map(|&value| exact(value))))?;
    }
    table.flush()
}
