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
use crate::support::{PENALTIES, admm, assert_sound, dense, log_uniform, newton, problem, rng};
use congraph::methods::smooth::Data;
use congraph::simulate::{Settings, simulate};
use congraph::tune::stability::{CellStability, Stability};
use congraph::{
    Admm, Candidates, DistanceNorm, Distances, EdgeCost, Kind, Learn, Learned, Missing, Model, MultiviewGraph, Newton,
    Projector, Scale, Scaling, Smooth, Table, Targets, ViewOptions, Views, no_progress, penalties, regularisers,
};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
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
        let names = table.column_names.clone().expect("named columns");
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
    let names = tables
        .iter()
        .flat_map(|table| table.column_names.clone().expect("names"));
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
        let row = graph
            .views()
            .iter()
            .cloned()
            .zip(graph.weights().row(k).iter().copied());
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
        let names = table.column_names.clone().expect("names");
        let rows = table.values.chunks(names.len());
        let values = rows.flat_map(|row| row.iter().copied().chain(row.iter().map(|x| -x)).collect::<Vec<_>>());
        let columns: Vec<String> = names
            .iter()
            .cloned()
            .chain(names.iter().map(|name| format!("-{name}")))
            .collect();
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
            assert!(
                counts(&ours.graph).iter().all(|&count| count > 5),
                "{:?}",
                counts(&ours.graph)
            );
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
                let sign = if a.starts_with('-') == b.starts_with('-') {
                    0.5
                } else {
                    -0.5
                };
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
        compare(
            &problem,
            &solution,
            &oracle,
            oracle.tolerance < 1e-11,
            &mut by_newton,
            &case,
        );
        if number % 4 == 1 || number % 7 == 0 {
            let solution = admm(&problem, 1e-8);
            assert_sound(&problem, &solution, 1e-8, &case);
            assert!(solution.converged(), "{case}: {:?}", solution.certificate);
            compare(&problem, &solution, &oracle, false, &mut by_admm, &case);
        }
    }
    assert!(n_reached >= 55, "{n_reached}");
}

/// Some nodes of some views left out, columns and views in another order.
fn shuffled(tables: &[Table], rng: &mut ChaCha8Rng) -> Vec<Table> {
    let mut tables: Vec<Table> = tables
        .iter()
        .map(|table| {
            let names = table.column_names.clone().expect("names");
            let mut order: Vec<usize> = (0..names.len()).collect();
            order.shuffle(rng);
            let values = table.values.chunks(names.len());
            let values = values.flat_map(|row| order.iter().map(|&k| row[k]).collect::<Vec<_>>());
            Table::new(table.name.clone(), names.len(), values.collect())
                .with_columns(order.iter().map(|&k| names[k].clone()))
        })
        .collect();
    tables.shuffle(rng);
    tables
}

fn without(tables: &[Table], share: f64, rng: &mut ChaCha8Rng) -> Vec<Table> {
    let mut drop = |table: &Table| {
        let names = table.column_names.clone().expect("names");
        let kept: Vec<usize> = (0..names.len()).filter(|&k| k < 3 || !rng.random_bool(share)).collect();
        let values = table.values.chunks(names.len());
        let values = values.flat_map(|row| kept.iter().map(|&k| row[k]).collect::<Vec<_>>());
        Table::new(table.name.clone(), kept.len(), values.collect())
            .with_columns(kept.iter().map(|&k| names[k].clone()))
    };
    tables.iter().map(&mut drop).collect()
}

