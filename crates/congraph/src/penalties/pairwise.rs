//! Pairwise: every view is drawn to every other, without a consensus between them.

use super::l1::median;
use super::{JointEdge, Penalty};

/// c(V) = Σ_e Σ_{i<j} |V_ei − V_ej|.
///
/// The consensus takes no part: any one is as good, and the one that is told is the median of the views.
///
/// In order of size x_(1) ≤ … ≤ x_(N) the penalty is linear, Σ_k (2k − N − 1) x_(k), and the prox keeps the order: it is the
/// isotonic regression of u_(k) − τ (2k − N − 1), found by pooling neighbours that are out of order. The weights are its
/// positive part. Views of one weight move together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pairwise;

/// Views that were pooled: how many, and the sum of their values.
type Pool = (usize, f64);

impl Penalty for Pairwise {
    fn name(&self) -> &str {
        "pairwise"
    }

    fn label(&self) -> &str {
        "ℓ1 between all views"
    }

    fn coupling(&self) -> Option<&'static str> {
        Some("pairwise")
    }

    fn charge(&self) -> &str {
        "l1"
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        let mut sum = 0.0;
        for row in differences.chunks_exact(n_views.max(1)) {
            for (i, x) in row.iter().enumerate() {
                sum += row[..i].iter().map(|y| (x - y).abs()).sum::<f64>();
            }
        }
        sum
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        for row in differences.chunks_exact_mut(n_views.max(1)) {
            pooled(row, step);
        }
    }

    fn joint(&self) -> Option<&dyn JointEdge> {
        Some(self)
    }

    /// A view is drawn by all others, not by one consensus.
    fn first_beta(&self, spread: f64, _alpha: f64, n_views: usize) -> f64 {
        spread / (n_views as f64).max(2.0)
    }
}

impl JointEdge for Pairwise {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        weights.copy_from_slice(targets);
        pooled(weights, tau);
        weights.iter_mut().for_each(|weight| *weight = weight.max(0.0));
        self.consensus(weights, sigma / tau, scratch)
    }

    fn rank(&self) -> usize {
        2
    }

    fn has_sets(&self) -> bool {
        true
    }

    fn jacobian(
        &self,
        _tau: f64,
        _sigma: f64,
        weights: &[f64],
        _consensus: f64,
        diagonal: &mut [f64],
        factors: &mut [f64],
    ) {
        diagonal.fill(0.0);
        let (shares, firsts) = factors.split_at_mut(weights.len());
        for (view, &weight) in weights.iter().enumerate() {
            let same = || weights.iter().enumerate().filter(|(_, other)| **other == weight);
            shares[view] = if weight > 0.0 {
                (same().count() as f64).sqrt().recip()
            } else {
                0.0
            };
            firsts[view] = same().next().map_or(view, |(first, _)| first) as f64;
        }
    }

    /// A single view has no other.
    fn frozen_slope(&self, _tau: f64, _difference: f64) -> f64 {
        1.0
    }

    /// Any is as good; the median is told, unless something else asks for none.
    fn consensus(&self, weights: &[f64], ratio: f64, scratch: &mut Vec<f64>) -> f64 {
        if ratio > 0.0 { 0.0 } else { median(weights, scratch) }
    }
}

/// Replaces u by argmin_x ½‖x − u‖² + τ Σ_{i<j} |x_i − x_j|.
fn pooled(row: &mut [f64], tau: f64) {
    let n = row.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| row[i].total_cmp(&row[j]));
    let mut pools: Vec<Pool> = Vec::with_capacity(n);
    for (k, &view) in order.iter().enumerate() {
        // The k-th smallest, from 0, has k views below it and n − 1 − k above.
        let mut pool = (1, row[view] - tau * (2.0 * k as f64 - (n as f64 - 1.0)));
        while let Some(&(size, sum)) = pools.last() {
            if sum / (size as f64) < pool.1 / pool.0 as f64 {
                break;
            }
            pool = (size + pool.0, sum + pool.1);
            pools.pop();
        }
        pools.push(pool);
    }
    let mut views = order.into_iter();
    for (size, sum) in pools {
        for view in views.by_ref().take(size) {
            row[view] = sum / size as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_views_are_one_and_far_ones_come_nearer() {
        let mut row = [5.0, 0.1, 0.0];
        Pairwise.prox(&mut row, 3, 0.2);
        assert_eq!(row[1], row[2]);
        assert!((row[1] - 0.25).abs() < 1e-15 && (row[0] - 4.6).abs() < 1e-15);
    }
}
