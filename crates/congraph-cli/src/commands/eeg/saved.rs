//! `--save-views`: what was learned from, one `.csv` per view with the trial in its first column, and how it was made.

use std::path::Path;

use congraph::Table;
use congraph_io::{Folder, write_blocks, write_json};
use serde_json::{Value, json};

use crate::commands::input::Read;
use crate::failure::Failure;
use crate::interrupt;

const TOLD: &str = "views.json";

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

pub(super) fn write(folder: &Path, force: bool, tables: &[Table], read: &Read) -> Result<(), Failure> {
    let files: Vec<String> = tables.iter().map(|table| format!("{}.csv", table.name)).collect();
    let stale = stale(folder, &files);
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        let staged = Folder::create(folder, force)?;
        for (file, table) in files.iter().zip(tables) {
            write_blocks(&staged, file, table, "trial")?;
        }
        let preparation = read.preparation.as_ref();
        if let Some(preparation) = preparation {
            preparation.write(&staged)?;
        }
        let told = json!({
            "schema": "congraph.eeg-views/1",
            "block_column": "trial",
            "files": files,
            "version": env!("CARGO_PKG_VERSION"),
            "eeg": preparation.map(|preparation| preparation.steps.clone()),
        });
        write_json(&staged, TOLD, &told)?;
        staged.commit()?;
        stale
            .iter()
            .for_each(|file| drop(std::fs::remove_file(folder.join(file))));
        Ok(())
    })
}

/// Views that an earlier run left and this one does not replace: `views/*.csv` would mix them.
fn stale(folder: &Path, files: &[String]) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(TOLD)).unwrap_or_default();
    let told: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let earlier = told["files"].as_array().cloned().unwrap_or_default();
    let names = earlier.iter().filter_map(|file| file.as_str().map(str::to_owned));
    names
        .filter(|name| name.ends_with(".csv") && !name.contains(['/', '\\']) && !files.contains(name))
        .collect()
}
