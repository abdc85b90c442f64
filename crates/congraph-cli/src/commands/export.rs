//! `congraph export`: learned graphs for other programs.

use std::path::Path;

use congraph_io::output::DENSE_NODES;
use congraph_io::{ExportFormat, Folder, export, read_graph, read_node_facts};
use serde_json::json;

use crate::args::{ExportArgs, Global};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::interrupt;

pub(crate) fn run(args: &ExportArgs, global: &Global, _console: &Console) -> Result<(), Failure> {
    let out = args.out.clone().unwrap_or_else(|| args.folder.join("export"));
    // What is put into the folder of a run must be of that run.
    let is_within = std::path::absolute(&out).is_ok_and(|out| {
        let within = |folder: &Path| {
            out.ancestors()
                .any(|above| above.canonicalize().is_ok_and(|above| above == folder))
        };
        args.folder.canonicalize().is_ok_and(|folder| within(&folder))
    });
    let _held = match is_within && args.folder.is_dir() {
        true => Some(interrupt::before_writing(|| Folder::add_to(&args.folder, &[], true))?),
        false => None,
    };
    let graph = read_graph(&args.folder)?;
    let facts = read_node_facts(&args.folder, &graph)?;
    let asked = |(name, _): &&(&str, ExportFormat)| args.to.iter().any(|asked| asked == name);
    let formats: Vec<_> = ExportFormat::ALL.iter().filter(asked).collect();
    if let Some((name, _)) = formats
        .iter()
        .find(|(_, format)| format.is_dense() && graph.n_nodes() > DENSE_NODES)
    {
        return Err(Failure::usage(
            format!(
                "--to {name} writes matrices in full, and {0} × {0} entries per view are too many",
                graph.n_nodes()
            ),
            format!(
                "`--to edges` or `--to graphml` have only what is there; matrices are written up to {DENSE_NODES} nodes"
            ),
        ));
    }
    let files = interrupt::uninterrupted(|| -> Result<Vec<String>, Failure> {
        let folder = Folder::create(&out, args.force)?;
        let mut files = Vec::new();
        for (_, format) in formats {
            files.extend(export(&folder, &graph, &facts, *format)?);
        }
        folder.commit()?;
        Ok(files)
    })?;
    if global.json {
        let out = out.display().to_string();
        return console::print(&json!({"schema": "congraph.export/1", "folder": out, "files": files}).to_string());
    }
    let n_graphs = graph.n_views() + usize::from(graph.consensus().is_some());
    console::print(&format!(
        "{}: {} file{} of {n_graphs} graph{} × {} nodes",
        out.display(),
        files.len(),
        if files.len() == 1 { "" } else { "s" },
        if n_graphs == 1 { "" } else { "s" },
        graph.n_nodes()
    ))
}
