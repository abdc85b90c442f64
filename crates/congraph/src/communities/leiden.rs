//! The Leiden algorithm (Traag, Waltman and van Eck, 2019).
//!
//! ```text
//! iteration:  on the network, then on its merged communities, and so on:
//!                 move     nodes to the community that gains most          moving.rs
//!                 refine   communities into well connected parts           refining.rs
//!                 merge    parts into nodes that start in their community  network.rs
//!             until refining merges nothing
//! Leiden:     iterations, each from the communities of the last, until one moves nothing
//! ```
//!
//! Communities that moving left in several pieces are cut into their connected parts after every iteration. That never
//! lowers modularity (the pieces share no weight and expect some), and it makes connectedness a certainty, not a
//! tendency. In a signed network a community need not be connected: to be apart from the same others is enough.
//!
//! Cost: O(links) for each iteration in practice. Two or three iterations are the rule; where communities are hard to
//! tell apart, ten and more.

use std::borrow::Cow;

use rand_chacha::ChaCha8Rng;

use super::moving::move_nodes;
use super::network::{Factors, Network};
use super::partition::compact;
use super::refining::refine;
use super::scratch::LabelSums;

/// Improves the communities in `labels` (below the number of nodes) until nothing more is found, or for so many
/// iterations.
pub(super) fn improve(
    network: &Network,
    resolution: f64,
    labels: &mut [u32],
    max_iterations: usize,
    rng: &mut ChaCha8Rng,
) {
    let Some(factors) = network.factors(resolution) else {
        return;
    };
    let mut sums = LabelSums::new(network.n_nodes());
    for _ in 0..max_iterations {
        let has_moved = iterate(network, factors, labels, &mut sums, rng);
        // Nodes that avoid the same others may belong together without a link.
        let is_cut = !network.is_signed() && network.connected_parts(labels);
        if !has_moved && !is_cut {
            return;
        }
    }
}

/// One iteration; returns whether anything moved.
fn iterate(
    network: &Network,
    factors: Factors,
    labels: &mut [u32],
    sums: &mut LabelSums,
    rng: &mut ChaCha8Rng,
) -> bool {
    let mut level = Cow::Borrowed(network);
    let mut level_labels = labels.to_vec();
    // Which node of the level each node of the network is in.
    let mut within: Vec<u32> = (0..network.n_nodes() as u32).collect();
    let mut has_moved = false;
    loop {
        // Move, refine, merge.
        has_moved |= move_nodes(&level, factors, &mut level_labels, sums, rng);
        let (parts, n_parts) = refine(&level, factors, &level_labels, sums, rng);
        if n_parts == level.n_nodes() {
            break;
        }
        // A merged node starts in the community that its part is of, not on its own.
        let mut merged_labels = vec![0; n_parts];
        for (&part, &label) in parts.iter().zip(&level_labels) {
            merged_labels[part as usize] = label;
        }
        compact(&mut merged_labels, level.n_nodes());
        level_labels = merged_labels;
        level = Cow::Owned(level.merged(&parts, n_parts, sums));
        for node in &mut within {
            *node = parts[*node as usize];
        }
    }
    for (label, &node) in labels.iter_mut().zip(&within) {
        *label = level_labels[node as usize];
    }
    has_moved
}
