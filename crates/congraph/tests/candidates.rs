//! Restricted supports and costs of edges: the same solvers on fewer pairs.

use std::collections::BTreeMap;
use std::sync::Arc;

use congraph::simulate::{GraphModel, Settings, simulate};
use congraph::{Admm, Candidates, EdgeCost, Learn, Learned, Smooth, Table, ViewOptions, Views, no_progress};

fn tables(n_nodes: usize) -> Vec<Table> {
    let simulation = simulate(&Settings {
        n_nodes,
        n_views: 3,
        n_signals: vec![80],
        graph: GraphModel::BarabasiAlbert { growth: 3 },
        ..Settings::default()
    });
    simulation.expect("a simulation").tables
}

fn views(n_nodes: usize) -> Views {
    Views::assemble(tables(n_nodes), &ViewOptions::default())
        .expect("views")
        .0
}

fn learner(candidates: Candidates) -> Smooth {
    Smooth {
        candidates,
        ..Smooth::new(0.05, 0.02)
    }
}

fn learn(views: &Views, learner: &Smooth) -> Learned {
    let learned = learner.learn(views, &no_progress).expect("graphs");
    assert!(learned.converged(), "{:?}", learned.status);
    learned
}

/// Every weight by the names of its ends, the consensus last.
fn weights(learned: &Learned) -> BTreeMap<(String, String), Vec<f64>> {
    let graph = &learned.graph;
    let name = |node: u32| graph.nodes()[node as usize].clone();
    let consensus = graph.consensus().expect("a consensus");
    let rows = graph.pairs().iter().zip(graph.weights().rows()).zip(consensus);
    rows.map(|((&[a, b], row), &shared)| {
        let (a, b) = (name(a), name(b));
        let ends = if a < b { (a, b) } else { (b, a) };
        (ends, row.iter().copied().chain([shared]).collect())
    })
    .collect()
}

fn assert_close(one: &Learned, two: &Learned, tolerance: f64) {
    let (one, two) = (weights(one), weights(two));
    let none = vec![0.0; 4];
    for ends in one.keys().chain(two.keys()) {
        let pairs = one
            .get(ends)
            .unwrap_or(&none)
            .iter()
            .zip(two.get(ends).unwrap_or(&none));
        for (x, y) in pairs {
            assert!((x - y).abs() < tolerance, "{ends:?}: {x} {y}");
        }
    }
}

fn admm() -> Arc<Admm> {
    Arc::new(Admm {
        tolerance: 1e-10,
        ..Admm::default()
    })
}

fn every_third_pair(n: u32) -> Vec<[u32; 2]> {
    let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
    all.filter(|[a, b]| (a * 7 + b * 3) % 3 == 0 || b - a == 1).collect()
}

#[test]
fn all_pairs_listed_are_all_pairs() {
    let views = views(40);
    let all: Vec<[u32; 2]> = (0..40).flat_map(|a| (a + 1..40).map(move |b| [b, a])).collect();
    let listed = learn(&views, &learner(Candidates::Listed(all)));
    assert_close(&listed, &learn(&views, &learner(Candidates::AllPairs)), 1e-9);
}

#[test]
fn newton_and_admm_agree_on_a_list_of_pairs() {
    let views = views(40);
    let pairs = every_third_pair(40);
    let newton = learner(Candidates::Listed(pairs.clone()));
    let by_admm = Smooth {
        solver: admm(),
        ..newton.clone()
    };
    let (one, two) = (learn(&views, &newton), learn(&views, &by_admm));
    assert_close(&one, &two, 2e-5);
    assert!((one.certificate.objective / two.certificate.objective - 1.0).abs() < 1e-9);
    assert!(one.graph.pairs().iter().all(|pair| pairs.contains(pair)));
}

