//! A result folder of `learn` or `tune` read back: its graphs, and what it takes for alpha and beta to mean the same again.

use std::path::Path;
use std::sync::Arc;

use congraph::findings::Positions;
use congraph::signals::{DistanceNorm, SampleNorm, Scale, Scaling};
use congraph::{Code, DataError, Learner, Model, MultiviewGraph, Newton, Parameters, penalties, regularisers};
use congraph_io::{read_known, read_run};
use serde_json::Value;

use super::support;
use crate::failure::Failure;

/// A fit of an earlier run.
pub(super) struct FitFolder {
    pub(super) graph: MultiviewGraph,
    /// How it was learned; the solver is Newton's with the same tolerance, whichever it was.
    pub(super) learner: Learner,
    pub(super) distance_divisor: f64,
    /// Whether the folder tells which pairs could be joined, and at what cost.
    pub(super) tells_support: bool,
    /// Where its nodes are, if that is known.
    pub(super) positions: Option<Positions>,
}

impl FitFolder {
    /// Reads the tables and `summary.json`.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let (run, graph) = read_run(folder)?;
        let path = folder.join("summary.json");
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        let summary: Value = serde_json::from_str(&text).map_err(|error| unreadable(&path, &error.to_string()))?;
        if graph.consensus().is_none() {
            return Err(Failure::usage(
                format!(
                    "`{}` has no consensus: its views were learned on their own",
                    folder.display()
                ),
                "learn several views together, without `--single` and by the method `congraph`",
            ));
        }
        let lacking = || unreadable(&path, "it lacks the parameters of a fit");
        let mut learner = learner(&summary).ok_or_else(lacking)?;
        let distance_divisor = summary["distance_divisor"].as_f64().ok_or_else(lacking)?;
        let told = support::read_back(folder, &summary, graph.nodes())?;
        let tells_support = told.is_some();
        (learner.support, learner.edge_costs) = told.unwrap_or_default();
        let positions = read_known(folder, &graph)?.positions;
        run.check_again()?;
        Ok(Self {
            graph,
            learner,
            distance_divisor,
            tells_support,
            positions,
        })
    }
}

fn learner(summary: &Value) -> Option<Learner> {
    let number = |key: &str| summary[key].as_f64();
    let model = Model {
        parameters: Parameters {
            alpha: number("alpha")?,
            beta: number("beta")?,
            gamma: number("gamma")?,
        },
        penalty: penalties::by_name(summary["penalty"].as_str()?)?,
        regulariser: regularisers::by_name(summary["regulariser"].as_str()?)?,
    };
    let scaling = Scaling {
        scale: match summary["scale"].as_str()? {
            "zscore" => Scale::Zscore,
            "center" => Scale::Center,
            "none" => Scale::None,
            _ => return None,
        },
        sample_norm: match summary["sample_norm"].as_str()? {
            "mean" => SampleNorm::Mean,
            "sum" => SampleNorm::Sum,
            _ => return None,
        },
        distance_norm: match summary["distance_norm"].as_str()? {
            "max" => DistanceNorm::Max,
            "none" => DistanceNorm::None,
            _ => return None,
        },
    };
    let usual = Newton::default();
    let newton = Newton {
        tolerance: number("tolerance").unwrap_or(usual.tolerance),
        ..usual
    };
    Some(Learner {
        scaling,
        model,
        solver: Arc::new(newton),
        ..Learner::default()
    })
}

fn unreadable(path: &Path, reason: &str) -> Failure {
    Failure::Data(vec![DataError::new(
        Code::E07,
        format!("`{}` cannot be used: {reason}", path.display()),
        "alpha, beta and the scale of the distances are read from it, so that they mean what they meant in the fit",
        "give a folder that `congraph learn` or `congraph tune` wrote, as it was written",
    )])
}
