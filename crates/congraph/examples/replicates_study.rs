//! Does `replicates` keep its word? And how many halves are fitted per second?
//!
//! ```text
//! cargo run --release -p congraph --example replicates_study [-- FIRST_SEED [N_SEEDS]]
//! cargo run --release -p congraph --example replicates_study -- speed
//! ```
//!
//! Seven kinds of data (50 nodes, 6 views, 25 blocks), each learned at the true density and at 1.5 times it. `said` is the
//! mean of `replicates` over the edges in a bin, `back` the share of them that a fit with the same α and β to fresh data of
//! the same size has. Edges are all that any half had: those of the views above, those of the consensus below. `frequency`
//! stands beside, before its calibration. `covered`: how often the weight in the fresh fit is within 2.06 √2 standard
//! errors of the weight, for edges of the fit.

use std::time::Instant;

use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::stability::{EdgeFigures, Stability};
use congraph::{
    Dial, Error, Learn, MultiviewGraph, Smooth, Table, Targets, ViewMatrix, ViewOptions, Views, no_progress,
};

const NODES: usize = 50;
const VIEWS: usize = 6;
const BLOCKS: usize = 25;
const BINS: [f64; 7] = [0.0, 0.2, 0.5, 0.8, 0.9, 0.98, 1.01];
/// A bin with fewer edges says nothing.
const FEWEST: usize = 100;
const TOLERANCE: f64 = 0.08;

struct Scenario {
    name: &'static str,
    graph: GraphModel,
    filter: Filter,
    n_signals: usize,
    shuffled: f64,
    /// How much a sample resembles the one before, within its block.
    memory: f64,
}

fn scenarios() -> Vec<Scenario> {
    let er = GraphModel::ErdosRenyi { probability: 0.1 };
    let one = |name, graph, filter, n_signals, shuffled, memory| Scenario {
        name,
        graph,
        filter,
        n_signals,
        shuffled,
        memory,
    };
    let ba = GraphModel::BarabasiAlbert { growth: 2 };
    vec![
        one("er p=100", er, Filter::Gaussian, 100, 0.1, 0.0),
        one("er p=300", er, Filter::Gaussian, 300, 0.1, 0.0),
        one("ar p=500", er, Filter::Gaussian, 500, 0.1, 0.8),
        one("ba p=300", ba, Filter::Gaussian, 300, 0.1, 0.0),
        one("pinv p=300", er, Filter::PseudoInverse, 300, 0.1, 0.0),
        one("(I+L)^-1 p=300", er, Filter::Tikhonov { t: 1.0 }, 300, 0.1, 0.0),
        one("er p=300, 40 % moved", er, Filter::Gaussian, 300, 0.4, 0.0),
    ]
}

/// What was said of edges, and whether they came back.
#[derive(Default)]
struct Judged {
    /// Of each bin: edges, the sum of what was said, and how many came back.
    bins: Vec<(usize, f64, usize)>,
}

impl Judged {
    fn add(&mut self, said: f64, back: bool) {
        self.bins.resize(BINS.len() - 1, (0, 0.0, 0));
        let bin = BINS
            .iter()
            .rposition(|&from| said >= from)
            .unwrap_or(0)
            .min(BINS.len() - 2);
        let (n, sum, n_back) = &mut self.bins[bin];
        *n += 1;
        *sum += said;
        *n_back += usize::from(back);
    }

    /// A row of the table, and by how much it is off at most in bins with enough edges.
    fn told(&self) -> (String, f64) {
        let mut worst = 0.0_f64;
        let cell = |&(n, sum, back): &(usize, f64, usize)| {
            if n < FEWEST {
                return format!("{:>18}", format!("({n})"));
            }
            let (said, back) = (sum / n as f64, back as f64 / n as f64);
            worst = worst.max((said - back).abs());
            format!("{:>18}", format!("{said:.2} → {back:.2} ({n})"))
        };
        let cells: Vec<String> = self.bins.iter().map(cell).collect();
        (cells.concat(), worst)
    }
}

#[derive(Default)]
struct Found {
    /// Of the consensus, and of the views: raw, calibrated.
    judged: [[Judged; 2]; 2],
    covered: [[usize; 2]; 2],
}

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "speed") {
        return speed();
    }
    let number = |k: usize, usual: u64| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let (first, n_seeds) = (number(0, 1000), number(1, 4));
    println!(
        "seeds {first} to {}; bins of what is said: {BINS:?}",
        first + n_seeds - 1
    );
    let mut worst = 0.0_f64;
    for scenario in scenarios() {
        for multiple in [1.0, 1.5] {
            let mut found = Found::default();
            for seed in first..first + n_seeds {
                judge(&scenario, multiple, seed, &mut found)?;
            }
            println!("\n{} at {multiple} × the true density", scenario.name);
            for (what, judged) in ["consensus", "views"].iter().zip(&found.judged) {
                for (name, judged) in ["frequency", "replicates"].iter().zip(judged) {
                    let (row, off) = judged.told();
                    println!("{what:10} {name:11}{row}   worst {off:.3}");
                    if *name == "replicates" {
                        worst = worst.max(off);
                    }
                }
            }
            let [consensus, views] = found.covered.map(|[n, all]| n as f64 / all as f64);
            println!("covered    consensus {consensus:.2}, views {views:.2}");
        }
    }
    println!("\n`replicates` is off by at most {worst:.3} in a bin of {FEWEST} edges; asked: {TOLERANCE}");
    Ok(())
}

