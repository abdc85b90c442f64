//! ℓ2 (the paper's ℓ2,1, `eq:case2_c`): if an edge differs, it may differ in all views. The consensus is the mean, less
//! γ.

use super::{JointEdge, L1, LANES, Penalty};

/// c(V) = Σ_e ‖V_e‖₂.
///
/// The prox shrinks each row towards zero as a whole. The joint minimiser is best seen from its dual: minimise
/// ½‖(u − g)₊‖² over ‖g‖ ≤ τ, Σg ≤ σ. Its solution is described by two numbers, 0 < s ≤ 1 and ω ≥ 0:
///
/// ```text
/// g_i = s (u_i + ω)₊ − ω        W_i = (1 − s)(u_i + ω)₊        w = ω (1 − s)/s
/// s Σ(u_i + ω)₊ = σ + N ω  (or ω = 0 and ≤)        ‖g‖ = τ  (or s = 1 and ≤)
/// ```
///
/// - all views fused (W = w): w = mean u − σ/N, where ‖u − w‖ ≤ τ; the limit ω → ∞;
/// - absent (W = 0): s = 1;
/// - empty consensus: ω = 0 and s = τ/‖u₊‖;
/// - no view at its bound: 1/s² = Σ(u_i − ū)² / (τ² − σ²/N);
/// - otherwise ω is the root of ‖g‖² = s²Q − 2ωσ − Nω² = τ², with Q = Σ(u_i + ω)₊² and s from the sum: increasing in ω,
///   bracketed by 0 and −min u, solved by safeguarded Newton.
#[derive(Clone, Copy, Debug, Default)]
pub struct L2;

/// At γ = β√N an empty consensus is as good as that of equal views, and is taken; a γ off by rounding is meant to be
/// there.
const ROUNDING: f64 = 1e-12;

impl Penalty for L2 {
    fn name(&self) -> &str {
        "l2"
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        differences.chunks_exact(n_views).map(norm).sum()
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        for row in differences.chunks_exact_mut(n_views) {
            let keep = keep(norm(row), step);
            for v in row {
                *v *= keep;
            }
        }
    }

    fn prox_columns(&self, columns: &mut [[f64; LANES]], step: f64) {
        let mut squares = [0.0; LANES];
        for column in &*columns {
            for (square, v) in squares.iter_mut().zip(column) {
                *square += v * v;
            }
        }
        let keep = squares.map(|square| keep(square.sqrt(), step));
        for column in columns {
            for (v, keep) in column.iter_mut().zip(&keep) {
                *v *= keep;
            }
        }
    }

    fn joint(&self) -> Option<&dyn JointEdge> {
        Some(self)
    }

    fn label(&self) -> &str {
        "ℓ2"
    }

    /// The slope of ‖W − w1‖₂ in w is at least −√N.
    fn gamma_limit(&self, n_views: usize) -> f64 {
        (n_views as f64).sqrt()
    }

    fn first_beta(&self, spread: f64, _alpha: f64, n_views: usize) -> f64 {
        0.5 * spread * (n_views as f64).sqrt()
    }
}

