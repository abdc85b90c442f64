//! The method of a fit from its record: what it takes for α and β to mean the same again.

use std::sync::Arc;

use congraph::methods::likelihood::{self, Likelihood, Signs};
use congraph::{Coupling, Model, Newton, Parameters, Scaling, Smooth, Spectrum, penalties, regularisers};

use super::FitRecord;
use crate::choices::{Choice, Method};

impl FitRecord {
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
            ..usual
        };
        let mut method = Likelihood::new(model);
        method.solver.tolerance = self.tolerance.unwrap_or(method.solver.tolerance);
        let details = likelihood::Details {
            scale: Choice::of_word(self.scale.as_deref()?)?,
            is_lifted: self.lifted?,
            mean_samples: self.effective_samples?,
            threshold: self.threshold?,
            whole_density: 1.0,
            aic: self.aic.unwrap_or(f64::NAN),
            n_parameters: self.n_parameters.unwrap_or(0),
        };
        Some((method, details))
    }

    /// The method and the divisor of the distances; none if the record lacks something of them. All pairs may be
    /// joined, and the solver is Newton's with the same tolerance, whichever it was.
    pub fn smooth(&self) -> Option<(Smooth, f64)> {
        let model = Model {
            parameters: Parameters {
                alpha: self.alpha?,
                beta: self.beta?,
                gamma: self.gamma?,
            },
            coupling: Coupling::Consensus {
                penalty: penalties::by_name(self.penalty.as_deref()?)?,
                regulariser: regularisers::by_name(self.regulariser.as_deref()?)?,
            },
        };
        let scaling = Scaling {
            scale: Choice::of_word(self.scale.as_deref()?)?,
            sample_norm: Choice::of_word(self.sample_norm.as_deref()?)?,
            distance_norm: Choice::of_word(self.distance_norm.as_deref()?)?,
        };
        let usual = Newton::default();
        let newton = Newton {
            tolerance: self.tolerance.unwrap_or(usual.tolerance),
            ..usual
        };
        let method = Smooth {
            scaling,
            spectrum: Spectrum {
                exponent: self.spectrum.unwrap_or(1.0),
                is_chosen: self.spectrum_by.is_some(),
            },
            model,
            solver: Arc::new(newton),
            signed: self.signed == Some(true),
            ..Smooth::default()
        };
        Some((method, self.distance_divisor?))
    }

    /// The method of a fit that can be made again from signals alone: every pair could be joined at no cost, and α, β
    /// and γ are kept. None of any other fit.
    pub fn pooled(&self) -> Option<Smooth> {
        let is_whole = self.n_candidates.is_none() && self.n_edge_costs.is_none();
        let is_smooth = self
            .method
            .as_deref()
            .is_none_or(|word| Method::of_word(word) == Some(Method::Smooth));
        if !is_whole || !is_smooth || self.is_projection() || self.echo.contains_key("subjects") {
            return None;
        }
        // Views on their own have no β.
        let alone = Self {
            beta: Some(0.0),
            gamma: Some(0.0),
            penalty: Some("none".into()),
            regulariser: self.regulariser.clone().or_else(|| Some("none".into())),
            ..self.clone()
        };
        match self.smooth() {
            Some((method, _)) => Some(method),
            None => {
                let (mut method, _) = alone.smooth()?;
                method.model = Model::uncoupled(self.alpha?);
                Some(method)
            }
        }
    }
}
