//! The data of a fit, made ready once and fitted as often as needed: what a search over α, β and γ loops over.
//!
//! Distances (or, with many nodes, tiles of them) do not depend on α, β or γ. [`Prepared`] holds them, with nodes and views
//! sorted by name; [`Prepared::fit`] solves for one [`Model`], from a neighbouring fit's [`Start`] where there is one;
//! [`Prepared::learned`] puts a fit back in the user's order.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::chance::Agreement;
use crate::distances::{AllPairs, Distances, count_outside};
use crate::edges::candidates::{CHECKED_OUTSIDE, Candidates, EdgeCost};
use crate::error::Error;
use crate::fit::{Learned, Learner, MANY_NODES, NEIGHBOURS, fit_graph};
use crate::graph::{self, MultiviewGraph};
use crate::methods::smooth::working_set::Start;
use crate::methods::smooth::{Model, Newton, Presence, Problem, Solution, Solver};
use crate::options::option;
use crate::parallel::chunks;
use crate::progress::Watch;
use crate::signals::{Signals, check_spread};
use crate::views::{Kind, Mask, Order, Views, pairs_of};

/// The views of a learner with their distances at hand.
pub struct Prepared<'a> {
    learner: &'a Learner,
    views: &'a Views,
    sorted: Cow<'a, Views>,
    order: Order,
    data: Data,
    time: Duration,
}

