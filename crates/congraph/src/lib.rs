//! Learn one sparse graph per data set, and the consensus graph they share.

pub mod edges;
pub mod error;
pub mod graph;
pub mod metrics;
pub mod rows;
pub mod simulate;
pub mod views;

pub use edges::Edges;
pub use error::{Code, DataError, Error, Warning};
pub use graph::MultiviewGraph;
pub use rows::ViewRows;
pub use views::{Table, ViewOptions, Views};
