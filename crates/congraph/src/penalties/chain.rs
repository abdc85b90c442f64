//! A chain: each view is drawn to the one before it and the one after it, as for graphs that change with time.

use std::collections::VecDeque;

use super::l1::median;
use super::{JointEdge, Penalty};

/// c(V) = Σ_e Σ_i |V_e,i+1 − V_ei|, with the views in the order in which they were given.
///
/// The consensus takes no part: any one is as good, and the one that is told is the median of the views. A view that lacks
/// an edge is stepped over.
///
/// The prox is the total variation of a signal of N samples, by dynamic programming: the derivative of what the views up to
/// i cost as a function of the weight of view i is piecewise linear and increasing, and a neighbour sees it clipped at ±τ,
///
/// ```text
/// m_i'(x) = clip(m_{i−1}'(x), ±τ) + x − u_i        low_i, high_i: where m_i' is −τ, τ
/// x_N: where m_N' is 0,    x_i = clamp(x_{i+1}, low_i, high_i)
/// ```
///
/// and the weights are its positive part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chain;

/// Where the slope of a piecewise linear function changes, and by how much.
type Knot = (f64, f64);

impl Penalty for Chain {
    fn name(&self) -> &str {
        "chain"
    }

    fn label(&self) -> &str {
        "ℓ1 along a chain"
    }

    fn coupling(&self) -> Option<&'static str> {
        Some("chain")
    }

    fn charge(&self) -> &str {
        "l1"
    }

    fn value(&self, differences: &[f64], n_views: usize) -> f64 {
        let rows = differences.chunks_exact(n_views.max(1));
        rows.flat_map(|row| row.windows(2))
            .map(|pair| (pair[1] - pair[0]).abs())
            .sum()
    }

    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
        let mut dynamic = Dynamic::default();
        for row in differences.chunks_exact_mut(n_views.max(1)) {
            dynamic.smooth(row, step);
        }
    }

    fn joint(&self) -> Option<&dyn JointEdge> {
        Some(self)
    }

    fn is_symmetric(&self) -> bool {
        false
    }
}

impl JointEdge for Chain {
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        weights.copy_from_slice(targets);
        Dynamic::default().smooth(weights, tau);
        weights.iter_mut().for_each(|weight| *weight = weight.max(0.0));
        self.consensus(weights, sigma / tau, scratch)
    }

    fn rank(&self) -> usize {
        2
    }

    fn has_sets(&self) -> bool {
        true
    }

    /// Neighbours of one weight move together.
    fn jacobian(
        &self,
        _tau: f64,
        _sigma: f64,
        weights: &[f64],
        _consensus: f64,
        diagonal: &mut [f64],
        factors: &mut [f64],
    ) {
        diagonal.fill(0.0);
        let (shares, firsts) = factors.split_at_mut(weights.len());
        let mut first = 0;
        for run in weights.chunk_by(|one, two| one == two) {
            let share = if run[0] > 0.0 {
                (run.len() as f64).sqrt().recip()
            } else {
                0.0
            };
            shares[first..first + run.len()].fill(share);
            firsts[first..first + run.len()].fill(first as f64);
            first += run.len();
        }
    }

    /// A single view has no neighbour.
    fn frozen_slope(&self, _tau: f64, _difference: f64) -> f64 {
        1.0
    }

    /// Any is as good; the median is told, unless something else asks for none.
    fn consensus(&self, weights: &[f64], ratio: f64, scratch: &mut Vec<f64>) -> f64 {
        if ratio > 0.0 { 0.0 } else { median(weights, scratch) }
    }
}

/// The buffers of the dynamic programme.
#[derive(Default)]
struct Dynamic {
    knots: VecDeque<Knot>,
    bounds: Vec<[f64; 2]>,
}

impl Dynamic {
    /// Replaces u by argmin_x ½‖x − u‖² + τ Σ|x_{i+1} − x_i|.
    fn smooth(&mut self, row: &mut [f64], tau: f64) {
        let Some((last, before)) = row.split_last_mut() else {
            return;
        };
        self.knots.clear();
        self.bounds.clear();
        // What a view sees of those before it: nothing, then −τ at the left end and τ at the right.
        let mut seen = 0.0;
        for &u in &*before {
            let (low, left) = from_left(&mut self.knots, (1.0, -seen - u), -tau);
            let (high, right) = from_right(&mut self.knots, (1.0, seen - u), tau);
            self.knots.push_front((low, left));
            self.knots.push_back((high, -right));
            self.bounds.push([low, high]);
            seen = tau;
        }
        *last = from_left(&mut self.knots, (1.0, -seen - *last), 0.0).0;
        let mut next = *last;
        for (x, [low, high]) in before.iter_mut().zip(&self.bounds).rev() {
            next = next.max(*low).min(*high);
            *x = next;
        }
    }
}

/// Where a function that begins at the left as slope · x + offset comes to a level, and its slope there. Knots before are
/// dropped.
fn from_left(knots: &mut VecDeque<Knot>, (mut slope, mut offset): (f64, f64), level: f64) -> (f64, f64) {
    while let Some(&(x, change)) = knots.front() {
        if slope * x + offset >= level {
            break;
        }
        slope += change;
        offset -= change * x;
        knots.pop_front();
    }
    ((level - offset) / slope, slope)
}

/// The same from the right.
fn from_right(knots: &mut VecDeque<Knot>, (mut slope, mut offset): (f64, f64), level: f64) -> (f64, f64) {
    while let Some(&(x, change)) = knots.back() {
        if slope * x + offset <= level {
            break;
        }
        slope -= change;
        offset += change * x;
        knots.pop_back();
    }
    ((level - offset) / slope, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_kept_and_its_sides_are_levelled() {
        let mut row = [0.0, 0.2, 0.1, 5.0, 5.3];
        Chain.prox(&mut row, 5, 0.3);
        // Each side at its mean, drawn to the other by τ over its length.
        assert!(row[..3].iter().all(|x| (x - 0.2).abs() < 1e-15 && *x == row[0]));
        assert!(row[3..].iter().all(|x| (x - 5.0).abs() < 1e-14 && *x == row[3]));
    }
}
