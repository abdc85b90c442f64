//! The few operations on long vectors that conjugate gradients and the line search need, in fixed chunks over all
//! threads.

use rayon::prelude::*;

/// Values per block.
const BLOCK: usize = 1 << 14;
/// Sums that run side by side.
const LANES: usize = 8;

/// xᵀy.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    if x.len() <= BLOCK {
        return sum(x, y, |x, y| x * y);
    }
    let parts: Vec<f64> = x
        .par_chunks(BLOCK)
        .zip(y.par_chunks(BLOCK))
        .map(|(x, y)| sum(x, y, |x, y| x * y))
        .collect();
    // In order: the same bits for any number of threads.
    parts.iter().sum()
}

/// ‖x‖.
pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// x = x · factor + length · y.
pub(super) fn combine(x: &mut [f64], factor: f64, length: f64, y: &[f64]) {
    let part = |(x, y): (&mut [f64], &[f64])| {
        for (x, y) in x.iter_mut().zip(y) {
            *x = *x * factor + length * y;
        }
    };
    if x.len() <= BLOCK {
        part((x, y));
    } else {
        x.par_chunks_mut(BLOCK).zip(y.par_chunks(BLOCK)).for_each(part);
    }
}

/// residual −= length · product, preconditioned = residual · inverse; returns residualᵀ preconditioned and ‖residual‖².
pub(super) fn reduce(
    residual: &mut [f64],
    length: f64,
    product: &[f64],
    inverse: &[f64],
    preconditioned: &mut [f64],
) -> (f64, f64) {
    let part = |((residual, product), (inverse, preconditioned)): (_, (&[f64], &mut [f64]))| {
        let (residual, product): (&mut [f64], &[f64]) = (residual, product);
        for k in 0..residual.len() {
            residual[k] -= length * product[k];
            preconditioned[k] = residual[k] * inverse[k];
        }
        let energy = sum(residual, preconditioned, |x, y| x * y);
        (energy, sum(residual, residual, |x, y| x * y))
    };
    if residual.len() <= BLOCK {
        return part(((residual, product), (inverse, preconditioned)));
    }
    let parts: Vec<(f64, f64)> = residual
        .par_chunks_mut(BLOCK)
        .zip(product.par_chunks(BLOCK))
        .zip(inverse.par_chunks(BLOCK).zip(preconditioned.par_chunks_mut(BLOCK)))
        .map(part)
        .collect();
    parts
        .iter()
        .fold((0.0, 0.0), |sums, part| (sums.0 + part.0, sums.1 + part.1))
}

#[inline]
fn sum(x: &[f64], y: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    // Independent sums, so that additions need not wait for each other.
    let mut sums = [0.0; LANES];
    let ((head_x, tail_x), (head_y, tail_y)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in head_x.iter().zip(head_y) {
        for lane in 0..LANES {
            sums[lane] += term(x[lane], y[lane]);
        }
    }
    let tail: f64 = tail_x.iter().zip(tail_y).map(|(&x, &y)| term(x, y)).sum();
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_vectors_as_short_ones() {
        let n = 2 * BLOCK + 5;
        let x: Vec<f64> = (0..n).map(|k| (k as f64).sin()).collect();
        let y: Vec<f64> = (0..n).map(|k| (0.3 * k as f64).cos()).collect();
        let plain: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
        assert!((dot(&x, &y) - plain).abs() < 1e-9 && dot(&x, &y) == dot(&y, &x));
        let mut z = x.clone();
        combine(&mut z, 2.0, -1.0, &y);
        assert!((0..n).all(|k| z[k] == 2.0 * x[k] - y[k]));
        let (mut residual, inverse, mut preconditioned) = (x.clone(), vec![0.5; n], vec![0.0; n]);
        let (energy, square) = reduce(&mut residual, 1.0, &y, &inverse, &mut preconditioned);
        assert!((0..n).all(|k| residual[k] == x[k] - y[k] && preconditioned[k] == 0.5 * residual[k]));
        assert!((energy - 0.5 * square).abs() < 1e-9 && (square.sqrt() - norm(&residual)).abs() < 1e-12);
    }
}
