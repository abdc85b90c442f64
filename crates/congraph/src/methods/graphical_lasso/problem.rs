//! The joint graphical lasso as a problem: covariances, weights of the views, penalty; objective and lower bound.
//!
//! ```text
//! minimise over Θ^1..Θ^N ≻ 0 :
//!     Σ_k c_k ( −log det Θ^k + tr(S^k Θ^k) ) + λ1 Σ_k Σ_{i≠j} |θ^k_ij| + λ2 Σ_ij P(θ^1_ij, …, θ^N_ij)
//! ```
//!
//! c_k = 1, or the number of samples of view k. With one view, or λ2 = 0, this is the graphical lasso.
//!
//! # The lower bound
//!
//! The penalty is the support function of a set C of multipliers Γ (see [`Model`]): it is the largest ⟨Γ, Θ⟩ over
//! Γ ∈ C. So for every Γ ∈ C the objective is at least
//!
//! ```text
//! min_Θ Σ_k c_k ( −log det Θ^k + tr(S^k Θ^k) ) + ⟨Γ^k, Θ^k⟩  =  Σ_k c_k ( log det(S^k + Γ^k/c_k) + n )
//! ```
//!
//! attained at Θ^k = (S^k + Γ^k/c_k)⁻¹, if these are positive definite. [`Problem::certify`] first projects the given
//! multipliers onto C, so the bound holds for any of them. It costs two Cholesky factorisations per view.

use rayon::prelude::*;

use super::matrices::{log_det, symmetric};
use super::model::{Fusion, Model, Scratch};
use crate::error::{Code, DataError, Error};
use crate::methods::Certificate;
use crate::options::option;

/// Negative eigenvalues this small, relative to the variances, are rounding.
const SEMIDEFINITE: f64 = 1e-8;

/// Covariances, weights and penalty.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    n_nodes: usize,
    covariances: Vec<Vec<f64>>,
    view_weights: Vec<f64>,
    model: Model,
}

impl Problem {
    /// From one symmetric covariance matrix per view, row after row, and the weights c_k of the views.
    ///
    /// # Errors
    /// [`Error::Invalid`] if sizes do not fit or a number is not finite or negative where it must not be;
    /// [`Error::Parameter`] if no minimum exists: λ1 must be positive where covariances are singular. [`Code::E04`] for
    /// a node without variance.
    pub fn new(
        n_nodes: usize,
        covariances: Vec<Vec<f64>>,
        view_weights: Vec<f64>,
        model: Model,
    ) -> Result<Self, Error> {
        let refuse = |what: &'static str, message: String| Err(Error::Invalid { what, message });
        if n_nodes == 0 || covariances.is_empty() || covariances.iter().any(|s| s.len() != n_nodes * n_nodes) {
            return refuse(
                "covariances",
                format!("must be {n_nodes} × {n_nodes} numbers for each of one or more views"),
            );
        }
        if view_weights.len() != covariances.len() || view_weights.iter().any(|&c| !(c.is_finite() && c > 0.0)) {
            return refuse("view weights", "must be positive, one for each view".into());
        }
        for (view, covariance) in covariances.iter().enumerate() {
            check_entries(view, covariance, n_nodes)?;
        }
        let indefinite = |s: &Vec<f64>| {
            let lifted = |i: usize, j: usize| s[i * n_nodes + j] * if i == j { 1.0 + SEMIDEFINITE } else { 1.0 };
            log_det(&symmetric(n_nodes, lifted)).is_none()
        };
        if let Some(view) = covariances.par_iter().position_first(indefinite) {
            return refuse(
                "covariances",
                format!(
                    "of view {view} is not positive semidefinite, as every covariance matrix is; was it edited or \
                     filled in?"
                ),
            );
        }
        let problem = Self {
            n_nodes,
            covariances,
            view_weights,
            model,
        };
        problem.with_model(model)
    }

    /// The same covariances with another penalty.
    ///
    /// # Errors
    /// [`Error::Parameter`] if λ1 or λ2 is negative or not finite, or λ1 is 0 where covariances are singular.
    pub fn with_model(&self, model: Model) -> Result<Self, Error> {
        for (name, value) in [("lambda1", model.lambda1), ("lambda2", model.lambda2)] {
            if !(value.is_finite() && value >= 0.0) {
                let message = format!("is {value}; it must be finite and non-negative");
                return Err(Error::Parameter { name, message });
            }
        }
        let problem = Self { model, ..self.clone() };
        problem.check_bounded()?;
        Ok(problem)
    }

