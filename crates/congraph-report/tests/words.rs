//! What the page says is true of the graphs it is about.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::{Membership, MultiviewGraph, ViewMatrix};
use congraph_record::FitRecord;
use congraph_record::findings::{
    Findings, Known, KnownRecording, KnownRecordings, KnownSteps, KnownView, PathCell, Positions,
};
use congraph_record::record::{Named, TuneRecord, WarningRecord};

/// Rows of view weights and a consensus weight (none without a consensus) over pairs of `n` nodes.
fn graph(n: u32, n_views: usize, edges: &[([u32; 2], &[f64])], has_consensus: bool) -> MultiviewGraph {
    let nodes = (0..n).map(|k| format!("n{k}")).collect();
    let views = (0..n_views).map(|k| format!("v{k}")).collect();
    let pairs: Vec<[u32; 2]> = edges.iter().map(|edge| edge.0).collect();
    let weights = edges.iter().flat_map(|edge| edge.1[..n_views].to_vec()).collect();
    let consensus: Option<Vec<f64>> = has_consensus.then(|| edges.iter().map(|edge| edge.1[n_views]).collect());
    MultiviewGraph::new(
        nodes,
        views,
        &pairs,
        &ViewMatrix::from_values(n_views, weights),
        consensus.as_deref(),
    )
}

/// Marks inside a sentence.
const INLINE: [&str; 6] = ["b", "span", "sub", "strong", "abbr", "bdi"];

/// The page without elements of a kind.
fn without(page: &str, element: &str) -> String {
    let (open, close) = (format!("<{element}"), format!("</{element}>"));
    let mut parts = page.split(&open);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + " " + part.split_once(&close).map_or("", |(_, rest)| rest)
    })
}

/// The words of the page, without markup, scripts and styles; those in drawings are in it.
fn words(findings: &Findings) -> String {
    let page = without(&without(&congraph_report::write(findings), "script"), "style");
    let mut text = String::new();
    for part in page.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split(' ').next().unwrap();
        if !INLINE.contains(&name) {
            text += " ";
        }
        text += rest;
    }
    let marks = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&quot;", "\""),
    ];
    let text = marks.iter().fold(text, |text, (code, mark)| text.replace(code, mark));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(graph: &MultiviewGraph, known: Known, expected: &[&str], never: &[&str]) -> String {
    let text = words(&Findings::of(graph, known));
    for sentence in expected {
        assert!(text.contains(sentence), "`{sentence}` is not in: {text}");
    }
    for sentence in never {
        assert!(!text.contains(sentence), "`{sentence}` is in: {text}");
    }
    text
}

fn with_summary(summary: FitRecord) -> Known {
    Known {
        summary: Some(summary),
        ..Known::default()
    }
}

fn warning(code: &str, view: Option<&str>, message: &str) -> WarningRecord {
    WarningRecord {
        code: code.into(),
        view: view.map(String::from),
        message: message.into(),
        ..WarningRecord::default()
    }
}

#[test]
fn an_edge_of_masked_views_is_in_every_view_only_if_all_have_it() {
    // The first edge is in all three views; the second in the two that have node 2.
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0, 1.0, 1.0, 1.0]), ([1, 2], &[1.0, 1.0, 0.0, 1.0])];
    let graph = graph(3, 3, &edges, true).with_membership(Membership::new(3, 3, |view, node| view == 2 && node == 2));
    let masked = "1 of the 3 nodes is masked, and it takes part with the others: `n2` (not in its table)";
    let known = with_summary(FitRecord {
        warnings: vec![warning("W03", Some("v2"), masked)],
        ..FitRecord::default()
    });
    says(
        &graph,
        known,
        &[
            "One is in every view, 1 more in all views that have both nodes",
            "1 of 3 views lack 1 of the 3 nodes and took part with those they have",
            "some lack a few of them, and take part with those they have",
            "every view that has both nodes",
            "W03 v2: 1 of the 3 nodes is masked",
        ],
        &["All have the same nodes"],
    );
}

