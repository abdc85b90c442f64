//! Penalties c: how a view's departure from the consensus is charged.
//!
//! A penalty sees the differences `V` (one row of N views per edge, `V_ei = w^i_e − w_e`) and never β. One penalty is
//! one file; [`registry`] lists them all, and the law tests run over that list.
//!
//! ```text
//! value   c(V)
//! prox    argmin_Y  step · c(Y) + ½‖Y − V‖²
//! ```
//!
//! That is all that [`Admm`](crate::methods::smooth::Admm) needs, and c need not be separable over the edges.
//! [`Newton`](crate::methods::smooth::Newton) needs more, and only of separable penalties: the [`JointEdge`] minimiser.

mod chain;
mod huber;
mod hubs;
mod l1;
mod l2;
mod l_infinity;
mod none;
mod pairwise;
mod squared_l2;
mod two_levels;

use std::fmt;
use std::sync::Arc;

pub use chain::Chain;
pub use huber::Huber;
pub use hubs::Hubs;
pub use l_infinity::LInfinity;
pub use l1::L1;
pub use l2::L2;
pub use none::NoPenalty;
pub use pairwise::Pairwise;
pub use squared_l2::SquaredL2;
pub use two_levels::TwoLevels;

pub use crate::parallel::simd::LANES;

/// A convex penalty on the differences between the views and the consensus.
pub trait Penalty: fmt::Debug + Send + Sync {
    /// The name by which users choose it.
    fn name(&self) -> &str;

    /// c(V) of rows of `n_views` differences.
    fn value(&self, differences: &[f64], n_views: usize) -> f64;

    /// Replaces V by argmin_Y step · c(Y) + ½‖Y − V‖².
    fn prox(&self, differences: &mut [f64], n_views: usize, step: f64);

    /// The prox of eight edges stored one view after the other: `columns[i][k]` is view i of edge k. Only asked of
    /// penalties that are separable over the edges. Need not be written; where it is, it must agree with
    /// [`prox`](Self::prox).
    fn prox_columns(&self, columns: &mut [[f64; LANES]], step: f64) {
        let n_views = columns.len();
        let mut rows = vec![0.0; n_views * LANES];
        for (i, column) in columns.iter().enumerate() {
            for (k, value) in column.iter().enumerate() {
                rows[k * n_views + i] = *value;
            }
        }
        self.prox(&mut rows, n_views, step);
        for (i, column) in columns.iter_mut().enumerate() {
            for (k, value) in column.iter_mut().enumerate() {
                *value = rows[k * n_views + i];
            }
        }
    }

    /// The joint minimiser over one edge, if the penalty is separable over the edges and has one.
    fn joint(&self) -> Option<&dyn JointEdge> {
        None
    }

    /// The name for people, as texts and figures show it.
    fn label(&self) -> &str {
        self.name()
    }

    /// Whether c is a sum over the edges, each of which can be charged on its own. Where that is not said, all edges
    /// are shown at once. A penalty with a [joint](Self::joint) minimiser is.
    fn is_separable(&self) -> bool {
        self.joint().is_some()
    }

    /// Whether c stays the same when views change places. Where it does not (chains of views), views keep the order in
    /// which they were given.
    fn is_symmetric(&self) -> bool {
        true
    }

    /// How views are coupled, if not each to the consensus: by `subjects`, along a `chain`, in pairs.
    fn coupling(&self) -> Option<&'static str> {
        None
    }

    /// The name of what departures are charged by, however views are coupled.
    fn charge(&self) -> &str {
        self.name()
    }

    /// ρ = β₂/(C β₁), if views of one subject are coupled first.
    fn subject_share(&self) -> Option<f64> {
        None
    }

    /// Whether c asks which views are of one subject, and has not been told yet.
    fn needs_subjects(&self) -> bool {
        false
    }

    /// The same penalty with the subject of every view, if it asks for that.
    fn of_subjects(&self, of_views: &[u32]) -> Option<Arc<dyn Penalty>> {
        let _ = of_views;
        None
    }

    /// The same penalty with the nodes at the ends of every edge, if it asks for them.
    fn of_pairs(&self, pairs: &[[u32; 2]]) -> Option<Arc<dyn Penalty>> {
        let _ = pairs;
        None
    }

    /// Whether c depends on which view is which beyond their order. Rows then come whole also where views lack the edge:
    /// with a target of −∞, and NaN for a difference or a weight. Else such views are taken out of a row.
    fn has_places(&self) -> bool {
        false
    }

    /// The weights of the subjects' own graphs beside given weights of the views and their consensus (NaN where a
    /// subject lacks the edge), if c has any.
    fn subject_weights(&self, weights: &[f64], consensus: f64) -> Option<Vec<f64>> {
        let _ = (weights, consensus);
        None
    }

    /// Whether c charges anything: without it there is no consensus.
    fn couples(&self) -> bool {
        true
    }

    /// The γ, in units of β, from which on the ℓ1-regularised consensus of `n_views` views is empty; infinite if there
    /// is none.
    fn gamma_limit(&self, n_views: usize) -> f64 {
        let _ = n_views;
        f64::INFINITY
    }

    /// A β that brings the views about half-way from how they are on their own to equality: where a search starts.
    /// `spread` is how far the views' costs of an edge lie apart on average.
    fn first_beta(&self, spread: f64, alpha: f64, n_views: usize) -> f64 {
        let _ = (alpha, n_views);
        0.5 * spread
    }
}

