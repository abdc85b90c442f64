//! Newton on the few pairs that matter, exact for all of them.
//!
//! An edge whose joint minimiser is zero at the multipliers λ is absent and adds nothing to the dual. So it is enough to solve
//! on a set of pairs that holds all others:
//!
//! ```text
//! start    each node's nearest neighbours in every view (or the set of a neighbouring problem)
//! roughly  Newton on the set to a loose gap, with the distances of the check; check all pairs in one streaming pass: which
//!          others would be present? Add them, until hardly any is added
//! exactly  drop what is far from entering, take distances in f64, solve to the end; check, add, until there is none
//! ```
//!
//! With none left the set's dual value is that of all pairs, and the certificate covers them all. The n²/2 pairs are touched
//! by a few passes only, in f32 with an allowance for its rounding; f64 differences decide.

use std::sync::Arc;

use super::newton::Newton;
use super::{Progress, Solution, Solver, Status, Watch};
use crate::certificate::{certify_beyond, edges_bound};
use crate::distances::Distances;
use crate::error::Error;
use crate::pairs::{AllPairs, Entering, Presence};
use crate::problem::{Model, Problem};
use crate::rows::ViewRows;

/// Settings of the working-set method.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkingSet {
    /// The solver on the set.
    pub newton: Newton,
    /// The most rounds of solving and checking.
    pub max_rounds: usize,
}

/// Where a fit may start: the multipliers and the pairs of a neighbouring problem's solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// λ, one row per node.
    pub multipliers: ViewRows,
    /// Pairs a < b, sorted.
    pub pairs: Vec<[u32; 2]>,
}

/// A solution and the distances of the pairs that it was found on.
#[derive(Clone, Debug)]
pub struct SetSolution {
    /// The solution, with edges numbered as in `distances`.
    pub solution: Solution,
    /// The working set and its distances.
    pub distances: Arc<Distances>,
    /// How often all pairs were checked.
    pub passes: usize,
}

impl SetSolution {
    /// A start for a neighbouring problem.
    pub fn start(&self) -> Start {
        Start {
            multipliers: self.solution.multipliers.clone(),
            pairs: self.distances.edges().pairs().to_vec(),
        }
    }
}

/// The gap to which the set's problem is solved while the set still grows.
const LOOSE: f64 = 1e-3;
/// The gap to which it is solved in f64 for the first time.
const NEARLY: f64 = 1e-6;
/// A round that adds less than this share of the set is the last rough one.
const SETTLED: f64 = 0.02;
/// The most rough rounds.
const MAX_ROUGH: usize = 6;
/// How near to entering a pair must be to stay in the set.
const MARGIN: f64 = 0.1;
/// The most pairs that enter in one round, for each block of nodes.
const MOST_ENTERING: usize = 1 << 14;

impl WorkingSet {
    /// Solves the problem of all pairs.
    ///
    /// # Errors
    /// As [`Newton`]'s.
    pub fn solve(
        &self,
        all: &AllPairs,
        model: &Model,
        start: Option<&Start>,
        watch: Watch<'_>,
    ) -> Result<SetSolution, Error> {
        let mut state = match start {
            Some(start) => State {
                pairs: start.pairs.clone(),
                multipliers: Some(start.multipliers.clone()),
                iterations: 0,
                passes: 0,
            },
            None => self.roughly(all, model, watch)?,
        };
        let mut values = all.distances_of(&state.pairs);
        let nearly = self.newton.roughly(NEARLY);
        let mut last = start.is_some();
        loop {
            let distances = all.restricted(state.pairs.clone(), values.clone());
            let problem = Problem::new(Arc::clone(&distances), model.clone())?;
            let newton = if last { &self.newton } else { &nearly };
            let mut solution = newton.solve(&problem, state.multipliers.as_ref(), watch)?;
            state.iterations += solution.iterations;
            state.passes += 1;
            solution.iterations = state.iterations;
            let _ = watch(&Progress::Checking);
            let entering = match problem.edge_term() {
                Some(term) => {
                    let test = Presence {
                        term,
                        kappa: problem.kappa(),
                    };
                    all.entering(&solution.multipliers, &state.pairs, MOST_ENTERING, &test)
                }
                None => return Err(unsupported(model)),
            };
            let done = entering.pairs.is_empty() && last;
            // Few are added now: the next solution is likely final.
            last = true;
            if done || state.passes >= self.max_rounds || solution.status == Status::Interrupted {
                if !done {
                    self.count_outside(all, model, entering, &mut solution)?;
                }
                return Ok(SetSolution {
                    solution,
                    distances,
                    passes: state.passes,
                });
            }
            state.multipliers = Some(solution.multipliers);
            (state.pairs, values) = merged(&state.pairs, &values, &entering.pairs, &entering.distances);
        }
    }

