//! `congraph communities`: which nodes belong together, in each graph and in the group of views.

use std::time::Instant;

use congraph::communities::{Communities, ConsensusClustering, GraphCommunities, Leiden, Signs, communities};
use congraph::{MultiviewGraph, Warning};
use congraph_io::output::DENSE_NODES;
use congraph_io::{COMMUNITIES_FILES, Folder, read_graph, read_run, seal_communities, write_communities};
use congraph_record::Choice;
use congraph_record::record::warning_records;
use serde_json::{Map, Value, json};

use crate::args::{CommunitiesArgs, Global};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::interrupt;

pub(crate) fn run(args: &CommunitiesArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    if !args.folder.is_dir() {
        // FitContext as what it is: no result.
        read_graph(&args.folder)?;
    }
    let mut folder = interrupt::before_writing(|| Folder::add_to(&args.folder, &COMMUNITIES_FILES, args.force))?;
    let (run, graph) = read_run(&args.folder)?;
    let settings = ConsensusClustering {
        leiden: Leiden {
            resolution: args.resolution,
            n_runs: args.runs,
            seed: args.seed,
        },
        threshold: args.threshold,
        max_rounds: args.max_rounds,
        signs: args.signs,
    };
    let found = communities(&graph, &settings)?;
    let warnings = warnings(&found);
    let mut facts = facts(&graph, &settings, &found, &warnings, start.elapsed().as_secs_f64());
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write_communities(&folder, &graph, &found)?;
        seal_communities(&folder, &run, &mut facts)?;
        super::report::renew(&mut folder, &graph)?;
        Ok(folder.commit()?)
    })?;
    for warning in &warnings {
        console.warning(warning);
    }
    if graph.is_signed() && args.signs == Signs::Positive {
        console.note(
            "note: some weights are negative, and communities are those of the positive ones; --signs signed counts both",
        );
    }
    if graph.n_nodes() > DENSE_NODES {
        console.note(&format!(
            "note: no coclassification.npz, which would be larger than {DENSE_NODES} × {DENSE_NODES}"
        ));
    }
    if global.json {
        console::print(&facts.to_string())
    } else {
        console::print(&format!("{}: {}", args.folder.display(), story(&found)))
    }
}

fn warnings(found: &GraphCommunities) -> Vec<Warning> {
    let message = format!(
        "the runs of the consensus clustering did not agree within {} rounds; the best partition of the last is given. \
         Another --threshold or more --max-rounds may settle it",
        found.group.rounds
    );
    if found.group.agreed {
        Vec::new()
    } else {
        vec![Warning::new("W01", message)]
    }
}

/// The result in one line.
fn story(found: &GraphCommunities) -> String {
    let in_communities = |n: usize| format!("{n} {}", if n == 1 { "community" } else { "communities" });
    let mut parts = Vec::new();
    if let Some(consensus) = &found.consensus {
        let n = in_communities(consensus.partition.n_communities());
        parts.push(format!("consensus in {n} (modularity {:.3})", consensus.modularity));
    }
    let n_communities = || found.views.iter().map(|view| view.partition.n_communities());
    let (fewest, most) = (n_communities().min().unwrap_or(0), n_communities().max().unwrap_or(0));
    let range = if fewest == most {
        in_communities(most)
    } else {
        format!("{fewest} to {}", in_communities(most))
    };
    let modularity = found.views.iter().map(|view| view.modularity).sum::<f64>() / found.views.len() as f64;
    parts.push(format!("views in {range} (mean modularity {modularity:.3})"));
    let group = in_communities(found.group.partition.n_communities());
    let settled = if found.group.agreed { "" } else { ", not agreed on" };
    parts.push(format!("their group in {group}{settled}"));
    parts.join(", ")
}

fn facts(
    graph: &MultiviewGraph,
    settings: &ConsensusClustering,
    found: &GraphCommunities,
    warnings: &[Warning],
    seconds: f64,
) -> Value {
    let of = |communities: &Communities| {
        json!({
            "n_communities": communities.partition.n_communities(),
            "modularity": communities.modularity,
        })
    };
    let nmi = found.nmi();
    let group = usize::from(found.consensus.is_some());
    let mut views = Map::new();
    for (view, name) in graph.views().iter().enumerate() {
        let mut facts = of(&found.views[view]);
        let row = &nmi[group + 1 + view];
        facts["nmi_consensus"] = json!(found.consensus.as_ref().map(|_| row[0]));
        facts["nmi_group"] = json!(row[group]);
        views.insert(name.clone(), facts);
    }
    let names = found.consensus.iter().map(|_| "consensus").chain(["group"]);
    let names: Vec<&str> = names.chain(graph.views().iter().map(String::as_str)).collect();
    let mut facts = json!({
        "schema": "congraph.communities/1",
        "n_nodes": graph.n_nodes(),
        "n_views": graph.n_views(),
        "resolution": settings.leiden.resolution,
        "runs": settings.leiden.n_runs,
        "seed": settings.leiden.seed,
        "threshold": settings.threshold,
        "consensus": found.consensus.as_ref().map(of),
        "group": {
            "n_communities": found.group.partition.n_communities(),
            "agreed": found.group.agreed,
            "rounds": found.group.rounds,
        },
        "views": views,
        "nmi": {"partitions": names, "values": nmi},
        "version": env!("CARGO_PKG_VERSION"),
        "seconds": seconds,
        "warnings": warning_records(warnings),
    });
    if graph.is_signed() {
        facts["signs"] = json!(settings.signs.word());
    }
    facts
}
