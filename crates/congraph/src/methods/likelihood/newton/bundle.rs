//! The views of an edge on a face, where what ties them is smooth: departures charged by squares, or by ℓ2 where they are
//! not all zero.
//!
//! With the consensus at its best place c(w), what an edge's weights cost is a function of them alone. Its slope is that of
//! the charge at c(w), and its curvature is
//!
//! ```text
//! κ (I − 1 1ᵀ/N [c ≠ 0] − z zᵀ [ℓ2])     squares: κ = 2β      ℓ2: κ = √(β² − γ²/N)/‖w − mean‖, z the unit vector of w − mean
//! ```
//!
//! over all N views that have the edge; for ℓ2 with c = 0, κ = β/‖w‖ and z is the unit vector of w.

use super::super::coupling::Coupling;
use super::super::problem::{Point, Problem};

/// What ties the weights of one edge that move on their own.
pub(super) struct Bundle {
    pub(super) edge: u32,
    /// Their unknowns, one after the other.
    pub(super) from: usize,
    pub(super) len: usize,
    /// κ.
    scale: f64,
    /// 1/N, or zero where the consensus stays zero or is frozen.
    share: f64,
    /// z of those weights; empty if there is none.
    along: Vec<f64>,
    /// The lower factor of their curvature with this one, row after row.
    factor: Vec<f64>,
}

/// κ is never more than this times the other curvature: ℓ2 has a kink where all departures are zero.
const STIFFEST: f64 = 1e9;
/// γ this near to β√N leaves nothing to share.
const ROUNDING: f64 = 1e-12;

/// The weights of an edge in the views that have it.
fn having<'p>(problem: &'p Problem, e: usize, row: &'p [f64]) -> impl Iterator<Item = f64> + Clone + 'p {
    let views = problem.views.iter().zip(row);
    views
        .filter(move |(view, _)| view.ends(problem.edges[e]).is_some())
        .map(|(_, &weight)| weight)
}

/// The best consensus of given weights, on the side where the consensus is.
pub(super) fn best_consensus(problem: &Problem, e: usize, row: &[f64]) -> f64 {
    let weights = having(problem, e, row);
    let first = weights.clone().next().unwrap_or(0.0);
    let n = weights.clone().count().max(1) as f64;
    let gamma = problem.charges.gamma[e] / problem.charges.beta[e];
    let (mean, taken) = match problem.coupling() {
        Coupling::SquaredL2 => (weights.sum::<f64>() / n, 0.5 * gamma / n),
        _ => {
            let room = 1.0 - gamma * gamma / n;
            if room <= ROUNDING {
                return 0.0;
            }
            if weights.clone().all(|weight| weight == first) {
                return first;
            }
            let mean = weights.clone().sum::<f64>() / n;
            let spread: f64 = weights.map(|weight| (weight - mean).powi(2)).sum();
            (mean, gamma * (spread / room).sqrt() / n)
        }
    };
    if taken.is_finite() {
        mean.signum() * (mean.abs() - taken).max(0.0)
    } else {
        0.0
    }
}

/// Brings every consensus that is not zero to its best place.
pub(super) fn settle(problem: &Problem, point: &mut Point) {
    for (e, row) in point.weights.rows().enumerate() {
        let consensus = &mut point.consensus[e];
        if *consensus != 0.0 && problem.charges.beta[e] > 0.0 {
            *consensus = best_consensus(problem, e, row);
        }
    }
}

/// Whether all views that have an edge share its consensus.
pub(super) fn is_fused(problem: &Problem, e: usize, row: &[f64], consensus: f64) -> bool {
    problem.coupling() == Coupling::L2 && consensus != 0.0 && having(problem, e, row).all(|weight| weight == consensus)
}

/// What ties a weight to the consensus has this slope times its departure.
pub(super) fn stiffness(problem: &Problem, e: usize, row: &[f64], consensus: f64) -> f64 {
    let beta = problem.charges.beta[e];
    match problem.coupling() {
        Coupling::SquaredL2 => 2.0 * beta,
        coupling => beta / coupling.value(having(problem, e, row).map(|weight| weight - consensus)),
    }
}

