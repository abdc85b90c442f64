//! The record of a fit: of congraph's own, and of a joint graphical lasso.

use congraph::chance::Correlations;
use congraph::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso};
use congraph::tune::{Reach, Reached};
use congraph::{Candidates, EdgeCost, Learned, MultiviewGraph, Smooth, Spectrum, Warning};

use super::{
    CANDIDATES_TABLE, ChanceRecord, DensityRecord, EDGE_COSTS_TABLE, FitRecord, Named, SPECTRUM_BY, SUMMARY_SCHEMA,
    SecondsRecord, SimilarityRecord, Timing, warning_records,
};
use crate::choices::Choice;

impl FitRecord {
    /// What is told of a fit; of its time only where that is given.
    pub fn of(
        method: &Smooth,
        learned: &Learned,
        reached: Option<&Reached>,
        warnings: &[Warning],
        timing: Option<&Timing>,
    ) -> Self {
        let target = |reach: fn(&Reached) -> Option<Reach>| reached.and_then(reach).map(|reach| reach.target);
        let graph = &learned.graph;
        let parameters = method.model.parameters;
        Self {
            schema: Some(SUMMARY_SCHEMA.into()),
            n_nodes: Some(graph.n_nodes()),
            n_views: Some(graph.n_views()),
            penalty: Some(method.model.penalty().charge().into()),
            regulariser: Some(method.model.regulariser().name().into()),
            signed: method.signed.then_some(true),
            solver: Some(method.solver.name().into()),
            alpha: Some(parameters.alpha),
            beta: Some(parameters.beta),
            gamma: Some(parameters.gamma),
            scale: Some(method.scaling.scale.word().into()),
            sample_norm: Some(method.scaling.sample_norm.word().into()),
            distance_norm: Some(method.scaling.distance_norm.word().into()),
            distance_divisor: Some(learned.details.distance_divisor),
            tolerance: Some(method.solver.tolerance()),
            objective: Some(learned.certificate.objective),
            dual_objective: Some(learned.certificate.dual_objective),
            relative_gap: Some(learned.certificate.relative_gap),
            converged: Some(learned.converged()),
            iterations: Some(learned.iterations),
            density: DensityRecord {
                target: target(|reached| reached.density),
                views: Some(graph.mean_density()),
                views_negative: None,
                consensus: graph.consensus_density(),
                consensus_target: target(|reached| reached.consensus_density),
            },
            similarity: SimilarityRecord {
                target: target(|reached| reached.similarity),
                value: Some(graph.similarity()),
                floor: reached.and_then(|reached| reached.floor),
            },
            chance: Some(ChanceRecord {
                correlations: learned.correlations.as_ref().map(Correlations::z),
                agreement: reached.and_then(|reached| Some(reached.agreement.as_ref()?.z)),
            }),
            seconds: timing.map_or_else(SecondsRecord::default, SecondsRecord::from),
            warnings: warning_records(warnings),
            solves: reached.map(|reached| reached.solves).filter(|solves| *solves > 1),
            coupling: method.model.penalty().coupling().map(Into::into),
            subject_share: method.model.penalty().subject_share(),
            subjects: subjects(graph),
            missing: missing(graph),
            n_candidates: learned.details.n_candidates,
            candidates_outside: learned.details.outside,
            ..Self::default()
        }
        .on_pairs(&method.candidates, &method.edge_costs)
        .with_spectrum(&method.spectrum)
    }

    /// What is told of a joint graphical lasso: no α, β, γ and no consensus. Of both edge rules, `rule` is the one that
    /// the graphs are made by.
    pub fn of_joint(
        method: &GraphicalLasso,
        learned: &Learned<GraphicalLasso>,
        rule: EdgeRule,
        warnings: &[Warning],
        timing: Option<&Timing>,
    ) -> Self {
        let model = &method.model;
        let by = |rule: EdgeRule| learned.details.graph(&learned.graph, rule);
        let graph = by(rule);
        let is_fused = model.fusion == Fusion::Fused;
        Self {
            schema: Some(SUMMARY_SCHEMA.into()),
            n_nodes: Some(graph.n_nodes()),
            n_views: Some(graph.n_views()),
            method: Some(model.fusion.name().into()),
            solver: Some("admm".into()),
            lambda1: Some(model.lambda1),
            lambda2: Some(model.lambda2),
            fused_diagonal: Some(is_fused.then_some(model.fused_diagonal)),
            scale: Some(method.scaling.scale.word().into()),
            sample_norm: Some(method.scaling.sample_norm.word().into()),
            objective: Some(learned.certificate.objective),
            dual_objective: Some(learned.certificate.dual_objective),
            relative_gap: Some(learned.certificate.relative_gap),
            converged: Some(learned.converged()),
            iterations: Some(learned.iterations),
            components: Some(learned.details.n_components),
            edge_rule: Some(rule.word().into()),
            density: DensityRecord {
                views: Some(graph.mean_density()),
                views_negative: Some(by(EdgeRule::Negative).mean_density()),
                ..DensityRecord::default()
            },
            similarity: SimilarityRecord {
                value: Some(graph.similarity()),
                ..SimilarityRecord::default()
            },
            seconds: timing.map_or_else(SecondsRecord::default, SecondsRecord::from),
            warnings: warning_records(warnings),
            ..Self::default()
        }
    }

    /// With how far signals were whitened, if they were or if that was chosen.
    pub(super) fn with_spectrum(self, spectrum: &Spectrum) -> Self {
        Self {
            spectrum: (!spectrum.is_plain() || spectrum.is_chosen).then_some(spectrum.exponent),
            spectrum_by: spectrum.is_chosen.then(|| SPECTRUM_BY.into()),
            ..self
        }
    }

    /// With the pairs that could be joined, and what was charged for some.
    pub(super) fn on_pairs(self, candidates: &Candidates, costs: &[EdgeCost]) -> Self {
        Self {
            candidates: Some(match candidates {
                Candidates::AllPairs => "all".into(),
                Candidates::Nearest { k, .. } => format!("knn:{k}"),
                Candidates::Listed(_) => CANDIDATES_TABLE.into(),
            }),
            candidates_seed: match candidates {
                Candidates::Nearest { seed, .. } => Some(*seed),
                _ => None,
            },
            edge_costs: Some((!costs.is_empty()).then(|| EDGE_COSTS_TABLE.into())),
            n_edge_costs: Some(costs.len()).filter(|n| *n > 0),
            ..self
        }
    }
}

/// Whose each view is; none if the fit did not know.
fn subjects(graph: &MultiviewGraph) -> Option<Named<String>> {
    let subjects = graph.subjects()?;
    let names = graph.views().iter().enumerate();
    Some(Named(
        names
            .map(|(view, name)| (name.clone(), subjects.name_of(view).to_owned()))
            .collect(),
    ))
}

/// The nodes that views lack; none if no view lacks any.
pub(super) fn missing(graph: &MultiviewGraph) -> Option<Named<Vec<String>>> {
    let membership = graph.membership();
    if membership.is_total() {
        return None;
    }
    let nodes = |view: usize| -> Vec<String> {
        membership
            .missing(view)
            .map(|node| graph.nodes()[node].clone())
            .collect()
    };
    let views = graph.views().iter().enumerate();
    let lacking = views.map(|(view, name)| (name.clone(), nodes(view)));
    Some(Named(lacking.filter(|(_, nodes)| !nodes.is_empty()).collect()))
}
