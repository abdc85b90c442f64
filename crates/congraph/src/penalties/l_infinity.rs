//! ℓ∞ over the views: an edge is charged for its largest departure only. The consensus is the middle of the extremes.

use super::{JointEdge, Penalty};

/// c(V) = Σ_e max_i |V_ei|.
///
/// The prox cuts the largest entries to one size. In the joint minimiser the weights are the targets cut to an interval,
///
/// ```text
/// W_i = clamp(u_i, a, b)      Σ (u_i − b)₊ = (τ + σ)/2,   Σ (a − u_i)₊ = (τ − σ)/2,   a ≥ 0,   w = (a + b)/2
/// ```
///
/// each end on its own; where a would be above b all views are one, w = max(0, mean u − σ/N). With σ ≥ τ the consensus is
/// empty and Σ (u_i − b)₊ = τ. Views at either end move together.
#[derive(Clone, Copy, Debug, Default)]
pub struct LInfinity;

/// As for ℓ1: a γ off its limit by rounding is meant to be there.
const ALMOST: f64 = 1.0 - 1e-12;

impl Penalty for LInfinity {
    fn name(&self) -> &str {
        "linf"
    }

    fn label(&self) -> &str {
        "ℓ∞"
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        let largest = |row: &[f64]| row.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
        differences.chunks_exact(n_views.max(1)).map(largest).sum()
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        let mut sizes = Vec::with_capacity(n_views);
        for row in differences.chunks_exact_mut(n_views.max(1)) {
            sizes.clear();
            sizes.extend(row.iter().map(|v| v.abs()));
            let cut = upper(&mut sizes, step).max(0.0);
            row.iter_mut().for_each(|v| *v = v.clamp(-cut, cut));
        }
    }

    fn joint(&self) -> Option<&dyn JointEdge> {
        Some(self)
    }

    /// max |W_i − w| + (γ/β) w is least at w = 0 once γ/β ≥ 1.
    fn gamma_limit(&self, _n_views: usize) -> f64 {
        1.0
    }

    /// All views of an edge share one charge.
    fn first_beta(&self, spread: f64, _alpha: f64, n_views: usize) -> f64 {
        0.25 * spread * n_views as f64
    }
}

impl JointEdge for LInfinity {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        scratch.clear();
        scratch.extend_from_slice(targets);
        if sigma >= tau * ALMOST {
            let high = upper(scratch, tau).max(0.0);
            let cut = targets.iter().map(|u| u.clamp(0.0, high));
            weights.iter_mut().zip(cut).for_each(|(weight, cut)| *weight = cut);
            return 0.0;
        }
        let high = upper(scratch, 0.5 * (tau + sigma)).max(0.0);
        scratch.iter_mut().for_each(|u| *u = -*u);
        let low = (-upper(scratch, 0.5 * (tau - sigma))).max(0.0);
        if low >= high {
            let n = targets.len() as f64;
            let mean = ((targets.iter().sum::<f64>() - sigma) / n).max(0.0);
            weights.fill(mean);
            return mean;
        }
        for (weight, u) in weights.iter_mut().zip(targets) {
            *weight = u.clamp(low, high);
        }
        0.5 * (low + high)
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
        let (shares, firsts) = factors.split_at_mut(weights.len());
        let low = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = weights.iter().copied().fold(0.0, f64::max);
        for (view, &weight) in weights.iter().enumerate() {
            let same = || weights.iter().enumerate().filter(|(_, other)| **other == weight);
            let is_end = weight == low || weight == high;
            (diagonal[view], shares[view], firsts[view]) = match weight {
                weight if weight > 0.0 && is_end => {
                    let first = same().next().map_or(view, |(first, _)| first);
                    (0.0, (same().count() as f64).sqrt().recip(), first as f64)
                }
                weight if weight > 0.0 => (1.0, 0.0, view as f64),
                _ => (0.0, 0.0, view as f64),
            };
        }
    }

    fn frozen_slope(&self, _tau: f64, difference: f64) -> f64 {
        // Held at the consensus, or moving on its own.
        if difference == 0.0 { 0.0 } else { 1.0 }
    }

    fn consensus(&self, weights: &[f64], ratio: f64, _scratch: &mut Vec<f64>) -> f64 {
        if ratio >= ALMOST {
            return 0.0;
        }
        let low = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = weights.iter().copied().fold(0.0, f64::max);
        0.5 * (low + high)
    }
}

/// b with Σ (u_i − b)₊ = total > 0; puts u in order, the largest first.
fn upper(values: &mut [f64], total: f64) -> f64 {
    values.sort_unstable_by(|x, y| y.total_cmp(x));
    let mut sum = 0.0;
    for (k, &value) in values.iter().enumerate() {
        sum += value;
        let level = (sum - total) / (k + 1) as f64;
        if values.get(k + 1).is_none_or(|&next| next <= level) {
            return level;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_extremes_are_cut() {
        let mut weights = [0.0; 4];
        let consensus = LInfinity.minimise(&[5.0, 1.0, 2.0, 3.0], 1.0, 0.0, &mut weights, &mut Vec::new());
        assert_eq!((weights, consensus), ([4.5, 1.5, 2.0, 3.0], 3.0));
        let consensus = LInfinity.minimise(&[1.0, 2.0], 2.0, 0.0, &mut weights[..2], &mut Vec::new());
        assert_eq!((&weights[..2], consensus), (&[1.5, 1.5][..], 1.5));
    }
}
