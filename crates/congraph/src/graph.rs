//! The learned graphs: one weighted graph per view and the consensus, kept sparse.
//!
//! ```text
//! density      share of the n(n−1)/2 pairs with a weight other than 0
//! similarity   mean Pearson correlation between the weight vectors of two views, over all pairs of views; of signed
//!              weights that of their sizes, times Σ xy / Σ |xy|, so that flipping a node's signal does not change it
//! uniqueness   Σ|w^i − w| / Σ(|w^i| + |w|): 0 for a view equal to the consensus, 1 for one that shares nothing with it
//! ```
//!
//! A graph may be signed: a weight below 0 joins two nodes whose signals are each other's opposites, and is an edge like
//! any other.
//!
//! No order of columns or files changes the last digit of these: sums go in the order of names, or are exact.
//!
//! Where views lack nodes, each is taken over the pairs that a view has, that both views have, that some view has (the
//! consensus).

use std::borrow::Cow;

use crate::edges::ViewMatrix;
use crate::views::{Membership, Order, Subjects};

/// Whether two nodes with this weight are joined: any weight other than 0, of either sign.
///
/// ```
/// assert!(congraph::is_edge(0.5) && congraph::is_edge(-0.5) && !congraph::is_edge(0.0));
/// ```
#[inline]
pub fn is_edge(weight: f64) -> bool {
    weight.abs() > 0.0
}

/// One weighted graph per view and, unless each view was learned on its own, the consensus they share.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiviewGraph {
    nodes: Vec<String>,
    views: Vec<String>,
    pairs: Vec<[u32; 2]>,
    weights: ViewMatrix,
    consensus: Option<Vec<f64>>,
    membership: Membership,
    /// The weights of the subjects' own graphs, one row per pair.
    subjects: Option<ViewMatrix>,
}

impl MultiviewGraph {
    /// From pairs a < b with their weights in each view and in the consensus. Pairs that are absent everywhere are left
    /// out, and the others sorted.
    ///
    /// # Panics
    /// If the lengths do not agree, an end is not a node, or a pair is listed twice.
    pub fn new(
        nodes: Vec<String>,
        views: Vec<String>,
        pairs: &[[u32; 2]],
        weights: &ViewMatrix,
        consensus: Option<&[f64]>,
    ) -> Self {
        assert_eq!(weights.n_views(), views.len(), "one column of weights per view");
        assert_eq!(weights.n_rows(), pairs.len(), "one row of weights per pair");
        assert!(consensus.is_none_or(|consensus| consensus.len() == pairs.len()));
        assert!(pairs.iter().all(|&[a, b]| a < b && (b as usize) < nodes.len()));
        let present = |edge: &usize| {
            weights.row(*edge).iter().any(|&w| is_edge(w))
                || consensus.is_some_and(|consensus| is_edge(consensus[*edge]))
        };
        let mut kept: Vec<usize> = (0..pairs.len()).filter(present).collect();
        kept.sort_by_key(|&edge| pairs[edge]);
        assert!(
            kept.is_sorted_by(|&one, &two| pairs[one] < pairs[two]),
            "each pair once"
        );
        let values = kept.iter().flat_map(|&edge| weights.row(edge)).copied().collect();
        Self {
            pairs: kept.iter().map(|&edge| pairs[edge]).collect(),
            weights: ViewMatrix::from_values(views.len(), values),
            consensus: consensus.map(|consensus| kept.iter().map(|&edge| consensus[edge]).collect()),
            membership: Membership::total(nodes.len(), views.len()),
            nodes,
            views,
            subjects: None,
        }
    }

    /// The same with the graphs of the subjects whose views these are: one row of weights for each of the given pairs,
    /// one column for each subject. Of pairs that are absent here, and of others that are not given, they are 0.
    ///
    /// # Panics
    /// If the membership knows no subjects, or the rows are not of them.
    #[must_use]
    pub fn with_subjects(mut self, pairs: &[[u32; 2]], weights: &ViewMatrix) -> Self {
        let n_subjects = self.membership.subjects().map_or(0, Subjects::n_subjects);
        assert!(n_subjects > 0, "the membership knows the subjects");
        assert_eq!((weights.n_views(), weights.n_rows()), (n_subjects, pairs.len()));
        let mut rows = ViewMatrix::zeros(self.pairs.len(), n_subjects);
        for (pair, row) in pairs.iter().zip(weights.rows()) {
            if let Ok(edge) = self.pairs.binary_search(pair) {
                rows.row_mut(edge).copy_from_slice(row);
            }
        }
        self.subjects = Some(rows);
        self
    }

