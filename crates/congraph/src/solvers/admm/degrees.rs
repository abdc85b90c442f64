//! (½SᵀS + aI)⁻¹ through a system of the size of the degrees.
//!
//! ```text
//! (½SᵀS + aI)⁻¹ x = (x − ½ Sᵀ (½SSᵀ + aI)⁻¹ S x) / a
//! ```
//!
//! On the complete graph SSᵀ = (n−2)I + 11ᵀ and 1 is an eigenvector of SᵀS: everything is in closed form. On any other set
//! of pairs SSᵀ is the degree matrix plus the adjacency matrix; the system is well conditioned and solved by conjugate
//! gradients, from the solution of the iteration before. Nor is the plain projection Π₁ the constrained minimiser there: the
//! minimiser moves along (½SᵀS + aI)⁻¹1, which is computed once for each ρ.

use crate::edges::Edges;
use crate::rows::ViewRows;

/// Applies the inverse, and moves along the inverse of 1 to the right total.
pub(super) struct DegreeSystem {
    /// Solutions of the last call, one row per node: where the next one starts.
    last: ViewRows,
    /// On a restricted set of pairs: a, and the inverse applied to 1.
    ones: Option<(f64, ViewRows)>,
}

/// Residuals are brought down to this share of the right-hand side.
const ACCURACY: f64 = 1e-13;
/// The most conjugate-gradient steps.
const MAX_STEPS: usize = 200;

impl DegreeSystem {
    pub(super) fn new(n_nodes: usize, n_views: usize) -> Self {
        Self {
            last: ViewRows::zeros(n_nodes, n_views),
            ones: None,
        }
    }

    /// ½ (½SSᵀ + aI)⁻¹ d for every view, given d = S x.
    pub(super) fn correction(&mut self, edges: &Edges, a: f64, degrees: &ViewRows) -> ViewRows {
        let n = edges.n_nodes() as f64;
        if edges.is_complete() {
            let g = a + 0.5 * (n - 2.0);
            let sums = degrees.column_sums();
            let mut correction = degrees.clone();
            for row in correction.rows_mut() {
                for (value, sum) in row.iter_mut().zip(&sums) {
                    *value = 0.5 / g * (*value - 0.5 * sum / (g + 0.5 * n));
                }
            }
            return correction;
        }
        conjugate_gradients(edges, a, degrees, &mut self.last);
        let mut correction = self.last.clone();
        correction.values_mut().iter_mut().for_each(|value| *value *= 0.5);
        correction
    }

    /// (½SᵀS + aI)⁻¹ 1, one value per edge, and its total. On the complete graph all values are the same, and only that one
    /// is returned.
    pub(super) fn along(&mut self, edges: &Edges, a: f64) -> (&[f64], f64) {
        if self.ones.as_ref().is_none_or(|(at, _)| *at != a) {
            let values = if edges.is_complete() {
                ViewRows::from_values(1, vec![1.0 / (a + (edges.n_nodes() as f64 - 1.0))])
            } else {
                let ones = ViewRows::from_values(1, vec![1.0; edges.n_edges()]);
                let mut system = Self::new(edges.n_nodes(), 1);
                let correction = system.correction(edges, a, &edges.degrees(&ones));
                let mut values = edges.spread(&correction);
                values
                    .values_mut()
                    .iter_mut()
                    .for_each(|value| *value = (1.0 - *value) / a);
                values
            };
            self.ones = Some((a, values));
        }
        let values = self.ones.as_ref().map_or(&[][..], |(_, values)| values.values());
        let total = if values.len() == 1 {
            values[0] * edges.n_edges() as f64
        } else {
            values.iter().sum()
        };
        (values, total)
    }
}

/// Solves (½SSᵀ + aI) x = d for every view at once, from `x` as it is.
fn conjugate_gradients(edges: &Edges, a: f64, d: &ViewRows, x: &mut ViewRows) {
    let n_views = d.n_views();
    let product = |x: &ViewRows| {
        let mut out = edges.degrees(&edges.spread(x));
        for (out, x) in out.values_mut().iter_mut().zip(x.values()) {
            *out = 0.5 * *out + a * x;
        }
        out
    };
    // The diagonal of ½SSᵀ: half the number of pairs at each node.
    let ones = ViewRows::from_values(1, vec![1.0; edges.n_edges()]);
    let counts = edges.degrees(&ones);
    let precondition = |residual: &ViewRows| {
        let mut out = residual.clone();
        for (row, count) in out.rows_mut().zip(counts.values()) {
            row.iter_mut().for_each(|value| *value /= 0.5 * count + a);
        }
        out
    };
    let dots = |x: &ViewRows, y: &ViewRows| {
        let mut sums = vec![0.0; n_views];
        for (x, y) in x.rows().zip(y.rows()) {
            for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
                *sum += x * y;
            }
        }
        sums
    };
    let targets: Vec<f64> = dots(d, d).iter().map(|square| square * ACCURACY * ACCURACY).collect();
    let mut residual = product(x);
    for (residual, d) in residual.values_mut().iter_mut().zip(d.values()) {
        *residual = d - *residual;
    }
    let mut preconditioned = precondition(&residual);
    let mut search = preconditioned.clone();
    let mut energies = dots(&residual, &preconditioned);
    for _ in 0..MAX_STEPS {
        let squares = dots(&residual, &residual);
        if squares.iter().zip(&targets).all(|(square, target)| square <= target) {
            return;
        }
        let moved = product(&search);
        let curvatures = dots(&search, &moved);
        // Each view has a step of its own; one that is solved does not move.
        let ratio = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
        let lengths: Vec<f64> = energies.iter().zip(&curvatures).map(|(&x, &y)| ratio(x, y)).collect();
        add(x, &lengths, 1.0, &search);
        add(&mut residual, &lengths, -1.0, &moved);
        preconditioned = precondition(&residual);
        let next = dots(&residual, &preconditioned);
        let carry: Vec<f64> = next.iter().zip(&energies).map(|(&x, &y)| ratio(x, y)).collect();
        energies = next;
        for (search, new) in search.rows_mut().zip(preconditioned.rows()) {
            for ((search, new), carry) in search.iter_mut().zip(new).zip(&carry) {
                *search = new + carry * *search;
            }
        }
    }
}

fn add(x: &mut ViewRows, lengths: &[f64], sign: f64, y: &ViewRows) {
    for (x, y) in x.rows_mut().zip(y.rows()) {
        for ((x, y), length) in x.iter_mut().zip(y).zip(lengths) {
            *x += sign * length * y;
        }
    }
}
