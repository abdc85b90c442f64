//! The graph of a new view against the frozen consensus of a fit.
//!
//! A new subject, cell type or year need not be learned alone, and the fit need not be repeated. Its own share of the
//! problem, with the consensus w held fixed,
//!
//! ```text
//! minimise over w^i ≥ 0, 1ᵀw^i = n :   D^iᵀ w^i + α ( ‖S w^i‖² + 2‖w^i‖² ) + β c(w^i − w)
//! ```
//!
//! is strongly convex in n(n−1)/2 weights, and Newton on the degrees solves it in n unknowns (see
//! [`crate::methods::smooth::newton`]) with the certificate of any other result. Distances are divided by the divisor
//! of the fit, not by their own largest value, so that α and β keep their meaning. The candidates and the edge costs of
//! the fit apply here too. With a penalty that charges every view by itself (ℓ1, squared ℓ2) projecting a view of the
//! fit reproduces its graph; with ℓ2, which charges all views of an edge together, one view alone is charged
//! β|w^i − w|, as with ℓ1.
//!
//! With nearest neighbours as candidates, the new view's own neighbours are supplemented by every pair that the fit
//! joined somewhere. No other candidate of the fit carries weight, so its views are reproduced although its candidates
//! are not stored.
//!
//! Against a signed consensus each sign has its own: c⁺ = max(c, 0) of the positive edges and c⁻ = max(−c, 0) of the
//! negative ones.
//!
//! A view that lacks nodes has its share of the problem on those it has, as in a fit; edges of the consensus at the
//! others are neither shared nor lacking but unmeasured.
//!
//! Several views are projected independently of each other. Cost: one pass over the pairs for each Newton step.

mod departures;
mod likelihood;
mod matched;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

pub use departures::{Departure, Projection};
use likelihood::LikelihoodFit;
use matched::MatchedView;

use crate::chance::Correlations;
use crate::distances::{Distances, nearest_pairs};
use crate::edges::candidates::{Candidates, EdgeCost, placed_costs, tidy};
use crate::edges::{ViewMatrix, complete_index, pair_of};
use crate::error::Error;
use crate::fit::Learned;
use crate::graph::MultiviewGraph;
use crate::methods::likelihood::{self as likelihood_method, Likelihood, Signs};
use crate::methods::smooth::warnings::of_convergence;
use crate::methods::smooth::{Coupling, Model, Newton, Problem, Smooth, Solution, Solver};
use crate::options::option;
use crate::penalties::{NoPenalty, Penalty};
use crate::progress::Watch;
use crate::signals::{DistanceNorm, Scaling, Signals, Spectrum, canonical_flips, check_spread};
use crate::team::Alone;
use crate::views::{Kind, Missing, NodeRule, Order, Views};

/// A consensus and the settings of its fit: all that is needed to project new views.
#[derive(Clone, Debug)]
pub struct Projector {
    nodes: Vec<String>,
    pairs: Vec<[u32; 2]>,
    weights: Vec<f64>,
    /// The pairs that the fit joined in some view or in the consensus.
    joined: Vec<[u32; 2]>,
    /// Weighs ‖L‖_F², as in the fit; larger is denser.
    pub alpha: f64,
    /// Weighs the penalty, as in the fit; 0 learns the view on its own.
    pub beta: f64,
    /// The penalty c of the fit.
    pub penalty: Arc<dyn Penalty>,
    /// How distances are made, as in the fit.
    pub scaling: Scaling,
    /// How far signals are whitened before, as in the fit; every view by its own spectrum.
    pub spectrum: Spectrum,
    /// What the distances of the fit were divided by.
    pub distance_divisor: f64,
    /// What to do with nodes that only the consensus or only the view has.
    pub node_rule: NodeRule,
    /// What to do with nodes of the consensus that a view lacks: with [`Missing::Mask`] it is projected with those it
    /// has.
    pub missing: Missing,
    /// Nodes to leave out of the consensus and the views.
    pub drop_nodes: Vec<String>,
    /// Which pairs may be joined, besides those of the consensus, as in the fit; nodes are numbered as in the
    /// consensus.
    pub candidates: Candidates,
    /// Costs added to some pairs' distances, as in the fit; nodes are numbered as in the consensus.
    pub edge_costs: Vec<EdgeCost>,
    /// Whether pairs have negative edges too, as in the fit.
    pub signed: bool,
    /// The solver, with the tolerance of the fit.
    pub newton: Newton,
    /// For a consensus that was learned by the likelihood: how. Of what stands above, only what is said of nodes,
    /// candidates and edge costs counts then.
    likelihood: Option<LikelihoodFit>,
}

