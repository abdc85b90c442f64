//! The covariances of views, made ready once and fitted as often as needed: what a search over λ1 and λ2 loops over.
//!
//! λ1 sets how dense the graphs are, λ2 how alike: [`JointPrepared::reach`] finds the λ2 at which the mean correlation
//! between the views' weights is a target, by secants kept within a bracket on the logit of the correlation over ln λ2.
//! Every fit starts from the one before.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::covariances::{covariances, view_weights};
use super::edge_rule::EdgeRule;
use super::learn::{JointGraphicalLasso, JointLearned};
use super::penalty::JointPenalty;
use super::problem::JointProblem;
use super::solution::{JointSolution, Parts};
use crate::chance::Correlations;
use crate::error::{Error, Warning};
use crate::graph::MultiviewGraph;
use crate::progress::{Status, Watch};
use crate::tune::scalar_root::{Value, root};
use crate::views::{Order, Views};

/// Correlations this near to their target will do.
const TOLERANCE: f64 = 0.005;
/// Where ln λ2 may be, beside ln λ1.
const RANGE: [f64; 2] = [-12.0, 4.0];
/// How the logit of the correlation grows with ln λ2, about.
const SLOPE: f64 = 0.7;
/// λ2 of a first trial, over λ1.
const FIRST: f64 = 0.1;

/// The views of a joint graphical lasso with their covariances at hand.
pub struct JointPrepared<'a> {
    learner: &'a JointGraphicalLasso,
    views: &'a Views,
    sorted: Cow<'a, Views>,
    order: Order,
    problem: JointProblem,
    time: Duration,
}

/// One solution, with nodes and views in sorted order.
#[derive(Clone, Debug)]
pub struct JointFit {
    /// λ1, λ2 and the coupling.
    pub penalty: JointPenalty,
    /// What the solver found: also a start for a neighbouring fit.
    pub solution: JointSolution,
    time: Duration,
}

impl<'a> JointPrepared<'a> {
    /// Sorts the views and computes their covariances.
    ///
    /// # Errors
    /// As [`JointGraphicalLasso::learn`].
    pub(super) fn new(learner: &'a JointGraphicalLasso, views: &'a Views) -> Result<Self, Error> {
        let start = Instant::now();
        let (sorted, order) = views.sorted();
        let problem = JointProblem::new(
            sorted.n_nodes(),
            covariances(&sorted, &learner.scaling)?,
            view_weights(&sorted, learner.scaling.sample_norm)?,
            learner.penalty,
        )?;
        Ok(Self {
            learner,
            views,
            sorted,
            order,
            problem,
            time: start.elapsed(),
        })
    }

    /// The λ1 from which on no view has an edge, whatever λ2: the largest c_k |s_ij| off the diagonal.
    pub fn largest_lambda1(&self) -> f64 {
        let n = self.problem.n_nodes();
        let of_view = |view: usize| {
            let entries = self.problem.covariance(view).iter().enumerate();
            let off = entries.filter(|(at, _)| at / n != at % n).map(|(_, s)| s.abs());
            self.problem.view_weights()[view] * off.fold(0.0, f64::max)
        };
        (0..self.problem.n_views()).map(of_view).fold(0.0, f64::max)
    }

    /// Solves for λ1 and λ2 with the learner's solver.
    ///
    /// # Errors
    /// [`Error::Parameter`] for λ1 or λ2 out of range, and what the solver refuses.
    pub fn fit(&self, lambda1: f64, lambda2: f64, start: Option<&Parts>, watch: Watch<'_>) -> Result<JointFit, Error> {
        let clock = Instant::now();
        let penalty = JointPenalty {
            lambda1,
            lambda2,
            ..self.learner.penalty
        };
        let problem = self.problem.with_penalty(penalty)?;
        Ok(JointFit {
            penalty,
            solution: self.learner.solver.run(&problem, start, watch)?,
            time: clock.elapsed(),
        })
    }

