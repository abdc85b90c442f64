//! What the scripts need, as JSON inside the page.
//!
//! Columns instead of objects, and those of edges packed: a report is mailed around. What could end the script element
//! or start another is escaped, so that no name can. Counts that the page's edges could not give if some are left out
//! come from all of them.

use congraph::is_edge;
use congraph_record::findings::{Findings, KnownStability, MOST_DRAWN, PathCell};
use serde_json::{Value, json};

use crate::drawings::heatmap::Heatmap;
use crate::drawings::path_map::PathMap;
use crate::drawings::{Network, confidence};
use crate::packed::{self, LACKING};

/// The most 16-bit numbers of edges that are in the page: 5.3 MB. Six views of 1000 nodes may have 166 000 edges.
const ROOM: usize = 2_000_000;
/// The most edges of the cells of a path, all together: 4.7 MB.
const PATH_EDGES: usize = 700_000;

/// The edges that are in the page, in the order of the table: by consensus weight, then by mean weight, whatever their
/// signs. The heaviest, if there is no room for all.
pub(crate) fn table_order(findings: &Findings) -> Vec<usize> {
    held(findings, ROOM)
}

/// Of nodes that are not drawn, the page knows those of its edges: no more than can be numbered in 16 bits.
const UNDRAWN_EDGES: usize = 20_000;

fn held(findings: &Findings, room: usize) -> Vec<usize> {
    let means = &findings.means;
    let is_signed = findings.graph.is_signed();
    let size = |weight: f64| if is_signed { weight.abs() } else { weight };
    let mut order: Vec<usize> = (0..findings.shared.len()).collect();
    order.sort_by(|&one, &two| {
        let by_consensus = size(findings.shared[two]).total_cmp(&size(findings.shared[one]));
        by_consensus.then_with(|| size(means[two]).total_cmp(&size(means[one])))
    });
    // Two ends, two weights of two numbers each, and one of each view.
    let n_sure = findings
        .known
        .stability
        .as_ref()
        .map_or(0, |found| confidence::columns(found).len() + 1);
    order.truncate(room / (6 + findings.graph.n_views() + 2 * n_sure));
    if findings.graph.n_nodes() > MOST_DRAWN {
        order.truncate(UNDRAWN_EDGES);
    }
    order
}