impl JointEdge for L2 {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], _scratch: &mut Vec<f64>) -> f64 {
        match solve(targets, tau, sigma) {
            Shape::Fused(consensus) => {
                weights.fill(consensus);
                consensus
            }
            Shape::Absent => {
                weights.fill(0.0);
                0.0
            }
            Shape::Apart { keep, consensus } => {
                for (weight, &u) in weights.iter_mut().zip(targets) {
                    *weight = (consensus + keep * (u - consensus)).max(0.0);
                }
                consensus
            }
        }
    }

    fn is_absent(&self, targets: &[f64], tau: f64, sigma: f64) -> bool {
        // g = u₊ shows it most often.
        let (mut sum, mut squares) = (0.0, 0.0);
        for u in targets.iter().map(|u| u.max(0.0)) {
            sum += u;
            squares += u * u;
        }
        if squares > tau * tau {
            return false;
        }
        sum <= sigma || matches!(solve(targets, tau, sigma), Shape::Absent)
    }

    fn rank(&self) -> usize {
        2
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
        let n = weights.len();
        diagonal.fill(0.0);
        factors.fill(0.0);
        let (first, second) = factors.split_at_mut(n);
        if weights.iter().all(|&weight| weight == 0.0) {
            return;
        }
        let length = weights
            .iter()
            .map(|weight| (weight - consensus).powi(2))
            .sum::<f64>()
            .sqrt();
        // All views fused: they move by the mean of their targets.
        if length == 0.0 {
            first.fill((n as f64).sqrt().recip());
            return;
        }
        // The Hessian of τ‖W − w‖ is q (I − s sᵀ) with q = τ/‖W − w‖ and s the unit vector of W − w. On the free views,
        // with w eliminated, the minimiser's derivative is the inverse of
        //     (1 + q) I − q s sᵀ − q/(N − (Σs)²) h hᵀ,    h = 1 − (Σs) s    (no last term when w = 0),
        // by Woodbury, with B the sums over the views that are not free (over all views s and h are orthogonal, of
        // squared lengths 1 and N − (Σs)²; written so, nothing cancels near fusion, where q is huge):
        //     I/(1 + q) + q/(1 + q) [s h] (diag(1, N − (Σs)²) + q B)⁻¹ [s h]ᵀ.
        let q = (tau / length).min(1e100);
        let share = 1.0 / (1.0 + q);
        let sum = weights.iter().map(|weight| weight - consensus).sum::<f64>() / length;
        let room = n as f64 - sum * sum;
        let moves = consensus > 0.0 && room > 1e-12 * n as f64;
        let (mut ss, mut sh, mut hh) = (0.0, 0.0, 0.0);
        for (k, &weight) in weights.iter().enumerate() {
            let s = (weight - consensus) / length;
            let h = if moves { 1.0 - sum * s } else { 0.0 };
            if weight > 0.0 {
                (diagonal[k], first[k], second[k]) = (share, s, h);
            } else {
                ss += s * s;
                sh += s * h;
                hh += h * h;
            }
        }
        let scale = (1.0 - share).sqrt();
        // The Cholesky factor of the 2 × 2 matrix in the middle, whose inverse turns [s h] into the two factors.
        let l11 = (1.0 + q * ss).sqrt();
        let l21 = q * sh / l11;
        let l22 = (room + q * hh - l21 * l21).max(f64::MIN_POSITIVE).sqrt();
        for (s, h) in first.iter_mut().zip(second) {
            let along = scale * *s / l11;
            *h = if moves { (scale * *h - l21 * along) / l22 } else { 0.0 };
            *s = along;
        }
    }

    fn frozen_slope(&self, tau: f64, difference: f64) -> f64 {
        // The length of one number is its size.
        L1.frozen_slope(tau, difference)
    }

    fn consensus(&self, weights: &[f64], ratio: f64, _scratch: &mut Vec<f64>) -> f64 {
        let n = weights.len() as f64;
        // From γ = β√N on an empty consensus is best.
        let room = 1.0 - ratio * ratio / n;
        if room <= ROUNDING {
            return 0.0;
        }
        let mean = weights.iter().sum::<f64>() / n;
        let spread = weights.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>();
        (mean - ratio * (spread / room).sqrt() / n).max(0.0)
    }
}

enum Shape {
    Fused(f64),
    Absent,
    /// W = max(0, w + keep · (u − w)) with keep = 1 − s: near fusion ω is huge and keep tiny, and this form loses
    /// nothing.
    Apart {
        keep: f64,
        consensus: f64,
    },
}

