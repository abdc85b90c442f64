//! The data of a fit, made ready once and fitted as often as needed: what a search over α, β and γ loops over.
//!
//! Distances (or, with many nodes, tiles of them) do not depend on α, β or γ. [`Prepared`] holds them, with nodes and views
//! sorted by name; [`Prepared::fit`] solves for one [`Model`], from a neighbouring fit's [`Start`] where there is one;
//! [`Prepared::learned`] puts a fit back in the user's order.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::blocks;
use crate::distances::Distances;
use crate::error::Error;
use crate::graph::{self, MultiviewGraph};
use crate::learn::{Learned, Learner, MANY_NODES, NEIGHBOURS, fit_graph};
use crate::pairs::{AllPairs, Presence, Signals, count_outside};
use crate::problem::{Model, Problem};
use crate::solvers::working_set::Start;
use crate::solvers::{Solution, Solver, Watch};
use crate::support::{CHECKED_OUTSIDE, Support};
use crate::views::{Kind, Order, Views};

/// The views of a learner with their distances at hand.
pub struct Prepared<'a> {
    learner: &'a Learner,
    views: &'a Views,
    sorted: Cow<'a, Views>,
    order: Order,
    data: Data,
    time: Duration,
}

/// All pairs listed, or as many as there are.
enum Data {
    Listed(Arc<Distances>),
    Many(AllPairs),
}

/// One solution, with nodes and views in sorted order.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model that was fitted.
    pub model: Model,
    /// What the solver found.
    pub solution: Solution,
    pub(crate) distances: Arc<Distances>,
    /// Whether the distances are those of a working set.
    is_set: bool,
    pub(crate) time: Duration,
}

impl Fit {
    /// A start for a neighbouring fit.
    pub fn start(&self) -> Start {
        // Where pairs are listed they are the same for every fit.
        let pairs = if self.is_set {
            self.distances.edges().pairs()
        } else {
            &[]
        };
        Start {
            multipliers: self.solution.multipliers.clone(),
            pairs: pairs.to_vec(),
        }
    }

    /// The pairs that are present in some view or in the consensus, with their weights; nodes and views in sorted order.
    pub fn pairs(&self) -> impl Iterator<Item = ([u32; 2], &[f64], f64)> {
        let listed = self.distances.edges().pairs();
        let weights = self.solution.weights.iter();
        weights.map(|(edge, row, consensus)| (listed[edge], row, consensus))
    }

    /// How many pairs of nodes there are.
    pub fn n_pairs(&self) -> usize {
        let n = self.distances.edges().n_nodes();
        n * (n - 1) / 2
    }

    /// The mean density of the views.
    pub fn density(&self) -> f64 {
        let weights = self.solution.weights.views();
        let present = weights.values().iter().filter(|&&weight| weight > 0.0).count();
        present as f64 / (self.n_pairs() * weights.n_views()) as f64
    }

    /// The mean correlation between views; none for a single one.
    pub fn similarity(&self) -> Option<f64> {
        graph::mean_correlation(self.solution.weights.views(), self.n_pairs())
    }

    /// The density of the consensus (of no meaning where each view is learned on its own).
    pub fn consensus_density(&self) -> f64 {
        graph::density(self.solution.weights.consensus().iter().copied(), self.n_pairs())
    }
}

impl<'a> Prepared<'a> {
    /// Sorts the views and computes their distances.
    ///
    /// # Errors
    /// What [`Distances`] refuse.
    pub(crate) fn new(learner: &'a Learner, views: &'a Views, watch: Watch<'_>) -> Result<Self, Error> {
        let start = Instant::now();
        let (sorted, order) = learner.ordered(views);
        let costs = learner.sorted_costs(&order)?;
        let many = sorted.kind() == Kind::Signals && sorted.n_nodes() >= MANY_NODES;
        let offered = learner.model.penalty.joint().is_some() && learner.model.regulariser.slope().is_some();
        let working_set = many && (offered || learner.single) && learner.solver.working_set().is_some();
        let data = if learner.support == Support::AllPairs && working_set {
            let all = AllPairs::new(&sorted, &learner.scaling, NEIGHBOURS, learner.memory, watch)?;
            Data::Many(all.with_costs(costs))
        } else {
            let distances = match learner.support_pairs(&sorted, &order, watch)? {
                None => Distances::from_views(&sorted, &learner.scaling)?,
                Some(pairs) => Distances::of_pairs(&sorted, &learner.scaling, pairs)?,
            };
            Data::Listed(Arc::new(distances.with_costs(&costs)?))
        };
        Ok(Self {
            learner,
            views,
            sorted,
            order,
            data,
            time: start.elapsed(),
        })
    }

