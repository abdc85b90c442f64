//! The likelihood as a method: views → covariances → weights → graphs.

use super::data::{Data, Lift};
use super::model::Model;
use super::newton::Newton;
use super::problem::{Point, Signs};
use super::proportional::{Proportional, check_of_both_signs, check_proportional};
use super::solution::{Solution, Whole, problem, refit, solve_whole};
use super::sparsity::Sparsity;
use crate::edges::{Candidates, EdgeCost, ViewMatrix};
use crate::error::{Error, Warning};
use crate::graph::{MultiviewGraph, mean_density};
use crate::methods::smooth::negative::negative_associations;
use crate::methods::{Certificate, FitContext, Method};
use crate::progress::Watch;
use crate::signals::Scale;
use crate::views::{Membership, Order, Views};

/// How to learn graphs that make the signals likely, and their consensus.
///
/// ```
/// use congraph::methods::likelihood::{Filter, Likelihood, Model};
/// use congraph::simulate::{Settings, simulate};
/// use congraph::{Learn, ViewOptions, Views, metrics, no_progress};
///
/// let simulation = simulate(&Settings { n_nodes: 30, n_views: 3, ..Settings::default() })?;
/// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
/// let learned = Likelihood::new(Model::attractive(Filter::Twice, 2.0)).learn(&views, &no_progress)?;
/// assert!(learned.certificate.relative_gap <= 1e-8);
/// let scores = metrics::evaluate(&learned.graph, &simulation.truth)?;
/// assert!(scores.mean_view_f1() > 0.9);
/// # Ok::<(), congraph::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Likelihood {
    /// How signals are scaled; none looks at their sizes: signals in one unit are centred, others z-scored.
    pub scale: Option<Scale>,
    /// What is done with a direction that the data lack.
    pub lift: Lift,
    /// The model.
    pub model: Model,
    /// The solver's settings.
    pub solver: Newton,
    /// Which pairs of nodes may be joined; nodes are numbered as in the views.
    pub candidates: Candidates,
    /// Costs added to λ of some pairs.
    pub edge_costs: Vec<EdgeCost>,
    /// How many bytes may be used.
    pub memory: u64,
    /// What [`learn_to`](Self::learn_to) does with nodes that are multiples of each other; otherwise they are refused.
    pub proportional: Proportional,
}

/// What is told of a fit beside its graphs and its certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// How signals were scaled.
    pub scale: Scale,
    /// Whether a direction that the data lack was put back.
    pub is_lifted: bool,
    /// The mean number of independent samples of a view.
    pub mean_samples: f64,
    /// Weights above this were edges.
    pub threshold: f64,
    /// The mean density of the views before the threshold.
    pub whole_density: f64,
    /// That of the weights above the threshold, before the last fit: with both signs, or views that are charged together, it may
    /// leave out some of them.
    pub kept_density: f64,
    /// Akaike's information criterion before the threshold, with independent samples.
    pub aic: f64,
    /// How many distinct weights it charges.
    pub n_parameters: usize,
    /// For each view the diagonal t of M = diag(t) − W, NaN at nodes that it lacks; empty where a folder does not tell.
    /// The precision matrix of the scaled signals is M^q over the view's mean variance.
    pub diagonals: Vec<Vec<f64>>,
    /// For each view the mean variance of its scaled signals, which the weights are in units of; empty likewise.
    pub variances: Vec<f64>,
}

/// So many square matrices per view are held at a time.
const MATRICES: u64 = 20;

impl Default for Likelihood {
    fn default() -> Self {
        Self::new(Model::default())
    }
}

impl Likelihood {
    /// With usual settings: correlations for graphs of both signs, else units as the data have them.
    pub fn new(model: Model) -> Self {
        let is_signed = model.signs == Signs::Both;
        Self {
            scale: is_signed.then_some(Scale::Zscore),
            lift: if is_signed { Lift::Missing } else { Lift::Mean },
            model,
            solver: Newton::default(),
            candidates: Candidates::AllPairs,
            edge_costs: Vec::new(),
            memory: crate::methods::smooth::DEFAULT_MEMORY,
            proportional: Proportional::Refuse,
        }
    }