#[test]
fn flipping_signals_flips_signs_to_the_bit() {
    let mut rng = rng(3);
    for number in 0..24_usize {
        let (n, n_views) = (rng.random_range(4..=30), rng.random_range(2..=4));
        let mut tables = tables(n, n_views, 40, &mut rng);
        if number % 3 == 1 {
            tables = without(&tables, 0.2, &mut rng);
        }
        // A first sample of 0 in every third node: its sign is told by the second.
        for table in &mut tables {
            let n = table.n_columns;
            (0..n).step_by(3).for_each(|node| table.values[node] = 0.0);
        }
        let penalty = ["l1", "l2", "squared-l2"][number % 3];
        let base = signed(
            log_uniform(&mut rng, -2.0, -0.5),
            log_uniform(&mut rng, -2.5, -1.0),
            0.002,
            penalty,
        );
        let scale = [Scale::Zscore, Scale::Center, Scale::None][number / 3 % 3];
        let base = Smooth {
            scaling: Scaling {
                scale,
                ..Scaling::default()
            },
            ..base
        };
        let with_admm = Smooth {
            solver: Arc::new(Admm {
                tolerance: 1e-8,
                ..Admm::default()
            }),
            ..base.clone()
        };
        let nearest = Smooth {
            candidates: Candidates::Nearest { k: 2, seed: 1 },
            check_outside: true,
            ..base.clone()
        };
        let flips = random_flips(&tables, &mut rng);
        let other = shuffled(&flipped(&tables, &flips), &mut rng);
        let case = format!("case {number}: {penalty}, {scale:?}");
        for method in [&base, &with_admm, &nearest] {
            let one = learn(method, &views(tables.clone()));
            let two = learn(method, &views(other.clone()));
            assert_bits(&turned(&weights(&one.graph), &flips), &weights(&two.graph), &case);
            assert_eq!(one.certificate, two.certificate, "{case}");
            assert_eq!(one.details, two.details, "{case}");
            assert!(
                (one.graph.mean_density() - two.graph.mean_density()).abs() < 1e-12,
                "{case}"
            );
            let [x, y] = [&one, &two].map(|learned| learned.graph.similarity().expect("views"));
            assert!((x - y).abs() < 1e-12, "{case}: {x} {y}");
        }
        // Parameters that are found for targets are found alike.
        if number % 6 == 0 {
            let targets = Targets::default();
            let [one, two] = [&tables, &other].map(|tables| {
                base.learn_to(&views(tables.clone()), &targets, &no_progress)
                    .expect("a fit")
            });
            assert_bits(
                &turned(&weights(&one.learned.graph), &flips),
                &weights(&two.learned.graph),
                &case,
            );
        }
    }
}

#[test]
fn covariances_and_sums_of_products_have_signs_too() {
    let mut rng = rng(4);
    for number in 0..6_usize {
        let n = 15;
        let tables = tables(n, 3, 50, &mut rng);
        let flips = random_flips(&tables, &mut rng);
        let kind = [Kind::Gram, Kind::Covariance][number % 2];
        let product = |table: &Table| {
            let rows = || table.values.chunks(n);
            let mean = |a: usize| rows().map(|row| row[a]).sum::<f64>() / 50.0;
            let means: Vec<f64> = (0..n)
                .map(|a| if kind == Kind::Covariance { mean(a) } else { 0.0 })
                .collect();
            let entry = |a: usize, b: usize| {
                let (a, b) = (a.min(b), a.max(b));
                let sum: f64 = rows().map(|row| (row[a] - means[a]) * (row[b] - means[b])).sum();
                // Blocks that nothing joins.
                let apart = a < 5 && b >= 5;
                if apart && number > 3 { 0.0 } else { sum / 50.0 }
            };
            let values = (0..n * n).map(|k| entry(k / n, k % n)).collect();
            let names = table.column_names.clone().expect("names");
            Table {
                n_samples: Some(50),
                row_names: Some(names.clone()),
                ..Table::new(table.name.clone(), n, values).with_columns(names)
            }
        };
        let assembled = |tables: &[Table]| {
            let options = ViewOptions {
                kind,
                ..ViewOptions::default()
            };
            Views::assemble(tables.iter().map(product).collect(), &options)
                .expect("views")
                .0
        };
        let method = signed(0.05, 0.02, 0.0, "l1");
        let one = learn(&method, &assembled(&tables));
        let two = learn(&method, &assembled(&flipped(&tables, &flips)));
        assert_bits(&turned(&weights(&one.graph), &flips), &weights(&two.graph), "products");
        assert!(counts(&one.graph).iter().all(|&count| count > 5));
        if kind == Kind::Covariance && number <= 3 {
            let signals = learn(&method, &views(tables));
            assert_close(&weights(&one.graph), &weights(&signals.graph), 1e-6, "signals");
        }
    }
}

