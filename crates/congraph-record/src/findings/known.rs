//! What is known beside the graphs. All of it may be missing; a report then says less.

use congraph::MultiviewGraph;
use congraph::findings::Positions;
use serde::Serialize;

use super::comparison::KnownComparison;
use super::confidence::KnownStability;
use super::recordings::KnownRecordings;
use crate::record::FitRecord;

/// Everything that is known beside the graphs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Known {
    /// How the graphs were learned, as `summary.json` tells it.
    pub summary: Option<FitRecord>,
    /// Where the nodes are.
    pub positions: Option<Positions>,
    /// The variance of each node relative to the others of its view: geometric mean over the views.
    pub variances: Option<Vec<f64>>,
    /// Where the views came from.
    pub views: Vec<KnownView>,
    /// Communities, if they were looked for.
    pub communities: Option<KnownCommunities>,
    /// The cells of a path, if one was fitted.
    pub path: Vec<PathCell>,
    /// How sure edges are, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<KnownStability>,
    /// How that is asked, in the words of whoever reads this; none if it cannot be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_stability: Option<String>,
    /// Who differs, if groups of views were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<KnownComparison>,
    /// The version of the program that learned the graphs.
    pub version: Option<String>,
    /// The command that did, word by word.
    pub command: Option<Vec<String>>,
    /// How the views were made, if it was from EEG recordings.
    pub recordings: Option<KnownRecordings>,
    /// The name of the folder that the results are in.
    pub folder: Option<String>,
    /// When they were made, in seconds of Unix time.
    pub finished: Option<u64>,
}

/// Where a view came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KnownView {
    /// The file it was read from.
    pub file: String,
    /// How many samples it has.
    pub n_samples: Option<usize>,
}

/// Communities of the nodes: 0 is the largest.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KnownCommunities {
    /// The community of each node: in the consensus, or without one in the group of views.
    pub labels: Vec<usize>,
    /// The modularity of that partition, if told.
    pub modularity: Option<f64>,
    /// How much each view's own communities agree with it (normalised mutual information), if told.
    pub agreement: Vec<f64>,
    /// What became of negative weights, if there are any and it is told: [`Signs`](congraph::communities::Signs) by its
    /// word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signs: Option<String>,
}

/// One fit of a path over densities and similarities, with its consensus.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PathCell {
    /// The density asked for.
    pub density_target: f64,
    /// The similarity asked for.
    pub similarity_target: f64,
    /// The density of the views.
    pub density: f64,
    /// Their similarity.
    pub similarity: f64,
    /// How much the edges of halves of the data agree, beyond chance.
    pub agreement: Option<f64>,
    /// The chance that two halves disagree on a pair.
    pub instability: Option<f64>,
    /// How much likelier the other half of the data is on the views' graphs than on none, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// Whether this is the cell that was chosen.
    pub is_chosen: bool,
    /// Pairs and weights of its consensus, the heaviest first; perhaps not all.
    pub consensus: Vec<([u32; 2], f64)>,
    /// How many there are.
    pub n_edges: usize,
}

impl Known {
    /// Without what does not have one entry for each node or view of the graph, or a number where one is needed.
    pub(super) fn fitting(mut self, graph: &MultiviewGraph) -> Self {
        let (n, n_views) = (graph.n_nodes(), graph.n_views());
        let placed = |positions: &Positions| {
            positions.len() == n && positions.points().iter().flatten().all(|value| value.is_finite())
        };
        self.positions = self.positions.filter(placed);
        let spread = |variances: &Vec<f64>| variances.len() == n && variances.iter().all(|v| v.is_finite());
        self.variances = self.variances.filter(spread);
        self.communities = self.communities.filter(|found| found.labels.len() == n);
        if let Some(found) = self
            .communities
            .as_mut()
            .filter(|found| found.agreement.len() != n_views)
        {
            found.agreement.clear();
        }
        let n_pairs = graph.pairs().len();
        let whole = |found: &KnownStability| found.edges.0.iter().all(|(_, cells)| cells.len() == n_pairs);
        self.stability = self.stability.filter(whole);
        if let Some(found) = &mut self.comparison {
            found
                .edges
                .retain(|row| row.pair.iter().all(|&node| (node as usize) < n));
        }
        if self.views.len() != n_views {
            self.views = vec![KnownView::default(); n_views];
        }
        for cell in &mut self.path {
            cell.consensus
                .retain(|&([a, b], weight)| a < b && (b as usize) < n && weight.is_finite());
        }
        self
    }
}
