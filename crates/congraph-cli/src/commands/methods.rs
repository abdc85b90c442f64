//! `congraph tune --methods`: which method explains samples best that it has not seen.

use std::path::Path;
use std::time::Instant;

use congraph::methods::graphical_lasso::Fusion;
use congraph::methods::likelihood::{Likelihood, Signs};
use congraph::tune::{Contender, Explained, Wanted, compare_methods};
use congraph_io::{write_json, write_rows};
use congraph_record::choices::Method;
use congraph_record::request::Asked;
use serde_json::{Value, json};

use super::input;
use crate::args::{Global, TuneArgs};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::{interrupt, memory, output};

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
    let found = {
        let progress = console.progress();
        compare_methods(&read.views, &contenders, &|step| progress.step(step))?
    };
    for warning in &read.warnings {
        console.warning(warning);
    }
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write_rows(&folder, "methods.tsv", &COLUMNS, &rows(&found))?;
        write_json(&folder, "methods.json", &told(&found))?;
        Ok(folder.commit()?)
    })?;
    if global.json {
        console::print(&told(&found).to_string())
    } else {
        console::print(&story(&args.output.out, &found, start))
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

const COLUMNS: [&str; 7] = [
    "method",
    "gain",
    "behind",
    "standard_error",
    "density",
    "settings",
    "n_settings",
];

fn rows(found: &[Explained]) -> Vec<Vec<String>> {
    let best = found.first().map_or(0.0, |first| first.gain);
    let row = |one: &Explained| {
        vec![
            one.method.to_owned(),
            one.gain.to_string(),
            (best - one.gain).to_string(),
            one.standard_error.map_or_else(String::new, |error| error.to_string()),
            one.density.to_string(),
            one.settings.clone(),
            one.n_settings.to_string(),
        ]
    };
    found.iter().map(row).collect()
}

fn told(found: &[Explained]) -> Value {
    let best = found.first().map_or(0.0, |first| first.gain);
    let one = |one: &Explained| {
        json!({
            "method": one.method, "gain": one.gain, "behind": best - one.gain, "standard_error": one.standard_error,
            "density": one.density, "settings": one.settings, "n_settings": one.n_settings, "views": one.views,
        })
    };
    json!({
        "schema": "congraph.methods/1",
        "unit": "nats per node and sample above independent nodes, in samples that were held out",
        "best": found.first().map(|first| first.method),
        "methods": found.iter().map(one).collect::<Vec<_>>(),
    })
}

fn story(out: &Path, found: &[Explained], start: Instant) -> String {
    let Some(best) = found.first() else {
        return format!("{}: no method could be fitted", out.display());
    };
    let mut table = vec![["", "gain", "behind", "± s.e.", "density", "learned with"].map(String::from)];
    for one in found {
        table.push([
            one.method.to_owned(),
            format!("{:.4}", one.gain),
            format!("{:.4}", best.gain - one.gain),
            one.standard_error
                .map_or_else(String::new, |error| format!("{error:.4}")),
            format!("{:.3}", one.density),
            one.settings.clone(),
        ]);
    }
    let verdict = if best.gain <= 0.0 {
        "no method explains samples it has not seen better than independent nodes do".to_owned()
    } else {
        match found.get(1) {
            Some(next) => format!(
                "`{}` explains the data best, by {:.4} nats per node and sample ahead of `{}`",
                best.method,
                best.gain - next.gain,
                next.method
            ),
            None => format!(
                "`{}` is {:.4} nats per node and sample above independent nodes",
                best.method, best.gain
            ),
        }
    };
    format!(
        "{}: {verdict}, {:.1} s\n\n{}\n\nGains are held-out log-likelihoods above those of independent nodes: learned \
         from one half of each view's samples (or blocks), judged by the other, both ways round.",
        out.display(),
        start.elapsed().as_secs_f64(),
        super::table(&table)
    )
}
