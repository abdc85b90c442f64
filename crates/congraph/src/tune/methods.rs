//! Which method explains the data best: the likelihood that each gives to samples it has not seen.
//!
//! The samples of every view are halved, by blocks where there are any, else into the first and the second half. Each
//! method learns from one half; each view's other half is judged by the view's own graph. The currency is the same for
//! all: the mean log-likelihood of a node's value in nats, above that of independent nodes with the variances of the
//! first half. A graph of the paper's model is judged by the precision c (L + δI) that suits the half it was learned
//! from; the others have precisions of their own. Along a direction that the data lack nothing is judged.
//!
//! Methods with a rule of their own use it. Of the others the best of a few settings counts, which favours them a
//! little: it is chosen by the halves that judge.

use rayon::prelude::*;

use super::resample::ordered_halves;
use super::{Dial, Targets, Wanted};
use crate::error::Error;
use crate::fit::Learn;
use crate::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso};
use crate::methods::likelihood::{Likelihood, deviance, plain_covariances, views_lack_mean};
use crate::methods::smooth::Smooth;
use crate::metrics::best_precision;
use crate::progress::{Progress, Watch};
use crate::signals::Scale;
use crate::views::Views;

/// λ1 and λ2 of the joint graphical lasso, down to where precisions of well-sampled EEG are hardly sparse.
const LAMBDA1: [f64; 7] = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const LAMBDA2: [f64; 4] = [0.003, 0.01, 0.03, 0.1];

/// A method with the settings that are tried.
#[derive(Clone, Debug)]
pub enum Contender {
    /// The paper's model, at each of some targets.
    Smooth(Smooth, Vec<Targets>),
    /// The likelihood, which chooses by its own criterion.
    Likelihood(Box<Likelihood>, Wanted),
    /// The joint graphical lasso, at each of some pairs of λ1 and λ2.
    GraphicalLasso(Vec<GraphicalLasso>),
}

impl Contender {
    /// The paper's model at its usual similarity and some densities.
    pub fn smooth(method: Smooth) -> Self {
        let at = |density: f64| Targets {
            density: Dial::At(density),
            ..Targets::default()
        };
        Self::Smooth(method, [0.05, 0.1, 0.15, 0.2, 0.3].map(at).to_vec())
    }

    /// The likelihood with its own choices.
    pub fn likelihood(method: Likelihood, wanted: Wanted) -> Self {
        Self::Likelihood(Box::new(method), wanted)
    }

    /// The joint graphical lasso at some λ1 and λ2.
    pub fn graphical_lasso(fusion: Fusion) -> Self {
        let at = |l1: f64| LAMBDA2.map(|l2| GraphicalLasso::new(fusion, l1, l2));
        Self::GraphicalLasso(LAMBDA1.map(at).concat())
    }

    fn n_settings(&self) -> usize {
        match self {
            Self::Smooth(_, targets) => targets.len(),
            Self::Likelihood(..) => 1,
            Self::GraphicalLasso(methods) => methods.len(),
        }
    }

