//! Which view has which node: all of them, but for bad electrodes and unmeasured genes. And whose view it is.
//!
//! A view takes part with the nodes it has. With V_i the nodes of view i and n_i their number, everything that the
//! problem says of a view is said of V_i alone:
//!
//! ```text
//! its edges     pairs of V_i                                    its total    1ᵀ w^i = n_i
//! its degrees   δ^i and λ^i on V_i                              its density  over n_i(n_i − 1)/2 pairs
//! coupling      of an edge: over the views that have both ends
//! consensus     of every pair that some view has
//! ```
//!
//! A view that lacks an edge is not a view in which the edge is absent: it has no say about it. In rows of all views
//! its entry is marked: an infinite distance, a target of −∞, a weight of 0.

use std::collections::HashMap;

use super::{Order, Subjects};
use crate::edges::ViewMatrix;

/// Which view has which node, and which views are of one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    n_nodes: usize,
    n_views: usize,
    /// For each node one entry per view: whether the view lacks it. Empty where every view has every node.
    lacks: Vec<bool>,
    /// How many nodes each view has.
    sizes: Vec<usize>,
    /// How many pairs of nodes some view has.
    n_pairs: usize,
    /// Which views are of one subject, where that is known.
    subjects: Option<Subjects>,
}

impl Membership {
    /// Every view has every node.
    pub fn total(n_nodes: usize, n_views: usize) -> Self {
        Self {
            n_nodes,
            n_views,
            lacks: Vec::new(),
            sizes: vec![n_nodes; n_views],
            n_pairs: pairs_of(n_nodes),
            subjects: None,
        }
    }

    /// The same of views whose subjects are known.
    #[must_use]
    pub fn with_subjects(self, subjects: Subjects) -> Self {
        debug_assert_eq!(subjects.of_views().len(), self.n_views);
        Self {
            subjects: Some(subjects),
            ..self
        }
    }

    /// Which views are of one subject, where that is known.
    pub fn subjects(&self) -> Option<&Subjects> {
        self.subjects.as_ref()
    }

    /// From what `lacks` says of a view and a node.
    ///
    /// ```
    /// use congraph::Membership;
    ///
    /// let membership = Membership::new(3, 2, |view, node| view == 1 && node == 0);
    /// assert!(!membership.has(1, 0) && membership.has(0, 0));
    /// assert_eq!(membership.n_nodes_of(1), 2);
    /// assert_eq!(membership.n_common_pairs(0, 1), 1);
    /// assert!(Membership::new(3, 2, |_, _| false).is_total());
    /// ```
    pub fn new(n_nodes: usize, n_views: usize, lacks: impl Fn(usize, usize) -> bool) -> Self {
        let entries = (0..n_nodes).flat_map(|node| (0..n_views).map(move |view| (view, node)));
        let lacks: Vec<bool> = entries.map(|(view, node)| lacks(view, node)).collect();
        if !lacks.contains(&true) {
            return Self::total(n_nodes, n_views);
        }
        let mut membership = Self {
            lacks,
            ..Self::total(n_nodes, n_views)
        };
        membership.sizes = (0..n_views).map(|view| membership.nodes_of(view).count()).collect();
        membership.n_pairs = membership.count_pairs();
        membership
    }

    /// Whether every view has every node.
    #[inline]
    pub fn is_total(&self) -> bool {
        self.lacks.is_empty()
    }

