//! A weighted undirected graph as the Leiden algorithm walks it, and the same with communities merged into nodes.
//!
//! Weights are divided by the largest one, so that no sum of finite weights overflows; this does not change modularity.
//! Merged nodes keep the weight inside them as a loop, which counts twice in their strength: moving a merged node
//! changes modularity exactly as moving all of its members does.
//!
//! A signed network has two strengths at each node, of its positive and of its negative links, and each expects links of
//! its own (Gómez, Jensen and Arenas, 2009).

use super::partition::Partition;
use super::scratch::LabelSums;
use crate::error::Error;
use crate::graph::is_edge;

/// A weighted undirected graph: the neighbours of each node, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Where the links of each node begin, and their number at the end.
    starts: Vec<usize>,
    /// The neighbours of one node after those of another, with the weights.
    links: Vec<(u32, f64)>,
    /// The weight inside each node.
    loops: Vec<f64>,
    /// The sum of the positive weights at each node, loops counted twice.
    strengths: Vec<f64>,
    /// The sum of the negative weights at each node, as a positive number; empty if the network is not signed.
    negatives: Vec<f64>,
}

/// What each strength expects: γ / 2m of the positive weights, and the same of the negative ones, 0 without any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    pub(super) positive: f64,
    pub(super) negative: f64,
}

impl Network {
    /// From pairs of nodes and their weights. The weights of a pair that is listed twice add up; weights of 0 are no
    /// links.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a weight is negative, infinite or not a number, if a node is joined to itself or is not
    /// among the `n_nodes`, or if there are not as many weights as pairs.
    ///
    /// ```
    /// use congraph::communities::Network;
    ///
    /// let network = Network::new(3, &[[0, 1], [1, 2]], &[1.0, 0.5])?;
    /// assert_eq!(network.n_nodes(), 3);
    /// assert!(Network::new(3, &[[0, 1]], &[-1.0]).is_err());
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn new(n_nodes: usize, pairs: &[[u32; 2]], weights: &[f64]) -> Result<Self, Error> {
        check(n_nodes, pairs, weights, false)?;
        Ok(Self::of(n_nodes, pairs, weights))
    }

