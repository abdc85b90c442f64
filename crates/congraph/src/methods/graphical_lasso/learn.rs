//! From views to precision matrices, in the order of nodes and views that the user gave.
//!
//! As every fit here, it runs with nodes and views sorted by name: the same bits for any order of columns and files.

use std::time::Duration;

use super::admm::JointAdmm;
use super::edge_rule::EdgeRule;
use super::penalty::{Coupling, JointPenalty};
use super::prepared::JointPrepared;
use super::problem::JointCertificate;
use crate::error::{Error, Warning};
use crate::graph::MultiviewGraph;
use crate::progress::{Status, Watch};
use crate::signals::Scaling;
use crate::views::Views;

/// How to learn precision matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointGraphicalLasso {
    /// `scale` makes correlations or covariances of the views. With `sample_norm` sum, a view counts as often as it has
    /// samples. Distances are not used, nor is their norm.
    pub scaling: Scaling,
    /// λ1, λ2 and the coupling.
    pub penalty: JointPenalty,
    /// The solver's settings.
    pub solver: JointAdmm,
}

impl JointGraphicalLasso {
    /// With default scaling and settings, the fused coupling over the diagonal too.
    pub fn new(coupling: Coupling, lambda1: f64, lambda2: f64) -> Self {
        Self {
            scaling: Scaling::default(),
            penalty: JointPenalty {
                coupling,
                lambda1,
                lambda2,
                fused_diagonal: true,
            },
            solver: JointAdmm::default(),
        }
    }

    /// Learns the precision matrices of the views; of one view alone it is the graphical lasso.
    ///
    /// # Errors
    /// E04 for a node without variance; [`Error::Invalid`] for views that lack nodes; [`Error::Parameter`] for λ1 or λ2 out of
    /// range, or λ1 = 0 where no best precision matrix exists.
    ///
    /// ```
    /// use congraph::methods::graphical_lasso::{Coupling, EdgeRule, JointGraphicalLasso};
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let learned = JointGraphicalLasso::new(Coupling::Fused, 0.1, 0.02).learn(&views, &no_progress)?;
    /// assert!(learned.certificate.relative_gap <= 1e-8);
    /// let [any, negative] = EdgeRule::ALL.map(|rule| learned.graph(rule).mean_density());
    /// assert!(negative <= any);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn learn(&self, views: &Views, watch: Watch<'_>) -> Result<JointLearned, Error> {
        let prepared = self.prepare(views)?;
        let fit = prepared.fit(self.penalty.lambda1, self.penalty.lambda2, None, watch)?;
        Ok(prepared.learned(fit))
    }

    /// Makes the data ready for any number of fits: the covariances are computed once.
    ///
    /// # Errors
    /// As [`JointGraphicalLasso::learn`].
    pub fn prepare<'a>(&'a self, views: &'a Views) -> Result<JointPrepared<'a>, Error> {
        if views.mask().is_some() {
            return Err(Error::Invalid {
                what: "the joint graphical lasso",
                message: "needs the same nodes in all views, and some are masked; keep those that all views have"
                    .into(),
            });
        }
        JointPrepared::new(self, views)
    }
}

/// Precision matrices with their certificate.
#[derive(Clone, Debug)]
pub struct JointLearned {
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The names of the views.
    pub views: Vec<String>,
    /// One symmetric matrix per view, row after row.
    pub precisions: Vec<Vec<f64>>,
    /// How close to optimal they are.
    pub certificate: JointCertificate,
    /// Why the solver stopped.
    pub status: Status,
    /// Iterations, of the group of nodes that took most.
    pub iterations: usize,
    /// How many groups of nodes were solved apart.
    pub n_components: usize,
    /// How long the covariances took.
    pub covariances_time: Duration,
    /// How long the solver took.
    pub solve_time: Duration,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl JointLearned {
    /// The graphs by one of the edge rules; there is no consensus.
    pub fn graph(&self, rule: EdgeRule) -> MultiviewGraph {
        rule.graph(self.nodes.clone(), self.views.clone(), &self.precisions)
    }

    /// Whether the relative gap is within the solver's tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}
