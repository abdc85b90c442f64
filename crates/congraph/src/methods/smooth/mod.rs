//! The paper's model: graphs on which the signals are smooth, and the consensus they share.
//!
//! ```text
//! model            α, and what couples the views         problem       the model with distances: the objective
//! edge_subproblem  what is left of one edge when its ends' degrees are held by multipliers
//! certificate      objective, lower bound and gap of any result; knows no solver
//! solver           what a solver is                      newton, admm  the fast one, and the paper's
//! working_set      newton on the few pairs that matter, exact for all       presence    which pairs these are
//! shared_set       these pairs, at one process or shared out among several
//! method           the whole as a method                 warnings, negative     what the user should know of a fit
//! ```

pub mod admm;
pub mod certificate;
pub(crate) mod edge_subproblem;
mod method;
mod model;
pub mod negative;
pub mod newton;
mod presence;
mod problem;
mod shared_set;
mod solver;
pub(crate) mod warnings;
pub mod working_set;

pub use admm::Admm;
pub(crate) use method::{DEFAULT_MEMORY, MANY_NODES};
pub use method::{Data, Details, Smooth};
pub use model::{Coupling, Model, Parameters};
pub use newton::Newton;
pub(crate) use presence::Presence;
pub use problem::Problem;
pub use solver::{Needs, PresentPair, Solution, Solver};
pub use working_set::{Start, WorkingSet};
