//! How near to the truth is the fit that `tune` chooses?
//!
//! `cargo run --release -p congraph --example tune_study [-- SETS [FIRST_SEED [ROW]]]` prints the F1 of the consensus and of
//! the views on simulated data (40 nodes, 6 views): of the best cell of the path, knowing the truth; of the choice by
//! stability; and of the choice by held-out likelihood with several shares of the best gain. `benchmarks/TUNE.md` has the
//! figures.

use congraph::metrics::evaluate;
use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::tune::choice::{Chosen, Follow, Search, Steps};
use congraph::tune::path::{Cell, Grid};
use congraph::tune::stability::{Rule, Stability};
use congraph::{Error, MultiviewGraph, Smooth, Table, Targets, ViewOptions, Views, no_progress};

/// The shares of the best gain that are compared; the usual one first.
const KEEPS: [f64; 5] = [0.95, 0.97, 0.98, 1.0, 0.9];
const NODES: usize = 40;
/// How many samples a block of a time series has, and how much of a sample is in the next.
const BLOCK: usize = 20;
const CARRIED: f64 = 0.8;

struct Row {
    name: &'static str,
    graph: GraphModel,
    filter: Filter,
    signals: usize,
    is_series: bool,
}

fn rows() -> Vec<Row> {
    let er = |probability| GraphModel::ErdosRenyi { probability };
    let ba = |growth| GraphModel::BarabasiAlbert { growth };
    let row = |name, graph, signals| Row {
        name,
        graph,
        filter: Filter::Gaussian,
        signals,
        is_series: false,
    };
    vec![
        row("er 0.1, p=100", er(0.1), 100),
        row("er 0.1, p=300", er(0.1), 300),
        row("ba 0.1, p=200", ba(2), 200),
        Row {
            is_series: true,
            ..row("ar 0.1, p=400", er(0.1), 400)
        },
        Row {
            filter: Filter::PseudoInverse,
            ..row("pinv 0.1, p=200", er(0.1), 200)
        },
        row("er 0.07, p=200", er(0.07), 200),
        row("er 0.2, p=200", er(0.2), 200),
        row("er 0.3, p=200", er(0.3), 200),
        row("ba 0.2, p=100", ba(4), 100),
    ]
}

/// The samples of a time series in blocks: each is in part the one before.
fn series(table: &mut Table) {
    let n_columns = NODES;
    let n_samples = table.values.len() / n_columns;
    let fresh = (1.0 - CARRIED * CARRIED).sqrt();
    for sample in (0..n_samples).filter(|sample| sample % BLOCK != 0) {
        for node in 0..n_columns {
            let before = table.values[(sample - 1) * n_columns + node];
            let value = &mut table.values[sample * n_columns + node];
            *value = CARRIED * before + fresh * *value;
        }
    }
    table.blocks = Some((0..n_samples).map(|sample| (sample / BLOCK).to_string()).collect());
}

/// The F1 of consensus and views of every cell.
struct Scores<'a> {
    truth: &'a MultiviewGraph,
    found: Vec<[f64; 2]>,
}

impl Scores<'_> {
    fn of(&self, graph: &MultiviewGraph) -> Result<[f64; 2], Error> {
        let scores = evaluate(graph, self.truth)?;
        Ok([
            scores.consensus.map_or(f64::NAN, |score| score.f1()),
            scores.mean_view_f1(),
        ])
    }
}

impl Follow for Scores<'_> {
    type Error = Error;

    fn fitted(&mut self, _: &Cell, graph: &dyn Fn() -> MultiviewGraph) -> Result<(), Error> {
        self.found.push(self.of(&graph())?);
        Ok(())
    }
}

