//! From a curve that was learned on halves to one for the whole.
//!
//! What came back was seen in halves of the data, and is said of fits to all of it: with twice the samples edges part more
//! clearly from those that are no edges. Two estimates of the probability to come back are made, and a mean of their
//! log-odds is said, a fifth of the first and four fifths of the second:
//!
//! ```text
//! nested   the share that came back in the other half, by the frequency in halves of a half (calibration)
//! normal   an edge has a strength t and is in a fit to all of the data if t plus normal noise of width 1 is above d; halves
//!          are as far from the whole as the whole is from the truth, so that x ~ N(t, 1) and a half has the edge with
//!          probability Φ(x). The distribution of t over all pairs is the one that makes the frequencies likeliest (EM)
//! ```
//!
//! Both are moved to expect as many edges as the fit has: it is itself one fit to so many samples. The first errs where
//! samples are few (it is the curve of half of them), the second where the noise is not normal; as a rule to opposite sides.
//!
//! Pairs that no half had are not said to come back, though some will: of views there are many such pairs. There the mean
//! is moved once more, so that the edges of the others are as many as the fit has.

use crate::inference::normal::normal;

/// The strengths, and where the noise is looked at: from, step, how many.
const STRENGTHS: (f64, f64, usize) = (-8.0, 0.1, 181);
const PLACES: (f64, f64, usize) = (-11.0, 0.05, 481);
/// The steps of the EM; more change nothing that is told.
const STEPS: usize = 200;
/// No probability is nearer to 0 or 1 in log-odds.
const NEAREST: f64 = 1e-4;
/// How far curves are moved at most.
const FARTHEST: f64 = 3.0;

/// The share of the normal estimate in what is said.
const NORMAL: f64 = 0.8;

/// The probability to come back of pairs that so many of the halves had, from the nested one of each; `counts` says how many
/// pairs there are of each, and `n_edges` how many edges the fit has, of the views or of the consensus.
pub(super) fn of_whole(nested: &[f64], counts: &[u64], n_edges: usize, of_views: bool) -> Vec<f64> {
    let n_halves = counts.len() - 1;
    let counts: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
    let n_edges = n_edges as f64;
    let sum =
        |said: &dyn Fn(usize) -> f64, from: usize| -> f64 { (from..=n_halves).map(|k| counts[k] * said(k)).sum() };
    // How far log-odds are moved for pairs that a half had to give as many edges as the fit has.
    let shift = |odds: &dyn Fn(usize) -> f64| moved(|shift| sum(&|k| probability(odds(k) + shift), 1) - n_edges);
    let strengths = Strengths::likeliest(&counts);
    let above = moved(|shift| {
        let said = strengths.come_back(-shift);
        sum(&|k| said[k], 0) - n_edges
    });
    let normal = strengths.come_back(-above);
    let mean = |k: usize, nested: f64| (1.0 - NORMAL) * nested + NORMAL * log_odds(normal[k]);
    let odds: Box<dyn Fn(usize) -> f64> = if of_views {
        let both = |k: usize| mean(k, log_odds(nested[k]));
        let shift = shift(&both);
        Box::new(move |k| both(k) + shift)
    } else {
        let shift = shift(&|k| log_odds(nested[k]));
        Box::new(move |k| mean(k, log_odds(nested[k]) + shift))
    };
    (0..=n_halves)
        .map(|k| if k == 0 { 0.0 } else { probability(odds(k)) })
        .collect()
}

fn log_odds(p: f64) -> f64 {
    let p = p.clamp(NEAREST, 1.0 - NEAREST);
    (p / (1.0 - p)).ln()
}

fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Where an increasing function is 0.
fn moved(too_many: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-FARTHEST, FARTHEST);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if too_many(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The distribution of the strengths of all pairs.
struct Strengths {
    /// Of each strength: the probability of each number of halves.
    likelihoods: Vec<Vec<f64>>,
    shares: Vec<f64>,
}

impl Strengths {
    /// The likeliest distribution for these numbers of pairs.
    fn likeliest(counts: &[f64]) -> Self {
        let likelihoods = likelihoods(counts.len() - 1);
        let n: f64 = counts.iter().sum();
        let mut found = Self {
            shares: vec![1.0 / likelihoods.len() as f64; likelihoods.len()],
            likelihoods,
        };
        for _ in 0..STEPS {
            let totals = found.totals();
            let rows = found.shares.iter_mut().zip(&found.likelihoods);
            for (share, row) in rows {
                let parts = row.iter().zip(counts).zip(&totals);
                let own: f64 = parts.map(|((p, n), total)| n * p / total).sum();
                *share *= own / n;
            }
        }
        found
    }

    /// The probability of each number of halves.
    fn totals(&self) -> Vec<f64> {
        let mut totals = vec![1e-300; self.likelihoods[0].len()];
        for (share, row) in self.shares.iter().zip(&self.likelihoods) {
            totals.iter_mut().zip(row).for_each(|(total, p)| *total += share * p);
        }
        totals
    }

    /// The probability to be in another fit to all of the data, above d, of each number of halves.
    fn come_back(&self, d: f64) -> Vec<f64> {
        let totals = self.totals();
        let mut said = vec![0.0; totals.len()];
        for (k, (share, row)) in self.shares.iter().zip(&self.likelihoods).enumerate() {
            let is_above = share * normal(at(STRENGTHS, k) - d);
            said.iter_mut().zip(row).for_each(|(said, p)| *said += is_above * p);
        }
        said.iter().zip(&totals).map(|(said, total)| said / total).collect()
    }
}

fn at((from, step, _): (f64, f64, usize), place: usize) -> f64 {
    from + step * place as f64
}

/// Of each strength t the probability of each number of halves, over x ~ N(t, 1).
fn likelihoods(n_halves: usize) -> Vec<Vec<f64>> {
    let mut choices = vec![0.0; n_halves + 1];
    for k in 1..=n_halves {
        choices[k] = choices[k - 1] + ((n_halves - k + 1) as f64 / k as f64).ln();
    }
    let of_place = |place: usize| -> Vec<f64> {
        let x = at(PLACES, place);
        let [present, absent] = [x, -x].map(|x| normal(x).max(f64::MIN_POSITIVE).ln());
        let p = |k: usize| (choices[k] + k as f64 * present + (n_halves - k) as f64 * absent).exp();
        (0..=n_halves).map(p).collect()
    };
    let places: Vec<Vec<f64>> = (0..PLACES.2).map(of_place).collect();
    let of_strength = |k: usize| -> Vec<f64> {
        let weight = |place: usize| (-0.5 * (at(PLACES, place) - at(STRENGTHS, k)).powi(2)).exp();
        let weights: Vec<f64> = (0..PLACES.2).map(weight).collect();
        let all: f64 = weights.iter().sum();
        let mut row = vec![0.0; n_halves + 1];
        for (weight, place) in weights.iter().zip(&places).filter(|(weight, _)| **weight > 1e-12) {
            row.iter_mut().zip(place).for_each(|(sum, p)| *sum += weight / all * p);
        }
        row
    };
    (0..STRENGTHS.2).map(of_strength).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    /// Pairs whose strengths are known, in halves and in another fit: what is said is what comes back, although the nested
    /// curve is far too flat.
    #[test]
    fn what_comes_back_is_said_where_the_noise_is_normal() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let n_halves = 100;
        let (mut counts, mut back) = (vec![0_u64; n_halves + 1], vec![0_u64; n_halves + 1]);
        let mut n_edges = 0;
        for k in 0..20_000 {
            let strength = if k % 5 == 0 { 2.0 } else { -2.0 } + 0.7 * draw(&mut rng);
            let seen = strength + draw(&mut rng);
            n_edges += usize::from(seen > 0.3);
            let halves = (0..n_halves).filter(|_| rng.random::<f64>() < normal(seen)).count();
            counts[halves] += 1;
            back[halves] += u64::from(strength + draw(&mut rng) > 0.3);
        }
        let nested: Vec<f64> = (0..=n_halves).map(|k| 0.2 + 0.6 * k as f64 / n_halves as f64).collect();
        let said = of_whole(&nested, &counts, n_edges, false);
        assert!(said[1..].is_sorted(), "{said:?}");
        let expected: f64 = said.iter().zip(&counts).map(|(p, &n)| p * n as f64).sum();
        assert!((expected / n_edges as f64 - 1.0).abs() < 0.1, "{expected} of {n_edges}");
        let off = |said: &[f64]| -> f64 {
            let bins = [1..20, 20..50, 50..80, 80..100];
            let of_bin = |bin: std::ops::Range<usize>| {
                let n: u64 = counts[bin.clone()].iter().sum();
                let came: u64 = back[bin.clone()].iter().sum();
                let told: f64 = bin.map(|k| said[k] * counts[k] as f64).sum();
                (told - came as f64).abs() / n as f64
            };
            bins.map(of_bin).into_iter().fold(0.0, f64::max)
        };
        assert!(off(&said) < 0.6 * off(&nested), "{} and {}", off(&said), off(&nested));
    }

    fn draw(rng: &mut ChaCha8Rng) -> f64 {
        StandardNormal.sample(rng)
    }

    #[test]
    fn few_halves_and_no_edges_are_no_trouble() {
        let none = of_whole(&[0.0, 0.5, 1.0], &[10, 0, 0], 0, true);
        assert!(none.iter().all(|p| (0.0..=1.0).contains(p)), "{none:?}");
        let said = of_whole(&[0.0, 0.5, 1.0], &[90, 5, 5], 7, false);
        assert!(
            said.iter().all(|p| (0.0..=1.0).contains(p)) && said[1] < said[2],
            "{said:?}"
        );
    }
}
