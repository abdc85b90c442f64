//! How close to optimal.

use congraph_record::findings::Findings;
use serde::Serialize;

use super::Figure;
use crate::drawings::gap;
use crate::words::significant;

/// How close to optimal.
#[derive(Serialize)]
pub(in crate::page) struct Convergence {
    figure: Option<Figure>,
    rows: Vec<(&'static str, String)>,
}

impl Convergence {
    pub(in crate::page) fn new(findings: &Findings) -> Self {
        let Some(summary) = &findings.known.summary else {
            return Self {
                figure: None,
                rows: Vec::new(),
            };
        };
        let converged = summary.converged.unwrap_or(false);
        let figure = summary.relative_gap.map(|value| Figure {
            name: "gap",
            headline: if converged {
                "Converged, with proof"
            } else if !value.is_finite() {
                "Not certified: no lower bound was found"
            } else {
                "Not converged"
            }
            .into(),
            svg: gap::draw(value, converged),
            caption: "No graph can have an objective below the lower bound; the gap between them is the most that \
                could still be gained."
                .into(),
        });
        let number = |value: Option<f64>| {
            value
                .filter(|value| value.is_finite())
                .map(|value| format!("{value:.10}"))
        };
        let rows = [
            ("Objective", number(summary.objective)),
            ("Lower bound", number(summary.dual_objective)),
            ("Solver", summary.solver.clone()),
            ("Iterations", summary.iterations.map(|n| n.to_string())),
            ("Seconds, all in all", summary.seconds.total.map(significant)),
        ];
        Self {
            figure,
            rows: rows
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
        }
    }
}
