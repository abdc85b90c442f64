//! The consensus itself is not charged.

use super::Regulariser;

/// r(w) = 0 (`eq:case1_r`).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRegulariser;

impl Regulariser for NoRegulariser {
    fn name(&self) -> &str {
        "none"
    }

    fn value(&self, _consensus: &[f64]) -> f64 {
        0.0
    }

    fn prox(&self, consensus: &mut [f64], _step: f64) {
        for w in consensus {
            *w = w.max(0.0);
        }
    }

    fn slope(&self) -> Option<f64> {
        Some(0.0)
    }
}
