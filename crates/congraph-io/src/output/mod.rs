//! The result folder: written whole or not at all, and read back to the same bits.
//!
//! ```text
//! nodes.tsv       name  strength  degree                  and x  y (z) where positions are known
//! recordings.tsv  of `eeg`: what was kept and dropped of each recording
//! views.tsv       name  file  n_samples  density  uniqueness  n_edges
//! edges.tsv       source  target  consensus  n_views  mean_weight  every edge of any view or of the consensus
//! edges_long.tsv  view  source  target  weight            only weights > 0
//! candidates.tsv  source  target                          the pairs that could be joined, if they were listed
//! edge_costs.tsv  source  target  cost                    what was added to the distances of pairs, if anything
//! quality.tsv     name  relative_variance                 of each node's signals
//! tune.tsv        of `tune`: every cell of the path
//! path.tsv        cell  source  target  consensus         a cell's heaviest consensus edges; 1 is tune.tsv's first
//! report.html     all of it to look at
//! matrices.npz    consensus (n×n), views (N×n×n), nodes, view_names; up to 4000 nodes
//!                 precisions (N×n×n) where precision matrices were learned
//! ```
//!
//! Where views lack nodes, also:
//!
//! ```text
//! missing.tsv     view  node                              the nodes that a view lacks
//! views.tsv       n_nodes: how many it has                densities are over its own pairs
//! edges.tsv       n_measured: how many views have both nodes  mean_weight is over these, empty without any
//! matrices.npz    present (N×n): whether a view has a node; weights of others are 0
//! ```
//!
//! Where views are of subjects, also:
//!
//! ```text
//! subjects.tsv       name  n_views  density  n_edges      the subjects' own graphs
//! edges_subjects.tsv subject  source  target  weight      only weights other than 0
//! views.tsv          subject: whose view it is
//! matrices.npz       subjects (S×n×n), subject_names
//! ```
//!
//! Added to it by `congraph communities`:
//!
//! ```text
//! communities.tsv       node  consensus  group  and a column per view: the number of the node's community
//! coclassification.npz  coclassification (n×n), nodes; up to 4000 nodes
//! communities.json
//! ```
//!
//! Added to it by `congraph stability`, as far as each can be told:
//!
//! ```text
//! edges.tsv       frequency  frequency_both  replicates  weight_se      how sure each edge of the consensus is
//! edges_long.tsv  frequency  replicates  weight_se                      and of each view
//! stability.json
//! ```
//!
//! Added to it by `congraph compare` (with more than two groups also letters c, d, …, and h or f in place of z):
//!
//! ```text
//! compare_edges.tsv       source target n_a n_b present_a present_b mean_a mean_b difference z p_uncorrected p_fwe component
//! compare_components.tsv  id n_nodes n_edges intensity p_fwe
//! compare_nodes.tsv       node strength_a strength_b z p_fwe
//! compare_global.tsv      measure mean_a mean_b difference z p_uncorrected p_fwe
//! compare_pairs.tsv       source target one two difference z p_uncorrected p_fwe      of more than two groups
//! compare.json
//! ```

mod columns;
mod compare;
mod folder;
mod inference;
mod known;
mod lock;
mod made;
mod matrices;
mod ours;
mod places;
mod placing;
mod precisions;
mod readback;
mod reserve;
mod run;
mod swap;
pub(crate) mod tables;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use congraph::communities::GraphCommunities;
use congraph::{MultiviewGraph, Table};
use serde::Serialize;

pub use columns::{STABILITY_TABLES, write_stability};
pub use compare::{COMPARE_FILES, seal_compare, write_comparison};
pub use folder::{Folder, OutputError};
pub use inference::{read_comparison, read_stability};
pub use known::{NodeFacts, read_known, read_node_facts, read_places};
pub use lock::abandon;
pub(crate) use ours::RELMAT_MEASURE;
pub use places::{PlaceTable, read_place_table};
pub use precisions::read_precisions;
pub use readback::{read_graph, read_run};
pub use run::{Run, reseal, seal, seal_communities, seal_with};

/// Above this number of nodes no dense matrices are written: `edges.tsv` and `edges_long.tsv` hold all there is.
pub const DENSE_NODES: usize = 4000;

/// What the result folder tells of a view that the graph does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewRow {
    /// The file it was read from.
    pub file: String,
    /// How many samples it has, if known.
    pub n_samples: Option<usize>,
}

/// Where nodes are, in their order.
#[derive(Clone, Copy, Debug)]
pub enum Places<'p> {
    /// x and y on a plane.
    Plane(&'p [[f64; 2]]),
    /// x (right), y (front) and z (up) of electrodes, in metres; none where it is not known.
    Head(&'p [Option<[f64; 3]>]),
    /// Coordinates along axes of these names: x, y and perhaps z, or lon and lat; none where they are not known.
    Along {
        /// What the coordinates are called.
        axes: &'static [&'static str],
        /// The coordinates of each node.
        at: &'p [Option<Vec<f64>>],
    },
}

/// Writes `nodes.tsv`, `views.tsv`, `edges.tsv`, `edges_long.tsv` and `matrices.npz` (and `missing.tsv` where views
/// lack nodes), into the subfolder `within` of the result folder unless that is empty.
///
/// `views` are those of the graph, in its order; what is not told of a view is left empty.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be written.
pub fn write_graph(
    folder: &Folder,
    within: &str,
    graph: &MultiviewGraph,
    views: &[ViewRow],
) -> Result<(), OutputError> {
    write_graph_at(folder, within, graph, views, None)
}

