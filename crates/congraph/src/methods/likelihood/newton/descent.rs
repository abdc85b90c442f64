//! Coordinate descent in the model: edge by edge, all views at once, each weight together with the diagonal entries of
//! its two ends. It finds which weights are zero and which views share the consensus.

use super::super::certificate::stays_absent;
use super::super::coupling::Coupling;
use super::super::edge::{self, Charge, Scratch, apart};
use super::super::problem::{Filter, Problem, Signs, Tie};
use super::quadratic::{Quadratic, ViewModel};
use crate::parallel::chunks;

/// The model's curvature along one weight when its two diagonal entries move to their best place with it.
#[derive(Clone, Copy, Default)]
pub(super) struct Curvature {
    /// Of the diagonal entries.
    pub(super) diagonal: [f64; 3],
    /// Of the weight with each of them.
    pub(super) mixed: [f64; 2],
    /// How far each of them moves against the weight.
    pub(super) response: [f64; 2],
    /// What is left.
    pub(super) along: f64,
}

/// Less curvature than this share of what the weight alone has is rounding.
const LEAST_CURVATURE: f64 = 1e-12;

impl Curvature {
    /// `y` and `s` hold the entries (a,a), (b,b) and (a,b) of Y and S.
    #[inline(always)]
    pub(super) fn new(y: [f64; 3], s: Option<[f64; 3]>) -> Self {
        let [yaa, ybb, yab] = y;
        let [saa, sbb, sab] = s.unwrap_or_default();
        let alone = 2.0 * (yaa * ybb + yab * yab) + saa + sbb;
        let diagonal = [yaa * yaa + saa, yab * yab, ybb * ybb + sbb];
        let mixed = [-2.0 * yaa * yab - sab, -2.0 * ybb * yab - sab];
        let response = solve(diagonal, mixed);
        let along = alone - mixed[0] * response[0] - mixed[1] * response[1];
        Self {
            diagonal,
            mixed,
            response,
            along: along.max(LEAST_CURVATURE * alone),
        }
    }

    #[inline(always)]
    pub(super) fn of(problem: &Problem, view: usize, model: &ViewModel, a: usize, b: usize) -> Self {
        let y = &model.inverse;
        let s = &problem.views[view].covariance;
        Self::new(
            [y[(a, a)], y[(b, b)], y[(a, b)]],
            (problem.filter == Filter::Twice).then(|| [s[(a, a)], s[(b, b)], s[(a, b)]]),
        )
    }
}

