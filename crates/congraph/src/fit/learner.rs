//! From views to graphs: distances, problem, solver, certificate, and what the user should be warned of.
//!
//! The fit itself runs with nodes and views sorted by name and its result is put back in the given order, so that the
//! answer is the same, to the bit, for any order of columns and files.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::chance::{self, Agreement, Correlations};
use crate::distances::{Distances, nearest_pairs, neighbourly_order};
use crate::edges::ViewMatrix;
use crate::edges::candidates::{Candidates, EXACT_NEIGHBOURS, EdgeCost, placed_costs, tidy};
use crate::error::{Code, DataError, Error, Warning, list_names};
use crate::findings::outliers;
use crate::fit::{Fit, Prepared, negative};
use crate::graph::MultiviewGraph;
use crate::methods::smooth::certificate::Certificate;
use crate::methods::smooth::{Model, Newton, Parameters, Solution, Solver};
use crate::options::option;
use crate::parallel::chunks;
use crate::progress::{Status, Watch};
use crate::signals::{Scaling, Signals};
use crate::views::{Kind, Mask, Order, Views};

/// How to learn.
#[derive(Clone, Debug)]
pub struct Learner {
    /// How distances are made comparable.
    pub scaling: Scaling,
    /// α, β, γ, the penalty c and the regulariser r.
    pub model: Model,
    /// The solver.
    pub solver: Arc<dyn Solver>,
    /// Learn every view on its own, without a consensus: β and γ are not used.
    pub single: bool,
    /// Which pairs of nodes may be joined; nodes are numbered as in the views.
    pub support: Candidates,
    /// Costs added to some pairs' distances.
    pub edge_costs: Vec<EdgeCost>,
    /// With a restricted support, count the pairs outside it that would have entered (up to
    /// [`CHECKED_OUTSIDE`](crate::edges::candidates::CHECKED_OUTSIDE) nodes).
    pub check_outside: bool,
    /// How many bytes may be used to keep the distances of all pairs in f32; beyond that they are computed anew.
    pub memory: u64,
}

/// 4 GiB.
pub(crate) const DEFAULT_MEMORY: u64 = 4 << 30;
/// From this number of nodes on, listing all pairs costs more than a working set.
pub(crate) const MANY_NODES: usize = 256;
/// How many nearest neighbours of each node in each view a working set starts from.
pub(crate) const NEIGHBOURS: usize = 8;

impl Default for Learner {
    /// mvGL-ℓ1 with parameters still to be chosen: for [`Learner::learn_to`].
    fn default() -> Self {
        Self::new(1.0, 1.0)
    }
}

impl Learner {
    /// mvGL-ℓ1 with default scaling, solved by Newton.
    pub fn new(alpha: f64, beta: f64) -> Self {
        Self {
            scaling: Scaling::default(),
            model: Model::l1(alpha, beta),
            solver: Arc::new(Newton::default()),
            single: false,
            support: Candidates::AllPairs,
            edge_costs: Vec::new(),
            check_outside: false,
            memory: DEFAULT_MEMORY,
        }
    }