impl Projector {
    /// Freezes the consensus of a graph learned by this method from distances divided by `distance_divisor`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the graph has no consensus, or negative weights that the method does not learn, or the divisor is
    /// not positive.
    pub fn new(graph: &MultiviewGraph, method: &Smooth, distance_divisor: f64) -> Result<Self, Error> {
        let Some(consensus) = graph.consensus() else {
            return Err(Error::Invalid {
                what: "consensus",
                message: "is missing: each view of this fit was learned on its own, and there is nothing to project on"
                    .into(),
            });
        };
        if graph.is_signed() && !method.signed {
            return Err(Error::Invalid {
                what: "graph",
                message: "has negative weights, and its method learns none: they do not belong together".into(),
            });
        }
        if !(distance_divisor.is_finite() && distance_divisor > 0.0) {
            return Err(Error::Invalid {
                what: "distance_divisor",
                message: format!("is {distance_divisor}; it must be positive and finite"),
            });
        }
        let penalty: Arc<dyn Penalty> = match &method.model.coupling {
            Coupling::Consensus { penalty, .. } => Arc::clone(penalty),
            Coupling::Uncoupled => Arc::new(NoPenalty),
        };
        // A new view is of a new subject: it pays for leaving the consensus what its subject's graph would.
        let subjects = graph.subjects();
        let penalty = subjects
            .and_then(|subjects| penalty.of_subjects(subjects.of_views()))
            .unwrap_or(penalty);
        if let Some(coupling) = penalty.coupling().filter(|_| penalty.subject_share().is_none()) {
            return Err(Error::Invalid {
                what: "consensus",
                message: format!(
                    "is the median of views that are coupled by `{coupling}`: nothing was charged for leaving it, so there \
                     is nothing to project a view by; learn with {}",
                    option("coupling").set_to("consensus")
                ),
            });
        }
        let present = graph
            .pairs()
            .iter()
            .zip(consensus)
            .filter(|(_, weight)| **weight != 0.0);
        let (pairs, weights) = present.map(|(&pair, &weight)| (pair, weight)).unzip();
        Ok(Self {
            nodes: graph.nodes().to_vec(),
            pairs,
            weights,
            joined: graph.pairs().to_vec(),
            alpha: method.model.parameters.alpha,
            beta: method.model.parameters.beta,
            penalty,
            scaling: method.scaling,
            spectrum: method.spectrum,
            distance_divisor,
            node_rule: NodeRule::Same,
            missing: Missing::Error,
            drop_nodes: Vec::new(),
            candidates: method.candidates.clone(),
            edge_costs: method.edge_costs.clone(),
            signed: method.signed,
            newton: Newton {
                tolerance: method.solver.tolerance(),
                ..Newton::default()
            },
            likelihood: None,
        })
    }

    /// Freezes the consensus of a graph that the likelihood learned.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the graph has no consensus.
    pub fn of_likelihood(
        graph: &MultiviewGraph,
        method: &Likelihood,
        details: &likelihood_method::Details,
    ) -> Result<Self, Error> {
        let plain = Smooth {
            candidates: method.candidates.clone(),
            edge_costs: method.edge_costs.clone(),
            signed: method.model.signs == Signs::Both,
            ..Smooth::default()
        };
        let mut projector = Self::new(graph, &plain, 1.0)?;
        projector.scaling.scale = details.scale;
        projector.likelihood = Some(LikelihoodFit {
            method: method.clone(),
            details: details.clone(),
        });
        Ok(projector)
    }

    /// How the likelihood learned the consensus, if it did.
    pub fn likelihood(&self) -> Option<(&Likelihood, &likelihood_method::Details)> {
        self.likelihood.as_ref().map(|fit| (&fit.method, &fit.details))
    }

    /// The same with another coupling: β, or b of a likelihood.
    #[must_use]
    pub fn with_coupling(mut self, beta: f64) -> Self {
        self.beta = beta;
        if let Some(fit) = &mut self.likelihood {
            fit.method.model.coupling = Some(beta);
        }
        self
    }

