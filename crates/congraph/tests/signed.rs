//! Signed graphs: every pair has a positive edge with ‖x_a − x_b‖² and a negative one with ‖x_a + x_b‖².
//!
//! **The same as an unsigned problem of 2n nodes.** Take x and −x as nodes, without the pairs (a, −a). The edges (a, b) and
//! (−a, −b) have the distance of the positive edge, (a, −b) and (−a, b) that of the negative one. Exchanging all x with all −x
//! changes nothing, and the optimum in the view weights is unique, so both edges of a kind have the same weight. Each term of
//! the problem is then twice that of the signed one: Σ Dw and Σ w² have two equal edges for one, Σ δ² two nodes of equal
//! degree for one, c and r two equal edges for one; and the total of 2n is twice n. So the weights are the same, and the
//! objective is twice that of the signed problem.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::oracle::{Worst, compare, oracle};
use crate::support::{PENALTIES, admm, assert_sound, largest_difference, log_uniform, newton, problem, rng};
use congraph::methods::smooth::Data;
use congraph::simulate::{Settings, simulate};
use congraph::{
    Admm, Candidates, Distances, DistanceNorm, EdgeCost, Kind, Learn, Learned, Missing, Model, MultiviewGraph, Newton,
    Projector, Scale, Scaling, Smooth, Table, Targets, ViewOptions, Views, no_progress, penalties, regularisers,
};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn views(tables: Vec<Table>) -> Views {
    let options = ViewOptions {
        missing: Missing::Mask,
        ..ViewOptions::default()
    };
    Views::assemble(tables, &options).expect("good views").0
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Views of a few shared factors with loadings of both signs; of `n_samples` samples.
fn tables(n_nodes: usize, n_views: usize, n_samples: usize, rng: &mut ChaCha8Rng) -> Vec<Table> {
    let n_factors = 3 + n_nodes / 8;
    let loadings: Vec<f64> = (0..n_nodes * n_factors)
        .map(|_| if rng.random_bool(0.4) { normal(rng) } else { 0.0 })
        .collect();
    let mut table = |view: usize| {
        let mut values = Vec::with_capacity(n_nodes * n_samples);
        for _ in 0..n_samples {
            let factors: Vec<f64> = (0..n_factors).map(|_| normal(rng)).collect();
            for node in 0..n_nodes {
                let own = loadings[node * n_factors..(node + 1) * n_factors].iter();
                values.push(own.zip(&factors).map(|(x, y)| x * y).sum::<f64>() + 0.7 * normal(rng));
            }
        }
        Table::new(format!("v{view}"), n_nodes, values).with_columns((0..n_nodes).map(|node| format!("n{node:03}")))
    };
    (0..n_views).map(&mut table).collect()
}

/// The same with some nodes' signals multiplied by −1 in all views.
fn flipped(tables: &[Table], flips: &BTreeMap<String, bool>) -> Vec<Table> {
    let turn = |table: &Table| {
        let mut table = table.clone();
        let names = table.columns.clone().expect("named columns");
        let n = names.len();
        for (k, value) in table.values.iter_mut().enumerate() {
            if flips[&names[k % n]] {
                *value = -*value;
            }
        }
        table
    };
    tables.iter().map(turn).collect()
}

fn random_flips(tables: &[Table], rng: &mut ChaCha8Rng) -> BTreeMap<String, bool> {
    let names = tables.iter().flat_map(|table| table.columns.clone().expect("names"));
    names.map(|name| (name, rng.random_bool(0.5))).collect()
}

fn signed(alpha: f64, beta: f64, gamma: f64, penalty: &str) -> Smooth {
    let model = Model::new(alpha, beta, penalties::by_name(penalty).expect("a penalty"));
    let model = if gamma > 0.0 {
        model.regularised(gamma, regularisers::by_name("l1").expect("a regulariser"))
    } else {
        model
    };
    Smooth {
        signed: true,
        solver: Arc::new(Newton {
            tolerance: 1e-10,
            ..Newton::default()
        }),
        ..Smooth::with_model(model)
    }
}

fn learn(method: &Smooth, views: &Views) -> Learned {
    let learned = method.learn(views, &no_progress).expect("graphs");
    assert!(
        learned.converged() && learned.certificate.relative_gap <= 1e-8,
        "{:?}",
        learned.certificate
    );
    learned
}

type Weights = BTreeMap<(String, String), BTreeMap<String, f64>>;

/// Every weight by the names of its ends and of its view; the consensus is a view without a name.
fn weights(graph: &MultiviewGraph) -> Weights {
    let name = |node: u32| graph.nodes()[node as usize].clone();
    let mut all = Weights::new();
    for (k, &[a, b]) in graph.pairs().iter().enumerate() {
        let (a, b) = (name(a), name(b));
        let row = graph.views().iter().cloned().zip(graph.weights().row(k).iter().copied());
        let shared = graph.consensus().map(|consensus| (String::new(), consensus[k]));
        let ends = if a < b { (a, b) } else { (b, a) };
        all.insert(ends, row.chain(shared).collect());
    }
    all
}

fn turned(weights: &Weights, flips: &BTreeMap<String, bool>) -> Weights {
    let turn = |((a, b), row): (&(String, String), &BTreeMap<String, f64>)| {
        let flip = flips[a] != flips[b];
        let row = row.iter().map(|(view, &weight)| {
            let weight = if flip && weight != 0.0 { -weight } else { weight };
            (view.clone(), weight)
        });
        ((a.clone(), b.clone()), row.collect())
    };
    weights.iter().map(turn).collect()
}

fn assert_bits(one: &Weights, two: &Weights, case: &str) {
    assert_eq!(one.len(), two.len(), "{case}");
    for ((ends, row), (other_ends, other)) in one.iter().zip(two) {
        assert_eq!(ends, other_ends, "{case}");
        for ((view, x), (other_view, y)) in row.iter().zip(other) {
            assert!(
                view == other_view && x.to_bits() == y.to_bits(),
                "{case}: {ends:?} {view} {x} {y}"
            );
        }
    }
}

fn assert_close(one: &Weights, two: &Weights, tolerance: f64, case: &str) {
    let none = BTreeMap::new();
    for ends in one.keys().chain(two.keys()) {
        let (one, two) = (one.get(ends).unwrap_or(&none), two.get(ends).unwrap_or(&none));
        for view in one.keys().chain(two.keys()) {
            let [x, y] = [one, two].map(|row| row.get(view).copied().unwrap_or(0.0));
            assert!((x - y).abs() < tolerance, "{case}: {ends:?} {view}: {x} {y}");
        }
    }
}

/// Numbers of negative and of positive weights.
fn counts(graph: &MultiviewGraph) -> [usize; 2] {
    let all = graph.weights().values();
    [
        all.iter().filter(|&&w| w < 0.0).count(),
        all.iter().filter(|&&w| w > 0.0).count(),
    ]
}

/// The views of x and −x.
fn doubled(tables: &[Table]) -> Vec<Table> {
    let double = |table: &Table| {
        let names = table.columns.clone().expect("names");
        let rows = table.values.chunks(names.len());
        let values = rows.flat_map(|row| row.iter().copied().chain(row.iter().map(|x| -x)).collect::<Vec<_>>());
        let columns: Vec<String> = names.iter().cloned().chain(names.iter().map(|name| format!("-{name}"))).collect();
        Table::new(table.name.clone(), columns.len(), values.collect()).with_columns(columns)
    };
    tables.iter().map(double).collect()
}

#[test]
fn a_signed_problem_is_half_of_the_unsigned_one_of_both_signs() {
    let mut rng = rng(1);
    for (case, penalty) in PENALTIES.iter().enumerate() {
        if *penalty == "none" {
            continue;
        }
        let n = 14;
        let tables = tables(n, 3, 60, &mut rng);
        let gamma = if case == 1 { 0.01 } else { 0.0 };
        for scaling in [
            Scaling::default(),
            Scaling {
                scale: Scale::None,
                distance_norm: DistanceNorm::None,
                ..Scaling::default()
            },
        ] {
            let method = Smooth {
                scaling,
                ..signed(0.05, 0.03, gamma, penalty)
            };
            let ours = learn(&method, &views(tables.clone()));
            assert!(counts(&ours.graph).iter().all(|&count| count > 5), "{:?}", counts(&ours.graph));
            // All but the pairs (a, −a).
            let pairs = (0..2 * n as u32).flat_map(|a| (a + 1..2 * n as u32).map(move |b| [a, b]));
            let unsigned = Smooth {
                signed: false,
                candidates: Candidates::Listed(pairs.filter(|[a, b]| b - a != n as u32).collect()),
                ..method.clone()
            };
            let theirs = learn(&unsigned, &views(doubled(&tables)));
            let ratio = theirs.certificate.objective / ours.certificate.objective;
            assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
            assert!((theirs.details.distance_divisor / ours.details.distance_divisor - 1.0).abs() < 1e-12);
            // w⁺ − w⁻, from either of the two edges of a kind.
            let theirs = weights(&theirs.graph);
            let mut net = Weights::new();
            for ((a, b), row) in &theirs {
                let sign = if a.starts_with('-') == b.starts_with('-') { 0.5 } else { -0.5 };
                let [a, b] = [a, b].map(|name| name.trim_start_matches('-').to_owned());
                let ends = if a < b { (a, b) } else { (b, a) };
                let entry = net.entry(ends).or_default();
                for (view, weight) in row {
                    *entry.entry(view.clone()).or_default() += sign * weight;
                }
            }
            assert_close(&weights(&ours.graph), &net, 1e-6, penalty);
        }
    }
}

#[test]
fn solvers_agree_with_an_interior_point_solver() {
    let mut rng = rng(2);
    let (mut by_newton, mut by_admm) = (Worst::default(), Worst::default());
    let mut n_reached = 0;
    for number in 0..60_usize {
        let penalty = PENALTIES[number % 4];
        let n = rng.random_range(2..=9);
        let n_views = rng.random_range(1..=4);
        let views = views(tables(n, n_views, 30, &mut rng));
        let distances = Arc::new(Distances::signed_from_views(&views, &Scaling::default()).expect("distances"));
        assert!(distances.edges().is_signed() && distances.edges().n_edges() == n * (n - 1));
        let (alpha, beta) = (log_uniform(&mut rng, -3.0, 0.0), log_uniform(&mut rng, -3.0, 0.0));
        let gamma = if number % 3 == 0 { 0.3 * beta } else { 0.0 };
        let problem = problem(&distances, alpha, beta, gamma, penalty);
        let case = format!("case {number}: {penalty}, n = {n}, N = {n_views}, {alpha:e}, {beta:e}, {gamma:e}");
        let oracle = oracle(&problem);
        if !oracle.reached {
            continue;
        }
        n_reached += 1;
        let solution = newton(&problem, 1e-10);
        assert_sound(&problem, &solution, 1e-10, &case);
        assert!(solution.converged(), "{case}: {:?}", solution.certificate);
        compare(&problem, &solution, &oracle, oracle.tolerance < 1e-11, &mut by_newton, &case);
        if number % 4 == 1 || number % 7 == 0 {
            let solution = admm(&problem, 1e-8);
            assert_sound(&problem, &solution, 1e-8, &case);
            assert!(solution.converged(), "{case}: {:?}", solution.certificate);
            compare(&problem, &solution, &oracle, false, &mut by_admm, &case);
        }
    }
    assert!(n_reached >= 55, "{n_reached}");
}
