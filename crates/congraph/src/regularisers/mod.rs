//! Regularisers r: what is charged for the consensus itself.
//!
//! On w ≥ 0, where it is used, a regulariser is a value and a prox; one that is a straight line there says so, and
//! [`Newton`](crate::methods::smooth::Newton) can then take it into the edge's joint minimiser. One regulariser is one
//! file; [`registry`] lists them all.

mod l1;
mod none;

use std::fmt;
use std::sync::Arc;

pub use l1::L1Norm;
pub use none::NoRegulariser;

/// A convex function of the consensus weights w ≥ 0.
pub trait Regulariser: fmt::Debug + Send + Sync {
    /// The name by which users choose it.
    fn name(&self) -> &str;

    /// r(w).
    fn value(&self, consensus: &[f64]) -> f64;

    /// Replaces w by argmin over y ≥ 0 of step · r(y) + ½‖y − w‖².
    fn prox(&self, consensus: &mut [f64], step: f64);

    /// The slope s if r(w) = s Σ w on w ≥ 0.
    fn slope(&self) -> Option<f64> {
        None
    }
}

/// All regularisers that users can choose. A new one is one file and one line here.
pub fn registry() -> Vec<Arc<dyn Regulariser>> {
    vec![Arc::new(NoRegulariser), Arc::new(L1Norm)]
}

/// The regulariser of that name.
pub fn by_name(name: &str) -> Option<Arc<dyn Regulariser>> {
    registry().into_iter().find(|regulariser| regulariser.name() == name)
}
