//! Which nodes of the consensus a view has, and where they stand in both.

use std::collections::{HashMap, HashSet};

use super::Projector;
use crate::error::{Code, DataError, Error, Warning, list_names};
use crate::options::option;
use crate::views::{Membership, Missing, NodeRule, Views, folded};

/// The nodes of a projection, those of the view among them; inside the fit the latter are sorted by name.
pub(super) struct MatchedView {
    /// Which nodes of the consensus the result has, in its order.
    pub(super) kept: Vec<usize>,
    /// For each sorted node its place among the kept ones.
    pub(super) given: Vec<u32>,
    /// For each sorted node its place in the views.
    pub(super) in_view: Vec<usize>,
    /// For each node of the consensus its sorted place, if the view has it.
    pub(super) places: Vec<Option<u32>>,
    /// For each node of the consensus its place among the kept ones.
    among_kept: Vec<Option<u32>>,
}

impl MatchedView {
    /// Matches by name. What is masked in the view is not in it.
    pub(super) fn new(projector: &Projector, views: &Views, view: usize) -> Result<Self, Error> {
        let dropped: HashSet<&str> = projector.drop_nodes.iter().map(String::as_str).collect();
        let place: HashMap<&str, usize> = views
            .nodes()
            .iter()
            .enumerate()
            .map(|(node, name)| (name.as_str(), node))
            .filter(|(name, _)| !dropped.contains(name))
            .collect();
        let nodes = &projector.nodes;
        let is_known = |node: usize| place.contains_key(nodes[node].as_str());
        let is_kept = |&node: &usize| {
            !dropped.contains(nodes[node].as_str()) && (projector.node_rule == NodeRule::Same || is_known(node))
        };
        let kept: Vec<usize> = (0..nodes.len()).filter(is_kept).collect();
        let in_view = |&k: &usize| {
            place
                .get(nodes[kept[k]].as_str())
                .filter(|&&node| views.has(view, node))
        };
        let mut sorted: Vec<usize> = (0..kept.len()).filter(|k| in_view(k).is_some()).collect();
        let consensus: HashSet<&str> = nodes.iter().map(String::as_str).collect();
        let is_extra = |(name, node): (&&str, &usize)| views.has(view, *node) && !consensus.contains(*name);
        let is_whole = projector.missing == Missing::Mask || sorted.len() == kept.len();
        let fits = is_whole && (projector.node_rule == NodeRule::Common || !place.iter().any(is_extra));
        if sorted.len() < 2 || !fits {
            return Err(other_nodes(projector, views, view, &kept, sorted.len()).into());
        }
        sorted.sort_by_key(|&k| &nodes[kept[k]]);
        let mut places = vec![None; nodes.len()];
        for (k, &given) in sorted.iter().enumerate() {
            places[kept[given]] = Some(k as u32);
        }
        let mut among_kept = vec![None; nodes.len()];
        for (k, &node) in kept.iter().enumerate() {
            among_kept[node] = Some(k as u32);
        }
        Ok(Self {
            in_view: sorted.iter().filter_map(|k| in_view(k).copied()).collect(),
            given: sorted.iter().map(|&k| k as u32).collect(),
            places,
            among_kept,
            kept,
        })
    }

    /// Pairs of the consensus' nodes, with their weights, as pairs of sorted nodes, sorted; without those of nodes that
    /// the view lacks.
    pub(super) fn sorted_pairs(&self, pairs: &[[u32; 2]], weights: &[f64]) -> Vec<([u32; 2], f64)> {
        let moved = |(&pair, &weight): (&[u32; 2], &f64)| Some((moved(pair, &self.places)?, weight));
        let mut sorted: Vec<([u32; 2], f64)> = pairs.iter().zip(weights).filter_map(moved).collect();
        sorted.sort_by_key(|&(pair, _)| pair);
        sorted
    }

    /// Pairs of the consensus' nodes as pairs of sorted nodes, without those of nodes that the view lacks.
    pub(super) fn own_pairs(&self, pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
        pairs.iter().filter_map(|&pair| moved(pair, &self.places)).collect()
    }

    /// A pair of the consensus' nodes as one of the nodes that are kept.
    pub(super) fn kept_pair(&self, pair: [u32; 2]) -> Option<[u32; 2]> {
        moved(pair, &self.among_kept)
    }

