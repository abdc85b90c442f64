//! The order of nodes and views: the results of a fit do not depend on how its input was sorted.

/// Where each sorted node and view stands in the user's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// For each node in sorted order, its place in the given order.
    pub nodes: Vec<usize>,
    /// For each view in sorted order, its place in the given order.
    pub views: Vec<usize>,
    /// For each node in sorted order, whether its signal was multiplied by −1 in all views; empty if none was. Signed
    /// graphs are learned in one gauge, whichever the data came in, and turned back.
    pub flipped: Vec<bool>,
}

impl Order {
    /// The given order.
    pub fn as_given(n_nodes: usize, n_views: usize) -> Self {
        Self {
            nodes: (0..n_nodes).collect(),
            views: (0..n_views).collect(),
            flipped: Vec::new(),
        }
    }

    /// This order followed by another order of its nodes.
    pub(crate) fn then(self, nodes: &[usize]) -> Self {
        Self {
            nodes: nodes.iter().map(|&node| self.nodes[node]).collect(),
            views: self.views,
            flipped: match self.flipped[..] {
                [] => Vec::new(),
                ref flipped => nodes.iter().map(|&node| flipped[node]).collect(),
            },
        }
    }

    /// Whether the signals of one of two sorted nodes were multiplied by −1, and not those of the other: an edge
    /// between them has the other sign than in the given data.
    pub fn is_flipped(&self, [a, b]: [u32; 2]) -> bool {
        !self.flipped.is_empty() && self.flipped[a as usize] != self.flipped[b as usize]
    }

    /// For each node in the given order, its place in sorted order.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.nodes.len()];
        for (sorted, &given) in self.nodes.iter().enumerate() {
            places[given] = sorted as u32;
        }
        places
    }
}
