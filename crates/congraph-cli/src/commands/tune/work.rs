//! The work of `tune` so far, as its checkpoint keeps it.

use std::time::Duration;

use congraph::tune::Reach;
use congraph::tune::path::Cell;
use congraph::tune::stability::Tally;
use congraph::{Parameters, is_edge};
use serde_json::{Value, json};

use crate::checkpoint::Resumable;

/// The work of `tune` so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Work {
    /// How many cells are of rounds that are done: those of the grid first, then those beyond its ends.
    pub(super) settled: usize,
    /// How many densities of this round are done.
    pub(super) rows: usize,
    pub(super) cells: Vec<Cell>,
    /// Each cell's heaviest edges of the consensus, with their weights, for the report.
    pub(super) consensus: Vec<Vec<([u32; 2], f64)>>,
    /// The F1 of views and consensus of each cell, if the truth is known.
    pub(super) scores: Vec<[f64; 2]>,
    /// How many halvings of this round are done.
    pub(super) halvings: usize,
    pub(super) tallies: Vec<Tally>,
}

impl Resumable for Work {
    const COMMAND: &'static str = "tune";

    fn to_json(&self) -> Value {
        let reach = |reach: &Reach| json!([reach.target, reach.value]);
        let cell = |cell: &Cell| {
            let Parameters { alpha, beta, gamma } = cell.parameters;
            json!({
                "density": reach(&cell.density), "similarity": reach(&cell.similarity), "floor": cell.floor,
                "separate_alpha": cell.separate_alpha, "alpha": alpha, "beta": beta, "gamma": gamma,
                "consensus_density": cell.consensus_density, "n_components": cell.n_components,
                "solves": cell.solves, "seconds": cell.time.as_secs_f64(),
            })
        };
        let tally = |tally: &Tally| {
            let mut counts: Vec<[u32; 3]> = tally.counts.iter().map(|(&[a, b], &n)| [a, b, n]).collect();
            counts.sort_unstable();
            json!({"prediction": tally.prediction, "gain": tally.gain, "counts": counts})
        };
        json!({
            "settled": self.settled,
            "rows": self.rows,
            "cells": self.cells.iter().map(cell).collect::<Vec<_>>(),
            "shared": self.consensus,
            "scores": self.scores,
            "halvings": self.halvings,
            "tallies": self.tallies.iter().map(tally).collect::<Vec<_>>(),
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let whole = |value: &Value| usize::try_from(value.as_u64()?).ok();
        // JSON knows no NaN: it is written as null.
        let perhaps = |value: &Value| {
            if value.is_null() {
                Some(f64::NAN)
            } else {
                value.as_f64()
            }
        };
        let reach = |value: &Value| {
            Some(Reach {
                target: value[0].as_f64()?,
                value: value[1].as_f64()?,
            })
        };
        let cell = |value: &Value| {
            Some(Cell {
                density: reach(&value["density"])?,
                similarity: reach(&value["similarity"])?,
                floor: value["floor"].as_f64()?,
                separate_alpha: value["separate_alpha"].as_f64()?,
                parameters: Parameters {
                    alpha: value["alpha"].as_f64()?,
                    beta: value["beta"].as_f64()?,
                    gamma: value["gamma"].as_f64()?,
                },
                consensus_density: value["consensus_density"].as_f64()?,
                n_components: whole(&value["n_components"])?,
                solves: whole(&value["solves"])?,
                time: Duration::try_from_secs_f64(value["seconds"].as_f64()?).ok()?,
            })
        };
        let count = |value: &Value| {
            let number = |k: usize| value[k].as_u64().and_then(|number| u32::try_from(number).ok());
            Some(([number(0)?, number(1)?], number(2)?))
        };
        let tally = |value: &Value| {
            Some(Tally {
                prediction: perhaps(&value["prediction"])?,
                gain: perhaps(&value["gain"])?,
                counts: value["counts"].as_array()?.iter().map(count).collect::<Option<_>>()?,
            })
        };
        let score = |value: &Value| Some([value.get(0).and_then(perhaps)?, value.get(1).and_then(perhaps)?]);
        let edge = |value: &Value| {
            let end = |k: usize| value[0][k].as_u64().and_then(|number| u32::try_from(number).ok());
            Some(([end(0)?, end(1)?], value[1].as_f64()?))
        };
        let edges = |value: &Value| value.as_array()?.iter().map(edge).collect::<Option<Vec<_>>>();
        let work = Self {
            settled: whole(&value["settled"])?,
            rows: whole(&value["rows"])?,
            cells: value["cells"].as_array()?.iter().map(cell).collect::<Option<_>>()?,
            consensus: value["shared"].as_array()?.iter().map(edges).collect::<Option<_>>()?,
            scores: value["scores"].as_array()?.iter().map(score).collect::<Option<_>>()?,
            halvings: whole(&value["halvings"])?,
            tallies: value["tallies"].as_array()?.iter().map(tally).collect::<Option<_>>()?,
        };
        Some(work)
    }
}

impl Work {
    /// Whether this can be work on so many nodes, with a cell for so many densities and similarities at most, and so
    /// many halvings.
    pub(super) fn fits(&self, n_nodes: usize, n_densities: usize, n_similarities: usize, halvings: usize) -> bool {
        let n_cells = self.cells.len();
        let is_pair = |[a, b]: [u32; 2]| a < b && (b as usize) < n_nodes;
        let is_consensus =
            |edges: &Vec<([u32; 2], f64)>| edges.iter().all(|&(pair, weight)| is_pair(pair) && is_edge(weight));
        let is_tally = |tally: &Tally| {
            let counts = tally.counts.iter();
            counts.into_iter().all(|(&pair, &count)| {
                is_pair(pair) && count as usize <= 2 * if self.settled > 0 { halvings } else { self.halvings }
            })
        };
        // Beyond the ends of the grid there are as many rows as the choice asked for.
        let is_path = if self.settled == 0 {
            self.rows <= n_densities
                && n_cells <= self.rows * n_similarities
                && (self.halvings == 0 || self.rows == n_densities)
                && (self.tallies.len() == n_cells || (self.halvings == 0 && self.tallies.is_empty()))
        } else {
            self.settled <= n_cells
                && (self.tallies.len() == n_cells || (self.halvings == 0 && self.tallies.len() == self.settled))
        };
        is_path
            && self.consensus.len() == n_cells
            && (self.scores.is_empty() || self.scores.len() == n_cells)
            && self.halvings <= halvings
            && self.consensus.iter().all(is_consensus)
            && self.tallies.iter().all(is_tally)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use congraph_io::Folder;

    use super::*;
    use crate::checkpoint::{Checkpoint, refuse_existing};
    use crate::failure::Failure;

    /// The work of two densities on ten nodes: one cell, two halvings.
    fn some_work() -> Work {
        let reach = |value: f64| Reach {
            target: value,
            value: value / 3.0,
        };
        let cell = Cell {
            density: reach(0.1),
            similarity: reach(0.8),
            floor: 0.1 + 0.2,
            separate_alpha: 1e-7 / 3.0,
            parameters: Parameters {
                alpha: 2.0 / 3.0,
                beta: 5e-324,
                gamma: 0.0,
            },
            consensus_density: 0.07,
            n_components: 2,
            solves: 5,
            time: Duration::from_millis(3),
        };
        let tally = Tally {
            counts: [([3, 9], 2), ([0, 1], 4)].into(),
            prediction: std::f64::consts::PI,
            gain: 1.0 / 7.0,
        };
        Work {
            settled: 0,
            rows: 2,
            cells: vec![cell],
            consensus: vec![vec![([0, 2], 1.0 / 3.0)]],
            scores: vec![[0.5, 1.0 / 3.0]],
            halvings: 2,
            tallies: vec![tally],
        }
    }

    fn read(checkpoint: &Checkpoint<Work>) -> Result<Option<Work>, Failure> {
        checkpoint.read(|work| work.fits(10, 2, 3, 5))
    }

    /// A run that writes to a folder in `place`, and its checkpoint.
    fn run_in(place: &Path) -> (Folder, Checkpoint<Work>) {
        let out = place.join("out");
        let folder = Folder::create(&out, false).unwrap();
        let checkpoint = Checkpoint::new(&out, &folder, json!({"seed": 1}));
        (folder, checkpoint)
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let (place, before) = (tempfile::tempdir().unwrap(), some_work());
        let out = place.path().join("out");
        let (folder, checkpoint) = run_in(place.path());
        assert_eq!(read(&checkpoint).unwrap(), None);
        assert!(refuse_existing::<Work>(&out, false, false).is_ok());
        checkpoint.write(&before).unwrap();
        assert_eq!(read(&checkpoint).unwrap().as_ref(), Some(&before));
        let other = Checkpoint::<Work>::new(&out, &folder, json!({"seed": 2}));
        assert!(read(&other).is_err());
        assert!(refuse_existing::<Work>(&out, false, false).is_err());
        assert!(
            refuse_existing::<Work>(&out, true, false).is_ok() && refuse_existing::<Work>(&out, false, true).is_ok()
        );
        checkpoint.remove();
        assert_eq!(read(&checkpoint).unwrap(), None);
    }

    #[test]
    fn no_byte_can_be_another_without_being_noticed() {
        let place = tempfile::tempdir().unwrap();
        let (_folder, checkpoint) = run_in(place.path());
        checkpoint.write(&some_work()).unwrap();
        let bytes = std::fs::read(&checkpoint.path).unwrap();
        for at in 0..bytes.len() {
            for change in [1_u8, 2, 16, 128] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                std::fs::write(&checkpoint.path, changed).unwrap();
                assert!(read(&checkpoint).is_err(), "byte {at}, bits {change}");
            }
            std::fs::write(&checkpoint.path, &bytes[..at]).unwrap();
            assert!(read(&checkpoint).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn nodes_cells_and_halvings_that_there_are_not_are_refused_whoever_wrote_them() {
        let place = tempfile::tempdir().unwrap();
        let (_folder, checkpoint) = run_in(place.path());
        type Change = fn(&mut Work);
        let changes: [Change; 10] = [
            |work| work.settled = 2,
            |work| work.consensus[0][0].0[1] = 1_000_000_000,
            |work| work.consensus[0][0].0 = [2, 2],
            |work| work.tallies[0].counts = [([3, 10], 2)].into(),
            |work| work.tallies[0].counts = [([3, 9], 1000)].into(),
            |work| work.tallies.clear(),
            |work| work.rows = 3,
            |work| work.halvings = 6,
            |work| work.cells = vec![work.cells[0].clone(); 7],
            |work| work.scores = vec![[0.0; 2]; 2],
        ];
        for (k, change) in changes.iter().enumerate() {
            let mut work = some_work();
            change(&mut work);
            checkpoint.write(&work).unwrap();
            assert!(read(&checkpoint).is_err(), "change {k}");
        }
    }
}
