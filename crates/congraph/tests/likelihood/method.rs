//! From views to graphs: symmetries, limits and refusals of the method.

use std::collections::BTreeMap;

use crate::support::rng;
use congraph::methods::likelihood::{Coupling, Filter, Likelihood, Model, Newton, Sparsity};
use congraph::simulate::{GraphModel, Settings, simulate};
use congraph::tune::Wanted;
use congraph::{
    Candidates, Certified, Code, EdgeCost, Error, Learn, Learned, MultiviewGraph, Scale, Table, ViewOptions, Views,
    no_progress,
};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn tables(n_nodes: usize, n_signals: usize, seed: u64) -> Vec<Table> {
    let settings = Settings {
        n_nodes,
        n_views: 3,
        n_signals: vec![n_signals],
        graph: GraphModel::ErdosRenyi { probability: 0.3 },
        seed,
        ..Settings::default()
    };
    let mut tables = simulate(&settings).expect("a simulation").tables;
    for table in &mut tables {
        let names = (0..n_nodes).map(|node| format!("n{node:02}")).collect();
        table.column_names = Some(names);
    }
    tables
}

fn views(tables: Vec<Table>) -> Views {
    Views::assemble(tables, &ViewOptions::default()).expect("good views").0
}

fn models() -> [Model; 4] {
    [
        Model::attractive(Filter::Twice, 2.0),
        Model {
            gamma: 1.0,
            ..Model::attractive(Filter::Once, 1.0)
        },
        Model::signed(),
        Model {
            coupling: None,
            ..Model::attractive(Filter::Once, 1.0)
        },
    ]
}

fn method(model: Model) -> Likelihood {
    Likelihood {
        solver: Newton {
            tolerance: 1e-10,
            ..Newton::default()
        },
        ..Likelihood::new(model)
    }
}

fn learn(method: &Likelihood, views: &Views) -> Learned<Likelihood> {
    let learned = method.learn(views, &no_progress).expect("graphs");
    assert!(learned.converged(), "{:?} {:?}", learned.status, learned.certificate);
    learned
}

/// Every weight by the names of its ends and of its view; the consensus is a view without a name.
fn weights(graph: &MultiviewGraph) -> BTreeMap<(String, String, String), f64> {
    let mut all = BTreeMap::new();
    for (k, pair) in graph.pairs().iter().enumerate() {
        let mut ends = pair.map(|node| graph.nodes()[node as usize].clone());
        ends.sort();
        let [a, b] = ends;
        for (view, &weight) in graph.views().iter().zip(graph.weights().row(k)) {
            all.insert((a.clone(), b.clone(), view.clone()), weight);
        }
        if let Some(consensus) = graph.consensus() {
            all.insert((a, b, String::new()), consensus[k]);
        }
    }
    all.retain(|_, weight| *weight != 0.0);
    all
}

fn assert_close(one: &MultiviewGraph, two: &MultiviewGraph, tolerance: f64, case: &str) {
    let (one, two) = (weights(one), weights(two));
    for key in one.keys().chain(two.keys()) {
        let [x, y] = [&one, &two].map(|all| all.get(key).copied().unwrap_or(0.0));
        assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{case}: {key:?}: {x} {y}");
    }
}

fn in_pool<R: Send>(n_threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("threads")
        .install(work)
}

#[test]
fn threads_and_orders_do_not_matter() {
    let tables = tables(16, 60, 3);
    let mut rng = rng(51);
    let others = [Coupling::L2, Coupling::SquaredL2].map(|penalty| models().map(|model| Model { penalty, ..model }));
    for (k, model) in models().into_iter().chain(others.into_iter().flatten()).enumerate() {
        let method = method(model);
        let first = in_pool(1, || learn(&method, &views(tables.clone())));
        let other = in_pool(2, || learn(&method, &views(tables.clone())));
        assert!(
            weights(&first.graph) == weights(&other.graph) && first.certificate == other.certificate,
            "{k}: threads"
        );
        assert!(!weights(&first.graph).is_empty());
        for _ in 0..2 {
            let mut shuffled: Vec<Table> = tables.iter().map(|table| permuted(table, &mut rng)).collect();
            shuffled.shuffle(&mut rng);
            let other = learn(&method, &views(shuffled));
            assert!(weights(&first.graph) == weights(&other.graph), "{k}: order");
            assert_eq!(first.certificate, other.certificate);
        }
    }
}

