//! Correlations of signals in a row of samples, and their moments when each node's samples are permuted.
//!
//! Unrelated autocorrelated signals are still correlated, and the more so the fewer samples there are. So each signal
//! is first regressed on its own last two values (two independent random walks leave two rows of independent steps),
//! and the **residuals** are correlated. What was related remains so: signals that are mixed from sources of the same
//! autocorrelation leave residuals that are mixed alike.
//!
//! Permuting a node's residuals gives (Pitman 1937), with g the excess kurtosis by k-statistics,
//!
//! ```text
//! E r² = 1/(p − 1)        E r³ = m_a m_b / ((p − 1)(p − 2))
//!                         E r⁴ = 3/(p² − 1) · (1 + (p − 2)(p − 3)/(3p (p − 1)²) · g_a g_b)
//! ```
//!
//! with m the mean third power of the standardised values; of the sixth cumulant the leading term is taken, the product of
//! those of the values over p⁵.
//!
//! Two things that a permutation would destroy are put back by factors on E r² that are means over all nodes: the
//! autocorrelation that is left, 1 + 2 Σ_k (mean_a ρ_a(k)² − its value by chance), and a loudness that rises and falls
//! in all nodes at once, mean_ab of mean_t x_a² x_b².

use std::ops::Range;

use super::correlations::{Pairs, as_rare, is_enough};
use crate::parallel::kernels::row_products;
use crate::parallel::simd::{largest, sum, vectorised};
use crate::views::View;

/// A signal is regressed on so many of its own past values, if it has eight samples for each.
const ORDER: usize = 2;
const SAMPLES_PER_ORDER: usize = 8;
/// Autocorrelations of residuals are computed up to this lag.
const LAGS: usize = 12;
/// That many at a time; a divisor of all.
const AT_ONCE: usize = 4;
/// Residuals with more autocorrelation than this are not judged by themselves.
const MOST_LEFT: f64 = 1.5;
/// Residuals smaller than this share of the signal are rounding.
const ROUNDING: f64 = 1e-10;

/// Residuals with mean 0 and variance 1, one row for each node.
pub(super) struct SignalResiduals {
    n_samples: usize,
    rows: Vec<Option<Vec<f64>>>,
}

impl SignalResiduals {
    /// The residuals of chosen nodes, if there are enough samples; a past that lies in another of the `stretches` of samples
    /// is none.
    pub(super) fn of(view: &View, stretches: &[Range<usize>], nodes: &[usize], own: &[bool]) -> Option<Self> {
        let length = |stretch: &Range<usize>| stretch.len();
        let left_with = |order: usize| -> usize { stretches.iter().map(|s| s.len().saturating_sub(order)).sum() };
        let shortest = stretches.iter().map(length).min().unwrap_or(0);
        let mut order = ORDER.min(stretches.iter().map(length).sum::<usize>() / SAMPLES_PER_ORDER);
        if stretches.len() > 1 {
            // Short stretches would lose most of their samples to their past.
            order = order.min(shortest / SAMPLES_PER_ORDER);
        }
        if !is_enough(left_with(order)) {
            order = 0;
        }
        let n_samples = left_with(order);
        if !is_enough(n_samples) {
            return None;
        }
        let row = |(&node, &own): (&usize, &bool)| {
            own.then(|| {
                vectorised(
                    #[inline(always)]
                    || residuals(view.node(node), stretches, order),
                )
            })
            .flatten()
        };
        Some(Self {
            n_samples,
            rows: nodes.iter().zip(own).map(row).collect(),
        })
    }

