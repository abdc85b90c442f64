//! The exponent of the spectrum: against an eigendecomposition that is written here, and the same wherever distances are
//! seen.

use congraph::methods::smooth::Data;
use congraph::simulate::{Settings, simulate};
use congraph::{
    Candidates, Code, DistanceNorm, Error, Kind, Learn, Learned, Missing, Projector, SampleNorm, Scale, Scaling,
    Smooth, Spectrum, Table, Targets, ViewOptions, Views, no_progress,
};

fn tables(n_nodes: usize, n_views: usize, n_signals: usize, seed: u64) -> Vec<Table> {
    let settings = Settings {
        n_nodes,
        n_views,
        n_signals: vec![n_signals],
        seed,
        ..Settings::default()
    };
    simulate(&settings).unwrap().tables
}

fn assembled(tables: Vec<Table>, options: &ViewOptions) -> Views {
    Views::assemble(tables, options).unwrap().0
}

fn views(tables: Vec<Table>) -> Views {
    assembled(tables, &ViewOptions::default())
}

fn masked() -> ViewOptions {
    ViewOptions {
        missing: Missing::Mask,
        ..ViewOptions::default()
    }
}

fn with(exponent: f64) -> Smooth {
    Smooth {
        spectrum: Spectrum::new(exponent),
        ..Smooth::new(0.07, 0.03)
    }
}

fn learn(views: &Views, method: &Smooth) -> Learned {
    method.learn(views, &no_progress).unwrap()
}

/// Pairs, weights and consensus, to be compared bit by bit.
fn bits(learned: &Learned) -> (Vec<[u32; 2]>, Vec<u64>, Vec<u64>) {
    let graph = &learned.graph;
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    (
        graph.pairs().to_vec(),
        bits(graph.weights().values()),
        bits(graph.consensus().unwrap()),
    )
}

/// The same with pairs by the names of their ends, for fits of other orders of nodes.
fn named(learned: &Learned) -> Vec<(String, String, Vec<u64>)> {
    let graph = &learned.graph;
    let name = |node: u32| graph.nodes()[node as usize].clone();
    let mut views: Vec<usize> = (0..graph.n_views()).collect();
    views.sort_by_key(|&view| &graph.views()[view]);
    let row = |(&[a, b], row): (&[u32; 2], &[f64])| {
        let (a, b) = (name(a).min(name(b)), name(a).max(name(b)));
        (a, b, views.iter().map(|&view| row[view].to_bits()).collect())
    };
    let mut rows: Vec<_> = graph.pairs().iter().zip(graph.weights().rows()).map(row).collect();
    rows.sort();
    rows
}

/// The largest difference between the weights of two graphs, whatever their pairs.
fn difference(one: &Learned, two: &Learned) -> f64 {
    let matrix = |learned: &Learned, view: usize| {
        let n = learned.graph.n_nodes();
        let mut matrix = vec![0.0; n * n];
        for (&[a, b], weight) in learned.graph.pairs().iter().zip(learned.graph.weights().column(view)) {
            matrix[a as usize * n + b as usize] = weight;
        }
        matrix
    };
    let mut largest = 0.0_f64;
    for view in 0..one.graph.n_views() {
        for (x, y) in matrix(one, view).iter().zip(matrix(two, view)) {
            largest = largest.max((x - y).abs());
        }
    }
    largest
}

const PLAIN: Scaling = Scaling {
    scale: Scale::Zscore,
    sample_norm: SampleNorm::Mean,
    distance_norm: DistanceNorm::None,
};

/// The products of a view's nodes that follow from the distances a fit sees: 1 − D/2.
fn seen(views: &Views, exponent: f64, view: usize) -> Vec<f64> {
    let method = Smooth {
        scaling: PLAIN,
        ..with(exponent)
    };
    let session = method.session(views, &no_progress).unwrap();
    let Data::Listed(distances) = session.data() else {
        panic!("few nodes are listed");
    };
    let place = session.order().places();
    let view = session.order().views.iter().position(|&given| given == view).unwrap();
    let n = views.n_nodes();
    let mut products = vec![f64::NAN; n * n];
    for (&[a, b], distance) in distances.edges().pairs().iter().zip(distances.values().column(view)) {
        let [a, b] = [a, b].map(|sorted| place.iter().position(|&k| k == sorted).unwrap());
        products[a * n + b] = 1.0 - 0.5 * distance;
        products[b * n + a] = products[a * n + b];
    }
    (0..n).for_each(|a| products[a * n + a] = 1.0);
    products
}

