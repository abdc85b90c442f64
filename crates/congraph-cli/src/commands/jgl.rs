//! `congraph learn --method jgl-fused|jgl-group`: files in, certified precision matrices out.

use std::time::Instant;

use congraph::methods::graphical_lasso::{
    Coupling, EdgeRule, JointAdmm, JointGraphicalLasso, JointLearned, JointPenalty,
};
use congraph_io::output::DENSE_NODES;
use congraph_io::{seal, write_json, write_precision_graph};

use super::input;
use super::learn::{caveat, check_value, inputs, view_rows};
use crate::args::{DistanceNormArg, Global, LearnArgs, MissingArg, SolverArg, ZStepArg};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::summary::{self, Seconds};
use crate::words;
use crate::{interrupt, output};

pub(super) fn run(args: &LearnArgs, coupling: Coupling, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let learner = learner(args, coupling)?;
    let folder = output::place(&args.output.out, args.output.force)?;
    let read = input::read(&args.input)?;
    if read.views.n_nodes() > DENSE_NODES {
        return Err(Failure::usage(
            format!(
                "the joint graphical lasso works on dense matrices, and {} nodes are too many; up to {DENSE_NODES} will do",
                read.views.n_nodes()
            ),
            "leave out `--method` to learn sparse graphs of that many nodes",
        ));
    }
    let learned = {
        let progress = console.progress();
        learner.learn(&read.views, &|step| progress.step(step))?
    };
    let warnings = words::told(read.warnings.iter().chain(&learned.warnings).cloned());
    for warning in &warnings {
        console.warning(warning);
    }
    if args.fit.strict && !learned.converged() {
        return Err(Failure::NotConverged(format!(
            "{}: the relative gap is {:.1e}, above --tol {:e}, after {} iterations; nothing was written because of --strict\n  \
             hint: raise --max-iterations or --tol",
            learned.status, learned.certificate.relative_gap, args.fit.tol, learned.iterations
        )));
    }
    let seconds = Seconds {
        read: read.time,
        distances: learned.covariances_time,
        solve: learned.solve_time,
        total: start.elapsed(),
    };
    let mut summary = summary::joint_summary(&learner, &learned, &warnings, &seconds);
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        let graph = learned.graph(EdgeRule::NonZero);
        write_precision_graph(&folder, &graph, &view_rows(&read), &learned.precisions)?;
        write_json(&folder, "summary.json", &summary)?;
        let run = summary::run("learn", &summary, &inputs(&read), None, &seconds);
        write_json(&folder, "run.json", &run)?;
        super::report::write_quality(&folder, &read.views)?;
        if !args.fit.no_report {
            super::report::stage(&folder, &graph, console)?;
        }
        seal(&folder, &mut summary)?;
        Ok(folder.commit()?)
    })?;
    if global.json {
        console::print(&summary.to_string())
    } else {
        console::print(&result_line(args, &learned, &seconds))
    }
}

/// The options of the joint graphical lasso mean nothing without it.
pub(super) fn check_unused(args: &LearnArgs) -> Result<(), Failure> {
    let given = [
        ("--lambda1", args.lambda1.is_some()),
        ("--lambda2", args.lambda2.is_some()),
        ("--free-diagonal", args.free_diagonal),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(
            format!("{option} is an option of the joint graphical lasso"),
            "add `--method jgl-fused` or `--method jgl-group`, or leave it out; congraph's own parameters are --alpha, --beta \
             and --gamma",
        )),
    }
}

fn learner(args: &LearnArgs, coupling: Coupling) -> Result<JointGraphicalLasso, Failure> {
    let method = coupling.name();
    let not_ours = [
        ("--alpha", args.fit.alpha.is_some()),
        ("--beta", args.fit.beta.is_some()),
        ("--gamma", args.fit.gamma.is_some()),
        ("--density", args.fit.density.is_some()),
        ("--similarity", args.fit.similarity.is_some()),
        ("--consensus-density", args.fit.consensus_density.is_some()),
        ("--penalty", args.fit.penalty != "l1"),
        ("--regulariser", args.fit.regulariser != "l1"),
        ("--candidates", args.fit.candidates.is_some()),
        ("--edge-costs", args.fit.edge_costs.is_some()),
        ("--memory", args.fit.memory.is_some()),
        ("--solver", args.fit.solver != SolverArg::Newton),
        ("--z-step", args.fit.z_step != ZStepArg::Exact),
        (
            "--distance-norm",
            args.input.scaling.distance_norm != DistanceNormArg::Max,
        ),
        ("--free-diagonal", args.free_diagonal && coupling == Coupling::Group),
    ];
    if let Some((option, _)) = not_ours.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(
            format!("{option} means nothing with --method {method}"),
            "its parameters are --lambda1 (sparsity) and --lambda2 (how alike the views are)",
        ));
    }
    if args.input.reading.missing == MissingArg::Mask {
        return Err(Failure::usage(
            format!("--missing mask cannot be used with --method {method}, which needs the same nodes in all views"),
            "`--nodes common` keeps the nodes that all views have, `--drop-nodes` leaves some out",
        ));
    }
    let Some(lambda1) = args.lambda1 else {
        return Err(Failure::usage(
            format!("--lambda1 is missing, which --method {method} needs"),
            "with the default scaling, `--lambda1 0.1` is a start; a larger one is sparser",
        ));
    };
    let lambda2 = match (args.lambda2, args.fit.single) {
        (Some(lambda2), false) => lambda2,
        (None, true) => 0.0,
        (Some(_), true) => {
            return Err(Failure::usage(
                "--lambda2 couples the views, and --single learns each on its own",
                "leave out one of them",
            ));
        }
        (None, false) => {
            return Err(Failure::usage(
                format!("--lambda2 is missing, which --method {method} needs"),
                "with the default scaling, `--lambda2 0.02` is a start; `--single` learns each view on its own (the plain \
                 graphical lasso)",
            ));
        }
    };
    for (option, value) in [("--lambda1", lambda1), ("--lambda2", lambda2)] {
        check_value(option, value, value >= 0.0, "0 or positive")?;
    }
    check_value("--tol", args.fit.tol, args.fit.tol > 0.0, "positive")?;
    let settings = JointAdmm::default();
    Ok(JointGraphicalLasso {
        scaling: args.input.scaling.scaling(),
        penalty: JointPenalty {
            coupling,
            lambda1,
            lambda2,
            fused_diagonal: !args.free_diagonal,
        },
        solver: JointAdmm {
            tolerance: args.fit.tol,
            max_iterations: args.fit.max_iterations.unwrap_or(settings.max_iterations),
            ..settings
        },
    })
}

fn result_line(args: &LearnArgs, learned: &JointLearned, seconds: &Seconds) -> String {
    let [any, negative] = EdgeRule::ALL.map(|rule| learned.graph(rule).mean_density());
    format!(
        "{}: {}{} precision {} × {}, mean density {any:.3} ({negative:.3} of negative entries), relative gap {} ({}), \
         {:.2} s",
        args.output.out.display(),
        caveat(&learned.warnings),
        learned.views.len(),
        if learned.views.len() == 1 { "matrix" } else { "matrices" },
        console::count(learned.nodes.len(), "node"),
        summary::gap(learned.certificate.relative_gap),
        learned.status,
        seconds.total.as_secs_f64()
    )
}
