//! The second phase of Leiden: each community is built anew from its nodes, so that what will be merged is well
//! connected.
//!
//! Within a community S every node starts alone. A node v that is still alone, and well connected to the rest of S,
//!
//! ```text
//! w(v, S − v) ≥ γ k_v (K_S − k_v) / 2m
//! ```
//!
//! joins a part C of S that it is linked to, that is well connected to the rest of S in the same sense, and that it
//! does not lose by joining. Which one is drawn with probabilities ∝ exp(gain / θ k_v): mostly the best, sometimes
//! another, which finds better communities in the end than always the best (on block models that are hard to tell
//! apart, markedly). The gain is taken relative to the node's strength, or θ would mean something else for each
//! network.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::network::{Factors, Network, members};
use super::partition::compact;
use super::scratch::LabelSums;

/// θ.
const RANDOMNESS: f64 = 0.05;

/// Splits the communities in `labels` into parts: a label below the number of parts for each node, and that number.
pub(super) fn refine(
    network: &Network,
    factors: Factors,
    labels: &[u32],
    sums: &mut LabelSums,
    rng: &mut ChaCha8Rng,
) -> (Vec<u32>, usize) {
    let mut parts = Refinement::alone(network, factors, labels);
    let mut order: Vec<u32> = (0..network.n_nodes() as u32).collect();
    order.shuffle(rng);
    let mut choices = Vec::new();
    // In a signed network parts may belong together without a link.
    let companions = network.is_signed().then(|| members(labels, network.n_nodes()));
    for node in order {
        // Only nodes that are still alone may join: parts never lose one.
        if !parts.is_alone[node as usize] || !parts.is_well_connected(node, node) {
            continue;
        }
        for &(neighbour, weight) in network.links(node as usize) {
            // Parts do not reach beyond their community.
            if labels[neighbour as usize] == labels[node as usize] {
                sums.add(parts.labels[neighbour as usize], weight);
            }
        }
        if let Some((starts, members)) = &companions {
            let community = labels[node as usize] as usize;
            let others = members[starts[community]..starts[community + 1]].iter();
            others
                .filter(|&&other| other != node)
                .for_each(|&other| sums.add(parts.labels[other as usize], 0.0));
        }
        choices.clear();
        let charge = factors.positive * network.strengths()[node as usize];
        let credit = network
            .negatives()
            .get(node as usize)
            .map(|negative| factors.negative * negative);
        for (part, weight) in sums.iter() {
            let mut gain = weight - charge * parts.strengths[part as usize];
            if let Some(credit) = credit {
                gain += credit * parts.negatives[part as usize];
            }
            if gain >= 0.0 && parts.is_well_connected(part, node) {
                choices.push((part, gain));
            }
        }
        if let Some(part) = draw(&mut choices, RANDOMNESS * network.size(node as usize), rng) {
            parts.join(node, part, sums.of(part));
        }
        sums.clear();
    }
    let n_parts = compact(&mut parts.labels, network.n_nodes());
    (parts.labels, n_parts)
}

/// One of the choices, with probabilities ∝ exp(gain / temperature).
fn draw(choices: &mut [(u32, f64)], temperature: f64, rng: &mut ChaCha8Rng) -> Option<u32> {
    if let [] | [_] = choices {
        return choices.first().map(|choice| choice.0);
    }
    // Relative to the best, so that no exponential overflows.
    let largest = choices.iter().fold(0.0, |largest: f64, choice| largest.max(choice.1));
    let mut total = 0.0;
    for (_, gain) in choices.iter_mut() {
        total += ((*gain - largest) / temperature).exp();
        *gain = total;
    }
    let drawn = rng.random::<f64>() * total;
    choices.iter().find(|choice| choice.1 > drawn).map(|choice| choice.0)
}

/// The parts in the making; each is called by one of its nodes.
struct Refinement<'n> {
    factors: Factors,
    /// The communities that the parts are of, and their strengths.
    communities: &'n [u32],
    community_strengths: Vec<f64>,
    /// The same of negative weights, as of the parts; empty if the network is not signed.
    community_negatives: Vec<f64>,
    negatives: Vec<f64>,
    labels: Vec<u32>,
    is_alone: Vec<bool>,
    strengths: Vec<f64>,
    /// The weight between each part and the rest of its community.
    outward: Vec<f64>,
}

impl<'n> Refinement<'n> {
    fn alone(network: &Network, factors: Factors, communities: &'n [u32]) -> Self {
        let n = network.n_nodes();
        let mut community_strengths = vec![0.0; n];
        for (&community, strength) in communities.iter().zip(network.strengths()) {
            community_strengths[community as usize] += strength;
        }
        let mut community_negatives = vec![0.0; network.negatives().len()];
        for (&community, negative) in communities.iter().zip(network.negatives()) {
            community_negatives[community as usize] += negative;
        }
        let outward = |node: usize| {
            let links = network.links(node).iter();
            let own = links.filter(|link| communities[link.0 as usize] == communities[node]);
            own.map(|link| link.1).sum()
        };
        Self {
            factors,
            communities,
            community_strengths,
            community_negatives,
            negatives: network.negatives().to_vec(),
            labels: (0..n as u32).collect(),
            is_alone: vec![true; n],
            strengths: network.strengths().to_vec(),
            outward: (0..n).map(outward).collect(),
        }
    }

    /// Whether a part of the community of `node` is well connected to the rest of it.
    #[inline]
    fn is_well_connected(&self, part: u32, node: u32) -> bool {
        let whole = self.community_strengths[self.communities[node as usize] as usize];
        let strength = self.strengths[part as usize];
        let mut expected = self.factors.positive * strength * (whole - strength);
        if let Some(&negative) = self.negatives.get(part as usize) {
            let whole = self.community_negatives[self.communities[node as usize] as usize];
            expected -= self.factors.negative * negative * (whole - negative);
        }
        self.outward[part as usize] >= expected
    }

    /// Puts a node that is alone into a part that it is linked to with this weight.
    fn join(&mut self, node: u32, part: u32, weight: f64) {
        let (node, label, part) = (node as usize, part, part as usize);
        self.labels[node] = label;
        (self.is_alone[node], self.is_alone[part]) = (false, false);
        self.strengths[part] += self.strengths[node];
        if !self.negatives.is_empty() {
            self.negatives[part] += self.negatives[node];
        }
        // Links between the two were outward for both, and are inside now.
        self.outward[part] += self.outward[node] - 2.0 * weight;
    }
}
