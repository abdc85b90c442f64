//! How far an iteration is from a fixed point.

use pulp::Simd;

use crate::vector::{Column, Lanes};

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
    /// From the sums of squares of all parts, added up in order.
    pub(super) fn new(sums: &[Sums], rho: f64, dimension: usize, n_views: usize) -> Self {
        let mut all = [0.0; 5];
        for part in sums {
            for (all, lanes) in all
                .iter_mut()
                .zip([part.primal, part.dual, part.first, part.second, part.multipliers])
            {
                *all += lanes.iter().sum::<f64>();
            }
        }
        let unit = dimension as f64 / (2 * n_views + 1) as f64;
        for (block, count) in [n_views as f64 * unit, n_views as f64 * unit, unit].into_iter().enumerate() {
            let total: f64 = sums.iter().map(|part| part.totals[block].iter().sum::<f64>()).sum();
            all[4] -= total * total / count;
        }
        all[4] = all[4].max(0.0);
        let [primal, dual, first, second, multipliers] = all.map(f64::sqrt);
        Self {
            primal,
            dual: rho * dual,
            primal_size: first.max(second),
            dual_size: rho * multipliers,
            dimension: dimension as f64,
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

/// Sums of squares over the tiles of one part, lane by lane.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) primal: Column,
    pub(super) dual: Column,
    pub(super) first: Column,
    pub(super) second: Column,
    pub(super) multipliers: Column,
    /// The sums themselves of y^i, dual_differences and y.
    pub(super) totals: [Column; 3],
}

impl Sums {
    /// Adds a slack variable `z` (before: `old`), its copy in the first block, and the multiplier between them.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        (block, q): (usize, usize),
        (z, old): (Lanes<S>, Lanes<S>),
        copy: Lanes<S>,
        multiplier: Lanes<S>,
    ) {
        (z - copy).add_square(&mut self.primal, q);
        (z - old).add_square(&mut self.dual, q);
        copy.add_square(&mut self.first, q);
        z.add_square(&mut self.second, q);
        multiplier.add_square(&mut self.multipliers, q);
        multiplier.add_to(&mut self.totals[block], q);
    }
}
