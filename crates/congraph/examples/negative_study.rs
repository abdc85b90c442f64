//! How often is negative association told of (W14), where there is some and where there is none?
//!
//! `cargo run --release -p congraph --example negative_study [-- SETS]`
//!
//! Null data: white, heavy-tailed, AR(0.9) and average-referenced, 5 to 100 nodes, 2 to 12 views, 20 to 500 samples. Smooth data:
//! Erdős–Rényi, Barabási–Albert and random geometric graphs of 20 to 100 nodes, all filters, 200 to 1000 samples; the same with the
//! signs of half of the nodes turned; and signals on the same graphs with half of the edges negative.

#[path = "../tests/support/signed.rs"]
mod signed;

use congraph::methods::smooth::negative::negative_associations;
use congraph::simulate::{Filter, GraphModel, Reach};
use congraph::{Error, Table, ViewOptions, Views};
use signed::{Null, SmoothSignals, null};

/// A model of graphs of so many nodes.
type Drawn = fn(usize) -> GraphModel;

fn main() -> Result<(), Error> {
    let n_sets = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(500);
    println!("data                                   sets   W14");
    for kind in [Null::White, Null::HeavyTailed, Null::Series, Null::AverageReferenced] {
        let mut told = 0;
        for k in 0..n_sets {
            let (n_nodes, n_views, n_samples) = (
                [5, 19, 64, 100][k % 4],
                [2, 6, 12][k % 3],
                [20, 60, 200, 500][k / 4 % 4],
            );
            told += usize::from(is_told(null(kind, n_nodes, n_views, n_samples, k as u64))?);
        }
        line(&format!("null, {kind:?}"), n_sets, told);
    }
    // About ten neighbours a node, fewer among 20.
    let graphs: [(&str, Drawn); 3] = [
        ("ER", |n| GraphModel::ErdosRenyi {
            probability: [0.3, 0.2, 0.1][size(n)],
        }),
        ("BA", |_| GraphModel::BarabasiAlbert { growth: 3 }),
        ("RGG", |n| GraphModel::RandomGeometric {
            reach: Reach::Radius([0.4, 0.3, 0.2][size(n)]),
        }),
    ];
    let filters = [
        ("L†", Filter::PseudoInverse),
        ("L†^½", Filter::Gaussian),
        ("heat", Filter::Heat { t: 0.5 }),
        ("Tikhonov", Filter::Tikhonov { t: 1.0 }),
    ];
    for (graph_name, graph) in graphs {
        for (filter_name, filter) in filters {
            let mut told = [0; 3];
            let n_sets = n_sets.div_ceil(5);
            for k in 0..n_sets {
                let n_nodes = [20, 40, 100][k % 3];
                let smooth = SmoothSignals {
                    graph: graph(n_nodes),
                    filter,
                    n_nodes,
                    n_views: [6, 3, 12][k / 3 % 3],
                    n_samples: [200, 500, 1000][k / 2 % 3],
                    seed: k as u64 + 1,
                };
                told[0] += usize::from(is_told(smooth.tables()?)?);
                told[1] += usize::from(is_told(smooth.turned()?)?);
                told[2] += usize::from(is_told(smooth.signed()?)?);
            }
            let name = format!("{graph_name}, {filter_name}");
            line(&format!("{name}, smooth"), n_sets, told[0]);
            line(&format!("{name}, nodes turned"), n_sets, told[1]);
            // Signed signals know two filters.
            if matches!(filter, Filter::PseudoInverse | Filter::Gaussian) {
                line(&format!("{name}, negative edges"), n_sets, told[2]);
            }
        }
    }
    Ok(())
}

fn size(n_nodes: usize) -> usize {
    match n_nodes {
        0..=20 => 0,
        21..=40 => 1,
        _ => 2,
    }
}

fn is_told(tables: Vec<Table>) -> Result<bool, Error> {
    let (views, _) = Views::assemble(tables, &ViewOptions::default())?;
    Ok(negative_associations(&views).is_some())
}

fn line(name: &str, n_sets: usize, told: usize) {
    println!(
        "{name:<38} {n_sets:>4}   {told:>4}   {:5.1} %",
        100.0 * told as f64 / n_sets as f64
    );
}
