//! What the panels with figures say.

use congraph::findings::Findings;
use serde::Serialize;

use crate::drawings::heatmap::Heatmap;
use crate::drawings::path_map::PathMap;
use crate::drawings::{Network, gap, lengths, multiples, network, ranking, scatter};
use crate::svg::{SHAPES, Svg, mark};
use crate::words::{self, percent, plural, significant};

/// A drawing with its words.
#[derive(Serialize)]
pub(super) struct Figure {
    name: &'static str,
    headline: String,
    svg: String,
    caption: String,
}

/// A figure of the verdict: a number and what it means.
#[derive(Serialize)]
pub(super) struct Key {
    name: &'static str,
    value: String,
    note: String,
}

/// A warning, with what its code means.
#[derive(Serialize)]
pub(super) struct Warned {
    code: String,
    view: Option<String>,
    message: String,
}

pub(super) fn warnings(findings: &Findings) -> Vec<Warned> {
    let warned = findings.verdict.warnings.iter();
    warned
        .map(|warning| Warned {
            code: warning.code.clone(),
            view: warning.view.clone(),
            message: warning.message.clone(),
        })
        .collect()
}

pub(super) fn keys(findings: &Findings) -> Vec<Key> {
    let (graph, verdict) = (&findings.graph, &findings.verdict);
    let summary = findings.known.summary.as_ref();
    let mut keys = Vec::new();
    if let Some(value) = summary.and_then(|summary| summary.relative_gap) {
        let converged = summary.and_then(|summary| summary.converged).unwrap_or(false);
        keys.push(Key {
            name: "Optimal to",
            value: words::gap(value),
            note: if converged {
                "converged: relative gap to the best possible fit"
            } else {
                "NOT converged: relative gap"
            }
            .into(),
        });
    }
    let target = summary
        .and_then(|summary| summary.density.target)
        .map_or_else(String::new, |value| format!(", asked for {}", significant(value)));
    keys.push(Key {
        name: "Density",
        value: percent(graph.mean_density()),
        note: match graph.consensus_density() {
            Some(consensus) => format!(
                "of the possible edges, mean of the views; consensus {}{target}",
                percent(consensus)
            ),
            None => format!("of the possible edges, mean of the views{target}"),
        },
    });
    if let Some(value) = graph.similarity() {
        let floor = summary.and_then(|summary| summary.similarity.floor);
        keys.push(Key {
            name: "Similarity",
            value: significant(value),
            note: floor.map_or_else(
                || "mean correlation between views".into(),
                |floor| {
                    format!(
                        "mean correlation between views; {} if learned separately",
                        significant(floor)
                    )
                },
            ),
        });
    }
    let alone = verdict.isolated.len();
    keys.push(Key {
        name: "Parts",
        value: verdict.n_components.to_string(),
        note: match (verdict.n_components, alone) {
            (1, _) => "everything is joined".into(),
            (_, 0) => "that nothing joins to each other".into(),
            _ => format!("of which {} on its own", plural(alone, "node")),
        },
    });
    keys
}

/// The consensus graph.
#[derive(Serialize)]
pub(super) struct Consensus {
    figure: Figure,
    shown: usize,
    n_edges: usize,
    nodes: Vec<String>,
}

impl Consensus {
    pub(super) fn new(findings: &Findings, drawn: &Network) -> Self {
        Self {
            figure: Figure {
                name: "consensus",
                headline: network::headline(findings),
                svg: drawn.draw(findings),
                caption: network::caption(findings),
            },
            shown: drawn.shown,
            n_edges: findings.verdict.n_shared.min(crate::data::MOST_EDGES),
            nodes: findings.graph.nodes().to_vec(),
        }
    }
}

/// Who is like the group.
#[derive(Serialize)]
pub(super) struct Ranking {
    figure: Figure,
}

impl Ranking {
    pub(super) fn new(findings: &Findings) -> Option<Self> {
        let svg = ranking::draw(findings).filter(|_| findings.views.len() > 1)?;
        let ranked = ranking::ranked(findings);
        let outliers: Vec<String> = ranked
            .iter()
            .filter(|view| view.is_outlier)
            .map(|view| words::short(&view.name, words::NAME))
            .collect();
        let headline = match &outliers[..] {
            [] => "No view stands out".into(),
            [one] => format!("{one} stands out"),
            several if several.len() <= 4 => format!("{} stand out", several.join(", ")),
            several => format!("{} views stand out", several.len()),
        };
        let more = if ranked.len() > ranking::ROWS {
            format!(
                " The {} of {} views that differ most are drawn; all are listed under Data.",
                ranking::ROWS,
                ranked.len()
            )
        } else {
            String::new()
        };
        let caption = format!(
            "Uniqueness is the share of a view's and the consensus's weight that the two do not have in common. A view stands out (diamond) if it is \
             more than 3.5 scaled median deviations, and 0.05, above the median of five views or more.{more}"
        );
        Some(Self {
            figure: Figure {
                name: "ranking",
                headline,
                svg,
                caption,
            },
        })
    }
}

