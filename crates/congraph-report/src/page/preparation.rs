//! From recordings to views, for the methods paragraph.

use congraph_record::findings::{Findings, KnownRecording, KnownRecordings, KnownSteps};

use crate::words::{listed, plural, range, significant};

/// What was done to the recordings, ready to paste.
pub(super) fn paragraph(findings: &Findings, made: &KnownRecordings) -> String {
    let KnownRecordings { steps, recordings, .. } = made;
    let mut subjects: Vec<&str> = recordings.iter().map(subject).collect();
    subjects.sort_unstable();
    subjects.dedup();
    let each = if steps.views_by.is_empty() { "subject" } else { "view" };
    let rates = range(recordings.iter().map(|one| one.sampling_hz));
    let electrodes = range(recordings.iter().map(|one| one.n_electrodes as f64));
    let mut text = format!(
        "EEG of {} ({}, {electrodes} electrodes, sampled at {rates} Hz) was {}.",
        plural(subjects.len(), "subject"),
        chosen(made),
        listed(&done(steps))
    );
    text += &views(findings, made);
    if let Some([from, to]) = steps.baseline {
        text += &format!(
            " The mean of the baseline ({} to {} s) was subtracted.",
            significant(from),
            significant(to)
        );
    }
    let sum = |count: fn(&KnownRecording) -> usize| recordings.iter().map(count).sum::<usize>();
    if let Some(limit) = steps.reject_microvolts {
        text += &format!(
            " Epochs with a peak-to-peak amplitude above {} µV were rejected ({}).",
            significant(limit),
            sum(|one| one.n_rejected)
        );
    }
    text += &left_out(made);
    if let Some(first) = steps.first {
        text += &format!(" Of each {each} the first {} were used.", plural(first, "trial"));
    }
    text += &bad_channels(recordings);
    let samples = range(
        findings
            .views
            .iter()
            .filter_map(|view| view.n_samples)
            .map(|n| n as f64),
    );
    let used = per_view(findings, made);
    text += &format!(
        " {} of {} were used ({} for each {each}), {samples} samples for each {each}.",
        sum(|one| one.n_used),
        plural(sum(|one| one.n_events), "trial"),
        range(used.iter().map(|n| *n as f64)),
    );
    text + &positions(recordings)
}

/// Whose recording it is; the view's name where that is not told.
fn subject(one: &KnownRecording) -> &str {
    if one.subject.is_empty() {
        &one.view
    } else {
        &one.subject
    }
}

/// Recordings, and views, without a trial left.
fn left_out(made: &KnownRecordings) -> String {
    let dropped = &made.dropped;
    if dropped.is_empty() {
        return String::new();
    }
    let is_gone = |view: &&String| !made.recordings.iter().any(|one| one.view == **view);
    let mut gone: Vec<&String> = dropped.iter().map(|(_, view)| view).filter(is_gone).collect();
    gone.dedup();
    let (were, them) = if dropped.len() == 1 {
        ("was", "it")
    } else {
        ("were", "them")
    };
    let views = if gone.is_empty() {
        String::new()
    } else {
        format!(", and with {them} all of {}", listed(&gone))
    };
    format!(
        " {} had no trials left and {were} left out{views}.",
        plural(dropped.len(), "more recording")
    )
}

fn bad_channels(recordings: &[KnownRecording]) -> String {
    let bad: Vec<String> = recordings
        .iter()
        .filter(|one| !one.bad.is_empty())
        .map(|one| format!("{}: {}", one.view, channels(&one.bad).join(", ")))
        .collect();
    if bad.is_empty() {
        return String::new();
    }
    format!(" Bad channels were left out ({}).", bad.join("; "))
}

/// Where the positions of electrodes are from.
fn positions(recordings: &[KnownRecording]) -> String {
    let mut montages: Vec<&str> = recordings
        .iter()
        .map(|one| super::shell::told(&one.positions_from))
        .collect();
    montages.sort_unstable();
    montages.dedup();
    match &montages[..] {
        [] | [""] => String::new(),
        [one] => format!(" Positions of the electrodes: {one}."),
        several => format!(" Positions of the electrodes were read from {} files.", several.len()),
    }
}

