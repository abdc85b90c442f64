//! `congraph compare`: who differs.

use std::path::Path;
use std::time::Instant;

use congraph::compare::{Comparing, Design, Relabelled, Settings, check_coupling, check_samples, learn_equalised};
use congraph::{Code, DataError, Error, MultiviewGraph, Warning};
use congraph_io::{
    COMPARE_FILES, Folder, LabelTable, Run, read_graph, read_known, read_run, seal_compare, write_comparison,
};
use congraph_record::choices::Equalise;
use congraph_record::findings::Known;
use congraph_record::record::{CompareRecord, warning_records};
use serde_json::{Value, json};

use super::again;
use crate::args::{CompareArgs, Global, SeriesArgs};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::shards::{self, Made, Shard, Shards, Sweep};
use crate::{interrupt, words};

pub(crate) fn run(args: &CompareArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    if let Some(part) = args.shard {
        let make = || shard(args, part, console);
        return shards::to_file(Sweep::Compare, &args.folder, part, args.force, global, make);
    }
    finish(args, None, global, console)
}

/// What is compared, and how.
struct Task {
    run: Run,
    /// The graphs of the folder.
    own: MultiviewGraph,
    design: Design,
    settings: Settings,
    equal: Equal,
    /// All that the comparison depends on, apart from the number of threads.
    key: Value,
}

impl Task {
    fn read(args: &CompareArgs, console: &Console) -> Result<Self, Failure> {
        let (run, own) = read_run(&args.folder)?;
        let known = read_known(&args.folder, &own)?;
        let design = design(args, &own)?;
        check_fit(&known, &own, &design)?;
        let settings = Settings {
            statistic: args.statistic,
            permutations: args.permutations,
            threshold: args.nbs,
            level: args.level,
            seed: args.seed,
            measures: args.measures.clone(),
        };
        let equal = equal(args, &known, own.clone(), &design.labels, console)?;
        Ok(Self {
            key: key(&run, &equal.graph, &design, &settings),
            run,
            own,
            design,
            settings,
            equal,
        })
    }

    fn comparing(&self) -> Result<Comparing<'_>, Failure> {
        Ok(Comparing::new(&self.equal.graph, &self.design, &self.settings)?)
    }
}

/// Numbers of graphs are told by the hash of their bits.
fn key(run: &Run, graph: &MultiviewGraph, design: &Design, settings: &Settings) -> Value {
    let pairs = graph.pairs().iter().flatten().flat_map(|node| node.to_le_bytes());
    let weights = graph
        .weights()
        .values()
        .iter()
        .chain(graph.consensus().unwrap_or_default());
    let bytes: Vec<u8> = pairs.chain(weights.flat_map(|weight| weight.to_le_bytes())).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "run": run.id(),
        "graphs": congraph_io::sha256(&bytes),
        "design": format!("{design:?}"),
        "settings": format!("{settings:?}"),
    })
}

/// What one part of the relabellings gave.
pub(super) fn shard(args: &CompareArgs, part: [usize; 2], console: &Console) -> Result<Made, Failure> {
    let task = Task::read(args, console)?;
    let comparing = task.comparing()?;
    let numbers = shards::numbers_of(part, comparing.n_relabellings());
    let work = relabelled(&comparing, &numbers, console)?;
    let work = serde_json::to_value(&work).unwrap_or_default();
    Ok(shards::seal(Sweep::Compare, part, &task.key, &work, numbers.len()))
}

fn relabelled(comparing: &Comparing<'_>, numbers: &[usize], console: &Console) -> Result<Relabelled, Failure> {
    let reporter = console.progress();
    let found = comparing.relabelled(numbers, &|progress| reporter.step(progress));
    found.ok_or_else(|| Failure::usage("the comparison was interrupted", ""))
}

