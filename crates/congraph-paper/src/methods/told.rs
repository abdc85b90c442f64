//! Methods that are told the truth as far as any choice goes: both parameters by the best view F1 of a whole grid, which
//! goes on past its ends while that is better; and, on request, the best threshold of the weights as well. The same
//! for every method.

use congraph::methods::graphical_lasso::{self, EdgeRule, Fusion, GraphicalLasso};
use congraph::{Certified, Error, Fit, Learn, Model, MultiviewGraph, Smooth, Spectrum, ViewMatrix, Views, no_progress};

use super::oracle::{Found, Lattice, RULES, Scored, scored};
use super::protocol::with_median;

/// α and β of `smooth`.
const SMOOTH: Lattice = Lattice {
    least: [0.0125, 0.004],
    ratio: 2.0,
    counts: [5, 6],
};
/// λ1 and λ2 of the joint graphical lasso.
const JOINT: Lattice = Lattice {
    least: [5e-4, 5e-4],
    ratio: 2.0,
    counts: [9, 7],
};
/// Edges are the same far above this gap.
const TOLERANCE: f64 = 1e-4;
/// Where next to nothing is charged, some fits would take thousands; those count as they are, and are counted.
const MOST_ITERATIONS: usize = 1000;

/// The best of a method, without and with a threshold.
pub(crate) struct Told {
    pub(crate) found: [Found; RULES],
    /// How many of its fits did not converge.
    pub(crate) unconverged: usize,
    /// The graphs of the best parameters with a threshold, before it is applied.
    pub(crate) graph: MultiviewGraph,
}

impl Told {
    /// The graphs above the best threshold.
    pub(crate) fn above(&self) -> MultiviewGraph {
        let threshold = self.found[RULES - 1].scored.threshold;
        let cut = |weight: &f64| if *weight > threshold { *weight } else { 0.0 };
        let weights = self.graph.weights();
        let weights = ViewMatrix::from_values(self.graph.n_views(), weights.values().iter().map(cut).collect());
        let consensus: Option<Vec<f64>> = self.graph.consensus().map(|own| own.iter().map(cut).collect());
        let (nodes, views) = (self.graph.nodes().to_vec(), self.graph.views().to_vec());
        MultiviewGraph::new(nodes, views, self.graph.pairs(), &weights, consensus.as_deref())
    }
}

/// The graphs with the best threshold of all so far.
#[derive(Default)]
struct Best(Option<(f64, MultiviewGraph)>);

impl Best {
    fn offer(&mut self, scores: &[Scored; RULES], graph: MultiviewGraph) {
        let f1 = scores[RULES - 1].view_f1;
        if self.0.as_ref().is_none_or(|(other, _)| f1 > *other) {
            self.0 = Some((f1, graph));
        }
    }
}

/// The paper's model, of any coupling, on signals whose spectrum is taken to a power.
pub(crate) fn smooth(
    views: &Views,
    truth: &MultiviewGraph,
    exponent: f64,
    model: impl Fn(f64, f64) -> Model,
) -> Result<Told, Error> {
    let learner = Smooth {
        spectrum: Spectrum::new(exponent),
        ..Smooth::default()
    };
    let session = learner.session(views, &no_progress)?;
    let mut before: Option<Fit> = None;
    let (mut best, mut unconverged) = (Best::default(), 0);
    let found = SMOOTH.search(|[alpha, beta]| {
        let start = before.as_ref().map(Fit::start);
        let fit = session.fit(&model(alpha, beta), start.as_ref(), &no_progress)?;
        unconverged += usize::from(!fit.solution.converged());
        let graph = session.graph(&fit);
        let scores = scored(&graph, truth);
        best.offer(&scores, graph);
        before = Some(fit);
        Ok::<_, Error>(scores)
    })?;
    told(found, unconverged, best)
}

/// Fused joint graphical lasso, negative entries as edges, the median of the views as consensus.
pub(crate) fn joint(views: &Views, truth: &MultiviewGraph) -> Result<Told, Error> {
    let learner = GraphicalLasso {
        solver: graphical_lasso::Admm {
            tolerance: TOLERANCE,
            max_iterations: MOST_ITERATIONS,
            ..graphical_lasso::Admm::default()
        },
        ..GraphicalLasso::new(Fusion::Fused, 1.0, 1.0)
    };
    let session = learner.session(views, &no_progress)?;
    let mut before: Option<Fit<GraphicalLasso>> = None;
    let (mut best, mut unconverged) = (Best::default(), 0);
    let found = JOINT.search(|[lambda1, lambda2]| {
        let start = before.as_ref().map(Fit::start);
        let fit = session.fit_at(lambda1, lambda2, start.as_ref(), &no_progress)?;
        unconverged += usize::from(!fit.solution.converged());
        let graph = with_median(&session.graph_by(&fit, EdgeRule::Negative));
        let scores = scored(&graph, truth);
        best.offer(&scores, graph);
        before = Some(fit);
        Ok::<_, Error>(scores)
    })?;
    told(found, unconverged, best)
}

fn told(found: [Found; RULES], unconverged: usize, Best(best): Best) -> Result<Told, Error> {
    let (_, graph) = best.ok_or_else(|| Error::Invalid {
        what: "grid",
        message: "is empty".into(),
    })?;
    Ok(Told {
        found,
        unconverged,
        graph,
    })
}
