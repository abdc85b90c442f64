//! Comparisons of groups: against brute force, naive formulas and known answers; invariances; what is refused.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::compare::{
    Comparison, Covariate, CovariateValues, Design, Measure, Settings, Statistic, check_coupling, check_samples,
    compare, compare_watched, equalise,
};
use congraph::{Code, Error, MultiviewGraph, Table, ViewMatrix, ViewOptions, Views};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Sparse graphs on 7 nodes without any difference, and one edge that is heavier in later views.
fn graphs(n_views: usize, seed: u64) -> MultiviewGraph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let nodes: Vec<String> = ["Fz", "Cz", "Pz", "Oz", "T7", "T8", "Iz"].map(String::from).to_vec();
    let views = (0..n_views).map(|view| format!("sub-{view:02}")).collect();
    let (mut pairs, mut weights) = (Vec::new(), Vec::new());
    for b in 1..7_u32 {
        for a in 0..b {
            pairs.push([a, b]);
            for view in 0..n_views {
                let weight: f64 = rng.random();
                let shift = if [a, b] == [0, 1] && view >= n_views / 2 {
                    0.6
                } else {
                    0.0
                };
                weights.push(if weight < 0.4 && shift == 0.0 {
                    0.0
                } else {
                    weight + shift
                });
            }
        }
    }
    let consensus: Vec<f64> = pairs.iter().map(|_| 0.5).collect();
    MultiviewGraph::new(
        nodes,
        views,
        &pairs,
        &ViewMatrix::from_values(n_views, weights),
        Some(&consensus),
    )
}

fn labels(n_views: usize) -> Vec<String> {
    let label = |view| String::from(if view < n_views / 2 { "control" } else { "patient" });
    (0..n_views).map(label).collect()
}

fn design(labels: Vec<String>) -> Design {
    Design {
        labels,
        ..Design::default()
    }
}

/// Two views of each subject, the conditions taking turns.
fn paired(n_views: usize) -> Design {
    Design {
        labels: (0..n_views).map(|view| ["rest", "task"][view % 2].to_owned()).collect(),
        pairs: Some((0..n_views).map(|view| format!("s{}", view / 2)).collect()),
        covariates: Vec::new(),
    }
}

fn numbers(name: &str, values: impl IntoIterator<Item = f64>) -> Covariate {
    let values = CovariateValues::Numbers(values.into_iter().collect());
    Covariate {
        name: name.into(),
        values,
    }
}

fn all_measures(settings: &Settings) -> Settings {
    Settings {
        measures: Measure::ALL.to_vec(),
        ..settings.clone()
    }
}

fn naive_midranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal + 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

/// The rank-sum z by the textbook, with its correction for ties.
fn naive_z(values: &[f64], in_b: &[bool]) -> f64 {
    let ranks = naive_midranks(values);
    let n = values.len() as f64;
    let n_b = in_b.iter().filter(|is| **is).count() as f64;
    let sum: f64 = ranks
        .iter()
        .zip(in_b)
        .filter(|(_, is)| **is)
        .map(|(rank, _)| rank)
        .sum();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ties: f64 = sorted
        .chunk_by(|x, y| x == y)
        .map(|tied| (tied.len() as f64).powi(3) - tied.len() as f64)
        .sum();
    let variance = n_b * (n - n_b) / 12.0 * ((n + 1.0) - ties / (n * (n - 1.0)));
    (sum - n_b * (n + 1.0) / 2.0) / variance.sqrt()
}

fn naive_t(values: &[f64], in_b: &[bool]) -> f64 {
    let of = |want: bool| -> Vec<f64> {
        values
            .iter()
            .zip(in_b)
            .filter(|(_, is)| **is == want)
            .map(|(value, _)| *value)
            .collect()
    };
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (a, b) = (of(false), of(true));
    let square = |x: &[f64]| x.iter().map(|value| (value - mean(x)).powi(2)).sum::<f64>();
    let (n_a, n_b) = (a.len() as f64, b.len() as f64);
    let pooled = (square(&a) + square(&b)) / (n_a + n_b - 2.0);
    (mean(&b) - mean(&a)) / (pooled * (1.0 / n_a + 1.0 / n_b)).sqrt()
}

/// All ways to choose who is in the second group.
fn all_choices(n: usize, n_b: usize) -> Vec<Vec<bool>> {
    let choices = (0..1_u32 << n).filter(|bits| bits.count_ones() as usize == n_b);
    choices
        .map(|bits| (0..n).map(|view| bits >> view & 1 == 1).collect())
        .collect()
}

fn close(x: f64, y: f64) -> bool {
    (x - y).abs() <= 1e-12 * (1.0 + x.abs())
}

