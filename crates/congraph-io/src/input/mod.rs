//! Tables in: one file per view, arrays of views, or one long table for all.
//!
//! ```text
//! sources    a path: its format by ending, its bytes (decompressed within limits), its SHA-256
//! records    delimited text → rows of cells, with line numbers
//! cells      a cell → a number, or why it is none
//! blocks     a series → contiguous blocks, by number or duration
//! text       .csv .tsv .txt → one Table
//! long       one text table for all views → a Table per value of the view column
//! arrays     .npy .npz → Tables
//! parquet    .parquet → one Table, or one per view of a long one
//! matlab     .mat → Tables; matlab73 the same for version 7.3
//! anndata    .h5ad → a Table per group of cells
//! hdf5       numbers, text and attributes of HDF5 files; sparse matrices in `sparse`
//! left_out   files of a format whose reader is not part of this build
//! labels     .csv .tsv → what is known of views: their groups, subjects, covariates
//! pairs      .csv .tsv → candidates for edges, or costs of some
//! ```
//!
//! A new format is one file here, an ending in `sources`, and a line in `read_one`.

#[cfg(feature = "hdf5")]
mod anndata;
mod arrays;
mod blocks;
mod cells;
#[cfg(feature = "hdf5")]
mod compound;
mod faults;
#[cfg(feature = "parquet")]
mod guard;
#[cfg(feature = "hdf5")]
mod hdf5;
mod hints;
mod labels;
#[cfg(any(not(feature = "hdf5"), not(feature = "parquet")))]
mod left_out;
mod long;
mod matlab;
#[cfg(feature = "hdf5")]
mod matlab73;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
pub(crate) mod records;
mod roles;
mod sources;
mod sparse;
mod text;

use std::path::{Path, PathBuf};

use congraph::options::option;
use congraph::{Error, Orient, Table, Warning};
use rayon::prelude::*;

pub(crate) use crate::npy::Refused;
pub(crate) use arrays::each_array;
pub use blocks::Blocks;
pub(crate) use cells::number;
pub(crate) use faults::{Fault, fault, said};
#[cfg(feature = "parquet")]
pub use guard::is_guarded;
pub use labels::{LabelTable, read_labels};
pub use pairs::read_pairs;
use sources::{Format, Source};
pub(crate) use sources::{hexadecimal, read_bytes, read_regular, read_regular_text, reason, regular};
pub use sources::{limit_memory, sha256};

/// A file to read, and the name of its view if one was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The view's name; the file's name without its ending if none is given.
    pub name: Option<String>,
    /// The file.
    pub path: PathBuf,
}

impl Input {
    /// `FILE`, or `NAME=FILE` unless a file is literally called so.
    ///
    /// ```
    /// let input = congraph_io::Input::parse("rest=data/sub-01.csv");
    /// assert_eq!(input.view_name(), "rest");
    /// assert_eq!(congraph_io::Input::parse("data/sub-01.csv.gz").view_name(), "sub-01");
    /// ```
    pub fn parse(text: &str) -> Self {
        match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() && !Path::new(text).exists() => Self {
                name: Some(name.into()),
                path: path.into(),
            },
            _ => Self {
                name: None,
                path: text.into(),
            },
        }
    }

    /// The name given, or the file's name without its ending (without both for `.csv.gz`).
    pub fn view_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| sources::stem(&self.path))
    }
}

