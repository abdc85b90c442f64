//! Communities against definitions, brute force, and known results; and the laws that hold for every network.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::communities::{Coclassification, ConsensusClustering, Leiden, Network, Partition, Signs, communities};
use congraph::simulate::{Settings, simulate};
use congraph::{Error, MultiviewGraph, ViewMatrix};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Zachary's karate club (1977), nodes from 0: the friendships of each with those before.
const KARATE: [(u32, &[u32]); 33] = [
    (1, &[0]),
    (2, &[0, 1]),
    (3, &[0, 1, 2]),
    (4, &[0]),
    (5, &[0]),
    (6, &[0, 4, 5]),
    (7, &[0, 1, 2, 3]),
    (8, &[0, 2]),
    (9, &[2]),
    (10, &[0, 4, 5]),
    (11, &[0]),
    (12, &[0, 3]),
    (13, &[0, 1, 2, 3]),
    (14, &[]),
    (15, &[]),
    (16, &[5, 6]),
    (17, &[0, 1]),
    (18, &[]),
    (19, &[0, 1]),
    (20, &[]),
    (21, &[0, 1]),
    (22, &[]),
    (23, &[]),
    (24, &[]),
    (25, &[23, 24]),
    (26, &[]),
    (27, &[2, 23, 24]),
    (28, &[2]),
    (29, &[23, 26]),
    (30, &[1, 8]),
    (31, &[0, 24, 25, 28]),
    (32, &[2, 8, 14, 15, 18, 20, 22, 23, 29, 30, 31]),
    (33, &[8, 9, 13, 14, 15, 18, 19, 20, 22, 23, 26, 27, 28, 29, 30, 31, 32]),
];

fn karate() -> Network {
    let pairs: Vec<[u32; 2]> = KARATE
        .iter()
        .flat_map(|&(node, friends)| friends.iter().map(move |&friend| [friend, node]))
        .collect();
    assert_eq!(pairs.len(), 78);
    Network::new(34, &pairs, &vec![1.0; pairs.len()]).unwrap()
}

fn leiden(n_runs: usize) -> Leiden {
    Leiden {
        n_runs,
        ..Leiden::default()
    }
}

/// Modularity from its first definition: Σ_ij (A_ij − γ k_i k_j / 2m) δ(c_i, c_j) / 2m.
fn modularity(n: usize, pairs: &[[u32; 2]], weights: &[f64], labels: &[usize], resolution: f64) -> f64 {
    let mut matrix = vec![vec![0.0; n]; n];
    for (&[a, b], weight) in pairs.iter().zip(weights) {
        matrix[a as usize][b as usize] += weight;
        matrix[b as usize][a as usize] += weight;
    }
    let strengths: Vec<f64> = matrix.iter().map(|row| row.iter().sum()).collect();
    let total: f64 = strengths.iter().sum();
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..n {
            if labels[i] == labels[j] {
                sum += matrix[i][j] - resolution * strengths[i] * strengths[j] / total;
            }
        }
    }
    sum / total
}

/// Modularity of weights of both signs from its definition (Gómez, Jensen and Arenas, 2009): that of each sign, by its
/// share of all weights.
fn signed_modularity(n: usize, pairs: &[[u32; 2]], weights: &[f64], labels: &[usize], resolution: f64) -> f64 {
    let part = |sign: f64| -> (f64, f64) {
        let own: Vec<f64> = weights.iter().map(|weight| (sign * weight).max(0.0)).collect();
        let total = 2.0 * own.iter().sum::<f64>();
        if total == 0.0 {
            return (0.0, 0.0);
        }
        (total, modularity(n, pairs, &own, labels, resolution))
    };
    let ((positive, q_positive), (negative, q_negative)) = (part(1.0), part(-1.0));
    (positive * q_positive - negative * q_negative) / (positive + negative)
}

