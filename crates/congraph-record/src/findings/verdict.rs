//! The result in two plain sentences, how many edges are supported, and what to be careful about.

use congraph::findings::{Geometry, short_names};
use congraph::{MultiviewGraph, is_edge};
use serde::Serialize;

use super::confidence::{Support, not_asked};
use super::known::Known;
use super::views::ViewFinding;
use crate::record::{FitRecord, WarningRecord};

/// The longest name in a sentence.
const NAME: usize = 32;

/// The result in plain words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Two sentences: what is shared, and who differs. Before them, if it is so, that there is nothing in it; after
    /// them how many edges are supported, or that it was not asked.
    pub sentences: Vec<String>,
    /// How many of the shared edges are supported, if that was asked and could be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<Support>,
    /// The number of shared edges.
    pub n_shared: usize,
    /// Of these, how many have a negative weight.
    #[serde(skip_serializing_if = "is_zero")]
    pub n_negative: usize,
    /// Of these, how many are in every view that has both nodes.
    pub n_everywhere: usize,
    /// The number of connected parts.
    pub n_components: usize,
    /// Nodes without an edge.
    pub isolated: Vec<usize>,
    /// What the user was warned of, and what was found here.
    pub warnings: Vec<WarningRecord>,
}

impl Verdict {
    pub(super) fn of(
        graph: &MultiviewGraph,
        known: &Known,
        shared: &[f64],
        [n_views, n_measured]: [&[usize]; 2],
        views: &[ViewFinding],
        geometry: Option<&Geometry>,
    ) -> Self {
        let present = || (0..shared.len()).filter(|&edge| is_edge(shared[edge]));
        let n_shared = present().count();
        let n_everywhere = present().filter(|&edge| n_views[edge] == n_measured[edge]).count();
        let n_negative = present().filter(|&edge| shared[edge] < 0.0).count();
        let (n_components, isolated) = graph.components();
        let mut warnings = known
            .summary
            .as_ref()
            .map_or_else(Vec::new, |summary| summary.warnings.clone());
        let is_told = warnings.iter().any(|warning| warning.code == "W09");
        // Commands that know positions have told; others may be added to a result later.
        if let Some(near) = geometry.filter(|_| !is_told).and_then(|near| near.warning(graph)) {
            warnings.push(WarningRecord::from(&near));
        }
        let counts = Counts {
            shared: n_shared,
            negative: n_negative,
            everywhere: n_everywhere,
            in_all: present().filter(|&edge| n_views[edge] == graph.n_views()).count(),
            common: (0..shared.len())
                .filter(|&edge| n_views[edge] == n_measured[edge])
                .count(),
        };
        let support = known.stability.as_ref().and_then(|found| found.support(shared));
        Self {
            sentences: caveat(&warnings, counts.is_empty(graph))
                .into_iter()
                .map(String::from)
                .chain(sentences(graph, known, &counts, views))
                .chain(how_sure(known, support.as_ref(), &warnings).filter(|_| !counts.is_empty(graph)))
                .collect(),
            support,
            n_shared,
            n_negative,
            n_everywhere,
            n_components,
            isolated,
            warnings,
        }
    }
}

/// The first words where the data do not bear out what follows.
fn caveat(warnings: &[WarningRecord], is_empty: bool) -> Option<&'static str> {
    let of = |code: &str| warnings.iter().find(|warning| warning.code == code);
    match (of("W13"), of("W15")) {
        (Some(_), _) if is_empty => Some("Nothing in these data goes beyond chance."),
        (Some(_), _) => Some("Nothing in these data goes beyond chance: the edges below are those of noise."),
        // Whether there is structure may not be known.
        (_, Some(imposed)) if imposed.message.starts_with("nothing") => {
            Some("The views share nothing: the agreement below is imposed.")
        }
        (_, Some(_)) => Some("The views have structure, but none that they share: the agreement below is imposed."),
        _ => None,
    }
}

