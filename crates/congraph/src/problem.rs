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
//! With a **frozen** consensus ([`Problem::frozen`]) w is data, there is one view, and γ r(w) is a constant that is left out. An
//! edge's minimiser is then that of one number, so the prox of c is all it takes:
//!
//! ```text
//! argmin over W ≥ 0 of ½(W − u)² + τ c(W − w)  =  max(0, w + prox_τc(u − w))
//! ```

use std::sync::Arc;

use crate::blocks;
use crate::distances::Distances;
use crate::error::Error;
use crate::penalties::{JointEdge, L1, NoPenalty, Penalty};
use crate::regularisers::{NoRegulariser, Regulariser};
use crate::rows::ViewRows;
use crate::weights::Weights;

/// The three numbers that weigh the terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Weighs ‖L‖_F²; larger is denser. Must be positive.
    pub alpha: f64,
    /// Weighs the penalty; larger makes the views more alike. 0 learns every view on its own.
    pub beta: f64,
    /// Weighs the regulariser; larger makes the consensus sparser.
    pub gamma: f64,
}

/// Everything of a problem but the data.
#[derive(Clone, Debug)]
pub struct Model {
    /// α, β and γ.
    pub parameters: Parameters,
    /// The penalty c.
    pub penalty: Arc<dyn Penalty>,
    /// The regulariser r.
    pub regulariser: Arc<dyn Regulariser>,
}

impl Model {
    /// mvGL-ℓ1: the ℓ1 penalty, and no regulariser.
    pub fn l1(alpha: f64, beta: f64) -> Self {
        Self {
            parameters: Parameters {
                alpha,
                beta,
                gamma: 0.0,
            },
            penalty: Arc::new(L1),
            regulariser: Arc::new(NoRegulariser),
        }
    }