#[test]
fn the_working_set_is_exact_for_both_signs() {
    let mut rng = rng(5);
    for (n, memory) in [(280, 1 << 30), (300, 0)] {
        let tables = tables(n, 2, 60, &mut rng);
        let flips = random_flips(&tables, &mut rng);
        let costs = vec![
            EdgeCost {
                pair: [0, 5],
                cost: f64::INFINITY,
            },
            EdgeCost {
                pair: [7, 1],
                cost: -0.3,
            },
        ];
        for tables in [tables.clone(), without(&tables, 0.1, &mut rng)] {
            let set = Smooth {
                memory,
                edge_costs: costs.clone(),
                ..signed(0.02, 0.01, 0.0, "l1")
            };
            let given = views(tables.clone());
            let last = given.n_nodes() as u32;
            let all = (0..last).flat_map(|a| (a + 1..last).map(move |b| [a, b]));
            let list = Smooth {
                candidates: Candidates::Listed(all.collect()),
                ..set.clone()
            };
            let session = set.session(&given, &no_progress).expect("data");
            assert!(matches!(session.data(), Data::Many(_)));
            let fit = session.fit(&set.model, None, &no_progress).expect("a fit");
            let again = session.certify(&fit).expect("a certificate");
            assert!(again.relative_gap <= 1e-9, "{again:?}");
            let (one, two) = (learn(&set, &given), learn(&list, &given));
            let ratio = one.details.distance_divisor / two.details.distance_divisor;
            assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
            assert_close(&weights(&one.graph), &weights(&two.graph), 1e-6, "all pairs");
            assert!(counts(&one.graph).iter().all(|&count| count > n));
            let other = learn(&set, &views(flipped(&tables, &flips)));
            assert_bits(
                &turned(&weights(&one.graph), &flips),
                &weights(&other.graph),
                "all pairs",
            );
        }
    }
}

#[test]
fn candidates_are_nearest_by_the_size_of_the_correlation() {
    let mut rng = rng(6);
    let n = 40;
    let tables = tables(n, 2, 80, &mut rng);
    let method = signed(0.03, 0.01, 0.0, "l1");
    let all = learn(&method, &views(tables.clone()));
    let near = |k: usize| Smooth {
        candidates: Candidates::Nearest { k, seed: 1 },
        check_outside: true,
        ..method.clone()
    };
    // All of them.
    let every = learn(&near(n - 1), &views(tables.clone()));
    assert_close(&weights(&all.graph), &weights(&every.graph), 1e-6, "all neighbours");
    assert_eq!(
        (every.details.n_candidates, every.details.outside),
        (Some(n * (n - 1) / 2), Some(0))
    );
    // Enough of them: nothing outside would enter, and the result is that of all pairs. The divisor is of the candidates.
    let raw = |method: Smooth| Smooth {
        scaling: Scaling {
            distance_norm: DistanceNorm::None,
            ..Scaling::default()
        },
        model: Model::l1(0.06, 0.02),
        ..method
    };
    let all = learn(&raw(method.clone()), &views(tables.clone()));
    let some = learn(&raw(near(25)), &views(tables.clone()));
    assert_eq!(some.details.outside, Some(0));
    assert!(some.details.n_candidates.expect("candidates") < n * (n - 1) / 2);
    assert_close(&weights(&all.graph), &weights(&some.graph), 1e-6, "some neighbours");
    // Too few: some would.
    let few = learn(&raw(near(1)), &views(tables));
    assert!(few.details.outside > Some(0));
}

