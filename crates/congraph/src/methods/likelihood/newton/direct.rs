//! The step on a face by factors: for small faces, and where conjugate gradients take too long.
//!
//! In each view the weights that move on their own and the diagonal are eliminated; what is left of all views is a
//! system in the weights that are shared.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, Par};
use rayon::prelude::*;

use super::super::matrices::Factor;
use super::super::problem::{Filter, Problem};
use super::face::{Entry, Face, FaceStep};
use super::quadratic::{Quadratic, ViewModel};

/// So much is added to a diagonal, relatively, before it is factored; more where it must be.
const RIDGES: [f64; 2] = [1e-13, 1e-9];

/// One view with its own unknowns eliminated.
struct Eliminated {
    factor: Factor,
    /// L⁻¹ B, of the columns of the shared unknowns.
    coupled: Mat<f64>,
    /// L⁻¹ g.
    right: Vec<f64>,
    /// What is left for the shared unknowns.
    schur: Mat<f64>,
    schur_right: Vec<f64>,
}

/// The unknowns of one view: shared ones, own ones.
struct Unknowns<'f> {
    shared: Vec<&'f Entry>,
    own: Vec<&'f Entry>,
}

impl Quadratic<'_> {
    /// None if a factor fails.
    pub(super) fn direct(&self, face: &Face) -> Option<FaceStep> {
        let problem = self.problem;
        let unknowns: Vec<Unknowns<'_>> = face
            .entries
            .iter()
            .map(|entries| {
                let (own, shared) = entries.iter().partition(|entry| (entry.slot as usize) < face.n_free);
                Unknowns { shared, own }
            })
            .collect();
        let eliminated: Option<Vec<Eliminated>> = unknowns
            .par_iter()
            .enumerate()
            .map(|(view, unknowns)| eliminate(problem, view, &self.views[view], unknowns, face))
            .collect();
        let eliminated = eliminated?;
        let shared = solve_shared(face, &unknowns, &eliminated)?;
        let mut step = FaceStep {
            unknowns: vec![0.0; face.slopes.len()],
            diagonals: Vec::new(),
        };
        step.unknowns[face.n_free..].copy_from_slice(&shared);
        for (unknowns, eliminated) in unknowns.iter().zip(&eliminated) {
            let mut own = Mat::from_fn(eliminated.right.len(), 1, |k, _| {
                let shared = unknowns.shared.iter().enumerate();
                let moved = shared.map(|(j, entry)| eliminated.coupled[(k, j)] * step.unknowns[entry.slot as usize]);
                eliminated.right[k] - moved.sum::<f64>()
            });
            solve_upper_triangular_in_place(eliminated.factor.lower().transpose(), own.as_mut(), Par::Seq);
            for (k, entry) in unknowns.own.iter().enumerate() {
                step.unknowns[entry.slot as usize] = own[(k, 0)];
            }
            let diagonal = (unknowns.own.len()..own.nrows()).map(|k| own[(k, 0)]);
            step.diagonals.push(diagonal.collect());
        }
        step.unknowns.iter().all(|x| x.is_finite()).then_some(step)
    }
}

impl Quadratic<'_> {
    /// The step by factors of all views at once; none if they fail.
    pub(super) fn direct_together(&self, face: &Face) -> Option<FaceStep> {
        let problem = self.problem;
        let mut starts = vec![face.slopes.len()];
        for view in problem.views.iter() {
            starts.push(starts[starts.len() - 1] + view.n_nodes());
        }
        let size = starts[starts.len() - 1];
        let mut system = Mat::zeros(size, size);
        for (view, entries) in face.entries.iter().enumerate() {
            let edges = entries
                .iter()
                .map(|entry| (entry.slot as usize, Unknown::Edge(entry.a as usize, entry.b as usize)));
            let nodes = (0..problem.views[view].n_nodes()).map(|a| (starts[view] + a, Unknown::Node(a)));
            let all: Vec<(usize, Unknown)> = edges.chain(nodes).collect();
            for (k, &(column, one)) in all.iter().enumerate() {
                for &(row, two) in &all[k..] {
                    let entry =
                        problem.views[view].weight * second_derivative(problem, view, &self.views[view], one, two);
                    system[(row.max(column), row.min(column))] += entry;
                }
            }
        }
        for bundle in &face.bundles {
            for i in 0..bundle.len {
                for j in 0..=i {
                    system[(bundle.from + i, bundle.from + j)] += bundle.entry(i, j);
                }
            }
        }
        let factor = RIDGES.iter().find_map(|ridge| {
            for k in 0..size {
                system[(k, k)] *= 1.0 + ridge;
            }
            Factor::of(&system)
        })?;
        let mut right: Vec<f64> = face.slopes.iter().map(|slope| -slope).collect();
        right.extend(face.diagonal_slopes.iter().flatten().map(|slope| -slope));
        factor.solve(&mut right);
        let diagonals = starts.windows(2).map(|ends| right[ends[0]..ends[1]].to_vec()).collect();
        right.truncate(face.slopes.len());
        right.iter().all(|x| x.is_finite()).then_some(FaceStep {
            unknowns: right,
            diagonals,
        })
    }
}

