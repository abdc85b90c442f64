//! What learned graphs and what is known of them say, as plain data: everything that a report shows, computed once and
//! drawn elsewhere.
//!
//! ```text
//! known        what is known beside the graphs: positions, samples, how they were learned, communities, a path
//! confidence   how sure edges are
//! comparison   who differs
//! recordings   how views were made from EEG recordings
//! views        each view: how far from the consensus, what it adds and what it lacks, whether it stands out
//! influences   does strength follow variance, does a view's distance follow its sample count?
//! verdict      the result in two plain sentences
//! ```
//!
//! What graphs say by themselves is in [`congraph::findings`], and is found here too. Nothing here reads a file.
//! Results do not depend on the order of nodes or views, apart from their own order.

mod comparison;
mod confidence;
mod influences;
pub mod known;
mod recordings;
#[cfg(test)]
mod tests;
mod time;
mod verdict;
mod views;

use congraph::findings::shared_weights;
pub use congraph::findings::{
    ENOUGH, Geometry, Layout, LayoutKind, Positions, Similarities, Unit, relative_variances, short_names, visible,
};
use congraph::{MultiviewGraph, is_edge};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

pub use comparison::{Compared, ComparedComponent, ComparedEdge, KnownComparison};
pub use confidence::{COMES_BACK, KnownStability, Support, not_asked};
pub use influences::Influence;
pub use known::{Known, KnownCommunities, KnownView, PathCell};
pub use recordings::{KnownRecording, KnownRecordings, KnownSteps};
pub use verdict::Verdict;
pub use views::ViewFinding;

/// Above this number of nodes a picture of them all tells nothing, and takes longer than the fit: nodes are then not
/// laid out.
pub const MOST_DRAWN: usize = 2000;
/// Above this number of nodes lengths of edges are not compared with those of all pairs.
const MOST_COMPARED: usize = 20_000;

/// Everything that a report shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// The graphs themselves.
    #[serde(serialize_with = "columns")]
    pub graph: MultiviewGraph,
    /// What is known beside them.
    pub known: Known,
    /// The weight by which each pair is drawn: its consensus weight, or without a consensus the mean of the views.
    pub shared: Vec<f64>,
    /// In how many views each pair is joined.
    pub n_views: Vec<usize>,
    /// How many views have both nodes of each pair: all, unless some lack nodes.
    pub n_measured: Vec<usize>,
    /// The mean weight of each pair over the views that have it.
    pub means: Vec<f64>,
    /// The sum of each node's shared weights, without their signs.
    pub strengths: Vec<f64>,
    /// The number of each node's shared edges.
    pub degrees: Vec<usize>,
    /// Where the nodes are drawn; of more than [`MOST_DRAWN`], all in one place.
    pub layout: Layout,
    /// Each view.
    pub views: Vec<ViewFinding>,
    /// The subjects' own graphs, where views are of subjects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<ViewFinding>,
    /// The median of the views' uniqueness; none without a consensus.
    pub median_uniqueness: Option<f64>,
    /// How alike the views are; none of one view.
    pub similarities: Option<Similarities>,
    /// The views in the order of time, if they have one: those of a chain, and those that are called by years, dates or weeks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_time: Option<Vec<usize>>,
    /// Edges and the places of their nodes, if these are known.
    pub geometry: Option<Geometry>,
    /// Strength against variance, a view's distance from the group against its samples: what could be known.
    pub influences: Vec<Influence>,
    /// The result in plain words.
    pub verdict: Verdict,
}

impl Findings {
    /// What the graphs and what is known beside them say.
    ///
    /// What is known of nodes or views must be in the order of the graphs'; where there is not one entry for each, it
    /// is left out.
    ///
    /// ```
    /// use congraph_record::findings::{Findings, Known};
    /// use congraph::simulate::{Settings, simulate};
    ///
    /// let truth = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?.truth;
    /// let findings = Findings::of(&truth, Known::default());
    /// assert!(findings.verdict.sentences[0].starts_with("3 views share"));
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn of(graph: &MultiviewGraph, known: Known) -> Self {
        let known = known.fitting(graph);
        let edges = || 0..graph.pairs().len();
        let n_measured: Vec<usize> = edges().map(|edge| graph.n_measured(edge)).collect();
        let means: Vec<f64> = edges().map(|edge| graph.mean_weight(edge)).collect();
        let shared = shared_weights(graph);
        let present = |row: &[f64]| row.iter().filter(|&&weight| is_edge(weight)).count();
        let n_views: Vec<usize> = graph.weights().rows().map(present).collect();
        let mut strengths = vec![0.0; graph.n_nodes()];
        let mut degrees = vec![0; graph.n_nodes()];
        for (pair, &weight) in graph.pairs().iter().zip(&shared) {
            for node in pair.map(|node| node as usize) {
                strengths[node] += weight.abs();
                degrees[node] += usize::from(is_edge(weight));
            }
        }
        // Where nothing is shared, what the views join says more of the nodes than a row of them.
        let is_empty = !shared.iter().any(|&weight| is_edge(weight));
        let layout = if graph.n_nodes() > MOST_DRAWN {
            Layout::nowhere(graph.n_nodes())
        } else {
            Layout::of(graph, if is_empty { &means } else { &shared }, known.positions.as_ref())
        };
        let (views, median_uniqueness) = views::findings(graph, &known);
        let in_time = time::order(graph.views(), &known);
        let mut similarities = Similarities::of(graph);
        if let (Some(found), Some(order)) = (&mut similarities, &in_time) {
            found.order.clone_from(order);
        }
        let geometry = known
            .positions
            .as_ref()
            .filter(|_| graph.n_nodes() <= MOST_COMPARED)
            .and_then(|positions| Geometry::of_shared(graph, &shared, positions));
        let influences = influences::influences(&known, &strengths, &views);
        let verdict = Verdict::of(
            graph,
            &known,
            &shared,
            [&n_views, &n_measured],
            &views,
            geometry.as_ref(),
        );
        Self {
            graph: graph.clone(),
            known,
            shared,
            n_views,
            n_measured,
            means,
            strengths,
            degrees,
            layout,
            views,
            subjects: views::subjects(graph),
            median_uniqueness,
            similarities,
            in_time,
            geometry,
            influences,
            verdict,
        }
    }

    /// The pairs with a shared weight, the heaviest first, whatever their signs; equal ones in the order of the graph's pairs.
    pub fn strongest(&self) -> Vec<usize> {
        let mut edges: Vec<usize> = (0..self.shared.len())
            .filter(|&edge| is_edge(self.shared[edge]))
            .collect();
        edges.sort_by(|&one, &two| self.shared[two].abs().total_cmp(&self.shared[one].abs()));
        edges
    }
}

/// A graph as columns: nodes, views, pairs, one weight after the other for each pair, and the consensus.
fn columns<S: Serializer>(graph: &MultiviewGraph, serializer: S) -> Result<S::Ok, S::Error> {
    let mut columns = serializer.serialize_struct("MultiviewGraph", 5)?;
    columns.serialize_field("nodes", graph.nodes())?;
    columns.serialize_field("views", graph.views())?;
    columns.serialize_field("pairs", graph.pairs())?;
    columns.serialize_field("weights", graph.weights().values())?;
    columns.serialize_field("consensus", &graph.consensus())?;
    columns.end()
}
