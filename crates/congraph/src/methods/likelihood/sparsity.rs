//! Which weights are edges: a threshold that all views and the consensus share.
//!
//! W ≥ 0 makes most weights zero, and leaves small ones that are noise. On the scale of √W these and the true ones are
//! two heaps. Two normal distributions are fitted to them, and a weight is an edge where it more likely belongs to the
//! upper one. Where the heaps run into each other, so that the two distributions have no valley between them, they say
//! little, and Otsu's threshold parts them: the one that makes the variance between the heaps largest.
//!
//! Otsu's parts one heap as well. With very many samples hardly any noise is left, and all that there is are edges: so what
//! stands out by several standard errors is kept in any case where there is no valley.

use super::problem::Point;

/// How many edges are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Sparsity {
    /// Between the two heaps of √|W|.
    #[default]
    Automatic,
    /// The strongest weights, such that the views have this density on average.
    Density(f64),
    /// As many as that, and of the thresholds that keep so many the one nearest to another fit's: from the same data the same
    /// graphs.
    Like {
        /// The density of that fit's weights above the threshold.
        density: f64,
        /// Its threshold.
        threshold: f64,
    },
    /// Weights above this, such as the threshold of another fit.
    Above(f64),
    /// All that are not zero.
    All,
    /// None: the data say nothing of any edge.
    Empty,
}

/// The threshold above which a weight is an edge. `shares` holds what an edge adds to the mean density, view by view.
/// `error` tells the standard error of a weight of noise.
pub(super) fn threshold(point: &Point, sparsity: Sparsity, shares: &[f64], error: impl Fn() -> f64) -> f64 {
    match sparsity {
        Sparsity::Automatic => automatic(point, error),
        Sparsity::Density(density) => between(around_density(point, density, shares)),
        Sparsity::Like { density, threshold } => {
            let [above, below] = around_density(point, density, shares);
            if threshold < above {
                threshold.max(below)
            } else {
                between([above, below])
            }
        }
        Sparsity::Above(threshold) => threshold,
        Sparsity::All => 0.0,
        Sparsity::Empty => f64::INFINITY,
    }
}

/// Weights of so many standard errors are no noise, of however many pairs.
const SURE: f64 = 5.0;

/// Between noise and edges, on the scale of the roots.
fn automatic(point: &Point, error: impl Fn() -> f64) -> f64 {
    let mut roots: Vec<f64> = point
        .weights
        .values()
        .iter()
        .filter(|&&weight| weight != 0.0)
        .map(|weight| weight.abs().sqrt())
        .collect();
    roots.sort_unstable_by(f64::total_cmp);
    let otsu = otsu(&roots);
    let root = Heaps::new(&roots, otsu).and_then(|heaps| heaps.boundary());
    root.unwrap_or_else(|| otsu.min((SURE * error()).sqrt())).powi(2)
}

/// Otsu's threshold of sorted roots: halfway between the two heaps' nearest.
fn otsu(roots: &[f64]) -> f64 {
    let (n, total) = (roots.len() as f64, roots.iter().sum::<f64>());
    let (mut best, mut found, mut below) = (0.0, 0.0, 0.0);
    for k in 1..roots.len() {
        below += roots[k - 1];
        if roots[k] == roots[k - 1] {
            continue;
        }
        let (few, many) = (k as f64, n - k as f64);
        let between = few * many * (below / few - (total - below) / many).powi(2);
        if between > best {
            (best, found) = (between, 0.5 * (roots[k - 1] + roots[k]));
        }
    }
    found
}

/// Fewer weights than these tell nothing of two distributions.
const FEW: usize = 50;

/// The distributions are fitted to a histogram: finer bins change nothing.
const BINS: usize = 512;

/// The most steps of the fit. Heaps that part well need about 30, those that hardly do some hundred.
const STEPS: usize = 1000;

/// A valley is where the density falls to this share of the lower of the two peaks.
const VALLEY: f64 = 0.9;

/// A normal distribution and its share of all.
#[derive(Clone, Copy)]
struct Heap {
    share: f64,
    mean: f64,
    deviation: f64,
}

impl Heap {
    /// Of counted, added and squared values.
    fn of([count, sum, squares]: [f64; 3], total: f64) -> Self {
        let mean = sum / count;
        Self {
            share: count / total,
            mean,
            deviation: (squares / count - mean * mean).max(0.0).sqrt(),
        }
    }

    fn log_density(&self, x: f64) -> f64 {
        self.share.ln() - self.deviation.ln() - 0.5 * ((x - self.mean) / self.deviation).powi(2)
    }
}

/// A mixture of two normal distributions.
struct Heaps([Heap; 2]);

