//! Proximal Newton: a quadratic model of the likelihood at each point, minimised with what the edges cost.
//!
//! ```text
//! quadratic   the model, and the step in it           start, pooled   where to begin
//! descent     coordinate descent, which finds the face: what is zero, what is shared      star    a sweep of it
//! face        Newton's step on that face by conjugate gradients       direct   by factors
//! product     the model's curvature along a direction on a face
//! bundle      views that a smooth coupling ties on a face
//! ```
//!
//! Each weight carries the best response of the two diagonal entries of its ends. Without them, strongly correlated
//! nodes make the problem thousands of times stiffer than it is. The model's own dual point, which would be optimal if
//! the model were exact, certifies the result.

mod bundle;
mod descent;
mod direct;
mod face;
mod pooled;
mod product;
mod quadratic;
mod star;
mod start;

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::certificate::{self, DualView};
use super::problem::{Evaluated, Filter, Point, Problem, ViewTerm};
use crate::methods::Certificate;
use crate::progress::{Progress, Status, Watch};
use quadratic::Quadratic;

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// The relative gap at which the result counts as converged.
    pub tolerance: f64,
    /// The most outer steps.
    pub max_iterations: usize,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 60,
        }
    }
}

/// What the solver ends with.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Where it ended.
    pub point: Point,
    /// The dual point of the best bound, if there is any.
    pub dual: Option<Vec<DualView>>,
    /// How close to optimal the point is.
    pub certificate: Certificate,
    /// Why it stopped.
    pub status: Status,
    /// How many steps it took.
    pub iterations: usize,
}

/// Sweeps at a cold start, before the first step on a face.
const FIRST_SWEEPS: usize = 3;
/// Rounds of descent and face in one model at most.
const MOST_ROUNDS: usize = 10;
/// A sweep that gains less than this share of what the model has gained has found the face.
const FACE_FOUND: f64 = 0.02;
/// The share of what the model promises that a step must keep.
const ARMIJO: f64 = 1e-4;
/// Steps are not made shorter than this.
const SHORTEST: f64 = 1e-8;
/// From so many nodes on, the dense start of single linkage costs more than it saves: with the filter applied once,
const MANY_NODES: usize = 300;
/// and twice.
const SOME_NODES: usize = 80;
/// Differences of objectives below this share of them are rounding.
const ROUNDING: f64 = 1e-13;

/// A point and what is known there.
struct Known {
    point: Point,
    at: Vec<Evaluated>,
    objective: f64,
}

impl Known {
    fn of(problem: &Problem, point: Point) -> Option<Self> {
        let at: Option<Vec<Evaluated>> = (0..problem.n_views())
            .into_par_iter()
            .map(|view| problem.evaluate(view, &point))
            .collect();
        let at = at?;
        let objective = at.iter().map(|view| view.value).sum::<f64>() + problem.penalty(&point);
        objective.is_finite().then_some(Self { point, at, objective })
    }
}

impl Newton {
    /// Solves the problem, from a point near the solution if there is one.
    pub fn solve(&self, problem: &Problem, start: Option<Point>, watch: Watch<'_>) -> Solved {
        let warm = start.and_then(|point| Known::of(problem, point));
        let is_cold = warm.is_none();
        let first = warm.or_else(|| begin(problem));
        let Some(mut known) = first else {
            return unsolved(problem);
        };
        let (mut best, mut dual) = (f64::NEG_INFINITY, None);
        let (mut status, mut iterations) = (Status::IterationLimit, 0);
        let mut n_sweeps = if is_cold { FIRST_SWEEPS } else { 0 };
        while iterations < self.max_iterations {
            iterations += 1;
            let Known { point, at, objective } = known;
            let aim = self.tolerance * objective.abs().max(1.0);
            let Some((step, bound)) = step(problem, &point, at, aim, n_sweeps) else {
                // Only rounding makes the curvature of a point that was reached fail.
                known = Known {
                    point,
                    at: Vec::new(),
                    objective,
                };
                status = Status::Stalled;
                break;
            };
            if bound.0 > best {
                (best, dual) = (bound.0, Some(bound.1));
            }
            let (next, size) = search(problem, point, objective, &step);
            known = next;
            // Half-way between two faces all that is present in either is: the face is looked for anew, where a sweep is
            // cheaper than products on too large a face.
            n_sweeps = usize::from(size < 1.0 && problem.n_edges() <= MANY_NODES * (MANY_NODES - 1) / 2);
            let certificate = certificate::of_bound(known.objective, best);
            let told = Progress::Solving {
                iteration: iterations,
                gap: certificate.relative_gap,
                tolerance: self.tolerance,
            };
            if certificate.relative_gap <= self.tolerance {
                status = Status::Converged;
                break;
            }
            if size == 0.0 {
                status = Status::Stalled;
                break;
            }
            if watch(&told) == ControlFlow::Break(()) {
                status = Status::Interrupted;
                break;
            }
        }
        Solved {
            certificate: certificate::of_bound(known.objective, best),
            point: known.point,
            dual,
            status,
            iterations,
        }
    }
}

