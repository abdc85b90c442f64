//! λ2 of a joint graphical lasso for a similarity.
//!
//! λ1 sets how dense the graphs are, λ2 how alike: secants kept within a bracket, on the logit of the correlation over
//! ln λ2. Every fit starts from the one before.

use super::scalar_root::{Value, root};
use crate::error::Error;
use crate::fit::{Fit, Session};
use crate::graph::MultiviewGraph;
use crate::methods::graphical_lasso::{EdgeRule, GraphicalLasso, Iterate, Model};
use crate::progress::{Status, Watch};

/// Correlations this near to their target are near enough.
const TOLERANCE: f64 = 0.005;
/// Where ln λ2 may be, beside ln λ1.
const RANGE: [f64; 2] = [-12.0, 4.0];
/// How the logit of the correlation grows with ln λ2, about.
const SLOPE: f64 = 0.7;
/// λ2 of a first trial, over λ1.
const FIRST: f64 = 0.1;

impl Session<'_, GraphicalLasso> {
    /// The λ1 from which on no view has an edge, whatever λ2: the largest c_k |s_ij| off the diagonal.
    pub fn largest_lambda1(&self) -> f64 {
        let problem = self.data();
        let n = problem.n_nodes();
        let of_view = |view: usize| {
            let entries = problem.covariance(view).iter().enumerate();
            let off = entries.filter(|(at, _)| at / n != at % n).map(|(_, s)| s.abs());
            problem.view_weights()[view] * off.fold(0.0, f64::max)
        };
        (0..problem.n_views()).map(of_view).fold(0.0, f64::max)
    }

    /// Solves for λ1 and λ2, with all else as in the method.
    ///
    /// # Errors
    /// As [`Session::fit`].
    pub fn fit_at(
        &self,
        lambda1: f64,
        lambda2: f64,
        start: Option<&Iterate>,
        watch: Watch<'_>,
    ) -> Result<Fit<GraphicalLasso>, Error> {
        let model = Model {
            lambda1,
            lambda2,
            ..self.method().model
        };
        self.fit(&model, start, watch)
    }

    /// The graphs of a fit by an edge rule, in the user's order.
    pub fn graph_by(&self, fit: &Fit<GraphicalLasso>, rule: EdgeRule) -> MultiviewGraph {
        let views = self.views();
        rule.graph(
            views.nodes().to_vec(),
            views.names(),
            &fit.solution.precisions(self.order()),
        )
    }

    /// The fit at λ1 whose views, by the edge rule, have this mean correlation: within 0.005, or as near as there is
    /// one. `beside` is a neighbouring fit to start from.
    ///
    /// # Errors
    /// As [`Session::fit`].
    ///
    /// ```
    /// use congraph::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso};
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{Learn, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 40, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let method = GraphicalLasso::new(Fusion::Fused, 0.1, 0.1);
    /// let session = method.session(&views, &no_progress)?;
    /// let fit = session.reach_similarity(0.1, 0.8, EdgeRule::NonZero, None, &no_progress)?;
    /// let similarity = session.graph_by(&fit, EdgeRule::NonZero).similarity().unwrap();
    /// assert!((similarity - 0.8).abs() < 0.005);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn reach_similarity(
        &self,
        lambda1: f64,
        similarity: f64,
        rule: EdgeRule,
        beside: Option<&Fit<GraphicalLasso>>,
        watch: Watch<'_>,
    ) -> Result<Fit<GraphicalLasso>, Error> {
        let first = beside.map_or(FIRST, |fit| fit.model.lambda2 / fit.model.lambda1);
        let mut best: Option<(f64, Fit<GraphicalLasso>)> = None;
        let mut last: Option<Iterate> = beside.map(Fit::start);
        let limits = RANGE.map(|end| lambda1.ln() + end);
        root((first * lambda1).ln(), SLOPE, limits, |place| {
            let fit = self.fit_at(lambda1, place.exp(), last.as_ref(), watch)?;
            last = Some(fit.start());
            let found = self.arranged_graph_by(&fit, rule).similarity().unwrap_or(similarity);
            let miss = (found - similarity).abs();
            let interrupted = fit.solution.status == Status::Interrupted;
            if best.as_ref().is_none_or(|(least, _)| miss < *least) {
                best = Some((miss, fit));
            }
            Ok::<_, Error>(Value {
                residual: logit(found) - logit(similarity),
                good: miss <= TOLERANCE || interrupted,
            })
        })?;
        match best {
            Some((_, fit)) => Ok(fit),
            None => self.fit_at(lambda1, first * lambda1, None, watch),
        }
    }

    /// In the method's order, so that no sum depends on the user's.
    fn arranged_graph_by(&self, fit: &Fit<GraphicalLasso>, rule: EdgeRule) -> MultiviewGraph {
        let graph = self.arranged_graph(fit);
        let (nodes, views) = (graph.nodes().to_vec(), graph.views().to_vec());
        rule.graph(nodes, views, &fit.solution.iterate.precisions)
    }
}

fn logit(share: f64) -> f64 {
    let share = share.clamp(1e-4, 1.0 - 1e-6);
    (share / (1.0 - share)).ln()
}
