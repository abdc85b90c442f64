//! Could this be an artefact?

use congraph_record::findings::{Findings, Geometry, Influence, Unit};
use serde::Serialize;

use super::Figure;
use crate::drawings::{lengths, scatter};
use crate::words::{percent, plural};

/// Could this be an artefact?
#[derive(Serialize)]
pub(in crate::page) struct Artefact {
    headline: String,
    figures: Vec<Figure>,
    notes: Vec<String>,
}

impl Artefact {
    pub(in crate::page) fn new(findings: &Findings) -> Self {
        let mut figures = Vec::new();
        let mut notes = Vec::new();
        let mut doubts: Vec<&str> = Vec::new();
        // What could be looked at, and what could not.
        let (mut checked, mut unchecked) = (0, Vec::new());
        match &findings.geometry {
            Some(geometry) => {
                checked += 1;
                if geometry.follows_distance() {
                    doubts.push("edges follow distance");
                }
                figures.push(near(geometry));
            }
            None => {
                unchecked.push("edge lengths");
                notes.push(unplaced(findings));
            }
        }
        for (k, influence) in findings.influences.iter().enumerate() {
            let names = ["influence-1", "influence-2", "influence-3"];
            let name = names[k.min(2)];
            let (title, doubt) = match (influence.of, influence.up) {
                ("node", _) => ("Strength against variance", "strength follows variance"),
                (_, "density") => (
                    "Density against the number of samples",
                    "density follows the number of samples",
                ),
                _ => (
                    "Uniqueness against the number of samples",
                    "uniqueness follows the number of samples",
                ),
            };
            match influence.correlation {
                Some(value) => {
                    checked += 1;
                    if value.abs() >= CLEAR {
                        doubts.push(doubt);
                    }
                }
                None => unchecked.push(title),
            }
            figures.push(Figure {
                name,
                headline: title.into(),
                svg: scatter::draw(influence, name),
                caption: relation(influence),
            });
        }
        if findings.known.variances.is_none() {
            unchecked.push("strength against variance");
            notes.push("The variances of the nodes are not known.".into());
        }
        let samples: Vec<usize> = findings.views.iter().filter_map(|view| view.n_samples).collect();
        if samples.len() < findings.views.len() {
            unchecked.push("numbers of samples");
        } else if samples.len() > 1 && samples.iter().all(|n| *n == samples[0]) {
            notes.push(format!(
                "All views have {}: a different amount of data cannot explain differences.",
                plural(samples[0], "sample")
            ));
        }
        let headline = match (&doubts[..], checked, &unchecked[..]) {
            ([_, ..], _, _) => format!("Careful: {}", doubts.join("; ")),
            ([], 0, _) => "This could not be checked".into(),
            ([], _, []) => "Nothing here says so".into(),
            ([], _, missing) => format!(
                "Nothing that could be checked says so; not checked: {}",
                missing.join(", ").to_lowercase()
            ),
        };
        Self {
            headline,
            figures,
            notes,
        }
    }
}

/// Rank correlations from here on are worth a word, and from there on a stronger one.
const CLEAR: f64 = 0.5;
const STRONG: f64 = 0.8;

fn near(geometry: &Geometry) -> Figure {
    Figure {
        name: "lengths",
        headline: format!(
            "{} of the edges join neighbours, {:.1} times what chance would give ({})",
            percent(geometry.neighbour_share),
            geometry.ratio(),
            percent(geometry.chance)
        ),
        svg: lengths::draw(geometry),
        caption: format!(
            "The mean edge is {} long, the mean distance between two nodes {}. Two nodes are neighbours if one is \
             among the other's four nearest. By weight, neighbours have {}. {} joins neighbours even where nothing is \
             connected.",
            lengths::length(geometry, geometry.mean_edge),
            lengths::length(geometry, geometry.mean_pair),
            percent(geometry.weight_share),
            shared(geometry.unit)
        ),
    }
}

/// What neighbours have in common, in the words of the place.
fn shared(unit: Unit) -> &'static str {
    match unit {
        Unit::Metres => "What spreads through the head (volume conduction)",
        Unit::Kilometres => "Weather, or whatever else places near each other share,",
        Unit::Own => "Whatever nodes near each other share",
    }
}

/// Why edge lengths cannot be compared with chance.
fn unplaced(findings: &Findings) -> String {
    if findings.known.positions.is_none() {
        let command = findings.known.command.as_deref().and_then(<[String]>::first);
        let how = if command.is_some_and(|program| program == "python") {
            "With the places of the nodes (`positions` of the views, or the estimator's `positions_`) they would be."
        } else {
            "With columns x, y (and z) in nodes.tsv they would be."
        };
        return format!("Positions of the nodes are not known, so edge lengths cannot be compared with chance. {how}");
    }
    if findings.verdict.n_shared == 0 {
        "Without an edge there are no lengths to compare with chance.".into()
    } else {
        "Edge lengths are not compared with chance: the nodes are too few, or all in one place.".into()
    }
}

/// What a rank correlation means, in words.
fn relation(influence: &Influence) -> String {
    let what = match influence.of {
        "node" => "nodes of larger variance",
        _ => "views with more samples",
    };
    let up = match influence.up {
        "strength" => ["more strongly connected", "less strongly connected"],
        "density" => ["denser", "sparser"],
        _ => ["further from the consensus", "nearer to it"],
    };
    match influence.correlation {
        Some(value) if value.abs() >= CLEAR => {
            let strength = if value.abs() >= STRONG { "clearly" } else { "rather" };
            format!(
                "Careful: {what} are {strength} {} (rank correlation {value:.2}).",
                up[usize::from(value < 0.0)]
            )
        }
        Some(value) => format!("No clear relation (rank correlation {value:.2})."),
        None => "Too few points, or no variation, to tell.".into(),
    }
}
