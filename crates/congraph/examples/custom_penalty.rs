//! A penalty of one's own, defined outside the crate and solved by ADMM.
//!
//! The Huber penalty: small departures from the consensus cost their square, so that views may vary a little everywhere;
//! large ones cost only their size, so that a few views may differ much.
//!
//! ```text
//! c(V) = Σ h(V_ei),    h(v) = v²/2 for |v| ≤ δ,    δ|v| − δ²/2 beyond
//! prox of step·c:      v/(1 + step) where that is within ±δ,    v ∓ step·δ beyond
//! ```
//!
//! Run it with `cargo run --release -p congraph --example custom_penalty`.

use std::sync::Arc;

use congraph::methods::smooth::Admm;
use congraph::penalties::Penalty;
use congraph::simulate::{Settings, simulate};
use congraph::{Learn, Model, Newton, Smooth, ViewOptions, Views, metrics, no_progress};

/// The Huber penalty with threshold `delta`.
#[derive(Debug)]
struct Huber {
    delta: f64,
}

impl Penalty for Huber {
    fn name(&self) -> &str {
        "huber"
    }

    fn value(&self, differences: &[f64], _n_views: usize) -> f64 {
        let one = |v: &f64| {
            let size = v.abs();
            if size <= self.delta {
                0.5 * v * v
            } else {
                self.delta * (size - 0.5 * self.delta)
            }
        };
        differences.iter().map(one).sum()
    }

    fn prox(&self, differences: &mut [f64], _n_views: usize, step: f64) {
        for v in differences {
            let shrunk = *v / (1.0 + step);
            *v = if shrunk.abs() <= self.delta {
                shrunk
            } else {
                *v - v.signum() * step * self.delta
            };
        }
    }
}

fn main() -> Result<(), congraph::Error> {
    let simulation = simulate(&Settings {
        n_nodes: 40,
        n_views: 4,
        ..Settings::default()
    })?;
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let learner = Smooth {
        model: Model::new(0.05, 0.5, Arc::new(Huber { delta: 0.05 })),
        solver: Arc::new(Admm {
            tolerance: 1e-6,
            ..Admm::default()
        }),
        ..Smooth::new(0.05, 0.5)
    };
    let learned = learner.learn(&views, &no_progress)?;
    let scores = metrics::evaluate(&learned.graph, &simulation.truth)?;
    println!(
        "huber by admm: {} after {} iterations, relative gap {:.1e}, mean F1 of the views {:.3}",
        learned.status,
        learned.iterations,
        learned.certificate.relative_gap,
        scores.mean_view_f1()
    );
    assert!(learned.converged());

    // Newton needs more than a prox, and says so.
    let newton = Smooth {
        solver: Arc::new(Newton::default()),
        ..learner
    };
    if let Err(refusal) = newton.learn(&views, &no_progress) {
        println!("huber by newton: {refusal}");
    }
    Ok(())
}
