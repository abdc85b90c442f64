//! Each contradiction names its option, wrong kinds are refused, and what is fine becomes what the library runs.

use congraph::methods::graphical_lasso::Fusion;
use congraph::methods::likelihood::{Filter, Signs};
use congraph::penalties::L1;
use congraph::{Candidates, Code, Dial, EdgeCost, SampleNorm, Scale};

use super::*;
use crate::choices::{Method, Signed};
use crate::refusal::Refusal;
use crate::spelling::{CommandLine, Python};

fn refused(request: &FitRequest) -> RequestError {
    request.resolve().unwrap_err()
}

fn jgl() -> FitRequest {
    FitRequest {
        method: Method::JglFused,
        lambda1: Some(0.1),
        lambda2: Some(0.02),
        ..FitRequest::default()
    }
}

/// Each is refused for the first option of its line.
const REFUSED: &str = "
    density=0.1 alpha=0.1
    similarity=0.9 beta=0.1
    consensus_density=0.1 gamma=0.1
    similarity=0.9 single
    consensus_density=0.9 single
    density=0
    density=1.1
    similarity=NaN
    alpha=-1
    alpha=1e-320
    beta=-1
    gamma=inf
    tol=0
    memory=0
    penalty=l3
    regulariser=l3
    lambda1=0.1
    lambda2=0.1
    fused_diagonal
    lambda1 method=jgl-fused lambda2=0.1
    lambda2 method=jgl-fused lambda1=0.1
    lambda2=0.1 method=jgl-fused lambda1=0.1 single
    lambda1=-0.1 method=jgl-fused lambda2=0.1
    lambda2=NaN method=jgl-fused lambda1=0.1
    tol=NaN method=jgl-fused lambda1=0.1 lambda2=0.1
    alpha=0.1 method=jgl-fused lambda1=0.1 lambda2=0.1
    density=0.1 method=jgl-group lambda1=0.1 lambda2=0.1
    penalty=l2 method=jgl-group lambda1=0.1 lambda2=0.1
    regulariser=none method=jgl-group lambda1=0.1 lambda2=0.1
    signed method=jgl-group lambda1=0.1 lambda2=0.1
    candidates=knn:3 method=jgl-group lambda1=0.1 lambda2=0.1
    memory=1 method=jgl-group lambda1=0.1 lambda2=0.1
    solver=admm method=jgl-group lambda1=0.1 lambda2=0.1
    z_step=bcd method=jgl-group lambda1=0.1 lambda2=0.1
    distance_norm=none method=jgl-group lambda1=0.1 lambda2=0.1
    spectrum=0.5 method=jgl-group lambda1=0.1 lambda2=0.1
    spectrum=auto method=jgl-fused lambda1=0.1 lambda2=0.1
    spectrum=0
    spectrum=2
    spectrum=NaN
    spectrum=0.5 scale=center
    spectrum=auto scale=none
    fused_diagonal=no method=jgl-group lambda1=0.1 lambda2=0.1
    filter=2
    filter=1 signed=yes
    signed=auto
    filter=2 method=jgl-group lambda1=0.1 lambda2=0.1
    proportional=merge
    proportional=merge method=jgl-group lambda1=0.1 lambda2=0.1
    signed=auto method=jgl-group lambda1=0.1 lambda2=0.1
    alpha=0.1 method=likelihood
    consensus_density=0.1 method=likelihood
    lambda1=0.1 method=likelihood
    lambda2=0.1 method=likelihood
    fused_diagonal method=likelihood
    penalty=none method=likelihood
    regulariser=none method=likelihood
    spectrum=0.5 method=likelihood
    spectrum=auto method=likelihood
    solver=admm method=likelihood
    z_step=bcd method=likelihood
    sample_norm=sum method=likelihood
    distance_norm=none method=likelihood
    check_outside method=likelihood
    similarity=0.9 beta=2 method=likelihood
    similarity=0.9 single method=likelihood
    density=0 method=likelihood
    beta=0 method=likelihood
    beta=-1 method=likelihood
    gamma=-1 method=likelihood
    memory=0 method=likelihood
    tol=0 method=likelihood
    filter=2 signed method=likelihood";

/// A word of [`REFUSED`]: a number, a word, `no`, or a flag; λ1 and λ2 without a value are left out.
fn value(id: &str, word: Option<&str>) -> Value {
    match (id, word) {
        ("lambda1" | "lambda2", None) => Value::Missing,
        (_, None) => Value::Flag(true),
        (_, Some("no")) => Value::Flag(false),
        ("filter", Some(word)) => Value::Word(word.into()),
        (_, Some(word)) => word.parse().map_or_else(|_| Value::Word(word.into()), Value::Number),
    }
}

