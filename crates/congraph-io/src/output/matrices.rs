//! `matrices.npz`: the graphs as dense matrices for NumPy.
//!
//! The same graph gives the same bytes: entries carry a fixed time. Compressed, since most pairs of a sparse graph are
//! zeros.

use std::io::{self, Seek, Write};

use congraph::MultiviewGraph;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::npy;

/// Writes the archive; `precisions` are the matrices that the graph was read from, if it was.
pub(super) fn write(out: impl Write + Seek, graph: &MultiviewGraph, precisions: Option<&[Vec<f64>]>) -> io::Result<()> {
    let (n_nodes, n_views) = (graph.n_nodes(), graph.n_views());
    let n_bytes = (n_nodes as u64).pow(2).saturating_mul(8 * n_views as u64);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(LEVEL))
        .last_modified_time(DateTime::DEFAULT)
        // Beyond 4 GiB the archive needs its larger fields; below, old readers are spared them.
        .large_file(n_bytes >= u64::from(u32::MAX) / 2);
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
    archive.start_file("nodes.npy", options)?;
    npy::write_strings(&mut archive, graph.nodes())?;
    archive.start_file("view_names.npy", options)?;
    npy::write_strings(&mut archive, graph.views())?;
    archive.finish()?.flush()
}

/// The array of precision matrices.
pub(super) const PRECISIONS: &str = "precisions.npy";

/// Fast rather than small.
const LEVEL: i64 = 1;
