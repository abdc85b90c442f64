//! The consensus graph.

use congraph::findings::{Findings, visible};
use serde::Serialize;

use super::Figure;
use crate::drawings::{Network, network};

/// The consensus graph.
#[derive(Serialize)]
pub(in crate::page) struct Consensus {
    figure: Figure,
    shown: usize,
    /// Shared edges that are in the page, and all.
    n_held: usize,
    n_edges: usize,
    nodes: Vec<String>,
}

impl Consensus {
    pub(in crate::page) fn new(findings: &Findings, drawn: &Network, n_held: usize) -> Self {
        Self {
            figure: Figure {
                name: "consensus",
                headline: network::headline(findings),
                svg: drawn.draw(findings),
                caption: network::caption(findings),
            },
            shown: drawn.shown,
            n_held: findings.verdict.n_shared.min(n_held),
            n_edges: findings.verdict.n_shared,
            nodes: findings.graph.nodes().iter().map(|name| visible(name)).collect(),
        }
    }
}
