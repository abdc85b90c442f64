//! `congraph stability`: how sure each edge of a fit is.
//!
//! ```text
//! result   what is added to the folder, and told
//! ```

mod result;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use congraph::direct::{self, Direct};
use congraph::refits::{Refit, Unit};
use congraph::stability::{Halvings, Stability, Tallies};
use congraph::{Code, DataError, MultiviewGraph, Progress};
use congraph_io::{Folder, Run, read_run};
use congraph_record::record::{AgainMethod, StabilityRecord, direct_units, warning_records};
use congraph_record::refusal::check_range;
use congraph_record::{CommandLine, FitRecord};
use serde_json::{Value, json};

use self::result::{line, write};
use super::again::read_again;
use super::candidates;
use super::input::Read;
use crate::args::{Global, HalvingArgs, StabilityArgs};
use crate::checkpoint::{Checkpoint, Resumable, refuse_existing};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::shards::{self, Made, Shard, Shards, Sweep};
use crate::{interrupt, words};

/// What is added to the folder, apart from columns.
const FILES: [&str; 1] = ["stability.json"];
/// Direct dependence takes dense inverses, block by block.
const MANY_NODES: usize = 1000;

impl Resumable for Tallies {
    const COMMAND: &'static str = "stability";

    fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn from_json(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }
}

pub(crate) fn run(args: &StabilityArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    if let Some(part) = args.shard {
        let make = || shard(args, part, console);
        return shards::to_file(Sweep::Stability, &args.folder, part, args.force, global, make);
    }
    finish(args, None, global, console)
}

/// One part of the work.
pub(super) fn shard(args: &StabilityArgs, part: [usize; 2], console: &Console) -> Result<Made, Failure> {
    check_level(args)?;
    let fit = Fit::read(&args.folder)?;
    let read = fit.data(&args.halving, console)?;
    let halving = &args.halving;
    fit.visit(&read, halving, console, MakeShard { halving, part })
}

/// Does all of the work, or puts parts of it together, and adds the result to the folder.
pub(super) fn finish(
    args: &StabilityArgs,
    parts: Option<Shards>,
    global: &Global,
    console: &Console,
) -> Result<(), Failure> {
    let start = Instant::now();
    check_level(args)?;
    let fit = Fit::read(&args.folder)?;
    let folder = place(args)?;
    let work = match parts {
        Some(parts) => Work::Shards(parts),
        None => {
            refuse_existing::<Tallies>(&args.folder, args.resume, args.force)?;
            Work::Run { resume: args.resume }
        }
    };
    let read = fit.data(&args.halving, console)?;
    let making = Make {
        out: &args.folder,
        halving: &args.halving,
        work,
        folder,
        start,
        global,
    };
    fit.visit(&read, &args.halving, console, making)
}

/// The place of the result.
pub(super) fn place(args: &StabilityArgs) -> Result<Folder, Failure> {
    Ok(interrupt::before_writing(|| {
        Folder::add_to(&args.folder, &FILES, args.force)
    })?)
}

fn check_level(args: &StabilityArgs) -> Result<(), Failure> {
    let level = args.halving.level;
    Ok(check_range(
        "level",
        level,
        level > 0.0 && level < 1.0,
        "above 0 and below 1",
    )?)
}

/// A fit of an earlier run, and how it was made.
struct Fit {
    run: Run,
    graph: MultiviewGraph,
    method: AgainMethod,
    dir: std::path::PathBuf,
    converged: bool,
    /// Whether nothing in the data goes beyond chance.
    is_noise: bool,
}

/// What is done with the halvings of a fit, whatever its method.
trait Visit {
    type Made;

    fn visit<M: Refit>(
        self,
        fit: &Fit,
        read: &Read,
        halvings: &Halvings<'_, M>,
        console: &Console,
    ) -> Result<Self::Made, Failure>;
}

impl Fit {
    fn read(dir: &Path) -> Result<Self, Failure> {
        let (run, graph) = read_run(dir)?;
        let path = dir.join("summary.json");
        let text = std::fs::read_to_string(&path).map_err(|error| unusable(&path, &error.to_string()))?;
        let summary: FitRecord = serde_json::from_str(&text).map_err(|error| unusable(&path, &error.to_string()))?;
        if summary.is_projection() {
            return Err(Failure::usage(
                format!(
                    "`{}` holds views that were projected on the consensus of another fit",
                    dir.display()
                ),
                "give the folder of that fit",
            ));
        }
        let method = summary.method_again(&graph);
        let mut method = method.ok_or_else(|| unusable(&path, "it lacks the parameters of a fit"))?;
        let (listed, costs) = candidates::read_back(dir, &summary, graph.nodes())?.unwrap_or_default();
        match &mut method {
            AgainMethod::Smooth(method) => (method.candidates, method.edge_costs) = (listed, costs),
            AgainMethod::Likelihood(method) => (method.candidates, method.edge_costs) = (listed, costs),
            AgainMethod::Joint(_) => {}
        }
        run.check_again()?;
        Ok(Self {
            run,
            graph,
            method,
            dir: dir.to_path_buf(),
            converged: summary.converged != Some(false),
            is_noise: summary.warnings.iter().any(|warning| warning.code == "W13"),
        })
    }

