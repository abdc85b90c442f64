//! The problem: distances, α, β, γ, a penalty and a regulariser.
//!
//! ```text
//! minimise over w^1..w^N, w :
//!     Σ_i { D^iᵀ w^i + α ( ‖S w^i‖² + 2‖w^i‖² ) } + β c({w^i − w}) + γ r(w)
//! subject to  w^i ≥ 0,  1ᵀ w^i = n,  w ≥ 0.                              eq:multiview_graph_learning_vec
//! ```
//!
//! in weights w = −ℓ ≥ 0 rather than Laplacian entries ℓ. ‖S w‖² + 2‖w‖² is ‖L‖_F².
//!
//! A view that lacks nodes has edges between its own n_i nodes only and the total 1ᵀ w^i = n_i; c charges an edge in
//! the views that have it, and the consensus has the edges that some view has ([`Membership`]).
//!
//! With a **frozen** consensus ([`Problem::frozen`]) w is data, there is one view, and γ r(w) is a constant that is
//! left out. An edge's minimiser is then that of one number, so the prox of c is all it takes:
//!
//! ```text
//! argmin over W ≥ 0 of ½(W − u)² + τ c(W − w)  =  max(0, w + prox_τc(u − w))
//! ```

use std::sync::Arc;

use super::model::{Model, Parameters};
use crate::distances::Distances;
use crate::edges::{ViewMatrix, Weights};
use crate::error::Error;
use crate::methods::smooth::edge_subproblem::{EdgeSubproblem, Frozen};
use crate::parallel::chunks;
use crate::penalties::{JointEdge, NoPenalty, Penalty};
use crate::regularisers::Regulariser;
use crate::views::{Membership, own_or_marked};

/// A graph learning problem. Cheap to clone: the distances are shared.
#[derive(Clone, Debug)]
pub struct Problem {
    distances: Arc<Distances>,
    model: Model,
    /// The consensus weight of every edge, where it is given rather than looked for.
    frozen: Option<Arc<[f64]>>,
}

