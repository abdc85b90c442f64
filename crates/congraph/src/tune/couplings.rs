//! Fits of one likelihood for many couplings: all that the criterion compares, or the one of a similarity.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::information::{Tried, Wanted};
use super::unreachable::{shown, unreachable};
use crate::error::{Code, DataError, Error};
use crate::fit::Session;
use crate::methods::likelihood::{Filter, Likelihood, Model, Point, Signs, Sparsity, Whole};
use crate::options::option;
use crate::parallel::chunks::try_map;
use crate::progress::{Progress, Status, Watch};

/// The couplings that are tried, from the strongest down.
pub const COUPLINGS: [f64; 6] = [5.6, 4.0, 2.8, 2.0, 1.4, 1.0];
/// Those that are tried beyond them where a density is out of their reach.
const FURTHER: [f64; 8] = [300.0, 90.0, 32.0, 16.0, 8.0, 0.5, 0.1, 0.01];
/// A similarity this near to what is asked for is near enough.
const NEAR: f64 = 0.002;
/// Similarities are looked for between these couplings.
const WEAKEST: f64 = 0.01;
const STRONGEST: f64 = 300.0;
/// In so many fits at most.
const MOST_TRIALS: usize = 24;

/// What is said where no coupling could be fitted.
pub(super) fn nothing() -> Error {
    Error::Invalid {
        what: "likelihood",
        message: "could not be fitted for any coupling".into(),
    }
}

/// A model with its whole fit.
pub(super) struct Candidate {
    pub(super) model: Model,
    pub(super) whole: Whole,
}

