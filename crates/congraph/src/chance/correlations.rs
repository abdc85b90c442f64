//! One global test of the correlations between nodes.
//!
//! With r_ab,i the correlation of nodes a and b in view i, and p_i its samples,
//!
//! ```text
//! T1 = Σ_i p_i Σ_ab r_ab,i²                 structure in any view
//! T2 = Σ_ab (Σ_i p_i r_ab,i)² / Σ_i p_i      structure that the views have in common
//! T3 = Σ_ab Σ_i<j p_i r_ab,i p_j r_ab,j      the part of T2 in which views agree with each other
//! z  = the largest of four standard normal deviates: T1, T2 and T3 under their null distributions, and the largest |r|
//!      of all, which finds a few strong edges among very many pairs
//! ```
//!
//! Under the null the nodes of a view are unrelated, and the squares of any two pairs are uncorrelated, so that E T, sd T and
//! the skewness of T need only the first six moments of each r_ab. A gamma distribution with the same three moments stands for
//! that of T, and its cube root is nearly normal:
//!
//! - blocks (trials) are exchanged by flipping the sign of a node's signal in whole blocks: [`units`](super::units);
//! - other signals are first freed of their autocorrelation, and then permuted: [`residuals`](super::residuals).
//!
//! T3 needs less. Views are independent, so its mean is 0 whatever the tails, the autocorrelation and the loudness are:
//! what is not known of them blurs T1 and T2, and not its mean. With s_i = E (p_i r_i)², its second and third moment are
//! Σ s_i s_j over pairs of views and 6 Σ s_i s_j s_k over triples, summed over all a and b.
//!
//! Heavy tails, autocorrelation and a loudness that all nodes share do not count as structure. Nor does what an average
//! reference makes of anything: correlations that are all negative by the same amount, or by one that follows from the
//! nodes' sizes.
//!
//! Nor do values that are mostly equal, as counts of seldom seen genes are: two nodes whose few other values coincide by chance
//! have a large r, which the skewness of r foresees.
//!
//! Cost: one product of the signals of at most [`MOST_NODES`] nodes with themselves.

use super::reference::without_offset;
use super::residuals::SignalResiduals;
use super::units;
use crate::parallel::simd::largest;
use crate::views::{Kind, Membership, View, Views};

/// Noise of any kind that was tried stays below this, and true graphs above: `docs/decisions.md`.
pub const BEYOND_CHANCE: f64 = 4.0;
/// If there are more nodes, this many are examined, evenly spread over the sorted names.
const MOST_NODES: usize = 400;
/// How many views are held at a time.
const AT_A_TIME: usize = 8;
/// The least share of its Gaussian value that a variance may have: moments of few units are themselves uncertain.
const LEAST_VARIANCE: f64 = 0.05;
/// Moments are known to about this share of the mean: where pairs are so many that chance leaves less than that, the
/// test is not finer.
const KNOWN_TO: f64 = 0.015;
/// With fewer samples a correlation says nothing: its moments do not tell how it is distributed.
pub(super) const LEAST_SAMPLES: usize = 8;

/// How far the correlations between nodes go beyond those of unrelated signals, in standard deviations.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlations {
    /// Each view on its own, in the order of the views; none where it cannot be computed.
    pub views: Vec<Option<f64>>,
    /// All views, each on its own: T1.
    pub together: f64,
    /// What the views have in common: T2.
    pub pooled: f64,
    /// How far they agree with each other: T3; none for a single view.
    pub agreeing: Option<f64>,
    /// The strongest correlation of all: a few strong edges among very many pairs are lost in the sums.
    pub strongest: f64,
}

