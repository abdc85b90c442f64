//! The graph of a new view against the frozen consensus of a fit.
//!
//! A new subject, cell type or year need not be learned alone, nor the whole fit again: its own share of the problem, with the
//! consensus w held as it is,
//!
//! ```text
//! minimise over w^i ≥ 0, 1ᵀw^i = n :   D^iᵀ w^i + α ( ‖S w^i‖² + 2‖w^i‖² ) + β c(w^i − w)
//! ```
//!
//! is strongly convex in n(n−1)/2 weights, and Newton on the degrees solves it in n unknowns (see [`crate::solvers::newton`]) with
//! the certificate of any other result. Distances are divided by what those of the fit were divided by, not by their own largest:
//! only so do α and β mean what they meant there. With a penalty that charges every view by itself (ℓ1, squared ℓ2) a view of the
//! fit comes back as it was there; with ℓ2, which charges all views of an edge together, one view alone is charged β|w^i − w|, as
//! with ℓ1.
//!
//! Several views are projected one by one; they do not see each other. Cost: one pass over the pairs for each Newton step.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::certificate::Certificate;
use crate::distances::{DistanceNorm, Distances, Scaling};
use crate::edges::complete_index;
use crate::error::{Code, DataError, Error, Warning, list_names};
use crate::graph::MultiviewGraph;
use crate::learn::{DEFAULT_MEMORY, Learned, Learner, doubts};
use crate::pairs::{Signals, nearest_pairs};
use crate::penalties::Penalty;
use crate::problem::{Model, Parameters, Problem};
use crate::regularisers::NoRegulariser;
use crate::rows::ViewRows;
use crate::solvers::{Newton, Solution, Solver, Status, Watch};
use crate::support::{Support, tidy};
use crate::views::{Kind, NodeRule, Views, folded};

/// A consensus and how its fit was made: all that it takes to project new views.
#[derive(Clone, Debug)]
pub struct Projector {
    nodes: Vec<String>,
    pairs: Vec<[u32; 2]>,
    weights: Vec<f64>,
    /// Weighs ‖L‖_F², as in the fit; larger is denser.
    pub alpha: f64,
    /// Weighs the penalty, as in the fit; 0 learns the view on its own.
    pub beta: f64,
    /// The penalty c of the fit.
    pub penalty: Arc<dyn Penalty>,
    /// How distances are made, as in the fit.
    pub scaling: Scaling,
    /// What the distances of the fit were divided by.
    pub distance_divisor: f64,
    /// What to do with nodes that only the consensus or only the view has.
    pub node_rule: NodeRule,
    /// Which pairs may be joined, besides those of the consensus; nodes are numbered as in the consensus.
    pub support: Support,
    /// The solver.
    pub newton: Newton,
}

impl Projector {
    /// Freezes the consensus of a graph that was learned with this model and scaling.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the graph has no consensus or the divisor is not positive.
    pub fn new(graph: &MultiviewGraph, model: &Model, scaling: Scaling, distance_divisor: f64) -> Result<Self, Error> {
        let Some(consensus) = graph.consensus() else {
            return Err(Error::Parameter {
                name: "consensus",
                message: "is missing: each view of this fit was learned on its own, and there is nothing to project on"
                    .into(),
            });
        };
        if !(distance_divisor.is_finite() && distance_divisor > 0.0) {
            return Err(Error::Parameter {
                name: "distance_divisor",
                message: format!("is {distance_divisor}; it must be positive and finite"),
            });
        }
        let present = graph.pairs().iter().zip(consensus).filter(|(_, weight)| **weight > 0.0);
        let (pairs, weights) = present.map(|(&pair, &weight)| (pair, weight)).unzip();
        Ok(Self {
            nodes: graph.nodes().to_vec(),
            pairs,
            weights,
            alpha: model.parameters.alpha,
            beta: model.parameters.beta,
            penalty: Arc::clone(&model.penalty),
            scaling,
            distance_divisor,
            node_rule: NodeRule::Same,
            support: Support::AllPairs,
            newton: Newton::default(),
        })
    }

