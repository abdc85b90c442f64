//! The **attractive filter likelihood** with a consensus: graphs that make the signals likely.
//!
//! Signals x = M⁻¹ · white noise (or its square root) over an M-matrix M = diag(t) − W have the precision M^q. With the
//! covariance S^i of each view, the graphs W^i and their consensus c solve
//!
//! ```text
//! minimise  Σ_i v_i { tr(S_i (M^i)^q)/q − log det M^i } + Σ_e { Σ_i λ_e W^i_e + β_e |W^i_e − c_e| } + γ Σ_e c_e
//!     M^i = diag(t^i) − W^i positive definite,   W^i ≥ 0,   c ≥ 0,   t^i free,   q = 1 or 2
//! ```
//!
//! which is convex. W ≥ 0 alone makes W sparse: λ = 0 is usual. Departures W^i_e − c_e may also be charged by their length
//! over the views, or by their squares.
//!
//! ```text
//! data          views → covariances, edges, samples                   model     the numbers that a search varies
//! problem       covariances, edges, charges; points, objective        edge      one edge's joint minimiser
//! coupling      how departures from the consensus are charged, and what that can hold
//! certificate   a lower bound from any dual point: knows no solver    matrices  dense linear algebra
//! newton        the solver                                            sparsity  which weights are edges
//! deviance      how well precisions explain data, in one currency for all models
//! proportional  nodes that are multiples of each other: refused, or learned as one
//! solution      solve, threshold, solve again on what is left         method    views → graphs
//! ```

mod certificate;
mod coupling;
mod data;
mod deviance;
mod edge;
mod matrices;
mod method;
mod model;
mod newton;
mod problem;
mod proportional;
mod shared;
mod solution;
mod sparsity;

pub use certificate::{DualView, certify};
pub use coupling::Coupling;
pub use data::{Data, Lift};
pub(crate) use data::{plain_covariances, views_lack_mean};
pub use deviance::deviance;
pub use method::{Details, Likelihood};
pub use model::{Model, SIGNED_COUPLING, SIGNED_LAMBDA};
pub use newton::{Newton, Solved};
pub use problem::{Charges, Filter, Point, Problem, Signs, Tie, ViewTerm};
pub(crate) use proportional::merge;
pub use proportional::{Merged, Proportional};
pub use solution::{Solution, Whole};
pub use sparsity::Sparsity;
