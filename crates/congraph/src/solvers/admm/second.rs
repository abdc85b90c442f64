//! `eq:admm_second`, the (z^i, z)-step: argmin over z^i ≥ 0, z ≥ 0 of
//!
//! ```text
//! Σ_i { (z^i − p_i)² + (z^i − z − s_i)² } + (z − r)²
//! ```
//!
//! for some edges at a time. z^i = max(0, (p_i + s_i + z)/2) is left to whoever knows z.

use pulp::Simd;

use super::ZStep;
use super::tiles::slack;
use crate::vector::{Column, Lanes};

/// Columns of p and s, and which part of them.
type Points<'a> = (&'a [Column], &'a [Column], usize);

/// z, starting from that of the iteration before.
#[inline(always)]
pub(super) fn step<S: Simd>(simd: S, kind: ZStep, points: Points<'_>, r: Lanes<S>, z: Lanes<S>) -> Lanes<S> {
    match kind {
        ZStep::Exact => exact(simd, points, r, z),
        ZStep::BlockCoordinateDescent { sweeps } => alternate(simd, points, r, z, sweeps),
    }
}

/// What is left is (N+1) z + Σs_i − r − Σz^i = 0, concave and increasing in z. Newton's first step from anywhere ends left of
/// the root, and the others go up to it, one piece or more at a time: at most N of them.
#[inline(always)]
fn exact<S: Simd>(simd: S, (p, s, q): Points<'_>, r: Lanes<S>, mut z: Lanes<S>) -> Lanes<S> {
    let [zero, half, slope] = [0.0, 0.5, p.len() as f64 + 1.0].map(|value| Lanes::splat(simd, value));
    let load = |column: &Column| Lanes::load(simd, column, q);
    let offset = s.iter().fold(r, |offset, s| offset - load(s));
    for round in 0..=p.len() + 1 {
        let (mut free, mut sum) = (zero, zero);
        for (p, s) in p.iter().zip(s) {
            let point = load(p) + load(s);
            free = free + (point + z).if_positive(half);
            sum = sum + (point + z).if_positive(point);
        }
        let root = (offset + sum.half()) / (slope - free);
        let mut next = root.if_positive(root);
        if round > 0 {
            next = z.or_larger(next);
        }
        if next.equals(z) {
            break;
        }
        z = next;
    }
    z
}

/// The paper's block coordinate descent on the same problem: `eq:admm_zi_step` and `eq:admm_z_step` in turn.
#[inline(always)]
fn alternate<S: Simd>(simd: S, (p, s, q): Points<'_>, r: Lanes<S>, mut z: Lanes<S>, sweeps: usize) -> Lanes<S> {
    let count = Lanes::splat(simd, p.len() as f64 + 1.0);
    let load = |column: &Column| Lanes::load(simd, column, q);
    for _ in 0..sweeps {
        let points = p.iter().zip(s).map(|(p, s)| (load(p), load(s)));
        let sum = points.fold(r, |sum, (p, s)| sum + (slack(p, s, z) - s));
        z = (sum / count).if_positive(sum / count);
    }
    z
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, WithSimd};

    use super::*;

    struct Both<'a>(&'a [Column], &'a [Column], Column);

    impl WithSimd for Both<'_> {
        type Output = (Column, Column);

        fn with_simd<S: Simd>(self, simd: S) -> (Column, Column) {
            // Each lane from another start.
            let starts = std::array::from_fn(|k| k as f64 * 0.7);
            let (mut at_once, mut by_sweeps) = (starts, starts);
            for q in 0..Lanes::<S>::PER_COLUMN {
                let (r, z) = (Lanes::load(simd, &self.2, q), Lanes::load(simd, &starts, q));
                exact(simd, (self.0, self.1, q), r, z).store(&mut at_once, q);
                alternate(simd, (self.0, self.1, q), r, z, 400).store(&mut by_sweeps, q);
            }
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
            let columns = |values: &[f64]| -> Vec<Column> { values.iter().map(|x| [*x; 8]).collect() };
            let (at_once, by_sweeps) = Arch::new().dispatch(Both(&columns(p), &columns(s), [r; 8]));
            for (x, y) in at_once.iter().zip(&by_sweeps) {
                assert!((x - y).abs() < 1e-12, "{at_once:?} {by_sweeps:?}");
            }
        }
    }
}
