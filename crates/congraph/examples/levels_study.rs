//! What a level for subjects buys: F1 of views, subjects and the consensus along ρ.
//!
//! `cargo run --release -p congraph --example levels_study [-- SETS [FIRST_SEED]]`
//!
//! 25 nodes, 10 subjects in 2 conditions, 60 samples of each view, a connected Erdős–Rényi graph of density 0.15 of which
//! every subject moves some edges, and every condition of it some more; Gaussian signals with covariance L†, a tenth of
//! noise. Everything is learned at the true density; of the similarities 0.2 to 0.95 of the way from its floor to 1 the one
//! with the highest sum of F1s counts, knowing the truth, for each ρ and data set. ρ = 1 is the flat fit, ρ = 0 (here 0.001) a
//! consensus for each subject; separate graphs (svGL) have the edges of most views as their consensus.

use std::sync::Arc;

use congraph::penalties::TwoLevels;
use congraph::{Coupling, Dial, Model, MultiviewGraph, Smooth, Table, Targets, ViewOptions, Views, no_progress};
use faer::{Mat, Side};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

const NODES: usize = 25;
const SUBJECTS: usize = 10;
const CONDITIONS: usize = 2;
const SAMPLES: usize = 60;
const DENSITY: f64 = 0.15;
const RHOS: [f64; 4] = [0.001, 0.35, 0.6, 1.0];
const WAYS: [f64; 7] = [0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95];
/// How many of the edges a subject moves, and how many more a condition.
const TRUTHS: [[f64; 2]; 3] = [[0.25, 0.08], [0.10, 0.10], [0.40, 0.05]];

type Pairs = Vec<[usize; 2]>;
/// F1 of the views, of the subjects, and of the consensus.
type Scores = [f64; 3];

fn all_pairs() -> impl Iterator<Item = [usize; 2]> {
    (1..NODES).flat_map(|b| (0..b).map(move |a| [a, b]))
}

fn is_connected(pairs: &Pairs) -> bool {
    let mut reached = [false; NODES];
    reached[0] = true;
    for _ in 0..NODES {
        for &[a, b] in pairs {
            let either = reached[a] || reached[b];
            (reached[a], reached[b]) = (either, either);
        }
    }
    reached.iter().all(|is| *is)
}

fn erdos_renyi(rng: &mut ChaCha8Rng) -> Pairs {
    loop {
        let pairs: Pairs = all_pairs().filter(|_| rng.random::<f64>() < DENSITY).collect();
        if is_connected(&pairs) {
            return pairs;
        }
    }
}

