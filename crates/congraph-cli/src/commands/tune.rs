//! `congraph tune`: the path over densities and similarities, and the fit whose edges come back in other samples.

use std::sync::Arc;
use std::time::Instant;

use congraph::metrics::evaluate;
use congraph::solvers::{Progress, unwatched};
use congraph::tuning::Reached;
use congraph::tuning::path::{Cell, Grid};
use congraph::tuning::stability::{Stability, Tally, Verdict, halved_time_series};
use congraph::{Learned, Learner, Model, MultiviewGraph, Newton, Prepared, Warning, penalties};
use congraph_io::{read_graph, seal, write_rows};
use serde_json::{Value, json};

use super::checkpoint::{Checkpoint, Work, refuse_existing};
use super::input::{self, Read};
use super::learn::{check_memory, check_value, memory_of, write};
use crate::args::{Global, TuneArgs};
use crate::console::{self, Console, Reporter};
use crate::failure::Failure;
use crate::interrupt;
use crate::summary::{self, Seconds};

pub(crate) fn run(args: &TuneArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let learner = learner(args)?;
    let folder = super::place(&args.output.out, args.output.force)?;
    refuse_existing::<Work>(&args.output.out, args.resume, args.output.force)?;
    let read = input::read(&args.input)?;
    let learner = Learner {
        memory: memory_of(args.memory, &learner)?,
        ..learner
    };
    check_memory(&learner, &read.views)?;
    let truth = args.truth.as_deref().map(read_graph).transpose()?;
    let tuning = Tuning {
        args,
        console,
        learner: &learner,
        read: &read,
        truth,
        grid: grid(args, read.views.n_nodes()),
        stability: Stability {
            halvings: args.halvings as usize,
            threshold: args.threshold,
            seed: args.seed,
        },
    };
    let checkpoint = Checkpoint::new(&args.output.out, &folder, tuning.key());
    let chosen = tuning.choose(&checkpoint)?;
    for warning in &chosen.warnings {
        console.warning(warning);
    }
    let seconds = Seconds {
        read: read.time,
        distances: chosen.learned.distances_time,
        solve: chosen.learned.solve_time,
        total: start.elapsed(),
    };
    let mut summary = summary::summary(
        &chosen.learner,
        &chosen.learned,
        Some(&chosen.reached),
        &chosen.warnings,
        &seconds,
    );
    summary["tune"] = chosen.told();
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write(
            &folder,
            "tune",
            Some(args.seed),
            &read,
            &chosen.learned,
            &summary,
            &seconds,
        )?;
        let (columns, rows) = chosen.table();
        write_rows(&folder, "tune.tsv", &columns, &rows)?;
        let edges = chosen.path_rows(read.views.nodes());
        write_rows(&folder, "path.tsv", &["cell", "source", "target", "consensus"], &edges)?;
        if !args.no_report {
            super::report::stage(&folder, &chosen.learned.graph, console)?;
        }
        seal(&folder, &mut summary)?;
        folder.commit()?;
        checkpoint.remove();
        Ok(())
    })?;
    if global.json {
        console::print(&summary.to_string())
    } else {
        console::print(&chosen.line(args, &seconds))
    }
}

/// How many shared edges of all cells together are kept: a report holds them, and should be fit to be mailed.
const SHARED_EDGES: usize = 300_000;

/// The heaviest edges of the consensus, with four digits of their weights: these are drawn, not computed with.
fn heaviest(graph: &MultiviewGraph, most: usize) -> Vec<([u32; 2], f64)> {
    let consensus = graph.consensus().unwrap_or_default();
    let edges = graph.pairs().iter().copied().zip(consensus.iter().copied());
    let mut edges: Vec<([u32; 2], f64)> = edges.filter(|edge| edge.1 > 0.0).collect();
    edges.sort_by(|one, two| two.1.total_cmp(&one.1));
    edges.truncate(most);
    let unit = |weight: f64| 10_f64.powi(3 - weight.log10().floor() as i32);
    edges
        .iter_mut()
        .for_each(|(_, weight)| *weight = (*weight * unit(*weight)).round() / unit(*weight));
    edges
}

fn learner(args: &TuneArgs) -> Result<Learner, Failure> {
    check_value("--tol", args.tol, args.tol > 0.0, "positive")?;
    check_value("--threshold", args.threshold, args.threshold > 0.0, "positive")?;
    let learner = Learner::default();
    let penalty = penalties::by_name(&args.penalty)
        .ok_or_else(|| Failure::usage(format!("--penalty `{}` is not known", args.penalty), ""))?;
    Ok(Learner {
        scaling: args.input.scaling.scaling(),
        model: Model {
            penalty,
            ..learner.model
        },
        solver: Arc::new(Newton {
            tolerance: args.tol,
            ..Newton::default()
        }),
        ..Learner::default()
    })
}

