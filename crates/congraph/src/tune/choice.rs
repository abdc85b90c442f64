//! The whole of tuning in one loop: a path of fits, halves of the data, a verdict on each fit, and the one that is
//! chosen.
//!
//! [`Search::choose`] is what the command line and Python both call, so that they cannot choose differently. Its
//! progress is kept in [`Steps`]. The caller is shown them after every row of the path and every few halvings
//! ([`Follow`]), may store them, and passes them back to resume an earlier run.
//!
//! A choice by likelihood at an end of the grid says little: what lies beyond may be better. So there are rounds. After
//! each, cells are added beyond the ends at which the choice lies, unless the caller set these ends; then a warning
//! tells (W18).

use serde::{Deserialize, Serialize};

use super::Reached;
use super::extension::{self, Ends, Row};
use super::held_out::{self, MOST_NODES};
use super::path::{Cell, Grid};
use super::stability::{CellStability, Rule, Stability, Tally, halved_time_series};
use crate::error::{Code, DataError, Error, Warning};
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
    /// Whether densities, and similarities, may be added beyond the grid's ends where the choice by likelihood lies
    /// there.
    pub may_extend: [bool; 2],
    /// How cells are judged.
    pub stability: Stability,
}

/// What was done so far: all that is needed to resume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// How many cells are of rounds that are done: those of the grid first, then those beyond its ends.
    pub settled: usize,
    /// How many rows of this round are done.
    pub rows: usize,
    /// All fits.
    pub cells: Vec<Cell>,
    /// How many halvings of this round are done.
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
    /// All fits, in order of density and then similarity.
    pub steps: Steps,
    /// As which each of them was fitted: the places in the order in which [`Follow::fitted`] was shown them.
    pub order: Vec<usize>,
    /// What the halves say of each.
    pub verdicts: Vec<CellStability>,
    /// By what one was chosen: by stability where there are too many nodes for the likelihood.
    pub rule: Rule,
    /// Which was chosen.
    pub cell: usize,
    /// Which has the highest gain in likelihood, if that was asked for.
    pub best: Option<usize>,
    /// The method with its parameters: it reproduces the graphs.
    pub method: Smooth,
    /// Its graphs, with what the user should know of them and of the halves.
    pub learned: Learned,
    /// What was asked for and what was reached.
    pub reached: Reached,
}

