//! (½SᵀS + aI)⁻¹ and the total, through a system of the size of the degrees.
//!
//! The w^i-step minimises ½wᵀ(½SᵀS + aI)w − xᵀw subject to 1ᵀw = n. With h = (½SSᵀ + aI)⁻¹ S x, h₁ = (½SSᵀ + aI)⁻¹ S 1
//! and μ the multiplier of the total,
//!
//! ```text
//! w_e = (x_e − g_a − g_b)/a,     g = ½ (h + μ h₁ − μ),     S w = h + μ h₁,     μ = (n − ½ Σh) / ½ Σh₁
//! ```
//!
//! so the step needs only the degrees S x and leaves nothing to sum up afterwards; κ g are the multipliers λ of the
//! degrees.
//!
//! On the complete graph SSᵀ = (n−2)I + 11ᵀ and everything is in closed form (twice that where every pair has an edge
//! of each sign). On any other set of pairs SSᵀ is the
//! degree matrix plus the adjacency matrix; the system is well conditioned and solved by conjugate gradients over the
//! lists of neighbours, from the solution of the iteration before and to a thousandth of what changed since: the
//! iteration corrects the rest.
//!
//! A view that lacks nodes has a system of its own nodes, with n_i for n; h, h₁ and g are 0 for the others.

use std::sync::Arc;

use crate::distances::Distances;
use crate::edges::{ViewMatrix, incidence};
use crate::parallel::chunks;
use crate::views::Membership;

/// Residuals are brought down to this share of the right-hand side,
const ACCURACY: f64 = 1e-13;
/// or to this share of the residual at the start, when it is the solution of a nearby system.
const GAIN: f64 = 1e-3;
/// The most conjugate-gradient steps.
const MAX_STEPS: usize = 200;
/// Nodes per block of work.
const NODES: usize = 512;

/// Solves for the levels g, once per iteration.
pub(super) struct DegreeSystem {
    /// None if every view is on the complete graph of its nodes.
    neighbours: Option<NeighbourLists>,
    /// h, one row per node: where the next solution starts.
    solution: ViewMatrix,
    /// h₁ for the a it was computed for: one row for all nodes on complete graphs, one column for all views if none
    /// lacks a node.
    ones: (f64, ViewMatrix),
    /// How many nodes each view has, and which it lacks.
    sizes: Vec<f64>,
    membership: Arc<Membership>,
    /// How many edges a pair has: one, or one of each sign.
    n_signs: f64,
}

/// For each node the nodes it may be joined to.
struct NeighbourLists {
    starts: Vec<u32>,
    nodes: Vec<u32>,
    membership: Arc<Membership>,
    /// S 1: how many neighbours each node has; one column for all views if none lacks a node.
    counts: ViewMatrix,
}

impl DegreeSystem {
    pub(super) fn new(distances: &Distances) -> Self {
        let (edges, n_views) = (distances.edges(), distances.values().n_views());
        let membership = Arc::clone(distances.membership());
        let is_complete = if membership.is_total() {
            edges.is_complete()
        } else {
            (0..n_views).all(|view| {
                let own = distances.values().column(view).filter(|distance| distance.is_finite());
                own.count() == edges.n_signs() * membership.n_pairs_of(view)
            })
        };
        let sizes = (0..n_views).map(|view| membership.n_nodes_of(view));
        Self {
            sizes: sizes.map(|size| size as f64).collect(),
            neighbours: (!is_complete).then(|| NeighbourLists::new(distances)),
            solution: ViewMatrix::zeros(edges.n_nodes(), n_views),
            ones: (f64::NAN, ViewMatrix::zeros(0, 1)),
            membership,
            n_signs: edges.n_signs() as f64,
        }
    }

