//! The paper's model as a method: views → distances → weights → graphs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Newton;
use super::certificate::{DualPoint, certify, certify_beyond, edges_bound};
use super::model::{Coupling, Model};
use super::presence::Presence;
use super::problem::Problem;
use super::solver::{Solution, Solver};
use super::warnings;
use super::working_set::Start;
use crate::distances::{AllPairs, Distances, count_outside, nearest_pairs, neighbourly_order};
use crate::edges::candidates::{Candidates, EdgeCost, placed_costs, tidy};
use crate::edges::{ViewMatrix, is_negative, pair_of};
use crate::error::{Code, DataError, Error, Warning};
use crate::graph::MultiviewGraph;
use crate::methods::{Arranged, Certificate, Certified, FitContext, Method};
use crate::options::option;
use crate::progress::{Status, Watch};
use crate::signals::{Scaling, Signals, Spectrum, canonical_flips, check_spread};
use crate::team::{self, Team};
use crate::views::{Kind, Membership, Order, View, Views};

/// How to learn graphs on which signals are smooth, and their consensus.
#[derive(Clone, Debug)]
pub struct Smooth {
    /// How distances are made comparable.
    pub scaling: Scaling,
    /// How far signals are whitened before distances are taken; not at all by default.
    pub spectrum: Spectrum,
    /// α, and what couples the views.
    pub model: Model,
    /// The solver.
    pub solver: Arc<dyn Solver>,
    /// Which pairs of nodes may be joined; nodes are numbered as in the views.
    pub candidates: Candidates,
    /// Costs added to some pairs' distances.
    pub edge_costs: Vec<EdgeCost>,
    /// With restricted candidates, count the pairs outside them that would have entered.
    pub check_outside: bool,
    /// Whether every pair of nodes has a negative edge beside the positive one: weights below 0 for nodes whose signals
    /// are each other's opposites.
    pub signed: bool,
    /// How many bytes may be used: for those who refuse what needs more ([`Smooth::least_memory`]).
    pub memory: u64,
    /// Who shares the work on the pairs of many nodes out among themselves: this process alone, unless it has
    /// [joined](team::join) others.
    pub team: Arc<dyn Team>,
}

/// 4 GiB.
pub(crate) const DEFAULT_MEMORY: u64 = 4 << 30;
/// From this number of nodes on, listing all pairs costs more than a working set.
pub(crate) const MANY_NODES: usize = 256;
/// From this number of nodes on, neighbours are put next to each other.
const NEIGHBOURLY: usize = 30_000;
/// How many nearest neighbours of each node in each view a working set starts from.
const NEIGHBOURS: usize = 8;

/// The distances of the views: all that fits share.
pub enum Data {
    /// Of a list of pairs.
    Listed(Arc<Distances>),
    /// Of all pairs, as many as there are.
    Many(AllPairs),
}

/// What is told of a fit beside its graphs and its certificate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Details {
    /// How many pairs outside restricted candidates would have entered, if that was checked.
    pub outside: Option<usize>,
    /// How many pairs could be joined, if not all.
    pub n_candidates: Option<usize>,
    /// What the distances were divided by.
    pub distance_divisor: f64,
}

impl Default for Smooth {
    /// mvGL-ℓ1 with parameters still to be chosen: for [`Smooth::learn_to`].
    fn default() -> Self {
        Self::new(1.0, 1.0)
    }
}

impl Smooth {
    /// mvGL-ℓ1 with default scaling, solved by Newton.
    pub fn new(alpha: f64, beta: f64) -> Self {
        Self::with_model(Model::l1(alpha, beta))
    }

    /// Another model with default scaling, solved by Newton.
    pub fn with_model(model: Model) -> Self {
        Self {
            scaling: Scaling::default(),
            spectrum: Spectrum::default(),
            model,
            solver: Arc::new(Newton::default()),
            candidates: Candidates::AllPairs,
            edge_costs: Vec::new(),
            check_outside: false,
            signed: false,
            memory: DEFAULT_MEMORY,
            team: team::of_process(),
        }
    }

