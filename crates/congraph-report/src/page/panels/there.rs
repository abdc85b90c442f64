//! Is anything there? What the data say as a whole, what the views share, and how many edges are supported: three
//! questions in one place.

use congraph::chance::BEYOND_CHANCE;
use congraph_record::findings::{Findings, not_asked};
use serde::Serialize;

use crate::page::is_projection;
use crate::words::{percent, significant};

/// Three questions and their answers.
#[derive(Serialize)]
pub(in crate::page) struct There {
    headline: String,
    rows: Vec<Question>,
}

/// One of them.
#[derive(Serialize)]
struct Question {
    question: &'static str,
    answer: String,
    /// Whether the answer should make one doubt.
    is_doubt: bool,
    note: String,
    /// What to type to ask.
    ask: Option<String>,
}

impl Question {
    fn new(question: &'static str, answer: impl Into<String>, is_doubt: bool, note: impl Into<String>) -> Self {
        Self {
            question,
            answer: answer.into(),
            is_doubt,
            note: note.into(),
            ask: None,
        }
    }
}

impl There {
    /// None of graphs that were not learned here, or were learned against a frozen consensus.
    pub(in crate::page) fn new(findings: &Findings) -> Option<Self> {
        let known = &findings.known;
        let summary = known.summary.as_ref()?;
        let is_asked = summary.chance.is_some() || known.stability.is_some() || known.ask_stability.is_some();
        let is_warned = summary.has_warning("W13") || summary.has_warning("W15");
        if is_projection(findings) || !(is_asked || is_warned) {
            return None;
        }
        let mut rows = vec![beyond_chance(findings)];
        if findings.graph.n_views() > 1 {
            rows.push(shared(findings));
        }
        rows.extend(supported(findings));
        Some(Self {
            headline: headline(findings),
            rows,
        })
    }
}

fn has(findings: &Findings, code: &str) -> bool {
    findings
        .known
        .summary
        .as_ref()
        .is_some_and(|summary| summary.has_warning(code))
}

fn headline(findings: &Findings) -> String {
    let support = findings.verdict.support.map(|support| support.words());
    let doubt = match (has(findings, "W13"), has(findings, "W15")) {
        (true, _) => Some("Taken together, nothing in these data goes beyond chance"),
        (_, true) => Some("The views have structure, but none that they share"),
        _ => None,
    };
    match (doubt, support) {
        (Some(doubt), Some(support)) => format!("{doubt}; {support}"),
        (Some(doubt), None) => doubt.into(),
        (None, Some(support)) => support,
        (None, None) if findings.known.stability.is_some() => "Which edges are supported is not known".into(),
        (None, None) => "Something is; how sure each edge is has not been asked".into(),
    }
}

fn beyond_chance(findings: &Findings) -> Question {
    let question = "Do the nodes have anything to do with each other?";
    let chance = findings
        .known
        .summary
        .as_ref()
        .and_then(|summary| summary.chance.as_ref());
    let z = chance.and_then(|chance| chance.correlations);
    let z = z.map_or_else(String::new, |z| {
        format!(" (z = {}; at least {BEYOND_CHANCE} is needed)", significant(z))
    });
    if has(findings, "W13") {
        let note = format!(
            "Taken together, they are no more correlated than unrelated signals would be{z}. A graph of noise is still a \
             graph: nothing says that its edges mean anything."
        );
        return Question::new(question, "No", true, note);
    }
    if z.is_empty() {
        return Question::new(
            question,
            "Not known",
            false,
            "It cannot be judged from these data: there are too few samples, or how many there are is not known.",
        );
    }
    let note = format!(
        "They are more correlated than unrelated signals would be{z}. That is said of the data, not of any edge."
    );
    Question::new(question, "Yes", false, note)
}

fn shared(findings: &Findings) -> Question {
    let question = "Do the views share it?";
    let chance = findings
        .known
        .summary
        .as_ref()
        .and_then(|summary| summary.chance.as_ref());
    let z = chance.and_then(|chance| chance.agreement);
    let told = z.map_or_else(String::new, |z| format!(" (z = {})", significant(z)));
    if has(findings, "W15") {
        let note = format!(
            "Learned one by one, their graphs agree no more than graphs whose node names are permuted{told}: the agreement \
             shown here is imposed by the coupling."
        );
        return Question::new(question, "No", true, note);
    }
    if z.is_none() || has(findings, "W13") {
        let note = if has(findings, "W13") {
            "Where nothing goes beyond chance, it makes no sense to ask."
        } else {
            "It was not asked of this fit."
        };
        return Question::new(question, "Not known", false, note);
    }
    let note = format!("Learned one by one, their graphs agree more than graphs whose node names are permuted{told}.");
    Question::new(question, "Yes", false, note)
}

/// None of graphs without an edge that nobody can ask about.
fn supported(findings: &Findings) -> Option<Question> {
    let question = "How many edges are supported?";
    let known = &findings.known;
    if let Some(support) = &findings.verdict.support {
        let answer = format!("{} of {}", support.n_supported, support.n_asked);
        let note = format!(
            "The two nodes of a supported edge depend directly on each other, given all others, in the views taken \
             together (q_direct ≤ {}): of all pairs of nodes that are called so, about {} are expected to be wrong at most. \
             The others may be there; these data do not show it.",
            support.level,
            percent(support.level)
        );
        return Some(Question::new(question, answer, support.n_supported == 0, note));
    }
    if let Some(stability) = &known.stability {
        let reason = stability.record.absent.get("q_direct");
        let note = reason.map_or_else(
            || "Direct dependence was left out when it was asked how sure edges are.".to_owned(),
            |reason| format!("No q_direct: {reason}."),
        );
        return Some(Question::new(question, "Not known", false, note));
    }
    let ask = known.ask_stability.as_ref()?;
    let told = not_asked("");
    let words = told.trim_end_matches([' ', ':']);
    let note = format!("H{}:", words.strip_prefix('h').unwrap_or(words));
    Some(Question {
        ask: Some(ask.clone()),
        ..Question::new(question, "Not asked", false, note)
    })
}
