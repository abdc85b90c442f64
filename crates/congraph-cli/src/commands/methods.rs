//! `congraph tune --methods`: which method explains samples best that it has not seen.

use std::path::Path;
use std::time::Instant;

use congraph::methods::graphical_lasso::Fusion;
use congraph::methods::likelihood::{Likelihood, Signs};
use congraph::tune::{Contender, Explained, Wanted, compare_methods, noise};
use congraph::{Progress, Warning};
use congraph_io::{write_json, write_rows};
use congraph_record::choices::{Choice, Method};
use congraph_record::record::warning_records;
use congraph_record::request::Asked;
use serde_json::{Value, json};

use super::input;
use super::learn::caveat;
use crate::args::{Global, TuneArgs};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::{interrupt, memory, output, words};

/// Compares, and writes `methods.tsv` and `methods.json`.
pub(super) fn run(
    args: &TuneArgs,
    asked: Asked,
    start: Instant,
    global: &Global,
    console: &Console,
) -> Result<(), Failure> {
    let folder = output::place(&args.output.out, args.output.force)?;
    let read = input::read(&args.input)?;
    let asked = asked.with_free_memory(memory::half_of_free());
    let contenders: Vec<Contender> = args.methods.iter().map(|method| contender(*method, &asked)).collect();
    let (found, noise) = {
        let progress = console.progress();
        let watch = |step: &Progress| progress.step(step);
        let found = compare_methods(&read.views, &contenders, &watch)?;
        (found, noise(&read.views, &watch)?)
    };
    let warnings = words::told(read.warnings.iter().cloned().chain(noise));
    for warning in &warnings {
        console.warning(warning);
    }
    let found = Comparison {
        methods: found,
        warnings,
    };
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write_rows(&folder, "methods.tsv", &COLUMNS, &found.rows())?;
        write_json(&folder, "methods.json", &found.told())?;
        Ok(folder.commit()?)
    })?;
    if global.json {
        console::print(&found.told().to_string())
    } else {
        console::print(&found.story(&args.output.out, start))
    }
}

/// Refuses methods that are named twice: each is compared once, with settings of its own.
pub(super) fn check_named_once(methods: &[Method]) -> Result<(), Failure> {
    let twice = methods
        .iter()
        .enumerate()
        .find(|(k, method)| methods[..*k].contains(method));
    match twice {
        None => Ok(()),
        Some((_, method)) => Err(Failure::usage(
            format!(
                "--methods names `{}` twice, and each method is compared once",
                method.word()
            ),
            "name every method once",
        )),
    }
}

/// A method with the settings that are tried.
fn contender(method: Method, asked: &Asked) -> Contender {
    match method {
        Method::JglFused => Contender::graphical_lasso(Fusion::Fused),
        Method::JglGroup => Contender::graphical_lasso(Fusion::Group),
        Method::Likelihood => {
            let likelihood = Likelihood {
                memory: asked.method.memory,
                ..Likelihood::default()
            };
            let signs = if asked.method.signed {
                Signs::Both
            } else {
                Signs::Attractive
            };
            let wanted = Wanted {
                signs: Some(signs),
                ..Wanted::default()
            };
            Contender::likelihood(likelihood, wanted)
        }
        Method::Smooth => Contender::smooth(asked.method.clone()),
    }
}

const COLUMNS: [&str; 8] = [
    "method",
    "gain",
    "behind",
    "standard_error",
    "density",
    "settings",
    "n_settings",
    "gain_error",
];

/// What was found, the best method first.
struct Comparison {
    methods: Vec<Explained>,
    warnings: Vec<Warning>,
}

impl Comparison {
    /// The best method, if it explains more than independent nodes do, and there is anything to explain.
    fn best(&self) -> Option<&Explained> {
        let first = self.methods.first();
        first.filter(|first| first.is_beyond_independent() && caveat(&self.warnings).is_empty())
    }

    fn behind(&self, one: &Explained) -> f64 {
        self.methods.first().map_or(0.0, |first| first.gain) - one.gain
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let error = |error: Option<f64>| error.map_or_else(String::new, |error| error.to_string());
        let row = |one: &Explained| {
            vec![
                one.method.to_owned(),
                one.gain.to_string(),
                self.behind(one).to_string(),
                error(one.standard_error),
                one.density.to_string(),
                one.settings.clone(),
                one.n_settings.to_string(),
                error(one.gain_error),
            ]
        };
        self.methods.iter().map(row).collect()
    }

    fn told(&self) -> Value {
        let one = |one: &Explained| {
            json!({
                "method": one.method, "gain": one.gain, "gain_error": one.gain_error, "behind": self.behind(one),
                "standard_error": one.standard_error, "density": one.density, "settings": one.settings,
                "n_settings": one.n_settings, "views": one.views,
            })
        };
        json!({
            "schema": "congraph.methods/1",
            "unit": "nats per node and sample above independent nodes, in samples that were held out",
            "best": self.best().map(|best| best.method),
            "methods": self.methods.iter().map(one).collect::<Vec<_>>(),
            "warnings": warning_records(&self.warnings),
        })
    }

    /// Which method is best, as far as it can be told.
    fn verdict(&self) -> String {
        let Some(best) = self.best() else {
            return "no method explains samples it has not seen better than independent nodes do".into();
        };
        let Some(next) = self.methods.get(1) else {
            return format!(
                "`{}` is {:.4} nats per node and sample above independent nodes",
                best.method, best.gain
            );
        };
        let behind = self.behind(next);
        let is_close = next.standard_error.is_some_and(|error| behind <= error);
        format!(
            "`{}` explains the data best, by {behind:.4} nats per node and sample ahead of `{}`{}",
            best.method,
            next.method,
            if is_close {
                ", no more than the standard error"
            } else {
                ""
            }
        )
    }

    fn story(&self, out: &Path, start: Instant) -> String {
        if self.methods.is_empty() {
            return format!("{}: no method could be fitted", out.display());
        }
        let error = |error: Option<f64>| error.map_or_else(String::new, |error| format!("{error:.4}"));
        let head = ["", "gain", "± s.e.", "behind", "± s.e.", "density", "learned with"];
        let mut table = vec![head.map(String::from)];
        for one in &self.methods {
            table.push([
                one.method.to_owned(),
                format!("{:.4}", one.gain),
                error(one.gain_error),
                format!("{:.4}", self.behind(one)),
                error(one.standard_error),
                format!("{:.3}", one.density),
                one.settings.clone(),
            ]);
        }
        format!(
            "{}: {}{}, {:.1} s\n\n{}\n\nGains are held-out log-likelihoods above those of independent nodes: learned \
             from one half of each view's samples (or blocks), judged by the other, both ways round.",
            out.display(),
            caveat(&self.warnings),
            self.verdict(),
            start.elapsed().as_secs_f64(),
            super::table(&table)
        )
    }
}
