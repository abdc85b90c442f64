//! The metrics against scikit-learn's; `fixtures/metrics.py` made the numbers.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::metrics::{average_precision, evaluate, nmi};
use congraph::{Edges, MultiviewGraph, ViewMatrix};
use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/metrics.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_f64().unwrap())
        .collect()
}

fn graph(n_nodes: usize, weights: Vec<f64>) -> MultiviewGraph {
    let nodes = (0..n_nodes).map(|node| format!("n{node}")).collect();
    let consensus = weights.clone();
    let weights = ViewMatrix::from_values(1, weights);
    MultiviewGraph::new(
        nodes,
        vec!["view".into()],
        Edges::complete(n_nodes).pairs(),
        &weights,
        Some(&consensus),
    )
}

#[test]
fn graphs_score_as_in_scikit_learn() {
    let fixture = fixture();
    let n_nodes = fixture["n_nodes"].as_u64().unwrap() as usize;
    let cases = fixture["graphs"].as_array().unwrap();
    assert!(cases.len() >= 20);
    for case in cases {
        let (learned, truth) = (numbers(&case["learned"]), numbers(&case["truth"]));
        let is_true: Vec<bool> = truth.iter().map(|&weight| weight > 0.0).collect();
        let dense = average_precision(&learned, &is_true);
        let evaluation = evaluate(&graph(n_nodes, learned), &graph(n_nodes, truth)).unwrap();
        let score = evaluation.views[0].1;
        assert_eq!(evaluation.consensus, Some(score));
        for (name, found) in [
            ("f1", score.f1()),
            ("precision", score.precision()),
            ("recall", score.recall()),
            ("accuracy", score.accuracy()),
            ("nmi", score.nmi()),
            ("auprc", score.auprc),
            ("auprc", dense),
            ("correlation", score.correlation),
        ] {
            let expected = case[name].as_f64().unwrap();
            assert!(
                (found - expected).abs() < 1e-13,
                "{name}: {found} instead of {expected}"
            );
        }
    }
}

#[test]
fn labelings_score_as_in_scikit_learn() {
    let fixture = fixture();
    for case in fixture["labelings"].as_array().unwrap() {
        let labels = |side: &str| -> Vec<usize> { numbers(&case[side]).iter().map(|&label| label as usize).collect() };
        let (found, expected) = (nmi(&labels("one"), &labels("other")), case["nmi"].as_f64().unwrap());
        assert!((found - expected).abs() < 1e-13, "{found} instead of {expected}");
    }
}