#[test]
fn what_contradicts_itself_names_its_option() {
    for line in REFUSED.lines().filter(|line| !line.is_empty()) {
        let mut request = FitRequest::default();
        let words: Vec<(&str, Option<&str>)> = line
            .split_whitespace()
            .map(|word| word.split_once('=').map_or((word, None), |(id, word)| (id, Some(word))))
            .collect();
        for (id, word) in &words {
            request.set(id, &value(id, *word)).unwrap();
        }
        let error = refused(&request);
        assert_eq!(error.option, words[0].0, "{line}: {error}");
        let [there, here] = [error.spelled(&CommandLine).0, error.spelled(&Python).0];
        assert!(there.contains("--") && !here.contains("--"), "{there} / {here}");
    }
}

#[test]
fn a_dial_and_its_parameter_have_a_code() {
    let request = FitRequest {
        density: Some(0.1),
        alpha: Some(0.1),
        ..FitRequest::default()
    };
    let Refusal::Coded(error) = refused(&request).refusal else {
        unreachable!()
    };
    assert_eq!(error.code, Code::E12);
    assert_eq!(
        error.spelled(&CommandLine).what,
        "`--density` and `--alpha` are both given"
    );
    assert_eq!(error.spelled(&Python).hint, "leave out `density` or `alpha`");
}

#[test]
fn words_say_what_is_off_and_what_to_do() {
    let request = FitRequest {
        similarity: Some(0.9),
        single: true,
        ..FitRequest::default()
    };
    let (message, hint) = refused(&request).spelled(&CommandLine);
    assert_eq!(
        message,
        "--similarity is about what views share, and --single learns each on its own"
    );
    assert_eq!(hint, "leave out `--similarity` or `--single`");
    let (message, hint) = refused(&FitRequest {
        lambda1: Some(0.1),
        ..FitRequest::default()
    })
    .spelled(&CommandLine);
    assert_eq!(message, "--lambda1 is an option of the joint graphical lasso");
    assert!(
        hint.starts_with("add `--method jgl-fused` or `--method jgl-group`, or leave it out"),
        "{hint}"
    );
    let request = FitRequest {
        regulariser: "l3".into(),
        ..FitRequest::default()
    };
    let (message, _) = refused(&request).spelled(&Python);
    assert_eq!(
        message,
        "regulariser \"l3\" is not known: it must be \"none\" or \"l1\""
    );
    let request = FitRequest {
        penalty: PenaltyRequest::Named("l3".into()),
        ..FitRequest::default()
    };
    let (message, _) = refused(&request).spelled(&Python);
    assert!(
        message.ends_with("\" or an object with `value` and `prox`"),
        "{message}"
    );
    let wrong = CandidateRequest::of_word("knn:0").unwrap_err();
    assert_eq!(
        (wrong.option, wrong.to_string().contains("knn:20")),
        ("candidates", true)
    );
}

#[test]
fn usual_requests_find_what_is_not_given() {
    let asked = FitRequest::default().smooth().unwrap();
    assert_eq!(
        (asked.targets.density, asked.targets.similarity),
        (Dial::Usual, Dial::Usual)
    );
    assert_eq!(asked.targets.consensus_density, Dial::Fixed);
    assert!(!asked.is_memory_given && asked.echo.is_empty());
    let given = FitRequest {
        alpha: Some(0.1),
        similarity: Some(0.9),
        memory: Some(2.0),
        candidates: CandidateRequest::of_word("knn:7").unwrap(),
        seed: 5,
        ..FitRequest::default()
    };
    let asked = given.smooth().unwrap().with_free_memory(Some(1));
    assert_eq!(
        (asked.targets.density, asked.targets.similarity),
        (Dial::Fixed, Dial::At(0.9))
    );
    assert_eq!(asked.method.memory, 2 << 30);
    assert_eq!(asked.method.candidates, Candidates::Nearest { k: 7, seed: 5 });
    assert_eq!(asked.method.solver.name(), "newton");
    let own = FitRequest {
        penalty: PenaltyRequest::Given(std::sync::Arc::new(L1)),
        ..FitRequest::default()
    };
    assert_eq!(own.smooth().unwrap().method.solver.name(), "admm");
}

