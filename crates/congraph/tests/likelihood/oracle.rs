//! The solver against a second one, which shares no code with it, and against optima that another package found.

use super::problems::{Parts, ViewPart, Wanted, describe, random};
use super::second;
use crate::support::rng;
use congraph::methods::likelihood::{Coupling, Filter, Newton, Signs, Solved, Tie};
use congraph::{Status, no_progress};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Every kind of tie, and what may be special about the edges.
#[derive(Clone, Copy, Debug)]
enum Special {
    Nothing,
    Costs,
    Betas,
    Forbidden,
    Masks,
    Fixed,
    All,
}

const SPECIALS: [Special; 7] = [
    Special::Nothing,
    Special::Costs,
    Special::Betas,
    Special::Forbidden,
    Special::Masks,
    Special::Fixed,
    Special::All,
];

/// What the views have to do with each other.
const TIES: [&str; 4] = ["alone", "coupled", "coupled with gamma", "frozen"];

fn made(filter: Filter, signs: Signs, tie: &str, special: Special, rng: &mut ChaCha8Rng) -> Parts {
    let n_views = if tie == "alone" {
        rng.random_range(1..=2)
    } else {
        rng.random_range(2..=3)
    };
    let wanted = Wanted {
        n: rng.random_range(4..=7),
        n_views,
        filter,
        signs,
        samples: (0.5, 1.0),
    };
    let mut parts = random(wanted, rng);
    let has = |one: Special| {
        matches!(special, Special::All) || std::mem::discriminant(&one) == std::mem::discriminant(&special)
    };
    // What the random problem has is replaced, so that every kind is there.
    parts.edges = super::problems::all_pairs(parts.n);
    if has(Special::Forbidden) {
        let left = rng.random_range(0..3_usize);
        let mut k = 0;
        parts.edges.retain(|_| {
            k += 1;
            k % 3 != left
        });
    }
    for (i, view) in parts.views.iter_mut().enumerate() {
        let n = view.nodes.len();
        let keep: Vec<usize> = (0..n)
            .filter(|&k| !has(Special::Masks) || n < 4 || k != (2 * i) % n)
            .collect();
        *view = ViewPart {
            nodes: keep.iter().map(|&k| view.nodes[k]).collect(),
            covariance: keep
                .iter()
                .flat_map(|&a| keep.iter().map(move |&b| (a, b)))
                .map(|(a, b)| view.covariance[a * n + b])
                .collect(),
            weight: view.weight,
        };
    }
    let m = parts.edges.len();
    let base: f64 = if signs == Signs::Both { 0.15 } else { 0.0 };
    let mut vary = |x: f64, varies: bool| {
        (0..m)
            .map(|_| if varies { x * rng.random_range(0.3..2.0) } else { x })
            .collect()
    };
    parts.lambda = vary(
        if has(Special::Costs) { base.max(0.05) } else { base },
        has(Special::Costs),
    );
    parts.beta = vary(0.25, has(Special::Betas));
    parts.gamma = vary(
        if tie == "coupled with gamma" {
            0.2 * n_views as f64 / 2.0
        } else {
            0.0
        },
        false,
    );
    parts.tie = match tie {
        "alone" => Tie::None,
        "frozen" => {
            let mut weight = || {
                let size = if rng.random_bool(0.5) {
                    rng.random_range(0.0..1.0)
                } else {
                    0.0
                };
                if signs == Signs::Both && rng.random_bool(0.5) {
                    -size
                } else {
                    size
                }
            };
            Tie::Frozen((0..m).map(|_| weight()).collect())
        }
        _ => Tie::Consensus,
    };
    parts.fixed = has(Special::Fixed).then(|| (0..m * n_views).map(|_| rng.random_bool(0.3)).collect());
    parts
}

fn newton(parts: &Parts) -> Solved {
    Newton {
        tolerance: 1e-10,
        ..Newton::default()
    }
    .solve(&parts.problem(), None, &no_progress)
}

fn assert_agrees(parts: &Parts, solved: &Solved, theirs: f64, tolerance: f64, case: &str) -> f64 {
    assert!(
        solved.status == Status::Converged && solved.certificate.relative_gap <= 1e-10,
        "{case}: {:?} {:?}; {}",
        solved.status,
        solved.certificate,
        describe(parts)
    );
    // What is told is the objective of the formula.
    let ours = second::objective(parts, &solved.point);
    let size = theirs.abs().max(1.0);
    assert!(
        (ours - solved.certificate.objective).abs() <= 1e-11 * size,
        "{case}: {ours} {:?}",
        solved.certificate
    );
    let apart = (ours - theirs).abs() / size;
    assert!(
        apart <= tolerance,
        "{case}: objective {ours}, the oracle's {theirs}; {}",
        describe(parts)
    );
    assert!(
        solved.certificate.dual_objective <= theirs + tolerance.min(1e-9) * size,
        "{case}: the bound {} exceeds an objective that was reached, {theirs}",
        solved.certificate.dual_objective
    );
    apart
}

