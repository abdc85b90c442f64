//! `--save-views`: what was learned from, one `.csv` per view with the trial in its first column, where its electrodes
//! are, and how it was made. Commands that read such files find the rest beside them.

use std::path::{Path, PathBuf};

use congraph::Table;
use congraph_eeg::Position;
use congraph_io::{Folder, Input, read_places, write_blocks, write_json, write_rows};
use serde_json::{Value, json};

use super::subjects::{COLUMNS, DROPPED};
use super::{Preparation, Recordings};
use crate::commands::input::Read;
use crate::commands::places::NodePlaces;
use crate::failure::Failure;
use crate::interrupt;

const TOLD: &str = "views.json";
const SCHEMA: &str = "congraph.eeg-views/1";
const PLACES: &str = "positions.tsv";

/// Every view has a file of its own name.
pub(super) fn check_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<(), Failure> {
    let odd = names
        .into_iter()
        .find(|name| name.contains(['/', '\\']) || name.starts_with('.'));
    match odd {
        None => Ok(()),
        Some(name) => Err(Failure::usage(
            format!("--save-views cannot call a file `{name}.csv`"),
            "give the subject another name: NAME=FILE",
        )),
    }
}

pub(super) fn write(mut staged: Folder, tables: &[Table], read: &Read) -> Result<(), Failure> {
    let files: Vec<String> = tables.iter().map(|table| format!("{}.csv", table.name)).collect();
    staged.removes(stale(staged.target(), &files));
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        for (file, table) in files.iter().zip(tables) {
            write_blocks(&staged, file, table, "trial")?;
        }
        let preparation = read.preparation.as_ref();
        if let Some(preparation) = preparation {
            preparation.write(&staged)?;
        }
        let places = read.places.as_ref().map_or(&[][..], |places| &places.at);
        let row = |(name, at): &(String, Position)| -> Vec<String> {
            std::iter::once(name.clone())
                .chain(at.map(|x| format!("{x:?}")))
                .collect()
        };
        let rows: Vec<Vec<String>> = places.iter().map(row).collect();
        write_rows(&staged, PLACES, &["name", "x", "y", "z"], &rows)?;
        let told = json!({
            "schema": SCHEMA,
            "block_column": "trial",
            "files": files,
            "positions": PLACES,
            "n_effective": tables.iter().map(|table| table.n_effective).collect::<Vec<_>>(),
            "version": env!("CARGO_PKG_VERSION"),
            "eeg": preparation.map(|preparation| preparation.steps.clone()),
        });
        write_json(&staged, TOLD, &told)?;
        Ok(staged.commit()?)
    })
}

/// Views that an earlier run left and this one does not replace: `views/*.csv` would mix them.
fn stale(folder: &Path, files: &[String]) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(folder.join(TOLD)).unwrap_or_default();
    let told: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let earlier = told["files"].as_array().cloned().unwrap_or_default();
    let names = earlier.iter().filter_map(|file| file.as_str().map(str::to_owned));
    names
        .filter(|name| name.ends_with(".csv") && !name.contains(['/', '\\']) && !files.contains(name))
        .map(PathBuf::from)
        .collect()
}

/// What lies beside views that were saved.
#[derive(Default)]
pub(in crate::commands) struct Recalled {
    pub(in crate::commands) places: Option<NodePlaces>,
    /// How they were made, if the views are called as they were saved.
    pub(in crate::commands) preparation: Option<Preparation>,
    /// What the samples of each file are worth, if that was told, in the order of the files.
    pub(in crate::commands) n_effective: Vec<Option<f64>>,
}

/// What is known of files that are all views of one folder of saved views; nothing of others.
pub(in crate::commands) fn recall(files: &[String]) -> Result<Recalled, Failure> {
    let inputs: Vec<Input> = files.iter().map(|file| Input::parse(file)).collect();
    let nothing = Recalled::default();
    let Some(folder) = inputs.first().and_then(|input| input.path.parent()) else {
        return Ok(nothing);
    };
    let path = folder.join(TOLD);
    if !path.is_file() {
        return Ok(nothing);
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let told: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let saved = told["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_saved = |input: &Input| {
        let name = input.path.file_name().map(|name| name.to_string_lossy());
        input.path.parent() == Some(folder) && saved.iter().any(|file| file.as_str() == name.as_deref())
    };
    if told["schema"] != SCHEMA || !inputs.iter().all(is_saved) {
        return Ok(nothing);
    }
    let steps = &told["eeg"]["steps"];
    let csd = steps
        .as_array()
        .into_iter()
        .flatten()
        .find(|step| step["step"] == "csd");
    let places = match told["positions"].as_str() {
        Some(PLACES) => Some(NodePlaces {
            at: read_places(folder, PLACES)?,
            has_csd: csd.is_some_and(|step| !step["settings"].is_null()),
        }),
        _ => None,
    };
    let views: Vec<String> = inputs.iter().map(Input::view_name).collect();
    let recordings = rows(&told["eeg"]["recordings"], &COLUMNS, Some(&views));
    let dropped = rows(&told["eeg"]["dropped"], &DROPPED, None);
    let is_known = |view: &String| recordings.rows.iter().any(|row| row.first() == Some(view));
    let preparation = views.iter().all(is_known).then(|| Preparation {
        steps: json!({"steps": steps, "recordings": recordings.told(), "dropped": dropped.told()}),
        recordings,
        dropped,
    });
    let worth = |input: &Input| {
        let name = input.path.file_name().map(|name| name.to_string_lossy());
        let place = saved.iter().position(|file| file.as_str() == name.as_deref())?;
        told["n_effective"][place].as_f64()
    };
    let n_effective = inputs.iter().map(worth).collect();
    Ok(Recalled {
        places,
        preparation,
        n_effective,
    })
}

/// The rows of a table that was kept as objects, of some views or of all.
fn rows(told: &Value, columns: &'static [&'static str], views: Option<&[String]>) -> Recordings {
    let cells = |row: &Value| -> Vec<String> {
        let cell = |column: &&str| row[column].as_str().unwrap_or_default().to_owned();
        columns.iter().map(cell).collect()
    };
    let is_wanted = |row: &Vec<String>| views.is_none_or(|views| row.first().is_some_and(|view| views.contains(view)));
    let rows = told
        .as_array()
        .into_iter()
        .flatten()
        .map(cells)
        .filter(is_wanted)
        .collect();
    Recordings { columns, rows }
}