#[test]
fn tables_are_read_by_the_face() {
    let request = FitRequest {
        candidates: CandidateRequest::of_word("pairs.tsv").unwrap(),
        edge_costs: CostRequest::Table("costs.tsv".into()),
        ..FitRequest::default()
    };
    let asked = request.smooth().unwrap();
    assert_eq!(asked.tables.candidates, Some("pairs.tsv".into()));
    assert_eq!(asked.tables.edge_costs, Some("costs.tsv".into()));
    let cost = EdgeCost {
        pair: [0, 1],
        cost: 0.5,
    };
    let asked = asked.on_pairs(Some(vec![[0, 1]]), Some(vec![cost]));
    assert_eq!(asked.method.candidates, Candidates::Listed(vec![[0, 1]]));
    assert_eq!(asked.method.edge_costs, [cost]);
}

#[test]
fn the_joint_graphical_lasso_is_a_request_too() {
    let Resolved::GraphicalLasso(method) = jgl().resolve().unwrap() else {
        unreachable!()
    };
    assert_eq!(method.model.fusion, Fusion::Fused);
    assert!(method.model.fused_diagonal && method.model.lambda2 == 0.02);
    let alone = FitRequest {
        lambda2: None,
        single: true,
        ..jgl()
    };
    let Resolved::GraphicalLasso(method) = alone.resolve().unwrap() else {
        unreachable!()
    };
    assert_eq!(method.model.lambda2, 0.0);
}

#[test]
fn options_are_set_by_their_ids() {
    let word = |word: &str| Value::Word(word.into());
    let mut request = FitRequest::default();
    let settings = [
        ("coupling", word("group")),
        ("density", Value::Whole(1)),
        ("alpha", Value::Missing),
        ("beta", Value::Number(0.5)),
        ("lambda1", Value::Number(0.2)),
        ("fused_diagonal", Value::Flag(true)),
        ("penalty", word("l2")),
        ("regulariser", word("none")),
        ("signed", Value::Flag(true)),
        ("single", Value::Flag(true)),
        ("candidates", Value::Pairs(vec![[0, 1]])),
        ("edge_costs", Value::Costs(Vec::new())),
        ("seed", Value::Whole(7)),
        ("solver", word("admm")),
        ("z_step", word("bcd")),
        ("tol", Value::Number(1e-6)),
        ("max_iter", Value::Whole(9)),
        ("scale", word("center")),
        ("sample_norm", word("sum")),
        ("distance_norm", word("none")),
    ];
    for (id, value) in settings {
        request.set(id, &value).unwrap();
    }
    assert_eq!(
        (request.method, request.density, request.beta),
        (Method::JglGroup, Some(1.0), Some(0.5))
    );
    assert_eq!(request.candidates, CandidateRequest::Listed(vec![[0, 1]]));
    assert_eq!((request.seed, request.max_iterations), (7, Some(9)));
    assert_eq!(
        (request.scale, request.sample_norm),
        (Some(Scale::Center), SampleNorm::Sum)
    );
    assert_eq!(request.signed, Signed::Yes);
    for (given, expected) in [
        (Value::Flag(false), Signed::No),
        (word("yes"), Signed::Yes),
        (word("no"), Signed::No),
    ] {
        request.set("signed", &given).unwrap();
        assert_eq!(request.signed, expected);
    }
    assert!(request.set("signed", &Value::Number(0.5)).is_err() && request.set("signed", &word("maybe")).is_err());
}

#[test]
fn values_of_the_wrong_kind_are_refused_by_id() {
    let word = |word: &str| Value::Word(word.into());
    let cases = [
        ("density", word("much"), Refusal::Kind { wanted: "a number" }),
        ("tol", Value::Missing, Refusal::Kind { wanted: "a number" }),
        (
            "seed",
            Value::Missing,
            Refusal::Kind {
                wanted: "a whole number",
            },
        ),
        ("seed", Value::Whole(-1), Refusal::Count { wanted: "0 or more" }),
        ("seed", Value::Whole(i128::MAX), Refusal::Count { wanted: "smaller" }),
        (
            "max_iterations",
            Value::Number(1.5),
            Refusal::Kind {
                wanted: "a whole number",
            },
        ),
        (
            "single",
            Value::Whole(1),
            Refusal::Kind {
                wanted: "true or false",
            },
        ),
        ("scale", Value::Whole(3), Refusal::Kind { wanted: "a word" }),
        ("regulariser", Value::Other, Refusal::Kind { wanted: "a word" }),
        (
            "candidates",
            Value::Whole(3),
            Refusal::Kind {
                wanted: "a word, or pairs of nodes",
            },
        ),
        (
            "edge_costs",
            Value::Flag(true),
            Refusal::Kind {
                wanted: "costs of pairs of nodes",
            },
        ),
    ];
    for (id, value, refusal) in cases {
        let error = FitRequest::default().set(id, &value).unwrap_err();
        assert_eq!((error.option, error.refusal), (id, refusal));
    }
    let error = FitRequest::default().set("scale", &word("loud")).unwrap_err();
    assert_eq!(
        error.spelled(&Python).0,
        "scale is \"loud\"; it must be \"zscore\", \"center\" or \"none\""
    );
    assert!(FitRequest::default().set("no_option", &Value::Missing).is_err());
}