fn grid(args: &TuneArgs, n_nodes: usize) -> Grid {
    let usual = Grid::usual(n_nodes);
    let ends = |values: &[f64]| [values[0], values[values.len() - 1]];
    Grid::between(
        args.density.unwrap_or_else(|| ends(&usual.densities)),
        args.similarity.unwrap_or_else(|| ends(&usual.similarities)),
    )
}

struct Tuning<'a> {
    args: &'a TuneArgs,
    console: &'a Console,
    learner: &'a Learner,
    read: &'a Read,
    truth: Option<MultiviewGraph>,
    grid: Grid,
    stability: Stability,
}

/// The fit that was chosen, and all others.
struct Chosen {
    work: Work,
    verdicts: Vec<Verdict>,
    /// The most instability that the choice may have.
    threshold: f64,
    cell: usize,
    learner: Learner,
    learned: Learned,
    reached: Reached,
    warnings: Vec<Warning>,
}

impl Tuning<'_> {
    /// All that the work depends on, apart from the number of threads.
    fn key(&self) -> Value {
        let inputs: Vec<_> = self.read.sources.iter().map(|source| &source.sha256).collect();
        let args = self.args;
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": inputs,
            "options": format!("{:?}", (&args.input, &args.penalty, args.tol, args.halvings, args.seed, &args.truth)),
            "densities": self.grid.densities,
            "similarities": self.grid.similarities,
        })
    }

    fn choose(&self, checkpoint: &Checkpoint<Work>) -> Result<Chosen, Failure> {
        let mut work = self.earlier(checkpoint)?;
        let views = &self.read.views;
        let prepared = self.learner.prepare(views, &unwatched)?;
        {
            let progress = self.console.progress();
            self.path(&prepared, &mut work, checkpoint, &progress)?;
            self.halve(&mut work, checkpoint, &progress)?;
        }
        let n_halvings = work.halvings;
        let (verdicts, chosen) = self
            .stability
            .choose_of(views.n_pairs(), &work.cells, &work.tallies, n_halvings);
        let Some(cell) = chosen else {
            return Err(self.nothing_in_reach());
        };
        let Cell {
            density,
            similarity,
            floor,
            parameters,
            solves,
            ..
        } = work.cells[cell];
        let learner = Learner {
            model: Model {
                parameters,
                ..self.learner.model.clone()
            },
            ..self.learner.clone()
        };
        let fit = prepared.fit(&learner.model, None, &unwatched)?;
        let learned = prepared.learned(fit, &unwatched)?;
        let mut warnings: Vec<Warning> = self.read.warnings.iter().chain(&learned.warnings).cloned().collect();
        warnings.extend(halved_time_series(views));
        Ok(Chosen {
            verdicts,
            threshold: self.stability.threshold,
            cell,
            learner,
            learned,
            reached: Reached {
                parameters,
                density: Some(density),
                similarity: Some(similarity),
                consensus_density: None,
                floor: Some(floor),
                solves,
            },
            warnings,
            work,
        })
    }

    /// What an interrupted run left, if it is to be used.
    fn earlier(&self, checkpoint: &Checkpoint<Work>) -> Result<Work, Failure> {
        if !self.args.resume {
            return Ok(Work::default());
        }
        let (n_densities, n_similarities) = (self.grid.densities.len(), self.grid.similarities.len());
        let halvings = self.stability.halvings;
        let found =
            checkpoint.read(|work| work.fits(self.read.views.n_nodes(), n_densities, n_similarities, halvings))?;
        match &found {
            Some(work) => self.console.note(&format!(
                "note: going on after {} cells and {} halvings",
                work.cells.len(),
                work.halvings
            )),
            None => self
                .console
                .note("note: there is no checkpoint to resume from; starting anew"),
        }
        Ok(found.unwrap_or_default())
    }

    /// How many fits there are about: the halves' cells take one each, as the path's take several from poorer starts.
    fn total(&self, n_cells: usize) -> usize {
        n_cells * (1 + 2 * self.stability.halvings)
    }

    fn path(
        &self,
        prepared: &Prepared<'_>,
        work: &mut Work,
        checkpoint: &Checkpoint<Work>,
        progress: &Reporter,
    ) -> Result<(), Failure> {
        let all = self.grid.densities.len() * self.grid.similarities.len();
        for row in work.rows..self.grid.densities.len() {
            let mut scored = Ok(());
            let Work {
                cells, shared, scores, ..
            } = work;
            prepared.path_row(
                self.grid.densities[row],
                &self.grid.similarities,
                &|step| progress.step(step),
                &mut |cell, fit| {
                    cells.push(cell);
                    let graph = prepared.graph(fit);
                    shared.push(heaviest(&graph, SHARED_EDGES / all));
                    let _ = progress.step(&Progress::Fitted {
                        done: cells.len(),
                        total: self.total(all),
                    });
                    if let Some(truth) = &self.truth {
                        match evaluate(&graph, truth) {
                            Ok(found) => {
                                let consensus = found.consensus.map_or(f64::NAN, |score| score.f1());
                                scores.push([found.mean_view_f1(), consensus]);
                            }
                            Err(error) => scored = Err(error),
                        }
                    }
                },
            )?;
            scored?;
            work.rows = row + 1;
            checkpoint.write(work)?;
        }
        Ok(())
    }

    fn halve(&self, work: &mut Work, checkpoint: &Checkpoint<Work>, progress: &Reporter) -> Result<(), Failure> {
        work.tallies.resize(work.cells.len(), Tally::default());
        let at_once = rayon::current_num_threads().max(1);
        while work.halvings < self.stability.halvings && !work.cells.is_empty() {
            let next = (work.halvings + at_once).min(self.stability.halvings);
            self.stability.halve(
                self.learner,
                &self.read.views,
                &work.cells,
                work.halvings..next,
                &mut work.tallies,
                &|step| progress.step(step),
            )?;
            work.halvings = next;
            let n_cells = work.cells.len();
            let _ = progress.step(&Progress::Fitted {
                done: n_cells * (1 + 2 * next),
                total: self.total(n_cells),
            });
            checkpoint.write(work)?;
        }
        Ok(())
    }

    fn nothing_in_reach(&self) -> Failure {
        let ends = |values: &[f64]| format!("{} to {}", values[0], values[values.len() - 1]);
        Failure::Data(vec![congraph::DataError::new(
            congraph::Code::E10,
            format!(
                "no density from {} has views with a similarity from {}",
                ends(&self.grid.densities),
                ends(&self.grid.similarities)
            ),
            "coupling the views can only make them more alike than they are when learned separately",
            "ask for higher similarities with `--similarity LO:HI`",
        )])
    }
}

