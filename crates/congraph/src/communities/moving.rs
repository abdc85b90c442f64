//! The first phase of Leiden: nodes move to the community that gains most, until none gains by moving.
//!
//! ```text
//! gain(v → C) = w(v, C) − γ k_v K_C / 2m        to be alone: 0
//! ```
//!
//! with the strength k_v of node v, and v itself taken out of the sum K_C of the strengths in community C. Nodes wait
//! in a queue, at first in random order; after a move those neighbours enter it that are not in the new community.
//! Every move raises modularity by more than rounding can undo, so the phase ends. Cost: O(links of the nodes looked
//! at).

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::network::Network;
use super::scratch::Sums;

/// The share of a node's strength that a move must gain: far above rounding, far below what anyone would notice.
const LEAST_GAIN: f64 = 1e-12;

/// Moves nodes between the communities in `labels` (below the number of nodes); returns whether any moved.
///
/// `factor` is γ / 2m.
pub(super) fn move_nodes(
    network: &Network,
    factor: f64,
    labels: &mut [u32],
    sums: &mut Sums,
    rng: &mut ChaCha8Rng,
) -> bool {
    let n = network.n_nodes();
    let mut strengths = vec![0.0; n];
    let mut sizes = vec![0_u32; n];
    for (&label, strength) in labels.iter().zip(network.strengths()) {
        strengths[label as usize] += strength;
        sizes[label as usize] += 1;
    }
    let mut vacant: Vec<u32> = (0..n as u32).filter(|&label| sizes[label as usize] == 0).collect();

    // A ring: no node is in it twice.
    let mut queue: Vec<u32> = (0..n as u32).collect();
    queue.shuffle(rng);
    let mut is_queued = vec![true; n];
    let (mut head, mut n_queued, mut any_moved) = (0, n, false);
    while n_queued > 0 {
        let node = queue[head] as usize;
        head = if head + 1 == n { 0 } else { head + 1 };
        n_queued -= 1;
        is_queued[node] = false;

        for &(neighbour, weight) in network.links(node) {
            sums.add(labels[neighbour as usize], weight);
        }
        let (own, strength) = (labels[node], network.strengths()[node]);
        let charge = factor * strength;
        let staying = sums.of(own) - charge * (strengths[own as usize] - strength);
        let (mut best, mut best_gain) = (own, staying + LEAST_GAIN * strength);
        for (label, weight) in sums.iter() {
            let gain = weight - charge * strengths[label as usize];
            if gain > best_gain && label != own {
                (best, best_gain) = (label, gain);
            }
        }
        sums.clear();
        if best_gain < 0.0
            && let Some(label) = vacant.pop()
        {
            best = label;
        }
        if best == own {
            continue;
        }
        any_moved = true;
        labels[node] = best;
        strengths[own as usize] -= strength;
        strengths[best as usize] += strength;
        sizes[own as usize] -= 1;
        sizes[best as usize] += 1;
        if sizes[own as usize] == 0 {
            strengths[own as usize] = 0.0;
            vacant.push(own);
        }
        for &(neighbour, _) in network.links(node) {
            let neighbour = neighbour as usize;
            if labels[neighbour] != best && !is_queued[neighbour] {
                is_queued[neighbour] = true;
                let tail = head + n_queued;
                queue[if tail >= n { tail - n } else { tail }] = neighbour as u32;
                n_queued += 1;
            }
        }
    }
    any_moved
}