    /// The data that it was learned from.
    fn data(&self, halving: &HalvingArgs, console: &Console) -> Result<Read, Failure> {
        let read = read_again(&self.dir, &halving.data, &halving.series, console)?;
        if read.views.nodes() == self.graph.nodes() && read.views.names() == self.graph.views() {
            return Ok(read);
        }
        Err(Failure::Data(vec![DataError::new(
            Code::E02,
            format!(
                "the data are not those of `{}`: their views or nodes are others",
                self.dir.display()
            ),
            "edges are told by the names of their nodes and views",
            "give the files of the fit with `--data`, in the same order",
        )]))
    }

    /// Makes halves ready, and visits them.
    fn visit<V: Visit>(
        &self,
        read: &Read,
        halving: &HalvingArgs,
        console: &Console,
        visitor: V,
    ) -> Result<V::Made, Failure> {
        // The memory of sums is the same on every machine: what is free does not decide how halves are fitted.
        let stability = Stability {
            pairs: halving.pairs as usize,
            unit: halving.units,
            seed: halving.seed,
            ..Stability::default()
        };
        match &self.method {
            AgainMethod::Smooth(method) => self.halve(&**method, stability, read, halving, console, visitor),
            AgainMethod::Likelihood(method) => self.halve(&**method, stability, read, halving, console, visitor),
            AgainMethod::Joint(method) => self.halve(&**method, stability, read, halving, console, visitor),
        }
    }

    fn halve<M: Refit, V: Visit>(
        &self,
        method: &M,
        stability: Stability,
        read: &Read,
        halving: &HalvingArgs,
        console: &Console,
        visitor: V,
    ) -> Result<V::Made, Failure> {
        let halvings = {
            let progress = console.progress();
            stability.of(method, &read.views, &|step: &Progress| progress.step(step))?
        };
        if self.converged && !halvings.gives(&self.graph) {
            // How many independent samples a view is worth is judged block by block.
            let hint = match halving.series.blocks {
                Some(_) => {
                    "the likelihood depends on the blocks: learn with the same `--blocks`, and then run `congraph stability`"
                }
                None => "learn again with this version, and then run `congraph stability`",
            };
            return Err(Failure::Data(vec![DataError::new(
                Code::E07,
                format!(
                    "a fit to the data does not give the graphs in `{}`: the data are others, or the folder does not \
                     tell all that was set",
                    self.dir.display()
                ),
                "halves must be fitted as the whole was",
                hint,
            )]));
        }
        visitor.visit(self, read, &halvings, console)
    }
}

/// Where the counts come from.
enum Work {
    Run { resume: bool },
    Shards(Shards),
}

/// Makes all of the result.
struct Make<'a> {
    out: &'a Path,
    halving: &'a HalvingArgs,
    work: Work,
    folder: Folder,
    start: Instant,
    global: &'a Global,
}

impl Visit for Make<'_> {
    type Made = ();

    fn visit<M: Refit>(
        self,
        fit: &Fit,
        read: &Read,
        halvings: &Halvings<'_, M>,
        console: &Console,
    ) -> Result<(), Failure> {
        let key = key(fit, read, self.halving, halvings);
        let checkpoint = Checkpoint::new(self.out, &self.folder, key.clone());
        let tallies = match self.work {
            Work::Shards(shards) => together(shards.made_from(&key)?, halvings)?,
            Work::Run { resume } => {
                let jobs: Vec<usize> = (0..halvings.n_jobs()).collect();
                let done = earlier(resume, &checkpoint, halvings, console)?;
                make(halvings, &jobs, done, &checkpoint, console)?
            }
        };
        let found = halvings.found(&tallies, &fit.graph);
        let direct = asked_directly(self.halving, read, halvings.unit(), console)?;
        let warnings = words::told(found.warnings.iter().cloned());
        for warning in &warnings {
            console.warning(warning);
        }
        let (fits, seed) = (halvings.n_fits_of_all(), self.halving.seed);
        let record = StabilityRecord {
            run: fit.run.id().map(str::to_owned),
            warnings: warning_records(&warnings),
            ..StabilityRecord::of(&found, direct.as_ref(), &read.views, fits, seed, &CommandLine)
        };
        for (column, reason) in &record.absent.0 {
            console.note(&format!("note: no {column}: {reason}"));
        }
        let folder = self.folder;
        interrupt::uninterrupted(|| -> Result<(), Failure> {
            write(folder, fit, &found, direct.as_ref(), &record)?;
            checkpoint.remove();
            Ok(())
        })?;
        if self.global.json {
            let told = serde_json::to_string(&record).map_err(|error| Failure::Stdout(error.into()))?;
            console::print(&told)
        } else {
            console::print(&line(self.out, fit, &found, direct.as_ref(), &record, self.start))
        }
    }
}

/// Makes one part of the work.
struct MakeShard<'a> {
    halving: &'a HalvingArgs,
    part: [usize; 2],
}

