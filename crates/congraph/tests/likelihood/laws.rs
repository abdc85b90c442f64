//! Laws: what every certificate and every solution must obey.

use super::problems::{Parts, ViewPart, Wanted, coupled_by, describe, normal, numbered, random};
use super::second;
use crate::support::rng;
use congraph::methods::likelihood::{Coupling, DualView, Filter, Newton, Point, Signs, Solved, Tie, certify};
use congraph::{Status, ViewMatrix, no_progress};
use faer::Mat;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn solve_to(parts: &Parts, tolerance: f64) -> Solved {
    let newton = Newton {
        tolerance,
        ..Newton::default()
    };
    newton.solve(&parts.problem(), None, &no_progress)
}

/// Solved as far as rounding allows: a gap of g leaves weights uncertain by about √g, so that steps go on beyond it.
fn exactly(parts: &Parts) -> Solved {
    let solved = solve_to(parts, 1e-12);
    let further = Newton {
        tolerance: 0.0,
        max_iterations: 4,
    };
    let last = further.solve(&parts.problem(), Some(solved.point), &no_progress);
    assert!(
        last.certificate.relative_gap <= 1e-9,
        "{:?}; {}",
        last.certificate,
        describe(parts)
    );
    last
}

/// A feasible point of no merit.
fn random_point(parts: &Parts, rng: &mut ChaCha8Rng) -> Point {
    let weight = |rng: &mut ChaCha8Rng| {
        let size = if rng.random_bool(0.5) {
            rng.random_range(0.0..1.0)
        } else {
            0.0
        };
        if parts.signs == Signs::Both && rng.random_bool(0.5) {
            -size
        } else {
            size
        }
    };
    let n_views = parts.views.len();
    let mut weights = ViewMatrix::zeros(parts.edges.len(), n_views);
    let mut diagonals: Vec<Vec<f64>> = parts
        .views
        .iter()
        .map(|view| vec![rng.random_range(0.01..1.0); view.nodes.len()])
        .collect();
    for (e, &pair) in parts.edges.iter().enumerate() {
        for (i, view) in parts.views.iter().enumerate() {
            let is_fixed = parts.fixed.as_ref().is_some_and(|fixed| fixed[e * n_views + i]);
            let Some((a, b)) = second::ends(view, pair).filter(|_| !is_fixed) else {
                continue;
            };
            let w = weight(rng);
            weights.row_mut(e)[i] = w;
            diagonals[i][a] += w.abs();
            diagonals[i][b] += w.abs();
        }
    }
    let consensus = match &parts.tie {
        Tie::Frozen(known) => known.clone(),
        Tie::None => vec![0.0; parts.edges.len()],
        Tie::Consensus => {
            let may_be = |e: usize| parts.gamma[e].is_finite();
            (0..parts.edges.len())
                .map(|e| if may_be(e) { weight(rng) } else { 0.0 })
                .collect()
        }
    };
    Point {
        weights,
        diagonals,
        consensus,
    }
}

fn random_dual(parts: &Parts, rng: &mut ChaCha8Rng) -> Vec<DualView> {
    let of_view = |view: &ViewPart| {
        let n = view.nodes.len();
        let root = Mat::from_fn(n, n, |a, b| if a == b { 2.0 } else { 0.4 * normal(rng) });
        let inverse = &root * root.transpose();
        let sizes: Vec<f64> = (0..n * n).map(|_| rng.random_range(0.0..0.3)).collect();
        let entry = |a: usize, b: usize| if a == b { 2.0 } else { -sizes[a.min(b) * n + a.max(b)] };
        DualView {
            inverse,
            matrix: Mat::from_fn(n, n, entry),
        }
    };
    parts.views.iter().map(of_view).collect()
}

/// Another dual point near one: entries move by a share of the diagonal.
fn near(dual: &[DualView], share: f64, rng: &mut ChaCha8Rng) -> Vec<DualView> {
    let moved = |matrix: &Mat<f64>, rng: &mut ChaCha8Rng| {
        let n = matrix.nrows();
        let mut other = matrix.clone();
        for a in 0..n {
            for b in 0..=a {
                let size = (matrix[(a, a)] * matrix[(b, b)]).abs().sqrt();
                let entry = matrix[(a, b)] + share * size * rng.random_range(-1.0..1.0);
                other[(a, b)] = entry;
                other[(b, a)] = entry;
            }
        }
        other
    };
    let of_view = |view: &DualView| DualView {
        inverse: moved(&view.inverse, rng),
        matrix: moved(&view.matrix, rng),
    };
    dual.iter().map(of_view).collect()
}

