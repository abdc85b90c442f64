//! How sure each edge is: supported edges are solid, the others dashed, on the places of the consensus graph. And how
//! frequencies were calibrated.

use congraph_record::findings::{Findings, KnownStability};
use congraph_record::record::CurveRecord;

use super::labels;
use super::network::{CLASSES, FINE, Network, WIDTH};
use crate::svg::{self, Svg, at};
use crate::words;

/// The columns of the table: name in `edges.tsv`, what the page calls it.
pub(crate) const COLUMNS: [(&str, &str); 5] = [
    ("frequency", "Frequency"),
    ("replicates", "Comes back"),
    ("q_direct", "q direct"),
    ("q_most", "q most views"),
    ("n_views_at_least", "In at least"),
];

/// The columns that the table has.
pub(crate) fn columns(found: &KnownStability) -> Vec<&'static str> {
    let there = COLUMNS.into_iter().filter(|(name, _)| found.has(name));
    there.map(|(name, _)| name).collect()
}

/// The most edges that are drawn, the heaviest first.
pub(crate) fn most(network: &Network) -> usize {
    3 * network.shown
}

/// The graph.
pub(crate) fn draw(findings: &Findings, network: &Network, found: &KnownStability) -> String {
    let strongest = findings.strongest();
    let drawn = &strongest[..strongest.len().min(most(network))];
    let is_sure = |edge: usize| found.is_supported(edge) == Some(true);
    let description = format!(
        "{} of {} drawn, {} of them solid because they are supported. The table below holds the same as text.",
        drawn.len(),
        words::plural(strongest.len(), "edge"),
        drawn.iter().filter(|&&edge| is_sure(edge)).count()
    );
    let mut svg = Svg::figure("sure", WIDTH, network.height, "How sure each edge is", &description);
    network.outline(&mut svg);
    let heaviest = strongest.first().map_or(1.0, |&edge| findings.shared[edge].abs());
    let mut paths = vec![String::new(); 2 * CLASSES];
    for &edge in drawn {
        let share = findings.shared[edge].abs() / heaviest;
        let class = ((CLASSES as f64 * share.sqrt()).ceil() as usize).clamp(1, CLASSES);
        let first = if is_sure(edge) { CLASSES } else { 0 };
        paths[first + class - 1].push_str(&network.segment(findings.graph.pairs()[edge]));
    }
    let fine = if network.points.len() > FINE { " fine" } else { "" };
    svg.open("g", &[("class", &format!("edges{fine}"))]);
    // The dashed ones below the others; empty ones too, since the scripts fill them.
    for (k, path) in paths.iter().enumerate() {
        let kind = if k < CLASSES { "unsure" } else { "sure" };
        svg.element(
            "path",
            &[("class", &format!("edge {kind} e{}", k % CLASSES + 1)), ("d", path)],
        );
    }
    svg.close();
    network.nodes(&mut svg, findings);
    labels::draw(&mut svg, network, findings);
    svg.finish()
}

/// The frame of the curve.
const CURVE: [f64; 2] = [340.0, 272.0];
const FRAME: [f64; 4] = [46.0, 40.0, 326.0, 224.0];

/// Frequencies in halves against the share of edges that came back in the other half; none without a calibration.
pub(crate) fn curve(found: &KnownStability) -> Option<String> {
    let calibration = &found.record.calibration;
    let consensus = calibration.consensus.as_deref().unwrap_or_default();
    let views = calibration.views.as_deref().unwrap_or_default();
    if consensus.is_empty() && views.is_empty() {
        return None;
    }
    let [left, top, right, floor] = FRAME;
    let place = |x: f64, y: f64| [left + (right - left) * x, floor - (floor - top) * y];
    let told = |name: &str, curve: &[CurveRecord]| -> Option<String> {
        let last = curve.last()?;
        Some(format!(
            "Of the {name}, edges with a frequency of {} come back with a probability of {}.",
            words::significant(last.frequency),
            words::significant(last.replicates)
        ))
    };
    let described: Vec<String> = [told("consensus", consensus), told("views", views)]
        .into_iter()
        .flatten()
        .collect();
    let title = "How often edges of a frequency came back";
    let mut svg = Svg::figure("calibration", CURVE[0], CURVE[1], title, &described.join(" "));
    for tick in [0.0, 0.5, 1.0] {
        let [x, y] = place(tick, tick);
        svg.line("grid", [left, y], [right, y]);
        svg.text("tick end", [left - 6.0, y + 4.0], &words::significant(tick));
        svg.text("tick middle", [x, floor + 16.0], &words::significant(tick));
    }
    svg.line("axis", [left, floor], [right, floor]);
    svg.line("chance", place(0.0, 0.0), place(1.0, 1.0));
    for (class, shape, curve) in [("views-curve", 2, views), ("consensus-curve", 0, consensus)] {
        let line: Vec<[f64; 2]> = curve
            .iter()
            .map(|point| place(point.frequency, point.replicates))
            .collect();
        let steps = line
            .iter()
            .enumerate()
            .map(|(k, [x, y])| format!("{}{} {}", if k == 0 { 'M' } else { 'L' }, at(*x), at(*y)));
        svg.path(class, &steps.collect::<String>());
        let marks = curve
            .iter()
            .map(|point| svg::mark(shape, place(point.frequency, point.came_back), size(point.n_edges)));
        svg.path(&format!("{class} dots-of"), &marks.collect::<String>());
    }
    legend(&mut svg, left, [!consensus.is_empty(), !views.is_empty()]);
    let middle = 0.5 * (left + right);
    svg.text(
        "axis-title middle",
        [middle, floor + 36.0],
        "frequency in halves of a half",
    );
    svg.text(
        "axis-title start",
        [left - 40.0, top - 10.0],
        "share that came back in the other half",
    );
    Some(svg.finish())
}

/// Marks of many edges are larger.
fn size(n_edges: u64) -> f64 {
    (1.0 + 0.7 * (n_edges.max(1) as f64).ln()).min(5.0)
}

fn legend(svg: &mut Svg, left: f64, there: [bool; 2]) {
    let mut x = left;
    for ((class, shape, text), is_there) in [("consensus-curve", 0, "consensus"), ("views-curve", 2, "views")]
        .into_iter()
        .zip(there)
    {
        if is_there {
            svg.line(class, [x, 10.0], [x + 26.0, 10.0]);
            svg.path(&format!("{class} dots-of"), &svg::mark(shape, [x + 13.0, 10.0], 3.4));
            svg.text("tick start", [x + 32.0, 14.0], text);
            x += 44.0 + 12.0 * words::width(text);
        }
    }
    svg.line("chance", [x, 10.0], [x + 26.0, 10.0]);
    svg.text("tick start", [x + 32.0, 14.0], "as often");
}