#[test]
fn important_warnings_come_first_and_those_of_many_views_are_one() {
    let edges: Vec<([u32; 2], Vec<f64>)> = vec![([0, 1], vec![1.0; 31])];
    let rows: Vec<([u32; 2], &[f64])> = edges.iter().map(|(pair, row)| (*pair, &row[..])).collect();
    let graph =
        graph(40, 30, &rows, true).with_membership(Membership::new(40, 30, |view, node| view < 14 && node == view + 2));
    let masked = (0..14).map(|view| warning("W03", Some(&format!("v{view}")), "1 of the 40 nodes is masked"));
    let known = with_summary(FitRecord {
        warnings: masked
            .chain([
                warning("W02", Some("v1"), "in another order"),
                warning("W02", Some("v2"), "in another order"),
                warning("W11", Some("v7"), "an outlier"),
                warning("W09", None, "the consensus follows distance"),
                warning("W01", None, "not converged"),
            ])
            .collect(),
        ..FitRecord::default()
    });
    let text = says(
        &graph,
        known,
        &[
            "W03 14 views have masked nodes, and take part with the others: v0 (n2), v1 (n3), v2 (n4)",
            "v13 (n15)",
            "W02 v1, v2: in another order",
        ],
        &["more, in summary.json"],
    );
    let places: Vec<usize> = ["W01 ", "W11 ", "W09 ", "W03 ", "W02 "]
        .map(|code| text.find(code).unwrap())
        .to_vec();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn a_new_view_is_compared_with_the_frozen_consensus() {
    let edges: [([u32; 2], &[f64]); 3] = [([0, 1], &[1.0, 1.0]), ([1, 2], &[1.0, 0.0]), ([2, 3], &[0.0, 1.0])];
    let summary = FitRecord {
        schema: Some("congraph.projection/1".into()),
        fit: Some("/somewhere/study/fit".into()),
        alpha: Some(0.1),
        ..FitRecord::default()
    };
    says(
        &graph(4, 1, &edges, true),
        with_summary(summary.clone()),
        &[
            "v0 has 2 of 6 possible connections: 1 of the 2 of the frozen consensus, and 1 of its own.",
            "Its uniqueness is 0.500",
            "congraph: 1 new view, 4 nodes",
            "v0 adds 1 edge to the consensus and lacks 1",
            "against the consensus graph of an earlier fit (fit), which was held as it is",
            "The frozen consensus graph",
        ],
        &[
            "learned alone",
            "were learned jointly",
            "/somewhere",
            "mean of the views",
        ],
    );
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0, 0.5, 1.0]), ([1, 2], &[0.0, 0.5, 0.0])];
    says(
        &graph(4, 2, &edges, true),
        with_summary(summary),
        &[
            "2 new views beside a frozen consensus of 1 of 6 possible connections.",
            "v0 is nearest to it (uniqueness 0.000), v1 furthest (0.500)",
        ],
        &["were learned jointly", "2 views share"],
    );
}

#[test]
fn precision_matrices_have_signs_and_their_own_reference() {
    let mut summary = FitRecord {
        method: Some("jgl-fused".into()),
        lambda1: Some(0.1),
        ..FitRecord::default()
    };
    summary.density.views = Some(0.3);
    summary.density.views_negative = Some(0.15);
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0, 0.5]), ([1, 2], &[0.5, 0.5])];
    says(
        &graph(3, 2, &edges, false),
        with_summary(summary),
        &[
            "Signs are not shown.",
            "50 % of the views' edges stand for positive entries",
            "P. Danaher, P. Wang and D. M. Witten",
            "373–397, 2014",
            "(fused; Danaher, Wang and Witten 2014), with λ1 = 0.1",
        ],
        &[
            "No negative edges",
            "add up to the number of nodes",
            "Karaaslanli",
            "consensus graph",
        ],
    );
}

#[test]
fn an_empty_consensus_is_not_called_nothing_in_common() {
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0, 1.0, 0.0]), ([1, 2], &[1.0, 0.0, 0.0])];
    let positions = Positions::Plane((0..12).map(|k| [f64::from(k % 4), f64::from(k / 4)]).collect());
    let summary = |gamma: f64| FitRecord {
        gamma: Some(gamma),
        ..FitRecord::default()
    };
    let known = Known {
        positions: Some(positions),
        ..with_summary(summary(100.0))
    };
    says(
        &graph(12, 2, &edges, true),
        known,
        &[
            "The consensus of 2 views is empty, though one of 66 possible connections is in both.",
            "A smaller gamma, or a larger beta, lets edges in.",
            "12 every node is on its own",
            "Without an edge there are no lengths to compare with chance.",
            "All views are equally far from the consensus (1)",
        ],
        &[
            "share none",
            "larger density",
            "Click a node",
            "Positions of the nodes are not known",
        ],
    );
    let without = graph(12, 2, &edges, true);
    says(
        &without,
        with_summary(summary(0.0)),
        &["A larger beta pulls the views together"],
        &["gamma"],
    );
}

