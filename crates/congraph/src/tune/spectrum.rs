//! The exponent of the spectrum by held-out likelihood: how far signals are whitened, chosen without knowing the truth.
//!
//! The samples of every view are halved: by blocks where there are any, else into the first and the second half, so that
//! neighbours in time do not tell of each other. For each exponent the graphs are learned from one half, for the same
//! targets, and judged by the other, as it was measured and not whitened: the gain in log-likelihood
//! ([`log_likelihood`]) of each view on its own graph, mean over views and over both
//! directions. The largest gain wins; of gains that differ by rounding, that of the larger exponent, which changes the
//! data less.
//!
//! Cost: two fits for targets and 2 N eigendecompositions for each exponent.

use rayon::prelude::*;

use super::resample::ordered_halves;
use super::{Dial, Targets};
use crate::edges::ViewMatrix;
use crate::error::{Code, Error};
use crate::fit::Learn;
use crate::graph::MultiviewGraph;
use crate::methods::smooth::{MANY_NODES, Smooth};
use crate::metrics::log_likelihood;
use crate::options::option;
use crate::progress::{Watch, no_progress};
use crate::signals::Spectrum;
use crate::views::Views;

/// The exponents that are tried.
pub const EXPONENTS: [f64; 5] = [1.0, 0.75, 0.5, 0.35, 0.2];
/// The most nodes: each exponent takes an eigendecomposition of every view's graph in both halves.
pub const MOST_NODES: usize = 3000;
/// Gains that differ by less than this share of them differ by rounding.
const ROUNDING: f64 = 1e-9;

/// An exponent and how likely the other halves of the views were with it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenSpectrum {
    /// The exponent, marked as chosen.
    pub spectrum: Spectrum,
    /// Of each exponent that was tried, the mean gain in log-likelihood of a node's value, in nats; none where the
    /// targets are out of reach.
    pub gains: Vec<(f64, Option<f64>)>,
}

impl Smooth {
    /// The exponent of the spectrum whose graphs, learned for these targets, suit other samples best.
    ///
    /// # Errors
    /// [`Error::Parameter`] above [`MOST_NODES`] nodes, and as [`Spectrum::check`]; E05 if a view cannot be halved; E10
    /// if the targets are out of reach with every exponent; what the solver refuses.
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{Smooth, Targets, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 30, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let chosen = Smooth::default().choose_spectrum(&views, &Targets::default(), &no_progress)?;
    /// assert!(chosen.spectrum.is_chosen && chosen.spectrum.exponent <= 1.0);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn choose_spectrum(&self, views: &Views, targets: &Targets, watch: Watch<'_>) -> Result<ChosenSpectrum, Error> {
        if views.n_nodes() > MOST_NODES {
            return Err(Error::Parameter {
                name: "spectrum",
                message: format!(
                    "cannot be chosen for {} nodes: the likelihood takes an eigendecomposition of every graph, and {MOST_NODES} \
                     nodes are the most; set it yourself, such as {}",
                    views.n_nodes(),
                    option("spectrum").set_to(0.5)
                ),
            });
        }
        // Exponents below 1 are refused with some scalings; then there is nothing to choose.
        Spectrum::new(EXPONENTS[1]).check(&self.scaling)?;
        let [one, other] = ordered_halves(
            views,
            "how far to whiten signals is seen by learning from one half of the data and judging by the other",
            format!(
                "set {} yourself, such as {}",
                option("spectrum"),
                option("spectrum").set_to(0.5)
            ),
        )?;
        let tries: Vec<(f64, [&Views; 2])> = EXPONENTS
            .iter()
            .flat_map(|&exponent| [(exponent, [&one, &other]), (exponent, [&other, &one])])
            .collect();
        // In parallel where fits are too small to be so themselves.
        let gains: Vec<Result<f64, Error>> = if views.n_nodes() < MANY_NODES {
            let gain = |&(exponent, halves)| self.held_out(exponent, halves, targets, &no_progress);
            tries.par_iter().map(gain).collect()
        } else {
            let gain = |&(exponent, halves)| self.held_out(exponent, halves, targets, watch);
            tries.iter().map(gain).collect()
        };
        let gains = gains.into_iter().map(within_reach).collect::<Result<Vec<_>, Error>>()?;
        let both = |pair: &[Result<f64, Error>]| match pair {
            [Ok(one), Ok(other)] => Some(0.5 * (one + other)),
            _ => None,
        };
        let means: Vec<(f64, Option<f64>)> = EXPONENTS.into_iter().zip(gains.chunks_exact(2).map(both)).collect();
        let best = means
            .iter()
            .filter_map(|(_, gain)| *gain)
            .fold(f64::NEG_INFINITY, f64::max);
        // The exponents fall.
        let is_best = |gain: f64| gain >= best - ROUNDING * best.abs();
        match means.iter().find(|(_, gain)| gain.is_some_and(is_best)) {
            Some(&(exponent, _)) => Ok(ChosenSpectrum {
                spectrum: Spectrum {
                    exponent,
                    is_chosen: true,
                },
                gains: means,
            }),
            None => Err(gains.into_iter().find_map(Result::err).unwrap_or(Error::Invalid {
                what: "spectrum",
                message: "cannot be chosen: no half of the views could be judged".into(),
            })),
        }
    }

