//! Does what should not matter matter? Rank correlations of strength with variance, and of a view's distance from the
//! group with its samples.

use congraph::pearson;
use serde::Serialize;

use super::known::Known;
use super::views::ViewFinding;

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

fn influence(of: &'static str, across: &'static str, up: &'static str, points: Vec<[f64; 2]>) -> Influence {
    let ranks = [0, 1].map(|axis| ranks(&points.iter().map(|at| at[axis]).collect::<Vec<_>>()));
    let varies = |ranks: &[f64]| ranks.iter().any(|rank| *rank != ranks[0]);
    let enough = points.len() >= ENOUGH && ranks.iter().all(|ranks| varies(ranks));
    let pairs = ranks[0].iter().copied().zip(ranks[1].iter().copied());
    Influence {
        of,
        across,
        up,
        correlation: enough.then(|| pearson(pairs, points.len())),
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
