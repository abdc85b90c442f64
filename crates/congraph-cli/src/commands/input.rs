//! Files to views, as `check` and `learn` both need it.

use std::path::Path;
use std::time::{Duration, Instant};

use congraph::options::option;
use congraph::team::{self, Alone, Team};
use congraph::{Error, Kind, Missing, Scale, Table, ViewOptions, Views, Warning};
use congraph_io::{Input, Loaded, ReadOptions};

use super::eeg::{Preparation, recall};
use super::held::{self, Held};
use super::places::{NodeMap, NodePlaces};
use crate::args::{InputArgs, NanArg, ReadingArgs, SubjectArgs};
use crate::failure::Failure;

/// The views of a command, where they came from, and what was noticed.
pub(super) struct Read {
    pub(super) views: Views,
    pub(super) sources: Vec<Source>,
    pub(super) warnings: Vec<Warning>,
    pub(super) time: Duration,
    /// Where the nodes are, if that is known.
    pub(super) places: Option<NodePlaces>,
    /// The same of nodes that are no electrodes, from a table.
    pub(super) map: Option<NodeMap>,
    /// How the views were made, if it was from recordings.
    pub(super) preparation: Option<Preparation>,
}

/// Where a view came from.
pub(super) struct Source {
    pub(super) view: String,
    pub(super) file: String,
    pub(super) sha256: String,
}

impl Source {
    pub(super) fn of(loaded: &Loaded) -> Self {
        Self {
            view: loaded.table.name.clone(),
            file: loaded.path.display().to_string(),
            sha256: loaded.sha256.clone(),
        }
    }
}

/// The fewest cells of a group, and of a group in which a gene is seen, unless told: those of `congraph.tl` in Python.
const MIN_CELLS: usize = 20;
const MIN_CELLS_PER_GENE: usize = 3;

fn is_h5ad(input: &Input) -> bool {
    let ending = input.path.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("h5ad"))
}

/// Numbers of cells are about `.h5ad` files.
fn only_h5ad(inputs: &[Input], args: &ReadingArgs) -> Result<(), Failure> {
    let given = [
        ("--min-cells", args.min_cells),
        ("--min-cells-per-gene", args.min_cells_per_gene),
    ];
    match given.iter().find(|(_, given)| given.is_some()) {
        Some((flag, _)) if !inputs.iter().any(is_h5ad) => Err(Failure::usage(
            format!("{flag} is about .h5ad files, and none is given"),
            format!("leave out `{flag}`"),
        )),
        _ => Ok(()),
    }
}

/// Reads the files as tables.
pub(super) fn load(files: &[String], args: &ReadingArgs, subjects: &SubjectArgs) -> Result<Vec<Loaded>, Failure> {
    Ok(load_in(&Alone, files, args, subjects)?.0)
}

/// The same, read by the members of a team for each other; then also who has the values of which.
fn load_in(
    team: &dyn Team,
    files: &[String],
    args: &ReadingArgs,
    subjects: &SubjectArgs,
) -> Result<(Vec<Loaded>, Option<Vec<usize>>), Failure> {
    if files
        .iter()
        .any(|file| file == "auto" && !std::path::Path::new(file).exists())
    {
        return Err(Failure::usage(
            "there is no file `auto`",
            "the value of `--signed` goes behind an equals sign: `--signed=auto`",
        ));
    }
    let inputs: Vec<Input> = files.iter().map(|file| Input::parse(file)).collect();
    let options = ReadOptions {
        header: args.header.into(),
        orient: args.orient.into(),
        view_column: args.view_column.clone(),
        subject_column: subjects.subject_column.clone(),
        condition_column: subjects.condition_column.clone(),
        block_column: args.block_column.clone(),
        blocks: args.series.blocks,
        time_column: args.series.time_column.clone(),
        rate: args.series.rate,
        ignore_columns: args.ignore_columns.clone(),
        variables: args.variables.clone(),
        groupby: args.groupby.clone(),
        layer: args.layer.clone(),
        genes: args.genes.clone(),
        min_cells: args.min_cells.unwrap_or(MIN_CELLS),
        min_cells_per_gene: args.min_cells_per_gene.unwrap_or(MIN_CELLS_PER_GENE),
    };
    only_h5ad(&inputs, args)?;
    if args.series.blocks.is_some() && (args.gram || args.covariance) {
        return Err(Failure::usage(
            "--blocks cuts a series of samples, and a precomputed matrix holds none",
            "leave out `--blocks`, or give the signals",
        ));
    }
    let are_signals = !args.gram && !args.covariance && !matches!(args.nan, NanArg::Pairwise);
    let (mut loaded, ranks) = if team.size() > 1 && are_signals && held::are_apart(&inputs, &options) {
        let Held { loaded, ranks } = held::read(&inputs, &options, team)?;
        (loaded, Some(ranks))
    } else {
        (congraph_io::read(&inputs, &options)?, None)
    };
    give_samples(args, &mut loaded)?;
    give_subjects(subjects, &mut loaded)?;
    Ok((loaded, ranks))
}