#[test]
fn exact_tests_are_those_of_brute_force() {
    let (graph, n_views) = (graphs(9, 1), 9);
    let mut given = labels(n_views);
    // Names that are not in the order of the views, and groups of unequal size.
    given[0] = "patient".into();
    let in_b: Vec<bool> = given.iter().map(|label| label == "patient").collect();
    let n_b = in_b.iter().filter(|is| **is).count();
    let choices = all_choices(n_views, n_b);
    for (statistic, naive) in [
        (Statistic::Rank, naive_z as fn(&[f64], &[bool]) -> f64),
        (Statistic::T, naive_t),
        (Statistic::Presence, |values, in_b| {
            naive_z(&values.iter().map(|w| f64::from(*w != 0.0)).collect::<Vec<_>>(), in_b)
        }),
    ] {
        let settings = Settings {
            statistic: Some(statistic),
            threshold: Some(1.5),
            ..Settings::default()
        };
        let found = compare(&graph, &design(given.clone()), &settings).unwrap();
        assert!(found.exact);
        assert_eq!(found.n_relabellings, choices.len());
        let tested: Vec<&[f64]> = graph.weights().rows().collect();
        assert_eq!(found.edges.len(), tested.len());
        let size = |values: &[f64], choice: &[bool]| {
            let z = naive(values, choice);
            if z.is_nan() { 0.0 } else { z.abs() }
        };
        let largest: Vec<f64> = choices
            .iter()
            .map(|choice| tested.iter().map(|values| size(values, choice)).fold(0.0, f64::max))
            .collect();
        for (row, values) in found.edges.iter().zip(&tested) {
            let observed = size(values, &in_b);
            assert!(
                close(row.statistic.abs(), observed),
                "{statistic:?} {} {observed}",
                row.statistic
            );
            let share = |all: &[f64]| {
                all.iter().filter(|other| **other >= observed - 1e-8).count() as f64 / choices.len() as f64
            };
            let own: Vec<f64> = choices.iter().map(|choice| size(values, choice)).collect();
            assert!(close(row.p_uncorrected, share(&own)), "{statistic:?}");
            assert!(close(row.p_fwe, share(&largest)), "{statistic:?}");
            assert!(
                row.statistic == 0.0
                    || naive(values, &in_b).abs() < 1e-9
                    || row.statistic.signum() == naive(values, &in_b).signum()
            );
        }
        assert_eq!(found.edge_null.values().len(), choices.len());
        assert!(close(
            found.edge_null.quantile(1.0).unwrap(),
            largest.iter().copied().fold(0.0, f64::max)
        ));
    }
}

#[test]
fn components_are_those_of_brute_force() {
    let graph = graphs(8, 3);
    let threshold = 1.2;
    let settings = Settings {
        threshold: Some(threshold),
        ..Settings::default()
    };
    let found = compare(&graph, &design(labels(8)), &settings).unwrap();
    // The most intense component, by flooding from every node.
    let most_intense = |choice: &[bool]| {
        let sizes: Vec<f64> = graph
            .weights()
            .rows()
            .map(|values| naive_z(values, choice).abs())
            .collect();
        let edges = || graph.pairs().iter().zip(&sizes).filter(|(_, size)| **size > threshold);
        let mut largest = 0.0_f64;
        for start in 0..7_u32 {
            let mut reached = vec![start];
            loop {
                let before = reached.len();
                for ([a, b], _) in edges() {
                    for (one, two) in [(a, b), (b, a)] {
                        if reached.contains(one) && !reached.contains(two) {
                            reached.push(*two);
                        }
                    }
                }
                if reached.len() == before {
                    break;
                }
            }
            let inside = edges().filter(|([a, _], _)| reached.contains(a));
            largest = largest.max(inside.map(|(_, size)| size - threshold).sum());
        }
        largest
    };
    let observed: Vec<bool> = (0..8).map(|view| view >= 4).collect();
    assert!(close(found.components[0].intensity, most_intense(&observed)));
    let all: Vec<f64> = all_choices(8, 4).iter().map(|choice| most_intense(choice)).collect();
    for component in &found.components {
        let n = all.iter().filter(|other| **other >= component.intensity - 1e-8).count();
        assert!(close(component.p_fwe, n as f64 / all.len() as f64));
    }
    let n_inside: usize = found.components.iter().map(|component| component.n_edges).sum();
    assert_eq!(
        found.edges.iter().filter(|edge| edge.component.is_some()).count(),
        n_inside
    );
    assert!(found.components.is_sorted_by(|one, two| one.intensity >= two.intensity));
}

