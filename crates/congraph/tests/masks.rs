//! Views that lack nodes: both solvers against an interior-point solver, the certificate, and what must not change.

use std::sync::Arc;

use crate::support::{
    admm, best_consensus, dense, largest_difference, log_uniform, newton, penalty_of_row, problem, rng,
};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use congraph::compare::equalise;
use congraph::methods::graphical_lasso::{Fusion, GraphicalLasso};
use congraph::refits::{Refits, Unit};
use congraph::simulate::{Settings, simulate};
use congraph::tune::compare_methods;
use congraph::{
    Admm, Candidates, Code, DistanceNorm, Distances, Edges, Error, Kind, Learn, Membership, Missing, Model,
    MultiviewGraph, NanRule, Newton, Parameters, Problem, Scaling, Smooth, Solution, Solver, Table, Targets,
    ViewMatrix, ViewOptions, Views, metrics, no_progress, penalties,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A mask in which every view keeps at least three nodes, and every node some view.
fn random_mask(n_nodes: usize, n_views: usize, share: f64, rng: &mut ChaCha8Rng) -> Arc<Membership> {
    loop {
        let lacks: Vec<bool> = (0..n_nodes * n_views).map(|_| rng.random_bool(share)).collect();
        let mask = Membership::new(n_nodes, n_views, |view, node| lacks[node * n_views + view]);
        let enough = !mask.is_total() && (0..n_views).all(|view| mask.n_nodes_of(view) >= 3);
        if enough && (0..n_nodes).all(|node| (0..n_views).any(|view| mask.has(view, node))) {
            return Arc::new(mask);
        }
    }
}

fn masked_distances(mask: &Arc<Membership>, rng: &mut ChaCha8Rng) -> Arc<Distances> {
    let edges = Edges::complete(mask.n_nodes());
    let n_values = edges.n_edges() * mask.n_views();
    // What a view lacks may be anything.
    let mut values: Vec<f64> = (0..n_values).map(|_| rng.random_range(0.05..1.0)).collect();
    for (row, &pair) in values.chunks_exact_mut(mask.n_views()).zip(edges.pairs()) {
        for (view, value) in row
            .iter_mut()
            .enumerate()
            .filter(|(view, _)| !mask.has_pair(*view, pair))
        {
            *value = [f64::NAN, -3.0, 1e300][view % 3];
        }
    }
    let rows = ViewMatrix::from_values(mask.n_views(), values);
    Arc::new(Distances::masked(edges, rows, DistanceNorm::Max, Arc::clone(mask)).expect("valid distances"))
}

/// The entries of a row that belong to views that have the pair.
fn own(problem: &Problem, edge: usize, row: &[f64]) -> Vec<f64> {
    let pair = problem.distances().edges().pairs()[edge];
    let mask = problem.membership();
    (0..row.len())
        .filter(|&view| mask.has_pair(view, pair))
        .map(|view| row[view])
        .collect()
}

/// The objective of dense weights, from the formulas: every term over what a view has.
fn objective(problem: &Problem, views: &ViewMatrix, consensus: &[f64]) -> f64 {
    let Parameters { alpha, beta, gamma } = problem.parameters();
    let mut degrees = ViewMatrix::zeros(problem.n_nodes(), problem.n_views());
    let mut value = 0.0;
    for (edge, row) in views.rows().enumerate() {
        let (a, b) = problem.distances().edges().ends(edge);
        let own_row = own(problem, edge, row);
        let distances = own(problem, edge, problem.distances().values().row(edge));
        for (weight, distance) in own_row.iter().zip(&distances) {
            value += distance * weight + 2.0 * alpha * weight * weight;
        }
        for (view, weight) in row.iter().enumerate() {
            degrees.row_mut(a)[view] += weight;
            degrees.row_mut(b)[view] += weight;
        }
        if beta > 0.0 {
            value += beta * penalty_of_row(problem.penalty().name(), &own_row, consensus[edge]);
        }
        value += gamma * consensus[edge];
    }
    value + alpha * degrees.values().iter().map(|degree| degree * degree).sum::<f64>()
}

/// Clarabel's view weights, one row per edge; none where it missed its own tolerance. Only what a view has is a variable: its
/// pairs, its degrees, its share of the coupling.
fn oracle(problem: &Problem) -> Option<ViewMatrix> {
    let Parameters { alpha, beta, gamma } = problem.parameters();
    let mask = problem.membership();
    let (n_views, pairs) = (problem.n_views(), problem.distances().edges().pairs());
    let penalty = problem.penalty().name();
    // The variables: what they are, and the two terms of the objective.
    let (mut quadratic, mut linear): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut variable = |square: f64, slope: f64| {
        quadratic.push(square);
        linear.push(slope);
        linear.len() - 1
    };
    let mut weight = vec![vec![None; n_views]; pairs.len()];
    for (edge, &pair) in pairs.iter().enumerate() {
        for view in (0..n_views).filter(|&view| mask.has_pair(view, pair)) {
            weight[edge][view] = Some(variable(4.0 * alpha, problem.distances().values().row(edge)[view]));
        }
    }
    let mut degree = vec![vec![None; n_views]; problem.n_nodes()];
    for (node, row) in degree.iter_mut().enumerate() {
        for view in (0..n_views).filter(|&view| mask.has(view, node)) {
            row[view] = Some(variable(2.0 * alpha, 0.0));
        }
    }
    let shared: Vec<usize> = pairs.iter().map(|_| variable(0.0, gamma)).collect();
    // ℓ1: t ≥ |W − w| for every view; ℓ2: t ≥ ‖W − w‖ for every edge.
    let mut extra = vec![vec![None; n_views]; pairs.len()];
    for edge in 0..pairs.len() {
        let own: Vec<usize> = (0..n_views).filter(|&view| weight[edge][view].is_some()).collect();
        match penalty {
            "l1" => own
                .iter()
                .for_each(|&view| extra[edge][view] = Some(variable(0.0, beta))),
            _ => extra[edge][own[0]] = Some(variable(0.0, beta)),
        }
    }
    let n_variables = linear.len();

    let mut rows: Vec<(Vec<(usize, f64)>, f64)> = Vec::new();
    for view in 0..n_views {
        let of_view = (0..pairs.len()).filter_map(|edge| Some((weight[edge][view]?, 1.0)));
        rows.push((of_view.collect(), mask.nodes_of(view).count() as f64));
        for node in mask.nodes_of(view) {
            let incident = (0..pairs.len()).filter(|&edge| pairs[edge].contains(&(node as u32)));
            let mut row: Vec<(usize, f64)> = incident.filter_map(|edge| Some((weight[edge][view]?, 1.0))).collect();
            row.extend(degree[node][view].map(|degree| (degree, -1.0)));
            rows.push((row, 0.0));
        }
    }
    let mut cones: Vec<SupportedConeT<f64>> = vec![ZeroConeT(rows.len())];
    let before = rows.len();
    for edge in 0..pairs.len() {
        rows.push((vec![(shared[edge], -1.0)], 0.0));
        for view in 0..n_views {
            let Some(own) = weight[edge][view] else { continue };
            rows.push((vec![(own, -1.0)], 0.0));
            if let ("l1", Some(bound)) = (penalty, extra[edge][view]) {
                for sign in [-1.0, 1.0] {
                    rows.push((vec![(own, sign), (shared[edge], -sign), (bound, -1.0)], 0.0));
                }
            }
        }
    }
    cones.push(NonnegativeConeT(rows.len() - before));
    if penalty == "l2" {
        for edge in 0..pairs.len() {
            let bound = extra[edge].iter().flatten().next()?;
            rows.push((vec![(*bound, -1.0)], 0.0));
            let own: Vec<usize> = weight[edge].iter().copied().flatten().collect();
            rows.extend(own.iter().map(|&own| (vec![(own, -1.0), (shared[edge], 1.0)], 0.0)));
            cones.push(SecondOrderConeT(own.len() + 1));
        }
    }

    let mut triplets = (Vec::new(), Vec::new(), Vec::new());
    for (k, (row, _)) in rows.iter().enumerate() {
        for &(column, value) in row {
            triplets.0.push(k);
            triplets.1.push(column);
            triplets.2.push(value);
        }
    }
    let matrix = CscMatrix::new_from_triplets(rows.len(), n_variables, triplets.0, triplets.1, triplets.2);
    let right: Vec<f64> = rows.iter().map(|(_, right)| *right).collect();
    let diagonal: Vec<usize> = (0..n_variables).collect();
    let hessian = CscMatrix::new_from_triplets(n_variables, n_variables, diagonal.clone(), diagonal, quadratic);
    let solve = |tolerance: f64| {
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tolerance,
            tol_gap_rel: tolerance,
            tol_feas: 10.0 * tolerance,
            max_iter: 100,
            ..DefaultSettings::default()
        };
        let mut solver =
            DefaultSolver::new(&hessian, &linear, &matrix, &right, &cones, settings).expect("a cone program");
        solver.solve();
        (solver.solution.status == SolverStatus::Solved).then_some(solver)
    };
    let solver = solve(1e-13).or_else(|| solve(1e-12))?;
    // Interior points are a little off the constraints: clip and scale.
    let mut views = ViewMatrix::zeros(pairs.len(), n_views);
    for (edge, row) in weight.iter().enumerate() {
        for (view, place) in row.iter().enumerate() {
            views.row_mut(edge)[view] = place.map_or(0.0, |place| solver.solution.x[place].max(0.0));
        }
    }
    let totals = views.column_sums();
    for row in views.rows_mut() {
        for (view, value) in row.iter_mut().enumerate() {
            *value *= mask.n_nodes_of(view) as f64 / totals[view];
        }
    }
    Some(views)
}

