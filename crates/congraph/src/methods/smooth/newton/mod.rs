//! Newton on the degrees: n·N unknowns instead of n(n−1)/2·(N+1).
//!
//! Introduce the degrees δ^i = S w^i with multipliers λ^i. Minimising over everything but λ leaves the smooth concave
//! function Dual(λ) of [`crate::methods::smooth::certificate`], which this solver maximises. In units of κ = 4α, so
//! that weights, targets and multipliers are of one kind:
//!
//! ```text
//! degrees      δ^i = 2 + 2 (λ^i − mean λ^i)
//! targets      u_i = −(D^i_e/κ + λ^i_a + λ^i_b)                        absent if all u_i ≤ 0
//! edge         (W, w) = argmin ½‖W − u‖² + τ c(W − w) + σ w,   τ = β/κ, σ = γ/κ
//! gradient     δ^i − S w^i                                             of the negated dual
//! Hessian      Σ_e (e_a+e_b)(e_a+e_b)ᵀ ⊗ J_e + 2 (I − 11ᵀ/n) ⊗ I
//! ```
//!
//! The Hessian's spectrum lies between 2 and 2 + 2·(largest number of neighbours), so conjugate gradients with a
//! diagonal preconditioner take few steps. The all-ones direction can be singular (when no edge of a view moves on its
//! own): a small multiple of I is added, more after a step that had to be cut short.
//!
//! A view that lacks nodes has λ^i and δ^i on its own n_i nodes; elsewhere multipliers and gradient are held at 0, and
//! with them every direction. A target of −∞ says that a view lacks an edge.
//!
//! One iteration costs one pass over the edges, O(n²N), plus O(present edges · N) for each CG step.

mod direction;
mod dual;
mod start;
mod vectors;

use direction::Hessian;
use dual::{Dual, DualEvaluation};
use vectors::{combine, dot, norm};

use super::solver::{check_start, without_edge_minimiser};
use super::{Needs, Solution, Solver, WorkingSet};
use crate::edges::{ViewMatrix, Weights};
use crate::error::Error;
use crate::methods::smooth::Problem;
use crate::methods::smooth::certificate::DualPoint;
use crate::parallel::chunks;
use crate::progress::{Progress, Status, Watch};

/// Settings of the Newton solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Newton {
    /// The relative gap at which a result counts as converged.
    pub tolerance: f64,
    /// The most Newton steps.
    pub max_iterations: usize,
    /// The most CG steps for one Newton step.
    pub max_cg_steps: usize,
    /// Whether to continue once converged, while a step still gains a factor 10: the last steps of Newton's method are
    /// nearly free, and the weights' error is of the order of the square root of the gap.
    pub polish: bool,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_iterations: 200,
            max_cg_steps: 500,
            polish: true,
        }
    }
}

/// Armijo: the least share of the decrease promised by the slope.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Steps are cut at most this often.
const MAX_CUTS: usize = 60;
/// Bounds of the multiple of I that is added to the Hessian.
const RIDGE: std::ops::RangeInclusive<f64> = 1e-10..=1.0;
/// A tolerance above this asks for speed: polishing ends at a share of it.
const ASKS_FOR_SPEED: f64 = 1e-7;
const POLISHED: f64 = 0.1;
/// Once converged, steps that still gain this factor are taken.
const WORTHWHILE: f64 = 0.1;
/// Gaps and errors of a degree below this are rounding.
const ROUNDING: f64 = 1e-14;
/// Where the value cannot tell, steps are not cut below this.
const SHORTEST_LOST_STEP: f64 = 1e-3;
/// Changes of the dual below this share of its terms may be rounding: it is a sum of many thousands.
const ROUNDING_OF_VALUE: f64 = 1e-12;
/// A gap at rounding still leaves an error of its root in the weights: the degrees must be this accurate too.
const SMALL_GRADIENT: f64 = 1e-10;

impl Newton {
    /// The same to a larger gap, and no further.
    pub(super) fn roughly(&self, tolerance: f64) -> Self {
        Self {
            tolerance: tolerance.max(self.tolerance),
            polish: false,
            ..self.clone()
        }
    }

