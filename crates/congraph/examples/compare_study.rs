//! How often comparisons find a difference where there is none, and how many of those that are there.
//!
//! `cargo run --release -p congraph --example compare_study [-- null|paired|covariates|power [SETS [FIRST_SEED [DENSITY]]]]`
//!
//! ```text
//! null         10 + 10 views without a difference, 20 nodes, 80 samples: any edge (component, node, density) at p_fwe ≤ 0.05
//! paired       12 subjects in two conditions without a difference
//! covariates   groups of different age, graphs that change with age and not with the group
//! power        8 edges that differ between groups (4 added, 4 removed), 30 samples: 16 + 16 and 8 + 24 views
//! ```
//!
//! Every view moves 10 % of the edges of one Erdős–Rényi graph, signals are Gaussian with covariance L†, noise 10 %. α and
//! β are found once, on a data set of seed 0, for a density (0.15, the true one) and a similarity that far from its floor to 1.
//! `per group` learns each group on its own: what must not be done.

use congraph::compare::{Comparison, Covariate, CovariateValues, Design, Measure, Settings, Statistic, compare};
use congraph::{
    Dial, Learn, Model, MultiviewGraph, Smooth, Table, Targets, ViewMatrix, ViewOptions, Views, no_progress,
};
use faer::{Mat, Side};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

const N_NODES: usize = 20;
const PROBABILITY: f64 = 0.15;
const PERMUTATIONS: usize = 499;

type Pairs = Vec<[usize; 2]>;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let first = number(2, 1);
    let seeds = |n: u64| first..first + number(1, n);
    let study = words.first().map_or("all", String::as_str);
    for (name, run) in [
        ("null", null as fn(std::ops::Range<u64>)),
        ("paired", paired),
        ("covariates", covariates),
        ("power", power),
    ] {
        if study == name || study == "all" {
            run(seeds(if name == "null" { 1000 } else { 300 }));
        }
    }
}

/// What is known of a view beside its samples.
#[derive(Clone, Copy)]
struct Kind<'k> {
    /// The graph that it moves edges of.
    graph: &'k Pairs,
    moved: f64,
    n_samples: usize,
}

