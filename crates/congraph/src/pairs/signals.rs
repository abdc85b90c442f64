//! Scaled signals, node by node: distances of chosen pairs straight from differences, in f64.

use super::room::Room;
use crate::blocks;
use crate::distances::{SampleNorm, Scale, Scaling};
use crate::rows::ViewRows;
use crate::vector::vectorised;
use crate::views::Views;

/// Nodes and pairs per block of work.
const NODES: usize = 32;
const PAIRS: usize = 1024;

/// The scaled signals of all views.
pub(crate) struct Signals {
    pub(crate) n_nodes: usize,
    pub(crate) views: Vec<ViewSignals>,
}

/// The scaled signals of one view.
pub(crate) struct ViewSignals {
    pub(crate) n_samples: usize,
    /// One row of `n_samples` values per node.
    pub(super) values: Room<f64>,
    /// What a squared distance is multiplied with: 1 over the number of samples for means.
    pub(crate) factor: f64,
}

impl ViewSignals {
    pub(crate) fn node(&self, node: usize) -> &[f64] {
        &self.values.values()[node * self.n_samples..(node + 1) * self.n_samples]
    }

    /// The cost of one pair.
    #[inline(always)]
    pub(crate) fn distance(&self, a: usize, b: usize) -> f64 {
        squared_distance(self.node(a), self.node(b)) * self.factor
    }
}

impl Signals {
    /// Scales the signals of all views.
    pub(crate) fn new(views: &Views, scaling: &Scaling) -> Self {
        let n_nodes = views.n_nodes();
        let scaled_view = |index: usize| {
            let view = views.view(index);
            let n_samples = view.node(0).len();
            let mut values = Room::zeros(n_nodes * n_samples);
            blocks::map_mut_by(NODES, values.values_mut(), n_samples, |first, rows| {
                vectorised(
                    #[inline(always)]
                    || {
                        for (k, row) in rows.chunks_exact_mut(n_samples).enumerate() {
                            scale_into(view.node(first + k), scaling.scale, row);
                        }
                    },
                );
            });
            ViewSignals {
                n_samples,
                values,
                factor: match scaling.sample_norm {
                    SampleNorm::Mean => 1.0 / n_samples as f64,
                    SampleNorm::Sum => 1.0,
                },
            }
        };
        Self {
            n_nodes,
            views: (0..views.n_views()).map(scaled_view).collect(),
        }
    }

    /// The costs of chosen pairs, one row per pair.
    pub(crate) fn distances(&self, pairs: &[[u32; 2]]) -> ViewRows {
        let n_views = self.views.len();
        let mut distances = ViewRows::zeros(pairs.len(), n_views);
        blocks::map_mut_by(PAIRS, distances.values_mut(), n_views, |first, rows| {
            vectorised(
                #[inline(always)]
                || {
                    // One view after the other: its signals fit the cache better than those of all.
                    for (index, view) in self.views.iter().enumerate() {
                        for (row, &[a, b]) in rows.chunks_exact_mut(n_views).zip(&pairs[first..]) {
                            row[index] = view.distance(a as usize, b as usize);
                        }
                    }
                },
            );
        });
        distances
    }
}

/// The signal shifted and scaled; sums run over values divided by the largest, so that none overflows.
#[inline(always)]
fn scale_into(signal: &[f64], scale: Scale, out: &mut [f64]) {
    let unit = largest(signal);
    if scale == Scale::None || unit == 0.0 {
        out.copy_from_slice(signal);
        return;
    }
    let n = signal.len() as f64;
    let inverse = 1.0 / unit;
    if inverse.is_finite() {
        for (out, x) in out.iter_mut().zip(signal) {
            *out = x * inverse;
        }
    } else {
        // So small that its inverse overflows.
        for (out, x) in out.iter_mut().zip(signal) {
            *out = x / unit;
        }
    }
    let mean = sum(out, |x| x) / n;
    if scale == Scale::Center {
        for (out, x) in out.iter_mut().zip(signal) {
            *out = x - mean * unit;
        }
        return;
    }
    for out in out.iter_mut() {
        *out -= mean;
    }
    let deviation = (sum(out, |x| x * x) / n).sqrt();
    let factor = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
    for out in out {
        *out *= factor;
    }
}

/// Running values that the compiler keeps in vector registers.
const LANES: usize = 8;

/// The largest size of a value.
#[inline(always)]
pub(super) fn largest(values: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (head, tail) = values.as_chunks::<LANES>();
    for chunk in head {
        for lane in 0..LANES {
            let size = chunk[lane].abs();
            lanes[lane] = if size > lanes[lane] { size } else { lanes[lane] };
        }
    }
    let largest = |largest: f64, size: f64| if size > largest { size } else { largest };
    tail.iter().map(|x| x.abs()).chain(lanes).fold(0.0, largest)
}

/// Σ f(x).
#[inline(always)]
pub(super) fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (head, tail) = values.as_chunks::<LANES>();
    for chunk in head {
        for lane in 0..LANES {
            sums[lane] += f(chunk[lane]);
        }
    }
    sums.iter().sum::<f64>() + tail.iter().map(|&x| f(x)).sum::<f64>()
}

/// Σ (x − y)².
#[inline(always)]
fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (head_x, tail_x) = x.as_chunks::<LANES>();
    let (head_y, tail_y) = y.as_chunks::<LANES>();
    for (x, y) in head_x.iter().zip(head_y) {
        for lane in 0..LANES {
            let difference = x[lane] - y[lane];
            sums[lane] += difference * difference;
        }
    }
    let tail: f64 = tail_x.iter().zip(tail_y).map(|(x, y)| (x - y) * (x - y)).sum();
    sums.iter().sum::<f64>() + tail
}
