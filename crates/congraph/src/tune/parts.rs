//! A search in parts: the fits to halves of the data, which take most of its time, some here and others elsewhere.
//!
//! ```text
//! Search::next_path   the cells of the next round, fitted to all data
//! Search::halved      some halvings of these cells: each depends on its number alone
//! Steps::with         all halvings of the round together
//! ```
//!
//! These three again until there is no next round, and [`Search::choose`] resumes after the last step: it has nothing
//! left to fit but the choice. A round follows from the verdicts of the one before, so rounds cannot be made at once.
//! Predictions and gains are floats: they are kept halving by halving and added in the order of their numbers, so that
//! parts give the same as one run, to the bit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choice::{Follow, Search, Steps};
use super::stability::Tally;
use crate::error::Error;
use crate::fit::Learn;
use crate::methods::smooth::Smooth;
use crate::progress::{Progress, Watch};
use crate::views::Views;

/// What some halvings said of the cells of a round, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Halved(pub BTreeMap<usize, Vec<Tally>>);

impl Halved {
    /// Together with other halvings; none if some are the same.
    #[must_use]
    pub fn with(mut self, other: Self) -> Option<Self> {
        let n_both = self.0.len() + other.0.len();
        self.0.extend(other.0);
        (self.0.len() == n_both).then_some(self)
    }

    /// Whether these can be halvings of so many cells and nodes.
    pub fn fits(&self, n_cells: usize, n_nodes: usize) -> bool {
        let is_edge = |(&[a, b], &count): (&[u32; 2], &u32)| a != b && a.max(b) < n_nodes as u32 && count <= 2;
        let is_tally = |tally: &Tally| tally.counts.iter().all(is_edge);
        self.0
            .values()
            .all(|tallies| tallies.len() == n_cells && tallies.iter().all(is_tally))
    }
}

impl Search {
    /// The steps with the cells of the next round, fitted to all data but not halved; none if there is no other round, or
    /// the watch asked to stop.
    ///
    /// # Errors
    /// As [`Search::choose`].
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::tune::choice::{NoFollower, Search, Steps};
    /// use congraph::tune::path::Grid;
    /// use congraph::tune::stability::Stability;
    /// use congraph::{Smooth, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let grid = Grid { densities: vec![0.1, 0.2], similarities: vec![0.85] };
    /// let stability = Stability { halvings: 3, ..Stability::default() };
    /// let search = Search { grid, may_extend: [false; 2], stability };
    /// let method = Smooth::default();
    ///
    /// let mut steps = Steps::default();
    /// while let Some(round) = search.next_path(&method, &views, steps.clone(), &mut NoFollower, &no_progress)? {
    ///     let here = search.halved(&method, &views, &round, &[1], &no_progress)?.unwrap();
    ///     let elsewhere = search.halved(&method, &views, &round, &[2, 0], &no_progress)?.unwrap();
    ///     steps = round.with(here.with(elsewhere).unwrap());
    /// }
    /// let chosen = search.choose(&method, &views, steps, &mut NoFollower, &no_progress)?;
    /// let whole = search.choose(&method, &views, Steps::default(), &mut NoFollower, &no_progress)?;
    /// assert_eq!(chosen.verdicts, whole.verdicts);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn next_path<F: Follow>(
        &self,
        method: &Smooth,
        views: &Views,
        mut steps: Steps,
        follow: &mut F,
        watch: Watch<'_>,
    ) -> Result<Option<Steps>, F::Error> {
        self.check()?;
        let search = self.for_nodes(views.n_nodes());
        let Some(rows) = search.next_rows(views, &mut steps) else {
            return Ok(None);
        };
        let session = method.session(views, watch)?;
        let is_whole = search.path(&session, &rows, &mut steps, follow, watch)?;
        Ok((is_whole && steps.cells.len() > steps.settled).then_some(steps))
    }

    /// The halvings of these numbers of the cells of a round; none if the watch asked to stop.
    ///
    /// # Errors
    /// E05 if a view cannot be halved; what the solver refuses.
    pub fn halved(
        &self,
        method: &Smooth,
        views: &Views,
        round: &Steps,
        numbers: &[usize],
        watch: Watch<'_>,
    ) -> Result<Option<Halved>, Error> {
        let stability = self.for_nodes(views.n_nodes()).stability;
        let cells = &round.cells[round.settled..];
        let (mut halved, total) = (Halved::default(), 2 * cells.len() * numbers.len());
        for some in numbers.chunks(rayon::current_num_threads().max(1)) {
            let found = stability.halvings(method, views, cells, some, watch)?;
            halved.0.extend(some.iter().copied().zip(found));
            let done = 2 * cells.len() * halved.0.len();
            if watch(&Progress::Fitted { done, total }).is_break() {
                return Ok(None);
            }
        }
        Ok(Some(halved))
    }
}

impl Steps {
    /// A round with all of its halvings.
    #[must_use]
    pub fn with(mut self, halved: Halved) -> Self {
        self.halvings = halved.0.len();
        self.tallies.truncate(self.settled);
        self.tallies.resize(self.cells.len(), Tally::default());
        // In the order of numbers.
        for tallies in halved.0.into_values() {
            for (tally, more) in self.tallies[self.settled..].iter_mut().zip(tallies) {
                tally.add(more);
            }
        }
        self
    }
}
