//! Who differs: groups of views, or two conditions of the same subjects.

use congraph_record::findings::{Compared, ComparedEdge, Findings, KnownComparison};
use serde::Serialize;

use super::Figure;
use crate::drawings::{Network, groups};
use crate::words::{self, column, plural, significant};

/// The most rows of a table.
const ROWS: usize = 50;

/// Who differs.
#[derive(Serialize)]
pub(in crate::page) struct Groups {
    headline: String,
    figure: Option<Figure>,
    /// What the lines mean: the first group has more, the second has; of more groups neither.
    more: Option<[String; 2]>,
    null: Option<Figure>,
    edges: Table,
    components: Table,
    nodes: Table,
    measures: Table,
    notes: Vec<String>,
}

/// A table; without rows it is not shown.
#[derive(Default, Serialize)]
struct Table {
    title: String,
    /// How many columns are text, not numbers.
    n_words: usize,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    note: String,
}

impl Groups {
    pub(in crate::page) fn new(findings: &Findings, network: Option<&Network>) -> Option<Self> {
        let found = findings.known.comparison.as_ref()?;
        let null = found.record.null.get("edges");
        Some(Self {
            headline: headline(findings, found),
            figure: network.and_then(|network| difference(findings, network, found)),
            more: found
                .is_of_two()
                .then(|| [1, 0].map(|group| found.group(group).to_owned())),
            null: null.and_then(|null| groups::null(found, null)).map(|svg| Figure {
                name: "null",
                headline: "What relabelling alone gives".into(),
                svg,
                caption: "The largest statistic of any edge under each relabelling of the views. An edge differs at \
                    p_fwe ≤ 0.05 where its own lies beyond the dashed line; the solid line is the largest observed."
                    .into(),
            }),
            edges: edges(findings, found),
            components: components(found),
            nodes: compared(found, &found.nodes, "Strength of nodes", "Node", "strength"),
            measures: compared(found, &found.measures, "Whole graphs", "Measure", "mean"),
            notes: notes(findings, found),
        })
    }
}

fn headline(findings: &Findings, found: &KnownComparison) -> String {
    let who = match found.record.groups.len() {
        2 => format!("{} against {}", found.group(1), found.group(0)),
        n => format!("{n} groups"),
    };
    let counted = |kind: &str, noun: &str| {
        let of = found.found(kind)?;
        Some(format!("{} of {}", of.significant, plural(of.tested, noun)))
    };
    let told: Vec<String> = [counted("edges", "edge"), counted("components", "component")]
        .into_iter()
        .flatten()
        .collect();
    let first = groups::clearest(found).into_iter().next();
    let clearest = first.filter(|edge| edge.p_fwe <= found.record.level).map(|edge| {
        let labels = words::nodes(findings);
        let [a, b] = edge.pair.map(|node| words::unbroken(&labels[node as usize]));
        format!("; {a}–{b} most clearly")
    });
    if told.is_empty() {
        return who;
    }
    format!(
        "{who}: {} differ at p_fwe ≤ {}{}",
        told.join(" and "),
        found.record.level,
        clearest.unwrap_or_default()
    )
}

fn difference(findings: &Findings, network: &Network, found: &KnownComparison) -> Option<Figure> {
    let level = found.record.level;
    let n_clear = found.edges.iter().filter(|edge| edge.p_fwe <= level).count();
    let drawn = if n_clear > groups::EDGES {
        format!(" The {} clearest of a kind are drawn.", groups::EDGES)
    } else {
        String::new()
    };
    Some(Figure {
        name: "groups",
        headline: String::new(),
        svg: groups::draw(findings, network, found)?,
        caption: format!(
            "Edges that differ at p_fwe ≤ {level} are thick. Thin ones are above the threshold of components (a \
             statistic of {}), not clear by themselves. Nodes as in the first figure.{drawn}",
            significant(found.record.threshold)
        ),
    })
}

/// What a p is, in few digits and never as 0.
fn p(value: f64) -> String {
    if value < 1e-3 {
        column(value)
    } else {
        format!("{value:.3}")
    }
}

fn of_groups(found: &KnownComparison, what: &str) -> Vec<String> {
    let groups = &found.record.groups;
    groups.iter().map(|group| format!("{what}, {}", group.name)).collect()
}

fn statistic(found: &KnownComparison) -> String {
    match found.record.column.as_str() {
        "h" => "H".into(),
        "f" => "F".into(),
        name => name.to_owned(),
    }
}

