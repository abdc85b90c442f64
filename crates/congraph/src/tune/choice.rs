//! The whole of tuning in one loop: a path of fits, halves of the data, a verdict on each fit, and the one that is
//! chosen.
//!
//! [`Search::choose`] is what the command line and Python both call, so that they cannot choose differently. Its
//! progress is kept in [`Steps`]. The caller is shown them after every row of the path and every few halvings
//! ([`Follow`]), may store them, and passes them back to resume an earlier run.

use super::Reached;
use super::path::{Cell, Grid};
use super::stability::{CellStability, Stability, Tally, halved_time_series};
use crate::error::{Code, DataError, Error};
use crate::fit::{Learn, Learned, Session};
use crate::graph::MultiviewGraph;
use crate::methods::smooth::Smooth;
use crate::options::option;
use crate::progress::{Progress, Watch};
use crate::views::Views;

/// Which fits are tried, and how they are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The densities and similarities.
    pub grid: Grid,
    /// How stability is found out.
    pub stability: Stability,
}

/// What was done so far: all that is needed to resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// How many densities are done.
    pub rows: usize,
    /// Their fits.
    pub cells: Vec<Cell>,
    /// How many halvings are done.
    pub halvings: usize,
    /// What the halves said of each cell.
    pub tallies: Vec<Tally>,
}

/// Follows the steps of a search, and may end it.
pub trait Follow {
    /// The error that ends the search, besides those of the library.
    type Error: From<Error>;

    /// A cell was fitted to all data; its graphs are made if they are asked for.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn fitted(&mut self, cell: &Cell, graph: &dyn Fn() -> MultiviewGraph) -> Result<(), Self::Error> {
        let _ = (cell, graph);
        Ok(())
    }

    /// A step is done: a row of the path, or some halvings.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn done(&mut self, steps: &Steps) -> Result<(), Self::Error> {
        let _ = steps;
        Ok(())
    }
}

/// Follows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFollower;

impl Follow for NoFollower {
    type Error = Error;
}

/// The fit that was chosen, and all others.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// All fits.
    pub steps: Steps,
    /// What the halves say of each.
    pub verdicts: Vec<CellStability>,
    /// Which was chosen.
    pub cell: usize,
    /// The method with its parameters: it reproduces the graphs.
    pub method: Smooth,
    /// Its graphs, with what the user should know of them and of the halves.
    pub learned: Learned,
    /// What was asked for and what was reached.
    pub reached: Reached,
}

impl Search {
    /// Resumes after `steps` (none done: from the start) and chooses the fit whose edges reproduce best in other
    /// samples. If `watch` asks to stop, the choice is among what was done.
    ///
    /// # Errors
    /// E10 if no cell can be reached, E05 if a view cannot be halved; as [`Learn::learn`], and what `follow` refuses.
    ///
    /// ```
    /// use congraph::simulate::{Settings, simulate};
    /// use congraph::tune::choice::{Search, Steps, NoFollower};
    /// use congraph::tune::path::Grid;
    /// use congraph::tune::stability::Stability;
    /// use congraph::{Smooth, ViewOptions, Views, no_progress};
    ///
    /// let simulation = simulate(&Settings { n_nodes: 20, n_views: 3, ..Settings::default() })?;
    /// let (views, _) = Views::assemble(simulation.tables, &ViewOptions::default())?;
    /// let grid = Grid { densities: vec![0.1, 0.2], similarities: vec![0.85] };
    /// let search = Search { grid, stability: Stability { halvings: 2, ..Stability::default() } };
    /// let chosen = search.choose(&Smooth::default(), &views, Steps::default(), &mut NoFollower, &no_progress)?;
    /// assert_eq!(chosen.verdicts.len(), chosen.steps.cells.len());
    /// assert!(chosen.learned.converged());
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn choose<F: Follow>(
        &self,
        method: &Smooth,
        views: &Views,
        mut steps: Steps,
        follow: &mut F,
        watch: Watch<'_>,
    ) -> Result<Chosen, F::Error> {
        self.check()?;
        let session = method.session(views, watch)?;
        if self.path(&session, &mut steps, follow, watch)? {
            self.halve(method, views, &mut steps, follow, watch)?;
        }
        steps.tallies.resize(steps.cells.len(), Tally::default());
        let (verdicts, best) = self
            .stability
            .choose(views.n_pairs(), &steps.cells, &steps.tallies, steps.halvings);
        let cell = best.ok_or_else(|| self.nothing_in_reach())?;
        let found = &steps.cells[cell];
        let method = Smooth {
            model: method.model.at(found.parameters),
            ..method.clone()
        };
        let fit = session.fit(&method.model, None, watch)?;
        let (mut learned, agreement) = session.learned_by_choice(fit, watch)?;
        let reached = Reached {
            parameters: found.parameters,
            density: Some(found.density),
            similarity: Some(found.similarity),
            consensus_density: None,
            floor: Some(found.floor),
            agreement,
            solves: found.solves,
        };
        learned.warnings.extend(halved_time_series(views));
        Ok(Chosen {
            verdicts,
            cell,
            method,
            learned,
            reached,
            steps,
        })
    }

