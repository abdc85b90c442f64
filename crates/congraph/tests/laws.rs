//! Laws that everything in the registries must obey, whatever is registered.

use std::sync::Arc;

use congraph::penalties::{self, JointEdge, LANES, Penalty, TwoLevels};
use congraph::{Edges, ViewMatrix, regularisers};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

/// Rows of `n_views` values of very different sizes.
fn rows(max_rows: usize, max_views: usize) -> impl Strategy<Value = (usize, Vec<f64>)> {
    (1..=max_views, 1..=max_rows)
        .prop_flat_map(|(n_views, n_rows)| (Just(n_views), proptest::collection::vec(value(), n_views * n_rows)))
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![3 => -2.0..2.0, 1 => -100.0..100.0, 1 => -0.01..0.01, 1 => Just(0.0)]
}

/// Targets u, τ, σ of an edge: often with no view at its bound, often with some, sometimes equal views.
fn edge() -> impl Strategy<Value = (Vec<f64>, f64, f64)> {
    let targets = (1..=7_usize, -3.0..3.0).prop_flat_map(|(n_views, centre)| {
        proptest::collection::vec(value().prop_map(move |x: f64| x + centre), n_views)
    });
    let tau = (-4.0..3.0).prop_map(|exponent: f64| 10.0_f64.powf(exponent));
    let ratio = prop_oneof![Just(0.0), 0.0..3.0_f64];
    (targets, tau, ratio).prop_map(|(targets, tau, ratio)| (targets, tau, tau * ratio))
}

/// Every penalty, and every way to couple views of which this many belong to some subjects.
fn every(n_views: usize) -> Vec<Arc<dyn Penalty>> {
    let mut all = penalties::registry();
    all.extend(penalties::couplings());
    // Subjects of three, of one and of two views, and their views not side by side.
    let subjects: Vec<u32> = (0..n_views).map(|view| [0, 1, 2, 0, 2, 0, 3][view % 7]).collect();
    let of_subjects = |share| TwoLevels::new(share).of_subjects(&subjects);
    all.extend([0.2, 0.5, 0.7, 1.0].into_iter().filter_map(of_subjects));
    all
}

fn minimise(joint: &dyn JointEdge, targets: &[f64], tau: f64, sigma: f64) -> (Vec<f64>, f64) {
    let mut weights = vec![0.0; targets.len()];
    let consensus = joint.minimise(targets, tau, sigma, &mut weights, &mut Vec::new());
    (weights, consensus)
}

fn edge_objective(
    penalty: &dyn Penalty,
    (targets, tau, sigma): (&[f64], f64, f64),
    weights: &[f64],
    consensus: f64,
) -> f64 {
    let differences: Vec<f64> = weights.iter().map(|weight| weight - consensus).collect();
    let squares: f64 = weights
        .iter()
        .zip(targets)
        .map(|(weight, u)| (weight - u).powi(2))
        .sum();
    0.5 * squares + tau * penalty.value(&differences, weights.len()) + sigma * consensus
}