    /// The correlations with their moments.
    pub(super) fn pairs(&self) -> Pairs {
        let p = self.n_samples as f64;
        let square = self.loudness() * self.autocorrelation() / (p - 1.0);
        let of_rows = |f: fn(&[f64]) -> f64| -> Vec<f64> {
            let rows = self.rows.iter();
            rows.map(|row| row.as_deref().map_or(0.0, f)).collect()
        };
        let (kurtoses, cubes, sixths) = (of_rows(kurtosis), of_rows(cube), of_rows(sixth_cumulant));
        let n = self.rows.len();
        let n_pairs = n * (n - 1) / 2;
        let mut pairs = Pairs {
            strongest: None,
            n_samples: p,
            r: products(&self.rows, self.n_samples),
            square: Vec::with_capacity(n_pairs),
            excess: Vec::with_capacity(n_pairs),
            higher: Vec::with_capacity(n_pairs),
        };
        pairs.r.iter_mut().for_each(|r| *r /= p);
        let gaussian = 3.0 * (p - 1.0) / (p + 1.0);
        let share = (p - 2.0) * (p - 3.0) / (3.0 * p * (p - 1.0).powi(2));
        // In units of the standard deviation of r.
        let share_of_cubes = (p - 1.0).sqrt() / (p - 2.0);
        for a in 0..n {
            for b in a + 1..n {
                let is_known = self.rows[a].is_some() && self.rows[b].is_some();
                let square = if is_known { square } else { 0.0 };
                let fourth = gaussian * (1.0 + share * kurtoses[a] * kurtoses[b]);
                pairs.square.push(square);
                pairs.excess.push(square * square * (fourth - 3.0));
                pairs.higher.push([
                    square.powf(1.5) * share_of_cubes * cubes[a] * cubes[b],
                    square.powi(3) * sixths[a] * sixths[b] / (p * p),
                ]);
            }
        }
        pairs
    }

    /// The strongest correlation in standard deviations, or that of its ranks if that is less: two outliers at the same
    /// time make a correlation of values, but not of ranks. `offsets` are what was taken off the
    /// correlations.
    pub(super) fn strongest(&self, pairs: &Pairs, offsets: &[f64]) -> Option<f64> {
        // The last of the largest.
        let most = largest(&pairs.r);
        let pair = pairs.r.iter().rposition(|r| r.abs() == most)?;
        let [a, b] = ends_of(self.rows.len(), pair);
        let square = pairs.square[pair];
        let p = self.n_samples as f64;
        let (one, two) = (self.rows[a].as_deref()?, self.rows[b].as_deref()?);
        let ranks = |row: &[f64]| standardised(&ranks(row));
        let (one_ranks, two_ranks) = (ranks(one)?, ranks(two)?);
        let by_ranks = dot(&one_ranks, &two_ranks) / p - offsets[pair];
        // What was taken off leaves correlations between −1 and 1.
        let scaled = |r: f64| r / (1.0 - offsets[pair] * r.signum());
        let freedom = (1.0 / square - 1.0).max(1.0);
        // Where both are skewed, as rare events are, a large correlation is not so rare.
        let deviate = |r: f64, [x, y]: [&[f64]; 2]| {
            as_rare(
                deviate_of(scaled(r), freedom),
                r.signum() * cube(x) * cube(y) * (p - 1.0).sqrt() / (p - 2.0),
            )
        };
        let of_values = deviate(pairs.r[pair], [one, two]);
        Some(of_values.min(deviate(by_ranks, [&one_ranks, &two_ranks])))
    }

    /// Whether hardly any autocorrelation is left: of narrow bands two past values tell little.
    pub(super) fn are_freed(&self) -> bool {
        self.autocorrelation() <= MOST_LEFT
    }

    /// By how much the autocorrelation that is left raises E r².
    fn autocorrelation(&self) -> f64 {
        let p = self.n_samples;
        let n_lags = LAGS.min(p / 4);
        let mut squares = [0.0; LAGS];
        let mut n_rows = 0;
        for row in self.rows.iter().flatten() {
            n_rows += 1;
            for (first, squares) in (0..n_lags).step_by(AT_ONCE).zip(squares.as_chunks_mut::<AT_ONCE>().0) {
                for (square, product) in squares.iter_mut().zip(lagged_products(row, first + 1)) {
                    *square += (product / p as f64).powi(2);
                }
            }
        }
        let excess = |lag: usize| {
            let mean = squares[lag - 1] / n_rows.max(1) as f64;
            (mean - (1.0 - lag as f64 / p as f64) / p as f64).max(0.0)
        };
        1.0 + 2.0 * (1..=n_lags).map(excess).sum::<f64>()
    }