    /// The precisions of all views, in the units of the signals over the root of the view's mean variance, with the
    /// density of the graphs and what they were learned with. None where this setting is out of reach.
    fn learn(&self, setting: usize, views: &Views, units: &Units, watch: Watch<'_>) -> Result<Option<Learnt>, Error> {
        match self {
            Self::Smooth(method, targets) => {
                let tuned = match method.learn_to(views, &targets[setting], watch) {
                    Ok(tuned) => tuned,
                    Err(Error::Data(_)) => return Ok(None),
                    Err(error) => return Err(error),
                };
                let graph = &tuned.learned.graph;
                let of_view = |view: usize| best_precision(graph, view, &units.correlations(view));
                let precisions: Result<Vec<_>, _> = (0..graph.n_views()).map(of_view).collect();
                Ok(Some(Learnt {
                    precisions: units.of_correlations(precisions?),
                    density: graph.mean_density(),
                    settings: format!("density {:.2}", graph.mean_density()),
                }))
            }
            Self::Likelihood(method, wanted) => {
                let chosen = method.learn_to(views, wanted, watch)?;
                let precisions = chosen.solution.precisions();
                let precisions = match chosen.learned.details.scale {
                    Scale::Zscore => units.of_correlations(precisions),
                    Scale::Center | Scale::None => precisions,
                };
                let model = chosen.method.model;
                let coupling = model
                    .coupling
                    .map_or_else(|| "single".into(), |b| format!("beta {b:.2}"));
                Ok(Some(Learnt {
                    precisions,
                    density: chosen.learned.graph.mean_density(),
                    settings: format!("filter {}, {coupling}", model.filter.order()),
                }))
            }
            Self::GraphicalLasso(methods) => {
                let method = &methods[setting];
                let learned = method.learn(views, watch)?;
                let graph = learned.details.graph(&learned.graph, EdgeRule::NonZero);
                Ok(Some(Learnt {
                    precisions: units.of_correlations(learned.details.precisions.clone()),
                    density: graph.mean_density(),
                    settings: format!("lambda1 {}, lambda2 {}", method.model.lambda1, method.model.lambda2),
                }))
            }
        }
    }

    /// The name by which users choose it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Smooth(..) => "smooth",
            Self::Likelihood(..) => "likelihood",
            Self::GraphicalLasso(methods) => methods.first().map_or("jgl-fused", |method| method.model.fusion.name()),
        }
    }
}

struct Learnt {
    precisions: Vec<Vec<f64>>,
    density: f64,
    settings: String,
}

/// How well a method explains samples that it has not seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The method.
    pub method: &'static str,
    /// The mean log-likelihood of a node's value in nats, above that of independent nodes.
    pub gain: f64,
    /// That of each view.
    pub views: Vec<f64>,
    /// The standard error of how far it is behind the best method, by the views' differences; none for the best and
    /// for a single view.
    pub standard_error: Option<f64>,
    /// The mean density of its graphs.
    pub density: f64,
    /// What it was learned with, in the first of the two halves.
    pub settings: String,
    /// Among how many settings this was the best.
    pub n_settings: usize,
}

/// The units of a half: signals over the root of the view's mean variance.
struct Units {
    n: usize,
    /// Covariances in these units, row after row.
    covariances: Vec<Vec<f64>>,
}

impl Units {
    fn of(views: &Views) -> Result<Self, Error> {
        Ok(Self {
            n: views.n_nodes(),
            covariances: plain_covariances(views)?.0,
        })
    }

    fn size(&self, view: usize, a: usize) -> f64 {
        self.covariances[view][a * self.n + a].sqrt()
    }

    fn correlations(&self, view: usize) -> Vec<f64> {
        let entry = |k: usize| {
            let (a, b) = (k / self.n, k % self.n);
            self.covariances[view][k] / (self.size(view, a) * self.size(view, b))
        };
        (0..self.n * self.n).map(entry).collect()
    }

    /// Precisions of z-scored signals in these units.
    fn of_correlations(&self, mut precisions: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        for (view, precision) in precisions.iter_mut().enumerate() {
            for (k, x) in precision.iter_mut().enumerate() {
                *x /= self.size(view, k / self.n) * self.size(view, k % self.n);
            }
        }
        precisions
    }

    /// The other half's covariances in these units.
    fn of_other(&self, views: &Views, other: &Views) -> Result<Vec<Vec<f64>>, Error> {
        let (mut covariances, sizes) = plain_covariances(other)?;
        let (_, own) = plain_covariances(views)?;
        for ((covariance, size), own) in covariances.iter_mut().zip(sizes).zip(own) {
            covariance.iter_mut().for_each(|x| *x *= size / own);
        }
        Ok(covariances)
    }

