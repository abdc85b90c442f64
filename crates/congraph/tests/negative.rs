//! Negative association is told of where there is some, and nowhere else. `examples/negative_study.rs` is the long version.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

#[path = "support/signed.rs"]
mod signed;

use congraph::methods::smooth::negative::negative_associations;
use congraph::simulate::{Filter, GraphModel, Reach};
use congraph::{Learn, Smooth, Table, ViewOptions, Views, Warning, no_progress};
use signed::{Null, SmoothSignals, null};

fn views(tables: Vec<Table>) -> Views {
    Views::assemble(tables, &ViewOptions::default()).unwrap().0
}

fn told(tables: Vec<Table>) -> Option<Warning> {
    negative_associations(&views(tables))
}

#[test]
fn independent_nodes_have_none() {
    for kind in [Null::White, Null::HeavyTailed, Null::Series, Null::AverageReferenced] {
        for seed in 0..8 {
            let (n_nodes, n_samples) = ([5, 19, 40][seed % 3], [20, 60, 200, 500][seed % 4]);
            assert_eq!(
                told(null(kind, n_nodes, 4, n_samples, seed as u64)),
                None,
                "{kind:?}, {seed}"
            );
        }
    }
}

const GRAPHS: [GraphModel; 3] = [
    GraphModel::ErdosRenyi { probability: 0.25 },
    GraphModel::BarabasiAlbert { growth: 3 },
    GraphModel::RandomGeometric {
        reach: Reach::Radius(0.4),
    },
];

#[test]
fn smooth_signals_have_none_until_signs_are_turned() {
    let filters = [
        Filter::PseudoInverse,
        Filter::Gaussian,
        Filter::Heat { t: 0.5 },
        Filter::Tikhonov { t: 1.0 },
    ];
    for graph in GRAPHS {
        for (k, filter) in filters.into_iter().enumerate() {
            let smooth = SmoothSignals {
                graph,
                filter,
                n_nodes: [20, 30][k % 2],
                n_views: 3,
                n_samples: 600,
                seed: k as u64,
            };
            assert_eq!(told(smooth.tables().unwrap()), None, "{smooth:?}");
            let warning = told(smooth.turned().unwrap()).unwrap_or_else(|| panic!("{smooth:?}"));
            assert!(
                warning.code == "W14" && warning.message.contains("r = −0."),
                "{}",
                warning.message
            );
            if k < 2 {
                assert!(told(smooth.signed().unwrap()).is_some(), "{smooth:?}");
            }
        }
    }
}

#[test]
fn every_way_of_learning_tells_of_it() {
    let smooth = SmoothSignals {
        graph: GRAPHS[0],
        filter: Filter::PseudoInverse,
        n_nodes: 24,
        n_views: 3,
        n_samples: 300,
        seed: 5,
    };
    let codes = |tables: Vec<Table>, learner: &Smooth| {
        let learned = learner.learn(&views(tables), &no_progress).unwrap();
        learned.warnings.iter().filter(|warning| warning.code == "W14").count()
    };
    let mut listed = Smooth::new(0.1, 0.05);
    listed.candidates = congraph::Candidates::Nearest { k: 5, seed: 1 };
    let mut centred = Smooth::new(0.1, 0.05);
    centred.scaling.scale = congraph::Scale::Center;
    let mut summed = Smooth::new(10.0, 5.0);
    summed.scaling.sample_norm = congraph::SampleNorm::Sum;
    for learner in [Smooth::new(0.1, 0.05), listed, centred, summed] {
        assert_eq!(codes(smooth.tables().unwrap(), &learner), 0, "{learner:?}");
        assert_eq!(codes(smooth.turned().unwrap(), &learner), 1, "{learner:?}");
    }
}

#[test]
fn one_opposite_pair_is_named() {
    let mut tables = null(Null::White, 6, 2, 200, 3);
    for table in &mut tables {
        table.column_names = Some(["a", "b-1", "c", "d", "e", "f"].map(String::from).to_vec());
        for row in table.values.chunks_exact_mut(6) {
            row[1] = -row[0] + 0.05 * row[1];
        }
    }
    let warning = told(tables).unwrap();
    assert!(warning.message.contains("`a–b-1 (r = −1.00)`"), "{}", warning.message);
}