impl Candidate {
    pub(super) fn tried(&self) -> Tried {
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

/// The filters that are compared.
fn filters(session: &Session<'_, Likelihood>, wanted: &Wanted) -> Vec<Filter> {
    match (wanted.filter, session.method().model.signs) {
        (_, Signs::Both) => vec![Filter::Once],
        (Some(filter), Signs::Attractive) => vec![filter],
        (None, Signs::Attractive) => vec![Filter::Once, Filter::Twice],
    }
}

/// Fits of all models that are to be compared.
pub(super) fn compare(
    session: &Session<'_, Likelihood>,
    wanted: &Wanted,
    watch: Watch<'_>,
) -> Result<Vec<Candidate>, Error> {
    let couplings: Vec<Option<f64>> = match (is_alone(session, wanted), wanted.coupling) {
        (true, _) => vec![None],
        (false, Some(given)) => vec![Some(given)],
        (false, None) => COUPLINGS.map(Some).to_vec(),
    };
    compare_at(session, wanted, &couplings, watch)
}

/// Whether each view is learned on its own.
fn is_alone(session: &Session<'_, Likelihood>, wanted: &Wanted) -> bool {
    wanted.is_single || session.n_views() == 1
}

/// Fits with each filter and these couplings, each from the one before.
fn compare_at(
    session: &Session<'_, Likelihood>,
    wanted: &Wanted,
    couplings: &[Option<f64>],
    watch: Watch<'_>,
) -> Result<Vec<Candidate>, Error> {
    let method = session.method();
    let filters = filters(session, wanted);
    let total = filters.len() * couplings.len();
    let done = AtomicUsize::new(0);
    let tell = |more: usize| {
        let done = done.fetch_add(more, Ordering::Relaxed) + more;
        let _ = watch(&Progress::Compared { done, total });
    };
    tell(0);
    let of_filter = |filter: &Filter| {
        let mut found: Vec<Candidate> = Vec::new();
        for &coupling in couplings {
            let model = Model {
                filter: *filter,
                coupling,
                ..method.model
            };
            let start = found.last().map(|before| &before.whole.point);
            let whole = session.whole(&model, start, watch)?;
            let is_interrupted = whole.status == Status::Interrupted;
            found.push(Candidate { model, whole });
            tell(1);
            if is_interrupted {
                break;
            }
        }
        Ok::<_, Error>(found)
    };
    let all: Vec<Vec<Candidate>> = try_map(filters.par_iter(), of_filter)?;
    Ok(all.into_iter().flatten().collect())
}

/// The least criterion among certified fits; among all, if none is certified.
pub(super) fn least(candidates: &[Candidate]) -> Option<&Candidate> {
    let better = |x: &&Candidate, y: &&Candidate| x.whole.aic.total_cmp(&y.whole.aic);
    let certified = candidates.iter().filter(|one| one.tried().is_certified).min_by(better);
    certified.or_else(|| candidates.iter().min_by(better))
}

pub(super) fn take_least(mut candidates: Vec<Candidate>) -> Option<Candidate> {
    let best = least(&candidates)?.tried();
    let place = candidates.iter().position(|one| one.tried() == best)?;
    Some(candidates.swap_remove(place))
}

/// The best by the criterion of those whose graphs are as dense as is asked for. Where none is, other couplings are tried
/// unless one is given.
///
/// # Errors
/// E10 if none is as dense.
pub(super) fn take_dense(
    session: &Session<'_, Likelihood>,
    wanted: &Wanted,
    density: f64,
    mut candidates: Vec<Candidate>,
    tried: &mut Vec<Tried>,
    watch: Watch<'_>,
) -> Result<Candidate, Error> {
    let reaches = |one: &Candidate| is_as_dense(session, one, density);
    let is_free = !is_alone(session, wanted) && wanted.coupling.is_none();
    if is_free && !candidates.iter().any(reaches) {
        let further = compare_at(session, wanted, &FURTHER.map(Some), watch)?;
        tried.extend(further.iter().map(Candidate::tried));
        candidates.extend(further);
    }
    let most = candidates
        .iter()
        .map(|one| session.density_of(&one.whole))
        .fold(0.0, f64::max);
    candidates.retain(reaches);
    let limit = match (is_free, is_alone(session, wanted)) {
        (true, _) => Limit::Any,
        (false, true) => Limit::Alone,
        (false, false) => Limit::Given,
    };
    take_least(candidates).ok_or_else(|| too_dense(density, most, limit))
}

/// Whether the whole fit has as many edges as are asked for, but for rounding.
pub(super) fn is_as_dense(session: &Session<'_, Likelihood>, one: &Candidate, density: f64) -> bool {
    let half_an_edge = 0.5 / session.views().n_pairs().max(1) as f64;
    density <= session.density_of(&one.whole) + half_an_edge.max(0.002)
}

/// What limits how dense a graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// Nothing: every coupling was tried.
    Any,
    /// Each view is learned on its own.
    Alone,
    /// The coupling that was given.
    Given,
    /// The coupling that reaches the similarity that is asked for.
    Similarity,
}

/// E10: a density beyond what the likelihood gives a weight.
pub(super) fn too_dense(density: f64, most: f64, limit: Limit) -> Error {
    let (at, instead) = match limit {
        Limit::Any => (", however strongly the views are coupled", ""),
        Limit::Alone => ("", ""),
        Limit::Given => (
            " at this coupling",
            "ask for the density alone, for which a coupling is then chosen; or ",
        ),
        Limit::Similarity => (
            " at the coupling that reaches this similarity",
            "ask for the density alone, for which a coupling is then chosen; or ",
        ),
    };
    let hint = format!(
        "{instead}ask for at most {}, or learn by the method `smooth`",
        shown((1e3 * most).floor() / 1e3)
    );
    DataError::new(
        Code::E10,
        format!(
            "a density of {density} cannot be reached: the likelihood gives no more than {} of the pairs a weight{at}",
            shown(most)
        ),
        "what a likelihood leaves without a weight, the data say nothing for",
        hint,
    )
    .into()
}

/// b for a similarity: of each filter that may be used, then the better one by the criterion.
pub(super) fn reach(
    session: &Session<'_, Likelihood>,
    wanted: &Wanted,
    target: f64,
    sparsity: Sparsity,
    tried: &mut Vec<Tried>,
    watch: Watch<'_>,
) -> Result<Candidate, Error> {
    let mut found = Vec::new();
    let mut refused = None;
    for filter in filters(session, wanted) {
        let model = Model {
            filter,
            sparsity,
            ..session.method().model
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
        let graph = session.arranged_graph(&fit);
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
