//! `congraph report`: a result folder as one HTML file.

use std::path::Path;
use std::process::{Command, Stdio};

use congraph::{MultiviewGraph, Views};
use congraph_io::{
    Folder, OutputError, read_comparison, read_graph, read_known, read_stability, write_rows, write_text,
};
use congraph_record::findings::{Findings, Known, MOST_DRAWN, relative_variances};
use serde_json::json;

use crate::args::{Global, ReportArgs};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::interrupt;

/// The one file that is written.
const FILE: [&str; 1] = ["report.html"];

pub(crate) fn run(args: &ReportArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    if !args.folder.is_dir() {
        // FitContext as what it is: no result.
        read_graph(&args.folder)?;
    }
    let folder = interrupt::before_writing(|| place(&args.folder))?;
    let graph = read_graph(&args.folder)?;
    let findings = Findings::of(&graph, known(&args.folder, &args.folder, &graph)?);
    let page = congraph_report::write(&findings);
    interrupt::uninterrupted(|| {
        write_text(&folder, FILE[0], &page)?;
        folder.commit()
    })
    .map_err(|error: OutputError| Failure::from(error))?;
    let path = args.folder.join(FILE[0]);
    if args.open && !open(&path) {
        console.note(&format!(
            "note: no program was found to open `{}` with; open it in a browser",
            path.display()
        ));
    }
    if global.json {
        let told = json!({
            "schema": "congraph.report/1",
            "file": path.display().to_string(),
            "bytes": page.len(),
            "sentences": findings.verdict.sentences,
        });
        console::print(&told.to_string())
    } else {
        let told = findings.verdict.sentences.join(" ");
        console::print(&format!("{}: {}", path.display(), console::visible(&told)))
    }
}

/// Stages the report of a folder anew if it has one: something is added to its results.
pub(super) fn renew(folder: &mut Folder, graph: &MultiviewGraph) -> Result<(), Failure> {
    if !folder.target().join(FILE[0]).exists() {
        return Ok(());
    }
    folder.complete(&FILE)?;
    let known = known(&folder.path(""), folder.target(), graph)?;
    Ok(write_text(
        folder,
        FILE[0],
        &congraph_report::write(&Findings::of(graph, known)),
    )?)
}

/// What the files tell that are in one place now and will be in another, whose name is the result's.
fn known(files: &Path, target: &Path, graph: &MultiviewGraph) -> Result<Known, Failure> {
    let whole = target.canonicalize().or_else(|_| std::path::absolute(target));
    let name = whole
        .ok()
        .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let known = read_known(files, graph)?;
    let summary = known.summary.as_ref();
    Ok(Known {
        stability: read_stability(files, graph, summary)?,
        comparison: read_comparison(files, graph, summary)?,
        ask_stability: summary
            .filter(|summary| !summary.is_projection())
            .zip(name.as_deref())
            .map(|(_, name)| ask_stability(name)),
        folder: name,
        ..known
    })
}

/// How it is asked how sure the edges in a folder are.
pub(super) fn ask_stability(folder: &str) -> String {
    format!("congraph stability {}", console::visible(folder))
}

/// The report is made of the folder alone: one that is there already may be replaced unasked.
fn place(folder: &Path) -> Result<Folder, OutputError> {
    Folder::add_to(folder, &FILE, true)
}

/// How much each node varies, where that is drawn. Every member of a team that holds the signals asks.
pub(super) fn quality(views: &Views) -> Option<Vec<f64>> {
    (views.n_nodes() <= MOST_DRAWN)
        .then(|| relative_variances(views))
        .flatten()
}

/// Writes `quality.tsv`, if there is any: what a report tells of the data that the graphs do not hold.
pub(super) fn write_quality(folder: &Folder, nodes: &[String], quality: Option<&[f64]>) -> Result<(), OutputError> {
    let Some(quality) = quality else {
        return Ok(());
    };
    let rows: Vec<Vec<String>> = nodes
        .iter()
        .zip(quality)
        .map(|(name, variance)| vec![name.clone(), format!("{variance:?}")])
        .collect();
    write_rows(folder, "quality.tsv", &["name", "relative_variance"], &rows)
}

/// Adds the report to a folder whose other files are in place.
pub(super) fn stage(folder: &Folder, graph: &MultiviewGraph, console: &Console) -> Result<(), Failure> {
    if graph.n_nodes() > MOST_DRAWN {
        console.note(&format!(
            "note: report.html is without drawings: {} nodes are too many to draw; up to {MOST_DRAWN} are",
            graph.n_nodes()
        ));
    }
    let known = known(&folder.path(""), folder.target(), graph)?;
    let page = congraph_report::write(&Findings::of(graph, known));
    Ok(write_text(folder, FILE[0], &page)?)
}

/// Whether a program took the file.
fn open(path: &Path) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    };
    command
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .is_ok()
}
