//! What the page says of how sure edges are and who differs, and what it never says.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::{MultiviewGraph, ViewMatrix};
use congraph_record::FitRecord;
use congraph_record::findings::{
    Compared, ComparedComponent, ComparedEdge, Findings, Known, KnownComparison, KnownStability,
};
use congraph_record::record::{
    BoundRecord, BoundsRecord, CalibrationRecord, ChanceRecord, CompareRecord, CurveRecord, DirectRecord, FoundRecord,
    GroupRecord, Named, NullRecord, StabilityRecord, WarningRecord,
};

/// A path of four nodes in three views.
fn graph() -> MultiviewGraph {
    let pairs = [[0, 1], [1, 2], [2, 3]];
    let weights = ViewMatrix::from_values(3, vec![1.0; 9]);
    let names = |kind: &str, n: usize| (0..n).map(|k| format!("{kind}{k}")).collect();
    MultiviewGraph::new(names("n", 4), names("v", 3), &pairs, &weights, Some(&[3.0, 2.0, 1.0]))
}

fn fit() -> FitRecord {
    FitRecord {
        converged: Some(true),
        chance: Some(ChanceRecord {
            correlations: Some(12.0),
            agreement: Some(9.0),
        }),
        ..FitRecord::default()
    }
}

/// Two of three edges are supported; one comes back for certain.
fn stability() -> KnownStability {
    let column = |name: &str, cells: [f64; 3]| (name.to_owned(), cells.map(Some).to_vec());
    KnownStability {
        record: StabilityRecord {
            units: "blocks".into(),
            n_units: Named((0..3).map(|k| (format!("v{k}"), 12)).collect()),
            pairs: 50,
            fits: 310,
            calibration: CalibrationRecord {
                consensus: Some(vec![CurveRecord {
                    frequency: 0.9,
                    n_edges: 3,
                    came_back: 0.8,
                    replicates: 0.8,
                }]),
                views: None,
            },
            bounds: Some(BoundsRecord {
                thresholds: vec![BoundRecord {
                    threshold: 0.9,
                    selected: 148,
                    chance_picks: 2.22,
                    meinshausen_buhlmann: 33.3,
                }],
                ..BoundsRecord::default()
            }),
            direct: Some(DirectRecord {
                level: 0.05,
                n_supported: Some(2),
                ..DirectRecord::default()
            }),
            ..StabilityRecord::default()
        },
        edges: Named(vec![
            column("frequency", [1.0, 0.5, 0.9]),
            column("replicates", [0.97, 0.4, 0.8]),
            column("weight_se", [0.1, 0.2, 0.3]),
            column("q_direct", [0.001, 0.6, 0.04]),
        ]),
    }
}

fn page(known: Known) -> String {
    congraph_report::write(&Findings::of(&graph(), known))
}

fn asked(stability: KnownStability) -> Known {
    Known {
        summary: Some(fit()),
        stability: Some(stability),
        ..Known::default()
    }
}

#[test]
fn what_was_not_asked_is_told_with_the_words_that_ask() {
    let known = Known {
        summary: Some(fit()),
        ask_stability: Some("m.stability(views)".into()),
        ..Known::default()
    };
    let text = page(known.clone());
    assert!(text.contains("How sure each edge is has not been asked: m.stability(views)."));
    assert!(text.contains("<code>m.stability(views)</code>") && text.contains("id=\"there\""));
    assert!(!text.contains("id=\"how-sure\""));
    // Of graphs that nobody learned here it cannot be asked.
    assert!(!page(Known::default()).contains("has not been asked"));
}

#[test]
fn edges_are_told_by_what_is_known_of_them() {
    let text = page(asked(stability()));
    for words in [
        "2 of 3 edges are supported (q_direct ≤ 0.05).",
        "1 comes back with a probability of at least 0.9",
        "at most 2.2 of these 148 edges are expected to be chance picks of the halving (Shah and Samworth 2013)",
        "id=\"calibration\"",
        "It is not the probability that the edge is real",
        "Meinshausen and Bühlmann 2010",
        "Controlling the false discovery rate",
        "edge sure e6",
        "edge unsure e6",
    ] {
        assert!(text.contains(words), "{words}");
    }
    assert!(!text.contains("false edges") && !text.contains("Zalesky"));
}

