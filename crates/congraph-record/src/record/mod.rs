//! What was found: `summary.json` and `run.json`, each written and read by one definition.
//!
//! ```text
//! parts        what a record is made of: densities, similarities, times, warnings
//! fit          the record of a fit and of a joint graphical lasso
//! likelihood   the record of a likelihood
//! compare      the record of a comparison of groups: compare.json
//! projection   the record of new views against a frozen consensus
//! again        the method of a fit, from its record
//! run          what it takes to run the same again
//! stability    how sure the edges of a fit are
//! named        what is told of several things by their names
//! ```
//!
//! Keys are written in the order of the fields. A field that is `None` is left out, and where `null` is a key's own
//! answer (there is no target, no cost) the field says so. Readers take whatever is there: results of earlier versions
//! tell less.

mod again;
mod compare;
mod fit;
mod likelihood;
mod named;
mod parts;
mod projection;
mod run;
mod stability;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::choices::{Choice, Method};

pub use again::AgainMethod;
pub use compare::{COMPARE_SCHEMA, CompareRecord, FoundRecord, GroupRecord, NullRecord, group_letter};
pub use named::Named;
pub use parts::{
    BestCell, ChanceRecord, DensityRecord, FrozenConsensus, LikeliestCell, ProjectedView, RecordingCounts,
    SecondsRecord, SimilarityRecord, Timing, TriedRecord, TuneRecord, WarningRecord, warning_records,
};
pub use run::{InputRecord, RunRecord, RunSeconds};
pub use stability::{
    BoundRecord, BoundsRecord, CalibrationRecord, CurveRecord, DirectRecord, EDGE_COLUMNS, FingerprintRecord,
    RecognitionRecord, STABILITY_SCHEMA, StabilityColumns, StabilityRecord, VIEW_COLUMNS, direct_units, n_frequent,
};

/// The schema of the record of a fit.
pub const SUMMARY_SCHEMA: &str = "congraph.summary/1";
/// The schema of the record of a projection.
pub const PROJECTION_SCHEMA: &str = "congraph.projection/1";
/// The table of the pairs that a fit could join, in its folder.
pub const CANDIDATES_TABLE: &str = "candidates.tsv";
/// The table of the costs that a fit charged, in its folder.
pub const EDGE_COSTS_TABLE: &str = "edge_costs.tsv";

/// By what an exponent of the spectrum is chosen.
pub const SPECTRUM_BY: &str = "held-out likelihood";

