//! Where nodes are, if that is known, and whether edges follow it (W09).

use std::path::{Path, PathBuf};

use congraph::{MultiviewGraph, Warning, list_names};
use congraph_eeg::Position;
use congraph_io::PlaceTable;
use congraph_record::findings::{Geometry, Positions};

use crate::failure::Failure;

/// Where nodes are, from a table that `--positions` names.
pub(super) struct NodeMap {
    path: PathBuf,
    table: PlaceTable,
}

impl NodeMap {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        Ok(Self {
            path: path.to_owned(),
            table: congraph_io::read_place_table(path)?,
        })
    }

    /// Every node must be placed: half a map would be drawn as none.
    pub(super) fn check(&self, nodes: &[String]) -> Result<(), Failure> {
        let absent: Vec<&String> = nodes.iter().filter(|node| self.table.of(node).is_none()).collect();
        if absent.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(
            format!(
                "--positions {} has no place for {} of {} nodes: {}",
                self.path.display(),
                absent.len(),
                nodes.len(),
                list_names(&absent)
            ),
            "give every node a row; names must agree to the letter",
        ))
    }

    /// The coordinates of nodes, and what they are called.
    pub(super) fn of(&self, nodes: &[String]) -> (&'static [&'static str], Vec<Option<Vec<f64>>>) {
        let places = nodes.iter().map(|node| self.table.of(node).map(<[f64]>::to_vec));
        (self.table.axes, places.collect())
    }

    /// W09, if edges follow distance.
    pub(super) fn nearness(&self, graph: &MultiviewGraph) -> Option<Warning> {
        let (axes, places) = self.of(graph.nodes());
        let places: Vec<Vec<f64>> = places.into_iter().collect::<Option<_>>()?;
        let flat = || places.iter().map(|at| [at[0], at[1]]).collect();
        let positions = match axes {
            ["lon", "lat"] => Positions::Globe(flat()),
            [_, _] => Positions::Plane(flat()),
            _ => Positions::in_space(places.iter().map(|at| [at[0], at[1], at[2]]).collect()),
        };
        Geometry::of(graph, &positions)?.warning(graph)
    }
}

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