    /// g, given S x in `degrees`.
    pub(super) fn levels(&mut self, a: f64, degrees: &ViewMatrix) -> ViewMatrix {
        self.solve_for_ones(a, degrees.n_rows());
        let mut levels = if let Some(neighbours) = &self.neighbours {
            neighbours.solve(a, degrees, &mut self.solution, GAIN);
            self.solution.clone()
        } else {
            // Sherman–Morrison for (½(n−2) + a) I + ½ 11ᵀ: divide, after taking off what the ones share.
            let half = 0.5 * self.n_signs;
            let along: Vec<f64> = self.sizes.iter().map(|n| a + half * (n - 2.0)).collect();
            let sums = degrees.column_sums().into_iter().zip(along.iter().zip(&self.sizes));
            let shifts: Vec<f64> = sums.map(|(sum, (along, n))| half * sum / (along + half * n)).collect();
            let mut solution = degrees.clone();
            for row in solution.rows_mut() {
                for (value, (shift, along)) in row.iter_mut().zip(shifts.iter().zip(&along)) {
                    *value = (*value - shift) / along;
                }
            }
            self.clear(&mut solution);
            solution
        };
        let ones = &self.ones.1;
        let at = |node: usize, view: usize| {
            let row = ones.row(if ones.n_rows() == 1 { 0 } else { node });
            row[if row.len() == 1 { 0 } else { view }]
        };
        let whole = |view: usize, n: f64| {
            0.5 * if ones.n_rows() == 1 {
                n * at(0, view)
            } else {
                ones.column(if ones.n_views() == 1 { 0 } else { view }).sum()
            }
        };
        // μ, which brings each view to its total: Π₁ of eq:admm_li_step.
        let sums = levels.column_sums().into_iter().zip(&self.sizes).enumerate();
        let multipliers: Vec<f64> = sums.map(|(view, (sum, &n))| (n - 0.5 * sum) / whole(view, n)).collect();
        // g = ½ (h + μ (h₁ − 1)).
        for (node, row) in levels.rows_mut().enumerate() {
            for (view, (value, multiplier)) in row.iter_mut().zip(&multipliers).enumerate() {
                *value = 0.5 * (*value + multiplier * (at(node, view) - 1.0));
            }
        }
        self.clear(&mut levels);
        levels
    }

    fn clear(&self, rows: &mut ViewMatrix) {
        self.membership.clear(rows);
    }

    /// h₁, unless it is known for this a.
    fn solve_for_ones(&mut self, a: f64, n_nodes: usize) {
        if self.ones.0 == a {
            return;
        }
        let values = if let Some(neighbours) = &self.neighbours {
            let mut solution = ViewMatrix::zeros(n_nodes, neighbours.counts.n_views());
            neighbours.solve(a, &neighbours.counts, &mut solution, 0.0);
            solution
        } else {
            // All degrees are n − 1 (or twice that) there, so that h₁ is the same for all nodes.
            let ones = |n: &f64| self.n_signs * (n - 1.0) / (a + self.n_signs * (n - 1.0));
            let n_systems = if self.membership.is_total() {
                1
            } else {
                self.sizes.len()
            };
            ViewMatrix::from_values(n_systems, self.sizes[..n_systems].iter().map(ones).collect())
        };
        self.ones = (a, values);
    }
}