pub(super) fn similarity_figure(findings: &Findings, map: Heatmap) -> Figure {
    let headline = findings.similarities.as_ref().map_or_else(String::new, |found| {
        let name = |view: usize| words::short(&findings.views[view].name, words::NAME);
        let ([a, b], near) = found.nearest;
        let ([c, d], far) = found.farthest;
        if findings.views.len() == 2 {
            format!("{} and {} correlate with {}", name(a), name(b), significant(near))
        } else {
            format!(
                "{} and {} are most alike ({}), {} and {} least ({})",
                name(a),
                name(b),
                significant(near),
                name(c),
                name(d),
                significant(far)
            )
        }
    });
    Figure {
        name: "similarity",
        headline,
        svg: map.svg,
        caption: "Pearson correlation between the weights of two views over all pairs of nodes. Views are ordered by average-linkage clustering, so \
                  that groups show as blocks."
            .into(),
    }
}

/// What views add to the consensus and what they lack.
#[derive(Serialize)]
pub(super) struct Differences {
    multiples: Vec<Small>,
    caption: String,
}

#[derive(Serialize)]
struct Small {
    name: String,
    is_outlier: bool,
    added: usize,
    missing: usize,
    svg: String,
}

impl Differences {
    pub(super) fn new(findings: &Findings, drawn: &Network) -> Option<Self> {
        let ranked = ranking::ranked(findings);
        if ranked.len() < 2 {
            return None;
        }
        let small = |multiple: multiples::Multiple<'_>| Small {
            name: multiple.view.name.clone(),
            is_outlier: multiple.view.is_outlier,
            added: multiple.view.added.len(),
            missing: multiple.view.missing.len(),
            svg: multiple.svg,
        };
        let more = if ranked.len() > multiples::MOST {
            format!(" The {} views that differ most, of {}.", multiples::MOST, ranked.len())
        } else {
            String::new()
        };
        Some(Self {
            multiples: multiples::draw(findings, drawn, &ranked)
                .into_iter()
                .map(small)
                .collect(),
            caption: format!(
                "Nodes are where they are in the consensus graph. Views in order of their distance from it, the furthest first.{more}"
            ),
        })
    }
}

/// Communities.
#[derive(Serialize)]
pub(super) struct Communities {
    headline: String,
    caption: String,
    groups: Vec<CommunityRow>,
    agreement: Vec<(String, String)>,
}

#[derive(Serialize)]
struct CommunityRow {
    number: usize,
    size: usize,
    key: String,
    members: String,
}

/// The most communities that are listed.
const COMMUNITIES: usize = 24;

impl Communities {
    pub(super) fn new(findings: &Findings) -> Option<Self> {
        let found = findings.known.communities.as_ref()?;
        let n = found.labels.iter().max().map_or(0, |most| most + 1);
        let members = |community: usize| -> Vec<&str> {
            let nodes = findings.graph.nodes().iter().zip(&found.labels);
            nodes
                .filter(|(_, label)| **label == community)
                .map(|(name, _)| name.as_str())
                .collect()
        };
        let row = |number: usize| {
            let names = members(number);
            let mut svg = Svg::figure(
                &format!("community-{number}"),
                18.0,
                18.0,
                &format!("Community {}", number + 1),
                "",
            );
            svg.path(&format!("node c{}", number % SHAPES), &mark(number, [9.0, 9.0], 6.0));
            CommunityRow {
                number: number + 1,
                size: names.len(),
                key: svg.finish(),
                members: names.join(", "),
            }
        };
        let told = found
            .modularity
            .map_or_else(String::new, |value| format!(", modularity {}", significant(value)));
        let listed = if n > COMMUNITIES {
            format!(" The {COMMUNITIES} largest of {n} are listed.")
        } else {
            String::new()
        };
        let names = findings.graph.views().iter().cloned();
        Some(Self {
            headline: format!("{n} {}{told}", if n == 1 { "community" } else { "communities" }),
            caption: format!(
                "Nodes that are joined more strongly than their strengths alone would let one expect (modularity, by Leiden).{listed} Agreement is the \
                 normalised mutual information between a view's own communities and these: 1 if they are the same."
            ),
            groups: (0..n.min(COMMUNITIES)).map(row).collect(),
            agreement: names
                .zip(found.agreement.iter().map(|value| format!("{value:.2}")))
                .collect(),
        })
    }
}

/// The path.
#[derive(Serialize)]
pub(super) struct Dials {
    headline: String,
    map: String,
    graph: String,
    caption: String,
    n_densities: usize,
    n_similarities: usize,
    density: usize,
    similarity: usize,
}

