//! How sure each edge is: three statements that do not replace each other.

use congraph::is_edge;
use congraph_record::findings::{COMES_BACK, Findings, KnownStability};
use serde::Serialize;

use super::Figure;
use crate::drawings::{Network, confidence};
use crate::words::{self, column, percent, plural, significant};

/// The rows that are there without scripts.
const ROWS: usize = 100;
/// How sure each edge is.
#[derive(Serialize)]
pub(in crate::page) struct Confidence {
    headline: String,
    /// What is asked, what it means, and how many edges it is true of.
    statements: Vec<Statement>,
    figure: Option<Figure>,
    /// What the slider is on, in words; none without such a column.
    slider: Option<&'static str>,
    n_edges: usize,
    /// What is said of chance picks.
    chance: Option<String>,
    curve: Option<Figure>,
    columns: Vec<&'static str>,
    rows: Vec<Row>,
    note: String,
    /// How it was asked, and columns that are not there with the reasons.
    asked: String,
    absent: Vec<(String, Vec<String>)>,
}

#[derive(Serialize)]
struct Statement {
    name: &'static str,
    by: String,
    value: String,
    meaning: String,
}

#[derive(Serialize)]
struct Row {
    source: String,
    target: String,
    weight: String,
    is_supported: bool,
    cells: Vec<String>,
}

/// The shared edges, those whose nodes depend most surely on each other first, then those that come back most often.
fn order(findings: &Findings, found: &KnownStability) -> Vec<usize> {
    let mut edges = findings.strongest();
    let back = found.comes_back();
    let q = |edge: usize| found.of("q_direct", edge).unwrap_or(2.0);
    let often = |edge: usize| back.and_then(|column| found.of(column, edge)).unwrap_or(-1.0);
    edges.sort_by(|&one, &two| q(one).total_cmp(&q(two)).then(often(two).total_cmp(&often(one))));
    edges
}

impl Confidence {
    pub(in crate::page) fn new(findings: &Findings, network: Option<&Network>) -> Option<Self> {
        let found = findings.known.stability.as_ref()?;
        let order = order(findings, found);
        let there = confidence::columns(found);
        let title = |name: &&'static str| {
            let known = confidence::COLUMNS.iter().find(|(other, _)| other == name);
            known.map_or(*name, |(_, title)| *title)
        };
        let n_views = findings.graph.n_views();
        Some(Self {
            headline: headline(findings, found, &order),
            statements: statements(findings, found, &order),
            figure: network.filter(|_| !order.is_empty()).map(|network| Figure {
                name: "sure",
                headline: String::new(),
                svg: confidence::draw(findings, network, found),
                caption: caption(findings, found, network),
            }),
            slider: found.comes_back().map(|name| match name {
                "replicates" => "Comes back with a probability of at least",
                _ => "In halves with a frequency of at least",
            }),
            n_edges: order.len(),
            chance: chance(found),
            curve: confidence::curve(found).map(|svg| Figure {
                name: "calibration",
                headline: "How frequencies were calibrated".into(),
                svg,
                caption: "Halves of the data were halved again: how frequent an edge is in them, and the share of such \
                    edges that a fit to the other half has (marks, larger for more edges). The line is what “comes back” is read \
                    from: for fits to all of the data, which part edges from the rest more clearly than halves do. Dashed: as \
                    often as the frequency."
                    .into(),
            }),
            columns: there.iter().map(title).collect(),
            rows: order.iter().take(ROWS).map(|&edge| row(findings, found, &there, edge, n_views)).collect(),
            note: if order.len() > ROWS {
                format!("The first {ROWS} of {}; edges.tsv holds all.", plural(order.len(), "edge"))
            } else {
                String::new()
            },
            asked: asked(found),
            absent: absent(found),
        })
    }
}

fn row(findings: &Findings, found: &KnownStability, columns: &[&str], edge: usize, n_views: usize) -> Row {
    let graph = &findings.graph;
    let [source, target] = graph.pairs()[edge].map(|node| graph.nodes()[node as usize].clone());
    let weight = column(findings.shared[edge]);
    let cell = |name: &&str| match (found.of(name, edge), *name) {
        (None, _) => "–".into(),
        (Some(value), "n_views_at_least") => format!("{value} of {n_views}"),
        (Some(value), "frequency" | "replicates") => format!("{value:.2}"),
        (Some(value), _) => column(value),
    };
    Row {
        source,
        target,
        weight: match found.of("weight_se", edge) {
            Some(se) => format!("{weight} ± {}", column(se)),
            None => weight,
        },
        is_supported: found.is_supported(edge) == Some(true),
        cells: columns.iter().map(cell).collect(),
    }
}

fn n_back(found: &KnownStability, order: &[usize]) -> Option<usize> {
    let name = found.comes_back()?;
    let often = |&&edge: &&usize| found.of(name, edge).is_some_and(|value| value >= COMES_BACK - 1e-9);
    Some(order.iter().filter(often).count())
}

fn headline(findings: &Findings, found: &KnownStability, order: &[usize]) -> String {
    if order.is_empty() {
        return "There is no edge to be sure of".into();
    }
    let supported = findings.verdict.support.map(|support| support.words());
    let back = n_back(found, order).map(|n| {
        let way = match found.comes_back() {
            Some("replicates") => format!("with a probability of at least {COMES_BACK}"),
            _ => format!("in at least {} of the halves", percent(COMES_BACK)),
        };
        format!("{n} {} back {way}", if n == 1 { "comes" } else { "come" })
    });
    let told: Vec<String> = supported.into_iter().chain(back).collect();
    if told.is_empty() {
        return "How sure each view's edges are is in edges_long.tsv".into();
    }
    told.join("; ")
}

