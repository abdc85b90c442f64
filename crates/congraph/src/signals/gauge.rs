//! One gauge for signed graphs: which nodes' signals are multiplied by −1 before anything else is computed.
//!
//! Multiplying a node's signal by −1 in all views turns its positive edges into negative ones and back, and changes
//! nothing else. So that it changes nothing else **to the bit**, data are brought to the same signs first, whichever
//! they came with: a node's first scaled sample that is not 0 is positive, in the first view that has one. Of
//! precomputed matrices, which know products only, nodes are walked from the first along entries that are not 0, and the
//! entry that leads to a node is positive.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::{Scaling, scale_into};
use crate::views::{Kind, Views};

/// For each node, whether its signal is to be multiplied by −1; empty if none is.
pub(crate) fn canonical_flips(views: &Views, scaling: &Scaling) -> Vec<bool> {
    let flips = match views.kind() {
        Kind::Signals => of_signals(views, scaling),
        Kind::Gram | Kind::Covariance => of_products(views),
    };
    if flips.contains(&true) { flips } else { Vec::new() }
}

fn of_signals(views: &Views, scaling: &Scaling) -> Vec<bool> {
    // The first value of every node that is not 0, view by view.
    let first_of = |view: usize| {
        let first = |buffer: &mut Vec<f64>, node: usize| {
            let signal = views.view(view).node(node);
            buffer.resize(signal.len(), 0.0);
            scale_into(signal, scaling.scale, buffer);
            buffer.iter().copied().find(|value| *value != 0.0).unwrap_or(0.0)
        };
        let nodes = (0..views.n_nodes()).into_par_iter();
        nodes.map_init(Vec::new, first).collect::<Vec<f64>>()
    };
    let first = views.ask(first_of);
    let is_negative = |node: usize| {
        let own = first.iter().enumerate().filter(|(view, _)| views.has(*view, node));
        let mut own = own.map(|(_, first)| first[node]).filter(|value| *value != 0.0);
        own.next().is_some_and(|value| value < 0.0)
    };
    (0..views.n_nodes()).map(is_negative).collect()
}

/// Breadth first. Nodes that no entry joins need no gauge to each other.
fn of_products(views: &Views) -> Vec<bool> {
    let n = views.n_nodes();
    let entry = |a: usize, b: usize| {
        let own = views.iter().enumerate();
        let own = own.filter(|(view, _)| views.has(*view, a) && views.has(*view, b));
        own.map(|(_, view)| view.node(a)[b]).find(|value| *value != 0.0)
    };
    let mut flips: Vec<Option<bool>> = vec![None; n];
    for root in 0..n {
        if flips[root].is_some() {
            continue;
        }
        flips[root] = Some(false);
        let mut waiting = VecDeque::from([(root, false)]);
        while let Some((a, flip)) = waiting.pop_front() {
            for (b, other) in flips.iter_mut().enumerate().filter(|(_, other)| other.is_none()) {
                if let Some(value) = entry(a, b) {
                    let flip = flip != (value < 0.0);
                    *other = Some(flip);
                    waiting.push_back((b, flip));
                }
            }
        }
    }
    flips.into_iter().map(|flip| flip == Some(true)).collect()
}
