//! How many independent samples the samples of a view are worth.
//!
//! A sample that resembles the ones before adds little. With the autocorrelations r_a(k) of the nodes a at lag k, p
//! samples in a row are worth
//!
//! ```text
//! p_eff = p / (1 + 2 Σ_{k=1}^{p/4} max(0, mean_a r_a(k)² − (1 − k/p)/p))
//! ```
//!
//! of them: the variance of a correlation between two independent series is 1/p_eff (Bartlett). What is subtracted is
//! the mean of r² in white noise, so that independent samples keep their number. Blocks (trials) are judged one by one
//! and added up.
//!
//! Autocorrelations come from the Fourier transform, O(n p log p); it is the plain radix-2 algorithm, since a library
//! would be the largest dependency of this crate. [`fewer_than`] does not need them where samples are many: a few lags
//! of 16 nodes tell.

use super::{View, Views};

/// Blocks up to this long are correlated directly.
const DIRECT: usize = 256;
/// How many nodes are looked at.
const NODES: usize = 16;
/// How many lags of each octave are computed first.
const LAGS_FIRST: usize = 4;
/// What a first look must find beyond the limit to be believed.
const MARGIN: f64 = 1.5;

/// What the samples of a view are worth, from the autocorrelations of these nodes.
pub(super) fn effective(view: &View, nodes: &[usize]) -> f64 {
    blocks(view)
        .iter()
        .map(|block| block.len() as f64 / spread(view, nodes, block))
        .sum()
}

/// What the samples of a view are worth if that is less than `limit`, by a sample of its nodes.
pub(super) fn fewer_than(limit: f64, view: &View, nodes: &[usize]) -> Option<f64> {
    let blocks = blocks(view);
    let step = nodes.len().div_ceil(NODES).max(1);
    let some: Vec<usize> = nodes.iter().copied().step_by(step).collect();
    let mut worth = 0.0;
    for block in &blocks {
        worth += block.len() as f64 / glance(view, &some, block, MARGIN * limit - worth);
        if worth >= MARGIN * limit {
            return None;
        }
    }
    Some(effective(view, &some)).filter(|worth| *worth < limit)
}

/// The places of the samples of each block, in order; all samples are one where blocks are not known.
fn blocks(view: &View) -> Vec<Vec<usize>> {
    let Some(labels) = view.blocks() else {
        return vec![(0..view.rows.stride()).collect()];
    };
    let mut places = std::collections::HashMap::new();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<(&String, usize)> = None;
    for (sample, label) in labels.iter().enumerate() {
        let block = match last {
            Some((same, block)) if same == label => block,
            _ => *places.entry(label.as_str()).or_insert_with(|| {
                blocks.push(Vec::new());
                blocks.len() - 1
            }),
        };
        last = Some((label, block));
        blocks[block].push(sample);
    }
    blocks
}

/// The samples of a node in a block around their mean, with length one; none if they are constant.
fn unit(view: &View, node: usize, block: &[usize]) -> Option<Vec<f64>> {
    let signal = view.node(node);
    let mut values: Vec<f64> = block.iter().map(|&sample| signal[sample]).collect();
    // Large or small values would overflow when squared.
    let largest = values.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    values.iter_mut().for_each(|x| *x /= largest);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|x| *x -= mean);
    let square = values.iter().map(|x| x * x).sum::<f64>();
    if square <= 1e-24 * values.len() as f64 {
        return None;
    }
    let size = square.sqrt();
    values.iter_mut().for_each(|x| *x /= size);
    Some(values)
}

