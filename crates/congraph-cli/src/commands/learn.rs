//! `congraph learn`: files in, certified graphs out.

use std::sync::Arc;
use std::time::Instant;

use congraph::methods::smooth::admm::ZStep;
use congraph::signals::Scaling;
use congraph::tune::{Dial, Reached, Targets, Tuned};
use congraph::views::View;
use congraph::{
    Admm, Candidates, Code, DataError, Learned, Learner, Model, Newton, Parameters, Solver, Views, Warning, penalties,
    regularisers,
};
use congraph_io::{Folder, Places, ViewRow, read_pairs, seal, write_graph_at, write_json};
use serde_json::json;

use super::input::{self, Read, Source};
use super::support;
use crate::args::{FitArgs, Global, LearnArgs, OutputArgs, SolverArg, ZStepArg};
use crate::console::{self, Console, count};
use crate::failure::Failure;
use crate::summary::{self, Seconds};
use crate::words;
use crate::{interrupt, memory, output};

/// Alternations of the paper's block coordinate descent per iteration.
const SWEEPS: usize = 10;

pub(crate) fn run(args: &LearnArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    if let Some(coupling) = args.method.coupling() {
        return super::jgl::run(args, coupling, global, console);
    }
    let start = Instant::now();
    super::jgl::check_unused(args)?;
    let fitting = Fitting {
        kind: "learn",
        learner: learner(&args.fit, args.input.scaling.scaling())?,
        args: &args.fit,
        output: &args.output,
        folder: output::place(&args.output.out, args.output.force)?,
        start,
    };
    let read = input::read(&args.input)?;
    fitting.fit(&read, console)?.print(global)
}

/// What is to be learned, and where it goes.
pub(super) struct Fitting<'a> {
    /// The command.
    pub(super) kind: &'static str,
    pub(super) learner: Learner,
    pub(super) args: &'a FitArgs,
    pub(super) output: &'a OutputArgs,
    /// The place of the result.
    pub(super) folder: Folder,
    /// When the command started.
    pub(super) start: Instant,
}

impl Fitting<'_> {
    /// Learns from the views that were read, and writes the output folder.
    pub(super) fn fit(self, read: &Read, console: &Console) -> Result<Fitted, Failure> {
        let (args, start) = (self.args, self.start);
        console.detail(&format!(
            "read {} of {} in {:.2} s",
            count(read.views.n_views(), "view"),
            count(read.views.n_nodes(), "node"),
            read.time.as_secs_f64()
        ));
        let learner = on_support(self.learner, args, &read.views)?;
        check_memory(&learner, &read.views)?;
        let targets = targets(args);
        let tuned = {
            let progress = console.progress();
            learner.learn_to(&read.views, &targets, &|step| progress.step(step))?
        };
        let Tuned {
            learner,
            learned,
            reached,
        } = tuned;
        console.detail(&found(&reached));
        if let Some(outside) = learned.outside {
            console.note(&format!(
                "note: {} outside the candidates would have entered",
                count(outside, "pair")
            ));
        }
        let near = read.places.as_ref().and_then(|places| places.nearness(&learned.graph));
        let noticed = read.warnings.iter().chain(&learned.warnings).cloned();
        let warnings = words::told(noticed.chain(near));
        for warning in &warnings {
            console.warning(warning);
        }
        if args.strict && !learned.converged() {
            return Err(Failure::NotConverged(format!(
                "{}: the relative gap is {:.1e}, above --tol {:e}, after {} iteration{}; nothing was written because of --strict\n  \
                 hint: raise --max-iterations or --tol",
                learned.status,
                learned.certificate.relative_gap,
                args.tol,
                learned.iterations,
                if learned.iterations == 1 { "" } else { "s" }
            )));
        }
        let seconds = Seconds {
            read: read.time,
            distances: learned.distances_time,
            solve: learned.solve_time,
            total: start.elapsed(),
        };
        let mut summary = summary::summary(&learner, &learned, Some(&reached), &warnings, &seconds);
        if let Some(made) = &read.preparation {
            summary["recordings"] = made.summary();
        }
        interrupt::uninterrupted(|| -> Result<(), Failure> {
            let folder = self.folder;
            write(&folder, self.kind, None, read, &learned, &summary, &seconds)?;
            support::write(&folder, &learner.support, &learner.edge_costs, learned.graph.nodes())?;
            if !args.no_report {
                super::report::stage(&folder, &learned.graph, console)?;
            }
            seal(&folder, &mut summary)?;
            Ok(folder.commit()?)
        })?;
        let line = result_line(self.output, &learned, &reached, &seconds);
        Ok(Fitted { summary, line })
    }
}

