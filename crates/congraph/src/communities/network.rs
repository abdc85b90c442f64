//! A weighted undirected graph as the Leiden algorithm walks it, and the same with communities merged into nodes.
//!
//! Weights are divided by the largest one, so that no sum of finite weights overflows; this does not change modularity.
//! Merged nodes keep the weight inside them as a loop, which counts twice in their strength: moving a merged node
//! changes modularity exactly as moving all of its members does.

use super::partition::Partition;
use super::scratch::LabelSums;
use crate::error::Error;

/// A weighted undirected graph: the neighbours of each node, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Where the links of each node begin, and their number at the end.
    starts: Vec<usize>,
    /// The neighbours of one node after those of another, with the weights.
    links: Vec<(u32, f64)>,
    /// The weight inside each node.
    loops: Vec<f64>,
    /// The sum of the weights at each node, loops counted twice.
    strengths: Vec<f64>,
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
        check(n_nodes, pairs, weights)?;
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let mut ends: Vec<(u32, u32, f64)> = Vec::with_capacity(2 * pairs.len());
        for (&[a, b], &weight) in pairs.iter().zip(weights) {
            if weight > 0.0 {
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
        Ok(network)
    }

    fn with_capacity(n_nodes: usize, n_links: usize) -> Self {
        let mut starts = Vec::with_capacity(n_nodes + 1);
        starts.push(0);
        Self {
            starts,
            links: Vec::with_capacity(n_links),
            loops: Vec::with_capacity(n_nodes),
            strengths: Vec::with_capacity(n_nodes),
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

    /// 2m: the sum of all strengths.
    pub(super) fn total_strength(&self) -> f64 {
        self.strengths.iter().sum()
    }

    /// The modularity of a partition of this network,
    ///
    /// ```text
    /// Q = Σ_c { W_c / m − γ (K_c / 2m)² }
    /// ```
    ///
    /// with the weight W_c within community c, the sum K_c of the strengths of its nodes, the total weight m and the
    /// resolution γ. Of a network without links it is 0.
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
        let total = self.total_strength();
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
fn members(groups: &[u32], n_groups: usize) -> (Vec<usize>, Vec<u32>) {
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

fn check(n_nodes: usize, pairs: &[[u32; 2]], weights: &[f64]) -> Result<(), Error> {
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
        if !(weight >= 0.0 && weight.is_finite()) {
            return refuse(
                "weights",
                format!("hold {weight} between nodes {a} and {b}: modularity needs finite weights of at least 0"),
            );
        }
    }
    Ok(())
}