fn eliminate(
    problem: &Problem,
    view: usize,
    model: &ViewModel,
    unknowns: &Unknowns<'_>,
    face: &Face,
) -> Option<Eliminated> {
    let (n, n_own, n_shared) = (model.inverse.nrows(), unknowns.own.len(), unknowns.shared.len());
    let weight = problem.views[view].weight;
    let hessian = |one: Unknown, two: Unknown| weight * second_derivative(problem, view, model, one, two);
    let own = |k: usize| match unknowns.own.get(k) {
        Some(entry) => Unknown::Edge(entry.a as usize, entry.b as usize),
        None => Unknown::Node(k - n_own),
    };
    let shared = |k: usize| Unknown::Edge(unknowns.shared[k].a as usize, unknowns.shared[k].b as usize);
    let size = n_own + n;
    let mut block = Mat::zeros(size, size);
    for column in 0..size {
        for row in column..size {
            block[(row, column)] = hessian(own(row), own(column));
        }
    }
    let factor = RIDGES.iter().find_map(|ridge| {
        for k in 0..size {
            block[(k, k)] *= 1.0 + ridge;
        }
        Factor::of(&block)
    })?;
    let mut coupled = Mat::from_fn(size, n_shared, |row, column| hessian(own(row), shared(column)));
    solve_lower_triangular_in_place(factor.lower(), coupled.as_mut(), Par::Seq);
    let mut right = Mat::from_fn(size, 1, |k, _| match unknowns.own.get(k) {
        Some(entry) => -face.slopes[entry.slot as usize],
        None => -face.diagonal_slopes[view][k - n_own],
    });
    solve_lower_triangular_in_place(factor.lower(), right.as_mut(), Par::Seq);
    let product = coupled.transpose() * &coupled;
    let schur = Mat::from_fn(n_shared, n_shared, |row, column| {
        if row < column {
            0.0
        } else {
            hessian(shared(row), shared(column)) - product[(row, column)]
        }
    });
    let moved = coupled.transpose() * &right;
    Some(Eliminated {
        factor,
        coupled,
        right: right.col_as_slice(0).to_vec(),
        schur,
        schur_right: (0..n_shared).map(|k| -moved[(k, 0)]).collect(),
    })
}

/// The system in what is shared.
fn solve_shared(face: &Face, unknowns: &[Unknowns<'_>], eliminated: &[Eliminated]) -> Option<Vec<f64>> {
    let n_shared = face.fused.len();
    if n_shared == 0 {
        return Some(Vec::new());
    }
    let mut system = Mat::zeros(n_shared, n_shared);
    let mut right: Vec<f64> = face.slopes[face.n_free..].iter().map(|slope| -slope).collect();
    for (unknowns, eliminated) in unknowns.iter().zip(eliminated) {
        let slot = |k: usize| unknowns.shared[k].slot as usize - face.n_free;
        for column in 0..unknowns.shared.len() {
            right[slot(column)] += eliminated.schur_right[column];
            for row in column..unknowns.shared.len() {
                // Slots grow with the entries.
                system[(slot(row), slot(column))] += eliminated.schur[(row, column)];
            }
        }
    }
    for k in 0..n_shared {
        system[(k, k)] *= 1.0 + 1e-12;
    }
    Factor::of(&system)?.solve(&mut right);
    Some(right)
}

/// What can move in a view.
#[derive(Clone, Copy)]
enum Unknown {
    Edge(usize, usize),
    Node(usize),
}

/// The second derivative of tr(YDYD)/2 + [twice] tr(DSD)/2.
fn second_derivative(problem: &Problem, view: usize, model: &ViewModel, one: Unknown, two: Unknown) -> f64 {
    let (y, s) = (&model.inverse, &problem.views[view].covariance);
    let is_twice = problem.filter == Filter::Twice;
    let at = |shared: bool, a: usize, b: usize| if is_twice && shared { s[(a, b)] } else { 0.0 };
    match (one, two) {
        (Unknown::Edge(a, b), Unknown::Edge(c, d)) => {
            2.0 * (y[(a, c)] * y[(b, d)] + y[(a, d)] * y[(b, c)])
                + at(a == c, b, d)
                + at(a == d, b, c)
                + at(b == c, a, d)
                + at(b == d, a, c)
        }
        (Unknown::Edge(a, b), Unknown::Node(j)) | (Unknown::Node(j), Unknown::Edge(a, b)) => {
            -2.0 * y[(a, j)] * y[(b, j)] - at(j == a, b, j) - at(j == b, a, j)
        }
        (Unknown::Node(j), Unknown::Node(k)) => y[(j, k)] * y[(j, k)] + at(j == k, j, j),
    }
}