    /// Newton's iteration, without a certificate.
    ///
    /// # Errors
    /// As [`Newton::solve`].
    pub(super) fn descend(
        &self,
        problem: &Problem,
        start: Option<&ViewMatrix>,
        watch: Watch<'_>,
    ) -> Result<Descent, Error> {
        check_start(problem, start)?;
        let term = problem
            .edge_term()
            .ok_or_else(|| without_edge_minimiser(problem.model(), self.name()))?;
        let dual = Dual::new(problem, term);
        let (mut multipliers, mut at) = match start {
            Some(start) => warm_start(&dual, problem, start),
            None => start::cold_start(&dual),
        };
        let mut gap = dual.gap(&at, self.tolerance);
        let mut ridge = 1e-6_f64;
        let mut hessian = Hessian::new(problem.n_views());
        let mut used = None;
        let mut iterations = 0;
        let status = loop {
            if iterations >= self.max_iterations {
                break Status::IterationLimit;
            }
            // Members of a team stop together, and see that they are at the same point.
            let stops = watch(&self.progress(iterations, gap)).is_break();
            if dual.share.team().any_at(stops, multipliers.values()) {
                break Status::Interrupted;
            }
            let length = norm(at.gradient.values());
            if gap <= ROUNDING && length <= SMALL_GRADIENT * (at.gradient.values().len() as f64).sqrt() {
                break Status::Converged;
            }
            // Inexact Newton: far from the optimum a rough direction is enough.
            let accuracy = (0.1 * length.sqrt()).min(0.1);
            hessian.update(&dual, &at.present, ridge);
            let (direction, _) = hessian.direction(&at.gradient, accuracy, self.max_cg_steps);
            iterations += 1;
            let Some((step, next)) = line_search(&dual, &multipliers, &at, &direction, &mut used) else {
                // A direction with hardly any curvature: lean on the identity, and only then give up.
                if gap <= self.tolerance || ridge >= *RIDGE.end() {
                    break Status::Stalled;
                }
                ridge = (ridge * 1e3).min(*RIDGE.end());
                continue;
            };
            combine(multipliers.values_mut(), 1.0, step, direction.values());
            ridge = ridge_after(step, ridge);
            let next_gap = dual.gap(&next, self.tolerance);
            let gained = norm(next.gradient.values()) <= WORTHWHILE * length || next_gap <= WORTHWHILE * gap;
            // The memory of the point before is lent to the next evaluation.
            used = Some(std::mem::replace(&mut at, next));
            gap = next_gap;
            if gap <= self.tolerance && !self.polishes_on(gap, gained) {
                break Status::Converged;
            }
        };
        Ok(Descent {
            mean_weight: mean_weight(&dual, &at.present),
            weights: Weights::joined(at.present, problem.n_views()),
            multipliers: scaled(&multipliers, problem.kappa()),
            status,
            iterations,
        })
    }

    fn progress(&self, iteration: usize, gap: f64) -> Progress {
        Progress::Solving {
            iteration,
            gap,
            tolerance: self.tolerance,
        }
    }

    /// Whether to continue although the gap is within the tolerance.
    fn polishes_on(&self, gap: f64, gained: bool) -> bool {
        let enough = self.tolerance > ASKS_FOR_SPEED && gap <= POLISHED * self.tolerance;
        self.polish && gained && !enough
    }
}

/// The multipliers of a neighbouring problem, in units of κ, and the dual there.
fn warm_start(dual: &Dual<'_>, problem: &Problem, start: &ViewMatrix) -> (ViewMatrix, DualEvaluation) {
    let mut multipliers = scaled(start, 1.0 / problem.kappa());
    problem.membership().clear(&mut multipliers);
    let at = dual.evaluate(&multipliers, None);
    (multipliers, at)
}

/// The next multiple of I: less after a full step, more after one that was cut short.
fn ridge_after(step: f64, ridge: f64) -> f64 {
    let factor = if step >= 1.0 {
        0.1
    } else if step < 0.2 {
        10.0
    } else {
        1.0
    };
    (ridge * factor).clamp(*RIDGE.start(), *RIDGE.end())
}