/// The same table with its columns in another order.
fn permuted(table: &Table, rng: &mut ChaCha8Rng) -> Table {
    let names = table.column_names.clone().expect("names");
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.shuffle(rng);
    let rows = table.values.chunks(names.len());
    let values = rows
        .flat_map(|row| order.iter().map(|&k| row[k]).collect::<Vec<f64>>())
        .collect();
    Table::new(table.name.clone(), names.len(), values).with_columns(order.iter().map(|&k| names[k].clone()))
}

fn scaled(tables: &[Table], factor: f64) -> Vec<Table> {
    let mut tables = tables.to_vec();
    tables
        .iter_mut()
        .for_each(|table| table.values.iter_mut().for_each(|x| *x *= factor));
    tables
}

#[test]
fn units_do_not_matter() {
    let tables = tables(14, 50, 4);
    for (k, model) in models().into_iter().enumerate() {
        let method = method(model);
        let first = learn(&method, &views(tables.clone()));
        let doubled = learn(&method, &views(scaled(&tables, 1024.0)));
        assert!(weights(&first.graph) == weights(&doubled.graph), "{k}: a power of two");
        let other = learn(&method, &views(scaled(&tables, 1e-3 / 7.0)));
        assert_close(&first.graph, &other.graph, 1e-5, "another unit");
        assert!((first.certificate.objective - other.certificate.objective).abs() <= 1e-8);
    }
}

#[test]
fn a_session_certifies_its_fits() {
    let views = views(tables(12, 40, 5));
    for model in models() {
        let method = method(model);
        let session = method.session(&views, &no_progress).expect("a session");
        let fit = session.fit(&model, None, &no_progress).expect("a fit");
        let (again, told) = (
            session.certify(&fit).expect("a certificate"),
            fit.solution.certificate(),
        );
        let size = 1.0 + told.objective.abs();
        assert!(
            (again.objective - told.objective).abs() <= 1e-12 * size,
            "{again:?} {told:?}"
        );
        assert!(
            (again.dual_objective - told.dual_objective).abs() <= 1e-12 * size,
            "{again:?} {told:?}"
        );
        assert!(again.relative_gap <= 1e-9);
        let mut worse = fit.clone();
        worse.solution.point.diagonals[0][0] *= 1.1;
        let found = session.certify(&worse).expect("a certificate");
        assert!(found.relative_gap > 1e-6, "a worse point passes: {found:?}");
    }
}

/// The refit has edges only where the whole solution is above the threshold, and no larger objective than any other
/// weights there; with nothing cut off, it is the whole solution.
#[test]
fn a_refit_keeps_the_support() {
    let views = views(tables(14, 60, 6));
    for model in models() {
        let method = method(model);
        let session = method.session(&views, &no_progress).expect("a session");
        let whole = session.whole(&model, None, &no_progress).expect("a whole solution");
        let fit = session.fit_from(&model, whole.clone(), &no_progress).expect("a fit");
        let solution = &fit.solution;
        assert!(solution.threshold > 0.0 && solution.converged());
        let n = session.n_nodes() as u32;
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        let before: BTreeMap<[u32; 2], (&[f64], f64)> = pairs
            .zip(whole.point.weights.rows().zip(whole.point.consensus.iter().copied()))
            .collect();
        let mut n_edges = 0;
        for (pair, row, consensus) in solution.pairs() {
            let (old, old_consensus) = before[&pair];
            for (new, old) in row.iter().zip(old) {
                assert!(*new == 0.0 || old.abs() > solution.threshold, "{new} where {old} was");
                n_edges += usize::from(*new != 0.0);
            }
            assert!(!model.is_coupled() || consensus == 0.0 || old_consensus.abs() > solution.threshold);
        }
        assert!(n_edges > 10);
        let all = Model {
            sparsity: Sparsity::All,
            ..model
        };
        let same = session.fit_from(&all, whole.clone(), &no_progress).expect("a fit");
        let apart = (same.solution.certificate.objective - whole.certificate.objective).abs();
        assert!(apart <= 1e-8 * (1.0 + whole.certificate.objective.abs()), "{apart:e}");
        let empty = Model {
            sparsity: Sparsity::Empty,
            ..model
        };
        let empty = session.fit_from(&empty, whole, &no_progress).expect("a fit");
        assert!(session.graph(&empty).pairs().is_empty() && empty.solution.converged());
    }
}

