//! The likelihoods that were compared, and which of them was taken.

use congraph_record::FitRecord;
use congraph_record::findings::Findings;
use congraph_record::record::TriedRecord;
use serde::Serialize;

use crate::words::{self, plural, significant};

/// The table of models.
#[derive(Serialize)]
pub(in crate::page) struct Models {
    rows: Vec<ModelRow>,
    has_signs: bool,
    has_coupling: bool,
    caption: String,
}

#[derive(Serialize)]
struct ModelRow {
    filter: usize,
    signs: &'static str,
    coupling: String,
    /// Above the least of the same signs.
    aic: String,
    gap: String,
    is_chosen: bool,
}

impl Models {
    pub(in crate::page) fn new(findings: &Findings) -> Option<Self> {
        let summary = findings
            .known
            .summary
            .as_ref()
            .filter(|summary| summary.is_likelihood())?;
        let tried = summary.tried.as_ref().filter(|tried| tried.len() > 1)?;
        let least = |signed: bool| {
            let own = tried.iter().filter(|one| one.signed == signed && one.certified);
            own.filter_map(|one| one.aic).fold(f64::INFINITY, f64::min)
        };
        let above = |one: &TriedRecord| {
            let above = one
                .aic
                .map(|aic| aic - least(one.signed))
                .filter(|above| above.is_finite());
            above.map_or_else(|| "–".into(), |above| format!("{above:+.1}"))
        };
        let row = |one: &TriedRecord| ModelRow {
            filter: one.filter,
            signs: if one.signed { "both" } else { "positive" },
            coupling: one.beta.map_or_else(|| "–".into(), significant),
            aic: above(one),
            gap: words::gap(one.relative_gap.unwrap_or(f64::INFINITY)),
            is_chosen: is_taken(summary, one),
        };
        let has_signs = tried.iter().any(|one| one.signed != tried[0].signed);
        let mut caption = String::from(
            "Akaike's information criterion above its least, before any threshold: smaller explains the data better \
             for the number of distinct weights. Only certified fits count.",
        );
        if has_signs {
            caption += " Graphs of one sign and of both are fitted to signals in other units: each has its own least, \
                and the two are compared in the same units.";
        }
        Some(Self {
            rows: tried.iter().map(row).collect(),
            has_signs,
            has_coupling: tried.iter().any(|one| one.beta.is_some()),
            caption,
        })
    }
}

/// Whether this is the model of the result.
fn is_taken(summary: &FitRecord, one: &TriedRecord) -> bool {
    Some(one.filter) == summary.filter && one.signed == (summary.signed == Some(true)) && one.beta == summary.beta
}

/// How the criterion chose, for a methods section. None if it chose nothing.
pub(in crate::page) fn chosen(summary: &FitRecord) -> Option<String> {
    let chosen = choice(summary)?;
    let tried = summary.tried.as_deref().unwrap_or_default();
    let certified = || tried.iter().filter(|one| one.certified);
    let is_several = chosen.contains(" and ");
    let were = if is_several { "were" } else { "was" };
    let of_sign = |one: &&TriedRecord| one.signed == (summary.signed == Some(true));
    if certified().next().is_none() {
        return Some(format!(
            " None of the {} that were compared is certified, so that Akaike's information criterion (Akaike 1974) could \
             not choose; {chosen} {} of the one that looked best by it.",
            plural(tried.len(), "fit"),
            if is_several { "are those" } else { "is that" }
        ));
    }
    let taken = tried.iter().find(|one| is_taken(summary, one)).and_then(|one| one.aic);
    let is_best = certified()
        .filter(of_sign)
        .all(|one| taken.is_none_or(|taken| one.aic >= Some(taken)));
    let noun = if tried.iter().all(|one| one.certified) {
        "certified fit"
    } else {
        "fit"
    };
    let among = plural(tried.len(), noun);
    let among = if summary.density.target.is_some() && !is_best {
        format!("those of {among} that are as dense as was asked for")
    } else {
        among
    };
    Some(format!(
        " By Akaike's information criterion (Akaike 1974) {chosen} {were} chosen among {among}."
    ))
}

/// What of a model the criterion chose, in words: `the filter and b`. None if nothing.
pub(in crate::page) fn choice(summary: &FitRecord) -> Option<String> {
    let word = |id: &String| match id.as_str() {
        "filter" => "the filter".into(),
        "beta" => "b".into(),
        "signed" => "the signs".into(),
        other => other.to_owned(),
    };
    let chosen: Vec<String> = summary.chosen_by.as_ref()?.iter().map(word).collect();
    (!chosen.is_empty()).then(|| words::listed(&chosen))
}
