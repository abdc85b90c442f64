//! The figures of the verdict, and what to be careful about.

use congraph::findings::Findings;
use serde::Serialize;

use crate::words::{self, percent, plural, significant};

/// A figure of the verdict: a number and what it means.
#[derive(Serialize)]
pub(in crate::page) struct Key {
    name: &'static str,
    value: String,
    note: String,
}

/// A warning, with what its code means.
#[derive(Serialize)]
pub(in crate::page) struct Warned {
    code: String,
    view: Option<String>,
    message: String,
}

pub(in crate::page) fn warnings(findings: &Findings) -> Vec<Warned> {
    let warned = findings.verdict.warnings.iter();
    warned
        .map(|warning| Warned {
            code: warning.code.clone(),
            view: warning.view.clone(),
            message: warning.message.clone(),
        })
        .collect()
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
            } else {
                "NOT converged: relative gap"
            }
            .into(),
        });
    }
    let target = summary
        .and_then(|summary| summary.density.target)
        .map_or_else(String::new, |value| format!(", asked for {}", significant(value)));
    keys.push(Key {
        name: "Density",
        value: percent(graph.mean_density()),
        note: match graph.consensus_density() {
            Some(consensus) => format!(
                "of the possible edges, mean of the views; consensus {}{target}",
                percent(consensus)
            ),
            None => format!("of the possible edges, mean of the views{target}"),
        },
    });
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
    let alone = verdict.isolated.len();
    keys.push(Key {
        name: "Parts",
        value: verdict.n_components.to_string(),
        note: match (verdict.n_components, alone) {
            (1, _) => "everything is joined".into(),
            (_, 0) => "that nothing joins to each other".into(),
            _ => format!("of which {} on its own", plural(alone, "node")),
        },
    });
    keys
}
