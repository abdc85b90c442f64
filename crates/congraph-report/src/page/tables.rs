//! The tables: the first edges, and all views.

use congraph_record::findings::{Findings, KnownRecording, KnownRecordings};
use serde::Serialize;

use super::preparation::channels;
use super::shell::{told, told_files};
use crate::words::{column, percent, plural, range};

/// The rows that are there without scripts.
const ROWS: usize = 100;

/// A row of the table of edges.
#[derive(Serialize)]
pub(super) struct EdgeRow {
    source: String,
    target: String,
    consensus: String,
    n_views: String,
    mean: String,
}

pub(super) fn edges(findings: &Findings, order: &[usize]) -> Vec<EdgeRow> {
    let graph = &findings.graph;
    let row = |&edge: &usize| {
        let [source, target] = graph.pairs()[edge].map(|node| graph.nodes()[node as usize].clone());
        EdgeRow {
            source,
            target,
            consensus: if graph.consensus().is_some() {
                column(findings.shared[edge])
            } else {
                String::new()
            },
            n_views: format!("{} of {}", findings.n_views[edge], findings.n_measured[edge]),
            mean: column(findings.means[edge]),
        }
    };
    order.iter().take(ROWS).map(row).collect()
}

pub(super) fn edge_note(findings: &Findings, order: &[usize]) -> String {
    let all = findings.shared.len();
    let missing = if all > order.len() {
        format!(" The page holds the heaviest {}; edges.tsv holds all.", order.len())
    } else {
        String::new()
    };
    if all > ROWS.min(order.len()) {
        format!("{ROWS} of {all} edges, the heaviest first.{missing}")
    } else {
        format!("{} in all.", plural(all, "edge"))
    }
}

/// The table of views.
#[derive(Serialize)]
pub(super) struct ViewTable {
    rows: Vec<ViewRow>,
    has_files: bool,
    lacks_nodes: bool,
    /// Whether they were made from recordings, and what the table then tells of these.
    has_recordings: bool,
    has_bad: bool,
    note: Option<String>,
}

#[derive(Serialize)]
struct ViewRow {
    name: String,
    file: String,
    samples: String,
    nodes: usize,
    edges: usize,
    density: String,
    uniqueness: String,
    added: usize,
    missing: usize,
    is_outlier: bool,
    made: Made,
}

/// What was kept of the recordings of a view.
#[derive(Default, Serialize)]
struct Made {
    rate: String,
    trials: String,
    rejected: usize,
    bad: String,
}

impl Made {
    fn of(view: &str, made: &KnownRecordings) -> Self {
        let own = || made.recordings.iter().filter(|one| one.view == view);
        let mut bad: Vec<&str> = own().flat_map(|one| channels(&one.bad)).collect();
        bad.sort_unstable();
        bad.dedup();
        Self {
            rate: range(own().map(|one| one.sampling_hz)),
            trials: format!(
                "{} of {}",
                own().map(|one| one.n_used).sum::<usize>(),
                own().map(|one| one.n_events).sum::<usize>()
            ),
            rejected: own().map(|one| one.n_rejected).sum(),
            bad: bad.join(", "),
        }
    }
}

/// Where the positions of the electrodes come from, and what was dropped in all.
fn made_note(made: &KnownRecordings) -> String {
    let sum = |count: fn(&KnownRecording) -> usize| made.recordings.iter().map(count).sum::<usize>();
    let mut places: Vec<&str> = made.recordings.iter().map(|one| told(&one.positions_from)).collect();
    places.sort_unstable();
    places.dedup();
    format!(
        "{}: {} used of {}, {} rejected for their amplitude, {} too near to an end. Positions of the electrodes: {}. \
        All of it is in recordings.tsv.",
        plural(made.recordings.len(), "recording"),
        sum(|one| one.n_used),
        plural(sum(|one| one.n_events), "trial"),
        sum(|one| one.n_rejected),
        sum(|one| one.n_outside),
        if places.len() > 3 {
            format!("from {} files", places.len())
        } else {
            places.join(", ")
        }
    )
}

