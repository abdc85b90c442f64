//! A partition of nodes into communities, with labels that depend only on which nodes are together.

/// A partition of nodes into communities 0, 1, …: the largest first, among equals the one with the first node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition {
    labels: Vec<usize>,
    n_communities: usize,
}

impl Partition {
    /// From any labels: nodes with the same one are together.
    ///
    /// ```
    /// use congraph::communities::Partition;
    ///
    /// assert_eq!(Partition::from_labels(&[7, 3, 3, 9]).labels(), [1, 0, 0, 2]);
    /// ```
    pub fn from_labels(labels: &[usize]) -> Self {
        let mut found: Vec<usize> = labels.to_vec();
        found.sort_unstable();
        found.dedup();
        let compact = labels.iter().filter_map(|label| found.binary_search(label).ok());
        Self::from_compact(&compact.map(|label| label as u32).collect::<Vec<_>>())
    }

    /// From labels that are not far above the number of nodes.
    pub(super) fn from_compact(labels: &[u32]) -> Self {
        let n_labels = labels.iter().max().map_or(0, |&last| last as usize + 1);
        // Size and first member of each label.
        let mut facts = vec![(0_usize, 0_usize); n_labels];
        // Backwards, so that the last one written is the first member.
        for (node, &label) in labels.iter().enumerate().rev() {
            let (size, first) = &mut facts[label as usize];
            *size += 1;
            *first = node;
        }
        let mut order: Vec<usize> = (0..n_labels).filter(|&label| facts[label].0 > 0).collect();
        order.sort_unstable_by_key(|&label| (std::cmp::Reverse(facts[label].0), facts[label].1));
        let mut rank = vec![0; n_labels];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = new;
        }
        Self {
            labels: labels.iter().map(|&label| rank[label as usize]).collect(),
            n_communities: order.len(),
        }
    }

    /// The same partition and labels, of nodes in another order: `order` holds, for each place, the node that goes
    /// there.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        Self {
            labels: order.iter().map(|&node| self.labels[node]).collect(),
            n_communities: self.n_communities,
        }
    }

    /// The community of each node.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.labels.len()
    }

    /// How many communities.
    pub fn n_communities(&self) -> usize {
        self.n_communities
    }
}

/// Renames labels below `bound` to 0, 1, … in order of first occurrence; returns how many there are.
pub(super) fn compact(labels: &mut [u32], bound: usize) -> usize {
    const UNSEEN: u32 = u32::MAX;
    let mut names = vec![UNSEEN; bound];
    let mut n_labels = 0;
    for label in labels {
        let name = &mut names[*label as usize];
        if *name == UNSEEN {
            *name = n_labels;
            n_labels += 1;
        }
        *label = *name;
    }
    n_labels as usize
}
