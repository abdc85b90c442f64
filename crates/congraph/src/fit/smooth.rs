//! Sessions of the paper's model: views learned separately beside a coupled fit, and how far they agree.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use super::learned::Learned;
use super::session::{Fit, Session};
use crate::chance::{self, Agreement};
use crate::distances::Distances;
use crate::error::Error;
use crate::methods::smooth::warnings::of_components;
use crate::methods::smooth::{Data, Model, Newton, Problem, Smooth, Solver, Start};
use crate::progress::Watch;

/// The relative gap of a fit of which a few digits are wanted.
const ROUGH: f64 = 1e-6;

impl Fit<Smooth> {
    /// How many pairs of nodes there are that some view has.
    pub fn n_pairs(&self) -> usize {
        self.solution.n_pairs()
    }

    /// The mean density of the views.
    pub fn density(&self) -> f64 {
        self.solution.density()
    }

    /// The mean correlation between views; none for a single one.
    pub fn similarity(&self) -> Option<f64> {
        self.solution.similarity()
    }

    /// The density of the consensus (of no meaning where each view is learned on its own).
    pub fn consensus_density(&self) -> f64 {
        self.solution.consensus_density()
    }
}

impl Session<'_, Smooth> {
    /// Solves for a model with another solver than the method's.
    ///
    /// # Errors
    /// What [`Problem`] and the solver refuse.
    pub fn fit_with(
        &self,
        solver: &dyn Solver,
        model: &Model,
        start: Option<&Start>,
        watch: Watch<'_>,
    ) -> Result<Fit, Error> {
        self.timed(model, || Smooth::fit_with(&self.data, solver, model, start, watch))
    }

    /// How far the views of a coupled fit agree when each is learned on its own; none for views that are not coupled.
    fn agreement(&self, fit: &Fit, watch: Watch<'_>) -> Result<Option<Agreement>, Error> {
        if !fit.model.is_coupled() {
            return Ok(None);
        }
        Ok(self.agreement_of(&self.separate(fit, watch)?))
    }

    /// How far the views of a fit agree.
    pub(crate) fn agreement_of(&self, separate: &Fit) -> Option<Agreement> {
        let found = Agreement::of(&self.arranged_graph(separate))?;
        let may_decide = !found.is_certain() || !chance::some_sums_to_zero(self.views());
        Some(Agreement { may_decide, ..found })
    }

    /// Every view on its own, at the α of a fit and among its pairs, to a few digits: what the views have in common
    /// without being coupled.
    pub(crate) fn separate(&self, fit: &Fit, watch: Watch<'_>) -> Result<Fit, Error> {
        let clock = Instant::now();
        let model = Model::uncoupled(fit.model.parameters.alpha);
        let rough = Newton {
            tolerance: ROUGH,
            polish: false,
            ..Newton::default()
        };
        let (distances, start) = (&fit.solution.distances, Some(&fit.solution.multipliers));
        let mut solution = match (&self.data, rough.working_set()) {
            (Data::Many(all), Some(set)) => set.solve_listed(all, distances, &model, start, watch)?,
            _ => rough.solve(&Problem::new(Arc::clone(distances), model.clone())?, start, watch)?,
        };
        solution.is_working_set = fit.solution.is_working_set;
        Ok(Fit {
            model,
            solution,
            time: clock.elapsed(),
        })
    }

    /// What [`Session::learned`] tells, of a fit that was chosen for the user, and how far its views agree when each is
    /// learned on its own.
    ///
    /// # Errors
    /// What [`Problem`] refuses.
    pub fn learned_by_choice(&self, fit: Fit, watch: Watch<'_>) -> Result<(Learned, Option<Agreement>), Error> {
        let agreement = self.agreement(&fit, watch)?;
        let learned = self.learned(fit, watch)?.found(agreement.as_ref(), false);
        Ok((learned, agreement))
    }

    /// Some distances for a first guess of α: all that are listed, or those of nearest neighbours.
    pub(crate) fn short_distances(&self) -> Cow<'_, Distances> {
        match &self.data {
            Data::Listed(distances) => Cow::Borrowed(distances),
            Data::Many(all) => {
                let pairs = all.nearest().to_vec();
                let values = all.rough_distances_of(&pairs);
                Cow::Owned(Distances::clone(&all.restricted(pairs, values)))
            }
        }
    }
}

impl Learned<Smooth> {
    /// The same, of a fit whose parameters were found for targets: with a warning if the views have nothing in common
    /// but what couples them (where there is nothing at all, that is all there is to say), and one of several
    /// components where the user did not choose the density.
    #[must_use]
    pub(crate) fn found(mut self, agreement: Option<&Agreement>, is_density_chosen: bool) -> Self {
        // Views that agree this well are not noise, whatever their few samples say.
        if agreement.is_some_and(Agreement::is_certain) {
            self.warnings.retain(|warning| warning.code != "W13");
        }
        let is_noise = self.warnings.iter().any(|warning| warning.code == "W13");
        let imposed = agreement.filter(|_| !is_noise);
        if let Some(warning) = imposed.and_then(|agreement| chance::imposed_warning(agreement, &self.warnings)) {
            // From a consensus that is imposed no view can stand out.
            self.warnings.retain(|warning| warning.code != "W11");
            let first = usize::from(!self.converged());
            self.warnings.insert(first, warning);
        }
        if !is_density_chosen && !self.warnings.iter().any(|warning| warning.code == "W07") {
            let warning = of_components(&self.graph, self.model.parameters.gamma, false);
            self.warnings.extend(warning);
        }
        self
    }
}