/// What must be true of any result: what a view lacks has no weight, totals are the views' own, and the objective is that of
/// the formulas.
fn assert_sound(problem: &Problem, solution: &Solution, case: &str) -> (ViewMatrix, Vec<f64>) {
    let mask = problem.membership();
    let (views, consensus) = dense(problem, &solution.weights);
    for (&pair, row) in problem.distances().edges().pairs().iter().zip(views.rows()) {
        for (view, &weight) in row.iter().enumerate() {
            assert!(weight >= 0.0 && weight.is_finite(), "{case}");
            assert!(
                mask.has_pair(view, pair) || weight == 0.0,
                "{case}: a weight where there is no node"
            );
        }
    }
    for (view, total) in views.column_sums().into_iter().enumerate() {
        let n = mask.n_nodes_of(view) as f64;
        assert!(
            (total / n - 1.0).abs() <= 1e-11,
            "{case}: view {view} sums to {total}, not {n}"
        );
    }
    let value = objective(problem, &views, &consensus);
    let told = solution.certificate.objective;
    assert!(
        (value / told - 1.0).abs() <= 1e-11,
        "{case}: the objective is {value}, not {told}"
    );
    assert!(solution.converged(), "{case}: {:?}", solution.certificate);
    (views, consensus)
}

#[test]
fn both_solvers_find_what_an_interior_point_solver_finds() {
    let mut rng = rng(71);
    let (mut worst, mut compared) = ([0.0_f64; 4], 0);
    for round in 0..50 {
        let (n_nodes, n_views) = (rng.random_range(5..=11), rng.random_range(2..=5));
        let mask = random_mask(n_nodes, n_views, rng.random_range(0.05..0.4), &mut rng);
        let distances = masked_distances(&mask, &mut rng);
        // A smaller alpha leaves the oracle's own weights less accurate than what is asked here.
        let (alpha, beta) = (log_uniform(&mut rng, -2.0, 0.0), log_uniform(&mut rng, -2.5, 0.0));
        for penalty in ["l1", "l2"] {
            let gamma = if round % 3 == 0 {
                0.0
            } else {
                rng.random_range(0.0..0.8) * beta
            };
            let problem = problem(&distances, alpha, beta, gamma, penalty);
            let case = format!("round {round}, {penalty}, alpha {alpha:.2e}, beta {beta:.2e}, gamma {gamma:.2e}");
            let (views, consensus) = assert_sound(&problem, &newton(&problem, 1e-10), &case);
            let (by_admm, _) = assert_sound(&problem, &admm(&problem, 1e-10), &case);
            let Some(theirs) = oracle(&problem) else { continue };
            compared += 1;
            let middle = |(edge, row): (usize, &[f64])| {
                let (low, high) = best_consensus(penalty, &own(&problem, edge, row), gamma / beta);
                0.5 * (low + high)
            };
            let their_consensus: Vec<f64> = theirs.rows().enumerate().map(middle).collect();
            let ours = objective(&problem, &views, &consensus);
            let value = objective(&problem, &theirs, &their_consensus);
            let apart = [
                (ours / value - 1.0).abs(),
                largest_difference(views.values(), theirs.values()),
                largest_difference(views.values(), by_admm.values()),
                // The consensus of our own weights must be a best one.
                ours - objective(
                    &problem,
                    &views,
                    &views.rows().enumerate().map(middle).collect::<Vec<_>>(),
                ),
            ];
            assert!(apart[0] <= 1e-8, "{case}: objectives {ours} and {value}");
            assert!(apart[1] <= 1e-6, "{case}: weights differ by {:e}", apart[1]);
            assert!(apart[2] <= 1e-4, "{case}: Newton and ADMM differ by {:e}", apart[2]);
            assert!(
                apart[3] <= 1e-9,
                "{case}: the consensus is not the best by {:e}",
                apart[3]
            );
            worst = std::array::from_fn(|k| worst[k].max(apart[k]));
        }
    }
    assert!(compared >= 60, "the oracle solved only {compared}");
    println!(
        "{compared} masked problems against Clarabel: objectives within {:.1e}, weights within {:.1e}; ADMM's within {:.1e}",
        worst[0], worst[1], worst[2]
    );
}