/// The same for nodes that have positions: they become the columns `x`, `y` and, in space, `z` of `nodes.tsv`.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be written.
pub fn write_graph_at(
    folder: &Folder,
    within: &str,
    graph: &MultiviewGraph,
    views: &[ViewRow],
    positions: Option<Places<'_>>,
) -> Result<(), OutputError> {
    write_all(folder, within, graph, views, positions, None)
}

/// As [`write_graph_at`], with the precision matrices (row after row, one per view) that the graph was read from in
/// `matrices.npz`.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be written.
pub fn write_precision_graph(
    folder: &Folder,
    graph: &MultiviewGraph,
    views: &[ViewRow],
    precisions: &[Vec<f64>],
    positions: Option<Places<'_>>,
) -> Result<(), OutputError> {
    write_all(folder, "", graph, views, positions, Some(precisions))
}

fn write_all(
    folder: &Folder,
    within: &str,
    graph: &MultiviewGraph,
    views: &[ViewRow],
    positions: Option<Places<'_>>,
    precisions: Option<&[Vec<f64>]>,
) -> Result<(), OutputError> {
    let at = |name: &str| Path::new(within).join(name);
    write(folder, at("nodes.tsv"), |out| tables::nodes(out, graph, positions))?;
    write(folder, at("views.tsv"), |out| tables::views(out, graph, views))?;
    if !graph.membership().is_total() {
        write(folder, at("missing.tsv"), |out| tables::missing(out, graph))?;
    }
    if graph.subjects().is_some() {
        write(folder, at("subjects.tsv"), |out| tables::subjects(out, graph))?;
        write(folder, at("edges_subjects.tsv"), |out| {
            tables::edges_subjects(out, graph)
        })?;
    }
    write(folder, at("edges.tsv"), |out| tables::edges(out, graph))?;
    write(folder, at("edges_long.tsv"), |out| tables::edges_long(out, graph))?;
    if graph.n_nodes() > DENSE_NODES {
        return Ok(());
    }
    write(folder, at("matrices.npz"), |out| {
        matrices::write(out, graph, precisions)
    })
}

/// The files that [`write_communities`] and its caller add to a result folder; see [`Folder::add_to`].
pub const COMMUNITIES_FILES: [&str; 3] = ["communities.tsv", "communities.json", "coclassification.npz"];

/// Writes `communities.tsv` and, up to [`DENSE_NODES`] nodes, `coclassification.npz`.
///
/// # Errors
/// [`OutputError::Io`] if a file cannot be written.
pub fn write_communities(folder: &Folder, graph: &MultiviewGraph, found: &GraphCommunities) -> Result<(), OutputError> {
    write(folder, "communities.tsv", |out| tables::communities(out, graph, found))?;
    if graph.n_nodes() > DENSE_NODES {
        return Ok(());
    }
    write(folder, "coclassification.npz", |out| {
        matrices::coclassification(out, graph.nodes(), &found.coclassification)
    })
}

/// Writes a table of signals as `.csv`, with a header if its columns have names.
///
/// # Errors
/// [`OutputError::Io`] if it cannot be written.
pub fn write_table(folder: &Folder, name: &str, table: &Table) -> Result<(), OutputError> {
    write(folder, name, |out| tables::signals(out, table, None))
}

/// The same with the resampling unit of each row, if the table has them, in a first column of the given name.
///
/// # Errors
/// [`OutputError::Io`] if it cannot be written.
pub fn write_blocks(folder: &Folder, name: &str, table: &Table, column: &str) -> Result<(), OutputError> {
    write(folder, name, |out| tables::signals(out, table, Some(column)))
}

/// Writes rows of cells under the names of their columns as `.tsv`.
///
/// # Errors
/// [`OutputError::Io`] if it cannot be written.
pub fn write_rows(folder: &Folder, name: &str, columns: &[&str], rows: &[Vec<String>]) -> Result<(), OutputError> {
    write(folder, name, |out| tables::rows(out, columns, rows))
}

/// Writes a text as it is.
///
/// # Errors
/// [`OutputError::Io`] if it cannot be written.
pub fn write_text(folder: &Folder, name: &str, text: &str) -> Result<(), OutputError> {
    write(folder, name, |out| out.write_all(text.as_bytes()))
}

/// Writes bytes as they are.
///
/// # Errors
/// [`OutputError::Io`] if it cannot be written.
pub fn write_bytes(folder: &Folder, name: &str, bytes: &[u8]) -> Result<(), OutputError> {
    write(folder, name, |out| out.write_all(bytes))
}

/// Writes a JSON file, indented and ending with a newline.
///
/// # Errors
/// [`OutputError::Io`] if it cannot be written.
pub fn write_json(folder: &Folder, name: &str, value: &impl Serialize) -> Result<(), OutputError> {
    write(folder, name, |mut out| {
        serde_json::to_writer_pretty(&mut out, value)?;
        writeln!(out)
    })
}

/// Writes the graphs as `matrices.npz` does, under another name.
pub(crate) fn write_matrices(folder: &Folder, name: &str, graph: &MultiviewGraph) -> Result<(), OutputError> {
    write(folder, name, |out| matrices::write(out, graph, None))
}

pub(crate) fn write(
    folder: &Folder,
    name: impl AsRef<Path>,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    let path = folder.path(&name);
    let whole = || {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        // Not over what is there: the same file may be in the folder that is replaced.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut out = BufWriter::new(File::create_new(&path)?);
        content(&mut out)?;
        out.flush()
    };
    whole().map_err(|source| OutputError::Io {
        path: folder.target().join(name),
        source,
    })
}
