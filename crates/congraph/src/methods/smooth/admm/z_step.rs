//! `eq:admm_second`, the (z^i, z)-step: argmin over z^i ≥ 0, z ≥ 0 of
//!
//! ```text
//! Σ_i { (z^i − p_i)² + (z^i − z − s_i)² } + (z − r)²
//! ```
//!
//! for some edges at a time. z^i = max(0, (p_i + s_i + z)/2) follows from z and is left to the caller.

use pulp::Simd;

use super::ZStep;
use super::tiles::{ViewColumns, slack};
use crate::parallel::simd::{Column, Lanes};
use crate::penalties::LANES;

/// z, starting from that of the iteration before.
#[inline(always)]
pub(super) fn step<S: Simd>(simd: S, kind: ZStep, views: &[ViewColumns], r: &Column, z: &mut Column) {
    match kind {
        ZStep::Exact => exact(simd, views, r, z),
        ZStep::BlockCoordinateDescent { sweeps } => alternate(simd, views, r, z, sweeps),
    }
}

/// What is left is (N+1) z + Σs_i − r − Σz^i = 0, concave and increasing in z. Newton's first step from anywhere ends
/// left of the root, and the others go up to it, one piece or more at a time, until as many z^i are positive as before:
/// at most N.
#[inline(always)]
fn exact<S: Simd>(simd: S, views: &[ViewColumns], r: &Column, z: &mut Column) {
    let [half, slope] = [0.5, views.len() as f64 + 1.0].map(|value| Lanes::splat(simd, value));
    let load = |column: &Column, q| Lanes::load(simd, column, q);
    let parts = 0..Lanes::<S>::PER_COLUMN;
    // r − Σs_i, which no round changes.
    let mut offset = *r;
    for [_, _, s] in views {
        for q in parts.clone() {
            (load(&offset, q) - load(s, q)).store(&mut offset, q);
        }
    }
    // All lanes together in every round: none waits for the division of another.
    let mut before = [-1.0; LANES];
    for round in 0..=views.len() + 1 {
        let (mut free, mut sum) = ([0.0; LANES], [0.0; LANES]);
        for [_, p, s] in views {
            for q in parts.clone() {
                let point = load(p, q) + load(s, q);
                let own = point + load(z, q);
                (load(&free, q) + own.if_positive(half)).store(&mut free, q);
                (load(&sum, q) + own.if_positive(point)).store(&mut sum, q);
            }
        }
        let changes = parts.clone().map(|q| load(&free, q) - load(&before, q));
        let changed = changes.fold(Lanes::splat(simd, 0.0), |sum, change| sum + change * change);
        if changed.sum() == 0.0 {
            return;
        }
        before = free;
        for q in parts.clone() {
            // The root of the piece that z is on.
            let root = (load(&offset, q) + load(&sum, q).half()) / (slope - load(&free, q));
            let next = root.if_positive(root);
            let next = if round > 0 { load(z, q).or_larger(next) } else { next };
            next.store(z, q);
        }
    }
}

/// The paper's block coordinate descent on the same problem: `eq:admm_zi_step` and `eq:admm_z_step` in turn.
#[inline(always)]
fn alternate<S: Simd>(simd: S, views: &[ViewColumns], r: &Column, z: &mut Column, sweeps: usize) {
    let count = Lanes::splat(simd, views.len() as f64 + 1.0);
    for q in 0..Lanes::<S>::PER_COLUMN {
        let load = |column: &Column| Lanes::load(simd, column, q);
        for _ in 0..sweeps {
            let points = views.iter().map(|[_, p, s]| (load(p), load(s)));
            let sum = points.fold(load(r), |sum, (p, s)| sum + (slack(p, s, load(z)) - s));
            (sum / count).if_positive(sum / count).store(z, q);
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, WithSimd};

    use super::*;

    struct Both<'a>(&'a [ViewColumns], Column);

    impl WithSimd for Both<'_> {
        type Output = (Column, Column);

        fn with_simd<S: Simd>(self, simd: S) -> (Column, Column) {
            // Each lane from another start.
            let starts = std::array::from_fn(|k| k as f64 * 0.7);
            let (mut at_once, mut by_sweeps) = (starts, starts);
            exact(simd, self.0, &self.1, &mut at_once);
            alternate(simd, self.0, &self.1, &mut by_sweeps, 400);
            (at_once, by_sweeps)
        }
    }

    #[test]
    fn block_coordinate_descent_tends_to_the_exact_step() {
        let cases: [(&[f64], &[f64], f64); 5] = [
            (&[1.0, -2.0, 0.5], &[0.1, 0.2, -0.3], 0.4),
            (&[-1.0, -2.0], &[0.1, 0.2], -5.0),
            (&[3.0], &[-4.0], 9.0),
            (&[0.3, 0.2, 0.1, -0.9], &[-2.0, 1.0, 0.0, 0.5], 0.0),
            (&[-3.0, -2.0, -1.0, -0.5, 0.5], &[-2.0, 0.0, 0.0, 0.0, -3.0], 5.0),
        ];
        for (p, s, r) in cases {
            let views = p.iter().zip(s).map(|(&p, &s)| [0.0, p, s].map(|x| [x; LANES]));
            let views: Vec<ViewColumns> = views.collect();
            let (at_once, by_sweeps) = Arch::new().dispatch(Both(&views, [r; LANES]));
            for (x, y) in at_once.iter().zip(&by_sweeps) {
                assert!((x - y).abs() < 1e-12, "{at_once:?} {by_sweeps:?}");
            }
        }
    }
}
