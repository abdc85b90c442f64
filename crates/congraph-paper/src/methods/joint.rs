//! Fused joint graphical lasso: λ1 by the best mean F1 of the views over a grid, λ2 by their correlation.
//!
//! The same fits are scored by both edge rules, each of which chooses its own λ1; the correlation is that of |θ_ij|.

use congraph::methods::graphical_lasso;
use congraph::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso};
use congraph::metrics::evaluate;
use congraph::{Error, Fit, Learn, MultiviewGraph, Views, no_progress};

use super::grid;
use super::protocol::SIMILARITY;
use super::score::{Method, Score};
use crate::plan::Plan;

/// Edges are the same far above this gap.
const TOLERANCE: f64 = 1e-4;
/// The grid of λ1, in shares of the one at which no edge is left.
const COARSE: [f64; 6] = [0.02, 0.04, 0.08, 0.16, 0.32, 0.64];

pub(crate) fn learner(plan: &Plan, lambda1: f64, lambda2: f64, tolerance: f64) -> GraphicalLasso {
    GraphicalLasso {
        scaling: plan.scaling(),
        solver: graphical_lasso::Admm {
            tolerance,
            ..graphical_lasso::Admm::default()
        },
        ..GraphicalLasso::new(Fusion::Fused, lambda1, lambda2)
    }
}

/// The scores of both edge rules.
pub(super) fn scores(plan: &Plan, views: &Views, truth: &MultiviewGraph) -> Result<Vec<Score>, Error> {
    let learner = learner(plan, 1.0, 1.0, TOLERANCE);
    let session = learner.session(views, &no_progress)?;
    let largest = session.largest_lambda1();
    let coarse = COARSE.map(|share| share * largest);
    let found = grid::search(&coarse, |lambda1, beside: Option<&Fit<GraphicalLasso>>| {
        let fit = session.reach_similarity(lambda1, SIMILARITY, EdgeRule::NonZero, beside, &no_progress)?;
        let mut scores = [0.0; 2];
        for (score, rule) in scores.iter_mut().zip(EdgeRule::ALL) {
            *score = evaluate(&session.graph_by(&fit, rule), truth)?.mean_view_f1();
        }
        Ok::<_, Error>(Some((scores, fit)))
    })?;
    let mut scores = Vec::new();
    for (rule, fit) in EdgeRule::ALL.into_iter().zip(found) {
        let Some(fit) = fit else { continue };
        let method = match rule {
            EdgeRule::NonZero => Method::JglNonZero,
            EdgeRule::Negative => Method::JglNegative,
        };
        let parameters = [fit.model.lambda1, fit.model.lambda2, 0.0];
        scores.push(Score::of(method, &session.graph_by(&fit, rule), truth, parameters)?);
    }
    Ok(scores)
}
