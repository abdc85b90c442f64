//! One quantity against another that should have nothing to do with it.

use congraph_record::findings::Influence;

use super::axis;
use crate::svg::{self, Svg};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 266.0;
const FRAME: [f64; 4] = [58.0, 32.0, 440.0, 216.0];

pub(crate) fn draw(influence: &Influence, id: &str) -> String {
    let [left, top, right, floor] = FRAME;
    let range = |axis: usize| {
        let values = influence.points.iter().map(|point| point[axis]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        // What does not vary gets an axis all the same.
        let room = if high - low > 1e-9 * high.abs() {
            0.06 * (high - low)
        } else if high == 0.0 {
            1.0
        } else {
            0.5 * high.abs()
        };
        (low - room, high + room)
    };
    let (x, y) = (range(0), range(1));
    let across = |value: f64| left + (right - left) * (value - x.0) / (x.1 - x.0);
    let up = |value: f64| floor - (floor - top) * (value - y.0) / (y.1 - y.0);
    let title = format!("{} against {} of each {}", influence.up, influence.across, influence.of);
    let description = match influence.correlation {
        Some(value) => format!(
            "{} points; their rank correlation is {value:.2}.",
            influence.points.len()
        ),
        None => format!("{} points.", influence.points.len()),
    };
    let mut svg = Svg::figure(id, WIDTH, HEIGHT, &title, &description);
    let ticks = axis::ticks(y.0, y.1, 3);
    for &tick in &ticks {
        svg.line("grid", [left, up(tick)], [right, up(tick)]);
        svg.text("tick end", [left - 6.0, up(tick) + 4.0], &axis::label(tick, &ticks));
    }
    let ticks = axis::ticks(x.0, x.1, 4);
    for &tick in &ticks {
        svg.text("tick middle", [across(tick), floor + 16.0], &axis::label(tick, &ticks));
    }
    svg.line("axis", [left, floor], [right, floor]);
    let marks = influence
        .points
        .iter()
        .map(|point| svg::mark(0, [across(point[0]), up(point[1])], 3.2));
    svg.path("point", &marks.collect::<String>());
    svg.text(
        "axis-title middle",
        [0.5 * (left + right), floor + 36.0],
        influence.across,
    );
    // Above the frame: inside it would lie on points.
    svg.text("axis-title start", [left - 40.0, top - 14.0], influence.up);
    svg.finish()
}