/// What is known of every pair of nodes in one view: the correlation, and its null moments.
pub(super) struct Pairs {
    /// The number of samples that the correlations are means of.
    pub(super) n_samples: f64,
    /// The correlation; 0 where the view lacks a node.
    pub(super) r: Vec<f64>,
    /// E r² under the null.
    pub(super) square: Vec<f64>,
    /// Var r² − 2 (E r²)² under the null: 0 if r were Gaussian.
    pub(super) excess: Vec<f64>,
    /// E r³ and the sixth cumulant of r under the null, which a Gaussian r does not have: empty if r is as likely to be
    /// negative, and has lighter tails.
    pub(super) higher: Vec<[f64; 2]>,
    /// The strongest correlation in standard deviations, by values and by ranks alike; none where its tail is not
    /// known.
    pub(super) strongest: Option<f64>,
}

/// A statistic with its moments under the null.
#[derive(Clone, Copy, Default)]
struct Statistic {
    value: f64,
    mean: f64,
    variance: f64,
    /// E (T − E T)³; 0 if it is not known.
    third: f64,
}

impl Correlations {
    /// Tests the correlations of views; none if no view tells how many samples it has, or has enough of them.
    ///
    /// ```
    /// use congraph::chance::{BEYOND_CHANCE, Correlations};
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{ViewOptions, Views};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// assert!(Correlations::of(&views).unwrap().z() > BEYOND_CHANCE);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn of(views: &Views) -> Option<Self> {
        let (sorted, order) = views.sorted();
        let resized = of_usual_size(&sorted);
        let sorted = resized.as_ref().unwrap_or(&sorted);
        let nodes = spread(views.n_nodes());
        let n_pairs = nodes.len() * (nodes.len() - 1) / 2;
        let n_looks = n_pairs * views.n_views();
        let mut found = Self {
            views: vec![None; views.n_views()],
            together: 0.0,
            pooled: 0.0,
            agreeing: None,
            strongest: f64::NEG_INFINITY,
        };
        let mut together = Statistic::default();
        let mut pooled = Pooled::new(n_pairs);
        let all: Vec<usize> = (0..views.n_views()).collect();
        for some in all.chunks(AT_A_TIME.max(sorted.at_once())) {
            let pairs = sorted.ask_of(some, |view| {
                let pairs = pairs_of(sorted.view(view), view, sorted.kind(), &nodes, sorted.membership());
                pairs.map_or_else(Vec::new, Pairs::told)
            });
            for (&view, told) in some.iter().zip(pairs) {
                let Some(pairs) = Pairs::of_told(&told) else { continue };
                let own = pairs.statistic();
                found.views[order.views[view]] = own.z();
                if let Some(strongest) = pairs.strongest {
                    found.strongest = found.strongest.max(rarest(strongest, n_looks));
                }
                together.add(&own);
                pooled.add(&pairs);
            }
        }
        found.together = together.z()?;
        found.agreeing = pooled.agreement();
        found.pooled = pooled.mean().statistic().z()?;
        Some(found)
    }

    /// The largest of the four.
    pub fn z(&self) -> f64 {
        let sums = self.together.max(self.pooled).max(self.strongest);
        self.agreeing.map_or(sums, |agreeing| sums.max(agreeing))
    }

    /// Whether there is anything beyond chance.
    pub fn is_beyond_chance(&self) -> bool {
        self.z() >= BEYOND_CHANCE
    }
}

impl Pairs {
    /// As numbers, for others to know.
    fn told(self) -> Vec<f64> {
        let strongest = self.strongest.unwrap_or(f64::NAN);
        let head = vec![self.n_samples, strongest, self.r.len() as f64];
        [head, self.r, self.square, self.excess, self.higher.into_flattened()].concat()
    }

    /// From such numbers, if there are any.
    fn of_told(told: &[f64]) -> Option<Self> {
        let (&[n_samples, strongest, n_pairs], rest) = told.split_first_chunk()?;
        let mut columns = rest.chunks((n_pairs as usize).max(1));
        let mut next = || columns.next().unwrap_or_default().to_vec();
        Some(Self {
            n_samples,
            r: next(),
            square: next(),
            excess: next(),
            higher: rest[rest.len().min(3 * n_pairs as usize)..].as_chunks::<2>().0.to_vec(),
            strongest: (!strongest.is_nan()).then_some(strongest),
        })
    }

