//! A second solver for small problems, written from the formulas: alternating directions with eigendecompositions.
//!
//! Every view has copies of M, one for −log det (and tr SM), one for tr(SM²)/2 where the filter is applied twice, and
//! their common value Z, whose edges pay the penalty. Each step has a closed form but for the consensus of an edge, which is
//! found by bisection.

use super::problems::{Parts, ViewPart, cholesky};
use congraph::ViewMatrix;
use congraph::methods::likelihood::{Coupling, Filter, Point, Signs, Tie};
use congraph::penalties::{JointEdge, L2};

/// A square matrix, row after row.
type Matrix = Vec<f64>;

/// Eigenvalues and vectors (in columns) of a symmetric matrix by Jacobi's rotations.
pub(crate) fn eigen(n: usize, matrix: &[f64]) -> (Vec<f64>, Matrix) {
    let mut a = matrix.to_vec();
    let mut vectors: Matrix = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
    for _ in 0..50 {
        let off: f64 = (0..n * n).filter(|k| k / n != k % n).map(|k| a[k] * a[k]).sum();
        let size: f64 = a.iter().map(|x| x * x).sum();
        if off <= 1e-30 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(n, &mut a, &mut vectors, p, q);
            }
        }
    }
    ((0..n).map(|k| a[k * n + k]).collect(), vectors)
}