/// Where a view has many more samples, views that must agree are near to what it says alone.
#[test]
fn views_with_more_samples_count_more() {
    let few = tables(10, 30, 7).swap_remove(0);
    let many = tables(10, 1500, 8).swap_remove(1);
    let model = Model {
        sparsity: Sparsity::All,
        ..Model::attractive(Filter::Twice, 1e4)
    };
    let together = learn(&method(model), &views(vec![few.clone(), many.clone()]));
    let alone = Model {
        coupling: None,
        ..model
    };
    let apart = |table: Table, view: usize| {
        let alone = learn(&method(alone), &views(vec![table]));
        let (own, shared) = (alone.graph.adjacency(0), together.graph.adjacency(view));
        own.iter()
            .zip(&shared)
            .map(|(x, y)| (x - y).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let view = |name: &str| {
        together
            .graph
            .views()
            .iter()
            .position(|view| view == name)
            .expect("a view")
    };
    let (from_few, from_many) = (
        apart(few.clone(), view(&few.name)),
        apart(many.clone(), view(&many.name)),
    );
    assert!(from_many < 0.5 * from_few, "{from_many} {from_few}");
}

/// Turning a node's signal in all views turns its edges' signs.
#[test]
fn signed_graphs_know_no_gauge() {
    let mut rng = rng(52);
    // Factors of both signs; then the same with a direction missing, which is put back.
    for (is_referenced, tolerance) in [(false, 0.0), (true, 1e-7)] {
        let n = 14;
        let loadings: Vec<f64> = (0..3 * n).map(|_| StandardNormal.sample(&mut rng)).collect();
        let mut table = |view: usize| {
            let mut values = Vec::new();
            for _ in 0..80 {
                let factors: [f64; 3] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
                let mut row: Vec<f64> = (0..n)
                    .map(|a| {
                        let noise: f64 = StandardNormal.sample(&mut rng);
                        noise + (0..3).map(|f| loadings[3 * a + f] * factors[f]).sum::<f64>()
                    })
                    .collect();
                let mean = row.iter().sum::<f64>() / n as f64;
                row.iter_mut()
                    .for_each(|x| *x -= if is_referenced { mean } else { 0.0 });
                values.extend(row);
            }
            Table::new(format!("v{view}"), n, values).with_columns((0..n).map(|a| format!("n{a:02}")))
        };
        let tables: Vec<Table> = (0..3).map(&mut table).collect();
        let flips: Vec<f64> = (0..n).map(|_| if rng.random_bool(0.5) { -1.0 } else { 1.0 }).collect();
        let mut turned = tables.clone();
        for table in &mut turned {
            table
                .values
                .iter_mut()
                .enumerate()
                .for_each(|(k, x)| *x *= flips[k % n]);
        }
        let method = method(Model::signed());
        let (one, two) = (learn(&method, &views(tables)), learn(&method, &views(turned)));
        assert_eq!(one.details.is_lifted, is_referenced);
        let sign = |name: &str| flips[name[1..].parse::<usize>().expect("a number")];
        let (one, two) = (weights(&one.graph), weights(&two.graph));
        assert!(one.len() == two.len() && one.values().any(|&w| w < 0.0) && one.values().any(|&w| w > 0.0));
        for (key, x) in &one {
            let y = sign(&key.0) * sign(&key.1) * two.get(key).copied().unwrap_or(f64::NAN);
            assert!(
                (x - y).abs() <= tolerance,
                "referenced {is_referenced}: {key:?}: {x} {y}"
            );
        }
    }
}

/// A sum and its parts lack a direction too, but that is what joins them: nothing is put back.
#[test]
fn a_sum_is_joined_to_its_parts() {
    let mut rng = rng(53);
    let n = 10;
    let mut table = |view: usize| {
        let mut values = Vec::new();
        for _ in 0..100 {
            let mut row: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut rng)).collect();
            row[0] = row[1] + row[2] + 0.3 * row[0];
            values.extend(row);
        }
        Table::new(format!("v{view}"), n, values).with_columns((0..n).map(|a| format!("n{a:02}")))
    };
    let views = views((0..2).map(&mut table).collect());
    let learned = learn(&method(Model::signed()), &views);
    assert!(!learned.details.is_lifted);
    let found = weights(&learned.graph);
    let joined = |a: &str, b: &str| found.get(&(a.into(), b.into(), String::new())).copied().unwrap_or(0.0);
    let [one, two] = [joined("n00", "n01"), joined("n00", "n02")];
    let strongest = found.values().fold(0.0_f64, |most, weight| most.max(weight.abs()));
    assert!(one.min(two) > 0.5 * strongest, "{one} {two} of {strongest}");
    assert!(joined("n01", "n02") < 0.0);
}

