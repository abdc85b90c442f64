//! How far a point is from the optimum at most. This room knows no solver: it takes any point and any dual point.
//!
//! For any symmetric V and any positive definite Y (one of each per view), with Γ = S or, where the filter is applied
//! twice, (SV + VS)/2,
//!
//! ```text
//! tr(S M²)/2 ≥ tr(Γ M) − tr(V S V)/2         −log det M ≥ −tr(Y M) + log det Y + n
//! ```
//!
//! so that, if Y and Γ have the same diagonal, the objective is at least
//!
//! ```text
//! Σ_i v_i { log det Y^i + n_i − [twice] tr(V^i S^i V^i)/2 } + Σ_e min over w, c of  what edge e costs − Σ_i g_i w_i
//!     g_i = 2 v_i (Γ_ab − Y_ab)
//! ```
//!
//! What edges cost grows in proportion to the weights, so that the minimum is 0 or −∞: 0 if there are s_i within ±β,
//! summing to γ at most (in size), such that g_i − s_i is what λ can hold. Where departures are charged by ℓ2, the s_i of an
//! edge lie in a ball of radius β instead; where by squares, there is no limit, and ‖s‖²/4β is taken off the bound. With a
//! frozen consensus the minimum is the cost of the better of w = 0 and w = c, or with squares of the best w. A dual point is made to fit: Y is scaled to the diagonal of Γ, and its entries are changed
//! until every edge's condition holds. If it is then not positive definite there is no bound, and none is claimed.

use faer::Mat;
use rayon::prelude::*;

use super::coupling::Coupling;
use super::matrices::{Factor, dot, symmetric_product};
use super::problem::{Filter, Point, Problem, Signs, Tie};
use crate::methods::Certificate;
use crate::parallel::chunks;

/// One view's share of a dual point.
#[derive(Clone, Debug, PartialEq)]
pub struct DualView {
    /// Y: symmetric.
    pub inverse: Mat<f64>,
    /// V: symmetric; used where the filter is applied twice.
    pub matrix: Mat<f64>,
}

/// Y scaled to the diagonal of Γ, Γ, and tr(V S V)/2.
struct Scaled {
    inverse: Mat<f64>,
    gamma: Option<Mat<f64>>,
    half_trace: f64,
}

/// The certificate of a point by a dual point, or by the one that the point itself suggests: V = M, Y = M⁻¹.
pub fn certify(problem: &Problem, point: &Point, dual: Option<&[DualView]>) -> Certificate {
    let objective = problem.objective(point);
    let suggested = || {
        let of_view = |view: usize| {
            let matrix = problem.matrix(view, point);
            let inverse = Factor::of(&matrix)?.inverse();
            Some(DualView { inverse, matrix })
        };
        let dual: Option<Vec<DualView>> = (0..problem.n_views()).map(of_view).collect();
        dual.map_or(f64::NEG_INFINITY, |dual| bound(problem, &dual))
    };
    of_bound(objective, dual.map_or_else(suggested, |dual| bound(problem, dual)))
}

/// The relative gap is over the size of the objective, or 1 if that is larger; infinite without a bound.
pub(super) fn of_bound(objective: f64, bound: f64) -> Certificate {
    let gap = (objective - bound) / objective.abs().max(1.0);
    Certificate {
        objective,
        dual_objective: bound,
        relative_gap: if gap.is_nan() { f64::INFINITY } else { gap.max(0.0) },
    }
}

/// A lower bound of the optimum; −∞ if the dual point gives none.
pub(super) fn bound(problem: &Problem, dual: &[DualView]) -> f64 {
    let scaled: Option<Vec<Scaled>> = (0..problem.n_views())
        .into_par_iter()
        .map(|view| scale(problem, view, &dual[view]))
        .collect();
    let Some(mut scaled) = scaled else {
        return f64::NEG_INFINITY;
    };
    let edges = repair(problem, &mut scaled);
    let shares: Option<Vec<f64>> = problem
        .views
        .par_iter()
        .zip(&scaled)
        .map(|(view, scaled)| {
            let log_det = Factor::of(&scaled.inverse)?.log_det();
            Some(view.weight * (log_det + view.n_nodes() as f64 - scaled.half_trace))
        })
        .collect();
    let bound = shares.map_or(f64::NEG_INFINITY, |shares| shares.iter().sum::<f64>() + edges);
    if bound.is_nan() { f64::NEG_INFINITY } else { bound }
}

