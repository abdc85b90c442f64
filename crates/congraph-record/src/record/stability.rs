//! `stability.json`: how sure the edges of a fit are, apart from the columns in its tables.

use congraph::stability::{Bound, Bounds, Curve, CurvePoint, EdgeFigures, EdgeStability, Fingerprint, Recognition};
use congraph::{MultiviewGraph, Views};
use serde::{Deserialize, Serialize};

use super::{Named, WarningRecord, warning_records};
use crate::choices::Choice;

/// The schema of the record.
pub const STABILITY_SCHEMA: &str = "congraph.stability/1";
/// What it adds to `edges.tsv`, as far as it can be told.
pub const EDGE_COLUMNS: [&str; 8] = [
    "frequency",
    "frequency_both",
    "replicates",
    "weight_se",
    "direct_z",
    "q_direct",
    "q_most",
    "n_views_at_least",
];
/// What it adds to `edges_long.tsv`, as far as it can be told.
pub const VIEW_COLUMNS: [&str; 6] = [
    "frequency",
    "replicates",
    "weight_se",
    "q_view",
    "difference_z",
    "q_difference",
];
const MEANING: &str = "frequency: the share of halves of the data that have the edge; replicates: the probability that \
                       it comes back in new data of the same views; neither is the probability that it is real";

/// What was halved, and what was found. Any of it may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StabilityRecord {
    /// What kind of record it is.
    pub schema: String,
    /// What its columns mean.
    pub meaning: String,
    /// What was halved: `blocks`, `samples` or `views`.
    pub units: String,
    /// How many units each view has; where views are the units, how many there are of them.
    pub n_units: Named<usize>,
    /// How many pairs of halves.
    pub pairs: usize,
    /// How many fits.
    pub fits: usize,
    /// The seed of the halves.
    pub seed: u64,
    /// How many independent samples each view's are worth; `null` where that is not known.
    pub effective_samples: Named<Option<f64>>,
    /// From frequencies to `replicates`; `null` where it could not be calibrated.
    pub calibration: CalibrationRecord,
    /// Chance picks of the halving among stable edges of the consensus.
    pub bounds: Option<BoundsRecord>,
    /// Whether views are recognised from one half in the other.
    pub fingerprint: Option<FingerprintRecord>,
    /// Columns that are not there, and why.
    pub absent: Named<String>,
    /// The version of the program.
    pub version: String,
    /// What the user should know.
    pub warnings: Vec<WarningRecord>,
    /// The run whose edges these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// The curves of the consensus and of the views.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CalibrationRecord {
    /// Of the consensus.
    pub consensus: Option<Vec<CurveRecord>>,
    /// Of the views.
    pub views: Option<Vec<CurveRecord>>,
}

/// One place of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurveRecord {
    /// The frequency in halves of a half.
    pub frequency: f64,
    /// How many edges had it.
    pub n_edges: u64,
    /// The share of them that came back in the other half.
    pub came_back: f64,
    /// The same, made increasing.
    pub replicates: f64,
}

/// How many chance picks there are at most, in expectation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoundsRecord {
    /// How many edges there could be.
    pub n_pairs: usize,
    /// How many the consensus of a half has on average.
    pub mean_selected: f64,
    /// Their share: a chance of at most this in a half makes an edge a chance pick.
    pub theta: f64,
    /// One row per threshold on the frequency.
    pub thresholds: Vec<BoundRecord>,
}

/// The bounds of one threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundRecord {
    /// The threshold.
    pub threshold: f64,
    /// How many edges of the consensus are at least this frequent.
    pub selected: usize,
    /// How many chance picks of the halving are among them at most (Shah and Samworth 2013).
    pub chance_picks: f64,
    /// The same by Meinshausen and Bühlmann (2010).
    pub meinshausen_buhlmann: f64,
}

/// How well views are recognised, by their weights and by what they deviate from the consensus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FingerprintRecord {
    /// By their weights.
    pub weights: RecognitionRecord,
    /// By their deviations.
    pub deviations: Option<RecognitionRecord>,
}

/// How well views are recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecognitionRecord {
    /// The share of views that are most like themselves.
    pub accuracy: f64,
    /// The mean correlation of a view with itself.
    pub i_self: f64,
    /// The mean correlation of a view with others.
    pub i_others: f64,
    /// The share that is recognised if names are exchanged at random.
    pub chance: f64,
    /// The share of such exchanges that recognise as many.
    pub p: f64,
}

