//! Warnings about a fit.

use super::method::Smooth;
use super::negative;
use super::solver::Solution;
use crate::chance::{self, Correlations};
use crate::distances::Distances;
use crate::edges::{ViewMatrix, pair_of};
use crate::error::{Warning, list_names};
use crate::findings::outliers;
use crate::graph::MultiviewGraph;
use crate::methods::FitContext;
use crate::parallel::simd::vectorised;
use crate::signals::Scaling;
use crate::views::Views;

/// All of it, the most important first.
pub(super) fn of_fit(method: &Smooth, told: &FitContext<'_, Smooth>) -> Vec<Warning> {
    let FitContext {
        views,
        model,
        solution,
        graph,
        correlations,
        ..
    } = told;
    // What is said of the data is said of the signals as they were measured.
    let measured = measured_distances(method, views, &solution.distances);
    let distances = measured.as_ref().unwrap_or(&solution.distances);
    let mut warnings: Vec<Warning> = of_convergence(solution).into_iter().collect();
    warnings.extend(match correlations {
        Some(found) => found.warning(),
        None => Some(chance::unjudged(views)),
    });
    warnings.extend(of_data(views, distances, &method.scaling));
    warnings.extend(of_components(graph, model.parameters.gamma, true));
    // Of noise, no view is further from the truth than another.
    if correlations.is_none_or(Correlations::is_beyond_chance) {
        warnings.extend(of_outliers(graph));
    }
    if !method.signed {
        let has_costs = !method.edge_costs.is_empty();
        warnings.extend(negative::warning(views, distances, &method.scaling, has_costs));
    }
    warnings
}

/// The distances of the same pairs from the signals as they were measured, where the fit saw others.
fn measured_distances(method: &Smooth, views: &Views, seen: &Distances) -> Option<Distances> {
    if method.spectrum.is_plain() {
        return None;
    }
    let edges = seen.edges();
    let measured = if edges.is_complete() {
        Distances::from_views(views, &method.scaling)
    } else {
        Distances::of_pairs(views, &method.scaling, edges.pairs().to_vec())
    };
    measured.ok()
}

/// Nodes this much closer than a view's mean distance, or than unrelated z-scored signals are, carry the same signal
/// twice.
const SAME_SIGNAL: f64 = 1e-4;

pub(crate) fn of_convergence(solution: &Solution) -> Option<Warning> {
    (!solution.converged()).then(|| {
        Warning::new(
            "W01",
            format!(
                "not converged: {} after {} iteration{} at a relative gap of {:.1e}; the weights are feasible, but the \
                 objective may be that far from the best one",
                solution.status,
                solution.iterations,
                if solution.iterations == 1 { "" } else { "s" },
                solution.certificate.relative_gap
            ),
        )
    })
}

/// Each view's mean distance, over the pairs that it has.
fn own_means(values: &ViewMatrix) -> Vec<f64> {
    let mut sums = vec![0.0; values.n_views()];
    let mut counts = vec![0.0; values.n_views()];
    vectorised(
        #[inline(always)]
        || {
            for row in values.rows() {
                for ((sum, count), &distance) in sums.iter_mut().zip(&mut counts).zip(row) {
                    let is_own = distance < f64::INFINITY;
                    *sum += if is_own { distance } else { 0.0 };
                    *count += if is_own { 1.0 } else { 0.0 };
                }
            }
        },
    );
    sums.iter().zip(counts).map(|(sum, count)| sum / count).collect()
}

