//! What a record is made of.

use std::time::Duration;

use congraph::Warning;
use congraph::methods::likelihood::Signs;
use congraph::tune::Tried;
use congraph::tune::choice::Chosen;
use congraph::tune::stability::Rule;
use serde::{Deserialize, Serialize};

use super::told;
use crate::choices::{Choice, TuneRule};

/// DensityRecord.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DensityRecord {
    /// What the parameters were found for; `null` if they were given.
    pub target: Option<f64>,
    /// What the views have on average.
    pub views: Option<f64>,
    /// The same of negative entries of precision matrices alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views_negative: Option<f64>,
    /// What the consensus has; `null` without one.
    pub consensus: Option<f64>,
    /// What the consensus's was found for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consensus_target: Option<f64>,
}

impl DensityRecord {
    /// Whether nothing is told of them, as of a projection.
    pub(super) fn is_untold(&self) -> bool {
        *self == Self::default()
    }
}

/// SimilarityRecord.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SimilarityRecord {
    /// What the parameters were found for; `null` if they were given.
    pub target: Option<f64>,
    /// The mean correlation between views; `null` of one view.
    #[serde(deserialize_with = "told")]
    pub value: Option<Option<f64>>,
    /// What separately learned views have; `null` if they were not learned.
    pub floor: Option<f64>,
}

impl SimilarityRecord {
    /// Whether nothing is told of them, as of a projection.
    pub(super) fn is_untold(&self) -> bool {
        *self == Self::default()
    }
}

/// What chance alone would give, in standard deviations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChanceRecord {
    /// How far the correlations between nodes are beyond it; `null` where that cannot be told.
    pub correlations: Option<f64>,
    /// How far the agreement of the views is beyond it; `null` where it was not looked at.
    pub agreement: Option<f64>,
}

/// How long things took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Reading the data.
    pub read: Duration,
    /// The distances, or covariances.
    pub distances: Duration,
    /// Solving.
    pub solve: Duration,
    /// Everything.
    pub total: Duration,
}

/// The same in seconds, as a record tells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SecondsRecord {
    /// The distances, or covariances.
    pub distances: Option<f64>,
    /// Solving.
    pub solve: Option<f64>,
    /// Everything.
    pub total: Option<f64>,
}

impl SecondsRecord {
    /// Whether nothing is told of them.
    pub(super) fn is_untold(&self) -> bool {
        *self == Self::default()
    }
}

impl From<&Timing> for SecondsRecord {
    fn from(timing: &Timing) -> Self {
        Self {
            distances: Some(timing.distances.as_secs_f64()),
            solve: Some(timing.solve.as_secs_f64()),
            total: Some(timing.total.as_secs_f64()),
        }
    }
}

/// A likelihood that was compared with others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TriedRecord {
    /// How often the filter is applied.
    pub filter: usize,
    /// Whether edges may be negative.
    pub signed: bool,
    /// b; `null` of views on their own.
    pub beta: Option<f64>,
    /// Akaike's information criterion.
    pub aic: Option<f64>,
    /// The relative gap of the fit; `null` if nothing certifies it.
    pub relative_gap: Option<f64>,
    /// Whether it is within the tolerance: only such fits count.
    pub certified: bool,
}

impl From<&Tried> for TriedRecord {
    fn from(tried: &Tried) -> Self {
        Self {
            filter: tried.filter.order(),
            signed: tried.signs == Signs::Both,
            beta: tried.coupling,
            aic: Some(tried.aic).filter(|aic| aic.is_finite()),
            relative_gap: Some(tried.relative_gap).filter(|gap| gap.is_finite()),
            certified: tried.is_certified,
        }
    }
}

/// Something the user was warned of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WarningRecord {
    /// Its code.
    pub code: String,
    /// The view it is about; `null` if it is about all or several.
    pub view: Option<String>,
    /// What is said.
    pub message: String,
    /// The views it is about, if it is about several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<String>,
}

impl From<&Warning> for WarningRecord {
    fn from(warning: &Warning) -> Self {
        Self {
            code: warning.code.into(),
            view: warning.view.clone(),
            message: warning.message.clone(),
            views: warning.views.clone(),
        }
    }
}

/// Warnings as a record tells them.
pub fn warning_records(warnings: &[Warning]) -> Vec<WarningRecord> {
    warnings.iter().map(WarningRecord::from).collect()
}

/// The consensus that new views were projected on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FrozenConsensus {
    /// How many edges it has.
    pub n_edges: usize,
    /// Its density.
    pub density: Option<f64>,
    /// How far the views of its fit are from it, the nearest first, if that is told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uniqueness: Vec<f64>,
}

