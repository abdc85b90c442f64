//! Everything of a problem but the data: α, and what couples the views.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::options::option;
use crate::penalties::{L1, NoPenalty, Penalty};
use crate::regularisers::{NoRegulariser, Regulariser};
use crate::views::Subjects;

/// The three numbers that weigh the terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Weighs ‖L‖_F²; larger is denser. Must be positive.
    pub alpha: f64,
    /// Weighs the penalty; larger makes the views more alike. 0 where the views are not coupled.
    pub beta: f64,
    /// Weighs the regulariser; larger makes the consensus sparser.
    pub gamma: f64,
}

/// How the views are coupled, if they are.
#[derive(Clone, Debug)]
pub enum Coupling {
    /// Every view on its own (svGL, `eq:single_graph_learning`): no consensus.
    Uncoupled,
    /// A consensus w, charged by β c({w^i − w}) + γ r(w).
    Consensus {
        /// The penalty c.
        penalty: Arc<dyn Penalty>,
        /// The regulariser r.
        regulariser: Arc<dyn Regulariser>,
    },
}

/// α, β, γ and the terms they weigh.
#[derive(Clone, Debug)]
pub struct Model {
    /// α, β and γ.
    pub parameters: Parameters,
    /// What β and γ weigh.
    pub coupling: Coupling,
}

impl Model {
    /// Views that a penalty draws to a consensus, of which nothing else is asked.
    pub fn new(alpha: f64, beta: f64, penalty: Arc<dyn Penalty>) -> Self {
        Self {
            parameters: Parameters {
                alpha,
                beta,
                gamma: 0.0,
            },
            coupling: Coupling::Consensus {
                penalty,
                regulariser: Arc::new(NoRegulariser),
            },
        }
    }

    /// mvGL-ℓ1: the ℓ1 penalty, and no regulariser.
    pub fn l1(alpha: f64, beta: f64) -> Self {
        Self::new(alpha, beta, Arc::new(L1))
    }

    /// Every view on its own.
    pub fn uncoupled(alpha: f64) -> Self {
        Self {
            parameters: Parameters {
                alpha,
                beta: 0.0,
                gamma: 0.0,
            },
            coupling: Coupling::Uncoupled,
        }
    }

    /// The same with a regulariser of the consensus, weighed by γ; nothing where there is no consensus.
    #[must_use]
    pub fn regularised(self, gamma: f64, regulariser: Arc<dyn Regulariser>) -> Self {
        match self.coupling {
            Coupling::Uncoupled => self,
            Coupling::Consensus { penalty, .. } => Self {
                parameters: Parameters {
                    gamma,
                    ..self.parameters
                },
                coupling: Coupling::Consensus { penalty, regulariser },
            },
        }
    }

    /// The same terms at other parameters.
    #[must_use]
    pub fn at(&self, parameters: Parameters) -> Self {
        Self {
            parameters,
            coupling: self.coupling.clone(),
        }
    }

    /// The same with a penalty that knows which views are of one subject, if it asks.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it asks and there is no answer.
    pub(crate) fn told_of(self, subjects: Option<&Subjects>) -> Result<Self, Error> {
        let Coupling::Consensus { penalty, regulariser } = &self.coupling else {
            return Ok(self);
        };
        match subjects.and_then(|subjects| penalty.of_subjects(subjects.of_views())) {
            Some(penalty) => Ok(Self {
                parameters: self.parameters,
                coupling: Coupling::Consensus {
                    penalty,
                    regulariser: Arc::clone(regulariser),
                },
            }),
            None if penalty.needs_subjects() => Err(Error::Parameter {
                name: "subjects",
                message: format!(
                    "are not told, and `{}` couples the views of each subject first; give {}, or choose {}",
                    penalty.name(),
                    option("subjects").bare(),
                    option("penalty").set_to("l1")
                ),
            }),
            None => Ok(self),
        }
    }

    /// The same with a penalty that knows the ends of the edges, if it asks.
    pub(crate) fn on_pairs(mut self, pairs: &[[u32; 2]]) -> Self {
        if let Coupling::Consensus { penalty, .. } = &mut self.coupling
            && let Some(told) = penalty.of_pairs(pairs)
        {
            *penalty = told;
        }
        self
    }

    /// Whether a consensus is asked for.
    pub fn has_consensus(&self) -> bool {
        matches!(self.coupling, Coupling::Consensus { .. })
    }

    /// Whether there is a consensus: it takes a penalty that charges something and β > 0.
    pub fn is_coupled(&self) -> bool {
        match &self.coupling {
            Coupling::Uncoupled => false,
            Coupling::Consensus { penalty, .. } => self.parameters.beta > 0.0 && penalty.couples(),
        }
    }

    /// The penalty c; none charges nothing.
    pub fn penalty(&self) -> &dyn Penalty {
        match &self.coupling {
            Coupling::Uncoupled => &NoPenalty,
            Coupling::Consensus { penalty, .. } => penalty.as_ref(),
        }
    }

    /// The regulariser r; none asks for nothing.
    pub fn regulariser(&self) -> &dyn Regulariser {
        match &self.coupling {
            Coupling::Uncoupled => &NoRegulariser,
            Coupling::Consensus { regulariser, .. } => regulariser.as_ref(),
        }
    }

    /// Whether penalty and regulariser offer the minimiser over one edge, whatever γ: what Newton and working sets need.
    pub fn has_edge_minimiser(&self) -> bool {
        !self.is_coupled() || self.penalty().joint().is_some() && self.regulariser().slope().is_some()
    }
}
