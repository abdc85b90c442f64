//! Simulated data through the public interface: reproducible, as different as asked, and distributed as stated.

use congraph::metrics::{EdgeScore, evaluate};
use congraph::simulate::{Changes, Filter, GraphModel, Reach, Settings, Simulation, simulate};
use congraph::{Error, MultiviewGraph, ViewMatrix, ViewOptions, Views};

fn small() -> Settings {
    Settings {
        n_nodes: 30,
        n_views: 3,
        n_signals: vec![20],
        graph: GraphModel::ErdosRenyi { probability: 0.3 },
        ..Settings::default()
    }
}

fn run(settings: &Settings) -> Simulation {
    simulate(settings).expect("the settings are within their ranges")
}

/// The graph of one view as a sorted list of edges.
fn edges(truth: &MultiviewGraph, view: usize) -> Vec<[u32; 2]> {
    let weights = truth.pairs().iter().zip(truth.weights().column(view));
    weights
        .filter(|&(_, weight)| weight == 1.0)
        .map(|(&pair, _)| pair)
        .collect()
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

#[test]
fn the_default_is_the_setting_of_the_paper() {
    let simulation = run(&Settings::default());
    let truth = &simulation.truth;
    assert_eq!((truth.n_nodes(), truth.n_views()), (100, 6));
    assert_eq!((&*truth.nodes()[0], &*truth.nodes()[99]), ("n001", "n100"));
    assert_eq!((&*truth.views()[0], &*truth.views()[5]), ("view1", "view6"));
    assert_eq!(truth.components(), (1, vec![]));
    for (table, name) in simulation.tables.iter().zip(truth.views()) {
        assert_eq!((&table.name, table.n_rows, table.n_columns), (name, 500, 100));
        assert_eq!(table.column_names.as_deref(), Some(truth.nodes()));
        assert!(table.values.iter().all(|value| value.is_finite()));
    }
    let (views, warnings) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
    assert_eq!((views.n_nodes(), views.n_views()), (100, 6));
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn each_view_moves_exactly_its_share_of_the_consensus() {
    for shuffled in [0.0, 0.1, 0.37] {
        let truth = run(&Settings { shuffled, ..small() }).truth;
        let weights = truth.pairs().iter().zip(truth.consensus().unwrap());
        let consensus: Vec<[u32; 2]> = weights
            .filter(|&(_, &weight)| weight == 1.0)
            .map(|(&pair, _)| pair)
            .collect();
        let moved = (shuffled * consensus.len() as f64).round() as usize;
        for view in 0..3 {
            let edges = edges(&truth, view);
            assert_eq!(edges.len(), consensus.len());
            assert_eq!(edges.iter().filter(|pair| !consensus.contains(pair)).count(), moved);
        }
        let all_the_same = edges(&truth, 0) == edges(&truth, 1);
        assert_eq!(all_the_same, shuffled == 0.0, "the views are drawn independently");
        assert!(
            truth
                .weights()
                .values()
                .iter()
                .all(|&weight| weight == 0.0 || weight == 1.0)
        );
    }
}

/// Every kind of graph, of difference between views, and of filter.
fn all_kinds() -> Vec<Settings> {
    let changes = |same_views| Changes {
        n_views: 2,
        same_views,
        ..Changes::default()
    };
    let with = |graph, changes, filter| Settings {
        graph,
        changes,
        filter,
        ..small()
    };
    let geometric = |reach| GraphModel::RandomGeometric { reach };
    vec![
        small(),
        with(GraphModel::BarabasiAlbert { growth: 3 }, None, Filter::Gaussian),
        with(geometric(Reach::Radius(0.4)), None, Filter::Heat { t: 0.2 }),
        with(
            geometric(Reach::MeanDegree(8.0)),
            Some(changes(false)),
            Filter::Tikhonov { t: 0.5 },
        ),
        with(small().graph, Some(changes(true)), Filter::PseudoInverse),
    ]
}

#[test]
fn a_seed_reproduces_everything_and_another_one_nothing() {
    for settings in all_kinds() {
        let one = run(&settings);
        assert_eq!(one, run(&settings));
        let two = run(&Settings { seed: 2, ..settings });
        assert_ne!(one.truth, two.truth);
        for (one, two) in one.tables.iter().zip(&two.tables) {
            assert!(one.values.iter().zip(&two.values).all(|(one, two)| one != two));
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let threads = |count| rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
    for settings in all_kinds() {
        let run = || run(&settings);
        assert_eq!(threads(1).install(run), threads(3).install(run));
    }
}

#[test]
fn only_geometric_graphs_have_positions_and_their_edges_follow_from_them() {
    for settings in all_kinds() {
        let Simulation { truth, positions, .. } = run(&settings);
        assert_eq!(truth.components(), (1, vec![]));
        let GraphModel::RandomGeometric { reach } = settings.graph else {
            assert_eq!(positions, None);
            continue;
        };
        let positions = positions.unwrap();
        let consensus = truth.pairs().iter().zip(truth.consensus().unwrap());
        let edges: Vec<[u32; 2]> = consensus
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(&pair, _)| pair)
            .collect();
        let distance = |[a, b]: [u32; 2]| {
            let ([xa, ya], [xb, yb]) = (positions[a as usize], positions[b as usize]);
            (xa - xb).hypot(ya - yb)
        };
        let longest = edges.iter().map(|&pair| distance(pair)).fold(0.0, f64::max);
        match reach {
            Reach::Radius(radius) => assert!(longest <= radius),
            Reach::MeanDegree(degree) => assert_eq!(edges.len() as f64, (15.0 * degree).round()),
            _ => unreachable!(),
        }
        for a in 0..30 {
            for pair in (a + 1..30).map(|b| [a, b]).filter(|pair| !edges.contains(pair)) {
                assert!(distance(pair) > longest);
            }
        }
    }
}

#[test]
fn another_filter_smooths_the_same_white_signals_on_the_same_graphs() {
    let draw = |filter| {
        run(&Settings {
            filter,
            noise: 0.0,
            ..small()
        })
    };
    let (inverse, tikhonov) = (draw(Filter::PseudoInverse), draw(Filter::Tikhonov { t: 0.7 }));
    assert_eq!(inverse.truth, tikhonov.truth);
    for (view, (inverse_table, tikhonov_table)) in inverse.tables.iter().zip(&tikhonov.tables).enumerate() {
        let edges = edges(&inverse.truth, view);
        let signals = inverse_table
            .values
            .chunks_exact(30)
            .zip(tikhonov_table.values.chunks_exact(30));
        for (inverse, tikhonov) in signals {
            // L L† x₀ and (I + tL)(I + tL)⁻¹ x₀ are both x₀, the first without its mean.
            let (mut from_inverse, mut from_tikhonov) = (vec![0.0; 30], tikhonov.to_vec());
            for &[a, b] in &edges {
                for (node, other) in [(a as usize, b as usize), (b as usize, a as usize)] {
                    from_inverse[node] += inverse[node] - inverse[other];
                    from_tikhonov[node] += 0.7 * (tikhonov[node] - tikhonov[other]);
                }
            }
            let mean = from_tikhonov.iter().sum::<f64>() / 30.0;
            for (one, two) in from_inverse.iter().zip(from_tikhonov) {
                assert!((one - (two - mean)).abs() < 1e-11);
            }
        }
    }
}

#[test]
fn a_view_is_the_same_however_many_there_are() {
    let (few, many) = (run(&small()), run(&Settings { n_views: 9, ..small() }));
    for view in 0..3 {
        assert_eq!(few.tables[view], many.tables[view]);
        assert_eq!(edges(&few.truth, view), edges(&many.truth, view));
    }
    assert_ne!(many.tables[3].values, many.tables[4].values);
}

#[test]
fn each_view_has_the_number_of_signals_asked_for() {
    let n_rows = |n_signals: &[usize]| -> Vec<usize> {
        let settings = Settings {
            n_signals: n_signals.to_vec(),
            ..small()
        };
        run(&settings).tables.iter().map(|table| table.n_rows).collect()
    };
    assert_eq!(n_rows(&[7]), [7, 7, 7]);
    assert_eq!(n_rows(&[1, 8, 33]), [1, 8, 33]);
}

#[test]
fn the_noise_has_the_level_asked_for_and_its_own_stream() {
    let clean = run(&Settings { noise: 0.0, ..small() });
    for noise in [0.1, 0.8] {
        let noisy = run(&Settings { noise, ..small() });
        assert_eq!(noisy.truth, clean.truth);
        for (noisy, clean) in noisy.tables.iter().zip(&clean.tables) {
            let added = noisy
                .values
                .iter()
                .zip(&clean.values)
                .map(|(noisy, clean)| noisy - clean);
            let level = norm(added) / norm(clean.values.iter().copied());
            assert!((level - noise).abs() < 1e-12, "{level}");
        }
    }
}

#[test]
fn the_noise_has_nothing_to_do_with_the_signals() {
    let draw = |noise| {
        run(&Settings {
            n_signals: vec![500],
            noise,
            ..small()
        })
    };
    for (noisy, clean) in draw(0.5).tables.iter().zip(&draw(0.0).tables) {
        let noise = noisy
            .values
            .iter()
            .zip(&clean.values)
            .map(|(noisy, clean)| noisy - clean);
        let product: f64 = noise.zip(&clean.values).map(|(noise, clean)| noise * clean).sum();
        let size = norm(clean.values.iter().copied());
        // 15 000 values: the standard deviation of the cosine is 0.008. Noise equal to X₀ would have tr L† / (√n ‖L†‖).
        assert!((product / (0.5 * size * size)).abs() < 0.04);
    }
}

#[test]
fn more_signals_begin_with_the_same_clean_ones() {
    let draw = |n_signals| {
        run(&Settings {
            n_signals: vec![n_signals],
            noise: 0.0,
            ..small()
        })
    };
    let (few, many) = (draw(10), draw(25));
    assert_eq!(few.truth, many.truth);
    assert_eq!(few.tables[1].values, many.tables[1].values[..10 * 30]);
}

/// The inverse by Gauss–Jordan elimination without pivoting, which a positive definite matrix allows.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for i in 0..n {
        let pivot = matrix[i][i];
        let pivot_row: Vec<f64> = matrix[i].iter().map(|value| value / pivot).collect();
        for row in &mut matrix {
            let factor = row[i];
            for (value, pivot) in row.iter_mut().zip(&pivot_row) {
                *value -= factor * pivot;
            }
        }
        matrix[i] = pivot_row;
    }
    matrix.into_iter().map(|row| row[n..].to_vec()).collect()
}

/// L† of one view, by way of the inverse of L + 11ᵀ/n.
fn pseudo_inverse(truth: &MultiviewGraph, view: usize) -> Vec<Vec<f64>> {
    let n = truth.n_nodes();
    let constant = 1.0 / n as f64;
    let mut shifted = vec![vec![constant; n]; n];
    for pair in edges(truth, view) {
        let [a, b] = pair.map(|node| node as usize);
        shifted[a][a] += 1.0;
        shifted[b][b] += 1.0;
        shifted[a][b] -= 1.0;
        shifted[b][a] -= 1.0;
    }
    let mut inverse = inverse(shifted);
    for value in inverse.iter_mut().flatten() {
        *value -= constant;
    }
    inverse
}

#[test]
fn the_covariance_of_the_signals_approaches_the_squared_pseudo_inverse() {
    covariance_is(Filter::PseudoInverse, |filter, a, b| {
        (0..filter.len()).map(|k| filter[a][k] * filter[k][b]).sum()
    });
}

#[test]
fn the_covariance_of_gaussian_signals_approaches_the_pseudo_inverse() {
    covariance_is(Filter::Gaussian, |filter, a, b| filter[a][b]);
}

/// Compares the covariance of many signals with an expected one, given the entries of L†.
fn covariance_is(filter: Filter, entry: impl Fn(&[Vec<f64>], usize, usize) -> f64) {
    let (n, p) = (8, 40_000);
    let simulation = run(&Settings {
        n_nodes: n,
        n_views: 2,
        n_signals: vec![p],
        graph: GraphModel::BarabasiAlbert { growth: 2 },
        filter,
        noise: 0.0,
        ..Settings::default()
    });
    for (view, table) in simulation.tables.iter().enumerate() {
        let filter = pseudo_inverse(&simulation.truth, view);
        let (mut differences, mut expected, mut trace) = (Vec::new(), Vec::new(), 0.0);
        for a in 0..n {
            for b in 0..n {
                let products = table.values.chunks_exact(n).map(|signal| signal[a] * signal[b]);
                let covariance = products.sum::<f64>() / p as f64;
                let entry = entry(&filter, a, b);
                differences.push(covariance - entry);
                expected.push(entry);
            }
            trace += expected[a * n + a];
        }
        // The mean squared error of the covariance of p Gaussian signals is (‖Σ‖² + (tr Σ)²)/p in the Frobenius norm.
        let size = norm(expected.into_iter());
        let typical = ((size * size + trace * trace) / p as f64).sqrt();
        let error = norm(differences.into_iter());
        assert!(error < 2.0 * typical, "{error} against {typical}");
        assert!(
            typical < 0.02 * size,
            "the check is not sharp: {typical} against {size}"
        );
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Settings)| {
        let mut settings = small();
        change(&mut settings);
        match simulate(&settings) {
            Err(Error::Parameter { name, .. }) => name,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&|settings| settings.n_nodes = 1), "n_nodes");
    assert_eq!(refused(&|settings| settings.n_nodes = usize::MAX), "n_nodes");
    assert_eq!(refused(&|settings| settings.n_views = 0), "n_views");
    for n_signals in [vec![], vec![0], vec![5, 5], vec![5, 0, 5], vec![5; 4]] {
        assert_eq!(
            refused(&|settings| settings.n_signals.clone_from(&n_signals)),
            "n_signals"
        );
    }
    for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(&|settings| settings.shuffled = share), "shuffled");
    }
    for noise in [-0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(&|settings| settings.noise = noise), "noise");
    }
    for probability in [-0.1, 0.0, 1.1, f64::NAN] {
        let graph = GraphModel::ErdosRenyi { probability };
        assert_eq!(refused(&|settings| settings.graph = graph), "probability");
    }
    for growth in [0, 30] {
        let graph = GraphModel::BarabasiAlbert { growth };
        assert_eq!(refused(&|settings| settings.graph = graph), "growth");
    }
    for (reach, name) in [(Reach::Radius(0.0), "radius"), (Reach::MeanDegree(30.0), "mean_degree")] {
        let graph = GraphModel::RandomGeometric { reach };
        assert_eq!(refused(&|settings| settings.graph = graph), name);
    }
    for filter in [
        Filter::Heat { t: 0.0 },
        Filter::Tikhonov { t: -1.0 },
        Filter::Heat { t: 1e99 },
    ] {
        assert_eq!(refused(&|settings| settings.filter = filter), "filter_t");
    }
    let changes = |n_views, removed| Changes {
        n_views,
        removed,
        ..Changes::default()
    };
    assert_eq!(
        refused(&|settings| settings.changes = Some(changes(4, 0.1))),
        "changed_views"
    );
    assert_eq!(refused(&|settings| settings.changes = Some(changes(1, 1.5))), "removed");
    // A complete consensus has nowhere to move its edges to.
    let complete = GraphModel::ErdosRenyi { probability: 1.0 };
    assert_eq!(refused(&|settings| settings.graph = complete), "shuffled");
}

