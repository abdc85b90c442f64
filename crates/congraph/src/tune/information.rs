//! The likelihood's choices: the coupling b, the filter and the signs by Akaike's information criterion, or b for a
//! similarity.
//!
//! Models are compared by whole, certified fits with independent samples; from the strongest coupling downwards each
//! fit starts from the one before. What is returned is the refit of the best one on its edges. Where nothing in the
//! data goes beyond chance, and no density is asked for, that is a graph without edges.

use rayon::prelude::*;

use super::unreachable::{shown, unreachable};
use super::{Dial, Targets};
use crate::chance::{self, Agreement, Correlations};
use crate::error::{Code, DataError, Error, Warning};
use crate::fit::{Fit, Learn, Learned, Session};
use crate::methods::likelihood::{
    Coupling, Filter, Lift, Likelihood, Merged, Model, Point, Proportional, Signs, Solution, Sparsity, Whole, merge,
};
use crate::methods::smooth::Smooth;
use crate::options::option;
use crate::progress::{Progress, Status, Watch};
use crate::views::Views;

/// The couplings that are tried, from the strongest down.
pub const COUPLINGS: [f64; 6] = [5.6, 4.0, 2.8, 2.0, 1.4, 1.0];
/// A similarity this near to what is asked for is near enough.
const NEAR: f64 = 0.002;
/// Similarities are looked for between these couplings.
const WEAKEST: f64 = 0.01;
const STRONGEST: f64 = 300.0;
/// In so many fits at most.
const MOST_TRIALS: usize = 24;

/// What is asked of a likelihood; what is not given is chosen by the information criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// The mean density of the views; without it, a threshold between the two heaps of weights.
    pub density: Option<f64>,
    /// The mean correlation between views, reached by b.
    pub similarity: Option<f64>,
    /// b itself.
    pub coupling: Option<f64>,
    /// How often the filter is applied.
    pub filter: Option<Filter>,
    /// Which signs edges may have; none lets the criterion choose.
    pub signs: Option<Signs>,
    /// Every view on its own.
    pub is_single: bool,
    /// γ in units of β.
    pub gamma: f64,
}

impl Default for Wanted {
    /// An attractive graph; the criterion chooses the rest.
    fn default() -> Self {
        Self {
            density: None,
            similarity: None,
            coupling: None,
            filter: None,
            signs: Some(Signs::Attractive),
            is_single: false,
            gamma: 0.0,
        }
    }
}

/// A model that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// How often the filter was applied.
    pub filter: Filter,
    /// Which signs edges could have.
    pub signs: Signs,
    /// b; none of views on their own.
    pub coupling: Option<f64>,
    /// Akaike's information criterion.
    pub aic: f64,
    /// The relative gap of the fit.
    pub relative_gap: f64,
    /// Whether it counts: only certified fits do.
    pub is_certified: bool,
}

/// The chosen fit.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// How it was learned.
    pub method: Likelihood,
    /// What was learned.
    pub learned: Learned<Likelihood>,
    /// The solution behind it, with nodes and views sorted by name.
    pub solution: Solution,
    /// All models that were compared, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// The similarity of the views when each is learned on its own; none for a single view.
    pub floor: Option<f64>,
    /// Whether the graph is empty because nothing goes beyond chance.
    pub is_noise: bool,
    /// Nodes that were learned as one.
    pub merged: Vec<Merged>,
}

/// A model with its whole fit.
struct Candidate {
    model: Model,
    whole: Whole,
}

impl Candidate {
    fn tried(&self) -> Tried {
        Tried {
            filter: self.model.filter,
            signs: self.model.signs,
            coupling: self.model.coupling,
            aic: self.whole.aic,
            relative_gap: self.whole.certificate.relative_gap,
            is_certified: self.whole.status == Status::Converged,
        }
    }
}

