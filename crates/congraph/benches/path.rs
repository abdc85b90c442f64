//! A 10 × 10 path of (α, β) at 64 nodes and 20 views: every fit cold, and every fit from its neighbour's multipliers.
//!
//! `cargo bench -p congraph --bench path`

use std::sync::Arc;
use std::time::{Duration, Instant};

use congraph::simulate::{Settings, simulate};
use congraph::solvers::{Newton, Solver, unwatched};
use congraph::{Distances, Model, MultiviewGraph, Problem, Scaling, Solution, ViewOptions, ViewRows, Views};

fn main() -> Result<(), congraph::Error> {
    // `cargo test` runs benches too, to see that they run: a small path will do.
    let quick = !std::env::args().any(|word| word == "--bench");
    let (n_nodes, n_views, steps) = if quick { (16, 3, 3) } else { (64, 20, 10) };
    let simulation = simulate(&Settings {
        n_nodes,
        n_views,
        ..Settings::default()
    })?;
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let distances = Arc::new(Distances::from_views(&views, &Scaling::default())?);
    let newton = Newton {
        polish: false,
        ..Newton::default()
    };
    let (mut cold, mut warm) = (Duration::ZERO, Duration::ZERO);
    let (mut cold_steps, mut warm_steps) = (0, 0);
    let mut above: Vec<ViewRows> = Vec::new();
    let mut starts: Vec<ViewRows> = Vec::new();
    for i in 0..steps {
        let alpha = 0.03 * 10.0_f64.powf(i as f64 / (steps - 1) as f64);
        let mut start = if starts.is_empty() {
            None
        } else {
            Some(extrapolated(&starts))
        };
        let mut past: Vec<ViewRows> = Vec::new();
        for j in 0..steps {
            let beta = 0.006 * 10.0_f64.powf(j as f64 / (steps - 1) as f64);
            let problem = Problem::new(Arc::clone(&distances), Model::l1(alpha, beta))?;
            let clock = Instant::now();
            let alone = newton.solve(&problem, None, &unwatched)?;
            cold += clock.elapsed();
            let clock = Instant::now();
            let followed = newton.solve(&problem, start.as_ref(), &unwatched)?;
            if start.is_some() {
                warm += clock.elapsed();
                warm_steps += followed.iterations;
                cold_steps += alone.iterations;
            } else {
                // The first fit has no neighbour.
                cold = Duration::ZERO;
            }
            if j == 0 {
                starts.push(followed.multipliers.clone());
            }
            past.push(followed.multipliers.clone());
            start = Some(corrected(&past, &above));
            if i + j == 0 || i + j == 2 * (steps - 1) {
                report(&distances, &views, &followed, alpha, beta);
            }
        }
        above = past;
    }
    let fits = (steps * steps - 1) as f64;
    println!("{steps} × {steps} path of (alpha, beta), {n_nodes} nodes, {n_views} views, gap ≤ 1e-8");
    println!(
        "  cold  {:6.2} ms a fit, {:.1} steps",
        1e3 * cold.as_secs_f64() / fits,
        f64::from(cold_steps as u32) / fits
    );
    println!(
        "  warm  {:6.2} ms a fit, {:.1} steps",
        1e3 * warm.as_secs_f64() / fits,
        f64::from(warm_steps as u32) / fits
    );
    println!("  ratio {:6.3}", warm.as_secs_f64() / cold.as_secs_f64());
    Ok(())
}

/// The same, corrected by how far it was off in the row before.
fn corrected(past: &[ViewRows], above: &[ViewRows]) -> ViewRows {
    let mut next = extrapolated(past);
    if past.len() < above.len() {
        let there = extrapolated(&above[..past.len()]);
        for (k, value) in next.values_mut().iter_mut().enumerate() {
            *value += above[past.len()].values()[k] - there.values()[k];
        }
    }
    next
}

/// Where equal steps in log β, along which the multipliers move smoothly, would lead next: the parabola through the last three.
fn extrapolated(past: &[ViewRows]) -> ViewRows {
    let last = &past[past.len() - 1];
    let at = |k: usize| past[past.len().saturating_sub(k)].values();
    let next = |e: usize| match past.len() {
        1 => at(1)[e],
        2 => 2.0 * at(1)[e] - at(2)[e],
        _ => 3.0 * at(1)[e] - 3.0 * at(2)[e] + at(3)[e],
    };
    ViewRows::from_values(last.n_views(), (0..last.values().len()).map(next).collect())
}

fn report(distances: &Distances, views: &Views, solution: &Solution, alpha: f64, beta: f64) {
    let weights = &solution.weights;
    let pairs: Vec<[u32; 2]> = weights
        .edges()
        .iter()
        .map(|&edge| distances.edges().pairs()[edge as usize])
        .collect();
    let graph = MultiviewGraph::new(views.nodes().to_vec(), views.names(), &pairs, weights.views(), None);
    let similarity = graph.similarity().unwrap_or(1.0);
    println!(
        "alpha {alpha:.3}, beta {beta:.3}: density {:.3}, similarity {similarity:.3}",
        graph.mean_density()
    );
}
