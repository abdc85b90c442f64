//! The methods paragraphs, ready to paste, and what to cite.

use congraph_record::FitRecord;
use congraph_record::findings::Findings;

use super::{is_projection, preparation, shell};
use crate::page::panels::is_met;
use crate::words::{self, percent, plural, range, significant};

const MULTIVIEW: &str = "A. Karaaslanli and S. Aviyente, “Multiview Graph Learning With Consensus Graph”, IEEE \
    Transactions on Signal and Information Processing over Networks 11, 161–176, 2025 (arXiv:2401.13769).";
const JOINT_LASSO: &str = "P. Danaher, P. Wang and D. M. Witten, “The joint graphical lasso for inverse covariance \
    estimation across multiple classes”, Journal of the Royal Statistical Society: Series B 76(2), 373–397, 2014.";
const SPLINES: &str = "F. Perrin, J. Pernier, O. Bertrand and J. F. Echallier, “Spherical splines for scalp potential \
    and current density mapping”, Electroencephalography and Clinical Neurophysiology 72(2), 184–187, 1989.";

/// What to cite.
pub(super) fn references(findings: &Findings) -> Vec<&'static str> {
    let known = &findings.known;
    let method = known.summary.as_ref().and_then(|summary| summary.method.as_ref());
    let mut references = vec![if method.is_some() { JOINT_LASSO } else { MULTIVIEW }];
    if known.recordings.as_ref().is_some_and(|made| made.steps.csd.is_some()) {
        references.push(SPLINES);
    }
    references
}

pub(super) fn paragraphs(findings: &Findings) -> Vec<String> {
    let nothing = FitRecord::default();
    let summary = findings.known.summary.as_ref().unwrap_or(&nothing);
    let made = findings.known.recordings.as_ref();
    let mut text = learned(findings, summary);
    text += &candidates(findings, summary);
    text += &costs(summary);
    text += &masked(findings);
    text += &scaling(summary);
    text += &solved(summary);
    text += &found(findings, summary);
    made.map(|made| preparation::paragraph(findings, made))
        .into_iter()
        .chain([text])
        .collect()
}

/// What was learned, by which method, with which parameters.
fn learned(findings: &Findings, summary: &FitRecord) -> String {
    let graph = &findings.graph;
    let version = findings.known.version.as_deref();
    let program = version.map_or_else(|| "congraph".into(), |version| format!("congraph {version}"));
    let (n_views, n_nodes) = (plural(graph.n_views(), "view"), plural(graph.n_nodes(), "node"));
    let penalty = match summary.penalty.as_deref() {
        Some("l2") => "ℓ2",
        Some("l1") | None => "ℓ1",
        Some("squared-l2") => "squared ℓ2",
        Some(other) => other,
    };
    let coupled = told(&[
        ("α", summary.alpha),
        ("β", summary.beta),
        ("γ", summary.gamma.filter(|gamma| *gamma > 0.0)),
    ]);
    if let Some(method) = &summary.method {
        let coupling = method.strip_prefix("jgl-").unwrap_or(method);
        return format!(
            "Precision matrices of {n_views} over {n_nodes} were learned with {program} by the joint graphical lasso \
             ({coupling}; Danaher, Wang and Witten 2014){}. Two nodes are joined where the entry of the matrix is not \
             zero; the weight is the entry's size.",
            with(&told(&[("λ1", summary.lambda1), ("λ2", summary.lambda2)]))
        );
    }
    if is_projection(findings) {
        return projected(findings, summary, &program, penalty, &coupled);
    }
    if graph.consensus().is_none() {
        let each = if graph.n_views() == 1 {
            format!("The graph of one view over {n_nodes} was learned on its own")
        } else {
            format!("The graphs of {n_views} over {n_nodes} were learned separately, each on its own,")
        };
        return format!(
            "{each} with {program} from the smoothness of the signals (the single-view problem of Karaaslanli and \
            Aviyente 2025){}{}.",
            with(&told(&[("α", summary.alpha)])),
            targets(findings, summary)
        );
    }
    format!(
        "Graphs of {n_views} over {n_nodes} and their consensus graph were learned jointly with {program}, which \
         implements multiview graph learning with a consensus graph (Karaaslanli and Aviyente 2025), with the \
         {penalty} penalty{}{}.",
        if coupled.is_empty() {
            String::new()
        } else {
            format!(" and {coupled}")
        },
        targets(findings, summary)
    )
}

/// As [`learned`], of new views against the consensus of an earlier fit.
fn projected(findings: &Findings, summary: &FitRecord, program: &str, penalty: &str, coupled: &str) -> String {
    let n_views = findings.graph.n_views();
    let n_nodes = plural(findings.graph.n_nodes(), "node");
    let fit = summary
        .fit
        .as_deref()
        .map_or_else(String::new, |fit| format!(" ({})", shell::told(fit)));
    let new = if n_views == 1 {
        format!("The graph of a new view over {n_nodes} was")
    } else {
        format!("The graphs of {n_views} new views over {n_nodes} were")
    };
    format!(
        "{new} learned with {program} against the consensus graph of an earlier fit{fit}, which was held as it is, \
         with the {penalty} penalty and that fit's scale of distances{}. The method is multiview graph learning with \
         a consensus graph (Karaaslanli and Aviyente 2025).",
        with(coupled)
    )
}