fn scale(problem: &Problem, view: usize, dual: &DualView) -> Option<Scaled> {
    let covariance = &problem.views[view].covariance;
    let n = covariance.nrows();
    let (gamma, half_trace) = match problem.filter {
        Filter::Once => (None, 0.0),
        Filter::Twice => {
            let gamma = symmetric_product(covariance, &dual.matrix);
            let columns = (0..n).map(|k| dot(gamma.col_as_slice(k), dual.matrix.col_as_slice(k)));
            let half_trace = 0.5 * columns.sum::<f64>();
            (Some(gamma), half_trace)
        }
    };
    let of_gamma = gamma.as_ref().unwrap_or(covariance);
    let ratio = |a: usize| of_gamma[(a, a)] / dual.inverse[(a, a)];
    let factors: Vec<f64> = (0..n).map(|a| ratio(a).sqrt()).collect();
    let is_sound = |a: usize| of_gamma[(a, a)] > 0.0 && dual.inverse[(a, a)] > 0.0 && factors[a].is_finite();
    if !(0..n).all(is_sound) {
        return None;
    }
    let mut inverse = Mat::zeros(n, n);
    for b in 0..n {
        let column = inverse.col_as_slice_mut(b);
        for a in b..n {
            column[a] = dual.inverse[(a, b)] * factors[a] * factors[b];
        }
        column[b] = of_gamma[(b, b)];
    }
    Some(Scaled {
        inverse,
        gamma,
        half_trace,
    })
}

/// An entry of Y that an edge's condition changes: the view, its place and its value.
type Change = (usize, (usize, usize), f64);

/// Changes Y until every edge's condition holds; returns what edges add to the bound.
fn repair(problem: &Problem, scaled: &mut [Scaled]) -> f64 {
    let known = &*scaled;
    let found = chunks::map(problem.n_edges(), |edges| {
        let mut repair = Repair::default();
        let added: f64 = edges.map(|e| repair.edge(problem, known, e)).sum();
        (added, repair.changes)
    });
    let mut added = 0.0;
    for (share, changes) in found {
        added += share;
        for (view, place, value) in changes {
            scaled[view].inverse[place] = value;
        }
    }
    added
}

/// What is found while edges are looked at one after the other.
#[derive(Default)]
struct Repair {
    changes: Vec<Change>,
    pulls: Vec<f64>,
    multipliers: Vec<f64>,
    /// The views that may have the edge, its place in them, and Γ there.
    ends: Vec<(usize, (usize, usize), f64)>,
}

impl Repair {
    /// What an edge adds to the bound.
    fn edge(&mut self, problem: &Problem, scaled: &[Scaled], e: usize) -> f64 {
        let mut added = 0.0;
        self.pulls.clear();
        self.ends.clear();
        for (i, (view, scaled)) in problem.views.iter().zip(scaled).enumerate() {
            if let Some((a, b)) = problem.movable(e, i) {
                let place = (a.max(b), a.min(b));
                let gamma = scaled.gamma.as_ref().unwrap_or(&view.covariance)[place];
                self.pulls.push(2.0 * view.weight * (gamma - scaled.inverse[place]));
                self.ends.push((i, place, gamma));
            } else if view.ends(problem.edges[e]).is_some() {
                // A weight that stays zero departs from a frozen consensus, whatever the others do.
                added += frozen_departure(problem, e);
            }
        }
        let (has_changed, share) = if is_held_together(problem, e) {
            hold(problem, e, &mut self.pulls, &mut self.multipliers)
        } else {
            (make_feasible(problem, e, &mut self.pulls), 0.0)
        };
        added += share;
        if !has_changed && !matches!(problem.tie, Tie::Frozen(_)) {
            return added;
        }
        for (&(i, place, gamma), &pull) in self.ends.iter().zip(&self.pulls) {
            let value = gamma - pull / (2.0 * problem.views[i].weight);
            self.changes.push((i, place, value));
            added += frozen_share(problem, e, pull);
        }
        added
    }
}

/// Whether the views of an edge are tied to a consensus that is learned, and not each by itself.
#[inline(always)]
pub(super) fn is_held_together(problem: &Problem, e: usize) -> bool {
    problem.is_coupled() && problem.coupling() != Coupling::L1 && problem.charges.beta[e] > 0.0
}

/// Changes the pulls of an edge until a coupling that is not ℓ1 holds them; whether any changed, and the edge's share of
/// the bound.
fn hold(problem: &Problem, e: usize, pulls: &mut [f64], multipliers: &mut Vec<f64>) -> (bool, f64) {
    let (held, beta) = (problem.held(e), problem.charges.beta[e]);
    let (squares, has_changed) = held.hold(pulls, multipliers);
    if problem.coupling() == Coupling::SquaredL2 {
        return (has_changed, -squares / (4.0 * beta));
    }
    let length = squares.sqrt();
    if length <= beta {
        return (has_changed, 0.0);
    }
    multipliers.iter_mut().for_each(|s| *s *= beta / length);
    held.clip(pulls, multipliers);
    (true, 0.0)
}

