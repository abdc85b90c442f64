//! What is known beside the graphs. All of it may be missing; a report then says less.

use serde::{Deserialize, Serialize};

use super::recordings::KnownRecordings;
use crate::graph::MultiviewGraph;

/// Everything that is known beside the graphs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Known {
    /// How the graphs were learned, as `summary.json` tells it.
    pub summary: Option<Summary>,
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

/// Where nodes are, in the order of the graph's nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Positions {
    /// Electrodes on a head around the origin: x to the right, y to the front, z up.
    Head(Vec<[f64; 3]>),
    /// Points of space: x to the right, y to the front, z up.
    Space(Vec<[f64; 3]>),
    /// Points of a plane.
    Plane(Vec<[f64; 2]>),
    /// Longitude and latitude, in degrees.
    Globe(Vec<[f64; 2]>),
}

impl Positions {
    /// Points of space: on a head if they lie on a shell around the origin, as electrodes do and voxels do not.
    pub fn in_space(points: Vec<[f64; 3]>) -> Self {
        let radii = points
            .iter()
            .map(|at| at.iter().map(|value| value * value).sum::<f64>().sqrt());
        let (low, high) = radii.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), r| {
            (low.min(r), high.max(r))
        });
        if high > 0.0 && low > 0.5 * high {
            Self::Head(points)
        } else {
            Self::Space(points)
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Head(points) | Self::Space(points) => points.len(),
            Self::Plane(points) | Self::Globe(points) => points.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Points of space whose distances are those between the nodes; on the globe a unit sphere's chords, which order as its
    /// great circles do.
    pub fn points(&self) -> Vec<[f64; 3]> {
        match self {
            Self::Head(points) | Self::Space(points) => points.clone(),
            Self::Plane(points) => points.iter().map(|&[x, y]| [x, y, 0.0]).collect(),
            Self::Globe(points) => {
                let on_sphere = |&[longitude, latitude]: &[f64; 2]| {
                    let (east, north) = (longitude.to_radians(), latitude.to_radians());
                    [north.cos() * east.cos(), north.cos() * east.sin(), north.sin()]
                };
                points.iter().map(on_sphere).collect()
            }
        }
    }
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
    /// Whether this is the cell that was chosen.
    pub is_chosen: bool,
    /// Pairs and weights of its consensus, the heaviest first; perhaps not all.
    pub consensus: Vec<([u32; 2], f64)>,
    /// How many there are.
    pub n_edges: usize,
}

/// How graphs were learned: `summary.json` (`congraph.summary/1`), of which anything may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// What kind of summary it is: `congraph.summary/1`, or `congraph.projection/1` of new views against a frozen consensus.
    pub schema: Option<String>,
    /// The fit whose consensus new views were projected on.
    pub fit: Option<String>,
    /// The method, where it is not congraph's own.
    pub method: Option<String>,
    /// The penalty c.
    pub penalty: Option<String>,
    /// The regulariser r.
    pub regulariser: Option<String>,
    /// The solver.
    pub solver: Option<String>,
    /// α.
    pub alpha: Option<f64>,
    /// β.
    pub beta: Option<f64>,
    /// γ.
    pub gamma: Option<f64>,
    /// λ1 of a joint graphical lasso.
    pub lambda1: Option<f64>,
    /// λ2 of a joint graphical lasso.
    pub lambda2: Option<f64>,
    /// How nodes were scaled.
    pub scale: Option<String>,
    /// Whether costs are means or sums over samples.
    pub sample_norm: Option<String>,
    /// What distances were divided by.
    pub distance_norm: Option<String>,
    /// The objective.
    pub objective: Option<f64>,
    /// Its lower bound.
    pub dual_objective: Option<f64>,
    /// The relative gap between them.
    pub relative_gap: Option<f64>,
    /// Whether that is within the tolerance.
    pub converged: Option<bool>,
    /// How many iterations the solver took.
    pub iterations: Option<usize>,
    /// Density.
    pub density: DensitySummary,
    /// Similarity.
    pub similarity: SimilaritySummary,
    /// How long it took.
    pub seconds: SecondsSummary,
    /// What the user was warned of.
    pub warnings: Vec<WarningSummary>,
    /// Which pairs could be joined: `all`, `knn:K` or a file of pairs.
    pub candidates: Option<String>,
    /// How many these are, if not all.
    pub n_candidates: Option<usize>,
    /// How many pairs outside of them would have been joined, if that was checked.
    pub candidates_outside: Option<usize>,
    /// For how many pairs costs were added to the distances, if for any.
    pub n_edge_costs: Option<usize>,
    /// How a path was chosen from.
    pub tune: Option<TuneSummary>,
}

impl Summary {
    /// Whether the user was warned of this.
    pub fn has_warning(&self, code: &str) -> bool {
        self.warnings.iter().any(|warning| warning.code == code)
    }

    /// Whether it is about new views against the consensus of an earlier fit.
    pub fn is_projection(&self) -> bool {
        self.schema
            .as_deref()
            .is_some_and(|schema| schema.starts_with("congraph.projection"))
    }
}

/// The densities of a summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DensitySummary {
    /// What the parameters were found for.
    pub target: Option<f64>,
    /// What the consensus's was found for.
    pub consensus_target: Option<f64>,
    /// What the views have on average.
    pub views: Option<f64>,
    /// The same of negative entries of precision matrices alone.
    pub views_negative: Option<f64>,
}

/// How a path was chosen from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TuneSummary {
    /// How often the data were halved.
    pub halvings: usize,
    /// The most instability that a choice may have.
    pub threshold: Option<f64>,
    /// Whether the choice is within it; if not, nothing was.
    pub is_within: Option<bool>,
}

/// The similarities of a summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SimilaritySummary {
    /// What the parameters were found for.
    pub target: Option<f64>,
    /// What separately learned views have.
    pub floor: Option<f64>,
}

/// The times of a summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SecondsSummary {
    /// Everything.
    pub total: Option<f64>,
}

/// A warning of a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WarningSummary {
    /// Its code.
    pub code: String,
    /// The view it is about.
    pub view: Option<String>,
    /// What is said.
    pub message: String,
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