#[test]
fn pairs_are_compared_by_flipping_signs() {
    let graph = graphs(16, 5);
    let n = 8;
    let found = compare(&graph, &paired(16), &Settings::default()).unwrap();
    assert!(found.exact && found.n_relabellings == 256 && found.n_pairs == Some(8));
    assert_eq!(found.statistic, Statistic::T);
    let differences: Vec<Vec<f64>> = graph
        .weights()
        .rows()
        .map(|row| row.chunks(2).map(|pair| pair[1] - pair[0]).collect())
        .collect();
    let t = |differences: &[f64], signs: u32| {
        let flipped = differences
            .iter()
            .enumerate()
            .map(|(k, d)| if signs >> k & 1 == 1 { -d } else { *d });
        let flipped: Vec<f64> = flipped.collect();
        let mean = flipped.iter().sum::<f64>() / n as f64;
        let variance = flipped.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
        mean / (variance / n as f64).sqrt()
    };
    let largest: Vec<f64> = (0..256)
        .map(|signs| differences.iter().map(|d| t(d, signs).abs()).fold(0.0, f64::max))
        .collect();
    for (row, differences) in found.edges.iter().zip(&differences) {
        assert!(close(row.statistic, t(differences, 0)));
        let n_extreme = largest
            .iter()
            .filter(|other| **other >= row.statistic.abs() - 1e-8)
            .count();
        assert!(close(row.p_fwe, n_extreme as f64 / 256.0));
    }
    // Wilcoxon's signed ranks, zeros left out.
    let settings = Settings {
        statistic: Some(Statistic::Rank),
        ..Settings::default()
    };
    let found = compare(&graph, &paired(16), &settings).unwrap();
    for (row, differences) in found.edges.iter().zip(&differences) {
        let there: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        let ranks = naive_midranks(&there.iter().map(|d| d.abs()).collect::<Vec<_>>());
        let sum: f64 = ranks.iter().zip(&there).map(|(rank, d)| rank * d.signum()).sum();
        assert!(close(
            row.statistic,
            sum / ranks.iter().map(|rank| rank * rank).sum::<f64>().sqrt()
        ));
    }
    // McNemar's test of presence.
    let settings = Settings {
        statistic: Some(Statistic::Presence),
        ..Settings::default()
    };
    let found = compare(&graph, &paired(16), &settings).unwrap();
    for (row, weights) in found.edges.iter().zip(graph.weights().rows()) {
        let count =
            |one: usize, two: usize| weights.chunks(2).filter(|w| w[one] == 0.0 && w[two] != 0.0).count() as f64;
        let (gained, lost) = (count(0, 1), count(1, 0));
        let expected = if gained + lost > 0.0 {
            (gained - lost) / (gained + lost).sqrt()
        } else {
            0.0
        };
        assert!(close(row.statistic, expected));
    }
}

