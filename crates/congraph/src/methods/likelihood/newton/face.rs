//! Newton's step on a face: weights that are zero stay so, views that share the consensus go on sharing it, and the
//! rest moves freely.

use faer::Mat;
use rayon::prelude::*;

use super::super::coupling::Coupling;
use super::super::matrices::{add_inline, dot_inline};
use super::super::problem::{Filter, Point, Problem, Tie, ViewTerm};
use super::bundle::{self, Bundle};
use super::descent::Curvature;
use super::quadratic::{Quadratic, ViewModel};
use crate::parallel::simd::vectorised;

/// One weight that moves.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) edge: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    /// Which unknown it is: its own, or the consensus that it shares.
    pub(super) slot: u32,
    /// How far the diagonal entries of its ends move with it.
    carry: [f64; 2],
    curvature: f64,
}

/// Which weights move, and with which unknown.
pub(super) struct Face {
    /// Those of each view.
    pub(super) entries: Vec<Vec<Entry>>,
    /// How many move on their own.
    pub(super) n_free: usize,
    /// The edges whose consensus moves: unknowns that follow those.
    pub(super) fused: Vec<u32>,
    /// The model's slope along each unknown.
    pub(super) slopes: Vec<f64>,
    /// Of couplings that are smooth: which unknowns they tie.
    pub(super) bundles: Vec<Bundle>,
    /// The neighbours of each node of each view, by the weights that move.
    neighbours: Vec<Neighbours>,
}

/// Of each node its neighbours and the unknowns of the weights that join them, one node after the other.
#[derive(Default)]
struct Neighbours {
    starts: Vec<usize>,
    items: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(n_nodes: usize, entries: &[Entry]) -> Self {
        let mut starts = vec![0; n_nodes + 1];
        for entry in entries {
            starts[entry.a as usize + 1] += 1;
            starts[entry.b as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut items = vec![(0, 0); 2 * entries.len()];
        for entry in entries {
            for (node, other) in [(entry.a, entry.b), (entry.b, entry.a)] {
                items[next[node as usize]] = (other, entry.slot);
                next[node as usize] += 1;
            }
        }
        Self { starts, items }
    }

    #[inline(always)]
    fn at(&self, node: usize) -> &[(u32, u32)] {
        &self.items[self.starts[node]..self.starts[node + 1]]
    }
}

/// A direction in one view: the weights' unknowns, and the diagonal with what the weights carry along.
struct Direction<'d> {
    neighbours: &'d Neighbours,
    unknowns: &'d [f64],
    diagonal: Vec<f64>,
}

impl Direction<'_> {
    /// The entry (a, b) of S D, with column a of S.
    #[inline(always)]
    fn filtered(&self, column: &[f64], b: usize) -> f64 {
        let mut sum = self.diagonal[b] * column[b];
        for &(other, slot) in self.neighbours.at(b) {
            sum -= self.unknowns[slot as usize] * column[other as usize];
        }
        sum
    }
}

/// A step on a face.
pub(super) struct FaceStep {
    pub(super) unknowns: Vec<f64>,
    /// Of each view.
    pub(super) diagonals: Vec<Vec<f64>>,
}

/// A conjugate gradient takes no more products than this.
const MOST_PRODUCTS: usize = 150;
/// Larger systems are not solved directly.
const MOST_DIRECT: usize = 4000;
/// Nor are larger ones of all views together.
const MOST_TOGETHER: usize = 2500;
/// A direct solution is taken if it costs no more than so many products.
const WORTH_PRODUCTS: f64 = 30.0;
/// A step that makes the model worse is shortened by this.
const SHORTER: f64 = 0.4;
const SHORTEST: f64 = 1e-3;

