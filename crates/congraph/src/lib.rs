//! Learn one sparse graph per data set, and the consensus graph they share.

mod blocks;
pub mod certificate;
pub mod distances;
pub mod edges;
pub mod error;
pub mod graph;
pub mod learn;
pub mod metrics;
pub mod penalties;
pub mod problem;
pub mod regularisers;
pub mod rows;
pub mod simulate;
pub mod solvers;
pub mod views;
pub mod weights;

pub use certificate::Certificate;
pub use distances::{Distances, Scaling};
pub use edges::Edges;
pub use error::{Code, DataError, Error, Warning};
pub use graph::MultiviewGraph;
pub use learn::{Learned, Learner};
pub use problem::{Parameters, Problem};
pub use rows::ViewRows;
pub use solvers::{Admm, Newton, Solution, Solver, Status};
pub use views::{Table, ViewOptions, Views};
pub use weights::Weights;