    /// p Σ r², and what it is under the null.
    fn statistic(&self) -> Statistic {
        let p = self.n_samples;
        let mut statistic = Statistic::default();
        for ((r, square), excess) in self.r.iter().zip(&self.square).zip(&self.excess) {
            let gaussian = 2.0 * square * square;
            statistic.value += p * r * r;
            statistic.mean += p * square;
            statistic.variance += p * p * (gaussian + excess).max(LEAST_VARIANCE * gaussian);
        }
        let moments = self.square.iter().zip(&self.excess).zip(&self.higher);
        let third: f64 = moments
            .map(|((square, excess), [cube, sixth])| {
                8.0 * square.powi(3) + 12.0 * square * excess + 10.0 * cube * cube + sixth
            })
            .sum();
        statistic.third = p.powi(3) * third;
        statistic
    }
}

/// Sums over the views, for the mean correlation of each pair, weighted by samples.
struct Pooled {
    n_samples: f64,
    sums: Vec<f64>,
    squares: Vec<f64>,
    excesses: Vec<f64>,
    /// Third and sixth cumulants.
    higher: Vec<[f64; 2]>,
    /// The squares of third cumulants.
    cubes: Vec<f64>,
    /// Σ (p r)², and the sums of the second and third powers of its null value.
    own: Vec<[f64; 3]>,
}

impl Pooled {
    fn new(n_pairs: usize) -> Self {
        let zeros = || vec![0.0; n_pairs];
        Self {
            n_samples: 0.0,
            sums: zeros(),
            squares: zeros(),
            excesses: zeros(),
            higher: vec![[0.0; 2]; n_pairs],
            cubes: zeros(),
            own: vec![[0.0; 3]; n_pairs],
        }
    }

