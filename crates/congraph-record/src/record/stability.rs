//! `stability.json`: how sure the edges of a fit are, apart from the columns in its tables.

use congraph::direct::{self, Direct};
use congraph::options::{Spelling, spelled};
use congraph::refits::Unit;
use congraph::stability::{Bound, Bounds, Curve, CurvePoint, EdgeFigures, EdgeStability, Fingerprint, Recognition};
use congraph::{MultiviewGraph, Views, complete_index, is_edge};
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
    /// How it was asked which pairs depend directly on each other, if it was.
    pub direct: Option<DirectRecord>,
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

/// Which pairs depend directly on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectRecord {
    /// The level.
    pub level: f64,
    /// How many pairs have a `q_direct` of at most the level; `null` without that column.
    pub n_supported: Option<usize>,
    /// The degrees of freedom of the standard errors.
    pub degrees_of_freedom: Option<f64>,
    /// How much of what taking out the constant signal makes by itself was taken off.
    pub constant_share: Option<f64>,
    /// Whether nodes were z-scored in each view.
    pub zscored: bool,
}

impl From<&Direct> for DirectRecord {
    fn from(direct: &Direct) -> Self {
        let pooled = direct.pooled.as_ref();
        Self {
            level: direct.settings.level,
            n_supported: pooled.map(|_| direct.supported().len()),
            degrees_of_freedom: pooled.map(|pooled| pooled.df),
            constant_share: pooled.map(|pooled| pooled.constant_share),
            zscored: direct.zscored,
        }
    }
}