#[test]
fn of_few_views_none_is_said_not_to_stand_out() {
    let edges: [([u32; 2], &[f64]); 2] = [
        ([0, 1], &[1.0, 0.99, 1.0, 0.0, 1.0]),
        ([1, 2], &[0.0, 0.01, 0.0, 1.0, 0.0]),
    ];
    says(
        &graph(3, 4, &edges, true),
        Known::default(),
        &[
            "With 4 views, none can be said to stand out (at least five are needed); v3 is furthest from the consensus \
             (1), then v1 (0.01)",
        ],
        &["No view stands out"],
    );
}

#[test]
fn what_could_not_be_checked_is_not_called_innocent() {
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0, 0.5, 0.7]), ([1, 2], &[0.5, 0.5, 0.5])];
    let graph = graph(6, 2, &edges, true);
    says(
        &graph,
        Known::default(),
        &["This could not be checked."],
        &["Nothing here says so"],
    );
    let known = Known {
        variances: Some(vec![3.0, 1.0, 2.0, 1.5, 4.0, 0.5]),
        views: vec![
            KnownView {
                file: String::new(),
                n_samples: Some(100),
            };
            2
        ],
        ..Known::default()
    };
    says(
        &graph,
        known,
        &["Nothing that could be checked says so; not checked: edge lengths."],
        &["Nothing here says so", "could not be checked."],
    );
}

#[test]
fn edges_that_follow_distance_are_warned_of_with_their_lengths() {
    // Each of 16 electrodes in a row on a head of 10 cm is joined to the next.
    let at = |k: u32| {
        let angle = f64::from(k) * 0.2 - 1.5;
        [0.1 * angle.sin(), 0.0, 0.1 * angle.cos()]
    };
    let rows: Vec<([u32; 2], &[f64])> = (0..15).map(|k| ([k, k + 1], &[1.0, 1.0, 1.0][..])).collect();
    let known = || Known {
        positions: Some(Positions::in_space((0..16).map(at).collect())),
        ..Known::default()
    };
    let graph = graph(16, 2, &rows, true);
    let text = says(
        &graph,
        known(),
        &[
            "Careful: edges follow distance.",
            "W09 the consensus follows distance: 100 % of its edges and 100 % of its weight are between neighbours",
            "The mean edge is 20 mm long, the mean distance between two nodes",
            "100 % of the edges join neighbours,",
            "What spreads through the head (volume conduction) joins neighbours even where nothing is connected.",
        ],
        &["half", "longest"],
    );
    assert_eq!(text.matches("W09").count(), 1);
    // Who learned the graphs has said more: it is repeated, and nothing is added.
    let told = FitRecord {
        warnings: vec![warning("W09", None, "the consensus follows distance, as told")],
        ..FitRecord::default()
    };
    let known = Known {
        summary: Some(told),
        ..known()
    };
    let text = says(&graph, known, &["W09 the consensus follows distance, as told"], &[]);
    assert_eq!(text.matches("W09").count(), 1);
}

#[test]
fn the_dials_say_by_which_rule_they_were_chosen() {
    let edges: [([u32; 2], &[f64]); 1] = [([0, 1], &[1.0, 0.5, 0.7])];
    let cell = |density: f64, similarity: f64, agreement: f64, is_chosen: bool| PathCell {
        density_target: density,
        similarity_target: similarity,
        agreement: Some(agreement),
        is_chosen,
        consensus: vec![([0, 1], 1.0)],
        n_edges: 1,
        ..PathCell::default()
    };
    let known = |is_within: bool| Known {
        path: vec![
            cell(0.1, 0.9, 0.94, false),
            cell(0.1, 0.7, 0.92, false),
            cell(0.15, 0.7, 0.91, true),
        ],
        ..with_summary(FitRecord {
            tune: Some(TuneRecord {
                halvings: 3,
                threshold: Some(0.05),
                is_within: Some(is_within),
                ..TuneRecord::default()
            }),
            ..FitRecord::default()
        })
    };
    let graph = graph(4, 2, &edges, true);
    says(
        &graph,
        known(true),
        &[
            "Density 0.15 and similarity 0.7 were chosen: of the fits that predict the other half of the data best at \
             each density, the densest within 0.02 of the best agreement of these (0.91).",
        ],
        &["come back best"],
    );
    says(
        &graph,
        known(false),
        &["no fit is stable enough"],
        &["the densest within 0.02 of the best agreement of these"],
    );
}

#[test]
fn targets_that_were_not_reached_are_not_said_to_be_met() {
    let edges: [([u32; 2], &[f64]); 1] = [([0, 1], &[2.0, 2.0, 2.0, 2.0])];
    let mut summary = FitRecord::default();
    summary.density.target = Some(0.15);
    summary.penalty = Some("squared-l2".into());
    says(
        &graph(2, 3, &edges, true),
        with_summary(summary),
        &[
            "the nearest to the target 0.15",
            "(found for the density nearest to 0.15 that there is)",
            "All views are equally alike: every two have a correlation of",
            "with the squared ℓ2 penalty",
            "The consensus has 1 of 1 possible edge.",
        ],
        &[", asked for", "least (1)", "squared-l2"],
    );
}