/// The nodes that the page knows: all, or those of its edges where these are not drawn.
fn known_nodes(findings: &Findings, order: &[usize]) -> Vec<usize> {
    let graph = &findings.graph;
    if graph.n_nodes() <= MOST_DRAWN {
        return (0..graph.n_nodes()).collect();
    }
    let mut nodes: Vec<usize> = order
        .iter()
        .flat_map(|&edge| graph.pairs()[edge].map(|node| node as usize))
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The text of the page's data element.
pub(crate) fn data(
    findings: &Findings,
    network: Option<&Network>,
    order: &[usize],
    heatmap: Option<&Heatmap>,
    path: Option<&PathMap>,
) -> String {
    let graph = &findings.graph;
    let nodes = known_nodes(findings, order);
    let place = |axis: usize| -> Vec<f64> {
        network
            .map_or(&[][..], |network| &network.points)
            .iter()
            .map(|point| (10.0 * point[axis]).round() / 10.0)
            .collect()
    };
    let number = |node: u32| nodes.binary_search(&(node as usize)).unwrap_or(0) as u16;
    let ends = |end: usize| packed::u16s(order.iter().map(|&edge| number(graph.pairs()[edge][end])));
    let code = |edge: usize, view: usize, weight: f64| {
        if !is_edge(weight) && !graph.membership().has_pair(view, graph.pairs()[edge]) {
            return LACKING;
        }
        // Signs have a column of their own, where there are any.
        packed::code(weight.abs())
    };
    let codes = order.iter().flat_map(|&edge| {
        let row = graph.weights().row(edge).iter().enumerate();
        row.map(move |(view, &weight)| code(edge, view, weight))
    });
    let similarities = findings.similarities.as_ref().zip(heatmap).map(|(found, map)| {
        let row = |row: &Vec<f64>| -> Vec<f64> { row.iter().map(|value| (1e3 * value).round() / 1e3).collect() };
        json!({
            "order": found.order,
            "values": found.values.iter().map(row).collect::<Vec<_>>(),
            "left": map.left, "top": map.top, "cell": map.cell,
        })
    });
    let mut data = json!({
        "nodes": nodes.iter().map(|&node| &graph.nodes()[node]).collect::<Vec<_>>(),
        "x": place(0),
        "y": place(1),
        "strength": nodes.iter().map(|&node| rounded(findings.strengths[node])).collect::<Vec<_>>(),
        "views": graph.views(),
        "consensus": graph.consensus().is_some(),
        "degree": nodes.iter().map(|&node| findings.degrees[node]).collect::<Vec<_>>(),
        "shared_edges": findings.verdict.n_shared,
        "all_edges": findings.shared.len(),
        "counts": (order.len() < findings.shared.len()).then(|| counts(findings)),
        "edges": {
            "a": ends(0),
            "b": ends(1),
            "w": packed::f32s(order.iter().map(|&edge| findings.shared[edge])),
            "m": packed::f32s(order.iter().map(|&edge| findings.means[edge])),
            "v": packed::u16s(codes),
        },
        "similarities": similarities,
        "path": path.map(|map| path_data(findings, map)),
    });
    if graph.is_signed() {
        let rows = order.iter().flat_map(|&edge| graph.weights().row(edge));
        data["edges"]["s"] = json!(packed::bits(rows.map(|&weight| weight < 0.0)));
    }
    if let Some(found) = &findings.known.stability {
        data["sure"] = sure(findings, network, order, found);
    }
    harmless(&data.to_string())
}

/// How sure the shared edges of the page are, column after column.
fn sure(findings: &Findings, network: Option<&Network>, order: &[usize], found: &KnownStability) -> Value {
    let held = &order[..order.len().min(findings.verdict.n_shared)];
    let column = |name: &str| packed::f32s(held.iter().map(|&edge| found.of(name, edge).unwrap_or(f64::NAN)));
    let columns = confidence::columns(found);
    found.comes_back().map_or(Value::Null, |back| {
        json!({
            "level": found.level(),
            "back": back,
            "columns": columns,
            "values": columns.iter().map(|name| column(name)).collect::<Vec<_>>(),
            "se": found.has("weight_se").then(|| column("weight_se")),
            "most": network.map_or(0, confidence::most),
        })
    })
}

/// How many of all edges are in each view, in no other, and not in it though it has both nodes.
fn counts(findings: &Findings) -> Value {
    let graph = &findings.graph;
    let count = |is: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
        let edges = 0..findings.shared.len();
        (0..graph.n_views())
            .map(|view| edges.clone().filter(|&edge| is(edge, view)).count())
            .collect()
    };
    let there = |edge: usize, view: usize| is_edge(graph.weights().row(edge)[view]);
    let lacks = |edge: usize, view: usize| {
        let has = graph.membership().has_pair(view, graph.pairs()[edge]);
        has && !there(edge, view)
    };
    json!({
        "in": count(&there),
        "only": count(&|edge, view| there(edge, view) && findings.n_views[edge] == 1),
        "without": count(&lacks),
    })
}

