//! What a fit says of data that it has not seen.
//!
//! ```text
//! project   the graph of a new view against the frozen consensus
//! ```

mod project;

pub use project::{Departure, Projection, Projector};
