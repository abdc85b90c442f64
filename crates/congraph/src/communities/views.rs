//! The communities of learned graphs: of each view, of the consensus, and of the group of views.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::coclassification::Coclassification;
use super::consensus::{ConsensusClustering, Group};
use super::network::Network;
use super::partition::Partition;
use super::search::{Communities, Stop, never};
use super::signs::Signs;
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::metrics::nmi;
use crate::progress::{Progress, Watch, no_progress};

/// The communities of learned graphs. Nodes and views are in the order of the graphs; equally large communities are in
/// the order of their first nodes by name.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphCommunities {
    /// The communities of each view: of the nodes that it has, in the order of the graphs.
    pub views: Vec<Communities>,
    /// The nodes that each view has.
    pub view_nodes: Vec<Vec<usize>>,
    /// Those of the consensus graph, if there is one.
    pub consensus: Option<Communities>,
    /// What the views have in common, by consensus clustering of all runs on all views.
    pub group: Group,
    /// How often two nodes are together, over all runs on all views.
    pub coclassification: Coclassification,
}

impl GraphCommunities {
    /// The normalised mutual information between all partitions: of the consensus (if there is one), of the group, and
    /// of each view, in this order. Over the nodes that both have.
    pub fn nmi(&self) -> Vec<Vec<f64>> {
        let whole = |partition: &Partition| partition.labels().iter().copied().map(Some).collect();
        let consensus = self.consensus.iter().map(|consensus| whole(&consensus.partition));
        let views = (0..self.views.len()).map(|view| self.view_labels(view));
        let all: Vec<Vec<Option<usize>>> = consensus.chain([whole(&self.group.partition)]).chain(views).collect();
        let both = |one: &[Option<usize>], two: &[Option<usize>]| {
            let (one, two): (Vec<usize>, Vec<usize>) = one.iter().zip(two).filter_map(|(x, y)| x.zip(*y)).unzip();
            nmi(&one, &two)
        };
        all.iter()
            .map(|one| all.iter().map(|two| both(one, two)).collect())
            .collect()
    }

    /// The community of each node of the graphs in a view; none of those that the view lacks.
    pub fn view_labels(&self, view: usize) -> Vec<Option<usize>> {
        let mut labels = vec![None; self.group.partition.n_nodes()];
        for (&node, &label) in self.view_nodes[view].iter().zip(self.views[view].partition.labels()) {
            labels[node] = Some(label);
        }
        labels
    }
}

/// The communities of every view and of the consensus by Leiden, and those of the group of views by consensus
/// clustering.
///
/// Each run on each view is a partition of its own for the group, so that a view of which the communities are uncertain
/// has less of a say about them.
///
/// The answer is the same for any order of nodes and views.
///
/// # Errors
/// [`Error::Parameter`] if a setting is out of its range; [`Error::Invalid`] if a weight is not finite.
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
    found(graph, settings, &no_progress, &never)
}

/// As [`communities`], watched: none if the watch asked to stop.
///
/// # Errors
/// As [`communities`].
pub fn communities_watched(
    graph: &MultiviewGraph,
    settings: &ConsensusClustering,
    watch: Watch<'_>,
) -> Result<Option<GraphCommunities>, Error> {
    let stopped = AtomicBool::new(false);
    let seen = |progress: &Progress| {
        let answer = watch(progress);
        stopped.fetch_or(answer.is_break(), Ordering::Relaxed);
        answer
    };
    let latest = AtomicUsize::new(0);
    let total = steps(graph);
    let stop = || {
        let done = latest.load(Ordering::Relaxed);
        stopped.load(Ordering::Relaxed) || seen(&Progress::Fitted { done, total }).is_break()
    };
    let count = |progress: &Progress| {
        if let Progress::Fitted { done, .. } = progress {
            latest.store(*done, Ordering::Relaxed);
        }
        seen(progress)
    };
    let found = found(graph, settings, &count, &stop)?;
    Ok((!stopped.load(Ordering::Relaxed)).then_some(found))
}

/// What progress counts: the views, the consensus, the group.
fn steps(graph: &MultiviewGraph) -> usize {
    graph.n_views() + usize::from(graph.consensus().is_some()) + 1
}

