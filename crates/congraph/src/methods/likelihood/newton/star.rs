//! A sweep goes from star to star: the edges of one node to later ones.
//!
//! Within a star, what a move changes at the edges still to come costs a few operations for each. So the views look at a
//! star side by side, one thread goes through its edges in their order, and the views bring their matrices up to date
//! side by side as well. The operations and their order do not depend on who does them.
//!
//! ```text
//! a, b, c   the centre, the end of the edge that moves, the end of one to come
//! D_ab −= dw,  D_aa += da,  D_bb += db:
//!     (YDY)_ac += (da Y_aa − dw Y_ab) Y_ac + (db Y_ab − dw Y_aa) Y_bc
//!     (YDY)_cc += da Y_ac² + db Y_bc² − 2 dw Y_ac Y_bc
//!     (SD + DS)_ac/2 += (da S_ac − dw S_bc)/2
//! ```

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::super::edge::Scratch;
use super::super::matrices::{add_inline, dot_with};
use super::super::problem::{ABSENT, Filter, Problem, ViewTerm};
use super::descent::{Curvature, minimise, solve};
use super::quadratic::{Quadratic, ViewModel};
use crate::parallel::simd::vectorised;

/// Stars of less work than this, in products of numbers, are looked at by one thread.
const WORTH_SHARING: usize = 150_000;
/// Columns that a move reads and writes, in columns that a look reads.
const COLUMNS_OF_MOVE: usize = 5;

/// A star in one view: the edges in their order, those that the view lacks or that may not move left blank.
#[derive(Default)]
struct ViewStar {
    centre: usize,
    /// The model's gradient at the diagonal entry of the centre.
    at_centre: f64,
    /// Row a of Y D.
    row: Vec<f64>,
    /// The end of each edge, [`ABSENT`] where there is none.
    ends: Vec<u32>,
    /// Whether the ends are one run of nodes, without a gap.
    is_run: bool,
    /// The model's gradient at (a, b) and at (b, b).
    slopes: Vec<f64>,
    at_ends: Vec<f64>,
    /// Y_ab and S_ab.
    inverses: Vec<f64>,
    covariances: Vec<f64>,
    curvatures: Vec<Curvature>,
    moves: Vec<Move>,
    /// How far the diagonal entry of the centre has moved.
    moved: f64,
}

/// What one edge did.
#[derive(Clone, Copy)]
struct Move {
    end: usize,
    weight: f64,
    diagonal: f64,
}

impl ViewStar {
    fn clear(&mut self) {
        self.ends.clear();
        self.slopes.clear();
        self.at_ends.clear();
        self.inverses.clear();
        self.covariances.clear();
        self.curvatures.clear();
        self.moves.clear();
        self.moved = 0.0;
    }

    /// The slope along the weight of an edge that carries its diagonal entries.
    #[inline(always)]
    fn slope(&self, k: usize) -> f64 {
        let [x, y] = self.curvatures[k].response;
        -2.0 * self.slopes[k] - x * self.at_centre - y * self.at_ends[k]
    }

    /// Moves a weight and its diagonal entries, as far as the rest of the star is concerned.
    #[inline(always)]
    fn shift(&mut self, k: usize, dw: f64, model: &ViewModel, filtered: Option<&ViewTerm>) {
        let curvature = self.curvatures[k];
        let [da, db] = solve(
            curvature.diagonal,
            [
                -(self.at_centre + curvature.mixed[0] * dw),
                -(self.at_ends[k] + curvature.mixed[1] * dw),
            ],
        );
        let end = self.ends[k] as usize;
        self.moves.push(Move {
            end,
            weight: dw,
            diagonal: db,
        });
        self.moved += da;
        let (yaa, yab) = (model.inverse[(self.centre, self.centre)], self.inverses[k]);
        let (along_a, along_b) = (da * yaa - dw * yab, db * yab - dw * yaa);
        self.at_centre += da * yaa * yaa + db * yab * yab - 2.0 * dw * yaa * yab;
        let y = model.inverse.col_as_slice(end);
        let inverses = &self.inverses[k + 1..];
        let slopes = self.slopes[k + 1..].iter_mut().zip(&mut self.at_ends[k + 1..]);
        let add = |((slope, at_end), &yac): ((&mut f64, &mut f64), &f64), ybc: f64| {
            *slope += along_a * yac + along_b * ybc;
            *at_end += da * yac * yac + db * ybc * ybc - 2.0 * dw * yac * ybc;
        };
        if self.is_run {
            for (later, &ybc) in slopes.zip(inverses).zip(&y[end + 1..]) {
                add(later, ybc);
            }
        } else {
            for (later, &c) in slopes.zip(inverses).zip(&self.ends[k + 1..]) {
                // Where the view lacks the edge, any number will do.
                add(later, y.get(c as usize).copied().unwrap_or(0.0));
            }
        }
        if let Some(term) = filtered {
            let s = term.covariance.col_as_slice(end);
            self.at_centre += da * term.covariance[(self.centre, self.centre)] - dw * self.covariances[k];
            let slopes = self.slopes[k + 1..].iter_mut().zip(&self.covariances[k + 1..]);
            if self.is_run {
                for ((slope, sac), &sbc) in slopes.zip(&s[end + 1..]) {
                    *slope += 0.5 * (da * sac - dw * sbc);
                }
            } else {
                for ((slope, sac), &c) in slopes.zip(&self.ends[k + 1..]) {
                    *slope += 0.5 * (da * sac - dw * s.get(c as usize).copied().unwrap_or(0.0));
                }
            }
        }
    }
}

