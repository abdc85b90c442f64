//! How far an iteration is from a fixed point.

use pulp::Simd;

use crate::parallel::simd::{Column, Lanes};

/// Norms of the residuals and of what they are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Residuals {
    primal: f64,
    dual: f64,
    primal_size: f64,
    dual_size: f64,
    dimension: f64,
}

impl Residuals {
    /// From the sums of all parts, added up in order; of so many edges, and so many pairs of an edge and a view.
    pub(super) fn new(parts: &[ResidualSums], rho: f64, n_edges: usize, n_entries: usize) -> Self {
        let sum = |column: fn(&ResidualSums) -> &Column| -> f64 { parts.iter().flat_map(column).sum() };
        let of_views = n_entries as f64;
        // What all multipliers have in common holds γ, or the total, and may be of any size next to what tells edges
        // apart. Measured against it every dual residual would look small, and ρ would grow without reason.
        let common = sum(|part| &part.totals[0]).powi(2) / of_views
            + sum(|part| &part.totals[1]).powi(2) / of_views
            + sum(|part| &part.totals[2]).powi(2) / n_edges as f64;
        Self {
            primal: sum(|part| &part.primal).sqrt(),
            dual: rho * sum(|part| &part.dual).sqrt(),
            primal_size: sum(|part| &part.first).max(sum(|part| &part.second)).sqrt(),
            dual_size: rho * (sum(|part| &part.multipliers) - common).max(0.0).sqrt(),
            dimension: 2.0 * of_views + n_edges as f64,
        }
    }

    /// Primal and dual residual, each divided by its tolerance.
    pub(super) fn scaled(&self, absolute: f64, relative: f64) -> (f64, f64) {
        let floor = absolute * self.dimension.sqrt();
        (
            self.primal / (floor + relative * self.primal_size),
            self.dual / (floor + relative * self.dual_size),
        )
    }

    /// The larger of the two.
    pub(super) fn worst(&self, absolute: f64, relative: f64) -> f64 {
        let (primal, dual) = self.scaled(absolute, relative);
        primal.max(dual)
    }
}

/// Sums of squares over the tiles of one part, lane by lane: of primal and dual residuals, of both copies of the
/// variables, and of the multipliers.
#[derive(Clone, Copy, Default)]
pub(super) struct ResidualSums {
    pub(super) primal: Column,
    pub(super) dual: Column,
    pub(super) first: Column,
    pub(super) second: Column,
    pub(super) multipliers: Column,
    /// The sums of y^i, of dual_differences and of y, not squared.
    pub(super) totals: [Column; 3],
}

impl ResidualSums {
    /// Adds a slack variable `z` (before: `old`), its copy in the first block, and the multiplier between them, the
    /// `kind`-th of [`totals`](Self::totals).
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        (kind, q): (usize, usize),
        (z, old): (Lanes<S>, Lanes<S>),
        copy: Lanes<S>,
        multiplier: Lanes<S>,
    ) {
        (z - copy).add_square(&mut self.primal, q);
        (z - old).add_square(&mut self.dual, q);
        copy.add_square(&mut self.first, q);
        z.add_square(&mut self.second, q);
        multiplier.add_square(&mut self.multipliers, q);
        multiplier.add_to(&mut self.totals[kind], q);
    }
}