fn found(
    graph: &MultiviewGraph,
    settings: &ConsensusClustering,
    watch: Watch<'_>,
    stop: Stop<'_>,
) -> Result<GraphCommunities, Error> {
    settings.check()?;
    // What is found after it asked to stop is thrown away.
    let done = |done| {
        _ = watch(&Progress::Fitted {
            done,
            total: steps(graph),
        });
    };
    let leiden = &settings.leiden;
    let sorted = Sorted::of(graph, (0..graph.n_nodes()).collect());
    let mut views = Vec::with_capacity(graph.n_views());
    let mut view_nodes = Vec::with_capacity(graph.n_views());
    let mut runs_of_views = Vec::with_capacity(graph.n_views());
    for view in 0..graph.n_views() {
        let own: Vec<usize> = (0..graph.n_nodes()).filter(|&node| graph.has(view, node)).collect();
        // Sorted by name, so that the order of nodes does not reach the random numbers.
        let sorted_view = Sorted::of(graph, own.clone());
        let network = sorted_view.network(graph, graph.weights().column(view), settings.signs)?;
        let runs = leiden.runs_until(&network, stop);
        let partitions: Vec<Partition> = runs.iter().map(|run| run.partition.clone()).collect();
        let places: Vec<usize> = sorted_view.order.iter().map(|&node| sorted.places[node]).collect();
        runs_of_views.push((partitions, places));
        views.push(sorted_view.back(&leiden.best(&network, runs, stop)));
        view_nodes.push(own);
        done(view + 1);
    }
    let consensus = match graph.consensus() {
        Some(weights) => {
            let network = sorted.network(graph, weights.iter().copied(), settings.signs)?;
            let runs = leiden.runs_until(&network, stop);
            let found = sorted.back(&leiden.best(&network, runs, stop));
            done(graph.n_views() + 1);
            Some(found)
        }
        None => None,
    };
    let mut partitions = Vec::with_capacity(graph.n_views() * leiden.n_runs);
    for (runs, places) in &runs_of_views {
        partitions.extend(runs.iter().map(|run| (run.clone(), &places[..])));
    }
    let coclassification = Coclassification::of_some(graph.n_nodes(), &partitions);
    let group = settings.group_until(&coclassification, stop)?;
    done(steps(graph));
    Ok(GraphCommunities {
        views,
        view_nodes,
        consensus,
        group: Group {
            partition: group.partition.reordered(&sorted.places),
            ..group
        },
        coclassification: coclassification.reordered(&sorted.places),
    })
}

/// Some nodes of a graph sorted by name.
struct Sorted {
    /// In the order of the graph.
    nodes: Vec<usize>,
    /// Sorted by name.
    order: Vec<usize>,
    /// For each node of the graph its place in that order, if it is one of them.
    places: Vec<usize>,
}

impl Sorted {
    fn of(graph: &MultiviewGraph, nodes: Vec<usize>) -> Self {
        let mut order = nodes.clone();
        order.sort_by_key(|&node| &graph.nodes()[node]);
        let mut places = vec![usize::MAX; graph.n_nodes()];
        for (place, &node) in order.iter().enumerate() {
            places[node] = place;
        }
        Self { nodes, order, places }
    }

    /// The network of these nodes; pairs with another one are left out.
    fn network(
        &self,
        graph: &MultiviewGraph,
        weights: impl Iterator<Item = f64>,
        signs: Signs,
    ) -> Result<Network, Error> {
        let place = |node: u32| self.places[node as usize];
        let (mut pairs, mut kept) = (Vec::new(), Vec::new());
        for (pair, weight) in graph.pairs().iter().zip(weights) {
            let pair = pair.map(place);
            if !pair.contains(&usize::MAX) {
                pairs.push(pair.map(|place| place as u32));
                kept.push(weight);
            }
        }
        signs.network(self.order.len(), &pairs, kept)
    }

    fn back(&self, found: &Communities) -> Communities {
        let order: Vec<usize> = self.nodes.iter().map(|&node| self.places[node]).collect();
        Communities {
            partition: found.partition.reordered(&order),
            modularity: found.modularity,
        }
    }
}
