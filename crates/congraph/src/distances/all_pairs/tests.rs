use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::progress::no_progress;
use crate::views::{Missing, Table, ViewOptions};

fn random_views(n_nodes: usize, n_samples: usize, lacks: &dyn Fn(usize, usize) -> bool) -> Views {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut table = |view: usize| {
        let own: Vec<usize> = (0..n_nodes).filter(|&node| !lacks(view, node)).collect();
        let values = (0..own.len() * n_samples)
            .map(|_| rng.random_range(-1.0..1.0))
            .collect();
        Table::new(format!("{view}"), own.len(), values).with_columns(own.iter().map(|node| format!("{node:05}")))
    };
    let options = ViewOptions {
        missing: Missing::Mask,
        ..ViewOptions::default()
    };
    let tables = vec![table(0), table(1)];
    let (views, _) = Views::assemble(tables, &options).unwrap();
    views.sorted().0.into_owned()
}

/// The second view lacks a fifth of the nodes, the first every hundredth; some nodes are each other's copies.
#[test]
fn neighbours_are_the_nearest_without_exception() {
    let lacks = |view: usize, node: usize| {
        if view == 0 {
            node % 100 == 7
        } else {
            node.is_multiple_of(5)
        }
    };
    let (n_nodes, k) = (1100, 7);
    let views = random_views(n_nodes, 6, &lacks);
    for signed in [false, true] {
        let signals = Signals::new(&views, &Scaling::default());
        let mut expected = Vec::new();
        for (view, node) in [0, 1]
            .into_iter()
            .flat_map(|view| (0..n_nodes).map(move |node| (view, node)))
        {
            if lacks(view, node) {
                continue;
            }
            let distance = |other: usize| {
                let opposite = if signed {
                    signals.views[view].sum_distance(node, other)
                } else {
                    f64::INFINITY
                };
                signals.views[view].distance(node, other).min(opposite)
            };
            let others = views.membership().nodes_of(view).filter(|&other| other != node);
            let mut others: Vec<(f64, usize)> = others.map(|other| (distance(other), other)).collect();
            others.sort_by(|x, y| x.partial_cmp(y).unwrap());
            let pair = |&(_, other): &(f64, usize)| [node.min(other) as u32, node.max(other) as u32];
            expected.extend(others[..k].iter().map(pair));
        }
        expected.sort_unstable();
        expected.dedup();
        let on = |threads: usize, instructions: Instructions| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let search = |exact: bool| {
                Search {
                    bytes: &Quantised::new(&signals, &Alone, signed, instructions),
                    signals: &signals,
                    signed,
                    k,
                    exact,
                    furthest: true,
                    views: (0..signals.views.len()).collect(),
                    team: &Alone,
                }
                .run(&no_progress)
            };
            pool.install(|| (search(true), search(false)))
        };
        let largest = furthest(&signals, signed);
        let (_, rough) = on(1, Instructions::best());
        for instructions in Instructions::all() {
            for threads in [1, 2, 7] {
                let (exact, again) = on(threads, instructions);
                assert!(exact.pairs == expected, "{instructions:?}, {threads} threads");
                assert!(again.pairs == rough.pairs, "{instructions:?}, {threads} threads");
                assert!(exact.furthest == largest && again.furthest == largest);
            }
        }
    }
}

/// The largest cost of a pair that a view has.
fn furthest(signals: &Signals, signed: bool) -> f64 {
    let mut largest = 0.0_f64;
    for (index, view) in signals.views.iter().enumerate() {
        for a in 0..signals.n_nodes {
            for b in 0..a {
                if signals.lacks(index, a) || signals.lacks(index, b) {
                    continue;
                }
                largest = largest.max(view.distance(a, b));
                if signed {
                    largest = largest.max(view.sum_distance(a, b));
                }
            }
        }
    }
    largest
}

/// All that the presence of an edge takes here: a positive target.
struct Positive;

impl PresenceTest for Positive {
    fn kappa(&self) -> f64 {
        0.5
    }

    fn is_absent(&self, targets: &[f64]) -> bool {
        targets.iter().all(|&target| target <= 0.0)
    }
}