#[test]
fn pairs_are_those_of_the_given_order_of_nodes() {
    let pairs = every_third_pair(30);
    let given = views(30);
    // The same nodes the other way round, and the pairs with them.
    let turned = tables(30).into_iter().map(|table| {
        let rows = table.values.chunks_exact(30).flat_map(|row| row.iter().rev().copied());
        let names: Vec<String> = table.column_names.clone().expect("names").into_iter().rev().collect();
        Table::new(table.name.clone(), 30, rows.collect()).with_columns(names)
    });
    let turned = Views::assemble(turned.collect(), &ViewOptions::default())
        .expect("views")
        .0;
    let turned_pairs = pairs.iter().map(|&[a, b]| [29 - a, 29 - b]).collect();
    let one = learn(&given, &learner(Candidates::Listed(pairs)));
    let two = learn(&turned, &learner(Candidates::Listed(turned_pairs)));
    assert_eq!(weights(&one), weights(&two));
}

#[test]
fn enough_neighbours_are_all_pairs_and_the_check_says_so() {
    let views = views(300);
    let nearest = |k: usize| Smooth {
        check_outside: true,
        ..learner(Candidates::Nearest { k, seed: 1 })
    };
    let exact = learn(&views, &learner(Candidates::AllPairs));
    let wide = learn(&views, &nearest(299));
    assert_eq!(wide.details.outside, Some(0));
    assert_close(&wide, &exact, 1e-8);
    let narrow = learn(&views, &nearest(2));
    assert!(narrow.details.outside.expect("checked") > 0);
    assert!(narrow.graph.pairs().len() < exact.graph.pairs().len());
    assert_eq!(exact.details.outside, None);
}

#[test]
fn costs_forbid_and_favour_edges_alike_with_and_without_a_working_set() {
    for n in [40, 300] {
        let views = views(n);
        let plain = learn(&views, &learner(Candidates::AllPairs));
        let consensus = plain.graph.consensus().expect("a consensus");
        let strongest = (0..consensus.len())
            .max_by(|&x, &y| consensus[x].total_cmp(&consensus[y]))
            .expect("an edge");
        let forbidden = plain.graph.pairs()[strongest];
        let absent = (1..n as u32)
            .map(|b| [0, b])
            .find(|pair| !plain.graph.pairs().contains(pair))
            .expect("a pair");
        let costs = vec![
            EdgeCost {
                pair: forbidden,
                cost: f64::INFINITY,
            },
            EdgeCost {
                pair: [absent[1], absent[0]],
                cost: -2.0,
            },
        ];
        let with_costs = Smooth {
            edge_costs: costs,
            ..learner(Candidates::AllPairs)
        };
        let learned = learn(&views, &with_costs);
        assert!(!learned.graph.pairs().contains(&forbidden), "n = {n}");
        assert!(learned.graph.pairs().contains(&absent), "n = {n}");
        // ADMM lists all pairs but the forbidden one, which is no complete graph any more.
        let by_admm = Smooth {
            solver: Arc::new(Admm {
                tolerance: 1e-9,
                ..Admm::default()
            }),
            ..with_costs
        };
        assert_close(&learned, &learn(&views, &by_admm), 2e-4);
    }
}

#[test]
fn what_cannot_be_a_support_is_refused() {
    let views = views(20);
    let refused = |support| {
        learner(support)
            .learn(&views, &no_progress)
            .expect_err("no support")
            .to_string()
    };
    assert!(refused(Candidates::Listed(vec![[3, 3]])).contains("no pair of two"));
    assert!(refused(Candidates::Listed(vec![[3, 20]])).contains("20 nodes"));
    assert!(refused(Candidates::Listed(vec![])).contains("empty"));
    let twice = Smooth {
        edge_costs: vec![
            EdgeCost {
                pair: [1, 2],
                cost: 1.0,
            },
            EdgeCost {
                pair: [2, 1],
                cost: 1.0,
            },
        ],
        ..learner(Candidates::AllPairs)
    };
    assert!(
        twice
            .learn(&views, &no_progress)
            .expect_err("twice")
            .to_string()
            .contains("twice")
    );
}