    /// Which views are of one subject, where the fit knew it.
    pub fn subjects(&self) -> Option<&Subjects> {
        self.membership.subjects().filter(|_| self.subjects.is_some())
    }

    /// The weights of the subjects' own graphs, one row per pair and one column per subject; none if there are none.
    pub fn subject_weights(&self) -> Option<&ViewMatrix> {
        self.subjects.as_ref()
    }

    /// The graph of one subject as a symmetric n × n matrix, row after row.
    pub fn subject_adjacency(&self, subject: usize) -> Option<Vec<f64>> {
        let weights = self.subjects.as_ref()?;
        Some(self.dense(weights.column(subject)))
    }

    /// The density of a subject's graph, over the pairs that some view of the subject has.
    pub fn subject_density(&self, subject: usize) -> Option<f64> {
        let weights = self.subjects.as_ref()?;
        Some(density(weights.column(subject), self.n_pairs_of_subject(subject)))
    }

    /// How many pairs of nodes some view of a subject has.
    fn n_pairs_of_subject(&self, subject: usize) -> usize {
        let Some(subjects) = self.membership.subjects().filter(|_| !self.membership.is_total()) else {
            return self.n_pairs();
        };
        let views: Vec<usize> = subjects.views_of(subject).collect();
        let lacks = |view: usize, node: usize| !self.membership.has(views[view], node);
        Membership::new(self.n_nodes(), views.len(), lacks).n_pairs()
    }

    /// The same graphs, of views that may lack nodes.
    ///
    /// # Panics
    /// If the membership is of other nodes or views, or a view has an edge at a node that it lacks.
    #[must_use]
    pub fn with_membership(mut self, membership: Membership) -> Self {
        assert_eq!(
            (membership.n_nodes(), membership.n_views()),
            (self.n_nodes(), self.n_views())
        );
        if !membership.is_total() {
            for (&pair, row) in self.pairs.iter().zip(self.weights.rows()) {
                let fits = |(view, &weight): (usize, &f64)| weight == 0.0 || membership.has_pair(view, pair);
                assert!(
                    row.iter().enumerate().all(fits),
                    "an edge at a node that the view lacks"
                );
            }
        }
        self.membership = membership;
        self
    }

    /// Which view has which node.
    pub fn membership(&self) -> &Membership {
        &self.membership
    }

    /// Whether a view has a node.
    pub fn has(&self, view: usize, node: usize) -> bool {
        self.membership.has(view, node)
    }

    /// How many pairs of nodes a view has.
    pub fn n_pairs_of(&self, view: usize) -> usize {
        self.membership.n_pairs_of(view)
    }

    /// The names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// The names of the views.
    pub fn views(&self) -> &[String] {
        &self.views
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.views.len()
    }

    /// The pairs that are joined in some view or in the consensus, sorted.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The weights of those pairs, one row per pair.
    pub fn weights(&self) -> &ViewMatrix {
        &self.weights
    }

    /// The consensus weights of those pairs; none if each view was learned on its own.
    pub fn consensus(&self) -> Option<&[f64]> {
        self.consensus.as_deref()
    }

    /// Whether any weight, of a view or of the consensus, is negative.
    ///
    /// ```
    /// use congraph::{MultiviewGraph, ViewMatrix};
    ///
    /// let nodes = || ["a", "b"].map(String::from).to_vec();
    /// let graph = |weight| {
    ///     let weights = ViewMatrix::from_values(1, vec![weight]);
    ///     MultiviewGraph::new(nodes(), vec!["x".into()], &[[0, 1]], &weights, None)
    /// };
    /// assert!(graph(-1.0).is_signed() && !graph(1.0).is_signed());
    /// assert_eq!(graph(-1.0).density(0), 1.0);
    /// ```
    pub fn is_signed(&self) -> bool {
        let mut weights = self.weights.values().iter().chain(self.consensus.iter().flatten());
        weights.any(|&weight| weight < 0.0)
    }

    /// How many pairs of nodes there are that some view has.
    pub fn n_pairs(&self) -> usize {
        self.membership.n_pairs()
    }

    /// The density of one view.
    pub fn density(&self, view: usize) -> f64 {
        density(self.weights.column(view), self.n_pairs_of(view))
    }

