//! BIDS derivatives: `…_relmat.tsv`, a matrix per graph with the nodes' names in its first row and column, and `…_relmat.json`,
//! which describes it (as proposed in BEP017).
//!
//! A view whose name starts with `sub-` keeps what its name says of subject, session and task; any other becomes `sub-LABEL`, with the
//! letters and digits of its name. The consensus belongs to no subject.

use congraph::MultiviewGraph;
use serde_json::json;

use super::labels;
use crate::output::tables::{exact, table};
use crate::output::{Folder, OutputError, write, write_json};

const MEASURE: &str = "meas-graphlearning";

pub(super) fn export(folder: &Folder, graph: &MultiviewGraph) -> Result<Vec<String>, OutputError> {
    let mut files = Vec::new();
    let mut one = |stem: String, matrix: &[f64], what: &str| -> Result<(), OutputError> {
        let name = format!("{stem}_relmat.tsv");
        write(folder, &name, |out| {
            let head: Vec<&str> = ["Node"]
                .into_iter()
                .chain(graph.nodes().iter().map(String::as_str))
                .collect();
            let mut table = table(out, &head)?;
            for (node, row) in graph.nodes().iter().zip(matrix.chunks_exact(graph.n_nodes().max(1))) {
                let cells = row.iter().map(|&weight| exact(weight));
                table.write_record([node.clone()].into_iter().chain(cells))?;
            }
            table.flush()
        })?;
        let description = json!({
            "RelationshipMeasure": "edge weight of a graph learned from smooth signals",
            "MeasureDescription": what,
            "Weighted": true,
            "Directed": false,
            "ValidDiagonal": false,
            "NonNegative": true,
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
        one(format!("desc-consensus_{MEASURE}"), &consensus, &what)?;
    }
    for (view, stem) in stems(graph.views()).into_iter().enumerate() {
        let what = format!("the graph of view {}", graph.views()[view]);
        one(format!("{stem}_{MEASURE}"), &graph.adjacency(view), &what)?;
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
    let mut stems: Vec<String> = views.iter().filter_map(entities).collect();
    let n_stems = stems.len();
    stems.sort();
    stems.dedup();
    if n_stems == views.len() && stems.len() == views.len() {
        return views.iter().filter_map(entities).collect();
    }
    let labels = labels(views, |mark| mark.is_ascii_alphanumeric(), "");
    labels.iter().map(|label| format!("sub-{label}")).collect()
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
        assert_eq!(stems(&names(&["sub-01_x", "sub-01_y"])), ["sub-sub01x", "sub-sub01y"]);
    }
}
