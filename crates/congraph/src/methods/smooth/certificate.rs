//! How close to optimal a result is, whichever solver found it.
//!
//! For multipliers λ^i ∈ R^n of the constraints S w^i = δ^i, minimising over everything else bounds the optimum from
//! below:
//!
//! ```text
//! Dual(λ) = Σ_i min_{1ᵀδ = 2n} [ α‖δ‖² − λ^iᵀδ ]
//!         + Σ_e min_{W ≥ 0, w ≥ 0} [ 2α‖W‖² + Σ_i (D^i_e + λ^i_a + λ^i_b) W_i + β c(W − w) + γ r(w) ]
//! ```
//!
//! The first minimum is at δ^i = 2 + (λ^i − mean λ^i)/2α, the second is the penalty's joint edge minimiser. Each view
//! is scaled to its total n, so that the primal point is feasible, and then
//!
//! ```text
//! 0 ≤ objective(result) − optimum ≤ objective(result) − Dual(λ) = gap.
//! ```
//!
//! A penalty or regulariser that offers only its prox is bounded through it: for any x, y = prox(x) and
//! V = (x − y)/step is a subgradient at y, so c(Z) ≥ c(y) + ⟨V, Z − y⟩ for all Z. The edges then fall apart into single
//! weights. This bound uses that some optimal consensus has w_e ≤ max_i w^i_e (true whenever c does not grow when
//! differences shrink), hence Σ w ≤ nN.
//!
//! Where a view lacks nodes, n is its own number of nodes n_i, λ^i and δ^i are there for these alone (0 elsewhere), and
//! the minimum of an edge is over the views that have it.
//!
//! Where the consensus is frozen, w is not minimised over: the second minimum is over W alone, and an edge that the
//! consensus has adds β c(−w) to both sides even if it is absent.
//!
//! This module does not depend on any solver.

use crate::edges::{ViewMatrix, Weights};
use crate::methods::Certificate;
use crate::methods::smooth::edge_subproblem::{EdgeSubproblem, sum_of_minima};
use crate::methods::smooth::{Parameters, Problem};
use crate::parallel::chunks;

/// What a solver knows of the dual.
#[derive(Clone, Debug, PartialEq)]
pub struct DualPoint {
    /// λ, one row per node.
    pub multipliers: ViewMatrix,
    /// Where the proximal maps of c and r were last taken, for penalties that offer nothing else.
    pub prox_points: Option<ProxPoints>,
}

/// Arguments of the proximal maps whose results are the differences and the consensus.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxPoints {
    /// The argument of `prox c`, one row per edge.
    pub differences: ViewMatrix,
    /// The step of `prox c`.
    pub difference_step: f64,
    /// The argument of `prox r`.
    pub consensus: Vec<f64>,
    /// The step of `prox r`.
    pub consensus_step: f64,
}

/// Scales the weights to feasible totals and certifies them. A view without any edge has nothing to scale: it gets its
/// shortest edge.
pub fn certify(problem: &Problem, weights: Weights, dual: &DualPoint) -> (Weights, Certificate) {
    let weights = with_frozen(problem, weights);
    let dual_objective = dual_objective(problem, dual);
    let weights = feasible(problem, weights)
        .or_else(|weights| feasible(problem, with_shortest(problem, &weights)))
        .unwrap_or_else(|weights| weights);
    let objective = problem.objective(&weights);
    let certificate = Certificate {
        objective,
        dual_objective,
        relative_gap: relative_gap(objective, dual_objective),
    };
    (weights, certificate)
}

/// The same result judged with edges outside the problem, whose share of the dual is `beyond` ≤ 0.
pub(crate) fn certify_beyond(certificate: Certificate, beyond: f64) -> Certificate {
    let dual_objective = certificate.dual_objective + beyond;
    Certificate {
        dual_objective,
        relative_gap: relative_gap(certificate.objective, dual_objective),
        ..certificate
    }
}

/// The share of the problem's edges in the dual at the given multipliers, for penalties with a joint minimiser.
pub(crate) fn edges_bound(problem: &Problem, multipliers: &ViewMatrix) -> f64 {
    match problem.edge_term() {
        Some(term) => joint_edges(problem, term, multipliers),
        None => f64::NEG_INFINITY,
    }
}

/// |objective − dual| / |dual|; infinite when either is not finite. A dual above the objective is rounding, and shows
/// how large rounding is here: it counts as much as a gap of that size.
pub fn relative_gap(objective: f64, dual_objective: f64) -> f64 {
    let gap = (objective - dual_objective).abs() / dual_objective.abs();
    if gap.is_nan() { f64::INFINITY } else { gap }
}

/// The weights beside the consensus of the problem where that is frozen, whatever consensus they came with.
fn with_frozen(problem: &Problem, weights: Weights) -> Weights {
    let Some(frozen) = problem.frozen_consensus() else {
        return weights;
    };
    let mut all = ViewMatrix::zeros(problem.n_edges(), problem.n_views());
    for (edge, row, _) in weights.iter() {
        all.row_mut(edge).copy_from_slice(row);
    }
    Weights::from_dense(&all, frozen)
}

/// The weights with the shortest edge added to every view that has no usable weight.
fn with_shortest(problem: &Problem, weights: &Weights) -> Weights {
    let n_views = problem.n_views();
    let mut all = ViewMatrix::zeros(problem.n_edges(), n_views);
    let mut consensus = vec![0.0; problem.n_edges()];
    for (edge, row, value) in weights.iter() {
        all.row_mut(edge).copy_from_slice(row);
        consensus[edge] = value;
    }
    for (view, sum) in weights.views().column_sums().into_iter().enumerate() {
        if !(sum.is_finite() && sum > 0.0) {
            all.rows_mut().for_each(|row| row[view] = 0.0);
            let distances = problem.distances().values().column(view).enumerate();
            if let Some((shortest, _)) = distances.min_by(|x, y| x.1.total_cmp(&y.1)) {
                all.row_mut(shortest)[view] = problem.total(view);
            }
        }
    }
    Weights::from_dense(&all, &consensus)
}

