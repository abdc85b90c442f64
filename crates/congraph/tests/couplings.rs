//! Couplings beside the flat consensus (two levels, a chain, all pairs of views): against an interior-point solver, the
//! flat fit that two levels become, views that lack nodes, and what must not change.

use std::sync::Arc;

use crate::support::{admm, distances, largest_difference, log_uniform, newton, rng};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use congraph::penalties::{Chain, Huber, LInfinity, Pairwise, Penalty, TwoLevels};
use congraph::simulate::{Settings, simulate};
use congraph::{
    Dial, DistanceNorm, Distances, Edges, Learn, Membership, Model, MultiviewGraph, Problem, Smooth, Solution,
    Subjects, Table, Targets, ViewMatrix, ViewOptions, Views, no_progress,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// What is charged on an edge: two of its unknowns (views first, then subjects, then the consensus), and the price of
/// their distance.
type Charge = (usize, usize, f64);

/// The charges of one edge among the views that have it, from the formulas.
fn charges(
    penalty: &dyn Penalty,
    price: f64,
    subjects: Option<&Subjects>,
    own: &[usize],
    n_views: usize,
) -> Vec<Charge> {
    match (penalty.name(), subjects) {
        ("chain", _) => own.windows(2).map(|pair| (pair[0], pair[1], 1.0)).collect(),
        ("pairwise", _) => (0..own.len())
            .flat_map(|i| (0..i).map(move |j| (own[i], own[j], 1.0)))
            .collect(),
        ("two-levels", Some(subjects)) => {
            let of = |view: usize| n_views + subjects.of_views()[view] as usize;
            let last = n_views + subjects.n_subjects();
            let views = own.iter().map(|&view| (view, of(view), 1.0));
            let here = (n_views..last).filter(|&subject| own.iter().any(|&view| of(view) == subject));
            views.chain(here.map(|subject| (subject, last, price))).collect()
        }
        other => unreachable!("{other:?}"),
    }
}

/// The optimum by Clarabel: the views' weights, and a lower bound.
fn oracle(problem: &Problem, price: f64) -> Option<(ViewMatrix, f64)> {
    let (alpha, beta) = (problem.parameters().alpha, problem.parameters().beta);
    let (n, n_views, n_edges) = (problem.n_nodes(), problem.n_views(), problem.n_edges());
    let (mask, subjects) = (problem.membership(), problem.membership().subjects());
    let pairs = problem.distances().edges().pairs();
    let width = n_views + subjects.map_or(0, Subjects::n_subjects) + 1;
    let degree = |node: usize, view: usize| n_edges * width + node * n_views + view;
    let first_extra = n_edges * width + n * n_views;
    let own = |edge: usize| -> Vec<usize> { (0..n_views).filter(|&view| mask.has_pair(view, pairs[edge])).collect() };
    let all: Vec<Vec<Charge>> = (0..n_edges)
        .map(|edge| charges(problem.penalty(), price, subjects, &own(edge), n_views))
        .collect();
    let n_variables = first_extra + all.iter().map(Vec::len).sum::<usize>();
    let (mut quadratic, mut linear) = (vec![0.0; n_variables], vec![0.0; n_variables]);
    let (mut rows, mut right): (Vec<Vec<(usize, f64)>>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut equal = |row: Vec<(usize, f64)>, value: f64| {
        rows.push(row);
        right.push(value);
    };
    for view in 0..n_views {
        let of_view: Vec<usize> = (0..n_edges).filter(|&edge| own(edge).contains(&view)).collect();
        equal(
            of_view.iter().map(|&edge| (edge * width + view, 1.0)).collect(),
            problem.total(view),
        );
        for node in 0..n {
            quadratic[degree(node, view)] = 2.0 * alpha;
            let at = of_view.iter().filter(|&&edge| pairs[edge].contains(&(node as u32)));
            let row = at
                .map(|&edge| (edge * width + view, 1.0))
                .chain([(degree(node, view), -1.0)]);
            equal(row.collect(), 0.0);
        }
    }
    let n_equal = rows.len();
    let mut extra = first_extra;
    for (edge, charges) in all.iter().enumerate() {
        for view in own(edge) {
            quadratic[edge * width + view] = 4.0 * alpha;
            linear[edge * width + view] = problem.distances().values().row(edge)[view];
        }
        for unknown in 0..width {
            rows.push(vec![(edge * width + unknown, -1.0)]);
        }
        for &(one, two, price) in charges {
            linear[extra] = beta * price;
            for sign in [-1.0, 1.0] {
                rows.push(vec![
                    (edge * width + one, sign),
                    (edge * width + two, -sign),
                    (extra, -1.0),
                ]);
            }
            extra += 1;
        }
    }
    right.resize(rows.len(), 0.0);
    let triplets = || {
        rows.iter()
            .enumerate()
            .flat_map(|(row, entries)| entries.iter().map(move |entry| (row, entry)))
    };
    let matrix = CscMatrix::new_from_triplets(
        rows.len(),
        n_variables,
        triplets().map(|(row, _)| row).collect(),
        triplets().map(|(_, entry)| entry.0).collect(),
        triplets().map(|(_, entry)| entry.1).collect(),
    );
    let diagonal: Vec<usize> = (0..n_variables).collect();
    let hessian = CscMatrix::new_from_triplets(n_variables, n_variables, diagonal.clone(), diagonal, quadratic);
    let cones = [ZeroConeT(n_equal), NonnegativeConeT(rows.len() - n_equal)];
    for tolerance in [1e-12, 1e-10] {
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tolerance,
            tol_gap_rel: tolerance,
            tol_feas: 10.0 * tolerance,
            max_iter: 200,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&hessian, &linear, &matrix, &right, &cones, settings).unwrap();
        solver.solve();
        if solver.solution.status == SolverStatus::Solved {
            let mut views = ViewMatrix::zeros(n_edges, n_views);
            for edge in 0..n_edges {
                for view in own(edge) {
                    views.row_mut(edge)[view] = solver.solution.x[edge * width + view].max(0.0);
                }
            }
            return Some((views, solver.solution.obj_val_dual));
        }
    }
    None
}

/// Distances of views of some subjects, some of which may lack nodes.
fn random_problem(number: usize, rng: &mut ChaCha8Rng) -> (Arc<Distances>, f64) {
    let n = rng.random_range(4..=9);
    let labels: Vec<String> = (0..rng.random_range(3..=7))
        .map(|view: usize| {
            if view < 2 {
                "s0".into()
            } else {
                format!("s{}", rng.random_range(0..4_u32))
            }
        })
        .collect();
    let n_views = labels.len();
    let subjects = Subjects::new(&labels);
    let share = [0.15, 0.5, 0.5, 0.7, 1.0][number % 5];
    let price = share * subjects.most_views() as f64;
    let mask = loop {
        let lacks: Vec<bool> = (0..n * n_views)
            .map(|_| number.is_multiple_of(3) && rng.random_bool(0.15))
            .collect();
        let mask = Membership::new(n, n_views, |view, node| lacks[node * n_views + view]);
        if (0..n_views).all(|view| mask.n_nodes_of(view) >= 3) {
            break mask;
        }
    };
    let edges = Edges::complete(n);
    let shared: Vec<f64> = (0..edges.n_edges()).map(|_| rng.random_range(0.2..1.0)).collect();
    let noise = rng.random_range(0.05..0.5);
    let mut entry = |k: usize| f64::max(0.0, shared[k / n_views] + rng.random_range(-noise..noise));
    let values = (0..edges.n_edges() * n_views).map(&mut entry).collect();
    let rows = ViewMatrix::from_values(n_views, values);
    let mask = Arc::new(mask.with_subjects(subjects));
    (
        Arc::new(Distances::masked(edges, rows, DistanceNorm::Max, mask).unwrap()),
        price,
    )
}

fn dense(problem: &Problem, solution: &Solution) -> ViewMatrix {
    let mut views = ViewMatrix::zeros(problem.n_edges(), problem.n_views());
    for (edge, row, _) in solution.weights.iter() {
        views.row_mut(edge).copy_from_slice(row);
    }
    views
}

#[test]
fn two_levels_chains_and_pairs_agree_with_an_interior_point_solver() {
    let mut rng = rng(15);
    let (mut worst, mut most_steps, mut compared, mut failed, mut near) = (0.0_f64, 0, 0, 0, 0);
    for number in 0..240 {
        let (distances, price) = random_problem(number, &mut rng);
        let subjects = distances.membership().subjects().unwrap();
        let penalty: Arc<dyn Penalty> = match number % 4 {
            0 => Arc::new(Chain),
            1 => Arc::new(Pairwise),
            _ => Arc::new(TwoLevels::new(price / subjects.most_views() as f64)),
        };
        let (alpha, beta) = (log_uniform(&mut rng, -2.0, 0.0), log_uniform(&mut rng, -3.0, 0.0));
        let problem = Problem::new(distances, Model::new(alpha, beta, penalty)).unwrap();
        let Some((theirs, bound)) = oracle(&problem, price) else {
            failed += 1;
            continue;
        };
        let case = format!(
            "case {number}: {}, price {price}, alpha {alpha:e}, beta {beta:e}",
            problem.penalty().name()
        );
        let solution = newton(&problem, 1e-10);
        assert!(
            solution.converged(),
            "{case}: {:?} {:?}",
            solution.status,
            solution.certificate
        );
        let off = (solution.certificate.objective - bound) / bound.abs();
        assert!(off.abs() < 1e-9, "{case}: objective off by {off:e}");
        let ours = dense(&problem, &solution);
        let apart = largest_difference(ours.values(), theirs.values());
        // A gap of g leaves an error of √(g/2α), and the oracle's own is up to 1e-12 of the objective.
        assert!(apart < 1e-5, "{case}: weights apart by {apart:e}");
        near += usize::from(apart < 1e-6);
        worst = worst.max(apart);
        most_steps = most_steps.max(solution.iterations);
        compared += 1;
        if number % 5 == 1 && problem.membership().is_total() {
            let by_admm = admm(&problem, 1e-9);
            assert!(
                by_admm.converged(),
                "{case}: ADMM {:?} {:?}",
                by_admm.status,
                by_admm.certificate
            );
            let apart = largest_difference(dense(&problem, &by_admm).values(), ours.values());
            assert!(apart < 1e-3, "{case}: ADMM apart by {apart:e}");
        }
    }
    println!("{compared} compared, {failed} not solved by the oracle; {most_steps} steps at most");
    println!("weights apart by {worst:.1e} at most, by less than 1e-6 in {near}");
    assert!(failed * 50 <= compared);
    // The oracle's own error is above 1e-6 in a few.
    assert!(near * 100 >= compared * 99, "{near} of {compared} within 1e-6");
    assert!(most_steps <= 15, "{most_steps} Newton steps");
}

/// Newton by the joint minimiser, ADMM by the prox: two ways to the same weights.
#[test]
fn both_solvers_agree_on_the_largest_departure_and_on_huber() {
    let mut rng = rng(19);
    for number in 0..24 {
        let (distances, _) = random_problem(number, &mut rng);
        let (alpha, beta) = (log_uniform(&mut rng, -2.0, 0.0), log_uniform(&mut rng, -2.0, 0.0));
        let penalty: Arc<dyn Penalty> = match number % 2 {
            0 => Arc::new(LInfinity),
            _ => Arc::new(Huber { knee: 0.1 }),
        };
        let problem = Problem::new(distances, Model::new(alpha, beta, penalty)).unwrap();
        let (by_newton, by_admm) = (newton(&problem, 1e-10), admm(&problem, 1e-9));
        assert!(by_newton.converged() && by_admm.converged(), "case {number}");
        assert!(
            by_newton.iterations <= 15,
            "case {number}: {} steps",
            by_newton.iterations
        );
        let (x, y) = (dense(&problem, &by_newton), dense(&problem, &by_admm));
        let apart = largest_difference(x.values(), y.values());
        // A gap of g leaves an error of √(g/2α).
        let bound = (2e-9 * by_admm.certificate.objective / (2.0 * alpha)).sqrt();
        assert!(apart <= 2.0 * bound, "case {number}: {apart:e}, {bound:e}");
    }
}

/// At ρ = 1 no subject's graph leaves the consensus.
#[test]
fn two_levels_with_the_whole_share_are_the_flat_fit() {
    let mut rng = rng(16);
    for number in 0..30 {
        let (distances, _) = random_problem(number, &mut rng);
        let (alpha, beta) = (log_uniform(&mut rng, -2.0, 0.0), log_uniform(&mut rng, -3.0, 0.0));
        let fit = |penalty: Arc<dyn Penalty>| {
            let problem = Problem::new(Arc::clone(&distances), Model::new(alpha, beta, penalty)).unwrap();
            (dense(&problem, &newton(&problem, 1e-12)), problem)
        };
        let (flat, _) = fit(Arc::new(congraph::penalties::L1));
        let (nested, problem) = fit(Arc::new(TwoLevels::new(1.0)));
        assert!(
            largest_difference(flat.values(), nested.values()) < 1e-8,
            "case {number}"
        );
        for (edge, row, consensus) in newton(&problem, 1e-12).weights.iter() {
            let subjects = problem.subject_weights(edge, row, consensus).unwrap();
            assert!(subjects.iter().all(|weight| weight.is_nan() || *weight == consensus));
        }
    }
}

/// The subjects' graphs are the best ones beside the views and the consensus, and the objective counts them.
#[test]
fn subject_graphs_are_the_best_for_their_views() {
    let mut rng = rng(17);
    for number in 0..20 {
        let (distances, price) = random_problem(number, &mut rng);
        let subjects = distances.membership().subjects().unwrap().clone();
        let share = price / subjects.most_views() as f64;
        let model = Model::new(0.05, 0.05, Arc::new(TwoLevels::new(share)));
        let problem = Problem::new(distances, model).unwrap();
        for (edge, row, consensus) in newton(&problem, 1e-10).weights.iter() {
            let pair = problem.distances().edges().pairs()[edge];
            let found = problem.subject_weights(edge, row, consensus).unwrap();
            for (subject, &weight) in found.iter().enumerate() {
                let own: Vec<usize> = subjects
                    .views_of(subject)
                    .filter(|&v| problem.membership().has_pair(v, pair))
                    .collect();
                if own.is_empty() {
                    assert!(weight.is_nan());
                    continue;
                }
                let cost =
                    |w: f64| own.iter().map(|&view| (row[view] - w).abs()).sum::<f64>() + price * (w - consensus).abs();
                let others = own.iter().map(|&view| row[view]).chain([consensus]);
                assert!(others.clone().all(|other| cost(weight) <= cost(other) + 1e-12));
                assert!(others.clone().any(|other| other == weight), "it is one of them");
            }
        }
    }
}

fn tables(n_nodes: usize, n_subjects: usize) -> (Vec<Table>, Vec<String>) {
    let settings = Settings {
        n_nodes,
        n_views: 2 * n_subjects,
        n_signals: vec![60],
        ..Settings::default()
    };
    let mut tables = simulate(&settings).unwrap().tables;
    let mut labels: Vec<String> = (0..tables.len()).map(|view| format!("s{:02}", view / 2)).collect();
    // One subject was measured once.
    tables.pop();
    labels.pop();
    (tables, labels)
}

fn assembled(tables: Vec<Table>, labels: &[String]) -> Views {
    let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
    views.with_subjects(labels).unwrap()
}

fn two_levels(alpha: f64, beta: f64) -> Smooth {
    Smooth::with_model(Model::new(alpha, beta, Arc::new(TwoLevels::new(0.5))))
}

#[test]
fn a_study_of_ten_subjects_takes_few_steps_and_hits_its_dials() {
    let (tables, labels) = tables(25, 10);
    let views = assembled(tables, &labels);
    for (alpha, beta) in [(0.02, 0.003), (0.05, 0.01), (0.2, 0.05)] {
        let learned = two_levels(alpha, beta).learn(&views, &no_progress).unwrap();
        assert!(
            learned.converged() && learned.iterations <= 15,
            "{} steps",
            learned.iterations
        );
        let graph = &learned.graph;
        assert_eq!(graph.subjects().unwrap().n_subjects(), 10);
        assert_eq!(graph.subject_weights().unwrap().n_rows(), graph.pairs().len());
    }
    let targets = Targets {
        density: Dial::At(0.2),
        similarity: Dial::At(0.7),
        ..Targets::default()
    };
    let tuned = two_levels(1.0, 1.0).learn_to(&views, &targets, &no_progress).unwrap();
    assert!((tuned.learned.graph.mean_density() - 0.2).abs() < 0.006);
    assert!((tuned.learned.graph.similarity().unwrap() - 0.7).abs() < 0.006);
}

#[test]
fn working_sets_know_subjects_and_chains() {
    let (tables, labels) = tables(300, 2);
    let views = assembled(tables, &labels);
    for penalty in [
        Arc::new(TwoLevels::new(0.5)) as Arc<dyn Penalty>,
        Arc::new(Chain),
        Arc::new(Pairwise),
    ] {
        let method = Smooth::with_model(Model::new(0.02, 0.01, penalty));
        let session = method.session(&views, &no_progress).unwrap();
        let fit = session.fit(&method.model, None, &no_progress).unwrap();
        assert!(fit.solution.converged(), "{:?}", fit.solution.certificate);
        assert!(session.certify(&fit).unwrap().relative_gap < 1e-8);
    }
}

/// Whatever the order of the subjects, of their views, of the nodes, and the number of threads: the same bits.
#[test]
fn no_order_and_no_number_of_threads_changes_a_bit() {
    let (tables, labels) = tables(14, 4);
    let learn = |order: &[usize], turned: bool| -> MultiviewGraph {
        let moved = |&view: &usize| {
            let table = &tables[view];
            if !turned {
                return table.clone();
            }
            let n = table.n_columns;
            let values = table
                .values
                .chunks(n)
                .flat_map(|row| row.iter().rev().copied())
                .collect::<Vec<f64>>();
            let columns = table.column_names.clone().unwrap().into_iter().rev();
            Table::new(table.name.clone(), n, values).with_columns(columns)
        };
        let labels: Vec<String> = order.iter().map(|&view| labels[view].clone()).collect();
        let views = assembled(order.iter().map(moved).collect(), &labels);
        two_levels(0.05, 0.01).learn(&views, &no_progress).unwrap().graph
    };
    let given: Vec<usize> = (0..tables.len()).collect();
    let first = learn(&given, false);
    let value = |graph: &MultiviewGraph, subject: usize, a: &str, b: &str| {
        let place = |name: &str| graph.nodes().iter().position(|node| node == name).unwrap();
        graph.subject_adjacency(subject).unwrap()[place(a) * graph.n_nodes() + place(b)]
    };
    for (order, turned) in [(vec![5, 2, 0, 6, 1, 4, 3], false), (vec![6, 5, 4, 3, 2, 1, 0], true)] {
        let other = learn(&order, turned);
        assert_eq!(first.subjects().unwrap().names(), other.subjects().unwrap().names());
        for (place, &view) in order.iter().enumerate() {
            for a in first.nodes() {
                let row = |graph: &MultiviewGraph, view: usize| {
                    let n = graph.n_nodes();
                    let at = graph.nodes().iter().position(|node| node == a).unwrap();
                    let mut row: Vec<(String, f64)> = graph
                        .nodes()
                        .iter()
                        .cloned()
                        .zip(graph.adjacency(view)[at * n..(at + 1) * n].to_vec())
                        .collect();
                    row.sort_by(|one, two| one.0.cmp(&two.0));
                    row
                };
                assert_eq!(row(&first, view), row(&other, place));
            }
        }
        for subject in 0..4 {
            for a in first.nodes() {
                for b in first.nodes() {
                    assert_eq!(value(&first, subject, a, b), value(&other, subject, a, b));
                }
            }
        }
    }
    for n_threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        assert_eq!(pool.install(|| learn(&given, false)), first);
    }
}

