//! Random problems of the likelihood: covariances of signals on graphs that the views share, charges and masks at random.
//!
//! The example `likelihood_random` includes this file, too.

use std::sync::Arc;

use congraph::methods::likelihood::{Charges, Coupling, Filter, Problem, Signs, Tie, ViewTerm};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// What a problem is made of, as plain numbers: the library's problem and a second solver read the same.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) n: usize,
    pub(crate) views: Vec<ViewPart>,
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) lambda: Vec<f64>,
    pub(crate) beta: Vec<f64>,
    pub(crate) gamma: Vec<f64>,
    pub(crate) coupling: Coupling,
    pub(crate) filter: Filter,
    pub(crate) signs: Signs,
    pub(crate) tie: Tie,
    /// One entry for each edge and view, edge after edge.
    pub(crate) fixed: Option<Vec<bool>>,
}

/// One view: its nodes, its covariance row after row, and how much it counts.
#[derive(Clone, Debug)]
pub(crate) struct ViewPart {
    pub(crate) nodes: Vec<usize>,
    pub(crate) covariance: Vec<f64>,
    pub(crate) weight: f64,
}

impl Parts {
    pub(crate) fn problem(&self) -> Problem {
        let term = |view: &ViewPart| ViewTerm::new(self.n, &view.nodes, &view.covariance, view.weight);
        let charges = Charges {
            lambda: self.lambda.clone(),
            beta: self.beta.clone(),
            gamma: self.gamma.clone(),
            coupling: self.coupling,
        };
        let problem = Problem::new(
            Arc::new(self.views.iter().map(term).collect()),
            Arc::new(self.edges.clone()),
            charges,
            self.filter,
            self.signs,
            self.tie.clone(),
        )
        .expect("sound parts");
        match &self.fixed {
            Some(fixed) => problem.with_fixed(fixed.clone()).expect("one entry for each weight"),
            None => problem,
        }
    }
}

pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// All pairs of `n` nodes.
pub(crate) fn all_pairs(n: usize) -> Vec<[u32; 2]> {
    (0..n as u32)
        .flat_map(|a| (a + 1..n as u32).map(move |b| [a, b]))
        .collect()
}

/// A precision matrix of a random graph, diagonally dominant, row after row.
fn precision(n: usize, density: f64, signs: Signs, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for [a, b] in all_pairs(n) {
        let (a, b) = (a as usize, b as usize);
        if rng.random_bool(density) {
            let size = rng.random_range(0.3..2.0);
            let sign = if signs == Signs::Both && rng.random_bool(0.5) {
                -1.0
            } else {
                1.0
            };
            matrix[a * n + b] = -sign * size;
            matrix[b * n + a] = -sign * size;
        }
    }
    dominate(n, &mut matrix, rng.random_range(0.02..0.5));
    matrix
}

fn dominate(n: usize, matrix: &mut [f64], margin: f64) {
    for a in 0..n {
        let degree: f64 = (0..n).filter(|&b| b != a).map(|b| matrix[a * n + b].abs()).sum();
        matrix[a * n + a] = degree + margin;
    }
}

/// The same with a tenth of its edges drawn anew.
fn varied(n: usize, shared: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut matrix = shared.to_vec();
    for [a, b] in all_pairs(n) {
        let (a, b) = (a as usize, b as usize);
        if matrix[a * n + b] != 0.0 && rng.random_bool(0.1) {
            let other = rng.random_range(0..n);
            let weight = matrix[a * n + b];
            matrix[a * n + b] = 0.0;
            matrix[b * n + a] = 0.0;
            if other != a {
                matrix[a * n + other] = weight;
                matrix[other * n + a] = weight;
            }
        }
    }
    dominate(n, &mut matrix, 0.1);
    matrix
}

/// The lower factor of a positive definite matrix.
pub(crate) fn cholesky(n: usize, matrix: &[f64]) -> Option<Vec<f64>> {
    let mut lower = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
            let rest = matrix[i * n + j] - sum;
            if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return None;
                }
                lower[i * n + i] = rest.sqrt();
            } else {
                lower[i * n + j] = rest / lower[j * n + j];
            }
        }
    }
    Some(lower)
}

/// The covariance of `p` signals with precision M or M², centred.
fn covariance(n: usize, precision: &[f64], p: usize, order: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let lower = cholesky(n, precision).expect("a dominant diagonal");
    let mut samples = Vec::with_capacity(p);
    for _ in 0..p {
        let mut x: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
        if order == 2 {
            for i in 0..n {
                let known: f64 = (0..i).map(|k| lower[i * n + k] * x[k]).sum();
                x[i] = (x[i] - known) / lower[i * n + i];
            }
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| lower[k * n + i] * x[k]).sum();
            x[i] = (x[i] - known) / lower[i * n + i];
        }
        samples.push(x);
    }
    for a in 0..n {
        let mean = samples.iter().map(|x| x[a]).sum::<f64>() / p as f64;
        samples.iter_mut().for_each(|x| x[a] -= mean);
    }
    let mut matrix = vec![0.0; n * n];
    for a in 0..n {
        for b in 0..=a {
            let entry = samples.iter().map(|x| x[a] * x[b]).sum::<f64>() / p as f64;
            matrix[a * n + b] = entry;
            matrix[b * n + a] = entry;
        }
    }
    matrix
}

