//! Where ADMM begins.

use super::pass::takes_penalty;
use super::state::State;
use crate::edges::ViewMatrix;
use crate::methods::smooth::Problem;

/// One edge's slack variables and scaled multipliers.
pub(super) struct EdgeStart {
    /// z^i.
    pub(super) views: Vec<f64>,
    /// z.
    pub(super) consensus: f64,
    /// y^i.
    pub(super) dual_views: Vec<f64>,
    pub(super) dual_differences: Vec<f64>,
    /// y.
    pub(super) dual_consensus: f64,
    /// Buffers of [`State::warm`].
    targets: Vec<f64>,
    scratch: Vec<f64>,
}

impl EdgeStart {
    pub(super) fn new(n_views: usize) -> Self {
        let zeros = || vec![0.0; n_views];
        Self {
            views: zeros(),
            consensus: 0.0,
            dual_views: zeros(),
            dual_differences: zeros(),
            dual_consensus: 0.0,
            targets: zeros(),
            scratch: Vec::new(),
        }
    }
}

impl State {
    /// Equal weights on all edges, and the multipliers that hold a present consensus against its regulariser: a large γ
    /// would otherwise have to build them up step by step.
    pub(super) fn cold(problem: &Problem, rho: f64) -> Self {
        let (n_edges, n_views) = (problem.n_edges(), problem.n_views());
        let equal = problem.n_nodes() as f64 / n_edges as f64;
        let gamma = problem.parameters().gamma * problem.regulariser().slope().unwrap_or(0.0);
        let pull = gamma / (problem.kappa() * rho);
        // One row stands for all where the penalty is separable.
        let n_rows = if takes_penalty(problem) { 1 } else { n_edges };
        let shares = |n_views: usize| {
            let mut shares = ViewMatrix::from_values(n_views, vec![pull / n_views as f64; n_rows * n_views]);
            // x − prox(x): no more than the penalty can hold.
            if problem.parameters().beta > 0.0 {
                let step = problem.parameters().beta / (problem.kappa() * rho);
                let mut held = shares.clone();
                problem.penalty().prox(held.values_mut(), n_views, step);
                for (share, over) in shares.values_mut().iter_mut().zip(held.values()) {
                    *share = over - *share;
                }
            } else {
                shares.values_mut().fill(0.0);
            }
            shares
        };
        // Of edges that one view has, two, and so on; if no view lacks nodes, all views have all edges.
        let fewest = if problem.membership().is_total() { n_views } else { 1 };
        let shares: Vec<ViewMatrix> = (fewest..=n_views).map(shares).collect();
        Self::new(problem, rho, |edge, own, start| {
            let share = shares[own.len() - fewest].row(edge.min(n_rows - 1));
            start.views.fill(equal);
            start.consensus = equal;
            start.dual_views.copy_from_slice(share);
            start.dual_differences.copy_from_slice(share);
            start.dual_consensus = -share.iter().sum::<f64>();
        })
    }

    /// From the multipliers of the degrees, by the optimality conditions; none if there is no joint minimiser.
    pub(super) fn warm(problem: &Problem, rho: f64, multipliers: &ViewMatrix) -> Option<Self> {
        let term = problem.edge_term()?;
        let inverse = 1.0 / problem.kappa();
        let edges = problem.distances().edges();
        Some(Self::new(problem, rho, |edge, own, start| {
            let (a, b) = edges.ends(edge);
            let distances = problem.distances().values().row(edge);
            let targets = &mut start.targets;
            for (&i, target) in own.iter().zip(targets.iter_mut()) {
                let i = i as usize;
                *target = -(distances[i] + multipliers.row(a)[i] + multipliers.row(b)[i]) * inverse;
            }
            // At the optimum the slack variables are the minimiser of the edge subproblem.
            start.consensus = term.minimise(targets, &mut start.views, &mut start.scratch);
            for ((dual, weight), target) in start.dual_views.iter_mut().zip(&start.views).zip(&*targets) {
                *dual = (weight - target) / rho;
            }
            // x − prox(x) is a multiplier that the penalty can answer, also where a view is held at zero; on the views
            // that are not it is u − W.
            for target in &mut *targets {
                *target -= start.consensus;
            }
            let differences = &mut start.dual_differences;
            differences.copy_from_slice(targets);
            if term.tau > 0.0 {
                problem.penalty().prox(differences, targets.len(), term.tau);
            }
            let mut sum = 0.0;
            for (dual, x) in differences.iter_mut().zip(&*targets) {
                *dual = (*dual - x) / rho;
                sum += *dual;
            }
            start.dual_consensus = -sum;
        }))
    }
}
