//! A new view against a frozen consensus: limits, what a fit's own views must give, and an independent solver.

use std::sync::Arc;

use crate::support::{KINDS, assert_sound, largest_difference, log_uniform, newton, problem, random_distances, rng};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use congraph::methods::smooth::certificate::{DualPoint, certify};
use congraph::simulate::{Settings, simulate};
use congraph::{
    Admm, Candidates, Code, Departure, DistanceNorm, EdgeCost, Error, Learn, Learned, Missing, Model, MultiviewGraph,
    Newton, NodeRule, Parameters, Problem, Projection, Projector, Smooth, Solver, Table, ViewMatrix, ViewOptions,
    Views, Weights, no_progress, penalties,
};
use rand::RngExt;

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

fn fitted(learner: &Smooth, tables: &[Table]) -> Learned {
    learner.learn(&views(tables.to_vec()), &no_progress).expect("a fit")
}

fn with_penalty(name: &str, alpha: f64, beta: f64) -> Smooth {
    Smooth {
        model: Model::new(alpha, beta, penalties::by_name(name).expect("a penalty")),
        solver: Arc::new(Newton {
            tolerance: 1e-12,
            ..Newton::default()
        }),
        ..Smooth::new(alpha, beta)
    }
}

fn projected(projector: &Projector, table: &Table) -> Projection {
    let found = projector.project(&views(vec![table.clone()]), &no_progress);
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

/// Lists of candidates, nearest neighbours and costs of edges belong to the fit, and its views come back on all of them.
#[test]
fn a_view_comes_back_whatever_the_fit_allowed_and_charged() {
    let tables = tables(40, 4, 100, 23);
    let plain = with_penalty("l1", 0.05, 0.03);
    let free = fitted(&plain, &tables);
    let heaviest = |skip: usize| {
        let pairs = free.graph.pairs().iter().zip(free.graph.weights().column(0));
        let mut pairs: Vec<([u32; 2], f64)> = pairs.map(|(pair, weight)| (*pair, weight)).collect();
        pairs.sort_by(|one, two| two.1.total_cmp(&one.1));
        pairs[skip..skip + 20].iter().map(|(pair, _)| *pair).collect::<Vec<_>>()
    };
    let forbidden = heaviest(0);
    let costs = |cost: f64| {
        forbidden
            .iter()
            .map(move |&[a, b]| EdgeCost { pair: [b, a], cost })
            .collect::<Vec<_>>()
    };
    let third = |[a, b]: &[u32; 2]| (a + b) % 3 == 0;
    let all = (0..40_u32).flat_map(|a| (a + 1..40).map(move |b| [a, b]));
    let listed = Candidates::Listed(all.filter(third).collect());
    let cases = [
        (Candidates::AllPairs, costs(f64::INFINITY)),
        (Candidates::AllPairs, costs(-0.1)),
        (listed.clone(), Vec::new()),
        (listed, costs(0.2)),
        (Candidates::Nearest { k: 3, seed: 1 }, Vec::new()),
        (Candidates::Nearest { k: 3, seed: 1 }, costs(f64::INFINITY)),
    ];
    for (number, (candidates, edge_costs)) in cases.into_iter().enumerate() {
        let is_listed = matches!(candidates, Candidates::Listed(_));
        let learner = Smooth {
            candidates,
            edge_costs,
            ..plain.clone()
        };
        let learned = fitted(&learner, &tables);
        assert_ne!(learned.graph, free.graph, "case {number} restricts nothing");
        let projector = Projector::of(&learner, &learned).expect("a consensus");
        for (view, table) in tables.iter().enumerate() {
            let projection = projected(&projector, table);
            let off = largest_difference(&projection.graph.adjacency(0), &learned.graph.adjacency(view));
            assert!(off <= 1e-6, "case {number}, view {view}: {off:.1e}");
            if is_listed {
                assert!(projection.added().all(|pair| third(&pair)), "case {number}");
            }
        }
        assert_eq!(projector.newton.tolerance, learner.solver.tolerance());
    }
    // An edge of the consensus that is forbidden here alone is lacking.
    let learned = &free;
    let mut projector = Projector::of(&plain, learned).expect("a consensus");
    projector.edge_costs = costs(f64::INFINITY);
    let projection = projected(&projector, &tables[1]);
    assert_eq!(
        projection.graph.consensus_adjacency(),
        learned.graph.consensus_adjacency()
    );
    let lacking: Vec<[u32; 2]> = projection.lacking().collect();
    let in_consensus = |pair: &&[u32; 2]| {
        let place = learned.graph.pairs().binary_search(pair).expect("a pair of the fit");
        learned.graph.consensus().expect("one")[place] > 0.0
    };
    assert!(forbidden.iter().filter(in_consensus).count() > 5);
    assert!(forbidden.iter().filter(in_consensus).all(|pair| lacking.contains(pair)));
}

#[test]
fn with_masks_it_is_the_projection_on_the_nodes_that_the_view_has() {
    let tables = tables(30, 5, 80, 29);
    let learner = with_penalty("l1", 0.06, 0.03);
    let learned = fitted(&learner, &tables[..3]);
    let mut projector = Projector::of(&learner, &learned).expect("a consensus");
    let options = ViewOptions {
        missing: Missing::Mask,
        projected: true,
        ..ViewOptions::default()
    };
    // One view without two columns, both with a node that is constant or NaN.
    let without = |table: &Table, left_out: &[usize]| {
        let kept: Vec<usize> = (0..30).filter(|node| !left_out.contains(node)).collect();
        let values = table
            .values
            .chunks(30)
            .flat_map(|row| kept.iter().map(|&node| row[node]));
        let names = table.column_names.clone().expect("names");
        Table::new(table.name.clone(), kept.len(), values.collect())
            .with_columns(kept.iter().map(|&node| names[node].clone()))
    };
    let broken = |table: &Table, node: usize, value: f64| {
        let mut table = table.clone();
        table
            .values
            .iter_mut()
            .skip(node)
            .step_by(30)
            .for_each(|cell| *cell = value);
        table
    };
    let cases = [
        (without(&broken(&tables[3], 7, 1.5), &[2, 11]), vec![2, 7, 11]),
        (broken(&tables[4], 7, f64::NAN), vec![7]),
    ];
    let masked_views = Views::assemble(cases.iter().map(|case| case.0.clone()).collect(), &options);
    let (masked_views, _) = masked_views.expect("masked views");
    assert_eq!(
        Views::assemble(
            vec![cases[1].0.clone()],
            &ViewOptions {
                projected: false,
                ..options.clone()
            }
        )
        .map_err(|error| matches!(&error, Error::Data(errors) if errors[0].code == Code::E01)),
        Err(true)
    );
    projector.missing = Missing::Error;
    assert!(projector.project(&masked_views, &no_progress).is_err());
    for support in [Candidates::AllPairs, Candidates::Nearest { k: 4, seed: 1 }] {
        projector.candidates = support;
        projector.missing = Missing::Mask;
        projector.node_rule = NodeRule::Same;
        let masked = projector.project(&masked_views, &no_progress).expect("projections");
        projector.missing = Missing::Error;
        projector.node_rule = NodeRule::Common;
        for ((table, lacking), masked) in cases.iter().zip(&masked) {
            let names = table.column_names.as_ref().expect("names");
            let gone = names
                .iter()
                .position(|name| name == "n08")
                .expect("the node that is no good");
            let columns: Vec<usize> = (0..table.n_columns).filter(|&node| node != gone).collect();
            let values = table.values.chunks(table.n_columns);
            let values = values.flat_map(|row| columns.iter().map(|&node| row[node])).collect();
            let own = Table::new(table.name.clone(), columns.len(), values)
                .with_columns(columns.iter().map(|&node| names[node].clone()));
            let common = projected(&projector, &own);
            // The same numbers, at the same names.
            let named = |projection: &Projection| -> Vec<(String, String, f64, f64, Departure)> {
                let nodes = projection.graph.nodes();
                let named = projection.edges().map(|([a, b], weight, shared, departure)| {
                    (
                        nodes[a as usize].clone(),
                        nodes[b as usize].clone(),
                        weight,
                        shared,
                        departure,
                    )
                });
                named.filter(|edge| edge.4 != Departure::Unmeasured).collect()
            };
            assert_eq!(named(masked), named(&common));
            assert_eq!(masked.certificate, common.certificate);
            assert_eq!(masked.uniqueness(), common.uniqueness());
            assert_eq!(masked.graph.density(0), common.graph.density(0));
            // Nothing of the consensus is lost, and nothing said of what is not measured.
            assert_eq!(masked.graph.nodes(), learned.graph.nodes());
            assert_eq!(masked.graph.consensus_adjacency(), learned.graph.consensus_adjacency());
            let found: Vec<usize> = masked.graph.membership().missing(0).collect();
            assert_eq!(&found, lacking);
            let touches = |[a, b]: [u32; 2]| lacking.contains(&(a as usize)) || lacking.contains(&(b as usize));
            let unmeasured = |edge: &([u32; 2], f64, f64, Departure)| edge.3 == Departure::Unmeasured;
            assert!(masked.edges().any(|edge| unmeasured(&edge)));
            assert!(masked.edges().all(|edge| unmeasured(&edge) == touches(edge.0)));
        }
    }
    // The consensus at pairs that no view has is no part of its density.
    let dense = masked_views.membership().n_pairs_of(1);
    projector.missing = Missing::Mask;
    projector.node_rule = NodeRule::Same;
    let one = &projector.project(&masked_views, &no_progress).expect("projections")[1].graph;
    let consensus = one.consensus().expect("one");
    let measured = one
        .pairs()
        .iter()
        .zip(consensus)
        .filter(|(pair, w)| !pair.contains(&7) && **w > 0.0);
    assert_eq!(one.consensus_density(), Some(measured.count() as f64 / dense as f64));
}

#[test]
fn nodes_can_be_left_out_of_both() {
    let tables = tables(20, 4, 80, 37);
    let learner = Smooth::new(0.06, 0.03);
    let learned = fitted(&learner, &tables[..3]);
    let mut projector = Projector::of(&learner, &learned).expect("a consensus");
    projector.drop_nodes = vec!["n05".into(), "Fp9".into()];
    let options = ViewOptions {
        drop_nodes: projector.drop_nodes.clone(),
        projected: true,
        ..ViewOptions::default()
    };
    let (late, _) = Views::assemble(tables[3..].to_vec(), &options).expect("a view");
    let projection = &projector.project(&late, &no_progress).expect("a projection")[0];
    assert_eq!(projection.graph.n_nodes(), 19);
    assert!(!projection.graph.nodes().contains(&"n05".into()) && projection.converged());
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
        let alone = learner.uncoupled();
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
        let mut projector = Projector::new(&graph, &learner, learned.details.distance_divisor).expect("a consensus");
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
        projector.newton = Newton::default();
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
            let weights = Weights::from_dense(&ViewMatrix::from_values(1, values), &[0.7; 36]);
            let dual = DualPoint {
                multipliers: ViewMatrix::from_values(1, multipliers),
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
    let learner = Smooth::new(0.05, 0.05);
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
    let both = projector.project(&both, &no_progress).expect("projections");
    assert_eq!(both[1].graph, first.graph);
    // A list of all pairs is all pairs, but for the rounding of distances that are taken from differences there.
    let pairs = (0..40_u32).flat_map(|a| (a + 1..40).map(move |b| [b, a])).collect();
    let mut listed = projector;
    listed.candidates = Candidates::Listed(pairs);
    let off = largest_difference(&projected(&listed, late).graph.adjacency(0), &first.graph.adjacency(0));
    assert!(off <= 1e-9, "{off:.1e}");
    listed.candidates = Candidates::Nearest { k: 39, seed: 1 };
    let off = largest_difference(&projected(&listed, late).graph.adjacency(0), &first.graph.adjacency(0));
    assert!(off <= 1e-9, "{off:.1e}");
}

#[test]
fn edges_are_shared_added_or_lacking() {
    let tables = tables(40, 4, 50, 13);
    let learner = Smooth::new(0.05, 0.03);
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
    match projector.project(&views(vec![table.clone()]), &no_progress) {
        Err(Error::Data(mut errors)) => errors.remove(0),
        other => unreachable!("expected a data error, found {other:?}"),
    }
}

#[test]
fn nodes_are_matched_by_name_and_others_are_refused() {
    let tables = tables(12, 4, 50, 17);
    let learner = Smooth::new(0.05, 0.03);
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
    assert!(error.hint.contains("the 10 nodes") && !error.hint.contains("mask"));
    let less = Table::new(
        "late",
        11,
        tables[3].values.chunks(12).flat_map(|row| row[..11].to_vec()).collect(),
    )
    .with_columns(tables[3].column_names.clone().expect("names").into_iter().take(11));
    let error = refused(&projector, &less);
    assert!(
        error.to_string().contains("`missing = mask`") && error.hint.contains("the 11 nodes"),
        "{error}"
    );
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
    let alone = Smooth::new(0.05, 0.0).uncoupled();
    let learned = fitted(&alone, &tables);
    assert!(Projector::of(&alone, &learned).is_err());
    let learner = Smooth::new(0.05, 0.03);
    let learned = fitted(&learner, &tables);
    for divisor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Projector::new(&learned.graph, &learner, divisor).is_err());
    }
    // Nor is there a projection on negative weights.
    let graph = &learned.graph;
    let turned: Vec<f64> = graph
        .consensus()
        .expect("a consensus")
        .iter()
        .map(|weight| -weight)
        .collect();
    let (nodes, names) = (graph.nodes().to_vec(), graph.views().to_vec());
    let signed = MultiviewGraph::new(nodes, names, graph.pairs(), graph.weights(), Some(&turned));
    let refused = Projector::new(&signed, &learner, 1.0).expect_err("signed");
    assert!(refused.to_string().contains("negative weights"), "{refused}");
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
        Admm::default().solve(&frozen, None, &no_progress),
        Err(Error::Unsupported { .. })
    ));
}