    /// The same from weights of either sign. Negative ones are links too: their ends are better apart.
    ///
    /// # Errors
    /// Those of [`Network::new`], except that weights may be negative.
    ///
    /// ```
    /// use congraph::communities::{Leiden, Network};
    ///
    /// // 0 and 1 have nothing to do with each other, but both avoid 2.
    /// let network = Network::signed(3, &[[0, 2], [1, 2]], &[-1.0, -1.0])?;
    /// assert_eq!(Leiden::default().communities(&network)?.partition.labels(), [0, 0, 1]);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn signed(n_nodes: usize, pairs: &[[u32; 2]], weights: &[f64]) -> Result<Self, Error> {
        check(n_nodes, pairs, weights, true)?;
        let mut network = Self::of(n_nodes, pairs, weights);
        if network.links.iter().any(|link| link.1 < 0.0) {
            let sum = |node: usize, sign: f64| {
                let weights = network.links(node).iter().map(|link| (sign * link.1).max(0.0));
                weights.sum::<f64>()
            };
            let strengths = (0..n_nodes).map(|node| sum(node, 1.0)).collect();
            let negatives = (0..n_nodes).map(|node| sum(node, -1.0)).collect();
            (network.strengths, network.negatives) = (strengths, negatives);
        }
        Ok(network)
    }

    fn of(n_nodes: usize, pairs: &[[u32; 2]], weights: &[f64]) -> Self {
        let largest = weights.iter().map(|weight| weight.abs()).fold(0.0, f64::max);
        let mut ends: Vec<(u32, u32, f64)> = Vec::with_capacity(2 * pairs.len());
        for (&[a, b], &weight) in pairs.iter().zip(weights) {
            if is_edge(weight) {
                ends.extend([(a, b, weight / largest), (b, a, weight / largest)]);
            }
        }
        // By weight too, so that the sum of parallel links does not depend on the order of the list.
        ends.sort_unstable_by(|one, two| (one.0, one.1).cmp(&(two.0, two.1)).then(one.2.total_cmp(&two.2)));
        ends.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 += next.2;
            }
            is_same
        });
        let mut network = Self::with_capacity(n_nodes, ends.len());
        let mut ends = ends.into_iter().peekable();
        for node in 0..n_nodes as u32 {
            while let Some((_, neighbour, weight)) = ends.next_if(|end| end.0 == node) {
                network.links.push((neighbour, weight));
            }
            network.close_node(0.0);
        }
        network
    }

    fn with_capacity(n_nodes: usize, n_links: usize) -> Self {
        let mut starts = Vec::with_capacity(n_nodes + 1);
        starts.push(0);
        Self {
            starts,
            links: Vec::with_capacity(n_links),
            loops: Vec::with_capacity(n_nodes),
            strengths: Vec::with_capacity(n_nodes),
            negatives: Vec::new(),
        }
    }

    /// Completes the node whose links were pushed last.
    fn close_node(&mut self, inside: f64) {
        let start = self.starts.last().copied().unwrap_or(0);
        let outside: f64 = self.links[start..].iter().map(|&(_, weight)| weight).sum();
        self.loops.push(inside);
        self.strengths.push(outside + 2.0 * inside);
        self.starts.push(self.links.len());
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.loops.len()
    }

    /// The neighbours of a node with their weights.
    #[inline]
    pub(super) fn links(&self, node: usize) -> &[(u32, f64)] {
        &self.links[self.starts[node]..self.starts[node + 1]]
    }

    pub(super) fn strengths(&self) -> &[f64] {
        &self.strengths
    }

    /// The sums of the negative weights at each node; empty if the network is not signed.
    #[inline]
    pub(super) fn negatives(&self) -> &[f64] {
        &self.negatives
    }

    /// Whether there are negative links.
    #[inline]
    pub(super) fn is_signed(&self) -> bool {
        !self.negatives.is_empty()
    }

    /// All that a node is linked with, whatever the sign.
    #[inline]
    pub(super) fn size(&self, node: usize) -> f64 {
        self.strengths[node] + self.negatives.get(node).copied().unwrap_or(0.0)
    }

    /// 2m: the sum of all strengths, of the positive and of the negative weights.
    fn totals(&self) -> [f64; 2] {
        [self.strengths.iter().sum(), self.negatives.iter().sum()]
    }

    /// What strengths expect at this resolution; none without any link.
    pub(super) fn factors(&self, resolution: f64) -> Option<Factors> {
        let [positive, negative] = self.totals();
        let factor = |total: f64| if total > 0.0 { resolution / total } else { 0.0 };
        (positive + negative > 0.0).then(|| Factors {
            positive: factor(positive),
            negative: factor(negative),
        })
    }

    /// The modularity of a partition of this network,
    ///
    /// ```text
    /// Q = Σ_c { W_c / m − γ (K_c / 2m)² }
    /// ```
    ///
    /// with the weight W_c within community c, the sum K_c of the strengths of its nodes, the total weight m and the
    /// resolution γ. Of a network without links it is 0. Of a signed one it is that of the positive weights less that of
    /// the negative ones, each by its share of all weights:
    ///
    /// ```text
    /// Q = Σ_c { 2 W⁺_c − γ (K⁺_c)² / 2m⁺ − 2 W⁻_c + γ (K⁻_c)² / 2m⁻ } / (2m⁺ + 2m⁻)
    /// ```
    ///
    /// # Panics
    /// If the partition is not one of as many nodes.
    ///
    /// ```
    /// use congraph::communities::{Network, Partition};
    ///
    /// let two_pairs = Network::new(4, &[[0, 1], [2, 3]], &[1.0, 1.0])?;
    /// assert_eq!(two_pairs.modularity(&Partition::from_labels(&[0, 0, 1, 1]), 1.0), 0.5);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn modularity(&self, partition: &Partition, resolution: f64) -> f64 {
        let labels = partition.labels();
        assert_eq!(labels.len(), self.n_nodes(), "a partition of the nodes of the network");
        if self.is_signed() {
            return self.signed_modularity(partition, resolution);
        }
        let [total, _] = self.totals();
        if total == 0.0 {
            return 0.0;
        }
        let mut inside = vec![0.0; partition.n_communities()];
        let mut strengths = vec![0.0; partition.n_communities()];
        for (node, &label) in labels.iter().enumerate() {
            let own = self.links(node).iter().filter(|link| labels[link.0 as usize] == label);
            inside[label] += own.map(|link| link.1).sum::<f64>() + 2.0 * self.loops[node];
            strengths[label] += self.strengths[node];
        }
        let terms = inside.iter().zip(&strengths);
        terms
            .map(|(inside, strength)| inside / total - resolution * (strength / total).powi(2))
            .sum()
    }

    fn signed_modularity(&self, partition: &Partition, resolution: f64) -> f64 {
        let Some(factors) = self.factors(resolution) else {
            return 0.0;
        };
        let labels = partition.labels();
        let mut inside = vec![0.0; partition.n_communities()];
        let mut strengths = vec![[0.0; 2]; partition.n_communities()];
        for (node, &label) in labels.iter().enumerate() {
            let own = self.links(node).iter().filter(|link| labels[link.0 as usize] == label);
            inside[label] += own.map(|link| link.1).sum::<f64>() + 2.0 * self.loops[node];
            strengths[label][0] += self.strengths[node];
            strengths[label][1] += self.negatives[node];
        }
        let terms = inside.iter().zip(&strengths).map(|(inside, [positive, negative])| {
            inside - factors.positive * positive * positive + factors.negative * negative * negative
        });
        terms.sum::<f64>() / self.totals().iter().sum::<f64>()
    }

    /// The network whose nodes are the `n_groups` groups of these.
    pub(super) fn merged(&self, groups: &[u32], n_groups: usize, sums: &mut LabelSums) -> Self {
        let (starts, members) = members(groups, n_groups);
        let mut merged = Self::with_capacity(n_groups, self.links.len());
        for group in 0..n_groups {
            // Links within a group are met from both ends, loops once: a loop counts as two.
            let mut twice_inside = 0.0;
            for &member in &members[starts[group]..starts[group + 1]] {
                let member = member as usize;
                twice_inside += 2.0 * self.loops[member];
                for &(neighbour, weight) in self.links(member) {
                    match groups[neighbour as usize] {
                        own if own as usize == group => twice_inside += weight,
                        other => sums.add(other, weight),
                    }
                }
            }
            merged.links.extend(sums.iter());
            sums.clear();
            merged.close_node(0.5 * twice_inside);
        }
        if self.is_signed() {
            // Weights of both signs may have met in one link: strengths are those of the members.
            let sum = |of: &[f64], group: usize| {
                let own = members[starts[group]..starts[group + 1]].iter();
                own.map(|&member| of[member as usize]).sum::<f64>()
            };
            merged.strengths = (0..n_groups).map(|group| sum(&self.strengths, group)).collect();
            merged.negatives = (0..n_groups).map(|group| sum(&self.negatives, group)).collect();
        }
        merged
    }

    /// The partition with every community that is not connected cut into its connected parts, and whether there was
    /// one.
    pub(super) fn connected_parts(&self, labels: &mut [u32]) -> bool {
        const UNSEEN: u32 = u32::MAX;
        let n_before = labels.iter().max().map_or(0, |&last| last as usize + 1);
        let mut seen_before = vec![false; n_before];
        let mut parts = vec![UNSEEN; labels.len()];
        let (mut n_parts, mut is_cut, mut open) = (0, false, Vec::new());
        for first in 0..labels.len() {
            if parts[first] != UNSEEN {
                continue;
            }
            // A label that was met before has another part elsewhere.
            is_cut |= std::mem::replace(&mut seen_before[labels[first] as usize], true);
            parts[first] = n_parts;
            open.push(first);
            while let Some(node) = open.pop() {
                for &(neighbour, _) in self.links(node) {
                    let neighbour = neighbour as usize;
                    if parts[neighbour] == UNSEEN && labels[neighbour] == labels[node] {
                        parts[neighbour] = n_parts;
                        open.push(neighbour);
                    }
                }
            }
            n_parts += 1;
        }
        labels.copy_from_slice(&parts);
        is_cut
    }
}

