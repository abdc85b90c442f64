//! The subjects of a two-level fit: each has a graph of its own, which its views share.

use congraph_record::findings::{Findings, ViewFinding};
use serde::Serialize;

use crate::drawings::{Network, multiples};
use crate::words::{percent, plural, significant};

/// The subjects' own graphs.
#[derive(Serialize)]
pub(in crate::page) struct Subjects {
    headline: String,
    multiples: Vec<Small>,
    rows: Vec<Row>,
    caption: String,
}

#[derive(Serialize)]
struct Small {
    name: String,
    added: usize,
    missing: usize,
    /// That not all of them are drawn.
    drawn: Option<String>,
    svg: String,
}

#[derive(Serialize)]
struct Row {
    name: String,
    views: String,
    edges: usize,
    density: String,
    distance: String,
}

impl Subjects {
    pub(in crate::page) fn new(findings: &Findings, network: Option<&Network>) -> Option<Self> {
        let all = &findings.subjects;
        if all.is_empty() {
            return None;
        }
        let small = |multiple: multiples::Multiple<'_>| Small {
            name: multiple.view.name.clone(),
            added: multiple.view.added.len(),
            missing: multiple.view.missing.len(),
            drawn: (multiple.view.added.len().max(multiple.view.missing.len()) > multiples::EDGES)
                .then(|| format!("the {} heaviest of a kind drawn", multiples::EDGES)),
            svg: multiple.svg,
        };
        let multiples = network.map_or_else(Vec::new, |network| multiples::subjects(findings, network));
        let more = if all.len() > multiples::MOST {
            format!(" The first {} of {} are drawn.", multiples::MOST, all.len())
        } else {
            String::new()
        };
        Some(Self {
            headline: headline(all),
            multiples: multiples.into_iter().map(small).collect(),
            rows: all.iter().map(|subject| row(findings, subject)).collect(),
            caption: format!(
                "A subject's own graph is what its views share; here what it adds to the consensus and what it lacks. The \
                 distance is that of uniqueness: 0 if the two are equal, 1 if they share nothing.{more}"
            ),
        })
    }
}

fn far(subject: &ViewFinding) -> f64 {
    subject.uniqueness.unwrap_or(0.0)
}

fn headline(all: &[ViewFinding]) -> String {
    let equal = all.iter().filter(|subject| far(subject) <= 1e-9).count();
    let furthest = all.iter().max_by(|one, two| far(one).total_cmp(&far(two)));
    match furthest {
        Some(one) if far(one) > 1e-9 => format!(
            "{}, of which {} {} the consensus; {} is furthest from it ({})",
            plural(all.len(), "subject"),
            equal,
            if equal == 1 { "equals" } else { "equal" },
            one.name,
            significant(far(one))
        ),
        _ => format!("{}, all equal to the consensus", plural(all.len(), "subject")),
    }
}

fn row(findings: &Findings, subject: &ViewFinding) -> Row {
    let graph = &findings.graph;
    let of = |view: usize| {
        graph
            .subjects()
            .is_some_and(|subjects| subjects.name_of(view) == subject.name)
    };
    let views: Vec<&str> = (0..graph.n_views())
        .filter(|&view| of(view))
        .map(|view| graph.views()[view].as_str())
        .collect();
    Row {
        name: subject.name.clone(),
        views: if views.len() > 6 {
            format!("{} and {} more", views[..5].join(", "), views.len() - 5)
        } else {
            views.join(", ")
        },
        edges: subject.n_edges,
        density: percent(subject.density),
        distance: subject
            .uniqueness
            .map_or_else(|| "–".into(), |value| format!("{value:.3}")),
    }
}
