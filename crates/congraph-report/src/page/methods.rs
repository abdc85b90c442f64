//! The methods paragraphs, ready to paste, and what to cite.

use congraph_record::FitRecord;
use congraph_record::findings::Findings;

use super::{inference, is_projection, preparation, shell};
use crate::page::panels::{choice, chosen, is_met};
use crate::words::{self, percent, plural, range, share, significant};

const MULTIVIEW: &str = "A. Karaaslanli and S. Aviyente, “Multiview Graph Learning With Consensus Graph”, IEEE \
    Transactions on Signal and Information Processing over Networks 11, 161–176, 2025 (arXiv:2401.13769).";
const JOINT_LASSO: &str = "P. Danaher, P. Wang and D. M. Witten, “The joint graphical lasso for inverse covariance \
    estimation across multiple classes”, Journal of the Royal Statistical Society: Series B 76(2), 373–397, 2014.";
const SPLINES: &str = "F. Perrin, J. Pernier, O. Bertrand and J. F. Echallier, “Spherical splines for scalp potential \
    and current density mapping”, Electroencephalography and Clinical Neurophysiology 72(2), 184–187, 1989.";

const LAPLACIAN: &str = "H. E. Egilmez, E. Pavez and A. Ortega, “Graph learning from data under Laplacian and \
    structural constraints”, IEEE Journal of Selected Topics in Signal Processing 11(6), 825–841, 2017.";
const CRITERION: &str = "H. Akaike, “A new look at the statistical model identification”, IEEE Transactions on \
    Automatic Control 19(6), 716–723, 1974.";
const THRESHOLD: &str = "N. Otsu, “A threshold selection method from gray-level histograms”, IEEE Transactions on \
    Systems, Man, and Cybernetics 9(1), 62–66, 1979.";

/// What to cite.
pub(super) fn references(findings: &Findings) -> Vec<&'static str> {
    let known = &findings.known;
    let summary = known.summary.as_ref();
    let mut references = vec![if summary.is_some_and(FitRecord::is_joint) {
        JOINT_LASSO
    } else {
        MULTIVIEW
    }];
    if let Some(summary) = summary.filter(|summary| summary.is_likelihood()) {
        references.push(LAPLACIAN);
        if choice(summary).is_some() {
            references.push(CRITERION);
        }
        if is_automatic(summary) {
            references.push(THRESHOLD);
        }
    }
    if known.recordings.as_ref().is_some_and(|made| made.steps.csd.is_some()) {
        references.push(SPLINES);
    }
    references.extend(inference::references(findings));
    references
}

pub(super) fn paragraphs(findings: &Findings) -> Vec<String> {
    let nothing = FitRecord::default();
    let summary = findings.known.summary.as_ref().unwrap_or(&nothing);
    let made = findings.known.recordings.as_ref();
    let mut text = learned(findings, summary);
    text += &tuned(summary);
    text += &candidates(findings, summary);
    text += &costs(summary);
    text += &masked(findings);
    text += &scaling(summary);
    text += &lifted(summary);
    text += &solved(summary);
    text += &found(findings, summary);
    made.map(|made| preparation::paragraph(findings, made))
        .into_iter()
        .chain([text])
        .chain(inference::paragraphs(findings))
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
        Some("linf") => "ℓ∞",
        Some("huber") => "Huber",
        Some("hubs") => "row–column overlap (Mohan and others 2014)",
        Some(other) => other,
    };
    let coupling = coupling(summary);
    let coupled = told(&[
        ("α", summary.alpha),
        ("β", summary.beta),
        ("γ", summary.gamma.filter(|gamma| *gamma > 0.0)),
    ]);
    if summary.is_likelihood() {
        return likelihood(findings, summary, &program);
    }
    if let Some(method) = &summary.method {
        let coupling = method.strip_prefix("jgl-").unwrap_or(method);
        return format!(
            "Precision matrices of {n_views} over {n_nodes} were learned with {program} by the joint graphical lasso \
             ({coupling}; Danaher, Wang and Witten 2014){}. Two nodes are joined where the entry of the matrix is {}; the \
             weight is the entry's size.",
            with(&told(&[("λ1", summary.lambda1), ("λ2", summary.lambda2)])),
            if summary.edge_rule.as_deref() == Some("negative") {
                "negative (a positive partial correlation)"
            } else {
                "not zero, whatever its sign"
            }
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
            Aviyente 2025){}{}.{}",
            with(&told(&[("α", summary.alpha)])),
            targets(findings, summary),
            signed(summary)
        );
    }
    format!(
        "Graphs of {n_views} over {n_nodes} and their consensus graph were learned jointly with {program}, which \
         implements multiview graph learning with a consensus graph (Karaaslanli and Aviyente 2025), with the \
         {penalty} penalty{}{}.{coupling}{}",
        if coupled.is_empty() {
            String::new()
        } else {
            format!(" and {coupled}")
        },
        targets(findings, summary),
        signed(summary)
    )
}