/// What is told of a fit that is written.
pub(super) struct Fitted {
    summary: serde_json::Value,
    line: String,
}

impl Fitted {
    pub(super) fn print(&self, global: &Global) -> Result<(), Failure> {
        if global.json {
            console::print(&self.summary.to_string())
        } else {
            console::print(&self.line)
        }
    }
}

/// The learner that the options describe.
pub(super) fn learner(args: &FitArgs, scaling: Scaling) -> Result<Learner, Failure> {
    check_dials(args)?;
    // Of what a target is to find, these are placeholders.
    let (alpha, beta) = (args.alpha.unwrap_or(1.0), args.beta.unwrap_or(1.0));
    let Some(penalty) = penalties::by_name(&args.penalty) else {
        return Err(Failure::usage(format!("--penalty `{}` is not known", args.penalty), ""));
    };
    let Some(regulariser) = regularisers::by_name(&args.regulariser) else {
        return Err(Failure::usage(
            format!("--regulariser `{}` is not known", args.regulariser),
            "",
        ));
    };
    // Before any file is read; the library would refuse them too.
    let gamma = args.gamma.unwrap_or(0.0);
    check_value("--alpha", alpha, alpha.is_normal() && alpha > 0.0, "positive")?;
    check_value("--beta", beta, beta >= 0.0, "0 or positive")?;
    check_value("--gamma", gamma, gamma >= 0.0, "0 or positive")?;
    check_value("--tol", args.tol, args.tol > 0.0, "positive")?;
    Ok(Learner {
        scaling,
        model: Model {
            parameters: Parameters { alpha, beta, gamma },
            penalty,
            regulariser,
        },
        solver: solver(args),
        single: args.single,
        ..Learner::new(alpha, beta)
    })
}

/// The learner with the pairs that may be joined, whose names only the data tell.
fn on_support(learner: Learner, args: &FitArgs, views: &Views) -> Result<Learner, Failure> {
    let support = match &args.candidates {
        None => Candidates::AllPairs,
        Some(text) => support::read_candidates(text, args.seed, views.nodes())?,
    };
    let edge_costs = match &args.edge_costs {
        None => Vec::new(),
        Some(path) => read_pairs(path, views.nodes(), true)?,
    };
    let memory = memory_of(args.memory, &learner)?;
    Ok(Learner {
        support,
        edge_costs,
        check_outside: args.check_outside,
        memory,
        ..learner
    })
}

/// How many bytes may be used.
pub(super) fn memory_of(given: Option<f64>, learner: &Learner) -> Result<u64, Failure> {
    let Some(gib) = given else {
        return Ok(memory::free().map_or(learner.memory, |free| free / 2));
    };
    check_value("--memory", gib, gib > 0.0, "positive")?;
    Ok((gib * memory::GIB) as u64)
}