/// What is deleted to ask for direct dependence, where these are halved.
pub fn direct_units(unit: Unit) -> direct::Units {
    match unit {
        Unit::Blocks => direct::Units::Blocks,
        Unit::Samples => direct::Units::Samples,
        Unit::Views => direct::Units::Views,
    }
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
    /// What is said of edges with this frequency in halves of the whole.
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
    /// What is told of edges, of data and of how they were halved, in the words of a face.
    pub fn of(
        found: &EdgeStability,
        direct: Option<&Direct>,
        views: &Views,
        fits: usize,
        seed: u64,
        spelling: &dyn Spelling,
    ) -> Self {
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
        let unasked = direct.iter().flat_map(|direct| &direct.absent).map(|absent| {
            let view = absent
                .view
                .as_ref()
                .map_or_else(String::new, |view| format!(" of {view}"));
            (format!("{}{view}", absent.column), absent.reason.clone())
        });
        let absent = absent
            .chain(unasked)
            .map(|(column, reason)| (column, spelled(&reason, spelling)));
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
            direct: direct.map(DirectRecord::from),
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

/// The columns of a table that can be told, each with one number per row; NaN where a row has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StabilityColumns(pub Vec<(&'static str, Vec<f64>)>);

impl StabilityColumns {
    /// Those of the consensus, in the order of the graph's edges.
    pub fn of_edges(graph: &MultiviewGraph, found: &EdgeStability, direct: Option<&Direct>) -> Self {
        let mut columns = Vec::new();
        if let Some(figures) = &found.consensus {
            columns = of_figures(figures, true);
        }
        let is_negative = |edge: usize| {
            let own = graph.weights().row(edge).iter().copied();
            own.chain(graph.consensus().map(|consensus| consensus[edge]))
                .sum::<f64>()
                < 0.0
        };
        // Dependence is asked for one sign: nothing is said of negative edges.
        let of_pairs = |values: &[f64]| -> Vec<f64> {
            let value = |(edge, pair): (usize, &[u32; 2])| {
                if is_negative(edge) {
                    f64::NAN
                } else {
                    values[place(graph, *pair)]
                }
            };
            graph.pairs().iter().enumerate().map(value).collect()
        };
        if let Some(direct) = direct {
            if let Some(pooled) = &direct.pooled {
                columns.push(("direct_z", of_pairs(&pooled.direct_z)));
                columns.push(("q_direct", of_pairs(&pooled.q_direct)));
            }
            columns.extend(direct.q_most.as_ref().map(|q| ("q_most", of_pairs(q))));
            if let Some(counts) = &direct.n_views_at_least {
                let counts: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
                columns.push(("n_views_at_least", of_pairs(&counts)));
            }
        }
        Self(columns)
    }

    /// Those of the views, one row for each edge and view in the order of the graph.
    pub fn of_views(graph: &MultiviewGraph, found: &EdgeStability, direct: Option<&Direct>) -> Self {
        let mut columns = Vec::new();
        if let Some(figures) = &found.views {
            columns = of_figures(figures, false);
        }
        let mut add = |name, of: fn(&direct::OfView) -> Option<&Vec<f64>>| {
            let views: Vec<Option<&Vec<f64>>> = direct.iter().flat_map(|direct| &direct.views).map(of).collect();
            if views.iter().all(Option::is_none) {
                return;
            }
            let row = |(&pair, row): (&[u32; 2], &[f64])| -> Vec<f64> {
                let value = |(view, &weight): (&Option<&Vec<f64>>, &f64)| match view {
                    Some(values) if weight >= 0.0 => values[place(graph, pair)],
                    _ => f64::NAN,
                };
                views.iter().zip(row).map(value).collect()
            };
            let values = graph.pairs().iter().zip(graph.weights().rows()).flat_map(row);
            columns.push((name, values.collect()));
        };
        add("q_view", |view| view.q_view.as_ref());
        add("difference_z", |view| view.difference_z.as_ref());
        add("q_difference", |view| view.q_difference.as_ref());
        Self(columns)
    }

    /// The same for a report: a cell is empty where a row has no number.
    pub fn told(&self) -> Named<Vec<Option<f64>>> {
        let cells = |values: &[f64]| {
            values
                .iter()
                .map(|&value| Some(value).filter(|value| !value.is_nan()))
                .collect()
        };
        Named(
            self.0
                .iter()
                .map(|(name, values)| ((*name).to_owned(), cells(values)))
                .collect(),
        )
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }

    /// The cells of a row, with as many digits as it takes to read them back; empty where there is no number.
    pub fn cells(&self, row: Option<usize>) -> Vec<String> {
        let cell = |(name, values): &(&str, Vec<f64>)| match row.map(|row| values[row]) {
            Some(value) if value.is_nan() => String::new(),
            Some(value) if name.starts_with("n_") => format!("{value}"),
            Some(value) => format!("{value:?}"),
            None => String::new(),
        };
        self.0.iter().map(cell).collect()
    }
}

/// Where a pair stands among all.
fn place(graph: &MultiviewGraph, [a, b]: [u32; 2]) -> usize {
    complete_index(graph.n_nodes(), a as usize, b as usize)
}

fn of_figures(figures: &[EdgeFigures], is_consensus: bool) -> Vec<(&'static str, Vec<f64>)> {
    let column = |of: fn(&EdgeFigures) -> f64| figures.iter().map(of).collect::<Vec<f64>>();
    let mut columns = vec![("frequency", column(|one| one.frequency))];
    if is_consensus {
        columns.push(("frequency_both", column(|one| one.frequency_both)));
    }
    if figures.iter().any(|one| one.replicates.is_some()) {
        columns.push(("replicates", column(|one| one.replicates.unwrap_or(f64::NAN))));
    }
    columns.push(("weight_se", column(|one| one.weight_se)));
    columns
}

/// How many edges of a consensus are at least this frequent, and how many it has.
pub fn n_frequent(found: &EdgeStability, graph: &MultiviewGraph, threshold: f64) -> Option<[usize; 2]> {
    let (figures, weights) = (found.consensus.as_ref()?, graph.consensus()?);
    let present = figures.iter().zip(weights).filter(|(_, weight)| is_edge(**weight));
    let frequent = present.clone().filter(|(one, _)| one.frequency >= threshold - 1e-9);
    Some([frequent.count(), present.count()])
}