/// The graph with a share of its edges elsewhere, connected.
fn moved(pairs: &Pairs, share: f64, rng: &mut ChaCha8Rng) -> Pairs {
    let n = (share * pairs.len() as f64).round() as usize;
    loop {
        let mut kept = pairs.clone();
        let mut others: Pairs = all_pairs().filter(|pair| !pairs.contains(pair)).collect();
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
fn signals(name: String, pairs: &Pairs, rng: &mut ChaCha8Rng) -> Table {
    let mut laplacian = Mat::<f64>::zeros(NODES, NODES);
    for &[a, b] in pairs {
        laplacian[(a, b)] -= 1.0;
        laplacian[(b, a)] -= 1.0;
        laplacian[(a, a)] += 1.0;
        laplacian[(b, b)] += 1.0;
    }
    let parts = laplacian.self_adjoint_eigen(Side::Lower).expect("finite numbers");
    let (vectors, values) = (parts.U(), parts.S().column_vector());
    let mut draw = || -> f64 { StandardNormal.sample(rng) };
    let mut signals = vec![0.0; SAMPLES * NODES];
    for row in signals.chunks_exact_mut(NODES) {
        for k in (0..NODES).filter(|&k| values[k] > 1e-9) {
            let size = draw() / values[k].sqrt();
            let nodes = row.iter_mut().enumerate();
            nodes.for_each(|(node, x)| *x += size * vectors[(node, k)]);
        }
    }
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let noise: Vec<f64> = (0..signals.len()).map(|_| draw()).collect();
    let scale = 0.1 * norm(&signals) / norm(&noise);
    let both = signals.iter_mut().zip(&noise);
    both.for_each(|(x, noise)| *x += scale * noise);
    Table::new(name, NODES, signals)
}

/// The true graphs of a data set, and its views.
struct Set {
    views: Views,
    consensus: Pairs,
    subjects: Vec<Pairs>,
    of_views: Vec<Pairs>,
}

impl Set {
    fn new([by_subject, by_condition]: [f64; 2], seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let consensus = erdos_renyi(&mut rng);
        let (mut subjects, mut of_views, mut tables, mut labels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for subject in 0..SUBJECTS {
            let own = moved(&consensus, by_subject, &mut rng);
            for condition in 0..CONDITIONS {
                let graph = moved(&own, by_condition, &mut rng);
                tables.push(signals(format!("s{subject}c{condition}"), &graph, &mut rng));
                labels.push(format!("s{subject}"));
                of_views.push(graph);
            }
            subjects.push(own);
        }
        let (views, _) = Views::assemble(tables, &ViewOptions::default()).expect("sound tables");
        Self {
            views: views.with_subjects(&labels).expect("two views of each"),
            consensus,
            subjects,
            of_views,
        }
    }

    fn scores(&self, graph: &MultiviewGraph) -> Scores {
        let n_views = graph.n_views();
        let views: Vec<Vec<f64>> = (0..n_views).map(|view| graph.adjacency(view)).collect();
        let shared = graph.consensus_adjacency().unwrap_or_else(|| {
            let most = |at: usize| views.iter().filter(|view| view[at] > 0.0).count() * 2 > n_views;
            (0..NODES * NODES).map(|at| f64::from(most(at))).collect()
        });
        let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
        let of_views = views.iter().zip(&self.of_views).map(|(found, truth)| f1(found, truth));
        let subject = |(subject, truth): (usize, &Pairs)| {
            let found = graph.subject_adjacency(subject);
            found.map_or(f64::NAN, |found| f1(&found, truth))
        };
        [
            mean(of_views.collect()),
            mean(self.subjects.iter().enumerate().map(subject).collect()),
            f1(&shared, &self.consensus),
        ]
    }

    /// Of separate graphs, and of each ρ.
    fn study(&self) -> Vec<Scores> {
        let alone = Smooth::with_model(Model::uncoupled(0.1));
        let targets = Targets {
            density: Dial::At(DENSITY),
            similarity: Dial::Fixed,
            ..Targets::default()
        };
        let alone = alone
            .learn_to(&self.views, &targets, &no_progress)
            .expect("a density in reach");
        let floor = alone.learned.graph.similarity().unwrap_or(0.0);
        let mut found = vec![self.scores(&alone.learned.graph)];
        for rho in RHOS {
            let mut method = Smooth::default();
            if let Coupling::Consensus { penalty, .. } = &mut method.model.coupling {
                *penalty = Arc::new(TwoLevels::new(rho));
            }
            let of_way = |way: &f64| {
                let targets = Targets::new(DENSITY, floor + way * (1.0 - floor));
                let learned = method.learn_to(&self.views, &targets, &no_progress).ok()?;
                Some(self.scores(&learned.learned.graph))
            };
            let sum = |scores: &Scores| scores.iter().sum::<f64>();
            let best = WAYS
                .iter()
                .filter_map(of_way)
                .max_by(|one, two| sum(one).total_cmp(&sum(two)));
            found.push(best.unwrap_or([f64::NAN; 3]));
        }
        found
    }
}

fn f1(found: &[f64], truth: &Pairs) -> f64 {
    let learned: Pairs = all_pairs().filter(|&[a, b]| found[a * NODES + b] > 0.0).collect();
    let right = learned.iter().filter(|pair| truth.contains(pair)).count() as f64;
    2.0 * right / (learned.len() + truth.len()).max(1) as f64
}

fn main() {
    let number = |at: usize, usual: u64| {
        std::env::args()
            .nth(at)
            .and_then(|word| word.parse().ok())
            .unwrap_or(usual)
    };
    let (sets, first) = (number(1, 10), number(2, 5001));
    println!(
        "seeds {first} to {}; F1 of views / subjects / consensus",
        first + sets - 1
    );
    println!("| subject moves, condition moves | svGL | ρ = 0 | 0.35 | 0.6 | 1 (flat) |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for truth in TRUTHS {
        let one = |seed: u64| Set::new(truth, seed).study();
        let all: Vec<Vec<Scores>> = (first..first + sets).into_par_iter().map(one).collect();
        let cell = |column: usize| {
            let mean = |k: usize| {
                let mean = all.iter().map(|set| set[column][k]).sum::<f64>() / all.len() as f64;
                if mean.is_nan() {
                    "–".into()
                } else {
                    format!("{mean:.2}")
                }
            };
            format!("{}/{}/{}", mean(0), mean(1), mean(2))
        };
        let cells: Vec<String> = (0..=RHOS.len()).map(cell).collect();
        println!(
            "| {:.0} %, {:.0} % | {} |",
            100.0 * truth[0],
            100.0 * truth[1],
            cells.join(" | ")
        );
    }
}
