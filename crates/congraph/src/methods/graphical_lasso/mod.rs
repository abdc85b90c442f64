//! Other ways to learn several graphs, to compare with.
//!
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
//! penalty      λ1, λ2 and the coupling: value and proximal map      fused, group   one coupling, one file
//! problem      covariances, weights, penalty; objective, lower bound, gap
//! screening    which nodes can be solved apart
//! admm         the solver                                           matrices       its linear algebra
//! solution     screening, solver and certificate in one call; warm starts
//! covariances  views → covariances                                  edge_rule      precision matrices → graphs
//! learn        views → precision matrices → graphs                   prepared       many fits of the same views; λ2 for a similarity
//! ```

mod admm;
mod covariances;
mod edge_rule;
mod fused;
mod group;
mod learn;
mod matrices;
mod penalty;
mod prepared;
mod problem;
mod screening;
mod solution;

pub use admm::JointAdmm;
pub use edge_rule::EdgeRule;
pub use fused::Pool;
pub use learn::{JointGraphicalLasso, JointLearned};
pub use penalty::{Coupling, JointPenalty, Scratch};
pub use prepared::{JointFit, JointPrepared};
pub use problem::{JointCertificate, JointProblem};
pub use solution::{JointSolution, Parts};
