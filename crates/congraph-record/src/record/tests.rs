//! A record that is written and read back is the same, of every kind; keys are in their order, and only where they
//! belong.

use std::time::Duration;

use congraph::methods::graphical_lasso::EdgeRule;
use congraph::simulate::{Settings, simulate};
use congraph::tune::choice::{NoFollower, Search, Steps};
use congraph::tune::path::Grid;
use congraph::tune::stability::Stability;
use congraph::{
    Candidates, Dial, Learn, Missing, Projector, Smooth, Table, Targets, Tuned, ViewOptions, Views, Warning,
    no_progress,
};

use super::*;
use crate::choices::{FilterChoice, Method, Signed};
use crate::request::{CandidateRequest, FitRequest, Resolved};

const TIMING: Timing = Timing {
    read: Duration::from_millis(1),
    distances: Duration::from_millis(2),
    solve: Duration::from_millis(3),
    total: Duration::from_millis(7),
};

fn tables(n_views: usize) -> Vec<Table> {
    let settings = Settings {
        n_nodes: 12,
        n_views,
        n_signals: vec![60],
        ..Settings::default()
    };
    simulate(&settings).unwrap().tables
}

fn views(n_views: usize) -> Views {
    Views::assemble(tables(n_views), &ViewOptions::default()).unwrap().0
}

fn request() -> FitRequest {
    FitRequest {
        alpha: Some(0.1),
        beta: Some(0.05),
        ..FitRequest::default()
    }
}

fn fit(request: &FitRequest, views: &Views) -> (Tuned, FitRecord) {
    let asked = request.smooth().unwrap();
    let tuned = asked.method.learn_to(views, &asked.targets, &no_progress).unwrap();
    let warnings = [
        Warning::new("W05", "few samples").in_view("view1"),
        Warning {
            views: vec!["view1".into(), "view2".into()],
            ..Warning::new("W02", "in another order")
        },
    ];
    let record = FitRecord::of(
        &tuned.method,
        &tuned.learned,
        Some(&tuned.reached),
        &warnings,
        Some(&TIMING),
    );
    (tuned, record)
}

/// The keys of the record, which is the same when it is read back.
fn keys(record: &FitRecord) -> Vec<String> {
    let text = record.to_json();
    let again: FitRecord = serde_json::from_str(&text).unwrap();
    assert_eq!(&again, record, "{text}");
    assert_eq!(again.to_json(), text);
    let names: Named<Value> = serde_json::from_str(&text).unwrap();
    names.names().map(str::to_owned).collect()
}

