//! First guesses of α and β from the data, each within a small factor of what is looked for.

use crate::distances::Distances;
use crate::fit::Fit;

/// The α at which the views' graphs have about this density, if all degrees were the same.
///
/// Then W_e = max(0, θ − D_e/κ), and the k shortest pairs are present once κ n = Σ_{j ≤ k} (D_k − D_j).
pub(super) fn alpha(distances: &Distances, density: f64) -> f64 {
    let values = distances.values();
    let membership = distances.membership();
    let mut logarithms = 0.0;
    for view in 0..values.n_views() {
        let n = membership.n_nodes_of(view);
        let wanted = (density * (n * (n - 1) / 2) as f64).ceil() as usize;
        let own = |distance: &f64| membership.is_total() || *distance < f64::INFINITY;
        let mut column: Vec<f64> = values.column(view).filter(own).collect();
        let last = wanted.clamp(2, column.len().max(2)).min(column.len()) - 1;
        let (shorter, &mut longest, _) = column.select_nth_unstable_by(last, f64::total_cmp);
        // Their order is not defined, and a sum depends on it.
        shorter.sort_unstable_by(f64::total_cmp);
        let excess: f64 = shorter.iter().map(|d| longest - d).sum();
        // Two nodes have one distance: every α gives the same graph, and one of the data's size is as good as any.
        let excess = if excess > 0.0 { excess } else { longest };
        logarithms += (0.25 * excess / n as f64).max(f64::MIN_POSITIVE).ln();
    }
    (logarithms / values.n_views() as f64).exp()
}

/// Between which α everything happens: from a single edge to the complete graph.
pub(super) fn alpha_limits(distances: &Distances) -> [f64; 2] {
    let values = distances.values().values();
    let (least, most) = values
        .iter()
        .filter(|d| **d < f64::INFINITY)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &d| {
            (least.min(d), most.max(d))
        });
    let n = distances.edges().n_nodes() as f64;
    let spread = if most > least {
        most - least
    } else {
        most.abs().max(1.0)
    };
    [1e-9 * spread / n, 1e2 * spread * n]
}

/// How far the views' costs of an edge lie apart, on average over the edges that some view of a separate fit has: a β
/// of this size joins what differs by chance.
pub(super) fn spread(fit: &Fit) -> f64 {
    let (distances, multipliers) = (&fit.solution.distances, &fit.solution.multipliers);
    let (mut total, mut count) = (0.0, 0_usize);
    for &edge in fit.solution.weights.edges() {
        let (a, b) = distances.edges().ends(edge as usize);
        let ends = multipliers.row(a).iter().zip(multipliers.row(b));
        let row = distances.values().row(edge as usize);
        let costs = || {
            row.iter()
                .zip(ends.clone())
                .map(|(d, (x, y))| d + x + y)
                .filter(|cost| *cost < f64::INFINITY)
        };
        let n_views = costs().count().max(1) as f64;
        let mean = costs().sum::<f64>() / n_views;
        total += (costs().map(|cost| (cost - mean).powi(2)).sum::<f64>() / n_views).sqrt();
        count += 1;
    }
    total / count.max(1) as f64
}
