//! The Newton direction: conjugate gradients on the generalised Hessian, which is never built.
//!
//! ```text
//! H = Σ_e (e_a + e_b)(e_a + e_b)ᵀ ⊗ J_e  +  2 (I − 11ᵀ/n) ⊗ I  +  ridge · I
//! ```
//!
//! Only present edges contribute; J_e is diagonal plus one or two rank-one terms, so a product costs O(present
//! edges · N).

mod kernels;

use std::sync::Arc;

use kernels::{Kernels, add_any, kernels};
use rayon::prelude::*;

use super::dual::Dual;
use super::vectors::{combine, dot, reduce};
use crate::edges::{ViewMatrix, Weights, incidence};
use crate::parallel::chunks;
use crate::team::{Share, fold_few};
use crate::views::Membership;

/// Nodes per block of work.
const NODES: usize = 512;
/// Into how many parts the edges are split where there are many for each node; every part adds up a vector of its own.
const PARTS: usize = 8;
/// How many edges for each node are many.
const MANY_EDGES: usize = 16;

/// The Jacobians of the edges present at one point.
pub(super) struct Hessian {
    n_nodes: usize,
    n_views: usize,
    /// The two ends of each edge.
    ends: Vec<[u32; 2]>,
    /// For each edge the diagonal of its Jacobian, then its rank-one factors. In f32: a direction need not be exact.
    jacobians: Vec<f32>,
    /// Values per Jacobian.
    width: usize,
    /// For each node the edges at it, `incident[starts[node]..starts[node + 1]]`, where they are few.
    starts: Vec<u32>,
    incident: Vec<u32>,
    is_sparse: bool,
    /// Whether the rank-one terms are of disjoint sets of views.
    has_sets: bool,
    ridge: f64,
    /// How many nodes each view has, and which it lacks.
    sizes: Vec<f64>,
    membership: Option<Arc<Membership>>,
    /// The buffer of products.
    moved: ViewMatrix,
    /// Which of the edges are here, and the first present one of each leaf of theirs.
    share: Share,
    leaf_starts: Vec<usize>,
}

impl Hessian {
    /// Of no edges yet.
    pub(super) fn new(n_views: usize) -> Self {
        Self {
            n_nodes: 0,
            n_views,
            ends: Vec::new(),
            jacobians: Vec::new(),
            width: 0,
            starts: Vec::new(),
            incident: Vec::new(),
            is_sparse: true,
            has_sets: false,
            ridge: 0.0,
            sizes: Vec::new(),
            membership: None,
            moved: ViewMatrix::zeros(0, n_views),
            share: Share::whole(0, 0),
            leaf_starts: Vec::new(),
        }
    }

    /// Takes the Jacobians at another point.
    pub(super) fn update(&mut self, dual: &Dual<'_>, present: &[Weights], ridge: f64) {
        (self.n_nodes, self.n_views) = (dual.problem.n_nodes(), dual.problem.n_views());
        self.ridge = ridge;
        self.sizes = dual.problem.totals();
        let membership = dual.problem.distances().membership();
        self.membership = (!membership.is_total()).then(|| Arc::clone(membership));
        let n_views = self.n_views;
        let term = dual.term;
        let width = n_views * (1 + term.rank());
        self.width = width;
        self.has_sets = term.has_sets();
        let n_edges: usize = present.iter().map(|block| block.edges().len()).sum();
        let edges = dual.problem.distances().edges().pairs();
        let distances = dual.problem.distances().values();
        self.ends.resize(n_edges, [0, 0]);
        self.jacobians.resize(n_edges * width, 0.0);
        let (mut ends, mut jacobians) = (self.ends.as_mut_slice(), self.jacobians.as_mut_slice());
        let mut parts = Vec::with_capacity(present.len());
        // Each block of present edges writes its own stretch: no locks, and always the same places.
        for block in present {
            let (block_ends, block_jacobians);
            (block_ends, ends) = ends.split_at_mut(block.edges().len());
            (block_jacobians, jacobians) = jacobians.split_at_mut(block.edges().len() * width);
            parts.push((block, block_ends, block_jacobians));
        }
        let fill = |(block, ends, jacobians): (&Weights, &mut [[u32; 2]], &mut [f32])| {
            let (mut exact, mut buffer) = (vec![0.0; width], Vec::new());
            let rows = ends.iter_mut().zip(jacobians.chunks_exact_mut(width));
            for ((edge, weights, consensus), (ends, row)) in block.iter().zip(rows) {
                *ends = edges[edge];
                term.jacobian(weights, consensus, distances.row(edge), &mut exact, &mut buffer);
                for (value, exact) in row.iter_mut().zip(&exact) {
                    *value = *exact as f32;
                }
            }
        };
        match parts.len() {
            1 => parts.into_iter().for_each(fill),
            _ => parts.into_par_iter().for_each(fill),
        }
        self.share = dual.share.clone();
        self.leaf_starts.clear();
        if !self.share.is_one_leaf() {
            let mut n_before = vec![0];
            for block in present {
                n_before.push(n_before[n_before.len() - 1] + block.edges().len());
            }
            let starts = self.share.leaf_starts();
            self.leaf_starts.extend(starts.into_iter().map(|block| n_before[block]));
        }
        // Few edges per node are gathered node by node, if all are here; many are added up in parts, which reads them in
        // order.
        self.is_sparse = self.share.team().size() == 1 && n_edges < MANY_EDGES * self.n_nodes;
        if self.is_sparse {
            (self.starts, self.incident) = incidence(self.n_nodes, &self.ends);
        }
    }