impl Face {
    fn of(model: &Quadratic<'_>) -> Self {
        let (problem, point) = (model.problem, &model.point);
        let mut face = Self {
            entries: vec![Vec::new(); problem.n_views()],
            n_free: 0,
            fused: Vec::new(),
            slopes: Vec::new(),
            bundles: Vec::new(),
            neighbours: Vec::new(),
        };
        let is_smooth = problem.coupling() != Coupling::L1 && problem.tie != Tie::None;
        let mut fused_slopes = Vec::new();
        for (e, &edge) in problem.edges.iter().enumerate() {
            let (row, consensus) = (point.weights.row(e), point.consensus[e]);
            if consensus == 0.0 && row.iter().all(|&weight| weight == 0.0) {
                continue;
            }
            if is_smooth && problem.charges.beta[e] > 0.0 && !bundle::is_fused(problem, e, row, consensus) {
                face.add_bundle(model, e);
                continue;
            }
            let (lambda, beta) = (problem.charges.lambda[e], problem.charges.beta[e]);
            let beta = if problem.tie == Tie::None { 0.0 } else { beta };
            // The slope along the consensus, and whether any view shares it.
            let (mut pull, mut is_shared) = (0.0, false);
            for (view, &weight) in row.iter().enumerate() {
                let Some((a, b)) = problem.views[view].ends(edge) else {
                    continue;
                };
                let at_consensus = beta > 0.0 && weight == consensus;
                if weight == 0.0 || (at_consensus && !problem.is_coupled()) {
                    if weight != consensus {
                        pull += beta * consensus.signum();
                    }
                    continue;
                }
                let slope =
                    -2.0 * problem.views[view].weight * model.views[view].residual[(b, a)] + lambda * weight.signum();
                let curvature = Curvature::of(problem, view, &model.views[view], a, b);
                let slot = if at_consensus {
                    pull += slope;
                    is_shared = true;
                    u32::MAX
                } else {
                    let apart = beta * (weight - consensus).signum();
                    pull -= apart;
                    face.slopes.push(slope + apart);
                    face.n_free += 1;
                    face.n_free as u32 - 1
                };
                face.entries[view].push(Entry {
                    edge: e as u32,
                    a: a as u32,
                    b: b as u32,
                    slot,
                    carry: curvature.response.map(|x| -x),
                    curvature: problem.views[view].weight * curvature.along,
                });
            }
            if is_shared {
                face.fused.push(e as u32);
                fused_slopes.push(pull + problem.charges.gamma[e] * consensus.signum());
            }
        }
        face.number_fused();
        face.slopes.extend(fused_slopes);
        let of_view = |(entries, term): (&Vec<Entry>, &ViewTerm)| Neighbours::of(term.n_nodes(), entries);
        face.neighbours = face.entries.iter().zip(problem.views.iter()).map(of_view).collect();
        face
    }

    /// The weights of an edge that is tied smoothly.
    fn add_bundle(&mut self, model: &Quadratic<'_>, e: usize) {
        let (problem, from) = (model.problem, self.n_free);
        let (row, consensus) = (model.point.weights.row(e), model.point.consensus[e]);
        let (lambda, stiffness) = (problem.charges.lambda[e], bundle::stiffness(problem, e, row, consensus));
        let mut curvatures = Vec::new();
        for (view, &weight) in row.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            let Some((a, b)) = problem.views[view].ends(problem.edges[e]) else {
                continue;
            };
            let own = -2.0 * problem.views[view].weight * model.views[view].residual[(b, a)];
            let curvature = Curvature::of(problem, view, &model.views[view], a, b);
            curvatures.push(problem.views[view].weight * curvature.along);
            self.slopes
                .push(own + lambda * weight.signum() + stiffness * (weight - consensus));
            self.entries[view].push(Entry {
                edge: e as u32,
                a: a as u32,
                b: b as u32,
                slot: self.n_free as u32,
                carry: curvature.response.map(|x| -x),
                curvature: problem.views[view].weight * curvature.along,
            });
            self.n_free += 1;
        }
        if !curvatures.is_empty() {
            self.bundles
                .push(Bundle::new(problem, e, &model.point, from, &curvatures));
        }
    }

    /// Gives the weights that share a consensus its number.
    fn number_fused(&mut self) {
        for entries in &mut self.entries {
            let mut next = 0;
            for entry in entries.iter_mut().filter(|entry| entry.slot == u32::MAX) {
                while self.fused[next] != entry.edge {
                    next += 1;
                }
                entry.slot = (self.n_free + next) as u32;
            }
        }
    }
}

