//! Sessions of the likelihood: the whole problem and the refit apart, for those who compare models.

use super::session::{Fit, Session};
use crate::error::Error;
use crate::methods::likelihood::{Likelihood, Model, Point, Whole};
use crate::progress::Watch;

impl Session<'_, Likelihood> {
    /// Solves the whole problem of a model, before any threshold.
    ///
    /// # Errors
    /// What the method refuses.
    pub fn whole(&self, model: &Model, start: Option<&Point>, watch: Watch<'_>) -> Result<Whole, Error> {
        self.method().whole(self.data(), model, start, watch)
    }

    /// The fit of a model from its whole solution.
    ///
    /// # Errors
    /// What the method refuses.
    pub fn fit_from(&self, model: &Model, whole: Whole, watch: Watch<'_>) -> Result<Fit<Likelihood>, Error> {
        self.timed(model, || self.method().refit(self.data(), model, whole, watch))
    }

    /// The mean density of the views before any threshold.
    pub fn density_of(&self, whole: &Whole) -> f64 {
        self.method().density_of(self.data(), whole)
    }
}