/// No bound of any dual point exceeds the objective of any feasible point.
#[test]
fn a_bound_never_exceeds_an_objective() {
    assert_bounds(Coupling::L1, 41);
}

#[test]
fn nor_does_a_bound_of_another_coupling() {
    assert_bounds(Coupling::L2, 141);
    assert_bounds(Coupling::SquaredL2, 142);
}

fn assert_bounds(coupling: Coupling, seed: u64) {
    let mut rng = rng(seed);
    let (mut n_bounds, mut nearest) = (0, f64::INFINITY);
    for number in 0..90 {
        let parts = coupled_by(coupling, numbered(number, 12, &mut rng));
        let problem = parts.problem();
        let solved = exactly(&parts);
        let least = solved.certificate.objective;
        let size = 1.0 + least.abs();
        let dual = solved.dual.expect("a dual point");
        let mut duals = vec![dual.clone()];
        for share in [1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.1] {
            duals.extend((0..4).map(|_| near(&dual, share, &mut rng)));
        }
        duals.extend((0..4).map(|_| random_dual(&parts, &mut rng)));
        for dual in &duals {
            let found = certify(&problem, &solved.point, Some(dual));
            let bound = found.dual_objective;
            assert!(
                bound <= least + 1e-11 * size,
                "{number}: {bound} exceeds {least}; {}",
                describe(&parts)
            );
            n_bounds += usize::from(bound.is_finite());
            nearest = nearest.min((least - bound).abs() / size);
        }
        for _ in 0..10 {
            let point = random_point(&parts, &mut rng);
            let found = certify(&problem, &point, Some(&dual));
            let own = certify(&problem, &point, None);
            assert!(
                found.objective >= least - 1e-11 * size,
                "{number}: {found:?} is better than {least}"
            );
            assert!(
                own.dual_objective <= least + 1e-11 * size,
                "{number}: {own:?} for {least}"
            );
            assert!(
                (found.objective - second::objective(&parts, &point)).abs() <= 1e-10 * (1.0 + found.objective.abs())
            );
        }
    }
    assert!(n_bounds > 1200, "{n_bounds} bounds");
    assert!(nearest < 1e-11);
}

/// The certificate of the fit is what anybody computes from its dual point; a worse point is found out.
#[test]
fn certificates_are_computed_anew_and_find_worse_points() {
    let mut rng = rng(42);
    for number in 0..60 {
        let parts = numbered(number, 14, &mut rng);
        let problem = parts.problem();
        let solved = solve_to(&parts, 1e-9);
        let (told, dual) = (solved.certificate, solved.dual.as_deref().expect("a dual point"));
        let again = certify(&problem, &solved.point, Some(dual));
        let size = 1.0 + told.objective.abs();
        assert!(
            (again.objective - told.objective).abs() <= 1e-12 * size,
            "{number}: {again:?} {told:?}"
        );
        assert!(
            (again.dual_objective - told.dual_objective).abs() <= 1e-12 * size,
            "{number}: {again:?} {told:?}"
        );
        assert!(
            (again.relative_gap - told.relative_gap).abs() <= 1e-12,
            "{number}: {again:?} {told:?}"
        );
        let mut worse = solved.point.clone();
        worse.diagonals[0][0] *= 1.05;
        assert!(certify(&problem, &worse, Some(dual)).relative_gap > 1e-6, "{number}");
        let mut worse = solved.point.clone();
        let Some(weight) = worse.weights.values_mut().iter_mut().find(|w| w.abs() > 1e-2) else {
            continue;
        };
        *weight *= 0.8;
        assert!(
            certify(&problem, &worse, Some(dual)).relative_gap > 1e-7,
            "{number}: {}",
            describe(&parts)
        );
    }
}

/// What a point and its dual point must not be is said, not computed with.
#[test]
fn points_outside_have_no_objective_and_bad_duals_no_bound() {
    let parts = numbered(0, 8, &mut rng(43));
    let problem = parts.problem();
    let solved = exactly(&parts);
    let mut negative = solved.point.clone();
    negative.weights.values_mut()[0] = -0.1;
    assert_eq!(certify(&problem, &negative, None).relative_gap, f64::INFINITY);
    let mut indefinite = solved.point.clone();
    indefinite.diagonals[0][0] = -1.0;
    let found = certify(&problem, &indefinite, None);
    assert!(
        found.objective == f64::INFINITY && found.relative_gap == f64::INFINITY,
        "{found:?}"
    );
    let mut dual = solved.dual.expect("a dual point");
    dual[0].inverse[(0, 0)] = -1.0;
    assert_eq!(
        certify(&problem, &solved.point, Some(&dual)).dual_objective,
        f64::NEG_INFINITY
    );
}