    /// How the views are learned.
    pub fn learner(&self) -> &Learner {
        self.learner
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.views.n_nodes()
    }

    /// How many views.
    pub fn n_views(&self) -> usize {
        self.views.n_views()
    }

    /// Solves for a model with the learner's solver.
    ///
    /// # Errors
    /// What [`Problem`] and the solver refuse.
    pub fn fit(&self, model: &Model, start: Option<&Start>, watch: Watch<'_>) -> Result<Fit, Error> {
        self.fit_with(self.learner.solver.as_ref(), model, start, watch)
    }

    /// Solves for a model with another solver.
    ///
    /// # Errors
    /// What [`Problem`] and the solver refuse.
    pub fn fit_with(
        &self,
        solver: &dyn Solver,
        model: &Model,
        start: Option<&Start>,
        watch: Watch<'_>,
    ) -> Result<Fit, Error> {
        let clock = Instant::now();
        let (distances, solution) = blocks::inside(|| self.solve(solver, model, start, watch))?;
        Ok(Fit {
            model: model.clone(),
            solution,
            distances,
            is_set: matches!(self.data, Data::Many(_)),
            time: clock.elapsed(),
        })
    }

    fn solve(
        &self,
        solver: &dyn Solver,
        model: &Model,
        start: Option<&Start>,
        watch: Watch<'_>,
    ) -> Result<(Arc<Distances>, Solution), Error> {
        Ok(match (&self.data, solver.working_set()) {
            (Data::Many(all), Some(working_set)) => {
                let found = working_set.solve(all, model, start, watch)?;
                (found.distances, found.solution)
            }
            (Data::Many(_), None) => return Err(needs_a_list(solver)),
            (Data::Listed(distances), _) => {
                let problem = Problem::new(Arc::clone(distances), model.clone())?;
                let multipliers = start.map(|start| &start.multipliers);
                (Arc::clone(distances), solver.solve(&problem, multipliers, watch)?)
            }
        })
    }

    /// The graphs of a fit in the user's order, with its certificate and what the user should be warned of.
    ///
    /// # Errors
    /// What [`Problem`] refuses.
    pub fn learned(&self, fit: Fit, watch: Watch<'_>) -> Result<Learned, Error> {
        let outside = self.outside(&fit, watch)?;
        Ok(self
            .learner
            .learned(self.views, &self.sorted, &self.order, fit, self.time, outside))
    }

    /// The graphs of a fit in the user's order.
    pub fn graph(&self, fit: &Fit) -> MultiviewGraph {
        fit_graph(self.views, fit, &self.order)
    }

    /// How many pairs outside a restricted support would have entered, if that is to be checked.
    fn outside(&self, fit: &Fit, watch: Watch<'_>) -> Result<Option<usize>, Error> {
        let restricted = self.learner.support != Support::AllPairs;
        let checkable = self.n_nodes() <= CHECKED_OUTSIDE && self.views.kind() == Kind::Signals;
        if !(self.learner.check_outside && restricted && checkable) {
            return Ok(None);
        }
        let problem = Problem::new(Arc::clone(&fit.distances), fit.model.clone())?;
        let Some(test) = Presence::new(&problem) else {
            return Ok(None);
        };
        Ok(Some(count_outside(
            Signals::new(&self.sorted, &self.learner.scaling),
            &fit.distances,
            &fit.solution.multipliers,
            &test,
            self.learner.memory,
            watch,
        )))
    }

    /// Some distances for a first guess of α: all that are listed, or those of nearest neighbours.
    pub(crate) fn short_distances(&self) -> Cow<'_, Distances> {
        match &self.data {
            Data::Listed(distances) => Cow::Borrowed(distances),
            Data::Many(all) => {
                let pairs = all.nearest().to_vec();
                let values = all.rough_distances_of(&pairs);
                Cow::Owned(Distances::clone(&all.restricted(pairs, values)))
            }
        }
    }
}

fn needs_a_list(solver: &dyn Solver) -> Error {
    Error::Unsupported {
        solver: solver.name(),
        term: "many nodes".into(),
        need: "the data were made ready for a working set, which it does not offer",
    }
}
