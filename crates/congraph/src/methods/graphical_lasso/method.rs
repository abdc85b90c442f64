//! The joint graphical lasso as a method: views → covariances → precision matrices → graphs.

use super::admm::Admm;
use super::covariances::{covariances, view_weights};
use super::edge_rule::EdgeRule;
use super::model::{Fusion, Model};
use super::problem::Problem;
use super::solution::{Iterate, Solution};
use crate::chance::Correlations;
use crate::error::{Error, Warning};
use crate::graph::MultiviewGraph;
use crate::methods::{Certificate, Certified, FitContext, Method};
use crate::options::option;
use crate::progress::{Status, Watch};
use crate::signals::Scaling;
use crate::views::{Order, Views};

/// How to learn precision matrices; of one view alone it is the graphical lasso.
///
/// ```
/// use congraph::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso};
/// use congraph::simulate::{Settings, simulate};
/// use congraph::{Learn, ViewOptions, Views, no_progress};
///
/// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
/// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
/// let learned = GraphicalLasso::new(Fusion::Fused, 0.1, 0.02).learn(&views, &no_progress)?;
/// assert!(learned.certificate.relative_gap <= 1e-8);
/// let negative = learned.details.graph(&learned.graph, EdgeRule::Negative);
/// assert!(negative.mean_density() <= learned.graph.mean_density());
/// # Ok::<(), congraph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphicalLasso {
    /// `scale` makes correlations or covariances of the views. With `sample_norm` sum, a view counts as often as it has
    /// samples. Distances are not used, nor is their norm.
    pub scaling: Scaling,
    /// λ1, λ2 and how the views are fused.
    pub model: Model,
    /// The solver's settings.
    pub solver: Admm,
}

/// Details of a fit besides its graphs.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// One symmetric matrix per view, row after row, in the user's order.
    pub precisions: Vec<Vec<f64>>,
    /// How many groups of nodes were solved apart.
    pub n_components: usize,
}

impl Details {
    /// The graphs by another edge rule than that of `graph`, whose nodes and views these are.
    pub fn graph(&self, graph: &MultiviewGraph, rule: EdgeRule) -> MultiviewGraph {
        rule.graph(graph.nodes().to_vec(), graph.views().to_vec(), &self.precisions)
    }
}

impl GraphicalLasso {
    /// With default scaling and settings, the fused diagonal included.
    pub fn new(fusion: Fusion, lambda1: f64, lambda2: f64) -> Self {
        Self {
            scaling: Scaling::default(),
            model: Model {
                fusion,
                lambda1,
                lambda2,
                fused_diagonal: true,
            },
            solver: Admm::default(),
        }
    }
}

impl Solution {
    /// The precision matrices in the user's order of nodes and views.
    pub fn precisions(&self, order: &Order) -> Vec<Vec<f64>> {
        let (n, place) = (order.nodes.len(), order.places());
        let mut precisions = vec![Vec::new(); order.views.len()];
        for (&view, matrix) in order.views.iter().zip(&self.iterate.precisions) {
            let row = |&i: &u32| place.iter().map(move |&j| matrix[i as usize * n + j as usize]);
            precisions[view] = place.iter().flat_map(row).collect();
        }
        precisions
    }
}

impl Method for GraphicalLasso {
    type Model = Model;
    type Data = Problem;
    type Solution = Solution;
    type Start = Iterate;
    type Details = Details;

    fn name(&self) -> &'static str {
        self.model.fusion.name()
    }

    fn model(&self) -> &Model {
        &self.model
    }

    fn check(&self, views: &Views) -> Result<(), Error> {
        if !views.membership().is_total() {
            return Err(Error::Invalid {
                what: "the joint graphical lasso",
                message: format!(
                    "needs the same nodes in all views, and some are masked; {} keeps those that all views have",
                    option("nodes").set_to("common")
                ),
            });
        }
        Ok(())
    }

    fn prepare(&self, views: &Views, _: &Order, _: Watch<'_>) -> Result<Problem, Error> {
        Problem::new(
            views.n_nodes(),
            covariances(views, &self.scaling)?,
            view_weights(views, self.scaling.sample_norm)?,
            self.model,
        )
    }

    fn fit(
        &self,
        problem: &Problem,
        model: &Model,
        start: Option<&Iterate>,
        watch: Watch<'_>,
    ) -> Result<Solution, Error> {
        self.solver.run(&problem.with_model(*model)?, start, watch)
    }

    fn start(solution: &Solution) -> Iterate {
        solution.iterate.clone()
    }

    fn certify(&self, problem: &Problem, model: &Model, solution: &Solution) -> Result<Certificate, Error> {
        let Iterate {
            precisions,
            multipliers,
            ..
        } = &solution.iterate;
        Ok(problem.with_model(*model)?.certify(precisions, multipliers))
    }

    /// By the usual edge rule; [`Details::graph`] gives the other.
    fn graph(&self, views: &Views, order: &Order, _: &Model, solution: &Solution) -> MultiviewGraph {
        EdgeRule::NonZero.graph(views.nodes().to_vec(), views.names(), &solution.precisions(order))
    }

    fn details(&self, told: &FitContext<'_, Self>, _: Watch<'_>) -> Result<Details, Error> {
        Ok(Details {
            precisions: told.solution.precisions(told.order),
            n_components: told.solution.n_components,
        })
    }

    fn warnings(&self, told: &FitContext<'_, Self>) -> Vec<Warning> {
        let solution = told.solution;
        let not_converged = (!solution.converged()).then(|| {
            let message = format!(
                "not converged: {} after {} iterations at a relative gap of {:.1e}; a larger lambda1 is easier to \
                 solve for",
                solution.status, solution.iterations, solution.certificate.relative_gap
            );
            Warning::new("W01", message)
        });
        let noise = told.correlations.and_then(Correlations::warning);
        not_converged.into_iter().chain(noise).collect()
    }
}

impl Certified for Solution {
    fn certificate(&self) -> Certificate {
        self.certificate
    }

    fn status(&self) -> Status {
        self.status
    }

    fn iterations(&self) -> usize {
        self.iterations
    }
}
