//! The quadratic model of the objective at a point, and the step that is taken in it.
//!
//! ```text
//! φ(D) = Σ_i v_i { tr(G D) + tr(Y D Y D)/2 + [twice] tr(D S D)/2 } + what the edges at W + dW cost
//!     Y = M⁻¹     G = Γ − Y     D = diag(dt) − dW
//! ```

use faer::Mat;
use rayon::prelude::*;

use super::super::certificate::DualView;
use super::super::matrices::{Factor, Sparse, add_inline, add_symmetric, lower_product, sparse_product};
use super::super::problem::{Evaluated, Filter, Point, Problem};
use crate::parallel::simd::vectorised;

/// One view's share of the model.
pub(super) struct ViewModel {
    /// Y.
    pub(super) inverse: Mat<f64>,
    /// G.
    pub(super) gradient: Mat<f64>,
    /// Y∘Y + [twice] diag S: the curvature along the diagonal.
    pub(super) curvature: Factor,
    /// D.
    pub(super) step: Mat<f64>,
    /// Y D.
    pub(super) left: Mat<f64>,
    /// S D, where the filter is applied twice; otherwise room to work in.
    pub(super) filtered: Mat<f64>,
    /// Y D Y, lower triangle.
    pub(super) change: Mat<f64>,
    /// The model's gradient G + YDY + [twice] (DS + SD)/2, lower triangle.
    pub(super) residual: Mat<f64>,
    /// The diagonals of YDY and SD.
    pub(super) change_diagonal: Vec<f64>,
    pub(super) filtered_diagonal: Vec<f64>,
    linear: f64,
    quadratic: f64,
}

/// The model at a point, and where the step leads.
pub(super) struct Quadratic<'a> {
    pub(super) problem: &'a Problem,
    start: &'a Point,
    /// Start plus step.
    pub(super) point: Point,
    pub(super) views: Vec<ViewModel>,
    /// φ, without what it is at no step.
    pub(super) objective: f64,
    /// The quadratic part of φ.
    pub(super) quadratic: f64,
    /// The gap that is aimed at.
    pub(super) aim: f64,
}

impl ViewModel {
    fn new(problem: &Problem, view: usize, at: Evaluated) -> Option<Self> {
        let covariance = &problem.views[view].covariance;
        let n = covariance.nrows();
        let Evaluated { inverse, gamma, .. } = at;
        let mut gradient = gamma.unwrap_or_else(|| covariance.clone());
        let mut curvature = Mat::zeros(n, n);
        for b in 0..n {
            let column = inverse.col_as_slice(b);
            let rows = gradient
                .col_as_slice_mut(b)
                .iter_mut()
                .zip(curvature.col_as_slice_mut(b));
            for ((gradient, curvature), y) in rows.zip(column) {
                *gradient -= y;
                *curvature = y * y;
            }
            if problem.filter == Filter::Twice {
                curvature[(b, b)] += covariance[(b, b)];
            }
        }
        let zeros = || Mat::zeros(n, n);
        Some(Self {
            curvature: Factor::of(&curvature)?,
            inverse,
            residual: gradient.clone(),
            gradient,
            step: zeros(),
            left: zeros(),
            filtered: zeros(),
            change: zeros(),
            change_diagonal: vec![0.0; n],
            filtered_diagonal: vec![0.0; n],
            linear: 0.0,
            quadratic: 0.0,
        })
    }