/// A pass, also over some nodes alone, finds all pairs that f64 has present, with every set of instructions; and so
/// does one whose floor is lower.
#[test]
fn a_pass_misses_no_pair() {
    let lacks = |view: usize, node: usize| view == 1 && node.is_multiple_of(7);
    for (n_nodes, n_samples, signed) in [(600, 20, false), (530, 3, true), (300, 2000, false)] {
        let views = random_views(n_nodes, n_samples, &lacks);
        let all = |instructions| {
            let scaling = Scaling::default();
            AllPairs::with_instructions(
                instructions,
                &views,
                &scaling,
                &crate::team::of_process(),
                signed,
                5,
                &no_progress,
            )
            .unwrap()
        };
        let best = all(Instructions::best());
        let every: Vec<[u32; 2]> = if signed {
            Edges::complete_signed(n_nodes).pairs().to_vec()
        } else {
            Edges::complete(n_nodes).pairs().to_vec()
        };
        let distances = best.distances_of(&every);
        // Multipliers at which about a twentieth of the pairs is present.
        let mut shortest: Vec<f64> = distances.column(0).collect();
        shortest.sort_by(f64::total_cmp);
        let level = -0.5 * shortest[shortest.len() / 20];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let values = (0..n_nodes * 2).map(|_| level * rng.random_range(0.97..1.03));
        let multipliers = ViewMatrix::from_values(2, values.collect());
        let mut targets = [0.0; 2];
        let mut is_present =
            |k: &usize| Positive.is_present(every[*k], distances.row(*k), &multipliers, 0.0, &mut targets);
        let expected: Vec<[u32; 2]> = (0..every.len()).filter(|k| is_present(k)).map(|k| every[k]).collect();
        assert!(expected.len() > 100 && expected.len() < every.len() / 2);
        let some: Vec<u32> = (0..n_nodes as u32).filter(|node| node % 3 == 1).collect();
        let of_some = |edge: &&[u32; 2]| edge.iter().any(|node| node % 3 == 1);
        let expected_of_some: Vec<[u32; 2]> = expected.iter().filter(of_some).copied().collect();
        for instructions in Instructions::all() {
            let all = all(instructions);
            let found = all.entering(&multipliers, &[], &Positive);
            assert!(found.pairs == expected, "{instructions:?}");
            assert_eq!(found.distances, all.distances_of(&expected));
            let found = all.entering(&multipliers, &expected[1..], &Positive);
            assert!(found.pairs == expected[..1]);
            let open = all.open(
                &multipliers,
                Some(&some),
                |_| false,
                usize::MAX / 16,
                &Positive,
                &no_progress,
            );
            let pairs_of = |open: &Open| -> Vec<[u32; 2]> {
                let pairs: Vec<_> = open
                    .stretches
                    .iter()
                    .flat_map(|stretch| stretch.pairs.clone())
                    .collect();
                assert!(pairs.is_sorted());
                pairs
            };
            let pairs = pairs_of(&open);
            let is_open = |pair: &[u32; 2]| pairs.binary_search(pair).is_ok();
            assert!(
                open.complete && expected_of_some.iter().all(is_open),
                "{instructions:?}"
            );
            assert!(pairs.iter().all(|pair| of_some(&pair)));
            // What is left open has bounds that are not above the distances.
            let distances = all.distances_of(&pairs);
            let mut bounds = vec![0.0; 2];
            let own = open.stretches.iter().flat_map(|stretch| stretch.bounds.chunks_exact(2));
            for (row, own) in distances.rows().zip(own) {
                all.divided(own, &mut bounds);
                assert!(row.iter().zip(&bounds).all(|(distance, bound)| bound <= distance));
                let lacks = |values: &[f64]| [values[0].is_infinite(), values[1].is_infinite()];
                assert_eq!(lacks(row), lacks(&bounds));
            }
            let few = all.open(&multipliers, None, |_| false, 8, &Positive, &no_progress);
            assert!(!few.complete && pairs_of(&few).len() <= 8 * n_nodes.div_ceil(256));
        }
    }
}
