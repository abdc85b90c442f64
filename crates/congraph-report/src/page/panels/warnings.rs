//! What to be careful about: the most important first, and what is said of many views said once.

use congraph_record::findings::Findings;
use congraph_record::record::WarningRecord;
use serde::Serialize;

use crate::words::plural;

/// What can spoil a result first; then what the data are like; last what was done about them.
const RANKS: [&str; 18] = [
    "W13", "W15", "W01", "W16", "W21", "W12", "W14", "W11", "W09", "W04", "W06", "W10", "W18", "W07", "W08", "W05",
    "W03", "W02",
];
/// The most entries of one code.
const ENTRIES: usize = 8;
/// The most views in one entry, and the most nodes of one view.
const VIEWS: usize = 24;
const NODES: usize = 4;

/// A warning, with the views it is about.
#[derive(Serialize)]
pub(in crate::page) struct Warned {
    code: String,
    views: String,
    /// What is said; every other part stood between backticks.
    parts: Vec<String>,
}

impl Warned {
    fn new(code: &str, views: String, message: &str) -> Self {
        // A name may hold a backtick of its own; then they tell nothing.
        let is_paired = message.matches('`').count().is_multiple_of(2);
        Self {
            code: code.into(),
            views,
            parts: match is_paired {
                true => message.split('`').map(str::to_owned).collect(),
                false => vec![message.to_owned()],
            },
        }
    }
}

pub(in crate::page) fn warnings(findings: &Findings) -> Vec<Warned> {
    let all = &findings.verdict.warnings;
    let mut codes: Vec<&str> = Vec::new();
    for warning in all {
        if !codes.contains(&warning.code.as_str()) {
            codes.push(&warning.code);
        }
    }
    codes.sort_by_key(|code| RANKS.iter().position(|known| known == code).unwrap_or(RANKS.len()));
    let of = |code: &str| -> Vec<&WarningRecord> { all.iter().filter(|warning| warning.code == code).collect() };
    codes
        .into_iter()
        .flat_map(|code| of_code(findings, code, of(code)))
        .collect()
}

fn of_code(findings: &Findings, code: &str, mut warnings: Vec<&WarningRecord>) -> Vec<Warned> {
    let mut told = Vec::new();
    if code == "W03"
        && let Some(message) = masked(findings)
        && warnings.iter().filter(|warning| warning.view.is_some()).count() > 1
    {
        warnings.retain(|warning| warning.view.is_none());
        told.push(Warned::new(code, String::new(), &message));
    }
    let mut entries: Vec<(&str, Vec<&str>)> = Vec::new();
    for warning in warnings {
        let at = entries.iter().position(|(message, _)| *message == warning.message);
        let at = at.unwrap_or_else(|| {
            entries.push((&warning.message, Vec::new()));
            entries.len() - 1
        });
        entries[at].1.extend(warning.view.as_deref());
    }
    let left_out = entries.len().saturating_sub(ENTRIES);
    let entries = entries.into_iter().take(ENTRIES);
    told.extend(entries.map(|(message, views)| Warned::new(code, some(&views, VIEWS), message)));
    if left_out > 0 {
        let rest = format!("and {left_out} more of this kind, in summary.json");
        told.push(Warned::new(code, String::new(), &rest));
    }
    told
}

/// Which views lack which nodes.
fn masked(findings: &Findings) -> Option<String> {
    let graph = &findings.graph;
    let membership = graph.membership();
    if membership.is_total() {
        return None;
    }
    let lacking = |(view, name): (usize, &String)| {
        let nodes: Vec<&str> = membership
            .missing(view)
            .map(|node| graph.nodes()[node].as_str())
            .collect();
        (!nodes.is_empty()).then(|| format!("{name} ({})", some(&nodes, NODES)))
    };
    let views: Vec<String> = graph.views().iter().enumerate().filter_map(lacking).collect();
    let names: Vec<&str> = views.iter().map(String::as_str).collect();
    Some(format!(
        "{} masked nodes, and take part with the others: {}",
        if names.len() == 1 {
            "1 view has".into()
        } else {
            format!("{} have", plural(names.len(), "view"))
        },
        some(&names, VIEWS)
    ))
}

/// A few of the names, the rest counted.
fn some(names: &[&str], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..most].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_told_apart() {
        assert_eq!(
            Warned::new("W09", String::new(), "try `--csd` here").parts,
            ["try ", "--csd", " here"]
        );
        assert_eq!(Warned::new("W05", String::new(), "a`b").parts, ["a`b"]);
    }
}
