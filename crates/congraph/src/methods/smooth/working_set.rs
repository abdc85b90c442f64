//! Newton on the few pairs that matter, exact for all of them.
//!
//! An edge whose joint minimiser is zero at the multipliers λ is absent and adds nothing to the dual. So it is enough
//! to solve on a set that holds all pairs that are not absent:
//!
//! ```text
//! start    Newton on each node's nearest neighbours in every view, to a loose gap, with the distances that bytes tell
//! cover    one pass over all pairs: those that could be present at any multipliers above a floor, which is somewhat
//!          below those found; their distances in f64
//! near     where the cover holds many pairs: Newton on those that are nearly present, with rough distances again, which
//!          tells the multipliers so well that few distances in f64 are needed
//! solve    Newton on the pairs of the cover that are present, or nearly; check the others of the cover, add those that
//!          would be present, until there are none
//! floor    where a final multiplier is below its floor, that node's pairs are asked again
//! ```
//!
//! With none left the set's dual value is that of all pairs, and the certificate covers them all: a pair outside the
//! cover is absent at the floor, and so at all multipliers above it.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::newton::{Descent, Newton};
use super::shared_set::{Found, SharedSet};
use super::solver::without_edge_minimiser;
use super::{Solution, Solver};
use crate::distances::{AllPairs, Cover, Distances, Entering, PresenceTest};
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

/// The gap to which a first problem is solved, which only tells where the multipliers will be.
const LOOSE: f64 = 1e-4;
/// The gap to which the set's problem is solved for the first time.
const NEARLY: f64 = 1e-6;
/// The gap to which it is solved on rough distances, where there are many pairs.
const ROUGH: f64 = 1e-5;
/// How near to entering a pair must be to be in the first set, as a share of the mean weight.
const MARGIN: f64 = 0.1;
/// The same where rough distances have told the multipliers.
const CLOSE: f64 = 0.03;
/// Covers of at least so many pairs for each node are many: the distances of all that a margin lets in take as long as
/// a solution on rough ones.
const MANY: usize = 128;
/// The same for a pair outside, once the solution is near.
const AHEAD: f64 = 0.01;
/// How far below the multipliers the floor is, as a share of κ times the mean weight.
const DEPTH: f64 = 0.25;
/// From this number of nodes on, a pass takes longer than one who asked to stop would wait.
const LONG_PASS: usize = 30_000;
/// The most pairs that a first cover takes of each block of nodes; where there are more, the set grows by the deepest.
const MOST_COVERED: usize = 1 << 17;

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
        let mut search = match start {
            Some(start) => SetSearch::warm(self, all, model, start),
            None => SetSearch::cold(self, all, model, watch)?,
        };
        let nearly = self.newton.roughly(NEARLY);
        // A warm start is near the solution: its first solve may be the last.
        let mut last = start.is_some() || search.is_near;
        loop {
            let problem = search.set.problem(model)?;
            let newton = if last { &self.newton } else { &nearly };
            let mut found = newton.descend(&problem, Some(&search.multipliers), watch)?;
            search.iterations += found.iterations;
            search.rounds += 1;
            found.iterations = search.iterations;
            let _ = watch(&Progress::Checking(0.0));
            let test = search.test(&problem)?;
            let interrupted = found.status == Status::Interrupted || search.interrupted;
            let stops = search.rounds >= self.max_rounds || interrupted;
            // What the last steps may yet bring in is taken along.
            let margin = if last { 0.0 } else { AHEAD * found.mean_weight };
            let entering = if stops {
                None
            } else {
                Some(search.entering(&found, last, margin, &test, watch))
            };
            let stops = stops || search.interrupted;
            let done = last && !stops && entering.as_ref().is_some_and(Found::is_empty);
            if done || stops {
                let (problem, found) = search.set.together(found, model)?;
                let test = search.test(&problem)?;
                let mut solution = found.certified(&problem, self.newton.tolerance);
                solution.is_working_set = true;
                if !done && interrupted && all.n_nodes() >= LONG_PASS {
                    // Who asked to stop does not wait for minutes: nothing is known of the pairs outside.
                    solution.certificate = certify_beyond(solution.certificate, f64::NEG_INFINITY);
                    solution.status = Status::Interrupted;
                } else if !done {
                    let entering = all.entering(&solution.multipliers, search.set.pairs(), &test);
                    self.count_outside(all, model, entering, &mut solution)?;
                    search.passes += 1;
                }
                return Ok(SetSolution {
                    solution,
                    passes: search.passes,
                });
            }
            // Few are added now: the next solution is likely final.
            last = true;
            search.multipliers = found.multipliers;
            if let Some(entering) = entering.filter(|entering| !entering.is_empty()) {
                // Some would be present: the set grows, and is solved from where it is.
                search.set.add(&entering);
            }
        }
    }

    /// Solves the problem of a list of pairs alone, which the members of a team share out.
    ///
    /// # Errors
    /// As [`Newton`]'s.
    pub(crate) fn solve_listed(
        &self,
        all: &AllPairs,
        distances: &Arc<Distances>,
        model: &Model,
        start: Option<&ViewMatrix>,
        watch: Watch<'_>,
    ) -> Result<Solution, Error> {
        if all.team().size() == 1 {
            let problem = Problem::new(Arc::clone(distances), model.clone())?;
            return self.newton.solve(&problem, start, watch);
        }
        let listed = distances.edges().pairs();
        let rows_of = |some: &[[u32; 2]]| {
            let first = some
                .first()
                .map_or(0, |pair| listed.partition_point(|other| other < pair));
            let mut rows = ViewMatrix::with_capacity(some.len(), distances.values().n_views());
            rows.push_rows(distances.values(), first..first + some.len());
            rows
        };
        chunks::in_pool(|| {
            let set = SharedSet::of_known(all, listed, rows_of);
            let found = self.newton.descend(&set.problem(model)?, start, watch)?;
            let (problem, found) = set.together(found, model)?;
            Ok(found.certified(&problem, self.newton.tolerance))
        })
    }

    /// What lies outside the set still counts in the bound.
    fn count_outside(
        &self,
        all: &AllPairs,
        model: &Model,
        entering: Entering,
        solution: &mut Solution,
    ) -> Result<(), Error> {
        if entering.pairs.is_empty() {
            return Ok(());
        }
        let outside = all.restricted(entering.pairs, entering.distances);
        let beyond = edges_bound(&Problem::new(outside, model.clone())?, &solution.multipliers);
        solution.certificate = certify_beyond(solution.certificate, beyond);
        if solution.certificate.relative_gap > self.newton.tolerance && solution.converged() {
            solution.status = Status::IterationLimit;
        }
        Ok(())
    }
}