    /// The edges at a node, in order.
    fn at(&self, node: usize) -> &[u32] {
        &self.incident[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    fn jacobian(&self, edge: usize) -> &[f32] {
        &self.jacobians[edge * self.width..(edge + 1) * self.width]
    }

    /// Adds the diagonal of an edge's Jacobian.
    fn add_diagonal(&self, jacobian: &[f32], out: &mut [f64]) {
        let (entries, mut factors) = jacobian.split_at(out.len());
        if self.has_sets {
            // One row for all terms, then places.
            factors = &factors[..out.len()];
        }
        for (value, &entry) in out.iter_mut().zip(entries) {
            *value += f64::from(entry);
        }
        for factor in factors.chunks_exact(out.len()) {
            for (value, &v) in out.iter_mut().zip(factor) {
                *value += f64::from(v) * f64::from(v);
            }
        }
    }

    /// 1 over the diagonal; `buffer` as for [`Hessian::product`].
    fn inverse_diagonal(&self, buffer: &mut ViewMatrix) -> ViewMatrix {
        let n_views = self.n_views;
        // The diagonal of 2 (I − 11ᵀ/n) + ridge I.
        let own = |n: &f64| 2.0 * (1.0 - 1.0 / n) + self.ridge;
        let own: Vec<f64> = self.sizes.iter().map(own).collect();
        let mut diagonal = ViewMatrix::zeros(self.n_nodes, n_views);
        if self.is_sparse {
            let with_leaves = !self.share.is_one_leaf();
            chunks::map_mut_by(NODES, diagonal.values_mut(), n_views, |first, rows| {
                let mut partial = Partial::default();
                for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                    row.copy_from_slice(&own);
                    if with_leaves {
                        let add = |edge: usize, sum: &mut [f64]| self.add_diagonal(self.jacobian(edge), sum);
                        self.add_by_leaves(first + k, &mut partial, add, row);
                    } else {
                        for &edge in self.at(first + k) {
                            self.add_diagonal(self.jacobian(edge as usize), row);
                        }
                    }
                    row.iter_mut().for_each(|value| *value = 1.0 / *value);
                }
            });
            return diagonal;
        }
        if !self.share.is_one_leaf() {
            let sum = self.in_leaves(|ends, jacobians, out| {
                for (&[a, b], jacobian) in ends.iter().zip(jacobians.chunks_exact(self.width)) {
                    for node in [a, b].map(|node| node as usize * n_views) {
                        self.add_diagonal(jacobian, &mut out[node..node + n_views]);
                    }
                }
            });
            let rows = diagonal.rows_mut().zip(sum.chunks_exact(n_views));
            for (row, sum) in rows {
                for (value, (own, sum)) in row.iter_mut().zip(own.iter().zip(sum)) {
                    *value = 1.0 / (own + sum);
                }
            }
            return diagonal;
        }
        let parts = self.in_parts(buffer, |ends, jacobians, out| {
            let mut row = vec![0.0; n_views];
            for (&[a, b], jacobian) in ends.iter().zip(jacobians.chunks_exact(self.width)) {
                row.fill(0.0);
                self.add_diagonal(jacobian, &mut row);
                for node in [a, b].map(|node| node as usize * n_views) {
                    add_any(&row, &mut out[node..node + n_views]);
                }
            }
        });
        chunks::map_mut_by(NODES, diagonal.values_mut(), n_views, |first, rows| {
            let range = first * n_views..first * n_views + rows.len();
            rows.chunks_exact_mut(n_views).for_each(|row| row.copy_from_slice(&own));
            for part in parts.chunks_exact(self.n_nodes * n_views) {
                add_any(&part[range.clone()], rows);
            }
            rows.iter_mut().for_each(|value| *value = 1.0 / *value);
        });
        diagonal
    }

    /// Adds up some rows of the edges at a node, leaf by leaf, and adds the sum to `out`.
    fn add_by_leaves(&self, node: usize, partial: &mut Partial, add: impl Fn(usize, &mut [f64]), out: &mut [f64]) {
        let (edges, width) = (self.at(node), out.len());
        let Partial { leaves, sums } = partial;
        leaves.clear();
        sums.clear();
        let (mut leaf, mut end) = (0, 0);
        for &edge in edges {
            let edge = edge as usize;
            if edge >= end {
                while self.leaf_starts[leaf + 1] <= edge {
                    leaf += 1;
                }
                end = self.leaf_starts[leaf + 1];
                leaves.push(leaf as u32);
                sums.resize(leaves.len() * width, 0.0);
            }
            let first = sums.len() - width;
            add(edge, &mut sums[first..]);
        }
        if !edges.is_empty() {
            fold_few(leaves, sums, width);
            add_any(&sums[..width], out);
        }
    }

    /// Rows of the edges added up at their ends, leaf by leaf, with those that others have.
    fn in_leaves(&self, sums: impl Fn(&[[u32; 2]], &[f32], &mut [f64]) + Sync) -> Vec<f64> {
        self.share.sum_with(self.n_nodes * self.n_views, |leaf, out| {
            let range = self.leaf_starts[leaf]..self.leaf_starts[leaf + 1];
            if range.is_empty() {
                return;
            }
            let jacobians = &self.jacobians[range.start * self.width..range.end * self.width];
            sums(&self.ends[range], jacobians, out);
        })
    }

    /// A fixed number of parts of the edges, each added up into one row per node of its own.
    fn in_parts<'a>(
        &self,
        buffer: &'a mut ViewMatrix,
        sums: impl Fn(&[[u32; 2]], &[f32], &mut [f64]) + Sync,
    ) -> &'a [f64] {
        let length = self.ends.len().div_ceil(PARTS);
        let size = self.n_nodes * self.n_views;
        let parts = self.ends.par_chunks(length);
        let jacobians = self.jacobians.par_chunks(length * self.width);
        let buffer = &mut buffer.values_mut()[..PARTS * size];
        buffer
            .par_chunks_mut(size)
            .zip(parts.zip(jacobians))
            .for_each(|(out, (ends, jacobians))| {
                out.fill(0.0);
                sums(ends, jacobians, out);
            });
        buffer
    }

    /// out = H x; `moved` is a buffer for J (x_a + x_b) of every edge, or for the sums of every part.
    fn product(&self, x: &ViewMatrix, moved: &mut ViewMatrix, out: &mut ViewMatrix) {
        let n_views = self.n_views;
        let sums = x.column_sums();
        let means: Vec<f64> = sums.iter().zip(&self.sizes).map(|(sum, n)| sum / n).collect();
        // 2 (I − 11ᵀ/n) x + ridge x, on the nodes that a view has.
        let own = |node: usize, row: &mut [f64]| {
            for ((value, &x), mean) in row.iter_mut().zip(x.row(node)).zip(&means) {
                *value = 2.0 * (x - mean) + self.ridge * x;
            }
            if let Some(membership) = &self.membership {
                let lacking = row.iter_mut().zip(membership.row(node)).filter(|(_, lacks)| **lacks);
                lacking.for_each(|(value, _)| *value = 0.0);
            }
        };
        let Kernels {
            apply,
            add,
            gather,
            at_node,
            sums,
        } = kernels(n_views, self.has_sets);
        match self.is_sparse {
            true => {
                // First J_e (x_a + x_b) of every edge, then their sums at every node: no two threads write to one row.
                chunks::map_mut(moved.values_mut(), n_views, |first, rows| {
                    let edges = first..first + rows.len() / n_views;
                    let jacobians = &self.jacobians[edges.start * self.width..edges.end * self.width];
                    apply(&self.ends[edges], jacobians, n_views, x.values(), rows);
                });
                let with_leaves = !self.share.is_one_leaf();
                chunks::map_mut_by(NODES, out.values_mut(), n_views, |first, rows| {
                    let mut partial = Partial::default();
                    for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                        own(first + k, row);
                        if with_leaves {
                            at_node(self, first + k, moved.values(), &mut partial, row);
                            continue;
                        }
                        gather(self.at(first + k), moved.values(), row);
                    }
                });
            }
            false if !self.share.is_one_leaf() => {
                let sum = self.in_leaves(|ends, jacobians, out| sums(ends, jacobians, n_views, x.values(), out));
                chunks::map_mut_by(NODES, out.values_mut(), n_views, |first, rows| {
                    for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                        own(first + k, row);
                        add(&sum[(first + k) * n_views..(first + k + 1) * n_views], row);
                    }
                });
            }
            false => {
                let moved = self.in_parts(moved, |ends, jacobians, out| {
                    sums(ends, jacobians, n_views, x.values(), out);
                });
                let size = self.n_nodes * n_views;
                chunks::map_mut_by(NODES, out.values_mut(), n_views, |first, rows| {
                    for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                        own(first + k, row);
                        for part in moved.chunks_exact(size) {
                            add(&part[(first + k) * n_views..(first + k + 1) * n_views], row);
                        }
                    }
                });
            }
        }
    }

    /// How many rows the buffer of [`Hessian::product`] has.
    fn buffer_rows(&self) -> usize {
        match self.is_sparse {
            true => self.ends.len(),
            false if self.share.is_one_leaf() => PARTS * self.n_nodes,
            false => 0,
        }
    }

    /// Solves H d = −gradient to a relative residual; returns d and the number of steps.
    pub(super) fn direction(&mut self, gradient: &ViewMatrix, tolerance: f64, max_steps: usize) -> (ViewMatrix, usize) {
        let (n_nodes, n_views) = (gradient.n_rows(), gradient.n_views());
        let mut moved = std::mem::replace(&mut self.moved, ViewMatrix::zeros(0, n_views));
        moved.resize(self.buffer_rows());
        let inverse = self.inverse_diagonal(&mut moved);
        let mut x = ViewMatrix::zeros(n_nodes, n_views);
        let mut product = ViewMatrix::zeros(n_nodes, n_views);
        let mut residual = ViewMatrix::zeros(n_nodes, n_views);
        let mut preconditioned = ViewMatrix::zeros(n_nodes, n_views);
        // From d = 0 the residual is −gradient.
        let (mut energy, mut square) = reduce(
            residual.values_mut(),
            1.0,
            gradient.values(),
            inverse.values(),
            preconditioned.values_mut(),
        );
        let target = tolerance * square.sqrt();
        let mut search = preconditioned.clone();
        let mut steps = 0;
        while steps < max_steps && square.sqrt() > target {
            self.product(&search, &mut moved, &mut product);
            let curvature = dot(search.values(), product.values());
            // Not a number, or no curvature left in f64: keep what there is.
            if curvature.is_nan() || curvature <= 0.0 {
                if steps == 0 {
                    x = search;
                }
                break;
            }
            steps += 1;
            // The usual step of preconditioned conjugate gradients.
            let length = energy / curvature;
            combine(x.values_mut(), 1.0, length, search.values());
            let next;
            (next, square) = reduce(
                residual.values_mut(),
                length,
                product.values(),
                inverse.values(),
                preconditioned.values_mut(),
            );
            combine(search.values_mut(), next / energy, 1.0, preconditioned.values());
            energy = next;
        }
        self.moved = moved;
        (x, steps)
    }
}

/// The sums at a node of those leaves that have an edge there.
#[derive(Default)]
struct Partial {
    leaves: Vec<u32>,
    sums: Vec<f64>,
}
