//! How parameters are chosen where a truth is known.
//!
//! Why the largest γ of equals: as long as no consensus weight is zero, the best consensus of an edge with weights v
//! and mean m costs √(β² − γ²/N) ‖v − m‖ + γ m, and the sum of all m is fixed by 1ᵀw^i = n. So γ does nothing to the
//! views that another β would not do, and with β chosen by correlation their F1 cannot tell any such γ from 0; it only
//! begins to change where γ makes the consensus sparse.

use std::sync::Arc;

use congraph::metrics::evaluate;
use congraph::penalties::L2;
use congraph::regularisers::{L1Norm, NoRegulariser};
use congraph::tune::{Dial, Targets};
use congraph::{Code, Coupling, Error, Fit, Model, MultiviewGraph, Parameters, Session, no_progress};

use super::grid;
use super::score::{Method, Score};

/// The correlation between views that the paper chooses β by.
pub(crate) const SIMILARITY: f64 = 0.8;
/// Where separate views are already more alike, coupling them adds this much.
const MORE_ALIKE: f64 = 0.01;
/// The densities of separate views between which the grid of α begins and ends, and how many there are.
const DENSITIES: [f64; 2] = [0.03, 0.4];
const N_ALPHAS: usize = 6;
/// The grid of γ, in shares of the β√N without r, at which the consensus would be empty if β stayed.
const SHARES: [f64; 8] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// View F1s this near are equal: what the tolerance of the correlation lets them differ by.
const EQUAL: f64 = 0.001;

/// How parameters are chosen where a truth is known.
pub(crate) struct Protocol<'a> {
    pub(crate) session: Session<'a>,
    pub(crate) truth: &'a MultiviewGraph,
    /// The correlation between views that β is chosen by.
    pub(crate) similarity: f64,
}

