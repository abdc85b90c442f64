//! What do signs cost? Signed graphs of data with negative edges, against unsigned graphs of the same data without.
//!
//! `cargo run --release -p congraph --example signed_study [-- SEEDS [FIRST SEED]]`
//!
//! Gaussian samples of precision matrices Θ = diag(Σ|w| + c) − W on simulated graphs of 60 nodes and 5 views, as many as 500 in each.
//!
//! ```text
//! attractive   all edges positive: what the unsigned problem is made for
//! flipped      the same samples with the signs of half of the nodes turned: the signed problem must not notice
//! frustrated   every edge with a sign of its own, which no turning of nodes takes back
//! ```
//!
//! Where edges frustrate each other, the paths between two nodes cancel instead of adding up: correlations are weaker, and the
//! same samples tell less. So the frustrated data have a reference of their own, `told`: the unsigned problem of the distances
//! that are left when every pair's signals are turned back, min(‖x_a − x_b‖², ‖x_a + x_b‖²), at the signed fit's α and β.
//!
//! How much less is seen by the rows `best`: density and similarity by the best view F1, told by the truth, of the unsigned
//! problem on attractive data and of the signed one on frustrated data. What these differ by, no signed method can make up
//! for by choosing better. The rows `likelihood` are told nothing, nor the density; attractive and of both signs.
//!
//! F1 of the consensus and mean F1 of the views, each at the density of the truth; counting signs, an edge of the wrong sign is a
//! false one and the true one is missed.

use std::sync::Arc;

use congraph::methods::likelihood::{self, Likelihood, Signs};
use congraph::simulate::{Settings, simulate};
use congraph::tune::Wanted;
use congraph::tune::path::Grid;
use congraph::{
    Dial, DistanceNorm, Distances, Edges, Error, Learn, MultiviewGraph, Newton, Problem, Scaling, Smooth, Solver,
    Table, Targets, Tuned, ViewMatrix, ViewOptions, Views, no_progress,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const NODES: usize = 60;
const SAMPLES: usize = 500;

fn main() -> Result<(), Error> {
    let word = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let n_seeds: u64 = word.unwrap_or(5);
    let first: u64 = std::env::args().nth(2).and_then(|word| word.parse().ok()).unwrap_or(1);
    println!("  c  data        problem     consensus: F1, with signs   views: F1, with signs");
    for ridge in [0.1, 1.0, 3.0] {
        let mut rows: Vec<(&str, &str, [f64; 4])> = Vec::new();
        for seed in first..first + n_seeds {
            for (k, (data, problem, scores)) in seeded(seed, ridge)?.into_iter().enumerate() {
                if rows.len() == k {
                    rows.push((data, problem, [0.0; 4]));
                }
                let sums = rows[k].2.iter_mut().zip(scores);
                sums.for_each(|(sum, score)| *sum += score / n_seeds as f64);
            }
        }
        for (data, problem, [consensus, with_signs, views, views_with_signs]) in rows {
            println!(
                "{ridge:>3}  {data:<10}  {problem:<10}  {consensus:>13.3} {with_signs:>11.3} {views:>13.3} {views_with_signs:>10.3}"
            );
        }
    }
    Ok(())
}

type Row = (&'static str, &'static str, [f64; 4]);

fn seeded(seed: u64, ridge: f64) -> Result<Vec<Row>, Error> {
    let settings = Settings {
        n_nodes: NODES,
        n_views: 5,
        seed,
        ..Settings::default()
    };
    let truth = simulate(&settings)?.truth;
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x51_6ed);
    let mut sign = || if rng.random_bool(0.5) { -1.0 } else { 1.0 };
    let flips: Vec<f64> = (0..NODES).map(|_| sign()).collect();
    let signs: Vec<f64> = truth.pairs().iter().map(|_| sign()).collect();
    let turned = |[a, b]: [u32; 2]| flips[a as usize] * flips[b as usize];
    let with_flips = with_signs(
        &truth,
        &truth.pairs().iter().map(|&pair| turned(pair)).collect::<Vec<_>>(),
    );
    let with_own = with_signs(&truth, &signs);

    let attractive = sampled(&truth, ridge, seed);
    let flipped = attractive.iter().map(|table| {
        let values = table.values.iter().enumerate().map(|(k, x)| x * flips[k % NODES]);
        Table::new(table.name.clone(), NODES, values.collect())
    });
    let flipped: Vec<Table> = flipped.collect();
    let frustrated = sampled(&with_own, ridge, seed);
    Ok(vec![
        ("attractive", "unsigned", scores(&attractive, false, &truth)?),
        ("attractive", "signed", scores(&attractive, true, &truth)?),
        ("flipped", "unsigned", scores(&flipped, false, &with_flips)?),
        ("flipped", "signed", scores(&flipped, true, &with_flips)?),
        ("frustrated", "unsigned", scores(&frustrated, false, &with_own)?),
        ("frustrated", "signed", scores(&frustrated, true, &with_own)?),
        ("frustrated", "told", told(&frustrated, &with_own)?),
        ("attractive", "best", best(&attractive, false, &truth)?),
        ("frustrated", "best", best(&frustrated, true, &with_own)?),
        ("attractive", "likelihood", likely(&attractive, false, &truth)?),
        ("flipped", "likelihood", likely(&flipped, true, &with_flips)?),
        ("frustrated", "likelihood", likely(&frustrated, true, &with_own)?),
    ])
}

