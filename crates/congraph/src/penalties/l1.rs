//! ℓ1 (the paper's ℓ1,1, `eq:case1_c`): if an edge differs, it differs in few views. The consensus is the median.

use super::{JointEdge, LANES, Penalty};
use crate::parallel::simd::{sum, vectorised};

/// c(V) = Σ_e Σ_i |V_ei|.
///
/// The prox is soft thresholding. In the joint minimiser the consensus is the root of a Huber location estimate,
///
/// ```text
/// Σ_i clamp(w − u_i, −τ, τ) = −σ,    then max(·, 0)
/// W_i = max(0, w + soft(u_i − w, τ))
/// ```
///
/// a piecewise linear function with breakpoints u_i ± τ, walked in sorted order: O(N log N), exact. Where it is flat at
/// the root (no view is within τ of w: possible for even N), every point of the interval is optimal and w is its
/// middle.
#[derive(Clone, Copy, Debug, Default)]
pub struct L1;

/// At γ = Nβ every consensus below all views is as good as none, and none is taken; a γ off by rounding is meant to be
/// there.
const ALMOST: f64 = 1.0 - 1e-12;

/// Where sorting is no slower.
const NEWTON_ROUNDS: usize = 8;
/// A view this near to τ away, in units of τ, may be at the end of a flat stretch.
const INSIDE: f64 = 1.0 - 1e-9;

impl Penalty for L1 {
    fn name(&self) -> &str {
        "l1"
    }

    fn value(&self, differences: &[f64], _n_views: usize) -> f64 {
        vectorised(
            #[inline(always)]
            || sum(differences, f64::abs),
        )
    }

    fn prox(&self, differences: &mut [f64], _n_views: usize, step: f64) {
        for v in differences {
            *v -= v.clamp(-step, step);
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
        "ℓ1"
    }

    /// Σ_i |W_i − w| + (γ/β) w is least at w = 0 once γ/β ≥ N.
    fn gamma_limit(&self, n_views: usize) -> f64 {
        n_views as f64
    }
}

impl JointEdge for L1 {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        let consensus = location(targets, tau, sigma, scratch);
        write_weights(targets, tau, consensus, weights);
        consensus
    }

    fn minimise_rows(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], consensus: &mut [f64]) {
        let n_views = targets.len() / consensus.len().max(1);
        if n_views == 0 || sigma >= n_views as f64 * tau * ALMOST {
            consensus.fill(0.0);
        } else {
            let mut columns = vec![[0.0; LANES]; n_views];
            let mut sorted = Vec::new();
            let eights = targets.chunks(LANES * n_views).zip(consensus.chunks_mut(LANES));
            for (rows, consensus) in eights {
                let settled = vectorised(
                    #[inline(always)]
                    || {
                        into_columns(rows, &mut columns);
                        newton_columns(&columns, tau, sigma)
                    },
                );
                for ((value, settled), row) in consensus.iter_mut().zip(settled).zip(rows.chunks_exact(n_views)) {
                    *value = if settled.is_nan() {
                        location_by_sorting(row, tau, sigma, &mut sorted)
                    } else {
                        settled
                    };
                }
            }
        }
        vectorised(
            #[inline(always)]
            || {
                let rows = targets
                    .chunks_exact(n_views.max(1))
                    .zip(weights.chunks_exact_mut(n_views.max(1)));
                for ((targets, weights), consensus) in rows.zip(&*consensus) {
                    write_weights(targets, tau, *consensus, weights);
                }
            },
        );
    }

    fn is_absent(&self, targets: &[f64], tau: f64, sigma: f64) -> bool {
        let mut pull = 0.0;
        for &u in targets {
            // A view that the penalty cannot hold at 0 is present on its own.
            if u > tau {
                return false;
            }
            pull += u.max(-tau);
        }
        pull <= sigma
    }

    fn is_pull(&self) -> bool {
        true
    }

    fn rank(&self) -> usize {
        1
    }

    fn jacobian(
        &self,
        _tau: f64,
        _sigma: f64,
        weights: &[f64],
        consensus: f64,
        diagonal: &mut [f64],
        factors: &mut [f64],
    ) {
        // Views fused with the consensus move together; the other positive ones move on their own.
        let fused = |weight: f64| consensus > 0.0 && weight == consensus;
        let n_fused = weights.iter().filter(|&&weight| fused(weight)).count();
        let share = if n_fused > 0 {
            (n_fused as f64).sqrt().recip()
        } else {
            0.0
        };
        for ((entry, factor), &weight) in diagonal.iter_mut().zip(factors).zip(weights) {
            (*entry, *factor) = match weight {
                weight if fused(weight) => (0.0, share),
                weight if weight > 0.0 => (1.0, 0.0),
                _ => (0.0, 0.0),
            };
        }
    }

    fn frozen_slope(&self, _tau: f64, difference: f64) -> f64 {
        // Held at the consensus, or moving on its own.
        if difference == 0.0 { 0.0 } else { 1.0 }
    }

    fn consensus(&self, weights: &[f64], ratio: f64, scratch: &mut Vec<f64>) -> f64 {
        let n = weights.len() as f64;
        if ratio >= n * ALMOST {
            return 0.0;
        }
        sort(weights, scratch);
        for k in 0..scratch.len() {
            // The slope to the right of the k-th smallest weight: those below pull down, those above pull up.
            let slope = 2.0 * (k + 1) as f64 - n + ratio;
            if slope == 0.0 {
                return 0.5 * (scratch[k] + scratch[k + 1]);
            }
            if slope > 0.0 {
                return scratch[k];
            }
        }
        0.0
    }
}

