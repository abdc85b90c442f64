//! Whether graphs of several views agree more than graphs whose node names are permuted.
//!
//! How alike two views are is told here by the correlation of the square roots of their weights over all pairs of
//! nodes: the roots keep a few heavy edges from deciding alone. Permuting the nodes of one view keeps its weights and
//! degrees, and changes only which node is which. Under all permutations (Mantel 1967) the mean of Z = Σ_{a≠b} A_ab
//! B_ab is s1(A) s1(B) / n₂, and
//!
//! ```text
//! E Z² = 2 s2(A) s2(B) / n₂ + 4 t(A) t(B) / n₃ + u(A) u(B) / n₄,      n_k = n (n − 1) … (n − k + 1)
//! s1 = Σ A_ab    s2 = Σ A_ab²    s3 = Σ_a (Σ_b A_ab)²    t = s3 − s2    u = s1² − 4 s3 + 2 s2
//! ```
//!
//! (ordered pairs a ≠ b). The correlations of different pairs of views are uncorrelated under independent permutations,
//! so the variance of their mean is that of each, summed.

use crate::graph::{MultiviewGraph, is_edge};

/// Fewer standard deviations than this are chance.
pub(crate) const AGREES: f64 = 2.0;

/// No noise that was tried came near this, but for noise that is referenced to the mean of unequal nodes.
const CERTAIN: f64 = 6.0;

/// How far views agree beyond graphs whose node names are permuted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The mean correlation between the views' weights.
    pub similarity: f64,
    /// The mean correlation between their square roots, in standard deviations under permutation of the nodes.
    pub z: f64,
    /// What z would be if all views were equal: where even that is small, nothing can be told.
    pub most: f64,
    /// Whether it speaks against noise. It does not where nodes sum to 0, as an average reference makes them: unrelated nodes
    /// of unequal sizes are then correlated, the same ones in all views.
    pub may_decide: bool,
}

impl Agreement {
    /// The agreement of the views; none for a single one, or where no two have three nodes in common.
    ///
    /// ```
    /// use congraph::chance::Agreement;
    /// use congraph::simulate::{Settings, simulate};
    ///
    /// let truth = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?.truth;
    /// assert!(Agreement::of(&truth).unwrap().is_shared());
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn of(graph: &MultiviewGraph) -> Option<Self> {
        let similarity = graph.similarity()?;
        let graph = &graph.with_roots();
        let n_views = graph.n_views();
        let whole: Option<Vec<MantelSums>> = graph.membership().is_total().then(|| {
            (0..n_views)
                .map(|view| MantelSums::of(graph, view, &|_| true))
                .collect()
        });
        let (mut total, mut variance, mut count) = (0.0, 0.0, 0_usize);
        for i in 0..n_views {
            for j in 0..i {
                let common = |node: usize| graph.has(i, node) && graph.has(j, node);
                let (n, one, two) = match &whole {
                    Some(sums) => (graph.n_nodes(), sums[i], sums[j]),
                    None => (
                        (0..graph.n_nodes()).filter(|&node| common(node)).count(),
                        MantelSums::of(graph, i, &common),
                        MantelSums::of(graph, j, &common),
                    ),
                };
                if n < 3 {
                    continue;
                }
                total += graph.correlation(i, j);
                variance += one.variance(&two, n as f64);
                count += 1;
            }
        }
        if count == 0 {
            return None;
        }
        let deviation = variance.sqrt() / count as f64;
        let z = |value: f64| if deviation > 0.0 { value / deviation } else { 0.0 };
        Some(Self {
            similarity,
            z: z(total / count as f64),
            most: z(1.0),
            may_decide: true,
        })
    }

    /// Whether the views agree so well that they cannot be noise.
    pub fn is_certain(&self) -> bool {
        self.may_decide && self.z >= CERTAIN
    }

    /// Whether the views share structure, as far as that can be told.
    pub fn is_shared(&self) -> bool {
        self.z >= AGREES || self.most < AGREES
    }
}

/// The sums that Mantel's moments are made of, over ordered pairs.
#[derive(Clone, Copy)]
struct MantelSums {
    s1: f64,
    s2: f64,
    s3: f64,
}

