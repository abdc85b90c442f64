//! `congraph simulate`: views whose graphs are known.

use std::path::{Path, PathBuf};

use congraph::simulate::{GraphModel, Settings, Simulation, simulate};
use congraph_io::{Folder, OutputError, ViewRow, read_graph, write_graph, write_json, write_table};
use serde_json::{Value, json};

use crate::args::{Global, GraphArg, SimulateArgs};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::interrupt;

pub(crate) fn run(args: &SimulateArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let settings = Settings {
        n_nodes: args.nodes,
        n_views: args.views,
        n_signals: args.signals.clone(),
        graph: match args.graph {
            GraphArg::Er => GraphModel::ErdosRenyi {
                probability: args.edge_probability,
            },
            GraphArg::Ba => GraphModel::BarabasiAlbert { growth: args.growth },
        },
        shuffled: args.shuffled,
        noise: args.noise,
        seed: args.seed,
    };
    if args.noise > 1.0 {
        console.note(&format!(
            "note: --noise {} means noise of {} times the norm of the signals; 0.1 is 10 %",
            args.noise, args.noise
        ));
    }
    super::check_place(&args.output.out, args.output.force)?;
    let simulation = simulate(&settings)?;
    let facts = facts(&settings, &simulation);
    let stale = stale_views(&args.output.out, &simulation);
    interrupt::uninterrupted(|| {
        let folder = Folder::create(&args.output.out, args.output.force)?;
        write_simulation(&folder, "", &simulation)?;
        write_json(&folder, "simulation.json", &facts)?;
        folder.commit()?;
        stale.iter().for_each(|file| drop(std::fs::remove_file(file)));
        Ok::<(), OutputError>(())
    })?;
    if global.json {
        console::print(&facts.to_string())
    } else {
        let n_edges = facts["consensus_edges"].as_u64().unwrap_or(0);
        console::print(&format!(
            "{}: {} views × {} nodes, consensus of {n_edges} edges; the true graphs are in {}",
            args.output.out.display(),
            args.views,
            args.nodes,
            args.output.out.join("truth").display()
        ))
    }
}

/// The data of an earlier simulation in the same folder that the new one does not replace: `sim/*.csv` would mix them.
fn stale_views(out: &Path, simulation: &Simulation) -> Vec<PathBuf> {
    let is_ours = out.join("simulation.json").exists();
    let earlier = is_ours.then(|| read_graph(&out.join("truth")).ok()).flatten();
    let views = earlier.map_or_else(Vec::new, |truth| truth.views().to_vec());
    let replaced = simulation.truth.views();
    views
        .iter()
        .filter(|view| !replaced.contains(view) && !view.contains(['/', '\\']))
        .map(|view| out.join(format!("{view}.csv")))
        .collect()
}

/// Writes the signals as one `.csv` per view into the subfolder `data`, and the true graphs into `truth`.
pub(super) fn write_simulation(folder: &Folder, data: &str, simulation: &Simulation) -> Result<(), OutputError> {
    let mut rows = Vec::new();
    for table in &simulation.tables {
        let name = format!("{}.csv", table.name);
        let path = if data.is_empty() {
            name
        } else {
            format!("{data}/{name}")
        };
        write_table(folder, &path, table)?;
        rows.push(ViewRow {
            file: path,
            n_samples: Some(table.n_rows),
        });
    }
    write_graph(folder, "truth", &simulation.truth, &rows)
}

fn facts(settings: &Settings, simulation: &Simulation) -> Value {
    let consensus = simulation.truth.consensus().unwrap_or_default();
    let graph = match settings.graph {
        GraphModel::ErdosRenyi { probability } => json!({"model": "er", "probability": probability}),
        GraphModel::BarabasiAlbert { growth } => json!({"model": "ba", "growth": growth}),
        _ => json!(null),
    };
    json!({
        "schema": "congraph.simulation/1",
        "n_nodes": settings.n_nodes,
        "n_views": settings.n_views,
        "n_signals": settings.n_signals,
        "graph": graph,
        "shuffled": settings.shuffled,
        "noise": settings.noise,
        "seed": settings.seed,
        "consensus_edges": consensus.iter().filter(|&&weight| weight > 0.0).count(),
        "version": env!("CARGO_PKG_VERSION"),
    })
}
