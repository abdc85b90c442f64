//! Squared distances between the nodes' signals: all that the problem needs of the data.
//!
//! ```text
//! listed       of a list of pairs, or of all, in f64
//! all_pairs    of all pairs of many nodes, without a list of them
//! quantised    the signals in bytes, and how far distances can be from what bytes tell
//! pass         one pass over all pairs: those that could be present at given multipliers
//! singles      its tiles in f32, where bytes leave too many open
//! deepest      what it finds, those furthest from absence where there are too many
//! cover        the same once and for all multipliers above given ones: what a working set chooses from
//! nearest      each node's nearest neighbours in every view, and the largest distance
//! approximate  nearest neighbours of more nodes than all pairs can be asked of
//! ```

mod all_pairs;
mod approximate;
mod cover;
mod deepest;
mod held;
mod listed;
mod nearest;
mod pass;
mod quantised;
mod singles;

pub use all_pairs::AllPairs;
pub(crate) use all_pairs::{Entering, PresenceTest, count_outside, nearest_pairs, neighbourly_order};
pub(crate) use cover::{Cover, merged};
pub use listed::Distances;
pub(crate) use listed::{all_from_products, n_samples};
