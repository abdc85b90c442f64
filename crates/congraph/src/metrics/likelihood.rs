//! How likely data are on a graph, compared with independent nodes.
//!
//! Smooth signals are Gaussian with the precision matrix c (L + δ I): L is the graph's Laplacian, c and δ > 0 a scale
//! and the share of every node that is its own. With the correlation matrix S of n nodes, and c and δ at their best for
//! the data,
//!
//! ```text
//! gain = ½ max_δ { mean_k ln(λ_k + δ) − ln(tr(S L)/n + δ) }      λ_k the eigenvalues of L,  tr(S L) = Σ_e w_e D_e
//! ```
//!
//! is the mean log-likelihood of a node's value, in nats, above that of independent nodes (δ → ∞, where it is 0).
//! Neither the scale of the weights nor that of the data matters. Unlike total variation it can choose a density: a
//! graph without edges has gain 0, and one with edges that the data do not ask for has a smaller determinant than these
//! are worth.
//!
//! On a signed graph L = diag(Σ|w|) − W, tr(S L) = Σ_e |w_e| D_e, and D_e = ‖x_a + x_b‖² where w_e < 0.
//!
//! Cost: one eigendecomposition, O(n³), and the distances along the edges.

use faer::{Mat, Side};

use super::names::{Sides, match_names, matched_pairs};
use super::variation::{distances, opposite};
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::signals::{DistanceNorm, SampleNorm, Scale, Scaling};
use crate::views::Views;

/// ln δ is looked for between these.
const RANGE: [f64; 2] = [-16.0, 16.0];
/// First on so many points, then between the neighbours of the best.
const POINTS: usize = 65;
const STEPS: usize = 40;

/// The gain of every view's data on one graph, given by its weights on the pairs of `graph`.
///
/// Nodes are matched by name; the views of the data may be any.
///
/// # Errors
/// [`Error::Data`] with [`Code::E02`](crate::Code::E02) if graph and data do not have the same nodes, in whatever
/// order; [`Error::Invalid`] if the graph has negative weights and the data are not signals, or if the graph's
/// eigenvalues cannot be computed. A view that lacks nodes is judged on the graph among those that it has.
///
/// ```
/// use congraph::metrics::log_likelihood;
/// use congraph::simulate::{Settings, simulate};
/// use congraph::{ViewOptions, Views};
///
/// let simulation = simulate(&Settings { n_nodes: 30, ..Settings::default() })?;
/// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
/// let truth = &simulation.truth;
/// let gains = log_likelihood(truth, truth.consensus().unwrap(), &views)?;
/// assert!(gains.iter().all(|&gain| gain > 0.05));
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn log_likelihood(graph: &MultiviewGraph, weights: &[f64], data: &Views) -> Result<Vec<f64>, Error> {
    let mut errors = Vec::new();
    let node_of = match_names("nodes", graph.nodes(), data.nodes(), &Sides::DATA, &mut errors);
    if !errors.is_empty() {
        return Err(Error::Data(errors));
    }
    let pairs = matched_pairs(graph.pairs(), &node_of);
    let correlations = Scaling {
        scale: Scale::Zscore,
        sample_norm: SampleNorm::Mean,
        distance_norm: DistanceNorm::None,
    };
    let (distances, _) = distances(data, &correlations, &pairs)?;
    let is_signed = weights.iter().any(|&weight| weight < 0.0);
    let opposite = is_signed.then(|| opposite(data, &correlations, &pairs)).transpose()?;
    let opposite = opposite.as_ref().unwrap_or(&distances);
    let whole = if data.membership().is_total() {
        let edges = graph.pairs().iter().copied().zip(weights.iter().copied());
        Some(eigenvalues(graph.n_nodes(), edges)?)
    } else {
        None
    };
    let gain = |view: usize| {
        let has = |pair: &[u32; 2]| pair.iter().all(|&node| data.has(view, node as usize));
        let costs = distances
            .column(view)
            .zip(opposite.column(view))
            .zip(weights)
            .zip(&pairs);
        let costs = costs.filter(|(_, pair)| has(pair)).map(|(cost, _)| cost);
        let cost = |((apart, opposite), &w): ((f64, f64), &f64)| if w < 0.0 { opposite * -w } else { apart * w };
        let variation = costs.map(cost).sum::<f64>();
        match &whole {
            Some(eigenvalues) => Ok(best_gain(eigenvalues, variation / graph.n_nodes() as f64)),
            None => {
                let own = among(data, view, &pairs, weights);
                let n_own = data.membership().n_nodes_of(view);
                Ok(best_gain(
                    &eigenvalues(n_own, own.into_iter())?,
                    variation / n_own as f64,
                ))
            }
        }
    };
    (0..data.n_views()).map(gain).collect()
}

