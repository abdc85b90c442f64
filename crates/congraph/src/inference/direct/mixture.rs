//! The least share of the offsets that the t of all pairs do not speak against.
//!
//! The mode of all t is drawn upwards by edges that are too weak to stand apart: where a tenth or a quarter of the pairs are
//! edges and samples are few, too much is taken off. So t is also seen as a mixture: of pairs without any dependence, which
//! are normal around what the share leaves, and of pairs with some, evenly spread from there to several distances above and
//! below. The likeliest such mixture is found for each share (EM, over a histogram), and of the shares whose likelihood is
//! at most [`FALL`] below that of the best, in logarithms, the least is told: two standard errors below the best. Edges that are
//! all equally strong are no such mixture, and the share is then too large; it is only ever used as a bound from above.

use crate::inference::normal::normal;

/// The shares that are tried, from 0 to 1.
const SHARES: usize = 11;
/// How far pairs with some dependence are spread, on both sides.
const REACHES: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// The widths of the pairs without: standard errors of few samples are a little too large.
const WIDTHS: [f64; 3] = [0.8, 0.9, 1.0];
/// The histogram: from, step, how many.
const BINS: (f64, f64, usize) = (-12.0, 0.05, 640);
/// The steps of the EM; more change nothing that is told.
const STEPS: usize = 60;
/// So many more pairs without any dependence are thought to have been seen: without them a few pairs would do as none.
const BEFORE: f64 = 10.0;
/// How far below the best a logarithm of a likelihood is that nothing speaks against.
const FALL: f64 = 2.0;

/// How many components there are.
const PARTS: usize = 1 + 2 * REACHES.len();

/// The densities of all components in the middle of every bin, for one width.
fn densities(width: f64) -> Vec<[f64; PARTS]> {
    let (from, step, n) = BINS;
    let of_bin = |bin: usize| {
        let x = from + step * (bin as f64 + 0.5);
        let mut parts = [0.0; PARTS];
        parts[0] = (-0.5 * (x / width).powi(2)).exp() / (width * (2.0 * std::f64::consts::PI).sqrt());
        for (k, reach) in REACHES.into_iter().enumerate() {
            let between = |low: f64, high: f64| (normal((x - low) / width) - normal((x - high) / width)) / (high - low);
            parts[1 + 2 * k] = between(0.0, reach);
            parts[2 + 2 * k] = between(-reach, 0.0);
        }
        parts.map(|part| part.max(1e-300))
    };
    (0..n).map(of_bin).collect()
}

/// The logarithm of the likelihood of the likeliest mixture.
fn likelihood(counts: &[(usize, f64)], densities: &[[f64; PARTS]]) -> f64 {
    let mut shares = [0.5 / (PARTS - 1) as f64; PARTS];
    shares[0] = 0.5;
    let total = |bin: usize, shares: &[f64; PARTS]| -> f64 {
        densities[bin]
            .iter()
            .zip(shares)
            .map(|(density, share)| density * share)
            .sum()
    };
    for _ in 0..STEPS {
        let mut sums = [0.0; PARTS];
        for &(bin, count) in counts {
            let weight = count / total(bin, &shares);
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum += weight * shares[k] * densities[bin][k];
            }
        }
        sums[0] += BEFORE;
        let all: f64 = sums.iter().sum();
        shares = sums.map(|sum| sum / all);
    }
    counts
        .iter()
        .map(|&(bin, count)| count * total(bin, &shares).ln())
        .sum()
}

/// The least share s for which t − s · offset, both over their standard error, is such a mixture about as likely as any.
pub(super) fn least_share(pairs: &(impl Iterator<Item = (f64, f64)> + Clone)) -> f64 {
    let (from, step, n) = BINS;
    let widths = WIDTHS.map(densities);
    let at = |k: usize| k as f64 / (SHARES - 1) as f64;
    let of_share = |k: usize| {
        let mut histogram = vec![0_u32; n];
        for (t, offset) in pairs.clone() {
            let x = t - at(k) * offset;
            if !x.is_nan() {
                histogram[(((x - from) / step) as usize).min(n - 1)] += 1;
            }
        }
        let counts: Vec<(usize, f64)> = histogram
            .into_iter()
            .enumerate()
            .filter(|(_, count)| *count > 0)
            .map(|(bin, count)| (bin, f64::from(count)))
            .collect();
        let of_width = |densities: &Vec<[f64; PARTS]>| likelihood(&counts, densities);
        widths.iter().map(of_width).fold(f64::NEG_INFINITY, f64::max)
    };
    let found: Vec<f64> = (0..SHARES).map(of_share).collect();
    let best = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    found.iter().position(|one| *one >= best - FALL).map_or(0.0, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    /// t of so many pairs, a share of which have a dependence of some standard errors, and the same offset for all.
    fn drawn(n: usize, dependent: f64, strength: f64, moved: f64, offset: f64) -> Vec<(f64, f64)> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let one = |k: usize| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let is_edge = (k as f64) < dependent * n as f64;
            (noise + moved * offset + if is_edge { strength } else { 0.0 }, offset)
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn weak_edges_are_no_share_and_independent_nodes_have_all_of_it() {
        let of = |pairs: &[(f64, f64)]| least_share(&pairs.iter().copied());
        let weak = drawn(1225, 0.25, 1.5, 0.0, 0.7);
        assert!(of(&weak) <= 0.1, "{}", of(&weak));
        let alone = drawn(1225, 0.0, 0.0, 1.0, 2.0);
        assert!(of(&alone) >= 0.8, "{}", of(&alone));
        assert_eq!(least_share(&std::iter::empty()), 0.0);
    }
}
