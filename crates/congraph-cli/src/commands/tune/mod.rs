//! `congraph tune`: the path over densities and similarities, and the fit that suits other samples best.

mod parts;
mod work;

use std::time::Instant;

use congraph::metrics::evaluate;
use congraph::tune::choice::{Chosen, Follow, Search, Steps};
use congraph::tune::path::{Cell, Grid};
use congraph::tune::stability::Rule;
use congraph::{MultiviewGraph, Progress, Warning, is_edge};
use congraph_io::{Folder, read_graph, seal, write_rows};
use congraph_record::FitRecord;
use congraph_record::record::{Timing, TuneRecord};
use congraph_record::request::{Asked, check_memory};
use serde_json::{Value, json};

use self::work::Work;
use super::input::{self, Read};
use super::learn::{caveat, noticed, unasked, write};
use crate::args::{Global, TuneArgs};
use crate::checkpoint::{Checkpoint, refuse_existing};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::shards::{self, Shards, Sweep};
use crate::summary::Call;
use crate::{interrupt, memory, output};

pub(super) use parts::shard;

pub(crate) fn run(args: &TuneArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    if !args.methods.is_empty() {
        super::methods::check_named_once(&args.methods)?;
        if args.shard.is_some() {
            return Err(Failure::usage(
                "--methods cannot be made in parts: every method is one search, in which each fit depends on those before",
                "run it as it is, or one method after another on a machine each; `congraph tune` without --methods can be",
            ));
        }
        let (start, asked) = (Instant::now(), args.request()?.resolve()?);
        return super::methods::run(args, asked.fit, start, global, console);
    }
    if let Some(part) = args.shard {
        let make = || shard(args, part, console);
        return shards::to_file(Sweep::Tune, &args.output.out, part, args.output.force, global, make);
    }
    finish(args, None, global, console)
}

/// What the fits are of, and how they are tried.
struct Task {
    asked: Asked,
    read: Read,
    truth: Option<MultiviewGraph>,
    search: Search,
    /// All that the work depends on, apart from the number of threads.
    key: Value,
}

impl Task {
    fn read(args: &TuneArgs) -> Result<Self, Failure> {
        let asked = args.request()?.resolve()?;
        let read = input::read(&args.input)?;
        input::check_several(&read, &args.input)?;
        let asked = asked.with_free_memory(memory::half_of_free());
        check_memory(&asked.fit.method, &read.views)?;
        let search = asked.search(read.views.n_nodes())?;
        Ok(Self {
            truth: args.truth.as_deref().map(read_graph).transpose()?,
            key: key(args, &read, &search.grid),
            asked: asked.fit,
            read,
            search,
        })
    }

    fn follower<'a>(&'a self, work: Work, checkpoint: Option<&'a Checkpoint<Work>>) -> Follower<'a> {
        let grid = &self.search.grid;
        Follower {
            work,
            checkpoint,
            truth: self.truth.as_ref(),
            // Cells that are added beyond the ends of the grid are few.
            edges_each: CONSENSUS_EDGES / (grid.densities.len() * grid.similarities.len()),
        }
    }
}