    /// The same with another tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.newton.tolerance = tolerance;
        if let Some(fit) = &mut self.likelihood {
            fit.method.solver.tolerance = tolerance;
        }
        self
    }

    /// The relative gap at which a projection counts as converged.
    pub fn tolerance(&self) -> f64 {
        let of_likelihood = |fit: &LikelihoodFit| fit.method.solver.tolerance;
        self.likelihood.as_ref().map_or(self.newton.tolerance, of_likelihood)
    }

    /// Freezes the consensus of a fit.
    ///
    /// # Errors
    /// As [`Projector::new`].
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{Learn, Projector, Smooth, ViewOptions, Views, no_progress};
    ///
    /// // Six views to learn from, and a seventh that comes later with 40 signals.
    /// let n_signals = [vec![500; 6], vec![40]].concat();
    /// let mut tables = simulate(&Settings { n_views: 7, n_signals, ..Settings::default() })?.tables;
    /// let (late, _) = Views::assemble(tables.split_off(6), &ViewOptions::default())?;
    /// let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    ///
    /// let method = Smooth::new(0.07, 0.03);
    /// let learned = method.learn(&views, &no_progress)?;
    /// let projection = &Projector::of(&method, &learned)?.project(&late, &no_progress)?[0];
    /// assert!(projection.certificate.relative_gap < 1e-9);
    /// println!("{} edges of its own, {} lacking", projection.added().count(), projection.lacking().count());
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn of(method: &Smooth, learned: &Learned) -> Result<Self, Error> {
        Self::new(&learned.graph, method, learned.details.distance_divisor)
    }

    /// The names of the consensus' nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// How many edges the consensus has.
    pub fn n_edges(&self) -> usize {
        self.pairs.len()
    }

    /// Projects every view on its own. Nodes are matched by name.
    ///
    /// # Errors
    /// E02 or E03 if the views' nodes are not those of the consensus; [`Error::Unsupported`] if the penalty is not
    /// known to be separable over the edges; what [`Distances`] and [`Problem`] refuse.
    pub fn project(&self, views: &Views, watch: Watch<'_>) -> Result<Vec<Projection>, Error> {
        if self.penalty.joint().is_none() {
            return Err(Error::Unsupported {
                solver: "newton",
                term: self.penalty.name().to_owned(),
                need: "a projection needs a penalty that is separable over the edges (one with a joint edge minimiser)",
            });
        }
        let one = |view| {
            let matched = MatchedView::new(self, views, view)?;
            crate::parallel::chunks::in_pool(|| match &self.likelihood {
                Some(fit) => fit.project_one(self, views, view, &matched, watch),
                None => self.project_one(views, view, &matched, watch),
            })
        };
        (0..views.n_views()).map(one).collect()
    }

    fn project_one(
        &self,
        views: &Views,
        view: usize,
        matched: &MatchedView,
        watch: Watch<'_>,
    ) -> Result<Projection, Error> {
        let clock = Instant::now();
        let (one, order) = self.in_gauge(views.single(view, &matched.in_view));
        let mut consensus = matched.sorted_pairs(&self.pairs, &self.weights);
        for (pair, weight) in &mut consensus {
            *weight = if order.is_flipped(*pair) { -*weight } else { *weight };
        }
        check_spread(&one, &self.scaling)?;
        let seen = self.spectrum.applied(&one, &self.scaling)?;
        let distances = self.distances(seen.as_ref().unwrap_or(&one), matched, &consensus, watch)?;
        let frozen = frozen_weights(&distances, &consensus);
        let distances_time = clock.elapsed();
        let clock = Instant::now();
        let model = Model::new(self.alpha, self.beta, Arc::clone(&self.penalty));
        let problem = Problem::new(Arc::new(distances), model)?.frozen(frozen.into())?;
        let solution = self.newton.solve(&problem, None, watch)?;
        let name = views.view(view).name();
        let graph = self.graph(name, &solution, matched, &order);
        let noise = Correlations::of(&one).as_ref().and_then(Correlations::warning);
        let warnings = [matched.absent(&self.nodes, views), of_convergence(&solution), noise];
        Ok(Projection {
            graph,
            certificate: solution.certificate,
            status: solution.status,
            iterations: solution.iterations,
            distances_time,
            solve_time: clock.elapsed(),
            warnings: warnings
                .into_iter()
                .flatten()
                .map(|warning| warning.in_view(name))
                .collect(),
        })
    }

    /// The view in the gauge in which signed graphs are learned, and which nodes that turned.
    fn in_gauge(&self, one: Views) -> (Views, Order) {
        let mut order = Order::as_given(one.n_nodes(), 1);
        if self.signed {
            order.flipped = canonical_flips(&one, &self.scaling);
        }
        if order.flipped.is_empty() {
            return (one, order);
        }
        (one.arranged(&order), order)
    }

    /// The distances of one view, as the fit would see it, with its nodes sorted, divided as those of the fit were.
    fn distances(
        &self,
        one: &Views,
        matched: &MatchedView,
        consensus: &[([u32; 2], f64)],
        watch: Watch<'_>,
    ) -> Result<Distances, Error> {
        let scaling = Scaling {
            distance_norm: DistanceNorm::None,
            ..self.scaling
        };
        let costs = placed_costs(&self.edge_costs, &matched.places)?;
        let mut pairs = match &self.candidates {
            Candidates::AllPairs => {
                let all = if self.signed {
                    Distances::signed_from_views(one, &scaling)?
                } else {
                    Distances::from_views(one, &scaling)?
                };
                return all.divided_by(self.distance_divisor).with_costs(&costs);
            }
            Candidates::Listed(pairs) => matched.own_pairs(&tidy(pairs, self.nodes.len())?),
            Candidates::Nearest { .. } if one.kind() != Kind::Signals => {
                return Err(Error::Parameter {
                    name: "candidates",
                    message: format!("knn needs signals; {} hold all pairs already", one.matrices()),
                });
            }
            Candidates::Nearest { k, seed } => {
                let signals = Signals::new(one, &scaling);
                let mut pairs = nearest_pairs(&signals, &Alone, self.signed, *k, *seed, watch);
                pairs.extend(matched.own_pairs(&self.joined));
                pairs
            }
        };
        pairs.extend(consensus.iter().map(|&(pair, _)| pair));
        let pairs = tidy(&pairs, one.n_nodes())?;
        let listed = if self.signed {
            Distances::signed_of_pairs(one, &scaling, &pairs)?
        } else {
            Distances::of_pairs(one, &scaling, pairs)?
        };
        listed.divided_by(self.distance_divisor).with_costs(&costs)
    }

    /// The solution in the consensus' order of nodes, with what the consensus has besides: at nodes that the view
    /// lacks, or forbidden.
    fn graph(&self, name: &str, solution: &Solution, matched: &MatchedView, order: &Order) -> MultiviewGraph {
        let n_edges = solution.weights.edges().len();
        let mut pairs = Vec::with_capacity(n_edges);
        let mut values = ViewMatrix::with_capacity(n_edges, 1);
        let mut consensus_weights = Vec::with_capacity(n_edges);
        let mut seen = HashSet::with_capacity(n_edges);
        for (sorted, row, consensus) in solution.pairs() {
            let is_flipped = order.is_flipped(sorted);
            let turned = |weight: f64| if is_flipped && weight != 0.0 { -weight } else { weight };
            let pair = pair_of(sorted.map(|node| matched.given[node as usize]));
            pairs.push(pair);
            seen.insert(pair);
            values.push_row(&[turned(row[0])]);
            consensus_weights.push(turned(consensus));
        }
        for (&pair, &consensus) in self.pairs.iter().zip(&self.weights) {
            if let Some(pair) = matched.kept_pair(pair).filter(|pair| !seen.contains(pair)) {
                pairs.push(pair);
                values.push_row(&[0.0]);
                consensus_weights.push(consensus);
            }
        }
        let nodes = matched.kept.iter().map(|&node| self.nodes[node].clone()).collect();
        MultiviewGraph::new(nodes, vec![name.to_owned()], &pairs, &values, Some(&consensus_weights))
            .with_membership(matched.membership())
    }
}

/// The consensus weight of every edge that has a distance.
fn frozen_weights(distances: &Distances, consensus: &[([u32; 2], f64)]) -> Vec<f64> {
    let edges = distances.edges();
    let mut frozen = vec![0.0; edges.n_edges()];
    for &([a, b], weight) in consensus {
        let edge = match edges.is_signed() {
            true if weight < 0.0 => edges.pairs().binary_search(&[b, a]).ok(),
            false if edges.is_complete() => Some(complete_index(edges.n_nodes(), a as usize, b as usize)),
            _ => edges.pairs().binary_search(&[a, b]).ok(),
        };
        if let Some(edge) = edge {
            frozen[edge] = if edges.is_signed() { weight.abs() } else { weight };
        }
    }
    frozen
}