/// The coefficients of a regression by elimination, and the sum of squares that it leaves.
fn regression(columns: &[Vec<f64>], y: &[f64]) -> (Vec<f64>, f64, Vec<Vec<f64>>) {
    let k = columns.len();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    // [XᵀX | Xᵀy | I]
    let mut rows: Vec<Vec<f64>> = (0..k)
        .map(|i| {
            let mut row: Vec<f64> = columns.iter().map(|column| dot(&columns[i], column)).collect();
            row.push(dot(&columns[i], y));
            row.extend((0..k).map(|j| f64::from(i == j)));
            row
        })
        .collect();
    for i in 0..k {
        let pivot = rows[i][i];
        rows[i].iter_mut().for_each(|x| *x /= pivot);
        for j in (0..k).filter(|j| *j != i) {
            let (factor, row) = (rows[j][i], rows[i].clone());
            rows[j].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let beta: Vec<f64> = rows.iter().map(|row| row[k]).collect();
    let fitted = |view: usize| {
        columns
            .iter()
            .zip(&beta)
            .map(|(column, b)| column[view] * b)
            .sum::<f64>()
    };
    let left = (0..y.len()).map(|view| (y[view] - fitted(view)).powi(2)).sum();
    (beta, left, rows.iter().map(|row| row[k + 1..].to_vec()).collect())
}

#[test]
fn covariates_are_taken_out_as_freedman_and_lane_do() {
    let n = 12;
    let graph = graphs(n, 7);
    let ages: Vec<f64> = (0..n).map(|view| (view * view % 7) as f64).collect();
    let sexes: Vec<String> = (0..n).map(|view| ["f", "m", "x"][view % 3].to_owned()).collect();
    let mut given = design(labels(n));
    given.covariates.push(numbers("age", ages.iter().copied()));
    let values = CovariateValues::Levels(sexes.clone());
    given.covariates.push(Covariate {
        name: "sex".into(),
        values,
    });
    let is = |words: &[String], word: &str| words.iter().map(|other| f64::from(other == word)).collect::<Vec<_>>();
    let nuisance = vec![vec![1.0; n], ages, is(&sexes, "m"), is(&sexes, "x")];
    let mut full = nuisance.clone();
    full.push(is(&labels(n), "patient"));
    let t = |y: &[f64]| {
        let (beta, left, inverse) = regression(&full, y);
        beta[4] / (left / (n - 5) as f64 * inverse[4][4]).sqrt()
    };
    for statistic in [Statistic::T, Statistic::Rank] {
        let settings = Settings {
            statistic: Some(statistic),
            permutations: 199,
            ..Settings::default()
        };
        let found = compare(&graph, &given, &settings).unwrap();
        assert!(!found.exact && found.n_relabellings == 199);
        for (row, weights) in found.edges.iter().zip(graph.weights().rows()) {
            let y = if statistic == Statistic::T {
                weights.to_vec()
            } else {
                naive_midranks(weights)
            };
            // Of ranks the labels count as part of the noise: with m = 8 degrees of freedom, t² = (m − 1) r² / (1 − r²), z² = m r².
            let t = t(&y);
            let (m, r) = (8.0, t * t / (t * t + 7.0));
            let expected = if statistic == Statistic::T {
                t
            } else {
                t.signum() * f64::sqrt(m * r)
            };
            assert!((row.statistic - expected).abs() < 1e-9, "{} {expected}", row.statistic);
        }
        // The same by permuting residuals: p lies within what random permutations leave open.
        let (k, weights) = (0, graph.weights().row(0));
        let y = if statistic == Statistic::T {
            weights.to_vec()
        } else {
            naive_midranks(weights)
        };
        let (beta, ..) = regression(&nuisance, &y);
        let fitted: Vec<f64> = (0..n)
            .map(|v| nuisance.iter().zip(&beta).map(|(x, b)| x[v] * b).sum())
            .collect();
        let mut residuals: Vec<f64> = y.iter().zip(&fitted).map(|(y, fitted)| y - fitted).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let (n_draws, mut n_extreme) = (4000, 0);
        for _ in 0..n_draws {
            residuals.shuffle(&mut rng);
            let drawn: Vec<f64> = fitted
                .iter()
                .zip(&residuals)
                .map(|(fitted, rest)| fitted + rest)
                .collect();
            n_extreme += usize::from(t(&drawn).abs() >= t(&y).abs() - 1e-9);
        }
        let expected = n_extreme as f64 / f64::from(n_draws);
        let spread = (expected * (1.0 - expected) / 199.0).sqrt();
        assert!(
            (found.edges[k].p_uncorrected - expected).abs() < 4.0 * spread + 0.02,
            "{expected}"
        );
    }
}

#[test]
fn more_groups_are_kruskal_and_wallis_with_all_pairs() {
    let n = 12;
    let graph = graphs(n, 9);
    let group = |view: usize| [0, 1, 1, 2, 0, 2, 2, 1, 0, 2, 2, 1][view];
    let names = ["low", "middle", "top"];
    let given = design((0..n).map(|view| names[group(view)].to_owned()).collect());
    let settings = Settings {
        permutations: 500,
        threshold: Some(1.5),
        ..Settings::default()
    };
    let found = compare(&graph, &given, &settings).unwrap();
    assert!(!found.exact && found.groups.len() == 3 && found.follow_ups.len() == 3 * found.edges.len());
    for (k, row) in found.edges.iter().enumerate() {
        let weights = graph.weights().row(k);
        let ranks = naive_midranks(weights);
        let middle = (n + 1) as f64 / 2.0;
        let mut h = 0.0;
        let mean = |of: usize| {
            let own: Vec<f64> = (0..n)
                .filter(|&view| group(view) == of)
                .map(|view| ranks[view])
                .collect();
            (own.iter().sum::<f64>() / own.len() as f64, own.len() as f64)
        };
        let square: f64 = ranks.iter().map(|rank| (rank - middle).powi(2)).sum();
        for of in 0..3 {
            let (mean, size) = mean(of);
            h += size * (mean - middle).powi(2);
        }
        assert!(close(row.statistic, (n - 1) as f64 * h / square));
        // Dunn's z of each pair of groups.
        for (follow_up, [one, two]) in found.follow_ups[3 * k..].iter().zip([[0, 1], [0, 2], [1, 2]]) {
            assert_eq!((follow_up.groups, follow_up.pair), ([one, two], row.pair));
            let ((x, n_one), (y, n_two)) = (mean(one), mean(two));
            let z = (y - x) / (square / (n - 1) as f64 * (1.0 / n_one + 1.0 / n_two)).sqrt();
            assert!((follow_up.statistic - z).abs() < 1e-10);
            assert!(follow_up.p_fwe >= follow_up.p_uncorrected);
            assert!(close(follow_up.difference, row.means[two] - row.means[one]));
        }
    }
    // Three groups of two: 90 arrangements, all of which are looked at. Two of the groups are the two-sample test.
    let few = graphs(6, 2);
    let given = design(["x", "x", "y", "y", "z", "z"].map(String::from).to_vec());
    let found = compare(
        &few,
        &given,
        &Settings {
            level: 0.1,
            ..Settings::default()
        },
    )
    .unwrap();
    assert!(found.exact && found.n_relabellings == 90);
    // An F of two groups is t².
    let settings = Settings {
        statistic: Some(Statistic::T),
        permutations: 100,
        ..Settings::default()
    };
    let found = compare(
        &graph,
        &design((0..n).map(|v| names[group(v)].to_owned()).collect()),
        &settings,
    )
    .unwrap();
    let columns = |k: usize| (0..n).map(|view| f64::from(group(view) == k)).collect::<Vec<f64>>();
    let (_, left, _) = regression(&[columns(0), columns(1), columns(2)], graph.weights().row(4));
    let (_, whole, _) = regression(&[vec![1.0; n]], graph.weights().row(4));
    assert!(close(found.edges[4].statistic, (whole - left) / 2.0 / (left / 9.0)));
}

/// The comparison with rows by names, so that orders do not matter.
fn by_names(graph: &MultiviewGraph, found: &Comparison) -> Vec<String> {
    let name = |node: usize| graph.nodes()[node].clone();
    let mut rows: Vec<String> = Vec::new();
    for edge in &found.edges {
        let mut ends = edge.pair.map(name);
        ends.sort();
        rows.push(format!(
            "{ends:?} {:?} {:?} {:?}",
            edge.means,
            edge.statistic,
            (edge.p_uncorrected, edge.p_fwe)
        ));
        rows.push(format!("{ends:?} {:?}", edge.component));
    }
    rows.extend(found.nodes.iter().map(|row| {
        format!(
            "{} {:?} {:?} {:?}",
            name(row.node),
            row.means,
            row.statistic,
            (row.p_uncorrected, row.p_fwe)
        )
    }));
    rows.extend(found.measures.iter().map(|row| format!("{row:?}")));
    rows.extend(found.components.iter().map(|row| format!("{row:?}")));
    rows.push(format!("{:?}", found.edge_null.values()));
    rows.sort();
    rows
}

#[test]
fn orders_and_threads_do_not_matter() {
    let n = 14;
    let graph = graphs(n, 11);
    let mut given = design(labels(n));
    given
        .covariates
        .push(numbers("age", (0..n).map(|view| (view * 5 % 9) as f64)));
    for (given, statistic) in [
        (design(labels(n)), None),
        (given, Some(Statistic::T)),
        (paired(n), None),
    ] {
        let settings = all_measures(&Settings {
            statistic,
            permutations: 100,
            threshold: Some(1.0),
            level: 0.1,
            ..Settings::default()
        });
        let found = compare(&graph, &given, &settings).unwrap();
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(alone.install(|| compare(&graph, &given, &settings)).unwrap(), found);
        // Views and nodes in another order.
        let views: Vec<usize> = (0..n).map(|k| k * 5 % n).collect();
        let nodes = [3, 6, 0, 5, 1, 4, 2_usize];
        let mut pairs = Vec::new();
        let mut weights = Vec::new();
        for (pair, row) in graph.pairs().iter().zip(graph.weights().rows()) {
            let mut moved = pair.map(|node| nodes.iter().position(|old| *old == node as usize).unwrap() as u32);
            moved.sort_unstable();
            pairs.push(moved);
            weights.extend(views.iter().map(|&view| row[view]));
        }
        let moved = MultiviewGraph::new(
            nodes.iter().map(|&node| graph.nodes()[node].clone()).collect(),
            views.iter().map(|&view| graph.views()[view].clone()).collect(),
            &pairs,
            &ViewMatrix::from_values(n, weights),
            graph.consensus(),
        );
        let shuffled = |words: &Vec<String>| views.iter().map(|&view| words[view].clone()).collect::<Vec<_>>();
        let covariate = |covariate: &Covariate| match &covariate.values {
            CovariateValues::Numbers(values) => numbers(&covariate.name, views.iter().map(|&view| values[view])),
            CovariateValues::Levels(_) => covariate.clone(),
        };
        let same = Design {
            labels: shuffled(&given.labels),
            pairs: given.pairs.as_ref().map(shuffled),
            covariates: given.covariates.iter().map(covariate).collect(),
        };
        let again = compare(&moved, &same, &settings).unwrap();
        assert_eq!(by_names(&moved, &again), by_names(&graph, &found));
        // Groups by other names: the sign turns, and nothing else.
        let turned = Design {
            labels: given
                .labels
                .iter()
                .map(|label| format!("{}{label}", u8::from(label < &"d".to_owned())))
                .collect(),
            ..given.clone()
        };
        let turned = compare(&graph, &turned, &settings).unwrap();
        let sign = if given.pairs.is_some() { 1.0 } else { -1.0 };
        for (one, two) in found.edges.iter().zip(&turned.edges) {
            assert_eq!(one.statistic, sign * two.statistic);
            assert_eq!((one.p_uncorrected, one.p_fwe), (two.p_uncorrected, two.p_fwe));
        }
        assert_eq!(found.edge_null, turned.edge_null);
    }
}

#[test]
fn a_planted_difference_is_found_and_measures_are_as_told() {
    let n = 48;
    let graph = graphs(n, 13);
    let settings = all_measures(&Settings {
        permutations: 999,
        ..Settings::default()
    });
    let found = compare(&graph, &design(labels(n)), &settings).unwrap();
    let names: Vec<&str> = found.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["control", "patient"]);
    let least = found
        .edges
        .iter()
        .min_by(|one, two| one.p_fwe.total_cmp(&two.p_fwe))
        .unwrap();
    assert_eq!(least.pair, [0, 1]);
    assert!(
        least.p_fwe < 0.05 && least.statistic > 0.0 && least.means[1] > least.means[0],
        "{least:?}"
    );
    let words: Vec<&str> = found.measures.iter().map(|row| row.measure.name()).collect();
    assert_eq!(words, ["density", "uniqueness", "modularity", "efficiency"]);
    let mean = |value: &dyn Fn(usize) -> f64| (0..24).map(value).sum::<f64>() / 24.0;
    assert!(close(found.measures[0].means[0], mean(&|view| graph.density(view))));
    assert!(close(
        found.measures[1].means[0],
        mean(&|view| graph.uniqueness(view).unwrap())
    ));
    // A path a – b – c of weights 1 and 2 has distances 1, 1/2 and 3/2.
    let path = MultiviewGraph::new(
        ["a", "b", "c"].map(String::from).to_vec(),
        (0..8).map(|view| format!("v{view}")).collect(),
        &[[0, 1], [1, 2]],
        &ViewMatrix::from_values(8, [[1.0; 8], [2.0; 8]].concat()),
        None,
    );
    let settings = Settings {
        measures: vec![Measure::Efficiency],
        ..settings
    };
    let found = compare(&path, &design(labels(8)), &settings).unwrap();
    assert!(close(found.measures[0].means[0], (1.0 + 2.0 + 2.0 / 3.0) / 3.0));
    assert_eq!((found.measures[0].statistic, found.measures[0].p_fwe), (0.0, 1.0));
    assert!(found.edges.is_empty() && found.edge_null.values().iter().all(|largest| *largest == 0.0));
    let settings = Settings {
        measures: vec![Measure::Uniqueness],
        ..settings
    };
    let error = compare(&path, &design(labels(8)), &settings).unwrap_err();
    assert!(error.to_string().contains("needs a consensus"), "{error}");
}

#[test]
fn rare_edges_and_nodes_that_some_view_lacks_are_left_out() {
    let mut weights = vec![1.0; 8 * 3];
    weights[..8].copy_from_slice(&[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    weights[16] = 0.0;
    let names = |prefix: &str, n: usize| (0..n).map(|k| format!("{prefix}{k}")).collect::<Vec<_>>();
    let membership = congraph::Membership::new(4, 8, |view, node| view == 0 && node == 3);
    let graph = MultiviewGraph::new(
        names("n", 4),
        names("v", 8),
        &[[0, 1], [1, 2], [2, 3]],
        &ViewMatrix::from_values(8, weights),
        None,
    )
    .with_membership(membership);
    let found = compare(&graph, &design(labels(8)), &Settings::default()).unwrap();
    assert_eq!((found.edges.len(), found.n_rare, found.n_unmeasured), (1, 1, 1));
    assert_eq!(found.nodes.iter().map(|row| row.node).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn random_relabellings_are_numbered_and_more_go_on_from_fewer() {
    let graph = graphs(20, 17);
    let of = |permutations, seed| {
        let settings = Settings {
            permutations,
            seed,
            ..Settings::default()
        };
        compare(&graph, &design(labels(20)), &settings).unwrap()
    };
    let (few, more, other) = (of(50, 1), of(51, 1), of(50, 2));
    let count = |found: &Comparison| -> Vec<f64> {
        let n = found.n_relabellings as f64 + 1.0;
        found
            .edges
            .iter()
            .map(|edge| (edge.p_uncorrected * n).round())
            .collect()
    };
    assert!(
        count(&few)
            .iter()
            .zip(count(&more))
            .all(|(one, two)| two - one == 0.0 || two - one == 1.0)
    );
    assert!(count(&few) != count(&other));
    let stop = |_: &congraph::Progress| std::ops::ControlFlow::Break(());
    assert_eq!(
        compare_watched(&graph, &design(labels(20)), &Settings::default(), &stop).unwrap(),
        None
    );
}

fn refused(given: &Design, settings: &Settings) -> (Option<Code>, String) {
    let error = compare(&graphs(given.labels.len(), 19), given, settings).unwrap_err();
    let code = match &error {
        Error::Data(errors) => Some(errors[0].code),
        _ => None,
    };
    (code, error.to_string())
}

#[test]
fn what_cannot_be_compared_is_refused_and_named() {
    let n = 12;
    let plain = || design(labels(n));
    let with = |change: &dyn Fn(&mut Design)| {
        let mut given = plain();
        change(&mut given);
        given
    };
    let words = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<String>>();
    let cases: Vec<(Design, &[&str])> = vec![
        (with(&|it| it.labels[3].clear()), &["1 view has no label: `sub-03`"]),
        (
            with(&|it| it.labels.fill("x".into())),
            &["all 12 views have the label `x`"],
        ),
        (
            with(&|it| it.labels[3] = "alone".into()),
            &["1 group has one view only: `alone`"],
        ),
        (
            with(&|it| it.labels = words(&|view| view.to_string())),
            &["12 groups have one view only"],
        ),
        (
            with(&|it| it.pairs = Some(words(&|view| format!("s{}", view / 2)))),
            &["`control` and `patient`", "`s0`"],
        ),
        (
            Design {
                pairs: Some(words(&|view| format!("s{}", view % 6))),
                labels: words(&|view| format!("c{}", view % 3)),
                ..plain()
            },
            &["pairs need two conditions", "`c2`"],
        ),
        (
            Design {
                pairs: Some(words(&|view| {
                    if view == 5 {
                        String::new()
                    } else {
                        format!("s{}", view % 6)
                    }
                })),
                ..plain()
            },
            &["1 view has no subject: `sub-05`"],
        ),
        (
            Design {
                covariates: vec![numbers("age", (0..n).map(|v| v as f64))],
                ..paired(n)
            },
            &["covariates cannot be used with pairs"],
        ),
        (
            with(&|it| {
                it.covariates
                    .push(numbers("age", (0..n).map(|v| if v == 2 { f64::NAN } else { v as f64 })));
            }),
            &["1 view has no `age`: `sub-02`"],
        ),
        (
            with(&|it| it.covariates.push(numbers("age", vec![0.1; n]))),
            &["`age` is the same for all views"],
        ),
        (
            with(&|it| {
                it.covariates.push(numbers("age", (0..n).map(|v| (v * v) as f64)));
                it.covariates
                    .push(numbers("months", (0..n).map(|v| 12.0 * (v * v) as f64 + 3.0)));
            }),
            &["`months` follows from the covariates before it"],
        ),
        (
            with(&|it| {
                it.covariates
                    .push(numbers("ward", (0..n).map(|v| f64::from(v as u8 / 6) + 1.0)));
            }),
            &["`ward` and the covariates before it say which group a view is of"],
        ),
        (
            with(&|it| {
                let values = CovariateValues::Levels(words(&|v| format!("site{}", v % 11)));
                it.covariates.push(Covariate {
                    name: "site".into(),
                    values,
                });
            }),
            &["covariates are too many for 12 views"],
        ),
        (
            design(labels(6)),
            &["6 views can be relabelled in 20 ways", "below 0.1,"],
        ),
        (paired(8), &["4 pairs can be relabelled in 16 ways", "below 0.125,"]),
    ];
    for (given, told) in cases {
        let (code, text) = refused(&given, &Settings::default());
        assert_eq!(code, Some(Code::E17), "{text}");
        assert!(told.iter().all(|part| text.contains(part)), "{text}\nlacks {told:?}");
    }
    let settings = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    };
    let cases: Vec<(Settings, &str)> = vec![
        (settings(&|it| it.permutations = 0), "permutations is 0"),
        (
            settings(&|it| it.permutations = 18),
            "permutations is 18: no p is below 0.0526, and the level is 0.05; give at least 19",
        ),
        (settings(&|it| it.threshold = Some(f64::NAN)), "nbs is NaN"),
        (settings(&|it| it.level = 1.0), "level is 1"),
        (settings(&|it| it.measures.clear()), "measures is empty"),
    ];
    for (settings, told) in cases {
        let (code, text) = refused(&plain(), &settings);
        assert!(code.is_none() && text.contains(told), "{text}");
    }
    let graph = graphs(n, 19);
    let short = compare(&graph, &design(labels(10)), &Settings::default()).unwrap_err();
    assert!(
        short.to_string().contains("labels are 10, and there are 12 views"),
        "{short}"
    );
}

#[test]
fn groups_with_more_samples_are_refused_or_made_equal() {
    let labels = labels(6);
    let check = |samples: [usize; 6]| check_samples(&samples.map(Some), &labels);
    assert!(check([100, 100, 90, 110, 110, 400]).is_ok());
    let error = check([100, 100, 90, 111, 400, 30]).unwrap_err().to_string();
    assert!(
        error.starts_with("E16: views of `patient` have 111 samples (median), those of `control` 100"),
        "{error}"
    );
    assert!(check_samples(&[None; 6], &labels).is_ok());
    assert!(check_samples(&[Some(10), None, Some(20), Some(30), None, None], &labels).is_err());
    // Blocks whole, as many as fit; the same samples for any order of views.
    let table = |name: &str, n: usize| {
        let values: Vec<f64> = (0..n).flat_map(|k| [(k as f64).sin(), (k * k) as f64]).collect();
        let blocks = (0..n).map(|sample| format!("{}", sample / 7)).collect();
        let blocks = Some(blocks);
        Table {
            blocks,
            ..Table::new(name, 2, values)
        }
    };
    let views = |tables| Views::assemble(tables, &ViewOptions::default()).unwrap().0;
    let both = views(vec![table("a", 60), table("b", 200)]);
    let equal = equalise(&both, 60, 4).unwrap();
    assert_eq!(equal.view(0).n_samples(), Some(60));
    let n = equal.view(1).n_samples().unwrap();
    assert!((54..=60).contains(&n), "{n}");
    let blocks = equal.view(1).blocks().unwrap();
    assert!(
        blocks
            .chunk_by(|x, y| x == y)
            .all(|block| block.len() == 7 || block[0] == "28")
    );
    let turned = equalise(&views(vec![table("b", 200), table("a", 60)]), 60, 4).unwrap();
    assert_eq!((turned.view(1), turned.view(0)), (equal.view(0), equal.view(1)));
    assert!(
        equalise(&both, 3, 4)
            .unwrap_err()
            .to_string()
            .contains("no block of view `a`")
    );
}

#[test]
fn a_coupling_may_know_only_what_the_test_keeps() {
    let words = |words: [&str; 6]| words.map(String::from);
    let (groups, subjects) = (
        words(["x", "x", "x", "y", "y", "y"]),
        words(["1", "2", "3", "1", "2", "3"]),
    );
    let alone = words(["1", "2", "3", "4", "5", "6"]);
    let all = words(["1"; 6]);
    assert!(check_coupling(&alone, &groups, None).is_ok() && check_coupling(&all, &groups, None).is_ok());
    assert!(check_coupling(&subjects, &groups, Some(&subjects)).is_ok());
    assert!(check_coupling(&all, &groups, Some(&subjects)).is_ok());
    let renamed = words(["u", "u", "u", "v", "v", "v"]);
    for (blocks, pairs, told) in [
        (&groups, None, "it knew the labels that are tested"),
        (&renamed, None, "it knew the labels that are tested"),
        (&subjects, None, "coupled some views more than others"),
        (&groups, Some(&subjects[..]), "the two views of `1`"),
    ] {
        let error = check_coupling(blocks, &groups, pairs).unwrap_err().to_string();
        assert!(error.starts_with("E14") && error.contains(told), "{error}");
    }
}

/// Graphs of noise: weights of 7 nodes without any difference.
fn noise(n_views: usize, seed: u64, shift: f64) -> MultiviewGraph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let nodes: Vec<String> = (0..7).map(|node| format!("n{node}")).collect();
    let views = (0..n_views).map(|view| format!("v{view:02}")).collect();
    let pairs: Vec<[u32; 2]> = (1..7).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
    let weight = |k: usize| {
        let is_shifted = pairs[k / n_views][0] == 0 && k % n_views >= n_views / 2;
        rng.random::<f64>() + if is_shifted { shift } else { 0.0 }
    };
    let weights: Vec<f64> = (0..pairs.len() * n_views).map(weight).collect();
    MultiviewGraph::new(nodes, views, &pairs, &ViewMatrix::from_values(n_views, weights), None)
}

fn components_of(graph: &MultiviewGraph, threshold: Option<f64>) -> Comparison {
    let settings = Settings {
        threshold,
        permutations: 199,
        measures: vec![Measure::Components],
        ..Settings::default()
    };
    compare(graph, &design(labels(graph.n_views())), &settings).unwrap()
}

/// No rank-sum z of 5 + 5 views is above 2.62: with a threshold of 3, a star that differs completely is never found.
#[test]
fn components_of_small_groups_are_within_reach() {
    let graph = noise(10, 3, 1.0);
    let unreached = components_of(&graph, Some(3.0));
    assert!(unreached.components.is_empty());
    let told = &unreached.warnings[0];
    assert_eq!(told.code, "W19");
    assert!(
        told.message.contains("no relabelling has an edge above it"),
        "{}",
        told.message
    );
    let found = components_of(&graph, None);
    assert!(
        found.threshold < 2.62 && found.warnings.is_empty(),
        "{}",
        found.threshold
    );
    let [star] = &found.components[..] else {
        panic!("{:?}", found.components)
    };
    assert!(star.n_edges >= 6 && star.p_fwe <= 0.05, "{star:?}");
    // Whoever sets it to what the warning says gets the same.
    let told = format!("above {}:", components_of(&graph, Some(found.threshold)).threshold);
    let message = &unreached.warnings[0].message;
    assert!(message.contains(&told) || found.exact, "{message}");
}

/// Where most relabellings have an edge above 3, that is the threshold.
#[test]
fn the_usual_threshold_stays_where_it_is_reached() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let n = 60_u32;
    let pairs: Vec<[u32; 2]> = (1..n).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
    let weights = (0..pairs.len() * 30).map(|_| rng.random::<f64>()).collect();
    let names = |what: &str, n: usize| (0..n).map(|k| format!("{what}{k:02}")).collect::<Vec<_>>();
    let weights = ViewMatrix::from_values(30, weights);
    let graph = MultiviewGraph::new(names("n", n as usize), names("v", 30), &pairs, &weights, None);
    assert_eq!(components_of(&graph, None).threshold, 3.0);
}

/// Of studies without a difference, one in twenty finds a component: not fewer, as where the threshold is hardly reached.
#[test]
fn components_are_found_as_often_as_the_level_says() {
    let found = |threshold: Option<f64>| {
        let is_found = |seed: u64| {
            let found = components_of(&noise(12, 100 + seed, 0.0), threshold);
            found.components.iter().any(|component| component.p_fwe <= 0.05)
        };
        (0..400).filter(|&seed| is_found(seed)).count()
    };
    assert_eq!(found(Some(3.0)), 0);
    let found = found(None);
    // 20 of 400 are expected; a standard error is 4.4.
    assert!((7..=33).contains(&found), "{found}");
}