impl Likelihood {
    /// Learns what is wanted, and chooses the rest.
    ///
    /// # Errors
    /// E10 if the density or the similarity cannot be reached; what [`Learn::learn`] refuses.
    ///
    /// ```
    /// use congraph::methods::likelihood::{Filter, Likelihood};
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::tune::Wanted;
    /// use congraph::{ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 30, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let chosen = Likelihood::default().learn_to(&views, &Wanted::default(), &no_progress)?;
    /// assert_eq!(chosen.method.model.filter, Filter::Twice); // as the data were made
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn learn_to(&self, views: &Views, wanted: &Wanted, watch: Watch<'_>) -> Result<Chosen, Error> {
        rayon::scope(|_| {
            check(wanted)?;
            self.check_chosen(views, wanted)?;
            if self.proportional == Proportional::Merge
                && let Some(merged) = merge(views, self.scale, &self.candidates, &self.edge_costs)?
            {
                let method = Self {
                    proportional: Proportional::Refuse,
                    candidates: merged.candidates,
                    edge_costs: merged.edge_costs,
                    ..self.clone()
                };
                let mut chosen = method.learn_to(&merged.views, wanted, watch)?;
                chosen.learned.warnings.extend(Merged::warning(&merged.merged));
                chosen.merged = merged.merged;
                return Ok(chosen);
            }
            let signs = match wanted.signs {
                Some(signs) => (signs, Vec::new()),
                None => self.choose_signs(views, wanted, watch)?,
            };
            self.with_signs(signs.0).learn_signed(views, wanted, signs, watch)
        })
    }

    /// The criterion counts distinct weights, which is right where views that agree share one. Where departures are charged
    /// otherwise, weights are shrunk and hardly any are shared: b is not chosen by it.
    fn check_chosen(&self, views: &Views, wanted: &Wanted) -> Result<(), Error> {
        let is_found = wanted.coupling.is_some() || (wanted.similarity.is_some() && wanted.signs.is_some());
        if self.model.penalty == Coupling::L1 || wanted.is_single || views.n_views() < 2 || is_found {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "beta",
            message: format!(
                "must be given with {}, or {} for it: Akaike's criterion counts distinct weights, and this penalty shrinks \
                 differences without making weights equal, so that it cannot choose how strongly views are coupled{}",
                option("penalty").set_to(self.model.penalty.name()).bare(),
                option("similarity").bare(),
                if wanted.signs.is_none() && wanted.similarity.is_some() {
                    format!("; with {} it would have to", option("signed").set_to("auto").bare())
                } else {
                    String::new()
                }
            ),
        })
    }

    /// The settings for graphs of these signs.
    fn with_signs(&self, signs: Signs) -> Self {
        if signs == self.model.signs {
            return self.clone();
        }
        let usual = Self::new(match signs {
            Signs::Attractive => Model::default(),
            Signs::Both => Model::signed(),
        });
        Self {
            scale: usual.scale.or(self.scale),
            lift: usual.lift,
            model: Model {
                penalty: self.model.penalty,
                ..usual.model
            },
            ..self.clone()
        }
    }

    /// Attractive or of both signs: the better of the two by the criterion, each in the units that suit it, judged by
    /// the likelihood of the same data.
    fn choose_signs(&self, views: &Views, wanted: &Wanted, watch: Watch<'_>) -> Result<(Signs, Vec<Tried>), Error> {
        let wanted = Wanted {
            similarity: None,
            ..*wanted
        };
        let attractive = self.with_signs(Signs::Attractive);
        let plain = Self {
            lift: Lift::None,
            ..attractive.clone()
        };
        let plain = plain.session(views, watch)?;
        let mut best: Option<(f64, Signs)> = None;
        let mut tried = Vec::new();
        let mut lacks_mean = false;
        for method in [attractive, self.with_signs(Signs::Both)] {
            let signs = method.model.signs;
            let session = method.session(views, watch)?;
            lacks_mean |= signs == Signs::Attractive && session.data().is_lifted();
            let candidates = compare(&session, &wanted, watch)?;
            tried.extend(candidates.iter().map(Candidate::tried));
            let Some(Candidate { model, whole }) = least(&candidates) else {
                continue;
            };
            let aic = Self::information_in(session.data(), model, whole, plain.data(), lacks_mean)?;
            if best.is_none_or(|(other, _)| aic < other) {
                best = Some((aic, signs));
            }
        }
        Ok((best.map_or(Signs::Attractive, |(_, signs)| signs), tried))
    }

    fn learn_signed(
        &self,
        views: &Views,
        wanted: &Wanted,
        (_, mut tried): (Signs, Vec<Tried>),
        watch: Watch<'_>,
    ) -> Result<Chosen, Error> {
        let start = Self {
            model: first_model(self, wanted, views.n_views()),
            ..self.clone()
        };
        let session = start.session(views, watch)?;
        let (is_noise, agreement) = judge(views, wanted.is_single, watch)?;
        let sparsity = match (wanted.density, is_noise) {
            (Some(density), _) => Sparsity::Density(density),
            (None, true) => Sparsity::Empty,
            (None, false) => Sparsity::Automatic,
        };
        let chosen = match wanted.similarity {
            Some(target) => reach(&session, wanted, target, sparsity, &mut tried, watch)?,
            None => {
                let candidates = compare(&session, wanted, watch)?;
                tried.extend(candidates.iter().map(Candidate::tried));
                take_least(candidates).ok_or_else(nothing)?
            }
        };
        let model = Model {
            sparsity,
            ..chosen.model
        };
        check_density(&chosen, wanted, &session)?;
        let fit = session.fit_from(&model, chosen.whole, watch)?;
        let floor = floor(&session, &model, &fit, watch)?;
        let solution = fit.solution.clone();
        let mut learned = session.learned(fit, watch)?;
        if agreement.as_ref().is_some_and(Agreement::is_certain) {
            learned.warnings.retain(|warning| warning.code != "W13");
        }
        add_warnings(&mut learned, agreement.as_ref(), is_noise);
        let method = Self { model, ..start.clone() };
        Ok(Chosen {
            method,
            learned,
            solution,
            tried,
            floor,
            is_noise,
            merged: Vec::new(),
        })
    }
}

