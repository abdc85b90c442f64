//! How close to optimal: the relative gap on a scale of powers of ten.

use crate::svg::{self, Svg};
use crate::words;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 82.0;
const LEFT: f64 = 24.0;
const RIGHT: f64 = 436.0;

/// `gap` and the tolerance it was held to.
pub(crate) fn draw(gap: f64, converged: bool) -> String {
    let across = |value: f64| {
        let power = value.max(1e-16).log10().clamp(-16.0, 0.0);
        LEFT + (RIGHT - LEFT) * (power + 16.0) / 16.0
    };
    let description = format!(
        "The objective exceeds its lower bound by a share of {}; the solver {} its tolerance.",
        words::gap(gap),
        if converged { "reached" } else { "did not reach" }
    );
    let mut svg = Svg::figure("gap", WIDTH, HEIGHT, "How close to optimal the result is", &description);
    svg.line("axis", [LEFT, 36.0], [RIGHT, 36.0]);
    for power in [-16, -12, -8, -4, 0] {
        let x = across(10_f64.powi(power));
        svg.line("axis", [x, 32.0], [x, 40.0]);
        let text = if power == 0 { "1".into() } else { format!("1e{power}") };
        svg.text("tick middle", [x, 56.0], &text);
    }
    let (class, shape) = if converged { ("dot", 0) } else { ("dot outlier", 3) };
    svg.path(class, &svg::mark(shape, [across(gap), 36.0], 6.0));
    let x = across(gap);
    let anchor = if x < 120.0 {
        "start"
    } else if x > 340.0 {
        "end"
    } else {
        "middle"
    };
    svg.text(
        &format!("value {anchor}"),
        [x, 22.0],
        &format!("gap {}", words::gap(gap)),
    );
    svg.text("tick start", [LEFT - 16.0, 76.0], "exact to rounding");
    svg.text("tick end", [RIGHT + 8.0, 76.0], "no proof");
    svg.finish()
}
