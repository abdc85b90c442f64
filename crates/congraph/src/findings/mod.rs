//! What graphs say by themselves, as plain data for a report: computed here, drawn elsewhere.
//!
//! ```text
//! positions    where the nodes are
//! layout       where nodes are drawn: on the head, on the map, or by forces
//! similarity   views × views, in an order that puts like next to like
//! neighbours   could geometry alone explain the edges? lengths and neighbours against chance
//! variances    how much each node varies beside the others
//! outliers     which of some values stand out
//! names        short names that can still be told apart
//! ```
//!
//! The crate `congraph-record` combines them with how the graphs were learned. Results do not depend on the order of
//! nodes or views, apart from their own order. Cost: O(n²) for the layout of n nodes, O(N² m + N³) for N views of m
//! edges.

pub mod layout;
mod names;
mod neighbours;
mod outliers;
mod positions;
mod similarity;
mod variances;

pub use layout::{Layout, LayoutKind};
pub use names::{short_names, visible};
pub use neighbours::{Geometry, Unit};
pub use outliers::{ENOUGH, outliers};
pub use positions::Positions;
pub use similarity::Similarities;
pub use variances::relative_variances;

use crate::graph::MultiviewGraph;

/// The consensus weight of each pair, or without a consensus the mean of the views.
pub fn shared_weights(graph: &MultiviewGraph) -> Vec<f64> {
    let means = || (0..graph.pairs().len()).map(|edge| graph.mean_weight(edge)).collect();
    graph.consensus().map_or_else(means, <[f64]>::to_vec)
}
