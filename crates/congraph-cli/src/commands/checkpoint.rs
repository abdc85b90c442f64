//! What a long command has done so far, in one file beside the output folder: written whole after every step, removed at the end.

use std::io::Write;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use congraph::Parameters;
use congraph::tuning::Reach;
use congraph::tuning::path::Cell;
use congraph::tuning::stability::Tally;
use congraph_io::OutputError;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::interrupt;
use crate::paper;

/// Work that can be kept.
pub(super) trait Resumable: Sized {
    /// The command that it is of.
    const COMMAND: &'static str;

    fn to_json(&self) -> Value;

    /// None if that is not what was written.
    fn from_json(value: &Value) -> Option<Self>;
}

/// The work of `tune` so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Work {
    /// How many densities are done.
    pub(super) rows: usize,
    pub(super) cells: Vec<Cell>,
    /// Each cell's heaviest shared edges, with their weights, for the report.
    pub(super) shared: Vec<Vec<([u32; 2], f64)>>,
    /// The F1 of views and consensus of each cell, if the truth is known.
    pub(super) scores: Vec<[f64; 2]>,
    /// How many halvings are done.
    pub(super) halvings: usize,
    pub(super) tallies: Vec<Tally>,
}

/// A checkpoint that belongs to one command on one set of data.
pub(super) struct Checkpoint<W> {
    path: PathBuf,
    key: Value,
    work: PhantomData<fn(W)>,
}

impl<W: Resumable> Checkpoint<W> {
    /// The checkpoint of the output folder `out`; `key` tells what it must have been made from.
    pub(super) fn new(out: &Path, key: Value) -> Self {
        let mut name = out.file_name().unwrap_or(out.as_os_str()).to_os_string();
        name.push(format!(".{}-checkpoint.json", W::COMMAND));
        Self {
            path: out.with_file_name(name),
            key,
            work: PhantomData,
        }
    }

    fn schema() -> String {
        format!("congraph.{}-checkpoint/1", W::COMMAND)
    }

    /// What an earlier run left; none if there is no checkpoint.
    pub(super) fn read(&self) -> Result<Option<W>, Failure> {
        let Ok(text) = std::fs::read_to_string(&self.path) else {
            return Ok(None);
        };
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        if value["schema"] != Self::schema() || value["key"] != self.key {
            return Err(Failure::usage(
                format!("the checkpoint `{}` is of other data or options", self.path.display()),
                "repeat the command that was interrupted, or leave out `--resume` to start anew",
            ));
        }
        match W::from_json(&value["work"]) {
            Some(work) => Ok(Some(work)),
            None => Err(Failure::usage(
                format!("the checkpoint `{}` is damaged", self.path.display()),
                "leave out `--resume` to start anew",
            )),
        }
    }

    /// Writes the work so far; from now on an interruption says that it is kept.
    pub(super) fn write(&self, work: &W) -> Result<(), Failure> {
        let text = json!({"schema": Self::schema(), "key": self.key, "work": work.to_json()}).to_string();
        let failed = |source| OutputError::Io {
            path: self.path.clone(),
            source,
        };
        interrupt::kept_in(&self.path);
        interrupt::uninterrupted(|| -> Result<(), Failure> {
            let place = match self.path.parent() {
                Some(parent) if parent != Path::new("") => parent,
                _ => Path::new("."),
            };
            std::fs::create_dir_all(place).map_err(failed)?;
            let mut beside = tempfile::NamedTempFile::new_in(place).map_err(failed)?;
            beside.write_all(text.as_bytes()).map_err(failed)?;
            beside.persist(&self.path).map_err(|error| failed(error.error))?;
            Ok(())
        })
    }

    /// Removes it: the result is in place.
    pub(super) fn remove(&self) {
        // Should it stay, it does no harm: only --resume reads it.
        let _ = std::fs::remove_file(&self.path);
    }
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
            json!({"prediction": tally.prediction, "counts": counts})
        };
        json!({
            "rows": self.rows,
            "cells": self.cells.iter().map(cell).collect::<Vec<_>>(),
            "shared": self.shared,
            "scores": self.scores,
            "halvings": self.halvings,
            "tallies": self.tallies.iter().map(tally).collect::<Vec<_>>(),
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let whole = |value: &Value| value.as_u64().map(|number| number as usize);
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
                prediction: value["prediction"].as_f64()?,
                counts: value["counts"].as_array()?.iter().map(count).collect::<Option<_>>()?,
            })
        };
        let score = |value: &Value| Some([value[0].as_f64()?, value[1].as_f64()?]);
        let edge = |value: &Value| {
            let end = |k: usize| value[0][k].as_u64().and_then(|number| u32::try_from(number).ok());
            Some(([end(0)?, end(1)?], value[1].as_f64()?))
        };
        let edges = |value: &Value| value.as_array()?.iter().map(edge).collect::<Option<Vec<_>>>();
        let work = Self {
            rows: whole(&value["rows"])?,
            cells: value["cells"].as_array()?.iter().map(cell).collect::<Option<_>>()?,
            shared: value["shared"].as_array()?.iter().map(edges).collect::<Option<_>>()?,
            scores: value["scores"].as_array()?.iter().map(score).collect::<Option<_>>()?,
            halvings: whole(&value["halvings"])?,
            tallies: value["tallies"].as_array()?.iter().map(tally).collect::<Option<_>>()?,
        };
        let fits = work.tallies.len()
            == if work.halvings > 0 {
                work.cells.len()
            } else {
                work.tallies.len()
            };
        let fits = fits && work.shared.len() == work.cells.len();
        (fits && (work.scores.is_empty() || work.scores.len() == work.cells.len())).then_some(work)
    }
}

impl Resumable for paper::work::Work {
    const COMMAND: &'static str = "paper";

    fn to_json(&self) -> Value {
        paper::work::Work::to_json(self)
    }

    fn from_json(value: &Value) -> Option<Self> {
        paper::work::Work::from_json(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
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
        };
        let before = Work {
            rows: 1,
            cells: vec![cell],
            shared: vec![vec![([0, 2], 1.0 / 3.0)]],
            scores: vec![[0.5, 1.0 / 3.0]],
            halvings: 2,
            tallies: vec![tally],
        };
        let place = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint::<Work>::new(&place.path().join("out"), json!({"seed": 1}));
        assert_eq!(checkpoint.read().unwrap(), None);
        checkpoint.write(&before).unwrap();
        assert_eq!(checkpoint.read().unwrap(), Some(before));
        let other = Checkpoint::<Work>::new(&place.path().join("out"), json!({"seed": 2}));
        assert!(other.read().is_err());
        std::fs::write(&checkpoint.path, "{").unwrap();
        assert!(checkpoint.read().is_err());
        checkpoint.remove();
        assert_eq!(checkpoint.read().unwrap(), None);
    }
}
