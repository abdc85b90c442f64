//! Penalties on how views depart from the consensus beyond those of `oracle.rs`, against Clarabel, which shares no code with
//! this crate: the largest departure and Huber's as quadratic programs, departures that gather at nodes (hubs) as a
//! second-order cone program. And what must hold of hubs whatever the numbers are.

use std::sync::Arc;

use crate::support::{KINDS, admm, dense, largest_difference, log_uniform, newton, problem, random_distances, rng};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use congraph::penalties::{Huber, Hubs, Penalty};
use congraph::{DistanceNorm, Distances, Edges, Problem, ViewMatrix};
use rand::RngExt;

/// Rows of A x + s = b.
#[derive(Default)]
struct Rows {
    entries: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
}

impl Rows {
    fn push(&mut self, row: &[(usize, f64)], right: f64) {
        let at = self.right.len();
        self.entries
            .extend(row.iter().map(|&(column, value)| (at, column, value)));
        self.right.push(right);
    }
}

/// A cone program: ½ xᵀ diag(quadratic) x + linear · x over rows in cones.
#[derive(Default)]
struct Program {
    quadratic: Vec<f64>,
    linear: Vec<f64>,
    equal: Rows,
    positive: Rows,
    /// Second-order cones: the bound first.
    cones: Vec<Vec<usize>>,
}

impl Program {
    fn variable(&mut self, quadratic: f64, linear: f64) -> usize {
        self.quadratic.push(quadratic);
        self.linear.push(linear);
        self.linear.len() - 1
    }

    /// x, and a lower bound of the optimum.
    fn solved(mut self) -> Option<(Vec<f64>, f64)> {
        let n = self.linear.len();
        let n_equal = self.equal.right.len();
        let mut kinds: Vec<SupportedConeT<f64>> = vec![ZeroConeT(n_equal), NonnegativeConeT(self.positive.right.len())];
        let mut all = self.equal;
        let entries = self.positive.entries.iter();
        all.entries
            .extend(entries.map(|&(row, column, value)| (row + n_equal, column, value)));
        all.right.append(&mut self.positive.right);
        for cone in &self.cones {
            cone.iter().for_each(|&variable| all.push(&[(variable, -1.0)], 0.0));
            kinds.push(SecondOrderConeT(cone.len()));
        }
        let column = |of: fn(&(usize, usize, f64)) -> usize| all.entries.iter().map(of).collect::<Vec<usize>>();
        let values = all.entries.iter().map(|entry| entry.2).collect();
        let matrix = CscMatrix::new_from_triplets(
            all.right.len(),
            n,
            column(|entry| entry.0),
            column(|entry| entry.1),
            values,
        );
        let diagonal: Vec<usize> = (0..n).collect();
        let hessian = CscMatrix::new_from_triplets(n, n, diagonal.clone(), diagonal, self.quadratic);
        for tolerance in [1e-12, 1e-10] {
            let settings = DefaultSettings {
                verbose: false,
                tol_gap_abs: tolerance,
                tol_gap_rel: tolerance,
                tol_feas: 10.0 * tolerance,
                max_iter: 200,
                ..DefaultSettings::default()
            };
            let mut solver = DefaultSolver::new(&hessian, &self.linear, &matrix, &all.right, &kinds, settings).unwrap();
            solver.solve();
            if solver.solution.status == SolverStatus::Solved {
                return Some((solver.solution.x, solver.solution.obj_val_dual));
            }
        }
        None
    }
}

/// What departures v = W − w cost, of every edge and view, from the formulas.
fn charge(program: &mut Program, problem: &Problem, departures: &[Vec<usize>]) {
    let beta = problem.parameters().beta;
    let (n, n_views) = (problem.n_nodes(), problem.n_views());
    let pairs = problem.distances().edges().pairs();
    match problem.penalty().name() {
        "linf" => {
            for own in departures {
                let most = program.variable(0.0, beta);
                for &v in own {
                    program.positive.push(&[(v, 1.0), (most, -1.0)], 0.0);
                    program.positive.push(&[(v, -1.0), (most, -1.0)], 0.0);
                }
            }
        }
        // h(v) is the least of r²/2δ + |v − r|.
        "huber" => {
            let knee = Huber::default().knee;
            for &v in departures.iter().flatten() {
                let small = program.variable(beta / knee, 0.0);
                let size = program.variable(0.0, beta);
                program.positive.push(&[(v, 1.0), (small, -1.0), (size, -1.0)], 0.0);
                program.positive.push(&[(v, -1.0), (small, 1.0), (size, -1.0)], 0.0);
            }
        }
        // Every departure is shared out between the ends of its edge, and a node pays the length of what it takes on.
        "hubs" => {
            for view in 0..n_views {
                let mut cones: Vec<Vec<usize>> = (0..n).map(|_| vec![program.variable(0.0, beta)]).collect();
                for (edge, own) in departures.iter().enumerate() {
                    let parts = pairs[edge].map(|node| {
                        let part = program.variable(0.0, 0.0);
                        cones[node as usize].push(part);
                        part
                    });
                    program
                        .equal
                        .push(&[(parts[0], 1.0), (parts[1], 1.0), (own[view], -1.0)], 0.0);
                }
                program.cones.extend(cones);
            }
        }
        other => unreachable!("{other}"),
    }
}

