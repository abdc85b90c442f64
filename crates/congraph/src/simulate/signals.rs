//! Smooth signals on a graph, and noise.
//!
//! ```text
//! X = h(L) X₀,              X₀ standard normal, n × p      so each signal is N(0, h(L)²)
//! X + η ‖X‖_F E / ‖E‖_F,    E  standard normal, n × p      η = 0.1 is the paper's "10 % noise (in ℓ2 norm sense)"
//! ```
//!
//! The noise is scaled by its actual norm: the level is η exactly, not on average. Both are kept signal after signal,
//! the n values of a signal next to each other, and are drawn in that order: more signals leave the first ones as they
//! are.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::filters::Operator;
use super::laplacian::WIDTH;

/// Signals h(L) x₀ on a graph, one after another.
pub(super) fn smooth(n_nodes: usize, filter: &Operator, n_signals: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut signals = white(n_nodes * n_signals, rng);
    let mut panel = vec![[0.0; WIDTH]; n_nodes];
    // The lanes left over by the last signals filter old values that are never read.
    for block in signals.chunks_mut(n_nodes * WIDTH) {
        for (lane, signal) in block.chunks_exact(n_nodes).enumerate() {
            for (row, value) in panel.iter_mut().zip(signal) {
                row[lane] = *value;
            }
        }
        filter.apply(&mut panel);
        for (lane, signal) in block.chunks_exact_mut(n_nodes).enumerate() {
            for (row, value) in panel.iter().zip(signal) {
                *value = row[lane];
            }
        }
    }
    signals
}

/// Adds white noise whose norm is `level` times that of all signals together.
pub(super) fn add_noise(signals: &mut [f64], level: f64, rng: &mut ChaCha8Rng) {
    if level == 0.0 {
        return;
    }
    let noise = white(signals.len(), rng);
    let scale = level * norm(signals) / norm(&noise);
    for (signal, noise) in signals.iter_mut().zip(noise) {
        *signal += scale * noise;
    }
}

fn white(n_values: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    StandardNormal.sample_iter(rng).take(n_values).collect()
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::filters::Filter;
    use super::*;

    const EDGES: [[u32; 2]; 4] = [[0, 1], [1, 2], [1, 3], [2, 3]];

    fn smooth_4(filter: Filter, n_signals: usize) -> Vec<f64> {
        smooth(
            4,
            &filter.on(4, &EDGES, &[1.0; EDGES.len()]).unwrap(),
            n_signals,
            &mut rng(),
        )
    }

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(5)
    }

    #[test]
    fn the_laplacian_brings_back_the_centred_white_signals() {
        let n_signals = 2 * WIDTH + 3;
        let signals = smooth_4(Filter::PseudoInverse, n_signals);
        let white = white(4 * n_signals, &mut rng());
        for (signal, white) in signals.chunks_exact(4).zip(white.chunks_exact(4)) {
            let mut filtered = [0.0; 4];
            for [a, b] in EDGES.map(|edge| edge.map(|node| node as usize)) {
                filtered[a] += signal[a] - signal[b];
                filtered[b] += signal[b] - signal[a];
            }
            let mean = white.iter().sum::<f64>() / 4.0;
            for (filtered, white) in filtered.iter().zip(white) {
                assert!((filtered - (white - mean)).abs() < 1e-12);
            }
            assert!(signal.iter().sum::<f64>().abs() < 1e-12);
        }
    }

    #[test]
    fn more_signals_leave_the_first_ones_as_they_are() {
        for filter in [
            Filter::PseudoInverse,
            Filter::Gaussian,
            Filter::Heat { t: 0.4 },
            Filter::Tikhonov { t: 2.0 },
        ] {
            assert_eq!(smooth_4(filter, 5), smooth_4(filter, 50)[..20]);
        }
    }

    #[test]
    fn the_noise_level_is_exact() {
        let clean = smooth_4(Filter::Heat { t: 0.4 }, 9);
        for level in [0.0, 0.1, 2.5] {
            let mut noisy = clean.clone();
            add_noise(&mut noisy, level, &mut rng());
            let noise: Vec<f64> = noisy.iter().zip(&clean).map(|(noisy, clean)| noisy - clean).collect();
            assert!((norm(&noise) / norm(&clean) - level).abs() < 1e-13);
        }
    }
}