    /// How many nodes there are in all views together.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.n_views
    }

    /// Whether a view has a node.
    pub fn has(&self, view: usize, node: usize) -> bool {
        self.is_total() || !self.lacks[node * self.n_views + view]
    }

    /// Whether a view has both nodes of a pair.
    pub fn has_pair(&self, view: usize, pair: [u32; 2]) -> bool {
        pair.iter().all(|&node| self.has(view, node as usize))
    }

    /// Whether some view has both nodes of a pair.
    pub fn some_has(&self, [a, b]: [u32; 2]) -> bool {
        let ends = self.row(a as usize).iter().zip(self.row(b as usize));
        self.is_total() || ends.into_iter().any(|(a, b)| !(*a || *b))
    }

    /// The nodes that a view has, in order.
    pub fn nodes_of(&self, view: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.n_nodes()).filter(move |&node| self.has(view, node))
    }

    /// The nodes that a view lacks, in order.
    pub fn missing(&self, view: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.n_nodes()).filter(move |&node| !self.has(view, node))
    }

    /// How many nodes a view has.
    pub fn n_nodes_of(&self, view: usize) -> usize {
        self.sizes[view]
    }

    /// How many pairs of nodes a view has.
    pub fn n_pairs_of(&self, view: usize) -> usize {
        pairs_of(self.sizes[view])
    }

    /// How many pairs of nodes two views have in common.
    pub fn n_common_pairs(&self, one: usize, two: usize) -> usize {
        pairs_of(self.nodes_of(one).filter(|&node| self.has(two, node)).count())
    }

    /// How many pairs of nodes some view has: the pairs of the consensus.
    pub fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    /// For each view, whether it lacks the node; nothing where every view has every node.
    #[inline]
    pub(crate) fn row(&self, node: usize) -> &[bool] {
        if self.is_total() {
            return &[];
        }
        &self.lacks[node * self.n_views..(node + 1) * self.n_views]
    }

    /// The same of nodes and views in another order.
    pub(crate) fn arranged(&self, order: &Order) -> Self {
        let subjects = self.subjects.as_ref().map(|subjects| subjects.arranged(&order.views));
        if self.is_total() {
            return Self {
                subjects,
                ..Self::total(order.nodes.len(), order.views.len())
            };
        }
        let of_node = |&node: &usize| order.views.iter().map(move |&view| !self.has(view, node));
        Self {
            lacks: order.nodes.iter().flat_map(of_node).collect(),
            sizes: order.views.iter().map(|&view| self.sizes[view]).collect(),
            n_nodes: order.nodes.len(),
            n_views: order.views.len(),
            n_pairs: self.n_pairs,
            subjects,
        }
    }

    /// Sets the entries of rows, one per pair, to infinity where the view lacks the pair.
    pub(crate) fn mark(&self, pairs: &[[u32; 2]], rows: &mut ViewMatrix) {
        if self.is_total() {
            return;
        }
        for (&[a, b], row) in pairs.iter().zip(rows.rows_mut()) {
            let ends = self.row(a as usize).iter().zip(self.row(b as usize));
            for (value, (a, b)) in row.iter_mut().zip(ends) {
                if *a || *b {
                    *value = f64::INFINITY;
                }
            }
        }
    }

    /// Sets the entries of rows, one per node, to 0 where the view lacks the node.
    pub(crate) fn clear(&self, rows: &mut ViewMatrix) {
        for (value, &lacks) in rows.values_mut().iter_mut().zip(&self.lacks) {
            if lacks {
                *value = 0.0;
            }
        }
    }

    /// Nodes that the same views have are counted together.
    fn count_pairs(&self) -> usize {
        let mut kinds: HashMap<&[bool], usize> = HashMap::new();
        for node in 0..self.n_nodes() {
            *kinds.entry(self.row(node)).or_default() += 1;
        }
        let kinds: Vec<(&[bool], usize)> = kinds.into_iter().collect();
        let shared = |one: &[bool], two: &[bool]| one.iter().zip(two).any(|(one, two)| !(*one || *two));
        let mut n_pairs = 0;
        for (k, &(one, count)) in kinds.iter().enumerate() {
            if shared(one, one) {
                n_pairs += pairs_of(count);
            }
            let others = kinds[..k].iter().filter(|(two, _)| shared(one, two));
            n_pairs += count * others.map(|(_, count)| count).sum::<usize>();
        }
        n_pairs
    }
}

/// n(n − 1)/2.
pub(crate) fn pairs_of(n_nodes: usize) -> usize {
    n_nodes * n_nodes.saturating_sub(1) / 2
}

/// Calls with the entries of a row that are not marked as lacking, next to each other.
#[inline]
pub(crate) fn own<'a>(row: &'a [f64], distances: &[f64], buffer: &'a mut Vec<f64>) -> &'a [f64] {
    buffer.clear();
    let entries = row
        .iter()
        .zip(distances)
        .filter(|(_, distance)| **distance < f64::INFINITY);
    buffer.extend(entries.map(|(value, _)| value));
    buffer
}

/// The row as a penalty is shown it: [`own`] entries, or, if it takes rows whole, with NaN for the others.
#[inline]
pub(crate) fn own_or_marked<'a>(row: &'a [f64], distances: &[f64], whole: bool, buffer: &'a mut Vec<f64>) -> &'a [f64] {
    if !whole {
        return own(row, distances, buffer);
    }
    buffer.clear();
    let marked = |(&value, &distance): (&f64, &f64)| if distance < f64::INFINITY { value } else { f64::NAN };
    buffer.extend(row.iter().zip(distances).map(marked));
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::Edges;

    #[test]
    fn pairs_are_counted_as_one_by_one() {
        let mask = Membership::new(9, 3, |view, node| {
            (node * 5 + view * 3) % 4 == 0 || node == 7 && view > 0
        });
        let edges = Edges::complete(9);
        let count = |has: &dyn Fn([u32; 2]) -> bool| edges.pairs().iter().filter(|pair| has(**pair)).count();
        assert_eq!(mask.n_pairs(), count(&|pair| mask.some_has(pair)));
        for view in 0..3 {
            assert_eq!(mask.n_pairs_of(view), count(&|pair| mask.has_pair(view, pair)));
            let both = |pair| mask.has_pair(0, pair) && mask.has_pair(view, pair);
            assert_eq!(mask.n_common_pairs(0, view), count(&both));
        }
        let order = Order {
            nodes: vec![8, 1, 2, 3, 4, 5, 6, 7, 0],
            views: vec![2, 0, 1],
            flipped: Vec::new(),
        };
        let moved = mask.arranged(&order);
        assert_eq!(moved.n_pairs(), mask.n_pairs());
        assert!(
            (0..9)
                .all(|node| (0..3).all(|view| moved.has(view, node) == mask.has(order.views[view], order.nodes[node])))
        );
    }

    #[test]
    fn what_is_lacking_is_marked() {
        let mask = Membership::new(3, 2, |view, node| view == 1 && node == 2);
        let mut rows = ViewMatrix::from_values(2, vec![1.0; 6]);
        mask.mark(Edges::complete(3).pairs(), &mut rows);
        assert_eq!(rows.values(), [1.0, 1.0, 1.0, f64::INFINITY, 1.0, f64::INFINITY]);
        let mut kept = Vec::new();
        assert_eq!(own(&[5.0, 6.0], rows.row(1), &mut kept), [5.0]);
        let mut degrees = ViewMatrix::from_values(2, vec![1.0; 6]);
        mask.clear(&mut degrees);
        assert_eq!(degrees.values(), [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    }
}