    /// The mean density of the views.
    pub fn mean_density(&self) -> f64 {
        let mut densities: Vec<f64> = (0..self.n_views()).map(|view| self.density(view)).collect();
        densities.sort_unstable_by(f64::total_cmp);
        densities.iter().sum::<f64>() / self.n_views() as f64
    }

    /// The same with nodes, views and pairs in the order of their names, without what does not matter to sums.
    fn in_order_of_names(&self) -> Cow<'_, Self> {
        if self.nodes.is_sorted() && self.views.is_sorted() {
            return Cow::Borrowed(self);
        }
        let sorted = |names: &[String]| -> Vec<usize> {
            let mut order: Vec<usize> = (0..names.len()).collect();
            order.sort_by_key(|&k| &names[k]);
            order
        };
        let order = Order {
            nodes: sorted(&self.nodes),
            views: sorted(&self.views),
            flipped: Vec::new(),
        };
        let mut node_places = vec![0; order.nodes.len()];
        order
            .nodes
            .iter()
            .enumerate()
            .for_each(|(place, &node)| node_places[node] = place);
        let of_names = |pair: [u32; 2]| {
            let [a, b] = pair.map(|node| node_places[node as usize] as u32);
            [a.min(b), a.max(b)]
        };
        let pairs: Vec<[u32; 2]> = self.pairs.iter().map(|&pair| of_names(pair)).collect();
        let row = |edge: usize| order.views.iter().map(move |&view| self.weights.row(edge)[view]);
        let values = (0..self.pairs.len()).flat_map(row).collect();
        let membership = self.membership.arranged(&order);
        let sorted = Self::new(
            order.nodes.into_iter().map(|node| self.nodes[node].clone()).collect(),
            order.views.into_iter().map(|view| self.views[view].clone()).collect(),
            &pairs,
            &ViewMatrix::from_values(self.n_views(), values),
            self.consensus.as_deref(),
        );
        Cow::Owned(sorted.with_membership(membership))
    }

    /// The density of the consensus, over the pairs that some view has.
    pub fn consensus_density(&self) -> Option<f64> {
        let consensus = self.consensus.as_ref()?;
        let is_measured = |pair: [u32; 2]| self.membership.some_has(pair);
        let measured = self.pairs.iter().zip(consensus).filter(|(pair, _)| is_measured(**pair));
        Some(density(measured.map(|(_, weight)| *weight), self.n_pairs()))
    }

    /// The mean Pearson correlation between the weights of two views; none for a single view, and where no view has an
    /// edge.
    ///
    /// Two views without any variation (complete graphs of equal weights) count as equal.
    pub fn similarity(&self) -> Option<f64> {
        if !self.weights.values().iter().any(|&weight| is_edge(weight)) {
            return None;
        }
        let sorted = self.in_order_of_names();
        if sorted.membership.is_total() {
            return mean_correlation(&sorted.weights, sorted.n_pairs());
        }
        mean_common_correlation(&sorted.pairs.iter().zip(sorted.weights.rows()), &sorted.membership)
    }

    /// The Pearson correlation between the weights of two views over all pairs of nodes that both have.
    pub fn correlation(&self, i: usize, j: usize) -> f64 {
        if !self.membership.is_total() {
            return common_correlation(self.pairs.iter().zip(self.weights.rows()), &self.membership, i, j);
        }
        weight_correlation(self.weights.rows().map(|row| (row[i], row[j])), self.n_pairs())
    }

    /// How far a view is from the consensus, from 0 (equal) to 1 (nothing shared); none without a consensus.
    pub fn uniqueness(&self, view: usize) -> Option<f64> {
        let consensus = self.consensus.as_ref()?;
        let is_total = self.membership.is_total();
        let mut apart = Vec::with_capacity(consensus.len());
        let mut total = Vec::with_capacity(consensus.len());
        for ((pair, weight), consensus) in self.pairs.iter().zip(self.weights.column(view)).zip(consensus) {
            if is_total || self.membership.has_pair(view, *pair) {
                apart.push((weight - consensus).abs());
                total.push(weight.abs() + consensus.abs());
            }
        }
        let [apart, total] = [&apart, &total].map(|sizes| sum_of_sizes(sizes.iter().copied()));
        Some(if total > 0.0 { apart / total } else { 0.0 })
    }

    /// How many views have both ends of an edge.
    pub fn n_measured(&self, edge: usize) -> usize {
        let pair = self.pairs[edge];
        (0..self.n_views())
            .filter(|&view| self.membership.has_pair(view, pair))
            .count()
    }

    /// The mean weight of an edge over the views that have both of its ends: the same for any order of them, and NaN if
    /// none has.
    pub fn mean_weight(&self, edge: usize) -> f64 {
        let mut sorted = self.weights.row(edge).to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.iter().sum::<f64>() / self.n_measured(edge) as f64
    }

    /// The number of connected parts of the consensus (of the union of the views without one), and the nodes without an
    /// edge in it.
    pub fn components(&self) -> (usize, Vec<usize>) {
        let mut leader: Vec<usize> = (0..self.n_nodes()).collect();
        let mut touched = vec![false; self.n_nodes()];
        for (edge, &[a, b]) in self.pairs.iter().enumerate() {
            if self
                .consensus
                .as_ref()
                .is_some_and(|consensus| !is_edge(consensus[edge]))
            {
                continue;
            }
            let (a, b) = (a as usize, b as usize);
            touched[a] = true;
            touched[b] = true;
            let (root_a, root_b) = (root(&mut leader, a), root(&mut leader, b));
            leader[root_a.max(root_b)] = root_a.min(root_b);
        }
        let n_components = (0..self.n_nodes()).filter(|&node| leader[node] == node).count();
        let isolated = (0..self.n_nodes()).filter(|&node| !touched[node]).collect();
        (n_components, isolated)
    }

    /// The weights of one view as a symmetric n × n matrix, row after row.
    pub fn adjacency(&self, view: usize) -> Vec<f64> {
        self.dense(self.weights.column(view))
    }

    /// The consensus as a symmetric n × n matrix, row after row.
    pub fn consensus_adjacency(&self) -> Option<Vec<f64>> {
        let consensus = self.consensus.as_ref()?;
        Some(self.dense(consensus.iter().copied()))
    }

    /// The same graphs with the square roots of the views' weights, which keep their signs.
    pub(crate) fn with_roots(&self) -> Self {
        let mut rooted = self.clone();
        rooted
            .weights
            .values_mut()
            .iter_mut()
            .for_each(|weight| *weight = weight.abs().sqrt().copysign(*weight));
        rooted
    }

    fn dense(&self, weights: impl Iterator<Item = f64>) -> Vec<f64> {
        let n = self.n_nodes();
        let mut matrix = vec![0.0; n * n];
        for (&[a, b], weight) in self.pairs.iter().zip(weights) {
            let (a, b) = (a as usize, b as usize);
            matrix[a * n + b] = weight;
            matrix[b * n + a] = weight;
        }
        matrix
    }
}

