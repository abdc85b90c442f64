//! How smooth data are on learned graphs, for which no truth is needed.
//!
//! ```text
//! total variation   tr(XᵀLX) = Σ_e w_e D_e                     (eq:smoothness), D_e = ‖x_a − x_b‖²
//! relative          (Σ_e w_e D_e / Σ_e w_e) / mean_e D_e       mean distance along an edge over that of any two nodes
//! ```
//!
//! X are the signals scaled as for learning; with means over samples, a signal's. The total grows with the weights, the
//! scale of the data and, summed, with the number of signals. The relative one does not: it is 1 on the complete graph
//! of equal weights, about 1 on a graph that has nothing to do with the data, and smaller on a better one. Neither can
//! choose a density: the sparser graph has the shorter edges. Pairs that a view of the data lacks do not count in it.
//! On a signed graph L = diag(Σ|w|) − W: |w| takes the place of w, and D_e = ‖x_a + x_b‖² where w_e < 0.
//! The mean over all pairs, of ‖x_a − x_b‖², is 2/(n − 1) Σ_a ‖x_a − x̄‖², so the cost is that of the edges' distances.

use super::names::{Sides, match_names, matched_pairs};
use crate::distances::all_from_products;
use crate::edges::{Edges, ViewMatrix, complete_index};
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::signals::{Scaling, Signals};
use crate::views::{Kind, Views};

/// How much signals vary along the edges of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TotalVariation {
    /// tr(XᵀLX); 0 for a graph without edges.
    pub total: f64,
    /// The mean distance along an edge, weighed by the weights, over that between any two nodes; none if there is no
    /// edge or if all signals are equal.
    pub relative: Option<f64>,
}

/// The total variation of the data on all graphs of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothness {
    /// The data of each view on its own graph, with the view's name, in the order of the graph's views.
    pub views: Vec<(String, TotalVariation)>,
    /// The mean over the views of their data on the consensus graph, if there is one.
    pub consensus: Option<TotalVariation>,
}

impl Smoothness {
    /// The mean over the views.
    pub fn mean_view(&self) -> TotalVariation {
        mean(self.views.iter().map(|(_, variation)| *variation))
    }
}

/// The total variation of data, such as samples that were held out, on learned graphs.
///
/// The data are scaled as `scaling` says, but not divided by the largest distance.
///
/// # Errors
/// [`Error::Data`] with [`Code::E02`](crate::Code::E02) if graphs and data do not have the same nodes or views, in
/// whatever order; as [`Distances::from_views`](crate::Distances::from_views) for precomputed matrices;
/// [`Error::Invalid`] for those if the graphs are signed.
///
/// ```
/// use congraph::metrics::total_variation;
/// use congraph::simulate::{Settings, simulate};
/// use congraph::{Scaling, ViewOptions, Views};
///
/// let simulation = simulate(&Settings::default())?;
/// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
/// let smoothness = total_variation(&simulation.truth, &views, &Scaling::default())?;
/// assert!(smoothness.mean_view().relative.unwrap() < 0.9);
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn total_variation(graph: &MultiviewGraph, data: &Views, scaling: &Scaling) -> Result<Smoothness, Error> {
    let mut errors = Vec::new();
    let node_of = match_names("nodes", graph.nodes(), data.nodes(), &Sides::DATA, &mut errors);
    let view_of = match_names("views", graph.views(), &data.names(), &Sides::DATA, &mut errors);
    if !errors.is_empty() {
        return Err(Error::Data(errors));
    }
    let pairs = matched_pairs(graph.pairs(), &node_of);
    let (distances, means) = distances(data, scaling, &pairs)?;
    let opposite = graph.is_signed().then(|| opposite(data, scaling, &pairs)).transpose()?;
    let opposite = opposite.as_ref().unwrap_or(&distances);
    let has = |view: usize, pair: &[u32; 2]| data.membership().has_pair(view, *pair);
    let on = |weights: &mut dyn Iterator<Item = f64>, view: usize| {
        let (mut total, mut weight) = (0.0, 0.0);
        for ((w, (row, opposite)), _) in weights
            .zip(distances.rows().zip(opposite.rows()))
            .zip(&pairs)
            .filter(|(_, pair)| has(view, pair))
        {
            total += w.abs() * if w < 0.0 { opposite[view] } else { row[view] };
            weight += w.abs();
        }
        let relative = total / weight / means[view];
        TotalVariation {
            total,
            relative: relative.is_finite().then_some(relative),
        }
    };
    let views = graph.views().iter().zip(&view_of).enumerate();
    Ok(Smoothness {
        views: views
            .map(|(view, (name, &place))| (name.clone(), on(&mut graph.weights().column(view), place)))
            .collect(),
        consensus: graph.consensus().map(|consensus| {
            let each = (0..data.n_views()).map(|view| on(&mut consensus.iter().copied(), view));
            mean(each)
        }),
    })
}

