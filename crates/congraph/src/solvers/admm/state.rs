//! The variables of one ADMM run, and what is measured of them.

use super::ZStep;
use super::degrees::DegreeSystem;
use super::steps::{self, EdgeStep};
use crate::certificate::{DualPoint, ProxPoints};
use crate::problem::{Parameters, Problem};
use crate::rows::ViewRows;
use crate::weights::Weights;

/// Variables named as in the header of [`super`]; multipliers are divided by ρ.
pub(super) struct State {
    rho: f64,
    system: DegreeSystem,
    /// w^i: sums to n, may be negative.
    views: ViewRows,
    /// The multiplier of 1ᵀw^i = n.
    totals: Vec<f64>,
    /// v^i.
    differences: ViewRows,
    /// Where prox c was taken; kept only for penalties that must be certified through it.
    difference_point: Option<ViewRows>,
    /// w.
    consensus: Vec<f64>,
    consensus_point: Vec<f64>,
    /// z^i ≥ 0.
    slack_views: ViewRows,
    /// z ≥ 0.
    slack_consensus: Vec<f64>,
    dual_views: ViewRows,
    dual_differences: ViewRows,
    dual_consensus: Vec<f64>,
}

/// Norms of the residuals and of what they are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Residuals {
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) primal_size: f64,
    pub(super) dual_size: f64,
    pub(super) dimension: f64,
}

impl Residuals {
    /// Primal and dual residual, each divided by its tolerance.
    pub(super) fn scaled(&self, absolute: f64, relative: f64) -> (f64, f64) {
        let floor = absolute * self.dimension.sqrt();
        (
            self.primal / (floor + relative * self.primal_size),
            self.dual / (floor + relative * self.dual_size),
        )
    }

    /// The larger of the two.
    pub(super) fn worst(&self, absolute: f64, relative: f64) -> f64 {
        let (primal, dual) = self.scaled(absolute, relative);
        primal.max(dual)
    }
}

impl State {
    /// Equal weights on all edges, and the multipliers that hold a present consensus against its regulariser: a large γ
    /// would otherwise have to build them up step by step.
    pub(super) fn cold(problem: &Problem, rho: f64) -> Self {
        let (n_edges, n_views) = (problem.n_edges(), problem.n_views());
        let equal = problem.n_nodes() as f64 / n_edges as f64;
        let zeros = || ViewRows::zeros(n_edges, n_views);
        let uncertified = problem.edge_term().is_none();
        let gamma = problem.parameters().gamma * problem.regulariser().slope().unwrap_or(0.0);
        let pull = gamma / (problem.kappa() * rho);
        let mut shares = ViewRows::from_values(n_views, vec![pull / n_views as f64; n_edges * n_views]);
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
        let dual_consensus = shares.rows().map(|row| -row.iter().sum::<f64>()).collect();
        Self {
            rho,
            system: DegreeSystem::new(problem.n_nodes(), n_views),
            views: zeros(),
            totals: vec![0.0; n_views],
            differences: zeros(),
            difference_point: uncertified.then(zeros),
            consensus: vec![0.0; n_edges],
            consensus_point: vec![0.0; n_edges],
            slack_views: ViewRows::from_values(n_views, vec![equal; n_edges * n_views]),
            slack_consensus: vec![equal; n_edges],
            dual_views: shares.clone(),
            dual_differences: shares,
            dual_consensus,
        }
    }

    /// From the multipliers of the degrees, by the optimality conditions; none if there is no joint minimiser.
    pub(super) fn warm(problem: &Problem, rho: f64, multipliers: &ViewRows) -> Option<Self> {
        let term = problem.edge_term()?;
        let mut state = Self::cold(problem, rho);
        let inverse = 1.0 / problem.kappa();
        let edges = problem.distances().edges();
        let mut targets = vec![0.0; problem.n_views()];
        let mut scratch = Vec::new();
        for edge in 0..problem.n_edges() {
            let (a, b) = edges.ends(edge);
            let distances = problem.distances().values().row(edge);
            for (i, target) in targets.iter_mut().enumerate() {
                *target = -(distances[i] + multipliers.row(a)[i] + multipliers.row(b)[i]) * inverse;
            }
            let row = state.slack_views.row_mut(edge);
            let shared = term.minimise(&targets, row, &mut scratch);
            state.slack_consensus[edge] = shared;
            for ((dual, weight), target) in state.dual_views.row_mut(edge).iter_mut().zip(&*row).zip(&targets) {
                *dual = (weight - target) / rho;
            }
            // x − prox(x) is a multiplier that the penalty can answer, also where a view is held at zero; on the views that
            // are not it is u − W.
            for target in &mut targets {
                *target -= shared;
            }
            let differences = state.dual_differences.row_mut(edge);
            differences.copy_from_slice(&targets);
            if term.tau > 0.0 {
                problem.penalty().prox(differences, targets.len(), term.tau);
            }
            let mut sum = 0.0;
            for (dual, x) in differences.iter_mut().zip(&targets) {
                *dual = (*dual - x) / rho;
                sum += *dual;
            }
            state.dual_consensus[edge] = -sum;
        }
        Some(state)
    }