    /// By how much a loudness that all nodes share raises E r².
    fn loudness(&self) -> f64 {
        let rows: Vec<&Vec<f64>> = self.rows.iter().flatten().collect();
        let n_pairs = rows.len() * rows.len().saturating_sub(1) / 2;
        let (mut sums, mut fourths) = (vec![0.0; self.n_samples], vec![0.0; self.n_samples]);
        vectorised(
            #[inline(always)]
            || {
                for row in &rows {
                    for ((sum, fourth), x) in sums.iter_mut().zip(&mut fourths).zip(row.iter()) {
                        let square = x * x;
                        *sum += square;
                        *fourth += square * square;
                    }
                }
            },
        );
        let total: f64 = sums
            .iter()
            .zip(&fourths)
            .map(|(sum, fourth)| 0.5 * (sum * sum - fourth))
            .sum();
        (total / (n_pairs.max(1) * self.n_samples) as f64).max(1.0)
    }
}

/// The standard normal deviate that is as rare as a correlation of this size: that of Student's t (Wallace 1959), which holds
/// far out and of few samples, too.
fn deviate_of(r: f64, freedom: f64) -> f64 {
    let square = (r * r).min(1.0 - 1e-15);
    (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0) * (-freedom * (-square).ln_1p()).sqrt()
}

/// The nodes of a pair a < b of all.
fn ends_of(n: usize, mut pair: usize) -> [usize; 2] {
    let mut a = 0;
    while pair >= n - 1 - a {
        pair -= n - 1 - a;
        a += 1;
    }
    [a, a + 1 + pair]
}

/// What a signal's own past does not tell of it, with mean 0 and variance 1; none if it does not vary.
#[inline(always)]
fn residuals(signal: &[f64], stretches: &[Range<usize>], order: usize) -> Option<Vec<f64>> {
    let centred = standardised(signal)?;
    if stretches.len() == 1 {
        return freed(std::array::from_fn(|lag| lagged(&centred, order, lag)), order);
    }
    let joined: [Vec<f64>; 3] = std::array::from_fn(|lag| {
        let rows = stretches
            .iter()
            .map(|stretch| lagged(&centred[stretch.clone()], order, lag));
        rows.flatten().copied().collect()
    });
    freed(joined.each_ref().map(Vec::as_slice), order)
}

/// The samples so many before those that have a past of `order` samples.
#[inline(always)]
fn lagged(signal: &[f64], order: usize, lag: usize) -> &[f64] {
    let lag = lag.min(order);
    signal
        .get(order - lag..signal.len() - lag.min(signal.len()))
        .unwrap_or_default()
}

/// The first row freed of what the others tell of it.
#[inline(always)]
fn freed(lags: [&[f64]; 3], order: usize) -> Option<Vec<f64>> {
    let [now, one, two] = lags;
    let p = now.len();
    let Some((shares, means)) = past_shares(lags, order) else {
        return standardised(now);
    };
    let mut left: Vec<f64> = now.iter().map(|x| x - means[0]).collect();
    for ((left, x), y) in left.iter_mut().zip(one).zip(two) {
        *left -= shares[0] * (x - means[1]) + shares[1] * (y - means[2]);
    }
    if dot_inline(&left, &left) > ROUNDING * p as f64 {
        standardised(&left)
    } else {
        standardised(now)
    }
}

/// What each of the last two values tells of a value by least squares (0 if it is told by the other already), and the means
/// of all three; none without a past. One pass: variances are of order 1, so that sums of products lose nothing.
#[inline(always)]
fn past_shares(lags: [&[f64]; 3], order: usize) -> Option<([f64; 2], [f64; 3])> {
    let p = lags[0].len();
    let means = lags.map(|lag| sum(lag, |x| x) / p as f64);
    let product = |i: usize, j: usize| dot_inline(lags[i], lags[j]) - p as f64 * means[i] * means[j];
    let least = ROUNDING * p as f64;
    let own = product(1, 1);
    if order == 0 || own <= least {
        return (order > 0).then_some(([0.0; 2], means));
    }
    let first = product(0, 1) / own;
    let both = product(1, 2) / own;
    let rest = product(2, 2) - both * both * own;
    if order == 1 || rest <= least {
        return Some(([first, 0.0], means));
    }
    let second = (product(0, 2) - first * both * own) / rest;
    Some(([first - second * both, second], means))
}