    /// Freezes the consensus of a fit.
    ///
    /// # Errors
    /// As [`Projector::new`].
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{Learner, Projector, ViewOptions, Views, solvers::unwatched};
    ///
    /// // Six views to learn from, and a seventh that comes later with 40 signals.
    /// let n_signals = [vec![500; 6], vec![40]].concat();
    /// let mut tables = simulate(&Settings { n_views: 7, n_signals, ..Settings::default() })?.tables;
    /// let (late, _) = Views::assemble(tables.split_off(6), &ViewOptions::default())?;
    /// let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    ///
    /// let learner = Learner::new(0.07, 0.03);
    /// let learned = learner.learn(&views, &unwatched)?;
    /// let projection = &Projector::of(&learner, &learned)?.project(&late, &unwatched)?[0];
    /// assert!(projection.certificate.relative_gap < 1e-9);
    /// println!("{} edges of its own, {} lacking", projection.added().count(), projection.lacking().count());
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn of(learner: &Learner, learned: &Learned) -> Result<Self, Error> {
        Self::new(
            &learned.graph,
            &learner.model,
            learner.scaling,
            learned.distance_divisor,
        )
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
    /// E02 or E03 if the views' nodes are not those of the consensus; [`Error::Unsupported`] if the penalty is not known to be
    /// separable over the edges; what [`Distances`] and [`Problem`] refuse.
    pub fn project(&self, views: &Views, watch: Watch<'_>) -> Result<Vec<Projection>, Error> {
        if self.penalty.joint().is_none() {
            return Err(Error::Unsupported {
                solver: "newton",
                term: self.penalty.name().to_owned(),
                need: "a projection needs a penalty that is separable over the edges (one with a joint edge minimiser)",
            });
        }
        let one = |view| {
            let matched = self.matched(views, view)?;
            crate::blocks::inside(|| self.project_one(views, view, &matched, watch))
        };
        (0..views.n_views()).map(one).collect()
    }

    fn project_one(
        &self,
        views: &Views,
        view: usize,
        matched: &Matched,
        watch: Watch<'_>,
    ) -> Result<Projection, Error> {
        let clock = Instant::now();
        let one = views.single(view, &matched.in_view);
        let consensus = matched.sorted_pairs(&self.pairs, &self.weights);
        let distances = self.distances(&one, matched, &consensus, watch)?;
        let frozen = frozen_weights(&distances, &consensus);
        let distances_time = clock.elapsed();
        let clock = Instant::now();
        let model = Model {
            parameters: Parameters {
                alpha: self.alpha,
                beta: self.beta,
                gamma: 0.0,
            },
            penalty: Arc::clone(&self.penalty),
            regulariser: Arc::new(NoRegulariser),
        };
        let problem = Problem::new(Arc::new(distances), model)?.frozen(frozen.into())?;
        let solution = self.newton.solve(&problem, None, watch)?;
        let name = views.view(view).name();
        let graph = self.graph(name, &problem, &solution, matched);
        let warnings = doubts(&solution).map(|warning| warning.in_view(name));
        Ok(Projection {
            graph,
            certificate: solution.certificate,
            status: solution.status,
            iterations: solution.iterations,
            distances_time,
            solve_time: clock.elapsed(),
            warnings: warnings.into_iter().collect(),
        })
    }

    /// The distances of one view with its nodes sorted, divided as those of the fit were.
    fn distances(
        &self,
        one: &Views,
        matched: &Matched,
        consensus: &[([u32; 2], f64)],
        watch: Watch<'_>,
    ) -> Result<Distances, Error> {
        let scaling = Scaling {
            distance_norm: DistanceNorm::None,
            ..self.scaling
        };
        let mut pairs = match &self.support {
            Support::AllPairs => return Ok(Distances::from_views(one, &scaling)?.divided_by(self.distance_divisor)),
            Support::Listed(pairs) => {
                let listed = tidy(pairs, self.nodes.len())?;
                let kept = matched.sorted_pairs(&listed, &vec![1.0; listed.len()]);
                kept.iter().map(|&(pair, _)| pair).collect()
            }
            Support::Nearest { .. } if one.kind() != Kind::Signals => {
                return Err(Error::Parameter {
                    name: "--candidates",
                    message: "knn needs signals; a precomputed matrix holds all pairs already".into(),
                });
            }
            Support::Nearest { k, seed } => {
                nearest_pairs(&Signals::new(one, &scaling), *k, *seed, DEFAULT_MEMORY, watch)
            }
        };
        pairs.extend(consensus.iter().map(|&(pair, _)| pair));
        let pairs = tidy(&pairs, one.n_nodes())?;
        Ok(Distances::of_pairs(one, &scaling, pairs)?.divided_by(self.distance_divisor))
    }

    /// The solution in the consensus' order of nodes.
    fn graph(&self, name: &str, problem: &Problem, solution: &Solution, matched: &Matched) -> MultiviewGraph {
        let listed = problem.distances().edges().pairs();
        let weights = &solution.weights;
        let mut pairs = Vec::with_capacity(weights.edges().len());
        let mut values = ViewRows::with_capacity(weights.edges().len(), 1);
        let mut shared = Vec::with_capacity(weights.edges().len());
        for (edge, row, consensus) in weights.iter() {
            let [a, b] = listed[edge].map(|node| matched.given[node as usize]);
            pairs.push([a.min(b), a.max(b)]);
            values.push_row(row);
            shared.push(consensus);
        }
        let nodes = matched.kept.iter().map(|&node| self.nodes[node].clone()).collect();
        MultiviewGraph::new(nodes, vec![name.to_owned()], &pairs, &values, Some(&shared))
    }

    /// Which nodes take part, and where they stand. Those that are masked in the view do not.
    fn matched(&self, views: &Views, view: usize) -> Result<Matched, Error> {
        let place: HashMap<&str, usize> = views
            .nodes()
            .iter()
            .enumerate()
            .filter(|&(node, _)| views.has(view, node))
            .map(|(node, name)| (name.as_str(), node))
            .collect();
        let is_there = |&node: &usize| place.contains_key(self.nodes[node].as_str());
        let kept: Vec<usize> = (0..self.nodes.len()).filter(is_there).collect();
        let is_whole = (kept.len() == self.nodes.len() || views.mask().is_some()) && kept.len() == place.len();
        if kept.len() < 2 || !is_whole && self.node_rule == NodeRule::Same {
            return Err(self.other_nodes(views, view, kept.len()).into());
        }
        let mut sorted: Vec<usize> = (0..kept.len()).collect();
        sorted.sort_by_key(|&k| &self.nodes[kept[k]]);
        let mut places = vec![None; self.nodes.len()];
        for (k, &given) in sorted.iter().enumerate() {
            places[kept[given]] = Some(k as u32);
        }
        Ok(Matched {
            in_view: sorted.iter().map(|&k| place[self.nodes[kept[k]].as_str()]).collect(),
            given: sorted.iter().map(|&k| k as u32).collect(),
            places,
            kept,
        })
    }

    fn other_nodes(&self, views: &Views, view: usize, n_common: usize) -> DataError {
        let view = views.view(view).name();
        let ours: HashMap<&str, ()> = self.nodes.iter().map(|name| (name.as_str(), ())).collect();
        let theirs: HashMap<&str, ()> = views.nodes().iter().map(|name| (name.as_str(), ())).collect();
        let lacking: Vec<&String> = self
            .nodes
            .iter()
            .filter(|name| !theirs.contains_key(name.as_str()))
            .collect();
        let extra: Vec<&String> = views
            .nodes()
            .iter()
            .filter(|name| !ours.contains_key(name.as_str()))
            .collect();
        let alike = lacking.iter().find_map(|name| {
            let other = extra.iter().find(|other| folded(other) == folded(name))?;
            Some((*name, *other))
        });
        if let Some((name, other)) = alike {
            return DataError::new(
                Code::E03,
                format!("`{name}` in the consensus and `{other}` in view `{view}` differ only by case or spaces"),
                "nodes are matched by their exact names, and nothing is matched by position",
                "spell the node as the consensus does",
            )
            .in_view(view)
            .at_node(other);
        }
        let said = match (&lacking[..], &extra[..]) {
            ([], _) => format!("has {} besides", list_names(&extra)),
            (_, []) => format!("lacks {}", list_names(&lacking)),
            _ => format!("lacks {}, and has {} besides", list_names(&lacking), list_names(&extra)),
        };
        let hint = if n_common < 2 {
            format!("check that the view belongs to this fit: {n_common} of its nodes are in the consensus")
        } else {
            format!("`--nodes common` projects on the {n_common} nodes that both have")
        };
        DataError::new(
            Code::E02,
            format!(
                "view `{view}` has other nodes than the consensus of {}: it {said}",
                self.nodes.len()
            ),
            "an edge of the consensus can only be compared where the view has both of its ends",
            hint,
        )
        .in_view(view)
        .at_node(lacking.first().or(extra.first()).map_or("", |name| name.as_str()))
    }
}

/// Nodes that both the consensus and the views have; inside a fit they are sorted by name.
struct Matched {
    /// Which nodes of the consensus, in its order.
    kept: Vec<usize>,
    /// For each sorted node its place among the kept ones.
    given: Vec<u32>,
    /// For each sorted node its place in the views.
    in_view: Vec<usize>,
    /// For each node of the consensus its sorted place.
    places: Vec<Option<u32>>,
}

impl Matched {
    /// Pairs of the consensus' nodes, with their weights, as pairs of sorted nodes, sorted; without those of nodes that are left out.
    fn sorted_pairs(&self, pairs: &[[u32; 2]], weights: &[f64]) -> Vec<([u32; 2], f64)> {
        let moved = |(&[a, b], &weight): (&[u32; 2], &f64)| {
            let (a, b) = (self.places[a as usize]?, self.places[b as usize]?);
            Some(([a.min(b), a.max(b)], weight))
        };
        let mut sorted: Vec<([u32; 2], f64)> = pairs.iter().zip(weights).filter_map(moved).collect();
        sorted.sort_by_key(|&(pair, _)| pair);
        sorted
    }
}

/// The consensus weight of every pair that has a distance.
fn frozen_weights(distances: &Distances, consensus: &[([u32; 2], f64)]) -> Vec<f64> {
    let edges = distances.edges();
    let mut frozen = vec![0.0; edges.n_edges()];
    for &([a, b], weight) in consensus {
        let edge = if edges.is_complete() {
            Some(complete_index(edges.n_nodes(), a as usize, b as usize))
        } else {
            edges.pairs().binary_search(&[a, b]).ok()
        };
        if let Some(edge) = edge {
            frozen[edge] = weight;
        }
    }
    frozen
}

/// How a view's edge relates to the consensus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Departure {
    /// Both have it.
    Shared,
    /// Only the view has it.
    Added,
    /// Only the consensus has it.
    Lacking,
}

