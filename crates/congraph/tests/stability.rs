//! The path and the choice by stability and by likelihood, on data whose graphs are known.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::metrics::{evaluate, log_likelihood};
use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::tune::choice::{Chosen, Follow, NoFollower, Search, Steps};
use congraph::tune::path::{Cell, Grid};
use congraph::tune::stability::{Rule, Stability, Tally, halved_time_series};
use congraph::{Candidates, EdgeCost, Learn, Model, Smooth, Table, ViewOptions, Views, no_progress};

fn cells(learner: &Smooth, views: &Views, grid: &Grid) -> Vec<Cell> {
    let session = learner.session(views, &no_progress).unwrap();
    let mut cells = Vec::new();
    for &density in &grid.densities {
        session
            .path_row(density, &grid.similarities, &no_progress, &mut |cell, _| {
                cells.push(cell);
            })
            .unwrap();
    }
    cells
}

const BY_STABILITY: Stability = Stability {
    rule: Rule::Stability,
    halvings: 10,
    threshold: 0.05,
    seed: 1,
};

fn settings() -> Settings {
    Settings {
        n_nodes: 50,
        n_views: 4,
        n_signals: vec![300],
        ..Settings::default()
    }
}

#[test]
fn the_path_hits_its_targets_and_the_choice_comes_close_to_the_truth() {
    let simulation = simulate(&settings()).unwrap();
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
    let learner = Smooth::default();
    let grid = Grid::between([0.04, 0.4], [0.7, 0.95]);
    let cells = cells(&learner, &views, &grid);
    assert!(cells.len() > 40);
    for cell in &cells {
        assert!((cell.density.value - cell.density.target).abs() < 0.005, "{cell:?}");
        assert!(
            (cell.similarity.value - cell.similarity.target).abs() < 0.005,
            "{cell:?}"
        );
        assert!(cell.similarity.target > cell.floor && cell.solves <= 40, "{cell:?}");
    }
    let stability = BY_STABILITY;
    let mut tallies = vec![Tally::default(); cells.len()];
    // In two parts, as after an interruption.
    for numbers in [0..3, 3..10] {
        stability
            .halve(&learner, &views, &cells, numbers, &mut tallies, &no_progress)
            .unwrap();
    }
    let (verdicts, chosen) = stability.choose(views.n_pairs(), &cells, &tallies, 10);
    let session = learner.session(&views, &no_progress).unwrap();
    let score = |cell: &Cell| {
        let model = Model {
            parameters: cell.parameters,
            ..learner.model.clone()
        };
        let fit = session.fit(&model, None, &no_progress).unwrap();
        evaluate(&session.graph(&fit), &simulation.truth)
            .unwrap()
            .mean_view_f1()
    };
    let best = cells.iter().map(score).fold(0.0, f64::max);
    let chosen = chosen.unwrap();
    assert!(score(&cells[chosen]) >= 0.93 * best, "{:?}", cells[chosen]);
    assert!(verdicts[chosen].bound <= stability.threshold);
    for verdict in &verdicts {
        assert!((0.0..=0.5).contains(&verdict.instability) && verdict.bound >= verdict.instability);
        assert!((-1.0..=1.0).contains(&verdict.agreement) && (-1.0..=1.0).contains(&verdict.prediction));
    }
    // The same numbers at once, in parallel.
    let mut again = vec![Tally::default(); cells.len()];
    stability
        .halve(&learner, &views, &cells, 0..10, &mut again, &no_progress)
        .unwrap();
    assert_eq!(again, tallies);
}

#[test]
fn verdicts_by_hand() {
    let simulation = simulate(&settings()).unwrap();
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
    let grid = Grid {
        densities: vec![0.1],
        similarities: vec![0.9],
    };
    let cells = cells(&Smooth::default(), &views, &grid);
    // Four halves of a graph of four nodes: one edge always, one in two of them, one in one.
    let tally = Tally {
        counts: [([0, 1], 4), ([0, 2], 2), ([2, 3], 1)].into(),
        prediction: 1.2,
        gain: 0.0,
    };
    let (verdicts, chosen) = BY_STABILITY.choose(6, &cells, &[tally], 2);
    // Of the 6 pairs of halves, 4 disagree on the second edge and 3 on the third.
    let instability = (4.0 + 3.0) / 6.0 / 6.0;
    let density: f64 = 7.0 / 24.0;
    assert!((verdicts[0].instability - instability).abs() < 1e-15);
    let agreement = 1.0 - instability / (2.0 * density * (1.0 - density));
    assert!((verdicts[0].agreement - agreement).abs() < 1e-15);
    assert_eq!(verdicts[0].prediction, 0.6);
    // Nothing is within the bound; the most stable is taken all the same.
    assert_eq!(chosen, Some(0));
}