impl Bundle {
    /// Of the weights of an edge that are not zero, whose unknowns begin at `from`; with their curvatures.
    pub(super) fn new(problem: &Problem, e: usize, point: &Point, from: usize, curvatures: &[f64]) -> Self {
        let (row, consensus) = (point.weights.row(e), point.consensus[e]);
        let weights = having(problem, e, row);
        let (beta, n) = (problem.charges.beta[e], weights.clone().count() as f64);
        let is_moving = consensus != 0.0 && problem.is_coupled();
        let share = if is_moving { 1.0 / n } else { 0.0 };
        let (mut scale, mut along) = (2.0 * beta, Vec::new());
        if problem.coupling() == Coupling::L2 {
            let mean = share * weights.clone().sum::<f64>();
            let length = weights
                .clone()
                .map(|weight| (weight - mean).powi(2))
                .sum::<f64>()
                .sqrt();
            let gamma = if is_moving { problem.charges.gamma[e] } else { 0.0 };
            let most = STIFFEST * curvatures.iter().fold(0.0_f64, |most, h| most.max(*h));
            scale = ((beta * beta - gamma * gamma / n).max(0.0).sqrt() / length).min(most);
            let moving = row.iter().filter(|&&weight| weight != 0.0);
            along = moving.map(|weight| (weight - mean) / length).collect();
        }
        let mut bundle = Self {
            edge: e as u32,
            from,
            len: curvatures.len(),
            scale,
            share,
            along,
            factor: Vec::new(),
        };
        bundle.factor = bundle.factored(curvatures);
        bundle
    }

    /// The entry (i, j) of the curvature.
    pub(super) fn entry(&self, i: usize, j: usize) -> f64 {
        let own = if i == j { 1.0 } else { 0.0 };
        let along = if self.along.is_empty() {
            0.0
        } else {
            self.along[i] * self.along[j]
        };
        self.scale * (own - self.share - along)
    }

    fn factored(&self, curvatures: &[f64]) -> Vec<f64> {
        let n = self.len;
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
                let whole = self.entry(i, j) + if i == j { curvatures[i] } else { 0.0 };
                lower[i * n + j] = if i == j {
                    // Rounding may leave less than what the weights have on their own.
                    (whole - known).max(1e-3 * curvatures[i]).sqrt()
                } else {
                    (whole - known) / lower[j * n + j]
                };
            }
        }
        lower
    }

    /// Adds the curvature times a direction.
    pub(super) fn add_product(&self, direction: &[f64], product: &mut [f64]) {
        let direction = &direction[self.from..][..self.len];
        let product = &mut product[self.from..][..self.len];
        let sum = self.share * direction.iter().sum::<f64>();
        for (out, x) in product.iter_mut().zip(direction) {
            *out += self.scale * (x - sum);
        }
        let along: f64 = direction.iter().zip(&self.along).map(|(x, z)| x * z).sum();
        for (out, z) in product.iter_mut().zip(&self.along) {
            *out -= self.scale * along * z;
        }
    }

    /// The inverse of the factored curvature times these unknowns.
    pub(super) fn solve(&self, unknowns: &mut [f64]) {
        let (n, x) = (self.len, &mut unknowns[self.from..][..self.len]);
        for i in 0..n {
            let known: f64 = (0..i).map(|k| self.factor[i * n + k] * x[k]).sum();
            x[i] = (x[i] - known) / self.factor[i * n + i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| self.factor[k * n + i] * x[k]).sum();
            x[i] = (x[i] - known) / self.factor[i * n + i];
        }
    }

    /// After a step: the consensus goes with the weights. Views whose departures have turned round would have passed the
    /// kink of ℓ2, and share the consensus instead.
    pub(super) fn follow(&self, problem: &Problem, from: &Point, point: &mut Point) {
        let e = self.edge as usize;
        if from.consensus[e] == 0.0 {
            return;
        }
        let row = point.weights.row(e);
        let consensus = best_consensus(problem, e, row);
        let before = having(problem, e, from.weights.row(e)).map(|weight| weight - from.consensus[e]);
        let after = having(problem, e, row).map(|weight| weight - consensus);
        let is_turned = before.zip(after).map(|(x, y)| x * y).sum::<f64>() <= 0.0;
        if problem.coupling() == Coupling::L2 && is_turned && having(problem, e, row).all(|weight| weight != 0.0) {
            let n = having(problem, e, row).count() as f64;
            let mean = having(problem, e, row).sum::<f64>() / n;
            for (weight, view) in point.weights.row_mut(e).iter_mut().zip(problem.views.iter()) {
                if view.ends(problem.edges[e]).is_some() {
                    *weight = mean;
                }
            }
            point.consensus[e] = mean;
        } else {
            point.consensus[e] = consensus;
        }
    }
}
