//! Above which |z| edges form components.
//!
//! A component can only be significant if few relabellings have one as intense. Where hardly any has an edge above the
//! threshold at all, every component has p near the share of those that have one, and that share instead of the level is
//! how often studies without a difference find one: less than 5 %, and nothing where no relabelling can reach it (without
//! ties, no rank-sum z of up to 6 + 6 views is above 3). So the threshold is 3, and lower where fewer than half of the relabellings have
//! an edge above that: the largest one that half of them exceed. No label decides it: it is a function of all relabellings,
//! or of random ones that are not among those the components are judged by.

use super::permutations::{Family, permuted};
use super::relabelling::Relabellings;
use crate::error::Warning;
use crate::options::option;
use crate::progress::{Progress, Watch};

/// The usual threshold.
pub const USUAL_THRESHOLD: f64 = 3.0;
/// The share of the relabellings that have an edge above the threshold at least.
const REACHED: f64 = 0.5;
/// Thresholds that are found have two digits, so that they can be told.
const DIGITS: f64 = 100.0;

/// The threshold of a family of edges; none if the watch asked to stop.
pub(super) fn found(edges: &Family<'_>, relabellings: &Relabellings, watch: Watch<'_>) -> Option<f64> {
    let total = relabellings.len();
    let quiet = |_: &Progress| watch(&Progress::Fitted { done: 0, total });
    let apart = relabellings.apart();
    let numbers: Vec<usize> = (0..apart.len()).collect();
    let tallies = permuted(std::slice::from_ref(edges), None, &apart, &numbers, &quiet)?;
    let mut largest = tallies.into_iter().next()?.largest;
    largest.sort_unstable_by(f64::total_cmp);
    Some(reached_by_half(&largest))
}

/// The largest threshold up to the usual one that half of these exceed, if any do.
fn reached_by_half(largest: &[f64]) -> f64 {
    let needed = (REACHED * largest.len() as f64).ceil() as usize;
    // From there on at least so many are as large.
    let Some(&median) = largest.len().checked_sub(needed).and_then(|at| largest.get(at)) else {
        return USUAL_THRESHOLD;
    };
    // Below it: as large is not above.
    let below = ((DIGITS * median).ceil() - 1.0) / DIGITS;
    if median > 0.0 {
        below.clamp(1.0 / DIGITS, USUAL_THRESHOLD)
    } else {
        USUAL_THRESHOLD
    }
}

/// W19 if so few relabellings have a component that none can be found at the level.
pub(super) fn out_of_reach(threshold: f64, intensities: &[f64], largest: &[f64], level: f64) -> Option<Warning> {
    let n_with = intensities.iter().filter(|intensity| **intensity > 0.0).count();
    let has_edges = largest.iter().any(|size| *size > 0.0);
    if !has_edges || n_with as f64 >= level * intensities.len() as f64 {
        return None;
    }
    let mut largest = largest.to_vec();
    largest.sort_unstable_by(f64::total_cmp);
    let [most, half] = [largest[largest.len() - 1], reached_by_half(&largest)];
    let told = if most > threshold {
        format!(
            "{:.1} % of the relabellings have",
            100.0 * n_with as f64 / intensities.len() as f64
        )
    } else {
        "no relabelling has".into()
    };
    let message = format!(
        "the threshold of components, {threshold}, is out of reach: {told} an edge above it (the largest has {most:.2}), so \
         that components are found less often than the level says, or never. Half of the relabellings have one above {half}: \
         leave {} out, or set it to that",
        option("nbs")
    );
    Some(Warning::new("W19", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_relabellings_are_above_the_threshold() {
        let many: Vec<f64> = (0..1000).map(|k| 1.0 + f64::from(k) * 0.002).collect();
        assert_eq!(reached_by_half(&many), 1.99);
        let large: Vec<f64> = many.iter().map(|z| z + 5.0).collect();
        assert_eq!(reached_by_half(&large), USUAL_THRESHOLD);
        // Few designs have more than one size: what all reach is still exceeded.
        assert_eq!(reached_by_half(&[2.0; 10]), 1.99);
        assert_eq!(reached_by_half(&[0.0, 0.0, 0.0, 1.5]), USUAL_THRESHOLD);
        assert_eq!(reached_by_half(&[]), USUAL_THRESHOLD);
        assert_eq!(reached_by_half(&[0.001; 3]), 0.01);
    }

    #[test]
    fn a_threshold_that_nothing_reaches_is_told() {
        let largest: Vec<f64> = (0..100).map(|k| 1.5 + f64::from(k) * 0.01).collect();
        let at = |threshold: f64| {
            let above: Vec<f64> = largest.iter().map(|z| (z - threshold).max(0.0)).collect();
            out_of_reach(threshold, &above, &largest, 0.05).map(|warning| warning.message)
        };
        assert!(at(3.0).is_some_and(|told| told.contains("no relabelling has") && told.contains("above 1.99")));
        assert!(at(2.46).is_some_and(|told| told.contains("3.0 % of the relabellings have")));
        assert_eq!(at(2.0), None);
    }
}