    /// The fit at λ1 whose views, by the edge rule, have this mean correlation: within 0.005, or as near as there is one.
    /// `beside` is a neighbouring fit to start from.
    ///
    /// # Errors
    /// As [`JointPrepared::fit`].
    ///
    /// ```
    /// use congraph::methods::graphical_lasso::{Coupling, EdgeRule, JointGraphicalLasso};
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 40, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let learner = JointGraphicalLasso::new(Coupling::Fused, 0.1, 0.1);
    /// let prepared = learner.prepare(&views)?;
    /// let fit = prepared.reach(0.1, 0.8, EdgeRule::NonZero, None, &no_progress)?;
    /// let similarity = prepared.graph(&fit, EdgeRule::NonZero).similarity().unwrap();
    /// assert!((similarity - 0.8).abs() < 0.005);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn reach(
        &self,
        lambda1: f64,
        similarity: f64,
        rule: EdgeRule,
        beside: Option<&JointFit>,
        watch: Watch<'_>,
    ) -> Result<JointFit, Error> {
        let first = beside.map_or(FIRST, |fit| fit.penalty.lambda2 / fit.penalty.lambda1);
        let mut best: Option<(f64, JointFit)> = None;
        let mut last: Option<Parts> = beside.map(|fit| fit.solution.parts.clone());
        let limits = RANGE.map(|end| lambda1.ln() + end);
        root((first * lambda1).ln(), SLOPE, limits, |place| {
            let fit = self.fit(lambda1, place.exp(), last.as_ref(), watch)?;
            last = Some(fit.solution.parts.clone());
            let found = self.sorted_graph(&fit, rule).similarity().unwrap_or(similarity);
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
            None => self.fit(lambda1, first * lambda1, None, watch),
        }
    }

    fn sorted_graph(&self, fit: &JointFit, rule: EdgeRule) -> MultiviewGraph {
        let (nodes, views) = (self.sorted.nodes().to_vec(), self.sorted.names());
        rule.graph(nodes, views, &fit.solution.parts.precisions)
    }

    /// The graphs of a fit in the user's order.
    pub fn graph(&self, fit: &JointFit, rule: EdgeRule) -> MultiviewGraph {
        rule.graph(self.views.nodes().to_vec(), self.views.names(), &self.precisions(fit))
    }

    /// The precision matrices in the user's order.
    fn precisions(&self, fit: &JointFit) -> Vec<Vec<f64>> {
        let n = self.views.n_nodes();
        let place = self.order.places();
        let mut precisions = vec![Vec::new(); self.views.n_views()];
        for (&view, matrix) in self.order.views.iter().zip(&fit.solution.parts.precisions) {
            let row = |&i: &u32| place.iter().map(move |&j| matrix[i as usize * n + j as usize]);
            precisions[view] = place.iter().flat_map(row).collect();
        }
        precisions
    }

    /// The precision matrices of a fit in the user's order, with their certificate and what the user should be warned of.
    pub fn learned(&self, fit: JointFit) -> JointLearned {
        let precisions = self.precisions(&fit);
        let JointFit { solution, time, .. } = fit;
        let mut warnings = Vec::new();
        if solution.status != Status::Converged {
            let message = format!(
                "not converged: {} after {} iterations at a relative gap of {:.1e}; a larger lambda1 is easier to solve for",
                solution.status, solution.iterations, solution.certificate.relative_gap
            );
            warnings.push(Warning::new("W01", message));
        }
        warnings.extend(Correlations::of(self.views).as_ref().and_then(Correlations::warning));
        JointLearned {
            nodes: self.views.nodes().to_vec(),
            views: self.views.names(),
            precisions,
            certificate: solution.certificate,
            status: solution.status,
            iterations: solution.iterations,
            n_components: solution.n_components,
            covariances_time: self.time,
            solve_time: time,
            warnings,
        }
    }
}

fn logit(share: f64) -> f64 {
    let share = share.clamp(1e-4, 1.0 - 1e-6);
    (share / (1.0 - share)).ln()
}
