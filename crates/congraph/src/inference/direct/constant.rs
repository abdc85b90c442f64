//! How much direct dependence taking out the constant signal makes by itself.
//!
//! The signal that all nodes share is taken out (an average reference has done so already, and then nobody can tell what
//! it was). That couples nodes which had nothing to do with each other: of independent ones with the precisions k_a, the
//! partial correlations become
//!
//! ```text
//! o_ab = w_a w_b     w_a² = u_a / (1 − u_a)     u_a = k_a / Σk          1/(n − 1) for equal ones
//! ```
//!
//! whereas signals on a graph, whose precision is L or nearly so, have no such part: L 1 = 0. Few samples do not show the
//! difference, but many call every pair of pure noise dependent. So a share s of o_ab is taken off, from 0 (a Laplacian) to 1
//! (independent nodes): the one that puts the mode of all t over 0, since most pairs of a sparse graph are no edges.
//! The mode is found by the mean shift from the median, with a Gaussian window: edges far from 0 do not count. A share that
//! is less than two standard errors below 1 is 1: what does not tell the nodes from independent ones must not make edges of
//! them, and a share a little too small makes all pairs of noise look a little dependent. Any other share is at most the one
//! that weak edges leave (`mixture`).

use faer::Mat;

use super::mixture::least_share;

/// What a node can have of all precision at most, for its w to be finite.
const MOST: f64 = 0.5;
/// The width of the window of the mean shift, for t of width 1: a narrower one sees fewer weak edges, and is less sure.
const WINDOW: f64 = 0.7;

/// How many standard errors below 1 a share is at least.
const BELOW: f64 = 2.0;

/// The Fisher-transformed o_ab of all pairs, from a precision without the constant signal.
pub(super) fn offsets(precision: &Mat<f64>) -> Vec<f64> {
    let n = precision.nrows();
    let own: Vec<f64> = (0..n).map(|a| precision[(a, a)]).collect();
    let mut share = vec![1.0 / n as f64; n];
    // K_aa = k_a (1 − u_a): a contraction unless one node has nearly all.
    for _ in 0..50 {
        let k: Vec<f64> = own.iter().zip(&share).map(|(own, u)| own / (1.0 - u)).collect();
        let sum: f64 = k.iter().sum();
        share.iter_mut().zip(&k).for_each(|(u, k)| *u = (k / sum).min(MOST));
    }
    let w: Vec<f64> = share.iter().map(|u| (u / (1.0 - u)).sqrt()).collect();
    let pair = |a: usize| w[a + 1..].iter().map(move |other| (a, *other));
    (0..n)
        .flat_map(pair)
        .map(|(a, other)| (w[a] * other).min(0.999).atanh())
        .collect()
}

/// The share of the offsets that puts the mode of (z − share · offset) / se over 0.
pub(super) fn share(z: &[f64], se: &[f64], offsets: &[f64]) -> f64 {
    let pairs = || {
        z.iter()
            .zip(se)
            .zip(offsets)
            .map(|((z, se), offset)| (z / se, offset / se))
    };
    // A share moves each t by its own offset; the median over pairs of what would move it to 0 is a fair start.
    let mut wanted: Vec<f64> = pairs()
        .map(|(t, offset)| t / offset)
        .filter(|share| share.is_finite())
        .collect();
    if wanted.is_empty() {
        return 0.0;
    }
    wanted.sort_by(f64::total_cmp);
    let mut share = wanted[wanted.len() / 2].clamp(0.0, 1.0);
    for _ in 0..200 {
        let (mut shift, mut weight) = (0.0, 0.0);
        for (t, offset) in pairs() {
            let t = t - share * offset;
            let near = (-0.5 * (t / WINDOW).powi(2)).exp();
            shift += near * t;
            weight += near * offset;
        }
        let next = if weight > 0.0 {
            (share + shift / weight).clamp(0.0, 1.0)
        } else {
            share
        };
        let change = (next - share).abs();
        share = next;
        if change < 1e-9 {
            break;
        }
    }
    // The standard error of a root of Σ ψ(t), ψ = t exp(−t²/2w²), over pairs.
    let (mut squares, mut slope) = (0.0, 0.0);
    for (t, offset) in pairs() {
        let t = t - share * offset;
        let near = (-0.5 * (t / WINDOW).powi(2)).exp();
        squares += (near * t).powi(2);
        slope += near * (1.0 - (t / WINDOW).powi(2)) * offset;
    }
    if 1.0 - share <= BELOW * squares.sqrt() / slope.abs() {
        1.0
    } else if share > 0.0 {
        share.min(least_share(&pairs()))
    } else {
        share
    }
}
