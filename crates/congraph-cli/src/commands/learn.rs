//! `congraph learn`: files in, certified graphs out.

use std::time::Instant;

use congraph::team;
use congraph::tune::{Dial, Reached, Targets, Tuned};
use congraph::{Learned, Method, MultiviewGraph, Parameters, View, Warning, is_edge};
use congraph_io::{Folder, Places, ViewRow, seal, write_graph_at, write_json};
use congraph_record::findings::not_asked;
use congraph_record::record::{InputRecord, SPECTRUM_BY, Timing};
use congraph_record::request::{Asked, check_memory};
use congraph_record::{FitRecord, Resolved};

use super::input::{self, Read, Source};
use super::{candidates, in_team};
use crate::args::{FitArgs, Global, LearnArgs, OutputArgs};
use crate::console::{self, Console, count};
use crate::failure::Failure;
use crate::summary::Call;
use crate::{interrupt, memory, output, summary, words};

pub(crate) fn run(args: &LearnArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let resolved = args.request()?.resolve()?;
    let leads = team::of_process().rank() == 0;
    if let Resolved::GraphicalLasso(method) = &resolved {
        return super::jgl::run(args, method, start, global, console);
    }
    let fitting = Fitting {
        kind: "learn",
        args: &args.fit,
        output: &args.output,
        folder: leads
            .then(|| output::place(&args.output.out, args.output.force))
            .transpose()?,
        start,
    };
    in_team::check_call(&args.input.files)?;
    let read = input::read(&args.input)?;
    if !args.fit.single {
        input::check_several(&read, &args.input)?;
    }
    match resolved {
        Resolved::Likelihood(asked) => fitting.fit_likelihood(*asked, &read, console)?.print(global),
        Resolved::Smooth(asked) => fitting.fit(*asked, &read, console)?.print(global),
        Resolved::GraphicalLasso(_) => Ok(()),
    }
}

/// What is to be learned, and where it goes.
pub(super) struct Fitting<'a> {
    /// The command.
    pub(super) kind: &'static str,
    pub(super) args: &'a FitArgs,
    pub(super) output: &'a OutputArgs,
    /// The place of the result, unless another process writes it.
    pub(super) folder: Option<Folder>,
    /// When the command started.
    pub(super) start: Instant,
}

impl Fitting<'_> {
    /// Learns from the views that were read, and writes the output folder.
    pub(super) fn fit(self, asked: Asked, read: &Read, console: &Console) -> Result<Fitted, Failure> {
        let (args, start) = (self.args, self.start);
        tell_read(read, console);
        in_team::check_same(read)?;
        let (listed, costs) = candidates::read_tables(&asked.tables, read.views.nodes())?;
        let asked = asked.on_pairs(listed, costs).with_free_memory(memory::half_of_free());
        check_memory(&asked.method, &read.views)?;
        let tuned = {
            let progress = console.progress();
            let watch = |step: &congraph::Progress| progress.step(step);
            let method = asked.method_for(&read.views, &watch)?;
            method.learn_to(&read.views, &asked.targets, &watch)?
        };
        let Tuned {
            method,
            learned,
            reached,
        } = tuned;
        console.detail(&found(&reached));
        if asked.targets.density == Dial::Usual {
            tell_unusual(&learned.graph, console);
        }
        if method.spectrum.is_chosen {
            console.detail(&format!("spectrum {}, by {SPECTRUM_BY}", method.spectrum.exponent));
        }
        if let Some(outside) = learned.details.outside {
            console.note(&format!(
                "note: {} outside the candidates would have entered",
                count(outside, "pair")
            ));
        }
        let warnings = noticed(read, &learned.graph, &learned.warnings);
        for warning in &warnings {
            console.warning(warning);
        }
        check_converged(args, &learned)?;
        let timing = Timing {
            read: read.time,
            distances: learned.prepare_time,
            solve: learned.solve_time,
            total: start.elapsed(),
        };
        let mut summary = FitRecord {
            recordings: read.preparation.as_ref().map(super::eeg::Preparation::summary),
            echo: asked.echo,
            ..FitRecord::of(&method, &learned, Some(&reached), &warnings, Some(&timing))
        };
        let line = result_line(self.output, &learned, &reached, &timing);
        let quality = super::report::quality(&read.views);
        in_team::before_writing();
        let Some(folder) = self.folder else {
            return Ok(Fitted { summary, line: None });
        };
        interrupt::uninterrupted(|| -> Result<(), Failure> {
            write(&folder, Call::own(self.kind), read, &learned.graph, &summary, &timing)?;
            super::report::write_quality(&folder, read.views.nodes(), quality.as_deref())?;
            candidates::write(&folder, &method.candidates, &method.edge_costs, learned.graph.nodes())?;
            if !args.no_report {
                super::report::stage(&folder, &learned.graph, console)?;
            }
            seal(&folder, &mut summary)?;
            Ok(folder.commit()?)
        })?;
        Ok(Fitted {
            summary,
            line: Some(line),
        })
    }
}

/// A density that is far from what is usual, where nobody asked for it.
fn tell_unusual(graph: &MultiviewGraph, console: &Console) {
    let (usual, density) = (Targets::usual_density(graph.n_nodes()), graph.mean_density());
    let an_edge = 1.0 / graph.n_pairs().max(1) as f64;
    if (density - usual).abs() > (0.25 * usual).max(an_edge).max(0.02) {
        console.note(&format!(
            "note: the usual density of {usual:.3} cannot be reached on these data; the graphs have {density:.3}, the \
             nearest that there is. Few samples, or nodes that carry nearly the same signal, do that",
        ));
    }
}

