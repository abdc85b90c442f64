//! The first phase of Leiden: nodes move to the community that gains most, until none gains by moving.
//!
//! ```text
//! gain(v → C) = w(v, C) − γ k_v K_C / 2m        to be alone: 0
//! gain(v → C) = w(v, C) − γ k⁺_v K⁺_C / 2m⁺ + γ k⁻_v K⁻_C / 2m⁻        in a signed network
//! ```
//!
//! with the strength k_v of node v, and v itself taken out of the sum K_C of the strengths in community C. Nodes wait
//! in a queue, at first in random order. After a move, the neighbours outside the new community enter it again. Every
//! move raises modularity by more than rounding can undo, so the phase ends. Cost: O(links of the nodes visited). In a
//! signed network a node may gain in a community that it has no link with, and every community is looked at:
//! O(communities) more for each visit.

use std::collections::BTreeSet;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::network::{Factors, Network};
use super::scratch::LabelSums;

/// The share of a node's strength that a move must gain: far above rounding, far below what anyone would notice.
const LEAST_GAIN: f64 = 1e-12;

/// Moves nodes between the communities in `labels` (below the number of nodes); returns whether any moved.
pub(super) fn move_nodes(
    network: &Network,
    factors: Factors,
    labels: &mut [u32],
    sums: &mut LabelSums,
    rng: &mut ChaCha8Rng,
) -> bool {
    let mut communities = Sizes::of(network, labels);
    let mut queue = Queue::shuffled(network.n_nodes(), rng);
    let mut any_moved = false;
    while let Some(node) = queue.pop() {
        let own = labels[node];
        let best = communities.best_for(network, node, factors, labels, sums);
        if best == own {
            continue;
        }
        any_moved = true;
        labels[node] = best;
        communities.transfer(network, node, own, best);
        // Only these may now gain by moving: what they could join has changed.
        for &(neighbour, _) in network.links(node) {
            if labels[neighbour as usize] != best {
                queue.push(neighbour);
            }
        }
    }
    any_moved
}

/// What each community holds.
struct Sizes {
    /// K_C, the sum of its nodes' strengths.
    strengths: Vec<f64>,
    /// The same of negative weights; empty if the network is not signed.
    negatives: Vec<f64>,
    n_nodes: Vec<u32>,
    /// Labels of communities without a node.
    vacant: Vec<u32>,
    /// Labels of communities with nodes, of a signed network.
    occupied: BTreeSet<u32>,
}

impl Sizes {
    fn of(network: &Network, labels: &[u32]) -> Self {
        let n = network.n_nodes();
        let mut strengths = vec![0.0; n];
        let mut n_nodes = vec![0_u32; n];
        for (&label, strength) in labels.iter().zip(network.strengths()) {
            strengths[label as usize] += strength;
            n_nodes[label as usize] += 1;
        }
        let mut negatives = vec![0.0; network.negatives().len()];
        for (&label, strength) in labels.iter().zip(network.negatives()) {
            negatives[label as usize] += strength;
        }
        let vacant = (0..n as u32).filter(|&label| n_nodes[label as usize] == 0).collect();
        let occupied = if network.is_signed() {
            labels.iter().copied().collect()
        } else {
            BTreeSet::new()
        };
        Self {
            strengths,
            negatives,
            n_nodes,
            vacant,
            occupied,
        }
    }

    /// The community that a node gains most in: its own, a neighbour's, or one of its own making.
    #[inline]
    fn best_for(
        &mut self,
        network: &Network,
        node: usize,
        factors: Factors,
        labels: &[u32],
        sums: &mut LabelSums,
    ) -> u32 {
        // w(v, C) for all communities among the neighbours at once.
        for &(neighbour, weight) in network.links(node) {
            sums.add(labels[neighbour as usize], weight);
        }
        let (own, strength) = (labels[node], network.strengths()[node]);
        let charge = factors.positive * strength;
        let mut staying = sums.of(own) - charge * (self.strengths[own as usize] - strength);
        let (mut best, mut best_gain) = (own, staying + LEAST_GAIN * strength);
        if network.is_signed() {
            let negative = network.negatives()[node];
            let credit = factors.negative * negative;
            staying += credit * (self.negatives[own as usize] - negative);
            best_gain = staying + LEAST_GAIN * network.size(node);
            for &label in self.occupied.iter().filter(|&&label| label != own) {
                let [strength, negative] = [&self.strengths, &self.negatives].map(|of| of[label as usize]);
                let gain = sums.of(label) - charge * strength + credit * negative;
                if gain > best_gain {
                    (best, best_gain) = (label, gain);
                }
            }
        } else {
            for (label, weight) in sums.iter() {
                let gain = weight - charge * self.strengths[label as usize];
                if gain > best_gain && label != own {
                    (best, best_gain) = (label, gain);
                }
            }
        }
        sums.clear();
        // To be alone gains 0.
        if best_gain < 0.0
            && let Some(label) = self.vacant.pop()
        {
            best = label;
        }
        best
    }

    #[inline]
    fn transfer(&mut self, network: &Network, node: usize, from: u32, to: u32) {
        let strength = network.strengths()[node];
        if network.is_signed() {
            let negative = network.negatives()[node];
            self.negatives[from as usize] -= negative;
            self.negatives[to as usize] += negative;
            self.occupied.insert(to);
        }
        self.strengths[from as usize] -= strength;
        self.strengths[to as usize] += strength;
        self.n_nodes[from as usize] -= 1;
        self.n_nodes[to as usize] += 1;
        if self.n_nodes[from as usize] == 0 {
            // Not what rounding has left of it.
            self.strengths[from as usize] = 0.0;
            if network.is_signed() {
                self.negatives[from as usize] = 0.0;
                self.occupied.remove(&from);
            }
            self.vacant.push(from);
        }
    }
}

/// The nodes still to be looked at, as a ring: no node is in it twice.
struct Queue {
    ring: Vec<u32>,
    is_queued: Vec<bool>,
    head: usize,
    n_queued: usize,
}

impl Queue {
    /// All nodes in random order.
    fn shuffled(n: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut ring: Vec<u32> = (0..n as u32).collect();
        ring.shuffle(rng);
        Self {
            ring,
            is_queued: vec![true; n],
            head: 0,
            n_queued: n,
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        if self.n_queued == 0 {
            return None;
        }
        let node = self.ring[self.head] as usize;
        self.head = if self.head + 1 == self.ring.len() {
            0
        } else {
            self.head + 1
        };
        self.n_queued -= 1;
        self.is_queued[node] = false;
        Some(node)
    }

    /// Adds a node at the end, unless it is waiting already.
    #[inline]
    fn push(&mut self, node: u32) {
        if self.is_queued[node as usize] {
            return;
        }
        self.is_queued[node as usize] = true;
        let (n, tail) = (self.ring.len(), self.head + self.n_queued);
        self.ring[if tail >= n { tail - n } else { tail }] = node;
        self.n_queued += 1;
    }
}
