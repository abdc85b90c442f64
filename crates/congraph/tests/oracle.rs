//! Both solvers against Clarabel, an interior-point solver that shares no code with this crate: a QP for ℓ1, squared ℓ2 and
//! no penalty, a second-order cone program for ℓ2.

use crate::support::{
    KINDS, PENALTIES, admm, assert_sound, best_consensus, dense, largest_difference, log_uniform, newton, objective,
    problem, random_distances, rng,
};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use congraph::{Parameters, Problem, Solution, ViewMatrix};
use rand::RngExt;

/// A matrix as triplets, row by row.
#[derive(Default)]
struct Triplets {
    n_rows: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    right: Vec<f64>,
}

impl Triplets {
    fn push_row(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, right: f64) {
        for (column, value) in entries {
            self.rows.push(self.n_rows);
            self.columns.push(column);
            self.values.push(value);
        }
        self.right.push(right);
        self.n_rows += 1;
    }

    fn matrix(self, n_columns: usize) -> (CscMatrix, Vec<f64>) {
        let matrix = CscMatrix::new_from_triplets(self.n_rows, n_columns, self.rows, self.columns, self.values);
        (matrix, self.right)
    }
}

/// Clarabel's answer.
pub(crate) struct Oracle {
    views: ViewMatrix,
    /// A lower bound of the optimum, as far as Clarabel's dual point is feasible.
    dual: f64,
    /// The relative and absolute gap that was asked for.
    pub(crate) tolerance: f64,
    pub(crate) reached: bool,
}

/// Variables: W (edge by edge), the degrees δ (node by node), the consensus w, and what the penalty needs: t ≥ |W − w| for
/// ℓ1, t ≥ ‖W − w‖ for ℓ2, v = W − w for squared ℓ2. With δ as variables the quadratic term is diagonal.
pub(crate) fn oracle(problem: &Problem) -> Oracle {
    let Parameters { alpha, beta, gamma } = problem.parameters();
    let (n, n_views, n_edges) = (problem.n_nodes(), problem.n_views(), problem.n_edges());
    let edges = problem.distances().edges();
    let penalty = if beta > 0.0 { problem.penalty().name() } else { "none" };
    let weight = |edge: usize, i: usize| edge * n_views + i;
    let degree = |node: usize, i: usize| n_edges * n_views + node * n_views + i;
    let shared = |edge: usize| (n_edges + n) * n_views + edge;
    let first_extra = (n_edges + n) * n_views + n_edges;
    let n_extra = match penalty {
        "l1" | "squared-l2" => n_edges * n_views,
        "l2" => n_edges,
        _ => 0,
    };
    let n_variables = first_extra + n_extra;

    let mut quadratic = vec![0.0; n_variables];
    let mut linear = vec![0.0; n_variables];
    for edge in 0..n_edges {
        for i in 0..n_views {
            quadratic[weight(edge, i)] = 4.0 * alpha;
            linear[weight(edge, i)] = problem.distances().values().row(edge)[i];
        }
        // Without a penalty nothing else holds the consensus: charge it, so that it is 0.
        linear[shared(edge)] = if penalty == "none" { 1.0 } else { gamma };
    }
    quadratic[degree(0, 0)..shared(0)].fill(2.0 * alpha);
    match penalty {
        "squared-l2" => quadratic[first_extra..].fill(2.0 * beta),
        _ => linear[first_extra..].fill(beta),
    }

    // A x + s = b with s in the cones.
    let mut rows = Triplets::default();
    for i in 0..n_views {
        rows.push_row((0..n_edges).map(|edge| (weight(edge, i), 1.0)), n as f64);
        for node in 0..n {
            let ends = |edge: &usize| edges.ends(*edge).0 == node || edges.ends(*edge).1 == node;
            let incident = (0..n_edges).filter(ends).map(|edge| (weight(edge, i), 1.0));
            rows.push_row(incident.chain([(degree(node, i), -1.0)]), 0.0);
        }
    }
    if penalty == "squared-l2" {
        for edge in 0..n_edges {
            for i in 0..n_views {
                let difference = [
                    (weight(edge, i), 1.0),
                    (shared(edge), -1.0),
                    (first_extra + weight(edge, i), -1.0),
                ];
                rows.push_row(difference, 0.0);
            }
        }
    }
    let mut cones: Vec<SupportedConeT<f64>> = vec![ZeroConeT(rows.n_rows)];
    let before = rows.n_rows;
    for edge in 0..n_edges {
        for i in 0..n_views {
            rows.push_row([(weight(edge, i), -1.0)], 0.0);
            if penalty == "l1" {
                for sign in [-1.0, 1.0] {
                    let side = [
                        (weight(edge, i), sign),
                        (shared(edge), -sign),
                        (first_extra + weight(edge, i), -1.0),
                    ];
                    rows.push_row(side, 0.0);
                }
            }
        }
        rows.push_row([(shared(edge), -1.0)], 0.0);
    }
    cones.push(NonnegativeConeT(rows.n_rows - before));
    if penalty == "l2" {
        for edge in 0..n_edges {
            rows.push_row([(first_extra + edge, -1.0)], 0.0);
            for i in 0..n_views {
                rows.push_row([(weight(edge, i), -1.0), (shared(edge), 1.0)], 0.0);
            }
            cones.push(SecondOrderConeT(n_views + 1));
        }
    }

    let diagonal: Vec<usize> = (0..n_variables).collect();
    let hessian = CscMatrix::new_from_triplets(n_variables, n_variables, diagonal.clone(), diagonal, quadratic);
    let (matrix, right) = rows.matrix(n_variables);
    let solve = |tolerance: f64| {
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tolerance,
            tol_gap_rel: tolerance,
            tol_feas: 10.0 * tolerance,
            max_iter: 100,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&hessian, &linear, &matrix, &right, &cones, settings)
            .expect("a well-formed cone program");
        solver.solve();
        solver
    };
    // Second-order cones often allow no more than ten digits.
    let solved = |solver: &DefaultSolver<f64>| solver.solution.status == SolverStatus::Solved;
    let (mut tolerance, mut solver) = (1e-12, solve(1e-12));
    if !solved(&solver) {
        (tolerance, solver) = (1e-10, solve(1e-10));
    }

    // Interior points are a little off the constraints: clip and scale, so that the objective is that of a feasible point.
    let values = solver.solution.x[..n_edges * n_views]
        .iter()
        .map(|w| w.max(0.0))
        .collect();
    let mut views = ViewMatrix::from_values(n_views, values);
    let totals = views.column_sums();
    for row in views.rows_mut() {
        for (value, total) in row.iter_mut().zip(&totals) {
            *value *= n as f64 / total;
        }
    }
    Oracle {
        views,
        dual: solver.solution.obj_val_dual,
        tolerance,
        reached: solved(&solver),
    }
}