fn of_data(views: &Views, distances: &Distances, scaling: &Scaling) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut identical: Vec<Vec<usize>> = Vec::new();
    let values = distances.values();
    let means = own_means(values);
    // Where most nodes are nearly identical, their mean distance says nothing; z-scored signals have one that is known.
    let usual = |view: usize| scaling.unrelated(views.view(view)).unwrap_or(0.0) / distances.divisor();
    let near = |(view, mean): (usize, &f64)| SAME_SIGNAL * mean.max(usual(view));
    let limits: Vec<f64> = means.iter().enumerate().map(near).collect();
    let mut all_close = vec![Vec::new(); views.n_views()];
    for (row, &edge) in values.rows().zip(distances.edges().pairs()) {
        if row.iter().zip(&limits).any(|(distance, limit)| distance < limit) {
            let [a, b] = pair_of(edge).map(|node| views.nodes()[node as usize].as_str());
            let close = all_close.iter_mut().zip(row).zip(&limits);
            close
                .filter(|((_, distance), limit)| distance < limit)
                .for_each(|((close, _), _)| close.push(format!("{a}–{b}")));
        }
    }
    for (view, (close, &mean)) in all_close.iter().zip(&means).enumerate() {
        if !close.is_empty() {
            let cause = if views.are_electrodes() {
                "bridged electrodes or "
            } else {
                ""
            };
            let opposite = if distances.edges().is_signed() {
                " or opposite"
            } else {
                ""
            };
            let message = format!(
                "nearly identical{opposite} nodes ({}): {cause}the same signal twice? Their edge takes much of the weight",
                list_names(close)
            );
            warnings.push(Warning::new("W04", message).in_view(views.view(view).name()));
        }
        let is_same_as = |other: &usize| {
            let mut pairs = values.column(view).zip(values.column(*other));
            pairs.all(|(x, y)| (x - y).abs() <= 1e-12 * mean || x == y && x == f64::INFINITY) && mean > 0.0
        };
        match identical.iter_mut().find(|same| is_same_as(&same[0])) {
            Some(same) => same.push(view),
            None => identical.push(vec![view]),
        }
    }
    for same in identical.iter().filter(|same| same.len() > 1) {
        let names: Vec<&str> = same.iter().map(|&view| views.view(view).name()).collect();
        let message = format!(
            "the views {} are identical: the same data count {} in the consensus",
            list_names(&names),
            if same.len() == 2 {
                "twice".into()
            } else {
                format!("{} times", same.len())
            }
        );
        warnings.push(Warning::new("W12", message));
    }
    warnings
}

/// W07 for a graph without an edge, with isolated nodes, or (where the user did not choose its density) in several
/// components.
pub(crate) fn of_components(graph: &MultiviewGraph, gamma: f64, is_chosen: bool) -> Option<Warning> {
    let (n_components, isolated) = graph.components();
    if n_components == 1 || is_chosen && isolated.is_empty() {
        return None;
    }
    let subject = match (graph.consensus(), graph.n_views()) {
        (Some(_), _) => "the consensus",
        (None, 1) => "the graph",
        (None, _) => "the union of the graphs",
    };
    let sparse = graph.consensus().is_some() && gamma > 0.0;
    if isolated.len() == n_components {
        // Neither a larger alpha nor denser views bring it back: gamma outweighs what couples the views, or these share
        // nothing.
        let remedy = if sparse {
            "a smaller gamma, or a larger beta, lets edges in"
        } else {
            "a larger beta pulls the views together until they share edges"
        };
        return Some(Warning::new("W07", format!("{subject} has no edge; {remedy}")));
    }
    let names: Vec<&String> = isolated.iter().map(|&node| &graph.nodes()[node]).collect();
    let alone = match names.len() {
        0 => String::new(),
        1 => format!(", with one isolated node ({})", list_names(&names)),
        many => format!(", with {many} isolated nodes ({})", list_names(&names)),
    };
    let remedy = if sparse {
        "a higher density (a larger alpha), or a smaller gamma, joins more nodes"
    } else {
        "a higher density (a larger alpha) joins more nodes"
    };
    let message = format!("{subject} has {n_components} components{alone}; {remedy}");
    Some(Warning::new("W07", message))
}

/// W11 for each view that is far further from the consensus than the others.
fn of_outliers(graph: &MultiviewGraph) -> Vec<Warning> {
    let uniqueness: Vec<f64> = (0..graph.n_views()).filter_map(|view| graph.uniqueness(view)).collect();
    let (stands_out, middle) = outliers(&uniqueness);
    let warned = |(view, value): (usize, &f64)| {
        let message = format!("an outlier: uniqueness {value:.2}, against a median of {middle:.2}");
        Warning::new("W11", message).in_view(&graph.views()[view])
    };
    let outlying = uniqueness.iter().enumerate().filter(|(view, _)| stands_out[*view]);
    outlying.map(warned).collect()
}
