//! Which pairs of nodes may be joined, and S and Sᵀ as loops over them.
//!
//! An edge is a pair of nodes a < b. `S w` is the vector of degrees of the weights `w`; S is never built:
//!
//! ```text
//! (S w)_a  = Σ_{e ∋ a} w_e            degrees
//! (Sᵀ d)_e = d_a + d_b                spread
//! ```
//!
//! **Signed** edges: a pair of nodes may have a positive edge, listed as (a, b) with a < b, and a negative one, listed
//! as (b, a). So the positive edges are the upper triangle of a matrix and the negative ones the lower, and whatever
//! asks only for an edge's two ends (degrees, multipliers, Hessians) need not know of signs.

use rayon::prelude::*;

use crate::edges::ViewMatrix;
use crate::parallel::chunks;

/// From this number of edges on, degrees are added up in this many parts.
const PARTED: usize = 1 << 16;
const PARTS: usize = 8;

/// The pairs of nodes that may be joined, in a fixed order.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    n_nodes: usize,
    pairs: Vec<[u32; 2]>,
    signed: bool,
}

/// The two nodes of an edge, the smaller first, whatever its sign.
#[inline]
pub(crate) fn pair_of([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Whether an edge is a negative one.
#[inline]
pub(crate) fn is_negative([a, b]: [u32; 2]) -> bool {
    a > b
}

/// The positive and the negative edge of every pair a < b, sorted.
pub(crate) fn both_signs(pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut both = Vec::with_capacity(2 * pairs.len());
    both.extend(pairs.iter().flat_map(|&[a, b]| [[a, b], [b, a]]));
    both.par_sort_unstable();
    both
}

impl Edges {
    /// All n(n−1)/2 pairs, in the order of the upper triangle of a matrix read row by row.
    ///
    /// ```
    /// let edges = congraph::Edges::complete(3);
    /// assert_eq!(edges.pairs(), [[0, 1], [0, 2], [1, 2]]);
    /// ```
    pub fn complete(n_nodes: usize) -> Self {
        let n = u32::try_from(n_nodes).expect("more nodes than u32 can count");
        let mut pairs = Vec::with_capacity(n_nodes * n_nodes.saturating_sub(1) / 2);
        for a in 0..n {
            pairs.extend((a + 1..n).map(|b| [a, b]));
        }
        Self {
            n_nodes,
            pairs,
            signed: false,
        }
    }

    /// The positive and the negative edge of all pairs: a matrix without its diagonal read row by row, positive edges
    /// above it and negative ones below.
    ///
    /// ```
    /// let edges = congraph::Edges::complete_signed(3);
    /// assert_eq!(edges.pairs(), [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
    /// ```
    pub fn complete_signed(n_nodes: usize) -> Self {
        let n = u32::try_from(n_nodes).expect("more nodes than u32 can count");
        let row = |a: u32| (0..n).filter(move |&b| b != a).map(move |b| [a, b]);
        Self {
            n_nodes,
            pairs: (0..n).flat_map(row).collect(),
            signed: true,
        }
    }

    /// A list of pairs a < b, sorted.
    pub(crate) fn listed(n_nodes: usize, pairs: Vec<[u32; 2]>) -> Self {
        debug_assert!(pairs.is_sorted_by(|one, two| one < two));
        debug_assert!(pairs.iter().all(|&[a, b]| a < b && (b as usize) < n_nodes));
        Self {
            n_nodes,
            pairs,
            signed: false,
        }
    }

    /// A sorted list of positive edges (a, b) and negative ones (b, a), a < b.
    pub(crate) fn signed(n_nodes: usize, pairs: Vec<[u32; 2]>) -> Self {
        debug_assert!(pairs.is_sorted_by(|one, two| one < two));
        debug_assert!(pairs.as_flattened().iter().all(|&node| (node as usize) < n_nodes));
        Self {
            n_nodes,
            pairs,
            signed: true,
        }
    }

    /// Another list of edges of the same nodes, signed if these are.
    pub(crate) fn with_pairs(&self, pairs: Vec<[u32; 2]>) -> Self {
        if self.signed {
            Self::signed(self.n_nodes, pairs)
        } else {
            Self::listed(self.n_nodes, pairs)
        }
    }

    /// Whether a pair of nodes may have a positive and a negative edge.
    pub fn is_signed(&self) -> bool {
        self.signed
    }

    /// How many edges a pair of nodes may have: one, or one of each sign.
    pub(crate) fn n_signs(&self) -> usize {
        1 + usize::from(self.signed)
    }

    /// Whether these are all pairs, with both signs if they are signed.
    pub fn is_complete(&self) -> bool {
        self.pairs.len() == self.n_signs() * (self.n_nodes * self.n_nodes.saturating_sub(1) / 2)
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// How many edges.
    pub fn n_edges(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs a < b; of signed edges also those a > b, which are the negative ones.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The two ends of an edge.
    #[inline]
    pub fn ends(&self, edge: usize) -> (usize, usize) {
        let [a, b] = self.pairs[edge];
        (a as usize, b as usize)
    }

    /// S w for all views at once: the degrees of every node.
    pub fn degrees(&self, weights: &ViewMatrix) -> ViewMatrix {
        debug_assert_eq!(weights.n_rows(), self.n_edges());
        self.degrees_of(weights, |row| row)
    }

    /// The degrees of weights of some edges only: row k belongs to the edge `edge_of(k)`.
    pub(crate) fn degrees_of(&self, weights: &ViewMatrix, edge_of: impl Fn(usize) -> usize + Sync) -> ViewMatrix {
        // A fixed number of parts, added up in order: the same bits for any number of threads.
        let n_rows = weights.n_rows();
        let part = |range: std::ops::Range<usize>| {
            let mut degrees = ViewMatrix::zeros(self.n_nodes, weights.n_views());
            for k in range {
                self.add_degrees(edge_of(k), weights.row(k), &mut degrees);
            }
            degrees
        };
        if n_rows < PARTED {
            return part(0..n_rows);
        }
        let length = n_rows.div_ceil(PARTS);
        let parts: Vec<ViewMatrix> = (0..PARTS)
            .into_par_iter()
            .map(|k| part(k * length..n_rows.min((k + 1) * length)))
            .collect();
        ViewMatrix::sum(parts)
    }

    /// Adds one edge's weights to the degrees of its two ends.
    #[inline]
    pub(crate) fn add_degrees(&self, edge: usize, weights: &[f64], degrees: &mut ViewMatrix) {
        let (a, b) = self.ends(edge);
        for node in [a, b] {
            for (degree, weight) in degrees.row_mut(node).iter_mut().zip(weights) {
                *degree += weight;
            }
        }
    }

    /// Sᵀ d for all views at once: for every edge the sum over its two ends.
    pub fn spread(&self, degrees: &ViewMatrix) -> ViewMatrix {
        let n_views = degrees.n_views();
        let mut spread = ViewMatrix::zeros(self.n_edges(), n_views);
        chunks::map_mut(spread.values_mut(), n_views, |first, rows| {
            for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                let (a, b) = self.ends(first + k);
                for (value, (at_a, at_b)) in row.iter_mut().zip(degrees.row(a).iter().zip(degrees.row(b))) {
                    *value = at_a + at_b;
                }
            }
        });
        spread
    }
}

/// The place of the pair (a, b), a < b, in the order of [`Edges::complete`].
///
/// ```
/// let edges = congraph::Edges::complete(7);
/// for (k, &[a, b]) in edges.pairs().iter().enumerate() {
///     assert_eq!(congraph::complete_index(7, a as usize, b as usize), k);
/// }
/// ```
pub fn complete_index(n_nodes: usize, a: usize, b: usize) -> usize {
    a * (2 * n_nodes - a - 1) / 2 + (b - a - 1)
}

/// For each node the edges of a list of pairs that end at it, in order: `incident[starts[node]..starts[node + 1]]`.
pub(crate) fn incidence(n_nodes: usize, pairs: &[[u32; 2]]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; n_nodes + 1];
    for &node in pairs.as_flattened() {
        starts[node as usize + 1] += 1;
    }
    for node in 0..n_nodes {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut incident = vec![0_u32; 2 * pairs.len()];
    for (edge, pair) in pairs.iter().enumerate() {
        for &node in pair {
            let place = &mut next[node as usize];
            incident[*place as usize] = edge as u32;
            *place += 1;
        }
    }
    (starts, incident)
}