/// The weights with each view scaled to its total n; back as they are if a view has no edge.
pub(crate) fn feasible(problem: &Problem, weights: Weights) -> Result<Weights, Weights> {
    // A frozen consensus is the best one, whatever the weights are.
    let term = problem.edge_term().filter(|_| problem.frozen_consensus().is_none());
    let mut scratch = [Vec::new(), Vec::new()];
    weights.scaled_to(&problem.totals(), |edge, row| {
        term.map(|term| problem.consensus(term, edge, row, &mut scratch))
    })
}

/// Dual(λ); −∞ where it is too large for f64 to tell, which is a bound too.
pub fn dual_objective(problem: &Problem, dual: &DualPoint) -> f64 {
    let degrees = degree_term(problem, &dual.multipliers);
    let edges = match (problem.edge_term(), &dual.prox_points) {
        (Some(term), _) => joint_edges(problem, term, &dual.multipliers),
        (None, Some(points)) => bounded_edges(problem, points, &dual.multipliers),
        (None, None) => f64::NEG_INFINITY,
    };
    let dual = degrees + edges;
    if dual.is_finite() { dual } else { f64::NEG_INFINITY }
}

/// min over 1ᵀδ = 2n of α‖δ‖² − λᵀδ = 4αn − 2 Σλ − Σ(λ − mean λ)²/4α, summed over the views. Not by way of δ: its
/// rounding, divided by α, would break 1ᵀδ = 2n and with it the bound.
fn degree_term(problem: &Problem, multipliers: &ViewMatrix) -> f64 {
    let alpha = problem.parameters().alpha;
    let sums = multipliers.column_sums();
    let has = |view: usize, node: usize| problem.membership().has(view, node);
    let mut term = 0.0;
    for (view, sum) in sums.iter().enumerate() {
        let n = problem.total(view);
        let mean = sum / n;
        let spread: f64 = multipliers
            .column(view)
            .enumerate()
            .filter(|&(node, _)| has(view, node))
            .map(|(_, value)| value)
            .map(|value| (value - mean) * ((value - mean) / (4.0 * alpha)))
            .sum();
        term += 4.0 * alpha * n - 2.0 * sum - spread;
    }
    term
}

/// Σ_e min over (W, w) with the joint minimiser.
fn joint_edges(problem: &Problem, term: EdgeSubproblem<'_>, multipliers: &ViewMatrix) -> f64 {
    let kappa = problem.kappa();
    let edges = problem.distances().edges();
    let (penalty, n_views) = (problem.penalty(), problem.n_views());
    let sums = chunks::map(problem.n_edges(), |range| {
        sum_of_minima(
            term,
            penalty,
            n_views,
            range,
            #[inline(always)]
            |edge, targets| {
                let (a, b) = edges.ends(edge);
                let ends = multipliers.row(a).iter().zip(multipliers.row(b));
                let row = problem.distances().values().row(edge).iter().zip(ends);
                let mut positive = term.is_held(edge);
                for (target, (distance, (x, y))) in targets.iter_mut().zip(row) {
                    *target = -(distance + x + y) / kappa;
                    positive |= *target > 0.0;
                }
                positive
            },
            |_, _, _| {},
        )
    });
    kappa * sums.iter().sum::<f64>()
}

/// Σ_e with c and r replaced by their tangents at the prox points.
fn bounded_edges(problem: &Problem, points: &ProxPoints, multipliers: &ViewMatrix) -> f64 {
    let kappa = problem.kappa();
    let n_views = problem.n_views();
    let Parameters { beta, gamma, .. } = problem.parameters();
    let edges = problem.distances().edges();

    let mut differences = points.differences.clone();
    let mut bound = 0.0;
    if beta > 0.0 {
        problem
            .penalty()
            .prox(differences.values_mut(), n_views, points.difference_step);
        bound += beta * problem.penalty().value(differences.values(), n_views);
    }
    let mut consensus = points.consensus.clone();
    problem.regulariser().prox(&mut consensus, points.consensus_step);
    bound += gamma * problem.regulariser().value(&consensus);

    let (mut worst, mut violations) = (0.0_f64, 0.0);
    for (edge, &weight) in consensus.iter().enumerate() {
        let (a, b) = edges.ends(edge);
        // The tangent's slope in w.
        let mut slope = 0.0;
        if gamma > 0.0 {
            let subgradient = (points.consensus[edge] - weight) / points.consensus_step;
            slope += gamma * subgradient;
            bound -= gamma * subgradient * weight;
        }
        for i in 0..n_views {
            let mut cost = problem.distances().values().row(edge)[i] + multipliers.row(a)[i] + multipliers.row(b)[i];
            if beta > 0.0 {
                let at = differences.row(edge)[i];
                let subgradient = beta * (points.differences.row(edge)[i] - at) / points.difference_step;
                bound -= subgradient * at;
                cost += subgradient;
                slope -= subgradient;
            }
            if cost < 0.0 {
                // In this order: the square of a distance may be out of range.
                bound -= 0.5 * cost * (cost / kappa);
            }
        }
        worst = worst.max(-slope);
        violations += (-slope).max(0.0);
    }
    // min over 0 ≤ w_e ≤ n, Σ w ≤ nN of Σ slope_e w_e.
    let n = problem.n_nodes() as f64;
    bound - n * violations.min(n_views as f64 * worst)
}