    /// Learns the graphs of the views.
    ///
    /// # Errors
    /// E09 for one view, E02 for a view without a pair in common with another and E11 for β = 0 where a consensus is asked; what [`Distances`], [`Problem`](crate::Problem) and
    /// the solver refuse.
    ///
    /// ```
    /// use congraph::fit::Learner;
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let learned = Learner::new(0.05, 0.02).learn(&views, &no_progress)?;
    /// assert!(learned.converged());
    /// assert!(learned.certificate.relative_gap <= 1e-8);
    /// assert_eq!(learned.graph.n_views(), 3);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn learn(&self, views: &Views, watch: Watch<'_>) -> Result<Learned, Error> {
        chunks::in_pool(|| {
            let prepared = self.prepare(views, watch)?;
            let fit = prepared.fit(&self.model_in_use(), None, watch)?;
            prepared.learned(fit, watch)
        })
    }

    /// Makes the data ready for any number of fits: the distances are computed once.
    ///
    /// # Errors
    /// As [`Learner::learn`], apart from the solver's.
    pub fn prepare<'a>(&'a self, views: &'a Views, watch: Watch<'_>) -> Result<Prepared<'a>, Error> {
        self.check(views)?;
        Prepared::new(self, views, watch)
    }

    /// The model, or that of views on their own where these are asked for.
    pub(crate) fn model_in_use(&self) -> Model {
        if self.single {
            Model::single(self.model.parameters.alpha)
        } else {
            self.model.clone()
        }
    }

    /// A fit in the user's order, with everything that is told of it.
    pub(crate) fn learned(
        &self,
        views: &Views,
        sorted: &Views,
        order: &Order,
        fit: Fit,
        distances_time: Duration,
        outside: Option<usize>,
    ) -> Learned {
        let graph = fit_graph(views, &fit, order);
        let Fit {
            model,
            solution,
            distances,
            time,
            ..
        } = fit;
        let correlations = Correlations::of(sorted);
        let mut warnings: Vec<Warning> = doubts(&solution).into_iter().collect();
        warnings.extend(match &correlations {
            Some(found) => found.warning(),
            None => chance::unjudged(sorted),
        });
        warnings.extend(data_warnings(sorted, &distances, &self.scaling));
        warnings.extend(component_warning(&graph, model.parameters.gamma, true));
        // Of noise, no view is further from the truth than another.
        if correlations.as_ref().is_none_or(Correlations::is_beyond_chance) {
            warnings.extend(outlier_warnings(&graph));
        }
        warnings.extend(negative::warning(
            sorted,
            &distances,
            &self.scaling,
            !self.edge_costs.is_empty(),
        ));
        let restricted = self.support != Candidates::AllPairs;
        Learned {
            graph,
            certificate: solution.certificate,
            status: solution.status,
            iterations: solution.iterations,
            correlations,
            parameters: model.parameters,
            outside,
            n_candidates: restricted.then(|| distances.edges().pairs().len()),
            distance_divisor: distances.divisor(),
            distances_time,
            solve_time: time,
            warnings,
        }
    }

    /// The least memory in bytes that a fit of these views takes, about: signals, and what is kept for each pair that is
    /// listed. The distances of all pairs in f32 are not in it; they are kept only if [`Learner::memory`] has room.
    pub fn least_memory(&self, views: &Views) -> u64 {
        let (n, n_views) = (views.n_nodes() as u64, views.n_views() as u64);
        let samples: u64 = views
            .iter()
            .map(|view| view.n_samples().unwrap_or(views.n_nodes()) as u64)
            .sum();
        // The views themselves, their scaled copy, and a third in f32.
        let signals = n * samples * (8 + 8 + 4);
        let all_pairs = n * n.saturating_sub(1) / 2;
        let working_set =
            self.solver.working_set().is_some() && views.kind() == Kind::Signals && views.n_nodes() >= MANY_NODES;
        let listed = match &self.support {
            Candidates::Listed(pairs) => pairs.len() as u64,
            Candidates::Nearest { k, .. } => (n * *k as u64 * n_views).min(all_pairs),
            Candidates::AllPairs if working_set => (n * 8 * n_views).min(all_pairs),
            Candidates::AllPairs => all_pairs,
        };
        // Pairs and distances, weights and Jacobians; ADMM keeps eight numbers for each pair and view.
        let numbers = if self.solver.working_set().is_some() { 5 } else { 8 };
        signals + listed * (16 + 8 * n_views * numbers)
    }

    /// Nodes and views sorted by name; on a restricted support of very many nodes, neighbours then next to each other.
    pub(crate) fn ordered<'a>(&self, views: &'a Views) -> (Cow<'a, Views>, Order) {
        let (sorted, order) = views.sorted();
        let restricted = self.support != Candidates::AllPairs;
        if !restricted || views.kind() != Kind::Signals || views.n_nodes() <= EXACT_NEIGHBOURS {
            return (sorted, order);
        }
        let order = order.then(&neighbourly_order(&sorted, &self.scaling, 0));
        (Cow::Owned(views.arranged(&order)), order)
    }

    /// The pairs of a restricted support, in sorted order of the nodes.
    pub(crate) fn support_pairs(
        &self,
        views: &Views,
        order: &Order,
        watch: Watch<'_>,
    ) -> Result<Option<Vec<[u32; 2]>>, Error> {
        match &self.support {
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
                        message: "knn needs signals; a precomputed matrix holds all pairs already".into(),
                    });
                }
                let signals = Signals::new(views, &self.scaling);
                Ok(Some(nearest_pairs(&signals, *k, *seed, self.memory, watch)))
            }
        }
    }

    /// The costs of pairs in sorted order of the nodes.
    pub(crate) fn sorted_costs(&self, order: &Order) -> Result<Vec<EdgeCost>, Error> {
        let places: Vec<Option<u32>> = order.places().into_iter().map(Some).collect();
        placed_costs(&self.edge_costs, &places)
    }

    fn check(&self, views: &Views) -> Result<(), Error> {
        if self.single {
            return Ok(());
        }
        if views.n_views() == 1 {
            let name = views.view(0).name();
            return Err(DataError::new(
                Code::E09,
                format!("there is only one view (`{name}`), and a consensus is asked"),
                "a consensus is what several views share",
                format!(
                    "give more views, or {} to learn this view's graph alone",
                    option("single").added()
                ),
            )
            .in_view(name)
            .into());
        }
        views.check_coupled()?;
        if self.model.parameters.beta == 0.0 || self.model.penalty.name() == "none" {
            return Err(DataError::new(
                Code::E11,
                if self.model.parameters.beta == 0.0 {
                    "beta is 0, and a consensus is asked"
                } else {
                    "the penalty is `none`, and a consensus is asked"
                },
                "without coupling nothing determines the consensus: it is undefined",
                format!(
                    "use beta > 0 and a penalty other than `none`, or {} to learn every view on its own",
                    option("single").added()
                ),
            )
            .into());
        }
        Ok(())
    }
}

