//! The **joint graphical lasso** of Danaher, Wang and Witten (2014), *The joint graphical lasso for inverse covariance
//! estimation across multiple classes*: one sparse precision matrix Θ^k per view, from its covariance matrix S^k,
//!
//! ```text
//! minimise over Θ^1..Θ^N ≻ 0 :
//!     Σ_k c_k ( −log det Θ^k + tr(S^k Θ^k) ) + λ1 Σ_k Σ_{i≠j} |θ^k_ij| + λ2 Σ_ij P(θ^1_ij, …, θ^N_ij)
//!
//! fused    P(x) = Σ_{k<l} |x_k − x_l|     for i ≠ j, and on the diagonal unless `fused_diagonal` is off
//! group    P(x) = ‖x‖₂                    for i ≠ j
//! ```
//!
//! With one view, or λ2 = 0, it is the graphical lasso. It learns no consensus.
//!
//! ```text
//! model        λ1, λ2 and the coupling: value and proximal map      fused, group   one coupling, one file
//! problem      covariances, weights, penalty; objective, lower bound, gap
//! screening    which nodes can be solved apart
//! admm         the solver                                           matrices       its linear algebra
//! solution     screening, solver and certificate in one call; warm starts
//! covariances  views → covariances                                  edge_rule      precision matrices → graphs
//! method       views → covariances → precision matrices → graphs
//! ```

mod admm;
mod covariances;
mod edge_rule;
mod fused;
mod group;
mod matrices;
mod method;
mod model;
mod problem;
mod screening;
mod solution;

pub use admm::Admm;
pub use edge_rule::EdgeRule;
pub use fused::Pool;
pub use method::{Details, GraphicalLasso};
pub use model::{Fusion, Model, Scratch};
pub use problem::Problem;
pub use solution::{Iterate, Solution};