/// The data of a simulation without the nodes that a mask takes, which are left out of a table, or NaN, or constant, in turn.
fn masked_tables(tables: &[Table], mask: &Membership) -> Vec<Table> {
    let masked = |(view, table): (usize, &Table)| {
        let names = table.column_names.clone().unwrap_or_default();
        let mut table = table.clone();
        let mut left_out = Vec::new();
        for (k, node) in mask.missing(view).enumerate() {
            for row in table.values.chunks_exact_mut(table.n_columns) {
                row[node] = if k % 3 == 1 { f64::NAN } else { 4.2 };
            }
            left_out.extend((k % 3 == 0).then_some(node));
        }
        let kept: Vec<usize> = (0..names.len()).filter(|node| !left_out.contains(node)).collect();
        let rows = table.values.chunks_exact(table.n_columns);
        let values = rows.flat_map(|row| kept.iter().map(|&node| row[node])).collect();
        Table::new(&table.name, kept.len(), values).with_columns(kept.iter().map(|&node| names[node].clone()))
    };
    tables.iter().enumerate().map(masked).collect()
}

fn with_masks() -> ViewOptions {
    ViewOptions {
        missing: Missing::Mask,
        ..ViewOptions::default()
    }
}

fn settings(n_nodes: usize, n_views: usize, n_signals: usize, seed: u64) -> Settings {
    Settings {
        n_nodes,
        n_views,
        n_signals: vec![n_signals],
        seed,
        ..Settings::default()
    }
}