/// The optimum by Clarabel: the views' weights, and a lower bound.
fn oracle(problem: &Problem) -> Option<(ViewMatrix, f64)> {
    let (alpha, gamma) = (problem.parameters().alpha, problem.parameters().gamma);
    let (n, n_views, n_edges) = (problem.n_nodes(), problem.n_views(), problem.n_edges());
    let pairs = problem.distances().edges().pairs();
    let mut program = Program::default();
    let mut weights = vec![Vec::new(); n_edges];
    for (edge, own) in weights.iter_mut().enumerate() {
        for view in 0..n_views {
            let distance = problem.distances().values().row(edge)[view];
            own.push(program.variable(4.0 * alpha, distance));
        }
    }
    let shared: Vec<usize> = (0..n_edges).map(|_| program.variable(0.0, gamma)).collect();
    for variable in 0..n_edges * (n_views + 1) {
        program.positive.push(&[(variable, -1.0)], 0.0);
    }
    for view in 0..n_views {
        let total: Vec<(usize, f64)> = weights.iter().map(|own| (own[view], 1.0)).collect();
        program.equal.push(&total, problem.total(view));
        for node in 0..n as u32 {
            let degree = program.variable(2.0 * alpha, 0.0);
            let at = weights.iter().zip(pairs).filter(|(_, pair)| pair.contains(&node));
            let row: Vec<(usize, f64)> = at.map(|(own, _)| (own[view], 1.0)).chain([(degree, -1.0)]).collect();
            program.equal.push(&row, 0.0);
        }
    }
    let mut departures = vec![Vec::new(); n_edges];
    for (edge, own) in departures.iter_mut().enumerate() {
        for &weight in &weights[edge] {
            let v = program.variable(0.0, 0.0);
            program
                .equal
                .push(&[(weight, 1.0), (shared[edge], -1.0), (v, -1.0)], 0.0);
            own.push(v);
        }
    }
    charge(&mut program, problem, &departures);
    let (x, bound) = program.solved()?;
    let values = (0..n_edges * n_views).map(|k| x[k].max(0.0)).collect();
    Some((ViewMatrix::from_values(n_views, values), bound))
}

/// Compares a solver with Clarabel on random problems.
fn agree(name: &str, n_cases: usize, seed: u64, tolerance: f64, with_gamma: bool) {
    let mut rng = rng(seed);
    let (mut off, mut apart, mut compared, mut failed) = (0.0_f64, 0.0_f64, 0, 0);
    for number in 0..n_cases {
        let (n, n_views) = (rng.random_range(4..=8), rng.random_range(2..=4));
        let distances = random_distances(KINDS[number % KINDS.len()], n, n_views, &mut rng);
        let (alpha, beta) = (log_uniform(&mut rng, -2.0, 0.0), log_uniform(&mut rng, -2.5, 0.0));
        let gamma = if with_gamma && number % 4 == 1 { 0.3 * beta } else { 0.0 };
        let problem = problem(&distances, alpha, beta, gamma, name);
        let Some((theirs, bound)) = oracle(&problem) else {
            failed += 1;
            continue;
        };
        let case =
            format!("{name} {number}: {n} nodes, {n_views} views, alpha {alpha:e}, beta {beta:e}, gamma {gamma:e}");
        let solution = if problem.penalty().joint().is_some() {
            newton(&problem, tolerance)
        } else {
            admm(&problem, tolerance)
        };
        assert!(
            solution.converged(),
            "{case}: {:?} {:?}",
            solution.status,
            solution.certificate
        );
        let own = (solution.certificate.objective - bound) / bound.abs();
        assert!(own.abs() <= 1e-7, "{case}: objective off by {own:e}");
        // The bound of the certificate is one: no solution is below it.
        let certified = solution.certificate.objective - solution.certificate.relative_gap * bound.abs();
        assert!(
            certified <= bound * (1.0 + 1e-9) + 1e-9,
            "{case}: {certified} above {bound}"
        );
        let (ours, _) = dense(&problem, &solution.weights);
        let weights = largest_difference(ours.values(), theirs.values());
        // A gap of g leaves an error of √(g/2α) in either result.
        let allowed = 2.0 * ((tolerance + 1e-10) * bound.abs() / (2.0 * alpha)).sqrt();
        assert!(
            weights <= allowed.max(1e-6),
            "{case}: weights apart by {weights:e}, allowed {allowed:e}"
        );
        (off, apart, compared) = (off.max(own.abs()), apart.max(weights), compared + 1);
    }
    println!(
        "{name}: {compared} compared, {failed} not solved by the oracle; objective off by {off:.1e}, weights by {apart:.1e}"
    );
    assert!(failed * 20 <= compared);
}

