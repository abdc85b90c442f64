//! Could this be an artefact?

use congraph::findings::Findings;
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
