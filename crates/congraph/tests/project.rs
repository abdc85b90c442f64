//! A new view against a frozen consensus: limits, what a fit's own views must give, and an independent solver.

mod support;

use std::sync::Arc;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use congraph::certificate::{DualPoint, certify};
use congraph::distances::{DistanceNorm, Scaling};
use congraph::inference::Departure;
use congraph::simulate::{Settings, simulate};
use congraph::solvers::unwatched;
use congraph::views::NodeRule;
use congraph::{
    Admm, Code, Error, Learned, Learner, Model, MultiviewGraph, Newton, Parameters, Problem, Projection, Projector,
    Solver, Support, Table, ViewOptions, ViewRows, Views, Weights, penalties,
};
use rand::RngExt;
use support::{KINDS, assert_sound, largest_difference, log_uniform, newton, problem, random_distances, rng};

fn views(tables: Vec<Table>) -> Views {
    Views::assemble(tables, &ViewOptions::default()).expect("good views").0
}

fn tables(n_nodes: usize, n_views: usize, n_signals: usize, seed: u64) -> Vec<Table> {
    let settings = Settings {
        n_nodes,
        n_views,
        n_signals: vec![n_signals],
        seed,
        ..Settings::default()
    };
    simulate(&settings).expect("a simulation").tables
}

fn fitted(learner: &Learner, tables: &[Table]) -> Learned {
    learner.learn(&views(tables.to_vec()), &unwatched).expect("a fit")
}

fn with_penalty(name: &str, alpha: f64, beta: f64) -> Learner {
    Learner {
        model: Model {
            penalty: penalties::by_name(name).expect("a penalty"),
            ..Model::l1(alpha, beta)
        },
        solver: Arc::new(Newton {
            tolerance: 1e-12,
            ..Newton::default()
        }),
        ..Learner::new(alpha, beta)
    }
}

fn projected(projector: &Projector, table: &Table) -> Projection {
    let found = projector.project(&views(vec![table.clone()]), &unwatched);
    found.expect("a projection").remove(0)
}

/// The least relative gap that is asked for.
const GAP: f64 = 1e-9;

#[test]
fn a_view_of_the_fit_comes_back_as_it_was() {
    for (penalty, alpha, beta) in [("l1", 0.07, 0.03), ("l1", 0.02, 0.2), ("squared-l2", 0.05, 0.1)] {
        let tables = tables(40, 4, 100, 3);
        let learner = with_penalty(penalty, alpha, beta);
        let learned = fitted(&learner, &tables);
        let projector = Projector::of(&learner, &learned).expect("a consensus");
        for (view, table) in tables.iter().enumerate() {
            let projection = projected(&projector, table);
            assert!(projection.converged() && projection.certificate.relative_gap <= GAP);
            let off = largest_difference(&projection.graph.adjacency(0), &learned.graph.adjacency(view));
            assert!(off <= 1e-6, "{penalty}, view {view}: {off:.1e}");
            let uniqueness = learned.graph.uniqueness(view).expect("a consensus");
            assert!((projection.uniqueness() - uniqueness).abs() <= 1e-6);
        }
    }
}

#[test]
fn without_coupling_it_is_the_view_alone() {
    let tables = tables(30, 4, 60, 5);
    for penalty in ["l1", "l2", "squared-l2"] {
        let mut learner = with_penalty(penalty, 0.05, 0.1);
        learner.scaling.distance_norm = DistanceNorm::None;
        let learned = fitted(&learner, &tables[..3]);
        let mut projector = Projector::of(&learner, &learned).expect("a consensus");
        projector.beta = 0.0;
        let alone = Learner {
            single: true,
            ..learner.clone()
        };
        let alone = fitted(&alone, &tables[3..]);
        let projection = projected(&projector, &tables[3]);
        let off = largest_difference(&projection.graph.adjacency(0), &alone.graph.adjacency(0));
        assert!(off <= 1e-9, "{penalty}: {off:.1e}");
        // The consensus is told beside it all the same.
        assert_eq!(
            projection.graph.consensus_adjacency(),
            learned.graph.consensus_adjacency()
        );
        projector.beta = 1e-12;
        let nearly = projected(&projector, &tables[3]);
        let off = largest_difference(&projection.graph.adjacency(0), &nearly.graph.adjacency(0));
        assert!(off <= 1e-6, "{penalty}: {off:.1e}");
    }
}

