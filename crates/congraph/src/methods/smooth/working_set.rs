//! Newton on the few pairs that matter, exact for all of them.
//!
//! An edge whose joint minimiser is zero at the multipliers λ is absent and adds nothing to the dual. So it is enough
//! to solve on a set that holds all pairs that are not absent:
//!
//! ```text
//! start    each node's nearest neighbours in every view (or the set of a neighbouring problem)
//! roughly  Newton on the set to a loose gap, with the distances of the check; check all pairs in one streaming pass:
//!          which others would be present? Add them, until hardly any is added
//! exactly  drop what is far from entering, take distances in f64, solve to the end; check, add, until there is none
//! ```
//!
//! With none left the set's dual value is that of all pairs, and the certificate covers them all. The n²/2 pairs are
//! touched by a few passes only, in f32 with an allowance for its rounding; f64 differences decide.

use std::sync::Arc;

use super::newton::{Descent, Newton};
use super::solver::without_edge_minimiser;
use super::{Solution, Solver};
use crate::distances::{AllPairs, Distances, Entering, PresenceTest};
use crate::edges::ViewMatrix;
use crate::error::Error;
use crate::methods::smooth::certificate::{certify_beyond, edges_bound};
use crate::methods::smooth::{Model, Presence, Problem};
use crate::parallel::chunks;
use crate::progress::{Progress, Status, Watch};

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
    pub multipliers: ViewMatrix,
    /// Pairs a < b, sorted.
    pub pairs: Vec<[u32; 2]>,
}

/// A solution, and how it was found.
#[derive(Clone, Debug)]
pub struct SetSolution {
    /// The solution, on the pairs of the working set.
    pub solution: Solution,
    /// How often all pairs were checked.
    pub passes: usize,
}

