//! The page as text: what a browser is not needed for.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::simulate::{Settings, simulate};
use congraph::{MultiviewGraph, ViewMatrix};
use congraph_record::FitRecord;
use congraph_record::findings::{Findings, Known, KnownView, PathCell, Positions};

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
        summary: Some(FitRecord {
            relative_gap: Some(1e-12),
            converged: Some(true),
            alpha: Some(0.07),
            ..FitRecord::default()
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
    let weights = ViewMatrix::from_values(2, vec![1.0, 2.0, 0.0, 1.0]);
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
            &ViewMatrix::zeros(0, n_views),
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

/// All pairs of `n` nodes in two views; the consensus has the first `n_shared`.
fn complete(n: u32, n_shared: usize) -> MultiviewGraph {
    let pairs: Vec<[u32; 2]> = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect();
    let consensus: Vec<f64> = (0..pairs.len()).map(|k| if k < n_shared { 1.0 } else { 0.0 }).collect();
    let weights = ViewMatrix::from_values(2, (0..2 * pairs.len()).map(|k| (k + 1) as f64).collect());
    let names = (0..n).map(|k| k.to_string()).collect();
    MultiviewGraph::new(names, vec!["a".into(), "b".into()], &pairs, &weights, Some(&consensus))
}

/// How many lines the paths of a class within a figure have.
fn lines(page: &str, figure: &str, class: &str) -> usize {
    let figure = page.split(&format!("<svg id=\"{figure}\"")).nth(1).unwrap();
    let figure = figure.split("</svg>").next().unwrap();
    let paths = figure
        .split("<path ")
        .filter(|path| path.starts_with(&format!("class=\"{class}")));
    paths.map(|path| path.matches('M').count()).sum()
}

#[test]
fn a_figure_that_leaves_edges_out_says_so() {
    let page = congraph_report::write(&Findings::of(&complete(25, 20), Known::default()));
    assert!(page.contains("+280 &minus;0, the 150 heaviest of a kind drawn"));
    assert_eq!(lines(&page, "multiple-0", "added"), 150);
    let page = congraph_report::write(&Findings::of(&complete(17, 20), Known::default()));
    assert!(!page.contains("heaviest of a kind"));
    assert_eq!(lines(&page, "multiple-0", "added"), 116);
}

#[test]
fn the_dials_name_as_many_edges_as_they_draw() {
    let cell = |n: usize| PathCell {
        density_target: 0.1,
        similarity_target: 0.5,
        density: 0.1,
        similarity: 0.5,
        agreement: Some(0.9),
        instability: None,
        gain: None,
        is_chosen: true,
        consensus: complete(25, 20)
            .pairs()
            .iter()
            .take(n)
            .map(|&pair| (pair, 1.0))
            .collect(),
        n_edges: n,
    };
    for (n, told) in [(300, "The 60 heaviest of 300 edges among"), (50, "50 edges among")] {
        let known = Known {
            path: vec![cell(n)],
            ..Known::default()
        };
        let page = congraph_report::write(&Findings::of(&complete(25, 20), known));
        assert!(page.contains(told), "{told}");
        assert_eq!(lines(&page, "dial", "edge"), n.min(60));
    }
}

#[test]
fn an_axis_of_equal_values_has_ticks() {
    let known = Known {
        variances: Some(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ..Known::default()
    };
    // Every node has the same strength.
    let page = congraph_report::write(&Findings::of(&complete(6, 15), known));
    let figure = page
        .split("<svg id=\"influence-1\"")
        .nth(1)
        .unwrap()
        .split("</svg>")
        .next()
        .unwrap();
    let ticks: Vec<&str> = figure
        .split("<text class=\"tick end\"")
        .skip(1)
        .map(|text| text.split(['>', '<']).nth(1).unwrap())
        .collect();
    let distinct: std::collections::HashSet<&&str> = ticks.iter().collect();
    assert!(ticks.len() > 1 && distinct.len() == ticks.len(), "{ticks:?}");
    assert!(!ticks.contains(&"0"), "{ticks:?}");
    // Its title stands above the frame, where no point is.
    let title = figure.split("<text class=\"axis-title start\"").nth(1).unwrap();
    let height: f64 = title
        .split("y=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(height < 25.0, "{height}");
}

#[test]
fn sizes_are_explained_where_there_are_any() {
    let page = congraph_report::write(&Findings::of(&complete(9, 20), Known::default()));
    assert!(page.contains("area of a node: its strength") && page.contains("width of a line: its weight"));
    let empty = congraph_report::write(&Findings::of(&complete(9, 0), Known::default()));
    assert!(!empty.contains("area of a node"));
}

/// The graph with every third pair turned negative, in all views and the consensus.
fn signed(graph: &MultiviewGraph) -> MultiviewGraph {
    let sign = |edge: usize| if edge.is_multiple_of(3) { -1.0 } else { 1.0 };
    let rows = graph.weights().rows().enumerate();
    let weights = rows.flat_map(|(edge, row)| row.iter().map(move |weight| sign(edge) * weight));
    let consensus = graph.consensus().unwrap().iter().enumerate();
    let consensus: Vec<f64> = consensus.map(|(edge, weight)| sign(edge) * weight).collect();
    MultiviewGraph::new(
        graph.nodes().to_vec(),
        graph.views().to_vec(),
        graph.pairs(),
        &ViewMatrix::from_values(graph.n_views(), weights.collect()),
        Some(&consensus),
    )
}

#[test]
fn negative_edges_are_drawn_apart_and_explained() {
    let graph = simulated(30, 4);
    let plain = congraph_report::write(&Findings::of(&graph, Known::default()));
    for word in ["edge negative", "--negative", "chooseAny", "all positive", "opposite"] {
        assert!(!plain.contains(word), "{word}");
    }
    let findings = Findings::of(&signed(&graph), Known::default());
    let page = congraph_report::write(&findings);
    let n_shared = findings.verdict.n_shared;
    let n_negative = findings.verdict.n_negative;
    assert!(0 < n_negative && n_negative < n_shared);
    assert!(page.contains(&format!(
        "{n_shared} of 435 possible connections, {} positive and {n_negative} negative.",
        n_shared - n_negative
    )));
    // All edges are drawn: six classes of each sign.
    let of_class = |sign: &str| {
        let classes = 1..=6;
        classes
            .map(|k| lines(&page, "network", &format!("edge {sign}e{k}")))
            .sum::<usize>()
    };
    assert_eq!(of_class("") + of_class("negative "), n_shared.min(60));
    assert!(of_class("negative ") > 0 && page.contains("key-line negative e4"));
    assert!(page.contains(&format!("+{} −{n_negative}", n_shared - n_negative)));
    for words in [
        "without their signs",
        "opposites",
        "added negative",
        "missing negative",
        "cell.v =",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("never negative") && !page.contains("No negative edges") && !page.contains("NaN"));
    // The table shows signs, the heaviest first whatever theirs.
    assert!(page.contains("<td class=\"number\">-"));
    // Same places, same sizes: strengths are without signs.
    let unsigned = Findings::of(&graph, Known::default());
    assert_eq!(
        (findings.layout, findings.strengths),
        (unsigned.layout, unsigned.strengths)
    );
}

#[test]
fn views_of_opposite_signs_have_a_map_of_both_colours() {
    let weights = ViewMatrix::from_values(2, vec![1.0, -1.0, 2.0, -2.0]);
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let graph = |weights: &ViewMatrix| {
        MultiviewGraph::new(
            names(&["a", "b", "c", "d"]),
            names(&["x", "y"]),
            &[[0, 1], [2, 3]],
            weights,
            None,
        )
    };
    let page = congraph_report::write(&Findings::of(&graph(&weights), Known::default()));
    assert!(page.contains("class=\"d0\"") && !page.contains("class=\"h0\""));
    assert!(page.contains("with their signs"));
    let alike = ViewMatrix::from_values(2, vec![-1.0, -1.0, 2.0, 2.5]);
    let page = congraph_report::write(&Findings::of(&graph(&alike), Known::default()));
    assert!(page.contains("class=\"h0\"") && !page.contains("class=\"d0\""));
}

#[test]
fn dials_draw_negative_edges_too() {
    let graph = signed(&simulated(12, 3));
    let cell = PathCell {
        density_target: 0.1,
        similarity_target: 0.5,
        density: 0.1,
        similarity: 0.5,
        agreement: None,
        instability: None,
        gain: None,
        is_chosen: true,
        consensus: vec![([0, 1], -2.0), ([1, 2], 1.0)],
        n_edges: 2,
    };
    let known = Known {
        path: vec![cell],
        ..Known::default()
    };
    let page = congraph_report::write(&Findings::of(&graph, known));
    assert_eq!(lines(&page, "dial", "edge negative e6"), 1);
    assert_eq!(
        (1..=6)
            .map(|k| lines(&page, "dial", &format!("edge e{k}")))
            .sum::<usize>(),
        1
    );
}
