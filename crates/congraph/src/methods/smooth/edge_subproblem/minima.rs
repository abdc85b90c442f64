//! The edges' share of the dual: once multipliers hold the degrees, the problem separates into edges.
//!
//! ```text
//! Σ_e min over (W, w) of ½‖W‖² − uᵀW + τ c(W − w) + σ w        in units of κ = 4α
//! ```
//!
//! over the views that have the edge: the target of others is −∞. An edge without a positive target u is absent and
//! adds nothing. The others are minimised in batches: a loop over edges can be faster than one edge at a time.

use std::ops::Range;

use super::{EdgeSubproblem, has_edge};
use crate::parallel::simd::{sum_of_two, vectorised};
use crate::penalties::Penalty;

/// How many edges are minimised at a time.
const BATCH: usize = 64;

/// The sum of the minima of a range of edges. `fill` writes an edge's targets and says whether any is positive;
/// `present` is shown the edges that are present, with their weights and their consensus.
pub(crate) fn sum_of_minima(
    term: EdgeSubproblem<'_>,
    penalty: &dyn Penalty,
    n_views: usize,
    range: Range<usize>,
    fill: impl Fn(usize, &mut [f64]) -> bool,
    mut present: impl FnMut(usize, &[f64], f64),
) -> f64 {
    let mut batch = Batch {
        n_views,
        edges: Vec::with_capacity(BATCH),
        targets: vec![0.0; BATCH * n_views],
        weights: vec![0.0; BATCH * n_views],
        consensus: vec![0.0; BATCH],
    };
    let mut sum = 0.0;
    let mut left = range;
    while !left.is_empty() {
        vectorised(
            #[inline(always)]
            || {
                for edge in left.by_ref() {
                    let first = batch.edges.len() * n_views;
                    if fill(edge, &mut batch.targets[first..first + n_views]) {
                        batch.edges.push(edge);
                        if batch.edges.len() == BATCH {
                            break;
                        }
                    }
                }
            },
        );
        sum += batch.minima(term, penalty, &mut present);
    }
    sum
}

/// Edges whose minimisers are found together.
struct Batch {
    n_views: usize,
    edges: Vec<usize>,
    targets: Vec<f64>,
    weights: Vec<f64>,
    consensus: Vec<f64>,
}

impl Batch {
    /// The sum of the minima; empties the batch.
    fn minima(
        &mut self,
        term: EdgeSubproblem<'_>,
        penalty: &dyn Penalty,
        present: &mut impl FnMut(usize, &[f64], f64),
    ) -> f64 {
        if self.edges.is_empty() {
            return 0.0;
        }
        let n_values = self.edges.len() * self.n_views;
        let (targets, weights) = (&self.targets[..n_values], &mut self.weights[..n_values]);
        let consensus = &mut self.consensus[..self.edges.len()];
        term.minimise_rows(&self.edges, targets, weights, consensus);
        // ½‖W‖² − uᵀW, over the views that have the edge.
        let mut sum = 0.0;
        if term.masked {
            let own = weights.iter().zip(targets).filter(|(_, target)| has_edge(**target));
            own.for_each(|(weight, target)| sum += weight * (0.5 * weight - target));
        } else {
            sum = vectorised(
                #[inline(always)]
                || sum_of_two(weights, targets, |weight, target| weight * (0.5 * weight - target)),
            );
        }
        let rows = weights.chunks_exact_mut(self.n_views).zip(consensus.iter());
        for (&edge, (row, &consensus)) in self.edges.iter().zip(rows) {
            sum += term.sigma * consensus;
            if consensus > 0.0 || row.iter().any(|&weight| weight > 0.0) {
                present(edge, row, consensus);
            }
            // From here on W − w, which the penalty charges.
            row.iter_mut().for_each(|weight| *weight -= consensus);
        }
        self.edges.clear();
        // All rows in one call where they have the same views.
        if term.tau > 0.0 && !term.masked {
            sum += term.tau * penalty.value(weights, self.n_views);
        } else if term.tau > 0.0 {
            let mut own = Vec::with_capacity(self.n_views);
            for (row, targets) in weights
                .chunks_exact(self.n_views)
                .zip(targets.chunks_exact(self.n_views))
            {
                own.clear();
                for (&v, &target) in row.iter().zip(targets) {
                    match has_edge(target) {
                        true => own.push(v),
                        false if term.whole => own.push(f64::NAN),
                        false => {}
                    }
                }
                sum += term.tau * penalty.value(&own, own.len());
            }
        }
        sum
    }
}