/// Whether the first line of a text file names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// It does if any of its cells after the first is not a number.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// How files become tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Whether text files start with a line of names.
    pub header: Header,
    /// Which way round the tables are; decides what a column of names means.
    pub orient: Orient,
    /// The column that tells the views apart, in long tables.
    pub view_column: Option<String>,
    /// In long tables of subjects in several conditions: the column of the subject.
    pub subject_column: Option<String>,
    /// And that of the condition.
    pub condition_column: Option<String>,
    /// The column that holds the resampling unit of each row.
    pub block_column: Option<String>,
    /// Contiguous blocks of a series, where no column holds the resampling unit.
    pub blocks: Option<Blocks>,
    /// The column of the time of each row: seconds, or dates of ISO 8601. It is no node.
    pub time_column: Option<String>,
    /// Samples per second, where no column tells the time.
    pub rate: Option<f64>,
    /// Columns to leave out.
    pub ignore_columns: Vec<String>,
    /// In `.mat` and `.npz` files: the variables to read as views; all if none is named.
    pub variables: Vec<String>,
    /// In `.h5ad` files: the column of `obs` that tells the views apart.
    pub groupby: Option<String>,
    /// In `.h5ad` files: the layer to read instead of `X`.
    pub layer: Option<String>,
    /// In `.h5ad` files: the genes to read, by a column of truth values in `var` or a text file that lists them.
    pub genes: Option<String>,
    /// In `.h5ad` files: the fewest cells of a group that becomes a view; smaller ones are left out.
    pub min_cells: usize,
    /// In `.h5ad` files: the fewest cells of a group in which a gene is seen; a view lacks genes that are seen in fewer.
    pub min_cells_per_gene: usize,
}

impl ReadOptions {
    /// Whether columns tell the views apart.
    pub(crate) fn is_long(&self) -> bool {
        self.view_column.is_some() || self.subject_column.is_some()
    }
}

/// A table with where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The data.
    pub table: Table,
    /// The file; for a view of a long table with rows in several files, the first of them.
    pub path: PathBuf,
    /// The SHA-256 of the file's bytes as they are on disk, in hexadecimal.
    pub sha256: String,
    /// What was noticed of the file, told with its first view.
    pub warnings: Vec<Warning>,
    /// Whether nodes were left out of this view alone, so that views have to be matched with masks.
    pub lacks_nodes: bool,
}

/// Reads all files.
///
/// A file may hold several views (a 3-D array, several arrays, a long table); if it was given a name, that of each view
/// is then `NAME/VIEW`.
///
/// # Errors
/// [`Error::Data`] with what is wrong in *every* file; [`Error::Parameter`] if options contradict each other.
pub fn read(inputs: &[Input], options: &ReadOptions) -> Result<Vec<Loaded>, Error> {
    check(options)?;
    let mut views = Vec::new();
    let mut errors = Vec::new();
    // Of each column to ignore, what is said if no file has it.
    let mut unknown: Vec<(String, Vec<Fault>)> = Vec::new();
    for (input, (found, lacking)) in inputs.iter().zip(read_each(inputs, options)) {
        for (name, mut faults) in lacking {
            match unknown.iter_mut().find(|(known, _)| *known == name) {
                Some((_, all)) => all.append(&mut faults),
                None => unknown.push((name, faults)),
            }
        }
        match found {
            Ok(tables) => views.extend(tables),
            Err(mut found) => {
                // The views of a long table are not known before it is read.
                if !options.is_long() {
                    found.iter_mut().for_each(|fault| fault.view = Some(input.view_name()));
                }
                errors.extend(found);
            }
        }
    }
    for (_, mut faults) in unknown {
        if faults.len() == inputs.len() {
            faults[0].node = None;
            errors.push(faults.swap_remove(0));
        }
    }
    if options.is_long() {
        match long::merge(views) {
            Ok(merged) => views = merged,
            Err(found) => {
                errors.extend(found);
                views = Vec::new();
            }
        }
    }
    if errors.is_empty() {
        errors.extend(blocks::cut(&mut views, options).err().into_iter().flatten());
    }
    if errors.is_empty() {
        Ok(views)
    } else {
        Err(Error::Data(errors.into_iter().map(|fault: Fault| *fault).collect()))
    }
}

/// What is in a file or wrong with it, and what is said of each column to ignore that it lacks.
type ReadFile = (Result<Vec<Loaded>, Vec<Fault>>, Vec<(String, Vec<Fault>)>);