#[test]
fn a_path_is_asked_for_and_checked() {
    let asked = TuneRequest::default().resolve().unwrap();
    assert!(!asked.search(50).unwrap().grid.densities.is_empty());
    let wrong = TuneRequest {
        threshold: 0.0,
        ..TuneRequest::default()
    };
    assert_eq!(wrong.resolve().unwrap_err().option, "threshold");
    let mut request = TuneRequest::default();
    request.set("halvings", &Value::Whole(3)).unwrap();
    assert_eq!(request.halvings, 3);
    assert_eq!(
        request.set("threshold", &Value::Word("x".into())).unwrap_err().option,
        "threshold"
    );
    let backwards = TuneRequest {
        density: Some([0.4, 0.1]),
        ..TuneRequest::default()
    };
    assert!(backwards.resolve().unwrap().search(50).is_err());
}

#[test]
fn a_likelihood_is_asked_for_by_what_is_given() {
    let mut request = FitRequest::default();
    for (id, value) in [
        ("method", Value::Word("likelihood".into())),
        ("density", Value::Number(0.2)),
        ("beta", Value::Number(2.0)),
        ("gamma", Value::Number(0.5)),
        ("filter", Value::Whole(2)),
        ("scale", Value::Word("center".into())),
        ("tol", Value::Number(1e-6)),
        ("max_iter", Value::Whole(7)),
        ("memory", Value::Number(2.0)),
        (
            "edge_costs",
            Value::Costs(vec![EdgeCost {
                pair: [0, 1],
                cost: 0.5,
            }]),
        ),
    ] {
        request.set(id, &value).unwrap();
    }
    let Resolved::Likelihood(asked) = request.resolve().unwrap() else {
        unreachable!()
    };
    let (method, wanted) = (&asked.method, asked.wanted);
    assert_eq!(
        (wanted.density, wanted.coupling, wanted.gamma),
        (Some(0.2), Some(2.0), 0.5)
    );
    assert_eq!(
        (wanted.filter, wanted.signs),
        (Some(Filter::Twice), Some(Signs::Attractive))
    );
    assert_eq!(
        (method.scale, method.solver.tolerance, method.solver.max_iterations),
        (Some(Scale::Center), 1e-6, 7)
    );
    assert_eq!((method.memory, method.edge_costs.len()), (2 << 30, 1));
    assert!(asked.open(3).is_empty());
    assert_eq!(asked.with_free_memory(Some(1)).method.memory, 2 << 30);
    // What is not given is open; the scale is the data's.
    let asked = FitRequest {
        signed: Signed::Auto,
        ..FitRequest::default()
    }
    .likelihood()
    .unwrap();
    assert_eq!((asked.method.scale, asked.wanted.signs), (None, None));
    assert_eq!(asked.open(3), ["filter", "beta", "signed"]);
    assert_eq!(asked.open(1), ["filter", "signed"]);
    assert_eq!(asked.with_free_memory(Some(1)).method.memory, 1);
    let signed = FitRequest {
        signed: Signed::Yes,
        ..FitRequest::default()
    }
    .likelihood()
    .unwrap();
    assert_eq!(
        (signed.method.scale, signed.method.model.signs),
        (Some(Scale::Zscore), Signs::Both)
    );
    assert_eq!(signed.open(2), ["beta"]);
    let mut request = FitRequest::default();
    for wrong in [
        Value::Whole(3),
        Value::Word("3".into()),
        Value::Number(1.5),
        Value::Flag(true),
    ] {
        assert_eq!(request.set("filter", &wrong).unwrap_err().option, "filter");
    }
    request.set("method", &Value::Word("congraph".into())).unwrap();
    assert!(matches!(request.resolve(), Ok(Resolved::Smooth(_))));
}