fn refusal(method: &Likelihood, views: &Views) -> Error {
    method.learn(views, &no_progress).expect_err("a refusal")
}

#[test]
fn proportional_nodes_are_named() {
    let mut tables = tables(8, 30, 9);
    let names = tables[1].column_names.clone().expect("names");
    tables[1].values.chunks_mut(8).for_each(|row| row[5] = 2.5 * row[2]);
    for model in models() {
        let Error::Data(found) = refusal(&method(model), &views(tables.clone())) else {
            panic!("not data")
        };
        assert!(
            found.iter().all(|error| error.code == Code::E04) && found.len() == 1,
            "{found:?}"
        );
        let text = Error::Data(found).to_string();
        assert!(text.contains(&names[2]) && text.contains(&names[5]), "{text}");
    }
    // Opposite signals are no reason to refuse an attractive graph.
    tables[1].values.chunks_mut(8).for_each(|row| row[5] = -row[2]);
    let learned = method(models()[0])
        .learn(&views(tables.clone()), &no_progress)
        .expect("graphs");
    assert!(learned.converged());
    // One of both signs knows no difference between a signal and its opposite.
    let Error::Data(found) = refusal(&method(Model::signed()), &views(tables)) else {
        panic!("not data")
    };
    assert!(found.len() == 1 && found[0].code == Code::E04, "{found:?}");
}

/// The criterion counts shared weights: without them b is not its to choose.
#[test]
fn other_penalties_need_a_coupling() {
    let views = views(tables(10, 60, 12));
    for penalty in [Coupling::L2, Coupling::SquaredL2] {
        let method = Likelihood::new(Model {
            penalty,
            ..Model::default()
        });
        let learn = |wanted: Wanted| method.learn_to(&views, &wanted, &no_progress);
        let error = learn(Wanted::default()).expect_err("a refusal").to_string();
        assert!(
            error.contains("similarity") && error.contains(penalty.name()),
            "{error}"
        );
        let given = Wanted {
            coupling: Some(3.0),
            ..Wanted::default()
        };
        let alone = Wanted {
            is_single: true,
            ..Wanted::default()
        };
        for wanted in [given, alone] {
            let chosen = learn(wanted).expect("graphs");
            assert!(chosen.learned.converged() && chosen.method.model.penalty == penalty);
        }
    }
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let good = views(tables(8, 30, 10));
    let base = method(Model::default());
    let is_parameter = |error: Error, expected: &str| match error {
        Error::Parameter { name, message } => assert!(name == expected && !message.is_empty(), "{name}: {message}"),
        other => panic!("{other:?}"),
    };
    is_parameter(
        refusal(
            &Likelihood {
                memory: 1 << 10,
                ..base.clone()
            },
            &good,
        ),
        "memory",
    );
    let nearest = Candidates::Nearest { k: 3, seed: 1 };
    is_parameter(
        refusal(
            &Likelihood {
                candidates: nearest,
                ..base.clone()
            },
            &good,
        ),
        "candidates",
    );
    for (name, model) in [
        (
            "beta",
            Model {
                coupling: Some(f64::NAN),
                ..Model::default()
            },
        ),
        (
            "gamma",
            Model {
                gamma: -1.0,
                ..Model::default()
            },
        ),
        (
            "lambda1",
            Model {
                lambda: f64::INFINITY,
                ..Model::default()
            },
        ),
        (
            "density",
            Model {
                sparsity: Sparsity::Density(0.0),
                ..Model::default()
            },
        ),
        (
            "filter",
            Model {
                filter: Filter::Twice,
                ..Model::signed()
            },
        ),
    ] {
        is_parameter(refusal(&method(model), &good), name);
    }
    let costs = vec![EdgeCost {
        pair: [0, 3],
        cost: -10.0,
    }];
    let signed = Likelihood {
        edge_costs: costs,
        ..method(Model::signed())
    };
    assert!(matches!(
        refusal(&signed, &good),
        Error::Invalid { what: "edge costs", .. }
    ));
    let mut short = tables(8, 30, 10);
    short[0].n_effective = Some(1.2);
    let Error::Data(found) = refusal(&base, &views(short)) else {
        panic!("not data")
    };
    assert!(found.iter().all(|error| error.code == Code::E05), "{found:?}");
    let one = views(vec![tables(8, 30, 10).swap_remove(0)]);
    let Error::Data(found) = refusal(&base, &one) else {
        panic!("not data")
    };
    assert!(found.iter().all(|error| error.code == Code::E09), "{found:?}");
}