#[test]
fn candidates_are_what_edges_are_counted_of() {
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0, 0.5, 0.7]), ([1, 2], &[0.5, 0.5, 0.5])];
    let summary = FitRecord {
        candidates: Some("knn:5".into()),
        n_candidates: Some(7),
        ..FitRecord::default()
    };
    says(
        &graph(6, 2, &edges, true),
        with_summary(summary),
        &[
            "2 views share 2 of 7 candidate connections (15 are possible).",
            "of which one is among the 5 nearest neighbours of the other in some view could be joined: 7 of 15 \
            possible.",
            "The consensus has 2 of 7 candidate edges.",
        ],
        &["2 of 15"],
    );
}

#[test]
fn one_graph_is_not_called_a_consensus_or_a_mean() {
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0]), ([1, 2], &[0.5])];
    let summary = FitRecord {
        alpha: Some(0.0178),
        ..FitRecord::default()
    };
    says(
        &graph(8, 1, &edges, false),
        with_summary(summary),
        &[
            "Skip to the graph",
            "The graph of one view over 8 nodes was learned on its own",
            ", with α = 0.0178",
            "of which 5 nodes on their own",
        ],
        &[
            "Consensus graph",
            "consensus graph",
            "mean of the views",
            "mean weight over",
            "on its own.0",
            "nodes on its own",
        ],
    );
}

/// The preprocessing of a study.
fn recordings() -> KnownRecordings {
    let recording = |view: &str, bad: &str, n_used: usize| KnownRecording {
        view: view.into(),
        file: format!("/data/private/{view}.edf"),
        sampling_hz: 160.0,
        n_electrodes: 3,
        n_events: 15,
        n_rejected: 15 - n_used,
        n_used,
        bad: bad.into(),
        positions_from: "built-in 10-10 montage".into(),
        ..KnownRecording::default()
    };
    KnownRecordings {
        steps: KnownSteps {
            reference: Some(Vec::new()),
            csd: Some([1e-5, 4.0]),
            band: Some(([4.0, 7.0], 4)),
            events: Some(vec!["T1".into(), "T2".into()]),
            baseline: Some([-0.2, 0.0]),
            reject_microvolts: Some(150.0),
            window: Some([0.0, 0.5]),
            ..KnownSteps::default()
        },
        recordings: vec![recording("v0", "F2..", 15), recording("v1", "", 12)],
        dropped: vec![("/data/private/v2.edf".into(), "v2".into())],
    }
}

#[test]
fn the_methods_of_a_recorded_study_are_ready_to_paste() {
    let edges: [([u32; 2], &[f64]); 1] = [([0, 1], &[1.0, 0.5, 0.7])];
    let view = |n: usize| KnownView {
        file: format!("/data/private/v{n}.edf; extra/v{n}b.edf"),
        n_samples: Some(1200 - 240 * n),
    };
    let command = [
        "/usr/local/bin/congraph",
        "eeg",
        "/data/private/v0.edf",
        "--subject-pattern",
        "{subject}R*",
        "-o",
        "out",
    ];
    let known = Known {
        recordings: Some(recordings()),
        views: vec![view(0), view(1)],
        command: Some(command.map(String::from).to_vec()),
        folder: Some("study <1>".into()),
        finished: Some(1_794_814_557),
        ..Known::default()
    };
    says(
        &graph(3, 2, &edges, true),
        known,
        &[
            "EEG of 2 subjects (2 recordings, 3 electrodes, sampled at 160 Hz) was referenced to the average of all \
             electrodes, turned into current source densities (spherical splines, λ = 1e-5, stiffness 4; Perrin et al. \
             1989), band-pass filtered to 4–7 Hz (Butterworth filter of order 4, forwards and backwards) and cut from \
             0 to 0.5 s around the events T1 and T2.",
            "The mean of the baseline (-0.2 to 0 s) was subtracted.",
            "Epochs with a peak-to-peak amplitude above 150 µV were rejected (3).",
            "Bad channels were left out (v0: F2).",
            "1 more recording had no trials left and was left out, and with it all of v2.",
            "27 of 30 trials were used (12 to 15 for each subject), 960 to 1200 samples for each subject.",
            "Positions of the electrodes: built-in 10-10 montage.",
            "F. Perrin, J. Pernier",
            "IEEE Transactions on Signal and Information Processing over Networks 11, 161–176, 2025",
            "congraph: study <1>, 2 views, 3 nodes, 2026-11-16",
            "v0.edf; extra/v0b.edf",
            "congraph eeg v0.edf --subject-pattern '{subject}R*' -o out",
            "12 of 15",
        ],
        &["/data/private", "/usr/local"],
    );
}