    /// Roughly how many bytes a fit takes.
    pub fn memory_of(views: &Views) -> u64 {
        let n = views.n_nodes() as u64;
        MATRICES * n * n * views.n_views() as u64 * 8
    }

    /// Solves the whole problem of a model, before any threshold.
    ///
    /// # Errors
    /// For a model out of its range.
    pub fn whole(&self, data: &Data, model: &Model, start: Option<&Point>, watch: Watch<'_>) -> Result<Whole, Error> {
        let problem = problem(data, model, None)?;
        let mut whole = solve_whole(&self.solver, data, &problem, start, watch);
        if model.sparsity != Sparsity::All {
            // Two matrices per view that nobody will ask for.
            whole.dual = None;
        }
        Ok(whole)
    }

    /// Keeps the edges of a whole solution that are above the threshold, and solves again on them.
    ///
    /// # Errors
    /// For a model out of its range.
    pub fn refit(&self, data: &Data, model: &Model, whole: Whole, watch: Watch<'_>) -> Result<Solution, Error> {
        let problem = problem(data, model, None)?;
        refit(&self.solver, &problem, whole, model.sparsity, data, watch)
    }

    /// Akaike's criterion of a whole solution for the same data in other units, to compare models that scale them
    /// differently: those of `plain`.
    ///
    /// # Errors
    /// For a model out of its range.
    pub(crate) fn information_in(
        data: &Data,
        model: &Model,
        whole: &Whole,
        plain: &Data,
        lacks_mean: bool,
    ) -> Result<f64, Error> {
        let problem = problem(data, model, None)?;
        let deviance = super::deviance::of_point(&problem, &whole.point, data, plain, lacks_mean);
        Ok(deviance + 2.0 * whole.n_parameters as f64)
    }

    /// One view against a consensus that is known: pairs and weights, sorted. Charges, units and the threshold are those
    /// of the fit that learned the consensus.
    ///
    /// # Errors
    /// As [`Method::prepare`] and [`Method::fit`].
    pub(crate) fn frozen(
        &self,
        one: &Views,
        details: &Details,
        consensus: &[([u32; 2], f64)],
        watch: Watch<'_>,
    ) -> Result<Solution, Error> {
        let order = Order::as_given(one.n_nodes(), 1);
        let lift = match (self.lift, details.is_lifted) {
            (Lift::Missing, _) => Lift::Missing,
            (_, true) => Lift::Always,
            (_, false) => Lift::None,
        };
        let data = Data::new(
            one,
            &order,
            Some(details.scale),
            lift,
            (&self.candidates, &self.edge_costs),
            self.check_multiples(),
        )?;
        let data = data.measured_by(details.mean_samples);
        let known = |pair: &[u32; 2]| {
            let found = consensus.binary_search_by_key(pair, |(pair, _)| *pair);
            found.map_or(0.0, |k| consensus[k].1)
        };
        let frozen = data.edges.iter().map(known).collect();
        let problem = problem(&data, &self.model, Some(frozen))?;
        let mut whole = solve_whole(&self.solver, &data, &problem, None, watch);
        whole.dual = None;
        let sparsity = Sparsity::Above(details.threshold);
        refit(&self.solver, &problem, whole, sparsity, &data, watch)
    }

    /// The mean density of the views of a whole solution.
    pub fn density_of(&self, data: &Data, whole: &Whole) -> f64 {
        mean_density(&whole.point.weights, &data.membership)
    }

    /// What refuses nodes that are multiples of each other.
    fn check_multiples(&self) -> fn(&Views, &[faer::Mat<f64>]) -> Result<(), Error> {
        match self.model.signs {
            Signs::Attractive => check_proportional,
            Signs::Both => check_of_both_signs,
        }
    }

    /// Too many nodes are refused before any work.
    fn check_memory(&self, views: &Views) -> Result<(), Error> {
        let needed = Self::memory_of(views);
        if needed <= self.memory {
            return Ok(());
        }
        // As many digits as tell the two apart.
        let shown = |bytes: u64| {
            const MIB: f64 = (1_u64 << 20) as f64;
            match bytes as f64 / MIB {
                mib if mib < 0.1 => format!("{bytes} bytes"),
                mib if mib < 1000.0 => format!("{mib:.1} MiB"),
                mib => format!("{:.2} GiB", mib / 1024.0),
            }
        };
        Err(Error::Parameter {
            name: "memory",
            message: format!(
                "allows {}, and the likelihood of {} views of {} nodes takes about {}: it works on dense matrices; \
                 raise it, or learn by the method `smooth`, which takes any number of nodes",
                shown(self.memory),
                views.n_views(),
                views.n_nodes(),
                shown(needed)
            ),
        })
    }
}

