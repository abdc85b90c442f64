//! `summary.json` and `run.json`: what every result says of itself.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use congraph::chance::Correlations;
use congraph::methods::graphical_lasso::{Coupling, EdgeRule, JointGraphicalLasso, JointLearned};
use congraph::signals::{DistanceNorm, SampleNorm, Scale};
use congraph::tune::{Reach, Reached};
use congraph::{Learned, Learner, Warning};
use serde_json::{Value, json};

use crate::commands::support;

/// How long things took.
pub(crate) struct Seconds {
    pub(crate) read: Duration,
    pub(crate) distances: Duration,
    pub(crate) solve: Duration,
    pub(crate) total: Duration,
}

/// The summary of a fit (`congraph.summary/1`).
pub(crate) fn summary(
    learner: &Learner,
    learned: &Learned,
    reached: Option<&Reached>,
    warnings: &[Warning],
    seconds: &Seconds,
) -> Value {
    let target = |reach: fn(&Reached) -> Option<Reach>| reached.and_then(reach).map(|reach| reach.target);
    let graph = &learned.graph;
    let parameters = learner.model.parameters;
    let coupled = |value: f64| if learner.single { 0.0 } else { value };
    let mut summary = json!({
        "schema": "congraph.summary/1",
        "n_nodes": graph.n_nodes(),
        "n_views": graph.n_views(),
        "penalty": if learner.single { "none" } else { learner.model.penalty.name() },
        "regulariser": if learner.single { "none" } else { learner.model.regulariser.name() },
        "solver": learner.solver.name(),
        "alpha": parameters.alpha,
        "beta": coupled(parameters.beta),
        "gamma": coupled(parameters.gamma),
        "scale": scale_name(learner.scaling.scale),
        "sample_norm": sample_norm_name(learner.scaling.sample_norm),
        "distance_norm": match learner.scaling.distance_norm {
            DistanceNorm::Max => "max",
            DistanceNorm::None => "none",
        },
        "distance_divisor": learned.distance_divisor,
        "tolerance": learner.solver.tolerance(),
        "objective": learned.certificate.objective,
        "dual_objective": learned.certificate.dual_objective,
        "relative_gap": learned.certificate.relative_gap,
        "converged": learned.converged(),
        "iterations": learned.iterations,
        "density": {"target": target(|reached| reached.density), "views": graph.mean_density(), "consensus": graph.consensus_density()},
        "similarity": {
            "target": target(|reached| reached.similarity),
            "value": graph.similarity(),
            "floor": reached.and_then(|reached| reached.floor),
        },
        "chance": {
            "correlations": learned.correlations.as_ref().map(Correlations::z),
            "agreement": reached.and_then(|reached| reached.agreement).map(|agreement| agreement.z),
        },
        "seconds": {
            "distances": seconds.distances.as_secs_f64(),
            "solve": seconds.solve.as_secs_f64(),
            "total": seconds.total.as_secs_f64(),
        },
        "warnings": warnings_json(warnings),
    });
    if let Some(target) = target(|reached| reached.consensus_density) {
        summary["density"]["consensus_target"] = json!(target);
    }
    if let Some(reached) = reached.filter(|reached| reached.solves > 1) {
        summary["solves"] = json!(reached.solves);
    }
    if let Some(mask) = graph.mask() {
        let missing = |view: usize| -> Vec<&String> { mask.missing(view).map(|node| &graph.nodes()[node]).collect() };
        let views = graph
            .views()
            .iter()
            .enumerate()
            .filter(|(view, _)| mask.missing(*view).count() > 0);
        let named = views.map(|(view, name)| (name.clone(), json!(missing(view))));
        summary["missing"] = Value::Object(named.collect());
    }
    support::tell(&mut summary, &learner.support, &learner.edge_costs);
    if let Some(n_candidates) = learned.n_candidates {
        summary["n_candidates"] = json!(n_candidates);
    }
    if let Some(outside) = learned.outside {
        summary["candidates_outside"] = json!(outside);
    }
    summary
}

/// The summary of a joint graphical lasso (`congraph.summary/1`): no α, β, γ and no consensus; densities by both edge rules.
pub(crate) fn joint_summary(
    learner: &JointGraphicalLasso,
    learned: &JointLearned,
    warnings: &[Warning],
    seconds: &Seconds,
) -> Value {
    let penalty = &learner.penalty;
    let graph = learned.graph(EdgeRule::NonZero);
    json!({
        "schema": "congraph.summary/1",
        "n_nodes": graph.n_nodes(),
        "n_views": graph.n_views(),
        "method": penalty.coupling.name(),
        "solver": "admm",
        "lambda1": penalty.lambda1,
        "lambda2": penalty.lambda2,
        "fused_diagonal": (penalty.coupling == Coupling::Fused).then_some(penalty.fused_diagonal),
        "scale": scale_name(learner.scaling.scale),
        "sample_norm": sample_norm_name(learner.scaling.sample_norm),
        "objective": learned.certificate.objective,
        "dual_objective": learned.certificate.dual_objective,
        "relative_gap": learned.certificate.relative_gap,
        "converged": learned.converged(),
        "iterations": learned.iterations,
        "components": learned.n_components,
        "edge_rule": EdgeRule::NonZero.name(),
        "density": {
            "target": null,
            "views": graph.mean_density(),
            "views_negative": learned.graph(EdgeRule::Negative).mean_density(),
            "consensus": null,
        },
        "similarity": {"target": null, "value": graph.similarity(), "floor": null},
        "seconds": {
            "distances": seconds.distances.as_secs_f64(),
            "solve": seconds.solve.as_secs_f64(),
            "total": seconds.total.as_secs_f64(),
        },
        "warnings": warnings_json(warnings),
    })
}

pub(crate) fn scale_name(scale: Scale) -> &'static str {
    match scale {
        Scale::Zscore => "zscore",
        Scale::Center => "center",
        Scale::None => "none",
    }
}

pub(crate) fn sample_norm_name(norm: SampleNorm) -> &'static str {
    match norm {
        SampleNorm::Mean => "mean",
        SampleNorm::Sum => "sum",
    }
}

/// A relative gap for people; below 1e-14 it is rounding.
pub(crate) fn gap(relative_gap: f64) -> String {
    if relative_gap < 1e-14 {
        "below 1e-14".into()
    } else {
        format!("{relative_gap:.1e}")
    }
}

/// Warnings as the summary lists them.
pub(crate) fn warnings_json(warnings: &[Warning]) -> Value {
    let entry = |warning: &Warning| {
        let mut entry = json!({"code": warning.code, "view": warning.view, "message": warning.message});
        if !warning.views.is_empty() {
            entry["views"] = json!(warning.views);
        }
        entry
    };
    warnings.iter().map(entry).collect()
}

/// What it takes to run the same again (`congraph.run/1`).
pub(crate) fn run(kind: &str, summary: &Value, inputs: &[Value], seed: Option<u64>, seconds: &Seconds) -> Value {
    let command: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let finished = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    json!({
        "schema": "congraph.run/1",
        "kind": kind,
        "command": command,
        "version": env!("CARGO_PKG_VERSION"),
        "platform": format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        "threads": rayon::current_num_threads(),
        "finished_unix_time": finished,
        "seed": seed,
        "inputs": inputs,
        "seconds": {
            "read": seconds.read.as_secs_f64(),
            "distances": seconds.distances.as_secs_f64(),
            "solve": seconds.solve.as_secs_f64(),
            "total": seconds.total.as_secs_f64(),
        },
        "summary": summary,
    })
}
