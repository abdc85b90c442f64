//! What does the exponent of the spectrum gain, and what does it cost?
//!
//! `cargo run --release -p congraph --example spectrum_study [-- SEEDS [FIRST SEED]]` prints the F1 of the views and of the consensus on
//! simulated data (100 nodes, 6 views) for the exponents 1, 0.5 and 0.2, at the cell with the best view F1 of a grid of
//! densities and similarities, and what `auto` chooses. Beside them stand the figures of the study that the option follows.
//!
//! `cargo run --release -p congraph --example spectrum_study -- cost [NODES]` prints which share of the CPU time of a fit on
//! many nodes (3 views, 32 samples, 10 nearest neighbours as candidates) the exponent takes.

use congraph::metrics::evaluate;
use congraph::simulate::{Filter, GraphModel, Reach, Settings, simulate};
use congraph::tune::Targets;
use congraph::tune::path::Grid;
use congraph::{
    Candidates, Error, Learn, Model, MultiviewGraph, Smooth, Spectrum, Table, ViewOptions, Views, no_progress,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const EXPONENTS: [f64; 3] = [1.0, 0.5, 0.2];

/// Data, and the F1 of views and consensus for each exponent in the first study.
struct Row {
    name: &'static str,
    settings: Settings,
    before: [[f64; 2]; 3],
}

fn rows() -> Vec<Row> {
    let paper = Settings::default;
    let row = |name, settings, before| Row { name, settings, before };
    vec![
        row(
            "ER, L†, p = 500",
            paper(),
            [[0.940, 0.961], [0.964, 0.985], [0.969, 0.987]],
        ),
        row(
            "ER, L†, p = 100",
            Settings {
                n_signals: vec![100],
                ..paper()
            },
            [[0.815, 0.873], [0.829, 0.890], [0.810, 0.872]],
        ),
        row(
            "ER, √L†, p = 500",
            Settings {
                filter: Filter::Gaussian,
                ..paper()
            },
            [[0.873, 0.926], [0.879, 0.933], [0.876, 0.935]],
        ),
        row(
            "ER, L†, noise 0.5",
            Settings { noise: 0.5, ..paper() },
            [[0.912, 0.956], [0.925, 0.961], [0.928, 0.963]],
        ),
        row(
            "BA, L†, p = 500",
            Settings {
                graph: GraphModel::BarabasiAlbert { growth: 5 },
                ..paper()
            },
            [[0.833, 0.841], [0.857, 0.861], [0.865, 0.867]],
        ),
        row(
            "geometric, L†, p = 500",
            Settings {
                graph: GraphModel::RandomGeometric {
                    reach: Reach::MeanDegree(10.0),
                },
                ..paper()
            },
            [[0.828, 0.906], [0.897, 0.963], [0.936, 0.986]],
        ),
    ]
}

fn main() -> Result<(), Error> {
    let mut words = std::env::args().skip(1);
    let first = words.next();
    if first.as_deref() == Some("cost") {
        let n_nodes = words.next().and_then(|word| word.parse().ok()).unwrap_or(100_000);
        return cost(n_nodes);
    }
    let n_seeds = first.and_then(|word| word.parse().ok()).unwrap_or(3);
    let start: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    print!("{:<24}", "view F1/consensus F1");
    EXPONENTS
        .iter()
        .for_each(|exponent| print!("  {:<38}", format!("a = {exponent} ± standard error (before)")));
    println!("  auto");
    for row in rows() {
        let seeds: Vec<u64> = (start..start + n_seeds).collect();
        let scored = seeds.par_iter().map(|&seed| scores(&row.settings, seed));
        let scored = scored.collect::<Result<Vec<_>, Error>>()?;
        print!("{:<24}", row.name);
        for (k, [views, consensus]) in row.before.iter().enumerate() {
            let mean =
                |part: usize| scored.iter().map(|(scores, _)| scores[k][part]).sum::<f64>() / scored.len() as f64;
            let error = |part: usize| {
                let squares: f64 = scored
                    .iter()
                    .map(|(scores, _)| (scores[k][part] - mean(part)).powi(2))
                    .sum();
                let n = scored.len() as f64;
                (squares / (n - 1.0).max(1.0) / n).sqrt()
            };
            let found = format!(
                "{:.3}/{:.3} ± {:.3}/{:.3} ({views:.3}/{consensus:.3})",
                mean(0),
                mean(1),
                error(0),
                error(1)
            );
            print!("  {found:<38}");
        }
        let chosen: Vec<String> = scored.iter().map(|(_, exponent)| exponent.to_string()).collect();
        println!("  {}", chosen.join(" "));
    }
    Ok(())
}

/// The F1 of views and consensus for each exponent, and the one that is chosen without the truth.
fn scores(settings: &Settings, seed: u64) -> Result<([[f64; 2]; 3], f64), Error> {
    let simulation = simulate(&Settings {
        seed,
        ..settings.clone()
    })?;
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let mut scores = [[0.0; 2]; 3];
    for (score, exponent) in scores.iter_mut().zip(EXPONENTS) {
        *score = best(&views, exponent, &simulation.truth)?;
    }
    let chosen = Smooth::default().choose_spectrum(&views, &Targets::default(), &no_progress)?;
    Ok((scores, chosen.spectrum.exponent))
}

/// The F1 of views and consensus at the density and the similarity with the best view F1.
fn best(views: &Views, exponent: f64, truth: &MultiviewGraph) -> Result<[f64; 2], Error> {
    let method = Smooth {
        spectrum: Spectrum::new(exponent),
        ..Smooth::default()
    };
    let session = method.session(views, &no_progress)?;
    let grid = Grid::between([0.05, 0.2], [0.7, 0.95]);
    let mut best = [0.0; 2];
    for &density in &grid.densities {
        let mut failed = None;
        session.path_row(density, &grid.similarities, &no_progress, &mut |_, fit| match evaluate(
            &session.graph(fit),
            truth,
        ) {
            Ok(found) if found.mean_view_f1() > best[0] => {
                best = [found.mean_view_f1(), found.consensus.map_or(0.0, |score| score.f1())];
            }
            Ok(_) => {}
            Err(error) => failed = Some(error),
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(best)
}

/// Prints the CPU time of the exponent beside that of one whole fit.
fn cost(n_nodes: usize) -> Result<(), Error> {
    let tables = (0..3).map(|view| places(n_nodes, 32, view)).collect();
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    let spectrum = Spectrum::new(0.5);
    let method = Smooth {
        spectrum,
        candidates: Candidates::Nearest { k: 10, seed: 1 },
        ..Smooth::default()
    };
    let before = cpu_seconds();
    let seen = spectrum.applied(&views, &method.scaling)?;
    let transform = cpu_seconds() - before;
    drop(seen);
    let before = cpu_seconds();
    let session = method.session(&views, &no_progress)?;
    let prepared = cpu_seconds() - before;
    let alpha = session.alphas([10.0 / (n_nodes - 1) as f64; 2], 2)[0];
    let fit = session.fit(&Model::l1(alpha, 0.1 * alpha), None, &no_progress)?;
    let whole = cpu_seconds() - before;
    println!(
        "{n_nodes} nodes, 3 views, 32 samples, knn:10: the exponent takes {transform:.2} s of CPU time, with neighbours and \
         distances {prepared:.2} s, one fit in all {whole:.2} s (density {:.1e}, relative gap {:.1e}): {:.1} % of it",
        fit.density(),
        fit.solution.certificate.relative_gap,
        100.0 * transform / whole
    );
    Ok(())
}

/// Smooth functions of the places of nodes in a square, with noise.
fn places(n_nodes: usize, n_samples: usize, view: u64) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let places: Vec<[f64; 2]> = (0..n_nodes).map(|_| [rng.random(), rng.random()]).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(2 + view);
    let mut values = Vec::with_capacity(n_nodes * n_samples);
    for _ in 0..n_samples {
        let [x, y, phase] = [(); 3].map(|()| rng.random_range(-20.0..20.0));
        let noise: Vec<f64> = (0..n_nodes).map(|_| rng.random_range(-0.1..0.1)).collect();
        let value = |(place, noise): (&[f64; 2], f64)| (x * place[0] + y * place[1] + phase).cos() + noise;
        values.extend(places.iter().zip(noise).map(value));
    }
    Table::new(format!("view{view}"), n_nodes, values)
}

/// The CPU time of all threads so far, where the system tells.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may hold anything: user and system time, in hundredths of a second.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|word| word.parse().ok()).collect();
    ticks.iter().sum::<f64>() / 100.0
}
