//! NumPy arrays: `.npy`, and `.npz` archives of them.
//!
//! ```text
//! 2-D               one view, samples × nodes
//! 3-D               views × samples × nodes, called view1, view2, … (view01, … if there are ten or more)
//! several 2-D       one view each, called as the array is
//! nodes, node_names, views, view_names   1-D text: names
//! labels, channels                       1-D text: names of the nodes, if there are as many and `nodes` is not there
//! ```
//!
//! With `--variable`, only the arrays that it names are views.

use std::io::{Cursor, Read};
use std::path::Path;

use congraph::options::option;
use congraph::{Orient, Table, list_names};
use zip::ZipArchive;

use super::faults::{Fault, fault, no_such_column};
use super::sources::{decompressed_limit, memory, size, too_large};
use super::{Input, ReadOptions, name_within};
use crate::npy::{Array, Refused};

const WHY: &str = "a view is a 2-D array of numbers: one row per sample, one column per node";

/// Numbers with up to three axes, and what the array is called in its archive.
pub(super) struct Block {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f64>,
}

/// The names that an archive brings along.
#[derive(Default)]
pub(super) struct Names {
    nodes: Option<Vec<String>>,
    views: Option<Vec<String>>,
    /// What may name the nodes, or something else.
    labels: Option<Vec<String>>,
}

impl Names {
    /// Where the names that an array of this name holds belong, if they do.
    pub(super) fn slot(&mut self, name: &str) -> Option<&mut Option<Vec<String>>> {
        match name {
            "nodes" | "node_names" => Some(&mut self.nodes),
            "views" | "view_names" => Some(&mut self.views),
            "labels" | "channels" => Some(&mut self.labels),
            _ => None,
        }
    }

    /// The names of this many nodes.
    fn of_nodes(&self, n_nodes: usize) -> Option<&Vec<String>> {
        let labels = || self.labels.as_ref().filter(|labels| labels.len() == n_nodes);
        self.nodes.as_ref().or_else(labels)
    }
}

/// Whether a variable is to be read as views.
pub(super) fn is_wanted(name: &str, options: &ReadOptions) -> bool {
    options.variables.is_empty() || options.variables.iter().any(|asked| asked == name)
}

/// What to do about a variable that is no view.
pub(super) fn leave_out_or_name() -> String {
    let variable = option("variable").set_to("NAME");
    format!("leave it out of the file, or read only what {variable} names")
}

/// How to read a file in spite of such variables.
pub(super) fn reads_only_named() -> String {
    format!("{} reads only what it names", option("variable").set_to("NAME"))
}

/// Refuses variables that are asked for and not there.
pub(super) fn check_wanted(input: &Input, found: &[String], options: &ReadOptions) -> Result<(), Fault> {
    let Some(unknown) = options.variables.iter().find(|asked| !found.contains(asked)) else {
        return Ok(());
    };
    let what = format!("has no variable `{unknown}`; its variables are {}", list_names(found));
    let variable = option("variable");
    let why = format!("{variable} names it");
    let hint = format!("use one of its variables, or leave out {}", variable.set_to(unknown));
    Err(fault(&input.path, &what, &why, hint))
}

/// The views of a `.npy` file.
pub(super) fn read_npy(input: &Input, bytes: &[u8], options: &ReadOptions) -> Result<Vec<Table>, Fault> {
    let refused = |Refused { what, hint }| fault(&input.path, &what, WHY, hint);
    let array = Array::parse(bytes).map_err(refused)?;
    let block = numbers(input, String::new(), &array)?;
    tables(input, vec![block], &Names::default(), options)
}

/// The views of a `.npz` archive.
pub(super) fn read_npz(input: &Input, bytes: &[u8], options: &ReadOptions) -> Result<Vec<Table>, Fault> {
    let (mut blocks, mut names, mut found) = (Vec::new(), Names::default(), Vec::new());
    each_array(&input.path, bytes, WHY, |name, array| {
        let refused = |Refused { what, hint }| fault(&input.path, &format!("array `{name}` {what}"), WHY, hint);
        match names.slot(&name) {
            Some(slot) if array.is_text() && array.shape.len() == 1 => *slot = Some(array.strings().map_err(refused)?),
            _ => {
                found.push(name.clone());
                if is_wanted(&name, options) {
                    blocks.push(numbers(input, name, array)?);
                }
            }
        }
        Ok(())
    })?;
    check_wanted(input, &found, options)?;
    tables(input, blocks, &names, options)
}

