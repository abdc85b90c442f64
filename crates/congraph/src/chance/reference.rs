//! What an average reference makes of unrelated nodes.

use super::correlations::Pairs;
use crate::parallel::simd::{sum, vectorised};
use crate::views::{Kind, View, Views};

/// With fewer nodes, a common negative correlation may be real structure.
const REFERENCED: usize = 5;
/// Nodes whose sum has less than this share of their variances are referenced to their average.
const SUM_TO_ZERO: f64 = 1e-6;

/// Takes off what an average reference makes by itself. Of signals that sum to 0 that is known, whatever their sizes; else
/// it is what all correlations have in common if that is negative: of equal nodes −1/(n − 1). What was taken off.
pub(super) fn without_offset(pairs: &mut Pairs, view: &View, kind: Kind, nodes: &[usize], own: &[bool]) -> Vec<f64> {
    if own.iter().filter(|own| **own).count() < REFERENCED {
        return vec![0.0; pairs.r.len()];
    }
    let mut offsets = referenced(view, kind, nodes, own).unwrap_or_else(|| {
        let n_known = pairs.square.iter().filter(|&&square| square > 0.0).count();
        let mean = pairs.r.iter().sum::<f64>() / n_known.max(1) as f64;
        vec![mean.min(0.0); pairs.r.len()]
    });
    for ((r, square), offset) in pairs.r.iter_mut().zip(&pairs.square).zip(&mut offsets) {
        *offset = if *square > 0.0 { *offset } else { 0.0 };
        *r -= *offset;
    }
    offsets
}

/// The correlations of unrelated nodes of these sizes less their mean, if the nodes sum to 0. With s_a the variance that a
/// node had before, s their mean and v_a the variance that it has:
///
/// ```text
/// v_a = s_a (1 − 2/n) + s/n         covariance of a and b = (s − s_a − s_b)/n
/// ```
fn referenced(view: &View, kind: Kind, nodes: &[usize], own: &[bool]) -> Option<Vec<f64>> {
    let here = nodes.iter().zip(own).filter(|(_, own)| **own);
    let here: Vec<usize> = here.map(|(&node, _)| node).collect();
    let n = here.len() as f64;
    let mut found = variances_if_referenced(view, kind, &here)?.into_iter();
    let variances: Vec<f64> = own
        .iter()
        .map(|own| if *own { found.next().unwrap_or(0.0) } else { 0.0 })
        .collect();
    let mean = variances.iter().sum::<f64>() / (n - 1.0);
    let before: Vec<f64> = variances
        .iter()
        .map(|v| before_reference(*v, mean, n).max(0.0))
        .collect();
    let ends = (0..nodes.len()).flat_map(|a| (a + 1..nodes.len()).map(move |b| (a, b)));
    let offset = |(a, b): (usize, usize)| {
        let size = (variances[a] * variances[b]).sqrt();
        let covariance = (mean - before[a] - before[b]) / n;
        if size > 0.0 {
            (covariance / size).clamp(-1.0, 1.0)
        } else {
            0.0
        }
    };
    Some(ends.map(offset).collect())
}

/// Whether the nodes of some view sum to 0, as an average reference makes them.
pub(crate) fn some_sums_to_zero(views: &Views) -> bool {
    let found = views.ask(|index| {
        let nodes: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(index, node)).collect();
        let is_referenced =
            nodes.len() >= REFERENCED && variances_if_referenced(views.view(index), views.kind(), &nodes).is_some();
        vec![u8::from(is_referenced)]
    });
    found.iter().any(|found| found.first() == Some(&1))
}

/// The variances of some nodes of a view, if these sum to 0: of a matrix, if its entries do.
fn variances_if_referenced(view: &View, kind: Kind, nodes: &[usize]) -> Option<Vec<f64>> {
    if kind == Kind::Signals {
        let signals: Vec<&[f64]> = nodes.iter().map(|&node| view.node(node)).collect();
        return sum_to_zero(&signals);
    }
    let variances: Vec<f64> = nodes.iter().map(|&node| view.node(node)[node]).collect();
    let entries = nodes.iter().flat_map(|&a| nodes.iter().map(move |&b| view.node(a)[b]));
    let left = entries.sum::<f64>().abs();
    (left <= SUM_TO_ZERO * variances.iter().sum::<f64>()).then_some(variances)
}

/// The variance s_a that an unrelated node had before the mean of n nodes was taken out, from the one that it has and the mean
/// of all s: below 0 where nodes are related.
pub(crate) fn before_reference(variance: f64, mean: f64, n: f64) -> f64 {
    (variance - mean / n) / (1.0 - 2.0 / n)
}

/// The variances of signals that sum to 0.
pub(crate) fn sum_to_zero(signals: &[&[f64]]) -> Option<Vec<f64>> {
    let mut sums = vec![0.0; signals.first()?.len()];
    let mut squares = 0.0;
    vectorised(
        #[inline(always)]
        || {
            for signal in signals {
                sums.iter_mut().zip(*signal).for_each(|(sum, x)| *sum += x);
                squares += sum(signal, |x| x * x);
            }
        },
    );
    // Squares are no less than variances: mostly one look is enough.
    let left = variance(&sums);
    if left > SUM_TO_ZERO * squares / sums.len() as f64 {
        return None;
    }
    let variances: Vec<f64> = signals.iter().map(|signal| variance(signal)).collect();
    let all: f64 = variances.iter().sum();
    (!all.is_nan() && left <= SUM_TO_ZERO * all).then_some(variances)
}

fn variance(signal: &[f64]) -> f64 {
    let n = signal.len() as f64;
    vectorised(
        #[inline(always)]
        || {
            let mean = sum(signal, |x| x) / n;
            sum(signal, |x| (x - mean) * (x - mean)) / n
        },
    )
}
