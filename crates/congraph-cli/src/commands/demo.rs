//! `congraph demo`: the main job on simulated data, no input needed.
//!
//! The views are learned twice: each on its own, and jointly. For both, α is the one of a small grid with the best mean
//! F1 of the views (as the paper chooses it, knowing the truth), so that neither is favoured.

use std::path::Path;
use std::time::Instant;

use congraph::metrics::{Evaluation, evaluate};
use congraph::simulate::{GraphModel, Settings, Simulation, simulate};
use congraph::tune::{Dial, Reached, Targets, Tuned};
use congraph::{Learned, MultiviewGraph, Smooth, ViewOptions, Views, is_edge, no_progress};
use congraph_io::{ViewRow, seal, write_graph, write_json};
use congraph_record::record::Timing;
use congraph_record::{FitRecord, RunRecord};

use super::evaluate::row;
use super::simulate::write_simulation;
use crate::args::{DemoArgs, Global};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::{interrupt, output, summary, words};

/// β at which the views of the default data have a correlation of about 0.8, the paper's choice.
const BETA: f64 = 0.03;
/// The grid of α: from a density of a few percent to about a half.
const ALPHAS: std::ops::RangeInclusive<i32> = -8..=0;

pub(crate) fn run(args: &DemoArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let settings = Settings {
        seed: args.seed,
        ..Settings::default()
    };
    let force = args.force || is_demo(&args.out);
    let folder = output::place(&args.out, force)?;
    let simulation = simulate(&settings)?;
    let (views, _) = Views::assemble(simulation.tables.clone(), &ViewOptions::default())?;
    let read = start.elapsed();
    let separate = best(&views, &simulation.truth, true)?;
    let joint = best(&views, &simulation.truth, false)?;
    let timing = Timing {
        read,
        distances: joint.learned.prepare_time,
        solve: joint.learned.solve_time,
        total: start.elapsed(),
    };
    let warnings = words::spelled(joint.learned.warnings.iter().cloned());
    let mut summary = FitRecord::of(
        &joint.method,
        &joint.learned,
        Some(&joint.reached),
        &warnings,
        Some(&timing),
    );
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write_simulation(&folder, "data", &simulation)?;
        let rows: Vec<ViewRow> = views.iter().map(|view| row_of(view.name(), view.n_samples())).collect();
        write_graph(&folder, "", &joint.learned.graph, &rows)?;
        write_json(&folder, "summary.json", &summary)?;
        let run = summary::run("demo", &summary, Vec::new(), Some(args.seed), &timing);
        write_json(&folder, "run.json", &run)?;
        super::report::write_quality(&folder, &views)?;
        super::report::stage(&folder, &joint.learned.graph, console)?;
        seal(&folder, &mut summary)?;
        Ok(folder.commit()?)
    })?;
    for warning in &warnings {
        console.warning(warning);
    }
    if global.json {
        console::print(&summary.to_json())
    } else {
        console::print(&story(&settings, &simulation, &separate, &joint, &args.out))
    }
}

/// A fit and how well it matches the truth.
struct Trial {
    method: Smooth,
    learned: Learned,
    reached: Reached,
    evaluation: Evaluation,
}

/// Nothing is looked for: α and β are the method's.
const AS_IT_IS: Targets = Targets {
    density: Dial::Fixed,
    similarity: Dial::Fixed,
    consensus_density: Dial::Fixed,
};

/// The fit with the best mean F1 of the views over the grid of α.
fn best(views: &Views, truth: &MultiviewGraph, single: bool) -> Result<Trial, Failure> {
    let mut best: Option<Trial> = None;
    for exponent in ALPHAS {
        // Four decimals, so that the command printed at the end gives the very same graphs.
        let alpha = (1e3 * 2.0_f64.powf(0.5 * f64::from(exponent))).round() / 1e4;
        let coupled = Smooth::new(alpha, BETA);
        let method = if single { coupled.uncoupled() } else { coupled };
        let Tuned { learned, reached, .. } = method.learn_to(views, &AS_IT_IS, &no_progress)?;
        let evaluation = evaluate(&learned.graph, truth)?;
        if best
            .as_ref()
            .is_none_or(|best| evaluation.mean_view_f1() > best.evaluation.mean_view_f1())
        {
            best = Some(Trial {
                method,
                learned,
                reached,
                evaluation,
            });
        }
    }
    best.ok_or_else(|| Failure::usage("the demo has no alpha to try", ""))
}

fn story(settings: &Settings, simulation: &Simulation, separate: &Trial, joint: &Trial, out: &Path) -> String {
    let GraphModel::ErdosRenyi { probability } = settings.graph else {
        return String::new();
    };
    let n_edges = simulation
        .truth
        .consensus()
        .unwrap_or_default()
        .iter()
        .filter(|&&w| is_edge(w))
        .count();
    let opening = format!(
        "Simulated {} views of {} nodes with {} noisy signals each. They share a random graph (Erdős–Rényi, \
         p = {probability}) of {n_edges} edges;\n\
         each view moved {:.0} % of them elsewhere. How many of the true edges are found?",
        settings.n_views,
        settings.n_nodes,
        settings.n_signals[0],
        100.0 * settings.shuffled
    );
    let table = scores(separate, joint);
    let learned = &joint.learned;
    let proof = format!(
        "The joint fit took {:.0} ms and {} Newton steps. The relative gap between its objective and the best \
         possible one is {}.",
        1e3 * (learned.prepare_time + learned.solve_time).as_secs_f64(),
        learned.iterations,
        summary::gap(learned.certificate.relative_gap),
    );
    let folder = out.display();
    format!(
        "{opening}\n\n{}\n\n{proof}\n\
         Graphs, data and truth are in {folder}. The same from files:\n\n  \
         congraph learn {folder}/data/*.csv --alpha {} --beta {BETA} -o out\n  \
         congraph evaluate out --truth {folder}/truth\n\n\
         To see the graphs, open {} in a browser.",
        super::table(&table),
        joint.method.model.parameters.alpha,
        out.join("report.html").display()
    )
}

/// Rows of scores, under their names.
fn scores(separate: &Trial, joint: &Trial) -> Vec<[String; 4]> {
    let mut table = vec![["", "F1", "precision", "recall"].map(String::from)];
    for (name, trial) in [
        ("views, each learned alone", separate),
        ("views, learned jointly", joint),
    ] {
        let scores = &trial.evaluation;
        let (f1, precision, recall) = (
            scores.mean_view_f1(),
            scores.mean_view_precision(),
            scores.mean_view_recall(),
        );
        table.push(row(name, f1, precision, recall));
    }
    if let Some(score) = &joint.evaluation.consensus {
        table.push(row(
            "the consensus they share",
            score.f1(),
            score.precision(),
            score.recall(),
        ));
    }
    table
}

fn row_of(name: &str, n_samples: Option<usize>) -> ViewRow {
    ViewRow {
        file: format!("data/{name}.csv"),
        n_samples,
    }
}

/// Whether the folder holds an earlier demo, which may be replaced unasked.
fn is_demo(folder: &Path) -> bool {
    std::fs::read_to_string(folder.join("run.json"))
        .ok()
        .and_then(|text| serde_json::from_str::<RunRecord>(&text).ok())
        .is_some_and(|run| run.kind.as_deref() == Some("demo"))
}
