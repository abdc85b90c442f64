//! The minimisation over one edge that remains once multipliers hold the degrees; see [`JointEdge`].
//!
//! ```text
//! (W, w) = argmin  ½‖W − u‖² + τ c(W − w) + σ w     W ≥ 0, w ≥ 0        over the views that have the edge
//! ```
//!
//! A row of targets has an entry for every view. Where views lack nodes, a target of −∞ says that the view lacks the
//! edge: such entries are taken out before a penalty sees the row, and their weights are 0. A penalty works on rows of
//! any number of views, so it need not know. One that asks which view is which is shown the whole row instead.
//!
//! Where the consensus is frozen there is one view, and the minimiser is that of one number: max(0,
//! w + prox_τc(u − w)).

mod minima;

pub(crate) use minima::sum_of_minima;

use crate::penalties::{JointEdge, Penalty};

/// The joint minimiser of a problem's edges in units of κ.
#[derive(Clone, Copy)]
pub(crate) struct EdgeSubproblem<'a> {
    pub(crate) joint: &'a dyn JointEdge,
    pub(crate) tau: f64,
    pub(crate) sigma: f64,
    /// Whether views may lack edges.
    pub(crate) masked: bool,
    /// Whether the penalty takes rows whole all the same ([`Penalty::has_places`]).
    pub(crate) whole: bool,
    /// The consensus, where it is given.
    pub(crate) frozen: Option<Frozen<'a>>,
}

/// A consensus that is given, one weight per edge, and what charges departures from it.
#[derive(Clone, Copy)]
pub(crate) struct Frozen<'a> {
    pub(crate) consensus: &'a [f64],
    pub(crate) penalty: &'a dyn Penalty,
}

/// Whether a view with this target has the edge.
#[inline]
pub(crate) fn has_edge(target: f64) -> bool {
    target > f64::NEG_INFINITY
}

impl EdgeSubproblem<'_> {
    /// Whether an edge may be present, or adds to the dual, although no target is positive: a frozen consensus holds
    /// it.
    pub(crate) fn is_held(&self, edge: usize) -> bool {
        self.frozen.is_some_and(|frozen| frozen.consensus[edge] > 0.0)
    }

    /// Writes the weights for targets u and returns the consensus. All views must have the edge.
    pub(crate) fn minimise(&self, targets: &[f64], weights: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        self.joint.minimise(targets, self.tau, self.sigma, weights, scratch)
    }

    /// Writes the weights and the consensus of several edges.
    pub(crate) fn minimise_rows(&self, edges: &[usize], targets: &[f64], weights: &mut [f64], consensus: &mut [f64]) {
        if let Some(frozen) = self.frozen {
            for (value, &edge) in consensus.iter_mut().zip(edges) {
                *value = frozen.consensus[edge];
            }
            return frozen.minimise(self.tau, targets, weights, consensus);
        }
        if self.masked && !self.whole {
            return self.minimise_masked(targets, weights, consensus);
        }
        self.joint
            .minimise_rows(targets, self.tau, self.sigma, weights, consensus);
    }

    /// The same where views lack edges: rows of as many entries are minimised together.
    fn minimise_masked(&self, targets: &[f64], weights: &mut [f64], consensus: &mut [f64]) {
        let n_views = targets.len() / consensus.len().max(1);
        let count = |row: &[f64]| row.iter().filter(|&&target| has_edge(target)).count();
        let counts: Vec<usize> = targets.chunks_exact(n_views.max(1)).map(count).collect();
        let (mut own, mut found, mut found_consensus) = (Vec::new(), Vec::new(), Vec::new());
        // By the number of views that have the edge: a penalty takes rows of one length.
        for n_own in 0..=n_views {
            let rows = || (0..counts.len()).filter(|&row| counts[row] == n_own);
            own.clear();
            for row in rows() {
                let entries = &targets[row * n_views..(row + 1) * n_views];
                own.extend(entries.iter().filter(|&&target| has_edge(target)));
            }
            found.resize(own.len(), 0.0);
            found_consensus.resize(rows().count(), 0.0);
            if n_own > 0 && !own.is_empty() {
                self.joint
                    .minimise_rows(&own, self.tau, self.sigma, &mut found, &mut found_consensus);
            }
            // Back to where the views are in the whole row.
            let mut next = found.iter();
            for (row, &value) in rows().zip(&found_consensus) {
                let range = row * n_views..(row + 1) * n_views;
                for (weight, &target) in weights[range.clone()].iter_mut().zip(&targets[range]) {
                    *weight = if has_edge(target) {
                        next.next().copied().unwrap_or(0.0)
                    } else {
                        0.0
                    };
                }
                consensus[row] = if n_own > 0 { value } else { 0.0 };
            }
        }
    }

    /// Whether the edge is absent for targets u, and so for any smaller ones.
    pub(crate) fn is_absent(&self, targets: &[f64]) -> bool {
        if self.masked && !self.whole && !targets.iter().all(|&target| has_edge(target)) {
            let own: Vec<f64> = targets.iter().copied().filter(|&target| has_edge(target)).collect();
            return own.is_empty() || self.joint.is_absent(&own, self.tau, self.sigma);
        }
        self.joint.is_absent(targets, self.tau, self.sigma)
    }

    /// The best consensus for given weights of the views that have the edge.
    pub(crate) fn consensus(&self, weights: &[f64], scratch: &mut Vec<f64>) -> f64 {
        let ratio = if self.tau > 0.0 { self.sigma / self.tau } else { 0.0 };
        self.joint.consensus(weights, ratio, scratch)
    }

    /// Whether the rank-one terms are of disjoint sets of views ([`JointEdge::has_sets`]).
    pub(crate) fn has_sets(&self) -> bool {
        self.frozen.is_none() && self.joint.has_sets()
    }

    /// How many rank-one terms [`EdgeSubproblem::jacobian`] has.
    pub(crate) fn rank(&self) -> usize {
        if self.frozen.is_some() { 0 } else { self.joint.rank() }
    }

    /// ∂W/∂u as a diagonal and rank-one factors, of all views; `distances` are infinite where a view lacks the edge.
    /// `buffer` holds intermediate values.
    pub(crate) fn jacobian(
        &self,
        weights: &[f64],
        consensus: f64,
        distances: &[f64],
        jacobian: &mut [f64],
        buffer: &mut Vec<f64>,
    ) {
        let n_views = weights.len();
        if self.frozen.is_some() {
            for (entry, &weight) in jacobian.iter_mut().zip(weights) {
                *entry = if weight > 0.0 {
                    self.joint.frozen_slope(self.tau, weight - consensus)
                } else {
                    0.0
                };
            }
            return;
        }
        let has = |view: usize| distances[view] < f64::INFINITY;
        if self.masked && self.whole {
            buffer.clear();
            let marked = |view: usize| if has(view) { weights[view] } else { f64::NAN };
            buffer.extend((0..n_views).map(marked));
            let (diagonal, factors) = jacobian.split_at_mut(n_views);
            return self
                .joint
                .jacobian(self.tau, self.sigma, buffer, consensus, diagonal, factors);
        }
        if !self.masked || (0..n_views).all(has) {
            let (diagonal, factors) = jacobian.split_at_mut(n_views);
            return self
                .joint
                .jacobian(self.tau, self.sigma, weights, consensus, diagonal, factors);
        }
        let n_own = (0..n_views).filter(|&view| has(view)).count();
        buffer.clear();
        // Solved on the views that have the edge; the others do not move.
        buffer.extend((0..n_views).filter(|&view| has(view)).map(|view| weights[view]));
        buffer.resize(n_own * (2 + self.joint.rank()), 0.0);
        let (own, found) = buffer.split_at_mut(n_own);
        let (diagonal, factors) = found.split_at_mut(n_own);
        self.joint
            .jacobian(self.tau, self.sigma, own, consensus, diagonal, factors);
        let mut next = found.iter().peekable();
        for (k, row) in jacobian.chunks_exact_mut(n_views).enumerate() {
            // The last row of sets holds places in the row that was solved.
            let is_place = self.joint.has_sets() && k == 2;
            for (view, value) in row.iter_mut().enumerate() {
                *value = match next.next_if(|_| has(view)).copied() {
                    Some(place) if is_place => {
                        (0..n_views).filter(|&view| has(view)).nth(place as usize).unwrap_or(0) as f64
                    }
                    Some(found) => found,
                    None => 0.0,
                };
            }
        }
    }
}

