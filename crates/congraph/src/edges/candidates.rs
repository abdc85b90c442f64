//! Which pairs of nodes may be joined: all of them, each node's nearest neighbours, or a list; and prior knowledge
//! about some of them.

use crate::error::Error;

/// The pairs that may be joined.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Candidates {
    /// All pairs.
    #[default]
    AllPairs,
    /// Every node and its k nearest neighbours in some view. Exact up to [`EXACT_NEIGHBOURS`] nodes, approximate
    /// beyond.
    Nearest {
        /// How many neighbours in each view.
        k: usize,
        /// The seed of the approximate search.
        seed: u64,
    },
    /// These pairs of nodes, such as those that a structural connectome or a list of known targets allows.
    Listed(Vec<[u32; 2]>),
}

/// Up to this number of nodes nearest neighbours are found exactly.
pub const EXACT_NEIGHBOURS: usize = 1_000_000;

/// A cost that is added to a pair's distance (as it enters the problem) in every view: negative favours the edge,
/// positive disfavours it, infinite forbids it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeCost {
    /// The two nodes.
    pub pair: [u32; 2],
    /// The cost.
    pub cost: f64,
}

/// Pairs a < b, sorted and each once.
///
/// # Errors
/// [`Error::Invalid`] if a pair joins a node with itself or with one that is not there.
pub(crate) fn tidy(pairs: &[[u32; 2]], n_nodes: usize) -> Result<Vec<[u32; 2]>, Error> {
    let mut tidied = Vec::with_capacity(pairs.len());
    for &[a, b] in pairs {
        if a == b || a as usize >= n_nodes || b as usize >= n_nodes {
            return Err(Error::Invalid {
                what: "candidates",
                message: format!("hold the pair ({a}, {b}), which is no pair of two of the {n_nodes} nodes"),
            });
        }
        tidied.push([a.min(b), a.max(b)]);
    }
    tidied.sort_unstable();
    tidied.dedup();
    Ok(tidied)
}

/// Costs of pairs at their nodes' new places, sorted; without those of nodes that have none.
///
/// # Errors
/// [`Error::Invalid`] if a cost is not one, a pair is none or is given twice.
pub(crate) fn placed_costs(costs: &[EdgeCost], places: &[Option<u32>]) -> Result<Vec<EdgeCost>, Error> {
    let mut placed = Vec::with_capacity(costs.len());
    for cost in costs {
        if cost.cost.is_nan() || cost.cost == f64::NEG_INFINITY {
            return Err(Error::Invalid {
                what: "edge costs",
                message: format!("hold {}; a cost is a number, or infinite to forbid the edge", cost.cost),
            });
        }
        let [pair] = tidy(&[cost.pair], places.len())?[..] else {
            continue;
        };
        if let [Some(a), Some(b)] = pair.map(|node| places[node as usize]) {
            placed.push((
                EdgeCost {
                    pair: [a.min(b), a.max(b)],
                    cost: cost.cost,
                },
                pair,
            ));
        }
    }
    placed.sort_by_key(|(cost, _)| cost.pair);
    if let Some(twice) = placed.windows(2).find(|two| two[0].0.pair == two[1].0.pair) {
        let [a, b] = twice[0].1;
        return Err(Error::Invalid {
            what: "edge costs",
            message: format!("hold the pair ({a}, {b}) twice"),
        });
    }
    Ok(placed.into_iter().map(|(cost, _)| cost).collect())
}
