//! ℓ1 norm: a sparse consensus.

use super::Regulariser;

/// r(w) = ‖w‖₁ (`eq:case2_r`): a sparse consensus.
#[derive(Clone, Copy, Debug, Default)]
pub struct L1Norm;

impl Regulariser for L1Norm {
    fn name(&self) -> &str {
        "l1"
    }

    fn value(&self, consensus: &[f64]) -> f64 {
        consensus.iter().map(|w| w.abs()).sum()
    }

    fn prox(&self, consensus: &mut [f64], step: f64) {
        for w in consensus {
            *w = (*w - step).max(0.0);
        }
    }

    fn slope(&self) -> Option<f64> {
        Some(1.0)
    }
}