impl Quadratic<'_> {
    /// A step on the face of the current point, clipped where it would leave it; whether the model gained by it.
    pub(super) fn face_step(&mut self, tolerance: f64) -> bool {
        if self.problem.is_coupled() && self.problem.coupling() != Coupling::L1 {
            bundle::settle(self.problem, &mut self.point);
        }
        let face = Face::of(self);
        let Some(step) = self.solve_face(&face, tolerance) else {
            self.refresh();
            return false;
        };
        let (before, objective) = (self.point.clone(), self.objective);
        let mut size = 1.0;
        while size > SHORTEST {
            self.point = moved(self.problem, &before, &face, &step, size);
            self.refresh();
            if self.objective <= objective + 1e-14 * objective.abs() {
                return true;
            }
            size *= SHORTER;
        }
        self.point = before;
        self.refresh();
        false
    }

    fn solve_face(&mut self, face: &Face, tolerance: f64) -> Option<FaceStep> {
        let largest = face.entries.iter().map(Vec::len).max().unwrap_or(0);
        let (mut direct, mut product) = (0.0, 0.0);
        for (entries, term) in face.entries.iter().zip(self.problem.views.iter()) {
            let (k, n) = (entries.len() as f64, term.n_nodes() as f64);
            direct += (k + n).powi(3) / 3.0;
            product += n * (6.0 * k + 4.0 * n);
        }
        if !face.bundles.is_empty() {
            return self.solve_bundled(face, tolerance);
        }
        if direct > WORTH_PRODUCTS * product {
            let found = self.conjugate_gradient(face, tolerance);
            if found.1 || largest > MOST_DIRECT {
                return Some(found.0);
            }
        }
        if largest > MOST_DIRECT {
            return None;
        }
        self.direct(face)
    }

    /// Views that are tied smoothly cannot be eliminated one by one: factors are of all at once, and for small faces.
    fn solve_bundled(&mut self, face: &Face, tolerance: f64) -> Option<FaceStep> {
        let (step, is_exact) = self.conjugate_gradient(face, tolerance);
        let n_nodes: usize = self.problem.views.iter().map(ViewTerm::n_nodes).sum();
        if is_exact || face.slopes.len() + n_nodes > MOST_TOGETHER {
            return Some(step);
        }
        self.direct_together(face).or(Some(step))
    }

    /// The step and whether it is as exact as asked for.
    fn conjugate_gradient(&mut self, face: &Face, tolerance: f64) -> (FaceStep, bool) {
        let problem = self.problem;
        let n_unknowns = face.slopes.len();
        let mut scale = vec![0.0; n_unknowns];
        for entry in face.entries.iter().flatten() {
            scale[entry.slot as usize] += entry.curvature;
        }
        for bundle in &face.bundles {
            // They have factors of their own.
            scale[bundle.from..][..bundle.len].fill(1.0);
        }
        // The diagonals are where they are best, so that the slope along them is zero.
        let mut residual = State::zeros(problem, n_unknowns);
        for (r, slope) in residual.unknowns.iter_mut().zip(&face.slopes) {
            *r = -slope;
        }
        let mut found = State::zeros(problem, n_unknowns);
        let mut preconditioned = residual.clone();
        self.precondition(face, &scale, &mut preconditioned);
        let mut direction = preconditioned.clone();
        let mut size = residual.dot(&preconditioned);
        let start = size;
        if size.is_nan() || size <= 0.0 {
            return (found.into(), true);
        }
        for _ in 0..MOST_PRODUCTS {
            let product = self.product(face, &direction);
            let curvature = direction.dot(&product);
            if curvature.is_nan() || curvature <= 0.0 {
                return (self.carried(face, found), false);
            }
            let length = size / curvature;
            found.add(length, &direction);
            residual.add(-length, &product);
            preconditioned.clone_from(&residual);
            self.precondition(face, &scale, &mut preconditioned);
            let next = residual.dot(&preconditioned);
            if next.max(0.0).sqrt() < tolerance * start.sqrt() {
                return (self.carried(face, found), true);
            }
            direction.scale_and_add(next / size, &preconditioned);
            size = next;
        }
        (self.carried(face, found), false)
    }

    /// The step with the diagonals that the weights carry along.
    fn carried(&self, face: &Face, mut found: State) -> FaceStep {
        for (entries, diagonal) in face.entries.iter().zip(&mut found.diagonals) {
            for entry in entries {
                let x = found.unknowns[entry.slot as usize];
                diagonal[entry.a as usize] += entry.carry[0] * x;
                diagonal[entry.b as usize] += entry.carry[1] * x;
            }
        }
        found.into()
    }

    fn precondition(&self, face: &Face, scale: &[f64], state: &mut State) {
        for (x, scale) in state.unknowns.iter_mut().zip(scale) {
            *x /= scale;
        }
        for bundle in &face.bundles {
            bundle.solve(&mut state.unknowns);
        }
        let views = self.views.par_iter().zip(self.problem.views.par_iter());
        views.zip(&mut state.diagonals).for_each(|((model, term), diagonal)| {
            model.curvature.solve(diagonal);
            diagonal.iter_mut().for_each(|x| *x /= term.weight);
        });
    }

    /// The model's curvature times a direction, in unknowns that carry their diagonals.
    fn product(&mut self, face: &Face, direction: &State) -> State {
        let problem = self.problem;
        let shares: Vec<(Vec<f64>, Vec<f64>)> = self
            .views
            .par_iter_mut()
            .enumerate()
            .map(|(view, model)| {
                let entries = &face.entries[view];
                let mut diagonal = direction.diagonals[view].clone();
                for entry in entries {
                    let x = direction.unknowns[entry.slot as usize];
                    diagonal[entry.a as usize] += entry.carry[0] * x;
                    diagonal[entry.b as usize] += entry.carry[1] * x;
                }
                let along = Direction {
                    neighbours: &face.neighbours[view],
                    unknowns: &direction.unknowns,
                    diagonal,
                };
                model.multiply(problem, view, entries, &along)
            })
            .collect();
        let mut product = State::zeros(problem, direction.unknowns.len());
        for (view, (along, diagonal)) in shares.into_iter().enumerate() {
            for (entry, along) in face.entries[view].iter().zip(along) {
                product.unknowns[entry.slot as usize] += along;
            }
            product.diagonals[view] = diagonal;
        }
        for bundle in &face.bundles {
            bundle.add_product(&direction.unknowns, &mut product.unknowns);
        }
        product
    }
}

