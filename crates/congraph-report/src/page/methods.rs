//! The methods paragraph, ready to paste.

use congraph::findings::{Findings, Summary};

use crate::words::{self, percent, plural, significant};

/// What to cite.
pub(super) const CITATION: &str = "A. Karaaslanli and S. Aviyente, “Multiview Graph Learning with Consensus Graph”.";

pub(super) fn paragraphs(findings: &Findings) -> Vec<String> {
    let graph = &findings.graph;
    let nothing = Summary::default();
    let summary = findings.known.summary.as_ref().unwrap_or(&nothing);
    let version = findings
        .known
        .version
        .as_deref()
        .map_or_else(String::new, |version| format!(" {version}"));
    let (n_views, n_nodes) = (plural(graph.n_views(), "view"), plural(graph.n_nodes(), "node"));
    let mut text = match summary.method.as_deref() {
        Some(method) => format!(
            "Precision matrices of {n_views} over {n_nodes} were learned with congraph{version} by the joint graphical lasso ({method}; Danaher, Wang and \
             Witten 2014){}.",
            told(&[("λ1", summary.lambda1), ("λ2", summary.lambda2)])
        ),
        None if graph.consensus().is_none() => format!(
            "A graph of each of {n_views} over {n_nodes} was learned separately with congraph{version} from the smoothness of the signals{}.",
            told(&[("α", summary.alpha)])
        ),
        None => format!(
            "Graphs of {n_views} over {n_nodes} and their consensus graph were learned jointly with congraph{version}, which implements multiview graph \
             learning with a consensus graph (Karaaslanli and Aviyente), with the {} penalty{}{}.",
            match summary.penalty.as_deref() {
                Some("l2") => "ℓ2",
                Some("l1") | None => "ℓ1",
                Some(other) => other,
            },
            told(&[
                ("α", summary.alpha),
                ("β", summary.beta),
                ("γ", summary.gamma.filter(|gamma| *gamma > 0.0))
            ]),
            targets(summary)
        ),
    };
    let scale = match summary.scale.as_deref() {
        Some("zscore") => Some("Every node's signal was z-scored within its view"),
        Some("center") => Some("Every node's signal was centred within its view"),
        Some("none") => Some("Signals were used as they are"),
        _ => None,
    };
    if let Some(scale) = scale {
        let costs = if summary.sample_norm.as_deref() == Some("sum") {
            "sums"
        } else {
            "means"
        };
        let norm = if summary.distance_norm.as_deref() == Some("max") {
            ", divided by the largest one over all views"
        } else {
            ""
        };
        text += &if summary.method.is_none() {
            format!(" {scale}; squared distances between nodes are {costs} over samples{norm}.")
        } else {
            format!(" {scale}.")
        };
    }
    if let Some(gap) = summary.relative_gap {
        let solver = match summary.solver.as_deref() {
            Some("newton") => "a semismooth Newton method on the degrees",
            Some("admm") => "the alternating direction method of multipliers",
            _ => "the solver",
        };
        text += &format!(
            " The problem is convex; {solver} reached a relative duality gap {}{}.",
            if gap < 1e-14 {
                words::gap(gap)
            } else {
                format!("of {}", words::gap(gap))
            },
            if summary.converged == Some(true) {
                ""
            } else {
                ", above its tolerance"
            }
        );
    }
    text += &format!(" The views have a mean density of {}", percent(graph.mean_density()));
    if let Some(similarity) = graph.similarity() {
        text += &format!(
            " and a mean correlation between their weights of {}",
            significant(similarity)
        );
        if let Some(floor) = summary.similarity.floor {
            text += &format!(" ({} when learned separately at the same density)", significant(floor));
        }
    }
    text += ".";
    if graph.consensus().is_some() {
        text += &format!(
            " The consensus has {} of {} possible edges.",
            findings.verdict.n_shared,
            graph.n_pairs()
        );
    }
    vec![text]
}

fn told(parameters: &[(&str, Option<f64>)]) -> String {
    let told: Vec<String> = parameters
        .iter()
        .filter_map(|(name, value)| value.map(|value| format!("{name} = {}", significant(value))))
        .collect();
    match told.len() {
        0 => String::new(),
        _ => format!(" and {}", told.join(", ")),
    }
}

fn targets(summary: &Summary) -> String {
    match (summary.density.target, summary.similarity.target) {
        (Some(density), Some(similarity)) => format!(
            " (found for a density of {} and a similarity of {})",
            significant(density),
            significant(similarity)
        ),
        (Some(density), None) => format!(" (found for a density of {})", significant(density)),
        (None, Some(similarity)) => format!(" (found for a similarity of {})", significant(similarity)),
        (None, None) => String::new(),
    }
}
