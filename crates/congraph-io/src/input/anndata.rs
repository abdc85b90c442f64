//! AnnData files (`.h5ad`): cells in rows, genes in columns, one view per group of cells.
//!
//! ```text
//! X, layers/L, raw  the values: a matrix, or sparse by rows (CSR) or columns (CSC)
//! obs/COLUMN        what tells the views apart (`--groupby`) or the blocks (`--block-column`, `--time-column`): categories, text or numbers
//! var               the genes' names; with `--genes` those for which a column of truth values such as highly_variable holds
//!                   (where one is missing it does not), or those listed in a text file, one a line
//! ```
//!
//! Files of anndata before 0.7, where `obs` and `var` are rows of fields, are read as well; their categories are in
//! `uns`.
//!
//! A gene is *seen* in a cell whose value is not 0; in matrices with negative values, which were centred, one that is not the
//! gene's least, which is what 0 has become. A view lacks the genes that are seen in too few of its cells: of genes that
//! are seen in one and the same cell only, any two are perfectly correlated. What is seen too seldom in every group is left
//! out, and so are groups of too few cells; warnings tell both.
//!
//! A group without a label has no view, so cells that lack one are refused rather than left out.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use congraph::options::option;
use congraph::{Orient, Table, Warning, list_names};
use hdf5_reader::group::Group;
use hdf5_reader::{Dataset, Hdf5File};

use super::arrays::name_nodes;
use super::compound::{self, Field};
use super::faults::{Fault, fault, no_such_column};
use super::hdf5::{self, Reason, reason};
use super::sparse::{Stored, place};
use super::{Input, ReadOptions, name_within, read_regular_text};

const WHY: &str = "a view is a group of cells: one row per cell, one column per gene";
const HINT: &str = "write it again with anndata 0.7 or later, or copy it again if it was cut short";

/// The views of a `.h5ad` file.
pub(super) fn read(input: &Input, bytes: Vec<u8>, options: &ReadOptions) -> Result<(Vec<Table>, Vec<Warning>), Fault> {
    let unreadable = |reason: Reason| {
        let what = format!("cannot be read as an .h5ad file: {reason}");
        fault(&input.path, &what, WHY, HINT)
    };
    if options.orient == Orient::NodesBySamples || options.is_long() {
        let what = "is an .h5ad file: its rows are cells, and its groups are columns of `obs`";
        let hint = format!(
            "leave out {} and {}; {} makes one view per group",
            option("orient"),
            option("view_column"),
            option("groupby").set_to("COLUMN")
        );
        return Err(fault(&input.path, what, WHY, hint));
    }
    let file = hdf5::open(bytes).map_err(unreadable)?;
    let annotated = Annotated { input, file: &file };
    let (path, table) = annotated.place(options)?;
    let genes = annotated.genes(options, &table)?;
    let values = annotated.values(&path, &genes)?;
    let n_genes = genes.kept.len();
    let n_cells = values.len() / n_genes.max(1);
    let groups = match &options.groupby {
        None => None,
        Some(column) => Some(annotated.labels("groupby", column, n_cells)?),
    };
    let blocks = match (&options.block_column, &options.time_column) {
        (Some(column), _) => Some(annotated.labels("block_column", column, n_cells)?),
        (None, Some(column)) => Some(annotated.labels("time_column", column, n_cells)?),
        (None, None) => None,
    };
    let mut members: Vec<(String, Vec<usize>)> = match groups {
        None => vec![(input.view_name(), (0..n_cells).collect())],
        Some(groups) => {
            let cells = |label: usize| (0..n_cells).filter(|&cell| groups.codes[cell] == label).collect();
            let all = groups.names.iter().enumerate();
            let all = all.map(|(label, name)| (name_within(input, name), cells(label)));
            all.filter(|(_, cells): &(String, Vec<usize>)| !cells.is_empty())
                .collect()
        }
    };
    let mut warnings = Vec::new();
    warnings.extend(leave_out_small(input, &mut members, options)?);
    let seen = Seen::of(&values, n_genes);
    let often: Vec<Vec<bool>> = members
        .iter()
        .map(|(_, cells)| seen.often(&values, cells, options.min_cells_per_gene))
        .collect();
    let anywhere: Vec<bool> = (0..n_genes).map(|gene| often.iter().any(|often| often[gene])).collect();
    warnings.extend(seldom(&genes.names, &anywhere, options.min_cells_per_gene));
    if anywhere.iter().filter(|&&is_seen| is_seen).count() < 2 {
        let what = format!(
            "has no two genes that are seen in {} cells of a group",
            options.min_cells_per_gene
        );
        let hint = format!("lower {}", option("min_cells_per_gene"));
        return Err(fault(&input.path, &what, "an edge joins two genes that vary", hint));
    }
    let table = |((name, cells), often): ((String, Vec<usize>), &Vec<bool>)| {
        let kept: Vec<usize> = (0..n_genes).filter(|&gene| often[gene]).collect();
        let names: Vec<String> = kept.iter().map(|&gene| genes.names[gene].clone()).collect();
        let value = |&cell: &usize| kept.iter().map(move |&gene| (cell, gene));
        let rows = cells
            .iter()
            .flat_map(value)
            .map(|(cell, gene)| values[cell * n_genes + gene]);
        let mut table = Table::new(name, kept.len(), rows.collect());
        let block = |blocks: &Labels| cells.iter().map(|&cell| blocks.of_cell(cell).to_owned()).collect();
        table.blocks = blocks.as_ref().map(block);
        let seldom = (0..n_genes).filter(|&gene| !often[gene]);
        table.seldom = seldom.map(|gene| genes.names[gene].clone()).collect();
        name_nodes(input, &mut table, Some(&names), options)?;
        Ok(table)
    };
    let tables: Result<Vec<Table>, Fault> = members.into_iter().zip(&often).map(table).collect();
    Ok((tables?, warnings))
}