/// The worst deviations seen, for the message at the end.
#[derive(Debug, Default)]
pub(crate) struct Worst {
    cases: usize,
    oracle_failures: usize,
    strict: usize,
    objective: f64,
    weights: f64,
    /// The deviation of the weights over what strong convexity allows, where that is more than 1e-5.
    weights_over_bound: f64,
    consensus: f64,
    not_unique: usize,
    gap: f64,
    iterations: usize,
}

/// Compares a result with the oracle's.
///
/// The objective is strongly convex in the view weights, F(W) ≥ F* + 2α‖W − W*‖², so a gap of g means an error of at most
/// √(g/2α) in a result *and in the oracle*. `strict` is for α ≥ 1e-3, β ≤ 10 (a larger β makes the objective, and with it the
/// oracle's gap, larger), an oracle that reached its tightest tolerance and a result that was asked for more digits than that bound needs (Newton, whose last step usually
/// leaves a gap of 1e-15): there the weights must agree to 1e-5. Elsewhere the bound itself says how far apart two correct
/// answers may be, and they must be within it (or within 1e-5).
pub(crate) fn compare(
    problem: &Problem,
    solution: &Solution,
    oracle: &Oracle,
    strict: bool,
    worst: &mut Worst,
    case: &str,
) {
    let Parameters { alpha, beta, gamma } = problem.parameters();
    let name = if beta > 0.0 { problem.penalty().name() } else { "none" };
    let ratio = if beta > 0.0 { gamma / beta } else { 0.0 };
    let middle = |row: &[f64]| {
        if name == "none" {
            return 0.0;
        }
        let (low, high) = best_consensus(name, row, ratio);
        0.5 * (low + high)
    };
    let their_consensus: Vec<f64> = oracle.views.rows().map(middle).collect();
    let theirs = objective(problem, &oracle.views, &their_consensus);
    let (views, consensus) = dense(problem, &solution.weights);

    let ours = solution.certificate.objective;
    let off = (ours - theirs).abs() / theirs.abs();
    assert!(
        off <= 1e-7,
        "{case}: objective {ours}, the oracle's {theirs} ({off:.1e})"
    );
    // Ours may be better than the oracle's, but not better than possible; the oracle's own tolerances are partly absolute.
    let tolerance = 10.0 * oracle.tolerance * (1.0 + 100.0 * theirs);
    assert!(ours >= oracle.dual - tolerance, "{case}: {ours} below {}", oracle.dual);
    worst.objective = worst.objective.max(off);

    let apart = largest_difference(views.values(), oracle.views.values());
    let rounding = 10.0 * oracle.tolerance * (1.0 + 0.1 * theirs);
    let error = |value: f64| (((value - oracle.dual).max(0.0) + rounding) / (2.0 * alpha)).sqrt();
    let bound = error(ours) + error(theirs);
    let allowed = if strict { 1e-5 } else { bound.max(1e-5) };
    assert!(
        apart <= allowed,
        "{case}: weights differ by {apart:.1e}, allowed {allowed:.1e}"
    );
    if allowed > 1e-5 {
        worst.weights_over_bound = worst.weights_over_bound.max(apart / bound);
    } else {
        worst.weights = worst.weights.max(apart);
    }

    // For our own weights the consensus must be the best one, exactly; an interval is represented by its middle.
    let size = 1.0 + views.values().iter().fold(0.0_f64, |top, &w| top.max(w));
    for (edge, row) in views.rows().enumerate() {
        let shared = consensus[edge];
        if name == "none" {
            assert!(
                shared == 0.0,
                "{case}: a consensus of {shared} although nothing holds it"
            );
            continue;
        }
        // Every best consensus, also where rounding of γ/β decides between one point and an interval (a whole number of
        // views for ℓ1; γ = β√N for ℓ2, where an empty consensus is as good as that of equal weights).
        let low = best_consensus(name, row, ratio + 1e-9).0;
        let high = best_consensus(name, row, (ratio - 1e-9).max(0.0)).1;
        if name == "l1" {
            let room = 1e-9 * size;
            assert!(
                (low - room..=high + room).contains(&shared),
                "{case}: {shared} outside [{low}, {high}] for {row:?}"
            );
            let (low, high) = best_consensus(name, row, ratio);
            assert!(
                gamma > 0.0 || (shared - 0.5 * (low + high)).abs() <= 1e-9 * size,
                "{case}: {shared} is not the middle of [{low}, {high}] for {row:?}"
            );
        }
        // The consensus of the oracle's weights moves at most as they do, but for ℓ2 near γ = β√N: the derivative of
        // mean − ratio √(spread/(1 − ratio²/N))/N grows as its root vanishes.
        let sensitivity = match name {
            "l2" => 1.0 + 1.0 / (1.0 - ratio * ratio / row.len() as f64).abs().sqrt().max(1e-3),
            _ => 1.0,
        };
        if high - low > 1e-6 * size {
            worst.not_unique += 1;
            continue;
        }
        let off = (shared - their_consensus[edge]).abs();
        assert!(
            off <= sensitivity * allowed,
            "{case}: consensus {shared}, the oracle's {}",
            their_consensus[edge]
        );
        if strict {
            worst.consensus = worst.consensus.max(off / sensitivity);
        }
    }
    worst.strict += usize::from(strict);
    worst.gap = worst.gap.max(solution.certificate.relative_gap);
    worst.iterations = worst.iterations.max(solution.iterations);
}

