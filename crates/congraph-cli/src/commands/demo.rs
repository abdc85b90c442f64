//! `congraph demo`: the main job on simulated data, no input needed.
//!
//! The views are learned three times: by the paper's model each on its own and jointly, and by the likelihood. For the
//! paper's model, α is the one of a small grid with the best mean F1 of the views (as the paper chooses it, knowing the
//! truth). The likelihood knows nothing of the truth, and is what the folder holds.

use std::path::Path;
use std::time::Instant;

use congraph::metrics::{Evaluation, evaluate};
use congraph::simulate::{GraphModel, Settings, Simulation, simulate};
use congraph::tune::{Dial, Targets, Tuned};
use congraph::{Certificate, Learned, MultiviewGraph, Smooth, ViewOptions, Views, is_edge, no_progress};
use congraph_io::{ViewRow, seal, write_graph, write_json};
use congraph_record::choices::Method;
use congraph_record::record::Timing;
use congraph_record::{FitRecord, FitRequest, RunRecord};

use super::evaluate::row;
use super::simulate::write_simulation;
use crate::args::{DemoArgs, Global};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::summary::Call;
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
    let asked = FitRequest {
        method: Method::Likelihood,
        ..FitRequest::default()
    }
    .likelihood()?;
    let chosen = asked.method.learn_to(&views, &asked.wanted, &no_progress)?;
    let evaluation = evaluate(&chosen.learned.graph, &simulation.truth)?;
    let learned = &chosen.learned;
    let timing = Timing {
        read,
        distances: learned.prepare_time,
        solve: learned.solve_time,
        total: start.elapsed(),
    };
    let warnings = words::spelled(learned.warnings.iter().cloned());
    let mut summary = FitRecord::of_likelihood(&asked, &chosen, &warnings, Some(&timing));
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write_simulation(&folder, "data", &simulation)?;
        let rows: Vec<ViewRow> = views.iter().map(|view| row_of(view.name(), view.n_samples())).collect();
        write_graph(&folder, "", &learned.graph, &rows)?;
        write_json(&folder, "summary.json", &summary)?;
        let run = summary::run(
            Call {
                seed: Some(args.seed),
                ..Call::own("demo")
            },
            &summary,
            Vec::new(),
            &timing,
        );
        write_json(&folder, "run.json", &run)?;
        super::report::write_quality(&folder, views.nodes(), super::report::quality(&views).as_deref())?;
        super::report::stage(&folder, &learned.graph, console)?;
        seal(&folder, &mut summary)?;
        Ok(folder.commit()?)
    })?;
    for warning in &warnings {
        console.warning(warning);
    }
    if global.json {
        console::print(&summary.to_json())
    } else {
        let table = scores(&separate, &joint, &evaluation);
        console::print(&story(
            &settings,
            &simulation,
            &table,
            [&joint.learned.certificate, &learned.certificate],
            &args.out,
        ))
    }
}

/// A fit and how well it matches the truth.
struct Trial {
    learned: Learned,
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
        let Tuned { learned, .. } = method.learn_to(views, &AS_IT_IS, &no_progress)?;
        let evaluation = evaluate(&learned.graph, truth)?;
        if best
            .as_ref()
            .is_none_or(|best| evaluation.mean_view_f1() > best.evaluation.mean_view_f1())
        {
            best = Some(Trial { learned, evaluation });
        }
    }
    best.ok_or_else(|| Failure::usage("the demo has no alpha to try", ""))
}

fn story(
    settings: &Settings,
    simulation: &Simulation,
    table: &[[String; 4]],
    [smooth, likelihood]: [&Certificate; 2],
    out: &Path,
) -> String {
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
    let proof = format!(
        "Both are certified: the relative gap between what was found and the best possible is {} (smooth) and {} \
         (likelihood).",
        summary::gap(smooth.relative_gap),
        summary::gap(likelihood.relative_gap),
    );
    let folder = out.display();
    format!(
        "{opening}\n\n{}\n\n{proof}\n\
         Graphs (by the likelihood), data and truth are in {folder}. The same from files:\n\n  \
         congraph learn {folder}/data/*.csv --method likelihood -o out\n  \
         congraph evaluate out --truth {folder}/truth\n\n\
         To see the graphs, open {} in a browser.",
        super::table(table),
        out.join("report.html").display()
    )
}

/// Rows of scores, under their names.
fn scores(separate: &Trial, joint: &Trial, likelihood: &Evaluation) -> Vec<[String; 4]> {
    let mut table = vec![["", "F1", "precision", "recall"].map(String::from)];
    let mut add = |views: &str, consensus: Option<&str>, scores: &Evaluation| {
        let (f1, precision, recall) = (
            scores.mean_view_f1(),
            scores.mean_view_precision(),
            scores.mean_view_recall(),
        );
        table.push(row(views, f1, precision, recall));
        if let (Some(name), Some(score)) = (consensus, &scores.consensus) {
            table.push(row(name, score.f1(), score.precision(), score.recall()));
        }
    };
    add("smooth, each view alone (best alpha)", None, &separate.evaluation);
    add(
        "smooth, views jointly (best alpha)",
        Some("smooth, the consensus"),
        &joint.evaluation,
    );
    add(
        "likelihood, views (knows no truth)",
        Some("likelihood, the consensus"),
        likelihood,
    );
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
