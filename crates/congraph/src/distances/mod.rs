//! Squared distances between the nodes' signals: all that the problem needs of the data.
//!
//! ```text
//! listed       of a list of pairs, or of all, in f64
//! all_pairs    of all pairs of many nodes, without a list of them
//! tiles        all pairs in blocks of f32, kept or computed anew for each pass
//! nearest      each node's nearest neighbours in every view: where a working set starts
//! approximate  the same for very many nodes
//! scan         the pairs that could enter at given multipliers: what a working set lacks
//! ```

mod all_pairs;
mod approximate;
mod listed;
mod nearest;
mod scan;
mod tiles;

pub use all_pairs::AllPairs;
pub(crate) use all_pairs::{Entering, PresenceTest, count_outside, nearest_pairs, neighbourly_order};
pub use listed::Distances;
pub(crate) use listed::{all_from_products, n_samples};