impl Heaps {
    /// The most likely ones, from those that a threshold parts. None where a heap has no width.
    fn new(roots: &[f64], threshold: f64) -> Option<Self> {
        let (&first, &last) = (roots.first()?, roots.last()?);
        if roots.len() < FEW || first == last {
            return None;
        }
        // Count, sum and sum of squares of each bin.
        let mut bins = vec![[0.0; 3]; BINS];
        let mut parted = [[0.0; 3]; 2];
        for &x in roots {
            let bin = ((x - first) / (last - first) * BINS as f64) as usize;
            for sums in [&mut bins[bin.min(BINS - 1)], &mut parted[usize::from(x > threshold)]] {
                [1.0, x, x * x].iter().zip(sums).for_each(|(value, sum)| *sum += value);
            }
        }
        bins.retain(|bin| bin[0] > 0.0);
        let total = roots.len() as f64;
        let least = 1e-6 * (last - first);
        let mut heaps = parted.map(|sums| Heap::of(sums, total));
        for _ in 0..STEPS {
            if heaps.iter().any(|heap| !(heap.deviation > least && heap.share > 0.0)) {
                return None;
            }
            let [noise, edges] = heaps;
            let mut sums = [[0.0; 3]; 2];
            for bin in &bins {
                let x = bin[1] / bin[0];
                let upper = 1.0 / (1.0 + (noise.log_density(x) - edges.log_density(x)).exp());
                for k in 0..3 {
                    sums[0][k] += (1.0 - upper) * bin[k];
                    sums[1][k] += upper * bin[k];
                }
            }
            heaps = sums.map(|sums| Heap::of(sums, total));
            let moved = (heaps[0].mean - noise.mean).abs() + (heaps[1].mean - edges.mean).abs();
            if moved < least {
                break;
            }
        }
        Some(Self(heaps))
    }

    /// Where a value belongs as likely to the one as to the other, if there is a valley between the two.
    fn boundary(&self) -> Option<f64> {
        let [noise, edges] = self.0;
        let density = |x: f64| noise.log_density(x).exp() + edges.log_density(x).exp();
        let between = |k: usize| noise.mean + (edges.mean - noise.mean) * k as f64 / BINS as f64;
        let lowest = (0..=BINS).map(|k| density(between(k))).fold(f64::INFINITY, f64::min);
        let peak = density(noise.mean).min(density(edges.mean));
        let is_edge = |x: f64| edges.log_density(x) > noise.log_density(x);
        if lowest > VALLEY * peak || is_edge(noise.mean) || !is_edge(edges.mean) {
            return None;
        }
        let (mut low, mut high) = (noise.mean, edges.mean);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if is_edge(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(0.5 * (low + high))
    }
}

/// The weakest weight that is kept and the strongest that is not, where the views have this density on average: infinite where
/// none is kept, and 0 where all are.
fn around_density(point: &Point, density: f64, shares: &[f64]) -> [f64; 2] {
    let rows = point.weights.rows();
    let mut sizes: Vec<(f64, f64)> = rows
        .flat_map(|row| row.iter().map(|weight| weight.abs()).zip(shares.iter().copied()))
        .filter(|&(size, _)| size > 0.0)
        .collect();
    sizes.sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
    let (mut reached, weakest) = (0.0, sizes.last().map_or(0.0, |&(size, _)| size));
    for (k, &(size, share)) in sizes.iter().enumerate() {
        // Nearer to what is asked without this one.
        if reached + 0.5 * share > density {
            let above = if k == 0 { f64::INFINITY } else { sizes[k - 1].0 };
            return [above, size];
        }
        reached += share;
    }
    [weakest, 0.0]
}

/// Halfway, or 0 where every weight is kept.
fn between([above, below]: [f64; 2]) -> f64 {
    if below == 0.0 { 0.0 } else { 0.5 * (above + below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A normal distribution's quantiles by its logistic approximation: two heaps without any chance in them.
    fn heap(mean: f64, deviation: f64, n: usize) -> impl Iterator<Item = f64> {
        (0..n).map(move |k| {
            let u = (k as f64 + 0.5) / n as f64;
            mean + deviation * (u / (1.0 - u)).ln() / 1.702
        })
    }

    fn sorted(heaps: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut roots: Vec<f64> = heaps.collect();
        roots.sort_unstable_by(f64::total_cmp);
        roots
    }

    #[test]
    fn a_wide_heap_of_edges_begins_below_otsus_threshold() {
        let roots = sorted(heap(1.0, 0.1, 1000).chain(heap(3.0, 0.6, 1000)));
        let boundary = Heaps::new(&roots, otsu(&roots)).and_then(|heaps| heaps.boundary());
        // 1/0.1 exp(−½((x − 1)/0.1)²) = 1/0.6 exp(−½((x − 3)/0.6)²) near 1.37.
        let boundary = boundary.expect("there is a valley");
        assert!((1.3..1.5).contains(&boundary), "{boundary}");
        assert!(otsu(&roots) > 1.6);
    }

    #[test]
    fn heaps_without_a_valley_are_parted_by_otsu() {
        let roots = sorted(heap(1.0, 0.5, 1000).chain(heap(1.8, 0.5, 1000)));
        assert!(
            Heaps::new(&roots, otsu(&roots))
                .and_then(|heaps| heaps.boundary())
                .is_none()
        );
    }

    #[test]
    fn few_or_equal_weights_have_no_heaps() {
        assert!(Heaps::new(&[], 0.0).is_none());
        assert!(Heaps::new(&[1.0; 100], 0.0).is_none());
        assert!(Heaps::new(&[0.1, 0.9], 0.5).is_none());
        let two = [vec![0.1; 100], vec![0.9; 100]].concat();
        assert!(Heaps::new(&two, 0.5).is_none());
        assert_eq!(otsu(&two), 0.5);
    }
}