/// Calls `each` with the name of every array of a `.npz` archive and the array.
pub(crate) fn each_array(
    path: &Path,
    bytes: &[u8],
    why: &str,
    mut each: impl FnMut(String, &Array<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let broken = |reason: String| {
        let hint = "write it again with `numpy.savez`, or copy it again if it was cut short";
        fault(path, &format!("is not a whole .npz archive: {reason}"), why, hint)
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|_| broken("it is damaged, cut short, or something else under that name".into()))?;
    let mut left = decompressed_limit(bytes.len());
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| broken(error.to_string()))?;
        let name = entry.name().map_err(|error| broken(error.to_string()))?.into_owned();
        let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else {
            continue;
        };
        let claimed = entry.size();
        if claimed > left && claimed > memory() {
            return Err(too_large(path, &format!("holds array `{name}` of {}", size(claimed))));
        }
        if claimed > left {
            let what = format!("array `{name}` is {claimed} bytes long, more than such an archive should hold");
            let hint = "save it with `numpy.savez` if that is right, which does not compress";
            return Err(fault(path, &what, why, hint));
        }
        let mut data = Vec::new();
        // One byte more than claimed is enough to notice that there is more.
        let read = entry.take(claimed.saturating_add(1)).read_to_end(&mut data);
        read.map_err(|error| broken(format!("array `{name}`: {error}")))?;
        if data.len() as u64 != claimed {
            return Err(broken(format!("array `{name}` is not as long as it claims")));
        }
        left -= claimed;
        let refused = |Refused { what, hint }| fault(path, &format!("array `{name}` {what}"), why, hint);
        let array = Array::parse(&data).map_err(refused)?;
        each(name, &array)?;
    }
    Ok(())
}

fn numbers(input: &Input, name: String, array: &Array<'_>) -> Result<Block, Fault> {
    let called = if name.is_empty() {
        String::new()
    } else {
        format!("array `{name}` ")
    };
    let refuse = |what: String, hint: &str| fault(&input.path, &format!("{called}{what}"), WHY, hint);
    let shape = array.show_shape();
    if !array.is_text() {
        match array.shape.len() {
            2 | 3 if array.shape.contains(&0) => {
                return Err(refuse(
                    format!("is empty: its shape is {shape}"),
                    "check how it was written",
                ));
            }
            2 | 3 => {}
            0 => {
                return Err(refuse("is a single number".into(), &leave_out_or_name()));
            }
            1 => {
                return Err(refuse(
                    format!("has one axis of {shape}"),
                    &format!("save a 2-D array, or leave it out of the file; {}", reads_only_named()),
                ));
            }
            axes => {
                let hint = "save a 2-D array samples × nodes, or a 3-D array views × samples × nodes";
                return Err(refuse(format!("has {axes} axes: its shape is {shape}"), hint));
            }
        }
    }
    let values = array.numbers().map_err(|Refused { what, hint }| refuse(what, &hint))?;
    Ok(Block {
        name,
        shape: array.shape.clone(),
        values,
    })
}