    /// Without λ1 nothing stops a precision from growing where the data have no variance at all.
    fn check_bounded(&self) -> Result<(), Error> {
        let coupled = self.model.lambda2 > 0.0 && self.n_views() > 1;
        if self.model.lambda1 > 0.0 || (self.model.fusion == Fusion::Group && self.model.lambda2 > 0.0) {
            return Ok(());
        }
        let definite = |entry: &dyn Fn(usize) -> f64| {
            log_det(&symmetric(self.n_nodes, |i, j| entry(i * self.n_nodes + j))).is_some()
        };
        let bounded = if coupled {
            definite(&|at| {
                self.covariances
                    .iter()
                    .zip(&self.view_weights)
                    .map(|(s, c)| c * s[at])
                    .sum()
            })
        } else {
            self.covariances.iter().all(|s| definite(&|at| s[at]))
        };
        if bounded {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "lambda1",
            message:
                "is 0, and a covariance matrix is singular (fewer samples than nodes, or nodes that repeat others): \
                      the best precision matrix would be infinite. Any lambda1 > 0 will do"
                    .into(),
        })
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.covariances.len()
    }

    /// S^k, row after row.
    pub fn covariance(&self, view: usize) -> &[f64] {
        &self.covariances[view]
    }

    /// The weights c_k.
    pub fn view_weights(&self) -> &[f64] {
        &self.view_weights
    }

    /// λ1, λ2 and the coupling.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The same problem on some of the nodes.
    pub(super) fn restricted(&self, nodes: &[usize]) -> Self {
        Self {
            n_nodes: nodes.len(),
            covariances: self
                .covariances
                .iter()
                .map(|s| submatrix(s, self.n_nodes, nodes))
                .collect(),
            view_weights: self.view_weights.clone(),
            model: self.model,
        }
    }

    /// The objective; none unless all precision matrices are positive definite.
    pub fn objective(&self, precisions: &[Vec<f64>]) -> Option<f64> {
        let n = self.n_nodes;
        let fits: Vec<Option<f64>> = (0..self.n_views())
            .into_par_iter()
            .map(|view| {
                let (theta, covariance) = (&precisions[view], &self.covariances[view]);
                let trace: f64 = theta.iter().zip(covariance).map(|(x, s)| x * s).sum();
                let log = log_det(&symmetric(n, |i, j| theta[i * n + j]))?;
                Some(self.view_weights[view] * (trace - log))
            })
            .collect();
        let fit = fits.into_iter().sum::<Option<f64>>()?;
        let mut row = vec![0.0; self.n_views()];
        let mut charge = 0.0;
        for i in 0..n {
            gather(precisions, i * n + i, &mut row);
            charge += self.model.diagonal_value(&row);
            for j in i + 1..n {
                gather(precisions, i * n + j, &mut row);
                charge += 2.0 * self.model.value(&row);
            }
        }
        Some(fit + charge)
    }

    /// The lower bound that multipliers prove, after they are projected on C; none unless S^k + Γ^k/c_k ≻ 0.
    pub fn lower_bound(&self, multipliers: &[Vec<f64>]) -> Option<f64> {
        let (n, n_views) = (self.n_nodes, self.n_views());
        let mut feasible: Vec<Vec<f64>> = vec![vec![0.0; n * n]; n_views];
        let (mut row, mut beyond, mut scratch) = (vec![0.0; n_views], vec![0.0; n_views], Scratch::new());
        for i in 0..n {
            for j in 0..=i {
                gather(multipliers, i * n + j, &mut row);
                beyond.copy_from_slice(&row);
                self.model.prox_at(i == j, &mut beyond, 1.0, &mut scratch);
                for (matrix, (gamma, over)) in feasible.iter_mut().zip(row.iter().zip(&beyond)) {
                    matrix[i * n + j] = gamma - over;
                }
            }
        }
        let bounds: Vec<Option<f64>> = (0..n_views)
            .into_par_iter()
            .map(|view| {
                let weight = self.view_weights[view];
                let (gamma, covariance) = (&feasible[view], &self.covariances[view]);
                let log = log_det(&symmetric(n, |i, j| covariance[i * n + j] + gamma[i * n + j] / weight))?;
                Some(weight * (log + n as f64))
            })
            .collect();
        bounds.into_iter().sum()
    }

    /// How close to optimal precision matrices are, by the multipliers given.
    ///
    /// The gap is relative to the bound or, should that be smaller, to n Σ_k c_k: the objective of a graphical lasso
    /// may be near zero, and moves by a multiple of n when the data's unit changes.
    pub fn certify(&self, precisions: &[Vec<f64>], multipliers: &[Vec<f64>]) -> Certificate {
        let objective = self.objective(precisions).unwrap_or(f64::INFINITY);
        let dual_objective = self.lower_bound(multipliers).unwrap_or(f64::NEG_INFINITY);
        Certificate {
            objective,
            dual_objective,
            relative_gap: self.relative(objective - dual_objective, dual_objective),
        }
    }

    /// A gap over the size of the bound.
    fn relative(&self, gap: f64, bound: f64) -> f64 {
        if !gap.is_finite() {
            return f64::INFINITY;
        }
        gap.max(0.0) / bound.abs().max(self.size())
    }

    /// n Σ_k c_k.
    pub(super) fn size(&self) -> f64 {
        self.n_nodes as f64 * self.view_weights.iter().sum::<f64>()
    }
}

/// Whether a matrix is finite and symmetric, with a positive diagonal.
fn check_entries(view: usize, covariance: &[f64], n_nodes: usize) -> Result<(), Error> {
    let at = |i: usize, j: usize| covariance[i * n_nodes + j];
    for i in 0..n_nodes {
        if let Some(j) = (0..n_nodes).find(|&j| !at(i, j).is_finite() || at(i, j) != at(j, i)) {
            let (one, two) = (at(i, j), at(j, i));
            return Err(Error::Invalid {
                what: "covariances",
                message: format!(
                    "must be finite and symmetric; entries ({i}, {j}) and ({j}, {i}) of view {view} are {one} and {two}"
                ),
            });
        }
        if at(i, i) <= 0.0 {
            let error = DataError::new(
                Code::E04,
                format!("node {i} of view {view} has a variance of {}", at(i, i)),
                "its precision would be infinite",
                format!("drop the node ({})", option("drop_nodes")),
            );
            return Err(error.into());
        }
    }
    Ok(())
}

/// One entry of every view.
pub(super) fn gather(matrices: &[Vec<f64>], at: usize, row: &mut [f64]) {
    for (value, matrix) in row.iter_mut().zip(matrices) {
        *value = matrix[at];
    }
}

/// The rows and columns of some nodes.
pub(super) fn submatrix(matrix: &[f64], n: usize, nodes: &[usize]) -> Vec<f64> {
    let row = |&i: &usize| nodes.iter().map(move |&j| matrix[i * n + j]);
    nodes.iter().flat_map(row).collect()
}
