//! MATLAB files of version 7.3 (`save -v7.3`), which are HDF5: the same variables, the same rules as for version 5.
//!
//! ```text
//! matrix    a data set with its axes turned round; its class is the attribute MATLAB_class
//! text      codes of characters, 16 bits each
//! cell      references to data sets in the group #refs#
//! sparse    a group of data, ir and jc with the attribute MATLAB_sparse, the number of rows
//! struct    any other group: refused with its fields
//! ```
//!
//! A data set without a class was written by another program (h5py, say), which need not have turned its axes: it is
//! refused.

use std::collections::HashMap;

use congraph::Table;
use hdf5_reader::Dataset;
use hdf5_reader::group::Group;
use hdf5_reader::reference::read_object_references;

use super::faults::{Fault, fault};
use super::hdf5::{self, Reason, reason};
use super::matlab::{Content, WHY, structure, views};
use super::sparse::Stored;
use super::{Input, ReadOptions};
use crate::npy::last_axis_fastest;

/// The views of a file of version 7.3.
pub(super) fn read(input: &Input, bytes: Vec<u8>, options: &ReadOptions) -> Result<Vec<Table>, Fault> {
    let found = variables(bytes).map_err(|reason| {
        let hint = "save it again, as `-v7` if it is smaller than 2 GB, or copy it again if it was cut short";
        fault(
            &input.path,
            &format!("cannot be read as a MATLAB 7.3 file: {reason}"),
            WHY,
            hint,
        )
    })?;
    views(input, found, options)
}

fn variables(bytes: Vec<u8>) -> Result<Vec<(String, Content)>, Reason> {
    let file = hdf5::open(bytes)?;
    let root = file.root_group().map_err(reason)?;
    let (groups, datasets) = root.members().map_err(reason)?;
    let mut variables = Vec::new();
    for group in &groups {
        if !group.name().starts_with('#') {
            variables.push((group.name().to_owned(), from_group(group)?));
        }
    }
    let mut cells = None;
    for dataset in &datasets {
        let class = hdf5::dataset_text(dataset, "MATLAB_class").unwrap_or_default();
        let content = match class.as_str() {
            "cell" => {
                if cells.is_none() {
                    cells = Some(referred(&groups)?);
                }
                cell(dataset, root.offset_size(), cells.as_ref())?
            }
            "char" => Content::Text(text(dataset)?),
            "function_handle" | "string" | "table" | "categorical" => Content::Other {
                what: format!("is a MATLAB {class}, not a matrix of numbers"),
                hint: "leave it out of the file; text can be saved as `cellstr(x)`",
            },
            // Other programs keep the axes as they are, and a square matrix would not tell.
            "" => Content::Other {
                what: "was not written as MATLAB does (it has no attribute MATLAB_class), and it is not clear which \
                    way round it is"
                    .into(),
                hint: "write it with `scipy.io.savemat` or `hdf5storage.savemat`, or as .npy",
            },
            _ => matrix(dataset)?,
        };
        variables.push((dataset.name().to_owned(), content));
    }
    // By name, whatever the order in the file is.
    variables.sort_by(|(one, _), (two, _)| one.cmp(two));
    Ok(variables)
}

/// A matrix of numbers; MATLAB's axes are turned round in the file.
fn matrix(dataset: &Dataset) -> Result<Content, Reason> {
    if matches!(dataset.dtype(), hdf5_reader::Datatype::Compound { .. }) {
        return Ok(Content::Other {
            what: "holds complex numbers".into(),
            hint: "keep one real number per value, for example `abs(x)` or `real(x)`",
        });
    }
    if dataset.attribute("MATLAB_empty").is_ok() {
        return Ok(Content::Numbers {
            shape: vec![0, 0],
            values: Vec::new(),
        });
    }
    let mut shape = hdf5::shape(dataset);
    shape.reverse();
    let values = hdf5::numbers(dataset)?;
    Ok(Content::Numbers {
        values: last_axis_fastest(&shape, &values),
        shape,
    })
}

/// One text for each row of a matrix of characters.
fn text(dataset: &Dataset) -> Result<Vec<String>, Reason> {
    if dataset.attribute("MATLAB_empty").is_ok() {
        return Ok(vec![String::new()]);
    }
    let codes: Vec<u16> = hdf5::places(dataset)?.iter().map(|&code| code as u16).collect();
    let n_rows = hdf5::shape(dataset).last().copied().unwrap_or(1).max(1);
    let row = |row: usize| {
        let units = codes.iter().skip(row).step_by(n_rows).copied();
        let text: String = char::decode_utf16(units)
            .map(|mark| mark.unwrap_or('\u{fffd}'))
            .collect();
        text.trim_end_matches([' ', '\0']).to_owned()
    };
    Ok((0..n_rows.min(codes.len().max(1))).map(row).collect())
}

/// The data sets that cells refer to, by their place in the file.
fn referred(groups: &[Group]) -> Result<HashMap<u64, Dataset>, Reason> {
    let Some(group) = groups.iter().find(|group| group.name() == "#refs#") else {
        return Ok(HashMap::new());
    };
    let datasets = group.datasets().map_err(reason)?;
    Ok(datasets
        .into_iter()
        .map(|dataset| (dataset.address(), dataset))
        .collect())
}

/// A cell array: of interest only if it holds text.
fn cell(dataset: &Dataset, offset_size: u8, referred: Option<&HashMap<u64, Dataset>>) -> Result<Content, Reason> {
    let bytes = dataset.read_raw_bytes().map_err(reason)?;
    let mut texts = Vec::new();
    for address in read_object_references(&bytes, offset_size).map_err(reason)? {
        let entry = referred.and_then(|referred| referred.get(&address));
        let is_text = |entry: &&Dataset| hdf5::dataset_text(entry, "MATLAB_class").as_deref() == Some("char");
        let lines = entry.filter(is_text).map(text).transpose()?;
        match lines.as_deref() {
            Some([line]) => texts.push(line.clone()),
            _ => {
                return Ok(Content::Other {
                    what: "is a cell array".into(),
                    hint: "save each matrix as a variable of its own; only names may stand in cells",
                });
            }
        }
    }
    Ok(Content::Text(texts))
}

/// A sparse matrix, or a struct.
fn from_group(group: &Group) -> Result<Content, Reason> {
    let (fields, data) = group.member_names().map_err(reason)?;
    let Ok(rows) = group.attribute("MATLAB_sparse") else {
        return Ok(structure(&[fields, data].concat()));
    };
    let n_rows = rows.read_as_f64().map_err(reason)?;
    let dataset = |name: &str| group.dataset(name).map_err(reason);
    // All zeros: then there is nothing but the starts.
    let stored = data.iter().any(|name| name == "data");
    let (rows, values) = if stored {
        (hdf5::places(&dataset("ir")?)?, hdf5::numbers(&dataset("data")?)?)
    } else {
        Default::default()
    };
    let starts = hdf5::places(&dataset("jc")?)?;
    let shape = vec![n_rows as usize, starts.len().saturating_sub(1)];
    let stored = Stored {
        starts: &starts,
        places: &rows,
        values: &values,
    };
    Ok(Content::Numbers {
        values: stored.columns(shape[0], shape[1], None)?,
        shape,
    })
}