#[test]
fn costs_are_those_of_both_signs() {
    let mut rng = rng(7);
    let tables = tables(16, 2, 60, &mut rng);
    let method = signed(0.05, 0.02, 0.0, "l1");
    let free = learn(&method, &views(tables.clone()));
    let strongest = |sign: f64| {
        let consensus = free.graph.consensus().expect("a consensus");
        let pairs = free.graph.pairs().iter().zip(consensus);
        let most = pairs.max_by(|x, y| (sign * x.1).total_cmp(&(sign * y.1)));
        *most.expect("an edge").0
    };
    let pairs = [strongest(1.0), strongest(-1.0)];
    let with = |cost: f64| Smooth {
        edge_costs: pairs.map(|pair| EdgeCost { pair, cost }).to_vec(),
        ..method.clone()
    };
    let forbidden = learn(&with(f64::INFINITY), &views(tables.clone()));
    assert!(pairs.iter().all(|pair| !forbidden.graph.pairs().contains(pair)));
    let weight = |learned: &Learned, pair: &[u32; 2]| {
        let place = learned.graph.pairs().iter().position(|other| other == pair);
        place.map_or(0.0, |place| learned.graph.consensus().expect("a consensus")[place])
    };
    let favoured = learn(&with(-0.2), &views(tables.clone()));
    let disfavoured = learn(&with(0.2), &views(tables));
    for pair in &pairs {
        let [more, as_it_is, less] = [&favoured, &free, &disfavoured].map(|learned| weight(learned, pair).abs());
        assert!(more > as_it_is && as_it_is > less, "{more} {as_it_is} {less}");
    }
}

#[test]
fn without_a_negative_edge_that_pays_the_graphs_are_the_unsigned_ones() {
    // At the unsigned optimum's multipliers every negative edge has D⁻ + λ_a + λ_b ≥ 0 in every view: all its targets are
    // ≤ 0, so that it is absent for any c and r, and the multipliers certify the unsigned weights for the signed problem.
    let settings = Settings {
        n_nodes: 30,
        n_views: 3,
        n_signals: vec![200],
        ..Settings::default()
    };
    let tables = simulate(&settings).expect("a simulation").tables;
    let views = views(tables);
    let scaling = Scaling {
        distance_norm: DistanceNorm::None,
        ..Scaling::default()
    };
    let mut n_equal = 0;
    for alpha in [0.005, 0.02, 0.1, 0.5] {
        let with_signs = Smooth {
            scaling,
            ..signed(alpha, 0.05, 0.0, "l1")
        };
        let without = Smooth {
            signed: false,
            ..with_signs.clone()
        };
        let session = without.session(&views, &no_progress).expect("data");
        let fit = session.fit(&without.model, None, &no_progress).expect("a fit");
        let (sorted, _) = views.sorted();
        let distances = Distances::signed_from_views(&sorted, &scaling).expect("distances");
        let multipliers = &fit.solution.multipliers;
        let rows = distances.edges().pairs().iter().zip(distances.values().rows());
        let least = rows
            .filter(|([a, b], _)| a > b)
            .flat_map(|(&[a, b], row)| {
                let ends = multipliers.row(a as usize).iter().zip(multipliers.row(b as usize));
                row.iter().zip(ends).map(|(d, (x, y))| d + x + y).collect::<Vec<_>>()
            })
            .fold(f64::INFINITY, f64::min);
        let one = learn(&with_signs, &views);
        let two = learn(&without, &views);
        if least > 0.0 {
            n_equal += 1;
            assert_eq!(counts(&one.graph)[0], 0);
            assert_close(&weights(&one.graph), &weights(&two.graph), 1e-6, "unsigned");
            assert_eq!(one.graph.similarity().is_some(), two.graph.similarity().is_some());
        } else {
            assert!(one.certificate.objective < two.certificate.objective);
        }
    }
    assert!((1..4).contains(&n_equal), "{n_equal}");
}