fn statements(findings: &Findings, found: &KnownStability, order: &[usize]) -> Vec<Statement> {
    let n = order.len();
    let mut told = Vec::new();
    if let (Some(name), Some(n_back)) = (found.comes_back(), n_back(found, order)) {
        let (by, meaning) = if name == "replicates" {
            (
                format!("replicates ≥ {COMES_BACK}"),
                format!(
                    "The probability that a fit to new {} has the edge. It is not the probability that the edge is real: \
                     what is learned systematically comes back, too.",
                    new_data(found)
                ),
            )
        } else {
            (
                format!("frequency ≥ {COMES_BACK}"),
                "The share of halves of the data whose graph has the edge. How that translates to new data could not be \
                 calibrated, and it is not the probability that the edge is real."
                    .into(),
            )
        };
        told.push(Statement {
            name: "Comes back",
            by,
            value: format!("{n_back} of {n}"),
            meaning,
        });
    }
    if let Some(support) = &findings.verdict.support {
        told.push(Statement {
            name: "Depends directly",
            by: format!("q_direct ≤ {}", support.level),
            value: format!("{} of {}", support.n_supported, support.n_asked),
            meaning: "The two nodes have a positive partial correlation given all other nodes, in the views taken \
                together; corrected for all pairs of nodes, whatever the density. Such edges are called supported."
                .into(),
        });
    }
    let mut errors: Vec<f64> = order
        .iter()
        .filter(|&&edge| is_edge(findings.shared[edge]))
        .filter_map(|&edge| Some(found.of("weight_se", edge)? / findings.shared[edge].abs()))
        .collect();
    errors.sort_by(f64::total_cmp);
    if let Some(&middle) = errors.get(errors.len() / 2) {
        told.push(Statement {
            name: "Weighs about",
            by: "weight ± se".into(),
            value: format!("± {}", percent(middle)),
            meaning:
                "The median standard error, as a share of its weight. An interval of about two standard errors to \
                each side holds the weight that endless data would give in about 90 % of cases."
                    .into(),
        });
    }
    told
}

/// New data of which kind are spoken of.
fn new_data(found: &KnownStability) -> &'static str {
    match found.record.units.as_str() {
        "views" => "data of as many other views",
        "samples" => "samples of the same views",
        _ => "trials or blocks of the same views",
    }
}

/// At most so many chance picks of the halving; they are not false edges, and are not called so.
fn chance(found: &KnownStability) -> Option<String> {
    let row = found.bound(COMES_BACK).filter(|row| row.selected > 0)?;
    Some(format!(
        "{} {} in at least {} of the halves; at most {} of these {} {} expected to be chance picks of the halving (Shah and \
         Samworth 2013).",
        plural(row.selected, "edge"),
        if row.selected == 1 { "is" } else { "are" },
        percent(COMES_BACK),
        bound(row.chance_picks),
        plural(row.selected, "edge"),
        if row.selected == 1 { "is" } else { "are" },
    ))
}

fn bound(value: f64) -> String {
    if value < 0.05 {
        significant(value)
    } else {
        format!("{value:.1}")
    }
}

fn caption(findings: &Findings, found: &KnownStability, network: &Network) -> String {
    let dashed = match (found.level(), findings.verdict.n_negative) {
        (None, _) => " Which edges are supported is not known: all are dashed.",
        (Some(_), 0) => "",
        (Some(_), _) => " Negative edges are dashed: direct dependence is asked of positive ones only.",
    };
    let most = confidence::most(network);
    let cut = if findings.verdict.n_shared > most {
        format!(" The {most} heaviest of those that the slider leaves are drawn.")
    } else {
        String::new()
    };
    format!("Nodes and widths as in the first figure.{dashed}{cut}")
}

/// Columns that are not there and why; of many views once. Every other part of a reason stood between backticks.
fn absent(found: &KnownStability) -> Vec<(String, Vec<String>)> {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    let mut counts: Vec<(String, usize)> = Vec::new();
    for (column, reason) in &found.record.absent.0 {
        let name = column.split(" of ").next().unwrap_or(column);
        match counts.iter_mut().find(|(other, _)| other == name) {
            Some((_, n)) => *n += 1,
            None => {
                counts.push((name.to_owned(), 1));
                told.push((column.clone(), reason.split('`').map(str::to_owned).collect()));
            }
        }
    }
    for ((column, _), (_, n)) in told.iter_mut().zip(counts) {
        if n > 1 {
            column.push_str(&format!(" and {} more", plural(n - 1, "view")));
        }
    }
    told
}

/// How it was asked.
fn asked(found: &KnownStability) -> String {
    let record = &found.record;
    let counts: Vec<f64> = record.n_units.0.iter().map(|(_, n)| *n as f64).collect();
    let units = if record.units == "views" {
        format!("{} views were halved", words::range(counts.into_iter()))
    } else {
        format!(
            "{} {} of each view were halved",
            words::range(counts.into_iter()),
            record.units
        )
    };
    format!(
        "{units}, {} times: {} in all.",
        record.pairs,
        plural(record.fits, "fit")
    )
}