/// As [`random`], with about a share of the weights negative.
fn random_signed(n: usize, share: f64, negative: f64, seed: u64) -> (Vec<[u32; 2]>, Vec<f64>) {
    let (pairs, mut weights) = random(n, share, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5157);
    weights
        .iter_mut()
        .filter(|_| rng.random::<f64>() < negative)
        .for_each(|weight| *weight = -*weight);
    (pairs, weights)
}

/// Every partition of n nodes.
fn all_partitions(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        let grow = |labels: Vec<usize>| {
            let n_labels = labels.iter().max().map_or(0, |last| last + 1);
            (0..=n_labels).map(move |label| [&labels[..], &[label]].concat())
        };
        all = all.into_iter().flat_map(grow).collect();
    }
    all
}

/// Pairs and weights of a random network; about a share of the pairs is linked.
fn random(n: usize, share: f64, seed: u64) -> (Vec<[u32; 2]>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pairs = Vec::new();
    for b in 1..n as u32 {
        pairs.extend((0..b).map(|a| [a, b]).filter(|_| rng.random::<f64>() < share));
    }
    let weights = pairs.iter().map(|_| rng.random::<f64>().powi(3)).collect();
    (pairs, weights)
}

/// Whether every community of the network is connected.
fn all_connected(pairs: &[[u32; 2]], weights: &[f64], labels: &[usize]) -> bool {
    let mut leader: Vec<usize> = (0..labels.len()).collect();
    for _ in 0..labels.len() {
        for (&[a, b], &weight) in pairs.iter().zip(weights) {
            let (a, b) = (a as usize, b as usize);
            if weight > 0.0 && labels[a] == labels[b] {
                let least = leader[a].min(leader[b]);
                (leader[a], leader[b]) = (least, least);
            }
        }
    }
    (0..labels.len()).all(|i| (0..i).all(|j| labels[i] != labels[j] || leader[i] == leader[j]))
}

#[test]
fn modularity_by_hand() {
    // Two triangles and a bridge: m = 7, each triangle has weight 3 inside and strength 7.
    let pairs = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]];
    let network = Network::new(6, &pairs, &[2.0; 7]).unwrap();
    let triangles = Partition::from_labels(&[5, 5, 5, 2, 2, 2]);
    assert!((network.modularity(&triangles, 1.0) - (6.0 / 7.0 - 0.5)).abs() < 1e-15);
    assert!((network.modularity(&triangles, 0.5) - (6.0 / 7.0 - 0.25)).abs() < 1e-15);
    assert!(network.modularity(&Partition::from_labels(&[0; 6]), 1.0).abs() < 1e-15);
    let found = leiden(1).communities(&network).unwrap();
    assert_eq!(found.partition, triangles);
    assert!((found.modularity - 5.0 / 14.0).abs() < 1e-15);
}

#[test]
fn the_best_of_all_partitions_is_found() {
    let mut n_networks = 0;
    for n in 2..=8 {
        let all = all_partitions(n);
        for seed in 0..12 {
            let (pairs, weights) = random(n, 0.25 + 0.05 * seed as f64, 100 * n as u64 + seed);
            if weights.is_empty() {
                continue;
            }
            let network = Network::new(n, &pairs, &weights).unwrap();
            for resolution in [0.3, 1.0, 2.5] {
                let values = all
                    .iter()
                    .map(|labels| modularity(n, &pairs, &weights, labels, resolution));
                let best = values.fold(f64::MIN, f64::max);
                let settings = Leiden {
                    resolution,
                    ..leiden(10)
                };
                let found = settings.communities(&network).unwrap();
                let value = modularity(n, &pairs, &weights, found.partition.labels(), resolution);
                assert!((value - found.modularity).abs() < 1e-13);
                assert!(
                    (value - best).abs() < 1e-12,
                    "{value} instead of {best}: {pairs:?}, {weights:?}"
                );
                n_networks += 1;
            }
        }
    }
    assert!(n_networks > 200);
}