    /// The same with every view on its own, without a consensus.
    #[must_use]
    pub fn uncoupled(&self) -> Self {
        Self {
            model: Model::uncoupled(self.model.parameters.alpha),
            ..self.clone()
        }
    }

    /// Roughly the memory in bytes that a fit of these views takes: signals, and what is kept for each listed pair.
    pub fn least_memory(&self, views: &Views) -> u64 {
        let (n, n_views) = (views.n_nodes() as u64, views.n_views() as u64);
        let is_whole = !(views.are_held() && self.asks_holders(views));
        let samples = |view: &View| view.n_samples().unwrap_or(views.n_nodes()) as u64;
        let everywhere: u64 = views.iter().map(samples).sum();
        let here: u64 = views
            .iter()
            .filter(|view| is_whole || view.is_here())
            .map(samples)
            .sum();
        // The views themselves, their scaled copy, and before these one with another spectrum; two in bytes with what
        // belongs to them.
        let copies = if self.spectrum.is_plain() { 8 + 8 } else { 8 + 8 + 8 };
        let signals = n * (here * copies + everywhere * 4);
        let all_pairs = n * n.saturating_sub(1) / 2;
        let working_set = self.solver.working_set().is_some() && are_many(views);
        let listed = match &self.candidates {
            Candidates::Listed(pairs) => pairs.len() as u64,
            Candidates::Nearest { k, .. } => (n * *k as u64 * n_views).min(all_pairs),
            Candidates::AllPairs if working_set => (n * 8 * n_views).min(all_pairs),
            Candidates::AllPairs => all_pairs,
        };
        let listed = if self.signed { 2 * listed } else { listed };
        // Pairs and distances, weights and Jacobians; ADMM keeps eight numbers for each pair and view.
        let numbers = if self.solver.working_set().is_some() { 5 } else { 8 };
        signals + listed * (16 + 8 * n_views * numbers)
    }

    /// Solves for a model with another solver than the method's.
    ///
    /// # Errors
    /// What [`Problem`] and the solver refuse.
    pub(crate) fn fit_with(
        data: &Data,
        solver: &dyn Solver,
        model: &Model,
        start: Option<&Start>,
        watch: Watch<'_>,
    ) -> Result<Solution, Error> {
        match (data, solver.working_set()) {
            (Data::Many(all), Some(working_set)) => Ok(working_set.solve(all, model, start, watch)?.solution),
            (Data::Many(_), None) => Err(Error::Unsupported {
                solver: solver.name(),
                term: "many nodes".into(),
                need: "the data were made ready for a working set, which it does not offer",
            }),
            (Data::Listed(distances), _) => {
                let problem = Problem::new(Arc::clone(distances), model.clone())?;
                solver.solve(&problem, start.map(|start| &start.multipliers), watch)
            }
        }
    }

    /// Whether a fit of views that members of a team hold for each other needs no more signals than each has.
    fn asks_holders(&self, views: &Views) -> bool {
        let with_set = are_many(views) && self.model.has_edge_minimiser() && self.solver.working_set().is_some();
        with_set && self.candidates == Candidates::AllPairs && self.spectrum.is_plain() && self.team.shares_set()
    }

    /// The pairs of restricted candidates, in the method's order of the nodes.
    fn candidate_pairs(&self, views: &Views, order: &Order, watch: Watch<'_>) -> Result<Option<Vec<[u32; 2]>>, Error> {
        match &self.candidates {
            Candidates::AllPairs => Ok(None),
            Candidates::Listed(pairs) => {
                let place = order.places();
                let moved: Vec<[u32; 2]> = tidy(pairs, views.n_nodes())?
                    .iter()
                    .map(|pair| pair.map(|node| place[node as usize]))
                    .collect();
                Ok(Some(tidy(&moved, views.n_nodes())?))
            }
            Candidates::Nearest { k, seed } => {
                if views.kind() != Kind::Signals {
                    return Err(Error::Parameter {
                        name: "candidates",
                        message: format!("knn needs signals; {} hold all pairs already", views.matrices()),
                    });
                }
                let signals = Signals::new(views, &self.scaling);
                Ok(Some(nearest_pairs(
                    &signals,
                    self.team.as_ref(),
                    self.signed,
                    *k,
                    *seed,
                    watch,
                )))
            }
        }
    }