    /// Independent views: variances of p r add up, and so do higher cumulants.
    fn add(&mut self, pairs: &Pairs) {
        let p = pairs.n_samples;
        self.n_samples += p;
        for (sum, r) in self.sums.iter_mut().zip(&pairs.r) {
            *sum += p * r;
        }
        for (sum, square) in self.squares.iter_mut().zip(&pairs.square) {
            *sum += p * p * square;
        }
        for (sum, excess) in self.excesses.iter_mut().zip(&pairs.excess) {
            *sum += p.powi(4) * excess;
        }
        for ((sums, cubes), [cube, sixth]) in self.higher.iter_mut().zip(&mut self.cubes).zip(&pairs.higher) {
            let cube = p.powi(3) * cube;
            sums[0] += cube;
            sums[1] += p.powi(6) * sixth;
            *cubes += cube * cube;
        }
        for ((own, r), square) in self.own.iter_mut().zip(&pairs.r).zip(&pairs.square) {
            let null = p * p * square;
            let more = [(p * r).powi(2), null.powi(2), null.powi(3)];
            own.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    /// The sum of the products of different views, with its second and third moment under the null: sums over pairs and
    /// triples of views, by Newton's identities.
    fn moments(&self) -> [f64; 3] {
        let mut moments = [0.0; 3];
        for ((sum, square), [own, two, three]) in self.sums.iter().zip(&self.squares).zip(&self.own) {
            moments[0] += 0.5 * (sum * sum - own);
            moments[1] += 0.5 * (square * square - two);
            moments[2] += square.powi(3) - 3.0 * square * two + 2.0 * three;
        }
        // Where r is skewed, so are products of two.
        for ([cube, _], cubes) in self.higher.iter().zip(&self.cubes) {
            moments[2] += 0.5 * (cube * cube - cubes);
        }
        moments
    }

    /// The standard normal deviate that is as rare as the products of different views.
    fn agreement(&self) -> Option<f64> {
        let [value, variance, third] = self.moments();
        // Of a single view nothing but rounding is left.
        let whole: f64 = self.squares.iter().map(|square| square * square).sum();
        if variance <= 1e-9 * whole {
            return None;
        }
        Some(as_rare(value / variance.sqrt(), third / variance.powf(1.5)))
    }

    fn mean(self) -> Pairs {
        let scaled = |values: Vec<f64>, power: i32| -> Vec<f64> {
            values
                .into_iter()
                .map(|value| value / self.n_samples.powi(power))
                .collect()
        };
        Pairs {
            strongest: None,
            n_samples: self.n_samples,
            r: scaled(self.sums, 1),
            square: scaled(self.squares, 2),
            excess: scaled(self.excesses, 4),
            higher: {
                let [cube, sixth] = [3, 6].map(|power| self.n_samples.powi(power));
                self.higher.into_iter().map(|[x, y]| [x / cube, y / sixth]).collect()
            },
        }
    }
}

impl Statistic {
    fn add(&mut self, other: &Self) {
        self.value += other.value;
        self.mean += other.mean;
        self.variance += other.variance;
        // A view of which it is not known adds nothing: the sum is then the least that it can be.
        self.third += other.third;
    }

    /// The standard normal deviate that is as rare: a sum of squares is skewed, and the more so the fewer pairs there
    /// are. It is taken for a multiple of χ² with these two moments, or for what is skewed more if its third moment says so.
    fn z(&self) -> Option<f64> {
        (self.variance > 0.0).then(|| {
            let variance = self.variance + (KNOWN_TO * self.mean).powi(2);
            let deviation = variance.sqrt();
            let skewness = (2.0 * deviation / self.mean).max(self.third / variance.powf(1.5));
            as_rare((self.value - self.mean) / deviation, skewness)
        })
    }
}

/// The standard normal deviate that is as rare as `z` standard deviations above the mean of a gamma distribution of this
/// skewness, by its cube root (Wilson and Hilferty 1931); below 0, of a mirrored one.
pub(super) fn as_rare(z: f64, skewness: f64) -> f64 {
    if skewness < 0.0 {
        return -as_rare(-z, -skewness);
    }
    if skewness < 1e-3 {
        return z;
    }
    let shape = 4.0 / (skewness * skewness);
    let ratio = (1.0 + z / shape.sqrt()).max(0.0);
    (ratio.cbrt() - (1.0 - 1.0 / (9.0 * shape))) * 3.0 * shape.sqrt()
}

/// The standard normal deviate that is as rare as one of `n` having this: their tail, n times, turned back. Far out
/// both are nearly z²/2 apart from logarithms, so that z² − 2 ln n is near enough.
fn rarest(z: f64, n: usize) -> f64 {
    let square = z * z - 2.0 * (n as f64).ln();
    square.abs().sqrt().copysign(square)
}

/// The same in other units, where values are so large or small that no f64 holds their fourth powers. Powers of two change
/// no digit.
fn of_usual_size(views: &Views) -> Option<Views> {
    const MOST: f64 = 1e60;
    let exponent = |view: &View| {
        let here = if view.is_here() { views.n_nodes() } else { 0 };
        let size = (0..here).map(|node| largest(view.node(node))).fold(0.0, f64::max);
        let is_usual = size == 0.0 || !size.is_finite() || (MOST.recip()..=MOST).contains(&size);
        if is_usual {
            0
        } else {
            (-size.log2() as i32).clamp(-1000, 1000)
        }
    };
    let exponents: Vec<i32> = views.iter().map(exponent).collect();
    if exponents.iter().all(|&exponent| exponent == 0) {
        return None;
    }
    let resized = |(view, exponent): (&View, i32)| -> Vec<f64> {
        let here = if view.is_here() { views.n_nodes() } else { 0 };
        let factor = 2.0_f64.powi(exponent);
        (0..here)
            .flat_map(|node| view.node(node).iter().map(move |x| x * factor))
            .collect()
    };
    Some(views.with_values(views.iter().zip(exponents).map(resized).collect()))
}

/// All nodes, or an evenly spread sample of them.
fn spread(n_nodes: usize) -> Vec<usize> {
    let n = n_nodes.min(MOST_NODES);
    (0..n).map(|k| k * n_nodes / n).collect()
}

/// The correlations of one view between chosen nodes, if it has enough samples.
fn pairs_of(view: &View, index: usize, kind: Kind, nodes: &[usize], membership: &Membership) -> Option<Pairs> {
    let own: Vec<bool> = nodes.iter().map(|&node| membership.has(index, node)).collect();
    let mut pairs = match kind {
        Kind::Gram | Kind::Covariance => precomputed(view, kind, nodes, &own)?,
        Kind::Signals => {
            if let Some(pairs) = units::of(view, nodes, &own) {
                pairs
            } else {
                let stretches = units::stretches(view);
                let residuals = SignalResiduals::of(view, &stretches, nodes, &own)?;
                // Of a few trials nothing else tells what is left of their autocorrelation.
                if stretches.len() > 1 && !residuals.are_freed() {
                    return None;
                }
                let mut pairs = residuals.pairs();
                let offsets = without_offset(&mut pairs, view, kind, nodes, &own);
                pairs.strongest = residuals.strongest(&pairs, &offsets);
                return Some(pairs);
            }
        }
    };
    without_offset(&mut pairs, view, kind, nodes, &own);
    Some(pairs)
}

/// Correlations from a matrix; its samples are taken for independent and Gaussian, since nothing else is known of them.
fn precomputed(view: &View, kind: Kind, nodes: &[usize], own: &[bool]) -> Option<Pairs> {
    let n_samples = view.n_samples().filter(|&n_samples| n_samples >= LEAST_SAMPLES)? as f64;
    let freedom = if kind == Kind::Gram { n_samples } else { n_samples - 1.0 };
    let variance = |node: usize| view.node(node)[node];
    let mut pairs = Pairs {
        strongest: None,
        n_samples,
        r: Vec::new(),
        square: Vec::new(),
        excess: Vec::new(),
        higher: Vec::new(),
    };
    for (k, &a) in nodes.iter().enumerate() {
        for (l, &b) in nodes.iter().enumerate().skip(k + 1) {
            let scale = (variance(a) * variance(b)).sqrt();
            let is_known = own[k] && own[l] && scale > 0.0;
            pairs.r.push(if is_known { view.node(a)[b] / scale } else { 0.0 });
            let square = if is_known { 1.0 / freedom } else { 0.0 };
            pairs.square.push(square);
            // E r⁴ = 3 / (f (f + 2)) of a correlation with f degrees of freedom.
            pairs
                .excess
                .push(square * square * (3.0 * freedom / (freedom + 2.0) - 3.0));
        }
    }
    Some(pairs)
}

/// Whether a view has enough samples to speak of correlations.
pub(super) fn is_enough(n_samples: usize) -> bool {
    n_samples >= LEAST_SAMPLES
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over all signs of three views' correlations of one pair of nodes.
    #[test]
    fn the_moments_of_agreement_are_those_over_all_signs() {
        let (samples, sizes) = ([40.0, 90.0, 150.0], [0.1, 0.05, 0.2]);
        let (mut second, mut third) = (0.0, 0.0);
        let mut variance = 0.0;
        for code in 0..8 {
            let mut pooled = Pooled::new(1);
            for (view, (p, size)) in samples.into_iter().zip(sizes).enumerate() {
                let r = if code >> view & 1 == 1 { size } else { -size };
                pooled.add(&Pairs {
                    n_samples: p,
                    r: vec![r],
                    square: vec![size * size],
                    excess: vec![0.0],
                    higher: Vec::new(),
                    strongest: None,
                });
            }
            let [value, of_second, of_third] = pooled.moments();
            second += value.powi(2) / 8.0;
            third += value.powi(3) / 8.0;
            variance = of_second;
            assert!((of_third - 6.0 * (4.0_f64 * 4.5 * 30.0).powi(2)).abs() < 1e-6 * of_third);
        }
        assert!((second - variance).abs() < 1e-9 * variance, "{second} {variance}");
        assert!(
            (third - 6.0 * (4.0_f64 * 4.5 * 30.0).powi(2)).abs() < 1e-9 * third,
            "{third}"
        );
    }
}
