//! The path over densities and similarities, if one was fitted.

use congraph::tune::stability::AS_GOOD;
use congraph_record::findings::{Findings, PathCell};
use serde::Serialize;

use crate::drawings::Network;
use crate::drawings::path_map::PathMap;
use crate::words::{share, significant};

/// The path.
#[derive(Serialize)]
pub(in crate::page) struct Dials {
    headline: String,
    map: String,
    /// None of too many nodes.
    graph: Option<String>,
    caption: String,
    n_densities: usize,
    n_similarities: usize,
    density: usize,
    similarity: usize,
}

impl Dials {
    pub(in crate::page) fn new(findings: &Findings, drawn: Option<&Network>, map: PathMap) -> Self {
        let cells = &findings.known.path;
        let chosen = cells.iter().find(|cell| cell.is_chosen).or(cells.first());
        let place = |values: &[f64], value: f64| values.iter().position(|other| *other == value).unwrap_or(0);
        let (density, similarity) = chosen.map_or((0, 0), |cell| {
            (
                place(&map.densities, cell.density_target),
                place(&map.similarities, cell.similarity_target),
            )
        });
        let headline = chosen.map_or_else(String::new, |cell| headline(findings, cell));
        Self {
            headline,
            graph: drawn.map(|drawn| {
                drawn.draw_cell(
                    findings,
                    chosen.map_or(&[], |cell| &cell.consensus[..]),
                    chosen.map_or(0, |cell| cell.n_edges),
                    "The consensus at the dials' setting",
                )
            }),
            caption: caption(cells.iter().any(|cell| cell.gain.is_some())),
            n_densities: map.densities.len() - 1,
            n_similarities: map.similarities.len() - 1,
            density,
            similarity,
            map: map.svg,
        }
    }
}

/// What the numbers of the map are, and how one is taken.
fn caption(is_by_likelihood: bool) -> String {
    if is_by_likelihood {
        return "Each cell is a fit. Its number is the share of the best gain in likelihood: how much likelier one half \
                of the data is on each view's graph from the other half than if nodes were independent. The frame is \
                the choice. The best cell itself is usually a little too dense, so the sparsest density that keeps \
                nearly all of its gain is taken, and there the similarity with the highest gain. Cells that cannot be \
                reached are left out."
            .into();
    }
    format!(
        "Each cell is a fit. Its number is the agreement of the consensus edges between halves of the data, \
         beyond chance; the frame is the choice. Agreement alone would prefer views that are made equal, so \
         the similarity at each density is the one at which a view in one half predicts itself in the other \
         best. Of these fits the densest within {AS_GOOD} of the best agreement is taken, among those that are \
         stable enough. Cells that cannot be reached are left out."
    )
}

/// What was chosen, and by what: the highest number of the map is rarely it.
fn headline(findings: &Findings, cell: &PathCell) -> String {
    let tune = findings
        .known
        .summary
        .as_ref()
        .and_then(|summary| summary.tune.as_ref());
    let chosen = format!(
        "Density {} and similarity {} were chosen",
        significant(cell.density_target),
        significant(cell.similarity_target)
    );
    if let Some((keep, gain)) = tune.and_then(|tune| tune.keep.zip(tune.gain)) {
        return format!(
            "{chosen}: the sparsest fits with at least {} of the best held-out likelihood, and of these the likeliest \
             ({gain:.3} nats per value more than without edges)",
            share(keep)
        );
    }
    if tune.and_then(|tune| tune.is_within) == Some(false) {
        return format!(
            "{chosen}: no fit is stable enough, and of those that predict the other half best at each density this \
            one is the most stable"
        );
    }
    let agreement = cell
        .agreement
        .map_or_else(String::new, |value| format!(" ({value:.2})"));
    format!(
        "{chosen}: of the fits that predict the other half of the data best at each density, the densest within \
         {AS_GOOD} of the best agreement of these{agreement}"
    )
}