#[test]
fn a_fit_tells_all_of_itself_in_order() {
    let (_, record) = fit(&request(), &views(3));
    let expected = "schema n_nodes n_views penalty regulariser solver alpha beta gamma scale sample_norm \
        distance_norm distance_divisor tolerance objective dual_objective relative_gap converged \
        iterations density similarity chance seconds warnings candidates edge_costs";
    assert_eq!(keys(&record), expected.split_whitespace().collect::<Vec<_>>());
    let text = record.to_json();
    assert!(
        text.starts_with(r#"{"schema":"congraph.summary/1","n_nodes":12,"n_views":3,"penalty":"l1""#),
        "{text}"
    );
    assert!(text.contains(r#""density":{"target":null,"views":"#), "{text}");
    assert!(
        text.contains(r#"{"code":"W05","view":"view1","message":"few samples"}"#),
        "{text}"
    );
    assert!(
        text.contains(r#""message":"in another order","views":["view1","view2"]}"#),
        "{text}"
    );
    assert!(text.ends_with(r#""candidates":"all","edge_costs":null}"#), "{text}");
}

#[test]
fn targets_candidates_and_costs_are_told() {
    let request = FitRequest {
        density: Some(0.2),
        alpha: None,
        candidates: CandidateRequest::Nearest(4),
        seed: 3,
        check_outside: true,
        ..request()
    };
    let (_, record) = fit(&request, &views(3));
    assert!(keys(&record).ends_with(&[
        "solves".into(),
        "candidates".into(),
        "candidates_seed".into(),
        "edge_costs".into(),
        "n_candidates".into(),
        "candidates_outside".into()
    ]));
    assert_eq!(record.density.target, Some(0.2));
    assert_eq!(
        (record.candidates.as_deref(), record.candidates_seed),
        (Some("knn:4"), Some(3))
    );
    let cost = congraph::EdgeCost {
        pair: [0, 1],
        cost: 0.5,
    };
    let asked = request
        .smooth()
        .unwrap()
        .on_pairs(Some(vec![[0, 1], [1, 2]]), Some(vec![cost]));
    let mut record = FitRecord::default().on_pairs(&asked.method.candidates, &asked.method.edge_costs);
    record.density.consensus_target = Some(0.1);
    keys(&record);
    assert_eq!(record.candidates.as_deref(), Some(CANDIDATES_TABLE));
    assert_eq!(
        (record.edge_costs, record.n_edge_costs),
        (Some(Some(EDGE_COSTS_TABLE.into())), Some(1))
    );
}

#[test]
fn views_on_their_own_have_no_penalty() {
    let request = FitRequest {
        single: true,
        beta: None,
        ..request()
    };
    let (_, record) = fit(&request, &views(1));
    let keys = keys(&record);
    // One view has no similarity, which is told.
    assert!(keys.contains(&"similarity".into()));
    assert!(
        record
            .to_json()
            .contains(r#""similarity":{"target":null,"value":null,"floor":null}"#)
    );
    assert_eq!(
        (record.penalty.as_deref(), record.beta, record.gamma),
        (Some("none"), Some(0.0), Some(0.0))
    );
    assert_eq!(record.density.consensus, None);
}

#[test]
fn masked_nodes_are_named_in_the_order_of_the_views() {
    let mut tables = tables(3);
    for (table, node) in tables.iter_mut().zip([2, 5]) {
        let n = table.n_columns;
        table
            .values
            .iter_mut()
            .skip(node)
            .step_by(n)
            .for_each(|value| *value = f64::NAN);
    }
    let options = ViewOptions {
        missing: Missing::Mask,
        ..ViewOptions::default()
    };
    let (views, _) = Views::assemble(tables, &options).unwrap();
    let (_, record) = fit(&request(), &views);
    keys(&record);
    let missing = record.missing.unwrap();
    assert_eq!(missing.names().collect::<Vec<_>>(), ["view1", "view2"]);
    assert_eq!(missing.get("view2").unwrap().len(), 1);
}

#[test]
fn a_joint_graphical_lasso_has_its_own_parameters() {
    for (method, diagonal) in [(Method::JglFused, Some(true)), (Method::JglGroup, None)] {
        let request = FitRequest {
            method,
            lambda1: Some(0.2),
            lambda2: Some(0.05),
            ..FitRequest::default()
        };
        let Resolved::GraphicalLasso(method) = request.resolve().unwrap() else {
            unreachable!()
        };
        let learned = method.learn(&views(3), &no_progress).unwrap();
        let record = FitRecord::of_joint(&method, &learned, EdgeRule::NonZero, &learned.warnings, Some(&TIMING));
        let expected = "schema n_nodes n_views method solver lambda1 lambda2 fused_diagonal scale sample_norm \
            objective dual_objective relative_gap converged iterations components edge_rule density similarity \
            seconds warnings";
        assert_eq!(keys(&record), expected.split_whitespace().collect::<Vec<_>>());
        assert_eq!(record.fused_diagonal, Some(diagonal));
    }
}

#[test]
fn a_choice_is_told_with_the_fit_that_was_chosen() {
    let search = Search {
        grid: Grid::between([0.2, 0.3], [0.8, 0.9]),
        may_extend: [false; 2],
        stability: Stability {
            halvings: 1,
            ..Stability::default()
        },
    };
    let (views, method) = (views(3), Smooth::default());
    let chosen = search.choose(&method, &views, Steps::default(), &mut NoFollower, &no_progress);
    let chosen = chosen.unwrap();
    let scores = vec![0.5; chosen.steps.cells.len()];
    for (scores, best) in [(&scores[..], Some(0)), (&[][..], None)] {
        let record = FitRecord {
            tune: Some(TuneRecord::of(&chosen, 0.05, scores, best)),
            run: Some("7".into()),
            node_names: Some("8".into()),
            files: Some(Named(vec![("b.tsv".into(), "1".into()), ("a.tsv".into(), "2".into())])),
            ..FitRecord::of(
                &chosen.method,
                &chosen.learned,
                Some(&chosen.reached),
                &[],
                Some(&TIMING),
            )
        };
        assert!(keys(&record).ends_with(&["tune".into(), "run".into(), "node_names".into(), "files".into()]));
        let tune = record.tune.unwrap();
        assert_eq!(
            (tune.view_f1.is_some(), tune.oracle.is_some()),
            (best.is_some(), best.is_some())
        );
        assert_eq!((tune.rule.as_deref(), tune.keep), (Some("likelihood"), Some(0.95)));
        assert_eq!((tune.threshold, tune.is_within), (None, None));
        let likeliest = tune.best.unwrap().gain.unwrap();
        assert!(tune.gain.unwrap() >= 0.95 * likeliest && likeliest > 0.0);
    }
}

#[test]
fn a_projection_tells_of_each_view() {
    let views = views(3);
    let (tuned, record) = fit(&request(), &views);
    // The method that the record is of gives the same projector.
    let (method, divisor) = record.smooth().unwrap();
    assert_eq!(divisor, tuned.learned.details.distance_divisor);
    assert_eq!(method.candidates, Candidates::AllPairs);
    let projector = Projector::new(&tuned.learned.graph, &method, divisor).unwrap();
    let projections = projector.project(&views, &no_progress).unwrap();
    let graph = &tuned.learned.graph;
    let record = FitRecord::of_projection("out".into(), &projector, &projections, graph, &[], &TIMING);
    let expected = "schema fit n_nodes n_views penalty solver alpha beta scale sample_norm distance_divisor \
        tolerance relative_gap converged consensus views seconds warnings candidates edge_costs";
    assert_eq!(keys(&record), expected.split_whitespace().collect::<Vec<_>>());
    assert!(record.is_projection() && record.smooth().is_none());
    assert_eq!(record.views.unwrap().names().collect::<Vec<_>>(), graph.views());
}

#[test]
fn options_without_a_field_are_echoed_and_kept() {
    let mut record = FitRecord::default();
    record.echo.insert("mood".into(), serde_json::json!(0.5));
    assert_eq!(keys(&record), ["warnings", "mood"]);
    // What an earlier version did not tell is not there; what a later one tells is kept.
    let read: FitRecord = serde_json::from_str(r#"{"alpha": 1, "later": [1]}"#).unwrap();
    assert_eq!(
        (read.alpha, read.echo.len(), read.similarity.value),
        (Some(1.0), 1, None)
    );
    assert!(serde_json::from_str::<FitRecord>(r#"{"alpha": "much"}"#).is_err());
}

#[test]
fn a_run_is_read_as_it_was_written() {
    let inputs = vec![InputRecord {
        view: "a".into(),
        file: "a.csv".into(),
        sha256: "0".into(),
    }];
    let (_, summary) = fit(&request(), &views(2));
    let run = RunRecord {
        command: Some(vec!["congraph".into(), "learn".into()]),
        threads: Some(2),
        finished_unix_time: Some(1),
        eeg: Some(serde_json::json!({"steps": []})),
        ..RunRecord::of("learn", &summary, inputs, None, &TIMING)
    };
    let text = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), run);
    let keys: Named<Value> = serde_json::from_str(&text).unwrap();
    let expected = "schema kind command version platform threads finished_unix_time seed inputs seconds summary eeg";
    assert_eq!(
        keys.names().collect::<Vec<_>>(),
        expected.split_whitespace().collect::<Vec<_>>()
    );
}

#[test]
fn targets_fixed_by_hand_have_no_target() {
    let fixed = Targets {
        density: Dial::Fixed,
        similarity: Dial::Fixed,
        consensus_density: Dial::Fixed,
    };
    let tuned = Smooth::new(0.1, 0.05)
        .learn_to(&views(2), &fixed, &no_progress)
        .unwrap();
    let record = FitRecord::of(&tuned.method, &tuned.learned, None, &[], None);
    assert!(!keys(&record).contains(&"seconds".into()));
    assert_eq!((record.density.target, record.solves), (None, None));
}

fn likely(request: &FitRequest, views: &Views) -> FitRecord {
    let asked = request.likelihood().unwrap();
    let chosen = asked.method.learn_to(views, &asked.wanted, &no_progress).unwrap();
    FitRecord::of_likelihood(&asked, &chosen, &chosen.learned.warnings, Some(&TIMING))
}

#[test]
fn a_likelihood_tells_what_was_tried_and_no_alpha() {
    let record = likely(&FitRequest::default(), &views(3));
    let told = keys(&record);
    let expected = "schema n_nodes n_views method filter solver beta gamma scale lifted effective_samples threshold \
        kept_density aic n_parameters chosen_by tried tolerance objective dual_objective relative_gap certified converged \
        iterations density similarity chance seconds warnings candidates edge_costs";
    assert_eq!(told, expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!(record.method.as_deref(), Some("likelihood"));
    assert!(record.is_likelihood() && !record.is_joint() && record.smooth().is_none());
    assert_eq!(record.chosen_by, Some(vec!["filter".into(), "beta".into()]));
    let tried = record.tried.as_ref().unwrap();
    assert_eq!(tried.len(), 12);
    let taken = |one: &&TriedRecord| Some(one.filter) == record.filter && one.beta == record.beta;
    let best = tried.iter().find(taken).unwrap();
    assert!(best.certified && best.aic == record.aic);
    assert!(tried.iter().all(|one| !one.certified || one.aic >= best.aic));
    let chance = record.chance.as_ref().unwrap();
    assert!(
        chance.correlations > Some(4.0) && chance.agreement > Some(6.0),
        "{chance:?}"
    );
}

#[test]
fn signs_that_are_chosen_are_tried_once_each() {
    let request = FitRequest {
        signed: Signed::Auto,
        ..FitRequest::default()
    };
    let record = likely(&request, &views(3));
    let tried = record.tried.as_ref().unwrap();
    assert_eq!(tried.len(), 18);
    assert_eq!(tried.iter().filter(|one| one.signed).count(), 6);
    let place = |one: &TriedRecord| (one.filter, one.signed, one.beta.map(f64::to_bits));
    let distinct: std::collections::BTreeSet<_> = tried.iter().map(place).collect();
    assert_eq!(distinct.len(), 18);
    // What is returned is the best of the signs that were taken.
    let own = tried
        .iter()
        .filter(|one| one.signed == record.signed.unwrap_or(false) && one.certified);
    let least = own.filter_map(|one| one.aic).fold(f64::INFINITY, f64::min);
    assert_eq!(record.aic, Some(least));
}

#[test]
fn what_is_given_is_not_chosen() {
    let request = FitRequest {
        beta: Some(2.0),
        gamma: Some(0.5),
        density: Some(0.05),
        filter: FilterChoice::Once,
        scale: Some(congraph::Scale::Zscore),
        candidates: CandidateRequest::Listed(vec![[0, 1], [1, 0], [2, 3], [4, 5], [3, 7], [0, 8], [5, 9], [1, 10]]),
        ..FitRequest::default()
    };
    let record = likely(&request, &views(3));
    assert!(keys(&record).contains(&"n_candidates".into()));
    assert_eq!(
        (record.beta, record.gamma, record.filter),
        (Some(2.0), Some(0.5), Some(1))
    );
    assert_eq!(record.chosen_by, Some(vec![]));
    assert_eq!((record.scale.as_deref(), record.lifted), (Some("zscore"), Some(false)));
    assert_eq!((record.density.target, record.n_candidates), (Some(0.05), Some(7)));
    assert_eq!(record.tried.map(|tried| tried.len()), Some(1));
    let alone = likely(
        &FitRequest {
            single: true,
            signed: Signed::Yes,
            ..FitRequest::default()
        },
        &views(2),
    );
    assert_eq!((alone.beta, alone.gamma, alone.signed), (None, None, Some(true)));
    assert_eq!((alone.filter, alone.chosen_by.as_deref()), (Some(1), Some(&[][..])));
}

#[test]
fn what_is_infinite_is_null_and_read_back() {
    let record = FitRecord {
        threshold: Some(f64::INFINITY),
        relative_gap: Some(f64::INFINITY),
        dual_objective: Some(f64::NEG_INFINITY),
        certified: Some(false),
        ..FitRecord::default()
    };
    keys(&record);
    let text = record.to_json();
    assert!(text.contains(r#""relative_gap":null,"certified":false"#), "{text}");
    assert!(
        text.contains(r#""threshold":null"#) && text.contains(r#""dual_objective":null"#),
        "{text}"
    );
}

#[test]
fn the_subject_of_each_view_is_read_back() {
    let record: FitRecord = serde_json::from_str(r#"{"subjects": {"a1": "a", "a2": "a", "b1": "b"}}"#).unwrap();
    let views = ["b1", "a2"].map(String::from);
    assert_eq!(record.subjects_of(&views), Some(vec!["b".to_owned(), "a".to_owned()]));
    assert_eq!(record.subjects_of(&["c".to_owned()]), None);
}