#[test]
fn the_largest_departure_agrees_with_an_interior_point_solver() {
    agree("linf", 80, 31, 1e-10, true);
}

#[test]
fn huber_agrees_with_an_interior_point_solver() {
    agree("huber", 80, 32, 1e-10, true);
}

#[test]
fn hubs_agree_with_an_interior_point_solver() {
    agree("hubs", 60, 33, 1e-9, true);
}

/// Other names for the nodes change the names of the edges and nothing else; so does another order of the views.
#[test]
fn hubs_do_not_depend_on_the_order_of_nodes_and_views() {
    let mut rng = rng(34);
    let (n, n_views) = (7, 3);
    let distances = random_distances(KINDS[0], n, n_views, &mut rng);
    let edges = Edges::complete(n);
    let order = [3_u32, 6, 0, 2, 5, 1, 4];
    let turned = |edge: usize| {
        let [a, b] = edges.pairs()[edge].map(|node| order[node as usize]);
        congraph::complete_index(n, a.min(b) as usize, a.max(b) as usize)
    };
    let mut rows = ViewMatrix::zeros(edges.n_edges(), n_views);
    for edge in 0..edges.n_edges() {
        let own: Vec<f64> = distances.values().row(edge).iter().rev().copied().collect();
        rows.row_mut(turned(edge)).copy_from_slice(&own);
    }
    let moved = Arc::new(Distances::new(edges.clone(), rows, DistanceNorm::None).unwrap());
    let fit = |distances: &Arc<Distances>| {
        let problem = problem(distances, 0.05, 0.05, 0.0, "hubs");
        dense(&problem, &admm(&problem, 1e-10).weights).0
    };
    let (one, other) = (fit(&distances), fit(&moved));
    for edge in 0..edges.n_edges() {
        for view in 0..n_views {
            let apart = one.row(edge)[view] - other.row(turned(edge))[n_views - 1 - view];
            assert!(apart.abs() < 1e-4, "edge {edge}, view {view}: {apart:e}");
        }
    }
}

/// The laws of a norm and of its prox, on random edges: of one size, below the sum of sizes and above the longest star.
#[test]
fn hubs_are_a_norm_with_a_firmly_contracting_prox() {
    let mut rng = rng(35);
    for case in 0..60 {
        let n = rng.random_range(3..=9_u32);
        let all = Edges::complete(n as usize);
        let pairs: Vec<[u32; 2]> = all.pairs().iter().copied().filter(|_| rng.random_bool(0.7)).collect();
        if pairs.is_empty() {
            continue;
        }
        let hubs = Hubs::new(&pairs);
        let mut draw = || -> Vec<f64> { pairs.iter().map(|_| rng.random_range(-2.0..2.0)).collect() };
        let (x, y) = (draw(), draw());
        let value = |v: &[f64]| hubs.value(v, 1);
        let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        assert!(
            value(&sum) <= (value(&x) + value(&y)) * (1.0 + 1e-8),
            "case {case}: no triangle"
        );
        let twice: Vec<f64> = x.iter().map(|x| -2.0 * x).collect();
        assert!(
            (value(&twice) - 2.0 * value(&x)).abs() <= 1e-8 * value(&twice),
            "case {case}: no scale"
        );
        let sizes: f64 = x.iter().map(|x| x.abs()).sum();
        // The dual ball holds x / the longest star: Ω(x) ≥ ‖x‖² / that.
        let star = |node: u32| {
            let own = x.iter().zip(&pairs).filter(|(_, pair)| pair.contains(&node));
            own.map(|(x, _)| x * x).sum::<f64>().sqrt()
        };
        let longest = (0..n).map(star).fold(0.0, f64::max);
        let square: f64 = x.iter().map(|x| x * x).sum();
        assert!(
            value(&x) <= sizes * (1.0 + 1e-8) && value(&x) >= square / longest * (1.0 - 1e-8),
            "case {case}"
        );
        let prox = |v: &[f64]| {
            let mut v = v.to_vec();
            hubs.prox(&mut v, 1, 0.6);
            v
        };
        let (p, q) = (prox(&x), prox(&y));
        let pairs_of = || x.iter().zip(&y).zip(p.iter().zip(&q));
        let moved: f64 = pairs_of().map(|((x, y), (p, q))| (x - y) * (p - q)).sum();
        let apart: f64 = pairs_of().map(|(_, (p, q))| (p - q).powi(2)).sum();
        assert!(
            apart <= moved + 1e-9,
            "case {case}: ⟨x − y, p − q⟩ {moved}, ‖p − q‖² {apart}"
        );
    }
}
