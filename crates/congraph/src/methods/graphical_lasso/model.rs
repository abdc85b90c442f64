//! The penalty of the joint graphical lasso: sparsity, and a coupling of the views.
//!
//! ```text
//! off the diagonal, for i ≠ j:   λ1 Σ_k |θ^k_ij| + λ2 P(θ^1_ij, …, θ^N_ij)
//! on the diagonal:               λ2 P(θ^1_ii, …, θ^N_ii) for the fused coupling with `fused_diagonal`, else nothing
//! ```
//!
//! For both couplings the proximal map of the sum is one map after the other: fused, then soft threshold; soft
//! threshold, then group. The penalty is a norm or a seminorm, so its conjugate is the indicator of a convex set C of
//! multipliers, and x − prox(x) at step 1 is the projection of x on C. Screening and certificate use nothing else.

use super::fused::{self, Pool};
use super::group;

/// How the same entry of several precision matrices is coupled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fusion {
    /// Σ_{k<l} |x_k − x_l|: entries are equal in many views.
    Fused,
    /// ‖x‖₂: entries are absent from all views at once.
    Group,
}

impl Fusion {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Fused, Self::Group];

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fused => "jgl-fused",
            Self::Group => "jgl-group",
        }
    }
}

/// λ1, λ2 and the coupling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// How the views are coupled.
    pub fusion: Fusion,
    /// Weight of Σ|θ_ij| off the diagonal: larger is sparser.
    pub lambda1: f64,
    /// Weight of the coupling: larger makes the views more alike.
    pub lambda2: f64,
    /// Whether the fused coupling holds for the diagonal too, as Danaher, Wang and Witten write it. Some packages leave
    /// the diagonal out. The group coupling never has it.
    pub fused_diagonal: bool,
}

/// A buffer for the proximal maps, reused from call to call.
pub type Scratch = Vec<Pool>;

impl Model {
    /// The charge for one entry i ≠ j of all views; in the objective it counts twice, for (i, j) and (j, i).
    pub fn value(&self, row: &[f64]) -> f64 {
        let sizes: f64 = row.iter().map(|x| x.abs()).sum();
        self.lambda1 * sizes + self.lambda2 * self.coupling_value(row)
    }

    /// row ← argmin_y step · value(y) + ½‖y − row‖².
    pub fn prox(&self, row: &mut [f64], step: f64, scratch: &mut Scratch) {
        let threshold = self.lambda1 * step;
        // Whatever the coupling, it takes nothing out of the range of the entries and 0.
        if row.iter().all(|x| x.abs() <= threshold) {
            row.fill(0.0);
            return;
        }
        match self.fusion {
            Fusion::Fused => {
                fused::prox(row, self.lambda2 * step, scratch);
                soft(row, threshold);
            }
            Fusion::Group => {
                soft(row, threshold);
                group::prox(row, self.lambda2 * step);
            }
        }
    }

    /// The charge for one diagonal entry of all views.
    pub fn diagonal_value(&self, row: &[f64]) -> f64 {
        if self.couples_diagonal() {
            self.lambda2 * fused::value(row)
        } else {
            0.0
        }
    }

    /// The proximal map of [`Model::diagonal_value`].
    pub fn diagonal_prox(&self, row: &mut [f64], step: f64, scratch: &mut Scratch) {
        if self.couples_diagonal() {
            fused::prox(row, self.lambda2 * step, scratch);
        }
    }

    /// [`Model::prox`] or [`Model::diagonal_prox`].
    pub(super) fn prox_at(&self, on_diagonal: bool, row: &mut [f64], step: f64, scratch: &mut Scratch) {
        if on_diagonal {
            self.diagonal_prox(row, step, scratch);
        } else {
            self.prox(row, step, scratch);
        }
    }

    pub(super) fn couples_diagonal(&self) -> bool {
        self.fusion == Fusion::Fused && self.fused_diagonal && self.lambda2 > 0.0
    }

    fn coupling_value(&self, row: &[f64]) -> f64 {
        match self.fusion {
            Fusion::Fused => fused::value(row),
            Fusion::Group => group::value(row),
        }
    }
}

fn soft(row: &mut [f64], threshold: f64) {
    for x in row {
        *x = (x.abs() - threshold).max(0.0).copysign(*x);
        // A negative zero is no entry either.
        if *x == 0.0 {
            *x = 0.0;
        }
    }
}
