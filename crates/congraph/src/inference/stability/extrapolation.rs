//! From a curve that was learned on halves to one for the whole.
//!
//! What came back was seen in halves of the data, and is said of fits to all of it: with twice the samples edges part more
//! clearly from those that are no edges. Two estimates of the probability to come back are made, and the mean of their
//! log-odds is said:
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

/// The strengths, and where the noise is looked at: from, step, how many.
const STRENGTHS: (f64, f64, usize) = (-8.0, 0.1, 181);
const PLACES: (f64, f64, usize) = (-11.0, 0.05, 481);
/// The steps of the EM; more change nothing that is told.
const STEPS: usize = 200;
/// No probability is nearer to 0 or 1 in log-odds.
const NEAREST: f64 = 1e-4;
/// How far curves are moved at most.
const FARTHEST: f64 = 3.0;

/// The probability to come back of pairs that so many of the halves had, from the nested one of each; `counts` says how many
/// pairs there are of each, and `n_edges` how many edges the fit has.
pub(super) fn of_whole(nested: &[f64], counts: &[u64], n_edges: usize) -> Vec<f64> {
    let n_halves = counts.len() - 1;
    let counts: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
    let n_edges = n_edges as f64;
    let sum =
        |said: &dyn Fn(usize) -> f64, from: usize| -> f64 { (from..=n_halves).map(|k| counts[k] * said(k)).sum() };
    let shift = moved(|shift| sum(&|k| probability(log_odds(nested[k]) + shift), 1) - n_edges);
    let strengths = Strengths::likeliest(&counts);
    let above = moved(|shift| {
        let said = strengths.come_back(-shift);
        sum(&|k| said[k], 0) - n_edges
    });
    let normal = strengths.come_back(-above);
    let both = |k: usize| probability(0.5 * (log_odds(nested[k]) + shift + log_odds(normal[k])));
    (0..=n_halves).map(|k| if k == 0 { 0.0 } else { both(k) }).collect()
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

/// Φ, by the rational functions of Hart (1968) in West's arrangement (2005): within 1e-14, and far out within 1e-7 of itself.
fn normal(x: f64) -> f64 {
    const ABOVE: [f64; 7] = [
        3.526_249_659_989_11e-2,
        0.700_383_064_443_688,
        6.373_962_203_531_65,
        33.912_866_078_383,
        112.079_291_497_871,
        221.213_596_169_931,
        220.206_867_912_376,
    ];
    const BELOW: [f64; 8] = [
        8.838_834_764_831_84e-2,
        1.755_667_163_182_64,
        16.064_177_579_207,
        86.780_732_202_946_1,
        296.564_248_779_674,
        637.333_633_378_831,
        793.826_512_519_948,
        440.413_735_824_752,
    ];
    let size = x.abs();
    let tail = if size > 37.0 {
        0.0
    } else {
        let density = (-0.5 * size * size).exp();
        if size < 7.071_067_811_865_475 {
            let value = |numbers: &[f64]| numbers.iter().fold(0.0, |sum, number| sum * size + number);
            density * value(&ABOVE) / value(&BELOW)
        } else {
            let fraction = (1..=4).rev().fold(size + 0.65, |rest, k| size + f64::from(k) / rest);
            density / (fraction * 2.506_628_274_631)
        }
    };
    if x > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn the_normal_distribution_is_that_of_tables() {
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.959_963_984_540_054, 0.025),
            (-5.0, 2.866_515_718_791_94e-7),
            (-8.0, 6.220_960_574_271_78e-16),
        ] {
            let off = (normal(x) - expected).abs();
            assert!(off < 1e-14 && off < 1e-7 * expected, "{x}: {}", normal(x));
        }
    }

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
        let said = of_whole(&nested, &counts, n_edges);
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
        let none = of_whole(&[0.0, 0.5, 1.0], &[10, 0, 0], 0);
        assert!(none.iter().all(|p| (0.0..=1.0).contains(p)), "{none:?}");
        let said = of_whole(&[0.0, 0.5, 1.0], &[90, 5, 5], 7);
        assert!(
            said.iter().all(|p| (0.0..=1.0).contains(p)) && said[1] < said[2],
            "{said:?}"
        );
    }
}