#[test]
fn the_smallest_simulation() {
    let simulation = run(&Settings {
        n_nodes: 2,
        n_views: 1,
        n_signals: vec![1],
        graph: GraphModel::BarabasiAlbert { growth: 1 },
        ..Settings::default()
    });
    assert_eq!(simulation.truth.nodes(), ["n1", "n2"]);
    assert_eq!(simulation.truth.pairs(), [[0, 1]]);
    assert_eq!(simulation.tables[0].values.len(), 2);
}

#[test]
fn the_consensus_taken_for_every_view_scores_as_the_shuffling_says() {
    let truth = run(&small()).truth;
    let n_views = truth.n_views();
    let consensus = truth.consensus().unwrap();
    let repeated = consensus.iter().flat_map(|&weight| vec![weight; n_views]).collect();
    // Nodes and views the other way round: the names decide.
    let reversed = |names: &[String]| names.iter().rev().cloned().collect();
    let last = truth.n_nodes() as u32 - 1;
    let pairs: Vec<[u32; 2]> = truth.pairs().iter().map(|&[a, b]| [last - b, last - a]).collect();
    let learned = MultiviewGraph::new(
        reversed(truth.nodes()),
        reversed(truth.views()),
        &pairs,
        &ViewMatrix::from_values(n_views, repeated),
        Some(consensus),
    );
    let evaluation = evaluate(&learned, &truth).unwrap();
    let n_edges = consensus.iter().filter(|&&weight| weight > 0.0).count();
    let moved = (0.1 * n_edges as f64).round() as usize;
    let expected = EdgeScore {
        true_positives: n_edges - moved,
        false_positives: moved,
        false_negatives: moved,
        true_negatives: truth.n_pairs() - n_edges - moved,
    };
    assert_eq!(evaluation.views.len(), n_views);
    for ((name, score), view) in evaluation.views.iter().zip(truth.views().iter().rev()) {
        assert_eq!((name, score.edges), (view, expected));
    }
    assert_eq!(evaluation.consensus.unwrap().f1(), 1.0);
}

