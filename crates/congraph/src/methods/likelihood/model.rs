//! The numbers and terms of the objective.

use super::coupling::Coupling;
use super::problem::{Filter, Signs};
use super::sparsity::Sparsity;

/// What a search varies. Charges are in units of 1/√p, with p the mean number of independent samples of a view, so that
/// they mean the same for any number of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// How often the filter is applied.
    pub filter: Filter,
    /// Which signs edges may have.
    pub signs: Signs,
    /// b: β = b/√p. None learns every view on its own, without a consensus.
    pub coupling: Option<f64>,
    /// How departures from the consensus are charged.
    pub penalty: Coupling,
    /// λ in units of 1/√p.
    pub lambda: f64,
    /// γ in units of β: the consensus of N views is empty from N on, for ℓ2 from √N on, for squared ℓ2 never.
    pub gamma: f64,
    /// How many edges are kept.
    pub sparsity: Sparsity,
}

/// b of signed graphs, if nothing chooses it.
pub const SIGNED_COUPLING: f64 = 4.0;
/// λ of signed graphs in units of 1/√p: nothing else makes them sparse.
pub const SIGNED_LAMBDA: f64 = 1.0;

impl Model {
    /// An attractive graph with a consensus.
    pub fn attractive(filter: Filter, coupling: f64) -> Self {
        Self {
            filter,
            signs: Signs::Attractive,
            coupling: Some(coupling),
            penalty: Coupling::L1,
            lambda: 0.0,
            gamma: 0.0,
            sparsity: Sparsity::Automatic,
        }
    }

    /// A graph with edges of both signs and a consensus.
    pub fn signed() -> Self {
        Self {
            filter: Filter::Once,
            signs: Signs::Both,
            coupling: Some(SIGNED_COUPLING),
            penalty: Coupling::L1,
            lambda: SIGNED_LAMBDA,
            gamma: 0.0,
            sparsity: Sparsity::Automatic,
        }
    }

    /// Whether a consensus is learned.
    pub fn is_coupled(&self) -> bool {
        self.coupling.is_some_and(|b| b > 0.0)
    }
}

impl Default for Model {
    fn default() -> Self {
        Self::attractive(Filter::Twice, 2.0)
    }
}
