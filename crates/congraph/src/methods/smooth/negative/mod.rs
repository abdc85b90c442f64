//! Negative association, which graphs with weights ≥ 0 cannot show (W14).
//!
//! An edge costs the distance between its ends, and nodes with r = −0.99 are as far apart as nodes can be. Where
//! negative association is part of what ties nodes together, as between genes, its edges are lost, and the user should
//! know.
//!
//! Negative correlations as such say little: whatever adds up to zero over the nodes (average references, smooth
//! signals without a constant part) has many between nodes that are far apart. So only the **strongest** association of
//! each node is considered. On smooth signals that is with a neighbour and positive; where half of the edges are
//! negative, it is negative for half of the nodes. One counts if it is
//!
//! ```text
//! beyond chance   |r| > tanh(z/√(p − 3)), z for one false one in 1000 data sets; p effective samples, not nominal ones
//! no trifle       |r| > 0.12
//! no outlier's    the rank correlation is nearly as strong
//! no mere sum     signals that add up to zero get their constant part back first, as large as their largest part:
//!                 r ← (r + l)/(1 + l)
//! ```
//!
//! The warning is given if at least two count, and one in twenty of all that are beyond chance, in the views or in
//! their mean. `examples/negative_study.rs` measures how often that is right.

mod ranks;

use ranks::Ranks;
use rayon::prelude::*;

use crate::distances::Distances;
use crate::error::{Warning, list_names};
use crate::options::option;
use crate::parallel::kernels::row_products;
use crate::parallel::simd::{sum, vectorised};
use crate::signals::{SampleNorm, Scale, Scaling};
use crate::views::{Kind, View, Views};

/// Correlations below this are no news, however sure.
const TRIFLE: f64 = 0.12;
/// The share of strongest associations that must be negative.
const SHARE: f64 = 0.05;
/// The chance that one correlation of all is taken for real where none is.
const CHANCE: f64 = 1e-3;
/// Views with fewer effective samples tell nothing.
const FEWEST_SAMPLES: f64 = 15.0;
/// Precomputed matrices of unknown samples are judged as if these were so many.
const UNKNOWN_SAMPLES: f64 = 100.0;
/// How large a rank correlation must be, relative to what is beyond chance.
const RANKS: f64 = 0.9;
/// The variance of the sum over the nodes, relative to the sum of variances, of signals that add up to zero.
const ZERO_SUM: f64 = 0.03;
/// The most products of numbers that are spent on correlations, and the fewest nodes asked.
const BUDGET: usize = 50_000_000;
const FEWEST_NODES: usize = 16;
/// How many pairs are named.
const NAMED: usize = 3;

/// What is said if views have negative associations that their graphs cannot show.
pub fn negative_associations(views: &Views) -> Option<Warning> {
    let asked = asked(views, BUDGET);
    judged(views, &asked_for(views, &asked)?, asked.len())
}

/// The same, with the help of distances that are there already where these are of all pairs of z-scored nodes.
pub(crate) fn warning(views: &Views, distances: &Distances, scaling: &Scaling, costs: bool) -> Option<Warning> {
    let complete = distances.edges().n_edges() == views.n_pairs() && !costs;
    if scaling.scale != Scale::Zscore || !complete {
        return negative_associations(views);
    }
    let strongest = of_distances(views, distances, scaling.sample_norm)?;
    judged(views, &strongest, views.n_nodes())
}

/// The largest and the smallest correlation of one node with others.
#[derive(Clone, Copy, Debug)]
struct Strongest {
    node: usize,
    high: f64,
    low: f64,
    /// With whom the smallest is.
    partner: usize,
}

impl Strongest {
    fn new(node: usize) -> Self {
        Self {
            node,
            high: f64::NEG_INFINITY,
            low: f64::INFINITY,
            partner: node,
        }
    }

    fn add(&mut self, other: usize, correlation: f64) {
        self.high = self.high.max(correlation);
        if correlation < self.low {
            (self.low, self.partner) = (correlation, other);
        }
    }

    /// The strongest of both signs, once `lift` is added to the signals' constant part.
    fn lifted(&self, lift: f64) -> [f64; 2] {
        [self.high, self.low].map(|correlation| (correlation + lift) / (1.0 + lift))
    }
}

