//! Does what should not matter matter? Rank correlations of strength with variance, and of a view's distance from the group with its samples.

use serde::Serialize;

use super::known::Known;
use super::views::ViewFinding;
use crate::views::{Kind, Views};

/// The fewest points of which a rank correlation is told.
const ENOUGH: usize = 5;

/// One quantity against another that should have nothing to do with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Influence {
    /// What each point is: `node` or `view`.
    pub of: &'static str,
    /// What is to the right.
    pub across: &'static str,
    /// What is up.
    pub up: &'static str,
    /// The points, in the order of the nodes or views.
    pub points: Vec<[f64; 2]>,
    /// Spearman's rank correlation; none of too few points, or where one of the two does not vary.
    pub correlation: Option<f64>,
}

pub(super) fn influences(known: &Known, strengths: &[f64], views: &[ViewFinding]) -> Vec<Influence> {
    let mut found = Vec::new();
    if let Some(variances) = &known.variances {
        let points = variances.iter().zip(strengths).map(|(&x, &y)| [x, y]).collect();
        found.push(influence("node", "relative variance", "strength", points));
    }
    let samples: Option<Vec<usize>> = views.iter().map(|view| view.n_samples).collect();
    let Some(samples) = samples.filter(|samples| samples.iter().any(|n| *n != samples[0])) else {
        return found;
    };
    let against = |up, value: fn(&ViewFinding) -> Option<f64>| {
        let values: Option<Vec<f64>> = views.iter().map(value).collect();
        let points = samples.iter().zip(values?).map(|(&n, y)| [n as f64, y]).collect();
        Some(influence("view", "samples", up, points))
    };
    found.extend(against("uniqueness", |view| view.uniqueness));
    found.extend(against("density", |view| Some(view.density)));
    found
}

/// The variance of each node over the mean variance of its view: geometric mean over the views, whose units then do not matter. None
/// unless the views hold signals.
pub fn relative_variances(views: &Views) -> Option<Vec<f64>> {
    if views.kind() != Kind::Signals {
        return None;
    }
    let variance = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n
    };
    let (mut logarithms, mut counts) = (vec![0.0; views.n_nodes()], vec![0_usize; views.n_nodes()]);
    for view in views.iter() {
        let variances: Vec<f64> = (0..views.n_nodes()).map(|node| variance(view.node(node))).collect();
        // A node that a view lacks, or that does not vary, says nothing.
        let there = || {
            variances
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_finite() && **value > 0.0)
        };
        let mean = there().map(|(_, value)| value).sum::<f64>() / there().count() as f64;
        for (node, value) in there() {
            logarithms[node] += (value / mean).ln();
            counts[node] += 1;
        }
    }
    let geometric = |(sum, &n): (&f64, &usize)| if n > 0 { (sum / n as f64).exp() } else { 0.0 };
    Some(logarithms.iter().zip(&counts).map(geometric).collect())
}

fn influence(of: &'static str, across: &'static str, up: &'static str, points: Vec<[f64; 2]>) -> Influence {
    let ranks = [0, 1].map(|axis| ranks(&points.iter().map(|at| at[axis]).collect::<Vec<_>>()));
    let varies = |ranks: &[f64]| ranks.iter().any(|rank| *rank != ranks[0]);
    let enough = points.len() >= ENOUGH && ranks.iter().all(|ranks| varies(ranks));
    let pairs = ranks[0].iter().copied().zip(ranks[1].iter().copied());
    Influence {
        of,
        across,
        up,
        correlation: enough.then(|| crate::graph::pearson(pairs, points.len())),
        points,
    }
}

/// Ranks from 1; equal values have the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    for tied in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let first = order.iter().position(|&k| k == tied[0]).unwrap_or(0) as f64;
        let mean = first + 0.5 * (tied.len() + 1) as f64;
        tied.iter().for_each(|&k| ranks[k] = mean);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_are_relative_to_those_of_their_view() {
        use crate::{Table, ViewOptions};
        // The second view is the first in another unit; no whole numbers, which would look like counts.
        let signals: Vec<f64> = (0..24)
            .map(|k| f64::from(k % 3 + 1) * f64::from(k * k % 7) + 0.25)
            .collect();
        let table = |name: &str, unit: f64| Table::new(name, 3, signals.iter().map(|x| unit * x).collect());
        let (one, _) = Views::assemble(vec![table("a", 1.0)], &ViewOptions::default()).unwrap();
        let (two, _) = Views::assemble(vec![table("a", 1.0), table("b", 1e6)], &ViewOptions::default()).unwrap();
        let (one, two) = (relative_variances(&one).unwrap(), relative_variances(&two).unwrap());
        assert!((one.iter().sum::<f64>() - 3.0).abs() < 1e-12, "{one:?}");
        assert!(
            one.iter().zip(&two).all(|(x, y)| (x - y).abs() < 1e-12),
            "{one:?} {two:?}"
        );
    }

    #[test]
    fn ranks_share_ties() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn any_increasing_relation_correlates_fully() {
        let points = (1..9).map(|k| [f64::from(k), f64::from(k).exp()]).collect();
        let found = influence("node", "x", "y", points);
        assert!((found.correlation.unwrap() - 1.0).abs() < 1e-12);
        let flat = (1..9).map(|k| [f64::from(k), 2.0]).collect();
        assert_eq!(influence("node", "x", "y", flat).correlation, None);
    }
}
