//! Newton's step on a face: weights that are zero stay so, views that share the consensus go on sharing it, and the
//! rest moves freely.

use std::ops::Range;

use rayon::prelude::*;

use super::super::coupling::Coupling;
use super::super::matrices::add_inline;
use super::super::problem::{Point, Problem, Tie, ViewTerm};
use super::bundle::{self, Bundle};
use super::descent::Curvature;
use super::product::Pattern;
use super::quadratic::Quadratic;
use crate::parallel::chunks;

/// One weight that moves.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) edge: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    /// Which unknown it is: its own, or the consensus that it shares.
    pub(super) slot: u32,
    /// How far the diagonal entries of its ends move with it.
    pub(super) carry: [f64; 2],
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
    /// The slope along the diagonal entries of each view.
    pub(super) diagonal_slopes: Vec<Vec<f64>>,
    /// Where the weights of each view that move stand in its matrix.
    pub(super) patterns: Vec<Pattern>,
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
/// After so many products it is asked how many more it will take, at the pace so far,
const PATIENCE: usize = 15;
/// and factors take over if that is more than this share of what they cost: products are slower than their count says.
const WORTH: f64 = 0.6;
/// The step is solved for until what is left is this share of its length, or of the square of it where that is less.
const FORCING: f64 = 0.1;
/// And to this share of what there was at first.
const LOOSEST: f64 = 0.3;
/// A slope of this length over the root of the number of nodes costs the certificate less than one.
const LAST: f64 = 2.0;
/// A step that makes the model worse is shortened by this.
const SHORTER: f64 = 0.4;
const SHORTEST: f64 = 1e-3;

impl Face {
    fn of(model: &Quadratic<'_>) -> Self {
        let problem = model.problem;
        let parts = chunks::map(problem.n_edges(), |edges| Self::of_edges(model, edges));
        let mut face = Self::empty(problem);
        let mut fused_slopes = Vec::new();
        for (part, slopes) in parts {
            face.append(part);
            fused_slopes.extend(slopes);
        }
        face.number_fused();
        face.slopes.extend(fused_slopes);
        face.diagonal_slopes = model.diagonal_slopes();
        let of_view = |(entries, term): (&Vec<Entry>, &ViewTerm)| Pattern::of(term.n_nodes(), entries);
        face.patterns = face.entries.par_iter().zip(&problem.views[..]).map(of_view).collect();
        face
    }