#[test]
fn with_strong_coupling_it_is_the_consensus_as_far_as_the_total_allows() {
    let tables = tables(30, 4, 60, 7);
    for penalty in ["l1", "l2", "squared-l2"] {
        let learner = with_penalty(penalty, 0.05, 0.1);
        let learned = fitted(&learner, &tables[..3]);
        // A consensus of total n, as a view has.
        let consensus = learned.graph.consensus().expect("a consensus");
        let factor = 30.0 / consensus.iter().sum::<f64>();
        let whole: Vec<f64> = consensus.iter().map(|weight| weight * factor).collect();
        let graph = MultiviewGraph::new(
            learned.graph.nodes().to_vec(),
            learned.graph.views().to_vec(),
            learned.graph.pairs(),
            learned.graph.weights(),
            Some(&whole),
        );
        let mut projector =
            Projector::new(&graph, &learner.model, learner.scaling, learned.distance_divisor).expect("a consensus");
        projector.beta = 1e5;
        let projection = projected(&projector, &tables[3]);
        assert!(
            projection.certificate.relative_gap <= GAP,
            "{:?}",
            projection.certificate
        );
        let off = largest_difference(
            &projection.graph.adjacency(0),
            &graph.consensus_adjacency().expect("one"),
        );
        assert!(off <= 1e-4, "{penalty}: {off:.1e}");
        // Of another total: what is left over is not taken from the consensus, but shared out.
        let mut projector = Projector::of(&learner, &learned).expect("a consensus");
        projector.beta = 1e3;
        let projection = projected(&projector, &tables[3]);
        assert!(projection.converged() && projection.certificate.relative_gap <= GAP);
        let total: f64 = consensus.iter().sum();
        let apart: f64 = projection
            .edges()
            .map(|(_, weight, shared, _)| (weight - shared).abs())
            .sum();
        if penalty != "squared-l2" {
            assert!(
                (apart - (30.0 - total).abs()).abs() <= 1e-6,
                "{penalty}: {apart} for {total}"
            );
        }
    }
}

