//! How much each node varies compared with the others: its strength should not depend on it.

use crate::views::{Kind, Views};

/// The variance of each node over the mean variance of its view: geometric mean over the views, whose units then do not
/// matter. None unless the views hold signals. Every member of a team that holds them asks.
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
    let of_view = |view: usize| {
        let signals = (0..views.n_nodes()).map(|node| views.view(view).node(node));
        signals.map(variance).collect::<Vec<f64>>()
    };
    for variances in views.ask(of_view) {
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
}