/// The minimiser of the edge's share of the dual, jointly over the N views and the consensus:
///
/// ```text
/// (W, w) = argmin  ½‖W − u‖² + τ c(W − w) + σ w     W ≥ 0, w ≥ 0
/// ```
///
/// τ > 0 and σ ≥ 0 carry β and γ. If every `u_i ≤ 0` the edge is absent (W = 0, w = 0); callers may skip it.
pub trait JointEdge: Send + Sync {
    /// Writes W to `weights` and returns w.
    fn minimise(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], scratch: &mut Vec<f64>) -> f64;

    /// As [`minimise`](JointEdge::minimise) for several edges, one after the other; as many as there is room for in
    /// `consensus`. Worth offering where a loop over edges can be faster than one edge at a time.
    fn minimise_rows(&self, targets: &[f64], tau: f64, sigma: f64, weights: &mut [f64], consensus: &mut [f64]) {
        let n_views = (targets.len() / consensus.len().max(1)).max(1);
        let mut scratch = Vec::new();
        let rows = targets.chunks_exact(n_views).zip(weights.chunks_exact_mut(n_views));
        for ((targets, weights), consensus) in rows.zip(consensus) {
            *consensus = self.minimise(targets, tau, sigma, weights, &mut scratch);
        }
    }

    /// Whether the edge is absent: W = 0 and w = 0. Then it is for any smaller u, too (some g ∈ τ ∂c(0) with g ≥ u and
    /// Σg ≤ σ shows it, and shows it for them).
    fn is_absent(&self, targets: &[f64], tau: f64, sigma: f64) -> bool {
        let mut weights = vec![0.0; targets.len()];
        let consensus = self.minimise(targets, tau, sigma, &mut weights, &mut Vec::new());
        consensus == 0.0 && weights.iter().all(|&weight| weight == 0.0)
    }

    /// Whether an edge is absent just where no u exceeds τ and Σ max(u, −τ) ≤ σ: then very many are told at once.
    fn is_pull(&self) -> bool {
        false
    }

    /// How many rank-one terms the Jacobian has, or 2 where it has [sets](JointEdge::has_sets).
    fn rank(&self) -> usize;

    /// Whether the rank-one terms are of disjoint sets of views, as many as there may be. `factors` then has two rows:
    /// the terms in one, and for each view the first view of its set (itself, where it is in none).
    fn has_sets(&self) -> bool {
        false
    }

    /// ∂W/∂u at a minimiser, as diag(`diagonal`) + Σ v vᵀ over the [`rank`](JointEdge::rank) rows v of `factors`.
    fn jacobian(
        &self,
        tau: f64,
        sigma: f64,
        weights: &[f64],
        consensus: f64,
        diagonal: &mut [f64],
        factors: &mut [f64],
    );

    /// The slope of the prox of τ c of one number, where its result is `difference`: how far the weight of a single
    /// view moves with its target when the consensus is frozen. At a kink, of either side.
    fn frozen_slope(&self, tau: f64, difference: f64) -> f64;

    /// argmin over w ≥ 0 of c(W − w) + ratio · w, the consensus of given views.
    fn consensus(&self, weights: &[f64], ratio: f64, scratch: &mut Vec<f64>) -> f64;
}

/// All penalties that users can choose. A new one is one file and one line here.
pub fn registry() -> Vec<Arc<dyn Penalty>> {
    vec![
        Arc::new(L1),
        Arc::new(L2),
        Arc::new(SquaredL2),
        Arc::new(LInfinity),
        Arc::new(Huber::default()),
        Arc::new(NoPenalty),
    ]
}

/// Penalties that couple the edges, so that only [`Admm`](crate::methods::smooth::Admm) solves them.
pub fn of_whole_graphs() -> Vec<Arc<dyn Penalty>> {
    vec![Arc::new(Hubs::default())]
}

/// The names of all penalties that users can choose.
pub fn names() -> Vec<String> {
    let all = registry().into_iter().chain(of_whole_graphs());
    all.map(|penalty| penalty.name().to_owned()).collect()
}

/// Penalties that couple the views in another way than each to the consensus: chosen as a coupling, not as a penalty.
pub fn couplings() -> Vec<Arc<dyn Penalty>> {
    vec![Arc::new(Chain), Arc::new(Pairwise)]
}

/// The penalty of that name.
pub fn by_name(name: &str) -> Option<Arc<dyn Penalty>> {
    let mut all = registry().into_iter().chain(of_whole_graphs());
    all.find(|penalty| penalty.name() == name)
}