/// The weights of the one-view problem with t ≥ |W − w| (or the square expanded), by an interior-point solver.
fn oracle(problem: &Problem) -> Option<(Vec<f64>, f64)> {
    let Parameters { alpha, beta, .. } = problem.parameters();
    let (n, m) = (problem.n_nodes(), problem.n_edges());
    let frozen = problem.frozen_consensus().expect("a frozen consensus");
    let is_square = problem.penalty().name() == "squared-l2";
    let n_bounds = if is_square { 0 } else { m };
    let n_variables = m + n + n_bounds;
    let mut quadratic = vec![4.0 * alpha; m];
    let mut linear: Vec<f64> = problem.distances().values().values().to_vec();
    if is_square {
        quadratic.fill(4.0 * alpha + 2.0 * beta);
        linear
            .iter_mut()
            .zip(frozen)
            .for_each(|(cost, w)| *cost -= 2.0 * beta * w);
    }
    quadratic.extend(vec![2.0 * alpha; n]);
    quadratic.resize(n_variables, 0.0);
    linear.resize(m + n, 0.0);
    linear.resize(n_variables, beta);
    let (mut rows, mut columns, mut values, mut right) = (vec![], vec![], vec![], vec![]);
    let mut push = |entries: &[(usize, f64)], bound: f64| {
        for &(column, value) in entries {
            rows.push(right.len());
            columns.push(column);
            values.push(value);
        }
        right.push(bound);
    };
    push(&(0..m).map(|edge| (edge, 1.0)).collect::<Vec<_>>(), n as f64);
    for node in 0..n {
        let at = |&edge: &usize| <[usize; 2]>::from(problem.distances().edges().ends(edge)).contains(&node);
        let mut entries: Vec<(usize, f64)> = (0..m).filter(at).map(|edge| (edge, 1.0)).collect();
        entries.push((m + node, -1.0));
        push(&entries, 0.0);
    }
    for (edge, &shared) in frozen.iter().enumerate() {
        push(&[(edge, -1.0)], 0.0);
        if !is_square {
            push(&[(edge, 1.0), (m + n + edge, -1.0)], shared);
            push(&[(edge, -1.0), (m + n + edge, -1.0)], -shared);
        }
    }
    let n_rows = right.len();
    let cones = [ZeroConeT(n + 1), NonnegativeConeT(n_rows - n - 1)];
    let diagonal: Vec<usize> = (0..n_variables).collect();
    let hessian = CscMatrix::new_from_triplets(n_variables, n_variables, diagonal.clone(), diagonal, quadratic);
    let matrix = CscMatrix::new_from_triplets(n_rows, n_variables, rows, columns, values);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-11,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&hessian, &linear, &matrix, &right, &cones, settings).expect("a program");
    solver.solve();
    let constant = if is_square {
        beta * frozen.iter().map(|w| w * w).sum::<f64>()
    } else {
        0.0
    };
    (solver.solution.status == SolverStatus::Solved)
        .then(|| (solver.solution.x[..m].to_vec(), solver.solution.obj_val + constant))
}

/// A frozen consensus that is empty at most edges.
fn random_frozen(n_edges: usize, rng: &mut impl RngExt) -> Arc<[f64]> {
    let weight = |rng: &mut dyn FnMut() -> f64| {
        let x = rng();
        if x < 0.6 { 0.0 } else { 4.0 * (x - 0.6) }
    };
    (0..n_edges)
        .map(|_| weight(&mut || rng.random_range(0.0..1.0)))
        .collect()
}

#[test]
fn it_agrees_with_an_interior_point_solver() {
    let mut rng = rng(31);
    let (mut cases, mut worst, mut worst_gap, mut steps) = (0, 0.0_f64, 0.0_f64, 0);
    for number in 0..240_usize {
        let penalty = ["l1", "l2", "squared-l2"][number % 3];
        let n = rng.random_range(2..=14);
        let distances = random_distances(KINDS[number / 3 % 4], n, 1, &mut rng);
        let alpha = log_uniform(&mut rng, -3.0, 1.0);
        let beta = log_uniform(&mut rng, -4.0, 1.0);
        let frozen = random_frozen(n * (n - 1) / 2, &mut rng);
        let problem = problem(&distances, alpha, beta, 0.0, penalty)
            .frozen(frozen)
            .expect("a problem");
        let case = format!("case {number}: {penalty}, n = {n}, alpha = {alpha:e}, beta = {beta:e}");
        let solution = newton(&problem, GAP);
        assert!(
            solution.converged(),
            "{case}: {:?} {:?}",
            solution.status,
            solution.certificate
        );
        assert_sound(&problem, &solution, GAP, &case);
        worst_gap = worst_gap.max(solution.certificate.relative_gap);
        steps = steps.max(solution.iterations);
        let Some((weights, objective)) = oracle(&problem) else {
            continue;
        };
        cases += 1;
        let off = (solution.certificate.objective - objective).abs() / objective.abs();
        assert!(
            off <= 1e-8,
            "{case}: {} and {objective}",
            solution.certificate.objective
        );
        let mut ours = vec![0.0; problem.n_edges()];
        for (edge, row, _) in solution.weights.iter() {
            ours[edge] = row[0];
        }
        let off = largest_difference(&ours, &weights);
        assert!(off <= 1e-5, "{case}: weights differ by {off:.1e}");
        worst = worst.max(off);
    }
    println!("{cases} cases: weights within {worst:.1e}, gaps at most {worst_gap:.1e}, at most {steps} Newton steps");
    assert!(cases >= 220);
}

