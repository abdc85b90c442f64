//! How many edges of a stable selection are chance picks of the halving, at most and in expectation.
//!
//! Of M pairs, q are in the consensus of a half on average, and θ = q/M. Edges that a half has with a chance of at most
//! θ are rarely selected ones. Of those with a frequency of at least τ over B complementary pairs of halves, at most
//!
//! ```text
//! M · min{ D(θ², 2τ − 1, B, −½), D(θ, τ, 2B, −¼) }        (Shah and Samworth 2013)
//! q² / ((2τ − 1) M)                                      (Meinshausen and Bühlmann 2010)
//! ```
//!
//! are such, where D(θ, t, B, r) is the largest P(X ≥ t) of any r-concave X on {0, 1/B, …, 1} with mean θ. These are not
//! *false* edges: what is learned systematically, such as an edge between nodes with a common neighbour, is in every
//! half.

/// How many edges a threshold on the frequency selects, and how many of them are chance picks at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The threshold τ.
    pub threshold: f64,
    /// How many consensus edges are at least this frequent.
    pub selected: usize,
    /// The expected number of rarely selected ones among them, at most (Shah and Samworth).
    pub chance: f64,
    /// The same by Meinshausen and Bühlmann.
    pub meinshausen_buhlmann: f64,
}

/// The bounds at several thresholds.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// M: how many edges there could be.
    pub n_pairs: usize,
    /// q: how many the consensus of a half has on average.
    pub mean_selected: f64,
    /// One row per threshold.
    pub rows: Vec<Bound>,
}

/// The thresholds that are told.
const THRESHOLDS: [f64; 8] = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];

impl Bounds {
    /// The bounds for the frequencies of all edges that any half had, among `n_pairs` that there could be.
    pub(super) fn of(frequencies: &[f64], n_pairs: usize, pairs_of_halves: usize) -> Self {
        let m = n_pairs as f64;
        let q: f64 = frequencies.iter().sum();
        let theta = q / m;
        let row = |&threshold: &f64| {
            // Frequencies are multiples of 1/2B, which rounding may have put below their threshold.
            let selected = frequencies.iter().filter(|&&f| f >= threshold - 1e-9).count();
            let both = tail(theta * theta, 2.0 * threshold - 1.0, pairs_of_halves, -0.5);
            let either = tail(theta, threshold, 2 * pairs_of_halves, -0.25);
            Bound {
                threshold,
                selected,
                chance: m * both.min(either),
                meinshausen_buhlmann: q * q / ((2.0 * threshold - 1.0) * m),
            }
        };
        Self {
            n_pairs,
            mean_selected: q,
            rows: THRESHOLDS.iter().map(row).collect(),
        }
    }
}

/// D(θ, t, B, r): the largest P(X ≥ t) of any r-concave law (r < 0) on {0, 1/B, …, 1} whose mean is θ.
///
/// A law f is r-concave if f^r is convex on its support. The extreme ones have a straight f^r on {0, …, k}/B: a bend
/// upwards only makes the tail lighter. So the largest tail is found among f ∝ (x + (1 − 2x) i/k)^(1/r), with x by
/// bisection for the mean, over all k.
pub fn tail(mean: f64, threshold: f64, n: usize, r: f64) -> f64 {
    let least = (threshold * n as f64 - 1e-9).ceil().max(0.0) as usize;
    let target = mean * n as f64;
    if target >= least as f64 {
        return 1.0;
    }
    if target <= 0.0 || least > n {
        return 0.0;
    }
    (least..=n)
        .map(|last| tail_on(target, least, last, 1.0 / r))
        .fold(0.0, f64::max)
}

