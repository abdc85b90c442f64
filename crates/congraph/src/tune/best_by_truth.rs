//! The choice that only a known truth allows: the best mean F1 of the views over a grid, as the paper chooses α and γ.
//!
//! ```
//! use congraph::simulate::{Settings, simulate};
//! use congraph::tune::{Dial, Targets};
//! use congraph::{Learn, Model, Smooth, ViewOptions, Views, no_progress};
//!
//! let simulation = simulate(&Settings { n_nodes: 40, n_views: 3, ..Settings::default() })?;
//! let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
//! let method = Smooth::default();
//! let session = method.session(&views, &no_progress)?;
//!
//! // α by the best view F1 of separate views, then β for a similarity of 0.8 at that α.
//! let models = session.alphas([0.03, 0.4], 12).into_iter().map(Model::uncoupled);
//! let best = session.best_of(models, &simulation.truth, &no_progress)?.unwrap();
//! let model = Model::l1(best.fit.model.parameters.alpha, 1.0);
//! let targets = Targets { density: Dial::Fixed, similarity: Dial::At(0.8), ..Targets::default() };
//! let (_, reached) = session.reach_with(&model, &targets, &no_progress)?;
//! assert!(reached.parameters.beta > 0.0);
//! # Ok::<(), congraph::Error>(())
//! ```

use super::initial_guess;
use crate::error::Error;
use crate::fit::{Fit, Session};
use crate::graph::MultiviewGraph;
use crate::methods::smooth::Model;
use crate::metrics::{Evaluation, evaluate};
use crate::progress::{Status, Watch};

/// The fit of a grid with the best mean F1 of its views.
#[derive(Clone, Debug)]
pub struct Best {
    /// The fit; its model tells the parameters.
    pub fit: Fit,
    /// Its scores.
    pub evaluation: Evaluation,
    /// The mean F1 of the views of every model, in order.
    pub scores: Vec<f64>,
}

impl Session<'_> {
    /// Fits every model, each from the one before, and keeps the one with the best mean F1 of the views (the first of
    /// equals). None if there is no model.
    ///
    /// # Errors
    /// E02 if the truth is of other nodes or views; what the solver refuses.
    pub fn best_of(
        &self,
        models: impl IntoIterator<Item = Model>,
        truth: &MultiviewGraph,
        watch: Watch<'_>,
    ) -> Result<Option<Best>, Error> {
        let mut best: Option<Best> = None;
        let mut scores = Vec::new();
        let mut start = None;
        for model in models {
            let fit = self.fit(&model, start.as_ref(), watch)?;
            start = Some(fit.start());
            let evaluation = evaluate(&self.graph(&fit), truth)?;
            let score = evaluation.mean_view_f1();
            let interrupted = fit.solution.status == Status::Interrupted;
            if scores.iter().all(|&other| score > other) {
                best = Some(Best {
                    fit,
                    evaluation,
                    scores: Vec::new(),
                });
            }
            scores.push(score);
            if interrupted {
                break;
            }
        }
        Ok(best.map(|best| Best { scores, ..best }))
    }

    /// `n` values of α in equal ratios at which separate views have about the densities from the one to the other.
    pub fn alphas(&self, densities: [f64; 2], n: usize) -> Vec<f64> {
        let short = self.short_distances();
        let ends = densities.map(|density| initial_guess::alpha(&short, density).ln());
        let step = (ends[1] - ends[0]) / (n.max(2) - 1) as f64;
        (0..n).map(|k| (ends[0] + step * k as f64).exp()).collect()
    }
}