#[test]
fn the_best_of_all_partitions_of_signed_networks_is_found() {
    let mut n_networks = 0;
    for n in 2..=8 {
        let all = all_partitions(n);
        for seed in 0..12 {
            let (pairs, weights) = random_signed(
                n,
                0.25 + 0.05 * seed as f64,
                [0.2, 0.5, 1.0][seed as usize % 3],
                700 * n as u64 + seed,
            );
            if weights.is_empty() {
                continue;
            }
            let network = Network::signed(n, &pairs, &weights).unwrap();
            for resolution in [0.3, 1.0, 2.5] {
                let values = all
                    .iter()
                    .map(|labels| signed_modularity(n, &pairs, &weights, labels, resolution));
                let best = values.fold(f64::MIN, f64::max);
                let settings = Leiden {
                    resolution,
                    ..leiden(10)
                };
                let found = settings.communities(&network).unwrap();
                let value = signed_modularity(n, &pairs, &weights, found.partition.labels(), resolution);
                assert!((value - found.modularity).abs() < 1e-13);
                assert!(
                    (value - best).abs() < 1e-12,
                    "{value} instead of {best}: {pairs:?}, {weights:?}"
                );
                n_networks += 1;
            }
        }
    }
    assert!(n_networks > 200);
}

#[test]
fn negative_weights_tell_camps_apart_and_are_left_out_unless_asked_for() {
    let names = |prefix: &str, n: usize| (0..n).map(|k| format!("{prefix}{k}")).collect::<Vec<_>>();
    // One ring of friends, cut by enmities between its two halves.
    let ring = (0..8_u32).map(|a| [a.min((a + 1) % 8), a.max((a + 1) % 8)]);
    let across = [[0_u32, 6], [1, 5], [2, 4], [0, 5], [1, 4], [3, 6], [3, 7], [2, 7]];
    let pairs: Vec<[u32; 2]> = ring.clone().chain(across).collect();
    let weights: Vec<f64> = ring.map(|_| 1.0).chain(across.map(|_| -1.0)).collect();
    let graph = MultiviewGraph::new(
        names("n", 8),
        names("v", 1),
        &pairs,
        &ViewMatrix::from_values(1, weights.clone()),
        Some(&weights),
    );
    let with = |signs| {
        let settings = ConsensusClustering {
            leiden: leiden(20),
            signs,
            ..ConsensusClustering::default()
        };
        communities(&graph, &settings).unwrap()
    };
    let signed = with(Signs::Signed);
    let found = signed.consensus.unwrap();
    let value = |labels: &[usize]| signed_modularity(8, &pairs, &weights, labels, 1.0);
    let best = all_partitions(8)
        .iter()
        .map(|labels| value(labels))
        .fold(f64::MIN, f64::max);
    assert!((value(found.partition.labels()) - best).abs() < 1e-12);
    assert_eq!(found, signed.views[0]);
    // Without the negative weights it is the ring alone.
    let positive = with(Signs::Positive);
    let ring: Vec<f64> = weights.iter().map(|weight| weight.max(0.0)).collect();
    let ring = leiden(20)
        .communities(&Network::new(8, &pairs, &ring).unwrap())
        .unwrap();
    assert_eq!(positive.consensus.unwrap().modularity, ring.modularity);
    assert!(Network::new(8, &pairs, &weights).is_err());
    assert!(Network::signed(2, &[[0, 1]], &[f64::NAN]).is_err());
}

#[test]
fn karate_club() {
    // The optimum, proven by integer programming (Brandes et al., 2008): Q = 0.4198, four communities.
    for seed in 0..20 {
        let found = Leiden { seed, ..leiden(10) }.communities(&karate()).unwrap();
        assert!((found.modularity - 0.419_789_612_097_304).abs() < 1e-14);
        assert_eq!(found.partition.n_communities(), 4);
    }
}

#[test]
fn planted_communities_are_found() {
    let (n, k) = (400, 8);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut pairs, mut weights) = (Vec::new(), Vec::new());
    for b in 1..n as u32 {
        for a in 0..b {
            let is_same = a % k == b % k;
            if rng.random::<f64>() < if is_same { 0.3 } else { 0.005 } {
                pairs.push([a, b]);
                weights.push(rng.random_range(0.5..1.5));
            }
        }
    }
    let planted = Partition::from_labels(&(0..n).map(|node| node % k as usize).collect::<Vec<_>>());
    let network = Network::new(n, &pairs, &weights).unwrap();
    assert_eq!(leiden(2).communities(&network).unwrap().partition, planted);
}