    /// How many pairs outside restricted candidates would have entered, if that is to be checked.
    fn outside(&self, told: &FitContext<'_, Self>) -> Result<Option<usize>, Error> {
        let views = told.seen;
        let is_restricted = self.candidates != Candidates::AllPairs;
        let can_be_checked = views.kind() == Kind::Signals;
        if !(self.check_outside && is_restricted && can_be_checked) {
            return Ok(None);
        }
        let solution = told.solution;
        let problem = Problem::new(Arc::clone(&solution.distances), told.model.clone())?;
        let Some(test) = Presence::new(&problem) else {
            return Ok(None);
        };
        Ok(Some(count_outside(
            Signals::new(views, &self.scaling),
            &self.team,
            &solution.distances,
            &solution.multipliers,
            &test,
        )))
    }
}

/// Whether a working set pays for these views.
fn are_many(views: &Views) -> bool {
    views.kind() == Kind::Signals && views.n_nodes() >= MANY_NODES
}

impl Method for Smooth {
    type Model = Model;
    type Data = Data;
    type Solution = Solution;
    type Start = Start;
    type Details = Details;

    fn name(&self) -> &'static str {
        "smooth"
    }

    fn model(&self) -> &Model {
        &self.model
    }

    /// An exponent of the spectrum that is out of its range; E09 for one view, E02 for a view without a pair in common
    /// with another, and E11 for β = 0 or a penalty that charges nothing, where a consensus is wanted.
    fn check(&self, views: &Views) -> Result<(), Error> {
        self.spectrum.check(&self.scaling)?;
        let Coupling::Consensus { .. } = &self.model.coupling else {
            return Ok(());
        };
        views.check_several()?;
        views.check_coupled()?;
        self.model.clone().told_of(views.subjects())?;
        if self.model.is_coupled() {
            return self.solver.needs().check(&self.model, self.solver.name());
        }
        Err(DataError::new(
            Code::E11,
            if self.model.parameters.beta == 0.0 {
                "beta is 0, and a consensus is asked".into()
            } else {
                format!(
                    "the penalty is `{}`, and a consensus is asked",
                    self.model.penalty().name()
                )
            },
            "without coupling nothing determines the consensus: it is undefined",
            format!(
                "use beta > 0 and a penalty other than `none`, or {} to learn every view on its own",
                option("single").added()
            ),
        )
        .into())
    }

    /// Nodes and views sorted by name (views as given, where the penalty depends on their order), signals of signed
    /// graphs in one gauge; of very many nodes, neighbours then next to each other. The spectrum is
    /// taken to its power here, once for all that is asked of distances later; which nodes are neighbours depends on
    /// it.
    fn arranged<'v>(&self, views: &'v Views) -> Result<Arranged<'v>, Error> {
        if views.are_held() && !self.asks_holders(views) {
            let whole = views.whole().into_owned();
            let Arranged { views, order, seen } = self.arranged(&whole)?;
            return Ok(Arranged {
                views: Cow::Owned(views.into_owned()),
                order,
                seen,
            });
        }
        let (mut sorted, mut order) = if self.model.penalty().is_symmetric() {
            views.sorted()
        } else {
            views.sorted_nodes()
        };
        if self.signed {
            order.flipped = canonical_flips(&sorted, &self.scaling);
            if !order.flipped.is_empty() {
                sorted = Cow::Owned(views.arranged(&order));
            }
        }
        if !self.spectrum.is_plain() {
            // A power would raise what rounding left of equal signals.
            check_spread(&sorted, &self.scaling)?;
        }
        let seen = self.spectrum.applied(&sorted, &self.scaling)?;
        if views.kind() != Kind::Signals || views.n_nodes() <= NEIGHBOURLY {
            return Ok(Arranged {
                views: sorted,
                order,
                seen,
            });
        }
        let nodes = neighbourly_order(seen.as_ref().unwrap_or(&sorted), &self.scaling, self.signed, 0);
        let moved = Order::as_given(views.n_nodes(), views.n_views()).then(&nodes);
        let order = order.then(&nodes);
        Ok(Arranged {
            views: Cow::Owned(views.arranged(&order)),
            order,
            seen: seen.map(|seen| seen.arranged(&moved)),
        })
    }

    fn prepare(&self, views: &Views, order: &Order, watch: Watch<'_>) -> Result<Data, Error> {
        check_spread(views, &self.scaling)?;
        let places: Vec<Option<u32>> = order.places().into_iter().map(Some).collect();
        let costs = placed_costs(&self.edge_costs, &places)?;
        let with_set = are_many(views) && self.model.has_edge_minimiser() && self.solver.working_set().is_some();
        let data = if self.candidates == Candidates::AllPairs && with_set {
            let all = AllPairs::of_signs(views, &self.scaling, &self.team, self.signed, NEIGHBOURS, watch)?;
            Data::Many(all.with_costs(costs.clone()))
        } else {
            let distances = match self.candidate_pairs(views, order, watch)? {
                None if self.signed => Distances::signed_from_views(views, &self.scaling)?,
                Some(pairs) if self.signed => Distances::signed_of_pairs(views, &self.scaling, &pairs)?,
                None => Distances::from_views(views, &self.scaling)?,
                Some(pairs) => Distances::of_pairs(views, &self.scaling, pairs)?,
            };
            Data::Listed(Arc::new(distances.with_costs(&costs)?))
        };
        no_empty_view(views, &data, &costs)?;
        Ok(data)
    }

    fn fit(&self, data: &Data, model: &Model, start: Option<&Start>, watch: Watch<'_>) -> Result<Solution, Error> {
        Self::fit_with(data, self.solver.as_ref(), model, start, watch)
    }

    fn start(solution: &Solution) -> Start {
        solution.start()
    }

    fn certify(&self, data: &Data, model: &Model, solution: &Solution) -> Result<Certificate, Error> {
        let problem = Problem::new(Arc::clone(&solution.distances), model.clone())?;
        let dual = DualPoint {
            multipliers: solution.multipliers.clone(),
            prox_points: solution.prox_points.clone(),
        };
        let (_, certificate) = certify(&problem, solution.weights.clone(), &dual);
        // Pairs outside a working set that would be present at the multipliers count in the bound.
        let (Data::Many(all), Some(test)) = (data, Presence::new(&problem)) else {
            return Ok(certificate);
        };
        let pairs = solution.distances.edges().pairs();
        let entering = all.entering(&solution.multipliers, pairs, &test);
        if entering.pairs.is_empty() {
            return Ok(certificate);
        }
        let outside = all.restricted(entering.pairs, entering.distances);
        let beyond = edges_bound(&Problem::new(outside, model.clone())?, &solution.multipliers);
        Ok(certify_beyond(certificate, beyond))
    }

    /// Without a consensus if the views are not coupled. Signs are those of the given data.
    fn graph(&self, views: &Views, order: &Order, model: &Model, solution: &Solution) -> MultiviewGraph {
        let n_edges = solution.weights.edges().len();
        let mut pairs = Vec::with_capacity(n_edges);
        let mut values = ViewMatrix::with_capacity(n_edges, views.n_views());
        let mut consensus = Vec::with_capacity(n_edges);
        for (k, (pair, row, shared)) in solution.pairs().enumerate() {
            let is_flipped = order.is_flipped(pair);
            let turned = |weight: f64| if is_flipped && weight != 0.0 { -weight } else { weight };
            pairs.push(pair_of(pair.map(|node| order.nodes[node as usize] as u32)));
            values.resize(k + 1);
            for (&view, &weight) in order.views.iter().zip(row.iter()) {
                values.row_mut(k)[view] = turned(weight);
            }
            consensus.push(turned(shared));
        }
        let consensus = model.is_coupled().then_some(&consensus[..]);
        let graph = MultiviewGraph::new(views.nodes().to_vec(), views.names(), &pairs, &values, consensus)
            .with_membership(Membership::clone(views.membership()));
        match subject_graphs(order, model, solution) {
            Some((pairs, weights)) => graph.with_subjects(&pairs, &weights),
            None => graph,
        }
    }

    fn details(&self, told: &FitContext<'_, Self>, _: Watch<'_>) -> Result<Details, Error> {
        let distances = &told.solution.distances;
        let is_restricted = self.candidates != Candidates::AllPairs;
        Ok(Details {
            outside: self.outside(told)?,
            n_candidates: is_restricted.then(|| distances.edges().n_edges() / distances.edges().n_signs()),
            distance_divisor: distances.divisor(),
        })
    }

    fn warnings(&self, told: &FitContext<'_, Self>) -> Vec<Warning> {
        warnings::of_fit(self, told)
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

/// The weights of the subjects' graphs in the user's order of nodes, if the penalty knows subjects: of signed edges those
/// of the positive edge less those of the negative one.
fn subject_graphs(order: &Order, model: &Model, solution: &Solution) -> Option<(Vec<[u32; 2]>, ViewMatrix)> {
    let problem = Problem::new(Arc::clone(&solution.distances), model.clone()).ok()?;
    let n_subjects = solution.distances.membership().subjects()?.n_subjects();
    let listed = solution.distances.edges().pairs();
    let mut net: BTreeMap<[u32; 2], Vec<f64>> = BTreeMap::new();
    for (edge, row, consensus) in solution.weights.iter() {
        let found = problem.subject_weights(edge, row, consensus)?;
        let pair = pair_of(listed[edge]);
        let is_negative = is_negative(listed[edge]) != order.is_flipped(pair);
        let pair = pair_of(pair.map(|node| order.nodes[node as usize] as u32));
        let sums = net.entry(pair).or_insert_with(|| vec![0.0; n_subjects]);
        for (sum, weight) in sums.iter_mut().zip(found) {
            // A subject that lacks the edge has no weight; 0 − 0 stays 0.
            if weight > 0.0 {
                *sum += if is_negative { -weight } else { weight };
            }
        }
    }
    let weights = ViewMatrix::from_values(n_subjects, net.values().flatten().copied().collect());
    Some((net.into_keys().collect(), weights))
}

/// A view that lacks nodes may be left without any pair by what restricts the pairs of all.
fn no_empty_view(views: &Views, data: &Data, costs: &[EdgeCost]) -> Result<(), Error> {
    let membership = views.membership();
    if membership.is_total() {
        return Ok(());
    }
    let is_forbidden =
        |cost: &EdgeCost, view: usize| cost.cost == f64::INFINITY && membership.has_pair(view, cost.pair);
    let is_empty = |&view: &usize| match data {
        Data::Listed(distances) => distances.values().column(view).all(f64::is_infinite),
        Data::Many(_) => membership.n_pairs_of(view) == costs.iter().filter(|cost| is_forbidden(cost, view)).count(),
    };
    match (0..views.n_views()).find(is_empty) {
        None => Ok(()),
        Some(view) => Err(Error::Parameter {
            name: "candidates",
            message: format!(
                "or {} leave view `{}` without any pair of the {} nodes it has: no edge could be present there",
                option("edge_costs").bare(),
                views.view(view).name(),
                membership.n_nodes_of(view)
            ),
        }),
    }
}