#[test]
fn weights_are_drawn_from_their_range_and_shared_by_the_views() {
    let plain = run(&small());
    let weighted = run(&Settings {
        weights: Some([0.5, 2.0]),
        ..small()
    });
    // The same edges, other signals.
    assert_eq!(plain.truth.pairs(), weighted.truth.pairs());
    assert_ne!(plain.tables, weighted.tables);
    let (truth, before) = (&weighted.truth, &plain.truth);
    for (edge, (row, one)) in truth.weights().rows().zip(before.weights().rows()).enumerate() {
        let consensus = [truth, before].map(|graph| graph.consensus().unwrap()[edge]);
        let own = row.iter().zip(one).chain([(&consensus[0], &consensus[1])]);
        let weights: Vec<f64> = own.filter(|(_, one)| **one > 0.0).map(|(weight, _)| *weight).collect();
        assert!(
            weights
                .iter()
                .all(|weight| *weight == weights[0] && (0.5..2.0).contains(weight))
        );
        // And nothing where there was no edge.
        let count = row.iter().filter(|weight| **weight > 0.0).count() + usize::from(consensus[0] > 0.0);
        assert_eq!(count, weights.len());
    }
    // A range of nothing but 1 is no weights at all, to the last bit; another view changes no weight.
    let ones = run(&Settings {
        weights: Some([1.0, 1.0]),
        ..small()
    });
    assert_eq!(ones, plain);
    let more = run(&Settings {
        weights: Some([0.5, 2.0]),
        n_views: small().n_views + 1,
        ..small()
    });
    assert_eq!(more.tables[..small().n_views], weighted.tables[..]);
    let text = simulate(&Settings {
        weights: Some([0.0, 1.0]),
        ..small()
    });
    assert!(text.unwrap_err().to_string().starts_with("weights are from 0 to 1"));
}
