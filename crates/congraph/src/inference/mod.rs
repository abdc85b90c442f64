//! What a fit says of data that it has not seen, and what data say of the pairs of a fit.
//!
//! ```text
//! direct    do two nodes depend directly on each other?
//! project   the graph of a new view against the frozen consensus
//! ```

pub mod direct;
mod project;

pub use project::{Departure, Projection, Projector};