/// Mean 0 and variance 1; none if it does not vary. Divided by the largest value first, so that nothing overflows.
#[inline(always)]
pub(super) fn standardised(row: &[f64]) -> Option<Vec<f64>> {
    let largest = largest(row);
    if largest == 0.0 {
        return None;
    }
    let mut centred: Vec<f64> = row.iter().map(|x| x / largest).collect();
    let mean = sum(&centred, |x| x) / row.len() as f64;
    centred.iter_mut().for_each(|x| *x -= mean);
    let deviation = (sum(&centred, |x| x * x) / row.len() as f64).sqrt();
    if deviation <= 0.0 {
        return None;
    }
    let inverse = 1.0 / deviation;
    centred.iter_mut().for_each(|x| *x *= inverse);
    Some(centred)
}

/// Fisher's g2 = k4 / k2² of a row with mean 0 and variance 1.
fn kurtosis(row: &[f64]) -> f64 {
    let p = row.len() as f64;
    let fourth = sum(row, |x| (x * x) * (x * x)) / p;
    (p - 1.0) / ((p - 2.0) * (p - 3.0)) * ((p + 1.0) * fourth - 3.0 * (p - 1.0))
}

/// The mean third power of a row with mean 0 and variance 1.
fn cube(row: &[f64]) -> f64 {
    sum(row, |x| x * x * x) / row.len() as f64
}

/// The sixth cumulant of a row with mean 0 and variance 1.
fn sixth_cumulant(row: &[f64]) -> f64 {
    let mean = |f: fn(f64) -> f64| sum(row, f) / row.len() as f64;
    let (third, fourth) = (mean(|x| x * x * x), mean(|x| (x * x) * (x * x)));
    mean(|x| (x * x) * (x * x) * (x * x)) - 15.0 * fourth - 10.0 * third * third + 30.0
}

/// The place of each value among all; equal ones share the mean of theirs, so that nodes that are mostly 0 do not agree on
/// the order of their zeros.
fn ranks(row: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|&one, &two| row[one].total_cmp(&row[two]));
    let mut ranks = vec![0.0; row.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&one, &two| row[one] == row[two]) {
        let mean = first as f64 + 0.5 * (equal.len() - 1) as f64;
        equal.iter().for_each(|&place| ranks[place] = mean);
        first += equal.len();
    }
    ranks
}

/// Rows that are multiplied with all after them at a time.
const STRIP: usize = 16;

/// Σ x_a x_b for all pairs a < b of rows of p samples; 0 where one is missing.
fn products(rows: &[Option<Vec<f64>>], p: usize) -> Vec<f64> {
    let n = rows.len();
    let mut products = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    let mut all = vec![0.0; n * p];
    for (row, out) in rows.iter().zip(all.chunks_exact_mut(p)) {
        if let Some(row) = row {
            out.copy_from_slice(row);
        }
    }
    let mut tile = Vec::new();
    for first in (0..n).step_by(STRIP) {
        let last = n.min(first + STRIP);
        let stride = n - first;
        tile.resize((last - first) * stride, 0.0);
        let (left, right) = (&all[first * p..last * p], &all[first * p..]);
        row_products(p, 0..p, [left, right], &mut tile, stride, false);
        for (a, row) in tile.chunks_exact(stride).enumerate() {
            products.extend_from_slice(&row[a + 1..]);
        }
    }
    products
}

/// Σ_t x_t x_(t + lag) of a few lags from the first on; 0 of those that are longer than the row.
fn lagged_products(row: &[f64], first: usize) -> [f64; AT_ONCE] {
    vectorised(
        #[inline(always)]
        || {
            let lagged: [&[f64]; AT_ONCE] = std::array::from_fn(|k| row.get(first + k..).unwrap_or_default());
            // Side by side, so that no sum waits for itself; what is left one by one.
            let n_chunks = lagged[AT_ONCE - 1].len() / LANES;
            let mut sums = [[0.0; LANES]; AT_ONCE];
            for (chunk, x) in row.as_chunks::<LANES>().0.iter().take(n_chunks).enumerate() {
                for (sums, lagged) in sums.iter_mut().zip(&lagged) {
                    let y = &lagged[chunk * LANES..(chunk + 1) * LANES];
                    for lane in 0..LANES {
                        sums[lane] += x[lane] * y[lane];
                    }
                }
            }
            std::array::from_fn(|k| {
                let (done, all) = (n_chunks * LANES, lagged[k].len());
                sums[k].iter().sum::<f64>() + dot_inline(&row[done..all], &lagged[k][done..])
            })
        },
    )
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || dot_inline(one, other),
    )
}

