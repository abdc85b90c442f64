//! `congraph learn --method likelihood`: files in, certified graphs that make the signals likely out.

use congraph::methods::likelihood::Signs;
use congraph::tune::Chosen;
use congraph::{Scale, Views, is_edge};
use congraph_io::seal;
use congraph_record::FitRecord;
use congraph_record::record::Timing;
use congraph_record::request::LikelihoodAsked;

use super::candidates;
use super::input::Read;
use super::learn::{Fitted, Fitting, caveat, check_converged, consensus, likeness, noticed, tell_read, unasked, write};
use crate::args::OutputArgs;
use crate::console::{Console, count};
use crate::failure::Failure;
use crate::summary::Call;
use crate::{interrupt, memory, summary};

impl Fitting<'_> {
    /// Learns from the views that were read, and writes the output folder.
    pub(super) fn fit_likelihood(
        self,
        asked: LikelihoodAsked,
        read: &Read,
        console: &Console,
    ) -> Result<Fitted, Failure> {
        tell_read(read, console);
        let (listed, costs) = candidates::read_tables(&asked.tables, read.views.nodes())?;
        let asked = asked.on_pairs(listed, costs).with_free_memory(memory::half_of_free());
        let chosen = {
            let progress = console.progress();
            let watch = |step: &congraph::Progress| progress.step(step);
            asked.method.learn_to(&read.views, &asked.wanted, &watch)?
        };
        tell(&asked, &chosen, &read.views, console);
        let (method, learned) = (&chosen.method, &chosen.learned);
        let warnings = noticed(read, &learned.graph, &learned.warnings);
        for warning in &warnings {
            console.warning(warning);
        }
        check_converged(self.args, learned)?;
        let timing = Timing {
            read: read.time,
            distances: learned.prepare_time,
            solve: learned.solve_time,
            total: self.start.elapsed(),
        };
        let mut summary = FitRecord {
            recordings: read.preparation.as_ref().map(super::eeg::Preparation::summary),
            ..FitRecord::of_likelihood(&asked, &chosen, &warnings, Some(&timing))
        };
        let line = result_line(self.output, &asked, &chosen, &timing);
        let Some(folder) = self.folder else {
            return Ok(Fitted { summary, line: None });
        };
        interrupt::uninterrupted(|| -> Result<(), Failure> {
            write(&folder, Call::own(self.kind), read, &learned.graph, &summary, &timing)?;
            let quality = super::report::quality(&read.views);
            super::report::write_quality(&folder, read.views.nodes(), quality.as_deref())?;
            candidates::write(&folder, &method.candidates, &method.edge_costs, learned.graph.nodes())?;
            if !self.args.no_report {
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

/// What was decided for the user.
fn tell(asked: &LikelihoodAsked, chosen: &Chosen, views: &Views, console: &Console) {
    // Values whose squares no f64 holds are z-scored, whatever their units.
    let is_tiny = views.iter().any(|view| {
        let values = || (0..views.n_nodes()).flat_map(|node| view.node(node));
        values().all(|x| x.abs() < 1e-150)
    });
    let details = &chosen.learned.details;
    let is_signed = chosen.method.model.signs == Signs::Both;
    if asked.method.scale.is_none() && details.scale == Scale::Zscore && !is_signed && !is_tiny {
        console.note(
            "note: the nodes differ much in their variance, so their signals were z-scored; the likelihood then gains \
             less over `--method smooth`. `--scale center` keeps their sizes, if they are in one unit",
        );
    }
    if details.is_lifted {
        console.detail(if is_signed {
            "the views lack a direction, such as the mean of all nodes: it was given the mean variance"
        } else {
            "the views lack the mean of all nodes (a reference or a filter took it out): it was put back"
        });
    }
    let mut compared: Vec<String> = Vec::new();
    for tried in &chosen.tried {
        let b = tried
            .coupling
            .map_or_else(String::new, |b| format!(", b = {}", short(b)));
        let signed = if tried.signs == Signs::Both { ", signed" } else { "" };
        let told = format!("filter {}{b}{signed}: AIC {:.1}", tried.filter.order(), tried.aic);
        // A choice between signs fits the better ones again.
        if !compared.contains(&told) {
            compared.push(told);
        }
    }
    console.detail(&compared.join("; "));
}

/// b for people.
fn short(b: f64) -> String {
    let rounded = (1e3 * b).round() / 1e3;
    if rounded > 0.0 {
        rounded.to_string()
    } else {
        format!("{b:.1e}")
    }
}

/// The model, and what of it the criterion chose.
fn model(asked: &LikelihoodAsked, chosen: &Chosen) -> String {
    let model = &chosen.method.model;
    let open = asked.open(chosen.learned.graph.n_views());
    let mut parts = vec![("filter", format!("filter {}", model.filter.order()))];
    if model.signs == Signs::Both || asked.wanted.signs.is_none() {
        let signs = if model.signs == Signs::Both {
            "both signs"
        } else {
            "positive edges"
        };
        parts.push(("signed", signs.into()));
    }
    if let Some(b) = model.coupling {
        parts.push(("beta", format!("b = {}", short(b))));
    }
    // Once behind all that it chose where these stand together.
    let by = by_criterion(asked, chosen);
    let chosen: Vec<bool> = parts.iter().map(|(id, _)| open.contains(id)).collect();
    let told = parts.iter().enumerate().map(|(k, (_, text))| {
        let is_last = chosen[k] && !chosen.get(k + 1).copied().unwrap_or(false);
        format!("{text}{}, ", if is_last { by } else { "" })
    });
    told.collect()
}

/// How the criterion chose, as far as it could.
fn by_criterion(asked: &LikelihoodAsked, chosen: &Chosen) -> &'static str {
    let model = &chosen.method.model;
    let certified = || {
        let own = chosen.tried.iter().filter(|one| one.signs == model.signs);
        own.filter(|one| one.is_certified)
    };
    let taken = certified().find(|one| one.filter == model.filter && one.coupling == model.coupling);
    let Some(taken) = taken else {
        return " (not certified, and so not chosen by AIC)";
    };
    if asked.wanted.density.is_some() && certified().any(|one| one.aic < taken.aic) {
        " by AIC among those as dense"
    } else {
        " by AIC"
    }
}

fn result_line(output: &OutputArgs, asked: &LikelihoodAsked, chosen: &Chosen, timing: &Timing) -> String {
    let (graph, learned) = (&chosen.learned.graph, &chosen.learned);
    let is_empty = !graph.weights().values().iter().any(|&weight| is_edge(weight));
    let first = if chosen.is_noise {
        "nothing beyond chance; "
    } else {
        caveat(&learned.warnings)
    };
    format!(
        "{}: {first}{}{} × {}, {}mean density {:.3}, {}{}relative gap {} ({}), {:.2} s{}",
        output.out.display(),
        if is_empty { "an empty graph: " } else { "" },
        count(graph.n_views(), "view"),
        count(graph.n_nodes(), "node"),
        consensus(graph),
        graph.mean_density(),
        likeness(graph.similarity(), chosen.floor),
        model(asked, chosen),
        summary::gap(learned.certificate.relative_gap),
        learned.status,
        timing.total.as_secs_f64(),
        unasked(output, graph)
    )
}