impl Frozen<'_> {
    /// The weights of one view for targets u beside the given consensus of the same edges.
    fn minimise(&self, tau: f64, targets: &[f64], weights: &mut [f64], consensus: &[f64]) {
        for ((weight, target), consensus) in weights.iter_mut().zip(targets).zip(consensus) {
            *weight = target - consensus;
        }
        self.penalty.prox(weights, 1, tau);
        for (weight, consensus) in weights.iter_mut().zip(consensus) {
            *weight = (*weight + consensus).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalties::registry;

    const LACKS: f64 = f64::NEG_INFINITY;

    #[test]
    fn views_without_the_edge_have_no_say() {
        let targets = [
            0.9, LACKS, 0.2, 0.5, LACKS, LACKS, 0.4, 0.8, 0.3, LACKS, -0.1, 0.7, LACKS, LACKS, LACKS,
        ];
        for penalty in registry() {
            let Some(joint) = penalty.joint() else { continue };
            let term = EdgeSubproblem {
                joint,
                tau: 0.1,
                sigma: 0.02,
                masked: true,
                whole: penalty.has_places(),
                frozen: None,
            };
            let (mut weights, mut consensus) = ([7.0; 15], [7.0; 5]);
            term.minimise_rows(&[0, 1, 2, 3, 4], &targets, &mut weights, &mut consensus);
            for (row, (u, w)) in targets.chunks(3).zip(weights.chunks(3)).enumerate() {
                let own: Vec<f64> = u.iter().copied().filter(|&u| has_edge(u)).collect();
                let mut alone = vec![0.0; own.len()];
                let expected = match own[..] {
                    [] => 0.0,
                    _ => term.minimise(&own, &mut alone, &mut Vec::new()),
                };
                assert!(
                    (consensus[row] - expected).abs() < 1e-14,
                    "{} row {row}",
                    penalty.name()
                );
                let mut alone = alone.iter();
                for (u, w) in u.iter().zip(w) {
                    let expected = if has_edge(*u) { *alone.next().unwrap() } else { 0.0 };
                    assert!((w - expected).abs() < 1e-14, "{} row {row}", penalty.name());
                }
                let absent = consensus[row] == 0.0 && w.iter().all(|&w| w == 0.0);
                assert_eq!(term.is_absent(u), absent, "{} row {row}", penalty.name());
            }
        }
    }
}
