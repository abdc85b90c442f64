//! What a fit says of data that it has not seen.
//!
//! ```text
//! compare   who differs: groups of views, or two conditions of the same subjects
//! project   the graph of a new view against the frozen consensus
//! ```

pub mod compare;
mod project;

pub use project::{Departure, Projection, Projector};