/// How many edges are supported, or that this was not asked.
fn how_sure(known: &Known, support: Option<&Support>, warnings: &[WarningRecord]) -> Option<String> {
    let is_noise = warnings.iter().any(|warning| warning.code == "W13");
    match (&known.stability, support, &known.ask_stability) {
        (_, Some(support), _) => {
            let noise = if is_noise { support.of_noise() } else { String::new() };
            Some(format!("{}{noise}.", support.words()))
        }
        (Some(_), None, _) => {
            Some("Which edges are supported was not asked, or cannot be told from these data.".into())
        }
        (None, None, Some(ask)) => {
            let told = not_asked(ask);
            Some(format!("H{}.", told.strip_prefix('h').unwrap_or(&told)))
        }
        _ => None,
    }
}

/// How many edges there are of each kind.
struct Counts {
    /// Shared ones, and of these the negative ones.
    shared: usize,
    negative: usize,
    /// Of these, in every view that has both nodes, and in every view.
    everywhere: usize,
    in_all: usize,
    /// Shared or not, in every view that has both nodes.
    common: usize,
}

impl Counts {
    /// Whether no graph has any edge.
    fn is_empty(&self, graph: &MultiviewGraph) -> bool {
        self.shared == 0 && !graph.weights().values().iter().any(|&weight| is_edge(weight))
    }
}

fn sentences(graph: &MultiviewGraph, known: &Known, counts: &Counts, views: &[ViewFinding]) -> Vec<String> {
    let n = graph.n_views();
    let summary = known.summary.as_ref();
    let possible = possible(graph, known);
    let is_noise = summary.is_some_and(|summary| summary.has_warning("W13"));
    if is_noise && summary.is_some_and(FitRecord::is_likelihood) && counts.is_empty(graph) {
        return vec![format!("None of {possible} was kept: the graphs are empty.")];
    }
    if graph.consensus().is_none() {
        return learned_alone(graph, counts, &possible, views);
    }
    if n == 1 || summary.is_some_and(FitRecord::is_projection) {
        return projected(counts.shared, &possible, views);
    }
    if counts.shared == 0 {
        let gamma = summary.and_then(|summary| summary.gamma).unwrap_or(0.0);
        return empty_consensus(n, counts, &possible, gamma);
    }
    let shares = format!(
        "{n} views share {} of {possible}{}.",
        counts.shared,
        signs(graph, counts)
    );
    if is_noise {
        // Who differs from whom is chance as well.
        return vec![shares, format!("{}.", in_every(counts))];
    }
    vec![shares, format!("{}; {}.", in_every(counts), who_differs(views))]
}

/// How many edges have which sign, if any graph has negative weights.
fn signs(graph: &MultiviewGraph, counts: &Counts) -> String {
    match (counts.shared - counts.negative, counts.negative) {
        _ if !graph.is_signed() => String::new(),
        (_, 0) => ", all positive".into(),
        (0, _) => ", all negative".into(),
        (positive, negative) => format!(", {positive} positive and {negative} negative"),
    }
}

/// Where nothing is negative, results tell nothing of it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Of views without a consensus.
fn learned_alone(graph: &MultiviewGraph, counts: &Counts, possible: &str, views: &[ViewFinding]) -> Vec<String> {
    let n = graph.n_views();
    if n == 1 {
        let name = short(views, &graph.views()[0]);
        return vec![
            format!(
                "The graph of {name} has {} of {possible}{}.",
                views[0].n_edges,
                signs(graph, counts)
            ),
            "It was learned alone: there is no consensus to compare it with.".into(),
        ];
    }
    vec![
        format!(
            "{n} views were learned without a consensus; together they have {} of {possible}.",
            counts.shared
        ),
        format!("{}.", in_every(counts)),
    ]
}

/// Of views whose consensus has no edge.
fn empty_consensus(n_views: usize, counts: &Counts, possible: &str, gamma: f64) -> Vec<String> {
    let of_all = if n_views == 2 { "in both" } else { "in every view" };
    let common = match counts.common {
        0 => format!("and none of {possible} is {of_all}"),
        1 => format!("though one of {possible} is {of_all}"),
        many => format!("though {many} of {possible} are {of_all}"),
    };
    vec![
        format!("The consensus of {n_views} views is empty, {common}."),
        if gamma > 0.0 {
            "A smaller gamma, or a larger beta, lets edges in.".into()
        } else {
            "A larger beta pulls the views together until they share edges.".into()
        },
    ]
}

