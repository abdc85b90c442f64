//! A MATLAB file of version 5: `consensus` (n × n), `views` (N × n × n), and the names `nodes` and `view_names` as cell
//! arrays of text; where views lack nodes also `present` (N × n), 1 where a view has a node.
//!
//! The layout is described in `input::matlab`; here every variable is compressed, since most pairs of a sparse graph
//! are zeros.

use std::io::{self, Write};

use congraph::MultiviewGraph;
use flate2::Compression;
use flate2::write::ZlibEncoder;

const INT8: u32 = 1;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// As plain numbers of 16 bits SciPy would take text for single bytes.
const UTF16: u32 = 17;

const CELL: u32 = 1;
const CHAR: u32 = 4;
const DOUBLES: u32 = 6;

pub(super) fn write(out: &mut dyn Write, graph: &MultiviewGraph) -> io::Result<()> {
    let mut header = [b' '; 128];
    let text = concat!("MATLAB 5.0 MAT-file, written by congraph ", env!("CARGO_PKG_VERSION"));
    header[..text.len()].copy_from_slice(text.as_bytes());
    header[116..124].fill(0);
    header[124..].copy_from_slice(&[0, 1, b'I', b'M']);
    out.write_all(&header)?;
    let (n, n_views) = (graph.n_nodes(), graph.n_views());
    if let Some(consensus) = graph.consensus_adjacency() {
        // Symmetric: the order of the axes does not matter.
        compressed(out, &doubles("consensus", &[n, n], &consensus)?)?;
    }
    let matrices: Vec<Vec<f64>> = (0..n_views).map(|view| graph.adjacency(view)).collect();
    let values: Vec<f64> = (0..n * n)
        .flat_map(|entry| matrices.iter().map(move |matrix| matrix[entry]))
        .collect();
    compressed(out, &doubles("views", &[n_views, n, n], &values)?)?;
    let membership = graph.membership();
    if !membership.is_total() {
        let entries = (0..n).flat_map(|node| (0..n_views).map(move |view| (view, node)));
        let present: Vec<f64> = entries
            .map(|(view, node)| f64::from(u8::from(membership.has(view, node))))
            .collect();
        compressed(out, &doubles("present", &[n_views, n], &present)?)?;
    }
    compressed(out, &cell("nodes", graph.nodes())?)?;
    compressed(out, &cell("view_names", graph.views())?)
}

fn compressed(out: &mut dyn Write, variable: &[u8]) -> io::Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(variable)?;
    let bytes = encoder.finish()?;
    out.write_all(&COMPRESSED.to_le_bytes())?;
    out.write_all(&length(bytes.len())?)?;
    out.write_all(&bytes)
}

fn doubles(name: &str, shape: &[usize], values: &[f64]) -> io::Result<Vec<u8>> {
    let mut inside = head(DOUBLES, shape, name)?;
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    element(&mut inside, DOUBLE, &bytes)?;
    matrix(&inside)
}

fn cell(name: &str, texts: &[String]) -> io::Result<Vec<u8>> {
    let mut inside = head(CELL, &[texts.len(), 1], name)?;
    for text in texts {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut entry = head(CHAR, &[usize::from(!units.is_empty()), units.len()], "")?;
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        element(&mut entry, UTF16, &bytes)?;
        inside.extend(matrix(&entry)?);
    }
    matrix(&inside)
}

/// What every variable starts with: its class, its size, its name.
fn head(class: u32, shape: &[usize], name: &str) -> io::Result<Vec<u8>> {
    let mut inside = Vec::new();
    let flags = [class.to_le_bytes(), [0; 4]].concat();
    element(&mut inside, UINT32, &flags)?;
    let mut lengths = Vec::new();
    for &axis in shape {
        lengths.extend(i32::try_from(axis).map_err(io::Error::other)?.to_le_bytes());
    }
    element(&mut inside, INT32, &lengths)?;
    element(&mut inside, INT8, name.as_bytes())?;
    Ok(inside)
}

fn matrix(inside: &[u8]) -> io::Result<Vec<u8>> {
    let mut variable = Vec::with_capacity(inside.len() + 8);
    element(&mut variable, MATRIX, inside)?;
    Ok(variable)
}

/// A type, a length, so many bytes, and zeros up to whole words of eight bytes.
fn element(out: &mut Vec<u8>, kind: u32, data: &[u8]) -> io::Result<()> {
    out.extend(kind.to_le_bytes());
    out.extend(length(data.len())?);
    out.extend(data);
    out.resize(out.len().next_multiple_of(8), 0);
    Ok(())
}

fn length(n_bytes: usize) -> io::Result<[u8; 4]> {
    let refuse = |_| io::Error::other("a variable of this format cannot be larger than 4 GiB");
    Ok(u32::try_from(n_bytes).map_err(refuse)?.to_le_bytes())
}