/// The same graphs with a sign for each edge.
fn with_signs(truth: &MultiviewGraph, signs: &[f64]) -> MultiviewGraph {
    let rows = truth.weights().rows().zip(signs);
    let values = rows.flat_map(|(row, sign)| row.iter().map(move |weight| sign * weight));
    let weights = ViewMatrix::from_values(truth.n_views(), values.collect());
    let consensus: Option<Vec<f64>> = truth.consensus().map(|consensus| {
        consensus
            .iter()
            .zip(signs)
            .map(|(weight, sign)| weight * sign)
            .collect()
    });
    let (nodes, views) = (truth.nodes().to_vec(), truth.views().to_vec());
    MultiviewGraph::new(nodes, views, truth.pairs(), &weights, consensus.as_deref())
}

/// Samples of every view's Gaussian: x with Lᵀx = z for the factor L of its precision matrix.
fn sampled(truth: &MultiviewGraph, ridge: f64, seed: u64) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = NODES;
    let view = |view: usize| {
        let mut factor = vec![0.0; n * n];
        (0..n).for_each(|a| factor[a * n + a] = ridge);
        for (&[a, b], row) in truth.pairs().iter().zip(truth.weights().rows()) {
            let (a, b, weight) = (a as usize, b as usize, row[view]);
            factor[a * n + b] -= weight;
            factor[b * n + a] -= weight;
            factor[a * n + a] += weight.abs();
            factor[b * n + b] += weight.abs();
        }
        for j in 0..n {
            for k in 0..j {
                let known = factor[j * n + k];
                (j..n).for_each(|i| factor[i * n + j] -= factor[i * n + k] * known);
            }
            let root = factor[j * n + j].sqrt();
            (j..n).for_each(|i| factor[i * n + j] /= root);
        }
        let mut values: Vec<f64> = Vec::with_capacity(n * SAMPLES);
        for _ in 0..SAMPLES {
            let mut x: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut rng)).collect();
            for i in (0..n).rev() {
                let known: f64 = (i + 1..n).map(|k| factor[k * n + i] * x[k]).sum();
                x[i] = (x[i] - known) / factor[i * n + i];
            }
            values.extend(x);
        }
        Table::new(truth.views()[view].clone(), n, values)
    };
    (0..truth.n_views()).map(view).collect()
}

/// F1 of the consensus without and with signs, and the same of the views.
fn scores(tables: &[Table], signed: bool, truth: &MultiviewGraph) -> Result<[f64; 4], Error> {
    Ok(compared(&fitted(tables, signed, truth)?.1.learned.graph, truth))
}

/// The same at the density and the similarity with the best view F1.
fn best(tables: &[Table], signed: bool, truth: &MultiviewGraph) -> Result<[f64; 4], Error> {
    let method = Smooth {
        signed,
        ..Smooth::default()
    };
    let views = assembled(tables, truth)?;
    let session = method.session(&views, &no_progress)?;
    let grid = Grid::between([0.05, 0.2], [0.7, 0.95]);
    let mut best = [0.0; 4];
    for &density in &grid.densities {
        session.path_row(density, &grid.similarities, &no_progress, &mut |_, fit| {
            let found = compared(&session.graph(fit), truth);
            if found[2] > best[2] {
                best = found;
            }
        })?;
    }
    Ok(best)
}

/// The same of the likelihood, which chooses for itself.
fn likely(tables: &[Table], signed: bool, truth: &MultiviewGraph) -> Result<[f64; 4], Error> {
    let (method, signs) = if signed {
        (Likelihood::new(likelihood::Model::signed()), Signs::Both)
    } else {
        (Likelihood::default(), Signs::Attractive)
    };
    let wanted = Wanted {
        signs: Some(signs),
        ..Wanted::default()
    };
    let chosen = method.learn_to(&assembled(tables, truth)?, &wanted, &no_progress)?;
    Ok(compared(&chosen.learned.graph, truth))
}