fn nothing() -> Error {
    Error::Invalid {
        what: "likelihood",
        message: "could not be fitted for any coupling".into(),
    }
}

fn check(wanted: &Wanted) -> Result<(), Error> {
    for (name, value, least) in [
        ("density", wanted.density, 0.0),
        ("similarity", wanted.similarity, -1.0),
    ] {
        if let Some(target) = value
            && !(target > least && target <= 1.0)
        {
            return Err(Error::Parameter {
                name,
                message: format!("is {target}; it must be above {least} and at most 1"),
            });
        }
    }
    Ok(())
}

/// A model to make the data ready with: coupled, if views are to be.
fn first_model(method: &Likelihood, wanted: &Wanted, n_views: usize) -> Model {
    let model = method.model;
    Model {
        coupling: if wanted.is_single {
            None
        } else {
            Some(wanted.coupling.or(model.coupling).unwrap_or(1.0))
        },
        gamma: if n_views > 1 { wanted.gamma } else { 0.0 },
        filter: wanted
            .filter
            .filter(|_| model.signs == Signs::Attractive)
            .unwrap_or(model.filter),
        ..model
    }
}

/// Whether the data are noise as far as can be told, and how far the views agree on their own (not asked of a single
/// view, or where each is to be learned alone). Both questions are asked of the data by the paper's model at its usual
/// density, whatever method then learns from them.
///
/// # Errors
/// What [`Learn::session`] refuses.
pub fn judge(views: &Views, is_single: bool, watch: Watch<'_>) -> Result<(bool, Option<Agreement>), Error> {
    let is_weak = Correlations::of(views).is_some_and(|found| !found.is_beyond_chance());
    if views.n_views() < 2 || is_single {
        return Ok((is_weak, None));
    }
    let alone = Smooth::default().uncoupled();
    let targets = Targets {
        density: Dial::Usual,
        similarity: Dial::Fixed,
        consensus_density: Dial::Fixed,
    };
    // Data that the paper's model cannot learn from are judged by their correlations alone.
    let Ok(session) = alone.session(views, watch) else {
        return Ok((is_weak, None));
    };
    let Ok((fit, _)) = session.reach(&targets, watch) else {
        return Ok((is_weak, None));
    };
    let agreement = session.agreement_of(&fit);
    let is_certain = agreement.as_ref().is_some_and(Agreement::is_certain);
    Ok((is_weak && !is_certain, agreement))
}

