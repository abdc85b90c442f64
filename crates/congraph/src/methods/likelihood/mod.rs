//! The **attractive filter likelihood** with a consensus: graphs that make the signals likely.
//!
//! Signals x = M⁻¹ · white noise (or its square root) over an M-matrix M = diag(t) − W have the precision M^q. With the
//! covariance S^i of each view, the graphs W^i and their consensus c solve
//!
//! ```text
//! minimise  Σ_i v_i { tr(S_i (M^i)^q)/q − log det M^i } + Σ_e { Σ_i λ_e W^i_e + β_e |W^i_e − c_e| } + γ Σ_e c_e
//!     M^i = diag(t^i) − W^i positive definite,   W^i ≥ 0,   c ≥ 0,   t^i free,   q = 1 or 2
//! ```
//!
//! which is convex. W ≥ 0 alone makes W sparse: λ = 0 is usual.
//!
//! ```text
//! problem       covariances, edges, charges; points, objective        edge      one edge's joint minimiser
//! certificate   a lower bound from any dual point: knows no solver    matrices  dense linear algebra
//! newton        the solver
//! ```

mod certificate;
mod edge;
mod matrices;
mod newton;
mod problem;

pub use newton::Newton;
pub use problem::{Charges, Filter, Point, Problem, Signs, Tie, ViewTerm};

impl ViewTerm {
    /// raw
    pub fn raw(n: usize, s: &[f64], weight: f64) -> Self {
        Self {
            places: (0..n as u32).collect(),
            covariance: faer::Mat::from_fn(n, n, |a, b| s[a * n + b]),
            weight,
        }
    }
}

/// raw
pub fn solve_raw(newton: &Newton, problem: &Problem) -> (Point, crate::methods::Certificate, usize, crate::progress::Status) {
    let s = newton.solve(problem, None, &crate::progress::no_progress);
    let c = certificate::certify(problem, &s.point, s.dual.as_deref());
    eprintln!("certify anew {c:?}");
    (s.point, s.certificate, s.iterations, s.status)
}
