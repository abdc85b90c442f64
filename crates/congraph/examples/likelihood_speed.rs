//! How long a certified likelihood takes, by the number of nodes and the filter, from a cold start.
//!
//! ```text
//! cargo run --release -p congraph --example likelihood_speed -- [NODES…]
//! ```
//!
//! Six views of 500 signals (three views from 1000 nodes on) on random graphs with ten neighbours a node; the whole
//! problem at b = 2 to a relative gap of 1e-8, then the refit on its edges. Times are the least of some runs.

use std::time::Instant;

use congraph::methods::likelihood::{Filter, Likelihood, Model};
use congraph::simulate::{self, GraphModel, Settings, simulate};
use congraph::{Error, Learn, ViewOptions, Views, no_progress};

fn main() -> Result<(), Error> {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![100, 200, 400];
    }
    println!("nodes  views  filter  prepare ms  whole ms  steps  density  gap      refit ms  threads");
    for n in sizes {
        let simulation = simulate(&Settings {
            n_nodes: n,
            n_views: if n < 1000 { 6 } else { 3 },
            graph: GraphModel::ErdosRenyi {
                probability: (10.0 / n as f64).max(0.015),
            },
            filter: simulate::Filter::PseudoInverse,
            seed: 42,
            ..Settings::default()
        })?;
        let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
        for filter in [Filter::Once, Filter::Twice] {
            let model = Model::attractive(filter, 2.0);
            let mut method = Likelihood::new(model);
            method.memory = u64::MAX;
            let clock = Instant::now();
            let session = method.session(&views, &no_progress)?;
            let prepare = 1e3 * clock.elapsed().as_secs_f64();
            let (mut whole_time, mut refit_time, mut told) = (f64::INFINITY, f64::INFINITY, None);
            for _ in 0..if n <= 100 {
                7
            } else if n <= 400 {
                3
            } else {
                1
            } {
                let clock = Instant::now();
                let whole = rayon::scope(|_| session.whole(&model, None, &no_progress))?;
                whole_time = whole_time.min(1e3 * clock.elapsed().as_secs_f64());
                let clock = Instant::now();
                let fit = session.fit_from(&model, whole.clone(), &no_progress)?;
                refit_time = refit_time.min(1e3 * clock.elapsed().as_secs_f64());
                let gap = whole
                    .certificate
                    .relative_gap
                    .max(fit.solution.certificate.relative_gap);
                told = Some((whole.iterations, session.density_of(&whole), gap));
            }
            let (steps, density, gap) = told.unwrap_or_default();
            println!(
                "{n:5}  {:5}  {:6}  {prepare:10.1}  {whole_time:8.1}  {steps:5}  {density:7.3}  {gap:.1e}  {refit_time:8.1}  {}",
                views.n_views(),
                filter.order(),
                rayon::current_num_threads()
            );
        }
    }
    Ok(())
}