impl Method for Likelihood {
    type Model = Model;
    type Data = Data;
    type Solution = Solution;
    type Start = Point;
    type Details = Details;

    fn name(&self) -> &'static str {
        "likelihood"
    }

    fn model(&self) -> &Model {
        &self.model
    }

    fn check(&self, views: &Views) -> Result<(), Error> {
        self.check_memory(views)?;
        if !self.model.is_coupled() {
            return Ok(());
        }
        views.check_several()?;
        views.check_coupled()
    }

    fn prepare(&self, views: &Views, order: &Order, _: Watch<'_>) -> Result<Data, Error> {
        Data::new(
            views,
            order,
            self.scale,
            self.lift,
            (&self.candidates, &self.edge_costs),
            self.check_multiples(),
        )
    }

    fn fit(&self, data: &Data, model: &Model, start: Option<&Point>, watch: Watch<'_>) -> Result<Solution, Error> {
        let whole = self.whole(data, model, start, watch)?;
        self.refit(data, model, whole, watch)
    }

    fn start(solution: &Solution) -> Point {
        solution.whole.point.clone()
    }

    fn certify(&self, _: &Data, _: &Model, solution: &Solution) -> Result<Certificate, Error> {
        Ok(solution.certify())
    }

    /// Without a consensus if the views are not coupled.
    fn graph(&self, views: &Views, order: &Order, model: &Model, solution: &Solution) -> MultiviewGraph {
        let n_edges = solution.point.consensus.len();
        let mut pairs = Vec::with_capacity(n_edges);
        let mut values = ViewMatrix::zeros(n_edges, views.n_views());
        for (k, ([a, b], row, _)) in solution.pairs().enumerate() {
            let [a, b] = [a, b].map(|node| order.nodes[node as usize] as u32);
            pairs.push([a.min(b), a.max(b)]);
            for (&view, &weight) in order.views.iter().zip(row) {
                values.row_mut(k)[view] = weight;
            }
        }
        let consensus = model.is_coupled().then_some(&solution.point.consensus[..]);
        MultiviewGraph::new(views.nodes().to_vec(), views.names(), &pairs, &values, consensus)
            .with_membership(Membership::clone(views.membership()))
    }

    fn details(&self, told: &FitContext<'_, Self>, _: Watch<'_>) -> Result<Details, Error> {
        let (data, solution) = (told.data, told.solution);
        // From the method's order to the user's.
        let mut diagonals = vec![vec![f64::NAN; told.order.nodes.len()]; told.order.views.len()];
        let mut variances = vec![0.0; diagonals.len()];
        for (view, &given) in told.order.views.iter().enumerate() {
            let own = (0..told.order.nodes.len()).filter(|&node| data.membership.has(view, node));
            for (node, &t) in own.zip(&solution.point.diagonals[view]) {
                diagonals[given][told.order.nodes[node]] = t;
            }
            variances[given] = data.variances[view];
        }
        Ok(Details {
            diagonals,
            variances,
            scale: data.scale,
            is_lifted: data.is_lifted,
            mean_samples: data.mean_samples(),
            threshold: solution.threshold,
            whole_density: mean_density(&solution.whole.point.weights, &data.membership),
            kept_density: solution.kept_density(&data.membership),
            aic: solution.whole.aic,
            n_parameters: solution.whole.n_parameters,
        })
    }

    fn warnings(&self, told: &FitContext<'_, Self>) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = told.solution.warning().into_iter().collect();
        warnings.extend(told.correlations.and_then(crate::chance::Correlations::warning));
        if told.correlations.is_none() {
            warnings.push(crate::chance::unjudged(told.views));
        }
        if told.model.signs == Signs::Attractive {
            warnings.extend(negative_associations(told.views));
        }
        warnings
    }
}
