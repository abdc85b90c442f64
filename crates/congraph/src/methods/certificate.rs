//! How close to optimal a result is: the same three numbers for every method.

/// The objective of a result, a lower bound of the optimum, and their relative difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// The objective of the result.
    pub objective: f64,
    /// A lower bound of the optimum.
    pub dual_objective: f64,
    /// Their difference over the size of the bound; each method says which size.
    pub relative_gap: f64,
}
