//! The page as text: what a browser is not needed for.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::findings::{Findings, Known, KnownView, Positions, Summary};
use congraph::simulate::{Settings, simulate};
use congraph::{MultiviewGraph, ViewRows};

fn simulated(n_nodes: usize, n_views: usize) -> MultiviewGraph {
    let settings = Settings {
        n_nodes,
        n_views,
        n_signals: vec![5],
        ..Settings::default()
    };
    simulate(&settings).unwrap().truth
}

/// The graph with its nodes in another order.
fn turned(graph: &MultiviewGraph) -> MultiviewGraph {
    let n = graph.n_nodes() as u32;
    let nodes: Vec<String> = graph.nodes().iter().rev().cloned().collect();
    let pairs: Vec<[u32; 2]> = graph.pairs().iter().map(|&[a, b]| [n - 1 - b, n - 1 - a]).collect();
    MultiviewGraph::new(
        nodes,
        graph.views().to_vec(),
        &pairs,
        graph.weights(),
        graph.consensus(),
    )
}

#[test]
fn the_same_findings_give_the_same_page() {
    let graph = simulated(30, 4);
    let page = || congraph_report::write(&Findings::of(&graph, Known::default()));
    assert_eq!(page(), page());
}

#[test]
fn the_picture_does_not_depend_on_the_order_of_the_nodes() {
    let graph = simulated(30, 4);
    let one = Findings::of(&graph, Known::default()).layout.points;
    let mut two = Findings::of(&turned(&graph), Known::default()).layout.points;
    two.reverse();
    for (a, b) in one.iter().flatten().zip(two.iter().flatten()) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn nothing_is_loaded_and_nothing_is_left_unfilled() {
    let known = Known {
        summary: Some(Summary {
            relative_gap: Some(1e-12),
            converged: Some(true),
            alpha: Some(0.07),
            ..Summary::default()
        }),
        positions: Some(Positions::Plane(
            (0..40).map(|k| [f64::from(k % 7), f64::from(k / 7)]).collect(),
        )),
        variances: Some((1..=40).map(f64::from).collect()),
        views: (0..5)
            .map(|k| KnownView {
                file: format!("{k}.csv"),
                n_samples: Some(100 * (k + 1)),
            })
            .collect(),
        ..Known::default()
    };
    let page = congraph_report::write(&Findings::of(&simulated(40, 5), known));
    for word in ["src=", "@import", "url(", "https:", "{{", "NaN"] {
        assert!(!page.contains(word), "{word}");
    }
    // Names of XML, which nothing is loaded from.
    assert_eq!(
        page.matches("http:").count(),
        page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(page.contains("α = 0.07"));
    assert!(page.contains("Strength against variance") && page.contains("Uniqueness against the number of samples"));
}

#[test]
fn no_name_becomes_markup() {
    let names: Vec<String> = [
        "<script>alert(1)</script>",
        "\"><img onerror=x>",
        "a & b",
        "\u{2028}</script>",
    ]
    .map(String::from)
    .to_vec();
    let weights = ViewRows::from_values(2, vec![1.0, 2.0, 0.0, 1.0]);
    let graph = MultiviewGraph::new(
        names,
        vec!["</title><b>".into(), "'\"`".into()],
        &[[0, 1], [2, 3]],
        &weights,
        Some(&[1.5, 0.5]),
    );
    let page = congraph_report::write(&Findings::of(&graph, Known::default()));
    for word in ["<script>alert", "<img", "</title><b>"] {
        assert!(!page.contains(word), "{word}");
    }
    // In a text it is a line; in a script it would end one.
    let data = page
        .split("id=\"data\">")
        .nth(1)
        .unwrap()
        .split("</script>")
        .next()
        .unwrap();
    assert!(!data.contains(['\u{2028}', '<', '>', '&']));
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn anything_at_all_gives_a_page() {
    for (n, n_views, has_consensus) in [(1, 1, false), (2, 2, true), (3, 1, false), (5, 6, true)] {
        let nodes = (0..n).map(|k| k.to_string()).collect();
        let views = (0..n_views).map(|k| k.to_string()).collect();
        let consensus: &[f64] = &[];
        let graph = MultiviewGraph::new(
            nodes,
            views,
            &[],
            &ViewRows::zeros(0, n_views),
            has_consensus.then_some(consensus),
        );
        let page = congraph_report::write(&Findings::of(&graph, Known::default()));
        assert!(
            page.contains("</html>") && !page.contains("NaN") && !page.contains("inf"),
            "{n} {n_views}"
        );
    }
}

#[test]
fn what_does_not_fit_the_graph_is_left_out() {
    let known = Known {
        positions: Some(Positions::Plane(vec![[0.0, 0.0]; 3])),
        variances: Some(vec![f64::NAN; 20]),
        views: vec![KnownView::default()],
        ..Known::default()
    };
    let findings = Findings::of(&simulated(20, 3), known);
    assert!(findings.known.positions.is_none() && findings.known.variances.is_none());
    assert_eq!(findings.known.views.len(), 3);
}
