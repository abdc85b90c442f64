//! The figures of the verdict, and what to be careful about.

use congraph_record::FitRecord;
use congraph_record::findings::Findings;
use serde::Serialize;

use super::choice;
use crate::page::is_projection;
use crate::words::{self, percent, plural, significant};

/// A figure of the verdict: a number and what it means.
#[derive(Serialize)]
pub(in crate::page) struct Key {
    name: &'static str,
    value: String,
    note: String,
}

/// Whether a value is what was looked for, or only the nearest to it that there is.
pub(in crate::page) fn is_met(value: f64, target: f64, n_pairs: usize) -> bool {
    let half_an_edge = 0.5 / n_pairs.max(1) as f64;
    (value - target).abs() <= half_an_edge.max(0.005)
}

pub(in crate::page) fn keys(findings: &Findings) -> Vec<Key> {
    let (graph, verdict) = (&findings.graph, &findings.verdict);
    let summary = findings.known.summary.as_ref();
    let mut keys = Vec::new();
    if let Some(value) = summary.and_then(|summary| summary.relative_gap) {
        let converged = summary.and_then(|summary| summary.converged).unwrap_or(false);
        keys.push(Key {
            name: "Optimal to",
            value: words::gap(value),
            note: if converged {
                "converged: relative gap to the best possible fit"
            } else if !value.is_finite() {
                "NOT certified: nothing says how near the best possible fit is"
            } else {
                "NOT converged: relative gap"
            }
            .into(),
        });
    }
    let mut note = String::from("of all pairs of nodes");
    if graph.n_views() > 1 {
        note += ", mean of the views";
    }
    if let Some(consensus) = graph.consensus_density() {
        note += &format!("; consensus {}", percent(consensus));
    }
    if let Some(asked) = summary.and_then(|summary| summary.density.target) {
        let nearest = if is_met(graph.mean_density(), asked, graph.n_pairs()) {
            ""
        } else {
            "the nearest to the "
        };
        note += &format!("; {nearest}target {}", significant(asked));
    }
    keys.push(Key {
        name: "Density",
        value: percent(graph.mean_density()),
        note,
    });
    if let ([view], true) = (&findings.views[..], is_projection(findings)) {
        keys.push(Key {
            name: "Uniqueness",
            value: view
                .uniqueness
                .map_or_else(|| "–".into(), |value| format!("{value:.3}")),
            note: "distance from the frozen consensus: 0 is the same, 1 shares nothing".into(),
        });
    }
    if let Some(value) = graph.similarity() {
        let floor = summary.and_then(|summary| summary.similarity.floor);
        keys.push(Key {
            name: "Similarity",
            value: significant(value),
            note: floor.map_or_else(
                || "mean correlation between views".into(),
                |floor| {
                    format!(
                        "mean correlation between views; {} if learned separately",
                        significant(floor)
                    )
                },
            ),
        });
    }
    if graph.is_signed() && verdict.n_shared > 0 {
        keys.push(Key {
            name: "Signs",
            value: format!("+{} −{}", verdict.n_shared - verdict.n_negative, verdict.n_negative),
            note: match (graph.consensus(), graph.n_views()) {
                (Some(_), _) => "positive and negative edges of the consensus".into(),
                (None, 1) => "positive and negative edges".into(),
                (None, _) => "edges whose mean over the views is positive, and negative".into(),
            },
        });
    }
    keys.extend(summary.and_then(model));
    let alone = verdict.isolated.len();
    keys.push(Key {
        name: "Parts",
        value: verdict.n_components.to_string(),
        note: match (verdict.n_components, alone) {
            (1, _) => "everything is joined".into(),
            (_, 0) => "that nothing joins to each other".into(),
            (parts, alone) if parts == alone => "every node is on its own".into(),
            (_, 1) => "of which one is a node on its own".into(),
            _ => format!("of which {} on their own", plural(alone, "node")),
        },
    });
    keys
}

/// The model of a likelihood.
fn model(summary: &FitRecord) -> Option<Key> {
    let filter = summary.filter.filter(|_| summary.is_likelihood())?;
    let mut notes = Vec::new();
    if let Some(b) = summary.beta {
        notes.push(format!("coupling b = {}", significant(b)));
    }
    if let Some(threshold) = summary.threshold.filter(|threshold| threshold.is_finite()) {
        notes.push(format!("weights above {} are edges", significant(threshold)));
    }
    if let Some(chosen) = choice(summary) {
        let is_certified = summary.tried.iter().flatten().any(|one| one.certified);
        notes.push(if is_certified {
            format!("{chosen} by Akaike's criterion")
        } else {
            "no fit that was compared is certified".into()
        });
    }
    Some(Key {
        name: "Filter",
        value: if filter == 1 { "once".into() } else { "twice".into() },
        note: notes.join("; "),
    })
}