/// Whether an edge that is absent stays so: its pulls are held where no weight departs from anything.
pub(super) fn stays_absent(problem: &Problem, e: usize, pulls: &mut [f64], multipliers: &mut Vec<f64>) -> bool {
    let is_squared = problem.coupling() == Coupling::SquaredL2;
    if is_squared && matches!(problem.tie, Tie::Frozen(_)) {
        let (lambda, is_signed) = (problem.charges.lambda[e], problem.signs == Signs::Both);
        return pulls
            .iter()
            .all(|&pull| pull <= lambda && (!is_signed || pull >= -lambda));
    }
    if !is_held_together(problem, e) {
        return !make_feasible(problem, e, pulls);
    }
    let (held, beta) = (problem.held(e), problem.charges.beta[e]);
    let length = if is_squared { 0.0 } else { beta };
    let squares = held.shortest(pulls, multipliers);
    squares.is_some_and(|squares| squares <= length * length)
}

/// The least of λ|w| + β|w − c| − g w over w, for a consensus that is known: at w = 0 or at w = c. With squares it is where
/// the slope is zero.
fn frozen_share(problem: &Problem, e: usize, pull: f64) -> f64 {
    let Tie::Frozen(consensus) = &problem.tie else {
        return 0.0;
    };
    let (lambda, beta) = (problem.charges.lambda[e], problem.charges.beta[e]);
    if problem.coupling() == Coupling::SquaredL2 && beta > 0.0 {
        let c = consensus[e];
        let at = 2.0 * beta * c + pull;
        let left = if problem.signs == Signs::Both {
            (at.abs() - lambda).max(0.0)
        } else {
            (at - lambda).max(0.0)
        };
        return beta * c * c - left * left / (4.0 * beta);
    }
    consensus[e].abs() * beta.min(lambda - pull * consensus[e].signum())
}

/// What a weight of zero costs beside a consensus that is known.
fn frozen_departure(problem: &Problem, e: usize) -> f64 {
    match &problem.tie {
        Tie::Frozen(consensus) => {
            let departure = problem.coupling().value(std::iter::once(consensus[e]));
            problem.charges.beta[e] * departure
        }
        Tie::None | Tie::Consensus => 0.0,
    }
}

/// Changes the pulls of an edge's views as little as needed; whether any changed.
pub(super) fn make_feasible(problem: &Problem, e: usize, pulls: &mut [f64]) -> bool {
    let lambda = problem.charges.lambda[e];
    let (beta, gamma) = match problem.tie {
        Tie::None => (0.0, 0.0),
        Tie::Consensus => (problem.charges.beta[e], problem.pull_of_rest(e)),
        // Squares hold any pull.
        Tie::Frozen(_) if problem.coupling() == Coupling::SquaredL2 && problem.charges.beta[e] > 0.0 => return false,
        Tie::Frozen(_) => (problem.charges.beta[e], f64::INFINITY),
    };
    let is_signed = problem.signs == Signs::Both;
    let mut has_changed = false;
    for pull in &mut *pulls {
        let within = pull.min(lambda + beta);
        let within = if is_signed { within.max(-lambda - beta) } else { within };
        has_changed |= within != *pull;
        *pull = within;
    }
    if beta == 0.0 {
        return has_changed;
    }
    has_changed |= lower_sum(pulls, lambda, beta, gamma, 1.0);
    if is_signed {
        has_changed |= lower_sum(pulls, lambda, beta, gamma, -1.0);
    }
    has_changed
}