impl Departure {
    /// `shared`, `added` or `lacking`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Added => "added",
            Self::Lacking => "lacking",
        }
    }
}

/// The graph of a new view beside the consensus it was projected on, with its certificate.
#[derive(Clone, Debug)]
pub struct Projection {
    /// One view and the consensus, with nodes in the order of the consensus.
    pub graph: MultiviewGraph,
    /// How close to optimal it is.
    pub certificate: Certificate,
    /// Why the solver stopped.
    pub status: Status,
    /// How many iterations it took.
    pub iterations: usize,
    /// How long the distances took.
    pub distances_time: Duration,
    /// How long the solver took.
    pub solve_time: Duration,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl Projection {
    /// The view's name.
    pub fn name(&self) -> &str {
        &self.graph.views()[0]
    }

    /// Whether the relative gap is within the solver's tolerance.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }

    /// How far the view is from the consensus, from 0 (equal) to 1 (nothing shared).
    pub fn uniqueness(&self) -> f64 {
        self.graph.uniqueness(0).unwrap_or(0.0)
    }

    /// Every edge of the view or of the consensus: the pair, its weight in the view and in the consensus, and which has it.
    pub fn edges(&self) -> impl Iterator<Item = ([u32; 2], f64, f64, Departure)> + '_ {
        let shared = self.graph.consensus().unwrap_or_default();
        let pairs = self
            .graph
            .pairs()
            .iter()
            .zip(self.graph.weights().column(0))
            .zip(shared);
        pairs.map(|((&pair, weight), &consensus)| {
            let departure = match (weight > 0.0, consensus > 0.0) {
                (true, true) => Departure::Shared,
                (true, false) => Departure::Added,
                (false, _) => Departure::Lacking,
            };
            (pair, weight, consensus, departure)
        })
    }

    /// The edges that the view adds to the consensus.
    pub fn added(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.departing(Departure::Added)
    }

    /// The edges of the consensus that the view lacks.
    pub fn lacking(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.departing(Departure::Lacking)
    }

    /// The edges that both have.
    pub fn shared(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.departing(Departure::Shared)
    }

    fn departing(&self, asked: Departure) -> impl Iterator<Item = [u32; 2]> + '_ {
        let edges = self.edges().filter(move |&(_, _, _, departure)| departure == asked);
        edges.map(|(pair, ..)| pair)
    }
}