#[test]
fn a_view_projected_on_its_own_consensus_comes_back() {
    let mut rng = rng(8);
    for (penalty, candidates) in [
        ("l1", Candidates::AllPairs),
        ("squared-l2", Candidates::AllPairs),
        ("l1", Candidates::Nearest { k: 5, seed: 1 }),
    ] {
        let tables = tables(24, 4, 400, &mut rng);
        let method = Smooth {
            candidates,
            ..signed(0.01, 0.02, 0.0, penalty)
        };
        let given = views(tables.clone());
        let session = method.session(&given, &no_progress).expect("data");
        let fit = session.fit(&method.model, None, &no_progress).expect("a fit");
        // Of a pair with both signs in the consensus the graph tells the net alone, and that is what is frozen.
        let edges = fit.solution.distances.edges().pairs();
        let shared = fit.solution.weights.iter().filter(|(_, _, consensus)| *consensus > 0.0);
        let mut shared: Vec<[u32; 2]> = shared.map(|(edge, _, _)| edges[edge]).collect();
        let n_shared = shared.len();
        shared.iter_mut().for_each(|pair| pair.sort_unstable());
        shared.sort_unstable();
        shared.dedup();
        assert_eq!(shared.len(), n_shared, "{penalty}");
        let learned = learn(&method, &given);
        let projector = Projector::of(&method, &learned).expect("a consensus");
        let projections = projector
            .project(&views(tables.clone()), &no_progress)
            .expect("projections");
        let all = weights(&learned.graph);
        for projection in &projections {
            assert!(projection.certificate.relative_gap <= 1e-8);
            let of_view = |row: &BTreeMap<String, f64>| {
                let own = row
                    .iter()
                    .filter(|(view, _)| view.is_empty() || *view == projection.name());
                own.map(|(view, weight)| (view.clone(), *weight)).collect()
            };
            let expected: Weights = all.iter().map(|(ends, row)| (ends.clone(), of_view(row))).collect();
            assert_close(&weights(&projection.graph), &expected, 1e-5, penalty);
            assert!(projection.shared().count() > 10);
        }
        // A flipped view against the flipped consensus.
        let flips = random_flips(&tables, &mut rng);
        let other = flipped(&tables, &flips);
        let turned_fit = learn(&method, &views(other.clone()));
        let turned_projector = Projector::of(&method, &turned_fit).expect("a consensus");
        let again = turned_projector
            .project(&views(other), &no_progress)
            .expect("projections");
        for (one, two) in projections.iter().zip(&again) {
            assert_bits(&turned(&weights(&one.graph), &flips), &weights(&two.graph), penalty);
            assert_eq!(one.lacking().collect::<Vec<_>>(), two.lacking().collect::<Vec<_>>());
        }
    }
}

#[test]
fn targets_are_met_and_no_one_warns_of_lost_signs() {
    let mut rng = rng(9);
    let views = views(tables(40, 3, 150, &mut rng));
    let method = signed(1.0, 1.0, 0.0, "l1");
    let targets = Targets::new(0.15, 0.93);
    let tuned = method.learn_to(&views, &targets, &no_progress).expect("a fit");
    let graph = &tuned.learned.graph;
    assert!((graph.mean_density() - 0.15).abs() < 0.01, "{}", graph.mean_density());
    assert!(
        (graph.similarity().expect("views") - 0.93).abs() < 0.01,
        "{:?}",
        graph.similarity()
    );
    // Views that agree are seen to: W15 would say that nothing is shared.
    let told = |code: &str| tuned.learned.warnings.iter().any(|warning| warning.code == code);
    assert!(!told("W14") && !told("W15"));
    assert!(tuned.reached.agreement.expect("views").z > 6.0);
    let unsigned = Smooth {
        signed: false,
        ..method
    };
    let tuned = unsigned.learn_to(&views, &targets, &no_progress).expect("a fit");
    let warning = tuned.learned.warnings.iter().find(|warning| warning.code == "W14");
    assert!(warning.expect("W14").message.contains("signed"));
}