fn rng(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// A connected Erdős–Rényi graph.
fn erdos_renyi(rng: &mut ChaCha8Rng) -> Pairs {
    loop {
        let all = (1..N_NODES).flat_map(|b| (0..b).map(move |a| [a, b]));
        let pairs: Pairs = all.filter(|_| rng.random::<f64>() < PROBABILITY).collect();
        if is_connected(&pairs) {
            return pairs;
        }
    }
}

fn is_connected(pairs: &Pairs) -> bool {
    let mut reached = [false; N_NODES];
    reached[0] = true;
    for _ in 0..N_NODES {
        for &[a, b] in pairs {
            let either = reached[a] || reached[b];
            (reached[a], reached[b]) = (either, either);
        }
    }
    reached.iter().all(|is| *is)
}

fn absent(pairs: &Pairs) -> Pairs {
    let all = (1..N_NODES).flat_map(|b| (0..b).map(move |a| [a, b]));
    all.filter(|pair| !pairs.contains(pair)).collect()
}

/// The graph with a share of its edges elsewhere, connected.
fn moved(pairs: &Pairs, share: f64, rng: &mut ChaCha8Rng) -> Pairs {
    let n = (share * pairs.len() as f64).round() as usize;
    loop {
        let (mut kept, mut others) = (pairs.clone(), absent(pairs));
        kept.shuffle(rng);
        others.shuffle(rng);
        kept.truncate(pairs.len() - n);
        kept.extend(&others[..n]);
        if is_connected(&kept) {
            return kept;
        }
    }
}

/// Signals with covariance L†, and a tenth of noise.
fn signals(name: String, pairs: &Pairs, n_samples: usize, rng: &mut ChaCha8Rng) -> Table {
    let mut laplacian = Mat::<f64>::zeros(N_NODES, N_NODES);
    for &[a, b] in pairs {
        laplacian[(a, b)] -= 1.0;
        laplacian[(b, a)] -= 1.0;
        laplacian[(a, a)] += 1.0;
        laplacian[(b, b)] += 1.0;
    }
    let parts = laplacian.self_adjoint_eigen(Side::Lower).expect("finite numbers");
    let (vectors, values) = (parts.U(), parts.S().column_vector());
    let mut signals = vec![0.0; n_samples * N_NODES];
    let mut draw = || -> f64 { StandardNormal.sample(rng) };
    for row in signals.chunks_exact_mut(N_NODES) {
        for k in (0..N_NODES).filter(|&k| values[k] > 1e-9) {
            let size = draw() / values[k].sqrt();
            row.iter_mut()
                .enumerate()
                .for_each(|(node, x)| *x += size * vectors[(node, k)]);
        }
    }
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let noise: Vec<f64> = (0..signals.len()).map(|_| draw()).collect();
    let scale = 0.1 * norm(&signals) / norm(&noise);
    signals
        .iter_mut()
        .zip(&noise)
        .for_each(|(x, noise)| *x += scale * noise);
    Table::new(name, N_NODES, signals)
}

fn view(number: usize, kind: Kind<'_>, seed: u64) -> Table {
    let mut rng = rng(seed, 1 + number as u64);
    let graph = moved(kind.graph, kind.moved, &mut rng);
    signals(format!("v{number:02}"), &graph, kind.n_samples, &mut rng)
}

fn assembled(tables: Vec<Table>) -> Views {
    Views::assemble(tables, &ViewOptions::default())
        .expect("sound tables")
        .0
}

/// The method whose views are that far from their floor to 1 alike; none for separate graphs.
fn method(views: &Views, share: Option<f64>) -> Smooth {
    let wanted = std::env::args()
        .nth(4)
        .and_then(|word| word.parse().ok())
        .unwrap_or(PROBABILITY);
    let density = Dial::At(wanted);
    let single = Smooth::with_model(Model::uncoupled(0.1));
    let Some(share) = share else {
        let targets = Targets {
            density,
            similarity: Dial::Fixed,
            ..Targets::default()
        };
        return single
            .learn_to(views, &targets, &no_progress)
            .expect("a density in reach")
            .method;
    };
    let alone = method(views, None).learn(views, &no_progress).expect("a fit");
    let floor = alone.graph.similarity().unwrap_or(0.0);
    let targets = Targets::new(wanted, floor + share * (1.0 - floor));
    Smooth::default()
        .learn_to(views, &targets, &no_progress)
        .expect("targets in reach")
        .method
}

fn learned(method: &Smooth, tables: Vec<Table>) -> MultiviewGraph {
    method.learn(&assembled(tables), &no_progress).expect("a fit").graph
}

/// The graphs of several fits as if they were of one.
fn joined(parts: &[MultiviewGraph]) -> MultiviewGraph {
    let mut pairs: Vec<[u32; 2]> = parts.iter().flat_map(|part| part.pairs().to_vec()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let views: Vec<String> = parts.iter().flat_map(|part| part.views().to_vec()).collect();
    let mut rows = ViewMatrix::zeros(0, views.len());
    for pair in &pairs {
        let mut row = Vec::new();
        for part in parts {
            match part.pairs().binary_search(pair) {
                Ok(edge) => row.extend(part.weights().row(edge)),
                Err(_) => row.extend(vec![0.0; part.n_views()]),
            }
        }
        rows.push_row(&row);
    }
    MultiviewGraph::new(parts[0].nodes().to_vec(), views, &pairs, &rows, None)
}

fn groups(n_a: usize, n_b: usize) -> Vec<String> {
    let label = |view| String::from(if view < n_a { "a" } else { "b" });
    (0..n_a + n_b).map(label).collect()
}

fn compared(graph: &MultiviewGraph, design: &Design, statistic: Statistic, seed: u64) -> Comparison {
    let settings = Settings {
        statistic: Some(statistic),
        permutations: PERMUTATIONS,
        seed,
        measures: vec![Measure::Edges, Measure::Components, Measure::Strength, Measure::Density],
        ..Settings::default()
    };
    compare(graph, design, &settings).expect("a design that can be tested")
}

const STATISTICS: [Statistic; 3] = [Statistic::Rank, Statistic::T, Statistic::Presence];
const HEADS: [&str; 6] = ["rank", "t", "presence", "NBS rank", "strength", "density"];

/// Whether anything is found: by each statistic of edges, by components, nodes and density (ranks).
fn anything(graph: &MultiviewGraph, design: &Design, seed: u64) -> [bool; 6] {
    let found = STATISTICS.map(|statistic| compared(graph, design, statistic, seed));
    let any = |p: &mut dyn Iterator<Item = f64>| p.filter(|p| *p <= 0.05).count() > 0;
    let edges = |found: &Comparison| any(&mut found.edges.iter().map(|row| row.p_fwe));
    [
        edges(&found[0]),
        edges(&found[1]),
        edges(&found[2]),
        any(&mut found[0].components.iter().map(|row| row.p_fwe)),
        any(&mut found[0].nodes.iter().map(|row| row.p_fwe)),
        any(&mut found[0].measures.iter().map(|row| row.p_fwe)),
    ]
}

/// A row of shares.
fn tell(name: &str, all: &[Vec<[bool; 6]>], at: usize) {
    let share = |column: usize| {
        let found = all.iter().filter(|set| set[at][column]).count();
        format!("{:>10.3}", found as f64 / all.len() as f64)
    };
    println!("{name:<24}{}", (0..6).map(share).collect::<String>());
}

fn head(title: &str, seeds: &std::ops::Range<u64>) {
    println!(
        "\n{title}: seeds {} to {}, {PERMUTATIONS} relabellings",
        seeds.start,
        seeds.end - 1
    );
    println!(
        "{:<24}{}",
        "share with a finding",
        HEADS.map(|word| format!("{word:>10}")).concat()
    );
}

fn null(seeds: std::ops::Range<u64>) {
    let tables = |seed: u64| -> Vec<Table> {
        let graph = erdos_renyi(&mut rng(seed, 0));
        let kind = Kind {
            graph: &graph,
            moved: 0.1,
            n_samples: 80,
        };
        (0..20).map(|number| view(number, kind, seed)).collect()
    };
    let shares = [None, Some(0.25), Some(0.5), Some(0.75)];
    let methods = shares.map(|share| method(&assembled(tables(0)), share));
    head("10 + 10 views without a difference", &seeds);
    let design = Design {
        labels: groups(10, 10),
        ..Design::default()
    };
    let set = |seed: u64| -> Vec<[bool; 6]> {
        let tables = tables(seed);
        let pooled = methods.iter().map(|method| learned(method, tables.clone()));
        let mut graphs: Vec<MultiviewGraph> = pooled.collect();
        graphs.push(joined(
            &[0, 10].map(|from| learned(&methods[2], tables[from..from + 10].to_vec())),
        ));
        graphs.iter().map(|graph| anything(graph, &design, seed)).collect()
    };
    let all: Vec<Vec<[bool; 6]>> = seeds.into_par_iter().map(set).collect();
    for (at, name) in ["separate", "1/4", "1/2", "3/4", "1/2, per group"].iter().enumerate() {
        tell(name, &all, at);
    }
}

fn paired(seeds: std::ops::Range<u64>) {
    let tables = |seed: u64| -> Vec<Table> {
        let graph = erdos_renyi(&mut rng(seed, 0));
        let subject = |view: usize| moved(&graph, 0.1, &mut rng(seed, 1000 + view as u64 % 12));
        (0..24)
            .map(|number| {
                view(
                    number,
                    Kind {
                        graph: &subject(number),
                        moved: 0.05,
                        n_samples: 80,
                    },
                    seed,
                )
            })
            .collect()
    };
    let methods = [None, Some(0.5)].map(|share| method(&assembled(tables(0)), share));
    head("12 subjects in two conditions without a difference", &seeds);
    let design = Design {
        labels: groups(12, 12),
        pairs: Some((0..24).map(|view| format!("s{:02}", view % 12)).collect()),
        covariates: Vec::new(),
    };
    let set = |seed: u64| -> Vec<[bool; 6]> {
        let tables = tables(seed);
        let mut graphs: Vec<MultiviewGraph> = methods.iter().map(|method| learned(method, tables.clone())).collect();
        graphs.push(joined(
            &[0, 12].map(|from| learned(&methods[1], tables[from..from + 12].to_vec())),
        ));
        graphs.iter().map(|graph| anything(graph, &design, seed)).collect()
    };
    let all: Vec<Vec<[bool; 6]>> = seeds.into_par_iter().map(set).collect();
    for (at, name) in ["separate", "1/2", "1/2, per condition"].iter().enumerate() {
        tell(name, &all, at);
    }
}

fn covariates(seeds: std::ops::Range<u64>) {
    // Six edges are there the more likely the older the subject; the second group is older.
    let ages = |seed: u64| -> Vec<f64> {
        let mut rng = rng(seed, 2000);
        (0..24)
            .map(|view| 20.0 + 15.0 * f64::from(view >= 12) + 40.0 * rng.random::<f64>())
            .collect()
    };
    let tables = |seed: u64| -> Vec<Table> {
        let graph = erdos_renyi(&mut rng(seed, 0));
        let mut others = absent(&graph);
        others.shuffle(&mut rng(seed, 1));
        let ages = ages(seed);
        (0..24)
            .map(|number| {
                let mut rng = rng(seed, 3000 + number as u64);
                let mut own = graph.clone();
                let likely = |rng: &mut ChaCha8Rng| rng.random::<f64>() < (ages[number] - 20.0) / 55.0;
                own.extend(others[..6].iter().filter(|_| likely(&mut rng)));
                view(
                    number,
                    Kind {
                        graph: &own,
                        moved: 0.1,
                        n_samples: 80,
                    },
                    seed,
                )
            })
            .collect()
    };
    let method = method(&assembled(tables(0)), Some(0.5));
    head("12 + 12 views of different age, half-way", &seeds);
    let set = |seed: u64| -> Vec<[bool; 6]> {
        let graph = learned(&method, tables(seed));
        let values = CovariateValues::Numbers(ages(seed));
        let ignored = Design {
            labels: groups(12, 12),
            ..Design::default()
        };
        let with = Design {
            covariates: vec![Covariate {
                name: "age".into(),
                values,
            }],
            ..ignored.clone()
        };
        [ignored, with]
            .iter()
            .map(|design| anything(&graph, design, seed))
            .collect()
    };
    let all: Vec<Vec<[bool; 6]>> = seeds.into_par_iter().map(set).collect();
    for (at, name) in ["age ignored", "age as a covariate"].iter().enumerate() {
        tell(name, &all, at);
    }
}

/// For each statistic: planted edges found, and others called.
type Power = [[f64; 2]; 3];

fn power(seeds: std::ops::Range<u64>) {
    println!(
        "\n8 of the edges differ, 30 samples: seeds {} to {}",
        seeds.start,
        seeds.end - 1
    );
    println!("share of them found, and other edges called per study");
    for (n_a, n_b) in [(16, 16), (8, 24)] {
        let planted = |seed: u64| -> (Pairs, Pairs, Pairs) {
            let mut rng = rng(seed, 0);
            loop {
                let graph = erdos_renyi(&mut rng);
                let (mut kept, mut others) = (graph.clone(), absent(&graph));
                kept.shuffle(&mut rng);
                others.shuffle(&mut rng);
                let mut changed = kept.split_off(kept.len() - 4);
                changed.extend(&others[..4]);
                kept.extend(&others[..4]);
                if is_connected(&kept) {
                    return (graph, kept, changed);
                }
            }
        };
        let tables = |seed: u64| -> Vec<Table> {
            let (one, two, _) = planted(seed);
            let graph = |view: usize| if view < n_a { &one } else { &two };
            let kind = |view: usize| Kind {
                graph: graph(view),
                moved: 0.1,
                n_samples: 30,
            };
            (0..n_a + n_b).map(|number| view(number, kind(number), seed)).collect()
        };
        let shares = [
            ("separate", None),
            ("1/4", Some(0.25)),
            ("1/2", Some(0.5)),
            ("3/4", Some(0.75)),
        ];
        let design = Design {
            labels: groups(n_a, n_b),
            ..Design::default()
        };
        println!(
            "{:<24}{:>14}{:>14}{:>14}",
            format!("{n_a} + {n_b} views"),
            "rank",
            "t",
            "presence"
        );
        for (name, share) in shares {
            let method = method(&assembled(tables(0)), share);
            let set = |seed: u64| -> Power {
                let graph = learned(&method, tables(seed));
                let (.., changed) = planted(seed);
                STATISTICS.map(|statistic| {
                    let found = compared(&graph, &design, statistic, seed);
                    let called = found.edges.iter().filter(|row| row.p_fwe <= 0.05);
                    let (right, wrong): (Vec<_>, Vec<_>) = called.partition(|row| changed.contains(&row.pair));
                    [right.len() as f64 / changed.len() as f64, wrong.len() as f64]
                })
            };
            let all: Vec<Power> = seeds.clone().into_par_iter().map(set).collect();
            let mean = |k: usize, what: usize| all.iter().map(|set| set[k][what]).sum::<f64>() / all.len() as f64;
            let cell = |k: usize| format!("{:>7.2} ({:>4.1})", mean(k, 0), mean(k, 1));
            println!("{name:<24}{}", (0..3).map(cell).collect::<String>());
        }
    }
}