/// How far the signals of the pairs are from each other's opposites in each view: ‖x_a + x_b‖².
pub(super) fn opposite(data: &Views, scaling: &Scaling, pairs: &[[u32; 2]]) -> Result<ViewMatrix, Error> {
    if data.kind() != Kind::Signals {
        return Err(Error::Invalid {
            what: "data",
            message: "are matrices of products, and the graphs have negative weights: how smooth data are on these is \
                      told from signals only"
                .into(),
        });
    }
    let signals = Signals::new(data, scaling);
    let mut found = ViewMatrix::with_capacity(pairs.len(), data.n_views());
    for pair in pairs {
        let [a, b] = pair.map(|node| node as usize);
        let sum = |view: &crate::signals::ViewSignals| {
            let sums = view.node(a).iter().zip(view.node(b)).map(|(x, y)| x + y);
            view.factor * sums.map(|sum| sum * sum).sum::<f64>()
        };
        found.push_row(&signals.views.iter().map(sum).collect::<Vec<_>>());
    }
    Ok(found)
}

/// The distances of the pairs in each view, and each view's mean over all pairs.
pub(super) fn distances(data: &Views, scaling: &Scaling, pairs: &[[u32; 2]]) -> Result<(ViewMatrix, Vec<f64>), Error> {
    let n = data.n_nodes();
    if data.kind() == Kind::Signals {
        let signals = Signals::new(data, scaling);
        let mean_distance = |(index, view): (usize, &crate::signals::ViewSignals)| {
            let own: Vec<usize> = (0..n).filter(|&node| data.has(index, node)).collect();
            let n = own.len();
            let mut centre = vec![0.0; view.n_samples];
            for &node in &own {
                for (centre, value) in centre.iter_mut().zip(view.node(node)) {
                    *centre += value / n as f64;
                }
            }
            let squared = |node: usize| -> f64 {
                let differences = view
                    .node(node)
                    .iter()
                    .zip(&centre)
                    .map(|(value, centre)| value - centre);
                differences.map(|difference| difference * difference).sum()
            };
            2.0 * view.factor * own.into_iter().map(squared).sum::<f64>() / (n - 1) as f64
        };
        let means = signals.views.iter().enumerate().map(mean_distance).collect();
        return Ok((signals.distances(pairs), means));
    }
    let all = all_from_products(data, scaling)?;
    let mut chosen = ViewMatrix::with_capacity(pairs.len(), data.n_views());
    for &[a, b] in pairs {
        chosen.push_row(all.row(complete_index(n, a as usize, b as usize)));
    }
    let membership = data.membership();
    if membership.is_total() {
        let n_pairs = all.n_rows() as f64;
        return Ok((chosen, all.column_sums().iter().map(|sum| sum / n_pairs).collect()));
    }
    let edges = Edges::complete(n);
    let mean = |view: usize| {
        let own = all
            .column(view)
            .zip(edges.pairs())
            .filter(|(_, pair)| membership.has_pair(view, **pair));
        own.map(|(distance, _)| distance).sum::<f64>() / membership.n_pairs_of(view) as f64
    };
    Ok((chosen, (0..data.n_views()).map(mean).collect()))
}