impl Dials {
    pub(super) fn new(findings: &Findings, drawn: &Network, map: PathMap) -> Self {
        let cells = &findings.known.path;
        let chosen = cells.iter().find(|cell| cell.is_chosen).or(cells.first());
        let place = |values: &[f64], value: f64| values.iter().position(|other| *other == value).unwrap_or(0);
        let (density, similarity) = chosen.map_or((0, 0), |cell| {
            (
                place(&map.densities, cell.density_target),
                place(&map.similarities, cell.similarity_target),
            )
        });
        let headline = chosen.map_or_else(String::new, |cell| {
            format!(
                "Density {} and similarity {} were chosen: their edges come back best in other halves of the data",
                significant(cell.density_target),
                significant(cell.similarity_target)
            )
        });
        Self {
            headline,
            graph: drawn.draw_cell(findings, chosen.map_or(&[], |cell| &cell.consensus[..]), "The consensus at the dials' setting"),
            caption: "Each cell is a fit. Its number is the agreement of the consensus edges between halves of the data, beyond chance; the frame is the \
                      choice. Cells that cannot be reached are left out."
                .into(),
            n_densities: map.densities.len() - 1,
            n_similarities: map.similarities.len() - 1,
            density,
            similarity,
            map: map.svg,
        }
    }
}

/// Could this be an artefact?
#[derive(Serialize)]
pub(super) struct Artefact {
    headline: String,
    figures: Vec<Figure>,
    notes: Vec<String>,
}

impl Artefact {
    pub(super) fn new(findings: &Findings) -> Self {
        let mut figures = Vec::new();
        let mut notes = Vec::new();
        let mut doubts = Vec::new();
        match &findings.geometry {
            Some(geometry) => {
                if geometry.is_mostly_near() {
                    doubts.push("neighbours explain most edges");
                }
                figures.push(Figure {
                    name: "lengths",
                    headline: format!(
                        "{} of the edges join neighbours; chance would give {}",
                        percent(geometry.neighbour_share),
                        percent(geometry.chance)
                    ),
                    svg: lengths::draw(geometry),
                    caption: format!(
                        "Two nodes are neighbours if one is among the other's four nearest. By weight, neighbours have {}. What spreads through the \
                         medium (volume conduction) joins neighbours even where nothing is connected.",
                        percent(geometry.weight_share)
                    ),
                });
            }
            None => notes.push(
                "Positions of the nodes are not known, so edge lengths cannot be compared with chance. With columns x, y (and z) in nodes.tsv they would be."
                    .to_owned(),
            ),
        }
        for (k, influence) in findings.influences.iter().enumerate() {
            let verdict = scatter::verdict(influence);
            if verdict.starts_with("Careful") {
                doubts.push("something follows variance or sample count");
            }
            let names = ["influence-1", "influence-2", "influence-3"];
            let name = names[k.min(2)];
            let title = match (influence.of, influence.up) {
                ("node", _) => "Strength against variance",
                (_, "density") => "Density against the number of samples",
                _ => "Uniqueness against the number of samples",
            };
            figures.push(Figure {
                name,
                headline: title.into(),
                svg: scatter::draw(influence, name),
                caption: verdict,
            });
        }
        if findings.known.variances.is_none() {
            notes.push("The variances of the nodes are not known.".into());
        }
        let samples: Vec<usize> = findings.views.iter().filter_map(|view| view.n_samples).collect();
        if samples.len() == findings.views.len() && samples.len() > 1 && samples.iter().all(|n| *n == samples[0]) {
            notes.push(format!(
                "All views have {}: a different amount of data cannot explain differences.",
                plural(samples[0], "sample")
            ));
        }
        doubts.dedup();
        Self {
            headline: if doubts.is_empty() {
                "Nothing here says so".into()
            } else {
                format!("Careful: {}", doubts.join("; "))
            },
            figures,
            notes,
        }
    }
}

/// How close to optimal.
#[derive(Serialize)]
pub(super) struct Convergence {
    figure: Option<Figure>,
    rows: Vec<(&'static str, String)>,
}

impl Convergence {
    pub(super) fn new(findings: &Findings) -> Self {
        let Some(summary) = &findings.known.summary else {
            return Self {
                figure: None,
                rows: Vec::new(),
            };
        };
        let converged = summary.converged.unwrap_or(false);
        let figure = summary.relative_gap.map(|value| Figure {
            name: "gap",
            headline: if converged { "Converged, with proof" } else { "Not converged" }.into(),
            svg: gap::draw(value, converged),
            caption: "No graph can have an objective below the lower bound; the gap between them is the most that could still be gained.".into(),
        });
        let number = |value: Option<f64>| value.map(|value| format!("{value:.10}"));
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