/// One table per view.
pub(super) fn tables(
    input: &Input,
    blocks: Vec<Block>,
    names: &Names,
    options: &ReadOptions,
) -> Result<Vec<Table>, Fault> {
    let refuse = |what: &str, hint: &str| fault(&input.path, what, WHY, hint);
    let labels = [
        ("view_column", &options.view_column),
        ("subject_column", &options.subject_column),
        ("block_column", &options.block_column),
        ("time_column", &options.time_column),
    ];
    for (option, column) in labels {
        if let Some(column) = column {
            return Err(no_such_column(&input.path, option, column, names.nodes.as_deref()));
        }
    }
    let count = blocks.len();
    let mut views: Vec<(String, Table)> = Vec::new();
    let mut is_cut = false;
    for block in blocks {
        match block.shape[..] {
            [_, n_columns] => views.push((block.name, Table::new("", n_columns, block.values))),
            [_, n_rows, n_columns] if count == 1 => {
                let slices = block.values.chunks_exact(n_rows * n_columns).enumerate();
                views.extend(slices.map(|(k, slice)| ((k + 1).to_string(), Table::new("", n_columns, slice.to_vec()))));
                is_cut = true;
            }
            _ => {
                let what = format!("holds a 3-D array `{}` beside other arrays", block.name);
                return Err(refuse(
                    &what,
                    &format!(
                        "save either one 3-D array views × samples × nodes, or one 2-D array per view; {}",
                        reads_only_named()
                    ),
                ));
            }
        }
    }
    let is_single = views.len() == 1 && count == 1;
    if views.is_empty() {
        return Err(refuse(
            "holds no array of numbers that could be a view",
            "save one 2-D array per view, or one 3-D array views × samples × nodes",
        ));
    }
    if let Some(given) = &names.views {
        rename(&mut views, given)
            .map_err(|what| refuse(&what, "give `view_names` one name per view, in the order of the views"))?;
    } else if is_cut {
        // As Python calls them; sorted by name they stay in their order.
        let digits = views.len().to_string().len();
        for (k, (name, _)) in views.iter_mut().enumerate() {
            *name = format!("view{:0digits$}", k + 1);
        }
    }
    let finish = |(name, mut table): (String, Table)| {
        table.name = match (is_single, &names.views, &input.name) {
            (true, None, _) | (true, _, Some(_)) => input.view_name(),
            _ => name_within(input, &name),
        };
        let is_turned = options.orient == Orient::NodesBySamples;
        let n_nodes = if is_turned { table.n_rows } else { table.n_columns };
        name_nodes(input, &mut table, names.of_nodes(n_nodes), options)?;
        Ok(table)
    };
    views.into_iter().map(finish).collect()
}

/// Names views that have none of their own; a view that has one must be among the names given.
fn rename(views: &mut [(String, Table)], given: &[String]) -> Result<(), String> {
    if views.len() != given.len() {
        return Err(format!(
            "holds {} views and {} names for them",
            views.len(),
            given.len()
        ));
    }
    let is_numbered = |name: &str| name.strip_prefix("arr_").unwrap_or(name).parse::<usize>().ok();
    if views.len() == 1 || views.iter().all(|(name, _)| is_numbered(name).is_some()) {
        views.sort_by_key(|(name, _)| is_numbered(name));
        for ((name, _), given) in views.iter_mut().zip(given) {
            name.clone_from(given);
        }
        return Ok(());
    }
    match views.iter().find(|(name, _)| !given.contains(name)) {
        Some((name, _)) => Err(format!("holds an array `{name}` that is not among its view names")),
        None => Ok(()),
    }
}

/// Names the nodes of a table, and leaves out the columns that are to be ignored.
pub(super) fn name_nodes(
    input: &Input,
    table: &mut Table,
    nodes: Option<&Vec<String>>,
    options: &ReadOptions,
) -> Result<(), Fault> {
    let is_turned = options.orient == Orient::NodesBySamples;
    let n_nodes = if is_turned { table.n_rows } else { table.n_columns };
    if let Some(nodes) = nodes {
        if nodes.len() != n_nodes {
            let what = format!(
                "names {} nodes, but view `{}` is {} × {}",
                nodes.len(),
                table.name,
                table.n_rows,
                table.n_columns
            );
            let turned = option("orient").set_to("nodes-by-samples");
            let hint = format!("give one name per node; {turned} if nodes are in rows");
            return Err(fault(&input.path, &what, "nodes are matched by name", hint));
        }
        let names = if is_turned {
            &mut table.row_names
        } else {
            &mut table.column_names
        };
        *names = Some(nodes.clone());
    }
    let columns = table.column_names.clone();
    for name in &options.ignore_columns {
        if !columns.iter().flatten().any(|column| column == name) {
            return Err(no_such_column(&input.path, "ignore_columns", name, columns.as_deref()));
        }
    }
    if let (Some(columns), false) = (columns, options.ignore_columns.is_empty()) {
        let is_kept: Vec<bool> = columns
            .iter()
            .map(|column| !options.ignore_columns.contains(column))
            .collect();
        let mut kept = is_kept.iter().cycle();
        table.values.retain(|_| kept.next() == Some(&true));
        table.n_columns = is_kept.iter().filter(|&&kept| kept).count();
        table.column_names = Some(
            columns
                .into_iter()
                .zip(is_kept)
                .filter(|(_, kept)| *kept)
                .map(|(name, _)| name)
                .collect(),
        );
    }
    Ok(())
}
