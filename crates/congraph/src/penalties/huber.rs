//! Huber: small departures cost as their squares, large ones as their size. Nothing fuses, and few large ones are let be.

use super::l1::location;
use super::{JointEdge, LANES, Penalty};

/// c(V) = Σ_e Σ_i h(V_ei), h(v) = v²/2δ up to the knee δ and |v| − δ/2 beyond it.
///
/// In the joint minimiser, with s = τ/(δ + τ), a view is held beside the consensus by
///
/// ```text
/// W_i = max(0, w + (1 − s)(u_i − w))  where |u_i − w| ≤ δ + τ,    max(0, u_i ∓ τ)  beyond
/// ```
///
/// and pulls it down by τ h'(w − W_i): piecewise linear and increasing in w, with breakpoints u ± (δ + τ), −uδ/τ and δ.
/// The consensus is where the pulls add up to −σ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Huber {
    /// δ: departures below it are charged as noise.
    ///
    /// The usual one, 0.1, is half an edge: the weights of a view add up to its number of nodes, so that with the usual ten
    /// neighbours a node an edge weighs 2/10 on average, and a departure by more than half of that is nearer to an edge
    /// that is there in one graph only than to none. It was derived from this and not tuned on data. Graphs of k neighbours
    /// a node have 1/k in its place.
    pub knee: f64,
}

impl Default for Huber {
    fn default() -> Self {
        Self { knee: 0.1 }
    }
}

impl Huber {
    fn slope(&self, difference: f64) -> f64 {
        (difference / self.knee).clamp(-1.0, 1.0)
    }

    /// The weight of a view with target u beside a consensus.
    fn weight(&self, target: f64, tau: f64, consensus: f64) -> f64 {
        let apart = target - consensus;
        let held = if apart.abs() <= self.knee + tau {
            consensus + apart * (self.knee / (self.knee + tau))
        } else {
            target - tau.copysign(apart)
        };
        held.max(0.0)
    }
}

impl Penalty for Huber {
    fn name(&self) -> &str {
        "huber"
    }

    fn label(&self) -> &str {
        "Huber"
    }

    fn value(&self, differences: &[f64], _n_views: usize) -> f64 {
        let of = |v: &f64| {
            let size = v.abs();
            if size <= self.knee {
                size * (size / (2.0 * self.knee))
            } else {
                size - 0.5 * self.knee
            }
        };
        differences.iter().map(of).sum()
    }

    fn prox(&self, differences: &mut [f64], _n_views: usize, step: f64) {
        for v in differences {
            *v -= step * self.slope(*v * (self.knee / (self.knee + step)));
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

    /// Σ_i h(W_i − w) + (γ/β) w is least at w = 0 once γ/β ≥ N.
    fn gamma_limit(&self, n_views: usize) -> f64 {
        n_views as f64
    }
}

impl JointEdge for Huber {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        let pull = |w: f64| -> f64 {
            let of = |&u: &f64| tau * self.slope(w - self.weight(u, tau, w));
            sigma + targets.iter().map(of).sum::<f64>()
        };
        let consensus = if pull(0.0) >= 0.0 {
            0.0
        } else {
            scratch.clear();
            let reach = self.knee + tau;
            let points = |&u: &f64| [u - reach, u + reach, -u * (self.knee / tau)];
            scratch.extend(
                targets
                    .iter()
                    .flat_map(points)
                    .chain([0.0, self.knee])
                    .filter(|point| *point >= 0.0),
            );
            scratch.sort_unstable_by(f64::total_cmp);
            root(scratch, pull, tau * targets.len() as f64)
        };
        for (weight, &u) in weights.iter_mut().zip(targets) {
            *weight = self.weight(u, tau, consensus);
        }
        consensus
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
        let share = tau / (self.knee + tau);
        let is_near = |weight: f64| weight > 0.0 && (weight - consensus).abs() < self.knee;
        let n_near = weights.iter().filter(|&&weight| is_near(weight)).count() as f64;
        let n_absent = weights.iter().filter(|&&weight| weight == 0.0).count() as f64;
        // How fast the pulls grow with the consensus: of views held near it, and of those held at 0 within the knee.
        let at_zero = if consensus < self.knee {
            n_absent * (tau / self.knee)
        } else {
            0.0
        };
        let growth = n_near * share + at_zero;
        let together = if consensus > 0.0 && growth > 0.0 {
            share / growth.sqrt()
        } else {
            0.0
        };
        for ((entry, factor), &weight) in diagonal.iter_mut().zip(factors).zip(weights) {
            (*entry, *factor) = match weight {
                weight if is_near(weight) => (1.0 - share, together),
                weight if weight > 0.0 => (1.0, 0.0),
                _ => (0.0, 0.0),
            };
        }
    }

    fn frozen_slope(&self, tau: f64, difference: f64) -> f64 {
        if difference.abs() < self.knee {
            self.knee / (self.knee + tau)
        } else {
            1.0
        }
    }

    /// Σ_i clamp(w − W_i, ±δ) = −(γ/β) δ: the location of ℓ1's minimiser.
    fn consensus(&self, weights: &[f64], ratio: f64, scratch: &mut Vec<f64>) -> f64 {
        location(weights, self.knee, ratio * self.knee, scratch)
    }
}

/// Where an increasing piecewise linear function is 0; the middle of where it is. It is below 0 at the first of its
/// breakpoints, which are in order, and linear beyond the last.
fn root(points: &[f64], value: impl Fn(f64) -> f64, size: f64) -> f64 {
    let rounding = 1e-14 * size;
    let first = points.partition_point(|&point| value(point) < -rounding);
    let last = points.partition_point(|&point| value(point) <= rounding);
    if last > first {
        return 0.5 * (points[first] + points[last - 1]);
    }
    let low = points[first.max(1) - 1];
    let at_low = value(low);
    // Beyond the last breakpoint everything pulls with all it has, which is never below 0.
    let Some(&high) = points.get(first) else { return low };
    let at_high = value(high);
    low + (high - low) * (-at_low / (at_high - at_low)).clamp(0.0, 1.0)
}
