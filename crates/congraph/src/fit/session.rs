//! The data of a fit, made ready once and fitted as often as needed: what a search over α, β and γ loops over.

use std::time::{Duration, Instant};

use super::learned::Learned;
use crate::chance::Correlations;
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::methods::smooth::Smooth;
use crate::methods::{Arranged, Certificate, Certified, FitContext, Method};
use crate::parallel::chunks;
use crate::progress::Watch;
use crate::views::{Order, Views};

/// The views with the data that the method made of them.
///
/// ```
/// use congraph::simulate::{Settings, simulate};
/// use congraph::{Learn, Model, Smooth, ViewOptions, Views, no_progress};
///
/// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
/// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
/// let method = Smooth::default();
/// let session = method.session(&views, &no_progress)?; // distances once
/// let one = session.fit(&Model::l1(0.05, 0.02), None, &no_progress)?;
/// let next = session.fit(&Model::l1(0.06, 0.02), Some(&one.start()), &no_progress)?; // from its neighbour
/// assert!(next.density() > one.density());
/// # Ok::<(), congraph::Error>(())
/// ```
pub struct Session<'a, M: Method = Smooth> {
    method: &'a M,
    views: &'a Views,
    /// The views in the method's order, and that order.
    arranged: Arranged<'a>,
    pub(super) data: M::Data,
    time: Duration,
}

/// One solution, with nodes and views in the method's order.
#[derive(Clone, Debug)]
pub struct Fit<M: Method = Smooth> {
    /// The model that was fitted.
    pub model: M::Model,
    /// What the solver found.
    pub solution: M::Solution,
    pub(super) time: Duration,
}

impl<M: Method> Fit<M> {
    /// A start for a neighbouring fit.
    pub fn start(&self) -> M::Start {
        M::start(&self.solution)
    }
}

impl<'a, M: Method> Session<'a, M> {
    /// Puts the views in order and computes what all fits share.
    ///
    /// # Errors
    /// What the method refuses.
    pub(super) fn new(method: &'a M, views: &'a Views, watch: Watch<'_>) -> Result<Self, Error> {
        method.check(views)?;
        let clock = Instant::now();
        let arranged = method.arranged(views)?;
        let data = method.prepare(arranged.seen(), &arranged.order, watch)?;
        Ok(Self {
            method,
            views,
            arranged,
            data,
            time: clock.elapsed(),
        })
    }

    /// The method.
    pub fn method(&self) -> &M {
        self.method
    }

    /// The views, as they were given.
    pub fn views(&self) -> &Views {
        self.views
    }

    /// Where each node and view of a fit stands among those that were given.
    pub fn order(&self) -> &Order {
        &self.arranged.order
    }

    /// What all fits share.
    pub fn data(&self) -> &M::Data {
        &self.data
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.views.n_nodes()
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.views.n_views()
    }

    /// Solves for a model, from a neighbouring fit's start if there is one.
    ///
    /// # Errors
    /// What the method refuses.
    pub fn fit(&self, model: &M::Model, start: Option<&M::Start>, watch: Watch<'_>) -> Result<Fit<M>, Error> {
        self.timed(model, || self.method.fit(&self.data, model, start, watch))
    }

    /// A fit with its time, made by one of the threads that share the work.
    pub(super) fn timed(
        &self,
        model: &M::Model,
        solve: impl FnOnce() -> Result<M::Solution, Error> + Send,
    ) -> Result<Fit<M>, Error> {
        let clock = Instant::now();
        let solution = chunks::in_pool(solve)?;
        Ok(Fit {
            model: model.clone(),
            solution,
            time: clock.elapsed(),
        })
    }

    /// The certificate of a fit, computed anew.
    ///
    /// # Errors
    /// What the method refuses.
    pub fn certify(&self, fit: &Fit<M>) -> Result<Certificate, Error> {
        self.method.certify(&self.data, &fit.model, &fit.solution)
    }

    /// The graphs of a fit in the user's order.
    pub fn graph(&self, fit: &Fit<M>) -> MultiviewGraph {
        self.method.graph(self.views, self.order(), &fit.model, &fit.solution)
    }

    /// The graphs of a fit in the method's order: no sum over them depends on the user's.
    pub(crate) fn arranged_graph(&self, fit: &Fit<M>) -> MultiviewGraph {
        let as_they_are = Order::as_given(self.n_nodes(), self.n_views());
        self.method
            .graph(&self.arranged.views, &as_they_are, &fit.model, &fit.solution)
    }

    /// The graphs of a fit in the user's order, with its certificate and what the user should be warned of.
    ///
    /// # Errors
    /// What the method refuses.
    pub fn learned(&self, fit: Fit<M>, watch: Watch<'_>) -> Result<Learned<M>, Error> {
        let graph = self.graph(&fit);
        let correlations = Correlations::of(&self.arranged.views);
        let told = FitContext {
            views: &self.arranged.views,
            seen: self.arranged.seen(),
            order: self.order(),
            data: &self.data,
            model: &fit.model,
            solution: &fit.solution,
            graph: &graph,
            correlations: correlations.as_ref(),
        };
        let details = self.method.details(&told, watch)?;
        let warnings = self.method.warnings(&told);
        Ok(Learned {
            graph,
            certificate: fit.solution.certificate(),
            status: fit.solution.status(),
            iterations: fit.solution.iterations(),
            details,
            correlations,
            prepare_time: self.time,
            solve_time: fit.time,
            warnings,
            model: fit.model,
        })
    }
}