#[test]
fn networks_without_much_in_them() {
    let empty = Network::new(0, &[], &[]).unwrap();
    let found = leiden(3).communities(&empty).unwrap();
    assert_eq!((found.partition.n_communities(), found.modularity), (0, 0.0));
    let single = Network::new(1, &[], &[]).unwrap();
    assert_eq!(leiden(3).communities(&single).unwrap().partition.labels(), [0]);
    // Without links, and with links of weight 0, everyone is alone.
    for network in [
        Network::new(4, &[], &[]),
        Network::new(4, &[[0, 1], [2, 3]], &[0.0, 0.0]),
    ] {
        let found = leiden(3).communities(&network.unwrap()).unwrap();
        assert_eq!((found.partition.labels(), found.modularity), (&[0, 1, 2, 3][..], 0.0));
    }
    // Isolated nodes are communities of their own, after the larger ones.
    let network = Network::new(5, &[[1, 3], [3, 4], [1, 4]], &[1e-300, 1e-300, 1e-300]).unwrap();
    let found = leiden(3).communities(&network).unwrap();
    assert_eq!(found.partition.labels(), [1, 0, 2, 0, 0]);
    // Weights at the end of what there is.
    let huge = Network::new(4, &[[0, 1], [2, 3], [1, 2]], &[f64::MAX, f64::MAX, 1e300]).unwrap();
    let found = leiden(3).communities(&huge).unwrap();
    assert_eq!(found.partition.labels(), [0, 0, 1, 1]);
    assert!((found.modularity - 0.5).abs() < 1e-7);
}

#[test]
fn extreme_resolutions() {
    let at = |resolution| Leiden {
        resolution,
        ..leiden(4)
    };
    for tiny in [1e-300, 1e-9] {
        assert_eq!(at(tiny).communities(&karate()).unwrap().partition.n_communities(), 1);
    }
    for large in [1e3, 1e9, 1e300] {
        assert_eq!(at(large).communities(&karate()).unwrap().partition.n_communities(), 34);
    }
    let coarse = at(0.5).communities(&karate()).unwrap().partition.n_communities();
    let fine = at(3.0).communities(&karate()).unwrap().partition.n_communities();
    assert!(coarse < 4 && fine > 4, "{coarse}, {fine}");
}

#[test]
fn what_cannot_be_is_refused() {
    let name = |result: Result<_, Error>| match result {
        Err(Error::Parameter { name, .. } | Error::Invalid { what: name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let one = |weight| Network::new(2, &[[0, 1]], &[weight]).map(drop);
    for weight in [-1.0, -1e-300, f64::NAN, f64::INFINITY] {
        assert_eq!(name(one(weight)), "weights");
    }
    assert_eq!(name(Network::new(2, &[[0, 1]], &[]).map(drop)), "weights");
    assert_eq!(name(Network::new(2, &[[0, 2]], &[1.0]).map(drop)), "pairs");
    assert_eq!(name(Network::new(2, &[[1, 1]], &[1.0]).map(drop)), "pairs");
    for resolution in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = Leiden {
            resolution,
            ..leiden(1)
        };
        assert_eq!(name(settings.communities(&karate()).map(drop)), "resolution");
    }
    assert_eq!(name(leiden(0).runs(&karate()).map(drop)), "n_runs");
    let once = Coclassification::of(&[Partition::from_labels(&[0, 0])]);
    for threshold in [-0.1, 1.1, f64::NAN] {
        let settings = ConsensusClustering {
            threshold,
            ..ConsensusClustering::default()
        };
        assert_eq!(name(settings.group(&once).map(drop)), "threshold");
    }
    let settings = ConsensusClustering {
        max_rounds: 0,
        ..ConsensusClustering::default()
    };
    assert_eq!(name(settings.group(&once).map(drop)), "max_rounds");
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let (pairs, weights) = random(150, 0.05, 9);
    let network = Network::new(150, &pairs, &weights).unwrap();
    let on_threads = |n_threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| {
            let settings = Leiden { seed, ..leiden(7) };
            (
                settings.runs(&network).unwrap(),
                settings.communities(&network).unwrap(),
            )
        })
    };
    let (runs, best) = on_threads(1, 1);
    assert!((runs.clone(), best.clone()) == on_threads(4, 1));
    assert!(runs != on_threads(2, 2).0);
    assert!(runs.iter().all(|run| run.modularity <= best.modularity));
    // More runs begin with the same ones.
    assert!(leiden(3).runs(&network).unwrap()[..] == runs[..3]);
}