#[test]
fn the_certificate_holds_for_weights_that_no_solver_made() {
    let mut rng = rng(32);
    for penalty in ["l1", "l2", "squared-l2"] {
        let distances = random_distances(KINDS[0], 9, 1, &mut rng);
        let frozen = random_frozen(36, &mut rng);
        let problem = problem(&distances, 0.1, 0.5, 0.0, penalty)
            .frozen(Arc::clone(&frozen))
            .expect("a problem");
        let best = newton(&problem, 1e-12);
        for _ in 0..20 {
            let values: Vec<f64> = (0..36).map(|_| rng.random_range(0.0..1.0)).collect();
            let multipliers: Vec<f64> = (0..9).map(|_| rng.random_range(-1.0..0.5)).collect();
            // A consensus of their own does not count.
            let weights = Weights::from_dense(&ViewRows::from_values(1, values), &[0.7; 36]);
            let dual = DualPoint {
                multipliers: ViewRows::from_values(1, multipliers),
                prox_points: None,
            };
            let (weights, certificate) = certify(&problem, weights, &dual);
            assert!(certificate.objective >= best.certificate.objective);
            assert!(certificate.dual_objective <= best.certificate.objective);
            let own = problem.objective(&weights);
            assert!((own - certificate.objective).abs() <= 1e-12 * own);
            let shared: Vec<f64> = weights.iter().map(|(edge, _, shared)| shared - frozen[edge]).collect();
            assert!(shared.iter().all(|off| *off == 0.0));
        }
    }
}

#[test]
fn the_order_of_nodes_and_the_number_of_threads_do_not_matter() {
    let tables = tables(40, 4, 50, 11);
    let learner = Learner::new(0.05, 0.05);
    let learned = fitted(&learner, &tables[..3]);
    let projector = Projector::of(&learner, &learned).expect("a consensus");
    let first = projected(&projector, &tables[3]);
    let late = &tables[3];
    let names = late.column_names.clone().expect("names");
    let turned: Vec<f64> = late
        .values
        .chunks(40)
        .flat_map(|row| row.iter().rev().copied())
        .collect();
    let turned = Table::new("view4", 40, turned).with_columns(names.iter().rev());
    let second = projected(&projector, &turned);
    assert_eq!(first.graph, second.graph);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    assert_eq!(pool.install(|| projected(&projector, late)).graph, first.graph);
    // Views do not see each other.
    let both = views(vec![tables[2].clone(), late.clone()]);
    let both = projector.project(&both, &unwatched).expect("projections");
    assert_eq!(both[1].graph, first.graph);
    // A list of all pairs is all pairs, but for the rounding of distances that are taken from differences there.
    let pairs = (0..40_u32).flat_map(|a| (a + 1..40).map(move |b| [b, a])).collect();
    let mut listed = projector;
    listed.support = Support::Listed(pairs);
    let off = largest_difference(&projected(&listed, late).graph.adjacency(0), &first.graph.adjacency(0));
    assert!(off <= 1e-9, "{off:.1e}");
    listed.support = Support::Nearest { k: 39, seed: 1 };
    let off = largest_difference(&projected(&listed, late).graph.adjacency(0), &first.graph.adjacency(0));
    assert!(off <= 1e-9, "{off:.1e}");
}

#[test]
fn edges_are_shared_added_or_lacking() {
    let tables = tables(40, 4, 50, 13);
    let learner = Learner::new(0.05, 0.03);
    let learned = fitted(&learner, &tables[..3]);
    let projection = projected(&Projector::of(&learner, &learned).expect("a consensus"), &tables[3]);
    let n_consensus = learned
        .graph
        .consensus()
        .expect("one")
        .iter()
        .filter(|w| **w > 0.0)
        .count();
    let (n_shared, n_added) = (projection.shared().count(), projection.added().count());
    let n_lacking = projection.lacking().count();
    assert!(n_shared > 0 && n_added > 0 && n_lacking > 0);
    assert_eq!(n_shared + n_lacking, n_consensus);
    assert_eq!(
        n_shared + n_added,
        (projection.graph.density(0) * 780.0).round() as usize
    );
    for (_, weight, shared, departure) in projection.edges() {
        assert_eq!(weight > 0.0, departure != Departure::Lacking);
        assert_eq!(shared > 0.0, departure != Departure::Added);
    }
}

