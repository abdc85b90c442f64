//! The path as a map: densities to the right, similarities up, and as shade what cells were judged by: their share of the
//! best gain in held-out likelihood, or the agreement of halves. The chosen cell has a frame.

use congraph_record::findings::PathCell;

use super::heatmap::STEPS;
use crate::svg::{self, Svg};
use crate::words;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 16.0;
const ROW: f64 = 36.0;

/// Where the cells are, for the scripts.
pub(crate) struct PathMap {
    pub(crate) svg: String,
    /// The densities and similarities of the grid.
    pub(crate) densities: Vec<f64>,
    pub(crate) similarities: Vec<f64>,
    /// The left top corner and the size of the cells.
    pub(crate) corner: [f64; 2],
    pub(crate) cell: [f64; 2],
}

/// The drawing; none without a path.
pub(crate) fn draw(cells: &[PathCell]) -> Option<PathMap> {
    let sorted = |value: fn(&PathCell) -> f64| {
        let mut values: Vec<f64> = cells.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let densities = sorted(|cell| cell.density_target);
    let similarities = sorted(|cell| cell.similarity_target);
    if densities.is_empty() || similarities.is_empty() {
        return None;
    }
    let column = ((WIDTH - LEFT - 130.0) / densities.len() as f64).min(72.0);
    let floor = TOP + ROW * similarities.len() as f64;
    let description = description(cells, densities.len(), similarities.len());
    let mut svg = Svg::figure("path-map", WIDTH, floor + 48.0, "All fits of the path", &description);
    let frame = shades(&mut svg, cells, &densities, &similarities, column);
    axes(&mut svg, &densities, &similarities, column, floor);
    // Last, so that they lie above the cells.
    svg.path("frame", &frame);
    svg.element("path", &[("class", "cursor"), ("d", "")]);
    Some(PathMap {
        svg: svg.finish(),
        densities,
        similarities,
        corner: [LEFT, TOP],
        cell: [column, ROW],
    })
}

fn description(cells: &[PathCell], n_densities: usize, n_similarities: usize) -> String {
    let chosen = cells.iter().find(|cell| cell.is_chosen);
    format!(
        "{} fits over {n_densities} densities and {n_similarities} similarities.{}",
        cells.len(),
        chosen.map_or_else(String::new, |cell| format!(
            " Chosen: density {} and similarity {}.",
            words::significant(cell.density_target),
            words::significant(cell.similarity_target)
        ))
    )
}

/// The cells with their numbers; returns the frame around the chosen one.
fn shades(svg: &mut Svg, cells: &[PathCell], densities: &[f64], similarities: &[f64], column: f64) -> String {
    let best = cells.iter().filter_map(|cell| cell.gain).fold(0.0, f64::max);
    let number = |cell: &PathCell| match cell.gain {
        Some(gain) => Some(if best > 0.0 { gain / best } else { 0.0 }),
        None => cell.agreement,
    };
    let (low, high) = cells
        .iter()
        .filter_map(number)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    let place = |values: &[f64], value: f64| values.iter().position(|other| *other == value).unwrap_or(0);
    let mut frame = String::new();
    for cell in cells {
        let i = place(densities, cell.density_target);
        let j = similarities.len() - 1 - place(similarities, cell.similarity_target);
        let (x, y) = (LEFT + column * i as f64, TOP + ROW * j as f64);
        let value = number(cell);
        let class = match value {
            Some(value) if high > low => (((value - low) / (high - low) * STEPS as f64) as usize).min(STEPS - 1),
            _ => STEPS / 2,
        };
        svg.path(
            &format!("h{class}"),
            &svg::rectangle(x + 1.0, y + 1.0, column - 2.0, ROW - 2.0),
        );
        let dark = if class > STEPS / 2 { " on-dark" } else { "" };
        let text = value.map_or_else(|| cell.n_edges.to_string(), |value| format!("{value:.2}"));
        svg.text(
            &format!("cell middle{dark}"),
            [x + 0.5 * column, y + 0.5 * ROW + 4.0],
            &text,
        );
        if cell.is_chosen {
            frame = svg::rectangle(x, y, column, ROW);
        }
    }
    frame
}

fn axes(svg: &mut Svg, densities: &[f64], similarities: &[f64], column: f64, floor: f64) {
    for (k, value) in similarities.iter().rev().enumerate() {
        svg.text(
            "tick end",
            [LEFT - 8.0, TOP + ROW * (k as f64 + 0.5) + 4.0],
            &words::significant(*value),
        );
    }
    for (k, value) in densities.iter().enumerate() {
        svg.text(
            "tick middle",
            [LEFT + column * (k as f64 + 0.5), floor + 16.0],
            &words::significant(*value),
        );
    }
    svg.text(
        "axis-title middle",
        [LEFT + 0.5 * column * densities.len() as f64, floor + 36.0],
        "density",
    );
    let turn = format!("translate(16 {}) rotate(-90)", svg::at(0.5 * (TOP + floor)));
    svg.open("g", &[("transform", &turn)]);
    svg.text("axis-title middle", [0.0, 0.0], "similarity");
    svg.close();
}
