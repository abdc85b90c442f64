//! Where groups differ, on the places of the consensus graph: solid where the second has more, dashed where the first
//! has. And what relabelling alone gives.

use congraph_record::findings::{ComparedEdge, Findings, KnownComparison};
use congraph_record::record::NullRecord;

use super::axis;
use super::labels;
use super::network::{Network, WIDTH};
use crate::svg::{self, Svg};
use crate::words;

/// The most edges of a kind that are drawn, the clearest first.
pub(crate) const EDGES: usize = 150;

/// The edges by their p over all, the clearest first.
pub(crate) fn clearest(found: &KnownComparison) -> Vec<&ComparedEdge> {
    let mut edges: Vec<&ComparedEdge> = found.edges.iter().collect();
    edges.sort_by(|one, two| {
        let by_p = one.p_fwe.total_cmp(&two.p_fwe);
        by_p.then(two.statistic.abs().total_cmp(&one.statistic.abs()))
    });
    edges
}

/// Edges that differ; thinner ones are part of a component and not clear by themselves. None without any.
pub(crate) fn draw(findings: &Findings, network: &Network, found: &KnownComparison) -> Option<String> {
    let level = found.record.level;
    let (clear, faint): (Vec<_>, Vec<_>) = clearest(found)
        .into_iter()
        .filter(|edge| edge.p_fwe <= level || edge.component.is_some())
        .partition(|edge| edge.p_fwe <= level);
    if clear.is_empty() && faint.is_empty() {
        return None;
    }
    let description = format!(
        "{} differ at p_fwe ≤ {level}; {} more are part of a component above the threshold. The table below holds the \
         same as text.",
        words::plural(clear.len(), "edge"),
        faint.len()
    );
    let mut svg = Svg::figure("groups", WIDTH, network.height, "Where groups differ", &description);
    network.outline(&mut svg);
    for (edges, faint) in [(faint, " faint"), (clear, "")] {
        for (class, is_drawn) in kinds(found) {
            let drawn = edges.iter().take(EDGES).filter(|edge| is_drawn(edge.statistic));
            let path: String = drawn.map(|edge| network.segment(edge.pair)).collect();
            svg.path(&format!("{class}{faint}"), &path);
        }
    }
    network.nodes(&mut svg, findings);
    labels::draw(&mut svg, network, findings);
    Some(svg.finish())
}

type Kind = (&'static str, fn(f64) -> bool);

/// Of two groups a difference has a direction, of more it has none.
fn kinds(found: &KnownComparison) -> Vec<Kind> {
    if found.is_of_two() {
        vec![("less", |value| value < 0.0), ("more", |value| value >= 0.0)]
    } else {
        vec![("other", |_| true)]
    }
}

const HISTOGRAM: [f64; 2] = [460.0, 250.0];
const FRAME: [f64; 4] = [52.0, 34.0, 440.0, 200.0];

/// The largest statistic of any edge under each relabelling, and the observed one.
pub(crate) fn null(found: &KnownComparison, null: &NullRecord) -> Option<String> {
    let observed = found
        .edges
        .iter()
        .map(|edge| edge.statistic.abs())
        .max_by(f64::total_cmp)?;
    let bound = null.quantiles.get("0.95").copied();
    let n: usize = null.counts.iter().sum();
    if n == 0 || null.to <= null.from {
        return None;
    }
    let [left, top, right, floor] = FRAME;
    let (low, high) = (null.from.min(observed), null.to.max(observed));
    let (low, high) = (low - 0.04 * (high - low), high + 0.04 * (high - low));
    let highest = null.counts.iter().copied().max().unwrap_or(1) as f64 / n as f64;
    let across = |value: f64| left + (right - left) * (value - low) / (high - low);
    let up = |share: f64| floor - (floor - top) * share / highest;
    let name = found.record.column.as_str();
    let description = format!(
        "The largest |{name}| of any edge is {}; under {} relabellings it lies between {} and {}.",
        words::significant(observed),
        n,
        words::significant(null.from),
        words::significant(null.to)
    );
    let mut svg = Svg::figure(
        "null",
        HISTOGRAM[0],
        HISTOGRAM[1],
        "What relabelling alone gives",
        &description,
    );
    for &tick in &axis::ticks(0.0, highest, 3) {
        svg.line("grid", [left, up(tick)], [right, up(tick)]);
        svg.text("tick end", [left - 6.0, up(tick) + 4.0], &words::percent(tick));
    }
    let width = (null.to - null.from) / null.counts.len() as f64;
    let bars = null.counts.iter().enumerate().map(|(k, &count)| {
        let (from, y) = (null.from + k as f64 * width, up(count as f64 / n as f64));
        svg::rectangle(across(from), y, across(from + width) - across(from), floor - y)
    });
    svg.path("bar", &bars.collect::<String>());
    svg.line("axis", [left, floor], [right, floor]);
    let ticks = axis::ticks(low, high, 5);
    for &tick in &ticks {
        svg.text("tick middle", [across(tick), floor + 16.0], &axis::label(tick, &ticks));
    }
    if let Some(bound) = bound {
        svg.line("chance", [across(bound), top], [across(bound), floor]);
    }
    svg.line("observed", [across(observed), top], [across(observed), floor]);
    let title = format!("largest |{name}| of any edge");
    svg.text("axis-title middle", [0.5 * (left + right), floor + 36.0], &title);
    legend(&mut svg, left);
    Some(svg.finish())
}

fn legend(svg: &mut Svg, left: f64) {
    svg.path("bar", &svg::rectangle(left, 8.0, 14.0, 10.0));
    svg.text("tick start", [left + 20.0, 17.0], "relabelled");
    svg.line("chance", [left + 118.0, 13.0], [left + 142.0, 13.0]);
    svg.text("tick start", [left + 148.0, 17.0], "95 % are below");
    svg.line("observed", [left + 272.0, 13.0], [left + 296.0, 13.0]);
    svg.text("tick start", [left + 302.0, 17.0], "observed");
}
