//! A 10 × 10 path of (α, β) at 64 nodes and 20 views: every fit cold, from the signals, and every fit from its neighbours, for which the
//! data are made ready once and the multipliers are carried along.
//!
//! `cargo bench -p congraph --bench path`

use std::sync::Arc;
use std::time::{Duration, Instant};

use congraph::methods::smooth::Newton;
use congraph::methods::smooth::working_set::Start;
use congraph::simulate::{Settings, simulate};
use congraph::{Learn, Model, Smooth, ViewMatrix, ViewOptions, Views, no_progress};

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
    let mut learner = Smooth::new(0.03, 0.006);
    learner.solver = Arc::new(Newton {
        polish: false,
        ..Newton::default()
    });
    let session = learner.session(&views, &no_progress)?;
    let (mut cold, mut cold_solve, mut warm) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let (mut cold_steps, mut warm_steps) = (0, 0);
    let (mut above, mut starts) = (Vec::new(), Vec::new());
    for i in 0..steps {
        let alpha = 0.03 * 10.0_f64.powf(i as f64 / (steps - 1) as f64);
        let mut start = (!starts.is_empty()).then(|| extrapolated(&starts));
        let mut past: Vec<ViewMatrix> = Vec::new();
        for j in 0..steps {
            let model = Model::l1(alpha, 0.006 * 10.0_f64.powf(j as f64 / (steps - 1) as f64));
            let whole = Instant::now();
            let fresh = learner.session(&views, &no_progress)?;
            let clock = Instant::now();
            let alone = fresh.fit(&model, None, &no_progress)?;
            let (alone_time, whole_time) = (clock.elapsed(), whole.elapsed());
            let clock = Instant::now();
            let neighbour = start.map(|multipliers| Start {
                multipliers,
                pairs: Vec::new(),
            });
            let followed = session.fit(&model, neighbour.as_ref(), &no_progress)?;
            // The first fit has no neighbour.
            if neighbour.is_some() {
                warm += clock.elapsed();
                cold += whole_time;
                cold_solve += alone_time;
                warm_steps += followed.solution.iterations;
                cold_steps += alone.solution.iterations;
            }
            let multipliers = &followed.solution.multipliers;
            if j == 0 {
                starts.push(multipliers.clone());
            }
            past.push(multipliers.clone());
            start = Some(corrected(&past, &above));
            if i + j == 0 || i + j == 2 * (steps - 1) {
                let similarity = followed.similarity().unwrap_or(1.0);
                let alpha = model.parameters.alpha;
                let beta = model.parameters.beta;
                println!(
                    "alpha {alpha:.3}, beta {beta:.3}: density {:.3}, similarity {similarity:.3}",
                    followed.density()
                );
            }
        }
        above = past;
    }
    let fits = (steps * steps - 1) as f64;
    let each = |time: Duration| 1e3 * time.as_secs_f64() / fits;
    println!("{steps} × {steps} path of (alpha, beta), {n_nodes} nodes, {n_views} views, gap ≤ 1e-8");
    println!(
        "  cold  {:6.2} ms a fit, of which {:.2} ms the solver; {:.1} steps",
        each(cold),
        each(cold_solve),
        f64::from(cold_steps as u32) / fits
    );
    println!(
        "  warm  {:6.2} ms a fit; {:.1} steps",
        each(warm),
        f64::from(warm_steps as u32) / fits
    );
    println!(
        "  ratio {:6.3}, and {:.3} of the solver alone",
        each(warm) / each(cold),
        each(warm) / each(cold_solve)
    );
    Ok(())
}

/// Where the parabola along the row leads, corrected by how far it was off in the row before.
fn corrected(past: &[ViewMatrix], above: &[ViewMatrix]) -> ViewMatrix {
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
fn extrapolated(past: &[ViewMatrix]) -> ViewMatrix {
    let last = &past[past.len() - 1];
    let at = |k: usize| past[past.len().saturating_sub(k)].values();
    let next = |e: usize| match past.len() {
        1 => at(1)[e],
        2 => 2.0 * at(1)[e] - at(2)[e],
        _ => 3.0 * at(1)[e] - 3.0 * at(2)[e] + at(3)[e],
    };
    ViewMatrix::from_values(last.n_views(), (0..last.values().len()).map(next).collect())
}
