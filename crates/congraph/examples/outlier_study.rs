//! How often a view of exchangeable views is called an outlier (W11), and how often one that is.
//!
//! `cargo run --release -p congraph --example outlier_study [-- SETS_OF_EACH_KIND [FIRST_SEED]]`
//!
//! ```text
//! exchangeable   simulated views that all share 90 % of their edges, or pure noise: none is an outlier
//! one odd view   the same, with the nodes of one view in another order
//! ```

use congraph::simulate::{Filter, GraphModel, Settings, simulate};
use congraph::{Smooth, Table, Targets, ViewOptions, Views, no_progress};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let n_sets = words.first().copied().unwrap_or(200);
    let first = words.get(1).copied().unwrap_or(1);
    println!(
        "{:<16}{:>8}{:>8}{:>22}",
        "kind", "views", "sets", "sets with an outlier"
    );
    for n_views in [5, 8, 12, 20, 36] {
        for (name, data) in [
            ("exchangeable", views as fn(u64, usize) -> Vec<Table>),
            ("noise", noise),
            ("one odd view", odd),
        ] {
            let warned = |seed: &u64| has_outlier(data(*seed, n_views));
            let count = (first..first + n_sets).into_par_iter().filter(warned).count();
            println!(
                "{name:<16}{n_views:>8}{n_sets:>8}{:>21.1}%",
                100.0 * count as f64 / n_sets as f64
            );
        }
    }
}

fn has_outlier(tables: Vec<Table>) -> bool {
    let views = Views::assemble(tables, &ViewOptions::default())
        .expect("numbers that vary")
        .0;
    let tuned = Smooth::default()
        .learn_to(&views, &Targets::default(), &no_progress)
        .expect("usual targets are never refused");
    tuned.learned.warnings.iter().any(|warning| warning.code == "W11")
}

fn views(seed: u64, n_views: usize) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n_nodes = [20, 30, 40][rng.random_range(0..3)];
    let settings = Settings {
        n_nodes,
        n_views,
        n_signals: vec![[50, 100, 200, 400][rng.random_range(0..4)]],
        graph: if rng.random_bool(0.5) {
            GraphModel::ErdosRenyi {
                probability: 6.0 / n_nodes as f64,
            }
        } else {
            GraphModel::BarabasiAlbert { growth: 3 }
        },
        filter: if rng.random_bool(0.5) {
            Filter::PseudoInverse
        } else {
            Filter::Gaussian
        },
        seed,
        ..Settings::default()
    };
    simulate(&settings).expect("settings in their range").tables
}

fn noise(seed: u64, n_views: usize) -> Vec<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, p) = (
        [12, 19, 30][rng.random_range(0..3)],
        [50, 200, 1000][rng.random_range(0..3)],
    );
    let table = |view: usize| {
        let values = (0..n * p).map(|_| StandardNormal.sample(&mut rng)).collect();
        Table::new(format!("v{view}"), n, values)
    };
    (0..n_views).map(table).collect()
}

fn odd(seed: u64, n_views: usize) -> Vec<Table> {
    let mut tables = views(seed, n_views);
    let n = tables[0].n_columns;
    // Every node takes the next one's place.
    tables[0].values.chunks_exact_mut(n).for_each(|row| row.rotate_left(1));
    tables
}