    /// The mean gain of one half of the views on the graphs that were learned from the other.
    fn held_out(
        &self,
        exponent: f64,
        [learned_from, judge]: [&Views; 2],
        targets: &Targets,
        watch: Watch<'_>,
    ) -> Result<f64, Error> {
        let mut method = Self {
            spectrum: Spectrum::new(exponent),
            check_outside: false,
            ..self.clone()
        };
        if targets.similarity != Dial::Fixed {
            method.model.parameters.beta = 1.0;
        }
        let session = method.session(learned_from, watch)?;
        let (fit, _) = session.reach(targets, watch)?;
        let graph = session.graph(&fit);
        // Sums over nodes and views in the order of their names: no order of columns or files matters.
        let mut views: Vec<usize> = (0..judge.n_views()).collect();
        views.sort_by_key(|&view| judge.view(view).name());
        let gains = views.iter().map(|&view| own_gain(&graph, judge, view));
        Ok(gains.collect::<Result<Vec<f64>, Error>>()?.iter().sum::<f64>() / judge.n_views() as f64)
    }
}

/// Targets that are out of reach with one exponent leave the others; anything else ends the choice.
fn within_reach(gain: Result<f64, Error>) -> Result<Result<f64, Error>, Error> {
    match gain {
        Err(Error::Data(errors)) if errors.iter().all(|error| error.code == Code::E10) => Ok(Err(Error::Data(errors))),
        Err(error) => Err(error),
        Ok(gain) => Ok(Ok(gain)),
    }
}

/// The gain of one view on its own graph, of the nodes that it has.
fn own_gain(graph: &MultiviewGraph, data: &Views, view: usize) -> Result<f64, Error> {
    let mut nodes: Vec<usize> = data.membership().nodes_of(view).collect();
    nodes.sort_by_key(|&node| &data.nodes()[node]);
    let mut place = vec![None; data.n_nodes()];
    for (k, &node) in nodes.iter().enumerate() {
        place[node] = Some(k as u32);
    }
    let mut edges: Vec<([u32; 2], f64)> = Vec::new();
    for (&[a, b], weight) in graph.pairs().iter().zip(graph.weights().column(view)) {
        if let (Some(a), Some(b), true) = (place[a as usize], place[b as usize], weight != 0.0) {
            edges.push(([a.min(b), a.max(b)], weight));
        }
    }
    edges.sort_by_key(|&(pair, _)| pair);
    let pairs: Vec<[u32; 2]> = edges.iter().map(|&(pair, _)| pair).collect();
    let weights: Vec<f64> = edges.iter().map(|&(_, weight)| weight).collect();
    let mut rows = ViewMatrix::with_capacity(weights.len(), 1);
    weights.iter().for_each(|&weight| rows.push_row(&[weight]));
    let own = data.single(view, &nodes);
    let graph = MultiviewGraph::new(own.nodes().to_vec(), own.names(), &pairs, &rows, None);
    Ok(log_likelihood(&graph, &weights, &own)?[0])
}
