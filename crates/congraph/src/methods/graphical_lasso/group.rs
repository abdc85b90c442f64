//! The group coupling: an entry is in all views or in none.
//!
//! ```text
//! P(x) = ‖x‖₂ over the views            prox: x ← x · max(0, 1 − step / ‖x‖₂)
//! ```

/// P(x).
pub(super) fn value(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// x ← argmin_y step · P(y) + ½‖y − x‖².
pub(super) fn prox(row: &mut [f64], step: f64) {
    let norm = value(row);
    if norm <= step {
        row.fill(0.0);
    } else {
        let factor = 1.0 - step / norm;
        for x in row {
            *x *= factor;
        }
    }
}