    fn empty(problem: &Problem) -> Self {
        Self {
            entries: vec![Vec::new(); problem.n_views()],
            n_free: 0,
            fused: Vec::new(),
            slopes: Vec::new(),
            bundles: Vec::new(),
            diagonal_slopes: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// Adds what was found of later edges.
    fn append(&mut self, part: Self) {
        let before = self.n_free as u32;
        for (entries, more) in self.entries.iter_mut().zip(part.entries) {
            let numbered = more.into_iter().map(|mut entry| {
                if entry.slot != u32::MAX {
                    entry.slot += before;
                }
                entry
            });
            entries.extend(numbered);
        }
        self.bundles.extend(part.bundles.into_iter().map(|mut bundle| {
            bundle.from += self.n_free;
            bundle
        }));
        self.n_free += part.n_free;
        self.fused.extend(part.fused);
        self.slopes.extend(part.slopes);
    }

    /// Of some edges: what moves freely, and the slopes along the consensus of those that share it.
    fn of_edges(model: &Quadratic<'_>, edges: Range<usize>) -> (Self, Vec<f64>) {
        let (problem, point) = (model.problem, &model.point);
        let mut face = Self::empty(problem);
        let is_smooth = problem.coupling() != Coupling::L1 && problem.tie != Tie::None;
        let mut fused_slopes = Vec::new();
        for e in edges {
            let edge = problem.edges[e];
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
        (face, fused_slopes)
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
    pub(super) fn face_step(&mut self) -> bool {
        if self.problem.is_coupled() && self.problem.coupling() != Coupling::L1 {
            bundle::settle(self.problem, &mut self.point);
        }
        let face = Face::of(self);
        let Some(step) = self.solve_face(&face) else {
            self.refresh(false);
            return false;
        };
        let (before, objective) = (self.point.clone(), self.objective);
        let mut size = 1.0;
        while size > SHORTEST {
            self.point = moved(self.problem, &before, &face, &step, size);
            self.refresh(false);
            if self.objective <= objective + 1e-14 * objective.abs() {
                return true;
            }
            size *= SHORTER;
        }
        self.point = before;
        self.refresh(false);
        false
    }

    fn solve_face(&mut self, face: &Face) -> Option<FaceStep> {
        let largest = face.entries.iter().map(Vec::len).max().unwrap_or(0);
        let (mut direct, mut product) = (0.0, 0.0);
        for (entries, term) in face.entries.iter().zip(self.problem.views.iter()) {
            let (k, n) = (entries.len() as f64, term.n_nodes() as f64);
            direct += (k + n).powi(3) / 3.0;
            product += n * (6.0 * k + 4.0 * n);
        }
        if !face.bundles.is_empty() {
            return self.solve_bundled(face);
        }
        if direct > WORTH_PRODUCTS * product {
            let worth = if largest > MOST_DIRECT {
                f64::INFINITY
            } else {
                WORTH * direct / product
            };
            let found = self.conjugate_gradient(face, worth);
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
    fn solve_bundled(&mut self, face: &Face) -> Option<FaceStep> {
        let (step, is_exact) = self.conjugate_gradient(face, f64::INFINITY);
        let n_nodes: usize = self.problem.views.iter().map(ViewTerm::n_nodes).sum();
        if is_exact || face.slopes.len() + n_nodes > MOST_TOGETHER {
            return Some(step);
        }
        self.direct_together(face).or(Some(step))
    }

    /// The step, and whether it is as exact as asked for: not if that takes more products than it is worth.
    fn conjugate_gradient(&mut self, face: &Face, worth: f64) -> (FaceStep, bool) {
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
        let mut residual = self.steepest(face);
        let mut found = State::zeros(problem, n_unknowns);
        let mut preconditioned = residual.clone();
        self.precondition(face, &scale, &mut preconditioned);
        let mut direction = preconditioned.clone();
        let mut product = preconditioned.clone();
        let mut patterns = face.patterns.clone();
        let mut size = residual.dot(&preconditioned);
        let start = size;
        if size.is_nan() || size <= 0.0 {
            return (found.into(), true);
        }
        let mut decrement = 0.0;
        for n_products in 1..=MOST_PRODUCTS {
            self.product(face, &mut patterns, &direction, &mut product);
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
            decrement += length * size;
            let tolerance = self.forcing(decrement).min(LOOSEST * start.sqrt());
            if next.max(0.0).sqrt() < tolerance {
                return (self.carried(face, found), true);
            }
            if n_products >= PATIENCE && more_products(n_products, [start, next, tolerance * tolerance]) > worth {
                return (self.carried(face, found), false);
            }
            direction.scale_and_add(next / size, &preconditioned);
            size = next;
        }
        (self.carried(face, found), false)
    }

    /// How much of the slope may be left of a step on the face of which the square of the length is known so far. A step
    /// that is not the last need not be more exact than the model; the last one must leave a slope that costs the
    /// certificate no more than is aimed at.
    fn forcing(&self, decrement: f64) -> f64 {
        let length = self.length().max(decrement.sqrt());
        let n_nodes: usize = self.problem.views.iter().map(ViewTerm::n_nodes).sum();
        let enough = LAST * self.aim / (n_nodes as f64).sqrt();
        // The model is off by about the cube of its length.
        let is_last = 3.0 * length.powi(3) < 0.5 * self.aim;
        if is_last {
            enough
        } else {
            (FORCING * length * length.min(1.0)).max(enough)
        }
    }

    /// Minus the slope, along unknowns that carry their diagonals.
    fn steepest(&self, face: &Face) -> State {
        let mut steepest = State::zeros(self.problem, face.slopes.len());
        for (steepest, slope) in steepest.unknowns.iter_mut().zip(&face.slopes) {
            *steepest = -slope;
        }
        for (view, slopes) in face.diagonal_slopes.iter().enumerate() {
            for entry in &face.entries[view] {
                let carried = entry.carry[0] * slopes[entry.a as usize] + entry.carry[1] * slopes[entry.b as usize];
                steepest.unknowns[entry.slot as usize] -= carried;
            }
            for (steepest, slope) in steepest.diagonals[view].iter_mut().zip(slopes) {
                *steepest = -slope;
            }
        }
        steepest
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
}

/// How many more products it takes until what is left has fallen to the last of three numbers, if so many took it from the
/// first to the second.
fn more_products(n_products: usize, [start, now, end]: [f64; 3]) -> f64 {
    let fallen = (start / now).ln();
    if fallen > 0.0 {
        n_products as f64 * (now / end).ln() / fallen
    } else {
        f64::INFINITY
    }
}

/// One number for each unknown and one for each diagonal entry.
#[derive(Clone)]
pub(super) struct State {
    pub(super) unknowns: Vec<f64>,
    pub(super) diagonals: Vec<Vec<f64>>,
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
    pub(super) fn zeros(problem: &Problem, n_unknowns: usize) -> Self {
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