/// Takes away groups of too few cells, and tells which.
fn leave_out_small(
    input: &Input,
    members: &mut Vec<(String, Vec<usize>)>,
    options: &ReadOptions,
) -> Result<Option<Warning>, Fault> {
    let least = options.min_cells;
    let is_small = |(_, cells): &(String, Vec<usize>)| options.groupby.is_some() && cells.len() < least;
    let small: Vec<String> = members
        .iter()
        .filter(|group| is_small(group))
        .map(|(name, cells)| format!("{name} ({})", cells.len()))
        .collect();
    if small.is_empty() {
        return Ok(None);
    }
    members.retain(|group| !is_small(group));
    if members.is_empty() {
        let what = format!("has no group of {least} cells");
        let hint = format!("lower {}", option("min_cells"));
        return Err(fault(&input.path, &what, WHY, hint));
    }
    let message = format!(
        "left out because they have fewer than {least} cells ({}): {}",
        option("min_cells").bare(),
        small.join(", ")
    );
    Ok(Some(Warning::new("W05", message)))
}

/// What a gene's value is where it was not seen.
struct Seen {
    unseen: Vec<f64>,
}

impl Seen {
    fn of(values: &[f64], n_genes: usize) -> Self {
        if values.iter().all(|&value| value >= 0.0 || value.is_nan()) {
            return Self {
                unseen: vec![0.0; n_genes],
            };
        }
        let mut unseen = vec![f64::INFINITY; n_genes];
        for row in values.chunks_exact(n_genes.max(1)) {
            unseen
                .iter_mut()
                .zip(row)
                .for_each(|(least, &value)| *least = least.min(value));
        }
        Self { unseen }
    }

    /// Whether each gene is seen in so many of these cells.
    fn often(&self, values: &[f64], cells: &[usize], least: usize) -> Vec<bool> {
        let n_genes = self.unseen.len();
        let mut counts = vec![0_usize; n_genes];
        for &cell in cells {
            let row = &values[cell * n_genes..(cell + 1) * n_genes];
            for ((count, &value), &unseen) in counts.iter_mut().zip(row).zip(&self.unseen) {
                *count += usize::from(value != unseen);
            }
        }
        counts.iter().map(|&count| count >= least).collect()
    }
}