impl Quadratic<'_> {
    /// One sweep over some edges; whether there are any. Keeps D, Y D, S D and the diagonals of YDY and SD.
    pub(super) fn sweep(&mut self, edges: &[u32]) -> bool {
        let problem = self.problem;
        let centre = |e: &u32| problem.edges[*e as usize][0];
        let mut stars: Vec<ViewStar> = problem.views.iter().map(|_| ViewStar::default()).collect();
        let mut walk = Walk::new(problem);
        for star in edges.chunk_by(|one, other| centre(one) == centre(other)) {
            self.turn(&mut stars, star);
            walk.through(self, &mut stars, star);
        }
        self.turn(&mut stars, &[]);
        !edges.is_empty()
    }

    /// Every view applies what the star before did, and looks at the next.
    fn turn(&mut self, stars: &mut [ViewStar], next: &[u32]) {
        let problem = self.problem;
        let work =
            |(term, star): (&ViewTerm, &ViewStar)| term.n_nodes() * (next.len() + COLUMNS_OF_MOVE * star.moves.len());
        let work: usize = problem.views.iter().zip(&*stars).map(work).sum();
        let of_view = |(view, ((model, diagonal), star)): (usize, ((&mut ViewModel, &mut Vec<f64>), &mut ViewStar))| {
            let turn = Turn {
                problem,
                view,
                model,
                diagonal,
                star,
                next,
            };
            pulp::Arch::new().dispatch(turn);
        };
        let diagonals = &mut self.point.diagonals;
        if work < WORTH_SHARING {
            let views = self.views.iter_mut().zip(diagonals).zip(stars);
            views.enumerate().for_each(of_view);
        } else {
            let views = self.views.par_iter_mut().zip(diagonals).zip(stars);
            views.enumerate().for_each(of_view);
        }
    }
}

/// Room to go through stars.
struct Walk {
    views: Vec<usize>,
    targets: Vec<f64>,
    curvatures: Vec<f64>,
    weights: Vec<f64>,
    scratch: Scratch,
}

impl Walk {
    fn new(problem: &Problem) -> Self {
        Self {
            views: Vec::new(),
            targets: Vec::new(),
            curvatures: Vec::new(),
            weights: vec![0.0; problem.n_views()],
            scratch: Scratch::default(),
        }
    }

    /// Moves the edges of a star in their order.
    fn through(&mut self, model: &mut Quadratic<'_>, stars: &mut [ViewStar], edges: &[u32]) {
        vectorised(
            #[inline(always)]
            || self.walk(model, stars, edges),
        );
    }

    #[inline(always)]
    fn walk(&mut self, model: &mut Quadratic<'_>, stars: &mut [ViewStar], edges: &[u32]) {
        let problem = model.problem;
        for (k, &e) in edges.iter().enumerate() {
            let e = e as usize;
            self.views.clear();
            self.targets.clear();
            self.curvatures.clear();
            for (view, star) in stars.iter().enumerate() {
                if star.ends[k] != ABSENT {
                    let along = star.curvatures[k].along;
                    self.views.push(view);
                    self.targets
                        .push(model.point.weights.row(e)[view] - star.slope(k) / along);
                    self.curvatures.push(problem.views[view].weight * along);
                }
            }
            let weights = &mut self.weights[..self.views.len()];
            let (targets, curvatures) = (&self.targets, &self.curvatures);
            let consensus = model.point.consensus[e];
            model.point.consensus[e] = minimise(problem, e, targets, curvatures, consensus, weights, &mut self.scratch);
            for (&view, &weight) in self.views.iter().zip(&*weights) {
                let old = &mut model.point.weights.row_mut(e)[view];
                let dw = weight - *old;
                if dw != 0.0 || weight != 0.0 {
                    *old = weight;
                    let filtered = (problem.filter == Filter::Twice).then(|| &problem.views[view]);
                    stars[view].shift(k, dw, &model.views[view], filtered);
                }
            }
        }
    }
}

