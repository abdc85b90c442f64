//! Who is like the group: the views by how far they are from the consensus, nearest first. Many views are all there as
//! dots above the named rows of the furthest.

use congraph_record::findings::{Findings, ViewFinding};

use super::axis;
use crate::svg::{self, Svg};
use crate::words;

/// The most views that get a row; of more, all are dots and listed in a table.
pub(crate) const ROWS: usize = 40;
const WIDTH: f64 = 540.0;
const ROW: f64 = 19.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 46.0;
/// The height of the strip of all dots, and half the width of a dot.
const STRIP: f64 = 84.0;
const DOT: f64 = 2.4;
/// Names are larger on narrow pages; there must be room for those.
const NAME_SIZE: f64 = 15.5;

/// The views by uniqueness, the nearest first; the drawn ones are the furthest.
pub(crate) fn ranked(findings: &Findings) -> Vec<&ViewFinding> {
    let mut views: Vec<&ViewFinding> = findings.views.iter().filter(|view| view.uniqueness.is_some()).collect();
    views.sort_by(|one, two| {
        let by = |view: &ViewFinding| view.uniqueness.unwrap_or(0.0);
        by(one).total_cmp(&by(two)).then_with(|| one.name.cmp(&two.name))
    });
    views
}

/// The drawing; none without a consensus.
pub(crate) fn draw(findings: &Findings) -> Option<String> {
    let ranked = ranked(findings);
    let values: Vec<f64> = ranked.iter().filter_map(|view| view.uniqueness).collect();
    let last = *values.last()?;
    let middle = findings.median_uniqueness?;
    let shown = &ranked[ranked.len().saturating_sub(ROWS)..];
    let names = names(findings, shown);
    let left = 14.0 + NAME_SIZE * names.iter().map(|name| words::width(name)).fold(2.0, f64::max);
    // Beside the dots stand their numbers, and of some that they stand out.
    let room = if shown.iter().any(|view| view.is_outlier) {
        130.0
    } else {
        58.0
    };
    let right = WIDTH - room;
    let of_fit = of_fit(findings);
    let high = axis_end(last.max(of_fit.last().copied().unwrap_or(0.0)));
    let across = |value: f64| left + (right - left) * value / high;
    let is_crowd = shown.len() < ranked.len();
    let top = TOP + if is_crowd { STRIP } else { 0.0 };
    let floor = top + ROW * shown.len() as f64;
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
        floor + BOTTOM,
        "How far each view is from the consensus",
        &description,
    );
    grid(&mut svg, across, high, middle, floor);
    // The views of the fit that new ones are projected on: a mark each, on the axis.
    let mut marks = String::new();
    for &value in of_fit {
        marks.push_str(&svg::mark(0, [across(value), floor], DOT));
    }
    svg.path("dots", &marks);
    if is_crowd {
        let words = format!("all {}", ranked.len());
        svg.text("name end", [left - 10.0, TOP + STRIP - 22.0], &words);
        svg.line("axis", [left, TOP + STRIP - 12.0], [right, TOP + STRIP - 12.0]);
        strip(&mut svg, &ranked, across, TOP + STRIP - 12.0);
    }
    let decimals = if last < 0.2 { 3 } else { 2 };
    for (k, (view, name)) in shown.iter().zip(&names).enumerate() {
        let y = top + ROW * (k as f64 + 0.5);
        svg.text("name end", [left - 10.0, y + 4.0], name);
        row(&mut svg, view, across, y, decimals);
    }
    Some(svg.finish())
}

/// How far the views of the fit are from the consensus that new views were projected on, the nearest first.
pub(crate) fn of_fit(findings: &Findings) -> &[f64] {
    let summary = findings.known.summary.as_ref();
    let frozen = summary.and_then(|summary| summary.consensus.as_ref());
    frozen.map_or(&[], |frozen| &frozen.uniqueness)
}

/// What the drawn views are called on the page.
fn names(findings: &Findings, shown: &[&ViewFinding]) -> Vec<String> {
    let labels = words::views(findings);
    let name = |view: &&ViewFinding| {
        let at = findings.views.iter().position(|other| other.name == view.name);
        at.map_or_else(String::new, |at| labels[at].clone())
    };
    shown.iter().map(name).collect()
}

/// The grid, its numbers, and the median.
fn grid(svg: &mut Svg, across: impl Fn(f64) -> f64, high: f64, middle: f64, floor: f64) {
    let ticks = axis::ticks(0.0, high, 5);
    for &tick in &ticks {
        svg.line("grid", [across(tick), TOP - 4.0], [across(tick), floor]);
        svg.text("tick middle", [across(tick), floor + 17.0], &axis::label(tick, &ticks));
    }
    svg.text(
        "axis-title middle",
        [0.5 * WIDTH, floor + 38.0],
        "uniqueness: 0 equals the consensus, 1 shares nothing",
    );
    svg.line("median", [across(middle), TOP - 8.0], [across(middle), floor]);
    svg.text(
        "tick middle",
        [across(middle), TOP - 12.0],
        &format!("median {middle:.3}"),
    );
}

/// One view: a stem, a dot (a diamond if it stands out) and its number.
fn row(svg: &mut Svg, view: &ViewFinding, across: impl Fn(f64) -> f64, y: f64, decimals: usize) {
    let value = view.uniqueness.unwrap_or(0.0);
    svg.line("stem", [across(0.0), y], [across(value), y]);
    let (class, shape, size, note) = if view.is_outlier {
        ("dot outlier", 3, 5.0, "  stands out")
    } else {
        ("dot", 0, 4.2, "")
    };
    svg.path(class, &svg::mark(shape, [across(value), y], size));
    let note = format!("{value:.decimals$}{note}");
    svg.text("value start", [across(value) + 10.0, y + 4.0], &note);
}

/// All views as dots, those of about the same place on top of each other, squeezed if a pile would be too high.
fn strip(svg: &mut Svg, ranked: &[&ViewFinding], across: impl Fn(f64) -> f64, floor: f64) {
    let column = |view: &ViewFinding| (across(view.uniqueness.unwrap_or(0.0)) / (2.0 * DOT)).round() as i64;
    let piles: Vec<&[&ViewFinding]> = ranked.chunk_by(|one, two| column(one) == column(two)).collect();
    let highest = piles.iter().map(|pile| pile.len()).max().unwrap_or(1) as f64;
    let step = (2.0 * DOT).min((STRIP - 22.0) / highest);
    let mut paths = [String::new(), String::new()];
    for pile in piles {
        for (k, view) in pile.iter().enumerate() {
            let place = [2.0 * DOT * column(view) as f64, floor - DOT - 1.0 - step * k as f64];
            let shape = if view.is_outlier { 3 } else { 0 };
            paths[usize::from(view.is_outlier)].push_str(&svg::mark(shape, place, DOT - 0.2));
        }
    }
    svg.path("dot all", &paths[0]);
    svg.path("dot outlier all", &paths[1]);
}

/// A round end of the axis.
fn axis_end(last: f64) -> f64 {
    [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
        .into_iter()
        .find(|end| last <= *end)
        .unwrap_or(1.0)
}
