//! `congraph simulate`: views whose graphs are known.

use std::path::{Path, PathBuf};

use congraph::is_edge;
use congraph::simulate::{Changes, Filter, GraphModel, Reach, Settings, Simulation, simulate};
use congraph_io::{Folder, OutputError, Places, ViewRow, read_graph, write_graph_at, write_json, write_table};
use serde_json::{Value, json};

use crate::args::{FilterArg, Global, GraphArg, SimulateArgs};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::{interrupt, output};

/// The mean degree of random geometric graphs: about that of the paper's Erdős–Rényi and Barabási–Albert graphs.
const MEAN_DEGREE: f64 = 10.0;

/// The t of the filters at which graphs of that degree are best recovered, of those tried.
const HEAT_T: f64 = 0.1;
const TIKHONOV_T: f64 = 0.3;

pub(crate) fn run(args: &SimulateArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let settings = settings(args)?;
    if args.noise > 1.0 {
        console.note(&format!(
            "note: --noise {} means noise of {} times the norm of the signals; 0.1 is 10 %",
            args.noise, args.noise
        ));
    }
    let mut folder = output::place(&args.output.out, args.output.force)?;
    let simulation = simulate(&settings)?;
    let facts = facts(&settings, &simulation);
    let stale = stale_views(&args.output.out, &simulation);
    interrupt::uninterrupted(|| {
        write_simulation(&folder, "", &simulation)?;
        write_json(&folder, "simulation.json", &facts)?;
        folder.removes(stale);
        folder.commit()
    })?;
    if global.json {
        console::print(&facts.to_string())
    } else {
        let n_edges = facts["consensus_edges"].as_u64().unwrap_or(0);
        console::print(&format!(
            "{}: {} × {}, consensus of {}; the true graphs are in {}",
            args.output.out.display(),
            console::count(args.views, "view"),
            console::count(args.nodes, "node"),
            console::count(n_edges as usize, "edge"),
            args.output.out.join("truth").display()
        ))
    }
}

fn settings(args: &SimulateArgs) -> Result<Settings, Failure> {
    let graph = match args.graph {
        GraphArg::Er => GraphModel::ErdosRenyi {
            probability: args.edge_probability,
        },
        GraphArg::Ba => GraphModel::BarabasiAlbert { growth: args.growth },
        GraphArg::Rgg => {
            let by_degree = Reach::MeanDegree(args.mean_degree.unwrap_or(MEAN_DEGREE));
            GraphModel::RandomGeometric {
                reach: args.radius.map_or(by_degree, Reach::Radius),
            }
        }
    };
    let filter = match (args.filter, args.filter_t) {
        (FilterArg::Pinv | FilterArg::Gaussian, Some(_)) => {
            return Err(Failure::usage(
                "--filter-t is the t of the filters heat and tikhonov",
                "add `--filter heat` or `--filter tikhonov`, or leave out `--filter-t`",
            ));
        }
        (FilterArg::Pinv, None) => Filter::PseudoInverse,
        (FilterArg::Gaussian, None) => Filter::Gaussian,
        (FilterArg::Heat, t) => Filter::Heat { t: t.unwrap_or(HEAT_T) },
        (FilterArg::Tikhonov, t) => Filter::Tikhonov {
            t: t.unwrap_or(TIKHONOV_T),
        },
    };
    let has_changes = args.added.is_some() || args.removed.is_some();
    Ok(Settings {
        n_nodes: args.nodes,
        n_views: args.views,
        n_signals: args.signals.clone(),
        graph,
        weights: args.weights,
        shuffled: args.shuffled,
        changes: has_changes.then(|| Changes {
            added: args.added.unwrap_or(0.0),
            removed: args.removed.unwrap_or(0.0),
            n_views: args.changed_views,
            same_views: args.same_views,
        }),
        filter,
        noise: args.noise,
        seed: args.seed,
    })
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
        .map(|view| PathBuf::from(format!("{view}.csv")))
        .collect()
}

/// Writes the signals as one `.csv` per view into the subfolder `data`, and the true graphs into `truth`, with the
/// positions of the nodes if they have any.
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
    write_graph_at(
        folder,
        "truth",
        &simulation.truth,
        &rows,
        simulation.positions.as_deref().map(Places::Plane),
    )
}

fn facts(settings: &Settings, simulation: &Simulation) -> Value {
    let consensus = simulation.truth.consensus().unwrap_or_default();
    let graph = match settings.graph {
        GraphModel::ErdosRenyi { probability } => json!({"model": "er", "probability": probability}),
        GraphModel::BarabasiAlbert { growth } => json!({"model": "ba", "growth": growth}),
        GraphModel::RandomGeometric {
            reach: Reach::Radius(radius),
        } => json!({"model": "rgg", "radius": radius}),
        GraphModel::RandomGeometric {
            reach: Reach::MeanDegree(degree),
        } => json!({"model": "rgg", "mean_degree": degree}),
        _ => json!(null),
    };
    let filter = match settings.filter {
        Filter::PseudoInverse => json!({"name": "pinv"}),
        Filter::Gaussian => json!({"name": "gaussian"}),
        Filter::Heat { t } => json!({"name": "heat", "t": t}),
        Filter::Tikhonov { t } => json!({"name": "tikhonov", "t": t}),
        _ => json!(null),
    };
    let changes = settings.changes.map(|changes| {
        json!({
            "added": changes.added,
            "removed": changes.removed,
            "n_views": changes.n_views,
            "same_views": changes.same_views,
        })
    });
    let mut facts = json!({
        "schema": "congraph.simulation/1",
        "n_nodes": settings.n_nodes,
        "n_views": settings.n_views,
        "n_signals": settings.n_signals,
        "graph": graph,
        "shuffled": settings.changes.is_none().then_some(settings.shuffled),
        "changes": changes,
        "filter": filter,
        "noise": settings.noise,
        "seed": settings.seed,
        "consensus_edges": consensus.iter().filter(|&&weight| is_edge(weight)).count(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    if let Some(weights) = settings.weights {
        facts["weights"] = json!(weights);
    }
    facts
}
