//! `congraph project`: new views against the frozen consensus of a fit.

use std::path::Path;
use std::time::{Duration, Instant};

use congraph::{Candidates, Membership, MultiviewGraph, Projection, Projector, ViewMatrix, ViewOptions};
use congraph_io::{Folder, Places, ViewRow, read_pairs, seal, write_graph_at, write_json, write_rows};
use congraph_record::FitRecord;
use congraph_record::findings::{Geometry, Positions};
use congraph_record::record::{ProjectedView, Timing};
use congraph_record::refusal::check_range;

use super::candidates;
use super::fit::FitFolder;
use super::input::{read_as, view_options};
use super::learn::{inputs, view_rows};
use crate::args::{Global, ProjectArgs};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::summary::Call;
use crate::{interrupt, output, summary, words};

pub(crate) fn run(args: &ProjectArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    check_not_the_fit(args)?;
    let folder = output::place(&args.output.out, args.output.force)?;
    let (projector, positions, of_fit) = projector(args, console)?;
    let options = ViewOptions {
        projected: true,
        ..view_options(&args.reading, projector.scaling.scale)
    };
    let read = read_as(&args.views, &args.reading, &options)?;
    let projections = {
        let progress = console.progress();
        projector.project(&read.views, &|step| progress.step(step))?
    };
    let graph = together(&projections);
    // The places are those of the fit's nodes, which are the graph's.
    let positions = positions.filter(|_| graph.nodes() == projector.nodes());
    let near = positions.as_ref().and_then(|positions| Geometry::of(&graph, positions));
    let noticed = projections.iter().flat_map(|projection| &projection.warnings);
    let near = near.and_then(|near| near.warning(&graph));
    let warnings = words::told(read.warnings.iter().chain(noticed).cloned().chain(near));
    for warning in &warnings {
        console.warning(warning);
    }
    if args.strict {
        check_converged(&projections, projector.tolerance())?;
    }
    let sum = |time: fn(&Projection) -> Duration| projections.iter().map(time).sum();
    let timing = Timing {
        read: read.time,
        distances: sum(|projection| projection.distances_time),
        solve: sum(|projection| projection.solve_time),
        total: start.elapsed(),
    };
    let fit = args.folder.display().to_string();
    let mut told = FitRecord::of_projection(fit, &projector, &projections, &graph, &warnings, &timing).beside(of_fit);
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write_placed(&folder, &graph, &view_rows(&read), positions.as_ref())?;
        write_departures(&folder, &projections)?;
        candidates::write(&folder, &projector.candidates, &projector.edge_costs, projector.nodes())?;
        write_json(
            &folder,
            "run.json",
            &summary::run(Call::own("project"), &told, inputs(&read), &timing),
        )?;
        write_json(&folder, "summary.json", &told)?;
        super::report::stage(&folder, &graph, console)?;
        seal(&folder, &mut told)?;
        Ok(folder.commit()?)
    })?;
    if global.json {
        console::print(&told.to_json())
    } else {
        console::print(&story(&args.output.out, &projections, &told))
    }
}

/// With `--strict`, nothing is written unless all views have converged.
fn check_converged(projections: &[Projection], tolerance: f64) -> Result<(), Failure> {
    let Some(projection) = projections.iter().find(|projection| !projection.converged()) else {
        return Ok(());
    };
    Err(Failure::NotConverged(format!(
        "view `{}`: {} at a relative gap of {:.1e}, above --tol {tolerance:e}; nothing was written because of --strict",
        projection.name(),
        projection.status,
        projection.certificate.relative_gap,
    )))
}

/// Writes the graphs with the places of their nodes, as far as the folder has columns for them.
fn write_placed(
    folder: &Folder,
    graph: &MultiviewGraph,
    views: &[ViewRow],
    positions: Option<&Positions>,
) -> Result<(), Failure> {
    let (placed, on_globe);
    let places = match positions {
        Some(Positions::Head(points) | Positions::Space(points)) => {
            placed = points.iter().copied().map(Some).collect::<Vec<_>>();
            Some(Places::Head(&placed))
        }
        Some(Positions::Plane(points)) => Some(Places::Plane(points)),
        Some(Positions::Globe(points)) => {
            on_globe = points.iter().map(|at| Some(at.to_vec())).collect::<Vec<_>>();
            Some(Places::Along {
                axes: &["lon", "lat"],
                at: &on_globe,
            })
        }
        None => None,
    };
    Ok(write_graph_at(folder, "", graph, views, places)?)
}

/// Writing there would replace what is projected on.
fn check_not_the_fit(args: &ProjectArgs) -> Result<(), Failure> {
    let is_same = |out: std::path::PathBuf| std::fs::canonicalize(&args.folder).is_ok_and(|fit| fit == out);
    if !std::fs::canonicalize(&args.output.out).is_ok_and(is_same) {
        return Ok(());
    }
    Err(Failure::usage(
        format!(
            "-o {} is the folder of the fit that is projected on, and would be replaced",
            args.output.out.display()
        ),
        "write elsewhere, such as `-o new`",
    ))
}

