//! The step on a face by factors: for small faces, and where conjugate gradients take too long.
//!
//! In each view the weights that move on their own and the diagonal are eliminated; what is left of all views is a
//! system in the weights that are shared.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, Par};
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
            let all = Along::new(entries, problem.views[view].n_nodes(), true);
            let hessian = Hessian::of(problem, view, &self.views[view]);
            let place = |k: usize| match entries.get(k) {
                Some(entry) => entry.slot as usize,
                None => starts[view] + k - entries.len(),
            };
            let mut column = vec![0.0; all.len()];
            for k in 0..all.len() {
                hessian.fill(&all, all.unknown(k), k, &mut column);
                for (row, entry) in (k..).zip(&column[k..]) {
                    let (row, column) = (place(row), place(k));
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
    let hessian = Hessian::of(problem, view, model);
    let own = Along::new(unknowns.own.iter().copied(), n, true);
    let shared = Along::new(unknowns.shared.iter().copied(), n, false);
    let size = n_own + n;
    let mut block = Mat::zeros(size, size);
    for k in 0..size {
        hessian.fill(&own, own.unknown(k), k, block.col_as_slice_mut(k));
    }
    let factor = RIDGES.iter().find_map(|ridge| {
        for k in 0..size {
            block[(k, k)] *= 1.0 + ridge;
        }
        Factor::of(&block)
    })?;
    let (mut coupled, mut schur) = (Mat::zeros(size, n_shared), Mat::zeros(n_shared, n_shared));
    for k in 0..n_shared {
        hessian.fill(&own, shared.unknown(k), 0, coupled.col_as_slice_mut(k));
        hessian.fill(&shared, shared.unknown(k), k, schur.col_as_slice_mut(k));
    }
    solve_lower_triangular_in_place(factor.lower(), coupled.as_mut(), Par::Seq);
    let mut right = Mat::from_fn(size, 1, |k, _| match unknowns.own.get(k) {
        Some(entry) => -face.slopes[entry.slot as usize],
        None => -face.diagonal_slopes[view][k - n_own],
    });
    solve_lower_triangular_in_place(factor.lower(), right.as_mut(), Par::Seq);
    subtract_squares(&mut schur, &coupled);
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

/// Unknowns of a view in the order of a system: edges, then perhaps all nodes.
struct Along {
    edges: Vec<[u32; 2]>,
    n_nodes: usize,
    /// Of each node: the edges that end there, and their other ends.
    at: Vec<Vec<[u32; 2]>>,
}

impl Along {
    fn new<'e>(entries: impl IntoIterator<Item = &'e Entry>, n_nodes: usize, has_nodes: bool) -> Self {
        let edges: Vec<[u32; 2]> = entries.into_iter().map(|entry| [entry.a, entry.b]).collect();
        let mut at = vec![Vec::new(); n_nodes];
        for (k, &[a, b]) in (0..).zip(&edges) {
            at[a as usize].push([k, b]);
            at[b as usize].push([k, a]);
        }
        Self {
            edges,
            n_nodes: if has_nodes { n_nodes } else { 0 },
            at,
        }
    }

    fn len(&self) -> usize {
        self.edges.len() + self.n_nodes
    }

    fn unknown(&self, k: usize) -> Unknown {
        match self.edges.get(k) {
            Some(&[a, b]) => Unknown::Edge(a as usize, b as usize),
            None => Unknown::Node(k - self.edges.len()),
        }
    }
}

/// The second derivatives of v (tr(YDYD)/2 + [twice] tr(DSD)/2) of one view:
///
/// ```text
/// edges (a,b), (c,d)    2 (Y_ac Y_bd + Y_ad Y_bc) + [a=c] S_bd + [a=d] S_bc + [b=c] S_ad + [b=d] S_ac
/// edge (a,b), node j    −2 Y_aj Y_bj − [a=j] S_bj − [b=j] S_aj
/// nodes j, k            Y_jk² + [j=k] S_jj
/// ```
struct Hessian<'m> {
    weight: f64,
    inverse: &'m Mat<f64>,
    /// S where the filter is applied twice.
    covariance: Option<&'m Mat<f64>>,
}

impl<'m> Hessian<'m> {
    fn of(problem: &'m Problem, view: usize, model: &'m ViewModel) -> Self {
        let term = &problem.views[view];
        Self {
            weight: term.weight,
            inverse: &model.inverse,
            covariance: (problem.filter == Filter::Twice).then_some(&term.covariance),
        }
    }