impl StabilityRecord {
    /// What is told of edges, of data and of how they were halved.
    pub fn of(found: &EdgeStability, views: &Views, fits: usize, seed: u64) -> Self {
        let names = views.names();
        let n_units = match found.n_units.len() == names.len() && found.views.is_some() {
            true => names.iter().cloned().zip(found.n_units.iter().copied()).collect(),
            false => vec![("views".to_owned(), found.n_units.first().copied().unwrap_or(0))],
        };
        let worth = |(index, name): (usize, &String)| (name.clone(), views.effective_samples(index));
        let absent = found.absent.iter().flat_map(|absent| {
            let told = |column: &&str| ((*column).to_owned(), absent.reason.clone());
            absent.columns.iter().map(told)
        });
        Self {
            schema: STABILITY_SCHEMA.into(),
            meaning: MEANING.into(),
            units: found.unit.word().into(),
            n_units: Named(n_units),
            pairs: found.pairs,
            fits,
            seed,
            effective_samples: Named(names.iter().enumerate().map(worth).collect()),
            calibration: CalibrationRecord {
                consensus: found.curves[0].as_ref().map(curve),
                views: found.curves[1].as_ref().map(curve),
            },
            bounds: found.bounds.as_ref().map(BoundsRecord::from),
            fingerprint: found.fingerprint.as_ref().map(FingerprintRecord::from),
            absent: Named(absent.collect()),
            version: env!("CARGO_PKG_VERSION").into(),
            warnings: warning_records(&found.warnings),
            run: None,
        }
    }
}

fn curve(curve: &Curve) -> Vec<CurveRecord> {
    let point = |point: &CurvePoint| CurveRecord {
        frequency: point.frequency,
        n_edges: point.n_edges,
        came_back: point.came_back,
        replicates: point.replicates,
    };
    curve.points.iter().map(point).collect()
}

impl From<&Bounds> for BoundsRecord {
    fn from(bounds: &Bounds) -> Self {
        let row = |row: &Bound| BoundRecord {
            threshold: row.threshold,
            selected: row.selected,
            chance_picks: row.chance,
            meinshausen_buhlmann: row.meinshausen_buhlmann,
        };
        Self {
            n_pairs: bounds.n_pairs,
            mean_selected: bounds.mean_selected,
            theta: bounds.mean_selected / bounds.n_pairs as f64,
            thresholds: bounds.rows.iter().map(row).collect(),
        }
    }
}

impl From<&Fingerprint> for FingerprintRecord {
    fn from(fingerprint: &Fingerprint) -> Self {
        let of = |found: &Recognition| RecognitionRecord {
            accuracy: found.accuracy,
            i_self: found.own,
            i_others: found.others,
            chance: found.chance,
            p: found.p,
        };
        Self {
            weights: of(&fingerprint.weights),
            deviations: fingerprint.deviations.as_ref().map(of),
        }
    }
}

/// The columns of a table that can be told, with one row of numbers per edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StabilityColumns {
    /// The names of the columns.
    pub names: Vec<&'static str>,
    /// The numbers, row after row.
    pub rows: Vec<Vec<f64>>,
}

impl StabilityColumns {
    /// Those of the consensus, in the order of the graph's edges; none without a consensus.
    pub fn of_edges(found: &EdgeStability) -> Self {
        let Some(figures) = &found.consensus else {
            return Self::default();
        };
        let has_curve = found.curves[0].is_some();
        let row = |one: &EdgeFigures| {
            let numbers = [one.frequency, one.frequency_both].into_iter();
            let numbers = numbers.chain(one.replicates.filter(|_| has_curve));
            numbers.chain([one.weight_se]).collect()
        };
        Self {
            names: without_replicates(&EDGE_COLUMNS[..4], has_curve),
            rows: figures.iter().map(row).collect(),
        }
    }

    /// Those of the views, one row for each edge and view in the order of the graph; none where views were halved.
    pub fn of_views(found: &EdgeStability) -> Self {
        let Some(figures) = &found.views else {
            return Self::default();
        };
        let has_curve = found.curves[1].is_some();
        let row = |one: &EdgeFigures| {
            let numbers = [one.frequency].into_iter().chain(one.replicates.filter(|_| has_curve));
            numbers.chain([one.weight_se]).collect()
        };
        Self {
            names: without_replicates(&VIEW_COLUMNS[..3], has_curve),
            rows: figures.iter().map(row).collect(),
        }
    }
}

fn without_replicates(columns: &[&'static str], has_curve: bool) -> Vec<&'static str> {
    let is_there = |column: &&str| has_curve || *column != "replicates";
    columns.iter().copied().filter(is_there).collect()
}

/// How many edges of a consensus are at least this frequent, and how many it has.
pub fn n_frequent(found: &EdgeStability, graph: &MultiviewGraph, threshold: f64) -> Option<[usize; 2]> {
    let (figures, weights) = (found.consensus.as_ref()?, graph.consensus()?);
    let present = figures
        .iter()
        .zip(weights)
        .filter(|(_, weight)| congraph::is_edge(**weight));
    let frequent = present.clone().filter(|(one, _)| one.frequency >= threshold - 1e-9);
    Some([frequent.count(), present.count()])
}