/// A cold start. Where there are many nodes, or some and the filter is applied twice, one sparse graph for all views if it
/// explains more than none does: it saves steps, and the first sweep need not empty a dense one. Otherwise each view's own
/// linkage: subjects are far from their mean.
fn begin(problem: &Problem) -> Option<Known> {
    let n_nodes = problem.views.first().map_or(0, ViewTerm::n_nodes);
    let many = match problem.filter {
        Filter::Once => MANY_NODES,
        Filter::Twice => SOME_NODES,
    };
    let pooled = (n_nodes > many).then(|| pooled::pooled(problem)).flatten();
    let known = pooled.and_then(|point| Known::of(problem, point));
    known
        .filter(|known| known.objective < start::without_edges_in_all(problem))
        .or_else(|| Known::of(problem, start::cold(problem)))
}

/// Where no point has a finite objective there is nothing to certify.
fn unsolved(problem: &Problem) -> Solved {
    Solved {
        point: start::cold(problem),
        dual: None,
        certificate: certificate::of_bound(f64::INFINITY, f64::NEG_INFINITY),
        status: Status::Stalled,
        iterations: 0,
    }
}

/// Where the model is least, and what it promises to gain to first order.
struct Step {
    target: Point,
    slope: f64,
}

/// Minimises the model at a point; with the bound of its dual point. Where little is known of the face, some sweeps of
/// coordinate descent look for it first.
fn step(
    problem: &Problem,
    point: &Point,
    at: Vec<Evaluated>,
    aim: f64,
    n_sweeps: usize,
) -> Option<(Step, (f64, Vec<DualView>))> {
    let mut model = Quadratic::new(problem, point, at, aim)?;
    let before = model.objective;
    let mut last = before;
    // Whether a step on the face led nowhere: clipped where it would leave the face, it need not go down.
    let mut is_held = false;
    for round in 0..MOST_ROUNDS {
        let swept = if round == 0 && n_sweeps > 0 {
            model.first_sweeps(n_sweeps);
            true
        } else if is_held {
            // Nothing else moves weights within the face: descent does, edge by edge.
            let active = model.active();
            model.sweep(&active)
        } else if round > 0 {
            // The face is nearly known: only edges that would leave it are looked at.
            let changing = model.changing();
            model.sweep(&changing)
        } else {
            false
        };
        if swept {
            model.refresh(true);
        }
        let length = model.length();
        let (gained, all) = (last - model.objective, before - model.objective);
        if round > 0 && (gained <= FACE_FOUND * length.min(1.0) * all || gained < 1e-6 * aim) {
            break;
        }
        is_held = !model.face_step();
        last = model.objective;
    }
    let dual = model.dual();
    let bound = certificate::bound(problem, &dual);
    let slope = model.objective - before - model.quadratic;
    let target = model.point;
    Some((Step { target, slope }, (bound, dual)))
}

/// Goes towards the model's minimum, all the way if the objective agrees; how far, zero if nowhere.
fn search(problem: &Problem, from: Point, objective: f64, step: &Step) -> (Known, f64) {
    let mut size = 1.0;
    while size > SHORTEST {
        if let Some(known) = Known::of(problem, between(&from, &step.target, size))
            && known.objective <= objective + ARMIJO * size * step.slope.min(0.0) + ROUNDING * objective.abs()
        {
            return (known, size);
        }
        size *= 0.5;
    }
    let stay = Known {
        point: from,
        at: Vec::new(),
        objective,
    };
    (stay, 0.0)
}

fn between(from: &Point, to: &Point, size: f64) -> Point {
    if size == 1.0 {
        return to.clone();
    }
    let mix = |x: &mut f64, y: &f64| *x += size * (y - *x);
    let mut point = from.clone();
    point
        .weights
        .values_mut()
        .iter_mut()
        .zip(to.weights.values())
        .for_each(|(x, y)| mix(x, y));
    point
        .consensus
        .iter_mut()
        .zip(&to.consensus)
        .for_each(|(x, y)| mix(x, y));
    for (from, to) in point.diagonals.iter_mut().zip(&to.diagonals) {
        from.iter_mut().zip(to).for_each(|(x, y)| mix(x, y));
    }
    point
}