#[test]
fn a_time_series_without_blocks_is_warned_of() {
    let wave = |row: usize, node: usize| (0.05 * (row * (node + 1)) as f64).sin() + 0.1 * (row % 3) as f64;
    let values = (0..200)
        .flat_map(|row| (0..4).map(move |node| wave(row, node)))
        .collect();
    let slow = Table::new("slow", 4, values);
    let mut known = slow.clone();
    known.blocks = Some((0..200).map(|row| (row / 20).to_string()).collect());
    let assembled = |tables| Views::assemble(tables, &ViewOptions::default()).unwrap().0;
    let warning = halved_time_series(&assembled(vec![slow])).unwrap();
    assert!(warning.code == "W10" && warning.message.contains("`slow`"));
    assert_eq!(halved_time_series(&assembled(vec![known])), None);
    let independent = simulate(&settings()).unwrap().tables;
    assert_eq!(halved_time_series(&assembled(independent)), None);
}

/// Candidates and costs are numbered as the user's nodes, in the halves too, whatever the order of names.
#[test]
fn halves_are_joined_where_the_whole_may_be() {
    let simulation = simulate(&Settings {
        n_nodes: 12,
        n_views: 3,
        ..Settings::default()
    })
    .unwrap();
    let pairs: Vec<[u32; 2]> = (0..11)
        .flat_map(|a| (a + 1..12.min(a + 4)).map(move |b| [a, b]))
        .collect();
    let halved = |name: &dyn Fn(usize) -> String| {
        let named = |table: &Table| table.clone().with_columns((0..12).map(name));
        let tables = simulation.tables.iter().map(named).collect();
        let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
        let method = Smooth {
            candidates: Candidates::Listed(pairs.clone()),
            edge_costs: vec![EdgeCost {
                pair: [9, 10],
                cost: -0.2,
            }],
            ..Smooth::default()
        };
        let grid = Grid {
            densities: vec![0.25],
            similarities: vec![0.9],
        };
        let stability = Stability {
            halvings: 2,
            ..Stability::default()
        };
        let search = Search {
            grid,
            may_extend: [false; 2],
            stability,
        };
        let chosen = search.choose(&method, &views, Steps::default(), &mut NoFollower, &no_progress);
        let chosen = chosen.unwrap();
        let counts = chosen.steps.tallies[0].counts.values().sum::<u32>();
        let verdict = &chosen.verdicts[0];
        (counts, verdict.instability, verdict.prediction, verdict.gain.unwrap())
    };
    // `2` sorts after `10`, `02` before.
    let (plain, padded) = (halved(&|k| format!("{k}")), halved(&|k| format!("{k:02}")));
    assert_eq!(plain.0, padded.0);
    assert!(
        (plain.1 - padded.1).abs() < 1e-12
            && (plain.2 - padded.2).abs() < 1e-6
            && (plain.3 - padded.3).abs() < 1e-6
            && plain.3 > 0.0,
        "{plain:?} {padded:?}"
    );
}

/// Six views of 40 nodes, as dense as this.
fn dense(probability: f64, seed: u64) -> (Views, congraph::MultiviewGraph) {
    let simulation = simulate(&Settings {
        n_nodes: 40,
        n_signals: vec![200],
        graph: GraphModel::ErdosRenyi { probability },
        filter: Filter::Gaussian,
        seed,
        ..Settings::default()
    })
    .unwrap();
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
    (views, simulation.truth)
}

fn search(grid: Grid, may_extend: [bool; 2], rule: Rule) -> Search {
    let stability = Stability {
        rule,
        halvings: 4,
        ..Stability::default()
    };
    Search {
        grid,
        may_extend,
        stability,
    }
}

fn chosen(search: &Search, views: &Views) -> Chosen {
    search
        .choose(
            &Smooth::default(),
            views,
            Steps::default(),
            &mut NoFollower,
            &no_progress,
        )
        .unwrap()
}

