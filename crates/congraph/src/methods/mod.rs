//! Models of several graphs, one folder each, and what they have in common.
//!
//! A [`Method`] turns views into data (distances, covariances), data into a certified solution, and a solution into
//! graphs. Everything else (the order of nodes and views, warm starts, timing, warnings) is the same for every method
//! and is done by a [`Session`](crate::Session).
//!
//! ```text
//! smooth            the paper's model: graphs on which the signals are smooth, and their consensus
//! likelihood        graphs that make the signals likely: the paper's filter, attractive or signed
//! graphical_lasso   the joint graphical lasso: sparse precision matrices, to compare with
//! ```

mod certificate;
pub mod graphical_lasso;
pub mod likelihood;
pub mod smooth;

use std::borrow::Cow;
use std::fmt;

pub use certificate::Certificate;

use crate::chance::Correlations;
use crate::error::{Error, Warning};
use crate::graph::MultiviewGraph;
use crate::progress::{Status, Watch};
use crate::views::{Order, Views};

/// A way to learn graphs: its settings are the value, a fit leaves nothing in it.
///
/// Every function is given views whose nodes and views are in the order of [`Method::arranged`], so that no result
/// depends on the order of columns and files.
pub trait Method: Clone + fmt::Debug + Send + Sync + Sized {
    /// The numbers and terms of the objective: what a search varies.
    type Model: Clone + fmt::Debug + Send + Sync;
    /// What all fits of the same views share.
    type Data: Send + Sync;
    /// What a fit finds.
    type Solution: Certified + Clone + fmt::Debug + Send + Sync;
    /// Where a neighbouring fit may start.
    type Start: Clone + fmt::Debug + Send + Sync;
    /// What is told of a fit beside its graphs and its certificate.
    type Details: Clone + fmt::Debug + Send + Sync;

    /// The name by which users choose it.
    fn name(&self) -> &'static str;

    /// The model that was asked for.
    fn model(&self) -> &Self::Model;

    /// Refuses views that the method cannot learn from.
    ///
    /// # Errors
    /// With what is wrong and what to do.
    fn check(&self, views: &Views) -> Result<(), Error>;

    /// The views in an order of the method's own: nodes and views sorted by name, unless there is a reason.
    ///
    /// # Errors
    /// If the method cannot use the views.
    fn arranged<'v>(&self, views: &'v Views) -> Result<Arranged<'v>, Error> {
        let (views, order) = views.sorted();
        Ok(Arranged {
            views,
            order,
            seen: None,
        })
    }

    /// Computes, once, what does not depend on the model, from the views as the method sees them.
    ///
    /// # Errors
    /// If the method cannot use the views.
    fn prepare(&self, views: &Views, order: &Order, watch: Watch<'_>) -> Result<Self::Data, Error>;

    /// Solves for a model, from a neighbouring fit if there is one.
    ///
    /// # Errors
    /// For a model out of its range, or one that the solver cannot solve.
    fn fit(
        &self,
        data: &Self::Data,
        model: &Self::Model,
        start: Option<&Self::Start>,
        watch: Watch<'_>,
    ) -> Result<Self::Solution, Error>;

    /// Where a neighbouring fit may start.
    fn start(solution: &Self::Solution) -> Self::Start;

    /// The certificate, computed anew from nothing but the data, the model and the solution: it trusts no solver.
    ///
    /// # Errors
    /// For a model out of its range.
    fn certify(&self, data: &Self::Data, model: &Self::Model, solution: &Self::Solution) -> Result<Certificate, Error>;

    /// The graphs of a solution, back in the user's order: `views` are the user's, too.
    fn graph(&self, views: &Views, order: &Order, model: &Self::Model, solution: &Self::Solution) -> MultiviewGraph;

    /// What else is told.
    ///
    /// # Errors
    /// What [`Method::fit`] refuses.
    fn details(&self, told: &FitContext<'_, Self>, watch: Watch<'_>) -> Result<Self::Details, Error>;

    /// What the user should know, the most important first.
    fn warnings(&self, told: &FitContext<'_, Self>) -> Vec<Warning>;
}

/// Views in a method's own order.
#[derive(Clone, Debug)]
pub struct Arranged<'v> {
    /// The views as they were measured: what is asked of the data is asked of these.
    pub views: Cow<'v, Views>,
    /// Their order.
    pub order: Order,
    /// The views as the method sees them, in the same order, if it changes their signals first.
    pub seen: Option<Views>,
}

impl Arranged<'_> {
    /// The views as the method sees them.
    pub fn seen(&self) -> &Views {
        self.seen.as_ref().unwrap_or(&self.views)
    }
}

/// What is known where a fit is told of: the views, the data, the model, the solution, its graphs.
#[derive(Debug)]
pub struct FitContext<'a, M: Method> {
    /// The views in the method's order, as they were measured.
    pub views: &'a Views,
    /// The same as the method sees them.
    pub seen: &'a Views,
    /// That order.
    pub order: &'a Order,
    /// What all fits share.
    pub data: &'a M::Data,
    /// The model.
    pub model: &'a M::Model,
    /// What was found.
    pub solution: &'a M::Solution,
    /// The graphs in the user's order.
    pub graph: &'a MultiviewGraph,
    /// Whether the data hold anything beyond chance, if that can be told.
    pub correlations: Option<&'a Correlations>,
}

/// A result that says how close to optimal it is.
pub trait Certified {
    /// How close.
    fn certificate(&self) -> Certificate;

    /// Why the solver stopped.
    fn status(&self) -> Status;

    /// How many iterations it took.
    fn iterations(&self) -> usize;

    /// Whether the relative gap is within the solver's tolerance.
    fn converged(&self) -> bool {
        self.status() == Status::Converged
    }
}
