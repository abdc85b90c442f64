//! Where nodes are, if that is known, and whether edges follow it (W09).

use congraph::{MultiviewGraph, Warning};
use congraph_eeg::Position;
use congraph_record::findings::{Geometry, Positions};

/// Where electrodes are: the mean over the subjects, where they differ.
pub(super) struct NodePlaces {
    pub(super) at: Vec<(String, Position)>,
    /// Whether what spreads through the head was taken out.
    pub(super) has_csd: bool,
}

impl NodePlaces {
    /// The positions of nodes, as far as they are known.
    pub(super) fn of(&self, nodes: &[String]) -> Vec<Option<Position>> {
        let place = |node: &String| self.at.iter().find(|(name, _)| name == node).map(|(_, at)| *at);
        nodes.iter().map(place).collect()
    }

    /// W09, if edges follow distance, with what can be done about it or what it means after all.
    pub(super) fn nearness(&self, graph: &MultiviewGraph) -> Option<Warning> {
        let places: Option<Vec<Position>> = self.of(graph.nodes()).into_iter().collect();
        let found = Geometry::of(graph, &Positions::in_space(places?))?;
        let meaning = if self.has_csd {
            "Current source density takes out most of what spreads through the head: this may be local connection, \
             or the reach of its own filter, and lengths cannot tell which"
        } else {
            "Potentials that spread through the head (volume conduction) look the same; `--csd` takes out most of that"
        };
        Some(Warning::new("W09", format!("{}. {meaning}", found.told(graph)?)))
    }
}