impl Problem {
    /// States the problem.
    ///
    /// # Errors
    /// [`Error::Parameter`] if α is not positive, or β or γ is negative, or any is not finite; and for views that lack
    /// nodes and a penalty without a joint edge minimiser (a regulariser without a slope).
    pub fn new(distances: Arc<Distances>, model: Model) -> Result<Self, Error> {
        let Parameters { alpha, beta, gamma } = model.parameters;
        if !(alpha > 0.0 && (4.0 * alpha).is_finite() && alpha.is_normal()) {
            return Err(Error::Parameter {
                name: "alpha",
                message: format!("is {alpha}; it must be positive and finite"),
            });
        }
        for (name, value) in [("beta", beta), ("gamma", gamma)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::Parameter {
                    name,
                    message: format!("is {value}; it must be finite and non-negative"),
                });
            }
            if !(value / (4.0 * alpha)).is_finite() {
                return Err(Error::Parameter {
                    name,
                    message: format!("is {value}, too large for f64 next to an alpha of {alpha}"),
                });
            }
        }
        // Views without coupling are one thing from here on, however they were asked for.
        let model = if model.is_coupled() {
            model
        } else {
            Model::uncoupled(alpha)
        };
        let model = model.told_of(distances.membership().subjects())?;
        let model = model.on_pairs(distances.edges().pairs());
        let problem = Self {
            distances,
            model,
            frozen: None,
        };
        if !problem.membership().is_total() && problem.edge_term().is_none() {
            return Err(Error::Parameter {
                name: "missing",
                message: format!(
                    "`mask` cannot be used with `{}`: an edge is charged in the views that have it, which needs the \
                     joint edge minimiser (of a regulariser: its slope)",
                    problem.penalty().name()
                ),
            });
        }
        Ok(problem)
    }

    /// Which view has which node.
    pub fn membership(&self) -> &Membership {
        self.distances.membership()
    }

    /// The total 1ᵀ w^i of a view's weights: its number of nodes.
    pub fn total(&self, view: usize) -> f64 {
        self.membership().n_nodes_of(view) as f64
    }

    /// The totals of all views.
    pub(crate) fn totals(&self) -> Vec<f64> {
        (0..self.n_views()).map(|view| self.total(view)).collect()
    }

    /// The best consensus for an edge's weights.
    pub(crate) fn consensus(
        &self,
        term: EdgeSubproblem<'_>,
        edge: usize,
        row: &[f64],
        scratch: &mut [Vec<f64>; 2],
    ) -> f64 {
        let [buffer, scratch] = scratch;
        if self.membership().is_total() {
            return term.consensus(row, scratch);
        }
        let distances = self.distances.values().row(edge);
        term.consensus(own_or_marked(row, distances, term.whole, buffer), scratch)
    }

    /// The weights of the subjects' graphs on one edge beside its weights in the views and in the consensus (NaN where a
    /// subject lacks it); none if the penalty knows no subjects.
    pub fn subject_weights(&self, edge: usize, row: &[f64], consensus: f64) -> Option<Vec<f64>> {
        let mut buffer = Vec::new();
        let distances = self.distances.values().row(edge);
        let whole = own_or_marked(row, distances, true, &mut buffer);
        self.penalty().subject_weights(whole, consensus)
    }

    /// The problem of one view whose consensus is given, one weight ≥ 0 per edge.
    ///
    /// # Errors
    /// [`Error::Parameter`] if γ is not 0; [`Error::Invalid`] if there are several views or the consensus is not as it
    /// should be.
    pub fn frozen(self, consensus: Arc<[f64]>) -> Result<Self, Error> {
        let refuse = |what, message: String| Err(Error::Invalid { what, message });
        if self.n_views() != 1 {
            let message = format!(
                "are {}; against a frozen consensus each is learned on its own",
                self.n_views()
            );
            return refuse("views", message);
        }
        if self.parameters().gamma != 0.0 {
            return Err(Error::Parameter {
                name: "gamma",
                message: "weighs a consensus that is looked for; it must be 0 where it is frozen".into(),
            });
        }
        if consensus.len() != self.n_edges() {
            let message = format!("has {} weights for {} edges", consensus.len(), self.n_edges());
            return refuse("consensus", message);
        }
        if let Some(weight) = consensus.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return refuse(
                "consensus",
                format!("holds {weight}; weights are finite and not negative"),
            );
        }
        Ok(Self {
            frozen: Some(consensus),
            ..self
        })
    }

    /// The frozen consensus, one weight per edge, if it is.
    pub fn frozen_consensus(&self) -> Option<&[f64]> {
        self.frozen.as_deref()
    }

    /// The distances, to be kept.
    pub(crate) fn distances_shared(&self) -> &Arc<Distances> {
        &self.distances
    }

    /// The distances.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// α, β and γ.
    pub fn parameters(&self) -> Parameters {
        self.model.parameters
    }

    /// α, and what couples the views.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The penalty c.
    pub fn penalty(&self) -> &dyn Penalty {
        self.model.penalty()
    }

    /// The regulariser r.
    pub fn regulariser(&self) -> &dyn Regulariser {
        self.model.regulariser()
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.distances.edges().n_nodes()
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.distances.values().n_views()
    }

    /// How many edges may be present.
    pub fn n_edges(&self) -> usize {
        self.distances.edges().n_edges()
    }

    /// κ = 4α, the curvature of each weight's own quadratic; solvers work in units of it.
    pub(crate) fn kappa(&self) -> f64 {
        4.0 * self.parameters().alpha
    }

    /// The objective at the given weights.
    pub fn objective(&self, weights: &Weights) -> f64 {
        let Parameters { alpha, beta, gamma } = self.parameters();
        let degrees = weights.degrees(self.distances.edges());
        let separable = self.penalty().is_separable();
        let (present, views) = (weights.edges(), weights.views());
        let parts = chunks::map(present.len(), |range| {
            let mut differences = Vec::with_capacity(range.len() * self.n_views());
            let (mut smoothness, mut squares) = (0.0, 0.0);
            if !self.membership().is_total() {
                return self.masked_edges(weights, range);
            }
            for k in range {
                let distances = self.distances.values().row(present[k] as usize);
                for (&weight, distance) in views.row(k).iter().zip(distances) {
                    smoothness += distance * weight;
                    squares += weight * weight;
                    differences.push(weight - weights.consensus()[k]);
                }
            }
            let coupling = if beta > 0.0 && separable {
                self.penalty().value(&differences, self.n_views())
            } else {
                0.0
            };
            smoothness + 2.0 * alpha * squares + beta * coupling
        });
        let frobenius: f64 = degrees.values().iter().map(|degree| degree * degree).sum();
        // A penalty that is not separable is shown every edge at once.
        let coupling = if beta > 0.0 && !separable {
            let mut all = ViewMatrix::zeros(self.n_edges(), self.n_views());
            for (edge, row, consensus) in weights.iter() {
                for (difference, weight) in all.row_mut(edge).iter_mut().zip(row) {
                    *difference = weight - consensus;
                }
            }
            self.penalty().value(all.values(), self.n_views())
        } else {
            0.0
        };
        let regularisation = if gamma == 0.0 {
            0.0
        } else {
            gamma * self.regulariser().value(weights.consensus())
        };
        parts.iter().sum::<f64>() + alpha * frobenius + beta * coupling + regularisation
    }

    /// The share of some edges in the objective, but for their degrees and the consensus, where views lack edges.
    fn masked_edges(&self, weights: &Weights, range: std::ops::Range<usize>) -> f64 {
        let Parameters { alpha, beta, .. } = self.parameters();
        let mut differences = Vec::with_capacity(self.n_views());
        let mut sum = 0.0;
        for k in range {
            let distances = self.distances.values().row(weights.edges()[k] as usize);
            differences.clear();
            for (&weight, &distance) in weights.views().row(k).iter().zip(distances) {
                if distance < f64::INFINITY {
                    sum += distance * weight + 2.0 * alpha * weight * weight;
                    differences.push(weight - weights.consensus()[k]);
                } else if self.penalty().has_places() {
                    differences.push(f64::NAN);
                }
            }
            if beta > 0.0 {
                sum += beta * self.penalty().value(&differences, differences.len());
            }
        }
        sum
    }

    /// The edge's share of the dual in units of κ, if penalty and regulariser offer it.
    pub(crate) fn edge_term(&self) -> Option<EdgeSubproblem<'_>> {
        let Parameters { beta, gamma, .. } = self.parameters();
        let slope = if gamma == 0.0 { 0.0 } else { self.regulariser().slope()? };
        let joint: &dyn JointEdge = if beta == 0.0 {
            &NoPenalty
        } else {
            self.penalty().joint()?
        };
        Some(EdgeSubproblem {
            joint,
            tau: beta / self.kappa(),
            sigma: gamma * slope / self.kappa(),
            masked: !self.membership().is_total(),
            whole: beta > 0.0 && self.penalty().has_places(),
            // Without a penalty nothing depends on the consensus.
            frozen: self.frozen_consensus().filter(|_| beta > 0.0).map(|consensus| Frozen {
                consensus,
                penalty: self.penalty(),
            }),
        })
    }
}
