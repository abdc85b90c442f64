//! How views were made from recordings: `recordings.tsv` and the steps in `run.json`.

use std::path::Path;

use congraph_record::RunRecord;
use congraph_record::findings::{KnownRecording, KnownRecordings, KnownSteps};
use serde_json::Value;

use super::known::optional;
use super::readback::Sheet;
use crate::input::Fault;

/// The recordings and the steps, or none if views were not made from recordings.
pub(super) fn recordings(dir: &Path, run: &RunRecord) -> Result<Option<KnownRecordings>, Fault> {
    if !dir.join("recordings.tsv").exists() {
        return Ok(None);
    }
    Ok(Some(KnownRecordings {
        steps: run
            .eeg
            .as_ref()
            .map_or_else(KnownSteps::default, |eeg| steps(&eeg["steps"])),
        recordings: rows(&Sheet::open(dir, "recordings.tsv")?)?,
        dropped: dropped(dir)?,
    }))
}

/// The rows of `recordings.tsv`.
fn rows(sheet: &Sheet) -> Result<Vec<KnownRecording>, Fault> {
    // Earlier versions knew one view per subject, and neither tasks nor runs.
    let there = sheet.columns()?;
    let has = |column: &str| there.iter().any(|name| name == column);
    let known = |column: &'static str| if has(column) { column } else { "subject" };
    let columns = [
        known("view"),
        "subject",
        known("task"),
        known("run"),
        "file",
        "sampling_hz",
        "n_electrodes",
        "n_events",
        "n_outside",
        "n_rejected",
        "n_used",
        "bad",
        "positions_from",
    ];
    let has_entities = has("view");
    let entity = |cell: &str| if has_entities { cell.to_owned() } else { String::new() };
    let mut recordings = Vec::new();
    sheet.each(columns, |place, cells| {
        let [
            view,
            subject,
            task,
            run,
            file,
            sampling_hz,
            counts @ ..,
            bad,
            positions_from,
        ] = cells;
        let number = |cell: &str| optional(place, cell).map(Option::unwrap_or_default);
        let count = |cell: &str| number(cell).map(|value| value as usize);
        let [n_electrodes, n_events, n_outside, n_rejected, n_used] = counts;
        recordings.push(KnownRecording {
            view: view.to_owned(),
            subject: subject.to_owned(),
            task: entity(task),
            run: entity(run),
            file: file.to_owned(),
            sampling_hz: number(sampling_hz)?,
            n_electrodes: count(n_electrodes)?,
            n_events: count(n_events)?,
            n_outside: count(n_outside)?,
            n_rejected: count(n_rejected)?,
            n_used: count(n_used)?,
            bad: bad.to_owned(),
            positions_from: positions_from.to_owned(),
        });
        Ok(())
    })?;
    Ok(recordings)
}

/// The recordings that were left out, if there are any.
fn dropped(dir: &Path) -> Result<Vec<(String, String)>, Fault> {
    let mut dropped = Vec::new();
    if dir.join("dropped.tsv").exists() {
        Sheet::open(dir, "dropped.tsv")?.each(["file", "view"], |_, [file, view]| {
            dropped.push((file.to_owned(), view.to_owned()));
            Ok(())
        })?;
    }
    Ok(dropped)
}

/// The steps as `run.json` tells them: what is not told was not done.
fn steps(told: &Value) -> KnownSteps {
    let nothing = Value::Null;
    let settings = |name: &str| {
        let mut steps = told.as_array().into_iter().flatten();
        steps
            .find(|step| step["step"] == name)
            .map_or(&nothing, |step| &step["settings"])
    };
    let two = |value: &Value, keys: [&str; 2]| -> Option<[f64; 2]> {
        Some([value[keys[0]].as_f64()?, value[keys[1]].as_f64()?])
    };
    let stretch = |name: &str| two(settings(name), ["from", "to"]);
    let names = |value: &Value| -> Vec<String> {
        let names = value.as_array().into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (reference, band, epochs) = (settings("reference"), settings("band-pass"), settings("epochs"));
    let grouping = settings("recordings");
    let chosen = ["session", "task", "acquisition", "run"].map(|kind| (kind.to_owned(), names(&grouping[kind])));
    KnownSteps {
        views_by: names(&grouping["views_by"])
            .into_iter()
            .filter(|by| by != "subject")
            .collect(),
        chosen: chosen.into_iter().filter(|(_, values)| !values.is_empty()).collect(),
        reference: reference.is_object().then(|| names(&reference["channels"])),
        csd: two(settings("csd"), ["lambda2", "stiffness"]),
        band: two(band, ["low_hz", "high_hz"]).zip(band["order"].as_u64().map(|order| order as usize)),
        events: (!epochs["events"].is_null()).then(|| names(&epochs["events"])),
        every_seconds: epochs["every_seconds"].as_f64(),
        baseline: stretch("baseline"),
        reject_microvolts: settings("rejection")["peak_to_peak_microvolts"].as_f64(),
        window: stretch("window"),
        first: settings("first trials").as_u64().map(|first| first as usize),
    }
}