#[test]
fn a_mask_that_masks_nothing_changes_no_bit() {
    let tables = simulate(&settings(40, 3, 100, 1)).unwrap().tables;
    let (plain, _) = Views::assemble(tables.clone(), &ViewOptions::default()).unwrap();
    let (masked, warnings) = Views::assemble(tables, &with_masks()).unwrap();
    assert!(masked.membership().is_total() && warnings.is_empty());
    assert_eq!(plain, masked);
}

#[test]
fn w03_tells_what_was_masked_and_why() {
    let tables = vec![
        Table::new("x", 4, (0..40).map(|k| ((k * 7) % 11) as f64 + 0.5).collect()).with_columns(["a", "b", "c", "d"]),
        Table::new(
            "y",
            3,
            (0..30)
                .map(|k| if k % 3 == 1 { 2.0 } else { ((k * k) % 7) as f64 + 0.1 })
                .collect(),
        )
        .with_columns(["d", "b", "a"]),
    ];
    let (views, warnings) = Views::assemble(tables, &with_masks()).unwrap();
    assert_eq!(views.nodes(), ["a", "b", "c", "d"]);
    let mask = views.membership();
    assert!(mask.has(0, 1) && !mask.has(1, 1) && !mask.has(1, 2) && mask.has(1, 3));
    let told: Vec<(&str, &str)> = warnings
        .iter()
        .filter(|warning| warning.code == "W03")
        .map(|warning| (warning.view.as_deref().unwrap_or(""), warning.message.as_str()))
        .collect();
    let expected =
        "2 of the 4 nodes are masked, and it takes part with the others: `b` (constant, 2), `c` (not in its table)";
    assert_eq!(told, [("y", expected)]);
}

#[test]
fn what_several_views_lack_is_said_once() {
    let table = |name: &str, columns: &[&str]| {
        let values = (0..12 * columns.len())
            .map(|k| ((k * k + k) % 13) as f64 + 0.25)
            .collect();
        Table::new(name, columns.len(), values).with_columns(columns.iter().copied())
    };
    let mut tables = vec![
        table("x", &["a", "b", "c", "d"]),
        table("y", &["a", "b", "d"]),
        table("z", &["a", "b", "c"]),
    ];
    let (_, warnings) = Views::assemble(tables.clone(), &with_masks()).unwrap();
    let told: Vec<_> = warnings.iter().filter(|warning| warning.code == "W03").collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        (told[0].view.as_deref(), &told[0].views[..]),
        (None, &["y".to_owned(), "z".to_owned()][..])
    );
    assert_eq!(
        told[0].message,
        "2 of 3 views lack some of the 4 nodes, and take part with the others: `y` without `c` (not in its table); \
         `z` without `d` (not in its table)"
    );
    // What was left out of a table is told from what is not there.
    tables[1].seldom = vec!["c".into()];
    let (_, warnings) = Views::assemble(tables, &with_masks()).unwrap();
    let told = warnings.iter().find(|warning| warning.code == "W03").unwrap();
    let told = congraph::options::spelled(&told.message, &congraph::options::Plain);
    assert!(
        told.ends_with(
            "`y` without `c` (seen in too few cells: min_cells_per_gene); `z` without `d` (not in its table)"
        ),
        "{told}"
    );
}