/// The pulls g = 2v(Γ − Y) of an edge's views that have it and may move, with their weights; by hand.
fn pulls(parts: &Parts, point: &Point) -> (Vec<Vec<(f64, f64)>>, f64) {
    let (mut all, mut diagonal) = (vec![Vec::new(); parts.edges.len()], 0.0_f64);
    for (i, view) in parts.views.iter().enumerate() {
        let n = view.nodes.len();
        let matrix = second::matrix(parts, i, point);
        let y = second::inverse(n, &matrix);
        let gamma = match parts.filter {
            Filter::Once => view.covariance.clone(),
            Filter::Twice => second::symmetric_product(n, &matrix, &view.covariance),
        };
        let off = |a: usize| (gamma[a * n + a] - y[a * n + a]).abs() / gamma[a * n + a];
        diagonal = (0..n).map(off).fold(diagonal, f64::max);
        for (e, &pair) in parts.edges.iter().enumerate() {
            let is_fixed = parts
                .fixed
                .as_ref()
                .is_some_and(|fixed| fixed[e * parts.views.len() + i]);
            if let Some((a, b)) = second::ends(view, pair).filter(|_| !is_fixed) {
                let pull = 2.0 * view.weight * (gamma[a * n + b] - y[a * n + b]);
                all[e].push((pull, point.weights.row(e)[i]));
            }
        }
    }
    (all, diagonal)
}

/// The optimality conditions: Γ and Y agree on the diagonal; per edge there are s within ±β (β where a weight is above the
/// consensus, −β where it is below), each pull is s + λ where the weight is positive and at most that where it is zero, and
/// Σ s is γ where the consensus is positive and at most that where it is zero.
#[test]
fn solutions_fulfil_the_optimality_conditions() {
    let mut rng = rng(44);
    let mut n_fused = 0;
    for number in 0..40 {
        let wanted = Wanted {
            n: rng.random_range(4..=9),
            n_views: rng.random_range(2..=4),
            filter: if number % 2 == 0 { Filter::Once } else { Filter::Twice },
            signs: Signs::Attractive,
            samples: (0.3, 1.0),
        };
        let mut parts = random(wanted, &mut rng);
        parts.tie = Tie::Consensus;
        parts.fixed = None;
        let solved = exactly(&parts);
        let (all, diagonal) = pulls(&parts, &solved.point);
        assert!(diagonal <= 1e-5, "{number}: diagonals differ by {diagonal:e}");
        for (e, views) in all.iter().enumerate() {
            let (beta, c, lambda) = (parts.beta[e], solved.point.consensus[e], parts.lambda[e]);
            let room = 1e-5 * (1.0 + beta + views.iter().fold(0.0_f64, |most, (pull, _)| most.max(pull.abs())));
            let mut sum = 0.0;
            for &(pull, w) in views {
                let g = pull - lambda;
                let case = || {
                    format!(
                        "{number}, edge {e}: g {g}, w {w}, c {c}, beta {beta}; {}",
                        describe(&parts)
                    )
                };
                if w > c {
                    assert!((g - beta).abs() <= room, "{}", case());
                } else if w == c && c > 0.0 {
                    assert!(g.abs() <= beta + room, "{}", case());
                    n_fused += 1;
                } else if w > 0.0 {
                    assert!((g + beta).abs() <= room, "{}", case());
                } else {
                    assert!(g <= if c > 0.0 { -beta } else { beta } + room, "{}", case());
                }
                sum += g.clamp(-beta, beta);
            }
            let slack = room * views.len() as f64;
            assert!(sum <= parts.gamma[e] + slack, "{number}, edge {e}: the sum is {sum}");
            assert!(
                c == 0.0 || (sum - parts.gamma[e]).abs() <= slack,
                "{number}, edge {e}: {sum} {}",
                parts.gamma[e]
            );
        }
    }
    assert!(n_fused > 100, "{n_fused} weights share the consensus");
}

fn coupled(number: usize, n: usize, n_views: usize, rng: &mut ChaCha8Rng) -> Parts {
    let (filter, signs) = match number % 3 {
        0 => (Filter::Once, Signs::Attractive),
        1 => (Filter::Twice, Signs::Attractive),
        _ => (Filter::Once, Signs::Both),
    };
    let mut parts = random(
        Wanted {
            n,
            n_views,
            filter,
            signs,
            samples: (0.5, 1.0),
        },
        rng,
    );
    parts.tie = Tie::Consensus;
    parts.fixed = None;
    parts.gamma.fill(0.0);
    parts
}

