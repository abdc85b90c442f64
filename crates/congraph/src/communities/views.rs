//! The communities of learned graphs: of each view, of the consensus, and of the group of views.

use super::coclassification::Coclassification;
use super::consensus::{ConsensusClustering, Group};
use super::network::Network;
use super::partition::Partition;
use super::search::Communities;
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::metrics::nmi;

/// The communities of learned graphs. Nodes and views are in the order of the graphs; equally large communities are in the order
/// of their first nodes by name.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphCommunities {
    /// The communities of each view.
    pub views: Vec<Communities>,
    /// Those of the consensus graph, if there is one.
    pub consensus: Option<Communities>,
    /// What the views have in common, by consensus clustering of all runs on all views.
    pub group: Group,
    /// How often two nodes are together, over all runs on all views.
    pub coclassification: Coclassification,
}

impl GraphCommunities {
    /// The normalised mutual information between all partitions: of the consensus (if there is one), of the group, and of each
    /// view, in this order.
    pub fn nmi(&self) -> Vec<Vec<f64>> {
        let consensus = self.consensus.iter().map(|consensus| &consensus.partition);
        let views = self.views.iter().map(|view| &view.partition);
        let all: Vec<&Partition> = consensus.chain([&self.group.partition]).chain(views).collect();
        let row = |one: &&Partition| all.iter().map(|two| nmi(one.labels(), two.labels())).collect();
        all.iter().map(row).collect()
    }
}

/// The communities of every view and of the consensus by Leiden, and those of the group of views by consensus clustering.
///
/// Each run on each view is a partition of its own for the group, so that a view of which the communities are uncertain has less
/// of a say about them.
///
/// The answer is the same for any order of nodes and views.
///
/// # Errors
/// [`Error::Parameter`] if a setting is out of its range, or a weight is negative or not finite.
///
/// ```
/// use congraph::communities::{ConsensusClustering, communities};
/// use congraph::simulate::{Settings, simulate};
///
/// let truth = simulate(&Settings { n_nodes: 30, n_views: 3, ..Settings::default() })?.truth;
/// let found = communities(&truth, &ConsensusClustering::default())?;
/// assert_eq!(found.views.len(), 3);
/// assert!(found.consensus.unwrap().modularity > 0.2);
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn communities(graph: &MultiviewGraph, settings: &ConsensusClustering) -> Result<GraphCommunities, Error> {
    settings.check()?;
    let leiden = &settings.leiden;
    let sorted = Sorted::of(graph);
    let mut views = Vec::with_capacity(graph.n_views());
    let mut partitions = Vec::with_capacity(graph.n_views() * leiden.n_runs);
    for view in 0..graph.n_views() {
        let network = sorted.network(graph, graph.weights().column(view))?;
        let runs = leiden.runs(&network)?;
        partitions.extend(runs.iter().map(|run| run.partition.clone()));
        views.push(sorted.back(&leiden.best(&network, runs)));
    }
    let consensus = match graph.consensus() {
        Some(weights) => {
            let network = sorted.network(graph, weights.iter().copied())?;
            Some(sorted.back(&leiden.communities(&network)?))
        }
        None => None,
    };
    let coclassification = Coclassification::of(&partitions);
    let group = settings.group(&coclassification)?;
    Ok(GraphCommunities {
        views,
        consensus,
        group: Group {
            partition: group.partition.reordered(&sorted.places),
            ..group
        },
        coclassification: coclassification.reordered(&sorted.places),
    })
}

/// Where each node is when they are sorted by name.
struct Sorted {
    places: Vec<usize>,
}

impl Sorted {
    fn of(graph: &MultiviewGraph) -> Self {
        let mut order: Vec<usize> = (0..graph.n_nodes()).collect();
        order.sort_by_key(|&node| &graph.nodes()[node]);
        let mut places = vec![0; order.len()];
        for (place, node) in order.into_iter().enumerate() {
            places[node] = place;
        }
        Self { places }
    }

    fn network(&self, graph: &MultiviewGraph, weights: impl Iterator<Item = f64>) -> Result<Network, Error> {
        let place = |node: u32| self.places[node as usize] as u32;
        let pairs: Vec<[u32; 2]> = graph.pairs().iter().map(|pair| pair.map(place)).collect();
        Network::new(graph.n_nodes(), &pairs, &weights.collect::<Vec<_>>())
    }

    fn back(&self, found: &Communities) -> Communities {
        Communities {
            partition: found.partition.reordered(&self.places),
            modularity: found.modularity,
        }
    }
}