/// How density and similarity were chosen, if they were.
fn tuned(summary: &FitRecord) -> String {
    let Some(tune) = &summary.tune else {
        return String::new();
    };
    let among = format!(
        " Density and similarity were chosen among {} by {} of every view's samples (or trials)",
        plural(tune.cells, "fit"),
        plural(tune.halvings, "random halving")
    );
    match (tune.rule.as_deref(), tune.keep, tune.gain) {
        (Some("likelihood"), Some(keep), Some(gain)) => {
            let best = tune.best.as_ref().and_then(|best| best.gain);
            let of_best = best.map_or_else(String::new, |best| format!(" of {best:.4}"));
            format!(
                "{among}: each view's graph from one half was judged by the Gaussian log-likelihood of its other half, \
                 and the sparsest density that kept at least {} of the best gain over independent nodes was taken, with \
                 the similarity of the highest gain there ({gain:.4}{of_best} nats per value).",
                share(keep)
            )
        }
        (Some("stability"), ..) => format!(
            "{among}: by the edges that reproduce in halves (instability {} or less{}).",
            tune.threshold.map_or_else(|| "as low as can be".into(), significant),
            if tune.is_within == Some(false) {
                ", which no fit had; the most stable was taken"
            } else {
                ""
            }
        ),
        _ => String::new(),
    }
}

/// What views are coupled to, if not to the consensus alone.
fn coupling(summary: &FitRecord) -> String {
    let share = summary
        .subject_share
        .map_or_else(String::new, |share| format!(" (subject share {})", significant(share)));
    match summary.coupling.as_deref() {
        Some("subjects") => format!(
            " On two levels: views of one subject are coupled to the subject's own graph, and the subjects' graphs to the \
             consensus{share}."
        ),
        Some("chain") => {
            " Each view is coupled to the one before it and the one after it, in the order given; the consensus \
             is the median of the views."
                .into()
        }
        Some("pairwise") => " Every view is coupled to every other; the consensus is the median of the views.".into(),
        _ => String::new(),
    }
}

/// As [`learned`], of graphs that make the signals likely.
fn likelihood(findings: &Findings, summary: &FitRecord, program: &str) -> String {
    let graph = &findings.graph;
    let (n_views, n_nodes) = (plural(graph.n_views(), "view"), plural(graph.n_nodes(), "node"));
    let what = match (graph.consensus(), graph.n_views()) {
        (Some(_), _) => format!("Graphs of {n_views} over {n_nodes} and their consensus graph were learned jointly"),
        (None, 1) => format!("The graph of one view over {n_nodes} was learned on its own"),
        (None, _) => format!("The graphs of {n_views} over {n_nodes} were learned separately, each on its own,"),
    };
    let is_signed = summary.signed == Some(true);
    let (often, precision) = if summary.filter == Some(1) {
        ("once", "M")
    } else {
        ("twice", "M²")
    };
    let mut text = format!(
        "{what} with {program} by maximum likelihood: the signals are Gaussian, as if white noise had gone through the \
         graph's filter {often}, and their precision matrix is {precision} with M = diag(t) − W {}.",
        if is_signed {
            "and weights W of both signs, whose sizes are charged by 1/√samples"
        } else {
            "and weights W ≥ 0 (graph learning under structural constraints: Egilmez, Pavez and Ortega 2017)"
        }
    );
    if let Some(b) = summary.beta {
        let gamma = summary.gamma.filter(|gamma| *gamma > 0.0);
        text += &format!(
            " Views are coupled to the consensus by the {} penalty (Karaaslanli and Aviyente 2025) with a weight of \
             b = {} in units of 1/√samples{}.",
            match summary.penalty.as_deref() {
                Some("l2") => "ℓ2",
                Some("squared-l2") => "squared ℓ2",
                _ => "ℓ1",
            },
            significant(b),
            gamma.map_or_else(String::new, |gamma| format!(", and γ = {} of that", significant(gamma)))
        );
    }
    if let Some(samples) = summary.effective_samples {
        text += &format!(" A view has {} independent samples on average.", significant(samples));
    }
    text += &chosen(summary).unwrap_or_default();
    text += &merged(summary);
    text + &kept(findings, summary)
}