    /// Tells of nodes that are in none of the views; what is masked in one was told when they were read.
    pub(super) fn absent(&self, nodes: &[String], views: &Views) -> Option<Warning> {
        let read: HashSet<&str> = views.nodes().iter().map(String::as_str).collect();
        let kept = self.kept.iter().map(|&node| &nodes[node]);
        let absent: Vec<&String> = kept.filter(|name| !read.contains(name.as_str())).collect();
        let message = format!(
            "{} of the {} nodes of the consensus {} not in its table, and it takes part with the others: {}",
            absent.len(),
            self.kept.len(),
            if absent.len() == 1 { "is" } else { "are" },
            list_names(&absent)
        );
        (!absent.is_empty()).then(|| Warning::new("W03", message))
    }

    /// Which of the kept nodes the view has.
    pub(super) fn membership(&self) -> Membership {
        Membership::new(self.kept.len(), 1, |_, k| self.places[self.kept[k]].is_none())
    }
}

fn moved([a, b]: [u32; 2], places: &[Option<u32>]) -> Option<[u32; 2]> {
    let (a, b) = (places[a as usize]?, places[b as usize]?);
    Some([a.min(b), a.max(b)])
}

/// Why a view does not fit the consensus, and what would help.
fn other_nodes(projector: &Projector, views: &Views, at: usize, kept: &[usize], n_common: usize) -> DataError {
    let view = views.view(at).name();
    let dropped: HashSet<&str> = projector.drop_nodes.iter().map(String::as_str).collect();
    let named = views
        .nodes()
        .iter()
        .enumerate()
        .filter(|(node, _)| views.has(at, *node));
    let theirs: Vec<&String> = named
        .map(|(_, name)| name)
        .filter(|name| !dropped.contains(name.as_str()))
        .collect();
    let known: HashSet<&str> = projector.nodes.iter().map(String::as_str).collect();
    let found: HashSet<&str> = theirs.iter().map(|name| name.as_str()).collect();
    let ours = kept.iter().map(|&node| &projector.nodes[node]);
    let lacking: Vec<&String> = ours.filter(|name| !found.contains(name.as_str())).collect();
    let extra: Vec<&String> = theirs
        .into_iter()
        .filter(|name| !known.contains(name.as_str()))
        .collect();
    if let Some(error) = spelled_otherwise(view, &lacking, &extra) {
        return error;
    }
    let said = match (&lacking[..], &extra[..]) {
        ([], _) => format!("has {} besides", list_names(&extra)),
        (_, []) => format!("lacks {}", list_names(&lacking)),
        _ => format!("lacks {}, and has {} besides", list_names(&lacking), list_names(&extra)),
    };
    DataError::new(
        Code::E02,
        format!(
            "view `{view}` has other nodes than the consensus of {}: it {said}",
            projector.nodes.len()
        ),
        "an edge of the consensus can only be compared where the view has both of its ends",
        what_would_help(n_common, extra.is_empty()),
    )
    .in_view(view)
    .at_node(lacking.first().or(extra.first()).map_or("", |name| name.as_str()))
}

/// A node that the view spells in another way than the consensus.
fn spelled_otherwise(view: &str, lacking: &[&String], extra: &[&String]) -> Option<DataError> {
    let (name, other) = lacking.iter().find_map(|name| {
        let other = extra.iter().find(|other| folded(other) == folded(name))?;
        Some((*name, *other))
    })?;
    let error = DataError::new(
        Code::E03,
        format!("`{name}` in the consensus and `{other}` in view `{view}` differ only by case or spaces"),
        "nodes are matched by their exact names, and nothing is matched by position",
        "spell the node as the consensus does",
    );
    Some(error.in_view(view).at_node(other))
}

/// The hint for a view that has other nodes than the consensus.
fn what_would_help(n_common: usize, only_lacks: bool) -> String {
    let common = format!(
        "{} projects on the {n_common} nodes that both have",
        option("nodes").set_to("common")
    );
    match n_common {
        0 | 1 => format!("check that the view belongs to this fit: {n_common} of its nodes are in the consensus"),
        _ if only_lacks => {
            format!(
                "{} lets the view take part with the {n_common} nodes it has; {common}, and leaves the others out",
                option("missing").set_to("mask")
            )
        }
        _ => common,
    }
}
