//! BIDS derivatives: `…_relmat.tsv`, a matrix per graph with the nodes' names in its first row and column, and
//! `…_relmat.json`, which describes it (as proposed in BEP017).
//!
//! A view whose name starts with `sub-` keeps what its name says of subject, session and task; any other becomes
//! `sub-LABEL`, with the letters and digits of its name, and so does one that would have the name of another. The
//! consensus belongs to no subject. The matrix of a view has the nodes that the view has.

use std::collections::{HashMap, HashSet};

use congraph::MultiviewGraph;
use serde_json::json;

use super::{LONGEST, distinct, nodes_of};
use crate::output::tables::{exact, table};
use crate::output::{Folder, OutputError, RELMAT_MEASURE as MEASURE, write, write_json};

/// Writes one matrix per graph and returns the names of the files.
pub(super) fn export(folder: &Folder, graph: &MultiviewGraph) -> Result<Vec<String>, OutputError> {
    let is_signed = graph.is_signed();
    let mut files = Vec::new();
    let mut one = |stem: String, nodes: &[usize], matrix: &[f64], what: &str| -> Result<(), OutputError> {
        let name = format!("{stem}_relmat.tsv");
        write(folder, &name, |out| {
            let names = nodes.iter().map(|&node| graph.nodes()[node].as_str());
            let mut table = table(out, &["Node"].into_iter().chain(names).collect::<Vec<_>>())?;
            for &node in nodes {
                let row = &matrix[node * graph.n_nodes()..];
                let cells = nodes.iter().map(|&other| exact(row[other]));
                table.write_record([graph.nodes()[node].clone()].into_iter().chain(cells))?;
            }
            table.flush()
        })?;
        let description = json!({
            "RelationshipMeasure": "edge weight of a graph learned from smooth signals",
            "MeasureDescription": what,
            "Weighted": true,
            "Directed": false,
            "ValidDiagonal": false,
            "NonNegative": !is_signed,
            "StorageFormat": "Full",
            "Software": concat!("congraph ", env!("CARGO_PKG_VERSION")),
        });
        let beside = format!("{stem}_relmat.json");
        write_json(folder, &beside, &description)?;
        files.extend([name, beside]);
        Ok(())
    };
    if let Some(consensus) = graph.consensus_adjacency() {
        let what = format!("the consensus graph of {} data sets", graph.n_views());
        let all: Vec<usize> = (0..graph.n_nodes()).collect();
        one(format!("desc-consensus_{MEASURE}"), &all, &consensus, &what)?;
    }
    for (view, stem) in stems(graph.views()).into_iter().enumerate() {
        let what = format!("the graph of view {}", graph.views()[view]);
        let nodes = nodes_of(graph, view);
        one(format!("{stem}_{MEASURE}"), &nodes, &graph.adjacency(view), &what)?;
    }
    Ok(files)
}

/// What the files of each view start with.
fn stems(views: &[String]) -> Vec<String> {
    let is_entity = |part: &str| {
        part.split_once('-').is_some_and(|(key, label)| {
            let is_word = |text: &str| !text.is_empty() && text.chars().all(|mark| mark.is_ascii_alphanumeric());
            is_word(key) && is_word(label)
        })
    };
    // `sub-01_task-rest_eeg` without the last word, which says what the data were.
    let entities = |name: &String| {
        let parts: Vec<&str> = name.split('_').filter(|part| is_entity(part)).collect();
        (name.starts_with("sub-") && !parts.is_empty()).then(|| parts.join("_"))
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for stem in views.iter().filter_map(entities) {
        *counts.entry(stem.to_lowercase()).or_default() += 1;
    }
    let own = |name: &String| entities(name).filter(|stem| counts[&stem.to_lowercase()] == 1);
    let label = |stem: String| stem.trim_start_matches("sub-").to_lowercase();
    let taken: HashSet<String> = views.iter().filter_map(own).map(label).collect();
    let made = |name: &String| -> String {
        let name = name.strip_prefix("sub-").unwrap_or(name);
        name.chars().take(LONGEST).filter(char::is_ascii_alphanumeric).collect()
    };
    let others = views.iter().filter(|name| own(name).is_none()).map(made).collect();
    let mut others = distinct(others, taken).into_iter();
    let made = |others: &mut dyn Iterator<Item = String>| others.next().map(|label| format!("sub-{label}"));
    let stem = |name: &String| own(name).or_else(|| made(&mut others)).unwrap_or_default();
    views.iter().map(stem).collect()
}

#[cfg(test)]
mod tests {
    use super::stems;

    #[test]
    fn names_of_bids_are_kept_and_others_are_made() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            stems(&names(&["sub-01_ses-2_task-rest_eeg", "sub-02"])),
            ["sub-01_ses-2_task-rest", "sub-02"]
        );
        assert_eq!(
            stems(&names(&["CD4 T cell", "CD4-Tcell", "β"])),
            ["sub-CD4Tcell", "sub-CD4Tcell2", "sub-3"]
        );
        assert_eq!(stems(&names(&["sub-01_x", "sub-01_y"])), ["sub-01x", "sub-01y"]);
        // One that is not named so does not rename the others, nor take the name of one.
        assert_eq!(
            stems(&names(&["02", "sub-01_task-rest", "group", "sub-02", "sub-"])),
            ["sub-021", "sub-01_task-rest", "sub-group", "sub-02", "sub-3"]
        );
    }
}