/// The strongest correlations of the nodes that were asked, in every view and in the mean of all views.
struct Asked {
    views: Vec<Vec<Strongest>>,
    mean: Vec<Strongest>,
}

/// What correlations of a view are measured by.
#[derive(Clone, Copy, Debug)]
struct Level {
    samples: f64,
    lift: f64,
}

/// Every view's nominal number of samples.
fn sizes(views: &Views) -> Vec<f64> {
    let size = |view: &View| view.n_samples().map_or(UNKNOWN_SAMPLES, |n| n as f64);
    views.iter().map(size).collect()
}

/// As many nodes as the budget allows, evenly spaced.
fn asked(views: &Views, budget: usize) -> Vec<usize> {
    let n = views.n_nodes();
    let n_values: usize = views.iter().filter_map(View::n_samples).sum::<usize>().max(1);
    let most = (budget / n_values / n).max(FEWEST_NODES).min(n);
    (0..most).map(|k| k * n / most).collect()
}

/// Correlations from the signals; none for precomputed matrices.
fn asked_for(views: &Views, asked: &[usize]) -> Option<Asked> {
    if views.kind() != Kind::Signals {
        return None;
    }
    let sizes = sizes(views);
    let n = views.n_nodes();
    let mut means = vec![vec![[0.0; 2]; n]; asked.len()];
    let mut found = Asked {
        views: Vec::with_capacity(views.n_views()),
        mean: Vec::new(),
    };
    let all: Vec<usize> = (0..views.n_views()).collect();
    for some in all.chunks(views.at_once()) {
        // The norms of all nodes, and then the products with those asked.
        let told = views.ask_of(some, |index| {
            let view = views.view(index);
            let norms = (0..n).into_par_iter().map(|node| norm(view.node(node)));
            let mut told: Vec<f64> = norms.collect();
            products_with(view, n, asked)
                .iter()
                .for_each(|block| told.extend_from_slice(block));
            told
        });
        for (&index, told) in some.iter().zip(&told) {
            let (norms, products) = told.split_at(n);
            let has = |node: usize| views.has(index, node) && norms[node] > 0.0;
            let of_node = |(k, means): (usize, &mut Vec<[f64; 2]>)| {
                let node = asked[k];
                let mut strongest = Strongest::new(node);
                for other in (0..n).filter(|&other| other != node && has(node) && has(other)) {
                    let block = &products[other / NODES * asked.len() * NODES..];
                    let correlation = block[k * NODES + other % NODES] / norms[other];
                    strongest.add(other, correlation);
                    means[other][0] += sizes[index] * correlation;
                    means[other][1] += sizes[index];
                }
                strongest
            };
            found
                .views
                .push(means.par_iter_mut().enumerate().map(of_node).collect());
        }
    }
    let mean = |(&node, means): (&usize, Vec<[f64; 2]>)| {
        let mut mean = Strongest::new(node);
        for (other, [sum, size]) in means.into_iter().enumerate().filter(|(_, [_, size])| *size > 0.0) {
            mean.add(other, sum / size);
        }
        mean
    };
    found.mean = asked.iter().zip(means).map(mean).collect();
    Some(found)
}

/// Nodes that are multiplied with those asked at a time.
const NODES: usize = 128;

/// The products of the standardised signals of some nodes with the signals of all: for each block of nodes, one row of
/// [`NODES`] entries for each of the former.
fn products_with(view: &View, n_nodes: usize, asked: &[usize]) -> Vec<Vec<f64>> {
    let left: Vec<f64> = asked.iter().flat_map(|&node| standardised(view.node(node))).collect();
    let p = view.node(0).len();
    let of_block = |block: usize| {
        let nodes = block * NODES..n_nodes.min((block + 1) * NODES);
        let mut right = Vec::with_capacity(nodes.len() * p);
        nodes.for_each(|node| right.extend_from_slice(view.node(node)));
        let mut products = vec![0.0; asked.len() * NODES];
        row_products(p, 0..p, [&left[..], &right[..]], &mut products, NODES, false);
        products
    };
    (0..n_nodes.div_ceil(NODES)).into_par_iter().map(of_block).collect()
}