impl ViewModel {
    /// v (YDY + [twice] (SD + DS)/2) along each entry with what it carries, and along the diagonal.
    fn multiply(
        &mut self,
        problem: &Problem,
        view: usize,
        entries: &[Entry],
        direction: &Direction<'_>,
    ) -> (Vec<f64>, Vec<f64>) {
        let (term, is_twice) = (&problem.views[view], problem.filter == Filter::Twice);
        vectorised(
            #[inline(always)]
            || {
                // Y D, column by column from the few entries of D, then its transpose D Y.
                for (k, &dt) in direction.diagonal.iter().enumerate() {
                    let out = self.left.col_as_slice_mut(k);
                    for (out, y) in out.iter_mut().zip(self.inverse.col_as_slice(k)) {
                        *out = dt * y;
                    }
                    for &(other, slot) in direction.neighbours.at(k) {
                        let x = direction.unknowns[slot as usize];
                        add_inline(out, -x, self.inverse.col_as_slice(other as usize));
                    }
                }
                transpose(&self.left, &mut self.filtered);
                let filtered = is_twice.then_some((&term.covariance, direction));
                let mut diagonal = vec![0.0; direction.diagonal.len()];
                for (a, x) in diagonal.iter_mut().enumerate() {
                    *x = term.weight * self.product_at(filtered, a, a);
                }
                let mut along = Vec::with_capacity(entries.len());
                for entry in entries {
                    let (a, b) = (entry.a as usize, entry.b as usize);
                    let own = term.weight * self.product_at(filtered, a, b);
                    along.push(entry.carry[0] * diagonal[a] + entry.carry[1] * diagonal[b] - 2.0 * own);
                }
                (along, diagonal)
            },
        )
    }