/// Data of one scenario, and fresh data of the same graphs.
fn data(scenario: &Scenario, seed: u64) -> Result<([Views; 2], f64), Error> {
    let settings = Settings {
        n_nodes: NODES,
        n_views: VIEWS,
        n_signals: vec![2 * scenario.n_signals],
        graph: scenario.graph,
        filter: scenario.filter,
        shuffled: scenario.shuffled,
        seed,
        ..Settings::default()
    };
    let simulation = simulate(&settings)?;
    let density = simulation.truth.mean_density();
    let half = |which: usize| -> Result<Views, Error> {
        let table = |table: &Table| {
            let n = scenario.n_signals;
            let mut values = table.values[which * n * NODES..(which + 1) * n * NODES].to_vec();
            let block = |row: usize| row * BLOCKS / n;
            for row in 1..n {
                if block(row) == block(row - 1) {
                    for node in 0..NODES {
                        let before = values[(row - 1) * NODES + node];
                        let own = &mut values[row * NODES + node];
                        *own = scenario.memory * before + (1.0 - scenario.memory.powi(2)).sqrt() * *own;
                    }
                }
            }
            Table {
                blocks: Some((0..n).map(|row| format!("{:03}", block(row))).collect()),
                column_names: table.column_names.clone(),
                ..Table::new(table.name.clone(), NODES, values)
            }
        };
        let tables = simulation.tables.iter().map(table).collect();
        Ok(Views::assemble(tables, &ViewOptions::default())?.0)
    };
    Ok(([half(0)?, half(1)?], density))
}

fn judge(scenario: &Scenario, multiple: f64, seed: u64, found: &mut Found) -> Result<(), Error> {
    let ([views, fresh], density) = data(scenario, seed)?;
    let targets = Targets {
        density: Dial::At(multiple * density),
        ..Targets::default()
    };
    let method = Smooth::default().learn_to(&views, &targets, &no_progress)?.method;
    let halvings = Stability::default().of(&method, &views, &no_progress)?;
    let tallies = halvings.run_all(&no_progress)?;
    let again = method.learn(&fresh, &no_progress)?.graph;
    let everything = all_pairs(&views);
    let told = halvings.found(&tallies, &everything);
    let [full, back] = [halvings.graph(), &again].map(matrices);
    let consensus = told.consensus.unwrap_or_default();
    let of_views = told.views.unwrap_or_default();
    for (k, &[a, b]) in everything.pairs().iter().enumerate() {
        let at = a as usize * NODES + b as usize;
        let own = (0..VIEWS).map(|view| (1, &of_views[k * VIEWS + view], full[1 + view][at], back[1 + view][at]));
        let all = [(0, &consensus[k], full[0][at], back[0][at])].into_iter().chain(own);
        for (which, figures, weight, fresh) in all {
            let EdgeFigures {
                frequency,
                replicates: Some(replicates),
                weight_se,
                ..
            } = *figures
            else {
                continue;
            };
            if frequency > 0.0 {
                found.judged[which][0].add(frequency, fresh > 0.0);
                found.judged[which][1].add(replicates, fresh > 0.0);
            }
            if weight > 0.0 {
                let is_covered = (weight - fresh).abs() <= 2.06 * 2_f64.sqrt() * weight_se;
                found.covered[which][0] += usize::from(is_covered);
                found.covered[which][1] += 1;
            }
        }
    }
    Ok(())
}

/// A graph that lists all pairs, so that something is said of each.
fn all_pairs(views: &Views) -> MultiviewGraph {
    let pairs: Vec<[u32; 2]> = (0..NODES as u32)
        .flat_map(|a| (a + 1..NODES as u32).map(move |b| [a, b]))
        .collect();
    let weights = ViewMatrix::from_values(VIEWS, vec![1.0; pairs.len() * VIEWS]);
    let consensus = vec![1.0; pairs.len()];
    MultiviewGraph::new(
        views.nodes().to_vec(),
        views.names(),
        &pairs,
        &weights,
        Some(&consensus),
    )
}

/// The consensus' weights, then the views'.
fn matrices(graph: &MultiviewGraph) -> Vec<Vec<f64>> {
    let views = (0..VIEWS).map(|view| graph.adjacency(view));
    graph.consensus_adjacency().into_iter().chain(views).collect()
}

/// 310 fits at 64 nodes, 20 views and 34 blocks of 80 samples.
fn speed() -> Result<(), Error> {
    let settings = Settings {
        n_nodes: 64,
        n_views: 20,
        n_signals: vec![34 * 80],
        ..Settings::default()
    };
    let mut tables = simulate(&settings)?.tables;
    for table in &mut tables {
        table.blocks = Some((0..table.n_rows).map(|row| format!("{:02}", row / 80)).collect());
    }
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    let method = Smooth::default()
        .learn_to(&views, &Targets::default(), &no_progress)?
        .method;
    for memory in [1 << 30, 0] {
        let stability = Stability {
            memory,
            ..Stability::default()
        };
        let (clock, before) = (Instant::now(), processor_seconds());
        let halvings = stability.of(&method, &views, &no_progress)?;
        let ready = clock.elapsed().as_secs_f64();
        halvings.run_all(&no_progress)?;
        let seconds = clock.elapsed().as_secs_f64();
        let n = halvings.n_fits_of_all();
        // What the machine's other work does not change.
        let processor = (processor_seconds() - before) / n as f64;
        println!(
            "{n} fits from {} with {} threads: {seconds:.2} s ({ready:.2} s to make ready), {:.0} fits per second; {:.1} ms \
             of one core per fit",
            if halvings.has_sums() {
                "sums of blocks"
            } else {
                "samples"
            },
            rayon::current_num_threads(),
            n as f64 / seconds,
            1000.0 * processor
        );
    }
    Ok(())
}

/// How long this process has had a core, where the system tells.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
