//! Which method explains data best, and new views against a consensus that the likelihood learned.

use congraph::methods::graphical_lasso::{Fusion, GraphicalLasso};
use congraph::methods::likelihood::{Filter, Likelihood, Model, Signs};
use congraph::simulate::{self, Settings, simulate};
use congraph::tune::{Contender, Wanted, compare_methods, noise};
use congraph::{Learn, Projector, Smooth, Table, ViewOptions, Views, metrics, no_progress};
use rand::RngExt;
use rand_distr::StandardNormal;

use crate::support::rng;

fn settings(seed: u64) -> Settings {
    Settings {
        n_nodes: 30,
        n_views: 3,
        n_signals: vec![200],
        graph: simulate::GraphModel::ErdosRenyi { probability: 0.15 },
        seed,
        ..Settings::default()
    }
}

fn assembled(tables: Vec<Table>) -> Views {
    Views::assemble(tables, &ViewOptions::default()).unwrap().0
}

fn contenders() -> [Contender; 3] {
    [
        Contender::smooth(Smooth::default()),
        Contender::likelihood(Likelihood::default(), Wanted::default()),
        Contender::graphical_lasso(Fusion::Fused),
    ]
}

#[test]
fn the_model_that_made_the_data_explains_them_best() {
    let views = assembled(simulate(&settings(31)).unwrap().tables);
    let found = compare_methods(&views, &contenders(), &no_progress).unwrap();
    let gains: Vec<(&str, f64)> = found.iter().map(|one| (one.method, one.gain)).collect();
    assert_eq!(found[0].method, "likelihood", "{gains:?}");
    assert!(found[0].settings.contains("filter 2"), "{}", found[0].settings);
    assert!(found.windows(2).all(|two| two[0].gain >= two[1].gain));
    // Well beyond what the views' differences leave open.
    for other in &found[1..] {
        assert!(
            found[0].gain - other.gain > 2.0 * other.standard_error.unwrap(),
            "{gains:?}"
        );
    }
    assert!(
        found
            .iter()
            .all(|one| one.gain_error.unwrap() > 0.0 && one.is_beyond_independent())
    );
    assert_eq!(noise(&views, &no_progress).unwrap(), None);
    // The same for any order of the views.
    let mut tables = simulate(&settings(31)).unwrap().tables;
    tables.reverse();
    let turned = compare_methods(&assembled(tables), &contenders(), &no_progress).unwrap();
    for (one, other) in found.iter().zip(&turned) {
        assert_eq!(one.gain.to_bits(), other.gain.to_bits());
        assert_eq!(one.views[0].to_bits(), other.views[2].to_bits());
    }
}

/// Twice and half of each λ are no better than what was found, each fitted to the end from a cold start.
#[test]
fn the_graphical_lasso_is_followed_until_no_neighbour_is_better() {
    let views = assembled(simulate(&settings(37)).unwrap().tables);
    for fusion in Fusion::ALL {
        let found = compare_methods(&views, &[Contender::graphical_lasso(fusion)], &no_progress).unwrap();
        let lambdas: Vec<f64> = found[0]
            .settings
            .split(", ")
            .map(|word| word.split(' ').nth(1).unwrap().parse().unwrap())
            .collect();
        let &[lambda1, lambda2] = &lambdas[..] else {
            panic!("{}", found[0].settings)
        };
        assert!(found[0].n_settings >= 5, "{}", found[0].n_settings);
        let at = |factors: [f64; 2]| {
            let method = GraphicalLasso::new(fusion, lambda1 * factors[0], lambda2 * factors[1]);
            let contender = Contender::GraphicalLasso(vec![method]);
            compare_methods(&views, &[contender], &no_progress).unwrap()[0].gain
        };
        assert!((at([1.0, 1.0]) - found[0].gain).abs() < 1e-5, "{fusion:?}");
        for factors in [[2.0, 1.0], [0.5, 1.0], [1.0, 2.0], [1.0, 0.5]] {
            // What is fitted loosely may look a little better or worse.
            assert!(at(factors) < found[0].gain + 4e-4, "{fusion:?} {factors:?}");
        }
    }
}

#[test]
fn of_noise_no_method_explains_anything() {
    let mut rng = rng(32);
    let mut table = |name: &str| {
        let values = (0..20 * 150).map(|_| rng.sample(StandardNormal)).collect();
        Table::new(name, 20, values)
    };
    let views = assembled(vec![table("a"), table("b"), table("c")]);
    for one in compare_methods(&views, &contenders(), &no_progress).unwrap() {
        assert!(one.gain < 0.005, "{} {}", one.method, one.gain);
        assert!(!one.is_beyond_independent(), "{one:?}");
    }
    let said = noise(&views, &no_progress).unwrap();
    assert_eq!(said.map(|warning| warning.code), Some("W13"));
    let chosen = Likelihood::default()
        .learn_to(&views, &Wanted::default(), &no_progress)
        .unwrap();
    assert!(chosen.is_noise && chosen.learned.graph.pairs().is_empty());
    assert!(chosen.learned.warnings.iter().any(|warning| warning.code == "W13"));
    // Asked for by number, the strongest are shown all the same, with the warning.
    let wanted = Wanted {
        density: Some(0.05),
        ..Wanted::default()
    };
    let chosen = Likelihood::default().learn_to(&views, &wanted, &no_progress).unwrap();
    assert!((chosen.learned.graph.mean_density() - 0.05).abs() < 0.005);
    assert!(chosen.learned.warnings.iter().any(|warning| warning.code == "W13"));
}