/// Running sums that the compiler keeps in vector registers.
const LANES: usize = 8;

#[inline(always)]
fn dot_inline(one: &[f64], other: &[f64]) -> f64 {
    let ((one, rest), (other, others)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (x, y) in one.iter().zip(other) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let tail: f64 = rest.iter().zip(others).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All samples follow each other.
    fn whole(signal: &[f64]) -> Vec<Range<usize>> {
        std::iter::once(0..signal.len()).collect()
    }

    #[test]
    fn the_past_is_taken_off() {
        // x_t = 1.5 x_{t−1} − 0.9 x_{t−2} + e_t
        let mut noise = 1_u64;
        let mut next = || {
            noise = noise
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (noise >> 33) as f64 / 2f64.powi(31) - 0.5
        };
        let mut signal = vec![0.0, 0.0];
        for t in 2..500 {
            signal.push(1.5 * signal[t - 1] - 0.9 * signal[t - 2] + next());
        }
        let left = residuals(&signal, &whole(&signal), 2).unwrap();
        for lag in 1..5 {
            let correlation = dot(&left[lag..], &left[..left.len() - lag]) / left.len() as f64;
            assert!(correlation.abs() < 0.1, "{lag}: {correlation}");
        }
        // A line is its own past: it is kept as it is.
        let line: Vec<f64> = (0..50).map(f64::from).collect();
        assert!(
            residuals(&line, &whole(&line), 2)
                .unwrap()
                .windows(2)
                .all(|two| two[0] < two[1])
        );
        assert_eq!(residuals(&[3.0; 30], &whole(&[3.0; 30]), 2), None);
    }

    #[test]
    fn products_at_a_few_lags_are_those_of_each() {
        let row: Vec<f64> = (0..61).map(|t| f64::from(t * t % 17) - 8.0).collect();
        for (length, first) in [(61, 1), (61, 5), (40, 9), (17, 9), (9, 5), (6, 5)] {
            let row = &row[..length];
            for (k, product) in lagged_products(row, first).into_iter().enumerate() {
                let plain: f64 = row.iter().skip(first + k).zip(row).map(|(x, y)| x * y).sum();
                assert_eq!(product, plain, "{length}, {}", first + k);
            }
        }
    }

    #[test]
    fn moments_are_those_of_all_permutations() {
        // All 5040 permutations of one row against another.
        let x = standardised(&[0.3, -1.0, 2.5, 0.1, 7.0, -0.4, 1.1]).unwrap();
        let y = standardised(&[1.0, 4.0, -2.0, 0.5, 0.7, -9.0, 0.0]).unwrap();
        let (mut square, mut fourth, mut count) = (0.0, 0.0, 0.0);
        let mut order: Vec<usize> = (0..7).collect();
        permutations(&mut order, 7, &mut |order| {
            let r = order.iter().zip(&y).map(|(&k, y)| x[k] * y).sum::<f64>() / 7.0;
            square += r * r;
            fourth += r.powi(4);
            count += 1.0;
        });
        let residuals = SignalResiduals {
            n_samples: 7,
            rows: vec![Some(x), Some(y)],
        };
        let pairs = residuals.pairs();
        // These two rows are loud at different times; what they share of it is put at 1.
        assert!((residuals.loudness() - 1.0).abs() < 1e-12 && residuals.autocorrelation() >= 1.0);
        let expected = square / count;
        assert!((1.0 / 6.0 - expected).abs() < 1e-12);
        let scale = pairs.square[0] / expected;
        let variance = (fourth / count - expected * expected) * scale * scale;
        let told = 2.0 * pairs.square[0].powi(2) + pairs.excess[0];
        assert!((told - variance).abs() < 1e-12 * variance.max(1.0), "{told} {variance}");
    }

    fn permutations(order: &mut Vec<usize>, k: usize, each: &mut dyn FnMut(&[usize])) {
        if k == 1 {
            return each(order);
        }
        for i in 0..k {
            permutations(order, k - 1, each);
            order.swap(if k.is_multiple_of(2) { i } else { 0 }, k - 1);
        }
    }
}
