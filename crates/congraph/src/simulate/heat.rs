//! Heat diffusion exp(−tL) of signals, by a Chebyshev series that is summed to rounding error.
//!
//! ```text
//! exp(−tL) = Σ_k c_k T_k(2L/b − I)      c_0 = e^(−z) I_0(z),  c_k = 2 (−1)^k e^(−z) I_k(z),   z = t b / 2
//! ```
//!
//! b = max over the edges of d_a + d_b (weighted degrees) bounds the eigenvalues of L, T_k are the Chebyshev polynomials, I_k the modified
//! Bessel functions. The |c_k| add up to 1, so the error is absolute: about 1e-16 of the norm of the signal times the
//! number of terms, which is about 9 √z. An eigendecomposition would be as exact; this one needs no n × n matrix, and
//! each signal costs one pass over the edges per term.

use super::laplacian::{Lanes, WIDTH};
use crate::error::Error;

/// The largest z, at which 30 000 terms are needed.
const MOST: f64 = 1e7;

/// exp(−tL) of one graph.
pub(super) struct Heat {
    /// The neighbours of node a are `neighbours[first[a]..first[a + 1]]`.
    first: Vec<usize>,
    neighbours: Vec<(u32, f64)>,
    degrees: Vec<f64>,
    /// 2/b.
    scale: f64,
    coefficients: Vec<f64>,
}

impl Heat {
    /// Of a graph with at least one edge, after the time t > 0.
    pub(super) fn new(n_nodes: usize, edges: &[[u32; 2]], weights: &[f64], t: f64) -> Result<Self, Error> {
        let mut first = vec![0; n_nodes + 1];
        for &node in edges.as_flattened() {
            first[node as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            first[node + 1] += first[node];
        }
        let mut free = first.clone();
        let mut neighbours = vec![(0, 0.0); 2 * edges.len()];
        let mut degrees = vec![0.0; n_nodes];
        for (&[a, b], &weight) in edges.iter().zip(weights) {
            for (node, other) in [(a, b), (b, a)] {
                neighbours[free[node as usize]] = (other, weight);
                degrees[node as usize] += weight;
                free[node as usize] += 1;
            }
        }
        let ends = edges.iter().map(|&[a, b]| degrees[a as usize] + degrees[b as usize]);
        let bound = ends.reduce(f64::max).unwrap_or(1.0);
        let z = 0.5 * t * bound;
        if z > MOST {
            return Err(Error::Parameter {
                name: "filter_t",
                message: format!(
                    "is {t}: heat spreads evenly over a graph with degrees like this one's long before; at most {:e} \
                     is computed",
                    2.0 * MOST / bound
                ),
            });
        }
        Ok(Self {
            first,
            neighbours,
            degrees,
            scale: 2.0 / bound,
            coefficients: coefficients(z),
        })
    }

    /// Replaces the signals x, one row per node, by exp(−tL) x.
    pub(super) fn apply(&self, panel: &mut [Lanes]) {
        let mut last = panel.to_vec();
        let mut this = vec![[0.0; WIDTH]; panel.len()];
        self.shifted(&last, &mut this, |value, _| value);
        for (row, this) in panel.iter_mut().zip(&this) {
            for (value, this) in row.iter_mut().zip(this) {
                *value = self.coefficients[0] * *value + self.coefficients[1] * this;
            }
        }
        for &coefficient in &self.coefficients[2..] {
            // T_k = 2 (2L/b − I) T_{k−1} − T_{k−2}, written over T_{k−2}.
            self.shifted(&this, &mut last, |value, before| 2.0 * value - before);
            std::mem::swap(&mut last, &mut this);
            for (row, this) in panel.iter_mut().zip(&this) {
                for (value, this) in row.iter_mut().zip(this) {
                    *value += coefficient * this;
                }
            }
        }
    }

    /// y ← f((2L/b − I) x, y).
    fn shifted(&self, x: &[Lanes], y: &mut [Lanes], f: impl Fn(f64, f64) -> f64) {
        for (node, row) in y.iter_mut().enumerate() {
            let around = &self.neighbours[self.first[node]..self.first[node + 1]];
            let mut sum = [0.0; WIDTH];
            for &(other, weight) in around {
                for (sum, value) in sum.iter_mut().zip(&x[other as usize]) {
                    *sum += weight * value;
                }
            }
            let own = self.scale * self.degrees[node] - 1.0;
            for ((y, sum), x) in row.iter_mut().zip(sum).zip(&x[node]) {
                *y = f(own * x - self.scale * sum, *y);
            }
        }
    }
}

/// c_0, c_1, …, as many as matter and at least two, for z > 0.
///
/// The Bessel functions come from their recurrence downwards, which is stable, and from e^(−z) (I_0 + 2 Σ I_k) = 1.
fn coefficients(z: f64) -> Vec<f64> {
    // e^(−z) I_k(z) is about exp(−k²/2z) for large z, and smaller than 1/k! for z < 1.
    let n_terms = 40 + (12.0 * z.sqrt()) as usize;
    let mut bessel = vec![0.0; n_terms + 2];
    bessel[n_terms] = 1e-200;
    let mut sum = 2.0 * bessel[n_terms];
    for k in (1..=n_terms).rev() {
        bessel[k - 1] = bessel[k + 1] + 2.0 * k as f64 / z * bessel[k];
        if bessel[k - 1] > 1e200 {
            bessel[k - 1..].iter_mut().for_each(|value| *value *= 1e-200);
            sum *= 1e-200;
        }
        sum += if k == 1 { bessel[0] } else { 2.0 * bessel[k - 1] };
    }
    let signed = bessel.iter().enumerate().map(|(k, value)| {
        let factor = match k {
            0 => 1.0,
            _ if k % 2 == 0 => 2.0,
            _ => -2.0,
        };
        factor * value / sum
    });
    let mut coefficients: Vec<f64> = signed.collect();
    let n_matter = coefficients.iter().rposition(|value| value.abs() > 1e-18).unwrap_or(0) + 1;
    coefficients.truncate(n_matter.max(2));
    coefficients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_the_exponential_on_the_whole_interval() {
        for z in [1e-12, 1e-3, 0.5, 7.0, 100.0, 1e4, MOST] {
            let coefficients = coefficients(z);
            for x in [-1.0, -1.0 + 1.0 / z.max(2.0), -0.3, 0.0, 0.9, 1.0_f64] {
                // T_k(x) = cos(k arccos x).
                let angle = x.acos();
                let terms = coefficients.iter().enumerate();
                let sum: f64 = terms.map(|(k, c)| c * (k as f64 * angle).cos()).sum();
                let expected = (-z * (1.0 + x)).exp();
                // The cosine of k times an angle is off by k times the rounding of the angle.
                let error = (sum - expected).abs();
                assert!(
                    error < 2e-16 * (10.0 + z.sqrt()) * 4.0,
                    "z = {z}, x = {x}: {sum} is off by {error:e}"
                );
            }
            let n_terms = coefficients.len() as f64;
            assert!(n_terms <= 30.0 + 10.0 * z.sqrt(), "{n_terms} terms for z = {z}");
        }
    }

    #[test]
    fn a_time_beyond_computing_is_refused() {
        let text = Heat::new(2, &[[0, 1]], &[1.0], 1e9)
            .err()
            .map(|error| error.to_string());
        assert!(text.is_some_and(|text| text.starts_with("filter_t is 1000000000:")));
    }
}