/// A view that was projected on a consensus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectedView {
    /// The objective.
    pub objective: Option<f64>,
    /// Its lower bound.
    pub dual_objective: Option<f64>,
    /// The relative gap between them.
    pub relative_gap: Option<f64>,
    /// Whether that is within the tolerance.
    pub converged: bool,
    /// How many iterations the solver took.
    pub iterations: usize,
    /// Its density.
    pub density: Option<f64>,
    /// How far it is from the consensus, from 0 to 1.
    pub uniqueness: Option<f64>,
    /// How many edges both have.
    pub n_shared: usize,
    /// How many it alone has.
    pub n_added: usize,
    /// How many the consensus alone has.
    pub n_lacking: usize,
    /// How many of the consensus it lacks a node of, if it lacks any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_unmeasured: Option<usize>,
    /// The nodes it lacks, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
}

/// What views are and how many recordings they were made from; `null` where all were taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordingCounts {
    /// What recordings were grouped by.
    pub views_by: Option<Vec<String>>,
    /// The sessions that were chosen.
    pub session: Option<Vec<String>>,
    /// The tasks that were chosen.
    pub task: Option<Vec<String>>,
    /// The acquisitions that were chosen.
    pub acquisition: Option<Vec<String>>,
    /// The runs that were chosen.
    pub run: Option<Vec<String>>,
    /// How many recordings were used.
    pub n_recordings: usize,
    /// How many were left out.
    pub n_dropped: usize,
}

/// How a path was chosen from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TuneRecord {
    /// By what one was chosen: `likelihood` or `stability`; none of earlier versions, which knew the latter only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How many fits the path has.
    pub cells: usize,
    /// How often the data were halved.
    pub halvings: usize,
    /// By likelihood, the share of the best gain that the choice keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<f64>,
    /// By likelihood, how much likelier the other half of the data is on the chosen graphs than on none: nats per node
    /// and sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// By likelihood, the fit with the highest gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<LikeliestCell>,
    /// By stability, the most instability that a choice may have.
    pub threshold: Option<f64>,
    /// By stability, whether the choice is within it; if not, nothing was.
    pub is_within: Option<bool>,
    /// The chance that two halves disagree on a pair, at the choice.
    pub instability: Option<f64>,
    /// How much the edges of halves agree there, beyond chance.
    pub agreement: Option<f64>,
    /// How well halves predict each other there.
    pub prediction: Option<f64>,
    /// The F1 of its views, if the truth is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_f1: Option<f64>,
    /// The fit that is nearest to the truth, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oracle: Option<BestCell>,
}

/// The fit of a path on whose graphs held-out samples are likeliest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LikeliestCell {
    /// Its gain.
    pub gain: Option<f64>,
    /// The density asked for.
    pub density: Option<f64>,
    /// The similarity asked for.
    pub similarity: Option<f64>,
}

/// The fit of a path that is nearest to the truth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BestCell {
    /// The F1 of its views.
    pub view_f1: Option<f64>,
    /// The density asked for.
    pub density: Option<f64>,
    /// The similarity asked for.
    pub similarity: Option<f64>,
}

impl TuneRecord {
    /// What is told of a choice. `scores` are the F1 of the views of each fit, or empty; `best` is the fit with the
    /// highest.
    pub fn of(chosen: &Chosen, threshold: f64, scores: &[f64], best: Option<usize>) -> Self {
        let verdict = &chosen.verdicts[chosen.cell];
        let best = best.map(|best| {
            let cell = &chosen.steps.cells[best];
            BestCell {
                view_f1: scores.get(best).copied(),
                density: Some(cell.density.target),
                similarity: Some(cell.similarity.target),
            }
        });
        let (rule, keep) = match chosen.rule {
            Rule::Likelihood { keep } => (TuneRule::Likelihood, Some(keep)),
            Rule::Stability => (TuneRule::Stability, None),
        };
        let threshold = (rule == TuneRule::Stability).then_some(threshold);
        let likeliest = chosen.best.map(|best| {
            let cell = &chosen.steps.cells[best];
            LikeliestCell {
                gain: chosen.verdicts[best].gain,
                density: Some(cell.density.target),
                similarity: Some(cell.similarity.target),
            }
        });
        Self {
            rule: Some(rule.word().into()),
            cells: chosen.steps.cells.len(),
            halvings: chosen.steps.halvings,
            keep,
            gain: verdict.gain,
            best: likeliest,
            threshold,
            is_within: threshold.map(|threshold| verdict.bound <= threshold),
            instability: Some(verdict.instability),
            agreement: Some(verdict.agreement),
            prediction: Some(verdict.prediction),
            view_f1: best.as_ref().and(scores.get(chosen.cell).copied()),
            oracle: best,
        }
    }
}