/// The warning about genes that are seen too seldom in every group.
fn seldom(names: &[String], anywhere: &[bool], least: usize) -> Option<Warning> {
    let gone = names.iter().zip(anywhere).filter(|(_, is_seen)| !**is_seen);
    let gone: Vec<&String> = gone.map(|(name, _)| name).collect();
    let (seen, left) = if gone.len() == 1 {
        ("is seen", "was")
    } else {
        ("are seen", "were")
    };
    let cells = if least == 1 { "cell" } else { "cells" };
    let message = format!(
        "{} of {} genes {seen} in fewer than {least} {cells} of every group ({}) and {left} left out: {}",
        gone.len(),
        names.len(),
        option("min_cells_per_gene").bare(),
        list_names(&gone)
    );
    (!gone.is_empty()).then(|| Warning::new("W03", message))
}

/// The genes in use.
struct Genes {
    /// Which columns of the matrix.
    kept: Vec<usize>,
    names: Vec<String>,
    /// How many columns the matrix has.
    n_columns: usize,
}

/// A label for each cell.
struct Labels {
    names: Vec<String>,
    codes: Vec<usize>,
}

impl Labels {
    fn of_cell(&self, cell: usize) -> &str {
        &self.names[self.codes[cell]]
    }

    /// Of texts, in the order in which they first occur.
    fn of_texts(texts: Vec<String>) -> Self {
        let (mut names, mut codes) = (Vec::new(), Vec::with_capacity(texts.len()));
        let mut known: HashMap<String, usize> = HashMap::new();
        for text in texts {
            let next = names.len();
            let code = *known.entry(text.clone()).or_insert(next);
            if code == next {
                names.push(text);
            }
            codes.push(code);
        }
        Self { names, codes }
    }
}

struct Annotated<'a> {
    input: &'a Input,
    file: &'a Hdf5File,
}

