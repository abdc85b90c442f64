//! Both solvers over the whole range of α and β, from nearly empty to nearly complete graphs and from independent to equal
//! views, on simulated data of the size of the paper's.

use std::sync::Arc;

use crate::support::{PENALTIES, admm, assert_sound, newton, problem};
use congraph::simulate::{Settings, simulate};
use congraph::{Distances, Model, MultiviewGraph, Problem, Scaling, Solution, ViewOptions, Views};

/// n = 100, N = 6, p = 500, Erdős–Rényi.
fn simulated() -> Arc<Distances> {
    let simulation = simulate(&Settings::default()).expect("valid settings");
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).expect("usable tables");
    assert_eq!((views.n_nodes(), views.n_views()), (100, 6));
    Arc::new(Distances::from_views(&views, &Scaling::default()).expect("finite distances"))
}

fn graph(problem: &Problem, solution: &Solution) -> MultiviewGraph {
    let names = |prefix: &str, n: usize| (0..n).map(|k| format!("{prefix}{k}")).collect::<Vec<_>>();
    let edges = solution.weights.edges().iter();
    let pairs: Vec<[u32; 2]> = edges
        .map(|&edge| problem.distances().edges().pairs()[edge as usize])
        .collect();
    MultiviewGraph::new(
        names("n", problem.n_nodes()),
        names("v", problem.n_views()),
        &pairs,
        solution.weights.views(),
        Some(solution.weights.consensus()),
    )
}

/// From 0.1 % to 99 % of the pairs on these data.
const ALPHAS: [f64; 8] = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 1.0];
/// From views that ignore each other to equal views.
const BETAS: [f64; 8] = [0.0, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 100.0];

/// What was seen over the cells of a grid.
#[derive(Debug, Default)]
struct Seen {
    cells: usize,
    most_iterations: usize,
    total_iterations: usize,
    worst_gap: f64,
    densities: Vec<f64>,
    similarities: Vec<f64>,
}

impl Seen {
    fn add(&mut self, problem: &Problem, solution: &Solution) {
        let graph = graph(problem, solution);
        self.cells += 1;
        self.most_iterations = self.most_iterations.max(solution.iterations);
        self.total_iterations += solution.iterations;
        self.worst_gap = self.worst_gap.max(solution.certificate.relative_gap);
        self.densities.push(graph.mean_density());
        self.similarities.push(graph.similarity().expect("several views"));
    }

    /// The grid spans what it is meant to; `floor` is the similarity of views that ignore each other.
    fn check_span(&self, penalty: &str, fraction: f64, floor: f64) {
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (sparsest, densest) = (least(&self.densities), most(&self.densities));
        assert!(
            sparsest < 0.02 && densest > 0.9,
            "{penalty}: densities from {sparsest} to {densest}"
        );
        let (differing, alike) = (least(&self.similarities), most(&self.similarities));
        assert!(
            differing <= floor + 0.01,
            "{penalty}: no views as different as {floor}, only {differing}"
        );
        // No penalty couples nothing. Squared ℓ2 with a γ that grows with β empties the consensus where weights are small and
        // shrinks the views there rather than equalling them.
        let alike_enough = match penalty {
            "none" => f64::NEG_INFINITY,
            "squared-l2" if fraction > 0.0 => 0.99,
            _ => 0.999,
        };
        assert!(alike > alike_enough, "{penalty}: similarity only up to {alike}");
    }
}

/// The least similarity of independent views over the given α.
fn floor(distances: &Arc<Distances>, alphas: &[f64]) -> f64 {
    let similarity = |&alpha: &f64| {
        let problem = Problem::new(Arc::clone(distances), Model::uncoupled(alpha)).expect("a valid problem");
        graph(&problem, &newton(&problem, 1e-9))
            .similarity()
            .expect("several views")
    };
    alphas.iter().map(similarity).fold(f64::INFINITY, f64::min)
}

fn over_grid(alphas: &[f64], betas: &[f64], tolerance: f64, solve: impl Fn(&Problem) -> Solution) -> Seen {
    let distances = simulated();
    let floor = floor(&distances, alphas);
    let mut all = Seen::default();
    for penalty in PENALTIES {
        for fraction in [0.0, 0.5] {
            let mut seen = Seen::default();
            for &alpha in alphas {
                for &beta in betas {
                    let gamma = fraction * beta * 6.0_f64.sqrt();
                    let problem = problem(&distances, alpha, beta, gamma, penalty);
                    let solution = solve(&problem);
                    let case = format!("{penalty}, alpha = {alpha}, beta = {beta}, gamma = {gamma}");
                    assert_sound(&problem, &solution, tolerance, &case);
                    assert!(
                        solution.converged(),
                        "{case}: {:?} after {} iterations with a gap of {:.1e}",
                        solution.status,
                        solution.iterations,
                        solution.certificate.relative_gap
                    );
                    seen.add(&problem, &solution);
                }
            }
            seen.check_span(penalty, fraction, floor);
            all.cells += seen.cells;
            all.most_iterations = all.most_iterations.max(seen.most_iterations);
            all.total_iterations += seen.total_iterations;
            all.worst_gap = all.worst_gap.max(seen.worst_gap);
        }
    }
    println!(
        "{} cells, {} iterations in all, at most {}, worst gap {:.1e}",
        all.cells, all.total_iterations, all.most_iterations, all.worst_gap
    );
    all
}

#[test]
fn newton_needs_few_steps_everywhere() {
    let seen = over_grid(&ALPHAS, &BETAS, 1e-9, |problem| newton(problem, 1e-9));
    assert!(seen.most_iterations <= 30, "{} steps", seen.most_iterations);
}

#[test]
fn admm_reaches_its_tolerance_everywhere() {
    over_grid(&ALPHAS, &BETAS, 1e-6, |problem| admm(problem, 1e-6));
}