/// The fit's consensus, with what the options change, where its nodes are, and how far its views are from it.
fn projector(args: &ProjectArgs, console: &Console) -> Result<(Projector, Option<Positions>, Vec<f64>), Failure> {
    let fit = FitFolder::read(&args.folder)?;
    if !fit.tells_candidates && (args.candidates.is_none() || args.edge_costs.is_none()) {
        console.note(&format!(
            "note: `{}` does not record its candidates and edge costs (older versions did not): any pair may be \
             joined, at no cost; `--candidates` and `--edge-costs` give them",
            args.folder.join("summary.json").display()
        ));
    }
    if fit.projector.likelihood().is_some() && args.alpha.is_some() {
        return Err(Failure::usage(
            format!(
                "`{}` was learned by the likelihood, which has no alpha",
                args.folder.display()
            ),
            "leave `--alpha` out; `--beta` sets how strongly the view is pulled to the consensus",
        ));
    }
    let mut projector = fit.projector;
    projector.alpha = args.alpha.unwrap_or(projector.alpha);
    if let Some(beta) = args.beta {
        check_range("beta", beta, beta >= 0.0, "finite and non-negative")?;
        projector = projector.with_coupling(beta);
    }
    if let Some(tolerance) = args.tol {
        check_range("tol", tolerance, tolerance > 0.0, "finite and positive")?;
        projector = projector.with_tolerance(tolerance);
    }
    let alpha = projector.alpha;
    check_range("alpha", alpha, alpha > 0.0, "finite and positive")?;
    projector.node_rule = args.reading.nodes.into();
    projector.missing = args.reading.missing.into();
    projector.drop_nodes.clone_from(&args.reading.drop_nodes);
    match args.candidates.as_deref() {
        None => {}
        Some("all") => projector.candidates = Candidates::AllPairs,
        Some(text) => projector.candidates = candidates::read_candidates(text, 1, projector.nodes())?,
    }
    match args.edge_costs.as_deref() {
        None => {}
        Some("none") => projector.edge_costs.clear(),
        Some(path) => projector.edge_costs = read_pairs(Path::new(path), projector.nodes(), true)?,
    }
    Ok((projector, fit.positions, fit.uniqueness))
}

/// All projections as one graph; they have the same nodes and the same consensus.
fn together(projections: &[Projection]) -> MultiviewGraph {
    let mut pairs: Vec<[u32; 2]> = projections.iter().flat_map(|one| one.graph.pairs()).copied().collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut weights = ViewMatrix::zeros(pairs.len(), projections.len().max(1));
    let mut consensus = vec![0.0; pairs.len()];
    for (view, projection) in projections.iter().enumerate() {
        for (pair, weight, weight_in_consensus, _) in projection.edges() {
            if let Ok(row) = pairs.binary_search(&pair) {
                weights.row_mut(row)[view] = weight;
                consensus[row] = weight_in_consensus;
            }
        }
    }
    let names = projections.iter().map(|one| one.name().to_owned()).collect();
    let nodes = projections
        .first()
        .map_or_else(Vec::new, |one| one.graph.nodes().to_vec());
    let lacks = |view: usize, node: usize| !projections[view].graph.has(0, node);
    let membership = Membership::new(nodes.len(), projections.len(), lacks);
    MultiviewGraph::new(nodes, names, &pairs, &weights, Some(&consensus)).with_membership(membership)
}

/// `projection.tsv`: every edge of a view or of the consensus, and which of the two has it.
fn write_departures(folder: &Folder, projections: &[Projection]) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for projection in projections {
        let nodes = projection.graph.nodes();
        for ([a, b], weight, consensus, departure) in projection.edges() {
            rows.push(vec![
                projection.name().to_owned(),
                nodes[a as usize].clone(),
                nodes[b as usize].clone(),
                format!("{weight:?}"),
                format!("{consensus:?}"),
                departure.name().to_owned(),
            ]);
        }
    }
    let columns = ["view", "source", "target", "weight", "consensus", "kind"];
    Ok(write_rows(folder, "projection.tsv", &columns, &rows)?)
}

/// One line for each view.
fn story(out: &Path, projections: &[Projection], told: &FitRecord) -> String {
    let views = told.views.iter().flat_map(|views| &views.0);
    let line = |(projection, (name, view)): (&Projection, &(String, ProjectedView))| {
        format!(
            "{}: view {}, {} shared with the consensus, {} added, {} lacking{}, uniqueness {:.3}, relative gap {} ({})",
            out.display(),
            console::visible(name),
            console::count(view.n_shared, "edge"),
            view.n_added,
            view.n_lacking,
            match view.n_unmeasured {
                None | Some(0) => String::new(),
                Some(n_unmeasured) => format!(", {n_unmeasured} unmeasured"),
            },
            projection.uniqueness(),
            summary::gap(projection.certificate.relative_gap),
            projection.status
        )
    };
    projections.iter().zip(views).map(line).collect::<Vec<_>>().join("\n")
}
