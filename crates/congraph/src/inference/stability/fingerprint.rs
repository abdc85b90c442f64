//! Whether a view's graph from one half of its data is recognised among those from the other.
//!
//! The views' weights of the one half are correlated with those of the other, over all pairs of nodes; a view is
//! recognised if its own correlation is the largest. The same is done with the deviations from the consensus, w^i − w:
//! coupled weights are alike in all views, so that their correlations are high whoever they are of, and only deviations
//! tell. The halves are fitted apart.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::entries::Entries;

/// How many permutations of the names tell what chance would recognise.
const PERMUTATIONS: usize = 9999;

/// How well views are recognised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recognition {
    /// The share of views that are recognised, both ways round.
    pub accuracy: f64,
    /// The mean correlation of a view with itself.
    pub own: f64,
    /// The mean correlation of a view with the others.
    pub others: f64,
    /// The share that is recognised on average if names are exchanged at random.
    pub chance: f64,
    /// The share of such exchanges (and the names as they are) that recognise as many.
    pub p: f64,
}

/// The same of weights and of deviations from the consensus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fingerprint {
    /// Of the weights.
    pub weights: Recognition,
    /// Of the deviations from the consensus, if there is one.
    pub deviations: Option<Recognition>,
}

/// What is kept of one way to compare.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Matches {
    /// How often view i of a half was most like view j of the other, row after row.
    pub best: Vec<u64>,
    /// Of each pair of halves: its number, the mean correlation of views with themselves, and with others. The bits of
    /// the numbers, which any text keeps.
    pub correlations: Vec<(usize, u64, u64)>,
}

impl Matches {
    pub(super) fn merge(&mut self, other: &Self) {
        if self.best.is_empty() {
            self.best.clone_from(&other.best);
        } else {
            let more = self.best.iter_mut().zip(&other.best);
            more.for_each(|(mine, theirs)| *mine += theirs);
        }
        self.correlations.extend(&other.correlations);
        self.correlations.sort_by_key(|one| one.0);
    }

    /// Compares the views of two halves; `value` is what is compared of a row of weights, consensus first.
    pub(super) fn of(
        number: usize,
        [one, other]: [&Entries; 2],
        n_pairs: usize,
        value: impl Fn(&Entries, usize, usize) -> f64,
    ) -> Self {
        let n = one.n_views();
        let [x, y] = [one, other].map(|half| Moments::of(half, n_pairs, &value));
        let mut products = vec![0.0; n * n];
        for (a, b) in one.common(other) {
            let theirs: Vec<f64> = (0..n).map(|view| value(other, b, view)).collect();
            for (i, row) in products.chunks_exact_mut(n).enumerate() {
                let mine = value(one, a, i);
                if mine != 0.0 {
                    row.iter_mut()
                        .zip(&theirs)
                        .for_each(|(sum, theirs)| *sum += mine * theirs);
                }
            }
        }
        let correlation = |i: usize, j: usize| {
            let spread = x.spreads[i] * y.spreads[j];
            let product = products[i * n + j] / n_pairs as f64 - x.means[i] * y.means[j];
            if spread > 0.0 { product / spread } else { 0.0 }
        };
        let found: Vec<f64> = (0..n * n).map(|k| correlation(k / n, k % n)).collect();
        let mut best = vec![0; n * n];
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            let (mut at, mut most) = (0, f64::NEG_INFINITY);
            for (k, value) in values.enumerate() {
                if value > most {
                    (at, most) = (k, value);
                }
            }
            at
        };
        for i in 0..n {
            best[i * n + largest(&mut (0..n).map(|j| found[i * n + j]))] += 1;
            best[i * n + largest(&mut (0..n).map(|j| found[j * n + i]))] += 1;
        }
        let own = (0..n).map(|i| found[i * n + i]).sum::<f64>();
        let all: f64 = found.iter().sum();
        let others = (all - own) / (n * (n - 1)) as f64;
        Self {
            best,
            correlations: vec![(number, (own / n as f64).to_bits(), others.to_bits())],
        }
    }

    /// What is told of all pairs of halves.
    pub(super) fn recognition(&self, n_views: usize, seed: u64) -> Option<Recognition> {
        let total: u64 = self.best.iter().sum();
        if total == 0 || n_views < 2 {
            return None;
        }
        let recognised = |names: &[usize]| -> u64 {
            let rows = self.best.chunks_exact(n_views);
            rows.zip(names).map(|(row, &name)| row[name]).sum()
        };
        let mut names: Vec<usize> = (0..n_views).collect();
        let right = recognised(&names);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut sum, mut as_many) = (0, 1);
        for _ in 0..PERMUTATIONS {
            names.shuffle(&mut rng);
            let found = recognised(&names);
            sum += found;
            as_many += u64::from(found >= right);
        }
        let n = self.correlations.len() as f64;
        let mean = |of: fn(&(usize, u64, u64)) -> u64| {
            let values = self.correlations.iter().map(|one| f64::from_bits(of(one)));
            values.sum::<f64>() / n
        };
        Some(Recognition {
            accuracy: right as f64 / total as f64,
            own: mean(|one| one.1),
            others: mean(|one| one.2),
            chance: sum as f64 / PERMUTATIONS as f64 / total as f64,
            p: as_many as f64 / (PERMUTATIONS + 1) as f64,
        })
    }
}

/// The mean and the spread of each view's values over all pairs, most of which are 0.
struct Moments {
    means: Vec<f64>,
    spreads: Vec<f64>,
}

impl Moments {
    fn of(half: &Entries, n_pairs: usize, value: &impl Fn(&Entries, usize, usize) -> f64) -> Self {
        let n = half.n_views();
        let (mut sums, mut squares) = (vec![0.0; n], vec![0.0; n]);
        for row in 0..half.len() {
            for view in 0..n {
                let value = value(half, row, view);
                sums[view] += value;
                squares[view] += value * value;
            }
        }
        let m = n_pairs as f64;
        let means: Vec<f64> = sums.iter().map(|sum| sum / m).collect();
        let spread = |(square, mean): (&f64, &f64)| (square / m - mean * mean).max(0.0).sqrt();
        let spreads = squares.iter().zip(&means).map(spread).collect();
        Self { means, spreads }
    }
}
