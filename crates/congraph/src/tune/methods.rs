//! Which method explains the data best: the likelihood that each gives to samples it has not seen.
//!
//! The samples of every view are halved, by blocks where there are any, else into the first and the second half. Each
//! method learns from one half; each view's other half is judged by the view's own graph. The currency is the same for
//! all: the mean log-likelihood of a node's value in nats, above that of independent nodes with the variances of the
//! first half. A graph of the paper's model is judged by the precision c (L + δI) that suits the half it was learned
//! from; the others have precisions of their own. Along a direction that the data lack nothing is judged.
//!
//! Methods with a rule of their own use it. Of the others the best of a few settings counts, which favours them a
//! little: it is chosen by the halves that judge. λ1 and λ2 of the graphical lasso are followed ([`followed`]).

use rayon::prelude::*;

use super::followed;
use super::resample::ordered_halves;
use super::{Dial, Targets, Wanted};
use crate::error::Error;
use crate::fit::{Fit, Learn, Session};
use crate::methods::Certified;
use crate::methods::graphical_lasso::{EdgeRule, Fusion, GraphicalLasso};
use crate::methods::likelihood::{Likelihood, deviance, plain_covariances, views_lack_mean};
use crate::methods::smooth::Smooth;
use crate::metrics::best_precision;
use crate::options::option;
use crate::progress::{Progress, Watch};
use crate::signals::Scale;
use crate::views::{Order, Views};

/// A method with the settings that are tried.
#[derive(Clone, Debug)]
pub enum Contender {
    /// The paper's model, at each of some targets.
    Smooth(Smooth, Vec<Targets>),
    /// The likelihood, which chooses by its own criterion.
    Likelihood(Box<Likelihood>, Wanted),
    /// The joint graphical lasso, at each of some pairs of λ1 and λ2.
    GraphicalLasso(Vec<GraphicalLasso>),
    /// The joint graphical lasso at the λ1 and λ2 of which no neighbour is better.
    Followed(Fusion),
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

    /// The joint graphical lasso at the λ1 and λ2 of which no neighbour is better.
    pub fn graphical_lasso(fusion: Fusion) -> Self {
        Self::Followed(fusion)
    }

    fn n_settings(&self) -> usize {
        match self {
            Self::Smooth(_, targets) => targets.len(),
            Self::Likelihood(..) | Self::Followed(_) => 1,
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
                let session = method.session(views, watch)?;
                let fit = session.fit(&method.model, None, watch)?;
                Ok(Some(Learnt::of_lasso(&session, &fit, units)))
            }
            // Not a setting of its own: [`followed`] goes from one to the next.
            Self::Followed(_) => Ok(None),
        }
    }

    /// The name by which users choose it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Smooth(..) => "smooth",
            Self::Likelihood(..) => "likelihood",
            Self::GraphicalLasso(methods) => methods.first().map_or("jgl-fused", |method| method.model.fusion.name()),
            Self::Followed(fusion) => fusion.name(),
        }
    }
}

/// What a half has taught.
pub(super) struct Learnt {
    precisions: Vec<Vec<f64>>,
    density: f64,
    settings: String,
}

impl Learnt {
    /// From a fit of the graphical lasso.
    pub(super) fn of_lasso(session: &Session<'_, GraphicalLasso>, fit: &Fit<GraphicalLasso>, units: &Units) -> Self {
        let (views, solution) = (session.views(), &fit.solution);
        let precisions = solution.precisions(session.order());
        let graph = EdgeRule::NonZero.graph(views.nodes().to_vec(), views.names(), &precisions);
        let mut settings = format!("lambda1 {}, lambda2 {}", fit.model.lambda1, fit.model.lambda2);
        if !solution.converged() {
            settings += &format!(", not converged: gap {:.0e}", solution.certificate.relative_gap);
        }
        Self {
            precisions: units.of_correlations(precisions),
            density: graph.mean_density(),
            settings,
        }
    }
}

/// How well a method explains samples that it has not seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The method.
    pub method: &'static str,
    /// The mean log-likelihood of a node's value in nats, above that of independent nodes.
    pub gain: f64,
    /// The standard error of the gain, by its differences between the views; none for a single view.
    pub gain_error: Option<f64>,
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

/// A smaller gain is rounding: a graph without an edge is independent nodes.
const ROUNDING: f64 = 1e-9;

