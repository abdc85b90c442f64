//! The sums of every unit, and the covariances of parts made from them.
//!
//! ```text
//! m_u = number of samples,   s_u = Σ (x − x̄),   P_u = Σ (x − x̄)(x − x̄)ᵀ        over the samples of unit u, x̄ the view's mean
//! C = Σ_u P_u / m − (Σ_u s_u / m)(Σ_u s_u / m)ᵀ,   m = Σ_u m_u                  of a part
//! ```
//!
//! The view's mean is taken off first: signals far from 0 would lose digits. Cost of a part: n²/2 additions per unit.

use rayon::prelude::*;

use super::units::{Part, Units};
use crate::parallel::simd::vectorised;
use crate::signals::Scale;
use crate::views::{Kind, View, Views};

/// n, Σx and Σxxᵀ of every unit of every view.
#[derive(Clone, Debug)]
pub struct BlockSums {
    views: Vec<ViewSums>,
    scale: Scale,
}

#[derive(Clone, Debug)]
struct ViewSums {
    /// What was taken off each node.
    means: Vec<f64>,
    /// How many samples each unit has.
    n_samples: Vec<usize>,
    /// Σ(x − x̄) of each unit, one after the other.
    sums: Vec<f64>,
    /// The lower triangle of Σ(x − x̄)(x − x̄)ᵀ of each unit, row after row.
    products: Vec<f64>,
    /// How many independent samples a sample is worth.
    worth: f64,
}

impl BlockSums {
    /// How many bytes they take.
    pub(super) fn memory(views: &Views, units: &Units) -> u64 {
        let n = views.n_nodes() as u64;
        let n_units: usize = (0..views.n_views()).map(|view| units.samples_of(view).len()).sum();
        n_units as u64 * (n * (n + 1) / 2 + n) * 8
    }

    /// Sums the samples of each unit. Precomputed matrices are kept as they are.
    pub(super) fn new(views: &Views, units: &Units, scale: Scale) -> Self {
        let of_view = |index: usize| {
            let view = views.view(index);
            let worth = match (views.kind(), view.n_samples()) {
                (Kind::Signals, Some(n)) => views.effective_samples(index).map_or(1.0, |worth| worth / n as f64),
                _ => 1.0,
            };
            ViewSums::new(view, views.n_nodes(), units.samples_of(index), worth)
        };
        Self {
            views: (0..views.n_views()).into_par_iter().map(of_view).collect(),
            scale,
        }
    }

    /// The covariances of a part: products about 0 instead where nothing is taken off the signals.
    pub(super) fn data(&self, views: &Views, part: &Part) -> Views {
        let of_view = |(&view, units): (&usize, &Vec<usize>)| self.views[view].covariance(units, self.scale);
        let (values, samples): (Vec<_>, Vec<_>) = part.views.iter().zip(&part.units).map(of_view).unzip();
        views.as_covariances(&part.views, values, &samples)
    }
}

impl ViewSums {
    fn new(view: &View, n: usize, units: &[Vec<usize>], worth: f64) -> Self {
        let mean = |node: usize| {
            let signal = view.node(node);
            signal.iter().sum::<f64>() / signal.len() as f64
        };
        let means: Vec<f64> = (0..n).map(mean).collect();
        let mut sums = Vec::with_capacity(units.len() * n);
        let mut products = Vec::with_capacity(units.len() * n * (n + 1) / 2);
        let mut centred = Vec::new();
        for unit in units {
            centred.clear();
            for (node, mean) in means.iter().enumerate() {
                let signal = view.node(node);
                centred.extend(unit.iter().map(|&sample| signal[sample] - mean));
            }
            let rows: Vec<&[f64]> = centred.chunks_exact(unit.len()).collect();
            sums.extend(rows.iter().map(|row| row.iter().sum::<f64>()));
            for (a, row) in rows.iter().enumerate() {
                products.extend(rows[..=a].iter().map(|other| dot(row, other)));
            }
        }
        Self {
            means,
            n_samples: units.iter().map(Vec::len).collect(),
            sums,
            products,
            worth,
        }
    }

    /// The covariance of some units, row after row, with the number of their samples and what these are worth.
    fn covariance(&self, units: &[usize], scale: Scale) -> (Vec<f64>, (usize, f64)) {
        let n = self.means.len();
        let triangle = n * (n + 1) / 2;
        let n_samples: usize = units.iter().map(|&unit| self.n_samples[unit]).sum();
        let m = n_samples as f64;
        let (mut sums, mut products) = (vec![0.0; n], vec![0.0; triangle]);
        for &unit in units {
            add(&mut sums, &self.sums[unit * n..(unit + 1) * n]);
            add(&mut products, &self.products[unit * triangle..(unit + 1) * triangle]);
        }
        sums.iter_mut().for_each(|sum| *sum /= m);
        let mut values = vec![0.0; n * n];
        let mut entries = products.iter();
        for a in 0..n {
            for (b, product) in (0..=a).zip(&mut entries) {
                let mut value = product / m - sums[a] * sums[b];
                if scale == Scale::None {
                    value += (sums[a] + self.means[a]) * (sums[b] + self.means[b]);
                }
                values[a * n + b] = value;
                values[b * n + a] = value;
            }
        }
        (values, (n_samples, m * self.worth))
    }
}

fn add(sum: &mut [f64], more: &[f64]) {
    vectorised(
        #[inline(always)]
        || sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more),
    );
}

/// Four sums side by side: in a single one every addition would wait for the one before.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (mut sums, n) = ([0.0; 4], x.len() / 4 * 4);
    for (x, y) in x[..n].chunks_exact(4).zip(y[..n].chunks_exact(4)) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += x * y;
        }
    }
    let rest: f64 = x[n..].iter().zip(&y[n..]).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