/// What one sample is worth is one over this.
fn spread(view: &View, nodes: &[usize], block: &[usize]) -> f64 {
    let p = block.len();
    let n_lags = p / 4;
    let mut squares = vec![0.0; n_lags];
    let mut n = 0;
    let mut signals = nodes
        .iter()
        .filter_map(|&node| unit(view, node, block))
        .inspect(|_| n += 1);
    if p <= DIRECT {
        for signal in signals {
            for (square, lag) in squares.iter_mut().zip(1..) {
                *square += product(&signal, lag).powi(2);
            }
        }
    } else {
        // As many zeros as there are lags, or the ends would meet.
        let turns = turns((p + n_lags).next_power_of_two());
        while let Some(one) = signals.next() {
            add_squares(&one, signals.next().as_deref(), &turns, &mut squares);
        }
    }
    let terms = squares
        .iter()
        .zip(1..)
        .map(|(square, lag)| beyond_chance(square / n.max(1) as f64, lag, p));
    1.0 + 2.0 * terms.sum::<f64>()
}

/// The same from some lags of each octave. Once the block is sure to be worth `enough`, for autocorrelations fade, no
/// more are looked at.
fn glance(view: &View, nodes: &[usize], block: &[usize], enough: f64) -> f64 {
    let p = block.len();
    let n_lags = p / 4;
    let signals: Vec<Vec<f64>> = nodes.iter().filter_map(|&node| unit(view, node, block)).collect();
    let term = |lag: usize| {
        let squares = signals.iter().map(|signal| product(signal, lag).powi(2)).sum::<f64>();
        beyond_chance(squares / signals.len().max(1) as f64, lag, p)
    };
    let (mut sum, mut first) = (0.0, 1);
    while first <= n_lags {
        let width = first.min(n_lags - first + 1);
        let step = width.div_ceil(LAGS_FIRST);
        let lags = (first..first + width).step_by(step);
        let n = lags.len() as f64;
        let mean = lags.map(term).sum::<f64>() / n;
        sum += mean * width as f64;
        first += width;
        let most = 1.0 + 2.0 * (sum + mean * (n_lags + 1 - first) as f64);
        if first > LAGS_FIRST && p as f64 / most >= enough {
            return most;
        }
    }
    1.0 + 2.0 * sum
}

/// A mean square of correlations at a lag, less what white noise has.
fn beyond_chance(square: f64, lag: usize, p: usize) -> f64 {
    (square - (1.0 - lag as f64 / p as f64) / p as f64).max(0.0)
}

