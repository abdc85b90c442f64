//! How often two nodes are in the same community, over many partitions.
//!
//! ```text
//! D_ij = share of the partitions that put i and j together
//! ```
//!
//! Where views lack nodes, only partitions that have both nodes count. The labels of each node in all partitions are
//! stored, and a row of D is computed on demand, so that memory grows with nodes × partitions, not with nodes².

use rayon::prelude::*;

use super::network::Network;
use super::partition::Partition;
use crate::error::Error;

/// Many partitions of the same nodes, and how often each two nodes are together.
#[derive(Clone, Debug, PartialEq)]
pub struct Coclassification {
    n_nodes: usize,
    n_partitions: usize,
    /// The labels of one node after those of another; [`LACKING`] where a partition does not have the node.
    labels: Vec<u32>,
}

/// Instead of a label.
const LACKING: u32 = u32::MAX;

impl Coclassification {
    /// Of partitions of the same nodes.
    ///
    /// # Panics
    /// If there are none, or they are not of the same number of nodes.
    ///
    /// ```
    /// use congraph::communities::{Coclassification, Partition};
    ///
    /// let partitions = [[0, 0, 1], [0, 1, 1]].map(|labels| Partition::from_labels(&labels));
    /// assert_eq!(Coclassification::of(&partitions).row(1), [0.5, 1.0, 0.5]);
    /// ```
    pub fn of(partitions: &[Partition]) -> Self {
        assert!(!partitions.is_empty(), "at least one partition");
        let n_nodes = partitions[0].n_nodes();
        assert!(partitions.iter().all(|partition| partition.n_nodes() == n_nodes));
        let of_node = |node| partitions.iter().map(move |partition| partition.labels()[node] as u32);
        Self {
            n_nodes,
            n_partitions: partitions.len(),
            labels: (0..n_nodes).flat_map(of_node).collect(),
        }
    }

    /// Of partitions of some of the nodes each: with every one the nodes that it is of, in its order.
    pub(super) fn of_some(n_nodes: usize, partitions: &[(Partition, &[usize])]) -> Self {
        let n_partitions = partitions.len();
        let mut labels = vec![LACKING; n_nodes * n_partitions];
        for (k, (partition, nodes)) in partitions.iter().enumerate() {
            for (&node, &label) in nodes.iter().zip(partition.labels()) {
                labels[node * n_partitions + k] = label as u32;
            }
        }
        Self {
            n_nodes,
            n_partitions,
            labels,
        }
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// How many partitions.
    pub fn n_partitions(&self) -> usize {
        self.n_partitions
    }

    /// The share of the partitions (that have both) in which a node is with each node; with itself always.
    ///
    /// # Panics
    /// If it is not a node.
    pub fn row(&self, node: usize) -> Vec<f64> {
        let own = &self.labels[node * self.n_partitions..(node + 1) * self.n_partitions];
        let share = |other: &[u32]| {
            let (mut together, mut both) = (0_u32, 0_u32);
            for (&one, &two) in own.iter().zip(other) {
                let has_both = one != LACKING && two != LACKING;
                together += u32::from(one == two && has_both);
                both += u32::from(has_both);
            }
            if both == 0 {
                0.0
            } else {
                f64::from(together) / f64::from(both)
            }
        };
        self.labels.chunks_exact(self.n_partitions).map(share).collect()
    }

    /// The same of nodes in another order: `order` holds, for each place, the node that goes there.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        let of_node = |&node: &usize| &self.labels[node * self.n_partitions..(node + 1) * self.n_partitions];
        Self {
            labels: order.iter().flat_map(of_node).copied().collect(),
            ..*self
        }
    }

    /// The network of the shares of at least `threshold`. A node that this leaves alone keeps its strongest links
    /// instead.
    pub(super) fn network(&self, threshold: f64) -> Result<Network, Error> {
        let kept = |node: usize| {
            let mut row = self.row(node);
            row[node] = 0.0;
            let strongest = row.iter().copied().fold(0.0, f64::max);
            // Below the threshold a node keeps its strongest links, or it would be on its own.
            let least = threshold.min(strongest);
            let links = row.into_iter().enumerate();
            let links = links.filter(move |&(_, share)| share >= least && share > 0.0);
            let link = |(other, share): (usize, f64)| ([node.min(other) as u32, node.max(other) as u32], share);
            links.map(link).collect::<Vec<_>>()
        };
        let mut links: Vec<([u32; 2], f64)> = (0..self.n_nodes).into_par_iter().flat_map_iter(kept).collect();
        // Both ends list a link that is above the threshold.
        links.par_sort_unstable_by_key(|link| link.0);
        links.dedup_by_key(|link| link.0);
        let (pairs, weights): (Vec<_>, Vec<_>) = links.into_iter().unzip();
        Network::new(self.n_nodes, &pairs, &weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_partitions() -> Coclassification {
        let labels: [[usize; 5]; 3] = [[0, 0, 0, 1, 2], [0, 0, 1, 1, 2], [0, 0, 1, 2, 3]];
        Coclassification::of(&labels.map(|labels| Partition::from_labels(&labels)))
    }

    #[test]
    fn shares_by_hand() {
        let third = 1.0 / 3.0;
        assert_eq!(three_partitions().row(0), [1.0, 1.0, third, 0.0, 0.0]);
        assert_eq!(three_partitions().row(2), [third, third, 1.0, third, 0.0]);
        let turned = three_partitions().reordered(&[4, 3, 2, 1, 0]);
        assert_eq!(turned.row(4), [0.0, 0.0, third, 1.0, 1.0]);
    }

    #[test]
    fn nodes_below_the_threshold_keep_their_strongest_links() {
        // 0–1 is above the threshold; 2 is equally often with 0, 1 and 3; 3 only with 2; 4 with nobody.
        let network = three_partitions().network(0.5).unwrap();
        let third = 1.0 / 3.0;
        let expected = Network::new(5, &[[0, 1], [0, 2], [1, 2], [2, 3]], &[1.0, third, third, third]).unwrap();
        assert_eq!(network, expected);
        let strict = Network::new(5, &[[0, 1], [0, 2], [1, 2], [2, 3]], &[1.0, third, third, third]).unwrap();
        assert_eq!(three_partitions().network(1.0).unwrap(), strict);
    }
}