/// How many recordings, and of what: `12 recordings of the task rest and the session 1`.
fn chosen(made: &KnownRecordings) -> String {
    let mut of: Vec<String> = Vec::new();
    for (kind, values) in &made.steps.chosen {
        let s = if values.len() == 1 { "" } else { "s" };
        of.push(format!("the {kind}{s} {}", listed(values)));
    }
    // What all are of is told even where nothing was chosen.
    let is_told = made.steps.chosen.iter().any(|(kind, _)| kind == "task");
    let task = made.recordings.first().map_or("", |one| &one.task);
    if !is_told && !task.is_empty() && made.recordings.iter().all(|one| one.task == task) {
        of.push(format!("the task {task}"));
    }
    let n = plural(made.recordings.len(), "recording");
    if of.is_empty() {
        n
    } else {
        format!("{n} of {}", listed(&of))
    }
}

/// What a view is, and what was joined into one.
fn views(findings: &Findings, made: &KnownRecordings) -> String {
    let mut text = String::new();
    if !made.steps.views_by.is_empty() {
        text += &format!(
            " Each view is one {} of a subject ({}).",
            listed(&made.steps.views_by),
            plural(findings.graph.n_views(), "view")
        );
    }
    let of_view =
        |view: &String| -> Vec<&KnownRecording> { made.recordings.iter().filter(|one| one.view == *view).collect() };
    let own: Vec<Vec<&KnownRecording>> = findings.graph.views().iter().map(of_view).collect();
    let joined: Vec<&Vec<&KnownRecording>> = own.iter().filter(|own| own.len() > 1).collect();
    if joined.is_empty() {
        return text;
    }
    let are_runs = joined.iter().all(|own| own.iter().all(|one| !one.run.is_empty()));
    let what = if are_runs { "Runs" } else { "Recordings" };
    let of = if made.steps.views_by.is_empty() {
        "subject"
    } else {
        "view"
    };
    text + &format!(
        " {what} of the same {of} were joined ({} in {} of {}).",
        range(joined.iter().map(|own| own.len() as f64)),
        joined.len(),
        plural(own.len(), "view")
    )
}

/// The names of channels in a list, without the dots that some recordings fill them up with.
pub(super) fn channels(list: &str) -> Vec<&str> {
    let names = list.split(',').map(|name| name.trim().trim_end_matches('.'));
    names.filter(|name| !name.is_empty()).collect()
}

/// How many trials of each view were used.
fn per_view(findings: &Findings, made: &KnownRecordings) -> Vec<usize> {
    let of = |view: &String| {
        let own = made.recordings.iter().filter(|one| one.view == *view);
        own.map(|one| one.n_used).sum()
    };
    findings.graph.views().iter().map(of).collect()
}

/// The steps in their order.
fn done(steps: &KnownSteps) -> Vec<String> {
    let mut done = vec![match steps.reference.as_deref() {
        None => "used with its recorded reference".into(),
        Some([]) => "referenced to the average of all electrodes".into(),
        Some(names) => format!("referenced to {}", listed(names)),
    }];
    if let Some([lambda, stiffness]) = steps.csd {
        done.push(format!(
            "turned into current source densities (spherical splines, λ = {lambda:e}, stiffness {}; Perrin et al. \
            1989)",
            significant(stiffness)
        ));
    }
    if let Some(([low, high], order)) = steps.band {
        done.push(format!(
            "band-pass filtered to {}–{} Hz (Butterworth filter of order {order}, forwards and backwards)",
            significant(low),
            significant(high)
        ));
    }
    let window = steps.window.map_or_else(String::new, |[from, to]| {
        format!(" from {} to {} s", significant(from), significant(to))
    });
    done.push(match (&steps.events, steps.every_seconds) {
        (_, Some(seconds)) => format!("cut end to end into epochs of {} s", significant(seconds)),
        (Some(events), None) if !events.is_empty() => format!(
            "cut{window} around the event{} {}",
            if events.len() == 1 { "" } else { "s" },
            listed(events)
        ),
        _ => format!("cut{window} around its events"),
    });
    done
}