/// Who gave signals with gaps is not told of precomputed matrices, nor to give the signals.
#[test]
fn signals_with_gaps_are_told_from_precomputed_matrices() {
    // In another order than by name, so that some of what is asked works on views in order.
    let values = |shift: usize| -> Vec<f64> { (0..36).map(|k| ((k * k + shift) % 13) as f64).collect() };
    let mut tables = vec![Table::new("y", 3, values(0)), Table::new("x", 3, values(5))];
    tables[0].values[4] = f64::NAN;
    let options = ViewOptions {
        allow_counts: true,
        nan: NanRule::Pairwise,
        ..ViewOptions::default()
    };
    let (gaps, _) = Views::assemble(tables, &options).unwrap();
    let matrix = |name: &str| Table::new(name, 3, vec![1.0, 0.5, 0.1, 0.5, 1.0, 0.2, 0.1, 0.2, 1.0]);
    let options = ViewOptions {
        kind: Kind::Covariance,
        ..ViewOptions::default()
    };
    let (matrices, _) = Views::assemble(vec![matrix("y"), matrix("x")], &options).unwrap();
    let smooth = Smooth::new(0.1, 0.05);
    let nearest = Smooth {
        candidates: Candidates::Nearest { k: 1, seed: 1 },
        ..smooth.clone()
    };
    let refused = |views: &Views| -> Vec<String> {
        [
            equalise(views, 5, 1).unwrap_err(),
            Refits::new(&smooth, views, Unit::Samples, 1 << 20).unwrap_err(),
            compare_methods(views, &[], &no_progress).unwrap_err(),
            nearest.learn(views, &no_progress).unwrap_err(),
        ]
        .map(|error| error.to_string())
        .to_vec()
    };
    for told in refused(&gaps) {
        assert!(
            told.contains("covariances of signals with gaps (`nan = pairwise`)"),
            "{told}"
        );
        assert!(
            !told.contains("precomputed") && !told.contains("give the signals"),
            "{told}"
        );
    }
    let hint = "leave out the samples with gaps (`nan = drop-rows`) or the nodes with gaps (`missing = mask` in place of \
                `nan = pairwise`)";
    assert!(refused(&gaps)[..3].iter().all(|told| told.contains(hint)));
    for told in refused(&matrices) {
        assert!(
            told.contains("precomputed matrices") && !told.contains("gaps"),
            "{told}"
        );
    }
}

#[test]
fn what_masks_may_not_leave_is_refused() {
    let values = |n: usize| {
        (0..12 * n)
            .map(|k| ((k * k + k) % 13) as f64 + 0.25)
            .collect::<Vec<f64>>()
    };
    let table = |name: &str, columns: &[&str]| {
        Table::new(name, columns.len(), values(columns.len())).with_columns(columns.iter().copied())
    };
    let refused = |tables: Vec<Table>| match Views::assemble(tables, &with_masks()) {
        Err(Error::Data(errors)) => errors,
        other => panic!("{other:?}"),
    };
    let constant = |mut table: Table, node: usize| {
        let n_columns = table.n_columns;
        table.values.chunks_exact_mut(n_columns).for_each(|row| row[node] = 1.5);
        table
    };
    // A node that is of no use anywhere.
    let useless = vec![
        constant(table("x", &["a", "b", "c"]), 1),
        constant(table("y", &["a", "b", "c"]), 1),
    ];
    let errors = refused(useless);
    assert_eq!((errors[0].code, errors[0].node.as_deref()), (Code::E04, Some("b")));
    assert!(errors[0].to_string().contains("`drop_nodes = b`"), "{}", errors[0]);
    // A view that is left with one node.
    let poor = vec![table("x", &["a", "b", "c"]), constant(table("y", &["a", "b"]), 0)];
    let errors = refused(poor);
    assert_eq!((errors[0].code, errors[0].view.as_deref()), (Code::E05, Some("y")));
    // A view that shares but one node with each other view: fine on its own, not for a consensus.
    let tables = vec![
        table("x", &["a", "b", "c"]),
        table("y", &["b", "a"]),
        table("z", &["c", "d", "e"]),
    ];
    let (views, _) = Views::assemble(tables, &with_masks()).unwrap();
    let Err(Error::Data(errors)) = Smooth::new(0.1, 0.1).learn(&views, &no_progress) else {
        panic!("learned");
    };
    assert_eq!((errors[0].code, errors[0].view.as_deref()), (Code::E02, Some("z")));
    let single = Smooth::new(0.1, 0.1).uncoupled();
    assert!(single.learn(&views, &no_progress).unwrap().converged());
    // The joint graphical lasso knows no masks.
    let joint = GraphicalLasso::new(Fusion::Fused, 0.1, 0.02);
    let told = |error: Error| match error {
        Error::Invalid { .. } => error.to_string(),
        other => panic!("{other:?}"),
    };
    let learned = joint.learn(&views, &no_progress).map(|_| ());
    let compared = compare_methods(&views, &[], &no_progress).map(|_| ());
    for refused in [learned, compared] {
        let told = told(refused.unwrap_err());
        assert!(
            told.ends_with("`nodes = common` keeps those that all views have"),
            "{told}"
        );
    }
}

/// The two nodes of a pair, its weight in each view, and its consensus weight.
type Row = (String, String, Vec<(String, f64)>, Option<f64>);

/// The weights of all pairs by their nodes' names.
fn by_name(graph: &MultiviewGraph) -> Vec<Row> {
    let mut rows: Vec<_> = graph
        .pairs()
        .iter()
        .enumerate()
        .map(|(k, pair)| {
            let mut ends = pair.map(|node| graph.nodes()[node as usize].clone());
            ends.sort();
            let [a, b] = ends;
            let weights = graph
                .views()
                .iter()
                .cloned()
                .zip(graph.weights().row(k).iter().copied());
            let mut weights: Vec<(String, f64)> = weights.collect();
            weights.sort_by(|x, y| x.0.cmp(&y.0));
            (a, b, weights, graph.consensus().map(|consensus| consensus[k]))
        })
        .collect();
    rows.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    rows
}

