//! Nodes and views of two sides matched by name.

use std::collections::HashMap;

use crate::error::{Code, DataError, list_names};
use crate::options::step;

/// What the two sides are called in messages.
pub(super) struct Sides {
    both: &'static str,
    one: &'static str,
    other: &'static str,
    hint: fn() -> String,
}

impl Sides {
    /// Learned graphs against true ones.
    pub(super) const TRUTH: Self = Self {
        both: "the learned and the true graphs",
        one: "the learned",
        other: "the true",
        hint: || "evaluate against the truth of the same data".into(),
    };
    /// Graphs against data.
    pub(super) const DATA: Self = Self {
        both: "the graphs and the data",
        one: "the graphs",
        other: "the data",
        hint: || {
            format!(
                "give data of the same nodes, one table per view under {}",
                step("name_views", "the view's name")
            )
        },
    };
}

/// For each name of the one side its place on the other; complete unless an error is added.
pub(super) fn match_names(
    what: &'static str,
    one: &[String],
    other: &[String],
    sides: &Sides,
    errors: &mut Vec<DataError>,
) -> Vec<usize> {
    let own_places = places(what, one, errors);
    let other_places = places(what, other, errors);
    let lacking = |names: &[String], places: &HashMap<&str, usize>| -> Vec<String> {
        let lacking = names.iter().filter(|name| !places.contains_key(name.as_str()));
        lacking.cloned().collect()
    };
    let only_one = lacking(one, &other_places);
    let only_other = lacking(other, &own_places);
    if !(only_one.is_empty() && only_other.is_empty()) {
        let lacking: Vec<String> = [(sides.one, only_one), (sides.other, only_other)]
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(side, names)| format!("only {side} have {}", list_names(&names)))
            .collect();
        errors.push(DataError::new(
            Code::E02,
            format!("{} have different {what}: {}", sides.both, lacking.join(", ")),
            format!("{what} are matched by name, never by position"),
            (sides.hint)(),
        ));
    }
    one.iter()
        .filter_map(|name| other_places.get(name.as_str()).copied())
        .collect()
}

/// The place of each name, which may occur only once.
fn places<'a>(what: &'static str, names: &'a [String], errors: &mut Vec<DataError>) -> HashMap<&'a str, usize> {
    let mut places = HashMap::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        if places.insert(name.as_str(), place).is_some() {
            errors.push(DataError::new(
                Code::E06,
                format!("two {what} are called `{name}`"),
                format!("{what} are matched by name"),
                "give one of them another name",
            ));
        }
    }
    places
}

/// Pairs of one side's nodes as pairs a < b of the other's.
pub(super) fn matched_pairs(pairs: &[[u32; 2]], node_of: &[usize]) -> Vec<[u32; 2]> {
    let matched = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|node| node_of[node as usize] as u32);
        [a.min(b), a.max(b)]
    };
    pairs.iter().map(matched).collect()
}