/// Does all of the work, or what is left after parts of it, and writes the result.
pub(super) fn finish(
    args: &TuneArgs,
    parts: Option<Shards>,
    global: &Global,
    console: &Console,
) -> Result<(), Failure> {
    let start = Instant::now();
    args.request()?.resolve()?;
    let folder = output::place(&args.output.out, args.output.force)?;
    refuse_existing::<Work>(&args.output.out, args.resume, args.output.force)?;
    let task = Task::read(args)?;
    let checkpoint = Checkpoint::new(&args.output.out, &folder, task.key.clone());
    let words = parts.as_ref().map(|parts| parts.words().to_vec());
    let follower = match parts {
        // What the parts hold is kept in them.
        Some(parts) => task.follower(parts::together(parts.made_from(&task.key)?, &task)?, None),
        None => task.follower(earlier(args, &checkpoint, &task, console)?, Some(&checkpoint)),
    };
    let Task {
        asked, read, search, ..
    } = &task;
    let tuned = choose(search, asked, read, follower, console)?;
    for warning in &tuned.warnings {
        console.warning(warning);
    }
    let Chosen {
        method,
        learned,
        reached,
        ..
    } = &tuned.chosen;
    let timing = Timing {
        read: read.time,
        distances: learned.prepare_time,
        solve: learned.solve_time,
        total: start.elapsed(),
    };
    let mut summary = FitRecord {
        tune: Some(tuned.told()),
        echo: asked.echo.clone(),
        ..FitRecord::of(method, learned, Some(reached), &tuned.warnings, Some(&timing))
    };
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        let call = Call {
            kind: "tune",
            words,
            seed: Some(args.seed),
        };
        write(&folder, call, read, &learned.graph, &summary, &timing)?;
        tuned.write_tables(&folder, read.views.nodes())?;
        if !args.no_report {
            super::report::stage(&folder, &learned.graph, console)?;
        }
        seal(&folder, &mut summary)?;
        folder.commit()?;
        checkpoint.remove();
        Ok(())
    })?;
    if global.json {
        console::print(&summary.to_json())
    } else {
        console::print(&tuned.line(args, &timing))
    }
}

/// Fits the whole path, or what is left of it, and chooses.
fn choose(
    search: &Search,
    asked: &Asked,
    read: &Read,
    mut follower: Follower<'_>,
    console: &Console,
) -> Result<Tuned, Failure> {
    let chosen = {
        let progress = console.progress();
        let watch = |step: &Progress| progress.step(step);
        let method = asked.method_for(&read.views, &watch)?;
        search.choose(&method, &read.views, follower.steps(), &mut follower, &watch)?
    };
    let warnings = noticed(read, &chosen.learned.graph, &chosen.learned.warnings);
    // As the cells are listed: those beyond the ends of the grid were fitted last.
    let Work { consensus, scores, .. } = &follower.work;
    let listed = chosen.order.iter();
    Ok(Tuned {
        consensus: listed.clone().map(|&cell| consensus[cell].clone()).collect(),
        scores: listed.filter_map(|&cell| scores.get(cell).copied()).collect(),
        chosen,
        threshold: search.stability.threshold,
        warnings,
    })
}

/// How many consensus edges of all cells together are kept: a report holds them, and should be fit to be mailed.
const CONSENSUS_EDGES: usize = 300_000;

/// The heaviest edges of the consensus, with four digits of their weights: these are drawn, not computed with.
fn heaviest(graph: &MultiviewGraph, most: usize) -> Vec<([u32; 2], f64)> {
    let consensus = graph.consensus().unwrap_or_default();
    let edges = graph.pairs().iter().copied().zip(consensus.iter().copied());
    let mut edges: Vec<([u32; 2], f64)> = edges.filter(|edge| is_edge(edge.1)).collect();
    edges.sort_by(|one, two| two.1.abs().total_cmp(&one.1.abs()));
    edges.truncate(most);
    let unit = |weight: f64| 10_f64.powi(3 - weight.abs().log10().floor() as i32);
    edges
        .iter_mut()
        .for_each(|(_, weight)| *weight = (*weight * unit(*weight)).round() / unit(*weight));
    edges
}

/// All that the work depends on, apart from the number of threads.
fn key(args: &TuneArgs, read: &Read, grid: &Grid) -> Value {
    let inputs: Vec<_> = read.sources.iter().map(|source| &source.sha256).collect();
    let options = (
        &args.input,
        &args.penalty,
        args.tol,
        args.halvings,
        args.seed,
        &args.truth,
        &args.spectrum,
        args.coupling,
        args.subject_share,
        args.rule,
        args.keep,
        (args.signed, args.threshold),
    );
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "inputs": inputs,
        "options": format!("{options:?}"),
        "densities": grid.densities,
        "similarities": grid.similarities,
    })
}

