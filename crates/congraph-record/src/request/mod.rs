//! What was asked of a fit, whoever asked: plain fields, resolved once into what the library runs.
//!
//! ```text
//! fit         FitRequest: every option of a fit, what it means, and congraph's own method
//! jgl         the same request as a joint graphical lasso
//! likelihood  the same request as a likelihood
//! tune        TuneRequest: a path and how its fits are judged
//! pairs       which pairs may be joined and at what cost: told, or in a table that a face has to read
//! spectrum    how far signals are whitened
//! memory      what cannot fit is refused before any work is done
//! value       what an option is set to, as a face has it
//! ```
//!
//! A face fills a request, by its fields or by ids ([`FitRequest::set`]), and calls [`FitRequest::resolve`]: all checks
//! are there, and what they refuse names options by their ids.

mod fit;
mod jgl;
mod likelihood;
mod memory;
mod pairs;
mod spectrum;
#[cfg(test)]
mod tests;
mod tune;
mod value;

use congraph::methods::graphical_lasso::{Fusion, GraphicalLasso};

pub use fit::{Asked, FitRequest, PenaltyRequest};
pub use likelihood::LikelihoodAsked;
pub use memory::{GIB, check_memory};
pub use pairs::{CandidateRequest, CostRequest, Tables};
pub use spectrum::SpectrumRequest;
pub use tune::{TuneAsked, TuneRequest};
pub use value::Value;

use crate::choices::Method;
use crate::refusal::RequestError;

/// What the library is to run.
#[derive(Clone, Debug)]
pub enum Resolved {
    /// congraph's own method, and what it is to reach.
    Smooth(Box<Asked>),
    /// The likelihood, and what is wanted of it.
    Likelihood(Box<LikelihoodAsked>),
    /// The joint graphical lasso.
    GraphicalLasso(GraphicalLasso),
}

impl FitRequest {
    /// Checks everything, and says what the library is to run.
    ///
    /// # Errors
    /// The first option that contradicts another, is out of its range, is missing or means nothing here.
    pub fn resolve(&self) -> Result<Resolved, RequestError> {
        match self.method {
            Method::Smooth => Ok(Resolved::Smooth(Box::new(self.smooth()?))),
            Method::Likelihood => Ok(Resolved::Likelihood(Box::new(self.likelihood()?))),
            Method::JglFused => Ok(Resolved::GraphicalLasso(self.graphical_lasso(Fusion::Fused)?)),
            Method::JglGroup => Ok(Resolved::GraphicalLasso(self.graphical_lasso(Fusion::Group)?)),
        }
    }
}