/// The solution of a symmetric system of two equations.
#[inline(always)]
pub(super) fn solve([a, b, c]: [f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    let determinant = a * c - b * b;
    [(c * x - b * y) / determinant, (a * y - b * x) / determinant]
}

/// Room to look at one edge.
#[derive(Default)]
struct Room {
    targets: Vec<f64>,
    curvatures: Vec<f64>,
    weights: Vec<f64>,
    old: Vec<f64>,
    scratch: Scratch,
}

impl Quadratic<'_> {
    /// Edges that are present, or that the model's gradient would make so.
    pub(super) fn active(&self) -> Vec<u32> {
        let problem = self.problem;
        let mut active = Vec::new();
        let (mut pulls, mut multipliers) = (Vec::new(), Vec::new());
        for e in 0..problem.n_edges() {
            let is_present = self.is_present(e);
            if !is_present {
                pulls.clear();
                for (view, model) in self.views.iter().enumerate() {
                    if let Some((a, b)) = problem.movable(e, view) {
                        pulls.push(2.0 * problem.views[view].weight * model.residual[(b, a)]);
                    }
                }
            }
            if is_present || !stays_absent(problem, e, &mut pulls, &mut multipliers) {
                active.push(e as u32);
            }
        }
        active
    }

    /// Of some edges, those that are present.
    fn present(&self, edges: &[u32]) -> Vec<u32> {
        edges
            .iter()
            .filter(|&&e| self.is_present(e as usize))
            .copied()
            .collect()
    }

    fn is_present(&self, e: usize) -> bool {
        self.point.consensus[e] != 0.0 || self.point.weights.row(e).iter().any(|&weight| weight != 0.0)
    }

    /// Edges that would leave the face: of which a weight would become zero or positive, or would begin or cease to share
    /// the consensus, if the edge were looked at alone.
    pub(super) fn changing(&self) -> Vec<u32> {
        let of_range = |range: std::ops::Range<usize>| {
            let mut room = Room::default();
            range
                .filter(|&e| self.is_changing(e, &mut room))
                .map(|e| e as u32)
                .collect::<Vec<u32>>()
        };
        chunks::map(self.problem.n_edges(), of_range).concat()
    }

    fn is_changing(&self, e: usize, room: &mut Room) -> bool {
        let (problem, row, consensus) = (self.problem, self.point.weights.row(e), self.point.consensus[e]);
        let is_present = self.is_present(e);
        room.targets.clear();
        for (view, model) in self.views.iter().enumerate() {
            if let Some((a, b)) = problem.movable(e, view) {
                room.targets
                    .push(2.0 * problem.views[view].weight * model.residual[(b, a)]);
            }
        }
        if !is_present {
            return !stays_absent(problem, e, &mut room.targets, &mut room.old);
        }
        room.curvatures.clear();
        room.weights.clear();
        for (view, model) in self.views.iter().enumerate() {
            if let Some((a, b)) = problem.movable(e, view) {
                // The diagonals are at their best: only the weight's own slope is left.
                let h = problem.views[view].weight * Curvature::of(problem, view, model, a, b).along;
                let k = room.curvatures.len();
                room.targets[k] = row[view] + room.targets[k] / h;
                room.curvatures.push(h);
                room.weights.push(row[view]);
            }
        }
        let Room {
            targets,
            curvatures,
            weights,
            old,
            scratch,
        } = room;
        old.clone_from(weights);
        let now = minimise(problem, e, targets, curvatures, consensus, weights, scratch);
        if problem.coupling() != Coupling::L1 {
            // A weight may pass the consensus: only that all are equal to it is a face of its own.
            let shares = |row: &[f64], consensus: f64| {
                problem.coupling() == Coupling::L2 && row.iter().all(|&weight| weight == consensus)
            };
            let turns = |(old, new): (&f64, &f64)| old.partial_cmp(&0.0) != new.partial_cmp(&0.0);
            return now.partial_cmp(&0.0) != consensus.partial_cmp(&0.0)
                || shares(old, consensus) != shares(weights, now)
                || old.iter().zip(&*weights).any(turns);
        }
        let side = |weight: f64, consensus: f64| (weight.partial_cmp(&0.0), weight.partial_cmp(&consensus));
        let moves = |(&old, &new): (&f64, &f64)| side(old, consensus) != side(new, now);
        (now == 0.0) != (consensus == 0.0) || old.iter().zip(&*weights).any(moves)
    }

    /// What looks for the face where little is known of it.
    pub(super) fn first_sweeps(&mut self, n_sweeps: usize) {
        self.refresh(true);
        let active = self.active();
        self.sweep(&active);
        // What the first look left absent is looked at again in the next round.
        for _ in 1..n_sweeps {
            let present = self.present(&active);
            self.sweep(&present);
        }
    }
}

/// The best weights of one edge and its consensus.
#[inline(always)]
pub(super) fn minimise(
    problem: &Problem,
    e: usize,
    targets: &[f64],
    curvatures: &[f64],
    consensus: f64,
    weights: &mut [f64],
    scratch: &mut Scratch,
) -> f64 {
    let charge = Charge {
        lambda: problem.charges.lambda[e],
        beta: problem.charges.beta[e],
        gamma: problem.pull_of_rest(e),
    };
    if problem.coupling() != Coupling::L1 && charge.beta > 0.0 && problem.tie != Tie::None {
        return apart(problem, e, targets, curvatures, consensus, weights, scratch);
    }
    let given: fn(f64, f64, f64, f64, f64) -> f64 = match problem.signs {
        Signs::Attractive => edge::attractive_given,
        Signs::Both => edge::given,
    };
    let (beta, consensus) = match (&problem.tie, problem.signs) {
        (Tie::Consensus, Signs::Attractive) if charge.beta > 0.0 => {
            return edge::attractive(targets, curvatures, charge, weights, scratch);
        }
        (Tie::Consensus, Signs::Both) if charge.beta > 0.0 => {
            return edge::signed(targets, curvatures, charge, weights, scratch);
        }
        (Tie::None | Tie::Consensus, _) => (0.0, 0.0),
        (Tie::Frozen(_), _) => (charge.beta, consensus),
    };
    for ((weight, &u), &h) in weights.iter_mut().zip(targets).zip(curvatures) {
        *weight = given(u, h, charge.lambda, beta, consensus);
    }
    consensus
}

/// The same where departures are not charged by ℓ1.
fn apart(
    problem: &Problem,
    e: usize,
    targets: &[f64],
    curvatures: &[f64],
    consensus: f64,
    weights: &mut [f64],
    scratch: &mut Scratch,
) -> f64 {
    let edge = apart::Edge {
        targets,
        curvatures,
        beta: problem.charges.beta[e],
        held: problem.held(e),
    };
    match (&problem.tie, problem.coupling()) {
        (Tie::Frozen(_), _) => {
            edge.squared_given(consensus, weights);
            consensus
        }
        (_, Coupling::SquaredL2) => edge.squared(weights, &mut scratch.apart),
        _ => edge.length(weights, &mut scratch.apart),
    }
}
