//! A result folder of `learn` or `tune` read back: its graphs, and what it takes for alpha and beta to mean the same
//! again.

use std::path::Path;

use congraph::{Code, DataError, Projector};
use congraph_io::{read_known, read_run};
use congraph_record::FitRecord;
use congraph_record::findings::Positions;

use super::candidates;
use crate::failure::Failure;

/// A fit of an earlier run.
pub(super) struct FitFolder {
    /// Its consensus, and how it was learned; the solver is Newton's with the same tolerance, whichever it was.
    pub(super) projector: Projector,
    /// Whether the folder tells which pairs could be joined, and at what cost.
    pub(super) tells_candidates: bool,
    /// Where its nodes are, if that is known.
    pub(super) positions: Option<Positions>,
    /// How far its views are from the consensus.
    pub(super) uniqueness: Vec<f64>,
}

impl FitFolder {
    /// Reads the tables and `summary.json`.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let (run, graph) = read_run(folder)?;
        let path = folder.join("summary.json");
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        let summary: FitRecord = serde_json::from_str(&text).map_err(|error| unreadable(&path, &error.to_string()))?;
        if graph.consensus().is_none() {
            return Err(Failure::usage(
                format!(
                    "`{}` has no consensus: its views were learned on their own",
                    folder.display()
                ),
                "learn several views together, without `--single` and by the method `smooth` or `likelihood`",
            ));
        }
        let lacking = || unreadable(&path, "it lacks the parameters of a fit");
        let told = candidates::read_back(folder, &summary, graph.nodes())?;
        let tells_candidates = told.is_some();
        let (candidates, edge_costs) = told.unwrap_or_default();
        let mut projector = match summary.likelihood() {
            Some((method, details)) => Projector::of_likelihood(&graph, &method, &details)?,
            None => {
                let (method, distance_divisor) = summary.smooth().ok_or_else(lacking)?;
                Projector::new(&graph, &method, distance_divisor)?
            }
        };
        (projector.candidates, projector.edge_costs) = (candidates, edge_costs);
        let positions = read_known(folder, &graph)?.positions;
        run.check_again()?;
        Ok(Self {
            projector,
            tells_candidates,
            positions,
            uniqueness: (0..graph.n_views()).filter_map(|view| graph.uniqueness(view)).collect(),
        })
    }
}

fn unreadable(path: &Path, reason: &str) -> Failure {
    Failure::Data(vec![DataError::new(
        Code::E07,
        format!("`{}` cannot be used: {reason}", path.display()),
        "alpha, beta and the scale of the distances are read from it, so that they mean what they meant in the fit",
        "give a folder that `congraph learn` or `congraph tune` wrote, as it was written",
    )])
}