/// Files that together have at most so many bytes are read side by side; of larger ones the memory that reading takes
/// beside the table is that of one at a time.
const SIDE_BY_SIDE: u64 = 256 << 20;

/// What is in every file, in their order.
fn read_each(inputs: &[Input], options: &ReadOptions) -> Vec<ReadFile> {
    let of_input = |input: &Input| read_forgiving(input, options, inputs.len() > 1);
    let length = |input: &Input| std::fs::metadata(&input.path).map_or(0, |found| found.len());
    if inputs.len() > 1 && inputs.iter().map(length).sum::<u64>() <= SIDE_BY_SIDE {
        inputs.par_iter().map(of_input).collect()
    } else {
        inputs.iter().map(of_input).collect()
    }
}

/// Reads a file of several, which need not have every column that is to be ignored.
fn read_forgiving(input: &Input, options: &ReadOptions, is_forgiving: bool) -> ReadFile {
    let mut own = options.clone();
    let mut lacking = Vec::new();
    loop {
        match read_one(input, &own) {
            Err(found) if is_forgiving && faults::lacks_ignored(&found).is_some() => {
                let name = faults::lacks_ignored(&found).unwrap_or_default();
                own.ignore_columns.retain(|other| *other != name);
                lacking.push((name, found));
            }
            read => return (read, lacking),
        }
    }
}

fn check(options: &ReadOptions) -> Result<(), Error> {
    // Blocks and views label samples; with nodes in rows there is no column that could.
    let turned = options.orient == Orient::NodesBySamples;
    for (name, column) in [
        ("view_column", &options.view_column),
        ("subject_column", &options.subject_column),
        ("block_column", &options.block_column),
        ("time_column", &options.time_column),
    ] {
        if turned && column.is_some() {
            return Err(Error::Parameter {
                name,
                message: format!(
                    "labels samples in rows, and cannot be used with {}",
                    option("orient").set_to("nodes-by-samples")
                ),
            });
        }
    }
    blocks::check(options)?;
    if options.view_column.is_some() && options.view_column == options.block_column {
        return Err(Error::Parameter {
            name: "block_column",
            message: "must be another column than the view column".into(),
        });
    }
    if options.time_column.is_some() && options.time_column == options.view_column {
        return Err(Error::Parameter {
            name: "time_column",
            message: "must be another column than the view column".into(),
        });
    }
    let columns = [
        &options.view_column,
        &options.subject_column,
        &options.condition_column,
        &options.block_column,
        &options.time_column,
    ];
    if options.subject_column.is_some() != options.condition_column.is_some() {
        return Err(Error::Parameter {
            name: "subject_column",
            message: format!(
                "and {} go together: a view is a subject in a condition",
                option("condition_column").bare()
            ),
        });
    }
    if options.subject_column.is_some() {
        let named: Vec<&String> = columns.into_iter().flatten().collect();
        let is_twice = (1..named.len()).any(|k| named[..k].contains(&named[k]));
        if options.view_column.is_some() || is_twice {
            return Err(Error::Parameter {
                name: "subject_column",
                message: format!(
                    "must be another column than the others, and takes the place of {}",
                    option("view_column").bare()
                ),
            });
        }
    }
    Ok(())
}

