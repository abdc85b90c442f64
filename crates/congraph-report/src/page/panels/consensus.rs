//! The consensus graph.

use congraph_record::findings::{Findings, MOST_DRAWN, visible};
use serde::Serialize;

use super::Figure;
use crate::drawings::{Network, network};

/// The consensus graph.
#[derive(Serialize)]
pub(in crate::page) struct Consensus {
    headline: String,
    /// None of too many nodes; then a word about it.
    figure: Option<Figure>,
    left_out: Option<String>,
    shown: usize,
    /// Shared edges that are in the page, and all.
    n_held: usize,
    n_edges: usize,
    nodes: Vec<String>,
}

impl Consensus {
    pub(in crate::page) fn new(findings: &Findings, drawn: Option<&Network>, n_held: usize) -> Self {
        Self {
            headline: network::headline(findings),
            figure: drawn.map(|drawn| Figure {
                name: "consensus",
                headline: network::headline(findings),
                svg: drawn.draw(findings),
                caption: network::caption(findings),
            }),
            left_out: drawn.is_none().then(|| left_out(findings)),
            shown: drawn.map_or(0, |drawn| drawn.shown),
            n_held: findings.verdict.n_shared.min(n_held),
            n_edges: findings.verdict.n_shared,
            nodes: match drawn {
                Some(_) => findings.graph.nodes().iter().map(|name| visible(name)).collect(),
                None => Vec::new(),
            },
        }
    }
}

/// What is said where the picture would be.
fn left_out(findings: &Findings) -> String {
    format!(
        "The drawings of the graphs are left out: {} nodes are too many to draw; up to {MOST_DRAWN} are. The table of \
         edges below has the heaviest, the files of the result have all, and congraph export writes them for programs \
         that draw large networks.",
        findings.graph.n_nodes()
    )
}