/// Two views of two edges, one of them negative.
fn of_both_signs() -> MultiviewGraph {
    let edges: [([u32; 2], &[f64]); 2] = [([0, 1], &[1.0, 1.0, 1.0]), ([1, 2], &[-1.0, -1.0, -1.0])];
    graph(3, 2, &edges, true)
}

#[test]
fn signed_graphs_say_so_in_the_methods_and_what_a_negative_edge_means() {
    let smooth = FitRecord {
        signed: Some(true),
        alpha: Some(0.1),
        beta: Some(0.2),
        ..FitRecord::default()
    };
    let methods = "The graphs are signed: every pair has a positive edge, which costs the squared distance";
    says(
        &of_both_signs(),
        with_summary(smooth.clone()),
        &[
            methods,
            "nearly each other's opposites",
            "has 2 of 3 possible edges, 1 of them negative.",
        ],
        &["partial correlation"],
    );
    let plain = FitRecord {
        signed: None,
        ..smooth.clone()
    };
    let edges: [([u32; 2], &[f64]); 1] = [([0, 1], &[1.0, 1.0, 1.0])];
    says(&graph(3, 2, &edges, true), with_summary(plain), &[], &["signed"]);
    // Each on its own, and of one view.
    let alone: [([u32; 2], &[f64]); 1] = [([0, 1], &[1.0, -1.0])];
    let single = FitRecord { beta: None, ..smooth };
    says(&graph(3, 2, &alone, false), with_summary(single), &[methods], &[]);
    // Of a precision matrix a negative edge says something else.
    let likelihood = FitRecord {
        method: Some("likelihood".into()),
        filter: Some(1),
        signed: Some(true),
        beta: Some(2.0),
        ..FitRecord::default()
    };
    says(
        &of_both_signs(),
        with_summary(likelihood),
        &["weights W of both signs", "(a negative partial correlation)"],
        &["each other's opposites"],
    );
}

#[test]
fn nodes_that_were_learned_as_one_are_told_in_the_methods() {
    let merged = FitRecord {
        method: Some("likelihood".into()),
        filter: Some(1),
        merged: Some(Named(vec![("n0".into(), vec!["m0".into(), "m1".into()])])),
        ..FitRecord::default()
    };
    let edges: [([u32; 2], &[f64]); 1] = [([0, 1], &[1.0, 1.0, 1.0])];
    let said = "Nodes whose signals are multiples of each other in every view were learned as one, which stands for the \
                others (n0 for m0, m1).";
    says(&graph(3, 2, &edges, true), with_summary(merged), &[said], &[]);
}

#[test]
fn where_positions_go_is_told_in_the_words_of_who_asks() {
    let edges: [([u32; 2], &[f64]); 1] = [([0, 1], &[1.0, 1.0, 1.0])];
    let of = |command: &[&str]| Known {
        command: Some(command.iter().map(|word| (*word).to_owned()).collect()),
        ..Known::default()
    };
    let (table, python) = ("With columns x, y (and z) in nodes.tsv", "(`positions` of the views,");
    let graph = graph(3, 2, &edges, true);
    says(&graph, of(&["congraph", "learn", "a.csv"]), &[table], &[python]);
    says(&graph, of(&["python", "congraph", "save"]), &[python], &[table]);
}

#[test]
fn graphs_without_an_edge_are_not_called_alike() {
    let empty = graph(3, 2, &[], true);
    assert_eq!(empty.similarity(), None);
    says(&empty, Known::default(), &[], &["mean correlation between"]);
}

#[test]
fn which_entries_of_precision_matrices_are_edges_is_told() {
    let edges: [([u32; 2], &[f64]); 1] = [([0, 1], &[1.0, 1.0])];
    let graph = graph(3, 2, &edges, false);
    let of = |rule: &str| {
        with_summary(FitRecord {
            method: Some("jgl-group".into()),
            edge_rule: Some(rule.into()),
            ..FitRecord::default()
        })
    };
    let (any, negative) = (
        "matrix is not zero, whatever its sign;",
        "matrix is negative (a positive partial correlation);",
    );
    says(&graph, of("nonzero"), &[any], &[negative]);
    says(&graph, of("negative"), &[negative], &[any]);
}