/// Divides by the mean variance, or makes correlations.
fn normalise(n: usize, matrix: &mut [f64], correlations: bool) {
    let mean = (0..n).map(|a| matrix[a * n + a]).sum::<f64>() / n as f64;
    let sizes: Vec<f64> = (0..n)
        .map(|a| {
            if correlations {
                matrix[a * n + a].sqrt()
            } else {
                mean.sqrt()
            }
        })
        .collect();
    for (k, x) in matrix.iter_mut().enumerate() {
        *x /= sizes[k / n] * sizes[k % n];
    }
}

/// Lifts a covariance along the mean of all nodes, to `size` times the largest variance beside it.
fn lift(n: usize, matrix: &mut [f64], size: f64) {
    let centre = |x: &mut Vec<f64>| {
        let mean = x.iter().sum::<f64>() / n as f64;
        x.iter_mut().for_each(|x| *x -= mean);
    };
    let mut x: Vec<f64> = (0..n).map(|a| a as f64 * if a % 2 == 0 { 1.0 } else { -0.7 }).collect();
    centre(&mut x);
    let mut largest = 0.0;
    for _ in 0..60 {
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut next: Vec<f64> = (0..n)
            .map(|a| (0..n).map(|b| matrix[a * n + b] * x[b] / length).sum())
            .collect();
        centre(&mut next);
        largest = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        x = next;
    }
    let along = matrix.iter().sum::<f64>() / n as f64;
    let added = (size * largest - along).max(0.0) / n as f64;
    matrix.iter_mut().for_each(|x| *x += added);
}

/// How large a problem is, and what it may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) n: usize,
    pub(crate) n_views: usize,
    pub(crate) filter: Filter,
    pub(crate) signs: Signs,
    /// Samples per node, as powers of ten: from, to.
    pub(crate) samples: (f64, f64),
}

/// 10^x with x uniform.
fn log_uniform(rng: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    10.0_f64.powf(rng.random_range(low..high))
}

/// A random problem: samples from n/2 up, coupled by b of 0.3 to 8 over √p, and every other choice a coin.
pub(crate) fn random(wanted: Wanted, rng: &mut ChaCha8Rng) -> Parts {
    let Wanted {
        n,
        n_views,
        filter,
        signs,
        samples: (fewest, most),
    } = wanted;
    let is_signed = signs == Signs::Both;
    let density = (log_uniform(rng, 0.0, 1.0) / n as f64).min(0.5);
    let shared = precision(n, density, signs, rng);
    let p = (n as f64 * log_uniform(rng, fewest, most)).ceil().max(3.0) as usize;
    let (correlations, is_lifted) = (is_signed || rng.random_bool(0.2), !is_signed && rng.random_bool(0.3));
    let lifted = log_uniform(rng, 0.3, 1.3);
    let has_masks = n_views > 1 && rng.random_bool(0.3);
    let order = if rng.random_bool(0.7) {
        filter.order()
    } else {
        3 - filter.order()
    };
    let mut views = Vec::with_capacity(n_views);
    for _ in 0..n_views {
        let own = varied(n, &shared, rng);
        let samples = (p as f64 * rng.random_range(0.5..1.5)).ceil().max(3.0) as usize;
        let whole = covariance(n, &own, samples, if is_signed { 1 } else { order }, rng);
        let nodes: Vec<usize> = (0..n)
            .filter(|&a| !has_masks || a < 2 || rng.random_bool(0.8))
            .collect();
        let m = nodes.len();
        let mut matrix: Vec<f64> = (0..m * m).map(|k| whole[nodes[k / m] * n + nodes[k % m]]).collect();
        normalise(m, &mut matrix, correlations);
        if is_lifted && m > 2 {
            lift(m, &mut matrix, lifted);
        }
        views.push(ViewPart {
            nodes,
            covariance: matrix,
            weight: samples as f64,
        });
    }
    let mean = views.iter().map(|view| view.weight).sum::<f64>() / n_views as f64;
    views.iter_mut().for_each(|view| view.weight /= mean);
    let forbids = rng.random_bool(0.2);
    let mut edges = all_pairs(n);
    edges.retain(|_| !forbids || rng.random_bool(0.7));
    let root = mean.sqrt();
    let usual = if is_signed {
        log_uniform(rng, -0.7, 0.5) / root
    } else if rng.random_bool(0.5) {
        0.0
    } else {
        log_uniform(rng, -2.0, 0.3) / root
    };
    let beta = log_uniform(rng, -0.52, 0.9) / root;
    let gamma = if rng.random_bool(0.5) {
        0.0
    } else {
        beta * n_views as f64 * rng.random_range(0.0..1.2)
    };
    let (has_costs, has_betas) = (rng.random_bool(0.2), rng.random_bool(0.2));
    let mut each = |x: f64, varies: bool| -> Vec<f64> {
        edges
            .iter()
            .map(|_| if varies { x * rng.random_range(0.3..3.0) } else { x })
            .collect()
    };
    let (lambda, beta, gamma) = (each(usual, has_costs), each(beta, has_betas), each(gamma, false));
    let tie = if n_views == 1 || rng.random_bool(0.1) {
        Tie::None
    } else if rng.random_bool(0.1) {
        let weight = |rng: &mut ChaCha8Rng| {
            let size = if rng.random_bool(0.3) {
                rng.random_range(0.0..1.0)
            } else {
                0.0
            };
            if is_signed && rng.random_bool(0.5) { -size } else { size }
        };
        Tie::Frozen(edges.iter().map(|_| weight(rng)).collect())
    } else {
        Tie::Consensus
    };
    let fixed = rng
        .random_bool(0.2)
        .then(|| (0..edges.len() * n_views).map(|_| rng.random_bool(0.3)).collect());
    Parts {
        n,
        views,
        edges,
        lambda,
        beta,
        gamma,
        coupling: Coupling::L1,
        filter,
        signs,
        tie,
        fixed,
    }
}

