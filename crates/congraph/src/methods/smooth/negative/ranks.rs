//! Rank correlations: an outlier decides a correlation of values, but not one of ranks.

use std::collections::HashMap;

use super::{Strongest, product, standardised};
use crate::views::{Kind, Views};

/// Ranks of signals, standardised; each is found once.
#[derive(Default)]
pub(super) struct Ranks {
    known: HashMap<(usize, usize), Vec<f64>>,
}

impl Ranks {
    /// The rank correlation of a pair in a view, or its mean over all views; none for precomputed matrices.
    pub(super) fn correlation(&mut self, views: &Views, view: Option<usize>, pair: &Strongest) -> Option<f64> {
        if views.kind() != Kind::Signals {
            return None;
        }
        let (mut sum, mut size) = (0.0, 0.0);
        let both = [pair.node, pair.partner];
        let some: Vec<usize> = view
            .map_or(0..views.n_views(), |index| index..index + 1)
            .filter(|&index| both.iter().all(|&node| views.has(index, node)))
            .collect();
        for (&index, node) in some.iter().flat_map(|index| both.map(|node| (index, node))) {
            if views.view(index).is_here() {
                let ranked = || standardised(&ranks(views.view(index).node(node)));
                self.known.entry((index, node)).or_insert_with(ranked);
            }
        }
        let known = &self.known;
        let of_view = |index: usize| vec![product(&known[&(index, pair.node)], &known[&(index, pair.partner)])];
        for (&index, found) in some.iter().zip(views.ask_of(&some, of_view)) {
            let p = views.view(index).n_samples().unwrap_or_default() as f64;
            sum += p * found[0];
            size += p;
        }
        (size > 0.0).then(|| sum / size)
    }
}

/// The ranks of values; equal ones share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let mean = first as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|&i| ranks[i] = mean);
        first += equal.len();
    }
    ranks
}
