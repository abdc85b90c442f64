//! What is promised on data like the paper's; the whole study is `congraph-paper`.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::metrics::evaluate;
use congraph::simulate::{GraphModel, Settings, simulate};
use congraph::tune::{Dial, Targets};
use congraph::{Learn, Model, Smooth, ViewOptions, Views, no_progress};

/// α by the best view F1, β by a correlation of 0.8.
#[test]
fn joint_learning_finds_more_edges_than_separate_learning() {
    for seed in 1..=3 {
        let simulation = simulate(&Settings {
            seed,
            ..Settings::default()
        })
        .unwrap();
        let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
        let learner = Smooth::default();
        let session = learner.session(&views, &no_progress).unwrap();
        let alphas = session.alphas([0.05, 0.2], 8);
        let models = alphas.iter().copied().map(Model::uncoupled);
        let separate = session
            .best_of(models, &simulation.truth, &no_progress)
            .unwrap()
            .unwrap();
        let alike = Targets {
            density: Dial::Fixed,
            similarity: Dial::At(0.8),
            ..Targets::default()
        };
        let joint = alphas.iter().map(|&alpha| {
            let (fit, _) = session
                .reach_with(&Model::l1(alpha, 1.0), &alike, &no_progress)
                .unwrap();
            evaluate(&session.graph(&fit), &simulation.truth).unwrap()
        });
        let joint = joint
            .max_by(|one, two| one.mean_view_f1().total_cmp(&two.mean_view_f1()))
            .unwrap();
        let alone = separate.evaluation.mean_view_f1();
        assert!((0.85..0.91).contains(&alone), "{seed}: {alone}");
        assert!(joint.mean_view_f1() >= 0.92, "{seed}: {}", joint.mean_view_f1());
        assert!(joint.consensus.unwrap().f1() >= 0.95, "{seed}: {:?}", joint.consensus);
    }
}

/// Costs are means over samples, so that a view with more of them does not get another density.
#[test]
fn views_of_unequal_numbers_of_signals_have_similar_densities() {
    for graph in [
        GraphModel::ErdosRenyi { probability: 0.1 },
        GraphModel::BarabasiAlbert { growth: 5 },
    ] {
        for seed in 1..=3 {
            let settings = Settings {
                n_views: 3,
                n_signals: vec![50, 500, 5000],
                graph,
                seed,
                ..Settings::default()
            };
            let (views, _) = Views::assemble(simulate(&settings).unwrap().tables, &ViewOptions::default()).unwrap();
            let targets = Targets::new(0.1, 0.8);
            let graph = Smooth::default()
                .learn_to(&views, &targets, &no_progress)
                .unwrap()
                .learned
                .graph;
            let densities = [0, 1, 2].map(|view| graph.density(view));
            let (least, most) = densities
                .iter()
                .fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), &x| (x.min(a), x.max(b)));
            assert!(most <= 1.3 * least, "{settings:?}: {densities:?}");
        }
    }
}