impl NeighbourLists {
    fn new(distances: &Distances) -> Self {
        let edges = distances.edges();
        let (starts, mut nodes) = incidence(edges.n_nodes(), edges.pairs());
        // From the edges at each node to the nodes at their other ends.
        for node in 0..edges.n_nodes() {
            for other in &mut nodes[starts[node] as usize..starts[node + 1] as usize] {
                let [a, b] = edges.pairs()[*other as usize];
                *other = if a as usize == node { b } else { a };
            }
        }
        let membership = Arc::clone(distances.membership());
        let counts = if membership.is_total() {
            let counts = starts.windows(2).map(|ends| f64::from(ends[1] - ends[0]));
            ViewMatrix::from_values(1, counts.collect())
        } else {
            let mut counts = ViewMatrix::zeros(edges.n_nodes(), distances.values().n_views());
            let mut ones = counts.clone();
            ones.resize(1);
            for (edge, row) in distances.values().rows().enumerate() {
                let one = |distance: &f64| f64::from(u8::from(distance.is_finite()));
                ones.row_mut(0)
                    .iter_mut()
                    .zip(row)
                    .for_each(|(count, distance)| *count = one(distance));
                edges.add_degrees(edge, ones.row(0), &mut counts);
            }
            counts
        };
        Self {
            starts,
            nodes,
            membership,
            counts,
        }
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.nodes[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// out = (½SSᵀ + aI) x.
    fn product(&self, a: f64, x: &ViewMatrix, out: &mut ViewMatrix) {
        let n_views = x.n_views();
        chunks::map_mut_by(NODES, out.values_mut(), n_views, |first, rows| {
            for (k, row) in rows.chunks_exact_mut(n_views).enumerate() {
                row.fill(0.0);
                let neighbours = self.of(first + k);
                for &other in neighbours {
                    for (value, x) in row.iter_mut().zip(x.row(other as usize)) {
                        *value += x;
                    }
                }
                // ½SSᵀ is half the degree matrix plus half the adjacency matrix.
                if self.membership.is_total() {
                    let own = 0.5 * neighbours.len() as f64 + a;
                    for (value, x) in row.iter_mut().zip(x.row(first + k)) {
                        *value = 0.5 * *value + own * x;
                    }
                    continue;
                }
                let counts = self.counts.row(first + k).iter().zip(self.membership.row(first + k));
                for ((value, x), (count, lacks)) in row.iter_mut().zip(x.row(first + k)).zip(counts) {
                    *value = if *lacks {
                        0.0
                    } else {
                        0.5 * *value + (0.5 * count + a) * x
                    };
                }
            }
        });
    }

    /// Solves (½SSᵀ + aI) x = d for every view at once, from `x` as it is, until the residual has fallen by `gain`.
    fn solve(&self, a: f64, d: &ViewMatrix, x: &mut ViewMatrix, gain: f64) {
        let (n_nodes, n_views) = (d.n_rows(), d.n_views());
        // The diagonal of ½SSᵀ: half the number of pairs at each node.
        let precondition = |residual: &ViewMatrix, out: &mut ViewMatrix| {
            let rows = out.rows_mut().zip(residual.rows()).enumerate();
            for (node, (out, residual)) in rows {
                if let [count] = self.counts.row(node) {
                    let inverse = 1.0 / (0.5 * count + a);
                    for (out, residual) in out.iter_mut().zip(residual) {
                        *out = residual * inverse;
                    }
                } else {
                    for ((out, residual), count) in out.iter_mut().zip(residual).zip(self.counts.row(node)) {
                        *out = residual / (0.5 * count + a);
                    }
                }
            }
        };
        let mut moved = ViewMatrix::zeros(n_nodes, n_views);
        // The warm start: what is left to solve is d − (½SSᵀ + aI) x.
        self.product(a, x, &mut moved);
        let mut residual = d.clone();
        for (residual, moved) in residual.values_mut().iter_mut().zip(moved.values()) {
            *residual -= moved;
        }
        let targets: Vec<f64> = dots(d, d)
            .iter()
            .zip(dots(&residual, &residual))
            .map(|(right, start)| (right * ACCURACY * ACCURACY).max(start * gain * gain))
            .collect();
        let mut preconditioned = moved.clone();
        precondition(&residual, &mut preconditioned);
        let mut search = preconditioned.clone();
        let mut energies = dots(&residual, &preconditioned);
        // Each view has a step of its own; one that is solved does not move.
        let ratio = |(x, y): (&f64, &f64)| if *y > 0.0 { x / y } else { 0.0 };
        for _ in 0..MAX_STEPS {
            let squares = dots(&residual, &residual);
            if squares.iter().zip(&targets).all(|(square, target)| square <= target) {
                return;
            }
            self.product(a, &search, &mut moved);
            let curvatures = dots(&search, &moved);
            let lengths: Vec<f64> = energies.iter().zip(&curvatures).map(ratio).collect();
            add(x, &lengths, 1.0, &search);
            add(&mut residual, &lengths, -1.0, &moved);
            precondition(&residual, &mut preconditioned);
            let next = dots(&residual, &preconditioned);
            let carry: Vec<f64> = next.iter().zip(&energies).map(ratio).collect();
            energies = next;
            for (search, new) in search.rows_mut().zip(preconditioned.rows()) {
                for ((search, new), carry) in search.iter_mut().zip(new).zip(&carry) {
                    *search = new + carry * *search;
                }
            }
        }
    }
}

/// The inner product of each column.
fn dots(x: &ViewMatrix, y: &ViewMatrix) -> Vec<f64> {
    let mut sums = vec![0.0; x.n_views()];
    for (x, y) in x.rows().zip(y.rows()) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    sums
}

fn add(x: &mut ViewMatrix, lengths: &[f64], sign: f64, y: &ViewMatrix) {
    for (x, y) in x.rows_mut().zip(y.rows()) {
        for ((x, y), length) in x.iter_mut().zip(y).zip(lengths) {
            *x += sign * length * y;
        }
    }
}