fn add_warnings(learned: &mut Learned<Likelihood>, agreement: Option<&Agreement>, is_noise: bool) {
    let first = usize::from(!learned.converged());
    let is_said = learned.warnings.iter().any(|warning| warning.code == "W13");
    if let Some(warning) = agreement
        .filter(|_| !is_noise && !is_said)
        .and_then(chance::imposed_warning)
    {
        learned.warnings.insert(first, warning);
    }
    let (n_components, isolated) = learned.graph.components();
    if !is_noise && !isolated.is_empty() && learned.graph.n_nodes() > 1 {
        let what = if learned.graph.consensus().is_some() {
            "the consensus"
        } else {
            "the union of the graphs"
        };
        let message = format!(
            "{what} has {n_components} components, {} of them a single node; a higher density joins more nodes",
            isolated.len()
        );
        learned.warnings.push(Warning::new("W07", message));
    }
}

/// Fits of all models that are to be compared.
fn compare(session: &Session<'_, Likelihood>, wanted: &Wanted, watch: Watch<'_>) -> Result<Vec<Candidate>, Error> {
    let method = session.method();
    let filters: Vec<Filter> = match (wanted.filter, method.model.signs) {
        (_, Signs::Both) => vec![Filter::Once],
        (Some(filter), Signs::Attractive) => vec![filter],
        (None, Signs::Attractive) => vec![Filter::Once, Filter::Twice],
    };
    let couplings: Vec<Option<f64>> = match (wanted.is_single || session.n_views() == 1, wanted.coupling) {
        (true, _) => vec![None],
        (false, Some(given)) => vec![Some(given)],
        (false, None) => COUPLINGS.map(Some).to_vec(),
    };
    let of_filter = |filter: &Filter| {
        let mut found: Vec<Candidate> = Vec::new();
        for &coupling in &couplings {
            let model = Model {
                filter: *filter,
                coupling,
                ..method.model
            };
            let start = found.last().map(|before| &before.whole.point);
            let whole = session.whole(&model, start, watch)?;
            let is_interrupted = whole.status == Status::Interrupted;
            found.push(Candidate { model, whole });
            if is_interrupted {
                break;
            }
        }
        Ok(found)
    };
    let all: Result<Vec<Vec<Candidate>>, Error> = filters.par_iter().map(of_filter).collect();
    Ok(all?.into_iter().flatten().collect())
}

/// The least criterion among certified fits; among all, if none is certified.
fn least(candidates: &[Candidate]) -> Option<&Candidate> {
    let better = |x: &&Candidate, y: &&Candidate| x.whole.aic.total_cmp(&y.whole.aic);
    let certified = candidates.iter().filter(|one| one.tried().is_certified).min_by(better);
    certified.or_else(|| candidates.iter().min_by(better))
}

fn take_least(mut candidates: Vec<Candidate>) -> Option<Candidate> {
    let best = least(&candidates)?.tried();
    let place = candidates.iter().position(|one| one.tried() == best)?;
    Some(candidates.swap_remove(place))
}

/// E10 if the whole fit is sparser than what is asked for.
fn check_density(chosen: &Candidate, wanted: &Wanted, session: &Session<'_, Likelihood>) -> Result<(), Error> {
    let Some(density) = wanted.density else {
        return Ok(());
    };
    let most = session.density_of(&chosen.whole);
    let half_an_edge = 0.5 / session.views().n_pairs().max(1) as f64;
    if density <= most + half_an_edge.max(0.002) {
        return Ok(());
    }
    Err(DataError::new(
        Code::E10,
        format!(
            "a density of {density} cannot be reached: the likelihood gives no more than {} of the pairs a weight",
            shown(most)
        ),
        "what a likelihood leaves without a weight, the data say nothing for",
        format!(
            "ask for at most {}, or learn by the method `smooth`",
            shown((1e3 * most).floor() / 1e3)
        ),
    )
    .into())
}

/// The similarity of the views when each is learned on its own, at the density of a fit.
fn floor(
    session: &Session<'_, Likelihood>,
    model: &Model,
    fit: &Fit<Likelihood>,
    watch: Watch<'_>,
) -> Result<Option<f64>, Error> {
    if !model.is_coupled() || session.n_views() < 2 || model.sparsity == Sparsity::Empty {
        return Ok(None);
    }
    let alone = Model {
        coupling: None,
        sparsity: Sparsity::Density(session.graph(fit).mean_density().max(f64::MIN_POSITIVE)),
        ..*model
    };
    let whole = session.whole(&alone, Some(&fit.solution.whole.point), watch)?;
    let separate = session.fit_from(&alone, whole, watch)?;
    Ok(session.graph(&separate).similarity())
}