#[test]
fn both_solvers_agree_with_an_interior_point_solver() {
    let mut rng = rng(20);
    let (mut by_newton, mut by_admm) = (Worst::default(), Worst::default());
    for number in 0..1200_usize {
        let penalty = PENALTIES[number % 4];
        // Squared ℓ2 and no penalty are the easy ones: fewer of them.
        if number % 4 >= 2 && number % 3 > 0 {
            continue;
        }
        let kind = KINDS[(number / 4) % 4];
        let n = rng.random_range(2..=12);
        let n_views: usize = rng.random_range(1..=5);
        let distances = random_distances(kind, n, n_views, &mut rng);
        let mut alpha = log_uniform(&mut rng, -3.0, 1.0);
        let mut beta = log_uniform(&mut rng, -4.0, 1.0);
        match number % 20 {
            5 | 12 => beta = 0.0,
            8 | 17 => alpha = 1e-6,
            0 | 13 => beta = 1e4,
            _ => {}
        }
        let root = (n_views as f64).sqrt();
        let ratio = match rng.random_range(0..8_u32) {
            0..3 => 0.0,
            3 => root,
            4 if n_views > 2 => n_views as f64 - 2.0,
            _ => rng.random_range(0.0..2.0 * root),
        };
        // β = 0 leaves γ without a scale of its own.
        let gamma = if beta > 0.0 { ratio * beta } else { 0.1 * ratio };
        let problem = problem(&distances, alpha, beta, gamma, penalty);
        let case = format!(
            "case {number}: {penalty}, {kind:?}, n = {n}, N = {n_views}, alpha = {alpha:e}, beta = {beta:e}, ratio = {ratio}"
        );
        let oracle = oracle(&problem);
        by_newton.cases += 1;
        if !oracle.reached {
            by_newton.oracle_failures += 1;
            continue;
        }
        let solution = newton(&problem, 1e-10);
        assert_sound(&problem, &solution, 1e-10, &case);
        assert!(
            solution.converged(),
            "{case}: {:?} {:?}",
            solution.status,
            solution.certificate
        );
        let strict = alpha >= 1e-3 && beta <= 10.0 && oracle.tolerance < 1e-11;
        compare(&problem, &solution, &oracle, strict, &mut by_newton, &case);
        if number % 13 == 0 {
            let solution = admm(&problem, 1e-8);
            by_admm.cases += 1;
            assert_sound(&problem, &solution, 1e-8, &case);
            assert!(
                solution.converged(),
                "{case}: {:?} {:?}",
                solution.status,
                solution.certificate
            );
            compare(&problem, &solution, &oracle, false, &mut by_admm, &case);
        }
    }
    println!("newton {by_newton:#?}\nadmm {by_admm:#?}");
    assert!(by_newton.cases >= 600 && by_newton.strict >= 400 && by_admm.cases >= 50);
    let failures = by_newton.oracle_failures;
    assert!(
        failures * 100 <= 2 * by_newton.cases,
        "the oracle itself failed {failures} times of {}",
        by_newton.cases
    );
}