impl Solver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn needs(&self) -> Needs {
        Needs::EdgeMinimiser
    }

    fn working_set(&self) -> Option<WorkingSet> {
        Some(WorkingSet {
            newton: self.clone(),
            max_rounds: 50,
        })
    }

    fn solve(&self, problem: &Problem, start: Option<&ViewMatrix>, watch: Watch<'_>) -> Result<Solution, Error> {
        chunks::in_pool(|| {
            let found = self.descend(problem, start, watch)?;
            Ok(found.certified(problem, self.tolerance))
        })
    }
}

/// Where the iteration ended.
pub(super) struct Descent {
    /// The edges present and their weights, not scaled to their totals; of a list that is shared out, those of the part
    /// that is here.
    pub(super) weights: Weights,
    /// The mean of all weights that are not zero.
    pub(super) mean_weight: f64,
    /// λ, one row per node.
    pub(super) multipliers: ViewMatrix,
    pub(super) status: Status,
    pub(super) iterations: usize,
}

impl Descent {
    /// The solution with its certificate.
    pub(super) fn certified(self, problem: &Problem, tolerance: f64) -> Solution {
        let dual = DualPoint {
            multipliers: self.multipliers,
            prox_points: None,
        };
        Solution::certified(problem, self.weights, dual, tolerance, self.status, self.iterations)
    }
}

/// The mean over the weights that are not zero, wherever they are.
fn mean_weight(dual: &Dual<'_>, present: &[Weights]) -> f64 {
    let of_block = |block: &Weights| {
        let weights = block.views().values();
        let n_present = weights.iter().filter(|&&weight| weight > 0.0).count();
        [weights.iter().sum(), n_present as f64]
    };
    let all = dual.share.in_order(present.iter().flat_map(of_block).collect());
    let (blocks, _) = all.as_chunks::<2>();
    let [sum, count] = blocks
        .iter()
        .fold([0.0; 2], |sums, block| [sums[0] + block[0], sums[1] + block[1]]);
    sum / count.max(1.0)
}

/// Backtracks from the full step until the dual has improved enough. None if no step does, even allowing for rounding.
fn line_search(
    dual: &Dual<'_>,
    multipliers: &ViewMatrix,
    at: &DualEvaluation,
    direction: &ViewMatrix,
    used: &mut Option<DualEvaluation>,
) -> Option<(f64, DualEvaluation)> {
    let slope = dot(at.gradient.values(), direction.values());
    if slope.is_nan() || slope >= 0.0 {
        return None;
    }
    // The error of the value itself, not of its changes.
    let rounding = 8.0 * f64::EPSILON * at.magnitude;
    let mut step = 1.0;
    for _ in 0..MAX_CUTS {
        let mut trial = multipliers.clone();
        combine(trial.values_mut(), 1.0, step, direction.values());
        let next = dual.evaluate(&trial, used.take());
        let decrease = at.value - next.value;
        // Where the promised decrease is lost in the rounding of the value, the gradient decides.
        if -step * slope <= rounding {
            if norm(next.gradient.values()) <= (1.0 - 0.1 * step) * norm(at.gradient.values()) {
                return Some((step, next));
            }
            *used = Some(next);
            step *= 0.5;
            if step < SHORTEST_LOST_STEP {
                return None;
            }
            continue;
        }
        if decrease >= -SUFFICIENT_DECREASE * step * slope {
            return Some((step, next));
        }
        // Where only the decrease that was found is, the slope does: a convex function has come nearer to its minimum
        // if its slope has become flatter.
        let flatter = dot(next.gradient.values(), direction.values()).abs() <= 0.9 * slope.abs();
        if decrease.abs() <= ROUNDING_OF_VALUE * at.magnitude && flatter {
            return Some((step, next));
        }
        // The minimum of the parabola through what is known, kept away from the ends.
        let parabola = 0.5 * step * step * slope / (decrease + step * slope);
        step = if parabola.is_finite() {
            parabola.clamp(0.1 * step, 0.5 * step)
        } else {
            0.5 * step
        };
        *used = Some(next);
    }
    None
}

fn scaled(rows: &ViewMatrix, factor: f64) -> ViewMatrix {
    ViewMatrix::from_values(
        rows.n_views(),
        rows.values().iter().map(|value| value * factor).collect(),
    )
}
