//! Learned graphs with their certificate and warnings.

use std::time::Duration;

use super::session::Session;
use crate::chance::Correlations;
use crate::error::{Error, Warning};
use crate::graph::MultiviewGraph;
use crate::methods::smooth::Smooth;
use crate::methods::{Certificate, Method};
use crate::parallel::chunks;
use crate::progress::{Status, Watch};
use crate::views::Views;

/// Learned graphs with their certificate.
#[derive(Clone, Debug)]
pub struct Learned<M: Method = Smooth> {
    /// The graphs.
    pub graph: MultiviewGraph,
    /// How close to optimal they are.
    pub certificate: Certificate,
    /// Why the solver stopped.
    pub status: Status,
    /// How many iterations it took.
    pub iterations: usize,
    /// The model that was fitted.
    pub model: M::Model,
    /// What else the method tells.
    pub details: M::Details,
    /// Whether the data hold anything beyond chance, if that can be told.
    pub correlations: Option<Correlations>,
    /// How long it took to make the data ready.
    pub prepare_time: Duration,
    /// How long the solver took.
    pub solve_time: Duration,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl<M: Method> Learned<M> {
    /// Whether the relative gap is within the solver's tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}

/// Learning, for every method.
pub trait Learn: Method {
    /// Learns the graphs of the views.
    ///
    /// # Errors
    /// What [`Method::check`], [`Method::prepare`] and [`Method::fit`] refuse.
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{Learn, Smooth, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let learned = Smooth::new(0.05, 0.02).learn(&views, &no_progress)?;
    /// assert!(learned.converged());
    /// assert!(learned.certificate.relative_gap <= 1e-8);
    /// assert_eq!(learned.graph.n_views(), 3);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    fn learn(&self, views: &Views, watch: Watch<'_>) -> Result<Learned<Self>, Error> {
        chunks::in_pool(|| {
            let session = self.session(views, watch)?;
            let fit = session.fit(self.model(), None, watch)?;
            session.learned(fit, watch)
        })
    }

    /// Makes the data ready for any number of fits.
    ///
    /// # Errors
    /// What [`Method::check`] and [`Method::prepare`] refuse.
    fn session<'a>(&'a self, views: &'a Views, watch: Watch<'_>) -> Result<Session<'a, Self>, Error> {
        Session::new(self, views, watch)
    }
}

impl<M: Method> Learn for M {}