#[test]
fn a_group_that_cannot_agree_says_so() {
    // A ring of 60: any cut into stretches is as good as its rotations, so the runs differ.
    let ring: Vec<[u32; 2]> = (0..60).map(|node| [node, (node + 1) % 60]).collect();
    let network = Network::new(60, &ring, &[1.0; 60]).unwrap();
    let runs = leiden(20).runs(&network).unwrap();
    let together = Coclassification::of(&runs.into_iter().map(|run| run.partition).collect::<Vec<_>>());
    let with = |max_rounds| ConsensusClustering {
        leiden: leiden(20),
        threshold: 0.0,
        max_rounds,
        signs: Signs::Positive,
    };
    let stopped = with(1).group(&together).unwrap();
    assert!(!stopped.agreed && stopped.rounds == 1);
    let settled = with(50).group(&together).unwrap();
    assert!(settled.agreed && settled.rounds > 1, "{settled:?}");
}

/// The same graphs with nodes and views in another order.
fn turned(graph: &MultiviewGraph, nodes: &[usize], views: &[usize]) -> MultiviewGraph {
    let mut place = vec![0; nodes.len()];
    for (new, &old) in nodes.iter().enumerate() {
        place[old] = new as u32;
    }
    let pair = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|node| place[node as usize]);
        [a.min(b), a.max(b)]
    };
    let row = |row: &[f64]| views.iter().map(|&view| row[view]).collect::<Vec<_>>();
    let names = |names: &[String], order: &[usize]| order.iter().map(|&k| names[k].clone()).collect();
    MultiviewGraph::new(
        names(graph.nodes(), nodes),
        names(graph.views(), views),
        &graph.pairs().iter().map(pair).collect::<Vec<_>>(),
        &ViewMatrix::from_values(views.len(), graph.weights().rows().flat_map(row).collect()),
        graph.consensus(),
    )
}

#[test]
fn the_order_of_nodes_and_views_does_not_matter() {
    let settings = Settings {
        n_nodes: 40,
        n_views: 4,
        shuffled: 0.3,
        ..Settings::default()
    };
    let graph = simulate(&settings).unwrap().truth;
    let settings = ConsensusClustering {
        leiden: leiden(5),
        ..ConsensusClustering::default()
    };
    let one = communities(&graph, &settings).unwrap();
    let nodes: Vec<usize> = (0..40).map(|node| (node * 17 + 3) % 40).collect();
    let views = [2, 0, 3, 1];
    let two = communities(&turned(&graph, &nodes, &views), &settings).unwrap();
    let same = |one: &Partition, two: &Partition| {
        let expected: Vec<usize> = nodes.iter().map(|&node| one.labels()[node]).collect();
        assert_eq!(two.labels(), expected);
    };
    for (new, &old) in views.iter().enumerate() {
        same(&one.views[old].partition, &two.views[new].partition);
        assert_eq!(one.views[old].modularity, two.views[new].modularity);
    }
    same(
        &one.consensus.as_ref().unwrap().partition,
        &two.consensus.as_ref().unwrap().partition,
    );
    same(&one.group.partition, &two.group.partition);
    assert_eq!(
        one.coclassification.row(nodes[7])[nodes[9]],
        two.coclassification.row(7)[9]
    );
    assert_eq!(one.coclassification.n_partitions(), 20);
    let table = one.nmi();
    assert_eq!((table.len(), table[0].len()), (6, 6));
    assert!((0..6).all(|k| table[k][k] == 1.0 && table[k][0] == table[0][k]));
    // The second view is the last of the turned graphs.
    assert_eq!(table[0][3], two.nmi()[0][5]);
}