    /// The gain of each view of the other half.
    fn gains(&self, learnt: &Learnt, other: &[Vec<f64>], lacks_mean: bool) -> Vec<f64> {
        let n = self.n;
        let of_view = |(view, covariance): (usize, &Vec<f64>)| {
            let alone: Vec<f64> = (0..n * n)
                .map(|k| {
                    if k / n == k % n {
                        self.size(view, k / n).powi(-2)
                    } else {
                        0.0
                    }
                })
                .collect();
            let independent = deviance(n, covariance, &alone, lacks_mean);
            let with = deviance(n, covariance, &learnt.precisions[view], lacks_mean);
            0.5 * (independent - with) / n as f64
        };
        other.par_iter().enumerate().map(of_view).collect()
    }
}

/// Compares methods; the best first.
///
/// # Errors
/// E05 if a view cannot be halved; [`Error::Invalid`] if views lack nodes; what a method refuses.
pub fn compare_methods(views: &Views, contenders: &[Contender], watch: Watch<'_>) -> Result<Vec<Explained>, Error> {
    if !views.membership().is_total() {
        return Err(Error::Invalid {
            what: "views",
            message:
                "lack nodes, and the likelihood by which methods are compared is that of all nodes together; keep \
                      those that all views have"
                    .into(),
        });
    }
    // In one order, so that no answer depends on the files'.
    let (sorted, order) = views.sorted();
    let halves = ordered_halves(
        &sorted,
        "which method explains the data best is seen by learning from one half of them and judging by the other",
        "choose a method yourself: docs/methods.md says which".into(),
    )?;
    let lacks_mean = views_lack_mean(&sorted)?;
    let units = [Units::of(&halves[0])?, Units::of(&halves[1])?];
    let others = [
        units[0].of_other(&halves[0], &halves[1])?,
        units[1].of_other(&halves[1], &halves[0])?,
    ];
    let total: usize = contenders.iter().map(Contender::n_settings).sum();
    let mut done = 0;
    let mut found = Vec::new();
    for contender in contenders {
        let mut best: Option<Explained> = None;
        for setting in 0..contender.n_settings() {
            let both: Result<Vec<Option<Learnt>>, Error> = (0..2)
                .map(|half| contender.learn(setting, &halves[half], &units[half], watch))
                .collect();
            done += 1;
            let _ = watch(&Progress::Fitted { done, total });
            let [Some(one), Some(two)] = &both?[..] else { continue };
            let gains = [
                units[0].gains(one, &others[0], lacks_mean),
                units[1].gains(two, &others[1], lacks_mean),
            ];
            let mut of_views = vec![0.0; sorted.n_views()];
            // Added up in the sorted order: rounding must not tell how views were given.
            let mut sum = 0.0;
            for (k, &view) in order.views.iter().enumerate() {
                of_views[view] = 0.5 * (gains[0][k] + gains[1][k]);
                sum += of_views[view];
            }
            let gain = sum / of_views.len() as f64;
            if best.as_ref().is_none_or(|other| gain > other.gain) {
                best = Some(Explained {
                    method: contender.name(),
                    gain,
                    views: of_views,
                    standard_error: None,
                    density: 0.5 * (one.density + two.density),
                    settings: one.settings.clone(),
                    n_settings: contender.n_settings(),
                });
            }
        }
        found.extend(best);
    }
    found.sort_by(|x, y| y.gain.total_cmp(&x.gain));
    tell_errors(&mut found);
    Ok(found)
}

/// How sure it is that the others are behind the first.
fn tell_errors(found: &mut [Explained]) {
    let Some((first, others)) = found.split_first_mut() else {
        return;
    };
    let n = first.views.len() as f64;
    if first.views.len() < 2 {
        return;
    }
    for other in others {
        let apart: Vec<f64> = first.views.iter().zip(&other.views).map(|(x, y)| x - y).collect();
        let mean = apart.iter().sum::<f64>() / n;
        let variance = apart.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        other.standard_error = Some((variance / n).sqrt());
    }
}
