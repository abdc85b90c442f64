//! The method of a fit from its record: what it takes for α and β to mean the same again.

use std::sync::Arc;

use congraph::methods::graphical_lasso::{self, GraphicalLasso};
use congraph::methods::likelihood::{self, Lift, Likelihood, Signs, Sparsity};
use congraph::penalties::{Penalty, TwoLevels};
use congraph::{
    Admm, Coupling, Model, MultiviewGraph, Newton, Parameters, Scaling, Smooth, Solver, Spectrum, penalties,
    regularisers,
};

use super::FitRecord;
use crate::choices::{Choice, Method};

/// A method that fits parts of the data as a fit was made.
#[derive(Clone, Debug)]
pub enum AgainMethod {
    /// Smooth signals.
    Smooth(Box<Smooth>),
    /// The likelihood.
    Likelihood(Box<Likelihood>),
    /// The joint graphical lasso.
    Joint(Box<GraphicalLasso>),
}

impl FitRecord {
    /// The method of a fit, to learn from other data of the same nodes exactly as it did; none if the record lacks
    /// something of it. `graph` is what it learned. All pairs may be joined.
    ///
    /// The likelihood keeps as many edges as it kept, scales signals and lifts covariances as it did.
    pub fn method_again(&self, graph: &MultiviewGraph) -> Option<AgainMethod> {
        if self.is_joint() {
            return self
                .graphical_lasso()
                .map(|method| AgainMethod::Joint(Box::new(method)));
        }
        if let Some((mut method, details)) = self.likelihood() {
            method.scale = Some(details.scale);
            method.lift = match (method.lift, details.is_lifted) {
                (Lift::Missing, _) => Lift::Missing,
                (_, true) => Lift::Always,
                (_, false) => Lift::None,
            };
            // The last fit may have left out some of the edges that were kept; folders of earlier versions do not tell.
            let density = self.kept_density.unwrap_or_else(|| graph.mean_density());
            method.model.sparsity = if density > 0.0 {
                Sparsity::Like {
                    density,
                    threshold: details.threshold,
                }
            } else {
                Sparsity::Empty
            };
            return Some(AgainMethod::Likelihood(Box::new(method)));
        }
        if self.is_likelihood() {
            return None;
        }
        let (mut method, _) = self.smooth()?;
        if graph.consensus().is_none() {
            method.model = Model::uncoupled(method.model.parameters.alpha);
        }
        Some(AgainMethod::Smooth(Box::new(method)))
    }

    /// The joint graphical lasso of a fit; none if the record lacks something of it.
    fn graphical_lasso(&self) -> Option<GraphicalLasso> {
        let usual = graphical_lasso::Admm::default();
        Some(GraphicalLasso {
            scaling: Scaling {
                scale: Choice::of_word(self.scale.as_deref()?)?,
                sample_norm: Choice::of_word(self.sample_norm.as_deref()?)?,
                ..Scaling::default()
            },
            model: graphical_lasso::Model {
                fusion: Method::of_word(self.method.as_deref()?)?.fusion()?,
                lambda1: self.lambda1?,
                lambda2: self.lambda2?,
                fused_diagonal: self.fused_diagonal.flatten().unwrap_or(true),
            },
            solver: graphical_lasso::Admm {
                tolerance: self.tolerance.unwrap_or(usual.tolerance),
                ..usual
            },
        })
    }

