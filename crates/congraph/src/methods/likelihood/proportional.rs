//! Nodes that are multiples of each other: the likelihood has no maximum with them, and they are refused, or learned as
//! one where they are so in every view.

use faer::Mat;

use super::data::covariances;
use crate::edges::candidates::{Candidates, EdgeCost};
use crate::error::{Code, DataError, Error, Warning, list_names};
use crate::options::option;
use crate::signals::Scale;
use crate::views::Views;

/// Nodes that are correlated up to this are the same signal.
const PROPORTIONAL: f64 = 1.0 - 1e-9;

/// What is done with nodes that are multiples of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proportional {
    /// They are refused.
    #[default]
    Refuse,
    /// Those that are so in every view are learned as one node.
    Merge,
}

/// Nodes that were learned as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The node that stands for them: the first by name.
    pub kept: String,
    /// The others, sorted.
    pub others: Vec<String>,
}

impl Merged {
    /// What the user is told of all of them.
    pub(crate) fn warning(all: &[Self]) -> Option<Warning> {
        let one = |merged: &Self| format!("{} for {}", merged.kept, merged.others.join(", "));
        let told: Vec<String> = all.iter().map(one).collect();
        let listed: Vec<&str> = told.iter().map(String::as_str).collect();
        let message = format!(
            "nodes that are multiples of each other in every view were learned as one, which stands for the others: {}",
            list_names(&listed)
        );
        (!all.is_empty()).then(|| Warning::new("W17", message))
    }
}

/// Views in which nodes were merged, what is asked of their pairs, and which those were.
pub(crate) struct MergedViews {
    pub(crate) views: Views,
    pub(crate) candidates: Candidates,
    pub(crate) edge_costs: Vec<EdgeCost>,
    pub(crate) merged: Vec<Merged>,
}

/// The views with nodes that are multiples of each other in every view as one; none if there are none, or hardly a node
/// would be left.
///
/// # Errors
/// E04 where a node does not vary; [`Error::Invalid`] for values whose squares no f64 holds.
pub(crate) fn merge(
    views: &Views,
    scale: Option<Scale>,
    candidates: &Candidates,
    costs: &[EdgeCost],
) -> Result<Option<MergedViews>, Error> {
    let scale = scale.filter(|scale| *scale == Scale::None).unwrap_or(Scale::Center);
    let matrices = covariances(views, scale)?.into_iter().map(|(matrix, _)| matrix);
    let stands = representatives(views, &matrices.collect::<Vec<Mat<f64>>>());
    let kept: Vec<usize> = (0..views.n_nodes()).filter(|&node| stands[node] == node).collect();
    if kept.len() == views.n_nodes() || kept.len() < 2 {
        return Ok(None);
    }
    let name = |node: usize| views.nodes()[node].clone();
    let mut merged = Vec::new();
    for &first in &kept {
        let others = (0..views.n_nodes()).filter(|&node| node != first && stands[node] == first);
        let mut others: Vec<String> = others.map(name).collect();
        others.sort();
        if !others.is_empty() {
            let kept = name(first);
            merged.push(Merged { kept, others });
        }
    }
    merged.sort_by(|one, two| one.kept.cmp(&two.kept));
    let mut places = vec![0; views.n_nodes()];
    for (place, &node) in kept.iter().enumerate() {
        places[node] = place as u32;
    }
    Ok(Some(MergedViews {
        views: views.with_nodes(&kept),
        candidates: merged_candidates(candidates, &stands, &places),
        edge_costs: merged_costs(costs, &stands, &places),
        merged,
    }))
}

/// Pairs of merged nodes are pairs of the one that stands for them.
fn merged_candidates(candidates: &Candidates, stands: &[usize], places: &[u32]) -> Candidates {
    let Candidates::Listed(pairs) = candidates else {
        return candidates.clone();
    };
    let moved = pairs
        .iter()
        .map(|pair| pair.map(|node| stands.get(node as usize).copied()));
    let moved = moved.filter_map(|[a, b]| Some([places[a?], places[b?]]));
    Candidates::Listed(moved.filter(|[a, b]| a != b).collect())
}

/// Costs are those of the node that stands for others.
fn merged_costs(costs: &[EdgeCost], stands: &[usize], places: &[u32]) -> Vec<EdgeCost> {
    let stays = |node: u32| stands.get(node as usize) == Some(&(node as usize));
    let own = costs.iter().filter(|cost| cost.pair.iter().all(|&node| stays(node)));
    own.map(|cost| EdgeCost {
        pair: cost.pair.map(|node| places[node as usize]),
        cost: cost.cost,
    })
    .collect()
}