fn edges(findings: &Findings, found: &KnownComparison) -> Table {
    let nodes = findings.graph.nodes();
    let row = |edge: &&ComparedEdge| {
        let mut cells: Vec<String> = edge.pair.iter().map(|&node| nodes[node as usize].clone()).collect();
        let present = edge.present.iter().zip(&found.record.groups);
        cells.extend(present.map(|(n, group)| format!("{n} of {}", group.n_views)));
        cells.extend(edge.means.iter().map(|&mean| column(mean)));
        cells.push(format!("{:.2}", edge.statistic));
        cells.push(p(edge.p_fwe));
        cells.push(edge.component.map_or_else(|| "–".into(), |id| (id + 1).to_string()));
        cells
    };
    let clearest = groups::clearest(found);
    let mut columns = vec!["Node".to_owned(), "Node".to_owned()];
    columns.extend(of_groups(found, "in views"));
    columns.extend(of_groups(found, "mean"));
    columns.extend([statistic(found), "p_fwe".into(), "Component".into()]);
    Table {
        title: "Edges, the clearest first".into(),
        n_words: 2,
        columns,
        rows: clearest.iter().take(ROWS).map(row).collect(),
        note: if clearest.len() > ROWS {
            format!("The first {ROWS} of {}; compare_edges.tsv holds all.", clearest.len())
        } else {
            String::new()
        },
    }
}

fn components(found: &KnownComparison) -> Table {
    let row = |(k, one): (usize, &congraph_record::findings::ComparedComponent)| {
        vec![
            (k + 1).to_string(),
            one.n_nodes.to_string(),
            one.n_edges.to_string(),
            significant(one.intensity),
            p(one.p_fwe),
        ]
    };
    Table {
        title: "Components of edges above the threshold".into(),
        n_words: 0,
        columns: ["Component", "Nodes", "Edges", "Intensity", "p_fwe"]
            .map(str::to_owned)
            .to_vec(),
        rows: found.components.iter().enumerate().take(ROWS).map(row).collect(),
        note: String::new(),
    }
}

/// Nodes or measures, the clearest first.
fn compared(found: &KnownComparison, all: &[Compared], title: &str, name: &str, of: &str) -> Table {
    let mut rows: Vec<&Compared> = all.iter().collect();
    rows.sort_by(|one, two| one.p_fwe.total_cmp(&two.p_fwe));
    let most = if name == "Node" { 12 } else { ROWS };
    let row = |one: &&Compared| {
        let mut cells = vec![one.name.clone()];
        cells.extend(one.means.iter().map(|&mean| column(mean)));
        cells.push(format!("{:.2}", one.statistic));
        cells.push(p(one.p_fwe));
        cells
    };
    let mut columns = vec![name.to_owned()];
    columns.extend(of_groups(found, of));
    columns.extend([statistic(found), "p_fwe".into()]);
    Table {
        title: title.into(),
        n_words: 1,
        columns,
        note: if rows.len() > most {
            format!("The first {most} of {}; compare_nodes.tsv holds all.", rows.len())
        } else {
            String::new()
        },
        rows: rows.iter().take(most).map(row).collect(),
    }
}

/// How it was asked, and what not to conclude.
fn notes(findings: &Findings, found: &KnownComparison) -> Vec<String> {
    let record = &found.record;
    // Weights of other models, and of both signs, have no fixed sum.
    let is_free = findings
        .known
        .summary
        .as_ref()
        .is_some_and(|summary| summary.method.is_some());
    let sums = if is_free || findings.graph.is_signed() {
        "they depend on each other"
    } else {
        "those of a view have a fixed sum"
    };
    let who: Vec<String> = record
        .groups
        .iter()
        .map(|group| format!("{} ({})", group.name, plural(group.n_views, "view")))
        .collect();
    let how = match record.n_pairs {
        Some(n) => format!("{} of views, one of each condition", plural(n, "pair")),
        None => words::listed(&who),
    };
    let exact = if record.exact { "all " } else { "" };
    let mut notes = vec![
        format!(
            "Weights are relative: {sums}, so that where an edge changes its neighbours change, too. \
         An edge that differs need not be the one that was changed."
        ),
        format!(
            "Compared: {how}; {exact}{} relabellings. That an edge does not differ is not shown by a large p.",
            record.permutations
        ),
    ];
    if record.groups.len() > 2 {
        notes.push("Which groups differ from which is in compare_pairs.tsv.".into());
    }
    if record.n_rare + record.n_unmeasured > 0 {
        notes.push(format!(
            "Not tested: {} in fewer than two views{}.",
            plural(record.n_rare, "edge"),
            match record.n_unmeasured {
                0 => String::new(),
                n => format!(", {n} at nodes that some view lacks"),
            }
        ));
    }
    notes.extend(
        record
            .warnings
            .iter()
            .map(|warning| format!("{}: {}.", warning.code, warning.message)),
    );
    notes
}