/// Nodes that stand for others.
fn merged(summary: &FitRecord) -> String {
    let Some(merged) = &summary.merged else {
        return String::new();
    };
    let one = |(kept, others): &(String, Vec<String>)| format!("{kept} for {}", others.join(", "));
    let told: Vec<String> = merged.0.iter().map(one).collect();
    format!(
        " Nodes whose signals are multiples of each other in every view were learned as one, which stands for the others \
         ({}).",
        told.join("; ")
    )
}

/// That pairs may have negative edges, in graphs on which signals are smooth.
fn signed(summary: &FitRecord) -> &'static str {
    if summary.signed == Some(true) {
        " The graphs are signed: every pair has a positive edge, which costs the squared distance between the signals of \
         its nodes, and a negative edge, which costs the squared distance of one from the other's opposite; the weight of \
         a pair is the positive weight less the negative one."
    } else {
        ""
    }
}

/// Which weights of a likelihood are edges.
fn kept(findings: &Findings, summary: &FitRecord) -> String {
    let threshold = summary.threshold.filter(|threshold| threshold.is_finite());
    let Some(threshold) = threshold else {
        return " As nothing in the data goes beyond chance, no weight was kept as an edge.".into();
    };
    format!(
        " Weights above {} are edges{}; the others were left out, and the model was fitted again without them.",
        significant(threshold),
        if is_automatic(summary) {
            " (where a weight belongs as likely to the upper as to the lower of two normal distributions, fitted to the \
             square roots of all weights; where these have no valley between them, the threshold of Otsu 1979)"
                .into()
        } else {
            targets(findings, summary)
        }
    )
}

/// Whether the threshold of a likelihood was found from its weights.
fn is_automatic(summary: &FitRecord) -> bool {
    summary.threshold.is_some_and(f64::is_finite) && summary.density.target.is_none()
}

/// A direction that was put back, for the likelihood.
fn lifted(summary: &FitRecord) -> String {
    match (summary.lifted, summary.signed) {
        (Some(true), Some(true)) => " A direction that the views lack was given the mean variance.".into(),
        (Some(true), _) => {
            " The signals lack the mean of all nodes, as after an average reference; their covariances were lifted \
             along it."
                .into()
        }
        _ => String::new(),
    }
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
         a consensus graph (Karaaslanli and Aviyente 2025).{}",
        with(coupled),
        signed(summary)
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
    let to = if summary.is_likelihood() {
        "charged for the weights of"
    } else {
        "added to the distances of"
    };
    summary.n_edge_costs.map_or_else(String::new, |n| {
        format!(" Costs that were given beforehand were {to} {}.", plural(n, "pair"))
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
    if !gap.is_finite() {
        return " The problem is convex; the solver ended without a bound that certifies the result.".into();
    }
    let solver = match summary.solver.as_deref() {
        Some("newton") if summary.is_likelihood() => "a proximal Newton method",
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
        let negative = match findings.verdict.n_negative {
            0 => String::new(),
            n => format!(", {n} of them negative"),
        };
        text += &format!(
            " The consensus has {} of {n_pairs} {of} edge{}{negative}.",
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