/// The correlations of some nodes of a table, straight from their definition.
fn correlations(table: &Table, nodes: &[usize]) -> Vec<Vec<f64>> {
    let n = table.values.len() / table.n_columns;
    let column = |node: usize| -> Vec<f64> { (0..n).map(|k| table.values[k * table.n_columns + node]).collect() };
    let scaled = |node: &usize| {
        let x = column(*node);
        let mean = x.iter().sum::<f64>() / n as f64;
        let size = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt();
        x.iter().map(|x| (x - mean) / size).collect::<Vec<f64>>()
    };
    let scaled: Vec<Vec<f64>> = nodes.iter().map(scaled).collect();
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let row = |x: &Vec<f64>| scaled.iter().map(|y| product(x, y)).collect();
    scaled.iter().map(row).collect()
}

/// Eigenvalues and eigenvectors (in columns) of a symmetric matrix, by Jacobi's rotations.
fn jacobi(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut v: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for _ in 0..60 {
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i][j].powi(2))
            .sum();
        if off < 1e-30 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (above, below) = a.split_at_mut(q);
                for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
                for row in &mut v {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    ((0..n).map(|k| a[k][k]).collect(), v)
}

/// Sᵃ with a diagonal of ones.
fn power(correlations: Vec<Vec<f64>>, exponent: f64) -> Vec<Vec<f64>> {
    let n = correlations.len();
    let (values, vectors) = jacobi(correlations);
    let largest = values.iter().fold(0.0_f64, |largest, &value| largest.max(value));
    let mapped = |value: f64| {
        if value > 1e-12 * largest {
            value.powf(exponent)
        } else {
            0.0
        }
    };
    let entry = |a: usize, b: usize| -> f64 { (0..n).map(|k| vectors[a][k] * mapped(values[k]) * vectors[b][k]).sum() };
    let row = |a: usize| {
        (0..n)
            .map(|b| entry(a, b) / (entry(a, a) * entry(b, b)).sqrt())
            .collect()
    };
    (0..n).map(row).collect()
}

fn assert_products(found: &[f64], n_nodes: usize, nodes: &[usize], expected: &[Vec<f64>], tolerance: f64) {
    for (a, &row) in nodes.iter().enumerate() {
        for (b, &column) in nodes.iter().enumerate() {
            let (found, expected) = (found[row * n_nodes + column], expected[a][b]);
            assert!(
                (found - expected).abs() < tolerance,
                "{row} {column}: {found} {expected}"
            );
        }
    }
}

#[test]
fn distances_are_those_of_the_power_of_the_correlations() {
    // More samples than nodes, as many (one direction is lost by centring), and fewer.
    for (n_nodes, n_signals) in [(14, 60), (14, 14), (30, 9)] {
        let tables = tables(n_nodes, 2, n_signals, 5);
        let all: Vec<usize> = (0..n_nodes).collect();
        for exponent in [0.5, 0.2, 0.05] {
            for view in 0..2 {
                let expected = power(correlations(&tables[view], &all), exponent);
                let found = seen(&views(tables.clone()), exponent, view);
                assert_products(&found, n_nodes, &all, &expected, 1e-9);
            }
        }
    }
}

#[test]
fn an_exponent_of_one_changes_no_bit_and_others_do() {
    for n_nodes in [40, 300] {
        let views = views(tables(n_nodes, 3, 50, 1));
        let plain = Smooth::new(0.07, 0.03);
        let [plain, one, half] = [plain, with(1.0), with(0.5)].map(|method| learn(&views, &method));
        assert_eq!(bits(&plain), bits(&one));
        assert_eq!(plain.certificate, one.certificate);
        assert_ne!(bits(&plain), bits(&half));
        assert!(half.converged());
    }
}