/// The set, the cover that it is chosen from, and where the multipliers are.
struct SetSearch<'a> {
    method: &'a WorkingSet,
    all: &'a AllPairs,
    model: &'a Model,
    set: SharedSet<'a>,
    multipliers: ViewMatrix,
    cover: Option<Cover<'a>>,
    iterations: usize,
    rounds: usize,
    passes: usize,
    /// Whether the multipliers are as near as the first solve on the set would bring them.
    is_near: bool,
    /// Whether a pass was stopped: its cover lacks pairs.
    interrupted: bool,
}

impl<'a> SetSearch<'a> {
    /// From the solution of a neighbouring problem.
    fn warm(method: &'a WorkingSet, all: &'a AllPairs, model: &'a Model, start: &Start) -> Self {
        Self {
            method,
            all,
            model,
            set: SharedSet::of_known(all, &start.pairs, |pairs| all.distances_of(pairs)),
            multipliers: start.multipliers.clone(),
            cover: None,
            iterations: 0,
            rounds: 0,
            passes: 0,
            is_near: false,
            interrupted: false,
        }
    }

    /// From nearest neighbours.
    fn cold(method: &'a WorkingSet, all: &'a AllPairs, model: &'a Model, watch: Watch<'_>) -> Result<Self, Error> {
        let rough = |pairs: &[[u32; 2]]| SharedSet::of_known(all, pairs, |pairs| all.rough_distances_of(pairs));
        let mut search = Self {
            method,
            all,
            model,
            set: rough(&[]),
            multipliers: ViewMatrix::zeros(0, all.n_views()),
            cover: None,
            iterations: 0,
            rounds: 0,
            passes: 0,
            is_near: false,
            interrupted: false,
        };
        let newton = method.newton.roughly(LOOSE);
        let mut pairs = Cow::Borrowed(all.nearest());
        let mut at: Option<ViewMatrix> = None;
        loop {
            let found = newton.descend(&rough(&pairs).problem(model)?, at.as_ref(), watch)?;
            search.iterations += found.iterations;
            search.passes += 1;
            let interrupted = found.status == Status::Interrupted;
            // With very many nodes the pass takes most of the memory: the set and its weights are let go before.
            let Descent {
                multipliers,
                mean_weight,
                ..
            } = found;
            let nothing = search.set.problem(model)?;
            let test = search.test(&nothing)?;
            let floor = lowered(&multipliers, DEPTH * mean_weight * nothing.kappa());
            let stopped = AtomicBool::new(interrupted);
            let cover = Cover::new(all, floor, MOST_COVERED, &test, &heard(watch, &stopped));
            let interrupted = all.team().any(interrupted || stopped.into_inner());
            if cover.complete || search.passes >= method.max_rounds || interrupted {
                let (mut multipliers, mut margin) = (multipliers, MARGIN * mean_weight);
                if !interrupted && all.has_bytes() && cover.n_pairs() >= MANY * all.n_nodes() {
                    let found = search.nearer(&cover, &multipliers, mean_weight, &test, watch)?;
                    (multipliers, margin) = (found.multipliers, CLOSE * found.mean_weight);
                }
                let set = Found::new(all, cover.entering(&multipliers, &[], margin, &test));
                search.set = SharedSet::of_found(all, set);
                search.multipliers = multipliers;
                search.cover = (cover.complete && !interrupted).then_some(cover);
                search.interrupted |= interrupted;
                return Ok(search);
            }
            // Too many to take them all: with the deepest ones the multipliers rise.
            let deepest = Found::new(all, cover.entering(&multipliers, &pairs, 0.0, &test));
            pairs = Cow::Owned(deepest.pairs_with(&pairs));
            at = Some(multipliers);
        }
    }