/// The Pearson correlation between two vectors of `n` values, of which those that are zero in both need not be listed.
///
/// Two vectors without variation count as equal; one without has correlation 0 with any other.
pub fn pearson(values: impl Iterator<Item = (f64, f64)>, n: usize) -> f64 {
    let mut sums = CorrelationSums::new(2);
    for (x, y) in values {
        sums.add(&[x, y]);
    }
    sums.correlation(0, 1, n)
}

/// The correlation between the weights of two views: Pearson's of their sizes, times how far their signs agree. A mean of
/// signed weights depends on the signs of the nodes' signals, which say nothing; this does not.
fn weight_correlation(values: impl Iterator<Item = (f64, f64)>, n: usize) -> f64 {
    let (mut sums, mut signs) = (CorrelationSums::new(2), SignSums::default());
    for (x, y) in values {
        sums.add(&[x.abs(), y.abs()]);
        signs.add(x * y);
    }
    signs.agreement() * sums.correlation(0, 1, n)
}

/// How far the signs of two views' weights agree: 1 if they always do, −1 if they never do.
#[derive(Clone, Copy, Default)]
pub(crate) struct SignSums {
    same: f64,
    other: f64,
}

impl SignSums {
    pub(crate) fn add(&mut self, product: f64) {
        if product < 0.0 {
            self.other -= product;
        } else {
            self.same += product;
        }
    }

    pub(crate) fn agreement(self) -> f64 {
        if self.other == 0.0 {
            return 1.0;
        }
        (self.same - self.other) / (self.same + self.other)
    }
}