fn only(parts: &Parts, view: usize, tie: Tie) -> Parts {
    Parts {
        views: vec![parts.views[view].clone()],
        tie,
        ..parts.clone()
    }
}

fn largest_difference<'a>(one: impl Iterator<Item = &'a f64>, two: impl Iterator<Item = &'a f64>) -> f64 {
    one.zip(two).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// A view of a coupled fit, projected on the fit's consensus, is the same view.
#[test]
fn a_frozen_consensus_gives_a_view_back() {
    let mut rng = rng(45);
    for number in 0..12 {
        let parts = coupled(number, 8, 3, &mut rng);
        let solved = exactly(&parts);
        for view in 0..3 {
            let alone = exactly(&only(&parts, view, Tie::Frozen(solved.point.consensus.clone())));
            let column: Vec<f64> = solved.point.weights.column(view).collect();
            let apart = largest_difference(column.iter(), alone.point.weights.values().iter());
            assert!(
                apart <= 1e-6,
                "{number}: view {view} differs by {apart:e}; {}",
                describe(&parts)
            );
        }
    }
}

/// β → ∞ makes views equal; β = 0 leaves them alone; γ ≥ Nβ empties the consensus.
#[test]
fn limits_of_the_charges() {
    let mut rng = rng(46);
    for number in 0..12 {
        let parts = coupled(number, 8, 3, &mut rng);
        let n_edges = parts.edges.len();
        let strong = Parts {
            beta: vec![1e3; n_edges],
            ..parts.clone()
        };
        let solved = exactly(&strong);
        for (e, row) in solved.point.weights.rows().enumerate() {
            for (&w, view) in row.iter().zip(&strong.views) {
                let is_shared = second::ends(view, strong.edges[e]).is_none() || w == solved.point.consensus[e];
                assert!(is_shared, "{number}: {row:?} beside {}", solved.point.consensus[e]);
            }
        }
        let free = exactly(&Parts {
            beta: vec![0.0; n_edges],
            ..parts.clone()
        });
        for view in 0..3 {
            let alone = exactly(&only(&parts, view, Tie::None));
            let column: Vec<f64> = free.point.weights.column(view).collect();
            let apart = largest_difference(column.iter(), alone.point.weights.values().iter());
            assert!(apart <= 1e-6, "{number}: view {view} differs by {apart:e}");
        }
        let gamma = parts.beta.iter().map(|beta| 3.001 * beta).collect();
        let empty = exactly(&Parts { gamma, ..parts.clone() });
        assert!(empty.point.consensus.iter().all(|&c| c == 0.0));
        // What is left is λ + β on every view alone.
        let charged = parts
            .lambda
            .iter()
            .zip(&parts.beta)
            .map(|(lambda, beta)| lambda + beta)
            .collect();
        let alone = exactly(&Parts {
            lambda: charged,
            tie: Tie::None,
            ..parts.clone()
        });
        let apart = largest_difference(empty.point.weights.values().iter(), alone.point.weights.values().iter());
        assert!(apart <= 1e-6, "{number}: {apart:e}");
    }
}

/// A start near the solution, or far from it, leads to the same solution.
#[test]
fn any_start_leads_to_the_same_solution() {
    let mut rng = rng(47);
    for number in 0..30 {
        let parts = numbered(number, 12, &mut rng);
        let problem = parts.problem();
        let newton = Newton {
            tolerance: 1e-11,
            ..Newton::default()
        };
        let cold = exactly(&parts);
        for far in [false, true] {
            let start = if far {
                random_point(&parts, &mut rng)
            } else {
                cold.point.clone()
            };
            let warm = newton.solve(&problem, Some(start), &no_progress);
            let case = || {
                format!(
                    "{number}, far {far}: {:?} {:?}; {}",
                    warm.status,
                    warm.certificate,
                    describe(&parts)
                )
            };
            assert_eq!(warm.status, Status::Converged, "{}", case());
            let size = 1.0 + cold.certificate.objective.abs();
            assert!(
                (warm.certificate.objective - cold.certificate.objective).abs() <= 1e-9 * size,
                "{}",
                case()
            );
        }
    }
}

