//! Which weights are edges: a threshold that all views and the consensus share.
//!
//! W ≥ 0 makes most weights zero, and leaves small ones that are noise. On the scale of √W these and the true ones are
//! two heaps, and Otsu's threshold parts them: the one that makes the variance between the heaps largest.

use super::problem::Point;

/// How many edges are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Sparsity {
    /// Otsu's threshold on √|W|.
    #[default]
    Automatic,
    /// The strongest weights, such that the views have this density on average.
    Density(f64),
    /// Weights above this, such as the threshold of another fit.
    Above(f64),
    /// All that are not zero.
    All,
    /// None: the data say nothing of any edge.
    Empty,
}

/// The threshold above which a weight is an edge. `shares` holds what an edge adds to the mean density, view by view.
pub(super) fn threshold(point: &Point, sparsity: Sparsity, shares: &[f64]) -> f64 {
    match sparsity {
        Sparsity::Automatic => otsu(point),
        Sparsity::Density(density) => of_density(point, density, shares),
        Sparsity::Above(threshold) => threshold,
        Sparsity::All => 0.0,
        Sparsity::Empty => f64::INFINITY,
    }
}

/// Otsu's threshold: halfway between the two heaps' nearest weights, on the scale of the roots.
fn otsu(point: &Point) -> f64 {
    let mut roots: Vec<f64> = point
        .weights
        .values()
        .iter()
        .filter(|&&weight| weight != 0.0)
        .map(|weight| weight.abs().sqrt())
        .collect();
    roots.sort_unstable_by(f64::total_cmp);
    let (n, total) = (roots.len() as f64, roots.iter().sum::<f64>());
    let (mut best, mut found, mut below) = (0.0, None, 0.0);
    for k in 1..roots.len() {
        below += roots[k - 1];
        if roots[k] == roots[k - 1] {
            continue;
        }
        let (few, many) = (k as f64, n - k as f64);
        let between = few * many * (below / few - (total - below) / many).powi(2);
        if between > best {
            (best, found) = (between, Some(0.5 * (roots[k - 1] + roots[k])));
        }
    }
    found.map_or(0.0, |root| root * root)
}

/// The threshold at which the views' mean density is as near as can be. `shares` holds what an edge adds to the mean
/// density, view by view.
fn of_density(point: &Point, density: f64, shares: &[f64]) -> f64 {
    let rows = point.weights.rows();
    let mut sizes: Vec<(f64, f64)> = rows
        .flat_map(|row| row.iter().map(|weight| weight.abs()).zip(shares.iter().copied()))
        .filter(|&(size, _)| size > 0.0)
        .collect();
    sizes.sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
    let mut reached = 0.0;
    for (k, &(size, share)) in sizes.iter().enumerate() {
        // Nearer to what is asked without this one.
        if reached + 0.5 * share > density {
            return if k == 0 {
                f64::INFINITY
            } else {
                0.5 * (size + sizes[k - 1].0)
            };
        }
        reached += share;
    }
    0.0
}
