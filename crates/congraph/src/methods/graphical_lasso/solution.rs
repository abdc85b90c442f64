//! What a solver starts from and ends with, and the whole solve: screening, the iterate, the certificate.

use rayon::prelude::*;

use super::admm::Admm;
use super::problem::{Problem, submatrix};
use super::screening::components;
use crate::error::Error;
use crate::methods::Certificate;
use crate::progress::{Status, Watch};

/// Precision matrices, multipliers, and the step ρ to continue with.
#[derive(Clone, Debug, PartialEq)]
pub struct Iterate {
    /// Z^k: symmetric, row after row.
    pub precisions: Vec<Vec<f64>>,
    /// Γ^k: symmetric, row after row.
    pub multipliers: Vec<Vec<f64>>,
    /// ρ.
    pub rho: f64,
}

impl Iterate {
    pub(super) fn zeros(n: usize, n_views: usize, rho: f64) -> Self {
        Self {
            precisions: vec![vec![0.0; n * n]; n_views],
            multipliers: vec![vec![0.0; n * n]; n_views],
            rho,
        }
    }

    /// Where a cold start begins: no edges, the inverse variances.
    fn diagonal(problem: &Problem) -> Self {
        let (n, n_views) = (problem.n_nodes(), problem.n_views());
        let mut iterate = Self::zeros(n, n_views, 0.0);
        let mut log_sum = 0.0;
        for view in 0..n_views {
            for i in 0..n {
                let variance = problem.covariance(view)[i * n + i];
                iterate.precisions[view][i * n + i] = 1.0 / variance;
                log_sum += variance.ln() / (n * n_views) as f64;
            }
        }
        // Γ over Z: of the size of c S over that of 1/S.
        iterate.rho = problem.size() / (n * n_views) as f64 * (2.0 * log_sum).exp();
        iterate
    }

    fn restricted(&self, n: usize, nodes: &[usize]) -> Self {
        let of_nodes = |matrices: &[Vec<f64>]| matrices.iter().map(|matrix| submatrix(matrix, n, nodes)).collect();
        Self {
            precisions: of_nodes(&self.precisions),
            multipliers: of_nodes(&self.multipliers),
            rho: self.rho,
        }
    }
}

/// A certified result.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The precision matrices and the multipliers that certify them: also a warm start for a neighbouring problem.
    pub iterate: Iterate,
    /// How close to optimal they are.
    pub certificate: Certificate,
    /// Why the solver stopped.
    pub status: Status,
    /// Iterations, of the group of nodes that took most.
    pub iterations: usize,
    /// How many groups of nodes were solved apart.
    pub n_components: usize,
}

impl Admm {
    /// Solves the problem, group of nodes by group of nodes, from an earlier result if given.
    ///
    /// # Errors
    /// [`Error::Parameter`] or [`Error::Invalid`] if a setting is out of range or the start is of another size.
    pub fn run(&self, problem: &Problem, start: Option<&Iterate>, watch: Watch<'_>) -> Result<Solution, Error> {
        self.check(problem, start)?;
        let n = problem.n_nodes();
        let groups = if self.screening {
            components(problem)
        } else {
            vec![(0..n).collect()]
        };
        let cold = Iterate::diagonal(problem);
        let start = start.unwrap_or(&cold);
        let solved: Vec<(Iterate, Status, usize)> = groups
            .par_iter()
            .map(|nodes| self.solve(&problem.restricted(nodes), &start.restricted(n, nodes), watch))
            .collect();

        let mut iterate = Iterate::zeros(n, problem.n_views(), start.rho);
        // Between the groups, the multipliers that hold an entry at zero are known.
        for (view, gamma) in iterate.multipliers.iter_mut().enumerate() {
            let weight = problem.view_weights()[view];
            for (gamma, s) in gamma.iter_mut().zip(problem.covariance(view)) {
                *gamma = -weight * s;
            }
        }
        let (mut status, mut iterations, mut largest) = (Status::Converged, 0, 0);
        for (nodes, (found, ended, took)) in groups.iter().zip(&solved) {
            for view in 0..problem.n_views() {
                for (a, &i) in nodes.iter().enumerate() {
                    for (b, &j) in nodes.iter().enumerate() {
                        iterate.precisions[view][i * n + j] = found.precisions[view][a * nodes.len() + b];
                        iterate.multipliers[view][i * n + j] = found.multipliers[view][a * nodes.len() + b];
                    }
                }
            }
            if *ended != Status::Converged {
                status = *ended;
            }
            iterations = iterations.max(*took);
            if nodes.len() > largest {
                largest = nodes.len();
                iterate.rho = found.rho;
            }
        }
        let certificate = problem.certify(&iterate.precisions, &iterate.multipliers);
        let status = match status {
            Status::Interrupted => Status::Interrupted,
            _ if certificate.relative_gap <= self.tolerance => Status::Converged,
            Status::Converged => Status::Stalled,
            other => other,
        };
        Ok(Solution {
            iterate,
            certificate,
            status,
            iterations,
            n_components: groups.len(),
        })
    }

    fn check(&self, problem: &Problem, start: Option<&Iterate>) -> Result<(), Error> {
        let refuse = |what: &'static str, message: &str| {
            Err(Error::Invalid {
                what,
                message: message.into(),
            })
        };
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(Error::Parameter {
                name: "tol",
                message: "must be positive and finite".into(),
            });
        }
        if !(1.0..2.0).contains(&self.over_relaxation) {
            return refuse("over_relaxation", "must be at least 1 and below 2");
        }
        let Some(start) = start else { return Ok(()) };
        let fits = |matrices: &[Vec<f64>]| {
            let size = problem.n_nodes() * problem.n_nodes();
            matrices.len() == problem.n_views()
                && matrices
                    .iter()
                    .all(|m| m.len() == size && m.iter().all(|x| x.is_finite()))
        };
        if !(fits(&start.precisions) && fits(&start.multipliers) && start.rho.is_normal() && start.rho > 0.0) {
            return refuse(
                "start",
                "must hold finite matrices of the problem's size for each view, and a positive rho",
            );
        }
        Ok(())
    }
}