/// One of the three kinds in turn (q = 1, q = 2, signed) of random size: mostly small, `most` nodes at most.
pub(crate) fn numbered(number: usize, most: usize, rng: &mut ChaCha8Rng) -> Parts {
    let (filter, signs) = match number % 3 {
        0 => (Filter::Once, Signs::Attractive),
        1 => (Filter::Twice, Signs::Attractive),
        _ => (Filter::Once, Signs::Both),
    };
    let n = (5.0 * (most as f64 / 5.0).powf(rng.random_range(0.0..1.0_f64).powi(2))).round() as usize;
    let n_views = rng.random_range(1..=8);
    random(
        Wanted {
            n,
            n_views,
            filter,
            signs,
            samples: (-0.3, 1.0),
        },
        rng,
    )
}

/// The same with departures charged otherwise. What ℓ2 and squares weigh grows with the views and with their weights: half
/// of the charges of ℓ1 and more keep all kinds of edges in.
#[allow(dead_code)] // The example likelihood_random shares this file.
pub(crate) fn coupled_by(coupling: Coupling, mut parts: Parts) -> Parts {
    parts.coupling = coupling;
    let root = (parts.views.len() as f64).sqrt();
    match coupling {
        Coupling::L1 => (),
        Coupling::L2 => parts.beta.iter_mut().for_each(|beta| *beta *= root),
        Coupling::SquaredL2 => parts.beta.iter_mut().for_each(|beta| *beta *= 2.0),
    }
    parts
}

/// Makes a problem worse than data are: sizes that differ ten-thousandfold, charges over four decades, and some of them
/// none or infinite.
pub(crate) fn harden(parts: &mut Parts, rng: &mut ChaCha8Rng) {
    let sizes: Vec<f64> = (0..parts.n)
        .map(|_| 10.0_f64.powf(rng.random_range(-2.0..2.0)))
        .collect();
    let is_scaled = rng.random_bool(0.5);
    for view in &mut parts.views {
        let n = view.nodes.len();
        for k in (0..n * n).filter(|_| is_scaled) {
            view.covariance[k] *= sizes[view.nodes[k / n]] * sizes[view.nodes[k % n]];
        }
        view.weight *= 10.0_f64.powf(rng.random_range(-1.0..1.0));
    }
    let factor = 10.0_f64.powf(rng.random_range(-2.0..2.0));
    parts.beta.iter_mut().for_each(|beta| *beta *= factor);
    parts
        .beta
        .iter_mut()
        .filter(|_| rng.random_bool(0.1))
        .for_each(|beta| *beta = 0.0);
    parts
        .gamma
        .iter_mut()
        .filter(|_| rng.random_bool(0.1))
        .for_each(|gamma| *gamma = f64::INFINITY);
}

pub(crate) fn describe(parts: &Parts) -> String {
    let tie = match parts.tie {
        Tie::None => "none",
        Tie::Consensus => "consensus",
        Tie::Frozen(_) => "frozen",
    };
    format!(
        "{:?}, q = {}, {:?}, n = {}, N = {}, edges {}, lambda {:.3}, beta {:.3}, gamma {:.3}, tie {tie}, fixed {}, nodes {:?}",
        parts.coupling,
        parts.filter.order(),
        parts.signs,
        parts.n,
        parts.views.len(),
        parts.edges.len(),
        parts.lambda.first().unwrap_or(&0.0),
        parts.beta.first().unwrap_or(&0.0),
        parts.gamma.first().unwrap_or(&0.0),
        parts.fixed.is_some(),
        parts.views.iter().map(|view| view.nodes.len()).collect::<Vec<_>>(),
    )
}