/// The edges among the nodes that a view has, by their places among these.
fn among(data: &Views, view: usize, pairs: &[[u32; 2]], weights: &[f64]) -> Vec<([u32; 2], f64)> {
    let mut place = vec![None; data.n_nodes()];
    let own = (0..data.n_nodes()).filter(|&node| data.has(view, node));
    own.enumerate().for_each(|(k, node)| place[node] = Some(k as u32));
    let placed = |(&[a, b], &weight): (&[u32; 2], &f64)| Some(([place[a as usize]?, place[b as usize]?], weight));
    pairs.iter().zip(weights).filter_map(placed).collect()
}

/// The precision c (L + δI) of one view's graph that suits a correlation matrix best, row after row.
///
/// # Errors
/// [`Error::Invalid`] if the graph's eigenvalues cannot be computed.
///
/// # Panics
/// If the matrix does not have n² entries.
pub fn best_precision(graph: &MultiviewGraph, view: usize, correlations: &[f64]) -> Result<Vec<f64>, Error> {
    let n = graph.n_nodes();
    assert_eq!(correlations.len(), n * n, "n² entries");
    let weights: Vec<f64> = graph.weights().column(view).collect();
    let eigenvalues = eigenvalues(n, graph.pairs().iter().copied().zip(weights.iter().copied()))?;
    let mut precision = vec![0.0; n * n];
    let mut variation = 0.0;
    for (&[a, b], &weight) in graph.pairs().iter().zip(&weights) {
        let (a, b) = (a as usize, b as usize);
        // Of a signed graph: a negative edge joins a node with the other's opposite.
        variation += 2.0 * (weight.abs() - weight * correlations[a * n + b]);
        precision[a * n + b] = -weight;
        precision[b * n + a] = -weight;
        precision[a * n + a] += weight.abs();
        precision[b * n + b] += weight.abs();
    }
    let variation = variation / n as f64;
    let ln_delta = best_delta(&eigenvalues, variation);
    let delta = ln_delta.exp();
    let scale = 1.0 / (variation + delta);
    for a in 0..n {
        precision[a * n + a] += delta;
    }
    precision.iter_mut().for_each(|x| *x *= scale);
    Ok(precision)
}

/// The gain of data with a correlation matrix, row after row, on the graph of these edges, each pair a < b once.
///
/// # Errors
/// [`Error::Invalid`] if the graph's eigenvalues cannot be computed.
pub(crate) fn gain_of(n_nodes: usize, edges: &[([u32; 2], f64)], correlations: &[f64]) -> Result<f64, Error> {
    let cost = |&([a, b], weight): &([u32; 2], f64)| {
        let correlation = correlations[a as usize * n_nodes + b as usize];
        2.0 * (weight.abs() - weight * correlation)
    };
    let variation = edges.iter().map(cost).sum::<f64>();
    let eigenvalues = eigenvalues(n_nodes, edges.iter().copied())?;
    Ok(best_gain(&eigenvalues, variation / n_nodes as f64))
}

fn eigenvalues(n_nodes: usize, edges: impl Iterator<Item = ([u32; 2], f64)>) -> Result<Vec<f64>, Error> {
    let mut laplacian = Mat::<f64>::zeros(n_nodes, n_nodes);
    for ([a, b], weight) in edges {
        let (a, b) = (a as usize, b as usize);
        laplacian[(b, a)] -= weight;
        laplacian[(a, a)] += weight.abs();
        laplacian[(b, b)] += weight.abs();
    }
    let values = laplacian.self_adjoint_eigenvalues(Side::Lower);
    values.map_err(|_| Error::Invalid {
        what: "graph",
        message: "has weights whose Laplacian has no eigenvalues in f64".into(),
    })
}

/// ½ max over δ, never below that of independent nodes.
fn best_gain(eigenvalues: &[f64], variation: f64) -> f64 {
    gain_at(eigenvalues, variation, best_delta(eigenvalues, variation)).max(0.0)
}

