//! The record of graphs that make signals likely.

use std::collections::BTreeSet;

use congraph::chance::Correlations;
use congraph::methods::likelihood::{Coupling, Merged, Signs};
use congraph::tune::Chosen;
use congraph::{Candidates, Warning};

use super::fit::missing;
use super::{
    ChanceRecord, DensityRecord, FitRecord, Named, SUMMARY_SCHEMA, SecondsRecord, SimilarityRecord, Timing,
    TriedRecord, warning_records,
};
use crate::choices::{Choice, Method};
use crate::request::LikelihoodAsked;

impl FitRecord {
    /// What is told of a likelihood: no α, and what was tried.
    pub fn of_likelihood(
        asked: &LikelihoodAsked,
        chosen: &Chosen,
        warnings: &[Warning],
        timing: Option<&Timing>,
    ) -> Self {
        let (model, learned) = (&chosen.method.model, &chosen.learned);
        let (graph, details) = (&learned.graph, &learned.details);
        let open = asked.open(graph.n_views());
        Self {
            schema: Some(SUMMARY_SCHEMA.into()),
            n_nodes: Some(graph.n_nodes()),
            n_views: Some(graph.n_views()),
            method: Some(Method::Likelihood.word().into()),
            filter: Some(model.filter.order()),
            signed: (model.signs == Signs::Both).then_some(true),
            penalty: (model.is_coupled() && model.penalty != Coupling::L1).then(|| model.penalty.name().into()),
            solver: Some("newton".into()),
            beta: model.coupling,
            gamma: model.coupling.map(|_| model.gamma),
            scale: Some(details.scale.word().into()),
            lifted: Some(details.is_lifted),
            effective_samples: Some(details.mean_samples),
            threshold: Some(details.threshold),
            kept_density: Some(details.kept_density),
            aic: Some(details.aic),
            n_parameters: Some(details.n_parameters),
            chosen_by: Some(open.into_iter().map(String::from).collect()),
            merged: (!chosen.merged.is_empty()).then(|| merged(&chosen.merged)),
            tried: Some(chosen.tried.iter().map(TriedRecord::from).collect()),
            tolerance: Some(chosen.method.solver.tolerance),
            objective: Some(learned.certificate.objective),
            dual_objective: Some(learned.certificate.dual_objective),
            relative_gap: Some(learned.certificate.relative_gap),
            certified: Some(learned.certificate.relative_gap.is_finite()),
            converged: Some(learned.converged()),
            iterations: Some(learned.iterations),
            density: DensityRecord {
                target: asked.wanted.density,
                views: Some(graph.mean_density()),
                consensus: graph.consensus_density(),
                ..DensityRecord::default()
            },
            similarity: SimilarityRecord {
                target: asked.wanted.similarity,
                value: Some(graph.similarity()),
                floor: chosen.floor,
            },
            chance: Some(ChanceRecord {
                correlations: learned.correlations.as_ref().map(Correlations::z),
                agreement: chosen.agreement.as_ref().map(|agreement| agreement.z),
            }),
            seconds: timing.map_or_else(SecondsRecord::default, SecondsRecord::from),
            warnings: warning_records(warnings),
            missing: missing(graph),
            n_candidates: n_listed(&chosen.method.candidates),
            echo: asked.echo.clone(),
            ..Self::default()
        }
        .on_pairs(&chosen.method.candidates, &chosen.method.edge_costs)
    }
}

fn merged(all: &[Merged]) -> Named<Vec<String>> {
    Named(all.iter().map(|one| (one.kept.clone(), one.others.clone())).collect())
}

/// How many pairs are in a list, each counted once; none if all may be joined.
fn n_listed(candidates: &Candidates) -> Option<usize> {
    let Candidates::Listed(pairs) = candidates else {
        return None;
    };
    let distinct: BTreeSet<[u32; 2]> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    Some(distinct.len())
}