#[test]
fn groups_of_views_on_other_nodes_are_problems_of_their_own() {
    let one = simulate(&settings(50, 2, 60, 3)).unwrap().tables;
    let two: Vec<Table> = simulate(&settings(40, 3, 60, 4))
        .unwrap()
        .tables
        .into_iter()
        .map(|table| {
            let names = table.column_names.clone().unwrap_or_default();
            let renamed = Table::new(format!("other {}", table.name), table.n_columns, table.values);
            renamed.with_columns(names.iter().map(|name| format!("other {name}")))
        })
        .collect();
    let learner = Smooth {
        scaling: Scaling {
            distance_norm: DistanceNorm::None,
            ..Scaling::default()
        },
        ..Smooth::new(0.2, 0.05)
    };
    let learn = |tables: Vec<Table>| {
        let (views, _) = Views::assemble(tables, &with_masks()).unwrap();
        learner.learn(&views, &no_progress).unwrap()
    };
    let (first, second) = (learn(one.clone()), learn(two.clone()));
    let both = learn(one.into_iter().chain(two).collect());
    let apart = first.certificate.objective + second.certificate.objective;
    assert!((both.certificate.objective / apart - 1.0).abs() < 1e-12);
    let n_edges = first.graph.pairs().len() + second.graph.pairs().len();
    assert_eq!(both.graph.pairs().len(), n_edges);
    // No view has a pair across the two groups, and the consensus is not about it.
    assert_eq!(both.graph.n_pairs(), 50 * 49 / 2 + 40 * 39 / 2);
    let shared = by_name(&first.graph);
    for (a, b, weights, consensus) in by_name(&both.graph).iter().filter(|row| !row.0.starts_with("other")) {
        let same = shared.iter().find(|row| (&row.0, &row.1) == (a, b)).unwrap();
        assert!((same.3.unwrap() - consensus.unwrap()).abs() < 1e-9);
        for (name, weight) in &same.2 {
            let found = weights.iter().find(|(other, _)| other == name).unwrap().1;
            assert!((found - weight).abs() < 1e-9);
        }
    }
}

#[test]
fn the_order_of_nodes_and_views_and_the_threads_do_not_matter() {
    let tables = simulate(&settings(60, 4, 80, 5)).unwrap().tables;
    let mut rng = rng(6);
    let mask = random_mask(60, 4, 0.15, &mut rng);
    let tables = masked_tables(&tables, &mask);
    let turned: Vec<Table> = tables
        .iter()
        .rev()
        .map(|table| {
            let names = table.column_names.clone().unwrap_or_default();
            let rows = table.values.chunks_exact(table.n_columns);
            let values = rows.flat_map(|row| row.iter().rev().copied()).collect();
            Table::new(&table.name, table.n_columns, values).with_columns(names.into_iter().rev())
        })
        .collect();
    for solver in [
        Arc::new(Newton::default()) as Arc<dyn Solver>,
        Arc::new(Admm {
            tolerance: 1e-6,
            ..Admm::default()
        }),
    ] {
        let learner = Smooth {
            solver,
            ..Smooth::new(0.07, 0.03)
        };
        let learn = |tables: &[Table], n_threads: usize| {
            let (views, _) = Views::assemble(tables.to_vec(), &with_masks()).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            by_name(&pool.install(|| learner.learn(&views, &no_progress)).unwrap().graph)
        };
        let one = learn(&tables, 1);
        assert!(!one.is_empty());
        assert_eq!(one, learn(&turned, 3));
    }
}

#[test]
fn a_working_set_finds_what_all_pairs_give() {
    // Enough nodes for the working set; the same problem with all pairs listed.
    let simulation = simulate(&settings(300, 3, 60, 7)).unwrap();
    let mut rng = rng(8);
    let mask = random_mask(300, 3, 0.1, &mut rng);
    let (views, _) = Views::assemble(masked_tables(&simulation.tables, &mask), &with_masks()).unwrap();
    for penalty in ["l1", "l2"] {
        let learner = Smooth {
            model: Model::new(0.02, 0.01, penalties::by_name(penalty).unwrap()),
            ..Smooth::default()
        };
        let all: Vec<[u32; 2]> = Edges::complete(300).pairs().to_vec();
        let listed = Smooth {
            candidates: Candidates::Listed(all),
            ..learner.clone()
        };
        // Tiles kept, and computed anew for each pass.
        let lean = Smooth {
            memory: 0,
            ..learner.clone()
        };
        let [set, lean, all] = [learner, lean, listed].map(|learner| learner.learn(&views, &no_progress).unwrap());
        for learned in [&set, &lean] {
            assert!(learned.converged());
            assert!((learned.certificate.objective / all.certificate.objective - 1.0).abs() < 1e-10);
            assert_eq!(learned.graph.pairs(), all.graph.pairs());
            let apart = largest_difference(learned.graph.weights().values(), all.graph.weights().values());
            assert!(apart < 1e-7, "{penalty}: weights differ by {apart:e}");
        }
        assert_eq!(set.details.distance_divisor, all.details.distance_divisor);
    }
}

