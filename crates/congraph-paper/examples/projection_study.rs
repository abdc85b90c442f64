//! How much a new view gains from the consensus of others: F1 of its graph, projected and learned alone.
//!
//! Six simulated views of 100 nodes with 500 signals are learned with everything at its default. A seventh, of the same
//! consensus graph, comes with 20, 50, 100 or 400 signals and is projected on their consensus with the α and β of their
//! fit; nothing of it is tuned. Learned alone it has the default density, and once more the best of 17 values of α
//! *knowing the truth*.
//!
//! ```console
//! cargo run --release -p congraph-paper --example projection_study -- docs/project.svg
//! ```
//!
//! prints the table of `docs/project.md` and draws its figure.

#[allow(dead_code)]
#[path = "../src/chart.rs"]
mod chart;
#[allow(dead_code)]
#[path = "../src/statistics.rs"]
mod statistics;

use chart::{Chart, Line, Panel};
use congraph::metrics::evaluate;
use congraph::simulate::{Settings, Simulation, simulate};
use congraph::tune::{Dial, Targets};
use congraph::{Error, Learn, MultiviewGraph, Projector, Smooth, Table, ViewMatrix, ViewOptions, Views, no_progress};
use statistics::Band;

const N_SIGNALS: [usize; 4] = [20, 50, 100, 400];
const REALISATIONS: u64 = 20;
const LABELS: [&str; 3] = ["alone", "alone, best α", "projected"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // scores[method][number of signals][realisation]
    let mut scores = vec![vec![Vec::new(); N_SIGNALS.len()]; LABELS.len()];
    for seed in 1..=REALISATIONS {
        for (method, of_method) in realisation(seed)?.into_iter().enumerate() {
            for (level, f1) in of_method.into_iter().enumerate() {
                scores[method][level].push(f1);
            }
        }
    }
    println!("| signals | {} | gain over alone | over best α |", LABELS.join(" | "));
    println!("| --- | --- | --- | --- | --- | --- |");
    for (level, n_signals) in N_SIGNALS.iter().enumerate() {
        let f1 = |method: usize| Band::of(&scores[method][level]);
        let gain = |method: usize| Band::of_differences(&scores[2][level], &scores[method][level]);
        let shown = |band: Band| format!("{:+.3} ± {:.3}", band.mean, band.mean - band.low);
        println!(
            "| {n_signals} | {:.3} | {:.3} | {:.3} | {} | {} |",
            f1(0).mean,
            f1(1).mean,
            f1(2).mean,
            shown(gain(0)),
            shown(gain(1))
        );
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, figure(&scores))?;
    }
    Ok(())
}

/// F1 of the seventh view by every method and number of signals.
fn realisation(seed: u64) -> Result<Vec<Vec<f64>>, Error> {
    let mut f1 = vec![Vec::new(); LABELS.len()];
    let mut projector = None;
    for n_signals in N_SIGNALS {
        let settings = Settings {
            n_views: 7,
            n_signals: [vec![500; 6], vec![n_signals]].concat(),
            seed,
            ..Settings::default()
        };
        let Simulation { mut tables, truth, .. } = simulate(&settings)?;
        let late = views(tables.split_off(6))?;
        // The first six are the same for every number of signals of the seventh.
        let projector = match &projector {
            Some(found) => found,
            None => {
                let tuned = Smooth::default().learn_to(&views(tables)?, &Targets::default(), &no_progress)?;
                projector.insert(Projector::of(&tuned.method, &tuned.learned)?)
            }
        };
        let truth = last_view(&truth);
        let score = |graph: &MultiviewGraph| Ok::<f64, Error>(evaluate(graph, &truth)?.mean_view_f1());
        let alone = Smooth::default().uncoupled();
        let usual = Targets {
            density: Dial::Usual,
            similarity: Dial::Fixed,
            consensus_density: Dial::Fixed,
        };
        f1[0].push(score(&alone.learn_to(&late, &usual, &no_progress)?.learned.graph)?);
        let mut best = 0.0_f64;
        for step in 0..17 {
            let mut alone = alone.clone();
            alone.model.parameters.alpha = 10_f64.powf(-3.0 + 0.15 * f64::from(step));
            best = best.max(score(&alone.learn(&late, &no_progress)?.graph)?);
        }
        f1[1].push(best);
        f1[2].push(score(&projector.project(&late, &no_progress)?[0].graph)?);
    }
    Ok(f1)
}

fn views(tables: Vec<Table>) -> Result<Views, Error> {
    Ok(Views::assemble(tables, &ViewOptions::default())?.0)
}

/// The true graph of the last view alone.
fn last_view(truth: &MultiviewGraph) -> MultiviewGraph {
    let last = truth.n_views() - 1;
    let weights = ViewMatrix::from_values(1, truth.weights().column(last).collect());
    let name = truth.views()[last].clone();
    MultiviewGraph::new(truth.nodes().to_vec(), vec![name], truth.pairs(), &weights, None)
}

fn figure(scores: &[Vec<Vec<f64>>]) -> String {
    let line = |method: usize| Line {
        label: LABELS[method].into(),
        points: N_SIGNALS
            .iter()
            .enumerate()
            .map(|(level, &n_signals)| ((n_signals as f64).log2(), Band::of(&scores[method][level])))
            .collect(),
    };
    let mut svg = Chart {
        title: "A new view".into(),
        y_label: "F1 of its graph".into(),
        logarithmic: false,
        columns: 1,
        panels: vec![Panel {
            title: String::new(),
            x_label: "signals of the new view".into(),
            lines: (0..LABELS.len()).map(line).collect(),
        }],
    }
    .svg();
    // Levels stand at their logarithms; the axis tells the numbers.
    for n_signals in N_SIGNALS {
        let at = format!("text-anchor=\"middle\">{:.0}</text>", (n_signals as f64).log2());
        svg = svg.replacen(&at, &format!("text-anchor=\"middle\">{n_signals}</text>"), 1);
    }
    svg
}
