//! What the scripts need, as JSON inside the page.
//!
//! Columns instead of objects, four digits instead of seventeen: a report is mailed around. What could end the script element or start
//! another is escaped, so that no name can.

use congraph::findings::Findings;
use serde_json::{Value, json};

use crate::drawings::Network;
use crate::drawings::heatmap::Heatmap;
use crate::drawings::path_map::PathMap;

/// The most edges that are in the page, the heaviest first: the whole list is in `edges.tsv`.
pub(crate) const MOST_EDGES: usize = 40_000;
/// The most edges of the cells of a path, all together.
const PATH_EDGES: usize = 400_000;
/// View weights are whole numbers up to this.
const LEVELS: f64 = 999.0;

/// The edges in the order of the table: by shared weight, then by mean weight.
pub(crate) fn table_order(findings: &Findings) -> Vec<usize> {
    let means = &findings.means;
    let mut order: Vec<usize> = (0..findings.shared.len()).collect();
    order.sort_by(|&one, &two| {
        let by_shared = findings.shared[two].total_cmp(&findings.shared[one]);
        by_shared.then_with(|| means[two].total_cmp(&means[one]))
    });
    order.truncate(MOST_EDGES);
    order
}

/// The text of the page's data element.
pub(crate) fn data(
    findings: &Findings,
    network: &Network,
    order: &[usize],
    heatmap: Option<&Heatmap>,
    path: Option<&PathMap>,
) -> String {
    let graph = &findings.graph;
    let place = |axis: usize| -> Vec<f64> {
        network
            .points
            .iter()
            .map(|point| (10.0 * point[axis]).round() / 10.0)
            .collect()
    };
    let ends = |end: usize| -> Vec<u32> { order.iter().map(|&edge| graph.pairs()[edge][end]).collect() };
    let heaviest = graph.weights().values().iter().copied().fold(0.0, f64::max);
    // A view that lacks one of the nodes has −1.
    let level = |edge: usize, view: usize, weight: f64| match graph.mask() {
        _ if weight > 0.0 => (LEVELS * weight / heaviest).round().max(1.0) as i32,
        Some(mask) if !mask.has_pair(view, graph.pairs()[edge]) => -1,
        _ => 0,
    };
    let mut levels: Vec<i32> = Vec::with_capacity(order.len() * graph.n_views());
    for &edge in order {
        let row = graph.weights().row(edge).iter().enumerate();
        levels.extend(row.map(|(view, &weight)| level(edge, view, weight)));
    }
    let similarities = findings.similarities.as_ref().zip(heatmap).map(|(found, map)| {
        let row = |row: &Vec<f64>| -> Vec<f64> { row.iter().map(|value| (1e3 * value).round() / 1e3).collect() };
        json!({
            "order": found.order,
            "values": found.values.iter().map(row).collect::<Vec<_>>(),
            "left": map.left, "top": map.top, "cell": map.cell,
        })
    });
    let data = json!({
        "nodes": graph.nodes(),
        "x": place(0),
        "y": place(1),
        "strength": findings.strengths.iter().map(|value| rounded(*value)).collect::<Vec<_>>(),
        "views": graph.views(),
        "consensus": graph.consensus().is_some(),
        "shared_edges": findings.verdict.n_shared,
        "edges": {
            "a": ends(0),
            "b": ends(1),
            "w": order.iter().map(|&edge| rounded(findings.shared[edge])).collect::<Vec<_>>(),
            "n": order.iter().map(|&edge| findings.n_views[edge]).collect::<Vec<_>>(),
            "m": order.iter().map(|&edge| rounded(findings.means[edge])).collect::<Vec<_>>(),
            "of": graph.mask().map(|_| order.iter().map(|&edge| findings.n_measured[edge]).collect::<Vec<_>>()),
            "v": levels,
            "unit": heaviest / LEVELS,
        },
        "similarities": similarities,
        "path": path.map(|map| path_data(findings, map)),
    });
    harmless(&data.to_string())
}

fn path_data(findings: &Findings, map: &PathMap) -> Value {
    let cells = &findings.known.path;
    let most = PATH_EDGES / cells.len().max(1);
    let cell = |cell: &congraph::findings::PathCell| {
        let edges = &cell.consensus[..cell.consensus.len().min(most)];
        let heaviest = edges.iter().map(|edge| edge.1).fold(f64::MIN_POSITIVE, f64::max);
        // Ends one after the other, and weights from 1 to 99: more cannot be seen.
        let flat: Vec<u32> = edges.iter().flat_map(|&([a, b], _)| [a, b]).collect();
        let weights: Vec<u32> = edges
            .iter()
            .map(|edge| (99.0 * edge.1 / heaviest).ceil().max(1.0) as u32)
            .collect();
        json!({
            "density_target": cell.density_target,
            "similarity_target": cell.similarity_target,
            "density": rounded(cell.density),
            "similarity": rounded(cell.similarity),
            "agreement": cell.agreement.map(rounded),
            "chosen": cell.is_chosen,
            "n_edges": cell.n_edges,
            "ends": flat,
            "w": weights,
        })
    };
    json!({
        "densities": map.densities,
        "similarities": map.similarities,
        "corner": map.corner,
        "cell": map.cell,
        "cells": cells.iter().map(cell).collect::<Vec<_>>(),
    })
}

/// Four significant digits.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let unit = 10_f64.powi(3 - value.abs().log10().floor() as i32);
    if unit.is_finite() {
        (value * unit).round() / unit
    } else {
        value
    }
}

/// JSON that can stand inside a script element.
pub(crate) fn harmless(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for mark in json.chars() {
        match mark {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe.push_str(&format!("\\u{:04x}", mark as u32)),
            mark => safe.push(mark),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_can_end_the_element() {
        let text = json!({"name": "</script><!-- & \u{2028}"}).to_string();
        let safe = harmless(&text);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        let back: Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(back["name"], "</script><!-- & \u{2028}");
    }

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(
            [rounded(0.123_456), rounded(98_765.4), rounded(1e-320)],
            [0.1235, 98_770.0, 1e-320]
        );
    }
}