#[test]
fn the_conditions_of_optimality_hold_on_both_signs() {
    // Without coupling: D + 4αw + 2α(δ_a + δ_b) is the same for every edge that is present, and not less for the others.
    let mut rng = rng(10);
    for n in [5, 20, 45] {
        let views = views(tables(n, 2, 60, &mut rng));
        let distances = Arc::new(Distances::signed_from_views(&views, &Scaling::default()).expect("distances"));
        let alpha = 0.04;
        let solution = newton(&problem(&distances, alpha, 0.0, 0.0, "none"), 1e-13);
        let (all, _) = dense(&problem(&distances, alpha, 0.0, 0.0, "none"), &solution.weights);
        for view in 0..2 {
            let mut degrees = vec![0.0; n];
            for (&[a, b], row) in distances.edges().pairs().iter().zip(all.rows()) {
                degrees[a as usize] += row[view];
                degrees[b as usize] += row[view];
            }
            let slope = |(edge, &[a, b]): (usize, &[u32; 2])| {
                let weight = all.row(edge)[view];
                let ends = degrees[a as usize] + degrees[b as usize];
                let slope = distances.values().row(edge)[view] + 4.0 * alpha * weight + 2.0 * alpha * ends;
                (weight, slope)
            };
            let slopes: Vec<(f64, f64)> = distances.edges().pairs().iter().enumerate().map(slope).collect();
            let least = slopes.iter().fold(f64::INFINITY, |least, (_, slope)| least.min(*slope));
            assert!(
                slopes
                    .iter()
                    .all(|(weight, slope)| *weight == 0.0 || slope - least < 1e-6)
            );
        }
    }
}

#[test]
fn what_is_stable_does_not_depend_on_signs_of_signals() {
    let mut rng = rng(11);
    let tables = tables(20, 3, 80, &mut rng);
    let flips = random_flips(&tables, &mut rng);
    let method = signed(1.0, 1.0, 0.0, "l1");
    let tallies = |tables: &[Table]| {
        let views = views(tables.to_vec());
        let session = method.session(&views, &no_progress).expect("data");
        let mut cells = Vec::new();
        session
            .path_row(0.15, &[0.93, 0.96], &no_progress, &mut |cell, _| cells.push(cell))
            .expect("a path");
        assert!(!cells.is_empty());
        let stability = Stability::default();
        let tallies = stability
            .halving(&method, &views, &cells, 0, &no_progress)
            .expect("halves");
        let (verdicts, _) = stability.choose(views.n_pairs(), &cells, &tallies, 1);
        (tallies, verdicts)
    };
    let ((one, verdicts), (two, others)) = (tallies(&tables), tallies(&flipped(&tables, &flips)));
    let names: Vec<&bool> = flips.values().collect();
    for (one, two) in one.iter().zip(&two) {
        let turn = |&[a, b]: &[u32; 2]| {
            if names[a as usize] == names[b as usize] {
                [a, b]
            } else {
                [b, a]
            }
        };
        let turned: std::collections::HashMap<[u32; 2], u32> =
            one.counts.iter().map(|(edge, count)| (turn(edge), *count)).collect();
        assert_eq!(turned, two.counts);
        assert!(one.counts.keys().any(|[a, b]| a > b) && one.counts.keys().any(|[a, b]| a < b));
    }
    for (one, two) in verdicts.iter().zip(&others) {
        // Half of the edges are negative, and both halves know which.
        assert!(one.agreement > 0.5, "{one:?}");
        // The likelihood comes from eigenvalues, whose rounding sees signs.
        let (gain, other) = (one.gain.expect("a gain"), two.gain.expect("a gain"));
        assert!((gain - other).abs() < 1e-12, "{gain} {other}");
        assert_eq!(
            CellStability { gain: None, ..*one },
            CellStability { gain: None, ..*two }
        );
    }
}