/// Where each node is in the matrix of each view.
fn places(views: &Views) -> Vec<Vec<Option<usize>>> {
    let of_view = |view: usize| {
        let mut next = 0;
        let place = |node: usize| {
            views.has(view, node).then(|| {
                next += 1;
                next - 1
            })
        };
        (0..views.n_nodes()).map(place).collect()
    };
    (0..views.n_views()).map(of_view).collect()
}

fn is_same(matrix: &Mat<f64>, a: usize, b: usize) -> bool {
    matrix[(a, b)] > PROPORTIONAL * (matrix[(a, a)] * matrix[(b, b)]).sqrt()
}

/// Whether two nodes are negative multiples of each other.
fn is_opposite(matrix: &Mat<f64>, a: usize, b: usize) -> bool {
    -matrix[(a, b)] > PROPORTIONAL * (matrix[(a, a)] * matrix[(b, b)]).sqrt()
}

/// For each node the first by name of those that it is a multiple of in every view; views have both of them, or neither.
fn representatives(views: &Views, matrices: &[Mat<f64>]) -> Vec<usize> {
    let places = places(views);
    let are_one = |a: usize, b: usize| {
        matrices
            .iter()
            .zip(&places)
            .all(|(matrix, places)| match (places[a], places[b]) {
                (Some(a), Some(b)) => is_same(matrix, a, b),
                (None, None) => true,
                _ => false,
            })
    };
    let mut by_name: Vec<usize> = (0..views.n_nodes()).collect();
    by_name.sort_by_key(|&node| &views.nodes()[node]);
    let mut stands: Vec<usize> = (0..views.n_nodes()).collect();
    let mut kept: Vec<usize> = Vec::new();
    for node in by_name {
        match kept.iter().find(|&&first| are_one(first, node)) {
            Some(&first) => stands[node] = first,
            None => kept.push(node),
        }
    }
    stands
}

/// Two nodes that are multiples of each other make the likelihood unbounded.
pub(super) fn check_proportional(views: &Views, matrices: &[Mat<f64>]) -> Result<(), Error> {
    check(views, matrices, false)
}

/// The same of both signs: a graph with negative edges knows no difference between a signal and its opposite.
pub(super) fn check_of_both_signs(views: &Views, matrices: &[Mat<f64>]) -> Result<(), Error> {
    check(views, matrices, true)
}

fn check(views: &Views, matrices: &[Mat<f64>], is_signed: bool) -> Result<(), Error> {
    let mut errors = Vec::new();
    let mut stands = None;
    for (index, (view, matrix)) in views.iter().zip(matrices).enumerate() {
        let own: Vec<usize> = (0..views.n_nodes()).filter(|&node| views.has(index, node)).collect();
        let pairs = (0..own.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let same: Vec<[usize; 2]> = pairs
            .filter(|&(a, b)| is_same(matrix, a, b) || is_signed && is_opposite(matrix, a, b))
            .map(|(a, b)| [own[a], own[b]])
            .collect();
        let Some(&[first, _]) = same.first() else { continue };
        let stands = stands.get_or_insert_with(|| representatives(views, matrices));
        let are_merged = same.iter().all(|&[a, b]| stands[a] == stands[b]);
        let told: Vec<String> = same
            .iter()
            .map(|pair| pair.map(|node| views.nodes()[node].as_str()).join(" and "))
            .collect();
        let listed: Vec<&str> = told.iter().map(String::as_str).collect();
        let name = view.name();
        let dropped = option("drop_nodes").set_to(&views.nodes()[first]);
        errors.push(
            DataError::new(
                Code::E04,
                format!(
                    "view `{name}` has nodes that are multiples of each other: {}",
                    list_names(&listed)
                ),
                if is_signed {
                    "they are one signal measured twice: no data tell which of them an edge belongs to"
                } else {
                    "the likelihood then has no maximum: it would join them with an infinite weight"
                },
                if are_merged {
                    format!(
                        "{} learns each such pair as one node; or leave one of each out ({dropped}), or learn by the \
                         method `smooth`",
                        option("proportional").set_to("merge")
                    )
                } else {
                    format!("leave one of each pair out ({dropped}), or learn by the method `smooth`")
                },
            )
            .in_view(name),
        );
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Error::Data(errors))
    }
}