/// What all parts gave, if they are complete.
fn together(shards: Vec<Shard>, comparing: &Comparing<'_>) -> Result<Option<Relabelled>, Failure> {
    let mut all: Option<Relabelled> = None;
    for shard in shards {
        let numbers = shards::numbers_of(shard.part, comparing.n_relabellings());
        let is_whole = |found: &Relabelled| comparing.fits(found) && found.numbers.iter().copied().eq(numbers);
        let found = serde_json::from_value(shard.work.clone()).ok().filter(is_whole);
        let found = found.ok_or_else(|| shard.incomplete())?;
        all = match all {
            None => Some(found),
            Some(all) => Some(all.with(found).ok_or_else(|| shard.computed_otherwise())?),
        };
    }
    Ok(all)
}

/// The place of the result.
pub(super) fn place(args: &CompareArgs) -> Result<Folder, Failure> {
    if !args.folder.is_dir() {
        // Refused as what it is: no result.
        read_graph(&args.folder)?;
    }
    Ok(interrupt::before_writing(|| {
        Folder::add_to(&args.folder, &COMPARE_FILES, args.force)
    })?)
}

/// Looks at all relabellings, or puts parts of them together, and adds the result to the folder.
pub(super) fn finish(
    args: &CompareArgs,
    parts: Option<Shards>,
    global: &Global,
    console: &Console,
) -> Result<(), Failure> {
    let start = Instant::now();
    let mut folder = place(args)?;
    let task = Task::read(args, console)?;
    let comparing = task.comparing()?;
    let parts = parts.map(|parts| parts.made_from(&task.key)).transpose()?;
    let given = parts.map(|parts| together(parts, &comparing)).transpose()?;
    let relabelled = match given.flatten() {
        Some(all) => all,
        None => {
            let all: Vec<usize> = (0..comparing.n_relabellings()).collect();
            relabelled(&comparing, &all, console)?
        }
    };
    let found = comparing.found(relabelled);
    let Task {
        run,
        own,
        design,
        settings,
        equal,
        ..
    } = &task;
    let Equal {
        graph, equalised_to, ..
    } = equal;
    let warnings = words::told(equal.warnings.iter().chain(&found.warnings).cloned());
    let mut record = CompareRecord {
        n_nodes: graph.n_nodes(),
        n_views: graph.n_views(),
        equalised_to: *equalised_to,
        version: env!("CARGO_PKG_VERSION").into(),
        seconds: start.elapsed().as_secs_f64(),
        warnings: warning_records(&warnings),
        ..CompareRecord::new(&found, design, settings)
    };
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write_comparison(&folder, graph, &found, &record)?;
        seal_compare(&folder, run, &mut record)?;
        super::report::renew(&mut folder, own)?;
        Ok(folder.commit()?)
    })?;
    for warning in &warnings {
        console.warning(warning);
    }
    if global.json {
        let text = serde_json::to_string(&record).unwrap_or_default();
        console::print(&text)
    } else {
        console::print(&format!("{}: {}", args.folder.display(), story(&record)))
    }
}

/// Labels, pairs and covariates of the views, as the tables tell them.
fn design(args: &CompareArgs, graph: &MultiviewGraph) -> Result<Design, Failure> {
    let views = graph.views();
    let Some((file, column)) = args.labels.rsplit_once(':') else {
        let message = format!("--labels `{}` names no column", args.labels);
        return Err(Failure::usage(
            message,
            "give a table and a column, such as `--labels participants.tsv:group`",
        ));
    };
    let key = args.view_key.as_deref();
    let labels = LabelTable::read(Path::new(file), key)?;
    // A column of the same table unless another is named.
    let placed = |word: &str| -> Result<(LabelTable, String), Failure> {
        match word.rsplit_once(':') {
            Some((file, columns)) => Ok((LabelTable::read(Path::new(file), key)?, columns.to_owned())),
            None => Ok((labels.clone(), word.to_owned())),
        }
    };
    let mut design = Design {
        labels: labels.column("labels", column, views)?,
        ..Design::default()
    };
    if let Some(pair) = &args.pair {
        let (table, column) = placed(pair)?;
        design.pairs = Some(table.column("pair", &column, views)?);
    }
    if let Some(covariates) = &args.covariates {
        let (table, columns) = placed(covariates)?;
        for column in columns.split(',') {
            design.covariates.push(table.covariate(column.trim(), views)?);
        }
    }
    Ok(design)
}

