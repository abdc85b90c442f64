//! No coupling: every view is learned on its own.

use super::{JointEdge, LANES, Penalty};

/// c(V) = 0. The consensus is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPenalty;

impl Penalty for NoPenalty {
    fn name(&self) -> &str {
        "none"
    }

    fn value(&self, _differences: &[f64], _n_views: usize) -> f64 {
        0.0
    }

    fn prox(&self, _differences: &mut [f64], _n_views: usize, _step: f64) {}

    fn prox_columns(&self, _columns: &mut [[f64; LANES]], _step: f64) {}

    fn joint(&self) -> Option<&dyn JointEdge> {
        Some(self)
    }

    fn couples(&self) -> bool {
        false
    }
}

impl JointEdge for NoPenalty {
    fn minimise(&self, targets: &[f64], _tau: f64, _sigma: f64, weights: &mut [f64], _scratch: &mut Vec<f64>) -> f64 {
        for (weight, target) in weights.iter_mut().zip(targets) {
            *weight = target.max(0.0);
        }
        0.0
    }

    fn is_absent(&self, targets: &[f64], _tau: f64, _sigma: f64) -> bool {
        targets.iter().all(|&u| u <= 0.0)
    }

    fn rank(&self) -> usize {
        0
    }

    fn jacobian(
        &self,
        _tau: f64,
        _sigma: f64,
        weights: &[f64],
        _consensus: f64,
        diagonal: &mut [f64],
        _factors: &mut [f64],
    ) {
        for (entry, &weight) in diagonal.iter_mut().zip(weights) {
            *entry = if weight > 0.0 { 1.0 } else { 0.0 };
        }
    }

    fn frozen_slope(&self, _tau: f64, _difference: f64) -> f64 {
        1.0
    }

    fn consensus(&self, _weights: &[f64], _ratio: f64, _scratch: &mut Vec<f64>) -> f64 {
        0.0
    }
}
