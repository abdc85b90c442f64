//! Who is like the group: the views by how far they are from the consensus, nearest first.

use congraph::findings::{Findings, ViewFinding};

use super::axis;
use crate::svg::{self, Svg};
use crate::words;

/// The most views that get a row; the others are in the table of views.
pub(crate) const ROWS: usize = 40;
const WIDTH: f64 = 540.0;
const ROW: f64 = 19.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 40.0;

/// The views by uniqueness, the nearest first; the drawn ones are the furthest.
pub(crate) fn ranked(findings: &Findings) -> Vec<&ViewFinding> {
    let mut views: Vec<&ViewFinding> = findings.views.iter().filter(|view| view.uniqueness.is_some()).collect();
    views.sort_by(|one, two| {
        let by = |view: &ViewFinding| view.uniqueness.unwrap_or(0.0);
        by(one).total_cmp(&by(two)).then_with(|| one.name.cmp(&two.name))
    });
    views
}

/// None without a consensus.
pub(crate) fn draw(findings: &Findings) -> Option<String> {
    let ranked = ranked(findings);
    let values: Vec<f64> = ranked.iter().filter_map(|view| view.uniqueness).collect();
    let last = *values.last()?;
    let middle = findings.median_uniqueness?;
    let shown = &ranked[ranked.len().saturating_sub(ROWS)..];
    let names: Vec<String> = shown.iter().map(|view| words::short(&view.name, 20)).collect();
    let left = 14.0 + 12.5 * names.iter().map(|name| words::width(name)).fold(2.0, f64::max);
    let room = if shown.iter().any(|view| view.is_outlier) {
        112.0
    } else {
        50.0
    };
    let (left, right) = (left.min(220.0), WIDTH - room);
    let high = axis_end(last);
    let across = |value: f64| left + (right - left) * value / high;
    let height = TOP + ROW * shown.len() as f64 + BOTTOM;
    let description = format!(
        "{} views from {} (uniqueness {}) to {} ({}); the median is {}.",
        ranked.len(),
        ranked[0].name,
        words::significant(values[0]),
        ranked[ranked.len() - 1].name,
        words::significant(last),
        words::significant(middle)
    );
    let mut svg = Svg::figure(
        "ranking",
        WIDTH,
        height,
        "How far each view is from the consensus",
        &description,
    );
    let floor = TOP + ROW * shown.len() as f64;
    let ticks = axis::ticks(0.0, high, 5);
    for &tick in &ticks {
        svg.line("grid", [across(tick), TOP - 4.0], [across(tick), floor]);
        svg.text("tick middle", [across(tick), floor + 15.0], &axis::label(tick, &ticks));
    }
    svg.text(
        "axis-title middle",
        [0.5 * (left + right), floor + 33.0],
        "uniqueness: 0 equals the consensus, 1 shares nothing",
    );
    svg.line("median", [across(middle), TOP - 8.0], [across(middle), floor]);
    svg.text(
        "tick middle",
        [across(middle), TOP - 12.0],
        &format!("median {middle:.3}"),
    );
    for (k, (view, name)) in shown.iter().zip(&names).enumerate() {
        let value = view.uniqueness.unwrap_or(0.0);
        let y = TOP + ROW * (k as f64 + 0.5);
        svg.text("name end", [left - 10.0, y + 4.0], name);
        svg.line("stem", [across(0.0), y], [across(value), y]);
        let (class, shape) = if view.is_outlier {
            ("dot outlier", 3)
        } else {
            ("dot", 0)
        };
        svg.path(
            class,
            &svg::mark(shape, [across(value), y], if view.is_outlier { 5.0 } else { 4.2 }),
        );
        let decimals = if last < 0.2 { 3 } else { 2 };
        let note = format!(
            "{value:.decimals$}{}",
            if view.is_outlier { "  stands out" } else { "" }
        );
        svg.text("value start", [across(value) + 10.0, y + 4.0], &note);
    }
    Some(svg.finish())
}

/// A round end of the axis.
fn axis_end(last: f64) -> f64 {
    [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
        .into_iter()
        .find(|end| last <= *end)
        .unwrap_or(1.0)
}