    pub(super) fn rho(&self) -> f64 {
        self.rho
    }

    /// The multipliers stay; their scaled form changes.
    pub(super) fn change_rho(&mut self, rho: f64) {
        let factor = self.rho / rho;
        let scaled = [
            self.dual_views.values_mut(),
            self.dual_differences.values_mut(),
            &mut self.dual_consensus,
        ];
        for value in scaled.into_iter().flatten() {
            *value *= factor;
        }
        self.rho = rho;
    }

    /// One iteration.
    pub(super) fn iterate(&mut self, problem: &Problem, z_step: ZStep, relaxation: f64) -> Residuals {
        let Parameters { beta, gamma, .. } = problem.parameters();
        let unit = problem.kappa() * self.rho;
        // eq:admm_li_step
        self.totals = steps::views(
            problem,
            self.rho,
            &self.slack_views,
            &self.dual_views,
            &mut self.system,
            &mut self.views,
        );
        // eq:admm_vi_step
        steps::differences(
            &self.slack_views,
            &self.slack_consensus,
            &self.dual_differences,
            &mut self.differences,
        );
        if let Some(point) = &mut self.difference_point {
            point.values_mut().copy_from_slice(self.differences.values());
        }
        if beta > 0.0 {
            steps::prox(problem.penalty(), &mut self.differences, beta / unit);
        }
        // eq:admm_l_step
        for (point, (z, y)) in self
            .consensus_point
            .iter_mut()
            .zip(self.slack_consensus.iter().zip(&self.dual_consensus))
        {
            *point = z + y;
        }
        self.consensus.copy_from_slice(&self.consensus_point);
        if gamma > 0.0 {
            problem.regulariser().prox(&mut self.consensus, gamma / unit);
        }
        // eq:admm_second and the multipliers
        let step = EdgeStep {
            z_step,
            relaxation,
            rho: self.rho,
        };
        step.all(
            (&self.views, &self.differences, &self.consensus),
            (&mut self.slack_views, &mut self.slack_consensus),
            (
                &mut self.dual_views,
                &mut self.dual_differences,
                &mut self.dual_consensus,
            ),
        )
    }

    /// The slack variables are the feasible-signed, exactly sparse copy of the weights. Where it can be told, the consensus
    /// is the best one for them: nothing holds the slack variable when nothing couples the views.
    pub(super) fn weights(&self, problem: &Problem) -> Weights {
        let Some(term) = problem.edge_term() else {
            return Weights::from_dense(&self.slack_views, &self.slack_consensus);
        };
        let mut scratch = Vec::new();
        let rows = self.slack_views.rows();
        let consensus: Vec<f64> = rows.map(|row| term.consensus(row, &mut scratch)).collect();
        Weights::from_dense(&self.slack_views, &consensus)
    }

    /// λ^i = 2α S w^i − ½ (multiplier of the total): what stationarity of the w^i-step says of the degrees.
    pub(super) fn dual_point(&self, problem: &Problem) -> DualPoint {
        let kappa = problem.kappa();
        let Parameters { beta, gamma, .. } = problem.parameters();
        let mut multipliers = problem.distances().edges().degrees(&self.views);
        for row in multipliers.rows_mut() {
            for (value, total) in row.iter_mut().zip(&self.totals) {
                *value = 0.5 * kappa * (*value - total);
            }
        }
        DualPoint {
            multipliers,
            prox_points: self.difference_point.as_ref().map(|point| ProxPoints {
                differences: point.clone(),
                difference_step: beta / (kappa * self.rho),
                consensus: self.consensus_point.clone(),
                consensus_step: gamma / (kappa * self.rho),
            }),
        }
    }
}