fn read_one(input: &Input, options: &ReadOptions) -> Result<Vec<Loaded>, Vec<Fault>> {
    #[cfg_attr(
        not(any(feature = "hdf5", feature = "parquet")),
        allow(unused_mut, reason = "their readers take the bytes")
    )]
    let mut source = Source::read(&input.path).map_err(|error| vec![error])?;
    if source.format != Format::H5ad {
        only_h5ad(input, options).map_err(|error| vec![error])?;
    }
    if !matches!(source.format, Format::Mat | Format::Npz) && !options.variables.is_empty() {
        let variable = option("variable");
        let what = format!("is no .mat or .npz file, and {variable} is about those");
        let why = "it names variables of a file that holds several";
        let hint = format!("leave out {variable}");
        return Err(vec![fault(&input.path, &what, why, hint)]);
    }
    let mut noticed = Vec::new();
    let tables = match source.format {
        Format::Text(ending) => {
            let text = source.text().map_err(|error| vec![error])?;
            text::read(input, &text, ending, options)?
        }
        Format::Npy => arrays::read_npy(input, &source.bytes, options).map_err(|error| vec![error])?,
        Format::Npz => arrays::read_npz(input, &source.bytes, options).map_err(|error| vec![error])?,
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(input, std::mem::take(&mut source.bytes), options)?,
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(vec![left_out::parquet(input)]),
        #[cfg(not(feature = "hdf5"))]
        Format::Mat if matlab::is_73(&source.bytes) => return Err(vec![left_out::matlab73(input)]),
        #[cfg(not(feature = "hdf5"))]
        Format::H5ad => return Err(vec![left_out::h5ad(input)]),
        #[cfg(feature = "hdf5")]
        Format::Mat if matlab::is_73(&source.bytes) => {
            matlab73::read(input, std::mem::take(&mut source.bytes), options).map_err(|error| vec![error])?
        }
        Format::Mat => matlab::read(input, &source.bytes, options).map_err(|error| vec![error])?,
        #[cfg(feature = "hdf5")]
        Format::H5ad => {
            let read = anndata::read(input, std::mem::take(&mut source.bytes), options);
            let (tables, warnings) = read.map_err(|error| vec![error])?;
            noticed = warnings;
            tables
        }
    };
    let same = |table: &Table| table.column_names == tables[0].column_names;
    let lacks_nodes = source.format == Format::H5ad && !tables.iter().all(same);
    let loaded = |table| Loaded {
        table,
        path: input.path.clone(),
        sha256: source.sha256.clone(),
        warnings: std::mem::take(&mut noticed),
        lacks_nodes,
    };
    Ok(tables.into_iter().map(loaded).collect())
}

/// Options that only `.h5ad` files can answer.
fn only_h5ad(input: &Input, options: &ReadOptions) -> Result<(), Fault> {
    let given = [
        ("groupby", &options.groupby),
        ("layer", &options.layer),
        ("genes", &options.genes),
    ];
    match given.iter().find(|(_, value)| value.is_some()) {
        None => Ok(()),
        Some((id, _)) => Err(fault(
            &input.path,
            &format!("is no .h5ad file, and {} is about those", option(id)),
            "it names a part of an AnnData file",
            format!(
                "leave out {}; {} splits a table into views",
                option(id),
                option("view_column").set_to("COLUMN")
            ),
        )),
    }
}

/// Without libraries that may panic there is nothing to guard.
#[cfg(not(feature = "parquet"))]
pub fn is_guarded() -> bool {
    false
}

/// The name of a view in a file that holds several.
fn name_within(input: &Input, view: &str) -> String {
    match &input.name {
        Some(name) => format!("{name}/{view}"),
        None => view.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_stands_before_the_equals_sign() {
        let named = Input::parse("a=b=c.csv");
        assert_eq!(
            (named.name.as_deref(), named.path.to_str()),
            (Some("a"), Some("b=c.csv"))
        );
        assert_eq!(Input::parse("=x.csv").name, None);
        assert_eq!(Input::parse("x.csv=").name, None);
        assert_eq!(Input::parse("dir/x.TSV.GZ").view_name(), "x");
        assert_eq!(Input::parse("x.tar.npy").view_name(), "x.tar");
    }

    #[test]
    fn a_file_that_is_literally_called_so_is_not_split() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a=b.csv");
        std::fs::write(&path, "1,2\n3,4\n").unwrap();
        assert_eq!(Input::parse(path.to_str().unwrap()).view_name(), "a=b");
    }
}