impl Annotated<'_> {
    fn unreadable(&self, reason: impl std::fmt::Display) -> Fault {
        let what = format!("cannot be read as an .h5ad file: {reason}");
        fault(&self.input.path, &what, WHY, HINT)
    }

    /// A table that describes the cells or the genes.
    fn frame(&self, path: &str) -> Result<Frame, Fault> {
        match self.file.group(&format!("/{path}")) {
            Ok(group) => Ok(Frame::Columns(group)),
            Err(error) => match self.file.dataset(&format!("/{path}")) {
                Ok(rows) => Ok(Frame::Rows(Box::new(rows), self.file.group("/uns").ok())),
                Err(_) => Err(self.unreadable(error)),
            },
        }
    }

    /// Where the values are and the table of their genes: `X`, a layer, or what was kept as raw.
    fn place(&self, options: &ReadOptions) -> Result<(String, String), Fault> {
        let Some(layer) = &options.layer else {
            return Ok(("X".into(), "var".into()));
        };
        let layers = self.file.group("/layers").and_then(|group| group.member_names());
        let mut layers = layers.map_or_else(|_| Vec::new(), |(groups, datasets)| [groups, datasets].concat());
        if layers.contains(layer) {
            return Ok((format!("layers/{layer}"), "var".into()));
        }
        let is_there = |path: &str| self.file.group(path).is_ok() || self.file.dataset(path).is_ok();
        let raw = ["raw/", "raw."].iter().find(|raw| is_there(&format!("/{raw}X")));
        if let (Some(raw), "raw") = (raw, layer.as_str()) {
            return Ok((format!("{raw}X"), format!("{raw}var")));
        }
        layers.extend(raw.map(|_| "raw".to_owned()));
        let what = format!("has no layer `{layer}`; its layers are {}", list_names(&layers));
        let layer = option("layer");
        let hint = format!("leave out {layer} to read `X`, or give one of its layers");
        Err(fault(&self.input.path, &what, &format!("{layer} names it"), hint))
    }

    /// Which genes of a table to keep.
    fn genes(&self, options: &ReadOptions, table: &str) -> Result<Genes, Fault> {
        let names_of = |frame: &Frame| frame.index().map_err(|error| self.unreadable(error));
        let names = names_of(&self.frame(table)?)?;
        let n_columns = names.len();
        let kept: Vec<usize> = match &options.genes {
            None => (0..n_columns).collect(),
            Some(asked) => match read_regular_text(Path::new(asked)) {
                Ok(list) => self.listed(asked, &list, &names)?,
                Err(_) => {
                    // What is known of genes is in `var`, whatever the values are those of.
                    let var = self.frame("var")?;
                    let described = names_of(&var)?;
                    let flagged = self.flagged(asked, &var, described.len())?;
                    let flagged: HashSet<&str> = flagged.iter().map(|&gene| described[gene].as_str()).collect();
                    (0..n_columns)
                        .filter(|&gene| flagged.contains(names[gene].as_str()))
                        .collect()
                }
            },
        };
        let names: Vec<String> = kept.iter().map(|&gene| names[gene].clone()).collect();
        Ok(Genes { kept, names, n_columns })
    }

    /// The genes that a file lists, in the order of the matrix.
    fn listed(&self, file: &str, list: &str, names: &[String]) -> Result<Vec<usize>, Fault> {
        let asked: HashSet<&str> = list.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let mut unknown: Vec<&str> = asked.iter().copied().filter(|name| !known.contains(name)).collect();
        unknown.sort_unstable();
        if !unknown.is_empty() || asked.is_empty() {
            let what = match unknown[..] {
                [] => "is to be read for no gene at all".into(),
                _ => format!("has no gene {}", list_names(&unknown)),
            };
            let hint = format!("its genes are {}", list_names(names));
            return Err(fault(
                &self.input.path,
                &what,
                &format!("{} lists them", option("genes").set_to(file)),
                hint,
            ));
        }
        Ok((0..names.len())
            .filter(|&gene| asked.contains(names[gene].as_str()))
            .collect())
    }

    /// The genes for which a column of truth values holds.
    fn flagged(&self, column: &str, var: &Frame, n_genes: usize) -> Result<Vec<usize>, Fault> {
        let columns = var.columns().map_err(|error| self.unreadable(error))?;
        if !columns.contains(&column.to_owned()) {
            let mut fault = no_such_column(&self.input.path, "genes", column, Some(&columns));
            fault.what.push_str("; nor is there a file of that name");
            return Err(fault);
        }
        let flags = var.numbers(column);
        let flags = flags.ok().filter(|flags| flags.len() == n_genes);
        match flags.filter(|flags| flags.iter().all(|&flag| flag == 0.0 || flag == 1.0)) {
            Some(flags) if flags.contains(&1.0) => Ok((0..n_genes).filter(|&gene| flags[gene] == 1.0).collect()),
            found => {
                let what = match found {
                    Some(_) => format!("has no gene for which `{column}` holds"),
                    None => format!("has a column `{column}` that does not hold truth values for its genes"),
                };
                let hint = "give another column of `var`, or a file with one gene a line";
                Err(fault(
                    &self.input.path,
                    &what,
                    &format!("{} names the column", option("genes")),
                    hint,
                ))
            }
        }
    }

    /// The values of the genes in use, cell after cell.
    fn values(&self, path: &str, genes: &Genes) -> Result<Vec<f64>, Fault> {
        let found = match self.file.dataset(&format!("/{path}")) {
            Ok(dataset) => dense(&dataset, genes),
            Err(_) => match self.file.group(&format!("/{path}")) {
                Ok(group) => sparse(&group, genes),
                Err(_) => Err(format!("it has no `{path}`")),
            },
        };
        let values = found.map_err(|error| self.unreadable(format!("`{path}`: {error}")))?;
        if values.is_empty() {
            return Err(self.unreadable(format!("`{path}` is empty")));
        }
        Ok(values)
    }

    /// A label for each cell, from a column of `obs`.
    fn labels(&self, option: &'static str, column: &str, n_cells: usize) -> Result<Labels, Fault> {
        let obs = self.frame("obs")?;
        let columns = obs.columns().map_err(|error| self.unreadable(error))?;
        if !columns.contains(&column.to_owned()) {
            return Err(no_such_column(&self.input.path, option, column, Some(&columns)));
        }
        let labels = obs
            .labels(column)
            .map_err(|error| self.unreadable(format!("`obs/{column}`: {error}")))?;
        if labels.codes.len() != n_cells {
            let what = format!("`obs/{column}` has {} labels for {n_cells} cells", labels.codes.len());
            return Err(self.unreadable(what));
        }
        let missing = labels.codes.iter().filter(|&&code| code >= labels.names.len()).count();
        if missing > 0 {
            let what = format!("has {missing} of {n_cells} cells without a label in `obs/{column}`");
            let hint = "label them, or write the file without them: `adata[adata.obs['…'].notna()]`";
            return Err(fault(
                &self.input.path,
                &what,
                "it is not clear to which view or block they belong",
                hint,
            ));
        }
        Ok(labels)
    }
}

