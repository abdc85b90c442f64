//! The dual function of the multipliers, its gradient, and the edges that are present there.

use crate::edges::{ViewMatrix, Weights};
use crate::methods::smooth::certificate::relative_gap;
use crate::methods::smooth::edge_subproblem::{EdgeSubproblem, sum_of_minima};
use crate::methods::smooth::{Parameters, Problem};
use crate::parallel::chunks;
use crate::team::Share;
use crate::views::own_or_marked;

/// The negated dual in units of κ = 4α; see the header of [`super`] for the symbols.
pub(super) struct Dual<'a> {
    pub(super) problem: &'a Problem,
    pub(super) term: EdgeSubproblem<'a>,
    kappa: f64,
    /// The total of each view: its number of nodes.
    totals: Vec<f64>,
    /// Which of the edges are here.
    pub(super) share: Share,
}

/// How far above the tolerance a gap need not be known exactly.
const FAR: f64 = 100.0;

/// The negated dual at one point.
pub(super) struct DualEvaluation {
    /// Its value.
    pub(super) value: f64,
    /// The size of the terms that were added up to the value: what rounding errors are relative to.
    pub(super) magnitude: f64,
    /// δ − S w, one row per node.
    pub(super) gradient: ViewMatrix,
    /// S w.
    pub(super) degrees: ViewMatrix,
    /// The edges present and their weights, block by block of the problem's edges.
    pub(super) present: Vec<Weights>,
}

impl<'a> Dual<'a> {
    pub(super) fn new(problem: &'a Problem, term: EdgeSubproblem<'a>) -> Self {
        Self {
            problem,
            term,
            kappa: problem.kappa(),
            totals: problem.totals(),
            share: problem.distances().share(),
        }
    }

    /// The dual at a point; what an earlier evaluation has allocated is used again.
    pub(super) fn evaluate(&self, multipliers: &ViewMatrix, used: Option<DualEvaluation>) -> DualEvaluation {
        let n_views = self.problem.n_views();
        let mut present = used.map_or_else(Vec::new, |used| used.present);
        present.resize_with(chunks::count(self.problem.n_edges()), || Weights::empty(n_views));
        // The edges: Σ_e of their minima.
        let values = chunks::map_with(&mut present, self.problem.n_edges(), |range, block| {
            block.clear();
            self.edges(range, multipliers, block)
        });
        let (mut value, mut magnitude) = (0.0, 0.0);
        for block_value in self.share.in_order(values) {
            value -= block_value;
            magnitude += block_value.abs();
        }
        let degrees = Weights::degrees_of_blocks(&present, self.problem.distances().edges(), n_views, &self.share);
        let sums = multipliers.column_sums();
        let means: Vec<f64> = sums.iter().zip(&self.totals).map(|(sum, n)| sum / n).collect();
        let membership = self.problem.membership();
        // The degrees, minimised in closed form: δ = 2 + 2 (λ − mean λ); the gradient is δ − S w.
        let mut gradient = degrees.clone();
        let parts = chunks::map_mut(gradient.values_mut(), n_views, |first, rows| {
            let (mut value, mut magnitude) = (0.0, 0.0);
            for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                let lacks = membership.row(first + k);
                let entries = row.iter_mut().zip(multipliers.row(first + k)).zip(&means);
                for (view, ((entry, &multiplier), mean)) in entries.enumerate() {
                    if lacks.get(view) == Some(&true) {
                        *entry = 0.0;
                        continue;
                    }
                    // n − 2 Σλ − Σ(λ − mean λ)² for each view, δ = 2 + 2 (λ − mean λ).
                    let apart = multiplier - mean;
                    value -= 1.0 - 2.0 * multiplier - apart * apart;
                    magnitude += 1.0 + 2.0 * multiplier.abs() + apart * apart;
                    *entry = 2.0 + 2.0 * apart - *entry;
                }
            }
            (value, magnitude)
        });
        for (part_value, part_magnitude) in parts {
            value += part_value;
            magnitude += part_magnitude;
        }
        DualEvaluation {
            value,
            magnitude,
            gradient,
            degrees,
            present,
        }
    }

    /// The relative gap between the point's own weights, scaled to their totals, and its dual value. An estimate for
    /// the iteration's own use: the certificate is computed elsewhere. Far above the tolerance α‖gradient‖², which is
    /// the gap of the same weights without the scaling where their totals are right, is told instead.
    pub(super) fn gap(&self, at: &DualEvaluation, tolerance: f64) -> f64 {
        let Parameters { alpha, beta, gamma } = self.problem.parameters();
        let dual_value = -at.value * self.kappa;
        let unscaled = alpha * at.gradient.values().iter().map(|g| g * g).sum::<f64>() / dual_value.abs();
        if unscaled > FAR * tolerance {
            return unscaled;
        }
        let n_views = self.problem.n_views();
        // Degrees add up to twice the total.
        let sums = at.degrees.column_sums();
        let factors: Vec<f64> = sums
            .iter()
            .zip(&self.totals)
            .map(|(sum, total)| 2.0 * total / sum)
            .collect();
        let masked = !self.problem.membership().is_total();
        if factors.iter().any(|factor| !(factor.is_finite() && *factor > 0.0)) {
            return f64::INFINITY;
        }
        // eq:multiview_graph_learning_vec of the scaled weights: edges first, degrees below.
        let parts = chunks::map_items(&at.present, |block| {
            let mut differences = vec![0.0; n_views];
            let mut buffer = Vec::new();
            let mut sum = 0.0;
            for (edge, weights, consensus) in block.iter() {
                let distances = self.problem.distances().values().row(edge);
                for i in 0..n_views {
                    if masked && distances[i] == f64::INFINITY {
                        continue;
                    }
                    let weight = weights[i] * factors[i];
                    sum += weight * (distances[i] + 2.0 * alpha * weight);
                    differences[i] = weight - consensus;
                }
                if beta > 0.0 && masked {
                    let own = own_or_marked(&differences, distances, self.term.whole, &mut buffer);
                    sum += beta * self.problem.penalty().value(own, own.len());
                } else if beta > 0.0 {
                    sum += beta * self.problem.penalty().value(&differences, n_views);
                }
                if gamma > 0.0 {
                    sum += gamma * self.problem.regulariser().value(&[consensus]);
                }
            }
            sum
        });
        let mut objective: f64 = self.share.in_order(parts).iter().sum();
        for row in at.degrees.rows() {
            for (degree, factor) in row.iter().zip(&factors) {
                objective += alpha * (degree * factor) * (degree * factor);
            }
        }
        relative_gap(objective, dual_value)
    }

    /// Adds the edges of a range that are present, and returns the sum of their minima.
    fn edges(&self, range: std::ops::Range<usize>, multipliers: &ViewMatrix, block: &mut Weights) -> f64 {
        let distances = self.problem.distances();
        let inverse = 1.0 / self.kappa;
        let (penalty, n_views) = (self.problem.penalty(), self.problem.n_views());
        sum_of_minima(
            self.term,
            penalty,
            n_views,
            range,
            #[inline(always)]
            |edge, targets| {
                let (a, b) = distances.edges().ends(edge);
                let ends = multipliers.row(a).iter().zip(multipliers.row(b));
                let row = distances.values().row(edge).iter().zip(ends);
                let mut positive = self.term.is_held(edge);
                for (target, (distance, (x, y))) in targets.iter_mut().zip(row) {
                    *target = -(distance * inverse + x + y);
                    positive |= *target > 0.0;
                }
                positive
            },
            |edge, weights, consensus| block.push(edge, weights, consensus),
        )
    }
}
