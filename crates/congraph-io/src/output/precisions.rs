//! The precision matrices of a result folder, if there are any: their signs are nowhere else.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::Path;

use congraph::{Error, MultiviewGraph};
use zip::ZipArchive;
use zip::result::ZipError;

use super::matrices::PRECISIONS;
use crate::input::{Fault, fault, reason};
use crate::npy::Array;

const WHY: &str =
    "whether an entry of a precision matrix can be an edge depends on its sign, which only these matrices tell";
const HINT: &str = "run the command that wrote the folder again";
/// More than the header of any array of ours.
const HEADER: u64 = 1 << 16;

/// Reads the precision matrices of a folder, one per view of its graph, row after row; none if it holds none.
///
/// # Errors
/// [`Error::Data`] (E07) if `matrices.npz` is damaged or belongs to another graph.
pub fn read_precisions(dir: &Path, graph: &MultiviewGraph) -> Result<Option<Vec<Vec<f64>>>, Error> {
    precisions(&dir.join("matrices.npz"), graph).map_err(|fault| Error::from(*fault))
}

fn precisions(path: &Path, graph: &MultiviewGraph) -> Result<Option<Vec<Vec<f64>>>, Fault> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fault(path, &format!("cannot be read: {}", reason(&error)), WHY, HINT)),
    };
    let damaged = || fault(path, "is not a whole .npz archive", WHY, HINT);
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|_| damaged())?;
    let (n_nodes, n_views) = (graph.n_nodes(), graph.n_views());
    let names = |text: &[String]| text.iter().map(|name| 4 * name.chars().count() as u64 + 4).sum::<u64>();
    let longest = names(graph.nodes()).max(names(graph.views())) * n_nodes.max(n_views) as u64 + HEADER;
    let largest = (8 * n_views as u64)
        .saturating_mul((n_nodes as u64).pow(2))
        .saturating_add(HEADER);

    let Some(data) = entry(&mut archive, PRECISIONS, largest).map_err(|()| damaged())? else {
        return Ok(None);
    };
    for (name, expected) in [("nodes.npy", graph.nodes()), ("view_names.npy", graph.views())] {
        let found = entry(&mut archive, name, longest).map_err(|()| damaged())?;
        let found = found.and_then(|data| Array::parse(&data).ok()?.strings().ok());
        if found.as_deref() != Some(expected) {
            let what = format!("belongs to another graph: its `{name}` is not what the tables say");
            return Err(fault(path, &what, WHY, HINT));
        }
    }
    let array = Array::parse(&data).map_err(|_| damaged())?;
    let numbers = array.numbers().map_err(|_| damaged())?;
    if array.shape != [n_views, n_nodes, n_nodes] || numbers.iter().any(|x| !x.is_finite()) {
        let shape = array.show_shape();
        let what = format!(
            "`{PRECISIONS}` has the shape {shape}, or holds what is not finite; {n_views} × {n_nodes} × {n_nodes} is \
            expected"
        );
        return Err(fault(path, &what, WHY, HINT));
    }
    Ok(Some(
        numbers.chunks_exact(n_nodes * n_nodes).map(<[f64]>::to_vec).collect(),
    ))
}

/// The bytes of one array, unless it is longer than it can be.
fn entry<R: Read + Seek>(archive: &mut ZipArchive<R>, name: &str, largest: u64) -> Result<Option<Vec<u8>>, ()> {
    let file = match archive.by_name(name) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(_) => return Err(()),
    };
    let mut data = Vec::new();
    file.take(largest.saturating_add(1))
        .read_to_end(&mut data)
        .map_err(drop)?;
    if data.len() as u64 > largest {
        return Err(());
    }
    Ok(Some(data))
}