    /// A column, from some row on.
    fn fill(&self, rows: &Along, column: Unknown, from: usize, out: &mut [f64]) {
        let n_edges = rows.edges.len();
        let (edges, nodes) = out.split_at_mut(n_edges);
        let first_edge = from.min(n_edges);
        let (edges, ends) = (&mut edges[first_edge..], &rows.edges[first_edge..]);
        let first_node = (from - first_edge).min(rows.n_nodes);
        let nodes = &mut nodes[first_node..rows.n_nodes];
        let (c, d) = match column {
            Unknown::Edge(c, d) => (c, d),
            Unknown::Node(j) => (j, j),
        };
        // A node is an edge to itself, of half the size and the other sign.
        let half = if c == d { -0.5 } else { 1.0 };
        let both = self.inverse.col_as_slice(c).iter().zip(self.inverse.col_as_slice(d));
        let both: Vec<[f64; 2]> = both.map(|(&x, &y)| [x, y]).collect();
        let factor = 2.0 * half * self.weight;
        for (out, &[a, b]) in edges.iter_mut().zip(ends) {
            let ([ac, ad], [bc, bd]) = (both[a as usize], both[b as usize]);
            *out = factor * (ac * bd + ad * bc);
        }
        for (out, [jc, jd]) in nodes.iter_mut().zip(&both[first_node..]) {
            *out = -factor * (jc * jd);
        }
        let Some(covariance) = self.covariance else {
            return;
        };
        let factor = half * self.weight;
        for (here, there) in [(c, d), (d, c)] {
            let column = covariance.col_as_slice(there);
            for &[k, other] in &rows.at[here] {
                if let Some(k) = (k as usize).checked_sub(first_edge) {
                    edges[k] += factor * column[other as usize];
                }
            }
            if let Some(k) = here.checked_sub(first_node)
                && let Some(node) = nodes.get_mut(k)
            {
                *node -= factor * column[here];
            }
        }
    }
}

/// The lower triangle of A − BᵀB.
fn subtract_squares(lower: &mut Mat<f64>, matrix: &Mat<f64>) {
    matmul(
        lower.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        matrix.transpose(),
        BlockStructure::Rectangular,
        matrix.as_ref(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the trace itself: tr(YDYE) + [twice] tr(DSE) of two directions.
    #[test]
    fn second_derivatives_are_those_of_the_traces() {
        let n = 5;
        let symmetric = |seed: usize| {
            let entry = |a: usize, b: usize| ((a + b + seed) as f64).sin() + (a * b) as f64 * 0.1;
            Mat::from_fn(n, n, |a, b| entry(a.max(b), a.min(b)))
        };
        let (inverse, covariance) = (symmetric(1), symmetric(2));
        let edges = [[0, 1], [0, 3], [1, 2], [1, 3], [2, 4], [3, 4]];
        let mut at = vec![Vec::new(); n];
        for (k, &[a, b]) in (0..).zip(&edges) {
            at[a as usize].push([k, b]);
            at[b as usize].push([k, a]);
        }
        let all = Along {
            edges: edges.to_vec(),
            n_nodes: n,
            at,
        };
        let direction = |unknown: Unknown| {
            let mut direction = Mat::<f64>::zeros(n, n);
            match unknown {
                Unknown::Edge(a, b) => (direction[(a, b)], direction[(b, a)]) = (-1.0, -1.0),
                Unknown::Node(a) => direction[(a, a)] = 1.0,
            }
            direction
        };
        let trace = |matrix: Mat<f64>| (0..n).map(|a| matrix[(a, a)]).sum::<f64>();
        for covariance in [None, Some(&covariance)] {
            let hessian = Hessian {
                weight: 0.7,
                inverse: &inverse,
                covariance,
            };
            for k in 0..all.len() {
                let mut column = vec![f64::NAN; all.len()];
                hessian.fill(&all, all.unknown(k), k, &mut column);
                let one = direction(all.unknown(k));
                for (row, &entry) in column.iter().enumerate().skip(k) {
                    let two = direction(all.unknown(row));
                    let mut expected = trace(&inverse * &one * &inverse * &two);
                    if let Some(covariance) = covariance {
                        expected += trace(&one * covariance * &two);
                    }
                    assert!((entry - 0.7 * expected).abs() < 1e-12, "{row} {k}: {entry}, {expected}");
                }
            }
        }
    }
}