impl Chosen {
    /// The cell of the highest view F1, if the truth is known.
    fn oracle(&self) -> Option<usize> {
        let scores = &self.work.scores;
        (0..scores.len()).max_by(|&i, &j| scores[i][0].total_cmp(&scores[j][0]))
    }

    fn told(&self) -> Value {
        let verdict = &self.verdicts[self.cell];
        let mut told = json!({
            "cells": self.work.cells.len(),
            "halvings": self.work.halvings,
            "threshold": self.threshold,
            "is_within": verdict.bound <= self.threshold,
            "instability": verdict.instability,
            "agreement": verdict.agreement,
            "prediction": verdict.prediction,
        });
        if let Some(oracle) = self.oracle() {
            let cell = &self.work.cells[oracle];
            told["view_f1"] = json!(self.work.scores[self.cell][0]);
            told["oracle"] = json!({
                "view_f1": self.work.scores[oracle][0],
                "density": cell.density.target,
                "similarity": cell.similarity.target,
            });
        }
        told
    }

    /// `path.tsv`.
    fn path_rows(&self, nodes: &[String]) -> Vec<Vec<String>> {
        let cells = self.work.shared.iter().enumerate();
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
            "solves",
            "seconds",
        ];
        if self.oracle().is_some() {
            columns.extend(["view_f1", "consensus_f1"]);
        }
        columns.push("mark");
        let exact = |value: f64| format!("{value:?}");
        let rows = self.work.cells.iter().zip(&self.verdicts).enumerate();
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
                cell.solves.to_string(),
                format!("{:.4}", cell.time.as_secs_f64()),
            ];
            if self.oracle().is_some() {
                row.extend(self.work.scores[k].map(exact));
            }
            let marks = [("chosen", k == self.cell), ("oracle", self.oracle() == Some(k))];
            let marks: Vec<&str> = marks.iter().filter(|mark| mark.1).map(|mark| mark.0).collect();
            row.push(marks.join(","));
            row
        });
        (columns, rows.collect())
    }

    fn line(&self, args: &TuneArgs, seconds: &Seconds) -> String {
        let cell = &self.work.cells[self.cell];
        let verdict = &self.verdicts[self.cell];
        let truth = self.oracle().map_or_else(String::new, |oracle| {
            let best = &self.work.cells[oracle];
            format!(
                ", view F1 {:.3} (the best cell: {:.3} at {} and {})",
                self.work.scores[self.cell][0],
                self.work.scores[oracle][0],
                best.density.target,
                best.similarity.target
            )
        });
        format!(
            "{}: of {} cells chose density {:.3} and similarity {:.3} (alpha {:.4}, beta {:.4}), instability {:.3}{truth}, {:.1} s",
            args.output.out.display(),
            self.work.cells.len(),
            cell.density.value,
            cell.similarity.value,
            cell.parameters.alpha,
            cell.parameters.beta,
            verdict.instability,
            seconds.total.as_secs_f64()
        )
    }
}
