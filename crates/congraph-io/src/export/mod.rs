//! Learned graphs for other programs: one room per format.
//!
//! ```text
//! graphml, gexf   networkx, igraph, Gephi, Cytoscape: one file per graph
//! edges           source, target, weight: one table per graph
//! mat, npz        MATLAB, SciPy, NumPy: all graphs as matrices, with the names of nodes and views
//! relmat          BIDS derivatives: one matrix per graph with its description
//! ```
//!
//! The consensus is called `consensus`, a view `view-NAME` with what a file's name cannot hold replaced. Weights are
//! written with as many digits as it takes to read the same f64; only edges with a weight are listed, and every node
//! that the graph has: where a view lacks nodes, these are not in its file. GraphML and GEXF tell of each node its
//! strength (the sum of its weights without their signs), its coordinates and its community in that graph, as far as these are known. `mat`
//! and `npz`, which hold all views at once, tell with `present` (N × n) who has which.
//!
//! Where any graph has a negative weight, GraphML also tells the `sign` of each edge, for programs that draw weights as
//! widths. GEXF, whose weights Gephi takes for positive, has |weight| as the weight, and the `sign` and `signed_weight`.

mod edges;
mod matlab;
mod relmat;
mod xml;

use std::collections::HashSet;
use std::io;

use congraph::{MultiviewGraph, is_edge};

use crate::output::{DENSE_NODES, Folder, NodeFacts, OutputError, write, write_matrices};

/// A format that graphs can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// GraphML.
    Graphml,
    /// GEXF 1.2.
    Gexf,
    /// A MATLAB file of version 5.
    Mat,
    /// A NumPy archive.
    Npz,
    /// A table of edges.
    Edges,
    /// BIDS relationship matrices.
    Relmat,
}

impl ExportFormat {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("graphml", Self::Graphml),
        ("gexf", Self::Gexf),
        ("mat", Self::Mat),
        ("npz", Self::Npz),
        ("edges", Self::Edges),
        ("relmat", Self::Relmat),
    ];

    /// Whether matrices are written out in full, which is done up to [`DENSE_NODES`] nodes.
    pub fn is_dense(self) -> bool {
        matches!(self, Self::Mat | Self::Npz | Self::Relmat)
    }
}

/// One graph of several: its name, and its edges with their weights.
struct Single<'a> {
    /// `consensus`, or the view's name.
    title: &'a str,
    /// The names of all nodes.
    names: &'a [String],
    /// Which of them the graph has.
    nodes: Vec<usize>,
    edges: Vec<([usize; 2], f64)>,
    /// Whether any graph of the result has a negative weight: all files of it tell the same.
    is_signed: bool,
    facts: &'a NodeFacts,
    /// The community of each node; none are known if it is empty.
    communities: &'a [Option<usize>],
}

impl Single<'_> {
    /// The sums of weights at each node, without their signs.
    fn strengths(&self) -> Vec<f64> {
        let mut strengths = vec![0.0; self.names.len()];
        for &([a, b], weight) in &self.edges {
            strengths[a] += weight.abs();
            strengths[b] += weight.abs();
        }
        strengths
    }
}

/// Writes the graphs in one format and returns the names of the files.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be written.
///
/// # Panics
/// If the format [`is_dense`](ExportFormat::is_dense) and there are more than [`DENSE_NODES`] nodes.
pub fn export(
    folder: &Folder,
    graph: &MultiviewGraph,
    facts: &NodeFacts,
    format: ExportFormat,
) -> Result<Vec<String>, OutputError> {
    assert!(
        !format.is_dense() || graph.n_nodes() <= DENSE_NODES,
        "too many nodes for matrices"
    );
    match format {
        ExportFormat::Graphml => each(folder, graph, facts, ".graphml", |out, one| xml::graphml(out, one)),
        ExportFormat::Gexf => each(folder, graph, facts, ".gexf", |out, one| xml::gexf(out, one)),
        ExportFormat::Edges => each(folder, graph, facts, ".edges.tsv", |out, one| edges::table_of(out, one)),
        ExportFormat::Mat => {
            write(folder, "graphs.mat", |out| matlab::write(out, graph))?;
            Ok(vec!["graphs.mat".into()])
        }
        ExportFormat::Npz => {
            write_matrices(folder, "graphs.npz", graph)?;
            Ok(vec!["graphs.npz".into()])
        }
        ExportFormat::Relmat => relmat::export(folder, graph),
    }
}