/// The relative gap of a fit of which a few digits are wanted.
const ROUGH: f64 = 1e-6;

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

    /// Which nodes the views lack, if any does.
    pub(crate) fn mask(&self) -> Option<&Mask> {
        self.distances.mask().map(AsRef::as_ref)
    }

    /// How many pairs of nodes there are that some view has.
    pub fn n_pairs(&self) -> usize {
        let n_nodes = self.distances.edges().n_nodes();
        self.mask().map_or(pairs_of(n_nodes), Mask::n_pairs)
    }

    /// How many pairs of nodes a view has.
    pub(crate) fn n_pairs_of(&self, view: usize) -> usize {
        let n_nodes = self.distances.edges().n_nodes();
        self.mask().map_or(pairs_of(n_nodes), |mask| mask.n_pairs_of(view))
    }

    /// The mean density of the views.
    pub fn density(&self) -> f64 {
        let n_nodes = self.distances.edges().n_nodes();
        graph::mean_density(self.solution.weights.views(), n_nodes, self.mask())
    }

    /// The mean correlation between views; none for a single one.
    pub fn similarity(&self) -> Option<f64> {
        let (weights, listed) = (&self.solution.weights, self.distances.edges().pairs());
        match self.mask() {
            None => graph::mean_correlation(weights.views(), self.n_pairs()),
            Some(mask) => {
                let pairs = weights.edges().iter().map(|&edge| &listed[edge as usize]);
                graph::mean_common_correlation(&pairs.zip(weights.views().rows()), mask)
            }
        }
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
        check_spread(&sorted, &learner.scaling)?;
        let costs = learner.sorted_costs(&order)?;
        let many = sorted.kind() == Kind::Signals && sorted.n_nodes() >= MANY_NODES;
        let offered = learner.model.penalty.joint().is_some() && learner.model.regulariser.slope().is_some();
        let working_set = many && (offered || learner.single) && learner.solver.working_set().is_some();
        let data = if learner.support == Candidates::AllPairs && working_set {
            let all = AllPairs::new(&sorted, &learner.scaling, NEIGHBOURS, learner.memory, watch)?;
            Data::Many(all.with_costs(costs.clone()))
        } else {
            let distances = match learner.support_pairs(&sorted, &order, watch)? {
                None => Distances::from_views(&sorted, &learner.scaling)?,
                Some(pairs) => Distances::of_pairs(&sorted, &learner.scaling, pairs)?,
            };
            Data::Listed(Arc::new(distances.with_costs(&costs)?))
        };
        no_empty_view(&sorted, &data, &costs)?;
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
        let (distances, solution) = chunks::in_pool(|| self.solve(solver, model, start, watch))?;
        Ok(Fit {
            model: model.clone(),
            solution,
            distances,
            is_set: matches!(self.data, Data::Many(_)),
            time: clock.elapsed(),
        })
    }

    /// How far the views of a coupled fit agree when each is learned on its own; none for views that are not coupled.
    fn agreement(&self, fit: &Fit, watch: Watch<'_>) -> Result<Option<Agreement>, Error> {
        if fit.model.parameters.beta == 0.0 {
            return Ok(None);
        }
        Ok(self.agreement_of(&self.separate(fit, watch)?))
    }

    /// How far the views of a fit agree: in sorted order, so that no sum depends on the user's.
    pub(crate) fn agreement_of(&self, separate: &Fit) -> Option<Agreement> {
        let as_they_are = Order::as_given(self.n_nodes(), self.n_views());
        Agreement::of(&fit_graph(&self.sorted, separate, &as_they_are))
    }

    /// Every view on its own, at the α of a fit and among its pairs, to a few digits: what the views have in common without being
    /// coupled.
    pub(crate) fn separate(&self, fit: &Fit, watch: Watch<'_>) -> Result<Fit, Error> {
        let clock = Instant::now();
        let model = Model::single(fit.model.parameters.alpha);
        let problem = Problem::new(Arc::clone(&fit.distances), model.clone())?;
        let rough = Newton {
            tolerance: ROUGH,
            polish: false,
            ..Newton::default()
        };
        Ok(Fit {
            model,
            solution: rough.solve(&problem, Some(&fit.solution.multipliers), watch)?,
            distances: Arc::clone(&fit.distances),
            is_set: fit.is_set,
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

    /// The same of a fit that was chosen for the user, and how far its views agree when each is learned on its own.
    ///
    /// # Errors
    /// What [`Problem`] refuses.
    pub fn learned_by_choice(&self, fit: Fit, watch: Watch<'_>) -> Result<(Learned, Option<Agreement>), Error> {
        let agreement = self.agreement(&fit, watch)?;
        let learned = self.learned(fit, watch)?.found(agreement.as_ref(), false);
        Ok((learned, agreement))
    }

    /// The graphs of a fit in the user's order.
    pub fn graph(&self, fit: &Fit) -> MultiviewGraph {
        fit_graph(self.views, fit, &self.order)
    }

    /// How many pairs outside a restricted support would have entered, if that is to be checked.
    fn outside(&self, fit: &Fit, watch: Watch<'_>) -> Result<Option<usize>, Error> {
        let restricted = self.learner.support != Candidates::AllPairs;
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

/// A view that lacks nodes may be left without any pair by what restricts the pairs of all.
fn no_empty_view(views: &Views, data: &Data, costs: &[EdgeCost]) -> Result<(), Error> {
    let Some(mask) = views.mask() else { return Ok(()) };
    let is_forbidden = |cost: &EdgeCost, view: usize| cost.cost == f64::INFINITY && mask.has_pair(view, cost.pair);
    let is_empty = |&view: &usize| match data {
        Data::Listed(distances) => distances.values().column(view).all(f64::is_infinite),
        Data::Many(_) => mask.n_pairs_of(view) == costs.iter().filter(|cost| is_forbidden(cost, view)).count(),
    };
    match (0..views.n_views()).find(is_empty) {
        None => Ok(()),
        Some(view) => Err(Error::Parameter {
            name: "candidates",
            message: format!(
                "or {} leave view `{}` without any pair of the {} nodes it has: no edge could be present there",
                option("edge_costs").bare(),
                views.view(view).name(),
                mask.n_nodes_of(view)
            ),
        }),
    }
}

fn needs_a_list(solver: &dyn Solver) -> Error {
    Error::Unsupported {
        solver: solver.name(),
        term: "many nodes".into(),
        need: "the data were made ready for a working set, which it does not offer",
    }
}
