//! `congraph learn --method jgl-fused|jgl-group`: files in, certified precision matrices out.

use std::time::Instant;

use congraph::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso};
use congraph::{Learn, Learned};
use congraph_io::output::DENSE_NODES;
use congraph_io::{Places, seal, write_json, write_precision_graph};
use congraph_record::FitRecord;
use congraph_record::record::Timing;

use super::input;
use super::learn::{caveat, inputs, unasked, view_rows};
use crate::args::{Global, LearnArgs, MissingArg};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::summary::Call;
use crate::{interrupt, output, summary, words};

pub(super) fn run(
    args: &LearnArgs,
    method: &GraphicalLasso,
    start: Instant,
    global: &Global,
    console: &Console,
) -> Result<(), Failure> {
    refuse_masks(args, method.model.fusion)?;
    let folder = output::place(&args.output.out, args.output.force)?;
    let read = input::read(&args.input)?;
    check_size(read.views.n_nodes())?;
    let learned = {
        let progress = console.progress();
        method.learn(&read.views, &|step| progress.step(step))?
    };
    let warnings = words::told(read.warnings.iter().chain(&learned.warnings).cloned());
    for warning in &warnings {
        console.warning(warning);
    }
    if args.fit.strict && !learned.converged() {
        return Err(Failure::NotConverged(format!(
            "{}: the relative gap is {:.1e}, above --tol {:e}, after {} iterations; \
             nothing was written because of --strict\n  hint: raise --max-iterations or --tol",
            learned.status, learned.certificate.relative_gap, args.fit.tol, learned.iterations
        )));
    }
    let timing = Timing {
        read: read.time,
        distances: learned.prepare_time,
        solve: learned.solve_time,
        total: start.elapsed(),
    };
    let mut summary = FitRecord::of_joint(method, &learned, EdgeRule::NonZero, &warnings, Some(&timing));
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        let graph = &learned.graph;
        let map = read.map.as_ref().map(|map| map.of(graph.nodes()));
        let places = map.as_ref().map(|(axes, at)| Places::Along { axes, at });
        write_precision_graph(&folder, graph, &view_rows(&read), &learned.details.precisions, places)?;
        write_json(&folder, "summary.json", &summary)?;
        let run = summary::run(Call::own("learn"), &summary, inputs(&read), &timing);
        write_json(&folder, "run.json", &run)?;
        let quality = super::report::quality(&read.views);
        super::report::write_quality(&folder, read.views.nodes(), quality.as_deref())?;
        if !args.fit.no_report {
            super::report::stage(&folder, graph, console)?;
        }
        seal(&folder, &mut summary)?;
        Ok(folder.commit()?)
    })?;
    if global.json {
        console::print(&summary.to_json())
    } else {
        console::print(&result_line(args, &learned, &timing))
    }
}

/// Matrices of very many nodes do not fit into memory.
fn check_size(n_nodes: usize) -> Result<(), Failure> {
    if n_nodes <= DENSE_NODES {
        return Ok(());
    }
    Err(Failure::usage(
        format!(
            "the joint graphical lasso works on dense matrices, and {n_nodes} nodes are too many; \
             up to {DENSE_NODES} will do"
        ),
        "leave out `--method` to learn sparse graphs of that many nodes",
    ))
}

/// It needs the same nodes in all views.
fn refuse_masks(args: &LearnArgs, fusion: Fusion) -> Result<(), Failure> {
    if args.input.reading.missing != MissingArg::Mask {
        return Ok(());
    }
    let method = fusion.name();
    Err(Failure::usage(
        format!("--missing mask cannot be used with --method {method}, which needs the same nodes in all views"),
        "`--nodes common` keeps the nodes that all views have, `--drop-nodes` leaves some out",
    ))
}

fn result_line(args: &LearnArgs, learned: &Learned<GraphicalLasso>, timing: &Timing) -> String {
    let [any, negative] = EdgeRule::ALL.map(|rule| learned.details.graph(&learned.graph, rule).mean_density());
    format!(
        "{}: {}{} precision {} × {}, mean density {any:.3} ({negative:.3} of negative entries), relative gap {} ({}), \
         {:.2} s{}",
        args.output.out.display(),
        caveat(&learned.warnings),
        learned.graph.n_views(),
        if learned.graph.n_views() == 1 {
            "matrix"
        } else {
            "matrices"
        },
        console::count(learned.graph.n_nodes(), "node"),
        summary::gap(learned.certificate.relative_gap),
        learned.status,
        timing.total.as_secs_f64(),
        unasked(&args.output, &learned.graph)
    )
}