    /// A set that lacks little, and multipliers near the solution.
    fn roughly(&self, all: &AllPairs, model: &Model, watch: Watch<'_>) -> Result<State, Error> {
        let newton = self.newton.roughly(LOOSE);
        let mut state = State {
            pairs: all.nearest().to_vec(),
            multipliers: None,
            iterations: 0,
            passes: 0,
        };
        let mut values = all.rough_distances_of(&state.pairs);
        loop {
            let problem = Problem::new(all.restricted(state.pairs.clone(), values.clone()), model.clone())?;
            let solution = newton.solve(&problem, state.multipliers.as_ref(), watch)?;
            state.iterations += solution.iterations;
            state.passes += 1;
            let Some(term) = problem.edge_term() else {
                return Err(unsupported(model));
            };
            let test = Presence {
                term,
                kappa: problem.kappa(),
            };
            let _ = watch(&Progress::Checking);
            let (more, _) = all.candidates(&solution.multipliers, &state.pairs, MOST_ENTERING, &test, false);
            let few = more.len() as f64 <= SETTLED * state.pairs.len() as f64;
            let more_values = all.rough_distances_of(&more);
            (state.pairs, values) = merged(&state.pairs, &values, &more, &more_values);
            if few || state.passes >= MAX_ROUGH || solution.status == Status::Interrupted {
                state.pairs = near_entering(&state.pairs, &values, &solution, &test);
                state.multipliers = Some(solution.multipliers);
                return Ok(state);
            }
            state.multipliers = Some(solution.multipliers);
        }
    }

    /// What lies outside the set still counts in the bound.
    fn count_outside(
        &self,
        all: &AllPairs,
        model: &Model,
        entering: Entering,
        solution: &mut Solution,
    ) -> Result<(), Error> {
        let beyond = if entering.complete {
            let outside = all.restricted(entering.pairs, entering.distances);
            edges_bound(&Problem::new(outside, model.clone())?, &solution.multipliers)
        } else {
            f64::NEG_INFINITY
        };
        solution.certificate = certify_beyond(solution.certificate, beyond);
        if solution.certificate.relative_gap > self.newton.tolerance && solution.converged() {
            solution.status = Status::IterationLimit;
        }
        Ok(())
    }
}

fn unsupported(model: &Model) -> Error {
    Error::Unsupported {
        solver: "newton",
        term: model.penalty.name().to_owned(),
        need: "a working set needs the joint edge minimiser",
    }
}

/// What is carried from round to round.
struct State {
    pairs: Vec<[u32; 2]>,
    multipliers: Option<ViewRows>,
    iterations: usize,
    passes: usize,
}

/// The pairs that are present, or would be if their targets were larger by a share of the mean weight.
fn near_entering(pairs: &[[u32; 2]], values: &ViewRows, solution: &Solution, test: &Presence<'_>) -> Vec<[u32; 2]> {
    let weights = solution.weights.views().values();
    let present = weights.iter().filter(|&&weight| weight > 0.0).count();
    let margin = MARGIN * weights.iter().sum::<f64>() / present.max(1) as f64;
    let kept = pairs.iter().zip(values.rows());
    let kept = kept.filter(|&(&pair, row)| test.is_present(pair, row, &solution.multipliers, margin));
    kept.map(|(&pair, _)| pair).collect()
}

/// Two sorted lists of pairs with their rows as one.
fn merged(
    pairs: &[[u32; 2]],
    values: &ViewRows,
    more_pairs: &[[u32; 2]],
    more_values: &ViewRows,
) -> (Vec<[u32; 2]>, ViewRows) {
    let mut all = Vec::with_capacity(pairs.len() + more_pairs.len());
    let mut rows = ViewRows::with_capacity(pairs.len() + more_pairs.len(), values.n_views());
    let (mut i, mut j) = (0, 0);
    while i < pairs.len() || j < more_pairs.len() {
        if j == more_pairs.len() || (i < pairs.len() && pairs[i] < more_pairs[j]) {
            all.push(pairs[i]);
            rows.push_row(values.row(i));
            i += 1;
        } else {
            all.push(more_pairs[j]);
            rows.push_row(more_values.row(j));
            j += 1;
        }
    }
    (all, rows)
}