/// Refuses what cannot fit before any work is done.
pub(super) fn check_memory(learner: &Learner, views: &Views) -> Result<(), Failure> {
    let needed = learner.least_memory(views);
    if needed <= learner.memory {
        return Ok(());
    }
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / memory::GIB);
    let (n_nodes, n_views) = (views.n_nodes(), views.n_views());
    let mut hints = vec![format!(
        "`--memory {:.0}` if the machine has it",
        (needed as f64 / memory::GIB).ceil()
    )];
    if learner.support == Candidates::AllPairs {
        let newton = Learner {
            solver: Arc::new(Newton::default()),
            ..learner.clone()
        };
        if learner.solver.name() != "newton" && newton.least_memory(views) <= learner.memory {
            hints.push(format!("`--solver newton` needs {}", gib(newton.least_memory(views))));
        }
        let nearest = Learner {
            support: Candidates::Nearest { k: 20, seed: 1 },
            ..newton
        };
        if nearest.least_memory(views) <= learner.memory {
            hints.push(format!(
                "`--candidates knn:20` needs {}",
                gib(nearest.least_memory(views))
            ));
        }
    }
    Err(Failure::usage(
        format!(
            "{n_nodes} nodes × {n_views} views need at least {} of memory, and {} may be used",
            gib(needed),
            gib(learner.memory)
        ),
        hints.join("; "),
    ))
}

fn solver(args: &FitArgs) -> Arc<dyn Solver> {
    match args.solver {
        SolverArg::Newton => {
            let settings = Newton::default();
            Arc::new(Newton {
                tolerance: args.tol,
                max_iterations: args.max_iterations.unwrap_or(settings.max_iterations),
                ..settings
            })
        }
        SolverArg::Admm => {
            let settings = Admm::default();
            Arc::new(Admm {
                tolerance: args.tol,
                max_iterations: args.max_iterations.unwrap_or(settings.max_iterations),
                z_step: match args.z_step {
                    ZStepArg::Exact => ZStep::Exact,
                    ZStepArg::Bcd => ZStep::BlockCoordinateDescent { sweeps: SWEEPS },
                },
                ..settings
            })
        }
    }
}

/// What is to be found, and for which targets: whatever is neither given nor fixed gets a usual one.
fn targets(args: &FitArgs) -> Targets {
    let dial = |target: Option<f64>, value: Option<f64>, otherwise: Dial| match (target, value) {
        (Some(target), _) => Dial::At(target),
        (None, Some(_)) => Dial::Fixed,
        (None, None) => otherwise,
    };
    Targets {
        density: dial(args.density, args.alpha, Dial::Usual),
        similarity: dial(args.similarity, args.beta, Dial::Usual),
        consensus_density: dial(args.consensus_density, args.gamma, Dial::Fixed),
    }
}

/// What contradicts itself or cannot be meant is refused before any file is read.
fn check_dials(args: &FitArgs) -> Result<(), Failure> {
    let dials = [
        ("--density", args.density, "--alpha", args.alpha),
        ("--similarity", args.similarity, "--beta", args.beta),
        ("--consensus-density", args.consensus_density, "--gamma", args.gamma),
    ];
    for (dial, target, parameter, value) in dials {
        let Some(target) = target else { continue };
        if value.is_some() {
            return Err(Failure::Data(vec![DataError::new(
                Code::E12,
                format!("`{dial}` and `{parameter}` are both given"),
                format!("`{dial}` is a target for which `{parameter}` is found; only one of them can be obeyed"),
                format!("leave out `{dial}` or `{parameter}`"),
            )]));
        }
        if args.single && dial != "--density" {
            return Err(Failure::usage(
                format!("{dial} is about what views share, and --single learns each on its own"),
                format!("leave out `{dial}` or `--single`"),
            ));
        }
        check_value(dial, target, target > 0.0 && target <= 1.0, "above 0, at most 1")?;
    }
    Ok(())
}

pub(crate) fn check_value(option: &str, value: f64, is_fine: bool, range: &str) -> Result<(), Failure> {
    if is_fine && value.is_finite() {
        return Ok(());
    }
    // Most numbers are short as they are; 1e-320 is not.
    let plain = value.to_string();
    let shown = if plain.len() > 12 { format!("{value:e}") } else { plain };
    let why = if value.is_subnormal() {
        "that is too small to compute with".into()
    } else {
        format!("it must be {range}, and finite")
    };
    Err(Failure::usage(format!("{option} is {shown}; {why}"), ""))
}