impl ViewTable {
    pub(super) fn new(findings: &Findings) -> Self {
        let made = findings.known.recordings.as_ref();
        let rows = findings
            .views
            .iter()
            .zip(&findings.known.views)
            .map(|(view, known)| ViewRow {
                name: view.name.clone(),
                file: told_files(&known.file),
                samples: view.n_samples.map_or_else(|| "–".into(), |n| n.to_string()),
                nodes: view.n_nodes,
                edges: view.n_edges,
                density: percent(view.density),
                uniqueness: view
                    .uniqueness
                    .map_or_else(|| "–".into(), |value| format!("{value:.3}")),
                added: view.added.len(),
                missing: view.missing.len(),
                is_outlier: view.is_outlier,
                made: made.map_or_else(Made::default, |made| Made::of(&view.name, made)),
            });
        let rows: Vec<ViewRow> = rows.collect();
        Self {
            has_bad: rows.iter().any(|row| !row.made.bad.is_empty()),
            rows,
            lacks_nodes: !findings.graph.membership().is_total(),
            has_recordings: made.is_some(),
            note: made.map(made_note),
            has_files: findings.known.views.iter().any(|view| !view.file.is_empty()),
        }
    }
}

/// Up to this many views the similarities are there as numbers too.
const NUMBERED: usize = 40;
/// Of more views, how many of the most and the least alike pairs are listed.
const PAIRS: usize = 8;

/// The similarities as numbers, in the order of the map: all of them, or of many views those that stand for the others.
#[derive(Serialize)]
pub(super) struct SimilarityTable {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The pairs that are most and least alike, if there are too many for rows.
    most: Vec<[String; 3]>,
    least: Vec<[String; 3]>,
    /// Of each view: its name, its mean similarity, and who is most and least like it.
    each: Vec<[String; 6]>,
}

impl SimilarityTable {
    pub(super) fn new(findings: &Findings) -> Option<Self> {
        let found = findings.similarities.as_ref()?;
        let (n, order) = (found.order.len(), &found.order);
        let name = |view: usize| findings.views[view].name.clone();
        let value = |one: usize, two: usize| format!("{:.3}", found.values[one][two]);
        if n <= NUMBERED {
            let row = |&one: &usize| {
                order
                    .iter()
                    .map(|&two| format!("{:.2}", found.values[one][two]))
                    .collect()
            };
            return Some(Self {
                names: order.iter().map(|&view| name(view)).collect(),
                rows: order.iter().map(row).collect(),
                most: Vec::new(),
                least: Vec::new(),
                each: Vec::new(),
            });
        }
        let mut pairs: Vec<[usize; 2]> = (0..n).flat_map(|one| (one + 1..n).map(move |two| [one, two])).collect();
        pairs.sort_by(|&[a, b], &[c, d]| found.values[c][d].total_cmp(&found.values[a][b]));
        let listed = |&[one, two]: &[usize; 2]| [name(one), name(two), value(one, two)];
        let each = |one: usize| {
            let others = || (0..n).filter(move |&two| two != one);
            let by = |a: &usize, b: &usize| found.values[one][*a].total_cmp(&found.values[one][*b]);
            let mean = others().map(|two| found.values[one][two]).sum::<f64>() / (n - 1) as f64;
            let (near, far) = (others().max_by(by).unwrap_or(one), others().min_by(by).unwrap_or(one));
            let mean = format!("{mean:.3}");
            [
                name(one),
                mean,
                name(near),
                value(one, near),
                name(far),
                value(one, far),
            ]
        };
        Some(Self {
            names: Vec::new(),
            rows: Vec::new(),
            most: pairs.iter().take(PAIRS).map(listed).collect(),
            least: pairs.iter().rev().take(PAIRS).map(listed).collect(),
            each: (0..n).map(each).collect(),
        })
    }
}