#[test]
fn what_makes_no_two_levels_is_refused() {
    let (tables, labels) = tables(10, 3);
    let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
    let told = |labels: &[String]| views.clone().with_subjects(labels).unwrap_err().to_string();
    assert!(told(&labels[1..]).contains("4 subjects for 5 views"));
    assert!(told(&vec!["s".to_owned(); 5]).contains("every view is of `s`"));
    assert!(told(&["a", "b", "c", "d", "e"].map(String::from)).contains("subject of its own"));
    let error = two_levels(0.05, 0.01)
        .learn(&views, &no_progress)
        .unwrap_err()
        .to_string();
    assert!(error.contains("subjects"), "{error}");
}

/// ADMM groups edges by the views that have them, and then no longer knows whose views they are.
#[test]
fn admm_refuses_subjects_whose_views_lack_nodes() {
    let mask =
        Membership::new(4, 3, |view, node| view == 0 && node == 0).with_subjects(Subjects::new(&["a", "a", "b"]));
    let rows = ViewMatrix::from_values(3, vec![0.5; 18]);
    let distances = Distances::masked(Edges::complete(4), rows, DistanceNorm::Max, Arc::new(mask)).unwrap();
    let model = Model::new(0.05, 0.01, Arc::new(TwoLevels::new(0.5)));
    let problem = Problem::new(Arc::new(distances), model).unwrap();
    let refused = congraph::Solver::solve(&congraph::Admm::default(), &problem, None, &no_progress).unwrap_err();
    assert!(refused.to_string().contains("newton"), "{refused}");
    assert!(newton(&problem, 1e-8).converged());
}

#[test]
fn a_chain_of_two_is_a_pair() {
    let mut rng = rng(18);
    let values: Vec<f64> = (0..2 * 10).map(|_| rng.random_range(0.1..1.0)).collect();
    let distances = distances(5, 2, values, DistanceNorm::Max);
    let fit = |penalty: Arc<dyn Penalty>| {
        let problem = Problem::new(Arc::clone(&distances), Model::new(0.1, 0.02, penalty)).unwrap();
        dense(&problem, &newton(&problem, 1e-12))
    };
    let (chain, pair) = (fit(Arc::new(Chain)), fit(Arc::new(Pairwise)));
    assert!(largest_difference(chain.values(), pair.values()) < 1e-9);
}
