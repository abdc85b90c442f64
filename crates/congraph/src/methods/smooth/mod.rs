//! The paper's model: graphs on which the signals are smooth.

pub mod admm;
pub mod certificate;
pub(crate) mod edge_subproblem;
pub mod newton;
mod presence;
mod problem;
mod solver;
pub mod working_set;

pub use admm::Admm;
pub use certificate::Certificate;
pub use newton::Newton;
pub(crate) use presence::Presence;
pub use problem::{Model, Parameters, Problem};
pub use solver::{Solution, Solver};
pub use working_set::WorkingSet;