/// What an interrupted run left, if it is to be used.
fn earlier(args: &TuneArgs, checkpoint: &Checkpoint<Work>, task: &Task, console: &Console) -> Result<Work, Failure> {
    if !args.resume {
        return Ok(Work::default());
    }
    let (search, n_nodes) = (&task.search, task.read.views.n_nodes());
    let (n_densities, n_similarities) = (search.grid.densities.len(), search.grid.similarities.len());
    let found = checkpoint.read(|work| work.fits(n_nodes, n_densities, n_similarities, search.stability.halvings))?;
    match &found {
        Some(work) => console.note(&format!(
            "note: resuming after {} cells and {} halvings",
            work.cells.len(),
            work.halvings
        )),
        None => console.note("note: there is no checkpoint to resume from; starting anew"),
    }
    Ok(found.unwrap_or_default())
}

/// Keeps a checkpoint, and of every cell what the report shows and how near to the truth it is.
struct Follower<'a> {
    work: Work,
    /// None where the work is kept elsewhere.
    checkpoint: Option<&'a Checkpoint<Work>>,
    truth: Option<&'a MultiviewGraph>,
    /// The most edges that are kept of a cell.
    edges_each: usize,
}

impl Follower<'_> {
    /// What an earlier run did.
    fn steps(&self) -> Steps {
        Steps {
            settled: self.work.settled,
            rows: self.work.rows,
            cells: self.work.cells.clone(),
            halvings: self.work.halvings,
            tallies: self.work.tallies.clone(),
        }
    }
}

impl Follow for Follower<'_> {
    type Error = Failure;

    fn fitted(&mut self, _: &Cell, graph: &dyn Fn() -> MultiviewGraph) -> Result<(), Failure> {
        let graph = graph();
        self.work.consensus.push(heaviest(&graph, self.edges_each));
        if let Some(truth) = self.truth {
            let found = evaluate(&graph, truth)?;
            let consensus = found.consensus.map_or(f64::NAN, |score| score.f1());
            self.work.scores.push([found.mean_view_f1(), consensus]);
        }
        Ok(())
    }

    fn done(&mut self, steps: &Steps) -> Result<(), Failure> {
        self.work.settled = steps.settled;
        self.work.rows = steps.rows;
        self.work.cells.clone_from(&steps.cells);
        self.work.halvings = steps.halvings;
        self.work.tallies.clone_from(&steps.tallies);
        self.checkpoint
            .map_or(Ok(()), |checkpoint| checkpoint.write(&self.work))
    }
}

/// The fit that was chosen with all others, and what is told of them.
struct Tuned {
    chosen: Chosen,
    /// Each cell's heaviest edges of the consensus.
    consensus: Vec<Vec<([u32; 2], f64)>>,
    /// The F1 of views and consensus of each cell, if the truth is known.
    scores: Vec<[f64; 2]>,
    /// The most instability that the choice may have.
    threshold: f64,
    warnings: Vec<Warning>,
}

impl Tuned {
    /// The cell of the highest view F1, if the truth is known.
    fn oracle(&self) -> Option<usize> {
        let scores = &self.scores;
        (0..scores.len()).max_by(|&i, &j| scores[i][0].total_cmp(&scores[j][0]))
    }

    fn told(&self) -> TuneRecord {
        let scores: Vec<f64> = self.scores.iter().map(|score| score[0]).collect();
        TuneRecord::of(&self.chosen, self.threshold, &scores, self.oracle())
    }

    /// Writes `tune.tsv` and `path.tsv`.
    fn write_tables(&self, folder: &Folder, nodes: &[String]) -> Result<(), Failure> {
        let (columns, rows) = self.table();
        write_rows(folder, "tune.tsv", &columns, &rows)?;
        let columns = ["cell", "source", "target", "consensus"];
        Ok(write_rows(folder, "path.tsv", &columns, &self.path_rows(nodes))?)
    }

