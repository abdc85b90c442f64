//! How often comparisons find a difference where there is none, and how many of those that are there.
//!
//! ```text
//! cargo run --release -p congraph --example compare_study -- KIND [SETS [FIRST_SEED]] [NAME=VALUE …]
//!
//! null         10 + 10 views without a difference, 80 samples: any edge (component, node, density) at p_fwe ≤ 0.05
//! paired       12 subjects in two conditions without a difference
//! covariates   groups of different age, graphs that change with age and not with the group
//! power        8 edges that differ between groups (4 added, 4 removed), 30 samples: 16 + 16 and 8 + 24 views
//! patients     the same 8 edges in 80 % of the second group, 10 + 10 views, 80 samples: any component
//! speed        5000 relabellings of 20 + 20 views with 2016 edges
//! ```
//!
//! Every view moves 10 % of the edges of one Erdős–Rényi graph of 20 nodes, signals are Gaussian with covariance L†, noise
//! 10 %. α and β are found once, on a data set of seed 0, for a density (0.15, the true one) and a similarity that far from
//! its floor to 1. `per group` learns each group on its own: what must not be done. `world` has the names of what can be
//! set otherwise.

mod world;

use congraph::Table;
use congraph::compare::{Comparison, Covariate, CovariateValues, Design, Measure, Settings, Statistic, compare};
use congraph::{MultiviewGraph, Smooth, ViewMatrix};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use world::{Pairs, World, assembled, joined, learned, rng};

const PERMUTATIONS: usize = 499;

type Seeds = std::ops::Range<u64>;
type Kind = (&'static str, fn(&World, Seeds), u64);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let first = number(2, 1);
    let world = World::read(&words);
    println!("{world:?}");
    let study = words.first().map_or("all", String::as_str);
    let kinds: [Kind; 6] = [
        ("null", null, 1000),
        ("paired", paired, 300),
        ("covariates", covariates, 300),
        ("power", power, 300),
        ("patients", patients, 200),
        ("speed", speed, 1),
    ];
    for (name, run, usual) in kinds {
        if study == name || study == "all" {
            run(&world, first..first + number(1, usual));
        }
    }
}

fn groups(n_a: usize, n_b: usize) -> Vec<String> {
    let label = |view| String::from(if view < n_a { "a" } else { "b" });
    (0..n_a + n_b).map(label).collect()
}

fn compared(world: &World, graph: &MultiviewGraph, design: &Design, statistic: Statistic, seed: u64) -> Comparison {
    let settings = Settings {
        statistic: Some(statistic),
        permutations: PERMUTATIONS,
        seed,
        measures: vec![Measure::Edges, Measure::Components, Measure::Strength, Measure::Density],
        threshold: world.threshold,
        ..Settings::default()
    };
    compare(graph, design, &settings).expect("a design that can be tested")
}

const STATISTICS: [Statistic; 3] = [Statistic::Rank, Statistic::T, Statistic::Presence];
const HEADS: [&str; 8] = [
    "rank", "t", "presence", "NBS rank", "NBS t", "strength", "density", "above",
];

/// Whether anything is found: by each statistic of edges, by components, nodes and density (ranks); and in which share of
/// the relabellings there is a component (ranks).
fn anything(world: &World, graph: &MultiviewGraph, design: &Design, seed: u64) -> [f64; 8] {
    let found = STATISTICS.map(|statistic| compared(world, graph, design, statistic, seed));
    let any = |p: &mut dyn Iterator<Item = f64>| f64::from(p.filter(|p| *p <= 0.05).count() > 0);
    let edges = |found: &Comparison| any(&mut found.edges.iter().map(|row| row.p_fwe));
    let components = |found: &Comparison| any(&mut found.components.iter().map(|row| row.p_fwe));
    let null = found[0].component_null.values();
    [
        edges(&found[0]),
        edges(&found[1]),
        edges(&found[2]),
        components(&found[0]),
        components(&found[1]),
        any(&mut found[0].nodes.iter().map(|row| row.p_fwe)),
        any(&mut found[0].measures.iter().map(|row| row.p_fwe)),
        null.iter().filter(|intensity| **intensity > 0.0).count() as f64 / null.len() as f64,
    ]
}

/// A row of shares.
fn tell(name: &str, all: &[Vec<[f64; 8]>], at: usize) {
    let share = |column: usize| {
        format!(
            "{:>10.3}",
            all.iter().map(|set| set[at][column]).sum::<f64>() / all.len() as f64
        )
    };
    println!("{name:<24}{}", (0..8).map(share).collect::<String>());
}

