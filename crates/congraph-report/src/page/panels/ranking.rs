//! Who is like the group.

use congraph::findings::Findings;
use serde::Serialize;

use super::Figure;
use crate::drawings::ranking;
use crate::words;

/// Who is like the group.
#[derive(Serialize)]
pub(in crate::page) struct Ranking {
    figure: Figure,
}

impl Ranking {
    pub(in crate::page) fn new(findings: &Findings) -> Option<Self> {
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