/// How many edges of a cell are in the page: as many of each as there is room for.
fn most_of_a_cell(cells: &[PathCell], room: usize) -> usize {
    let taken = |most: usize| -> usize { cells.iter().map(|cell| cell.consensus.len().min(most)).sum() };
    let (mut low, mut high) = (0, cells.iter().map(|cell| cell.consensus.len()).max().unwrap_or(0));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if taken(middle) <= room {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

fn path_data(findings: &Findings, map: &PathMap) -> Value {
    let cells = &findings.known.path;
    let is_drawn = findings.graph.n_nodes() <= MOST_DRAWN;
    let most = if is_drawn { most_of_a_cell(cells, PATH_EDGES) } else { 0 };
    let cell = |cell: &PathCell| {
        let edges = &cell.consensus[..cell.consensus.len().min(most)];
        let heaviest = edges.iter().map(|edge| edge.1.abs()).fold(f64::MIN_POSITIVE, f64::max);
        // Ends one after the other, the larger first if the weight is negative, and weights from 1 to 255: more cannot
        // be seen.
        let ends = edges.iter().flat_map(|&([a, b], weight)| {
            let ends = [a as u16, b as u16];
            if weight < 0.0 { [ends[1], ends[0]] } else { ends }
        });
        let weight = |edge: &([u32; 2], f64)| (255.0 * edge.1.abs() / heaviest).ceil().clamp(1.0, 255.0) as u8;
        let weights: Vec<u8> = edges.iter().map(weight).collect();
        json!({
            "density_target": cell.density_target,
            "similarity_target": cell.similarity_target,
            "density": rounded(cell.density),
            "similarity": rounded(cell.similarity),
            "agreement": cell.agreement.map(rounded),
            "chosen": cell.is_chosen,
            "n_edges": cell.n_edges,
            "ends": packed::u16s(ends),
            "w": packed::base64(&weights),
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

    fn complete(n_nodes: u32, n_views: usize) -> Findings {
        let pairs: Vec<[u32; 2]> = (0..n_nodes)
            .flat_map(|a| (a + 1..n_nodes).map(move |b| [a, b]))
            .collect();
        let weights: Vec<f64> = (0..pairs.len() * n_views).map(|k| (k * k % 7) as f64).collect();
        let consensus: Vec<f64> = (1..=pairs.len()).map(|k| k as f64).collect();
        let graph = congraph::MultiviewGraph::new(
            (0..n_nodes).map(|k| k.to_string()).collect(),
            (0..n_views).map(|k| k.to_string()).collect(),
            &pairs,
            &congraph::ViewMatrix::from_values(n_views, weights),
            Some(&consensus),
        );
        Findings::of(&graph, congraph_record::findings::Known::default())
    }

    #[test]
    fn what_is_left_out_is_the_lightest_and_is_counted() {
        let findings = complete(9, 3);
        let order = held(&findings, 90);
        assert_eq!(order.len(), 10);
        assert!(order.iter().all(|&edge| findings.shared[edge] > 26.0));
        let network = Network::new(&findings);
        let text = |order: &[usize]| -> Value {
            serde_json::from_str(&data(&findings, Some(&network), order, None, None)).unwrap()
        };
        let part = text(&order);
        assert_eq!(part["all_edges"], 36);
        let of_view = |what: &str| part["counts"][what][0].as_u64().unwrap();
        assert_eq!(of_view("in") + of_view("without"), 36);
        assert_eq!(part["degree"][0], 8, "all edges of the node, not those of the page");
        assert!(text(&held(&findings, ROOM))["counts"].is_null());
    }

    #[test]
    fn cells_of_a_path_share_the_room() {
        let cell = |n: u32| PathCell {
            density_target: 0.1,
            similarity_target: 0.5,
            density: 0.1,
            similarity: 0.5,
            agreement: None,
            instability: None,
            gain: None,
            is_chosen: false,
            consensus: (0..n).map(|k| ([k, k + 1], 1.0)).collect(),
            n_edges: n as usize,
        };
        let cells = [cell(5), cell(100), cell(200)];
        assert_eq!(most_of_a_cell(&cells, 1000), 200);
        assert_eq!(most_of_a_cell(&cells, 105), 50);
        assert_eq!(most_of_a_cell(&cells, 0), 0);
    }

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(
            [rounded(0.123_456), rounded(98_765.4), rounded(1e-320)],
            [0.1235, 98_770.0, 1e-320]
        );
    }
}