/// b for a similarity: of each filter that may be used, then the better one by the criterion.
fn reach(
    session: &Session<'_, Likelihood>,
    wanted: &Wanted,
    target: f64,
    sparsity: Sparsity,
    tried: &mut Vec<Tried>,
    watch: Watch<'_>,
) -> Result<Candidate, Error> {
    let method = session.method();
    let filters: Vec<Filter> = match (wanted.filter, method.model.signs) {
        (_, Signs::Both) => vec![Filter::Once],
        (Some(filter), Signs::Attractive) => vec![filter],
        (None, Signs::Attractive) => vec![Filter::Once, Filter::Twice],
    };
    let mut found = Vec::new();
    let mut refused = None;
    for filter in filters {
        let model = Model {
            filter,
            sparsity,
            ..method.model
        };
        match reach_one(session, model, target, watch) {
            Ok(candidate) => {
                tried.push(candidate.tried());
                found.push(candidate);
            }
            Err(error) => refused = Some(error),
        }
    }
    match (take_least(found), refused) {
        (Some(candidate), _) => Ok(candidate),
        (None, Some(error)) => Err(error),
        (None, None) => Err(nothing()),
    }
}

/// The similarity grows with ln b: a bracket is halved, or cut where a straight line would have it.
fn reach_one(
    session: &Session<'_, Likelihood>,
    model: Model,
    target: f64,
    watch: Watch<'_>,
) -> Result<Candidate, Error> {
    let mut start: Option<Point> = None;
    let mut solves = 0;
    let mut at = |ln_b: f64| -> Result<(f64, Candidate), Error> {
        let model = Model {
            coupling: Some(ln_b.exp()),
            ..model
        };
        let whole = session.whole(&model, start.as_ref(), watch)?;
        start = Some(whole.point.clone());
        let fit = session.fit_from(&model, whole.clone(), watch)?;
        let graph = session.graph(&fit);
        let similarity = graph.similarity().unwrap_or(1.0);
        solves += 1;
        let _ = watch(&Progress::Tried {
            solves,
            density: graph.mean_density(),
            similarity: Some(similarity),
        });
        Ok((similarity, Candidate { model, whole }))
    };
    let (mut low, mut high) = (WEAKEST.ln(), STRONGEST.ln());
    let (mut low_value, mut high_value) = (None, None);
    let mut best: Option<(f64, Candidate)> = None;
    let mut next = 2.0_f64.ln();
    for trial in 0..MOST_TRIALS {
        let (value, candidate) = at(next)?;
        let is_better = best
            .as_ref()
            .is_none_or(|(other, _)| (value - target).abs() < (other - target).abs());
        if is_better {
            best = Some((value, candidate));
        }
        if (value - target).abs() <= NEAR {
            break;
        }
        if value < target {
            (low, low_value) = (next, Some(value));
        } else {
            (high, high_value) = (next, Some(value));
        }
        if high - low < 1e-4 {
            break;
        }
        next = match (low_value, high_value) {
            (Some(x), Some(y)) if trial % 3 != 2 && y > x => {
                (low + (high - low) * (target - x) / (y - x)).clamp(low + 0.1 * (high - low), high - 0.1 * (high - low))
            }
            (Some(_), Some(_)) => 0.5 * (low + high),
            (None, _) => (next - 1.5).max(low),
            (_, None) => (next + 1.5).min(high),
        };
    }
    let (value, candidate) = best.ok_or_else(nothing)?;
    // Similarities move in steps where edges come and go.
    if (value - target).abs() <= 0.005 {
        return Ok(candidate);
    }
    let hint = format!(
        "ask for about {}, or {} to learn the views separately",
        shown(value),
        option("single").added()
    );
    // However strongly they are coupled, views become equal in the end.
    let high = if low_value.is_none() {
        1.0
    } else {
        high_value.unwrap_or(value).max(value)
    };
    let low = low_value.unwrap_or(value).min(value);
    Err(unreachable("similarity", target, low, high, &hint))
}