/// A fit's graph with nodes and views in the order the user gave them; without a consensus if its views are not coupled.
pub(crate) fn fit_graph(views: &Views, fit: &Fit, order: &Order) -> MultiviewGraph {
    let weights = &fit.solution.weights;
    let mut pairs = Vec::with_capacity(weights.edges().len());
    let mut values = ViewMatrix::zeros(weights.edges().len(), views.n_views());
    for (k, ([a, b], row, _)) in fit.pairs().enumerate() {
        let [a, b] = [a, b].map(|node| order.nodes[node as usize] as u32);
        pairs.push([a.min(b), a.max(b)]);
        for (&view, &weight) in order.views.iter().zip(row) {
            values.row_mut(k)[view] = weight;
        }
    }
    let coupled = fit.model.parameters.beta > 0.0;
    let consensus = coupled.then_some(weights.consensus());
    let mask = views.mask().map(|mask| Mask::clone(mask));
    MultiviewGraph::new(views.nodes().to_vec(), views.names(), &pairs, &values, consensus).with_mask(mask)
}

/// Learned graphs with their certificate.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The graphs.
    pub graph: MultiviewGraph,
    /// How close to optimal they are.
    pub certificate: Certificate,
    /// Why the solver stopped.
    pub status: Status,
    /// How many iterations it took.
    pub iterations: usize,
    /// α, β and γ.
    pub parameters: Parameters,
    /// Whether the data hold anything beyond chance, if that can be told.
    pub correlations: Option<Correlations>,
    /// How many pairs outside a restricted support would have entered, if that was checked.
    pub outside: Option<usize>,
    /// How many pairs could be joined, if not all.
    pub n_candidates: Option<usize>,
    /// What the distances were divided by.
    pub distance_divisor: f64,
    /// How long the distances took.
    pub distances_time: Duration,
    /// How long the solver took.
    pub solve_time: Duration,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl Learned {
    /// The same, of a fit whose parameters were found for targets: with a warning if the views have nothing in common but what
    /// couples them (where there is nothing at all, that is all there is to say), and one of several components where nobody chose
    /// the density.
    #[must_use]
    pub(crate) fn found(mut self, agreement: Option<&Agreement>, is_density_chosen: bool) -> Self {
        // Views that agree this well are not noise, whatever their few samples say.
        if agreement.is_some_and(Agreement::is_certain) {
            self.warnings.retain(|warning| warning.code != "W13");
        }
        let is_noise = self.warnings.iter().any(|warning| warning.code == "W13");
        if let Some(warning) = agreement.filter(|_| !is_noise).and_then(chance::imposed_warning) {
            // From a consensus that is imposed no view can stand out.
            self.warnings.retain(|warning| warning.code != "W11");
            let first = usize::from(!self.converged());
            self.warnings.insert(first, warning);
        }
        if !is_density_chosen && !self.warnings.iter().any(|warning| warning.code == "W07") {
            let warning = component_warning(&self.graph, self.parameters.gamma, false);
            self.warnings.extend(warning);
        }
        self
    }

    /// Whether the relative gap is within the solver's tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}

/// Nodes this much closer than a view's mean distance, or than unrelated z-scored signals are, carry the same signal twice.
const SAME_SIGNAL: f64 = 1e-4;

pub(crate) fn doubts(solution: &Solution) -> Option<Warning> {
    (!solution.converged()).then(|| {
        Warning::new(
            "W01",
            format!(
                "not converged: {} after {} iteration{} at a relative gap of {:.1e}; the weights are feasible, but the \
                 objective may be that far from the best one",
                solution.status,
                solution.iterations,
                if solution.iterations == 1 { "" } else { "s" },
                solution.certificate.relative_gap
            ),
        )
    })
}

fn data_warnings(views: &Views, distances: &Distances, scaling: &Scaling) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut identical: Vec<Vec<usize>> = Vec::new();
    let values = distances.values();
    for view in 0..views.n_views() {
        let own = |distance: &f64| views.mask().is_none() || *distance < f64::INFINITY;
        let n_own = values.column(view).filter(own).count();
        let mean = values.column(view).filter(own).sum::<f64>() / n_own as f64;
        // Where most nodes are nearly identical, their mean distance says nothing; z-scored signals have one that is known.
        let usual = scaling.unrelated(views.view(view)).unwrap_or(0.0) / distances.divisor();
        let close: Vec<String> = values
            .column(view)
            .zip(distances.edges().pairs())
            .filter(|&(distance, _)| distance < SAME_SIGNAL * mean.max(usual))
            .map(|(_, &[a, b])| format!("{}–{}", views.nodes()[a as usize], views.nodes()[b as usize]))
            .collect();
        if !close.is_empty() {
            let cause = if views.are_electrodes() {
                "bridged electrodes or "
            } else {
                ""
            };
            let message = format!(
                "nearly identical nodes ({}): {cause}the same signal twice? Their edge takes much of the weight",
                list_names(&close)
            );
            warnings.push(Warning::new("W04", message).in_view(views.view(view).name()));
        }
        let is_same_as = |other: &usize| {
            let mut pairs = values.column(view).zip(values.column(*other));
            pairs.all(|(x, y)| (x - y).abs() <= 1e-12 * mean || x == y && x == f64::INFINITY) && mean > 0.0
        };
        match identical.iter_mut().find(|same| is_same_as(&same[0])) {
            Some(same) => same.push(view),
            None => identical.push(vec![view]),
        }
    }
    for same in identical.iter().filter(|same| same.len() > 1) {
        let names: Vec<&str> = same.iter().map(|&view| views.view(view).name()).collect();
        let message = format!(
            "the views {} are identical: the same data count {} in the consensus",
            list_names(&names),
            if same.len() == 2 {
                "twice".into()
            } else {
                format!("{} times", same.len())
            }
        );
        warnings.push(Warning::new("W12", message));
    }
    warnings
}