/// The location by Newton's method on the piecewise linear balance, which mostly takes two or three rounds and no
/// sorting. NaN if it does not settle, or settles where the balance may be flat.
fn newton(targets: &[f64], tau: f64, sigma: f64) -> f64 {
    newton_columns(targets.as_chunks::<1>().0, tau, sigma)[0]
}

/// The same of several edges side by side, each as if it were alone: `columns[i][k]` is view i of edge k.
#[inline(always)]
fn newton_columns<const K: usize>(columns: &[[f64; K]], tau: f64, sigma: f64) -> [f64; K] {
    let n = columns.len() as f64;
    let (mut totals, mut pulls) = ([0.0; K], [sigma; K]);
    for column in columns {
        for k in 0..K {
            totals[k] += column[k];
            pulls[k] -= column[k].max(-tau).min(tau);
        }
    }
    // Where the root would be if all views were within τ.
    let mut roots = totals.map(|total| (total - sigma) / n);
    let (mut found, mut is_open) = ([f64::NAN; K], [true; K]);
    for k in 0..K {
        // The balance at 0 is already downwards.
        if pulls[k] > 1e-12 * n * tau {
            (found[k], is_open[k]) = (0.0, false);
        }
    }
    for _ in 0..NEWTON_ROUNDS {
        if is_open == [false; K] {
            break;
        }
        let (mut within, mut sums, mut nearest) = ([0.0; K], [0.0; K], [f64::INFINITY; K]);
        for column in columns {
            for k in 0..K {
                let apart = column[k] - roots[k];
                let inside = apart.abs() <= tau;
                let distance = if inside { apart.abs() } else { f64::INFINITY };
                nearest[k] = if distance < nearest[k] { distance } else { nearest[k] };
                within[k] += if inside { 1.0 } else { 0.0 };
                sums[k] += if inside { column[k] } else { tau.copysign(apart) };
            }
        }
        for k in 0..K {
            // The root of the piece that the balance is on here.
            let next = (sums[k] - sigma) / within[k];
            if is_open[k] && next == roots[k] && nearest[k] < INSIDE * tau {
                found[k] = next.max(0.0);
            }
            // It has settled, or cannot: no view is within τ.
            is_open[k] &= next.is_finite() && next != roots[k];
            roots[k] = if is_open[k] { next } else { roots[k] };
        }
    }
    found
}

/// Rows of views as columns of edges. Where there are fewer rows, the other lanes hold what they held.
#[inline(always)]
fn into_columns(rows: &[f64], columns: &mut [[f64; LANES]]) {
    for (k, row) in rows.chunks_exact(columns.len()).enumerate() {
        for (column, &target) in columns.iter_mut().zip(row) {
            column[k] = target;
        }
    }
}

/// The views' weights for their consensus.
#[inline(always)]
pub(super) fn write_weights(targets: &[f64], tau: f64, consensus: f64, weights: &mut [f64]) {
    for (weight, &target) in weights.iter_mut().zip(targets) {
        let above = target - consensus;
        // soft(u − w, τ) without a branch.
        let raised = target + tau;
        let low = if raised > 0.0 { raised } else { 0.0 };
        let beside = if above < -tau { low } else { consensus };
        *weight = if above > tau { target - tau } else { beside };
    }
}

