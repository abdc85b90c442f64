//! `--save-views`: what was learned from, one `.csv` per subject with the trial in its first column, and how it was made.

use std::path::{Path, PathBuf};

use congraph::Table;
use congraph_io::{Folder, write_blocks, write_json, write_rows};
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

pub(super) fn write(mut staged: Folder, tables: &[Table], read: &Read) -> Result<(), Failure> {
    let files: Vec<String> = tables.iter().map(|table| format!("{}.csv", table.name)).collect();
    staged.removes(stale(staged.target(), &files));
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        for (file, table) in files.iter().zip(tables) {
            write_blocks(&staged, file, table, "trial")?;
        }
        let preparation = read.preparation.as_ref();
        if let Some(preparation) = preparation {
            let recordings = &preparation.recordings;
            write_rows(&staged, "recordings.tsv", recordings.columns, &recordings.rows)?;
        }
        let told = json!({
            "schema": "congraph.eeg-views/1",
            "block_column": "trial",
            "files": files,
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