#[test]
fn likelihood_finds_a_dense_truth_that_the_bound_on_instability_forbids() {
    let (views, truth) = dense(0.2, 1);
    let f1 = |chosen: &Chosen| evaluate(&chosen.learned.graph, &truth).unwrap().consensus.unwrap().f1();
    let likely = chosen(&search(Grid::usual(40), [true; 2], Rule::default()), &views);
    let stable = chosen(&search(Grid::usual(40), [true; 2], Rule::Stability), &views);
    assert!(f1(&likely) > 0.75, "{}", f1(&likely));
    assert!(f1(&stable) < f1(&likely), "{} {}", f1(&stable), f1(&likely));
    // The sparsest density that keeps 95 % of the best gain, and there the highest gain.
    let gain = |cell: usize| likely.verdicts[cell].gain.unwrap();
    let (cells, best) = (&likely.steps.cells, likely.best.unwrap());
    assert!(gain(likely.cell) >= 0.95 * gain(best));
    for (k, cell) in cells.iter().enumerate() {
        assert!(gain(k) <= gain(best));
        assert!(cell.density.target >= cells[likely.cell].density.target || gain(k) < 0.95 * gain(best));
        assert!(cell.density.target != cells[likely.cell].density.target || gain(k) <= gain(likely.cell));
    }
    assert!(stable.best.is_none() && stable.verdicts.iter().all(|verdict| verdict.gain.is_none()));
}

#[test]
fn the_gain_is_that_of_each_view_on_its_own_graph_of_the_other_half() {
    let (views, _) = dense(0.1, 3);
    let grid = Grid {
        densities: vec![0.1],
        similarities: vec![0.9],
    };
    let found = chosen(&search(grid, [false; 2], Rule::default()), &views);
    // All data on their own graphs fit better than halves on those of the others, but not by far.
    let graph = &found.learned.graph;
    let own = |view: usize| {
        let weights: Vec<f64> = graph.weights().column(view).collect();
        log_likelihood(graph, &weights, &views).unwrap()[view]
    };
    let own = (0..6).map(own).sum::<f64>() / 6.0;
    let gain = found.verdicts[0].gain.unwrap();
    assert!(gain > 0.6 * own && gain < own, "{gain} {own}");
}

#[test]
fn ends_at_which_the_choice_lies_are_moved_and_an_interruption_changes_nothing() {
    let (views, _) = dense(0.2, 2);
    let grid = Grid {
        densities: vec![0.05, 0.07, 0.1],
        similarities: vec![0.8, 0.9],
    };
    let fixed = chosen(&search(grid.clone(), [false; 2], Rule::default()), &views);
    assert_eq!(fixed.steps.cells[fixed.cell].density.target, 0.1);
    assert!(fixed.learned.warnings.iter().any(|warning| warning.code == "W18"));
    let moving = search(grid, [true; 2], Rule::default());
    let moved = chosen(&moving, &views);
    let density = moved.steps.cells[moved.cell].density.target;
    assert!((0.12..0.35).contains(&density), "{density}");
    assert!(moved.learned.warnings.iter().all(|warning| warning.code != "W18"));
    let key = |cell: &Cell| [cell.density.target, cell.similarity.target];
    assert!(moved.steps.cells.windows(2).all(|two| key(&two[0]) < key(&two[1])));
    // Resumed after any step, the same cells are fitted and judged.
    struct Kept(Vec<Steps>);
    impl Follow for Kept {
        type Error = congraph::Error;
        fn done(&mut self, steps: &Steps) -> Result<(), congraph::Error> {
            self.0.push(steps.clone());
            Ok(())
        }
    }
    let mut kept = Kept(Vec::new());
    let method = Smooth::default();
    moving
        .choose(&method, &views, Steps::default(), &mut kept, &no_progress)
        .unwrap();
    let last = kept
        .0
        .iter()
        .rfind(|steps| steps.settled > 0 && steps.halvings == 0)
        .unwrap();
    for steps in [last, &kept.0[0], kept.0.last().unwrap()] {
        let again = moving
            .choose(&method, &views, steps.clone(), &mut NoFollower, &no_progress)
            .unwrap();
        assert_eq!(again.cell, moved.cell);
        assert_eq!(again.verdicts, moved.verdicts);
    }
}
