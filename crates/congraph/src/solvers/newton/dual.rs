//! The dual function of the multipliers, its gradient, and the edges that are present there.

use crate::blocks;
use crate::certificate::relative_gap;
use crate::problem::{EdgeTerm, Parameters, Problem};
use crate::rows::ViewRows;
use crate::weights::Weights;

/// The negated dual in units of κ = 4α; see the header of [`super`] for the symbols.
pub(super) struct Dual<'a> {
    pub(super) problem: &'a Problem,
    pub(super) term: EdgeTerm<'a>,
    kappa: f64,
}

/// The negated dual at one point.
pub(super) struct Evaluation {
    /// Its value.
    pub(super) value: f64,
    /// The size of the terms that were added up to the value: what rounding errors are relative to.
    pub(super) magnitude: f64,
    /// δ − S w, one row per node.
    pub(super) gradient: ViewRows,
    /// S w.
    pub(super) degrees: ViewRows,
    /// The edges present and their weights.
    pub(super) weights: Weights,
}

impl<'a> Dual<'a> {
    pub(super) fn new(problem: &'a Problem, term: EdgeTerm<'a>) -> Self {
        Self {
            problem,
            term,
            kappa: problem.kappa(),
        }
    }

    pub(super) fn evaluate(&self, multipliers: &ViewRows) -> Evaluation {
        let blocks = blocks::map(self.problem.n_edges(), |range| self.edges(range, multipliers));
        let mut weights = Weights::empty(self.problem.n_views());
        let (mut value, mut magnitude) = (0.0, 0.0);
        for (mut block, block_value) in blocks {
            weights.append(&mut block);
            value -= block_value;
            magnitude += block_value.abs();
        }
        let mut gradient = asked_degrees(multipliers);
        // n − 2 Σλ − Σ(λ − mean λ)² for each view, δ = 2 + 2 (λ − mean λ).
        for (degree, multiplier) in gradient.values().iter().zip(multipliers.values()) {
            let apart = 0.5 * degree - 1.0;
            value -= 1.0 - 2.0 * multiplier - apart * apart;
            magnitude += 1.0 + 2.0 * multiplier.abs() + apart * apart;
        }
        let degrees = weights.degrees(self.problem.distances().edges());
        for (entry, degree) in gradient.values_mut().iter_mut().zip(degrees.values()) {
            *entry -= degree;
        }
        Evaluation {
            value,
            magnitude,
            gradient,
            degrees,
            weights,
        }
    }

    /// The relative gap between the point's own weights, scaled to their totals, and its dual value. An estimate for the
    /// iteration's own use: the certificate is computed elsewhere.
    pub(super) fn gap(&self, at: &Evaluation) -> f64 {
        let Parameters { alpha, beta, gamma } = self.problem.parameters();
        let n_views = self.problem.n_views();
        let total = self.problem.n_nodes() as f64;
        // Degrees add up to twice the total.
        let factors: Vec<f64> = at.degrees.column_sums().iter().map(|sum| 2.0 * total / sum).collect();
        if factors.iter().any(|factor| !(factor.is_finite() && *factor > 0.0)) {
            return f64::INFINITY;
        }
        let (edges, views, consensus) = (at.weights.edges(), at.weights.views(), at.weights.consensus());
        let parts = blocks::map(edges.len(), |range| {
            let mut differences = vec![0.0; n_views];
            let mut sum = 0.0;
            for k in range {
                let distances = self.problem.distances().values().row(edges[k] as usize);
                for i in 0..n_views {
                    let weight = views.row(k)[i] * factors[i];
                    sum += weight * (distances[i] + 2.0 * alpha * weight);
                    differences[i] = weight - consensus[k];
                }
                if beta > 0.0 {
                    sum += beta * self.problem.penalty().value(&differences, n_views);
                }
                if gamma > 0.0 {
                    sum += gamma * self.problem.regulariser().value(&consensus[k..=k]);
                }
            }
            sum
        });
        let mut objective: f64 = parts.iter().sum();
        for row in at.degrees.rows() {
            for (degree, factor) in row.iter().zip(&factors) {
                objective += alpha * (degree * factor) * (degree * factor);
            }
        }
        relative_gap(objective, -at.value * self.kappa)
    }

    /// The edges of a range that are present, and the sum of their minima.
    fn edges(&self, range: std::ops::Range<usize>, multipliers: &ViewRows) -> (Weights, f64) {
        let n_views = self.problem.n_views();
        let distances = self.problem.distances();
        let inverse = 1.0 / self.kappa;
        let penalty = (self.term.tau > 0.0).then(|| self.problem.penalty());
        let mut present = Weights::empty(n_views);
        let mut targets = vec![0.0; n_views];
        let mut weights = vec![0.0; n_views];
        let mut scratch = Vec::new();
        let mut sum = 0.0;
        for edge in range {
            let (a, b) = distances.edges().ends(edge);
            let (at_a, at_b) = (multipliers.row(a), multipliers.row(b));
            let mut positive = false;
            for (target, (distance, (x, y))) in targets
                .iter_mut()
                .zip(distances.values().row(edge).iter().zip(at_a.iter().zip(at_b)))
            {
                *target = -(distance * inverse + x + y);
                positive |= *target > 0.0;
            }
            if !positive {
                continue;
            }
            let shared = self.term.minimise(&targets, &mut weights, &mut scratch);
            for (weight, target) in weights.iter().zip(&targets) {
                sum += weight * (0.5 * weight - target);
            }
            sum += self.term.sigma * shared;
            if shared > 0.0 || weights.iter().any(|&weight| weight > 0.0) {
                present.push(edge, &weights, shared);
            }
            if let Some(penalty) = penalty {
                for weight in &mut weights {
                    *weight -= shared;
                }
                sum += self.term.tau * penalty.value(&weights, n_views);
            }
        }
        (present, sum)
    }
}

/// δ = 2 + 2 (λ − mean λ), in units of κ.
fn asked_degrees(multipliers: &ViewRows) -> ViewRows {
    let n = multipliers.n_rows() as f64;
    let means: Vec<f64> = multipliers.column_sums().iter().map(|sum| sum / n).collect();
    let mut degrees = multipliers.clone();
    for row in degrees.rows_mut() {
        for (degree, mean) in row.iter_mut().zip(&means) {
            *degree = 2.0 + 2.0 * (*degree - mean);
        }
    }
    degrees
}