#[test]
fn directions_that_are_rounding_stay_away() {
    // An average reference takes one direction from every sample; what is left of it is rounding.
    let referenced: Vec<Table> = tables(12, 2, 80, 3)
        .into_iter()
        .map(|mut table| {
            for row in table.values.chunks_exact_mut(12) {
                let mean = row.iter().sum::<f64>() / 12.0;
                row.iter_mut().for_each(|x| *x -= mean);
            }
            table
        })
        .collect();
    let all: Vec<usize> = (0..12).collect();
    let (values, _) = jacobi(correlations(&referenced[0], &all));
    let n_lost = values.iter().filter(|value| value.abs() < 1e-12).count();
    assert_eq!(n_lost, 1, "{values:?}");
    let expected = power(correlations(&referenced[0], &all), 0.05);
    assert_products(&seen(&views(referenced), 0.05, 0), 12, &all, &expected, 1e-9);
}

#[test]
fn masked_nodes_stay_out() {
    for n_signals in [60, 7] {
        let mut given = tables(12, 3, n_signals, 2);
        // The first view lacks two nodes, by NaN in one and by absence of the other.
        let own: Vec<usize> = (0..12).filter(|node| ![3, 8].contains(node)).collect();
        let names = given[0].column_names.clone().unwrap();
        let kept: Vec<usize> = (0..12).filter(|&node| node != 8).collect();
        let rows = given[0].values.chunks_exact(12);
        let values: Vec<f64> = rows
            .flat_map(|row| kept.iter().map(|&node| if node == 3 { f64::NAN } else { row[node] }))
            .collect();
        let whole = given[0].clone();
        given[0] = Table::new("view1", 11, values).with_columns(kept.iter().map(|&node| names[node].clone()));
        given.rotate_left(1);
        let views = assembled(given, &masked());
        let view = views.names().iter().position(|name| name == "view1").unwrap();
        let expected = power(correlations(&whole, &own), 0.4);
        assert_products(&seen(&views, 0.4, view), 12, &own, &expected, 1e-9);
        let learned = learn(&views, &with(0.4));
        assert!(learned.converged() && learned.graph.membership().missing(view).count() == 2);
    }
}

/// The matrix of products or covariances of each table.
fn matrices(tables: &[Table], n_nodes: usize) -> Vec<Table> {
    let matrix = |table: &Table| {
        let n = table.values.len() / n_nodes;
        let mean = |a: usize| (0..n).map(|k| table.values[k * n_nodes + a]).sum::<f64>() / n as f64;
        let means: Vec<f64> = (0..n_nodes).map(mean).collect();
        let product = |a: usize, b: usize| -> f64 {
            let x = |k: usize, a: usize| table.values[k * n_nodes + a] - means[a];
            (0..n).map(|k| x(k, a) * x(k, b)).sum()
        };
        let values = (0..n_nodes).flat_map(|a| (0..n_nodes).map(move |b| (a, b)));
        let values = values.map(|(a, b)| product(a.max(b), a.min(b)) / n as f64).collect();
        let names = table.column_names.clone().unwrap();
        Table::new(table.name.clone(), n_nodes, values).with_columns(names)
    };
    tables.iter().map(matrix).collect()
}

#[test]
fn precomputed_matrices_give_what_their_signals_give() {
    let tables = tables(20, 3, 80, 4);
    let signals = learn(&views(tables.clone()), &with(0.5));
    for kind in [Kind::Gram, Kind::Covariance] {
        let options = ViewOptions {
            kind,
            ..ViewOptions::default()
        };
        let products = assembled(matrices(&tables, 20), &options);
        let found = learn(&products, &with(0.5));
        assert!(difference(&found, &signals) < 1e-6, "{}", difference(&found, &signals));
    }
}

