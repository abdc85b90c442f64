//! The two methods that came after the paper: its model on signals that are whitened half-way, with its parameters chosen
//! as all others are; and the likelihood, which chooses its own without any truth.

use congraph::methods::likelihood::Likelihood;
use congraph::tune::Wanted;
use congraph::{Error, Learn, MultiviewGraph, Scaling, Smooth, Spectrum, Views, no_progress};

use super::protocol::{Protocol, SIMILARITY};
use super::score::{Method, Score};

/// The power that singular values are taken to.
const EXPONENT: f64 = 0.5;

/// mvGL-ℓ1 on half the spectrum.
pub(super) fn spectrum(views: &Views, truth: &MultiviewGraph) -> Result<Score, Error> {
    let learner = Smooth {
        // The spectrum of signals that are not scaled means nothing.
        scaling: Scaling::default(),
        spectrum: Spectrum::new(EXPONENT),
        ..Smooth::default()
    };
    let protocol = Protocol {
        session: learner.session(views, &no_progress)?,
        truth,
        similarity: SIMILARITY,
    };
    let fit = protocol.coupled()?;
    protocol.score(Method::Spectrum, &protocol.session.graph(&fit), fit.model.parameters)
}

/// The likelihood as users have it.
pub(super) fn likelihood(views: &Views, truth: &MultiviewGraph) -> Result<Score, Error> {
    let chosen = Likelihood::default().learn_to(views, &Wanted::default(), &no_progress)?;
    let model = chosen.method.model;
    let parameters = [
        model.filter.order() as f64,
        model.coupling.unwrap_or(0.0),
        chosen.learned.details.threshold,
    ];
    Score::of(Method::Likelihood, &chosen.learned.graph, truth, parameters)
}