    /// D, Y D and S D from where the step leads: the weights that moved, in the order of the edges.
    fn set_step(&mut self, problem: &Problem, view: usize, moved: &[Moved], start: &[f64], diagonal: &[f64]) {
        let term = &problem.views[view];
        let n = term.n_nodes();
        let mut starts: Vec<usize> = (0..=n).collect();
        for &Moved { a, b, .. } in moved {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for node in 1..n {
            // Each already counts the diagonal entries before it.
            starts[node + 1] += starts[node] - node;
        }
        let mut items = vec![(0, 0.0); n + 2 * moved.len()];
        let mut next = starts.clone();
        for (b, (now, before)) in diagonal.iter().zip(start).enumerate() {
            self.step.col_as_slice_mut(b).fill(0.0);
            self.step[(b, b)] = now - before;
            items[next[b]] = (b as u32, now - before);
            next[b] += 1;
        }
        for &Moved { a, b, by } in moved {
            for (column, row) in [(a, b), (b, a)] {
                self.step[(row as usize, column as usize)] = by;
                let next = &mut next[column as usize];
                items[*next] = (row, by);
                *next += 1;
            }
        }
        let step = Sparse { starts, items };
        sparse_product(&mut self.left, &self.inverse, &step);
        if problem.filter == Filter::Twice {
            sparse_product(&mut self.filtered, &term.covariance, &step);
        }
    }

    /// Moves the diagonal to its best place and brings all but D, Y D and S D up to date.
    fn refresh(&mut self, problem: &Problem, view: usize, diagonal: &mut [f64]) {
        let term = &problem.views[view];
        let (n, is_twice) = (term.n_nodes(), problem.filter == Filter::Twice);
        self.move_diagonal(&term.covariance, diagonal, is_twice);
        lower_product(&mut self.change, &self.left, &self.inverse);
        for b in 0..n {
            let rows = self.gradient.col_as_slice(b).iter().zip(self.change.col_as_slice(b));
            let residual = &mut self.residual.col_as_slice_mut(b)[b..];
            for (residual, (gradient, change)) in residual.iter_mut().zip(rows.skip(b)) {
                *residual = gradient + change;
            }
            self.change_diagonal[b] = self.change[(b, b)];
            self.filtered_diagonal[b] = if is_twice { self.filtered[(b, b)] } else { 0.0 };
        }
        if is_twice {
            add_symmetric(&mut self.residual, &self.filtered);
        }
        self.measure();
    }

    /// The exact minimum of the model over the diagonal, given the edges.
    fn move_diagonal(&mut self, covariance: &Mat<f64>, diagonal: &mut [f64], is_twice: bool) {
        let n = diagonal.len();
        let mut moves: Vec<f64> = (0..n).map(|a| -self.gradient[(a, a)]).collect();
        for k in 0..n {
            let columns = self.left.col_as_slice(k).iter().zip(self.inverse.col_as_slice(k));
            for (sum, (left, y)) in moves.iter_mut().zip(columns) {
                *sum -= left * y;
            }
            if is_twice {
                moves[k] -= self.filtered[(k, k)];
            }
        }
        self.curvature.solve(&mut moves);
        vectorised(
            #[inline(always)]
            || {
                for (a, &dt) in moves.iter().enumerate() {
                    diagonal[a] += dt;
                    self.step[(a, a)] += dt;
                    add_inline(self.left.col_as_slice_mut(a), dt, self.inverse.col_as_slice(a));
                    if is_twice {
                        add_inline(self.filtered.col_as_slice_mut(a), dt, covariance.col_as_slice(a));
                    }
                }
            },
        );
    }

    /// The linear and the quadratic part of φ.
    fn measure(&mut self) {
        let (mut linear, mut quadratic) = (0.0, 0.0);
        for b in 0..self.step.ncols() {
            for (a, &step) in self.step.col_as_slice(b).iter().enumerate().skip(b) {
                if step != 0.0 {
                    let twice = if a == b { 1.0 } else { 2.0 };
                    linear += twice * step * self.gradient[(a, b)];
                    quadratic += twice * step * (self.residual[(a, b)] - self.gradient[(a, b)]);
                }
            }
        }
        (self.linear, self.quadratic) = (linear, 0.5 * quadratic);
    }
}

/// How far the entry of a matrix that an edge stands for has moved.
#[derive(Clone, Copy)]
struct Moved {
    a: u32,
    b: u32,
    by: f64,
}

/// Which weights of each view have moved, in the order of the edges.
fn moved(problem: &Problem, point: &Point, start: &Point) -> Vec<Vec<Moved>> {
    let mut moved = vec![Vec::new(); problem.n_views()];
    let rows = point.weights.rows().zip(start.weights.rows());
    for (&edge, (now, before)) in problem.edges.iter().zip(rows) {
        for (view, (now, before)) in now.iter().zip(before).enumerate() {
            if now != before
                && let Some((a, b)) = problem.views[view].ends(edge)
            {
                moved[view].push(Moved {
                    a: a as u32,
                    b: b as u32,
                    by: before - now,
                });
            }
        }
    }
    moved
}

impl<'a> Quadratic<'a> {
    /// At a point with what is known there, without a step; none if its curvature cannot be factored.
    pub(super) fn new(problem: &'a Problem, start: &'a Point, at: Vec<Evaluated>, aim: f64) -> Option<Self> {
        let views: Option<Vec<ViewModel>> = at
            .into_par_iter()
            .enumerate()
            .map(|(view, at)| ViewModel::new(problem, view, at))
            .collect();
        Some(Self {
            problem,
            start,
            point: start.clone(),
            views: views?,
            objective: problem.penalty(start),
            quadratic: 0.0,
            aim,
        })
    }

    /// Brings everything up to date with the weights, and the diagonals to their best place. Sweeps keep D,
    /// Y D and S D as they go.
    pub(super) fn refresh(&mut self, is_swept: bool) {
        let (problem, start) = (self.problem, self.start);
        let mut diagonals = std::mem::take(&mut self.point.diagonals);
        let moved = if is_swept {
            vec![Vec::new(); problem.n_views()]
        } else {
            moved(problem, &self.point, start)
        };
        self.views
            .par_iter_mut()
            .zip(&mut diagonals)
            .enumerate()
            .for_each(|(view, (model, diagonal))| {
                if !is_swept {
                    model.set_step(problem, view, &moved[view], &start.diagonals[view], diagonal);
                }
                model.refresh(problem, view, diagonal);
            });
        self.point.diagonals = diagonals;
        let weighted = |part: fn(&ViewModel) -> f64| {
            let views = self.views.iter().zip(self.problem.views.iter());
            views.map(|(model, term)| term.weight * part(model)).sum::<f64>()
        };
        self.quadratic = weighted(|model| model.quadratic);
        self.objective = weighted(|model| model.linear) + self.quadratic + problem.penalty(&self.point);
    }

    /// The slope along the diagonal of each view: zero but for rounding once it was moved to its best place.
    pub(super) fn diagonal_slopes(&self) -> Vec<Vec<f64>> {
        let of_view = |(view, model): (usize, &ViewModel)| {
            let weight = self.problem.views[view].weight;
            let diagonal = (0..model.residual.ncols()).map(|a| weight * model.residual[(a, a)]);
            diagonal.collect()
        };
        self.views.iter().enumerate().map(of_view).collect()
    }

    /// The length of the step in the model's own metric.
    pub(super) fn length(&self) -> f64 {
        (2.0 * self.quadratic).max(0.0).sqrt()
    }

    /// The dual point that would be optimal if the model were the objective: V = M + D, Y − YDY.
    pub(super) fn dual(&self) -> Vec<DualView> {
        let of_view = |(view, model): (usize, &ViewModel)| {
            let n = model.inverse.nrows();
            let mut inverse = model.inverse.clone();
            for b in 0..n {
                for a in b..n {
                    inverse[(a, b)] -= model.change[(a, b)];
                }
            }
            DualView {
                inverse,
                matrix: self.problem.matrix(view, &self.point),
            }
        };
        self.views.par_iter().enumerate().map(of_view).collect()
    }
}