#[test]
fn a_restricted_support_is_solved_by_both_solvers() {
    let simulation = simulate(&settings(40, 3, 60, 9)).unwrap();
    let mut rng = rng(10);
    let mask = random_mask(40, 3, 0.15, &mut rng);
    let (views, _) = Views::assemble(masked_tables(&simulation.tables, &mask), &with_masks()).unwrap();
    let newton = Smooth {
        candidates: Candidates::Nearest { k: 6, seed: 1 },
        ..Smooth::new(0.05, 0.02)
    };
    let admm = Smooth {
        solver: Arc::new(Admm::default()),
        ..newton.clone()
    };
    let [one, two] = [newton, admm].map(|learner| learner.learn(&views, &no_progress).unwrap());
    assert!(one.converged() && two.converged());
    assert!((one.certificate.objective / two.certificate.objective - 1.0).abs() < 1e-7);
    // A list that leaves a view nothing.
    let missing = views.membership().missing(0).next().unwrap() as u32;
    let other = (0..40).find(|&node| node != missing).unwrap();
    let none = Smooth {
        candidates: Candidates::Listed(vec![[missing, other]]),
        ..Smooth::new(0.05, 0.02)
    };
    assert!(matches!(none.learn(&views, &no_progress), Err(Error::Parameter { .. })));
}

