//! Where nodes are, from a table of the user's: `name` and `x`, `y` (and `z`), or `name`, `lon` and `lat`.

use std::path::Path;

use congraph::Error;

use super::readback::Sheet;
use crate::input::{Fault, fault, number};

const WHY: &str = "maps and the lengths of edges need a place for every node";
const HINT: &str = "give it a first line with the columns name, x and y (and z), or name, lon and lat, and below it one row with numbers for every node";

/// Nodes and their coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceTable {
    /// What the coordinates are called: x, y and perhaps z, or lon and lat.
    pub axes: &'static [&'static str],
    /// Each node with its coordinates.
    pub places: Vec<(String, Vec<f64>)>,
}

impl PlaceTable {
    /// The coordinates of a node.
    pub fn of(&self, node: &str) -> Option<&[f64]> {
        self.places
            .iter()
            .find(|(name, _)| name == node)
            .map(|(_, at)| at.as_slice())
    }
}

/// What columns may be called, and what they are.
const NAMES: [&str; 5] = ["name", "node", "label", "station", "channel"];
const AXES: [&[&[&str]]; 3] = [
    &[&["x"], &["y"], &["z"]],
    &[&["x"], &["y"]],
    &[&["lon", "longitude"], &["lat", "latitude"]],
];
const CALLED: [&[&str]; 3] = [&["x", "y", "z"], &["x", "y"], &["lon", "lat"]];

/// Reads a table of places, separated by tabs (`.tsv`) or commas.
///
/// # Errors
/// [`Error::Data`] (E07) with file and line if it is missing or malformed.
pub fn read_place_table(path: &Path) -> Result<PlaceTable, Error> {
    read(path).map_err(|mut fault| {
        // The table is the user's, not one of a result folder.
        (fault.why, fault.hint) = (WHY.into(), HINT.into());
        Error::from(*fault)
    })
}

fn read(path: &Path) -> Result<PlaceTable, Fault> {
    let sheet = Sheet::open_any(path)?;
    let there = sheet.columns()?;
    let find = |names: &[&str]| {
        there
            .iter()
            .find(|column| names.contains(&column.to_lowercase().as_str()))
            .cloned()
    };
    let axes = |axes: &[&[&str]]| axes.iter().map(|names| find(names)).collect::<Option<Vec<String>>>();
    let found = AXES
        .iter()
        .zip(CALLED)
        .find_map(|(names, called)| Some((axes(names)?, called)));
    let (Some(name), Some((columns, called))) = (find(&NAMES), found) else {
        let what = format!("has the columns {}", there.join(", "));
        return Err(fault(path, &what, WHY, HINT));
    };
    let mut places: Vec<(String, Vec<f64>)> = Vec::new();
    sheet.each([&name], |place, [name]| {
        if places.iter().any(|(known, _)| known == name) {
            return Err(place.fault(&format!("`{name}` is there twice")));
        }
        places.push((name.to_owned(), Vec::new()));
        Ok(())
    })?;
    for column in &columns {
        let mut node = 0;
        sheet.each([column], |place, [cell]| {
            let value = number(cell).filter(|value| value.is_finite());
            let value = value.ok_or_else(|| place.fault(&format!("`{cell}` is not a number")))?;
            places[node].1.push(value);
            node += 1;
            Ok(())
        })?;
    }
    Ok(PlaceTable { axes: called, places })
}