fn solve(targets: &[f64], tau: f64, sigma: f64) -> Shape {
    let n = targets.len() as f64;
    let sum = targets.iter().sum::<f64>();
    let mean = sum / n;
    let spread = targets.iter().map(|u| (u - mean).powi(2)).sum::<f64>();
    let room = tau * tau - sigma * sigma / n;
    let never_shared = room <= ROUNDING * tau * tau;
    // ‖u − w‖² ≤ τ² for w = mean − σ/N.
    let fused = mean - sigma / n;
    if fused > 0.0 && spread <= room && !never_shared {
        return Shape::Fused(fused);
    }
    // The other shapes in the order of [`L2`]'s list; only the last one needs a root.
    let positive_sum = targets.iter().map(|u| u.max(0.0)).sum::<f64>();
    let positive_norm = targets.iter().map(|u| u.max(0.0).powi(2)).sum::<f64>().sqrt();
    if positive_norm <= tau && (positive_sum <= sigma || never_shared) {
        return Shape::Absent;
    }
    let shrink = tau / positive_norm;
    if shrink < 1.0 && (shrink * positive_sum <= sigma || never_shared) {
        return Shape::Apart {
            keep: 1.0 - shrink,
            consensus: 0.0,
        };
    }
    // Absent again: g may be negative where u is.
    if sum <= sigma && least_norm(targets, sigma) <= tau {
        return Shape::Absent;
    }
    if spread > room {
        // 1/s and 1/s − 1, the latter without cancellation.
        let inverse = (spread / room).sqrt();
        let excess = (spread - room) / (room * (1.0 + inverse));
        let consensus = mean - inverse * sigma / n;
        if consensus >= 0.0 && targets.iter().all(|u| consensus + excess * u >= 0.0) {
            return Shape::Apart {
                keep: excess / inverse,
                consensus,
            };
        }
    }
    let least = targets.iter().fold(f64::INFINITY, |least, &u| least.min(u));
    bounded(targets, tau, sigma, (-least).max(0.0))
}

/// ‖g‖ for the shortest g ≥ u with Σg = σ: g = max(u, −θ), θ by Newton from the left.
fn least_norm(targets: &[f64], sigma: f64) -> f64 {
    let mut theta = 0.0;
    for _ in 0..=targets.len() {
        let (mut above, mut below) = (0.0, 0_usize);
        for &u in targets {
            if u < -theta {
                below += 1;
            } else {
                above += u;
            }
        }
        let next = if below == 0 {
            theta
        } else {
            (above - sigma) / below as f64
        };
        if next <= theta {
            break;
        }
        theta = next;
    }
    targets.iter().map(|u| u.max(-theta).powi(2)).sum::<f64>().sqrt()
}

/// The case in which some views, not all, are held at zero and w > 0.
fn bounded(targets: &[f64], tau: f64, sigma: f64, high: f64) -> Shape {
    let n = targets.len() as f64;
    let (mut low, mut high) = (0.0, high);
    let mut offset = 0.5 * high;
    let mut shrink = 1.0;
    let mut last_step = high;
    for _ in 0..200 {
        let (mut free, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for &u in targets {
            let above = (u + offset).max(0.0);
            free += f64::from(above > 0.0);
            sum += above;
            squares += above * above;
        }
        shrink = (sigma + n * offset) / sum;
        let value = shrink * shrink * squares - offset * (2.0 * sigma + n * offset) - tau * tau;
        let slope = 2.0 * shrink * (squares * (n - shrink * free) / sum - sum * (1.0 - shrink));
        if value > 0.0 {
            high = offset;
        } else {
            low = offset;
        }
        // Newton may jump to and fro across a kink: steps that do not shrink are replaced by halving.
        let newton = offset - value / slope;
        let next = if newton > low && newton < high && (newton - offset).abs() <= 0.5 * last_step {
            newton
        } else {
            0.5 * (low + high)
        };
        last_step = (next - offset).abs();
        if (next - offset).abs() <= 1e-16 * next || high - low <= 1e-16 * high {
            break;
        }
        offset = next;
    }
    if shrink >= 1.0 {
        return Shape::Absent;
    }
    Shape::Apart {
        keep: 1.0 - shrink,
        consensus: offset * (1.0 - shrink) / shrink,
    }
}

/// What the prox leaves of a row of that length.
#[inline]
fn keep(length: f64, step: f64) -> f64 {
    if length > step { 1.0 - step / length } else { 0.0 }
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum::<f64>().sqrt()
}