fn assembled(tables: &[Table], truth: &MultiviewGraph) -> Result<Views, Error> {
    let named = tables
        .iter()
        .map(|table| table.clone().with_columns(truth.nodes().to_vec()));
    Ok(Views::assemble(named.collect(), &ViewOptions::default())?.0)
}

/// At the density of the truth.
fn fitted(tables: &[Table], signed: bool, truth: &MultiviewGraph) -> Result<(Views, Tuned), Error> {
    let views = assembled(tables, truth)?;
    let method = Smooth {
        signed,
        ..Smooth::default()
    };
    let targets = Targets {
        density: Dial::At(truth.mean_density()),
        ..Targets::default()
    };
    let tuned = method.learn_to(&views, &targets, &no_progress)?;
    Ok((views, tuned))
}

/// The same of the unsigned problem that is told which sign each pair has.
fn told(tables: &[Table], truth: &MultiviewGraph) -> Result<[f64; 4], Error> {
    let (views, tuned) = fitted(tables, true, truth)?;
    let signed = Distances::signed_from_views(&views, &Scaling::default())?;
    let edges = Edges::complete(NODES);
    let place = |edge: [u32; 2]| signed.edges().pairs().binary_search(&edge).unwrap_or_default();
    let both = |[a, b]: [u32; 2]| [[a, b], [b, a]].map(|edge| signed.values().row(place(edge)));
    let shorter = |&pair: &[u32; 2]| {
        let [positive, negative] = both(pair);
        positive
            .iter()
            .zip(negative)
            .map(|(x, y)| x.min(*y))
            .collect::<Vec<f64>>()
    };
    let values = ViewMatrix::from_values(views.n_views(), edges.pairs().iter().flat_map(shorter).collect());
    let distances = Arc::new(Distances::new(edges, values, DistanceNorm::None)?);
    let problem = Problem::new(distances, tuned.learned.model.clone())?;
    let solution = Newton::default().solve(&problem, None, &no_progress)?;
    let (mut pairs, mut weights, mut consensus) = (Vec::new(), Vec::new(), Vec::new());
    for (pair, row, shared) in solution.pairs() {
        let [positive, negative] = both(pair);
        let sign = |view: usize| if positive[view] < negative[view] { 1.0 } else { -1.0 };
        weights.extend(row.iter().enumerate().map(|(view, weight)| sign(view) * weight));
        let whole = [positive, negative].map(|row| row.iter().sum::<f64>());
        consensus.push(if whole[0] < whole[1] { shared } else { -shared });
        pairs.push(pair);
    }
    let weights = ViewMatrix::from_values(views.n_views(), weights);
    let (nodes, names) = (truth.nodes().to_vec(), truth.views().to_vec());
    let graph = MultiviewGraph::new(nodes, names, &pairs, &weights, Some(&consensus));
    Ok(compared(&graph, truth))
}

fn compared(graph: &MultiviewGraph, truth: &MultiviewGraph) -> [f64; 4] {
    let consensus = [graph, truth].map(|graph| graph.consensus().unwrap_or_default().to_vec());
    let of_consensus = [false, true].map(|counted| f1(graph, &consensus[0], truth, &consensus[1], counted));
    let of_views = [false, true].map(|counted| {
        let of_view = |view: usize| {
            let weights = [graph, truth].map(|graph| graph.weights().column(view).collect::<Vec<f64>>());
            f1(graph, &weights[0], truth, &weights[1], counted)
        };
        (0..truth.n_views()).map(of_view).sum::<f64>() / truth.n_views() as f64
    });
    [of_consensus[0], of_consensus[1], of_views[0], of_views[1]]
}

/// 2 · hits / (learned + true).
fn f1(graph: &MultiviewGraph, learned: &[f64], truth: &MultiviewGraph, weights: &[f64], counted: bool) -> f64 {
    let hit = |(pair, weight): (&[u32; 2], &f64)| {
        let place = truth.pairs().binary_search(pair).ok()?;
        let product = weight * weights[place];
        (product != 0.0 && (!counted || product > 0.0)).then_some(())
    };
    let hits = graph.pairs().iter().zip(learned).filter_map(hit).count();
    let present = |weights: &[f64]| weights.iter().filter(|weight| **weight != 0.0).count();
    2.0 * hits as f64 / (present(learned) + present(weights)) as f64
}