    fn check(&self) -> Result<(), Error> {
        let Stability {
            halvings, threshold, ..
        } = self.stability;
        let refuse = |name, message| Err(Error::Parameter { name, message });
        if halvings == 0 {
            return refuse("halvings", "is 0; it must be positive".into());
        }
        if threshold.is_nan() || threshold <= 0.0 {
            return refuse("threshold", format!("is {threshold}; it must be positive"));
        }
        Ok(())
    }

    /// Roughly how many fits there are: one for each cell of a half, several for each cell of the path, which start
    /// farther away.
    fn total(&self, n_cells: usize) -> usize {
        n_cells * (1 + 2 * self.stability.halvings)
    }

    /// The rows of the path that are not done; whether all are now.
    fn path<F: Follow>(
        &self,
        session: &Session<'_>,
        steps: &mut Steps,
        follow: &mut F,
        watch: Watch<'_>,
    ) -> Result<bool, F::Error> {
        let Grid {
            densities,
            similarities,
        } = &self.grid;
        let total = self.total(densities.len() * similarities.len());
        for &density in densities.iter().skip(steps.rows) {
            let (cells, mut followed, mut stop) = (&mut steps.cells, Ok(()), false);
            session.path_row(density, similarities, watch, &mut |cell, fit| {
                if followed.is_ok() {
                    followed = follow.fitted(&cell, &|| session.graph(fit));
                }
                cells.push(cell);
                let done = cells.len();
                stop |= watch(&Progress::Fitted { done, total }).is_break();
            })?;
            followed?;
            if stop {
                return Ok(false);
            }
            steps.rows += 1;
            follow.done(steps)?;
        }
        Ok(true)
    }

    /// The halvings that are not done, as many at once as there are threads.
    fn halve<F: Follow>(
        &self,
        method: &Smooth,
        views: &Views,
        steps: &mut Steps,
        follow: &mut F,
        watch: Watch<'_>,
    ) -> Result<(), F::Error> {
        let n_cells = steps.cells.len();
        steps.tallies.resize(n_cells, Tally::default());
        let at_once = rayon::current_num_threads().max(1);
        while steps.halvings < self.stability.halvings && n_cells > 0 {
            let next = (steps.halvings + at_once).min(self.stability.halvings);
            let numbers = steps.halvings..next;
            self.stability
                .halve(method, views, &steps.cells, numbers, &mut steps.tallies, watch)?;
            steps.halvings = next;
            let (done, total) = (n_cells * (1 + 2 * next), self.total(n_cells));
            if watch(&Progress::Fitted { done, total }).is_break() {
                return Ok(());
            }
            follow.done(steps)?;
        }
        Ok(())
    }

    fn nothing_in_reach(&self) -> Error {
        let ends = |values: &[f64]| match values {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => "none".into(),
        };
        DataError::new(
            Code::E10,
            format!(
                "no density from {} has views with a similarity from {}",
                ends(&self.grid.densities),
                ends(&self.grid.similarities)
            ),
            "coupling the views can only make them more alike than they are when learned separately",
            format!(
                "ask for higher similarities with {}",
                option("similarity").set_to("LO:HI")
            ),
        )
        .into()
    }
}