    /// The likelihood of a fit and what its charges are measured by; none if the record lacks something of them. All
    /// pairs may be joined.
    pub fn likelihood(&self) -> Option<(Likelihood, likelihood::Details)> {
        if !self.is_likelihood() {
            return None;
        }
        let signs = if self.signed == Some(true) {
            Signs::Both
        } else {
            Signs::Attractive
        };
        let usual = match signs {
            Signs::Attractive => likelihood::Model::default(),
            Signs::Both => likelihood::Model::signed(),
        };
        let model = likelihood::Model {
            filter: match self.filter? {
                1 => likelihood::Filter::Once,
                2 => likelihood::Filter::Twice,
                _ => return None,
            },
            coupling: self.beta,
            gamma: self.gamma.unwrap_or(0.0),
            penalty: self
                .penalty
                .as_deref()
                .map_or(Some(usual.penalty), likelihood::Coupling::by_name)?,
            ..usual
        };
        let mut method = Likelihood::new(model);
        method.solver.tolerance = self.tolerance.unwrap_or(method.solver.tolerance);
        let details = likelihood::Details {
            diagonals: Vec::new(),
            variances: Vec::new(),
            scale: Choice::of_word(self.scale.as_deref()?)?,
            is_lifted: self.lifted?,
            mean_samples: self.effective_samples?,
            threshold: self.threshold?,
            whole_density: 1.0,
            kept_density: self.kept_density.unwrap_or(f64::NAN),
            aic: self.aic.unwrap_or(f64::NAN),
            n_parameters: self.n_parameters.unwrap_or(0),
        };
        Some((method, details))
    }

    /// The method and the divisor of the distances; none if the record lacks something of them. All pairs may be
    /// joined, and the solver is Newton's with the same tolerance, whichever it was (ADMM where a penalty needs it).
    /// A new view is then a new subject's ([`congraph::Projector::new`]).
    pub fn smooth(&self) -> Option<(Smooth, f64)> {
        let model = Model {
            parameters: Parameters {
                alpha: self.alpha?,
                beta: self.beta?,
                gamma: self.gamma?,
            },
            coupling: Coupling::Consensus {
                penalty: self.coupled_penalty()?,
                regulariser: regularisers::by_name(self.regulariser.as_deref()?)?,
            },
        };
        let scaling = Scaling {
            scale: Choice::of_word(self.scale.as_deref()?)?,
            sample_norm: Choice::of_word(self.sample_norm.as_deref()?)?,
            distance_norm: Choice::of_word(self.distance_norm.as_deref()?)?,
        };
        let method = Smooth {
            scaling,
            spectrum: Spectrum {
                exponent: self.spectrum.unwrap_or(1.0),
                is_chosen: self.spectrum_by.is_some(),
            },
            solver: self.solver_of(&model),
            model,
            signed: self.signed == Some(true),
            ..Smooth::default()
        };
        Some((method, self.distance_divisor?))
    }

    /// Newton's with the same tolerance, or ADMM where a penalty couples the edges.
    fn solver_of(&self, model: &Model) -> Arc<dyn Solver> {
        let is_joint = match &model.coupling {
            Coupling::Consensus { penalty, .. } => penalty.joint().is_some(),
            Coupling::Uncoupled => true,
        };
        if is_joint {
            let usual = Newton::default();
            Arc::new(Newton {
                tolerance: self.tolerance.unwrap_or(usual.tolerance),
                ..usual
            })
        } else {
            let usual = Admm::default();
            Arc::new(Admm {
                tolerance: self.tolerance.unwrap_or(usual.tolerance),
                ..usual
            })
        }
    }

    /// The penalty with what it couples.
    pub fn coupled_penalty(&self) -> Option<Arc<dyn Penalty>> {
        match (self.coupling.as_deref(), self.subject_share) {
            (None, _) => penalties::by_name(self.penalty.as_deref()?),
            (Some(_), Some(share)) => Some(Arc::new(TwoLevels::new(share))),
            (Some(name), None) => penalties::couplings()
                .into_iter()
                .find(|one| one.coupling() == Some(name)),
        }
    }

    /// [`FitRecord::method_again`] of a fit that can be made again from signals alone, and whose views know no labels of
    /// each other: smooth signals, every pair could be joined at no cost, all views with one consensus or none. None of any
    /// other fit.
    pub fn pooled(&self, graph: &MultiviewGraph) -> Option<Smooth> {
        let is_whole = self.n_candidates.is_none() && self.n_edge_costs.is_none();
        if !is_whole || self.is_projection() || self.coupling.is_some() {
            return None;
        }
        match self.method_again(graph)? {
            AgainMethod::Smooth(method) => Some(*method),
            AgainMethod::Likelihood(_) | AgainMethod::Joint(_) => None,
        }
    }
}