fn gain_at(eigenvalues: &[f64], variation: f64, ln_delta: f64) -> f64 {
    let delta = ln_delta.exp();
    // Eigenvalues of a Laplacian are not negative; computed ones may be, by rounding.
    let determinant = eigenvalues
        .iter()
        .map(|value| (value.max(0.0) + delta).ln())
        .sum::<f64>();
    0.5 * (determinant / eigenvalues.len() as f64 - (variation + delta).ln())
}

/// The best ln δ.
fn best_delta(eigenvalues: &[f64], variation: f64) -> f64 {
    let gain = |ln_delta: f64| gain_at(eigenvalues, variation, ln_delta);
    let step = (RANGE[1] - RANGE[0]) / (POINTS - 1) as f64;
    let at = |k: usize| RANGE[0] + step * k as f64;
    let best = (0..POINTS)
        .map(at)
        .max_by(|x, y| gain(*x).total_cmp(&gain(*y)))
        .unwrap_or(RANGE[1]);
    let (mut low, mut high) = (best - step, best + step);
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        if gain(low + third) < gain(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    let middle = 0.5 * (low + high);
    if gain(middle) >= gain(best) { middle } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Settings, simulate};
    use crate::views::ViewOptions;

    #[test]
    fn two_nodes_by_hand() {
        // L has the eigenvalues 0 and 2w; with correlation r, tr(S L) = 2w (1 − r). The best likelihood of two
        // correlated nodes is that of their own correlation matrix: −½ ln(1 − r²) in all, half of it for each.
        for r in [0.2, 0.9] {
            let found = best_gain(&[0.0, 2.0], 1.0 - r);
            assert!((found + 0.25 * (1.0 - r * r).ln()).abs() < 1e-9, "{found}");
        }
        assert_eq!(best_gain(&[0.0, 0.0], 0.0), 0.0);
    }

    #[test]
    fn data_turned_round_are_as_likely_on_the_graph_of_the_other_sign() {
        let simulation = simulate(&Settings {
            n_nodes: 12,
            n_views: 1,
            ..Settings::default()
        })
        .unwrap();
        let truth = &simulation.truth;
        let weights: Vec<f64> = truth.weights().column(0).collect();
        let gain = |tables, weights: &[f64]| {
            let (views, _) = Views::assemble(tables, &ViewOptions::default()).unwrap();
            log_likelihood(truth, weights, &views).unwrap()[0]
        };
        let plain = gain(simulation.tables.clone(), &weights);
        let mut turned = simulation.tables.clone();
        for (k, value) in turned[0].values.iter_mut().enumerate() {
            *value *= if k % 12 < 4 { -1.0 } else { 1.0 };
        }
        // Names may be in another order than columns, so that the nodes are told by name.
        let is_turned = |node: u32| {
            let columns = turned[0].column_names.as_ref().unwrap();
            columns
                .iter()
                .position(|name| *name == truth.nodes()[node as usize])
                .unwrap()
                < 4
        };
        let flipped: Vec<f64> = truth
            .pairs()
            .iter()
            .zip(&weights)
            .map(|(&[a, b], &weight)| if is_turned(a) == is_turned(b) { weight } else { -weight })
            .collect();
        assert!(flipped.iter().any(|&weight| weight < 0.0));
        let found = gain(turned.clone(), &flipped);
        assert!(plain > 0.05 && (found - plain).abs() < 1e-9, "{plain} {found}");
        assert!(gain(turned.clone(), &weights) < plain - 0.01);
    }

    #[test]
    fn the_true_graph_is_likelier_than_one_with_other_edges_and_scales_do_not_matter() {
        let simulation = simulate(&Settings {
            n_nodes: 30,
            n_views: 2,
            ..Settings::default()
        })
        .unwrap();
        let truth = &simulation.truth;
        let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default()).unwrap();
        let own: Vec<f64> = truth.weights().column(0).collect();
        let other: Vec<f64> = truth.weights().column(1).collect();
        let gain = |weights: &[f64]| log_likelihood(truth, weights, &views).unwrap()[0];
        assert!(gain(&own) > gain(&other) && gain(&other) > 0.0);
        let doubled: Vec<f64> = own.iter().map(|weight| 2.0 * weight).collect();
        assert!((gain(&own) - gain(&doubled)).abs() < 1e-9);
    }
}