/// Of one data set: what each way of choosing scores, with the density it chose.
fn study(row: &Row, seed: u64) -> Result<Vec<[f64; 3]>, Error> {
    let mut simulation = simulate(&Settings {
        n_nodes: NODES,
        n_views: 6,
        n_signals: vec![row.signals],
        graph: row.graph,
        filter: row.filter,
        seed,
        ..Settings::default()
    })?;
    if row.is_series {
        simulation.tables.iter_mut().for_each(series);
    }
    let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    let mut scores = Scores {
        truth: &simulation.truth,
        found: Vec::new(),
    };
    let search = Search {
        grid: Grid::usual(NODES),
        may_extend: [true; 2],
        stability: Stability::default(),
    };
    let chosen = search.choose(&Smooth::default(), &views, Steps::default(), &mut scores, &no_progress)?;
    let listed: Vec<[f64; 2]> = chosen.order.iter().map(|&k| scores.found[k]).collect();
    let told = |cell: usize| [listed[cell][0], listed[cell][1], chosen.steps.cells[cell].density.value];
    let both = |k: &usize| listed[*k][0] + listed[*k][1];
    let oracle = (0..listed.len())
        .max_by(|i, j| both(i).total_cmp(&both(j)))
        .unwrap_or(0);
    let mut found = vec![told(oracle), told(most_stable(&search, &chosen, &views))];
    for keep in KEEPS {
        let stability = Stability {
            rule: Rule::Likelihood { keep },
            ..search.stability
        };
        let Steps {
            cells,
            tallies,
            halvings,
            ..
        } = &chosen.steps;
        let (_, cell) = stability.choose(views.n_pairs(), cells, tallies, *halvings);
        found.push(told(cell.unwrap_or(chosen.cell)));
    }
    let usual = Smooth::default().learn_to(&views, &Targets::default(), &no_progress)?;
    let [consensus, of_views] = scores.of(&usual.learned.graph)?;
    found.push([consensus, of_views, usual.learned.graph.mean_density()]);
    Ok(found)
}

/// The choice by stability, among the cells of the grid alone as it was before.
fn most_stable(search: &Search, chosen: &Chosen, views: &Views) -> usize {
    let Steps {
        cells,
        tallies,
        halvings,
        ..
    } = &chosen.steps;
    let is_of_grid = |cell: &Cell| {
        search.grid.densities.contains(&cell.density.target)
            && search.grid.similarities.contains(&cell.similarity.target)
    };
    let of_grid: Vec<usize> = (0..cells.len()).filter(|&k| is_of_grid(&cells[k])).collect();
    let stability = Stability {
        rule: Rule::Stability,
        ..search.stability
    };
    let own: Vec<Cell> = of_grid.iter().map(|&k| cells[k].clone()).collect();
    let heard: Vec<_> = of_grid.iter().map(|&k| tallies[k].clone()).collect();
    let (_, cell) = stability.choose(views.n_pairs(), &own, &heard, *halvings);
    cell.map_or(chosen.cell, |cell| of_grid[cell])
}

fn main() -> Result<(), Error> {
    let asked: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let sets = asked.first().copied().unwrap_or(5);
    let first_seed = asked.get(1).copied().unwrap_or(1501);
    println!("F1 of consensus/views (density chosen); sets {sets}, seeds from {first_seed}");
    println!("| truth | oracle | stability | likelihood 95 % | 97 % | 98 % | best | 90 % | `learn` |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut means: Vec<Vec<[f64; 3]>> = Vec::new();
    for (number, row) in rows().iter().enumerate() {
        if asked.get(2).is_some_and(|&only| only != number as u64) {
            continue;
        }
        let found: Vec<Vec<[f64; 3]>> = (0..sets)
            .map(|set| study(row, first_seed + 100 * number as u64 + set))
            .collect::<Result<_, Error>>()?;
        let mean = mean_of(&found);
        tell(row.name, &mean);
        means.push(mean);
    }
    tell("mean of rows", &mean_of(&means));
    Ok(())
}

/// The means of every column over several lines.
fn mean_of(lines: &[Vec<[f64; 3]>]) -> Vec<[f64; 3]> {
    let mean =
        |column: usize, part: usize| lines.iter().map(|line| line[column][part]).sum::<f64>() / lines.len() as f64;
    let n_columns = lines.first().map_or(0, Vec::len);
    (0..n_columns).map(|k| [mean(k, 0), mean(k, 1), mean(k, 2)]).collect()
}

fn tell(name: &str, mean: &[[f64; 3]]) {
    let cells: Vec<String> = mean
        .iter()
        .map(|[consensus, views, density]| format!("{consensus:.3}/{views:.3} ({density:.3})"))
        .collect();
    println!("| {name} | {} |", cells.join(" | "));
}
