//! Which files of a result folder are congraph's: those that a new run replaces or removes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::folder::Folder;

/// The files that a run writes: those of an earlier run that a new one does not replace are removed.
pub(super) const OURS: [&str; 48] = [
    "summary.json",
    "python.json",
    "run.json",
    "nodes.tsv",
    "edges.tsv",
    "views.tsv",
    "missing.tsv",
    "subjects.tsv",
    "edges_subjects.tsv",
    "edges_long.tsv",
    "candidates.tsv",
    "edge_costs.tsv",
    "matrices.npz",
    "report.html",
    "methods.tsv",
    "methods.json",
    "tune.tsv",
    "path.tsv",
    "quality.tsv",
    "recordings.tsv",
    "dropped.tsv",
    "positions.tsv",
    "views.csv",
    "views.svg",
    "consensus.csv",
    "consensus.svg",
    "runtime.csv",
    "runtime.svg",
    "eeg-recovery.csv",
    "eeg-recovery.svg",
    "eeg-smoothness.csv",
    "eeg-smoothness.svg",
    "eeg-communities.csv",
    "eeg-communities.svg",
    "eeg-consistency.csv",
    "claims.tsv",
    "summary.md",
    "communities.tsv",
    "communities.json",
    "coclassification.npz",
    "projection.tsv",
    "stability.json",
    "compare_edges.tsv",
    "compare_components.tsv",
    "compare_nodes.tsv",
    "compare_global.tsv",
    "compare_pairs.tsv",
    "compare.json",
];

/// Where `congraph export` writes unless told otherwise.
const EXPORTS: &str = "export";

/// What the files of BIDS relationship matrices are called after their view.
pub(crate) const RELMAT_MEASURE: &str = "meas-graphlearning";

/// Whether a file has a name that an export gives.
fn is_export(name: &str) -> bool {
    let is_graph = name.starts_with("view-") || name.starts_with("consensus.");
    let is_relmat = name.contains(RELMAT_MEASURE) && name.contains("_relmat.");
    let endings = [".graphml", ".gexf", ".edges.tsv"];
    is_graph && endings.iter().any(|ending| name.ends_with(ending))
        || is_relmat
        || ["graphs.mat", "graphs.npz"].contains(&name)
}

/// What of an old folder is not taken over.
pub(super) struct Gone<'f> {
    pub(super) folder: &'f Folder,
    /// What the earlier run says that it wrote.
    pub(super) listed: HashSet<PathBuf>,
    /// Subfolders that are written.
    pub(super) subfolders: HashSet<PathBuf>,
}

impl Gone<'_> {
    /// Whether the file of that name, a path within the folder, goes.
    pub(super) fn is(&self, name: &Path) -> bool {
        let folder = self.folder;
        if folder.is_hidden(&folder.target.join(name)) {
            return true;
        }
        let (parent, file) = (
            name.parent().unwrap_or(Path::new("")),
            name.file_name().unwrap_or_default(),
        );
        let is_ours = folder.ours.iter().any(|ours| file == *ours);
        if folder.is_addition {
            return parent == Path::new("") && is_ours;
        }
        let is_exported = parent == Path::new(EXPORTS) && is_export(&file.to_string_lossy());
        (is_ours && (parent == Path::new("") || self.subfolders.contains(parent)))
            || (is_exported && !self.subfolders.contains(parent))
            || self.listed.contains(name)
            || folder.stale.iter().any(|stale| stale == name)
    }
}