/// One file per graph.
fn each(
    folder: &Folder,
    graph: &MultiviewGraph,
    facts: &NodeFacts,
    ending: &str,
    content: impl Fn(&mut dyn io::Write, &Single<'_>) -> io::Result<()>,
) -> Result<Vec<String>, OutputError> {
    let mut files = Vec::new();
    for (stem, one) in singles(graph, facts) {
        let name = stem + ending;
        write(folder, &name, |out| content(out, &one))?;
        files.push(name);
    }
    Ok(files)
}

/// Every graph under the name of its file without an ending.
fn singles<'g>(graph: &'g MultiviewGraph, facts: &'g NodeFacts) -> Vec<(String, Single<'g>)> {
    let is_signed = graph.is_signed();
    let single = |title, nodes: Vec<usize>, communities, weights: &mut dyn Iterator<Item = f64>| Single {
        title,
        facts,
        communities,
        names: graph.nodes(),
        nodes,
        is_signed,
        edges: graph
            .pairs()
            .iter()
            .zip(weights)
            .filter(|(_, weight)| is_edge(*weight))
            .map(|(pair, weight)| (pair.map(|node| node as usize), weight))
            .collect(),
    };
    let mut graphs = Vec::new();
    if let Some(consensus) = graph.consensus() {
        let one = single(
            "consensus",
            (0..graph.n_nodes()).collect(),
            &facts.shared_community,
            &mut consensus.iter().copied(),
        );
        graphs.push(("consensus".into(), one));
    }
    let labels = labels(
        graph.views(),
        |mark| mark.is_alphanumeric() || "-_.+".contains(mark),
        "_",
    );
    for (view, (name, label)) in graph.views().iter().zip(labels).enumerate() {
        let communities = facts.view_communities.get(view).map_or(&[][..], Vec::as_slice);
        let weights = &mut graph.weights().column(view);
        let one = single(name.as_str(), nodes_of(graph, view), communities, weights);
        graphs.push((format!("view-{label}"), one));
    }
    graphs
}

/// The nodes that a view has.
fn nodes_of(graph: &MultiviewGraph, view: usize) -> Vec<usize> {
    (0..graph.n_nodes()).filter(|&node| graph.has(view, node)).collect()
}

/// The names with what is not allowed in them replaced, each different from the others whatever their case.
fn labels(names: &[String], is_allowed: impl Fn(char) -> bool, instead: &str) -> Vec<String> {
    let replaced = |name: &String| {
        let mark = |mark: char| {
            if is_allowed(mark) {
                mark.to_string()
            } else {
                instead.to_owned()
            }
        };
        name.chars().take(LONGEST).map(mark).collect()
    };
    distinct(names.iter().map(replaced).collect(), HashSet::new())
}

/// The labels, numbered where they are empty or taken already, whatever their case.
fn distinct(labels: Vec<String>, mut taken: HashSet<String>) -> Vec<String> {
    let free = |(place, label): (usize, String)| {
        let numbered = (place + 1..).map(|number| format!("{label}{number}"));
        let unnumbered = std::iter::once(label.clone()).filter(|label| !label.is_empty());
        let mut candidates = unnumbered.chain(numbered);
        let free = candidates.find(|label| taken.insert(label.to_lowercase()));
        free.unwrap_or_default()
    };
    labels.into_iter().enumerate().map(free).collect()
}

/// Files' names have their limits.
const LONGEST: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_names_of_files() {
        let names = ["a/b", "a_b", "Ä.1", "", "A_B"].map(String::from);
        let labels = labels(&names, |mark| mark.is_alphanumeric() || "-_.".contains(mark), "_");
        assert_eq!(labels, ["a_b", "a_b2", "Ä.1", "4", "A_B5"]);
    }

    #[test]
    fn a_number_that_is_taken_is_passed_over() {
        let marks = |mark: char| mark.is_alphanumeric() || "-_.".contains(mark);
        for names in [["a_b3", "a_b", "a b"], ["a_b", "a_b3", "a b"]] {
            let found = labels(&names.map(String::from), marks, "_");
            assert_eq!(found.iter().collect::<HashSet<_>>().len(), 3, "{found:?}");
            assert!(
                found.contains(&"a_b3".to_owned()) && found.contains(&"a_b4".to_owned()),
                "{found:?}"
            );
        }
    }
}