/// The mean Pearson correlation between two columns, over all pairs of them, of rows that are zero in all but those
/// given.
pub(crate) fn mean_correlation(weights: &ViewMatrix, n_pairs: usize) -> Option<f64> {
    let n = weights.n_views();
    if n < 2 {
        return None;
    }
    let is_signed = weights.values().iter().any(|&weight| weight < 0.0);
    let mut sums = CorrelationSums::new(n);
    let mut sizes = vec![0.0; n];
    for row in weights.rows() {
        if is_signed {
            sizes
                .iter_mut()
                .zip(row)
                .for_each(|(size, weight)| *size = weight.abs());
            sums.add(&sizes);
        } else {
            sums.add(row);
        }
    }
    let agreement = |i: usize, j: usize| {
        let mut signs = SignSums::default();
        weights.rows().for_each(|row| signs.add(row[i] * row[j]));
        signs.agreement()
    };
    let mut total = 0.0;
    for i in 0..n {
        for j in 0..i {
            let correlation = sums.correlation(i, j, n_pairs);
            total += if is_signed {
                agreement(i, j) * correlation
            } else {
                correlation
            };
        }
    }
    Some(total / (n * (n - 1) / 2) as f64)
}

/// The Pearson correlation between two views over the pairs that both have.
fn common_correlation<'a>(
    rows: impl Iterator<Item = (&'a [u32; 2], &'a [f64])>,
    membership: &Membership,
    i: usize,
    j: usize,
) -> f64 {
    let common = rows.filter(|(pair, _)| membership.has_pair(i, **pair) && membership.has_pair(j, **pair));
    weight_correlation(common.map(|(_, row)| (row[i], row[j])), membership.n_common_pairs(i, j))
}

/// As [`mean_correlation`] for views that lack nodes: over all pairs of views that have a pair of nodes in common.
pub(crate) fn mean_common_correlation<'a>(
    rows: &(impl Iterator<Item = (&'a [u32; 2], &'a [f64])> + Clone),
    membership: &Membership,
) -> Option<f64> {
    let (mut total, mut count) = (0.0, 0_usize);
    for i in 0..membership.n_views() {
        for j in (0..i).filter(|&j| membership.n_common_pairs(i, j) > 0) {
            total += common_correlation(rows.clone(), membership, i, j);
            count += 1;
        }
    }
    (count > 0).then(|| total / count as f64)
}

/// The sums that a correlation is made of, for some columns at once.
struct CorrelationSums {
    single: Vec<f64>,
    products: Vec<f64>,
}

impl CorrelationSums {
    fn new(n: usize) -> Self {
        Self {
            single: vec![0.0; n],
            products: vec![0.0; n * n],
        }
    }

    fn add(&mut self, row: &[f64]) {
        let n = row.len();
        for (i, &x) in row.iter().enumerate() {
            self.single[i] += x;
            for (product, &y) in self.products[i * n..].iter_mut().zip(&row[..=i]) {
                *product += x * y;
            }
        }
    }

    /// The correlation of two columns of `m` rows, of which those that were not added are zero.
    fn correlation(&self, i: usize, j: usize, m: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        let n = self.single.len();
        let m = m as f64;
        let covariance = |i: usize, j: usize| self.products[i * n + j] - self.single[i] * self.single[j] / m;
        let (variance_i, variance_j) = (covariance(i, i), covariance(j, j));
        let is_flat = |variance: f64, k: usize| variance <= 1e-14 * self.products[k * n + k];
        if is_flat(variance_i, i) && is_flat(variance_j, j) {
            return 1.0;
        }
        let spread = (variance_i.max(0.0) * variance_j.max(0.0)).sqrt();
        if spread == 0.0 {
            0.0
        } else {
            (covariance(i, j) / spread).clamp(-1.0, 1.0)
        }
    }
}

/// The mean over the views of the share of their pairs with a weight other than 0.
pub(crate) fn mean_density(weights: &ViewMatrix, membership: &Membership) -> f64 {
    let n_views = weights.n_views();
    if membership.is_total() {
        let present = weights.values().iter().filter(|&&weight| is_edge(weight)).count();
        return present as f64 / (membership.n_pairs() * n_views) as f64;
    }
    let of_view = |view: usize| density(weights.column(view), membership.n_pairs_of(view));
    (0..n_views).map(of_view).sum::<f64>() / n_views as f64
}

/// The sum of numbers that are not negative: the same to the bit for any order. Each is cut in two where sums of the upper
/// halves, and of the lower ones, are exact.
fn sum_of_sizes(sizes: impl Iterator<Item = f64> + Clone) -> f64 {
    let (count, largest) = sizes.clone().fold((0.0, 0.0_f64), |(count, largest), size| {
        (count + 1.0, largest.max(size))
    });
    // Above all sums; what is added to it and taken off again is cut off at its last digit.
    let above = |size: f64| 2_f64.powf((size * count).log2().ceil() + 1.0);
    let first = above(largest);
    let second = above(first * f64::EPSILON);
    if !(second.is_normal() && first.is_finite()) {
        return sizes.sum();
    }
    let (mut upper, mut lower) = (0.0, 0.0);
    for size in sizes {
        let half = (size + first) - first;
        upper += half;
        lower += ((size - half) + second) - second;
    }
    upper + lower
}