/// W07 for a graph without an edge, with isolated nodes, or (where nobody chose its density) in several components.
fn component_warning(graph: &MultiviewGraph, gamma: f64, is_chosen: bool) -> Option<Warning> {
    let (n_components, isolated) = graph.components();
    if n_components == 1 || is_chosen && isolated.is_empty() {
        return None;
    }
    let subject = match (graph.consensus(), graph.n_views()) {
        (Some(_), _) => "the consensus",
        (None, 1) => "the graph",
        (None, _) => "the union of the graphs",
    };
    let sparse = graph.consensus().is_some() && gamma > 0.0;
    if isolated.len() == n_components {
        // Neither a larger alpha nor denser views bring it back: gamma outweighs what couples the views, or these share nothing.
        let remedy = if sparse {
            "a smaller gamma, or a larger beta, lets edges in"
        } else {
            "a larger beta pulls the views together until they share edges"
        };
        return Some(Warning::new("W07", format!("{subject} has no edge; {remedy}")));
    }
    let names: Vec<&String> = isolated.iter().map(|&node| &graph.nodes()[node]).collect();
    let alone = match names.len() {
        0 => String::new(),
        1 => format!(", with one isolated node ({})", list_names(&names)),
        many => format!(", with {many} isolated nodes ({})", list_names(&names)),
    };
    let remedy = if sparse {
        "a higher density (a larger alpha), or a smaller gamma, joins more nodes"
    } else {
        "a higher density (a larger alpha) joins more nodes"
    };
    let message = format!("{subject} has {n_components} components{alone}; {remedy}");
    Some(Warning::new("W07", message))
}

/// W11 for each view that is far further from the consensus than the others.
fn outlier_warnings(graph: &MultiviewGraph) -> Vec<Warning> {
    let uniqueness: Vec<f64> = (0..graph.n_views()).filter_map(|view| graph.uniqueness(view)).collect();
    let (stands_out, middle) = outliers(&uniqueness);
    let warned = |(view, value): (usize, &f64)| {
        let message = format!("an outlier: uniqueness {value:.2}, against a median of {middle:.2}");
        Warning::new("W11", message).in_view(&graph.views()[view])
    };
    let outlying = uniqueness.iter().enumerate().filter(|(view, _)| stands_out[*view]);
    outlying.map(warned).collect()
}
