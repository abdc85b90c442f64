//! Several members find what one does, to the bit.

use std::sync::Arc;

use congraph::team::{Alone, Load, Team, Threads};
use congraph::{
    Candidates, EdgeCost, Error, Learn, Learned, Missing, Model, Smooth, Table, ViewOptions, Views, no_progress,
    penalties,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::support::rng;

/// Random problems: some with masks, costs, signs, neighbours as candidates, and every coupling.
fn problem(k: usize, rng: &mut ChaCha8Rng) -> (Data, Smooth) {
    let n_nodes = if k % 5 == 4 {
        rng.random_range(900..1400)
    } else {
        rng.random_range(256..700)
    };
    let (n_views, n_samples) = (rng.random_range(2..5), rng.random_range(20..120));
    // Nodes at points of a square; signals are waves across it, and noise.
    let points: Vec<[f64; 2]> = (0..n_nodes).map(|_| [rng.random(), rng.random()]).collect();
    let masked = k % 3 == 1;
    let table = |view: usize, rng: &mut ChaCha8Rng| {
        // The second view lacks every ninth node, half of them because they are seen too seldom.
        let has = |node: &usize| !(masked && view == 1 && node.is_multiple_of(9));
        let nodes: Vec<usize> = (0..n_nodes).filter(has).collect();
        let mut values = Vec::with_capacity(nodes.len() * n_samples);
        for _ in 0..n_samples {
            let wave: [f64; 3] = std::array::from_fn(|_| rng.random_range(-9.0..9.0));
            for &node in &nodes {
                let [x, y] = points[node];
                values.push((wave[0] * x + wave[1] * y + wave[2]).sin() + rng.random_range(-0.1..0.1));
            }
        }
        Table {
            name: format!("view {view}"),
            column_names: Some(nodes.iter().map(|node| format!("node {node}")).collect()),
            row_names: None,
            blocks: None,
            n_rows: n_samples,
            n_columns: nodes.len(),
            values,
            n_samples: None,
            n_effective: None,
            subject: None,
            seldom: (0..n_nodes)
                .filter(|node| !has(node) && node.is_multiple_of(18))
                .map(|node| format!("node {node}"))
                .collect(),
        }
    };
    let tables: Vec<Table> = (0..n_views).map(|view| table(view, rng)).collect();
    let options = ViewOptions {
        missing: if masked { Missing::Mask } else { Missing::default() },
        ..ViewOptions::default()
    };
    let data = Data { tables, options };
    let penalty = if k.is_multiple_of(2) { "l1" } else { "l2" };
    let (alpha, beta) = (rng.random_range(0.005..0.05), rng.random_range(0.005..0.05));
    // One is so dense that rough distances say where its multipliers will be.
    let alpha = if k == 12 { 0.5 } else { alpha };
    let model = Model::new(alpha, beta, penalties::by_name(penalty).expect("known"));
    let mut method = Smooth::with_model(model);
    method.signed = k % 7 == 3;
    if k % 4 == 2 {
        let n = n_nodes as u32;
        let cost = |a: u32| EdgeCost {
            pair: [a, a + 1],
            cost: if a.is_multiple_of(5) {
                f64::INFINITY
            } else {
                0.05 * f64::from(a % 7)
            },
        };
        method.edge_costs = (0..n - 1).step_by(3).map(cost).collect();
    }
    if k % 8 == 5 {
        method.candidates = Candidates::Nearest { k: 6, seed: 1 };
        method.check_outside = true;
    }
    (data, method)
}

/// What views are made of.
struct Data {
    tables: Vec<Table>,
    options: ViewOptions,
}

impl Data {
    fn views(&self) -> Views {
        let (views, _) = Views::assemble(self.tables.clone(), &self.options).expect("views");
        views
    }

    /// The same with the signals of each view at one member.
    fn held(&self, team: &Arc<dyn Team>) -> Views {
        let ranks: Vec<usize> = (0..self.tables.len()).map(|view| (view + 1) % team.size()).collect();
        let mut tables = self.tables.clone();
        let away = tables.iter_mut().zip(&ranks).filter(|(_, rank)| **rank != team.rank());
        away.for_each(|(table, _)| table.values = Vec::new());
        let (views, warnings) = Views::assemble_held(tables, &self.options, team, ranks).expect("views");
        let (whole, expected) = Views::assemble(self.tables.clone(), &self.options).expect("views");
        assert_eq!(warnings, expected);
        assert_eq!(*views.whole(), whole);
        views
    }
}

type Told = (Vec<u64>, Vec<[u32; 2]>, usize, Vec<String>);

/// All that a fit tells, as bits.
fn told(learned: &Learned) -> Told {
    let graph = &learned.graph;
    let certificate = learned.certificate;
    let numbers = graph
        .weights()
        .values()
        .iter()
        .chain(graph.consensus().into_iter().flatten());
    let numbers = numbers.chain([
        &certificate.objective,
        &certificate.dual_objective,
        &certificate.relative_gap,
    ]);
    let warnings = learned.warnings.iter().map(|warning| format!("{warning:?}")).collect();
    (
        numbers.map(|number| number.to_bits()).collect(),
        graph.pairs().to_vec(),
        learned.iterations,
        warnings,
    )
}

fn learned(method: &Smooth, views: &Views, team: Arc<dyn Team>) -> Result<Learned, Error> {
    let method = Smooth { team, ..method.clone() };
    method.learn(views, &no_progress)
}

#[test]
fn any_number_of_members_finds_the_same_bits() {
    let mut rng = rng(1701);
    for k in 0..20 {
        let (data, method) = problem(k, &mut rng);
        let views = data.views();
        let alone = learned(&method, &views, Arc::new(Alone)).expect("a fit");
        assert!(alone.converged());
        for size in [1, 2, 3, 4, 7] {
            let mut teams = vec![Threads::new(size)];
            if size == 3 {
                teams.push(Threads::new(size).with_whole_set());
            }
            for team in teams {
                let found = team.run(|member| learned(&method, &views, member).expect("a fit"));
                for found in found.expect("nobody fails") {
                    assert!(told(&found) == told(&alone), "problem {k}, {size} members, {team:?}");
                }
            }
            let found = Threads::new(size).run(|member| {
                let team: Arc<dyn Team> = member.clone();
                learned(&method, &data.held(&team), member).expect("a fit")
            });
            for found in found.expect("nobody fails") {
                assert!(
                    told(&found) == told(&alone),
                    "problem {k}, {size} members that hold views"
                );
            }
        }
    }
}

/// Graphs so dense that bytes leave most pairs open: who has a view's signals is asked for tiles of products.
#[test]
fn who_holds_a_view_is_asked_for_what_bytes_leave_open() {
    for (k, alpha) in [(0, 0.5), (1, 0.3), (3, 0.5)] {
        let (data, method) = problem(k, &mut rng(71 + k as u64));
        let method = Smooth {
            model: Model::new(alpha, 0.02, penalties::by_name("l1").expect("known")),
            ..method
        };
        let alone = learned(&method, &data.views(), Arc::new(Alone)).expect("a fit");
        for size in [2, 3] {
            let found = Threads::new(size).run(|member| {
                let team: Arc<dyn Team> = member.clone();
                learned(&method, &data.held(&team), member).map(|learned| told(&learned))
            });
            for found in found.expect("nobody fails") {
                assert!(found.expect("a fit") == told(&alone), "problem {k}, {size} members");
            }
        }
    }
}

/// The formulas of docs/cluster.md, to a hundredth.
#[test]
fn what_is_sent_is_what_the_formulas_say() {
    let (data, method) = problem(4, &mut rng(23));
    let (n_nodes, n_views, n_samples) = (data.tables[0].n_columns, data.tables.len(), data.tables[0].n_rows);
    for size in [2, 4] {
        let found = Threads::new(size).run(|member| {
            let team: Arc<dyn Team> = member.clone();
            let views = data.held(&team);
            // What was gathered to compare the views with whole ones does not count.
            let before = member.traffic.sent_for(Load::Signals);
            learned(&method, &views, team).expect("a fit");
            let traffic = &member.traffic;
            let sent = [Load::Sums, Load::Signals].map(|load| traffic.sent_for(load) as f64);
            (sent, traffic.sums() as f64, before)
        });
        let found = found.expect("nobody fails");
        let others = (size - 1) as f64;
        let numbers = 8.0 * (n_nodes * n_views) as f64;
        for (sent, n_sums, before) in &found {
            let sums = n_sums * 2.0 * others / size as f64 * numbers;
            assert!(
                *n_sums > 20.0 && (sent[0] / sums - 1.0).abs() < 0.01,
                "{} {sums}",
                sent[0]
            );
            assert_eq!(*before, 0);
        }
        let signals: f64 = found.iter().map(|(sent, _, _)| sent[1]).sum();
        let row = (n_samples.next_multiple_of(4 * n_samples.div_ceil(64)) + 28) as f64;
        let expected = others * n_views as f64 * n_nodes.next_multiple_of(256) as f64 * row;
        assert!((signals / expected - 1.0).abs() < 0.01, "{signals} {expected}");
    }
}

/// A member that cannot go on ends all, and all know why.
#[test]
fn who_cannot_go_on_ends_all() {
    let (data, method) = problem(0, &mut rng(3));
    let views = data.views();
    let found = Threads::new(3).run(|member| {
        let rank = member.rank();
        let watch = |_: &congraph::Progress| {
            if rank == 2 {
                std::panic::resume_unwind(Box::new("damaged".to_owned()));
            }
            std::ops::ControlFlow::Continue(())
        };
        let method = Smooth {
            team: member,
            ..method.clone()
        };
        method.learn(&views, &watch).map(|learned| learned.converged())
    });
    assert_eq!(found.unwrap_err(), "member 2: damaged");
}

/// One member is asked to stop: all do, and tell the same.
#[test]
fn a_wish_to_stop_is_agreed_on() {
    let (data, method) = problem(4, &mut rng(5));
    let views = data.views();
    let found = Threads::new(3).run(|member| {
        let asked = member.rank() == 1;
        let calls = std::sync::atomic::AtomicUsize::new(0);
        let watch = |progress: &congraph::Progress| {
            let solving = matches!(progress, congraph::Progress::Solving { .. });
            let n_calls = calls.fetch_add(usize::from(solving), std::sync::atomic::Ordering::Relaxed);
            if asked && solving && n_calls >= 4 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        };
        let method = Smooth {
            team: member,
            ..method.clone()
        };
        method
            .learn(&views, &watch)
            .map(|learned| (learned.status, told(&learned)))
    });
    let found: Vec<_> = found
        .expect("nobody fails")
        .into_iter()
        .map(|found| found.expect("a fit"))
        .collect();
    assert_eq!(found[0].0, congraph::Status::Interrupted);
    assert!(found.iter().all(|other| *other == found[0]));
}
