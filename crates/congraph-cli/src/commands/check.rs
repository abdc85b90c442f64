//! `congraph check`: is this data fit to learn from? One row per view, every problem named.

use std::collections::HashMap;

use congraph::chance::Correlations;
use congraph::{DataError, Error, Views};
use congraph_record::record::warning_records;
use serde_json::json;

use super::input;
use crate::args::{CheckArgs, Global, OrientArg};
use crate::console::{self, Console};
use crate::failure::Failure;
use crate::words;

pub(crate) fn run(args: &CheckArgs, global: &Global, console: &Console) -> Result<(), Failure> {
    let loaded = input::load(&args.input.files, &args.input.reading, &args.input.subjects)?;
    let mut rows: Vec<Row> = loaded
        .iter()
        .map(|loaded| {
            let table = &loaded.table;
            let turned = args.input.reading.orient == OrientArg::NodesBySamples;
            let precomputed = args.input.reading.gram || args.input.reading.covariance;
            let (n_samples, n_nodes) = if turned {
                (table.n_columns, table.n_rows)
            } else {
                (table.n_rows, table.n_columns)
            };
            Row {
                view: table.name.clone(),
                file: loaded.path.display().to_string(),
                n_samples: if precomputed { table.n_samples } else { Some(n_samples) },
                n_nodes,
                not_finite: table.values.iter().filter(|value| !value.is_finite()).count(),
                masked: None,
            }
        })
        .collect();
    let tables = loaded.into_iter().map(|loaded| loaded.table).collect();
    let options = input::view_options(&args.input.reading, args.input.scaling.scale.unwrap_or_default());
    let outcome = Views::assemble(tables, &options);
    let (warnings, errors) = match outcome {
        Ok((views, warnings)) => {
            let noise = Correlations::of(&views).as_ref().and_then(Correlations::warning);
            let warnings = words::told(warnings.into_iter().chain(noise));
            count_masked(&mut rows, &views);
            match views.check_coupled() {
                Err(Error::Data(errors)) => (warnings, errors),
                _ => (warnings, Vec::new()),
            }
        }
        Err(Error::Data(errors)) => (Vec::new(), errors),
        Err(other) => return Err(other.into()),
    };
    let errors = words::listed(&errors);
    if global.json {
        console::print(&report(&rows, &errors, &json!(warning_records(&warnings))).to_string())?;
    } else {
        console::print(&table(&rows, &errors))?;
    }
    for warning in &warnings {
        console.warning(warning);
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Failure::Data(errors))
    }
}

struct Row {
    view: String,
    file: String,
    n_samples: Option<usize>,
    n_nodes: usize,
    not_finite: usize,
    /// How many nodes are masked, if any is in some view.
    masked: Option<usize>,
}

/// Rows and views are in the same order.
fn count_masked(rows: &mut [Row], views: &Views) {
    if views.membership().is_total() {
        return;
    }
    for (view, row) in rows.iter_mut().enumerate() {
        row.masked = Some(views.membership().missing(view).count());
    }
}

/// The codes of the errors about each view.
struct Verdicts<'e>(HashMap<&'e str, Vec<String>>);

impl<'e> Verdicts<'e> {
    fn of(errors: &'e [DataError]) -> Self {
        let mut codes: HashMap<&str, Vec<String>> = HashMap::new();
        for error in errors {
            if let Some(view) = &error.view {
                codes.entry(view).or_default().push(error.code.to_string());
            }
        }
        Self(codes)
    }

    fn on(&self, view: &str) -> String {
        self.0.get(view).map_or_else(|| "ok".into(), |codes| codes.join(" "))
    }
}

fn table(rows: &[Row], errors: &[DataError]) -> String {
    let mut table = vec![
        ["view", "samples", "nodes", "not finite", "verdict"]
            .map(String::from)
            .to_vec(),
    ];
    let verdicts = Verdicts::of(errors);
    for row in rows {
        table.push(vec![
            row.view.clone(),
            row.n_samples.map_or_else(|| "?".into(), |n| n.to_string()),
            row.n_nodes.to_string(),
            row.not_finite.to_string(),
            verdicts.on(&row.view),
        ]);
    }
    if rows.iter().any(|row| row.masked.is_some()) {
        let masked = rows.iter().map(|row| row.masked.unwrap_or(0).to_string());
        let column = std::iter::once("masked".to_owned()).chain(masked);
        table.iter_mut().zip(column).for_each(|(row, cell)| row.insert(4, cell));
    }
    super::table(&table)
}

fn report(rows: &[Row], errors: &[DataError], warnings: &serde_json::Value) -> serde_json::Value {
    let verdicts = Verdicts::of(errors);
    json!({
        "schema": "congraph.check/1",
        "ok": errors.is_empty(),
        "views": rows.iter().map(|row| {
            let mut told = json!({
                "name": row.view,
                "file": row.file,
                "n_samples": row.n_samples,
                "n_nodes": row.n_nodes,
                "not_finite": row.not_finite,
                "verdict": verdicts.on(&row.view),
            });
            if let Some(masked) = row.masked {
                told["masked"] = json!(masked);
            }
            told
        }).collect::<Vec<_>>(),
        "errors": errors.iter().map(|error| json!({
            "code": error.code.to_string(),
            "view": error.view,
            "node": error.node,
            "what": error.what,
            "why": error.why,
            "hint": error.hint,
        })).collect::<Vec<_>>(),
        "warnings": warnings,
    })
}