fn rotate(n: usize, a: &mut [f64], vectors: &mut [f64], p: usize, q: usize) {
    let apq = a[p * n + q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    for k in 0..n {
        let (x, y) = (vectors[k * n + p], vectors[k * n + q]);
        vectors[k * n + p] = c * x - s * y;
        vectors[k * n + q] = s * x + c * y;
    }
}

fn product(n: usize, a: &[f64], b: &[f64]) -> Matrix {
    let entry = |k: usize| (0..n).map(|j| a[(k / n) * n + j] * b[j * n + k % n]).sum();
    (0..n * n).map(entry).collect()
}

fn transposed(n: usize, a: &[f64]) -> Matrix {
    (0..n * n).map(|k| a[(k % n) * n + k / n]).collect()
}

/// What one edge costs, and what a copy's distance from its target does.
#[derive(Clone, Copy)]
struct Edge {
    lambda: f64,
    beta: f64,
    gamma: f64,
    h: f64,
    is_signed: bool,
    /// Weights that stay zero.
    n_fixed: usize,
    coupling: Coupling,
}

impl Edge {
    /// The best weight of a view for a consensus: one of six places, whichever costs least.
    fn weight(self, u: f64, c: f64) -> f64 {
        let Self { lambda, beta, h, .. } = self;
        if self.coupling == Coupling::SquaredL2 {
            let at = (h * u + 2.0 * beta * c) / (h + 2.0 * beta);
            let less = lambda / (h + 2.0 * beta);
            let sides = [(at - less).max(0.0), (at + less).min(0.0)];
            return if self.is_signed { sides[0] + sides[1] } else { sides[0] };
        }
        let (more, less) = ((lambda + beta) / h, (lambda - beta) / h);
        let cost = |w: f64| 0.5 * h * (w - u) * (w - u) + lambda * w.abs() + beta * (w - c).abs();
        let mut best = 0.0;
        for w in [c, u - more, u + more, u - less, u + less] {
            if (self.is_signed || w >= 0.0) && cost(w) < cost(best) {
                best = w;
            }
        }
        best
    }

    /// The derivative of the edge's least cost in c, for a c that is not 0.
    fn slope(self, targets: &[f64], c: f64) -> f64 {
        let of_view = |&u: &f64| {
            let w = self.weight(u, c);
            if self.coupling == Coupling::SquaredL2 {
                2.0 * self.beta * (c - w)
            } else if w == c {
                self.h * (c - u) + self.lambda * c.signum()
            } else {
                self.beta * (c - w).signum()
            }
        };
        let held = if self.coupling == Coupling::SquaredL2 {
            2.0 * c.abs()
        } else {
            1.0
        };
        let rest = self.gamma + self.beta * held * self.n_fixed as f64;
        targets.iter().map(of_view).sum::<f64>() + rest * c.signum()
    }

    /// ℓ2 of an attractive edge, by the edge's minimiser of the smooth method, which knows views of equal curvature.
    fn together(self, targets: &[f64]) -> (f64, Vec<f64>) {
        let Self {
            lambda, beta, gamma, h, ..
        } = self;
        let targets: Vec<f64> = targets.iter().map(|u| u - lambda / h).collect();
        let mut weights = vec![0.0; targets.len()];
        let c = L2.minimise(&targets, beta / h, gamma / h, &mut weights, &mut Vec::new());
        (c, weights)
    }

    /// The best consensus by bisection.
    fn consensus(self, targets: &[f64]) -> f64 {
        const NEAR: f64 = 1e-14;
        let side = if self.slope(targets, NEAR) < 0.0 {
            1.0
        } else if self.is_signed && self.slope(targets, -NEAR) > 0.0 {
            -1.0
        } else {
            return 0.0;
        };
        let (mut low, mut high) = (NEAR, 1e3);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if side * self.slope(targets, side * middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        side * 0.5 * (low + high)
    }
}

/// One view: its copies with their multipliers, and Z.
struct State {
    common: Matrix,
    copies: Vec<(Matrix, Matrix)>,
    eigen: (Vec<f64>, Matrix),
}

impl State {
    fn new(view: &ViewPart, filter: Filter) -> Self {
        let n = view.nodes.len();
        let start: Matrix = (0..n * n)
            .map(|k| {
                if k / n == k % n {
                    view.covariance[k].powf(-1.0 / filter.order() as f64)
                } else {
                    0.0
                }
            })
            .collect();
        Self {
            copies: vec![(start.clone(), vec![0.0; n * n]); filter.order()],
            common: start,
            eigen: eigen(n, &view.covariance),
        }
    }

    fn move_copies(&mut self, view: &ViewPart, filter: Filter, rho: f64) {
        let (n, v) = (view.nodes.len(), view.weight);
        for (k, (copy, multiplier)) in self.copies.iter_mut().enumerate() {
            let target: Matrix = self.common.iter().zip(&*multiplier).map(|(z, u)| z - u).collect();
            if k == 0 {
                let shift = |(x, s): (&f64, &f64)| if filter == Filter::Once { x - v * s / rho } else { *x };
                let shifted: Matrix = target.iter().zip(&view.covariance).map(shift).collect();
                let (values, vectors) = eigen(n, &shifted);
                let root = |d: f64| 0.5 * (d + (d * d + 4.0 * v / rho).sqrt());
                let scaled: Matrix = (0..n * n).map(|k| vectors[k] * root(values[k % n])).collect();
                *copy = product(n, &scaled, &transposed(n, &vectors));
            } else {
                let (values, vectors) = &self.eigen;
                let turned = product(n, &transposed(n, vectors), &product(n, &target, vectors));
                let shrunk = |k: usize| turned[k] * rho / (rho + 0.5 * v * (values[k / n] + values[k % n]));
                let shrunk: Matrix = (0..n * n).map(shrunk).collect();
                *copy = product(n, vectors, &product(n, &shrunk, &transposed(n, vectors)));
            }
        }
    }

    fn mean(&self) -> Matrix {
        let n_copies = self.copies.len() as f64;
        let entry = |k: usize| self.copies.iter().map(|(m, u)| m[k] + u[k]).sum::<f64>() / n_copies;
        (0..self.common.len()).map(entry).collect()
    }
}

/// The solution of a small problem, and its objective.
pub(crate) fn solve(parts: &Parts) -> (Point, f64) {
    let mut states: Vec<State> = parts.views.iter().map(|view| State::new(view, parts.filter)).collect();
    let mut rho = 1.0;
    let mut consensus = vec![0.0; parts.edges.len()];
    for iteration in 0..40_000 {
        for (state, view) in states.iter_mut().zip(&parts.views) {
            state.move_copies(view, parts.filter, rho);
        }
        let before: Vec<Matrix> = states.iter().map(|state| state.common.clone()).collect();
        move_common(parts, &mut states, rho, &mut consensus);
        let (mut apart, mut moved) = (0.0_f64, 0.0_f64);
        for (state, before) in states.iter_mut().zip(&before) {
            for (copy, multiplier) in &mut state.copies {
                for ((u, m), z) in multiplier.iter_mut().zip(&*copy).zip(&state.common) {
                    *u += m - z;
                    apart = apart.max((m - z).abs());
                }
            }
            let moves = state.common.iter().zip(before).map(|(x, y)| rho * (x - y).abs());
            moved = moves.fold(moved, f64::max);
        }
        if apart.max(moved) < 1e-11 {
            break;
        }
        if iteration < 3000 && iteration % 25 == 24 && !(0.1..10.0).contains(&(apart / moved)) {
            let factor = if apart > moved { 2.0 } else { 0.5 };
            rho *= factor;
            let multipliers = states.iter_mut().flat_map(|state| &mut state.copies);
            multipliers.for_each(|(_, u)| u.iter_mut().for_each(|u| *u /= factor));
        }
    }
    let point = point(parts, &states, consensus);
    let objective = objective(parts, &point);
    (point, objective)
}

/// Where a view has an edge's ends.
pub(crate) fn ends(view: &ViewPart, [a, b]: [u32; 2]) -> Option<(usize, usize)> {
    let place = |node: u32| view.nodes.iter().position(|&other| other == node as usize);
    place(a).zip(place(b))
}

fn is_fixed(parts: &Parts, e: usize, view: usize) -> bool {
    parts
        .fixed
        .as_ref()
        .is_some_and(|fixed| fixed[e * parts.views.len() + view])
}

fn move_common(parts: &Parts, states: &mut [State], rho: f64, consensus: &mut [f64]) {
    let means: Vec<Matrix> = states.iter().map(State::mean).collect();
    for ((state, mean), view) in states.iter_mut().zip(&means).zip(&parts.views) {
        let n = view.nodes.len();
        state.common.fill(0.0);
        (0..n).for_each(|a| state.common[a * n + a] = mean[a * n + a]);
    }
    for (e, &pair) in parts.edges.iter().enumerate() {
        let having = |&i: &usize| ends(&parts.views[i], pair).is_some();
        let (fixed, own): (Vec<usize>, Vec<usize>) = (0..parts.views.len())
            .filter(having)
            .partition(|&i| is_fixed(parts, e, i));
        let at = |i: usize| ends(&parts.views[i], pair).expect("both ends");
        let targets: Vec<f64> = own
            .iter()
            .map(|&i| -means[i][at(i).0 * parts.views[i].nodes.len() + at(i).1])
            .collect();
        let edge = Edge {
            lambda: parts.lambda[e],
            beta: if parts.tie == Tie::None { 0.0 } else { parts.beta[e] },
            gamma: parts.gamma[e],
            h: 2.0 * parts.filter.order() as f64 * rho,
            is_signed: parts.signs == Signs::Both,
            n_fixed: fixed.len(),
            coupling: parts.coupling,
        };
        if parts.coupling == Coupling::L2 && parts.tie == Tie::Consensus {
            let (c, weights) = edge.together(&targets);
            consensus[e] = c;
            for (&i, &weight) in own.iter().zip(&weights) {
                let ((a, b), n) = (at(i), parts.views[i].nodes.len());
                states[i].common[a * n + b] = -weight;
                states[i].common[b * n + a] = -weight;
            }
            continue;
        }
        consensus[e] = match &parts.tie {
            Tie::None => 0.0,
            Tie::Consensus => edge.consensus(&targets),
            Tie::Frozen(known) => known[e],
        };
        for (&i, &u) in own.iter().zip(&targets) {
            let ((a, b), n) = (at(i), parts.views[i].nodes.len());
            let weight = edge.weight(u, consensus[e]);
            states[i].common[a * n + b] = -weight;
            states[i].common[b * n + a] = -weight;
        }
    }
}

fn point(parts: &Parts, states: &[State], consensus: Vec<f64>) -> Point {
    let mut weights = ViewMatrix::zeros(parts.edges.len(), parts.views.len());
    for (e, &pair) in parts.edges.iter().enumerate() {
        for (i, view) in parts.views.iter().enumerate() {
            if let Some((a, b)) = ends(view, pair) {
                weights.row_mut(e)[i] = -states[i].common[a * view.nodes.len() + b];
            }
        }
    }
    let diagonal = |(state, view): (&State, &ViewPart)| {
        let n = view.nodes.len();
        (0..n).map(|a| state.common[a * n + a]).collect()
    };
    Point {
        weights,
        diagonals: states.iter().zip(&parts.views).map(diagonal).collect(),
        consensus,
    }
}

/// M of a view, row after row.
pub(crate) fn matrix(parts: &Parts, view: usize, point: &Point) -> Matrix {
    let part = &parts.views[view];
    let n = part.nodes.len();
    let mut matrix = vec![0.0; n * n];
    (0..n).for_each(|a| matrix[a * n + a] = point.diagonals[view][a]);
    for (e, &pair) in parts.edges.iter().enumerate() {
        if let Some((a, b)) = ends(part, pair) {
            matrix[a * n + b] = -point.weights.row(e)[view];
            matrix[b * n + a] = -point.weights.row(e)[view];
        }
    }
    matrix
}

/// The objective, from the formula.
pub(crate) fn objective(parts: &Parts, point: &Point) -> f64 {
    let mut sum = 0.0;
    for (i, view) in parts.views.iter().enumerate() {
        let n = view.nodes.len();
        let m = matrix(parts, i, point);
        let Some(lower) = cholesky(n, &m) else {
            return f64::INFINITY;
        };
        let log_det: f64 = (0..n).map(|k| 2.0 * lower[k * n + k].ln()).sum();
        let power = if parts.filter == Filter::Once {
            m
        } else {
            product(n, &m, &m)
        };
        let trace: f64 = power.iter().zip(&view.covariance).map(|(x, y)| x * y).sum();
        sum += view.weight * (trace / parts.filter.order() as f64 - log_det);
    }
    for (e, &pair) in parts.edges.iter().enumerate() {
        let c = point.consensus[e];
        let (mut sizes, mut squares) = (0.0, 0.0);
        for (i, view) in parts.views.iter().enumerate() {
            let w = point.weights.row(e)[i];
            if ends(view, pair).is_some() {
                sum += parts.lambda[e] * w.abs();
                sizes += (w - c).abs();
                squares += (w - c) * (w - c);
            }
        }
        if parts.tie != Tie::None {
            sum += parts.beta[e]
                * match (parts.coupling, &parts.tie) {
                    (Coupling::SquaredL2, _) => squares,
                    (Coupling::L2, Tie::Consensus) => squares.sqrt(),
                    _ => sizes,
                };
        }
        if parts.tie == Tie::Consensus && c != 0.0 {
            sum += parts.gamma[e] * c.abs();
        }
    }
    sum
}

/// The inverse of a positive definite matrix, from its eigenvalues.
pub(crate) fn inverse(n: usize, matrix: &[f64]) -> Matrix {
    let (values, vectors) = eigen(n, matrix);
    let scaled: Matrix = (0..n * n).map(|k| vectors[k] / values[k % n]).collect();
    product(n, &scaled, &transposed(n, &vectors))
}

/// (AB + BA)/2.
pub(crate) fn symmetric_product(n: usize, a: &[f64], b: &[f64]) -> Matrix {
    let (ab, ba) = (product(n, a, b), product(n, b, a));
    ab.iter().zip(&ba).map(|(x, y)| 0.5 * (x + y)).collect()
}