/// Costs and lists of pairs, whatever the order of the nodes.
#[test]
fn forbidden_and_favoured_pairs() {
    let good = views(tables(10, 40, 11));
    let place = |name: &str| good.nodes().iter().position(|node| node == name).expect("a node") as u32;
    let model = Model {
        sparsity: Sparsity::All,
        ..Model::default()
    };
    let plain = learn(&method(model), &good);
    let pair = plain.graph.pairs()[0];
    let key = |graph: &MultiviewGraph, pair: [u32; 2]| {
        let at = graph
            .pairs()
            .iter()
            .position(|other| *other == pair || *other == [pair[1], pair[0]]);
        at.map_or(0.0, |k| graph.weights().row(k).iter().sum::<f64>())
    };
    let with = |cost: f64| {
        let edge_costs = vec![EdgeCost { pair, cost }];
        learn(
            &Likelihood {
                edge_costs,
                ..method(model)
            },
            &good,
        )
        .graph
    };
    assert!(key(&with(f64::INFINITY), pair) == 0.0 && key(&plain.graph, pair) > 0.0);
    assert!(key(&with(0.1), pair) < key(&plain.graph, pair));
    assert!(key(&with(-0.05), pair) > key(&plain.graph, pair));
    let listed = vec![[place("n01"), place("n04")], [place("n09"), place("n02")]];
    let few = learn(
        &Likelihood {
            candidates: Candidates::Listed(listed.clone()),
            ..method(model)
        },
        &good,
    );
    let is_listed = |pair: &[u32; 2]| listed.contains(pair) || listed.contains(&[pair[1], pair[0]]);
    assert!(few.graph.pairs().iter().all(is_listed));
}

#[test]
fn many_samples_are_no_reason_to_cut_edges() {
    for (n_nodes, n_signals, seed) in [(30, 3000, 11), (40, 8000, 12)] {
        let settings = Settings {
            n_nodes,
            n_views: 4,
            n_signals: vec![n_signals],
            graph: GraphModel::ErdosRenyi { probability: 0.15 },
            seed,
            ..Settings::default()
        };
        let simulation = simulate(&settings).expect("a simulation");
        let method = Likelihood {
            scale: Some(Scale::Zscore),
            ..Likelihood::default()
        };
        let wanted = Wanted::default();
        let chosen = method.learn_to(&views(simulation.tables), &wanted, &no_progress);
        let found = congraph::metrics::evaluate(&chosen.expect("a fit").learned.graph, &simulation.truth);
        let f1 = found.expect("scores").mean_view_f1();
        assert!(f1 > 0.95, "{n_signals} samples: F1 {f1}");
    }
}