impl MantelSums {
    /// Of one view, over the pairs whose nodes count.
    fn of(graph: &MultiviewGraph, view: usize, counts: &dyn Fn(usize) -> bool) -> Self {
        let mut strengths = vec![0.0; graph.n_nodes()];
        let mut s2 = 0.0;
        for (pair, weight) in graph.pairs().iter().zip(graph.weights().column(view)) {
            let ([a, b], weight) = (pair.map(|node| node as usize), weight.abs());
            if is_edge(weight) && counts(a) && counts(b) {
                strengths[a] += weight;
                strengths[b] += weight;
                s2 += 2.0 * weight * weight;
            }
        }
        Self {
            s1: strengths.iter().sum(),
            s2,
            s3: strengths.iter().map(|strength| strength * strength).sum(),
        }
    }

    /// The variance of the correlation with another view under permutation of n nodes.
    fn variance(&self, other: &Self, n: f64) -> f64 {
        let pairs = n * (n - 1.0);
        let spread = |sums: &Self| sums.s2 / pairs - (sums.s1 / pairs).powi(2);
        let (spread, others) = (spread(self), spread(other));
        // Graphs of equal weights everywhere are equal under every permutation.
        if spread <= 1e-14 * self.s2 / pairs || others <= 1e-14 * other.s2 / pairs {
            return 0.0;
        }
        let t = |sums: &Self| sums.s3 - sums.s2;
        let u = |sums: &Self| sums.s1 * sums.s1 - 4.0 * sums.s3 + 2.0 * sums.s2;
        let mut square = 2.0 * self.s2 * other.s2 / pairs + 4.0 * t(self) * t(other) / (pairs * (n - 2.0));
        if n > 3.0 {
            square += u(self) * u(other) / (pairs * (n - 2.0) * (n - 3.0));
        }
        let mean = self.s1 * other.s1 / pairs;
        let variance = (square - mean * mean).max(0.0);
        variance / (pairs * pairs * spread * others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::ViewMatrix;

    /// Two graphs on five nodes.
    fn graph() -> MultiviewGraph {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        MultiviewGraph::new(
            names(&["a", "b", "c", "d", "e"]),
            names(&["x", "y"]),
            &[[0, 1], [0, 2], [1, 2], [2, 3], [3, 4]],
            &ViewMatrix::from_values(2, vec![1.0, 0.5, 2.0, 0.0, 0.0, 0.3, 1.5, 2.0, 0.0, 1.0]),
            None,
        )
    }

    #[test]
    fn the_variance_is_that_over_all_permutations() {
        let weighted = graph();
        let graph = weighted.with_roots();
        let (x, y) = (graph.adjacency(0), graph.adjacency(1));
        let entries = || (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|(a, b)| a != b);
        let moments = |m: &[f64]| {
            let mean = entries().map(|(a, b)| m[a * 5 + b]).sum::<f64>() / 20.0;
            let spread = entries().map(|(a, b)| (m[a * 5 + b] - mean).powi(2)).sum::<f64>() / 20.0;
            (mean, spread.sqrt())
        };
        let ((mean_x, spread_x), (mean_y, spread_y)) = (moments(&x), moments(&y));
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for code in 0..5_usize.pow(5) {
            let order: Vec<usize> = (0..5).map(|k| code / 5_usize.pow(k) % 5).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted != [0, 1, 2, 3, 4] {
                continue;
            }
            let covariance = entries()
                .map(|(a, b)| (x[a * 5 + b] - mean_x) * (y[order[a] * 5 + order[b]] - mean_y))
                .sum::<f64>();
            let r = covariance / 20.0 / (spread_x * spread_y);
            sum += r;
            squares += r * r;
            count += 1.0;
        }
        assert_eq!(count, 120.0);
        assert!((sum / count).abs() < 1e-12);
        let found = Agreement::of(&weighted).unwrap();
        assert!((graph.correlation(0, 1) / found.z - (squares / count).sqrt()).abs() < 1e-12);
        assert_eq!(Some(found.similarity), weighted.similarity());
    }

    #[test]
    fn too_few_nodes_tell_nothing() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let of = |nodes: &[&str]| {
            let weights = ViewMatrix::from_values(2, vec![1.0, 1.0]);
            Agreement::of(&MultiviewGraph::new(
                names(nodes),
                names(&["x", "y"]),
                &[[0, 1]],
                &weights,
                None,
            ))
        };
        assert_eq!(of(&["a", "b"]), None);
        // One edge of three, the same in both: chance would do that one time in three.
        assert!(of(&["a", "b", "c"]).unwrap().is_shared());
    }
}