fn jacobian(joint: &dyn JointEdge, tau: f64, sigma: f64, weights: &[f64], consensus: f64) -> Vec<Vec<f64>> {
    let n = weights.len();
    let mut diagonal = vec![f64::NAN; n];
    let mut factors = vec![f64::NAN; n * joint.rank()];
    joint.jacobian(tau, sigma, weights, consensus, &mut diagonal, &mut factors);
    let entry = |i: usize, j: usize| {
        let own = if i == j { diagonal[i] } else { 0.0 };
        if joint.has_sets() {
            let (shares, firsts) = factors.split_at(n);
            return own
                + if firsts[i] == firsts[j] {
                    shares[i] * shares[j]
                } else {
                    0.0
                };
        }
        own + factors.chunks_exact(n).map(|v| v[i] * v[j]).sum::<f64>()
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Several edges at once are the same edges one at a time, to the bit.
    #[test]
    fn rows_together_are_rows_one_by_one((n_views, targets) in rows(9, 10), tau in 0.01..3.0_f64, sigma in 0.0..2.0_f64) {
        for penalty in every(n_views) {
            let Some(joint) = penalty.joint() else { continue };
            let n_edges = targets.len() / n_views;
            let (mut weights, mut consensus) = (vec![0.0; targets.len()], vec![0.0; n_edges]);
            joint.minimise_rows(&targets, tau, sigma, &mut weights, &mut consensus);
            for ((targets, weights), consensus) in targets.chunks(n_views).zip(weights.chunks(n_views)).zip(consensus) {
                let (one, shared) = minimise(joint, targets, tau, sigma);
                prop_assert_eq!(weights, &one[..]);
                prop_assert_eq!(consensus, shared);
            }
        }
    }

    /// ⟨S w, d⟩ = ⟨w, Sᵀ d⟩.
    #[test]
    fn spread_is_the_adjoint_of_degrees(n in 2..9_usize, seed in proptest::collection::vec(value(), 36 + 9)) {
        let edges = Edges::complete(n);
        let weights = ViewMatrix::from_values(1, seed[..edges.n_edges()].to_vec());
        let at_nodes = ViewMatrix::from_values(1, seed[36..36 + n].to_vec());
        let dot = |x: &ViewMatrix, y: &ViewMatrix| x.values().iter().zip(y.values()).map(|(x, y)| x * y).sum::<f64>();
        let left = dot(&edges.degrees(&weights), &at_nodes);
        let right = dot(&weights, &edges.spread(&at_nodes));
        prop_assert!((left - right).abs() <= 1e-9 * (1.0 + left.abs()));
    }

    /// y = prox(x) means c(z) ≥ c(y) + ⟨(x − y)/step, z − y⟩ for every z; a prox that is wrong by a factor fails at z = 0
    /// or z = 2y.
    #[test]
    fn prox_obeys_the_subgradient_inequality(
        (n_views, x) in rows(3, 5), other in proptest::collection::vec(value(), 15), step in 0.01..10.0_f64,
    ) {
        for penalty in every(n_views) {
            let mut y = x.clone();
            penalty.prox(&mut y, n_views, step);
            let at_y = penalty.value(&y, n_views);
            let zero = vec![0.0; x.len()];
            let double: Vec<f64> = y.iter().map(|y| 2.0 * y).collect();
            for z in [&zero, &double, &x, &other[..x.len()].to_vec()] {
                let slope: f64 = x.iter().zip(&y).zip(z).map(|((x, y), z)| (x - y) / step * (z - y)).sum();
                let at_z = penalty.value(z, n_views);
                let size = 1.0 + at_z.abs() + at_y.abs() + slope.abs();
                prop_assert!(at_z >= at_y + slope - 1e-10 * size, "{}: {at_z} < {at_y} + {slope}", penalty.name());
            }
        }
    }

    /// Eight edges at a time or one: the same prox.
    #[test]
    fn prox_of_columns_is_the_prox(
        n_views in 1..8_usize, x in proptest::collection::vec(value(), 7 * LANES), step in 0.01..10.0_f64,
    ) {
        for penalty in every(n_views).into_iter().filter(|penalty| penalty.joint().is_some()) {
            let mut rows = x[..n_views * LANES].to_vec();
            let mut columns: Vec<[f64; LANES]> =
                (0..n_views).map(|i| std::array::from_fn(|k| rows[k * n_views + i])).collect();
            penalty.prox(&mut rows, n_views, step);
            penalty.prox_columns(&mut columns, step);
            for (i, column) in columns.iter().enumerate() {
                for (k, y) in column.iter().enumerate() {
                    prop_assert!((y - rows[k * n_views + i]).abs() <= 1e-12 * (1.0 + y.abs()), "{}", penalty.name());
                }
            }
        }
    }

    /// The slope for a frozen consensus is that of the prox of one number, away from its kinks.
    #[test]
    fn the_frozen_slope_is_the_slope_of_the_prox(x in value(), tau in 0.01..10.0_f64) {
        for penalty in every(1) {
            let Some(joint) = penalty.joint() else { continue };
            let prox = |x: f64| {
                let mut y = [x];
                penalty.prox(&mut y, 1, tau);
                y[0]
            };
            let step = 1e-6 * (1.0 + x.abs());
            let (left, right) = ((prox(x) - prox(x - step)) / step, (prox(x + step) - prox(x)) / step);
            if (left - right).abs() <= 1e-6 {
                let slope = joint.frozen_slope(tau, prox(x));
                prop_assert!((slope - right).abs() <= 1e-6, "{}: {slope}, not {right}", penalty.name());
            }
        }
    }

    /// The same for regularisers, over z ≥ 0; and a stated slope is the slope.
    #[test]
    fn regularisers_obey_the_subgradient_inequality(
        x in proptest::collection::vec(value(), 1..6), other in proptest::collection::vec(0.0..5.0_f64, 6), step in 0.01..10.0_f64,
    ) {
        for regulariser in regularisers::registry() {
            let mut y = x.clone();
            regulariser.prox(&mut y, step);
            prop_assert!(y.iter().all(|&y| y >= 0.0));
            let zero = vec![0.0; x.len()];
            let double: Vec<f64> = y.iter().map(|y| 2.0 * y).collect();
            for z in [&zero, &double, &other[..x.len()].to_vec()] {
                let slope: f64 = x.iter().zip(&y).zip(z).map(|((x, y), z)| (x - y) / step * (z - y)).sum();
                let (at_y, at_z) = (regulariser.value(&y), regulariser.value(z));
                prop_assert!(at_z >= at_y + slope - 1e-9 * (1.0 + at_z.abs() + slope.abs()));
            }
            if let Some(slope) = regulariser.slope() {
                let total: f64 = other.iter().sum();
                prop_assert!((regulariser.value(&other) - slope * total).abs() <= 1e-12 * total);
            }
        }
    }

    /// prox_c(x) + step · prox_{c*/step}(x/step) = x can be checked without c* through firm non-expansiveness.
    #[test]
    fn prox_is_firmly_non_expansive(
        (n_views, x) in rows(2, 5), other in proptest::collection::vec(value(), 10), step in 0.01..10.0_f64,
    ) {
        for penalty in every(n_views) {
            let z = other[..x.len()].to_vec();
            let (mut px, mut pz) = (x.clone(), z.clone());
            penalty.prox(&mut px, n_views, step);
            penalty.prox(&mut pz, n_views, step);
            let moved: f64 = px.iter().zip(&pz).map(|(a, b)| (a - b).powi(2)).sum();
            let along: f64 = px.iter().zip(&pz).zip(x.iter().zip(&z)).map(|((a, b), (x, z))| (a - b) * (x - z)).sum();
            prop_assert!(moved <= along + 1e-9 * (1.0 + along.abs()), "{}", penalty.name());
        }
    }

    /// No feasible step from the joint minimiser goes downhill: random ones, single coordinates, all views together.
    #[test]
    fn the_joint_minimiser_is_minimal(
        (targets, tau, sigma) in edge(), directions in proptest::collection::vec(-1.0..1.0_f64, 8 * 20),
    ) {
        for penalty in every(targets.len()) {
            let Some(joint) = penalty.joint() else { continue };
            let (weights, consensus) = minimise(joint, &targets, tau, sigma);
            prop_assert!(consensus >= 0.0 && weights.iter().all(|&w| w >= 0.0));
            let term = (targets.as_slice(), tau, sigma);
            let least = edge_objective(penalty.as_ref(), term, &weights, consensus);
            let n = targets.len();
            let mut moves: Vec<Vec<f64>> = directions.chunks_exact(8).map(|d| d[..=n].to_vec()).collect();
            for k in 0..=n {
                for sign in [-1.0, 1.0] {
                    moves.push((0..=n).map(|j| if j == k { sign } else { 0.0 }).collect());
                }
            }
            moves.extend([vec![1.0; n + 1], vec![-1.0; n + 1]]);
            let size = 1.0 + targets.iter().map(|u| u * u).sum::<f64>() + tau * n as f64;
            for direction in &moves {
                for length in [1.0, 1e-2, 1e-4] {
                    let moved: Vec<f64> =
                        weights.iter().zip(direction).map(|(w, d)| (w + length * d).max(0.0)).collect();
                    let there = (consensus + length * direction[n]).max(0.0);
                    let value = edge_objective(penalty.as_ref(), term, &moved, there);
                    prop_assert!(
                        value >= least - 1e-13 * size,
                        "{}: {value} < {least} at u = {targets:?}, tau = {tau}, sigma = {sigma}", penalty.name()
                    );
                }
            }
            // The consensus is also the best one for the weights as they are.
            let ratio = sigma / tau;
            let alone = joint.consensus(&weights, ratio, &mut Vec::new());
            let value = edge_objective(penalty.as_ref(), term, &weights, alone);
            prop_assert!((value - least).abs() <= 1e-11 * size, "{}: {value} {least}", penalty.name());
        }
    }

    /// If no target is positive the edge is absent, for every penalty.
    #[test]
    fn an_edge_without_positive_targets_is_absent((targets, tau, sigma) in edge()) {
        let targets: Vec<f64> = targets.iter().map(|u| -u.abs()).collect();
        for penalty in every(targets.len()) {
            let Some(joint) = penalty.joint() else { continue };
            let (weights, consensus) = minimise(joint, &targets, tau, sigma);
            prop_assert!(consensus == 0.0 && weights.iter().all(|&w| w == 0.0), "{}", penalty.name());
        }
    }

    /// What is said to be absent is, and so is everything below it.
    #[test]
    fn absence_is_what_the_minimiser_says((targets, tau, sigma) in edge(), lower in proptest::collection::vec(0.0..1.0_f64, 7)) {
        for penalty in every(targets.len()) {
            let Some(joint) = penalty.joint() else { continue };
            let (weights, consensus) = minimise(joint, &targets, tau, sigma);
            let size = weights.iter().fold(consensus, |size, &w| size.max(w));
            if joint.is_absent(&targets, tau, sigma) {
                prop_assert!(size <= 1e-12, "{}: absent with a weight of {size}", penalty.name());
                let below: Vec<f64> = targets.iter().zip(&lower).map(|(u, l)| u - l).collect();
                prop_assert!(joint.is_absent(&below, tau, sigma), "{}", penalty.name());
            } else {
                let above: Vec<f64> = targets.iter().map(|u| u + 1e-9 * (1.0 + u.abs() + tau)).collect();
                let (weights, _) = minimise(joint, &above, tau, sigma);
                prop_assert!(weights.iter().any(|&w| w > 0.0), "{}: present without a weight", penalty.name());
            }
        }
    }

    /// The Jacobian is the derivative (away from kinks), symmetric, and between 0 and I.
    #[test]
    fn the_jacobian_is_the_derivative((targets, tau, sigma) in edge()) {
        for penalty in every(targets.len()) {
            let Some(joint) = penalty.joint() else { continue };
            let n = targets.len();
            // Equal targets are at several kinks at once where sets of views meet: none of their slopes is the one.
            let apart = |(i, u): (usize, &f64)| u + 1e-3 * (0.618_f64 * (i + 1) as f64).fract();
            let targets: Vec<f64> = if joint.has_sets() {
                targets.iter().enumerate().map(apart).collect()
            } else {
                targets.clone()
            };
            let (weights, consensus) = minimise(joint, &targets, tau, sigma);
            let exact = jacobian(joint, tau, sigma, &weights, consensus);
            for j in 0..n {
                let slopes = |relative: f64| {
                    let step = relative * (1.0 + targets[j].abs());
                    let shifted = |sign: f64| {
                        let mut moved = targets.clone();
                        moved[j] += sign * step;
                        minimise(joint, &moved, tau, sigma).0
                    };
                    let (up, down) = (shifted(1.0), shifted(-1.0));
                    let slopes = |i: usize| ((up[i] - weights[i]) / step, (weights[i] - down[i]) / step);
                    (0..n).map(slopes).collect::<Vec<(f64, f64)>>()
                };
                // A kink between the three points: any value between the two slopes will do.
                let agrees = |slopes: &[(f64, f64)]| slopes.iter().enumerate().all(|(i, (right, left))| {
                    (exact[i][j] - 0.5 * (right + left)).abs() <= 1e-5 + 0.51 * (right - left).abs()
                });
                // Kinks on both sides, each nearer than the step, hide the slope between them: a shorter step sees it.
                let tried = [1e-6, 1e-7, 1e-8].map(slopes);
                prop_assert!(
                    tried.iter().any(|slopes| agrees(slopes)),
                    "{}: column {j}: {:?} against {tried:?} at u = {targets:?}, tau = {tau}, sigma = {sigma}",
                    penalty.name(), exact.iter().map(|row| row[j]).collect::<Vec<f64>>()
                );
            }
            // 0 ⪯ J ⪯ I along the unit vectors and their differences; the diagonal-plus-squares form is never negative.
            for i in 0..n {
                prop_assert!(exact[i][i] <= 1.0 + 1e-12);
                for j in 0..i {
                    let along = exact[i][i] + exact[j][j] + 2.0 * exact[i][j];
                    prop_assert!(along <= 2.0 + 1e-9, "{}: {along}", penalty.name());
                }
            }
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    for penalty in penalties::registry() {
        assert_eq!(penalties::by_name(penalty.name()).unwrap().name(), penalty.name());
    }
    for regulariser in regularisers::registry() {
        assert_eq!(
            regularisers::by_name(regulariser.name()).unwrap().name(),
            regulariser.name()
        );
    }
    assert!(penalties::by_name("l3").is_none());
}

/// The edge's share of the dual, F(u) = min ½‖W‖² − uᵀW + τ c(W − w) + σ w, is concave with derivative −W. A minimiser that is not one
/// shows as a point above a tangent; that was the case for one in five million of these before Newton's steps across kinks were
/// bounded.
#[test]
fn the_minimum_lies_below_its_tangents() {
    let minimum = |penalty: &dyn Penalty, joint: &dyn JointEdge, targets: &[f64], tau: f64, sigma: f64| {
        let (weights, consensus) = minimise(joint, targets, tau, sigma);
        let squares: f64 = targets.iter().map(|u| 0.5 * u * u).sum();
        let value = edge_objective(penalty, (targets, tau, sigma), &weights, consensus) - squares;
        (value, weights)
    };
    let below = |penalty: &dyn Penalty, u: &[f64], v: &[f64], tau: f64, sigma: f64| {
        let Some(joint) = penalty.joint() else { return };
        let (at_u, _) = minimum(penalty, joint, u, tau, sigma);
        let (at_v, weights) = minimum(penalty, joint, v, tau, sigma);
        let tangent = at_v
            - weights
                .iter()
                .zip(u.iter().zip(v))
                .map(|(w, (u, v))| w * (u - v))
                .sum::<f64>();
        let size: f64 = 1.0 + u.iter().chain(v).map(|x| x * x).sum::<f64>();
        assert!(
            at_u <= tangent + 1e-10 * size,
            "{}: {u:?} {v:?} {tau} {sigma}: {at_u} {tangent}",
            penalty.name()
        );
    };
    let cycling: [[[f64; 6]; 2]; 2] = [
        [
            [
                -0.005088740743531633,
                -0.4221680190263052,
                -0.16815098839778217,
                -0.1556736850403791,
                0.35038257116448557,
                0.2564603696479833,
            ],
            [
                -0.005195108783870803,
                -0.4201548154387452,
                -0.1669752245503394,
                -0.1571346257329793,
                0.35237426719166637,
                0.2577479367096609,
            ],
        ],
        [
            [
                -0.11677893625201342,
                0.29199285461832314,
                -0.050494701819280896,
                -0.1553351417890454,
                -0.3803658191589047,
                0.22619060070420433,
            ],
            [
                -0.11666439929609476,
                0.29221856468057317,
                -0.0504059666586641,
                -0.15508100591103083,
                -0.38050045317508463,
                0.22615544064528534,
            ],
        ],
    ];
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    for penalty in every(6) {
        for [u, v] in &cycling {
            below(penalty.as_ref(), u, v, 0.286391, 0.0);
        }
        for _ in 0..200_000 {
            let n_views = if penalty.has_places() {
                6
            } else {
                rng.random_range(2..8)
            };
            let scale = 10.0_f64.powf(rng.random_range(-2.0..0.5));
            let centre = scale * rng.random_range(-1.5..1.0);
            let u: Vec<f64> = (0..n_views)
                .map(|_| centre + scale * rng.random_range(-1.0..1.0))
                .collect();
            let apart = 10.0_f64.powf(rng.random_range(-6.0..-1.0));
            let v: Vec<f64> = u.iter().map(|u| u + apart * rng.random_range(-1.0..1.0)).collect();
            let sigma = if rng.random_bool(0.5) {
                0.0
            } else {
                rng.random_range(0.0..0.5)
            };
            below(penalty.as_ref(), &u, &v, 0.286391, sigma);
        }
    }
}

/// What penalties say of themselves, whatever is registered.
mod capabilities {
    use std::sync::Arc;

    use congraph::methods::smooth::Needs;
    use congraph::penalties::{self, Penalty};
    use congraph::regularisers::L1Norm;
    use congraph::simulate::{Settings, simulate};
    use congraph::tune::Reach;
    use congraph::tune::path::Cell;
    use congraph::tune::stability::Stability;
    use congraph::{Admm, Learn, Model, Parameters, Smooth, Solver, ViewOptions, Views, no_progress};

    fn views() -> Views {
        let settings = Settings {
            n_nodes: 12,
            n_views: 3,
            ..Settings::default()
        };
        Views::assemble(simulate(&settings).unwrap().tables, &ViewOptions::default())
            .unwrap()
            .0
    }

    #[test]
    fn a_separable_penalty_is_the_sum_over_its_edges_and_a_symmetric_one_knows_no_order() {
        let rows = [0.3, -0.1, 0.2, 0.0, 0.5, -0.4, 1.0, 1.0, -2.0];
        for penalty in penalties::registry() {
            let whole = penalty.value(&rows, 3);
            if penalty.is_separable() {
                let sum: f64 = rows.chunks(3).map(|row| penalty.value(row, 3)).sum();
                assert!((whole - sum).abs() < 1e-14, "{}", penalty.name());
            }
            if penalty.is_symmetric() {
                let turned: Vec<f64> = rows.chunks(3).flat_map(|row| [row[2], row[0], row[1]]).collect();
                assert!((whole - penalty.value(&turned, 3)).abs() < 1e-14, "{}", penalty.name());
            }
            assert_eq!(penalty.couples(), whole > 0.0, "{}", penalty.name());
            assert!(!penalty.label().is_empty());
        }
    }

    /// Just above its limit γ leaves no consensus, just below some.
    #[test]
    fn the_limit_of_gamma_is_where_the_consensus_is_empty() {
        let views = views();
        for penalty in penalties::registry() {
            let limit = penalty.gamma_limit(views.n_views());
            if !penalty.couples() || limit.is_infinite() {
                continue;
            }
            let n_edges = |share: f64| {
                let beta = 0.05;
                let model = Model::new(0.05, beta, Arc::clone(&penalty));
                let model = model.regularised(share * limit * beta, Arc::new(L1Norm));
                let learned = Smooth::with_model(model).learn(&views, &no_progress).unwrap();
                let consensus = learned.graph.consensus().unwrap().to_vec();
                consensus.iter().filter(|&&weight| weight > 0.0).count()
            };
            assert_eq!(n_edges(1.0001), 0, "{}", penalty.name());
            assert!(n_edges(0.9) > 0, "{}", penalty.name());
        }
    }

    /// c(V) = ½ Σ (V_{i+1} − V_i)² + ½ Σ V_i²: a chain of views in the order in which they were given.
    #[derive(Debug)]
    struct Chain;

    impl Penalty for Chain {
        fn name(&self) -> &str {
            "chain"
        }

        fn value(&self, differences: &[f64], n_views: usize) -> f64 {
            let steps = |row: &[f64]| row.windows(2).map(|two| (two[1] - two[0]).powi(2)).sum::<f64>();
            let rows = differences.chunks_exact(n_views);
            rows.map(|row| 0.5 * steps(row) + 0.5 * row.iter().map(|v| v * v).sum::<f64>())
                .sum()
        }

        /// (I + step (I + L)) y = v with the Laplacian L of the chain, by Gauss–Seidel.
        fn prox(&self, differences: &mut [f64], n_views: usize, step: f64) {
            for row in differences.chunks_exact_mut(n_views) {
                let target = row.to_vec();
                for _ in 0..200 {
                    for i in 0..n_views {
                        let before = if i > 0 { row[i - 1] } else { 0.0 };
                        let after = if i + 1 < n_views { row[i + 1] } else { 0.0 };
                        let neighbours = f64::from(u8::from(i > 0)) + f64::from(u8::from(i + 1 < n_views));
                        row[i] = (target[i] + step * (before + after)) / (1.0 + step * (1.0 + neighbours));
                    }
                }
            }
        }

        fn is_symmetric(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_chain_follows_the_order_in_which_views_are_given() {
        let tables = simulate(&Settings {
            n_nodes: 10,
            n_views: 3,
            ..Settings::default()
        })
        .unwrap()
        .tables;
        let learn = |order: [usize; 3], names: [&str; 3]| {
            let tables = order.iter().zip(names).map(|(&view, name)| {
                let mut table = tables[view].clone();
                table.name = name.to_owned();
                table
            });
            let (views, _) = Views::assemble(tables.collect(), &ViewOptions::default()).unwrap();
            let method = Smooth {
                solver: Arc::new(Admm {
                    tolerance: 1e-9,
                    ..Admm::default()
                }),
                ..Smooth::with_model(Model::new(0.05, 2.0, Arc::new(Chain)))
            };
            method.learn(&views, &no_progress).unwrap()
        };
        // Names are no order: the same chain under names that sort the other way round.
        let given = learn([0, 1, 2], ["a", "b", "c"]);
        let renamed = learn([0, 1, 2], ["z", "y", "x"]);
        assert_eq!(given.graph.weights(), renamed.graph.weights());
        // Another chain is another problem.
        let other = learn([1, 0, 2], ["b", "a", "c"]);
        assert!((given.certificate.objective / other.certificate.objective - 1.0).abs() > 1e-9);
    }

    /// Halves of the data are fitted in the order of the whole: a chain of other views is another chain there, too.
    #[test]
    fn halves_keep_the_order_of_a_chain() {
        let tables = simulate(&Settings {
            n_nodes: 8,
            n_views: 3,
            n_signals: vec![60],
            ..Settings::default()
        })
        .unwrap()
        .tables;
        let cell = |beta: f64| Cell {
            density: Reach {
                target: 0.3,
                value: 0.3,
            },
            similarity: Reach {
                target: 0.8,
                value: 0.8,
            },
            floor: 0.5,
            separate_alpha: 0.05,
            parameters: Parameters {
                alpha: 0.05,
                beta,
                gamma: 0.0,
            },
            consensus_density: 0.3,
            n_components: 1,
            solves: 1,
            time: std::time::Duration::ZERO,
        };
        let halved = |order: [usize; 3], penalty: Arc<dyn Penalty>, beta: f64| {
            let tables = order.map(|view| tables[view].clone()).to_vec();
            let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
            let method = Smooth {
                solver: Arc::new(Admm::default()),
                ..Smooth::with_model(Model::new(0.05, beta, penalty))
            };
            let tallies = Stability::default().halving(&method, &views, &[cell(beta)], 0, &no_progress);
            tallies.unwrap()[0].prediction
        };
        let apart = |penalty: Arc<dyn Penalty>, beta: f64| {
            halved([0, 1, 2], Arc::clone(&penalty), beta) - halved([1, 0, 2], penalty, beta)
        };
        assert_eq!(apart(Arc::new(penalties::L1), 0.02), 0.0);
        assert!(apart(Arc::new(Chain), 1.0).abs() > 1e-9);
    }

    #[test]
    fn what_a_solver_needs_is_checked_once_before_any_work() {
        let views = views();
        let method = Smooth::with_model(Model::new(0.05, 0.1, Arc::new(Chain)));
        assert_eq!(method.solver.needs(), Needs::EdgeMinimiser);
        let Err(error) = method.session(&views, &no_progress) else {
            panic!("prepared");
        };
        let said = error.to_string();
        assert!(
            said.contains("`newton`") && said.contains("`chain`") && said.contains("`admm`"),
            "{said}"
        );
        assert_eq!(Admm::default().needs(), Needs::ProximalMaps);
    }
}

/// The certificate is computed anew from data, model and solution, and is the one that the solver's result carries.
mod certificates {
    use std::sync::Arc;

    use congraph::methods::graphical_lasso::{Fusion, GraphicalLasso};
    use congraph::simulate::{Settings, simulate};
    use congraph::{Admm, Certificate, Fit, Learn, Method, Smooth, ViewOptions, Views, no_progress};

    fn views(n_nodes: usize) -> Views {
        let settings = Settings {
            n_nodes,
            n_views: 3,
            ..Settings::default()
        };
        Views::assemble(simulate(&settings).unwrap().tables, &ViewOptions::default())
            .unwrap()
            .0
    }

    fn anew<M: Method>(method: &M, n_nodes: usize) -> (Certificate, Certificate, Fit<M>) {
        let views = views(n_nodes);
        let session = method.session(&views, &no_progress).unwrap();
        let fit = session.fit(method.model(), None, &no_progress).unwrap();
        let carried = congraph::Certified::certificate(&fit.solution);
        (carried, session.certify(&fit).unwrap(), fit)
    }

    fn close(one: Certificate, two: Certificate) {
        assert!((one.objective / two.objective - 1.0).abs() < 1e-12, "{one:?} {two:?}");
        assert!(
            (one.dual_objective / two.dual_objective - 1.0).abs() < 1e-12,
            "{one:?} {two:?}"
        );
    }

    #[test]
    fn every_method_is_certified_anew() {
        // Listed pairs, a working set, the other solver, and the other method.
        for (method, n_nodes) in [
            (Smooth::new(0.05, 0.02), 30),
            (Smooth::new(0.02, 0.01), 300),
            (
                Smooth {
                    solver: Arc::new(Admm::default()),
                    ..Smooth::new(0.05, 0.02)
                },
                30,
            ),
        ] {
            let (carried, anew, _) = anew(&method, n_nodes);
            close(carried, anew);
        }
        let (carried, anew, _) = anew(&GraphicalLasso::new(Fusion::Fused, 0.1, 0.02), 20);
        close(carried, anew);
    }

    #[test]
    fn a_result_that_is_not_optimal_is_found_out() {
        let views = views(30);
        let method = Smooth::new(0.05, 0.02);
        let session = method.session(&views, &no_progress).unwrap();
        let mut fit = session.fit(&method.model, None, &no_progress).unwrap();
        let other = session
            .fit(&congraph::Model::l1(0.2, 0.02), None, &no_progress)
            .unwrap();
        fit.solution.weights = other.solution.weights;
        assert!(session.certify(&fit).unwrap().relative_gap > 1e-3);
    }
}