#[test]
fn densities_and_likeness_are_those_of_what_a_view_has() {
    let simulation = simulate(&settings(50, 4, 200, 11)).unwrap();
    let mut rng = rng(12);
    let mask = random_mask(50, 4, 0.2, &mut rng);
    let (views, _) = Views::assemble(masked_tables(&simulation.tables, &mask), &with_masks()).unwrap();
    let tuned = Smooth::default()
        .learn_to(&views, &Targets::new(0.12, 0.85), &no_progress)
        .unwrap();
    let graph = &tuned.learned.graph;
    assert!((graph.mean_density() - 0.12).abs() < 0.005);
    assert!((graph.similarity().unwrap() - 0.85).abs() < 0.005);
    // The same from dense vectors over the pairs that count.
    let order: Vec<usize> = graph
        .nodes()
        .iter()
        .map(|name| simulation.truth.nodes().iter().position(|other| other == name).unwrap())
        .collect();
    let pairs: Vec<[usize; 2]> = (0..50).flat_map(|a| (a + 1..50).map(move |b| [a, b])).collect();
    let has = |view: usize, pair: &[usize; 2]| pair.iter().all(|&node| mask.has(view, order[node]));
    let dense: Vec<Vec<f64>> = (0..4).map(|view| graph.adjacency(view)).collect();
    let weight = |view: usize, pair: &[usize; 2]| dense[view][pair[0] * 50 + pair[1]];
    for view in 0..4 {
        let own: Vec<f64> = pairs
            .iter()
            .filter(|pair| has(view, pair))
            .map(|pair| weight(view, pair))
            .collect();
        let density = own.iter().filter(|&&w| w > 0.0).count() as f64 / own.len() as f64;
        assert_eq!(graph.density(view), density);
        assert!((own.iter().sum::<f64>() - mask.n_nodes_of(view) as f64).abs() < 1e-9);
        for other in 0..view {
            let both = pairs.iter().filter(|pair| has(view, pair) && has(other, pair));
            let (x, y): (Vec<f64>, Vec<f64>) = both.map(|pair| (weight(view, pair), weight(other, pair))).unzip();
            let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
            let (mx, my) = (mean(&x), mean(&y));
            let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(&y).map(|(x, y)| f(x - mx, y - my)).sum::<f64>();
            let expected = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
            assert!((graph.correlation(view, other) - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn a_tenth_of_the_nodes_missing_costs_little() {
    // The paper's setting: 100 nodes, six views, 500 signals. Whole and masked fits are scored on the pairs that remain.
    let (mut whole_sum, mut masked_sum, mut worst) = (0.0, 0.0, 0.0_f64);
    let n_seeds = 5;
    for seed in 1..=n_seeds {
        let simulation = simulate(&settings(100, 6, 500, seed)).unwrap();
        let mut rng = rng(100 + seed);
        let missing: Vec<Vec<usize>> = (0..6)
            .map(|_| rand::seq::index::sample(&mut rng, 100, 10).into_vec())
            .collect();
        let mask = Membership::new(100, 6, |view, node| missing[view].contains(&node));
        let (views, _) = Views::assemble(simulation.tables.clone(), &ViewOptions::default()).unwrap();
        let (fewer, _) = Views::assemble(masked_tables(&simulation.tables, &mask), &with_masks()).unwrap();
        let learner = Smooth::new(0.07, 0.03);
        let masked = learner.learn(&fewer, &no_progress).unwrap().graph;
        let whole = learner.learn(&views, &no_progress).unwrap().graph;
        // The whole fit on the pairs of the masked one: its other weights are forgotten.
        let place = |name: &String| masked.nodes().iter().position(|other| other == name).unwrap() as u32;
        let pairs: Vec<[u32; 2]> = whole
            .pairs()
            .iter()
            .map(|pair| pair.map(|node| place(&whole.nodes()[node as usize])))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let own_mask = masked.membership().clone();
        let mut weights = whole.weights().clone();
        for (row, &pair) in weights.rows_mut().zip(&pairs) {
            let lacking = row
                .iter_mut()
                .enumerate()
                .filter(|(view, _)| !own_mask.has_pair(*view, pair));
            lacking.for_each(|(_, weight)| *weight = 0.0);
        }
        let restricted = MultiviewGraph::new(
            masked.nodes().to_vec(),
            masked.views().to_vec(),
            &pairs,
            &weights,
            whole.consensus(),
        )
        .with_membership(own_mask);
        let score = |graph: &MultiviewGraph| metrics::evaluate(graph, &simulation.truth).unwrap().mean_view_f1();
        let (one, two) = (score(&restricted), score(&masked));
        whole_sum += one;
        masked_sum += two;
        worst = worst.max(one - two);
    }
    let n = n_seeds as f64;
    println!(
        "view F1 on the pairs that remain: {:.4} of whole data, {:.4} with 10 % of the nodes masked; at worst {worst:.4} less",
        whole_sum / n,
        masked_sum / n
    );
    assert!(worst <= 0.03);
}

#[test]
fn covariances_with_nan_give_what_signals_give() {
    let tables = simulate(&settings(40, 3, 50, 13)).unwrap().tables;
    let mut rng = rng(14);
    let mask = random_mask(40, 3, 0.1, &mut rng);
    let covariance = |(view, table): (usize, &Table)| {
        let (n, p) = (table.n_columns, table.n_rows as f64);
        let column = |node: usize| table.values.iter().skip(node).step_by(n).copied();
        let mean: Vec<f64> = (0..n).map(|node| column(node).sum::<f64>() / p).collect();
        let product = |a: usize, b: usize| -> f64 {
            let products = column(a).zip(column(b)).map(|(x, y)| (x - mean[a]) * (y - mean[b]));
            products.sum::<f64>() / p
        };
        let entry = |a: usize, b: usize| match mask.has(view, a) && mask.has(view, b) {
            true => product(a.min(b), a.max(b)),
            false => f64::NAN,
        };
        let values = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        Table::new(&table.name, n, values).with_columns(table.column_names.clone().unwrap_or_default())
    };
    let matrices: Vec<Table> = tables.iter().enumerate().map(covariance).collect();
    let of_matrices = ViewOptions {
        kind: Kind::Covariance,
        ..with_masks()
    };
    let (from_matrices, _) = Views::assemble(matrices, &of_matrices).unwrap();
    let (from_signals, _) = Views::assemble(masked_tables(&tables, &mask), &with_masks()).unwrap();
    assert!((0..3).all(|view| (0..40).all(|node| from_matrices.has(view, node) == mask.has(view, node))));
    let learner = Smooth::new(0.05, 0.02);
    let [one, two] =
        [from_matrices, from_signals].map(|views| by_name(&learner.learn(&views, &no_progress).unwrap().graph));
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().zip(&two) {
        assert_eq!((&one.0, &one.1), (&two.0, &two.1));
        let pairs = one.2.iter().zip(&two.2);
        assert!(pairs.into_iter().all(|(x, y)| (x.1 - y.1).abs() < 1e-8));
    }
}

#[test]
fn samples_are_left_out_before_nodes_are_masked_where_that_is_asked_for() {
    let mut tables = simulate(&settings(40, 2, 30, 15)).unwrap().tables;
    // Node 3 has no value in the first view, node 5 lacks two.
    for (row, values) in tables[0].values.chunks_exact_mut(40).enumerate() {
        values[3] = f64::NAN;
        if row < 2 {
            values[5] = f64::INFINITY;
        }
    }
    let mask_of = |nan: NanRule| {
        let options = ViewOptions { nan, ..with_masks() };
        let (views, _) = Views::assemble(tables.clone(), &options).unwrap();
        let missing: Vec<usize> = views.membership().missing(0).collect();
        (missing, views.view(0).n_samples())
    };
    assert_eq!(mask_of(NanRule::DropRows), (vec![3], Some(28)));
    assert_eq!(mask_of(NanRule::Error), (vec![3, 5], Some(30)));
}