#[test]
fn simulated_graphs_are_found_whatever_the_signs_of_the_nodes() {
    // Turning nodes turns the true signs and the learned ones alike: as many edges are found as without, with the right sign.
    let settings = Settings {
        n_nodes: 40,
        n_views: 4,
        n_signals: vec![400],
        ..Settings::default()
    };
    let simulation = simulate(&settings).expect("a simulation");
    let mut rng = rng(12);
    let names: Vec<String> = simulation.truth.nodes().to_vec();
    let tables: Vec<Table> = simulation
        .tables
        .into_iter()
        .map(|table| table.with_columns(names.clone()))
        .collect();
    let flips = random_flips(&tables, &mut rng);
    let method = signed(1.0, 1.0, 0.0, "l1");
    let targets = Targets {
        density: congraph::Dial::At(simulation.truth.mean_density()),
        ..Targets::default()
    };
    let learn = |method: &Smooth, tables: &[Table]| {
        let tuned = method.learn_to(&views(tables.to_vec()), &targets, &no_progress);
        weights(&tuned.expect("a fit").learned.graph)
    };
    let truth = weights(&simulation.truth);
    // Hits without and with signs, and how many edges there are, in the consensus.
    let score = |learned: &Weights, truth: &Weights| {
        let shared = |weights: &Weights, ends: &(String, String)| weights.get(ends).map_or(0.0, |row| row[""]);
        let present = |weights: &Weights| weights.keys().filter(|ends| shared(weights, ends) != 0.0).count();
        let products = learned.keys().map(|ends| shared(learned, ends) * shared(truth, ends));
        let products: Vec<f64> = products.collect();
        let f1 = |hits: usize| 2.0 * hits as f64 / (present(learned) + present(truth)) as f64;
        [
            f1(products.iter().filter(|x| **x != 0.0).count()),
            f1(products.iter().filter(|x| **x > 0.0).count()),
        ]
    };
    let straight = score(&learn(&method, &tables), &truth);
    let turned_scores = score(&learn(&method, &flipped(&tables, &flips)), &turned(&truth, &flips));
    assert_eq!(straight, turned_scores);
    let unsigned = Smooth {
        signed: false,
        ..method
    };
    let reference = score(&learn(&unsigned, &tables), &truth);
    assert!(
        straight[0] == straight[1] && straight[0] > reference[0] - 0.02,
        "{straight:?} {reference:?}"
    );
    let lost = score(&learn(&unsigned, &flipped(&tables, &flips)), &turned(&truth, &flips));
    assert!(lost[0] < 0.7 * straight[0], "{lost:?}");
}

/// Whichever signs nodes came with, the same exponent is chosen: negative edges are judged like positive ones.
#[test]
fn the_spectrum_is_chosen_whatever_signs_nodes_have() {
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let given = tables(14, 3, 90, &mut rng);
    let flips = random_flips(&given, &mut rng);
    assert!(flips.values().any(|flip| *flip) && !flips.values().all(|flip| *flip));
    let method = signed(0.05, 0.03, 0.0, "l1");
    let targets = congraph::Targets::default();
    let choose = |tables: Vec<Table>| {
        method
            .choose_spectrum(&views(tables), &targets, &no_progress)
            .expect("an exponent")
    };
    let (one, other) = (choose(given.clone()), choose(flipped(&given, &flips)));
    assert_eq!(one.spectrum, other.spectrum);
    for ((_, one), (_, other)) in one.gains.iter().zip(&other.gains) {
        let (one, other) = (one.expect("a gain"), other.expect("a gain"));
        assert!((one - other).abs() <= 1e-9 * one.abs(), "{one} {other}");
    }
}
