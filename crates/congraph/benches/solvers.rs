//! How long distances and solvers take on the paper's simulated setting, as times and as ratios within one run.
//!
//! `cargo bench -p congraph --bench solvers`

use std::sync::Arc;
use std::time::{Duration, Instant};

use congraph::methods::smooth::{Admm, Newton, Solver};
use congraph::simulate::{Settings, simulate};
use congraph::{
    Coupling, Distances, Model, Parameters, Problem, Scaling, ViewOptions, Views, no_progress, penalties, regularisers,
};

const REPEATS: usize = 7;

fn main() -> Result<(), congraph::Error> {
    // `cargo test` runs benches too, to see that they run: one small case will do.
    let quick = !std::env::args().any(|word| word == "--bench");
    let sizes: &[usize] = if quick { &[20] } else { &[50, 100, 200] };
    println!("median of {REPEATS} runs in ms; N = 6 views, p = 500 signals; ratios to the distances of the same row\n");
    println!("    n  penalty     distances   newton (steps)  ratio    admm 1e-6 (iterations)  ratio");
    for &n_nodes in sizes {
        let simulation = simulate(&Settings {
            n_nodes,
            ..Settings::default()
        })?;
        let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
        let (distances, distances_time) = median(|| Distances::from_views(&views, &Scaling::default()))?;
        let distances = Arc::new(distances);
        for (penalty, gamma) in [("l1", 0.0), ("l2", 0.02), ("squared-l2", 0.0)] {
            let parameters = Parameters {
                alpha: 0.07,
                beta: 0.03,
                gamma,
            };
            let (Some(c), Some(r)) = (penalties::by_name(penalty), regularisers::by_name("l1")) else {
                continue;
            };
            let model = Model {
                parameters,
                coupling: Coupling::Consensus {
                    penalty: c,
                    regulariser: r,
                },
            };
            let problem = Problem::new(Arc::clone(&distances), model)?;
            let newton = Newton {
                tolerance: 1e-9,
                ..Newton::default()
            };
            let admm = Admm {
                tolerance: 1e-6,
                ..Admm::default()
            };
            let (by_newton, newton_time) = median(|| newton.solve(&problem, None, &no_progress))?;
            let (by_admm, admm_time) = median(|| admm.solve(&problem, None, &no_progress))?;
            let ratio = |time: Duration| time.as_secs_f64() / distances_time.as_secs_f64();
            println!(
                "{n_nodes:5}  {penalty:10}  {:9.2}  {:7.2} ({:2})  {:9.2}  {:12.2} ({:5})  {:9.1}",
                ms(distances_time),
                ms(newton_time),
                by_newton.iterations,
                ratio(newton_time),
                ms(admm_time),
                by_admm.iterations,
                ratio(admm_time),
            );
        }
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

/// The last result and the median time of some runs.
fn median<T, E>(run: impl Fn() -> Result<T, E>) -> Result<(T, Duration), E> {
    let mut times = Vec::with_capacity(REPEATS);
    loop {
        let start = Instant::now();
        let result = run()?;
        times.push(start.elapsed());
        if times.len() == REPEATS {
            times.sort();
            return Ok((result, times[REPEATS / 2]));
        }
    }
}