/// What a search found, for those who want to know.
fn found(reached: &Reached) -> String {
    let Parameters { alpha, beta, gamma } = reached.parameters;
    format!(
        "alpha {alpha:.4e}, beta {beta:.4e}, gamma {gamma:.4e} after {} fit{}",
        reached.solves,
        if reached.solves == 1 { "" } else { "s" }
    )
}

/// Writes the graphs, `summary.json` and `run.json`.
pub(super) fn write(
    folder: &Folder,
    kind: &str,
    seed: Option<u64>,
    read: &Read,
    learned: &Learned,
    summary: &serde_json::Value,
    seconds: &Seconds,
) -> Result<(), Failure> {
    let rows = view_rows(read);
    let mut run = summary::run(kind, summary, &inputs(read), seed, seconds);
    let places = read.places.as_ref().map(|places| places.of(learned.graph.nodes()));
    let places = places.as_deref().map(Places::Head);
    write_graph_at(folder, "", &learned.graph, &rows, places)?;
    if let Some(preparation) = &read.preparation {
        preparation.write(folder)?;
        run["eeg"] = preparation.steps.clone();
    }
    write_json(folder, "summary.json", summary)?;
    write_json(folder, "run.json", &run)?;
    super::report::write_quality(folder, &read.views)?;
    Ok(())
}

/// What `views.tsv` tells of the views that were read.
pub(super) fn view_rows(read: &Read) -> Vec<ViewRow> {
    let files = |view: &View| {
        let of_view = read.sources.iter().filter(|source| source.view == view.name());
        of_view
            .map(|source| source.file.as_str())
            .collect::<Vec<_>>()
            .join("; ")
    };
    let row = |view: &View| ViewRow {
        file: files(view),
        n_samples: view.n_samples(),
    };
    read.views.iter().map(row).collect()
}

/// What `run.json` tells of the files that were read.
pub(super) fn inputs(read: &Read) -> Vec<serde_json::Value> {
    let entry = |source: &Source| json!({"view": source.view, "file": source.file, "sha256": source.sha256});
    read.sources.iter().map(entry).collect()
}

/// What comes before any figure: whether there is anything, and whether it is shared.
pub(super) fn caveat(warnings: &[Warning]) -> &'static str {
    let has = |code: &str| warnings.iter().any(|warning| warning.code == code);
    match (has("W13"), has("W15")) {
        (true, _) => "nothing beyond chance; ",
        (_, true) => "structure, but none that the views share; ",
        _ => "",
    }
}

/// The similarity, and what it would be if each view were learned on its own.
pub(super) fn likeness(similarity: Option<f64>, floor: Option<f64>) -> String {
    match (similarity, floor) {
        (None, _) => String::new(),
        (Some(value), None) => format!("similarity {value:.3}, "),
        (Some(value), Some(floor)) => format!("similarity {value:.3} ({floor:.3} when learned separately), "),
    }
}

fn result_line(output: &OutputArgs, learned: &Learned, reached: &Reached, seconds: &Seconds) -> String {
    let graph = &learned.graph;
    let shared = graph.consensus().map_or_else(String::new, |consensus| {
        let n_edges = consensus.iter().filter(|&&weight| weight > 0.0).count();
        format!("consensus of {}, ", count(n_edges, "edge"))
    });
    let likeness = likeness(graph.similarity(), reached.floor);
    format!(
        "{}: {}{} × {}, {shared}mean density {:.3}, {likeness}relative gap {} ({}), {:.2} s",
        output.out.display(),
        caveat(&learned.warnings),
        count(graph.n_views(), "view"),
        count(graph.n_nodes(), "node"),
        graph.mean_density(),
        summary::gap(learned.certificate.relative_gap),
        learned.status,
        seconds.total.as_secs_f64()
    )
}