/// What describes the cells or the genes: a column in each data set, or rows of fields and what is kept beside them.
enum Frame {
    Columns(Group),
    Rows(Box<Dataset>, Option<Group>),
}

impl Frame {
    /// The name of the column that names the rows.
    fn index_name(&self) -> String {
        match self {
            Self::Columns(group) => hdf5::group_text(group, "_index").unwrap_or_else(|| "_index".into()),
            Self::Rows(..) => "index".into(),
        }
    }

    /// The names of the rows.
    fn index(&self) -> Result<Vec<String>, Reason> {
        texts(&self.labels(&self.index_name())?)
    }

    /// The columns, without the names of the rows.
    fn columns(&self) -> Result<Vec<String>, Reason> {
        let mut columns = match self {
            Self::Columns(group) => {
                let (groups, datasets) = group.member_names().map_err(reason)?;
                [groups, datasets].concat()
            }
            Self::Rows(rows, _) => compound::names(rows),
        };
        let index = self.index_name();
        columns.retain(|name| *name != index && name != "__categories");
        Ok(columns)
    }

    /// A column of numbers or truth values; 0 where one is missing.
    fn numbers(&self, name: &str) -> Result<Vec<f64>, Reason> {
        match self {
            Self::Columns(group) => match group.dataset(name) {
                Ok(dataset) => hdf5::numbers(&dataset),
                Err(_) => may_be_missing(&group.group(name).map_err(reason)?),
            },
            Self::Rows(rows, _) => match compound::field(rows, name)? {
                Field::Numbers { values, .. } => Ok(values),
                Field::Texts(_) => Err(format!("`{name}` holds text")),
            },
        }
    }

    /// A column of labels; rows without one have a code beyond the last name.
    fn labels(&self, name: &str) -> Result<Labels, Reason> {
        let (rows, notes) = match self {
            Self::Columns(group) => return labels(group, name),
            Self::Rows(rows, notes) => (rows, notes),
        };
        let categories = notes
            .as_ref()
            .and_then(|notes| notes.dataset(&format!("{name}_categories")).ok());
        match (compound::field(rows, name)?, categories) {
            (Field::Texts(texts), _) => Ok(Labels::of_texts(texts)),
            (Field::Numbers { values, .. }, Some(categories)) => Ok(Labels {
                names: shown(&categories)?,
                codes: values.into_iter().map(place).collect(),
            }),
            (Field::Numbers { values, is_truth }, None) => Ok(Labels::of_texts(
                values.iter().map(|&x| shown_number(x, is_truth)).collect(),
            )),
        }
    }
}

/// Values of which a mask says some are missing: these are 0, so that a truth value that is not known does not hold.
fn may_be_missing(group: &Group) -> Result<Vec<f64>, Reason> {
    let mut values = hdf5::numbers(&group.dataset("values").map_err(reason)?)?;
    let mask = hdf5::numbers(&group.dataset("mask").map_err(reason)?)?;
    for (value, is_missing) in values.iter_mut().zip(mask) {
        *value = if is_missing == 0.0 { *value } else { 0.0 };
    }
    Ok(values)
}

/// The label of every row.
fn texts(labels: &Labels) -> Result<Vec<String>, Reason> {
    let text = |&code: &usize| labels.names.get(code).cloned().ok_or("it has rows without a name");
    Ok(labels.codes.iter().map(text).collect::<Result<_, _>>()?)
}

