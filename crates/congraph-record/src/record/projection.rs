//! The record of new views against a frozen consensus.

use congraph::{Departure, MultiviewGraph, Projection, Projector, Warning};

use super::{
    FitRecord, FrozenConsensus, Named, PROJECTION_SCHEMA, ProjectedView, SecondsRecord, Timing, warning_records,
};
use crate::choices::{Choice, Method};

impl FitRecord {
    /// What is told of projections on the consensus of `fit`, whose graphs are all in one.
    pub fn of_projection(
        fit: String,
        projector: &Projector,
        projections: &[Projection],
        graph: &MultiviewGraph,
        warnings: &[Warning],
        timing: &Timing,
    ) -> Self {
        let views = projections
            .iter()
            .map(|one| (one.name().to_owned(), ProjectedView::of(one)));
        let gaps = projections.iter().map(|one| one.certificate.relative_gap);
        let told = Self {
            schema: Some(PROJECTION_SCHEMA.into()),
            fit: Some(fit),
            n_nodes: Some(graph.n_nodes()),
            n_views: Some(graph.n_views()),
            signed: projector.signed.then_some(true),
            solver: Some("newton".into()),
            scale: Some(projector.scaling.scale.word().into()),
            tolerance: Some(projector.tolerance()),
            relative_gap: Some(gaps.fold(0.0, f64::max)),
            converged: Some(projections.iter().all(Projection::converged)),
            consensus: Some(FrozenConsensus {
                n_edges: projector.n_edges(),
                density: graph.consensus_density(),
                uniqueness: Vec::new(),
            }),
            views: Some(Named(views.collect())),
            seconds: SecondsRecord::from(timing),
            warnings: warning_records(warnings),
            ..Self::default()
        };
        let told = match projector.likelihood() {
            Some((method, details)) => Self {
                method: Some(Method::Likelihood.word().into()),
                filter: Some(method.model.filter.order()),
                beta: method.model.coupling,
                lifted: Some(details.is_lifted),
                effective_samples: Some(details.mean_samples),
                threshold: Some(details.threshold),
                ..told
            },
            None => Self {
                penalty: Some(projector.penalty.charge().into()),
                alpha: Some(projector.alpha),
                beta: Some(projector.beta),
                sample_norm: Some(projector.scaling.sample_norm.word().into()),
                distance_divisor: Some(projector.distance_divisor),
                ..told
            },
        };
        told.on_pairs(&projector.candidates, &projector.edge_costs)
            .with_spectrum(&projector.spectrum)
    }
}

impl FitRecord {
    /// With how far the views of the fit are from its consensus: what new views are compared with.
    #[must_use]
    pub fn beside(mut self, mut uniqueness: Vec<f64>) -> Self {
        uniqueness.sort_by(f64::total_cmp);
        if let Some(consensus) = &mut self.consensus {
            consensus.uniqueness = uniqueness;
        }
        self
    }
}

impl ProjectedView {
    fn of(projection: &Projection) -> Self {
        let count = |asked: Departure| projection.edges().filter(|edge| edge.3 == asked).count();
        let graph = &projection.graph;
        let lacks_nodes = !graph.membership().is_total();
        let missing = || {
            graph
                .membership()
                .missing(0)
                .map(|node| graph.nodes()[node].clone())
                .collect()
        };
        Self {
            objective: Some(projection.certificate.objective),
            dual_objective: Some(projection.certificate.dual_objective),
            relative_gap: Some(projection.certificate.relative_gap),
            converged: projection.converged(),
            iterations: projection.iterations,
            density: Some(graph.density(0)),
            uniqueness: Some(projection.uniqueness()),
            n_shared: count(Departure::Shared),
            n_added: count(Departure::Added),
            n_lacking: count(Departure::Lacking),
            n_unmeasured: lacks_nodes.then(|| count(Departure::Unmeasured)),
            missing: lacks_nodes.then(missing),
        }
    }
}
