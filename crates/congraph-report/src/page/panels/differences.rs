//! How alike the views are, and what each adds to the consensus and lacks.

use congraph_record::findings::Findings;
use serde::Serialize;

use super::Figure;
use crate::drawings::heatmap::Heatmap;
use crate::drawings::{Network, multiples, ranking};
use crate::page::is_projection;
use crate::words::{self, significant};

pub(in crate::page) fn similarity_figure(findings: &Findings, map: Heatmap) -> Figure {
    let headline = findings.similarities.as_ref().map_or_else(String::new, |found| {
        let labels = words::views(findings);
        let name = |view: usize| words::unbroken(&labels[view]);
        let ([a, b], near) = found.nearest;
        let ([c, d], far) = found.farthest;
        if findings.views.len() == 2 {
            format!(
                "{} and {} have a correlation of {}",
                name(a),
                name(b),
                significant(near)
            )
        } else if significant(near) == significant(far) {
            format!(
                "All views are equally alike: every two have a correlation of {}",
                significant(near)
            )
        } else {
            format!(
                "{} and {} are most alike ({}), {} and {} least ({})",
                name(a),
                name(b),
                significant(near),
                name(c),
                name(d),
                significant(far)
            )
        }
    });
    Figure {
        name: "similarity",
        headline,
        svg: map.svg,
        caption: format!(
            "Pearson correlation between the weights{} of two views over all pairs of nodes. {} The line is each view \
             against itself.",
            if findings.graph.is_signed() {
                ", with their signs,"
            } else {
                ""
            },
            if findings.in_time.is_some() {
                "Views are in the order of time, so that what lasts shows as blocks."
            } else {
                "Views are ordered by average-linkage clustering, so that groups show as blocks."
            }
        ),
    }
}

/// What views add to the consensus and what they lack.
#[derive(Serialize)]
pub(in crate::page) struct Differences {
    /// What is shown, where there is no map of similarities whose headline says more.
    headline: String,
    multiples: Vec<Small>,
    caption: String,
}

#[derive(Serialize)]
struct Small {
    name: String,
    is_outlier: bool,
    added: usize,
    missing: usize,
    /// That not all of them are drawn.
    drawn: Option<String>,
    svg: String,
}

impl Differences {
    pub(in crate::page) fn new(findings: &Findings, drawn: &Network) -> Option<Self> {
        let mut ranked = ranking::ranked(findings);
        if let Some(order) = &findings.in_time {
            // The last comes first.
            ranked = order.iter().rev().map(|&view| &findings.views[view]).collect();
        }
        if ranked.len() < 2 && !is_projection(findings) {
            return None;
        }
        let small = |multiple: multiples::Multiple<'_>| Small {
            name: multiple.view.name.clone(),
            drawn: (multiple.view.added.len().max(multiple.view.missing.len()) > multiples::EDGES)
                .then(|| format!("the {} heaviest of a kind drawn", multiples::EDGES)),
            is_outlier: multiple.view.is_outlier,
            added: multiple.view.added.len(),
            missing: multiple.view.missing.len(),
            svg: multiple.svg,
        };
        let more = if ranked.len() > multiples::MOST {
            match findings.in_time.is_some() {
                true => format!(" The first {} of {} views.", multiples::MOST, ranked.len()),
                false => format!(" The {} views that differ most, of {}.", multiples::MOST, ranked.len()),
            }
        } else {
            String::new()
        };
        let headline = match &ranked[..] {
            [view] => format!(
                "{} adds {} to the consensus and lacks {}",
                words::view(findings, view),
                words::plural(view.added.len(), "edge"),
                view.missing.len()
            ),
            _ => "What each view adds to the consensus, and what it lacks".into(),
        };
        Some(Self {
            headline,
            multiples: multiples::draw(findings, drawn, &ranked)
                .into_iter()
                .map(small)
                .collect(),
            caption: if ranked.len() == 1 {
                "Nodes are where they are in the consensus graph.".into()
            } else if is_chain(findings) {
                format!(
                    "Nodes are where they are in the consensus graph, which is the median of the views. Views in their \
                    order along the chain.{more}"
                )
            } else {
                format!(
                    "Nodes are where they are in the consensus graph. Views in {}.{more}",
                    if findings.in_time.is_some() {
                        "the order of time"
                    } else {
                        "order of their distance from it, the furthest first"
                    }
                )
            },
        })
    }
}

/// Whether each view is coupled to the next: they then have an order.
fn is_chain(findings: &Findings) -> bool {
    let summary = findings.known.summary.as_ref();
    summary.is_some_and(|summary| summary.coupling.as_deref() == Some("chain"))
}