/// A column of categories, text, numbers or truth values; rows without a value have a code beyond the last name.
fn labels(frame: &Group, name: &str) -> Result<Labels, Reason> {
    if let Ok(dataset) = frame.dataset(name) {
        // anndata before 0.8 kept the categories of a column beside the table.
        let categories = frame.group("__categories").and_then(|group| group.dataset(name));
        return match categories {
            Ok(categories) => Ok(Labels {
                names: shown(&categories)?,
                codes: hdf5::places(&dataset)?,
            }),
            Err(_) => Ok(Labels::of_texts(shown(&dataset)?)),
        };
    }
    let group = frame.group(name).map_err(reason)?;
    if let Ok(codes) = group.dataset("codes") {
        let categories = match group.dataset("categories") {
            Ok(categories) => shown(&categories)?,
            Err(_) => texts(&labels(&group, "categories")?)?,
        };
        return Ok(Labels {
            names: categories,
            codes: hdf5::places(&codes)?,
        });
    }
    // Values that may be missing: a mask says which are.
    let values = shown(&group.dataset("values").map_err(reason)?)?;
    let mut labels = Labels::of_texts(values);
    if let Ok(mask) = group.dataset("mask") {
        for (code, is_missing) in labels.codes.iter_mut().zip(hdf5::numbers(&mask)?) {
            *code = if is_missing == 0.0 { *code } else { usize::MAX };
        }
    }
    Ok(labels)
}

/// The values of a column as text.
fn shown(dataset: &Dataset) -> Result<Vec<String>, Reason> {
    if hdf5::is_text(dataset) {
        return dataset.read_strings().map_err(reason);
    }
    let is_truth = matches!(dataset.dtype(), hdf5_reader::Datatype::Enum { .. });
    let numbers = hdf5::numbers(dataset)?;
    Ok(numbers.iter().map(|&x| shown_number(x, is_truth)).collect())
}

fn shown_number(x: f64, is_truth: bool) -> String {
    match is_truth {
        true => String::from(if x == 0.0 { "False" } else { "True" }),
        false => x.to_string(),
    }
}

fn dense(dataset: &Dataset, genes: &Genes) -> Result<Vec<f64>, Reason> {
    match hdf5::shape(dataset)[..] {
        [_, n_columns] if n_columns == genes.n_columns => {}
        ref shape => {
            return Err(format!(
                "its shape is {shape:?}, and there are {} genes",
                genes.n_columns
            ));
        }
    }
    let values = hdf5::numbers(dataset)?;
    if genes.kept.len() == genes.n_columns {
        return Ok(values);
    }
    let rows = values.chunks_exact(genes.n_columns.max(1));
    Ok(rows.flat_map(|row| genes.kept.iter().map(|&gene| row[gene])).collect())
}

/// A sparse matrix by rows or by columns.
fn sparse(group: &Group, genes: &Genes) -> Result<Vec<f64>, Reason> {
    let text = |new: &str, old: &str| hdf5::group_text(group, new).or_else(|| hdf5::group_text(group, old));
    let encoding = text("encoding-type", "h5sparse_format").unwrap_or_default();
    let attribute = group.attribute("shape").or_else(|_| group.attribute("h5sparse_shape"));
    let attribute = attribute.map_err(reason)?;
    let shape = attribute.read_1d::<i64>().or_else(|_| {
        let shape = attribute.read_1d::<i32>()?;
        Ok::<_, hdf5_reader::error::Error>(shape.into_iter().map(i64::from).collect())
    });
    let shape: Vec<usize> = shape
        .map_err(reason)?
        .iter()
        .map(|&length| length.max(0) as usize)
        .collect();
    let dataset = |name: &str| group.dataset(name).map_err(reason);
    let starts = hdf5::places(&dataset("indptr")?)?;
    let places = hdf5::places(&dataset("indices")?)?;
    let values = hdf5::numbers(&dataset("data")?)?;
    let [n_cells, n_columns] = shape[..] else {
        return Err("it has no shape".into());
    };
    if n_columns != genes.n_columns {
        return Err(format!(
            "it has {n_columns} columns, and there are {} genes",
            genes.n_columns
        ));
    }
    let stored = Stored {
        starts: &starts,
        places: &places,
        values: &values,
    };
    match encoding.trim_end_matches("_matrix") {
        "csr" => stored.rows(n_cells, n_columns, Some(&genes.kept)),
        "csc" => stored.columns(n_cells, n_columns, Some(&genes.kept)),
        other => Err(format!("it is stored as `{other}`, which is not known")),
    }
}