#[test]
fn neither_threads_nor_the_order_of_nodes_and_views_matter() {
    for (n_nodes, n_signals) in [(30, 12), (20, 300), (300, 40)] {
        let given = tables(n_nodes, 3, n_signals, 6);
        let turned = given.iter().rev().map(|table| {
            let rows = table.values.chunks_exact(n_nodes);
            let values = rows.flat_map(|row| row.iter().rev().copied()).collect();
            let names: Vec<String> = table.column_names.clone().unwrap().into_iter().rev().collect();
            Table::new(table.name.clone(), n_nodes, values).with_columns(names)
        });
        let turned = views(turned.collect());
        let given = views(given);
        for candidates in [Candidates::AllPairs, Candidates::Nearest { k: 5, seed: 1 }] {
            let method = Smooth {
                candidates,
                check_outside: true,
                ..with(0.5)
            };
            let fit = |threads: usize, views: &Views| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| learn(views, &method))
            };
            let one = fit(1, &given);
            assert_eq!(bits(&one), bits(&fit(3, &given)));
            let other = fit(2, &turned);
            assert_eq!(named(&one), named(&other));
            assert_eq!(one.details.outside, other.details.outside);
        }
    }
}

#[test]
fn working_set_neighbours_and_the_check_see_the_same_distances() {
    let views = views(tables(300, 2, 40, 7));
    let learn_among = |candidates: Candidates| {
        let method = Smooth {
            candidates,
            check_outside: true,
            ..with(0.5)
        };
        learn(&views, &method)
    };
    let exact = learn_among(Candidates::AllPairs);
    let wide = learn_among(Candidates::Nearest { k: 299, seed: 1 });
    assert_eq!(wide.details.outside, Some(0));
    assert!(difference(&wide, &exact) < 1e-8);
    // The edges of the whole fit as candidates: nothing else would enter, which the check can only know from the same
    // distances.
    let listed = learn_among(Candidates::Listed(exact.graph.pairs().to_vec()));
    assert_eq!(listed.details.outside, Some(0));
    let plain = learn(&views, &with(1.0));
    assert!(difference(&plain, &exact) > 1e-3);
    let narrow = learn_among(Candidates::Listed(plain.graph.pairs().to_vec()));
    assert!(narrow.details.outside.unwrap() > 0);
}

#[test]
fn a_projection_uses_the_spectrum_of_the_new_view() {
    for (n_nodes, n_signals, candidates) in [
        (30, 90, Candidates::AllPairs),
        (30, 12, Candidates::AllPairs),
        (40, 60, Candidates::Nearest { k: 6, seed: 1 }),
    ] {
        let mut given = tables(n_nodes, 4, n_signals, 8);
        let late = views(given.split_off(3));
        let method = Smooth {
            candidates,
            ..with(0.4)
        };
        let learned = learn(&views(given.clone()), &method);
        let projector = Projector::of(&method, &learned).unwrap();
        assert_eq!(projector.spectrum, method.spectrum);
        for (view, table) in given.iter().enumerate() {
            let projection = &projector.project(&views(vec![table.clone()]), &no_progress).unwrap()[0];
            let weights = |graph: &congraph::MultiviewGraph, view: usize| {
                let rows = graph.pairs().iter().zip(graph.weights().column(view));
                rows.filter(|(_, weight)| *weight > 0.0)
                    .map(|(&pair, weight)| (pair, weight))
                    .collect::<std::collections::BTreeMap<_, _>>()
            };
            let (there, here) = (weights(&learned.graph, view), weights(&projection.graph, 0));
            for pair in there.keys().chain(here.keys()) {
                let [there, here] = [&there, &here].map(|weights| weights.get(pair).copied().unwrap_or(0.0));
                assert!((there - here).abs() < 1e-5, "{pair:?}: {there} {here}");
            }
        }
        // The new view's own, and not that of the fit: what it sees does not depend on the other views.
        let new = &projector.project(&late, &no_progress).unwrap()[0];
        let mut plain = projector.clone();
        plain.spectrum = Spectrum::default();
        let as_measured = &plain.project(&late, &no_progress).unwrap()[0];
        assert!(new.converged() && new.certificate.objective != as_measured.certificate.objective);
    }
}