/// argmin over w ≥ 0 of the Huber losses of `targets` plus σ w.
pub(super) fn location(targets: &[f64], tau: f64, sigma: f64, scratch: &mut Vec<f64>) -> f64 {
    if sigma >= targets.len() as f64 * tau * ALMOST {
        return 0.0;
    }
    let settled = newton(targets, tau, sigma);
    if settled.is_nan() {
        location_by_sorting(targets, tau, sigma, scratch)
    } else {
        settled
    }
}

/// The same where Newton's method does not settle.
fn location_by_sorting(targets: &[f64], tau: f64, sigma: f64, scratch: &mut Vec<f64>) -> f64 {
    let n = targets.len() as f64;
    sort(targets, scratch);
    // Flat at the root: as many views pull up as pull down and none is within τ. Counted, because rounding would decide
    // at which end of the interval a walk stops.
    let below = 0.5 * (n - sigma / tau);
    if below.fract() == 0.0 && below >= 1.0 {
        let below = below as usize;
        let (low, high) = (scratch[below - 1] + tau, scratch[below] - tau);
        if low <= high {
            return 0.5 * (low.max(0.0) + high.max(0.0));
        }
    }
    lowest_root(scratch, tau, sigma).max(0.0)
}

/// Walks the breakpoints of Σ clamp(w − u_i, −τ, τ) upwards to where it first comes to −σ; `sorted` is u in order.
pub(super) fn lowest_root(sorted: &[f64], tau: f64, sigma: f64) -> f64 {
    let n = sorted.len();
    // Between two breakpoints: views [left..entered] are within τ of w, those before are below, those after above.
    let (mut left, mut entered, mut sum) = (0, 1, sorted[0]);
    let mut low = sorted[0] - tau;
    loop {
        let next_enter = if entered < n {
            sorted[entered] - tau
        } else {
            f64::INFINITY
        };
        let next_leave = if left < entered {
            sorted[left] + tau
        } else {
            f64::INFINITY
        };
        let high = next_enter.min(next_leave);
        let balance = tau * (left as f64 - (n - entered) as f64) + sigma;
        let within = entered - left;
        if within > 0 {
            let root = (sum - balance) / within as f64;
            if root <= high || high == f64::INFINITY {
                return root.max(low).min(high);
            }
        } else if balance >= 0.0 {
            return low;
        }
        if next_enter <= next_leave {
            sum += sorted[entered];
            entered += 1;
        } else {
            sum -= sorted[left];
            left += 1;
        }
        low = high;
    }
}

/// The middle of the values, or of the two in the middle.
pub(super) fn median(values: &[f64], sorted: &mut Vec<f64>) -> f64 {
    sort(values, sorted);
    match sorted.len() {
        0 => 0.0,
        n => 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]),
    }
}

fn sort(values: &[f64], sorted: &mut Vec<f64>) {
    sorted.clear();
    sorted.extend_from_slice(values);
    sorted.sort_unstable_by(f64::total_cmp);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimise(targets: &[f64], tau: f64, sigma: f64) -> (Vec<f64>, f64) {
        let mut weights = vec![0.0; targets.len()];
        let consensus = L1.minimise(targets, tau, sigma, &mut weights, &mut Vec::new());
        (weights, consensus)
    }

    #[test]
    fn an_even_number_of_views_gives_the_middle_of_the_interval() {
        assert_eq!(minimise(&[5.0, -5.0], 1.0, 0.0), (vec![4.0, 0.0], 2.0));
        assert_eq!(minimise(&[10.0, 2.0], 1.0, 0.0), (vec![9.0, 3.0], 6.0));
        assert_eq!(
            minimise(&[0.0, 0.0, 4.0, 5.0], 0.5, 0.0),
            (vec![0.5, 0.5, 3.5, 4.5], 2.0)
        );
        assert_eq!(L1.consensus(&[9.0, 3.0], 0.0, &mut Vec::new()), 6.0);
    }

    #[test]
    fn fused_views_share_the_consensus_to_the_bit() {
        let (weights, consensus) = minimise(&[1.0, 1.3, 0.9, 7.0, -3.0], 0.5, 0.0);
        assert_eq!(weights[..3], [consensus; 3]);
        assert_eq!((weights[3], weights[4]), (6.5, 0.0));
    }

    #[test]
    fn a_large_sigma_empties_the_consensus() {
        assert_eq!(minimise(&[5.0, 4.0, 3.0], 1.0, 3.0), (vec![4.0, 3.0, 2.0], 0.0));
    }
}
