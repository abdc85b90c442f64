//! The path and the choice by stability, on data whose graphs are known.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use congraph::metrics::evaluate;
use congraph::simulate::{Settings, simulate};
use congraph::tune::choice::{NoFollower, Search, Steps};
use congraph::tune::path::{Cell, Grid};
use congraph::tune::stability::{Stability, Tally, halved_time_series};
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
    let stability = Stability::default();
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
    };
    let (verdicts, chosen) = Stability::default().choose(6, &cells, &[tally], 2);
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
        let search = Search { grid, stability };
        let chosen = search.choose(&method, &views, Steps::default(), &mut NoFollower, &no_progress);
        let chosen = chosen.unwrap();
        let counts = chosen.steps.tallies[0].counts.values().sum::<u32>();
        (counts, chosen.verdicts[0].instability, chosen.verdicts[0].prediction)
    };
    // `2` sorts after `10`, `02` before.
    let (plain, padded) = (halved(&|k| format!("{k}")), halved(&|k| format!("{k:02}")));
    assert_eq!(plain.0, padded.0);
    assert!(
        (plain.1 - padded.1).abs() < 1e-12 && (plain.2 - padded.2).abs() < 1e-6,
        "{plain:?} {padded:?}"
    );
}