impl Explained {
    /// Whether it explains more than independent nodes do: whether its gain is more than its own standard error.
    pub fn is_beyond_independent(&self) -> bool {
        self.gain > self.gain_error.unwrap_or(0.0).max(ROUNDING)
    }
}

/// The units of a half: signals over the root of the view's mean variance.
pub(super) struct Units {
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
            message: format!(
                "lack nodes, and the likelihood by which methods are compared is that of all nodes together; {} keeps \
                 those that all views have",
                option("nodes").set_to("common")
            ),
        });
    }
    let halves = Halves::of(views)?;
    let total: usize = contenders.iter().map(Contender::n_settings).sum();
    let mut done = 0;
    let mut found = Vec::new();
    for contender in contenders {
        if let Contender::Followed(fusion) = contender {
            found.push(followed::follow(*fusion, &halves, watch)?);
            done += 1;
            let _ = watch(&Progress::Fitted { done, total });
            continue;
        }
        let mut best: Option<Explained> = None;
        for setting in 0..contender.n_settings() {
            let learn = |half: usize| contender.learn(setting, &halves.halves[half], &halves.units[half], watch);
            let both = [learn(0).map_err(Error::in_a_half)?, learn(1).map_err(Error::in_a_half)?];
            done += 1;
            let _ = watch(&Progress::Fitted { done, total });
            let [Some(one), Some(two)] = both else { continue };
            let explained = halves.judge(contender.name(), &[one, two]);
            if best.as_ref().is_none_or(|other| explained.gain > other.gain) {
                best = Some(explained);
            }
        }
        found.extend(best.map(|best| Explained {
            n_settings: contender.n_settings(),
            ..best
        }));
    }
    found.sort_by(|x, y| y.gain.total_cmp(&x.gain));
    tell_errors(&mut found);
    Ok(found)
}

/// The two halves of the views: each is learned from, and judges what the other taught.
pub(super) struct Halves {
    pub(super) halves: [Views; 2],
    pub(super) units: [Units; 2],
    /// The covariances that judge what each half taught.
    others: [Vec<Vec<f64>>; 2],
    lacks_mean: bool,
    order: Order,
}

impl Halves {
    fn of(views: &Views) -> Result<Self, Error> {
        // In one order, so that no answer depends on the files'.
        let (sorted, order) = views.sorted();
        let halves = ordered_halves(
            &sorted,
            "which method explains the data best is seen by learning from one half of them and judging by the other",
            "choose a method yourself: docs/methods.md says which".into(),
        )?;
        let units = [Units::of(&halves[0])?, Units::of(&halves[1])?];
        let others = [
            units[0].of_other(&halves[0], &halves[1])?,
            units[1].of_other(&halves[1], &halves[0])?,
        ];
        Ok(Self {
            lacks_mean: views_lack_mean(&sorted)?,
            halves,
            units,
            others,
            order,
        })
    }

    /// How well what each half taught explains the other.
    pub(super) fn judge(&self, method: &'static str, learnt: &[Learnt; 2]) -> Explained {
        let gains = [0, 1].map(|k| self.units[k].gains(&learnt[k], &self.others[k], self.lacks_mean));
        let mut of_views = vec![0.0; self.order.views.len()];
        // Added up in the sorted order: rounding must not tell how views were given.
        let mut sum = 0.0;
        for (k, &view) in self.order.views.iter().enumerate() {
            of_views[view] = 0.5 * (gains[0][k] + gains[1][k]);
            sum += of_views[view];
        }
        let in_order: Vec<f64> = self.order.views.iter().map(|&view| of_views[view]).collect();
        Explained {
            method,
            gain: sum / of_views.len() as f64,
            gain_error: standard_error(&in_order),
            views: of_views,
            standard_error: None,
            density: 0.5 * (learnt[0].density + learnt[1].density),
            settings: learnt[0].settings.clone(),
            n_settings: 1,
        }
    }
}

/// How sure it is that the others are behind the first.
fn tell_errors(found: &mut [Explained]) {
    let Some((first, others)) = found.split_first_mut() else {
        return;
    };
    for other in others {
        let apart: Vec<f64> = first.views.iter().zip(&other.views).map(|(x, y)| x - y).collect();
        other.standard_error = standard_error(&apart);
    }
}

/// That of the mean of a value of each view; none for a single view.
fn standard_error(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (values.len() > 1).then(|| (variance / n).sqrt())
}