    /// Most of what the margin lets in is absent in the end. Before the distances of all of it are asked, bytes say where the
    /// multipliers will be.
    fn nearer(
        &mut self,
        cover: &Cover<'_>,
        multipliers: &ViewMatrix,
        mean_weight: f64,
        test: &Presence<'_>,
        watch: Watch<'_>,
    ) -> Result<Descent, Error> {
        let [margin, depth] = [MARGIN, DEPTH].map(|share| share * mean_weight);
        let nearly = Found::new(self.all, cover.nearly_entering(multipliers, margin, depth, test));
        let problem = SharedSet::of_found(self.all, nearly).problem(self.model)?;
        let newton = self.method.newton.roughly(ROUGH);
        let found = newton.descend(&problem, Some(multipliers), watch)?;
        self.iterations += found.iterations;
        self.interrupted |= self.all.team().any(found.status == Status::Interrupted);
        self.is_near = true;
        Ok(found)
    }

    fn test<'p>(&self, problem: &'p Problem) -> Result<Presence<'p>, Error> {
        Presence::new(problem).ok_or_else(|| without_edge_minimiser(self.model, self.method.newton.name()))
    }

    /// The pairs that lack in the set at what was found; none is missed unless some are found.
    fn entering(&mut self, found: &Descent, last: bool, margin: f64, test: &Presence<'_>, watch: Watch<'_>) -> Found {
        let stopped = AtomicBool::new(false);
        let watch = &heard(watch, &stopped);
        let (all, known) = (self.all, self.set.pairs());
        let floor = || lowered(&found.multipliers, DEPTH * found.mean_weight * test.kappa());
        let cover = match &mut self.cover {
            Some(cover) => cover,
            none => {
                self.passes += 1;
                none.insert(Cover::new(all, floor(), usize::MAX / 16, test, watch))
            }
        };
        let entering = Found::new(all, cover.entering(&found.multipliers, known, margin, test));
        self.interrupted |= all.team().any(stopped.load(Ordering::Relaxed));
        if last && !entering.is_empty() {
            return entering;
        }
        let fallen = cover.fallen(&found.multipliers);
        if fallen.is_empty() {
            return entering;
        }
        self.passes += 1;
        cover.lower(&fallen, &floor(), test, watch);
        self.interrupted |= all.team().any(stopped.load(Ordering::Relaxed));
        Found::new(all, cover.entering(&found.multipliers, known, margin, test))
    }
}

/// A watch that remembers whether it asked to stop.
fn heard<'w>(watch: Watch<'w>, stopped: &'w AtomicBool) -> impl Fn(&Progress) -> ControlFlow<()> + Sync + 'w {
    move |progress| {
        let answer = watch(progress);
        stopped.fetch_or(answer.is_break(), Ordering::Relaxed);
        answer
    }
}

/// Multipliers less a depth.
fn lowered(multipliers: &ViewMatrix, depth: f64) -> ViewMatrix {
    let values = multipliers.values().iter().map(|value| value - depth);
    ViewMatrix::from_values(multipliers.n_views(), values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::kernels::Instructions;
    use crate::progress::no_progress;
    use crate::signals::Scaling;
    use crate::simulate::{Settings, simulate};
    use crate::team;
    use crate::views::{ViewOptions, Views};

    /// With and without each set of vector instructions, on one to seven threads: the same bits.
    #[test]
    fn no_instruction_and_no_thread_shows_in_a_fit() {
        let set = Newton::default().working_set().unwrap();
        let all = |n_signals: usize, instructions: Instructions| {
            let settings = Settings {
                n_nodes: 520,
                n_views: 3,
                n_signals: vec![n_signals],
                ..Settings::default()
            };
            let (views, _) = Views::assemble(simulate(&settings).unwrap().tables, &ViewOptions::default()).unwrap();
            let (scaling, team) = (Scaling::default(), team::of_process());
            AllPairs::with_instructions(instructions, &views, &scaling, &team, false, 5, &no_progress).unwrap()
        };
        // Sparse, where bytes are enough, and dense, where f32 is asked and rough distances come first; short signals and
        // long ones, whose views bytes ask together.
        for (alpha, n_signals, is_near) in [(0.01, 50, false), (0.5, 50, true), (0.01, 130, false), (0.5, 130, true)] {
            let model = Model::l1(alpha, 0.02);
            let fit = |instructions: Instructions, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let all = all(n_signals, instructions);
                    set.solve(&all, &model, None, &no_progress).unwrap().solution
                })
            };
            let expected = fit(Instructions::best(), 1);
            assert!(expected.converged());
            let first = all(n_signals, Instructions::best());
            assert_eq!(
                SetSearch::cold(&set, &first, &model, &no_progress).unwrap().is_near,
                is_near
            );
            for instructions in Instructions::all() {
                for threads in 1..=7 {
                    assert!(
                        fit(instructions, threads) == expected,
                        "α = {alpha}, {n_signals} signals, {instructions:?}, {threads} threads"
                    );
                }
            }
        }
    }
}