/// Correlations from the distances of z-scored nodes, 2 (1 − r); none if sums over an unknown number of samples are.
fn of_distances(views: &Views, distances: &Distances, norm: SampleNorm) -> Option<Asked> {
    let sizes = sizes(views);
    if norm == SampleNorm::Sum && views.iter().any(|view| view.n_samples().is_none()) {
        return None;
    }
    let unit = |index: usize| match norm {
        SampleNorm::Mean => distances.divisor() / 2.0,
        SampleNorm::Sum => distances.divisor() / (2.0 * sizes[index]),
    };
    let units: Vec<f64> = (0..views.n_views()).map(unit).collect();
    let nodes = || (0..views.n_nodes()).map(Strongest::new).collect::<Vec<_>>();
    let mut found = Asked {
        views: vec![nodes(); views.n_views()],
        mean: nodes(),
    };
    for (&[a, b], row) in distances.edges().pairs().iter().zip(distances.values().rows()) {
        let (a, b) = (a as usize, b as usize);
        let (mut sum, mut size) = (0.0, 0.0);
        for (index, &distance) in row.iter().enumerate().filter(|(_, distance)| distance.is_finite()) {
            let correlation = 1.0 - units[index] * distance;
            found.views[index][a].add(b, correlation);
            found.views[index][b].add(a, correlation);
            sum += sizes[index] * correlation;
            size += sizes[index];
        }
        if size > 0.0 {
            found.mean[a].add(b, sum / size);
            found.mean[b].add(a, sum / size);
        }
    }
    Some(found)
}

/// First by what is known at no cost, and then, where that gives reason to, with all care.
fn judged(views: &Views, asked: &Asked, n_asked: usize) -> Option<Warning> {
    let n_pairs = if n_asked == views.n_nodes() {
        n_asked as f64 * (n_asked as f64 - 1.0) / 2.0
    } else {
        n_asked as f64 * views.n_nodes() as f64
    };
    let surely = beyond_chance(n_pairs * (views.n_views() + 1) as f64);
    let at_first: Vec<Level> = sizes(views)
        .iter()
        .map(|&samples| Level { samples, lift: 0.0 })
        .collect();
    count(views, asked, &at_first, surely, 0.5 * SHARE, &mut |_, _, _, _| true)?;
    let levels = views.ask(|index| vec![effective_samples(views, index), lift(views, index)]);
    let levels: Vec<Level> = levels
        .iter()
        .map(|told| Level {
            samples: told[0],
            lift: told[1],
        })
        .collect();
    let mut ranks = Ranks::default();
    let found = count(views, asked, &levels, surely, SHARE, &mut |index, one, level, least| {
        ranks
            .correlation(views, index, one)
            .is_none_or(|rank| (rank + level.lift) / (1.0 + level.lift) < -RANKS * least)
    })?;
    Some(found.warning(views))
}

/// The |z| that one of so many independent correlations exceeds with the chance that is accepted.
fn beyond_chance(n: f64) -> f64 {
    // Mills: P(|N| > z) ≤ 2 φ(z)/z.
    let next = |z: f64| (2.0 * (n.max(1.0) * (2.0 / std::f64::consts::PI).sqrt() / (CHANCE * z)).ln()).sqrt();
    (0..20).fold(5.0, |z, _| next(z))
}

/// The least correlation that is beyond chance and no trifle; none if there are too few samples to tell.
fn least(samples: f64, surely: f64) -> Option<f64> {
    (samples >= FEWEST_SAMPLES).then(|| (surely / (samples - 3.0).sqrt()).tanh().max(TRIFLE))
}

/// Strongest associations that are negative, and how many there are of either sign.
struct Found {
    negative: Vec<(Option<usize>, Strongest)>,
    n_strong: usize,
}

/// Whether a negative one holds on a closer look: given its view (none in the mean of all), itself, what it is measured
/// by, and the least that counts.
type Holds<'a> = dyn FnMut(Option<usize>, &Strongest, Level, f64) -> bool + 'a;