#[test]
fn what_is_said_of_the_data_is_said_of_them_as_they_were_measured() {
    // A node and its opposite (W14), a copy (W04), and two equal views (W12).
    let mut given = tables(12, 2, 200, 9);
    for table in &mut given {
        for row in table.values.chunks_exact_mut(12) {
            row[1] = -row[0];
            row[5] = row[4] * (1.0 + 1e-5) + 1e-4 * row[6];
        }
    }
    given.push(Table {
        name: "again".into(),
        ..given[0].clone()
    });
    let views = views(given);
    let told = |exponent: f64| {
        let learned = learn(&views, &with(exponent));
        let of_data = |code: &str| ["W04", "W12", "W13", "W14"].contains(&code);
        let warnings = learned.warnings.into_iter().filter(|warning| of_data(warning.code));
        (
            warnings.collect::<Vec<_>>(),
            learned.correlations.map(|found| found.z().to_bits()),
        )
    };
    let plain = told(1.0);
    for code in ["W04", "W12", "W14"] {
        assert!(
            plain.0.iter().any(|warning| warning.code == code),
            "{code}: {:?}",
            plain.0
        );
    }
    assert_eq!(told(0.3), plain);
}

#[test]
fn exponents_out_of_range_and_other_scalings_are_refused() {
    let views = views(tables(10, 2, 30, 1));
    let refusal = |method: &Smooth| match method.learn(&views, &no_progress) {
        Err(Error::Parameter { name, message }) => format!("{name} {message}"),
        other => panic!("{other:?}"),
    };
    for (exponent, said) in [
        (0.0, "at least 0.05"),
        (-0.5, "at least 0.05"),
        (0.049, "at least 0.05"),
        (f64::NAN, "at least 0.05"),
        (1.01, "at most 1"),
        (f64::INFINITY, "at most 1"),
    ] {
        let message = refusal(&with(exponent));
        assert!(
            message.starts_with("spectrum is") && message.contains(said),
            "{message}"
        );
    }
    for scale in [Scale::Center, Scale::None] {
        let method = Smooth {
            scaling: Scaling { scale, ..PLAIN },
            ..with(0.5)
        };
        assert!(refusal(&method).contains("that needs"), "{}", refusal(&method));
        let plain = Smooth {
            spectrum: Spectrum::default(),
            ..method.clone()
        };
        assert!(plain.learn(&views, &no_progress).is_ok());
        assert!(
            method
                .choose_spectrum(&views, &Targets::default(), &no_progress)
                .is_err()
        );
    }
}

#[test]
fn the_choice_is_the_same_for_any_order_and_any_number_of_threads() {
    let given = tables(24, 3, 120, 11);
    let turned = given.iter().rev().map(|table| {
        let rows = table.values.chunks_exact(24);
        let values = rows.flat_map(|row| row.iter().rev().copied()).collect();
        let names: Vec<String> = table.column_names.clone().unwrap().into_iter().rev().collect();
        Table::new(table.name.clone(), 24, values).with_columns(names)
    });
    let choose = |threads: usize, views: &Views| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Smooth::default().choose_spectrum(views, &Targets::default(), &no_progress))
            .unwrap()
    };
    let turned = views(turned.collect());
    let views = views(given);
    let chosen = choose(1, &views);
    assert_eq!(choose(3, &views), chosen);
    assert_eq!(choose(2, &turned), chosen);
    // It is the exponent of the largest gain, of those that were tried.
    let best = chosen
        .gains
        .iter()
        .filter_map(|(_, gain)| *gain)
        .fold(0.0_f64, f64::max);
    let at = chosen.gains.iter().find(|(_, gain)| *gain == Some(best)).unwrap();
    assert_eq!(at.0, chosen.spectrum.exponent);
    assert!(chosen.spectrum.is_chosen && chosen.gains.len() == 5 && best > 0.0);
    // The gains are told apart by the exponent.
    assert!(
        chosen.gains.windows(2).all(|two| two[0].1 != two[1].1),
        "{:?}",
        chosen.gains
    );
}

