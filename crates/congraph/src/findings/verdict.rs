//! The result in two plain sentences, and what to be careful about.

use serde::Serialize;

use super::known::{Known, WarningSummary};
use super::names::short_names;
use super::neighbours::Geometry;
use super::views::ViewFinding;
use crate::graph::MultiviewGraph;

/// The longest name in a sentence.
const NAME: usize = 32;

/// The result in plain words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Two sentences: what is shared, and who differs.
    pub sentences: Vec<String>,
    /// The number of shared edges.
    pub n_shared: usize,
    /// Of these, how many are in every view that has both nodes.
    pub n_everywhere: usize,
    /// The number of connected parts.
    pub n_components: usize,
    /// Nodes without an edge.
    pub isolated: Vec<usize>,
    /// What the user was warned of, and what was found here.
    pub warnings: Vec<WarningSummary>,
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
        let present = || (0..shared.len()).filter(|&edge| shared[edge] > 0.0);
        let n_shared = present().count();
        let n_everywhere = present().filter(|&edge| n_views[edge] == n_measured[edge]).count();
        let (n_components, isolated) = graph.components();
        let mut warnings = known
            .summary
            .as_ref()
            .map_or_else(Vec::new, |summary| summary.warnings.clone());
        let is_told = warnings.iter().any(|warning| warning.code == "W09");
        if let Some(near) = geometry.filter(|geometry| geometry.is_mostly_near() && !is_told) {
            warnings.push(WarningSummary {
                code: "W09".into(),
                view: None,
                message: format!(
                    "the consensus is mostly between neighbours: {:.0} % of its edges, against {:.0} % of all pairs. A field that \
                     spreads (volume conduction) would look the same",
                    100.0 * near.neighbour_share,
                    100.0 * near.chance
                ),
            });
        }
        Self {
            sentences: sentences(graph, n_shared, n_everywhere, views),
            n_shared,
            n_everywhere,
            n_components,
            isolated,
            warnings,
        }
    }
}

fn sentences(graph: &MultiviewGraph, n_shared: usize, n_everywhere: usize, views: &[ViewFinding]) -> Vec<String> {
    let (n, n_pairs) = (graph.n_views(), graph.n_pairs());
    let possible = format!("{n_pairs} possible connection{}", if n_pairs == 1 { "" } else { "s" });
    if n == 1 {
        return vec![
            format!(
                "The graph of {} has {} of {possible}.",
                short(graph, &graph.views()[0]),
                views[0].n_edges
            ),
            "It was learned alone: there is no consensus to compare it with.".into(),
        ];
    }
    let Some(_) = graph.consensus() else {
        return vec![
            format!("{n} views were learned without a consensus; together they have {n_shared} of {possible}."),
            format!("{} in every view.", are(n_everywhere)),
        ];
    };
    if n_shared == 0 {
        return vec![
            format!("{n} views share none of {possible}."),
            "The consensus is empty: a larger density, or a smaller gamma, would let edges in.".into(),
        ];
    }
    let shares = format!("{n} views share {n_shared} of {possible}.");
    let outliers: Vec<&str> = views
        .iter()
        .filter(|view| view.is_outlier)
        .map(|view| view.name.as_str())
        .collect();
    let furthest = views
        .iter()
        .max_by(|one, two| one.uniqueness.unwrap_or(0.0).total_cmp(&two.uniqueness.unwrap_or(0.0)));
    let nearest = views
        .iter()
        .min_by(|one, two| one.uniqueness.unwrap_or(0.0).total_cmp(&two.uniqueness.unwrap_or(0.0)));
    let who = match (&outliers[..], furthest, nearest) {
        (_, Some(far), _) if far.uniqueness.unwrap_or(0.0) <= 1e-9 => "all views equal the consensus".into(),
        ([], Some(far), Some(near)) if far.uniqueness > near.uniqueness => {
            format!(
                "{} differs most, {} least",
                short(graph, &far.name),
                short(graph, &near.name)
            )
        }
        ([], ..) => "all differ from it alike".into(),
        ([one], ..) => format!("{} stands out from the group", short(graph, one)),
        (several, ..) => format!("{} views stand out from the group", several.len()),
    };
    vec![shares, format!("{} in every view; {who}.", are(n_everywhere))]
}

/// A sentence has room for a name, not for a page of one.
fn short(graph: &MultiviewGraph, name: &str) -> String {
    let at = graph.views().iter().position(|view| view == name);
    at.map_or_else(String::new, |at| short_names(graph.views(), NAME).swap_remove(at))
}

fn are(n: usize) -> String {
    match n {
        0 => "None is".into(),
        1 => "One is".into(),
        _ => format!("{n} are"),
    }
}