    /// Every view on its own (svGL, `eq:single_graph_learning`): β = 0 and no consensus.
    pub fn single(alpha: f64) -> Self {
        Self {
            penalty: Arc::new(NoPenalty),
            ..Self::l1(alpha, 0.0)
        }
    }
}

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
    /// [`Error::Parameter`] if α is not positive, or β or γ is negative, or any is not finite.
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
                    message: format!("is {value}; it must not be negative, and finite"),
                });
            }
            if !(value / (4.0 * alpha)).is_finite() {
                return Err(Error::Parameter {
                    name,
                    message: format!("is {value}, too large for f64 next to an alpha of {alpha}"),
                });
            }
        }
        Ok(Self {
            distances,
            model,
            frozen: None,
        })
    }

    /// The problem of one view whose consensus is given, one weight ≥ 0 per edge.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are several views, γ is not 0, or the consensus is not as it should be.
    pub fn frozen(self, consensus: Arc<[f64]>) -> Result<Self, Error> {
        let refuse = |name, message: String| Err(Error::Parameter { name, message });
        if self.n_views() != 1 {
            let message = format!(
                "are {}; against a frozen consensus each is learned on its own",
                self.n_views()
            );
            return refuse("views", message);
        }
        if self.parameters().gamma != 0.0 {
            return refuse(
                "gamma",
                "weighs a consensus that is looked for; it must be 0 where it is frozen".into(),
            );
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

    /// The distances.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// α, β and γ.
    pub fn parameters(&self) -> Parameters {
        self.model.parameters
    }

    /// The penalty c.
    pub fn penalty(&self) -> &dyn Penalty {
        self.model.penalty.as_ref()
    }

    /// The regulariser r.
    pub fn regulariser(&self) -> &dyn Regulariser {
        self.model.regulariser.as_ref()
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
        let separable = self.penalty().joint().is_some();
        let (present, views) = (weights.edges(), weights.views());
        let parts = blocks::map(present.len(), |range| {
            let mut differences = Vec::with_capacity(range.len() * self.n_views());
            let (mut smoothness, mut squares) = (0.0, 0.0);
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
            let mut all = ViewRows::zeros(self.n_edges(), self.n_views());
            for (edge, row, shared) in weights.iter() {
                for (difference, weight) in all.row_mut(edge).iter_mut().zip(row) {
                    *difference = weight - shared;
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

    /// The edge's share of the dual in units of κ, if penalty and regulariser offer it.
    pub(crate) fn edge_term(&self) -> Option<EdgeTerm<'_>> {
        let Parameters { beta, gamma, .. } = self.parameters();
        let slope = if gamma == 0.0 { 0.0 } else { self.regulariser().slope()? };
        let joint: &dyn JointEdge = if beta == 0.0 {
            &NoPenalty
        } else {
            self.penalty().joint()?
        };
        Some(EdgeTerm {
            joint,
            tau: beta / self.kappa(),
            sigma: gamma * slope / self.kappa(),
            penalty: self.penalty(),
            // Without a penalty nothing depends on the consensus.
            frozen: self.frozen_consensus().filter(|_| beta > 0.0),
        })
    }
}

/// The minimisation over one edge that is left when the degrees are held by multipliers; see [`JointEdge`].
#[derive(Clone, Copy)]
pub(crate) struct EdgeTerm<'a> {
    pub(crate) joint: &'a dyn JointEdge,
    pub(crate) tau: f64,
    pub(crate) sigma: f64,
    penalty: &'a dyn Penalty,
    frozen: Option<&'a [f64]>,
}

impl EdgeTerm<'_> {
    /// Whether an edge may be present, or adds to the dual, although no target is positive: a frozen consensus holds it.
    pub(crate) fn is_held(&self, edge: usize) -> bool {
        self.frozen.is_some_and(|frozen| frozen[edge] > 0.0)
    }

    /// Writes the weights for targets u and returns the consensus.
    pub(crate) fn minimise(&self, targets: &[f64], weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        self.joint.minimise(targets, self.tau, self.sigma, weights, scratch)
    }

    /// Writes the weights and the consensus of several edges.
    pub(crate) fn minimise_rows(&self, edges: &[usize], targets: &[f64], weights: &mut [f64], consensus: &mut [f64]) {
        let Some(frozen) = self.frozen else {
            self.joint
                .minimise_rows(targets, self.tau, self.sigma, weights, consensus);
            return;
        };
        for (shared, &edge) in consensus.iter_mut().zip(edges) {
            *shared = frozen[edge];
        }
        for ((weight, target), shared) in weights.iter_mut().zip(targets).zip(&*consensus) {
            *weight = target - shared;
        }
        self.penalty.prox(weights, 1, self.tau);
        for (weight, shared) in weights.iter_mut().zip(&*consensus) {
            *weight = (*weight + shared).max(0.0);
        }
    }

    /// How many rank-one terms [`EdgeTerm::jacobian`] has.
    pub(crate) fn rank(&self) -> usize {
        if self.frozen.is_some() { 0 } else { self.joint.rank() }
    }

    /// ∂W/∂u at a minimiser, as [`JointEdge::jacobian`].
    pub(crate) fn jacobian(&self, weights: &[f64], consensus: f64, diagonal: &mut [f64], factors: &mut [f64]) {
        if self.frozen.is_none() {
            self.joint
                .jacobian(self.tau, self.sigma, weights, consensus, diagonal, factors);
            return;
        }
        for (entry, &weight) in diagonal.iter_mut().zip(weights) {
            *entry = if weight > 0.0 {
                self.joint.frozen_slope(self.tau, weight - consensus)
            } else {
                0.0
            };
        }
    }

    /// Whether the edge is absent for targets u, and so for any smaller ones.
    pub(crate) fn is_absent(&self, targets: &[f64]) -> bool {
        self.joint.is_absent(targets, self.tau, self.sigma)
    }

    /// The best consensus for given view weights.
    pub(crate) fn consensus(&self, weights: &[f64], scratch: &mut Vec<f64>) -> f64 {
        let ratio = if self.tau > 0.0 { self.sigma / self.tau } else { 0.0 };
        self.joint.consensus(weights, ratio, scratch)
    }
}