/// How much was read, for those who want to know.
pub(super) fn tell_read(read: &Read, console: &Console) {
    console.detail(&format!(
        "read {} of {} in {:.2} s",
        count(read.views.n_views(), "view"),
        count(read.views.n_nodes(), "node"),
        read.time.as_secs_f64()
    ));
}

/// What was noticed of the data and of the fit.
pub(super) fn noticed(read: &Read, graph: &MultiviewGraph, of_fit: &[Warning]) -> Vec<Warning> {
    let near = read.places.as_ref().and_then(|places| places.nearness(graph));
    let near = near.or_else(|| read.map.as_ref().and_then(|map| map.nearness(graph)));
    let noticed = read.warnings.iter().chain(of_fit).cloned();
    words::told(noticed.chain(near))
}

/// With `--strict`, nothing is written of a fit that has not converged.
pub(super) fn check_converged<M: Method>(args: &FitArgs, learned: &Learned<M>) -> Result<(), Failure> {
    if !args.strict || learned.converged() {
        return Ok(());
    }
    let gap = learned.certificate.relative_gap;
    if !gap.is_finite() {
        return Err(Failure::NotConverged(format!(
            "{}: nothing certifies how near to the optimum it is; nothing was written because of --strict\n  \
             hint: raise --max-iterations",
            learned.status
        )));
    }
    Err(Failure::NotConverged(format!(
        "{}: the relative gap is {gap:.1e}, above --tol {:e}, after {} iteration{}; \
         nothing was written because of --strict\n  hint: raise --max-iterations or --tol",
        learned.status,
        args.tol,
        learned.iterations,
        if learned.iterations == 1 { "" } else { "s" }
    )))
}

/// What is told of a fit that is written.
pub(super) struct Fitted {
    pub(super) summary: FitRecord,
    /// One line on stdout; none where another process tells it.
    pub(super) line: Option<String>,
}

impl Fitted {
    pub(super) fn print(&self, global: &Global) -> Result<(), Failure> {
        match &self.line {
            None => Ok(()),
            Some(_) if global.json => console::print(&self.summary.to_json()),
            Some(line) => console::print(line),
        }
    }
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
    call: Call,
    read: &Read,
    graph: &MultiviewGraph,
    summary: &FitRecord,
    timing: &Timing,
) -> Result<(), Failure> {
    let rows = view_rows(read);
    let mut run = summary::run(call, summary, inputs(read), timing);
    let places = read.places.as_ref().map(|places| places.of(graph.nodes()));
    let map = read.map.as_ref().map(|map| map.of(graph.nodes()));
    let places = match (&places, &map) {
        (Some(places), _) => Some(Places::Head(places)),
        (None, Some((axes, at))) => Some(Places::Along { axes, at }),
        (None, None) => None,
    };
    write_graph_at(folder, "", graph, &rows, places)?;
    if let Some(preparation) = &read.preparation {
        preparation.write(folder)?;
        run.eeg = Some(preparation.steps.clone());
    }
    write_json(folder, "summary.json", summary)?;
    write_json(folder, "run.json", &run)?;
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
pub(super) fn inputs(read: &Read) -> Vec<InputRecord> {
    let entry = |source: &Source| InputRecord {
        view: source.view.clone(),
        file: source.file.clone(),
        sha256: source.sha256.clone(),
    };
    read.sources.iter().map(entry).collect()
}

/// What comes before any figure: whether there is anything, and whether it is shared.
pub(super) fn caveat(warnings: &[Warning]) -> &'static str {
    let of = |code: &str| warnings.iter().find(|warning| warning.code == code);
    match (of("W13"), of("W15")) {
        (Some(_), _) => "nothing beyond chance; ",
        // Whether there is structure may not be known.
        (_, Some(imposed)) if imposed.message.starts_with("nothing") => "nothing that the views share; ",
        (_, Some(_)) => "structure, but none that the views share; ",
        _ => "",
    }
}

/// What comes after all figures of a fit that has edges: how sure they are is another question.
pub(super) fn unasked(output: &OutputArgs, graph: &MultiviewGraph) -> String {
    if !graph.weights().values().iter().any(|&weight| is_edge(weight)) {
        return String::new();
    }
    let ask = super::report::ask_stability(&output.out.display().to_string());
    format!("; {}", not_asked(&ask))
}

/// The similarity, and what it would be if each view were learned on its own.
pub(super) fn likeness(similarity: Option<f64>, floor: Option<f64>) -> String {
    match (similarity, floor) {
        (None, _) => String::new(),
        (Some(value), None) => format!("similarity {value:.3}, "),
        (Some(value), Some(floor)) => format!("similarity {value:.3} ({floor:.3} when learned separately), "),
    }
}

/// How many edges the consensus has, if there is one.
pub(super) fn consensus(graph: &MultiviewGraph) -> String {
    graph.consensus().map_or_else(String::new, |consensus| {
        let n_edges = consensus.iter().filter(|&&weight| is_edge(weight)).count();
        let negative = match consensus.iter().filter(|&&weight| weight < 0.0).count() {
            0 => String::new(),
            n_negative => format!(" ({n_negative} negative)"),
        };
        format!("consensus of {}{negative}, ", count(n_edges, "edge"))
    })
}

fn result_line(output: &OutputArgs, learned: &Learned, reached: &Reached, timing: &Timing) -> String {
    let graph = &learned.graph;
    let consensus = consensus(graph);
    let likeness = likeness(graph.similarity(), reached.floor);
    format!(
        "{}: {}{} × {}, {consensus}mean density {:.3}, {likeness}relative gap {} ({}), {:.2} s{}",
        output.out.display(),
        caveat(&learned.warnings),
        count(graph.n_views(), "view"),
        count(graph.n_nodes(), "node"),
        graph.mean_density(),
        summary::gap(learned.certificate.relative_gap),
        learned.status,
        timing.total.as_secs_f64(),
        unasked(output, graph)
    )
}
