//! `matrices.npz` and `coclassification.npz`: dense matrices for NumPy.
//!
//! The same graph gives the same bytes: entries carry a fixed time. Compressed, since most pairs of a sparse graph are
//! zeros.

use std::io::{self, Seek, Write};

use congraph::MultiviewGraph;
use congraph::communities::Coclassification;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::npy;

/// Writes the archive; `precisions` are the matrices that the graph was read from, if it was.
pub(super) fn write(out: impl Write + Seek, graph: &MultiviewGraph, precisions: Option<&[Vec<f64>]>) -> io::Result<()> {
    let (n_nodes, n_views) = (graph.n_nodes(), graph.n_views());
    let options = options(n_nodes, n_views);
    let mut archive = ZipWriter::new(out);
    if let Some(consensus) = graph.consensus_adjacency() {
        archive.start_file("consensus.npy", options)?;
        npy::write_header(&mut archive, "<f8", &[n_nodes, n_nodes])?;
        npy::write_numbers(&mut archive, &consensus)?;
    }
    archive.start_file("views.npy", options)?;
    npy::write_header(&mut archive, "<f8", &[n_views, n_nodes, n_nodes])?;
    for view in 0..n_views {
        npy::write_numbers(&mut archive, &graph.adjacency(view))?;
    }
    if let Some(precisions) = precisions {
        archive.start_file(PRECISIONS, options)?;
        npy::write_header(&mut archive, "<f8", &[n_views, n_nodes, n_nodes])?;
        for matrix in precisions {
            npy::write_numbers(&mut archive, matrix)?;
        }
    }
    let membership = graph.membership();
    if !membership.is_total() {
        archive.start_file("present.npy", options)?;
        npy::write_header(&mut archive, "|b1", &[n_views, n_nodes])?;
        for view in 0..n_views {
            let row: Vec<u8> = (0..n_nodes).map(|node| u8::from(membership.has(view, node))).collect();
            archive.write_all(&row)?;
        }
    }
    if let Some(subjects) = graph.subjects() {
        archive.start_file("subjects.npy", options)?;
        npy::write_header(&mut archive, "<f8", &[subjects.n_subjects(), n_nodes, n_nodes])?;
        for subject in 0..subjects.n_subjects() {
            npy::write_numbers(&mut archive, &graph.subject_adjacency(subject).unwrap_or_default())?;
        }
        archive.start_file("subject_names.npy", options)?;
        npy::write_strings(&mut archive, subjects.names())?;
    }
    archive.start_file("nodes.npy", options)?;
    npy::write_strings(&mut archive, graph.nodes())?;
    archive.start_file("view_names.npy", options)?;
    npy::write_strings(&mut archive, graph.views())?;
    archive.finish()?.flush()
}

/// The array of precision matrices.
pub(super) const PRECISIONS: &str = "precisions.npy";

/// Writes how often two nodes are together: `coclassification` (n×n) and `nodes`.
pub(super) fn coclassification(
    out: impl Write + Seek,
    nodes: &[String],
    together: &Coclassification,
) -> io::Result<()> {
    let options = options(nodes.len(), 1);
    let mut archive = ZipWriter::new(out);
    archive.start_file("coclassification.npy", options)?;
    npy::write_header(&mut archive, "<f8", &[nodes.len(), nodes.len()])?;
    for node in 0..nodes.len() {
        npy::write_numbers(&mut archive, &together.row(node))?;
    }
    archive.start_file("nodes.npy", options)?;
    npy::write_strings(&mut archive, nodes)?;
    archive.finish()?.flush()
}

fn options(n_nodes: usize, n_matrices: usize) -> SimpleFileOptions {
    let n_bytes = (n_nodes as u64).pow(2).saturating_mul(8 * n_matrices as u64);
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(LEVEL))
        .last_modified_time(DateTime::DEFAULT)
        // Beyond 4 GiB the archive needs its larger fields; below, old readers are spared them.
        .large_file(n_bytes >= u64::from(u32::MAX) / 2)
}

/// Fast rather than small.
const LEVEL: i64 = 1;
