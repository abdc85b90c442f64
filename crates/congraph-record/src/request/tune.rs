//! What was asked of a path: its densities and similarities, and how its fits are judged.

use congraph::Error;
use congraph::options::{option, step};
use congraph::tune::choice::Search;
use congraph::tune::held_out::KEEP;
use congraph::tune::path::Grid;
use congraph::tune::stability::{Rule, Stability};

use super::{Asked, FitRequest, Value};
use crate::choices::{Choice, Method, TuneRule};
use crate::refusal::{RequestError, check_range};

/// A path over densities and similarities, and the choice of one of its fits.
#[derive(Clone, Debug)]
pub struct TuneRequest {
    /// How each fit is made; its targets are the path's.
    pub fit: FitRequest,
    /// The least and the highest density; the usual ones otherwise.
    pub density: Option<[f64; 2]>,
    /// The least and the highest similarity; the usual ones otherwise.
    pub similarity: Option<[f64; 2]>,
    /// By what a fit is chosen.
    pub rule: TuneRule,
    /// By likelihood, the share of the best gain that the choice keeps.
    pub keep: f64,
    /// How often the samples of every view are halved.
    pub halvings: usize,
    /// By stability, the most instability that the choice may have.
    pub threshold: f64,
    /// The seed of the halves.
    pub seed: u64,
}

impl Default for TuneRequest {
    fn default() -> Self {
        let usual = Stability::default();
        Self {
            fit: FitRequest::default(),
            density: None,
            similarity: None,
            rule: TuneRule::default(),
            keep: KEEP,
            halvings: usual.halvings,
            threshold: usual.threshold,
            seed: usual.seed,
        }
    }
}

/// How a path is fitted and chosen from.
#[derive(Clone, Debug)]
pub struct TuneAsked {
    /// How each fit is made.
    pub fit: Asked,
    density: Option<[f64; 2]>,
    similarity: Option<[f64; 2]>,
    stability: Stability,
}

impl TuneAsked {
    /// The search on so many nodes, on which the usual densities depend.
    ///
    /// # Errors
    /// If ends of the path are not two numbers above 0 and at most 1, the smaller first.
    pub fn search(&self, n_nodes: usize) -> Result<Search, Error> {
        Ok(Search {
            grid: Grid::asked(n_nodes, self.density, self.similarity)?,
            // Ends that were given are kept.
            may_extend: [self.density.is_none(), self.similarity.is_none()],
            stability: self.stability,
        })
    }

    /// With this many bytes of memory, unless it was asked for.
    #[must_use]
    pub fn with_free_memory(mut self, bytes: Option<u64>) -> Self {
        self.fit = self.fit.with_free_memory(bytes);
        self
    }
}

impl TuneRequest {
    /// Sets what the choice depends on by its id; the fit has options of its own.
    ///
    /// # Errors
    /// If it is not an option of a path, or the value is of another kind than it takes.
    pub fn set(&mut self, id: &str, value: &Value) -> Result<(), RequestError> {
        match id {
            "rule" => self.rule = value.choice()?,
            "keep" => self.keep = value.number("keep")?,
            "halvings" => self.halvings = value.size("halvings")?,
            "threshold" => self.threshold = value.number("threshold")?,
            "seed" => self.seed = value.count("seed")?,
            other => {
                let message = format!("`{other}` is not an option of a path");
                return Err(RequestError::usage("options", message, ""));
            }
        }
        Ok(())
    }

    /// Checks everything, and says what the library is to run.
    ///
    /// # Errors
    /// The first option that is out of its range.
    pub fn resolve(&self) -> Result<TuneAsked, RequestError> {
        if self.fit.method != Method::Smooth {
            return Err(RequestError::usage(
                Method::ID,
                format!(
                    "{} cannot be tuned: a path is one of the method {}",
                    option(Method::ID).set_to(self.fit.method.word()).bare(),
                    Method::Smooth.word()
                ),
                format!(
                    "{}; the likelihood chooses by itself what it is not given",
                    step("learn_once", "learn once")
                ),
            ));
        }
        check_range("tol", self.fit.tol, self.fit.tol > 0.0, "finite and positive")?;
        check_range("threshold", self.threshold, self.threshold > 0.0, "finite and positive")?;
        let is_share = self.keep > 0.0 && self.keep <= 1.0;
        check_range("keep", self.keep, is_share, "above 0 and at most 1")?;
        Ok(TuneAsked {
            fit: self.fit.smooth()?,
            density: self.density,
            similarity: self.similarity,
            stability: Stability {
                rule: match self.rule {
                    TuneRule::Likelihood => Rule::Likelihood { keep: self.keep },
                    TuneRule::Stability => Rule::Stability,
                },
                halvings: self.halvings,
                threshold: self.threshold,
                seed: self.seed,
            },
        })
    }
}
