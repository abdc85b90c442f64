//! α, β and γ for what users think in: how dense the graphs are, how alike the views, how dense the consensus.
//!
//! ```text
//! density             mean over the views of the share of pairs with a weight > 0      mostly α
//! similarity          mean Pearson correlation between the views' weights              mostly β
//! consensus density   share of pairs with a consensus weight > 0                       mostly γ, a share of β√N for ℓ2
//! ```
//!
//! [`Session::reach`] finds the parameters for [`Targets`] in a few fits, each from the multipliers of the one before:
//! secants in all unknowns at once on scales where everything is nearly straight (ln density over ln α, logit of the
//! similarity's place between its floor and 1 over ln β), and brackets around each unknown in turn where that fails.
//! Densities move in steps (edges come and go one by one, fused ones in all views together), so the nearest is taken.
//!
//! The **floor** of the similarity is what the views have at that density when each is learned on its own; β can only
//! raise it.

pub mod best_by_truth;
mod broyden;
pub mod choice;
mod couplings;
mod extension;
mod followed;
pub mod held_out;
mod information;
mod initial_guess;
mod methods;
pub mod parts;
pub mod path;
mod reach;
mod resample;
pub(crate) mod scalar_root;
mod search;
mod similarity;
pub mod spectrum;
pub mod stability;
mod unreachable;

use std::time::Instant;

use serde::{Deserialize, Serialize};

pub use couplings::COUPLINGS;
pub use information::{Chosen, Tried, Wanted, judge, noise};
pub use methods::{Contender, Explained, compare_methods};

use crate::chance::Agreement;
use crate::error::Error;
use crate::fit::{Fit, Learn, Learned, Session};
use crate::methods::smooth::{Model, Parameters, Smooth};
use crate::progress::Watch;
use crate::views::Views;

/// What a parameter is chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Dial {
    /// Nothing: the method's own parameter is kept.
    Fixed,
    /// A target that suits most data; see [`Targets`].
    #[default]
    Usual,
    /// This target.
    At(f64),
}

impl From<f64> for Dial {
    fn from(target: f64) -> Self {
        Self::At(target)
    }
}

/// The targets; each is reached by one parameter, which is kept where the dial is [`Dial::Fixed`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    /// The mean density of the views, reached by α. Usually min(0.15, 10/(n − 1)): no more than ten neighbours a node.
    pub density: Dial,
    /// The mean correlation between views, reached by β. Usually half-way from its floor to 1. Not used by views on
    /// their own.
    pub similarity: Dial,
    /// The density of the consensus, reached by γ. Usually γ is kept. Not used by views on their own.
    pub consensus_density: Dial,
}

impl Default for Targets {
    fn default() -> Self {
        Self {
            density: Dial::Usual,
            similarity: Dial::Usual,
            consensus_density: Dial::Fixed,
        }
    }
}

impl Targets {
    /// A density and a similarity.
    pub fn new(density: f64, similarity: f64) -> Self {
        Self {
            density: Dial::At(density),
            similarity: Dial::At(similarity),
            ..Self::default()
        }
    }

    /// The usual density of graphs on n nodes.
    pub fn usual_density(n_nodes: usize) -> f64 {
        (10.0 / (n_nodes.max(2) - 1) as f64).min(0.15)
    }

    /// The usual similarity of views whose floor is this.
    pub fn usual_similarity(floor: f64) -> f64 {
        0.5 * (1.0 + floor)
    }
}

/// A target and what was reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// The target.
    pub target: f64,
    /// The value of the fit.
    pub value: f64,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// α, β and γ.
    pub parameters: Parameters,
    /// The mean density of the views, if that was a target.
    pub density: Option<Reach>,
    /// The similarity, if that was a target.
    pub similarity: Option<Reach>,
    /// The density of the consensus, if that was a target.
    pub consensus_density: Option<Reach>,
    /// The similarity of the views when each is learned on its own: at the same density where similarity was a target,
    /// else at the same α. None without a consensus.
    pub floor: Option<f64>,
    /// Whether that is more than chance.
    pub agreement: Option<Agreement>,
    /// How many problems were solved.
    pub solves: usize,
}

/// Graphs that were learned for targets.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The graphs.
    pub learned: Learned,
    /// The method with the parameters that were found: it reproduces the graphs.
    pub method: Smooth,
    /// What was asked for and what was reached.
    pub reached: Reached,
}

impl Smooth {
    /// Learns the graphs of the views with the α, β and γ that reach the targets.
    ///
    /// # Errors
    /// E10 with the reachable range if a target cannot be reached, and as [`Learn::learn`](crate::Learn::learn).
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::{Smooth, Targets, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 40, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let tuned = Smooth::default().learn_to(&views, &Targets::new(0.12, 0.85), &no_progress)?;
    /// assert!((tuned.learned.graph.mean_density() - 0.12).abs() < 0.005);
    /// assert!((tuned.learned.graph.similarity().unwrap() - 0.85).abs() < 0.005);
    /// assert!(tuned.method.model.parameters.beta > 0.0);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn learn_to(&self, views: &Views, targets: &Targets, watch: Watch<'_>) -> Result<Tuned, Error> {
        let mut method = self.clone();
        // What is looked for cannot be refused beforehand.
        if targets.similarity != Dial::Fixed {
            method.model.parameters.beta = 1.0;
        }
        let session = method.session(views, watch)?;
        let clock = Instant::now();
        let (fit, reached) = session.reach(targets, watch)?;
        let solve_time = clock.elapsed();
        let is_density_chosen = targets.density != Dial::Usual;
        let learned = Learned {
            solve_time,
            ..session
                .learned(fit, watch)?
                .found(reached.agreement.as_ref(), is_density_chosen)
        };
        method.model.parameters = reached.parameters;
        Ok(Tuned {
            learned,
            method,
            reached,
        })
    }
}

impl Session<'_> {
    /// The fit whose α, β and γ reach the targets.
    ///
    /// # Errors
    /// E10 with the reachable range if a target cannot be reached; what the solver refuses.
    pub fn reach(&self, targets: &Targets, watch: Watch<'_>) -> Result<(Fit, Reached), Error> {
        reach::reach(self, &self.method().model, targets, watch)
    }

    /// The same with another model than the method's: its penalty, its regulariser, and those of its parameters that
    /// are kept.
    ///
    /// # Errors
    /// As [`Session::reach`].
    pub fn reach_with(&self, model: &Model, targets: &Targets, watch: Watch<'_>) -> Result<(Fit, Reached), Error> {
        reach::reach(self, model, targets, watch)
    }
}