/// Which pairs could be joined, if not all.
fn candidates(findings: &Findings, summary: &FitRecord) -> String {
    let which = match summary.candidates.as_deref() {
        None | Some("all") => return String::new(),
        Some("knn:1") => "that are nearest neighbours in some view".into(),
        Some(candidates) => candidates.strip_prefix("knn:").map_or_else(
            || "of a given list".into(),
            |k| format!("of which one is among the {k} nearest neighbours of the other in some view"),
        ),
    };
    let counted = summary.n_candidates.map_or_else(String::new, |n| {
        format!(": {n} of {} possible", findings.graph.n_pairs())
    });
    let outside = match summary.candidates_outside {
        None => String::new(),
        Some(0) => " No other pair would have been joined.".into(),
        Some(1) => " 1 other pair would have been joined.".into(),
        Some(n) => format!(" {n} other pairs would have been joined."),
    };
    format!(" Only pairs {which} could be joined{counted}.{outside}")
}

/// What was added to distances.
fn costs(summary: &FitRecord) -> String {
    summary.n_edge_costs.map_or_else(String::new, |n| {
        format!(
            " Costs that were given beforehand were added to the distances of {}.",
            plural(n, "pair")
        )
    })
}

/// What became of nodes that views lack.
fn masked(findings: &Findings) -> String {
    let graph = &findings.graph;
    if graph.membership().is_total() {
        return String::new();
    }
    let lacking: Vec<usize> = (0..graph.n_views())
        .map(|view| graph.membership().missing(view).count())
        .filter(|n| *n > 0)
        .collect();
    format!(
        " {} of {} lack {} of the {} nodes and took part with those they have: an edge is charged in the views that \
         have both its ends, and nothing was imputed.",
        lacking.len(),
        plural(graph.n_views(), "view"),
        range(lacking.iter().map(|n| *n as f64)),
        graph.n_nodes()
    )
}

fn scaling(summary: &FitRecord) -> String {
    let scale = match summary.scale.as_deref() {
        Some("zscore") => "Every node's signal was z-scored within its view",
        Some("center") => "Every node's signal was centred within its view",
        Some("none") => "Signals were used as they are",
        _ => return String::new(),
    };
    if summary.method.is_some() {
        return format!(" {scale}.");
    }
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
    match spectrum(summary) {
        None => format!(" {scale}; squared distances between nodes are {costs} over samples{norm}."),
        Some(whitened) => {
            format!(" {scale}. {whitened} Squared distances between nodes are {costs} over samples{norm}.")
        }
    }
}

/// How far signals were whitened, if that is told.
fn spectrum(summary: &FitRecord) -> Option<String> {
    let exponent = summary.spectrum?;
    let chosen = summary
        .spectrum_by
        .as_deref()
        .map_or_else(String::new, |by| format!(", which was chosen by {by}"));
    Some(if exponent == 1.0 {
        format!("The exponent of the spectrum{chosen}, is 1: signals were not whitened.")
    } else {
        format!(
            "To whiten the signals partly, the singular values of each view were taken to the power {}{chosen}, and \
             nodes were z-scored again.",
            significant(exponent)
        )
    })
}

/// How close to optimal.
fn solved(summary: &FitRecord) -> String {
    let Some(gap) = summary.relative_gap else {
        return String::new();
    };
    let solver = match summary.solver.as_deref() {
        Some("newton") => "a semismooth Newton method on the degrees",
        Some("admm") => "the alternating direction method of multipliers",
        _ => "the solver",
    };
    format!(
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
    )
}

/// What came out.
fn found(findings: &Findings, summary: &FitRecord) -> String {
    let graph = &findings.graph;
    let mut text = if graph.n_views() == 1 {
        format!(" The view has a density of {}", percent(graph.mean_density()))
    } else {
        format!(" The views have a mean density of {}", percent(graph.mean_density()))
    };
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
    if let (Some(uniqueness), true) = (findings.median_uniqueness, is_projection(findings)) {
        let median = if graph.n_views() == 1 {
            "uniqueness"
        } else {
            "median uniqueness"
        };
        text += &format!(
            " The {median} (distance from the consensus, 0 to 1) is {}.",
            significant(uniqueness)
        );
    }
    if graph.consensus().is_some() {
        let (n_pairs, of) = match summary.n_candidates {
            Some(n_candidates) => (n_candidates, "candidate"),
            None => (graph.n_pairs(), "possible"),
        };
        text += &format!(
            " The consensus has {} of {n_pairs} {of} edge{}.",
            findings.verdict.n_shared,
            if n_pairs == 1 { "" } else { "s" }
        );
    }
    text
}

fn with(parameters: &str) -> String {
    if parameters.is_empty() {
        String::new()
    } else {
        format!(", with {parameters}")
    }
}

fn told(parameters: &[(&str, Option<f64>)]) -> String {
    let told: Vec<String> = parameters
        .iter()
        .filter_map(|(name, value)| value.map(|value| format!("{name} = {}", significant(value))))
        .collect();
    told.join(", ")
}

/// What the parameters were found for.
fn targets(findings: &Findings, summary: &FitRecord) -> String {
    let graph = &findings.graph;
    let looked_for = |name: &str, value: Option<f64>, asked: Option<f64>| {
        let (value, asked) = (value?, asked?);
        Some(if is_met(value, asked, graph.n_pairs()) {
            format!("a {name} of {}", significant(asked))
        } else {
            format!("the {name} nearest to {} that there is", significant(asked))
        })
    };
    let targets: Vec<String> = [
        looked_for("density", Some(graph.mean_density()), summary.density.target),
        looked_for("similarity", graph.similarity(), summary.similarity.target),
        looked_for(
            "consensus density",
            graph.consensus_density(),
            summary.density.consensus_target,
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if targets.is_empty() {
        String::new()
    } else {
        format!(" (found for {})", words::listed(&targets))
    }
}