/// Whether a consensus has several views; where an `.h5ad` file is only one, E09 says what makes more of it.
pub(super) fn check_several(read: &Read, args: &InputArgs) -> Result<(), Failure> {
    let is_whole = |file: &String| args.reading.groupby.is_none() && is_h5ad(&Input::parse(file));
    match read.views.check_several() {
        Err(Error::Data(mut errors)) if args.files.iter().any(is_whole) => {
            let groups = option("groupby").set_to("COLUMN");
            for error in &mut errors {
                error.hint = format!("{groups} makes a view of each group of cells; or {}", error.hint);
            }
            Err(Failure::Data(errors))
        }
        other => Ok(other?),
    }
}

/// Tells whose view each is, if a table says so.
fn give_subjects(args: &SubjectArgs, loaded: &mut [Loaded]) -> Result<(), Failure> {
    let Some((file, view, subject)) = args.table() else {
        return Ok(());
    };
    let labels = congraph_io::read_labels(Path::new(file), "subjects", view, subject)?;
    for loaded in loaded {
        let name = &loaded.table.name;
        let Some(label) = labels.get(name) else {
            return Err(Failure::usage(
                format!("--subjects {file} does not tell whose view `{name}` is"),
                format!(
                    "add a row with `{name}` in the column `{view}`; views are called as `congraph check` shows them"
                ),
            ));
        };
        loaded.table.subject = Some(label.clone());
    }
    Ok(())
}

fn give_samples(args: &ReadingArgs, loaded: &mut [Loaded]) -> Result<(), Failure> {
    if args.samples.is_empty() {
        return Ok(());
    }
    if !args.gram && !args.covariance {
        return Err(Failure::usage(
            "--samples tells how many samples a precomputed matrix was made from",
            "add `--gram` or `--covariance`, or leave out `--samples`",
        ));
    }
    if args.samples.len() != 1 && args.samples.len() != loaded.len() {
        return Err(Failure::usage(
            format!(
                "--samples has {} numbers for {} views",
                args.samples.len(),
                loaded.len()
            ),
            "give one number for all views, or one per view",
        ));
    }
    for (loaded, &n_samples) in loaded.iter_mut().zip(args.samples.iter().cycle()) {
        loaded.table.n_samples = Some(n_samples);
    }
    Ok(())
}

/// How the tables become views that are scaled so.
pub(super) fn view_options(args: &ReadingArgs, scale: Scale) -> ViewOptions {
    ViewOptions {
        kind: match (args.gram, args.covariance) {
            (true, _) => Kind::Gram,
            (_, true) => Kind::Covariance,
            _ => Kind::Signals,
        },
        orient: args.orient.into(),
        nodes: args.nodes.into(),
        drop_nodes: args.drop_nodes.clone(),
        nan: args.nan.into(),
        missing: args.missing.into(),
        allow_counts: args.allow_counts,
        allow_constant: scale != Scale::Zscore,
        projected: false,
        electrodes: false,
    }
}

/// Reads, matches and checks.
pub(super) fn read(args: &InputArgs) -> Result<Read, Failure> {
    let options = view_options(&args.reading, args.scaling.scale.unwrap_or_default());
    read_of(&args.files, &args.reading, &args.subjects, &options)
}

/// The same of any files.
pub(super) fn read_as(files: &[String], args: &ReadingArgs, options: &ViewOptions) -> Result<Read, Failure> {
    read_of(files, args, &SubjectArgs::default(), options)
}

/// The same of views of subjects.
fn read_of(
    files: &[String],
    args: &ReadingArgs,
    subjects: &SubjectArgs,
    options: &ViewOptions,
) -> Result<Read, Failure> {
    let start = Instant::now();
    let team = team::of_process();
    let (loaded, ranks) = load_in(team.as_ref(), files, args, subjects)?;
    let recalled = recall(files)?;
    let sources = loaded.iter().map(Source::of).collect();
    let noticed: Vec<Warning> = loaded.iter().flat_map(|loaded| loaded.warnings.clone()).collect();
    let lacks_nodes = loaded.iter().any(|loaded| loaded.lacks_nodes);
    let map = match &args.positions {
        Some(path) => Some(NodeMap::read(path)?),
        None => None,
    };
    let mut tables: Vec<Table> = loaded.into_iter().map(|loaded| loaded.table).collect();
    if tables.len() == recalled.n_effective.len() {
        let worths = tables.iter_mut().zip(&recalled.n_effective);
        worths.for_each(|(table, worth)| table.n_effective = worth.map(|worth| worth.min(table.n_rows as f64)));
    }
    let options = ViewOptions {
        electrodes: recalled.places.is_some(),
        missing: if lacks_nodes { Missing::Mask } else { options.missing },
        ..options.clone()
    };
    let (views, found) = match ranks {
        Some(ranks) => Views::assemble_held(tables, &options, &team, ranks)?,
        None => Views::assemble(tables, &options)?,
    };
    let warnings = noticed.into_iter().chain(found).collect();
    if let Some(map) = &map {
        map.check(views.nodes())?;
    }
    Ok(Read {
        map,
        views,
        sources,
        warnings,
        time: start.elapsed(),
        places: recalled.places,
        preparation: recalled.preparation,
    })
}