/// Which views stand out, or which differ most and least from the consensus.
fn who_differs(views: &[ViewFinding]) -> String {
    let outliers: Vec<&str> = views
        .iter()
        .filter(|view| view.is_outlier)
        .map(|view| view.name.as_str())
        .collect();
    match (&outliers[..], extremes(views)) {
        (_, Some([_, (_, far)])) if far <= 1e-9 => "all views equal the consensus".into(),
        ([], Some([(nearest, near), (furthest, far)])) if far > near => {
            format!(
                "{} differs most, {} least",
                short(views, furthest),
                short(views, nearest)
            )
        }
        ([], _) => "all differ from it alike".into(),
        ([one], _) => format!("{} stands out from the group", short(views, one)),
        (several, _) => format!("{} views stand out from the group", several.len()),
    }
}

/// What connections there could be.
fn possible(graph: &MultiviewGraph, known: &Known) -> String {
    let connections = |n: usize| format!("connection{}", if n == 1 { "" } else { "s" });
    let n_pairs = graph.n_pairs();
    match known.summary.as_ref().and_then(|summary| summary.n_candidates) {
        Some(allowed) => format!("{allowed} candidate {} ({n_pairs} are possible)", connections(allowed)),
        None => format!("{n_pairs} possible {}", connections(n_pairs)),
    }
}

/// New views beside the consensus of an earlier fit.
fn projected(n_shared: usize, possible: &str, views: &[ViewFinding]) -> Vec<String> {
    let scale = "0 is the same as the consensus, 1 shares nothing with it";
    if let [view] = views {
        return vec![
            format!(
                "{} has {} of {possible}: {} of the {n_shared} of the frozen consensus, and {} of its own.",
                short(views, &view.name),
                view.n_edges,
                view.n_edges - view.added.len(),
                view.added.len()
            ),
            format!("Its uniqueness is {:.3}: {scale}.", view.uniqueness.unwrap_or(0.0)),
        ];
    }
    let opening = format!(
        "{} new views beside a frozen consensus of {n_shared} of {possible}.",
        views.len()
    );
    let who = match extremes(views) {
        Some([(nearest, near), (furthest, far)]) if far > near => format!(
            "{} is nearest to it (uniqueness {near:.3}), {} furthest ({far:.3}): {scale}.",
            short(views, nearest),
            short(views, furthest)
        ),
        _ => "All differ from it alike.".into(),
    };
    vec![opening, who]
}

/// The views that are nearest to the consensus and furthest from it, and how far they are.
fn extremes(views: &[ViewFinding]) -> Option<[(&str, f64); 2]> {
    let far = |view: &&ViewFinding| view.uniqueness.unwrap_or(0.0);
    let nearest = views.iter().min_by(|one, two| far(one).total_cmp(&far(two)))?;
    let furthest = views.iter().max_by(|one, two| far(one).total_cmp(&far(two)))?;
    Some([nearest, furthest].map(|view| (view.name.as_str(), far(&view))))
}

fn in_every(counts: &Counts) -> String {
    match counts.everywhere - counts.in_all {
        0 => format!("{} in every view", are(counts.in_all)),
        more => format!(
            "{} in every view, {more} more in all views that have both nodes",
            are(counts.in_all)
        ),
    }
}

/// A sentence has room for a name, not for a page of one.
fn short(views: &[ViewFinding], name: &str) -> String {
    let names: Vec<String> = views.iter().map(|view| view.name.clone()).collect();
    let at = names.iter().position(|other| other == name);
    at.map_or_else(String::new, |at| short_names(&names, NAME).swap_remove(at))
}

fn are(n: usize) -> String {
    match n {
        0 => "None is".into(),
        1 => "One is".into(),
        _ => format!("{n} are"),
    }
}