impl Search {
    /// Resumes after `steps` (none done: from the start) and chooses the fit that suits other samples best. If
    /// `watch` asks to stop, the choice is among what was done.
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
    /// let stability = Stability { halvings: 2, ..Stability::default() };
    /// let search = Search { grid, may_extend: [false; 2], stability };
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
        let search = self.for_nodes(views.n_nodes());
        let session = method.session(views, watch)?;
        while let Some(rows) = search.next_rows(views, &mut steps) {
            let is_whole = search.path(&session, &rows, &mut steps, follow, watch)?
                && search.halve(method, views, &mut steps, follow, watch)?;
            if !is_whole {
                break;
            }
        }
        let (steps, order) = search.in_order(steps);
        let (verdicts, chosen) = search
            .stability
            .choose(views.n_pairs(), &steps.cells, &steps.tallies, steps.halvings);
        let cell = chosen.ok_or_else(|| self.nothing_in_reach())?;
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
        let picked = search.picked(&steps.cells, &verdicts);
        learned.warnings.extend(halved_time_series(views));
        learned.warnings.extend(search.limits(self, &steps.cells, picked));
        Ok(Chosen {
            verdicts,
            rule: search.stability.rule,
            cell,
            best: picked.map(|[best, _]| best),
            method,
            learned,
            reached,
            steps,
            order,
        })
    }

    /// The same by stability where the likelihood of so many nodes would take too long.
    pub(super) fn for_nodes(&self, n_nodes: usize) -> Self {
        let mut search = self.clone();
        if n_nodes > MOST_NODES {
            search.stability.rule = Rule::Stability;
        }
        search
    }

    /// The best cell and the chosen one by likelihood; none by stability.
    fn picked(&self, cells: &[Cell], verdicts: &[CellStability]) -> Option<[usize; 2]> {
        let Rule::Likelihood { keep } = self.stability.rule else {
            return None;
        };
        let gains: Vec<f64> = verdicts.iter().map(|verdict| verdict.gain.unwrap_or(0.0)).collect();
        held_out::choose(cells, &gains, keep)
    }

    /// The rows of the round that is under way, or of the next one if it is done; none if the choice stands. It follows
    /// from the cells of the rounds before alone, so that an interrupted search takes the same way again.
    pub(super) fn next_rows(&self, views: &Views, steps: &mut Steps) -> Option<Vec<Row>> {
        let is_done = steps.halvings >= self.stability.halvings;
        if is_done && steps.settled < steps.cells.len() {
            steps.settled = steps.cells.len();
            (steps.rows, steps.halvings) = (0, 0);
        } else if is_done {
            return None;
        }
        if steps.settled == 0 {
            let row = |&density: &f64| (density, self.grid.similarities.clone());
            return Some(self.grid.densities.iter().map(row).collect());
        }
        let cells = &steps.cells[..steps.settled];
        let tallies = &steps.tallies[..steps.settled];
        let (verdicts, _) = self
            .stability
            .choose(views.n_pairs(), cells, tallies, self.stability.halvings);
        let picked = self.picked(cells, &verdicts)?;
        let mut ends = Ends::of(cells, picked);
        if !self.may_extend[0] {
            ends.density = [false; 2];
        }
        if !self.may_extend[1] {
            ends.similarity = [false; 2];
        }
        let rows = extension::rows(&self.grid, cells, ends, cells[picked[1]].floor);
        (!rows.is_empty()).then_some(rows)
    }

    /// The cells that all halvings were made of (all of the first round, whatever was made of them) in order of density
    /// and similarity, and where each stood.
    fn in_order(&self, mut steps: Steps) -> (Steps, Vec<usize>) {
        let is_whole = steps.halvings >= self.stability.halvings;
        if steps.settled > 0 && !is_whole {
            steps.cells.truncate(steps.settled);
            steps.halvings = self.stability.halvings;
        }
        steps.tallies.resize(steps.cells.len(), Tally::default());
        let mut order: Vec<usize> = (0..steps.cells.len()).collect();
        let key = |&k: &usize| [steps.cells[k].density.target, steps.cells[k].similarity.target];
        order.sort_by(|i, j| key(i).partial_cmp(&key(j)).unwrap_or(std::cmp::Ordering::Equal));
        let cells = order.iter().map(|&k| steps.cells[k].clone()).collect();
        let tallies = order.iter().map(|&k| steps.tallies[k].clone()).collect();
        (
            Steps {
                cells,
                tallies,
                ..steps
            },
            order,
        )
    }

    /// W18 for what limits the choice: too many nodes for the rule that was asked for, or ends that were set.
    fn limits(&self, asked: &Self, cells: &[Cell], picked: Option<[usize; 2]>) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.stability.rule != asked.stability.rule {
            let message = format!(
                "the choice is by stability: with more than {MOST_NODES} nodes the likelihood of held-out samples would \
                 take longer than the fits. Stability finds too sparse a graph where the truth is dense"
            );
            warnings.push(Warning::new("W18", message));
        }
        let Some(picked) = picked else {
            return warnings;
        };
        let ends = Ends::of(cells, picked);
        let dials = [
            ("density", &self.grid.densities, ends.density),
            ("similarity", &self.grid.similarities, ends.similarity),
        ];
        for ((id, values, [is_low, is_high]), may_extend) in dials.into_iter().zip(self.may_extend) {
            // A single value was meant.
            if may_extend || values.len() < 2 || !(is_low || is_high) {
                continue;
            }
            let message = format!(
                "a better {id} may lie beyond the range that was given: the likeliest fits are at its {} end. Give a \
                 wider range, or leave {} out: then cells are added beyond the ends as long as these are best",
                if is_low { "lower" } else { "upper" },
                option(id)
            );
            warnings.push(Warning::new("W18", message));
        }
        warnings
    }

    pub(super) fn check(&self) -> Result<(), Error> {
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
        if let Rule::Likelihood { keep } = self.stability.rule
            && !(keep > 0.0 && keep <= 1.0)
        {
            return refuse("keep", format!("is {keep}; it must be above 0 and at most 1"));
        }
        Ok(())
    }

    /// Roughly how many fits there are: one for each cell of a half, several for each cell of the path, which start
    /// farther away.
    fn total(&self, n_cells: usize) -> usize {
        n_cells * (1 + 2 * self.stability.halvings)
    }

    /// The rows of this round that are not done; whether all are now.
    pub(super) fn path<F: Follow>(
        &self,
        session: &Session<'_>,
        rows: &[Row],
        steps: &mut Steps,
        follow: &mut F,
        watch: Watch<'_>,
    ) -> Result<bool, F::Error> {
        let planned: usize = rows.iter().map(|(_, similarities)| similarities.len()).sum();
        let (before, settled) = (self.total(steps.settled), steps.settled);
        let total = before + self.total(planned);
        for (density, similarities) in rows.iter().skip(steps.rows) {
            let (cells, mut followed, mut stop) = (&mut steps.cells, Ok(()), false);
            session.path_row(*density, similarities, watch, &mut |cell, fit| {
                if followed.is_ok() {
                    followed = follow.fitted(&cell, &|| session.graph(fit));
                }
                cells.push(cell);
                let done = before + cells.len() - settled;
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

    /// The halvings of this round's cells that are not done, as many at once as there are threads; whether all are now,
    /// of any cells.
    fn halve<F: Follow>(
        &self,
        method: &Smooth,
        views: &Views,
        steps: &mut Steps,
        follow: &mut F,
        watch: Watch<'_>,
    ) -> Result<bool, F::Error> {
        let settled = steps.settled;
        let n_cells = steps.cells.len() - settled;
        if n_cells == 0 {
            return Ok(false);
        }
        steps.tallies.resize(steps.cells.len(), Tally::default());
        let before = self.total(settled);
        let total = before + self.total(n_cells);
        let at_once = rayon::current_num_threads().max(1);
        while steps.halvings < self.stability.halvings {
            let next = (steps.halvings + at_once).min(self.stability.halvings);
            let numbers = steps.halvings..next;
            let (cells, tallies) = (&steps.cells[settled..], &mut steps.tallies[settled..]);
            self.stability.halve(method, views, cells, numbers, tallies, watch)?;
            steps.halvings = next;
            let done = before + n_cells * (1 + 2 * next);
            if watch(&Progress::Fitted { done, total }).is_break() {
                return Ok(false);
            }
            follow.done(steps)?;
        }
        Ok(true)
    }

    /// E10: what is said if no cell of the grid can be reached.
    pub fn nothing_in_reach(&self) -> Error {
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
