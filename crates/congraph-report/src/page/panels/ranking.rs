//! Who is like the group.

use congraph_record::findings::{ENOUGH, Findings, ViewFinding};
use serde::Serialize;

use super::Figure;
use crate::drawings::ranking;
use crate::page::is_projection;
use crate::words;

/// Who is like the group.
#[derive(Serialize)]
pub(in crate::page) struct Ranking {
    figure: Figure,
    /// All views in this order, if they are too many to be named in the figure.
    rows: Vec<RankRow>,
}

#[derive(Serialize)]
struct RankRow {
    name: String,
    uniqueness: String,
    is_outlier: bool,
}

impl Ranking {
    pub(in crate::page) fn new(findings: &Findings) -> Option<Self> {
        let svg = ranking::draw(findings).filter(|_| findings.views.len() > 1 || is_projection(findings))?;
        let ranked = ranking::ranked(findings);
        let outliers: Vec<String> = ranked
            .iter()
            .filter(|view| view.is_outlier)
            .map(|view| words::view(findings, view))
            .collect();
        let of_fit = ranking::of_fit(findings);
        let headline = match &outliers[..] {
            _ if !of_fit.is_empty() => beside(findings, &ranked, of_fit),
            [] if ranked.len() < ENOUGH => too_few(findings, &ranked),
            [] => "No view stands out".into(),
            [one] => format!("{one} stands out"),
            several if several.len() <= 4 => format!("{} stand out", several.join(", ")),
            several => format!("{} views stand out", several.len()),
        };
        let more = if ranked.len() > ranking::ROWS {
            format!(
                " The {} of {} views that differ most have rows of their own; all are dots above them, and listed \
                under Data.",
                ranking::ROWS,
                ranked.len()
            )
        } else {
            String::new()
        };
        let caption = format!(
            "Uniqueness is the share of a view's and the consensus's weight that the two do not have in common. A view \
             stands out (diamond) if it is more than 3.5 scaled median deviations, and 0.05, above the median of five \
             views or more.{more}{}",
            match of_fit {
                [] => String::new(),
                [first, .., last] => format!(
                    " The small marks on the axis are the {} views of the fit, from {} to {}.",
                    of_fit.len(),
                    words::significant(*first),
                    words::significant(*last)
                ),
                [one] => format!(
                    " The small mark on the axis is the view of the fit, at {}.",
                    words::significant(*one)
                ),
            }
        );
        Some(Self {
            figure: Figure {
                name: "ranking",
                headline,
                svg,
                caption,
            },
            rows: if ranked.len() > ranking::ROWS {
                ranked.iter().rev().map(|view| RankRow::new(view)).collect()
            } else {
                Vec::new()
            },
        })
    }
}

impl RankRow {
    fn new(view: &ViewFinding) -> Self {
        Self {
            name: view.name.clone(),
            uniqueness: view
                .uniqueness
                .map_or_else(|| "–".into(), |value| format!("{value:.3}")),
            is_outlier: view.is_outlier,
        }
    }
}

/// New views among those of the fit.
fn beside(findings: &Findings, ranked: &[&ViewFinding], of_fit: &[f64]) -> String {
    let most = of_fit.last().copied().unwrap_or(0.0);
    // A view of the fit that is projected again comes back nearly as it was.
    let is_far = |view: &&&ViewFinding| view.uniqueness.unwrap_or(0.0) > most + 1e-6;
    let far: Vec<String> = ranked
        .iter()
        .filter(is_far)
        .map(|view| words::view(findings, view))
        .collect();
    match &far[..] {
        [] if ranked.len() == 1 => format!("As near to the consensus as the {} views of the fit", of_fit.len()),
        [] => format!(
            "All are as near to the consensus as the {} views of the fit",
            of_fit.len()
        ),
        [one] => format!(
            "{one} is further from the consensus than any of the {} views of the fit",
            of_fit.len()
        ),
        several if several.len() <= 4 => format!(
            "{} are further from the consensus than any of the {} views of the fit",
            several.join(", "),
            of_fit.len()
        ),
        several => format!(
            "{} of {} are further from the consensus than any of the {} views of the fit",
            several.len(),
            ranked.len(),
            of_fit.len()
        ),
    }
}

/// With few views none can be said to stand out; how far they are can be told all the same.
fn too_few(findings: &Findings, ranked: &[&ViewFinding]) -> String {
    let name = |view: &ViewFinding| words::view(findings, view);
    let far = |view: &ViewFinding| words::significant(view.uniqueness.unwrap_or(0.0));
    match ranked {
        [] => "No view".into(),
        [one] => format!("{} has a uniqueness of {}", name(one), far(one)),
        [first, .., last] if far(first) == far(last) => {
            format!("All views are equally far from the consensus ({})", far(last))
        }
        [.., second, last] => format!(
            "With {} views, none can be said to stand out (at least five are needed); {} is furthest from the \
             consensus ({}), then {} ({})",
            ranked.len(),
            name(last),
            far(last),
            name(second),
            far(second)
        ),
    }
}