    /// The entry (a, b) of YDY + [twice] (SD + DS)/2, with D Y in `filtered`.
    #[inline(always)]
    fn product_at(&self, filtered: Option<(&Mat<f64>, &Direction<'_>)>, a: usize, b: usize) -> f64 {
        let own = dot_inline(self.inverse.col_as_slice(a), self.filtered.col_as_slice(b));
        let Some((covariance, direction)) = filtered else {
            return own;
        };
        let one = direction.filtered(covariance.col_as_slice(a), b);
        if a == b {
            return own + one;
        }
        own + 0.5 * (one + direction.filtered(covariance.col_as_slice(b), a))
    }
}

/// In blocks that stay in the cache.
fn transpose(matrix: &Mat<f64>, transposed: &mut Mat<f64>) {
    const BLOCK: usize = 16;
    let n = matrix.ncols();
    for from in (0..n).step_by(BLOCK) {
        for b in 0..n {
            let column = transposed.col_as_slice_mut(b);
            for a in from..(from + BLOCK).min(n) {
                column[a] = matrix[(b, a)];
            }
        }
    }
}

/// One number for each unknown and one for each diagonal entry.
#[derive(Clone)]
struct State {
    unknowns: Vec<f64>,
    diagonals: Vec<Vec<f64>>,
}

impl From<State> for FaceStep {
    fn from(state: State) -> Self {
        Self {
            unknowns: state.unknowns,
            diagonals: state.diagonals,
        }
    }
}

impl State {
    fn zeros(problem: &Problem, n_unknowns: usize) -> Self {
        Self {
            unknowns: vec![0.0; n_unknowns],
            diagonals: problem.views.iter().map(|view| vec![0.0; view.n_nodes()]).collect(),
        }
    }

    fn parts(&self) -> impl Iterator<Item = &[f64]> {
        std::iter::once(&self.unknowns[..]).chain(self.diagonals.iter().map(Vec::as_slice))
    }

    fn parts_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        std::iter::once(&mut self.unknowns[..]).chain(self.diagonals.iter_mut().map(Vec::as_mut_slice))
    }

    fn dot(&self, other: &Self) -> f64 {
        let parts = self.parts().zip(other.parts());
        parts.map(|(x, y)| super::super::matrices::dot(x, y)).sum()
    }

    /// self += factor · other.
    fn add(&mut self, factor: f64, other: &Self) {
        for (x, y) in self.parts_mut().zip(other.parts()) {
            add_inline(x, factor, y);
        }
    }

    /// self = factor · self + other.
    fn scale_and_add(&mut self, factor: f64, other: &Self) {
        for (x, y) in self.parts_mut().zip(other.parts()) {
            for (x, y) in x.iter_mut().zip(y) {
                *x = factor * *x + y;
            }
        }
    }
}

/// The point after a step of some size, clipped at zero and at the consensus.
fn moved(problem: &Problem, from: &Point, face: &Face, step: &FaceStep, size: f64) -> Point {
    let mut point = from.clone();
    for (diagonal, step) in point.diagonals.iter_mut().zip(&step.diagonals) {
        add_inline(diagonal, size, step);
    }
    for (k, &e) in face.fused.iter().enumerate() {
        let consensus = &mut point.consensus[e as usize];
        *consensus = same_sign(*consensus + size * step.unknowns[face.n_free + k], *consensus);
    }
    let is_passing = problem.coupling() != Coupling::L1;
    for (view, entries) in face.entries.iter().enumerate() {
        for entry in entries {
            let e = entry.edge as usize;
            let (slot, consensus) = (entry.slot as usize, point.consensus[e]);
            let old = from.weights.row(e)[view];
            let weight = if slot >= face.n_free {
                consensus
            } else {
                let weight = same_sign(old + size * step.unknowns[slot], old);
                if is_passing {
                    weight
                } else {
                    within(problem, e, weight, old, from.consensus[e], consensus)
                }
            };
            point.weights.row_mut(e)[view] = weight;
        }
    }
    if problem.is_coupled() {
        for bundle in &face.bundles {
            bundle.follow(problem, from, &mut point);
        }
    }
    point
}

/// A weight does not cross the consensus, wherever that goes.
fn within(problem: &Problem, e: usize, weight: f64, old: f64, old_consensus: f64, consensus: f64) -> f64 {
    if problem.tie == Tie::None || problem.charges.beta[e] == 0.0 {
        weight
    } else if old > old_consensus {
        weight.max(consensus)
    } else {
        weight.min(consensus)
    }
}

/// Zero if the sign has changed.
fn same_sign(new: f64, old: f64) -> f64 {
    if new * old.signum() > 0.0 { new } else { 0.0 }
}