fn refused(projector: &Projector, table: &Table) -> congraph::DataError {
    match projector.project(&views(vec![table.clone()]), &unwatched) {
        Err(Error::Data(mut errors)) => errors.remove(0),
        other => unreachable!("expected a data error, found {other:?}"),
    }
}

#[test]
fn nodes_are_matched_by_name_and_others_are_refused() {
    let tables = tables(12, 4, 50, 17);
    let learner = Learner::new(0.05, 0.03);
    let learned = fitted(&learner, &tables[..3]);
    let mut projector = Projector::of(&learner, &learned).expect("a consensus");
    let late = |names: [&str; 12]| Table {
        column_names: Some(names.map(String::from).to_vec()),
        ..tables[3].clone()
    };
    let other = late([
        "n01", "n02", "n03", "n04", "n05", "n06", "n07", "n08", "n09", "n10", "Cz", "Pz",
    ]);
    let error = refused(&projector, &other);
    assert_eq!((error.code, error.node.as_deref()), (Code::E02, Some("n11")));
    assert!(
        error.what.contains("`n11` and `n12`") && error.what.contains("`Cz` and `Pz`"),
        "{error}"
    );
    assert!(error.hint.contains("the 10 nodes"));
    let alike = late([
        "n01", "n02", "n03", "n04", "n05", "n06", "n07", "n08", "n09", "n10", "N11", "n12",
    ]);
    assert_eq!(refused(&projector, &alike).code, Code::E03);
    projector.node_rule = NodeRule::Common;
    let projection = projected(&projector, &other);
    assert_eq!(projection.graph.n_nodes(), 10);
    assert!(projection.converged());
    let total: f64 = projection.graph.weights().values().iter().sum();
    assert!((total - 10.0).abs() <= 1e-10);
    let nothing = late(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]);
    assert_eq!(refused(&projector, &nothing).code, Code::E02);
}

#[test]
fn what_cannot_be_projected_is_refused() {
    let tables = tables(12, 3, 50, 19);
    let alone = Learner {
        single: true,
        ..Learner::new(0.05, 0.0)
    };
    let learned = fitted(&alone, &tables);
    assert!(Projector::of(&alone, &learned).is_err());
    let learner = Learner::new(0.05, 0.03);
    let learned = fitted(&learner, &tables);
    for divisor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Projector::new(&learned.graph, &learner.model, Scaling::default(), divisor).is_err());
    }
    let mut rng = rng(33);
    let distances = random_distances(KINDS[0], 4, 1, &mut rng);
    let one = || problem(&distances, 0.1, 0.5, 0.0, "l1");
    assert!(one().frozen(vec![0.0; 5].into()).is_err());
    assert!(one().frozen(vec![-1.0; 6].into()).is_err());
    assert!(one().frozen(vec![f64::NAN; 6].into()).is_err());
    let two = random_distances(KINDS[0], 4, 2, &mut rng);
    assert!(problem(&two, 0.1, 0.5, 0.0, "l1").frozen(vec![0.0; 6].into()).is_err());
    assert!(
        problem(&distances, 0.1, 0.5, 0.1, "l1")
            .frozen(vec![0.0; 6].into())
            .is_err()
    );
    let frozen = one().frozen(vec![0.5; 6].into()).expect("a problem");
    assert!(matches!(
        Admm::default().solve(&frozen, None, &unwatched),
        Err(Error::Unsupported { .. })
    ));
}