/// One view between two stars.
struct Turn<'t> {
    problem: &'t Problem,
    view: usize,
    model: &'t mut ViewModel,
    /// t.
    diagonal: &'t mut [f64],
    star: &'t mut ViewStar,
    next: &'t [u32],
}

impl WithSimd for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        if !self.star.moves.is_empty() {
            self.apply();
        }
        self.look(simd);
    }
}

impl Turn<'_> {
    /// What the star did, in all matrices of the view.
    #[inline(always)]
    fn apply(&mut self) {
        let term = &self.problem.views[self.view];
        let (a, total) = (self.star.centre, self.star.moved);
        let model = &mut *self.model;
        self.diagonal[a] += total;
        model.step[(a, a)] += total;
        for &Move { end, weight, diagonal } in &self.star.moves {
            self.diagonal[end] += diagonal;
            model.step[(end, end)] += diagonal;
            model.step[(a, end)] -= weight;
            model.step[(end, a)] -= weight;
        }
        spread(&mut model.left, &model.inverse, self.star);
        let change = &mut model.change_diagonal[..];
        let centre = model.inverse.col_as_slice(a);
        for (change, y) in change.iter_mut().zip(centre) {
            *change += total * y * y;
        }
        for &Move { end, weight, diagonal } in &self.star.moves {
            let columns = centre.iter().zip(model.inverse.col_as_slice(end));
            for (change, (ya, yb)) in change.iter_mut().zip(columns) {
                *change += yb * (diagonal * yb - 2.0 * weight * ya);
            }
        }
        if self.problem.filter == Filter::Twice {
            let s = &term.covariance;
            spread(&mut model.filtered, s, self.star);
            model.filtered_diagonal[a] += s[(a, a)] * total;
            for &Move { end, weight, diagonal } in &self.star.moves {
                model.filtered_diagonal[a] -= s[(end, a)] * weight;
                model.filtered_diagonal[end] += s[(end, end)] * diagonal - s[(end, a)] * weight;
            }
        }
    }

    /// What the next star needs to know.
    #[inline(always)]
    fn look<S: Simd>(&mut self, simd: S) {
        let (problem, model, star) = (self.problem, &*self.model, &mut *self.star);
        let term = &problem.views[self.view];
        star.clear();
        let Some(&first) = self.next.first() else { return };
        let a = term.places[problem.edges[first as usize][0] as usize];
        star.centre = a as usize;
        if a != ABSENT {
            let a = star.centre;
            star.row.clear();
            star.row.extend((0..term.n_nodes()).map(|k| model.left[(a, k)]));
            star.at_centre = model.gradient[(a, a)] + model.change_diagonal[a] + model.filtered_diagonal[a];
        }
        let is_twice = problem.filter == Filter::Twice;
        for &e in self.next {
            let Some((a, b)) = problem.movable(e as usize, self.view) else {
                star.ends.push(ABSENT);
                star.slopes.push(0.0);
                star.at_ends.push(0.0);
                star.inverses.push(0.0);
                star.covariances.push(0.0);
                star.curvatures.push(Curvature::default());
                continue;
            };
            let mut slope = model.gradient[(b, a)] + dot_with(simd, &star.row, model.inverse.col_as_slice(b));
            if is_twice {
                slope += 0.5 * (model.filtered[(a, b)] + model.filtered[(b, a)]);
            }
            star.ends.push(b as u32);
            star.slopes.push(slope);
            star.at_ends
                .push(model.gradient[(b, b)] + model.change_diagonal[b] + model.filtered_diagonal[b]);
            star.inverses.push(model.inverse[(b, a)]);
            star.covariances.push(term.covariance[(b, a)]);
            star.curvatures.push(Curvature::of(problem, self.view, model, a, b));
        }
        star.is_run =
            star.ends.windows(2).all(|two| two[0] != ABSENT && two[1] == two[0] + 1) && star.ends[0] != ABSENT;
    }
}

/// `product` += `matrix` times what a star changed in D.
#[inline(always)]
fn spread(product: &mut faer::Mat<f64>, matrix: &faer::Mat<f64>, star: &ViewStar) {
    let centre = matrix.col_as_slice(star.centre);
    for &Move { end, weight, diagonal } in &star.moves {
        let column = matrix.col_as_slice(end);
        let columns = centre.iter().zip(column);
        for (out, (a, b)) in product.col_as_slice_mut(end).iter_mut().zip(columns) {
            *out += diagonal * b - weight * a;
        }
        add_inline(product.col_as_slice_mut(star.centre), -weight, column);
    }
    add_inline(product.col_as_slice_mut(star.centre), star.moved, centre);
}
