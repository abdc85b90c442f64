//! How likely one half of the data is on the graphs of the other, and the choice by that.
//!
//! Every view's own graph, learned from one half, is judged by the same view's other half: the gain in log-likelihood
//! of a node's value above that of independent nodes, in nats ([`log_likelihood`](crate::metrics::log_likelihood)),
//! mean over views, both directions and all halvings. Too sparse a graph leaves out what the other half needs; too dense a
//! one, or one too much like the others', has edges that the other half does not ask for.
//!
//! The gain is flat near its top and falls more slowly towards dense graphs than towards sparse ones, so the best cell
//! is a little too dense. Of the densities that keep nearly all of the best gain ([`KEEP`]) the sparsest is taken, and
//! there the similarity with the highest gain. Where halves hardly say anything ([`WEAK`]) the best cell is too sparse, since
//! they see half of the samples: there the less is given away the less is gained.
//!
//! Cost: for each cell, half and view the eigenvalues of an n × n matrix; for each half and view its correlations.

use faer::Mat;

use super::path::Cell;
use crate::error::Error;
use crate::fit::Session;
use crate::methods::smooth::PresentPair;
use crate::metrics::gain_of;
use crate::views::Views;

/// The share of the best gain that the choice keeps.
pub const KEEP: f64 = 0.95;
/// Gains below this, in nats per node and sample, are weak: what may be lost of them is a share that falls with them.
pub const WEAK: f64 = 0.01;
/// The most nodes whose graphs are judged by likelihood: eigenvalues of every view's graph, cell by cell and half by
/// half, would take longer than the fits. With more nodes the choice is by stability.
pub const MOST_NODES: usize = 1000;

/// One half of the data, that the graphs of the other are judged by.
pub(super) struct Judge {
    /// In the order of a session's views.
    views: Vec<Own>,
}

/// The correlations of one view's own nodes, in the order of their names.
struct Own {
    /// Where each node, numbered by name, stands among the view's own; none if the view lacks it.
    places: Vec<Option<u32>>,
    n_nodes: usize,
    /// Row after row.
    correlations: Vec<f64>,
}

impl Judge {
    /// The half that a session was made of; `ranks` are the numbers of its nodes by name.
    pub(super) fn new(half: &Views, session: &Session<'_>, ranks: &[u32]) -> Self {
        let own = |&view: &usize| Own::new(half, view, ranks);
        Self {
            views: session.order().views.iter().map(own).collect(),
        }
    }

    /// The mean over the views of the gain on their own graphs, whose pairs are numbered by name.
    ///
    /// # Errors
    /// If a graph's eigenvalues cannot be computed.
    pub(super) fn gain(&self, pairs: &[PresentPair<'_>]) -> Result<f64, Error> {
        let mut sum = 0.0;
        for (view, own) in self.views.iter().enumerate() {
            let edges = pairs.iter().filter_map(|([a, b], row, _)| {
                let ends = [own.places[*a as usize]?, own.places[*b as usize]?];
                (row[view] != 0.0).then_some((ends, row[view]))
            });
            sum += gain_of(own.n_nodes, &edges.collect::<Vec<_>>(), &own.correlations)?;
        }
        Ok(sum / self.views.len() as f64)
    }
}

impl Own {
    fn new(half: &Views, view: usize, ranks: &[u32]) -> Self {
        let mut nodes: Vec<usize> = half.membership().nodes_of(view).collect();
        nodes.sort_by_key(|&node| ranks[node]);
        let mut places = vec![None; half.n_nodes()];
        for (place, &node) in nodes.iter().enumerate() {
            places[ranks[node] as usize] = Some(place as u32);
        }
        let signals: Vec<Vec<f64>> = nodes.iter().map(|&node| unit(half.view(view).node(node))).collect();
        let n_samples = signals.first().map_or(0, Vec::len);
        let signals = Mat::from_fn(n_samples, nodes.len(), |sample, node| signals[node][sample]);
        let product = signals.transpose() * &signals;
        let n = nodes.len();
        Self {
            places,
            n_nodes: n,
            correlations: (0..n * n).map(|k| product[(k / n, k % n)]).collect(),
        }
    }
}

/// A signal with mean 0 and norm 1.
fn unit(signal: &[f64]) -> Vec<f64> {
    let mean = signal.iter().sum::<f64>() / signal.len() as f64;
    let norm = signal.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt();
    signal.iter().map(|x| (x - mean) / norm).collect()
}

/// The cell with the highest gain, and the one that is chosen: of the cells that keep so large a share of it, or a larger one
/// where it is weak, the sparsest density, and there the highest gain.
pub(super) fn choose(cells: &[Cell], gains: &[f64], keep: f64) -> Option<[usize; 2]> {
    let higher = |i: &usize, j: &usize| gains[*i].total_cmp(&gains[*j]);
    let best = (0..cells.len()).max_by(higher)?;
    let lost = (1.0 - keep) * gains[best] * (gains[best] / WEAK).clamp(0.0, 1.0);
    let kept = |&k: &usize| gains[k] >= gains[best] - lost;
    let sparsest = (0..cells.len())
        .filter(kept)
        .map(|k| cells[k].density.target)
        .fold(f64::INFINITY, f64::min);
    let there = (0..cells.len()).filter(|&k| cells[k].density.target == sparsest);
    let chosen = there.filter(kept).max_by(higher)?;
    Some([best, chosen])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::smooth::Parameters;
    use crate::tune::Reach;

    fn cell(density: f64) -> Cell {
        let reach = |value: f64| Reach { target: value, value };
        Cell {
            density: reach(density),
            similarity: reach(0.8),
            floor: 0.5,
            separate_alpha: 1.0,
            parameters: Parameters {
                alpha: 1.0,
                beta: 1.0,
                gamma: 0.0,
            },
            consensus_density: density,
            n_components: 1,
            solves: 1,
            time: std::time::Duration::ZERO,
        }
    }

    #[test]
    fn of_strong_gains_some_is_given_away_for_a_sparser_graph_and_of_weak_ones_next_to_nothing() {
        let cells = [0.1, 0.2, 0.3].map(cell);
        let gains = [0.90, 0.96, 1.0];
        let of = |size: f64| choose(&cells, &gains.map(|gain| size * gain), KEEP);
        assert_eq!(of(1.0), Some([2, 1]));
        assert_eq!(of(WEAK), Some([2, 1]));
        assert_eq!(of(0.1 * WEAK), Some([2, 2]));
        // Where no graph is any gain, the least loss is taken.
        assert_eq!(choose(&cells, &[-0.3, -0.1, -0.2], KEEP), Some([1, 1]));
    }
}