/// Σ x(t) x(t + lag), several at a time.
fn product(signal: &[f64], lag: usize) -> f64 {
    const LANES: usize = 8;
    let (early, late) = (&signal[..signal.len() - lag], &signal[lag..]);
    let ((early, early_rest), (late, late_rest)) = (early.as_chunks::<LANES>(), late.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (x, y) in early.iter().zip(late) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = early_rest.iter().zip(late_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

/// Adds the squared autocorrelations of one or two signals of length one, from lag 1. Two real signals are one complex
/// one: its transform at f and −f tells them apart.
fn add_squares(one: &[f64], two: Option<&[f64]>, turns: &[(f64, f64)], squares: &mut [f64]) {
    let size = 2 * turns.len();
    let mut real = one.to_vec();
    let mut imaginary = two.map(<[f64]>::to_vec).unwrap_or_default();
    real.resize(size, 0.0);
    imaginary.resize(size, 0.0);
    transform(&mut real, &mut imaginary, turns);
    // The power of both signals, the second one as an imaginary part; both are even and real, so that the transform
    // back is the same as forth.
    let power = |f: usize| {
        let g = (size - f) % size;
        let (a, b, c, d) = (real[f], imaginary[f], real[g], imaginary[g]);
        let first = ((a + c).powi(2) + (b - d).powi(2)) / 4.0;
        let second = ((a - c).powi(2) + (b + d).powi(2)) / 4.0;
        (first, second)
    };
    let (mut first, mut second): (Vec<f64>, Vec<f64>) = (0..size).map(power).unzip();
    transform(&mut first, &mut second, turns);
    for (square, (x, y)) in squares.iter_mut().zip(first.iter().zip(&second).skip(1)) {
        *square += (x / size as f64).powi(2) + (y / size as f64).powi(2);
    }
}

/// The points of half a turn in as many steps as a transform of this size has in a whole one.
fn turns(size: usize) -> Vec<(f64, f64)> {
    let point = |k: usize| {
        let (sin, cos) = (-std::f64::consts::TAU * k as f64 / size as f64).sin_cos();
        (cos, sin)
    };
    (0..size / 2).map(point).collect()
}

/// The discrete Fourier transform in place; the length is a power of two, two at least.
fn transform(real: &mut [f64], imaginary: &mut [f64], turns: &[(f64, f64)]) {
    let n = real.len();
    let shift = usize::BITS - n.trailing_zeros();
    for k in 0..n {
        let mirrored = k.reverse_bits() >> shift;
        if k < mirrored {
            real.swap(k, mirrored);
            imaginary.swap(k, mirrored);
        }
    }
    let mut half = 1;
    while half < n {
        let stride = n / (2 * half);
        for start in (0..n).step_by(2 * half) {
            for k in 0..half {
                let (cos, sin) = turns[k * stride];
                let (low, high) = (start + k, start + k + half);
                let (x, y) = (
                    real[high] * cos - imaginary[high] * sin,
                    real[high] * sin + imaginary[high] * cos,
                );
                (real[high], imaginary[high]) = (real[low] - x, imaginary[low] - y);
                (real[low], imaginary[low]) = (real[low] + x, imaginary[low] + y);
            }
        }
        half *= 2;
    }
}

/// The nodes that a view has, by name, so that sums do not depend on their order.
pub(super) fn own_by_name(views: &Views, view: usize) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(view, node)).collect();
    nodes.sort_by_key(|&node| &views.nodes[node]);
    nodes
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::views::{Table, ViewOptions};

    /// Rows of `n` series with this much memory of the sample before, all of them with this much of one series in
    /// common.
    fn series(seed: u64, n: usize, p: usize, memory: f64, common: f64) -> Table {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut state = vec![0.0; n + 1];
        let mut values = Vec::with_capacity(n * p);
        for row in 0..p + 200 {
            for x in &mut state {
                *x = memory * *x + rng.sample::<f64, _>(StandardNormal);
            }
            if row >= 200 {
                values.extend(state[..n].iter().map(|x| x + common * state[n]));
            }
        }
        Table::new("x", n, values)
    }

    fn views(table: Table) -> (Views, Vec<String>) {
        let (views, warnings) = Views::assemble(vec![table], &ViewOptions::default()).unwrap();
        (views, warnings.into_iter().map(|warning| warning.message).collect())
    }

    fn worth(table: Table) -> f64 {
        views(table).0.effective_samples(0).unwrap()
    }

    #[test]
    fn independent_samples_keep_their_number_and_others_do_not() {
        for p in [100, 1000] {
            let white = worth(series(1, 20, p, 0.0, 0.0)) / p as f64;
            assert!(white > 0.9 && white <= 1.0, "{p}: {white}");
        }
        // (1 − m²) / (1 + m²) of the samples, less what the autocorrelations of such series have by chance.
        let slow = worth(series(2, 20, 2000, 0.9, 0.0)) / 2000.0;
        assert!(slow > 0.06 && slow < 0.105, "{slow}");
        // A cut-out of a slow wave, half a period long, is a few samples at most.
        let wave = |k: usize| [0.0, 0.3].map(|phase| (std::f64::consts::PI * k as f64 / 80.0 + phase).sin());
        assert!(worth(Table::new("wave", 2, (0..80).flat_map(wave).collect())) < 8.0);
    }

    #[test]
    fn transforms_and_sums_find_the_same() {
        for (seed, p) in [(3, 257), (4, 300), (5, 1023)] {
            for n in [2, 3, 5] {
                let (views, _) = views(series(seed, n, p, 0.7, 0.2));
                let view = views.view(0);
                let block: Vec<usize> = (0..p).collect();
                let signals: Vec<Vec<f64>> = (0..n).map(|node| unit(view, node, &block).unwrap()).collect();
                let mut squares = vec![0.0; p / 4];
                let turns = turns((p + p / 4).next_power_of_two());
                for two in signals.chunks(2) {
                    add_squares(&two[0], two.get(1).map(Vec::as_slice), &turns, &mut squares);
                }
                for (square, lag) in squares.iter().zip(1..) {
                    let direct: f64 = signals.iter().map(|signal| product(signal, lag).powi(2)).sum();
                    assert!((square - direct).abs() < 1e-12, "{p} {n} {lag}: {square} {direct}");
                }
            }
        }
    }

    #[test]
    fn a_first_look_sees_what_a_close_one_does() {
        for (seed, memory) in [(6, 0.0), (7, 0.5), (8, 0.9), (9, 0.98)] {
            for p in [40, 200, 2000] {
                let (views, _) = views(series(seed, 30, p, memory, 0.0));
                let block: Vec<usize> = (0..p).collect();
                let nodes: Vec<usize> = (0..30).collect();
                let (close, first) = (
                    spread(views.view(0), &nodes, &block),
                    glance(views.view(0), &nodes, &block, f64::INFINITY),
                );
                assert!(
                    first < MARGIN * close && close < MARGIN * first,
                    "{memory} {p}: {close} {first}"
                );
            }
        }
    }

    #[test]
    fn few_effective_samples_are_told_of_and_chance_is_not() {
        let (_, told) = views(series(10, 12, 100, 0.95, 0.0));
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("its 100 samples are worth about "), "{told:?}");
        // The same rows in any order are independent: even where all nodes are nearly the same.
        for seed in 0..300 {
            let p = 20 + 10 * (seed as usize % 8);
            let mut table = series(seed, 8, p, if seed % 2 == 0 { 0.0 } else { 0.95 }, 3.0);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            for row in (1..p).rev() {
                let other = rng.random_range(0..=row);
                for column in 0..8 {
                    table.values.swap(row * 8 + column, other * 8 + column);
                }
            }
            let (_, told) = views(table);
            assert_eq!(told, [""; 0], "{seed} {p}");
        }
    }

    #[test]
    fn blocks_are_judged_one_by_one_whatever_the_order_of_nodes() {
        let table = series(11, 6, 400, 0.9, 0.0);
        let blocks: Vec<String> = (0..400).map(|row| format!("trial {}", row / 40)).collect();
        let with_blocks = Table {
            blocks: Some(blocks.clone()),
            ..table.clone().with_columns(["f", "b", "a", "d", "c", "e"])
        };
        let parts = |k: usize| Table::new("x", 6, table.values[k * 240..][..240].to_vec());
        let sum: f64 = (0..10).map(|k| worth(parts(k))).sum();
        let whole = worth(with_blocks.clone());
        assert!((whole - sum).abs() < 1e-9 * sum, "{whole} {sum}");
        // Trials that alternate row by row, and nodes in another order.
        let order: Vec<usize> = (0..400).map(|row| row % 10 * 40 + row / 10).collect();
        let turned = Table {
            blocks: Some(order.iter().map(|&row| blocks[row].clone()).collect()),
            ..Table::new(
                "x",
                6,
                order
                    .iter()
                    .flat_map(|&row| (0..6).rev().map(move |k| (row, k)))
                    .map(|(row, k)| table.values[row * 6 + k])
                    .collect(),
            )
            .with_columns(["e", "c", "d", "a", "b", "f"])
        };
        assert_eq!(worth(turned).to_bits(), whole.to_bits());
    }

    #[test]
    fn what_is_told_goes_before_and_is_the_share_of_what_is_kept() {
        let mut table = series(12, 4, 100, 0.0, 0.0);
        table.n_effective = Some(12.0);
        let (known, told) = views(table.clone());
        assert_eq!(known.effective_samples(0), Some(12.0));
        assert!(told[0].contains("100 samples are worth about 12 "), "{told:?}");
        table.values[..200].fill(f64::NAN);
        let options = ViewOptions {
            nan: crate::views::NanRule::DropRows,
            ..ViewOptions::default()
        };
        let (views, _) = Views::assemble(vec![table], &options).unwrap();
        assert_eq!(views.effective_samples(0), Some(6.0));
    }
}