/// Whether the fit treated all views alike, as far as the folder tells.
fn check_fit(known: &Known, graph: &MultiviewGraph, design: &Design) -> Result<(), Failure> {
    let Some(record) = &known.summary else {
        return Ok(());
    };
    if record.coupled_penalty().is_some_and(|penalty| !penalty.is_symmetric()) {
        return Err(Failure::Data(vec![DataError::new(
            Code::E14,
            "the fit coupled views by their order",
            "labels are permuted as if all views had been treated alike",
            "learn them with the consensus as their only coupling, and compare those graphs",
        )]));
    }
    if let Some(subjects) = record.subjects_of(graph.views()) {
        check_coupling(&subjects, &design.labels, design.pairs.as_deref())?;
    }
    Ok(())
}

/// The graphs to compare, and what was done so that groups have equally many samples.
struct Equal {
    graph: MultiviewGraph,
    equalised_to: Option<usize>,
    warnings: Vec<Warning>,
}

/// The graphs as they are if no group has more samples; else those of one draw of equally many, or a refusal.
fn equal(
    args: &CompareArgs,
    known: &Known,
    graph: MultiviewGraph,
    labels: &[String],
    console: &Console,
) -> Result<Equal, Failure> {
    let samples: Vec<Option<usize>> = known.views.iter().map(|view| view.n_samples).collect();
    let checked = check_samples(&samples, labels);
    if let (Err(error), Equalise::Auto) = (&checked, args.equalise) {
        let Some(method) = known.summary.as_ref().and_then(|record| record.pooled(&graph)) else {
            return Err(not_learned_again(error));
        };
        let read = again::read_again(&args.folder, &[], &SeriesArgs::default(), console)?;
        let reporter = console.progress();
        let learned = learn_equalised(&method, &read.views, &graph, labels, args.seed, &|step| {
            reporter.step(step)
        });
        drop(reporter);
        let learned = learned.map_err(|error| not_learned_again(&error))?;
        console.note(&format!(
            "note: groups differ in their samples, so {} were drawn for every view and the graphs learned again; the graphs \
             in the folder are left as they are",
            learned.n_samples
        ));
        return Ok(Equal {
            graph: learned.graph,
            equalised_to: Some(learned.n_samples),
            warnings: learned.warnings,
        });
    }
    checked?;
    let n_unknown = samples.iter().filter(|n| n.is_none()).count();
    let message = format!(
        "how many samples {n_unknown} of {} views have is not known: if one group has more, a difference may be no more than that",
        samples.len()
    );
    Ok(Equal {
        graph,
        equalised_to: None,
        warnings: if n_unknown > 0 {
            vec![Warning::new("W06", message)]
        } else {
            Vec::new()
        },
    })
}

/// Groups that differ in their samples, where the graphs cannot be learned again here.
fn not_learned_again(error: &Error) -> Failure {
    let Error::Data(errors) = error else {
        return Failure::from(error.clone());
    };
    let told = |error: &DataError| match error.code {
        Code::E16 => DataError {
            hint:
                "draw equally many samples for every view, learn again with the same options, and compare those graphs"
                    .into(),
            ..error.clone()
        },
        _ => error.clone(),
    };
    Failure::Data(errors.iter().map(told).collect())
}

/// The result in one line.
fn story(record: &CompareRecord) -> String {
    let group = |at: usize| record.groups.get(at).map_or("", |group| group.name.as_str());
    let who = match record.groups.len() {
        2 => format!("`{}` against `{}`", group(1), group(0)),
        n => format!("{n} groups"),
    };
    let counted = |name: &str, one: &str, many: &str| {
        let found = record.found.get(name)?;
        let what = if found.tested == 1 { one } else { many };
        Some(format!("{} of {} {what}", found.significant, found.tested))
    };
    let parts = [
        counted("edges", "edge", "edges"),
        counted("components", "component", "components"),
        counted("nodes", "node", "nodes"),
        counted("global", "measure", "measures"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let how = if record.exact { "all " } else { "" };
    format!(
        "{who}: {} differ at p_fwe ≤ {} ({how}{} relabellings)",
        parts.join(", "),
        record.level,
        record.permutations
    )
}