impl Protocol<'_> {
    fn alphas(&self) -> Vec<f64> {
        self.session.alphas(DENSITIES, N_ALPHAS)
    }

    /// svGL: α by best view F1.
    pub(crate) fn separate(&self) -> Result<Fit, Error> {
        let [single] = grid::search(&self.alphas(), |alpha, beside: Option<&Fit>| {
            let start = beside.map(Fit::start);
            let fit = self
                .session
                .fit(&Model::uncoupled(alpha), start.as_ref(), &no_progress)?;
            self.rated(fit).map(Some)
        })?;
        self.usable(single)
    }

    /// mvGL-ℓ1: α by best view F1, for each α the β of the correlation.
    pub(crate) fn coupled(&self) -> Result<Fit, Error> {
        let [one] = grid::search(&self.alphas(), |alpha, _: Option<&Fit>| {
            self.alike(&Model::l1(alpha, 1.0))
        })?;
        self.usable(one)
    }

    /// Every method of the paper but the joint graphical lasso.
    pub(super) fn scores(&self) -> Result<Vec<Score>, Error> {
        let alphas = self.alphas();
        let (single, one) = (self.separate()?, self.coupled()?);
        let [free] = grid::search(&alphas, |alpha, _: Option<&Fit>| self.alike(&l2(alpha, 0.0)))?;
        let free = self.usable(free)?;
        let two = self.with_sparse_consensus(free.model.parameters, alphas[1] / alphas[0])?;

        let graph = with_median(&self.session.graph(&single));
        let of_median = self.score(Method::Median, &graph, single.model.parameters)?;
        let mut scores = vec![Score {
            method: Method::SvGl,
            consensus: None,
            ..of_median.clone()
        }];
        for (method, fit) in [(Method::MvGl1, one), (Method::MvGl2, two), (Method::MvGl2Free, free)] {
            scores.push(self.score(method, &self.session.graph(&fit), fit.model.parameters)?);
        }
        scores.push(of_median);
        Ok(scores)
    }

    pub(super) fn score(&self, method: Method, graph: &MultiviewGraph, parameters: Parameters) -> Result<Score, Error> {
        let Parameters { alpha, beta, gamma } = parameters;
        Score::of(method, graph, self.truth, [alpha, beta, gamma])
    }

    fn rated(&self, fit: Fit) -> Result<([f64; 1], Fit), Error> {
        let score = evaluate(&self.session.graph(&fit), self.truth)?.mean_view_f1();
        Ok(([score], fit))
    }

    /// The fit at the model's α and γ with the β at which the views are alike; none if there is no such β.
    fn alike(&self, model: &Model) -> Result<Option<([f64; 1], Fit)>, Error> {
        let separate = Model::uncoupled(model.parameters.alpha);
        // Coupling can only bring views closer than they are on their own: the target must lie above that.
        let floor = self.session.fit(&separate, None, &no_progress)?.similarity();
        let targets = Targets {
            density: Dial::Fixed,
            similarity: Dial::At(above(floor, self.similarity)),
            consensus_density: Dial::Fixed,
        };
        match self.session.reach_with(model, &targets, &no_progress) {
            Ok((fit, _)) => self.rated(fit).map(Some),
            Err(Error::Data(errors)) if errors.iter().all(|error| error.code == Code::E10) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// mvGL-ℓ2 with its regulariser, from the best without it.
    fn with_sparse_consensus(&self, free: Parameters, ratio: f64) -> Result<Fit, Error> {
        let empty = free.beta * (self.session.n_views() as f64).sqrt();
        let shares = SHARES.map(|share| share * empty);
        let mut tried = Vec::new();
        for gamma in shares {
            if let Some(([score], _)) = self.alike(&l2(free.alpha, gamma))? {
                tried.push((gamma, score));
            }
        }
        let best = tried.iter().map(|&(_, score)| score).fold(0.0, f64::max);
        // F1 cannot tell small γ apart (see above): the largest of equals makes the consensus sparse.
        let equal = tried.iter().filter(|&&(_, score)| score >= best - EQUAL);
        let gamma = equal.map(|&(gamma, _)| gamma).fold(shares[0], f64::max);
        // α once more, around the best without r.
        let alphas = [-0.5, 0.0, 0.5].map(|power| free.alpha * ratio.powf(power));
        let [found] = grid::search(&alphas, |alpha, _: Option<&Fit>| self.alike(&l2(alpha, gamma)))?;
        self.usable(found)
    }

    /// What a grid search found.
    fn usable(&self, found: Option<Fit>) -> Result<Fit, Error> {
        let similarity = self.similarity;
        found.ok_or_else(|| Error::Parameter {
            name: "similarity",
            message: format!("of {similarity} cannot be reached at any alpha of the grid on one of the data sets"),
        })
    }
}

/// The similarity to ask for of views that have this one when learned separately.
pub(crate) fn above(floor: Option<f64>, similarity: f64) -> f64 {
    let least = floor.map_or(similarity, |floor| floor + MORE_ALIKE);
    similarity.max(least).min(1.0)
}

pub(crate) fn l2(alpha: f64, gamma: f64) -> Model {
    Model {
        parameters: Parameters {
            alpha,
            beta: 1.0,
            gamma,
        },
        coupling: Coupling::Consensus {
            penalty: Arc::new(L2),
            regulariser: if gamma > 0.0 {
                Arc::new(L1Norm)
            } else {
                Arc::new(NoRegulariser)
            },
        },
    }
}

/// The graph with the element-wise median of its views as consensus; of an even number of views, the mean of the middle
/// two.
pub(crate) fn with_median(graph: &MultiviewGraph) -> MultiviewGraph {
    let median = |row: &[f64]| {
        let mut sorted = row.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len();
        0.5 * (sorted[(n - 1) / 2] + sorted[n / 2])
    };
    let medians: Vec<f64> = graph.weights().rows().map(median).collect();
    MultiviewGraph::new(
        graph.nodes().to_vec(),
        graph.views().to_vec(),
        graph.pairs(),
        graph.weights(),
        Some(&medians),
    )
}

#[cfg(test)]
mod tests {
    use congraph::ViewMatrix;

    use super::*;

    fn graph(n_views: usize, rows: &[f64], consensus: &[f64]) -> MultiviewGraph {
        let names = |n: usize| (0..n).map(|k| format!("v{k}")).collect::<Vec<_>>();
        let pairs: Vec<[u32; 2]> = (0..consensus.len() as u32).map(|k| [k, k + 1]).collect();
        let weights = ViewMatrix::from_values(n_views, rows.to_vec());
        MultiviewGraph::new(
            names(consensus.len() + 1),
            names(n_views),
            &pairs,
            &weights,
            Some(consensus),
        )
    }

    #[test]
    fn medians_edge_by_edge() {
        let odd = graph(3, &[0.0, 2.0, 1.0, 0.0, 0.0, 5.0], &[9.0, 9.0]);
        assert_eq!(with_median(&odd).consensus(), Some(&[1.0, 0.0][..]));
        let even = graph(2, &[0.0, 2.0, 4.0, 2.0], &[9.0, 9.0]);
        assert_eq!(with_median(&even).consensus(), Some(&[1.0, 3.0][..]));
    }
}
