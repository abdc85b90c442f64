//! Files that the members of a team read for each other: each reads some, and tells the others all but the values.

use std::path::PathBuf;

use congraph::team::Team;
use congraph::{Table, Warning};
use congraph_io::{Input, Loaded, ReadOptions};
use serde_json::{Value, json};

use crate::failure::Failure;

/// What can be noticed of a file.
const NOTICED: [&str; 2] = ["W03", "W05"];

/// Tables, and who has the values of each.
pub(super) struct Held {
    pub(super) loaded: Vec<Loaded>,
    pub(super) ranks: Vec<usize>,
}

/// Whether files can be read apart from each other.
pub(super) fn are_apart(inputs: &[Input], options: &ReadOptions) -> bool {
    let is_long = options.view_column.is_some() || options.subject_column.is_some();
    inputs.len() > 1 && !is_long && options.ignore_columns.is_empty()
}

/// Reads this member's files, and hears of the others.
pub(super) fn read(inputs: &[Input], options: &ReadOptions, team: &dyn Team) -> Result<Held, Failure> {
    let readers = readers(inputs, team);
    let mut own = Vec::new();
    let mut heads = Vec::new();
    for (file, input) in inputs
        .iter()
        .enumerate()
        .filter(|(file, _)| readers[*file] == team.rank())
    {
        let loaded = congraph_io::read(std::slice::from_ref(input), options)?;
        heads.extend(loaded.iter().map(|loaded| head(file, loaded)));
        own.extend(loaded);
    }
    let all = team.gather(Value::from(heads).to_string().as_bytes());
    let mut own = own.into_iter();
    let mut tables: Vec<(u64, usize, Loaded)> = Vec::new();
    for (rank, told) in all.iter().enumerate() {
        let told: Value = serde_json::from_slice(told).unwrap_or_default();
        for head in told.as_array().into_iter().flatten() {
            let file = head["file"].as_u64().unwrap_or_default();
            let loaded = if rank == team.rank() { own.next() } else { None };
            tables.push((file, rank, loaded.unwrap_or_else(|| elsewhere(head))));
        }
    }
    // In the order of the files; those of one file are in order already.
    tables.sort_by_key(|(file, _, _)| *file);
    Ok(Held {
        ranks: tables.iter().map(|(_, rank, _)| *rank).collect(),
        loaded: tables.into_iter().map(|(_, _, loaded)| loaded).collect(),
    })
}

/// Who reads which file: the largest first, each to whoever has least so far. The first member decides.
fn readers(inputs: &[Input], team: &dyn Team) -> Vec<usize> {
    let size = |input: &Input| std::fs::metadata(&input.path).map_or(0, |file| file.len());
    let sizes: Vec<u64> = inputs.iter().map(size).collect();
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    order.sort_by_key(|&file| std::cmp::Reverse(sizes[file]));
    let mut loads = vec![0; team.size()];
    let mut readers = vec![0; inputs.len()];
    for file in order {
        let least = (0..loads.len()).min_by_key(|&rank| loads[rank]).unwrap_or(0);
        loads[least] += sizes[file].max(1);
        readers[file] = least;
    }
    let told: Vec<u8> = readers.iter().flat_map(|&rank| (rank as u32).to_le_bytes()).collect();
    let told = team.gather(&told).swap_remove(0);
    let ranks = told.as_chunks().0.iter().map(|&rank| u32::from_le_bytes(rank) as usize);
    ranks.collect()
}

/// A table without its values.
fn head(file: usize, loaded: &Loaded) -> Value {
    let Table {
        name,
        column_names,
        row_names,
        blocks,
        n_rows,
        n_columns,
        values: _,
        n_samples,
        n_effective,
        subject,
        seldom: _,
    } = &loaded.table;
    let noticed = |warning: &Warning| json!([warning.code, warning.view, warning.message]);
    json!({
        "file": file,
        "name": name,
        "column_names": column_names,
        "row_names": row_names,
        "blocks": blocks,
        "n_rows": n_rows,
        "n_columns": n_columns,
        "n_samples": n_samples,
        "n_effective": n_effective.map(f64::to_bits),
        "subject": subject,
        "path": loaded.path.to_string_lossy(),
        "sha256": loaded.sha256,
        "warnings": loaded.warnings.iter().map(noticed).collect::<Vec<_>>(),
        "lacks_nodes": loaded.lacks_nodes,
    })
}

/// A table whose values another member has.
fn elsewhere(head: &Value) -> Loaded {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = |value: &Value| Some(value.as_array()?.iter().filter_map(text).collect());
    let number = |value: &Value| value.as_u64().map(|number| number as usize);
    let noticed = |told: &Value| {
        let code = NOTICED.into_iter().find(|code| told[0] == **code).unwrap_or(NOTICED[0]);
        let warning = Warning::new(code, text(&told[2]).unwrap_or_default());
        match text(&told[1]) {
            Some(view) => warning.in_view(view),
            None => warning,
        }
    };
    Loaded {
        table: Table {
            name: text(&head["name"]).unwrap_or_default(),
            column_names: texts(&head["column_names"]),
            row_names: texts(&head["row_names"]),
            blocks: texts(&head["blocks"]),
            n_rows: number(&head["n_rows"]).unwrap_or_default(),
            n_columns: number(&head["n_columns"]).unwrap_or_default(),
            values: Vec::new(),
            n_samples: number(&head["n_samples"]),
            n_effective: head["n_effective"].as_u64().map(f64::from_bits),
            subject: text(&head["subject"]),
            // Why a view lacks a node is told by who has its values.
            seldom: Vec::new(),
        },
        path: PathBuf::from(text(&head["path"]).unwrap_or_default()),
        sha256: text(&head["sha256"]).unwrap_or_default(),
        warnings: head["warnings"].as_array().into_iter().flatten().map(noticed).collect(),
        lacks_nodes: head["lacks_nodes"] == true,
    }
}