/// The gap to which the set's problem is solved while the set still grows.
const LOOSE: f64 = 1e-3;
/// The gap to which it is solved in f64 for the first time.
const NEARLY: f64 = 1e-6;
/// A round that adds less than this share of the set is the last rough one.
const SETTLED: f64 = 0.1;
/// The most rough rounds.
const MAX_ROUGH: usize = 6;
/// How near to entering a pair must be to stay in the set.
const MARGIN: f64 = 0.1;
/// The same for a pair outside, once the solution is near.
const AHEAD: f64 = 0.01;
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
        let (pairs, mut multipliers, mut iterations, mut passes) = match start {
            Some(start) => (start.pairs.clone(), Some(start.multipliers.clone()), 0, 0),
            None => {
                let rough = self.roughly(all, model, watch)?;
                (rough.pairs, Some(rough.multipliers), rough.iterations, rough.passes)
            }
        };
        // From here on distances in f64 decide.
        let values = all.distances_of(&pairs);
        let mut distances = all.restricted(pairs, values);
        let nearly = self.newton.roughly(NEARLY);
        // A warm start is near the solution: its first solve may be the last.
        let mut last = start.is_some();
        loop {
            let problem = Problem::new(Arc::clone(&distances), model.clone())?;
            let newton = if last { &self.newton } else { &nearly };
            let mut found = newton.descend(&problem, multipliers.as_ref(), watch)?;
            iterations += found.iterations;
            passes += 1;
            found.iterations = iterations;
            let _ = watch(&Progress::Checking);
            let test = Presence::new(&problem).ok_or_else(|| without_edge_minimiser(model, self.newton.name()))?;
            // What the last steps may yet bring in is taken along.
            let margin = if last { 0.0 } else { AHEAD * mean_weight(&found) };
            let entering = all.entering(
                &found.multipliers,
                distances.edges().pairs(),
                MOST_ENTERING,
                margin,
                &test,
            );
            let done = entering.pairs.is_empty() && last;
            // Few are added now: the next solution is likely final.
            last = true;
            if done || passes >= self.max_rounds || found.status == Status::Interrupted {
                let mut solution = found.certified(&problem, self.newton.tolerance);
                solution.is_working_set = true;
                if !done {
                    self.count_outside(all, model, entering, &mut solution)?;
                }
                return Ok(SetSolution { solution, passes });
            }
            multipliers = Some(found.multipliers);
            if !entering.pairs.is_empty() {
                // Some would be present: the set grows, and is solved from where it is.
                let (pairs, values) = merged(&distances, &entering.pairs, &entering.distances);
                distances = all.restricted(pairs, values);
            }
        }
    }

    /// A set that lacks little, and multipliers near the solution.
    fn roughly(&self, all: &AllPairs, model: &Model, watch: Watch<'_>) -> Result<Rough, Error> {
        let newton = self.newton.roughly(LOOSE);
        let (mut iterations, mut passes) = (0, 0);
        let mut multipliers = None;
        let mut distances = all.restricted(all.nearest().to_vec(), all.rough_distances_of(all.nearest()));
        loop {
            let problem = Problem::new(Arc::clone(&distances), model.clone())?;
            let found = newton.descend(&problem, multipliers.as_ref(), watch)?;
            iterations += found.iterations;
            passes += 1;
            let _ = watch(&Progress::Checking);
            let test = Presence::new(&problem).ok_or_else(|| without_edge_minimiser(model, self.newton.name()))?;
            let pairs = distances.edges().pairs();
            // One streaming pass in f32; no allowance for rounding is needed while the set is rough.
            let (more, _) = all.candidates(&found.multipliers, pairs, MOST_ENTERING, &test, None);
            let few = more.len() as f64 <= SETTLED * pairs.len() as f64;
            let (pairs, values) = merged(&distances, &more, &all.rough_distances_of(&more));
            if few || passes >= MAX_ROUGH || found.status == Status::Interrupted {
                return Ok(Rough {
                    pairs: near_entering(&pairs, &values, &found, &test),
                    multipliers: found.multipliers,
                    iterations,
                    passes,
                });
            }
            distances = all.restricted(pairs, values);
            multipliers = Some(found.multipliers);
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
        // A list that was cut short gives no bound.
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

/// What the rough rounds hand over.
struct Rough {
    pairs: Vec<[u32; 2]>,
    multipliers: ViewMatrix,
    iterations: usize,
    passes: usize,
}

/// Over the weights that are not zero.
fn mean_weight(found: &Descent) -> f64 {
    let weights = found.weights.views().values();
    let present = weights.iter().filter(|&&weight| weight > 0.0).count();
    weights.iter().sum::<f64>() / present.max(1) as f64
}

/// The pairs that are present, or would be if their targets were larger by a share of the mean weight.
fn near_entering(pairs: &[[u32; 2]], values: &ViewMatrix, found: &Descent, test: &Presence<'_>) -> Vec<[u32; 2]> {
    let margin = MARGIN * mean_weight(found);
    let kept = chunks::map(pairs.len(), |range| {
        let mut targets = vec![0.0; values.n_views()];
        let near = |&k: &usize| test.is_present(pairs[k], values.row(k), &found.multipliers, margin, &mut targets);
        let near: Vec<[u32; 2]> = range.filter(near).map(|k| pairs[k]).collect();
        near
    });
    kept.concat()
}

/// The pairs of a set and others, both sorted, with their rows as one.
fn merged(set: &Distances, more_pairs: &[[u32; 2]], more_values: &ViewMatrix) -> (Vec<[u32; 2]>, ViewMatrix) {
    let (pairs, values) = (set.edges().pairs(), set.values());
    let mut all = Vec::with_capacity(pairs.len() + more_pairs.len());
    let mut rows = ViewMatrix::with_capacity(pairs.len() + more_pairs.len(), values.n_views());
    let mut first = 0;
    for (&pair, row) in more_pairs.iter().zip(more_values.rows()) {
        let next = first + pairs[first..].partition_point(|&other| other < pair);
        all.extend_from_slice(&pairs[first..next]);
        rows.push_rows(values, first..next);
        all.push(pair);
        rows.push_row(row);
        first = next;
    }
    all.extend_from_slice(&pairs[first..]);
    rows.push_rows(values, first..pairs.len());
    (all, rows)
}