pub(crate) fn density(weights: impl Iterator<Item = f64>, n_pairs: usize) -> f64 {
    let present = weights.filter(|&weight| is_edge(weight)).count();
    present as f64 / n_pairs.max(1) as f64
}

fn root(leader: &mut [usize], mut node: usize) -> usize {
    while leader[node] != node {
        leader[node] = leader[leader[node]];
        node = leader[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_views() -> MultiviewGraph {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        MultiviewGraph::new(
            names(&["a", "b", "c", "d"]),
            names(&["x", "y"]),
            &[[0, 2], [0, 1], [2, 3]],
            &ViewMatrix::from_values(2, vec![0.0, 0.0, 4.0, 2.0, 0.0, 2.0]),
            Some(&[0.0, 3.0, 0.0]),
        )
    }

    #[test]
    fn absent_pairs_are_left_out_and_the_rest_sorted() {
        let graph = two_views();
        assert_eq!(graph.pairs(), [[0, 1], [2, 3]]);
        assert_eq!(graph.density(0), 1.0 / 6.0);
        assert_eq!(graph.density(1), 2.0 / 6.0);
        assert_eq!(graph.consensus_density(), Some(1.0 / 6.0));
    }

    #[test]
    fn correlation_counts_the_pairs_that_are_absent() {
        // The two weight vectors over all six pairs are (4,0,0,0,0,0) and (2,0,0,0,0,2).
        let expected = (8.0 - 16.0 / 6.0) / ((16.0_f64 - 16.0 / 6.0).sqrt() * (8.0_f64 - 16.0 / 6.0).sqrt());
        assert!((two_views().correlation(0, 1) - expected).abs() < 1e-15);
        assert_eq!(two_views().similarity(), Some(two_views().correlation(1, 0)));
    }

    #[test]
    fn uniqueness_is_the_share_of_weight_off_the_consensus() {
        assert_eq!(two_views().uniqueness(0), Some(1.0 / 7.0));
        assert_eq!(two_views().uniqueness(1), Some(3.0 / 7.0));
    }

    #[test]
    fn negative_weights_are_edges() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let graph = MultiviewGraph::new(
            names(&["a", "b", "c", "d"]),
            names(&["x", "y"]),
            &[[0, 1], [0, 2], [1, 2], [2, 3]],
            &ViewMatrix::from_values(2, vec![4.0, -2.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0]),
            Some(&[-3.0, -0.0, 0.0, 0.0]),
        );
        // −0 is no edge, and a row of negative weights is one.
        assert_eq!(graph.pairs(), [[0, 1], [2, 3]]);
        assert!(graph.is_signed() && !two_views().is_signed());
        assert_eq!((graph.density(0), graph.density(1)), (2.0 / 6.0, 1.0 / 6.0));
        assert_eq!(graph.mean_density(), mean_density(graph.weights(), graph.membership()));
        assert_eq!(graph.consensus_density(), Some(1.0 / 6.0));
        // |4 + 3| + |−1| of 4 + 3 + 1; |−2 + 3| of 2 + 3.
        assert_eq!(graph.uniqueness(0), Some(1.0));
        assert_eq!(graph.uniqueness(1), Some(1.0 / 5.0));
        assert_eq!(graph.components(), (3, vec![2, 3]));
        // (4, −1, 0, 0, 0, 0) and (−2, 0, 0, 0, 0, 0): their sizes are alike, and their signs are opposite.
        let expected = -(8.0 - 10.0 / 6.0) / ((17.0_f64 - 25.0 / 6.0).sqrt() * (4.0_f64 - 4.0 / 6.0).sqrt());
        assert!((graph.correlation(0, 1) - expected).abs() < 1e-15);
        assert_eq!(graph.with_roots().weights().row(0), [2.0, -(2.0_f64.sqrt())]);
        assert_eq!(graph.consensus_adjacency().unwrap()[1], -3.0);
    }

    #[test]
    fn components_are_those_of_the_consensus() {
        assert_eq!(two_views().components(), (3, vec![2, 3]));
    }
}
