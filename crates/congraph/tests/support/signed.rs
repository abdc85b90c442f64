//! Data with and without negative association.

use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::{Error, Table};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};

/// What data sets without structure are drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Null {
    White,
    /// Student's t with two degrees of freedom.
    HeavyTailed,
    /// Each sample 0.9 times the one before, and news.
    Series,
    /// White, less the mean over the nodes.
    AverageReferenced,
}

/// Views of independent nodes.
pub(crate) fn null(kind: Null, n_nodes: usize, n_views: usize, n_samples: usize, seed: u64) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let view = |k: usize| {
        let mut values: Vec<f64> = Vec::with_capacity(n_samples * n_nodes);
        let mut state = vec![0.0; n_nodes];
        let before = if matches!(kind, Null::Series) { 200 } else { 0 };
        for sample in 0..before + n_samples {
            for x in &mut state {
                let news: f64 = normal(&mut rng);
                *x = match kind {
                    Null::White | Null::AverageReferenced => news,
                    Null::HeavyTailed => StudentT::new(2.0).map_or(news, |t| t.sample(&mut rng)),
                    Null::Series => 0.9 * *x + news,
                };
            }
            let mean = match kind {
                Null::AverageReferenced => state.iter().sum::<f64>() / n_nodes as f64,
                _ => 0.0,
            };
            if sample >= before {
                values.extend(state.iter().map(|x| x - mean));
            }
        }
        Table::new(format!("view{k}"), n_nodes, values)
    };
    (0..n_views).map(view).collect()
}

/// How smooth signals are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmoothSignals {
    pub(crate) graph: GraphModel,
    pub(crate) filter: Filter,
    pub(crate) n_nodes: usize,
    pub(crate) n_views: usize,
    pub(crate) n_samples: usize,
    pub(crate) seed: u64,
}

impl SmoothSignals {
    fn settings(&self) -> Settings {
        Settings {
            n_nodes: self.n_nodes,
            n_views: self.n_views,
            n_signals: vec![self.n_samples],
            graph: self.graph,
            filter: self.filter,
            seed: self.seed,
            ..Settings::default()
        }
    }

    /// Ordinary smooth signals.
    pub(crate) fn tables(&self) -> Result<Vec<Table>, Error> {
        Ok(simulate(&self.settings())?.tables)
    }

    /// The same with the signs of about half of the nodes turned in all views: half of the edges become negative.
    pub(crate) fn turned(&self) -> Result<Vec<Table>, Error> {
        let mut tables = self.tables()?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ 0x5eed);
        let signs: Vec<f64> = (0..self.n_nodes).map(|_| sign(&mut rng)).collect();
        for table in &mut tables {
            let turned = |(k, x): (usize, &f64)| x * signs[k % self.n_nodes];
            table.values = table.values.iter().enumerate().map(turned).collect();
        }
        Ok(tables)
    }

    /// Signals on the same graphs with half of the edges negative: filtered by L† (or, for the Gaussian filter, by a root of
    /// it) of the signed Laplacian, with a tenth of noise.
    pub(crate) fn signed(&self) -> Result<Vec<Table>, Error> {
        let truth = simulate(&self.settings())?.truth;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ 0x51_9ed);
        let signs: Vec<f64> = truth.pairs().iter().map(|_| sign(&mut rng)).collect();
        let n = self.n_nodes;
        let view = |view: usize| {
            let mut laplacian = vec![0.0; n * n];
            for ((&[a, b], row), sign) in truth.pairs().iter().zip(truth.weights().rows()).zip(&signs) {
                let (a, b, weight) = (a as usize, b as usize, row[view]);
                laplacian[a * n + b] = -sign * weight;
                laplacian[b * n + a] = -sign * weight;
                laplacian[a * n + a] += weight;
                laplacian[b * n + b] += weight;
            }
            (0..n).for_each(|a| laplacian[a * n + a] += 1e-3);
            let factor = cholesky(n, laplacian);
            let mut values: Vec<f64> = Vec::with_capacity(n * self.n_samples);
            for _ in 0..self.n_samples {
                let mut x: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
                if !matches!(self.filter, Filter::Gaussian) {
                    forward(n, &factor, &mut x);
                }
                backward(n, &factor, &mut x);
                values.extend(x);
            }
            let size = (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt();
            values.iter_mut().for_each(|x| *x += 0.1 * size * normal(&mut rng));
            Table::new(format!("view{view}"), n, values)
        };
        Ok((0..self.n_views).map(view).collect())
    }
}

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn sign(rng: &mut impl Rng) -> f64 {
    if rng.random_bool(0.5) { -1.0 } else { 1.0 }
}

/// The lower factor of a positive definite matrix.
fn cholesky(n: usize, mut matrix: Vec<f64>) -> Vec<f64> {
    for j in 0..n {
        for k in 0..j {
            let factor = matrix[j * n + k];
            (j..n).for_each(|i| matrix[i * n + j] -= matrix[i * n + k] * factor);
        }
        let root = matrix[j * n + j].max(1e-12).sqrt();
        (j..n).for_each(|i| matrix[i * n + j] /= root);
    }
    matrix
}

fn forward(n: usize, factor: &[f64], x: &mut [f64]) {
    for i in 0..n {
        let known: f64 = (0..i).map(|k| factor[i * n + k] * x[k]).sum();
        x[i] = (x[i] - known) / factor[i * n + i];
    }
}

fn backward(n: usize, factor: &[f64], x: &mut [f64]) {
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| factor[k * n + i] * x[k]).sum();
        x[i] = (x[i] - known) / factor[i * n + i];
    }
}