fn head(title: &str, seeds: &Seeds) {
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

fn null(world: &World, seeds: Seeds) {
    let tables = |seed: u64| -> Vec<Table> {
        let graph = world.erdos_renyi(&mut rng(seed, 0));
        (0..20)
            .map(|number| world.view(number, &graph, world.moved, 80, seed))
            .collect()
    };
    let shares = [None, Some(0.25), Some(0.5), Some(0.75)];
    let methods = shares.map(|share| world.method(&assembled(tables(0)), share));
    head("10 + 10 views without a difference", &seeds);
    let design = Design {
        labels: groups(10, 10),
        ..Design::default()
    };
    let set = |seed: u64| -> Vec<[f64; 8]> {
        let tables = tables(seed);
        let pooled = methods.iter().zip(shares);
        let mut graphs: Vec<MultiviewGraph> = pooled
            .map(|(method, share)| world.pooled(method, share, tables.clone()))
            .collect();
        graphs.push(joined(
            &[0, 10].map(|from| learned(&methods[2], tables[from..from + 10].to_vec())),
        ));
        graphs
            .iter()
            .map(|graph| anything(world, graph, &design, seed))
            .collect()
    };
    let all: Vec<Vec<[f64; 8]>> = seeds.into_par_iter().map(set).collect();
    for (at, name) in ["separate", "1/4", "1/2", "3/4", "1/2, per group"].iter().enumerate() {
        tell(name, &all, at);
    }
}

fn paired(world: &World, seeds: Seeds) {
    let tables = |seed: u64| -> Vec<Table> {
        let graph = world.erdos_renyi(&mut rng(seed, 0));
        let subject = |view: usize| world.moved(&graph, world.moved, &mut rng(seed, 1000 + view as u64 % 12));
        (0..24)
            .map(|number| world.view(number, &subject(number), 0.05, 80, seed))
            .collect()
    };
    let methods = [None, Some(0.5)].map(|share| world.method(&assembled(tables(0)), share));
    head("12 subjects in two conditions without a difference", &seeds);
    let design = Design {
        labels: groups(12, 12),
        pairs: Some((0..24).map(|view| format!("s{:02}", view % 12)).collect()),
        covariates: Vec::new(),
    };
    let set = |seed: u64| -> Vec<[f64; 8]> {
        let tables = tables(seed);
        let mut graphs: Vec<MultiviewGraph> = methods.iter().map(|method| learned(method, tables.clone())).collect();
        graphs.push(joined(
            &[0, 12].map(|from| learned(&methods[1], tables[from..from + 12].to_vec())),
        ));
        graphs
            .iter()
            .map(|graph| anything(world, graph, &design, seed))
            .collect()
    };
    let all: Vec<Vec<[f64; 8]>> = seeds.into_par_iter().map(set).collect();
    for (at, name) in ["separate", "1/2", "1/2, per condition"].iter().enumerate() {
        tell(name, &all, at);
    }
}

/// Views of 12 + 12 subjects: six edges are there the more likely the older the subject; the second group is older.
fn of_age(world: &World, ages: &[f64], seed: u64) -> Vec<Table> {
    let graph = world.erdos_renyi(&mut rng(seed, 0));
    let mut others = world.absent(&graph);
    others.shuffle(&mut rng(seed, 1));
    let view = |number: usize| {
        let mut rng = rng(seed, 3000 + number as u64);
        let mut own = graph.clone();
        let likely = |rng: &mut ChaCha8Rng| rng.random::<f64>() < (ages[number] - 20.0) / 55.0;
        own.extend(others[..6].iter().filter(|_| likely(&mut rng)));
        world.view(number, &own, world.moved, 80, seed)
    };
    (0..24).map(view).collect()
}

fn covariates(world: &World, seeds: Seeds) {
    let ages = |seed: u64| -> Vec<f64> {
        let mut rng = rng(seed, 2000);
        (0..24)
            .map(|view| 20.0 + 15.0 * f64::from(view >= 12) + 40.0 * rng.random::<f64>())
            .collect()
    };
    let method = world.method(&assembled(of_age(world, &ages(0), 0)), Some(0.5));
    head("12 + 12 views of different age, half-way", &seeds);
    let set = |seed: u64| -> Vec<[f64; 8]> {
        let graph = learned(&method, of_age(world, &ages(seed), seed));
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
            .map(|design| anything(world, &graph, design, seed))
            .collect()
    };
    let all: Vec<Vec<[f64; 8]>> = seeds.into_par_iter().map(set).collect();
    for (at, name) in ["age ignored", "age as a covariate"].iter().enumerate() {
        tell(name, &all, at);
    }
}

const SHARES: [(&str, Option<f64>); 4] = [
    ("separate", None),
    ("1/4", Some(0.25)),
    ("1/2", Some(0.5)),
    ("3/4", Some(0.75)),
];

/// Two groups that differ: how many views, how many samples, and how many of the second group have the other graph.
#[derive(Clone, Copy)]
struct Study {
    sizes: [usize; 2],
    n_samples: usize,
    affected: f64,
}

impl Study {
    fn tables(&self, world: &World, seed: u64) -> (Vec<Table>, Pairs) {
        let (one, two, changed) = world.planted(&mut rng(seed, 0));
        let n_affected = (self.affected * self.sizes[1] as f64).round() as usize;
        let graph = |view: usize| {
            let is_affected = (self.sizes[0]..self.sizes[0] + n_affected).contains(&view);
            if is_affected { &two } else { &one }
        };
        let view = |number: usize| world.view(number, graph(number), world.moved, self.n_samples, seed);
        ((0..self.sizes[0] + self.sizes[1]).map(view).collect(), changed)
    }

    /// A row for each coupling: planted edges found and others called by each statistic, and any component (ranks, t).
    fn run(&self, world: &World, seeds: &Seeds) {
        let [n_a, n_b] = self.sizes;
        let design = Design {
            labels: groups(n_a, n_b),
            ..Design::default()
        };
        println!(
            "\n{n_a} + {n_b} views, {} samples, {:.0} % affected",
            self.n_samples,
            100.0 * self.affected
        );
        println!(
            "{:<24}{:>14}{:>14}{:>14}{:>14}",
            "", "rank", "t", "presence", "NBS rank (t)"
        );
        for (name, share) in SHARES {
            let method = world.method(&assembled(self.tables(world, 0).0), share);
            let set = |seed: u64| self.judged(world, (&method, share), &design, seed);
            let all: Vec<[[f64; 3]; 3]> = seeds.clone().into_par_iter().map(set).collect();
            let mean = |k: usize, what: usize| all.iter().map(|set| set[k][what]).sum::<f64>() / all.len() as f64;
            let cell = |k: usize| format!("{:>7.2} ({:>4.1})", mean(k, 0), mean(k, 1));
            let components = format!("{:>7.2} ({:.2})", mean(0, 2), mean(1, 2));
            println!("{name:<24}{}{components}", (0..3).map(cell).collect::<String>());
        }
    }

    /// Of each statistic: the share of planted edges found, how many others are called, and whether a component is.
    fn judged(&self, world: &World, method: (&Smooth, Option<f64>), design: &Design, seed: u64) -> [[f64; 3]; 3] {
        let (tables, changed) = self.tables(world, seed);
        let graph = world.pooled(method.0, method.1, tables);
        STATISTICS.map(|statistic| {
            let found = compared(world, &graph, design, statistic, seed);
            let called = found.edges.iter().filter(|row| row.p_fwe <= 0.05);
            let is_planted = |pair: [usize; 2]| changed.contains(&[pair[0].min(pair[1]), pair[0].max(pair[1])]);
            let (right, wrong): (Vec<_>, Vec<_>) = called.partition(|row| is_planted(row.pair));
            let component = found.components.iter().any(|row| row.p_fwe <= 0.05);
            [
                right.len() as f64 / changed.len() as f64,
                wrong.len() as f64,
                f64::from(component),
            ]
        })
    }
}

fn told(seeds: &Seeds) {
    println!(
        "\n8 edges differ: the share of them found, other edges called per study, and studies with a component: seeds {} \
         to {}",
        seeds.start,
        seeds.end - 1
    );
}

fn power(world: &World, seeds: Seeds) {
    told(&seeds);
    for sizes in [[16, 16], [8, 24]] {
        let study = Study {
            sizes,
            n_samples: 30,
            affected: 1.0,
        };
        study.run(world, &seeds);
    }
}

fn patients(world: &World, seeds: Seeds) {
    told(&seeds);
    let study = Study {
        sizes: [10, 10],
        n_samples: 80,
        affected: 0.8,
    };
    study.run(world, &seeds);
}

/// How long all tests of 5000 relabellings take: 64 nodes, all pairs, 40 views.
fn speed(_: &World, seeds: Seeds) {
    let names = |what: &str, n: usize| (0..n).map(|k| format!("{what}{k:02}")).collect::<Vec<String>>();
    let pairs: Vec<[u32; 2]> = (1..64).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
    let mut rng = rng(seeds.start, 0);
    let weights = (0..pairs.len() * 40).map(|_| rng.random::<f64>()).collect();
    let weights = ViewMatrix::from_values(40, weights);
    let graph = MultiviewGraph::new(names("n", 64), names("v", 40), &pairs, &weights, None);
    let design = Design {
        labels: groups(20, 20),
        ..Design::default()
    };
    for statistic in [Statistic::Rank, Statistic::T] {
        let settings = Settings {
            statistic: Some(statistic),
            ..Settings::default()
        };
        let clock = std::time::Instant::now();
        let found = compare(&graph, &design, &settings).expect("a design that can be tested");
        println!(
            "{} relabellings of {} edges by {}: {:.2} s with {} threads",
            found.n_relabellings,
            found.edges.len(),
            statistic.name(),
            clock.elapsed().as_secs_f64(),
            rayon::current_num_threads()
        );
    }
}
