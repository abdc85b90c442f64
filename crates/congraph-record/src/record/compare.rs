//! The record of a comparison: `compare.json`.

use congraph::compare::{Comparison, Design, Measure, Null, Settings, USUAL_THRESHOLD};
use serde::{Deserialize, Serialize};

use super::{Named, WarningRecord};
use crate::choices::Choice;

/// The schema of the record of a comparison.
pub const COMPARE_SCHEMA: &str = "congraph.compare/1";

/// The shares of relabellings whose largest statistic is told.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 1.0];
/// The bars of a histogram.
const BARS: usize = 50;

/// Who was compared with whom, how, and what came of it: `compare.json`. The tables beside it hold the rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareRecord {
    /// What kind of record it is: [`COMPARE_SCHEMA`].
    pub schema: String,
    /// `groups` of views, or `pairs` of them.
    pub design: String,
    /// The groups, in the order of their letters.
    pub groups: Vec<GroupRecord>,
    /// How many pairs; `null` without.
    pub n_pairs: Option<usize>,
    /// The names of the covariates.
    pub covariates: Vec<String>,
    /// What edges were judged by.
    pub statistic: String,
    /// What the columns of the statistic hold: `z`, `t`, `h` or `f`.
    pub column: String,
    /// How many relabellings were looked at.
    pub permutations: usize,
    /// Whether these are all there are.
    pub exact: bool,
    /// The seed of random ones, and of the draw that made samples equal.
    pub seed: u64,
    /// The level at which results are counted.
    pub level: f64,
    /// The size above which edges form components.
    pub threshold: f64,
    /// Whether it was lowered from the usual one, so that half of the relabellings have an edge above it.
    pub threshold_lowered: bool,
    /// What was compared.
    pub measures: Vec<String>,
    /// How many samples every view was given before the graphs were learned again; `null` if they were left as they are.
    pub equalised_to: Option<usize>,
    /// How many nodes the graphs have.
    pub n_nodes: usize,
    /// How many views.
    pub n_views: usize,
    /// How many edges were tested.
    pub n_edges: usize,
    /// How many were not, since fewer than two views have them.
    pub n_rare: usize,
    /// How many were not, since some view lacks a node of theirs.
    pub n_unmeasured: usize,
    /// How many of each kind are below the level, and the smallest p.
    pub found: Named<FoundRecord>,
    /// What relabelling alone gives: the largest statistic of each kind.
    pub null: Named<NullRecord>,
    /// The version of the program.
    pub version: String,
    /// How long it took.
    pub seconds: f64,
    /// What the user was warned of.
    pub warnings: Vec<WarningRecord>,
    /// The run whose graphs were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The SHA-256 of the tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Named<String>>,
}

/// A group of views.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupRecord {
    /// What its columns end with.
    pub letter: String,
    /// Its label.
    pub name: String,
    /// How many views it has.
    pub n_views: usize,
}

/// What was found of a kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FoundRecord {
    /// How many were tested.
    pub tested: usize,
    /// How many have a `p_fwe` of at most the level.
    pub significant: usize,
    /// The smallest `p_fwe`; `null` without any.
    pub least_p_fwe: Option<f64>,
}

/// The largest statistic under each relabelling.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NullRecord {
    /// What shares of the relabellings do not exceed.
    pub quantiles: Named<f64>,
    /// Where the histogram begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How many relabellings are in each of its bars, which are equally wide.
    pub counts: Vec<usize>,
}

impl NullRecord {
    fn new(null: &Null) -> Self {
        let values = null.values();
        let (from, to) = (
            values.first().copied().unwrap_or(0.0),
            values.last().copied().unwrap_or(0.0),
        );
        let mut counts = vec![0; BARS];
        for value in values {
            let share = if to > from { (value - from) / (to - from) } else { 0.0 };
            counts[((share * BARS as f64) as usize).min(BARS - 1)] += 1;
        }
        let quantile = |share: &f64| Some((share.to_string(), null.quantile(*share)?));
        Self {
            quantiles: Named(QUANTILES.iter().filter_map(quantile).collect()),
            from,
            to,
            counts,
        }
    }
}

/// What the columns of a group end with.
pub fn group_letter(group: usize) -> char {
    // There are at most 26 groups.
    char::from(b'a' + (group % 26) as u8)
}

impl CompareRecord {
    /// Of a comparison by a design and settings.
    pub fn new(found: &Comparison, design: &Design, settings: &Settings) -> Self {
        let group = |(k, group): (usize, &congraph::compare::Group)| GroupRecord {
            letter: group_letter(k).to_string(),
            name: group.name.clone(),
            n_views: group.n_views,
        };
        let count = |p: &mut dyn Iterator<Item = f64>| {
            let all: Vec<f64> = p.collect();
            FoundRecord {
                tested: all.len(),
                significant: all.iter().filter(|p| **p <= settings.level).count(),
                least_p_fwe: all.into_iter().min_by(f64::total_cmp),
            }
        };
        let mut kinds = vec![
            (
                Measure::Edges,
                "edges",
                count(&mut found.edges.iter().map(|row| row.p_fwe)),
                &found.edge_null,
            ),
            (
                Measure::Components,
                "components",
                count(&mut found.components.iter().map(|row| row.p_fwe)),
                &found.component_null,
            ),
            (
                Measure::Strength,
                "nodes",
                count(&mut found.nodes.iter().map(|row| row.p_fwe)),
                &found.node_null,
            ),
        ];
        kinds.retain(|(measure, ..)| settings.measures.contains(measure));
        let mut kinds: Vec<_> = kinds
            .into_iter()
            .map(|(_, name, count, null)| (name, count, null))
            .collect();
        if !found.measures.is_empty() {
            kinds.push((
                "global",
                count(&mut found.measures.iter().map(|row| row.p_fwe)),
                &found.measure_null,
            ));
        }
        if !found.follow_ups.is_empty() {
            kinds.push((
                "pairs",
                count(&mut found.follow_ups.iter().map(|row| row.p_fwe)),
                &found.follow_up_null,
            ));
        }
        let null = |(name, _, null): &(&str, FoundRecord, &Null)| ((*name).to_owned(), NullRecord::new(null));
        Self {
            schema: COMPARE_SCHEMA.into(),
            design: if found.n_pairs.is_some() { "pairs" } else { "groups" }.into(),
            groups: found.groups.iter().enumerate().map(group).collect(),
            n_pairs: found.n_pairs,
            covariates: design
                .covariates
                .iter()
                .map(|covariate| covariate.name.clone())
                .collect(),
            statistic: found.statistic.word().into(),
            column: found.column().into(),
            permutations: found.n_relabellings,
            exact: found.exact,
            seed: settings.seed,
            level: settings.level,
            threshold: found.threshold,
            threshold_lowered: settings.threshold.is_none() && found.threshold < USUAL_THRESHOLD,
            measures: settings.measures.iter().map(|measure| measure.word().into()).collect(),
            n_edges: found.edges.len(),
            n_rare: found.n_rare,
            n_unmeasured: found.n_unmeasured,
            null: Named(kinds.iter().map(null).collect()),
            found: Named(
                kinds
                    .into_iter()
                    .map(|(name, count, _)| (name.to_owned(), count))
                    .collect(),
            ),
            ..Self::default()
        }
    }
}