/// Those in views, or in the mean of all views, if they are enough; `holds` is asked of each negative one.
fn count(
    views: &Views,
    asked: &Asked,
    levels: &[Level],
    surely: f64,
    share: f64,
    holds: &mut Holds<'_>,
) -> Option<Found> {
    let mut of = |sets: &[(Option<usize>, &[Strongest], Level)]| {
        let (mut negative, mut n_strong) = (Vec::new(), 0);
        for &(view, strongest, level) in sets {
            let Some(least) = least(level.samples, surely) else {
                continue;
            };
            for one in strongest.iter().filter(|one| one.partner != one.node) {
                let [high, low] = one.lifted(level.lift);
                n_strong += usize::from(high.max(-low) > least);
                if -low > high.max(least) && holds(view, one, level, least) {
                    negative.push((view, *one));
                }
            }
        }
        let enough = negative.len() >= 2 && negative.len() as f64 >= share * n_strong as f64;
        enough.then_some(Found { negative, n_strong })
    };
    let single: Vec<(Option<usize>, &[Strongest], Level)> = levels
        .iter()
        .enumerate()
        .map(|(index, level)| (Some(index), asked.views[index].as_slice(), *level))
        .collect();
    of(&single).or_else(|| {
        let sizes = sizes(views);
        let all: f64 = sizes.iter().sum();
        let spread: f64 = sizes
            .iter()
            .zip(levels)
            .map(|(size, level)| size * size / level.samples)
            .sum();
        let lift: f64 = sizes.iter().zip(levels).map(|(size, level)| size * level.lift).sum();
        let samples = if levels.iter().all(|level| level.samples >= FEWEST_SAMPLES) {
            all * all / spread
        } else {
            0.0
        };
        let level = Level {
            samples,
            lift: lift / all,
        };
        of(&[(None, &asked.mean, level)])
    })
}

impl Found {
    fn warning(mut self, views: &Views) -> Warning {
        let n_negative = self.negative.len();
        self.negative.sort_by(|(_, one), (_, two)| one.low.total_cmp(&two.low));
        let mut pairs: Vec<String> = Vec::new();
        for (_, one) in &self.negative {
            let [a, b] = [one.node.min(one.partner), one.node.max(one.partner)].map(|node| &views.nodes()[node]);
            let name = format!("{a}–{b} (r = ");
            if pairs.len() < NAMED && !pairs.iter().any(|known| known.starts_with(&name)) {
                pairs.push(format!("{name}−{:.2})", -one.low));
            }
        }
        let place = if self.negative.iter().all(|(view, _)| view.is_none()) {
            "in the mean of the views"
        } else {
            "within a view"
        };
        Warning::new(
            "W14",
            format!(
                "{n_negative} of {} nodes' strongest associations {place} are negative, such as {}: an edge needs \
                 positive association, so the graphs cannot show these. {} gives pairs negative edges, too; {} learns \
                 precision matrices, which have both signs",
                self.n_strong,
                list_names(&pairs),
                option("signed").set_to("yes"),
                option("method").set_to("jgl-group")
            ),
        )
    }
}

