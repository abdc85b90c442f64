//! What chance alone would give: two questions to ask before believing any graph.
//!
//! ```text
//! correlations   do the signals of different nodes have anything to do with each other?   (W13 if not)
//! agreement      do graphs of views learned one by one agree more than relabelled ones?   (W15 if not)
//! ```
//!
//! An optimal graph of pure noise is still a graph. Neither question depends on the method that learns it. Both compare
//! one number with its mean and standard deviation under a null in which nothing is shared; these have closed forms, so
//! no surrogate data are drawn, no seed is needed, and the answer is the same to the bit for any order of nodes and
//! views.

pub(crate) mod agreement;
mod correlations;
mod reference;
mod residuals;
mod units;

pub use agreement::Agreement;
pub use correlations::{BEYOND_CHANCE, Correlations};
pub(crate) use reference::{before_reference, some_sums_to_zero, sum_to_zero};

use crate::error::Warning;
use crate::options::option;
use crate::views::{Kind, Views};

impl Correlations {
    /// W13, if nothing in the data goes beyond chance.
    pub fn warning(&self) -> Option<Warning> {
        (!self.is_beyond_chance()).then(|| {
        Warning::new(
            "W13",
            format!(
                "nothing beyond chance: taken together, the nodes are no more correlated than unrelated signals would \
                 be (z = {:.1}; at least {BEYOND_CHANCE} is needed), so nothing says that the edges of these graphs \
                 mean anything",
                self.z()
            ),
        )
    })
    }
}

/// How W05 begins where it cannot be told whether anything goes beyond chance.
const UNKNOWN: &str = "whether anything here goes beyond chance";

/// W05: it cannot be told whether anything goes beyond chance.
pub(crate) fn unjudged(views: &Views) -> Warning {
    let why = match views.kind() {
        Kind::Signals => format!(
            "every view has fewer than {} samples, or fewer than {} trials of closely correlated samples",
            correlations::LEAST_SAMPLES,
            units::LEAST_BLOCKS
        ),
        Kind::Gram | Kind::Covariance => {
            let samples = option("samples");
            format!("a precomputed matrix does not say how many samples it was made from; {samples} tells")
        }
    };
    Warning::new("W05", format!("{UNKNOWN} is not known: {why}"))
}

/// W15: the views, learned one by one, have nothing in common. Whether there is structure in them may not be known.
pub(crate) fn imposed_warning(agreement: &Agreement, others: &[Warning]) -> Option<Warning> {
    (!agreement.is_shared()).then(|| {
        let is_known = !others.iter().any(|warning| warning.message.starts_with(UNKNOWN));
        let what = if is_known { "structure, but none" } else { "nothing" };
        Warning::new(
            "W15",
            format!(
                "{what} that the views' graphs share: learned one by one, they agree no more than graphs \
                 whose node names are permuted (similarity {:.3}, z = {:.1}); the agreement shown is imposed by the \
                 similarity that was asked for",
                agreement.similarity, agreement.z
            ),
        )
    })
}
