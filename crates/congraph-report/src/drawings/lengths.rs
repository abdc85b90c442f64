//! How long edges are, against all pairs of nodes: what edges drawn at random would look like.

use congraph_record::findings::{Geometry, Unit};

use super::axis;
use crate::svg::{self, Svg, at};
use crate::words;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const FRAME: [f64; 4] = [52.0, 34.0, 440.0, 200.0];

/// Bars of the edges' lengths, and a line of those of all pairs.
pub(crate) fn draw(geometry: &Geometry) -> String {
    let [left, top, right, floor] = FRAME;
    let n = geometry.edge_lengths.len();
    let highest = geometry
        .edge_lengths
        .iter()
        .chain(&geometry.pair_lengths)
        .copied()
        .fold(1e-9, f64::max);
    let across = |k: f64| left + (right - left) * k / n as f64;
    let up = |share: f64| floor - (floor - top) * share / highest;
    let mut svg = Svg::figure(
        "lengths",
        WIDTH,
        HEIGHT,
        "Lengths of edges against those of all pairs",
        &description(geometry),
    );
    let ticks = axis::ticks(0.0, highest, 3);
    for &tick in &ticks {
        svg.line("grid", [left, up(tick)], [right, up(tick)]);
        svg.text("tick end", [left - 6.0, up(tick) + 4.0], &words::percent(tick));
    }
    let bars = geometry.edge_lengths.iter().enumerate();
    let bars = bars.map(|(k, &share)| {
        svg::rectangle(
            across(k as f64) + 1.0,
            up(share),
            across(1.0) - across(0.0) - 2.0,
            floor - up(share),
        )
    });
    svg.path("bar", &bars.collect::<String>());
    let mut line = format!("M{} {}", at(left), at(floor));
    for (k, &share) in geometry.pair_lengths.iter().enumerate() {
        line += &format!("V{}H{}", at(up(share)), at(across(k as f64 + 1.0)));
    }
    svg.path("chance", &format!("{line}V{}", at(floor)));
    svg.line("axis", [left, floor], [right, floor]);
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let class = if share < 1.0 { "tick middle" } else { "tick end" };
        let text = length(geometry, share * geometry.longest);
        svg.text(class, [across(share * n as f64), floor + 16.0], &text);
    }
    svg.text(
        "axis-title middle",
        [0.5 * (left + right), floor + 36.0],
        "distance between the two nodes",
    );
    legend(&mut svg, left);
    svg.finish()
}

fn description(geometry: &Geometry) -> String {
    format!(
        "The mean edge is {} long, the mean distance between two nodes {}. {} of the edges join neighbours, against \
         {} of all pairs.",
        length(geometry, geometry.mean_edge),
        length(geometry, geometry.mean_pair),
        words::percent(geometry.neighbour_share),
        words::percent(geometry.chance)
    )
}

fn legend(svg: &mut Svg, left: f64) {
    svg.path("bar", &svg::rectangle(left, 8.0, 14.0, 10.0));
    svg.text("tick start", [left + 20.0, 17.0], "edges");
    svg.line("chance", [left + 76.0, 13.0], [left + 100.0, 13.0]);
    svg.text("tick start", [left + 106.0, 17.0], "all pairs (chance)");
}

/// A length with its unit, if that is known.
pub(crate) fn length(geometry: &Geometry, value: f64) -> String {
    match geometry.unit {
        Unit::Metres => format!("{} mm", words::significant((1e3 * value).round())),
        Unit::Kilometres => format!("{} km", words::significant(value)),
        Unit::Own => words::significant(value),
    }
}
