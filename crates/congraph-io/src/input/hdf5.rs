//! HDF5 files, as AnnData and MATLAB 7.3 write them: numbers, text and attributes.
//!
//! `hdf5-reader` decodes the format; how much a file may unfold to is limited here by its length. The LZF compression
//! of h5py, which HDF5 itself does not know, is added.

use hdf5_reader::group::Group;
use hdf5_reader::{Dataset, Datatype, FilterRegistry, Hdf5File, OpenOptions};

use super::sources::{GIB, memory};
use super::sparse::place;

const MIB: u64 = 1 << 20;
/// The number under which LZF is registered.
const LZF: u16 = 32000;
/// The largest piece in which a data set may be stored.
const CHUNK: usize = 256 << 20;

/// Why something in a file cannot be read.
pub(super) type Reason = String;

pub(super) fn reason(error: impl std::fmt::Display) -> Reason {
    error.to_string()
}

/// Opens a file that is in memory.
pub(super) fn open(bytes: Vec<u8>) -> Result<Hdf5File, Reason> {
    let limit = (bytes.len() as u64)
        .saturating_mul(256)
        .clamp(64 * MIB, 16 * GIB)
        .min(memory());
    let mut filters = FilterRegistry::new();
    filters.register(
        LZF,
        Box::new(|_, data, _| lzf(data).ok_or_else(|| hdf5_reader::error::Error::InvalidData("LZF: damaged".into()))),
    );
    let options = OpenOptions {
        filter_registry: Some(filters),
        max_read_bytes: limit as usize,
        max_chunk_bytes: CHUNK.min(limit as usize),
        ..OpenOptions::default()
    };
    Hdf5File::from_vec_with_options(bytes, options).map_err(reason)
}

/// The lengths along each axis.
pub(super) fn shape(dataset: &Dataset) -> Vec<usize> {
    let length = |&length: &u64| usize::try_from(length).unwrap_or(usize::MAX);
    dataset.shape().iter().map(length).collect()
}

/// Whether the values are text.
pub(super) fn is_text(dataset: &Dataset) -> bool {
    matches!(dataset.dtype(), Datatype::String { .. } | Datatype::VarLen { .. })
}

/// The values as f64, last axis fastest; truth values are 0 and 1.
pub(super) fn numbers(dataset: &Dataset) -> Result<Vec<f64>, Reason> {
    let base = match dataset.dtype() {
        Datatype::Enum { base, .. } => base,
        other => other,
    };
    let bytes = || dataset.read_native_bytes().map_err(reason);
    match *base {
        Datatype::FloatingPoint { size: 8, .. } => Ok(decode(&bytes()?, f64::from_ne_bytes)),
        Datatype::FloatingPoint { size: 4, .. } => Ok(decode(&bytes()?, |b| f32::from_ne_bytes(b).into())),
        Datatype::FloatingPoint { size: 2, .. } => Ok(decode(&bytes()?, |b| crate::npy::half(u16::from_ne_bytes(b)))),
        Datatype::FixedPoint {
            size: 8, signed: true, ..
        } => Ok(decode(&bytes()?, |b| i64::from_ne_bytes(b) as f64)),
        Datatype::FixedPoint {
            size: 4, signed: true, ..
        } => Ok(decode(&bytes()?, |b| i32::from_ne_bytes(b).into())),
        Datatype::FixedPoint {
            size: 2, signed: true, ..
        } => Ok(decode(&bytes()?, |b| i16::from_ne_bytes(b).into())),
        Datatype::FixedPoint {
            size: 1, signed: true, ..
        } => Ok(decode(&bytes()?, |b| i8::from_ne_bytes(b).into())),
        Datatype::FixedPoint { size: 8, .. } => Ok(decode(&bytes()?, |b| u64::from_ne_bytes(b) as f64)),
        Datatype::FixedPoint { size: 4, .. } => Ok(decode(&bytes()?, |b| u32::from_ne_bytes(b).into())),
        Datatype::FixedPoint { size: 2, .. } => Ok(decode(&bytes()?, |b| u16::from_ne_bytes(b).into())),
        Datatype::FixedPoint { size: 1, .. } => Ok(decode(&bytes()?, |[b]: [u8; 1]| b.into())),
        _ => Err(format!("`{}` does not hold real numbers", dataset.name())),
    }
}

/// The values as lengths or places.
pub(super) fn places(dataset: &Dataset) -> Result<Vec<usize>, Reason> {
    Ok(numbers(dataset)?.into_iter().map(place).collect())
}

fn decode<const SIZE: usize>(bytes: &[u8], value: impl Fn([u8; SIZE]) -> f64) -> Vec<f64> {
    bytes.as_chunks::<SIZE>().0.iter().map(|&item| value(item)).collect()
}

/// A text attribute of a group, if it has it.
pub(super) fn group_text(group: &Group, name: &str) -> Option<String> {
    group.attribute(name).ok()?.read_string().ok()
}

/// A text attribute of a data set, if it has it.
pub(super) fn dataset_text(dataset: &Dataset, name: &str) -> Option<String> {
    dataset.attribute(name).ok()?.read_string().ok()
}

/// LZF: runs of literal bytes, and copies of what was written before.
fn lzf(data: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(4 * data.len());
    let mut bytes = data.iter().copied();
    while let Some(control) = bytes.next() {
        let control = usize::from(control);
        if control < 32 {
            for _ in 0..=control {
                out.push(bytes.next()?);
            }
            continue;
        }
        let mut length = control >> 5;
        if length == 7 {
            length += usize::from(bytes.next()?);
        }
        let back = ((control & 31) << 8) + usize::from(bytes.next()?) + 1;
        let start = out.len().checked_sub(back)?;
        for k in start..start + length + 2 {
            out.push(out[k]);
        }
        if out.len() > CHUNK {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::lzf;

    #[test]
    fn lzf_copies_what_was_before() {
        // "ab", then six bytes from two back: abababab.
        assert_eq!(lzf(&[1, b'a', b'b', 0b1000_0000, 1]).as_deref(), Some(&b"abababab"[..]));
        // A long copy of one byte.
        assert_eq!(lzf(&[0, b'x', 0b1110_0000, 10, 0]), Some(vec![b'x'; 20]));
        assert_eq!(lzf(&[0, b'x', 0b1110_0000, 10, 1]), None);
        assert_eq!(lzf(&[5, b'x']), None);
    }
}
