//! The edges of a fit by name: the same for any order of nodes and views, and of the halves of any data.

use crate::graph::{MultiviewGraph, is_edge};
use crate::views::Views;

/// Where nodes and views stand among all by name.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    pub(super) nodes: Vec<u32>,
    pub(super) views: Vec<usize>,
}

impl Ranks {
    pub(super) fn of(views: &Views) -> Self {
        let names = views.names();
        let rank = |name: &String| names.iter().filter(|other| *other < name).count();
        Self {
            nodes: views.ranks_by_name(),
            views: names.iter().map(rank).collect(),
        }
    }

    /// The key of an edge: a pair of ranks, the larger first if its weight is negative.
    pub(super) fn key(&self, [a, b]: [u32; 2], is_negative: bool) -> [u32; 2] {
        let [a, b] = [a, b].map(|node| self.nodes[node as usize]);
        if is_negative {
            [a.max(b), a.min(b)]
        } else {
            [a.min(b), a.max(b)]
        }
    }
}

/// The edges of one fit in the order of their keys, with the size of the consensus' weight and of each view's.
///
/// A pair whose weights have different signs is two edges.
#[derive(Clone, Debug)]
pub(super) struct Entries {
    keys: Vec<[u32; 2]>,
    /// 1 + the number of views.
    width: usize,
    weights: Vec<f64>,
    /// Whether a view has both nodes, edge by edge; empty if all have.
    lacks: Vec<bool>,
}

impl Entries {
    /// Of a graph with all the views, or of its consensus alone.
    pub(super) fn of(graph: &MultiviewGraph, ranks: &Ranks, with_views: bool) -> Self {
        let width = if with_views { 1 + graph.n_views() } else { 1 };
        let is_masked = with_views && !graph.membership().is_total();
        let mut found: Vec<([u32; 2], Vec<f64>, Vec<bool>)> = Vec::with_capacity(graph.pairs().len());
        for (edge, (&pair, row)) in graph.pairs().iter().zip(graph.weights().rows()).enumerate() {
            let consensus = graph.consensus().map_or(0.0, |consensus| consensus[edge]);
            for is_negative in [false, true] {
                let part = |weight: f64| {
                    if is_edge(weight) && (weight < 0.0) == is_negative {
                        weight.abs()
                    } else {
                        0.0
                    }
                };
                let mut weights = vec![0.0; width];
                weights[0] = part(consensus);
                let mut lacks = vec![false; if is_masked { width } else { 0 }];
                if with_views {
                    for (view, &weight) in row.iter().enumerate() {
                        weights[1 + ranks.views[view]] = part(weight);
                        if is_masked {
                            lacks[1 + ranks.views[view]] = !graph.membership().has_pair(view, pair);
                        }
                    }
                }
                if weights.iter().any(|&weight| weight != 0.0) {
                    found.push((ranks.key(pair, is_negative), weights, lacks));
                }
            }
        }
        found.sort_unstable_by_key(|one| one.0);
        let mut entries = Self {
            keys: Vec::with_capacity(found.len()),
            width,
            weights: Vec::with_capacity(found.len() * width),
            lacks: Vec::new(),
        };
        for (key, weights, lacks) in found {
            entries.keys.push(key);
            entries.weights.extend(weights);
            entries.lacks.extend(lacks);
        }
        entries
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn n_views(&self) -> usize {
        self.width - 1
    }

    pub(super) fn key(&self, row: usize) -> [u32; 2] {
        self.keys[row]
    }

    /// The consensus' weight and the views'.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.weights[row * self.width..(row + 1) * self.width]
    }

    /// A view's weight above the consensus'; 0 where it lacks a node.
    pub(super) fn deviation(&self, row: usize, view: usize) -> f64 {
        if self.lacks.get(row * self.width + 1 + view) == Some(&true) {
            return 0.0;
        }
        let weights = self.row(row);
        weights[1 + view] - weights[0]
    }

    /// The edges of either: their rows, one of which may be none.
    pub(super) fn joined<'e>(&'e self, other: &'e Self) -> impl Iterator<Item = (Option<usize>, Option<usize>)> + 'e {
        let (mut a, mut b) = (0, 0);
        std::iter::from_fn(move || {
            let (one, two) = (self.keys.get(a), other.keys.get(b));
            let takes_one = one.is_some_and(|one| two.is_none_or(|two| one <= two));
            let takes_two = two.is_some_and(|two| one.is_none_or(|one| two <= one));
            let found = (takes_one.then_some(a), takes_two.then_some(b));
            a += usize::from(takes_one);
            b += usize::from(takes_two);
            (takes_one || takes_two).then_some(found)
        })
    }

    /// The edges of both: their rows.
    pub(super) fn common<'e>(&'e self, other: &'e Self) -> impl Iterator<Item = (usize, usize)> + 'e {
        self.joined(other).filter_map(|(one, two)| one.zip(two))
    }
}