#[test]
fn a_new_view_gains_from_the_consensus() {
    let n_signals = vec![200, 200, 200, 200, 20];
    let mut simulation = simulate(&Settings {
        n_views: 5,
        n_signals,
        ..settings(33)
    })
    .unwrap();
    let late = assembled(simulation.tables.split_off(4));
    let views = assembled(simulation.tables);
    let method = Likelihood::new(Model::attractive(Filter::Twice, 2.0));
    let learned = method.learn(&views, &no_progress).unwrap();
    let projector = Projector::of_likelihood(&learned.graph, &method, &learned.details).unwrap();
    let projection = &projector.project(&late, &no_progress).unwrap()[0];
    assert!(projection.converged(), "{:?}", projection.certificate);
    let wanted = Wanted {
        is_single: true,
        filter: Some(Filter::Twice),
        ..Wanted::default()
    };
    let alone = Likelihood::default().learn_to(&late, &wanted, &no_progress).unwrap();
    let truth = simulation.truth;
    let f1 = |graph: &congraph::MultiviewGraph| {
        let of = |view: usize, graph: &congraph::MultiviewGraph| -> std::collections::HashSet<[String; 2]> {
            let pairs = graph.pairs().iter().zip(graph.weights().column(view));
            let present = pairs.filter(|(_, weight)| *weight > 0.0);
            present
                .map(|(pair, _)| pair.map(|node| graph.nodes()[node as usize].clone()))
                .collect()
        };
        let (found, true_edges) = (of(0, graph), of(4, &truth));
        let both = found.intersection(&true_edges).count() as f64;
        2.0 * both / (found.len() + true_edges.len()) as f64
    };
    let (with, without) = (f1(&projection.graph), f1(&alone.learned.graph));
    assert!(with > 0.75 && with > without + 0.1, "{with} {without}");
    // A view of the fit itself comes out nearly as it was.
    let again = &projector.project(&views, &no_progress).unwrap()[0];
    let own: Vec<f64> = learned.graph.adjacency(0);
    let correlation = congraph::pearson(own.iter().copied().zip(again.graph.adjacency(0)), own.len());
    assert!(correlation > 0.98, "{correlation}");
}

#[test]
fn signs_are_found_where_there_are_any() {
    // Attractive data, and the same where the precision has random signs.
    let attractive = assembled(simulate(&settings(34)).unwrap().tables);
    let wanted = Wanted {
        signs: None,
        ..Wanted::default()
    };
    let chosen = Likelihood::default()
        .learn_to(&attractive, &wanted, &no_progress)
        .unwrap();
    assert_eq!(chosen.method.model.signs, Signs::Attractive);
    let gaussian = assembled(
        simulate(&Settings {
            filter: simulate::Filter::Gaussian,
            ..settings(35)
        })
        .unwrap()
        .tables,
    );
    let chosen = Likelihood::default()
        .learn_to(&gaussian, &wanted, &no_progress)
        .unwrap();
    assert_eq!(chosen.method.model.signs, Signs::Attractive);
    let (views, truth) = frustrated(36);
    let chosen = Likelihood::default().learn_to(&views, &wanted, &no_progress).unwrap();
    assert_eq!(chosen.method.model.signs, Signs::Both);
    assert!(chosen.learned.converged());
    let scores = metrics::evaluate(&chosen.learned.graph, &truth).unwrap();
    assert!(scores.mean_view_f1() > 0.8, "{}", scores.mean_view_f1());
}

/// Gaussian signals whose precision has random signs, too many of them to be turned into positive ones.
fn frustrated(seed: u64) -> (Views, congraph::MultiviewGraph) {
    let truth = simulate(&settings(seed)).unwrap().truth;
    let n = truth.n_nodes();
    let mut rng = rng(seed);
    let signs: Vec<f64> = truth
        .pairs()
        .iter()
        .map(|_| if rng.random_bool(0.5) { 1.0 } else { -1.0 })
        .collect();
    let mut tables = Vec::new();
    for view in 0..truth.n_views() {
        // Gibbs sampling needs no linear algebra: x_a given the others is normal.
        let weights: Vec<f64> = truth.weights().column(view).zip(&signs).map(|(w, s)| w * s).collect();
        let mut degree = vec![0.5; n];
        let mut neighbours = vec![Vec::new(); n];
        for (&[a, b], &weight) in truth.pairs().iter().zip(&weights) {
            if weight != 0.0 {
                let (a, b) = (a as usize, b as usize);
                degree[a] += 1.0;
                degree[b] += 1.0;
                neighbours[a].push((b, weight));
                neighbours[b].push((a, weight));
            }
        }
        let mut x = vec![0.0; n];
        let mut values = Vec::new();
        for sweep in 0..30 * 400 {
            for a in 0..n {
                let pull: f64 = neighbours[a].iter().map(|&(b, weight)| weight * x[b]).sum();
                let noise: f64 = rng.sample(StandardNormal);
                x[a] = pull / degree[a] + noise / degree[a].sqrt();
            }
            if sweep % 30 == 29 {
                values.extend_from_slice(&x);
            }
        }
        tables.push(Table::new(&truth.views()[view], n, values).with_columns(truth.nodes()));
    }
    (assembled(tables), truth)
}
