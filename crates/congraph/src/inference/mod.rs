//! How sure a fit is, and what it says of data that it has not seen.
//!
//! ```text
//! stability   which edges come back in other data of the same views, and how far weights are known
//! direct      do two nodes depend directly on each other?
//! compare     who differs: groups of views, or two conditions of the same subjects
//! normal      the normal distribution
//! project     the graph of a new view against the frozen consensus
//! ```

pub mod compare;
pub mod direct;
mod normal;
mod project;
pub mod stability;

pub use project::{Departure, Projection, Projector};