#[test]
fn the_solver_agrees_with_a_second_one() {
    let mut rng = rng(31);
    let mut worst = 0.0_f64;
    for (filter, signs) in [
        (Filter::Once, Signs::Attractive),
        (Filter::Twice, Signs::Attractive),
        (Filter::Once, Signs::Both),
    ] {
        for tie in TIES {
            for special in SPECIALS {
                let parts = made(filter, signs, tie, special, &mut rng);
                let case = format!("q = {}, {signs:?}, {tie}, {special:?}", filter.order());
                let (point, theirs) = second::solve(&parts);
                assert!(theirs.is_finite(), "{case}: the second solver found nothing");
                let solved = newton(&parts);
                worst = worst.max(assert_agrees(&parts, &solved, theirs, 1e-7, &case));
                // Strictly convex in the weights: these agree, too.
                let pairs = point.weights.values().iter().zip(solved.point.weights.values());
                let apart = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(apart <= 1e-3, "{case}: weights differ by {apart:e}");
            }
        }
    }
    println!("objectives agree within {worst:.1e}");
}

/// The second solver has ℓ2 of attractive graphs whose weights may all move; the other package has the rest.
#[test]
fn the_solver_agrees_with_a_second_one_on_other_couplings() {
    let mut rng = rng(32);
    let mut worst = 0.0_f64;
    for (filter, signs, coupling) in [
        (Filter::Once, Signs::Attractive, Coupling::SquaredL2),
        (Filter::Twice, Signs::Attractive, Coupling::SquaredL2),
        (Filter::Once, Signs::Both, Coupling::SquaredL2),
        (Filter::Once, Signs::Attractive, Coupling::L2),
        (Filter::Twice, Signs::Attractive, Coupling::L2),
    ] {
        for tie in &TIES[1..] {
            for special in SPECIALS {
                let mut parts = made(filter, signs, tie, special, &mut rng);
                parts.coupling = coupling;
                if coupling == Coupling::L2 && parts.tie == Tie::Consensus {
                    parts.fixed = None;
                }
                let case = format!("{coupling:?}, q = {}, {signs:?}, {tie}, {special:?}", filter.order());
                let (point, theirs) = second::solve(&parts);
                let solved = newton(&parts);
                worst = worst.max(assert_agrees(&parts, &solved, theirs, 1e-7, &case));
                let pairs = point.weights.values().iter().zip(solved.point.weights.values());
                let apart = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(apart <= 1e-3, "{case}: weights differ by {apart:e}");
            }
        }
    }
    println!("objectives agree within {worst:.1e}");
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("numbers")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect()
}

/// Optima of CVXPY and Clarabel: `fixtures/likelihood.py`.
#[test]
fn optima_of_another_package_are_reached() {
    let text = include_str!("../fixtures/likelihood.json");
    let problems: Vec<Value> = serde_json::from_str(text).expect("fixtures");
    assert!(problems.len() >= 14);
    for problem in &problems {
        let view = |view: &Value| ViewPart {
            nodes: numbers(&view["nodes"]).iter().map(|&node| node as usize).collect(),
            covariance: numbers(&view["covariance"]),
            weight: view["weight"].as_f64().expect("a weight"),
        };
        let pair = |pair: &Value| [0, 1].map(|k| pair[k].as_u64().expect("a node") as u32);
        let parts = Parts {
            n: problem["n"].as_u64().expect("nodes") as usize,
            views: problem["views"].as_array().expect("views").iter().map(view).collect(),
            edges: problem["edges"].as_array().expect("edges").iter().map(pair).collect(),
            lambda: numbers(&problem["lambda"]),
            beta: numbers(&problem["beta"]),
            gamma: numbers(&problem["gamma"]),
            coupling: problem["coupling"]
                .as_str()
                .map_or(Coupling::L1, |name| Coupling::by_name(name).expect("a coupling")),
            filter: if problem["order"] == 1 {
                Filter::Once
            } else {
                Filter::Twice
            },
            signs: if problem["signed"] == true {
                Signs::Both
            } else {
                Signs::Attractive
            },
            tie: match problem["tie"].as_str() {
                Some("none") => Tie::None,
                Some("frozen") => Tie::Frozen(numbers(&problem["frozen"])),
                _ => Tie::Consensus,
            },
            fixed: problem["fixed"]
                .as_array()
                .map(|fixed| fixed.iter().map(|x| x.as_bool().expect("a flag")).collect()),
        };
        let theirs = problem["objective"].as_f64().expect("an objective");
        assert_agrees(&parts, &newton(&parts), theirs, 1e-7, &problem["name"].to_string());
    }
}