#[test]
fn views_that_are_equal_have_the_communities_of_their_consensus() {
    let settings = Settings {
        n_nodes: 30,
        n_views: 3,
        shuffled: 0.0,
        ..Settings::default()
    };
    let graph = simulate(&settings).unwrap().truth;
    let found = communities(&graph, &ConsensusClustering::default()).unwrap();
    let consensus = found.consensus.unwrap();
    assert!(found.views.iter().all(|view| *view == consensus));
    assert!(found.group.agreed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn communities_are_connected_and_no_worse_than_being_alone_or_together(
        n in 1_usize..60, share in 0.0_f64..0.4, seed: u64, resolution in 0.2_f64..4.0
    ) {
        let (pairs, weights) = random(n, share, seed);
        let network = Network::new(n, &pairs, &weights).unwrap();
        let settings = Leiden { resolution, seed, ..leiden(3) };
        let best = settings.communities(&network).unwrap();
        for found in settings.runs(&network).unwrap().into_iter().chain([best]) {
            let labels = found.partition.labels();
            prop_assert!(all_connected(&pairs, &weights, labels));
            for other in [vec![0; n], (0..n).collect()] {
                let other = network.modularity(&Partition::from_labels(&other), resolution);
                prop_assert!(found.modularity >= other - 1e-12);
            }
            prop_assert_eq!(&Partition::from_labels(labels), &found.partition);
        }
    }

    #[test]
    fn signed_networks_have_the_modularity_of_the_definition_and_positive_ones_that_of_theirs(
        n in 2_usize..40, share in 0.1_f64..0.6, seed: u64, resolution in 0.2_f64..3.0
    ) {
        let (pairs, weights) = random_signed(n, share, 0.4, seed);
        prop_assume!(!pairs.is_empty());
        let settings = Leiden { resolution, seed, ..leiden(3) };
        let found = settings.communities(&Network::signed(n, &pairs, &weights).unwrap()).unwrap();
        let expected = signed_modularity(n, &pairs, &weights, found.partition.labels(), resolution);
        prop_assert!((found.modularity - expected).abs() < 1e-12 * (1.0 + resolution));
        for other in [vec![0; n], (0..n).collect()] {
            prop_assert!(found.modularity >= signed_modularity(n, &pairs, &weights, &other, resolution) - 1e-12);
        }
        // Without a negative weight there is nothing to sign.
        let positive: Vec<f64> = weights.iter().map(|weight| weight.abs()).collect();
        let [plain, signed] = [Network::new(n, &pairs, &positive), Network::signed(n, &pairs, &positive)];
        prop_assert_eq!(plain.unwrap(), signed.unwrap());
    }

    #[test]
    fn modularity_is_that_of_the_definition_and_knows_no_scale(
        n in 2_usize..20, seed: u64, resolution in 0.0_f64..3.0, labels in prop::collection::vec(0_usize..5, 20), scale in -60_i32..60
    ) {
        let (pairs, weights) = random(n, 0.5, seed);
        prop_assume!(!pairs.is_empty());
        let scaled: Vec<f64> = weights.iter().map(|weight| weight * 10_f64.powi(scale)).collect();
        let partition = Partition::from_labels(&labels[..n]);
        let found = Network::new(n, &pairs, &scaled).unwrap().modularity(&partition, resolution);
        let expected = modularity(n, &pairs, &weights, &labels[..n], resolution);
        prop_assert!((found - expected).abs() < 1e-13 * (1.0 + resolution));
    }
}