/// How graphs were learned, and what came of it: `summary.json`. Any of it may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitRecord {
    /// What kind of record it is: [`SUMMARY_SCHEMA`] or [`PROJECTION_SCHEMA`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The fit whose consensus new views were projected on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<String>,
    /// How many nodes there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_nodes: Option<usize>,
    /// How many views there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_views: Option<usize>,
    /// The method, where it is not congraph's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The penalty c.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<String>,
    /// The regulariser r.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regulariser: Option<String>,
    /// How often the filter of the likelihood is applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<usize>,
    /// Whether pairs have negative edges, too; told if they have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed: Option<bool>,
    /// The solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// α.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// β; of the likelihood b, which is β in units of 1/√samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// γ; of the likelihood in units of β.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// λ1 of a joint graphical lasso.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda1: Option<f64>,
    /// λ2 of a joint graphical lasso.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda2: Option<f64>,
    /// Whether its fused coupling has the diagonal in it; `null` of the group coupling.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "told")]
    pub fused_diagonal: Option<Option<bool>>,
    /// How nodes were scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
    /// Whether costs are means or sums over samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_norm: Option<String>,
    /// Whether distances were divided by the largest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_norm: Option<String>,
    /// What they were divided by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_divisor: Option<f64>,
    /// Whether a direction that the data lack was put back, for the likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifted: Option<bool>,
    /// The mean number of independent samples of a view, for the likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_samples: Option<f64>,
    /// Weights of the likelihood above this are edges; `null` if none is.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "or_infinite")]
    pub threshold: Option<f64>,
    /// The density of the weights above it, before the last fit of the likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_density: Option<f64>,
    /// Akaike's information criterion of the likelihood, before the threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aic: Option<f64>,
    /// How many distinct weights that charges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_parameters: Option<usize>,
    /// What that criterion chose: `filter`, `beta`, `signed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<Vec<String>>,
    /// Nodes that the likelihood learned as one: by the name of the one that stands for them, the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<Named<Vec<String>>>,
    /// The likelihoods that were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<Vec<TriedRecord>>,
    /// To which power the singular values of every view were taken, if not 1 or if it was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spectrum: Option<f64>,
    /// By what that was chosen, if the user left it to the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spectrum_by: Option<String>,
    /// The relative gap at which the result counts as converged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// The objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<f64>,
    /// Its lower bound; `null` if there is none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "or_unbounded")]
    pub dual_objective: Option<f64>,
    /// The relative gap between them; of several projections the largest; `null` if nothing certifies it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "or_infinite")]
    pub relative_gap: Option<f64>,
    /// Whether there is such a gap, of the likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certified: Option<bool>,
    /// Whether that is within the tolerance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converged: Option<bool>,
    /// How many iterations the solver took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// How many parts the problem of a joint graphical lasso fell into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<usize>,
    /// Which entries of precision matrices are edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_rule: Option<String>,
    /// The consensus that was projected on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consensus: Option<FrozenConsensus>,
    /// Every view that was projected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<Named<ProjectedView>>,
    /// Density.
    #[serde(skip_serializing_if = "DensityRecord::is_untold")]
    pub density: DensityRecord,
    /// Similarity.
    #[serde(skip_serializing_if = "SimilarityRecord::is_untold")]
    pub similarity: SimilarityRecord,
    /// What chance alone would give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<ChanceRecord>,
    /// How long it took.
    #[serde(skip_serializing_if = "SecondsRecord::is_untold")]
    pub seconds: SecondsRecord,
    /// What the user was warned of.
    pub warnings: Vec<WarningRecord>,
    /// How many fits it took to reach the targets, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solves: Option<usize>,
    /// How views are coupled, if not each to the consensus: by `subjects`, along a `chain`, in pairs (`pairwise`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coupling: Option<String>,
    /// ρ = β₂/(C β₁) of views of subjects: 1 is one level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_share: Option<f64>,
    /// The subject of each view, where the coupling knew it: tests must keep these labels as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Named<String>>,
    /// The nodes that views lack, of those that lack any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Named<Vec<String>>>,
    /// Which pairs could be joined: `all`, `knn:K` or the table of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<String>,
    /// The seed of the approximate search for nearest neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates_seed: Option<u64>,
    /// The table of costs that were added to distances; `null` if there are none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "told")]
    pub edge_costs: Option<Option<String>>,
    /// For how many pairs costs were added to the distances, if for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_edge_costs: Option<usize>,
    /// How many pairs could be joined, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_candidates: Option<usize>,
    /// How many pairs outside of them would have been joined, if that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates_outside: Option<usize>,
    /// What views are, if they were made from recordings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recordings: Option<RecordingCounts>,
    /// How a path was chosen from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tune: Option<TuneRecord>,
    /// What the request told of options that have no field here, and what later versions tell.
    #[serde(flatten)]
    pub echo: Map<String, Value>,
    /// The run's own number, when its files are sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The SHA-256 of the names of the nodes, one per line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_names: Option<String>,
    /// The SHA-256 of every file that the run wrote, apart from this one and the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Named<String>>,
}

impl FitRecord {
    /// Whether the user was warned of this.
    pub fn has_warning(&self, code: &str) -> bool {
        self.warnings.iter().any(|warning| warning.code == code)
    }

    /// Whether it is about new views against the consensus of an earlier fit.
    pub fn is_projection(&self) -> bool {
        let schema = self.schema.as_deref();
        schema.is_some_and(|schema| schema.starts_with("congraph.projection"))
    }

    /// The subject that a two-level fit gave each of these views; none if it knew none, or not of all.
    pub fn subjects_of(&self, views: &[String]) -> Option<Vec<String>> {
        let subjects = self.subjects.as_ref()?;
        views.iter().map(|view| subjects.get(view).cloned()).collect()
    }

    /// Whether it is about graphs that make signals likely.
    pub fn is_likelihood(&self) -> bool {
        self.method.as_deref() == Some(Method::Likelihood.word())
    }

    /// Whether it is about precision matrices.
    pub fn is_joint(&self) -> bool {
        let method = self.method.as_deref().and_then(Method::of_word);
        method.is_some_and(|method| method.fusion().is_some())
    }

    /// In one line of JSON.
    pub fn to_json(&self) -> String {
        // Text keys and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A number that is there, `null` if it is infinite: JSON has no word for that.
fn or_infinite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY)))
}

/// The same of a bound from below.
fn or_unbounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or(f64::NEG_INFINITY)))
}

/// A key that is there, though it may be `null`.
fn told<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}