#[test]
fn noise_has_no_supported_edge() {
    let mut found = stability();
    for (name, cells) in &mut found.edges.0 {
        if name == "q_direct" {
            cells.fill(Some(0.7));
        }
    }
    let mut known = asked(found);
    known.summary.as_mut().unwrap().warnings.push(WarningRecord {
        code: "W13".into(),
        message: "nothing beyond chance".into(),
        ..WarningRecord::default()
    });
    let text = page(known);
    assert!(text.contains("0 of 3 edges are supported (q_direct ≤ 0.05)."));
    assert!(text.contains("Taken together, nothing in these data goes beyond chance; 0 of 3 edges are supported"));
}

#[test]
fn what_cannot_be_told_is_said_with_its_reason() {
    let mut found = stability();
    found
        .edges
        .0
        .retain(|(name, _)| name != "q_direct" && name != "replicates");
    found.record.absent = Named(vec![
        ("q_direct".into(), "it needs more `blocks`".into()),
        ("q_view of v0".into(), "too few".into()),
        ("q_view of v1".into(), "too few".into()),
    ]);
    let text = page(asked(found));
    assert!(text.contains("Which edges are supported was not asked, or cannot be told from these data."));
    assert!(text.contains("No <code>q_direct</code>: it needs more <code>blocks</code>."));
    assert!(
        text.contains("No <code>q_view of v0 and 1 view more</code>") || text.contains("q_view of v0 and 1 more view")
    );
    assert!(text.contains("In halves with a frequency of at least") && text.contains("all are dashed"));
}

fn comparison() -> KnownComparison {
    let edge = |pair, statistic: f64, p_fwe, component| ComparedEdge {
        pair,
        present: vec![1, 2],
        means: vec![0.1, 0.4],
        statistic,
        p_uncorrected: p_fwe,
        p_fwe,
        component,
    };
    let group = |letter: &str, name: &str, n_views| GroupRecord {
        letter: letter.into(),
        name: name.into(),
        n_views,
    };
    let found = FoundRecord {
        tested: 3,
        significant: 1,
        least_p_fwe: Some(0.01),
    };
    KnownComparison {
        record: CompareRecord {
            design: "groups".into(),
            groups: vec![group("a", "<b>old", 1), group("b", "young", 2)],
            statistic: "rank".into(),
            column: "z".into(),
            permutations: 5000,
            level: 0.05,
            threshold: 3.0,
            measures: ["edges", "components", "strength", "density"]
                .map(String::from)
                .to_vec(),
            covariates: vec!["age".into()],
            n_edges: 3,
            found: Named(vec![("edges".into(), found.clone()), ("components".into(), found)]),
            null: Named(vec![(
                "edges".into(),
                NullRecord {
                    quantiles: Named(vec![("0.95".into(), 2.9)]),
                    from: 1.0,
                    to: 3.0,
                    counts: vec![5, 9, 2],
                },
            )]),
            ..CompareRecord::default()
        },
        edges: vec![
            edge([0, 1], 3.5, 0.01, Some(0)),
            edge([1, 2], -3.1, 0.2, Some(0)),
            edge([2, 3], 0.1, 1.0, None),
        ],
        components: vec![ComparedComponent {
            n_nodes: 3,
            n_edges: 2,
            intensity: 0.6,
            p_fwe: 0.03,
        }],
        nodes: vec![Compared {
            name: "n1".into(),
            means: vec![1.0, 2.0],
            statistic: 2.0,
            p_fwe: 0.3,
        }],
        measures: Vec::new(),
    }
}

#[test]
fn groups_are_told_apart_by_more_than_colour() {
    let known = Known {
        summary: Some(fit()),
        comparison: Some(comparison()),
        ..Known::default()
    };
    let text = page(known);
    for words in [
        "young against &lt;b&gt;old: 1 of 3 edges and 1 of 3 components differ at p_fwe ≤ 0.05; n0–n1 most clearly",
        "class=\"more\"",
        "class=\"less faint\"",
        "Weights are relative: those of a view have a fixed sum, so that where an edge changes its neighbours change, too.",
        "id=\"null\"",
        "Zalesky, Fornito and Bullmore",
        "Winkler et al. 2014",
        "age was taken out by the method of Freedman and Lane (1983)",
        "rank-sum z of its weights, on midranks",
    ] {
        assert!(text.contains(words), "{words}");
    }
    assert!(!text.contains("<b>old"), "labels are escaped");
}