#[test]
fn ties_go_to_the_larger_exponent_and_halves_are_needed() {
    // Two nodes have one edge of weight 2 whatever the exponent.
    let pair = tables(10, 2, 40, 3).into_iter().map(|table| {
        let values = table.values.chunks_exact(10).flat_map(|row| [row[0], row[1]]).collect();
        Table::new(table.name.clone(), 2, values).with_columns(["a", "b"])
    });
    let choose = |views: &Views| Smooth::new(0.1, 0.1).choose_spectrum(views, &fixed(), &no_progress);
    let chosen = choose(&views(pair.collect())).unwrap();
    assert_eq!(chosen.spectrum.exponent, 1.0, "{:?}", chosen.gains);
    let options = ViewOptions {
        kind: Kind::Covariance,
        ..ViewOptions::default()
    };
    let products = assembled(matrices(&tables(12, 2, 40, 3), 12), &options);
    let Err(Error::Data(errors)) = choose(&products) else {
        panic!("chosen without samples");
    };
    assert_eq!(errors[0].code, Code::E05);
    assert!(errors[0].hint.contains("spectrum"), "{}", errors[0].hint);
}

fn fixed() -> Targets {
    Targets {
        density: congraph::Dial::Fixed,
        similarity: congraph::Dial::Fixed,
        ..Targets::default()
    }
}

#[test]
fn views_that_lack_nodes_are_judged_by_those_they_have() {
    let mut given = tables(16, 3, 80, 12);
    given[1] = {
        let names = given[1].column_names.clone().unwrap();
        let values = given[1]
            .values
            .chunks_exact(16)
            .flat_map(|row| row[..13].to_vec())
            .collect();
        Table::new("view2", 13, values).with_columns(names.into_iter().take(13))
    };
    let views = assembled(given, &masked());
    let chosen = Smooth::default()
        .choose_spectrum(&views, &Targets::default(), &no_progress)
        .unwrap();
    assert!(chosen.gains.iter().all(|(_, gain)| gain.is_some_and(|gain| gain > 0.0)));
}

#[test]
fn very_many_nodes_are_put_in_order_by_what_is_seen() {
    // So many that neighbours are put next to each other; names in another order than columns.
    let (n_nodes, n_samples) = (30_100, 5);
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let names: Vec<String> = (0..n_nodes).map(|k| format!("n{:05}", (k * 7_919) % n_nodes)).collect();
    let mut table = |name: &str| {
        let values = (0..n_nodes * n_samples).map(|_| noise()).collect();
        Table::new(name, n_nodes, values).with_columns(names.clone())
    };
    let views = views(vec![table("b"), table("a")]);
    let pairs: Vec<[u32; 2]> = (0..n_nodes as u32 - 300).step_by(77).map(|a| [a, a + 211]).collect();
    let method = Smooth {
        scaling: PLAIN,
        candidates: Candidates::Listed(pairs.clone()),
        ..with(0.5)
    };
    let session = method.session(&views, &no_progress).unwrap();
    let Data::Listed(distances) = session.data() else {
        panic!("candidates are listed");
    };
    assert!(
        !session.order().nodes.is_sorted_by_key(|&node| &names[node]),
        "neighbours come first"
    );
    let whitened = method.spectrum.applied(&views, &PLAIN).unwrap().unwrap();
    let z_scored = |view: usize, node: usize| {
        let x = whitened.view(view).node(node);
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let size = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64).sqrt();
        x.iter().map(|x| (x - mean) / size).collect::<Vec<f64>>()
    };
    assert_eq!(distances.edges().n_edges(), pairs.len());
    for (&[a, b], row) in distances.edges().pairs().iter().zip(distances.values().rows()) {
        let [a, b] = [a, b].map(|node| session.order().nodes[node as usize]);
        for (&view, distance) in session.order().views.iter().zip(row) {
            let (x, y) = (z_scored(view, a), z_scored(view, b));
            let expected = x.iter().zip(&y).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / x.len() as f64;
            assert!((distance - expected).abs() < 1e-9, "{distance} {expected}");
        }
    }
}