/// Takes what Σ max(g − λ, −β) is above γ evenly off the pulls, each down to λ − β at most; of the pulls' negatives if
/// `side` is −1.
fn lower_sum(pulls: &mut [f64], lambda: f64, beta: f64, gamma: f64, side: f64) -> bool {
    let share = |pull: f64| (side * pull - lambda).max(-beta);
    let excess = pulls.iter().map(|&pull| share(pull)).sum::<f64>() - gamma;
    // −∞ where the sum is not bounded.
    if excess.is_nan() || excess <= 0.0 {
        return false;
    }
    // Σ min(room, each) = excess. Rooms are those of the pulls as they came: of a pull that was lowered, rounding could
    // leave a little room, and it would take its part of the excess for ever.
    let room = |pull: f64| share(pull) + beta;
    let mut each = excess / pulls.len() as f64;
    for _ in 0..pulls.len() {
        let (mut full, mut n_open) = (0.0, 0_usize);
        for room in pulls.iter().map(|&pull| room(pull)) {
            if room <= each {
                full += room;
            } else {
                n_open += 1;
            }
        }
        if n_open == 0 {
            break;
        }
        let next = (excess - full) / n_open as f64;
        if next.is_nan() || next <= each {
            break;
        }
        each = next;
    }
    for pull in pulls.iter_mut() {
        *pull -= side * each.min(room(*pull));
    }
    true
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::methods::likelihood::problem::{Charges, ViewTerm};

    fn one_edge(n_views: usize, [lambda, beta, gamma]: [f64; 3], signs: Signs, tie: Tie) -> Problem {
        let view = ViewTerm::new(2, &[0, 1], &[1.0, 0.0, 0.0, 1.0], 1.0);
        let charges = Charges::uniform(1, lambda, beta, gamma);
        Problem::new(
            Arc::new(vec![view; n_views]),
            Arc::new(vec![[0, 1]]),
            charges,
            Filter::Once,
            signs,
            tie,
        )
        .unwrap()
    }

    /// After the repair there are s with |s| ≤ β, g − s ≤ λ (in size, if signed) and a sum of γ at most.
    fn violation(pulls: &[f64], [lambda, beta, gamma]: [f64; 3], signs: Signs) -> f64 {
        let side = |sign: f64| {
            let sum: f64 = pulls.iter().map(|g| (sign * g - lambda).max(-beta)).sum();
            let most = pulls.iter().map(|g| sign * g - lambda - beta).fold(0.0, f64::max);
            most.max(sum - gamma)
        };
        if signs == Signs::Both {
            side(1.0).max(side(-1.0))
        } else {
            side(1.0)
        }
    }

    #[test]
    fn repaired_pulls_fulfil_every_condition() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for case in 0..20_000 {
            let n_views = rng.random_range(1..=8);
            let signs = if case % 2 == 0 { Signs::Both } else { Signs::Attractive };
            let size = |rng: &mut ChaCha8Rng| {
                if rng.random_bool(0.3) {
                    0.0
                } else {
                    rng.random_range(0.01..1.0)
                }
            };
            let (lambda, beta) = (size(&mut rng), size(&mut rng));
            let gamma = if rng.random_bool(0.1) {
                f64::INFINITY
            } else {
                size(&mut rng) * beta * n_views as f64
            };
            let charges = [lambda, beta, gamma];
            let problem = one_edge(n_views, charges, signs, Tie::Consensus);
            let mut pulls: Vec<f64> = (0..n_views).map(|_| rng.random_range(-2.0..2.0)).collect();
            let before = pulls.clone();
            let was_feasible = violation(
                &pulls,
                if beta > 0.0 {
                    charges
                } else {
                    [lambda, 0.0, f64::INFINITY]
                },
                signs,
            ) <= 0.0;
            let has_changed = make_feasible(&problem, 0, &mut pulls);
            assert_eq!(has_changed, !was_feasible, "{before:?} {charges:?}");
            let left = violation(
                &pulls,
                if beta > 0.0 {
                    charges
                } else {
                    [lambda, 0.0, f64::INFINITY]
                },
                signs,
            );
            assert!(
                left <= 1e-14,
                "{left:e} is left: {before:?} became {pulls:?} for {charges:?}, {signs:?}"
            );
        }
    }

    /// The edge's share of the bound of a frozen consensus is the least of its cost over a fine grid.
    #[test]
    fn the_frozen_share_is_the_least_cost() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        for case in 0..300 {
            let signs = if case % 2 == 0 { Signs::Both } else { Signs::Attractive };
            let (lambda, beta) = (rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
            let size = f64::from(rng.random_range(0..50_u32)) * 0.02;
            let c = if signs == Signs::Both && case % 4 == 0 {
                -size
            } else {
                size
            };
            let problem = one_edge(1, [lambda, beta, 0.0], signs, Tie::Frozen(vec![c]));
            let mut pulls = [rng.random_range(-3.0..3.0)];
            make_feasible(&problem, 0, &mut pulls);
            let cost = |w: f64| lambda * w.abs() + beta * (w - c).abs() - pulls[0] * w;
            let from = if signs == Signs::Both { -300 } else { 0 };
            let least = (from..=300)
                .map(|k| cost(f64::from(k) * 0.02))
                .fold(f64::INFINITY, f64::min);
            let share = frozen_share(&problem, 0, pulls[0]);
            assert!(
                (share - least).abs() <= 1e-12,
                "{share} is not {least}: c {c}, pull {}",
                pulls[0]
            );
        }
    }
}