impl Visit for MakeShard<'_> {
    type Made = Made;

    fn visit<M: Refit>(
        self,
        fit: &Fit,
        read: &Read,
        halvings: &Halvings<'_, M>,
        console: &Console,
    ) -> Result<Made, Failure> {
        let jobs = shards::numbers_of(self.part, halvings.n_jobs());
        let tallies = {
            let progress = console.progress();
            let watch = |step: &Progress| progress.step(step);
            halvings
                .run(&jobs, Tallies::default(), &mut |_| Ok::<(), Failure>(()), &watch)
                .map_err(of_a_half)?
        };
        let key = key(fit, read, self.halving, halvings);
        Ok(shards::seal(
            Sweep::Stability,
            self.part,
            &key,
            &tallies.to_json(),
            jobs.len(),
        ))
    }
}

/// What all parts counted, if they are complete.
fn together<M: Refit>(shards: Vec<Shard>, halvings: &Halvings<'_, M>) -> Result<Tallies, Failure> {
    let mut all = Tallies::default();
    for shard in shards {
        let jobs = shards::numbers_of(shard.part, halvings.n_jobs());
        let is_whole = |tallies: &Tallies| halvings.fits(tallies) && tallies.jobs.iter().copied().eq(jobs);
        let tallies = Tallies::from_json(&shard.work).filter(is_whole);
        all.merge(tallies.ok_or_else(|| shard.incomplete())?);
    }
    Ok(all)
}

/// Which pairs depend directly on each other, unless that is not asked or there are too many nodes.
fn asked_directly(
    halving: &HalvingArgs,
    read: &Read,
    unit: Unit,
    console: &Console,
) -> Result<Option<Direct>, Failure> {
    if halving.direct == "off" {
        return Ok(None);
    }
    if read.views.n_nodes() > MANY_NODES {
        console.note(&format!("note: no q_direct: it is asked of up to {MANY_NODES} nodes"));
        return Ok(None);
    }
    let settings = direct::Settings {
        units: direct_units(unit),
        level: halving.level,
        ..direct::Settings::default()
    };
    let progress = console.progress();
    Ok(direct::of_views(&read.views, &settings, &|step: &Progress| {
        progress.step(step)
    })?)
}

/// All that the counts depend on, apart from the number of threads.
fn key<M: Refit>(fit: &Fit, read: &Read, halving: &HalvingArgs, halvings: &Halvings<'_, M>) -> Value {
    let inputs: Vec<_> = read.sources.iter().map(|source| &source.sha256).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "run": fit.run.id(),
        "inputs": inputs,
        "pairs": halving.pairs,
        "blocks": format!("{:?}", halving.series),
        "units": format!("{:?}", halvings.unit()),
        "seed": halving.seed,
        "direct": halving.direct,
        "level": halving.level,
    })
}

/// What an interrupted run left, if it is to be used.
fn earlier<M: Refit>(
    resume: bool,
    checkpoint: &Checkpoint<Tallies>,
    halvings: &Halvings<'_, M>,
    console: &Console,
) -> Result<Tallies, Failure> {
    if !resume {
        return Ok(Tallies::default());
    }
    let found = checkpoint.read(|tallies| halvings.fits(tallies))?;
    match &found {
        Some(tallies) => console.note(&format!(
            "note: resuming after {} of {} halvings",
            tallies.jobs.len(),
            halvings.n_jobs()
        )),
        None => console.note("note: there is no checkpoint to resume from; starting anew"),
    }
    Ok(found.unwrap_or_default())
}

fn make<M: Refit>(
    halvings: &Halvings<'_, M>,
    jobs: &[usize],
    done: Tallies,
    checkpoint: &Checkpoint<Tallies>,
    console: &Console,
) -> Result<Tallies, Failure> {
    let progress = console.progress();
    let watch = |step: &Progress| match interrupt::is_asked() {
        true => ControlFlow::Break(()),
        false => progress.step(step),
    };
    // Written now and then, and when the command is asked to end: then nothing that was done is lost.
    let mut written = Instant::now();
    let mut report = |tallies: &Tallies| {
        if written.elapsed().as_secs() >= 10 {
            written = Instant::now();
            checkpoint.write(tallies)?;
        }
        Ok::<(), Failure>(())
    };
    let done = interrupt::gently(|| halvings.run(jobs, done, &mut report, &watch)).map_err(of_a_half)?;
    if interrupt::is_asked() && !done.jobs.is_empty() {
        drop(progress);
        checkpoint.write(&done)?;
    }
    interrupt::leave_if_asked();
    Ok(done)
}

/// What is wrong with a half: the whole, of which the fit was learned, does not have it.
fn of_a_half(failure: Failure) -> Failure {
    match failure {
        Failure::Data(errors) if errors.iter().all(|error| error.code == Code::E04) => {
            Failure::Data(errors.into_iter().map(DataError::in_a_half).collect())
        }
        other => other,
    }
}

fn unusable(path: &Path, reason: &str) -> Failure {
    Failure::Data(vec![DataError::new(
        Code::E07,
        format!("`{}` cannot be used: {reason}", path.display()),
        "halves are fitted as the whole was, and how that was is read from it",
        "give a folder that `congraph learn`, `tune` or `eeg` wrote, as it was written",
    )])
}
