//! The path over densities and similarities, if one was fitted.

use congraph::findings::Findings;
use serde::Serialize;

use crate::drawings::Network;
use crate::drawings::path_map::PathMap;
use crate::words::significant;

/// The path.
#[derive(Serialize)]
pub(in crate::page) struct Dials {
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
    pub(in crate::page) fn new(findings: &Findings, drawn: &Network, map: PathMap) -> Self {
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
            graph: drawn.draw_cell(
                findings,
                chosen.map_or(&[], |cell| &cell.consensus[..]),
                chosen.map_or(0, |cell| cell.n_edges),
                "The consensus at the dials' setting",
            ),
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