#[inline(always)]
fn product(x: &[f64], y: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let ((xs, x_rest), (ys, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum::<f64>()
}

/// The root of the sum of squares around the mean.
fn norm(signal: &[f64]) -> f64 {
    let square = vectorised(
        #[inline(always)]
        || {
            let mean = sum(signal, |x| x) / signal.len() as f64;
            sum(signal, |x| (x - mean) * (x - mean)).sqrt()
        },
    );
    if square.is_normal() { square } else { 0.0 }
}

/// A signal with mean 0 and a sum of squares of 1; 0 throughout if it does not vary.
fn standardised(signal: &[f64]) -> Vec<f64> {
    let mean = sum(signal, |x| x) / signal.len() as f64;
    let norm = norm(signal);
    let unit = if norm > 0.0 { norm.recip() } else { 0.0 };
    signal.iter().map(|x| (x - mean) * unit).collect()
}

/// How many independent samples correlations within a view are worth: p / (1 + 2 Σ r(k)²) over the lags k, with the
/// mean over some nodes of their squared autocorrelations less what white signals have.
fn effective_samples(views: &Views, index: usize) -> f64 {
    const NODES: usize = 8;
    let view = views.view(index);
    let Some(p) = view.n_samples().filter(|_| views.kind() == Kind::Signals) else {
        return sizes(views)[index];
    };
    let own: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(index, node)).collect();
    let n_nodes = own.len().min(NODES);
    let signals: Vec<Vec<f64>> = (0..n_nodes)
        .map(|k| standardised(view.node(own[k * own.len() / n_nodes])))
        .collect();
    let (mut sum, mut quiet) = (0.0, 0);
    for lag in 1..=p / 4 {
        let square = |signal: &Vec<f64>| product(&signal[..p - lag], &signal[lag..]).powi(2);
        let mean = signals.iter().map(square).sum::<f64>() / n_nodes as f64;
        let more = mean - (1.0 - lag as f64 / p as f64) / p as f64;
        sum += more.max(0.0);
        quiet = if more > 0.0 { 0 } else { quiet + 1 };
        // Beyond the memory of the signals there is only chance.
        if quiet > 10 {
            break;
        }
    }
    p as f64 / (1.0 + 2.0 * sum)
}

/// What correlations lack of a constant part, if the signals add up to zero: the largest eigenvalue of the correlation
/// matrix over the number of nodes. The constant signal is the smoothest, and would have no less.
fn lift(views: &Views, index: usize) -> f64 {
    const STEPS: usize = 20;
    let view = views.view(index);
    let own: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(index, node)).collect();
    let n = own.len() as f64;
    if views.kind() != Kind::Signals {
        let (all, diagonal) = own.iter().fold((0.0, 0.0), |(all, diagonal), &node| {
            let row: f64 = own.iter().map(|&other| view.node(node)[other]).sum();
            (all + row, diagonal + view.node(node)[node])
        });
        let root = |node: usize| view.node(node)[node].max(0.0).sqrt();
        let step = |weights: &[f64]| -> Vec<f64> {
            let entry =
                |node: usize, other: usize| view.node(node)[other] / (root(node) * root(other)).max(f64::MIN_POSITIVE);
            let of = |&node: &usize| own.iter().zip(weights).map(|(&other, w)| entry(node, other) * w).sum();
            own.iter().map(of).collect()
        };
        return if all < ZERO_SUM * diagonal {
            largest(own.len(), STEPS, step) / n
        } else {
            0.0
        };
    }
    let n_samples = view.node(own[0]).len();
    let (mut sum, mut squares) = (vec![0.0; n_samples], 0.0);
    for &node in &own {
        let signal = view.node(node);
        let mean = signal.iter().sum::<f64>() / n_samples as f64;
        sum.iter_mut().zip(signal).for_each(|(sum, x)| *sum += x - mean);
        squares += norm(signal).powi(2);
    }
    if product(&sum, &sum) >= ZERO_SUM * squares {
        return 0.0;
    }
    let step = |weights: &[f64]| -> Vec<f64> {
        let mut along = vec![0.0; n_samples];
        for (&node, weight) in own.iter().zip(weights) {
            let signal = standardised(view.node(node));
            along.iter_mut().zip(&signal).for_each(|(sum, x)| *sum += weight * x);
        }
        own.iter()
            .map(|&node| product(&standardised(view.node(node)), &along))
            .collect()
    };
    largest(own.len(), STEPS, step) / n
}

/// The largest eigenvalue of a matrix that is applied by `step`, by the power method.
fn largest(n: usize, steps: usize, step: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
    // No eigenvector of such matrices is likely to be orthogonal to this.
    let mut weights: Vec<f64> = (0..n)
        .map(|k| 1.0 + (k as f64 * 0.754_877_666).fract() * if k % 2 == 0 { 1.0 } else { -3.0 })
        .collect();
    let mut value = 0.0;
    for _ in 0..steps {
        let size = product(&weights, &weights).sqrt();
        if size.is_nan() || size <= 0.0 {
            return 0.0;
        }
        weights.iter_mut().for_each(|w| *w /= size);
        let next = step(&weights);
        value = product(&weights, &next);
        weights = next;
    }
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}