/// The mean; none of the relative ones that is not defined counts.
fn mean(variations: impl Iterator<Item = TotalVariation>) -> TotalVariation {
    let variations: Vec<TotalVariation> = variations.collect();
    let relative: Vec<f64> = variations.iter().filter_map(|variation| variation.relative).collect();
    TotalVariation {
        total: variations.iter().map(|variation| variation.total).sum::<f64>() / variations.len() as f64,
        relative: (!relative.is_empty()).then(|| relative.iter().sum::<f64>() / relative.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::views::{Table, ViewOptions};

    const NODES: [&str; 4] = ["a", "b", "c", "d"];

    /// Two views of three samples on four nodes.
    fn data(options: &ViewOptions) -> Views {
        let table = |name: &str, values: [f64; 12]| Table::new(name, 4, values.to_vec()).with_columns(NODES);
        let tables = vec![
            table("x", [1.0, 2.0, 0.5, -1.0, 0.0, 3.0, 1.5, -2.0, 4.0, 1.0, -1.5, 2.5]),
            table("y", [0.1, -2.0, 0.5, 1.0, 7.0, 3.5, 1.5, -2.0, -4.0, 1.0, 1.5, 0.5]),
        ];
        Views::assemble(tables, options).unwrap().0
    }

    fn graph(pairs: &[[u32; 2]], weights: &[f64], consensus: &[f64]) -> MultiviewGraph {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        // Nodes and views in another order than the data's.
        let weights = ViewMatrix::from_values(2, weights.to_vec());
        MultiviewGraph::new(
            names(&["d", "a", "c", "b"]),
            names(&["y", "x"]),
            pairs,
            &weights,
            Some(consensus),
        )
    }

    #[test]
    fn it_is_the_trace_of_the_laplacian_and_the_scaled_signals() {
        let data = data(&ViewOptions::default());
        // d–a in y only, a–c in both, c–b in x only.
        let graph = graph(
            &[[0, 1], [1, 2], [2, 3]],
            &[2.0, 0.0, 0.5, 1.5, 0.0, 1.0],
            &[1.0, 1.0, 0.0],
        );
        let found = total_variation(&graph, &data, &Scaling::RAW).unwrap();
        // The Laplacians over a, b, c, d.
        let of_y = [
            [2.5, 0.0, -0.5, -2.0],
            [0.0; 4],
            [-0.5, 0.0, 0.5, 0.0],
            [-2.0, 0.0, 0.0, 2.0],
        ];
        let of_x = [
            [1.5, 0.0, -1.5, 0.0],
            [0.0, 1.0, -1.0, 0.0],
            [-1.5, -1.0, 2.5, 0.0],
            [0.0; 4],
        ];
        let trace = |laplacian: &[[f64; 4]; 4], view: usize| -> f64 {
            let view = data.view(view);
            let product = |a: usize, b: usize| view.node(a).iter().zip(view.node(b)).map(|(x, y)| x * y).sum::<f64>();
            (0..16).map(|k| laplacian[k / 4][k % 4] * product(k / 4, k % 4)).sum()
        };
        assert_eq!((&*found.views[0].0, &*found.views[1].0), ("y", "x"));
        assert!((found.views[0].1.total - trace(&of_y, 1)).abs() < 1e-12);
        assert!((found.views[1].1.total - trace(&of_x, 0)).abs() < 1e-12);
        let complete = [
            [3.0, -1.0, -1.0, -1.0],
            [-1.0, 3.0, -1.0, -1.0],
            [-1.0, -1.0, 3.0, -1.0],
            [-1.0, -1.0, -1.0, 3.0],
        ];
        let mean = trace(&complete, 1) / 6.0;
        assert!((found.views[0].1.relative.unwrap() - trace(&of_y, 1) / 2.5 / mean).abs() < 1e-13);
        let of_consensus = [
            [2.0, 0.0, -1.0, -1.0],
            [0.0; 4],
            [-1.0, 0.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0, 1.0],
        ];
        let expected = 0.5 * (trace(&of_consensus, 0) + trace(&of_consensus, 1));
        assert!((found.consensus.unwrap().total - expected).abs() < 1e-12);
    }

    #[test]
    fn on_negative_edges_it_is_that_of_the_signed_laplacian() {
        let data = data(&ViewOptions::default());
        // d–a is negative in y, a–c in x; the consensus has both signs.
        let graph = graph(&[[0, 1], [1, 2]], &[-2.0, 0.0, 0.5, -1.5], &[1.0, -1.0]);
        let found = total_variation(&graph, &data, &Scaling::RAW).unwrap();
        // The signed Laplacians over a, b, c, d.
        let of_y = [
            [2.5, 0.0, -0.5, 2.0],
            [0.0; 4],
            [-0.5, 0.0, 0.5, 0.0],
            [2.0, 0.0, 0.0, 2.0],
        ];
        let of_consensus = [
            [2.0, 0.0, 1.0, -1.0],
            [0.0; 4],
            [1.0, 0.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0, 1.0],
        ];
        let trace = |laplacian: &[[f64; 4]; 4], view: usize| -> f64 {
            let view = data.view(view);
            let product = |a: usize, b: usize| view.node(a).iter().zip(view.node(b)).map(|(x, y)| x * y).sum::<f64>();
            (0..16).map(|k| laplacian[k / 4][k % 4] * product(k / 4, k % 4)).sum()
        };
        assert!((found.views[0].1.total - trace(&of_y, 1)).abs() < 1e-12);
        let expected = 0.5 * (trace(&of_consensus, 0) + trace(&of_consensus, 1));
        assert!((found.consensus.unwrap().total - expected).abs() < 1e-12);
        let options = ViewOptions {
            kind: Kind::Gram,
            ..ViewOptions::default()
        };
        let gram = |name: &str| {
            let identity = (0..16).map(|k| f64::from(u8::from(k / 4 == k % 4))).collect();
            Table::new(name, 4, identity).with_columns(NODES)
        };
        let grams = Views::assemble(vec![gram("x"), gram("y")], &options).unwrap().0;
        let refused = total_variation(&graph, &grams, &Scaling::RAW).unwrap_err();
        assert!(refused.to_string().contains("negative weights"), "{refused}");
    }

    #[test]
    fn the_relative_one_is_1_on_the_complete_graph_whatever_the_scaling() {
        let pairs = crate::Edges::complete(4).pairs().to_vec();
        let graph = graph(&pairs, &[0.3; 12], &[7.0; 6]);
        for scaling in [Scaling::default(), Scaling::RAW] {
            let found = total_variation(&graph, &data(&ViewOptions::default()), &scaling).unwrap();
            assert!((found.mean_view().relative.unwrap() - 1.0).abs() < 1e-14);
            assert!((found.consensus.unwrap().relative.unwrap() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_graph_without_edges_has_none() {
        let found = total_variation(&graph(&[], &[], &[]), &data(&ViewOptions::default()), &Scaling::RAW).unwrap();
        let nothing = TotalVariation {
            total: 0.0,
            relative: None,
        };
        assert_eq!(found.consensus, Some(nothing));
        assert_eq!(found.mean_view(), nothing);
    }

    #[test]
    fn products_give_the_same_as_signals() {
        let signals = data(&ViewOptions::default());
        let gram = |view: usize, name: &str| {
            let node = |a| signals.view(view).node(a);
            let product = |k: usize| node(k / 4).iter().zip(node(k % 4)).map(|(x, y)| x * y).sum();
            Table::new(name, 4, (0..16).map(product).collect()).with_columns(NODES)
        };
        let options = ViewOptions {
            kind: Kind::Gram,
            ..ViewOptions::default()
        };
        let grams = Views::assemble(vec![gram(0, "x"), gram(1, "y")], &options).unwrap().0;
        let graph = graph(&[[0, 1], [1, 3]], &[2.0, 0.1, 0.5, 1.5], &[1.0, 1.0]);
        let [one, other] = [&signals, &grams].map(|data| total_variation(&graph, data, &Scaling::RAW).unwrap());
        for ((_, one), (_, other)) in one.views.iter().zip(&other.views) {
            assert!((one.total - other.total).abs() < 1e-12);
            assert!((one.relative.unwrap() - other.relative.unwrap()).abs() < 1e-13);
        }
    }

    #[test]
    fn other_names_are_refused() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let other = MultiviewGraph::new(
            names(&["a", "b", "c", "e"]),
            names(&["x", "y"]),
            &[],
            &ViewMatrix::zeros(0, 2),
            None,
        );
        let Err(Error::Data(errors)) = total_variation(&other, &data(&ViewOptions::default()), &Scaling::RAW) else {
            panic!("accepted");
        };
        assert_eq!((errors.len(), errors[0].code), (1, Code::E02));
        assert!(
            errors[0]
                .what
                .ends_with("only the graphs have `e`, only the data have `d`"),
            "{}",
            errors[0].what
        );
    }
}