/// The members of each group one after another, and where each group begins.
pub(super) fn members(groups: &[u32], n_groups: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; n_groups + 1];
    // A counting sort by group.
    for &group in groups {
        starts[group as usize + 1] += 1;
    }
    for group in 0..n_groups {
        starts[group + 1] += starts[group];
    }
    let mut next = starts.clone();
    let mut members = vec![0; groups.len()];
    for (node, &group) in (0..).zip(groups) {
        members[next[group as usize]] = node;
        next[group as usize] += 1;
    }
    (starts, members)
}

fn check(n_nodes: usize, pairs: &[[u32; 2]], weights: &[f64], is_signed: bool) -> Result<(), Error> {
    let refuse = |what, message| Err(Error::Invalid { what, message });
    if u32::try_from(n_nodes).is_err() {
        return refuse("n_nodes", format!("is {n_nodes}: nodes are counted with 32 bits"));
    }
    if pairs.len() != weights.len() {
        let (pairs, weights) = (pairs.len(), weights.len());
        return refuse(
            "weights",
            format!("are {weights} for {pairs} pairs: each pair needs one"),
        );
    }
    for (&[a, b], &weight) in pairs.iter().zip(weights) {
        if a.max(b) as usize >= n_nodes {
            return refuse("pairs", format!("join {a} and {b}, but there are only {n_nodes} nodes"));
        }
        if a == b {
            return refuse(
                "pairs",
                format!("join node {a} to itself: only different nodes can be joined"),
            );
        }
        let needed = if is_signed {
            "finite weights"
        } else {
            "finite weights of at least 0"
        };
        if !weight.is_finite() || (weight < 0.0 && !is_signed) {
            return refuse(
                "weights",
                format!("hold {weight} between nodes {a} and {b}: modularity needs {needed}"),
            );
        }
    }
    Ok(())
}
