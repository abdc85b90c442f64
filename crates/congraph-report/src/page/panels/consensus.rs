//! The consensus graph.

use congraph::findings::Findings;
use serde::Serialize;

use super::Figure;
use crate::drawings::{Network, network};

/// The consensus graph.
#[derive(Serialize)]
pub(in crate::page) struct Consensus {
    figure: Figure,
    shown: usize,
    n_edges: usize,
    nodes: Vec<String>,
}

impl Consensus {
    pub(in crate::page) fn new(findings: &Findings, drawn: &Network) -> Self {
        Self {
            figure: Figure {
                name: "consensus",
                headline: network::headline(findings),
                svg: drawn.draw(findings),
                caption: network::caption(findings),
            },
            shown: drawn.shown,
            n_edges: findings.verdict.n_shared.min(crate::data::MOST_EDGES),
            nodes: findings.graph.nodes().to_vec(),
        }
    }
}