/// The tail from `least` on of the law on {0, …, last} with this mean whose f^r is straight.
fn tail_on(target: f64, least: usize, last: usize, power: f64) -> f64 {
    let law = |x: f64| {
        let value = move |i: usize| (x + (1.0 - 2.0 * x) * i as f64 / last as f64).powf(power);
        let (mut sum, mut first, mut above) = (0.0, 0.0, 0.0);
        for i in 0..=last {
            let f = value(i);
            sum += f;
            first += i as f64 * f;
            above += if i >= least { f } else { 0.0 };
        }
        (first / sum, above / sum)
    };
    // The mean grows with x, from 0 to `last`; x may be tiny, so that its logarithm is halved.
    let (mut low, mut high) = (-60.0_f64, 0.5_f64.ln());
    if law(0.5).0 < target {
        // Growing laws: by symmetry with x and 1 − x exchanged.
        let (mut low, mut high) = (0.5, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if law(middle).0 < target {
                low = middle;
            } else {
                high = middle;
            }
        }
        return law(0.5 * (low + high)).1;
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if law(middle.exp()).0 < target {
            low = middle;
        } else {
            high = middle;
        }
    }
    law((0.5 * (low + high)).exp()).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A random law on {0, …, n}/n whose f^r is convex where it is not 0.
    fn concave_law(rng: &mut ChaCha8Rng, n: usize, r: f64) -> Vec<f64> {
        let last = rng.random_range(1..=n);
        // Convex: slopes that grow, from some place on; steep ones now and then.
        let steep = 10_f64.powf(rng.random_range(-3.0..2.0));
        let mut slope = rng.random_range(-1.0..1.0) * steep;
        let mut g = vec![0.0];
        for _ in 0..last {
            g.push(g[g.len() - 1] + slope);
            if rng.random_bool(0.3) {
                slope += rng.random_range(0.0..1.0) * steep * rng.random_range(0.0..1.0_f64).powi(3);
            }
        }
        let lowest = g.iter().copied().fold(f64::INFINITY, f64::min);
        let offset = 10_f64.powf(rng.random_range(-4.0..1.0)) - lowest;
        let mut law: Vec<f64> = g.iter().map(|g| (g + offset).powf(1.0 / r)).collect();
        let sum: f64 = law.iter().sum();
        law.iter_mut().for_each(|f| *f /= sum);
        law.resize(n + 1, 0.0);
        law
    }

    #[test]
    fn no_concave_law_has_a_larger_tail() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut near, mut n_judged) = (0, 0);
        for round in 0..6000 {
            let (n, r) = if round % 2 == 0 { (20, -0.5) } else { (40, -0.25) };
            let law = concave_law(&mut rng, n, r);
            let mean = law.iter().enumerate().map(|(i, f)| i as f64 * f).sum::<f64>() / n as f64;
            for least in [n / 5, n / 2, 4 * n / 5] {
                let above: f64 = law[least..].iter().sum();
                let bound = tail(mean, least as f64 / n as f64, n, r);
                assert!(
                    above <= bound * (1.0 + 1e-9) + 1e-15,
                    "round {round}: {above} > {bound}"
                );
                n_judged += 1;
                near += usize::from(above > 0.5 * bound);
            }
        }
        assert!(
            near > n_judged / 20,
            "{near} of {n_judged}: the laws do not come near the bound"
        );
    }

    #[test]
    fn the_bound_is_reached_where_the_law_is_straight() {
        for (mean, threshold) in [(0.02, 0.8), (0.1, 0.9), (0.3, 0.6)] {
            let bound = tail(mean, threshold, 50, -0.5);
            assert!(
                bound > 0.0 && bound < mean / threshold,
                "{bound}: Markov's is {}",
                mean / threshold
            );
        }
        assert_eq!(tail(0.0, 0.5, 50, -0.5), 0.0);
        assert_eq!(tail(0.7, 0.5, 50, -0.5), 1.0);
    }

    #[test]
    fn a_table_has_what_is_selected_and_far_tighter_bounds_than_the_older_ones() {
        let frequencies: Vec<f64> = (0..150).map(|k| if k < 100 { 1.0 } else { 0.3 }).collect();
        let found = Bounds::of(&frequencies, 1225, 50);
        assert!((found.mean_selected - 115.0).abs() < 1e-9);
        for row in &found.rows {
            assert_eq!(row.selected, 100);
            assert!(row.chance < row.meinshausen_buhlmann / 3.0, "{row:?}");
        }
        assert!(found.rows.is_sorted_by(|one, two| one.chance >= two.chance));
    }
}
