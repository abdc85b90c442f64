//! How good is the choice without a truth? The F1 of the cell that stability chooses against that of the best cell of the grid.
//!
//! `cargo run --release -p congraph --example stability_study [-- NODES [FIRST_SEED]]`
//!
//! Twenty simulated data sets: Erdős–Rényi and Barabási–Albert graphs of 100 nodes, six views, 100 to 500 signals each, two
//! seeds. The last lines are the means; the plain StARS rule (the densest graph with an instability of at most 0.05, at the
//! similarity of least instability) stands beside.

use congraph::metrics::evaluate;
use congraph::simulate::{GraphModel, Settings, simulate};
use congraph::tune::path::{Cell, Grid};
use congraph::tune::stability::{Stability, Tally};
use congraph::{Error, Learn, Smooth, ViewOptions, Views, no_progress};

fn main() -> Result<(), Error> {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let n_nodes = words.first().map_or(100, |&n| n as usize);
    let first = words.get(1).copied().unwrap_or(1);
    let ten_neighbours = 10.0 / (n_nodes - 1) as f64;
    let graphs = [
        (
            "ER",
            GraphModel::ErdosRenyi {
                probability: ten_neighbours,
            },
        ),
        ("BA", GraphModel::BarabasiAlbert { growth: 5 }),
    ];
    println!("graph  signals  seed   best F1 (density, similarity)   chosen F1 (density, similarity)   share   StARS");
    let (mut shares, mut plain) = (Vec::new(), Vec::new());
    for n_signals in [100, 200, 300, 400, 500] {
        for (name, graph) in &graphs {
            for seed in [first, first + 1] {
                let settings = Settings {
                    n_nodes,
                    n_signals: vec![n_signals],
                    graph: *graph,
                    seed: 1000 * seed + n_signals as u64,
                    ..Settings::default()
                };
                let outcome = study(&settings)?;
                let [best, chosen, stars] = &outcome;
                println!(
                    "{name:5}  {n_signals:7}  {seed:4}   {:.3} ({}, {})   {:.3} ({}, {})   {:.3}   {:.3}",
                    best.f1,
                    best.density,
                    best.similarity,
                    chosen.f1,
                    chosen.density,
                    chosen.similarity,
                    chosen.f1 / best.f1,
                    stars.f1 / best.f1
                );
                shares.push(chosen.f1 / best.f1);
                plain.push(stars.f1 / best.f1);
            }
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    println!("\n{} data sets: chosen F1 / best F1", shares.len());
    println!("  chosen       mean {:.3}, least {:.3}", mean(&shares), least(&shares));
    println!("  plain StARS  mean {:.3}, least {:.3}", mean(&plain), least(&plain));
    Ok(())
}

struct Scored {
    density: f64,
    similarity: f64,
    f1: f64,
}

/// The best cell, the chosen one, and that of plain StARS.
fn study(settings: &Settings) -> Result<[Scored; 3], Error> {
    let simulation = simulate(settings)?;
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let learner = Smooth::default();
    let session = learner.session(&views, &no_progress)?;
    let grid = Grid::usual(views.n_nodes());
    let mut cells: Vec<Cell> = Vec::new();
    let mut scores: Vec<f64> = Vec::new();
    for &density in &grid.densities {
        session.path_row(density, &grid.similarities, &no_progress, &mut |cell, fit| {
            let evaluation = evaluate(&session.graph(fit), &simulation.truth);
            scores.push(evaluation.map_or(0.0, |evaluation| evaluation.mean_view_f1()));
            cells.push(cell);
        })?;
    }
    let stability = Stability::default();
    let mut tallies = vec![Tally::default(); cells.len()];
    stability.halve(
        &learner,
        &views,
        &cells,
        0..stability.halvings,
        &mut tallies,
        &no_progress,
    )?;
    let (verdicts, chosen) = stability.choose(views.n_pairs(), &cells, &tallies, stability.halvings);
    let scored = |k: usize| Scored {
        density: cells[k].density.target,
        similarity: cells[k].similarity.target,
        f1: scores[k],
    };
    let best = (0..cells.len())
        .max_by(|&i, &j| scores[i].total_cmp(&scores[j]))
        .unwrap_or(0);
    let within = (0..cells.len()).filter(|&k| verdicts[k].bound <= stability.threshold);
    let stars = within.max_by(|&i, &j| {
        let rank = |k: usize| (cells[k].density.target, -verdicts[k].instability);
        let ((one, first), (two, second)) = (rank(i), rank(j));
        one.total_cmp(&two).then(first.total_cmp(&second))
    });
    Ok([scored(best), scored(chosen.unwrap_or(0)), scored(stars.unwrap_or(0))])
}
