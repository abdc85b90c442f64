//! Newton on the few pairs that matter, exact for all of them.
//!
//! An edge with D^i_e + λ^i_a + λ^i_b ≥ 0 in every view is absent and adds nothing to the dual. So it is enough to solve on
//! a set of pairs that holds all others:
//!
//! ```text
//! start    each node's nearest neighbours in every view (or the set of a neighbouring problem)
//! solve    Newton on the set, loosely while the set still grows
//! check    all pairs, in one streaming pass: which others have D + λ_a + λ_b < 0 in some view?
//! grow     by those, until there is none
//! ```
//!
//! With none left the set's dual value is that of all pairs, and the certificate covers them all. The n²/2 pairs are touched
//! by a few passes only, in f32 with an allowance for its rounding; distances within the set are f64 differences.

use std::sync::Arc;

use super::newton::Newton;
use super::{Solution, Solver, Status, Watch};
use crate::certificate::{certify_beyond, edges_bound};
use crate::distances::Distances;
use crate::error::Error;
use crate::pairs::AllPairs;
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
const LOOSE: f64 = 1e-4;
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
        let mut pairs = match start {
            Some(start) => start.pairs.clone(),
            None => all.nearest().to_vec(),
        };
        let mut values = all.distances_of(&pairs);
        let mut multipliers = start.map(|start| start.multipliers.clone());
        let mut tight = start.is_some();
        let mut iterations = 0;
        let mut passes = 0;
        loop {
            let distances = all.restricted(pairs.clone(), values.clone());
            let problem = Problem::new(Arc::clone(&distances), model.clone())?;
            let newton = if tight {
                self.newton.clone()
            } else {
                self.newton.roughly(LOOSE)
            };
            let mut solution = newton.solve(&problem, multipliers.as_ref(), watch)?;
            iterations += solution.iterations;
            solution.iterations = iterations;
            let entering = all.entering(&solution.multipliers, &pairs, MOST_ENTERING);
            passes += 1;
            let done = entering.pairs.is_empty() && tight;
            if done || passes >= self.max_rounds || solution.status == Status::Interrupted {
                if !done {
                    // What lies outside still counts in the bound.
                    let outside = all.restricted(entering.pairs, entering.distances);
                    let beyond = if entering.complete {
                        edges_bound(&Problem::new(outside, model.clone())?, &solution.multipliers)
                    } else {
                        f64::NEG_INFINITY
                    };
                    solution.certificate = certify_beyond(solution.certificate, beyond);
                    if solution.certificate.relative_gap > self.newton.tolerance && solution.converged() {
                        solution.status = Status::IterationLimit;
                    }
                }
                return Ok(SetSolution {
                    solution,
                    distances,
                    passes,
                });
            }
            // Few newcomers: the next solution is likely the last, so it may as well be exact.
            tight = entering.pairs.len() <= pairs.len() / 4;
            multipliers = Some(solution.multipliers);
            (pairs, values) = merged(&pairs, &values, &entering.pairs, &entering.distances);
        }
    }
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
