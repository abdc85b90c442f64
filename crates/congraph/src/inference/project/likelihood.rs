//! A new view against a consensus that the likelihood learned.

use std::collections::HashSet;
use std::time::Instant;

use super::matched::MatchedView;
use super::{Projection, Projector};
use crate::chance::Correlations;
use crate::edges::ViewMatrix;
use crate::edges::candidates::{Candidates, EdgeCost, tidy};
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::methods::likelihood::{Details, Likelihood, Solution};
use crate::progress::Watch;
use crate::views::Views;

/// How the consensus was learned.
#[derive(Clone, Debug)]
pub(super) struct LikelihoodFit {
    pub(super) method: Likelihood,
    pub(super) details: Details,
}

impl LikelihoodFit {
    pub(super) fn project_one(
        &self,
        projector: &Projector,
        views: &Views,
        view: usize,
        matched: &MatchedView,
        watch: Watch<'_>,
    ) -> Result<Projection, Error> {
        let clock = Instant::now();
        let one = views.single(view, &matched.in_view);
        let consensus = matched.sorted_pairs(&projector.pairs, &projector.weights);
        let method = Likelihood {
            candidates: match &projector.candidates {
                Candidates::Listed(pairs) => {
                    let mut own = matched.own_pairs(&tidy(pairs, projector.nodes.len())?);
                    own.extend(consensus.iter().map(|&(pair, _)| pair));
                    Candidates::Listed(own)
                }
                other => other.clone(),
            },
            edge_costs: own_costs(&projector.edge_costs, matched),
            ..self.method.clone()
        };
        let distances_time = clock.elapsed();
        let clock = Instant::now();
        let solution = method.frozen(&one, &self.details, &consensus, watch)?;
        let name = views.view(view).name();
        let noise = Correlations::of(&one).as_ref().and_then(Correlations::warning);
        let warnings = [matched.absent(&projector.nodes, views), solution.warning(), noise];
        Ok(Projection {
            graph: graph(projector, name, &solution, &consensus, matched),
            certificate: solution.certificate,
            status: solution.status,
            iterations: solution.iterations,
            distances_time,
            solve_time: clock.elapsed(),
            warnings: warnings
                .into_iter()
                .flatten()
                .map(|warning| warning.in_view(name))
                .collect(),
        })
    }
}

/// The costs of pairs that the view has, by its own nodes.
fn own_costs(costs: &[EdgeCost], matched: &MatchedView) -> Vec<EdgeCost> {
    let own = |cost: &EdgeCost| {
        let [pair] = matched.own_pairs(&[cost.pair])[..] else {
            return None;
        };
        Some(EdgeCost { pair, cost: cost.cost })
    };
    costs.iter().filter_map(own).collect()
}

/// The view's weights beside the consensus, with nodes in the order of the consensus.
fn graph(
    projector: &Projector,
    name: &str,
    solution: &Solution,
    consensus: &[([u32; 2], f64)],
    matched: &MatchedView,
) -> MultiviewGraph {
    let (mut pairs, mut values, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for (pair, row, _) in solution.pairs() {
        let known = consensus.binary_search_by_key(&pair, |(pair, _)| *pair);
        let [a, b] = pair.map(|node| matched.given[node as usize]);
        seen.insert([a.min(b), a.max(b)]);
        pairs.push([a.min(b), a.max(b)]);
        values.push(row[0]);
        weights.push(known.map_or(0.0, |k| consensus[k].1));
    }
    for (&pair, &weight) in projector.pairs.iter().zip(&projector.weights) {
        if let Some(pair) = matched.kept_pair(pair).filter(|pair| !seen.contains(pair)) {
            pairs.push(pair);
            values.push(0.0);
            weights.push(weight);
        }
    }
    let nodes = matched.kept.iter().map(|&node| projector.nodes[node].clone()).collect();
    let values = ViewMatrix::from_values(1, values);
    MultiviewGraph::new(nodes, vec![name.to_owned()], &pairs, &values, Some(&weights))
        .with_membership(matched.membership())
}