/// Turning a node's signs in all views turns its edges' signs, to the bit: no step of the solver prefers a sign.
#[test]
fn signed_problems_know_no_gauge() {
    let mut rng = rng(48);
    for number in 0..20 {
        let parts = numbered(3 * number + 2, 20, &mut rng);
        let flips: Vec<f64> = (0..parts.n)
            .map(|_| if rng.random_bool(0.5) { -1.0 } else { 1.0 })
            .collect();
        let sign = |[a, b]: [u32; 2]| flips[a as usize] * flips[b as usize];
        let mut turned = parts.clone();
        for view in &mut turned.views {
            let n = view.nodes.len();
            for k in 0..n * n {
                view.covariance[k] *= flips[view.nodes[k / n]] * flips[view.nodes[k % n]];
            }
        }
        if let Tie::Frozen(known) = &mut turned.tie {
            known
                .iter_mut()
                .zip(&parts.edges)
                .for_each(|(c, &pair)| *c *= sign(pair));
        }
        let (one, two) = (solve_to(&parts, 1e-9), solve_to(&turned, 1e-9));
        for (e, (x, y)) in one.point.weights.rows().zip(two.point.weights.rows()).enumerate() {
            let sign = sign(parts.edges[e]);
            assert!(
                x.iter().zip(y).all(|(x, y)| *x == sign * y),
                "{number}: {x:?} {y:?}; {}",
                describe(&parts)
            );
            assert!(one.point.consensus[e] == sign * two.point.consensus[e], "{number}");
        }
        assert_eq!(one.certificate, two.certificate);
    }
}

/// β → ∞ makes views equal (to the bit, or with squares nearly), with the objective of one common graph; β = 0 leaves them
/// alone; γ empties the consensus of ℓ2 from β√N on.
#[test]
fn limits_of_the_charges_of_other_couplings() {
    let mut rng = rng(146);
    for number in 0..12 {
        for coupling in [Coupling::L2, Coupling::SquaredL2] {
            let parts = Parts {
                coupling,
                ..coupled(number, 8, 3, &mut rng)
            };
            let n_edges = parts.edges.len();
            let with_beta = |beta: f64, coupling: Coupling| {
                solve_to(
                    &Parts {
                        beta: vec![beta; n_edges],
                        coupling,
                        ..parts.clone()
                    },
                    1e-10,
                )
            };
            let (strong, common) = (with_beta(1e5, coupling), with_beta(1e5, Coupling::L1));
            let apart = |solved: &Solved| {
                let rows = solved.point.weights.rows().zip(&solved.point.consensus).enumerate();
                let of_row = |(e, (row, c)): (usize, (&[f64], &f64))| {
                    let views = row.iter().zip(&parts.views);
                    let having = views.filter(|(_, view)| second::ends(view, parts.edges[e]).is_some());
                    having.map(|(w, _)| (w - c).abs()).fold(0.0, f64::max)
                };
                rows.map(of_row).fold(0.0, f64::max)
            };
            let most = if coupling == Coupling::L2 { 0.0 } else { 1e-3 };
            assert!(apart(&strong) <= most, "{number}: {:e} apart", apart(&strong));
            let size = 1.0 + common.certificate.objective.abs();
            assert!(
                (strong.certificate.objective - common.certificate.objective).abs() <= 1e-4 * size,
                "{number}: {:?} {:?}",
                strong.certificate,
                common.certificate
            );
            let (free, alone) = (with_beta(0.0, coupling), with_beta(0.0, Coupling::L1));
            let differ = largest_difference(free.point.weights.values().iter(), alone.point.weights.values().iter());
            assert!(differ == 0.0, "{number}: {differ:e}");
            if coupling == Coupling::L2 {
                let gamma = parts.beta.iter().map(|beta| 3.0_f64.sqrt() * 1.001 * beta).collect();
                let empty = exactly(&Parts { gamma, ..parts.clone() });
                assert!(empty.point.consensus.iter().all(|&c| c == 0.0), "{number}");
            }
        }
    }
}

/// With squares a view that is projected on the consensus of its fit is the same view: each is tied to it on its own.
#[test]
fn a_frozen_consensus_gives_a_view_of_squares_back() {
    let mut rng = rng(145);
    for number in 0..12 {
        let parts = Parts {
            coupling: Coupling::SquaredL2,
            ..coupled(number, 8, 3, &mut rng)
        };
        let solved = exactly(&parts);
        for view in 0..3 {
            let alone = exactly(&only(&parts, view, Tie::Frozen(solved.point.consensus.clone())));
            let column: Vec<f64> = solved.point.weights.column(view).collect();
            let apart = largest_difference(column.iter(), alone.point.weights.values().iter());
            assert!(apart <= 1e-6, "{number}: view {view} differs by {apart:e}");
        }
    }
}
