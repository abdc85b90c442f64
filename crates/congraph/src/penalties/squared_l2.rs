//! Squared ℓ2: every departure costs, large ones most. Nothing fuses; the consensus is the mean.

use super::{JointEdge, LANES, Penalty};

/// c(V) = Σ_e Σ_i V_ei².
///
/// The prox divides by 1 + 2 · step. In the joint minimiser, with a = 1/(1 + 2τ),
///
/// ```text
/// W_i = max(0, a (u_i + 2τ w)),      Σ_i W_i − N w = σ / 2τ,   w ≥ 0
/// ```
///
/// is a convex decreasing piecewise linear equation in w; Newton from the left ends after at most N pieces.
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaredL2;

impl Penalty for SquaredL2 {
    fn name(&self) -> &str {
        "squared-l2"
    }

    fn value(&self, differences: &[f64], _n_views: usize) -> f64 {
        differences.iter().map(|v| v * v).sum()
    }

    fn prox(&self, differences: &mut [f64], _n_views: usize, step: f64) {
        let shrink = 1.0 / (1.0 + 2.0 * step);
        for v in differences {
            *v *= shrink;
        }
    }

    fn prox_columns(&self, columns: &mut [[f64; LANES]], step: f64) {
        let n_views = columns.len();
        // Value by value: any order will do.
        self.prox(columns.as_flattened_mut(), n_views, step);
    }

    fn joint(&self) -> Option<&dyn JointEdge> {
        Some(self)
    }

    fn label(&self) -> &str {
        "squared ℓ2"
    }

    /// Squares act against the squares that α weighs, the others against distances.
    fn first_beta(&self, _spread: f64, alpha: f64, _n_views: usize) -> f64 {
        2.0 * alpha
    }
}

impl JointEdge for SquaredL2 {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], _scratch: &mut Vec<f64>) -> f64 {
        let n = targets.len();
        let share = 1.0 / (1.0 + 2.0 * tau);
        let offset = sigma / (2.0 * tau);
        let mut consensus = 0.0_f64;
        for _ in 0..=n {
            let (mut sum, mut free) = (0.0, 0_usize);
            for &u in targets {
                if u + 2.0 * tau * consensus > 0.0 {
                    sum += u;
                    free += 1;
                }
            }
            // N − 2τ a k, written without the cancellation for large τ.
            let slope = (n - free) as f64 + free as f64 * share;
            let next = ((share * sum - offset) / slope).max(0.0);
            if next <= consensus {
                break;
            }
            consensus = next;
        }
        for (weight, &u) in weights.iter_mut().zip(targets) {
            *weight = (share * u + (1.0 - share) * consensus).max(0.0);
        }
        consensus
    }

    fn is_absent(&self, targets: &[f64], _tau: f64, _sigma: f64) -> bool {
        targets.iter().all(|&u| u <= 0.0)
    }

    fn rank(&self) -> usize {
        1
    }

    fn jacobian(
        &self,
        tau: f64,
        _sigma: f64,
        weights: &[f64],
        consensus: f64,
        diagonal: &mut [f64],
        factors: &mut [f64],
    ) {
        let share = 1.0 / (1.0 + 2.0 * tau);
        let free = weights.iter().filter(|&&weight| weight > 0.0).count();
        let slope = (weights.len() - free) as f64 + free as f64 * share;
        let together = if consensus > 0.0 {
            ((1.0 - share) * share / slope).sqrt()
        } else {
            0.0
        };
        for ((entry, factor), &weight) in diagonal.iter_mut().zip(factors).zip(weights) {
            (*entry, *factor) = if weight > 0.0 { (share, together) } else { (0.0, 0.0) };
        }
    }

    fn frozen_slope(&self, tau: f64, _difference: f64) -> f64 {
        1.0 / (1.0 + 2.0 * tau)
    }

    fn consensus(&self, weights: &[f64], ratio: f64, _scratch: &mut Vec<f64>) -> f64 {
        let n = weights.len() as f64;
        ((weights.iter().sum::<f64>() - 0.5 * ratio) / n).max(0.0)
    }
}