    /// `path.tsv`.
    fn path_rows(&self, nodes: &[String]) -> Vec<Vec<String>> {
        let cells = self.consensus.iter().enumerate();
        let row = |cell: usize, &([a, b], weight): &([u32; 2], f64)| {
            let [a, b] = [a, b].map(|node| nodes[node as usize].clone());
            vec![(cell + 1).to_string(), a, b, format!("{weight:?}")]
        };
        cells
            .flat_map(|(cell, edges)| edges.iter().map(move |edge| row(cell, edge)))
            .collect()
    }

    /// `tune.tsv`.
    fn table(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let mut columns = vec![
            "density_target",
            "similarity_target",
            "density",
            "similarity",
            "floor",
            "alpha",
            "beta",
            "gamma",
            "consensus_density",
            "components",
            "instability",
            "agreement",
            "prediction",
        ];
        if self.chosen.best.is_some() {
            columns.push("gain");
        }
        columns.extend(["solves", "seconds"]);
        if self.oracle().is_some() {
            columns.extend(["view_f1", "consensus_f1"]);
        }
        columns.push("mark");
        let exact = |value: f64| format!("{value:?}");
        let rows = self.chosen.steps.cells.iter().zip(&self.chosen.verdicts).enumerate();
        let rows = rows.map(|(k, (cell, verdict))| {
            let mut row = vec![
                exact(cell.density.target),
                exact(cell.similarity.target),
                exact(cell.density.value),
                exact(cell.similarity.value),
                exact(cell.floor),
                exact(cell.parameters.alpha),
                exact(cell.parameters.beta),
                exact(cell.parameters.gamma),
                exact(cell.consensus_density),
                cell.n_components.to_string(),
                exact(verdict.instability),
                exact(verdict.agreement),
                exact(verdict.prediction),
            ];
            row.extend(verdict.gain.map(exact));
            row.extend([cell.solves.to_string(), format!("{:.4}", cell.time.as_secs_f64())]);
            if self.oracle().is_some() {
                row.extend(self.scores[k].map(exact));
            }
            let marks = [
                ("chosen", k == self.chosen.cell),
                ("best", self.chosen.best == Some(k)),
                ("oracle", self.oracle() == Some(k)),
            ];
            let marks: Vec<&str> = marks.iter().filter(|mark| mark.1).map(|mark| mark.0).collect();
            row.push(marks.join(","));
            row
        });
        (columns, rows.collect())
    }

    /// Why this cell, if by likelihood.
    fn kept(&self) -> String {
        let gain = |cell: usize| self.chosen.verdicts[cell].gain;
        let Rule::Likelihood { keep } = self.chosen.rule else {
            return String::new();
        };
        let share = (1e4 * keep).round() / 100.0;
        match (gain(self.chosen.cell), self.chosen.best.and_then(gain)) {
            (Some(chosen), Some(best)) if best > 0.0 => {
                format!(", the sparsest with at least {share} % of the best held-out gain ({chosen:.4} of {best:.4})")
            }
            _ => ", where no graph makes the other half of the data likelier than none".into(),
        }
    }

    fn line(&self, args: &TuneArgs, timing: &Timing) -> String {
        let cell = &self.chosen.steps.cells[self.chosen.cell];
        let verdict = &self.chosen.verdicts[self.chosen.cell];
        let truth = self.oracle().map_or_else(String::new, |oracle| {
            let best = &self.chosen.steps.cells[oracle];
            format!(
                ", view F1 {:.3} (the best cell: {:.3} at {} and {})",
                self.scores[self.chosen.cell][0], self.scores[oracle][0], best.density.target, best.similarity.target
            )
        });
        format!(
            "{}: {}of {} cells chose density {:.3} and similarity {:.3} ({:.3} when learned separately; \
             alpha {:.4}, beta {:.4}){}, instability {:.3}{truth}, {:.1} s{}",
            args.output.out.display(),
            caveat(&self.warnings),
            self.chosen.steps.cells.len(),
            cell.density.value,
            cell.similarity.value,
            cell.floor,
            cell.parameters.alpha,
            cell.parameters.beta,
            self.kept(),
            verdict.instability,
            timing.total.as_secs_f64(),
            unasked(&args.output, &self.chosen.learned.graph)
        )
    }
}
