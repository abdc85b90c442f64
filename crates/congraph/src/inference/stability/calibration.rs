//! From "in this share of the halves" to "comes back in new data with this probability".
//!
//! Frequencies in halves of a half are compared with what the other half then shows: the share of edges that come back
//! is regressed on the frequency, increasing (pool adjacent violators). Nothing but the data themselves is used, so that
//! it holds for these data: views' frequencies are too high by 0.1, the consensus' hardly. What is then said of the whole,
//! which has twice the samples, is the matter of `extrapolation`.

use super::extrapolation;

/// How often edges were in halves of a half, and how often they came back in the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Of each number of halves that had an edge: how many such edges there were, and how many came back.
    pub counts: Vec<[u64; 2]>,
}

impl Histogram {
    pub(super) fn add(&mut self, n_halves: usize, came_back: bool) {
        if self.counts.len() <= n_halves {
            self.counts.resize(n_halves + 1, [0; 2]);
        }
        self.counts[n_halves][0] += 1;
        self.counts[n_halves][1] += u64::from(came_back);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), [0; 2]);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            mine[0] += theirs[0];
            mine[1] += theirs[1];
        }
    }
}

/// One place of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The frequency.
    pub frequency: f64,
    /// How many edges had it.
    pub n_edges: u64,
    /// The share of them that came back.
    pub came_back: f64,
    /// What is said of an edge with this frequency in halves of the whole.
    pub replicates: f64,
}

/// The probability to come back as a function of the frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its places in increasing order; in between it is straight, and 0 at 0.
    pub points: Vec<CurvePoint>,
    /// What is said of each number of halves of the whole; nothing before [`Curve::of_whole`].
    said: Vec<f64>,
}

impl Curve {
    /// The curve of a histogram over this many halves; none without any edge.
    pub(super) fn of(histogram: &Histogram, n_halves: usize) -> Option<Self> {
        let found = histogram.counts.iter().enumerate();
        let found: Vec<(usize, [u64; 2])> = found.filter(|(_, [n, _])| *n > 0).map(|(k, &n)| (k, n)).collect();
        let shares: Vec<f64> = found.iter().map(|(_, [n, back])| *back as f64 / *n as f64).collect();
        let weights: Vec<f64> = found.iter().map(|(_, [n, _])| *n as f64).collect();
        let fitted = increasing(&shares, &weights);
        let point = |(k, &(count, [n_edges, _])): (usize, &(usize, [u64; 2]))| CurvePoint {
            frequency: count as f64 / n_halves as f64,
            n_edges,
            came_back: shares[k],
            replicates: fitted[k],
        };
        let points: Vec<CurvePoint> = found.iter().enumerate().map(point).collect();
        (!points.is_empty()).then_some(Self {
            points,
            said: Vec::new(),
        })
    }

    /// The same for the whole: of pairs of which so many halves had each, where the fit has so many edges, of the views or of
    /// the consensus.
    pub(super) fn of_whole(mut self, counts: &[u64], n_edges: usize, of_views: bool) -> Self {
        let n_halves = counts.len() - 1;
        let nested: Vec<f64> = (0..=n_halves).map(|k| self.at(k as f64 / n_halves as f64)).collect();
        self.said = extrapolation::of_whole(&nested, counts, n_edges, of_views);
        let places: Vec<f64> = self.points.iter().map(|point| self.at(point.frequency)).collect();
        let points = self.points.iter_mut().zip(places);
        points.for_each(|(point, said)| point.replicates = said);
        self
    }

    /// The probability to come back at a frequency.
    pub fn at(&self, frequency: f64) -> f64 {
        if let Some(last) = self.said.len().checked_sub(1) {
            let place = frequency.clamp(0.0, 1.0) * last as f64;
            let low = (place.floor() as usize).min(last.saturating_sub(1));
            let share = place - low as f64;
            let high = self.said[(low + 1).min(last)];
            return self.said[low] + share * (high - self.said[low]);
        }
        let (mut x, mut y) = (0.0, 0.0);
        for point in &self.points {
            if frequency <= point.frequency {
                let share = (frequency - x) / (point.frequency - x);
                return y + share * (point.replicates - y);
            }
            (x, y) = (point.frequency, point.replicates);
        }
        y
    }
}

/// The increasing sequence nearest to `values` in the weighted squares: pool adjacent violators.
pub fn increasing(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Heaps of places that share a value: its sum of weighted values, of weights, and its length.
    let mut heaps: Vec<(f64, f64, usize)> = Vec::with_capacity(values.len());
    for (&value, &weight) in values.iter().zip(weights) {
        let mut heap = (value * weight, weight, 1);
        while let Some(&(sum, size, length)) = heaps.last() {
            // The one before is not larger: both stay.
            if sum * heap.1 <= heap.0 * size {
                break;
            }
            heaps.pop();
            heap = (heap.0 + sum, heap.1 + size, heap.2 + length);
        }
        heaps.push(heap);
    }
    let spread = |&(sum, size, length): &(f64, f64, usize)| std::iter::repeat_n(sum / size, length);
    heaps.iter().flat_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// max over i ≤ k of min over j ≥ k of the mean of i..=j: the definition.
    fn naive(values: &[f64], weights: &[f64]) -> Vec<f64> {
        let mean = |i: usize, j: usize| {
            let sum: f64 = (i..=j).map(|k| values[k] * weights[k]).sum();
            sum / weights[i..=j].iter().sum::<f64>()
        };
        let at = |k: usize| {
            let least = |i: usize| (k..values.len()).map(|j| mean(i, j)).fold(f64::INFINITY, f64::min);
            (0..=k).map(least).fold(f64::NEG_INFINITY, f64::max)
        };
        (0..values.len()).map(at).collect()
    }

    #[test]
    fn pooling_is_the_largest_of_the_least_means() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..300 {
            let n = rng.random_range(1..20);
            let values: Vec<f64> = (0..n).map(|_| rng.random_range(0.0..1.0)).collect();
            let weights: Vec<f64> = (0..n).map(|_| rng.random_range(0.1..10.0)).collect();
            let (fast, slow) = (increasing(&values, &weights), naive(&values, &weights));
            assert!(fast.is_sorted());
            for (fast, slow) in fast.iter().zip(slow) {
                assert!((fast - slow).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_curve_goes_through_its_points_and_is_straight_between() {
        let mut histogram = Histogram::default();
        for (n_halves, n, back) in [(5, 10, 2), (10, 10, 6), (20, 100, 99)] {
            (0..n).for_each(|k| histogram.add(n_halves, k < back));
        }
        let curve = Curve::of(&histogram, 20).unwrap();
        for (frequency, expected) in [(0.0, 0.0), (0.25, 0.2), (0.375, 0.4), (0.5, 0.6), (1.0, 0.99)] {
            assert!((curve.at(frequency) - expected).abs() < 1e-12, "{frequency}");
        }
        assert_eq!(Curve::of(&Histogram::default(), 20), None);
    }
}
